/* Rows and columns of the same elements in one pass. A norm's backward folds each row for the gradient of its input,
 * and each column for those of its weights; as two groups both read all elements. Where a block keeps a row in
 * registers it can do the first for one row after another, and add what each gives to its own share of the columns'
 * folds, so that every element is read once:
 *
 *   rows      dx[i, j] = ..., with folds over j; mu[i], rs[i]
 *   columns   dg[j] = sum[i](dy[i, j] * (x[i, j] - mu[i]) ...)
 *   fused     dx[i, j], and of each share s of all i dg_share[s, j]
 *   rest      dg[j] = sum[s](dg_share[s, j])
 *
 * The columns' equations read what the rows' store; in the one group they have its value in place of that, so that all
 * reductions are steps of one group, which is divided into shares as other large reductions are (split.c). Folds across
 * each other keep a loop along one of the two axes at most (schedule.c), so rows have a largest length (`bounded`).
 * Which of the two ways is faster depends on sizes and is not decided here (sched/search/fusing.c). */
#include "in_place.h"
#include "split.h"

#include "ir/expr_walk.h"

enum {
    MAX_ROW = 1 << 14 /* elements, of which a block of 1024 threads keeps 16 a thread */,
    MAX_BACK = 16,
    MAX_ROOTS = 16
};

typedef struct Fuser {
    Plan *plan;
    Graph *g;
    Ctx *temp; /* of one pair */
    const Machine *machine;
    const Group *rows, *columns;
    Equation roots[MAX_ROOTS];
    int nrows, n; /* of roots: those of rows, then those of columns */
} Fuser;

/* ---- what may be moved ---- */

static bool touches(const Group *gr, const Tensor *t, bool stored) {
    for (int i = 0; i < gr->tensors.n; i++) {
        const GTensor *x = &gr->tensors.at[i];
        if (x->tensor == t && (stored ? x->stored : x->stored || x->loaded)) return true;
    }
    return false;
}

/* Whether b may come before a: neither stores what the other touches. */
static bool independent(const Group *a, const Group *b) {
    for (int i = 0; i < a->tensors.n; i++)
        if (touches(b, a->tensors.at[i].tensor, !a->tensors.at[i].stored)) return false;
    return true;
}

static bool is_plain(const Group *gr) {
    if (gr->product || gr->fusion) return false;
    if (!group_updates_own(gr)) return false;
    for (int i = 0; i < gr->tensors.n; i++)
        if (gr->tensors.at[i].tensor->sort) return false; /* a sort stands before its first reader, in all ways */
    for (int i = 0; i < gr->steps.n; i++)
        if (gr->steps.at[i].scan || gr->steps.at[i].monoid->ordered || gr->steps.at[i].joined[0]) return false;
    return true;
}

/* Both load a tensor, or the second what the first stores. */
static bool have_in_common(const Group *a, const Group *b) {
    for (int i = 0; i < a->tensors.n; i++)
        for (int k = 0; k < b->tensors.n; k++)
            if (a->tensors.at[i].tensor == b->tensors.at[k].tensor && b->tensors.at[k].loaded) return true;
    return false;
}

/* ---- equations ---- */

/* Variables of an equation, and what stands in their place. */
typedef struct Renaming {
    const Expr *from[MAX_RANK], *to[MAX_RANK];
    int n;
} Renaming;

static bool is_renamed(const Renaming *r, const Expr *var) {
    bool is = false;
    for (int i = 0; i < r->n; i++) is |= r->from[i] == var;
    return is;
}

/* The variables of an equation that columns fold as one (partition_folds.c), of e's length: quotients and remainders of
 * e. False: they are not there. */
static bool rename_parts(Graph *g, const Equation *q, const Expr *e, const Expr *length, Renaming *r) {
    for (int v = 0; v < q->nvars; v++) {
        const Expr *var = expr_var(g, q->vars[v]);
        if (q->vars[v]->hi != length || is_renamed(r, var)) continue;
        r->from[r->n] = var;
        r->to[r->n++] = e;
        return true;
    }
    if (length->op != OP_MUL) return false;
    return rename_parts(g, q, expr2(g, OP_DIV, e, length->arg[1]), length->arg[0], r) &&
           rename_parts(g, q, expr2(g, OP_MOD, e, length->arg[1]), length->arg[1], r);
}

