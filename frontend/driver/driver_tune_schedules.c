/* The command tune, of schedules: for each group of equations that is a kernel at the sizes at hand, the schedule that
 * was chosen and others, in entries that differ in nothing else. Each is compared with the reference interpreter, then
 * timed, by turns with the chosen one. What is quicker by more than the noise becomes a line of a tuning file. */
#include "driver.h"

#include "ir/diag.h"
#include "sched/search/predict.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_CANDIDATES = 9, /* of a program, beside what was chosen */
    MOST_NEAR = 7,       /* of them, one move away from the best */
    ROUNDS = 3,          /* programs: the judge's best, then what is near the best of those twice */
    SWEEPS = 3,          /* times that each is timed */
    COPY = 1 << 12,      /* bytes of the copy that is timed beside a call, and of no interest here */
    MOST_SECONDS = 60,   /* of a call that is compared or timed */
    LEFT = 3,            /* candidates that are timed more than once */
    CLOSE_CHECKS = 6,    /* sizes near those at hand at which each is compared, beside a small one */
    CLOSE_ELEMENTS = 1 << 16
};
static const double LEAST_GAIN = 0.015; /* of the time: less is noise */
static const double BAND = 1.5;         /* times the length at which a schedule was measured, for which it is used */

/* One schedule of the group at hand. */
typedef struct Candidate {
    Version v;
    double predicted;     /* seconds */
    double us[SWEEPS];    /* of the entry */
    double ratio[SWEEPS]; /* to what was chosen, timed just before */
    bool right, timed;
} Candidate;

/* A group at lengths. */
typedef struct Task {
    const TunePlace *place;
    Group *gr;
    int group; /* its number in the plan */
    Version chosen;
    TuneSchedule line;                          /* machine, form and at */
    bool better;                                /* v is quicker than what was chosen */
    Version v;                                  /* the best, or what was chosen */
    double base, best;                          /* microseconds of the entry */
    int64_t most[MAX_TOGETHER][MAX_GROUP_AXES]; /* as given_version says of v */
} Task;

typedef struct Tuner {
    Job *job;
    Tuning *tuning;
    Sym device; /* the name of that which timed; NULL: none has */
    VEC(Task) tasks;
    int candidates, failed, wrong, better;
    double gains; /* the sum of their logarithms */
} Tuner;

/* ---- what there is ---- */

/* The version of a group that the sizes take: whose first kernel is on the way. */
static const Version *taken(const Versions *v, const Way *way) {
    for (int i = 0; i < v->n; i++)
        for (int s = 0; s < way->steps.n; s++) {
            const Kernel *k = step_kernel(&way->steps.at[s]);
            for (int j = 0; k && j < k->parts.n; j++)
                if (k->parts.at[j]->group == v->at[i].group[0] && k->parts.at[j]->schedule == v->at[i].schedule[0])
                    return &v->at[i];
        }
    return NULL;
}

static void add_group(Tuner *x, const TunePlace *at, const SchedWork *w, int i, const Version *v) {
    Group *gr = w->plan->groups.at[i];
    const Target target = driver_target(x->job->o);
    Task t = {.place = at, .gr = gr, .group = i, .chosen = *v, .v = *v};
    t.chosen.when = t.v.when = NULL;
    t.line = (TuneSchedule){.machine = tuning_target(&target), .form = tuned_form(gr), .naxes = gr->axes.n};
    t.line.span = SPAN_NONE;
    for (int a = 0; a < gr->axes.n; a++) {
        t.line.at[a] = points_length(&gr->axes.at[a], at->sizes.dims);
        if (!t.line.at[a]) return; /* there is nothing to compute */
    }
    for (int k = 0; k < x->tasks.n; k++)
        if (!tuning_compare_schedules(&x->tasks.at[k].line, &t.line)) return;
    vec_push(x->job->ctx, &x->tasks, t);
}

