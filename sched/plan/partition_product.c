/* Matrix products for a library: an equation that is one (product.h), or the largest parts of it that are, which become
 * temporaries. A factor that is computed is stored first, in the type that the library multiplies. */
#include "partition.h"
#include "sched/library/product.h"
#include "ir/expr_find.h"

enum { LEAST_OTHER_SIDE = 32 /* a computed factor is read so often at least */ };

static const Def *def_of(Partition *x, const Expr *mark) { return expr_map_get(&x->defs.of, mark->u.tensor); }

static Found is_sum(const Expr *e, const void *partition) {
    const Partition *x = partition;
    ProductSum s;
    return !e->reduces ? FOUND_NOT : product_sum(x->g, e, &s, NULL) ? FOUND : FOUND_INSIDE;
}

/* Holds a sum of products. */
static bool has_sums(Partition *x, ExprMap *seen, const Expr *e) {
    return expr_find(x->temp, seen, e, is_sum, x) != NULL;
}

/* ---- the products ---- */

/* e without marks; *shared where a let in it is read elsewhere too, so that it is not to be computed here. */
static const Expr *unmarked(Partition *x, ExprMap *done, const Expr *e, bool *shared) {
    if (!e->reduces || *shared) return e;
    const Expr *r = expr_map_get(done, e);
    if (r) return r;
    if (expr_is_mark(e)) {
        ExprMap seen = {0};
        *shared |= def_of(x, e)->uses > 1 && has_sums(x, &seen, e);
        r = unmarked(x, done, e->arg[0], shared);
    } else {
        const Expr *few[4], **a = e->nargs <= 4 ? few : NEW_N(x->temp, const Expr *, e->nargs);
        for (int i = 0; i < e->nargs; i++) a[i] = unmarked(x, done, e->arg[i], shared);
        r = expr_with(x->g, e, a);
    }
    expr_map_put(x->temp, done, e, r);
    return r;
}

bool would_be_product(Partition *x, const Equation *root, Product *out, Text *why) {
    ExprMap done = {0}, seen = {0};
    bool shared = false;
    Equation bare = *root;
    if (!x->library || !has_sums(x, &seen, root->value)) return false;
    bare.value = unmarked(x, &done, root->value, &shared);
    return !shared && product_match(x->g, &bare, out, why);
}

/* Whether e, stored for its free variables, would be a product. */
static bool would_match(Partition *x, const Expr *e, const Equation *reader) {
    Equation r;
    const Expr **subs, *shape[MAX_RANK];
    if ((!expr_is_mark(e) && !type_is_compute(e->type)) ||
        !temp_root(x, expr_is_mark(e) ? e->arg[0] : e, reader, &r, &subs))
        return false;
    Tensor t = {.name = reader->tensor->name, .kind = TENSOR_LET, .type = e->type, .rank = r.nvars, .shape = shape};
    for (int i = 0; i < r.nvars; i++) shape[i] = expr_minus(x->g, r.vars[i]->hi, r.vars[i]->lo);
    r.tensor = &t;
    Product p;
    return would_be_product(x, &r, &p, NULL);
}

/* ---- factors ---- */

/* Guessed number of values over variables that are in f and not in `besides`. */
static double count_over(const FreeVars *f, const FreeVars *besides) {
    double n = 1;
    for (int i = 0; i < f->n; i++) {
        bool both = false;
        for (int k = 0; besides && k < besides->n; k++) both |= besides->vars[k] == f->vars[i];
        if (!both) n *= (double)expr_guess(f->vars[i]->hi) - (double)expr_guess(f->vars[i]->lo);
    }
    return n;
}

/* Whether a tensor that e loads has so many elements. */
static bool loads_as_many(Partition *x, ExprMap *seen, const Expr *e, double least) {
    double n = 1;
    if (!e->nargs || expr_map_get(seen, e)) return false;
    expr_map_put(x->temp, seen, e, e);
    for (int d = 0; e->op == OP_LOAD && d < e->u.tensor->rank; d++) n *= (double)expr_guess(e->u.tensor->shape[d]);
    if (n >= least) return true;
    for (int i = e->nargs - 1; i >= 0; i--) /* lets that are written in go deep, and mostly to the left */
        if (loads_as_many(x, seen, e->arg[i], least)) return true;
    return false;
}

