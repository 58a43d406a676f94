/* The command tune: the products of a model at the sizes at hand, timed by a program of their own
 * (backend_cuda/glue/tuner.in), and the tuning file that keeps what was found; and reading such files. Schedules are
 * tuned by driver_tune_schedules.c. */
#include "frontend/check/check_process.h"
#include "driver.h"

#include "ir/diag.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TUNE_SECONDS = 3600, ADDRESS_BYTES = 16 /* of tensors that lines are for: any allocator gives as much */ };

Exit driver_tuning(Job *job, const char *path, Tuning **t) {
    size_t n = 0;
    int file = -1;
    if (!driver_read_option(job, path, &n, &file)) return EXIT_WRONG;
    *t = tuning_read(job->ctx, file);
    return *t ? EXIT_OK : EXIT_WRONG;
}

/* ---- what is to be timed ---- */

typedef struct Task {
    TuneProduct product;
    Sym where; /* the entry and its sizes */
} Task;

typedef struct Tuner {
    Job *job;
    Tuning *tuning; /* what the file has */
    VEC(Task) tasks;
    TunePlaces places;
} Tuner;

static void add_products(Tuner *x, const Program *p, const int64_t *dims, const double *scalars) {
    const Graph *g = p->graph;
    const Target t = driver_target(x->job->o);
    Text where = {.ctx = x->job->ctx};
    driver_put_sizes(&where, g, dims);
    const Way *way = program_taken(p, dims);
    for (int s = 0; way && s < way->steps.n; s++) {
        Task task = {.where = where.s};
        const Kernel *k = step_kernel(&way->steps.at[s]);
        const Product *m = k ? k->product : NULL;
        bool known = false;
        if (!m || !tuning_describe(g, m, tuning_target(&t), dims, scalars, &task.product)) continue;
        int64_t *align = &task.product.v[TUNE_ALIGN];
        if (*align > ADDRESS_BYTES) *align = ADDRESS_BYTES;
        for (int i = 0; i < x->tasks.n; i++) known |= !tuning_compare(&x->tasks.at[i].product, &task.product);
        if (!known) vec_push(x->job->ctx, &x->tasks, task);
    }
}

static bool wants(const Job *job, TuneWhat what) { return !job->o->only || job->o->only >> what & 1; }

/* At one statement's sizes; NULL: at those of --at and hints alone. */
static bool add_sizes(Tuner *x, int entry, const Check *c) {
    const Program *p = x->job->programs.at[entry];
    TunePlace at = {.entry = entry};
    if (!driver_entry_sizes(x->job, p->graph, c, &x->job->o->at, &at.sizes)) return false;
    if (wants(x->job, TUNE_PRODUCTS)) add_products(x, p, at.sizes.dims, at.sizes.scalars);
    vec_push(x->job->ctx, &x->places, at);
    return true;
}

/* At the sizes of its bench lines, else of its checks. */
static bool add_entry(Tuner *x, int entry) {
    const Module *m = x->job->module;
    const Program *p = x->job->programs.at[entry];
    int statements[2] = {0}, kernels[2] = {0};
    for (int k = 0; k < p->kernels.n; k++) kernels[p->kernels.at[k]->product != NULL]++;
    if (!(kernels[0] && wants(x->job, TUNE_SCHEDULES)) && !(kernels[1] && wants(x->job, TUNE_PRODUCTS))) return true;
    for (int i = 0; i < m->checks.n; i++)
        if (!m->checks.at[i].error && !strcmp(m->checks.at[i].entry, p->graph->name))
            statements[m->checks.at[i].bench]++;
    /* Where lines say at which sizes other entries matter, one without any may have none. */
    if (!statements[0] && !statements[1] && !kernels[1] && m->checks.n && !x->job->o->entry) return true;
    for (int i = 0; i < m->checks.n; i++) {
        const Check *c = &m->checks.at[i];
        if (c->error || strcmp(c->entry, p->graph->name) != 0 || c->bench != (statements[1] > 0)) continue;
        if (!add_sizes(x, entry, c)) return false;
    }
    return statements[0] + statements[1] ? true : add_sizes(x, entry, NULL);
}

/* ---- the program ---- */

/* Its output; NULL after saying why there is none. */
static char *run_program(Tuner *x, const CheckOptions *co, const CheckDir *dir, Text *why) {
    Ctx *ctx = x->job->ctx;
    const GlueOptions opt = {.prefix = "tuner", .header = "tuner.h", .version = TDC_VERSION};
    const int64_t **known = (const int64_t **)NEW_N(ctx, int64_t *, x->tasks.n + 1);
    TuneProduct *at = NEW_N(ctx, TuneProduct, x->tasks.n + 1);
    Text c = {.ctx = ctx}, h = {.ctx = ctx};
    CheckModel m;
    size_t n;
    int status = 0;
    for (int i = 0; i < x->tasks.n; i++) {
        const TuneEntry *e = tuning_find(x->tuning, &x->tasks.at[i].product);
        at[i] = x->tasks.at[i].product;
        known[i] = e ? e->choice : NULL;
    }
    glue_emit_h(&h, NULL, 0, &opt);
    glue_emit_tuner(&c, at, known, x->tasks.n, &opt);
    Sym log = sym_fmt(ctx, "%s/tuned", dir->path);
    if (!file_write(sym_fmt(ctx, "%s/tuner.c", dir->path), c.s, c.n) ||
        !file_write(sym_fmt(ctx, "%s/tuner.h", dir->path), h.s, h.n))
        return text_put(why, "its files cannot be written"), NULL;
    if (!check_build_program(ctx, co, dir, "tuner", &m, why)) return NULL;
    progress_say(x->job->progress, "tuning %d product%s %s", x->tasks.n, x->tasks.n == 1 ? "" : "s", driver_place(co));
    char *argv[] = {(char *)m.program, NULL};
    if (!process_run(argv, log, dir->keeper, TUNE_SECONDS, &status, why)) return NULL;
    char *text = file_read(ctx, log, &n);
    if (status) text_fmt(why, "it ended with status %d\n%s", status, text ? text : "");
    return status ? NULL : text;
}

