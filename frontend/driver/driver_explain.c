/* The command explain: what sched/search/explain.c says of each entry at the sizes at hand. */
#include "driver.h"

#include "ir/diag.h"
#include "sched/search/explain.h"

#include <string.h>

Targets driver_targets(const DriverOptions *o) { return (Targets){o->targets.at, o->targets.n}; }

static Exit explain(Job *job, const Program *p, Text *out) {
    const Graph *g = p->graph;
    int64_t *dims = NEW_N(job->ctx, int64_t, g->dims.n + 1);
    double *scalars = NEW_N(job->ctx, double, g->scalars.n + 1);
    SizeFrom *from = NEW_N(job->ctx, SizeFrom, g->dims.n + 1);
    Text why = {.ctx = job->ctx};
    driver_sizes(job, g, dims, scalars, from);
    const Target t = driver_target(job->o);
    const ExplainAt at = {.dims = dims, .scalars = scalars, .from = from};
    const ExplainForm form = job->o->results_json ? EXPLAIN_JSON : EXPLAIN_TEXT;
    const ExplainFor what = {&t, job->machine, job->tuning};
    if (driver_fits(g, dims, scalars, &why) && sched_explain(out, form, p, &what, &at, &why)) return EXIT_OK;
    diag_report(job->ctx, DIAG_BAD_DEFINE, g->span, "%s: %s", g->name, why.s ? why.s : "no reason given");
    return EXIT_WRONG;
}

Exit driver_explain(Job *job) {
    Text out = {.ctx = job->ctx};
    const char *entry = job->o->entry;
    int found = 0;
    if (!job->module) { /* a program text */
        job->module = NEW(job->ctx, Module);
        for (int i = 0; i < job->programs.n; i++) vec_push(job->ctx, &job->module->graphs, job->programs.at[i]->graph);
        Exit e = driver_check_at(job);
        if (e != EXIT_OK) return e;
    }
    for (int i = 0; i < job->programs.n; i++) {
        if (entry && strcmp(entry, job->programs.at[i]->graph->name) != 0) continue;
        if (found++ && !job->o->results_json) text_char(&out, '\n');
        Exit e = explain(job, job->programs.at[i], &out);
        if (e != EXIT_OK) return e;
    }
    fputs(out.s ? out.s : "", stdout);
    if (found || !entry) return EXIT_OK;
    diag_report(job->ctx, DIAG_UNKNOWN_NAME, (Span){job->file, 0, 0}, "no export is named '%s'", entry);
    return EXIT_WRONG;
}
