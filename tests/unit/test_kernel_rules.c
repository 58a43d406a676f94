/* The verifier of kernels: for each of its rules a text that breaks just that rule, beside a near miss that is legal.
 */
#include "ir/diag.h"
#include "sched/kernel/kernel.h"
#include "test.h"

#include <string.h>

/* What is wrong with a text: the reader's first message or the verifier's; "" if nothing. */
static const char *complaint(Ctx *ctx, const char *text) {
    Program *p = program_read(ctx, text, strlen(text), diag_add_file(ctx, "test.kernel", text, strlen(text)));
    if (!p) return diag_count(ctx) ? diag_message(diag_at(ctx, 0)) : "no message";
    Text why = {.ctx = ctx};
    return program_verify(p, &why) ? "" : why.s;
}

#define PRE "program t\n  dim M\n  dim N\n"
#define XY "  in x: f32[M, N]\n  out y: f32[M, N]\n"
#define XR "  in x: f32[M, N]\n  out y: f32[M]\n"
#define KERNEL(layout, body) "kernel k\n  axis r = M\n  axis n = N\n  layout main\n" layout "{\n" body "}\n"
#define GRID "    r = grid\n    n = grid warp(2) lane(32) vec(4)\n"
#define LOOP "    r = grid\n    n = serial warp(2) lane(32) vec(4)\n"
#define PERSISTENT "    r = serial grid(8)\n    n = grid warp(2) lane(32) vec(4)\n"
#define LOAD "  x0 = load x[r, n]\n"
#define SAVE "  store y[r, n] = x0\n"
#define SWIZZLED LOAD "  xs = share x0 swizzle\n  x1 = read xs\n  store y[r, n] = x1\n"
#define TWO_COPIES(depth)                                                                                              \
    "    xs = copy x[r, n] async depth 2\n    zs = copy x[r, n] async depth " depth                                    \
    "\n    x0 = read xs\n    z0 = read zs\n    store y[r, n] = x0 + z0\n"
#define XY64 "  in x: f32[M, 256]\n  out y: f32[M, 256]\n"
#define KERNEL64(layout, body) "kernel k\n  axis r = M\n  axis n = 256\n  layout main\n" layout "{\n" body "}\n"
#define TILE64 "    r = serial grid(8)\n    n = warp(2) lane(32) vec(4)\n"
#define HELD64 "    r = grid\n    n = serial(2) warp(1) lane(32) vec(4)\n"
#define WHOLE64 "    r = grid\n    n = warp(2) lane(32) vec(4)\n"
#define OTHER_END "  x0 = load x[r, 255 - n]\n"
#define MEET "  store x[r, n] = x0 meet\n"
#define HOLD "  for n {\n    xs = copy x[r, n] bulk hold\n  }\n"
#define READ_HELD "  for n {\n    x0 = read xs\n    store y[r, n] = x0\n  }\n"

#define ROWS(name) "kernel " name "\n  axis r = M\n  layout main\n    r = grid thread(32)\n"
#define STEP(name, from, to) ROWS(name) "{\n  a = load " from "[r]\n  store " to "[r] = a\n}\n"
#define XYW PRE "  in x: f32[M]\n  out y: f32[M]\n  temp w: f32[M]\n"
#define DIRECT STEP("direct", "x", "y")
#define BY_W STEP("one", "x", "w") STEP("two", "w", "y")

#define PLACES PRE "  in g: f32[M, N]\n  in at: i64[M, N]\n  out y: f32[M, 300]\n"
#define BINS(main, other, bins, scatter)                                                                               \
    PLACES "kernel k\n  axis m = M\n  axis v = 300\n  axis p = N\n  layout main\n" main "  layout other\n" other       \
           "{\n" bins "  for p {\n    k = load at[m, p]\n    x = load g[m, p]\n" scatter "  }\n"                       \
           "  for v {\n    s = read z in other\n    store y[m, v] = s in other\n  }\n}\n"
#define BINS_MAIN "    m = grid warp(2)\n    v = grid serial(2) reg(128)\n    p = serial reg(2) lane(32)\n"
#define BINS_OTHER "    v = grid serial(2) lane(32) vec(4)\n    p = serial reg(64)\n"
#define BINS_OF_WARPS "  bins z[m.warp]: f32 along v = 0.0\n"
#define BINS_OF_BLOCKS "  bins z[]: f32 along v = 0.0\n"
#define BINS_SUM "    scatter sum z[k] = x\n"
#define BINS_MAX "    scatter max z[k] = x\n"
#define TWO_WARPS "    m = grid\n    v = grid serial(2) reg(256)\n    p = serial warp(2) lane(32) vec(1)\n"
#define TWO_WARPS_READ "    v = grid serial(2) warp(2) lane(32) vec(4)\n    p = serial reg(64)\n"
#define HALF_WARP "    m = grid\n    v = grid serial(2) reg(64)\n    p = serial thread(16) vec(1)\n"
#define HALF_WARP_READ "    v = grid serial(2) thread(16) vec(4)\n    p = serial reg(16)\n"
#define BINS_AT_ONCE(read)                                                                                             \
    PLACES "kernel k\n  axis m = M\n  axis v = 300\n  axis p = N\n  layout main\n    m = grid\n    v = reg(320)\n"     \
           "    p = serial reg(2) lane(32)\n  layout other\n    v = " read                                             \
           "\n    p = serial reg(64)\n{\n" BINS_OF_BLOCKS                                                              \
           "  for p {\n    k = load at[m, p]\n    x = load g[m, p]\n" BINS_SUM                                         \
           "  }\n  s = read z in other\n  store y[m, v] = s in other\n}\n"

#define SCRATCH "i32[3 * M * N + 1536 * ((M * N + 4095) / 4096) + 1540]"
#define SORT "sort s\n  _, starts = keys below "
#define COPY(name, n, from, to)                                                                                        \
    "kernel " name "\n  axis r = " n "\n  layout main\n    r = grid thread(32)\n{\n  a = load " from                   \
    "[r]\n  store " to "[r] = a\n}\n"
#define TO_KEYS COPY("before", "M", "x", "keys")
#define FROM_STARTS COPY("behind", "N + 1", "starts", "y")
#define SORT_TEMPS(type)                                                                                               \
    "  temp keys: " type "\n  temp starts: i32[N + 1]\n  temp work: i32[N + 2 * ((N + 4095) / 4096) + 4]\n"
#define SORTED(keys, order, starts, work, below, of)                                                                   \
    PRE "  in keys: " keys "\n  in x: i32[M]\n  out y: i32[M]\n  temp order: " order "\n  temp starts: " starts        \
        "\n  temp work: " work "\nsort s\n  order, starts = " of " below " below                                       \
        " with work\n" COPY("k", "M", "x", "y")

#define SORTED_AS(as, work, of)                                                                                        \
    PRE "  in keys: i32[M]\n  in x: i32[M]\n  out y: i32[M]\n  temp order: i32[M]\n  temp starts: i32[N + 1]\n"        \
        "  temp work: " work "\nsort s\n  " as ", starts = " of " below N with work\n" COPY("k", "M", "x", "y")

#define RANKED(keys, order, work, of)                                                                                  \
    PRE "  in keys: " keys "\n  in x: i32[M]\n  out y: i32[M]\n  temp order: " order "\n  temp work: " work            \
        "\nsort s\n  order = " of " ascending with work\n" COPY("k", "M", "x", "y")

typedef struct Case {
    const char *rule, *good, *bad, *why;
} Case;

