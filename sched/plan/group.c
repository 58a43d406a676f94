/* Uniting index variables into the axes of a group, and taking its reductions out as steps. A reduction's variable may
 * share an axis with any variable on which the reduction does not depend; among those of equal range it takes the one
 * that indexes the same tensors in the same places. */
#include "group.h"
#include "sched/kernel/kernel_text.h"
#include "prepare.h"

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
    ExprMap number;          /* Var -> its place in vars, plus 1 */
    ExprMap sets;            /* Expr -> VarSet of its free variables */
    VEC(const Expr *) loads;
    ExprMap canon;
    bool full; /* too many variables or axes */
} Uniting;

static void set_or(VarSet *a, const VarSet *b) {
    for (int i = 0; i < MAX_VARS / 64; i++) a->w[i] |= b->w[i];
}
static void set_add(VarSet *a, int i) { a->w[i / 64] |= (uint64_t)1 << i % 64; }
static void set_remove(VarSet *a, int i) { a->w[i / 64] &= ~((uint64_t)1 << i % 64); }
static bool set_has(const VarSet *a, int i) { return a->w[i / 64] >> i % 64 & 1; }

static bool uses_var(ExprMap *seen, Ctx *ctx, const Expr *e, const Var *v) {
    if (e->op == OP_VAR) return e->u.var == v;
    if (!e->nargs || expr_map_get(seen, e)) return false;
    expr_map_put(ctx, seen, e, e);
    if (e->op == OP_REDUCE)
        for (int i = 0; i < e->u.reduce->nvars; i++)
            if (uses_var(seen, ctx, e->u.reduce->vars[i]->lo, v) || uses_var(seen, ctx, e->u.reduce->vars[i]->hi, v))
                return true;
    for (int i = 0; i < e->nargs; i++)
        if (uses_var(seen, ctx, e->arg[i], v)) return true;
    return false;
}

static bool graph_uses_var(Graph *g, const Expr *e, const Var *v) {
    ExprMap seen = {0};
    Ctx *temp = ctx_temp(g->ctx);
    bool r = uses_var(&seen, temp, e, v);
    ctx_temp_end(temp);
    return r;
}

/* ---- scans ---- */

/* The comparison v op u with v on the left. */
static bool is_bound_of(const Expr *c, const Var *v, Op *op, const Expr **other) {
    static const struct { Op op, swapped; } table[] = {{OP_LT, OP_GT}, {OP_LE, OP_GE}, {OP_GT, OP_LT}, {OP_GE, OP_LE}};
    for (int i = 0; i < 4; i++) {
        if (c->op != table[i].op) continue;
        if (c->arg[0]->op == OP_VAR && c->arg[0]->u.var == v) {
            *op = c->op;
            *other = c->arg[1];
            return true;
        }
        if (c->arg[1]->op == OP_VAR && c->arg[1]->u.var == v) {
            *op = table[i].swapped;
            *other = c->arg[0];
            return true;
        }
    }
    return false;
}

/* u, or u + 1, where the bound is one variable's of the same range. */
static Var *bound_var(const Expr *e, int64_t *plus) {
    *plus = 0;
    if (e->op == OP_ADD && expr_is_int(e->arg[1], plus) && *plus == 1) e = e->arg[0];
    return e->op == OP_VAR ? e->u.var : NULL;
}

static bool operands_use(Graph *g, const Expr *reduce, const Var *v) {
    for (int i = 1; i < reduce->nargs; i++)
        if (graph_uses_var(g, reduce->arg[i], v)) return true;
    return false;
}

