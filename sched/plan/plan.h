/* A Plan is the partition of a Graph: which equations are stored, and which of them share a kernel. README.md shows the
 * text of one. It is made in steps, each of which leaves a whole Plan (or what the next one starts from):
 *
 *   prepare_graph (prepare.h)       definitions made self-contained, lets written into what reads them
 *   partition_graph (partition.c)   roots and temporaries; one Group a root
 *   share_groups (share.c)          roots that one kernel may compute become one Group
 *   interleave_groups (interleave.c) pieces that lie between each other become one store
 *   fuse_groups (fuse.c)            rows and columns of the same elements may be folded by one Group, and rows be
 *                                   changed in place by one (in_place.h)
 *   split_groups (split.c)          large reductions with few results may be done by two Groups, scans of few rows by
 *                                   several (split_scan.c), and two that read the same, one of them the other's
 *                                   result, by one pass (online.h)
 *   flat_groups (flat.c)            axes that all accesses walk as one become one
 *
 * Only the first two are needed; without the others kernels are more, or slower, and as correct. */
#ifndef TDC_PLAN_H
#define TDC_PLAN_H

#include "group.h"
#include "sched/machine/machine.h"

struct Preparation;

/* Why two tensors that were tried have no kernel in common: `other` reads `one`, or is stored after it. */
typedef struct Reason {
    const Tensor *one, *other;
    const char *why; /* short; after "NAME: " */
} Reason;
typedef struct Reasons {
    Ctx *ctx;
    VEC(Reason) list;
} Reasons;

/* A tensor in the workspace: a let that is stored, or one that the partition made. */
typedef struct PlanTemp {
    Tensor *tensor;
    const char *why;      /* it is stored, and not computed where it is read */
    const Tensor *reader; /* in whose equation it was found to be needed; NULL: in no single one */
} PlanTemp;

/* Two ways to do the work of two groups: one after the other, or by one that reads what both need once. That is for
 * shares of the second's fold, and another group folds these (fuse.c); or it changes rows in place (in_place.h). All of
 * them are among the plan's groups, one behind the other. */
typedef struct Fusion {
    Group *apart[2], *fused[2];
    int nfused;
    const Expr *when; /* sizes for which they are fused, once that is decided; NULL: for none */
} Fusion;

/* A length that is not known, up to which kernels are quicker with products than a library with computed factors that
 * are stored first: rows of a layer whose weights are bytes, say. */
typedef struct FewRows {
    Dim *dim;              /* NULL: there is none */
    int64_t most;          /* few are at most so many */
    int64_t told, longest; /* the length's hint and Dim.hi */
} FewRows;

typedef struct Plan {
    Graph *graph;
    VEC(Equation) roots; /* what is stored, in an order in which it may be computed */
    VEC(Group *) groups; /* in the order of launching */
    VEC(PlanTemp) temps;
    VEC(Fusion *) fusions;
    const Expr *branch; /* sizes for which groups that are a branch's are taken instead of the others; NULL: none are */
    FewRows few;        /* filled in by the partition, of its products; without a hint */
    Reasons *reasons;   /* NULL: not kept */
    const int64_t *dims;                /* lengths (by Dim.id) that it is for; NULL: those that are guessed */
    ExprMap names;                      /* of tensors: taken */
    ExprMap numbers;                    /* the stem of a name -> the last number after it */
    const Monoid *online[ONLINE_KINDS]; /* NULL: no group has one yet */
} Plan;

/* All steps but flat_groups, for a machine. With products for a matrix library or without; `reasons` may be NULL. NULL
 * after saying in *why what it cannot do. */
Plan *plan_new(Graph *g, const Machine *m, bool library, Reasons *reasons, Text *why);

/* The second step alone: a Group for each root. As plan_new. */
Plan *partition_graph(struct Preparation *prep, const Machine *m, bool library, Reasons *reasons, Text *why);
/* Places some equations (again) as the partition does for the plan's lengths: their roots and groups, and those of the
 * temporaries that they need, are appended. False where something cannot be done. */
bool partition_roots(Plan *plan, struct Preparation *prep, const Machine *m, const Equation *roots, int n);
/* The others change the plan's groups in place. */
void share_groups(Plan *plan); /* calls the next one */
void interleave_groups(Plan *plan);
void fuse_groups(Plan *plan, const Machine *m);
void split_groups(Plan *plan, const Machine *m);
/* The same without passes that carry sums over to another maximum or mean, which are no identities of exact algebra. */
void split_drop_online(Plan *plan);
void apart_groups(Plan *plan, struct Preparation *prep, const Machine *m);
void flat_groups(Plan *plan);
void flat_folds(Group *gr); /* before a group is divided: axes that all of its steps fold */

/* plan.c */
Plan *plan_empty(Graph *g, Reasons *reasons);
/* Puts the groups of another plan of the Graph behind those that there are, as a branch for these sizes. */
void plan_branch(Plan *plan, Plan *other, const Expr *when);
/* A name that no tensor has: the stem and a number. */
Sym plan_name(Plan *plan, Sym stem);
void plan_store(Plan *plan, Tensor *t, const char *why, const Tensor *reader);         /* appends a temporary */
void plan_reason(Plan *plan, const Tensor *one, const Tensor *other, const char *why); /* where reasons are kept */

/* The plan as text, for people (plan_print.c; README.md describes it). */
void plan_print(Text *out, const Plan *plan);

#endif
