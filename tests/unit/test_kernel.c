/* The Kernel form: texts that round trip, what is derived from them, texts that are damaged. */
#include "ir/diag.h"
#include "sched/kernel/kernel.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static Program *read_text(Ctx *ctx, const char *text) {
    return program_read(ctx, text, strlen(text), diag_add_file(ctx, "test.kernel", text, strlen(text)));
}

/* ---- round trips ---- */

#define EVERYTHING                                                                                                     \
    "program everything\n"                                                                                             \
    "  dim M in 1..=65536 hint 4096 divisible 8\n"                                                                     \
    "  dim N\n"                                                                                                        \
    "  scalar eps: f32 = 0.5\n"                                                                                        \
    "  scalar k: i64\n"                                                                                                \
    "  in x: f32[M, N]\n"                                                                                              \
    "  in h: bf16[M, 1024]\n"                                                                                          \
    "  in off: i64[M + 1]\n"                                                                                           \
    "  inout z: f32[M, N]\n"                                                                                           \
    "  out y: f32[M, N]\n"                                                                                             \
    "  out best: i32[M]\n"                                                                                             \
    "  temp w: f32[33, 2 * N]\n"                                                                                       \
    "  temp c: i32[16] zero\n"                                                                                         \
    "  monoid norm(m: f32 = -inf, s: f32 = 0.0) combine (max(m, m'), s * exp(m - max(m, m')) + s' * exp(m' - max(m, "  \
    "m')))\n"                                                                                                          \
    "  monoid carry(i: i64 = -1, b: bool = false) combine (if b' then i' else i, b || b')\n"                           \
    "\n"                                                                                                               \
    "// y = something\n"                                                                                               \
    "// over two lines\n"                                                                                              \
    "kernel first occupancy 2\n"                                                                                       \
    "  where N <= 4096\n"                                                                                              \
    "  where M % 8 == 0\n"                                                                                             \
    "  axis r = M\n"                                                                                                   \
    "  axis n = N peel x\n"                                                                                            \
    "  axis q = 1024\n"                                                                                                \
    "  layout main\n"                                                                                                  \
    "    r = serial grid(33)\n"                                                                                        \
    "    n = reg(4) warp(8) reg(2) lane(32) vec(4)\n"                                                                  \
    "    q = reg(1024)\n"                                                                                              \
    "  layout other\n"                                                                                                 \
    "    n = reg(8192)\n"                                                                                              \
    "    q = warp(8) lane(32) vec(4)\n"                                                                                \
    "{\n"                                                                                                              \
    "  var a[n.warp, n.reg#2, n.lane]: f32 = -inf\n"                                                                   \
    "  var b[n]: i32 = i32(0)\n"                                                                                       \
    "  var d[]: f32 = eps\n"                                                                                           \
    "  for r {\n"                                                                                                      \
    "    x0 = load x[r, n] if n > 3 else 1.0 ahead 2 stream\n"                                                         \
    "    h0 = load h[r, q] keep in other\n"                                                                            \
    "    xs = copy h[r, q] bulk depth 3 in other\n"                                                                    \
    "    x1 = read xs in other\n"                                                                                      \
    "    x2 = copy h[r, q] async depth 1 in other\n"                                                                   \
    "    e = map exp(x0 - f32(k))\n"                                                                                   \
    "    es = share e pad 4\n"                                                                                         \
    "    et = share bf16(e) swizzle\n"                                                                                 \
    "    ef = share e\n"                                                                                               \
    "    (m, s) = reduce norm(e, 1.0) over n if n % 2 == 0\n"                                                          \
    "    t = reduce sum(e) over n.reg n.reg#2 n.vec\n"                                                                 \
    "    (v, i) = reduce argmax(e, n) over n\n"                                                                        \
    "    u = scan sum(f32(h0)) along q exclusive reverse if q > 2\n"                                                   \
    "    p = scan prod(f32(h0)) along q carry d\n"                                                                     \
    "    (sm, ss) = scan norm(f32(h0), 1.0) along q carry (d, d)\n"                                                    \
    "    set a = max(a, t)\n"                                                                                          \
    "    store y[r, n] = e / s if n < N - 1 bulk stream\n"                                                             \
    "    if r % 2 == 0 {\n"                                                                                            \
    "      store z[r, n] = e keep\n"                                                                                   \
    "      atomic max best[r] = i32(i) if m > 0.0\n"                                                                   \
    "    }\n"                                                                                                          \
    "  }\n"                                                                                                            \
    "  last r.grid counter c {\n"                                                                                      \
    "    w0 = load w[3, n]\n"                                                                                          \
    "  }\n"                                                                                                            \
    "}\n"                                                                                                              \
    "\n"                                                                                                               \
    "kernel second\n"                                                                                                  \
    "part one\n"                                                                                                       \
    "  axis r = M\n"                                                                                                   \
    "  axis j = lo..hi\n"                                                                                              \
    "  axis i = r..N + 1\n"                                                                                            \
    "  layout main\n"                                                                                                  \
    "    r = grid\n"                                                                                                   \
    "    j = serial lane(32)\n"                                                                                        \
    "    i = serial\n"                                                                                                 \
    "{\n"                                                                                                              \
    "  lo = load off[r]\n"                                                                                             \
    "  hi = load off[r + 1]\n"                                                                                         \
    "  for j {\n"                                                                                                      \
    "    x0 = load z[r, j]\n"                                                                                          \
    "    y0 = map x0\n"                                                                                                \
    "    (v, g) = reduce argmin(y0, j) over j\n"                                                                       \
    "  }\n"                                                                                                            \
    "}\n"                                                                                                              \
    "part two\n"                                                                                                       \
    "  axis r = M\n"                                                                                                   \
    "  layout main\n"                                                                                                  \
    "    r = grid thread(32)\n"                                                                                        \
    "{\n"                                                                                                              \
    "}\n"

