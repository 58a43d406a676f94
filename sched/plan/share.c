/* Kernels that store several tensors. Each equation joins an earlier kernel where nothing between them depends on
 * either, and where one kernel for both is as good as two. How far back is looked, and how often it is tried, is
 * bounded: the time of a partition is linear in its equations. */
#include "gathered.h"
#include "plan.h"
#include "split.h"
#include "ir/expr_walk.h"
#include "ir/poly/poly.h"

enum { MAX_STORES = 8, MAX_BACK = 64, MAX_TRIES = 8 };

/* The tensors that a root loads: anywhere, and in its value. */
typedef struct Reads {
    ExprMap all;
    VEC(const Tensor *) value;
} Reads;

typedef struct Sharing {
    VEC(Equation) roots; /* the first has the most variables */
    VEC(const Reads *) reads;
    Group *gr;
    bool gone;     /* it joined a later one */
    bool followed; /* a later one depends on it, or it on a later one */
} Sharing;

typedef struct Sharer {
    Graph *g;
    Ctx *temp; /* of all but the groups */
    Plan *plan;
    VEC(Sharing) list;
    bool shares;      /* a reduction of which few blocks would have all may be folded in shares */
    VEC(Reason) open; /* where it is not yet asked whether it may */
} Sharer;

/* One root's loads, as they are met. */
typedef struct Reading {
    Ctx *ctx;
    Reads *reads;
    bool value; /* in its value */
} Reading;

static Found note_read(const Expr *e, void *user) {
    Reading *r = user;
    if (e->op != OP_LOAD) return FOUND_INSIDE;
    if (r->value && !expr_map_get(&r->reads->all, e->u.tensor)) vec_push(r->ctx, &r->reads->value, e->u.tensor);
    expr_map_put(r->ctx, &r->reads->all, e->u.tensor, e);
    if (e->u.tensor->sort) expr_map_put(r->ctx, &r->reads->all, e->u.tensor->sort->keys, e);
    return FOUND_INSIDE;
}

static const Reads *reads_of(Ctx *ctx, const Equation *root) {
    Reading r = {.ctx = ctx, .reads = NEW(ctx, Reads), .value = true};
    Ctx *temp = ctx_temp(ctx);
    ExprWalk w = {.temp = temp, .before = note_read, .user = &r, .loads = true};
    expr_walk(&w, root->value);
    r.value = false;
    expr_walk(&w, root->guard);
    for (int d = 0; d < root->tensor->rank; d++) expr_walk(&w, root->subs[d]);
    ctx_temp_end(temp);
    return r.reads;
}

/* ---- dependences ---- */

/* Both may store one element. */
static bool meet(const Equation *a, const Equation *b) {
    return a->tensor == b->tensor && (!a->number || !b->number || a->number == b->number);
}

/* A root of b reads, or stores to, what a root of a stores. */
static bool depends(const Sharing *b, const Sharing *a) {
    for (int i = 0; i < a->roots.n; i++)
        for (int j = 0; j < b->roots.n; j++)
            if (meet(&a->roots.at[i], &b->roots.at[j]) || expr_map_get(&b->reads.at[j]->all, a->roots.at[i].tensor))
                return true;
    return false;
}

static bool related(const Sharing *a, const Sharing *b) { return depends(a, b) || depends(b, a); }

/* Marks those before place n on which b depends, or which depend on it. */
static void mark_followed(Sharer *x, int n, const Sharing *b) {
    for (int i = n - 1; i >= 0 && i >= n - MAX_BACK; i--)
        if (!x->list.at[i].gone && !x->list.at[i].followed) x->list.at[i].followed = related(&x->list.at[i], b);
}

/* ---- one kernel or two ---- */

static bool share_loads(const Reads *r, const Reads *other) {
    for (int i = 0; i < r->value.n; i++)
        if (expr_map_get(&other->all, r->value.at[i])) return true;
    return false;
}

static bool same_place(const GStore *a, const GStore *b) {
    int n = a->tensor->rank, m = b->tensor->rank;
    return a->axes == b->axes && (n && m ? a->subs[n - 1] == b->subs[m - 1] : n == m);
}

/* What can be told without a group: the variables of b's roots have ranges of a's first one, and what they load is
 * loaded there unless b's reductions might be a's. */
static const char *may_not_share(const Sharing *a, const Sharing *b) {
    const Equation *first = &a->roots.at[0];
    if (a->gr->product || b->gr->product) return "the library's";
    if (a->roots.n + b->roots.n > MAX_STORES) return "enough tensors are stored";
    for (int i = 0; i < b->roots.n; i++) {
        for (int k = 0; k < b->roots.at[i].nvars; k++) {
            bool found = false;
            for (int v = 0; v < first->nvars && !found; v++)
                found = var_same_range(first->vars[v], b->roots.at[i].vars[k]);
            if (!found) return "other axes";
        }
        bool same_steps = b->gr->steps.n > 0 && b->gr->steps.n <= a->gr->steps.n;
        if (!same_steps && !share_loads(b->reads.at[i], a->reads.at[0])) return "reads nothing of the same";
    }
    return NULL;
}

