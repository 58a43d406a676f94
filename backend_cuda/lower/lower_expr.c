/* Lowering, expressions: constants, extents over dimensions, expressions on elements, index polynomials. */
#include "lower_internal.h"

#include "ir/expr_is.h"

#include <math.h>
#include <stdio.h>

const Code *expr_number_code(Lower *l, Type t, double f) {
    const char *suffix = t == TY_F64 ? "" : "f";
    if (isnan(f)) return code(l->ctx, t == TY_F64 ? "(double)NAN" : "NAN");
    if (isinf(f))
        return code(l->ctx, f < 0 ? (t == TY_F64 ? "(double)-INFINITY" : "-INFINITY")
                                  : (t == TY_F64 ? "(double)INFINITY" : "INFINITY"));
    char b[48];
    for (int p = 1; p <= 17; p++) {
        snprintf(b, sizeof b, "%.*g", p, f);
        double back;
        sscanf(b, "%lf", &back);
        if (t == TY_F64 ? back == f : (float)back == (float)f) break;
    }
    bool whole = true;
    for (const char *c = b; *c; c++) whole = whole && *c != '.' && *c != 'e';
    return code(l->ctx, f < 0 || signbit(f) ? "(%s%s%s)" : "%s%s%s", sym(l->ctx, b), whole ? ".0" : "", suffix);
}

static const Code *const_code(Lower *l, const Expr *e) {
    if (type_is_float(e->type)) return expr_number_code(l, e->type, e->u.f);
    int64_t i = e->u.i;
    if (e->type == TY_BOOL) return code(l->ctx, i ? "true" : "false");
    if (i == INT64_MIN) return code(l->ctx, "INT64_MIN");
    if (i == INT32_MIN) return code(l->ctx, "INT32_MIN");
    const char *suffix = e->type == TY_U32 ? "u" : i > INT32_MAX || i < INT32_MIN ? "ll" : "";
    return code(l->ctx, i < 0 ? "(%l%s)" : "%l%s", i, suffix);
}

/* ---- extents ---- */

static const Code *dim_ref(Lower *l, Dim *d, bool host) {
    bool have = false, own = host;
    for (int i = 0; i < l->needs.dims.n; i++) have = have || l->needs.dims.at[i] == d;
    for (int i = 0; i < l->needs.own_dims.n; i++) own = own || l->needs.own_dims.at[i] == d;
    if (!have) vec_push(l->ctx, &l->needs.dims, d);
    if (!own) vec_push(l->ctx, &l->needs.own_dims, d);
    if (host) return code(l->ctx, "%p", param_name(l, d->name));
    index_fits(l, poly_of(&l->env, expr_dim(l->g, d)));
    return code_name(l->ctx, name_of(l, d, d->name));
}

/* Truncating and flooring agree. */
static bool nonneg_quotient(Lower *l, const Expr *e) {
    Poly by = poly_sub(l->ctx, poly_of(&l->env, e->arg[1]), poly_const(l->ctx, 1));
    return poly_nonneg(&l->env, poly_of(&l->env, e->arg[0])) && poly_nonneg(&l->env, by);
}

static const Code *new_dim_code(Lower *l, const Expr *e, bool host) {
    if (!host && e->nargs) index_fits(l, poly_of(&l->env, e));
    /* One after the other: the order in which dimensions are met is that of the kernel's arguments. */
    const Code *a = e->nargs > 0 ? dim_code(l, e->arg[0], host) : NULL;
    const Code *b = e->nargs > 1 ? dim_code(l, e->arg[1], host) : NULL;
    switch (e->op) {
    case OP_CONST: return code(l->ctx, e->u.i < 0 ? "(%l)" : "%l", e->u.i);
    case OP_DIM: return dim_ref(l, e->u.dim, host);
    case OP_CAST: return a;
    case OP_DIV:
        if (nonneg_quotient(l, e)) return code(l->ctx, "(%c / %c)", a, b);
        return code(l->ctx, "td_floor_div<%s>(%c, %c)", host ? "int64_t" : "I", a, b);
    case OP_MOD: return code(l->ctx, "td_floor_mod<%s>(%c, %c)", host ? "int64_t" : "I", a, b);
    case OP_NEG: return code(l->ctx, "(-%c)", a);
    case OP_MIN:
    case OP_MAX: return code(l->ctx, "(%c %s %c ? %c : %c)", a, e->op == OP_MIN ? "<" : ">", b, a, b);
    default:
        if (e->nargs == 2) return code(l->ctx, "(%c %s %c)", a, op_text(e->op), b);
        lower_fail(l, "an extent that is not an expression of dimensions");
        return code(l->ctx, "0");
    }
}

