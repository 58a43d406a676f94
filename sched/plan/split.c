/* Large reductions with few results. Where they might leave most of a machine idle, a group may be divided into one
 * that stores the shares of many blocks in new temporaries and one that folds those, in their order: results repeat.
 * Which is faster depends on sizes and is not decided here (sched/search/versions.c): the group gets its divisions,
 * into few and many shares where lengths are not known. */
#include "split.h"

#include "online.h"
#include "scatter.h"

#include "ir/expr_walk.h"
#include "ir/monoid.h"

#include <string.h>

enum { LEAST_SHARE = 4096 /* elements */, ROWS = 4, COLUMNS = 64 /* results of a block */ };
enum { MUCH = 64 /* times as long */ };
enum { FEWER = 16 /* times, where lengths are not known */, WARPS = 4 };

int64_t split_many(const Machine *m) { return 2 * (int64_t)m->sms; }
/* Of those that scatter each is a warp's. */
static int64_t split_most(const Machine *m) { return WARPS * split_many(m); }

int64_t split_few(const Machine *m) { return split_many(m) / FEWER; }

/* Whether a store is of results, or along all that is folded and of none: each block stores what it reads. */
static bool store_splits(const GStore *s, AxisSet results, AxisSet over) {
    if (s->guard && expr_has(s->guard, expr_test_data, NULL)) return false; /* shares would be stored always */
    if (s->axes == results) return true;
    const bool reads = s->value->reduces || (s->guard && s->guard->reduces);
    return s->axes == (results | over) && !reads;
}

bool split_may(const Group *gr) {
    if (!gr->steps.n || gr->split >= 0 || !group_updates_own(gr)) return false;
    const AxisSet o = gr->steps.at[0].free, over = gr->steps.at[0].over;
    for (int i = 0; i < gr->steps.n; i++) {
        const GStep *p = &gr->steps.at[i];
        if (p->scan || p->over != over || p->free != o || p->monoid->ordered) return false;
        for (int k = 0; k < p->monoid->n; k++)
            if (!p->part[k] && !p->monoid->indexed) return false;
        for (int j = 0; j < gr->steps.n; j++)
            if (gr->steps.at[j].under & over) return false;
    }
    for (int i = 0; i < gr->stores.n; i++)
        if (!store_splits(&gr->stores.at[i], o, over)) return false;
    return !(over & o);
}

/* Whether an axis has shares for all of a machine: where elements are neighbours, no shorter than some lines. */
static bool has_long_shares(const Group *gr, const GAxis *x, const Machine *m) {
    bool nearest = x->contiguous > 0;
    for (int a = 0; a < gr->axes.n; a++) nearest &= gr->axes.at[a].contiguous <= x->contiguous;
    return x->guess / split_many(m) >= (nearest && gr->axes.n > 1 ? COLUMNS : 1);
}

/* Whether x is the better one to divide of two that have long shares, or have none; of equal ones the later, as batches
 * and channels are few. */
static bool divides_better(const GAxis *x, const GAxis *y, bool shares, const Machine *m) {
    if (shares && (x->guess / MUCH >= y->guess || y->guess / MUCH >= x->guess)) return x->guess > y->guess;
    if (shares && x->contiguous != y->contiguous) return x->contiguous < y->contiguous;
    if (shares) return x->guess >= y->guess;
    const bool some = 2 * x->guess >= m->sms, others = 2 * y->guess >= m->sms;
    if (some && others && x->contiguous != y->contiguous) return x->contiguous < y->contiguous;
    return x->guess > y->guess;
}

int split_axis(const Group *gr, AxisSet over, const Machine *m) {
    int best = -1;
    for (int a = 0; a < gr->axes.n; a++) {
        if (!(over >> a & 1)) continue;
        const GAxis *x = &gr->axes.at[a], *y = best >= 0 ? &gr->axes.at[best] : NULL;
        const bool shares = has_long_shares(gr, x, m), had = y && has_long_shares(gr, y, m);
        if (!y || (shares == had ? divides_better(x, y, shares, m) : shares)) best = a;
    }
    return best;
}

