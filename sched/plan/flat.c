/* Axes made one: where each access walks two axes as one, in row-major order, the group has one axis f of both, and the
 * index variables become f / n and f % n. Vectors and blocks of threads then lie along whole tensors, whatever the
 * length of a row. A tensor that has only the inner axis (a bias) is read at f % n, one that has only the outer one (a
 * scale of each row) at f / n, and so are indices in values: that costs a division. A map has it only where rows may
 * not end on lines of the cache, and not where a function of the outer axis alone would be computed for each element of
 * long rows.
 *
 * What is folded or scanned keeps its axis. Of columns of which nothing is said how many there are those along two axes
 * become one: all that is chosen by sizes depends on fewer lengths then. Axes that tell rows apart become one where
 * that costs nothing; and where nothing is said of their lengths, and what is loaded has them in another order, also at
 * the cost of divisions, once a row: all that is chosen by sizes then depends on how many rows there are, and not on
 * how that is a product of lengths, for which the sizes at which schedules are compared are too few. */
#include "plan.h"
#include "ir/expr_walk.h"
#include "ir/poly/poly.h"

#include <string.h>

enum { LINE = 128 /* bytes */, LONG = 256 /* elements of a row */, WINDOW = 16 /* of no row */ };

typedef struct Flat {
    VEC(Group *)
    all;       /* the group, and what divides it: of those that have its axes, in their order, all or none merge */
    Group *gr; /* one of them */
    Ctx *temp;
    PolyEnv env;
    bool folds;  /* axes are looked for that all steps fold, else such as none folds */
    int a, b;    /* axes: the outer, the inner */
    Poly inner;  /* the extent of b */
    bool both;   /* an access has the two, and the inner's elements are neighbours */
    bool lines;  /* every such access has rows that end on lines */
    bool one;    /* an access, or an index in a value, has one of the two alone */
    bool split;  /* an access has both, but does not walk them as one */
    bool beside; /* elements of what is folded are neighbours along the inner one */
    bool rows;   /* or along what is folded */
    bool rowly;  /* a function has the outer one alone, and rows are long */
    ExprMap seen;
} Flat;

static bool is_both_or_none(const Flat *x, AxisSet set) { return (set >> x->a & 1) == (set >> x->b & 1); }

/* Steps that all fold both axes, in any order, or neither, and have values, and what they join, of both or of none. */
static bool steps_allow(const Flat *x) {
    const Group *gr = x->gr;
    const AxisSet pair = (AxisSet)1 << x->a | (AxisSet)1 << x->b;
    for (int i = 0; i < gr->steps.n; i++) {
        const GStep *s = &gr->steps.at[i];
        const bool folds = s->over & pair;
        if (folds != x->folds || !is_both_or_none(x, s->over) || !is_both_or_none(x, s->free)) return false;
        if (folds && (s->scan || s->joined[0] || s->monoid->ordered || s->monoid->indexed)) return false;
        if (!is_both_or_none(x, s->joined[0]) || !is_both_or_none(x, s->joined[1])) return false;
    }
    return is_both_or_none(x, gr->across) && is_both_or_none(x, gr->bounded) && x->a != gr->split && x->b != gr->split;
}

static const Expr *axis_var(const Flat *x, int a) { return expr_var(x->gr->graph, x->gr->axes.at[a].var); }

/* One of the two, which does not stand in what is loaded. */
static Found is_of_pair(const Expr *e, const void *flat) {
    const Flat *x = flat;
    if (e->op == OP_LOAD) return FOUND_NOT;
    return e == axis_var(x, x->a) || e == axis_var(x, x->b) ? FOUND : FOUND_INSIDE;
}

static bool is_folded(const Flat *x, const Expr *e) {
    const AxisSet free = group_free(x->gr, e);
    bool folded = false;
    for (int a = 0; a < x->gr->axes.n; a++) folded |= free >> a & 1 && x->gr->axes.at[a].folded;
    return folded;
}

/* Whether an access has an axis that is folded. */
static bool has_folded(const Flat *x, const Expr *const *subs, int rank) {
    bool folded = false;
    for (int d = 0; d < rank; d++) folded |= is_folded(x, subs[d]);
    return folded;
}

/* Whether an access allows it; notes what it says of it. */
static bool access_allows(Flat *x, const Tensor *t, const Expr *const *subs, bool store) {
    const bool folds = x->gr->steps.n;
    Poly offset = poly_offset(&x->env, t, subs), by_a, by_b, rest;
    int64_t one;
    bool at_data = folds && !store; /* where rows lie says data, of which each row has its own */
    for (int d = 0; d < t->rank && at_data; d++) at_data = !expr_has(subs[d], is_of_pair, x);
    if (at_data) return true;
    x->beside |= t->rank && expr_has(subs[t->rank - 1], is_of_pair, x) && has_folded(x, subs, t->rank);
    x->rows |= t->rank && is_folded(x, subs[t->rank - 1]);
    if (offset.failed || !poly_linear(x->temp, offset, axis_var(x, x->a), &by_a, &rest) ||
        !poly_linear(x->temp, rest, axis_var(x, x->b), &by_b, &rest)) {
        x->split = true;
        return folds && !store;
    }
    bool near = poly_is_const(by_b, &one) && one == 1;
    if (!by_a.n && !by_b.n) return !store;
    if (!by_a.n || !by_b.n) {
        x->one = true;
        return !store && (near || !by_b.n || folds);
    }
    if (near) x->both = true;
    if (poly_divisor(x->inner) * type_bits(t->type) % (LINE * 8)) x->lines = false;
    const bool as_one = poly_eq(by_a, poly_mul(x->temp, by_b, x->inner));
    x->split |= !as_one;
    return as_one || (folds && !store);
}