static const Case CASES[] = {
    /* names */
    {"names are known", PRE XY KERNEL(GRID, LOAD SAVE), PRE XY KERNEL(GRID, LOAD "  store y[r, n] = x1\n"),
     "unknown name"},
    {"a name is taken once", PRE XY KERNEL(GRID, LOAD "  x1 = load x[r, n]\n" SAVE),
     PRE XY KERNEL(GRID, LOAD LOAD SAVE), "taken"},
    {"tensors are declared once", PRE XY KERNEL(GRID, LOAD SAVE), PRE XY "  in x: f32[M]\n" KERNEL(GRID, LOAD SAVE),
     "declared twice"},
    {"words of the form are no names", PRE XY KERNEL(GRID, LOAD SAVE),
     PRE XY KERNEL(GRID, "  keep = load x[r, n]\n  store y[r, n] = keep\n"), "word of the form"},
    {"outputs are written", PRE XY KERNEL(GRID, LOAD SAVE), PRE XY KERNEL(GRID, LOAD), "nothing writes the output y"},
    {"inputs are not", PRE "  inout x: f32[M, N]\n" KERNEL(GRID, LOAD "  store x[r, n] = x0\n"),
     PRE XY KERNEL(GRID, LOAD SAVE "  store x[r, n] = x0\n"), "an input is not written"},
    {"values stay in their loop",
     PRE XR KERNEL(LOOP, "  var a[]: f32 = 0.0\n  for n {\n" LOAD
                         "    s = reduce sum(x0) over n\n    set a = a + s\n  }\n  store y[r] = a\n"),
     PRE XR KERNEL(LOOP, "  var a[]: f32 = 0.0\n  for n {\n" LOAD
                         "    s = reduce sum(x0) over n\n    set a = a + s\n  }\n  store y[r] = s\n"),
     "unknown name"},
    {"a temporary is written before it is read",
     PRE XR "  temp w: f32[M]\n" KERNEL(
         GRID, "  store w[r] = 1.0 if n.grid == 0\n") "kernel l\n  axis r = M\n  layout main\n    r = grid "
                                                      "thread(32)\n{\n  w0 = load w[r]\n  store y[r] = w0\n}\n",
     PRE XR
     "  temp w: f32[M]\n"
     "kernel l\n  axis r = M\n  layout main\n    r = grid thread(32)\n{\n  w0 = load w[r]\n  store y[r] = w0\n}\n",
     "read before anything writes it"},
    /* types */
    {"a store converts from the compute type", PRE "  in x: f32[M, N]\n  out y: bf16[M, N]\n" KERNEL(GRID, LOAD SAVE),
     PRE "  in x: f64[M, N]\n  out y: bf16[M, N]\n" KERNEL(GRID, LOAD SAVE), "wants a cast"},
    {"operands have the monoid's types",
     PRE XR KERNEL64("    r = grid\n    n = warp(2) lane(32) vec(4)\n",
                     "  x0 = load x[r, n]\n  z = reduce sum(x0) over n\n  store y[r] = z\n"),
     PRE XR KERNEL64("    r = grid\n    n = warp(2) lane(32) vec(4)\n",
                     "  x0 = load x[r, n]\n  z = reduce sum(bf16(x0)) over n\n  store y[r] = z\n"),
     "has no arithmetic"},
    {"declared monoids, too",
     PRE XR "  monoid add(a: f32 = 0.0) combine (a + a')\n" KERNEL64(
         "    r = grid\n    n = warp(2) lane(32) vec(4)\n", LOAD "  z = reduce add(x0) over n\n  store y[r] = z\n"),
     PRE XR "  monoid add(a: f32 = 0.0) combine (a + a')\n" KERNEL64(
         "    r = grid\n    n = warp(2) lane(32) vec(4)\n",
         LOAD "  z = reduce add(f64(x0)) over n\n  store y[r] = f32(z)\n"),
     "where monoid add has f32"},
    {"threads fold in any order",
     PRE XR "  monoid over(load: f32 = 0.0) combine (load + load')\n" KERNEL64(
         "    r = grid\n    n = warp(2) lane(32) vec(4)\n", LOAD "  z = reduce over(x0) over n\n  store y[r] = z\n"),
     PRE XR "  monoid over(load: f32 = 0.0) ordered combine (load + load')\n" KERNEL64(
         "    r = grid\n    n = warp(2) lane(32) vec(4)\n", LOAD "  z = reduce over(x0) over n\n  store y[r] = z\n"),
     "monoid over is ordered, and threads fold in any order"},
    {"a set has the variable's type",
     PRE XY KERNEL(GRID, LOAD "  var a[n]: f32 = 0.0\n  set a = x0\n  store y[r, n] = a\n"),
     PRE XY KERNEL(GRID, LOAD "  var a[n]: i32 = 0\n  set a = x0\n  store y[r, n] = f32(a)\n"), "wants a cast"},
    {"conditions are bool", PRE XY KERNEL(GRID, "  x0 = load x[r, n] if n > 2\n" SAVE),
     PRE XY KERNEL(GRID, "  x0 = load x[r, n] if n\n" SAVE), "not bool"},
    {"... and not about how tensors lie", PRE XY KERNEL(GRID, "  x0 = load x[r, n] if n > 2\n" SAVE),
     PRE XY KERNEL(GRID, "  x0 = load x[r, n] if aligned()\n" SAVE), "how tensors lie is for choices to ask"},
    {"where is about dimensions",
     PRE XY "kernel k\n  where N < 9\n  axis r = M\n  axis n = N\n  layout main\n" GRID "{\n" LOAD SAVE "}\n",
     PRE XY "kernel k\n  where N + 9\n  axis r = M\n  axis n = N\n  layout main\n" GRID "{\n" LOAD SAVE "}\n",
     "not bool"},
    {"... and not about how tensors lie",
     PRE XY "kernel k\n  where N < 9\n  axis r = M\n  axis n = N\n  layout main\n" GRID "{\n" LOAD SAVE "}\n",
     PRE XY "kernel k\n  where aligned()\n  axis r = M\n  axis n = N\n  layout main\n" GRID "{\n" LOAD SAVE "}\n",
     "not a bool expression of dimensions"},
    /* factors */
    {"lanes are 32", PRE XY KERNEL(GRID, LOAD SAVE),
     PRE XY KERNEL("    r = grid\n    n = grid lane(16) vec(4)\n", LOAD SAVE), "multiply to 16, not 32"},
    {"warps are at most 32", PRE XY KERNEL("    r = grid warp(32)\n    n = grid lane(32)\n", LOAD SAVE),
     PRE XY KERNEL("    r = grid warp(33)\n    n = grid lane(32)\n", LOAD SAVE), "1056 threads"},
    {"threads or warps", PRE XY KERNEL("    r = grid\n    n = grid thread(40) vec(4)\n", LOAD SAVE),
     PRE XY KERNEL("    r = grid thread(2)\n    n = grid lane(32) vec(4)\n", LOAD SAVE), "beside warp and lane"},
    {"layouts have the same threads",
     PRE XY KERNEL(GRID "  layout b\n    n = grid warp(2) lane(32) vec(4)\n", LOAD SAVE),
     PRE XY KERNEL(GRID "  layout b\n    n = grid warp(4) lane(32) vec(2)\n", LOAD SAVE),
     "128 threads, where another layout has 64"},
    {"... the same blocks", PRE XY KERNEL(GRID "  layout b\n    n = grid lane(32) warp(2) vec(4)\n", LOAD SAVE),
     PRE XY KERNEL(GRID "  layout b\n    n = grid warp(2) lane(32) vec(2)\n", LOAD SAVE), "another stride"},
    {"one open factor an axis",
     PRE XY KERNEL("    r = serial grid(8)\n    n = grid lane(32)\n", "  for r {\n" LOAD SAVE "  }\n"),
     PRE XY KERNEL("    r = serial grid\n    n = grid lane(32)\n", "  for r {\n" LOAD SAVE "  }\n"),
     "two factors leave their size open"},
    {"threads are counted", PRE XY KERNEL(GRID, LOAD SAVE),
     PRE XY KERNEL("    r = grid\n    n = grid lane(32) vec\n", LOAD SAVE), "only grid and serial may leave"},
    {"clusters are powers of two", PRE XY KERNEL("    r = grid cluster(16)\n    n = grid lane(32)\n", LOAD SAVE),
     PRE XY KERNEL("    r = grid cluster(6)\n    n = grid lane(32)\n", LOAD SAVE), "power of two"},
    {"... up to 16", PRE XY KERNEL("    r = grid cluster(4)\n    n = grid cluster(4) lane(32)\n", LOAD SAVE),
     PRE XY KERNEL("    r = grid cluster(8)\n    n = grid cluster(4) lane(32)\n", LOAD SAVE), "cluster of 32"},
    {"constant factors cover the axis", PRE XY64 KERNEL64("    r = grid\n    n = warp(2) lane(32) vec(4)\n", LOAD SAVE),
     PRE XY64 KERNEL64("    r = grid\n    n = warp(2) lane(32) vec(2)\n", LOAD SAVE), "does not cover it"},
    {"... with its peel",
     PRE "  in x: f32[M, 253]\n  out y: f32[M, 253]\nkernel k\n  axis r = M\n  axis n = 253 peel x\n  layout main\n    "
         "r = grid\n    n = warp(2) lane(32) vec(4)\n{\n" LOAD SAVE "}\n",
     PRE XY64 "kernel k\n  axis r = M\n  axis n = 256 peel x\n  layout main\n    r = grid\n    n = warp(2) lane(32) "
              "vec(4)\n{\n" LOAD SAVE "}\n",
     "lost to its peel"},
    {"... or a condition says so",
     PRE XY "kernel k\n  where N <= 256\n  axis r = M\n  axis n = N\n  layout main\n    r = grid\n    n = warp(2) "
            "lane(32) vec(4)\n{\n" LOAD SAVE "}\n",
     PRE XY "kernel k\n  where N <= 257\n  axis r = M\n  axis n = N\n  layout main\n    r = grid\n    n = warp(2) "
            "lane(32) vec(4)\n{\n" LOAD SAVE "}\n",
     "does not cover it"},
    {"a share is whole iterations",
     PRE XY "kernel k\n  axis r = M\n  axis n = N shares 256\n  layout main\n    r = grid\n    n = grid(4) serial "
            "lane(32) vec(4)\n{\n  for n {\n" LOAD SAVE "  }\n}\n",
     PRE XY "kernel k\n  axis r = M\n  axis n = N shares 100\n  layout main\n    r = grid\n    n = grid(4) serial "
            "lane(32) vec(4)\n{\n  for n {\n" LOAD SAVE "  }\n}\n",
     "no whole iterations of 128"},
    {"... of a loop",
     PRE XY "kernel k\n  axis r = M\n  axis n = N shares 128\n  layout main\n    r = grid\n    n = grid(4) serial "
            "lane(32) vec(4)\n{\n  for n {\n" LOAD SAVE "  }\n}\n",
     PRE XY "kernel k\n  axis r = M\n  axis n = N shares 128\n  layout main\n" GRID "{\n" LOAD SAVE "}\n",
     "in an open loop"},
    {"a peel has an access",
     PRE XY "kernel k\n  axis r = M\n  axis n = N peel x\n  layout main\n" GRID "{\n" LOAD SAVE "}\n",
     PRE XY "  in g: f32[N]\nkernel k\n  axis r = M\n  axis n = N peel g\n  layout main\n" GRID "{\n" LOAD SAVE "}\n",
     "nothing to peel by"},
    {"... that registers share",
     PRE XY "kernel k\n  axis r = M\n  axis n = N peel x\n  layout main\n    r = grid warp(2)\n    n = grid lane(32) "
            "vec(4)\n{\n" LOAD SAVE "}\n",
     PRE XY "kernel k\n  axis r = M\n  axis n = N peel x\n  layout main\n    r = grid reg(2)\n    n = grid lane(32) "
            "vec(4)\n{\n" LOAD SAVE "}\n",
     "from register to register"},
    {"registers are bounded", PRE XY KERNEL("    r = grid\n    n = grid lane(32) reg(128) vec(4)\n", LOAD SAVE),
     PRE XY KERNEL("    r = grid\n    n = grid lane(32) reg(256) vec(4)\n", LOAD SAVE), "1024 elements a thread"},
    {"loops stand outside threads",
     PRE XY KERNEL("    r = grid\n    n = serial lane(32)\n", "  for n {\n" LOAD SAVE "  }\n"),
     PRE XY KERNEL("    r = grid\n    n = lane(32) serial\n", "  for n {\n" LOAD SAVE "  }\n"),
     "stands inside a thread"},
    {"occupancy fits",
     PRE XY "kernel k occupancy 32\n  axis r = M\n  axis n = N\n  layout main\n" GRID "{\n" LOAD SAVE "}\n",
     PRE XY "kernel k occupancy 3\n  axis r = M\n  axis n = N\n  layout main\n    r = grid warp(32)\n    n = grid "
            "lane(32)\n{\n" LOAD SAVE "}\n",
     "do not fit together"},
    /* stores */
    {"a store's value varies along its subscripts only", PRE XY KERNEL(GRID, LOAD SAVE),
     PRE XR KERNEL(GRID, LOAD "  store y[r] = x0\n"), "do not determine n."},
    {"... and so does its condition",
     PRE XR KERNEL("    r = grid\n    n = grid\n", LOAD "  store y[r] = x0 if n == 3\n"),
     PRE XR KERNEL("    r = grid\n    n = grid lane(32)\n", LOAD "  store y[r] = x0 if n == 3\n"),
     "its condition depends on n.lane"},
    {"... and replication is fine",
     PRE XR KERNEL64("    r = grid\n    n = warp(2) lane(32) vec(4)\n",
                     LOAD "  m = reduce max(x0) over n\n  store y[r] = m\n"),
     PRE XR KERNEL64("    r = grid\n    n = warp(2) lane(32) vec(4)\n",
                     LOAD "  m = reduce max(x0) over n.lane n.vec\n  store y[r] = m\n"),
     "do not determine n.warp"},
    {"... but not over the grid", PRE XR KERNEL("    r = grid lane(32)\n    n = serial\n", "  store y[r] = 1.0\n"),
     PRE XR KERNEL("    r = grid lane(32)\n    n = grid\n", "  store y[r] = 1.0\n"), "do not determine n.grid"},
    {"... nor over a loop",
     PRE XY KERNEL("    r = serial grid(8)\n    n = grid lane(32)\n", "  for r {\n" LOAD SAVE "  }\n"),
     PRE "  in x: f32[M, N]\n  out y: f32[N]\n" KERNEL("    r = serial\n    n = grid lane(32)\n",
                                                       "  for r {\n" LOAD "    store y[n] = x0\n  }\n"),
     "do not determine r.serial"},
    {"subscripts are injective: mixed radix",
     PRE "  out y: i64[M, 4 * N]\n  in x: f32[M, N]\nkernel k\n  axis r = M\n  axis n = N\n  axis d = 4\n  layout "
         "main\n    r = grid\n    n = grid lane(32)\n    d = vec(4)\n{\n  store y[r, 4 * n + d] = n\n}\n",
     PRE "  out y: i64[M, 4 * N]\n  in x: f32[M, N]\nkernel k\n  axis r = M\n  axis n = N\n  axis d = 4\n  layout "
         "main\n    r = grid\n    n = grid lane(32)\n    d = vec(4)\n{\n  store y[r, 3 * n + d] = n\n}\n",
     "do not determine"},
    {"... with symbolic radix",
     PRE "  out y: i64[M * N]\nkernel k\n  axis r = M\n  axis n = N\n  layout main\n    r = grid\n    n = grid "
         "lane(32)\n{\n  store y[r * N + n] = n\n}\n",
     PRE "  out y: i64[M * N]\nkernel k\n  axis r = M\n  axis n = N\n  layout main\n    r = grid\n    n = grid "
         "lane(32)\n{\n  store y[r * M + n] = n\n}\n",
     "do not determine"},
    {"... and of digits",
     PRE "  out y: i64[N, 8]\nkernel k\n  axis n = 8 * N\n  layout main\n    n = grid lane(32)\n{\n  store y[n / 8, n "
         "% 8] = n\n}\n",
     PRE "  out y: i64[N, 8]\nkernel k\n  axis n = 8 * N\n  layout main\n    n = grid lane(32)\n{\n  store y[n / 8, n "
         "% 4] = n\n}\n",
     "do not determine n."},
    {"loaded subscripts prove nothing",
     PRE "  in ids: i64[M]\n  in x: f32[M, N]\n  out y: f32[M, N]\n" KERNEL(
         GRID, "  i = load ids[r]\n  x0 = load x[i, n]\n" SAVE),
     PRE "  in ids: i64[M]\n  in x: f32[M, N]\n  out y: f32[M, N]\n" KERNEL(GRID, "  i = load ids[r]\n" LOAD
                                                                                  "  store y[i, n] = x0\n"),
     "do not determine r."},
    {"... but that an element says which index stores it",
     PRE "  in ids: i64[M]\n  in last: i64[M]\n  in x: f32[M, N]\n  out y: f32[M, N]\n" KERNEL(
         GRID, "  i = load ids[r]\n  l = load last[i]\n" LOAD "  store y[i, n] = x0 if l == r\n"),
     PRE "  in ids: i64[M]\n  in last: i64[M]\n  in x: f32[M, N]\n  out y: f32[M, N]\n" KERNEL(
         GRID, "  i = load ids[r]\n  l = load last[i]\n" LOAD "  store y[i, n] = x0 if l <= r\n"),
     "do not determine r."},
    {"... of its place in both subscripts, by a number of two",
     PRE "  in ids: i64[M, N]\n  in last: i64[M, 4]\n  out y: i64[M, 4]\n" KERNEL(
         GRID, "  i = load ids[r, n]\n  j = map i / 4\n  l = load last[j, i % 4] if j < M\n  store y[j, i % 4] = l "
               "if j < M && l == r * N + n\n"),
     PRE "  in ids: i64[M, N]\n  in last: i64[M, 4]\n  out y: i64[M, 4]\n" KERNEL(
         GRID, "  i = load ids[r, n]\n  j = map i / 4\n  l = load last[j, i % 4] if j < M\n  store y[j, i % 4] = l "
               "if j < M && l == r * M + n\n"),
     "do not determine"},
    {"... where nobody changes that meanwhile",
     PRE "  in ids: i64[M]\n  in last: i64[M]\n  inout y: i64[M]\n" KERNEL(
         "    r = grid lane(32)\n    n = serial\n",
         "  i = load ids[r]\n  l = load last[i]\n  store y[i] = r if l == r\n"),
     PRE "  in ids: i64[M]\n  in last: i64[M]\n  inout y: i64[M]\n" KERNEL(
         "    r = grid lane(32)\n    n = serial\n", "  i = load ids[r]\n  l = load y[i]\n  store y[i] = r if l == r\n"),
     "do not determine r."},
    {"stores of one tensor are disjoint",
     PRE "  in x: f32[M, N]\n  out y: f32[M, 2 * N]\n" KERNEL(
         GRID, LOAD "  store y[r, 2 * n] = x0\n  store y[r, 2 * n + 1] = x0\n"),
     PRE "  in x: f32[M, N]\n  out y: f32[M, 2 * N]\n" KERNEL(GRID,
                                                              LOAD "  store y[r, 2 * n] = x0\n  store y[r, n] = x0\n"),
     "may write the same elements"},
    {"... in parts, too",
     PRE "  in x: f32[M]\n  in z: f32[N]\n  out y: f32[M + N]\nkernel k\npart a\n  axis r = M\n  layout main\n    r = "
         "grid lane(32)\n{\n  x0 = load x[r]\n  store y[r] = x0\n}\npart b\n  axis r = N\n  layout main\n    r = grid "
         "lane(32)\n{\n  x0 = load z[r]\n  store y[M + r] = x0\n}\n",
     PRE "  in x: f32[M]\n  in z: f32[N]\n  out y: f32[M + N]\nkernel k\npart a\n  axis r = M\n  layout main\n    r = "
         "grid lane(32)\n{\n  x0 = load x[r]\n  store y[r] = x0\n}\npart b\n  axis r = N\n  layout main\n    r = grid "
         "lane(32)\n{\n  x0 = load z[r]\n  store y[M - 1 + r] = x0\n}\n",
     "may write the same elements"},
    {"threads do not read what others write",
     PRE "  inout x: f32[M, N]\n" KERNEL(GRID, LOAD "  store x[r, n] = x0 * 2.0\n"),
     PRE "  inout x: f32[M, N]\n" KERNEL(GRID, "  x0 = load x[r, N - 1 - n]\n  store x[r, n] = x0 * 2.0\n"),
     "from other threads"},
    {"... but of rows that one block has, before its threads meet",
     PRE "  inout x: f32[M, 256]\n" KERNEL64(WHOLE64, OTHER_END MEET),
     PRE "  inout x: f32[M, 256]\n" KERNEL64(WHOLE64, OTHER_END "  store x[r, n] = x0\n"), "from other threads"},
    {"... and no other iteration",
     PRE "  inout x: f32[M, 256]\n" KERNEL64("    r = grid(2) serial\n    n = warp(2) lane(32) vec(4)\n",
                                             "  for r {\n" OTHER_END MEET "  }\n"),
     PRE "  inout x: f32[M, 256]\n" KERNEL64("    r = grid\n    n = serial(2) warp(2) lane(32) vec(2)\n",
                                             "  for n {\n" OTHER_END MEET "  }\n"),
     "from other threads"},
    {"... by the subscripts that both have", PRE "  inout x: f32[M, 256]\n" KERNEL64(WHOLE64, OTHER_END MEET),
     PRE "  inout x: f32[M, 256]\n" KERNEL64(WHOLE64, "  x0 = load x[M - 1 - r, n]\n" MEET), "from other threads"},
    {"... among the same stages",
     PRE "  inout x: f32[M, 256]\n" KERNEL64(WHOLE64, "  if M > 3 {\n" OTHER_END MEET "  }\n"),
     PRE "  inout x: f32[M, 256]\n" KERNEL64(WHOLE64, OTHER_END "  if M > 3 {\n" MEET "  }\n"), "from other threads"},
    {"... for all stores behind that",
     PRE "  inout x: f32[M, 512]\n" KERNEL64(WHOLE64, "  x0 = load x[r, 511 - n]\n  x1 = load x[r, 255 - n]\n" MEET
                                                      "  store x[r, n + 256] = x1\n"),
     PRE "  inout x: f32[M, 512]\n" KERNEL64(WHOLE64, "  x0 = load x[r, 511 - n]\n" MEET
                                                      "  x1 = load x[r, 255 - n]\n  store x[r, n + 256] = x1\n"),
     "from other threads"},
    {"... which they do at a bulk store anyway", PRE "  inout x: f32[M, 256]\n" KERNEL64(WHOLE64, OTHER_END MEET),
     PRE "  inout x: f32[M, 256]\n" KERNEL64(WHOLE64, OTHER_END "  store x[r, n] = x0 bulk meet\n"),
     "threads meet at a bulk store anyway"},
    {"... nor twins of a thread, but to store what is made of it",
     PRE "  inout x: f32[M]\n  in g: f32[M]\n" KERNEL("    r = grid lane(32)\n    n = serial warp(2)\n",
                                                      "  x0 = load x[r]\n  store x[r] = x0 * 2.0\n"),
     PRE
     "  inout x: f32[M]\n  in g: f32[M]\n" KERNEL("    r = grid lane(32)\n    n = serial warp(2)\n",
                                                  "  x0 = load x[r]\n  z = reduce sum(x0) over r\n  store x[r] = z\n"),
     "from other threads"},
    /* loops */
    {"what depends on a loop stands inside", PRE XY KERNEL(LOOP, "  for n {\n" LOAD SAVE "  }\n"),
     PRE XY KERNEL(LOOP, LOAD "  for n {\n" SAVE "  }\n"), "whose loop is not around it"},
    {"a loop has a serial factor", PRE XY KERNEL(LOOP, "  for n {\n" LOAD SAVE "  }\n"),
     PRE XY KERNEL(LOOP, "  for n {\n    for r {\n" LOAD SAVE "    }\n  }\n"), "axis r has no serial factor"},
    {"... and is entered once", PRE XY KERNEL(LOOP, "  for n {\n" LOAD SAVE "  }\n"),
     PRE XY KERNEL(LOOP, "  for n {\n    for n {\n" LOAD SAVE "    }\n  }\n"), "is around it already"},
    {"bounds that are loaded need a serial factor",
     PRE "  in off: i64[M + 1]\n  in x: f32[M, N]\n  out y: f32[M]\nkernel k\n  axis r = M\n  axis j = b..e\n  layout "
         "main\n    r = grid\n    j = serial lane(32)\n{\n  b = load off[r]\n  e = load off[r + 1]\n  var a[j.lane]: "
         "f32 = 0.0\n  for j {\n    x0 = load x[r, j]\n    set a = a + (if j < e then x0 else 0.0)\n  }\n  s = reduce "
         "sum(a) over j\n  store y[r] = s\n}\n",
     PRE "  in off: i64[M + 1]\n  in x: f32[M, N]\n  out y: f32[M]\nkernel k\n  axis r = M\n  axis j = b..e\n  layout "
         "main\n    r = grid\n    j = grid lane(32)\n{\n  b = load off[r]\n  e = load off[r + 1]\n  for j {\n    x0 = "
         "load x[r, j]\n  }\n  store y[r] = 1.0\n}\n",
     "must be serial"},
    /* undefined elements */
    {"undefined elements are not carried",
     PRE "  in x: f32[M, N]\n  out y: f32[N]\n" KERNEL(
         "    r = serial warp(2)\n    n = grid lane(32)\n",
         "  var a[r.warp, n]: f32 = 0.0\n  for r {\n" LOAD
         "    set a = a + (if r < M then x0 else 0.0)\n  }\n  s = reduce sum(a) over r\n  store y[n] = s\n"),
     PRE "  in x: f32[M, N]\n  out y: f32[N]\n" KERNEL(
         "    r = serial warp(2)\n    n = grid lane(32)\n",
         "  var a[r.warp, n]: f32 = 0.0\n  for r {\n" LOAD
         "    set a = a + x0\n  }\n  s = reduce sum(a) over r\n  store y[n] = s\n"),
     "undefined outside axis r"},
    {"... a fold leaves them out",
     PRE "  in x: f32[M, N]\n  out y: f32[N]\n" KERNEL(
         "    r = serial warp(2) reg(4)\n    n = grid lane(32)\n",
         "  var a[r.warp, n]: f32 = 0.0\n  for r {\n" LOAD
         "    t = reduce sum(x0) over r.reg\n    set a = a + t\n  }\n  s = reduce sum(a) over r\n  store y[n] = s\n"),
     PRE "  in x: f32[M, N]\n  out y: f32[N]\n" KERNEL(
         "    r = serial warp(2) reg(4)\n    n = grid lane(32)\n",
         "  var a[r, n]: f32 = 0.0\n  for r {\n" LOAD
         "    set a = a + x0\n  }\n  s = reduce sum(a) over r\n  store y[n] = s\n"),
     "undefined outside axis r"},
    /* collectives */
    {"a condition is the same for the block", PRE XY KERNEL(GRID, LOAD "  if r > 2 {\n" SAVE "  }\n"),
     PRE XY KERNEL(GRID, LOAD "  if n > 2 {\n" SAVE "  }\n"), "same for the whole block"},
    {"a reduction stays in the cluster",
     PRE XR KERNEL("    r = grid\n    n = serial cluster(2) lane(32)\n",
                   "  var a[n]: f32 = 0.0\n  for n {\n" LOAD
                   "    set a = a + (if n < N then x0 else 0.0)\n  }\n  s = reduce sum(a) over n\n  store y[r] = s\n"),
     PRE XR KERNEL("    r = grid\n    n = grid lane(32)\n",
                   LOAD "  s = reduce sum(x0) over n.grid n.lane\n  store y[r] = s\n"),
     "blocks of a grid cannot fold"},
    {"... and is no loop",
     PRE XR KERNEL(LOOP, "  var a[]: f32 = 0.0\n  for n {\n" LOAD
                         "    s = reduce sum(x0) over n\n    set a = a + s\n  }\n  store y[r] = a\n"),
     PRE XR KERNEL(
         LOOP, "  var a[]: f32 = 0.0\n  for n {\n" LOAD
               "    s = reduce sum(x0) over n.serial n.lane n.warp n.vec\n    set a = a + s\n  }\n  store y[r] = a\n"),
     "a loop is folded by a var"},
    {"... over what its operand has",
     PRE XR KERNEL64("    r = grid\n    n = warp(2) lane(32) vec(4)\n",
                     LOAD "  m = reduce max(x0) over n.vec\n  q = reduce max(m) over n\n  store y[r] = q\n"),
     PRE XR KERNEL64(
         "    r = grid\n    n = warp(2) lane(32) vec(4)\n",
         LOAD "  m = reduce max(x0) over n.vec\n  q = reduce max(m) over n.vec n.lane n.warp\n  store y[r] = q\n"),
     "does not depend"},
    {"shuffles take whole warps",
     PRE "  in x: f32[M, 8]\n  out y: f32[M]\nkernel k\n  axis r = M\n  axis n = 8\n  layout main\n    r = grid "
         "thread(8)\n    n = thread(8)\n{\n" LOAD "  s = reduce sum(x0) over n\n  store y[r] = s\n}\n",
     PRE "  in x: f32[M, 8]\n  out y: f32[M]\nkernel k\n  axis r = M\n  axis n = 8\n  layout main\n    r = grid "
         "thread(5)\n    n = thread(8)\n{\n" LOAD "  s = reduce sum(x0) over n\n  store y[r] = s\n}\n",
     "40 threads are no whole warps"},
    {"the last block is one of a grid",
     PRE XR "  temp w: f32[8, M]\n  temp c: i32[M] zero\n" KERNEL(
         "    r = grid\n    n = serial grid(8) lane(32)\n",
         "  var a[]: f32 = 0.0\n  for n {\n" LOAD
         "    s = reduce sum(x0) over n.lane\n    set a = a + s\n  }\n  store w[n.grid, r] = a\n  last n.grid counter "
         "c {\n    w0 = load w[3, r]\n    store y[r] = w0\n  }\n"),
     PRE XR "  temp w: f32[8, M]\n  temp c: i32[M]\n" KERNEL(
         "    r = grid\n    n = serial grid(8) lane(32)\n",
         "  var a[]: f32 = 0.0\n  for n {\n" LOAD
         "    s = reduce sum(x0) over n.lane\n    set a = a + s\n  }\n  store w[n.grid, r] = a\n  last n.grid counter "
         "c {\n    w0 = load w[3, r]\n    store y[r] = w0\n  }\n"),
     "no zeroed i32 temporary"},
    {"... with a counter each",
     PRE XR "  temp c: i32[M] zero\n" KERNEL("    r = grid\n    n = grid lane(32)\n",
                                             "  last n.grid counter c {\n    store y[r] = 1.0\n  }\n"),
     PRE XR "  temp c: i32[1] zero\n" KERNEL("    r = grid\n    n = grid lane(32)\n",
                                             "  last n.grid counter c {\n    store y[r] = 1.0\n  }\n"),
     "fewer elements"},
    {"... and which one is chance",
     PRE XR "  temp c: i32[M] zero\n" KERNEL("    r = grid\n    n = grid lane(32)\n",
                                             "  last n.grid counter c {\n    store y[r] = f32(r)\n  }\n"),
     PRE XR "  temp c: i32[M] zero\n" KERNEL("    r = grid\n    n = grid lane(32)\n",
                                             "  last n.grid counter c {\n    store y[r] = f32(n.grid)\n  }\n"),
     "is chance"},
    {"... outside loops",
     PRE XR
     "  temp c: i32[4] zero\n" KERNEL("    r = serial grid(4)\n    n = grid lane(32)\n",
                                      "  last n.grid counter c {\n    for r {\n      store y[r] = 1.0\n    }\n  }\n"),
     PRE XR
     "  temp c: i32[4] zero\n" KERNEL("    r = serial grid(4)\n    n = grid lane(32)\n",
                                      "  for r {\n    last n.grid counter c {\n      store y[r] = 1.0\n    }\n  }\n"),
     "stands inside a for"},
    {"a share is a whole tile", PRE XY KERNEL(GRID, LOAD "  xs = share x0\n  x1 = read xs\n  store y[r, n] = x1\n"),
     PRE XY KERNEL(GRID,
                   LOAD "  m = reduce max(x0) over n.vec\n  xs = share m\n  x1 = read xs\n  store y[r, n] = x1\n"),
     "only some factors of axis n"},
    {"rows of bins have all of their axis", BINS(BINS_MAIN, BINS_OTHER, BINS_OF_WARPS, BINS_SUM),
     BINS(BINS_MAIN, BINS_OTHER, "  bins z[m.warp, v.reg]: f32 along v = 0.0\n", BINS_SUM),
     "each row has all of axis v"},
    {"... of words", BINS(BINS_MAIN, BINS_OTHER, BINS_OF_WARPS, BINS_SUM),
     BINS(BINS_MAIN, BINS_OTHER, "  bins z[m.warp]: f16 along v = f16(0.0)\n", "    scatter sum z[k] = f16(x)\n"),
     "no words"},
    {"... which begin alike", BINS(BINS_MAIN, BINS_OTHER, BINS_OF_WARPS, BINS_SUM),
     BINS(BINS_MAIN, BINS_OTHER, "  bins z[m.warp]: f32 along v = f32(m)\n", BINS_SUM), "begin as one value"},
    {"... of a stated number", BINS(BINS_MAIN, BINS_OTHER, BINS_OF_WARPS, BINS_SUM),
     BINS("    m = grid warp(2)\n    v = grid(2) serial reg(128)\n    p = serial reg(2) lane(32)\n",
          "    v = grid(2) serial lane(32) vec(4)\n    p = serial reg(64)\n", BINS_OF_WARPS, BINS_SUM),
     "have sizes"},
    {"... which are a range", BINS(BINS_MAIN, BINS_OTHER, BINS_OF_WARPS, BINS_SUM),
     BINS("    m = grid warp(2)\n    v = serial(2) grid reg(128)\n    p = serial reg(2) lane(32)\n",
          "    v = serial(2) grid lane(32) vec(4)\n    p = serial reg(64)\n", BINS_OF_WARPS, BINS_SUM),
     "is no range"},
    {"... and are read as many", BINS_AT_ONCE("lane(32) vec(10)"), BINS_AT_ONCE("lane(32) vec(12)"),
     "320 elements in the bins"},
    {"warps share a row where no order shows", BINS(TWO_WARPS, TWO_WARPS_READ, BINS_OF_BLOCKS, BINS_MAX),
     BINS(TWO_WARPS, TWO_WARPS_READ, BINS_OF_BLOCKS, BINS_SUM), "is one warp's"},
    {"whole warps scatter", BINS(TWO_WARPS, TWO_WARPS_READ, BINS_OF_BLOCKS, BINS_MAX),
     BINS(HALF_WARP, HALF_WARP_READ, BINS_OF_BLOCKS, BINS_MAX), "no whole warps"},
    {"what is scattered has an index", BINS(BINS_MAIN, BINS_OTHER, BINS_OF_WARPS, BINS_SUM),
     BINS(BINS_MAIN, BINS_OTHER, BINS_OF_WARPS, "    scatter sum z[i32(k)] = x\n"), "i64"},
    {"shared values are read first",
     PRE XY KERNEL(GRID, LOAD "  xs = share x0\n  x1 = read xs\n  store y[r, n] = x1\n"),
     PRE XY KERNEL(GRID, LOAD "  xs = share x0\n  store y[r, n] = xs\n"), "has to be read first"},
    {"a layout's values stay in it",
     PRE XY KERNEL(
         "    r = grid lane(32)\n    n = grid reg(32)\n  layout b\n    r = grid reg(32)\n    n = grid lane(32)\n",
         LOAD "  xs = share x0\n  x1 = read xs in b\n  store y[r, n] = x1\n"),
     PRE XY KERNEL(
         "    r = grid lane(32)\n    n = grid reg(32)\n  layout b\n    r = grid reg(32)\n    n = grid lane(32)\n",
         LOAD "  xs = share x0\n  x1 = read xs in b\n  store y[r, n] = x1 + x0\n"),
     "does not have"},
    {"shared memory is bounded",
     PRE XY KERNEL("    r = grid reg(16)\n    n = grid warp(16) lane(32) vec(4)\n",
                   LOAD "  xs = share x0\n  x1 = read xs\n  store y[r, n] = x1\n"),
     PRE XY KERNEL("    r = grid reg(32)\n    n = grid warp(16) lane(32) vec(4)\n",
                   LOAD "  xs = share x0\n  x1 = read xs\n  store y[r, n] = x1\n"),
     "bytes of shared memory"},
    {"swizzled rows are powers of two",
     PRE XY KERNEL("    r = grid reg(2)\n    n = grid warp(2) lane(32) vec(4)\n", SWIZZLED),
     PRE XY KERNEL("    r = grid reg(2)\n    n = grid thread(96) vec(4)\n", SWIZZLED), "power of two of 16-byte"},
    {"... and several of them", PRE XY KERNEL("    r = grid reg(2)\n    n = grid warp(2) lane(32) vec(4)\n", SWIZZLED),
     PRE XY KERNEL(GRID, SWIZZLED), "and its tile several rows"},
    /* copies */
    {"a copy runs ahead of a loop",
     PRE XY64 KERNEL64(TILE64, "  for r {\n    xs = copy x[r, n] bulk depth 2\n    x0 = read xs\n" SAVE "  }\n"),
     PRE XY64 KERNEL64("    r = grid\n    n = warp(2) lane(32) vec(4)\n",
                       "  xs = copy x[r, n] bulk depth 2\n  x0 = read xs\n" SAVE),
     "no loop to run ahead of"},
    {"... and of what is made there",
     PRE XY64 "  in ids: i64[M]\n" KERNEL64(
         TILE64, "  i = load ids[3]\n  for r {\n    xs = copy x[i, n] bulk depth 2\n    x0 = read xs\n" SAVE "  }\n"),
     PRE XY64 "  in ids: i64[M]\n" KERNEL64(
         TILE64, "  for r {\n    i = load ids[r]\n    xs = copy x[i, n] bulk depth 2\n    x0 = read xs\n" SAVE "  }\n"),
     "runs ahead of the loop"},
    {"its rows are contiguous",
     PRE XY64 KERNEL64(TILE64, "  for r {\n    xs = copy x[r, n] async depth 2\n    x0 = read xs\n" SAVE "  }\n"),
     PRE XY64 KERNEL64(TILE64, "  for r {\n    xs = copy x[r, 2 * n] async depth 2\n    x0 = read xs\n" SAVE "  }\n"),
     "not contiguous"},
    {"... and of one place in all other dimensions",
     PRE "  in x: f32[256, 256]\n  out y: f32[M, 256]\n" KERNEL64(
         TILE64, "  for r {\n    xs = copy x[r % 256, n] bulk depth 2\n    x0 = read xs\n" SAVE "  }\n"),
     PRE "  in x: f32[256, 256]\n  out y: f32[M, 256]\n" KERNEL64(
         TILE64, "  for r {\n    xs = copy x[n, n] bulk depth 2\n    x0 = read xs\n" SAVE "  }\n"),
     "not contiguous"},
    {"depth is bounded",
     PRE XY64 KERNEL64(TILE64, "  for r {\n    xs = copy x[r, n] bulk depth 16\n    x0 = read xs\n" SAVE "  }\n"),
     PRE XY64 KERNEL64(TILE64, "  for r {\n    xs = copy x[r, n] bulk depth 17\n    x0 = read xs\n" SAVE "  }\n"),
     "it is 1 to 16"},
    {"bulk copies are made by whole warps",
     PRE XY64 KERNEL64(TILE64, "  for r {\n    xs = copy x[r, n] bulk depth 2\n    x0 = read xs\n" SAVE "  }\n"),
     PRE XY64 KERNEL64("    r = serial grid(8)\n    n = thread(16) vec(16)\n",
                       "  for r {\n    xs = copy x[r, n] bulk depth 2\n    x0 = read xs\n" SAVE "  }\n"),
     "16 threads are no whole warps"},
    {"... and so are bulk stores", PRE XY64 KERNEL64(TILE64, "  for r {\n" LOAD "  store y[r, n] = x0 bulk\n  }\n"),
     PRE XY64 KERNEL64("    r = serial grid(8)\n    n = thread(16) vec(16)\n",
                       "  for r {\n" LOAD "  store y[r, n] = x0 bulk\n  }\n"),
     "16 threads are no whole warps"},
    {"asynchronous copies of a loop run equally far ahead",
     PRE XY64 KERNEL64(TILE64, "  for r {\n" TWO_COPIES("2") "  }\n"),
     PRE XY64 KERNEL64(TILE64, "  for r {\n" TWO_COPIES("3") "  }\n"), "not by 3 and 2"},
    {"a copy is read",
     PRE XY64 KERNEL64(TILE64, "  for r {\n    xs = copy x[r, n] bulk depth 2\n    x0 = read xs\n" SAVE "  }\n"),
     PRE XY64 KERNEL64(TILE64, "  for r {\n    xs = copy x[r, n] bulk depth 2\n" LOAD SAVE "  }\n"),
     "nothing in its loop's own body reads it"},
    {"... and only in its loop's own body",
     PRE XY64 KERNEL64(
         TILE64, "  for r {\n    xs = copy x[r, n] bulk depth 2\n    x0 = read xs\n    x1 = read xs\n" SAVE "  }\n"),
     PRE XY64 KERNEL64(TILE64, "  for r {\n    xs = copy x[r, n] bulk depth 2\n    x0 = read xs\n    if r > 3 {\n"
                               "      x1 = read xs\n    }\n" SAVE "  }\n"),
     "is read elsewhere"},
    {"what is held is read in loops behind that one", PRE XY64 KERNEL64(HELD64, HOLD READ_HELD),
     PRE XY64 KERNEL64(HELD64, HOLD "  for n {\n" LOAD SAVE "  }\n"), "no loop of axis n behind it reads it"},
    {"... and nowhere else", PRE XY64 KERNEL64(HELD64, HOLD READ_HELD),
     PRE XY64 KERNEL64(HELD64, HOLD READ_HELD "  for n {\n    if r > 3 {\n      x1 = read xs\n    }\n  }\n"),
     "is read elsewhere than in a loop of its own"},
    {"its loop asks for it and does nothing else", PRE XY64 KERNEL64(HELD64, HOLD READ_HELD),
     PRE XY64 KERNEL64(HELD64, "  for n {\n    xs = copy x[r, n] bulk hold\n    w = map 1.0\n  }\n" READ_HELD),
     "does more than to ask"},
    {"its loop has a size", PRE XY64 KERNEL64(HELD64, HOLD READ_HELD),
     PRE XY64 KERNEL64("    r = grid\n    n = serial warp(1) lane(32) vec(4)\n", HOLD READ_HELD),
     "has a size, which is 1 to 16"},
    {"it is asked for once", PRE XY64 KERNEL64(HELD64, HOLD READ_HELD),
     PRE XY64 KERNEL64("    r = serial grid(2)\n    n = serial(2) warp(1) lane(32) vec(4)\n",
                       "  for r {\n" HOLD READ_HELD "  }\n"),
     "not in a loop in another"},
    {"it runs no iterations ahead", PRE XY64 KERNEL64(HELD64, HOLD READ_HELD),
     PRE XY64 KERNEL64(HELD64, "  for n {\n    xs = copy x[r, n] bulk hold depth 2\n  }\n" READ_HELD),
     "no number of iterations ahead"},
    {"a load may run ahead, too", PRE XY KERNEL(PERSISTENT, "  for r {\n    x0 = load x[r, n] ahead 1\n" SAVE "  }\n"),
     PRE XY KERNEL(GRID, "  x0 = load x[r, n] ahead 1\n" SAVE), "no loop to run ahead of"},
    /* scans */
    {"a scan has all of its axis",
     PRE XY64 KERNEL64("    r = grid\n    n = warp(2) lane(32) vec(4)\n",
                       LOAD "  s = scan sum(x0) along n\n  store y[r, n] = s\n"),
     PRE XY64 KERNEL64("    r = grid\n    n = warp(2) lane(32) vec(4)\n",
                       LOAD "  m = reduce max(x0) over n.vec\n  s = scan sum(m) along n\n  store y[r, n] = s\n"),
     "all of axis n"},
    {"... in order",
     PRE XY64 KERNEL64("    r = grid\n    n = warp(2) reg(2) lane(32) vec(2)\n",
                       LOAD "  s = scan sum(x0) along n\n  store y[r, n] = s\n"),
     PRE XY64 KERNEL64("    r = grid\n    n = lane(32) warp(2) vec(4)\n",
                       LOAD "  s = scan sum(x0) along n\n  store y[r, n] = s\n"),
     "warps stand outside lanes"},
    {"... in one block",
     PRE XY KERNEL("    r = grid\n    n = serial lane(32)\n",
                   "  var c[]: f32 = 0.0\n  for n {\n" LOAD
                   "    s = scan sum(x0) along n carry c\n    store y[r, n] = s\n  }\n"),
     PRE XY64 KERNEL64("    r = grid\n    n = cluster(2) warp(4) lane(32)\n",
                       LOAD "  s = scan sum(x0) along n\n  store y[r, n] = s\n"),
     "does not cross blocks"},
    {"... carried along a loop",
     PRE XY KERNEL("    r = grid\n    n = serial lane(32)\n",
                   "  var c[]: f32 = 0.0\n  for n {\n" LOAD
                   "    s = scan sum(x0) along n carry c\n    store y[r, n] = s\n  }\n"),
     PRE XY KERNEL("    r = grid\n    n = serial lane(32)\n",
                   "  for n {\n" LOAD "    s = scan sum(x0) along n\n    store y[r, n] = s\n  }\n"),
     "needs a carry"},
    {"... by a variable from outside",
     PRE XY KERNEL("    r = grid\n    n = serial lane(32)\n",
                   "  var c[]: f32 = 0.0\n  for n {\n" LOAD
                   "    s = scan sum(x0) along n carry c\n    store y[r, n] = s\n  }\n"),
     PRE XY KERNEL("    r = grid\n    n = serial lane(32)\n",
                   "  for n {\n    var c[]: f32 = 0.0\n" LOAD
                   "    s = scan sum(x0) along n carry c\n    store y[r, n] = s\n  }\n"),
     "anew in each iteration"},
    /* variables */
    {"a variable has what it is assigned",
     PRE XY KERNEL(GRID, LOAD "  var a[n]: f32 = 0.0\n  set a = x0\n  store y[r, n] = a\n"),
     PRE XY KERNEL(GRID, LOAD "  var a[n.lane]: f32 = 0.0\n  set a = x0\n  store y[r, n] = a\n"), "and a does not"},
    /* atomics */
    {"atomics do not depend on order",
     PRE "  in x: f32[M, N]\n  inout y: f32[M]\n" KERNEL(GRID, LOAD "  atomic max y[r] = x0\n"),
     PRE "  in x: f32[M, N]\n  inout y: f32[M]\n" KERNEL(GRID, LOAD "  atomic sum y[r] = x0\n"),
     "depends on their order"},
    {"... but where the program allows that it shows",
     PRE
     "  option atomics = fast\n  in x: f32[M, N]\n  inout y: f32[M]\n" KERNEL(GRID, LOAD "  atomic sum y[r] = x0\n"),
     PRE "  option math = fast\n  in x: f32[M, N]\n  inout y: f32[M]\n" KERNEL(GRID, LOAD "  atomic sum y[r] = x0\n"),
     "option atomics = fast allows it"},
    {"... add once", PRE "  in x: i32[M, N]\n  inout y: i32[M]\n" KERNEL(GRID, LOAD "  atomic sum y[r] = x0\n"),
     PRE "  in x: i32[M, N]\n  inout y: i32[M]\n" KERNEL(GRID, "  atomic sum y[r] = 1\n"),
     "once for each grid of axis n"},
    {"... and start somewhere",
     PRE "  in x: i32[M, N]\n  inout y: i32[M]\n" KERNEL(GRID, LOAD "  atomic min y[r] = x0\n"),
     PRE "  in x: i32[M, N]\n  out y: i32[M]\n" KERNEL(GRID, LOAD "  atomic min y[r] = x0\n"), "nothing to start from"},
    /* sorts */
    {"a sort's keys are integers", SORTED("i32[M, N]", "i32[M * N]", "i32[N + 1]", SCRATCH, "N", "keys"),
     SORTED("f32[M, N]", "i32[M * N]", "i32[N + 1]", SCRATCH, "N", "keys"), "no integers of 8 bits"},
    {"... its results of i32", SORTED("u8[M, N]", "i32[M * N]", "i32[N + 1]", SCRATCH, "N", "keys"),
     SORTED("u8[M, N]", "i64[M * N]", "i32[N + 1]", SCRATCH, "N", "keys"), "no temporary of i32"},
    {"... the order as long as the keys", SORTED("i64[M, N]", "i32[N * M]", "i32[1 + N]", SCRATCH, "N", "keys"),
     SORTED("i64[M, N]", "i32[N]", "i32[N + 1]", SCRATCH, "N", "keys"), "has not M * N elements"},
    {"... the starts one longer than the bound",
     SORTED("i64[M, N]", "i32[M * N]", "i32[2 * N + 1]", SCRATCH, "2 * N", "keys"),
     SORTED("i64[M, N]", "i32[M * N]", "i32[N]", SCRATCH, "N", "keys"), "has not N + 1 elements"},
    {"... scratch as much as it needs", SORTED("i64[M, N]", "i32[M * N]", "i32[N + 1]", SCRATCH, "N", "keys"),
     SORTED("i64[M, N]", "i32[M * N]", "i32[N + 1]", "i32[4 * N * M]", "N", "keys"), "its scratch, has not"},
    {"... four tensors", SORTED("i32[M, N]", "i32[M * N]", "i32[N + 1]", SCRATCH, "N", "keys"),
     SORTED("i32[M, N]", "i32[M * N]", "i32[N + 1]", SCRATCH, "N", "work"), "stands there twice"},
    {"... or three, where keys stand in order", SORTED_AS("_", "i32[0]", "keys ascending"),
     SORTED_AS("order", "i32[0]", "keys ascending"), "is that of their numbers, and not written"},
    {"... whose keys are written before",
     PRE "  in x: i32[M]\n  out y: i32[N + 1]\n" SORT_TEMPS("i32[M]") TO_KEYS SORT "N with work\n" FROM_STARTS,
     PRE "  in x: i32[M]\n  out y: i32[N + 1]\n" SORT_TEMPS("i32[M]") SORT "N with work\n" TO_KEYS FROM_STARTS,
     "keys is read before anything writes it"},
    {"... and its results behind it",
     PRE "  in x: i32[M]\n  out y: i32[N + 1]\n" SORT_TEMPS("i32[M]") TO_KEYS SORT "N with work\n" FROM_STARTS,
     PRE "  in x: i32[M]\n  out y: i32[N + 1]\n" SORT_TEMPS("i32[M]") TO_KEYS FROM_STARTS SORT "N with work\n",
     "starts is read before anything writes it"},
    {"a rank's keys are numbers in rows", RANKED("f16[M, 40]", "i32[M, 40]", "i32[0]", "keys"),
     RANKED("f8e5m2[M, 40]", "i32[M, 40]", "i32[0]", "keys"), "has no rows of floats of 16 bits"},
    {"... its order of i32", RANKED("i8[M, 40]", "i32[M, 4]", "i32[0]", "keys"),
     RANKED("i8[M, 40]", "i64[M, 4]", "i32[0]", "keys"), "no temporary of i32 with the rows of keys"},
    {"... and of the keys' rows", RANKED("i8[M, 40]", "i32[M, 4]", "i32[0]", "keys"),
     RANKED("i8[M, 40]", "i32[N, 4]", "i32[0]", "keys"), "no temporary of i32 with the rows of keys"},
    {"... scratch as much as it needs", RANKED("u8[8, 9000]", "i32[8, 9]", "i32[288]", "keys"),
     RANKED("u8[8, 9000]", "i32[8, 9]", "i32[287]", "keys"), "its scratch, has not"},
    {"... three tensors", RANKED("i32[M, 40]", "i32[M, 40]", "i32[0]", "keys"),
     RANKED("i32[M, 40]", "i32[M, 40]", "i32[0]", "order"), "stands there twice"},
    /* choices */
    {"a choice ends with else", XYW "when M <= 8 {\n" DIRECT "} else {\n" BY_W "}\n",
     XYW "when M <= 8 {\n" DIRECT "}\n", "a choice ends with 'else'"},
    {"... and with nothing after it", XYW "when M <= 8 {\n" DIRECT "} else {\n" BY_W "}\n",
     XYW "when M <= 8 {\n" DIRECT "} else {\n" BY_W "} else {\n" STEP("three", "x", "y") "}\n", "expected 'kernel'"},
    {"its conditions are bool", XYW "when M <= 8 {\n" DIRECT "} else {\n" BY_W "}\n",
     XYW "when M + 8 {\n" DIRECT "} else {\n" BY_W "}\n", "not bool"},
    {"... of dimensions", XYW "  scalar c: f32\nwhen M <= 8 {\n" DIRECT "} else {\n" BY_W "}\n",
     XYW "  scalar c: f32\nwhen c <= 8.0 {\n" DIRECT "} else {\n" BY_W "}\n", "not a bool expression of dimensions"},
    {"... also inside of each other",
     XYW "  scalar c: f32\nwhen M <= 8 {\n" DIRECT "} else {\n" STEP("one", "x", "w") "when N <= 8 {\n" STEP(
         "two", "w", "y") "} else {\n" STEP("three", "w", "y") "}\n}\n",
     XYW "  scalar c: f32\nwhen M <= 8 {\n" DIRECT "} else {\n" STEP("one", "x", "w") "when c <= 8.0 {\n" STEP(
         "two", "w", "y") "} else {\n" STEP("three", "w", "y") "}\n}\n",
     "not a bool expression of dimensions"},
    {"... and of how tensors lie", XYW "when aligned() {\n" DIRECT "} else {\n" BY_W "}\n",
     XYW "when aligned(1) {\n" DIRECT "} else {\n" BY_W "}\n", "'aligned' has no operands"},
    {"outputs are written on every way", XYW "when M <= 8 {\n" DIRECT "} else {\n" BY_W "}\n",
     XYW "when M <= 8 {\n" DIRECT "} else {\n" STEP("one", "x", "w") "}\n",
     "nothing writes the output y on way 2 (else)"},
    {"... or before", XYW STEP("first", "x", "y") "when M <= 8 {\n} else {\n" BY_W "}\n",
     XYW "when M <= 8 {\n} else {\n" BY_W "}\n", "nothing writes the output y on way 1 (when M <= 8)"},
    {"temporaries are written before they are read on every way",
     XYW STEP("one", "x", "w") "when M <= 8 {\n" STEP("two", "w", "y") "} else {\n" STEP("three", "w", "y") "}\n",
     XYW "when M <= 8 {\n" STEP("one", "x", "w") "} else {\n}\n" STEP("two", "w", "y"),
     "w is read before anything writes it on way 2 (else)"},
    {"... where a case before wrote it under the same condition",
     XYW "when M <= 8 {\n" STEP("one", "x", "w") "} else {\n" STEP("two", "x", "w") "}\nwhen M <= 8 {\n" STEP(
         "three", "w", "y") "} else {\n" STEP("four", "w", "y") "}\n",
     XYW "when M <= 8 {\n" STEP("one", "x", "w") "} else {\n}\nwhen M <= 9 {\n" STEP(
         "three", "w", "y") "} else {\n" STEP("four", "x", "y") "}\n",
     "w is read before anything writes it on way 2 (when M <= 9)"},
    {"... or under one that it implies",
     XYW "when M <= 8 {\n" STEP("one", "x", "w") "} else {\n}\nwhen M <= 7 {\n" STEP(
         "three", "w", "y") "} else {\n" STEP("four", "x", "y") "}\n",
     XYW "when M <= 8 {\n" STEP("one", "x", "w") "} else {\n}\nwhen M > 7 {\n" STEP(
         "three", "w", "y") "} else {\n" STEP("four", "x", "y") "}\n",
     "w is read before anything writes it on way 3 (else)"},
    {"atomics start on every way, as they do on what is zeroed",
     PRE "  in x: i32[M]\n  out y: i32[M]\n  temp w: i32[M] zero\nwhen M <= 8 {\n" ROWS(
         "one") "{\n  a = load x[r]\n  atomic max w[r] = a\n}\n" STEP("two", "w", "y") "} else {\n" DIRECT "}\n",
     PRE "  in x: i32[M]\n  out y: i32[M]\n  temp w: i32[M]\nwhen M <= 8 {\n" ROWS(
         "one") "{\n  a = load x[r]\n  atomic max w[r] = a\n}\n" STEP("two", "w", "y") "} else {\n" DIRECT "}\n",
     "nothing to start from: it is neither zeroed nor written before on way 1 (when M <= 8)"},
    {"... by a case of their own",
     PRE "  in x: i32[M]\n  out y: i32[M]\n  temp w: i32[M]\nwhen M <= 8 {\n" STEP("zero", "x", "w") "} else {\n" STEP(
         "start", "x", "w") "}\n" ROWS("one") "{\n  a = load x[r]\n  atomic max w[r] = a\n}\n" STEP("two", "w", "y"),
     PRE
     "  in x: i32[M]\n  out y: i32[M]\n  temp w: i32[M]\nwhen M <= 8 {\n" STEP("zero", "x", "w") "} else {\n}\n" ROWS(
         "one") "{\n  a = load x[r]\n  atomic max w[r] = a\n}\n" STEP("two", "w", "y"),
     "nothing to start from: it is neither zeroed nor written before on way 2 (else)"},
    {"no name stands in two cases", XYW "when M <= 8 {\n" DIRECT "} else {\n" BY_W "}\n",
     XYW "when M <= 8 {\n" DIRECT "} else {\n" DIRECT "}\n", "kernel 'direct' is declared twice"},
    {"some sizes run every kernel",
     XYW "when M <= 8 {\n" DIRECT "} else when M <= 9 {\n" STEP("more", "x", "y") "} else {\n" BY_W "}\n",
     XYW "when M <= 8 {\n" DIRECT "} else when M <= 7 {\n" STEP("more", "x", "y") "} else {\n" BY_W "}\n",
     "no sizes run kernel more"},
    {"a kernel's own conditions are its own",
     XYW "when M <= 8 {\n" DIRECT "} else {\n" ROWS("wide") "{\n  a = load x[r]\n  store y[r] = a\n}\n}\n",
     XYW
     "when M <= 32 {\nkernel k\n  axis r = M\n  layout main\n    r = thread(32)\n{\n  a = load x[r]\n  store y[r] = "
     "a\n}\n} else {\n" BY_W "}\n",
     "does not cover it"},
};

