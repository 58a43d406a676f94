/* Scans over few long rows. A block that has a whole row leaves most of a machine idle where rows are few. There a
 * group with scans along one axis is divided into several:
 *
 *   y[i, j] = sum[k where k <= j](x[i, k])
 *
 *   shares   y_share[s, i] = sum[j of share s](x[i, j])
 *   before   y_before[s, i] = sum[p where p < s](y_share[p, i])
 *   the rest y[i, j] = y_before[s, i] + sum[k of share s where k <= j](x[i, k]), each block a share
 *
 * A share is a block's, in all of them the same one, and all is combined in the order of the axis: results repeat, and
 * monoids need not commute. Reductions along the axis have shares beside the scans', which are folded where those of
 * the scans are scanned. What reads other steps along the axis in what it folds has the next level: its shares come
 * after those of the level before, and read what these came to. What is stored along the axis is stored with the first
 * shares that come after all that it reads (drawdown: the differences with the shares of their maxima).
 *
 * For which sizes this is done instead is not decided here (sched/search/versions.c). */
#include "split.h"

#include "ir/expr_walk.h"
#include "ir/monoid.h"

#include <string.h>

enum { MOST_LEVELS = (MAX_TOGETHER - 1) / 2 };

/* A step along the axis. */
typedef struct ScanShare {
    int level;                /* from 1 on; 0: it is not along the axis */
    Tensor *share[MAX_PARTS]; /* what it comes to for each share */
    Tensor
        *carried[MAX_PARTS]; /* of a scan: before each share; of a reduction: the whole, where later groups read it */
    const Expr *fold[MAX_PARTS]; /* of a reduction: shares folded, in the group that does that */
} ScanShare;

typedef struct ScanSplit {
    Plan *plan;
    Graph *g;
    Ctx *temp;
    Group *gr;
    int axis;
    int64_t n, whole;
    Var *part; /* the number of a block's share */
    ScanShare *of;
    int *depth; /* of each store: the highest level that it reads */
    int levels;
    int level; /* of the group that is being made: it reads what those below came to */
    bool here; /* of reductions of that level it has what they come to, and needs not load it */
    ExprRewrite local;
    Division d;
    bool failed;
} ScanSplit;

/* ---- which groups ---- */

/* The axis of all scans; -1: there is none, or several. */
static int scanned_axis(const Group *gr) {
    int axis = -1;
    for (int a = 0; a < gr->axes.n; a++) {
        if (!gr->axes.at[a].scanned) continue;
        if (axis >= 0) return -1;
        axis = a;
    }
    return axis;
}

static bool steps_allow(const Group *gr, int axis) {
    const AxisSet along = (AxisSet)1 << axis;
    for (int i = 0; i < gr->steps.n; i++) {
        const GStep *p = &gr->steps.at[i];
        if (!(p->over & along)) continue;
        if (p->over != along || p->under & ~along) return false;
        if (p->monoid->ordered) return false; /* one thread would fold each share */
    }
    return true;
}

typedef struct Reads {
    const ScanSplit *x;
    int deepest;
} Reads;

static Found note_level(const Expr *e, void *user) {
    Reads *r = user;
    const GStep *s = e->op == OP_REDUCE ? group_step(r->x->gr, e) : NULL;
    const int level = s ? r->x->of[s - r->x->gr->steps.at].level : 0;
    if (level > r->deepest) r->deepest = level;
    return FOUND_INSIDE;
}

static void find_levels(ScanSplit *x) {
    for (int i = 0; i < x->gr->steps.n; i++) {
        const GStep *p = &x->gr->steps.at[i];
        Reads r = {.x = x};
        ExprWalk w = {.temp = x->temp, .before = note_level, .user = &r, .reduces = true};
        if (!(p->over >> x->axis & 1)) continue;
        for (int k = 0; k < p->node->nargs; k++) expr_walk(&w, p->node->arg[k]);
        x->of[i].level = r.deepest + 1;
        if (x->of[i].level > x->levels) x->levels = x->of[i].level;
    }
    for (int i = 0; i < x->gr->stores.n; i++) {
        const GStore *s = &x->gr->stores.at[i];
        Reads r = {.x = x};
        ExprWalk w = {.temp = x->temp, .before = note_level, .user = &r, .reduces = true};
        expr_walk(&w, s->value);
        expr_walk(&w, s->guard);
        for (int d = 0; d < s->tensor->rank; d++) expr_walk(&w, s->subs[d]);
        x->depth[i] = r.deepest;
    }
}

