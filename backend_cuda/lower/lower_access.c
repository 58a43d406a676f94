/* Lowering, global memory: loads, stores and atomics of register tiles. */
#include "lower_internal.h"

#include <string.h>

static FactorSet subs_domain(Lower *l, const Layout *layout, const Stage *s) {
    FactorSet d = 0;
    for (int i = 0; i < s->tensor->rank; i++) d |= expr_domain(l->part, layout, s->subs[i]);
    return d;
}

/* Prints the pointer that all registers share and returns "name" or "name + offset" at the current digits; of a row,
 * the pointer to its first element. */
Sym pointer_text(Lower *l, Access *x, const Stage *s, bool is_const, bool declare) {
    Poly fixed, varying, offset = x->row ? poly_sub(l->ctx, x->offset, x->first) : x->offset;
    split_regs(l, x->layout, regroup(l, x->layout, drop_vector(l, offset, &x->plan)), &fixed, &varying);
    Sym name = name_of(l, s, fmt(l, "%s_at", x->tensor->name));
    const char *T = lower_storage_type(x->tensor->type);
    if (declare && type_bits(x->tensor->type) < 8)
        put(l, "const auto %s = td_half((%s%s *)%s) + %s;", name, is_const ? "const " : "", T,
            tensor_text(l, x->tensor), poly_text(l, fixed, true));
    else if (declare)
        put(l, "%s%s *const %s = %s%s%s;", is_const ? "const " : "", T, name, tensor_text(l, x->tensor),
            fixed.n ? " + " : "", fixed.n ? poly_text(l, fixed, true) : "");
    return varying.n ? fmt(l, "%s + %s", name, poly_text(l, varying, true)) : name;
}

Sym remaining_text(Lower *l, const Access *x, bool low) {
    const Layout *saved = l->layout;
    l->layout = x->layout;
    Poly i = regroup(l, x->layout, drop_vector(l, poly_of(&l->env, axis_index(l, x->layout, x->vaxis)), &x->plan));
    Poly b = poly_of(&l->env, low ? x->vaxis->lo : x->vaxis->hi);
    Sym r = poly_text(l, poly_scale(l->ctx, poly_sub(l->ctx, b, i), x->vscale), x->vscale != 1);
    l->layout = saved;
    return r;
}

static Sym access_call(Lower *l, const Access *x, const char *verb, const char *into, const char *at, CacheHint cache) {
    const char *a = x->variant ? x->variant : x->plan.V > 1 ? "A" : "1";
    static const char *const suffix[] = {"", "_v", "_n"};
    Sym head = fmt(l, "td_%s%s<%s, %s, %lld, %d>(%s, %s", verb, suffix[x->tail], a, lower_storage_type(x->tensor->type),
                   (long long)x->plan.V, (int)cache, into, at);
    Sym left = x->tail == TAIL_NONE ? NULL : remaining_text(l, x, false);
    if (x->row) {
        Poly first = regroup(l, x->layout, drop_vector(l, x->first, &x->plan));
        Sym step = x->step.n ? fmt(l, "(int64_t)%s, ", poly_text(l, x->step, true)) : "";
        return fmt(l, "td_%s_%s<%s, %s, %lld, %d>(%s, %s, %s(I)%s, (I)%s, %s)", verb, x->step.n ? "outer" : "row", a,
                   lower_storage_type(x->tensor->type), (long long)x->plan.V, (int)cache, into, at, step,
                   poly_text(l, first, true), expr_text(l, x->row, x->layout),
                   left ? left : fmt(l, "%lld", (long long)x->plan.V));
    }
    if (x->tail == TAIL_WHOLE) return fmt(l, "%s, %s)", head, left);
    if (x->tail == TAIL_PART) {
        Sym from = x->vaxis->peel ? remaining_text(l, x, true) : "0";
        return fmt(l, "%s, %s, %s)", head, from, left);
    }
    return fmt(l, "%s)", head);
}

/* Where the vector lands in the value's array: contiguous there (returns true), or element by element. */
bool vector_in_order(Lower *l, const Value *v, const VecPlan *plan) {
    Factor *f[MAX_FACTORS];
    int64_t stride[MAX_FACTORS], want = 1;
    int n = value_order(l, v, f, stride);
    for (int i = 0; i < plan->nv; i++) {
        bool ok = false;
        for (int k = 0; k < n; k++) ok = ok || (f[k] == plan->f[i] && stride[k] == want);
        if (!ok) return false;
        want *= plan->part[i];
    }
    int per = type_bits(v->type) < 32 ? 32 / type_bits(v->type) : 1;
    return plan->V % per == 0; /* whole words */
}

