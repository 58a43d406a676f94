/* What the files of folds share: lower_reduce.c (the thread's elements) and lower_exchange.c (between threads). */
#ifndef TDC_LOWER_FOLD_H
#define TDC_LOWER_FOLD_H

#include "lower_internal.h"

/* What is folded and where. */
typedef struct Fold {
    Stage *s;
    const Layout *layout;
    int n;                        /* parts of the state */
    const Code *state[MAX_PARTS]; /* at the current digits of the result's registers */
    Factor *outs[MAX_FACTORS];    /* register factors of the result */
    int nouts;
    FactorSet domain; /* of the operands */
} Fold;

/* The predicate of all folded axes and the stage's condition; NULL: none is needed. *vector is the axis of `vec`, the
 * innermost vector, where that is all there is to ask: a vector that lies wholly inside, as nearly all do, then needs
 * no test an element. Without `whole` it is NULL, too, where the instance of whole vectors asks for all of one at once.
 */
const Code *fold_guard(Lower *l, const Fold *f, const Factor *vec, bool whole, const Axis **vector);
/* The thread's own elements of a monoid that selects (lower_select.c); false, and nothing is put, where it is none or
 * its index is not known to grow from register to register. */
bool fold_selected(Lower *l, const Fold *f);

/* Thread factors of `over` that shuffles can fold, as one mask of lane bits; *rest: those that they cannot. */
int fold_lane_mask(const Layout *layout, FactorSet over, FactorSet *rest);
FactorSet fold_cluster_factors(const Layout *layout, FactorSet s);

/* Each folds the states of the threads that differ in such digits, so that all have the result. */
void fold_lanes(Lower *l, const Fold *f, int mask, bool registers); /* of each of the result's registers, or here */
void fold_warps(Lower *l, Fold *f, FactorSet warps);
void fold_cluster(Lower *l, Fold *f, FactorSet cluster);

/* ---- lower_cells.c ---- */
/* One exchange through shared memory: every cell is a part of the state, numbered register, group, member. */
typedef struct Exchange {
    Sym base[MAX_PARTS], turn;
    const Code *group; /* the number of this thread's group; NULL: there is one */
    int region[MAX_PARTS];
    int64_t members, groups, regs;
    const Code *there; /* how many of the members there are, from the first on; NULL: all */
    int64_t apart;     /* cells from a group to the next: members, or one more, so that lanes of groups use all banks */
    bool twice;        /* two copies by turns: one barrier an iteration then suffices */
} Exchange;

/* What tells an exchange from the others of its stage: the first of its regions' purposes, and a part of its names. */
typedef struct ExchangeId {
    int purpose;
    const char *what;
    bool lanes; /* those of a warp are of several groups */
} ExchangeId;
/* The memory of an exchange among `members` of each group; there is a group for each value of the digits of `group`,
 * and for each of `regs` registers. */
Exchange cells_open(Lower *l, const Stage *s, const Layout *layout, FactorSet group, int64_t regs, int64_t members,
                    ExchangeId id);
void cells_put(Lower *l, const Monoid *m, const Exchange *x, const Code *const *state, const Code *cell);
/* Declares words that hold a cell, and gives its parts in *part. */
void cells_get(Lower *l, const Monoid *m, const Exchange *x, const Code *cell, const Code **part);
/* All threads have put what they have; what they read next is there. */
void cells_meet(Lower *l, const Monoid *m, const Exchange *x);
void cells_turn(Lower *l, const Exchange *x); /* the other copy next time */

#endif
