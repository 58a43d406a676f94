/* Divisors that may be 0. The normal forms of poly_of.c and the proofs of poly_prove.c take every divisor to be other
 * than 0; but x / 0 and x % 0 are 0. What they find true is true where a divisor is 0 too, if nothing is computed there
 * (something known cannot be), or if it is true with these quotients and remainders as 0. Each divisor whose range
 * holds 0 is such a case, and a product is 0 where one of its factors is. */
#include "poly_prove.h"

#include "ir/expr_map.h"
#include "ir/rewrite.h"

enum { MAX_DIVISORS = 8, MAX_ZEROS = 4, MAX_FACTORS = 6, MAX_VARS = 16, MAX_TESTED = 24, WALK = 4000 };

/* ---- divisors ---- */

typedef struct Divisors {
    const PolyEnv *env;
    Ctx *ctx;
    ExprMap seen;
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

/* Those of e, and of the ranges of what it uses. Of loads and reductions only the variables are looked at. */
static void find_divisors(Divisors *x, const Expr *e) {
    if (expr_map_get(&x->seen, e)) return;
    expr_map_put(x->ctx, &x->seen, e, e);
    if (--x->left < 0) {
        x->cut = true;
        return;
    }
    const Expr *lo, *hi;
    bool exclusive;
    if (poly_atom_range(x->env, e, &lo, &hi, &exclusive)) {
        add_variable(x, e);
        if (lo) find_divisors(x, lo);
        if (hi) find_divisors(x, hi);
    }
    if (e->op == OP_REDUCE) return;
    if (is_division(e) && !x->in_load && may_be_zero(x->env, e->arg[1])) add_divisor(x, e->arg[1]);
    x->in_load += e->op == OP_LOAD;
    for (int i = 0; i < e->nargs; i++) find_divisors(x, e->arg[i]);
    x->in_load -= e->op == OP_LOAD;
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
    ExprMap done;
} Zero;

static const Expr *zeroed(Zero *z, const Expr *e);

static bool is_zero(const Expr *e) {
    int64_t v;
    return expr_is_int(e, &v) && v == 0;
}

static const Expr *zeroed_operator(Zero *z, const Expr *e) {
    const Expr *few[4], **arg = e->nargs <= 4 ? few : NEW_N(z->env.ctx, const Expr *, e->nargs), *r;
    bool same = true;
    int64_t known;
    for (int i = 0; i < e->nargs; i++) {
        arg[i] = zeroed(z, e->arg[i]);
        same &= arg[i] == e->arg[i];
    }
    if (is_division(e) && (e->arg[1] == z->divisor || is_zero(arg[1]))) return expr_int(z->g, e->type, 0);
    if (same) return e;
    if (e->op == OP_MUL && !type_is_float(e->type) && (is_zero(arg[0]) || is_zero(arg[1])))
        return expr_int(z->g, e->type, 0);
    if (e->op == OP_IF && expr_is_int(arg[0], &known)) return arg[known ? 1 : 2];
    for (int i = 0; i < 2 && (e->op == OP_AND || e->op == OP_OR); i++)
        if (expr_is_int(arg[i], &known)) return (known != 0) == (e->op == OP_OR) ? arg[i] : arg[1 - i];
    const Expr *n = expr_node(z->g, e->op, e->type, e->untyped, e->u.i, arg, e->nargs);
    return (r = expr_fold(z->g, n)) ? r : n;
}

/* e in this case. */
static const Expr *zeroed(Zero *z, const Expr *e) {
    if (e == z->factor) return expr_int(z->g, e->type, 0);
    if (!e->nargs || e->op == OP_LOAD || e->op == OP_REDUCE || e->depth > MAX_DEPTH) return e;
    const Expr *r = expr_map_get(&z->done, e);
    if (r) return r;
    r = zeroed_operator(z, e);
    expr_map_put(z->env.ctx, &z->done, e, r);
    return r;
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
        Divisors of = {.env = env, .ctx = env->ctx, .left = WALK};
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
    z.env.made = NULL;
    z.env.range = zeroed_range;
    z.env.user = &z;
    know_case(&z, in);
    if (states_false(&z.env)) return true;
    const Expr *c = zeroed(&z, cond);
    bool holds = poly_truth(&z.env, c) == truth;
    if (holds && settled(&z.env, c, truth, depth - 1)) return true;
    Divisors more = {.env = &z.env, .ctx = z.env.ctx, .left = WALK};
    PolyEnv clean = clean_facts(&z.env, &more);
    if (contradiction(&clean)) return true;
    return !holds && more.n > 0 && contradiction(&z.env) && settled(&z.env, c, truth, depth - 1);
}

/* cond's truth, found without thinking of divisors that are 0, holds where they are. */
static bool settled(const PolyEnv *env, const Expr *cond, int truth, int depth) {
    Divisors in = {.env = env, .ctx = env->ctx, .left = WALK}, all = in;
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
    Divisors in = {.env = &own, .ctx = own.ctx, .left = WALK};
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
    ExprMap done;
} Guarding;

static bool divides(Ctx *temp, ExprMap *seen, const Expr *e) {
    int64_t v;
    if (!e->nargs || e->op == OP_LOAD || e->op == OP_REDUCE || expr_map_get(seen, e)) return false;
    expr_map_put(temp, seen, e, e);
    if (is_division(e) && !expr_is_int(e->arg[1], &v)) return true;
    for (int i = 0; i < e->nargs; i++)
        if (divides(temp, seen, e->arg[i])) return true;
    return false;
}

static const Expr *guarded(Guarding *x, const Expr *e) {
    if (!e->nargs || e->op == OP_LOAD || e->op == OP_REDUCE) return e;
    const Expr *r = expr_map_get(&x->done, e), *arg[3];
    if (r || e->nargs > 3) return r ? r : e;
    bool same = true;
    for (int i = 0; i < e->nargs; i++) {
        arg[i] = guarded(x, e->arg[i]);
        same &= arg[i] == e->arg[i];
    }
    Graph *g = x->env->g;
    r = same ? e : expr_node(g, e->op, e->type, e->untyped, e->u.i, arg, e->nargs);
    if (is_division(e) && !expr_never_zero(x->env, arg[1], x->where)) {
        const Expr *some = expr2(g, OP_NE, arg[1], expr_int(g, arg[1]->type, 0));
        r = expr_apply(g, OP_IF, (const Expr *[]){some, r, expr_int(g, e->type, 0)}, 3);
    }
    expr_map_put(poly_ctx(x->env), &x->done, e, r);
    return r;
}

bool expr_divides(const PolyEnv *env, const Expr *e) {
    ExprMap seen = {0};
    Ctx *temp = ctx_temp(poly_ctx(env));
    bool r = divides(temp, &seen, e);
    ctx_temp_end(temp);
    return r;
}

const Expr *expr_guard_divisions(const PolyEnv *env, const Expr *e) {
    if (!expr_divides(env, e)) return e;
    PolyEnv own = poly_scratch(env);
    Guarding x = {.env = &own, .where = e};
    const Expr *r = guarded(&x, e);
    ctx_temp_end(own.ctx);
    return r;
}
