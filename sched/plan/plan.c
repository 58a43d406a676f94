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

/* ---- branches ---- */

/* Names in the plan's text, in schedules and in model.cu are those of one plan. */
typedef struct Joining {
    Plan *plan;
    ExprMap groups;
} Joining;

static bool has_temp(const Plan *plan, const Tensor *t) {
    bool has = false;
    for (int i = 0; i < plan->temps.n; i++) has |= plan->temps.at[i].tensor == t;
    return has;
}

static void join_temp(Joining *x, const PlanTemp *t) {
    Plan *plan = x->plan;
    if (has_temp(plan, t->tensor)) return;
    if (expr_map_get(&plan->names, t->tensor->name))
        t->tensor->name = plan_name(plan, sym_fmt(plan->graph->ctx, "%s_", t->tensor->name));
    plan_store(plan, t->tensor, t->why, t->reader);
}

static void join_name(Joining *x, Group *gr) {
    Ctx *ctx = x->plan->graph->ctx;
    Sym name = gr->name;
    for (int i = 2; expr_map_get(&x->groups, name); i++) name = sym_fmt(ctx, "%s_%d", gr->name, i);
    gr->name = name;
    expr_map_put(ctx, &x->groups, name, name);
}

void plan_branch(Plan *plan, Plan *other, const Expr *when) {
    Graph *g = plan->graph;
    Joining x = {.plan = plan};
    plan->branch = when;
    for (int i = 0; i < plan->groups.n; i++) {
        Group *gr = plan->groups.at[i];
        gr->elsewhere = when;
        expr_map_put(g->ctx, &x.groups, gr->name, gr);
        for (int k = 0; k < gr->divisions.n; k++)
            for (int d = 0; d < gr->divisions.at[k].n; d++)
                expr_map_put(g->ctx, &x.groups, gr->divisions.at[k].group[d]->name, gr);
    }
    for (int i = 0; i < other->temps.n; i++) join_temp(&x, &other->temps.at[i]);
    for (int i = 0; i < other->roots.n; i++) vec_push(g->ctx, &plan->roots, other->roots.at[i]);
    for (int i = 0; i < other->fusions.n; i++) vec_push(g->ctx, &plan->fusions, other->fusions.at[i]);
    for (int i = 0; i < other->groups.n; i++) {
        Group *gr = other->groups.at[i];
        const Sym was = gr->name;
        gr->branch = true;
        gr->elsewhere = expr1(g, OP_NOT, when);
        join_name(&x, gr);
        for (int k = 0; k < gr->divisions.n; k++) {
            const Division *of = &gr->divisions.at[k];
            for (int d = 0; d < of->n; d++) {
                if (of->group[d]->name == was)
                    of->group[d]->name = gr->name;
                else
                    join_name(&x, of->group[d]);
            }
        }
        vec_push(g->ctx, &plan->groups, gr);
    }
    if (plan->reasons && other->reasons)
        for (int i = 0; i < other->reasons->list.n; i++)
            vec_push(g->ctx, &plan->reasons->list, other->reasons->list.at[i]);
}
