/* Constant expressions, in the arithmetic of their types: floats round to their type after each operator, integers
 * wrap. */
#include "ir/interp/interp.h"
#include "int_value.h"
#include "rewrite.h"

#include <math.h>

static bool fold_float(Op op, double a, double b, double *r) {
    switch (op) {
    case OP_ADD: *r = a + b; return true;
    case OP_SUB: *r = a - b; return true;
    case OP_MUL: *r = a * b; return true;
    case OP_DIV: *r = a / b; return true;
    case OP_NEG: *r = -a; return true;
    case OP_ABS: *r = fabs(a); return true;
    case OP_FLOOR: *r = floor(a); return true;
    case OP_CEIL: *r = ceil(a); return true;
    case OP_TRUNC: *r = trunc(a); return true;
    case OP_SQRT: *r = sqrt(a); return true;
    case OP_MIN:
    case OP_MAX:
        if (a == 0 && b == 0) return false; /* which zero is not said */
        *r = isnan(a) || (op == OP_MIN ? a < b : a > b) ? a : b;
        return true;
    default: return false;
    }
}

/* Sums, products and shifts wrap; a quotient by 0 is left to simplification, which knows what it is. */
static bool fold_int(Op op, Type t, int64_t a, int64_t b, int64_t *r) {
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op) {
    case OP_ADD: *r = (int64_t)(x + y); return true;
    case OP_SUB: *r = (int64_t)(x - y); return true;
    case OP_MUL: *r = (int64_t)(x * y); return true;
    case OP_NEG: *r = (int64_t)(0 - x); return true;
    case OP_ABS: *r = a < 0 ? (int64_t)(0 - x) : a; return true;
    case OP_SHL: *r = (int64_t)(x << (y & 63)); return b >= 0 && b < type_bits(t);
    case OP_SHR: return b < type_bits(t) && int_value_op(op, a, b, r);
    case OP_DIV: *r = b ? floor_div(a, b) : 0; return b != 0;
    case OP_MOD: return b != 0 && int_value_op(op, a, b, r);
    default: return int_value_op(op, a, b, r);
    }
}

static bool fold_compare(Op op, double a, double b) {
    switch (op) {
    case OP_EQ: return a == b;
    case OP_NE: return a != b;
    case OP_LT: return a < b;
    case OP_LE: return a <= b;
    case OP_GT: return a > b;
    default: return a >= b;
    }
}

static const Expr *fold_cast(Graph *g, Type t, const Expr *a) {
    bool from_float = type_is_float(a->type);
    if (type_is_float(t)) return expr_float(g, t, from_float ? a->u.f : num_from_int(t, a->u.i));
    return expr_int(g, t, from_float ? num_to_int(t, a->u.f) : num_wrap(t, a->u.i));
}

static const Expr *fold_logic(Graph *g, const Expr *e) {
    bool a = e->arg[0]->u.i != 0, b = e->nargs > 1 && e->arg[1]->u.i != 0;
    return expr_int(g, TY_BOOL, e->op == OP_NOT ? !a : e->op == OP_AND ? a && b : a || b);
}

const Expr *expr_fold(Graph *g, const Expr *e) {
    OpRule rule = op_rule(e->op);
    if (e->untyped || !e->nargs || (rule == RULE_NONE && e->op != OP_CAST)) return NULL;
    for (int i = 0; i < e->nargs; i++)
        if (e->arg[i]->op != OP_CONST) return NULL;
    const Expr *a = e->arg[0], *b = e->arg[e->nargs - 1];
    bool is_float = type_is_float(a->type);
    double f;
    int64_t i;
    switch (rule) {
    case RULE_NONE: return fold_cast(g, e->type, a);
    case RULE_SELECT: return a->u.i ? e->arg[1] : e->arg[2];
    case RULE_LOGIC: return fold_logic(g, e);
    case RULE_TEST:
        if (e->op == OP_ISNAN) return expr_int(g, TY_BOOL, isnan(a->u.f));
        if (e->op == OP_ISINF) return expr_int(g, TY_BOOL, isinf(a->u.f));
        return e->op == OP_ISFINITE ? expr_int(g, TY_BOOL, isfinite(a->u.f)) : NULL;
    case RULE_COMPARE:
        if (is_float)
            i = fold_compare(e->op, a->u.f, b->u.f);
        else if (!int_value_op(e->op, a->u.i, b->u.i, &i))
            return NULL;
        return expr_int(g, TY_BOOL, i);
    case RULE_ARITH:
    case RULE_FLOAT:
    case RULE_INT:
        if (e->nargs > 2) return NULL;
        if (is_float) return fold_float(e->op, a->u.f, b->u.f, &f) ? expr_float(g, e->type, f) : NULL;
        return fold_int(e->op, e->type, a->u.i, b->u.i, &i) ? expr_int(g, e->type, i) : NULL;
    case RULE_RANDOM: break;
    }
    return NULL;
}

/* Bits in which an integer or a float is exact, without the sign. */
static int precision(Type t) {
    return type_is_float(t) ? num_format(t).precision : type_bits(t) - (type_class(t) == CLASS_SINT);
}

bool type_holds(Type to, Type from) {
    if (to == from || from == TY_BOOL) return true;
    if (to == TY_BOOL) return false;
    bool f = type_is_float(from), t = type_is_float(to);
    if (f && !t) return false;
    if (f) return to == TY_F64 || (to == TY_F32 && from != TY_F64);
    if (t) return (to == TY_F64 || to == TY_F32) && precision(from) <= precision(to);
    if (type_class(from) == CLASS_SINT && type_class(to) == CLASS_UINT) return false;
    return precision(from) <= precision(to);
}
