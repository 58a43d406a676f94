/* Definitions turned inside out: what is said for each value of a piece's variables is said for each element
 * (gather.h). */
#include "gather.h"
#include "ir/expr_is.h"
#include "ir/monoid.h"

/* Whether axis k of the piece is a variable that runs over the whole axis, and that of no axis kept before. */
static bool is_kept(Known *known, const Piece *p, const GatherElements *el, const bool *kept, int k) {
    if (p->subs[k]->op != OP_VAR) return false;
    const Var *v = p->subs[k]->u.var;
    if (v->lo != expr_int(known->g, TY_I64, 0) || !known_equal(known, v->hi, el->vars[k]->hi)) return false;
    for (int i = 0; i < k; i++)
        if (kept[i] && p->subs[i] == p->subs[k]) return false;
    return true;
}

GatherElements gather_elements(Known *known, int rank, const Expr *const *shape, const Piece *named) {
    GatherElements e = {rank, NEW_N(known->g->ctx, Var *, rank + 1), NEW_N(known->g->ctx, const Expr *, rank + 1)};
    for (int k = 0; k < rank; k++) {
        Sym name = named->subs[k]->op == OP_VAR ? named->subs[k]->u.var->name : sym_fmt(known->g->ctx, "i%d", k);
        e.vars[k] = graph_var(known->g, name, expr_int(known->g, TY_I64, 0), shape[k]);
        e.subs[k] = expr_var(known->g, e.vars[k]);
    }
    return e;
}

/* Which axes are kept, and the variables that stand for them; the piece's other variables. */
typedef struct Kept {
    bool *axis;
    ExprVec from, to;
    VarVec others;
} Kept;

static Kept kept_of(Known *known, const Piece *p, const GatherElements *el) {
    Graph *g = known->g;
    Kept x = {.axis = NEW_N(g->ctx, bool, el->rank + 1)};
    for (int k = 0; k < el->rank; k++) {
        if (!(x.axis[k] = is_kept(known, p, el, x.axis, k))) continue;
        vec_push(g->ctx, &x.from, p->subs[k]);
        vec_push(g->ctx, &x.to, el->subs[k]);
    }
    for (int i = 0; i < p->nvars; i++) {
        bool is_axis = false;
        for (int k = 0; k < el->rank; k++) is_axis |= x.axis[k] && p->subs[k]->u.var == p->vars[i];
        if (!is_axis) vec_push(g->ctx, &x.others, p->vars[i]);
    }
    return x;
}

const Expr *gather_fold(Known *known, const Piece *p, const GatherElements *el, MonoidKind monoid) {
    Graph *g = known->g;
    const Kept kept = kept_of(known, p, el);
    const ExprVec from = kept.from, to = kept.to;
    const Expr *cond = p->guard ? expr_replace(g, p->guard, from.at, to.at, from.n) : NULL;
    for (int k = 0; k < el->rank; k++) {
        if (kept.axis[k]) continue;
        const Expr *sub = expr_replace(g, p->subs[k], from.at, to.at, from.n);
        cond = expr_and(g, cond, expr2(g, OP_EQ, sub, el->subs[k]));
    }
    const Expr *v = expr_replace(g, p->value, from.at, to.at, from.n);
    Reduce *r = NEW(g->ctx, Reduce);
    *r = (Reduce){.monoid = monoid_row(monoid), .nvars = kept.others.n, .vars = kept.others.at};
    if (r->nvars) return expr_reduce(g, r, cond, v);
    return cond ? expr3(g, OP_IF, cond, v, monoid_identity(g, monoid, v->type)) : v;
}

/* ---- the last of several values ---- */

const Expr *gather_last(Known *known, const Piece *p, const GatherElements *el) {
    Graph *g = known->g;
    const Kept kept = kept_of(known, p, el);
    Piece numbered = *p;
    numbered.value = expr_int(g, TY_I64, 0);
    for (int i = 0; i < kept.others.n; i++) {
        Var *v = kept.others.at[i];
        const Expr *digit = expr_minus(g, expr_var(g, v), v->lo), *above = numbered.value;
        numbered.value = i ? expr2(g, OP_ADD, expr2(g, OP_MUL, above, expr_minus(g, v->hi, v->lo)), digit) : digit;
    }
    return gather_fold(known, &numbered, el, MONOID_MAX);
}

const Expr *gather_numbered(Known *known, const Piece *p, const GatherElements *el, const Expr *number) {
    Graph *g = known->g;
    Kept kept = kept_of(known, p, el);
    for (int i = kept.others.n - 1; i >= 0; i--) {
        Var *v = kept.others.at[i];
        const Expr *n = expr_minus(g, v->hi, v->lo), *digit = i ? expr2(g, OP_MOD, number, n) : number;
        int64_t zero;
        if (!expr_is_int(v->lo, &zero) || zero) digit = expr2(g, OP_ADD, v->lo, digit);
        vec_push(g->ctx, &kept.from, expr_var(g, v));
        vec_push(g->ctx, &kept.to, digit);
        number = expr2(g, OP_DIV, number, n);
    }
    return expr_replace(g, p->value, kept.from.at, kept.to.at, kept.from.n);
}

