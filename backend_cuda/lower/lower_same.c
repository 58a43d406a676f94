/* Lowering, conditions that are the same for all elements of a vector (sched/kernel/uniform.c says when): the access is
 * one of vectors then, behind one test, as `x[i, d + D]` where d < D, or at a place that one test chooses, as
 * `c[d - D + D * (if d < D then 1 else 0)]`. Where that needs something of lengths, the instance of wide accesses is
 * for such lengths alone, and in the others each element has an access and a test of its own. */
#include "ir/expr_is.h"
#include "lower_internal.h"

/* Whether a term is a number of dimensions, times choices of numbers. */
static bool is_chosen(const PolyTerm *t) {
    bool chosen = false;
    for (int k = 0; k < t->degree; k++) {
        const Expr *e = t->atom[k];
        if (!uniform_choice(e) && !expr_over_dims(e)) return false;
        chosen |= uniform_choice(e);
    }
    return chosen;
}

/* The terms of a sum that are chosen, or the others. */
static Poly terms_of(Lower *l, Poly p, bool chosen) {
    Poly some = {0, NEW_N(l->ctx, PolyTerm, p.n + 1), p.failed};
    for (int i = 0; i < p.n; i++)
        if (is_chosen(&p.term[i]) == chosen) some.term[some.n++] = p.term[i];
    return some;
}

void access_place(Lower *l, Access *x, const Stage *s) {
    const Poly all = offset_flat(l, x->layout, s->tensor, s->subs);
    x->offset = terms_of(l, all, false);
    x->chosen = terms_of(l, all, true);
}

/* In terms of axes, as other conditions are written. */
const Code *access_chosen_code(Lower *l, const Access *x, const Stage *s) {
    if (!x->chosen.n) return NULL;
    l->open.first = &x->plan;
    const Code *r = poly_code(l, terms_of(l, poly_offset(&l->env, s->tensor, s->subs), true), true);
    l->open.first = NULL;
    return r;
}

bool access_chosen_once(Lower *l, const Access *x) {
    const Expr *by = uniform_choosing(l->g, x->chosen);
    FactorSet set = by ? reg_factors(l, expr_domain(l->part, x->layout, by)) : 0;
    for (int i = 0; i < x->plan.nv; i++)
        if (x->plan.part[i] == x->plan.f[i]->size) set &= ~((FactorSet)1 << x->plan.f[i]->id);
    return !set;
}

/* An axis that starts early has indices that begin nowhere at multiples. */
FactorSet access_under(Lower *l, Access *x, const Stage *s) {
    FactorSet early = 0;
    x->cond = uniform_choosing(l->g, x->chosen);
    if (s->cond) x->cond = expr_and(l->g, x->cond, offset_expand(l, x->layout, s->cond));
    if (!x->cond) return ~(FactorSet)0;
    for (int i = 0; i < l->part->axes.n; i++)
        if (l->part->axes.at[i]->peel) early |= layout_axis_factors(x->layout, l->part->axes.at[i]);
    return ~(early & expr_domain(l->part, x->layout, x->cond));
}

bool access_same(Lower *l, const Access *x, UniformNeeds *needs) {
    const UniformVector v = {x->plan.nv, x->plan.f, x->plan.part};
    needs->n = 0;
    return !x->cond || uniform_condition(&l->env, l->part, x->layout, x->cond, v, needs);
}

void access_ask_same(Lower *l, Access *x, const UniformNeeds *needs) {
    for (int i = 0; i < needs->n; i++)
        offset_ask(l, (AlignCond){.dims = poly_expr(l->g, needs->at[i].dims), .mod = needs->at[i].of});
    if (needs->n) x->each = NEW(l->ctx, Access);
}

void access_each(Lower *l, Access *x, const Stage *s, FactorSet domain) {
    if (!x->each) return;
    *x->each = *x;
    access_place(l, x->each, s); /* a row's is another */
    x->each->each = NULL;
    x->each->row = NULL;
    x->each->tail = TAIL_NONE;
    x->each->vaxis = NULL;
    x->each->apart = x->each->across = x->each->cut = false;
    vector_plan(l, x->each->offset, x->layout, (VecLimits){domain, 0, 1, true}, &x->each->plan);
}

const Code *access_cond_code(Lower *l, const Access *x, const Expr *cond) {
    l->open.first = &x->plan;
    const Code *r = expr_code(l, cond, x->layout);
    l->open.first = NULL;
    return r;
}
