/* See expr_walk.h. */
#include "expr_walk.h"

#include <stdlib.h>
#include <string.h>

/* ---- questions ---- */

enum { MET = 128 /* a power of 2 */, TREE_DEPTH = 6 /* what is not deeper is walked as a tree */ };

/* Nodes that hold nothing of what is looked for: of each number modulo MET the one that was met last. */
typedef struct Asking {
    ExprTest *test;
    const void *user;
    const Expr *met[MET];
} Asking;

static const Expr *holds_in_tree(const Expr *e, ExprTest *test, const void *user) {
    Found f = test(e, user);
    const Expr *r = f == FOUND ? e : NULL;
    for (int i = 0; f == FOUND_INSIDE && i < e->nargs && !r; i++) r = holds_in_tree(e->arg[i], test, user);
    return r;
}

static const Expr *holds(Asking *x, const Expr *e) {
    if (e->depth <= TREE_DEPTH) return holds_in_tree(e, x->test, x->user);
    const Expr **met = &x->met[e->id & (MET - 1)];
    if (*met == e) return NULL;
    Found f = x->test(e, x->user);
    const Expr *r = f == FOUND ? e : NULL;
    for (int i = 0; f == FOUND_INSIDE && i < e->nargs && !r; i++) r = holds(x, e->arg[i]);
    if (!r) *met = e;
    return r;
}

const Expr *expr_has(const Expr *e, ExprTest *test, const void *user) {
    if (e->depth <= TREE_DEPTH) return holds_in_tree(e, test, user);
    Asking x = {.test = test, .user = user};
    return holds(&x, e);
}

void expr_set_grow(Ctx *ctx, ExprSet *s) {
    ExprSet old = *s;
    s->cap = old.cap ? old.cap * 2 : 4;
    s->at = ctx_alloc(ctx, s->cap * sizeof *s->at);
    for (size_t i = 0; i < old.cap; i++)
        if (old.at[i].block) s->at[expr_set_find(s, old.at[i].block)] = old.at[i];
    ctx_give_back(ctx, old.at, old.cap * sizeof *old.at);
}

const Expr *expr_find(Ctx *temp, ExprSet *seen, const Expr *e, ExprTest *test, const void *user) {
    if (!e || (e->nargs && expr_set_has(seen, e))) return NULL;
    Found f = test(e, user);
    if (f == FOUND) return e;
    for (int i = 0; f == FOUND_INSIDE && i < e->nargs; i++) {
        const Expr *r = expr_find(temp, seen, e->arg[i], test, user);
        if (r) return r;
    }
    if (e->nargs) expr_set_add(temp, seen, e);
    return NULL;
}

Found expr_test_node(const Expr *e, const void *node) { return e == node ? FOUND : FOUND_INSIDE; }

Found expr_test_var(const Expr *e, const void *var) {
    if (e->op == OP_VAR) return e->u.var == var ? FOUND : FOUND_NOT;
    for (int i = 1; expr_is_mark(e) && i < e->nargs; i++)
        if (expr_has(e->arg[i], expr_test_var, var)) return FOUND;
    for (int i = 0; e->op == OP_REDUCE && i < e->u.reduce->nvars; i++) {
        const Var *v = e->u.reduce->vars[i];
        if (expr_has(v->lo, expr_test_var, var) || expr_has(v->hi, expr_test_var, var)) return FOUND;
    }
    return expr_is_mark(e) ? FOUND_NOT : FOUND_INSIDE;
}

Found expr_test_load(const Expr *e, const void *tensor) {
    if (!e->loads) return FOUND_NOT;
    return e->op == OP_LOAD && e->u.tensor == tensor ? FOUND : FOUND_INSIDE;
}

Found expr_test_data(const Expr *e, const void *unused) {
    (void)unused;
    return e->op == OP_LOAD || e->op == OP_REDUCE || e->op == OP_RANDOM ? FOUND : FOUND_INSIDE;
}

bool expr_loads(Ctx *temp, ExprSet *seen, const Expr *e, const Tensor *t) {
    return expr_find(temp, seen, e, expr_test_load, t) != NULL;
}

/* ---- visits ---- */

typedef struct Visiting {
    ExprVisit *visit;
    void *user;
} Visiting;

static Found visit_one(const Expr *e, const void *visiting) {
    const Visiting *x = visiting;
    return x->visit(e, x->user);
}

void expr_visit(const Expr *e, ExprVisit *visit, void *user) { expr_has(e, visit_one, &(const Visiting){visit, user}); }

static const Expr *walk_ranges(ExprWalk *w, Var *const *vars, int n) {
    const Expr *end = NULL;
    for (int i = 0; i < n && !end; i++) {
        end = expr_walk(w, vars[i]->lo);
        if (!end) end = expr_walk(w, vars[i]->hi);
    }
    return end;
}

/* Ranges are walked inside of each other, where only each by itself is no deeper than MAX_DEPTH: what would be deeper
 * is passed over. */