/* Loads of what is folded that are contiguous along folded axes, and others. */
typedef struct LoadCount {
    Group *gr;
    AxisSet over;
    int rows, columns;
} LoadCount;

static Found count_load(const Expr *e, void *user) {
    LoadCount *c = user;
    if (e->op == OP_LOAD && group_free(c->gr, e) & c->over)
        ++*(group_free(c->gr, e->arg[e->nargs - 1]) & c->over ? &c->rows : &c->columns);
    return FOUND_INSIDE;
}

/* Whether what steps fold, or scan, mostly lies along their axes. */
static bool folds_rows(Group *gr) {
    LoadCount c = {.gr = gr};
    for (int i = 0; i < gr->steps.n; i++) {
        ExprWalk w = {.temp = gr->graph->ctx, .before = count_load, .user = &c, .loads = true};
        c.over = gr->steps.at[i].over;
        expr_walk(&w, gr->steps.at[i].body);
    }
    return c.rows >= c.columns;
}

int64_t split_whole(Group *gr) { return folds_rows(gr) ? LEAST_SHARE : LEAST_SHARE / COLUMNS; }

int64_t split_shares(Group *gr, const Machine *m, int axis, const GStep *p) {
    int64_t results = group_guess(gr, p->free & ~p->over), folded = group_guess(gr, p->over);
    int64_t wide = !folds_rows(gr) ? COLUMNS : p->scan ? 1 : ROWS, total;
    int64_t blocks = results / wide > 0 ? results / wide : 1, n = split_many(m) / blocks;
    const int64_t rows = p->into ? group_guess(gr, step_around(p)) : 0; /* each of which is a warp's, or has shares */
    if (rows) n = split_most(m) / rows;
    if (!mul_ok(results < wide ? results : wide, folded, &total)) total = INT64_MAX;
    if (n > total / LEAST_SHARE) n = total / LEAST_SHARE;
    if (n > gr->axes.at[axis].guess) n = gr->axes.at[axis].guess;
    return n;
}

Tensor *split_temp(Plan *plan, const Group *gr, SplitTemp of) {
    Graph *g = plan->graph;
    Tensor *t = NEW(g->ctx, Tensor);
    *t = (Tensor){
        .name = plan_name(plan, sym_fmt(g->ctx, "%s_%s", gr->name, of.name)), .kind = TENSOR_LET, .type = of.type};
    t->shape = NEW_N(g->ctx, const Expr *, MAX_GROUP_AXES + 1);
    if (of.shares) t->shape[t->rank++] = expr_int(g, TY_I64, of.shares);
    for (int a = 0; a < gr->axes.n; a++)
        if (of.axes >> a & 1) t->shape[t->rank++] = expr_minus(g, gr->axes.at[a].var->hi, gr->axes.at[a].var->lo);
    t->id = g->tensors.n + plan->temps.n;
    const Tensor *result = gr->stores.at[0].tensor;
    t->span = result->pieces.n ? result->pieces.at[0].span : result->span;
    plan_store(plan, t, of.why, result);
    return t;
}

const Expr **split_subs(const Group *gr, AxisSet axes, const Expr *share) {
    Graph *g = gr->graph;
    const Expr **subs = NEW_N(g->ctx, const Expr *, MAX_GROUP_AXES + 1);
    int n = 0;
    if (share) subs[n++] = share;
    for (int a = 0; a < gr->axes.n; a++)
        if (axes >> a & 1) subs[n++] = expr_minus(g, expr_var(g, gr->axes.at[a].var), gr->axes.at[a].var->lo);
    return subs;
}