static bool is_of_rows(const Flat *x, const Expr *e) {
    const GAxis *b = &x->gr->axes.at[x->b];
    if (op_form(e->op) != FORM_CALL || op_rule(e->op) != RULE_FLOAT) return false;
    if (expr_guess_is_told(b->var->hi) ? b->guess < LONG : e->op == OP_SQRT || e->op == OP_RSQRT) return false;
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
        const bool decides =
            !i && ((e->loads && (e->op == OP_IF || e->op == OP_AND || e->op == OP_OR)) || e->op == OP_REDUCE);
        const Within inside = e->op == OP_LOAD ? IN_SUBSCRIPT : in == IN_VALUE && decides ? IN_CONDITION : in;
        if (!allows(x, e->arg[i], inside)) return false;
    }
    return true;
}

static bool stores_allow(Flat *x) {
    AxisSet pair = (AxisSet)1 << x->a | (AxisSet)1 << x->b;
    for (int i = 0; i < x->gr->stores.n; i++) {
        const GStore *s = &x->gr->stores.at[i];
        const bool along = s->axes & pair; /* else it is of what is folded */
        if (!is_both_or_none(x, s->axes) || (!along && !x->folds)) return false;
        if (along && !access_allows(x, s->tensor, s->subs, true)) return false;
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

/* Whether a fold has rows along another axis than the two, which tell these apart; tiles of a product have more use of
 * each. */
static bool are_of_rows(const Flat *x) {
    int most = 0;
    for (int i = 0; i < x->gr->steps.n; i++)
        if (x->gr->steps.at[i].joined[0]) return false;
    for (int i = 0; i < x->gr->axes.n; i++) {
        const GAxis *axis = &x->gr->axes.at[i];
        const bool row = (axis->folded || axis->scanned) && (axis->extent < 0 || axis->extent > WINDOW);
        if (row && axis->contiguous > most) most = axis->contiguous;
    }
    return x->gr->axes.at[x->a].contiguous < most && x->gr->axes.at[x->b].contiguous < most;
}

static bool has_scan(const Group *gr) {
    bool any = false;
    for (int i = 0; i < gr->steps.n; i++) any |= gr->steps.at[i].scan;
    return any;
}

static bool group_allows(Flat *x, bool with_one) {
    const Group *gr = x->gr;
    const GAxis *a = &gr->axes.at[x->a], *b = &gr->axes.at[x->b];
    if (!starts_at_zero(a) || !starts_at_zero(b)) return false;
    /* Apart, each may have indices of 32 bits. */
    const bool told = expr_guess_is_told(a->var->hi) && expr_guess_is_told(b->var->hi);
    if (told && product(a->guess, b->guess, INT64_MAX) > INT32_MAX) return false;
    x->inner = poly_of(&x->env, gr->axes.at[x->b].var->hi);
    x->both = x->one = x->split = x->beside = x->rows = x->rowly = false;
    x->lines = true;
    x->seen = (ExprMap){0};
    if (x->inner.failed || !steps_allow(x) || !stores_allow(x)) return false;
    if (x->folds) return x->both && !x->one && !x->split;
    /* Columns: threads go on from one axis to the next where that pays. */
    if (gr->steps.n && x->both && ((told && x->lines) || x->one || x->split || !x->beside || x->rows || has_scan(gr)))
        return false;
    if (gr->steps.n) return !(x->one || x->split) || (with_one && !told && x->split && !x->beside && are_of_rows(x));
    return !x->one || (with_one && x->both && !x->lines && !x->rowly);
}

static bool may_merge(Flat *x, bool with_one) {
    bool may = true;
    for (int i = 0; i < x->all.n && may; i++) {
        x->gr = x->all.at[i];
        may = group_allows(x, with_one);
    }
    return may;
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
    r.folded = a->folded && b->folded;
    r.whole = a->whole && b->whole;
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

/* A set of axes where b has become one with another that is in it, too, if b is. */
static AxisSet without(AxisSet s, int b) {
    AxisSet low = ((AxisSet)1 << b) - 1;
    return (s & low) | (s >> 1 & ~low);
}

/* Nodes that become others, in steps and stores: those of the axes, and of folds whose axes or operands change. */
typedef struct Becomes {
    VEC(const Expr *) from, to;
} Becomes;

static void becomes(Ctx *ctx, Becomes *b, const Expr *from, const Expr *to) {
    vec_push(ctx, &b->from, from);
    vec_push(ctx, &b->to, to);
}

static const Expr *become(const Flat *x, const Becomes *b, const Expr *e) {
    return expr_replace(x->gr->graph, e, b->from.at, b->to.at, b->from.n);
}

static void merge_step(const Flat *x, GStep *s, Becomes *b) {
    const Expr *args[1 + MAX_PARTS], *first = NULL;
    s->free = without(s->free, x->b);
    s->over = without(s->over, x->b);
    s->under = without(s->under, x->b);
    for (int k = 0; k < 2; k++) s->joined[k] = without(s->joined[k], x->b);
    for (int i = 0; i < s->node->nargs; i++) args[i] = become(x, b, s->node->arg[i]);
    for (int k = 0; k < MAX_PARTS; k++) {
        if (!s->part[k]) continue;
        const Expr *part = group_fold(x->gr, s, s->part[k], args);
        if (s->part[k] == s->node) first = part;
        becomes(x->temp, b, s->part[k], part);
        s->part[k] = part;
    }
    s->node = first;
    s->guard = s->node->arg[0];
    s->body = s->node->arg[1];
    s->into = without(s->into, x->b);
    if (s->key) s->key = become(x, b, s->key);
    if (s->rest) s->rest = become(x, b, s->rest);
}

/* Another group may have the old ones. */
static void merge_axes(const Flat *x, GAxis both) {
    Group *gr = x->gr;
    GAxis *axes = NEW_N(gr->graph->ctx, GAxis, gr->axes.n);
    for (int a = 0, k = 0; a < gr->axes.n; a++)
        if (a != x->b) axes[k++] = a == x->a ? both : gr->axes.at[a];
    gr->axes.at = axes;
    gr->axes.cap = gr->axes.n--;
    gr->across = without(gr->across, x->b);
    gr->bounded = without(gr->bounded, x->b);
    if (gr->split > x->b) gr->split--;
    gr->free = (ExprMap){0};
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
    Becomes b = {.from = {0}};
    for (int i = 0; i < gr->stores.n; i++) {
        expr_walk(&walk, gr->stores.at[i].value);
        expr_walk(&walk, gr->stores.at[i].guard);
    }
    for (int i = 0; i < 2; i++) becomes(x->temp, &b, from[i], to[i]);
    merge_axes(x, both);
    for (int i = 0; i < gr->steps.n; i++) merge_step(x, &gr->steps.at[i], &b);
    for (int i = 0; i < gr->stores.n; i++) {
        GStore *s = &gr->stores.at[i];
        const Expr **subs = NEW_N(g->ctx, const Expr *, s->tensor->rank);
        for (int d = 0; d < s->tensor->rank; d++) subs[d] = become(x, &b, s->subs[d]);
        s->subs = subs;
        s->value = become(x, &b, s->value);
        if (s->guard) s->guard = become(x, &b, s->guard);
        s->axes = without(s->axes, x->b);
    }
    group_find_rows(gr, x->temp);
}

static bool merge_some(Flat *x, bool with_one) {
    int n = x->all.at[0]->axes.n;
    for (x->a = 0; x->a < n; x->a++)
        for (x->b = 0; x->b < n; x->b++) {
            if (x->a == x->b || !may_merge(x, with_one)) continue;
            for (int i = 0; i < x->all.n; i++) {
                x->gr = x->all.at[i];
                merge(x);
            }
            return true;
        }
    return false;
}

/* Pairs that cost nothing first: of batch, row and column, with a bias along columns, batch and row. What divides a
 * group has its axes if it is the first and not apart (Division); else it merges what it can by itself. */
static void flatten(Group *gr) {
    Ctx *temp = ctx_temp(gr->graph->ctx);
    Flat x = {.temp = temp, .env = {.g = gr->graph, .ctx = temp}};
    vec_push(temp, &x.all, gr);
    for (int k = 0; k < gr->divisions.n; k++)
        for (int i = 0; i < gr->divisions.at[k].n; i++) {
            Group *part = gr->divisions.at[k].group[i];
            if (i || gr->divisions.at[k].apart)
                flatten(part);
            else
                vec_push(temp, &x.all, part);
        }
    while (!gr->product && (merge_some(&x, false) || merge_some(&x, true))) {
    }
    ctx_temp_end(temp);
}

/* Axes that all steps fold: what folds the rows or planes of a tensor, and stores elements of them. */
void flat_folds(Group *gr) {
    Ctx *temp = ctx_temp(gr->graph->ctx);
    Flat x = {.temp = temp, .env = {.g = gr->graph, .ctx = temp}, .folds = true};
    vec_push(temp, &x.all, gr);
    while (gr->steps.n && !gr->product && merge_some(&x, false)) {
    }
    ctx_temp_end(temp);
}

void flat_groups(Plan *plan) {
    for (int i = 0; i < plan->groups.n; i++) flatten(plan->groups.at[i]);
}
