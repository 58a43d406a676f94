/* The commands check and run: builds the emitted files in a folder of their own and calls the entry there. */
#include "driver.h"

#include "check.h"
#include "ir/diag.h"
#include "npy.h"

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

static bool fail(const char *what, const Text *why) {
    fprintf(stderr, "tdc: %s: %s\n", what, why->s && *why->s ? why->s : "no reason given");
    return false;
}

/* The entry's model, compiled and linked; the folder must be removed afterwards. */
static bool build(Job *job, CheckOptions *co, CheckModel *m) {
    Text why = {.ctx = job->ctx};
    *co = (CheckOptions){.gpu = job->o->target ? job->o->target == 2 : has_gpu(), .home = job->o->home};
    if (!co->home) {
        fputs("tdc: cannot find the folder with backend_cuda/run; set TDC_HOME\n", stderr);
        return false;
    }
    Sym dir = check_dir(job->ctx, &why);
    if (!dir) return fail("cannot make a folder", &why);
    m->dir = dir;
    const OutFile files[] = {{sym_fmt(job->ctx, "%s/%s.cu", dir, job->stem), &job->cu},
                             {sym_fmt(job->ctx, "%s/%s.c", dir, job->stem), &job->c},
                             {sym_fmt(job->ctx, "%s/%s.h", dir, job->stem), &job->h}};
    if (files_write(job->ctx, files, 3) && check_build(job->ctx, co, dir, job->stem, job->prefix, m, &why)) return true;
    fail("cannot build the emitted files", &why);
    check_remove(job->ctx, dir);
    return false;
}

static const char *place(const CheckOptions *co) { return co->gpu ? "on the GPU" : "on the CPU stand-in"; }

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
    int passed = 0, failed = 0, checks = 0;
    for (int i = 0; i < mod->checks.n; i++) checks += !mod->checks.at[i].bench;
    if (!checks) {
        printf("%s has no check statements\n", job->o->file);
        return EXIT_OK;
    }
    if (!build(job, &co, &m)) return EXIT_INTERNAL;
    printf("%s: %d check%s %s\n", job->o->file, checks, checks == 1 ? "" : "s", place(&co));
    bool decided = true;
    for (int i = 0; i < mod->checks.n * INPUTS_COUNT; i++) {
        const Check *c = &mod->checks.at[i % mod->checks.n];
        co.inputs = (InputKind)(i / mod->checks.n);
        if (c->bench || !(kinds >> co.inputs & 1)) continue;
        CheckResult r = {0};
        bool done = check_run(job->ctx, mod, c, &m, &co, &r);
        decided &= done;
        r.passed &= done;
        if (!r.skipped) r.passed ? passed++ : failed++;
        print_result(c, &r);
    }
    check_remove(job->ctx, m.dir);
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? decided ? EXIT_WRONG : EXIT_INTERNAL : EXIT_OK;
}

/* ---- run ---- */

static const char *file_of(const NameFile *at, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (!strcmp(at[i].name, name)) return at[i].file;
    return NULL;
}

static Exit bad_input(Job *job, const Tensor *t, const Text *why) {
    diag_report(job->ctx, DIAG_BAD_CHECK, t->span, "input %s: %s", t->name, why->s ? why->s : "cannot be made");
    return EXIT_WRONG;
}

/* Every parameter with its shape; inputs from their files, or seeded as a check draws them. */
static Exit run_tensors(Job *job, const Graph *g, CheckCall *call) {
    Ctx *ctx = job->ctx;
    for (int i = 0; i < call->ntensors; i++) {
        const Tensor *t = interp_param(g, i);
        CheckTensor *c = &call->tensors[i];
        int64_t shape[MAX_RANK], n = 0;
        Text why = {.ctx = ctx};
        if (!interp_shape(g, t, call->dims, shape, &n, &why) || !host_tensor(ctx, &c->host, t->type, t->rank, shape))
            return bad_input(job, t, &why);
        c->kind = t->kind;
        if (t->kind == TENSOR_OUTPUT) continue;
        const char *file = file_of(job->o->in.at, job->o->in.n, t->name);
        if (!file) {
            if (!check_input(g, t, NULL, call->dims, call->scalars, (uint64_t)i + 1, &c->host, n, &why))
                return bad_input(job, t, &why);
            continue;
        }
        HostTensor given;
        if (!npy_read(ctx, file, t->type, &given, &why)) return bad_input(job, t, &why);
        bool same = given.rank == c->host.rank;
        for (int d = 0; same && d < given.rank; d++) same = given.shape[d] == c->host.shape[d];
        if (!same) return text_fmt(&why, "%s has another shape", file), bad_input(job, t, &why);
        c->host = given;
    }
    return EXIT_OK;
}

