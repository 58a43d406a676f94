/* What the language means, by programs that say it of themselves: in tests/language/X.td every output whose name begins
 * with `ok` must be true everywhere, under the reference interpreter, for the inputs of each check statement. That the
 * compiled code gives the same is what `tdc check` says of the same files. */
#include "frontend/check/check.h"
#include "frontend/driver/driver.h"
#include "ir/diag.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;

static void verdict(bool ok, const char *file, const char *entry, const char *what) {
    passed += ok;
    failed += !ok;
    if (!ok) printf("FAILED %s: %s: %s\n", file, entry, what);
}

static Module *module_of(Ctx *ctx, DriverOptions *o, char *path) {
    char *argv[] = {(char *)"tdc", (char *)"check", path, NULL};
    if (!driver_options(ctx, o, 3, argv)) return NULL;
    o->home = ".";
    Job job = {.ctx = ctx, .o = o};
    size_t n = 0;
    char *text = driver_source_read(ctx, path, &n);
    if (!text) return NULL;
    job.file = diag_add_file(ctx, path, text, n);
    if (driver_passes(&job, PASS_SEMA) == EXIT_OK) return job.module;
    Text t = {.ctx = ctx};
    diag_render(ctx, &t, false);
    printf("%s", t.s ? t.s : "");
    return NULL;
}

/* One check statement; counts the outputs that it judges. */
static bool holds(Ctx *ctx, const Graph *g, const Check *c, int *judged, Text *why) {
    int64_t *dims = NEW_N(ctx, int64_t, g->dims.n + 1);
    double *scalars = NEW_N(ctx, double, g->scalars.n + 1);
    int n = g->params.n;
    HostTensor *in = NEW_N(ctx, HostTensor, n + 1);
    InterpValue *out = NEW_N(ctx, InterpValue, n + 1);
    if (!check_bind(g, c, dims, scalars, why)) return false;
    for (int k = 0; k < n; k++) {
        const Tensor *t = g->params.at[k];
        int64_t shape[MAX_RANK], count;
        if (!interp_shape(g, t, dims, shape, &count, why) || !host_tensor(ctx, &in[k], t->type, t->rank, shape))
            return false;
        if (t->kind != TENSOR_OUTPUT &&
            !check_input(g, t, (InputDraw){check_input_spec(c, t->name), 1}, dims, scalars, &in[k], why))
            return false;
    }
    if (!interp_run(ctx, g, &(InterpArgs){dims, scalars, in}, NUDGE_NONE, out, why)) return false;
    for (int k = 0; k < n; k++) {
        if (strncmp(g->params.at[k]->name, "ok", 2) != 0) continue;
        ++*judged;
        for (int64_t i = 0; i < out[k].n; i++)
            if (!out[k].i || !out[k].i[i]) {
                text_fmt(why, "%s is not true at element %lld", g->params.at[k]->name, (long long)i);
                return false;
            }
    }
    return true;
}

static void test_file(char *path) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) exit(1);
    DriverOptions o;
    const Module *m = module_of(ctx, &o, path);
    verdict(m != NULL, path, "", "does not compile");
    for (int i = 0; m && i < m->graphs.n; i++) {
        const Graph *g = m->graphs.at[i];
        int judged = 0;
        for (int k = 0; k < m->checks.n; k++) {
            const Check *c = &m->checks.at[k];
            Text why = {.ctx = ctx};
            if (c->bench || c->error || strcmp(c->entry, g->name) != 0) continue;
            bool ok = holds(ctx, g, c, &judged, &why);
            verdict(ok, path, g->name, why.s ? why.s : "failed");
        }
        verdict(judged > 0 || g->host, path, g->name, "no check judges an output ok...");
    }
    ctx_free(ctx);
}

int main(void) {
    static const char dir_name[] = "tests/language";
    DIR *dir = opendir(dir_name);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        char path[400];
        if (n < 4 || strcmp(e->d_name + n - 3, ".td") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", dir_name, e->d_name);
        test_file(path);
    }
    if (dir) closedir(dir);
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed;
}
