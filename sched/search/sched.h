/* From a Graph to a Program: partition, schedules, kernels. */
#ifndef TDC_SCHED_H
#define TDC_SCHED_H

#include "apply.h"
#include "sched/machine/target.h"

/* The schedules that were chosen for the same targets, by the form of their groups (cost_form.h); {0} to begin with. */
typedef struct SchedMemo {
    ExprMap best;
} SchedMemo;

typedef struct SchedOptions {
    Targets targets;
    bool library;  /* matrix products go to a library where it has them */
    bool fallback; /* the always-legal schedule for every kernel */
    bool random;   /* a random legal schedule for every kernel, by the seed */
    uint64_t seed;
    const char *const *fixed; /* a schedule's text for each kernel in order; NULL, or NULL entries: chosen here */
    int nfixed;
    bool keep;       /* kernels keep their groups and schedules (predict.h) */
    bool reasons;    /* what an explanation needs is kept (explain.h): that too */
    SchedMemo *memo; /* of the compilation, for several Graphs; NULL: none */
} SchedOptions;

/* NULL after reporting to the diagnostics of ctx. o may be NULL. */
Program *sched_program(Ctx *ctx, Graph *g, const SchedOptions *o);

/* A program of a plan's tensors without kernels, for sched_apply. */
Program *sched_empty(Graph *g, const Plan *plan);
/* The best of the templates' candidates for a group (templates.c, cost.c). */
void sched_choose(SchedMemo *memo, Group *gr, Targets t, Schedule *s);

/* A product in place, of which no thread of a kernel may read an element that another one stores: it has the fallback's
 * schedule. */
bool sched_in_place(const Group *gr);

#endif
