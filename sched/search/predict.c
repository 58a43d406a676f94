/* Times of kernels at given sizes: see predict.h. */
#include "predict.h"

#include "ir/interp/interp.h"
#include "judge.h"
#include "sched/kernel/same.h"
#include "sched/kernel/sort.h"
#include "sched/library/product.h"

#include <math.h>

static bool value(const Program *p, const ExplainAt *at, const Expr *e, int64_t *v) {
    return interp_int(p->graph, e, at->dims, at->scalars, v);
}

static double operations_a_second(const Program *p, const Product *m, const Machine *on) {
    return machine_product_peak(on, m->a.tensor->type, option_is(&p->graph->options, MATMUL_TF32));
}

double predict_product_peak(const Program *p, const Product *m, const Machine *on, const ProductSizes *c) {
    return 2.0 * (double)c->m * (double)c->n * (double)c->k * (double)c->batch / operations_a_second(p, m, on);
}

/* Batches are rows more. With sums of tf32 no time of f32 is one. */
double predict_product_seconds(const Program *p, const Product *m, const Machine *on, const ProductSizes *c) {
    Type t = m->a.tensor->type;
    if (t == TY_F16) t = TY_BF16;
    if (t == TY_F32 && option_is(&p->graph->options, MATMUL_TF32)) return 0;
    return machine_product_seconds(on, t, operations_a_second(p, m, on), (double)c->m * (double)c->batch, (double)c->n,
                                   (double)c->k);
}

bool predict_product(const Program *p, const Product *m, const ExplainAt *at, ProductSizes *c) {
    c->batch = 1;
    for (int i = 0; i < m->nbatch; i++) {
        int64_t n;
        if (!value(p, at, m->batch[i], &n) || !mul_ok(c->batch, n, &c->batch)) return false;
    }
    return value(p, at, m->m, &c->m) && value(p, at, m->n, &c->n) && value(p, at, m->k, &c->k);
}

bool predict_floor(const Program *p, const Way *w, const Machine *on, const ExplainAt *at, Floor *f) {
    Traffic moved;
    ProductSizes c;
    *f = (Floor){0};
    if (!way_traffic(p, w, at->dims, &moved) || !add_ok(moved.read, moved.written, &f->bytes)) return false;
    if (f->bytes) f->copy = on->latency + (double)f->bytes / on->bandwidth;
    for (int i = 0; i < w->steps.n; i++) {
        const Kernel *k = step_kernel(&w->steps.at[i]);
        const Product *m = k ? k->product : NULL;
        if (m && predict_product(p, m, at, &c)) f->products += predict_product_peak(p, m, on, &c);
    }
    return true;
}

static const char *bound_by(const JudgeParts *p) {
    double most = p->memory;
    const char *by = "memory";
    if (p->cache > most) most = p->cache, by = "cache";
    if (p->issue > most) most = p->issue, by = "issue";
    return p->latency > most ? "latency" : by;
}

/* Without the launch; at least the bytes' where the kernel's features are not known. */
static double judged_seconds(const Program *p, const Kernel *k, const Machine *m, const ExplainAt *at, double memory,
                             const char **by) {
    JudgeParts parts;
    const double s = judge_kernel_seconds(p, k, m, at->dims, &parts);
    if (!isfinite(s)) return memory;
    *by = bound_by(&parts);
    return s - parts.launch;
}

double predict_kernel(const Program *p, const Kernel *k, const Machine *m, const ExplainAt *at, const Traffic *moved,
                      const char **by) {
    const double memory = ((double)moved->read + (double)moved->written) / m->bandwidth;
    ProductSizes c;
    *by = "memory";
    if (!k->product) return judged_seconds(p, k, m, at, memory, by);
    if (!predict_product(p, k->product, at, &c)) return memory;
    const double work = predict_product_peak(p, k->product, m, &c), least = work > memory ? work : memory;
    const double measured = predict_product_seconds(p, k->product, m, &c);
    if (work > memory) *by = "arithmetic";
    return measured > 0 ? measured : least;
}

double predict_step(const Program *p, const Kernel *k, const Machine *m, const ExplainAt *at) {
    Traffic moved;
    ProductSizes c;
    const char *by;
    if (!kernel_traffic(p, k, at->dims, &moved) || (k->product && !predict_product(p, k->product, at, &c)))
        return (double)INFINITY;
    return predict_kernel(p, k, m, at, &moved, &by);
}

typedef struct Known {
    int64_t *dims; /* of the form */
    double seconds;
} Known;

static bool same_sizes(const KernelForm *f, const Known *known, const int64_t *dims) {
    for (int i = 0; i < f->ndims; i++)
        if (known->dims[i] != dims[f->dims[i]->id]) return false;
    return true;
}

/* What a library runs may depend on scalars, which are no sizes. */
static double step_once(PredictMemo *memo, const Program *p, const Kernel *k, const Machine *m, const ExplainAt *at) {
    if (!k->form || k->product) return predict_step(p, k, m, at);
    const Kernel *text = k->same ? k->same : k;
    Known *known = expr_map_object(&memo->known, text);
    if (known && same_sizes(k->form, known, at->dims)) return known->seconds;
    if (!known) {
        known = NEW(memo->ctx, Known);
        known->dims = NEW_N(memo->ctx, int64_t, k->form->ndims + 1);
        expr_map_put_object(memo->ctx, &memo->known, text, known);
    }
    for (int i = 0; i < k->form->ndims; i++) known->dims[i] = at->dims[k->form->dims[i]->id];
    return known->seconds = predict_step(p, k, m, at);
}

double predict_sort(const Program *p, const SortStep *s, const Machine *m, const ExplainAt *at) {
    SortSizes sizes;
    return sort_sizes(p, s, at->dims, at->scalars, &sizes) ? sort_step_seconds(m, s, &sizes) : (double)INFINITY;
}

int predict_launches(const Program *p, const Step *s, const Target *t, const ExplainAt *at) {
    SortSizes sizes;
    if (s->kind != STEP_SORT || !sort_sizes(p, s->sort, at->dims, at->scalars, &sizes)) return 1;
    return sort_step_launches(t, s->sort, &sizes);
}

double predict_way(PredictMemo *memo, const Program *p, const Way *w, const Machine *m, const ExplainAt *at,
                   double *each) {
    double sum = 0;
    int launches = 0;
    for (int i = 0; i < w->steps.n; i++) {
        const Step *s = &w->steps.at[i];
        const int own = predict_launches(p, s, m->target, at);
        each[i] = s->kind == STEP_SORT ? predict_sort(p, s->sort, m, at) : step_once(memo, p, s->kernel, m, at);
        sum += each[i] + (own - !launches) * m->chained;
        launches += own;
    }
    return sum;
}

double predict_least(const Floor *f) { return f->products > f->copy ? f->products : f->copy; }
