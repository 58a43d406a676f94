/* Elements of an inout that data name are stored by who names them last: see placed.c. */
#ifndef TDC_PLACED_H
#define TDC_PLACED_H

#include "sorted.h"

/* The inout whose elements that would be, once the fold is updates; NULL: none. */
const Tensor *placed_reader(Graph *g, Ctx *temp, const SortedFold *f);
/* Of all inouts of a Graph in which lets are updates (updated.h). */
void placed_write(Graph *g, Ctx *temp);

#endif
