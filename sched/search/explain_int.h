/* What explain.c finds out of one entry, for those who print it. Internal to sched/search. */
#ifndef TDC_EXPLAIN_INT_H
#define TDC_EXPLAIN_INT_H

#include "explain.h"
#include "predict.h"
#include "sched/kernel/memory.h"
#include "sched/kernel/sort.h"

/* An earlier kernel with which one was tried. */
typedef struct Apart {
    int step;
    const char *why;
} Apart;
typedef VEC(Apart) ApartList;

typedef struct ExplainedKernel {
    const Kernel *kernel; /* NULL: the step is a sort */
    int launches;
    SortSizes sort; /* of a sort */
    Traffic moved;
    int64_t again; /* bytes; not of the library's */
    double seconds;
    bool exact;     /* by its schedule; otherwise at least so much */
    const char *by; /* what that waits for */
} ExplainedKernel;

typedef struct Explaining {
    Text *out;
    const Program *p;
    int number;     /* of the way that the sizes take */
    const Way *way; /* that one, of its choices the kernels that they take */
    const Target *t;
    const Machine *machine;
    const Tuning *tuning;
    const ExplainAt *at;
    Text *why;
    Memory memory;
    int64_t *bytes; /* of each piece; the library's scratch counts as nothing */
    MemoryPlace *place;
    int64_t *live; /* of the workspace, at each step */
    int64_t peak, least;
    ExplainedKernel *kernels; /* of each step of the way */
    int launches;             /* of kernels */
    double seconds;           /* of all, and between them */
    Floor floor;
    ApartList *apart; /* of each step; NULL: not known */
} Explaining;

/* The names of what a kernel stores, as a list; how many, at most the 16 that `seen` has room for. */
int explain_stores(const Kernel *k, const Tensor **seen, Text *out);
/* The schedule of a kernel's part, behind its name where there are several, and behind a semicolon where something
 * stands before it. */
void explain_schedule(const Kernel *k, int part, Text *out);
/* How step i, a sort, goes about it. */
Sym explain_sort(const Explaining *x, int i);
/* Of the choice that a way's step is: which of its kernels these sizes take; nothing where it is none. */
void explain_selected(Text *line, const Explaining *x, int step);
/* What the library is called for. */
void explain_call(const Explaining *x, const Product *m, Text *line);
/* The line of the tuning file that a kernel's schedule is of, as FILE:LINE; NULL: of none. */
Sym explain_tuned(const Explaining *x, const Kernel *k);
const char *explain_size_from(SizeFrom from);

/* The same as text, as one object on a line (explain_json.c). */
void explain_json(Explaining *x);

#endif
