/* What the files of apply share: the kernel that is being written, and the bodies of its loops. */
#ifndef TDC_APPLY_FORM_H
#define TDC_APPLY_FORM_H

#include "apply.h"
#include "ir/expr_set.h"

/* A condition on the way to an expression: in the group's terms, and in the kernel's. {NULL, NULL}: none. */
typedef struct Cond {
    const Expr *key, *is;
} Cond;

/* The body of the kernel, or of one loop. */
typedef struct ApplyBody {
    struct ApplyBody *up;
    int axis;      /* of the loop; -1 for the kernel's body */
    ExprMap plain; /* expression of the group -> of the kernel, whatever conditions hold; */
    ExprMap under; /* condition -> such a map of what was evaluated under it */
    VEC(Stage *) stages;
} ApplyBody;

/* A step while its loops are open. */
typedef struct StepState {
    Value *acc[MAX_PARTS];
    Value *bins; /* of one that scatters, once they are there */
    bool made;   /* and all is folded */
    int opened;  /* the axis of its outermost loop; -1: none */
} StepState;

typedef struct Apply {
    Program *p;
    Graph *g;
    Ctx *temp;
    Group *gr;
    const Schedule *s;
    Kernel *k;
    Part *part;
    Layout *l, *other; /* the first; the second, or NULL */
    Axis *axis[MAX_GROUP_AXES];
    int rank[MAX_GROUP_AXES]; /* nesting order of loops */
    AxisSet serial;           /* axes with a loop */
    ApplyBody *body;
    StepState *state;
    bool **reads;     /* of each item, once it is known: the steps that it reads */
    ExprMap uses;     /* Expr -> number of places that read it */
    ExprMap together; /* those of them that one stage reads, while its operands are made */
    ExprMap sizes;    /* Expr -> operators in it as a tree */
    ExprSet indices;  /* what is made of indices and constants alone */
    bool unnamed;     /* nobody reads the text of what is made: values that are alike have one name */
    ExprMap names;    /* Sym -> taken */
    int next_name;
    ExprMap turned; /* Value -> the same in the second layout */
    ExprMap loads;  /* Value -> the stage that loads it under a condition */
    ExprMap absent; /* Value -> what expressions take it for where the condition does not hold */
    Text *why;
    bool failed;
} Apply;

/* An expression of the group as one of the kernel's values; loads and shared parts become stages of the body in which
 * the loops that they depend on are open. */
const Expr *apply_expr(Apply *x, const Expr *e, Cond c);
Cond apply_cond(Apply *x, const Expr *guard);
/* What is known of e in the open bodies, or NULL. */
const Expr *apply_known(const Apply *x, const Expr *e, const Expr *cond);
void apply_know(Apply *x, ApplyBody *body, const Expr *e, const Expr *cond, const Expr *value);
Value *apply_value(Apply *x, ValueKind kind, const char *base, Type t, FactorSet domain);
void apply_count_uses(Apply *x);
/* The n operands are one stage's: what they share among themselves alone is not kept in a tile for them. */
void apply_read_together(Apply *x, const Expr *const *e, int n);
void apply_push(Apply *x, Stage *s); /* at the end of the open body */
/* The value of a map stage. */
const Expr *apply_named(Apply *x, const char *base, const Expr *e);
/* What a reduction of one part leaves, over some factors of the step's folded axes. */
const Expr *apply_fold(Apply *x, const GStep *p, const Monoid *m, const Expr *operand, const Expr *cond,
                       FactorSet over);
/* The parts of the state of an online step (online.h) behind the elements that a thread has at once; before: the parts
 * before them, NULL where there was nothing (apply_online.c). */
void apply_online(Apply *x, const GStep *p, const Monoid *m, const Expr *const *before, const Expr **next);
/* Whether threads may meet once for two steps, each of one part. */
bool apply_meet_once(const Apply *x, const GStep *p, const GStep *q);
/* A step by its number, in the loops that are open; or several, each with each apply_meet_once. */
void apply_emit_steps(Apply *x, const int *items, int n);
/* The same of steps whose loops have ended. */
void apply_finish(Apply *x, const int *items, int n);
/* Whether the value of a step, by its number, is there in the open bodies: its own, or the bins that have it. */
bool apply_is_made(const Apply *x, int step);
/* The bins of a step that scatters. */
void apply_bins(Apply *x, int step);
/* The factors of axes that are registers, and those that are threads or blocks of a cluster. */
FactorSet apply_tile(Apply *x, AxisSet axes, bool regs, bool threads);

/* Makes the schedule's steps, in order, of a kernel that is whole. False after saying why in *x->why. */
bool apply_steps(Apply *x);
/* Loads of single elements come before what waits (apply_order.c). */
void apply_order(Apply *x);

#endif
