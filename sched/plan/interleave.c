/* Pieces that lie between each other: where one kernel stores y[2*d] and y[2*d + 1], with a value for each, as rotated
 * pairs and packed channels have them, it stores every second element twice, and no access is wide. With an axis more,
 *
 *   y[2*d + p] = if p == 0 then a[d] else b[d]        p in 0..2
 *
 * neighbouring elements are one store's, and p's are in a thread's registers, or in its neighbours. What a value loads
 * is loaded without the condition, which is of the new index alone: every value is stored for all of its indices. */
#include "plan.h"
#include "ir/expr_walk.h"
#include "ir/poly/poly.h"

enum { MOST = 8 /* pieces */ };

typedef struct Interleave {
    Group *gr;
    Ctx *temp;
    PolyEnv env;
    int n;           /* pieces: all stores of the group */
    int dim;         /* the subscript in which they differ */
    int place[MOST]; /* of each place, the store that is there */
} Interleave;

/* Every element of it is stored, whatever data are. */
static bool is_plain(const Group *gr) {
    const GStore *first = &gr->stores.at[0];
    if (gr->steps.n || gr->product || gr->fusion || gr->stores.n < 2 || gr->stores.n > MOST) return false;
    if (gr->axes.n == MAX_GROUP_AXES) return false;
    for (int i = 0; i < gr->tensors.n && first->tensor->kind == TENSOR_INOUT; i++)
        if (gr->tensors.at[i].tensor == first->tensor && gr->tensors.at[i].loaded) return false;
    for (int i = 0; i < gr->stores.n; i++) {
        const GStore *s = &gr->stores.at[i];
        if (s->tensor != first->tensor || s->axes != first->axes || s->guard || s->update) return false;
    }
    return true;
}

/* As what a value is stored: in a type that operators have, which holds it. */
static const Expr *stored(const Interleave *x, int place) {
    const Expr *e = x->gr->stores.at[x->place[place]].value;
    return expr_cast(x->gr->graph, type_acc(e->type), e);
}

/* How far b's subscript lies behind a's; false: that differs from element to element. */
static bool distance(Interleave *x, const Expr *a, const Expr *b, int64_t *by) {
    return poly_is_const(poly_sub(x->temp, poly_of(&x->env, b), poly_of(&x->env, a)), by);
}

/* Whether the subscript moves by n along an axis of its own. */
static bool moves_by(Interleave *x, const Expr *sub, int64_t n) {
    const Poly p = poly_of(&x->env, sub);
    int found = 0;
    for (int a = 0; a < x->gr->axes.n; a++) {
        const Expr *v = expr_var(x->gr->graph, x->gr->axes.at[a].var);
        Poly by, rest;
        int64_t k;
        if (p.failed || !poly_linear(x->temp, p, v, &by, &rest)) return false;
        if (!by.n) continue;
        if (!poly_is_const(by, &k) || k != n) return false;
        found++;
    }
    return found == 1;
}

/* The stores are n pieces, which differ in one subscript, by 0 to n - 1. */
static bool find_places(Interleave *x) {
    const GStore *s = x->gr->stores.at;
    int64_t by[MOST], least = 0;
    x->n = x->gr->stores.n;
    x->dim = -1;
    for (int d = 0; d < s[0].tensor->rank; d++)
        for (int i = 1; i < x->n; i++)
            if (s[i].subs[d] != s[0].subs[d]) x->dim = x->dim < 0 || x->dim == d ? d : s[0].tensor->rank;
    if (x->dim < 0 || x->dim == s[0].tensor->rank) return false;
    for (int i = 0; i < x->n; i++) {
        if (!distance(x, s[0].subs[x->dim], s[i].subs[x->dim], &by[i])) return false;
        if (by[i] < least) least = by[i];
    }
    for (int i = 0; i < x->n; i++) x->place[i] = -1;
    for (int i = 0; i < x->n; i++) {
        const int64_t at = by[i] - least;
        if (at >= x->n || x->place[at] >= 0) return false;
        x->place[at] = i;
    }
    for (int i = 1; i < x->n; i++)
        if (type_acc(s[i].value->type) != type_acc(s[0].value->type)) return false;
    return moves_by(x, s[x->place[0]].subs[x->dim], x->n);
}

/* What is loaded without a condition in e, which is stored under none. */
static void note_loads(Group *to, ExprMap *seen, const Expr *e) {
    Ctx *ctx = to->graph->ctx;
    if (!e->loads || expr_map_get(seen, e)) return;
    expr_map_put(ctx, seen, e, e);
    if (e->op == OP_LOAD) expr_map_put(ctx, &to->whole, e, e);
    for (int i = 0; i < e->nargs; i++)
        if (!i || (e->op != OP_IF && e->op != OP_AND && e->op != OP_OR)) note_loads(to, seen, e->arg[i]);
}

