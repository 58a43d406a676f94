/* Replaces a dimension by a constant throughout a Graph. See fix.h. Simplifies nothing. */
#include "fix.h"

#include "expr_walk.h"

typedef struct Fixing {
    Graph *g;
    const Expr *from, *to;
    ExprWalk reductions; /* whose ranges are fixed: they keep their variables, and so these change in place */
} Fixing;

static const Expr *fixed(Fixing *x, const Expr *e) { return e ? expr_replace(x->g, e, &x->from, &x->to, 1) : NULL; }

static void fix_vars(Fixing *x, Var **vars, int n) {
    for (int i = 0; i < n; i++) {
        vars[i]->lo = fixed(x, vars[i]->lo);
        vars[i]->hi = fixed(x, vars[i]->hi);
    }
}

static void fix_reduction(const Expr *e, void *fixing) {
    if (e->op == OP_REDUCE) fix_vars(fixing, e->u.reduce->vars, e->u.reduce->nvars);
}

static void fix_expr(Fixing *x, const Expr **e) {
    expr_walk(&x->reductions, *e);
    *e = fixed(x, *e);
}

static void fix_tensor(Fixing *x, Tensor *t) {
    for (int d = 0; d < t->rank; d++) t->shape[d] = fixed(x, t->shape[d]);
    for (int p = 0; p < t->pieces.n; p++) {
        Piece *piece = &t->pieces.at[p];
        for (int v = 0; v < piece->nvars; v++) {
            expr_walk(&x->reductions, piece->vars[v]->lo);
            expr_walk(&x->reductions, piece->vars[v]->hi);
        }
        fix_vars(x, piece->vars, piece->nvars);
        for (int d = 0; d < t->rank; d++) fix_expr(x, &piece->subs[d]);
        if (piece->guard) fix_expr(x, &piece->guard);
        fix_expr(x, &piece->value);
    }
}

bool graph_fix_dim(Graph *g, Dim *d, int64_t value, Text *why) {
    if (value < 0 || value < d->lo || value > d->hi || (d->divisor > 1 && value % d->divisor)) {
        text_fmt(why, "dimension %s may not be %lld", d->name, (long long)value);
        return false;
    }
    Fixing x = {.g = g, .from = expr_dim(g, d), .to = expr_int(g, TY_I64, value)};
    x.reductions = (ExprWalk){.temp = g->ctx, .after = fix_reduction, .user = &x, .ranges = true};
    for (int i = 0; i < g->tensors.n; i++) fix_tensor(&x, g->tensors.at[i]);
    for (int i = 0; i < g->sorts.n; i++)
        if (g->sorts.at[i]->below) g->sorts.at[i]->below = fixed(&x, g->sorts.at[i]->below);
    for (int i = 0; i < g->facts.n; i++) {
        fix_vars(&x, g->facts.at[i].vars, g->facts.at[i].nvars);
        fix_expr(&x, &g->facts.at[i].cond);
    }
    int kept = 0;
    for (int i = 0; i < g->dims.n; i++) {
        if (g->dims.at[i] == d) continue;
        g->dims.at[kept] = g->dims.at[i];
        g->dims.at[kept]->id = kept;
        kept++;
    }
    g->dims.n = kept;
    return true;
}
