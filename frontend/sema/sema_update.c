/* Definitions that need the old value or another one's: `+=` and its kin, which accumulate over all values of their
 * variables that reach an element, and new(p) of an inout that is written in part. Both are turned inside out: what was
 * said for each value of the variables is said for each element. */
#include "ir/poly/pieces.h"
#include "ir/poly/gather.h"
#include "sema_int.h"

static const Op update_op[] = {
    [ASSIGN_ADD] = OP_ADD, [ASSIGN_MUL] = OP_MUL, [ASSIGN_MAX] = OP_MAX, [ASSIGN_MIN] = OP_MIN};
static const MonoidKind update_monoid[] = {
    [ASSIGN_ADD] = MONOID_SUM, [ASSIGN_MUL] = MONOID_PROD, [ASSIGN_MAX] = MONOID_MAX, [ASSIGN_MIN] = MONOID_MIN};

/* The old value of the element that the piece defines; NULL: it has none. */
static const Expr *old_value(Sema *s, const Definition *d, const Expr **subs) {
    Name *n = sema_name(d->inst, d->name);
    if (d->kind != TENSOR_INOUT || !n || n->kind != NAME_TENSOR || !n->tensor->t) return NULL;
    return expr_load(s->g, n->tensor->t, subs);
}

/* An element's new value in the tensor's type: of integers narrower than their arithmetic the low bits. */
static const Expr *stored(Sema *s, Span span, Type t, const Expr *v) {
    if (v && type_is_int(t) && type_acc(t) != t && v->type == type_acc(t)) return expr_cast(s->g, t, v);
    return sema_store(s, span, t, v);
}

/* Each element is updated at most once, by one of the pieces: they stay what they are, over the old value. */
static bool update_in_place(Sema *s, const Definition *d, const TensorVal *t, Piece *pieces, const AstAssign *op,
                            int n) {
    if (d->kind != TENSOR_INOUT || !pieces_apart(s->known, pieces, n, t->rank)) return false;
    for (int i = 0; i < n; i++) {
        if (op[i] == ASSIGN_SET) continue;
        const Expr *v[] = {old_value(s, d, pieces[i].subs), pieces[i].value};
        v[0] = sema_apply(s, pieces[i].span, update_op[op[i]], v, 2);
        pieces[i].value = v[0] ? stored(s, pieces[i].span, t->type, v[0]) : NULL;
    }
    return true;
}

static bool one_operator(Sema *s, const Definition *d, const Piece *pieces, const AstAssign *op, int n) {
    static const char *const text[] = {"=", "+=", "*=", "max=", "min="};
    for (int i = 1; i < n; i++) {
        if (op[i] == op[0]) continue;
        Diag *g = SEMA_REPORT(s, MIXED_UPDATE, pieces[i].span, "%s is updated by %s here and by %s elsewhere", d->name,
                              text[op[i]], text[op[0]]);
        diag_note(s->ctx, g, pieces[0].span, "the other update");
        diag_help(s->ctx, g, "equations have no order: update it by one operator, or name the first result with let");
        return false;
    }
    return true;
}

bool sema_update(Sema *s, const Definition *d, const TensorVal *t, Piece *pieces, const AstAssign *op, int *n,
                 bool *plain) {
    if (update_in_place(s, d, t, pieces, op, *n)) {
        for (int i = 0; i < *n; i++)
            if (!pieces[i].value) return false;
        return true;
    }
    if (!one_operator(s, d, pieces, op, *n)) return false;
    GatherElements el = gather_elements(s->known, t->rank, t->shape, &pieces[0]);
    const Expr *total = old_value(s, d, el.subs);
    for (int i = 0; i < *n; i++) {
        const Expr *v[] = {total, gather_fold(s->known, &pieces[i], &el, update_monoid[op[0]])};
        total = total ? sema_apply(s, pieces[i].span, update_op[op[0]], v, 2) : v[1];
        if (!total) return false;
    }
    total = stored(s, pieces[0].span, t->type, total);
    pieces[0] = (Piece){.nvars = t->rank, .vars = el.vars, .subs = el.subs, .value = total, .span = pieces[0].span};
    *n = 1;
    *plain = true;
    return total != NULL;
}

/* ---- new(p) of a tensor that is written in part ---- */

/* A piece's value that holds a reduction becomes a tensor over the piece's variables, so that the new value and the
 * tensor in memory do not both compute it. */
static void name_value(Sema *s, const Definition *d, Piece *p) {
    const Expr *zero = expr_int(s->g, TY_I64, 0);
    if (!p->value->reduces) return;
    ExprVec shape = {0}, from = {0}, to = {0};
    Var **vars = NEW_N(s->ctx, Var *, p->nvars + 1);
    const Expr **own = NEW_N(s->ctx, const Expr *, p->nvars + 1), **subs = NEW_N(s->ctx, const Expr *, p->nvars + 1);
    for (int i = 0; i < p->nvars; i++) {
        const Expr *x = expr_var(s->g, p->vars[i]), *lo = p->vars[i]->lo, *len = p->vars[i]->hi;
        if (lo != zero) len = expr2(s->g, OP_MAX, expr2(s->g, OP_SUB, len, lo), zero);
        vars[i] = graph_var(s->g, p->vars[i]->name, zero, len);
        own[i] = expr_var(s->g, vars[i]);
        subs[i] = lo == zero ? x : expr2(s->g, OP_SUB, x, lo);
        vec_push(s->ctx, &shape, len);
        vec_push(s->ctx, &from, x);
        vec_push(s->ctx, &to, lo == zero ? own[i] : expr2(s->g, OP_ADD, own[i], lo));
    }
    const Expr *v = expr_replace(s->g, p->value, from.at, to.at, from.n);
    if (p->guard) {
        const Expr *none = v->type == TY_BOOL       ? expr_int(s->g, TY_BOOL, 0)
                           : type_is_float(v->type) ? expr_float(s->g, v->type, 0)
                                                    : expr_int(s->g, v->type, 0);
        v = expr3(s->g, OP_IF, expr_replace(s->g, p->guard, from.at, to.at, from.n), v, none);
    }
    Tensor *t = graph_tensor(s->g, sema_free_name(s, sym_fmt(s->ctx, "%s_part", d->name)), TENSOR_LET, v->type,
                             p->nvars, shape.at);
    t->span = p->span;
    vec_push(s->ctx, &t->pieces, ((Piece){.nvars = p->nvars, .vars = vars, .subs = own, .value = v, .span = p->span}));
    p->value = expr_load(s->g, t, subs);
}

TensorVal *sema_new_value(Sema *s, const Definition *d, Tensor *old, Piece *pieces, int n) {
    for (int i = 0; i < n; i++) name_value(s, d, &pieces[i]);
    GatherElements el = gather_elements(s->known, old->rank, old->shape, &pieces[0]);
    Type acc = old->type == TY_BOOL ? TY_BOOL : type_acc(old->type);
    const Expr *v = expr_cast(s->g, acc, expr_load(s->g, old, el.subs));
    for (int i = n - 1; i >= 0; i--) v = gather_choose(s->known, &pieces[i], &el, v);
    Tensor *x = graph_tensor(s->g, sema_free_name(s, sym_fmt(s->ctx, "%s_new", d->name)), TENSOR_LET, old->type,
                             old->rank, old->shape);
    x->rounds = true;
    x->span = d->span;
    vec_push(s->ctx, &x->pieces,
             ((Piece){.nvars = el.rank, .vars = el.vars, .subs = el.subs, .value = v, .span = d->span}));
    return sema_whole(s, x);
}
