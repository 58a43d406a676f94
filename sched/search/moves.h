/* Schedules that differ from one by a move: what a search goes on with from the best that templates propose. */
#ifndef TDC_MOVES_H
#define TDC_MOVES_H

#include "sched/machine/machine.h"
#include "schedule.h"

/* Takes a schedule that is one move away. False: no more of them are wanted. */
typedef bool MoveTake(void *user, const Schedule *s);

/* Calls take with each of them, in an order that depends on what stands before `take` alone. They need not be legal,
 * and some are equal. need: of each axis, up to which length they are to be legal, INT64_MAX: for all; NULL: all for
 * all. steps: those by a step, too, whose times no judge was held to. */
void moves_from(const Group *gr, const Machine *m, const Schedule *from, const int64_t *need, bool steps,
                MoveTake *take, void *user);

#endif
