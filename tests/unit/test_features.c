/* Features of kernels: for some of tests/kernels, and for others given here, what was worked out by hand of how their
 * accesses touch memory, what they wait for and what they issue; and that times of a judge follow from them. */
#include "ir/diag.h"
#include "sched/search/judge.h"
#include "sched/search/judge_access.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Read {
    Ctx *ctx;
    Program *p;
    Features *f;
    int64_t dims[4];
} Read;

static Read read_text(Ctx *ctx, const char *name, const char *text, size_t n) {
    Text why = {.ctx = ctx};
    Read r = {.ctx = ctx, .p = program_read(ctx, text, n, diag_add_file(ctx, name, text, n))};
    text_put(&why, "");
    if (!r.p) diag_render(ctx, &why, false);
    const bool ok = r.p && program_verify(r.p, &why);
    expect(ok, name, why.s);
    if (!ok) exit(test_end());
    r.f = features_of(r.p, r.p->kernels.at[0], ctx);
    expect(r.f->known, "its features are known", name);
    return r;
}

static Read read_file(Ctx *ctx, const char *name) {
    const Sym path = sym_fmt(ctx, "tests/kernels/%s.kernel", name);
    FILE *f = fopen(path, "rb");
    char *text = NEW_N(ctx, char, 1 << 16);
    size_t n = f ? fread(text, 1, 1 << 16, f) : 0;
    if (f) fclose(f);
    return read_text(ctx, path, text, n);
}

static void at(Read *r, int64_t a, int64_t b) {
    r->dims[0] = a;
    r->dims[1] = b;
    tape_run(&r->f->tape, r->dims, r->f->value);
}

static double value(const Read *r, int step) { return r->f->value[step]; }

static bool wide(const Read *r) {
    for (int i = 0; i < r->f->conds.n; i++)
        if ((int64_t)value(r, r->f->conds.at[i].step) % r->f->conds.at[i].of) return false;
    return true;
}

/* The nth access, at the sizes at hand. */
static Touched touched(const Read *r, int n) {
    const Access *a = &r->f->accesses.at[n];
    DigitAt digit[FEATURE_DIGITS];
    return access_touched(r->f, a, digit, wide(r) || a->peel, machine_h200.target);
}

static void expect_number(double got, double want, const char *what) {
    char detail[64];
    snprintf(detail, sizeof detail, "%.9g, not %.9g", got, want);
    expect(fabs(got - want) <= 1e-9 * fabs(want), what, detail);
}

static void expect_touched(const Read *r, int n, const char *what, Touched want) {
    const Touched got = touched(r, n);
    expect_number(got.instructions, want.instructions, sym_fmt(r->ctx, "%s: instructions", what));
    expect_number(got.passes, want.passes, sym_fmt(r->ctx, "%s: passes", what));
    expect_number(got.sectors, want.sectors, sym_fmt(r->ctx, "%s: sectors of a warp", what));
    expect_number(got.block, want.block, sym_fmt(r->ctx, "%s: sectors of a block", what));
    expect_number(got.whole, want.whole, sym_fmt(r->ctx, "%s: bytes in all", what));
}

static JudgeParts judged(Read *r) {
    JudgeParts parts;
    const double s = judge_seconds(r->f, &machine_h200, r->dims, NULL, &parts);
    expect(isfinite(s) && s > 0, "a time", NULL);
    return parts;
}

/* ---- kernels of tests/kernels ---- */

/* Tiles of 128 by 128 elements of 2 bytes: a thread has eight rows of 16 bytes; a warp's load touches two rows of 256
 * bytes, and so does its store, whose rows are columns of the tile. */
