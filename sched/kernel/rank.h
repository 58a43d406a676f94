/* Facts of ranks (sort.h has those of sorts of keys): how rows are put in order at a size, their memory, their seconds.
 * The kernels are backend_cuda/prelude/rank.cuh. A block sorts a short row in its registers (Batcher, "Sorting networks
 * and their applications", 1968), or lanes of a warp find the few elements that are wanted of it; where few elements of
 * a longer row are wanted, blocks keep those that come before the last one they would keep, and sort them when their
 * memory is full; other rows go through the passes of sort.cuh. */
#ifndef TDC_RANK_H
#define TDC_RANK_H

#include "sched/machine/machine.h"
#include "ir/graph.h"

enum {
    RANK_ROW = 4096,     /* elements of a row that one block sorts */
    RANK_FEW = 16,       /* that are wanted of a row of RANK_SHORT elements: they are found one by one */
    RANK_SHORT = 1024,   /* elements */
    RANK_KEPT = 1024,    /* elements of a longer row that a block keeps at most */
    RANK_PART = 8192,    /* elements of a part of such a row, at least */
    RANK_BLOCKS = 512,   /* parts of all rows, about */
    RANK_MERGED = 65536, /* elements that all parts of a row keep, at most */
    RANK_TILE = 8192,    /* elements of a block that sorts by digits */
    RANK_WARPS = 16      /* of such a block */
};

/* Rows of so many elements, of which so many are wanted. */
typedef struct RankSizes {
    int64_t rows, n, kept;
} RankSizes;

/* How it is gone about, at a size. */
typedef struct RankWay {
    int passes;    /* over all keys by digits of 8 bits; 0: blocks have rows */
    int64_t parts; /* of a row, each of which a block has */
    int launches;
    int lanes; /* of a warp that have a row, whose wanted elements are found one by one; 0: blocks have rows */
} RankWay;

RankWay rank_way(const RankSizes *at, Type t);
bool rank_may_find(const Sort *s); /* at some sizes lanes of a warp have a row */
/* Expressions of a rank's sizes. */
const Expr *rank_rows(Graph *g, const Sort *s);
const Expr *rank_length(const Sort *s);
const Expr *rank_kept(const Sort *s);
/* Elements of i32 of its scratch. */
const Expr *rank_scratch(Graph *g, const Sort *s);
/* Seconds without launches but with what clears counters. */
double rank_seconds(const Machine *m, const RankSizes *at, Type t);

#endif
