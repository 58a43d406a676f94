/* From a Graph to a Program, in steps: sched/plan's, then schedules and kernels. */
#ifndef TDC_SCHED_H
#define TDC_SCHED_H

#include "apply.h"
#include "given.h"
#include "sched/machine/machine.h"
#include "sched/plan/definitions.h"
#include "sched/plan/plan.h"
#include "sched/plan/prepare.h"
#include "tuned.h"
#include "versions.h"

/* What is done with a Graph, in this order. Those marked may be left out: kernels are more, or slower, and as
 * correct. */
typedef enum SchedStep {
    SCHED_SORT,      /* sorting_choose; may be left out */
    SCHED_CHUNK,     /* chunking_choose; may be left out */
    SCHED_PREPARE,   /* prepare_graph */
    SCHED_PARTITION, /* partition_graph */
    SCHED_SHARE,     /* share_groups; may be left out */
    SCHED_FUSE,      /* fuse_groups; may be left out */
    SCHED_SPLIT,     /* split_groups; may be left out */
    SCHED_FLATTEN,   /* flat_groups; may be left out */
    SCHED_CHOOSE,    /* Versions of each group; may be left out: the fallback for each */
    SCHED_APPLY,     /* Kernels of each group; where it has several versions, a choice */
    SCHED_PARTS,     /* kernels that stand beside each other become parts of one (parts.c); may be left out */
    SCHED_STREAM,    /* what is read for the last time is read past the cache; may be left out */
    SCHED_STEPS
} SchedStep;

typedef struct SchedOptions {
    Targets targets;
    const Machine *machine; /* that schedules are chosen for; NULL: machine_of the targets */
    bool library;           /* matrix products go to a library where it has them */
    bool fallback;          /* the always-legal schedule for every kernel */
    bool exact;             /* for exact algebra: no sums that are carried over to another maximum or mean */
    bool random;            /* a random legal schedule for every kernel, by the seed */
    uint64_t seed;
    Given *given;     /* schedules that are not chosen; NULL: none */
    Tuned *tuned;     /* schedules that were measured, before those chosen; NULL: none */
    bool keep;        /* kernels keep their groups and schedules (predict.h) */
    bool reasons;     /* what an explanation needs is kept (explain.h): that too */
    SchedMemo *memo;  /* of the compilation, for several Graphs; NULL: none */
    unsigned without; /* a bit for each SchedStep that is left out */
} SchedOptions;

/* A Graph on its way. Each step fills in its part and reads those before it. */
typedef struct SchedWork {
    Ctx *ctx;
    Graph *graph;
    const SchedOptions *o;
    bool touched; /* SCHED_SORT or SCHED_CHUNK, the last that ran, has touched the Graph */
    Preparation *prep;
    Plan *plan;
    Versions *versions; /* of the plan's groups; NULL: SCHED_CHOOSE was left out */
    bool decided;       /* for which sizes its fusions are (Fusion.when) */
    Program *program;   /* without kernels before SCHED_APPLY; NULL before SCHED_FLATTEN */
    SchedMemo memo;     /* where o has none */
    /* The Graph in another way, for some sizes, until SCHED_FLATTEN puts both plans together (branch.c); NULL: none. */
    struct SchedWork *other;
    const Expr *when;         /* of the other: those sizes */
    bool small;               /* of what has another: that is for small problems alone */
    FewRows few;              /* of both: the length that they are for few and many of (branch.c); dim NULL: none */
    Definitions *definitions; /* of the other: what the Graph is in it */
} SchedWork;

/* o outlives it; NULL: none. */
SchedWork *sched_begin(Ctx *ctx, Graph *g, const SchedOptions *o);
/* One step; nothing where it is left out. False after reporting to the diagnostics of ctx. A function of the host has
 * only the last ones, which leave a program without kernels. */
bool sched_step(SchedWork *w, SchedStep step);
/* The Graph as it was, prepared once more. */
bool sched_again(SchedWork *w, const Definitions *before, bool (*one)(SchedWork *w, SchedStep step));
/* Makes two ways by a length on which the partition has found it to depend who does products (Plan.few); this one is
 * for many and, as the other, at SCHED_PREPARE again. before: what the Graph was then. */
bool sched_branch_few(SchedWork *w, FewRows few, Definitions *before, bool (*one)(SchedWork *w, SchedStep step));
/* While something is decided for one of them, the length has its sizes alone: a hint, if that is on its side. */
void sched_branch_begin(const FewRows *few, bool is_few);
/* The same where versions are looked for: of a length of which nothing is said for all that are few. */
void sched_branch_choose(const FewRows *few, bool is_few);
void sched_branch_end(const FewRows *few);
/* One step of the other way, after the same of this one; the Graph is this one's before and after. False after
 * reporting. And what is asked of a Graph while it is the other way's. */
bool sched_branch_step(SchedWork *w, SchedStep step, bool (*one)(SchedWork *w, SchedStep step));
bool sched_branch_graph(SchedWork *w, bool (*ask)(void *user), void *user);
/* The versions of each group as text: a line `program NAME`, then lines `GROUP: SCHEDULE` (schedule_print); where there
 * are several, each behind a line `when CONDITION` or `else`. */
void sched_print(Text *out, const SchedWork *w);

/* All steps. NULL after reporting to the diagnostics of ctx. o may be NULL. */
Program *sched_program(Ctx *ctx, Graph *g, const SchedOptions *o);

/* A program of a plan's tensors without kernels, for sched_apply. */
Program *sched_empty(Graph *g, const Plan *plan);
/* Whether the conditions of the groups' versions leave no more ways through a program than it may have, and not too
 * many launches in the host's text. If so, versions that no sizes come to are left out, and those of one kernel make
 * one way together where they have to. */
bool sched_few_ways(const Plan *plan, Versions *versions);
/* Appends the sorts and the kernels of all groups, v[i] those of number i, in a choice where there are several versions
 * or two ways; with `keep`, they keep group and schedule. Afterwards program_find_ways. How many groups that went well
 * for: less than all after saying in *why what went wrong. */
int sched_apply_plan(Program *p, Plan *plan, const Versions *v, bool keep, Text *why);
/* One kernel, behind those steps; `keep` as above. NULL after saying in *why what went wrong. */
Kernel *sched_apply_one(Program *p, StepList *at, Group *gr, const Schedule *s, bool keep, Text *why);
/* Kernels that keep their groups and stand beside each other become parts of one launch where that is predicted to be
 * quicker on the machine (parts.c). False after saying in *why what went wrong. */
bool sched_parts(SchedWork *w, const Machine *m, Text *why);
/* Whether some sizes come to a group; whether a condition holds for all. */
bool sched_used(const Group *gr);
bool sched_always(const Expr *when);
/* Temporaries that no kernel touches go: those of divisions that nobody chose. */
void sched_keep_used(Program *p);
/* A product in place, of which no thread of a kernel may read an element that another one stores: it has the fallback's
 * schedule. */
bool sched_in_place(const Group *gr);

/* Temporaries that are read for the last time, once an element, are read past the cache (stream.c). */
void sched_stream(Program *p);

#endif
