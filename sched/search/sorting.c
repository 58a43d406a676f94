/* Whether a sort pays: see sorting.h. What each fold takes, both ways, is asked of the schedules that it would have by
 * itself, at one point: hints where there are any, and large lengths where nothing is said, since a search that is too
 * slow there costs more than a sort that was not needed for small ones. */
#include "sorting.h"

#include "cost.h"
#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "ir/interp/interp.h"
#include "sched/kernel/sort.h"
#include "sched/plan/plan.h"
#include "sched/plan/sorted.h"
#include "versions.h"

#include <math.h>
#include <string.h>

typedef struct Sorting {
    SortedPlan *p;
    Targets targets;
    const Machine *machine;
    int64_t *dims; /* of the point */
    bool *large;   /* a dimension is one of which nothing is said, and that keys or owners have */
    Ctx *temp;
} Sorting;

/* ---- the point ---- */

enum { OWNERS_BITS = 16, KEYS_BITS = 20, USUAL = 1 << 10 /* elements */ };

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

/* Together they make it large. */
static void make_large(Sorting *x, const Expr *const *e, int n, int bits) {
    Unsaid u = {.ctx = x->temp};
    for (int i = 0; i < n; i++) expr_visit(e[i], note_dim, &u);
    for (int i = 0; i < u.dims.n; i++) {
        const int64_t each = (int64_t)1 << ((bits + u.dims.n - 1) / u.dims.n);
        if (x->dims[u.dims.at[i]->id] < each || !x->large[u.dims.at[i]->id]) x->dims[u.dims.at[i]->id] = each;
        x->large[u.dims.at[i]->id] = true;
    }
}

static int64_t legal(const Dim *d, int64_t n) {
    if (n > d->hi) n = d->hi;
    n -= n % d->divisor;
    return n < d->lo ? d->lo : n;
}

/* Keys and owners are many where nothing is said of them, all else as long as usual. */
static void find_point(Sorting *x, const SortedKeys *k) {
    const Graph *g = x->p->g;
    for (int i = 0; i < g->dims.n; i++) x->dims[i] = g->dims.at[i]->hint ? g->dims.at[i]->hint : USUAL;
    memset(x->large, 0, sizeof *x->large * (size_t)g->dims.n);
    make_large(x, &k->below, 1, OWNERS_BITS);
    make_large(x, k->sort->keys->shape, k->sort->keys->rank, KEYS_BITS);
    for (int i = 0; i < g->dims.n; i++) x->dims[i] = legal(g->dims.at[i], x->dims[i]);
}

/* ---- seconds ---- */

/* An equation of e alone, over all that is free in it: that of its piece first, in the piece's order. */
static Equation equation_of(Sorting *x, const Expr *e, const Piece *piece) {
    Graph *g = x->p->g;
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

/* Of the kernels that e would have by itself, at the point, with the first launch; INFINITY where it has none. */
static double seconds_of(Sorting *x, const Expr *e, const Piece *piece) {
    Equation q = equation_of(x, e, piece);
    Version v;
    double seconds = 0;
    if (!q.tensor) return (double)INFINITY;
    Plan *plan = plan_empty(x->p->g, NULL);
    Group *gr = group_new(x->p->g, &q, 1, NULL, NULL, NULL);
    if (!gr) return (double)INFINITY;
    vec_push(x->temp, &plan->groups, gr);
    split_groups(plan, x->machine);
    if (!versions_best(gr, x->targets, x->machine, x->dims, 1, &v, &seconds)) return (double)INFINITY;
    const double judged = versions_seconds(&v, x->machine, x->dims);
    return isfinite(judged) ? judged : seconds;
}

/* Of the sort, and of the kernel that computes its keys; without the launch before which nothing stands. */
static double sort_all(Sorting *x, const SortedKeys *k) {
    const Graph *g = x->p->g;
    const Tensor *t = k->sort->keys;
    const Machine *m = x->machine;
    int64_t n, below, shape[MAX_RANK];
    Text why = {.ctx = x->temp};
    if (!interp_shape(g, t, x->dims, shape, &n, &why)) return (double)INFINITY;
    if (!interp_int(g, k->below, x->dims, NULL, &below) || n > INT32_MAX || below >= INT32_MAX) return (double)INFINITY;
    bool ordered = false;
    for (int i = 0; i < k->folds.n; i++)
        ordered |= sorted_fold(x->p, k, k->folds.at[i], k->folds.at[i]->reduce)->reduces;
    const double s = sort_seconds(m, n, below, t->type, ordered) + sort_way(n, below, ordered).launches * m->chained;
    return k->given ? s : s + seconds_of(x, k->value, &t->pieces.at[0]);
}

static bool pays(Sorting *x, const SortedKeys *k) {
    double search = 0, sorted = sort_all(x, k);
    for (int i = 0; i < k->folds.n; i++) {
        const SortedFold *f = k->folds.at[i];
        const Expr *e = sorted_fold(x->p, k, f, f->reduce);
        search += seconds_of(x, f->reduce, f->piece);
        if (e->reduces) sorted += seconds_of(x, e, f->piece);
    }
    return sorted < search || (isinf(sorted) && isinf(search));
}

bool sorting_choose(Graph *g, Targets t, const Machine *m) {
    Sorting x = {.targets = t, .machine = m, .temp = ctx_temp(g->ctx)};
    bool any = false, tried = false;
    x.dims = NEW_N(x.temp, int64_t, g->dims.n + 1);
    x.large = NEW_N(x.temp, bool, g->dims.n + 1);
    x.p = sorted_find(g, x.temp);
    for (int i = 0; i < x.p->keys.n; i++) {
        SortedKeys *k = x.p->keys.at[i];
        sorted_make(x.p, k);
        tried = true;
        find_point(&x, k);
        if (pays(&x, k)) {
            sorted_place(x.p, k);
            any = true;
        } else {
            sorted_take_back(x.p, k);
        }
    }
    if (any) sorted_write(x.p);
    ctx_temp_end(x.temp);
    return tried;
}
