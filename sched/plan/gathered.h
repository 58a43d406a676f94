/* Elements of rows at places that are data, where the rows are changed in place:
 *
 *   loss[i] = lse[i] - x[i, at[i]];   x[i, j] = ...;
 *
 * Another thread than the one that reads x[i, at[i]] changes it. As a fold of its row that has this one element,
 *
 *   max[k where k == at[i]](x[i, k])
 *
 * it is found by the thread that changes it. That costs a comparison an element, where the row is folded anyway. A
 * maximum is exact: of no elements it is less than all, and NaN where one is. */
#ifndef TDC_GATHERED_H
#define TDC_GATHERED_H

#include "ir/equation.h"

/* e with such folds in place of loads of what the equation changes, which may be another one's. It has to be asked
 * whether they pay, and whether what stands there now may be in one kernel with the equation. */
const Expr *gathered_folds(Graph *g, const Equation *update, const Expr *e);
/* Whether what a load names exists for all values of its variables, whatever conditions it stands under. */
bool gathered_always(Graph *g, const Expr *load);

#endif
