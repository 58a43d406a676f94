/* The reference interpreter against values computed by hand: reductions with guards and over nothing, products, inouts,
 * what is evaluated at all, facts, nudges. Graphs are built with the builder. */
#include "rig.h"

/* y = monoid[k in 0..n where guard](x[k]), x of the type; y of the reduction's. */
static Rig reduce(Ctx *ctx, MonoidKind m, Type type, int64_t n, const double *x, int64_t below) {
    Rig r = rig(ctx);
    const Expr *shape[1] = {expr_int(r.g, TY_I64, 6)};
    Tensor *in = graph_tensor(r.g, sym(ctx, "x"), TENSOR_INPUT, type, 1, shape);
    Reduce *red = NEW(ctx, Reduce);
    Var *k = graph_var(r.g, sym(ctx, "k"), expr_int(r.g, TY_I64, 0), expr_int(r.g, TY_I64, n));
    *red = (Reduce){.monoid = monoid_row(m), .nvars = 1, .vars = NEW(ctx, Var *)};
    red->vars[0] = k;
    const Expr *kv = expr_var(r.g, k);
    const Expr *guard = below < 0 ? NULL : expr2(r.g, OP_LT, kv, expr_int(r.g, TY_I64, below));
    const Expr *e = expr_reduce(r.g, red, guard, expr_load(r.g, in, &kv));
    out(&r, e->type, e);
    InterpValue v[2];
    if (!go(&r, NULL, NULL, (const double *[]){x, NULL}, v)) r.f = -12345, r.i = -12345;
    return r;
}

static void test_reductions(Ctx *ctx) {
    const double x[6] = {1, 3, 3, -2, 0.5, 2}, bad[6] = {1, NAN_, 5, NAN_, 7, 0}, i[6] = {5, 2, 5, -9, -9, 1},
                 b[6] = {0, 1, 0, 1, 1, 1};
    const double big[6] = {1e16, 1, -1e16, 1, 0, 0};
    expect_float(reduce(ctx, MONOID_SUM, TY_F64, 6, x, -1).f, 7.5, "sum");
    expect_float(reduce(ctx, MONOID_SUM, TY_F64, 4, big, -1).f, 2, "a sum is better than f64");
    expect_float(reduce(ctx, MONOID_PROD, TY_F64, 6, x, -1).f, -18, "prod");
    expect_float(reduce(ctx, MONOID_MAX, TY_F64, 6, x, -1).f, 3, "max");
    expect_float(reduce(ctx, MONOID_MIN, TY_F64, 6, x, -1).f, -2, "min");
    expect_float(reduce(ctx, MONOID_MAX, TY_F64, 6, bad, -1).f, NAN_, "max propagates NaN");
    expect_float(reduce(ctx, MONOID_MIN, TY_F64, 6, bad, -1).f, NAN_, "min propagates NaN");
    expect_int(reduce(ctx, MONOID_ARGMAX, TY_F32, 6, x, -1).i, 1, "argmax: the first on ties");
    expect_int(reduce(ctx, MONOID_ARGMIN, TY_I32, 6, i, -1).i, 3, "argmin of integers: the first on ties");
    expect_int(reduce(ctx, MONOID_ARGMAX, TY_F32, 6, bad, -1).i, 1, "argmax: NaN wins");
    expect_int(reduce(ctx, MONOID_ARGMIN, TY_F32, 6, bad, -1).i, 1, "argmin: NaN wins");
    expect_int(reduce(ctx, MONOID_SUM, TY_I32, 6, i, -1).i, -5, "sum of i32");
    expect_int(reduce(ctx, MONOID_MAX, TY_I32, 6, i, -1).i, 5, "max of i32");
    expect_int(reduce(ctx, MONOID_ANY, TY_BOOL, 6, b, -1).i, 1, "any");
    expect_int(reduce(ctx, MONOID_ALL, TY_BOOL, 6, b, -1).i, 0, "all");
    expect_int(reduce(ctx, MONOID_SUM, TY_BOOL, 6, b, -1).i, 4, "sum of bool");
    /* Beyond 6 a load is out of range: a guard must keep it from happening. */
    expect_float(reduce(ctx, MONOID_SUM, TY_F64, 9, x, 3).f, 7, "a guard is evaluated before the load");
    expect_int(reduce(ctx, MONOID_ARGMAX, TY_F64, 9, bad, 1).i, 0, "what a guard excludes never shows");
    Rig r = reduce(ctx, MONOID_SUM, TY_F64, 9, x, -1);
    expect(r.i == -12345 && strstr(r.why.s, "subscript 1 of x is 6, outside 0..6 at k = 6"),
           "a load out of range is reported", NULL);
    for (int64_t n = 0; n <= 6; n += 6) { /* an empty range, and a guard that excludes all */
        int64_t g = n ? 0 : -1;
        expect_float(reduce(ctx, MONOID_SUM, TY_F64, n, x, g).f, 0, "empty sum");
        expect_float(reduce(ctx, MONOID_PROD, TY_F64, n, x, g).f, 1, "empty prod");
        expect_float(reduce(ctx, MONOID_MAX, TY_F64, n, x, g).f, -INF, "empty max");
        expect_float(reduce(ctx, MONOID_MIN, TY_F32, n, x, g).f, INF, "empty min");
        expect_int(reduce(ctx, MONOID_MAX, TY_I32, n, i, g).i, INT32_MIN, "empty max of i32");
        expect_int(reduce(ctx, MONOID_MIN, TY_U32, n, b, g).i, UINT32_MAX, "empty min of u32");
        expect_int(reduce(ctx, MONOID_ARGMAX, TY_F32, n, x, g).i, -1, "empty argmax");
        expect_int(reduce(ctx, MONOID_ANY, TY_BOOL, n, b, g).i, 0, "empty any");
        expect_int(reduce(ctx, MONOID_ALL, TY_BOOL, n, b, g).i, 1, "empty all");
    }
}

