/* Lowering, register tiles: the array behind a value, in which order it holds the value's elements, and loops over
 * them. */
#include "lower_internal.h"

bool value_packed(const Value *v) {
    if (v->def && (v->def->kind == STAGE_LOAD || v->def->kind == STAGE_READ)) return true;
    return type_bits(v->type) < 32 && v->type != TY_BOOL;
}

static FactorSet scope_of(const Lower *l, FactorSet s, BindScope scope) {
    FactorSet r = 0;
    for (int i = 0; i < l->part->factors.n; i++)
        if (s >> i & 1 && bind_scope(l->part->factors.at[i]->bind) == scope) r |= (FactorSet)1 << i;
    return r;
}
FactorSet reg_factors(const Lower *l, FactorSet s) { return scope_of(l, s, SCOPE_REG); }
FactorSet thread_factors(const Lower *l, FactorSet s) { return scope_of(l, s, SCOPE_THREAD); }

int64_t reg_count(const Lower *l, FactorSet s) {
    int64_t n = 1;
    for (int i = 0; i < l->part->factors.n; i++)
        if (reg_factors(l, s) >> i & 1) n *= l->part->factors.at[i]->size;
    return n;
}

const Layout *stage_layout(const Lower *l, const Stage *s) { return s->layout ? s->layout : l->part->layouts.at[0]; }
const Layout *value_layout(const Lower *l, const Value *v) { return v->layout ? v->layout : l->part->layouts.at[0]; }

/* Register factors stand before vector factors, so that one access fills neighbouring elements of the array. */
int list_reg_factors(const Layout *layout, FactorSet s, Factor **f) {
    int n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; layout && i < layout->factors.n; i++) {
            Factor *x = layout->factors.at[i];
            if (bind_scope(x->bind) == SCOPE_REG && (s >> x->id & 1) && (x->bind == BIND_REG) == (pass == 0) &&
                x->size != 1)
                f[n++] = x;
        }
    return n;
}

/* Of several vector factors the innermost is the one along which what was loaded lies together. */
static void vector_last(const Value *v, Factor **f, int n) {
    const Stage *s = v->def;
    if (!s || s->kind != STAGE_LOAD || s->tensor->rank == 0) return;
    for (int i = 0; i < n; i++) {
        Factor *x = f[i];
        if (x->bind != BIND_VEC || !expr_has(s->subs[s->tensor->rank - 1], expr_test_var, x->axis->var)) continue;
        for (; i + 1 < n; i++) f[i] = f[i + 1];
        f[n - 1] = x;
    }
}

int value_order(const Value *v, Factor **f, int64_t *stride) {
    int n = list_reg_factors(v->layout, v->domain, f);
    int64_t s = 1;
    vector_last(v, f, n);
    for (int i = n - 1; i >= 0; i--) {
        stride[i] = s;
        s *= f[i]->size;
    }
    return n;
}

/* ---- windows ---- */

/* The sums of a window's two digits. */
static int64_t sums_of(const Window *w) { return w->along->size + w->tap->size - 1; }

int64_t tile_count(const Windows *w, int64_t elements) {
    for (int i = 0; i < w->n; i++)
        elements = elements / (w->at[i].along->size * w->at[i].tap->size) * sums_of(&w->at[i]);
    return elements;
}

int tile_order(const Lower *l, const Value *v, Factor **f, int64_t *stride) {
    const Windows *w = &l->open.windows;
    const int n = value_order(v, f, stride);
    if (w->of != v) return n;
    int64_t next = 1;
    for (int i = n - 1; i >= 0; i--) stride[i] = 0;
    for (int i = n - 1; i >= 0; i--) {
        int64_t steps = f[i]->size;
        if (stride[i]) continue;
        stride[i] = next;
        for (int k = 0; k < w->n; k++) {
            const Factor *other = w->at[k].along == f[i] ? w->at[k].tap : w->at[k].tap == f[i] ? w->at[k].along : NULL;
            for (int j = 0; other && j < i; j++)
                if (f[j] == other) stride[j] = next, steps = sums_of(&w->at[k]);
        }
        next *= steps;
    }
    return n;
}

