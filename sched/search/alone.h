/* What an expression takes, in kernels of its own, at one point: hints where there are any, and where nothing is said
 * large lengths for what is asked about, since what is too slow there costs more than what was not needed for small
 * ones. For choices that are made before there is a plan. */
#ifndef TDC_ALONE_H
#define TDC_ALONE_H

#include "sched/machine/machine.h"

enum { ALONE_OWNERS = 16, ALONE_KEYS = 20 /* bits of large numbers of elements and of what is shared between them */ };

typedef struct Alone {
    Graph *g;
    Targets targets;
    const Machine *machine;
    int64_t *dims; /* of the point */
    bool *large;   /* nothing is said of a dimension, and it was made large */
    Ctx *temp;
} Alone;

Alone alone_new(Graph *g, Targets t, const Machine *m, Ctx *temp);
/* The point: all as long as usual; then dimensions of which nothing is said so that the product of n expressions has so
 * many bits; then lengths that the program allows. */
void alone_usual(Alone *x);
void alone_large(Alone *x, const Expr *const *e, int n, int bits);
void alone_legal(Alone *x);
/* Whether e has a dimension of which nothing is said, and which was made large. */
bool alone_is_large(const Alone *x, const Expr *e);
/* Of the kernels that e, of this piece, would have by itself, at the point, with the first launch; INFINITY where it
 * has none. */
double alone_seconds(Alone *x, const Expr *e, const Piece *piece);
/* The same of a piece of a tensor. */
double alone_piece_seconds(Alone *x, Type t, int rank, const Expr *const *shape, const Piece *p);

#endif
