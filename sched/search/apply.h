/* Applying a schedule to a group: a Kernel. */
#ifndef TDC_APPLY_H
#define TDC_APPLY_H

#include "schedule.h"

/* Appends the kernel to those steps (NULL: p's) and finishes it. The schedule is legal; where it is not for all sizes
 * (schedule_legal_within), the kernel says for which. NULL after saying in *why what went wrong. */
/* The factors make a kernel, and each step makes another of that (apply_steps.c). */
Kernel *sched_apply(Program *p, StepList *at, Group *gr, const Schedule *s, Text *why);

/* The same in a program that is thrown away, whose kernel has its shared_bytes, and no names for its values unless the
 * schedule has steps, which tell them apart: around this stand graph_scratch and graph_scratch_end of the Graph. NULL,
 * too, where the schedule has steps and the verifier refuses what they make. */
Kernel *sched_apply_scratch(Program *p, Group *gr, const Schedule *s, Text *why);

/* Whether a schedule may be applied, its steps too: schedule_legal_within, which fills in *most, and where there are
 * steps what the verifier says of the kernel that they make. limits: what it may ask for; NULL: whatever some target
 * has. */
bool sched_legal(Group *gr, const Schedule *s, const SchedLimits *limits, int64_t *most, Text *why);

/* Adds random steps to a schedule whose factors are legal, so that all of it is (apply_random.c). */
void sched_random_steps(Group *gr, uint64_t *state, Schedule *s);

#endif