/* The states of a step as what folds those that are loaded of *from on, over these variables too. *to: the parts. */
static void fold_states(Graph *g, const GStep *p, Tensor *const *from, const Expr **subs, Var *const *vars, int nvars,
                        const Expr **to) {
    const Monoid *m = monoid_of_states(g, p->monoid, p->body->type);
    const Expr *state[MAX_PARTS];
    for (int k = 0; k < m->n; k++) state[k] = expr_load(g, from[k], subs);
    for (int k = 0; k < m->n; k++) {
        Reduce *r = NEW(g->ctx, Reduce);
        *r = (Reduce){.monoid = m, .part = k, .nvars = nvars, .vars = NEW_N(g->ctx, Var *, nvars)};
        memcpy(r->vars, vars, sizeof *vars * (size_t)nvars);
        to[k] = expr_reduce_parts(g, r, NULL, state);
    }
}

/* The shares of the parts of p, a step of `one`, are stored by that, in tensors of *to. Of what is best and where it is
 * both are stored: of equal ones the lower index is taken, whichever share has it. */
static void store_shares(Plan *plan, const Group *gr, GStep *p, Group *one, Tensor **to) {
    Graph *g = plan->graph;
    const Monoid *m = monoid_of_states(g, p->monoid, p->body->type);
    for (int k = 0; k < m->n; k++) {
        const Expr *value = group_part(one, p, k);
        to[k] = split_temp(plan, gr, (SplitTemp){"share", SPLIT_WHY_SHARES, p->free, value->type, one->parts});
        const Expr **subs = split_subs(gr, p->free, expr_var(g, one->part));
        vec_push(g->ctx, &one->stores, ((GStore){.tensor = to[k], .subs = subs, .value = value, .axes = p->free}));
    }
}

/* What a group does of the stores that are not along an axis. */
static Group without_axis(const Group *gr, int axis) {
    Group r = *gr;
    r.stores.at = NEW_N(gr->graph->ctx, GStore, gr->stores.n);
    r.stores.n = r.stores.cap = 0;
    for (int i = 0; i < gr->stores.n; i++)
        if (!(gr->stores.at[i].axes >> axis & 1)) r.stores.at[r.stores.n++] = gr->stores.at[i];
    return r;
}

/* The group whose blocks have n shares of an axis. *tensors: where the parts of each step along it are, in order. */
static Group *shares_of(Plan *plan, const Group *gr, int axis, int64_t n, Tensor **tensors) {
    Graph *g = plan->graph;
    Group *one = NEW(g->ctx, Group);
    *one = (Group){.graph = g, .axes = gr->axes};
    for (int i = 0; i < gr->steps.n; i++) vec_push(g->ctx, &one->steps, gr->steps.at[i]);
    for (int i = 0; i < gr->reduces.n; i++) vec_push(g->ctx, &one->reduces, gr->reduces.at[i]);
    for (int i = 0; i < gr->stores.n; i++)
        if (gr->stores.at[i].axes >> axis & 1) vec_push(g->ctx, &one->stores, gr->stores.at[i]);
    one->name = sym_fmt(g->ctx, "%s_shares", gr->name);
    one->split = axis;
    one->parts = n;
    one->no_product = gr->no_product;
    one->rounding = gr->rounding;
    one->part = graph_var(g, sym(g->ctx, "piece"), expr_int(g, TY_I64, 0), expr_int(g, TY_I64, n));
    int parts = 0;
    for (int i = 0; i < one->steps.n; i++) {
        GStep *p = &one->steps.at[i];
        if (!(p->over >> axis & 1)) continue;
        store_shares(plan, gr, p, one, &tensors[parts]);
        parts += p->monoid->n;
    }
    group_find_rows(one, g->ctx);
    group_find_tensors(one, g->ctx);
    return one;
}