const Code *dim_code(Lower *l, const Expr *e, bool host) {
    const Code *s = expr_map_get(&l->dims[host], e);
    if (s) return s;
    s = new_dim_code(l, e, host);
    expr_map_put(l->ctx, &l->dims[host], e, s);
    return s;
}

const Code *dim_divmod(Lower *l, const Expr *e) {
    int i = 0;
    while (i < l->needs.divmods.n && l->needs.divmods.at[i].by != e) i++;
    if (i == l->needs.divmods.n) vec_push(l->ctx, &l->needs.divmods, ((DivMod){e, dim_code(l, e, true)}));
    return code(l->ctx, "arg.td_by_%d", i + 1);
}

/* ---- expressions on elements ---- */

static bool small_int(const Expr *e) { /* its C text has type int or I */
    return e->op == OP_VAR || e->op == OP_FACTOR || e->op == OP_DIM ||
           (e->op == OP_CONST && e->u.i >= INT32_MIN && e->u.i <= INT32_MAX);
}

const Axis *axis_of(const Lower *l, const Var *v) {
    for (int i = 0; i < l->part->axes.n; i++)
        if (l->part->axes.at[i]->var == v) return l->part->axes.at[i];
    return NULL;
}

const Code *expr_registers(Lower *l, const Axis *a, const Layout *layout, const Factor *first, const Factor *without) {
    Factor *f[MAX_FACTORS];
    int n = list_reg_factors(layout, layout ? layout_axis_factors(layout, a) : 0, f);
    const Code *r = NULL;
    for (int k = 0; k < n; k++) {
        if (f[k] == without || factor_is_first(l, f[k])) continue;
        int64_t stride = 1;
        if (!expr_is_int(f[k]->stride, &stride)) lower_fail(l, "a register factor inside an open one");
        const Code *digit = factor_code(l, f[k]);
        if (f[k] == first && stride == 1) digit = code(l->ctx, "(A == 1 ? 0 : %c)", digit);
        r = code_join(l->ctx, r, " + ", stride == 1 ? digit : code(l->ctx, "%c * %l", digit, stride));
    }
    return r;
}

static const Code *var_code(Lower *l, const Expr *e, const Layout *layout) {
    const Axis *a = axis_of(l, e->u.var);
    if (a) {
        const Code *base = code_name(l->ctx, axis_name(l, a, layout)), *more = expr_registers(l, a, layout, NULL, NULL);
        return more ? code(l->ctx, "(%c + %c)", base, more) : base;
    }
    lower_fail(l, "an index variable without an axis: %s", e->u.var->name);
    return code(l->ctx, "0");
}

static const Code *value_code(Lower *l, const Value *v) {
    if (!value_packed(v)) return value_element(l, v);
    Sym name = value_name(l, v);
    return code(l->ctx, "td_get<%s>(%n, %c)", lower_storage_type(v->type), name, value_index(l, v));
}

typedef struct IntBounds {
    const char *lo, *hi;
} IntBounds;