/* y[i, j] = sum[k in lo(i)..n](a[i, k] * b[k, j]) with symbolic dimensions, through a tensor that rounds. */
static void test_product(Ctx *ctx, bool rounds) {
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
    *red = (Reduce){.monoid = monoid_row(MONOID_SUM), .nvars = 1, .vars = NEW(ctx, Var *)};
    red->vars[0] = graph_var(g, sym(ctx, "k"), e[2], K); /* lower bound by an outer variable */
    const Expr *k = expr_var(g, red->vars[0]);
    const Expr *fa = expr_cast(g, TY_F32, expr_load(g, a, (const Expr *[]){e[2], k}));
    const Expr *fb = expr_cast(g, TY_F32, expr_load(g, b, (const Expr *[]){k, e[3]}));
    define(&r, y, 2, v, NULL, e, expr_cast(g, TY_F32, expr_load(g, p, e)));
    define(&r, p, 2, v + 2, NULL, e + 2, expr_reduce(g, red, NULL, expr2(g, OP_MUL, fa, fb)));
    const double av[6] = {1, 2, 3, 4, 5, 6}, bv[6] = {1, 10, 100, 1000, 3, 7};
    InterpValue out_[3];
    bool ok = go(&r, (int64_t[]){2, 3}, NULL, (const double *[]){av, bv, NULL}, out_);
    expect(ok, "a product with dimensions", NULL);
    if (!ok) {
        printf("    %s\n", r.why.s);
        return;
    }
    const double want[4] = {210, 2031, 518, 5042}, rounded[4] = {210, 2032, 516, 5056};
    bool same_all = true;
    for (int n = 0; n < 4; n++) same_all &= out_[2].f[n] == (rounds ? num_round(TY_BF16, want[n]) : want[n]);
    expect(same_all, rounds ? "a declared type rounds" : "an undeclared one does not", NULL);
    expect(num_round(TY_BF16, 2031) == rounded[1] && num_round(TY_BF16, 518) == 520, "bf16 by hand", NULL);
}

/* Pieces of an inout: p[2*i] = p[i] + s where i > 0; elements left out keep their value, and loads see the old one. */
static void test_inout(Ctx *ctx) {
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
    expect(ok, "an inout reads old values and keeps what is not written; a scalar is rounded", NULL);
    const Expr *first = expr2(g, OP_MUL, zero, iv);
    define(&r, p, 1, &i, NULL, &first, e);
    expect(!go(&r, NULL, (const double[]){0}, (const double *[]){x}, v) &&
               strstr(r.why.s, "element 0 of p is defined twice at i = 1"),
           "an element defined twice is reported", NULL);
}

static void test_lazy(Ctx *ctx) {
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
    expect(ok && v[1].f[0] == 7 && v[1].f[1] == 3 && v[1].f[2] == -1 && v[1].f[8] == -1,
           "if, && and || evaluate what they choose", NULL);
    y->pieces.at[0].guard = in;
    expect(!go(&r, NULL, NULL, (const double *[]){xv, NULL}, v) && strstr(r.why.s, "nothing defines element 2"),
           "an output is covered", NULL);
}