static void add_place(Tuner *x, const TunePlace *at) {
    const SchedWork *w = x->job->entries.at[at->entry].work;
    const Program *p = x->job->programs.at[at->entry];
    const Way *way = program_taken(p, at->sizes.dims);
    for (int i = 0; way && w && w->plan && w->versions && i < w->plan->groups.n; i++) {
        const Group *gr = w->plan->groups.at[i];
        const Version *v = gr->product || !gr->axes.n ? NULL : taken(&w->versions[i], way);
        if (v) add_group(x, at, w, i, v);
    }
}

/* ---- candidates ---- */

typedef VEC(Candidate) Candidates;

static bool same_version(const Version *a, const Version *b) {
    bool same = a->n == b->n;
    for (int k = 0; k < a->n && same; k++)
        same = a->group[k] == b->group[k] && schedule_equal(a->schedule[k], b->schedule[k]);
    return same;
}

static void add(Tuner *x, Candidates *all, const Version *v, double predicted) {
    for (int i = 0; i < all->n; i++)
        if (same_version(&all->at[i].v, v)) return;
    vec_push(x->job->ctx, all, ((Candidate){.v = *v, .predicted = predicted}));
}

static double predicted(const Tuner *x, const Version *v, const Task *t, double otherwise) {
    const double s = versions_seconds(v, x->job->machine, t->place->sizes.dims);
    return isfinite(s) ? s : otherwise;
}

/* The schedule that the file has for this. */
static void add_known(Tuner *x, const Task *t, Candidates *all, double otherwise) {
    const TuneSchedule *line = tuning_find_schedule(x->tuning, &t->line);
    GivenTexts texts = {.n = line ? line->n : 0, .numbered = true};
    const SchedLimits limits = versions_limits(driver_targets(x->job->o));
    int64_t most[MAX_TOGETHER][MAX_GROUP_AXES];
    GivenFault fault;
    Version v;
    for (int k = 0; k < texts.n; k++) texts.text[k] = line->text[k];
    if (!texts.n || !given_version(t->gr, &texts, &v, most, &fault)) return;
    for (int k = 0; k < v.n; k++)
        if (!sched_legal(v.group[k], v.schedule[k], &limits, most[k], NULL)) return;
    for (int a = 0; a < t->gr->axes.n; a++)
        if (t->line.at[a] > most[0][a]) return;
    add(x, all, &v, predicted(x, &v, t, otherwise));
}

/* What was chosen, then the others of a round. */
static Candidates candidates_of(Tuner *x, const Task *t, int round) {
    Candidates all = {0};
    Version v[MOST_CANDIDATES];
    double seconds[MOST_CANDIDATES];
    const Targets targets = driver_targets(x->job->o);
    const int64_t *dims = t->place->sizes.dims;
    const int n = round ? versions_near(&t->v, targets, x->job->machine, dims, MOST_NEAR, v, seconds)
                        : versions_best(t->gr, targets, x->job->machine, dims, MOST_CANDIDATES - 1, v, seconds);
    const double otherwise = n ? seconds[0] : 1e-6;
    add(x, &all, &t->chosen, predicted(x, &t->chosen, t, otherwise));
    if (round) add(x, &all, &t->v, predicted(x, &t->v, t, otherwise));
    if (!round) add_known(x, t, &all, otherwise);
    for (int i = 0; i < n; i++) add(x, &all, &v[i], seconds[i]);
    return all;
}

static void put_version(Text *out, const Version *v) {
    for (int k = 0; k < v->n; k++) {
        text_put(out, k ? " | " : "");
        schedule_print(out, v->group[k], v->schedule[k]);
    }
}

/* ---- a program of them ---- */

/* An entry once for each candidate, compiled together. */
typedef struct Batch {
    Job job;
    DriverOptions o;
    CheckOptions co;
    CheckModel m;
    CheckServer server;
    Sym device; /* the name of that which timed them; NULL: none has */
} Batch;

