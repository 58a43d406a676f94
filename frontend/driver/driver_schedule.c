/* The passes between Graphs and Programs, which are the steps of sched/search/sched.h, each for all entries; programs
 * that are given as text; and what these passes leave as text. */
#include "driver.h"

#include "ir/diag.h"
#include "sched/kernel/kernel_target.h"
#include "sched/kernel/perf.h"
#include "sched/kernel/same.h"
#include "sched/search/predict.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const PassId passes[SCHED_STEPS] = {
    [SCHED_SORT] = PASS_SORT,           [SCHED_CHUNK] = PASS_CHUNK,     [SCHED_PREPARE] = PASS_PREPARE,
    [SCHED_PARTITION] = PASS_PARTITION, [SCHED_SHARE] = PASS_SHARE,     [SCHED_FUSE] = PASS_FUSE,
    [SCHED_SPLIT] = PASS_SPLIT,         [SCHED_FLATTEN] = PASS_FLATTEN, [SCHED_CHOOSE] = PASS_CHOOSE,
    [SCHED_APPLY] = PASS_APPLY,         [SCHED_PARTS] = PASS_PARTS,     [SCHED_STREAM] = PASS_STREAM};

/* ---- given programs ---- */

/* Reads a program text; a text that is not a legal program is the user's error. */
static Program *read_program(Job *job, const char *text, size_t n, int file) {
    Program *p = program_read(job->ctx, text, n, file);
    Text why = {.ctx = job->ctx};
    if (!p) return NULL;
    if (program_verify(p, &why)) return program_fits(p, driver_targets(job->o)) ? p : NULL;
    diag_report(job->ctx, DIAG_KERNEL_ILLEGAL, (Span){file, 0, 0}, "%s", why.s);
    return NULL;
}

static bool same_type(const Tensor *a, const Tensor *b) {
    return a->name == b->name && a->type == b->type && a->kind == b->kind && a->rank == b->rank;
}

/* Whether a hand-written program has the C interface of the entry that it replaces. */
static bool same_interface(Job *job, const Program *p, const Graph *g, int file) {
    const char *what = NULL;
    for (int i = 0; !what && i < g->params.n; i++)
        if (i >= p->params.n || !same_type(p->params.at[i], g->params.at[i])) what = g->params.at[i]->name;
    if (!what && p->params.n > g->params.n) what = p->params.at[g->params.n]->name;
    for (int i = 0; !what && i < g->dims.n; i++)
        if (i >= p->graph->dims.n || p->graph->dims.at[i]->name != g->dims.at[i]->name) what = g->dims.at[i]->name;
    if (!what && p->graph->dims.n > g->dims.n) what = p->graph->dims.at[g->dims.n]->name;
    for (int i = 0; !what && i < g->scalars.n; i++)
        if (i >= p->graph->scalars.n || p->graph->scalars.at[i]->name != g->scalars.at[i]->name)
            what = g->scalars.at[i]->name;
    if (!what) return true;
    diag_report(job->ctx, DIAG_KERNEL_ILLEGAL, (Span){file, 0, 0},
                "program %s differs from the entry of this name in '%s'", g->name, what);
    return false;
}

/* The program of --kernels takes the place of the scheduler for the entry of its name. */
static Exit take_given(Job *job) {
    size_t n = 0;
    int file = -1;
    if (!job->o->kernels) return EXIT_OK;
    const char *text = driver_read_option(job, job->o->kernels, &n, &file);
    Program *given = text ? read_program(job, text, n, file) : NULL;
    if (!given) return EXIT_WRONG;
    for (int i = 0; i < job->module->graphs.n; i++) {
        if (given->graph->name != job->module->graphs.at[i]->name) continue;
        job->entries.at[i].given = given;
        return same_interface(job, given, job->module->graphs.at[i], file) ? EXIT_OK : EXIT_WRONG;
    }
    diag_report(job->ctx, DIAG_KERNEL_ILLEGAL, (Span){file, 0, 0}, "%s is named '%s'",
                driver_command_builds(job->o->command) && job->o->entry
                    ? "the entry to run is another one: this program"
                    : "no export",
                given->graph->name);
    return EXIT_WRONG;
}

