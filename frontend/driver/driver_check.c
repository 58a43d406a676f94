/* The command check, and what run and bench share with it: building the emitted files in a folder of their own. */
#include "driver.h"

#include "ir/diag.h"
#include "sched/library/product.h"

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

const char *driver_no_gpu(void) {
    const char *nvcc = getenv("NVCC");
    /* the second is that of Linux on Windows */
    if (access("/dev/nvidiactl", F_OK) != 0 && access("/dev/dxg", F_OK) != 0) return "this machine has no NVIDIA GPU";
    if ((nvcc && *nvcc) || in_path("nvcc") || access("/usr/local/cuda/bin/nvcc", X_OK) == 0) return NULL;
    return "nvcc was not found (put it into PATH, or set NVCC)";
}

bool driver_measures(const Job *job) {
    const char *lacks = job->o->place == PLACE_EMU ? NULL : driver_no_gpu();
    if (lacks)
        fprintf(stderr, "tdc: %s measures on a GPU, and %s: run it where the model will run%s\n",
                driver_command_name(job->o->command), lacks,
                job->o->command == COMMAND_BENCH ? "; tdc explain predicts times without one" : "");
    return !lacks;
}

bool driver_fail(const char *what, const Text *why) {
    fprintf(stderr, "tdc: %s: %s\n", what, why->s && *why->s ? why->s : "no reason given");
    return false;
}

bool driver_options_of_check(Job *job, CheckOptions *co) {
    *co = (CheckOptions){.gpu = job->o->place ? job->o->place == PLACE_GPU : !driver_no_gpu(),
                         .home = job->o->home,
                         .cache = check_cache(job->ctx),
                         .exact = job->o->exact ? check_algebra(job->reference, job->o->exact) : (Exact){0},
                         .targets = driver_targets(job->o)};
    const Target first = driver_target(job->o);
    /* The stand-in is the device of the first target, if the environment does not say another. */
    setenv("TD_EMU_DEVICE", sym_fmt(job->ctx, "%d.%d", first.major, first.minor), 0);
    if (!co->home) fputs("tdc: cannot find the folder with backend_cuda/run; set TDC_HOME\n", stderr);
    return co->home != NULL;
}