/* The schedules of all groups of the entry, with the candidate's. */
static void print_schedules(Text *out, const SchedWork *w, const Task *t, const Version *v, Sym name) {
    Graph g = *w->graph;
    SchedWork copy = *w;
    g.name = name;
    copy.graph = &g;
    copy.versions = NEW_N(w->ctx, Versions, w->plan->groups.n + 1);
    memcpy(copy.versions, w->versions, sizeof *copy.versions * (size_t)w->plan->groups.n);
    copy.versions[t->group] = versions_room(w->ctx, 1);
    copy.versions[t->group].at[copy.versions[t->group].n++] = *v;
    sched_print(out, &copy);
}

static void close_batch(Batch *b) {
    check_stop(&b->m);
    if (b->m.dir.path) check_remove(b->job.ctx, &b->m.dir);
    for (int i = 0; i < EMIT_COUNT; i++) spool_close(&b->job.middle[i]);
    ctx_temp_end(b->job.ctx);
}

/* False after saying on stderr why it cannot be built. */
static bool open_batch(Tuner *x, const Task *t, const Candidates *all, Batch *b) {
    const Job *job = x->job;
    const SchedWork *w = job->entries.at[t->place->entry].work;
    Ctx *temp = ctx_temp(job->ctx);
    Text schedules = {.ctx = temp};
    *b = (Batch){.o = *job->o};
    b->o.command = COMMAND_BENCH;
    b->o.entry = NULL;
    b->o.emit = 1u << EMIT_CU | 1u << EMIT_C | 1u << EMIT_H;
    b->o.time_passes = b->o.perf = b->o.debug_checks = false;
    memset(b->o.dump, 0, sizeof b->o.dump);
    b->job = (Job){.ctx = temp,
                   .o = &b->o,
                   .file = job->file,
                   .progress = job->progress,
                   .prefix = "candidates",
                   .stem = "candidates",
                   .copy_of = w->graph->name};
    for (int i = 0; i < EMIT_COUNT; i++) {
        b->job.out[i].ctx = temp;
        b->job.middle[i] = spool_new(temp, ".");
    }
    for (int i = 0; i < all->n; i++) {
        const Sym name = sym_fmt(temp, "%s_candidate%d", w->graph->name, i);
        vec_push(temp, &b->job.copies, name);
        print_schedules(&schedules, w, t, &all->at[i].v, name);
    }
    b->job.schedules = schedules.s;
    if (driver_passes(&b->job, PASS_COUNT - 1) == EXIT_OK && driver_build(&b->job, &b->co, &b->m)) {
        if (b->co.gpu) b->m.server = &b->server;
        b->co.timeout_s = MOST_SECONDS;
        return true;
    }
    close_batch(b);
    return false;
}

/* The same; where they cannot be built together, those that cannot be built alone are left out. */
static bool open_fitting(Tuner *x, const Task *t, Candidates *all, Batch *b) {
    int n = 0;
    if (open_batch(x, t, all, b)) return true;
    for (int i = 0; i < all->n; i++) {
        Candidates one = {.at = &all->at[i], .n = 1};
        const bool fits = open_batch(x, t, &one, b);
        if (fits) close_batch(b);
        if (!fits && !i) return false;
        if (fits) all->at[n++] = all->at[i];
    }
    const bool fewer = n < all->n;
    all->n = n;
    return fewer && n > 1 && open_batch(x, t, all, b);
}

/* ---- right first ---- */