Division split_into(Plan *plan, const Group *gr, int axis, int64_t n) {
    Graph *g = plan->graph;
    Tensor **tensors = NEW_N(g->ctx, Tensor *, gr->steps.n * MAX_PARTS);
    Group *one = shares_of(plan, gr, axis, n, tensors);
    Var *v = graph_var(g, sym(g->ctx, "piece"), expr_int(g, TY_I64, 0), expr_int(g, TY_I64, n));
    const Expr **from = NEW_N(g->ctx, const Expr *, gr->steps.n *MAX_PARTS);
    const Expr **to = NEW_N(g->ctx, const Expr *, gr->steps.n *MAX_PARTS);
    int parts = 0;
    for (int i = 0; i < gr->steps.n; i++) {
        const GStep *p = &one->steps.at[i];
        if (!(p->over >> axis & 1)) continue;
        fold_states(g, p, &tensors[parts], split_subs(gr, p->free, expr_var(g, v)), &v, 1, &to[parts]);
        memcpy(&from[parts], p->part, sizeof *from * (size_t)p->monoid->n);
        parts += p->monoid->n;
    }
    const Group left = without_axis(gr, axis);
    Group *rest = online_like(&left, from, to, parts, false);
    if (rest) rest->name = gr->name;
    return (Division){.group = {one, rest}, .n = rest ? 2 : 1};
}

/* Of `whole`, what gr does (or is), into n shares of an axis. */
static void divide(Plan *plan, Group *whole, Group *gr, int axis, int64_t n) {
    const Division d = split_into(plan, gr, axis, n);
    if (d.n > 1) vec_push(plan->graph->ctx, &whole->divisions, d);
}

/* ---- columns first ----
 * What is folded may be groups of neighbours within rows, over all rows, as the statistics of a norm of groups of
 * channels that lie last:
 *
 *   s[n, g] = sum[t, k](x[n, t, g * K + k])
 *
 * How many neighbours a group has is not known, so that no threads would be as many, and vectors would end with groups.
 * Of columns, c[n, g, k] = sum[t](x[n, t, g * K + k]), g and k are one axis (flat.c), along which threads and vectors
 * lie as in any sum of columns; what folds their shares folds the columns of a group as well. */

/* Loads whose rows lie along folded axes and others at once, and along folded ones alone. */
typedef struct Neighbours {
    Group *gr;
    AxisSet over, kept;
    bool alone;
} Neighbours;

static Found note_neighbours(const Expr *e, void *user) {
    Neighbours *x = user;
    const AxisSet last = e->op == OP_LOAD && e->nargs ? group_free(x->gr, e->arg[e->nargs - 1]) : 0;
    if (last & x->over && last & ~x->over) x->kept |= last & x->over;
    x->alone |= last & x->over && !(last & ~x->over);
    return FOUND_INSIDE;
}

/* The axes along which so many neighbours are folded as nothing is said of, beside others of each step; 0: there are
 * none, or something else is stored beside what is folded. */
static AxisSet neighbours_of(Group *gr) {
    Neighbours x = {.gr = gr, .over = gr->steps.at[0].over};
    for (int i = 0; i < gr->stores.n; i++)
        if (gr->stores.at[i].axes != gr->steps.at[0].free) return 0;
    for (int i = 0; i < gr->steps.n; i++) {
        ExprWalk w = {.temp = gr->graph->ctx, .before = note_neighbours, .user = &x, .loads = true};
        if (gr->steps.at[i].monoid->indexed) return 0;
        expr_walk(&w, gr->steps.at[i].node);
    }
    for (int a = 0; a < gr->axes.n; a++)
        if (gr->axes.at[a].extent >= 0) x.kept &= ~((AxisSet)1 << a);
    return x.alone || x.kept == x.over ? 0 : x.kept;
}

static int vars_of(const Group *gr, AxisSet axes, Var **vars) {
    int n = 0;
    for (int a = 0; a < gr->axes.n; a++)
        if (axes >> a & 1) vars[n++] = gr->axes.at[a].var;
    return n;
}

