/* Lowering, windows: the taps of neighbouring results share elements, as x[i + k] does where a thread has several i and
 * several k. Loads of them that stand behind tests are no equal loads to nvcc, which makes each of them. So a tile of
 * such elements is loaded as one in which each stands once, by i + k, and elements are put where they belong from
 * there. */
#include "ir/expr_walk.h"
#include "lower_internal.h"

/* Whether two digits change p by as much. */
static bool move_alike(Lower *l, Poly p, Factor *f, Factor *g) {
    Poly by_f, by_g, rest;
    return !p.failed && poly_linear(l->ctx, p, expr_factor(l->p, f), &by_f, &rest) &&
           poly_linear(l->ctx, rest, expr_factor(l->p, g), &by_g, &rest) && poly_eq(by_f, by_g);
}

typedef struct Asking {
    Lower *l;
    const Layout *layout;
    Factor *along, *tap;
} Asking;

/* What of a condition may not be the same where one digit is a step more and the other a step less. */
static Found asks_otherwise(const Expr *e, const void *user) {
    const Asking *x = user;
    const FactorSet both = (FactorSet)1 << x->along->id | (FactorSet)1 << x->tap->id;
    if (!(expr_domain(x->l->part, x->layout, e) & both)) return FOUND_NOT;
    if (e->op == OP_AND || e->op == OP_OR || e->op == OP_NOT) return FOUND_INSIDE;
    if (e->type != TY_BOOL || e->nargs != 2 || !type_is_int(e->arg[0]->type) || op_form(e->op) != FORM_INFIX)
        return FOUND;
    const Poly p = poly_of(&x->l->env, offset_expand(x->l, x->layout, e->arg[0])),
               q = poly_of(&x->l->env, offset_expand(x->l, x->layout, e->arg[1]));
    return move_alike(x->l, poly_sub(x->l->ctx, p, q), x->along, x->tap) ? FOUND_NOT : FOUND;
}

static bool is_reached_by_some(const Lower *l, const Factor *f) {
    for (int i = 0; i < l->open.reached.n; i++)
        if (l->open.reached.at[i].factor == f) return true;
    return false;
}

/* Elements are loaded at the first result that has them, whose own end lies no earlier; taps all exist; and what is
 * stated in place of what is not loaded is the same for all of them. */
static bool is_window(Lower *l, const Access *x, const Stage *s, Factor *along, Factor *tap) {
    Poly coef, rest;
    if (along->axis == tap->axis || along->axis->peel || tap->axis->peel) return false;
    const FactorSet both = (FactorSet)1 << along->id | (FactorSet)1 << tap->id;
    if (access_has_end(l, x, tap->axis) || is_reached_by_some(l, tap)) return false;
    if (s->other && expr_domain(l->part, x->layout, s->other) & both) return false;
    if (!poly_linear(l->ctx, x->offset, expr_factor(l->p, along), &coef, &rest) || !coef.n) return false;
    const Asking ask = {l, x->layout, along, tap};
    return move_alike(l, x->offset, along, tap) && !(s->cond && expr_has(s->cond, asks_otherwise, &ask));
}

Windows window_find(Lower *l, const Stage *s) {
    const Access *x = access_of(l, s);
    Windows w = {.of = NULL};
    FactorSet taken = 0;
    if (x->row || x->across || x->chosen.n || x->plan.nv > 1 || l->open.row_inside) return w;
    for (int k = 0; k < x->plan.nouter; k++)
        for (int i = 0; i < x->plan.nouter && w.n < MAX_WINDOWS; i++) {
            Factor *tap = x->plan.outer[k], *along = x->plan.outer[i];
            const FactorSet both = (FactorSet)1 << tap->id | (FactorSet)1 << along->id;
            if (k == i || taken & both || x->plan.step[k] != 1 || x->plan.step[i] != 1) continue;
            if (!is_window(l, x, s, along, tap)) continue;
            w.at[w.n++] = (Window){along, tap};
            taken |= both;
        }
    return w;
}

FactorSet window_factors(const Windows *w) {
    FactorSet set = 0;
    for (int i = 0; i < w->n; i++) set |= (FactorSet)1 << w->at[i].along->id | (FactorSet)1 << w->at[i].tap->id;
    return set;
}