/* What is stored in place is read by one kernel alone. */
static bool stores_allow(const Group *gr) {
    for (int i = 0; i < gr->stores.n; i++)
        if (gr->stores.at[i].update || gr->stores.at[i].tensor->kind == TENSOR_INOUT) return false;
    return true;
}

/* ---- what a group reads of steps below its level ---- */

static const Expr *axis_var(const ScanSplit *x) { return expr_var(x->g, x->gr->axes.at[x->axis].var); }
static AxisSet kept(const GStep *p) { return p->free & ~p->over; }

static const Expr *reduce_over(Graph *g, const Monoid *m, int part, Var *v, const Expr *guard,
                               const Expr *const *operands) {
    Reduce *r = NEW(g->ctx, Reduce);
    *r = (Reduce){.monoid = m, .part = part, .nvars = 1, .vars = NEW(g->ctx, Var *)};
    r->vars[0] = v;
    return expr_reduce_parts(g, r, guard, operands);
}

/* In a group's expressions a scan is a reduction like others. This is it as an equation has it, which is a scan again.
 * What is best and where it is are both read: the index is an operand. */
static const Expr *as_scan(const ScanSplit *x, const GStep *p, const Expr *made, int part) {
    Graph *g = x->g;
    const Var *j = x->gr->axes.at[x->axis].var;
    Var *v = graph_var(g, j->name, j->lo, j->hi);
    const Expr *from = axis_var(x), *to = expr_var(g, v), *operands[MAX_PARTS];
    const Expr *guard = expr2(g, p->exclusive ? OP_LT : OP_LE, to, from);
    if (made->arg[0]->nargs) guard = expr_and(g, guard, expr_replace(g, made->arg[0], &from, &to, 1));
    for (int i = 1; i < made->nargs; i++) operands[i - 1] = expr_replace(g, made->arg[i], &from, &to, 1);
    if (p->monoid->indexed) operands[p->monoid->n - 1] = to;
    return reduce_over(g, monoid_of_states(g, p->monoid, p->body->type), part, v, guard, operands);
}

/* What comes before the share, and the scan of the share itself. */
static const Expr *continued(const ScanSplit *x, const GStep *p, const Expr *made, int part) {
    const Monoid *m = monoid_of(x->g, p->monoid, p->body->type);
    const ScanShare *s = &x->of[p - x->gr->steps.at];
    const Expr *from[2 * MAX_PARTS], *to[2 * MAX_PARTS];
    for (int i = 0; i < 2 * m->n; i++) from[i] = expr_node(x->g, OP_ARG, m->type[i % m->n], false, i, NULL, 0);
    for (int i = 0; i < m->n; i++) {
        to[i] = expr_load(x->g, s->carried[i], split_subs(x->gr, kept(p), expr_var(x->g, x->part)));
        to[m->n + i] = as_scan(x, p, made, i);
    }
    return expr_replace(x->g, m->combine[part], from, to, 2 * m->n);
}

static bool is_below(const ScanSplit *x, const GStep *p) {
    const int level = p ? x->of[p - x->gr->steps.at].level : 0;
    return level > 0 && (level < x->level || (x->here && level == x->level));
}

static const Expr *whole(ExprRewrite *w, const Expr *e) {
    const ScanSplit *x = w->user;
    const GStep *p = e->op == OP_REDUCE ? group_step(x->gr, e) : NULL;
    const int part = p ? e->u.reduce->part : 0;
    if (!is_below(x, p) || p->scan) return NULL;
    const ScanShare *s = &x->of[p - x->gr->steps.at];
    if (s->level == x->level) return s->fold[part];
    return expr_load(x->g, s->carried[part], split_subs(x->gr, kept(p), NULL));
}

