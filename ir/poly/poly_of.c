/* Polynomials of expressions, floor quotients in normal form, and expressions of polynomials (poly.h). */
#include "poly.h"
#include "poly_prove.h"

#include "ir/expr_map.h"

#include <string.h>

/* The last one made: e / n and e % n mostly come together. */
typedef struct Quotient {
    const Expr *above, *below;
    Poly value;
} Quotient;

typedef struct Maker {
    const PolyEnv *env;
    Graph *g;
    Ctx *ctx;
    int level;
    ExprMap *done; /* Expr -> Poly, of nodes that are likely to be shared */
    Quotient *last;
} Maker;

static Poly divide(const Maker *m, Poly p, Poly q, int tries);

/* The polynomial of an operand of a canonical quotient: nothing in it is left to simplify. */
Poly poly_flat(Graph *g, Ctx *ctx, const Expr *e) {
    int64_t v;
    if (expr_is_int(e, &v)) return poly_const(ctx, v);
    switch (e->type == TY_I64 ? e->op : OP_CONST) {
    case OP_ADD: return poly_add(ctx, poly_flat(g, ctx, e->arg[0]), poly_flat(g, ctx, e->arg[1]));
    case OP_SUB: return poly_sub(ctx, poly_flat(g, ctx, e->arg[0]), poly_flat(g, ctx, e->arg[1]));
    case OP_MUL: return poly_mul(ctx, poly_flat(g, ctx, e->arg[0]), poly_flat(g, ctx, e->arg[1]));
    case OP_NEG: return poly_scale(ctx, poly_flat(g, ctx, e->arg[0]), -1);
    case OP_MOD: {
        Poly q = poly_atom(ctx, expr2(g, OP_DIV, e->arg[0], e->arg[1]));
        return poly_sub(ctx, poly_flat(g, ctx, e->arg[0]), poly_mul(ctx, poly_flat(g, ctx, e->arg[1]), q));
    }
    default: return poly_atom(ctx, e);
    }
}

static bool nonneg(const Maker *m, Poly p) { return poly_nonneg_at(m->env, p, m->level + 1); }

/* 0 <= p < bound */
static bool is_digit(const Maker *m, Poly p, Poly bound) {
    return nonneg(m, p) && nonneg(m, poly_sub(m->ctx, poly_sub(m->ctx, bound, p), poly_const(m->ctx, 1)));
}

static Poly opaque_quotient(const Maker *m, Poly p, Poly q) {
    if (p.failed || q.failed) return poly_failed();
    return poly_atom(m->ctx, expr2(m->g, OP_DIV, poly_expr(m->g, p), poly_expr(m->g, q)));
}

/* The terms of p for which whole[i]; the others. */
static void split(const Maker *m, Poly p, const bool *in, Poly *a, Poly *b) {
    *a = *b = (Poly){0};
    for (int i = 0; i < p.n; i++) {
        Poly t = {.n = 1, .term = &p.term[i]};
        if (in[i])
            *a = poly_add(m->ctx, *a, t);
        else
            *b = poly_add(m->ctx, *b, t);
    }
}

/* k*t/c for a term whose dimensions' divisors supply what c lacks in the coefficient: one exact quotient. */
static bool exact_term(const Maker *m, const PolyTerm *t, int64_t c, Poly *r) {
    int64_t g = gcd64(t->coef, c), need = c / g;
    for (int i = 0; i < t->degree; i++) {
        const Expr *n = t->atom[i];
        if (n->op != OP_DIM || n->u.dim->divisor % need) continue;
        int64_t d = n->u.dim->divisor;
        PolyTerm rest = {.coef = t->coef / g, .degree = t->degree - 1};
        for (int k = 0, o = 0; k < t->degree; k++)
            if (k != i) rest.atom[o++] = t->atom[k];
        Poly whole = poly_atom(m->ctx, expr2(m->g, OP_DIV, n, expr_int(m->g, TY_I64, d)));
        *r = poly_scale(m->ctx, poly_mul(m->ctx, (Poly){.n = 1, .term = &rest}, whole), d / need);
        return !r->failed;
    }
    return false;
}

