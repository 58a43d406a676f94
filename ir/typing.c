/* The language's typing of operators: which implicit conversions stand beside an operator (docs/language.md, "Numbers"
 * and "Expressions"). The nodes built are strict: every conversion is a cast or a typed constant. An expression of
 * literals, or of indices beside float literals, stays untyped until something gives it a type; then its literals and
 * its casts of indices take that type. */
#include "graph.h"

#include "expr_walk.h"
#include "ir/interp/interp.h"

static Found is_no_index(const Expr *e, const void *unused) {
    (void)unused;
    bool leaf = e->op == OP_VAR || e->op == OP_DIM || e->op == OP_FACTOR || e->op == OP_CONST;
    bool is = leaf || (op_rule(e->op) == RULE_ARITH && e->op != OP_DIV);
    return is && e->type == TY_I64 ? FOUND_INSIDE : FOUND;
}

/* Integer arithmetic on index variables, dimensions and constants without a quotient: what converts to float by itself.
 */
static bool converts_as_index(Graph *g, const Expr *e) {
    ExprSet seen = {0};
    return !e->untyped && !expr_find(g->ctx, &seen, e, is_no_index, NULL);
}

static bool widens(Type from, Type to) {
    if (from == to) return true;
    if (type_is_float(from) && type_is_float(to)) return type_bits(to) > type_bits(from);
    if (from == TY_BOOL) return type_is_int(to);
    if (!type_is_int(from) || !type_is_int(to) || type_bits(to) <= type_bits(from)) return false;
    return type_class(from) == CLASS_UINT || type_class(to) == CLASS_SINT;
}

static const Expr *type_literal(Graph *g, Type t, const Expr *e) {
    bool is_float = e->type == TY_F64;
    if (type_is_float(t)) return expr_float(g, t, is_float ? e->u.f : (double)e->u.i);
    if (is_float || t == TY_BOOL || num_wrap(t, e->u.i) != e->u.i) return NULL;
    return expr_int(g, t, e->u.i);
}

/* An untyped expression as one of compute type t. */
static const Expr *type_untyped(Graph *g, ExprMap *done, Type t, const Expr *e) {
    if (!e->untyped) return e; /* the condition of an untyped `if`, the guard of a reduction */
    const Expr *known = expr_map_get(done, e);
    if (known) return known;
    const Expr *r = NULL, *args[3];
    if (e->op == OP_CONST) {
        r = type_literal(g, t, e);
    } else if (e->op == OP_CAST) {
        r = type_is_float(t) ? expr_cast(g, t, e->arg[0]) : NULL;
    } else {
        if (e->type == TY_F64 && !type_is_float(t)) return NULL;
        if (e->type == TY_I64 && type_is_float(t) && (e->op == OP_DIV || op_rule(e->op) == RULE_INT)) return NULL;
        for (int i = 0; i < e->nargs; i++)
            if (!(args[i] = type_untyped(g, done, t, e->arg[i]))) return NULL;
        if (e->op == OP_REDUCE) { /* which may meet another type elsewhere */
            Reduce *own = NEW(g->ctx, Reduce);
            *own = *e->u.reduce;
            r = expr_reduce(g, own, args[0], args[1]);
        } else {
            r = expr_op(g, e->op, args, e->nargs);
        }
    }
    if (r) expr_map_put(g->ctx, done, e, r);
    return r;
}

const Expr *expr_convert(Graph *g, Type t, const Expr *e) {
    if (e->untyped) {
        if (e->op == OP_CONST) return type_literal(g, t, e);
        if (t == TY_BOOL) return NULL;
        ExprMap done = {0};
        const Expr *r = type_untyped(g, &done, type_acc(t), e);
        return r ? expr_cast(g, t, r) : NULL;
    }
    if (widens(e->type, t)) return expr_cast(g, t, e);
    if (type_is_float(t) && converts_as_index(g, e)) return expr_cast(g, t, e);
    return NULL;
}

const Expr *expr_settle(Graph *g, const Expr *e) {
    if (!e->untyped) return e;
    const Expr *r = expr_convert(g, e->type == TY_F64 ? TY_F32 : TY_I64, e);
    return r ? r : e;
}

/* The compute type in which two typed operands meet; false where none does. */
static bool meet(Graph *g, const Expr *a, const Expr *b, Type *t) {
    Type x = type_acc(a->type), y = type_acc(b->type);
    if (type_is_float(x) != type_is_float(y)) {
        *t = type_is_float(x) ? x : y;
        return converts_as_index(g, type_is_float(x) ? b : a);
    }
    *t = widens(x, y) ? y : x;
    return widens(x, y) || widens(y, x);
}

static bool floats(Graph *g, const Expr *e) {
    ExprMap done = {0};
    return type_untyped(g, &done, TY_F32, e) != NULL;
}

