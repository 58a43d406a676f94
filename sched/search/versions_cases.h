/* Cases while they are looked for: the points that come to each, and tests that part them (versions_tests.c). */
#ifndef TDC_VERSIONS_CASES_H
#define TDC_VERSIONS_CASES_H

#include "versions_form.h"

enum {
    MAX_GROWN = 48,   /* cases, of which those that gain least are given up again */
    MOST_TOGETHER = 2 /* rows that are aligned all at once: what is relaid has vectors on both sides */
};

/* A case's points are parted by a test, or by several that hold together; what its two sides take, and lose. */
typedef struct Parting {
    int ntests;
    SizeTest test[MOST_TOGETHER];
    Case left, right;
    double loss[2], gain;
    double worth; /* the gain of one more case, if a test is made behind it, too. 0: nothing is gained */
} Parting;

/* The points that come to a case, and what its candidate loses there: the sum of log(time / best), weighted. */
typedef struct Leaf {
    Case c;
    bool *here; /* of each point */
    bool *near; /* points that say what is good where none comes */
    double loss;
    bool tried;   /* best is known */
    Parting best; /* the test that is worth most */
    int nparted;
    const bool *parted[MAX_GROWN + 1]; /* the points of each of those that it was a part of, from all on */
} Leaf;

typedef struct Leaves {
    int n;
    Leaf at[MAX_GROWN];
} Leaves;

/* What is worth tests: the length of each axis; those that blocks may share, multiplied; those of all; and of
 * kernels that stay how many times one axis another is. */
typedef struct LengthsList {
    int n;
    Lengths at[MAX_LENGTHS];
} LengthsList;

const Ruler *versions_ruler(const Choosing *x, Lengths axes);
LengthsList versions_to_test(const Choosing *x);
bool versions_all_hold(const Choosing *x, const SizeTest *test, int n, int point);
/* The best test of the lengths of some axes, and of rows that are aligned, in *best where they are worth more. */
void versions_try_lengths(Choosing *x, const Leaf *l, Lengths axes, Parting *best);
void versions_try_alignment(Choosing *x, const Leaf *l, Parting *best);
/* A leaf's best test of all. */
void versions_find_best(Choosing *x, Leaf *l);

#endif
