/* Calls of tensor functions whose arguments depend on index variables, f(x[b, ...])[i]: the function's tensors get an
 * axis for each such variable, in front of their own, and are computed for all its values. Inside the instance a
 * variable of its own stands for the caller's; each piece that it defines takes fresh ones. */
#include "sema_int.h"

#include "ir/expr_is.h"

static bool known(const Over *o, const Var *v) {
    for (int i = 0; i < o->outer.n; i++)
        if (o->outer.at[i]->u.var == v) return true;
    return false;
}

/* The variable's values as an axis of a tensor: from 0 on, over dimensions. */
static bool add(Sema *s, Over *o, Var *v, Span span) {
    const Expr *zero = expr_int(s->g, TY_I64, 0), *x = expr_var(s->g, v), *len = v->hi;
    if (!v->lo || !v->hi || !expr_over_dims(v->lo) || !expr_over_dims(v->hi)) {
        Diag *d = SEMA_REPORT(s, UNBOUNDED_RANGE, span,
                              "this call is computed for all %s, whose range depends on more than dimensions", v->name);
        diag_help(s->ctx, d,
                  "name the result over a range that is known, and choose from it: let t[%s in N, ...] = ...;",
                  v->name);
        return false;
    }
    if (v->lo != zero) len = expr2(s->g, OP_MAX, expr2(s->g, OP_SUB, v->hi, v->lo), zero);
    Var *own = graph_var(s->g, v->name, zero, len);
    const Expr *e = expr_var(s->g, own);
    vec_push(s->ctx, &o->outer, x);
    vec_push(s->ctx, &o->vars, own);
    vec_push(s->ctx, &o->own, e);
    vec_push(s->ctx, &o->inside, v->lo == zero ? e : expr2(s->g, OP_ADD, e, v->lo));
    vec_push(s->ctx, &o->back, v->lo == zero ? x : expr2(s->g, OP_SUB, x, v->lo));
    return true;
}

bool sema_over_add(Sema *s, Over *o, const Expr *e, Span span) {
    Vars vars = {0};
    sema_free_vars(s, e, &vars);
    for (int i = 0; i < vars.n; i++) {
        if (known(o, vars.at[i])) continue;
        if (o->vars.n == MAX_RANK) {
            SEMA_REPORT(s, LIMIT, span, "the arguments depend on more than %d index variables", MAX_RANK);
            return false;
        }
        if (!add(s, o, vars.at[i], span)) return false;
    }
    return true;
}

const Expr *sema_over_inside(Sema *s, const Over *o, const Expr *e) {
    return o->outer.n ? expr_replace(s->g, e, o->outer.at, o->inside.at, o->outer.n) : e;
}

static const Expr *sema_over_outside(Sema *s, const Over *o, const Expr *e) {
    return o->outer.n ? expr_replace(s->g, e, o->own.at, o->back.at, o->outer.n) : e;
}

/* Whether b's variables may stand for a's. */
bool sema_over_same(const Over *a, const Over *b) {
    if (a->vars.n != b->vars.n) return false;
    for (int i = 0; i < a->vars.n; i++) {
        const Var *v = a->outer.at[i]->u.var, *w = b->outer.at[i]->u.var;
        if (v->lo != w->lo || v->hi != w->hi) return false;
    }
    return true;
}

Over sema_over_used(Sema *s, const Inst *inst, const Piece *pieces, int n, int rank) {
    const Over *all = &inst->over;
    Over o = {0};
    Vars used = {0};
    if (all->vars.n == 0) return o;
    for (int i = 0; i < n; i++) {
        sema_free_vars(s, pieces[i].value, &used);
        if (pieces[i].guard) sema_free_vars(s, pieces[i].guard, &used);
        for (int k = 0; k < rank; k++) sema_free_vars(s, pieces[i].subs[k], &used);
    }
    for (int i = 0; i < all->vars.n; i++) {
        bool holds = false;
        for (int k = 0; k < used.n; k++) holds |= used.at[k] == all->vars.at[i];
        if (!holds) continue;
        vec_push(s->ctx, &o.vars, all->vars.at[i]);
        vec_push(s->ctx, &o.own, all->own.at[i]);
    }
    return o;
}

bool sema_over_shape(Sema *s, const Over *o, const ExprVec *shape, Span span, ExprVec *out) {
    for (int i = 0; i < o->vars.n; i++) vec_push(s->ctx, out, o->vars.at[i]->hi);
    for (int i = 0; i < shape->n; i++) vec_push(s->ctx, out, shape->at[i]);
    if (out->n <= MAX_RANK) return true;
    SEMA_REPORT(s, LIMIT, span,
                "a tensor has at most %d dimensions, with those of the index variables that its call depends on",
                MAX_RANK);
    return false;
}

Piece sema_over_piece(Sema *s, const Over *o, Piece p, int rank) {
    int n = o->vars.n;
    if (n == 0) return p;
    Var **vars = NEW_N(s->ctx, Var *, n + p.nvars + 1);
    const Expr **subs = NEW_N(s->ctx, const Expr *, n + rank + 1);
    for (int i = 0; i < n; i++) {
        vars[i] = graph_var(s->g, o->vars.at[i]->name, o->vars.at[i]->lo, o->vars.at[i]->hi);
        subs[i] = expr_var(s->g, vars[i]);
    }
    for (int i = 0; i < p.nvars; i++) vars[n + i] = p.vars[i];
    for (int i = 0; i < rank; i++) subs[n + i] = expr_replace(s->g, p.subs[i], o->own.at, subs, n);
    p.value = expr_replace(s->g, p.value, o->own.at, subs, n);
    if (p.guard) p.guard = expr_replace(s->g, p.guard, o->own.at, subs, n);
    p.vars = vars;
    p.subs = subs;
    p.nvars += n;
    return p;
}

TensorVal *sema_over_whole(Sema *s, const Over *o, Tensor *t) {
    TensorVal *v = sema_whole(s, t);
    v->nlead = o->vars.n;
    v->lead = o->own.at;
    v->rank -= v->nlead;
    v->shape += v->nlead;
    return v;
}

TensorVal *sema_over_value(Sema *s, const Over *o, const TensorVal *v) {
    if (!v || o->outer.n == 0) return (TensorVal *)v;
    TensorVal *r = NEW(s->ctx, TensorVal);
    *r = *v;
    r->lead = NEW_N(s->ctx, const Expr *, v->nlead + 1);
    for (int i = 0; i < v->nlead; i++) r->lead[i] = sema_over_outside(s, o, v->lead[i]);
    if (v->fill) r->fill = sema_over_outside(s, o, v->fill);
    return r;
}
