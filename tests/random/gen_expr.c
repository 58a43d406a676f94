/* Expressions of each class. `mag` is a guess of the size of values, kept small so that sums and functions stay within
 * what f32 holds with some digits to spare. */
#include "gen.h"

#include <math.h>

enum { MOST_NODES = 70 };

Val atom(Sym s, double mag) { return (Val){s, true, mag}; }
static Val loose(Sym s, double mag) { return (Val){s, false, mag}; }
Sym operand(Gen *g, Val v) { return v.atom ? v.s : sym_fmt(g->ctx, "(%s)", v.s); }

Class type_class_of(Type t) {
    switch (t) {
    case TY_F64: return C_DOUBLE;
    case TY_I64: return C_LONG;
    case TY_U32: return C_UINT;
    case TY_BOOL: return C_BOOL;
    default: return type_is_float(t) ? C_FLOAT : C_INT;
    }
}

static const char *class_type(Class c) {
    static const char *const names[] = {"f32", "f64", "i32", "i64", "u32", "bool"};
    return names[c];
}

Val tame(Gen *g, Class c, Val v) {
    bool real = c == C_FLOAT || c == C_DOUBLE;
    if (c == C_BOOL || v.mag <= (real ? 1e3 : 1e6)) return v;
    if (!real) return loose(sym_fmt(g->ctx, "%s %% 97", operand(g, v)), 97);
    switch (pick(g, 3)) {
    case 1: return atom(sym_fmt(g->ctx, "clamp(%s, -4.0, 4.0)", v.s), 4);
    case 2: return loose(sym_fmt(g->ctx, "%s * 1e-3", operand(g, v)), v.mag * 1e-3);
    default: return atom(sym_fmt(g->ctx, "tanh(%s)", v.s), 1);
    }
}

/* ---- leaves ---- */

static Type pick_type(Gen *g, Class c) {
    static const Type floats[] = {TY_F32, TY_F32, TY_F32, TY_BF16, TY_F16, TY_F8E4M3, TY_F8E5M2},
                      ints[] = {TY_I32, TY_I32, TY_I8, TY_U8, TY_I16, TY_U16, TY_I4, TY_U4};
    switch (c) {
    case C_FLOAT: return floats[pick(g, 7)];
    case C_DOUBLE: return TY_F64;
    case C_INT: return ints[pick(g, 8)];
    case C_LONG: return TY_I64;
    case C_UINT: return TY_U32;
    default: return TY_BOOL;
    }
}

static void type_features(Gen *g, Type t) {
    if (t == TY_F64) feature(g, FEAT_F64);
    if (t == TY_F16 || t == TY_BF16) feature(g, FEAT_F16);
    if (t == TY_F8E4M3 || t == TY_F8E5M2) feature(g, FEAT_F8);
    if (t == TY_I4 || t == TY_U4) feature(g, FEAT_INT4);
    if (t == TY_I8 || t == TY_U8 || t == TY_I16 || t == TY_U16) feature(g, FEAT_SMALL_INT);
}

/* An input over some of the variables in scope, in some order, and perhaps more axes. */
static GenTensor *new_input(Gen *g, Class c) {
    int ext[MAX_GEN_RANK], n = 0;
    for (int v = 0; v < g->scope.n && n < MAX_GEN_RANK - 1; v++)
        if (!chance(g, 25)) ext[n++] = g->scope.at[v].ext;
    if (n > 1 && chance(g, 25)) {
        int a = pick(g, n), b = pick(g, n), t = ext[a];
        ext[a] = ext[b], ext[b] = t;
    }
    if (n < MAX_GEN_RANK && chance(g, n ? 15 : 40)) ext[n++] = ext_any(g);
    Type type = pick_type(g, c);
    type_features(g, type);
    GenTensor *t = new_tensor(g, TENSOR_INPUT, type, n, ext);
    if (c != C_FLOAT && c != C_DOUBLE) t->mag = 16;
    declare(g, t);
    return t;
}

