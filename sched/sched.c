/* From a Graph to a Program: partitions, chooses (or is told) a schedule for each group, and applies it. */
#include "sched.h"

#include "ir/diag.h"
#include "product.h"

Program *sched_empty(Graph *g, const Plan *plan) {
    Program *p = program_new(g->ctx, g);
    for (int i = 0; i < g->tensors.n; i++)
        if (g->tensors.at[i]->kind != TENSOR_LET) vec_push(g->ctx, &p->params, g->tensors.at[i]);
    for (int i = 0; i < plan->temps.n; i++) {
        graph_take_name(g, plan->temps.at[i]->name);
        vec_push(g->ctx, &p->temps, plan->temps.at[i]);
    }
    return p;
}

bool sched_in_place(const Group *gr) { return gr->product && gr->product->c.tensor == gr->product->d.tensor; }

static bool choose(const SchedOptions *o, SchedMemo *memo, Group *gr, int i, uint64_t *state, Schedule *s, Text *why) {
    const char *fixed = o->fixed && i < o->nfixed ? o->fixed[i] : NULL;
    if (fixed) {
        if (!schedule_read(fixed, gr, s, why)) return false;
    } else if (o->fallback || sched_in_place(gr)) {
        schedule_fallback(gr, s);
    } else if (o->random) {
        schedule_random(gr, state, s);
    } else {
        sched_choose(memo, gr, o->target ? o->target : &target_default, s);
    }
    return schedule_legal(gr, s, why);
}

Program *sched_program(Ctx *ctx, Graph *g, const SchedOptions *o) {
    const SchedOptions none = {0};
    if (!o) o = &none;
    Text why = {.ctx = ctx};
    text_put(&why, "");
    if (g->host) return sched_empty(g, &(Plan){0});
    Reasons *reasons = o->reasons ? NEW(ctx, Reasons) : NULL;
    if (reasons) reasons->ctx = ctx;
    Plan *plan = plan_new(g, o->library, reasons, &why);
    if (!plan) {
        diag_report(ctx, DIAG_NOT_YET, g->span, "%s", why.s);
        return NULL;
    }
    Program *p = sched_empty(g, plan);
    p->reasons = reasons;
    uint64_t state = o->seed;
    SchedMemo own = {0}, *memo = o->memo ? o->memo : &own;
    for (int i = 0; i < plan->groups.n; i++) {
        Group *gr = plan->groups.at[i];
        Schedule s;
        if (!choose(o, memo, gr, i, &state, &s, &why)) {
            diag_report(ctx, DIAG_INTERNAL, g->span, "`%s`: a schedule is not legal: %s", gr->name, why.s);
            return NULL;
        }
        if (!sched_apply(p, gr, &s, &why)) {
            diag_report(ctx, DIAG_INTERNAL, g->span, "`%s`: a schedule cannot be applied: %s", gr->name, why.s);
            return NULL;
        }
        if (!reasons) continue;
        Kernel *k = p->kernels.at[p->kernels.n - 1];
        Schedule *kept = NEW(ctx, Schedule);
        *kept = s;
        k->group = gr;
        k->schedule = kept;
    }
    return p;
}