/* Takes out of *rest what c > 0 divides term by term; the constant is left in 0..c-1. */
static Poly take_multiples(const Maker *m, Poly p, int64_t c, Poly *rest) {
    Poly q = {0};
    *rest = (Poly){0};
    for (int i = 0; i < p.n; i++) {
        PolyTerm t = p.term[i], part = t;
        Poly exact;
        if (t.coef % c && exact_term(m, &t, c, &exact)) {
            q = poly_add(m->ctx, q, exact);
            continue;
        }
        part.coef = t.degree ? t.coef / c : floor_div(t.coef, c);
        t.coef -= part.coef * c;
        if (part.coef) q = poly_add(m->ctx, q, (Poly){.n = 1, .term = &part});
        if (t.coef) *rest = poly_add(m->ctx, *rest, (Poly){.n = 1, .term = &t});
    }
    return q;
}

int64_t poly_constant(Poly p) { return p.n && !p.term[p.n - 1].degree ? p.term[p.n - 1].coef : 0; }

/* p with every coefficient divided by d (the constant rounded down). */
static Poly shrink(const Maker *m, Poly p, int64_t d) {
    Poly r = {0};
    for (int i = 0; i < p.n; i++) {
        PolyTerm t = p.term[i];
        t.coef = floor_div(t.coef, d);
        if (t.coef) r = poly_add(m->ctx, r, (Poly){.n = 1, .term = &t});
    }
    return r;
}

/* A quotient's numerator a single quotient and a constant: (a/b + k)/q = (a + b*k)/(b*q) for b, q > 0. */
static bool nested(const Maker *m, Poly p, Poly q, Poly *r, int tries) {
    if (!p.n || p.term[0].degree != 1 || p.term[0].coef != 1 || p.n > 2 || (p.n == 2 && p.term[1].degree)) return false;
    const Expr *d = p.term[0].atom[0];
    if (d->op != OP_DIV) return false;
    Poly a = poly_flat(m->g, m->ctx, d->arg[0]), b = poly_flat(m->g, m->ctx, d->arg[1]);
    if (!nonneg(m, b) || !nonneg(m, q)) return false; /* a divisor is not 0 */
    a = poly_add(m->ctx, a, poly_scale(m->ctx, b, poly_constant(p)));
    *r = divide(m, a, poly_mul(m->ctx, b, q), tries - 1);
    return !r->failed;
}

/* Whether rest / c is the same everywhere, c > 0. Mostly it is not, and there are examples on both sides of some
 * multiple of c, where bounds would be searched for without an end in sight. */
static bool one_quotient(const Maker *m, Poly rest, int64_t c, int64_t *q) {
    const Interval range = interval_of_poly(m->env, rest);
    int64_t lo, hi, next;
    if (range.lo != INT64_MIN && add_ok(floor_div(range.lo, c) * c, c, &next) && poly_refuted(m->env, rest, next) &&
        poly_refuted(m->env, poly_scale(m->ctx, rest, -1), 1 - next))
        return false;
    poly_bounds(m->env, rest, &lo, &hi);
    *q = floor_div(lo, c);
    return lo != INT64_MIN && hi != INT64_MAX && *q == floor_div(hi, c);
}