/* Operands first..n-1 in one compute type, or untyped together. False where no rule fits. */
static bool unify(Graph *g, const Expr **a, int first, int n, bool *untyped, Type *t) {
    const Expr *typed = NULL;
    bool any_float = false, bare = true;
    for (int i = first; i < n; i++) {
        if (a[i]->untyped) {
            any_float |= a[i]->type == TY_F64;
            continue;
        }
        if (!typed) {
            typed = a[i];
            *t = type_acc(a[i]->type);
        } else if (!meet(g, typed, a[i], t)) {
            return false;
        } else if (type_acc(typed->type) != *t) {
            typed = a[i];
        }
    }
    for (int i = first; i < n && any_float && bare; i++) bare = a[i]->untyped || converts_as_index(g, a[i]);
    *untyped = !typed || (any_float && bare);
    if (!*untyped) {
        for (int i = first; i < n; i++)
            if (!(a[i] = expr_convert(g, *t, a[i]))) return false;
        return true;
    }
    *t = any_float ? TY_F64 : TY_I64;
    for (int i = first; i < n; i++)
        if (a[i]->untyped && any_float && !floats(g, a[i])) return false; /* an integer quotient as a float */
    for (int i = first; i < n; i++)
        if (!a[i]->untyped) a[i] = expr_node(g, OP_CAST, TY_F64, true, 0, &a[i], 1);
    return true;
}

/* Untyped operands of operators that only floats have. */
static bool to_floats(Graph *g, const Expr **a, int n) {
    for (int i = 0; i < n; i++) {
        if (a[i]->untyped && a[i]->type == TY_I64) {
            if (a[i]->op != OP_CONST) return false;
            a[i] = expr_literal(g, true, 0, (double)a[i]->u.i);
        } else if (converts_as_index(g, a[i])) {
            a[i] = expr_node(g, OP_CAST, TY_F64, true, 0, &a[i], 1);
        } else if (!type_is_float(a[i]->type)) {
            return false;
        }
    }
    return true;
}

static const Expr *apply_same(Graph *g, Op op, const Expr **a, int first, int n) {
    bool untyped;
    Type t = TY_I64;
    if (!unify(g, a, first, n, &untyped, &t)) return NULL;
    if (op_rule(op) == RULE_INT && type_is_float(t)) return NULL;
    if (op_rule(op) == RULE_COMPARE || op_rule(op) == RULE_TEST) {
        for (int i = first; i < n; i++) {
            a[i] = untyped && t == TY_F64 ? expr_convert(g, TY_F32, a[i]) : expr_settle(g, a[i]);
            if (!a[i] || a[i]->untyped) return NULL;
        }
        untyped = false;
    }
    if (!untyped) return expr_op(g, op, a, n);
    return expr_node(g, op, t, true, 0, a, n);
}

const Expr *expr_apply(Graph *g, Op op, const Expr *const *args, int nargs) {
    const Expr *a[3];
    if (op_rule(op) == RULE_NONE || nargs != op_arity(op)) return NULL;
    bool all_bool = true;
    for (int i = 0; i < nargs; i++) {
        a[i] = args[i];
        all_bool &= a[i]->type == TY_BOOL;
    }
    switch (op_rule(op)) {
    case RULE_NONE: break;
    case RULE_LOGIC: return all_bool ? expr_op(g, op, a, nargs) : NULL;
    case RULE_INT:
        for (int i = 0; i < nargs; i++)
            if (a[i]->type == TY_BOOL) return NULL;
        return apply_same(g, op, a, 0, nargs);
    case RULE_ARITH: return apply_same(g, op, a, 0, nargs);
    case RULE_FLOAT:
    case RULE_TEST: return to_floats(g, a, nargs) ? apply_same(g, op, a, 0, nargs) : NULL;
    case RULE_COMPARE: return all_bool ? expr_op(g, op, a, nargs) : apply_same(g, op, a, 0, nargs);
    case RULE_RANDOM:
        for (int i = 0; i < nargs; i++) {
            if (type_is_float(a[i]->type) || a[i]->type == TY_BOOL) return NULL;
            a[i] = expr_cast(g, TY_I64, expr_settle(g, a[i]));
        }
        return expr_op(g, op, a, nargs);
    case RULE_SELECT:
        if (a[0]->type != TY_BOOL) return NULL;
        if (a[1]->type == TY_BOOL && a[2]->type == TY_BOOL) return expr_op(g, op, a, nargs);
        return apply_same(g, op, a, 1, nargs);
    }
    return NULL;
}

/* ---- types of nodes that are built ---- */

static bool same_types(const Expr *e, int first) {
    for (int i = first + 1; i < e->nargs; i++)
        if (e->arg[i]->type != e->arg[first]->type) return false;
    return true;
}

bool expr_rule_holds(const Expr *e) {
    Type t = e->nargs ? e->arg[0]->type : e->type;
    switch (op_rule(e->op)) {
    case RULE_NONE: return true;
    case RULE_ARITH: return same_types(e, 0) && type_is_compute(t) && e->type == t;
    case RULE_FLOAT: return same_types(e, 0) && type_is_compute(t) && type_is_float(t) && e->type == t;
    case RULE_INT: return same_types(e, 0) && type_is_compute(t) && type_is_int(t) && e->type == t;
    case RULE_LOGIC: return same_types(e, 0) && t == TY_BOOL && e->type == TY_BOOL;
    case RULE_COMPARE: return same_types(e, 0) && (type_is_compute(t) || t == TY_BOOL) && e->type == TY_BOOL;
    case RULE_TEST: return type_is_compute(t) && type_is_float(t) && e->type == TY_BOOL;
    case RULE_RANDOM: return same_types(e, 0) && t == TY_I64 && e->type == TY_F32;
    case RULE_SELECT: return t == TY_BOOL && same_types(e, 1) && e->type == e->arg[1]->type;
    }
    return false;
}
