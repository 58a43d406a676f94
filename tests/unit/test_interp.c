/* The reference interpreter against values computed by hand: every operator, every rounding, special values, guards,
 * empty reductions, ties. Graphs are built with the builder. */
#include "ir/interp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double INF = (double)INFINITY, NAN_ = (double)NAN;

typedef struct Test {
    int passed, failed;
} Test;

static void expect(Test *t, bool ok, const char *what) {
    if (ok)
        t->passed++;
    else {
        t->failed++;
        printf("failed: %s\n", what);
    }
}

static bool same(double a, double b) { return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b)); }

static void expect_float(Test *t, double got, double want, const char *what) {
    bool ok = same(got, want) || (isfinite(want) && fabs(got - want) <= 4e-15 * fabs(want));
    expect(t, ok, what);
    if (!ok) printf("    %.17g, expected %.17g\n", got, want);
}

static void expect_int(Test *t, int64_t got, int64_t want, const char *what) {
    expect(t, got == want, what);
    if (got != want) printf("    %lld, expected %lld\n", (long long)got, (long long)want);
}

/* A graph whose one output, of rank 0, is an expression. */
typedef struct Rig {
    Ctx *ctx;
    Graph *g;
    Text why;
    double f;
    int64_t i;
} Rig;

static Rig rig(Ctx *ctx) { return (Rig){.ctx = ctx, .g = graph_new(ctx, sym(ctx, "t")), .why = {.ctx = ctx}}; }

static void define(Rig *r, Tensor *t, int nvars, Var **vars, const Expr *guard, const Expr **subs, const Expr *value) {
    Piece p = {.nvars = nvars, .vars = vars, .subs = subs, .guard = guard, .value = value, .span = SPAN_NONE};
    vec_push(r->ctx, &t->pieces, p);
}

static Tensor *out(Rig *r, Type t, const Expr *value) {
    Tensor *y = graph_tensor(r->g, sym(r->ctx, "y"), TENSOR_OUTPUT, t, 0, NULL);
    define(r, y, 0, NULL, NULL, NULL, value);
    return y;
}

/* Runs with inputs (arrays of doubles by parameter); the output's first element lands in r->f or r->i. */
static bool go(Rig *r, const int64_t *dims, const double *scalars, const double **inputs, InterpValue *values) {
    HostTensor params[8] = {0};
    int n = interp_nparams(r->g);
    for (int k = 0; k < n; k++) {
        const Tensor *t = interp_param(r->g, k);
        int64_t shape[MAX_RANK], count;
        if (!interp_shape(r->g, t, dims, shape, &count, &r->why)) return false;
        if (!host_tensor(r->ctx, &params[k], t->type, t->rank, shape)) return false;
        for (int64_t i = 0; inputs && inputs[k] && i < count; i++) host_put_float(&params[k], i, inputs[k][i]);
    }
    if (!interp_run(r->ctx, r->g, dims, scalars, params, NUDGE_NONE, values, &r->why)) return false;
    InterpValue *last = &values[n - 1];
    if (last->n && last->f) r->f = last->f[0];
    if (last->n && last->i) r->i = last->i[0];
    return true;
}

static double eval_float(Ctx *ctx, Type t, Op op, int n, double a, double b, double c) {
    Rig r = rig(ctx);
    const Expr *arg[3] = {expr_float(r.g, TY_F64, a), expr_float(r.g, TY_F64, b), expr_float(r.g, TY_F64, c)};
    const Expr *e = n ? expr_op(r.g, op, arg, n) : arg[0];
    if (e->type == TY_BOOL) e = expr_cast(r.g, TY_F64, e);
    out(&r, t, e);
    InterpValue v[1];
    return go(&r, NULL, NULL, NULL, v) ? r.f : -12345;
}

static int64_t eval_int(Ctx *ctx, Type t, Op op, int n, int64_t a, int64_t b) {
    Rig r = rig(ctx);
    const Expr *arg[2] = {expr_int(r.g, t, a), expr_int(r.g, t, b)};
    const Expr *e = expr_op(r.g, op, arg, n);
    out(&r, e->type, e);
    InterpValue v[1];
    return go(&r, NULL, NULL, NULL, v) ? r.i : -12345;
}

static int64_t eval_cast(Ctx *ctx, Type from, Type to, double a, double *f) {
    Rig r = rig(ctx);
    const Expr *e = type_is_float(from) ? expr_float(r.g, from, a) : expr_int(r.g, from, (int64_t)a);
    out(&r, to, expr_cast(r.g, to, e));
    InterpValue v[1];
    if (!go(&r, NULL, NULL, NULL, v)) return -12345;
    if (f) *f = r.f;
    return r.i;
}

