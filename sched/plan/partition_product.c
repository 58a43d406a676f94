/* Matrix products for a library: an equation that is one (product.h), or the largest parts of it that are, which become
 * temporaries. A factor that is computed is stored first, in the type that the library multiplies. */
#include "partition.h"
#include "sched/library/product.h"
#include "ir/expr_walk.h"

enum { LEAST_OTHER_SIDE = 8 /* a computed factor is read so often at least */ };

static Found is_sum(const Expr *e, const void *partition) {
    const Partition *x = partition;
    ProductSum s;
    return !e->reduces ? FOUND_NOT : product_sum(x->g, e, &s, NULL) ? FOUND : FOUND_INSIDE;
}

bool partition_has_sums(Partition *x, const Expr *e) {
    ExprSet seen = {0};
    return expr_find(x->temp, &seen, e, is_sum, x) != NULL;
}

/* ---- the products ---- */

/* Values without marks. */
typedef struct Unmarking {
    Partition *x;
    bool shared; /* a let in it is read elsewhere too, so that it is not to be computed here */
} Unmarking;

static const Expr *unmark(ExprRewrite *r, const Expr *e) {
    Unmarking *u = r->user;
    if (!expr_is_mark(e)) return NULL;
    if (prepare_let(u->x->prep, e)->uses > 1 && partition_has_sums(u->x, e)) r->stopped = u->shared = true;
    return r->stopped ? NULL : expr_rewrite(r, e->arg[0]);
}

bool partition_is_product(Partition *x, const Equation *root, Product *out, Text *why) {
    Unmarking u = {.x = x};
    ExprRewrite r = {.g = x->g, .temp = x->temp, .before = unmark, .user = &u, .reduces = true};
    Equation bare = *root;
    if (!x->library || !partition_has_sums(x, root->value)) return false;
    bare.value = expr_rewrite(&r, root->value);
    return !u.shared && product_match(x->g, &bare, out, why);
}

/* Whether e, stored for its free variables, would be a product. */
static bool would_match(Partition *x, const Expr *e, const Equation *reader) {
    Equation r;
    const Expr **subs, *shape[MAX_RANK];
    if ((!expr_is_mark(e) && !type_is_compute(e->type)) ||
        !partition_temp_root(x, expr_is_mark(e) ? e->arg[0] : e, reader, &r, &subs))
        return false;
    Tensor t = {.name = reader->tensor->name, .kind = TENSOR_LET, .type = e->type, .rank = r.nvars, .shape = shape};
    for (int i = 0; i < r.nvars; i++) shape[i] = expr_minus(x->g, r.vars[i]->hi, r.vars[i]->lo);
    r.tensor = &t;
    Product p;
    return partition_is_product(x, &r, &p, NULL);
}

/* ---- factors ---- */

/* Guessed number of values over variables that are in f and not in `besides`. */
static double count_over(const ExprVars *f, const ExprVars *besides) {
    double n = 1;
    for (int i = 0; i < f->n; i++) {
        bool both = false;
        for (int k = 0; besides && k < besides->n; k++) both |= besides->vars[k] == f->vars[i];
        if (!both) n *= (double)expr_guess(f->vars[i]->hi) - (double)expr_guess(f->vars[i]->lo);
    }
    return n;
}

/* Looking for something that has so many elements. */
typedef struct Looking {
    Partition *x;
    double least;
} Looking;

/* Whether a load is of a tensor that large, or a sum has as many results: those are stored anyway, or would be computed
 * again for each element that reads them. */
static Found has_as_many(const Expr *e, const void *user) {
    const Looking *l = user;
    double n = 1;
    if (e->op == OP_REDUCE) return count_over(expr_free(&l->x->free, e), NULL) >= l->least ? FOUND : FOUND_INSIDE;
    for (int d = 0; e->op == OP_LOAD && d < e->u.tensor->rank; d++) n *= (double)expr_guess(e->u.tensor->shape[d]);
    return n >= l->least ? FOUND : FOUND_INSIDE;
}

/* A tensor that holds e, which nobody stores: for trying. */
static const Expr *as_if_stored(Partition *x, const Expr *e, const Equation *reader) {
    Equation r;
    Var *vars[MAX_RANK];
    const Expr **subs;
    if (!partition_temp_element(x, e, reader, vars, &r, &subs)) return NULL;
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
        ExprSet seen = {0};
        if (s->ready[i]) continue;
        if (count_over(expr_free(&x->free, f[1 - i]), expr_free(&x->free, f[i])) < LEAST_OTHER_SIDE) return false;
        const Looking half = {x, count_over(expr_free(&x->free, f[i]), NULL) / 2};
        if (half.least > 1 && !expr_find(x->temp, &seen, f[i], has_as_many, &half)) return false;
        f[i] = as_if_stored(x, f[i], reader);
        if (!f[i]) return false;
    }
    return would_match(x, with_loads(x, s, f), reader);
}

/* ---- walks that may wait ---- */

typedef enum YesOrNo { UNKNOWN, YES, NO } YesOrNo;

static YesOrNo known(const ExprMap *m, const Expr *e) { return (YesOrNo)expr_map_number(m, e, UNKNOWN); }

static YesOrNo learn(ForProducts *w, const Expr *e, bool yes) {
    expr_map_put_number(w->to.temp, &w->taken, e, yes ? YES : NO);
    return yes ? YES : NO;
}