/* Bits that hold |e|, 64 where nothing is known. Indices and dimensions have 40 (glue.c). */
static int int_bits(const Expr *e, int depth) {
    enum { DEEP = 12, INDEX_BITS = 40 };
    if (depth > DEEP || type_is_float(e->type)) return 64;
    int a = 64, b = 64, own = e->type == TY_BOOL ? 1 : type_bits(e->type);
    if (e->op == OP_IF) {
        a = int_bits(e->arg[1], depth + 1), b = int_bits(e->arg[2], depth + 1);
    } else {
        if (e->nargs > 0) a = int_bits(e->arg[0], depth + 1);
        if (e->nargs > 1) b = int_bits(e->arg[1], depth + 1);
    }
    int most = a > b ? a : b;
    switch (e->op) {
    case OP_CONST: {
        uint64_t v = e->u.i < 0 ? 0 - (uint64_t)e->u.i : (uint64_t)e->u.i;
        for (own = 0; v; v >>= 1) own++;
        return own;
    }
    case OP_VAR:
    case OP_DIM:
    case OP_FACTOR: return INDEX_BITS;
    case OP_CAST: most = type_is_float(e->arg[0]->type) ? 64 : a; break;
    case OP_ADD:
    case OP_SUB: most++; break;
    case OP_MUL: most = a + b; break;
    case OP_NEG:
    case OP_ABS: most = a; break;
    case OP_MIN:
    case OP_MAX:
    case OP_IF: break;
    default: most = 64; break;
    }
    return most < own ? most : own;
}

/* Whether a narrow float has all digits of an integer. */
static bool holds_exactly(Type to, const Expr *from) {
    enum { F16_BITS = 11, BF16_BITS = 8 };
    const int bits = int_bits(from, 0);
    return (to == TY_F16 && bits <= F16_BITS) || (to == TY_BF16 && bits <= BF16_BITS);
}

static const Code *cast_code(Lower *l, Type to, const Expr *from, const Code *x) {
    static const IntBounds bounds[TY_COUNT] = {
        [TY_I64] = {"INT64_MIN", "INT64_MAX"},
        [TY_I32] = {"INT32_MIN", "INT32_MAX"},
        [TY_I16] = {"-32768", "32767"},
        [TY_I8] = {"-128", "127"},
        [TY_U32] = {"0u", "UINT32_MAX"},
        [TY_U16] = {"0", "65535"},
        [TY_U8] = {"0", "255"},
        [TY_I4] = {"-8", "7"},
        [TY_U4] = {"0", "15"},
    };
    if (to == TY_BOOL) return code(l->ctx, "(%c != 0)", x);
    if (type_is_float(to)) {
        if (to == TY_F64) return code(l->ctx, "(double)(%c)", x);
        /* One rounding: what float does not hold goes to a narrower type by its odd neighbour. That is f64, and wide
         * integers where the type is bf16, the only narrower one with float's range. */
        bool wide = type_is_float(from->type) ? from->type == TY_F64 : to == TY_BF16 && int_bits(from, 0) > 24;
        bool twice = wide && type_bits(to) < 32;
        const Code *f = x;
        if (twice)
            f = type_is_float(from->type) ? code(l->ctx, "td_odd(%c)", x)
                                          : code(l->ctx, "td_odd((%s)%c)", lower_value_type(from->type), x);
        else if (from->type == TY_F64 || !type_is_float(from->type))
            f = code(l->ctx, "(float)(%c)", x);
        return to == TY_F32 || holds_exactly(to, from) ? f
                                                       : code(l->ctx, "td_round<%s>(%c)", lower_storage_type(to), f);
    }
    if (type_is_float(from->type))
        return code(l->ctx, "td_to_int<%s>(%c, %s, %s)", lower_value_type(to), x, bounds[to].lo, bounds[to].hi);
    if (to == TY_I64 && small_int(from)) return code(l->ctx, "(int64_t)(%c)", x);
    if (to == TY_I32 && small_int(from)) return from->op == OP_CONST ? x : code(l->ctx, "(int32_t)%c", x);
    if (type_bits(to) >= 32) return code(l->ctx, "(%s)(%c)", lower_value_type(to), x);
    if (type_bits(to) < 8) return code(l->ctx, "td_round<%s>((int32_t)(%c))", lower_storage_type(to), x);
    return code(l->ctx, "(%s)(%s)(%c)", lower_value_type(to), lower_storage_type(to), x);
}

/* `option math = fast` of f32. */
static bool is_fast(const Lower *l, const Expr *e) {
    return e->type == TY_F32 && op_fast(e->op) && option_is(&l->g->options, MATH_FAST);
}

