/* Intervals of expressions and polynomials: what ranges of types, dimensions and variables alone say. */
#include "poly_prove.h"
#include "ir/expr_map.h"

enum { DEPTH = 16 /* of what is read: the index of five flattened axes, divided, is 14 deep */ };

static bool infinite(int64_t v) { return v == INT64_MIN || v == INT64_MAX; }

static int64_t sum_bound(int64_t a, int64_t b, int64_t none) {
    int64_t r;
    return infinite(a) || infinite(b) || !add_ok(a, b, &r) ? none : r;
}

static int64_t product_bound(int64_t a, int64_t b) {
    int64_t r;
    if (!a || !b) return 0;
    if (!infinite(a) && !infinite(b) && mul_ok(a, b, &r)) return r;
    return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

static Interval interval_add(Interval a, Interval b) {
    return (Interval){sum_bound(a.lo, b.lo, INT64_MIN), sum_bound(a.hi, b.hi, INT64_MAX)};
}

int64_t bound_negated(int64_t v) { return v == INT64_MIN ? INT64_MAX : v == INT64_MAX ? INT64_MIN : -v; }

static Interval interval_mul(Interval a, Interval b) {
    int64_t p[4] = {product_bound(a.lo, b.lo), product_bound(a.lo, b.hi), product_bound(a.hi, b.lo),
                    product_bound(a.hi, b.hi)};
    Interval r = {p[0], p[0]};
    for (int i = 1; i < 4; i++) {
        if (p[i] < r.lo) r.lo = p[i];
        if (p[i] > r.hi) r.hi = p[i];
    }
    return r;
}

static Interval type_interval(Type t) {
    Interval r = {INT64_MIN, INT64_MAX}; /* which stand for no bound: those of i64 are none */
    (void)type_int_range(t, &r.lo, &r.hi);
    return r;
}

static Interval interval_at(const PolyEnv *env, const Expr *e, int depth);

static Interval interval_div(Interval a, Interval b) {
    if (b.hi < b.lo) return (Interval){INT64_MIN, INT64_MAX}; /* what is known contradicts itself */
    if (b.lo <= 0) return a.lo >= 0 && b.lo == 0 ? (Interval){0, a.hi} : (Interval){INT64_MIN, INT64_MAX};
    Interval r = {INT64_MIN, INT64_MAX};
    if (!infinite(a.lo)) r.lo = a.lo >= 0 ? (infinite(b.hi) ? 0 : a.lo / b.hi) : floor_div(a.lo, b.lo);
    if (!infinite(a.hi)) r.hi = a.hi >= 0 ? a.hi / b.lo : (infinite(b.hi) ? -1 : floor_div(a.hi, b.hi));
    return r;
}

Interval interval_of_dim(const Dim *d) {
    int64_t v = d->divisor > 1 ? d->divisor : 1;
    Interval r = {d->lo, d->hi};
    if (d->lo % v) r.lo = sum_bound(d->lo, v - d->lo % v, d->lo);
    if (d->hi != INT64_MAX) r.hi -= d->hi % v;
    return r;
}

bool poly_atom_range(const PolyEnv *env, const Expr *e, const Expr **lo, const Expr **hi, bool *exclusive) {
    *lo = *hi = NULL;
    *exclusive = false;
    if (env->range && env->range(env->user, e, lo, hi)) return true;
    if (e->op != OP_VAR) return false;
    *lo = e->u.var->lo;
    *hi = e->u.var->hi;
    *exclusive = true;
    return true;
}

static Interval interval_of_args(const PolyEnv *env, const Expr *e, int depth) {
    Interval none = {INT64_MIN, INT64_MAX}, a = interval_at(env, e->arg[0], depth - 1);
    if (e->op == OP_NEG) return (Interval){bound_negated(a.hi), bound_negated(a.lo)};
    if (e->op == OP_ABS) {
        int64_t lo = bound_negated(a.lo), least = a.lo > 0 ? a.lo : a.hi < 0 ? bound_negated(a.hi) : 0;
        return (Interval){least, lo > a.hi ? lo : a.hi};
    }
    if (e->nargs != 2) return none;
    Interval b = interval_at(env, e->arg[1], depth - 1);
    switch (e->op) {
    case OP_ADD: return interval_add(a, b);
    case OP_SUB: return interval_add(a, (Interval){bound_negated(b.hi), bound_negated(b.lo)});
    case OP_MUL: return interval_mul(a, b);
    case OP_DIV: return interval_div(a, b);
    case OP_MOD:
        if (b.lo < 0) return none;
        return (Interval){0, infinite(b.hi) ? (a.lo >= 0 ? a.hi : INT64_MAX) : b.hi > 0 ? b.hi - 1 : 0};
    case OP_MIN: return (Interval){a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
    case OP_MAX: return (Interval){a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
    default: return none;
    }
}

/* The least 2^n - 1 >= v. */
static int64_t all_ones(int64_t v) {
    uint64_t r = (uint64_t)v;
    for (int k = 1; k < 64; k *= 2) r |= r >> k;
    return (int64_t)r;
}

/* Operators on bits, which have no overflow in any type. */
static Interval interval_of_bits(const PolyEnv *env, const Expr *e, int depth) {
    Interval none = type_interval(e->type), a = interval_at(env, e->arg[0], depth - 1);
    Interval b = interval_at(env, e->arg[1], depth - 1);
    if (e->op == OP_SHR) {
        if (b.lo < 0 || a.lo < 0 || b.lo > 63) return none;
        return (Interval){0, a.hi >> b.lo};
    }
    if (e->op == OP_BITAND) {
        if (a.lo < 0 && b.lo < 0) return none;
        if (a.lo < 0) return (Interval){0, b.hi};
        return (Interval){0, b.lo < 0 || a.hi < b.hi ? a.hi : b.hi};
    }
    if (a.lo < 0 || b.lo < 0) return none;
    return (Interval){0, all_ones(a.hi > b.hi ? a.hi : b.hi)};
}

/* The float e is 0, more, or NaN, which as an integer is 0. */
static bool float_nonneg(const Expr *e, int depth) {
    if (depth <= 0) return false;
    const Expr *a = e->nargs ? e->arg[0] : NULL, *b = e->nargs > 1 ? e->arg[1] : NULL;
    switch (e->op) {
    case OP_CONST: return e->u.f >= 0;
    case OP_ABS:
    case OP_EXP:
    case OP_SQRT:
    case OP_SIGMOID: return true;
    case OP_FLOOR:
    case OP_CEIL:
    case OP_ROUND:
    case OP_TRUNC: return float_nonneg(a, depth - 1);
    case OP_CAST: return type_is_float(a->type) && float_nonneg(a, depth - 1);
    case OP_MAX: return float_nonneg(a, depth - 1) || float_nonneg(b, depth - 1);
    case OP_MUL: return a == b || (float_nonneg(a, depth - 1) && float_nonneg(b, depth - 1));
    case OP_ADD:
    case OP_MIN: return float_nonneg(a, depth - 1) && float_nonneg(b, depth - 1);
    default: return false;
    }
}

static Interval interval_at(const PolyEnv *env, const Expr *e, int depth) {
    Interval none = type_interval(e->type), r = none;
    const Expr *lo, *hi;
    bool exclusive;
    int64_t v;
    if (expr_is_int(e, &v)) return (Interval){v, v};
    if (depth <= 0) return none;
    if (poly_atom_range(env, e, &lo, &hi, &exclusive)) {
        if (lo) r.lo = interval_at(env, lo, depth - 1).lo;
        if (hi) r.hi = sum_bound(interval_at(env, hi, depth - 1).hi, exclusive ? -1 : 0, INT64_MAX);
        return r;
    }
    if (e->op == OP_DIM) return interval_of_dim(e->u.dim);
    if (expr_is_mark(e) || (e->op == OP_CAST && e->type == TY_I64 && !type_is_float(e->arg[0]->type)))
        return interval_at(env, e->arg[0], depth - 1);
    if (e->op == OP_CAST && type_is_float(e->arg[0]->type) && float_nonneg(e->arg[0], DEPTH)) {
        r.lo = 0;
        return r;
    }
    if (e->op == OP_IF) {
        Interval a = interval_at(env, e->arg[1], depth - 1), b = interval_at(env, e->arg[2], depth - 1);
        return (Interval){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
    }
    if (e->op == OP_BITAND || e->op == OP_BITOR || e->op == OP_BITXOR || e->op == OP_SHR)
        return interval_of_bits(env, e, depth);
    if (e->type == TY_I64 && op_rule(e->op) == RULE_ARITH && e->nargs) return interval_of_args(env, e, depth);
    return none;
}

/* A search asks for the same atoms in each of its states, and an atom in which others are repeated has a path for each
 * of their uses. */
Interval interval_of(const PolyEnv *env, const Expr *e) {
    if (!env->intervals || e->op == OP_DIM) return interval_at(env, e, DEPTH);
    Interval *found = expr_map_object(env->intervals, e);
    if (found) return *found;
    found = NEW_RAW(env->ctx, Interval, 1);
    *found = interval_at(env, e, DEPTH);
    expr_map_put_object(env->ctx, env->intervals, e, found);
    return *found;
}

Interval interval_of_poly(const PolyEnv *env, Poly p) {
    Interval sum = {0, 0};
    if (p.failed) return (Interval){INT64_MIN, INT64_MAX};
    for (int i = 0; i < p.n; i++) {
        Interval t = {p.term[i].coef, p.term[i].coef};
        for (int k = 0; k < p.term[i].degree; k++) t = interval_mul(t, interval_of(env, p.term[i].atom[k]));
        sum = interval_add(sum, t);
    }
    return sum;
}
