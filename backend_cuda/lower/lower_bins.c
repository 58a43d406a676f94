/* Lowering, bins: elements of shared memory along an axis, into which a block folds values at indices that are data.
 * Rows of warps lie one behind the other; rows of a warp's lanes, and of registers, are interleaved, so that lanes that
 * name one index of different rows meet in no bank. */
#include "lower_internal.h"

static FactorSet rows_of(const Lower *l, const Value *v) {
    return thread_factors(l, v->domain) | reg_factors(l, v->domain);
}

/* How many rows lie side by side, of so many factors. */
static int64_t beside(const Lower *l, FactorSet rows) {
    int64_t n = 1;
    for (int i = 0; i < l->part->factors.n; i++)
        if (rows >> i & 1 && l->part->factors.at[i]->bind != BIND_WARP) n *= l->part->factors.at[i]->size;
    return n;
}

/* The number of the first element of the row at hand, as a polynomial of digits. */
static Poly row_start(Lower *l, const Stage *bins, const Layout *layout) {
    const FactorSet rows = rows_of(l, bins->out[0]);
    int64_t inner = 1, outer = beside(l, rows) * stage_bins_length(bins);
    Poly p = poly_const(l->ctx, 0);
    for (int i = layout->factors.n - 1; i >= 0; i--) {
        Factor *f = layout->factors.at[i];
        if (!(rows >> f->id & 1) || f->size == 1) continue;
        int64_t *stride = f->bind == BIND_WARP ? &outer : &inner;
        p = poly_add(l->ctx, p, poly_scale(l->ctx, poly_of(&l->env, expr_factor(l->p, f)), *stride));
        *stride *= f->size;
    }
    return p;
}

/* Digits of the axis inside the block, counted as the elements of a row are. */
static Poly along(Lower *l, const Stage *bins, const Layout *layout) {
    Poly p = poly_const(l->ctx, 0);
    for (int i = 0; i < layout->factors.n; i++) {
        Factor *f = layout->factors.at[i];
        if (f->axis != bins->axis || bind_scope(f->bind) == SCOPE_BLOCK || f->size == 1) continue;
        const Expr *at = expr2(l->g, OP_MUL, expr_factor(l->p, f), expr_cast(l->g, TY_I64, f->stride));
        p = poly_add(l->ctx, p, poly_of(&l->env, at));
    }
    return poly_scale(l->ctx, p, beside(l, rows_of(l, bins->out[0])));
}

Poly bins_offset(Lower *l, const Stage *bins, const Layout *layout) {
    return poly_add(l->ctx, row_start(l, bins, layout), along(l, bins, layout));
}

void lower_bins(Lower *l, Stage *s) {
    Value *v = s->out[0];
    const Layout *layout = l->open.layout = stage_layout(l, s);
    const char *T = lower_storage_type(v->type);
    const int64_t n = stage_bins_length(s) * stage_bins_rows(s), bytes = n * type_bits(v->type) / 8;
    SharedTile shape = {.value = v, .elements = n, .loops = l->open.nloops};
    SharedTile *t = tile_of(l, v);
    if (!t) {
        shape.region = region_new(l, s, 0, (bytes + 15) / 16 * 16);
        vec_push(l->ctx, &l->tiles, shape);
        t = &l->tiles.at[l->tiles.n - 1];
    }
    put_write(l, t->region);
    put_declare(l, sym_fmt(l->ctx, "const td_sp<%s>", T), value_name(l, v), " = %c", tile_base(l, t));
    put_do(l, "td_bins_fill<%s, %l>(%n, %c)", T, n, value_name(l, v), expr_code(l, s->expr[0], layout));
    put_barrier(l);
}

bool bins_filled_in(Lower *l, Stage *const *at, int n) {
    bool filled = false;
    for (int i = 0; i < n; i++) {
        const SharedTile *t = at[i]->kind == STAGE_SCATTER ? tile_of(l, at[i]->source) : NULL;
        filled |= (t && t->loops == l->open.nloops) || bins_filled_in(l, at[i]->body.at, at[i]->body.n);
    }
    return filled;
}

/* Threads that differ in what the stage does not have are replicas, of which the first folds. */
static const Code *scatter_guard(Lower *l, const Stage *s, const Layout *layout, FactorSet domain) {
    const FactorSet have = domain | s->source->domain;
    const Code *r = digits_zero(l, layout, thread_factors(l, layout->all) & ~have);
    const Code *inside = axis_predicate(l, layout, have);
    if (inside) r = code_join(l->ctx, r, " && ", inside);
    if (s->cond) r = code_join(l->ctx, r, " && ", code(l->ctx, "(%c)", expr_code(l, s->cond, layout)));
    return r ? r : code(l->ctx, "true");
}