/* ---- each element by the piece that defines it ---- */

/* The piece's variables in terms of the element: to[i] is from[i] where cond holds (NULL: always). */
typedef struct Inverse {
    ExprVec from, to;
    const Expr *cond;
} Inverse;

/* The variable of the piece in subscript k, affine in it and in no other one, in terms of the element; with conditions
 * that there is such a value. False where the subscript is of another kind. */
static bool invert_axis(Graph *g, const Piece *p, const GatherElements *el, int k, Inverse *inv) {
    PolyEnv env = {.g = g};
    const Expr *zero = expr_int(g, TY_I64, 0), *var = NULL;
    Poly x = poly_of(&env, p->subs[k]), coef, rest;
    int64_t c = 0;
    if (x.failed) return false;
    for (int i = 0; i < p->nvars; i++) {
        if (!poly_uses(x, expr_var(g, p->vars[i]))) continue;
        if (var) return false;
        var = expr_var(g, p->vars[i]);
    }
    for (int i = 0; i < inv->from.n; i++)
        if (inv->from.at[i] == var) return false;
    if (!var || !poly_linear(g->ctx, x, var, &coef, &rest) || !poly_is_const(coef, &c) || c == 0) return false;
    const Var *own = var->u.var;
    const Expr *v = poly_expr(g, poly_sub(g->ctx, poly_of(&env, el->subs[k]), rest));
    if (c != 1) {
        const Expr *by = expr_int(g, TY_I64, c);
        inv->cond = expr_and(g, inv->cond, expr2(g, OP_EQ, expr2(g, OP_MOD, v, by), zero));
        v = expr2(g, OP_DIV, v, by);
    }
    bool is_element = v == el->subs[k];
    if (!is_element || own->lo != zero) inv->cond = expr_and(g, inv->cond, expr2(g, OP_LE, own->lo, v));
    if (!is_element || own->hi != el->vars[k]->hi) inv->cond = expr_and(g, inv->cond, expr2(g, OP_LT, v, own->hi));
    vec_push(g->ctx, &inv->from, var);
    vec_push(g->ctx, &inv->to, v);
    return true;
}

/* All variables of the piece; cond says then that the piece defines the element: the other subscripts, numbers or data
 * of these variables, are the element's. False where a variable has no subscript. */
static bool invert(Graph *g, const Piece *p, const GatherElements *el, Inverse *inv) {
    bool *told = NEW_N(g->ctx, bool, el->rank + 1);
    for (int k = 0; k < el->rank; k++) told[k] = invert_axis(g, p, el, k, inv);
    const Expr *const *from = inv->from.at, *const *to = inv->to.at;
    int n = inv->from.n;
    if (n < p->nvars) return false;
    if (p->guard) inv->cond = expr_and(g, inv->cond, expr_replace(g, p->guard, from, to, n));
    for (int k = 0; k < el->rank; k++) {
        if (told[k]) continue;
        const Expr *sub = expr_replace(g, p->subs[k], from, to, n);
        inv->cond = expr_and(g, inv->cond, expr2(g, OP_EQ, el->subs[k], sub));
    }
    return true;
}

/* The one value that meets the element is found by a reduction where the subscripts cannot be inverted. */
static const Expr *found_value(Known *known, const Piece *p, const GatherElements *el, const Expr **cond) {
    Graph *g = known->g;
    bool truth = p->value->type == TY_BOOL;
    Piece hit = *p;
    hit.value = expr_int(g, TY_I64, 1);
    *cond = expr2(g, OP_EQ, gather_fold(known, &hit, el, MONOID_MAX), expr_int(g, TY_I64, 1));
    hit.value = truth ? expr_cast(g, TY_I32, p->value) : p->value;
    const Expr *v = gather_fold(known, &hit, el, MONOID_MAX);
    return truth ? expr2(g, OP_EQ, v, expr_int(g, TY_I32, 1)) : v;
}

const Expr *gather_choose(Known *known, const Piece *p, const GatherElements *el, const Expr *other) {
    Graph *g = known->g;
    Inverse inv = {0};
    const Expr *v, *cond;
    if (invert(g, p, el, &inv)) {
        v = expr_replace(g, p->value, inv.from.at, inv.to.at, inv.from.n);
        cond = inv.cond;
    } else {
        v = found_value(known, p, el, &cond);
    }
    v = expr_cast(g, other->type, v);
    return cond ? expr3(g, OP_IF, cond, v, other) : v;
}
