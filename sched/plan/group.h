/* A Group is the work of one kernel without any machine: canonical axes (index variables united through what they
 * index), reductions and scans as steps in the order of their dependences, and stores. How an axis is bound to the
 * machine is the schedule (schedule.h); which equations make a Group is the Plan (plan.h). */
#ifndef TDC_GROUP_H
#define TDC_GROUP_H

#include "ir/equation.h"
#include "ir/expr_is.h"
#include "ir/expr_map.h"
#include "ir/expr_set.h"
#include "ir/graph.h"

enum { MAX_GROUP_AXES = 24 };
typedef uint32_t AxisSet; /* bit a is axis a of the group */

typedef struct GAxis {
    Sym name;
    Var *var;       /* what the group's expressions use; its range is over dimensions alone */
    int64_t extent; /* -1: symbolic */
    int64_t most;   /* the extent is never larger; -1: no bound known */
    int64_t guess;  /* the extent, by hints where it is symbolic */
    bool indexed;   /* an index of every store */
    bool folded;    /* by a step */
    bool scanned;
    bool whole;     /* a block has all of it: what a store in place changes along it is read before (in_place.h) */
    bool ordered;   /* by a step whose monoid does not commute: one thread folds it, from its first element on */
    bool merged;    /* made of two (flat.c, partition_folds.c), whose quotient and remainder stand in subscripts */
    int contiguous; /* weight of the accesses whose last subscript moves by few elements along the axis */
} GAxis;

/* How a step folds what a thread has of its elements at once before that is combined with the rest (online.h). */
typedef enum OnlineKind { ONLINE_NONE, ONLINE_EXP, ONLINE_SQUARE, ONLINE_KINDS } OnlineKind;

/* A reduction or a scan: one value for each element of `free`. */
typedef struct GStep {
    /* The OP_REDUCEs that stand for its values in the group's expressions, by the part of the state that they are;
     * NULL: nobody reads that one. */
    const Expr *part[MAX_PARTS];
    const Expr *node; /* the first of them that was met: the fold's operands are its own */
    const Monoid *monoid;
    const Expr *guard, *body; /* the condition, and the first of the operands */
    AxisSet free;             /* axes of the value; a scan's has its axis */
    AxisSet over;             /* axes folded, or the one scanned along */
    AxisSet under;            /* axes folded by steps in whose bodies this one stands */
    /* The body is one operation on two values, each over fewer axes than it (a product of matrices): a tile of the
     * values makes a larger one of the body, of which no more than an element exists at a time. Else 0. */
    AxisSet joined[2];
    bool scan, exclusive;
    OnlineKind online;
    /* Not 0: the axis of `free` along which data say for each element that is folded where it belongs (scatter.h). The
     * fold is done once for all of that axis, and not within it: at the index `key`, where `rest` holds, which is what
     * the guard asks beside `index == key`; NULL: nothing. */
    AxisSet into;
    const Expr *key, *rest;
} GStep;

/* Axes in whose loops a step stands beside those that it folds. */
static inline AxisSet step_around(const GStep *s) { return s->free & ~s->into; }

/* Whether e reads data or draws numbers; *seen is the caller's memo, in the memory of temp. */
bool group_data(ExprSet *seen, Ctx *temp, const Expr *e);

typedef struct GStore {
    Tensor *tensor;
    const Expr **subs;
    const Expr *guard; /* NULL: always */
    const Expr *value;
    const Monoid *update; /* the value is folded into the element; NULL: it becomes the element */
    AxisSet axes;
    int number; /* of its equation */
} GStore;

/* A tensor whose rows lie along an axis that is the last subscript, as it stands, of all accesses along it. The
 * tensor's other subscripts are the same everywhere, of other axes and dimensions alone, and everything along the axis
 * is of one row. */
typedef struct GRow {
    Tensor *tensor;
    int axis;
    AxisSet rows; /* axes of the other subscripts */
    bool peels;   /* a thread may begin where a row does: each element along the axis is of one row */
} GRow;

/* Elements of the widest access of a thread: a row whose length is a multiple of it leaves the next one aligned. */
int group_row_wide(const GRow *r);

/* A tensor that the group's expressions load, or that it stores. */
typedef struct GTensor {
    Tensor *tensor;
    bool loaded, stored;
} GTensor;

/* Groups that do together, one after another, what one does: blocks fold shares of a large reduction, and then what
 * they stored is folded; or one that reads less (online.h). The first has the axes of the group, in their order, but of
 * what is `apart`: there each reduction has kernels of its own (apart.c), or what is folded is other than the group's
 * (split.c, columns). */
enum { MAX_TOGETHER = 8 };
typedef struct Division {
    struct Group *group[MAX_TOGETHER];
    int n;
    bool apart;
    bool columns; /* and the first folds columns, of which the second folds several to one; other ones that are apart
                   * are for sizes at which few blocks would have everything */
} Division;

