/* Rewrite rules: every row of rules.def, for every type that it is for, keeps its type, gets cheaper, is applied, and
 * has the same value on both sides for special and random operands. Constants fold to what an evaluator of the test's
 * own gives, and casts are dropped only where no value changes. */
#include "ir/expr_text.h"
#include "ir/interp/interp.h"
#include "ir/rewrite.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Row {
    const char *name;
    RuleTypes types;
    const char *left, *right;
    int ulp;
} Row;

static const Row rows[] = {
#define RULE(name, types, left, right, ulp) {#name, RULES_##types, left, right, ulp},
#include "ir/rules.def"
#undef RULE
};

static const int bounds[OP_COUNT] = {
#define ULP(e, f32, f64, unit) [OP_##e] = f32,
#include "ir/ulp.def"
};

/* ---- an evaluator ---- */

typedef struct Num {
    double f;
    int64_t i;
} Num;

static double extreme(Op op, double a, double b) {
    if (isnan(a) || isnan(b)) return NAN;
    if (a == b) return (op == OP_MIN) == (signbit(a) != 0) ? a : b;
    return (op == OP_MIN) == (a < b) ? a : b;
}

static bool eval_float(const Expr *e, const Num *a, Num *r) {
    double x = a[0].f, y = a[1].f;
    switch (e->op) {
    case OP_ADD: r->f = x + y; break;
    case OP_SUB: r->f = x - y; break;
    case OP_MUL: r->f = x * y; break;
    case OP_DIV: r->f = x / y; break;
    case OP_NEG: r->f = -x; break;
    case OP_ABS: r->f = fabs(x); break;
    case OP_MIN:
    case OP_MAX: r->f = extreme(e->op, x, y); break;
    case OP_POW: r->f = pow(x, y); break;
    case OP_FLOOR: r->f = floor(x); break;
    case OP_CEIL: r->f = ceil(x); break;
    case OP_ROUND: r->f = nearbyint(x); break;
    case OP_TRUNC: r->f = trunc(x); break;
    case OP_SQRT: r->f = sqrt(x); break;
    case OP_EQ: r->i = x == y; return true;
    case OP_NE: r->i = x != y; return true;
    case OP_LT: r->i = x < y; return true;
    case OP_LE: r->i = x <= y; return true;
    case OP_GT: r->i = x > y; return true;
    case OP_GE: r->i = x >= y; return true;
    case OP_ISNAN: r->i = isnan(x) != 0; return true;
    case OP_ISINF: r->i = isinf(x) != 0; return true;
    case OP_ISFINITE: r->i = isfinite(x) != 0; return true;
    default: return false;
    }
    r->f = e->type == TY_F32 ? (double)(float)r->f : r->f;
    return true;
}

static int64_t wrap_to(Type t, uint64_t v) {
    return t == TY_I32 ? (int32_t)(uint32_t)v : t == TY_U32 ? (int64_t)(uint32_t)v : t == TY_BOOL ? v != 0 : (int64_t)v;
}

static bool eval_int(const Expr *e, const Num *a, Num *r) {
    int64_t x = a[0].i, y = a[1].i;
    uint64_t u = (uint64_t)x, v = (uint64_t)y;
    switch (e->op) {
    case OP_ADD: u += v; break;
    case OP_SUB: u -= v; break;
    case OP_MUL: u *= v; break;
    case OP_DIV:
    case OP_MOD:
        if (!y)
            u = 0;
        else if (y == -1)
            u = e->op == OP_DIV ? 0 - u : 0;
        else if (e->op == OP_DIV)
            u = (uint64_t)(x / y - (x % y && (x < 0) != (y < 0)));
        else
            u = (uint64_t)(x % y && (x % y < 0) != (y < 0) ? x % y + y : x % y);
        break;
    case OP_NEG: u = 0 - u; break;
    case OP_ABS: u = x < 0 ? 0 - u : u; break;
    case OP_MIN: u = x < y ? u : v; break;
    case OP_MAX: u = x > y ? u : v; break;
    case OP_BITAND: u &= v; break;
    case OP_BITOR: u |= v; break;
    case OP_BITXOR: u ^= v; break;
    case OP_SHL: u = y < 0 || y >= type_bits(e->type) ? 0 : u << y; break;
    case OP_SHR: u = (uint64_t)(x >> (y < 0 || y >= type_bits(e->type) ? 63 : y)); break;
    case OP_EQ: u = x == y; break;
    case OP_NE: u = x != y; break;
    case OP_LT: u = x < y; break;
    case OP_LE: u = x <= y; break;
    case OP_GT: u = x > y; break;
    case OP_GE: u = x >= y; break;
    default: return false;
    }
    r->i = wrap_to(e->type, u);
    return true;
}

