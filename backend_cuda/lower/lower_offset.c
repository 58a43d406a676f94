/* Lowering, offsets: an access's place in its tensor as one polynomial of the digits of its axes' factors. */
#include "ir/expr_is.h"
#include "lower_internal.h"

#include <string.h>

const Expr *offset_expand(Lower *l, const Layout *layout, const Expr *e) {
    const Expr *from[MAX_FACTORS], *to[MAX_FACTORS];
    int n = l->part->axes.n;
    if (n > MAX_FACTORS) n = MAX_FACTORS;
    for (int i = 0; i < n; i++) {
        from[i] = expr_var(l->g, l->part->axes.at[i]->var);
        to[i] = axis_index(l, layout, l->part->axes.at[i]);
    }
    return expr_replace(l->g, e, from, to, n);
}

bool offset_over_dims(Poly p) {
    for (int i = 0; i < p.n; i++)
        for (int d = 0; d < p.term[i].degree; d++)
            if (!expr_over_dims(p.term[i].atom[d])) return false;
    return true;
}

Poly offset_flat(Lower *l, const Layout *layout, Tensor *t, const Expr *const *subs) {
    const Expr *at[MAX_RANK];
    for (int d = 0; d < t->rank; d++) at[d] = offset_expand(l, layout, subs[d]);
    return poly_offset(&l->env, t, at);
}

static bool implies(const AlignCond *a, const AlignCond *b) {
    return a->dims == b->dims && a->tensor == b->tensor && a->other == b->other && a->mod % b->mod == 0 &&
           a->whole <= b->whole;
}

bool offset_asked(const Lower *l, const Expr *dims, int64_t mod) {
    for (int i = 0; i < l->needs.conds.n; i++)
        if (l->needs.conds.at[i].dims == dims && l->needs.conds.at[i].mod % mod == 0) return true;
    return false;
}

void offset_ask(Lower *l, AlignCond c) {
    int kept = 0;
    if (c.mod == 1) return;
    for (int i = 0; i < l->needs.conds.n; i++)
        if (implies(&l->needs.conds.at[i], &c)) return;
    for (int i = 0; i < l->needs.conds.n; i++)
        if (!implies(&c, &l->needs.conds.at[i])) l->needs.conds.at[kept++] = l->needs.conds.at[i];
    l->needs.conds.n = kept;
    vec_push(l->ctx, &l->needs.conds, c);
}

/* The coefficient of a sum of an axis's digits in a polynomial, where every digit has the same one, times its weight:
 * taken from the innermost digit on. *rest is what else there is. False where it is no such sum. */
static bool axis_coefficient(Lower *l, const Layout *layout, const Axis *a, Poly p, Poly *coef, Poly *rest, bool *any) {
    Poly c, r;
    *any = false;
    *rest = p;
    for (int k = layout->factors.n - 1; k >= 0; k--) {
        Factor *f = layout->factors.at[k];
        int64_t s;
        if (f->axis != a || f->size == 1 || bind_scope(f->bind) == SCOPE_REG) continue;
        if (!poly_linear(l->ctx, *rest, expr_factor(l->p, f), &c, &r)) return false;
        Poly stride = poly_of(&l->env, f->stride);
        if (*any) {
            if (!poly_eq(c, poly_mul(l->ctx, *coef, stride))) return false;
        } else {
            if (!poly_is_const(stride, &s) || !c.n) return false;
            *coef = (Poly){c.n, NEW_N(l->ctx, PolyTerm, c.n + 1), false};
            memcpy(coef->term, c.term, sizeof *c.term * (size_t)c.n);
            for (int t = 0; t < c.n; t++) {
                if (c.term[t].coef % s) return false;
                coef->term[t].coef /= s;
            }
            *any = true;
        }
        *rest = r;
    }
    return *any;
}

Poly offset_regroup(Lower *l, const Layout *layout, Poly p) {
    for (int i = 0; i < l->part->axes.n; i++) {
        Axis *a = l->part->axes.at[i];
        Poly coef, rest;
        bool any;
        if (!axis_coefficient(l, layout, a, p, &coef, &rest, &any)) {
            if (a->peel && any) lower_fail(l, "the peeled axis %s is used other than linearly", a->name);
            continue;
        }
        Poly var = poly_of(&l->env, expr_var(l->g, a->var));
        p = poly_add(l->ctx, rest, poly_mul(l->ctx, coef, poly_sub(l->ctx, var, poly_of(&l->env, a->lo))));
    }
    return p;
}

