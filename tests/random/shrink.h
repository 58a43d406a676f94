/* Makes a failing program small: shorter sequences of choices that still fail in the same way, then simpler schedules.
 */
#ifndef TDC_RANDOM_SHRINK_H
#define TDC_RANDOM_SHRINK_H

#include "trial.h"

/* A program by its choices. */
typedef struct Sample {
    Ints choices;
    Spans spans;
    bool has[FEAT_COUNT];
    Case c;
} Sample;

/* Draws the k-th program of a seed, or repeats choices. */
void sample_draw(Ctx *ctx, Sample *s, uint64_t seed, int k);
void sample_repeat(Ctx *ctx, Sample *s, const int *choices, int n, uint64_t schedule_seed);

/* Replaces sample and verdict by smaller ones; gives up after so many seconds. */
void shrink(Ctx *ctx, Sample *s, Verdict *v, int seconds);

#endif
