/* What the files of templates share. */
#ifndef TDC_TEMPLATES_FORM_H
#define TDC_TEMPLATES_FORM_H

#include "templates.h"

/* What is tried. */
enum {
    WARP = TARGET_WARP,
    WIDEST = 8,         /* elements of a vector */
    LEAST_THREADS = 64, /* of a block of shapes */
    LONG_ROW = 1 << 16, /* bytes: longer ones take more than a quarter of a multiprocessor's registers */
    ROUNDED = 1 << 20   /* no size is rounded up to a larger power of 2 */
};

typedef struct Search {
    Group *gr;
    CostForm *form;
    const Machine *machine;
    const SchedLimits *limits;
    const int64_t *length; /* of each axis, at the point */
    int of_kind;
    BestOf *best;
    int considered;
    int looked_up; /* an axis along which what is looked up at data is the same, or -1 */
    bool selects;  /* a fold selects */
} Search;

static inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

static inline int64_t pow2_up(int64_t n) {
    int64_t p = 1;
    while (p < n && p < ROUNDED) p *= 2;
    return p;
}

/* One more candidate, where it is legal and quick enough; kind: what of BEST_KINDS its factors do not show. */
void templates_consider(Search *x, const Schedule *s, int kind);
/* The tensor by whose rows an axis may be peeled, its number in Group.rows and 1: the widest of those whose rows are
 * not aligned at the form's point, so that vectors would be loaded element by element; or of all. 0: there is none. */
int templates_peel(const CostForm *form, int axis, bool aligned);
/* Axes by how far the address of the access with the most elements moves along them, the least first. */
typedef struct Chain {
    int n, axis[MAX_GROUP_AXES];
    int64_t bytes; /* of an element */
} Chain;

/* At the form's point; where the second axis begins where the first one ends, and no other access that is nearly as
 * large moves less along another axis; else n is 0. */
Chain templates_chain(CostForm *form);
/* Those whose threads go on along several axes. */
void templates_stacks(Search *x);
/* Those for ranges that are data. */
void templates_ranges(Search *x);

#endif
