/* Large reductions into shares of many blocks: see split.c. */
#ifndef TDC_SPLIT_H
#define TDC_SPLIT_H

#include "plan.h"

/* As many blocks as keep the machine busy: two a multiprocessor. */
int64_t split_many(const Machine *m);
/* All steps fold the same axes, each into one number for every element of the stores, but of those that are along what
 * is folded: a share that lacked an axis of theirs would be stored by several blocks. */
bool split_may(const Group *gr);
/* Of folded axes the longest; of equal ones that along which accesses are least contiguous. -1: there is none. */
int split_axis(const Group *gr, AxisSet over, const Machine *m);
/* Each block has one of n shares of the axis: it stores what is along that, and what the steps that fold it come to for
 * its share. The rest folds these, and stores what is not along the axis; it is missing where it has too many
 * variables. */
Division split_into(Plan *plan, const Group *gr, int axis, int64_t n);

/* Whether at these lengths few blocks would do the work of a group's rows (apart.c). */
bool apart_pays(const Group *gr, const int64_t *dims);

#endif
