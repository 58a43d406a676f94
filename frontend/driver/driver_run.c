/* The command run: an entry on given or drawn inputs, compiled or in the reference interpreter. */
#include "driver.h"

#include "ir/diag.h"
#include "frontend/check/npy.h"

#include <math.h>
#include <string.h>

static const char *file_of(const NameFile *at, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (!strcmp(at[i].name, name)) return at[i].file;
    return NULL;
}

static Exit bad(Job *job, Span span, const Text *why) {
    diag_report(job->ctx, DIAG_BAD_CHECK, span, "%s", why->s ? why->s : "cannot be made");
    return EXIT_WRONG;
}

/* The inputs that have files; given[k] is parameter k's. */
static Exit run_given(Job *job, const Graph *g, const HostTensor **given) {
    for (int k = 0; k < g->params.n; k++) {
        const Tensor *t = g->params.at[k];
        const char *file = file_of(job->o->in.at, job->o->in.n, t->name);
        Text why = {.ctx = job->ctx};
        HostTensor *h = NEW(job->ctx, HostTensor);
        if (!file) continue;
        if (!npy_read(job->ctx, file, t->type, h, &why)) return bad(job, t->span, &why);
        given[k] = h;
    }
    return EXIT_OK;
}

/* Every parameter with its shape; inputs from their files, or seeded as a check draws them. */
static Exit run_tensors(Job *job, const Graph *g, const HostTensor *const *given, CheckCall *call) {
    Ctx *ctx = job->ctx;
    for (int i = 0; i < call->ntensors; i++) {
        const Tensor *t = g->params.at[i];
        CheckTensor *c = &call->tensors[i];
        int64_t shape[MAX_RANK], n = 0;
        Text why = {.ctx = ctx};
        if (!interp_shape(g, t, call->dims, shape, &n, &why) || !host_tensor(ctx, &c->host, t->type, t->rank, shape))
            return bad(job, t->span, &why);
        c->kind = t->kind;
        if (t->kind == TENSOR_OUTPUT) continue;
        if (!given[i]) {
            if (!check_input(g, t, (InputDraw){NULL, (uint64_t)i + 1}, call->dims, call->scalars, &c->host, &why))
                return bad(job, t->span, &why);
            continue;
        }
        bool same = given[i]->rank == t->rank;
        for (int d = 0; same && d < t->rank; d++) same = given[i]->shape[d] == shape[d];
        if (!same) return text_fmt(&why, "the input %s has another shape", t->name), bad(job, t->span, &why);
        c->host = *given[i];
    }
    return EXIT_OK;
}

static void summary(const Tensor *t, const HostTensor *h) {
    bool f = type_is_float(t->type);
    double least = INFINITY, most = -INFINITY, sum = 0;
    int64_t special = 0, finite = 0;
    printf("%s: %s[", t->name, type_name(t->type));
    for (int d = 0; d < h->rank; d++) printf("%s%lld", d ? ", " : "", (long long)h->shape[d]);
    printf("]");
    for (int64_t i = 0; i < h->n; i++) {
        double v = f ? host_float(h, i) : (double)host_int(h, i);
        if (!isfinite(v)) {
            special++;
            continue;
        }
        least = fmin(least, v), most = fmax(most, v), sum += v, finite++;
    }
    if (finite) printf("  least %g, mean %g, most %g", least, sum / (double)finite, most);
    if (special) printf("  (%lld not finite)", (long long)special);
    printf("\n   ");
    for (int64_t i = 0; i < h->n && i < 8; i++) printf(" %g", f ? host_float(h, i) : (double)host_int(h, i));
    printf(h->n > 8 ? " ...\n" : "\n");
}

static Exit run_results(Job *job, const Graph *g, const CheckCall *call) {
    for (int i = 0; i < call->ntensors; i++) {
        const Tensor *t = g->params.at[i];
        if (t->kind == TENSOR_INPUT) continue;
        summary(t, &call->tensors[i].host);
        const char *file = file_of(job->o->out_files.at, job->o->out_files.n, t->name);
        if (!file) continue;
        Text why = {.ctx = job->ctx};
        if (!npy_write(job->ctx, file, &call->tensors[i].host, &why)) return driver_fail(file, &why), EXIT_INTERNAL;
    }
    return EXIT_OK;
}

static Exit wrong_name(Job *job, const Graph *g, const char *option, const char *name) {
    diag_report(job->ctx, DIAG_UNKNOWN_NAME, g->span, "%s %s: %s has no such parameter", option, name, g->name);
    return EXIT_WRONG;
}

/* --in names an input, --out a result. */
static Exit run_names(Job *job, const Graph *g) {
    const DriverOptions *o = job->o;
    for (int k = 0; k < o->in.n + o->out_files.n; k++) {
        bool in = k < o->in.n, found = false;
        const char *name = in ? o->in.at[k].name : o->out_files.at[k - o->in.n].name;
        for (int i = 0; i < g->params.n; i++) {
            const Tensor *t = g->params.at[i];
            found |= !strcmp(t->name, name) && t->kind != (in ? TENSOR_OUTPUT : TENSOR_INPUT);
        }
        if (!found) return wrong_name(job, g, in ? "--in" : "--out", name);
    }
    return EXIT_OK;
}

