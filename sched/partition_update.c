/* Updates in place: what must be staged because somebody still reads the old values. See partition.h. */
#include "partition.h"
#include "product.h"

typedef VEC(Root) Roots;

static bool reads_tensor(ExprMap *seen, Ctx *ctx, const Expr *e, const Tensor *t) {
    if (!e || expr_map_get(seen, e)) return false;
    expr_map_put(ctx, seen, e, e);
    if (e->op == OP_LOAD && e->u.tensor == t) return true;
    for (int i = 0; i < e->nargs; i++)
        if (reads_tensor(seen, ctx, e->arg[i], t)) return true;
    return false;
}

static bool root_reads(Ctx *ctx, const Root *r, const Tensor *t) {
    ExprMap seen = {0};
    if (reads_tensor(&seen, ctx, r->value, t) || reads_tensor(&seen, ctx, r->guard, t)) return true;
    for (int d = 0; d < r->tensor->rank; d++)
        if (reads_tensor(&seen, ctx, r->subs[d], t)) return true;
    return false;
}

static bool def_reads(Partition *x, const Def *def, const Tensor *t) {
    for (int p = 0; p < def->tensor->pieces.n; p++) {
        const Root r = defs_root(&x->defs, def, p);
        if (root_reads(x->temp, &r, t)) return true;
    }
    return false;
}

static bool reads_elsewhere(ExprMap *seen, Ctx *ctx, const Expr *e, const Root *r) {
    if (!e || expr_map_get(seen, e)) return false;
    expr_map_put(ctx, seen, e, e);
    if (e->op == OP_LOAD && e->u.tensor == r->tensor)
        for (int d = 0; d < e->nargs; d++)
            if (e->arg[d] != r->subs[d]) return true;
    for (int i = 0; i < e->nargs; i++)
        if (reads_elsewhere(seen, ctx, e->arg[i], r)) return true;
    return false;
}

/* A product that adds to the element itself, which its factors do not read: the library takes that in place. */
static bool is_product_update(Partition *x, const Def *def, const Root *r) {
    const Product *p = def->tensor->pieces.n == 1 ? would_be_product(x, r, NULL) : NULL;
    const Tensor *t = def->tensor;
    if (!p || p->c.tensor != t || p->a.tensor == t || p->b.tensor == t || p->bias.tensor == t) return false;
    if (p->c.offset != p->d.offset || p->c.row != p->d.row) return false;
    for (int i = 0; i < p->nbatch; i++)
        if (p->c.batch[i] != p->d.batch[i]) return false;
    return true;
}

/* Every thread that stores an element is the only one that reads it: one equation, without reductions, of the element
 * itself. */
static bool updates_locally(Partition *x, const Def *def) {
    const Root r = defs_root(&x->defs, def, 0);
    ExprMap seen = {0};
    if (!def_reads(x, def, def->tensor) || is_product_update(x, def, &r)) return true;
    if (def->tensor->pieces.n > 1 || r.value->reduces || (r.guard && r.guard->reduces))
        return false;
    for (int d = 0; d < def->tensor->rank; d++)
        if (reads_elsewhere(&seen, x->temp, r.subs[d], &r)) return false;
    return !reads_elsewhere(&seen, x->temp, r.value, &r) && !reads_elsewhere(&seen, x->temp, r.guard, &r);
}

static bool reads_inout(ExprMap *seen, Ctx *ctx, const Expr *e) {
    if (expr_map_get(seen, e)) return false;
    expr_map_put(ctx, seen, e, e);
    if (e->op == OP_LOAD && e->u.tensor->kind == TENSOR_INOUT) return true;
    for (int i = 0; i < e->nargs; i++)
        if (reads_inout(seen, ctx, e->arg[i])) return true;
    return false;
}

/* New values go to a temporary; *copies receives the equations that move them when all old values have been read. */
static void stage_update(Partition *x, const Def *def, Roots *copies) {
    Graph *g = x->g;
    Tensor *t = NEW(g->ctx, Tensor);
    *t = *def->tensor;
    t->name = temp_name(x, def->tensor->name);
    t->kind = TENSOR_LET;
    t->partial = true;
    t->id = g->tensors.n + x->plan->temps.n;
    vec_push(g->ctx, &x->plan->temps, t);
    for (int p = 0; p < def->tensor->pieces.n; p++) {
        Root r = defs_root(&x->defs, def, p), copy = r;
        ExprMap seen = {0};
        r.tensor = t;
        place(x, r);
        /* what a guard reads may have changed by then: its truth is kept */
        if (r.guard && reads_inout(&seen, x->temp, r.guard)) copy.guard = as_temp(x, r.guard, &r);
        if (r.guard && !copy.guard) {
            text_fmt(x->why, "`%s` has too many variables", def->tensor->name);
            x->defs.failed = true;
        }
        copy.value = expr_load(g, t, copy.subs);
        vec_push(g->ctx, copies, copy);
    }
}

void place_updates(Partition *x, const Def **defs, int n) {
    Roots copies = {0};
    bool *done = NEW_N(x->g->ctx, bool, n + 1);
    for (int i = 0; i < n; i++) {
        done[i] = !updates_locally(x, defs[i]);
        if (done[i]) stage_update(x, defs[i], &copies);
    }
    for (int placed = 0; placed < n && !x->defs.failed; placed++) {
        int pick = -1, any = -1;
        for (int i = 0; i < n; i++) {
            if (done[i]) continue;
            bool wanted = false;
            for (int j = 0; j < n; j++) wanted |= j != i && !done[j] && def_reads(x, defs[j], defs[i]->tensor);
            if (any < 0) any = i;
            if (!wanted && pick < 0) pick = i;
        }
        if (any < 0) break;
        if (pick < 0)
            stage_update(x, defs[pick = any], &copies);
        else
            for (int p = 0; p < defs[pick]->tensor->pieces.n; p++) place(x, defs_root(&x->defs, defs[pick], p));
        done[pick] = true;
    }
    for (int i = 0; i < copies.n; i++) place(x, copies.at[i]);
}
