/* What of a kernel its time depends on, read once from its stages, whoever wrote them, as numbers that formulas of the
 * dimensions give (tape.h): how addresses move along each factor, what a thread issues, where it waits. judge.h makes
 * seconds of them.
 *
 * The body of a block, and each loop in it, is a Body: what is done in one iteration, and how many there are. Counts
 * are of a thread. */
#ifndef TDC_FEATURES_H
#define TDC_FEATURES_H

#include "sched/kernel/kernel.h"
#include "tape.h"

/* What executes instructions. PIPE(enum, text, lanes): threads that a multiprocessor serves in a cycle, of compute
 * capability 9.0 (CUDA C++ Programming Guide, "Arithmetic Instructions"). */
#define FEATURE_PIPES                                                                                                  \
    PIPE(FMA, "fma", 128)        /* f32 sums and products, i32 products */                                             \
    PIPE(ALU, "alu", 64)         /* i32 sums, comparisons, selections, bits, packing of floats */                      \
    PIPE(SPECIAL, "special", 16) /* reciprocals, exponentials, conversions between floats and integers */              \
    PIPE(WIDE, "f64", 64)        /* f64 */                                                                             \
    PIPE(MEMORY, "memory", 32)   /* accesses to memory, shared memory and the other lanes */
typedef enum Pipe {
#define PIPE(e, text, lanes) PIPE_##e,
    FEATURE_PIPES
#undef PIPE
        PIPE_COUNT
} Pipe;

/* A factor of the layout of an access; numbers are steps of the tape. The address moves by `coef` elements a step of
 * the factor, and by `scale` wherever the numerator, which grows by `slope`, passes a multiple of `divisor`. */
typedef struct Digit {
    BindScope scope;
    int count;
    int most; /* steps of it that lie inside of the axis */
    int coef;
    int slope, divisor, scale; /* divisor -1: there is no quotient */
    int weight;                /* of threads: what a step is in the thread's number. Of loops: the Body. Else 0 */
    int near;                  /* step: of threads, so many steps are in one warp; -1: as their weight says */
    bool data;                 /* it moves by what was loaded: by multiples of coef, nobody knows how many */
    bool serves;               /* elements along it are neighbours in one wide access */
} Digit;

enum { FEATURE_DIGITS = 24 /* of an access */ };
enum { FEATURE_ACCESSES = 64, FEATURE_BODIES = 32, FEATURE_CONDS = 63 /* of a kernel */ };
/* The bit behind those of Features.conds: tensors of a call begin at aligned addresses. */
#define FEATURE_BASES ((uint64_t)1 << FEATURE_CONDS)

typedef struct Access {
    const Tensor *tensor;
    int number;   /* of the tensor among Features.tensors */
    double bytes; /* of an element */
    bool store, atomic;
    bool exchanged; /* an atomic that no instruction does: what is there is exchanged for what it becomes */
    Path path;
    int vector;       /* elements of one instruction in variants with wide accesses */
    uint64_t aligned; /* bits of Features.conds, and FEATURE_BASES: where all hold, it is wide in any variant */
    bool together;    /* what its condition needs is among these: it is wide in the variants with wide accesses alone */
    bool single;      /* a condition differs between the elements of a vector: each is an access behind its own test */
    bool peel;        /* aligned as the rows are by which its axis is peeled */
    bool across;      /* where it is not, vectors are made of the aligned pieces that they lie across */
    bool open;        /* a thread has elements along an axis whose length is not known: each is tested */
    int filled;       /* step: at 1 and more only some at the axis's end are. -1: always all */
    double vector_tests; /* of vectors, along the axis along which a thread has most of them */
    int full;
    double edges; /* vectors of a peeled row, a warp, that it does not fill */
    double rows;  /* of which a warp has some at a time */
    int row;      /* step: the length of the rows that the peel aligns; -1: its axes are not peeled */
    bool apart;   /* rows of this tensor lie otherwise */
    int body;
    int wait;   /* loads of one number are waited for together */
    int before; /* the Body in which a block has read or written the same elements before this; -1: in none */
    int start;  /* step: the element at which it begins, without its digits and what is data */
    int alike;  /* the latest earlier load of the same body that differs in where it starts alone; -1: none */
    int twin;   /* the earliest access that touches as many sectors, wherever they are; -1: this one */
    int all;    /* step: elements of the tensor */
    int inside; /* step: the share of what is walked that lies inside of the axes */
    int some;   /* step: the share of rows for which it is made, where it is for those whose ranges have elements */
    double aside[PIPE_COUNT]; /* instructions for what its addresses have beside digits, quotients and the like, where
                               * each element has its own */
    int ndigits;
    Digit digit[FEATURE_DIGITS];
} Access;

