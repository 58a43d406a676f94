/* Quicker schedules by moves, as the judge of kernels sees it. */
#ifndef TDC_CLIMB_H
#define TDC_CLIMB_H

#include "features.h"
#include "points.h"
#include "sched/machine/machine.h"
#include "schedule.h"

/* The features of the kernel that a schedule makes, in the memory of ctx, made in p and thrown away: around this stand
 * graph_scratch and graph_scratch_end of the Graph. NULL where they are not known. */
Features *climb_features(Program *p, Group *gr, const Schedule *s, Ctx *ctx);
/* The same where it is to be a part of a kernel (features_of_part). */
Features *climb_part_features(Program *p, Group *gr, const Schedule *s, Ctx *ctx);

typedef struct Climb {
    Ctx *ctx; /* for as long as it takes */
    Group *gr;
    const Machine *machine;
    const Points *points;
    const bool *here;    /* of each point: whether schedules are compared there; at one at least */
    const int64_t *need; /* of each axis: the length up to which schedules must be legal; INT64_MAX: for all */
    const SchedLimits *limits;
    const Schedule *after; /* of a second kernel, which reads what this one stores; NULL: none */
    Group *after_group;
    double beat; /* seconds, at each of the points, as their geometric mean */
    int left;    /* kernels that may be judged yet, at one point; at many, fewer */
} Climb;

/* Makes moves from *s, one after the other, each to a schedule that is quicker, as a mean over the points, until there
 * is none or left is 0. most: schedule_legal_within's of what *s becomes. Gives whether that is so much quicker than
 * what is to be beaten that one may count on it. */
bool climb(Climb *c, Schedule *s, int64_t *most);

#endif