/* The array index with the vector's own digits at 0 (or where the split factors' loops stand). */
Sym index_outside(Lower *l, const Value *v, const VecPlan *plan, int64_t divide) {
    Factor *f[MAX_FACTORS];
    int64_t stride[MAX_FACTORS];
    int n = value_order(l, v, f, stride);
    Text t = {.ctx = l->ctx};
    for (int i = 0; i < n; i++) {
        bool looped = false;
        for (int k = 0; k < plan->nouter; k++) looped = looped || plan->outer[k] == f[i];
        if (!looped) continue;
        if (t.n) text_put(&t, " + ");
        text_fmt(&t, "%s * %lld", factor_text(l, f[i]), (long long)stride[i]);
    }
    if (!t.n) return "0";
    return divide > 1 ? fmt(l, "(%s) / %lld", t.s, (long long)divide) : t.s;
}

/* Opens loops over a vector's elements; their places in the value's array and in the vector. */
static void open_elements(Lower *l, const Value *v, const VecPlan *plan, Text *in_value, Text *in_vector) {
    text_put(in_value, index_outside(l, v, plan, 1));
    text_put(in_vector, "0");
    Factor *f[MAX_FACTORS];
    int64_t stride[MAX_FACTORS], before = 1;
    int n = value_order(l, v, f, stride);
    for (int i = 0; i < plan->nv; i++) {
        put(l, "#pragma unroll");
        put(l, "for (int e%d_ = 0; e%d_ < %lld; e%d_++)", i, i, (long long)plan->part[i], i);
        l->indent++;
        for (int k = 0; k < n; k++)
            if (f[k] == plan->f[i]) text_fmt(in_value, " + e%d_ * %lld", i, (long long)stride[k]);
        text_fmt(in_vector, " + e%d_ * %lld", i, (long long)before);
        before *= plan->part[i];
    }
}

/* Moves a vector's words into the value's array, or out of it. */
static void move_elements(Lower *l, const Value *v, const VecPlan *plan, const char *words, bool into_value) {
    Text at = {.ctx = l->ctx}, e = {.ctx = l->ctx};
    open_elements(l, v, plan, &at, &e);
    if (into_value)
        put(l, "td_move<%s>(%s, %s, %s, %s);", lower_storage_type(v->type), value_name(l, v), at.s, words, e.s);
    else
        put(l, "td_move<%s>(%s, %s, %s, %s);", lower_storage_type(v->type), words, e.s, value_name(l, v), at.s);
    l->indent -= plan->nv;
}

void scatter_elements(Lower *l, const Value *v, const VecPlan *plan, const char *words) {
    move_elements(l, v, plan, words, true);
}

void declare_tile(Lower *l, const Value *v) {
    put(l, "td_word<%s> %s[td_words<%s>(%lld)];", lower_storage_type(v->type), value_name(l, v),
        lower_storage_type(v->type), (long long)reg_count(l, v->domain));
}

static void load_other(Lower *l, const Stage *s, const Value *v, const VecPlan *plan) {
    Sym val = s->other ? expr_text(l, s->other, v->layout) : type_is_float(v->type) ? "0.0f" : "0";
    Text at = {.ctx = l->ctx}, e = {.ctx = l->ctx};
    open_elements(l, v, plan, &at, &e);
    put(l, "td_put<%s>(%s, %s, %s);", lower_storage_type(v->type), value_name(l, v), at.s, val);
    l->indent -= plan->nv;
}

/* Elements outside their axes have no value, but the words they share with others must not be garbage. */
static void load_undef(Lower *l, const Value *v, const VecPlan *plan) {
    const char *T = lower_storage_type(v->type);
    put(l, "td_word<%s> some[td_words<%s>(%lld)];", T, T, (long long)plan->V);
    put(l, "td_undef<%s, %lld>(some);", T, (long long)plan->V);
    scatter_elements(l, v, plan, "some");
}

void lower_load(Lower *l, Stage *s) {
    declare_tile(l, s->out[0]);
    lower_load_into(l, s);
}

