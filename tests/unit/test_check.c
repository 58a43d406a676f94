/* Checks: the generator of inputs, the rule of comparing, .npy files, and whole checks of models written by hand that
 * are right, or wrong in one way each, on the stand-in for CUDA. */
#include "frontend/check/check.h"
#include "frontend/check/npy.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Test {
    Ctx *ctx;
} Test;

/* ---- inputs ---- */

static void test_generator(void) {
    /* The generator is part of the language: one seed, the same inputs everywhere. */
    expect(check_uniform(1, 0) == 0x1.7fdf0061bb85ap-1 && check_normal(1, 0) == 0x1.0e3d5cp-1 &&
               check_normal(7, 12345) == 0x1.87320ep+0,
           "the generator is fixed", NULL);
    double sum = 0, square = 0, cube = 0, fourth = 0, below = 0, most = 0;
    const int n = 200000;
    for (int i = 0; i < n; i++) {
        double v = check_normal(42, (uint64_t)i);
        sum += v, square += v * v, cube += v * v * v, fourth += v * v * v * v;
        below += v < -1;
        if (fabs(v) > most) most = fabs(v);
    }
    expect(fabs(sum / n) < 0.01 && fabs(square / n - 1) < 0.01 && fabs(cube / n) < 0.03 && fabs(fourth / n - 3) < 0.06,
           "moments of the normal", NULL);
    expect(fabs(below / n - 0.158655) < 0.003 && most > 3.9 && most < 6.5, "tails of the normal", NULL);
}

static Tensor *tensor1(Graph *g, const char *name, TensorKind kind, Type type, const Expr *n) {
    return graph_tensor(g, sym(g->ctx, name), kind, type, 1, &n);
}

static void assume(Graph *g, const Expr *cond, Var **v) {
    Fact f = {.cond = cond, .nvars = 1, .vars = v, .span = SPAN_NONE};
    vec_push(g->ctx, &g->facts, f);
}

static void int_extent(const HostTensor *h, int64_t *lo, int64_t *hi) {
    *lo = INT64_MAX, *hi = INT64_MIN;
    for (int64_t i = 0; i < h->n; i++) {
        int64_t v = host_int(h, i);
        if (v < *lo) *lo = v;
        if (v > *hi) *hi = v;
    }
}

static void test_ranges(Test *t) {
    Graph *g = graph_new(t->ctx, sym(t->ctx, "f"));
    const Expr *N = expr_dim(g, graph_dim(g, sym(t->ctx, "N"))), *zero = expr_int(g, TY_I64, 0);
    Tensor *a = tensor1(g, "a", TENSOR_INPUT, TY_I32, N), *b = tensor1(g, "b", TENSOR_INPUT, TY_U8, N),
           *p = tensor1(g, "p", TENSOR_INPUT, TY_F32, N);
    Var *i = graph_var(g, sym(t->ctx, "i"), zero, N);
    const Expr *iv = expr_var(g, i), *load = expr_cast(g, TY_I64, expr_load(g, a, &iv));
    assume(g, expr2(g, OP_AND, expr2(g, OP_LE, expr_int(g, TY_I64, -2), load), expr2(g, OP_LT, load, N)), &i);
    assume(g, expr2(g, OP_GE, expr_load(g, p, &iv), expr_float(g, TY_F32, 0.5)), &i);
    int64_t dims[1] = {300}, lo, hi;
    HostTensor h;
    Text why = {.ctx = t->ctx};
    host_tensor(t->ctx, &h, TY_I32, 1, dims);
    bool ok = check_input(g, a, (InputDraw){NULL, 1}, dims, NULL, &h, &why);
    int_extent(&h, &lo, &hi);
    expect(ok && lo >= -2 && lo < 5 && hi < 300 && hi > 290, "integers in their assumed range", NULL);
    dims[0] = 1;
    ok = check_input(g, a, (InputDraw){NULL, 1}, dims, NULL, &h, &why);
    int_extent(&h, &lo, &hi);
    expect(ok && lo == -2 && hi == 0, "a bound by a dimension", NULL);
    dims[0] = -2;
    expect(!check_input(g, a, (InputDraw){NULL, 1}, dims, NULL, &h, &why), "an empty range is refused", NULL);
    dims[0] = 300;
    InputSpec spec = {.name = a->name, .uniform = true, .lo = 3, .hi = 5};
    check_input(g, a, (InputDraw){&spec, 1}, dims, NULL, &h, &why);
    int_extent(&h, &lo, &hi);
    expect(lo == 3 && hi == 4, "`in` is half-open for integers", NULL);
    HostTensor hb, hp;
    host_tensor(t->ctx, &hb, TY_U8, 1, dims);
    host_tensor(t->ctx, &hp, TY_F32, 1, dims);
    check_input(g, b, (InputDraw){NULL, 1}, dims, NULL, &hb, &why);
    int_extent(&hb, &lo, &hi);
    expect(lo == 0 && hi == 15, "other integers are small", NULL);
    check_input(g, p, (InputDraw){NULL, 1}, dims, NULL, &hp, &why);
    bool above = true;
    for (int k = 0; k < 300; k++) above &= host_float(&hp, k) >= 0.5;
    expect(above, "floats keep to an assumed bound", NULL);
    spec = (InputSpec){.name = p->name, .scale = 0.001};
    g->facts.n = 0;
    check_input(g, p, (InputDraw){&spec, 1}, dims, NULL, &hp, &why);
    double most = 0;
    for (int k = 0; k < 300; k++) most = fmax(most, fabs(host_float(&hp, k)));
    expect(most > 0.002 && most < 0.006, "`~` scales", NULL);
}

