/* Indices of an equation split so that what is read at their quotients is read at indices. */
#ifndef TDC_PRODUCT_HEADS_H
#define TDC_PRODUCT_HEADS_H

#include "ir/equation.h"

/* The same equation, in which an index h that loads read at h / n, where its length is a multiple of n, is n * g + r
 * for two indices g and r. */
Equation product_heads(Graph *g, Ctx *temp, const Equation *root);

#endif