static void append(Ctx *ctx, Sharing *to, const Sharing *from) {
    for (int i = 0; i < from->roots.n; i++) {
        vec_push(ctx, &to->roots, from->roots.at[i]);
        vec_push(ctx, &to->reads, from->reads.at[i]);
    }
}

/* Whether the subscripts alone, at any two places, name different elements: the verifier of kernels proves it again. */
static bool stored_apart(Sharer *x, const Group *gr, const GStore *a, const GStore *b) {
    Graph *g = x->g;
    const Expr *from[MAX_GROUP_AXES], *to[MAX_GROUP_AXES];
    const PolyEnv env = {.g = g, .ctx = x->temp};
    for (int i = 0; i < gr->axes.n; i++) {
        Var *v = gr->axes.at[i].var;
        from[i] = expr_var(g, v);
        to[i] = expr_var(g, graph_var(g, v->name, v->lo, v->hi));
    }
    for (int d = 0; d < a->tensor->rank; d++) {
        if (expr_has(a->subs[d], expr_test_data, NULL) || expr_has(b->subs[d], expr_test_data, NULL)) continue;
        const Expr *there = expr_replace(g, b->subs[d], from, to, gr->axes.n);
        if (poly_never_zero(&env, poly_sub(x->temp, poly_of(&env, there), poly_of(&env, a->subs[d])))) return true;
    }
    return false;
}

static int count_axes(const Expr *load, void *group) {
    int n = 0;
    for (AxisSet set = group_free(group, load); set; set &= set - 1) n++;
    return n;
}

/* Whether the largest of what store i reads is read for the first one anyway: a row's maximum and sum beside its
 * exponentials. */
static bool reads_the_same(Group *gr, int i, Ctx *temp) {
    ExprSet seen = {0};
    const Expr *load = expr_largest_load(temp, gr->stores.at[i].value, count_axes, gr);
    return load && expr_find(temp, &seen, gr->stores.at[0].value, expr_test_node, load);
}

static bool reads_step(const Expr *e, const GStep *p) {
    for (int i = 0; e && i < p->monoid->n; i++)
        if (p->part[i] && expr_has(e, expr_test_node, p->part[i])) return true;
    return false;
}

/* Whether step i is read by stores alone that have none of the axes that it folds: where few blocks would have all of
 * it, many may have shares then, and make the other stores meanwhile (split.c). */
static bool may_be_shares(const Group *gr, int i) {
    const GStep *p = &gr->steps.at[i];
    for (int k = 0; k < gr->steps.n; k++)
        if (reads_step(gr->steps.at[k].body, p) || reads_step(gr->steps.at[k].guard, p)) return false;
    for (int k = 0; k < gr->stores.n; k++) {
        const GStore *s = &gr->stores.at[k];
        bool reads = reads_step(s->value, p) || reads_step(s->guard, p);
        for (int d = 0; d < s->tensor->rank; d++) reads |= reads_step(s->subs[d], p);
        if (reads && s->axes & p->over) return false;
    }
    return !p->scan;
}

/* NULL where one kernel for both is as good as two: the same elements of the same inputs, or reductions that the larger
 * one does anyway. Otherwise why it is not. */
static const char *not_shared(Sharer *x, const Sharing *a, const Sharing *b, Sharing *both, int *tries) {
    if (b->roots.at[0].nvars > a->roots.at[0].nvars) return not_shared(x, b, a, both, tries);
    const char *why = may_not_share(a, b);
    if (why) return why;
    ++*tries;
    *both = (Sharing){0};
    append(x->temp, both, a);
    append(x->temp, both, b);
    Group *gr = both->gr = group_new(x->g, both->roots.at, both->roots.n, NULL, NULL, NULL);
    if (!gr) return "other axes";
    AxisSet o = gr->stores.at[0].axes, owned = group_owned(gr);
    if (!group_updates_own(gr)) return "reads what it updates"; /* in other threads, or too late */
    for (int i = 0; i < gr->steps.n; i++)
        for (int rule = 0; rule < GROUP_RULES; rule++)
            if (group_step_leaves(gr, i, rule, x->plan->dims) &&
                !(rule == GROUP_FEW && x->shares && may_be_shares(gr, i) && split_may(gr)))
                return group_rule_text(rule);
    for (int i = a->roots.n; i < gr->stores.n; i++)
        for (int j = 0; j < a->roots.n; j++)
            if (gr->stores.at[i].tensor == gr->stores.at[j].tensor &&
                !stored_apart(x, gr, &gr->stores.at[i], &gr->stores.at[j]))
                return "may store the same elements";
    bool no_more = gr->steps.n == a->gr->steps.n && b->gr->steps.n > 0;
    for (int i = a->roots.n; i < gr->stores.n; i++) {
        const GStore *s = &gr->stores.at[i];
        if (s->axes & ~o || o & ~s->axes & ~owned) return "other axes";
        const bool same = same_place(&gr->stores.at[0], s) && share_loads(both->reads.at[i], both->reads.at[0]);
        if (!no_more && !same && !reads_the_same(gr, i, x->temp)) return "other elements";
    }
    return NULL;
}