static void test_transpose(Ctx *ctx) {
    Read r = read_file(ctx, "transpose_2d");
    at(&r, 16384, 16384);
    expect(wide(&r) && touched(&r, 1).filled == 1, "wide accesses of a transpose, whole sectors", NULL);
    const Touched both = {.instructions = 8, .passes = 4, .sectors = 16, .block = 1024, .whole = 536870912};
    expect_touched(&r, 0, "transpose, load", both);
    expect_touched(&r, 1, "transpose, store", both);
    expect_number(value(&r, r.f->blocks), 16384, "transpose: blocks");
    expect_number(r.f->bodies.at[0].exchanges, 1, "transpose: exchanges");
    /* of odd rows every element moves alone: a warp's 16 elements of a row stand 16 bytes apart */
    at(&r, 67, 131);
    expect(!wide(&r), "narrow accesses of a transpose", NULL);
    expect_number(touched(&r, 0).instructions, 64, "narrow transpose, load: instructions");
    expect(touched(&r, 0).filled < 0.2, "narrow transpose, load: little of each sector", NULL);
}

/* A row a block, 64 threads, 64 elements each: one wait; two folds of five shuffles and an exchange. */
static void test_softmax(Ctx *ctx) {
    Read r = read_file(ctx, "softmax_4k");
    const Body *b = &r.f->bodies.at[0];
    at(&r, 16384, 0);
    expect_touched(&r, 0, "softmax, load",
                   (Touched){.instructions = 8, .passes = 4, .sectors = 16, .block = 256, .whole = 134217728});
    expect_touched(&r, 1, "softmax, store",
                   (Touched){.instructions = 8, .passes = 4, .sectors = 16, .block = 256, .whole = 134217728});
    expect_number(b->depth, 1, "softmax: waits");
    expect_number(b->shuffles, 10, "softmax: shuffles");
    expect_number(b->exchanges, 2, "softmax: exchanges");
    expect_number(r.f->tile_words, 65, "softmax: words of tiles"); /* exp of 64 elements, and their sum */
    expect_number(judged(&r).bytes, 268435456, "softmax: bytes");
    /* one exponential a element: two instructions of the special functions for 64 of them, and one for 1 / z */
    expect(b->issue[PIPE_SPECIAL] >= 64 && b->issue[PIPE_SPECIAL] <= 70, "softmax: special functions", NULL);
}

/* Blocks of 256 columns: 64 rows of 512 bytes an iteration, whose partial sums the last block adds. */
static void test_column_sum(Ctx *ctx) {
    Read r = read_file(ctx, "column_sum");
    at(&r, 131072, 0);
    expect(r.f->bodies.n == 3 && r.f->bodies.at[2].last, "column sum: a loop, and what the last block does", NULL);
    expect_number(value(&r, r.f->bodies.at[1].trips), 63, "column sum: iterations"); /* 131072 / (33 * 64), and one */
    expect_number(touched(&r, 0).sectors, 16, "column sum: sectors of a warp");
    expect_number(touched(&r, 0).apart, 64, "column sum: pieces of a block");
    expect_number(value(&r, r.f->blocks), 33 * 16, "column sum: blocks");
}

/* Rows of 1021 elements begin at any element: 64 bytes lie in 2.94 sectors on an average. */
static void test_odd_rows(Ctx *ctx) {
    Read r = read_file(ctx, "layernorm_odd");
    at(&r, 32768, 0);
    const Access *x = &r.f->accesses.at[2];
    expect(x->vector == 1, "odd rows: vectors", NULL);
    expect_number(touched(&r, 2).instructions, 32, "odd rows: instructions");
    expect_number(touched(&r, 2).sectors, (64 - 2) / 32.0 + 1, "odd rows: sectors of a warp");
    expect_number(value(&r, r.f->bodies.at[1].times), 16, "odd rows: rows of a warp"); /* 32768 / (264 * 8), and one */
}

/* Rows of 3200 bytes that data names: what is loaded waits for the names. */
static void test_gather(Ctx *ctx) {
    Read r = read_file(ctx, "embedding");
    at(&r, 50257, 65536);
    expect_number(r.f->bodies.at[0].depth, 2, "gather: waits");
    const Access *w = &r.f->accesses.at[1];
    bool data = false;
    for (int i = 0; i < w->ndigits; i++) data |= w->digit[i].data;
    expect(data && w->vector == 8, "gather: rows by data, in vectors", NULL);
    expect_touched(&r, 1, "gather, rows",
                   (Touched){.instructions = 8, .passes = 4, .sectors = 16, .block = 800, .whole = 209715200});
    expect_number(value(&r, w->all), 50257.0 * 1600, "gather: elements of the table");
}

