/* The sizes that a command is given: -D, which fixes a dimension in whatever the command compiles, and --at, at which
 * run, explain, bench and tune take a program that is for all sizes. */
#include "driver.h"

#include "ir/diag.h"
#include "ir/fix.h"

#include <string.h>

enum { GUESS = 1024 };

static const Binding *find(const Bindings *all, Sym name) {
    for (int i = 0; i < all->n; i++)
        if (all->at[i].name == name) return &all->at[i];
    return NULL;
}

/* A dimension with -D is none of the Graph any more: what is left of -D is a scalar's value. */
const Binding *driver_at(const Job *job, Sym name) {
    const Binding *b = find(&job->o->at, name);
    return b ? b : find(&job->o->defines, name);
}

/* ---- which names there are ---- */

/* Whether a command that names an entry is about this one. */
static bool concerns(const Job *job, const Graph *g) { return !job->o->entry || !strcmp(job->o->entry, g->name); }

static Dim *dim_of(const Graph *g, Sym name) {
    for (int i = 0; i < g->dims.n; i++)
        if (g->dims.at[i]->name == name) return g->dims.at[i];
    return NULL;
}

static bool has_scalar(const Graph *g, Sym name) {
    for (int i = 0; i < g->scalars.n; i++)
        if (g->scalars.at[i]->name == name) return true;
    return false;
}

static Exit bad(Job *job, const Graph *g, const char *option, const Binding *b, const char *why) {
    const Span span = g ? g->span : (Span){job->file, 0, 0};
    Diag *d = diag_report(job->ctx, DIAG_BAD_DEFINE, span, "%s %s: %s", option, b->name, why);
    VEC(const char *) names = {0};
    for (int i = 0; !g && i < job->module->graphs.n; i++) {
        const Graph *x = job->module->graphs.at[i];
        for (int k = 0; concerns(job, x) && k < x->dims.n; k++) vec_push(job->ctx, &names, x->dims.at[k]->name);
    }
    const char *near = diag_near(b->name, names.at, names.n);
    if (near) diag_help(job->ctx, d, "did you mean %s?", near);
    return EXIT_WRONG;
}

/* Whether the command gives values to scalars. */
static bool takes_scalars(const Job *job) {
    return job->o->command != COMMAND_COMPILE && job->o->command != COMMAND_CHECK;
}

static const char *none_has(const Job *job, const char *what) {
    return job->o->entry ? sym_fmt(job->ctx, "%s has no such %s", job->o->entry, what)
                         : sym_fmt(job->ctx, "no export has this %s", what);
}

static Exit fix(Job *job, Module *m, const Binding *b) {
    bool used = false;
    for (int k = 0; k < m->graphs.n; k++) {
        Graph *g = m->graphs.at[k];
        Text why = {.ctx = job->ctx};
        Dim *d = g && concerns(job, g) ? dim_of(g, b->name) : NULL;
        used |= g && takes_scalars(job) && concerns(job, g) && has_scalar(g, b->name);
        if (!d) continue;
        used = true;
        if (b->value != (double)b->ivalue) return bad(job, g, "-D", b, "a dimension is a whole number");
        if (!graph_fix_dim(g, d, b->ivalue, &why)) return bad(job, g, "-D", b, why.s);
        vec_push(job->ctx, &g->fixed, *b);
    }
    return used ? EXIT_OK
                : bad(job, NULL, "-D", b, none_has(job, takes_scalars(job) ? "dimension or scalar" : "dimension"));
}

static bool has_entry(const Job *job, const Module *m) {
    for (int i = 0; i < m->graphs.n; i++)
        if (m->graphs.at[i] && concerns(job, m->graphs.at[i])) return true;
    return false;
}

Exit driver_fix(Job *job, Module *m) {
    if (!has_entry(job, m)) return EXIT_OK; /* the command says so */
    for (int i = 0; i < job->o->defines.n; i++) {
        Exit e = fix(job, m, &job->o->defines.at[i]);
        if (e != EXIT_OK) return e;
    }
    return EXIT_OK;
}

