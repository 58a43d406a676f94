/* See bound.h. Reads conjunctions of comparisons with a load on one side; what else is assumed is passed over. */
#include "bound.h"

typedef struct Walk {
    const Tensor *t;
    BoundFn *fn;
    void *user;
    int depth;
} Walk;

static bool is_load(const Expr *e, const Tensor *t) {
    while (e->op == OP_CAST) e = e->arg[0];
    return e->op == OP_LOAD && e->u.tensor == t;
}

bool bound_compare(const Expr *cond, const Tensor *t, Op *op, const Expr **other) {
    if (op_rule(cond->op) != RULE_COMPARE) return false;
    bool here = is_load(cond->arg[0], t), there = is_load(cond->arg[1], t);
    if (here == there) return false;
    *op = here ? cond->op : op_swapped(cond->op);
    *other = cond->arg[here];
    return true;
}

static void walk(Walk *w, const Expr *e) {
    const Expr *other;
    Op op;
    if (w->depth > MAX_NEST) return;
    w->depth++;
    if (e->op == OP_AND) {
        walk(w, e->arg[0]);
        walk(w, e->arg[1]);
    } else if (bound_compare(e, w->t, &op, &other) && op != OP_NE) {
        w->fn(w->user, op, other);
    }
    w->depth--;
}

void bound_each(const Graph *g, const Tensor *t, BoundFn *fn, void *user) {
    Walk w = {.t = t, .fn = fn, .user = user};
    for (int i = 0; i < g->facts.n; i++)
        if (!g->facts.at[i].require) walk(&w, g->facts.at[i].cond);
}