static Val constant(Gen *g, Class c) {
    static const char *const floats[] = {"1.0", "0.5", "2.0", "-1.0", "0.25", "3.0", "-0.75", "1e-3", "10.0", "0.1"};
    switch (c) {
    case C_FLOAT: return atom(sym(g->ctx, floats[pick(g, 10)]), 10);
    case C_DOUBLE: return atom(sym_fmt(g->ctx, "f64(%s)", floats[pick(g, 10)]), 10);
    case C_BOOL: return atom(pick(g, 2) ? "false" : "true", 1);
    default: return atom(sym_fmt(g->ctx, "%s(%d)", class_type(c), pick(g, 12) - (c == C_UINT ? 0 : 3)), 9);
    }
}

/* How a load relates to the variables in scope. */
static void load_features(Gen *g, const int *var, int n) {
    int used = 0;
    bool sorted = true;
    for (int d = 0; d < n; d++)
        if (var[d] >= 0) {
            for (int k = 0; k < d; k++)
                if (var[k] > var[d]) sorted = false;
            used++;
        }
    if (!sorted) feature(g, FEAT_PERMUTE);
    if (used < g->scope.n) feature(g, FEAT_BROADCAST);
}

static Val load(Gen *g, const GenTensor *x) {
    const GenTensor t = *x;
    bool padded = chance(g, 4), plain;
    int var[MAX_GEN_RANK] = {-1, -1, -1, -1};
    Text s = {.ctx = g->ctx};
    Sym subs[MAX_GEN_RANK];
    GenVar *old = NEW_N(g->ctx, GenVar, g->scope.n + 1);
    for (int v = 0; v < g->scope.n; v++) old[v] = g->scope.at[v];
    for (int d = 0; d < t.rank; d++) {
        subs[d] = ext_sub(g, t.ext[d], &plain);
        if (!subs[d] || (padded && chance(g, 40))) subs[d] = index_int(g), padded = true;
        for (int v = 0; v < g->scope.n; v++)
            if (subs[d] == g->scope.at[v].name) var[d] = v;
    }
    text_fmt(&s, "%s[", t.name);
    for (int d = 0; d < t.rank; d++) text_fmt(&s, "%s%s", d ? ", " : "", subs[d]);
    text_put(&s, "]");
    load_features(g, var, t.rank);
    if (!padded || !t.rank) return atom(sym(g->ctx, s.s), t.mag);
    for (int v = 0; v < g->scope.n; v++) g->scope.at[v].plain = old[v].plain;
    feature(g, FEAT_PAD);
    Class c = type_class_of(t.type);
    const char *with = c == C_BOOL ? "false" : c == C_FLOAT || c == C_DOUBLE ? (pick(g, 2) ? "-1.0" : "0.0") : "3";
    if (c == C_FLOAT && chance(g, 5)) with = "-inf", feature(g, FEAT_SPECIAL);
    return atom(sym_fmt(g->ctx, "pad(%s, %s)", s.s, with), t.mag);
}

Val load_any(Gen *g, Class c) {
    int fits[64], n = 0;
    for (int i = g->tensors.n - 1; i >= 0 && n < 64; i--)
        if (type_class_of(g->tensors.at[i].type) == c) fits[n++] = i;
    if (!n || chance(g, n > 5 ? 3 : 20)) return load(g, new_input(g, c));
    return load(g, &g->tensors.at[fits[pick(g, n)]]);
}

static Val scalar_param(Gen *g) {
    if (!g->scalars.n || (g->scalars.n < 3 && chance(g, 30))) {
        Sym s = fresh(g, "s");
        vec_push(g->ctx, &g->scalars, s);
        text_fmt(&g->params, "%s%s: f32", g->params.n ? ", " : "", s);
    }
    feature(g, FEAT_SCALAR);
    return atom(g->scalars.at[pick(g, g->scalars.n)], 2);
}

static Val random_number(Gen *g) {
    Text s = {.ctx = g->ctx};
    feature(g, FEAT_RANDOM);
    text_fmt(&s, "random(%d, %d, ", pick(g, 9), pick(g, 3));
    if (!g->scope.n) text_put(&s, "5");
    for (int v = 0; v < g->scope.n; v++) text_fmt(&s, "%s%s", v ? " * 7 + " : "", g->scope.at[v].name);
    text_put(&s, ")");
    return atom(sym(g->ctx, s.s), 1);
}