/* rest / c for 1 < c, where c divides no term of rest. */
static Poly divide_rest(const Maker *m, Poly rest, int64_t c, int tries) {
    Ctx *ctx = m->ctx;
    int64_t common = c;
    for (int i = 0; i < rest.n; i++)
        if (rest.term[i].degree) common = gcd64(common, rest.term[i].coef);
    if (common > 1) return divide(m, shrink(m, rest, common), poly_const(ctx, c / common), tries - 1);
    if (is_digit(m, rest, poly_const(ctx, c))) return (Poly){0};
    int64_t q;
    if (one_quotient(m, rest, c, &q)) return poly_const(ctx, q);
    /* (d*A + B)/c = A/(c/d) for 0 <= B < d, d dividing c */
    for (int i = 0; i < rest.n && rest.n <= POLY_MAX_TERMS; i++) {
        int64_t d = rest.term[i].degree ? gcd64(rest.term[i].coef, c) : 1;
        if (d == 1) continue;
        bool in[POLY_MAX_TERMS];
        for (int k = 0; k < rest.n; k++) in[k] = rest.term[k].degree && rest.term[k].coef % d == 0;
        Poly a, b;
        split(m, rest, in, &a, &b);
        int64_t k = poly_constant(b), k_part = k - floor_mod(k, d);
        a = poly_add(ctx, a, poly_const(ctx, k_part));
        b = poly_sub(ctx, b, poly_const(ctx, k_part));
        if (is_digit(m, b, poly_const(ctx, d))) return divide(m, shrink(m, a, d), poly_const(ctx, c / d), tries - 1);
    }
    Poly r;
    if (nested(m, rest, poly_const(ctx, c), &r, tries)) return r;
    return opaque_quotient(m, rest, poly_const(ctx, c));
}

/* The terms of p that the monomial d divides, divided; the rest. */
static Poly take_monomial(const Maker *m, Poly p, const PolyTerm *d, Poly *rest) {
    Poly q = {0};
    *rest = (Poly){0};
    for (int i = 0; i < p.n; i++) {
        PolyTerm t;
        if (p.term[i].coef % d->coef == 0 && term_divide(&p.term[i], d, &t)) {
            t.coef = p.term[i].coef / d->coef;
            q = poly_add(m->ctx, q, (Poly){.n = 1, .term = &t});
        } else {
            *rest = poly_add(m->ctx, *rest, (Poly){.n = 1, .term = &p.term[i]});
        }
    }
    return q;
}

/* p/q by a monomial q in two steps: (d*A + B)/(d*e) = A/e for 0 <= B < d and e > 0. */
static bool divide_by_part(const Maker *m, Poly p, const PolyTerm *q, Poly *r, int tries) {
    for (unsigned mask = 0; mask < 2u << q->degree; mask++) {
        PolyTerm d = {.coef = 1}, e = {.coef = q->coef};
        if (mask >> q->degree) {
            d.coef = q->coef;
            e.coef = 1;
        }
        for (int i = 0; i < q->degree; i++) {
            PolyTerm *to = mask >> i & 1 ? &d : &e;
            to->atom[to->degree++] = q->atom[i];
        }
        if ((!d.degree && d.coef == 1) || (!e.degree && e.coef == 1)) continue;
        Poly b, a = take_monomial(m, p, &d, &b), divisor = {.n = 1, .term = &e};
        if (!a.n || !is_digit(m, b, (Poly){.n = 1, .term = &d}) || !nonneg(m, divisor)) continue;
        *r = divide(m, a, divisor, tries - 1);
        return true;
    }
    return false;
}

/* p = q*quotient + rest by leading terms, where that comes to an end. */
static Poly take_polynomial(const Maker *m, Poly p, Poly q, Poly *rest) {
    Poly quotient = {0};
    *rest = p;
    for (int round = 0; round < 16; round++) {
        PolyTerm t = {0};
        bool found = false;
        for (int i = 0; i < rest->n && !found; i++) {
            found = rest->term[i].coef % q.term[0].coef == 0 && term_divide(&rest->term[i], &q.term[0], &t);
            if (found) t.coef = rest->term[i].coef / q.term[0].coef;
        }
        if (!found) return quotient;
        Poly one = {.n = 1, .term = &t};
        Poly less = poly_sub(m->ctx, *rest, poly_mul(m->ctx, one, q));
        if (less.failed || less.n > rest->n + 1) return quotient;
        *rest = less;
        quotient = poly_add(m->ctx, quotient, one);
    }
    return quotient;
}