/* Dimensions from shapes: x[N], y[2*N + K]. */
static void test_match(Test *t) {
    Graph *g = graph_new(t->ctx, sym(t->ctx, "f"));
    const Expr *N = expr_dim(g, graph_dim(g, sym(t->ctx, "N"))), *K = expr_dim(g, graph_dim(g, sym(t->ctx, "K")));
    tensor1(g, "y", TENSOR_INPUT, TY_F32, expr2(g, OP_ADD, expr2(g, OP_MUL, expr_int(g, TY_I64, 2), N), K));
    tensor1(g, "x", TENSOR_INPUT, TY_F32, N);
    HostTensor x = {.rank = 1, .shape = {3}}, y = {.rank = 1, .shape = {11}};
    Text why = {.ctx = t->ctx};
    int64_t dims[2];
    bool known[2] = {false, false};
    expect(check_match(g, (const HostTensor *[]){&y, &x}, dims, known, &why) && dims[0] == 3 && dims[1] == 5,
           "dimensions from shapes", NULL);
    bool none[2] = {false, false}, both[2] = {true, true};
    expect(!check_match(g, (const HostTensor *[]){NULL, &x}, dims, none, &why) &&
               strstr(why.s, "no shape tells the dimension K"),
           "a dimension that no shape tells", NULL);
    dims[1] = 4;
    expect(!check_match(g, (const HostTensor *[]){&y, &x}, dims, both, &why) &&
               strstr(why.s, "dimension 0 of y is 11, and its type says"),
           "a shape that does not fit", NULL);
}

/* ---- comparing ---- */

