/* Lowering, rows: an axis f that is all axes of some tensors made one (flat.c) reads a row of others at f % n,
 * which is f - n * (f / n). Elements of a vector of f are neighbours there too, up to the end of the row; where n is a
 * multiple of the vector, which is a condition of the instance of whole vectors, none crosses it. Of tensors that have
 * an element a row it reads f / n: one for a whole vector where n is known to be a multiple, else one for each row that
 * a vector has elements of. That is no condition: with it, all other accesses would be of single elements where rows
 * are not such a multiple. */
#include "ir/expr_is.h"
#include "lower_internal.h"

/* The offset as rest + first - n * (first / n), or as rest + step * (first / n), for one quotient in it. */
static bool split_row(Lower *l, Poly offset, const Expr *quotient, Access *x, Poly *rest) {
    Poly coef, less, n = poly_of(&l->env, quotient->arg[1]);
    x->first = poly_of(&l->env, quotient->arg[0]);
    if (n.failed || x->first.failed || !poly_linear(l->ctx, offset, quotient, &coef, &less)) return false;
    bool row = poly_eq(coef, poly_scale(l->ctx, n, -1));
    *rest = row ? poly_sub(l->ctx, less, x->first) : less;
    if (!row) x->step = coef;
    return (row || offset_over_dims(coef)) && !rest->failed;
}

static bool depends(const Lower *l, const Layout *layout, Poly p, const Axis *a) {
    for (int i = 0; i < p.n; i++)
        for (int d = 0; d < p.term[i].degree; d++)
            if (expr_domain(l->part, layout, p.term[i].atom[d]) & layout_axis_factors(layout, a)) return true;
    return false;
}

/* The vectors are those of `first`, which must start at multiples of one. An element a row is no access of a vector,
 * and may stand for one of any length. */
static bool plan_row(Lower *l, Access *x, FactorSet domain, FactorSet may) {
    enum { LONGEST = 16 };
    int64_t bits = type_bits(x->tensor->type);
    VecLimits limits = {domain, may, x->step.n ? LONGEST : 128 / bits, true};
    vector_plan(l, x->offset, x->layout, limits, &x->plan);
    return x->plan.V > 1 && x->plan.nv == 1 &&
           poly_divisor(vector_starts(l, x->offset, &x->plan)) % x->plan.part[0] == 0;
}

void access_rows(Lower *l, Access *x, FactorSet domain, FactorSet may) {
    int64_t n;
    if (x->plan.V > 1 || x->offset.failed || x->chosen.n || type_bits(x->tensor->type) < 8) return;
    for (int i = 0; i < x->offset.n; i++)
        for (int d = 0; d < x->offset.term[i].degree; d++) {
            const Expr *e = x->offset.term[i].atom[d];
            Access in = {.tensor = x->tensor, .layout = x->layout, .cond = x->cond};
            UniformNeeds needs;
            Poly rest;
            if (e->op != OP_DIV || !expr_over_dims(e->arg[1]) || !split_row(l, x->offset, e, &in, &rest)) continue;
            in.offset = poly_add(l->ctx, rest, in.first);
            if (!plan_row(l, &in, domain, may) || depends(l, x->layout, rest, in.plan.f[0]->axis)) continue;
            if (!in.step.n && !offset_aligned(l, rest, in.plan.V, false)) continue;
            if (!access_same(l, &in, &needs)) continue;
            access_ask_same(l, &in, &needs);
            in.row = e->arg[1];
            in.domain = x->domain;
            const Poly row = poly_of(&l->env, in.row);
            const bool whole = poly_divisor(row) % in.plan.V == 0;
            in.cut = !whole && (in.step.n || poly_is_const(row, &n));
            if (!in.step.n) {
                offset_aligned(l, rest, in.plan.V, true);
                offset_ask(l, (AlignCond){.tensor = x->tensor, .mod = in.plan.V * type_bits(x->tensor->type) / 8});
            }
            if (!in.cut && !whole) offset_ask(l, (AlignCond){.dims = in.row, .mod = in.plan.V, .whole = true});
            l->needs.wide = true;
            *x = in;
            return;
        }
}
