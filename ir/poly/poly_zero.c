/* Divisors that may be 0. The normal forms of poly_of.c and the proofs of poly_prove.c take every divisor to be other
 * than 0; but x / 0 and x % 0 are 0. What they find true is true where a divisor is 0 too, if nothing is computed there
 * (something known cannot be), or if it is true with these quotients and remainders as 0. Each divisor whose range
 * holds 0 is such a case, and a product is 0 where one of its factors is. */
#include "poly_prove.h"

#include "ir/expr_walk.h"
#include "ir/rewrite.h"

enum { MAX_DIVISORS = 8, MAX_ZEROS = 4, MAX_FACTORS = 6, MAX_VARS = 16, MAX_TESTED = 24, WALK = 4000 };

/* ---- divisors ---- */

typedef struct Divisors {
    const PolyEnv *env;
    ExprWalk walk;
    const Expr *at[MAX_DIVISORS];
    const Expr *var[MAX_VARS]; /* atoms with ranges that were met: they have values */
    int n, nvars, left, in_load;
    bool cut; /* there may be more */
} Divisors;

static bool is_division(const Expr *e) { return (e->op == OP_DIV || e->op == OP_MOD) && !type_is_float(e->type); }

static bool may_be_zero(const PolyEnv *env, const Expr *e) {
    Interval r = interval_of(env, e);
    return r.lo <= 0 && r.hi >= 0;
}

static void add_divisor(Divisors *x, const Expr *d) {
    int i = 0;
    while (i < x->n && x->at[i] != d) i++;
    if (i == MAX_DIVISORS)
        x->cut = true;
    else if (i == x->n)
        x->at[x->n++] = d;
}

static void add_variable(Divisors *x, const Expr *v) {
    int i = 0;
    while (i < x->nvars && x->var[i] != v) i++;
    if (i == x->nvars && i < MAX_VARS) x->var[x->nvars++] = v;
}

static Found enter_divisors(const Expr *e, void *divisors) {
    Divisors *x = divisors;
    const Expr *lo, *hi;
    bool exclusive;
    x->cut |= --x->left < 0;
    if (x->left < 0) return FOUND_NOT;
    if (poly_atom_range(x->env, e, &lo, &hi, &exclusive)) {
        add_variable(x, e);
        expr_walk(&x->walk, lo);
        expr_walk(&x->walk, hi);
    }
    if (e->op == OP_REDUCE) return FOUND_NOT;
    if (is_division(e) && !x->in_load && may_be_zero(x->env, e->arg[1])) add_divisor(x, e->arg[1]);
    x->in_load += e->op == OP_LOAD;
    return FOUND_INSIDE;
}

static void leave_divisors(const Expr *e, void *divisors) { ((Divisors *)divisors)->in_load -= e->op == OP_LOAD; }

/* Adds those of e, and of the ranges of what it uses. Of loads and reductions only the variables are looked at. */
static void find_divisors(Divisors *x, const Expr *e) {
    x->walk.user = x;
    expr_walk(&x->walk, e);
}

static Divisors no_divisors(const PolyEnv *env) {
    return (Divisors){
        .env = env, .walk = {.temp = env->ctx, .before = enter_divisors, .after = leave_divisors}, .left = WALK};
}

/* What is 0 where d is: its factors that may be 0. */
static int zero_factors(const PolyEnv *env, const Expr *d, const Expr **out, int n) {
    if (n == MAX_FACTORS || !may_be_zero(env, d)) return n;
    if (d->op == OP_MUL && d->type == TY_I64)
        return zero_factors(env, d->arg[1], out, zero_factors(env, d->arg[0], out, n));
    if (d->op == OP_NEG || (d->op == OP_CAST && type_holds(d->type, d->arg[0]->type)))
        return zero_factors(env, d->arg[0], out, n);
    out[n++] = d;
    return n;
}

/* ---- one case ---- */

typedef struct Zero {
    const PolyEnv *outside;
    PolyEnv env; /* outside, with this case's ranges and facts */
    Graph *g;
    const Expr *divisor, *factor; /* which are 0 */
    ExprRewrite zeroed;
} Zero;

/* e in this case. */
static const Expr *zeroed(Zero *z, const Expr *e) { return expr_rewrite(&z->zeroed, e); }

static bool is_zero(const Expr *e) {
    int64_t v;
    return expr_is_int(e, &v) && v == 0;
}

static const Expr *zeroed_leaf(ExprRewrite *x, const Expr *e) {
    const Zero *z = x->user;
    if (e == z->factor) return expr_int(x->g, e->type, 0);
    return e->op == OP_LOAD || e->op == OP_REDUCE || e->depth > MAX_DEPTH ? e : NULL;
}