/* ---- kernels of a few lines ---- */

static const char stencil[] = "program blur\n"
                              "  dim M\n"
                              "  in x: f32[M, 4096]\n"
                              "  out y: f32[M, 4096]\n"
                              "kernel rows\n"
                              "  axis i = M\n"
                              "  axis r = 3\n"
                              "  axis j = 4096\n"
                              "  layout main\n"
                              "    i = grid reg(4)\n"
                              "    r = reg(3)\n"
                              "    j = grid warp(4) lane(32) vec(4)\n"
                              "{\n"
                              "  x0 = load x[i + r - 1, j] if 0 <= i + r - 1 && i + r - 1 < M\n"
                              "  s = reduce sum(x0) over r\n"
                              "  store y[i, j] = s\n"
                              "}\n";

/* Four rows of a result need six, not twelve: windows overlap in a thread. */
static void test_stencil(Ctx *ctx) {
    Read r = read_text(ctx, "a stencil", stencil, sizeof stencil - 1);
    at(&r, 1024, 0);
    expect_number(touched(&r, 0).instructions, 6, "stencil: instructions");
    expect_number(touched(&r, 0).block, 6 * 64, "stencil: sectors of a block");
    const double written = 1024.0 * 4096 * 4, read = judged(&r).bytes - written;
    expect(read >= written && read < 1.05 * written, "stencil: rows are read once", NULL);
}

static const char again[] = "program twice\n"
                            "  dim M\n"
                            "  in x: f32[M, 65536]\n"
                            "  out y: f32[M, 65536]\n"
                            "kernel rows\n"
                            "  axis i = M\n"
                            "  axis j = 65536\n"
                            "  layout main\n"
                            "    i = grid\n"
                            "    j = serial warp(8) lane(32) vec(4)\n"
                            "{\n"
                            "  var m[j.warp, j.lane]: f32 = 0.0\n"
                            "  for j {\n"
                            "    x0 = load x[i, j]\n"
                            "    p = reduce max(x0) over j.vec\n"
                            "    set m = max(m, p)\n"
                            "  }\n"
                            "  a = reduce max(m) over j\n"
                            "  for j {\n"
                            "    x1 = load x[i, j]\n"
                            "    store y[i, j] = x1 - a\n"
                            "  }\n"
                            "}\n";

/* A second loop reads the row again; with as many rows on their way as multiprocessors have room for, it has left the
 * caches, and with one row it has not. */
static void test_again(Ctx *ctx) {
    Read r = read_text(ctx, "a row read twice", again, sizeof again - 1);
    const double row = 65536 * 4;
    at(&r, 4096, 0);
    expect(r.f->accesses.at[1].before == 1, "again: the loop that read it first", NULL);
    const double many = judged(&r).bytes / (4096 * row);
    expect(many > 2.9 && many <= 3, "again: three rows are moved where many are under way", NULL);
    at(&r, 1, 0);
    const double one = judged(&r).bytes / row;
    expect(one >= 2 && one < 2.1, "again: two rows are moved where there is one", NULL);
}

/* What a kernel before it has left in the second cache is not read from memory. */
static void test_left(Ctx *ctx) {
    Read r = read_file(ctx, "softmax_4k");
    double left[2] = {0};
    JudgeParts none, all;
    at(&r, 1024, 0);
    for (int i = 0; i < r.f->tensors.n; i++) left[i] = 1024 * 4096 * 2;
    const double t = judge_seconds(r.f, &machine_h200, r.dims, NULL, &none);
    const double u = judge_seconds(r.f, &machine_h200, r.dims, left, &all);
    expect_number(all.bytes, none.bytes / 2, "left: what is read");
    expect(u < t, "left: it is faster", NULL);
}

/* Two kernels of one program: the second reads what the first has left. */
static void test_chain(Ctx *ctx) {
    Read r = read_file(ctx, "layernorm_bwd");
    Features *both[] = {r.f, features_of(r.p, r.p->kernels.at[1], ctx)};
    at(&r, 4096, 0);
    double apart = 0;
    for (int i = 0; i < 2; i++) apart += judge_seconds(both[i], &machine_h200, r.dims, NULL, NULL);
    const double chained = judge_all_seconds(both, 2, &machine_h200, r.dims);
    expect(chained < apart && chained > apart / 2, "chain: faster than one by one", NULL);
}

