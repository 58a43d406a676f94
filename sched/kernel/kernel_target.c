/* Whether kernels written by hand, or by schedules that were given, use only what their targets have. Those that are
 * chosen do (SchedLimits). */
#include "kernel_target.h"

#include "ir/diag.h"

typedef struct Fit {
    const Program *p;
    const Kernel *k;
    Targets targets;
    bool ok;
} Fit;

static Diag *lacks(Fit *f, Span span, const char *what, const Target *t) {
    f->ok = false;
    if (span.file < 0) span = f->k->span; /* of a stage that a schedule's step made */
    return diag_report(f->p->ctx, DIAG_KERNEL_TARGET, span, "kernel %s: %s, which %s does not have", f->k->name, what,
                       t->arch);
}

static void fit_cluster(Fit *f) {
    for (int i = 0; i < targets_count(f->targets) && f->ok; i++) {
        const Target *t = targets_get(f->targets, i);
        if (f->k->cluster <= t->cluster) continue;
        Diag *d = lacks(f, f->k->span, sym_fmt(f->p->ctx, "clusters of %d blocks", f->k->cluster), t);
        if (t->cluster == 1)
            diag_help(f->p->ctx, d,
                      "compile without --target=%s, or bind the factor to serial, or to grid and fold the rest "
                      "with `last`",
                      t->arch);
        else
            diag_help(f->p->ctx, d, "its clusters have at most %d blocks", t->cluster);
    }
}

static const Target *without_bulk(Targets t) {
    for (int i = 0; i < targets_count(t); i++)
        if (!targets_get(t, i)->bulk) return targets_get(t, i);
    return NULL;
}

static void fit_bulk(Fit *f, Stage *const *at, int n, const Target *t) {
    for (int i = 0; i < n; i++) {
        const Stage *s = at[i];
        fit_bulk(f, s->body.at, s->body.n, t);
        if (s->path != PATH_BULK || !f->ok) continue;
        const bool copy = s->kind == STAGE_COPY;
        Diag *d = lacks(f, s->span, copy ? "a bulk copy" : "a bulk store", t);
        diag_help(f->p->ctx, d,
                  copy ? "every target has `async` copies: write async for bulk"
                       : "every target has plain stores: leave out bulk");
    }
}

static void fit_shared(Fit *f) {
    const Target *least;
    const int bytes = targets_shared(f->targets, &least);
    bool named = false;
    if (f->k->shared_bytes <= bytes || !f->ok) return;
    for (int i = 0; i < targets_count(f->targets); i++) named |= targets_get(f->targets, i) == least;
    f->ok = false;
    Diag *d = diag_report(f->p->ctx, DIAG_KERNEL_TARGET, f->k->span,
                          "kernel %s: about %lld bytes of shared memory, where a block has %d on compute capability "
                          "%d.%d",
                          f->k->name, (long long)f->k->shared_bytes, bytes, least->major, least->minor);
    if (!named)
        diag_help(f->p->ctx, d, "the kernel would run there by PTX; targets that end in `a` run on theirs alone");
}

static void fit_threads(Fit *f) {
    for (int i = 0; i < targets_count(f->targets) && f->ok; i++) {
        const Target *t = targets_get(f->targets, i);
        if (f->k->blocks_per_sm * f->k->threads <= t->threads_per_sm) continue;
        f->ok = false;
        Diag *d = diag_report(f->p->ctx, DIAG_KERNEL_TARGET, f->k->span,
                              "kernel %s: %d blocks of %d threads do not fit a multiprocessor of %s, which has %d "
                              "threads",
                              f->k->name, f->k->blocks_per_sm, f->k->threads, t->arch, t->threads_per_sm);
        diag_help(f->p->ctx, d, "write occupancy %d", t->threads_per_sm / f->k->threads);
    }
}

bool program_fits(const Program *p, Targets targets) {
    Fit f = {.p = p, .targets = targets, .ok = true};
    const Target *plain = without_bulk(targets);
    for (int i = 0; i < p->kernels.n && f.ok; i++) {
        f.k = p->kernels.at[i];
        fit_cluster(&f);
        for (int j = 0; plain && j < f.k->parts.n; j++)
            fit_bulk(&f, f.k->parts.at[j]->body.at, f.k->parts.at[j]->body.n, plain);
        fit_shared(&f);
        fit_threads(&f);
    }
    return f.ok;
}
