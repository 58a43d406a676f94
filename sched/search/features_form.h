/* What the files share that make the features of a kernel. */
#ifndef TDC_FEATURES_FORM_H
#define TDC_FEATURES_FORM_H

#include "features.h"

typedef struct SeenAccess {
    const Stage *stage;
    int body;
} SeenAccess;

/* How long a value takes registers: from its stage to the last one that reads it, by their numbers. */
typedef struct Living {
    const Value *value;
    int from, to;
    double words;
} Living;

/* A loop that runs only where conditions on its index can hold. */
typedef struct Trim {
    const Axis *axis;
    FactorSet rows; /* on which the conditions depend, beside the index: each of theirs has a range of its own */
    bool data;      /* which is data */
    int window;     /* step: how far the ranges of neighbouring rows are apart where each is a part of a window, which
                       moves along with the rows, as chunks are; -1: any range may be anywhere */
    int trips;      /* step */
} Trim;

/* Ranges that are data, from one element of a tensor to the next. */
typedef struct Ends {
    const Tensor *tensor;
    int some; /* step: the share of ranges that likely have elements */
} Ends;

typedef struct Reading {
    Program own; /* the program, as a node's maker takes it */
    Graph *g;
    const Kernel *k;
    const Part *part;
    Features *f;
    Ctx *ctx;
    PolyEnv env;
    ExprMap polys;
    ExprMap lasts;   /* Factor -> its count less 1 */
    ExprMap extents; /* Axis -> feature_extent, plus 1 */
    ExprMap counts;  /* Factor -> feature_count, plus 1 */
    ExprMap waited;  /* Value -> the wait that loads it, and what is made of it; 0: none */
    ExprMap counted; /* Expr -> the Body, plus 1, whose issue has it */
    ExprMap under;   /* of the part: under_find's */
    ExprMap shares;  /* Value -> feature_share's, of FEATURE_WHOLE */
    ExprMap sets;    /* Expr -> the factors along which it varies, under a layout */
    const Layout *sets_of;
    const Factor *settled_factor; /* kernel_settled's, of the kernel */
    const Factor *settled_lanes;  /* kernel_settled_lanes's; NULL: all lanes of a warp have one row, */
    int beside;                   /* step: else so many rows */
    int body;                     /* the innermost that is open */
    int wait;                     /* of the loads that come now */
    bool settled;                 /* what was loaded has been waited for: the next load begins a new wait */
    bool folds;                   /* the part has more than loads, maps and stores */
    bool apart;                   /* its threads do not meet */
    bool packed;                  /* some load of the part stays in words, or is read again */
    double ends, across;          /* Features.beside: for ends of rows, for loads across pieces */
    FactorSet loops;              /* serial factors of the loops that are open */
    int place;                    /* number of the stage */
    VEC(SeenAccess) seen;
    VEC(Living) living;
    VEC(Trim) trims;   /* of the open loops */
    VEC(Ends) ends_of; /* of the loops until here */
    VEC(int) jumps;    /* numbers of stages that have rare paths */
    VEC(int) barriers; /* numbers of stages across which nothing moves */
    VEC(int) folded;   /* numbers of reductions: what is read behind one, too, is there until then */
} Reading;

const Layout *feature_layout(const Reading *x, const Stage *s);
/* Whether an axis of a kernel without loops lies in several registers: elements from one to the next, and how many.
 * Those that it does not reach are left out, and where it reaches into the last the others test nothing
 * (lower_inside.c). */
bool feature_in_registers(const Reading *x, const Layout *l, const Axis *a, int64_t *step, int64_t *registers);
/* In how many vectors of a warp peeled rows begin or end. */
double feature_edges(const Layout *l, const Axis *a);
/* What is computed before all else: which threads those stand for that are settled at launch; where peeled rows begin
 * that are folded, and whether vectors at their ends may be loaded whole. */
void feature_begin(Reading *x, const Layout *l);
/* Rows along the axis that a warp has elements of at a time. */
double feature_rows(const Layout *l, const Axis *a);

