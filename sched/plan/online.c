/* A reduction that reads what another one folds to, over the same elements, as one reduction over both, which reads the
 * elements once: a sum of exponentials under their maximum, a sum of squared distances to the mean. What has been
 * folded so far is kept relative to the other's value so far, and carried over to a new one when that changes:
 *
 *   exponentials   z = sum exp(e - m), m = max e:   relative to M it is z * exp(m - M)
 *   squares        q = sum (e - c)^2, s = sum e:    relative to M it is q + n * (c - M)^2; c is s / n, n counts
 *
 * A group whose reductions are such pairs gets another one that may be taken instead of it (Group.divisions), and that
 * one's shares: whether one pass is faster than two is not decided here. What a thread has of its elements at once is
 * folded as it stands, the maximum or the mean first (apply_online.c), so that there is one exponential an element. The
 * mean of what was folded is that of s and n; what is subtracted in the end may be any other number that is the same
 * for all elements.
 *
 * Special values are those of two passes. A maximum begins with the least finite number: exp(-inf - that) is 0, where
 * exp(-inf - -inf) is NaN; if nothing but -inf was met, z is 0. */
#include "online.h"

#include "ir/expr_walk.h"
#include "ir/monoid.h"

#include <math.h>
#include <string.h>

enum { MAX_PAIRS = 8 };

static const char *const declared[ONLINE_KINDS][2] = {
    [ONLINE_EXP] = {"online_exp", "(m: f32 = -3.4028234663852886e38, z: f32 = 0.0) combine (max(m, m'), "
                                  "z * exp(m - max(m, m')) + z' * exp(m' - max(m, m')))"},
    [ONLINE_SQUARE] = {"online_square", "(s: f32 = 0.0, q: f32 = 0.0, n: f32 = 0.0) combine (s + s', q + q' + "
                                        "(if n == 0.0 || n' == 0.0 then 0.0 else "
                                        "(s / n - s' / n') * (s / n - s' / n') * (n * n' / (n + n'))), n + n')"},
};

static const Monoid *monoid_for(Plan *plan, OnlineKind kind) {
    if (!plan->online[kind]) plan->online[kind] = monoid_declare(plan->graph, declared[kind][0], declared[kind][1]);
    return plan->online[kind];
}

/* ---- pairs ---- */

typedef struct Pair {
    const GStep *first, *second;
    OnlineKind kind;
    const Expr *centre; /* of squares: what is subtracted */
    bool spared[2];     /* of exponentials: a finite number is subtracted where the maximum is -inf, where it is inf */
} Pair;

/* The values of a fold's variables that its guard leaves, lo..hi of each; false: it asks for more than ranges. */
typedef struct Left {
    const Expr *lo[MAX_GROUP_AXES], *hi[MAX_GROUP_AXES];
} Left;

static bool varies(Graph *g, const Reduce *r, const Expr *e) {
    for (int i = 0; i < r->nvars; i++)
        if (expr_has(e, expr_test_node, expr_var(g, r->vars[i]))) return true;
    return false;
}

/* Of v op e, where e is the same for all that is folded. */
static bool leaves_side(Graph *g, const Reduce *r, Op op, const Expr *v, const Expr *e, Left *x) {
    const Expr *next = expr2(g, OP_ADD, e, expr_int(g, e->type, 1));
    for (int i = 0; i < r->nvars; i++) {
        if (v != expr_var(g, r->vars[i]) || e->type != TY_I64 || varies(g, r, e)) continue;
        if (op == OP_LT || op == OP_LE) x->hi[i] = expr2(g, OP_MIN, x->hi[i], op == OP_LT ? e : next);
        if (op == OP_GE || op == OP_GT) x->lo[i] = expr2(g, OP_MAX, x->lo[i], op == OP_GE ? e : next);
        return op == OP_LT || op == OP_LE || op == OP_GE || op == OP_GT;
    }
    return false;
}

static bool leaves(Graph *g, const Reduce *r, const Expr *guard, Left *x) {
    int64_t v;
    if (!guard || expr_is_int(guard, &v)) return !guard || v;
    if (guard->op == OP_AND) return leaves(g, r, guard->arg[0], x) && leaves(g, r, guard->arg[1], x);
    if (op_rule(guard->op) != RULE_COMPARE || guard->arg[0]->type != TY_I64) return false;
    return leaves_side(g, r, guard->op, guard->arg[0], guard->arg[1], x) ||
           leaves_side(g, r, op_swapped(guard->op), guard->arg[1], guard->arg[0], x);
}

static bool left_by(Graph *g, const Reduce *r, const Expr *guard, Left *x) {
    if (r->nvars > MAX_GROUP_AXES) return false;
    for (int i = 0; i < r->nvars; i++) x->lo[i] = r->vars[i]->lo, x->hi[i] = r->vars[i]->hi;
    return leaves(g, r, guard, x);
}

