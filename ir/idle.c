/* Variables of reductions that nothing in them depends on: `max[j in 0..M, k](x[k])` folds each element of x M times,
 * which is M times the work of folding it once. An idempotent monoid gives the same without the variable; a sum is as
 * often as much as the variable has values. Where it has none the reduction is of nothing, whatever the others have. */
#include "expr_is.h"
#include "expr_walk.h"
#include "monoid.h"
#include "rewrite.h"

static bool names_var(Ctx *temp, const Expr *e, Var *v) {
    ExprSet seen = {0};
    return expr_find(temp, &seen, e, expr_test_var, v) != NULL;
}

static bool is_idle(Ctx *temp, const Expr *e, int i) {
    const Reduce *r = e->u.reduce;
    bool named = false;
    for (int k = 0; k < e->nargs && !named; k++) named = names_var(temp, e->arg[k], r->vars[i]);
    for (int k = i + 1; k < r->nvars && !named; k++)
        named = names_var(temp, r->vars[k]->lo, r->vars[i]) || names_var(temp, r->vars[k]->hi, r->vars[i]);
    return !named;
}

/* The last one, or -1. */
static int idle_var(Ctx *ctx, const Expr *e) {
    Ctx *temp = ctx_temp(ctx);
    int i = e->u.reduce->nvars - 1;
    while (i >= 0 && !is_idle(temp, e, i)) i--;
    ctx_temp_end(temp);
    return i;
}

/* Whether how many values variable i has is up to the variables before it. */
static bool varies(Ctx *ctx, const Reduce *r, int i) {
    Ctx *temp = ctx_temp(ctx);
    bool found = false;
    for (int k = 0; k < i && !found; k++)
        found = names_var(temp, r->vars[i]->lo, r->vars[k]) || names_var(temp, r->vars[i]->hi, r->vars[k]);
    ctx_temp_end(temp);
    return found;
}

static const Expr *has_values(Graph *g, const Var *v) { return expr2(g, OP_LT, v->lo, v->hi); }

/* The truth of "variable i has values" where something is folded: the others have some, and the guard holds. */
static int has_values_truth(const PolyEnv *env, const Expr *e, int i) {
    const Reduce *r = e->u.reduce;
    PolyEnv inside = poly_with_fact(env, e->arg[0]);
    for (int k = 0; k < r->nvars; k++)
        if (k != i) inside = poly_with_fact(&inside, has_values(env->g, r->vars[k]));
    return cond_truth(&inside, has_values(env->g, r->vars[i]));
}

/* How many values it has, as t. */
static const Expr *values_of(const PolyEnv *env, const Var *v, Type t) {
    const Expr *n = expr2(env->g, OP_SUB, v->hi, v->lo);
    if (!expr_nonneg(env, n)) n = expr2(env->g, OP_MAX, n, expr_int(env->g, TY_I64, 0));
    return expr_cast(env->g, t, n);
}

static const Expr *without_var(Graph *g, const Reduce *r, int i, const Expr *guard, const Expr *body) {
    Reduce *n = NEW(g->ctx, Reduce);
    *n = *r;
    n->nvars = 0;
    n->vars = NEW_N(g->ctx, Var *, r->nvars);
    for (int k = 0; k < r->nvars; k++)
        if (k != i) n->vars[n->nvars++] = r->vars[k];
    return expr_reduce(g, n, guard, body);
}

/* times * e. A sum of nothing else begins with 0, which takes the sign of a zero away. */
static const Expr *repeated(Graph *g, const Expr *times, const Expr *e, bool is_sum) {
    const Expr *all = expr2(g, OP_MUL, times, e);
    bool signs = !is_sum && type_is_float(e->type) && (e->op != OP_CONST || e->u.f == 0);
    return signs ? expr2(g, OP_ADD, all, expr_float(g, e->type, 0)) : all;
}

const Expr *expr_without_idle(const PolyEnv *env, const Expr *e) {
    enum { MOST = 2 * MAX_RANK /* variables: each that goes costs a proof about all others */ };
    if (e->op != OP_REDUCE || e->u.reduce->nvars > MOST) return NULL;
    Graph *g = env->g;
    const Reduce *r = e->u.reduce;
    if (monoid_declared(r->monoid) || r->monoid->indexed) return NULL;
    const bool is_sum = r->monoid->kind == MONOID_SUM;
    if (!is_sum && !monoid_idempotent(r->monoid->kind)) return NULL;
    const int i = idle_var(g->ctx, e);
    if (i < 0) return NULL;
    const Expr *identity = monoid_identity(g, r->monoid->kind, e->type);
    const int truth = has_values_truth(env, e, i);
    if (truth == 0) return identity;
    const Expr *some = truth > 0 ? NULL : has_values(g, r->vars[i]), *guard = e->arg[0], *value = e->arg[1];
    const Expr *times = is_sum ? values_of(env, r->vars[i], e->type) : NULL;
    if (r->nvars == 1) {
        if (times) value = repeated(g, times, value, false);
        return expr3(g, OP_IF, some ? expr_and(g, some, guard) : guard, value, identity);
    }
    if (varies(g->ctx, r, i)) {
        if (some) guard = expr_and(g, some, guard);
        return without_var(g, r, i, guard, times ? expr2(g, OP_MUL, times, value) : value);
    }
    value = without_var(g, r, i, guard, value);
    if (times) value = repeated(g, times, value, true);
    return some ? expr3(g, OP_IF, some, value, identity) : value;
}