/* The values, of a chain of n conditions. */
static void note_values(Group *to, const Expr *e, int n) {
    ExprMap seen = {0};
    for (; n > 1; n--) {
        note_loads(to, &seen, e->arg[1]);
        e = e->arg[2];
    }
    note_loads(to, &seen, e);
}

static Group *with_axis(const Interleave *x) {
    const Group *gr = x->gr;
    Graph *g = gr->graph;
    const GStore *s = gr->stores.at, *first = &s[x->place[0]];
    Var *p = graph_var(g, sym(g->ctx, "p"), expr_int(g, TY_I64, 0), expr_int(g, TY_I64, x->n));
    Equation r = {.tensor = first->tensor, .vars = NEW_N(g->ctx, Var *, MAX_GROUP_AXES)};
    r.subs = NEW_N(g->ctx, const Expr *, r.tensor->rank);
    for (int a = 0; a < gr->axes.n; a++)
        if (first->axes >> a & 1) r.vars[r.nvars++] = gr->axes.at[a].var;
    r.vars[r.nvars++] = p;
    for (int d = 0; d < r.tensor->rank; d++) r.subs[d] = first->subs[d];
    r.subs[x->dim] = expr2(g, OP_ADD, r.subs[x->dim], expr_var(g, p));
    r.value = stored(x, x->n - 1);
    for (int i = x->n - 2; i >= 0; i--) {
        const Expr *here = expr2(g, OP_EQ, expr_var(g, p), expr_int(g, TY_I64, i));
        r.value = expr3(g, OP_IF, here, stored(x, i), r.value);
    }
    Tensor *const from = group_moved(gr);
    if (from) r.value = expr_load(g, from, r.subs);
    Group *to = group_new(g, &r, 1, NULL, NULL, NULL);
    if (!to) return NULL;
    note_values(to, to->stores.at[0].value, from ? 1 : x->n);
    to->name = gr->name;
    to->no_product = gr->no_product;
    to->rounding = gr->rounding;
    return to;
}

static Group *interleaved(Group *gr) {
    Ctx *temp = ctx_temp(gr->graph->ctx);
    Interleave x = {.gr = gr, .temp = temp, .env = {.g = gr->graph, .ctx = temp}};
    Group *to = is_plain(gr) && find_places(&x) ? with_axis(&x) : NULL;
    ctx_temp_end(temp);
    return to;
}

static bool have_all_axes(const Group *gr) {
    bool all = true;
    for (int i = 0; i < gr->stores.n; i++) all &= gr->stores.at[i].axes == ((AxisSet)1 << gr->axes.n) - 1;
    return all;
}

/* Pieces that are moved from where they were made (partition_update.c) read no element together, and are groups of
 * their own, one behind the other. Those of the same axes are one, interleaved or not; of others each has blocks along
 * its own. */
static Group *interleaved_moves(Plan *plan, int i, int *n) {
    Group *const first = plan->groups.at[i];
    Equation roots[MOST];
    for (*n = 0; *n < MOST && i + *n < plan->groups.n; ++*n) {
        const Group *gr = plan->groups.at[i + *n];
        const GStore *s = &gr->stores.at[0];
        const bool same = s->tensor == first->stores.at[0].tensor && group_moved(gr) == group_moved(first);
        if (gr->stores.n > 1 || !group_moved(gr) || !same) break;
        roots[*n] = (Equation){.tensor = s->tensor, .subs = s->subs, .value = s->value};
        roots[*n].vars = NEW_N(plan->graph->ctx, Var *, MAX_GROUP_AXES);
        for (int a = 0; a < gr->axes.n; a++) roots[*n].vars[roots[*n].nvars++] = gr->axes.at[a].var;
    }
    Group *both = *n > 1 ? group_new(plan->graph, roots, *n, NULL, NULL, NULL) : NULL;
    if (!both || !have_all_axes(both)) return NULL;
    both->name = first->name;
    Group *to = interleaved(both);
    return to ? to : both;
}

void interleave_groups(Plan *plan) {
    for (int i = 0; i < plan->groups.n; i++) {
        int n = 1;
        Group *to = interleaved(plan->groups.at[i]);
        if (!to) to = interleaved_moves(plan, i, &n);
        if (!to) continue;
        plan->groups.at[i] = to;
        plan->groups.n -= n - 1;
        for (int k = i + 1; k < plan->groups.n; k++) plan->groups.at[k] = plan->groups.at[k + n - 1];
    }
}