static void test_round_trip(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return;
    Program *p = read_text(ctx, EVERYTHING);
    expect(p != NULL, "everything is read", p ? "" : diag_message(diag_at(ctx, 0)));
    if (p) {
        Text out = {.ctx = ctx};
        program_print(&out, p);
        size_t same = 0;
        while (out.s[same] && out.s[same] == EVERYTHING[same]) same++;
        while (same > 0 && out.s[same - 1] != '\n') same--;
        expect(!strcmp(out.s, EVERYTHING), "everything is printed as it was read", out.s + same);
        expect(p->kernels.at[0]->blocks_per_sm == 2, "what stands behind a kernel's name", "");
        expect(!strcmp(p->kernels.at[0]->comment, "y = something\nover two lines"), "a kernel's comment", "");
    }
    ctx_free(ctx);
}

/* ---- what is derived ---- */

static Value *value_named(const Part *part, const char *name) {
    for (int i = 0; i < part->values.n; i++)
        if (!strcmp(part->values.at[i]->name, name)) return part->values.at[i];
    return NULL;
}

static Factor *factor(const Layout *l, const char *axis, Bind b) {
    for (int i = 0; i < l->factors.n; i++)
        if (!strcmp(l->factors.at[i]->axis->name, axis) && l->factors.at[i]->bind == b) return l->factors.at[i];
    return NULL;
}

static FactorSet bit(const Factor *f) { return (FactorSet)1 << f->id; }

static bool prints(Ctx *ctx, const Expr *e, const char *want) {
    Text t = {.ctx = ctx};
    expr_print(&t, e, NULL);
    return !strcmp(t.s, want);
}

#define DERIVED                                                                                                        \
    "program d\n  dim M\n  dim N\n  in x: bf16[M, N]\n  in off: i64[M + 1]\n  out y: f32[M]\n  out z: f32[N]\n"        \
    "kernel k\n  axis r = M\n  axis n = N peel x\n  layout main\n"                                                     \
    "    r = grid cluster(2) lane(4)\n    n = serial reg(3) warp(2) lane(8) warp(3) vec(2)\n"                          \
    "  layout turned\n    r = grid cluster(2) lane(2) vec(2)\n    n = serial reg(3) warp(6) lane(16)\n{\n"             \
    "  var a[n.warp]: f32 = 0.0\n"                                                                                     \
    "  for n {\n    x0 = load x[r, n]\n    s = reduce sum(f32(x0)) over n\n    p = reduce max(f32(x0)) over n.vec "    \
    "n.reg\n"                                                                                                          \
    "    xs = share x0\n    x1 = read xs in turned\n    set a = a + s\n  }\n  b = map a\n  u = load off[r]\n  c = "    \
    "load off[3]\n"                                                                                                    \
    "}\n"