static Val leaf(Gen *g, Class c) {
    static const int weights[] = {10, 70, 8, 6, 3};
    switch (weighted(g, weights, c == C_FLOAT ? 5 : c == C_LONG || c == C_INT ? 3 : 2)) {
    case 0: return constant(g, c);
    case 2: {
        Sym s = index_int(g);
        if (!g->scope.n) return constant(g, c);
        return c == C_LONG ? loose(s, 64) : atom(sym_fmt(g->ctx, "%s(%s)", class_type(c), s), 64);
    }
    case 3: return scalar_param(g);
    case 4: return random_number(g);
    default: return load_any(g, c);
    }
}

/* ---- floats ---- */

typedef struct Math {
    const char *text; /* $ is the operand, @ a second one */
    double mag;       /* of the result; 0: that of the operand */
} Math;
static const Math maths[] = {{"abs($)", 0},
                             {"tanh($)", 1},
                             {"exp(-abs($))", 1},
                             {"sigmoid($)", 1},
                             {"relu($)", 0},
                             {"sin($)", 1},
                             {"cos($)", 1},
                             {"log(abs($) + 0.5)", 8},
                             {"sqrt(abs($) + 0.25)", 32},
                             {"rsqrt(abs($) + 0.3)", 2},
                             {"exp2(clamp($, -6.0, 6.0))", 64},
                             {"expm1(-abs($))", 1},
                             {"log2(abs($) + 0.5)", 11},
                             {"log10(abs($) + 0.5)", 4},
                             {"log1p(abs($))", 8},
                             {"tan(tanh($))", 2},
                             {"asin(0.9 * tanh($))", 2},
                             {"acos(0.9 * tanh($))", 4},
                             {"atan($)", 2},
                             {"sinh(tanh($))", 2},
                             {"cosh(tanh($))", 2},
                             {"asinh($)", 8},
                             {"acosh(1.5 + abs($))", 8},
                             {"atanh(0.9 * tanh($))", 2},
                             {"erf($)", 1},
                             {"erfc($)", 2},
                             {"lgamma(abs($) + 0.5)", 6e3},
                             {"digamma(abs($) + 0.5)", 8},
                             {"sign($)", 1},
                             {"floor($)", 0},
                             {"ceil($)", 0},
                             {"round($)", 0},
                             {"trunc($)", 0},
                             {"exp(clamp($, -5.0, 5.0))", 150},
                             {"$ ** 2", -2},
                             {"$ ** 3", -3},
                             {"pow(abs($) + 0.5, 1.5)", 4e4},
                             {"clamp($, -2.0, 2.0)", 2},
                             {"atan2($, @)", 4},
                             {"pow(abs($) + 0.5, tanh(@))", 1e3},
                             {"$ / (abs(@) + 0.5)", 2e3},
                             {"min($, @)", 0},
                             {"max($, @)", 0},
                             {"$ % 1.5", 2},
                             {"fma($, @, 0.5)", -2},
                             {"log($)", 8},
                             {"sqrt($)", 32},
                             {"asin($)", 2},
                             {"1.0 / $", 1e3}};
enum { NMATH = sizeof maths / sizeof *maths, NUNSAFE = 4 };

static Val apply_math(Gen *g, const Math *m, Class c, int depth) {
    Val a = tame(g, c, expr(g, c, depth - 1)), b = {0};
    Sym x = operand(g, a), y = NULL;
    double mag = m->mag > 0 ? m->mag : m->mag < 0 ? pow(a.mag + 1, -m->mag) : a.mag;
    Text s = {.ctx = g->ctx};
    for (const char *p = m->text; *p; p++) {
        if (*p == '@' && !y) b = tame(g, c, expr(g, c, depth - 1)), y = operand(g, b);
        if (*p == '$' || *p == '@')
            text_put(&s, *p == '$' ? x : y);
        else
            text_char(&s, *p);
    }
    feature(g, FEAT_MATH);
    bool call = m->text[0] >= 'a' && m->text[0] <= 'z';
    return (Val){sym(g->ctx, s.s), call, y && m->mag < 0 ? a.mag * b.mag : mag};
}

