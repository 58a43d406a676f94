/* The corpus again without a device: what today's cost predicts of each kernel that was measured, how much slower than
 * the best of a case the one is that it would take (its regret), and how many kernels are emitted otherwise by now. */
#include "corpus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HASH_DIGITS = 8,
    LOOKED_AT = 4 /* kernels of a case, the fastest, whose text is compared; of all where asked */
};
static const double NEAR = 0.25; /* a prediction that is so far off, at most, is near */

typedef VEC(double) Doubles;

typedef struct Family {
    Doubles regrets, by_cost; /* by the judge of kernels; by the cost of schedules */
    int looked, stale, near, predicted;
} Family;

typedef struct Replay {
    Ctx *ctx; /* of what outlives a case */
    const char *home;
    bool every, cases;
    Family all;
} Replay;

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The least value that so large a share does not exceed, in per cent. */
static double quantile(const Doubles *x, double share) {
    int i = (int)ceil(share * x->n) - 1;
    return x->n ? 100 * x->at[i < 0 ? 0 : i] : 0;
}

static void sort(Doubles *x) {
    if (x->n) qsort(x->at, (size_t)x->n, sizeof *x->at, by_value);
}

static void print_family(Family *f, const char *name) {
    sort(&f->regrets);
    sort(&f->by_cost);
    printf("%-10s %3d cases, regret median %5.1f %%, 90th percentile %6.1f %%, most %7.1f %%; by the cost of schedules "
           "%5.1f %%, %6.1f %%; near %2.0f %% of predictions; %d of %d texts differ\n",
           name, f->regrets.n, quantile(&f->regrets, 0.5), quantile(&f->regrets, 0.9), quantile(&f->regrets, 1),
           quantile(&f->by_cost, 0.5), quantile(&f->by_cost, 0.9), f->predicted ? 100.0 * f->near / f->predicted : 0.0,
           f->stale, f->looked);
}

/* The first digits of the hash of what is emitted of a program; NULL: nothing can be. */
static Sym hash_of(const Case *c, Program *p) {
    Text out = {.ctx = c->ctx}, why = {.ctx = c->ctx};
    if (!p || !corpus_emit(&out, p, NULL, &why)) return NULL;
    return sym_fmt(c->ctx, "%.*s", HASH_DIGITS, sym_fmt(c->ctx, "%016llx", (unsigned long long)corpus_hash(&out)));
}

/* A kernel that was measured, and what is predicted of it. */
typedef struct Replayed {
    double us, judge, cost;
    const char *packed;
} Replayed;
typedef VEC(Replayed) Replayeds;

/* How much slower than the best the one is that is predicted to be; of equal predictions the mean. */
static double regret(const Replayeds *all, double best, bool by_cost) {
    double least = INFINITY, taken = 0;
    int equals = 0;
    for (int i = 0; i < all->n; i++) {
        const Replayed *k = &all->at[i];
        double predicted = by_cost ? k->cost : k->judge;
        if (predicted > least) continue;
        if (predicted < least) least = predicted, taken = 0, equals = 0;
        taken += k->us;
        equals++;
    }
    return taken / equals / best - 1;
}

/* All are compared by the same: where the judge does not know one of them, none by it. */
static void compare(const Replay *x, Family *f, Replayeds *all, double best) {
    bool judged = true;
    for (int i = 0; i < all->n; i++) judged &= isfinite(all->at[i].judge) != 0;
    for (int i = 0; i < all->n; i++) {
        Replayed *k = &all->at[i];
        if (!judged) k->judge = k->cost;
        f->near += fabs(1e6 * k->judge - k->us) <= NEAR * k->us;
    }
    f->predicted += all->n;
    if (!all->n) return;
    vec_push(x->ctx, &f->regrets, regret(all, best, false));
    vec_push(x->ctx, &f->by_cost, regret(all, best, true));
}

static void print_kernel(const char *what, const Replayed *k) {
    printf("  %-6s %9.1f us, judged %9.1f: %s\n", what, k->us, 1e6 * k->judge, k->packed);
}