/* clause 11.3 */
static void test_compare(void) {
    const double inf = (double)INFINITY, nan = (double)NAN;
    double ref[4] = {1, -1, 1, 1}, out[4] = {1, -1, 1, 1.02};
    InterpValue r = {.n = 4, .f = ref};
    HostTensor h = {.type = TY_F64, .rank = 1, .shape = {4}, .n = 4, .bytes = 32, .data = out};
    CheckError e = check_compare(&h, &r, 1e-2, NULL, 0);
    expect(fabs(e.largest - 0.01) < 1e-6 && e.bad <= 1, "error is relative to |ref| + rms", NULL);
    expect(check_compare(&h, &r, 1.1e-2, NULL, 0).bad == 0 && check_compare(&h, &r, 0.9e-2, NULL, 0).first == 3,
           "within and beyond the tolerance", NULL);
    ref[1] = out[1] = nan, ref[2] = out[2] = -inf, out[3] = 1;
    expect(check_compare(&h, &r, 1e-9, NULL, 0).bad == 0, "equal special values, which rms leaves out", NULL);
    out[2] = inf;
    expect(check_compare(&h, &r, 1e9, NULL, 0).bad == 1, "infinities of other signs differ", NULL);
    out[2] = -inf, out[1] = 3;
    expect(check_compare(&h, &r, 1e9, NULL, 0).first == 1, "a number is no NaN", NULL);
    int64_t ri[2] = {5, -1}, near[2] = {6, -1};
    int32_t oi[2] = {5, -1};
    InterpValue rint = {.n = 2, .i = ri}, n = {.n = 2, .i = near};
    HostTensor hi = {.type = TY_I32, .rank = 1, .shape = {2}, .n = 2, .bytes = 8, .data = oi};
    expect(check_compare(&hi, &rint, 1, NULL, 0).bad == 0, "equal integers", NULL);
    oi[0] = 6;
    expect(check_compare(&hi, &rint, 1, NULL, 0).bad == 1 && check_compare(&hi, &rint, 1, &n, 1).bad == 0,
           "integers are equal, or a neighbour's", NULL);
}

/* clause 11.3: what rounding excuses, and what it does not. One group: y = (x - mean(x)) / sqrt(variance + 1e-5) of
 * equal numbers is 0 or whatever rounding makes of it; z = x * x stands beside it. */
static void test_noise(Test *t) {
    static const char TEXT[] = "graph g dim N in x: f32[N] let m: f32[] out y: f32[N] out z: f32[N]\n"
                               "m[] = sum[n in 0..N](x[n]) / f32(N) y[i] = (x[i] - m[]) * 316.0 z[i] = x[i] * x[i]";
    enum { N = 7 };
    Graph *g = graph_read(t->ctx, TEXT, strlen(TEXT), -1);
    HostTensor x[3], out;
    InterpValue ref[3], *noisy[CHECK_NOISES], y[CHECK_NOISES], z[CHECK_NOISES];
    int64_t dims[1] = {N};
    Text why = {.ctx = t->ctx};
    for (int k = 0; k < 3; k++) host_tensor(t->ctx, &x[k], TY_F32, 1, dims);
    host_tensor(t->ctx, &out, TY_F32, 1, dims);
    for (int i = 0; i < N; i++) host_put_float(&x[0], i, 0.7);
    bool ok = g && interp_run(t->ctx, g, &(InterpArgs){dims, NULL, x}, NUDGE_NONE, ref, &why) &&
              check_noise(t->ctx, g, dims, NULL, x, noisy);
    expect(ok, "references with noise", NULL);
    if (!ok) return;
    for (int k = 0; k < CHECK_NOISES; k++) y[k] = noisy[k][1], z[k] = noisy[k][2];
    host_put_float(&out, 2, 316 * 0x1p-24);
    CheckError e = check_compare(&out, &ref[1], 1e-4, y, CHECK_NOISES);
    expect(check_compare(&out, &ref[1], 1e-4, NULL, 0).bad == 1 && e.bad == 0 && e.noisy == 1 && e.largest == 0,
           "a unit in the last place of a mean", NULL);
    host_put_float(&out, 2, 0.01);
    expect(check_compare(&out, &ref[1], 1e-4, y, CHECK_NOISES).first == 2, "more than rounding explains", NULL);
    host_put_float(&out, 2, (double)INFINITY);
    expect(check_compare(&out, &ref[1], 1e-4, y, CHECK_NOISES).bad == 1, "rounding excuses no infinity", NULL);
    host_put_float(&out, 2, 0);
    y[3].f[2] = (double)NAN;
    host_put_float(&out, 2, 316 * 0x1p-24);
    expect(check_compare(&out, &ref[1], 1e-4, y, CHECK_NOISES).bad == 1, "noise that leaves the finite excuses nothing",
           NULL);
    for (int i = 0; i < N; i++) host_put_float(&out, i, 0.7 * 0.7 * (i == 5 ? 1.0003 : 1));
    e = check_compare(&out, &ref[2], 1e-4, z, CHECK_NOISES);
    expect(e.bad == 1 && e.first == 5 && e.noisy == 0, "an element that rounding does not move keeps its tolerance",
           NULL);
}

