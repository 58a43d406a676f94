/* Ranges over dimensions alone (hull.h). */
#include "hull.h"

#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "poly.h"

enum { SMALL_TYPE_BITS = 16 };

static const Expr *uncast(const Expr *e) {
    while (e->op == OP_CAST && !type_is_float(e->type) && !type_is_float(e->arg[0]->type)) e = e->arg[0];
    return e;
}

/* In 64 bits; a number is one still, which is what says that a range begins at 0. */
static const Expr *widened(Graph *g, const Expr *e) {
    int64_t n;
    return expr_is_int(e, &n) ? expr_int(g, TY_I64, n) : expr_cast(g, TY_I64, e);
}

/* Of `side op other`, where side is an element of t, the bound that it states; NULL: none. */
static const Expr *stated(Graph *g, const Tensor *t, Op op, const Expr *side, const Expr *other, bool largest) {
    const Expr *load = uncast(side), *one = expr_int(g, TY_I64, 1), *v = widened(g, other);
    if (load->op != OP_LOAD || load->u.tensor != t || !expr_over_dims(other)) return NULL;
    for (int i = 0; i < load->nargs; i++)
        if (load->arg[i]->op != OP_VAR) return NULL;
    if (op == OP_EQ || op == (largest ? OP_LE : OP_GE)) return v;
    if (op == (largest ? OP_LT : OP_GT)) return expr2(g, largest ? OP_SUB : OP_ADD, v, one);
    return NULL;
}

static const Expr *stated_by(Graph *g, const Tensor *t, const Expr *c, bool largest, int depth) {
    const Expr *v = NULL;
    if (depth > MAX_NEST) return NULL;
    if (c->op == OP_AND) {
        v = stated_by(g, t, c->arg[0], largest, depth + 1);
        return v ? v : stated_by(g, t, c->arg[1], largest, depth + 1);
    }
    if (op_rule(c->op) != RULE_COMPARE || type_is_float(c->arg[0]->type)) return NULL;
    v = stated(g, t, c->op, c->arg[0], c->arg[1], largest);
    return v ? v : stated(g, t, op_swapped(c->op), c->arg[1], c->arg[0], largest);
}

const Expr *range_of_elements(Graph *g, const Tensor *t, bool largest) {
    for (int i = 0; i < g->facts.n; i++) {
        const Expr *v = stated_by(g, t, g->facts.at[i].cond, largest, 0);
        if (v) return v;
    }
    int64_t least, most;
    if (type_bits(t->type) > SMALL_TYPE_BITS || !type_int_range(t->type, &least, &most)) return NULL;
    return expr_int(g, TY_I64, largest ? most : least);
}

static bool nonneg(Graph *g, const Expr *e) {
    PolyEnv env = {.g = g};
    return expr_nonneg(&env, e);
}

static const Expr *extreme(Graph *g, const Expr *e, bool largest, int depth);

/* Of i64 expressions. */
static const Expr *extreme_of_args(Graph *g, const Expr *e, bool largest, int depth) {
    const Expr *a, *b;
    int64_t k;
    switch (e->op) {
    case OP_ADD:
    case OP_SUB:
        a = extreme(g, e->arg[0], largest, depth + 1);
        b = extreme(g, e->arg[1], largest == (e->op == OP_ADD), depth + 1);
        return a && b ? expr2(g, e->op, a, b) : NULL;
    case OP_MUL: /* of factors >= 0 */
        a = extreme(g, e->arg[0], false, depth + 1);
        b = extreme(g, e->arg[1], false, depth + 1);
        if (!a || !b || !nonneg(g, a) || !nonneg(g, b)) return NULL;
        if (largest && !(a = extreme(g, e->arg[0], true, depth + 1))) return NULL;
        if (largest && !(b = extreme(g, e->arg[1], true, depth + 1))) return NULL;
        /* Where a range is empty its largest value is -1, and a product of two such is not. */
        if (largest && !expr_is_int(a, &k)) a = expr2(g, OP_MAX, a, expr_int(g, TY_I64, 0));
        if (largest && !expr_is_int(b, &k)) b = expr2(g, OP_MAX, b, expr_int(g, TY_I64, 0));
        return expr2(g, OP_MUL, a, b);
    case OP_DIV:
        if (!expr_over_dims(e->arg[1]) || !nonneg(g, e->arg[1])) return NULL;
        a = extreme(g, e->arg[0], largest, depth + 1);
        return a ? expr2(g, OP_DIV, a, e->arg[1]) : NULL;
    case OP_MOD:
        if (!expr_over_dims(e->arg[1]) || !nonneg(g, e->arg[1])) return NULL;
        return largest ? expr2(g, OP_SUB, e->arg[1], expr_int(g, TY_I64, 1)) : expr_int(g, TY_I64, 0);
    default: return NULL;
    }
}

