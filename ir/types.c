/* The tables of types, operators and monoids. A row that one of the .def files
 * lacks a column for does not compile; the enumerators of graph.h come from the same rows. */
#include "graph.h"

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
/* Each operator on floats has a bound of its error, and one. */
enum {
#define ULP(e, f32, f64, unit) ULP_BOUND_##e,
#include "ulp.def"
    ULP_BOUNDS
};
enum {
    ULP_OPS = 0
#define OP(e, text, arity, form, rule) +(RULE_##rule == RULE_ARITH || RULE_##rule == RULE_FLOAT)
#include "ops.def"
#undef OP
};
_Static_assert((int)ULP_BOUNDS == (int)ULP_OPS, "a bound for each operator on floats");

static const struct {
    RuleTypes types;
    bool commutes, idempotent;
    const char *atomic, *floats, *others;
} monoid_facts[] = {
#define MONOID(e, name, parts, indexed, types, commutes, idempotent, atomic, floats, others)                           \
    [MONOID_##e] = {RULES_##types, commutes, idempotent, atomic, floats, others},
#include "monoids.def"
#undef MONOID
};

static const Monoid monoid_rows[] = {
#define MONOID(e, text, parts, with_index, types, commutes, idempotent, atomic, floats, others)                        \
    [MONOID_##e] = {.name = #text, .kind = MONOID_##e, .ordered = !(commutes), .indexed = with_index, .n = parts},
#include "monoids.def"
#undef MONOID
};
_Static_assert(sizeof monoid_rows / sizeof *monoid_rows == MONOID_COUNT, "a row for each monoid");

bool rule_has_type(RuleTypes set, Type t) {
    bool is_float = t == TY_F64 || t == TY_F32, is_signed = t == TY_I64 || t == TY_I32,
         is_int = is_signed || t == TY_U32;
    switch (set) {
    case RULES_FLOAT: return is_float;
    case RULES_INT: return is_int;
    case RULES_SIGNED: return is_signed;
    case RULES_NUM: return is_float || is_int;
    case RULES_SNUM: return is_float || is_signed;
    case RULES_ANY: return is_float || is_int || t == TY_BOOL || type_is_float(t);
    case RULES_BOOL: return t == TY_BOOL;
    }
    return false;
}

const char *type_name(Type t) { return type_rows[t].name; }
int type_bits(Type t) { return type_rows[t].bits; }
TypeClass type_class(Type t) { return type_rows[t].cls; }
Type type_acc(Type t) { return type_rows[t].acc; }
bool type_is_float(Type t) { return type_rows[t].cls == CLASS_FLOAT; }

bool type_is_int(Type t) { return type_rows[t].cls == CLASS_SINT || type_rows[t].cls == CLASS_UINT; }
bool type_is_compute(Type t) { return t != TY_BOOL && type_rows[t].acc == t; }

bool type_int_range(Type t, int64_t *least, int64_t *most) {
    int bits = type_rows[t].bits;
    switch (type_rows[t].cls) {
    case CLASS_SINT:
        *most = (int64_t)(~(uint64_t)0 >> (65 - bits));
        *least = -*most - 1;
        return true;
    case CLASS_UINT:
        *least = 0;
        *most = (int64_t)(~(uint64_t)0 >> (64 - bits));
        return true;
    case CLASS_BOOL:
        *least = 0;
        *most = 1;
        return true;
    case CLASS_FLOAT: break;
    }
    return false;
}

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
bool monoid_folds(MonoidKind kind, Type t) { return rule_has_type(monoid_facts[kind].types, t); }
bool monoid_idempotent(MonoidKind kind) { return kind < MONOID_COUNT && monoid_facts[kind].idempotent; }
const char *monoid_atomic(MonoidKind kind) { return kind < MONOID_COUNT ? monoid_facts[kind].atomic : NULL; }

const char *monoid_text(MonoidKind kind, Type t) {
    const char *others = monoid_facts[kind].others;
    return others && !type_is_float(t) ? others : monoid_facts[kind].floats;
}

const Monoid *monoid_row(MonoidKind kind) { return &monoid_rows[kind]; }

const Monoid *monoid_named(const Graph *g, Sym name) {
    for (int i = 0; g && i < g->monoids.n; i++)
        if (g->monoids.at[i]->name == name) return g->monoids.at[i];
    for (int i = 0; i < MONOID_COUNT; i++)
        if (!strcmp(monoid_rows[i].name, name)) return &monoid_rows[i];
    return NULL;
}

Op op_negated(Op op) {
    switch (op) {
    case OP_EQ: return OP_NE;
    case OP_NE: return OP_EQ;
    case OP_LT: return OP_GE;
    case OP_LE: return OP_GT;
    case OP_GT: return OP_LE;
    case OP_GE: return OP_LT;
    default: return op;
    }
}
