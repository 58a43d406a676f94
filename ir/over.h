/* What an expression inside of a computation stands for outside, where the computation is done for all values of index
 * variables: its tensors get an axis for each, in front of their own. Inside, a variable of its own stands for each
 * one outside; it runs from 0 on. Calls under index variables are inlined so. */
#ifndef TDC_OVER_H
#define TDC_OVER_H

#include "graph.h"

/* outer[i] is inside[i] there, own[i] is back[i] outside. */
typedef struct Over {
    VarVec vars; /* own, as variables */
    ExprVec outer, own, inside, back;
} Over;

/* Adds v unless it is there. False: its range depends on more than dimensions, so that it is no axis. */
bool over_add(Graph *g, Over *o, Var *v);
const Expr *over_inside(Graph *g, const Over *o, const Expr *e);
const Expr *over_outside(Graph *g, const Over *o, const Expr *e);
/* Whether b's variables may stand for a's: their ranges are the same. */
bool over_same(const Over *a, const Over *b);
/* Those of the variables inside on which n pieces of a tensor of this rank depend. */
Over over_used(Graph *g, const Over *all, const Piece *pieces, int n, int rank);
/* The piece with an axis for each variable, which fresh ones define. */
Piece over_piece(Graph *g, const Over *o, Piece p, int rank);

#endif
