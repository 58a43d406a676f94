/* Uniting index variables into the axes of a group, and taking its reductions out as steps. A reduction's variable may
 * share an axis with any variable on which the reduction does not depend; among those of equal range it takes the one
 * that indexes the same tensors in the same places. */
#include "group.h"
#include "scan.h"
#include "ir/monoid.h"
#include "ir/expr_walk.h"
#include "sched/kernel/kernel_text.h"

#include <string.h>

enum { MAX_VARS = 256 };
typedef struct VarSet {
    uint64_t w[MAX_VARS / 64];
} VarSet;

/* A variable of roots and reductions. */
typedef struct GroupVar {
    Var *var;
    int axis;        /* -1 before it has one */
    VarSet conflict; /* it cannot share an axis with */
} GroupVar;

typedef struct Uniting {
    Group *gr;
    Ctx *temp;
    const Equation *roots;
    int nroots;
    VEC(GroupVar) vars;
    VEC(const Expr *) nodes; /* OP_REDUCE, each after those inside it */
    ExprMap number;          /* Var -> its place in vars */
    ExprMap sets;            /* Expr -> VarSet of its free variables */
    VEC(const Expr *) loads;
    ExprRewrite canon;
    bool full; /* too many variables or axes */
} Uniting;

static void set_or(VarSet *a, const VarSet *b) {
    for (int i = 0; i < MAX_VARS / 64; i++) a->w[i] |= b->w[i];
}
static void set_add(VarSet *a, int i) { a->w[i / 64] |= (uint64_t)1 << i % 64; }
static void set_remove(VarSet *a, int i) { a->w[i / 64] &= ~((uint64_t)1 << i % 64); }
static bool set_has(const VarSet *a, int i) { return a->w[i / 64] >> i % 64 & 1; }

/* ---- variables ---- */

static int number_of(Uniting *x, Var *v) {
    int known = (int)expr_map_number(&x->number, v, -1);
    if (known >= 0) return known;
    if (x->vars.n == MAX_VARS) {
        x->full = true;
        return 0;
    }
    GroupVar fresh = {.var = v, .axis = -1};
    vec_push(x->temp, &x->vars, fresh);
    expr_map_put_number(x->temp, &x->number, v, x->vars.n - 1);
    return x->vars.n - 1;
}

/* Free variables of every node; lists reductions and loads on the way. */
static const VarSet *collect(Uniting *x, const Expr *e) {
    const VarSet *known = expr_map_get(&x->sets, e);
    if (known) return known;
    Ctx *ctx = x->temp;
    VarSet *s = NEW(ctx, VarSet);
    if (e->op == OP_VAR) set_add(s, number_of(x, e->u.var));
    for (int i = 0; i < e->nargs; i++) set_or(s, collect(x, e->arg[i]));
    if (e->op == OP_LOAD) vec_push(ctx, &x->loads, e);
    if (e->op == OP_REDUCE) {
        const Reduce *r = e->u.reduce;
        for (int i = 0; i < r->nvars; i++) set_remove(s, number_of(x, r->vars[i]));
        for (int i = 0; i < r->nvars; i++) {
            VarSet *conflict = &x->vars.at[number_of(x, r->vars[i])].conflict; /* all of them have numbers */
            set_or(conflict, s);
            for (int j = 0; j < r->nvars; j++)
                if (j != i) set_add(conflict, number_of(x, r->vars[j]));
        }
        vec_push(ctx, &x->nodes, e);
    }
    expr_map_put(ctx, &x->sets, e, s);
    return s;
}

Sym group_axis_name(const Group *gr, Sym base) {
    const Graph *g = gr->graph;
    for (int n = 0;; n++) {
        Sym name = n ? sym_fmt(g->ctx, "%s_%d", base, n) : base;
        bool used = kernel_name_reserved(name);
        for (int i = 0; i < gr->axes.n; i++) used |= gr->axes.at[i].name == name;
        if (!used && !graph_name_taken(g, name)) return name;
    }
}

