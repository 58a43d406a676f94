/* A Graph's Plan in one call: the steps of plan.h. */
#include "plan.h"
#include "prepare.h"

Plan *plan_new(Graph *g, const Machine *m, bool library, Reasons *reasons, Text *why) {
    Preparation *prep = prepare_graph(g, NULL, why);
    Plan *plan = prep ? partition_graph(prep, m, library, reasons, why) : NULL;
    if (!plan) return NULL;
    share_groups(plan);
    fuse_groups(plan, m);
    split_groups(plan, m);
    apart_groups(plan, prep, m);
    return plan;
}
