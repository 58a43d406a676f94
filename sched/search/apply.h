/* Applying a schedule to a group: a Kernel. */
#ifndef TDC_APPLY_H
#define TDC_APPLY_H

#include "schedule.h"

/* Appends the kernel to those steps (NULL: p's) and finishes it. The schedule is legal; where it is not for all sizes
 * (schedule_legal_within), the kernel says for which. NULL after saying in *why what went wrong. */
Kernel *sched_apply(Program *p, StepList *at, Group *gr, const Schedule *s, Text *why);

#endif