/* Scalars have their values by number. False where the value is undefined. */
static bool eval(const Expr *e, const Num *scalars, Num *r) {
    Num a[3] = {{0}};
    if (e->op == OP_SCALAR) {
        *r = scalars[e->u.scalar->id];
        return true;
    }
    if (e->op == OP_CONST) {
        if (type_is_float(e->type))
            r->f = e->u.f;
        else
            r->i = e->u.i;
        return true;
    }
    if (!eval(e->arg[0], scalars, &a[0])) return false;
    if (e->op == OP_IF) return eval(e->arg[a[0].i ? 1 : 2], scalars, r);
    if (e->op == OP_AND || e->op == OP_OR) {
        r->i = e->op == OP_OR;
        return (e->op == OP_AND) == (a[0].i != 0) ? eval(e->arg[1], scalars, r) : true;
    }
    if (e->op == OP_NOT) {
        r->i = !a[0].i;
        return true;
    }
    for (int i = 1; i < e->nargs; i++)
        if (!eval(e->arg[i], scalars, &a[i])) return false;
    return type_is_float(e->arg[0]->type) ? eval_float(e, a, r) : eval_int(e, a, r);
}

/* ---- operands ---- */

static uint64_t rnd = 88172645463325252u;

static uint64_t draw(void) {
    rnd ^= rnd << 13;
    rnd ^= rnd >> 7;
    return rnd ^= rnd << 17;
}

static Num draw_num(Type t) {
    static const double special[] = {0.0,      -0.0,      1,   -1,    2,      -2,     0.5,  -0.5,  1.5,
                                     INFINITY, -INFINITY, NAN, 1e-45, -1e-45, 1e-310, 3e38, -3e38, 1e300};
    static const int64_t whole[] = {0, 1, -1, 2, -2, 7, INT32_MIN, INT32_MAX, UINT32_MAX, INT64_MIN, INT64_MAX};
    Num n = {0, 0};
    if (type_is_float(t)) {
        double v = special[draw() % (sizeof special / sizeof *special)];
        if (draw() % 2) v = (double)(int64_t)draw() / 4e18 * pow(2, (double)(draw() % 60) - 30);
        n.f = num_round(t, v);
    } else {
        int64_t v = whole[draw() % (sizeof whole / sizeof *whole)];
        if (draw() % 2) v = (int64_t)draw() >> (draw() % 63);
        n.i = num_wrap(t, v);
    }
    return n;
}

static bool same(Type t, Num x, Num y, int ulp) {
    if (!type_is_float(t)) return x.i == y.i;
    if (isnan(x.f) || isnan(y.f)) return isnan(x.f) && isnan(y.f);
    if (x.f == y.f) return signbit(x.f) == signbit(y.f);
    double unit = t == TY_F32 ? 0x1p-24 : 0x1p-53;
    double tiny = t == TY_F32 ? 0x1p-149 : 0x1p-1074;
    return ulp && fabs(x.f - y.f) <= 2 * ulp * (unit * fabs(x.f) + tiny);
}

/* ---- rows ---- */

static const Expr *read_side(Graph *g, const char *text, Type root) {
    Lex x;
    lex_init(&x, g->ctx, text, strlen(text), -1);
    ExprReader r = {.g = g, .lex = &x};
    const Expr *e = expr_read_as(&r, root);
    if (!e || x.tok.kind != LEX_END) printf("cannot read '%s': %s\n", text, x.why ? x.why : "");
    return e;
}

typedef struct Measure {
    int functions, nodes, operands[5];
    const Expr *seen[32];
    int nseen;
} Measure;

static void measure(Measure *m, const Expr *e) {
    m->nodes++;
    if (e->op == OP_SCALAR) {
        m->operands[e->u.scalar->id]++;
        return;
    }
    bool seen = false;
    for (int i = 0; i < m->nseen; i++) seen |= m->seen[i] == e;
    if (!seen) {
        m->seen[m->nseen++] = e;
        m->functions += op_form(e->op) == FORM_CALL && op_rule(e->op) == RULE_FLOAT;
    }
    for (int i = 0; i < e->nargs; i++) measure(m, e->arg[i]);
}

static bool cheaper(const Expr *left, const Expr *right) {
    Measure l = {0}, r = {0};
    measure(&l, left);
    measure(&r, right);
    for (int i = 0; i < 5; i++)
        if (r.operands[i] && !l.operands[i]) return false;
    if (r.functions != l.functions) return r.functions < l.functions;
    for (int i = 0; i < 5; i++)
        if (r.operands[i] > l.operands[i]) return false;
    return r.nodes < l.nodes;
}

