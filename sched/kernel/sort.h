/* Facts of sorts (step.h) that more than one place asks for: their memory, their launches, how many bytes they move.
 * The kernels are backend_cuda/prelude/sort.cuh: a radix sort from the lowest digit on, in which each pass reads keys
 * and numbers once and writes them once in their places (Adinets and Merrill, "Onesweep", 2022). A block has a tile; it
 * counts the digits of its keys and learns from the tiles before it where its own belong (Merrill and Garland,
 * "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). */
#ifndef TDC_SORT_H
#define TDC_SORT_H

#include "kernel.h"
#include "sched/machine/machine.h"
#include "traffic.h"

enum {
    SORT_TILE = 4096, /* keys of a block */
    SORT_DIGIT = 9,   /* bits of a pass at most: a block's counters are few enough for its shared memory */
    SORT_KEYS = 31    /* bits of the bound, and of the number of keys */
};

/* What its function in model.cu is called, after the file's prefix. */
Sym sort_symbol(const Program *p, const SortStep *s);
/* Passes over the keys: of all the bits that the bound has, in equal digits. */
int sort_passes(int64_t below);
int sort_digit(int64_t below); /* bits of each pass */
/* Elements of scratch: what all blocks count, what they tell each other, two lists of keys and one of numbers. */
const Expr *sort_scratch(Graph *g, const Tensor *keys);
/* Kernels that are launched; what clears the counters is none. */
int sort_launches(int64_t below);
/* Bytes of tensors, each once: the keys, and what the sort defines. */
bool sort_traffic(const Program *p, const SortStep *s, const int64_t *dims, Traffic *sum);
/* Seconds of a sort on a machine, without its launches but with what clears its counters. */
double sort_seconds(const Machine *m, int64_t keys, int64_t below, Type t, bool ordered);

#endif
