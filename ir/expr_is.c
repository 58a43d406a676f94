/* Questions about one expression, tensor or variable that many passes ask, and the small expressions made of the
 * answers. */
#include "expr_is.h"

#include "expr_walk.h"

static Found is_beside_dims(const Expr *e, const void *unused) {
    (void)unused;
    if (e->op == OP_CONST || e->op == OP_DIM) return FOUND_NOT;
    return !e->nargs || e->op == OP_LOAD || e->op == OP_REDUCE ? FOUND : FOUND_INSIDE;
}

bool expr_over_dims(const Expr *e) { return !expr_has(e, is_beside_dims, NULL); }

static Found is_of_places(const Expr *e, const void *unused) {
    (void)unused;
    if (e->op == OP_SCALAR) return FOUND_NOT;
    return is_beside_dims(e, NULL);
}

bool expr_is_uniform(const Expr *e) { return !expr_has(e, is_of_places, NULL); }

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
    for (int i = 0; i < t->rank; i++) {
        const Expr *s = t->pieces.at[0].subs[i];
        if (s->op != OP_VAR || s->u.var != t->pieces.at[0].vars[i]) return false;
    }
    return true;
}

int64_t expr_guess(const Expr *e) {
    int64_t a, b, r;
    switch (e->op) {
    case OP_CONST: return e->u.i;
    case OP_DIM:
        if (e->u.dim->lo == e->u.dim->hi) return e->u.dim->lo;
        if (e->u.dim->hint > 0) return e->u.dim->hint;
        r = 1024;
        if (r > e->u.dim->hi) r = e->u.dim->hi;
        return r < e->u.dim->lo ? e->u.dim->lo : r;
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_DIV:
    case OP_MOD:
    case OP_MIN:
    case OP_MAX: break;
    default: return 1024;
    }
    a = expr_guess(e->arg[0]);
    b = expr_guess(e->arg[1]);
    switch (e->op) {
    case OP_ADD: return add_ok(a, b, &r) ? r : INT64_MAX;
    case OP_SUB: return b == INT64_MIN || !add_ok(a, -b, &r) ? INT64_MAX : r;
    case OP_MUL: return mul_ok(a, b, &r) ? r : INT64_MAX;
    case OP_DIV: return b ? floor_div(a, b) : 0;
    case OP_MOD: return b ? floor_mod(a, b) : 0;
    case OP_MIN: return a < b ? a : b;
    default: return a > b ? a : b;
    }
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
