/* Formulas of dimensions, evaluated again and again: what is asked of a kernel at many sizes is compiled once to a list
 * of operations on numbers, each on results before it, so that a size costs a few nanoseconds an operation and no walk
 * over expressions. Equal operations are one. */
#ifndef TDC_TAPE_H
#define TDC_TAPE_H

#include "ir/expr_map.h"
#include "ir/graph.h"

enum { TAPE_MOST = 512 /* operations: what a kernel needs is some dozens */ };

typedef enum TapeOp {
    TAPE_CONST,
    TAPE_DIM,
    TAPE_GIVEN, /* what tape_give says */
    TAPE_ADD,
    TAPE_SUB,
    TAPE_MUL,
    TAPE_DIV, /* of real numbers; 0 where the divisor is 0, as below */
    TAPE_FLOOR_DIV,
    TAPE_MOD,
    TAPE_MIN,
    TAPE_MAX,
    TAPE_LESS, /* 1 or 0, as below */
    TAPE_EQUAL,
    TAPE_AND,
    TAPE_POWER, /* the least power of two that is at least a, which is finite; b is of no use */
    TAPE_ROOT,  /* the square root of a, which is not negative; b is of no use */
    TAPE_IF     /* a where c is not 0, else b */
} TapeOp;

enum { TAPE_BUCKET_BITS = 6, TAPE_BUCKETS = 1 << TAPE_BUCKET_BITS };

typedef struct TapeStep {
    TapeOp op;
    int a, b, c; /* numbers of steps before it */
    double value;
    int dim;
    int next; /* number of the next step of its bucket, plus 1; 0: none */
} TapeStep;

/* All zero but ctx, in whose memory it is, and the Graph whose dimensions they are. */
typedef struct Tape {
    Ctx *ctx;
    const Graph *g;
    ExprMap of;              /* Expr -> the number of its step */
    int first[TAPE_BUCKETS]; /* numbers of steps, plus 1, by what they are */
    bool full;               /* more was asked for than fits: nothing is known */
    double given;
    VEC(TapeStep) steps;
} Tape;

/* The number of a step that has that value; an equal one where there is one. */
int tape_const(Tape *t, double v);
int tape_step(Tape *t, TapeOp op, int a, int b);
/* The step of a number that is given between runs, and is 0 before; there is one. */
int tape_given(Tape *t);
void tape_give(Tape *t, double v);
/* Of an integer or bool expression of dimensions and constants; -1 where it holds anything else. */
int tape_expr(Tape *t, const Expr *e);
bool tape_is(const Tape *t, int step, double v);     /* it is that constant */
bool tape_known(const Tape *t, int step, double *v); /* it is a constant, that one */

/* value[i] is what step i has at these dimensions, in the order of the graph; it has room for all steps. */
void tape_run(const Tape *t, const int64_t *dims, double *value);

#endif