/* e - c or c - e, c the same for all that is folded; NULL: it is not. */
static const Expr *centre_of(Group *gr, const Expr *d, const Expr *e, AxisSet over) {
    if (d->op != OP_SUB || (d->arg[0] != e && d->arg[1] != e)) return NULL;
    const Expr *c = d->arg[d->arg[0] == e];
    return group_free(gr, c) & over ? NULL : c;
}

/* Whether one pass over what a guard leaves may be quicker than two: where all rows are folded, or each has a range of
 * its own, which a thread walks element by element. Ranges that further indices share, and such of indices alone, are
 * loaded by vectors, and two passes are quicker: a softmax of 8 heads by nodes took an H200 129 us and 154, one under a
 * diagonal 54 and 61. */
static bool may_pay(Group *gr, const GStep *p) {
    int64_t always;
    if (!p->guard || expr_is_int(p->guard, &always)) return true;
    return expr_has(p->guard, expr_test_data, NULL) && !(p->free & ~group_free(gr, p->guard));
}

/* Whether exponentials are those of e - m, or of e - c with a constant c where their maximum m is infinite: so a row of
 * -inf has a sum of 0, and not NaN. */
static bool is_under(const Expr *d, const GStep *p, Pair *out) {
    const Expr *m = p->node;
    if (d->op != OP_SUB || d->arg[0] != p->body) return false;
    if (d->arg[1] == m) return true;
    const Expr *under = d->arg[1], *is = under->op == OP_IF ? under->arg[0] : NULL;
    if (!is || under->arg[2] != m || under->arg[1]->op != OP_CONST || !isfinite(under->arg[1]->u.f)) return false;
    const bool any = is->op == OP_ISINF && is->arg[0] == m;
    bool least = false;
    for (int i = 0; i < 2 && is->op == OP_EQ; i++)
        least |= is->arg[i] == m && is->arg[!i]->op == OP_CONST && is->arg[!i]->u.f == -(double)INFINITY;
    out->spared[0] = any || least;
    out->spared[1] = any;
    return any || least;
}

static bool is_pair(Group *gr, const GStep *p, const GStep *q, Pair *out) {
    const MonoidKind kind = p->monoid->kind;
    const Expr *b = q->body;
    if (q->monoid->kind != MONOID_SUM || p->over != q->over || p->free != q->free || p->guard != q->guard) return false;
    if (p->scan || q->scan || p->over & ~p->under || p->body->type != TY_F32 || b->type != TY_F32) return false;
    *out = (Pair){.first = p, .second = q};
    Left left;
    if (kind == MONOID_MAX && b->op == OP_EXP && may_pay(gr, p) &&
        left_by(gr->graph, p->node->u.reduce, p->guard, &left)) {
        out->kind = ONLINE_EXP;
        return is_under(b->arg[0], p, out);
    }
    out->kind = ONLINE_SQUARE;
    if (kind != MONOID_SUM || b->op != OP_MUL || b->arg[0] != b->arg[1]) return false;
    out->centre = centre_of(gr, b->arg[0], p->body, p->over);
    return out->centre != NULL;
}

static bool reads(const GStep *q, const GStep *p) {
    return expr_has(q->body, expr_test_node, p->node) || (q->guard && expr_has(q->guard, expr_test_node, p->node));
}

bool online_reads(Group *gr, const GStep *p) {
    const GStep *reader = NULL;
    for (int i = 0; i < gr->steps.n; i++) {
        const GStep *q = &gr->steps.at[i];
        if (q == p || !reads(q, p)) continue;
        if (reader) return false;
        reader = q;
    }
    Pair pair;
    return reader && is_pair(gr, p, reader, &pair);
}

static int find_pairs(Group *gr, Pair *pairs) {
    int n = 0;
    for (int j = 0; j < gr->steps.n; j++)
        for (int i = 0; i < j && n < MAX_PAIRS; i++) {
            bool taken = false;
            for (int k = 0; k < n; k++)
                taken |= pairs[k].first == &gr->steps.at[i] || pairs[k].second == &gr->steps.at[i] ||
                         pairs[k].second == &gr->steps.at[j];
            n += !taken && is_pair(gr, &gr->steps.at[i], &gr->steps.at[j], &pairs[n]);
        }
    return n;
}

/* ---- the group ---- */

/* Part k of the pair's one reduction. */
static const Expr *part_of(Plan *plan, const Pair *p, int k) {
    Graph *g = plan->graph;
    const Expr *e = p->first->body, *one = expr_float(g, TY_F32, 1);
    const Expr *const operands[][3] = {[ONLINE_EXP] = {e, one}, [ONLINE_SQUARE] = {e, expr_float(g, TY_F32, 0), one}};
    Reduce *r = NEW(g->ctx, Reduce);
    *r = *p->first->node->u.reduce;
    r->monoid = monoid_for(plan, p->kind);
    r->part = k;
    return expr_reduce_parts(g, r, p->first->guard, operands[p->kind]);
}

