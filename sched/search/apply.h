/* Applying a schedule to a group: a Kernel. */
#ifndef TDC_APPLY_H
#define TDC_APPLY_H

#include "schedule.h"

/* Appends the kernel to p and finishes it. The schedule is legal. NULL after saying in *why what went wrong. */
Kernel *sched_apply(Program *p, Group *gr, const Schedule *s, Text *why);

#endif