/* The schedules of --schedules; none without it. */
static Exit take_schedules(Job *job) {
    size_t n = 0;
    int file = -1;
    if (!job->o->schedules && !job->schedules) return EXIT_OK;
    if (job->schedules)
        file = diag_add_file(job->ctx, "candidates", job->schedules, strlen(job->schedules));
    else if (!driver_read_option(job, job->o->schedules, &n, &file))
        return EXIT_WRONG;
    job->sched.given = given_read(job->ctx, file);
    return job->sched.given ? EXIT_OK : EXIT_WRONG;
}

/* What was found on the stand-in says nothing of a GPU. */
static bool tuned_for_target(Job *job) {
    const Span at = job->tuning && !job->o->target_emu ? tuning_emulated(job->tuning) : SPAN_NONE;
    if (at.file < 0) return true;
    Diag *d = diag_report(job->ctx, DIAG_TUNING_VALUE, at,
                          "target=emu: a line of the CPU stand-in, whose times are invented");
    diag_help(job->ctx, d, "tune on the GPU: tdc tune %s -o FILE; tests compile it with --target=emu", job->o->file);
    return false;
}

/* ---- the steps ---- */

static void begin(Job *job) {
    bool plans = job->o->dump[PASS_PARTITION] || job->o->dump[PASS_SHARE] || job->o->dump[PASS_SPLIT] ||
                 job->o->dump[PASS_FLATTEN];
    job->sched = (SchedOptions){.targets = driver_targets(job->o),
                                .machine = job->machine,
                                .memo = &job->memo,
                                .library = !job->o->no_library,
                                .reasons = job->o->command == COMMAND_EXPLAIN || plans,
                                .exact = job->o->exact != 0,
                                .keep = true};
    const Target t = driver_target(job->o);
    if (job->tuning && job->tuning->schedules.n) job->sched.tuned = tuned_new(job->ctx, job->tuning, tuning_target(&t));
    for (int i = 0; i < SCHED_STEPS; i++)
        if (job->o->without[passes[i]]) job->sched.without |= 1u << i;
    /* What is tuned are schedules of groups, each of which is to be a kernel. */
    if (job->o->command == COMMAND_TUNE || job->copies.n) job->sched.without |= 1u << SCHED_PARTS;
    for (int i = 0; i < job->module->graphs.n; i++) {
        EntryWork *e = &job->entries.at[i];
        Graph *assumed = job->assumed ? job->assumed->graphs.at[i] : NULL;
        if (!e->given) e->work = sched_begin(job->ctx, job->module->graphs.at[i], &job->sched);
        if (assumed) e->assumed = sched_begin(job->ctx, assumed, &job->sched);
    }
}

static Exit verify(Job *job, PassId pass) {
    Text why = {.ctx = job->ctx};
    for (int i = 0; i < job->entries.n; i++) {
        const EntryWork *e = &job->entries.at[i];
        if ((e->work && !program_verify(e->work->program, &why)) ||
            (e->assumed && !program_verify(e->assumed->program, &why)))
            return driver_internal(job, driver_pass_name(pass), &why);
    }
    return EXIT_OK;
}

/* What check runs are the sizes of its statements: other kernels need not be compiled. */
static void keep_checked(Job *job, Sym entry, const SchedWork *w) {
    const Module *mod = job->module;
    const Graph *g = w->graph;
    const int64_t **at = NEW_N(job->ctx, const int64_t *, mod->checks.n + 1);
    double *scalars = NEW_N(job->ctx, double, g->scalars.n + 1);
    int n = 0;
    for (int i = 0; i < mod->checks.n; i++) {
        const Check *c = &mod->checks.at[i];
        int64_t *dims = NEW_N(job->ctx, int64_t, g->dims.n + 1);
        Text why = {.ctx = job->ctx};
        if (c->bench || strcmp(c->entry, entry) != 0 || driver_contradicts(job, c)) continue;
        if (!check_bind(g, c, dims, scalars, &why)) return; /* the check says so */
        at[n++] = dims;
    }
    program_keep_taken(w->program, at, n);
    sched_keep_used(w->program);
}

/* The smallest sizes are found when it runs. */
static bool keeps_checked(const Job *job) { return job->o->command == COMMAND_CHECK && !job->o->smallest; }

