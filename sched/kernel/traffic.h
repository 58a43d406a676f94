/* How many bytes of tensors a kernel moves, from the subscripts of its accesses. */
#ifndef TDC_TRAFFIC_H
#define TDC_TRAFFIC_H

#include "kernel.h"

/* Bytes of tensors that a kernel reads and writes, each element once, at the sizes at hand; conditions on elements are
 * taken to hold. False where a size cannot be. */
typedef struct Traffic {
    int64_t read, written;
    /* Of kernels: bytes that are read once more, by a later load of the same elements, or by blocks and in loops along
     * which a load does not vary; a product of the library as the kernel that stands in for it. */
    int64_t again;
} Traffic;
bool kernel_traffic(const Program *p, const Kernel *k, const int64_t *dims, Traffic *sum);
/* The least that a way must move: what its kernels read of inputs, once, and what they write to outputs, once. */
bool way_traffic(const Program *p, const Way *w, const int64_t *dims, Traffic *sum);

#endif
