/* Check and bench statements: binds them, draws inputs, runs the entry and the reference, and judges. */
#include "check.h"
#include "ir/expr_walk.h"

#include <math.h>
#include <string.h>

enum { RUNS = 100, RUNS_EMU = 5 }; /* timed at most: on the GPU, on the stand-in */
enum { SHRUNK = 5 };
static const uint64_t SEED = 20260101;
static const int64_t BENCH_ELEMENTS = 1 << 22; /* of a bench input that are drawn; the rest repeats them */

/* One statement while it runs; everything in it lives in `ctx`, which is freed with it. */
typedef struct Job {
    Ctx *ctx;
    const Graph *g;
    const Check *check;
    const CheckModel *model;
    const CheckOptions *o;
    int64_t *dims;
    double *scalars;
    CheckTensor *tensors;
    HostTensor *old; /* inputs and old values of inouts, for the reference */
    int n, nth;      /* parameters; of the module's checks, this one */
    int64_t copy;    /* of a benchmark: bytes of the copy beside it */
    Text why;
    CheckResult r;
} Job;

static bool bind(Job *j) {
    j->dims = NEW_N(j->ctx, int64_t, j->g->dims.n + 1);
    j->scalars = NEW_N(j->ctx, double, j->g->scalars.n + 1);
    j->n = j->g->params.n;
    j->tensors = NEW_N(j->ctx, CheckTensor, j->n + 1);
    j->old = NEW_N(j->ctx, HostTensor, j->n + 1);
    if (!check_bind(j->g, j->check, j->dims, j->scalars, &j->why)) return false;
    if (!j->o->smallest) return true;
    int d = (j->o->smallest - 1) / 2;
    int64_t given = j->dims[d];
    Text none = {.ctx = j->ctx}, sizes = {.ctx = j->ctx};
    bool smaller = check_smallest(j->g, j->check, d, 0, j->dims, j->scalars, &none);
    if (smaller && j->o->smallest % 2 == 0) {
        smaller = j->dims[d] == 0;
        j->dims[d] = given;
        smaller = smaller && check_smallest(j->g, j->check, d, 1, j->dims, j->scalars, &none);
    }
    if (!smaller) return j->r.skipped = true, false;
    text_fmt(&sizes, "%s = %lld", j->g->dims.at[d]->name, (long long)j->dims[d]);
    if (none.n) text_fmt(&sizes, " (%s)", none.s);
    j->r.sizes = sizes.s;
    return true;
}

/* ---- a check ---- */

static bool draw_special(Job *j) {
    if (j->o->inputs == INPUTS_NORMAL) return true;
    CheckSpecial s = {j->g, j->check, j->dims, j->scalars, j->tensors, SEED, j->nth};
    Text what = {.ctx = j->ctx};
    if (!check_special(&s, j->o->inputs, &what)) return j->r.skipped = true, false;
    j->r.inputs = what.s;
    return true;
}

static bool draw_input(Job *j, const Tensor *t, HostTensor *h) {
    const InputDraw draw = {check_input_spec(j->check, t->name), SEED};
    return check_input(j->g, t, draw, j->dims, j->scalars, h, &j->why);
}

static bool draw(Job *j) {
    for (int k = 0; k < j->n; k++) {
        const Tensor *t = j->g->params.at[k];
        int64_t shape[MAX_RANK], count;
        if (!interp_shape(j->g, t, j->dims, shape, &count, &j->why)) return false;
        CheckTensor *c = &j->tensors[k];
        c->name = t->name;
        c->kind = t->kind;
        if (!host_tensor(j->ctx, &c->host, t->type, t->rank, shape)) return false;
        if (t->kind != TENSOR_OUTPUT && !draw_input(j, t, &c->host)) return false;
        if (j->o->exact.kind && type_is_float(t->type)) check_exact_input(&j->o->exact, t, SEED, &c->host);
    }
    if (!draw_special(j)) return false;
    for (int k = 0; k < j->n; k++) {
        const HostTensor *h = &j->tensors[k].host;
        j->old[k] = *h;
        if (j->tensors[k].kind != TENSOR_INOUT) continue;
        host_tensor(j->ctx, &j->old[k], h->type, h->rank, h->shape);
        memcpy(j->old[k].data, h->data, h->bytes);
    }
    return true;
}