static Poly divide_symbolic(const Maker *m, Poly p, Poly q, int tries) {
    Poly rest, whole;
    if (q.n == 1)
        whole = take_monomial(m, p, &q.term[0], &rest);
    else
        whole = take_polynomial(m, p, q, &rest);
    if (!rest.n && !rest.failed) return whole;
    if (is_digit(m, rest, q)) return whole;
    int64_t c;
    if (poly_is_const(rest, &c) && c < 0 && nonneg(m, c == -1 ? q : poly_add(m->ctx, q, rest))) /* a divisor is not 0 */
        return poly_sub(m->ctx, whole, poly_const(m->ctx, 1));
    Poly part;
    if ((q.n == 1 && divide_by_part(m, rest, &q.term[0], &part, tries)) || nested(m, rest, q, &part, tries))
        return poly_add(m->ctx, whole, part);
    return poly_add(m->ctx, whole, opaque_quotient(m, rest, q));
}

static Poly divide(const Maker *m, Poly p, Poly q, int tries) {
    if (p.failed || q.failed) return poly_failed();
    int64_t c;
    if (tries <= 0) return opaque_quotient(m, p, q);
    if (!poly_is_const(q, &c)) return divide_symbolic(m, p, q, tries);
    if (c == 0 || c == INT64_MIN) return opaque_quotient(m, p, q);
    if (c < 0) {
        c = -c;
        p = poly_scale(m->ctx, p, -1);
    }
    Poly rest, whole = take_multiples(m, p, c, &rest);
    if (!rest.n && !rest.failed) return whole;
    return poly_add(m->ctx, whole, divide_rest(m, rest, c, tries));
}

static Poly extreme(const Maker *m, const Expr *e, Poly a, Poly b) {
    bool min = e->op == OP_MIN;
    if (nonneg(m, poly_sub(m->ctx, b, a))) return min ? a : b;
    if (nonneg(m, poly_sub(m->ctx, a, b))) return min ? b : a;
    if (a.failed || b.failed) return poly_atom(m->ctx, e);
    const Expr *x = poly_expr(m->g, a), *y = poly_expr(m->g, b);
    return poly_atom(m->ctx, x->id < y->id ? expr2(m->g, e->op, x, y) : expr2(m->g, e->op, y, x));
}

static Poly make(const Maker *m, const Expr *e);

/* The quotient of two operands, whose polynomials are a and b. */
static Poly quotient(const Maker *m, const Expr *above, const Expr *below, Poly a, Poly b) {
    if (m->last->above != above || m->last->below != below) {
        Poly q = divide(m, a, b, 8);
        *m->last = (Quotient){above, below, q};
    }
    return m->last->value;
}

static Poly make_operator(const Maker *m, const Expr *e) {
    Ctx *ctx = m->ctx;
    Poly a = make(m, e->arg[0]), b = e->nargs > 1 ? make(m, e->arg[1]) : a, q;
    switch (e->op) {
    case OP_ADD: return poly_add(ctx, a, b);
    case OP_SUB: return poly_sub(ctx, a, b);
    case OP_MUL: return poly_mul(ctx, a, b);
    case OP_NEG: return poly_scale(ctx, a, -1);
    case OP_DIV: return quotient(m, e->arg[0], e->arg[1], a, b);
    case OP_MOD: q = quotient(m, e->arg[0], e->arg[1], a, b); return poly_sub(ctx, a, poly_mul(ctx, b, q));
    case OP_MIN:
    case OP_MAX: return extreme(m, e, a, b);
    default: return poly_atom(ctx, e);
    }
}

/* Whether p's values are all of the integer type t. */
static bool fits(const Maker *m, Poly p, Type t) {
    enum { FUEL = 40 };
    int64_t least, most;
    if (p.failed || !type_int_range(t, &least, &most)) return false;
    if (poly_lower(m->env, p, least, FUEL, m->level + 1) < least) return false;
    return poly_lower(m->env, poly_scale(m->ctx, p, -1), -most, FUEL, m->level + 1) >= -most;
}

/* The value of an integer e of any type. Arithmetic in a narrower type is arithmetic of integers where it does not
 * wrap. */
