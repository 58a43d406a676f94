/* What the files of folds share: lower_reduce.c (the thread's elements) and lower_exchange.c (between threads). */
#ifndef TDC_LOWER_FOLD_H
#define TDC_LOWER_FOLD_H

#include "lower_internal.h"

/* What is folded and where. */
typedef struct Fold {
    Stage *s;
    const Layout *layout;
    int n;                     /* parts of the state */
    Sym state[MAX_PARTS];      /* C names of the state, at the current digits of the result's registers */
    Factor *outs[MAX_FACTORS]; /* register factors of the result */
    int nouts;
    FactorSet domain; /* of the operands */
} Fold;

/* Thread factors of `over` that shuffles can fold, as one mask of lane bits; *rest: those that they cannot. */
int fold_lane_mask(const Layout *layout, FactorSet over, FactorSet *rest);
FactorSet fold_cluster_factors(const Layout *layout, FactorSet s);

/* Each folds the states of the threads that differ in such digits, so that all have the result. */
void fold_lanes(Lower *l, const Fold *f, int mask);
void fold_warps(Lower *l, Fold *f, FactorSet warps);
void fold_cluster(Lower *l, Fold *f, FactorSet cluster);

#endif
