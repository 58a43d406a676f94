/* Two reductions of which one reads what the other folds to, as one that reads the elements once: see online.c. */
#ifndef TDC_ONLINE_H
#define TDC_ONLINE_H

#include "plan.h"

/* The group in which all such pairs are one step each, NULL where it has none or something else forbids it. */
Group *online_group(Plan *plan, Group *gr);
/* Steps over the tuples of such pairs are marked as what they are; those of states that were stored are not such. */
void online_mark(const Plan *plan, Group *gr);
/* Whether one step alone reads, in what it folds, what this one folds to, and the two are such a pair. */
bool online_reads(Group *gr, const GStep *p);
/* A group that does what gr does, with other expressions where they stand in the values that it stores; same: its axes
 * are gr's, in their order, so that gr's schedules and lengths are about it, too. */
Group *online_like(const Group *gr, const Expr *const *from, const Expr *const *to, int n, bool same);

#endif
