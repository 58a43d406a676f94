/* Schedules that `tdc tune` has measured: which lines of a tuning file are for a group, and the versions that they
 * become. */
#ifndef TDC_TUNED_H
#define TDC_TUNED_H

#include "sched/library/tuning.h"
#include "versions.h"

/* The lines of a file that are for a machine. */
typedef struct Tuned {
    Ctx *ctx;
    const Tuning *tuning;
    int machine; /* as TuneSchedule.machine */
    bool *said;  /* of each line: that it is not legal */
} Tuned;
Tuned *tuned_new(Ctx *ctx, const Tuning *t, int machine);

/* What a group computes, as a number: its equations with the types of its tensors, how they are indexed, and which axes
 * they have. Names, lengths and all numbers that may be lengths are left out, so that it is the same whether a length
 * is fixed or not. Groups of one form may still need different schedules: what is found by it must be legal, too. */
uint64_t tuned_form(Group *gr);

/* The versions of a group by lines of its form, in their order and at most so many. Those whose condition never holds,
 * as far as is known, are left out; one that always holds has none, and is the last. A line that is not legal, or asks
 * for more than a target has, is left out with a warning. */
void tuned_versions(Tuned *x, Group *gr, Targets t, int most, Versions *v);

#endif
