/* Reductions that a composite reduction names by let become tensors of their own, over the index variables that they
 * depend on: written out in place they would stand inside the reductions that use them. */
#include "ir/expr_is.h"
#include "sema_int.h"

enum { MAX_COMPARED = 20000 };

static ExprVars free_vars(Sema *s, const Expr *e) {
    ExprFree free = {.ctx = s->ctx, .ranges = true};
    return *expr_free(&free, e);
}

void sema_free_vars(Sema *s, const Expr *e, VarVec *out) {
    const ExprVars free = free_vars(s, e), there = {out->n, out->at};
    for (int i = 0; i < free.n; i++)
        if (!expr_vars_have(&there, free.vars[i])) vec_push(s->ctx, out, free.vars[i]);
}

bool sema_is_axis(Sema *s, const Var *v) {
    return v->lo == expr_int(s->g, TY_I64, 0) && !known_uses_data(v->hi) && !expr_has_op(v->hi, OP_VAR);
}

/* ---- equal but for the names of variables ---- */

typedef struct Alpha {
    Ctx *ctx;
    VarVec a, b;
    int left;
} Alpha;

static bool same(Alpha *x, const Expr *a, const Expr *b) {
    if (x->left-- <= 0) return false;
    if (a->op != b->op || a->type != b->type || a->nargs != b->nargs) return false;
    if (a->op == OP_VAR) {
        for (int i = x->a.n - 1; i >= 0; i--)
            if (x->a.at[i] == a->u.var || x->b.at[i] == b->u.var)
                return x->a.at[i] == a->u.var && x->b.at[i] == b->u.var;
        return a == b;
    }
    if (a->op == OP_REDUCE) {
        const Reduce *p = a->u.reduce, *q = b->u.reduce;
        if (p->monoid != q->monoid || p->part != q->part || p->nvars != q->nvars) return false;
        for (int i = 0; i < p->nvars; i++) {
            if (!same(x, p->vars[i]->lo, q->vars[i]->lo) || !same(x, p->vars[i]->hi, q->vars[i]->hi)) return false;
            vec_push(x->ctx, &x->a, p->vars[i]);
            vec_push(x->ctx, &x->b, q->vars[i]);
        }
    } else if (a->u.i != b->u.i) {
        return false;
    }
    for (int i = 0; i < a->nargs; i++)
        if (!same(x, a->arg[i], b->arg[i])) return false;
    return true;
}

Tensor *sema_lifted(Sema *s, const VarVec *vars, const Expr *v) {
    for (int i = 0; i < s->lifted.n; i++) {
        Tensor *t = s->lifted.at[i];
        const Piece *p = &t->pieces.at[0];
        if (p->nvars != vars->n) continue;
        Alpha x = {.ctx = s->ctx, .left = MAX_COMPARED};
        bool ok = true;
        for (int k = 0; k < vars->n && ok; k++) {
            ok = p->vars[k]->hi == vars->at[k]->hi;
            vec_push(s->ctx, &x.a, p->vars[k]);
            vec_push(s->ctx, &x.b, vars->at[k]);
        }
        if (ok && same(&x, p->value, v)) return t;
    }
    return NULL;
}

const Expr *sema_lift(Sema *s, Sym name, const Expr *v) {
    v = expr_settle(s->g, v);
    return v->reduces ? sema_lift_any(s, name, v) : v;
}

const Expr *sema_lift_any(Sema *s, Sym name, const Expr *v) {
    VarVec vars = {0};
    v = expr_settle(s->g, v);
    if (s->known->path.n > 0 || v->untyped) return v; /* what a condition excludes is not computed */
    const ExprVars free = free_vars(s, v);
    for (int i = 0; i < free.n; i++) {
        if (!sema_is_axis(s, free.vars[i]) || vars.n == MAX_RANK) return v;
        int at = vars.n;
        vec_push(s->ctx, &vars, free.vars[i]);
        for (; at > 0 && vars.at[at - 1]->id > vars.at[at]->id; at--) { /* the outer ones first */
            Var *swap = vars.at[at];
            vars.at[at] = vars.at[at - 1];
            vars.at[at - 1] = swap;
        }
    }
    ExprVec from = {0}, to = {0}, shape = {0};
    Var **fresh = NEW_N(s->ctx, Var *, vars.n + 1);
    for (int i = 0; i < vars.n; i++) {
        const Var *x = vars.at[i];
        fresh[i] = graph_var(s->g, x->name, x->lo, x->hi);
        vec_push(s->ctx, &from, expr_var(s->g, vars.at[i]));
        vec_push(s->ctx, &to, expr_var(s->g, fresh[i]));
        vec_push(s->ctx, &shape, x->hi);
    }
    if (v->type != TY_BOOL) v = expr_cast(s->g, type_acc(v->type), v);
    const Expr **subs = NEW_N(s->ctx, const Expr *, vars.n + 1);
    for (int i = 0; i < vars.n; i++) subs[i] = from.at[i];
    Tensor *t = sema_lifted(s, &vars, v);
    if (!t) {
        t = graph_tensor(s->g, sema_free_name(s, name), TENSOR_LET, v->type, vars.n, shape.at);
        const Expr **own = NEW_N(s->ctx, const Expr *, vars.n + 1);
        for (int i = 0; i < vars.n; i++) own[i] = to.at[i];
        const Expr *value = expr_replace(s->g, v, from.at, to.at, vars.n);
        vec_push(s->ctx, &t->pieces,
                 ((Piece){.nvars = vars.n, .vars = fresh, .subs = own, .value = value, .span = s->g->span}));
        vec_push(s->ctx, &s->lifted, t);
    }
    return expr_load(s->g, t, subs);
}