/* Rows whose ranges are data likely share the tensor. */
static void test_ragged(Ctx *ctx) {
    Read r = read_file(ctx, "segment_sums");
    for (int i = 0; i < 3; i++) r.dims[i] = 1 << 14;
    tape_run(&r.f->tape, r.dims, r.f->value);
    double most = 0;
    for (int i = 0; i < r.f->bodies.n; i++) most = fmax(most, value(&r, r.f->bodies.at[i].times));
    expect(most > 0 && most < 1 << 10, "ragged: a block's iterations are its rows', not the tensor's", NULL);
}

static const char chunks[] = "program chunks\n"
                             "  dim C\n"
                             "  in begin: i64[C]\n"
                             "  in end: i64[C]\n"
                             "  in x: f32[64 * C, 32]\n"
                             "  out y: f32[C, 32]\n"
                             "kernel y\n"
                             "part main\n"
                             "  axis c = C\n"
                             "  axis d = 32\n"
                             "  axis k = 128\n"
                             "  layout main\n"
                             "    c = grid\n"
                             "    d = lane(32)\n"
                             "    k = serial reg(8)\n"
                             "{\n"
                             "  var a[d]: f32 = 0.0\n"
                             "  b = load begin[c]\n"
                             "  e = load end[c]\n"
                             "  for k {\n"
                             "    x0 = load x[(c - 1) * 64 + k, d] if (c - 1) * 64 + k < e && b <= (c - 1) * 64 + k\n"
                             "    s = reduce sum(x0) over k.reg if (c - 1) * 64 + k < e && b <= (c - 1) * 64 + k\n"
                             "    set a = a + s\n"
                             "  }\n"
                             "  store y[c, d] = a\n"
                             "}\n";

/* Ranges that are parts of windows, 64 elements on for each row: a share of them is full, and then has 64 elements, 8
 * iterations. Where kernels are compared the share is larger than where times are predicted. */
static void test_windows(Ctx *ctx) {
    Read r = read_text(ctx, "chunks", chunks, sizeof chunks - 1);
    JudgeParts likely, compared;
    at(&r, 1 << 14, 0);
    const double bytes = 64.0 * (1 << 14) * 32 * 4, s = judge_seconds(r.f, &machine_h200, r.dims, NULL, &likely);
    const double chosen = judge_choice(&r.f, 1, &machine_h200, r.dims);
    tape_give(&r.f->tape, JUDGE_FULL);
    tape_run(&r.f->tape, r.dims, r.f->value);
    double trips = 0, most = 0;
    for (int i = 0; i < r.f->bodies.n; i++)
        if (r.f->bodies.at[i].ragged) trips = value(&r, r.f->bodies.at[i].trips), most = r.f->bodies.at[i].most;
    expect_number(trips, JUDGE_FULL * 8, "windows: iterations of a block, on an average");
    expect_number(most < 0 ? 0 : value(&r, (int)most), 16, "windows: iterations of a whole window");
    expect(likely.bytes < bytes / 4, "windows: hardly any is likely full", NULL);
    tape_give(&r.f->tape, 1);
    compared = judged(&r);
    expect_number(compared.bytes, likely.bytes, "windows: what was given is not what is predicted");
    expect(chosen > s && chosen < 1, "windows: kernels are compared by a larger share", NULL);
}

static const char pairs[] = "program pairs\n"
                            "  dim V\n"
                            "  dim N\n"
                            "  in starts: i64[V + 1]\n"
                            "  in x: f32[N, 4]\n"
                            "  out y: f32[V, 4]\n"
                            "kernel y\n"
                            "part main\n"
                            "  axis v = V\n"
                            "  axis h = 4\n"
                            "  axis k = N\n"
                            "  layout main\n"
                            "    v = grid lane(32) vec(2)\n"
                            "    h = vec(4)\n"
                            "    k = serial reg(4)\n"
                            "{\n"
                            "  var a[v, h]: f32 = 0.0\n"
                            "  b = load starts[v]\n"
                            "  e = load starts[v + 1]\n"
                            "  for k {\n"
                            "    x0 = load x[k, h] if b <= k && k < e\n"
                            "    s = reduce sum(x0) over k.reg if b <= k && k < e\n"
                            "    set a = a + s\n"
                            "  }\n"
                            "  store y[v, h] = a\n"
                            "}\n";

