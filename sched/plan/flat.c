/* Axes made one: where each access of a map walks two axes as one, in row-major order, the map has one axis f of both,
 * and the index variables become f / n and f % n. Vectors and blocks of threads then lie along whole tensors, whatever
 * the length of a row. A tensor that has only the inner axis (a bias) is read at f % n, one that has only the outer one
 * (a scale of each row) at f / n, and so are indices in values: that costs a division, so it is done only where rows
 * may not end on lines of the cache, and not where a function of the outer axis alone would be computed for each
 * element of rows that are known to be long. Folds and scans keep their axes. */
#include "plan.h"
#include "ir/expr_walk.h"
#include "ir/poly/poly.h"

#include <string.h>

enum { LINE = 128 /* bytes */, LONG = 256 /* elements of a row */ };

typedef struct Flat {
    Group *gr;
    Ctx *temp;
    PolyEnv env;
    int a, b;   /* axes: the outer, the inner */
    Poly inner; /* the extent of b */
    bool both;  /* an access has the two, and the inner's elements are neighbours */
    bool lines; /* every such access has rows that end on lines */
    bool one;   /* an access, or an index in a value, has one of the two alone */
    bool rowly; /* a function has the outer one alone, and rows are known to be long */
    ExprMap seen;
} Flat;

static const Expr *axis_var(const Flat *x, int a) { return expr_var(x->gr->graph, x->gr->axes.at[a].var); }

/* Whether an access allows it; notes what it says of it. */
static bool access_allows(Flat *x, const Tensor *t, const Expr *const *subs, bool store) {
    Poly offset = poly_offset(&x->env, t, subs), by_a, by_b, rest;
    int64_t one;
    if (offset.failed || !poly_linear(x->temp, offset, axis_var(x, x->a), &by_a, &rest) ||
        !poly_linear(x->temp, rest, axis_var(x, x->b), &by_b, &rest))
        return false;
    bool near = poly_is_const(by_b, &one) && one == 1;
    if (!by_a.n && !by_b.n) return !store;
    if (!by_a.n || !by_b.n) {
        x->one = true;
        return !store && (near || !by_b.n);
    }
    if (near) x->both = true;
    if (poly_divisor(x->inner) * type_bits(t->type) % (LINE * 8)) x->lines = false;
    return poly_eq(by_a, poly_mul(x->temp, by_b, x->inner));
}

static bool is_of_rows(const Flat *x, const Expr *e) {
    const GAxis *b = &x->gr->axes.at[x->b];
    if (op_form(e->op) != FORM_CALL || op_rule(e->op) != RULE_FLOAT) return false;
    if (!expr_guess_is_told(b->var->hi) || b->guess < LONG) return false;
    const AxisSet free = group_free(x->gr, e);
    return (free >> x->a & 1) && !(free >> x->b & 1);
}

typedef enum Within { IN_VALUE, IN_SUBSCRIPT, IN_CONDITION } Within; /* a condition of loads, or of a store */

/* All accesses of e allow it. Notes what uses one of the two in values. */
static bool allows(Flat *x, const Expr *e, Within in) {
    if (e->op == OP_VAR && in != IN_SUBSCRIPT) {
        const bool one = e->u.var == x->gr->axes.at[x->a].var || e->u.var == x->gr->axes.at[x->b].var;
        if (one && in == IN_CONDITION) return false;
        x->one |= one;
    }
    if (in != IN_SUBSCRIPT) x->rowly |= is_of_rows(x, e);
    if (!e->nargs || (in == IN_VALUE && expr_map_get(&x->seen, e))) return true;
    if (in == IN_VALUE) expr_map_put(x->temp, &x->seen, e, e);
    if (e->op == OP_LOAD && !access_allows(x, e->u.tensor, (const Expr *const *)e->arg, false)) return false;
    for (int i = 0; i < e->nargs; i++) {
        const bool decides = !i && e->loads && (e->op == OP_IF || e->op == OP_AND || e->op == OP_OR);
        const Within inside = e->op == OP_LOAD ? IN_SUBSCRIPT : in == IN_VALUE && decides ? IN_CONDITION : in;
        if (!allows(x, e->arg[i], inside)) return false;
    }
    return true;
}

static bool stores_allow(Flat *x) {
    AxisSet pair = (AxisSet)1 << x->a | (AxisSet)1 << x->b;
    for (int i = 0; i < x->gr->stores.n; i++) {
        const GStore *s = &x->gr->stores.at[i];
        if ((s->axes & pair) != pair || !access_allows(x, s->tensor, s->subs, true)) return false;
        if (!allows(x, s->value, IN_VALUE) || (s->guard && !allows(x, s->guard, IN_CONDITION))) return false;
        for (int d = 0; d < s->tensor->rank; d++)
            if (!allows(x, s->subs[d], IN_SUBSCRIPT)) return false;
    }
    return true;
}

static int64_t product(int64_t a, int64_t b, int64_t none) {
    int64_t r;
    return a >= 0 && b >= 0 && mul_ok(a, b, &r) ? r : none;
}

