/* Simplification. Every node is rebuilt from simplified operands and then rewritten until no rule applies; each rule
 * makes it cheaper, so this ends. What an `if`, `&&`, `||` or guard says is known inside of it. */
#include "rewrite.h"

#include "expr_is.h"
#include "expr_walk.h"
#include "ir/poly/poly_prove.h"
#include "pattern.h"

/* ---- the rules as patterns ---- */

typedef struct Rule {
    const Expr *left, *right; /* with OP_ARG leaves 0..4: a b c p q */
} Rule;

struct RuleSet {
    VEC(Rule) of[OP_COUNT]; /* by the operator of left */
};

static const struct {
    RuleTypes types;
    const char *left, *right;
} rule_rows[] = {
#define RULE(name, types, left, right, ulp) {RULES_##types, left, right},
#include "rules.def"
#undef RULE
};

enum { RULE_ARGS = 5 };

static const Expr *read_side(Graph *g, Type t, Type root, const char *text) {
    const Type types[RULE_ARGS] = {t, t, t, TY_BOOL, TY_BOOL};
    return pattern_read(g, text, "abcpq", types, root);
}

/* One for a compilation: patterns are matched by their form. */
static struct RuleSet *rules_of(Graph *g) {
    if (g->ctx->rules) return g->ctx->rules;
    struct RuleSet *set = g->ctx->rules = NEW(g->ctx, struct RuleSet);
    Graph *patterns = graph_new(g->ctx, g->name);
    for (size_t i = 0; i < sizeof rule_rows / sizeof *rule_rows; i++)
        for (int t = 0; t < TY_COUNT; t++) {
            if (!rule_has_type(rule_rows[i].types, (Type)t)) continue;
            Rule r = {.left = read_side(patterns, (Type)t, (Type)t, rule_rows[i].left)};
            if (r.left) r.right = read_side(patterns, (Type)t, r.left->type, rule_rows[i].right);
            if (r.left && r.right) vec_push(g->ctx, &set->of[r.left->op], r);
        }
    return set;
}

static bool match(const Expr *pattern, const Expr *e, const Expr **args) {
    if (pattern->type != e->type) return false;
    if (pattern->op == OP_ARG) {
        const Expr **a = &args[pattern->u.i];
        if (!*a) *a = e;
        return *a == e;
    }
    if (pattern->op != e->op || pattern->nargs != e->nargs || (pattern->op == OP_CONST && pattern->u.i != e->u.i))
        return false;
    for (int i = 0; i < e->nargs; i++)
        if (!match(pattern->arg[i], e->arg[i], args)) return false;
    return true;
}

/* ---- one node ---- */

/* What holds at a place: a memo of what has been simplified there, and the conditions around it. */
typedef struct Simplifier {
    Graph *g;
    PolyEnv env;
    ExprRewrite all; /* simplifies what stands there */
    int nest;
} Simplifier;

enum { MAX_NESTED = 6 /* beyond, conditions are not taken into account inside of themselves */ };

static const Expr *rewrite(Simplifier *s, const Expr *e);
static const Expr *simplify(Simplifier *s, const Expr *e);

static const Expr *instantiate(Simplifier *s, const Expr *pattern, const Expr *const *args) {
    if (pattern->op == OP_ARG) return args[pattern->u.i];
    const Expr *a[3];
    for (int i = 0; i < pattern->nargs; i++) a[i] = instantiate(s, pattern->arg[i], args);
    const Expr *e = expr_node(s->g, pattern->op, pattern->type, false, pattern->u.i, a, pattern->nargs);
    return pattern->nargs ? rewrite(s, e) : e;
}

static const Expr *by_rule(Simplifier *s, const Expr *e) {
    struct RuleSet *set = rules_of(s->g);
    for (int i = 0; i < set->of[e->op].n; i++) {
        const Rule *r = &set->of[e->op].at[i];
        const Expr *args[RULE_ARGS] = {NULL};
        if (match(r->left, e, args)) return instantiate(s, r->right, args);
    }
    return NULL;
}

/* T(U(a)) where U keeps every value of a is T(a); but an integer beyond T saturates when it comes through a float U. */
static const Expr *by_cast(Simplifier *s, const Expr *e) {
    if (e->op != OP_CAST || e->arg[0]->op != OP_CAST) return NULL;
    const Expr *mid = e->arg[0], *a = mid->arg[0];
    if (!type_holds(mid->type, a->type)) return NULL;
    bool saturates = type_is_float(mid->type) && !type_is_float(a->type) && !type_is_float(e->type);
    if (saturates && !type_holds(e->type, a->type)) return NULL;
    return expr_cast(s->g, e->type, a);
}

static Found add_cost(const Expr *e, void *sum) {
    *(int64_t *)sum += e->op == OP_DIV || e->op == OP_MOD ? 8 : 1;
    return FOUND_INSIDE;
}

