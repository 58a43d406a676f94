/* What the tests of the interpreter share: a Graph of one output, of rank 0, whose value is looked at after a run. */
#ifndef TDC_RIG_H
#define TDC_RIG_H

#include "ir/interp/interp.h"
#include "test.h"

#include <math.h>
#include <string.h>

static const double INF = (double)INFINITY, NAN_ = (double)NAN;

static inline bool same(double a, double b) { return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b)); }

static inline void expect_float(double got, double want, const char *what) {
    bool ok = same(got, want) || (isfinite(want) && fabs(got - want) <= 4e-15 * fabs(want));
    expect(ok, what, NULL);
    if (!ok) printf("    %.17g, expected %.17g\n", got, want);
}

static inline void expect_int(int64_t got, int64_t want, const char *what) {
    expect(got == want, what, NULL);
    if (got != want) printf("    %lld, expected %lld\n", (long long)got, (long long)want);
}

/* A graph whose one output, of rank 0, is an expression. */
typedef struct Rig {
    Ctx *ctx;
    Graph *g;
    Text why;
    double f;
    int64_t i;
} Rig;

static inline Rig rig(Ctx *ctx) { return (Rig){.ctx = ctx, .g = graph_new(ctx, sym(ctx, "t")), .why = {.ctx = ctx}}; }

static inline void define(Rig *r, Tensor *t, int nvars, Var **vars, const Expr *guard, const Expr **subs,
                          const Expr *value) {
    Piece p = {.nvars = nvars, .vars = vars, .subs = subs, .guard = guard, .value = value, .span = SPAN_NONE};
    vec_push(r->ctx, &t->pieces, p);
}

static inline Tensor *out(Rig *r, Type t, const Expr *value) {
    Tensor *y = graph_tensor(r->g, sym(r->ctx, "y"), TENSOR_OUTPUT, t, 0, NULL);
    define(r, y, 0, NULL, NULL, NULL, value);
    return y;
}

/* Runs with inputs (arrays of doubles by parameter); the output's first element lands in r->f or r->i. */
static inline bool go(Rig *r, const int64_t *dims, const double *scalars, const double **inputs, InterpValue *values) {
    HostTensor params[8] = {0};
    int n = r->g->params.n;
    for (int k = 0; k < n; k++) {
        const Tensor *t = r->g->params.at[k];
        int64_t shape[MAX_RANK], count;
        if (!interp_shape(r->g, t, dims, shape, &count, &r->why)) return false;
        if (!host_tensor(r->ctx, &params[k], t->type, t->rank, shape)) return false;
        for (int64_t i = 0; inputs && inputs[k] && i < count; i++) host_put_float(&params[k], i, inputs[k][i]);
    }
    if (!interp_run(r->ctx, r->g, &(InterpArgs){dims, scalars, params}, NUDGE_NONE, values, &r->why)) return false;
    InterpValue *last = &values[n - 1];
    if (last->n && last->f) r->f = last->f[0];
    if (last->n && last->i) r->i = last->i[0];
    return true;
}

#endif
