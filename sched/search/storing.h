/* Which lets are stored that might be written into what reads them: a plain one without reductions of which windows
 * read each element many times, `sum[r](g[l + r]*w[r])` with `g[l] = a[l]*sigmoid(b[l])`. */
#ifndef TDC_STORING_H
#define TDC_STORING_H

#include "sched/machine/machine.h"

/* By Tensor.id, in the memory of ctx; NULL: there are none. */
const bool *storing_choose(Graph *g, Targets t, const Machine *m, Ctx *ctx);

#endif