static const Expr *zeroed_operator(ExprRewrite *x, const Expr *e, const Expr *made) {
    const Zero *z = x->user;
    const Expr *const *arg = made->arg, *r;
    int64_t known;
    if (is_division(e) && (e->arg[1] == z->divisor || is_zero(arg[1]))) return expr_int(x->g, e->type, 0);
    if (made == e) return e;
    if (e->op == OP_MUL && !type_is_float(e->type) && (is_zero(arg[0]) || is_zero(arg[1])))
        return expr_int(x->g, e->type, 0);
    if (e->op == OP_IF && expr_is_int(arg[0], &known)) return arg[known ? 1 : 2];
    for (int i = 0; i < 2 && (e->op == OP_AND || e->op == OP_OR); i++)
        if (expr_is_int(arg[i], &known)) return (known != 0) == (e->op == OP_OR) ? arg[i] : arg[1 - i];
    return (r = expr_fold(x->g, made)) ? r : made;
}

static bool zeroed_range(void *user, const Expr *atom, const Expr **lo, const Expr **hi) {
    Zero *z = user;
    bool exclusive;
    if (!poly_atom_range(z->outside, atom, lo, hi, &exclusive)) return false;
    if (*lo) *lo = zeroed(z, *lo);
    if (*hi) *hi = zeroed(z, *hi);
    if (!exclusive || !*hi) return true;
    const Expr *last = expr2(z->g, OP_SUB, *hi, expr_int(z->g, TY_I64, 1)), *r = expr_fold(z->g, last);
    *hi = r ? r : last;
    return true;
}

static void add_fact(Zero *z, const Expr **facts, const Expr *f) {
    const Expr *r = expr_fold(z->g, f);
    facts[z->env.nfacts++] = r ? r : f;
}

/* What is known in this case: the facts, that the variables of the condition have values, that the factor is 0. */
static void know_case(Zero *z, const Divisors *in) {
    Graph *g = z->g;
    const Expr **facts = NEW_N(z->env.ctx, const Expr *, z->outside->nfacts + 2 * in->nvars + 1), *lo, *hi;
    z->env.facts = facts;
    z->env.nfacts = 0;
    for (int i = 0; i < in->nvars; i++) {
        const Expr *v = in->var[i];
        if (!zeroed_range(z, v, &lo, &hi) || !lo || !hi) continue;
        if (v == z->factor) {
            const Expr *zero = expr_int(g, TY_I64, 0);
            add_fact(z, facts, expr2(g, OP_LE, lo, zero));
            add_fact(z, facts, expr2(g, OP_LE, zero, hi));
        } else {
            add_fact(z, facts, expr2(g, OP_LE, lo, hi));
        }
    }
    for (int i = 0; i < z->outside->nfacts; i++) facts[z->env.nfacts++] = zeroed(z, z->outside->facts[i]);
    if (z->factor->nargs && z->factor->op != OP_LOAD)
        facts[z->env.nfacts++] = expr2(g, OP_EQ, z->factor, expr_int(g, z->factor->type, 0));
}

/* The facts that pass: without divisors that may be 0. */
static PolyEnv clean_facts(const PolyEnv *env, Divisors *all) {
    PolyEnv r = *env;
    const Expr **kept = NEW_N(env->ctx, const Expr *, env->nfacts + 1);
    r.facts = kept;
    r.nfacts = 0;
    for (int i = 0; i < env->nfacts; i++) {
        Divisors of = no_divisors(env);
        find_divisors(&of, env->facts[i]);
        if (!of.n && !of.cut) kept[r.nfacts++] = env->facts[i];
        for (int k = 0; k < of.n; k++) add_divisor(all, of.at[k]);
        for (int k = 0; k < of.nvars; k++) add_variable(all, of.var[k]);
        all->cut |= of.cut;
    }
    return r;
}

static bool states_false(const PolyEnv *env) {
    int64_t v;
    for (int i = 0; i < env->nfacts; i++)
        if (expr_is_int(env->facts[i], &v) && !v) return true;
    return false;
}

/* Whether one of the facts is false by the others. */
static bool contradiction(const PolyEnv *env) {
    PolyEnv others = *env;
    const Expr **facts = NEW_N(env->ctx, const Expr *, env->nfacts + 1);
    others.facts = facts;
    for (int n = 0; n < env->nfacts && n < MAX_TESTED; n++) { /* the last is that the factor is 0 */
        int i = n ? n - 1 : env->nfacts - 1;
        others.nfacts = 0;
        for (int k = 0; k < env->nfacts; k++)
            if (k != i) facts[others.nfacts++] = env->facts[k];
        if (poly_truth(&others, env->facts[i]) == 0) return true;
    }
    return false;
}

/* ---- all cases ---- */

static bool settled(const PolyEnv *env, const Expr *cond, int truth, int depth);

