/* Tensors in pieces: each element is defined once, and an output everywhere. */
#include "sema_int.h"

/* coef * variable + rest with a constant coefficient and no other variable of the piece. */
static bool one_variable(Sema *s, const Piece *p, const Expr *sub, int *which) {
    PolyEnv env = {.g = s->g};
    Poly x = poly_of(&env, sub), coef, rest;
    *which = -1;
    for (int i = 0; i < p->nvars; i++) {
        const Expr *v = expr_var(s->g, p->vars[i]);
        int64_t k;
        if (!sema_uses(sub, v)) continue;
        if (*which >= 0 || !poly_linear(s->ctx, x, v, &coef, &rest)) return false;
        if (!poly_is_const(coef, &k) || k == 0) return false;
        *which = i;
    }
    return true;
}

static bool injective(Sema *s, const Piece *p, int rank) {
    bool *used = NEW_N(s->ctx, bool, p->nvars + 1);
    for (int i = 0; i < rank; i++) {
        int v;
        if (!one_variable(s, p, p->subs[i], &v)) return false;
        if (v >= 0) used[v] = true;
    }
    for (int i = 0; i < p->nvars; i++)
        if (!used[i]) return false;
    return true;
}

static bool never_zero(Sema *s, const Expr *diff) {
    const Expr *one = expr_int(s->g, TY_I64, 1);
    if (sema_nonneg(s, expr2(s->g, OP_SUB, diff, one))) return true;
    if (sema_nonneg(s, expr2(s->g, OP_SUB, expr1(s->g, OP_NEG, diff), one))) return true;
    PolyEnv env = {.g = s->g};
    Poly p = poly_of(&env, diff);
    if (p.failed || p.n == 0 || p.term[p.n - 1].degree != 0) return false;
    int64_t c = p.term[p.n - 1].coef, d;
    Poly rest = poly_sub(s->ctx, p, poly_const(s->ctx, c));
    d = poly_divisor(rest);
    return d > 1 && c % d != 0;
}

/* Provably no element in both: somewhere the subscripts differ for all values, under both guards. */
static bool disjoint(Sema *s, const Piece *a, const Piece *b, int rank) {
    int mark = sema_path_push(s, a->guard, true);
    sema_path_push(s, b->guard, true);
    bool ok = false;
    for (int i = 0; i < rank && !ok; i++) ok = never_zero(s, expr2(s->g, OP_SUB, a->subs[i], b->subs[i]));
    sema_path_pop(s, mark);
    if (ok || (!a->guard && !b->guard)) return ok;
    /* The same subscripts under guards that exclude each other. */
    VEC(const Expr *) from = {0}, to = {0};
    for (int i = 0; i < rank; i++) {
        if (b->subs[i]->op != OP_VAR) return false;
        vec_push(s->ctx, &from, b->subs[i]);
        vec_push(s->ctx, &to, a->subs[i]);
    }
    const Expr *gb = b->guard ? expr_replace(s->g, b->guard, from.at, to.at, from.n) : NULL;
    mark = sema_path_push(s, a->guard, true);
    ok = gb && sema_truth(s, gb) == 0;
    sema_path_pop(s, mark);
    return ok;
}

/* Disjoint pieces that write each of their elements once cover a shape when their numbers of elements add up to it. */
static bool covers(Sema *s, const Tensor *t) {
    const Expr *total = expr_int(s->g, TY_I64, 0), *want = expr_int(s->g, TY_I64, 1);
    for (int i = 0; i < t->rank; i++) want = expr2(s->g, OP_MUL, want, t->shape[i]);
    for (int i = 0; i < t->pieces.n; i++) {
        const Piece *p = &t->pieces.at[i];
        const Expr *n = expr_int(s->g, TY_I64, 1);
        if (p->guard) return false;
        for (int k = 0; k < p->nvars; k++)
            n = expr2(s->g, OP_MUL, n, expr2(s->g, OP_SUB, p->vars[k]->hi, p->vars[k]->lo));
        total = expr2(s->g, OP_ADD, total, n);
    }
    PolyEnv env = {.g = s->g};
    return poly_eq(poly_of(&env, total), poly_of(&env, want));
}

bool sema_check_pieces(Sema *s, const Def *d, const Tensor *t) {
    for (int i = 0; i < t->pieces.n; i++) {
        const Piece *p = &t->pieces.at[i];
        if (!injective(s, p, t->rank)) {
            SEMA_ERROR(s, DEFINED_TWICE, p->span, "cannot prove that this defines each element of %s once", d->name);
            return false;
        }
        for (int k = 0; k < i; k++) {
            if (disjoint(s, &t->pieces.at[k], p, t->rank)) continue;
            Diag *g = SEMA_ERROR(s, DEFINED_TWICE, p->span, "cannot prove that the pieces of %s are disjoint", d->name);
            diag_note(s->ctx, g, t->pieces.at[k].span, "the other piece");
            return false;
        }
    }
    if (d->kind == TENSOR_INOUT || covers(s, t)) return true;
    Diag *g = SEMA_ERROR(s, NOT_COVERED, d->span, "cannot prove that the pieces of %s cover it", d->name);
    diag_note(s->ctx, g, t->pieces.at[0].span, "defined here");
    diag_help(s->ctx, g, "with conditions, write one equation: if c then ... else ...");
    return false;
}