/* Both sides of a row for type t, over scalars a, b, c, p and q of g; false where one cannot be read. */
static bool read_row(Graph *g, const Row *row, Type t, const Expr **left, const Expr **right) {
    static const char *const names[] = {"a", "b", "c", "p", "q"};
    for (int i = 0; i < 5; i++) graph_scalar(g, sym(g->ctx, names[i]), i < 3 ? t : TY_BOOL);
    *left = read_side(g, row->left, t);
    *right = *left ? read_side(g, row->right, (*left)->type) : NULL;
    return *right;
}

/* What ends rewriting (clauses 1 and 2), of every row before any is applied: one that grows or circles would not. */
static bool test_ends(Ctx *ctx) {
    int before = failed;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int t = 0; t < TY_COUNT; t++) {
            Graph *g = graph_new(ctx, sym(ctx, rows[i].name));
            const Expr *left, *right;
            if (!rule_has_type(rows[i].types, (Type)t)) continue;
            if (!read_row(g, &rows[i], (Type)t, &left, &right)) {
                expect(false, rows[i].name, "not read");
                continue;
            }
            expect(left->type == right->type, rows[i].name, "the types differ");
            expect(cheaper(left, right), rows[i].name, "right is not less: rewriting would not end");
        }
    return failed == before;
}

static void test_row(Ctx *ctx, const Row *row, Type t) {
    Graph *g = graph_new(ctx, sym(ctx, row->name));
    const Expr *left, *right;
    if (!read_row(g, row, t, &left, &right)) return;
    expect(row->ulp <= bounds[left->op], row->name, "worsens the bound of the error");
    const Expr *s = expr_simplify(g, NULL, left);
    Text out = {.ctx = ctx};
    expr_print(&out, s, NULL);
    expect(s != left && s == expr_simplify(g, NULL, right), row->name, out.s);
    int used = 0;
    for (int n = 0; n < 2000; n++) {
        Num v[5], x, y;
        for (int i = 0; i < 5; i++) v[i] = draw_num(i < 3 ? t : TY_BOOL);
        if (!eval(left, v, &x)) continue;
        used++;
        if (eval(right, v, &y) && same(left->type, x, y, row->ulp)) continue;
        char detail[200];
        snprintf(detail, sizeof detail, "%s: a = %g %lld, b = %g %lld: %.9g %lld against %.9g %lld", type_name(t),
                 v[0].f, (long long)v[0].i, v[1].f, (long long)v[1].i, x.f, (long long)x.i, y.f, (long long)y.i);
        expect(false, row->name, detail);
        return;
    }
    expect(used > 1000, row->name, "too few operands for which it is defined");
}

static void test_rows(Ctx *ctx) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int types = 0;
        for (int t = 0; t < TY_COUNT; t++)
            if (rule_has_type(rows[i].types, (Type)t)) {
                test_row(ctx, &rows[i], (Type)t);
                types++;
            }
        expect(types > 0, rows[i].name, "no types");
    }
}

/* ---- constants ---- */

static const Expr *constant(Graph *g, Type t, Num n) {
    return type_is_float(t) ? expr_float(g, t, n.f) : expr_int(g, t, n.i);
}

static void test_fold(Ctx *ctx) {
    static const Type types[] = {TY_F64, TY_F32, TY_I64, TY_I32, TY_U32, TY_BOOL};
    Graph *g = graph_new(ctx, sym(ctx, "fold"));
    int folded = 0;
    for (int op = 0; op < OP_COUNT; op++)
        for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
            OpRule rule = op_rule((Op)op);
            Type t = types[k];
            if (rule == RULE_NONE ||
                (rule == RULE_LOGIC) != (t == TY_BOOL && rule != RULE_COMPARE && rule != RULE_SELECT))
                continue;
            if ((rule == RULE_FLOAT || rule == RULE_TEST) && !type_is_float(t)) continue;
            if (rule == RULE_INT && type_is_float(t)) continue;
            for (int n = 0; n < 300; n++) {
                const Expr *a[3];
                for (int i = 0; i < op_arity((Op)op); i++) {
                    Type u = rule == RULE_SELECT && i == 0 ? TY_BOOL : t;
                    a[i] = constant(g, u, draw_num(u));
                }
                const Expr *e = expr_op(g, (Op)op, a, op_arity((Op)op)), *r = expr_fold(g, e);
                if (!r) continue;
                folded++;
                Num want = {0, 0}, got = {0, 0};
                bool ok = r->op == OP_CONST && r->type == e->type && eval(e, NULL, &want) && eval(r, NULL, &got);
                Text out = {.ctx = ctx};
                expr_print(&out, e, NULL);
                expect(ok && same(e->type, want, got, 0), "folds", out.s);
            }
        }
    expect(folded > 10000, "folds", "too few");
}