/* What holds of whole programs with choices and has no text short enough for a row: `when` alone, then steps. */
static char *many_choices(Ctx *ctx, int n, bool nested) {
    Text t = {.ctx = ctx};
    text_put(&t, XYW);
    for (int i = 0; i < n; i++) text_fmt(&t, nested ? "when N == %d {\n" : "when N %% %d == 1 {\n} else {\n}\n", i + 2);
    text_put(&t, DIRECT);
    for (int i = 0; i < n && nested; i++)
        text_fmt(&t, "} else {\n" ROWS("k%d") "{\n  a = load x[r]\n  store y[r] = a\n}\n}\n", i);
    return t.s;
}

static void run_case(const char *rule, const char *text, const char *want) {
    char detail[600] = "out of memory";
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) {
        expect(false, rule, detail);
        return;
    }
    const char *why = complaint(ctx, text);
    snprintf(detail, sizeof detail, "%s says '%s'", want ? "the text that breaks it" : "the near miss", why);
    expect(want ? strstr(why, want) != NULL : !*why, rule, detail);
    ctx_free(ctx);
}

static void test_limits(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return;
    run_case("ways are at most 64", many_choices(ctx, 6, false), NULL);
    run_case("ways are at most 64", many_choices(ctx, 7, false), "more than 64 ways through its choices");
    run_case("choices stand in each other 16 deep", many_choices(ctx, 17, true), "more than 16 choices in each other");
    run_case("choices are at most 1024", many_choices(ctx, 1025, false), "more than 1024 choices");
    ctx_free(ctx);
}

int main(void) {
    test_limits();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        run_case(CASES[i].rule, CASES[i].good, NULL);
        run_case(CASES[i].rule, CASES[i].bad, CASES[i].why);
    }
    return test_end();
}
