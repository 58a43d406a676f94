/* The numbers of a sort as expressions: which number a value of the variables has, and which element it belongs to.
 * Internal to sorted*.c. */
#ifndef TDC_SORTED_FORM_H
#define TDC_SORTED_FORM_H

#include "sorted.h"

/* How many elements there are: of the owners, for each value of what is free in the keys. */
const Expr *sorted_below(Graph *g, const SortedFold *f);
/* The keys as an expression over variables of their own, which equal keys share. */
void sorted_value(Graph *g, const SortedFold *f, SortedKeys *k);

#endif