static void load_access(Lower *l, Stage *s, Access *x) {
    Value *v = s->out[0];
    Sym at = pointer_text(l, x, s, true, true);
    open_plan_loops(l, &x->plan);
    bool direct = vector_in_order(l, v, &x->plan) && (x->plan.V > 1 || type_bits(v->type) >= 32);
    int64_t per = type_bits(v->type) < 32 ? 32 / type_bits(v->type) : 1;
    if (x->guard) {
        put(l, "if (%s) {", x->guard);
        l->indent++;
    }
    bool whole = direct || reg_count(l, v->domain) == 1;
    Sym idx = direct ? index_outside(l, v, &x->plan, per) : "0";
    Sym into = strcmp(idx, "0") ? fmt(l, "%s + %s", value_name(l, v), idx) : value_name(l, v);
    if (whole) {
        put(l, "%s;", access_call(l, x, "load", into, at, s->cache));
    } else {
        if (!x->guard) put(l, "{"); /* another load may stand beside this one */
        l->indent += !x->guard;
        put(l, "td_word<%s> some[td_words<%s>(%lld)];", lower_storage_type(v->type), lower_storage_type(v->type),
            (long long)x->plan.V);
        put(l, "%s;", access_call(l, x, "load", "some", at, s->cache));
        scatter_elements(l, v, &x->plan, "some");
        l->indent -= !x->guard;
        if (!x->guard) put(l, "}");
    }
    if (x->guard) {
        l->indent--;
        put(l, "} else {");
        l->indent++;
        if (s->cond)
            load_other(l, s, v, &x->plan);
        else if (whole)
            put(l, "td_undef<%s, %lld>(%s);", lower_storage_type(v->type), (long long)x->plan.V, into);
        else
            load_undef(l, v, &x->plan);
        l->indent--;
        put(l, "}");
    }
    close_plan_loops(l, &x->plan);
}

void lower_load_into(Lower *l, Stage *s) {
    Value *v = s->out[0];
    const Layout *layout = v->layout ? v->layout : l->part->layouts.at[0];
    l->layout = layout;
    Access x = {.tensor = s->tensor, .layout = layout};
    FactorSet domain = subs_domain(l, layout, s), cond = s->cond ? expr_domain(l->part, layout, s->cond) : 0;
    x.offset = flat_offset(l, layout, s->tensor, s->subs);
    access_vectors(l, &x, v->domain, ~cond);
    access_rows(l, &x, v->domain, ~cond);
    access_tails(l, &x, domain | cond, s->cond, 0);
    load_access(l, s, &x);
}

/* Gives a factor's digit another name, for the loop inside the loop that steps by whole vectors; returns the old one.
 */
static Sym rename_digit(Lower *l, const Factor *f, Sym name) {
    Sym old = factor_text(l, f);
    for (int i = 0; i < l->names.n; i++)
        if (l->names.at[i].object == f) l->names.at[i].name = name;
    return old;
}

/* Prints the loops that fill `array[V]` with the vector's elements. */
static void gather_elements(Lower *l, const VecPlan *plan, const Expr *e, const Layout *layout, const char *array) {
    Text at = {.ctx = l->ctx};
    int64_t before = 1;
    Sym old[8];
    for (int i = 0; i < plan->nv; i++) {
        bool split = plan->part[i] != plan->f[i]->size;
        old[i] = factor_text(l, plan->f[i]);
        put(l, "#pragma unroll");
        if (i) text_put(&at, " + ");
        if (split) {
            Sym in = rename_digit(l, plan->f[i], fmt(l, "%s_in", old[i])), v = factor_text(l, plan->f[i]);
            put(l, "for (int %s = %s; %s < %s + %lld; %s++)", v, in, v, in, (long long)plan->part[i], v);
            text_fmt(&at, "(%s - %s)", v, in);
        } else {
            put(l, "for (int %s = 0; %s < %lld; %s++)", old[i], old[i], (long long)plan->part[i], old[i]);
            text_put(&at, old[i]);
        }
        l->indent++;
        if (before != 1) text_fmt(&at, " * %lld", (long long)before);
        before *= plan->part[i];
    }
    put(l, "%s[%s] = %s;", array, plan->nv ? at.s : "0", expr_text(l, e, layout));
    l->indent -= plan->nv;
    for (int i = 0; i < plan->nv; i++) rename_digit(l, plan->f[i], old[i]);
}

