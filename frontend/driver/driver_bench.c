/* The command bench: entries timed on the GPU at the sizes of their bench lines, or at those given, beside a copy that
 * moves what they must move (frontend/check, backend_cuda/run). Each entry is checked before it is timed. */
#include "driver.h"

#include "ir/diag.h"
#include "sched/search/predict.h"

#include <string.h>

enum { MOST_CASES = 1000 };

/* An entry at sizes. */
typedef struct Case {
    const Program *p;
    EntrySizes sizes;
    Floor floor;
} Case;

typedef struct Bench {
    Job *job;
    CheckOptions co;
    CheckModel m;
    VEC(Case) cases;
    int timed, failed;
    Sym device; /* of the last one timed */
} Bench;

/* ---- what is to be timed ---- */

/* Once each: lines may differ in what -D or --at says otherwise. */
static bool add_case(Bench *b, const Program *p, const EntrySizes *s) {
    const Graph *g = p->graph;
    Case c = {.p = p, .sizes = *s};
    const ExplainAt at = {.dims = s->dims, .scalars = s->scalars};
    const Way *way = program_taken(p, s->dims);
    for (int i = 0; i < b->cases.n; i++) {
        const Case *old = &b->cases.at[i];
        if (old->p == p && !memcmp(old->sizes.dims, s->dims, sizeof *s->dims * (size_t)g->dims.n) &&
            !memcmp(old->sizes.scalars, s->scalars, sizeof *s->scalars * (size_t)g->scalars.n))
            return true;
    }
    if (b->cases.n < MOST_CASES && way && predict_floor(p, way, b->job->machine, &at, &c.floor)) {
        vec_push(b->job->ctx, &b->cases, c);
        return true;
    }
    diag_report(b->job->ctx, DIAG_BAD_DEFINE, g->span, "%s: %s", g->name,
                b->cases.n < MOST_CASES ? "a tensor has too many elements" : "too many sizes");
    return false;
}

/* A statement's sizes, or those of hints where it is NULL, with each combination of what --at gives: n-th of them. */
static bool add_combination(Bench *b, const Program *p, const Check *c, int n) {
    const DriverOptions *o = b->job->o;
    Bindings at = {0};
    EntrySizes s;
    for (int i = 0; i < o->at.n; i++) {
        VEC(Binding) values = {0};
        vec_push(b->job->ctx, &values, o->at.at[i]);
        for (int k = 0; k < o->more.n; k++)
            if (o->more.at[k].name == o->at.at[i].name) vec_push(b->job->ctx, &values, o->more.at[k]);
        vec_push(b->job->ctx, &at, values.at[n % values.n]);
        n /= values.n;
    }
    return driver_entry_sizes(b->job, p->graph, c, &at, &s) && add_case(b, p, &s);
}

static bool add_sizes(Bench *b, const Program *p, const Check *c) {
    const DriverOptions *o = b->job->o;
    int64_t combinations = 1;
    for (int i = 0; i < o->at.n; i++) {
        int values = 1;
        for (int k = 0; k < o->more.n; k++) values += o->more.at[k].name == o->at.at[i].name;
        if (!mul_ok(combinations, values, &combinations)) combinations = INT64_MAX / 2;
    }
    for (int n = 0; n < combinations; n++)
        if (!add_combination(b, p, c, n)) return false;
    return true;
}

/* The entry's bench lines, in their order; how many there are. */
static int add_lines(Bench *b, const Program *p, bool *ok) {
    const Module *m = b->job->module;
    int lines = 0;
    for (int i = 0; i < m->checks.n; i++) {
        const Check *c = &m->checks.at[i];
        if (!c->bench || !p->kernels.n || strcmp(c->entry, p->graph->name) != 0) continue;
        lines++;
        *ok = *ok && add_sizes(b, p, c);
    }
    return lines;
}

/* Of a file those entries that have bench lines or, where none has, all. The host's own functions launch nothing. */
static bool add_entries(Bench *b) {
    bool ok = true;
    int lines = 0;
    for (int i = 0; i < b->job->programs.n && ok; i++) lines += add_lines(b, b->job->programs.at[i], &ok);
    for (int i = 0; i < b->job->programs.n && ok && !lines; i++)
        if (b->job->programs.at[i]->kernels.n) ok = add_sizes(b, b->job->programs.at[i], NULL);
    return ok;
}

/* ---- whether it is right ---- */