Exit driver_sched_step(Job *job, SchedStep step) {
    int n = job->entries.n;
    for (int i = 0; i < n; i++) {
        EntryWork *e = &job->entries.at[i];
        progress_say(job->progress, "%s: %s %s (%d of %d)", job->o->file, driver_pass_name(passes[step]),
                     job->module->graphs.at[i]->name, i + 1, n);
        if ((e->work && !sched_step(e->work, step)) || (e->assumed && !sched_step(e->assumed, step)))
            return driver_wrong_unless(job, EXIT_INTERNAL);
    }
    if (step == SCHED_CHOOSE && !given_done(job->sched.given)) return EXIT_WRONG;
    /* Once, after the last step that makes programs or changes them. */
    bool last = step == SCHED_STREAM || (step >= SCHED_APPLY && (PassId)job->o->stop_after == passes[step]);
    const Exit e = last ? verify(job, passes[step]) : EXIT_OK;
    if (e != EXIT_OK || step != SCHED_STREAM || !keeps_checked(job)) return e;
    for (int i = 0; i < n; i++) {
        const Sym entry = job->module->graphs.at[i]->name;
        if (job->entries.at[i].work) keep_checked(job, entry, job->entries.at[i].work);
        if (job->entries.at[i].assumed) keep_checked(job, entry, job->entries.at[i].assumed);
    }
    return verify(job, passes[step]); /* all of them were; of those that are left, which tensors may share memory */
}

/* What the first of the steps that is not left out begins with. */
static Exit begin_once(Job *job) {
    if (job->entries.n || job->programs.n) return EXIT_OK;
    Exit e = driver_machine(job);
    if (e == EXIT_OK && job->o->tuning) e = driver_tuning(job, job->o->tuning, &job->tuning);
    if (e != EXIT_OK || !tuned_for_target(job)) return driver_wrong_unless(job, e);
    if (driver_is_kernel_text(job)) {
        size_t n = 0;
        const char *text = diag_file_text(job->ctx, job->file, &n);
        Program *p = read_program(job, text, n, job->file);
        if (!p) return driver_wrong_unless(job, EXIT_WRONG);
        vec_push(job->ctx, &job->programs, p);
        return EXIT_OK;
    }
    if (!job->module->graphs.n) {
        diag_report(job->ctx, DIAG_NO_EXPORT, (Span){job->file, 0, 0},
                    "nothing is exported: there is no entry to compile");
        return EXIT_WRONG;
    }
    for (int i = 0; i < job->module->graphs.n; i++) vec_push(job->ctx, &job->entries, (EntryWork){0});
    e = take_given(job);
    if (e != EXIT_OK) return e;
    begin(job);
    return take_schedules(job);
}

Exit driver_sched_sort(Job *job) {
    Exit e = begin_once(job);
    return e == EXIT_OK ? driver_sched_step(job, SCHED_SORT) : e;
}

Exit driver_sched_chunk(Job *job) {
    Exit e = begin_once(job);
    return e == EXIT_OK ? driver_sched_step(job, SCHED_CHUNK) : e;
}

Exit driver_sched_prepare(Job *job) {
    Exit e = begin_once(job);
    return e == EXIT_OK ? driver_sched_step(job, SCHED_PREPARE) : e;
}

Exit driver_sched_apply(Job *job) {
    Exit r = driver_sched_step(job, SCHED_APPLY);
    for (int i = 0; r == EXIT_OK && i < job->entries.n; i++) {
        const EntryWork *e = &job->entries.at[i];
        Program *p = e->given ? e->given : e->work->program;
        if (e->assumed) {
            p->assumed = e->assumed->program;
            p->assumptions = job->assumptions.at[i];
        }
        /* What is chosen fits the targets; a line of --schedules may ask for more. */
        if (job->sched.given && !program_fits(p, driver_targets(job->o))) r = EXIT_WRONG;
        vec_push(job->ctx, &job->programs, p);
    }
    return r;
}

/* ---- what could be faster ---- */

/* What an entry takes at the sizes where its speed matters. */
typedef struct Usual {
    int64_t *dims;
    double *scalars;
    const Way *way; /* NULL: nothing is known */
    Floor floor;
    double seconds, *each; /* of all steps, and of each of them without the launch */
} Usual;