/* The statement with another length of a dimension; false where the entry does not take it, or it is too much. */
static bool with_length(const Batch *b, const Graph *g, const Check *from, int d, int64_t v, Check *out) {
    Ctx *ctx = b->job.ctx;
    int64_t *dims = NEW_N(ctx, int64_t, g->dims.n + 1);
    double *scalars = NEW_N(ctx, double, g->scalars.n + 1);
    Text why = {.ctx = ctx};
    *out = *from;
    memset(&out->bindings, 0, sizeof out->bindings);
    for (int i = 0; i < from->bindings.n; i++) {
        Binding at = from->bindings.at[i];
        if (!strcmp(at.name, g->dims.at[d]->name)) at.value = (double)v, at.ivalue = v;
        vec_push(ctx, &out->bindings, at);
    }
    const int64_t n = check_elements(ctx, g, out);
    return n >= 0 && n <= CLOSE_ELEMENTS && check_bind(g, out, dims, scalars, &why) &&
           driver_fits(g, dims, scalars, &why);
}

/* A small size, and those at which one length is that at hand, or the odd one before it, and the others are small. */
static int find_checks(const Batch *b, const Task *t, Check *out) {
    const Module *m = b->job.reference;
    const Graph *g = m->graphs.at[0];
    const EntrySizes *at = &t->place->sizes;
    int n = 0;
    n += driver_small_check(&b->job, m, g, b->job.copy_of, &at->at, &out[n]);
    Check small = at->at;
    small.bench = false;
    memset(&small.bindings, 0, sizeof small.bindings);
    for (int i = 0; i < at->at.bindings.n; i++) vec_push(b->job.ctx, &small.bindings, at->at.bindings.at[i]);
    check_shrink(b->job.ctx, g, &small);
    for (int d = 0; d < g->dims.n; d++)
        for (int odd = 0; odd < 2 && n <= CLOSE_CHECKS; odd++) {
            const int64_t v = odd ? (at->dims[d] - 2) | 1 : at->dims[d];
            n += v > 0 && with_length(b, g, &small, d, v, &out[n]);
        }
    return n;
}

/* Whether a candidate gives what the reference interpreter gives. One that is not compared at all is not right. */
static bool is_right(Tuner *x, const Batch *b, const Task *t, Candidate *c, int number) {
    Check checks[CLOSE_CHECKS + 1];
    const int n = find_checks(b, t, checks);
    bool compared = false;
    for (int i = 0; i < n; i++) {
        Text words = {.ctx = b->job.ctx};
        CheckResult r = {0};
        checks[i].entry = b->job.copies.at[number];
        const bool ran = check_run(b->job.ctx, b->job.reference, &checks[i], &b->m, &b->co, &r);
        compared |= ran && r.passed;
        if (ran && (r.passed || r.uncalled)) continue;
        put_version(&words, &c->v);
        progress_hide(x->job->progress);
        printf("   %s: %s: %s\n", r.worst ? "WRONG" : "FAILED", words.s, r.message ? r.message : "it cannot be run");
        x->wrong += r.worst != NULL;
        return false;
    }
    return compared;
}

/* ---- times ---- */

/* The stand-in's: what is predicted, made quicker or slower by what the schedule is, so that something is found. */
static double invented(const Candidate *c) {
    uint64_t h = 0;
    for (int k = 0; k < c->v.n; k++) h = h * 31 + schedule_hash(c->v.schedule[k]);
    return c->predicted * 1e6 * (0.8 + 0.4 * (double)(h % 1000) / 1000);
}

