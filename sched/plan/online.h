/* Two reductions of which one reads what the other folds to, as one that reads the elements once: see online.c. */
#ifndef TDC_ONLINE_H
#define TDC_ONLINE_H

#include "plan.h"

/* The group in which all such pairs are one step each, NULL where it has none or something else forbids it. */
Group *online_group(Plan *plan, Group *gr);
/* A group that does what gr does, with other expressions where they stand in the values that it stores. */
Group *online_like(const Group *gr, const Expr *const *from, const Expr *const *to, int n);

#endif
