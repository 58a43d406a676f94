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

static void compare(const Walk *w, Op op, const Expr *left, const Expr *right) {
    static const Op turned[OP_COUNT] = {
        [OP_EQ] = OP_EQ, [OP_LT] = OP_GT, [OP_LE] = OP_GE, [OP_GT] = OP_LT, [OP_GE] = OP_LE};
    bool here = is_load(left, w->t), there = is_load(right, w->t);
    if (here == there || !turned[op]) return;
    w->fn(w->user, here ? op : turned[op], here ? right : left);
}

static void walk(Walk *w, const Expr *e) {
    if (w->depth > MAX_NEST) return;
    w->depth++;
    if (e->op == OP_AND) {
        walk(w, e->arg[0]);
        walk(w, e->arg[1]);
    } else if (op_rule(e->op) == RULE_COMPARE) {
        compare(w, e->op, e->arg[0], e->arg[1]);
    }
    w->depth--;
}

void bound_each(const Graph *g, const Tensor *t, BoundFn *fn, void *user) {
    Walk w = {.t = t, .fn = fn, .user = user};
    for (int i = 0; i < g->facts.n; i++)
        if (!g->facts.at[i].require) walk(&w, g->facts.at[i].cond);
}