static void test_host(Ctx *ctx) {
    Rig r = rig(ctx);
    Graph *g = r.g;
    const Expr *n = expr_dim(g, graph_dim(g, sym(ctx, "N"))), *two = expr_int(g, TY_I64, 2);
    const Expr *e = expr2(g, OP_ADD, expr2(g, OP_DIV, expr2(g, OP_SUB, n, expr_int(g, TY_I64, 9)), two), two);
    int64_t v = 0, dims[1] = {4};
    expect(interp_int(g, e, dims, NULL, &v) && v == -1, "(4 - 9)/2 + 2 on the host", NULL);
    dims[0] = INT64_MIN;
    expect(!interp_int(g, e, dims, NULL, &v), "overflow on the host is refused", NULL);
    dims[0] = 0;
    expect(interp_int(g, expr2(g, OP_DIV, two, n), dims, NULL, &v) && v == 0, "2 / 0 is 0 on the host", NULL);
    expect(interp_int(g, expr2(g, OP_MOD, two, n), dims, NULL, &v) && v == 0, "2 % 0 is 0 on the host", NULL);
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
    expect(interp_fact(ctx, g, &f, dims, NULL, &h, &r.why), "a fact that holds", NULL);
    host_put_int(&h, 1, 3);
    expect(!interp_fact(ctx, g, &f, dims, NULL, &h, &r.why) && strstr(r.why.s, "at i = 1"), "a fact that does not",
           NULL);
}

/* argmax over x[k] * (1 + tiny * k): what an f32 cannot tell apart may come out either way, and nothing else. */
static void test_nudge(Ctx *ctx) {
    Rig r = rig(ctx);
    Graph *g = r.g;
    const Expr *n = expr_int(g, TY_I64, 3);
    Tensor *x = graph_tensor(g, sym(ctx, "x"), TENSOR_INPUT, TY_F32, 1, &n);
    Var *k = graph_var(g, sym(ctx, "k"), expr_int(g, TY_I64, 0), n);
    const Expr *kv = expr_var(g, k), *fk = expr_cast(g, TY_F64, kv);
    const Expr *tiny = expr2(g, OP_ADD, expr_float(g, TY_F64, 1), expr2(g, OP_MUL, expr_float(g, TY_F64, 1e-9), fk));
    const Expr *body = expr2(g, OP_MUL, expr_cast(g, TY_F64, expr_load(g, x, &kv)), tiny);
    Reduce *red = NEW_N(ctx, Reduce, 2);
    red[0] = red[1] = (Reduce){.monoid = monoid_row(MONOID_ARGMAX), .nvars = 1, .vars = &k};
    out(&r, TY_I64, expr_reduce(g, &red[0], NULL, body));
    HostTensor h[2];
    host_tensor(ctx, &h[0], TY_F32, 1, (const int64_t[]){3});
    for (int i = 0; i < 3; i++) host_put_float(&h[0], i, i == 2 ? 1 : 2);
    InterpValue v[2];
    const InterpNudge nudges[] = {NUDGE_NONE, NUDGE_ROUND, NUDGE_DOWN, NUDGE_UP};
    const int64_t want[] = {1, 0, 0, 1};
    for (int i = 0; i < 4; i++) {
        bool ok = interp_run(ctx, g, &(InterpArgs){NULL, NULL, h}, nudges[i], v, &r.why);
        expect_int(ok ? v[1].i[0] : -2, want[i], "argmax of computed values, nudged");
    }
    /* Inputs are exact: no nudge moves them. */
    host_put_float(&h[0], 1, 2 * (1 + 0x1p-23));
    r.g->tensors.at[1]->pieces.at[0].value = expr_reduce(g, &red[1], NULL, expr_load(g, x, &kv));
    for (int i = 0; i < 4; i++) {
        bool ok = interp_run(ctx, g, &(InterpArgs){NULL, NULL, h}, nudges[i], v, &r.why);
        expect_int(ok ? v[1].i[0] : -2, 1, "argmax of inputs is not nudged");
    }
}

/* Noise moves what is computed, but neither zeros nor infinities. */
static void test_noise(Ctx *ctx) {
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
    bool ok = interp_run(ctx, g, &(InterpArgs){NULL, NULL, h}, (InterpNudge)(NUDGE_NOISE + 1), v, &r.why);
    for (int i = 0; i < 64; i++) {
        double got = ok ? v[1].f[i] : (double)NAN;
        bool right = i % 3 == 2 ? got != 3 && fabs(got - 3) < 1e-5 : got == (i % 3 ? (double)INFINITY : 0);
        expect_int(right, 1, "noise");
    }
}

int main(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return 1;
    test_reductions(ctx);
    test_product(ctx, false);
    test_product(ctx, true);
    test_inout(ctx);
    test_lazy(ctx);
    test_noise(ctx);
    test_host(ctx);
    test_nudge(ctx);
    ctx_free(ctx);
    return test_end();
}
