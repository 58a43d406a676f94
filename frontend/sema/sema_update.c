/* Definitions that need the old value or another one's: `+=` and its kin, which accumulate over all values of their
 * variables that reach an element, and new(p) of an inout that is written in part. Both are turned inside out: what was
 * said for each value of the variables is said for each element. */
#include "sema_int.h"

#include <math.h>

static const Op update_op[] = {
    [ASSIGN_ADD] = OP_ADD, [ASSIGN_MUL] = OP_MUL, [ASSIGN_MAX] = OP_MAX, [ASSIGN_MIN] = OP_MIN};
static const MonoidKind update_monoid[] = {
    [ASSIGN_ADD] = MONOID_SUM, [ASSIGN_MUL] = MONOID_PROD, [ASSIGN_MAX] = MONOID_MAX, [ASSIGN_MIN] = MONOID_MIN};

/* Elements of a tensor as index variables of their own. */
typedef struct Elements {
    int rank;
    Var **vars;
    const Expr **subs;
} Elements;

static const Expr *both(Sema *s, const Expr *a, const Expr *b) { return !a ? b : !b ? a : expr2(s->g, OP_AND, a, b); }

/* Whether axis k of the piece is a variable that runs over the whole axis and stands in no other subscript. */
static bool is_kept(Sema *s, const Piece *p, const TensorVal *t, int k) {
    if (p->subs[k]->op != OP_VAR) return false;
    const Var *v = p->subs[k]->u.var;
    if (v->lo != expr_int(s->g, TY_I64, 0) || !sema_equal(s, v->hi, t->shape[k])) return false;
    for (int i = 0; i < t->rank; i++)
        if (i != k && sema_uses(p->subs[i], p->subs[k])) return false;
    return true;
}

static Elements elements(Sema *s, const TensorVal *t, const Piece *named) {
    Elements e = {t->rank, NEW_N(s->ctx, Var *, t->rank + 1), NEW_N(s->ctx, const Expr *, t->rank + 1)};
    for (int k = 0; k < t->rank; k++) {
        Sym name = named->subs[k]->op == OP_VAR ? named->subs[k]->u.var->name : sym_fmt(s->ctx, "i%d", k);
        e.vars[k] = graph_var(s->g, name, expr_int(s->g, TY_I64, 0), t->shape[k]);
        e.subs[k] = expr_var(s->g, e.vars[k]);
    }
    return e;
}

static const Expr *identity(Sema *s, AstAssign op, Type t) {
    static const double of_float[] = {
        [ASSIGN_ADD] = 0, [ASSIGN_MUL] = 1, [ASSIGN_MAX] = (double)-INFINITY, [ASSIGN_MIN] = (double)INFINITY};
    if (type_is_float(t)) return expr_float(s->g, t, of_float[op]);
    int bits = type_bits(t);
    bool has_sign = type_class(t) == CLASS_SINT;
    int64_t most = bits == 64 ? INT64_MAX : ((int64_t)1 << (has_sign ? bits - 1 : bits)) - 1;
    int64_t least = has_sign ? -most - 1 : 0;
    return expr_int(s->g, t, op == ASSIGN_MAX ? least : op == ASSIGN_MIN ? most : op == ASSIGN_MUL);
}

