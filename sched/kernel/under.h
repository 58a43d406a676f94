/* Exponentials of which few digits are used: see under.c. */
#ifndef TDC_UNDER_H
#define TDC_UNDER_H

#include "kernel.h"

/* Which exponentials and sigmoids of a part op_under's functions may compute (docs/language.md, 9.11): Expr -> 1, in
 * the memory of ctx. */
void under_find(Program *p, const Kernel *k, const Part *part, Ctx *ctx, ExprMap *under);

#endif
