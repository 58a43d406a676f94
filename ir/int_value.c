/* See int_value.h. */
#include "int_value.h"

#include "ir/interp/interp.h"

static bool shifted_left(int64_t a, int64_t b, int64_t *v) { return b >= 0 && b < 63 && mul_ok(a, (int64_t)1 << b, v); }

bool int_value_op(Op op, int64_t a, int64_t b, int64_t *v) {
    switch (op) {
    case OP_ADD: return add_ok(a, b, v);
    case OP_SUB: return !__builtin_sub_overflow(a, b, v);
    case OP_MUL: return mul_ok(a, b, v);
    case OP_DIV:
        if (a == INT64_MIN && b == -1) return false;
        return *v = b ? floor_div(a, b) : 0, true;
    case OP_MOD: return *v = b ? floor_mod(a, b) : 0, true;
    case OP_NEG: return !__builtin_sub_overflow(0, a, v);
    case OP_ABS: return a < 0 ? !__builtin_sub_overflow(0, a, v) : (*v = a, true);
    case OP_SIGN: return *v = (a > 0) - (a < 0), true;
    case OP_NOT: return *v = !a, true;
    case OP_BITAND: return *v = a & b, true;
    case OP_BITOR: return *v = a | b, true;
    case OP_BITXOR: return *v = a ^ b, true;
    case OP_SHR: return b >= 0 && b < 64 ? (*v = a >> b, true) : false;
    case OP_SHL: return shifted_left(a, b, v);
    case OP_MIN: return *v = a < b ? a : b, true;
    case OP_MAX: return *v = a > b ? a : b, true;
    case OP_EQ: return *v = a == b, true;
    case OP_NE: return *v = a != b, true;
    case OP_LT: return *v = a < b, true;
    case OP_LE: return *v = a <= b, true;
    case OP_GT: return *v = a > b, true;
    case OP_GE: return *v = a >= b, true;
    default: return false;
    }
}

/* Of an operator whose operands are evaluated: all of them, or as far as the first says. */
static bool value_inside(IntValue *x, const Expr *e, int64_t *v) {
    int64_t a, b = 0;
    if (e->op == OP_LOAD || e->op == OP_REDUCE || !e->nargs || !int_value(x, e->arg[0], &a)) return false;
    switch (e->op) {
    case OP_CAST: return *v = a, true;
    case OP_AND: return a ? int_value(x, e->arg[1], v) : (*v = 0, true);
    case OP_OR: return a ? (*v = 1, true) : int_value(x, e->arg[1], v);
    case OP_IF: return int_value(x, e->arg[a ? 1 : 2], v);
    default: break;
    }
    if (e->nargs > 2 || (e->nargs == 2 && !int_value(x, e->arg[1], &b))) return false;
    if (x->positive && (e->op == OP_DIV || e->op == OP_MOD) && b <= 0) return false;
    if (int_value_op(e->op, a, b, v)) return x->fit != INT_FIT_TYPE || num_wrap(e->type, *v) == *v;
    *v = INT64_MAX;
    return x->fit == INT_FIT_SATURATES;
}

bool int_value(IntValue *x, const Expr *e, int64_t *v) {
    if (--x->left < 0 || type_is_float(e->type)) return false;
    if (e->op == OP_CONST) return *v = e->u.i, true;
    IntLeaf leaf = x->leaf ? x->leaf(x->user, e, v) : INT_LEAF_INSIDE;
    if (leaf != INT_LEAF_INSIDE) return leaf == INT_LEAF_KNOWN;
    if (!value_inside(x, e, v)) return false;
    if (x->fit == INT_FIT_WRAPS || (x->fit == INT_FIT_TYPE && e->op == OP_CAST)) *v = num_wrap(e->type, *v);
    return true;
}