/* clause 11.8 */
static void test_smallest(Test *t) {
    static const struct {
        const char *text;
        int64_t given, least, smallest; /* of the first dimension, N; the second, C, is 5; -1: none */
        const char *why;
    } rows[] = {
        {"dim N dim C in x: f32[N] out y: f32[N] y[i] = x[i]", 7, 0, 0, NULL},
        {"dim N dim C in x: f32[N] out y: f32[N] y[i] = x[i]", 7, 1, 1, NULL},
        {"dim N dim C in x: f32[N] out y: f32[N] y[i] = x[i]", 0, 0, -1, NULL},
        {"dim N in 3..=64 divisible 4 dim C in x: f32[N] out y: f32[N] y[i] = x[i]", 16, 0, 4, NULL},
        {"dim N dim C in x: f32[N - 2] out y: f32[C] y[i] = f32(i)", 7, 0, 2, NULL},
        {"dim N dim C in x: f32[N] out y: f32[N] y[i] = x[i] require N % 3 == 2, \"a\"", 8, 0, 2, NULL},
        {"dim N dim C in x: f32[N] out y: f32[N] y[i] = x[i] require N == C, \"a\"", 5, 0, -1, NULL},
        {"dim N dim C in t: i64[C] out y: f32[C] y[i] = 1.0 assume for c in 0..C: 0 <= t[c] && t[c] < N", 7, 0, 1,
         "0: no value of t satisfies what is assumed of it"},
        {"dim C dim N in t: i64[C] out y: f32[C] y[i] = 1.0 assume for c in 0..C: 0 <= t[c] && t[c] < N", 7, 0, 0,
         NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Sym text = sym_fmt(t->ctx, "graph g %s", rows[i].text);
        Graph *g = graph_read(t->ctx, text, strlen(text), -1);
        Check c = {.entry = g ? g->name : NULL, .tol = -1};
        int64_t dims[2] = {rows[i].given, 5};
        Text why = {.ctx = t->ctx};
        bool found = g && check_smallest(g, &c, 0, rows[i].least, dims, NULL, &why);
        expect(g && found == (rows[i].smallest >= 0) && dims[0] == (found ? rows[i].smallest : rows[i].given) &&
                   (rows[i].why ? why.n && !strcmp(why.s, rows[i].why) : !why.n),
               rows[i].text, NULL);
    }
}

/* clause 11.4: by the coarsest float type on the way, casts and intermediates included */
static void test_tolerance(Test *t) {
    static const struct {
        const char *text;
        double tol;
    } rows[] = {{"in x: f64[N] out y: f64[N] y[i] = x[i] * x[i]", 1e-12},
                {"in x: f32[N] out y: f64[N] y[i] = f64(x[i])", 1e-4},
                {"in x: f32[N] out y: f32[N] y[i] = x[i]", 1e-4},
                {"in x: f16[N] out y: f32[N] y[i] = f32(x[i])", 2e-3},
                {"in x: f32[N] out y: f32[N] y[i] = f32(bf16(x[i]))", 1e-2},
                {"in x: f32[N] let t: f8e5m2[N] rounds out y: f32[N] t[i] = f8e5m2(x[i]) y[i] = f32(t[i])", 1e-1},
                {"in x: bf16[N] in z: f32[N] out y: f32[N] y[i] = z[i]", 1e-4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Sym text = sym_fmt(t->ctx, "graph g dim N %s", rows[i].text);
        Graph *g = graph_read(t->ctx, text, strlen(text), -1);
        expect(g && check_tolerance(t->ctx, g, g->params.at[g->params.n - 1]) == rows[i].tol, rows[i].text, NULL);
    }
}

static void test_npy(Test *t) {
    Text why = {.ctx = t->ctx};
    HostTensor h, back;
    CheckDir dir = {0};
    expect(check_dir(t->ctx, &dir, &why), "a directory is made", NULL);
    Sym path = sym_fmt(t->ctx, "%s/x.npy", dir.path);
    for (Type k = 0; k < TY_COUNT; k++) {
        host_tensor(t->ctx, &h, k, 2, (const int64_t[]){3, 5});
        for (int i = 0; i < 15; i++) host_put_int(&h, i, i);
        bool ok = npy_write(t->ctx, path, &h, &why) && npy_read(t->ctx, path, k, &back, &why) && back.rank == 2 &&
                  back.shape[0] == 3 && back.shape[1] == 5 && !memcmp(back.data, h.data, h.bytes);
        expect(ok, type_name(k), NULL);
    }
    host_tensor(t->ctx, &h, TY_F32, 0, NULL);
    host_put_float(&h, 0, 1.0000001);
    bool ok = npy_write(t->ctx, path, &h, &why) && npy_read(t->ctx, path, TY_BF16, &back, &why);
    expect(ok && back.rank == 0 && host_float(&back, 0) == 1, "f4 is rounded to bf16", NULL);
    expect(!npy_read(t->ctx, path, TY_I32, &back, &why), "floats are no integers", NULL);
    check_remove(t->ctx, &dir);
    expect(access(dir.path, F_OK) != 0, "a directory is removed", NULL);
}

/* ---- whole checks ---- */

/* y[i] = 2 x[i] + s, and the place of the largest: k[] = argmax[i](x[i]). One thread an element; KERNEL is where the
 * models differ. */
static const char MODEL_CU[] =
    "#include <cuda_runtime.h>\n#include <stdint.h>\n"
    "struct args { const float *x; float *y; int64_t *k; int64_t n; float s; };\n"
    "static __global__ void f(const __grid_constant__ args a) {\n"
    "    int64_t i = td_block() * 32 + td_tid();\n    float v = 0, w = 0;\n"
    "    if (i < a.n) { td_ld<float, 1, 0>(&v, a.x + i); w = 2 * v + a.s; }\n"
    "    %s\n"
    "}\n"
    "extern \"C\" int m_f_k_launch(void *stream, void *const *t, const int64_t *d, const double *s, int *l) {\n"
    "    args a = {(const float *)t[0], (float *)t[1], (int64_t *)t[2], d[0], (float)s[0]};\n"
    "    return td_launch(f, a, (d[0] + 31) / 32, 32, 1, 0, l, (cudaStream_t)stream);\n}\n";
static const char MODEL_C[] =
    "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n"
    "int m_f_k_launch(void *, void *const *, const int64_t *, const double *, int *);\n"
    "static int bytes(const int64_t *d, size_t *n) { *n = 0; return d[0] < 0 ? 3 : 0; }\n"
    "static int call(void *const *t, const int64_t *d, const double *s, void *w, size_t n, void *stream, char *m, "
    "size_t k) {\n"
    "    if (d[0] < 0 || d[0] % 2) return snprintf(m, k, \"f: N = %lld is not even\", (long long)d[0]), 3;\n"
    "    if (t[1] == t[0] && d[0]) return snprintf(m, k, \"f: y overlaps x\"), 9;\n"
    "    int l = 0;\n    return m_f_k_launch(stream, t, d, s, &l);\n}\n"
    "typedef struct { const char *name; int a, b, c; int (*w)(const int64_t *, size_t *); int (*f)(void *const *, "
    "const int64_t *, const double *,\n"
    "    void *, size_t, void *, char *, size_t); } entry;\n"
    "const entry m_entries[] = {{\"f\", 3, 1, 1, bytes, call}};\nconst int m_nentries = 1;\n"
    "typedef struct { void *w; size_t n; void *stream; char *m; size_t k; } run;\n"
    "int m_open(void **c, int device) { *c = &m_open; return device; }\n"
    "const char *m_open_message(void) { return \"\"; }\n"
    "void m_close(void *c) {}\n"
    "int m_invoke(void *c, const run *r, const char *e, const void *const *t, int nt, const int64_t *d, int nd,\n"
    "             const double *s, int ns) {\n"
    "    void *p[3] = {*(void *const *)t[0], *(void *const *)t[1], *(void *const *)t[2]}; /* DLTensor's first field "
    "*/\n"
    "    return call(p, d, s, r->w, r->n, r->stream, r->m, r->k);\n}\n";

#define STORE "if (i < a.n) td_st<float, 1, 0>(a.y + i, &w); "
#define ARGMAX                                                                                                         \
    "if (i == 0) { int64_t k = -1; float m = 0; for (int64_t j = 0; j < a.n; j++) { td_ld<float, 1, 0>(&v, a.x + j); " \
    "if (k < 0 || v > m) { m = v; k = j; } } td_st<int64_t, 1, 0>(a.k, &k); } "

static Module *module(Ctx *ctx, int64_t n, Sym error) {
    Graph *g = graph_new(ctx, sym(ctx, "f"));
    const Expr *N = expr_dim(g, graph_dim(g, sym(ctx, "N"))), *zero = expr_int(g, TY_I64, 0);
    Scalar *s = graph_scalar(g, sym(ctx, "s"), TY_F32);
    s->has_default = true, s->def = 0.75;
    Tensor *x = tensor1(g, "x", TENSOR_INPUT, TY_F32, N), *y = tensor1(g, "y", TENSOR_OUTPUT, TY_F32, N);
    Tensor *k = graph_tensor(g, sym(ctx, "k"), TENSOR_OUTPUT, TY_I64, 0, NULL);
    Var **v = NEW_N(ctx, Var *, 2);
    for (int i = 0; i < 2; i++) v[i] = graph_var(g, sym(ctx, "i"), zero, N);
    const Expr **e = NEW_N(ctx, const Expr *, 2);
    for (int i = 0; i < 2; i++) e[i] = expr_var(g, v[i]);
    const Expr *value =
        expr2(g, OP_ADD, expr2(g, OP_MUL, expr_float(g, TY_F32, 2), expr_load(g, x, e)), expr_scalar(g, s));
    Reduce *r = NEW(ctx, Reduce);
    *r = (Reduce){.monoid = monoid_row(MONOID_ARGMAX), .nvars = 1, .vars = v + 1};
    Piece py = {.nvars = 1, .vars = v, .subs = e, .value = value, .span = SPAN_NONE};
    Piece pk = {.value = expr_reduce(g, r, NULL, expr_load(g, x, e + 1)), .span = SPAN_NONE};
    vec_push(ctx, &y->pieces, py);
    vec_push(ctx, &k->pieces, pk);
    Module *m = NEW(ctx, Module);
    m->ctx = ctx;
    vec_push(ctx, &m->graphs, g);
    Check c = {.entry = g->name, .tol = -1, .error = error, .span = SPAN_NONE};
    vec_push(ctx, &c.bindings, ((Binding){sym(ctx, "N"), (double)n, n}));
    vec_push(ctx, &m->checks, c);
    return m;
}

static bool put_file(Test *t, Sym dir, const char *name, const char *text) {
    FILE *f = fopen(sym_fmt(t->ctx, "%s/%s", dir, name), "w");
    return f && fputs(text, f) >= 0 && fclose(f) == 0;
}

/* On the stand-in's invented clock: a launch takes 3 us, a copy 1 us and its bytes at 1 TB/s. */
static void time_kernel(Test *t, const CheckModel *model, const CheckOptions *o, const Module *m) {
    CheckResult r = {0};
    bool ok = check_bench(t->ctx, m, &m->checks.at[0], model, o, 1000000, &r) && r.passed;
    const CheckTimes *x = &r.times;
    expect(ok, "a call is timed", r.message);
    expect(fabs(x->call.median - 3) < 1e-6 && fabs(x->call.p10 - 3) < 1e-6 && fabs(x->call.p90 - 3) < 1e-6, "its time",
           NULL);
    expect(fabs(x->copy.median - 1.5) < 1e-6 && x->nodes == 1 && x->runs == 5, "that of a copy", NULL);
    expect(x->before.sm == 1000 && x->after.watts == 200 && x->on.name && x->on.sms == 132 &&
               x->on.clock_khz == 1000000,
           "the state of the device", NULL);
}

/* Builds the model with `kernel`; then a check of n elements must pass, or fail with these words. */
static void check_kernel(Test *t, const char *what, const char *kernel, int64_t n, const char *error,
                         const char *fails) {
    Text why = {.ctx = t->ctx}, cu = {.ctx = t->ctx};
    CheckOptions o = {.home = check_home(t->ctx), .cache = check_cache(t->ctx), .timeout_s = 20};
    CheckModel model;
    CheckDir dir = {0};
    text_fmt(&cu, MODEL_CU, kernel);
    bool ok = check_dir(t->ctx, &dir, &why) && put_file(t, dir.path, "m.cu", cu.s) &&
              put_file(t, dir.path, "m.c", MODEL_C) && put_file(t, dir.path, "m.h", "") &&
              check_build(t->ctx, &o, &dir, "m", "m", &model, &why);
    expect(ok, what, NULL);
    if (!ok) printf("    %s\n", why.s ? why.s : "");
    CheckResult r = {0};
    Module *m = module(t->ctx, n, error ? sym(t->ctx, error) : NULL);
    /* In a process of its own, and twice in one that serves: what goes wrong there ends it, and is the same again. */
    CheckServer server = {0};
    for (int i = 0, pid = 0; ok && i < 3; i++) {
        model.server = i ? &server : NULL;
        ok = check_run(t->ctx, m, &m->checks.at[0], &model, &o, &r);
        if (ok) ok = fails ? !r.passed && r.message && strstr(r.message, fails) : r.passed;
        expect(ok, what, NULL);
        if (!ok) printf("    %s\n", r.message ? r.message : "passed");
        bool died = !r.passed && !strstr(r.message, ", expected") && !strstr(r.message, "refuse");
        expect(i == 0 || (died ? !server.pid : server.pid && (i == 1 || server.pid == pid)), "the process that serves",
               what);
        pid = server.pid;
    }
    if (ok && !fails && !error) time_kernel(t, &model, &o, m);
    check_stop(&model);
    if (dir.path) check_remove(t->ctx, &dir);
}

int main(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return 1;
    Test t = {ctx};
    test_generator();
    test_ranges(&t);
    test_match(&t);
    test_compare();
    test_noise(&t);
    test_smallest(&t);
    test_tolerance(&t);
    test_npy(&t);
    check_kernel(&t, "a right kernel", STORE ARGMAX, 70, NULL, NULL);
    check_kernel(&t, "an expected refusal", STORE ARGMAX, 71, "not even", NULL);
    check_kernel(&t, "an unexpected refusal", STORE ARGMAX, 71, NULL, "the entry refuses: f: N = 71 is not even");
    check_kernel(&t, "a negative size is refused", STORE ARGMAX, -4, "N = -4 is not even", NULL);
    check_kernel(&t, "a refusal that does not come", STORE ARGMAX, 70, "not even", "should refuse");
    check_kernel(&t, "a wrong value", "if (i == 33) w += 0.01f; " STORE ARGMAX, 70, NULL, "y[33] is");
    check_kernel(&t, "a wrong integer", STORE ARGMAX "if (i == 0) { int64_t k = -1; td_st<int64_t, 1, 0>(a.k, &k); }",
                 70, NULL, "k[] is -1, expected");
    check_kernel(&t, "an element not written", "if (i != 69) { " STORE "} " ARGMAX, 70, NULL,
                 "other bytes in y from byte 276");
    check_kernel(&t, "an order of threads that shows",
                 "if (i < a.n) { w = 2 * v + a.s; td_atomic_max((int *)a.k, int(i) + 1); } " STORE, 70, NULL,
                 "the stand-in reports errors");
    check_kernel(&t, "an input that is written to",
                 STORE ARGMAX "if (i == 0) { v = 9; td_st<float, 1, 0>((float *)a.x, &v); }", 70, NULL,
                 "the input x was written to, at byte 0");
    check_kernel(&t, "a read past the end", STORE ARGMAX "td_ld<float, 1, 0>(&v, a.x + a.n); if (v == 1) " STORE, 70,
                 NULL, "the stand-in reports errors");
    check_kernel(&t, "a kernel that crashes", STORE ARGMAX "if (i == 1) *(volatile int *)16 = 1;", 70, NULL, "signal");
    ctx_free(ctx);
    return test_end();
}