/* The length of what columns fold, where that is several variables of rows in one; else NULL. */
static const Expr *folded_as_one(const Fuser *x) {
    const Expr *length = NULL;
    for (int a = 0; a < x->columns->axes.n; a++)
        if (x->columns->axes.at[a].folded && x->columns->axes.at[a].var->hi->op == OP_MUL)
            length = x->columns->axes.at[a].var->hi;
    for (int a = 0; a < x->rows->axes.n; a++)
        if (x->rows->axes.at[a].var->hi == length) return NULL;
    return length;
}

/* Of an equation: variables of its own, one for those that columns fold as one. */
static void rename_vars(Fuser *x, Equation *q, const Expr *as_one) {
    Graph *g = x->g;
    Renaming r = {.n = 0};
    Var **vars = NEW_N(g->ctx, Var *, q->nvars + 1);
    int n = 0;
    if (as_one) {
        Var *f = graph_var(g, q->vars[0]->name, expr_int(g, TY_I64, 0), as_one);
        if (rename_parts(g, q, expr_var(g, f), as_one, &r))
            vars[n++] = f;
        else
            r.n = 0;
    }
    for (int v = 0; v < q->nvars; v++) {
        Var *old = q->vars[v];
        if (is_renamed(&r, expr_var(g, old))) continue;
        vars[n] = graph_var(g, old->name, old->lo, old->hi);
        r.from[r.n] = expr_var(g, old);
        r.to[r.n++] = expr_var(g, vars[n++]);
    }
    const Expr **subs = NEW_N(g->ctx, const Expr *, q->tensor->rank + 1);
    for (int d = 0; d < q->tensor->rank; d++) subs[d] = expr_replace(g, q->subs[d], r.from, r.to, r.n);
    q->value = expr_replace(g, q->value, r.from, r.to, r.n);
    q->vars = vars;
    q->nvars = n;
    q->subs = subs;
}

/* Those that a group stores; false where there are too many. */
static bool add_roots(Fuser *x, const Group *gr, const Expr *as_one) {
    const int first = x->n;
    for (int i = 0; i < gr->stores.n; i++)
        for (int k = 0; k < x->plan->roots.n; k++) {
            Equation r = x->plan->roots.at[k];
            if (r.tensor != gr->stores.at[i].tensor) continue;
            if (x->n == MAX_ROOTS || r.nvars > MAX_RANK || r.guard) return false;
            rename_vars(x, &r, as_one);
            x->roots[x->n++] = r;
        }
    return x->n - first == gr->stores.n; /* one piece each */
}

/* Whether e is the pattern with expressions in place of an equation's variables, *to: NULL where none was met yet. */
static bool matches(Graph *g, const Equation *q, const Expr *pattern, const Expr *e, const Expr **to) {
    for (int v = 0; v < q->nvars; v++) {
        if (pattern != expr_var(g, q->vars[v])) continue;
        if (!to[v]) to[v] = e;
        return to[v] == e;
    }
    bool same = pattern->nargs ? pattern->op == e->op && pattern->nargs == e->nargs : pattern == e;
    for (int i = 0; i < pattern->nargs && same; i++) same = matches(g, q, pattern->arg[i], e->arg[i], to);
    return same;
}

/* The value that rows store at the subscripts of a load; NULL: it loads something else. */
static const Expr *stored_value(ExprRewrite *rewrite, const Expr *e) {
    const Fuser *x = rewrite->user;
    for (int i = 0; e->op == OP_LOAD && i < x->nrows; i++) {
        const Equation *r = &x->roots[i];
        const Expr *from[MAX_RANK], *to[MAX_RANK] = {NULL};
        bool same = r->tensor == e->u.tensor && r->value->type == e->type;
        for (int d = 0; d < e->nargs && same; d++) same = matches(x->g, r, r->subs[d], e->arg[d], to);
        for (int v = 0; v < r->nvars && same; v++) {
            from[v] = expr_var(x->g, r->vars[v]);
            same = to[v] != NULL;
        }
        if (same) return expr_replace(x->g, r->value, from, to, r->nvars);
    }
    return NULL;
}

/* Variables that reductions of rows have, or those of columns. */
typedef struct Bound {
    ExprMap by; /* Var -> the roots that it was met in */
    Ctx *ctx;
    intptr_t side;
    bool both;
} Bound;