/* A tensor that holds e, which nobody stores: for trying. */
static const Expr *as_if_stored(Partition *x, const Expr *e, const Equation *reader) {
    Equation r;
    Var *vars[MAX_RANK];
    const Expr **subs;
    if (!temp_element(x, e, reader, vars, &r, &subs)) return NULL;
    Tensor *t = NEW(x->g->ctx, Tensor);
    *t = (Tensor){.name = reader->tensor->name, .kind = TENSOR_LET, .type = e->type, .rank = r.nvars};
    t->shape = NEW_N(x->g->ctx, const Expr *, r.nvars);
    for (int i = 0; i < r.nvars; i++) t->shape[i] = expr_minus(x->g, r.vars[i]->hi, r.vars[i]->lo);
    return expr_load(x->g, t, subs);
}

static const Expr *with_loads(Partition *x, const ProductSum *s, const Expr *const *f) {
    Type t = s->sum->arg[1]->type;
    return expr_reduce(x->g, s->sum->u.reduce, s->sum->arg[0],
                       expr2(x->g, OP_MUL, expr_cast(x->g, t, f[0]), expr_cast(x->g, t, f[1])));
}

/* Whether storing the computed factors gives a product: they are read often, are hardly larger than what they are made
 * of (windows are not), and the library takes them. */
static bool worth_storing(Partition *x, const ProductSum *s, const Equation *reader) {
    const Expr *f[2] = {s->factor[0], s->factor[1]};
    for (int i = 0; i < 2; i++) {
        ExprMap seen = {0};
        if (s->ready[i]) continue;
        if (count_over(free_of(x, f[1 - i]), free_of(x, f[i])) < LEAST_OTHER_SIDE) return false;
        double half = count_over(free_of(x, f[i]), NULL) / 2;
        if (half > 1 && !loads_as_many(x, &seen, f[i], half)) return false;
        f[i] = as_if_stored(x, f[i], reader);
        if (!f[i]) return false;
    }
    return would_match(x, with_loads(x, s, f), reader);
}

/* The sum with its factors stored; itself where that is not worth it. */
static const Expr *store_factors(Partition *x, const ProductSum *s, const Equation *reader) {
    const Expr *f[2] = {s->factor[0], s->factor[1]};
    if (!worth_storing(x, s, reader)) return s->sum;
    for (int i = 0; i < 2; i++) {
        if (s->ready[i]) continue;
        f[i] = expr_is_mark(f[i]) ? as_let(x, f[i]) : as_temp(x, f[i], reader);
        if (!f[i] || x->defs.failed) return s->sum;
    }
    return with_loads(x, s, f);
}

static const Expr *with_factors(Partition *x, ExprMap *done, const Expr *e, const Equation *reader) {
    ProductSum s;
    if (!e->reduces) return e;
    const Expr *r = expr_map_get(done, e);
    if (r) return r;
    if (product_sum(x->g, e, &s, NULL) && !(s.ready[0] && s.ready[1])) {
        r = store_factors(x, &s, reader);
    } else {
        const Expr *few[4], **a = e->nargs <= 4 ? few : NEW_N(x->temp, const Expr *, e->nargs);
        for (int i = 0; i < e->nargs; i++) a[i] = with_factors(x, done, e->arg[i], reader);
        r = expr_with(x->g, e, a);
    }
    expr_map_put(x->temp, done, e, r);
    return r;
}

static Found is_node(const Expr *e, const void *node) {
    return e == node ? FOUND : e->reduces ? FOUND_INSIDE : FOUND_NOT;
}

static const Expr *sum_in(Partition *x, const Expr *e) {
    ProductSum s;
    if (!e->reduces || product_sum(x->g, e, &s, NULL)) return e->reduces ? e : NULL;
    for (int i = 0; i < e->nargs; i++) {
        const Expr *sum = sum_in(x, e->arg[i]);
        if (sum) return sum;
    }
    return NULL;
}

/* Whether the reader has e's product nowhere but in e: else it would be computed again there. */
static bool is_all_of_it(Partition *x, const Expr *e, const Equation *reader) {
    ExprMap seen = {0};
    const Expr *sum = sum_in(x, e), *nothing = expr_node(x->g, OP_ARG, e->type, false, 0, NULL, 0);
    return sum == e || !expr_find(x->temp, &seen, expr_replace(x->g, reader->value, &e, &nothing, 1), is_node, sum);
}

