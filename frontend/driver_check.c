/* The command check, and what run shares with it: building the emitted files in a folder of their own. */
#include "driver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool in_path(const char *program) {
    const char *path = getenv("PATH");
    char file[4096];
    for (const char *s = path ? path : ""; *s;) {
        size_t n = strcspn(s, ":");
        int w = snprintf(file, sizeof file, "%.*s/%s", (int)n, s, program);
        if (w > 0 && (size_t)w < sizeof file && access(file, X_OK) == 0) return true;
        s += n;
        if (*s) s++;
    }
    return false;
}

/* Whether this machine has a GPU and a compiler for it. */
static bool has_gpu(void) {
    return access("/dev/nvidiactl", F_OK) == 0 && (in_path("nvcc") || access("/usr/local/cuda/bin/nvcc", X_OK) == 0);
}

bool driver_fail(const char *what, const Text *why) {
    fprintf(stderr, "tdc: %s: %s\n", what, why->s && *why->s ? why->s : "no reason given");
    return false;
}

bool driver_build(Job *job, CheckOptions *co, CheckModel *m) {
    Text why = {.ctx = job->ctx};
    *co = (CheckOptions){.gpu = job->o->place ? job->o->place == PLACE_GPU : has_gpu(), .home = job->o->home};
    if (!co->home) {
        fputs("tdc: cannot find the folder with backend_cuda/run; set TDC_HOME\n", stderr);
        return false;
    }
    Sym dir = check_dir(job->ctx, &why);
    if (!dir) return driver_fail("cannot make a folder", &why);
    m->dir = dir;
    const OutFile files[] = {{sym_fmt(job->ctx, "%s/%s.cu", dir, job->stem), &job->out[EMIT_CU]},
                             {sym_fmt(job->ctx, "%s/%s.c", dir, job->stem), &job->out[EMIT_C]},
                             {sym_fmt(job->ctx, "%s/%s.h", dir, job->stem), &job->out[EMIT_H]}};
    progress_say(job->progress, "%s: compiling for the %s", job->o->file, co->gpu ? "GPU" : "CPU stand-in");
    bool built = files_write(job->ctx, files, 3) && check_build(job->ctx, co, dir, job->stem, job->prefix, m, &why);
    progress_hide(job->progress);
    if (built) return true;
    driver_fail("cannot build the emitted files", &why);
    check_remove(job->ctx, dir);
    return false;
}

const char *driver_place(const CheckOptions *co) { return co->gpu ? "on the GPU" : "on the CPU stand-in"; }

static void print_check(const Check *c) {
    printf("%s(", c->entry);
    for (int i = 0; i < c->bindings.n; i++) {
        const Binding *b = &c->bindings.at[i];
        bool whole = b->value == (double)b->ivalue;
        if (whole)
            printf("%s%s = %lld", i ? ", " : "", b->name, (long long)b->ivalue);
        else
            printf("%s%s = %g", i ? ", " : "", b->name, b->value);
    }
    putchar(')');
}

static void print_result(const Check *c, const CheckResult *r) {
    printf(r->skipped ? "skipped " : r->passed ? "ok      " : "FAILED  ");
    print_check(c);
    if (r->inputs) printf(", %s", r->inputs);
    if (r->worst) printf(": error %.2g of %.2g allowed (%s)", r->error, r->tol, r->worst);
    if (r->message) printf(": %s", r->message);
    putchar('\n');
    fflush(stdout);
}

Exit driver_check(Job *job) {
    CheckOptions co;
    CheckModel m = {0};
    const Module *mod = job->reference;
    unsigned kinds = job->o->inputs ? job->o->inputs : 1u << INPUTS_NORMAL;
    int passed = 0, failed = 0, checks = 0, runs = 0, nth = 0;
    for (int i = 0; i < mod->checks.n; i++) checks += !mod->checks.at[i].bench;
    if (!checks) {
        printf("%s has no check statements\n", job->o->file);
        return EXIT_OK;
    }
    if (!driver_build(job, &co, &m)) return EXIT_INTERNAL;
    printf("%s: %d check%s %s\n", job->o->file, checks, checks == 1 ? "" : "s", driver_place(&co));
    for (int k = 0; k < INPUTS_COUNT; k++) runs += kinds >> k & 1 ? checks : 0;
    bool decided = true;
    for (int i = 0; i < mod->checks.n * INPUTS_COUNT; i++) {
        const Check *c = &mod->checks.at[i % mod->checks.n];
        co.inputs = (InputKind)(i / mod->checks.n);
        if (c->bench || !(kinds >> co.inputs & 1)) continue;
        CheckResult r = {0};
        progress_say(job->progress, "%s: check %d of %d, %s", job->o->file, ++nth, runs, c->entry);
        bool done = check_run(job->ctx, mod, c, &m, &co, &r);
        decided &= done;
        r.passed &= done;
        if (!r.skipped) r.passed ? passed++ : failed++;
        progress_hide(job->progress);
        print_result(c, &r);
    }
    check_remove(job->ctx, m.dir);
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? decided ? EXIT_WRONG : EXIT_INTERNAL : EXIT_OK;
}
