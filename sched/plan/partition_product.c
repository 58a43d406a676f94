/* Matrix products for a library: an equation that is one (product.h), or the largest parts of it that are, which become
 * temporaries. A factor that is computed is stored first, in the type that the library multiplies, where that is worth
 * it (partition_factors.c). */
#include "partition.h"
#include "ir/expr_walk.h"

typedef enum YesOrNo { UNKNOWN, YES, NO } YesOrNo;

static YesOrNo known(const ExprMap *m, const Expr *e) { return (YesOrNo)expr_map_number(m, e, UNKNOWN); }

static Found is_sum(const Expr *e, void *partition) {
    Partition *x = partition;
    if (!e->reduces) return FOUND_NOT;
    if (e->op != OP_REDUCE) return FOUND_INSIDE;
    YesOrNo is = known(&x->sums, e);
    if (!is) {
        ProductSum s;
        Excluding c;
        is = product_sum(x->g, e, &s, NULL) || partition_excludes(x, e, &c) ? YES : NO;
        expr_map_put_number(x->free.ctx, &x->sums, e, is);
    }
    return is == YES ? FOUND : FOUND_INSIDE;
}

/* The first sum of products in e; NULL: none. */
static const Expr *sum_in(Partition *x, const Expr *e) {
    return expr_walk(&(ExprWalk){.temp = x->temp, .before = is_sum, .user = x, .reduces = true}, e);
}

bool partition_has_sums(Partition *x, const Expr *e) { return sum_in(x, e) != NULL; }

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

bool partition_would_match(Partition *x, const Expr *e, const Equation *reader) {
    Equation r;
    Var *vars[MAX_RANK];
    const Expr **subs, *shape[MAX_RANK];
    if (!expr_is_mark(e) && !type_is_compute(e->type)) return false;
    if (expr_is_mark(e)) e = e->arg[0];
    if (!partition_temp_element(x, e, reader, vars, &r, &subs)) return false;
    Tensor t = {.name = reader->tensor->name, .kind = TENSOR_LET, .type = e->type, .rank = r.nvars, .shape = shape};
    for (int i = 0; i < r.nvars; i++) shape[i] = expr_minus(x->g, vars[i]->hi, vars[i]->lo);
    r = (Equation){.tensor = &t, .nvars = r.nvars, .vars = vars, .subs = subs, .value = e}; /* in its own variables */
    Product p;
    return partition_is_product(x, &r, &p, NULL);
}

/* ---- walks that may wait ---- */

static YesOrNo learn(ForProducts *w, const Expr *e, bool yes) {
    expr_map_put_number(w->to.temp, &w->taken, e, yes ? YES : NO);
    return yes ? YES : NO;
}

static const Expr *stored(ForProducts *w, const Expr *e, const Equation *reader, const char *why) {
    const Expr *load = partition_stored(w->x, e, reader, why);
    w->to.stopped |= !load;
    return load;
}

/* A sum under a condition is stored, so that it has a root of its own: Work.excluding. */
static const Expr *with_excluded(ForProducts *w, const Excluding *c) {
    YesOrNo take = known(&w->taken, c->sum);
    if (!take) take = learn(w, c->sum, partition_pays(w->x, c, w->root));
    return take == YES ? stored(w, c->sum, w->root, "a product under a condition, for the library") : c->sum;
}

/* A sum with its factors stored; itself where that is not worth it. */
static const Expr *with_factors(ExprRewrite *r, const Expr *e) {
    ForProducts *w = r->user;
    ProductSum s;
    Excluding c;
    if (partition_excludes(w->x, e, &c)) return with_excluded(w, &c);
    if (!product_sum(r->g, e, &s, NULL) || (s.ready[0] && s.ready[1])) return NULL;
    const Expr *f[2] = {s.factor[0], s.factor[1]};
    Factors *computed = expr_map_object(&w->factors, e);
    if (!computed) {
        computed = NEW(r->temp, Factors);
        *computed = partition_factors(w->x, &s, 1, w->root);
        expr_map_put_object(r->temp, &w->factors, e, computed);
    }
    if (!computed->stored) return s.sum;
    for (int i = 0; i < 2 && !r->stopped; i++)
        if (!s.ready[i]) f[i] = stored(w, f[i], &computed->order[i], "a factor of a product for the library");
    return r->stopped ? NULL : partition_with_factors(w->x, &s, f);
}

/* Whether the reader has e's product nowhere but in e: else it would be computed again there. */
static bool is_all_of_it(Partition *x, const Expr *e, const Equation *reader) {
    ExprSet seen = {0};
    const Expr *sum = sum_in(x, e), *nothing = expr_node(x->g, OP_ARG, e->type, false, 0, NULL, 0);
    return sum == e ||
           !expr_find(x->temp, &seen, expr_replace(x->g, reader->value, &e, &nothing, 1), expr_test_node, sum);
}

/* The largest products in it as loads. */
static const Expr *with_products(ExprRewrite *r, const Expr *e) {
    ForProducts *w = r->user;
    if (!partition_has_sums(w->x, e)) return e;
    YesOrNo take = known(&w->taken, e);
    if (!take) take = learn(w, e, is_all_of_it(w->x, e, w->root) && partition_would_match(w->x, e, w->root));
    return take == YES ? stored(w, e, w->root, "a product for the library") : NULL;
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
    if (e->op == OP_REDUCE) return e; /* a sum whose factors have products in them is none */
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