static Found note_bound(const Expr *e, void *user) {
    Bound *b = user;
    for (int i = 0; e->op == OP_REDUCE && i < e->u.reduce->nvars; i++) {
        const Var *v = e->u.reduce->vars[i];
        const intptr_t known = expr_map_number(&b->by, v, b->side);
        b->both |= known != b->side;
        expr_map_put_number(b->ctx, &b->by, v, b->side);
    }
    return FOUND_INSIDE;
}

/* Whether a reduction of columns has a variable that one of rows has, which may then stand inside of it. */
static bool share_variables(const Fuser *x) {
    Bound b = {.ctx = x->temp};
    for (int i = 0; i < x->n; i++) {
        ExprWalk w = {.temp = x->temp, .before = note_bound, .user = &b, .reduces = true};
        b.side = i < x->nrows ? 1 : 2;
        expr_walk(&w, x->roots[i].value);
    }
    return b.both;
}

/* Of rows what somebody else loads, too, stays. */
static bool is_needed(const Fuser *x, const Tensor *t) {
    if (t->kind != TENSOR_LET) return true;
    for (int i = 0; i < x->plan->groups.n; i++) {
        const Group *gr = x->plan->groups.at[i];
        if (gr != x->rows && gr != x->columns && touches(gr, t, false)) return true;
    }
    return false;
}

static void put_largest_first(Fuser *x) {
    int most = 0;
    for (int i = 1; i < x->nrows; i++)
        if (x->roots[i].nvars > x->roots[most].nvars) most = i;
    const Equation r = x->roots[0];
    x->roots[0] = x->roots[most];
    x->roots[most] = r;
}

/* All that both store, in one group; NULL: it cannot be. */
static Group *whole(Fuser *x) {
    x->n = 0;
    const Expr *as_one = folded_as_one(x);
    if (!add_roots(x, x->rows, as_one)) return NULL;
    x->nrows = x->n;
    if (!add_roots(x, x->columns, NULL) || share_variables(x)) return NULL;
    ExprRewrite r = {.g = x->g, .temp = x->temp, .before = stored_value, .user = x};
    for (int i = x->nrows; i < x->n; i++) x->roots[i].value = expr_rewrite(&r, x->roots[i].value);
    put_largest_first(x);
    int kept = 0;
    for (int i = 0; i < x->n; i++)
        if (i >= x->nrows || is_needed(x, x->roots[i].tensor)) x->roots[kept++] = x->roots[i];
    return group_new(x->g, x->roots, kept, NULL, NULL, NULL);
}

/* ---- the group ---- */

static AxisSet axes_between(const Group *gr) { return gr->stores.at[0].axes & ~gr->stores.at[gr->stores.n - 1].axes; }

typedef struct OfFold {
    Group *gr;
    AxisSet over;
} OfFold;

static Found is_of_fold(const Expr *e, const void *user) {
    const OfFold *x = user;
    const GStep *p = e->op == OP_REDUCE ? group_step(x->gr, e) : NULL;
    return p && p->over & x->over ? FOUND : FOUND_INSIDE;
}

/* Whether something along the folded axes is made of what is folded over them: a block that does a share of the fold
 * has no more than that. */
static bool returns(Group *gr, AxisSet over, Ctx *temp) {
    const OfFold x = {gr, over};
    ExprSet seen = {0};
    for (int i = 0; i < gr->stores.n; i++) {
        const GStore *s = &gr->stores.at[i];
        if (!(s->axes & over)) continue;
        if (expr_find(temp, &seen, s->value, is_of_fold, &x)) return true;
        if (expr_find(temp, &seen, s->guard, is_of_fold, &x)) return true;
    }
    return false;
}

/* Columns fold all axes that they lack, rows none of these; *across: the axis, if any, that rows fold. */
static bool folds_across(Group *gr, Ctx *temp, AxisSet *across) {
    const AxisSet all = gr->stores.at[0].axes, over = axes_between(gr), free = all & ~over;
    *across = 0;
    for (int i = 0; i < gr->steps.n; i++) {
        const GStep *p = &gr->steps.at[i];
        if (p->scan || p->joined[0] || (p->over | p->free) & ~all) return false;
        if (p->over & over ? p->over != over || p->free != free || p->under : p->over & ~free) return false;
        if (!(p->over & over)) *across |= p->over;
    }
    return over && free && !(*across & (*across - 1)) && !returns(gr, over, temp);
}

