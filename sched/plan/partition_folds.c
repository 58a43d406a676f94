/* Reductions over several variables that every access walks as one: statistics of a whole tensor, of its planes, over
 * batch and row. They become reductions over one variable f, with f / n and f % n for the two, so that blocks take even
 * shares of it and vectors lie along whole planes, whatever the length of a row is. Where there are several (a mean,
 * and the variance that reads it) all become so or none; in a kernel that stores the elements of what is folded they
 * have its variables.
 *
 * Of lengths of which nothing is said so do those of rows that lie apart, as planes of a channel that a batch norm
 * folds, at the cost of a division for each vector. Which of the two is long enough for threads and shares, and which
 * short, would be another length to choose by, which schedules for all sizes did not do well: statistics of nine
 * batches took 1.63 times what kernels for their sizes take on an H200, up to 7.3; 1.21 and up to 1.6 so. */
#include "partition.h"

#include "ir/poly/poly.h"

typedef struct Folding {
    Graph *g;
    Ctx *temp;
    PolyEnv env;
    Var *outer, *inner;
    Poly length; /* of the inner one */
    bool walked; /* an access has both */
    bool apart;  /* and may have rows of the inner one that lie apart */
    int made;    /* variables */
} Folding;

/* Whole rows along the inner variable, which something may lie between. */
static bool has_rows(Folding *x, const Expr *load, Poly by_inner) {
    const Expr *last = load->arg[load->nargs - 1];
    int64_t step;
    if (last->op == OP_MOD) last = last->arg[0]; /* it is of two already */
    return last == expr_var(x->g, x->inner) && poly_is_const(by_inner, &step) && step == 1;
}

static bool walks_as_one(Folding *x, const Expr *load) {
    const Poly at = poly_offset(&x->env, load->u.tensor, (const Expr *const *)load->arg);
    Poly by_outer, by_inner, rest;
    if (at.failed || !poly_linear(x->temp, at, expr_var(x->g, x->outer), &by_outer, &rest) ||
        !poly_linear(x->temp, rest, expr_var(x->g, x->inner), &by_inner, &rest))
        return false;
    x->walked |= by_outer.n && by_inner.n;
    if (x->apart && by_outer.n && has_rows(x, load, by_inner)) return true;
    return poly_eq(by_outer, poly_mul(x->temp, by_inner, x->length));
}

/* Subscripts are part of what their load walks; anything else that reads one of the two forbids it. */
static Found forbids(const Expr *e, void *folding) {
    Folding *x = folding;
    if (e->op == OP_VAR) return e->u.var == x->outer || e->u.var == x->inner ? FOUND : FOUND_INSIDE;
    if (e->op == OP_LOAD && !walks_as_one(x, e)) return FOUND;
    if (e->op == OP_MARK)
        return expr_has(e, expr_test_var, x->outer) || expr_has(e, expr_test_var, x->inner) ? FOUND : FOUND_NOT;
    return e->op == OP_LOAD ? FOUND_NOT : FOUND_INSIDE;
}

static bool may_unite(Folding *x, const Expr *e) {
    int64_t lo, length;
    ExprWalk w = {.temp = x->temp, .before = forbids, .user = x};
    if (!expr_is_int(x->outer->lo, &lo) || lo || !expr_is_int(x->inner->lo, &lo) || lo) return false;
    const bool told = expr_guess_is_told(x->outer->hi) && expr_guess_is_told(x->inner->hi);
    if (!mul_ok(expr_guess(x->outer->hi), expr_guess(x->inner->hi), &length)) return false;
    if (told && length > INT32_MAX) return false;
    if (x->apart && (expr_guess_is_told(x->outer->hi) || expr_guess_is_told(x->inner->hi))) return false;
    x->length = poly_of(&x->env, x->inner->hi);
    x->walked = false;
    for (int i = 0; i < e->nargs; i++)
        if (expr_walk(&w, e->arg[i])) return false;
    return x->walked && !x->length.failed;
}

/* e over one variable less. */
static const Expr *united(Folding *x, const Expr *e) {
    Graph *g = x->g;
    const Reduce *old = e->u.reduce;
    const Var like = {.lo = x->outer->lo, .hi = expr2(g, OP_MUL, x->outer->hi, x->inner->hi)};
    Var *both =
        graph_place_var(g, PLACE_FOLD, x->made++, sym_fmt(g->ctx, "%s%s", x->outer->name, x->inner->name), &like);
    const Expr *f = expr_var(g, both), *from[] = {expr_var(g, x->outer), expr_var(g, x->inner)};
    const Expr *to[] = {expr2(g, OP_DIV, f, x->inner->hi), expr2(g, OP_MOD, f, x->inner->hi)}, *operands[MAX_PARTS];
    Reduce *r = NEW(g->ctx, Reduce);
    *r = (Reduce){.monoid = old->monoid, .part = old->part, .vars = NEW_N(g->ctx, Var *, old->nvars)};
    for (int i = 0; i < old->nvars; i++)
        if (old->vars[i] != x->inner) r->vars[r->nvars++] = old->vars[i] == x->outer ? both : old->vars[i];
    for (int i = 1; i < e->nargs; i++) operands[i - 1] = expr_replace(g, e->arg[i], from, to, 2);
    return expr_reduce_parts(g, r, expr_replace(g, e->arg[0], from, to, 2), operands);
}