static void test_float_ops(Test *t, Ctx *ctx) {
    const struct {
        Op op;
        int n;
        double a, b, c, want;
    } row[] = {
        {OP_ADD, 2, 1.5, 2, 0, 3.5},
        {OP_SUB, 2, 1.5, 2, 0, -0.5},
        {OP_MUL, 2, 3, -2, 0, -6},
        {OP_DIV, 2, 1, -0.0, 0, -INF},
        {OP_MOD, 2, -7, 3, 0, 2},
        {OP_MOD, 2, 7.5, -2, 0, -0.5},
        {OP_NEG, 1, 2, 0, 0, -2},
        {OP_POW, 2, 2, 10, 0, 1024},
        {OP_POW, 2, -8, 3, 0, -512},
        {OP_POW, 2, 2, -1, 0, 0.5},
        {OP_POW, 2, -2, 0.5, 0, NAN_},
        {OP_EQ, 2, NAN_, NAN_, 0, 0},
        {OP_NE, 2, NAN_, NAN_, 0, 1},
        {OP_LT, 2, 1, 2, 0, 1},
        {OP_LE, 2, 2, 2, 0, 1},
        {OP_GT, 2, 1, 2, 0, 0},
        {OP_GE, 2, NAN_, 2, 0, 0},
        {OP_EQ, 2, 0.0, -0.0, 0, 1},
        {OP_MIN, 2, 1, 2, 0, 1},
        {OP_MIN, 2, NAN_, 2, 0, NAN_},
        {OP_MIN, 2, 2, NAN_, 0, NAN_},
        {OP_MAX, 2, 1, 2, 0, 2},
        {OP_MAX, 2, 1, NAN_, 0, NAN_},
        {OP_MAX, 2, NAN_, 1, 0, NAN_},
        {OP_ABS, 1, -0.0, 0, 0, 0},
        {OP_SIGN, 1, -3, 0, 0, -1},
        {OP_SIGN, 1, 0, 0, 0, 0},
        {OP_SIGN, 1, NAN_, 0, 0, NAN_},
        {OP_FLOOR, 1, -1.5, 0, 0, -2},
        {OP_CEIL, 1, 1.2, 0, 0, 2},
        {OP_ROUND, 1, 2.5, 0, 0, 2},
        {OP_ROUND, 1, 3.5, 0, 0, 4},
        {OP_ROUND, 1, -0.5, 0, 0, -0.0},
        {OP_ROUND, 1, -1.5, 0, 0, -2},
        {OP_ROUND, 1, INF, 0, 0, INF},
        {OP_TRUNC, 1, -1.7, 0, 0, -1},
        {OP_SQRT, 1, 9, 0, 0, 3},
        {OP_SQRT, 1, -1, 0, 0, -NAN_},
        {OP_RSQRT, 1, 4, 0, 0, 0.5},
        {OP_RSQRT, 1, 0, 0, 0, INF},
        {OP_EXP, 1, 1, 0, 0, 2.718281828459045},
        {OP_EXP, 1, -INF, 0, 0, 0},
        {OP_EXP2, 1, 5, 0, 0, 32},
        {OP_EXPM1, 1, 1e-20, 0, 0, 1e-20},
        {OP_LOG, 1, 10, 0, 0, 2.302585092994046},
        {OP_LOG, 1, 0, 0, 0, -INF},
        {OP_LOG, 1, -1, 0, 0, NAN_},
        {OP_LOG2, 1, 8, 0, 0, 3},
        {OP_LOG10, 1, 1000, 0, 0, 3},
        {OP_LOG1P, 1, 1e-20, 0, 0, 1e-20},
        {OP_SIN, 1, 1, 0, 0, 0.8414709848078965},
        {OP_COS, 1, 1, 0, 0, 0.5403023058681398},
        {OP_TAN, 1, 1, 0, 0, 1.557407724654902},
        {OP_ASIN, 1, 0.5, 0, 0, 0.5235987755982989},
        {OP_ACOS, 1, 0.5, 0, 0, 1.0471975511965979},
        {OP_ATAN, 1, 1, 0, 0, 0.7853981633974483},
        {OP_ATAN2, 2, -1, -1, 0, -2.356194490192345},
        {OP_SINH, 1, 1, 0, 0, 1.1752011936438014},
        {OP_COSH, 1, 1, 0, 0, 1.5430806348152437},
        {OP_TANH, 1, 1, 0, 0, 0.7615941559557649},
        {OP_ASINH, 1, 1, 0, 0, 0.881373587019543},
        {OP_ACOSH, 1, 2, 0, 0, 1.3169578969248166},
        {OP_ATANH, 1, 0.5, 0, 0, 0.5493061443340549},
        {OP_ERF, 1, 0.5, 0, 0, 0.5204998778130465},
        {OP_ERFC, 1, 0.5, 0, 0, 0.4795001221869535},
        {OP_LGAMMA, 1, 5, 0, 0, 3.1780538303479458},
        {OP_DIGAMMA, 1, 1, 0, 0, -0.5772156649015329},
        {OP_DIGAMMA, 1, 0.5, 0, 0, -1.9635100260214235},
        {OP_DIGAMMA, 1, -0.5, 0, 0, 0.03648997397857652},
        {OP_DIGAMMA, 1, 20, 0, 0, 2.9705239922421493},
        {OP_DIGAMMA, 1, -2, 0, 0, NAN_},
        {OP_SIGMOID, 1, 0, 0, 0, 0.5},
        {OP_SIGMOID, 1, -800, 0, 0, 0},
        {OP_SIGMOID, 1, 800, 0, 0, 1},
        {OP_SIGMOID, 1, 2, 0, 0, 0.8807970779778823},
        {OP_FMA, 3, 2, 3, 4, 10},
        {OP_ISNAN, 1, NAN_, 0, 0, 1},
        {OP_ISINF, 1, -INF, 0, 0, 1},
        {OP_ISFINITE, 1, INF, 0, 0, 0},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        expect_float(t, eval_float(ctx, TY_F64, row[k].op, row[k].n, row[k].a, row[k].b, row[k].c), row[k].want,
                     op_text(row[k].op));
}

/* Words of Philox4x32-10 that the authors' package Random123 gives as known answers (kat_vectors). */
static void test_random(Test *t) {
    static const uint32_t zeros[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    static const uint32_t ones[4] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
    for (int i = 0; i < 4; i++) {
        expect_float(t, num_random(0, 0, i), (double)(zeros[i] >> 8) * 0x1p-24, "random of zeros");
        expect_float(t, num_random(-1, -1, i - 4), (double)(ones[i] >> 8) * 0x1p-24, "random of ones");
    }
}

static void test_int_ops(Test *t, Ctx *ctx) {
    const struct {
        Type type;
        Op op;
        int n;
        int64_t a, b, want;
    } row[] = {
        {TY_I64, OP_ADD, 2, 3, 4, 7},
        {TY_I32, OP_ADD, 2, INT32_MAX, 1, INT32_MIN},
        {TY_U32, OP_SUB, 2, 0, 1, UINT32_MAX},
        {TY_I64, OP_ADD, 2, INT64_MAX, 1, INT64_MIN},
        {TY_I32, OP_MUL, 2, 65536, 65536, 0},
        {TY_U32, OP_MUL, 2, 65537, 65537, 131073},
        {TY_I64, OP_DIV, 2, -7, 2, -4},
        {TY_I64, OP_MOD, 2, -7, 2, 1},
        {TY_I64, OP_DIV, 2, 7, -2, -4},
        {TY_I64, OP_MOD, 2, 7, -2, -1},
        {TY_I32, OP_DIV, 2, INT32_MIN, -1, INT32_MIN},
        {TY_U32, OP_DIV, 2, 0xfffffffe, 2, 0x7fffffff},
        {TY_I32, OP_NEG, 1, INT32_MIN, 0, INT32_MIN},
        {TY_U32, OP_NEG, 1, 1, 0, UINT32_MAX},
        {TY_I32, OP_BITAND, 2, 12, 10, 8},
        {TY_I32, OP_BITOR, 2, 12, 10, 14},
        {TY_I32, OP_BITXOR, 2, 12, 10, 6},
        {TY_I32, OP_SHL, 2, 1, 31, INT32_MIN},
        {TY_I32, OP_SHR, 2, -8, 1, -4},
        {TY_U32, OP_SHR, 2, 0x80000000, 31, 1},
        {TY_I32, OP_SHL, 2, 1, 32, 0},
        {TY_BOOL, OP_AND, 2, 1, 0, 0},
        {TY_BOOL, OP_OR, 2, 0, 1, 1},
        {TY_BOOL, OP_NOT, 1, 0, 0, 1},
        {TY_I32, OP_EQ, 2, 2, 2, 1},
        {TY_I32, OP_NE, 2, 2, 2, 0},
        {TY_I32, OP_LT, 2, -1, 0, 1},
        {TY_U32, OP_LT, 2, 0xffffffff, 0, 0},
        {TY_I64, OP_LE, 2, 3, 3, 1},
        {TY_I64, OP_GT, 2, 4, 3, 1},
        {TY_I64, OP_GE, 2, 2, 3, 0},
        {TY_I32, OP_MIN, 2, -1, 2, -1},
        {TY_I32, OP_MAX, 2, -1, 2, 2},
        {TY_I32, OP_ABS, 1, -5, 0, 5},
        {TY_I64, OP_SIGN, 1, -5, 0, -1},
        {TY_BOOL, OP_EQ, 2, 1, 0, 0},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        expect_int(t, eval_int(ctx, row[k].type, row[k].op, row[k].n, row[k].a, row[k].b), row[k].want,
                   op_text(row[k].op));
}

static void test_casts(Test *t, Ctx *ctx) {
    const struct {
        Type to;
        double a, want;
    } row[] = {
        {TY_F32, 0.1, 0x1.99999ap-4},
        {TY_F32, 1e39, INF},
        {TY_F32, -1e-46, -0.0},
        {TY_F32, 1 + 0x1p-24, 1},
        {TY_F32, 1 + 3 * 0x1p-24, 1 + 0x1p-22},
        {TY_F16, 65519, 65504},
        {TY_F16, 65520, INF},
        {TY_F16, 1 + 0x1p-11, 1},
        {TY_F16, 1 + 3 * 0x1p-11, 1 + 0x1p-9},
        {TY_F16, 0x1p-25, 0},
        {TY_F16, 0x1.8p-25, 0x1p-24},
        {TY_F16, -0x1p-24, -0x1p-24},
        {TY_F16, NAN_, NAN_},
        {TY_F16, -INF, -INF},
        {TY_BF16, 1 + 0x1p-8, 1},
        {TY_BF16, 1 + 3 * 0x1p-8, 1 + 0x1p-6},
        {TY_BF16, 3.4e38, INF},
        {TY_BF16, 3.38e38, 0x1.FCp127},
        {TY_BF16, 1e-40, 0x1p-133},
        {TY_F8E4M3, 460, 448},
        {TY_F8E4M3, 1e9, 448},
        {TY_F8E4M3, -INF, -448},
        {TY_F8E4M3, NAN_, NAN_},
        {TY_F8E4M3, 17, 16},
        {TY_F8E4M3, 19, 20},
        {TY_F8E4M3, 0x1p-9, 0x1p-9},
        {TY_F8E4M3, 0x1p-10, 0},
        {TY_F8E4M3, 0x1.1p-10, 0x1p-9},
        {TY_F8E5M2, 60000, 57344},
        {TY_F8E5M2, INF, 57344},
        {TY_F8E5M2, 1.125, 1},
        {TY_F8E5M2, 1.375, 1.5},
        {TY_F8E5M2, 0x1p-16, 0x1p-16},
        {TY_I32, 2.9, 2},
        {TY_I32, -2.9, -2},
        {TY_I32, 3e9, INT32_MAX},
        {TY_I32, -INF, INT32_MIN},
        {TY_I32, NAN_, 0},
        {TY_U8, 300, 255},
        {TY_U8, -5, 0},
        {TY_I8, -200, -128},
        {TY_I64, 1e30, (double)INT64_MAX},
        {TY_U32, 4e9, 4e9},
        {TY_BOOL, 0.5, 1},
        {TY_BOOL, -0.0, 0},
        {TY_I4, 9, 7},
        {TY_U4, 20, 15},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        double f = 0;
        int64_t i = eval_cast(ctx, TY_F64, row[k].to, row[k].a, &f);
        char what[80];
        snprintf(what, sizeof what, "%s(%.17g)", type_name(row[k].to), row[k].a);
        if (type_is_float(row[k].to))
            expect(t, same(f, row[k].want), what);
        else
            expect_int(t, i, row[k].a == 1e30 ? INT64_MAX : (int64_t)row[k].want, what);
        /* A store rounds as the cast does. */
        if (type_is_float(row[k].to))
            expect(t, same(eval_float(ctx, row[k].to, OP_ADD, 0, row[k].a, 0, 0), row[k].want), what);
    }
    expect_int(t, eval_cast(ctx, TY_I64, TY_I8, 200, NULL), -56, "i8(200)");
    expect_int(t, eval_cast(ctx, TY_I64, TY_U16, -1, NULL), 65535, "u16(-1)");
    expect_int(t, eval_cast(ctx, TY_I64, TY_BOOL, 4, NULL), 1, "bool(4)");
    expect_int(t, eval_cast(ctx, TY_I64, TY_I4, 15, NULL), -1, "i4(15)");
    double f = 0;
    eval_cast(ctx, TY_I64, TY_F32, 16777217, &f);
    expect(t, f == 16777216, "f32(16777217)");
    expect(t, num_from_int(TY_BF16, ((int64_t)0x181 << 52) + 1) == 0x1.82p60, "an integer is rounded once");
}

static void test_encodings(Test *t) {
    const Type types[] = {TY_F16, TY_BF16, TY_F8E4M3, TY_F8E5M2};
    for (int k = 0; k < 4; k++) {
        int bad = 0, n = type_bits(types[k]) == 16 ? 65536 : 256;
        for (int b = 0; b < n; b++) {
            double v = num_decode(types[k], (uint16_t)b);
            bool inf5 = types[k] == TY_F8E5M2 && isinf(v); /* conversion saturates: infinity is no result of it */
            if (isnan(v) ? !isnan(num_decode(types[k], num_encode(types[k], v)))
                         : !inf5 && num_encode(types[k], v) != b)
                bad++;
        }
        expect_int(t, bad, 0, type_name(types[k]));
    }
    expect(t,
           num_decode(TY_F16, 0x3c00) == 1 && num_decode(TY_BF16, 0x3f80) == 1 && num_decode(TY_F8E4M3, 0x38) == 1 &&
               num_decode(TY_F8E5M2, 0x3c) == 1 && num_decode(TY_F8E4M3, 0x7e) == 448 &&
               num_decode(TY_F8E5M2, 0x7b) == 57344,
           "bit patterns of one and of the largest numbers");
    HostTensor h = {.type = TY_I4, .rank = 1, .n = 3, .data = (uint8_t[2]){0, 0}};
    host_put_int(&h, 0, -2);
    host_put_int(&h, 1, 7);
    host_put_int(&h, 2, 5);
    expect(t,
           ((uint8_t *)h.data)[0] == 0x7e && ((uint8_t *)h.data)[1] == 5 && host_int(&h, 0) == -2 &&
               host_bytes(TY_I4, 3) == 2,
           "i4 packs the low half first");
}

/* y = monoid[k in 0..n where guard](x[k]), x of the type; y of the reduction's. */
static Rig reduce(Ctx *ctx, MonoidKind m, Type type, int64_t n, const double *x, int64_t below) {
    Rig r = rig(ctx);
    const Expr *shape[1] = {expr_int(r.g, TY_I64, 6)};
    Tensor *in = graph_tensor(r.g, sym(ctx, "x"), TENSOR_INPUT, type, 1, shape);
    Reduce *red = NEW(ctx, Reduce);
    Var *k = graph_var(r.g, sym(ctx, "k"), expr_int(r.g, TY_I64, 0), expr_int(r.g, TY_I64, n));
    *red = (Reduce){m, 1, NEW(ctx, Var *)};
    red->vars[0] = k;
    const Expr *kv = expr_var(r.g, k);
    const Expr *guard = below < 0 ? NULL : expr2(r.g, OP_LT, kv, expr_int(r.g, TY_I64, below));
    const Expr *e = expr_reduce(r.g, red, guard, expr_load(r.g, in, &kv));
    out(&r, e->type, e);
    InterpValue v[2];
    if (!go(&r, NULL, NULL, (const double *[]){x, NULL}, v)) r.f = -12345, r.i = -12345;
    return r;
}

static void test_reductions(Test *t, Ctx *ctx) {
    const double x[6] = {1, 3, 3, -2, 0.5, 2}, bad[6] = {1, NAN_, 5, NAN_, 7, 0}, i[6] = {5, 2, 5, -9, -9, 1},
                 b[6] = {0, 1, 0, 1, 1, 1};
    const double big[6] = {1e16, 1, -1e16, 1, 0, 0};
    expect_float(t, reduce(ctx, MONOID_SUM, TY_F64, 6, x, -1).f, 7.5, "sum");
    expect_float(t, reduce(ctx, MONOID_SUM, TY_F64, 4, big, -1).f, 2, "a sum is better than f64");
    expect_float(t, reduce(ctx, MONOID_PROD, TY_F64, 6, x, -1).f, -18, "prod");
    expect_float(t, reduce(ctx, MONOID_MAX, TY_F64, 6, x, -1).f, 3, "max");
    expect_float(t, reduce(ctx, MONOID_MIN, TY_F64, 6, x, -1).f, -2, "min");
    expect_float(t, reduce(ctx, MONOID_MAX, TY_F64, 6, bad, -1).f, NAN_, "max propagates NaN");
    expect_float(t, reduce(ctx, MONOID_MIN, TY_F64, 6, bad, -1).f, NAN_, "min propagates NaN");
    expect_int(t, reduce(ctx, MONOID_ARGMAX, TY_F32, 6, x, -1).i, 1, "argmax: the first on ties");
    expect_int(t, reduce(ctx, MONOID_ARGMIN, TY_I32, 6, i, -1).i, 3, "argmin of integers: the first on ties");
    expect_int(t, reduce(ctx, MONOID_ARGMAX, TY_F32, 6, bad, -1).i, 1, "argmax: NaN wins");
    expect_int(t, reduce(ctx, MONOID_ARGMIN, TY_F32, 6, bad, -1).i, 1, "argmin: NaN wins");
    expect_int(t, reduce(ctx, MONOID_SUM, TY_I32, 6, i, -1).i, -5, "sum of i32");
    expect_int(t, reduce(ctx, MONOID_MAX, TY_I32, 6, i, -1).i, 5, "max of i32");
    expect_int(t, reduce(ctx, MONOID_ANY, TY_BOOL, 6, b, -1).i, 1, "any");
    expect_int(t, reduce(ctx, MONOID_ALL, TY_BOOL, 6, b, -1).i, 0, "all");
    expect_int(t, reduce(ctx, MONOID_SUM, TY_BOOL, 6, b, -1).i, 4, "sum of bool");
    /* Beyond 6 a load is out of range: a guard must keep it from happening. */
    expect_float(t, reduce(ctx, MONOID_SUM, TY_F64, 9, x, 3).f, 7, "a guard is evaluated before the load");
    expect_int(t, reduce(ctx, MONOID_ARGMAX, TY_F64, 9, bad, 1).i, 0, "what a guard excludes never shows");
    Rig r = reduce(ctx, MONOID_SUM, TY_F64, 9, x, -1);
    expect(t, r.i == -12345 && strstr(r.why.s, "subscript 1 of x is 6, outside 0..6 at k = 6"),
           "a load out of range is reported");
    for (int64_t n = 0; n <= 6; n += 6) { /* an empty range, and a guard that excludes all */
        int64_t g = n ? 0 : -1;
        expect_float(t, reduce(ctx, MONOID_SUM, TY_F64, n, x, g).f, 0, "empty sum");
        expect_float(t, reduce(ctx, MONOID_PROD, TY_F64, n, x, g).f, 1, "empty prod");
        expect_float(t, reduce(ctx, MONOID_MAX, TY_F64, n, x, g).f, -INF, "empty max");
        expect_float(t, reduce(ctx, MONOID_MIN, TY_F32, n, x, g).f, INF, "empty min");
        expect_int(t, reduce(ctx, MONOID_MAX, TY_I32, n, i, g).i, INT32_MIN, "empty max of i32");
        expect_int(t, reduce(ctx, MONOID_MIN, TY_U32, n, b, g).i, UINT32_MAX, "empty min of u32");
        expect_int(t, reduce(ctx, MONOID_ARGMAX, TY_F32, n, x, g).i, -1, "empty argmax");
        expect_int(t, reduce(ctx, MONOID_ANY, TY_BOOL, n, b, g).i, 0, "empty any");
        expect_int(t, reduce(ctx, MONOID_ALL, TY_BOOL, n, b, g).i, 1, "empty all");
    }
}

/* y[i, j] = sum[k in lo(i)..n](a[i, k] * b[k, j]) with symbolic dimensions, through a tensor that rounds. */
static void test_product(Test *t, Ctx *ctx, bool rounds) {
    Rig r = rig(ctx);
    Graph *g = r.g;
    const Expr *M = expr_dim(g, graph_dim(g, sym(ctx, "M"))), *K = expr_dim(g, graph_dim(g, sym(ctx, "K")));
    const Expr *zero = expr_int(g, TY_I64, 0);
    Tensor *a = graph_tensor(g, sym(ctx, "a"), TENSOR_INPUT, TY_BF16, 2, (const Expr *[]){M, K});
    Tensor *b = graph_tensor(g, sym(ctx, "b"), TENSOR_INPUT, TY_BF16, 2, (const Expr *[]){K, M});
    Tensor *p = graph_tensor(g, sym(ctx, "p"), TENSOR_LET, TY_F32, 2, (const Expr *[]){M, M});
    if (rounds) p->type = TY_BF16, p->rounds = true;
    Tensor *y = graph_tensor(g, sym(ctx, "y"), TENSOR_OUTPUT, TY_F32, 2, (const Expr *[]){M, M});
    Var *v[4] = {graph_var(g, sym(ctx, "i"), zero, M), graph_var(g, sym(ctx, "j"), zero, M),
                 graph_var(g, sym(ctx, "i"), zero, M), graph_var(g, sym(ctx, "j"), zero, M)};
    const Expr *e[4];
    for (int k = 0; k < 4; k++) e[k] = expr_var(g, v[k]);
    Reduce *red = NEW(ctx, Reduce);
    *red = (Reduce){MONOID_SUM, 1, NEW(ctx, Var *)};
    red->vars[0] = graph_var(g, sym(ctx, "k"), e[2], K); /* lower bound by an outer variable */
    const Expr *k = expr_var(g, red->vars[0]);
    const Expr *fa = expr_cast(g, TY_F32, expr_load(g, a, (const Expr *[]){e[2], k}));
    const Expr *fb = expr_cast(g, TY_F32, expr_load(g, b, (const Expr *[]){k, e[3]}));
    define(&r, y, 2, v, NULL, e, expr_cast(g, TY_F32, expr_load(g, p, e)));
    define(&r, p, 2, v + 2, NULL, e + 2, expr_reduce(g, red, NULL, expr2(g, OP_MUL, fa, fb)));
    const double av[6] = {1, 2, 3, 4, 5, 6}, bv[6] = {1, 10, 100, 1000, 3, 7};
    InterpValue out_[3];
    bool ok = go(&r, (int64_t[]){2, 3}, NULL, (const double *[]){av, bv, NULL}, out_);
    expect(t, ok, "a product with dimensions");
    if (!ok) {
        printf("    %s\n", r.why.s);
        return;
    }
    const double want[4] = {210, 2031, 518, 5042}, rounded[4] = {210, 2032, 516, 5056};
    bool same_all = true;
    for (int n = 0; n < 4; n++) same_all &= out_[2].f[n] == (rounds ? num_round(TY_BF16, want[n]) : want[n]);
    expect(t, same_all, rounds ? "a declared type rounds" : "an undeclared one does not");
    expect(t, num_round(TY_BF16, 2031) == rounded[1] && num_round(TY_BF16, 518) == 520, "bf16 by hand");
}

/* Pieces of an inout: p[2*i] = p[i] + s where i > 0; elements left out keep their value, and loads see the old one. */
static void test_inout(Test *t, Ctx *ctx) {
    Rig r = rig(ctx);
    Graph *g = r.g;
    const Expr *zero = expr_int(g, TY_I64, 0), *six = expr_int(g, TY_I64, 6);
    Scalar *s = graph_scalar(g, sym(ctx, "s"), TY_F16);
    Tensor *p = graph_tensor(g, sym(ctx, "p"), TENSOR_INOUT, TY_F32, 1, &six);
    Var *i = graph_var(g, sym(ctx, "i"), zero, expr_int(g, TY_I64, 3));
    const Expr *iv = expr_var(g, i), *sub = expr2(g, OP_MUL, expr_int(g, TY_I64, 2), iv);
    const Expr *e = expr2(g, OP_ADD, expr_load(g, p, &iv), expr_cast(g, TY_F32, expr_scalar(g, s)));
    define(&r, p, 1, &i, expr2(g, OP_GT, iv, zero), &sub, e);
    const double x[6] = {1, 2, 3, 4, 5, 6}, want[6] = {1, 2, 2.25, 4, 3.25, 6};
    InterpValue v[1];
    bool ok = go(&r, NULL, (const double[]){0.25 + 1e-9}, (const double *[]){x}, v);
    for (int k = 0; ok && k < 6; k++) ok = v[0].f[k] == want[k];
    expect(t, ok, "an inout reads old values and keeps what is not written; a scalar is rounded");
    const Expr *first = expr2(g, OP_MUL, zero, iv);
    define(&r, p, 1, &i, NULL, &first, e);
    expect(t,
           !go(&r, NULL, (const double[]){0}, (const double *[]){x}, v) &&
               strstr(r.why.s, "element 0 of p is defined twice at i = 1"),
           "an element defined twice is reported");
}

static void test_lazy(Test *t, Ctx *ctx) {
    Rig r = rig(ctx);
    Graph *g = r.g;
    const Expr *n = expr_int(g, TY_I64, 2), *far = expr_int(g, TY_I64, 9), *zero = expr_int(g, TY_I64, 0);
    Tensor *x = graph_tensor(g, sym(ctx, "x"), TENSOR_INPUT, TY_F32, 1, &n);
    Var *i = graph_var(g, sym(ctx, "i"), zero, far);
    const Expr *iv = expr_var(g, i), *in = expr2(g, OP_LT, iv, n), *load = expr_load(g, x, &iv);
    const Expr *half = expr_float(g, TY_F32, 0.5);
    /* (i < 2 && x[i] > 0.5 || !(i < 2) || x[i] < 0.5) ? (i < 2 ? x[i] : -1) : 7 */
    const Expr *c = expr2(g, OP_OR, expr2(g, OP_AND, in, expr2(g, OP_GT, load, half)),
                          expr2(g, OP_OR, expr1(g, OP_NOT, in), expr2(g, OP_LT, load, half)));
    const Expr *e = expr3(g, OP_IF, c, expr3(g, OP_IF, in, load, expr_float(g, TY_F32, -1)), expr_float(g, TY_F32, 7));
    Tensor *y = graph_tensor(g, sym(ctx, "y"), TENSOR_OUTPUT, TY_F32, 1, &far);
    define(&r, y, 1, &i, NULL, &iv, e);
    InterpValue v[2];
    const double xv[2] = {0.5, 3};
    bool ok = go(&r, NULL, NULL, (const double *[]){xv, NULL}, v);
    expect(t, ok && v[1].f[0] == 7 && v[1].f[1] == 3 && v[1].f[2] == -1 && v[1].f[8] == -1,
           "if, && and || evaluate what they choose");
    y->pieces.at[0].guard = in;
    expect(t, !go(&r, NULL, NULL, (const double *[]){xv, NULL}, v) && strstr(r.why.s, "nothing defines element 2"),
           "an output is covered");
}

static void test_host(Test *t, Ctx *ctx) {
    Rig r = rig(ctx);
    Graph *g = r.g;
    const Expr *n = expr_dim(g, graph_dim(g, sym(ctx, "N"))), *two = expr_int(g, TY_I64, 2);
    const Expr *e = expr2(g, OP_ADD, expr2(g, OP_DIV, expr2(g, OP_SUB, n, expr_int(g, TY_I64, 9)), two), two);
    int64_t v = 0, dims[1] = {4};
    expect(t, interp_int(g, e, dims, NULL, &v) && v == -1, "(4 - 9)/2 + 2 on the host");
    dims[0] = INT64_MIN;
    expect(t, !interp_int(g, e, dims, NULL, &v), "overflow on the host is refused");
    dims[0] = 0;
    expect(t, !interp_int(g, expr2(g, OP_DIV, two, n), dims, NULL, &v), "division by zero on the host is refused");
    Tensor *x = graph_tensor(g, sym(ctx, "x"), TENSOR_INPUT, TY_I32, 1, &n);
    Var *i = graph_var(g, sym(ctx, "i"), expr_int(g, TY_I64, 0), n);
    const Expr *iv = expr_var(g, i);
    Fact f = {.cond = expr2(g, OP_LT, expr_load(g, x, &iv), expr_int(g, TY_I32, 3)),
              .nvars = 1,
              .vars = &i,
              .span = SPAN_NONE};
    HostTensor h;
    dims[0] = 2;
    host_tensor(ctx, &h, TY_I32, 1, dims);
    expect(t, interp_fact(ctx, g, &f, dims, NULL, &h, &r.why), "a fact that holds");
    host_put_int(&h, 1, 3);
    expect(t, !interp_fact(ctx, g, &f, dims, NULL, &h, &r.why) && strstr(r.why.s, "at i = 1"), "a fact that does not");
}

/* argmax over x[k] * (1 + tiny * k): what an f32 cannot tell apart may come out either way, and nothing else. */
static void test_nudge(Test *t, Ctx *ctx) {
    Rig r = rig(ctx);
    Graph *g = r.g;
    const Expr *n = expr_int(g, TY_I64, 3);
    Tensor *x = graph_tensor(g, sym(ctx, "x"), TENSOR_INPUT, TY_F32, 1, &n);
    Var *k = graph_var(g, sym(ctx, "k"), expr_int(g, TY_I64, 0), n);
    const Expr *kv = expr_var(g, k), *fk = expr_cast(g, TY_F64, kv);
    const Expr *tiny = expr2(g, OP_ADD, expr_float(g, TY_F64, 1), expr2(g, OP_MUL, expr_float(g, TY_F64, 1e-9), fk));
    const Expr *body = expr2(g, OP_MUL, expr_cast(g, TY_F64, expr_load(g, x, &kv)), tiny);
    Reduce *red = NEW_N(ctx, Reduce, 2);
    red[0] = red[1] = (Reduce){MONOID_ARGMAX, 1, &k};
    out(&r, TY_I64, expr_reduce(g, &red[0], NULL, body));
    HostTensor h[2];
    host_tensor(ctx, &h[0], TY_F32, 1, (const int64_t[]){3});
    for (int i = 0; i < 3; i++) host_put_float(&h[0], i, i == 2 ? 1 : 2);
    InterpValue v[2];
    const InterpNudge nudges[] = {NUDGE_NONE, NUDGE_ROUND, NUDGE_DOWN, NUDGE_UP};
    const int64_t want[] = {1, 0, 0, 1};
    for (int i = 0; i < 4; i++) {
        bool ok = interp_run(ctx, g, NULL, NULL, h, nudges[i], v, &r.why);
        expect_int(t, ok ? v[1].i[0] : -2, want[i], "argmax of computed values, nudged");
    }
    /* Inputs are exact: no nudge moves them. */
    host_put_float(&h[0], 1, 2 * (1 + 0x1p-23));
    r.g->tensors.at[1]->pieces.at[0].value = expr_reduce(g, &red[1], NULL, expr_load(g, x, &kv));
    for (int i = 0; i < 4; i++) {
        bool ok = interp_run(ctx, g, NULL, NULL, h, nudges[i], v, &r.why);
        expect_int(t, ok ? v[1].i[0] : -2, 1, "argmax of inputs is not nudged");
    }
}

/* Noise moves what is computed, but neither zeros nor infinities. */
static void test_noise(Test *t, Ctx *ctx) {
    Rig r = rig(ctx);
    Graph *g = r.g;
    const Expr *n = expr_int(g, TY_I64, 64), *three = expr_float(g, TY_F32, 3);
    Tensor *x = graph_tensor(g, sym(ctx, "x"), TENSOR_INPUT, TY_F32, 1, &n);
    Tensor *y = graph_tensor(g, sym(ctx, "y"), TENSOR_OUTPUT, TY_F32, 1, &n);
    Var *k = graph_var(g, sym(ctx, "k"), expr_int(g, TY_I64, 0), n);
    const Expr *kv = expr_var(g, k);
    Piece p = {.nvars = 1, .vars = NEW_N(ctx, Var *, 1), .subs = NEW_N(ctx, const Expr *, 1), .span = SPAN_NONE};
    p.vars[0] = k;
    p.subs[0] = kv;
    p.value = expr2(g, OP_MUL, expr_load(g, x, &kv), three);
    vec_push(ctx, &y->pieces, p);
    HostTensor h[2];
    host_tensor(ctx, &h[0], TY_F32, 1, (const int64_t[]){64});
    host_tensor(ctx, &h[1], TY_F32, 1, (const int64_t[]){64});
    for (int i = 0; i < 64; i++) host_put_float(&h[0], i, i % 3 == 0 ? 0 : i % 3 == 1 ? (double)INFINITY : 1);
    InterpValue v[2];
    bool ok = interp_run(ctx, g, NULL, NULL, h, (InterpNudge)(NUDGE_NOISE + 1), v, &r.why);
    for (int i = 0; i < 64; i++) {
        double got = ok ? v[1].f[i] : (double)NAN;
        bool right = i % 3 == 2 ? got != 3 && fabs(got - 3) < 1e-5 : got == (i % 3 ? (double)INFINITY : 0);
        expect_int(t, right, 1, "noise");
    }
}

int main(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return 1;
    Test t = {0, 0};
    test_float_ops(&t, ctx);
    test_random(&t);
    test_int_ops(&t, ctx);
    test_casts(&t, ctx);
    test_encodings(&t);
    test_reductions(&t, ctx);
    test_product(&t, ctx, false);
    test_product(&t, ctx, true);
    test_inout(&t, ctx);
    test_lazy(&t, ctx);
    test_noise(&t, ctx);
    test_host(&t, ctx);
    test_nudge(&t, ctx);
    printf("%d passed, %d failed\n", t.passed, t.failed);
    ctx_free(ctx);
    return t.failed != 0;
}