void offset_split(Lower *l, const Layout *layout, Poly p, Poly *fixed, Poly *varying) {
    *fixed = (Poly){0, NEW_N(l->ctx, PolyTerm, p.n + 1), p.failed};
    *varying = (Poly){0, NEW_N(l->ctx, PolyTerm, p.n + 1), p.failed};
    for (int i = 0; i < p.n; i++) {
        FactorSet s = 0;
        for (int d = 0; d < p.term[i].degree; d++) {
            const Expr *a = p.term[i].atom[d];
            /* an axis's variable stands for its index at register digits 0 (regroup) */
            if (a->op != OP_VAR) s |= expr_domain(l->part, layout, a);
        }
        Poly *to = reg_factors(l, s) ? varying : fixed;
        to->term[to->n++] = p.term[i];
    }
}

Poly offset_without_axis(Lower *l, const Layout *layout, Poly p, const Axis *a) {
    for (int i = 0; i < layout->factors.n; i++) {
        Poly coef, rest;
        if (layout->factors.at[i]->axis == a &&
            poly_linear(l->ctx, p, expr_factor(l->p, layout->factors.at[i]), &coef, &rest))
            p = rest;
    }
    return p;
}

/* Divisibility of everything but the vector itself; false where some part can never be a multiple of V. Conditions on
 * dimensions are collected when `commit`. */
bool offset_aligned(Lower *l, Poly p, int64_t V, bool commit) {
    bool done[256] = {false};
    if (p.n > 256) return false;
    for (int i = 0; i < p.n; i++) {
        if (done[i]) continue;
        /* terms that differ only in dimensions are one coefficient */
        Poly sum = {0, NEW_N(l->ctx, PolyTerm, p.n), false};
        const Expr *key[POLY_MAX_DEGREE];
        int nkey = 0;
        for (int d = 0; d < p.term[i].degree; d++)
            if (!expr_over_dims(p.term[i].atom[d])) key[nkey++] = p.term[i].atom[d];
        for (int k = i; k < p.n; k++) {
            const Expr *other[POLY_MAX_DEGREE];
            int nother = 0;
            PolyTerm t = {.coef = p.term[k].coef};
            for (int d = 0; d < p.term[k].degree; d++) {
                if (expr_over_dims(p.term[k].atom[d]))
                    t.atom[t.degree++] = p.term[k].atom[d];
                else
                    other[nother++] = p.term[k].atom[d];
            }
            if (nother != nkey || memcmp(key, other, sizeof *key * (size_t)nkey)) continue;
            done[k] = true;
            Poly one = {1, &t, false};
            sum = poly_add(l->ctx, sum, one);
        }
        int64_t c;
        if (sum.n == 0 || poly_divisor(sum) % V == 0) continue;
        if (poly_is_const(sum, &c)) return false;
        if (sum.term[0].coef < 0) sum = poly_scale(l->ctx, sum, -1); /* -D is a multiple where D is */
        if (commit) offset_ask(l, (AlignCond){.dims = poly_expr(l->g, sum), .mod = V});
    }
    return true;
}

/* ---- its text ---- */

static bool has_length(const PolyTerm *t) {
    for (int k = 0; k < t->degree; k++)
        if (t->atom[k]->op == OP_DIM) return true;
    return false;
}

static bool has_quotient(const PolyTerm *t) {
    for (int k = 0; k < t->degree; k++)
        if (t->atom[k]->op == OP_DIV || t->atom[k]->op == OP_MOD) return true;
    return false;
}

bool offset_wraps(Lower *l, const Tensor *t, Poly p) {
    Poly elements = poly_const(l->ctx, 1);
    bool divides = false;
    for (int i = 0; i < p.n; i++) divides |= has_length(&p.term[i]) && has_quotient(&p.term[i]);
    if (p.failed || !divides || type_bits(t->type) < 8) return false;
    for (int d = 0; d < t->rank; d++) elements = poly_mul(l->ctx, elements, poly_of(&l->env, t->shape[d]));
    if (elements.failed || !index_bounded(l, elements)) return false;
    index_fits(l, elements);
    return true;
}
