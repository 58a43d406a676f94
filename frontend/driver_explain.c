/* The command explain: which sizes are at hand, and what sched/explain.c says of each entry at them. */
#include "driver.h"

#include "ir/diag.h"
#include "sched/explain.h"

#include <string.h>

enum { GUESS = 1024 };

Targets driver_targets(const DriverOptions *o) { return (Targets){o->targets.at, o->targets.n}; }

const Binding *driver_define(const Job *job, Sym name) {
    for (int i = 0; i < job->o->defines.n; i++)
        if (job->o->defines.at[i].name == name) return &job->o->defines.at[i];
    return NULL;
}

/* The entry's first bench line, else its first check that is not to be refused. */
static const Check *statement_of(const Job *job, Sym entry) {
    const Check *found = NULL;
    for (int i = 0; job->module && i < job->module->checks.n; i++) {
        const Check *c = &job->module->checks.at[i];
        if (c->error || strcmp(c->entry, entry) != 0) continue;
        if (c->bench) return c;
        if (!found) found = c;
    }
    return found;
}

static const Binding *binding_of(const Check *c, Sym name) {
    for (int i = 0; c && i < c->bindings.n; i++)
        if (!strcmp(c->bindings.at[i].name, name)) return &c->bindings.at[i];
    return NULL;
}

/* By -D, by the hint, by the statement, by what is usual. */
static int64_t dim_value(const Job *job, const Check *c, const Dim *d) {
    const Binding *b = driver_define(job, d->name);
    int64_t v = GUESS;
    if (b) return b->ivalue;
    if (d->lo == d->hi) return d->lo;
    if (d->hint > 0) return d->hint;
    b = binding_of(c, d->name);
    if (b) return b->ivalue;
    if (d->has_default) return d->def;
    if (v > d->hi) v = d->hi;
    if (v < d->lo) v = d->lo;
    if (d->divisor > 1) v = floor_div(v, d->divisor) * d->divisor;
    return v < d->lo && d->divisor > 1 ? v + d->divisor : v;
}

bool driver_fits(const Graph *g, const int64_t *dims, const double *scalars, Text *why) {
    for (int i = 0; i < g->dims.n; i++) {
        const Dim *d = g->dims.at[i];
        if (dims[i] >= d->lo && dims[i] <= d->hi && floor_mod(dims[i], d->divisor > 1 ? d->divisor : 1) == 0) continue;
        text_fmt(why, "%s = %lld is not a value that it can have", d->name, (long long)dims[i]);
        return false;
    }
    for (int i = 0; i < g->facts.n; i++) {
        int64_t holds;
        if (g->facts.at[i].nvars || !interp_int(g, g->facts.at[i].cond, dims, scalars, &holds) || holds) continue;
        text_put(why, g->facts.at[i].text ? g->facts.at[i].text : "a requirement does not hold");
        text_put(why, " (at the sizes at hand; give others with -D)");
        return false;
    }
    return true;
}

static Exit explain(Job *job, const Program *p, Text *out) {
    const Graph *g = p->graph;
    const Check *c = statement_of(job, g->name);
    int64_t *dims = NEW_N(job->ctx, int64_t, g->dims.n + 1);
    double *scalars = NEW_N(job->ctx, double, g->scalars.n + 1);
    Text why = {.ctx = job->ctx};
    for (int i = 0; i < g->dims.n; i++) dims[i] = dim_value(job, c, g->dims.at[i]);
    for (int i = 0; i < g->scalars.n; i++) {
        const Scalar *s = g->scalars.at[i];
        const Binding *b = driver_define(job, s->name);
        if (!b) b = binding_of(c, s->name);
        scalars[i] = b ? b->value : s->def;
    }
    const Target t = driver_target(job->o);
    if (driver_fits(g, dims, scalars, &why) && sched_explain(out, p, &t, job->tuning, dims, scalars, &why))
        return EXIT_OK;
    diag_report(job->ctx, DIAG_BAD_DEFINE, g->span, "%s: %s", g->name, why.s ? why.s : "no reason given");
    return EXIT_WRONG;
}

static bool has_parameter(const Job *job, Sym name) {
    for (int i = 0; i < job->programs.n; i++) {
        const Graph *g = job->programs.at[i]->graph;
        for (int k = 0; k < g->dims.n; k++)
            if (g->dims.at[k]->name == name) return true;
        for (int k = 0; k < g->scalars.n; k++)
            if (g->scalars.at[k]->name == name) return true;
    }
    return false;
}

bool driver_defines(Job *job) {
    for (int i = 0; i < job->o->defines.n; i++) {
        if (has_parameter(job, job->o->defines.at[i].name)) continue;
        diag_report(job->ctx, DIAG_BAD_DEFINE, (Span){job->file, 0, 0}, "-D %s: no export has this dimension",
                    job->o->defines.at[i].name);
        return false;
    }
    return true;
}

Exit driver_explain(Job *job) {
    Text out = {.ctx = job->ctx};
    const char *entry = job->o->entry;
    int found = 0;
    if (!driver_defines(job)) return EXIT_WRONG;
    for (int i = 0; i < job->programs.n; i++) {
        if (entry && strcmp(entry, job->programs.at[i]->graph->name) != 0) continue;
        if (found++) text_char(&out, '\n');
        Exit e = explain(job, job->programs.at[i], &out);
        if (e != EXIT_OK) return e;
    }
    fputs(out.s ? out.s : "", stdout);
    if (found || !entry) return EXIT_OK;
    diag_report(job->ctx, DIAG_UNKNOWN_NAME, (Span){job->file, 0, 0}, "no export is named '%s'", entry);
    return EXIT_WRONG;
}