/* Microseconds of the entry with a candidate; INFINITY: it cannot be timed. */
static double time_one(Batch *b, const Task *t, const Candidate *c, int number) {
    CheckResult r = {0};
    Check at = t->place->sizes.at;
    if (!b->co.gpu) return invented(c);
    at.entry = b->job.copies.at[number];
    check_bench(b->job.ctx, b->job.reference, &at, &b->m, &b->co, COPY, &r);
    if (r.times.on.name) b->device = r.times.on.name;
    return r.passed && r.times.call.median > 0 ? r.times.call.median : INFINITY;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(const double *v, int n) {
    double sorted[SWEEPS];
    memcpy(sorted, v, sizeof *v * (size_t)n);
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    return sorted[n / 2];
}

/* Those that are not among the few quickest of the first sweep are timed no more. */
static void leave_quickest(Candidates *all) {
    for (int i = 1; i < all->n; i++) {
        int quicker = 0;
        for (int k = 1; k < all->n; k++)
            quicker += all->at[k].timed && (all->at[k].ratio[0] < all->at[i].ratio[0] ||
                                            (all->at[k].ratio[0] <= all->at[i].ratio[0] && k < i));
        all->at[i].right &= quicker < LEFT;
    }
}

/* Times what is right by turns with what was chosen, which is the first. The spread of that one's times, as a part. */
static double time_all(Batch *b, const Task *t, Candidates *all) {
    double least = INFINITY, most = 0, *bases = NEW_N(b->job.ctx, double, SWEEPS * all->n + 1);
    int nbases = 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int i = 1; i < all->n; i++) {
            Candidate *c = &all->at[i];
            if (!c->right) continue;
            const double base = bases[nbases++] = time_one(b, t, &all->at[0], 0);
            c->us[sweep] = time_one(b, t, c, i);
            c->ratio[sweep] = c->us[sweep] / base;
            c->right = isfinite(c->ratio[sweep]);
            c->timed = c->right;
            least = fmin(least, base);
            most = fmax(most, base);
        }
        if (!sweep) leave_quickest(all);
    }
    if (nbases) qsort(bases, (size_t)nbases, sizeof *bases, by_size);
    if (nbases) all->at[0].us[0] = bases[nbases / 2];
    return nbases ? (most - least) / bases[nbases / 2] : 0;
}

/* ---- a group ---- */

/* Builds, compares and times; the best becomes t->v. False where nothing new was better. */
static bool try_round(Tuner *x, Task *t, int round, double *noise) {
    Candidates all = candidates_of(x, t, round);
    Batch b;
    if (all.n < 2) return false;
    progress_say(x->job->progress, "%s: %s, round %d of %d, %d candidates", x->job->o->file, t->gr->name, round + 1,
                 ROUNDS, all.n - 1);
    const int tried = all.n - 1 - (round && !same_version(&t->v, &t->chosen));
    x->candidates += tried;
    x->failed += tried;
    if (!open_fitting(x, t, &all, &b)) return false;
    for (int i = 0; i < all.n; i++) {
        progress_say(x->job->progress, "%s: %s, comparing %d of %d", x->job->o->file, t->gr->name, i + 1, all.n);
        all.at[i].right = is_right(x, &b, t, &all.at[i], i);
    }
    progress_say(x->job->progress, "%s: %s, timing", x->job->o->file, t->gr->name);
    *noise = fmax(LEAST_GAIN, all.at[0].right ? time_all(&b, t, &all) : 0);
    const Candidate *best = NULL;
    double least = 1 - *noise;
    for (int i = 1; i < all.n && all.at[0].right; i++) {
        x->failed -= all.at[i].timed && !(round && same_version(&all.at[i].v, &t->v));
        if (!all.at[i].right || median(all.at[i].ratio, SWEEPS) >= least) continue;
        best = &all.at[i];
        least = median(best->ratio, SWEEPS);
    }
    if (all.at[0].us[0] > 0) t->base = all.at[0].us[0];
    if (b.device) x->device = b.device;
    close_batch(&b);
    progress_hide(x->job->progress);
    const bool found = best && !same_version(&best->v, &t->v);
    if (best) t->v = best->v, t->best = least * t->base;
    t->better = best != NULL;
    if (!best) t->v = t->chosen;
    return found;
}