/* The quickest and the one that would be taken, then the others. */
static void print_case(const StoredCase *stored, const Replayeds *all) {
    int best = 0, taken = 0;
    for (int i = 1; i < all->n; i++) {
        if (all->at[i].us < all->at[best].us) best = i;
        if (all->at[i].judge < all->at[taken].judge) taken = i;
    }
    if (!all->n) return;
    printf("%s %s: %.1f %%\n", stored->name, stored->sizes, 100 * (all->at[taken].us / all->at[best].us - 1));
    print_kernel("best", &all->at[best]);
    print_kernel("taken", &all->at[taken]);
    for (int i = 0; i < all->n; i++)
        if (i != best && i != taken) print_kernel("other", &all->at[i]);
}

static void replay_kernels(const Replay *x, Family *f, const Case *c, const StoredCase *stored) {
    Replayeds all = {0};
    Text why = {.ctx = c->ctx};
    double best = INFINITY;
    for (int i = 0; i < stored->kernels.n; i++) {
        const Stored *k = &stored->kernels.at[i];
        Schedule *s;
        if (corpus_by_hand(k)) continue;
        const Case *of = corpus_read(c, k->packed, &s);
        Program *p = of ? corpus_program(of, s, &why) : NULL;
        if (k->us < best) best = k->us;
        if (!p || x->every || i < LOOKED_AT) {
            Sym now = hash_of(c, p);
            f->looked++;
            f->stale += !now || strcmp(now, k->hash) != 0;
        }
        if (p) vec_push(c->ctx, &all, ((Replayed){k->us, corpus_judge(of, p), corpus_predict(of, s), k->packed}));
    }
    compare(x, f, &all, best);
    if (x->cases) print_case(stored, &all);
}

/* A case's program: one of the suite, of bench/wide or bench/plain, or else the family's own. */
static const char *program_of(Ctx *ctx, const char *home, const char *td, const StoredCase *stored) {
    static const char *const folders[3] = {"suite", "wide", "plain"};
    for (int i = 0; i < 3; i++) {
        size_t n;
        Sym path = sym_fmt(ctx, "%s/bench/%s/%s.td", home, folders[i], stored->name);
        if (corpus_file(ctx, path, &n)) return path;
    }
    return td;
}

/* Says on stderr why it cannot be. */
static bool open_stored(Ctx *ctx, Case *c, const char *home, const char *td, const StoredCase *stored) {
    const char *slash = strrchr(td, '/'), *base = slash ? slash + 1 : td;
    Sym family = sym_n(ctx, base, strcspn(base, "."));
    Text why = {.ctx = ctx};
    const char *path = program_of(ctx, home, td, stored);
    if (corpus_open_named(ctx, c, home, family, path, stored->name, stored->sizes, &why)) return true;
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
    for (int i = 0; i < f.regrets.n; i++) {
        vec_push(x->ctx, &x->all.regrets, f.regrets.at[i]);
        vec_push(x->ctx, &x->all.by_cost, f.by_cost.at[i]);
    }
    x->all.looked += f.looked, x->all.stale += f.stale, x->all.near += f.near, x->all.predicted += f.predicted;
    return true;
}

int corpus_replay(const char *home, bool every, bool cases, char *const *files, int n) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return fputs("corpus: out of memory\n", stderr), 1;
    Replay x = {.ctx = ctx, .home = home, .every = every, .cases = cases};
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
        Text why = {.ctx = ctx};
        printf("case\t%s\t%s\t%.1f\n", stored->name, stored->sizes, stored->floor);
        for (int i = 0; i < stored->kernels.n; i++) {
            const Stored *k = &stored->kernels.at[i];
            Schedule *s;
            const Case *of = corpus_by_hand(k) ? NULL : corpus_read(&c, k->packed, &s);
            Sym hash = corpus_by_hand(k) ? k->hash : of ? hash_of(&c, corpus_program(of, s, &why)) : NULL;
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
