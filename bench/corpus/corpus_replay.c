/* The corpus again without a device: what today's cost predicts of each kernel that was measured, how much slower than
 * the best of a case the one is that it would take (its regret), and how many kernels are emitted otherwise by now. */
#include "corpus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    HASH_DIGITS = 8,
    LOOKED_AT = 4 /* kernels of a case, the fastest, whose text is compared; of all where asked */
};
static const double NEAR = 0.25; /* a prediction that is so far off, at most, is near */

typedef struct Family {
    VEC(double) regrets;
    int looked, stale, near, predicted;
} Family;

typedef struct Replay {
    Ctx *ctx; /* of what outlives a case */
    const char *home;
    bool every;
    Family all;
} Replay;

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The least value that so large a share does not exceed. */
static double quantile(const Family *f, double share) {
    int i = (int)ceil(share * f->regrets.n) - 1;
    return f->regrets.n ? f->regrets.at[i < 0 ? 0 : i] : 0;
}

static void print_family(Family *f, const char *name) {
    qsort(f->regrets.at, (size_t)f->regrets.n, sizeof *f->regrets.at, by_value);
    printf("%-10s %3d cases, regret median %5.1f %%, 90th percentile %6.1f %%, most %7.1f %%; near %2.0f %% of "
           "predictions; "
           "%d of %d texts differ\n",
           name, f->regrets.n, 100 * quantile(f, 0.5), 100 * quantile(f, 0.9), 100 * quantile(f, 1),
           f->predicted ? 100.0 * f->near / f->predicted : 0.0, f->stale, f->looked);
}

/* The first digits of the hash of what these schedules make; NULL: they cannot be applied. */
static Sym hash_now(const Case *c, const Schedule *schedules) {
    Text out = {.ctx = c->ctx}, why = {.ctx = c->ctx};
    Program *p = corpus_program(c, schedules, &why);
    if (!p || !corpus_emit(&out, p, NULL, &why)) return NULL;
    return sym_fmt(c->ctx, "%.*s", HASH_DIGITS, sym_fmt(c->ctx, "%016llx", (unsigned long long)corpus_hash(&out)));
}

/* Whether the kernels that these schedules make are emitted as when they were measured. */
static bool same_text(const Case *c, const Stored *s, const Schedule *schedules) {
    Sym now = hash_now(c, schedules);
    return now && !strcmp(now, s->hash);
}

static void replay_kernels(const Replay *x, Family *f, const Case *c, const StoredCase *stored) {
    double best = INFINITY, least = INFINITY, taken = 0;
    int equals = 0;
    Schedule *s = NEW_N(c->ctx, Schedule, c->groups.n + 1);
    for (int i = 0; i < stored->kernels.n; i++) {
        const Stored *k = &stored->kernels.at[i];
        if (corpus_by_hand(k)) continue;
        bool read = corpus_read(c, corpus_unpack(c, k->packed), s, NULL);
        if (k->us < best) best = k->us;
        if (!read || x->every || i < LOOKED_AT) f->looked++, f->stale += !read || !same_text(c, k, s);
        if (!read) continue;
        double predicted = 1e6 * corpus_predict(c, s);
        f->predicted++;
        f->near += fabs(predicted - k->us) <= NEAR * k->us;
        if (predicted > least) continue;
        if (predicted < least) least = predicted, taken = 0, equals = 0;
        taken += k->us;
        equals++;
    }
    if (equals) vec_push(x->ctx, &f->regrets, taken / equals / best - 1); /* of equal predictions the mean */
}

/* Of the suite, or of the family's own programs. Says on stderr why it cannot be. */
static bool open_stored(Ctx *ctx, Case *c, const char *home, const char *td, const StoredCase *stored) {
    Text why = {.ctx = ctx};
    Sym suite = sym_fmt(ctx, "%s/bench/suite/%s.td", home, stored->name);
    size_t n;
    bool of_suite = corpus_file(ctx, suite, &n) != NULL;
    if (corpus_open_named(ctx, c, home, of_suite ? suite : td, stored->name, stored->sizes, &why)) return true;
    fprintf(stderr, "corpus: %s\n", why.s);
    return false;
}

