/* Questions about one expression, tensor or variable that many passes ask, and the small expressions made of the
 * answers. */
#include "expr_is.h"

#include "expr_walk.h"
#include "int_value.h"
#include "rewrite.h"

#include <limits.h>

static Found is_beside_dims(const Expr *e, const void *unused) {
    (void)unused;
    if (e->op == OP_CONST || e->op == OP_DIM || e->op == OP_ALIGNED) return FOUND_NOT;
    return !e->nargs || e->op == OP_LOAD || e->op == OP_REDUCE ? FOUND : FOUND_INSIDE;
}

bool expr_over_dims(const Expr *e) { return !expr_has(e, is_beside_dims, NULL); }

static Found is_of_places(const Expr *e, const void *unused) {
    (void)unused;
    if (e->op == OP_SCALAR) return FOUND_NOT;
    return is_beside_dims(e, NULL);
}

bool expr_is_uniform(const Expr *e) { return !expr_has(e, is_of_places, NULL); }

static Found is_of_op(const Expr *e, const void *op) { return e->op == *(const Op *)op ? FOUND : FOUND_INSIDE; }

bool expr_has_op(const Expr *e, Op op) { return expr_has(e, is_of_op, &op); }

const Expr *expr_uncast(const Expr *e) {
    while (e->op == OP_CAST && type_holds(e->type, e->arg[0]->type)) e = e->arg[0];
    return e;
}

bool load_exists(const Expr *e) {
    if (e->u.tensor->partial) return false;
    for (int i = 0; i < e->nargs; i++) {
        int64_t v, n;
        const Expr *s = e->arg[i], *size = e->u.tensor->shape[i];
        if (s->op == OP_VAR ? s->u.var->hi == size && expr_is_int(s->u.var->lo, &v) && v >= 0
                            : expr_is_int(s, &v) && expr_is_int(size, &n) && v >= 0 && v < n)
            continue;
        return false;
    }
    return true;
}

bool tensor_is_plain(const Tensor *t) {
    if (t->pieces.n != 1 || t->pieces.at[0].guard || t->pieces.at[0].nvars != t->rank) return false;
    if (t->pieces.at[0].update) return false;
    for (int i = 0; i < t->rank; i++) {
        const Expr *s = t->pieces.at[0].subs[i];
        if (s->op != OP_VAR || s->u.var != t->pieces.at[0].vars[i]) return false;
    }
    return true;
}

enum { UNKNOWN_SIZE = 1024 };

static int64_t guess_dim(const Dim *d, const int64_t *dims) {
    if (dims) return dims[d->id];
    if (d->hint > 0 && d->lo < d->hi) return d->hint;
    return UNKNOWN_SIZE < d->lo ? d->lo : UNKNOWN_SIZE > d->hi ? d->hi : UNKNOWN_SIZE;
}

/* Of operators that sizes have; anything else is as long as what nobody says more of. */
static IntLeaf guess_leaf(void *dims, const Expr *e, int64_t *v) {
    if (op_rule(e->op) == RULE_ARITH && op_arity(e->op) == 2) return INT_LEAF_INSIDE;
    *v = e->op == OP_DIM ? guess_dim(e->u.dim, dims) : UNKNOWN_SIZE;
    return INT_LEAF_KNOWN;
}

/* Of what most lengths are: a number, a dimension, or a product of these that fits. */
static bool guess_plain(const Expr *e, const int64_t *dims, int64_t *v) {
    int64_t a, b;
    if (e->op == OP_DIM) return *v = guess_dim(e->u.dim, dims), true;
    if (e->op == OP_MUL) return guess_plain(e->arg[0], dims, &a) && guess_plain(e->arg[1], dims, &b) && mul_ok(a, b, v);
    return expr_is_int(e, v);
}

int64_t expr_guess_at(const Expr *e, const int64_t *dims) {
    int64_t v;
    if (guess_plain(e, dims, &v)) return v;
    IntValue x = {.leaf = guess_leaf, .user = (void *)dims, .fit = INT_FIT_SATURATES, .left = INT_MAX};
    return int_value(&x, e, &v) ? v : INT64_MAX;
}

int64_t expr_guess(const Expr *e) { return expr_guess_at(e, NULL); }

static Found is_unsaid(const Expr *e, const void *none) {
    (void)none;
    return e->op == OP_DIM && e->u.dim->hint <= 0 && e->u.dim->lo < e->u.dim->hi ? FOUND : FOUND_INSIDE;
}

bool expr_guess_is_told(const Expr *e) { return !expr_has(e, is_unsaid, NULL); }

int64_t var_guess(const Var *v) {
    int64_t n, lo = expr_guess(v->lo), hi = expr_guess(v->hi);
    if (hi <= lo) return 0;
    return __builtin_sub_overflow(hi, lo, &n) ? INT64_MAX : n;
}

bool var_same_range(const Var *a, const Var *b) { return a->lo == b->lo && a->hi == b->hi; }

const Expr *expr_and(Graph *g, const Expr *a, const Expr *b) {
    int64_t v;
    if (!a || (expr_is_int(a, &v) && v)) return b;
    if (!b || (expr_is_int(b, &v) && v) || a == b) return a;
    return expr2(g, OP_AND, a, b);
}

const Expr *expr_minus(Graph *g, const Expr *e, const Expr *lo) {
    int64_t v;
    return expr_is_int(lo, &v) && v == 0 ? e : expr2(g, OP_SUB, e, lo);
}