/* One line of its output: `task I ...` (tuner.in). Says on stdout what was found; false where the line is none. */
static bool take_line(Tuner *x, const char *line, int *tuned) {
    int task = -1, at = 0;
    double base, noise, best;
    unsigned long long version;
    if (sscanf(line, "task %d %n", &task, &at) != 1 || task < 0 || task >= x->tasks.n) return false;
    const Task *t = &x->tasks.at[task];
    Text words = {.ctx = x->job->ctx};
    tuning_print_product(&words, &t->product);
    printf("%s: %s\n", t->where, words.s);
    line += at;
    if (!strncmp(line, "none ", 5)) return printf("   not tuned: %s\n", line + 5), true;
    if (sscanf(line, "%lf %lf %lf %llu%n", &base, &noise, &best, &version, &at) != 4) return false;
    TuneEntry e = {.product = t->product, .span = SPAN_NONE};
    char *end = (char *)line + at;
    int n = 0;
    for (; n < TUNE_CHOICES; n++) {
        const char *from = end;
        e.choice[n] = strtoll(from, &end, 10);
        if (end == from) break;
    }
    printf("   the library's choice %.1f us, noise %.1f", base, noise);
    if (n < TUNE_CHOICES) {
        tuning_remove(x->tuning, &t->product);
        printf(": nothing is faster\n");
        return n == 0;
    }
    words = (Text){.ctx = x->job->ctx};
    tuning_print_choice(&words, e.choice);
    printf("; %s %.1f us (%.3f)\n", words.s, best, best / base);
    e.after = sym_fmt(x->job->ctx, "# %.1f us; the library's own choice %.1f (cublasLt %llu)", best, base, version);
    const TuneEntry *old = tuning_find(x->tuning, &t->product);
    if (!old || memcmp(old->choice, e.choice, sizeof e.choice) != 0) tuning_set(x->tuning, &e);
    ++*tuned;
    return true;
}

/* Whether the file has these bytes: then it keeps its time, and nothing is made again. */
static bool same_bytes(Job *job, const char *path, const Text *t) {
    size_t n = 0;
    const char *old = driver_source_read(job->ctx, path, &n);
    return old && n == t->n && !memcmp(old, t->s, n);
}

/* The products, into x->tuning. */
static Exit time_products(Tuner *x) {
    Job *job = x->job;
    CheckOptions co;
    Text why = {.ctx = job->ctx};
    int tuned = 0, lines = 0;
    if (!driver_options_of_check(job, &co)) return EXIT_INTERNAL;
    CheckDir dir;
    if (!check_dir(job->ctx, &dir, &why)) return driver_fail("cannot make a folder", &why), EXIT_INTERNAL;
    progress_say(job->progress, "%s: building the tuner", job->o->file);
    char *text = run_program(x, &co, &dir, &why);
    progress_hide(job->progress);
    check_remove(job->ctx, &dir);
    if (!text) return driver_fail("the tuner fails", &why), EXIT_INTERNAL;
    for (char *line = text, *next; line && *line; line = next) {
        char *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        if (end) *end = 0;
        lines += take_line(x, line, &tuned);
    }
    if (lines != x->tasks.n)
        return text_put(&why, "it stopped early"), driver_fail("the tuner fails", &why), EXIT_INTERNAL;
    printf("%d product%s %s, %d tuned: %s\n", x->tasks.n, x->tasks.n == 1 ? "" : "s", driver_place(&co), tuned,
           job->o->out);
    fflush(stdout);
    return EXIT_OK;
}

static Exit write_file(Tuner *x) {
    Job *job = x->job;
    Text out = {.ctx = job->ctx};
    tuning_print(&out, x->tuning);
    const OutFile file = {job->o->out, &out, NULL};
    return same_bytes(job, job->o->out, &out) || driver_files_write(job->ctx, &file, 1) ? EXIT_OK : EXIT_INTERNAL;
}

Exit driver_tune(Job *job) {
    Tuner x = {.job = job, .tuning = tuning_new(job->ctx)};
    uint64_t device, inode;
    int groups = 0;
    Exit e = EXIT_OK;
    if (!driver_measures(job)) return EXIT_INTERNAL;
    if (driver_source_identity(job->o->out, &device, &inode)) e = driver_tuning(job, job->o->out, &x.tuning);
    for (int i = 0; e == EXIT_OK && i < job->programs.n; i++) {
        if (job->o->entry && strcmp(job->o->entry, job->programs.at[i]->graph->name) != 0) continue;
        if (!add_entry(&x, i)) return EXIT_WRONG;
    }
    if (e == EXIT_OK && x.tasks.n) e = time_products(&x);
    if (e != EXIT_OK) return e;
    if (wants(job, TUNE_SCHEDULES)) e = driver_tune_schedules(job, x.tuning, &x.places, &groups);
    if (e == EXIT_INTERNAL) return e;
    if (x.tasks.n || groups) {
        const Exit written = write_file(&x);
        return written == EXIT_OK ? e : written;
    }
    printf("%s has nothing to tune%s; nothing is written\n", job->o->file, x.places.n ? " at these sizes" : "");
    return e;
}