static bool holds_at_zero(const PolyEnv *env, const Expr *cond, int truth, const Divisors *in, const Expr *divisor,
                          const Expr *factor, int depth) {
    Zero z = {.outside = env, .env = *env, .g = env->g, .divisor = divisor, .factor = factor};
    z.zeroed =
        (ExprRewrite){.g = env->g, .temp = env->ctx, .before = zeroed_leaf, .after = zeroed_operator, .user = &z};
    z.env.made = NULL;
    z.env.range = zeroed_range;
    z.env.user = &z;
    know_case(&z, in);
    if (states_false(&z.env)) return true;
    const Expr *c = zeroed(&z, cond);
    bool holds = poly_truth(&z.env, c) == truth;
    if (holds && settled(&z.env, c, truth, depth - 1)) return true;
    Divisors more = no_divisors(&z.env);
    PolyEnv clean = clean_facts(&z.env, &more);
    if (contradiction(&clean)) return true;
    return !holds && more.n > 0 && contradiction(&z.env) && settled(&z.env, c, truth, depth - 1);
}

/* cond's truth, found without thinking of divisors that are 0, holds where they are. */
static bool settled(const PolyEnv *env, const Expr *cond, int truth, int depth) {
    Divisors in = no_divisors(env), all = no_divisors(env);
    find_divisors(&in, cond);
    if (!in.n && !in.cut && !env->nfacts) return true;
    PolyEnv clean = clean_facts(env, &all);
    if (!in.n && !in.cut && !all.n && !all.cut) return true;
    bool more = (all.n || all.cut) && poly_truth(&clean, cond) != truth;
    for (int i = 0; more && i < all.n; i++) add_divisor(&in, all.at[i]);
    for (int i = 0; i < all.nvars; i++) add_variable(&in, all.var[i]);
    if (in.cut || (more && all.cut) || (in.n && depth <= 0)) return false;
    for (int i = 0; i < in.n; i++) {
        const Expr *factor[MAX_FACTORS];
        int n = zero_factors(env, in.at[i], factor, 0);
        if (n == MAX_FACTORS) return false;
        for (int k = 0; k < n; k++)
            if (!holds_at_zero(env, cond, truth, &in, in.at[i], factor[k], depth)) return false;
    }
    return true;
}

bool expr_never_zero(const PolyEnv *env, const Expr *e, const Expr *where) {
    PolyEnv own = poly_scratch(env);
    Divisors in = no_divisors(&own);
    find_divisors(&in, where);
    for (int i = 0; i < env->nfacts; i++) find_divisors(&in, env->facts[i]);
    const Expr *factor[MAX_FACTORS], *never = expr_int(env->g, TY_BOOL, 0);
    int n = zero_factors(&own, e, factor, 0);
    bool r = n < MAX_FACTORS;
    for (int k = 0; k < n && r; k++) r = holds_at_zero(&own, never, 1, &in, e, factor[k], MAX_ZEROS);
    ctx_temp_end(own.ctx);
    return r;
}

bool poly_holds_at_zero(const PolyEnv *env, const Expr *cond, int truth) {
    PolyEnv own = poly_scratch(env);
    bool r = settled(&own, cond, truth, MAX_ZEROS);
    ctx_temp_end(own.ctx);
    return r;
}

/* ---- subscripts ---- */

typedef struct Guarding {
    const PolyEnv *env;
    const Expr *where;
} Guarding;

static Found is_guardable(const Expr *e, const void *unused) {
    int64_t v;
    (void)unused;
    if (e->op == OP_LOAD || e->op == OP_REDUCE) return FOUND_NOT;
    return is_division(e) && !expr_is_int(e->arg[1], &v) ? FOUND : FOUND_INSIDE;
}

static const Expr *guard_outside(ExprRewrite *all, const Expr *e) {
    (void)all;
    return e->op == OP_LOAD || e->op == OP_REDUCE || e->nargs > 3 ? e : NULL;
}

static const Expr *guarded(ExprRewrite *all, const Expr *e, const Expr *made) {
    const Guarding *x = all->user;
    if (!is_division(e) || expr_never_zero(x->env, made->arg[1], x->where)) return made;
    const Expr *some = expr2(all->g, OP_NE, made->arg[1], expr_int(all->g, made->arg[1]->type, 0));
    return expr_apply(all->g, OP_IF, (const Expr *[]){some, made, expr_int(all->g, e->type, 0)}, 3);
}

bool expr_divides(const PolyEnv *env, const Expr *e) {
    ExprSet seen = {0};
    Ctx *temp = ctx_temp(poly_ctx(env));
    bool r = expr_find(temp, &seen, e, is_guardable, NULL) != NULL;
    ctx_temp_end(temp);
    return r;
}

const Expr *expr_guard_divisions(const PolyEnv *env, const Expr *e) {
    if (!expr_divides(env, e)) return e;
    PolyEnv own = poly_scratch(env);
    Guarding x = {.env = &own, .where = e};
    ExprRewrite all = {.g = env->g, .temp = own.ctx, .before = guard_outside, .after = guarded, .user = &x};
    const Expr *r = expr_rewrite(&all, e);
    ctx_temp_end(own.ctx);
    return r;
}
