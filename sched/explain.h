/* What `tdc explain` says of a program: see explain.c. */
#ifndef TDC_EXPLAIN_H
#define TDC_EXPLAIN_H

#include "kernel.h"
#include "target.h"
#include "tuning.h"

/* For a program of sched_program with SchedOptions.reasons, or one read from a text, at these values of dimensions and
 * scalars, in the order of the graph; tuned products are those of the tuning file, which may be NULL. False after
 * saying in *why which size cannot be. */
bool sched_explain(Text *out, const Program *p, const Target *t, const Tuning *tuning, const int64_t *dims,
                   const double *scalars, Text *why);

/* Bytes of tensors that a kernel reads and writes, each element once, at the sizes at hand; conditions on elements are
 * taken to hold. False where a size cannot be. */
typedef struct Traffic {
    int64_t read, written;
} Traffic;
bool kernel_traffic(const Program *p, const Kernel *k, const int64_t *dims, Traffic *sum);

#endif