/* Rows have a largest length where they are folded. False where they are longer anyway. */
static bool bound(Group *gr, AxisSet across) {
    gr->across = across;
    for (int a = 0; a < gr->axes.n; a++) {
        GAxis *x = &gr->axes.at[a];
        if (!(across >> a & 1)) continue;
        if (x->guess > MAX_ROW) return false;
        if (x->extent >= 0 || (x->most >= 0 && x->most <= MAX_ROW)) continue;
        x->most = MAX_ROW;
        gr->bounded |= (AxisSet)1 << a;
    }
    group_find_rows(gr, gr->graph->ctx);
    return true;
}

static int64_t shares_of(const Group *gr, int axis, const Machine *m) {
    const GAxis *a = &gr->axes.at[axis];
    return a->extent >= 0 && a->extent < split_many(m) ? a->extent : split_many(m);
}

/* Groups 3 and 4 of a fusion; false: there is none. */
static bool fuse(Fuser *x, Fusion *f) {
    AxisSet across;
    Group *gr = whole(x);
    if (!gr || gr->axes.n > x->rows->axes.n || !folds_across(gr, x->temp, &across)) return false;
    const int axis = split_axis(gr, axes_between(gr), x->machine);
    const int64_t n = axis < 0 ? 0 : shares_of(gr, axis, x->machine);
    if (n < 2) return false;
    gr->name = sym_fmt(x->g->ctx, "%s_%s", x->rows->name, x->columns->name);
    const Division d = split_into(x->plan, gr, axis, n);
    if (d.n < 2 || !bound(d.group[0], across)) return false;
    *f = (Fusion){.apart = {(Group *)x->rows, (Group *)x->columns}, .fused = {d.group[0], d.group[1]}, .nfused = 2};
    return true;
}

/* The same of rows that are made elsewhere and then moved. */
static bool fuse_in_place(Fuser *x, Fusion *f) {
    Group *gr = in_place_group(x->plan, x->rows, x->columns);
    *f = (Fusion){.apart = {(Group *)x->rows, (Group *)x->columns}, .fused = {gr}, .nfused = 1};
    return gr != NULL;
}

/* ---- the plan ---- */

/* The second, number c, comes behind the first, number r, and the fused ones behind these. */
static void place(Plan *plan, int r, int c, const Fusion *made) {
    Ctx *ctx = plan->graph->ctx;
    Fusion *f = NEW(ctx, Fusion);
    *f = *made;
    for (int k = 0; k < 2; k++) f->apart[k]->fusion = f;
    for (int k = 0; k < f->nfused; k++) {
        f->fused[k]->fusion = f;
        f->fused[k]->fused = true;
        vec_push(ctx, &plan->groups, NULL);
    }
    Group **at = plan->groups.at;
    for (int i = c; i > r + 1; i--) at[i] = at[i - 1];
    at[r + 1] = f->apart[1];
    for (int i = plan->groups.n - 1; i > r + 1 + f->nfused; i--) at[i] = at[i - f->nfused];
    for (int k = 0; k < f->nfused; k++) at[r + 2 + k] = f->fused[k];
    vec_push(ctx, &plan->fusions, f);
}

/* Group number c with one before it, whose rows it folds the columns of, or moves. Gives how many groups take the place
 * of both; 0: there is none. */
static int find_rows(Fuser *x, int c) {
    Plan *plan = x->plan;
    const Group *columns = plan->groups.at[c];
    const bool folds = is_plain(columns) && split_may(columns), moves = in_place_may(columns);
    if (!folds && !moves) return 0;
    for (int r = c - 1; r >= 0 && r >= c - MAX_BACK; r--) {
        const Group *rows = plan->groups.at[r];
        Fusion f;
        x->rows = rows;
        x->columns = columns;
        x->temp = ctx_temp(plan->graph->ctx);
        bool fits = folds && is_plain(rows) && rows->stores.at[0].axes & ~columns->stores.at[0].axes &&
                    have_in_common(rows, columns) && fuse(x, &f);
        fits |= moves && !rows->fusion && fuse_in_place(x, &f);
        ctx_temp_end(x->temp);
        if (fits) return place(plan, r, c, &f), f.nfused;
        if (!independent(rows, columns)) return 0;
    }
    return 0;
}

void fuse_groups(Plan *plan, const Machine *m) {
    Fuser x = {.plan = plan, .g = plan->graph, .machine = m};
    for (int c = 1; c < plan->groups.n; c++) c += find_rows(&x, c);
}