static bool find_scan(Graph *g, const Expr *c, const Var *v, const Expr *reduce, ScanForm *out) {
    if (c->op == OP_AND) {
        for (int i = 0; i < 2; i++) {
            ScanForm f;
            if (!find_scan(g, c->arg[i], v, reduce, &f)) continue;
            const Expr *rest = expr_and(g, i ? c->arg[0] : f.rest, i ? f.rest : c->arg[1]);
            if (rest && graph_uses_var(g, rest, f.along)) return false;
            *out = f;
            out->rest = rest;
            return true;
        }
        return false;
    }
    Op op;
    const Expr *other;
    int64_t plus;
    if (!is_bound_of(c, v, &op, &other)) return false;
    Var *u = bound_var(other, &plus);
    if (!u || u == v || !var_same_range(u, v) || operands_use(g, reduce, u)) return false;
    if (plus && op != OP_LT && op != OP_GE) return false; /* k < j + 1 is k <= j, k >= j + 1 is k > j */
    bool strict = (op == OP_LT || op == OP_GT) != (plus == 1);
    *out = (ScanForm){.along = u, .exclusive = strict, .reverse = op == OP_GT || op == OP_GE};
    return true;
}

bool scan_form(Graph *g, const Expr *r, ScanForm *out) {
    if (r->u.reduce->nvars != 1 || !find_scan(g, r->arg[0], r->u.reduce->vars[0], r, out)) return false;
    /* a backward scan is run along the mirrored axis, where the first index would be the last */
    const Monoid *m = r->u.reduce->monoid;
    return !(out->reverse && (m->indexed || m->ordered));
}

/* ---- variables ---- */