static void tune_group(Tuner *x, Task *t) {
    const Graph *g = x->job->programs.at[t->place->entry]->graph;
    Text where = {.ctx = x->job->ctx}, words = {.ctx = x->job->ctx};
    double noise = 0;
    driver_put_sizes(&where, g, t->place->sizes.dims);
    printf("%s: %s\n", where.s, t->gr->name);
    fflush(stdout);
    for (int round = 0; round < ROUNDS && (try_round(x, t, round, &noise) || !round); round++) {
    }
    if (t->base > 0) printf("   tdc's choice %.1f us, noise %.1f %%", t->base, noise * 100);
    if (t->better) {
        put_version(&words, &t->v);
        printf("; %.1f us (%.3f): %s\n", t->best, t->best / t->base, words.s);
        x->better++;
        x->gains += log(t->base / t->best);
    } else {
        printf(t->base > 0 ? ": nothing is faster\n" : "   not tuned: no other schedule can be timed\n");
    }
    fflush(stdout);
}

/* ---- lines ---- */

static int64_t up(double v) { return v < 9e18 ? (int64_t)ceil(v) : INT64_MAX; }

/* Whether rows along an axis are multiples of the widest access, or of the schedule's vectors, decides about it. */
static int divisor_of(const Task *t, int a) {
    int most = 1;
    for (int i = 0; i < t->gr->rows.n; i++)
        if (t->gr->rows.at[i].axis == a && group_row_wide(&t->gr->rows.at[i]) > most)
            most = group_row_wide(&t->gr->rows.at[i]);
    const SFactor *vec = schedule_find(t->v.schedule[0], a, BIND_VEC);
    if (most == 1 && vec && t->line.at[a] % vec->size == 0) most = vec->size;
    return most;
}

/* The lengths for which a schedule is used that was measured at some: these alone where they are fixed, else those
 * near them, multiples of a vector where they are. */
static void find_lengths(Task *t) {
    for (int a = 0; a < t->gr->axes.n; a++) {
        const int64_t at = t->line.at[a];
        TuneLength *l = &t->line.length[a];
        *l = (TuneLength){.hi = INT64_MAX, .divisor = 1};
        if (t->gr->axes.at[a].extent >= 0) {
            l->lo = l->hi = at;
        } else if (versions_testable(t->gr) >> a & 1) {
            l->lo = up((double)at / BAND);
            l->hi = up((double)at * BAND + 0.5) - 1;
            if (l->hi > t->most[0][a]) l->hi = t->most[0][a];
            l->divisor = divisor_of(t, a);
            l->multiple = l->divisor > 1 && at % l->divisor == 0;
        }
    }
}

/* Between two that were measured at different lengths and have different schedules, each is used up to half way, in the
 * logarithm, along the axis in which they differ most. */
static void part(TuneSchedule *l, const int64_t *other) {
    int axis = -1;
    double most = 0;
    for (int a = 0; a < l->naxes; a++) {
        const double by = fabs(log((double)(l->at[a] ? l->at[a] : 1) / (double)(other[a] ? other[a] : 1)));
        if (l->length[a].lo < l->length[a].hi && by > most) most = by, axis = a;
    }
    if (axis < 0) return;
    TuneLength *x = &l->length[axis];
    if ((x->divisor > 1) && (other[axis] % x->divisor == 0) != x->multiple) return; /* they never meet */
    const int64_t half = (int64_t)sqrt((double)l->at[axis] * (double)other[axis]);
    if (other[axis] > l->at[axis] && half < x->hi) x->hi = half;
    if (other[axis] < l->at[axis] && half + 1 > x->lo) x->lo = half + 1;
}

static bool same_texts(const TuneSchedule *a, const TuneSchedule *b) {
    bool same = a->n == b->n;
    for (int k = 0; k < a->n && same; k++) same = !strcmp(a->text[k], b->text[k]);
    return same;
}

static bool same_form(const TuneSchedule *a, const TuneSchedule *b) {
    return a->machine == b->machine && a->form == b->form && a->naxes == b->naxes;
}