static const Expr *scanned(ExprRewrite *w, const Expr *e, const Expr *made) {
    const ScanSplit *x = w->user;
    const GStep *p = e->op == OP_REDUCE ? group_step(x->gr, e) : NULL;
    return is_below(x, p) && p->scan ? continued(x, p, made, e->u.reduce->part) : made;
}

static void begin_level(ScanSplit *x, int level, bool here) {
    x->level = level;
    x->here = here;
    x->local = (ExprRewrite){.g = x->g, .temp = x->temp, .before = whole, .after = scanned, .user = x, .reduces = true};
}

static const Expr *local(ScanSplit *x, const Expr *e) { return expr_rewrite(&x->local, e); }

/* ---- the groups ---- */

typedef struct Roots {
    VEC(Equation) at;
} Roots;

static Equation equation(const ScanSplit *x, Tensor *t, AxisSet axes, Var *first, const Expr **subs) {
    Equation r = {.tensor = t, .subs = subs, .vars = NEW_N(x->g->ctx, Var *, MAX_GROUP_AXES + 1)};
    if (first) r.vars[r.nvars++] = first;
    for (int a = 0; a < x->gr->axes.n; a++)
        if (axes >> a & 1) r.vars[r.nvars++] = x->gr->axes.at[a].var;
    return r;
}

static void add_stores(ScanSplit *x, int depth, bool along, Roots *roots) {
    for (int i = 0; i < x->gr->stores.n; i++) {
        const GStore *s = &x->gr->stores.at[i];
        if (x->depth[i] != depth || (s->axes >> x->axis & 1) != along) continue;
        const Expr **subs = NEW_N(x->g->ctx, const Expr *, s->tensor->rank);
        for (int d = 0; d < s->tensor->rank; d++) subs[d] = local(x, s->subs[d]);
        Equation r = equation(x, s->tensor, s->axes, NULL, subs);
        r.value = local(x, s->value);
        if (s->guard) r.guard = local(x, s->guard);
        vec_push(x->temp, &roots->at, r);
    }
}

static bool divides(const ScanSplit *x, const Tensor *t) {
    bool is = false;
    for (int i = 0; i < x->gr->steps.n; i++)
        for (int k = 0; k < MAX_PARTS; k++) is |= x->of[i].share[k] == t;
    return is;
}

/* The axis of which blocks have shares: that of scans, and of what shares fold. -1: it has none; -2: they differ. */
static int divided_axis(const ScanSplit *x, Group *gr) {
    AxisSet along = 0, others = 0;
    bool *share = NEW_N(x->temp, bool, gr->steps.n + 1);
    for (int i = 0; i < gr->stores.n; i++) {
        const GStep *p = divides(x, gr->stores.at[i].tensor) ? group_step(gr, gr->stores.at[i].value) : NULL;
        if (p) share[p - gr->steps.at] = true;
    }
    for (int i = 0; i < gr->steps.n; i++) {
        const GStep *p = &gr->steps.at[i];
        *(p->scan || share[i] ? &along : &others) |= p->over;
    }
    if (!along) return -1;
    return along & (along - 1) || along & others ? -2 : __builtin_ctz(along);
}

static bool more_axes(const Equation *a, const Equation *b) { return a->nvars > b->nvars; }