static Found is_integer_input(const Expr *e, const void *unused) {
    (void)unused;
    const Tensor *t = e->op == OP_LOAD ? e->u.tensor : NULL;
    return t && t->kind != TENSOR_LET && t->kind != TENSOR_OUTPUT && !type_is_float(t->type) ? FOUND : FOUND_INSIDE;
}

static Found is_float(const Expr *e, const void *unused) {
    (void)unused;
    return type_is_float(e->type) ? FOUND : FOUND_INSIDE;
}

/* Inputs that break an assumption prove nothing: wrong of a statement, to be expected of a size that nobody named. */
static bool facts_hold(Job *j) {
    for (int i = 0; i < j->g->facts.n; i++) {
        const Fact *f = &j->g->facts.at[i];
        Text why = {.ctx = j->ctx};
        if (j->o->exact.kind && expr_has(f->cond, is_float, NULL))
            continue; /* which says nothing of numbers of exact algebra */
        if (f->require || interp_fact(j->ctx, j->g, f, j->dims, j->scalars, j->old, &why)) continue;
        text_fmt(&j->why, "the inputs drawn break an assumption of %s: it %s", j->g->name, why.s);
        const Expr *load = expr_has(f->cond, is_integer_input, NULL);
        if (load) text_fmt(&j->why, "; draw others: check %s(...) with %s in lo..hi", j->g->name, load->u.tensor->name);
        j->r.skipped = j->r.sizes != NULL;
        j->r.uncalled = true;
        return false;
    }
    return true;
}

static bool run_entry(Job *j, int runs, CheckReply *reply) {
    CheckCall call = {.entry = j->g->name,
                      .ndims = j->g->dims.n,
                      .nscalars = j->g->scalars.n,
                      .ntensors = j->n,
                      .dims = j->dims,
                      .scalars = j->scalars,
                      .tensors = j->tensors,
                      .loose = option_is(&j->g->options, ATOMICS_FAST),
                      .runs = runs,
                      .copy = j->copy};
    return check_call(j->ctx, j->o, j->model, &call, reply, &j->why);
}

static void put_element(Text *out, const Exact *exact, const InterpValue *ref, const HostTensor *got, int64_t at) {
    int64_t sub[MAX_RANK], rest = at;
    for (int d = got->rank - 1; d >= 0; d--) {
        sub[d] = rest % got->shape[d];
        rest /= got->shape[d];
    }
    text_fmt(out, "%s[", ref->tensor->name);
    for (int d = 0; d < got->rank; d++) text_fmt(out, "%s%lld", d ? ", " : "", (long long)sub[d]);
    text_put(out, "] is ");
    if (ref->f)
        text_fmt(out, "%.9g, expected %.9g", host_float(got, at), ref->f[at]);
    else
        text_fmt(out, "%lld, expected %lld",
                 (long long)(exact->kind && type_is_float(got->type) ? exact_get(exact, got, at) : host_int(got, at)),
                 (long long)ref->i[at]);
}

/* References for an output that differs: in which inexact floats are moved to a neighbour before they decide anything,
 * or for floats in which every operation rounds. */
typedef struct Near {
    InterpValue *nudged[3], *noisy[CHECK_NOISES]; /* of each parameter; NULL: not made */
    bool tried;                                   /* noisy */
} Near;

static int noisy_references(Job *j, Near *near, int k, InterpValue *one) {
    if (!near->tried && !check_noise(j->ctx, j->g, j->dims, j->scalars, j->old, near->noisy)) near->noisy[0] = NULL;
    near->tried = true;
    for (int v = 0; v < CHECK_NOISES && near->noisy[0]; v++) one[v] = near->noisy[v][k];
    return near->noisy[0] ? CHECK_NOISES : 0;
}

