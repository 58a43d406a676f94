/* Lowering, rows: an axis f that is all axes of some tensors made one (flat.c) reads a row of others at f % n,
 * which is f - n * (f / n). Elements of a vector of f are neighbours there too, up to the end of the row; where n is a
 * multiple of the vector, which is a condition of the instance of whole vectors, none crosses it. Of tensors that have
 * an element a row it reads f / n: one for a whole vector where n is known to be a multiple, else one for each row that
 * a vector has elements of. That is no condition: with it, all other accesses would be of single elements where rows
 * are not such a multiple.
 *
 * Rows may also lie apart, as planes of a channel that a fold has along one axis with those of a batch
 * (partition_folds.c): then f % n is read from a place that jumps from each of them to the next. */
#include "ir/expr_is.h"
#include "lower_internal.h"

/* The offset as rest + first - n * (first / n), or as rest + step * (first / n), for one quotient in it; where rows lie
 * apart, as the first of these and jump * (first / n). */
static bool split_row(Lower *l, Poly offset, const Expr *quotient, bool apart, Access *x, Poly *rest) {
    Poly coef, less, n = poly_of(&l->env, quotient->arg[1]);
    x->first = poly_of(&l->env, quotient->arg[0]);
    if (n.failed || x->first.failed || !poly_linear(l->ctx, offset, quotient, &coef, &less)) return false;
    bool row = poly_eq(coef, poly_scale(l->ctx, n, -1));
    if (apart && row) return false;
    *rest = row || apart ? poly_sub(l->ctx, less, x->first) : less;
    if (apart) x->jump = poly_add(l->ctx, coef, n);
    if (!row && !apart) x->step = coef;
    return (row || offset_over_dims(coef)) && !rest->failed && !x->jump.failed;
}

/* Whether each of a vector's jumps is as many rows, or as many vectors. */
static bool jumps_alike(Poly jump, Poly row, int64_t V) {
    bool rows = row.n == 1;
    for (int i = 0; i < jump.n && rows; i++) {
        int found = 0;
        for (int k = 0; k < jump.term[i].degree && found < row.term[0].degree; k++)
            found += jump.term[i].atom[k] == row.term[0].atom[found];
        rows = found == row.term[0].degree && jump.term[i].coef % row.term[0].coef == 0;
    }
    return !jump.n || rows || poly_divisor(jump) % V == 0;
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
           poly_divisor(vector_starts(l, x->first, &x->plan)) % x->plan.part[0] == 0;
}

/* The access by vectors of a row, for one quotient in its offset. */
static bool plan_quotient(Lower *l, Access *x, const Expr *e, bool apart, FactorSet domain, FactorSet may) {
    Access in = {.tensor = x->tensor, .layout = x->layout, .cond = x->cond};
    UniformNeeds needs;
    Poly rest;
    int64_t n;
    if (!split_row(l, x->offset, e, apart, &in, &rest)) return false;
    in.offset = poly_add(l->ctx, rest, in.first);
    if (!plan_row(l, &in, domain, may) || depends(l, x->layout, rest, in.plan.f[0]->axis)) return false;
    if (!in.step.n && !offset_aligned(l, rest, in.plan.V, false)) return false;
    const Poly row = poly_of(&l->env, e->arg[1]);
    if (!jumps_alike(in.jump, row, in.plan.V) || !access_same(l, &in, &needs)) return false;
    access_ask_same(l, &in, &needs);
    in.row = e->arg[1];
    in.domain = x->domain;
    const bool whole = poly_divisor(row) % in.plan.V == 0;
    in.cut = !whole && (in.step.n || poly_is_const(row, &n));
    if (!in.step.n) {
        offset_aligned(l, rest, in.plan.V, true);
        offset_ask(l, (AlignCond){.tensor = x->tensor, .mod = in.plan.V * type_bits(x->tensor->type) / 8});
    }
    if (!in.cut && !whole) offset_ask(l, (AlignCond){.dims = in.row, .mod = in.plan.V, .whole = true});
    l->needs.wide = true;
    *x = in;
    return true;
}

static bool try_row(Lower *l, Access *x, const Expr *e, FactorSet domain, FactorSet may) {
    if (e->op != OP_DIV || !expr_over_dims(e->arg[1])) return false;
    return plan_quotient(l, x, e, false, domain, may) || plan_quotient(l, x, e, true, domain, may);
}

void access_rows(Lower *l, Access *x, FactorSet domain, FactorSet may) {
    if (x->plan.V > 1 || x->offset.failed || x->chosen.n || type_bits(x->tensor->type) < 8) return;
    for (int i = 0; i < x->offset.n; i++)
        for (int d = 0; d < x->offset.term[i].degree; d++)
            if (try_row(l, x, x->offset.term[i].atom[d], domain, may)) return;
}
