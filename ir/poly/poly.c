/* The canonical form of index arithmetic (poly.h): the ring of polynomials, floor quotients in normal form, and
 * expressions made of them again. A remainder a % b is a - b*(a/b), so that 2*(n/2) + n%2 and n are one polynomial;
 * poly_expr finds remainders again. */
#include "poly.h"

#include "ir/expr_walk.h"
#include "poly_prove.h"

#include <stdlib.h>
#include <string.h>

/* ---- the ring ---- */

Poly poly_failed(void) { return (Poly){.failed = true}; }

/* Higher degrees first, then by atoms; 0 for equal monomials. */
static int term_compare(const PolyTerm *a, const PolyTerm *b) {
    if (a->degree != b->degree) return b->degree - a->degree;
    for (int i = 0; i < a->degree; i++)
        if (a->atom[i] != b->atom[i]) return a->atom[i]->id < b->atom[i]->id ? -1 : 1;
    return 0;
}

static int term_order(const void *a, const void *b) { return term_compare(a, b); }

/* A term but for the places of atoms that it has not. */
static void term_copy(PolyTerm *to, const PolyTerm *from) {
    to->coef = from->coef;
    to->degree = from->degree;
    memcpy(to->atom, from->atom, sizeof *from->atom * (size_t)from->degree);
}

/* Most are short, or in order already. */
static void terms_sort(PolyTerm *t, int n) {
    enum { SHORT = 12 };
    int sorted = 1;
    while (sorted < n && term_compare(&t[sorted - 1], &t[sorted]) <= 0) sorted++;
    if (sorted >= n) return;
    if (n > SHORT) {
        qsort(t, (size_t)n, sizeof *t, term_order);
        return;
    }
    for (int i = sorted; i < n; i++) {
        PolyTerm x;
        int k = i;
        term_copy(&x, &t[i]);
        for (; k > 0 && term_compare(&t[k - 1], &x) > 0; k--) term_copy(&t[k], &t[k - 1]);
        term_copy(&t[k], &x);
    }
}

static void term_sort_atoms(PolyTerm *t) {
    for (int i = 1; i < t->degree; i++)
        for (int k = i; k > 0 && t->atom[k]->id < t->atom[k - 1]->id; k--) {
            const Expr *x = t->atom[k];
            t->atom[k] = t->atom[k - 1];
            t->atom[k - 1] = x;
        }
}

/* A quotient N/d of a dimension by all that is known to divide it: the one exact quotient of N in normal form, with
 * coefficients 0 <= c < d. Thus N/2 is 4*(N/8), and 8*(N/8) is N. */
static bool exact_quotient(const Expr *e, int64_t *d) {
    return e->op == OP_DIV && e->arg[0]->op == OP_DIM && expr_is_int(e->arg[1], d) && *d > 1 &&
           e->arg[0]->u.dim->divisor == *d;
}

/* Splits a term with such a quotient and a larger coefficient; *more is the part with N itself. */
static bool split_exact(PolyTerm *t, PolyTerm *more) {
    int64_t d;
    for (int i = 0; i < t->degree; i++) {
        if (!exact_quotient(t->atom[i], &d) || (t->coef >= 0 && t->coef < d)) continue;
        *more = *t;
        more->coef = floor_div(t->coef, d);
        more->atom[i] = t->atom[i]->arg[0];
        term_sort_atoms(more);
        t->coef = floor_mod(t->coef, d);
        return true;
    }
    return false;
}

Poly poly_make(Ctx *ctx, PolyTerm *t, int n) {
    int m = 0;
    terms_sort(t, n);
    for (int i = 0; i < n; i++) {
        if (m && !term_compare(&t[m - 1], &t[i])) {
            if (!add_ok(t[m - 1].coef, t[i].coef, &t[m - 1].coef)) return poly_failed();
        } else {
            if (m && !t[m - 1].coef) m--;
            if (m != i) term_copy(&t[m], &t[i]);
            m++;
        }
        if (t[m - 1].coef == INT64_MIN) return poly_failed();
    }
    if (m && !t[m - 1].coef) m--;
    if (m > POLY_MAX_TERMS) return poly_failed();
    for (int i = 0; i < m; i++) {
        PolyTerm more;
        if (!split_exact(&t[i], &more)) continue;
        PolyTerm *wider = NEW_RAW(ctx, PolyTerm, m + 1);
        memcpy(wider, t, sizeof *t * (size_t)m);
        wider[m] = more;
        return poly_make(ctx, wider, m + 1);
    }
    return (Poly){.n = m, .term = t};
}

