/* The sizes at which the schedules of a group are compared: one where all of its lengths are known, else a grid over
 * those that are not. Hints say where its weight lies; without any it covers what programs are run with. */
#ifndef TDC_POINTS_H
#define TDC_POINTS_H

#include "sched/plan/group.h"

enum { MAX_POINTS = 2048 };
enum { MANY_STEPS = 12 /* of a group whose kernels take long to be judged: fewer of them are */ };

typedef struct Points {
    int n;       /* at least 1 */
    int nlikely; /* of them, which come first and decide by their weight; at those behind them, extremes of hardly any
                    weight, nothing is to take very long */
    int nfirst;  /* of the likely ones, of few elements along one length, at which a search begins, too */
    int ndrawn;  /* of them, which come last */
    bool many;   /* of so many lengths nothing is said that their combinations are too many for a grid */
    int64_t **dims;
    double *weight; /* above 0 */
    bool few;       /* at most one length is neither known nor hinted: the heaviest point is worth a long search */
    bool hinted;    /* none is: the other points lie beside hints, and only some are searched */
    bool displaced; /* the tensors of a call begin at any element, not at aligned addresses */
} Points;

/* dims[i] is the value of every dimension of the Graph at point i, by Dim.id: one that the dimension can have. The
 * heaviest point comes first. In that memory. */
Points *points_of(const Group *gr, Ctx *ctx);
/* The same, and extremes behind them, where several lengths are not known. */
Points *points_with_extremes(const Group *gr, Ctx *ctx);
/* The same, and behind them up to so many drawn ones. */
Points *points_with_drawn(const Group *gr, int most, Ctx *ctx);

/* For what part of all sizes a condition holds, each length being as likely of one order of magnitude as of another; at
 * least, and at most all but, a tenth. */
double points_share(const Graph *g, const Expr *when, Ctx *ctx);

/* The length of an axis at a point; of one whose ends are data, a guess. */
int64_t points_length(const GAxis *a, const int64_t *dims);

#endif