/* What the piece contributes to the element: its values folded over all variables whose subscripts meet it. */
static const Expr *contribution(Sema *s, const Piece *p, const TensorVal *t, const Elements *el, AstAssign op) {
    ExprVec from = {0}, to = {0};
    bool *kept = NEW_N(s->ctx, bool, t->rank + 1);
    for (int k = 0; k < t->rank; k++) {
        if (!(kept[k] = is_kept(s, p, t, k))) continue;
        vec_push(s->ctx, &from, p->subs[k]);
        vec_push(s->ctx, &to, el->subs[k]);
    }
    const Expr *cond = p->guard ? expr_replace(s->g, p->guard, from.at, to.at, from.n) : NULL;
    for (int k = 0; k < t->rank; k++)
        if (!kept[k])
            cond =
                both(s, cond, expr2(s->g, OP_EQ, expr_replace(s->g, p->subs[k], from.at, to.at, from.n), el->subs[k]));
    const Expr *v = expr_replace(s->g, p->value, from.at, to.at, from.n);
    Reduce *r = NEW(s->ctx, Reduce);
    *r = (Reduce){.monoid = monoid_row(update_monoid[op]), .vars = NEW_N(s->ctx, Var *, p->nvars + 1)};
    for (int i = 0; i < p->nvars; i++) {
        bool is_axis = false;
        for (int k = 0; k < t->rank; k++) is_axis |= kept[k] && p->subs[k]->u.var == p->vars[i];
        if (!is_axis) r->vars[r->nvars++] = p->vars[i];
    }
    if (r->nvars) return expr_reduce(s->g, r, cond, v);
    return cond ? expr3(s->g, OP_IF, cond, v, identity(s, op, v->type)) : v;
}

