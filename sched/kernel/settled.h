/* Threads that a launch leaves out: see settled.c. */
#ifndef TDC_SETTLED_H
#define TDC_SETTLED_H

#include "kernel.h"

/* The outermost factor of a kernel's threads, where a launch starts only as many of it as hold elements of its axis;
 * NULL: all threads are started. The kernel is finished and verified. */
const Factor *kernel_settled(const Kernel *k);
/* How many of it those are, at least 1, an expression of dimensions. */
const Expr *kernel_settled_count(Program *p, const Factor *f);

#endif