bool driver_build(Job *job, CheckOptions *co, CheckModel *m) {
    Text why = {.ctx = job->ctx};
    if (!driver_options_of_check(job, co)) return false;
    CheckDir dir;
    if (!check_dir(job->ctx, &dir, &why)) return driver_fail("cannot make a folder", &why);
    const OutFile files[] = {driver_out_file(job, EMIT_CU, sym_fmt(job->ctx, "%s/%s.cu", dir.path, job->stem)),
                             driver_out_file(job, EMIT_C, sym_fmt(job->ctx, "%s/%s.c", dir.path, job->stem)),
                             driver_out_file(job, EMIT_H, sym_fmt(job->ctx, "%s/%s.h", dir.path, job->stem))};
    progress_say(job->progress, "%s: compiling for the %s", job->o->file, co->gpu ? "GPU" : "CPU stand-in");
    bool built =
        driver_files_write(job->ctx, files, 3) && check_build(job->ctx, co, &dir, job->stem, job->prefix, m, &why);
    progress_hide(job->progress);
    if (built) return true;
    driver_fail("cannot build the emitted files", &why);
    check_remove(job->ctx, &dir);
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

static void print_case(const Check *c, const CheckResult *r) {
    print_check(c);
    if (r->sizes) printf(" at %s", r->sizes);
    if (r->inputs) printf(", %s", r->inputs);
}

static void print_noisy(int64_t n) {
    if (n) printf("; %lld element%s only as near as rounding allows", (long long)n, n == 1 ? "" : "s");
}

/* How many outputs were compared in exact algebra, and why others were not. */
static void print_exact(const CheckResult *r) {
    printf(": %d output%s exact", r->exact, r->exact == 1 ? "" : "s");
    if (r->exempt) printf(", %d exempt (%s)", r->exempt, r->exemption);
}

static void print_result(const Check *c, const CheckResult *r) {
    printf(r->skipped ? "skipped " : r->passed ? "ok      " : "FAILED  ");
    print_case(c, r);
    if (r->worst) printf(": error %.2g of %.2g allowed (%s)", r->error, r->tol, r->worst);
    if (r->exact + r->exempt) print_exact(r);
    print_noisy(r->noisy);
    if (r->message) printf(": %s", r->message);
    putchar('\n');
    fflush(stdout);
}

/* One result as a line of JSON; docs/tdc.1 says what its members are. */
static void print_json(Ctx *ctx, const Check *c, const CheckResult *r, InputKind kind) {
    Text t = {.ctx = ctx};
    text_char(&t, '{');
    json_sizes(&t, c);
    text_fmt(&t, ", \"inputs\": \"%s\", \"result\": \"%s\"", check_inputs_name(kind),
             r->skipped  ? "skipped"
             : r->passed ? "passed"
                         : "failed");
    json_member(&t, "at", r->sizes);
    json_member(&t, "drawn", r->inputs);
    if (r->worst) {
        json_member(&t, "output", r->worst);
        text_put(&t, ", \"error\": ");
        json_number(&t, r->error);
        text_put(&t, ", \"allowed\": ");
        json_number(&t, r->tol);
        text_fmt(&t, ", \"rounding\": %lld", (long long)r->noisy);
    }
    if (r->exact + r->exempt) text_fmt(&t, ", \"exact\": %d, \"exempt\": %d", r->exact, r->exempt);
    json_member(&t, "exemption", r->exemption);
    json_member(&t, "message", r->message);
    printf("%s}\n", t.s);
    fflush(stdout);
}

/* What the checks of one entry with one kind of inputs have come to. */
typedef struct Summary {
    Sym entry;
    int left; /* statements of it that have not run */
    int passed, failed;
    int64_t noisy;
    const Check *check; /* the one with the largest error for its tolerance, and its result */
    CheckResult worst;
} Summary;

typedef struct Tally {
    int passed, failed;
    bool decided;
    VEC(Summary) entries; /* of the kind of inputs at hand */
} Tally;

static Summary *summary_of(Ctx *ctx, Tally *t, Sym entry) {
    for (int i = 0; i < t->entries.n; i++)
        if (!strcmp(t->entries.at[i].entry, entry)) return &t->entries.at[i];
    vec_push(ctx, &t->entries, ((Summary){.entry = entry}));
    return &t->entries.at[t->entries.n - 1];
}

static void count(Summary *s, Tally *t, const Check *c, const CheckResult *r) {
    *(r->passed ? &s->passed : &s->failed) += 1;
    *(r->passed ? &t->passed : &t->failed) += 1;
    s->noisy += r->noisy;
    if (!r->worst || (s->check && r->error * s->worst.tol <= s->worst.error * r->tol)) return;
    s->check = c;
    s->worst = *r;
}

static void print_summary(const Summary *s, InputKind kind) {
    printf("%s%s, %s: %d of %d passed", s->failed ? "FAILED  " : "ok      ", s->entry, check_inputs_name(kind),
           s->passed, s->passed + s->failed);
    if (s->check) {
        printf("; largest error %.2g of %.2g allowed (%s), ", s->worst.error, s->worst.tol, s->worst.worst);
        print_case(s->check, &s->worst);
    }
    print_noisy(s->noisy);
    putchar('\n');
    fflush(stdout);
}

/* Why a product of the library has another value in exact algebra than its equation; NULL: it has not. */
static Sym library_exemption(const Job *job, Sym entry) {
    for (int i = 0; i < job->programs.n; i++) {
        const Program *p = job->programs.at[i];
        for (int k = 0; k < p->kernels.n && !strcmp(p->graph->name, entry); k++) {
            const Product *x = p->kernels.at[k]->product;
            if (x && product_inexact(x)) return product_inexact(x);
        }
    }
    return NULL;
}

static void one_check(Job *job, const CheckModel *m, const CheckOptions *co, const Check *c, Tally *t) {
    CheckResult r = {0};
    progress_say(job->progress, "%s: check %d, %s", job->o->file, t->passed + t->failed + 1, c->entry);
    bool done = check_run(job->ctx, job->reference, c, m, co, &r);
    t->decided &= done;
    r.passed &= done;
    if (!r.skipped) count(summary_of(job->ctx, t, c->entry), t, c, &r);
    progress_hide(job->progress);
    bool absent = r.skipped && co->smallest && !r.sizes;
    if (job->o->results_json)
        print_json(job->ctx, c, &r, co->inputs);
    else if (job->o->brief ? !r.skipped && !r.passed : !absent)
        print_result(c, &r);
}

/* A check of another size than -D's has nothing to run: the program is for that size alone. */
static bool skip_other_sizes(Job *job, const Check *c) {
    const Binding *b = driver_contradicts(job, c);
    if (!b) return false;
    progress_hide(job->progress);
    CheckResult r = {.skipped = true,
                     .message = sym_fmt(job->ctx, "-D fixes %s = %lld", b->name, (long long)b->ivalue)};
    if (job->o->results_json)
        print_json(job->ctx, c, &r, INPUTS_NORMAL);
    else
        print_result(c, &r);
    return true;
}

/* All statements with one kind of inputs. A summary is printed when the last statement of its entry has run. */
static void check_kind(Job *job, const CheckModel *m, CheckOptions *co, Tally *t) {
    const Module *mod = job->reference;
    t->entries.n = 0;
    for (int i = 0; i < mod->checks.n; i++)
        if (!mod->checks.at[i].bench && !driver_contradicts(job, &mod->checks.at[i]))
            summary_of(job->ctx, t, mod->checks.at[i].entry)->left++;
    for (int i = 0; i < mod->checks.n; i++) {
        const Check *c = &mod->checks.at[i];
        const Graph *g = check_graph(mod, c->entry);
        if (c->bench || driver_contradicts(job, c)) continue;
        co->exemption = library_exemption(job, c->entry);
        int sizes = job->o->smallest && g ? 2 * g->dims.n : 0;
        for (co->smallest = 0; co->smallest <= sizes; co->smallest++) one_check(job, m, co, c, t);
        Summary *s = summary_of(job->ctx, t, c->entry);
        if (!--s->left && job->o->brief && s->passed + s->failed) print_summary(s, co->inputs);
    }
}

static Exit no_check_left(Job *job, const Module *mod) {
    for (int i = 0; i < mod->checks.n; i++)
        if (!mod->checks.at[i].bench) skip_other_sizes(job, &mod->checks.at[i]);
    fprintf(stderr, "tdc: no check of %s is at the sizes of -D: nothing was checked\n", job->o->file);
    return EXIT_WRONG;
}

Exit driver_check(Job *job) {
    CheckOptions co;
    CheckModel m = {0};
    CheckServer server = {0};
    const Module *mod = job->reference;
    unsigned kinds = job->o->inputs ? job->o->inputs : 1u << INPUTS_NORMAL;
    int checks = 0;
    Tally t = {.decided = true};
    int others = 0; /* at sizes that -D excludes */
    for (int i = 0; i < mod->checks.n; i++) {
        const Check *c = &mod->checks.at[i];
        *(driver_contradicts(job, c) ? &others : &checks) += !c->bench;
    }
    if (!checks && others) return no_check_left(job, mod);
    if (!checks && job->o->results_json) return printf("{\"on\": null, \"passed\": 0, \"failed\": 0}\n"), EXIT_OK;
    if (!checks) return printf("%s has no check statements\n", job->o->file), EXIT_OK;
    if (!driver_build(job, &co, &m)) return EXIT_INTERNAL;
    if (co.gpu) m.server = &server;
    if (!job->o->results_json)
        printf("%s: %d check%s %s\n", job->o->file, checks, checks == 1 ? "" : "s", driver_place(&co));
    fflush(stdout);
    for (int i = 0; i < mod->checks.n; i++)
        if (!mod->checks.at[i].bench) skip_other_sizes(job, &mod->checks.at[i]);
    for (int k = 0; k < INPUTS_COUNT; k++) {
        co.inputs = (InputKind)k;
        if (kinds >> k & 1) check_kind(job, &m, &co, &t);
    }
    check_stop(&m);
    check_remove(job->ctx, &m.dir);
    printf(job->o->results_json ? "{\"on\": \"%s\", \"passed\": %d, \"failed\": %d}\n" : "%.0s%d passed, %d failed\n",
           co.gpu ? "gpu" : "emu", t.passed, t.failed);
    return t.failed ? t.decided ? EXIT_WRONG : EXIT_INTERNAL : EXIT_OK;
}