/* Sums, differences and products of integers where they may wrap; NULL where they cannot, or unsigned ones do in C. */
static const Code *wrapping_code(Lower *l, const Expr *e, const Code *a, const Code *b) {
    const char *name = e->op == OP_ADD ? "td_add" : e->op == OP_SUB ? "td_sub" : e->op == OP_MUL ? "td_mul" : NULL;
    int x = int_bits(e->arg[0], 0), y = int_bits(e->arg[1], 0), bits = e->op == OP_MUL ? x + y : (x > y ? x : y) + 1;
    if (!name || e->type == TY_U32 || bits < type_bits(e->type)) return NULL;
    return code(l->ctx, "%s<%s>(%c, %c)", name, lower_value_type(e->type), a, b);
}

static const Code *shift_code(Lower *l, const Expr *e, const Code *a, const Code *b) {
    int64_t n;
    bool left = e->op == OP_SHL, fixed = expr_is_int(e->arg[1], &n) && n >= 0 && n < type_bits(e->type);
    if (fixed && (!left || e->type == TY_U32)) return code(l->ctx, "(%c %s %c)", a, op_text(e->op), b);
    return code(l->ctx, "%s<%s>(%c, %c)", left ? "td_shl" : "td_shr", lower_value_type(e->type), a, b);
}

/* An axis's index compared with what the thread's registers share: the difference is taken once, not for each register.
 * NULL: it is no such comparison. */
static const Code *difference_once(Lower *l, const Expr *e, const Code *a, const Code *b) {
    if (e->op != OP_EQ && e->op != OP_NE) return NULL;
    for (int k = 0; k < 2; k++) {
        const Expr *i = e->arg[k], *other = e->arg[!k];
        while (i->op == OP_CAST) i = i->arg[0];
        if (i->op != OP_VAR || reg_factors(l, expr_domain(l->part, l->open.layout, other))) continue;
        const Axis *axis = axis_of(l, i->u.var);
        const Code *more = axis ? expr_registers(l, axis, l->open.layout, NULL, NULL) : NULL;
        const char *const format =
            type_bits(other->type) > 32 ? "(td_sub<I>(td_as_index<I>(%c), %n) %s (%c))" : "(td_sub<I>(%c, %n) %s (%c))";
        if (more) return code(l->ctx, format, k ? a : b, axis_name(l, axis, l->open.layout), op_text(e->op), more);
    }
    return NULL;
}

/* What a condition is made of, as far as was looked. */
typedef struct Condition {
    int nodes;
    bool dear; /* holds what takes long */
} Condition;

enum { CHEAP_NODES = 24 };

/* What takes an instruction or two whatever its operands are. */
static bool is_cheap(const Expr *e) {
    const OpRule rule = op_rule(e->op);
    int64_t times;
    const bool sum = e->op == OP_ADD || e->op == OP_SUB || e->op == OP_CAST ||
                     (e->op == OP_MUL && (expr_is_int(e->arg[0], &times) || expr_is_int(e->arg[1], &times)));
    return !e->nargs || sum || rule == RULE_COMPARE || rule == RULE_LOGIC || rule == RULE_TEST;
}

static Found visit_condition(const Expr *e, void *user) {
    Condition *c = user;
    c->nodes++;
    c->dear = c->dear || !is_cheap(e);
    return c->dear || c->nodes > CHEAP_NODES ? FOUND : FOUND_INSIDE;
}

/* && and || of conditions that are cheaper than a branch around them. */
static const char *joined_text(const Expr *e) {
    Condition right = {0};
    if (e->op != OP_AND && e->op != OP_OR) return op_text(e->op);
    expr_visit(e->arg[1], visit_condition, &right);
    if (right.dear || right.nodes > CHEAP_NODES) return op_text(e->op);
    return e->op == OP_AND ? "&" : "|";
}

static bool divides_index(Lower *l, const Expr *e);

static bool is_index_quotient(Lower *l, const Expr *e) {
    return (e->op == OP_DIV || e->op == OP_MOD) && divides_index(l, e);
}

/* Whether a quotient or remainder is as that of an index: of what is not negative and as bounded as indices are, by
 * lengths. Another one of them is, whatever the bounds of what it is made of add up to. */