/* One more group; of shares, where the axis is still in it. */
static void add_group(ScanSplit *x, Roots *roots, bool shares, Sym name) {
    if (x->failed || !roots->at.n) return;
    for (int i = 1; i < roots->at.n; i++) /* the first has the most axes */
        for (int k = i; k > 0 && more_axes(&roots->at.at[k], &roots->at.at[k - 1]); k--) {
            const Equation e = roots->at.at[k];
            roots->at.at[k] = roots->at.at[k - 1];
            roots->at.at[k - 1] = e;
        }
    Group *gr = group_new(x->g, roots->at.at, roots->at.n, NULL, NULL, NULL);
    const int axis = gr && shares ? divided_axis(x, gr) : -1;
    x->failed = !gr || axis < -1;
    if (x->failed) return;
    gr->name = name;
    if (axis >= 0) {
        gr->split = axis;
        gr->parts = x->n;
        gr->part = x->part;
        gr->shares = x->whole;
        group_find_rows(gr, x->temp);
    }
    x->d.group[x->d.n++] = gr;
}

static Sym level_name(const ScanSplit *x, const char *what) {
    if (x->level == 1) return sym_fmt(x->g->ctx, "%s_%s", x->gr->name, what);
    return sym_fmt(x->g->ctx, "%s_%s_%d", x->gr->name, what, x->level);
}

/* A step before that comes to the same for each share: a sum of what another one's running sums are of. */
static const ScanShare *same_shares(const ScanSplit *x, int step) {
    const GStep *p = &x->gr->steps.at[step];
    for (int i = 0; i < step; i++) {
        const GStep *q = &x->gr->steps.at[i];
        bool same = x->of[i].level == x->level && q->monoid == p->monoid && q->node->nargs == p->node->nargs;
        for (int k = 0; k < p->node->nargs && same; k++) same = q->node->arg[k] == p->node->arg[k];
        if (same) return &x->of[i];
    }
    return NULL;
}

/* What the steps of the level come to for each share, and what is stored along the axis of those below. */
static void add_shares(ScanSplit *x) {
    Roots roots = {0};
    begin_level(x, x->level, false);
    add_stores(x, x->level - 1, true, &roots);
    for (int i = 0; i < x->gr->steps.n; i++) {
        GStep *p = &x->gr->steps.at[i];
        if (x->of[i].level != x->level) continue;
        const ScanShare *same = same_shares(x, i);
        if (same) memcpy(x->of[i].share, same->share, sizeof same->share);
        for (int k = 0; k < p->monoid->n && !same; k++) {
            const Expr *value = local(x, group_part(x->gr, p, k));
            Tensor *t = x->of[i].share[k] =
                split_temp(x->plan, x->gr, (SplitTemp){"share", SPLIT_WHY_SHARES, kept(p), value->type, x->n});
            Equation r = equation(x, t, kept(p), NULL, split_subs(x->gr, kept(p), expr_var(x->g, x->part)));
            r.value = value;
            vec_push(x->temp, &roots.at, r);
        }
    }
    add_group(x, &roots, true, level_name(x, "shares"));
}

/* Whether groups of later levels read a part of a reduction. */
static bool is_read_later(const ScanSplit *x, const Expr *node) {
    ExprSet seen = {0};
    bool read = false;
    if (!node) return false;
    for (int i = 0; i < x->gr->steps.n; i++)
        for (int k = 0; x->of[i].level > x->level && k < x->gr->steps.at[i].node->nargs; k++)
            read |= expr_find(x->temp, &seen, x->gr->steps.at[i].node->arg[k], expr_test_node, node) != NULL;
    for (int i = 0; i < x->gr->stores.n; i++) {
        const GStore *s = &x->gr->stores.at[i];
        if (!(s->axes >> x->axis & 1) && x->depth[i] == x->level) continue;
        read |= expr_find(x->temp, &seen, s->value, expr_test_node, node) != NULL;
        read |= s->guard && expr_find(x->temp, &seen, s->guard, expr_test_node, node);
        for (int d = 0; d < s->tensor->rank; d++)
            read |= expr_find(x->temp, &seen, s->subs[d], expr_test_node, node) != NULL;
    }
    return read;
}