static int number_of(Uniting *x, Var *v) {
    intptr_t known = (intptr_t)expr_map_get(&x->number, v);
    if (known) return (int)known - 1;
    if (x->vars.n == MAX_VARS) {
        x->full = true;
        return 0;
    }
    GroupVar fresh = {.var = v, .axis = -1};
    vec_push(x->temp, &x->vars, fresh);
    expr_map_put(x->temp, &x->number, v, (const void *)(intptr_t)x->vars.n);
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
    int64_t lo, hi, glo = expr_guess(v->lo), ghi = expr_guess(v->hi);
    if (expr_is_int(v->lo, &lo) && expr_is_int(v->hi, &hi)) a.extent = hi > lo ? hi - lo : 0;
    a.most = a.extent;
    const Expr *size = v->hi;
    if (a.extent < 0 && expr_is_int(v->lo, &lo) && lo == 0 && size->op == OP_DIM && size->u.dim->hi < INT32_MAX)
        a.most = size->u.dim->hi;
    a.guess = a.extent >= 0 ? a.extent : ghi > glo ? ghi - glo : 0;
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
                intptr_t u = (intptr_t)expr_map_get(&x->number, b->arg[d]->u.var);
                if (u && x->vars.at[u - 1].axis == axis) n++;
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
    intptr_t u = (intptr_t)expr_map_get(&x->number, form->along);
    return u && x->vars.at[u - 1].axis >= 0;
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

static const Expr *canonical(Uniting *x, const Expr *e);

/* Whether something is loaded at another place than v itself, such as v + 1. */
static bool loads_beside(Graph *g, Ctx *temp, ExprMap *seen, const Expr *e, const Var *v) {
    if (expr_map_get(seen, e)) return false;
    expr_map_put(temp, seen, e, e);
    for (int i = 0; i < e->nargs; i++) {
        if (e->op == OP_LOAD && e->arg[i]->op != OP_VAR && graph_uses_var(g, e->arg[i], v)) return true;
        if (loads_beside(g, temp, seen, e->arg[i], v)) return true;
    }
    return false;
}

/* The last element along an exclusive scan is in no result: the equation never evaluates it, and so what it loads may
 * be out of range. */
static const Expr *without_last(Graph *g, Ctx *temp, const Expr *reduce, const Expr *rest) {
    const Var *v = reduce->u.reduce->vars[0];
    ExprMap seen = {0};
    bool beside = false;
    for (int i = 1; i < reduce->nargs && !beside; i++) beside = loads_beside(g, temp, &seen, reduce->arg[i], v);
    if (!beside) return rest;
    const Expr *last = expr2(g, OP_SUB, v->hi, expr_int(g, TY_I64, 1));
    return expr_and(g, expr2(g, OP_LT, expr_var(g, (Var *)v), last), rest);
}

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
    const Expr *rest = !scan ? e->arg[0] : form.exclusive ? without_last(g, x->temp, e, form.rest) : form.rest;
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

static const Expr *canonical(Uniting *x, const Expr *e) {
    const Expr *known = expr_map_get(&x->canon, e);
    if (known) return known;
    Graph *g = x->gr->graph;
    const Expr *r = e;
    if (e->op == OP_VAR) {
        r = expr_var(g, x->gr->axes.at[x->vars.at[number_of(x, e->u.var)].axis].var);
    } else if (e->op == OP_REDUCE) {
        r = canonical_reduce(x, e);
    } else if (expr_is_mark(e)) {
        r = canonical(x, e->arg[0]);
    } else if (e->nargs) {
        const Expr *few[4], **args = e->nargs <= 4 ? few : NEW_N(x->temp, const Expr *, e->nargs);
        for (int i = 0; i < e->nargs; i++) args[i] = canonical(x, e->arg[i]);
        r = expr_with(g, e, args);
    }
    expr_map_put(x->temp, &x->canon, e, r);
    return r;
}

static int step_of_key(const Group *gr, const Reduce *key) {
    for (int i = 0; i < gr->reduces.n; i++)
        if (gr->reduces.at[i] == key) return i % 3;
    return 0;
}

AxisSet group_free(Group *gr, const Expr *e) {
    if (!e || (!e->nargs && e->op != OP_VAR)) return 0;
    const void *known = expr_map_get(&gr->free, e);
    if (known) return (AxisSet)((uintptr_t)known >> 1);
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
    expr_map_put(gr->graph->ctx, &gr->free, e, (const void *)((uintptr_t)s << 1 | 1));
    return s;
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

static void add_store(Uniting *x, const Equation *r) {
    Ctx *ctx = x->gr->graph->ctx;
    GStore s = {.tensor = r->tensor, .subs = NEW_N(ctx, const Expr *, r->tensor->rank)};
    for (int d = 0; d < r->tensor->rank; d++) s.subs[d] = canonical(x, r->subs[d]);
    if (r->guard) s.guard = canonical(x, r->guard);
    s.value = canonical(x, r->value);
    for (int i = 0; i < r->nvars; i++) s.axes |= (AxisSet)1 << x->vars.at[number_of(x, r->vars[i])].axis;
    vec_push(ctx, &x->gr->stores, s);
}

static bool unite(Uniting *x) {
    for (int r = 0; r < x->nroots; r++)
        for (int i = 0; i < x->roots[r].nvars; i++) number_of(x, x->roots[r].vars[i]);
    for (int r = 0; r < x->nroots; r++) {
        const Equation *root = &x->roots[r];
        collect(x, root->value);
        if (root->guard) collect(x, root->guard);
        for (int d = 0; d < root->tensor->rank; d++) collect(x, root->subs[d]);
    }
    if (!x->full) unite_roots(x);
    if (!x->full) unite_reductions(x);
    return !x->full;
}

Group *group_new(Graph *g, const Equation *roots, int n, ExprMap *canon, Ctx *temp, Text *why) {
    Ctx *own = ctx_temp(g->ctx);
    Uniting *x = NEW(own, Uniting);
    Group *gr = x->gr = NEW(g->ctx, Group);
    gr->graph = g;
    gr->split = -1;
    x->temp = canon ? temp : own;
    x->roots = roots;
    x->nroots = n;
    if (unite(x)) {
        for (int r = 0; r < n; r++) add_store(x, &roots[r]);
        gr->name = roots[0].tensor->name;
        group_describe(gr, own);
        if (canon) *canon = x->canon;
    } else {
        if (why) text_fmt(why, "`%s` has more index variables than one kernel may have", roots[0].tensor->name);
        gr = NULL;
    }
    ctx_temp_end(own);
    return gr;
}