Poly poly_const(Ctx *ctx, int64_t v) {
    PolyTerm *t = NEW_RAW(ctx, PolyTerm, 1);
    t->coef = v;
    t->degree = 0;
    return v == INT64_MIN ? poly_failed() : (Poly){.n = v != 0, .term = t};
}

Poly poly_atom(Ctx *ctx, const Expr *atom) {
    PolyTerm *t = NEW_RAW(ctx, PolyTerm, 1);
    t->coef = t->degree = 1;
    t->atom[0] = atom;
    return (Poly){.n = 1, .term = t};
}

static Poly add_scaled(Ctx *ctx, Poly a, Poly b, int64_t k) {
    if (a.failed || b.failed) return poly_failed();
    PolyTerm *t = NEW_RAW(ctx, PolyTerm, a.n + b.n + 1);
    for (int i = 0; i < a.n; i++) term_copy(&t[i], &a.term[i]);
    for (int i = 0; i < b.n; i++) {
        term_copy(&t[a.n + i], &b.term[i]);
        if (!mul_ok(b.term[i].coef, k, &t[a.n + i].coef)) return poly_failed();
    }
    return poly_make(ctx, t, a.n + b.n);
}

Poly poly_add(Ctx *ctx, Poly a, Poly b) { return add_scaled(ctx, a, b, 1); }
Poly poly_sub(Ctx *ctx, Poly a, Poly b) { return add_scaled(ctx, a, b, -1); }
Poly poly_scale(Ctx *ctx, Poly a, int64_t k) { return add_scaled(ctx, (Poly){0}, a, k); }

bool term_multiply(const PolyTerm *a, const PolyTerm *b, PolyTerm *r) {
    if (a->degree + b->degree > POLY_MAX_DEGREE || !mul_ok(a->coef, b->coef, &r->coef)) return false;
    r->degree = a->degree + b->degree;
    for (int i = 0; i < a->degree; i++) r->atom[i] = a->atom[i];
    for (int i = 0; i < b->degree; i++) r->atom[a->degree + i] = b->atom[i];
    term_sort_atoms(r);
    return true;
}

Poly poly_mul(Ctx *ctx, Poly a, Poly b) {
    if (a.failed || b.failed) return poly_failed();
    PolyTerm *t = NEW_RAW(ctx, PolyTerm, a.n * b.n + 1);
    for (int i = 0; i < a.n; i++)
        for (int k = 0; k < b.n; k++)
            if (!term_multiply(&a.term[i], &b.term[k], &t[i * b.n + k])) return poly_failed();
    return poly_make(ctx, t, a.n * b.n);
}

bool poly_eq(Poly a, Poly b) {
    if (a.failed || b.failed || a.n != b.n) return false;
    for (int i = 0; i < a.n; i++)
        if (a.term[i].coef != b.term[i].coef || term_compare(&a.term[i], &b.term[i])) return false;
    return true;
}

bool poly_is_const(Poly p, int64_t *v) {
    if (p.failed || p.n > 1 || (p.n == 1 && p.term[0].degree)) return false;
    *v = p.n ? p.term[0].coef : 0;
    return true;
}

Poly poly_subst(Ctx *ctx, Poly p, const Expr *atom, Poly q) {
    Poly r = {.failed = p.failed};
    for (int i = 0; i < p.n; i++) {
        PolyTerm *t = NEW_RAW(ctx, PolyTerm, 1);
        *t = p.term[i];
        int times = 0, k = 0;
        for (int a = 0; a < t->degree; a++)
            if (t->atom[a] == atom)
                times++;
            else
                t->atom[k++] = t->atom[a];
        t->degree = k;
        Poly m = {.n = 1, .term = t};
        while (times-- > 0) m = poly_mul(ctx, m, q);
        r = poly_add(ctx, r, m);
    }
    return r;
}

