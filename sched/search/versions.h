/* Versions of a group: schedules for different sizes, and the conditions by which one is taken.
 *
 * The best schedules at several points (points.h) are compared at all of them. One that serves all sizes begins; then,
 * as long as that gains enough, a set of points is parted by a test of sizes, and each side takes what is best there
 * (versions.c). What comes out is a list of cases that reads well: when N <= 1024, when N <= 16384, else. */
#ifndef TDC_VERSIONS_H
#define TDC_VERSIONS_H

#include "sched/machine/target.h"
#include "templates.h"

enum { MAX_VERSIONS = 10, MAX_TOGETHER = 2 /* kernels of a version */ };

/* One way to do a group's work: by a kernel, or by those of a division. */
typedef struct Version {
    const Expr *when; /* of dimensions; NULL: wherever no version before it is taken */
    int n;
    Group *group[MAX_TOGETHER];
    Schedule *schedule[MAX_TOGETHER];
    Span span; /* where its schedule is written; SPAN_NONE: it was chosen */
} Version;

/* In order; the last has no condition. */
typedef struct Versions {
    int n;
    Version at[MAX_VERSIONS];
} Versions;

/* What was chosen for the same targets, by the form of groups (cost_form.h); {0} to begin with. */
typedef struct SchedMemo {
    ExprMap best;
    int considered; /* candidates of a group, at all points: after that many no further point is searched */
    int moved;      /* kernels that were judged for moves */
} SchedMemo;

/* At most `most` of them, 1 to MAX_VERSIONS. */
void versions_choose(SchedMemo *memo, Group *gr, Targets t, int most, Versions *v);
/* One, for all sizes, of that schedule. */
void versions_one(Group *gr, const Schedule *s, Versions *v);
/* Some, with random tests, of random legal schedules (versions_random.c); *state is the generator's. */
void versions_random(Group *gr, uint64_t *state, Versions *v);

/* The length of an axis; the product of those of several. */
const Expr *versions_length(const Group *gr, AxisSet axes);
/* Axes whose length the host can compare: not known, and of dimensions. */
AxisSet versions_testable(const Group *gr);

#endif
