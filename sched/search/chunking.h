/* Which folds over ranges that are data are folded in chunks (sched/plan/chunked.h): those of which one long range
 * would take far longer than chunks cost. */
#ifndef TDC_CHUNKING_H
#define TDC_CHUNKING_H

#include "sched/machine/machine.h"

/* Rewrites the Graph. Whether it did. exact: SchedOptions.exact. */
bool chunking_choose(Graph *g, Targets t, const Machine *m, bool exact);

#endif