/* T(U(a)) for all types: what the simplified form gives is what both casts give. */
static void test_casts(Ctx *ctx) {
    Graph *g = graph_new(ctx, sym(ctx, "casts"));
    int dropped = 0;
    for (int from = 0; from < TY_COUNT; from++)
        for (int mid = 0; mid < TY_COUNT; mid++)
            for (int to = 0; to < TY_COUNT; to++) {
                const Expr *a = expr_scalar(g, graph_scalar(g, sym_fmt(ctx, "a%d", from), (Type)from));
                const Expr *e = expr_cast(g, (Type)to, expr_cast(g, (Type)mid, a));
                const Expr *s = expr_simplify(g, NULL, e);
                if (s == e) continue;
                dropped++;
                for (int n = 0; n < 100; n++) {
                    const Expr *c = constant(g, (Type)from, draw_num((Type)from));
                    const Expr *u = expr_fold(g, expr_node(g, OP_CAST, (Type)mid, false, 0, &c, 1));
                    const Expr *both = expr_fold(g, expr_node(g, OP_CAST, (Type)to, false, 0, &u, 1));
                    const Expr *one = s == a ? c : expr_fold(g, expr_node(g, OP_CAST, (Type)to, false, 0, &c, 1));
                    if (both != one) {
                        expect(false, "cast dropped",
                               sym_fmt(ctx, "%s(%s(%s))", type_name((Type)to), type_name((Type)mid),
                                       type_name((Type)from)));
                        break;
                    }
                }
            }
    expect(dropped > 300, "casts dropped", "too few");
}

/* ---- Graphs ---- */

static const char *const graphs[][2] = {
    {"graph a dim N in x: f32[N] out y: f32[N]"
     " y[i] = if i < N then x[(i * 4 + 3) / 4] * 1.0 else x[0]",
     "y[i] = x[i]"},
    {"graph b dim G dim K in x: bf16[G * K] out y: bf16[G, K]"
     " y[g, k] = bf16(f32(x[((g * K + k) / K) * K + (g * K + k) % K]))",
     "y[g, k] = x[g * K + k]"},
    {"graph c dim N in x: f32[N] out y: f32[N]"
     " y[i] = sum[k in 0..N where k <= i && k < N](if k > i then 0.0 else x[k] - -x[k])",
     "y[i] = sum[k in 0..N where k <= i](x[k] + x[k])"},
    {"graph d dim N in x: f32[N] out y: f32[N]"
     " y[i] = if x[i] < 0.0 then (if x[i] < 0.0 then 1.0 else 2.0) else sqrt(f32(4.0))",
     "y[i] = if x[i] < 0.0 then f32(1.0) else 2.0"},
    {"graph e dim N dim M in x: f32[N] out y: f32[N]"
     " y[i] = if N == M && i < M then x[i] else if N == M then 1.0 else x[i] + 0.0"
     " require N == M",
     "y[i] = x[i]"},
    {"graph f dim N in x: i32[N] out y: i32[N]"
     " y[i] = if i >= 0 || x[i] == 3 then x[i] * 0 + x[i] else 7",
     "y[i] = x[i]"},
    {"graph g dim N in x: f32[N] out y: f32[N]"
     " y[i] = x[i] + 0.0 + x[i] * 0.0",
     "y[i] = x[i] + 0.0 + x[i] * 0.0"},
    {"graph h dim N dim K in x: f32[N] out y: i32[N]"
     " y[i] = i32(sum[k in 0..K, l in i..N](if x[i] < 1.0 then i64(3) else 3)) + sum[k in 3..i](i32(2))",
     "y[i] = i32(3 * K * (N - i)) + i32(2 * max(i - 3, 0))"},
    {"graph i dim N in x: f32[N] out y: i64[N]"
     " y[i] = sum[k in 0..N, l in 0..k](2) + sum[k in 0..N where x[k] < 1.0](2)",
     "y[i] = sum[k in 0..N where 0 < k](k * 2) + sum[k in 0..N where x[k] < 1.0](2)"},
};

static void test_graphs(Ctx *ctx) {
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        Graph *g = graph_read(ctx, graphs[i][0], strlen(graphs[i][0]), -1);
        if (!g) {
            expect(false, "read", graphs[i][0]);
            continue;
        }
        graph_simplify(g);
        Text why = {.ctx = ctx}, out = {.ctx = ctx};
        expect(graph_verify(g, &why), "verify", why.s ? why.s : "");
        graph_print(&out, g);
        const char *got = strstr(out.s, "\ny["), *want = graphs[i][1];
        expect(got && !strncmp(got + 1, want, strlen(want)) && got[1 + strlen(want)] == '\n', graphs[i][0], out.s);
    }
}

int main(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return 1;
    if (!test_ends(ctx)) return test_end();
    test_rows(ctx);
    test_fold(ctx);
    test_casts(ctx);
    test_graphs(ctx);
    ctx_free(ctx);
    return test_end();
}
