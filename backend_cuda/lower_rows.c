/* Lowering, rows: an axis f that is all axes of some tensors made one (sched/flat.c) reads a row of others at f % n,
 * which is f - n * (f / n). Where n is a multiple of a vector and the vector starts at one, the quotient is the same
 * for all its elements, which then lie together: a condition on dimensions, decided at run time for each access. */
#include "ir/hull.h"
#include "lower_internal.h"

/* The vector of a quotient's numerator, and what remains of that, a multiple of the vector. */
static const Factor *vector_of(Lower *l, const Layout *layout, Poly p, Poly *rest) {
    for (int i = 0; i < layout->factors.n; i++) {
        Factor *f = layout->factors.at[i];
        Poly coef;
        int64_t c;
        if (f->bind != BIND_VEC || !poly_linear(l->ctx, p, expr_factor(l->p, f), &coef, rest)) continue;
        if (poly_is_const(coef, &c) && c == 1 && poly_divisor(*rest) % f->size == 0) return f;
    }
    return NULL;
}

/* Replaces one quotient of the offset by that of the vector's first element. */
static bool replace_quotient(Lower *l, Access *x, const Expr *e) {
    Poly first, coef, rest, n = poly_of(&l->env, e->arg[1]), free;
    int64_t size, c;
    const Factor *f = vector_of(l, x->layout, poly_of(&l->env, e->arg[0]), &first);
    if (!f || n.failed || !poly_linear(l->ctx, x->offset, e, &coef, &rest)) return false;
    size = f->size;
    if (poly_is_const(n, &c) && c % size) return false;
    Poly q = poly_of(&l->env, expr2(l->g, OP_DIV, poly_expr(l->g, first), e->arg[1]));
    free = poly_mul(l->ctx, coef, q);
    x->offset = poly_add(l->ctx, rest, free);
    if (poly_eq(coef, n) || poly_eq(coef, poly_scale(l->ctx, n, -1))) x->whole = poly_add(l->ctx, x->whole, free);
    if (poly_divisor(n) % size == 0) return true;
    Sym is = fmt(l, "%s %% %lld == 0", expr_text(l, e->arg[1], x->layout), (long long)size);
    x->rows = x->rows ? fmt(l, "%s && %s", x->rows, is) : is;
    return true;
}

bool lower_rows(Lower *l, const Access *x, Access *in, FactorSet domain, FactorSet may) {
    *in = (Access){.tensor = x->tensor, .layout = x->layout, .offset = x->offset, .whole = poly_const(l->ctx, 0)};
    if (x->plan.V > 1 || x->offset.failed) return false;
    bool any = false;
    for (int i = 0; i < x->offset.n; i++)
        for (int d = 0; d < x->offset.term[i].degree; d++) {
            const Expr *e = x->offset.term[i].atom[d];
            if (e->op == OP_DIV && expr_over_dims(e->arg[1])) any |= replace_quotient(l, in, e);
        }
    if (!any) return false;
    access_vectors(l, in, domain, may);
    return in->plan.V > 1;
}