/* e with the largest products in it as loads. */
static const Expr *take_inner(Partition *x, ExprMap *done, const Expr *e, const Equation *reader) {
    ExprMap seen = {0};
    if (!has_sums(x, &seen, e) || x->defs.failed) return e;
    const Expr *r = expr_map_get(done, e);
    if (r) return r;
    if (is_all_of_it(x, e, reader) && would_match(x, e, reader))
        r = expr_is_mark(e) ? as_let(x, e) : as_temp(x, e, reader);
    if (!r) {
        const Expr *few[4], **a = e->nargs <= 4 ? few : NEW_N(x->temp, const Expr *, e->nargs);
        for (int i = 0; i < e->nargs; i++) a[i] = take_inner(x, done, e->arg[i], reader);
        r = expr_with(x->g, e, a);
    }
    expr_map_put(x->temp, done, e, r);
    return r;
}

/* The first sum of products in e that is none for a library, and why. */
static const Expr *refused(Partition *x, ExprMap *seen, const Expr *e, Text *why) {
    ProductSum s;
    if (!e->reduces || expr_map_get(seen, e)) return NULL;
    expr_map_put(x->temp, seen, e, e);
    if (e->op == OP_REDUCE && (product_sum(x->g, e, &s, why) || why->n)) return e;
    for (int i = 0; i < e->nargs; i++) {
        const Expr *sum = refused(x, seen, e->arg[i], why);
        if (sum) return sum;
    }
    return NULL;
}

Sym why_no_product(Partition *x, const Equation *root) {
    ExprMap seen = {0};
    Text why = {.ctx = x->temp};
    if (!x->library || !refused(x, &seen, root->value, &why)) return NULL;
    Product p;
    if (!why.n) would_be_product(x, root, &p, &why);
    if (!why.n) text_put(&why, root->guard ? "the equation has a condition" : "it is part of a reduction");
    return sym_n(x->g->ctx, why.s, why.n);
}

/* e with lets that round to fewer bits as they are before; *name is the first of those that hold a product. */
static const Expr *unrounded(Partition *x, ExprMap *done, const Expr *e, Sym *name) {
    if (!e->reduces) return e;
    const Expr *r = expr_map_get(done, e);
    if (r) return r;
    const Expr *let = e->op == OP_CAST && expr_is_mark(e->arg[0]) ? e->arg[0] : NULL;
    const Expr *before = let && let->arg[0]->op == OP_CAST ? let->arg[0]->arg[0] : NULL;
    ExprMap seen = {0};
    if (before && before->type == e->type && type_bits(let->type) < type_bits(e->type) && has_sums(x, &seen, before)) {
        if (!*name) *name = def_of(x, let)->tensor->name;
        r = before;
    } else {
        const Expr *few[4], **a = e->nargs <= 4 ? few : NEW_N(x->temp, const Expr *, e->nargs);
        for (int i = 0; i < e->nargs; i++) a[i] = unrounded(x, done, e->arg[i], name);
        r = expr_with(x->g, e, a);
    }
    expr_map_put(x->temp, done, e, r);
    return r;
}

Sym rounding_between(Partition *x, const Equation *root) {
    ExprMap seen = {0}, done = {0};
    Sym name = NULL;
    if (!x->library || root->guard || !has_sums(x, &seen, root->value)) return NULL;
    Equation bare = *root;
    Product p;
    bare.value = unrounded(x, &done, root->value, &name);
    return name && would_be_product(x, &bare, &p, NULL) ? name : NULL;
}

static const Product *take(Partition *x, Equation *root) {
    ExprMap seen = {0}, factors = {0}, done = {0};
    if (!x->library || root->guard || !has_sums(x, &seen, root->value)) return NULL;
    root->value = with_factors(x, &factors, product_unite(x->g, root->value), root);
    /* A factor's let may stand beside the product too. */
    root->value = reuse_stored(x, root_level(x, root), root->value);
    Product p;
    if (would_be_product(x, root, &p, NULL)) {
        Product *r = NEW(x->g->ctx, Product);
        *r = p;
        root_own_vars(x->g, &r->root);
        return r;
    }
    if (!x->defs.failed) root->value = take_inner(x, &done, root->value, root);
    return NULL;
}

const Product *take_products(Partition *x, Equation *root) {
    const Product *p = take(x, root);
    root_own_vars(x->g, root);
    return p;
}