static void replay_case(const Replay *x, Family *f, const char *td, const StoredCase *stored) {
    Ctx *ctx = ctx_new();
    Case c;
    if (!ctx || CTX_GUARD(ctx)) {
        fputs("corpus: out of memory\n", stderr);
        f->looked++, f->stale++;
        return;
    }
    if (open_stored(ctx, &c, x->home, td, stored))
        replay_kernels(x, f, &c, stored);
    else
        f->looked++, f->stale++;
    ctx_free(ctx);
}

/* The programs of a family, beside what was measured of them. */
static Sym programs_of(Ctx *ctx, const char *path) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    return sym_fmt(ctx, "%.*s.td", (int)(base - path) + (int)strcspn(base, "."), path);
}

static bool replay_file(Replay *x, const char *path) {
    StoredCases cases = {0};
    Family f = {0};
    Text why = {.ctx = x->ctx};
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t stem = strcspn(base, ".");
    if (!corpus_stored(x->ctx, path, &cases, &why)) return fprintf(stderr, "corpus: %s\n", why.s), false;
    Sym td = programs_of(x->ctx, path);
    for (int i = 0; i < cases.n; i++) replay_case(x, &f, td, &cases.at[i]);
    print_family(&f, sym_n(x->ctx, base, stem));
    for (int i = 0; i < f.regrets.n; i++) vec_push(x->ctx, &x->all.regrets, f.regrets.at[i]);
    x->all.looked += f.looked, x->all.stale += f.stale, x->all.near += f.near, x->all.predicted += f.predicted;
    return true;
}

int corpus_replay(const char *home, bool every, char *const *files, int n) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return fputs("corpus: out of memory\n", stderr), 1;
    Replay x = {.ctx = ctx, .home = home, .every = every};
    bool ok = true;
    for (int i = 0; i < n; i++) ok &= replay_file(&x, files[i]);
    print_family(&x.all, "all");
    ctx_free(ctx);
    return ok ? 0 : 1;
}

/* ---- hashes of today ---- */

static void stamp_case(const char *home, const char *td, const StoredCase *stored) {
    Ctx *ctx = ctx_new();
    Case c;
    if (!ctx || CTX_GUARD(ctx)) {
        fputs("corpus: out of memory\n", stderr);
        return;
    }
    if (open_stored(ctx, &c, home, td, stored)) {
        Schedule *s = NEW_N(ctx, Schedule, c.groups.n + 1);
        printf("case\t%s\t%s\t%.1f\n", stored->name, stored->sizes, stored->floor);
        for (int i = 0; i < stored->kernels.n; i++) {
            const Stored *k = &stored->kernels.at[i];
            bool hand = corpus_by_hand(k), read = !hand && corpus_read(&c, corpus_unpack(&c, k->packed), s, NULL);
            Sym hash = hand ? k->hash : read ? hash_now(&c, s) : NULL;
            if (hash) printf("%s\t%.1f\t%s\t%s\t%s\n", hash, k->us, k->registers, k->flag, k->packed);
        }
    }
    ctx_free(ctx);
}

int corpus_stamp(const char *home, const char *path) {
    Ctx *ctx = ctx_new();
    StoredCases cases = {0};
    if (!ctx || CTX_GUARD(ctx)) return fputs("corpus: out of memory\n", stderr), 1;
    Text why = {.ctx = ctx};
    if (!corpus_stored(ctx, path, &cases, &why)) return fprintf(stderr, "corpus: %s\n", why.s), 1;
    printf("# NVIDIA H200, L2 flushed; README.md says what the columns are.\n");
    for (int i = 0; i < cases.n; i++) stamp_case(home, programs_of(ctx, path), &cases.at[i]);
    ctx_free(ctx);
    return 0;
}