/* What the line says: of what was chosen, too, since that ends the lengths of its neighbours. */
static void make_line(Tuner *x, Task *t) {
    Ctx *ctx = x->job->ctx;
    const Graph *g = x->job->programs.at[t->place->entry]->graph;
    Text where = {.ctx = ctx};
    GivenTexts texts = {.n = t->v.n, .numbered = true};
    GivenFault fault;
    Version again;
    t->line.n = t->v.n;
    for (int k = 0; k < t->v.n; k++) {
        Text s = {.ctx = ctx};
        schedule_print(&s, schedule_numbered(t->v.group[k]), t->v.schedule[k]);
        texts.text[k] = t->line.text[k] = s.s;
    }
    t->better &= given_version(t->gr, &texts, &again, t->most, &fault);
    driver_put_sizes(&where, g, t->place->sizes.dims);
    t->line.after = sym_fmt(ctx, "# %s of %s: %.1f us; tdc's own choice %.1f", t->gr->name, where.s, t->best, t->base);
    if (t->better) find_lengths(t);
}

/* A line whose schedule the file has already stays as it is. */
static void put_lines(Tuner *x) {
    for (int i = 0; i < x->tasks.n; i++) make_line(x, &x->tasks.at[i]);
    for (int i = 0; i < x->tasks.n; i++) {
        Task *t = &x->tasks.at[i];
        for (int k = 0; k < x->tasks.n; k++) {
            const TuneSchedule *other = &x->tasks.at[k].line;
            if (k != i && t->better && same_form(&t->line, other) && !same_texts(&t->line, other))
                part(&t->line, other->at);
        }
        for (int k = 0; k < x->tuning->schedules.n; k++) {
            TuneSchedule *old = &x->tuning->schedules.at[k];
            if (!same_form(&t->line, old) || same_texts(&t->line, old)) continue;
            if (tuning_compare_schedules(&t->line, old) == 0) continue;
            if (t->better) part(&t->line, old->at);
            part(old, t->line.at);
        }
    }
    for (int i = 0; i < x->tasks.n; i++) {
        const Task *t = &x->tasks.at[i];
        const TuneSchedule *old = tuning_find_schedule(x->tuning, &t->line);
        if (!t->better)
            tuning_remove_schedule(x->tuning, &t->line);
        else if (!old || !same_texts(old, &t->line))
            tuning_set_schedule(x->tuning, &t->line);
    }
}

/* Whether a device is called what the machine is: "NVIDIA H200" and h200. */
static bool is_called(const char *device, const char *machine) {
    for (const char *s = device; *s; s++) {
        const char *a = s, *b = machine;
        for (; *a && *b && (*a == ' ' || tolower((unsigned char)*a) == *b); a++) b += *a != ' ';
        if (!*b) return true;
    }
    return false;
}

Exit driver_tune_schedules(Job *job, Tuning *t, const TunePlaces *places, int *groups) {
    Tuner x = {.job = job, .tuning = t};
    CheckOptions co;
    if (!driver_options_of_check(job, &co)) return EXIT_INTERNAL;
    for (int i = 0; i < places->n; i++) add_place(&x, &places->at[i]);
    *groups = x.tasks.n;
    if (!x.tasks.n) return EXIT_OK;
    for (int i = 0; i < x.tasks.n; i++) tune_group(&x, &x.tasks.at[i]);
    put_lines(&x);
    printf("%d group%s %s, %d candidates, %d failed, %d tuned", x.tasks.n, x.tasks.n == 1 ? "" : "s", driver_place(&co),
           x.candidates, x.failed, x.better);
    if (x.better) printf(", %.3f times as fast (geometric mean)", exp(x.gains / x.better));
    printf(": %s\n", job->o->out);
    const char *machine = tuning_machine_name(x.tasks.at[0].line.machine);
    if (x.device && !is_called(x.device, machine))
        printf("measured on %s, and written as machine=%s, which is what the target stands for\n", x.device, machine);
    if (x.wrong) printf("%d candidates were WRONG: that is a fault of tdc; none of them is written\n", x.wrong);
    return x.wrong ? EXIT_WRONG : EXIT_OK;
}
