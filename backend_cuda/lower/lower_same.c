/* Lowering, conditions that are the same for all elements of a vector (sched/kernel/uniform.c says when): the access is
 * one of vectors then, behind one test, as `x[i, d + D]` where d < D. Where that needs something of lengths, the
 * instance of wide accesses is for such lengths alone, and in the others each element has an access and a test of its
 * own. */
#include "lower_internal.h"

/* An axis that starts early has indices that begin nowhere at multiples. */
FactorSet access_under(Lower *l, Access *x, const Stage *s) {
    if (!s->cond) return ~(FactorSet)0;
    FactorSet early = 0;
    for (int i = 0; i < l->part->axes.n; i++)
        if (l->part->axes.at[i]->peel) early |= layout_axis_factors(x->layout, l->part->axes.at[i]);
    x->cond = offset_expand(l, x->layout, s->cond);
    return ~(early & expr_domain(l->part, x->layout, s->cond));
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
    x->each->offset = offset_flat(l, x->layout, s->tensor, s->subs); /* a row's is another */
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