static bool divides_index(Lower *l, const Expr *e) {
    if (e->type != TY_I64 || !expr_over_dims(e->arg[1])) return false;
    const Poly y = poly_of(&l->env, e->arg[1]);
    int64_t lo = 0, hi, least, most;
    if (y.failed || !index_bounded(l, y)) return false;
    if (!is_index_quotient(l, e->arg[0])) {
        const Poly x = poly_of(&l->env, e->arg[0]);
        if (x.failed || !index_bounded(l, x)) return false;
        poly_bounds(&l->env, x, &lo, &hi);
    }
    poly_bounds(&l->env, y, &least, &most);
    return lo >= 0 && least >= 0 && most > 0;
}

static const Code *index_quotient(Lower *l, const Expr *e, const Code *a, const Code *b) {
    const Poly y = poly_of(&l->env, e->arg[1]);
    const bool div = e->op == OP_DIV;
    int64_t fixed;
    if (!is_index_quotient(l, e->arg[0])) index_fits(l, poly_of(&l->env, e->arg[0]));
    index_fits(l, y);
    if (poly_is_const(y, &fixed) && fixed > 0) return code(l->ctx, "((I)%c %p %c)", a, div ? "/" : "%", b);
    return code(l->ctx, "%s((I)%c, %c)", div ? "td_div_by" : "td_mod_by", a, dim_divmod(l, e->arg[1]));
}

/* Whether e is index arithmetic of which all that is computed on the way is as bounded as indices are: the kernel's
 * index type holds it. A product of two lengths may be as large as a tensor, and is left to 64 bits, but in what is
 * divided: that fits in any case (index_quotient). */
static bool in_index_type(Lower *l, const Expr *e, bool divided) {
    int64_t c;
    if (e->op == OP_VAR) return axis_of(l, e->u.var) != NULL;
    if (small_int(e)) return true;
    if (e->type != TY_I64) return false;
    if (e->op == OP_DIV || e->op == OP_MOD) return divides_index(l, e) && in_index_type(l, e->arg[0], true);
    const bool product = e->op == OP_MUL && (divided || expr_is_int(e->arg[0], &c) || expr_is_int(e->arg[1], &c));
    if (e->op != OP_ADD && e->op != OP_SUB && e->op != OP_MIN && e->op != OP_MAX && !product) return false;
    if (!in_index_type(l, e->arg[0], divided) || !in_index_type(l, e->arg[1], divided)) return false;
    const Poly p = poly_of(&l->env, e);
    return !p.failed && index_bounded(l, p);
}

/* Its text of that type. */
static const Code *index_type_code(Lower *l, const Expr *e, const Layout *layout) {
    if (e->op == OP_VAR || small_int(e)) return expr_code(l, e, layout);
    const Code *a = index_type_code(l, e->arg[0], layout);
    if (e->op == OP_DIV || e->op == OP_MOD) return index_quotient(l, e, a, expr_code(l, e->arg[1], layout));
    const Code *b = index_type_code(l, e->arg[1], layout);
    index_fits(l, poly_of(&l->env, e));
    if (e->op == OP_MIN || e->op == OP_MAX) return code(l->ctx, "%s<I>(%c, %c)", op_device(e->op), a, b);
    return code(l->ctx, "(%c %s %c)", a, op_text(e->op), b);
}

static const Code *infix_code(Lower *l, const Expr *e, const Code *a, const Code *b) {
    const Expr *x = e->arg[0], *y = e->arg[1];
    bool integer = !type_is_float(x->type) && x->type != TY_BOOL;
    if (e->op == OP_MOD && !integer) return code(l->ctx, "td_mod(%c, %c)", a, b);
    if ((e->op == OP_DIV || e->op == OP_MOD) && integer) {
        const char *f = e->op == OP_DIV ? "td_floor_div" : "td_floor_mod";
        if (divides_index(l, e)) return code(l->ctx, "(int64_t)%c", index_quotient(l, e, a, b));
        if (e->type == TY_I64 && small_int(x) && small_int(y)) return code(l->ctx, "%s<I>(%c, %c)", f, a, b);
        return code(l->ctx, "%s<%s>(%c, %c)", f, lower_value_type(e->type), a, b);
    }
    if (integer && (op_rule(e->op) == RULE_ARITH || op_rule(e->op) == RULE_INT) && e->type == TY_I64 &&
        (small_int(x) || small_int(y))) {
        /* index arithmetic is 64-bit; its leaves are 32-bit variables */
        a = code(l->ctx, "(int64_t)%c", a);
    }
    if (e->op == OP_SHL || e->op == OP_SHR) return shift_code(l, e, a, b);
    const Code *special = integer ? difference_once(l, e, a, b) : NULL;
    if (!special && integer) special = wrapping_code(l, e, a, b);
    if (special) return special;
    if (op_rule(e->op) == RULE_COMPARE && x->type == TY_I64 && in_index_type(l, x, false) &&
        in_index_type(l, y, false)) {
        a = index_type_code(l, x, l->open.layout);
        b = index_type_code(l, y, l->open.layout);
    }
    return code(l->ctx, "(%c %s %c)", a, joined_text(e), b);
}

