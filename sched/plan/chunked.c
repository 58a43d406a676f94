/* Folds over ranges that are data: finding them. See chunked.h. */
#include "chunked.h"

#include "early.h"
#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "ir/poly/hull.h"
#include "ir/poly/poly.h"

typedef struct Finding {
    ChunkedPlan *p;
    const Piece *piece;
    ExprFree free;
    ExprSet bare; /* reductions that are evaluated whatever conditions hold */
} Finding;

/* ---- ranges ---- */

/* The load of an end of a range. */
static bool of_sort(const Expr *load) {
    const Sort *s = load ? load->u.tensor->sort : NULL;
    return s && !sort_ranks(s) && s->starts == load->u.tensor;
}

/* Of `starts[v] <= j` (end: `j < starts[v]`) the load. */
static const Expr *said_of(const Expr *c, const Expr *j, bool end) {
    const Expr *e = NULL;
    if (c->op == OP_GE || c->op == OP_GT)
        e = c->op == (end ? OP_GT : OP_GE) && c->arg[end] == j ? c->arg[!end] : NULL;
    else if (c->op == (end ? OP_LT : OP_LE) && c->arg[!end] == j)
        e = c->arg[end];
    e = e ? early_element(e) : NULL;
    return of_sort(e) ? e : NULL;
}

/* Two ends of one range: starts[v] and starts[v + 1]. */
static bool take_ends(Finding *x, ChunkedFold *f, const Expr *first, const Expr *end) {
    Graph *g = x->p->g;
    if (!first || !end || first->u.tensor != end->u.tensor) return false;
    if (!early_differ(g, first->arg[0], end->arg[0], 1)) return false;
    f->starts = first->u.tensor;
    f->element = first->arg[0];
    const Expr *one = expr_int(g, TY_I64, 1);
    f->below = f->starts->sort ? f->starts->sort->below : expr2(g, OP_SUB, f->starts->shape[0], one);
    return true;
}

/* Conditions say it: so what a sort has made is folded. */
static bool find_sorted(Finding *x, ChunkedFold *f, Var *v, const ExprVec *conds) {
    const Expr *j = expr_var(x->p->g, v), *first = NULL, *end = NULL;
    int64_t zero;
    if (!early_over_dims(v) || !expr_is_int(v->lo, &zero) || zero) return false;
    for (int i = 0; i < conds->n; i++) {
        const Expr *lo = first ? NULL : said_of(conds->at[i], j, false);
        const Expr *hi = end ? NULL : said_of(conds->at[i], j, true);
        if (lo) f->says[0] = conds->at[i], first = lo;
        if (hi) f->says[1] = conds->at[i], end = hi;
    }
    f->x = v;
    f->n = v->hi;
    return take_ends(x, f, first, end) && f->n == f->starts->sort->order->shape[0];
}

/* The variable's range says it, whose ends are data. */
static bool find_offsets(Finding *x, ChunkedFold *f, const Var *v) {
    Graph *g = x->p->g;
    const Expr *first = early_element(v->lo), *end = early_element(v->hi), *least, *most;
    int64_t zero;
    if (!take_ends(x, f, first, end)) return false;
    if (of_sort(first)) {
        least = expr_int(g, TY_I64, 0);
        most = f->starts->sort->order->shape[0];
    } else if (f->starts->sort || !early_ascends(g, f->starts, f->below) ||
               !range_hull(g, f->reduce, v, v->lo, v->hi, &least, &most)) {
        return false;
    }
    if (!expr_is_int(least, &zero) || zero) return false;
    f->x = graph_var(g, v->name, least, most);
    f->n = most;
    return true;
}

/* Which of the variables runs over a range. */
static bool find_range(Finding *x, ChunkedFold *f, const ExprVec *conds) {
    const Reduce *r = f->reduce->u.reduce;
    for (f->at = 0; f->at < r->nvars; f->at++) {
        Var *v = r->vars[f->at];
        f->says[0] = f->says[1] = NULL;
        if (find_sorted(x, f, v, conds) || find_offsets(x, f, v)) return true;
    }
    return false;
}

/* ---- what a number is made of ---- */

/* Mixed radix: each stride is the product of the lengths of the digits below. */
static bool find_digits(Finding *x, ChunkedFold *f) {
    Graph *g = x->p->g;
    Ctx *ctx = x->p->temp;
    PolyEnv env = {.g = g, .ctx = ctx};
    const ExprVars *vars = expr_free(&x->free, f->element);
    Poly left = poly_of(&env, f->element), stride = poly_const(ctx, 1), coef, rest;
    if (vars->n > MAX_RANK) return false;
    bool placed[MAX_RANK] = {false};
    for (int n = 0; n < vars->n; n++) {
        int found = -1;
        for (int i = 0; i < vars->n && found < 0; i++) {
            Var *v = vars->vars[i];
            if (placed[i] || !early_over_dims(v) || early_folds(f->reduce->u.reduce, v)) continue;
            if (poly_linear(ctx, left, expr_var(g, v), &coef, &rest) && poly_eq(coef, stride)) found = i;
        }
        if (found < 0) return false;
        Var *v = vars->vars[found];
        placed[found] = true;
        f->digit[vars->n - 1 - n] = v;
        f->stride[vars->n - 1 - n] = poly_expr(g, stride);
        left = poly_add(ctx, rest, poly_mul(ctx, stride, poly_of(&env, v->lo)));
        stride = poly_mul(ctx, stride, poly_of(&env, early_length(g, v)));
        if (left.failed || stride.failed) return false;
    }
    int64_t zero;
    f->ndigits = vars->n;
    return poly_is_const(left, &zero) && !zero;
}

