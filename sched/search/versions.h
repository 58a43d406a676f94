/* Versions of a group: schedules for different sizes, and the conditions by which one is taken.
 *
 * The best schedules at several points (points.h) are compared at all of them. One that serves all sizes begins; then,
 * as long as that gains enough, a set of points is parted by a test of sizes, and each side takes what is best there
 * (versions.c). What comes out is a list of cases that reads well: when N <= 1024, when N <= 16384, else. */
#ifndef TDC_VERSIONS_H
#define TDC_VERSIONS_H

#include "sched/machine/machine.h"
#include "templates.h"

enum {
    MAX_VERSIONS = 32,
    MAX_PLACED = 64,    /* of a group, with those of tuned lines and those for addresses that are not aligned */
    MOST_SCHEDULES = 13 /* of them that differ: each is compiled */
};

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
    Version *at;        /* with room for as many as versions_room was asked for */
    const int *counts;  /* how many kernels there are of at most 1, 2, ... MAX_VERSIONS; NULL: nobody chose, */
    const int *ways;    /* how many ways these make (place.c), */
    bool together;      /* those of one kernel make one way (place.c): else there would be too many ways */
    const double *lost; /* and seconds that these take longer than what is best for each size, about, */
    double usual;       /* of so many that the best takes, as a mean of their logarithms */
} Versions;

/* What was chosen for the same targets and machine, by the form of groups (cost_form.h); {0} to begin with. */
typedef struct SchedMemo {
    ExprMap best;
    int considered; /* candidates of a group, at all points: after that many no further point is searched */
    int moved;      /* kernels that were judged for moves */
    int slow;       /* points at which groups were slow and candidates were looked for once more */
} SchedMemo;

/* The quickest on that machine, legal on all targets; at most `most` of them, 1 to MAX_VERSIONS. */
void versions_choose(SchedMemo *memo, Group *gr, Targets t, const Machine *m, int most, Versions *v);
/* None yet, with room for that many. */
Versions versions_room(Ctx *ctx, int most);
/* What schedules may ask for that are for all of these targets. */
SchedLimits versions_limits(Targets t);
/* One, for all sizes, of that schedule. */
void versions_one(Group *gr, const Schedule *s, Versions *v);
/* Some, with random tests, of random legal schedules (versions_random.c); *state is the generator's. */
void versions_random(Group *gr, uint64_t *state, Versions *v);

/* The versions that are predicted to be quickest on a machine at these sizes (of all dimensions, by Dim.id), in order,
 * each with its seconds: at most so many; how many. */
int versions_best(Group *gr, Targets t, const Machine *m, const int64_t *dims, int most, Version *out, double *seconds);
/* Those one move away from a version's first schedule (versions_near.c), in that order, without itself. Of what the
 * judge of kernels does not know there are none. */
int versions_near(const Version *from, Targets t, const Machine *m, const int64_t *dims, int most, Version *out,
                  double *seconds);
/* Seconds of a version at these sizes, as the judge predicts; INFINITY: it does not know. */
double versions_seconds(const Version *v, const Machine *m, const int64_t *dims);

/* The length of an axis; the product of those of several. */
const Expr *versions_length(const Group *gr, AxisSet axes);
/* Axes whose length the host can compare: not known, and of dimensions. */
AxisSet versions_testable(const Group *gr);

#endif