bool term_divide(const PolyTerm *whole, const PolyTerm *part, PolyTerm *quotient) {
    PolyTerm q = {.coef = 1};
    int k = 0;
    for (int i = 0; i < whole->degree; i++)
        if (k < part->degree && part->atom[k] == whole->atom[i])
            k++;
        else
            q.atom[q.degree++] = whole->atom[i];
    if (k < part->degree) return false;
    *quotient = q;
    return true;
}

/* ---- questions ---- */

/* A use of an atom, in ranges of reductions too. Past `left` nodes the answer is yes, which promises nothing. */
typedef struct Use {
    const Expr *atom;
    int *left;
} Use;

static Found is_use(const Expr *e, const void *use) {
    const Use *x = use;
    if (e == x->atom || --*x->left < 0) return FOUND;
    if (e->id < x->atom->id) return FOUND_NOT; /* operands are older than their users */
    for (int i = 0; e->op == OP_REDUCE && i < e->u.reduce->nvars; i++)
        if (expr_has(e->u.reduce->vars[i]->lo, is_use, x) || expr_has(e->u.reduce->vars[i]->hi, is_use, x))
            return FOUND;
    return FOUND_INSIDE;
}

static bool expr_uses(const Expr *e, const Expr *atom) {
    int left = 10000;
    return expr_has(e, is_use, &(const Use){atom, &left});
}

bool poly_uses(Poly p, const Expr *atom) {
    for (int i = 0; i < p.n; i++)
        for (int k = 0; k < p.term[i].degree; k++)
            if (expr_uses(p.term[i].atom[k], atom)) return true;
    return false;
}

bool poly_linear(Ctx *ctx, Poly p, const Expr *atom, Poly *coef, Poly *rest) {
    if (p.failed) return false;
    PolyTerm *c = NEW_RAW(ctx, PolyTerm, p.n + 1), *r = NEW_RAW(ctx, PolyTerm, p.n + 1);
    int nc = 0, nr = 0;
    for (int i = 0; i < p.n; i++) {
        PolyTerm t = {.coef = p.term[i].coef};
        int times = 0;
        for (int k = 0; k < p.term[i].degree; k++) {
            const Expr *a = p.term[i].atom[k];
            if (a == atom)
                times++;
            else if (expr_uses(a, atom))
                return false;
            else
                t.atom[t.degree++] = a;
        }
        if (times > 1) return false;
        if (times)
            c[nc++] = t;
        else
            r[nr++] = t;
    }
    *coef = poly_make(ctx, c, nc);
    *rest = poly_make(ctx, r, nr);
    return true;
}

static int64_t atom_divisor(const Expr *e) {
    int64_t d;
    if (e->op == OP_DIM) return e->u.dim->divisor;
    if (e->op == OP_DIV && e->arg[0]->op == OP_DIM && expr_is_int(e->arg[1], &d) && d > 0 &&
        e->arg[0]->u.dim->divisor % d == 0)
        return e->arg[0]->u.dim->divisor / d;
    return 1;
}

static int64_t term_divisor(const PolyTerm *t) {
    int64_t d = t->coef < 0 ? -t->coef : t->coef, r;
    for (int k = 0; k < t->degree; k++)
        if (mul_ok(d, atom_divisor(t->atom[k]), &r)) d = r;
    return d;
}

int64_t poly_divisor(Poly p) {
    if (p.failed) return 1;
    int64_t d = 0;
    for (int i = 0; i < p.n; i++) d = gcd64(d, term_divisor(&p.term[i]));
    return d;
}

/* ---- environments ---- */

PolyEnv poly_scratch(const PolyEnv *env) {
    PolyEnv own = *env;
    own.ctx = ctx_temp(poly_ctx(env));
    own.made = own.intervals = NULL;
    return own;
}

PolyEnv poly_with_fact(const PolyEnv *env, const Expr *fact) {
    const Expr **facts = NEW_N(poly_ctx(env), const Expr *, env->nfacts + 1);
    for (int i = 0; i < env->nfacts; i++) facts[i] = env->facts[i];
    facts[env->nfacts] = fact;
    PolyEnv more = *env;
    more.facts = facts;
    more.nfacts++;
    more.made = NULL;
    return more;
}
