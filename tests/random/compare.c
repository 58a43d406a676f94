/* Inputs, reference values, and the judgement of results. The rule is that of tdc check; where it fails, the
 * interpreter runs again with noise in the last places of every float that is computed, and an element passes that this
 * moves as far: random equations cancel, and decide on what was rounded. */
#include "trial.h"

#include <math.h>
#include <string.h>

enum { MOST_WORK = 20000 };
static const double SPREAD = 16;

/* ---- how much work a size is ---- */

typedef struct Work {
    const Graph *g;
    const int64_t *dims;
    int budget;
} Work;

static double range_size(const Work *w, const Var *v) {
    int64_t lo, hi;
    if (!interp_int(w->g, v->lo, w->dims, NULL, &lo)) lo = 0;
    if (!interp_int(w->g, v->hi, w->dims, NULL, &hi)) hi = lo + 8;
    return hi > lo ? (double)(hi - lo) : 0;
}

static double work(Work *w, const Expr *e) {
    double sum = 1, times = 1;
    if (w->budget-- <= 0) return 1;
    if (e->op == OP_REDUCE)
        for (int k = 0; k < e->u.reduce->nvars; k++) times *= range_size(w, e->u.reduce->vars[k]);
    for (int k = 0; k < e->nargs; k++)
        if (e->arg[k]) sum += work(w, e->arg[k]);
    return sum * times;
}

static double graph_work(const Graph *g, const int64_t *dims) {
    Work w = {g, dims, 200000};
    double sum = 0;
    for (int i = 0; i < g->params.n; i++) {
        int64_t shape[MAX_RANK], count = INT32_MAX;
        Text why = {.ctx = g->ctx};
        if (!interp_shape(g, g->params.at[i], dims, shape, &count, &why)) count = INT32_MAX;
        sum += (double)count;
    }
    for (int i = 0; i < g->tensors.n; i++)
        for (int p = 0; p < g->tensors.at[i]->pieces.n; p++) {
            const Piece *x = &g->tensors.at[i]->pieces.at[p];
            double times = 1;
            for (int k = 0; k < x->nvars; k++) times *= range_size(&w, x->vars[k]);
            sum += times * work(&w, x->value);
        }
    return sum;
}

/* Sizes for which interpreter and stand-in are quick enough. */
static void shrink_sizes(const Graph *g, int64_t *dims) {
    for (int n = 0; n < 64 && graph_work(g, dims) > MOST_WORK; n++) {
        int most = -1;
        for (int i = 0; i < g->dims.n; i++) {
            const Dim *d = g->dims.at[i];
            int64_t less = dims[i] / 2 - dims[i] / 2 % d->divisor;
            if (less >= d->lo && less < dims[i] && (most < 0 || dims[i] > dims[most])) most = i;
        }
        if (most < 0) return;
        dims[most] = dims[most] / 2 - dims[most] / 2 % g->dims.at[most]->divisor;
    }
}

/* ---- setting ---- */

static bool draw(Setting *s, int size, Text *why) {
    /* Every size has inputs of another kind. */
    static const InputKind kinds[] = {INPUTS_NORMAL, INPUTS_TIES, INPUTS_NEGATIVE};
    Check none = {.entry = s->g->name, .tol = -1};
    for (int k = 0; k < s->n; k++) {
        const Tensor *t = s->g->params.at[k];
        int64_t shape[MAX_RANK], count;
        CheckTensor *c = &s->tensors[k];
        if (!interp_shape(s->g, t, s->dims, shape, &count, why)) return false;
        c->name = t->name;
        c->kind = t->kind;
        if (!host_tensor(s->ctx, &c->host, t->type, t->rank, shape)) return false;
        if (t->kind != TENSOR_OUTPUT && !check_input(s->g, t, (InputDraw){NULL, 1}, s->dims, s->scalars, &c->host, why))
            return false;
        if (s->exact.kind && type_is_float(t->type)) check_exact_input(&s->exact, t, (uint64_t)size + 1, &c->host);
    }
    Text what = {.ctx = s->ctx};
    CheckSpecial special = {s->g, &none, s->dims, s->scalars, s->tensors, 1, 0};
    if (kinds[size] != INPUTS_NORMAL && !s->exact.kind) check_special(&special, kinds[size], &what);
    for (int k = 0; k < s->n; k++) {
        const HostTensor *h = &s->tensors[k].host;
        host_tensor(s->ctx, &s->old[k], h->type, h->rank, h->shape);
        memcpy(s->old[k].data, h->data, h->bytes);
    }
    return true;
}

