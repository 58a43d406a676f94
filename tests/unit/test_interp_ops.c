/* The reference interpreter's arithmetic against values computed by hand: every operator, every rounding, special
 * values, conversions, the bits of narrow types, random numbers. */
#include "rig.h"

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

static const struct {
    Op op;
    int n;
    double a, b, c, want;
} FLOAT_OPS[] = {
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

static void test_float_ops(Ctx *ctx) {
    for (size_t k = 0; k < sizeof FLOAT_OPS / sizeof *FLOAT_OPS; k++)
        expect_float(
            eval_float(ctx, TY_F64, FLOAT_OPS[k].op, FLOAT_OPS[k].n, FLOAT_OPS[k].a, FLOAT_OPS[k].b, FLOAT_OPS[k].c),
            FLOAT_OPS[k].want, op_text(FLOAT_OPS[k].op));
}

/* Words of Philox4x32-10 that the authors' package Random123 gives as known answers (kat_vectors). */
static void test_random(void) {
    static const uint32_t zeros[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    static const uint32_t ones[4] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
    for (int i = 0; i < 4; i++) {
        expect_float(num_random(0, 0, i), (double)(zeros[i] >> 8) * 0x1p-24, "random of zeros");
        expect_float(num_random(-1, -1, i - 4), (double)(ones[i] >> 8) * 0x1p-24, "random of ones");
    }
}

static void test_int_ops(Ctx *ctx) {
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
        expect_int(eval_int(ctx, row[k].type, row[k].op, row[k].n, row[k].a, row[k].b), row[k].want,
                   op_text(row[k].op));
}

static void test_casts(Ctx *ctx) {
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
            expect(same(f, row[k].want), what, NULL);
        else
            expect_int(i, row[k].a == 1e30 ? INT64_MAX : (int64_t)row[k].want, what);
        /* A store rounds as the cast does. */
        if (type_is_float(row[k].to))
            expect(same(eval_float(ctx, row[k].to, OP_ADD, 0, row[k].a, 0, 0), row[k].want), what, NULL);
    }
    expect_int(eval_cast(ctx, TY_I64, TY_I8, 200, NULL), -56, "i8(200)");
    expect_int(eval_cast(ctx, TY_I64, TY_U16, -1, NULL), 65535, "u16(-1)");
    expect_int(eval_cast(ctx, TY_I64, TY_BOOL, 4, NULL), 1, "bool(4)");
    expect_int(eval_cast(ctx, TY_I64, TY_I4, 15, NULL), -1, "i4(15)");
    double f = 0;
    eval_cast(ctx, TY_I64, TY_F32, 16777217, &f);
    expect(f == 16777216, "f32(16777217)", NULL);
    expect(num_from_int(TY_BF16, ((int64_t)0x181 << 52) + 1) == 0x1.82p60, "an integer is rounded once", NULL);
}

static void test_encodings(void) {
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
        expect_int(bad, 0, type_name(types[k]));
    }
    expect(num_decode(TY_F16, 0x3c00) == 1 && num_decode(TY_BF16, 0x3f80) == 1 && num_decode(TY_F8E4M3, 0x38) == 1 &&
               num_decode(TY_F8E5M2, 0x3c) == 1 && num_decode(TY_F8E4M3, 0x7e) == 448 &&
               num_decode(TY_F8E5M2, 0x7b) == 57344,
           "bit patterns of one and of the largest numbers", NULL);
    HostTensor h = {.type = TY_I4, .rank = 1, .n = 3, .data = (uint8_t[2]){0, 0}};
    host_put_int(&h, 0, -2);
    host_put_int(&h, 1, 7);
    host_put_int(&h, 2, 5);
    expect(((uint8_t *)h.data)[0] == 0x7e && ((uint8_t *)h.data)[1] == 5 && host_int(&h, 0) == -2 &&
               host_bytes(TY_I4, 3) == 2,
           "i4 packs the low half first", NULL);
}

int main(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return 1;
    test_float_ops(ctx);
    test_random();
    test_int_ops(ctx);
    test_casts(ctx);
    test_encodings();
    ctx_free(ctx);
    return test_end();
}
