/* Facts of sorts (step.h) that more than one place asks for: their memory, their launches, how many bytes they move.
 * Where the order is wanted the kernels are backend_cuda/prelude/sort.cuh: a radix sort from the lowest digit on, in
 * which each pass reads keys and numbers once and writes them once in their places (Adinets and Merrill, "Onesweep",
 * 2022). A block has a tile; it counts the digits of its keys and learns from the tiles before it where its own belong
 * (Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). Few keys one block sorts in
 * its shared memory, or the blocks of a cluster do in theirs. Of starts alone they are count.cuh: keys are counted
 * where they are, and the counts summed up. */
#ifndef TDC_SORT_H
#define TDC_SORT_H

#include "kernel.h"
#include "rank.h"
#include "traffic.h"

enum {
    SORT_KEYS = 31,       /* bits of the bound, and of the number of keys */
    SORT_DIGIT = 9,       /* bits of a pass at most: a block's counters are few enough for its shared memory */
    SORT_TILE = 4096,     /* keys of a block */
    SORT_WARPS = 16,      /* of such a block */
    SORT_COUNTERS = 8192, /* of a block that counts, where others are to run beside it; one block sums so many up */
    SORT_SUMS = 4096,     /* counts of a tile that is summed up */
    SORT_GAPS = 8 /* times as many numbers as keys: a thread then looks for the start of each. (One block took 50 us
                             to write the starts of 50257 between 1024 keys in order, on an H200.) */
};

/* Few keys are sorted in one launch, in the shared memory of one block or of those of a cluster. */
typedef struct SortFew {
    int digit;  /* bits of a pass at most */
    int keys;   /* of a block at most, and */
    int warps;  /* its warps */
    int blocks; /* of the cluster at most; 1: it is none */
    int found;  /* numbers whose starts are then found by the way */
} SortFew;
/* On what has clusters large enough, and what has none; for several targets what serves all of them. */
const SortFew *sort_few(const Target *t);
const SortFew *sort_few_of_all(Targets t);

/* What its function in model.cu is called, after the file's prefix. */
Sym sort_symbol(const Program *p, const SortStep *s);
/* Elements of scratch (of a rank see rank.h). With an order: what all blocks count, what they tell each other, two
 * lists of keys and one of numbers; of starts alone: the counts, and what the tiles of their sums tell each other. */
const Expr *sort_scratch(Graph *g, const Sort *s);

/* What is asked of keys below a bound. */
typedef enum SortWant {
    SORT_ORDER,  /* their order, and the starts in it */
    SORT_COUNTS, /* starts alone */
    SORT_FIND    /* starts alone, of keys that stand in order */
} SortWant;
static inline SortWant sort_want(const Sort *s, bool ordered) {
    return s->ascends ? SORT_FIND : ordered ? SORT_ORDER : SORT_COUNTS;
}

/* How a sort goes about it, at a size. */
typedef struct SortWay {
    int passes, digit; /* over all keys, and bits of each; of starts alone 0 */
    int launches;      /* of kernels; what clears the counters is none */
    bool clears;       /* counters are cleared first */
    bool few;          /* one block has all keys, or the blocks of a cluster have */
    int blocks;        /* of the cluster then, or 1 */
    bool apart;        /* starts are found in the order by a kernel of its own */
} SortWay;
SortWay sort_way(const Target *t, int64_t keys, int64_t below, SortWant want);
/* Bytes of tensors, each once: the keys, and what the sort defines. */
bool sort_traffic(const Program *p, const SortStep *s, const int64_t *dims, Traffic *sum);
/* Seconds of a sort on a machine, without its launches but with what clears its counters. */
double sort_seconds(const Machine *m, int64_t keys, int64_t below, Type t, SortWant want);

/* The sizes that matter of a step: keys and their bound, or a rank's. */
typedef struct SortSizes {
    int64_t keys, below;
    RankSizes rank;
} SortSizes;
bool sort_sizes(const Program *p, const SortStep *s, const int64_t *dims, const double *scalars, SortSizes *out);
int sort_step_launches(const Target *t, const SortStep *s, const SortSizes *at);
double sort_step_seconds(const Machine *m, const SortStep *s, const SortSizes *at);

/* ---- what ranks share ---- */
/* A kernel that moves so many bytes: from and to the second cache where that holds all of them. */
double sort_moved(const Machine *m, double bytes);
/* Passes over all keys by many blocks; bytes of a key as it is given, and as it is kept between passes. */
typedef struct SortPasses {
    int passes, digit;
    int tile, warps; /* keys of a tile, and warps */
    double keys, tiles;
    int given, kept;
} SortPasses;
double sort_passes_seconds(const Machine *m, const SortPasses *w);

#endif