static int nudged_references(Job *j, Near *near, int k, InterpValue *one) {
    static const InterpNudge nudges[3] = {NUDGE_ROUND, NUDGE_DOWN, NUDGE_UP};
    for (int v = 0; v < 3; v++) {
        if (!near->nudged[v]) {
            InterpValue *all = NEW_N(j->ctx, InterpValue, j->n + 1);
            if (!interp_run(j->ctx, j->g, &(InterpArgs){j->dims, j->scalars, j->old}, nudges[v], all, &j->why))
                return -1;
            near->nudged[v] = all;
        }
        one[v] = near->nudged[v][k];
    }
    return 3;
}

/* Which run it was that was not the first. */
static void put_run(Job *j, int run) {
    if (run == CHECK_DISPLACED)
        text_put(&j->why, "with addresses aligned to elements alone, ");
    else if (run)
        text_fmt(&j->why, "in run %d ", run + 1);
}

static bool judge_output(Job *j, int k, int run, const InterpValue *ref, Near *near) {
    double tol = j->check->tol >= 0 ? j->check->tol : check_tolerance(j->ctx, j->g, ref->tensor);
    HostTensor got = j->tensors[k].host;
    if (run) got.data = j->tensors[k].again[run];
    CheckError e = check_compare(&got, ref, tol, NULL, 0);
    if (e.bad) {
        InterpValue one[CHECK_NOISES];
        int n = ref->i ? nudged_references(j, near, k, one) : noisy_references(j, near, k, one);
        if (n < 0) return false;
        e = check_compare(&got, ref, tol, one, n);
    }
    j->r.noisy += e.noisy;
    if (!j->r.worst || e.largest * j->r.tol > j->r.error * tol) {
        j->r.worst = ref->tensor->name;
        j->r.error = e.largest;
        j->r.tol = tol;
    }
    if (!e.bad) return true;
    if (j->why.n) text_put(&j->why, "; ");
    put_run(j, run);
    put_element(&j->why, &j->o->exact, ref, &got, e.first);
    text_fmt(&j->why, " (error %.3g, tolerance %.3g; %lld of %lld elements differ)", e.largest, tol, (long long)e.bad,
             (long long)ref->n);
    return false;
}

static bool judge_exact(Job *j, int k, const InterpValue *ref) {
    const CheckTensor *t = &j->tensors[k];
    for (int run = 0; run < CHECK_RUNS; run++) {
        HostTensor got = t->host;
        if (run) got.data = t->again[run];
        if (!got.data) continue;
        CheckError e = check_compare_exact(&j->o->exact, &got, ref);
        if (!e.bad) continue;
        put_run(j, run);
        put_element(&j->why, &j->o->exact, ref, &got, e.first);
        text_fmt(&j->why, " in exact algebra modulo %llu; %lld of %lld elements differ",
                 (unsigned long long)j->o->exact.modulus, (long long)e.bad, (long long)ref->n);
        return false;
    }
    return true;
}

static bool judge_all_exact(Job *j) {
    InterpValue *ref = NEW_N(j->ctx, InterpValue, j->n + 1);
    if (!interp_exact(j->ctx, j->g, &(InterpArgs){j->dims, j->scalars, j->old}, &j->o->exact, ref, &j->why))
        return false;
    for (int k = 0; k < j->n; k++) {
        if (j->tensors[k].kind == TENSOR_INPUT) continue;
        Sym exempt = j->o->exemption ? j->o->exemption : check_exemption(j->ctx, j->g, ref[k].tensor);
        if (!exempt && !judge_exact(j, k, &ref[k])) return false;
        *(exempt ? &j->r.exempt : &j->r.exact) += 1;
        if (exempt) j->r.exemption = exempt;
    }
    return true;
}