static const Code *scalar_code(Lower *l, Scalar *s) {
    bool have = false;
    for (int i = 0; i < l->needs.scalars.n; i++) have = have || l->needs.scalars.at[i] == s;
    if (!have) vec_push(l->ctx, &l->needs.scalars, s);
    const Code *at = code(l->ctx, "arg.%p", param_name(l, s->name));
    /* the C interface passes a narrow float as float */
    return type_is_float(s->type) && type_bits(s->type) < 32
               ? code(l->ctx, "td_round<%s>(%c)", lower_storage_type(s->type), at)
               : at;
}

/* The variable that keeps the last words of a seed and a stream. */
static Sym random_words(Lower *l, const Expr *seed, const Expr *stream) {
    for (int i = 0; i < l->needs.randoms.n; i++)
        if (l->needs.randoms.at[i].seed == seed && l->needs.randoms.at[i].stream == stream)
            return l->needs.randoms.at[i].name;
    RandomWords *r = NEW(l->ctx, RandomWords);
    *r = (RandomWords){seed, stream, name_of(l, r, "random")};
    vec_push(l->ctx, &l->needs.randoms, *r);
    return r->name;
}

static const Code *random_code(Lower *l, const Expr *e, const Layout *layout) {
    const Code *a[3];
    for (int i = 0; i < 3; i++) a[i] = expr_code(l, e->arg[i], layout);
    if (!expr_is_uniform(e->arg[0]) || !expr_is_uniform(e->arg[1]))
        return code(l->ctx, "td_random(%c, %c, %c)", a[0], a[1], a[2]);
    return code(l->ctx, "td_random(%n, %c, %c, %c)", random_words(l, e->arg[0], e->arg[1]), a[0], a[1], a[2]);
}

const Code *expr_made(Lower *l, const Expr *e, const Layout *layout) {
    for (int i = 0; i < l->open.made.n; i++) {
        const Made *m = &l->open.made.at[i];
        if (m->of != e || m->layout != layout) continue;
        int64_t count;
        const Code *number = digits_code(l, layout, m->regs, &count);
        return count > 1 ? code(l->ctx, "%n[%c]", m->name, number) : code_name(l->ctx, m->name);
    }
    return NULL;
}

/* A call of the prelude's function for an operator. */
static const Code *call_code(Lower *l, const Expr *e, const Code *a, const Code *b, const Layout *layout) {
    const char *name = is_fast(l, e)                      ? op_fast(e->op)
                       : expr_map_number(&l->under, e, 0) ? op_under(e->op)
                                                          : op_device(e->op);
    if (b) a = code(l->ctx, "%c, %c", a, b);
    if (e->nargs > 2) a = code(l->ctx, "%c, %c", a, expr_code(l, e->arg[2], layout));
    bool typed = (e->op == OP_MAX || e->op == OP_MIN) && e->type == TY_I64;
    return code(l->ctx, "%s%s(%c)", name, typed ? "<int64_t>" : "", a);
}

/* An index becomes a float from 32 bits where it fits these: from 64 that takes four times as long. */
static const Code *cast_operand(Lower *l, const Expr *e, const Layout *layout) {
    const Expr *from = e->arg[0];
    const bool index = type_is_float(e->type) && from->type == TY_I64 && in_index_type(l, from, false);
    return index ? index_type_code(l, from, layout) : expr_code(l, from, layout);
}