static Val arith(Gen *g, Class c, int depth) {
    static const char *const ops[] = {"+", "-", "*"};
    Val a = tame(g, c, expr(g, c, depth - 1));
    int op = pick(g, 3), other = pick(g, 8);
    /* An operand that widens: a literal, an index beside a float, a narrower float. */
    Val b = other == 0                                  ? atom("2", 2)
            : other == 1 && c <= C_DOUBLE && g->scope.n ? atom(g->scope.at[pick(g, g->scope.n)].name, 64)
            : other == 2 && c == C_DOUBLE               ? expr(g, C_FLOAT, depth - 1)
                                                        : expr(g, c, depth - 1);
    if (other && other < 3) feature(g, FEAT_MIXED);
    b = tame(g, c, b);
    feature(g, c <= C_DOUBLE ? FEAT_ARITH : FEAT_INT_ARITH);
    double mag = op == 2 ? a.mag * b.mag : a.mag + b.mag;
    return loose(sym_fmt(g->ctx, "%s %s %s", operand(g, a), ops[op], operand(g, b)), mag);
}

static Val branch(Gen *g, Class c, int depth) {
    Val test = expr(g, C_BOOL, depth - 1);
    feature(g, FEAT_IF);
    g->unsure++;
    Val a = tame(g, c, expr(g, c, depth - 1)), b = tame(g, c, expr(g, c, depth - 1));
    g->unsure--;
    if (c == C_FLOAT && chance(g, 4)) b = atom(pick(g, 2) ? "-inf" : "inf", 1), feature(g, FEAT_SPECIAL);
    return loose(sym_fmt(g->ctx, "if %s then %s else %s", test.s, operand(g, a), operand(g, b)), fmax(a.mag, b.mag));
}

Val convert(Gen *g, Class to, int depth) {
    static const Class from[6][3] = {[C_FLOAT] = {C_INT, C_BOOL, C_DOUBLE}, [C_DOUBLE] = {C_FLOAT, C_LONG, C_INT},
                                     [C_INT] = {C_FLOAT, C_LONG, C_BOOL},   [C_LONG] = {C_INT, C_FLOAT, C_UINT},
                                     [C_UINT] = {C_INT, C_FLOAT, C_LONG},   [C_BOOL] = {C_FLOAT, C_INT, C_LONG}};
    Class f = from[to][pick(g, 3)];
    if (to == C_BOOL) return expr(g, C_BOOL, depth - 1);
    Val v = tame(g, f, expr(g, f, depth - 1));
    feature(g, FEAT_CAST);
    double mag = to == C_UINT ? 5e9 : v.mag;
    return tame(g, to, atom(sym_fmt(g->ctx, "%s(%s)", class_type(to), v.s), mag));
}

static Val narrow(Gen *g, int depth) {
    static const char *const types[] = {"bf16", "f16", "f8e4m3", "f8e5m2"};
    Val v = tame(g, C_FLOAT, expr(g, C_FLOAT, depth - 1));
    int t = pick(g, 8) / 3;
    if (v.mag > 200 && t > 1) t = 0;
    feature(g, FEAT_NARROW);
    if (t > 1) t += pick(g, 2), feature(g, FEAT_F8);
    return atom(sym_fmt(g->ctx, "%s(%s)", types[t], v.s), v.mag);
}

static Val expr_real(Gen *g, Class c, int depth) {
    static const int weights[] = {18, 26, 16, 8, 16, 6, 4, 4, 3};
    switch (weighted(g, weights, c == C_FLOAT ? 9 : 6)) {
    case 1: return arith(g, c, depth);
    case 2: return apply_math(g, &maths[pick(g, chance(g, 5) ? NMATH : NMATH - NUNSAFE)], c, depth);
    case 3: return branch(g, c, depth);
    case 4: return reduction(g, c, depth);
    case 5: return convert(g, c, depth);
    case 6: return narrow(g, depth);
    case 7: return call_scalar_fn(g, tame(g, c, expr(g, c, depth - 1)));
    case 8: return call_composite(g, depth);
    default: return leaf(g, c);
    }
}

/* ---- integers ---- */