/* Of the elements of a loaded tile the share that differ: the taps of neighbouring results are one (lower_window.c). */
double feature_share(const Reading *x, const Value *v);

/* ---- features_ranges.c ---- */
/* Of a layout: the sizes of the register factors in a set, one by the other. */
double feature_registers(const Part *part, FactorSet set);
/* A step of the tape; features are unknown where there is none. */
int feature_step(Reading *x, const Expr *e);
/* How many indices an axis likely has, as a step. */
int feature_extent(Reading *x, const Axis *a);
int feature_count(Reading *x, const Factor *f);
/* Of the settled lanes, as a launch settles them: those of a row, as a step. */
int feature_lanes_of_row(Reading *x);
/* A serial loop that runs only where conditions on its index can hold: what that makes of its body's trips, useful,
 * elements, slowest, ragged, most and met, of which trips and useful are those of one turn of the loop around it. The
 * innermost of x->trims says the same. Leaves both alone where there are no such conditions. */
void feature_trim(Reading *x, const Stage *loop, Body *b);
/* The tensor between two of whose elements, one behind the other, a condition says that there is something:
 * off[i] < off[i + 1]. NULL: it says something else. */
const Tensor *feature_ends(const Expr *cond);

/* ---- features_live.c ---- */
/* The stage, whose number is x->place, reads and makes values. */
void feature_live(Reading *x, const Stage *s);
/* What was there before a loop, which began after stage `begin`, and is read in it stays to its end, which is here. */
void feature_live_around(Reading *x, int begin);
/* Words of all tiles that are there between two stages, at most: what a stage makes element by element takes the place
 * of what it reads for the last time. */
double feature_most_live(const Reading *x);
double feature_most_kept(const Reading *x); /* words of Features.kept */

/* ---- features_access.c ---- */
void feature_access(Reading *x, const Stage *s);

/* ---- features_issue.c ---- */
/* An expression in the layout, once for each of its registers, to what the open body issues. */
void feature_expr(Reading *x, const Layout *l, const Expr *e);
/* Instructions by pipe, added to `issue`, for what an address has beside digits, times a step that is known or not: of
 * all registers together, without what was counted before in this body. */
void feature_address(Reading *x, const Layout *l, const Expr *e, bool known, double *issue);
/* Whether an operator in it has a rare path, to which the device jumps: quotients by what varies, roots, sines. */
bool feature_branches(const Expr *e);
/* One value of type `from` to `to`, n times. */
void feature_convert(Reading *x, Type from, Type to, double n);
void feature_fold(Reading *x, const Stage *s);
void feature_scan(Reading *x, const Stage *s);
/* Registers of a scanned axis that stand outside of its threads, or of its warps (meet): each is a segment of its own,
 * which threads continue. */
double feature_segments(const Layout *l, const Axis *a, bool meet);
void feature_shared(Reading *x, const Stage *s, const Value *tile, bool write);
void feature_issue(Reading *x, Pipe pipe, double n);

/* ---- features_bins.c ---- */
/* Of a thread: instructions by pipe, those of none, and cycles that wait for one another. */
typedef struct BinsTaken {
    double alu, memory, other, chain;
} BinsTaken;
BinsTaken bins_fill(const Stage *s, int threads); /* a stage bins, of a block of so many */
BinsTaken bins_scatter(const Part *part, const Layout *l, const Stage *s);
BinsTaken bins_read(const Part *part, const Layout *l, const Stage *s); /* a stage read, of bins */

/* ---- features_displaced.c ---- */
/* The index that data displaces, as a flow does that of a picture, `x[i32(f32(i) + flow[i, j])]`: elements that are
 * neighbours are read near each other. So are those at what is computed of an index in floats. *times: by how much more
 * than the index that moves. NULL: there is no such index, data alone says what is read. */
const Expr *feature_displaced(const Part *part, const Layout *l, const Expr *e, double *times);

#endif