/* Dimensions and scalars: from --at (scalars from -D too), and dimensions without one from the shapes of the files. */
static Exit run_sizes(Job *job, const Graph *g, const HostTensor *const *given, CheckCall *call, int64_t *dims,
                      double *scalars) {
    Check c = {.entry = g->name};
    Text why = {.ctx = job->ctx}, unmatched = {.ctx = job->ctx};
    bool *known = NEW_N(job->ctx, bool, g->dims.n + 1);
    for (int i = 0; i < job->o->at.n + job->o->defines.n; i++) {
        const Binding *b = i < job->o->at.n ? &job->o->at.at[i] : &job->o->defines.at[i - job->o->at.n];
        vec_push(job->ctx, &c.bindings, *b);
        for (int d = 0; d < g->dims.n; d++)
            if (g->dims.at[d]->name == b->name) dims[d] = b->ivalue, known[d] = true;
    }
    bool matched = check_match(g, given, dims, known, &unmatched);
    for (int d = 0; matched && d < g->dims.n; d++)
        vec_push(job->ctx, &c.bindings,
                 ((Binding){.name = g->dims.at[d]->name, .value = (double)dims[d], .ivalue = dims[d]}));
    call->dims = dims;
    call->scalars = scalars;
    if (check_bind(g, &c, dims, scalars, &why)) return EXIT_OK;
    return bad(job, g->span, unmatched.n && job->o->in.n ? &unmatched : &why);
}

/* By the reference interpreter, which must be told what is refused: the facts of the graph. */
static Exit run_interpreted(Job *job, const Graph *g, CheckCall *call) {
    HostTensor *params = NEW_N(job->ctx, HostTensor, call->ntensors + 1);
    InterpValue *values = NEW_N(job->ctx, InterpValue, call->ntensors + 1);
    Text why = {.ctx = job->ctx};
    for (int k = 0; k < call->ntensors; k++) params[k] = call->tensors[k].host;
    for (int i = 0; i < g->facts.n; i++)
        if (!interp_fact(job->ctx, g, &g->facts.at[i], call->dims, call->scalars, params, &why)) {
            const char *text = g->facts.at[i].text;
            fprintf(stderr, "tdc: refused: %s\n", text ? text : why.s ? why.s : "an assumption does not hold");
            return EXIT_WRONG;
        }
    progress_say(job->progress, "running %s in the reference interpreter", g->name);
    bool ran = interp_run(job->ctx, g, &(InterpArgs){call->dims, call->scalars, params}, NUDGE_NONE, values, &why);
    progress_hide(job->progress);
    if (!ran) return driver_fail(g->name, &why), EXIT_WRONG;
    for (int k = 0; k < call->ntensors; k++) {
        HostTensor *h = &call->tensors[k].host;
        for (int64_t i = 0; i < values[k].n && values[k].f; i++) host_put_float(h, i, values[k].f[i]);
        for (int64_t i = 0; i < values[k].n && values[k].i; i++) host_put_int(h, i, values[k].i[i]);
    }
    return EXIT_OK;
}

static Exit run_compiled(Job *job, const Graph *g, CheckCall *call, const char **place) {
    CheckOptions co;
    CheckModel m = {0};
    CheckReply r = {0};
    Text why = {.ctx = job->ctx};
    if (!driver_build(job, &co, &m)) return EXIT_INTERNAL;
    progress_say(job->progress, "running %s %s", g->name, driver_place(&co));
    bool ok = check_call(job->ctx, &co, &m, call, &r, &why);
    progress_hide(job->progress);
    check_remove(job->ctx, &m.dir);
    *place = driver_place(&co);
    if (!ok) return driver_fail(g->name, &why), EXIT_INTERNAL;
    if (!r.status) return EXIT_OK;
    fprintf(stderr, "tdc: refused: %s\n", r.message);
    return EXIT_WRONG;
}

Exit driver_run(Job *job) {
    Ctx *ctx = job->ctx;
    const Graph *g = check_graph(job->reference, sym(ctx, job->o->entry));
    CheckCall call = {
        .entry = g->name, .ndims = g->dims.n, .nscalars = g->scalars.n, .ntensors = g->params.n, .repeats = 1};
    const HostTensor **given = (const HostTensor **)NEW_N(ctx, HostTensor *, call.ntensors + 1);
    const char *place = "in the reference interpreter";
    call.tensors = NEW_N(ctx, CheckTensor, call.ntensors + 1);
    Exit e = run_names(job, g);
    if (e == EXIT_OK) e = run_given(job, g, given);
    if (e == EXIT_OK)
        e = run_sizes(job, g, given, &call, NEW_N(ctx, int64_t, g->dims.n + 1), NEW_N(ctx, double, g->scalars.n + 1));
    if (e == EXIT_OK) e = run_tensors(job, g, given, &call);
    if (e == EXIT_OK)
        e = job->o->place == PLACE_INTERP ? run_interpreted(job, g, &call) : run_compiled(job, g, &call, &place);
    if (e != EXIT_OK) return e;
    printf("%s %s\n", g->name, place);
    return run_results(job, g, &call);
}
