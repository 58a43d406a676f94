/* What a Graph's tensors are, apart from the Graph. A pass may write the same Graph in two ways, each of which is for
 * some sizes: what it was is taken, and put back before it is written the other way. Parameters are the same tensors in
 * all of them, defined by other pieces; lets may be others. */
#ifndef TDC_DEFINITIONS_H
#define TDC_DEFINITIONS_H

#include "ir/graph.h"

typedef struct Definition {
    Tensor *tensor;
    int n;
    Piece *pieces;
} Definition;

typedef struct Definitions {
    VEC(Definition) of; /* in the order of the Graph's tensors */
    VEC(Sort *) sorts;
} Definitions;

Definitions *definitions_take(const Graph *g);
void definitions_put(Graph *g, const Definitions *d);
/* Once both have a plan: of each parameter the pieces of that way in which it keeps some of its elements, as what is
 * asked of a parameter from then on (memory.c) has to hold in both. The Graph has the other way's. */
void definitions_keep_both(const Graph *g, const Definitions *d);

#endif
