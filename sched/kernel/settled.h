/* Threads that a launch leaves out, or gives other rows: see settled.c. */
#ifndef TDC_SETTLED_H
#define TDC_SETTLED_H

#include "kernel.h"

/* The outermost factor of a kernel's threads, where a launch starts only as many of it as hold elements of its axis;
 * NULL: all threads are started. The kernel is finished and verified. */
const Factor *kernel_settled(const Kernel *k);
/* The lanes of a kernel's warps, where a launch gives a row only as many of them as it needs, the next power of two,
 * and the others to the rows of the warps and blocks behind; NULL: each row has all of them. Never where
 * kernel_settled says of warps. The kernel is finished and verified. */
const Factor *kernel_settled_lanes(const Kernel *k);
/* How many of either it takes to hold all elements of the axis, an expression of dimensions; and how many of those that
 * there are hold some, at least 1. */
const Expr *kernel_settled_needs(Program *p, const Factor *f);
const Expr *kernel_settled_count(Program *p, const Factor *f);
/* Where lanes are settled, a launch has warps of at most so many blocks more than the axes need: */
enum { SETTLED_BEYOND = TARGET_WARP - 1 };
/* the slowest digit of a block's number, by which its axis's index lies beyond the end there; NULL: there is none. */
const Factor *kernel_settled_open(const Kernel *k);

#endif
