/* Updates in place: what must be staged because somebody still reads the old values. See partition.h. */
#include "partition.h"
#include "sched/library/product.h"
#include "ir/expr_walk.h"

#include <limits.h>

typedef VEC(Equation) Roots;

static bool root_reads(Ctx *ctx, const Equation *r, const Tensor *t) {
    ExprMap seen = {0};
    if (expr_loads(ctx, &seen, r->value, t) || expr_loads(ctx, &seen, r->guard, t)) return true;
    for (int d = 0; d < r->tensor->rank; d++)
        if (expr_loads(ctx, &seen, r->subs[d], t)) return true;
    return false;
}

/* One inout's equations, as they are placed. */
typedef struct Update {
    const Def *def;
    Equation *roots; /* of its pieces */
    bool done;
} Update;

static bool update_reads(Partition *x, const Update *u, const Tensor *t) {
    for (int p = 0; p < u->def->tensor->pieces.n; p++)
        if (root_reads(x->temp, &u->roots[p], t)) return true;
    return false;
}

/* Other elements of the root's tensor than its own; what reductions read does not count. */
static Found is_elsewhere(const Expr *e, const void *root) {
    const Equation *r = root;
    if (e->op == OP_REDUCE) return FOUND_NOT;
    if (e->op == OP_LOAD && e->u.tensor == r->tensor)
        for (int d = 0; d < e->nargs; d++)
            if (e->arg[d] != r->subs[d]) return FOUND;
    return FOUND_INSIDE;
}

/* A product that adds to the element itself, which its factors do not read: the library takes that in place. */
static bool is_product_update(Partition *x, const Def *def, const Equation *r) {
    Product p;
    const Tensor *t = def->tensor;
    if (t->pieces.n != 1 || !would_be_product(x, r, &p, NULL)) return false;
    if (p.c.tensor != t || p.a.tensor == t || p.b.tensor == t || p.bias.tensor == t) return false;
    if (p.c.offset != p.d.offset || p.c.row != p.d.row) return false;
    for (int i = 0; i < p.nbatch; i++)
        if (p.c.batch[i] != p.d.batch[i]) return false;
    return true;
}

/* The reductions of e, but for those inside of others. */
static void find_reductions(Partition *x, ExprMap *found, ExprMap *seen, const Expr *e) {
    if (!e->reduces || expr_map_get(seen, e)) return;
    expr_map_put(x->temp, seen, e, e);
    if (e->op == OP_REDUCE) {
        expr_map_put(x->temp, found, e, e);
        return;
    }
    for (int i = 0; i < e->nargs; i++) find_reductions(x, found, seen, e->arg[i]);
}

/* Every thread that stores an element is the only one that reads it: one equation of the element itself. Its
 * reductions, which read what others store or are folded by several threads, become temporaries; what is stored is
 * loaded, for updates come last. */
static bool update_locally(Partition *x, Update *u) {
    Equation *r = &u->roots[0];
    ExprMap seen = {0}, found = {0}, walked = {0};
    if (!update_reads(x, u, u->def->tensor) || is_product_update(x, u->def, r)) return true;
    if (u->def->tensor->pieces.n > 1 || (r->guard && r->guard->reduces)) return false;
    for (int d = 0; d < u->def->tensor->rank; d++)
        if (r->subs[d]->reduces || expr_find(x->temp, &seen, r->subs[d], is_elsewhere, r)) return false;
    if (expr_find(x->temp, &seen, r->value, is_elsewhere, r)) return false;
    if (expr_find(x->temp, &seen, r->guard, is_elsewhere, r)) return false;
    r->value = reuse_stored(x, INT_MAX, r->value);
    find_reductions(x, &found, &walked, r->value);
    r->value = take_out_bad(x, r, &found, r->guard != NULL, "its values before are read while it is updated");
    return !r->value->reduces;
}

static Found is_inout(const Expr *e, const void *unused) {
    (void)unused;
    return e->op == OP_LOAD && e->u.tensor->kind == TENSOR_INOUT ? FOUND : FOUND_INSIDE;
}

/* New values go to a temporary; *copies receives the equations that move them when all old values have been read. */
static void stage_update(Partition *x, const Update *u, Roots *copies) {
    Graph *g = x->g;
    const Def *def = u->def;
    Tensor *t = NEW(g->ctx, Tensor);
    *t = *def->tensor;
    t->name = temp_name(x, def->tensor->name);
    t->kind = TENSOR_LET;
    t->partial = true;
    t->id = g->tensors.n + x->plan->temps.n;
    vec_push(g->ctx, &x->plan->temps, t);
    for (int p = 0; p < def->tensor->pieces.n; p++) {
        Equation r = u->roots[p], copy = r;
        ExprMap seen = {0};
        r.tensor = t;
        place(x, r);
        /* what a guard reads may have changed by then: its truth is kept */
        if (expr_find(x->temp, &seen, r.guard, is_inout, NULL)) copy.guard = as_temp(x, r.guard, &r);
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
    Update *u = NEW_N(x->g->ctx, Update, n + 1);
    for (int i = 0; i < n; i++) {
        int pieces = defs[i]->tensor->pieces.n;
        u[i] = (Update){.def = defs[i], .roots = NEW_N(x->g->ctx, Equation, pieces + 1)};
        for (int p = 0; p < pieces; p++) {
            u[i].roots[p] = defs_root(defs[i], p);
            root_own_vars(x->g, &u[i].roots[p]);
        }
    }
    for (int i = 0; i < n && !x->defs.failed; i++) {
        u[i].done = !update_locally(x, &u[i]);
        if (u[i].done) stage_update(x, &u[i], &copies);
    }
    for (int placed = 0; placed < n && !x->defs.failed; placed++) {
        int pick = -1, any = -1;
        for (int i = 0; i < n; i++) {
            if (u[i].done) continue;
            bool wanted = false;
            for (int j = 0; j < n; j++) wanted |= j != i && !u[j].done && update_reads(x, &u[j], defs[i]->tensor);
            if (any < 0) any = i;
            if (!wanted && pick < 0) pick = i;
        }
        if (any < 0) break;
        if (pick < 0)
            stage_update(x, &u[pick = any], &copies);
        else
            for (int p = 0; p < defs[pick]->tensor->pieces.n; p++) place(x, u[pick].roots[p]);
        u[pick].done = true;
    }
    for (int i = 0; i < copies.n; i++) place(x, copies.at[i]);
}
