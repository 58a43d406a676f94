/* Which of the equations that are stored share a kernel: see share.c. */
#ifndef TDC_SHARE_H
#define TDC_SHARE_H

#include "group.h"

/* Makes the plan's groups of roots that stand in the order of their kernels; alone[i] is the group of roots[i] by
 * itself. */
void share_roots(Plan *plan, const Equation *roots, Group *const *alone, int n);

#endif