static bool starts_at_zero(const GAxis *a) {
    int64_t lo;
    return expr_is_int(a->var->lo, &lo) && lo == 0;
}

static bool may_merge(Flat *x, bool with_one) {
    const Group *gr = x->gr;
    const GAxis *a = &gr->axes.at[x->a], *b = &gr->axes.at[x->b];
    if (!starts_at_zero(a) || !starts_at_zero(b)) return false;
    /* Apart, each may have indices of 32 bits. */
    const bool told = expr_guess_is_told(a->var->hi) && expr_guess_is_told(b->var->hi);
    if (told && product(a->guess, b->guess, INT64_MAX) > INT32_MAX) return false;
    x->inner = poly_of(&x->env, gr->axes.at[x->b].var->hi);
    x->both = x->one = x->rowly = false;
    x->lines = true;
    x->seen = (ExprMap){0};
    if (x->inner.failed || !stores_allow(x)) return false;
    return !x->one || (with_one && x->both && !x->lines && !x->rowly);
}

/* ---- the axis of both ---- */

static GAxis axis_of_both(const Flat *x) {
    Graph *g = x->gr->graph;
    const GAxis *a = &x->gr->axes.at[x->a], *b = &x->gr->axes.at[x->b];
    GAxis r = {.name = group_axis_name(x->gr, sym_fmt(g->ctx, "%s%s", a->name, b->name)), .merged = true};
    r.var = graph_var(g, r.name, a->var->lo, expr2(g, OP_MUL, a->var->hi, b->var->hi));
    r.extent = product(a->extent, b->extent, -1);
    r.most = product(a->most, b->most, -1);
    if (r.most >= INT32_MAX) r.most = -1;
    r.guess = product(a->guess, b->guess, INT64_MAX);
    r.indexed = a->indexed && b->indexed;
    r.contiguous = a->contiguous + b->contiguous;
    return r;
}

/* Loads that exist, at the subscripts that they get. */
typedef struct Whole {
    Group *gr;
    const Expr *const *from, *const *to; /* the two axes */
} Whole;

static Found note_whole(const Expr *e, void *user) {
    const Whole *w = user;
    if (e->op == OP_LOAD && (load_exists(e) || expr_map_get(&w->gr->whole, e))) {
        const Expr *r = expr_replace(w->gr->graph, e, w->from, w->to, 2);
        expr_map_put(w->gr->graph->ctx, &w->gr->whole, r, r);
    }
    return FOUND_INSIDE;
}

static AxisSet without(AxisSet s, int b) {
    AxisSet low = ((AxisSet)1 << b) - 1;
    return (s & low) | (s >> 1 & ~low);
}

static void merge(Flat *x) {
    Group *gr = x->gr;
    Graph *g = gr->graph;
    const GAxis both = axis_of_both(x);
    const Expr *f = expr_var(g, both.var), *n = poly_expr(g, x->inner);
    const Expr *const from[] = {axis_var(x, x->a), axis_var(x, x->b)};
    const Expr *const to[] = {expr2(g, OP_DIV, f, n), expr2(g, OP_MOD, f, n)};
    Whole whole = {.gr = gr, .from = from, .to = to};
    ExprWalk walk = {.temp = x->temp, .before = note_whole, .user = &whole, .loads = true};
    for (int i = 0; i < gr->stores.n; i++) {
        GStore *s = &gr->stores.at[i];
        const Expr **subs = NEW_N(g->ctx, const Expr *, s->tensor->rank);
        expr_walk(&walk, s->value);
        expr_walk(&walk, s->guard);
        for (int d = 0; d < s->tensor->rank; d++) subs[d] = expr_replace(g, s->subs[d], from, to, 2);
        s->subs = subs;
        s->value = expr_replace(g, s->value, from, to, 2);
        if (s->guard) s->guard = expr_replace(g, s->guard, from, to, 2);
        s->axes = without(s->axes, x->b); /* it has both */
    }
    gr->axes.at[x->a] = both;
    memmove(&gr->axes.at[x->b], &gr->axes.at[x->b + 1], sizeof(GAxis) * (size_t)(gr->axes.n - x->b - 1));
    gr->axes.n--;
    gr->free = (ExprMap){0};
}

static bool merge_some(Flat *x, bool with_one) {
    int n = x->gr->axes.n;
    for (x->a = 0; x->a < n; x->a++)
        for (x->b = 0; x->b < n; x->b++)
            if (x->a != x->b && may_merge(x, with_one)) {
                merge(x);
                return true;
            }
    return false;
}

/* Pairs that cost nothing first: of batch, row and column, with a bias along columns, batch and row. */
static void flatten(Group *gr) {
    if (gr->steps.n || gr->product) return;
    Ctx *temp = ctx_temp(gr->graph->ctx);
    Flat x = {.gr = gr, .temp = temp, .env = {.g = gr->graph, .ctx = temp}};
    while (merge_some(&x, false) || merge_some(&x, true)) {
    }
    ctx_temp_end(temp);
}

void flat_groups(Plan *plan) {
    for (int i = 0; i < plan->groups.n; i++) flatten(plan->groups.at[i]);
}