static const Expr *stored(ForProducts *w, const Expr *e, const char *why) {
    const Expr *load = partition_stored(w->x, e, w->root, why);
    w->to.stopped |= !load;
    return load;
}

/* A sum with its factors stored; itself where that is not worth it. */
static const Expr *with_factors(ExprRewrite *r, const Expr *e) {
    ForProducts *w = r->user;
    ProductSum s;
    if (!product_sum(r->g, e, &s, NULL) || (s.ready[0] && s.ready[1])) return NULL;
    const Expr *f[2] = {s.factor[0], s.factor[1]};
    YesOrNo take = known(&w->taken, e);
    if (!take) take = learn(w, e, worth_storing(w->x, &s, w->root));
    if (take == NO) return s.sum;
    for (int i = 0; i < 2 && !r->stopped; i++)
        if (!s.ready[i]) f[i] = stored(w, f[i], "a factor of a product for the library");
    return r->stopped ? NULL : with_loads(w->x, &s, f);
}

static Found is_node(const Expr *e, const void *node) {
    return e == node ? FOUND : e->reduces ? FOUND_INSIDE : FOUND_NOT;
}

/* The first sum of products in e; NULL: none. */
static const Expr *sum_in(Partition *x, const Expr *e) {
    ExprSet seen = {0};
    return expr_find(x->temp, &seen, e, is_sum, x);
}

/* Whether the reader has e's product nowhere but in e: else it would be computed again there. */
static bool is_all_of_it(Partition *x, const Expr *e, const Equation *reader) {
    ExprSet seen = {0};
    const Expr *sum = sum_in(x, e), *nothing = expr_node(x->g, OP_ARG, e->type, false, 0, NULL, 0);
    return sum == e || !expr_find(x->temp, &seen, expr_replace(x->g, reader->value, &e, &nothing, 1), is_node, sum);
}

/* The largest products in it as loads. */
static const Expr *with_products(ExprRewrite *r, const Expr *e) {
    ForProducts *w = r->user;
    if (!partition_has_sums(w->x, e)) return e;
    YesOrNo take = known(&w->taken, e);
    if (!take) take = learn(w, e, is_all_of_it(w->x, e, w->root) && would_match(w->x, e, w->root));
    return take == YES ? stored(w, e, "a product for the library") : NULL;
}

static ForProducts *for_products(Partition *x, const Equation *root, const Expr *(*hook)(ExprRewrite *, const Expr *)) {
    ForProducts *w = NEW(x->temp, ForProducts);
    *w = (ForProducts){.x = x, .root = root, .to = {.g = x->g, .temp = x->temp, .before = hook, .user = w}};
    w->to.reduces = true;
    return w;
}

ForProducts *partition_for_factors(Partition *x, const Equation *root) { return for_products(x, root, with_factors); }

ForProducts *partition_for_products(Partition *x, const Equation *root) { return for_products(x, root, with_products); }

const Expr *partition_for(ForProducts *w, const Expr *value) {
    w->to.stopped = false;
    return expr_rewrite(&w->to, value);
}

/* A sum of products that is none for a library, or one that might be and is not; *why says why the former. */
typedef struct Refusing {
    Graph *g;
    Text *why;
} Refusing;

static Found is_refused(const Expr *e, const void *user) {
    const Refusing *r = user;
    ProductSum s;
    if (!e->reduces) return FOUND_NOT;
    return e->op == OP_REDUCE && (product_sum(r->g, e, &s, r->why) || r->why->n) ? FOUND : FOUND_INSIDE;
}

Sym partition_no_product(Partition *x, const Equation *root) {
    ExprSet seen = {0};
    Text why = {.ctx = x->temp};
    const Refusing refusing = {.g = x->g, .why = &why};
    if (!x->library || !expr_find(x->temp, &seen, root->value, is_refused, &refusing)) return NULL;
    Product p;
    if (!why.n) partition_is_product(x, root, &p, &why);
    if (!why.n) text_put(&why, root->guard ? "the equation has a condition" : "it is part of a reduction");
    return sym_n(x->g->ctx, why.s, why.n);
}

/* Values with lets that round to fewer bits as they are before. */
typedef struct Unrounding {
    Partition *x;
    Sym name; /* the first of those lets that holds a product; NULL: none */
} Unrounding;

static const Expr *unround(ExprRewrite *r, const Expr *e) {
    Unrounding *u = r->user;
    const Expr *let = e->op == OP_CAST && expr_is_mark(e->arg[0]) ? e->arg[0] : NULL;
    const Expr *before = let && let->arg[0]->op == OP_CAST ? let->arg[0]->arg[0] : NULL;
    if (!before || before->type != e->type || type_bits(let->type) >= type_bits(e->type)) return NULL;
    if (!partition_has_sums(u->x, before)) return NULL;
    if (!u->name) u->name = prepare_let(u->x->prep, let)->tensor->name;
    return before;
}

Sym partition_rounding(Partition *x, const Equation *root) {
    if (!x->library || root->guard || !partition_has_sums(x, root->value)) return NULL;
    Unrounding u = {.x = x};
    ExprRewrite r = {.g = x->g, .temp = x->temp, .before = unround, .user = &u, .reduces = true};
    Equation bare = *root;
    Product p;
    bare.value = expr_rewrite(&r, root->value);
    return u.name && partition_is_product(x, &bare, &p, NULL) ? u.name : NULL;
}