/* A thread goes over the ranges of two rows at once: their vectors wait for each other. */
static void test_pairs(Ctx *ctx) {
    Read r = read_text(ctx, "pairs", pairs, sizeof pairs - 1);
    at(&r, 1 << 14, 1 << 18);
    const double waits = judged(&r).latency;
    for (int i = 0; i < r.f->bodies.n; i++) {
        if (!r.f->bodies.at[i].ragged) continue;
        expect_number(r.f->bodies.at[i].ranges, 2, "pairs: ranges of a thread");
        r.f->bodies.at[i].ranges = 1;
    }
    expect(judged(&r).latency < waits, "pairs: their vectors wait for each other", NULL);
}

static const char nearest[] = "program nearest\n"
                              "  dim N in 1..=9223372036854775807\n"
                              "  dim M\n"
                              "  in x: f32[N]\n"
                              "  out y: f32[M]\n"
                              "kernel y\n"
                              "part main\n"
                              "  axis i = M\n"
                              "  layout main\n"
                              "    i = grid thread(128)\n"
                              "{\n"
                              "  x0 = load x[min(N - 1, max(0, 4 * i - 5) / 8)]\n"
                              "  store y[i] = x0\n"
                              "}\n";

/* A quotient of an index inside of bounds, in whatever order these stand: a warp's lanes have 16 neighbours. */
static void test_nearest(Ctx *ctx) {
    Read r = read_text(ctx, "a resized row", nearest, sizeof nearest - 1);
    at(&r, 1 << 20, 1 << 21);
    expect_number(touched(&r, 0).sectors, 3, "nearest: sectors of a warp, 66 bytes");
}

static const char patches[] = "program patches\n"
                              "  dim Q\n"
                              "  dim W\n"
                              "  in x: f32[16, W]\n"
                              "  out y: f32[Q, 256]\n"
                              "kernel y\n"
                              "part main\n"
                              "  axis q = Q\n"
                              "  axis k = 256\n"
                              "  layout main\n"
                              "    q = grid\n"
                              "    k = grid thread(32) vec(4)\n"
                              "{\n"
                              "  x0 = load x[k / 16, 16 * q + k % 16]\n"
                              "  store y[q, k] = x0\n"
                              "}\n";

/* A warp's lanes go along eight rows, of four vectors each; all patches together are all of the rows. */
static void test_patches(Ctx *ctx) {
    Read r = read_text(ctx, "patches of rows", patches, sizeof patches - 1);
    at(&r, 100, 1600);
    expect_number(touched(&r, 0).sectors, 16, "patches: sectors of a warp");
    expect_number(touched(&r, 0).whole, 16 * 1600 * 4, "patches: bytes of all");
    at(&r, 100, 3200);
    expect_number(touched(&r, 0).whole, 16 * 1600 * 4, "patches: bytes of half of each row");
}

static const char shuffled[] = "program shuffled\n"
                               "  dim H\n"
                               "  dim W\n"
                               "  in x: f32[2 * H * W]\n"
                               "  out y: f32[2 * H, W]\n"
                               "kernel y\n"
                               "part main\n"
                               "  axis h = 2 * H\n"
                               "  axis w = W\n"
                               "  layout main\n"
                               "    h = grid\n"
                               "    w = grid thread(128)\n"
                               "{\n"
                               "  x0 = load x[h % 2 * (H * W) + h / 2 * W + w]\n"
                               "  store y[h, w] = x0\n"
                               "}\n";

/* Rows come from two planes in turn: where h / 2 grows, too, none is loaded twice. */
static void test_shuffled(Ctx *ctx) {
    Read r = read_text(ctx, "rows of two planes", shuffled, sizeof shuffled - 1);
    at(&r, 64, 256);
    expect_number(touched(&r, 0).whole, 2 * 64 * 256 * 4, "shuffled: bytes of all");
}