/* The largest (smallest) value of an integer expression over its variables' ranges, in i64; NULL: not known. */
static const Expr *extreme(Graph *g, const Expr *e, bool largest, int depth) {
    const Expr *a, *b;
    int64_t least, most;
    if (expr_over_dims(e)) return widened(g, e);
    if (depth > MAX_NEST) return NULL;
    switch (e->op) {
    case OP_VAR:
        if (!largest) return extreme(g, e->u.var->lo, false, depth + 1);
        a = extreme(g, e->u.var->hi, true, depth + 1);
        return a ? expr2(g, OP_SUB, a, expr_int(g, TY_I64, 1)) : NULL;
    case OP_LOAD: return range_of_elements(g, e->u.tensor, largest);
    case OP_CAST: /* to a type that holds every value */
        if (!type_int_range(e->arg[0]->type, &least, &most) || e->type != TY_I64) return NULL;
        return extreme(g, e->arg[0], largest, depth + 1);
    case OP_MIN:
    case OP_MAX:
        a = extreme(g, e->arg[0], largest, depth + 1);
        b = extreme(g, e->arg[1], largest, depth + 1);
        if (a && b) return expr2(g, e->op, a, b);
        return largest == (e->op == OP_MIN) ? (a ? a : b) : NULL;
    case OP_IF:
        a = extreme(g, e->arg[1], largest, depth + 1);
        b = extreme(g, e->arg[2], largest, depth + 1);
        return a && b ? expr2(g, largest ? OP_MAX : OP_MIN, a, b) : NULL;
    default: return e->type == TY_I64 ? extreme_of_args(g, e, largest, depth) : NULL;
    }
}

static int indexed_at(const Expr *load, const Var *v) {
    for (int i = 0; load->op == OP_LOAD && i < load->nargs; i++)
        if (load->arg[i]->op == OP_VAR && load->arg[i]->u.var == v) return i;
    return -1;
}

static Found is_indexed(const Expr *e, const void *var) { return indexed_at(e, var) >= 0 ? FOUND : FOUND_INSIDE; }

/* The size of the dimension that v indexes somewhere in e. */
static const Expr *indexed_size(Ctx *ctx, const Expr *e, const Var *v) {
    ExprSet seen = {0};
    const Expr *load = expr_find(ctx, &seen, e, is_indexed, v);
    return load ? load->u.tensor->shape[indexed_at(load, v)] : NULL;
}

/* The variable with which a range starts or ends, where its other end is that variable's: the range of a scan. */
static const Var *run_var(const Expr *lo, const Expr *hi) {
    const Expr *end[2] = {lo, hi};
    for (int i = 0; i < 2; i++) {
        const Expr *e = end[i];
        int64_t one;
        if (e->op == OP_ADD && expr_is_int(e->arg[1], &one) && one == 1) e = e->arg[0];
        if (e->op == OP_VAR && (i ? e->u.var->lo == lo : e->u.var->hi == hi)) return e->u.var;
    }
    return NULL;
}

bool range_hull(Graph *g, const Expr *e, const Var *v, const Expr *lo, const Expr *hi, const Expr **least,
                const Expr **end) {
    const Var *run = run_var(lo, hi);
    if (run && expr_over_dims(run->lo) && expr_over_dims(run->hi)) {
        *least = run->lo;
        *end = run->hi;
        return true;
    }
    *least = extreme(g, lo, false, 0);
    *end = extreme(g, hi, true, 0);
    if (*least && *end) return true;
    /* Every subscript was proved to be in range. */
    const Expr *size = indexed_size(g->ctx, e->arg[1], v);
    if (!*least && size) *least = expr_int(g, TY_I64, 0);
    if (!*end) *end = size;
    return *least && *end;
}