static void summary(const Tensor *t, const HostTensor *h) {
    bool f = type_is_float(t->type);
    double least = INFINITY, most = -INFINITY, sum = 0;
    int64_t special = 0, finite = 0;
    printf("%s: %s[", t->name, type_name(t->type));
    for (int d = 0; d < h->rank; d++) printf("%s%lld", d ? ", " : "", (long long)h->shape[d]);
    printf("]");
    for (int64_t i = 0; i < h->n; i++) {
        double v = f ? host_float(h, i) : (double)host_int(h, i);
        if (!isfinite(v)) {
            special++;
            continue;
        }
        least = fmin(least, v), most = fmax(most, v), sum += v, finite++;
    }
    if (finite) printf("  least %g, mean %g, most %g", least, sum / (double)finite, most);
    if (special) printf("  (%lld not finite)", (long long)special);
    printf("\n   ");
    for (int64_t i = 0; i < h->n && i < 8; i++) printf(" %g", f ? host_float(h, i) : (double)host_int(h, i));
    printf(h->n > 8 ? " ...\n" : "\n");
}

static Exit run_results(Job *job, const Graph *g, const CheckCall *call) {
    for (int i = 0; i < call->ntensors; i++) {
        const Tensor *t = interp_param(g, i);
        if (t->kind == TENSOR_INPUT) continue;
        summary(t, &call->tensors[i].host);
        const char *file = file_of(job->o->out_files.at, job->o->out_files.n, t->name);
        if (!file) continue;
        Text why = {.ctx = job->ctx};
        if (!npy_write(job->ctx, file, &call->tensors[i].host, &why)) return fail(file, &why), EXIT_INTERNAL;
    }
    return EXIT_OK;
}

static Exit wrong_name(Job *job, const Graph *g, const char *option, const char *name) {
    diag_report(job->ctx, DIAG_UNKNOWN_NAME, g->span, "%s %s: %s has no such parameter", option, name, g->name);
    return EXIT_WRONG;
}

/* --in names an input, --out a result, -D a dimension or a scalar. */
static Exit run_names(Job *job, const Graph *g) {
    const DriverOptions *o = job->o;
    for (int k = 0; k < o->in.n + o->out_files.n; k++) {
        bool in = k < o->in.n, found = false;
        const char *name = in ? o->in.at[k].name : o->out_files.at[k - o->in.n].name;
        for (int i = 0; i < interp_nparams(g); i++) {
            const Tensor *t = interp_param(g, i);
            found |= !strcmp(t->name, name) && t->kind != (in ? TENSOR_OUTPUT : TENSOR_INPUT);
        }
        if (!found) return wrong_name(job, g, in ? "--in" : "--out", name);
    }
    for (int k = 0; k < o->defines.n; k++) {
        bool found = false;
        for (int i = 0; i < g->dims.n; i++) found |= g->dims.at[i]->name == o->defines.at[k].name;
        for (int i = 0; i < g->scalars.n; i++) found |= g->scalars.at[i]->name == o->defines.at[k].name;
        if (!found) return wrong_name(job, g, "-D", o->defines.at[k].name);
    }
    return EXIT_OK;
}

Exit driver_run(Job *job) {
    Ctx *ctx = job->ctx;
    const Graph *g = check_graph(job->reference, sym(ctx, job->o->entry));
    if (!g) {
        diag_report(ctx, DIAG_UNKNOWN_NAME, (Span){job->file, 0, 0}, "no export is named '%s'", job->o->entry);
        return EXIT_WRONG;
    }
    Check c = {.entry = g->name};
    for (int i = 0; i < job->o->defines.n; i++) vec_push(ctx, &c.bindings, job->o->defines.at[i]);
    int64_t *dims = NEW_N(ctx, int64_t, g->dims.n + 1);
    double *scalars = NEW_N(ctx, double, g->scalars.n + 1);
    Text why = {.ctx = ctx};
    Exit e = run_names(job, g);
    if (e != EXIT_OK) return e;
    if (!check_bind(g, &c, dims, scalars, &why)) {
        diag_report(ctx, DIAG_BAD_CHECK, g->span, "%s: %s", g->name, why.s);
        return EXIT_WRONG;
    }
    CheckCall call = {.entry = g->name,
                      .ndims = g->dims.n,
                      .nscalars = g->scalars.n,
                      .ntensors = interp_nparams(g),
                      .dims = dims,
                      .scalars = scalars,
                      .repeats = 1};
    call.tensors = NEW_N(ctx, CheckTensor, call.ntensors + 1);
    e = run_tensors(job, g, &call);
    CheckOptions co;
    CheckModel m = {0};
    if (e != EXIT_OK) return e;
    if (!build(job, &co, &m)) return EXIT_INTERNAL;
    CheckReply r = {0};
    bool ok = check_call(ctx, &co, &m, &call, &r, &why);
    check_remove(ctx, m.dir);
    if (!ok) return fail(g->name, &why), EXIT_INTERNAL;
    if (r.status) {
        fprintf(stderr, "tdc: refused: %s\n", r.message);
        return EXIT_WRONG;
    }
    printf("%s %s\n", g->name, place(&co));
    return run_results(job, g, &call);
}
