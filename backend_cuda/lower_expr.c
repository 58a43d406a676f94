/* Lowering, expressions: names, types, constants, values and scalar expressions as C++ text. */
#include "lower_internal.h"

#include "names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct StorageRow {
    const char *memory, *value;
} StorageRow;

_Static_assert(TY_COUNT == 16, "give the new type a row below and in prelude/, then count it here");
static const StorageRow storage[TY_COUNT] = {
    [TY_F64] = {"double", "double"},        [TY_F32] = {"float", "float"},        [TY_F16] = {"__half", "float"},
    [TY_BF16] = {"__nv_bfloat16", "float"}, [TY_I64] = {"int64_t", "int64_t"},    [TY_I32] = {"int32_t", "int32_t"},
    [TY_I16] = {"int16_t", "int32_t"},      [TY_I8] = {"int8_t", "int32_t"},      [TY_U32] = {"uint32_t", "uint32_t"},
    [TY_U16] = {"uint16_t", "int32_t"},     [TY_U8] = {"uint8_t", "int32_t"},     [TY_BOOL] = {"bool", "bool"},
    [TY_F8E4M3] = {"td_f8e4m3", "float"},   [TY_F8E5M2] = {"td_f8e5m2", "float"}, [TY_I4] = {"td_i4", "int32_t"},
    [TY_U4] = {"td_u4", "int32_t"},
};

const char *lower_storage_type(Type t) { return storage[t].memory; }
const char *c_type(Type t) { return storage[t].value; }

Sym fmt(Lower *l, const char *f, ...) {
    va_list ap;
    va_start(ap, f);
    Sym s = ctx_vfmt(l->ctx, f, ap);
    va_end(ap);
    return s;
}

void put(Lower *l, const char *f, ...) {
    if (l->dry) return;
    if (f[0] == '#') {
        text_put(&l->body, "#");
        f++;
    } else {
        for (int i = 0; i < l->indent; i++) text_put(&l->body, "    ");
    }
    va_list ap;
    va_start(ap, f);
    text_vfmt(&l->body, f, ap);
    va_end(ap);
    text_char(&l->body, '\n');
}

void fail(Lower *l, const char *f, ...) {
    if (l->failed) return;
    l->failed = true;
    va_list ap;
    va_start(ap, f);
    text_fmt(l->why, "kernel %s: ", l->k->name);
    text_vfmt(l->why, f, ap);
    va_end(ap);
}

static const char *const reserved[] = {"arg",      "auto",
                                       "bool",     "break",
                                       "case",     "char",
                                       "class",    "const",
                                       "do",       "double",
                                       "else",     "enum",
                                       "float",    "for",
                                       "if",       "int",
                                       "long",     "new",
                                       "short",    "signed",
                                       "static",   "struct",
                                       "switch",   "this",
                                       "template", "union",
                                       "unsigned", "void",
                                       "while",    "block",
                                       "thread",   "lane",
                                       "warp",     "exp",
                                       "log",      "max",
                                       "min",      "A",
                                       "t",        "v",
                                       "w",        "o",
                                       "some",     "words",
                                       "first",    "last",
                                       "from",     "to",
                                       "d",        "at",
                                       "i",        "I",
                                       "args",     "stream",
                                       "tensors",  "dims",
                                       "scalars",  "blocks_before",
                                       "and",      "or",
                                       "not",      "xor",
                                       "delete",   "default",
                                       "return",   "true",
                                       "false",    "using",
                                       "private",  "public"};

Sym name_of(Lower *l, const void *object, const char *wanted) {
    for (int i = 0; i < l->names.n; i++)
        if (l->names.at[i].object == object) return l->names.at[i].name;
    Text t = {.ctx = l->ctx};
    text_put(&t, wanted);
    for (char *c = t.s; c && *c; c++)
        if (*c == '\'' || *c == '.' || *c == '#') *c = '_';
    bool clash = strncmp(t.s, "td_", 3) == 0 || strncmp(t.s, "__", 2) == 0;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) clash = clash || !strcmp(reserved[i], t.s);
    for (int tries = 0;; tries++) {
        Sym s = clash || tries ? sym_fmt(l->ctx, "%s_%d", t.s, tries + 1) : sym(l->ctx, t.s);
        bool taken = false;
        for (int i = 0; i < l->names.n; i++) taken = taken || l->names.at[i].name == s;
        if (!taken) {
            NameRow row = {object, s};
            vec_push(l->ctx, &l->names, row);
            return s;
        }
    }
}