bool driver_small_check(const Job *job, const Module *m, const Graph *g, Sym entry, const Check *sizes, Check *out) {
    Ctx *ctx = job->ctx;
    int64_t most = -1;
    for (int i = 0; i < m->checks.n; i++) {
        const Check *own = &m->checks.at[i];
        if (own->bench || own->error || strcmp(own->entry, entry) != 0 || driver_contradicts(job, own)) continue;
        int64_t n = check_elements(ctx, g, own);
        if (n > most && n <= DRIVER_MOST_COMPARED) *out = *own, most = n;
    }
    if (most >= 0) return true;
    *out = *sizes;
    out->bench = false;
    memset(&out->bindings, 0, sizeof out->bindings); /* a list of its own */
    for (int i = 0; i < sizes->bindings.n; i++) vec_push(ctx, &out->bindings, sizes->bindings.at[i]);
    check_shrink(ctx, g, out);
    most = check_elements(ctx, g, out);
    return most >= 0 && most <= DRIVER_MOST_COMPARED;
}

/* What is said of the comparison with the reference, before the entry is timed for the first time; false where it is
 * wrong. Nothing proves that every size is right: other sizes may have other kernels. */
static bool compared(Bench *b, const Case *c, Text *words) {
    Ctx *ctx = b->job->ctx;
    const Graph *g = check_graph(b->job->reference, c->p->graph->name);
    Check at;
    CheckResult r = {0};
    int64_t *dims = NEW_N(ctx, int64_t, g->dims.n + 1);
    double *scalars = NEW_N(ctx, double, g->scalars.n + 1);
    Text ignored = {.ctx = ctx};
    if (!driver_small_check(b->job, b->job->reference, g, g->name, &c->sizes.at, &at)) {
        text_put(words, "not checked: its sizes cannot be small; a line `check ");
        return text_fmt(words, "%s(...);` says at which it should be", g->name), true;
    }
    bool ran = check_run(ctx, b->job->reference, &at, &b->m, &b->co, &r);
    check_bind(g, &at, dims, scalars, &ignored);
    text_put(words, r.passed ? "checked at " : ran && r.uncalled ? "not checked at " : "WRONG at ");
    driver_put_sizes(words, g, dims);
    if (r.message) text_fmt(words, ": %s", r.message);
    return r.passed || (ran && r.uncalled);
}

/* ---- what is printed ---- */

/* What the entry is held to, in microseconds: the copy beside it, or its products at the machine's peak. */
static double floor_us(const Case *c, const CheckTimes *t) {
    double products = c->floor.products * 1e6;
    return products > t->copy.median ? products : t->copy.median;
}

static const char *result_word(const CheckResult *r) { return r->passed ? "timed" : "failed"; }

static void put_state(Text *out, const char *name, const CheckState *s) {
    if (s->sm)
        text_fmt(out, ", \"%s\": {\"sm_mhz\": %d, \"memory_mhz\": %d, \"watts\": %.9g}", name, s->sm, s->memory,
                 s->watts);
}

static void print_json(Bench *b, const Case *c, const CheckResult *r, const char *checked) {
    const CheckTimes *t = &r->times;
    Check at = {.entry = c->p->graph->name};
    Text out = {.ctx = b->job->ctx};
    const Graph *g = c->p->graph;
    for (int i = 0; i < g->fixed.n; i++) vec_push(b->job->ctx, &at.bindings, g->fixed.at[i]);
    for (int i = 0; i < g->dims.n; i++)
        vec_push(b->job->ctx, &at.bindings,
                 ((Binding){g->dims.at[i]->name, (double)c->sizes.dims[i], c->sizes.dims[i]}));
    for (int i = 0; i < g->scalars.n; i++)
        vec_push(b->job->ctx, &at.bindings,
                 ((Binding){g->scalars.at[i]->name, c->sizes.scalars[i], (int64_t)c->sizes.scalars[i]}));
    text_char(&out, '{');
    json_sizes(&out, &at);
    text_fmt(&out, ", \"result\": \"%s\"", result_word(r));
    json_member(&out, "checked", checked);
    if (r->passed) {
        text_fmt(&out, ", \"us\": %.9g, \"p10\": %.9g, \"p90\": %.9g, \"runs\": %d, \"launches\": %d", t->call.median,
                 t->call.p10, t->call.p90, t->runs, t->nodes);
        text_fmt(&out, ", \"floor\": {\"us\": %.9g, \"bytes\": %lld, \"copy_us\": %.9g, \"products_us\": %.9g}",
                 floor_us(c, t), (long long)c->floor.bytes, t->copy.median, c->floor.products * 1e6);
        text_put(&out, ", \"ratio\": ");
        json_number(&out, t->call.median / floor_us(c, t));
        put_state(&out, "before", &t->before);
        put_state(&out, "after", &t->after);
        json_member(&out, "device", t->on.name);
    }
    json_member(&out, "message", r->message);
    printf("%s}\n", out.s);
}

