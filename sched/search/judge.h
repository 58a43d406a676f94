/* Seconds of a kernel at given sizes, from its features and the figures of a machine. */
#ifndef TDC_JUDGE_H
#define TDC_JUDGE_H

#include "features.h"
#include "sched/machine/machine.h"

/* How much longer than the average the longest range of those that are data is taken to be, and how much more often an
 * element is met by keys: a choice, since programs do not say. Of 10^5 owners whose keys are drawn evenly the longest
 * range is a few times as long, by Zipf's law thousands of times; a schedule that is good for this much loses little
 * where they are even, and shares a long one among some lanes or warps. */
static const double JUDGE_LONGER = 16;

/* The share of chunks that are taken to have work where kernels are compared, also a choice. Where ranges are short
 * none has, where a few have most of the positions all have, and of offsets that are drawn evenly, one range for each
 * chunk, three positions of four lie in longer ranges than a chunk. Measured on an H100, of kernels for all sizes,
 * chosen by a quarter and by a 16th of the chunks: even segments of 32 rows 85 and 12 us, ranges between drawn offsets
 * 165 and 86, keys by Zipf's law 67 and 67. */
static const double JUDGE_FULL = 1.0 / 16;
/* And for predicted times: hardly any, as where ranges are even. */
static const double JUDGE_LIKELY_FULL = 1.0 / 64;

/* What each by itself would take, in seconds. */
typedef struct JudgeParts {
    double launch, memory, cache, issue, latency, tail;
    double bytes;   /* from and to memory */
    double longest; /* of a thread with the longest of ranges that are data; 0: there are none */
} JudgeParts;

/* dims in the order of the Graph. left: of each of f->tensors the bytes that what ran before has left in the second
 * cache; NULL: none. *parts may be NULL. Infinite where the features are not known. f keeps what it computes on the
 * way: one thread at a time. */
double judge_seconds(Features *f, const Machine *m, const int64_t *dims, const double *left, JudgeParts *parts);

/* What a part of a kernel takes: its features are those of a kernel that has nothing else. */
typedef struct JudgeTaken {
    JudgeParts p;
    double blocks, slots, at_once; /* and how many may run, and do, at a time */
    double lives;                  /* seconds of all blocks, one after the other */
    double most;                   /* of one of them */
    double busy;                   /* multiprocessors that have some */
    bool spills;
} JudgeTaken;

/* Registers of a thread. */
double judge_registers(const Features *f, const Machine *m);
/* What a part takes whose kernel has that many registers a thread and that much shared memory a block, those of the
 * largest part; of features that are known. */
void judge_part(Features *f, const Machine *m, const int64_t *dims, double registers, double shared, JudgeTaken *t);
/* Seconds of the kernel. */
double judge_together(const JudgeTaken *const *t, int n, const Machine *m, JudgeParts *parts);

/* Blocks that a multiprocessor has registers for, without a launch bound; at least 1. */
int judge_resident(const Features *f, const Machine *m);

/* Of several kernels, one after the other, each with what those before it leave in the second cache. */
double judge_all_seconds(Features *const *f, int n, const Machine *m, const int64_t *dims);

/* By what kernels are chosen: their seconds where JUDGE_FULL of chunks have work, but of each at least what the longest
 * of its ranges takes. */
double judge_choice(Features *const *f, int n, const Machine *m, const int64_t *dims);

/* The same of a kernel that is judged once, with nothing left in caches. */
double judge_kernel_seconds(const Program *p, const Kernel *k, const Machine *m, const int64_t *dims,
                            JudgeParts *parts);

#endif
