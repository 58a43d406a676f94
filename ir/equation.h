/* One equation that is to be stored, before its variables are united with those of others. */
#ifndef TDC_EQUATION_H
#define TDC_EQUATION_H

#include "graph.h"

/* tensor[subs] = value, where the guard holds, for all values of the variables. */
typedef struct Equation {
    Tensor *tensor;
    int nvars;
    Var **vars;
    const Expr **subs;
    const Expr *guard, *value; /* guard NULL: always */
    const Monoid *update;      /* value is folded into the element, in any order; NULL: it becomes the value */
    const Piece *piece;        /* whose variables it takes before it becomes part of a kernel; NULL: it has its own */
    int number; /* equations of one tensor with numbers that differ store other elements; 0: it is not known */
} Equation;

#endif
