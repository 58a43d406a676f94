/* Computations for all values of index variables (over.h). */
#include "over.h"
#include "expr_is.h"
#include "expr_walk.h"

static bool has(const Over *o, const Var *v) {
    for (int i = 0; i < o->outer.n; i++)
        if (o->outer.at[i]->u.var == v) return true;
    return false;
}

bool over_add(Graph *g, Over *o, Var *v) {
    if (has(o, v)) return true;
    if (!v->lo || !v->hi || !expr_over_dims(v->lo) || !expr_over_dims(v->hi)) return false;
    const Expr *zero = expr_int(g, TY_I64, 0), *x = expr_var(g, v), *len = v->hi;
    bool moved = v->lo != zero;
    if (moved) len = expr2(g, OP_MAX, expr2(g, OP_SUB, v->hi, v->lo), zero);
    Var *own = graph_var(g, v->name, zero, len);
    const Expr *e = expr_var(g, own);
    vec_push(g->ctx, &o->outer, x);
    vec_push(g->ctx, &o->vars, own);
    vec_push(g->ctx, &o->own, e);
    vec_push(g->ctx, &o->inside, moved ? expr2(g, OP_ADD, e, v->lo) : e);
    vec_push(g->ctx, &o->back, moved ? expr2(g, OP_SUB, x, v->lo) : x);
    return true;
}

const Expr *over_inside(Graph *g, const Over *o, const Expr *e) {
    return o->outer.n ? expr_replace(g, e, o->outer.at, o->inside.at, o->outer.n) : e;
}

const Expr *over_outside(Graph *g, const Over *o, const Expr *e) {
    return o->outer.n ? expr_replace(g, e, o->own.at, o->back.at, o->outer.n) : e;
}

bool over_same(const Over *a, const Over *b) {
    if (a->vars.n != b->vars.n) return false;
    for (int i = 0; i < a->vars.n; i++) {
        const Var *v = a->outer.at[i]->u.var, *w = b->outer.at[i]->u.var;
        if (v->lo != w->lo || v->hi != w->hi) return false;
    }
    return true;
}

/* Whether v is free in one of the pieces. */
static bool uses(ExprFree *free, const Piece *pieces, int n, int rank, const Var *v) {
    for (int i = 0; i < n; i++) {
        const Piece *p = &pieces[i];
        if (expr_vars_have(expr_free(free, p->value), v)) return true;
        if (p->guard && expr_vars_have(expr_free(free, p->guard), v)) return true;
        for (int k = 0; k < rank; k++)
            if (expr_vars_have(expr_free(free, p->subs[k]), v)) return true;
    }
    return false;
}

Over over_used(Graph *g, const Over *all, const Piece *pieces, int n, int rank) {
    Over o = {0};
    if (all->vars.n == 0) return o;
    ExprFree free = {.ctx = ctx_temp(g->ctx), .ranges = true};
    for (int i = 0; i < all->vars.n; i++) {
        if (!uses(&free, pieces, n, rank, all->vars.at[i])) continue;
        vec_push(g->ctx, &o.vars, all->vars.at[i]);
        vec_push(g->ctx, &o.own, all->own.at[i]);
    }
    ctx_temp_end(free.ctx);
    return o;
}

Piece over_piece(Graph *g, const Over *o, Piece p, int rank) {
    int n = o->vars.n;
    if (n == 0) return p;
    Var **vars = NEW_N(g->ctx, Var *, n + p.nvars + 1);
    const Expr **subs = NEW_N(g->ctx, const Expr *, n + rank + 1);
    for (int i = 0; i < n; i++) {
        vars[i] = graph_var(g, o->vars.at[i]->name, o->vars.at[i]->lo, o->vars.at[i]->hi);
        subs[i] = expr_var(g, vars[i]);
    }
    for (int i = 0; i < p.nvars; i++) vars[n + i] = p.vars[i];
    for (int i = 0; i < rank; i++) subs[n + i] = expr_replace(g, p.subs[i], o->own.at, subs, n);
    p.value = expr_replace(g, p.value, o->own.at, subs, n);
    if (p.guard) p.guard = expr_replace(g, p.guard, o->own.at, subs, n);
    p.vars = vars;
    p.subs = subs;
    p.nvars += n;
    return p;
}