static bool judge(Job *j) {
    if (j->o->exact.kind) return judge_all_exact(j);
    InterpValue *ref = NEW_N(j->ctx, InterpValue, j->n + 1);
    Near near = {0};
    if (!interp_run(j->ctx, j->g, &(InterpArgs){j->dims, j->scalars, j->old}, NUDGE_NONE, ref, &j->why)) return false;
    bool ok = true;
    for (int k = 0; k < j->n; k++) {
        const CheckTensor *t = &j->tensors[k];
        if (t->kind == TENSOR_INPUT) continue;
        ok &= judge_output(j, k, 0, &ref[k], &near);
        for (int run = 1; ok && run < CHECK_RUNS; run++)
            if (t->again[run] && memcmp(t->again[run], t->host.data, t->host.bytes) != 0)
                ok = judge_output(j, k, run, &ref[k], &near);
    }
    return ok;
}

/* A call that the entry should have taken. */
static bool not_refused(Job *j, const CheckReply *reply) {
    if (!reply->status) return true;
    text_fmt(&j->why, "the entry refuses: %s", reply->message ? reply->message : "(no message)");
    j->r.uncalled = true;
    return false;
}

static bool run_compared(Job *j) {
    CheckReply reply;
    if (j->o->exact.kind && (j->r.exemption = check_exempt_entry(j->ctx, j->g)) != NULL) {
        for (int k = 0; k < j->n; k++) j->r.exempt += j->g->params.at[k]->kind != TENSOR_INPUT;
        return true;
    }
    return draw(j) && facts_hold(j) && run_entry(j, 0, &reply) && not_refused(j, &reply) && judge(j);
}

/* A refusal is expected. Tensors need not have their sizes, which may be negative or enormous: nothing is launched. */
static bool run_refused(Job *j) {
    CheckReply reply;
    for (int k = 0; k < j->n; k++) {
        const Tensor *t = j->g->params.at[k];
        int64_t shape[MAX_RANK], count, small = 4096;
        Text ignored = {.ctx = j->ctx};
        CheckTensor *c = &j->tensors[k];
        c->name = t->name;
        c->kind = t->kind;
        if (interp_shape(j->g, t, j->dims, shape, &count, &ignored) && count < small) small = count;
        host_tensor(j->ctx, &c->host, t->type, 1, &small);
    }
    if (!run_entry(j, 0, &reply)) return false;
    Sym message = reply.message ? reply.message : "";
    if (!reply.status)
        text_fmt(&j->why, "the entry ran, but should refuse: %s", j->check->error);
    else if (!strstr(message, j->check->error))
        text_fmt(&j->why, "the entry refuses with \"%s\", not with \"%s\"", message, j->check->error);
    return !j->why.n;
}

/* ---- a benchmark ---- */

static bool run_bench(Job *j) {
    CheckReply reply;
    for (int k = 0; k < j->n; k++) {
        const Tensor *t = j->g->params.at[k];
        CheckTensor *c = &j->tensors[k];
        int64_t shape[MAX_RANK], n;
        if (!interp_shape(j->g, t, j->dims, shape, &n, &j->why)) return false;
        c->name = t->name;
        c->kind = t->kind;
        int64_t some = n < BENCH_ELEMENTS ? n : BENCH_ELEMENTS;
        host_tensor(j->ctx, &c->host, t->type, 1, &some);
        if (t->kind != TENSOR_OUTPUT && !draw_input(j, t, &c->host)) return false;
        c->fill = c->host.bytes ? c->host.bytes : 1;
        c->host.bytes = host_bytes(t->type, n);
        c->host.rank = t->rank;
        memcpy(c->host.shape, shape, sizeof shape);
    }
    if (!run_entry(j, j->o->gpu ? RUNS : RUNS_EMU, &reply) || !not_refused(j, &reply)) return false;
    j->r.times = reply.times;
    return true;
}

