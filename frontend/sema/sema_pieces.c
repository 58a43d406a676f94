/* What is said of pieces that may define an element twice, or may leave one out (ir/poly/pieces.h). */
#include "ir/poly/pieces.h"
#include "sema_int.h"

/* A piece alone that ends before the dimension does: what is left. */
static bool help_short_piece(Sema *s, const Definition *d, const Tensor *t, Diag *g) {
    const Piece *p = &t->pieces.at[0];
    if (t->pieces.n != 1 || p->guard) return false;
    for (int i = 0; i < t->rank; i++) {
        const Expr *sub = p->subs[i], *hi = sub->op == OP_VAR ? sub->u.var->hi : NULL;
        int64_t lo;
        if (!hi || known_equal(s->known, hi, t->shape[i]) || !sub->u.var->lo || !sema_const_int(sub->u.var->lo, &lo))
            continue;
        Text left = {.ctx = s->ctx};
        for (int k = 0; k < t->rank; k++) {
            Sym name = p->subs[k]->op == OP_VAR ? p->subs[k]->u.var->name : sema_show(s, p->subs[k]);
            text_fmt(&left, "%s%s%s%s", k ? ", " : "", k == i ? sema_show(s, hi) : "", k == i ? " + " : "", name);
        }
        diag_note(s->ctx, g, SPAN_NONE, "%s is defined for %s in %lld..%s, of 0..%s", d->name, sub->u.var->name,
                  (long long)lo, sema_show(s, hi), sema_show(s, t->shape[i]));
        diag_help(s->ctx, g, "define the rest too, %s[%s] = ...;", d->name, left.s);
        return true;
    }
    return false;
}

/* An element that the guards of all pieces leave out, where the pieces run over the whole tensor. */
static void note_uncovered(Sema *s, const Tensor *t, Diag *d) {
    const Expr *left = NULL, *zero = expr_int(s->g, TY_I64, 0);
    const Piece *last = &t->pieces.at[t->pieces.n - 1];
    for (int i = 0; i < t->pieces.n; i++) {
        const Piece *p = &t->pieces.at[i];
        ExprVec own = {0}, to = {0};
        if (!p->guard || p->nvars != t->rank || known_uses_data(p->guard)) return;
        for (int k = 0; k < t->rank; k++) {
            if (p->subs[k] != expr_var(s->g, p->vars[k]) || p->vars[k]->lo != zero || p->vars[k]->hi != t->shape[k])
                return;
            vec_push(s->ctx, &own, p->subs[k]);
            vec_push(s->ctx, &to, last->subs[k]);
        }
        const Expr *g = expr_replace(s->g, p->guard, own.at, to.at, own.n);
        left = left ? expr2(s->g, OP_OR, left, g) : g;
    }
    Text why = {.ctx = s->ctx};
    const Expr *e = expr3(s->g, OP_IF, left, zero, expr_int(s->g, TY_I64, -1));
    if (known_refute(s->known, e, &why) && why.n) diag_note(s->ctx, d, SPAN_NONE, "nothing defines it for %s", why.s);
}

/* The least and the largest value of a subscript. */
typedef struct Ends {
    int64_t lo, hi;
} Ends;

static Ends *ends_of(Sema *s, const Tensor *t) {
    PolyEnv env = {.g = s->g};
    Ends *ends = NEW_N(s->ctx, Ends, t->pieces.n * t->rank + 1);
    for (int i = 0; i < t->pieces.n; i++)
        for (int k = 0; k < t->rank; k++) {
            Ends *at = &ends[i * t->rank + k];
            poly_bounds(&env, poly_of(&env, t->pieces.at[i].subs[k]), &at->lo, &at->hi);
        }
    return ends;
}

/* Seen without a proof: of many pieces nearly all pairs are. */
static bool ends_apart(const Ends *a, const Ends *b, int rank) {
    for (int i = 0; i < rank; i++)
        if (a[i].hi < b[i].lo || b[i].hi < a[i].lo) return true;
    return false;
}

/* Each two of them may need a proof. */
static bool few(Sema *s, const Definition *d, const Tensor *t) {
    enum { MOST = 512 };
    if (t->pieces.n <= MOST) return true;
    Diag *g = SEMA_REPORT(s, LIMIT, t->pieces.at[MOST].span, "%s is defined in %d pieces (the limit is %d)", d->name,
                          t->pieces.n, MOST);
    diag_help(s->ctx, g,
              "pieces that differ in a number alone are one: give it an index variable, and the numbers as an input");
    return false;
}

bool sema_check_pieces(Sema *s, const Definition *d, const Tensor *t) {
    if (!few(s, d, t)) return false;
    const Ends *ends = t->pieces.n > 1 ? ends_of(s, t) : NULL;
    for (int i = 0; i < t->pieces.n; i++) {
        const Piece *p = &t->pieces.at[i];
        if (!pieces_injective(s->known, p, t->rank)) {
            Diag *g = SEMA_REPORT(s, NOT_INJECTIVE, p->span, "cannot prove that this defines each element of %s once",
                                  d->name);
            const AstTarget *to = i < d->pieces.n ? d->pieces.at[i].target : NULL;
            Sym left = to ? sema_quote(s, to->span) : d->name;
            diag_help(s->ctx, g,
                      "if several values may reach one element, say how they combine: %s += ...; or max=, min=, "
                      "*=",
                      left);
            return false;
        }
        for (int k = 0; k < i; k++) {
            if (ends_apart(&ends[k * t->rank], &ends[i * t->rank], t->rank)) continue;
            if (pieces_disjoint(s->known, &t->pieces.at[k], p, t->rank)) continue;
            Diag *g =
                SEMA_REPORT(s, DEFINED_TWICE, p->span, "cannot prove that the pieces of %s are disjoint", d->name);
            diag_note(s->ctx, g, t->pieces.at[k].span, "the other piece");
            bool whole = !p->guard && !t->pieces.at[k].guard;
            diag_help(s->ctx, g,
                      whole ? "each element is defined once: give the first value a name of its own, let t[i] = ..."
                            : "make the conditions exclude each other, or write one equation: if c then ... else ...");
            return false;
        }
    }
    if (d->kind == TENSOR_INOUT || pieces_cover(s->known, t)) return true;
    Diag *g = SEMA_REPORT(s, NOT_COVERED, d->span, "cannot prove that the pieces of %s cover it", d->name);
    note_uncovered(s, t, g);
    diag_note(s->ctx, g, t->pieces.at[0].span, "defined here");
    if (!help_short_piece(s, d, t, g))
        diag_help(s->ctx, g, "with conditions, write one equation: if c then ... else ...");
    return false;
}
