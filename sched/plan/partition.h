/* What the files of the partition share. A root is an equation that is to be stored; placing it finds out which parts
 * of it need temporaries, which are roots themselves.
 *
 *   partition.c           the order of work: the graph's definitions, then updates in place (partition_update.c)
 *   partition_place.c     the worklist: roots on their way to a kernel, each above the one that waits for it
 *   partition_take.c      reductions that must leave a kernel
 *   partition_scans.c     running reductions that go backward
 *   partition_product.c   matrix products for a library
 *   partition_factors.c   their factors: what storing those that are computed costs, and in which order they lie
 *   partition_excluded.c  the same under conditions
 *   partition_folds.c     reductions over several indices that are walked as one
 *   partition_temps.c     temporaries: their variables and equations; levels, and what is stored already
 *
 * A walk that needs a temporary asks partition_stored. Where it is not placed yet the answer is NULL: the walk ends
 * there, all its callers return NULL too, and the worklist places the temporary before it starts the walk again. A walk
 * keeps what it has found out in memos that live as long as its root's work, so that it goes on where it was: what is
 * done is not done again, and what was decided is not decided anew. */
#ifndef TDC_PARTITION_H
#define TDC_PARTITION_H

#include "plan.h"
#include "prepare.h"
#include "ir/expr_walk.h"
#include "sched/library/product.h"

typedef struct Partition {
    Graph *g;
    const Machine *machine;
    bool library; /* products go to a library */
    Preparation *prep;
    Plan *plan;      /* roots are appended in the order of their kernels, and the group of each */
    ExprMap temps;   /* an expression over position variables -> the temporary that holds it */
    ExprMap levels;  /* Tensor -> partition_level, of tensors whose roots are placed */
    ExprFree free;   /* variables of expressions, in memory of its own */
    ExprMap sums;    /* in that memory: OP_REDUCE -> whether it is a sum of products (partition_product.c) */
    Equation wanted; /* what partition_stored answered NULL for: the equation of that temporary */
    Text *why;
    bool failed; /* *why says how */
    Ctx *temp;   /* of the root being placed, or between them of the partition */
} Partition;

/* ---- partition_temps.c ---- */

Sym partition_temp_name(Partition *x, Sym base);

/* The equation that a temporary for e would have, without a tensor, and the subscripts at which e reads it; false where
 * e has more variables than a tensor may have. */
bool partition_temp_root(Partition *x, const Expr *e, const Equation *reader, Equation *r, const Expr ***subs);
/* The same without its value; the variables of e are put into vars, which has room for MAX_RANK. */
bool partition_temp_element(Partition *x, const Expr *e, const Equation *reader, Var **vars, Equation *r,
                            const Expr ***subs);
/* The load of what holds e for all values of its free variables (at most MAX_RANK): the let of a mark, a temporary for
 * anything else. NULL where that has been declared (and `why` noted) and has yet to be placed: x->wanted. */
const Expr *partition_stored(Partition *x, const Expr *e, const Equation *reader, const char *why);

/* How many kernels come before the one that stores t; -1: not placed, or what the caller gave. */
int partition_level(const Partition *x, const Tensor *t);
int partition_root_level(Partition *x, const Equation *r); /* by what it loads */
/* e with the lets that kernels before a reader of this level have stored loaded instead of computed again. */
const Expr *partition_reuse(Partition *x, int level, const Expr *e);

/* ---- partition_take.c ---- */

/* One walk over a root's value that takes reductions out. */
typedef struct TakeOut TakeOut;
/* *bad: the OP_REDUCE nodes that must leave; `guarded`: the root has a condition that protects its loads; why: the
 * reason for it. */
TakeOut *partition_take_out(Partition *x, const Equation *root, const ExprMap *bad, bool guarded, const char *why);
/* The root's value with them replaced by loads of temporaries; NULL: waits. */
const Expr *partition_taken_out(TakeOut *t);
/* The same of the guard. */
const Expr *partition_taken_out_of_guard(TakeOut *t);

/* ---- partition_scans.c ---- */

typedef enum Turn { TURN_NONE, TURN_DONE, TURN_BLOCKED } Turn;
/* Turns a backward scan along one of the root's variables forward, where there is one. Beside a forward scan it cannot
 * be: *scan is the one that must become a temporary. */
Turn partition_turn(Partition *x, Equation *root, const Expr **scan);

/* ---- partition_product.c ---- */

/* A walk that stores parts of a root for products. */
typedef struct ForProducts {
    Partition *x;
    const Equation *root;
    ExprRewrite to;  /* of its value */
    ExprMap taken;   /* Expr -> whether it is to be stored (YesOrNo of partition_product.c) */
    ExprMap factors; /* OP_REDUCE -> Factors */
} ForProducts;

bool partition_has_sums(Partition *x, const Expr *e); /* of products of two factors */
/* Walks over the root's value: computed factors of products are stored where that is worth it; the largest products in
 * it are stored. */
ForProducts *partition_for_factors(Partition *x, const Equation *root);
ForProducts *partition_for_products(Partition *x, const Equation *root);
/* What becomes of the value; NULL: waits. */
const Expr *partition_for(ForProducts *w, const Expr *value);

/* Whether the root is a product as it stands: *out. Else its products are not for a library; why may be NULL. */
bool partition_is_product(Partition *x, const Equation *root, Product *out, Text *why);
/* Why a sum of products in the root is a kernel's; NULL where there is none. */
Sym partition_no_product(Partition *x, const Equation *root);
/* The let whose rounding alone keeps the root from being one product with its epilogue; NULL: none. */
Sym partition_rounding(Partition *x, const Equation *root);

/* Whether e, stored for its free variables, would be a product. */
bool partition_would_match(Partition *x, const Expr *e, const Equation *reader);

/* ---- partition_factors.c ---- */

/* What becomes of a product's computed factors. */
typedef struct Factors {
    bool stored;
    Equation order[2]; /* of each that is stored: the reader with its variables alone, in which its elements lie */
} Factors;

/* They are stored where that gives a product that the library takes, and pays: where a kernel does such a share of the
 * products. */
Factors partition_factors(Partition *x, const ProductSum *s, double share, const Equation *reader);
/* The sum with these factors. */
const Expr *partition_with_factors(Partition *x, const ProductSum *s, const Expr *const *f);

/* ---- partition_excluded.c ---- */

/* A sum of products under a condition on indices, and the same as a product: one factor is 0 where it does not hold. */
typedef struct Excluding {
    const Expr *sum, *product, *cond;
    int factor;       /* which one that is */
    const Expr *fits; /* partition_repair's, once it was asked for */
} Excluding;
/* Whether e is one that is large enough for a library. */
bool partition_excludes(Partition *x, const Expr *e, Excluding *out);
/* ... and whether the library is quicker (partition_factors.c). */
bool partition_pays(Partition *x, const Excluding *c, const Equation *reader);
/* For a root that is such a product, with its factors stored: the equation that stores the sum over it where what is
 * excluded would show. False: waits. */
bool partition_repair(Partition *x, Excluding *c, const Equation *root, Equation *repair);

/* ---- partition_folds.c ---- */

/* The value of a root; where it has a value for each element of its own, each of its reductions is over as few
 * variables as all that it reads is walked by. */
const Expr *partition_one_fold(Partition *x, const Equation *root);

/* ---- partition_place.c, partition_update.c ---- */

/* Appends a root to the plan after those of the temporaries that it needs. */
void partition_place(Partition *x, Equation root);
/* Updates of what no other update still reads come first; one of those that read one another is staged. */
void partition_place_updates(Partition *x, const Prepared **defs, int n);

#endif
