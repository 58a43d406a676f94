/* What is tried with a program: the front end, Graph text, the interpreter before and after simplification, then
 * schedules, emitted and run on the stand-in. Many programs share one compilation; all of it happens in a child
 * process, so that a crash or an endless loop is a verdict too. */
#ifndef TDC_RANDOM_TRIAL_H
#define TDC_RANDOM_TRIAL_H

#include "frontend/check/check.h"
#include "gen.h"

enum { ALL = -1, FALLBACK = 3, LIBRARY = 999 /* the scheduler's, where a library has a product of the program */ };

typedef struct Case {
    Sym text;
    int64_t size[MAX_SIZES][MAX_GEN_DIMS]; /* of the dimensions, in the order of their names */
    uint64_t seed;                         /* of the random schedules */
    int first, nschedules;                 /* 0 is the scheduler's, FALLBACK and LIBRARY that, the others are random */
    bool library;                          /* LIBRARY after those */
    const char *fixed;                     /* instead: one for each kernel, ` | ` between them */
    bool raw;                              /* fixed: of the Graph as it was written, not simplified */
    int nsizes, only;                      /* of those, one or ALL */
    ExactKind exact;                       /* numbers instead of floats, every bit to agree */
} Case;

typedef struct Verdict {
    Sym kind; /* NULL: passed. Two failures of one kind are taken for one fault. */
    Sym message;
    Sym schedules; /* NULL: none is at fault */
    int schedule, size;
} Verdict;

typedef struct Tally {
    int64_t calls, products; /* products: of calls, those that have them */
    int64_t elements, loose; /* compared; of these, those that noise in f32 moves beyond the tolerance */
} Tally;

void trial(Ctx *ctx, const Case *cases, int n, Verdict *verdicts, Tally *tally);
/* The check statement of a size. */
Sym trial_check(Ctx *ctx, const Case *c, int size);
/* The text of a schedule that is not fixed; NULL where it cannot be made. */
Sym trial_schedules(Ctx *ctx, const Case *c, int number);

/* ---- comparing (compare.c) ---- */

/* One entry with values for its parameters. */
typedef struct Setting {
    Ctx *ctx;
    const Graph *g;
    int64_t *dims;
    double *scalars;
    CheckTensor *tensors;
    HostTensor *old;  /* inputs and old values */
    InterpValue *ref; /* what the equations say */
    InterpValue *noisy[CHECK_NOISES];
    int n;
    Exact exact;
} Setting;

/* Binds, draws, interprets; s->g is NULL where that would take too long, or exact algebra cannot run the program. False
 * after saying why. */
bool setting_make(Setting *s, Ctx *ctx, const Graph *g, const Case *c, int size, Text *why);
/* Whether a result k is as near to the reference as the language asks, or as noise in the last places of f32 can move
 * it. */
bool setting_near(Setting *s, int k, const HostTensor *got, double tol, Tally *tally, Text *why);

#endif