const Code *expr_code(Lower *l, const Expr *e, const Layout *layout) {
    if (l->failed) return code(l->ctx, "0");
    switch (e->op) {
    case OP_CONST: return const_code(l, e);
    case OP_VAR: return var_code(l, e, layout);
    case OP_DIM: return dim_ref(l, e->u.dim, false);
    case OP_SCALAR: return scalar_code(l, e->u.scalar);
    case OP_VALUE: return value_code(l, e->u.value);
    case OP_FACTOR: return factor_code(l, e->u.factor);
    case OP_ARG: return l->args[e->u.i];
    case OP_CAST: return cast_code(l, e->type, e->arg[0], cast_operand(l, e, layout));
    case OP_RANDOM: return random_code(l, e, layout);
    case OP_IF: {
        const Code *c = expr_code(l, e->arg[0], layout), *a = expr_code(l, e->arg[1], layout);
        return code(l->ctx, "(%c ? %c : %c)", c, a, expr_code(l, e->arg[2], layout));
    }
    case OP_LOAD:
    case OP_REDUCE:
        lower_fail(l, "a load or reduction inside an expression: it needs a stage of its own");
        return code(l->ctx, "0");
    default: break;
    }
    const bool divides = e->op == OP_DIV || e->op == OP_MOD;
    if ((divides || e->op == OP_MAX || e->op == OP_MIN) && in_index_type(l, e, false))
        return code(l->ctx, "(int64_t)%c", index_type_code(l, e, layout));
    const Code *a = expr_code(l, e->arg[0], layout), *b = e->nargs > 1 ? expr_code(l, e->arg[1], layout) : NULL;
    if (e->op == OP_DIV && is_fast(l, e)) return code(l->ctx, "%s(%c, %c)", op_fast(e->op), a, b);
    if (e->op == OP_DIV && e->type == TY_F32) return divide_code(l, e, a, b, layout);
    if (op_form(e->op) == FORM_INFIX) return infix_code(l, e, a, b);
    if (op_form(e->op) == FORM_PREFIX)
        return e->op == OP_NEG && (e->type == TY_I32 || e->type == TY_I64) &&
                       int_bits(e->arg[0], 0) >= type_bits(e->type)
                   ? code(l->ctx, "td_sub<%s>(0, %c)", lower_value_type(e->type), a)
                   : code(l->ctx, "(%s%c)", op_text(e->op), a);
    return call_code(l, e, a, b, layout);
}

/* Whether code of it may be of 64 bits although it is an index: that of an operator which is not index arithmetic. */
static bool is_wide_code(Poly p) {
    for (int i = 0; i < p.n; i++)
        for (int d = 0; d < p.term[i].degree; d++) {
            const Op op = p.term[i].atom[d]->op;
            if (op == OP_MIN || op == OP_MAX || op == OP_IF) return true;
        }
    return false;
}

const Code *expr_quotient_code(Lower *l, const Expr *a) {
    const Code *made = expr_made(l, a, l->open.layout);
    if (made) return made;
    const Poly x = poly_of(&l->env, a->arg[0]), y = poly_of(&l->env, a->arg[1]);
    int64_t lo, hi, dlo, dhi, fixed;
    poly_bounds(&l->env, x, &lo, &hi);
    poly_bounds(&l->env, y, &dlo, &dhi);
    /* A sum has its parentheses; a product needs them as a divisor. */
    const bool product = y.n == 1 && y.term[0].degree && (y.term[0].degree > 1 || y.term[0].coef != 1);
    const bool div = a->op == OP_DIV;
    if (lo >= 0 && dlo >= 0 && expr_over_dims(a->arg[1]) && !poly_is_const(y, &fixed)) {
        index_fits(l, y);
        return code(l->ctx, "%s((I)%c, %c)", div ? "td_div_by" : "td_mod_by", poly_code(l, x, false),
                    dim_divmod(l, a->arg[1]));
    }
    const Code *above = poly_code(l, x, false), *below = poly_code(l, y, false);
    if (is_wide_code(x)) above = code(l->ctx, "(I)%c", above);
    if (lo >= 0 && dlo > 0) return code(l->ctx, product ? "(%c %p (%c))" : "(%c %p %c)", above, div ? "/" : "%", below);
    if (lo >= 0 && dlo == 0) return code(l->ctx, "%s<I>(%c, %c)", div ? "td_quotient" : "td_remainder", above, below);
    return code(l->ctx, "%s<I>(%c, %c)", div ? "td_floor_div" : "td_floor_mod", above, below);
}