Sym axis_name(Lower *l, const Axis *a, const Layout *layout) {
    /* Layouts after the first have thread digits of their own, and so an index of their own. */
    if (!layout || layout == l->part->layouts.at[0]) return name_of(l, a, a->name);
    FactorSet first = thread_factors(l, layout_axis_factors(l->part->layouts.at[0], a));
    FactorSet here = thread_factors(l, layout_axis_factors(layout, a));
    if (first == here) return name_of(l, a, a->name);
    return name_of(l, sym_fmt(l->ctx, "axis %d in layout %d", a->id, layout->id),
                   fmt(l, "%s_%s", a->name, layout->name));
}

Sym factor_text(Lower *l, const Factor *f) {
    if (f->size == 1) return "0";
    int nth = 0;
    for (int i = 0; i < f->id; i++)
        if (l->part->factors.at[i]->axis == f->axis && l->part->factors.at[i]->bind == f->bind) nth++;
    return name_of(l, f,
                   nth ? fmt(l, "%s_%s%d", f->axis->name, bind_text(f->bind), nth + 1)
                       : fmt(l, "%s_%s", f->axis->name, bind_text(f->bind)));
}

Sym value_name(Lower *l, const Value *v) { return name_of(l, v, v->name); }

bool value_packed(const Value *v) {
    if (v->def && (v->def->kind == STAGE_LOAD || v->def->kind == STAGE_READ)) return true;
    return type_bits(v->type) < 32 && v->type != TY_BOOL;
}

static FactorSet scope_of(const Lower *l, FactorSet s, BindScope scope) {
    FactorSet r = 0;
    for (int i = 0; i < l->part->factors.n; i++)
        if (s >> i & 1 && bind_scope(l->part->factors.at[i]->bind) == scope) r |= (FactorSet)1 << i;
    return r;
}
FactorSet reg_factors(const Lower *l, FactorSet s) { return scope_of(l, s, SCOPE_REG); }
FactorSet thread_factors(const Lower *l, FactorSet s) { return scope_of(l, s, SCOPE_THREAD); }

int64_t reg_count(const Lower *l, FactorSet s) {
    int64_t n = 1;
    for (int i = 0; i < l->part->factors.n; i++)
        if (reg_factors(l, s) >> i & 1) n *= l->part->factors.at[i]->size;
    return n;
}

bool value_is_array(const Value *v) { return value_packed(v); }

/* Register factors stand before vector factors, so that one access fills neighbouring elements of the array. */
int list_reg_factors(const Lower *l, const Layout *layout, FactorSet s, Factor **f) {
    int n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; layout && i < layout->factors.n; i++) {
            Factor *x = layout->factors.at[i];
            if (bind_scope(x->bind) == SCOPE_REG && (s >> x->id & 1) && (x->bind == BIND_REG) == (pass == 0) &&
                x->size != 1)
                f[n++] = x;
        }
    (void)l;
    return n;
}

int value_order(const Lower *l, const Value *v, Factor **f, int64_t *stride) {
    int n = list_reg_factors(l, v->layout, v->domain, f);
    int64_t s = 1;
    for (int i = n - 1; i >= 0; i--) {
        stride[i] = s;
        s *= f[i]->size;
    }
    return n;
}

Sym value_index(Lower *l, const Value *v) {
    Factor *f[MAX_FACTORS];
    int64_t stride[MAX_FACTORS];
    int n = value_order(l, v, f, stride);
    Text t = {.ctx = l->ctx};
    for (int i = 0; i < n; i++) {
        if (i) text_put(&t, " + ");
        text_put(&t, factor_text(l, f[i]));
        if (stride[i] != 1) text_fmt(&t, " * %lld", (long long)stride[i]);
    }
    return n ? t.s : "0";
}