static int64_t expr_cost(Ctx *ctx, const Expr *e) {
    int64_t sum = 0;
    Ctx *temp = ctx_temp(ctx);
    expr_walk(&(ExprWalk){.temp = temp, .before = add_cost, .user = &sum}, e);
    ctx_temp_end(temp);
    return sum;
}

/* Whether e and its normal form n are equal where a divisor is 0 too. */
static bool equal_at_zero(Simplifier *s, const Expr *e, const Expr *n) {
    return poly_holds_at_zero(&s->env, expr2(s->g, OP_EQ, e, n), 1);
}

/* Index arithmetic in normal form where that is cheaper. */
static const Expr *by_poly(Simplifier *s, const Expr *e) {
    if (e->type != TY_I64 || op_rule(e->op) != RULE_ARITH || e->depth > MAX_NEST) return NULL;
    Poly p = poly_of(&s->env, e);
    if (p.failed) return NULL;
    const Expr *n = poly_expr(s->g, p);
    if (n == e || expr_cost(s->g->ctx, n) >= expr_cost(s->g->ctx, e)) return NULL;
    return equal_at_zero(s, e, n) ? n : NULL;
}

static const Expr *by_truth(Simplifier *s, const Expr *e) {
    if (e->type != TY_BOOL || op_rule(e->op) == RULE_LOGIC) return NULL; /* operands of && || ! are decided already */
    int t = cond_truth(&s->env, e);
    return t < 0 ? NULL : expr_int(s->g, TY_BOOL, t);
}

/* A sum of an integer constant over ranges that nothing in it varies: the constant times their lengths. */
static const Expr *by_count(Simplifier *s, const Expr *e) {
    int64_t each, always;
    if (e->op != OP_REDUCE || type_is_float(e->type) || e->u.reduce->monoid->kind != MONOID_SUM) return NULL;
    if (!expr_is_int(e->arg[0], &always) || !always || !expr_is_int(e->arg[1], &each)) return NULL;
    const Reduce *r = e->u.reduce;
    const Expr *n = expr_int(s->g, TY_I64, each);
    for (int i = 0; i < r->nvars; i++) {
        Poly lo = poly_of(&s->env, r->vars[i]->lo), hi = poly_of(&s->env, r->vars[i]->hi);
        if (lo.failed || hi.failed) return NULL;
        for (int k = 0; k < i; k++)
            if (poly_uses(lo, expr_var(s->g, r->vars[k])) || poly_uses(hi, expr_var(s->g, r->vars[k]))) return NULL;
        const Expr *length = expr2(s->g, OP_SUB, r->vars[i]->hi, r->vars[i]->lo);
        const Expr *l = poly_expr(s->g, poly_sub(s->g->ctx, hi, lo));
        if (!equal_at_zero(s, length, l)) l = length;
        if (!expr_nonneg(&s->env, length)) l = expr2(s->g, OP_MAX, l, expr_int(s->g, TY_I64, 0));
        n = expr2(s->g, OP_MUL, n, l);
    }
    return simplify(s, expr_cast(s->g, e->type, n));
}

/* e has simplified operands. */
static const Expr *rewrite(Simplifier *s, const Expr *e) {
    const Expr *r = expr_fold(s->g, e);
    if (r) return r;
    if ((r = by_rule(s, e))) return r;
    if ((r = by_cast(s, e))) return rewrite(s, r);
    if ((r = by_poly(s, e))) return r;
    if ((r = by_truth(s, e))) return r;
    if ((r = by_count(s, e))) return r;
    if ((r = expr_without_idle(&s->env, e))) return simplify(s, r);
    return e;
}

/* ---- expressions ---- */

/* What a node becomes whose operands hold only where its first one does, or does not. */
static const Expr *simplify_lazy(ExprRewrite *all, const Expr *e);

static const Expr *simplify_rebuilt(ExprRewrite *all, const Expr *e, const Expr *made) {
    return e->nargs && !e->untyped ? rewrite(all->user, made) : e;
}

static Simplifier simplifier(Graph *g, PolyEnv env, int nest) {
    return (Simplifier){.g = g,
                        .env = env,
                        .all = {.g = g, .temp = g->ctx, .before = simplify_lazy, .after = simplify_rebuilt},
                        .nest = nest};
}

static const Expr *simplify(Simplifier *s, const Expr *e) {
    s->all.user = s;
    return expr_rewrite(&s->all, e);
}

/* e under one more condition, or under its contrary. */
static const Expr *simplify_under(Simplifier *s, const Expr *cond, bool truth, const Expr *e) {
    int64_t known;
    if (s->nest >= MAX_NESTED || expr_is_int(cond, &known)) return simplify(s, e);
    const Expr *fact = truth ? cond : expr1(s->g, OP_NOT, cond);
    Simplifier inner = simplifier(s->g, poly_with_fact(&s->env, fact), s->nest + 1);
    return simplify(&inner, e);
}

static const Expr *simplify_operand(void *s, const Expr *e, int i, const Expr *const *made) {
    if (i == 0) return simplify(s, e->arg[0]);
    return simplify_under(s, made[0], e->op == OP_REDUCE || (e->op != OP_OR && i == 1), e->arg[i]);
}