/* The words of a vector of expression e, ready to be written as elements of type t; prints what makes them. A value of
 * that very type moves as it is. */
Sym vector_words(Lower *l, const VecPlan *plan, const Expr *e, Type t, const Layout *layout) {
    const char *T = lower_storage_type(t);
    const Value *v = e->op == OP_VALUE ? e->u.value : NULL;
    if (v && v->type == t && value_packed(v)) {
        int64_t per = type_bits(t) < 32 ? 32 / type_bits(t) : 1;
        if (vector_in_order(l, v, plan)) return fmt(l, "%s + %s", value_name(l, v), index_outside(l, v, plan, per));
        put(l, "td_word<%s> words[td_words<%s>(%lld)];", T, T, (long long)plan->V);
        move_elements(l, v, plan, "words", false);
        return "words";
    }
    put(l, "%s some[%lld];", c_type(t), (long long)plan->V);
    gather_elements(l, plan, e, layout, "some");
    put(l, "td_word<%s> words[td_words<%s>(%lld)];", T, T, (long long)plan->V);
    put(l, "td_pack<%s, %lld>(words, some);", T, (long long)plan->V);
    return "words";
}

const Layout *stage_layout(const Lower *l, const Stage *s) { return s->layout ? s->layout : l->part->layouts.at[0]; }

static FactorSet replicated_factors(Lower *l, const Layout *layout, FactorSet domain) {
    FactorSet cluster = 0;
    for (int i = 0; i < layout->factors.n; i++)
        if (layout->factors.at[i]->bind == BIND_CLUSTER) cluster |= (FactorSet)1 << layout->factors.at[i]->id;
    return (thread_factors(l, layout->all) | cluster) & ~domain;
}

void lower_store(Lower *l, Stage *s) {
    const Layout *layout = stage_layout(l, s);
    l->layout = layout;
    if (s->path == PATH_BULK) {
        lower_bulk_store(l, s);
        return;
    }
    Access x = {.tensor = s->tensor, .layout = layout};
    FactorSet domain = subs_domain(l, layout, s), cond = s->cond ? expr_domain(l->part, layout, s->cond) : 0;
    x.offset = flat_offset(l, layout, s->tensor, s->subs);
    access_vectors(l, &x, domain, ~cond);
    access_tails(l, &x, domain | cond, s->cond, replicated_factors(l, layout, domain));
    put(l, "{");
    l->indent++;
    Sym at = pointer_text(l, &x, s, false, true);
    open_plan_loops(l, &x.plan);
    if (x.guard) {
        put(l, "if (%s) {", x.guard);
        l->indent++;
    }
    Sym words = vector_words(l, &x.plan, s->expr[0], s->tensor->type, layout);
    put(l, "%s;", access_call(l, &x, "store", at, words, s->cache));
    if (x.guard) {
        l->indent--;
        put(l, "}");
    }
    close_plan_loops(l, &x.plan);
    l->indent--;
    put(l, "}");
}

void lower_atomic(Lower *l, Stage *s) {
    const Layout *layout = stage_layout(l, s);
    l->layout = layout;
    Access x = {.tensor = s->tensor, .layout = layout};
    FactorSet domain = subs_domain(l, layout, s) | expr_domain(l->part, layout, s->expr[0]);
    FactorSet cond = s->cond ? expr_domain(l->part, layout, s->cond) : 0;
    x.offset = flat_offset(l, layout, s->tensor, s->subs);
    plan_vectors(l, x.offset, layout, domain | cond, 0, 1, true, &x.plan);
    access_tails(l, &x, domain | cond, s->cond, replicated_factors(l, layout, domain | cond));
    put(l, "{");
    l->indent++;
    Sym at = pointer_text(l, &x, s, false, true);
    open_plan_loops(l, &x.plan);
    Sym call = fmt(l, "td_atomic_%s(%s, (%s)%s);", monoid_atomic(s->monoid->kind), at,
                   lower_storage_type(s->tensor->type), expr_text(l, s->expr[0], layout));
    if (x.guard)
        put(l, "if (%s) %s", x.guard, call);
    else
        put(l, "%s", call);
    close_plan_loops(l, &x.plan);
    l->indent--;
    put(l, "}");
}
