/* The tables of types, operators and monoids. A row of one of the .def files that lacks a column does not compile; the
 * enumerators of graph.h come from the same rows. */
#include "graph.h"

#include <string.h>

static const TypeRow type_rows[] = {
#define TYPE(e, name, bits, cls, acc, digits, exponent, largest, saturates, memory, value, host, element, numpy, npy,  \
             dlpack)                                                                                                   \
    [TY_##e] = {#name,   bits,   CLASS_##cls, TY_##acc, digits, exponent, largest, saturates,                          \
                #memory, #value, #host,       #element, #numpy, npy,      dlpack},
#include "types.def"
#undef TYPE
};
_Static_assert(sizeof type_rows / sizeof *type_rows == TY_COUNT, "a row for each type");

enum { OP_ARGS = 3 /* of an operator that has derivatives */ };

static const struct {
    const char *text;
    int arity;
    OpForm form;
    OpRule rule;
    const char *device, *fast, *under, *libm;
    OpHost host;
    OpSlope slope;
    const char *d[OP_ARGS];
} op_rows[] = {
#define DEVICE_NONE NULL, NULL, NULL
#define DEVICE_TD(f) "td_" #f, NULL, NULL
#define DEVICE_FAST(f) NULL, "td_fast_" #f, NULL
#define DEVICE_BOTH(f) "td_" #f, "td_fast_" #f, NULL
#define DEVICE_ALL(f) "td_" #f, "td_fast_" #f, "td_under_" #f
#define LIBM_NONE NULL, HOST_NONE
#define LIBM_GLUE NULL, HOST_GLUE
#define LIBM_LIBM(f) #f, HOST_LIBM
#define SLOPES_D(...)                                                                                                  \
    SLOPE_D, { __VA_ARGS__ }
#define SLOPES_FLAT                                                                                                    \
    SLOPE_FLAT, { NULL }
#define SLOPES_OWN                                                                                                     \
    SLOPE_OWN, { NULL }
#define SLOPES_UNSAID                                                                                                  \
    SLOPE_UNSAID, { NULL }
#define OP(e, text, arity, form, rule, device, host, d)                                                                \
    [OP_##e] = {text, arity, FORM_##form, RULE_##rule, DEVICE_##device, LIBM_##host, SLOPES_##d},
#include "ops.def"
#undef OP
};
_Static_assert(sizeof op_rows / sizeof *op_rows == OP_COUNT, "a row for each operator");

#define TEXTS_D(...) (sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
#define TEXTS_FLAT 0
#define TEXTS_OWN 0
#define TEXTS_UNSAID 0
#define CALLED_NONE 0
#define CALLED_TD(f) 1
#define CALLED_FAST(f) 0
#define CALLED_BOTH(f) 1
#define CALLED_ALL(f) 1
#define OP(e, text, arity, form, rule, device, host, d)                                                                \
    _Static_assert(FORM_##form != FORM_CALL || CALLED_##device, #e " of ops.def: a call has a device function");       \
    _Static_assert(!TEXTS_##d || TEXTS_##d == (arity), #e " of ops.def: a derivative for each operand");
#include "ops.def"
#undef OP

static const unsigned char op_sets[OP_COUNT] = {
#define LESS OUTCOME_LESS
#define EQUAL OUTCOME_EQUAL
#define GREATER OUTCOME_GREATER
#define UNORDERED OUTCOME_UNORDERED
#define COMPARISON(e, text, outcomes) [OP_##e] = (outcomes),
#define OP(e, ...)
#include "ops.def"
#undef OP
#undef LESS
#undef EQUAL
#undef GREATER
#undef UNORDERED
};

/* Each operator on floats has a bound of its error: the row of ulp.def that this misses is to be written there, and
 * one that this does not use is for no operator on floats. */
enum {
#define ULP(e, f32, f64, unit) ULP_BOUND_##e,
#include "ulp.def"
    ULP_BOUNDS
};
enum {
    ULP_OPS = 0
#define ULP_NONE(e) 0
#define ULP_INT(e) 0
#define ULP_LOGIC(e) 0
#define ULP_COMPARE(e) 0
#define ULP_TEST(e) 0
#define ULP_SELECT(e) 0
#define ULP_RANDOM(e) 0
#define ULP_ARITH(e) (ULP_BOUND_##e >= 0)
#define ULP_FLOAT(e) (ULP_BOUND_##e >= 0)
#define OP(e, text, arity, form, rule, ...) +ULP_##rule(e)
#include "ops.def"
#undef OP
};
_Static_assert((int)ULP_BOUNDS == (int)ULP_OPS, "a row of ulp.def is for no operator on floats");

static const struct {
    RuleTypes types;
    bool commutes, idempotent;
    Op best;
    Type wide;
    const char *atomic, *floats, *others;
} monoid_facts[] = {
#define BEST_MAX OP_MAX
#define BEST_MIN OP_MIN
#define BEST_NONE OP_COUNT
#define WIDE_F32 TY_F32
#define WIDE_NONE TY_COUNT
#define MONOID(e, name, parts, indexed, types, commutes, idempotent, atomic, wide, best, floats, others)               \
    [MONOID_##e] = {RULES_##types, commutes, idempotent, BEST_##best, WIDE_##wide, atomic, floats, others},
#include "monoids.def"
#undef MONOID
};

static const Monoid monoid_rows[] = {
#define MONOID(e, text, parts, with_index, types, commutes, idempotent, atomic, wide, best, floats, others)            \
    [MONOID_##e] = {.name = #text, .kind = MONOID_##e, .ordered = !(commutes), .indexed = with_index, .n = parts},
#include "monoids.def"
#undef MONOID
};
_Static_assert(sizeof monoid_rows / sizeof *monoid_rows == MONOID_COUNT, "a row for each monoid");

const TypeRow *type_row(Type t) { return &type_rows[t]; }

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
bool type_ranks(Type t) { return type_is_float(t) ? type_bits(t) >= 16 : type_is_int(t) && type_bits(t) >= 8; }
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
const char *op_device(Op op) { return op_rows[op].device; }
const char *op_fast(Op op) { return op_rows[op].fast; }
const char *op_under(Op op) { return op_rows[op].under; }
OpHost op_host(Op op) { return op_rows[op].host; }
const char *op_libm(Op op) { return op_rows[op].libm; }
OpSlope op_slope(Op op) { return op_rows[op].slope; }
const char *op_derivative(Op op, int arg) { return arg >= 0 && arg < OP_ARGS ? op_rows[op].d[arg] : NULL; }
bool monoid_folds(MonoidKind kind, Type t) { return rule_has_type(monoid_facts[kind].types, t); }
bool monoid_selects(MonoidKind kind, Op *best) {
    *best = kind < MONOID_COUNT ? monoid_facts[kind].best : OP_COUNT;
    return *best != OP_COUNT;
}
bool monoid_idempotent(MonoidKind kind) { return kind < MONOID_COUNT && monoid_facts[kind].idempotent; }
const char *monoid_atomic(MonoidKind kind) { return kind < MONOID_COUNT ? monoid_facts[kind].atomic : NULL; }

bool monoid_atomic_wide(MonoidKind kind, Type t) { return kind < MONOID_COUNT && monoid_facts[kind].wide == t; }

bool monoid_exchanged(MonoidKind kind, Type t) { return type_is_float(t) && monoid_idempotent(kind); }

bool monoid_updates(MonoidKind kind, Type t, const Options *o) {
    if (!monoid_atomic(kind) || !type_is_compute(t)) return false;
    return monoid_idempotent(kind) || !type_is_float(t) || option_is(o, ATOMICS_FAST);
}

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

unsigned op_outcomes(Op op) { return op_sets[op]; }

/* The comparison that holds for these of the outcomes that integers have; `op` where op is none. */
static Op with_outcomes(Op op, unsigned set) {
    const unsigned ordered = OUTCOME_LESS | OUTCOME_EQUAL | OUTCOME_GREATER;
    for (int i = 0; op_sets[op] && i < OP_COUNT; i++)
        if ((op_sets[i] & ordered) == (set & ordered)) return (Op)i;
    return op;
}

Op op_negated(Op op) { return with_outcomes(op, ~op_outcomes(op)); }

Op op_swapped(Op op) {
    unsigned set = op_outcomes(op), mirrored = set & OUTCOME_EQUAL;
    if (set & OUTCOME_LESS) mirrored |= OUTCOME_GREATER;
    if (set & OUTCOME_GREATER) mirrored |= OUTCOME_LESS;
    return with_outcomes(op, mirrored);
}
