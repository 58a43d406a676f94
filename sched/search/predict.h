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

/* Seconds of a kernel that moves so much, and in *by what they wait for. By its schedule where it has one, by its
 * stages (judge.h) where it was written by hand; for the library at least. */
double predict_kernel(const Program *p, const Kernel *k, const ExplainAt *at, const Traffic *moved, const char **by);

#endif