int put_once_each(Lower *l) {
    const Code *first = NULL;
    for (int i = 0; i < l->open.windows.n; i++) {
        const Window *w = &l->open.windows.at[i];
        first = code_join(
            l->ctx, first, " && ",
            code(l->ctx, "(%c == 0 || %c == %l)", factor_code(l, w->along), factor_code(l, w->tap), w->tap->size - 1));
    }
    if (first) put_if(l, first);
    return first != NULL;
}

/* ---- elements ---- */

/* digit * weight, without a weight of 1. */
static const Code *weighted(Lower *l, const Factor *f, int64_t weight) {
    const Code *digit = factor_code(l, f);
    return weight == 1 ? digit : code(l->ctx, "%c * %l", digit, weight);
}

const Code *value_index(Lower *l, const Value *v) {
    Factor *f[MAX_FACTORS];
    int64_t stride[MAX_FACTORS];
    int n = tile_order(l, v, f, stride);
    const Code *r = NULL;
    for (int i = 0; i < n; i++) r = code_join(l->ctx, r, " + ", weighted(l, f[i], stride[i]));
    return r ? r : code(l->ctx, "0");
}

const Code *value_element(Lower *l, const Value *v) {
    Sym name = value_name(l, v);
    return reg_count(l, v->domain) > 1 ? code(l->ctx, "%n[%c]", name, value_index(l, v)) : code_name(l->ctx, name);
}

void put_tile(Lower *l, const Value *v) {
    const char *T = lower_storage_type(v->type);
    put_declare(l, sym_fmt(l->ctx, "td_word<%s>", T), value_name(l, v), "[td_words<%s>(%l)]", T,
                reg_count(l, v->domain));
}

int put_reg_loop(Lower *l, const Factor *f, int64_t step, bool last) {
    const Code *reached = NULL;
    for (int i = 0; i < l->open.reached.n; i++)
        if (l->open.reached.at[i].factor == f) reached = l->open.reached.at[i].test;
    if (l->open.reach == REACH_NEVER) reached = NULL;
    if (reached && l->open.reach == REACH_NARROW) reached = code(l->ctx, "A == 1 || %c", reached);
    put_digit_loop(l, factor_name(l, f), f->size, step, false)->braces = last && !reached ? BRACES : BARE;
    if (reached) put_if(l, reached)->braces = last ? BRACES : BARE;
    return reached ? 2 : 1;
}

int put_reg_loops(Lower *l, Factor *const *f, int n) {
    int opened = 0;
    for (int i = 0; i < n; i++) opened += put_reg_loop(l, f[i], 1, i == n - 1);
    return opened;
}

int put_ordered_loops(Lower *l, Factor *const *f, int n, bool reverse) {
    for (int i = 0; i < n; i++) put_digit_loop(l, factor_name(l, f[i]), f[i]->size, 1, reverse);
    return n;
}

const Code *digits_code(Lower *l, const Layout *layout, FactorSet set, int64_t *count) {
    const Code *r = NULL;
    int64_t n = 1;
    for (int i = layout->factors.n - 1; i >= 0; i--) {
        Factor *f = layout->factors.at[i];
        if (!(set >> f->id & 1) || f->size == 1) continue;
        r = code_join(l->ctx, r, " + ", weighted(l, f, n));
        n *= f->size;
    }
    *count = n;
    return r;
}

const Code *digits_zero(Lower *l, const Layout *layout, FactorSet set) {
    const Code *r = NULL;
    for (int i = 0; i < layout->factors.n; i++) {
        Factor *f = layout->factors.at[i];
        if ((set >> f->id & 1) && f->size != 1)
            r = code_join(l->ctx, r, " && ", code(l->ctx, "%c == 0", factor_code(l, f)));
    }
    return r;
}
