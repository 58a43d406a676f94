/* The normal form of float arithmetic: see normal.h. */
#include "normal.h"

#include "ir/expr_is.h"
#include "ir/expr_map.h"

#include <math.h>
#include <string.h>

/* Six significant digits. */
static double rounded(double v) {
    if (v == 0 || !isfinite(v)) return v;
    double unit = pow(10, floor(log10(fabs(v))) - 5);
    return nearbyint(v / unit) * unit;
}

static Normal constant(Ctx *ctx, double v) {
    Normal r = {0, NEW_N(ctx, NormalTerm, NORMAL_TERMS), false};
    if (v != 0) r.term[r.n++] = (NormalTerm){.coef = v};
    return r;
}

static Normal atom(Ctx *ctx, const Expr *e) {
    Normal r = constant(ctx, 1);
    r.term[0].degree = 1;
    r.term[0].atom[0] = e;
    return r;
}

static int compare(const NormalTerm *a, const NormalTerm *b) {
    for (int i = 0; i < a->degree && i < b->degree; i++)
        if (a->atom[i] != b->atom[i]) return a->atom[i]->id < b->atom[i]->id ? -1 : 1;
    return a->degree - b->degree;
}

static void add_term(Normal *r, const NormalTerm *t) {
    int i = 0;
    while (i < r->n && compare(&r->term[i], t) < 0) i++;
    if (i < r->n && !compare(&r->term[i], t)) {
        r->term[i].coef += t->coef;
        r->failed |= fabs(r->term[i].coef) < 1e-12 * fabs(t->coef); /* inf - inf is not 0 */
        return;
    }
    if (r->n == NORMAL_TERMS) {
        r->failed = true;
        return;
    }
    memmove(&r->term[i + 1], &r->term[i], sizeof *t * (size_t)(r->n - i));
    r->term[i] = *t;
    r->n++;
}

static Normal sum(Ctx *ctx, const Normal *a, const Normal *b, double sign) {
    Normal r = constant(ctx, 0);
    r.failed = a->failed || b->failed;
    for (int i = 0; i < a->n; i++) add_term(&r, &a->term[i]);
    for (int i = 0; i < b->n; i++) {
        NormalTerm t = b->term[i];
        t.coef *= sign;
        add_term(&r, &t);
    }
    return r;
}

static bool join(NormalTerm *r, const NormalTerm *a, const NormalTerm *b) {
    *r = (NormalTerm){.coef = a->coef * b->coef};
    if (a->degree + b->degree > NORMAL_DEGREE) return false;
    for (int i = 0, j = 0; i < a->degree || j < b->degree;)
        r->atom[r->degree++] =
            j == b->degree || (i < a->degree && a->atom[i]->id <= b->atom[j]->id) ? a->atom[i++] : b->atom[j++];
    return true;
}

static Normal product(Ctx *ctx, const Normal *a, const Normal *b) {
    Normal r = constant(ctx, 0);
    r.failed = a->failed || b->failed || (!a->n && b->n) || (a->n && !b->n); /* 0 times NaN is not 0 */
    for (int i = 0; i < a->n && !r.failed; i++)
        for (int j = 0; j < b->n && !r.failed; j++) {
            NormalTerm t;
            if (join(&t, &a->term[i], &b->term[j]))
                add_term(&r, &t);
            else
                r.failed = true;
        }
    return r;
}

/* The expression that stands for a normal form inside of an atom. */
static const Expr *written(Graph *g, const Normal *n, Type t) {
    const Expr *r = NULL;
    for (int i = 0; i < n->n; i++) {
        const Expr *e = expr_float(g, t, rounded(n->term[i].coef));
        for (int k = 0; k < n->term[i].degree; k++) e = expr2(g, OP_MUL, e, n->term[i].atom[k]);
        r = r ? expr2(g, OP_ADD, r, e) : e;
    }
    return r ? r : expr_float(g, t, 0);
}

static bool is_float(const Expr *e) { return e->type == TY_F32 || e->type == TY_F64; }

/* A walk: nodes are shared. */
typedef struct Walk {
    Graph *g;
    Ctx *ctx; /* of what it makes */
    ExprMap done;
} Walk;