/* The machines that are no measured one have all figures, and a slower memory takes longer. */
static void test_machines(Ctx *ctx) {
    Read r = read_file(ctx, "softmax_4k");
    at(&r, 16384, 0);
    const double fast = judge_seconds(r.f, &machine_h200, r.dims, NULL, NULL);
    const double slow = judge_seconds(r.f, &machine_h100, r.dims, NULL, NULL);
    expect(machine_h200.measured && !machine_h100.measured, "which machine was measured", NULL);
    expect(slow > fast && slow < 2 * fast, "an H100's memory is slower", NULL);
}

/* Of rows of 24 elements, two a lane, a warp has 16 lanes each, and so two; as a part of a kernel it has one. */
static void test_lanes(Ctx *ctx) {
    Read r = read_file(ctx, "settled_lanes");
    r.dims[2] = 24;
    at(&r, 3, 64);
    expect(r.f->lanes >= 0 && value(&r, r.f->lanes) == 16, "lanes of a row", NULL);
    expect(value(&r, r.f->blocks) == 12, "blocks", NULL);
    const Touched whole = touched(&r, 0);
    r.f = features_of_part(r.p, r.p->kernels.at[0], ctx);
    at(&r, 3, 64);
    expect(r.f->lanes < 0 && value(&r, r.f->blocks) == 24, "blocks of a part", NULL);
    const Touched part = touched(&r, 0);
    expect(whole.sectors > part.sectors && whole.whole == part.whole, "sectors of a warp, bytes of all", NULL);
}

static const char narrow[] = "program narrow\n"
                             "  dim N\n"
                             "  dim C\n"
                             "  in x: f16[C, N]\n"
                             "  out y: f16[N, C]\n"
                             "kernel y\n"
                             "part main\n"
                             "  axis n = N\n"
                             "  axis c = C\n"
                             "  layout main\n"
                             "    n = grid thread(2) vec(8)\n"
                             "    c = grid thread(32) vec(4)\n"
                             "{\n"
                             "  x0 = load x[c, n]\n"
                             "  store y[n, c] = x0\n"
                             "}\n";

/* Of 3 columns a lane has all: the others of its warp are those of blocks further along n, since c has one block. Each
 * stores an element 48 bytes from the next one's. */
static void test_narrow(Ctx *ctx) {
    Read r = read_text(ctx, "a relayout of few columns", narrow, sizeof narrow - 1);
    at(&r, 1 << 14, 3);
    expect(r.f->lanes >= 0 && value(&r, r.f->lanes) == 1, "lanes of a row of 3", NULL);
    expect_number(touched(&r, 1).sectors, 32, "narrow: sectors of a warp's store");
    at(&r, 1 << 14, 128);
    expect_number(touched(&r, 1).sectors, 8, "narrow: sectors of vectors of 128 columns");
}

static const char turning[] = "program turning\n"
                              "  dim N\n"
                              "  in x: f32[N]\n"
                              "  out y: f32[N]\n"
                              "kernel y\n"
                              "part main\n"
                              "  axis n = N\n"
                              "  layout main\n"
                              "    n = grid thread(128) vec(4)\n"
                              "{\n"
                              "  x0 = load x[(n + 3) % N]\n"
                              "  store y[n] = x0\n"
                              "}\n";

/* A quotient by a length for each of four registers, which is a product and a shift, and a product by that length. */
static void test_aside(Ctx *ctx) {
    Read r = read_text(ctx, "a rotation", turning, sizeof turning - 1);
    const Access *load = &r.f->accesses.at[0], *store = &r.f->accesses.at[1];
    expect_number(load->aside[PIPE_ALU], 12, "rotation: integer instructions of its address");
    expect_number(load->aside[PIPE_FMA], 24, "rotation: products of its address");
    expect_number(store->aside[PIPE_ALU] + store->aside[PIPE_FMA], 0, "rotation: a store of digits alone");
}