Sym const_text(Lower *l, Type t, int64_t i, double f) {
    if (t == TY_BOOL) return i ? "true" : "false";
    if (type_is_float(t)) {
        const char *suffix = t == TY_F64 ? "" : "f";
        if (isnan(f)) return t == TY_F64 ? "(double)NAN" : "NAN";
        if (isinf(f))
            return f < 0 ? (t == TY_F64 ? "-(double)INFINITY" : "-INFINITY")
                         : (t == TY_F64 ? "(double)INFINITY" : "INFINITY");
        char b[48];
        for (int p = 1; p <= 17; p++) {
            snprintf(b, sizeof b, "%.*g", p, f);
            double back;
            sscanf(b, "%lf", &back);
            if (t == TY_F64 ? back == f : (float)back == (float)f) break;
        }
        const char *point = strpbrk(b, ".e") ? "" : ".0";
        return f < 0 || signbit(f) ? fmt(l, "(%s%s%s)", b, point, suffix) : fmt(l, "%s%s%s", b, point, suffix);
    }
    if (i == INT64_MIN) return "INT64_MIN";
    if (i == INT32_MIN) return "INT32_MIN";
    const char *suffix = t == TY_U32 ? "u" : i > INT32_MAX || i < INT32_MIN ? "ll" : "";
    return i < 0 ? fmt(l, "(%lld%s)", (long long)i, suffix) : fmt(l, "%lld%s", (long long)i, suffix);
}

/* Whether a parameter of the entry has this name. */
static bool is_param(const Graph *g, Sym name) {
    bool is = false;
    for (int i = 0; i < g->tensors.n; i++) is = is || g->tensors.at[i]->name == name;
    for (int i = 0; i < g->dims.n; i++) is = is || g->dims.at[i]->name == name;
    for (int i = 0; i < g->scalars.n; i++) is = is || g->scalars.at[i]->name == name;
    return is;
}

Sym param_name(Lower *l, Sym name) {
    if (!name_reserved(name)) return name;
    const char *before = name[0] == '_' || !strncmp(name, "td_", 3) ? "v" : ""; /* no end makes these free */
    name = sym_fmt(l->ctx, *before ? "%s%s" : "%s%s_", before, name);
    while (name_reserved(name) || is_param(l->g, name)) name = sym_fmt(l->ctx, "%s_", name);
    return name;
}

Sym tensor_text(Lower *l, Tensor *t) {
    bool have = false;
    for (int i = 0; i < l->tensors.n; i++) have = have || l->tensors.at[i] == t;
    if (!have) vec_push(l->ctx, &l->tensors, t);
    return fmt(l, "arg.%s", param_name(l, t->name));
}

static Sym dim_ref(Lower *l, Dim *d, bool host) {
    bool have = false, own = host;
    for (int i = 0; i < l->dims.n; i++) have = have || l->dims.at[i] == d;
    for (int i = 0; i < l->own_dims.n; i++) own = own || l->own_dims.at[i] == d;
    if (!have) vec_push(l->ctx, &l->dims, d);
    if (!own) vec_push(l->ctx, &l->own_dims, d);
    if (host) return param_name(l, d->name);
    index_fits(l, poly_of(&l->env, expr_dim(l->g, d)));
    return name_of(l, d, d->name);
}

/* Truncating and flooring agree. */
static bool nonneg_quotient(Lower *l, const Expr *e) {
    int64_t lo, hi, dlo, dhi;
    poly_bounds(&l->env, poly_of(&l->env, e->arg[0]), &lo, &hi);
    poly_bounds(&l->env, poly_of(&l->env, e->arg[1]), &dlo, &dhi);
    return lo >= 0 && dlo > 0;
}

