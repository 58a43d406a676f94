/* What the cost model predicts of a program at given sizes, whatever its schedules were chosen for. */
#ifndef TDC_PREDICT_H
#define TDC_PREDICT_H

#include "explain.h"
#include "sched.h"

/* Of a matrix product. */
typedef struct ProductSizes {
    int64_t m, n, k, batch;
} ProductSizes;
/* False where one cannot be. */
bool predict_product(const Program *p, const Product *m, const ExplainAt *at, ProductSizes *sizes);
/* Of its multiplications at the machine's peak. */
double predict_product_seconds(const Program *p, const Product *m, const ProductSizes *sizes);

/* Seconds of a kernel that moves so much, and in *by what they wait for. By its schedule where it has one; for the
 * library and for kernels written by hand at least. */
double predict_kernel(const Program *p, const Kernel *k, const ExplainAt *at, const Traffic *moved, const char **by);

/* The least time that an entry can take at given sizes, whatever its kernels are: the larger of the two. */
typedef struct Floor {
    int64_t bytes; /* of inputs, once, and outputs, once */
    double copy,
        products; /* seconds: of a load and as many bytes; to multiply in the library's products, at the peak */
} Floor;
bool predict_floor(const Program *p, const Way *w, const ExplainAt *at, Floor *f);

/* A size for which a program is predicted to be much slower than if its schedules were chosen for it. */
typedef struct BadGuess {
    Dim *dim; /* whose size was guessed; NULL: none is bad */
    int64_t size;
    int64_t others;         /* the size of all others without hints, as far as it is one of theirs */
    double guessed, chosen; /* seconds with the guesses, and if these sizes were the hints */
} BadGuess;
/* Whether choosing again for another size than the guessed one is predicted to be more than twice as fast: for which
 * dimension that gains most, and at which size. p was made with o and SchedOptions.keep; the Graph of p has more
 * expressions afterwards and is otherwise the same. Dimensions whose names are in *said are not looked at. Each kernel
 * that is made to find out takes one off *budget. */
BadGuess sched_bad_guess(const Program *p, const SchedOptions *o, const ExprMap *said, int *budget);

#endif
