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
/* Bytes that a kernel reads once more, from whichever cache holds them or from memory: by a later load of the same
 * elements, or by blocks and in loops along which a load does not vary. What is not known counts as nothing. */
int64_t kernel_read_again(const Program *p, const Kernel *k, const int64_t *dims);
/* The least that a way must move: what its kernels read of inputs, once, and what they write to outputs, once. */
bool way_traffic(const Program *p, const Way *w, const int64_t *dims, Traffic *sum);

#endif