/* ---- folds ---- */

static bool is_digit(const ChunkedFold *f, const Var *v) {
    for (int i = 0; i < f->ndigits; i++)
        if (f->digit[i] == v) return true;
    return false;
}

/* What else is free are indices of what is defined: the chunks' lets have these axes, and one for the chunk. */
static bool may_be_chunks(Finding *x, const ChunkedFold *f) {
    const ExprVars *vars = expr_free(&x->free, f->reduce);
    int axes = 1;
    for (int i = 0; i < vars->n; i++) {
        bool index = is_digit(f, vars->vars[i]);
        axes += !index;
        for (int k = 0; k < x->piece->nvars; k++) index |= x->piece->vars[k] == vars->vars[i];
        if (!index || !early_over_dims(vars->vars[i])) return false;
    }
    return axes <= MAX_RANK;
}

/* Whether each position is one number that is folded. Folds over the same ranges have the same chunks. */
static bool is_flat(Finding *x, const ChunkedFold *f) {
    const ExprVars *vars = expr_free(&x->free, f->reduce);
    for (int i = 0; i < vars->n; i++)
        if (!is_digit(f, vars->vars[i])) return false;
    return f->reduce->u.reduce->nvars == 1;
}

static bool ranges_stay(const ChunkedFold *f) {
    const Reduce *r = f->reduce->u.reduce;
    for (int i = 0; i < r->nvars; i++) {
        if (i != f->at && !early_over_dims(r->vars[i])) return false;
        if (r->monoid->ordered && f->at) return false; /* another order than that of the positions */
    }
    return !r->monoid->indexed || r->nvars == 1;
}

static Found find_fold(const Expr *e, void *finding) {
    Finding *x = finding;
    ExprVec conds = {0};
    if (e->op != OP_REDUCE || expr_map_get(&x->p->of, e) || !expr_set_has(&x->bare, e)) return FOUND_INSIDE;
    ChunkedFold *f = NEW(x->p->temp, ChunkedFold);
    f->reduce = e;
    f->piece = x->piece;
    early_conditions(x->p->temp, e->arg[0], &conds);
    if (!find_range(x, f, &conds) || !ranges_stay(f)) return FOUND_INSIDE;
    if (!find_digits(x, f) || !may_be_chunks(x, f)) return FOUND_INSIDE;
    f->bits = is_flat(x, f) ? CHUNK_FLAT : CHUNK_ROWS;
    vec_push(x->p->temp, &x->p->folds, f);
    expr_map_put(x->p->temp, &x->p->of, e, f);
    return FOUND_INSIDE;
}

ChunkedPlan *chunked_find(Graph *g, Ctx *temp) {
    ChunkedPlan *p = NEW(temp, ChunkedPlan);
    p->g = g;
    p->temp = temp;
    for (int i = 0; i < g->tensors.n; i++)
        for (int k = 0; k < g->tensors.at[i]->pieces.n; k++) {
            Finding x = {.p = p, .piece = &g->tensors.at[i]->pieces.at[k], .free = {.ctx = temp, .ranges = true}};
            ExprWalk w = {.temp = temp, .before = find_fold, .user = &x, .reduces = true};
            if (x.piece->guard) continue;
            early_bare(temp, x.piece->value, &x.bare);
            expr_walk(&w, x.piece->value);
        }
    for (int i = 0; i < p->folds.n; i++)
        for (int k = 0; k < p->folds.n; k++) {
            ChunkedFold *f = p->folds.at[i], *o = p->folds.at[k];
            if (f->starts == o->starts && f->n == o->n && o->bits < f->bits) f->bits = o->bits;
        }
    return p;
}

const Expr *chunked_left(Graph *g, Ctx *temp, const ChunkedFold *f, int level) {
    ExprFree free = {.ctx = temp, .ranges = true};
    const ExprVars *vars = expr_free(&free, f->reduce);
    const Expr *unit = expr_int(g, TY_I64, chunk_positions(f, level));
    const Expr *n = expr2(g, OP_ADD, expr2(g, OP_DIV, f->n, unit), expr_int(g, TY_I64, 1));
    for (int i = 0; i < vars->n; i++)
        if (!is_digit(f, vars->vars[i])) n = expr2(g, OP_MUL, n, early_length(g, vars->vars[i]));
    return n;
}
