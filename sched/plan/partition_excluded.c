/* Sums of products under a condition on indices (the scores that a query may see, taps of a filter that fit). A library
 * sums all of them, so that the factor that has the condition's indices is stored as 0 where the condition does not
 * hold, and all that the other one loads must be there without it. What is excluded must not show, and 0 times an
 * infinity or NaN is NaN: before it counts, the other factor is asked whether all of its elements are finite. Where one
 * is not, a kernel computes the sum as it is written and stores it over the library's; else that kernel has nothing to
 * do.
 *
 *   fits = max over the other factor's elements of: 0 where it is finite, else the length of the sum
 *   t[i, j] = sum[k](t1[i, k] * b[k, j])                            the library's, t1 = if c then a else 0
 *   t[i, j] = sum[k where c && k < fits](t1[i, k] * b[k, j]) where 0 < fits
 */
#include "partition.h"
#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "ir/poly/poly.h"

/* The factor that has all the condition's indices; if none has, the larger one, which gets the others as well. */
static int factor_of(Partition *x, const Expr *cond, const Expr *body) {
    const ExprVars *c = expr_free(&x->free, cond);
    int most = 0, has[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < c->n; k++) has[i] += expr_vars_have(expr_free(&x->free, body->arg[i]), c->vars[k]);
    if (has[1] > has[0]) most = 1;
    return most;
}

static Found may_be_outside(const Expr *e, const void *env) {
    return e->op == OP_LOAD && !expr_load_inside(env, e) ? FOUND : FOUND_INSIDE;
}

/* All that e loads is there where the condition does not hold, too. */
static bool is_inside(Partition *x, const Expr *e) {
    const PolyEnv env = {.g = x->g};
    ExprSet seen = {0};
    return !expr_find(x->temp, &seen, e, may_be_outside, &env);
}

bool partition_excludes(Partition *x, const Expr *e, Excluding *out) {
    Graph *g = x->g;
    ProductSum s;
    int64_t always;
    if (e->op != OP_REDUCE || e->u.reduce->monoid->kind != MONOID_SUM || e->arg[1]->op != OP_MUL) return false;
    const Expr *cond = e->arg[0], *body = e->arg[1];
    if (expr_is_int(cond, &always) || !type_is_float(body->type) || expr_has(cond, expr_test_data, NULL)) return false;
    const Expr *f[2] = {body->arg[0], body->arg[1]};
    int i = factor_of(x, cond, body);
    if (!is_inside(x, f[1 - i])) i = 1 - i; /* which the condition protects then */
    f[i] = expr3(g, OP_IF, cond, f[i], expr_float(g, body->type, 0));
    *out = (Excluding){.sum = e, .cond = cond, .factor = i};
    out->product = expr_reduce(g, e->u.reduce, NULL, expr2(g, OP_MUL, f[0], f[1]));
    return product_sum(g, out->product, &s, NULL) && is_inside(x, f[1 - i]);
}

/* A load with an index of its own for each subscript that is none: of keys that several heads share, k[b, h / R, j, d],
 * each element once. */
static const Expr *each_once(Graph *g, const Expr *e) {
    const Expr *subs[MAX_RANK];
    while (e->op == OP_CAST) e = e->arg[0];
    if (e->op != OP_LOAD) return e;
    for (int d = 0; d < e->nargs; d++) {
        const Var all = {.lo = expr_int(g, TY_I64, 0), .hi = e->u.tensor->shape[d]};
        const bool plain = e->arg[d]->op == OP_VAR || expr_has(e->arg[d], expr_test_data, NULL);
        subs[d] = plain ? e->arg[d] : expr_var(g, graph_place_var(g, PLACE_FOLD, d, sym_fmt(g->ctx, "all%d", d), &all));
    }
    return expr_load(g, e->u.tensor, subs);
}

/* How far the first variable of the sum has to be walked: not at all where all elements of e are finite. */
static const Expr *fits_of(Partition *x, const Expr *e, const Var *v) {
    Graph *g = x->g;
    const Type t = e->type;
    e = expr_cast(g, t, each_once(g, e));
    const ExprVars *over = expr_free(&x->free, e);
    Reduce *r = NEW(g->ctx, Reduce);
    *r = (Reduce){.monoid = monoid_row(MONOID_MAX), .vars = NEW_N(g->ctx, Var *, over->n + 1), .nvars = over->n};
    for (int i = 0; i < over->n; i++) r->vars[i] = over->vars[i];
    return expr_reduce(g, r, NULL, expr3(g, OP_IF, expr1(g, OP_ISFINITE, e), v->lo, v->hi));
}

bool partition_repair(Partition *x, Excluding *c, const Equation *root, Equation *repair) {
    Graph *g = x->g;
    const Expr *sum = root->value;
    while (sum->op == OP_CAST) sum = sum->arg[0];
    const Var *v = sum->u.reduce->vars[0];
    if (!c->fits) c->fits = fits_of(x, sum->arg[1]->arg[1 - c->factor], v);
    const Expr *fits = partition_stored(x, c->fits, root, "whether what a product excludes is finite");
    if (!fits) return false;
    expr_uncast(fits)->u.tensor->usually_zero = true;
    const Expr *walked = expr2(g, OP_LT, expr_var(g, sum->u.reduce->vars[0]), fits);
    const Expr *rest = expr_reduce(g, sum->u.reduce, expr_and(g, c->cond, walked), sum->arg[1]);
    *repair = *root;
    repair->value = expr_replace(g, root->value, &sum, &rest, 1);
    repair->guard = expr2(g, OP_LT, v->lo, fits);
    return true;
}
