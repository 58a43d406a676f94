/* What all steps do with a Plan: names, temporaries, reasons. */
#include "plan.h"

Plan *plan_empty(Graph *g, Reasons *reasons) {
    Plan *plan = NEW(g->ctx, Plan);
    plan->graph = g;
    plan->reasons = reasons;
    for (int i = 0; i < g->tensors.n; i++) expr_map_put(g->ctx, &plan->names, g->tensors.at[i]->name, g);
    return plan;
}

Sym plan_name(Plan *plan, Sym stem) {
    Ctx *ctx = plan->graph->ctx;
    for (intptr_t i = expr_map_number(&plan->numbers, stem, 0) + 1;; i++) {
        Sym name = sym_fmt(ctx, "%s%d", stem, (int)i);
        if (expr_map_get(&plan->names, name)) continue;
        expr_map_put(ctx, &plan->names, name, name);
        expr_map_put_number(ctx, &plan->numbers, stem, i);
        return name;
    }
}

void plan_store(Plan *plan, Tensor *t, const char *why, const Tensor *reader) {
    vec_push(plan->graph->ctx, &plan->temps, ((PlanTemp){t, why, reader}));
}

void plan_reason(Plan *plan, const Tensor *one, const Tensor *other, const char *why) {
    Reasons *r = plan->reasons;
    if (!r) return;
    for (int i = r->list.n - 1; i >= 0 && i >= r->list.n - 16; i--)
        if (r->list.at[i].one == one && r->list.at[i].other == other) return;
    vec_push(r->ctx, &r->list, ((Reason){one, other, why}));
}
