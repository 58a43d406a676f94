/* Calls of tensor functions whose arguments depend on index variables, f(x[b, ...])[i]: the function's tensors get an
 * axis for each such variable, in front of their own, and are computed for all its values (ir/over.h). Each piece that
 * the instance defines takes variables of its own. */
#include "sema_int.h"

static bool add(Sema *s, Over *o, Var *v, Span span) {
    if (over_add(s->g, o, v)) return true;
    Diag *d = SEMA_REPORT(s, UNBOUNDED_RANGE, span,
                          "this call is computed for all %s, whose range depends on more than dimensions", v->name);
    diag_help(s->ctx, d, "name the result over a range that is known, and choose from it: let t[%s in N, ...] = ...;",
              v->name);
    return false;
}

bool sema_over_add(Sema *s, Over *o, const Expr *e, Span span) {
    VarVec vars = {0};
    sema_free_vars(s, e, &vars);
    for (int i = 0; i < vars.n; i++) {
        if (!add(s, o, vars.at[i], span)) return false;
        if (o->vars.n <= MAX_RANK) continue;
        SEMA_REPORT(s, LIMIT, span, "the arguments depend on more than %d index variables", MAX_RANK);
        return false;
    }
    return true;
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
    for (int i = 0; i < v->nlead; i++) r->lead[i] = over_outside(s->g, o, v->lead[i]);
    if (v->fill) r->fill = over_outside(s->g, o, v->fill);
    return r;
}