static const Expr *walk_depends(ExprWalk *w, Var *v) {
    int lo = v->lo ? v->lo->depth : 0, hi = v->hi ? v->hi->depth : 0, deep = lo > hi ? lo : hi;
    if (w->deep + deep > MAX_DEPTH) return NULL;
    w->deep += deep;
    const Expr *end = walk_ranges(w, &v, 1);
    w->deep -= deep;
    return end;
}

/* Whether the walk is to go into e, where it has not been. */
static inline bool comes_to(ExprWalk *w, const Expr *e) {
    bool passed_over = (w->reduces && !e->reduces) || (w->loads && !e->loads);
    return !passed_over && expr_set_add(w->temp, &w->seen, e);
}

static const Expr *walk_node(ExprWalk *w, const Expr *e) {
    Found f = w->before ? w->before(e, w->user) : FOUND_INSIDE;
    if (f != FOUND_INSIDE) return f == FOUND ? e : NULL;
    const Expr *end = w->depends && e->op == OP_VAR ? walk_depends(w, e->u.var) : NULL;
    for (int i = 0; i < e->nargs && !end; i++)
        if (comes_to(w, e->arg[i])) end = walk_node(w, e->arg[i]);
    if (w->ranges && e->op == OP_REDUCE && !end) end = walk_ranges(w, e->u.reduce->vars, e->u.reduce->nvars);
    if (w->after && !end) w->after(e, w->user);
    return end;
}

const Expr *expr_walk(ExprWalk *w, const Expr *e) { return e && comes_to(w, e) ? walk_node(w, e) : NULL; }

const Expr *expr_walk_piece(ExprWalk *w, const Tensor *t, const Piece *p) {
    const Expr *end = walk_ranges(w, p->vars, p->nvars);
    for (int d = 0; d < t->rank && !end; d++) end = expr_walk(w, p->subs[d]);
    if (!end) end = expr_walk(w, p->guard);
    return end ? end : expr_walk(w, p->value);
}

typedef struct LargestLoad {
    LoadSize *size;
    void *user;
    const Expr *load;
    int most;
} LargestLoad;

static Found note_load(const Expr *e, void *largest) {
    LargestLoad *x = largest;
    const int n = e->op == OP_LOAD ? x->size(e, x->user) : 0;
    if (n > x->most) x->load = e, x->most = n;
    return FOUND_INSIDE;
}

const Expr *expr_largest_load(Ctx *temp, const Expr *e, LoadSize *size, void *user) {
    LargestLoad x = {.size = size, .user = user};
    expr_walk(&(ExprWalk){.temp = temp, .before = note_load, .user = &x, .loads = true}, e);
    return x.load;
}

/* ---- rewriting ---- */

const Expr *expr_rebuild(Graph *g, Ctx *temp, const Expr *e, ExprOperand *operand, void *user) {
    const Expr *few[4], **made = e->nargs <= 4 ? few : NEW_N(temp, const Expr *, e->nargs);
    for (int i = 0; i < e->nargs; i++) {
        made[i] = operand(user, e, i, made);
        if (!made[i]) return NULL;
    }
    return expr_with(g, e, made);
}

const Expr *expr_rewrite(ExprRewrite *x, const Expr *e) {
    if (x->reduces && !e->reduces) return e;
    const Expr *r = expr_map_get(&x->done, e);
    if (r) return r;
    r = x->before ? x->before(x, e) : NULL;
    if (x->stopped) return NULL;
    if (!r && !e->nargs) return x->after ? x->after(x, e, e) : e;
    if (!r) {
        const Expr *few[4], **arg = e->nargs <= 4 ? few : NEW_N(x->temp, const Expr *, e->nargs);
        for (int i = 0; i < e->nargs; i++) {
            arg[i] = expr_rewrite(x, e->arg[i]);
            if (x->stopped) return NULL;
        }
        r = expr_with(x->g, e, arg);
        if (x->after) r = x->after(x, e, r);
        if (x->stopped) return NULL;
    }
    expr_map_put(x->temp, &x->done, e, r);
    return r;
}

typedef struct Replacing {
    ExprRewrite to;
    bool vars; /* nothing but variables is replaced */
    ExprMap reductions;
} Replacing;

/* The reduction itself, or one with new variables where a bound changes. */
static Reduce *replace_reduce(ExprRewrite *x, Reduce *r) {
    Replacing *own = x->user;
    Reduce *fresh = expr_map_object(&own->reductions, r);
    if (fresh) return fresh;
    fresh = r;
    for (int i = 0; i < r->nvars; i++) {
        Var *v = r->vars[i];
        const Expr *lo = expr_rewrite(x, v->lo), *hi = expr_rewrite(x, v->hi);
        if (lo == v->lo && hi == v->hi) continue;
        if (fresh == r) {
            fresh = NEW(x->g->ctx, Reduce);
            *fresh = *r;
            fresh->vars = NEW_N(x->g->ctx, Var *, r->nvars);
            memcpy(fresh->vars, r->vars, sizeof *r->vars * (size_t)r->nvars);
        }
        fresh->vars[i] = graph_var(x->g, v->name, lo, hi);
        expr_map_put(x->temp, &x->done, expr_var(x->g, v), expr_var(x->g, fresh->vars[i]));
    }
    expr_map_put_object(x->temp, &own->reductions, r, fresh);
    return fresh;
}