static Val int_special(Gen *g, Class c, int depth) {
    Val a = tame(g, c, expr(g, c, depth - 1));
    Sym x = operand(g, a);
    int k = pick(g, 12), lit = 1 + pick(g, 7);
    if (k < 4) feature(g, FEAT_INT_DIV);
    if (k >= 4 && k < 9) feature(g, FEAT_BITS);
    switch (k) {
    case 1: return loose(sym_fmt(g->ctx, "%s %% %d", x, lit), lit);
    case 2:
        return loose(sym_fmt(g->ctx, "%s / (abs(%s %% 5) + 1)", x, operand(g, tame(g, c, expr(g, c, depth - 1)))),
                     a.mag);
    case 3: return loose(sym_fmt(g->ctx, "%s %% (%s %% 5 + 6)", x, operand(g, tame(g, c, expr(g, c, depth - 1)))), 12);
    case 4: return loose(sym_fmt(g->ctx, "%s << %d", x, lit % 4), a.mag * 8);
    case 5: return loose(sym_fmt(g->ctx, "%s >> %d", x, lit % 4), a.mag);
    case 6: return loose(sym_fmt(g->ctx, "%s & %s", x, operand(g, tame(g, c, expr(g, c, depth - 1)))), a.mag);
    case 7: return loose(sym_fmt(g->ctx, "%s | %d", x, lit), a.mag + 8);
    case 8: return loose(sym_fmt(g->ctx, "%s ^ %s", x, operand(g, tame(g, c, expr(g, c, depth - 1)))), 2e6);
    case 9: return atom(sym_fmt(g->ctx, "max(%s, %d)", a.s, lit), a.mag + 8);
    case 10: return atom(sym_fmt(g->ctx, c == C_UINT ? "min(%s, 9)" : "abs(%s)", a.s), a.mag);
    case 11: return c == C_UINT ? a : loose(sym_fmt(g->ctx, "-%s", x), a.mag);
    default: return loose(sym_fmt(g->ctx, "%s / %d", x, lit), a.mag);
    }
}

static Val expr_integer(Gen *g, Class c, int depth) {
    static const int weights[] = {24, 20, 24, 8, 14, 10};
    switch (weighted(g, weights, 6)) {
    case 1: {
        Val v = arith(g, c, depth);
        if (c == C_UINT) v.mag = 5e9; /* differences wrap */
        return v;
    }
    case 2: return int_special(g, c, depth);
    case 3: return branch(g, c, depth);
    case 4: return reduction(g, c, depth);
    case 5: return convert(g, c, depth);
    default: return leaf(g, c);
    }
}

static Val expr_bool(Gen *g, int depth) {
    static const char *const cmps[] = {"<", ">", "<=", ">=", "==", "!="};
    static const Class classes[] = {C_FLOAT, C_INT, C_LONG, C_FLOAT, C_LONG, C_UINT, C_DOUBLE};
    feature(g, FEAT_COMPARE);
    switch (pick(g, 9)) {
    case 0: return leaf(g, C_BOOL);
    case 1: return loose(sym_fmt(g->ctx, "!%s", operand(g, expr(g, C_BOOL, depth - 1))), 1);
    case 2:
    case 3: {
        Sym a = operand(g, expr(g, C_BOOL, depth - 1));
        g->unsure++;
        Sym b = operand(g, expr(g, C_BOOL, depth - 1));
        g->unsure--;
        return loose(sym_fmt(g->ctx, "%s %s %s", a, pick(g, 2) ? "||" : "&&", b), 1);
    }
    case 4: return reduction(g, C_BOOL, depth);
    case 5: return atom(sym_fmt(g->ctx, "is%s(%s)", pick(g, 2) ? "nan" : "finite", expr(g, C_FLOAT, depth - 1).s), 1);
    default: {
        Class c = classes[pick(g, 7)];
        Val a = tame(g, c, expr(g, c, depth - 1));
        Sym b = pick(g, 2) ? operand(g, tame(g, c, expr(g, c, depth - 1))) : "1";
        return loose(sym_fmt(g->ctx, "%s %s %s", operand(g, a), cmps[pick(g, 6)], b), 1);
    }
    }
}

Val expr(Gen *g, Class c, int depth) {
    int span = span_open(g);
    Val v;
    if (depth <= 0 || ++g->size > MOST_NODES)
        v = leaf(g, c);
    else if (c == C_FLOAT || c == C_DOUBLE)
        v = expr_real(g, c, depth);
    else
        v = c == C_BOOL ? expr_bool(g, depth) : expr_integer(g, c, depth);
    span_close(g, span);
    return v;
}