static const Expr *some_elements(Graph *g, const Reduce *r, const Expr *guard) {
    const Expr *some = expr_int(g, TY_BOOL, 1);
    Left x;
    left_by(g, r, guard, &x);
    for (int i = 0; i < r->nvars; i++) some = expr_and(g, some, expr2(g, OP_LT, x.lo[i], x.hi[i]));
    return some;
}

/* What both folds come to. */
static void results(Plan *plan, const Pair *p, const Expr **first, const Expr **second) {
    Graph *g = plan->graph;
    const Expr *zero = expr_float(g, TY_F32, 0), *a = part_of(plan, p, 0), *b = part_of(plan, p, 1);
    if (p->kind == ONLINE_EXP) {
        const Expr *none = expr2(g, OP_EQ, b, zero);
        const Expr *some = some_elements(g, p->first->node->u.reduce, p->first->guard);
        const Expr *nan = expr3(g, OP_IF, some, expr_float(g, TY_F32, (double)NAN), zero);
        const Expr *inf = expr_float(g, TY_F32, (double)INFINITY);
        *first = expr3(g, OP_IF, none, expr_float(g, TY_F32, -(double)INFINITY), a);
        *second = expr3(g, OP_IF, none, p->spared[0] ? zero : nan, b);
        if (p->spared[1]) *second = expr3(g, OP_IF, expr2(g, OP_EQ, a, inf), inf, *second);
        return;
    }
    const Expr *n = part_of(plan, p, 2), *centre = expr_replace(g, p->centre, &p->first->node, &a, 1);
    const Expr *off = expr2(g, OP_SUB, expr2(g, OP_DIV, a, n), centre);
    const Expr *moved = expr2(g, OP_MUL, n, expr2(g, OP_MUL, off, off));
    *first = a;
    *second = expr3(g, OP_IF, expr2(g, OP_EQ, n, zero), zero, expr2(g, OP_ADD, b, moved));
}

Group *online_like(const Group *gr, const Expr *const *from, const Expr *const *to, int n, bool same) {
    Graph *g = gr->graph;
    Equation *roots = NEW_N(g->ctx, Equation, gr->stores.n);
    for (int i = 0; i < gr->stores.n; i++) {
        const GStore *s = &gr->stores.at[i];
        Equation r = {.tensor = s->tensor, .subs = s->subs, .vars = NEW_N(g->ctx, Var *, MAX_GROUP_AXES)};
        for (int a = 0; a < gr->axes.n; a++)
            if (s->axes >> a & 1) r.vars[r.nvars++] = gr->axes.at[a].var;
        r.value = expr_replace(g, s->value, from, to, n);
        if (s->guard) r.guard = expr_replace(g, s->guard, from, to, n);
        roots[i] = r;
    }
    return same ? group_like(gr, roots, gr->stores.n) : group_new(g, roots, gr->stores.n, NULL, NULL, NULL);
}

/* In a group's expressions a scan is a reduction like others: made again of them it would be none. */
static bool has_scan(const Group *gr) {
    for (int i = 0; i < gr->steps.n; i++)
        if (gr->steps.at[i].scan) return true;
    return false;
}

/* Lengths for which a schedule is legal are told by the number of the axis. */
static bool same_axes(const Group *a, const Group *b) {
    bool same = a->axes.n == b->axes.n;
    for (int i = 0; i < a->axes.n && same; i++) {
        const GAxis *x = &a->axes.at[i], *y = &b->axes.at[i];
        same =
            x->var->lo == y->var->lo && x->var->hi == y->var->hi && x->indexed == y->indexed && x->folded == y->folded;
    }
    return same;
}

void online_mark(const Plan *plan, Group *gr) {
    for (int i = 0; i < gr->steps.n; i++)
        for (int k = 1; k < ONLINE_KINDS; k++)
            if (gr->steps.at[i].monoid == plan->online[k]) gr->steps.at[i].online = (OnlineKind)k;
}

Group *online_group(Plan *plan, Group *gr) {
    Pair pairs[MAX_PAIRS];
    const Expr *from[2 * MAX_PAIRS], *to[2 * MAX_PAIRS];
    const int n = gr->product || gr->split >= 0 || has_scan(gr) ? 0 : find_pairs(gr, pairs);
    if (!n) return NULL;
    for (int i = 0; i < n; i++) {
        from[2 * i] = pairs[i].first->node;
        from[2 * i + 1] = pairs[i].second->node;
        results(plan, &pairs[i], &to[2 * i], &to[2 * i + 1]);
    }
    Group *one = online_like(gr, from, to, 2 * n, true);
    if (!one || !same_axes(gr, one)) return NULL;
    one->name = gr->name;
    one->no_product = gr->no_product;
    one->rounding = gr->rounding;
    online_mark(plan, one);
    return one;
}
