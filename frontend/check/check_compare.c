/* The rule by which a compiled result is judged (docs/language.md, "Checks"). */
#include "check.h"
#include "ir/expr_walk.h"

#include <math.h>

/* ---- the default tolerance ---- */

static double type_tolerance(Type t) {
    switch (t) {
    case TY_F64: return 1e-12;
    case TY_F32: return 1e-4;
    case TY_F16: return 2e-3;
    case TY_BF16: return 1e-2;
    case TY_F8E4M3:
    case TY_F8E5M2: return 1e-1;
    default: return 0;
    }
}

typedef struct Tolerance {
    Ctx *ctx;
    ExprMap met; /* tensors */
    double tol;
    VEC(const Tensor *) todo;
} Tolerance;

static void meet(Tolerance *x, Type t) {
    if (type_tolerance(t) > x->tol) x->tol = type_tolerance(t);
}

static void add_tensor(Tolerance *x, const Tensor *t) {
    if (expr_map_get(&x->met, t)) return;
    expr_map_put(x->ctx, &x->met, t, t);
    vec_push(x->ctx, &x->todo, t);
}

static Found meet_node(const Expr *e, void *tolerance) {
    meet(tolerance, e->type);
    if (e->op == OP_LOAD) add_tensor(tolerance, e->u.tensor);
    return FOUND_INSIDE;
}

double check_tolerance(Ctx *ctx, const Graph *g, const Tensor *output) {
    Tolerance x = {.ctx = ctx};
    ExprWalk types = {.temp = ctx, .before = meet_node, .user = &x};
    if (option_is(&g->options, MATMUL_TF32)) meet(&x, TY_F16); /* which has as many digits */
    add_tensor(&x, output);
    while (x.todo.n) {
        const Tensor *t = x.todo.at[--x.todo.n];
        meet(&x, t->type);
        for (int i = 0; i < t->pieces.n; i++) {
            expr_walk(&types, t->pieces.at[i].guard);
            expr_walk(&types, t->pieces.at[i].value);
        }
    }
    return x.tol;
}

/* ---- comparing ---- */

static double rms(const InterpValue *ref) {
    long double sum = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < ref->n; i++)
        if (isfinite(ref->f[i])) {
            sum += (long double)ref->f[i] * (long double)ref->f[i];
            n++;
        }
    return n ? (double)sqrtl(sum / (long double)n) : 0;
}

static double float_error(double out, double ref, double scale) {
    if (isnan(out) || isnan(ref)) return isnan(out) && isnan(ref) ? 0 : (double)INFINITY;
    if (out == ref) return 0;
    if (isinf(out) || isinf(ref)) return (double)INFINITY;
    return fabs(out - ref) / (fabs(ref) + scale); /* 0 in the divisor: infinite */
}

static double int_error(int64_t out, int64_t i, const InterpValue *ref, const InterpValue *near, int nnear) {
    if (out == ref->i[i]) return 0;
    for (int k = 0; k < nnear; k++)
        if (out == near[k].i[i]) return 0;
    return (double)INFINITY;
}

/* A few units in the last place at every step are any kernel's right, and the references under noise are few. */
static const double MARGIN = 4;

bool check_noise(Ctx *ctx, const Graph *g, const int64_t *dims, const double *scalars, const HostTensor *params,
                 InterpValue *out[CHECK_NOISES]) {
    Text ignored = {.ctx = ctx};
    for (int k = 0; k < CHECK_NOISES; k++) {
        out[k] = NEW_N(ctx, InterpValue, g->params.n + 1);
        if (!interp_run(ctx, g, &(InterpArgs){dims, scalars, params}, (InterpNudge)(NUDGE_NOISE + k), out[k], &ignored))
            return false;
    }
    return true;
}

double check_spread(const InterpValue *near, int nnear, int64_t i, double ref) {
    double spread = 0;
    for (int k = 0; k < nnear; k++) {
        double d = fabs(near[k].f[i] - ref);
        if (!isfinite(d)) return (double)INFINITY;
        if (d > spread) spread = d;
    }
    return spread;
}

static bool excused(double out, double ref, const InterpValue *near, int nnear, int64_t i) {
    if (!nnear || !isfinite(out)) return false;
    double spread = check_spread(near, nnear, i, ref);
    return isfinite(spread) && fabs(out - ref) <= MARGIN * spread;
}

CheckError check_compare(const HostTensor *out, const InterpValue *ref, double tol, const InterpValue *near,
                         int nnear) {
    CheckError e = {.first = -1};
    double scale = ref->f ? rms(ref) : 0;
    for (int64_t i = 0; i < ref->n; i++) {
        double d = ref->f ? float_error(host_float(out, i), ref->f[i], scale)
                          : int_error(host_int(out, i), i, ref, near, nnear);
        if (d > tol && ref->f && excused(host_float(out, i), ref->f[i], near, nnear, i)) {
            e.noisy++;
            continue;
        }
        if (d > e.largest) e.largest = d;
        if (d <= tol) continue;
        if (e.first < 0) e.first = i;
        e.bad++;
    }
    return e;
}