static Usual usual_of(const Job *job, const Program *p, PredictMemo *memo) {
    const Graph *g = p->graph;
    Usual u = {.dims = NEW_N(job->ctx, int64_t, g->dims.n + 1), .scalars = NEW_N(job->ctx, double, g->scalars.n + 1)};
    Text why = {.ctx = job->ctx};
    driver_usual_sizes(job, g, u.dims, u.scalars);
    const Way *way = driver_fits(g, u.dims, u.scalars, &why) ? program_taken(p, u.dims) : NULL;
    const ExplainAt at = {.dims = u.dims, .scalars = u.scalars};
    if (!way || !predict_floor(p, way, job->machine, &at, &u.floor)) return u;
    u.each = NEW_N(job->ctx, double, way->steps.n + 1);
    u.seconds = predict_way(memo, p, way, job->machine, &at, u.each);
    if (isfinite(u.seconds)) u.way = way;
    return u;
}

/* What -Wperf says of the kernels that take most of the time, and how much that is. */
static void advise_slow(Job *job, const Program *p, const Usual *u) {
    static const double MUCH = 0.2; /* of the entry's time */
    Ctx *ctx = job->ctx;
    const double least = predict_least(&u->floor), times = u->seconds / least;
    const int before = diag_count(ctx);
    Text words = {.ctx = ctx};
    for (int i = 0; i < u->way->steps.n; i++) {
        const Kernel *k = step_kernel(&u->way->steps.at[i]);
        if (k && u->each[i] > MUCH * u->seconds) perf_kernel(p, k, job->machine->target);
    }
    if (diag_count(ctx) == before) return;
    driver_put_sizes(&words, p->graph, u->dims);
    text_fmt(&words, " is predicted to take %.1f us, %.*f times what the machine needs for its %s", u->seconds * 1e6,
             times < 10 ? 1 : 0, times, u->floor.products > u->floor.copy ? "products" : "bytes");
    Diag *d = diag_report(ctx, DIAG_PERF_FAR, p->graph->span, "%s", words.s);
    diag_help(ctx, d, "tdc explain %s %s says which kernels take it", job->o->file, p->graph->name);
}

/* Of all kernels where that is asked for; else of entries that are far from what the machine can do, but to who asks
 * whether results are right. */
static void advise(Job *job, const Program *p, PredictMemo *memo) {
    static const double FAR = 2, WORTH = 10e-6; /* times the least, and seconds more than that */
    enum { MOST_KERNELS = 4096 };               /* of which it is worth the time to predict theirs */
    const bool runs = job->o->command == COMMAND_CHECK || job->o->command == COMMAND_RUN;
    if (job->o->perf) {
        for (int i = 0; i < p->kernels.n; i++) perf_kernel(p, p->kernels.at[i], job->machine->target);
    } else if (!job->o->no_perf && !runs && p->kernels.n <= MOST_KERNELS) {
        const Usual u = usual_of(job, p, memo);
        const double least = predict_least(&u.floor);
        if (!u.way || u.seconds < FAR * least || u.seconds - least < WORTH) return;
        diag_perf(job->ctx, true);
        advise_slow(job, p, &u);
        diag_perf(job->ctx, false);
    }
}

Exit driver_sched_advise(Job *job) {
    PredictMemo memo = {.ctx = job->ctx};
    for (int i = 0; i < job->entries.n; i++)
        if (job->entries.at[i].work) advise(job, job->programs.at[i], &memo);
    return EXIT_OK;
}

Exit driver_sched_same(Job *job) {
    SameMemo same = {0};
    for (int i = 0; i < job->programs.n; i++) {
        if (job->programs.at[i]->assumed) program_same(&same, job->programs.at[i]->assumed);
        program_same(&same, job->programs.at[i]);
    }
    return EXIT_OK;
}

/* ---- as text ---- */

static void print_work(const SchedWork *w, SchedForm form, Text *out) {
    if (!w || w->graph->host) return;
    switch (form) {
    case SCHED_FORM_PREPARED: prepare_print(out, w->prep); break;
    case SCHED_FORM_PLAN: plan_print(out, w->plan); break;
    case SCHED_FORM_SCHEDULES: sched_print(out, w); break;
    }
    print_work(w->other, form, out); /* until both ways have one plan */
}

void driver_sched_print(Job *job, SchedForm form, Text *out) {
    for (int i = 0; i < job->entries.n; i++) {
        print_work(job->entries.at[i].work, form, out);
        print_work(job->entries.at[i].assumed, form, out);
    }
}
