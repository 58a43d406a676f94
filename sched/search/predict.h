/* What the cost model predicts of a program at given sizes, whatever its schedules were chosen for. */
#ifndef TDC_PREDICT_H
#define TDC_PREDICT_H

#include "explain.h"
#include "ir/expr_map.h"
#include "sched.h"

/* Of a matrix product. */
typedef struct ProductSizes {
    int64_t m, n, k, batch;
} ProductSizes;
/* False where one cannot be. */
bool predict_product(const Program *p, const Product *m, const ExplainAt *at, ProductSizes *sizes);
/* Of its multiplications at the machine's peak. */
double predict_product_peak(const Program *p, const Product *m, const Machine *on, const ProductSizes *sizes);
/* As the machine's times of products say, without the launch; 0 where it has none of this type. */
double predict_product_seconds(const Program *p, const Product *m, const Machine *on, const ProductSizes *sizes);

/* Seconds of a kernel that moves so much, and in *by what they wait for. By its stages
 * (judge.h); for the library by the machine's times of products or, where it has none, at least. */
double predict_kernel(const Program *p, const Kernel *k, const Machine *m, const ExplainAt *at, const Traffic *moved,
                      const char **by);

/* Seconds of a sort, without its launches; how many kernels a step launches. */
double predict_sort(const Program *p, const SortStep *s, const Machine *m, const ExplainAt *at);
int predict_launches(const Program *p, const Step *s, const Target *t, const ExplainAt *at);

/* Kernels of one form (sched/kernel/same.h) take the same time at the same sizes: what was predicted of them, for
 * compilations of many entries that are alike. {ctx} to begin with. */
typedef struct PredictMemo {
    Ctx *ctx;
    ExprMap known; /* the kernel whose text it is -> what was predicted last */
} PredictMemo;

/* Seconds of a kernel; those of all steps of a way and between them, and each step's in each[steps]. INFINITY where a
 * size is not known. */
double predict_step(const Program *p, const Kernel *k, const Machine *m, const ExplainAt *at);
double predict_way(PredictMemo *memo, const Program *p, const Way *w, const Machine *m, const ExplainAt *at,
                   double *each);

/* The least time that an entry can take at given sizes, whatever its kernels are: the larger of the two. */
typedef struct Floor {
    int64_t bytes; /* of inputs, once, and outputs, once */
    double copy,
        products; /* seconds: of a load and as many bytes; to multiply in the library's products, at the peak */
} Floor;
bool predict_floor(const Program *p, const Way *w, const Machine *on, const ExplainAt *at, Floor *f);
double predict_least(const Floor *f); /* seconds */

#endif