Sym dim_text(Lower *l, const Expr *e, bool host) {
    if (!host && e->nargs) index_fits(l, poly_of(&l->env, e));
    /* One after the other: the order in which dimensions are met is that of the kernel's arguments. */
    Sym a = e->nargs > 0 ? dim_text(l, e->arg[0], host) : NULL, b = e->nargs > 1 ? dim_text(l, e->arg[1], host) : NULL;
    switch (e->op) {
    case OP_CONST: return fmt(l, e->u.i < 0 ? "(%lld)" : "%lld", (long long)e->u.i);
    case OP_DIM: return dim_ref(l, e->u.dim, host);
    case OP_CAST: return a;
    case OP_DIV:
        if (nonneg_quotient(l, e)) return fmt(l, "(%s / %s)", a, b);
        return fmt(l, "td_floor_div<%s>(%s, %s)", host ? "int64_t" : "I", a, b);
    case OP_MOD: return fmt(l, "td_floor_mod<%s>(%s, %s)", host ? "int64_t" : "I", a, b);
    case OP_NEG: return fmt(l, "(-%s)", a);
    case OP_MIN:
    case OP_MAX: return fmt(l, "(%s %s %s ? %s : %s)", a, e->op == OP_MIN ? "<" : ">", b, a, b);
    default:
        if (e->nargs == 2) return fmt(l, "(%s %s %s)", a, op_text(e->op), b);
        fail(l, "an extent that is not an expression of dimensions");
        return "0";
    }
}

/* ---- expressions ---- */

static bool small_int(const Expr *e) { /* its C text has type int or I */
    return e->op == OP_VAR || e->op == OP_FACTOR || e->op == OP_DIM ||
           (e->op == OP_CONST && e->u.i >= INT32_MIN && e->u.i <= INT32_MAX);
}

static Sym var_text(Lower *l, const Expr *e, const Layout *layout) {
    for (int i = 0; i < l->part->axes.n; i++) {
        Axis *a = l->part->axes.at[i];
        if (a->var != e->u.var) continue;
        Text t = {.ctx = l->ctx};
        Factor *f[MAX_FACTORS];
        int n = list_reg_factors(l, layout, layout ? layout_axis_factors(layout, a) : 0, f);
        text_put(&t, n ? "(" : "");
        text_put(&t, axis_name(l, a, layout));
        for (int k = 0; k < n; k++) {
            int64_t stride = 1;
            if (!expr_is_int(f[k]->stride, &stride)) fail(l, "a register factor inside an open one");
            text_fmt(&t, " + %s", factor_text(l, f[k]));
            if (stride != 1) text_fmt(&t, " * %lld", (long long)stride);
        }
        text_put(&t, n ? ")" : "");
        return t.s;
    }
    fail(l, "an index variable without an axis: %s", e->u.var->name);
    return "0";
}

