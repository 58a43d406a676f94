/* The smallest legal value of a dimension (--smallest): tried from its least value upwards, by the same facts that an
 * entry holds its callers to, and by whether inputs of that size can have values at all. */
#include "check.h"

enum { MOST_TRIES = 10000 };

/* What the C function refuses: negative lengths, a `require` that does not hold. */
static bool accepted(const Graph *g, const int64_t *dims, const double *scalars) {
    Text ignored = {.ctx = g->ctx};
    for (int k = 0; k < g->params.n; k++) {
        int64_t shape[MAX_RANK], count;
        if (!interp_shape(g, g->params.at[k], dims, shape, &count, &ignored)) return false;
    }
    for (int i = 0; i < g->facts.n; i++) {
        const Fact *f = &g->facts.at[i];
        int64_t holds;
        if (f->require && interp_int(g, f->cond, dims, scalars, &holds) && !holds) return false;
    }
    return true;
}

/* Whether each input with elements can have values: those of t in 0..C cannot where C is 0. */
static bool inhabited(Ctx *ctx, const Graph *g, const Check *c, const int64_t *dims, const double *scalars, Text *why) {
    for (int k = 0; k < g->params.n; k++) {
        const Tensor *t = g->params.at[k];
        int64_t shape[MAX_RANK], count, one = 1;
        HostTensor h;
        if (t->kind == TENSOR_OUTPUT || !interp_shape(g, t, dims, shape, &count, why) || !count) continue;
        if (!host_tensor(ctx, &h, t->type, 1, &one)) return false;
        if (!check_input(g, t, (InputDraw){check_input_spec(c, t->name), 0}, dims, scalars, &h, why)) return false;
    }
    return true;
}

bool check_smallest(const Graph *g, const Check *c, int d, int64_t least, int64_t *dims, const double *scalars,
                    Text *why) {
    Ctx *ctx = why->ctx;
    const Dim *dim = g->dims.at[d];
    if (least < dim->lo) least = dim->lo;
    int64_t given = dims[d], step = dim->divisor, v = -floor_div(-least, step) * step;
    for (int tries = 0; v < given && tries < MOST_TRIES; v += step, tries++) {
        Text none = {.ctx = ctx};
        dims[d] = v;
        if (!accepted(g, dims, scalars)) continue;
        if (inhabited(ctx, g, c, dims, scalars, &none)) return true;
        if (!why->n) text_fmt(why, "%lld: %s", (long long)v, none.s);
    }
    dims[d] = given;
    return false;
}