static const Code *fold_function(Lower *l, const Monoid *m) {
    const char *T = lower_value_type(m->type[0]);
    l->args[0] = code(l->ctx, "a");
    l->args[1] = code(l->ctx, "b");
    return code(l->ctx, "[](%s a, %s b) { return (%s)(%c); }", T, T, T, expr_code(l, m->combine[0], l->open.layout));
}

/* Which threads of the block fold into one row: none, lanes of a warp, or several warps. */
typedef enum Meeting { MEET_NOT, MEET_LANES, MEET_WARPS } Meeting;

static Meeting meeting(const Stage *s, const Layout *layout) {
    Meeting m = MEET_NOT;
    for (int i = 0; i < layout->factors.n; i++) {
        const Factor *f = layout->factors.at[i];
        if (bind_scope(f->bind) != SCOPE_THREAD || f->size == 1 || s->source->domain >> f->id & 1) continue;
        const Meeting one = digit_in_warp(f->tid_stride, f->size) ? MEET_LANES : MEET_WARPS;
        if (one > m) m = one;
    }
    return m;
}

/* Adding 1 to a word is one instruction, which adds up lanes that name one: all that count one place are no slower. */
static bool counts(const Stage *s) {
    int64_t n;
    const Type t = s->source->type;
    return s->monoid->kind == MONOID_SUM && type_is_int(t) && type_bits(t) == 32 && expr_is_int(s->expr[0], &n) &&
           n == 1;
}

void lower_scatter(Lower *l, Stage *s) {
    const Stage *bins = s->source->def;
    const Layout *layout = l->open.layout = stage_layout(l, s);
    SharedTile *t = tile_of(l, s->source);
    if (!t) {
        lower_fail(l, "%s is folded into before it is made", s->source->name);
        return;
    }
    const char *T = lower_value_type(s->source->type);
    const FactorSet domain = stage_operands(l->part, layout, s), rows = rows_of(l, s->source);
    const Sym is = sym(l->ctx, "is"), at = sym(l->ctx, "at"), some = sym(l->ctx, "some"), to = sym(l->ctx, "to");
    Factor *f[MAX_FACTORS];
    put_touch(l, t->region, 0, TOUCHED_WRITTEN, 0);
    const int loops = put_ordered_loops(l, f, list_reg_factors(layout, domain | rows, f), false);
    put_block(l);
    put_declare(l, "bool", is, " = %c", scatter_guard(l, s, layout, domain));
    put_declare(l, "const int64_t", at, " = %n ? (int64_t)(%c) - (int64_t)(%c) : -1", is,
                expr_code(l, s->expr[1], layout), poly_code(l, axis_start(l, bins->axis), true));
    put_do(l, "%n = (uint64_t)%n < %l", is, at, stage_bins_length(bins));
    put_declare(l, sym_fmt(l->ctx, "const %s", T), some, " = %n ? (%s)(%c) : (%s)(%c)", is, T,
                expr_code(l, s->expr[0], layout), T, expr_code(l, s->monoid->identity[0], layout));
    const int64_t by = beside(l, rows);
    const Poly start = row_start(l, bins, layout);
    const Code *place = code(l->ctx, "(%n ? (int)%n : 0)", is, at);
    if (by > 1) place = code(l->ctx, "%c * %l", place, by);
    if (start.n) place = code(l->ctx, "%c + (int)(%c)", place, poly_code(l, start, false));
    put_declare(l, sym_fmt(l->ctx, "const td_sp<%s>", T), to, " = %n + (%c)", value_name(l, s->source), place);
    const Meeting m = meeting(s, layout);
    if (m == MEET_WARPS) {
        put_if(l, code_name(l->ctx, is))->braces = INLINE;
        if (counts(s))
            put_do(l, "td_shared_count(td_sp<uint32_t>(%n))", to);
        else
            put_do(l, "%s(%n, %n)", sym_fmt(l->ctx, "td_atomic_%s", monoid_atomic(s->monoid->kind)), to, some);
        put_end(l);
    } else {
        put_do(l, "%s<%s>(%n, %n, %n, %c)", m == MEET_LANES ? "td_bins_fold" : "td_bins_own", T, to, is, some,
               fold_function(l, s->monoid));
    }
    put_end(l);
    put_ends(l, loops);
    if (t->loops == l->open.nloops) put_barrier(l);
}
