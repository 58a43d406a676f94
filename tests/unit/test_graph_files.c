/* Graph texts in tests/graph: each prints as it is written, verifies, and simplifies to its sibling X.simple (UPDATE=1
 * in the environment rewrites it), which verifies, reads back and has the same values under the reference interpreter.
 */
#include "ir/diag.h"
#include "ir/interp/interp.h"
#include "ir/rewrite.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;

static void check(bool ok, const char *file, const char *what, const char *detail) {
    passed += ok;
    failed += !ok;
    if (!ok) printf("FAILED %s: %s\n%s\n", file, what, detail ? detail : "");
}

static char *read_file(Ctx *ctx, const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *b = NEW_N(ctx, char, 1 << 16);
    size_t n = fread(b, 1, (1 << 16) - 1, f);
    fclose(f);
    b[n] = 0;
    return b;
}

static const char *text_of(Ctx *ctx, const Graph *g) {
    Text t = {.ctx = ctx};
    graph_print(&t, g);
    return t.s;
}

static Graph *read_graph(Ctx *ctx, const char *file, const char *text) {
    Graph *g = graph_read(ctx, text, strlen(text), -1);
    Text why = {.ctx = ctx};
    if (!g) diag_render(ctx, &why, false);
    check(g != NULL, file, "read", why.s);
    if (!g) return NULL;
    check(graph_verify(g, &why), file, "verify", why.s);
    check(!strcmp(text_of(ctx, g), text), file, "prints as it is written", text_of(ctx, g));
    return g;
}

static uint32_t rnd = 1;

static uint32_t draw(uint32_t n) {
    rnd = rnd * 1664525 + 1013904223;
    return (rnd >> 10) % n;
}

enum { MAX_DIMS = 16, MAX_PARAMS = 32 };

/* Runs g; the values of all parameters land in r. */
static bool run(Ctx *ctx, const Graph *g, const int64_t *dims, uint32_t seed, InterpValue *r, Text *why) {
    HostTensor params[MAX_PARAMS];
    double scalars[MAX_DIMS];
    rnd = seed;
    for (int i = 0; i < g->scalars.n; i++) scalars[i] = g->scalars.at[i]->def;
    int n = g->params.n;
    for (int i = 0; i < n; i++) {
        const Tensor *t = g->params.at[i];
        int64_t shape[MAX_RANK], size;
        if (!interp_shape(g, t, dims, shape, &size, why)) return false;
        if (!host_tensor(ctx, &params[i], t->type, t->rank, shape)) return false;
        for (int64_t k = 0; k < size && t->kind != TENSOR_OUTPUT; k++)
            if (type_is_float(t->type))
                host_put_float(&params[i], k,
                               draw(20) ? (draw(2000) - 1000.0) / 256
                                        : (double[]){INFINITY, -INFINITY, NAN, 0}[draw(4)]);
            else
                host_put_int(&params[i], k, (int64_t)draw(3));
    }
    return interp_run(ctx, g, &(InterpArgs){dims, scalars, params}, NUDGE_NONE, r, why);
}

static bool near(double a, double b) {
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    return a == b || fabs(a - b) <= 1e-6 * (fabs(a) + fabs(b));
}

/* Both Graphs have the parameters in one order. */
static void compare(Ctx *ctx, const char *file, const Graph *a, const Graph *b) {
    for (uint32_t round = 0; round < 6; round++) {
        int64_t dims[MAX_DIMS];
        for (int i = 0; i < a->dims.n; i++) {
            const Dim *d = a->dims.at[i];
            dims[i] = (d->lo + 1 + (round * 5 + (uint32_t)i) % 7) / d->divisor * d->divisor;
            if (dims[i] < d->lo) dims[i] += d->divisor;
            if (dims[i] > d->hi) dims[i] = d->hi / d->divisor * d->divisor;
        }
        InterpValue x[MAX_PARAMS], y[MAX_PARAMS];
        Text why = {.ctx = ctx};
        bool ok = run(ctx, a, dims, round + 1, x, &why) && run(ctx, b, dims, round + 1, y, &why);
        check(ok, file, "runs", why.s);
        for (int i = 0; ok && i < a->params.n; i++)
            for (int64_t k = 0; k < x[i].n && a->params.at[i]->kind != TENSOR_INPUT; k++)
                ok &= x[i].f ? near(x[i].f[k], y[i].f[k]) : x[i].i[k] == y[i].i[k];
        check(ok, file, "the values stay", NULL);
    }
}

static void test_file(Ctx *ctx, const char *path) {
    const char *text = read_file(ctx, path);
    Graph *g = text ? read_graph(ctx, path, text) : NULL, *simple = g ? read_graph(ctx, path, text) : NULL;
    if (!simple) return;
    graph_simplify(simple);
    const char *got = text_of(ctx, simple), *sibling = sym_fmt(ctx, "%.*s.simple", (int)strlen(path) - 6, path);
    if (getenv("UPDATE") && !strcmp(getenv("UPDATE"), "1")) {
        FILE *f = fopen(sibling, "wb");
        if (f) {
            fputs(got, f);
            fclose(f);
        }
    }
    const char *want = read_file(ctx, sibling);
    check(want && !strcmp(got, want), path, "simplified", got);
    Graph *again = read_graph(ctx, sibling, got);
    if (again) compare(ctx, path, g, again);
    graph_simplify(simple);
    check(!strcmp(got, text_of(ctx, simple)), path, "simplified twice", text_of(ctx, simple));
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

int main(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return 1;
    const char *files[256];
    int n = 0;
    DIR *dir = opendir("tests/graph");
    for (struct dirent *e; dir && (e = readdir(dir)) && n < 256;) {
        size_t len = strlen(e->d_name);
        if (len > 6 && !strcmp(e->d_name + len - 6, ".graph")) files[n++] = sym_fmt(ctx, "tests/graph/%s", e->d_name);
    }
    if (dir) closedir(dir);
    qsort(files, (size_t)n, sizeof *files, by_name);
    for (int i = 0; i < n; i++) test_file(ctx, files[i]);
    check(n > 5, "tests/graph", "too few files", NULL);
    ctx_free(ctx);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