static void print_state(const char *when, const CheckState *s) {
    printf("%s %d MHz, memory %d MHz, %.0f W", when, s->sm, s->memory, s->watts);
}

static void print_text(Bench *b, const Case *c, const CheckResult *r, const char *checked) {
    const CheckTimes *t = &r->times;
    Text name = {.ctx = b->job->ctx};
    driver_put_sizes(&name, c->p->graph, c->sizes.dims);
    if (r->passed)
        printf("%10.1f %9.1f %9.1f %9.1f %6.2f %9d  %s\n", t->call.median, t->call.p10, t->call.p90, floor_us(c, t),
               t->call.median / floor_us(c, t), t->nodes, name.s);
    else
        printf("FAILED  %s: %s\n", name.s, r->message);
    if (checked) printf("   %s\n", checked);
    if (!r->passed) return;
    if (c->floor.products * 1e6 > t->copy.median)
        printf("   floor: its products at the machine's peak; a copy of its bytes takes %.1f us\n", t->copy.median);
    if (!t->before.sm) return;
    print_state("   before:", &t->before);
    print_state("; after:", &t->after);
    putchar('\n');
}

static void print(Bench *b, const Case *c, const CheckResult *r, const char *checked) {
    progress_hide(b->job->progress);
    if (b->job->o->results_json)
        print_json(b, c, r, checked);
    else
        print_text(b, c, r, checked);
    fflush(stdout);
    *(r->passed ? &b->timed : &b->failed) += 1;
    if (r->times.on.name) b->device = r->times.on.name;
}

static void print_head(const Bench *b) {
    if (b->job->o->results_json) return;
    printf("%s: %d size%s %s%s\n", b->job->o->file, b->cases.n, b->cases.n == 1 ? "" : "s", driver_place(&b->co),
           b->co.gpu ? "" : ", whose times are invented");
    printf("%10s %9s %9s %9s %6s %9s\n", "median us", "p10", "p90", "floor us", "ratio", "launches");
    fflush(stdout);
}

static void print_sums(const Bench *b) {
    Text t = {.ctx = b->job->ctx};
    text_fmt(&t, "{\"on\": \"%s\"", b->co.gpu ? "gpu" : "emu");
    json_member(&t, "device", b->device);
    text_fmt(&t, ", \"timed\": %d, \"failed\": %d}", b->timed, b->failed);
    if (b->job->o->results_json)
        printf("%s\n", t.s);
    else
        printf("%d timed%s%s, %d failed\n", b->timed, b->device ? " on " : "", b->device ? b->device : "", b->failed);
}

/* ---- the whole ---- */

/* Times each case; of an entry that is wrong none. */
static void time_all(Bench *b) {
    Ctx *ctx = b->job->ctx;
    bool right = true;
    for (int i = 0; i < b->cases.n; i++) {
        const Case *c = &b->cases.at[i];
        Text words = {.ctx = ctx};
        CheckResult r = {.message = "a check of it fails"};
        bool first = !i || b->cases.at[i - 1].p != c->p;
        progress_say(b->job->progress, "%s: %d of %d, %s", b->job->o->file, i + 1, b->cases.n, c->p->graph->name);
        if (first) right = compared(b, c, &words);
        if (right) check_bench(ctx, b->job->reference, &c->sizes.at, &b->m, &b->co, c->floor.bytes, &r);
        print(b, c, &r, words.s);
    }
}

Exit driver_bench(Job *job) {
    Bench b = {.job = job};
    CheckServer server = {0};
    if (!driver_measures(job)) return EXIT_INTERNAL;
    if (!add_entries(&b)) return EXIT_WRONG;
    if (b.cases.n && !driver_build(job, &b.co, &b.m)) return EXIT_INTERNAL;
    if (!b.cases.n && !job->o->results_json) return printf("%s has nothing to time\n", job->o->file), EXIT_OK;
    if (!b.cases.n) return printf("{\"on\": null, \"timed\": 0, \"failed\": 0}\n"), EXIT_OK;
    if (b.co.gpu) b.m.server = &server;
    print_head(&b);
    time_all(&b);
    check_stop(&b.m);
    check_remove(job->ctx, &b.m.dir);
    print_sums(&b);
    return b.failed ? EXIT_WRONG : EXIT_OK;
}
