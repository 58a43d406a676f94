/* Which of two ways a pair of groups is done (Fusion in sched/plan/plan.h): by sizes. */
#ifndef TDC_FUSING_H
#define TDC_FUSING_H

#include "sched/plan/plan.h"
#include "versions.h"

/* Sizes for which the two are quicker as one, whose versions are given, than they could be apart: NULL where that is
 * never so. */
const Expr *fusing_when(const Fusion *f, const Versions *fused, const Machine *m);
/* Sizes for which they may be one at all. */
const Expr *fusing_bounds(const Fusion *f);
/* Draws when, and how long the rows of the one group may be, for tests; *state is the generator's. */
void fusing_random(Fusion *f, uint64_t *state);

#endif