static const Expr *replace(ExprRewrite *x, const Expr *e) {
    const Replacing *own = x->user;
    if (own->vars && expr_is_mark(e)) { /* which has no other variables than those of its further operands */
        bool same = true;
        for (int i = 1; i < e->nargs; i++) same &= expr_rewrite(x, e->arg[i]) == e->arg[i];
        return same ? e : NULL;
    }
    if (e->op != OP_REDUCE) return NULL;
    Reduce *fresh = replace_reduce(x, e->u.reduce);
    if (fresh == e->u.reduce) return NULL;
    const Expr **arg = NEW_N(x->temp, const Expr *, e->nargs);
    for (int i = 0; i < e->nargs; i++) arg[i] = expr_rewrite(x, e->arg[i]);
    return expr_node(x->g, OP_REDUCE, e->type, e->untyped, (int64_t)(intptr_t)fresh, arg, e->nargs);
}

const Expr *expr_replace(Graph *g, const Expr *e, const Expr *const *from, const Expr *const *to, int n) {
    for (int i = n - 1; i >= 0; i--)
        if (e == from[i]) return to[i];
    Replacing x = {.to = {.g = g, .temp = ctx_temp(g->ctx), .before = replace, .user = &x}, .vars = true};
    for (int i = 0; i < n; i++) {
        expr_map_put(x.to.temp, &x.to.done, from[i], to[i]);
        x.vars &= from[i]->op == OP_VAR;
    }
    const Expr *r = expr_rewrite(&x.to, e);
    ctx_temp_end(x.to.temp);
    return r;
}

/* ---- free variables ---- */

bool expr_vars_have(const ExprVars *vars, const Var *v) {
    for (int i = 0; i < vars->n; i++)
        if (vars->vars[i] == v) return true;
    return false;
}

static const ExprVars *join_vars(ExprFree *x, const ExprVars *a, const ExprVars *b) {
    int more = 0;
    for (int i = 0; i < b->n; i++) more += !expr_vars_have(a, b->vars[i]);
    if (!more) return a;
    if (!a->n) return b;
    ExprVars *r = NEW(x->ctx, ExprVars);
    r->vars = NEW_N(x->ctx, Var *, a->n + more);
    for (int i = 0; i < a->n; i++) r->vars[r->n++] = a->vars[i];
    for (int i = 0; i < b->n; i++)
        if (!expr_vars_have(a, b->vars[i])) r->vars[r->n++] = b->vars[i];
    return r;
}

/* Outside of the n variables, each of which may stand in the ranges of those after it. */
static const ExprVars *without_bound(ExprFree *x, const ExprVars *vars, Var *const *bound, int n) {
    for (int i = n; i-- > 0;) {
        ExprVars *r = NULL;
        if (expr_vars_have(vars, bound[i])) {
            r = NEW(x->ctx, ExprVars);
            r->vars = NEW_N(x->ctx, Var *, vars->n);
            for (int k = 0; k < vars->n; k++)
                if (vars->vars[k] != bound[i]) r->vars[r->n++] = vars->vars[k];
            vars = r;
        }
        if (x->ranges) vars = join_vars(x, join_vars(x, vars, expr_free(x, bound[i]->lo)), expr_free(x, bound[i]->hi));
    }
    return vars;
}

const ExprVars *expr_free(ExprFree *x, const Expr *e) {
    if (!e->nargs && e->op != OP_VAR) return &x->none;
    const ExprVars *vars = expr_map_get(&x->of, e);
    if (vars) return vars;
    if (e->op == OP_VAR) {
        ExprVars *one = NEW(x->ctx, ExprVars);
        one->vars = NEW(x->ctx, Var *);
        one->vars[one->n++] = e->u.var;
        vars = one;
    } else {
        vars = &x->none;
        for (int i = x->by_marks && expr_is_mark(e); i < e->nargs; i++)
            vars = join_vars(x, vars, expr_free(x, e->arg[i]));
        if (e->op == OP_REDUCE) vars = without_bound(x, vars, e->u.reduce->vars, e->u.reduce->nvars);
    }
    expr_map_put(x->ctx, &x->of, e, vars);
    return vars;
}

static int by_number(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

Sym expr_vars_set(Ctx *ctx, const ExprVars *vars) {
    Ctx *temp = ctx_temp(ctx);
    int *numbers = NEW_N(temp, int, vars->n + 1);
    for (int i = 0; i < vars->n; i++) numbers[i] = vars->vars[i]->id;
    qsort(numbers, (size_t)vars->n, sizeof *numbers, by_number);
    Sym set = sym_n(ctx, (const char *)numbers, sizeof *numbers * (size_t)vars->n);
    ctx_temp_end(temp);
    return set;
}
