/* Gives a dimension of a Graph its value for good: what `-D N=4096` asks for. */
#ifndef TDC_FIX_H
#define TDC_FIX_H

#include "graph.h"

/* Every use of the dimension becomes the constant, and it is no argument of the entry any more. False after saying why,
 * where the dimension's constraints exclude the value. */
bool graph_fix_dim(Graph *g, Dim *d, int64_t value, Text *why);

#endif