/* The old value of the element that the piece defines; NULL: it has none. */
static const Expr *old_value(Sema *s, const Def *d, const Expr **subs) {
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
static bool update_in_place(Sema *s, const Def *d, const TensorVal *t, Piece *pieces, const AstAssign *op, int n) {
    if (d->kind != TENSOR_INOUT || !sema_apart(s, pieces, n, t->rank)) return false;
    for (int i = 0; i < n; i++) {
        if (op[i] == ASSIGN_SET) continue;
        const Expr *v[] = {old_value(s, d, pieces[i].subs), pieces[i].value};
        v[0] = sema_apply(s, pieces[i].span, update_op[op[i]], v, 2);
        pieces[i].value = v[0] ? stored(s, pieces[i].span, t->type, v[0]) : NULL;
    }
    return true;
}

static bool one_operator(Sema *s, const Def *d, const Piece *pieces, const AstAssign *op, int n) {
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

bool sema_update(Sema *s, const Def *d, const TensorVal *t, Piece *pieces, const AstAssign *op, int *n, bool *plain) {
    if (update_in_place(s, d, t, pieces, op, *n)) {
        for (int i = 0; i < *n; i++)
            if (!pieces[i].value) return false;
        return true;
    }
    if (!one_operator(s, d, pieces, op, *n)) return false;
    Elements el = elements(s, t, &pieces[0]);
    const Expr *total = old_value(s, d, el.subs);
    for (int i = 0; i < *n; i++) {
        const Expr *v[] = {total, contribution(s, &pieces[i], t, &el, op[0])};
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

/* The variable of the piece in subscript k, affine in it and in no other one, in terms of the element; with conditions
 * that there is such a value. False where the subscript is of another kind. */
static bool invert_axis(Sema *s, const Piece *p, const Elements *el, int k, ExprVec *from, ExprVec *to,
                        const Expr **cond) {
    PolyEnv env = {.g = s->g};
    const Expr *zero = expr_int(s->g, TY_I64, 0), *var = NULL;
    Poly x = poly_of(&env, p->subs[k]), coef, rest;
    int64_t c = 0;
    if (x.failed) return false;
    for (int i = 0; i < p->nvars; i++) {
        if (!poly_uses(x, expr_var(s->g, p->vars[i]))) continue;
        if (var) return false;
        var = expr_var(s->g, p->vars[i]);
    }
    for (int i = 0; i < from->n; i++)
        if (from->at[i] == var) return false;
    if (!var || !poly_linear(s->ctx, x, var, &coef, &rest) || !poly_is_const(coef, &c) || c == 0) return false;
    const Expr *v = poly_expr(s->g, poly_sub(s->ctx, poly_of(&env, el->subs[k]), rest));
    if (c != 1) {
        const Expr *by = expr_int(s->g, TY_I64, c);
        *cond = both(s, *cond, expr2(s->g, OP_EQ, expr2(s->g, OP_MOD, v, by), zero));
        v = expr2(s->g, OP_DIV, v, by);
    }
    if (v != el->subs[k] || var->u.var->lo != zero) *cond = both(s, *cond, expr2(s->g, OP_LE, var->u.var->lo, v));
    if (v != el->subs[k] || var->u.var->hi != el->vars[k]->hi)
        *cond = both(s, *cond, expr2(s->g, OP_LT, v, var->u.var->hi));
    vec_push(s->ctx, from, var);
    vec_push(s->ctx, to, v);
    return true;
}

/* The variables of the piece in terms of the element, and the condition that the piece defines it: where the other
 * subscripts, numbers or data of these variables, are the element's. Fails where a variable has no subscript. */
static bool invert(Sema *s, const Piece *p, const Elements *el, ExprVec *from, ExprVec *to, const Expr **cond) {
    bool *told = NEW_N(s->ctx, bool, el->rank + 1);
    for (int k = 0; k < el->rank; k++) told[k] = invert_axis(s, p, el, k, from, to, cond);
    if (from->n < p->nvars) return false;
    if (p->guard) *cond = both(s, *cond, expr_replace(s->g, p->guard, from->at, to->at, from->n));
    for (int k = 0; k < el->rank; k++)
        if (!told[k])
            *cond = both(s, *cond,
                         expr2(s->g, OP_EQ, el->subs[k], expr_replace(s->g, p->subs[k], from->at, to->at, from->n)));
    return true;
}

/* The element's value where the piece defines it, else `other`. The one value that meets the element is found by a
 * reduction where the subscripts cannot be inverted. */
static const Expr *choose(Sema *s, const Piece *p, const TensorVal *t, const Elements *el, const Expr *other) {
    ExprVec from = {0}, to = {0};
    const Expr *cond = NULL, *v;
    if (invert(s, p, el, &from, &to, &cond)) {
        v = expr_replace(s->g, p->value, from.at, to.at, from.n);
    } else {
        Piece hit = *p;
        hit.value = expr_int(s->g, TY_I64, 1);
        hit.value = contribution(s, &hit, t, el, ASSIGN_MAX);
        cond = expr2(s->g, OP_EQ, hit.value, expr_int(s->g, TY_I64, 1));
        bool truth = p->value->type == TY_BOOL;
        hit.value = truth ? expr_cast(s->g, TY_I32, p->value) : p->value;
        v = contribution(s, &hit, t, el, ASSIGN_MAX);
        if (truth) v = expr2(s->g, OP_EQ, v, expr_int(s->g, TY_I32, 1));
    }
    v = expr_cast(s->g, other->type, v);
    if (!cond) return v;
    return expr3(s->g, OP_IF, cond, v, other);
}

/* A piece's value that holds a reduction becomes a tensor over the piece's variables, so that the new value and the
 * tensor in memory do not both compute it. */
static void name_value(Sema *s, const Def *d, Piece *p) {
    const Expr *zero = expr_int(s->g, TY_I64, 0);
    if (!sema_reduces(s, p->value)) return;
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

TensorVal *sema_new_value(Sema *s, const Def *d, Tensor *old, Piece *pieces, int n) {
    for (int i = 0; i < n; i++) name_value(s, d, &pieces[i]);
    const TensorVal *t = sema_whole(s, old);
    Elements el = elements(s, t, &pieces[0]);
    Type acc = old->type == TY_BOOL ? TY_BOOL : type_acc(old->type);
    const Expr *v = expr_cast(s->g, acc, expr_load(s->g, old, el.subs));
    for (int i = n - 1; i >= 0; i--) v = choose(s, &pieces[i], t, &el, v);
    Tensor *x = graph_tensor(s->g, sema_free_name(s, sym_fmt(s->ctx, "%s_new", d->name)), TENSOR_LET, old->type,
                             old->rank, old->shape);
    x->rounds = true;
    x->span = d->span;
    vec_push(s->ctx, &x->pieces,
             ((Piece){.nvars = el.rank, .vars = el.vars, .subs = el.subs, .value = v, .span = d->span}));
    return sema_whole(s, x);
}
