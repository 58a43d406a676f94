/* The tables of types, operators and monoids, and the numbers that a type can hold. A row that one of the .def files
 * lacks a column for does not compile; the enumerators of graph.h come from the same rows. */
#include "graph.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    int bits;
    TypeClass cls;
    Type acc;
} type_rows[] = {
#define TYPE(e, name, bits, cls, acc) [TY_##e] = {#name, bits, CLASS_##cls, TY_##acc},
#include "types.def"
#undef TYPE
};
_Static_assert(sizeof type_rows / sizeof *type_rows == TY_COUNT, "a row for each type");

static const struct {
    const char *text;
    int arity;
    OpForm form;
    OpRule rule;
} op_rows[] = {
#define OP(e, text, arity, form, rule) [OP_##e] = {text, arity, FORM_##form, RULE_##rule},
#include "ops.def"
#undef OP
};
_Static_assert(sizeof op_rows / sizeof *op_rows == OP_COUNT, "a row for each operator");

static const struct {
    const char *name;
    int parts;
} monoid_rows[] = {
#define MONOID(e, name, parts) [MONOID_##e] = {#name, parts},
#include "monoids.def"
#undef MONOID
};
_Static_assert(sizeof monoid_rows / sizeof *monoid_rows == MONOID_COUNT, "a row for each monoid");

const char *type_name(Type t) { return type_rows[t].name; }
int type_bits(Type t) { return type_rows[t].bits; }
TypeClass type_class(Type t) { return type_rows[t].cls; }
Type type_acc(Type t) { return type_rows[t].acc; }
bool type_is_float(Type t) { return type_rows[t].cls == CLASS_FLOAT; }

bool type_by_name(Sym name, Type *t) {
    for (int i = 0; i < TY_COUNT; i++)
        if (!strcmp(type_rows[i].name, name)) {
            *t = (Type)i;
            return true;
        }
    return false;
}

const char *op_text(Op op) { return op_rows[op].text; }
int op_arity(Op op) { return op_rows[op].arity; }
OpForm op_form(Op op) { return op_rows[op].form; }
OpRule op_rule(Op op) { return op_rows[op].rule; }
const char *monoid_name(MonoidKind m) { return monoid_rows[m].name; }
int monoid_parts(MonoidKind m) { return monoid_rows[m].parts; }

/* digits: significant binary digits; emin: exponent of the smallest normal number. */
static double round_digits(double v, int digits, int emin, double max, bool saturates) {
    if (isnan(v) || v == 0) return v;
    double r = v;
    if (!isinf(v)) {
        int e = ilogb(v);
        int shift = (e < emin ? emin : e) - (digits - 1);
        r = ldexp(rint(ldexp(v, -shift)), shift);
    }
    if (fabs(r) > max) r = copysign(saturates ? max : (double)INFINITY, v);
    return r;
}

double type_round(Type t, double v) {
    switch (t) {
    case TY_F32: return round_digits(v, 24, -126, 0x1.fffffep127, false);
    case TY_F16: return round_digits(v, 11, -14, 65504, false);
    case TY_BF16: return round_digits(v, 8, -126, 0x1.fep127, false);
    case TY_F8E4M3: return round_digits(v, 4, -6, 448, true);
    case TY_F8E5M2: return round_digits(v, 3, -14, 57344, true);
    default: return v;
    }
}

int64_t type_wrap(Type t, int64_t v) {
    int bits = type_bits(t);
    if (t == TY_BOOL) return v != 0;
    if (bits == 64) return v;
    uint64_t mask = ((uint64_t)1 << bits) - 1, u = (uint64_t)v & mask;
    if (type_class(t) == CLASS_SINT && (u >> (bits - 1))) u |= ~mask;
    return (int64_t)u;
}