/* What is done once an iteration. */
enum { FEATURE_ENDS = 2 /* of a row */ };

typedef struct Body {
    int parent;           /* -1: this is a block of a part itself */
    int blocks;           /* step: of its part */
    const Factor *factor; /* the serial one; NULL: it is no loop */
    int trips;            /* step: iterations a time */
    int times;            /* step: iterations in all that a block makes */
    int useful;           /* step: of those, the ones in which lanes have something to do, on an average */
    bool last;            /* done by the last block alone */
    bool ragged;          /* it goes over ranges that are data: iterations are those of an average one */
    int elements;         /* step: of such a range, */
    double slowest;       /* and by how much more a block's warp has that has most of them, where each has one */
    double ranges;        /* and how many a thread goes over at once, each behind tests; 0: one */
    int most;             /* step: where ranges are parts of windows or of an axis, iterations of a whole one; or -1 */
    int met;              /* step: iterations of a loop around over parts of windows; below 1 some blocks make none */
    int ahead;            /* iterations that its copies and loads run ahead of their use */
    bool held;            /* all iterations are asked for at once, and wait for nothing else */
    int depth;            /* waits for loads one after the other */
    double issue[PIPE_COUNT];
    double other; /* instructions of no pipe: control, moves */
    double fixed; /* of all those, what registers beyond the end of an axis do not spare: exchanges, scans */
    /* Beside those, for the vectors in which peeled rows begin and end: */
    double settled_end;  /* for each, where warps share a row that are settled at launch */
    double loop_ends;    /* in a loop, for all of a row that a warp has */
    double rows;         /* in exchanges between many warps, what warps combine, one row a time: of fewer warps, as a
                         * launch may start, each has more rows */
    double row_issue;    /* of all exchanges together, for one row each: instructions, */
    double row_shuffles; /* and exchanges between lanes */
    double loop_tests;   /* and, where its length is not known, in the first and the last iteration */
    double chain;        /* cycles of operations of a thread that wait for each other */
    double shuffles;     /* one after the other */
    double rungs;        /* of fixed, and */
    double climbs;    /* of shuffles, what is done for all lanes of a warp: a row that has fewer of them takes less */
    double exchanges; /* between warps, one after the other */
    double meetings;  /* of a cluster's blocks */
} Body;

/* A condition of the variants with wide accesses: a multiple. */
typedef struct WideCond {
    int step;
    int64_t of;
} WideCond;

typedef struct Features {
    Tape tape;     /* what is given to it: the share of windows that are full (Trim.window) */
    double *value; /* the tape's, as it was evaluated last */
    VEC(const Tensor *) tensors;
    VEC(Access) accesses;
    VEC(Body) bodies;
    VEC(WideCond) conds;
    int blocks;        /* step: of all parts */
    int threads;       /* of a block at most */
    int started;       /* step: the share of them that a launch starts (sched/kernel/settled.h); -1: all */
    int lanes;         /* step: of a row, where a launch settles that; -1: as many as the kernel says */
    int cluster;       /* blocks of a cluster, 1 without */
    int resident;      /* blocks of a multiprocessor that its launch bound promises; 0: none */
    double tile_words; /* registers of a thread that hold tiles, at most at a time */
    double beside;     /* more registers: for the ends of rows, and for loads across pieces */
    double kept;       /* registers for exponentials that a fold has, and what is stored after it */
    double at_least;   /* and at least so many: those of another part of the kernel; 0: there is none */
    double shared;     /* bytes of a block */
    int reached; /* step: the share of registers that axes reach; the others are left out. -1: all are gone through */
    bool displaced; /* given: tensors begin at any element (Points.displaced) */
    bool loops;
    bool folds; /* it does more than load, map and store */
    bool rare;  /* it does nothing but for special data (kernel_is_rare) */
    bool known; /* false: some size is no formula of dimensions, or there is too much of something */
} Features;

/* Whether e has an exponential, a quotient of floats or the like, of which a multiprocessor does few at a time. */
bool features_special(const Expr *e);

/* Of a kernel that program_verify has seen, in the memory of ctx. Nothing of the program changes but that its factors
 * have nodes (expr_factor), so that it is for explanations and for programs that are made to be compared: the order of
 * nodes decides how sums are printed. */
Features *features_of(const Program *p, const Kernel *k, Ctx *ctx);
/* The same of a kernel that is to be a part of another one, where no threads are settled at launch. */
Features *features_of_part(const Program *p, const Kernel *k, Ctx *ctx);

#endif
