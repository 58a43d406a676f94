/* Reductions by keys that scatter into bins: see scatter.c. */
#ifndef TDC_SCATTER_H
#define TDC_SCATTER_H

#include "plan.h"

/* Whether all steps of a group may scatter, along one axis, and whether a step may by itself. */
bool scatter_may(Group *gr);
bool scatter_keyed(Group *gr, const GStep *p);
/* The group in which all steps scatter along one axis; NULL: not all are by keys along it, or something else forbids
 * it. */
Group *scatter_group(Group *gr);

#endif