/* From the shares of a part: of a scan what is before each, of a reduction the whole. */
static void carry_part(ScanSplit *x, int step, int part, Roots *roots) {
    Graph *g = x->g;
    GStep *p = &x->gr->steps.at[step];
    ScanShare *s = &x->of[step];
    const Expr *zero = expr_int(g, TY_I64, 0), *n = expr_int(g, TY_I64, x->n), *operands[MAX_PARTS];
    Var *each = graph_var(g, sym(g->ctx, "piece"), zero, n);
    Var *at = p->scan ? graph_var(g, sym(g->ctx, "piece"), zero, n) : NULL;
    const Expr *first = at ? expr2(g, OP_LT, expr_var(g, each), expr_var(g, at)) : NULL;
    for (int i = 0; i < p->monoid->n; i++)
        operands[i] = expr_load(g, s->share[i], split_subs(x->gr, kept(p), expr_var(g, each)));
    const Monoid *m = monoid_of_states(g, p->monoid, p->body->type);
    const Expr *value = s->fold[part] = reduce_over(g, m, part, each, first, operands);
    if (!at && !is_read_later(x, p->part[part])) return;
    const SplitTemp of =
        at ? (SplitTemp){"before", "what comes before each share of a scan", kept(p), value->type, x->n}
           : (SplitTemp){"whole", "shares that are folded", kept(p), value->type, 0};
    Tensor *t = s->carried[part] = split_temp(x->plan, x->gr, of);
    Equation r = equation(x, t, kept(p), at, split_subs(x->gr, kept(p), at ? expr_var(g, at) : NULL));
    r.value = value;
    vec_push(x->temp, &roots->at, r);
}

static void add_carried(ScanSplit *x) {
    Roots roots = {0};
    for (int i = 0; i < x->gr->steps.n; i++)
        for (int k = 0; x->of[i].level == x->level && k < x->gr->steps.at[i].monoid->n; k++)
            carry_part(x, i, k, &roots);
    begin_level(x, x->level, true);
    add_stores(x, x->level, false, &roots);
    add_group(x, &roots, false, level_name(x, "before"));
}

static void divide(Plan *plan, Group *gr, int axis, int64_t n) {
    Graph *g = plan->graph;
    Ctx *temp = ctx_temp(g->ctx);
    const Expr *zero = expr_int(g, TY_I64, 0);
    ScanSplit x = {.plan = plan, .g = g, .temp = temp, .gr = gr, .axis = axis, .n = n, .whole = split_whole(gr)};
    x.of = NEW_N(temp, ScanShare, gr->steps.n);
    x.depth = NEW_N(temp, int, gr->stores.n);
    x.part = graph_var(g, sym(g->ctx, "piece"), zero, expr_int(g, TY_I64, n));
    x.d.apart = true;
    find_levels(&x);
    x.failed = x.levels > MOST_LEVELS;
    for (int level = 1; level <= x.levels && !x.failed; level++) {
        x.level = level;
        add_shares(&x);
        if (!x.failed) add_carried(&x);
    }
    if (!x.failed) {
        Roots roots = {0};
        begin_level(&x, x.levels + 1, false);
        add_stores(&x, x.levels, true, &roots);
        add_group(&x, &roots, true, gr->name);
    }
    if (!x.failed) {
        x.d.group[x.d.n - 1]->name = gr->name;
        vec_push(g->ctx, &gr->divisions, x.d);
    }
    ctx_temp_end(temp);
}

void split_scans(Plan *plan, Group *gr, const Machine *m) {
    const int axis = scanned_axis(gr);
    if (axis < 0 || gr->product || gr->fusion || gr->split >= 0 || !steps_allow(gr, axis)) return;
    if (!stores_allow(gr)) return;
    const GStep *scan = &gr->steps.at[0];
    while (!scan->scan) scan++;
    const int64_t few = split_few(m), many = split_many(m), n = split_shares(gr, m, axis, scan);
    if (n >= SPLIT_LEAST_SHARES) divide(plan, gr, axis, n);
    if (!split_all_known(gr) && n != few && split_has_shares(&gr->axes.at[axis], few)) divide(plan, gr, axis, few);
    if (n != many && split_has_shares(&gr->axes.at[axis], many)) divide(plan, gr, axis, many);
}
