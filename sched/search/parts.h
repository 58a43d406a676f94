/* Kernels that stand beside each other become parts of one launch: what parts.c, which puts them together, and
 * parts_fit.c, which says where that is quicker, share. */
#ifndef TDC_PARTS_H
#define TDC_PARTS_H

#include "features.h"
#include "points.h"
#include "sched.h"

/* A group's work by a schedule: a part of a kernel, or all of it. */
typedef struct Work {
    Group *group;
    Schedule *schedule;
    Features *features; /* of a kernel that has nothing else, and are known; */
    Features *part;     /* the same of a part of one: a row has all lanes of a warp there */
    ExprMap *judged;    /* sizes -> Judged: what it has taken there */
    int threads;
    int arguments;  /* bytes that its row takes among a launch's, at most */
    Sym form, text; /* of its kernel: without constants, and with them (same.h) */
    Kernel *from;   /* the program's that does it by now */
    bool made;      /* by another schedule than that one: a kernel is made if it is done so */
    bool fixed;     /* its schedule was given, or measured: it gets no other */
} Work;

/* What one kernel does, or may do. */
typedef struct Bundle {
    VEC(Work) works;
    const Expr *when; /* of a case; NULL: the last one, or it stands in no choice */
} Bundle;

/* A step that may be put together with others: a kernel, or a choice whose cases are a kernel each. */
typedef struct Item {
    VEC(Bundle) cases; /* a kernel has one */
    bool changed;      /* it is not what the program has by now */
} Item;

/* The sizes at which times are compared. */
typedef struct Sizes {
    int n;
    int64_t **dims;
    double *weight;
} Sizes;

/* A condition, and whether it holds. */
typedef struct Around {
    const Expr *cond;
    bool holds;
} Around;

typedef struct Uniting {
    Ctx *temp;
    Program *p;
    const Machine *machine;
    Targets targets;
    bool random;        /* whatever may be put together is */
    VEC(Around) around; /* of the cases around */
    ExprMap points;     /* Group -> Sizes, */
    VEC(Sizes *) sizes; /* of which each is there once */
} Uniting;

/* The work of a kernel; its features are found. False: they are not known, or nothing is known of its group. */
bool parts_work(const Uniting *x, Kernel *k, Work *w);
/* An item that does what both do in one launch, where that is predicted to be quicker. False: it is not. */
bool parts_unite(Uniting *x, const Item *a, const Item *b, Item *both);
/* Bytes that the heaviest sizes give a tensor; and what both items move there. */
double parts_tensor_bytes(Uniting *x, const Item *of, const Tensor *t);
double parts_moved(Uniting *x, const Item *a);
int parts_arguments(const Bundle *b);

#endif
