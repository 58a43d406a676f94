/* Times of kernels at given sizes: see predict.h. Those that have a schedule take what it costs with their axes as long
 * as they are. */
#include "predict.h"

#include "cost.h"
#include "ir/interp/interp.h"
#include "judge.h"
#include "sched/library/product.h"

#include <math.h>

static bool value(const Program *p, const ExplainAt *at, const Expr *e, int64_t *v) {
    return interp_int(p->graph, e, at->dims, at->scalars, v);
}

static double scheduled_seconds(const Program *p, const Kernel *k, const ExplainAt *at, CostParts *parts) {
    Ctx *temp = ctx_temp(p->ctx);
    int64_t *dims = (int64_t *)at->dims;
    double weight = 1;
    const Points points = {1, &dims, &weight};
    Group gr = *k->group; /* its memos are filled */
    double seconds = sched_cost_parts(cost_form(&gr, &points, temp), &target_machine, k->schedule, parts);
    ctx_temp_end(temp);
    return seconds;
}

static double operations_a_second(const Program *p, const Product *m) {
    Type t = m->a.tensor->type;
    if (type_bits(t) == 8) return 2 * target_machine.products;
    if (type_bits(t) == 16) return target_machine.products;
    if (t == TY_F32 && option_is(&p->graph->options, MATMUL_TF32)) return target_machine.products / 2;
    return 2.0 * target_machine.lanes * target_machine.sms * target_machine.clock;
}

bool predict_product(const Program *p, const Product *m, const ExplainAt *at, ProductSizes *c) {
    c->batch = 1;
    for (int i = 0; i < m->nbatch; i++) {
        int64_t n;
        if (!value(p, at, m->batch[i], &n) || !mul_ok(c->batch, n, &c->batch)) return false;
    }
    return value(p, at, m->m, &c->m) && value(p, at, m->n, &c->n) && value(p, at, m->k, &c->k);
}

static const char *bound_by(const CostParts *c) {
    double most = c->memory;
    const char *by = "memory";
    if (c->cache > most) most = c->cache, by = "cache";
    if (c->instructions > most) most = c->instructions, by = "issue";
    return c->latency > most ? "latency" : by;
}

/* Of a kernel that somebody wrote: without the launch, as the others; at least the bytes' where its features are not
 * known. */
static double written_seconds(const Program *p, const Kernel *k, const ExplainAt *at, double memory, const char **by) {
    JudgeParts parts;
    const double s = judge_kernel_seconds(p, k, at->dims, &parts);
    if (!isfinite(s)) return memory;
    *by = bound_by(&(CostParts){parts.memory, parts.cache, parts.issue, parts.latency});
    return s - parts.launch;
}

double predict_kernel(const Program *p, const Kernel *k, const ExplainAt *at, const Traffic *moved, const char **by) {
    CostParts parts = {.memory = ((double)moved->read + (double)moved->written) / target_machine.bandwidth};
    ProductSizes c;
    if (k->group && !k->product) {
        double s = scheduled_seconds(p, k, at, &parts);
        return *by = bound_by(&parts), s;
    }
    *by = "memory";
    if (!k->product) return written_seconds(p, k, at, parts.memory, by);
    if (!predict_product(p, k->product, at, &c)) return parts.memory;
    double work = 2.0 * (double)c.m * (double)c.n * (double)c.k * (double)c.batch / operations_a_second(p, k->product);
    if (work > parts.memory) *by = "arithmetic";
    return work > parts.memory ? work : parts.memory;
}
