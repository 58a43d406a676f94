/* Random well-typed programs under random legal schedules against the reference interpreter.
 *   random [--seed S] [--count N] [--only K] [--schedules N] [--sizes N] [--exact ring|field] [--shrink SECONDS]
 *          [--show]
 * N programs of seed S, or the K-th of them; --show prints them and does no more. A failing program is made small and
 * printed with what repeats it. */
#include "shrink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 25, SHRUNK = 6 /* failures that are made small; the rest are only counted */ };

typedef struct RunOptions {
    uint64_t seed;
    int count, only, schedules, sizes, seconds;
    bool show;
    ExactKind exact;
} RunOptions;

typedef struct Totals {
    int passed, failed, refused, shrunk;
    int with[FEAT_COUNT];
    Tally tally;
} Totals;

static bool options(int argc, char **argv, RunOptions *o) {
    *o = (RunOptions){.seed = 1, .count = 100, .only = -1, .schedules = 3, .sizes = 2, .seconds = 120};
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *v = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(a, "--show")) {
            o->show = true;
            continue;
        }
        if (!v) return false;
        i++;
        if (!strcmp(a, "--seed"))
            o->seed = strtoull(v, NULL, 10);
        else if (!strcmp(a, "--count"))
            o->count = atoi(v);
        else if (!strcmp(a, "--only"))
            o->only = atoi(v);
        else if (!strcmp(a, "--schedules"))
            o->schedules = atoi(v);
        else if (!strcmp(a, "--sizes"))
            o->sizes = atoi(v);
        else if (!strcmp(a, "--exact"))
            o->exact = !strcmp(v, "field") ? EXACT_FIELD : EXACT_RING;
        else if (!strcmp(a, "--shrink"))
            o->seconds = atoi(v);
        else
            return false;
    }
    return true;
}

static bool has_empty(const Sample *s) {
    for (int z = 0; z < MAX_SIZES; z++)
        for (int d = 0; d < 2; d++)
            if (!s->c.size[z][d]) return true;
    return false;
}

static void report(Ctx *ctx, const RunOptions *o, Totals *t, Sample *s, Verdict *v, int k) {
    t->failed++;
    printf("FAILED  program %d of seed %llu: %s\n", k, (unsigned long long)o->seed, v->kind);
    fflush(stdout);
    if (o->seconds && t->shrunk++ < SHRUNK) {
        shrink(ctx, s, v, o->seconds);
        printf("%s", s->c.text);
        for (int z = 0; z < MAX_SIZES; z++)
            if (v->size == ALL || v->size == z) printf("%s", trial_check(ctx, &s->c, z));
        if (v->schedules) printf("schedule %d%s: %s\n", v->schedule, s->c.raw ? " (not simplified)" : "", v->schedules);
    }
    printf("%.1500s%s\nagain: %s --seed %llu --only %d\n\n", v->message, strlen(v->message) > 1500 ? "..." : "",
           "random", (unsigned long long)o->seed, k);
    fflush(stdout);
}

static void batch(const RunOptions *o, Totals *t, int first, int n) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) {
        printf("FAILED  out of memory\n");
        t->failed++;
        return;
    }
    Sample *samples = NEW_N(ctx, Sample, n);
    Case *cases = NEW_N(ctx, Case, n);
    Verdict *verdicts = NEW_N(ctx, Verdict, n);
    for (int i = 0; i < n; i++) {
        Sample *s = &samples[i];
        sample_draw(ctx, s, o->seed, first + i);
        s->c.nschedules = o->schedules;
        s->c.exact = o->exact;
        s->c.library = s->has[FEAT_PRODUCT] || (first + i) % 2 == 0;
        s->c.nsizes = o->sizes < MAX_SIZES ? o->sizes : MAX_SIZES;
        if (has_empty(s)) s->has[FEAT_EMPTY] = true;
        for (int f = 0; f < FEAT_COUNT; f++) t->with[f] += s->has[f];
        cases[i] = s->c;
        if (o->show) printf("// program %d\n%s\n", first + i, s->c.text);
    }
    if (!o->show) trial(ctx, cases, n, verdicts, &t->tally);
    for (int i = 0; i < n; i++)
        if (verdicts[i].kind && !strcmp(verdicts[i].kind, "lowering")) {
            t->refused++; /* by name: a limit of tdc, no fault */
            printf("refused program %d of seed %llu: %.200s\n", first + i, (unsigned long long)o->seed,
                   verdicts[i].message);
        } else if (verdicts[i].kind)
            report(ctx, o, t, &samples[i], &verdicts[i], first + i);
        else
            t->passed++;
    ctx_free(ctx);
}

static void print_tally(const Totals *t) {
    int distinct = 0;
    for (int f = 0; f < FEAT_COUNT; f++) {
        printf("%s%s %d", f ? ", " : "programs with: ", feature_text((Feature)f), t->with[f]);
        distinct += t->with[f] > 0;
    }
    printf("\n%d constructs; %lld calls, %lld of them with products of a library, %lld elements compared, %lld of them "
           "only within what noise in f32 explains\n",
           distinct, (long long)t->tally.calls, (long long)t->tally.products, (long long)t->tally.elements,
           (long long)t->tally.loose);
}

int main(int argc, char **argv) {
    RunOptions o;
    Totals t = {0};
    if (!options(argc, argv, &o)) {
        fprintf(stderr, "usage: random [--seed S] [--count N] [--only K] [--schedules N] [--sizes N] [--exact "
                        "ring|field] [--shrink SECONDS] [--show]\n");
        return 2;
    }
    if (o.only >= 0) {
        batch(&o, &t, o.only, 1);
    } else {
        for (int i = 0; i < o.count; i += BATCH) batch(&o, &t, i, o.count - i < BATCH ? o.count - i : BATCH);
        print_tally(&t);
    }
    printf("%d passed, %d failed\n", t.passed, t.failed);
    return t.failed != 0;
}
