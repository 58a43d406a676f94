/* Tensors as values: whole ones, slices, and constants of some shape. */
#include "sema_int.h"

TensorVal *sema_whole(Sema *s, Tensor *t) {
    TensorVal *v = NEW(s->ctx, TensorVal);
    *v = (TensorVal){.t = t, .type = t->type, .rank = t->rank, .shape = t->shape};
    return v;
}

const Expr *sema_element(Sema *s, const TensorVal *v, const ExprVec *subs) {
    if (!v->t) {
        bool is_float = v->fill->op == OP_CONST && type_is_float(v->type); /* as an operand it would be widened */
        return is_float ? expr_float(s->g, type_acc(v->type), v->fill->u.f) : v->fill;
    }
    ExprVec all = {0};
    for (int i = 0; i < v->nlead; i++) vec_push(s->ctx, &all, v->lead[i]);
    for (int i = 0; i < subs->n; i++) vec_push(s->ctx, &all, subs->at[i]);
    return expr_cast(s->g, v->type, expr_load(s->g, v->t, all.at));
}

const Expr *sema_load_vars(Sema *s, const TensorVal *v, Var **vars) {
    ExprVec subs = {0};
    for (int i = 0; i < v->rank; i++) vec_push(s->ctx, &subs, expr_var(s->g, vars[i]));
    return sema_element(s, v, &subs);
}