static const Expr *unite_some(Folding *x, const Expr *e, bool apart) {
    const Reduce *r = e->u.reduce;
    x->apart = apart;
    for (int i = 0; i < r->nvars; i++)
        for (int j = 0; j < r->nvars; j++) {
            x->outer = r->vars[i];
            x->inner = r->vars[j];
            if (i != j && may_unite(x, e)) return united(x, e);
        }
    return NULL;
}

/* The reductions of a root, each in one variable less where that is possible. */
typedef struct Folds {
    Folding *by;
    Partition *x;
    const Equation *root;
    int n, united;
} Folds;

/* One of its own for each element that is stored. */
static bool is_full(Folds *f, const Expr *e) {
    const ExprVars *free = expr_free(&f->x->free, e);
    for (int i = 0; i < f->root->nvars; i++)
        if (!expr_vars_have(free, f->root->vars[i])) return false;
    return true;
}

/* Loads of which each has a variable that is stored, and another one has not: what a library may multiply, which knows
 * rows that lie apart as no one sum. */
typedef struct Loaded {
    Folds *f;
    const ExprVars *most;
    bool differ;
} Loaded;

static Found note_loaded(const Expr *e, void *loaded) {
    Loaded *x = loaded;
    if (e->op != OP_LOAD) return FOUND_INSIDE;
    const ExprVars *free = expr_free(&x->f->x->free, e);
    bool more = false, less = false;
    for (int i = 0; i < x->f->root->nvars && x->most; i++) {
        const Var *v = x->f->root->vars[i];
        more |= expr_vars_have(free, v) && !expr_vars_have(x->most, v);
        less |= !expr_vars_have(free, v) && expr_vars_have(x->most, v);
    }
    x->differ |= more && less;
    if (!x->most || more) x->most = free;
    return FOUND_NOT;
}

static bool loads(const Prepared *p, const Tensor *t) {
    bool any = false;
    for (int k = 0; k < (p->plain ? 1 : p->tensor->pieces.n); k++)
        any = any || expr_has(p->value[k], expr_test_load, t);
    return any;
}

/* Whether elements of a tensor are stored beside what is folded: one kernel may read them for both, over the variables
 * of these elements (share.c). What a let alone folds is for elements that come later. */
static bool is_read_beside(const Folds *f, const Tensor *t) {
    const Preparation *prep = f->x->prep;
    const Tensor *folded = f->root->tensor;
    bool elements = false, alone = folded->kind == TENSOR_LET;
    for (int i = 0; i < prep->order.n; i++) {
        const Prepared *p = prepare_of(prep, prep->order.at[i]);
        if (!p->stored || !p->value || p->tensor == folded || !loads(p, t)) continue;
        elements |= p->tensor->rank > folded->rank;
        alone &= p->reduces && p->tensor->rank > folded->rank;
    }
    return elements && !alone;
}

static Found is_shared(const Expr *e, void *folds) {
    if (e->op != OP_LOAD) return FOUND_INSIDE;
    return is_read_beside(folds, e->u.tensor) ? FOUND : FOUND_NOT;
}

static bool shares_loads(Folds *f, const Expr *e) {
    ExprWalk w = {.temp = f->by->temp, .before = is_shared, .user = f};
    bool any = false;
    for (int i = 0; i < e->nargs && !any; i++) any = expr_walk(&w, e->arg[i]);
    return any;
}

static bool is_product(Folds *f, const Expr *e) {
    Loaded x = {.f = f};
    ExprWalk w = {.temp = f->by->temp, .before = note_loaded, .user = &x};
    for (int i = 0; i < e->nargs; i++) expr_walk(&w, e->arg[i]);
    return x.differ;
}

static const Expr *unite(ExprRewrite *r, const Expr *e, const Expr *made) {
    Folds *f = r->user;
    if (e->op != OP_REDUCE) return made;
    const Reduce *fold = e->u.reduce;
    f->n++;
    if (fold->monoid->indexed || fold->monoid->ordered || fold->nvars > MAX_GROUP_AXES) return made;
    if (fold->nvars < 2 || !is_full(f, e)) return made;
    const Expr *less = unite_some(f->by, made, false);
    if (!less) less = unite_some(f->by, made, true);
    if (less && f->by->apart && (is_product(f, made) || shares_loads(f, made))) less = NULL;
    f->united += less != NULL;
    return less ? less : made;
}

const Expr *partition_one_fold(Partition *x, const Equation *root) {
    const Expr *value = root->value;
    Folding by = {.g = x->g, .temp = x->temp, .env = {.g = x->g, .ctx = x->temp}};
    for (;;) {
        Folds f = {.by = &by, .x = x, .root = root};
        ExprRewrite r = {.g = x->g, .temp = x->temp, .after = unite, .user = &f, .reduces = true};
        const Expr *less = expr_rewrite(&r, value);
        if (!f.n || f.united != f.n) return value;
        value = less;
    }
}