static int new_axis(Uniting *x, Var *v) {
    Group *gr = x->gr;
    Ctx *ctx = gr->graph->ctx;
    if (gr->axes.n == MAX_GROUP_AXES) {
        x->full = true;
        return 0;
    }
    GAxis a = {.name = group_axis_name(gr, v->name),
               .var = graph_place_var(gr->graph, PLACE_AXIS, gr->axes.n, v->name, v),
               .extent = -1};
    int64_t lo, hi;
    if (expr_is_int(v->lo, &lo) && expr_is_int(v->hi, &hi)) a.extent = hi > lo ? hi - lo : 0;
    a.most = a.extent;
    const Expr *size = v->hi;
    if (a.extent < 0 && expr_is_int(v->lo, &lo) && lo == 0 && size->op == OP_DIM && size->u.dim->hi < INT32_MAX)
        a.most = size->u.dim->hi;
    a.guess = a.extent >= 0 ? a.extent : var_guess(v);
    vec_push(ctx, &gr->axes, a);
    return gr->axes.n - 1;
}

static bool conflicts(const Uniting *x, int v, int axis) {
    for (int u = 0; u < x->vars.n; u++)
        if (x->vars.at[u].axis == axis && u != v &&
            (set_has(&x->vars.at[v].conflict, u) || set_has(&x->vars.at[u].conflict, v)))
            return true;
    return false;
}

/* How often v indexes what the variables of an axis index in the same place. */
static int likeness(const Uniting *x, int v, int axis) {
    int n = 0;
    for (int i = 0; i < x->loads.n; i++) {
        const Expr *a = x->loads.at[i];
        for (int d = 0; d < a->nargs; d++) {
            if (a->arg[d]->op != OP_VAR || a->arg[d]->u.var != x->vars.at[v].var) continue;
            for (int j = 0; j < x->loads.n; j++) {
                const Expr *b = x->loads.at[j];
                if (b->u.tensor != a->u.tensor || b->arg[d]->op != OP_VAR) continue;
                intptr_t u = expr_map_number(&x->number, b->arg[d]->u.var, -1);
                if (u >= 0 && x->vars.at[u].axis == axis) n++;
            }
        }
    }
    return n;
}

static int choose_axis(Uniting *x, int v) {
    int best = -1, like = -1;
    for (int a = 0; a < x->gr->axes.n; a++) {
        if (!var_same_range(x->gr->axes.at[a].var, x->vars.at[v].var) || conflicts(x, v, a)) continue;
        int n = likeness(x, v, a);
        if (n >= like) {
            like = n;
            best = a;
        }
    }
    return best >= 0 ? best : new_axis(x, x->vars.at[v].var);
}

static void unite_roots(Uniting *x) {
    for (int r = 0; r < x->nroots; r++) {
        AxisSet taken = 0;
        for (int i = 0; i < x->roots[r].nvars; i++) {
            int v = number_of(x, x->roots[r].vars[i]), best = -1, like = -1;
            for (int a = 0; r > 0 && a < x->gr->axes.n; a++) {
                if (taken >> a & 1 || !var_same_range(x->gr->axes.at[a].var, x->vars.at[v].var)) continue;
                int n = likeness(x, v, a) * 2 + (i == a);
                if (n > like) {
                    like = n;
                    best = a;
                }
            }
            x->vars.at[v].axis = best >= 0 ? best : new_axis(x, x->vars.at[v].var);
            taken |= (AxisSet)1 << x->vars.at[v].axis;
        }
    }
}

/* A scan's variable runs along the axis of the variable that it is compared with. */
static bool is_scan_here(Uniting *x, const Expr *node, ScanForm *form) {
    if (!scan_form(x->gr->graph, node, form) || form->reverse) return false;
    intptr_t u = expr_map_number(&x->number, form->along, -1);
    return u >= 0 && x->vars.at[u].axis >= 0;
}

static void unite_reductions(Uniting *x) {
    for (int pass = 0; pass < 2; pass++)
        for (int i = x->nodes.n - 1; i >= 0; i--) { /* outer ones first: a scan inside them follows their variables */
            const Expr *e = x->nodes.at[i];
            for (int k = 0; k < e->u.reduce->nvars; k++) {
                int v = number_of(x, e->u.reduce->vars[k]);
                ScanForm form;
                if (x->vars.at[v].axis >= 0) continue;
                if (is_scan_here(x, e, &form)) {
                    x->vars.at[v].axis = x->vars.at[number_of(x, form.along)].axis;
                } else if (pass == 1 || !scan_form(x->gr->graph, e, &form)) {
                    x->vars.at[v].axis = choose_axis(x, v);
                }
            }
        }
}

