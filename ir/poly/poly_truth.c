/* Whether conditions hold: comparisons of integers by the bounds of differences (poly_prove.c), &&, || and !, and what
 * the environment states word for word. */
#include "poly_prove.h"

#include "ir/expr_is.h"
#include "ir/expr_walk.h"

static bool at_least(const PolyEnv *env, Poly a, Poly b, int64_t k) { /* a >= b + k */
    Ctx *ctx = poly_ctx(env);
    return poly_nonneg(env, poly_sub(ctx, poly_sub(ctx, a, b), poly_const(ctx, k)));
}

static int less_truth(const PolyEnv *env, Poly a, Poly b, int64_t k) { /* a + k <= b */
    if (at_least(env, b, a, k)) return 1;
    return at_least(env, a, b, 1 - k) ? 0 : -1;
}

/* By how much the term changes from one value of its variables to the next: K of K*i. */
static PolyTerm stride_of(const PolyTerm *t) {
    PolyTerm r = {.coef = t->coef < 0 ? -t->coef : t->coef};
    for (int i = 0; i < t->degree; i++)
        if (t->atom[i]->op == OP_DIM) r.atom[r.degree++] = t->atom[i];
    return r.degree < t->degree ? r : (PolyTerm){.coef = 1};
}

/* p is a sum of multiples of the stride and of a rest that lies between two of them. */
static bool between_multiples(const PolyEnv *env, Poly p, PolyTerm stride) {
    Ctx *ctx = poly_ctx(env);
    Poly rest = {0}, step = {.n = 1, .term = &stride}, one = poly_const(ctx, 1);
    if (stride.coef == 1 && stride.degree == 0) return false;
    for (int i = 0; i < p.n; i++) {
        PolyTerm t = p.term[i], whole;
        if (t.coef % stride.coef == 0 && term_divide(&t, &stride, &whole)) continue;
        if (!t.degree && !stride.degree) t.coef = floor_mod(t.coef, stride.coef);
        rest = poly_add(ctx, rest, (Poly){.n = 1, .term = &t});
    }
    for (int side = 0; side < 2 && rest.n && !rest.failed; side++, rest = poly_scale(ctx, rest, -1))
        if (poly_nonneg(env, poly_sub(ctx, rest, one)) &&
            poly_nonneg(env, poly_sub(ctx, poly_sub(ctx, step, rest), one)))
            return true;
    return false;
}

bool poly_never_zero(const PolyEnv *env, Poly p) {
    Ctx *ctx = poly_ctx(env);
    int64_t c = poly_constant(p);
    if (p.failed) return false;
    int64_t step = poly_divisor(poly_sub(ctx, p, poly_const(ctx, c)));
    if (step > 1 && c % step) return true;
    if (poly_nonneg(env, poly_sub(ctx, p, poly_const(ctx, 1)))) return true;
    if (poly_nonneg(env, poly_sub(ctx, poly_scale(ctx, p, -1), poly_const(ctx, 1)))) return true;
    for (int i = 0; i < p.n; i++)
        if (between_multiples(env, p, stride_of(&p.term[i]))) return true;
    return false;
}

static int equal_truth(const PolyEnv *env, Poly a, Poly b) {
    Poly d = poly_sub(poly_ctx(env), a, b);
    int64_t v;
    if (poly_is_const(d, &v)) return v == 0;
    if (d.failed) return -1;
    if (poly_never_zero(env, d)) return 0;
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
    PolyEnv inner = poly_with_fact(env, c->op == OP_AND ? c->arg[0] : expr1(env->g, OP_NOT, c->arg[0]));
    int b = truth(&inner, c->arg[1], depth - 1);
    if (b == decides) return b;
    return a >= 0 && b >= 0 ? !decides : -1;
}

int poly_truth(const PolyEnv *env, const Expr *cond) {
    PolyEnv own = poly_scratch(env);
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

/* A divisor may be 0: a proof takes for granted that it is not, where a condition may be what sees to that. */
static Found may_divide_by_zero(const Expr *e, const void *user) {
    const PolyEnv *env = user;
    if (e->op != OP_DIV && e->op != OP_MOD) return FOUND_INSIDE;
    Poly less = poly_sub(poly_ctx(env), poly_of(env, e->arg[1]), poly_const(poly_ctx(env), 1));
    return poly_nonneg(env, less) ? FOUND_INSIDE : FOUND;
}

bool expr_load_within(const PolyEnv *env, const Expr *load) {
    Ctx *temp = ctx_temp(env->g->ctx);
    PolyEnv here = *env;
    here.ctx = temp;
    bool in = !load->u.tensor->partial;
    for (int i = 0; i < load->nargs && in; i++) {
        Poly p = poly_of(&here, load->arg[i]), size = poly_of(&here, load->u.tensor->shape[i]);
        Poly room = poly_sub(temp, poly_sub(temp, size, p), poly_const(temp, 1));
        in = poly_nonneg(&here, p) && poly_nonneg(&here, room) && !expr_has(load->arg[i], may_divide_by_zero, &here);
    }
    ctx_temp_end(temp);
    return in;
}

bool expr_load_inside(const PolyEnv *env, const Expr *load) {
    bool indices = true;
    for (int i = 0; i < load->nargs && indices; i++) indices = !expr_has(load->arg[i], expr_test_data, NULL);
    return indices && expr_load_within(env, load);
}