/* The group that stores the parts of each step for each column, in *tensors. */
static Group *columns_of(Plan *plan, Group *gr, AxisSet kept, Tensor **tensors) {
    Graph *g = plan->graph;
    Equation *roots = NEW_N(g->ctx, Equation, gr->steps.n * MAX_PARTS);
    int n = 0;
    for (int i = 0; i < gr->steps.n; i++) {
        GStep *p = &gr->steps.at[i];
        for (int k = 0; k < p->monoid->n; k++, n++) {
            Reduce *r = NEW(g->ctx, Reduce);
            *r = (Reduce){.monoid = p->monoid, .part = k, .vars = NEW_N(g->ctx, Var *, MAX_GROUP_AXES)};
            r->nvars = vars_of(gr, p->over & ~kept, r->vars);
            const Expr *value = expr_reduce_parts(g, r, p->guard, p->node->arg + 1);
            const SplitTemp of = {"column", SPLIT_WHY_COLUMNS, p->free | kept, value->type, 0};
            tensors[n] = split_temp(plan, gr, of);
            roots[n] = (Equation){.tensor = tensors[n], .subs = split_subs(gr, of.axes, NULL), .value = value};
            roots[n].vars = NEW_N(g->ctx, Var *, MAX_GROUP_AXES);
            roots[n].nvars = vars_of(gr, of.axes, roots[n].vars);
        }
    }
    Group *columns = group_new(g, roots, n, NULL, NULL, NULL);
    if (!columns || columns->steps.n != gr->steps.n) return NULL;
    columns->name = sym_fmt(g->ctx, "%s_columns", gr->name);
    online_mark(plan, columns);
    return columns;
}

/* What folds the columns of each group of neighbours, or n shares of each column, whose parts are in *tensors. */
static Group *rest_of(const Group *gr, AxisSet kept, int64_t n, Tensor *const *tensors) {
    Graph *g = gr->graph;
    const int most = gr->steps.n * MAX_PARTS;
    const Expr **from = NEW_N(g->ctx, const Expr *, most), **to = NEW_N(g->ctx, const Expr *, most);
    Var *vars[MAX_GROUP_AXES + 1];
    int nvars = 0, parts = 0;
    if (n) vars[nvars++] = graph_var(g, sym(g->ctx, "piece"), expr_int(g, TY_I64, 0), expr_int(g, TY_I64, n));
    const Expr *piece = n ? expr_var(g, vars[0]) : NULL;
    nvars += vars_of(gr, kept, vars + nvars);
    for (int i = 0; i < gr->steps.n; i++) {
        const GStep *p = &gr->steps.at[i];
        fold_states(g, p, &tensors[parts], split_subs(gr, p->free | kept, piece), vars, nvars, &to[parts]);
        memcpy(&from[parts], p->part, sizeof *from * (size_t)p->monoid->n);
        parts += p->monoid->n;
    }
    Group *rest = online_like(gr, from, to, parts, false);
    if (rest) rest->name = gr->name;
    return rest;
}

/* The divisions into columns and what folds them, without shares and with few and many. */
static void divide_columns(Plan *plan, Group *whole, Group *gr, const Machine *m, AxisSet kept) {
    Ctx *ctx = plan->graph->ctx;
    const int64_t shares[] = {0, split_few(m), split_many(m)};
    Tensor **tensors = NEW_N(ctx, Tensor *, gr->steps.n * MAX_PARTS);
    Group *columns = columns_of(plan, gr, kept, tensors);
    const int axis = columns ? split_axis(columns, columns->steps.at[0].over, m) : -1;
    for (size_t i = 0; i < sizeof shares / sizeof *shares && axis >= 0; i++) {
        Group *one = columns;
        if (shares[i] && !split_has_shares(&columns->axes.at[axis], shares[i])) continue;
        if (shares[i]) one = shares_of(plan, columns, axis, shares[i], tensors);
        Group *rest = rest_of(gr, kept, shares[i], tensors);
        if (!rest) return;
        vec_push(ctx, &whole->divisions, ((Division){.group = {one, rest}, .n = 2, .apart = true, .columns = true}));
        whole->neighbours = kept;
    }
}