/* ---- canonical expressions ---- */

/* What a key of `reduces` says beside its monoid, part and axes. */
static int step_kind(const GStep *s) { return !s->scan ? 0 : s->exclusive ? 2 : 1; }

static Reduce *reduce_key(Group *gr, const Reduce *of, AxisSet over, int kind) {
    Ctx *ctx = gr->graph->ctx;
    Reduce r = {.monoid = of->monoid, .part = of->part};
    Var *vars[MAX_GROUP_AXES];
    for (int a = 0; a < gr->axes.n; a++)
        if (over >> a & 1) vars[r.nvars++] = gr->axes.at[a].var;
    for (int i = 0; i < gr->reduces.n; i += 3) {
        Reduce *k = gr->reduces.at[i + kind];
        if (k->monoid == r.monoid && k->part == r.part && k->nvars == r.nvars &&
            !memcmp(k->vars, vars, sizeof *vars * (size_t)r.nvars))
            return k;
    }
    Reduce *k[3];
    for (int i = 0; i < 3; i++) {
        k[i] = NEW(ctx, Reduce);
        *k[i] = r;
        k[i]->vars = NEW_N(ctx, Var *, r.nvars);
        memcpy(k[i]->vars, vars, sizeof *vars * (size_t)r.nvars);
        vec_push(ctx, &gr->reduces, k[i]);
    }
    return k[kind];
}

static const Expr *canonical(Uniting *x, const Expr *e) { return expr_rewrite(&x->canon, e); }

/* The step that does the fold of node already; NULL: none. */
static GStep *step_of_fold(Group *gr, const Expr *node, AxisSet over, int kind) {
    for (int i = 0; i < gr->steps.n; i++) {
        GStep *s = &gr->steps.at[i];
        if (s->monoid == node->u.reduce->monoid && s->over == over && step_kind(s) == kind &&
            s->node->nargs == node->nargs && !memcmp(s->node->arg, node->arg, sizeof *node->arg * (size_t)node->nargs))
            return s;
    }
    return NULL;
}

static const Expr *canonical_reduce(Uniting *x, const Expr *e) {
    Group *gr = x->gr;
    Graph *g = gr->graph;
    const Reduce *r = e->u.reduce;
    ScanForm form;
    AxisSet over = 0;
    for (int i = 0; i < r->nvars; i++) over |= (AxisSet)1 << x->vars.at[number_of(x, r->vars[i])].axis;
    bool scan = is_scan_here(x, e, &form) &&
                x->vars.at[number_of(x, form.along)].axis == x->vars.at[number_of(x, r->vars[0])].axis;
    const Expr *rest = !scan ? e->arg[0] : form.exclusive ? scan_without_last(g, x->temp, e, form.rest) : form.rest;
    const Expr *args[1 + MAX_PARTS] = {rest ? canonical(x, rest) : expr_int(g, TY_BOOL, 1)};
    for (int i = 1; i < e->nargs; i++) args[i] = canonical(x, e->arg[i]);
    GStep s = {.monoid = r->monoid, .guard = args[0], .body = args[1], .over = over, .scan = scan};
    s.exclusive = scan && form.exclusive;
    Reduce *key = reduce_key(gr, r, over, step_kind(&s));
    const Expr *node = expr_node(g, OP_REDUCE, e->type, false, (int64_t)(intptr_t)key, args, e->nargs);
    GStep *known = step_of_fold(gr, node, over, step_kind(&s));
    if (known) {
        known->part[r->part] = node;
    } else {
        s.node = s.part[r->part] = node;
        s.free = group_free(gr, node);
        vec_push(g->ctx, &gr->steps, s);
    }
    return node;
}

/* Variables are those of their axes, reductions steps; marks are dropped. A variable without an axis is the number of a
 * block's share (Group.part). */
