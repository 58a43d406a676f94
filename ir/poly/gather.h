/* Scatters as gathers: a piece says for each value of its variables which element it defines; here it is said for each
 * element which values meet it. Subscripts that are affine in one variable each are inverted, others are compared. */
#ifndef TDC_GATHER_H
#define TDC_GATHER_H

#include "known.h"

/* The elements of a tensor as index variables of their own, each over a whole axis. */
typedef struct GatherElements {
    int rank;
    Var **vars;
    const Expr **subs; /* these variables */
} GatherElements;

/* Of a tensor of this shape; where the piece's subscripts are variables, with their names. */
GatherElements gather_elements(Known *known, int rank, const Expr *const *shape, const Piece *named);
/* What the piece contributes to the element: its values folded over all variables whose subscripts meet it; the
 * monoid's identity where none does. A SUM, PROD, MAX or MIN of numbers. */
const Expr *gather_fold(Known *known, const Piece *p, const GatherElements *el, MonoidKind monoid);
/* The number of the last of the piece's values that meets the element, counted from 0 over the variables that its
 * subscripts do not tell; less than 0 where none does. i64. */
const Expr *gather_last(Known *known, const Piece *p, const GatherElements *el);
/* The piece's value of this number, which is one of them. */
const Expr *gather_numbered(Known *known, const Piece *p, const GatherElements *el, const Expr *number);
/* The element's value where the piece, which defines each element once, defines it, else `other`. */
const Expr *gather_choose(Known *known, const Piece *p, const GatherElements *el, const Expr *other);

#endif