/* The smaller or larger of two indices: the kernel's index type holds both, and all that is computed on the way. */
static bool is_bounded_choice(Lower *l, const Expr *a) {
    if ((a->op != OP_MIN && a->op != OP_MAX) || a->type != TY_I64) return false;
    const Poly x = poly_of(&l->env, a->arg[0]), y = poly_of(&l->env, a->arg[1]);
    return !x.failed && !y.failed && index_bounded(l, x) && index_bounded(l, y);
}

/* An atom of a polynomial: what index arithmetic could not take apart. */
static const Code *atom_code(Lower *l, const Expr *a) {
    const Axis *axis = a->op == OP_VAR ? axis_of(l, a->u.var) : NULL;
    if (axis) return code_name(l->ctx, axis_name(l, axis, l->open.layout));
    if (a->op == OP_DIV || a->op == OP_MOD) return expr_quotient_code(l, a);
    if (is_bounded_choice(l, a)) {
        const Code *x = poly_code(l, poly_of(&l->env, a->arg[0]), false);
        return code(l->ctx, "%s<I>(%c, %c)", op_device(a->op), x, poly_code(l, poly_of(&l->env, a->arg[1]), false));
    }
    return expr_code(l, a, l->open.layout);
}

/* A term without its sign. In a sum of which 64 bits are asked the first one is made so, and the others follow. */
static const Code *term_code(Lower *l, const PolyTerm *m, const char *widen) {
    const Code *r = NULL;
    int64_t mag = m->coef < 0 ? -m->coef : m->coef;
    for (int d = 0; d < m->degree; d++) r = code_join(l->ctx, r, " * ", atom_code(l, m->atom[d]));
    if (!m->degree || mag != 1) r = code_join(l->ctx, r, " * ", code(l->ctx, "%l", mag));
    return code(l->ctx, "%s%c", widen, r);
}

const Code *poly_code(Lower *l, Poly p, bool wide) {
    if (p.failed) lower_fail(l, "index arithmetic that overflows");
    if (p.failed || p.n == 0) return code(l->ctx, "0");
    bool small = index_small(l, p);
    if (!small && !wide) index_fits(l, p);
    const Code *r = NULL;
    for (int i = 0; i < p.n; i++) {
        const PolyTerm *m = &p.term[i];
        bool product = m->degree > 1 || (m->degree == 1 && m->coef != 1 && m->coef != -1);
        bool first_sum = wide && !i && p.n > 1;
        bool tight = small || !m->degree || (!first_sum && index_small(l, (Poly){1, &p.term[i], false}));
        bool widen = !tight && (first_sum || (product && (wide || m->atom[0]->op == OP_FACTOR)));
        const Code *term = term_code(l, m, !widen ? "" : wide ? "(int64_t)" : "(I)");
        if (i)
            r = code(l->ctx, "%c%s%c", r, m->coef < 0 ? " - " : " + ", term);
        else
            r = m->coef < 0 ? code(l->ctx, "-%c", term) : term;
    }
    return p.n > 1 ? code(l->ctx, "(%c)", r) : r;
}

const Code *poly_wrapped_code(Lower *l, Poly p) {
    const Code *r = NULL;
    if (p.failed) lower_fail(l, "index arithmetic that overflows");
    for (int i = 0; i < p.n && !p.failed; i++) {
        const Code *term = term_code(l, &p.term[i], "(td_wrap<I>)");
        r = i ? code(l->ctx, "%c%s%c", r, p.term[i].coef < 0 ? " - " : " + ", term)
              : code(l->ctx, "%s%c", p.term[i].coef < 0 ? "-" : "", term);
    }
    return r ? code(l->ctx, "(%c)", r) : code(l->ctx, "0");
}
