/* The Graph of an entry's assumptions, for compilations that test what programs assume of their data. It is a Graph
 * like others: scheduling and lowering know nothing of it. */
#ifndef TDC_ASSUMED_H
#define TDC_ASSUMED_H

#include "graph.h"

/* What one output of such a Graph tells: the row-major number, among the values of vars, of the first for which the
 * assumption does not hold; INT64_MAX where it holds for all. */
typedef struct Assumed {
    Sym text;  /* as the source has it: "assume 0 <= ids[n] && ids[n] < V" */
    Sym place; /* "model.td:8"; "" where there is no source */
    int nvars;
    Sym *names;
    const Expr **extents; /* over dimensions; each variable begins at 0 */
} Assumed;

typedef VEC(Assumed) Assumptions;

/* Turns g into the Graph of its assumptions on data: its inputs and inouts become inputs, in their order, and one
 * output of type i64 and rank 0 stands for each row of *all. False where there is nothing to test; g is of no use then.
 * Loads whose subscripts are data are done only in range: an assumption that does not hold makes no other one's test
 * fault. */
bool graph_assumed(Graph *g, Assumptions *all);

#endif
