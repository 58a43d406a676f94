/* Large reductions into shares of many blocks: see split.c. */
#ifndef TDC_SPLIT_H
#define TDC_SPLIT_H

#include "plan.h"

enum { SPLIT_LEAST_SHARES = 4 };
#define SPLIT_WHY_SHARES "shares of a large reduction, which many blocks fold"
#define SPLIT_WHY_COLUMNS "columns, of which several are folded to one"

/* As many blocks as keep the machine busy: two a multiprocessor. */
int64_t split_many(const Machine *m);
/* Shares where lengths are not known, and rows may be several. */
int64_t split_few(const Machine *m);
/* Shares of what p folds, or scans, along the axis that keep the machine busy together, each long enough to be worth a
 * block; by the lengths that are guessed. */
int64_t split_shares(Group *gr, const Machine *m, int axis, const GStep *p);
/* Elements of which shares of a scan are multiples: what a block folds before it is worth one. */
int64_t split_whole(Group *gr);
bool split_all_known(const Group *gr);
bool split_has_shares(const GAxis *a, int64_t n); /* whether it has, or may have, an element for each of n */
/* A temporary of a division of gr: GROUP_NAME and a number, with an element for each share, where there are some, and
 * those axes. */
typedef struct SplitTemp {
    const char *name, *why;
    AxisSet axes;
    Type type;
    int64_t shares; /* 0: it has no axis for them */
} SplitTemp;
Tensor *split_temp(Plan *plan, const Group *gr, SplitTemp of);
/* The subscripts of such a one; share NULL: it has no axis for them. */
const Expr **split_subs(const Group *gr, AxisSet axes, const Expr *share);
/* All steps fold the same axes, each into one number for every element of the stores, but of those that are along what
 * is folded: a share that lacked an axis of theirs would be stored by several blocks. */
bool split_may(const Group *gr);
/* Of folded axes the longest; of equal ones that along which accesses are least contiguous. -1: there is none. */
int split_axis(const Group *gr, AxisSet over, const Machine *m);
/* Each block has one of n shares of the axis: it stores what is along that, and what the steps that fold it come to for
 * its share. The rest folds these, and stores what is not along the axis; it is missing where it has too many
 * variables. */
Division split_into(Plan *plan, const Group *gr, int axis, int64_t n);

/* Gives a group with scans along one axis its divisions, where there may be some (split_scan.c). */
void split_scans(Plan *plan, Group *gr, const Machine *m);

/* Whether at these lengths few blocks would do the work of a group's rows (apart.c). */
bool apart_pays(const Group *gr, const int64_t *dims);

#endif
