/* Folds over ranges that are data: fold[j where starts[v] <= j && j < starts[v + 1] && rest](e), where v is a number
 * made of indices. Nothing says how long the longest range is, and it is one thread group's. Here such folds are found,
 * and may be made of folds of chunks of positions, of which each is as much work as any other; whether they are is not
 * decided here (sched/search/chunking.c). */
#ifndef TDC_CHUNKED_H
#define TDC_CHUNKED_H

#include "ir/expr_map.h"
#include "ir/graph.h"

enum {
    CHUNK_ROWS = 6, /* bits: a thread alone folds a range of 2^6 rows in some 30 us (0.4 us a row on an H200), and what
                         chunks leave behind is a 64th of what they read */
    CHUNK_FLAT = 8, /* where each position is one number, it folds 2^8 in some 15 us; and each chunk asks whose it is */
    CHUNK_LEVELS = 2 /* chunks, and chunks of chunks */
};

typedef struct ChunkedFold {
    const Expr *reduce;
    const Piece *piece;  /* in which it was met first */
    int at;              /* of its variables, the position */
    const Expr *says[2]; /* the conditions that say where the range begins and ends; NULL: the variable's own range */
    Tensor *starts;      /* of a sort, whose keys say of a position which range it is in; or data known to ascend */
    const Expr *element; /* v, i64 */
    const Expr *below;   /* ranges: starts has one element more */
    const Expr *n;       /* positions */
    Var *x;              /* the position, of 0..n */
    /* v is the sum of stride * (digit - its least value), the highest digit first. */
    int ndigits;
    Var *digit[MAX_RANK];
    const Expr *stride[MAX_RANK];
    int bits;   /* a chunk has 2^bits positions */
    int levels; /* decided: CHUNK_LEVELS at most; 0: it stays as it is */
} ChunkedFold;
/* Positions of a chunk of a level. */
static inline int64_t chunk_positions(const ChunkedFold *f, int level) { return (int64_t)1 << level * f->bits; }

/* Of ranges that no sort has made: in which the first position of each chunk is. */
typedef struct ChunkOwners {
    const Tensor *starts;
    const Expr *n;
    int bits;
    Tensor *owner; /* of each chunk */
} ChunkOwners;

typedef struct ChunkedPlan {
    Graph *g;
    Ctx *temp;
    VEC(ChunkedFold *) folds; /* in the order in which they were met */
    ExprMap of;               /* OP_REDUCE -> ChunkedFold */
    VEC(ChunkOwners) owners;
} ChunkedPlan;

/* All of a Graph's; what it notes is in the memory of temp. */
ChunkedPlan *chunked_find(Graph *g, Ctx *temp);
/* Elements that chunks of a level leave behind, 1 the first. */
const Expr *chunked_left(Graph *g, Ctx *temp, const ChunkedFold *f, int level);
/* Writes the folds that have levels into the Graph's definitions, with lets in front of them. exact: for exact algebra,
 * in which no sum is carried over to another maximum. */
void chunked_write(ChunkedPlan *p, bool exact);

#endif
