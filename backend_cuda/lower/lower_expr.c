/* Lowering, expressions as C++ text: constants, extents over dimensions, expressions on elements, index polynomials. */
#include "lower_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static Sym const_text(Lower *l, Type t, int64_t i, double f) {
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

/* ---- extents ---- */

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
    Poly by = poly_sub(l->ctx, poly_of(&l->env, e->arg[1]), poly_const(l->ctx, 1));
    return poly_nonneg(&l->env, poly_of(&l->env, e->arg[0])) && poly_nonneg(&l->env, by);
}

static Sym new_dim_text(Lower *l, const Expr *e, bool host) {
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

Sym dim_text(Lower *l, const Expr *e, bool host) {
    Sym s = expr_map_get(&l->dim_texts[host], e);
    if (s) return s;
    s = new_dim_text(l, e, host);
    expr_map_put(l->ctx, &l->dim_texts[host], e, s);
    return s;
}

/* ---- expressions on elements ---- */

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
        return to == TY_F32 ? f : fmt(l, "td_round<%s>(%s)", lower_storage_type(to), f);
    }
    if (type_is_float(from->type))
        return fmt(l, "td_to_int<%s>(%s, %s, %s)", c_type(to), x, bounds[to].lo, bounds[to].hi);
    if (to == TY_I64 && small_int(from)) return fmt(l, "(int64_t)(%s)", x);
    if (to == TY_I32 && small_int(from)) return from->op == OP_CONST ? x : fmt(l, "(int32_t)%s", x);
    if (!strcmp(c_type(to), lower_storage_type(to))) return fmt(l, "(%s)(%s)", c_type(to), x);
    if (type_bits(to) < 8) return fmt(l, "td_round<%s>((int32_t)(%s))", lower_storage_type(to), x);
    return fmt(l, "(%s)(%s)(%s)", c_type(to), lower_storage_type(to), x);
}

/* `option math = fast` of f32. */
static bool is_fast(const Lower *l, const Expr *e) {
    return e->type == TY_F32 && op_fast(e->op) && option_is(&l->g->options, MATH_FAST);
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
    if (e->op == OP_DIV && is_fast(l, e)) return fmt(l, "%s(%s, %s)", op_fast(e->op), a, b);
    if (op_form(e->op) == FORM_INFIX) return infix_text(l, e, a, b);
    if (op_form(e->op) == FORM_PREFIX)
        return e->op == OP_NEG && (e->type == TY_I32 || e->type == TY_I64) &&
                       int_bits(e->arg[0], 0) >= type_bits(e->type)
                   ? fmt(l, "td_sub<%s>(0, %s)", c_type(e->type), a)
                   : fmt(l, "(%s%s)", op_text(e->op), a);
    Text t = {.ctx = l->ctx};
    text_put(&t, is_fast(l, e) ? op_fast(e->op) : op_device(e->op));
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
        if (lo >= 0 && dlo > 0) return fmt(l, product ? "(%s %s (%s))" : "(%s %s %s)", above, div ? "/" : "%", below);
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
