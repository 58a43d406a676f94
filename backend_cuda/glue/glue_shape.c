/* How shapes determine dimensions. See glue_shape.h. Prints nothing. */
#include "glue_shape.h"

#include "ir/poly/poly.h"

static void ways_of(Ctx *ctx, const Program *p, ShapeWays *ways, int tensor, int extent) {
    Graph *g = p->graph;
    const Expr *is = p->params.at[tensor]->shape[extent];
    if (is->op == OP_DIM) {
        ShapeWay w = {tensor, extent, 0, NEW_N(ctx, bool, g->dims.n + 1)};
        while (w.dim < g->dims.n && g->dims.at[w.dim] != is->u.dim) w.dim++;
        if (w.dim < g->dims.n) vec_push(ctx, &ways->v, w);
        return;
    }
    Ctx *temp = ctx_temp(ctx);
    const PolyEnv env = {.g = g, .ctx = temp};
    Poly e = poly_of(&env, is), coef, rest;
    for (int d = 0; !e.failed && d < g->dims.n; d++) {
        if (!poly_linear(temp, e, expr_dim(g, g->dims.at[d]), &coef, &rest) || !coef.n) continue;
        ShapeWay w = {tensor, extent, d, NEW_N(ctx, bool, g->dims.n + 1)};
        for (int k = 0; k < g->dims.n; k++) w.needs[k] = k != d && poly_uses(e, expr_dim(g, g->dims.at[k]));
        vec_push(ctx, &ways->v, w);
    }
    ctx_temp_end(temp);
}

ShapeWays shape_ways(Ctx *ctx, const Program *p) {
    ShapeWays ways = {0};
    for (int alone = 1; alone >= 0; alone--)
        for (int t = 0; t < p->params.n; t++)
            for (int d = 0; d < p->params.at[t]->rank; d++)
                if ((p->params.at[t]->shape[d]->op == OP_DIM) == alone) ways_of(ctx, p, &ways, t, d);
    return ways;
}

static bool ready(const Program *p, const ShapeWay *w, const ShapeSource *from) {
    for (int k = 0; k < p->graph->dims.n; k++)
        if (w->needs[k] && from[k] == SHAPE_NONE) return false;
    return from[w->dim] == SHAPE_NONE;
}

ShapeSource *shape_sources(Ctx *ctx, const Program *p) {
    ShapeSource *from = NEW_N(ctx, ShapeSource, p->graph->dims.n + 1);
    ShapeWays ways = shape_ways(ctx, p);
    for (int outputs = 0; outputs < 2; outputs++)
        for (bool again = true; again;) {
            again = false;
            for (int i = 0; i < ways.v.n; i++) {
                const ShapeWay *w = &ways.v.at[i];
                if (!outputs && p->params.at[w->tensor]->kind == TENSOR_OUTPUT) continue;
                if (!ready(p, w, from)) continue;
                from[w->dim] = outputs ? SHAPE_OUTPUTS : SHAPE_INPUTS;
                again = true;
            }
        }
    return from;
}
