/* The partition: which equations get a kernel of their own. A reduction is taken into the kernel of the tensor that
 * reads it where its rows are the kernel's (a row that is read again) or where it is as large as the tensor itself; any
 * other becomes a temporary. */
#include "partition.h"

/* What the next equations walk is mostly of their own. */
static void forget_free(Partition *x) {
    ctx_temp_end(x->free.ctx);
    x->free = (ExprFree){.ctx = ctx_temp(x->g->ctx)};
    x->sums = (ExprMap){0};
}

static void place_all(Partition *x) {
    const Preparation *prep = x->prep;
    const Prepared **updates = NEW_N(x->temp, const Prepared *, prep->order.n + 1);
    int nupdates = 0;
    for (int i = 0; i < prep->order.n && !x->failed; i++) {
        const Prepared *def = prepare_of(prep, prep->order.at[i]);
        if (def->tensor->kind == TENSOR_INOUT) updates[nupdates++] = def;
        if (!def->stored || def->tensor->kind == TENSOR_INOUT) continue;
        if (def->tensor->kind == TENSOR_LET) plan_store(x->plan, def->tensor, def->why, NULL);
        for (int p = 0; p < def->tensor->pieces.n; p++) partition_place(x, prepare_root(def, p));
        forget_free(x);
    }
    partition_place_updates(x, updates, nupdates);
}

static Partition *begin(Plan *plan, Preparation *prep, const Machine *m, bool library, Text *why) {
    Graph *g = prep->graph;
    Partition *x = NEW(g->ctx, Partition);
    *x = (Partition){.g = g, .prep = prep, .why = why, .machine = m, .library = library, .plan = plan};
    x->free.ctx = ctx_temp(g->ctx);
    x->temp = ctx_temp(g->ctx);
    return x;
}

static bool end(Partition *x) {
    ctx_temp_end(x->temp);
    ctx_temp_end(x->free.ctx);
    return !x->failed;
}

bool partition_roots(Plan *plan, Preparation *prep, const Machine *m, const Equation *roots, int n) {
    Text why = {.ctx = prep->graph->ctx};
    text_put(&why, "");
    Partition *x = begin(plan, prep, m, false, &why);
    for (int i = 0; i < n && !x->failed; i++) partition_place(x, roots[i]);
    return end(x);
}

Plan *partition_graph(Preparation *prep, const Machine *m, bool library, Reasons *reasons, Text *why) {
    Partition *x = begin(plan_empty(prep->graph, reasons), prep, m, library, why);
    place_all(x);
    return end(x) ? x->plan : NULL;
}