static Poly make_wide(const Maker *m, const Expr *e) {
    while (expr_is_mark(e)) e = e->arg[0];
    const Expr *wide = expr_cast(m->g, TY_I64, e);
    int64_t least, most;
    if (e->type == TY_I64 || expr_is_int(e, &most)) return make(m, wide);
    if (e->depth > MAX_DEPTH || !type_int_range(e->type, &least, &most)) return poly_atom(m->ctx, wide);
    if (e->op == OP_CAST && type_int_range(e->arg[0]->type, &least, &most)) {
        Poly p = make_wide(m, e->arg[0]);
        return fits(m, p, e->type) ? p : poly_atom(m->ctx, wide);
    }
    if (op_rule(e->op) != RULE_ARITH || e->nargs < 1) return poly_atom(m->ctx, wide);
    const Expr *arg[2];
    for (int i = 0; i < e->nargs && i < 2; i++) arg[i] = poly_expr(m->g, make_wide(m, e->arg[i]));
    Poly p = make(m, expr_node(m->g, e->op, TY_I64, false, 0, arg, e->nargs));
    return fits(m, p, e->type) ? p : poly_atom(m->ctx, wide);
}

static Poly make(const Maker *m, const Expr *e) {
    int64_t v;
    while (expr_is_mark(e)) e = e->arg[0];
    if (expr_is_int(e, &v)) return poly_const(m->ctx, v);
    if (e->op == OP_CAST && e->type == TY_I64 && expr_is_int(e->arg[0], &v)) return poly_const(m->ctx, v);
    if (e->op == OP_CAST && e->type == TY_I64 && e->arg[0]->op != OP_LOAD) return make_wide(m, e->arg[0]);
    const PolyResidue *r = m->env->nresidues ? poly_residue_of(m->env, e) : NULL;
    if (r) return poly_by_residue(m->ctx, r);
    if (e->type != TY_I64 || op_rule(e->op) != RULE_ARITH || e->depth > MAX_DEPTH) return poly_atom(m->ctx, e);
    const Poly *known = expr_map_get(m->done, e);
    if (known) return *known;
    Poly p = make_operator(m, e);
    if (e->depth < 4) return p;
    Poly *kept = NEW(m->ctx, Poly);
    *kept = p;
    expr_map_put(m->ctx, m->done, e, kept);
    return p;
}

/* What is computed on the way goes; the polynomial is copied out of it. */
Poly poly_of_at(const PolyEnv *env, const Expr *e, int level) {
    Ctx *ctx = poly_ctx(env);
    if (!e->nargs && e->type == TY_I64 && e->op != OP_CONST && !env->nresidues) return poly_atom(ctx, e);
    const Poly *before = env->made && !level ? expr_map_get(env->made, e) : NULL;
    if (before) return *before;
    PolyEnv inner = poly_scratch(env);
    ExprMap done = {0};
    Quotient last = {0};
    Maker m = {.env = &inner, .g = env->g, .ctx = inner.ctx, .level = level, .done = &done, .last = &last};
    Poly p = make(&m, e);
    if (p.term) {
        PolyTerm *t = NEW_RAW(ctx, PolyTerm, p.n);
        memcpy(t, p.term, sizeof *t * (size_t)p.n);
        p.term = t;
    }
    ctx_temp_end(inner.ctx);
    if (env->made && !level) {
        Poly *kept = NEW(ctx, Poly);
        *kept = p;
        expr_map_put(ctx, env->made, e, kept);
    }
    return p;
}

Poly poly_of(const PolyEnv *env, const Expr *e) { return poly_of_at(env, e, 0); }

/* ---- back to expressions ---- */