static const Expr *simplify_lazy(ExprRewrite *all, const Expr *e) {
    Simplifier *s = all->user;
    if (e->untyped) return e;
    bool lazy = e->op == OP_IF || e->op == OP_AND || e->op == OP_OR || e->op == OP_REDUCE;
    return lazy ? rewrite(s, expr_rebuild(s->g, s->g->ctx, e, simplify_operand, s)) : NULL;
}

const Expr *expr_simplify(Graph *g, const PolyEnv *env, const Expr *e) {
    Simplifier s = simplifier(g, env ? *env : (PolyEnv){0}, 0);
    s.env.g = g;
    return simplify(&s, e);
}

/* ---- Graphs ---- */

/* Puts what became of an expression where it stood; true where it is another one. */
static bool put(const Expr **at, const Expr *e) {
    const bool is_new = *at != e;
    *at = e;
    return is_new;
}

/* True where something of it has changed, as all that follow. */
static bool simplify_piece(Graph *g, const PolyEnv *env, const Tensor *t, Piece *p) {
    Simplifier s = simplifier(g, *env, 0);
    bool changed = false;
    for (int d = 0; d < t->rank; d++) changed |= put(&p->subs[d], simplify(&s, p->subs[d]));
    int64_t always;
    if (p->guard) changed |= put(&p->guard, simplify(&s, p->guard));
    changed |= put(&p->value, p->guard ? simplify_under(&s, p->guard, true, p->value) : simplify(&s, p->value));
    if (p->guard && expr_is_int(p->guard, &always) && always) changed |= put(&p->guard, NULL);
    return changed;
}

/* Sizes and ranges over dimensions, so that equal ones are one expression: what a size is that was written in two ways
 * (of a convolution that keeps it, H + 2*p - (R - 1)) decides which equations run over the same indices. */
typedef struct Sizes {
    Graph *g;
    const PolyEnv *env;
    bool changed;
} Sizes;

static const Expr *simple_size(const Sizes *x, const Expr *e) {
    if (!expr_over_dims(e)) return e;
    e = expr_simplify(x->g, x->env, e);
    if (!e->nargs || expr_divides(x->env, e)) return e; /* a quotient by 0 is 0, which polynomials do not know */
    PolyEnv env = *x->env;
    env.ctx = ctx_temp(x->g->ctx);
    const Poly p = poly_of(&env, e); /* so that G * 4 is 4 * G */
    if (!p.failed) e = poly_expr(x->g, p);
    ctx_temp_end(env.ctx);
    return e;
}

static void simplify_ranges(Sizes *x, Var *const *vars, int n) {
    for (int i = 0; i < n; i++) {
        x->changed |= put(&vars[i]->lo, simple_size(x, vars[i]->lo));
        x->changed |= put(&vars[i]->hi, simple_size(x, vars[i]->hi));
    }
}

static Found simplify_reduced(const Expr *e, void *sizes) {
    if (e->op == OP_REDUCE) simplify_ranges(sizes, e->u.reduce->vars, e->u.reduce->nvars);
    return e->reduces ? FOUND_INSIDE : FOUND_NOT;
}

static bool simplify_sizes(Graph *g, const PolyEnv *env, Tensor *t) {
    Sizes x = {.g = g, .env = env};
    for (int d = 0; d < t->rank; d++) x.changed |= put(&t->shape[d], simple_size(&x, t->shape[d]));
    ExprWalk w = {.temp = ctx_temp(g->ctx), .before = simplify_reduced, .user = &x};
    for (int k = 0; k < t->pieces.n; k++) {
        simplify_ranges(&x, t->pieces.at[k].vars, t->pieces.at[k].nvars);
        expr_walk(&w, t->pieces.at[k].value);
    }
    ctx_temp_end(w.temp);
    return x.changed;
}

bool graph_simplify(Graph *g) {
    bool changed = false;
    const Expr **facts = NEW_N(g->ctx, const Expr *, g->facts.n);
    PolyEnv env = {.g = g, .facts = facts};
    for (int i = 0; i < g->facts.n; i++)
        if (g->facts.at[i].require && !g->facts.at[i].nvars) facts[env.nfacts++] = g->facts.at[i].cond;
    for (int i = 0; i < g->tensors.n; i++) changed |= simplify_sizes(g, &env, g->tensors.at[i]);
    for (int i = 0; i < g->tensors.n; i++) {
        Tensor *t = g->tensors.at[i];
        int kept = 0, n = t->pieces.n;
        for (int k = 0; k < n; k++) {
            Piece p = t->pieces.at[k];
            int64_t ever = 1;
            changed |= simplify_piece(g, &env, t, &p);
            if (n == 1) changed |= kept_leave_out(&env, t, &p);
            if (p.guard) expr_is_int(p.guard, &ever);
            if (ever || (kept == 0 && k == n - 1)) t->pieces.at[kept++] = p;
        }
        changed |= kept < n;
        t->pieces.n = kept;
    }
    return changed;
}