static const char touched_rows[] = "program touched\n"
                                   "  dim T\n"
                                   "  dim V\n"
                                   "  in starts: i32[V + 1]\n"
                                   "  in g: f32[T, 128]\n"
                                   "  inout w: f32[V, 128]\n"
                                   "kernel w\n"
                                   "part main\n"
                                   "  axis i = V\n"
                                   "  axis c = 128\n"
                                   "  axis b = T\n"
                                   "  layout main\n"
                                   "    i = grid reg(2) warp(4)\n"
                                   "    c = lane(32) vec(4)\n"
                                   "    b = serial reg(1)\n"
                                   "{\n"
                                   "  var sum[i, c]: f32 = 0.0\n"
                                   "  s0 = load starts[i]\n"
                                   "  s1 = load starts[i + 1]\n"
                                   "  for b {\n"
                                   "    g0 = load g[b, c] if i64(s0) <= b && b < i64(s1)\n"
                                   "    p = reduce sum(g0) over b if i64(s0) <= b && b < i64(s1)\n"
                                   "    set sum = sum + p\n"
                                   "  }\n"
                                   "  w0 = load w[i, c] if i64(s0) < i64(s1)\n"
                                   "  store w[i, c] = w0 + sum if i64(s0) < i64(s1)\n"
                                   "}\n";

/* Of 1000 rows about a tenth has one of 100 elements, and memory moves those. A thread whose rows are 0 and 4 goes over
 * what the three between them have, and a block over the most that one of its four warps has. */
static void test_touched_rows(Ctx *ctx) {
    Read r = read_text(ctx, "rows that are touched", touched_rows, sizeof touched_rows - 1);
    at(&r, 100, 1000);
    for (int i = 0; i < r.f->accesses.n; i++) {
        const Access *a = &r.f->accesses.at[i];
        const bool rows = a->store || a->tensor->kind == TENSOR_INOUT;
        expect_number(value(&r, a->some), rows ? 1 - 1 / 1.105 : 1, "touched: the share of rows");
    }
    at(&r, 4000, 1000);
    const Body *b = &r.f->bodies.at[r.f->bodies.n - 1];
    expect_number(value(&r, b->trips), 5 * 4, "touched: iterations for five rows of four elements");
    expect_number(value(&r, b->elements), 4, "touched: elements of a row");
    expect_number(b->slowest, 0.5 * log(4) / sqrt(5), "touched: how much more the slowest warp has");
}

static const char padded[] = "program padded\n"
                             "  dim M\n"
                             "  dim N\n"
                             "  in x: bf16[M, N]\n"
                             "  out y: bf16[N, M]\n"
                             "kernel y\n"
                             "part main\n"
                             "  axis k = M\n"
                             "  axis j = N\n"
                             "  layout main\n"
                             "    k = grid reg(8) warp(8)\n"
                             "    j = grid reg(2) lane(32)\n"
                             "  layout other\n"
                             "    j = grid reg(8) warp(8)\n"
                             "    k = grid reg(2) lane(32)\n"
                             "{\n"
                             "  x0 = load x[k, j]\n"
                             "  t = share x0 pad 2\n"
                             "  x1 = read t in other\n"
                             "  store y[j, k] = x1\n"
                             "}\n";

/* Rows of 64 elements of two bytes, and two more: a warp's 32 elements of a column lie in 32 banks. */
static void test_padded(Ctx *ctx) {
    Read r = read_text(ctx, "a padded relayout", padded, sizeof padded - 1);
    expect_number(r.f->bodies.at[0].issue[PIPE_MEMORY], 16 + 16, "padded: passes of 16 elements each way");
}

int main(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return 2;
    test_transpose(ctx);
    test_softmax(ctx);
    test_column_sum(ctx);
    test_odd_rows(ctx);
    test_gather(ctx);
    test_stencil(ctx);
    test_again(ctx);
    test_left(ctx);
    test_chain(ctx);
    test_ragged(ctx);
    test_windows(ctx);
    test_pairs(ctx);
    test_nearest(ctx);
    test_patches(ctx);
    test_shuffled(ctx);
    test_machines(ctx);
    test_lanes(ctx);
    test_narrow(ctx);
    test_aside(ctx);
    test_touched_rows(ctx);
    test_padded(ctx);
    ctx_free(ctx);
    return test_end();
}
