/* How many bytes of tensors a kernel moves, from the subscripts of its accesses. */
#ifndef TDC_TRAFFIC_H
#define TDC_TRAFFIC_H

#include "kernel.h"

/* Bytes of tensors that a kernel reads and writes, each element once, at the sizes at hand; conditions on elements are
 * taken to hold. False where a size cannot be. */
typedef struct Traffic {
    int64_t read, written;
} Traffic;
bool kernel_traffic(const Program *p, const Kernel *k, const int64_t *dims, Traffic *sum);

#endif