/* Why not, but where that is not known yet. */
static void note(Sharer *x, const Sharing *a, const Sharing *b, const char *why) {
    const Reason r = {a->roots.at[0].tensor, b->roots.at[0].tensor, why};
    if (!x->shares && why == group_rule_text(GROUP_FEW))
        vec_push(x->temp, &x->open, r);
    else
        plan_reason(x->plan, r.one, r.other, r.why);
}

/* Of a, which reads what b updates, the same with elements of rows that b's kernel folds anyway as folds, too
 * (gathered.h). *both is what the two would be without that, if anything. NULL: there is nothing of that kind. */
static const char *not_shared_by_rows(Sharer *x, const Sharing *a, const Sharing *b, Sharing *both, int *tries,
                                      const char *why) {
    const AxisSet owned = both->gr ? group_owned(both->gr) : 0;
    Sharing rows = {0};
    bool any = false;
    append(x->temp, &rows, a);
    for (int i = 0; i < rows.roots.n && owned; i++)
        for (int k = 0; k < b->roots.n; k++) {
            Equation *r = &rows.roots.at[i];
            const Expr *before = r->value;
            if (b->roots.at[k].tensor->kind == TENSOR_INOUT) r->value = gathered_folds(x->g, &b->roots.at[k], before);
            any |= r->value != before;
        }
    if (!any) return why;
    rows.gr = group_new(x->g, rows.roots.at, rows.roots.n, NULL, NULL, NULL);
    const char *still = rows.gr ? not_shared(x, &rows, b, both, tries) : why;
    return still || group_owned(both->gr) == owned ? still : why;
}

/* Joins b to an earlier kernel where it may stand there, or where that may stand here; false: there is none. */
static bool join(Sharer *x, const Sharing *b) {
    int n = x->list.n, tries = 0;
    bool clear = true; /* b may stand before all that was looked at */
    Sharing both;
    for (int i = n - 1; i >= 0 && i >= n - MAX_BACK && tries < MAX_TRIES; i--) {
        Sharing *a = &x->list.at[i];
        if (a->gone) continue;
        bool apart = !related(a, b), here = apart && !a->followed;
        /* b updates what a reads: after a's reads of the same elements it may. */
        bool over = clear && !apart && !depends(b, a);
        clear &= apart;
        if (!clear && !here && !over) continue;
        both = (Sharing){0};
        const char *why = not_shared(x, a, b, &both, &tries);
        if (why && over) why = not_shared_by_rows(x, a, b, &both, &tries, why);
        if (why) {
            note(x, a, b, why);
            continue;
        }
        both.gr->name = a->gr->name;
        if (clear || over) {
            both.followed = a->followed;
            *a = both;
            mark_followed(x, i, b);
            return true;
        }
        a->gone = true;
        mark_followed(x, n, &both);
        vec_push(x->temp, &x->list, both);
        return true;
    }
    return false;
}

/* Where b folds what another kernel folds anyway, it is best there; else it may be folded in shares, beside what reads
 * the same. */
static void place(Sharer *x, const Sharing *b) {
    x->shares = false;
    x->open.n = 0;
    const bool joined = join(x, b);
    for (int i = 0; joined && i < x->open.n; i++) {
        const Reason *r = &x->open.at[i];
        plan_reason(x->plan, r->one, r->other, r->why);
    }
    if (joined) return;
    x->shares = true;
    if (join(x, b)) return;
    mark_followed(x, x->list.n, b);
    vec_push(x->temp, &x->list, *b);
}

void share_groups(Plan *plan) {
    Ctx *temp = ctx_temp(plan->graph->ctx);
    Sharer *x = NEW(temp, Sharer);
    x->g = plan->graph;
    x->temp = temp;
    x->plan = plan;
    for (int i = 0; i < plan->roots.n; i++) {
        Sharing b = {.gr = plan->groups.at[i]};
        vec_push(temp, &b.roots, plan->roots.at[i]);
        vec_push(temp, &b.reads, reads_of(temp, &plan->roots.at[i]));
        place(x, &b);
    }
    plan->groups.n = 0;
    for (int i = 0; i < x->list.n; i++)
        if (!x->list.at[i].gone) plan->groups.at[plan->groups.n++] = x->list.at[i].gr;
    ctx_temp_end(temp);
    interleave_groups(plan);
}