static const Normal *of(Walk *w, const Expr *e);

/* A function of normal forms. */
static Normal function(Walk *w, const Expr *e) {
    Graph *g = w->g;
    const Expr *a[3];
    if (e->nargs > 3 || e->op == OP_LOAD || e->op == OP_REDUCE) return atom(w->ctx, e);
    for (int i = 0; i < e->nargs; i++) {
        a[i] = e->arg[i];
        if (!is_float(a[i])) continue;
        const Normal *n = of(w, a[i]);
        if (!n->failed) a[i] = written(g, n, a[i]->type);
    }
    if ((e->op == OP_MAX || e->op == OP_MIN) && a[0]->id > a[1]->id) {
        const Expr *swap = a[0];
        a[0] = a[1];
        a[1] = swap;
    }
    return atom(w->ctx, expr_node(g, e->op, e->type, false, e->u.i, a, e->nargs));
}

static Normal power(Walk *w, const Expr *e) {
    const Normal *base = of(w, e->arg[0]);
    Normal r = *base;
    const Expr *n = e->arg[1];
    bool small = n->op == OP_CONST && (n->u.f == 2 || n->u.f == 3 || n->u.f == 4);
    if (!small || base->failed) return function(w, e);
    for (int i = 1; i < (int)n->u.f; i++) r = product(w->ctx, &r, base);
    return r.failed ? function(w, e) : r;
}

static Normal combined(Walk *w, const Expr *e) {
    Graph *g = w->g;
    const Normal a = *of(w, e->arg[0]), none = constant(w->ctx, 0);
    Normal b;
    switch (e->op) {
    case OP_NEG: return sum(w->ctx, &none, &a, -1);
    case OP_SIGMOID: {
        Normal half = constant(w->ctx, 0.5), arg = product(w->ctx, &half, &a);
        Normal t = atom(w->ctx, expr1(g, OP_TANH, written(g, &arg, e->type))), scaled = product(w->ctx, &half, &t);
        return sum(w->ctx, &half, &scaled, 1);
    }
    case OP_DIV:
        b = e->arg[1]->op == OP_CONST ? constant(w->ctx, 1 / e->arg[1]->u.f)
                                      : atom(w->ctx, expr2(g, OP_DIV, expr_float(g, e->type, 1), e->arg[1]));
        return product(w->ctx, &a, &b);
    default: break;
    }
    b = *of(w, e->arg[1]);
    return e->op == OP_MUL ? product(w->ctx, &a, &b) : sum(w->ctx, &a, &b, e->op == OP_SUB ? -1 : 1);
}

static Normal compute(Walk *w, const Expr *e) {
    if (e->op == OP_CONST) return constant(w->ctx, e->u.f);
    if (!is_float(e) || expr_is_uniform(e)) return atom(w->ctx, e);
    Normal r;
    switch (e->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_NEG:
    case OP_SIGMOID: r = combined(w, e); break;
    case OP_DIV: r = expr_is_uniform(e->arg[1]) ? combined(w, e) : function(w, e); break;
    case OP_POW: r = power(w, e); break;
    case OP_CAST:
    case OP_MARK: return atom(w->ctx, e);
    default: r = function(w, e); break;
    }
    return r.failed ? atom(w->ctx, e) : r;
}

static const Normal *of(Walk *w, const Expr *e) {
    const Normal *known = expr_map_get(&w->done, e);
    if (known) return known;
    Normal *n = NEW(w->ctx, Normal);
    *n = compute(w, e);
    expr_map_put(w->ctx, &w->done, e, n);
    return n;
}

Normal normal_of(Graph *g, Ctx *ctx, const Expr *e) {
    Walk w = {.g = g, .ctx = ctx};
    return *of(&w, e);
}

bool normal_equal(const Normal *a, const Normal *b) {
    if (a->failed || b->failed || a->n != b->n) return false;
    for (int i = 0; i < a->n; i++)
        if (compare(&a->term[i], &b->term[i]) || rounded(a->term[i].coef) != rounded(b->term[i].coef)) return false;
    return true;
}