static const Expr *term_expr(Graph *g, const PolyTerm *t, int64_t coef) {
    PolyTerm x = *t;
    for (int i = 0; i < x.degree; i++) { /* 4*(N/8) for a divisible N is N/2 */
        int64_t d, common;
        const Expr *n = x.atom[i];
        if (n->op != OP_DIV || n->arg[0]->op != OP_DIM || !expr_is_int(n->arg[1], &d)) continue;
        if (d < 2 || n->arg[0]->u.dim->divisor != d || (common = gcd64(coef, d)) < 2) continue;
        coef /= common;
        x.atom[i] = expr2(g, OP_DIV, n->arg[0], expr_int(g, TY_I64, d / common));
    }
    const Expr *e = coef != 1 || !x.degree ? expr_int(g, TY_I64, coef) : NULL;
    for (int i = 0; i < x.degree; i++) e = e ? expr2(g, OP_MUL, e, x.atom[i]) : x.atom[i];
    return e;
}

/* Where p holds c*m*(a - b*(a/b)), takes it out: *mod is c*m*(a % b). */
static bool take_remainder(Graph *g, Ctx *ctx, Poly *p, PolyTerm *mod) {
    for (int i = 0; i < p->n; i++)
        for (int n = 0; n < p->term[i].degree; n++) {
            const Expr *d = p->term[i].atom[n];
            if (d->op != OP_DIV) continue;
            Poly a = poly_flat(g, ctx, d->arg[0]), b = poly_flat(g, ctx, d->arg[1]);
            Poly whole = poly_mul(ctx, b, poly_atom(ctx, d));
            if (whole.failed || !whole.n || whole.n > p->n || p->term[i].coef % whole.term[0].coef) continue;
            PolyTerm m;
            if (!term_divide(&p->term[i], &whole.term[0], &m) || m.degree == POLY_MAX_DEGREE) continue;
            m.coef = -(p->term[i].coef / whole.term[0].coef);
            Poly part = poly_mul(ctx, poly_sub(ctx, a, whole), (Poly){.n = 1, .term = &m});
            Poly r = poly_sub(ctx, *p, part);
            if (r.failed || r.n >= p->n) continue;
            *p = r;
            *mod = m;
            mod->atom[mod->degree++] = expr2(g, OP_MOD, d->arg[0], d->arg[1]);
            return true;
        }
    return false;
}

static const Expr *append(Graph *g, const Expr *sum, const Expr *term, bool minus) {
    if (!sum) return minus ? expr1(g, OP_NEG, term) : term;
    return expr2(g, minus ? OP_SUB : OP_ADD, sum, term);
}

Poly poly_offset(const PolyEnv *env, const Tensor *t, const Expr *const *subs) {
    Ctx *ctx = poly_ctx(env);
    Poly p = poly_const(ctx, 0);
    for (int d = 0; d < t->rank; d++)
        p = poly_add(ctx, poly_mul(ctx, p, poly_of(env, t->shape[d])), poly_of(env, subs[d]));
    return p;
}

static int64_t magnitude(int64_t c) { return c < 0 ? -c : c; }

const Expr *poly_expr(Graph *g, Poly p) {
    PolyTerm mods[POLY_MAX_TERMS];
    int nmods = 0;
    Ctx *ctx = ctx_temp(g->ctx);
    while (nmods < POLY_MAX_TERMS && take_remainder(g, ctx, &p, &mods[nmods])) nmods++;
    int64_t c = poly_constant(p);
    int n = p.n - (c != 0);
    const Expr *sum = NULL;
    for (int minus = 0; minus < 2; minus++) {
        for (int i = 0; i < n; i++)
            if ((p.term[i].coef < 0) == minus)
                sum = append(g, sum, term_expr(g, &p.term[i], magnitude(p.term[i].coef)), minus);
        for (int i = 0; i < nmods; i++)
            if ((mods[i].coef < 0) == minus)
                sum = append(g, sum, term_expr(g, &mods[i], magnitude(mods[i].coef)), minus);
        if (!sum && c > 0) { /* a constant stands first where all else is subtracted */
            sum = expr_int(g, TY_I64, c);
            c = 0;
        }
    }
    if (!sum)
        sum = expr_int(g, TY_I64, c);
    else if (c)
        sum = append(g, sum, expr_int(g, TY_I64, magnitude(c)), c < 0);
    ctx_temp_end(ctx);
    return sum;
}