typedef struct Group {
    Graph *graph;
    Sym name;
    VEC(GAxis) axes;
    VEC(GStep) steps; /* each after those that it reads */
    VEC(GStore) stores;
    VEC(GRow) rows;
    VEC(GTensor) tensors;  /* those loaded in the order of their first use, then those only stored */
    VEC(Reduce *) reduces; /* the keys of steps' nodes, one for each monoid, part, axes and kind */
    ExprMap free;          /* memo of group_free */
    ExprMap whole;         /* loads that load_exists does not see to exist for subscripts along merged axes */
    ExprMap within;        /* others that exist whatever data say; empty before group_find_within */
    bool within_known;
    int split; /* a folded axis of which every block takes one of `parts` shares, or -1 */
    int64_t parts;
    int64_t shares; /* of the split axis: each share has a multiple of so many elements, in all groups that divide it;
                     * 0: as many as a schedule makes of it */
    Var *part;      /* the number of the block's share, in subscripts of stores */
    VEC(Division) divisions; /* what may be done instead */
    Sym no_product; /* why a library does not run the sum of products that there is; NULL: there is none, or it does */
    Sym rounding;   /* the let whose rounding keeps this out of the product that it reads; or NULL */
    const struct Product *product; /* what a matrix library may run instead (product.h); NULL: nothing */
    struct Fusion *fusion;         /* this is one of two ways (plan.h); NULL: it is the only one */
    bool fused;                    /* that in which one kernel does it */
    bool rare;                     /* all its stores are made where what is usually 0 is more (Tensor.usually_zero) */
    bool branch;                   /* this is for the sizes of Plan.branch */
    const Expr *elsewhere;         /* sizes for which something else does this, once that is decided; NULL: for none */
    AxisSet across;                /* of a fused one: axes that a block has whole, being folded across the one that is
                                    * split, or changed in place (GAxis.whole) */
    AxisSet neighbours;            /* folded axes along which columns lie that divisions fold by themselves (split.c) */
    AxisSet bounded;               /* axes whose `most` is no fact: the group is for no longer ones */
} Group;

/* Whether step i of a group with one equation (or several over the axes of the first) must be a temporary of its own:
 * it folds what the store changes in place (rule 0), reads what is folded elsewhere (1), is a second large one (2),
 * would be repeated by blocks (3), would leave few blocks with everything (4), or could scatter by itself, and not
 * beside what else there is (5: scatter.h). A rule counts where no step breaks one before it. dims: lengths (by Dim.id)
 * for which that is asked; NULL: those that are guessed. */
enum { GROUP_FEW = 4, GROUP_RULES = 6 };
bool group_step_leaves(const Group *gr, int i, int rule, const int64_t *dims);
/* Whether the step folds over ranges that are data: each value of the other axes has one of its own, and one element is
 * in few of them. *within are the axes that the ranges have beside the folded one. */
bool group_ragged(Group *gr, const GStep *s, AxisSet *within);
/* Whether such ranges together likely have each element once: not where each is the part of a row of its own that has
 * data, as those of a batch of sentences are. goes_on: what begins at a place of its own in elements of all, as updates
 * of one plane of many do, is such a range, too. */
bool group_divides(Group *gr, const GStep *s, AxisSet within, bool goes_on);
/* Whether one kernel will do, whichever: it is for what a library refuses, or for special data alone. */
static inline bool group_any_kernel(const Group *gr) { return gr->product || gr->rare; }
AxisSet group_owned(const Group *gr); /* axes of the stores that steps fold or scan: one block owns them */

const char *group_rule_text(int rule); /* of group_step_leaves */
/* Whether what stores change in place is read by steps and by stores at their own places alone, before it is changed:
 * no thread reads what another one, or itself, has changed by then. */
bool group_updates_own(const Group *gr);

/* Unites the variables of roots, finds steps. The first root has the most axes. Gives the canonical node of each of the
 * roots' OP_REDUCE nodes in *canon, in the memory of `temp` (both may be NULL). NULL where the roots do not fit one
 * group (*why, where not NULL, says it). */
Group *group_new(Graph *g, const Equation *roots, int n, ExprMap *canon, Ctx *temp, Text *why);
/* Of roots whose variables are all axes of another group: its axes are these, in the same order. NULL: there are
 * others. */
Group *group_like(const Group *like, const Equation *roots, int n);
AxisSet group_free(Group *gr, const Expr *e); /* axes on which an expression of the group depends */
GStep *group_step(Group *gr, const Expr *node);
/* The reduction that stands for part k of the step, which from now on it has where nobody read that part. */
const Expr *group_part(Group *gr, GStep *s, int k);
/* The reduction that stands for this part of the step once its operands are others, or its axes. */
const Expr *group_fold(Group *gr, const GStep *s, const Expr *part, const Expr *const *args);
void group_find_rows(Group *gr, Ctx *temp);    /* fills in rows alone */
void group_find_tensors(Group *gr, Ctx *temp); /* fills in tensors alone */
void group_find_within(Group *gr);             /* fills in within, if it is not known yet */
/* Every element that a load's variables reach exists; as far as is known, before group_find_within. */
bool group_load_exists(const Group *gr, const Expr *load);
/* Fills in rows and tensors, and of axes and steps what follows from the rest (group_describe.c); *temp is for
 * memos. */
void group_describe(Group *gr, Ctx *temp);
/* A name for an axis that no other axis, dimension, scalar or tensor has. */
Sym group_axis_name(const Group *gr, Sym base);
bool group_is_online(const Group *gr); /* a step is */
/* The tensor of which every store has the element of the same subscripts: the group moves these and does nothing else;
 * NULL: it is another one. */
Tensor *group_moved(const Group *gr);
bool group_in_place(const Group *gr);               /* it changes rows that it reads before (GAxis.whole) */
AxisSet group_into(const Group *gr);                /* the axis into which its steps scatter; 0: they do not */
AxisSet group_scattered(const Group *gr);           /* axes that such steps fold */
int64_t group_guess(const Group *gr, AxisSet axes); /* the product of the guessed extents, saturating */
int64_t group_length_at(const Group *gr, AxisSet axes, const int64_t *dims); /* or of those at such dimensions */

#endif