static const Expr *canonical_node(ExprRewrite *r, const Expr *e) {
    Uniting *x = r->user;
    if (e->op == OP_VAR) {
        const int axis = x->vars.at[number_of(x, e->u.var)].axis;
        return axis < 0 ? e : expr_var(r->g, x->gr->axes.at[axis].var);
    }
    if (e->op == OP_REDUCE) return canonical_reduce(x, e);
    return expr_is_mark(e) ? canonical(x, e->arg[0]) : NULL;
}

static int step_of_key(const Group *gr, const Reduce *key) {
    for (int i = 0; i < gr->reduces.n; i++)
        if (gr->reduces.at[i] == key) return i % 3;
    return 0;
}

AxisSet group_free(Group *gr, const Expr *e) {
    if (!e || (!e->nargs && e->op != OP_VAR)) return 0;
    intptr_t known = expr_map_number(&gr->free, e, -1);
    if (known >= 0) return (AxisSet)known;
    AxisSet s = 0;
    if (e->op == OP_VAR) {
        for (int a = 0; a < gr->axes.n; a++)
            if (gr->axes.at[a].var == e->u.var) s = (AxisSet)1 << a;
    }
    for (int i = 0; i < e->nargs; i++) s |= group_free(gr, e->arg[i]);
    if (e->op == OP_REDUCE) {
        bool scan = step_of_key(gr, e->u.reduce) != 0;
        for (int a = 0; a < gr->axes.n; a++)
            for (int i = 0; i < e->u.reduce->nvars; i++)
                if (gr->axes.at[a].var == e->u.reduce->vars[i]) s = scan ? s | (AxisSet)1 << a : s & ~((AxisSet)1 << a);
    }
    expr_map_put_number(gr->graph->ctx, &gr->free, e, s);
    return s;
}

static Tensor *moved_by(const GStore *s) {
    const Expr *e = s->value;
    if (s->guard || s->update || e->op != OP_LOAD || e->u.tensor->rank != s->tensor->rank) return NULL;
    for (int d = 0; d < e->nargs; d++)
        if (e->arg[d] != s->subs[d]) return NULL;
    return e->u.tensor;
}

Tensor *group_moved(const Group *gr) {
    Tensor *t = moved_by(&gr->stores.at[0]);
    for (int i = 1; i < gr->stores.n; i++)
        if (moved_by(&gr->stores.at[i]) != t) return NULL;
    return t;
}

bool group_in_place(const Group *gr) {
    bool any = false;
    for (int a = 0; a < gr->axes.n; a++) any |= gr->axes.at[a].whole;
    return any;
}

bool group_is_online(const Group *gr) {
    for (int i = 0; i < gr->steps.n; i++)
        if (gr->steps.at[i].online) return true;
    return false;
}

AxisSet group_into(const Group *gr) { return gr->steps.n ? gr->steps.at[0].into : 0; }

AxisSet group_scattered(const Group *gr) { return group_into(gr) ? gr->steps.at[0].over : 0; }

const Expr *group_part(Group *gr, GStep *s, int k) {
    Graph *g = gr->graph;
    if (s->part[k]) return s->part[k];
    const Reduce of = {.monoid = s->monoid, .part = k};
    const Type t = monoid_of(g, s->monoid, s->body->type)->type[k];
    const Reduce *key = reduce_key(gr, &of, s->over, step_kind(s));
    return s->part[k] = expr_node(g, OP_REDUCE, t, false, (int64_t)(intptr_t)key, s->node->arg, s->node->nargs);
}

const Expr *group_fold(Group *gr, const GStep *s, const Expr *part, const Expr *const *args) {
    const Reduce *key = reduce_key(gr, part->u.reduce, s->over, step_kind(s));
    return expr_node(gr->graph, OP_REDUCE, part->type, false, (int64_t)(intptr_t)key, args, part->nargs);
}

GStep *group_step(Group *gr, const Expr *node) {
    for (int i = 0; node && i < gr->steps.n; i++)
        for (int k = 0; k < gr->steps.at[i].monoid->n; k++)
            if (gr->steps.at[i].part[k] == node) return &gr->steps.at[i];
    return NULL;
}

