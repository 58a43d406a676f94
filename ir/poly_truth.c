/* Whether conditions hold: comparisons of integers by the bounds of differences (poly_prove.c), &&, || and !, and what
 * the environment states word for word. */
#include "poly_prove.h"

static bool at_least(const PolyEnv *env, Poly a, Poly b, int64_t k) { /* a >= b + k */
    Ctx *ctx = poly_ctx(env);
    return poly_nonneg(env, poly_sub(ctx, poly_sub(ctx, a, b), poly_const(ctx, k)));
}

static int less_truth(const PolyEnv *env, Poly a, Poly b, int64_t k) { /* a + k <= b */
    if (at_least(env, b, a, k)) return 1;
    return at_least(env, a, b, 1 - k) ? 0 : -1;
}

static int equal_truth(const PolyEnv *env, Poly a, Poly b) {
    Ctx *ctx = poly_ctx(env);
    Poly d = poly_sub(ctx, a, b);
    int64_t v, c = poly_constant(d);
    if (poly_is_const(d, &v)) return v == 0;
    if (d.failed) return -1;
    Poly rest = poly_sub(ctx, d, poly_const(ctx, c));
    int64_t step = poly_divisor(rest);
    if (step > 1 && c % step) return 0;
    if (at_least(env, a, b, 1) || at_least(env, b, a, 1)) return 0;
    return at_least(env, a, b, 0) && at_least(env, b, a, 0) ? 1 : -1;
}

static int logic_truth(const PolyEnv *env, const Expr *c, int depth);

static int truth(const PolyEnv *env, const Expr *c, int depth) {
    int64_t v;
    if (expr_is_int(c, &v)) return v != 0;
    for (int i = 0; i < env->nfacts; i++) {
        if (env->facts[i] == c) return 1;
        if (env->facts[i]->op == OP_NOT && env->facts[i]->arg[0] == c) return 0;
    }
    if (depth <= 0) return -1;
    if (c->op == OP_AND || c->op == OP_OR || c->op == OP_NOT) return logic_truth(env, c, depth);
    if (op_rule(c->op) != RULE_COMPARE || type_class(c->arg[0]->type) == CLASS_FLOAT) return -1;
    Poly a = poly_of(env, expr_cast(env->g, TY_I64, c->arg[0]));
    Poly b = poly_of(env, expr_cast(env->g, TY_I64, c->arg[1]));
    int e;
    switch (c->op) {
    case OP_LT: return less_truth(env, a, b, 1);
    case OP_LE: return less_truth(env, a, b, 0);
    case OP_GT: return less_truth(env, b, a, 1);
    case OP_GE: return less_truth(env, b, a, 0);
    case OP_EQ: return equal_truth(env, a, b);
    case OP_NE: e = equal_truth(env, a, b); return e < 0 ? -1 : !e;
    default: return -1;
    }
}

/* The right operand of && is asked where the left holds, that of || where it does not. */
static int logic_truth(const PolyEnv *env, const Expr *c, int depth) {
    int a = truth(env, c->arg[0], depth - 1);
    if (c->op == OP_NOT) return a < 0 ? -1 : !a;
    int decides = c->op == OP_OR;
    if (a == decides) return a;
    Graph *g = env->g;
    const Expr **facts = NEW_N(poly_ctx(env), const Expr *, env->nfacts + 1);
    for (int i = 0; i < env->nfacts; i++) facts[i] = env->facts[i];
    facts[env->nfacts] = c->op == OP_AND ? c->arg[0] : expr1(g, OP_NOT, c->arg[0]);
    PolyEnv inner = *env;
    inner.facts = facts;
    inner.nfacts++;
    int b = truth(&inner, c->arg[1], depth - 1);
    if (b == decides) return b;
    return a >= 0 && b >= 0 ? !decides : -1;
}

int poly_truth(const PolyEnv *env, const Expr *cond) {
    PolyEnv own = *env;
    own.ctx = ctx_temp(poly_ctx(env));
    own.made = NULL;
    int r = truth(&own, cond, 16);
    ctx_temp_end(own.ctx);
    return r;
}

int cond_truth(const PolyEnv *env, const Expr *cond) {
    int r = poly_truth(env, cond);
    return r >= 0 && poly_holds_at_zero(env, cond, r) ? r : -1;
}

bool expr_nonneg(const PolyEnv *env, const Expr *e) {
    if (!poly_nonneg(env, poly_of(env, e))) return false;
    return poly_holds_at_zero(env, expr2(env->g, OP_GE, e, expr_int(env->g, TY_I64, 0)), 1);
}
