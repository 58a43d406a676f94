/* What could not be fast, and why: reports of -Wperf, computed from kernels, not from names. */
#ifndef TDC_PERF_H
#define TDC_PERF_H

#include "kernel.h"
#include "sched/machine/target.h"

/* Of a kernel's schedule, for a target; the lowering reports of its own what it decides. */
void perf_kernel(const Program *p, const Kernel *k, const Target *t);
/* The equation that a kernel computes, as far as one is known; else the entry's name. */
Span perf_place(const Program *p, const Kernel *k);
/* Whether sizes take the kernel for which it is worth something to write the source otherwise. */
bool perf_matters(const Program *p, const Kernel *k);
bool perf_made(const Program *p, const Tensor *t); /* by the scheduler: nobody wrote it */

#endif