static void test_derived(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return;
    Program *p = read_text(ctx, DERIVED);
    expect(p != NULL, "the derived example is read", p ? "" : diag_message(diag_at(ctx, 0)));
    if (!p) return;
    const Kernel *k = p->kernels.at[0];
    const Part *part = k->parts.at[0];
    const Layout *l = part->layouts.at[0], *m = part->layouts.at[1];
    Factor *rl = factor(l, "r", BIND_LANE), *nl = factor(l, "n", BIND_LANE), *nw = factor(l, "n", BIND_WARP),
           *ns = factor(l, "n", BIND_SERIAL);
    expect(k->threads == 192 && k->cluster == 2, "threads and cluster", "");
    expect(nl->tid_stride == 1 && rl->tid_stride == 8 && nw->tid_stride == 96,
           "the last lane and warp factors are the lowest digits", "");
    expect(prints(ctx, ns->count, "(N + 294) / 288"), "an open factor covers the extent and what a peel may lose", "");
    expect(prints(ctx, ns->stride, "288") && prints(ctx, nw->stride, "48") &&
               prints(ctx, factor(l, "n", BIND_VEC)->stride, "1"),
           "strides", "");
    expect(prints(ctx, part->blocks, "(M + 7) / 8 * 2"), "blocks", "");
    expect(factor(m, "r", BIND_GRID) == factor(l, "r", BIND_GRID) && factor(m, "n", BIND_SERIAL) == ns,
           "block and loop factors are shared", "");
    FactorSet r = layout_axis_factors(l, part->axes.at[0]), n = layout_axis_factors(l, part->axes.at[1]);
    expect(part->axes.at[1]->row == r, "a peeled axis starts where its row says", "");
    expect(value_named(part, "x0")->domain == (r | n), "the domain of a load", "");
    expect(value_named(part, "s")->domain == (r | bit(ns)), "the domain of a reduction", "");
    expect(value_named(part, "p")->domain ==
               ((r | n) & ~bit(factor(l, "n", BIND_VEC)) & ~bit(factor(l, "n", BIND_REG))),
           "... over factors", "");
    FactorSet turned = layout_axis_factors(m, part->axes.at[0]) | layout_axis_factors(m, part->axes.at[1]);
    expect(value_named(part, "x1")->domain == turned && value_named(part, "x1")->layout == m, "the domain of a read",
           "");
    expect(value_named(part, "u")->domain == r && value_named(part, "c")->domain == 0 &&
               !value_named(part, "c")->layout,
           "loads of less", "");
    FactorSet block = bit(factor(l, "r", BIND_GRID)) | bit(factor(l, "r", BIND_CLUSTER));
    expect(value_named(part, "a")->domain == (bit(nw) | block),
           "a variable has the block factors of what it is assigned", "");
    ctx_free(ctx);
}

/* ---- damage ---- */

/* One byte of a good text is another: there is a program or a message. */
static bool survives(size_t at) {
    char text[sizeof EVERYTHING];
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return false;
    memcpy(text, EVERYTHING, sizeof EVERYTHING);
    text[at] = at % 2 ? '\0' : "={(.#0"[at / 2 % 6];
    Program *p = read_text(ctx, text);
    Text why = {.ctx = ctx};
    if (p) program_verify(p, &why);
    bool ok = p || diag_count(ctx) > 0;
    ctx_free(ctx);
    return ok;
}

static void test_damage(void) {
    int silent = 0;
    for (size_t at = 0; at + 1 < sizeof EVERYTHING; at++) silent += !survives(at);
    expect(silent == 0, "what is damaged is refused with a message", "");
}

int main(void) {
    test_round_trip();
    test_derived();
    test_damage();
    return test_end();
}
