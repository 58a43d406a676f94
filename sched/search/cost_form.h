/* What the cost and the legality of a group's schedules depend on, and nothing else: groups of equal forms have the
 * same best schedule. Made once a group, so that a candidate costs no walk over expressions. */
#ifndef TDC_COST_FORM_H
#define TDC_COST_FORM_H

#include "points.h"

typedef enum CostMove {
    MOVE_NOT,
    MOVE_BY_ONE,
    MOVE_FURTHER,
    MOVE_SELDOM,  /* an element for many steps, as many as are not known */
    MOVE_IN_STEPS /* an element for CostAccess.steps of them */
} CostMove;

/* A load, or a store. */
typedef struct CostAccess {
    const Tensor *tensor;
    const Expr *const *subs;
    bool load;
    int bytes; /* of an element */
    AxisSet axes;
    const Tensor *whole; /* its tensor, where it names fewer elements than its axes have; NULL: no matter */
    unsigned char moves[MAX_GROUP_AXES]; /* how the address moves along each axis: a CostMove */
    int steps[MAX_GROUP_AXES];           /* along each axis that name the same element: 2 of i / 2, mostly 1 */
} CostAccess;

/* A step or a store: parts of CostForm.refs. */
typedef struct CostItem {
    int reads, nreads; /* steps on which its value waits, all before it */
    int loads, nloads; /* accesses that it makes by itself */
} CostItem;

/* What loops over a set of axes mean. */
typedef struct CostLevels {
    AxisSet serial;
    int *level; /* of each item: loops that have ended before it is known */
    int *again; /* of each access: loops over a folded axis in which it is made again */
    int depth;
} CostLevels;

enum { COST_LEVELS = 4 /* sets of axes whose levels are kept */ };

typedef struct CostForm {
    Group *gr;
    VEC(CostAccess) accesses; /* in the order of the items that make them first */
    VEC(CostItem) items;      /* steps, then stores */
    VEC(int) refs;
    Sym key; /* equal where all of the above and below, and what a schedule's legality reads, is equal */
    const Points *points;
    int64_t **lengths;       /* of each point: of each axis */
    int *alike;              /* of each step: the first that folds the same axes, free of the same, in the same way */
    bool joins;              /* some step joins two values of fewer axes */
    AxisSet folded;          /* axes that some step folds */
    VEC(AxisSet) nests;      /* sets of them that have loops behind each other; those of one set are in each other */
    bool ragged;             /* some step folds over ranges that are data */
    int64_t **walked;        /* the same, but where an axis has ranges that are data an average one's length */
    int64_t **elements;      /* of each point: of each access, of CostAccess.whole; 0 without */
    int64_t **length_of_row; /* of each point: of each access, the elements of a row of its tensor; 0: it has one */
    int at;                  /* the point at which costs are asked for */
    int64_t **strides;       /* of each access, at a point: cost_form_strides */
    double *bytes;           /* and its elements' bytes, each counted once */
    double *bytes_behind;    /* and those of all accesses from each on */
    bool refused;            /* some length, or number of elements, is negative there: no size of a call */
    double loaded;           /* bytes of an element of each load that does not move seldom, together */
    int strides_at;          /* which; -1: none yet */
    CostLevels *levels;      /* of the set of axes with a loop that was asked about last */
    CostLevels asked[COST_LEVELS];
    int nasked;
    double *exchange; /* of each step, what threads exchange: cost.c's own */
} CostForm;

enum { COST_EXCHANGES = 3 /* numbers of CostForm.exchange a step */ };

CostForm *cost_form(Group *gr, const Points *points, Ctx *ctx); /* in that memory */
/* By how many elements the address of each access moves along each axis, at f->at; 0 where it does not, or where nobody
 * knows. Fills bytes, bytes_behind and refused, too. */
const int64_t *const *cost_form_strides(CostForm *f);
/* Axes that stay along which a table, a load of two axes or more, is the same: each element serves several rows. */
AxisSet cost_form_tables(const CostForm *f);
/* The same of functions of two axes or more that take many instructions, as exponentials do. */
AxisSet cost_form_computed(const CostForm *f);
/* Bytes that are loaded and stored, each once. */
double cost_form_once(const CostForm *f, int point);
/* f->levels is for a set of axes with a loop. */
void cost_form_levels(CostForm *f, AxisSet serial);

#endif