int64_t check_elements(Ctx *ctx, const Graph *g, const Check *c) {
    int64_t *dims = NEW_N(ctx, int64_t, g->dims.n + 1), shape[MAX_RANK], all = 0, n;
    double *scalars = NEW_N(ctx, double, g->scalars.n + 1);
    Text why = {.ctx = ctx};
    if (!check_bind(g, c, dims, scalars, &why)) return -1;
    for (int i = 0; i < g->params.n; i++)
        if (!interp_shape(g, g->params.at[i], dims, shape, &n, &why) || !add_ok(all, n, &all)) return -1;
    return all;
}

void check_shrink(Ctx *ctx, const Graph *g, Check *c) {
    int64_t *dims = NEW_N(ctx, int64_t, g->dims.n + 1);
    double *scalars = NEW_N(ctx, double, g->scalars.n + 1);
    Text why = {.ctx = ctx};
    if (!check_bind(g, c, dims, scalars, &why)) return;
    for (int i = 0; i < g->dims.n; i++) check_smallest(g, c, i, SHRUNK, dims, scalars, &why);
    for (int i = 0; i < g->dims.n; i++) {
        const Binding b = {.name = g->dims.at[i]->name, .value = (double)dims[i], .ivalue = dims[i]};
        int k = 0;
        while (k < c->bindings.n && strcmp(c->bindings.at[k].name, b.name) != 0) k++;
        if (k == c->bindings.n) vec_push(ctx, &c->bindings, b);
        c->bindings.at[k] = b;
    }
}

/* ---- entry points ---- */

/* How many checks of the same entry stand before it. */
static int nth_check(const Module *m, const Check *c) {
    int n = 0;
    for (int i = 0; i < m->checks.n && &m->checks.at[i] != c; i++)
        n += !m->checks.at[i].bench && !strcmp(m->checks.at[i].entry, c->entry);
    return n;
}

/* copy < 0: a check; otherwise a benchmark beside a copy of so many bytes. */
static bool statement(Ctx *ctx, const Module *m, const Check *c, const CheckModel *model, const CheckOptions *o,
                      int64_t copy, CheckResult *r) {
    const bool bench = copy >= 0;
    *r = (CheckResult){0};
    const Graph *g = check_graph(m, c->entry);
    Ctx *own = g ? ctx_new() : NULL;
    if (!g)
        r->message = sym_fmt(ctx, "there is no entry %s", c->entry);
    else if (!own)
        r->message = sym(ctx, "out of memory");
    if (!own) return false;
    if (CTX_GUARD(own)) {
        ctx_free(own);
        r->message = sym(ctx, "out of memory");
        return false;
    }
    Job j = {.ctx = own,
             .g = g,
             .check = c,
             .model = model,
             .o = o,
             .nth = nth_check(m, c) + o->smallest,
             .copy = bench ? copy : 0,
             .why = {.ctx = own}};
    j.r.skipped = !bench && c->error && (o->inputs != INPUTS_NORMAL || o->smallest);
    bool passed = !j.r.skipped && bind(&j) && (bench ? run_bench(&j) : c->error ? run_refused(&j) : run_compared(&j));
    *r = j.r;
    if (r->inputs) r->inputs = sym(ctx, r->inputs);
    if (r->sizes) r->sizes = sym(ctx, r->sizes);
    if (r->exemption) r->exemption = sym(ctx, r->exemption);
    if (r->times.on.name) r->times.on.name = sym(ctx, r->times.on.name);
    r->passed = passed;
    r->message = passed ? NULL : j.why.n ? sym(ctx, j.why.s) : r->skipped ? NULL : "failed";
    ctx_free(own);
    return true;
}

bool check_run(Ctx *ctx, const Module *m, const Check *c, const CheckModel *model, const CheckOptions *o,
               CheckResult *r) {
    return statement(ctx, m, c, model, o, -1, r);
}

bool check_bench(Ctx *ctx, const Module *m, const Check *c, const CheckModel *model, const CheckOptions *o,
                 int64_t copy, CheckResult *r) {
    return statement(ctx, m, c, model, o, copy, r);
}