Exit driver_check_at(Job *job) {
    const Bindings *given[] = {&job->o->at, &job->o->more};
    for (int i = 0; i < given[0]->n + given[1]->n && has_entry(job, job->module); i++) {
        const Binding *b = i < given[0]->n ? &given[0]->at[i] : &given[1]->at[i - given[0]->n];
        bool used = false;
        for (int k = 0; k < job->module->graphs.n; k++) {
            const Graph *g = job->module->graphs.at[k];
            const Dim *d = concerns(job, g) ? dim_of(g, b->name) : NULL;
            used |= d || (concerns(job, g) && has_scalar(g, b->name));
            if (d && b->value != (double)b->ivalue) return bad(job, g, "--at", b, "a dimension is a whole number");
        }
        if (!used) return bad(job, NULL, "--at", b, none_has(job, "dimension or scalar"));
    }
    return EXIT_OK;
}

const Binding *driver_contradicts(const Job *job, const Check *c) {
    for (int i = 0; i < c->bindings.n; i++) {
        const Binding *b = find(&job->o->defines, c->bindings.at[i].name);
        if (b && b->ivalue != c->bindings.at[i].ivalue) return b;
    }
    return NULL;
}

/* ---- the sizes at hand ---- */

/* The entry's first bench line, else its first check that is not to be refused; none that -D contradicts. */
static const Check *statement_of(const Job *job, Sym entry) {
    const Check *found = NULL;
    for (int i = 0; job->module && i < job->module->checks.n; i++) {
        const Check *c = &job->module->checks.at[i];
        if (c->error || strcmp(c->entry, entry) != 0 || driver_contradicts(job, c)) continue;
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

static int64_t guess(const Dim *d) {
    int64_t v = GUESS;
    if (v > d->hi) v = d->hi;
    if (v < d->lo) v = d->lo;
    if (d->divisor > 1) v = floor_div(v, d->divisor) * d->divisor;
    return v < d->lo && d->divisor > 1 ? v + d->divisor : v;
}

static SizeFrom size_of(const Job *job, const Check *c, const Dim *d, int64_t *v) {
    const Binding *b = driver_at(job, d->name);
    if (b) return *v = b->ivalue, SIZE_AT;
    if (d->lo == d->hi) return *v = d->lo, SIZE_FIXED;
    if (d->hint > 0) return *v = d->hint, d->benched ? SIZE_BENCH : SIZE_HINT;
    b = binding_of(c, d->name);
    if (b) return *v = b->ivalue, c->bench ? SIZE_BENCH : SIZE_CHECK;
    if (d->has_default) return *v = d->def, SIZE_DEFAULT;
    return *v = guess(d), SIZE_GUESS;
}

void driver_sizes(const Job *job, const Graph *g, int64_t *dims, double *scalars, SizeFrom *from) {
    const Check *c = statement_of(job, g->name);
    for (int i = 0; i < g->dims.n; i++) from[i] = size_of(job, c, g->dims.at[i], &dims[i]);
    for (int i = 0; i < g->scalars.n; i++) {
        const Scalar *s = g->scalars.at[i];
        const Binding *b = driver_at(job, s->name);
        if (!b) b = binding_of(c, s->name);
        scalars[i] = b ? b->value : s->def;
    }
}

void driver_usual_sizes(const Job *job, const Graph *g, int64_t *dims, double *scalars) {
    const Check *c = statement_of(job, g->name);
    if (c && !c->bench) c = NULL; /* checks are of small sizes */
    for (int i = 0; i < g->dims.n; i++) size_of(job, c, g->dims.at[i], &dims[i]);
    for (int i = 0; i < g->scalars.n; i++) {
        const Binding *b = binding_of(c, g->scalars.at[i]->name);
        scalars[i] = b ? b->value : g->scalars.at[i]->def;
    }
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
        text_put(why, " (at the sizes at hand; give others with --at)");
        return false;
    }
    return true;
}

/* ---- sizes to measure at ---- */

void driver_put_sizes(Text *out, const Graph *g, const int64_t *dims) {
    int n = 0;
    text_put(out, g->name);
    for (int i = 0; i < g->fixed.n; i++)
        text_fmt(out, "%s%s = %lld", n++ ? ", " : "(", g->fixed.at[i].name, (long long)g->fixed.at[i].ivalue);
    for (int i = 0; i < g->dims.n; i++)
        text_fmt(out, "%s%s = %lld", n++ ? ", " : "(", g->dims.at[i]->name, (long long)dims[i]);
    if (n) text_char(out, ')');
}

/* Whether each dimension has a value; says of all that have none how to give one. */
static bool all_sized(Job *job, const Graph *g, const Check *c) {
    Ctx *ctx = job->ctx;
    Text missing = {.ctx = ctx}, define = {.ctx = ctx}, line = {.ctx = ctx};
    for (int i = 0; i < g->dims.n; i++) {
        Sym name = g->dims.at[i]->name;
        text_fmt(&line, "%s%s = ...", i ? ", " : "", name);
        if (binding_of(c, name)) continue;
        text_fmt(&missing, "%s%s", missing.n ? ", " : "", name);
        text_fmt(&define, " --at %s=...", name);
    }
    if (!missing.n) return true;
    Diag *d =
        diag_report(ctx, DIAG_BAD_DEFINE, g->span, "%s: no size for %s: neither --at nor a bench line%s says it",
                    g->name, missing.s, job->o->command == COMMAND_TUNE ? ", a check line or a hint" : " or a hint");
    diag_help(ctx, d, "write the sizes that matter into the file: bench %s(%s);", g->name, line.s);
    diag_help(ctx, d, "or give them here:%s", define.s);
    return false;
}

/* A value of its own for what hints and defaults leave open: of a dimension its hint, of a scalar 1. */
static void bind_by_hints(const Graph *g, Check *all) {
    for (int i = 0; i < g->dims.n; i++) {
        const Dim *d = g->dims.at[i];
        if (d->hint > 0 && !binding_of(all, d->name))
            vec_push(g->ctx, &all->bindings, ((Binding){.name = d->name, .value = (double)d->hint, .ivalue = d->hint}));
    }
    for (int i = 0; i < g->scalars.n; i++)
        if (!g->scalars.at[i]->has_default && !binding_of(all, g->scalars.at[i]->name))
            vec_push(g->ctx, &all->bindings, ((Binding){.name = g->scalars.at[i]->name, .value = 1, .ivalue = 1}));
}

bool driver_entry_sizes(Job *job, const Graph *g, const Check *c, const Bindings *at, EntrySizes *out) {
    Ctx *ctx = job->ctx;
    Text why = {.ctx = ctx};
    Check *all = &out->at;
    *out = (EntrySizes){.at = {.entry = g->name, .bench = true, .tol = -1, .span = g->span},
                        .dims = NEW_N(ctx, int64_t, g->dims.n + 1),
                        .scalars = NEW_N(ctx, double, g->scalars.n + 1)};
    for (int i = 0; i < at->n; i++) vec_push(ctx, &all->bindings, at->at[i]);
    for (int i = 0; i < job->o->defines.n; i++) vec_push(ctx, &all->bindings, job->o->defines.at[i]);
    for (int i = 0; c && i < c->bindings.n; i++)
        if (!binding_of(all, c->bindings.at[i].name)) vec_push(ctx, &all->bindings, c->bindings.at[i]);
    for (int i = 0; c && i < c->inputs.n; i++) vec_push(ctx, &all->inputs, c->inputs.at[i]);
    if (!c) bind_by_hints(g, all);
    if (!all_sized(job, g, all)) return false;
    if (check_bind(g, all, out->dims, out->scalars, &why) && driver_fits(g, out->dims, out->scalars, &why)) return true;
    Diag *d = diag_report(ctx, DIAG_BAD_DEFINE, g->span, "%s: %s", g->name, why.s);
    diag_help(ctx, d, "give sizes with --at, or write a line: bench %s(...);", g->name);
    return false;
}