int64_t group_guess(const Group *gr, AxisSet axes) {
    int64_t n = 1;
    for (int a = 0; a < gr->axes.n; a++)
        if (axes >> a & 1 && !mul_ok(n, gr->axes.at[a].guess, &n)) return INT64_MAX;
    return n;
}

int64_t group_length_at(const Group *gr, AxisSet axes, const int64_t *dims) {
    int64_t n = 1;
    if (!dims) return group_guess(gr, axes);
    for (int a = 0; a < gr->axes.n; a++) {
        const Var *v = gr->axes.at[a].var;
        if (!(axes >> a & 1)) continue;
        const int64_t lo = expr_guess_at(v->lo, dims), hi = expr_guess_at(v->hi, dims);
        if (!mul_ok(n, hi > lo ? hi - lo : 0, &n)) return INT64_MAX;
    }
    return n;
}

static void add_store(Uniting *x, const Equation *r) {
    Ctx *ctx = x->gr->graph->ctx;
    GStore s = {.tensor = r->tensor,
                .update = r->update,
                .number = r->number,
                .subs = NEW_N(ctx, const Expr *, r->tensor->rank)};
    for (int d = 0; d < r->tensor->rank; d++) s.subs[d] = canonical(x, r->subs[d]);
    if (r->guard) s.guard = canonical(x, r->guard);
    s.value = canonical(x, r->value);
    for (int i = 0; i < r->nvars; i++) s.axes |= (AxisSet)1 << x->vars.at[number_of(x, r->vars[i])].axis;
    vec_push(ctx, &x->gr->stores, s);
}

static void collect_roots(Uniting *x) {
    for (int r = 0; r < x->nroots; r++)
        for (int i = 0; i < x->roots[r].nvars; i++) number_of(x, x->roots[r].vars[i]);
    for (int r = 0; r < x->nroots; r++) {
        const Equation *root = &x->roots[r];
        collect(x, root->value);
        if (root->guard) collect(x, root->guard);
        for (int d = 0; d < root->tensor->rank; d++) collect(x, root->subs[d]);
    }
}

/* Variables that are another group's axes keep their numbers and what they are. */
static bool unite_like(Uniting *x, const Group *like) {
    for (int a = 0; a < like->axes.n; a++) new_axis(x, like->axes.at[a].var);
    for (int v = 0; v < x->vars.n; v++)
        for (int a = 0; a < like->axes.n; a++)
            if (like->axes.at[a].var == x->vars.at[v].var) x->vars.at[v].axis = a;
    for (int v = 0; v < x->vars.n; v++)
        if (x->vars.at[v].axis < 0) return false;
    return true;
}

static bool unite(Uniting *x, const Group *like) {
    collect_roots(x);
    if (like) return !x->full && unite_like(x, like);
    if (!x->full) unite_roots(x);
    if (!x->full) unite_reductions(x);
    return !x->full;
}

static Group *new_group(Graph *g, const Equation *roots, int n, const Group *like, ExprMap *canon, Ctx *temp,
                        Text *why) {
    Ctx *own = ctx_temp(g->ctx);
    Uniting *x = NEW(own, Uniting);
    Group *gr = x->gr = NEW(g->ctx, Group);
    gr->graph = g;
    gr->split = -1;
    x->temp = canon ? temp : own;
    x->canon = (ExprRewrite){.g = g, .temp = x->temp, .before = canonical_node, .user = x};
    x->roots = roots;
    x->nroots = n;
    if (unite(x, like)) {
        for (int r = 0; r < n; r++) add_store(x, &roots[r]);
        gr->name = roots[0].tensor->name;
        group_describe(gr, own);
        if (canon) *canon = x->canon.done;
    } else {
        if (why) text_fmt(why, "`%s` has more index variables than one kernel may have", roots[0].tensor->name);
        gr = NULL;
    }
    ctx_temp_end(own);
    return gr;
}

Group *group_new(Graph *g, const Equation *roots, int n, ExprMap *canon, Ctx *temp, Text *why) {
    return new_group(g, roots, n, NULL, canon, temp, why);
}

Group *group_like(const Group *like, const Equation *roots, int n) {
    return new_group(like->graph, roots, n, like, NULL, NULL, NULL);
}
