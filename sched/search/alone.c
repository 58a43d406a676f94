/* What an expression takes by itself: see alone.h. */
#include "alone.h"

#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "sched/plan/plan.h"
#include "versions.h"

#include <math.h>
#include <string.h>

/* ---- the point ---- */

enum { USUAL = 1 << 10 /* elements */ };

/* Dimensions of which nothing is said. */
typedef struct Unsaid {
    Ctx *ctx;
    VEC(const Dim *) dims;
} Unsaid;

static Found note_dim(const Expr *e, void *user) {
    Unsaid *u = user;
    if (e->op != OP_DIM || e->u.dim->hint || e->u.dim->lo == e->u.dim->hi) return FOUND_INSIDE;
    for (int i = 0; i < u->dims.n; i++)
        if (u->dims.at[i] == e->u.dim) return FOUND_INSIDE;
    vec_push(u->ctx, &u->dims, e->u.dim);
    return FOUND_INSIDE;
}

void alone_large(Alone *x, const Expr *const *e, int n, int bits) {
    Unsaid u = {.ctx = x->temp};
    for (int i = 0; i < n; i++) expr_visit(e[i], note_dim, &u);
    for (int i = 0; i < u.dims.n; i++) {
        const int64_t each = (int64_t)1 << ((bits + u.dims.n - 1) / u.dims.n);
        if (x->dims[u.dims.at[i]->id] < each || !x->large[u.dims.at[i]->id]) x->dims[u.dims.at[i]->id] = each;
        x->large[u.dims.at[i]->id] = true;
    }
}

static Found is_large(const Expr *e, const void *alone) {
    const Alone *x = alone;
    return e->op == OP_DIM && x->large[e->u.dim->id] ? FOUND : FOUND_INSIDE;
}

bool alone_is_large(const Alone *x, const Expr *e) { return expr_has(e, is_large, x); }

void alone_usual(Alone *x) {
    const Graph *g = x->g;
    for (int i = 0; i < g->dims.n; i++) x->dims[i] = g->dims.at[i]->hint ? g->dims.at[i]->hint : USUAL;
    memset(x->large, 0, sizeof *x->large * (size_t)g->dims.n);
}

static int64_t legal(const Dim *d, int64_t n) {
    if (n > d->hi) n = d->hi;
    n -= n % d->divisor;
    return n < d->lo ? d->lo : n;
}

void alone_legal(Alone *x) {
    const Graph *g = x->g;
    for (int i = 0; i < g->dims.n; i++) x->dims[i] = legal(g->dims.at[i], x->dims[i]);
}

Alone alone_new(Graph *g, Targets t, const Machine *m, Ctx *temp) {
    Alone x = {.g = g, .targets = t, .machine = m, .temp = temp};
    x.dims = NEW_N(temp, int64_t, g->dims.n + 1);
    x.large = NEW_N(temp, bool, g->dims.n + 1);
    return x;
}

/* ---- seconds ---- */

/* An equation of e alone, over all that is free in it: that of its piece first, in the piece's order. */
static Equation equation_of(Alone *x, const Expr *e, const Piece *piece) {
    Graph *g = x->g;
    ExprFree free = {.ctx = x->temp, .ranges = true};
    const ExprVars *vars = expr_free(&free, e);
    Tensor *t = NEW(x->temp, Tensor);
    Equation q = {.tensor = t, .value = e};
    if (vars->n > MAX_RANK) return (Equation){0};
    q.vars = NEW_N(x->temp, Var *, vars->n + 1);
    for (int i = 0; i < piece->nvars; i++)
        if (expr_vars_have(vars, piece->vars[i])) q.vars[q.nvars++] = piece->vars[i];
    for (int i = 0; i < vars->n; i++) {
        bool known = false;
        for (int k = 0; k < q.nvars; k++) known |= q.vars[k] == vars->vars[i];
        if (!known) q.vars[q.nvars++] = vars->vars[i];
    }
    *t = (Tensor){.name = sym(x->temp, "fold"), .kind = TENSOR_LET, .type = e->type, .rank = q.nvars};
    t->shape = NEW_N(x->temp, const Expr *, q.nvars + 1);
    q.subs = NEW_N(x->temp, const Expr *, q.nvars + 1);
    for (int i = 0; i < q.nvars; i++) {
        if (!expr_over_dims(q.vars[i]->lo) || !expr_over_dims(q.vars[i]->hi)) return (Equation){0};
        t->shape[i] = expr_minus(g, q.vars[i]->hi, q.vars[i]->lo);
        q.subs[i] = expr_minus(g, expr_var(g, q.vars[i]), q.vars[i]->lo);
    }
    return q;
}

static double equation_seconds(Alone *x, Equation q) {
    Version v;
    double seconds = 0;
    Plan *plan = plan_empty(x->g, NULL);
    Group *gr = group_new(x->g, &q, 1, NULL, NULL, NULL);
    if (!gr) return (double)INFINITY;
    vec_push(x->temp, &plan->groups, gr);
    split_groups(plan, x->machine);
    if (!versions_best(gr, x->targets, x->machine, x->dims, 1, &v, &seconds)) return (double)INFINITY;
    const double judged = versions_seconds(&v, x->machine, x->dims);
    return isfinite(judged) ? judged : seconds;
}

double alone_seconds(Alone *x, const Expr *e, const Piece *piece) {
    const Equation q = equation_of(x, e, piece);
    return q.tensor ? equation_seconds(x, q) : (double)INFINITY;
}

double alone_piece_seconds(Alone *x, Type t, int rank, const Expr *const *shape, const Piece *p) {
    Tensor *of = NEW(x->temp, Tensor);
    *of = (Tensor){.name = sym(x->temp, "fold"), .kind = TENSOR_LET, .type = t, .rank = rank, .id = x->g->tensors.n};
    of->shape = NEW_N(x->temp, const Expr *, rank + 1);
    for (int i = 0; i < rank; i++) of->shape[i] = shape[i];
    return equation_seconds(x, (Equation){.tensor = of,
                                          .nvars = p->nvars,
                                          .vars = p->vars,
                                          .subs = p->subs,
                                          .guard = p->guard,
                                          .value = p->value,
                                          .update = p->update});
}