static bool are_known(const Group *gr, AxisSet axes) {
    bool known = true;
    for (int a = 0; a < gr->axes.n; a++) known &= !(axes >> a & 1) || gr->axes.at[a].extent >= 0;
    return known;
}

bool split_all_known(const Group *gr) { return are_known(gr, ((AxisSet)1 << gr->axes.n) - 1); }

bool split_has_shares(const GAxis *a, int64_t n) { return a->extent < 0 || a->extent >= n; }

/* The divisions of what gr does, for the group that does it. */
static void divide_some(Plan *plan, Group *whole, Group *gr, const Machine *m) {
    const int64_t few = split_few(m), many = split_many(m);
    const int axis = !gr->product && split_may(gr) ? split_axis(gr, gr->steps.at[0].over, m) : -1;
    if (axis < 0) return;
    const AxisSet kept = neighbours_of(gr);
    if (kept) {
        divide_columns(plan, whole, gr, m, kept);
        return;
    }
    const int64_t n = split_shares(gr, m, axis, &gr->steps.at[0]);
    if (n >= SPLIT_LEAST_SHARES) divide(plan, whole, gr, axis, n);
    /* Products of matrices are for a library, but for those of few columns, whose results are known to be few. */
    if (split_all_known(gr) || (gr->steps.at[0].joined[0] && !are_known(gr, gr->steps.at[0].free))) return;
    if (group_into(gr)) { /* where nothing is said of how many rows there are, there are likely enough of them */
        const AxisSet rows = step_around(&gr->steps.at[0]);
        const int64_t known =
            are_known(gr, rows) ? group_guess(gr, rows) : 0; /* or none: such a length is known, too */
        const int64_t most = known ? split_most(m) / known : 0;
        if (most >= SPLIT_LEAST_SHARES && n != most) divide(plan, whole, gr, axis, most);
        return;
    }
    /* A group has so many versions, and rows in which something is searched for want many other schedules: what few
     * shares would do of them clusters do as well. */
    const bool rows = gr->steps.at[0].monoid->indexed && folds_rows(gr);
    if (n != few && !rows && split_has_shares(&gr->axes.at[axis], few)) divide(plan, whole, gr, axis, few);
    if (n != many && split_has_shares(&gr->axes.at[axis], many)) divide(plan, whole, gr, axis, many);
}

void split_groups(Plan *plan, const Machine *m) {
    for (int i = 0; i < plan->groups.n; i++) {
        Group *gr = plan->groups.at[i];
        if (gr->fused) continue; /* it is divided as it is */
        flat_folds(gr);
        split_scans(plan, gr, m);
        Group *one = online_group(plan, gr);
        divide_some(plan, gr, gr, m);
        Group *bins = scatter_group(gr);
        if (bins) {
            vec_push(plan->graph->ctx, &gr->divisions, ((Division){.group = {bins}, .n = 1}));
            divide_some(plan, gr, bins, m);
        }
        if (!one) continue;
        vec_push(plan->graph->ctx, &gr->divisions, ((Division){.group = {one}, .n = 1}));
        divide_some(plan, gr, one, m);
    }
}

static bool has_online(const Division *d) {
    bool any = false;
    for (int k = 0; k < d->n; k++) any |= group_is_online(d->group[k]);
    return any;
}

void split_drop_online(Plan *plan) {
    for (int i = 0; i < plan->groups.n; i++) {
        Group *gr = plan->groups.at[i];
        int kept = 0;
        for (int k = 0; k < gr->divisions.n; k++)
            if (!has_online(&gr->divisions.at[k])) gr->divisions.at[kept++] = gr->divisions.at[k];
        gr->divisions.n = kept;
    }
}
