/* Times of kernels at given sizes: see predict.h. Those that have a schedule take what it costs with their axes as long
 * as they are. */
#include "predict.h"

#include "cost.h"
#include "ir/interp/interp.h"
#include "sched/library/product.h"

static bool value(const Program *p, const ExplainAt *at, const Expr *e, int64_t *v) {
    return interp_int(p->graph, e, at->dims, at->scalars, v);
}

static double scheduled_seconds(const Program *p, const Kernel *k, const ExplainAt *at, CostParts *parts) {
    Ctx *temp = ctx_temp(p->ctx);
    Group gr = *k->group;
    gr.axes.at = NEW_N(temp, GAxis, gr.axes.n + 1);
    for (int a = 0; a < gr.axes.n; a++) {
        GAxis *axis = &gr.axes.at[a];
        int64_t lo, hi;
        *axis = k->group->axes.at[a];
        if (value(p, at, axis->var->lo, &lo) && value(p, at, axis->var->hi, &hi)) axis->guess = hi > lo ? hi - lo : 0;
    }
    double seconds = sched_cost_parts(cost_form(&gr, temp), &target_machine, k->schedule, parts);
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

double predict_product_seconds(const Program *p, const Product *m, const ProductSizes *c) {
    return 2.0 * (double)c->m * (double)c->n * (double)c->k * (double)c->batch / operations_a_second(p, m);
}

bool predict_product(const Program *p, const Product *m, const ExplainAt *at, ProductSizes *c) {
    c->batch = 1;
    for (int i = 0; i < m->nbatch; i++) {
        int64_t n;
        if (!value(p, at, m->batch[i], &n) || !mul_ok(c->batch, n, &c->batch)) return false;
    }
    return value(p, at, m->m, &c->m) && value(p, at, m->n, &c->n) && value(p, at, m->k, &c->k);
}

bool predict_floor(const Program *p, const Way *w, const ExplainAt *at, Floor *f) {
    Traffic moved;
    ProductSizes c;
    *f = (Floor){0};
    if (!way_traffic(p, w, at->dims, &moved) || !add_ok(moved.read, moved.written, &f->bytes)) return false;
    if (f->bytes) f->copy = target_machine.latency + (double)f->bytes / target_machine.bandwidth;
    for (int i = 0; i < w->steps.n; i++) {
        const Kernel *k = step_kernel(&w->steps.at[i]);
        const Product *m = k ? k->product : NULL;
        if (m && predict_product(p, m, at, &c)) f->products += predict_product_seconds(p, m, &c);
    }
    return true;
}

static const char *bound_by(const CostParts *c) {
    double most = c->memory;
    const char *by = "memory";
    if (c->cache > most) most = c->cache, by = "cache";
    if (c->instructions > most) most = c->instructions, by = "issue";
    return c->latency > most ? "latency" : by;
}

double predict_kernel(const Program *p, const Kernel *k, const ExplainAt *at, const Traffic *moved, const char **by) {
    CostParts parts = {.memory = ((double)moved->read + (double)moved->written) / target_machine.bandwidth};
    ProductSizes c;
    if (k->group && !k->product) {
        double s = scheduled_seconds(p, k, at, &parts);
        return *by = bound_by(&parts), s;
    }
    *by = "memory";
    if (!k->product || !predict_product(p, k->product, at, &c)) return parts.memory;
    double work = predict_product_seconds(p, k->product, &c);
    if (work > parts.memory) *by = "arithmetic";
    return work > parts.memory ? work : parts.memory;
}