static Sym value_text(Lower *l, const Value *v) {
    Sym name = value_name(l, v);
    if (value_packed(v)) return fmt(l, "td_get<%s>(%s, %s)", lower_storage_type(v->type), name, value_index(l, v));
    return reg_count(l, v->domain) > 1 ? fmt(l, "%s[%s]", name, value_index(l, v)) : name;
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

static Sym cast_text(Lower *l, Type to, const Expr *from, Sym x) {
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
    if (to == TY_BOOL) return fmt(l, "(%s != 0)", x);
    if (type_is_float(to)) {
        if (to == TY_F64) return fmt(l, "(double)(%s)", x);
        /* one rounding: of integers, only bf16 has fewer bits than float and its range */
        bool twice = type_bits(to) < 32 && (from->type == TY_F64 || (to == TY_BF16 && int_bits(from, 0) > 24));
        Sym f = twice && !type_is_float(from->type)                  ? fmt(l, "td_odd((%s)%s)", c_type(from->type), x)
                : twice                                              ? fmt(l, "td_odd(%s)", x)
                : from->type == TY_F64 || !type_is_float(from->type) ? fmt(l, "(float)(%s)", x)
                                                                     : x;
        return to == TY_F32 ? f : fmt(l, "td_round<%s>(%s)", storage[to].memory, f);
    }
    if (type_is_float(from->type))
        return fmt(l, "td_to_int<%s>(%s, %s, %s)", c_type(to), x, bounds[to].lo, bounds[to].hi);
    if (to == TY_I64 && small_int(from)) return fmt(l, "(int64_t)(%s)", x);
    if (to == TY_I32 && small_int(from)) return from->op == OP_CONST ? x : fmt(l, "(int32_t)%s", x);
    if (!strcmp(c_type(to), storage[to].memory)) return fmt(l, "(%s)(%s)", c_type(to), x);
    if (type_bits(to) < 8) return fmt(l, "td_round<%s>((int32_t)(%s))", storage[to].memory, x);
    return fmt(l, "(%s)(%s)(%s)", c_type(to), storage[to].memory, x);
}

/* Functions of f32 that the hardware approximates: `option math = fast`. */
static bool has_fast(Op op) {
    switch (op) {
    case OP_DIV:
    case OP_POW:
    case OP_SQRT:
    case OP_RSQRT:
    case OP_EXP:
    case OP_EXP2:
    case OP_LOG:
    case OP_LOG2:
    case OP_LOG10:
    case OP_SIN:
    case OP_COS:
    case OP_TAN:
    case OP_TANH:
    case OP_SIGMOID: return true;
    default: return false;
    }
}

static bool is_fast(const Lower *l, const Expr *e) {
    return e->type == TY_F32 && has_fast(e->op) && option_is(&l->g->options, MATH_FAST);
}

static const char *function_name(Op op) {
    static const struct {
        Op op;
        const char *name;
    } odd[] = {{OP_ROUND, "td_round_even"}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        if (odd[i].op == op) return odd[i].name;
    return NULL;
}

static const Axis *axis_of(const Lower *l, const Var *v) {
    for (int i = 0; i < l->part->axes.n; i++)
        if (l->part->axes.at[i]->var == v) return l->part->axes.at[i];
    return NULL;
}

/* Sums, differences and products of integers where they may wrap; NULL where they cannot, or unsigned ones do in C. */
static Sym wrapping_text(Lower *l, const Expr *e, Sym a, Sym b) {
    const char *name = e->op == OP_ADD ? "td_add" : e->op == OP_SUB ? "td_sub" : e->op == OP_MUL ? "td_mul" : NULL;
    int x = int_bits(e->arg[0], 0), y = int_bits(e->arg[1], 0), bits = e->op == OP_MUL ? x + y : (x > y ? x : y) + 1;
    if (!name || e->type == TY_U32 || bits < type_bits(e->type)) return NULL;
    return fmt(l, "%s<%s>(%s, %s)", name, c_type(e->type), a, b);
}

static Sym shift_text(Lower *l, const Expr *e, Sym a, Sym b) {
    int64_t n;
    bool left = e->op == OP_SHL, fixed = expr_is_int(e->arg[1], &n) && n >= 0 && n < type_bits(e->type);
    if (fixed && (!left || e->type == TY_U32)) return fmt(l, "(%s %s %s)", a, op_text(e->op), b);
    return fmt(l, "%s<%s>(%s, %s)", left ? "td_shl" : "td_shr", c_type(e->type), a, b);
}

static Sym infix_text(Lower *l, const Expr *e, Sym a, Sym b) {
    const Expr *x = e->arg[0], *y = e->arg[1];
    bool integer = !type_is_float(x->type) && x->type != TY_BOOL;
    if (e->op == OP_MOD && !integer) return fmt(l, "td_mod(%s, %s)", a, b);
    if ((e->op == OP_DIV || e->op == OP_MOD) && integer) {
        const char *f = e->op == OP_DIV ? "td_floor_div" : "td_floor_mod";
        if (e->type == TY_I64 && small_int(x) && small_int(y)) return fmt(l, "%s<I>(%s, %s)", f, a, b);
        return fmt(l, "%s<%s>(%s, %s)", f, c_type(e->type), a, b);
    }
    if (integer && (op_rule(e->op) == RULE_ARITH || op_rule(e->op) == RULE_INT) && e->type == TY_I64 &&
        (small_int(x) || small_int(y))) {
        /* index arithmetic is 64-bit; its leaves are 32-bit variables */
        a = fmt(l, "(int64_t)%s", a);
    }
    if (e->op == OP_SHL || e->op == OP_SHR) return shift_text(l, e, a, b);
    if ((e->op == OP_EQ || e->op == OP_NE) && integer) {
        /* an axis's index against what the thread's registers share: the difference is taken once, not for each
         * register */
        for (int k = 0; k < 2; k++) {
            const Expr *i = k ? y : x, *other = k ? x : y;
            while (i->op == OP_CAST) i = i->arg[0];
            if (i->op != OP_VAR || type_bits(other->type) > 32 ||
                reg_factors(l, expr_domain(l->part, l->layout, other)))
                continue;
            Sym index = var_text(l, i, l->layout), base = axis_name(l, axis_of(l, i->u.var), l->layout);
            size_t n = strlen(base);
            if (index[0] != '(' || strncmp(index + 1, base, n)) continue;
            return fmt(l, "(td_sub<I>(%s, %s) %s (%.*s))", k ? a : b, base, op_text(e->op),
                       (int)(strlen(index) - n - 5), index + n + 4);
        }
    }
    Sym wraps = integer ? wrapping_text(l, e, a, b) : NULL;
    if (wraps) return wraps;
    return fmt(l, "(%s %s %s)", a, op_text(e->op), b);
}

static Sym scalar_text(Lower *l, Scalar *s) {
    bool have = false;
    for (int i = 0; i < l->scalars.n; i++) have = have || l->scalars.at[i] == s;
    if (!have) vec_push(l->ctx, &l->scalars, s);
    Sym at = fmt(l, "arg.%s", param_name(l, s->name));
    /* the C interface passes a narrow float as float */
    return type_is_float(s->type) && type_bits(s->type) < 32
               ? fmt(l, "td_round<%s>(%s)", lower_storage_type(s->type), at)
               : at;
}

/* The same for all threads and elements. */
static bool is_of_launch(const Expr *e) {
    if (!e->nargs) return e->op == OP_CONST || e->op == OP_DIM || e->op == OP_SCALAR;
    for (int i = 0; i < e->nargs; i++)
        if (!is_of_launch(e->arg[i])) return false;
    return e->op != OP_LOAD && e->op != OP_REDUCE;
}

static Sym random_text(Lower *l, const Expr *e, const Layout *layout) {
    Sym a[3], last = "";
    for (int i = 0; i < 3; i++) a[i] = expr_text(l, e->arg[i], layout);
    if (is_of_launch(e->arg[0]) && is_of_launch(e->arg[1])) {
        Sym name = name_of(l, sym_fmt(l->ctx, "words of %s, %s", a[0], a[1]), "random");
        bool have = false;
        for (int i = 0; i < l->randoms.n; i++) have |= l->randoms.at[i] == name;
        if (!have) vec_push(l->ctx, &l->randoms, name);
        last = fmt(l, "%s, ", name);
    }
    return fmt(l, "td_random(%s%s, %s, %s)", last, a[0], a[1], a[2]);
}

Sym expr_text(Lower *l, const Expr *e, const Layout *layout) {
    if (l->failed) return "0";
    switch (e->op) {
    case OP_CONST:
        return const_text(l, e->type, type_is_float(e->type) ? 0 : e->u.i, type_is_float(e->type) ? e->u.f : 0);
    case OP_VAR: return var_text(l, e, layout);
    case OP_DIM: return dim_ref(l, e->u.dim, false);
    case OP_SCALAR: return scalar_text(l, e->u.scalar);
    case OP_VALUE: return value_text(l, e->u.value);
    case OP_FACTOR: return factor_text(l, e->u.factor);
    case OP_ARG: return l->args[e->u.i];
    case OP_CAST: return cast_text(l, e->type, e->arg[0], expr_text(l, e->arg[0], layout));
    case OP_RANDOM: return random_text(l, e, layout);
    case OP_IF: {
        Sym c = expr_text(l, e->arg[0], layout), a = expr_text(l, e->arg[1], layout);
        return fmt(l, "(%s ? %s : %s)", c, a, expr_text(l, e->arg[2], layout));
    }
    case OP_LOAD:
    case OP_REDUCE: fail(l, "a load or reduction inside an expression: it needs a stage of its own"); return "0";
    default: break;
    }
    Sym a = expr_text(l, e->arg[0], layout), b = e->nargs > 1 ? expr_text(l, e->arg[1], layout) : NULL;
    if (e->op == OP_DIV && is_fast(l, e)) return fmt(l, "td_fast_div(%s, %s)", a, b);
    if (op_form(e->op) == FORM_INFIX) return infix_text(l, e, a, b);
    if (op_form(e->op) == FORM_PREFIX)
        return e->op == OP_NEG && (e->type == TY_I32 || e->type == TY_I64) &&
                       int_bits(e->arg[0], 0) >= type_bits(e->type)
                   ? fmt(l, "td_sub<%s>(0, %s)", c_type(e->type), a)
                   : fmt(l, "(%s%s)", op_text(e->op), a);
    const char *f = function_name(e->op);
    Text t = {.ctx = l->ctx};
    text_fmt(&t, "%s%s", f ? f : is_fast(l, e) ? "td_fast_" : "td_", f ? "" : op_text(e->op));
    if ((e->op == OP_MAX || e->op == OP_MIN) && e->type == TY_I64) text_put(&t, "<int64_t>");
    text_fmt(&t, "(%s", a);
    if (b) text_fmt(&t, ", %s", b);
    if (e->nargs > 2) text_fmt(&t, ", %s", expr_text(l, e->arg[2], layout));
    text_char(&t, ')');
    return t.s;
}

/* An atom of a polynomial: what index arithmetic could not take apart. */
static Sym atom_text(Lower *l, const Expr *a) {
    if (a->op == OP_VAR) {
        for (int i = 0; i < l->part->axes.n; i++)
            if (l->part->axes.at[i]->var == a->u.var) return axis_name(l, l->part->axes.at[i], l->layout);
    }
    if (a->op == OP_DIV || a->op == OP_MOD) {
        Poly x = poly_of(&l->env, a->arg[0]), y = poly_of(&l->env, a->arg[1]);
        int64_t lo, hi, dlo, dhi;
        poly_bounds(&l->env, x, &lo, &hi);
        poly_bounds(&l->env, y, &dlo, &dhi);
        /* A sum has its parentheses; a product needs them as a divisor. */
        bool product = y.n == 1 && y.term[0].degree && (y.term[0].degree > 1 || y.term[0].coef != 1);
        bool div = a->op == OP_DIV;
        Sym above = poly_text(l, x, false), below = poly_text(l, y, false);
        if (lo >= 0 && dlo > 0)
            return fmt(l, product ? "(%s %s (%s))" : "(%s %s %s)", above, div ? "/" : "%", below);
        if (lo >= 0 && dlo == 0) return fmt(l, "td_%s<I>(%s, %s)", div ? "quotient" : "remainder", above, below);
        return fmt(l, "%s<I>(%s, %s)", div ? "td_floor_div" : "td_floor_mod", above, below);
    }
    return expr_text(l, a, l->layout);
}

Sym poly_text(Lower *l, Poly p, bool wide) {
    if (p.failed) {
        fail(l, "index arithmetic that overflows");
        return "0";
    }
    if (p.n == 0) return "0";
    bool small = index_small(l, p);
    if (!small && !wide) index_fits(l, p);
    Text t = {.ctx = l->ctx};
    if (p.n > 1) text_char(&t, '(');
    for (int i = 0; i < p.n; i++) {
        const PolyTerm *m = &p.term[i];
        int64_t c = m->coef;
        if (i)
            text_put(&t, c < 0 ? " - " : " + ");
        else if (c < 0)
            text_char(&t, '-');
        int64_t mag = c < 0 ? -c : c;
        bool product = m->degree > 1 || (m->degree == 1 && mag != 1);
        bool first_sum = wide && !i && p.n > 1;
        bool tight = small || !m->degree || (!first_sum && index_small(l, (Poly){1, &p.term[i], false}));
        if (!tight && (first_sum || (product && (wide || m->atom[0]->op == OP_FACTOR))))
            text_put(&t, wide ? "(int64_t)" : "(I)");
        for (int d = 0; d < m->degree; d++) text_fmt(&t, "%s%s", d ? " * " : "", atom_text(l, m->atom[d]));
        if (m->degree == 0)
            text_fmt(&t, "%lld", (long long)mag);
        else if (mag != 1)
            text_fmt(&t, " * %lld", (long long)mag);
    }
    if (p.n > 1) text_char(&t, ')');
    return t.s;
}

int open_reg_loops(Lower *l, Factor *const *f, int n) {
    for (int i = 0; i < n; i++) {
        put(l, "#pragma unroll");
        Sym v = factor_text(l, f[i]);
        put(l, "for (int %s = 0; %s < %lld; %s++)%s", v, v, (long long)f[i]->size, v, i == n - 1 ? " {" : "");
        l->indent++;
    }
    return n;
}

void close_reg_loops(Lower *l, int n) {
    if (!n) return;
    l->indent--;
    put(l, "}");
    l->indent -= n - 1;
}