bool setting_make(Setting *s, Ctx *ctx, const Graph *g, const Case *c, int size, Text *why) {
    *s = (Setting){.ctx = ctx, .g = g, .n = g->params.n};
    s->dims = NEW_N(ctx, int64_t, g->dims.n + 1);
    s->scalars = NEW_N(ctx, double, g->scalars.n + 1);
    s->tensors = NEW_N(ctx, CheckTensor, s->n + 1);
    s->old = NEW_N(ctx, HostTensor, s->n + 1);
    s->ref = NEW_N(ctx, InterpValue, s->n + 1);
    for (int i = 0; i < g->dims.n; i++) s->dims[i] = c->size[size][g->dims.at[i]->name[0] - 'A'];
    shrink_sizes(g, s->dims);
    for (int i = 0; i < g->scalars.n; i++) s->scalars[i] = gen_scalar(g->scalars.at[i]->name);
    if (c->exact) s->exact = exact_algebra(c->exact, exact_bits(g));
    if (graph_work(g, s->dims) > MOST_WORK * 100.0 || /* literal lengths: not tried */
        (c->exact && check_exempt_entry(ctx, g))) {
        s->g = NULL;
        return true;
    }
    const InterpArgs args = {s->dims, s->scalars, s->old};
    if (c->exact) return draw(s, size, why) && interp_exact(ctx, g, &args, &s->exact, s->ref, why);
    return draw(s, size, why) && interp_run(ctx, g, &args, NUDGE_NONE, s->ref, why);
}

/* ---- judging ---- */

static double rms(const InterpValue *v) {
    double sum = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < v->n; i++)
        if (isfinite(v->f[i])) sum += v->f[i] * v->f[i], n++;
    return n ? sqrt(sum / (double)n) : 0;
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool near_float(Setting *s, int k, int64_t i, double got, double tol, double scale) {
    double ref = s->ref[k].f[i];
    if (same(got, ref) || (isfinite(got) && isfinite(ref) && fabs(got - ref) <= tol * (fabs(ref) + scale))) return true;
    InterpValue one[CHECK_NOISES];
    for (int j = 0; j < CHECK_NOISES; j++) {
        double v = s->noisy[j][k].f[i];
        if ((!isfinite(v) || !isfinite(ref)) && !same(v, ref)) return true;
        one[j] = s->noisy[j][k];
    }
    return isfinite(got) && isfinite(ref) &&
           fabs(got - ref) <= tol * (fabs(ref) + scale) + SPREAD * check_spread(one, CHECK_NOISES, i, ref);
}

static bool near_int(const Setting *s, int k, int64_t i, int64_t got) {
    if (got == s->ref[k].i[i]) return true;
    for (int j = 0; j < CHECK_NOISES; j++)
        if (s->noisy[j][k].i[i] != s->ref[k].i[i]) return true;
    return false;
}

static void say_element(Setting *s, int k, int64_t at, const HostTensor *got, Text *why) {
    const InterpValue *ref = &s->ref[k];
    text_fmt(why, "%s, element %lld of shape", ref->tensor->name, (long long)at);
    for (int d = 0; d < got->rank; d++) text_fmt(why, " %lld", (long long)got->shape[d]);
    if (s->exact.kind && type_is_float(got->type))
        text_fmt(why, ": %lld, expected %lld modulo %llu\n", (long long)exact_get(&s->exact, got, at),
                 (long long)ref->i[at], (unsigned long long)s->exact.modulus);
    else if (ref->f)
        text_fmt(why, ": %.9g, expected %.9g\n", host_float(got, at), ref->f[at]);
    else
        text_fmt(why, ": %lld, expected %lld\n", (long long)host_int(got, at), (long long)ref->i[at]);
}

static bool setting_same(Setting *s, int k, const HostTensor *got, Tally *tally, Text *why) {
    CheckError e = {0};
    if (check_exemption(s->ctx, s->g, s->ref[k].tensor)) return true;
    e = check_compare_exact(&s->exact, got, &s->ref[k]);
    tally->elements += s->ref[k].n;
    if (e.bad) say_element(s, k, e.first, got, why);
    return !e.bad;
}

bool setting_near(Setting *s, int k, const HostTensor *got, double tol, Tally *tally, Text *why) {
    const InterpValue *ref = &s->ref[k];
    if (s->exact.kind) return setting_same(s, k, got, tally, why);
    CheckError e = check_compare(got, ref, tol, NULL, 0);
    tally->elements += ref->n;
    tally->loose += e.bad;
    if (!e.bad) return true;
    if (!s->noisy[0] && !check_noise(s->ctx, s->g, s->dims, s->scalars, s->old, s->noisy))
        return true; /* what noise drives out of range tells nothing */
    double scale = ref->f ? rms(ref) : 0;
    for (int64_t i = 0; i < ref->n; i++) {
        if (ref->f ? near_float(s, k, i, host_float(got, i), tol, scale) : near_int(s, k, i, host_int(got, i)))
            continue;
        say_element(s, k, i, got, why);
        return false;
    }
    return true;
}
