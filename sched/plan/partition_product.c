/* Matrix products for a library: an equation that is one (product.h), or the largest parts of it that are, which become
 * temporaries. A factor that is computed is stored first, in the type that the library multiplies. */
#include "partition.h"
#include "sched/library/product.h"
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

/* Whether e, stored for its free variables, would be a product. */
static bool would_match(Partition *x, const Expr *e, const Equation *reader) {
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

/* What a kernel does for each product of two elements, beside computing factors: f16 convolutions of 3 x 3 take 22e12
 * operations a second on an H200, scores times values 30e12, of 60e12 that its lanes could start. */
static const double KERNEL_ISSUE = 3; /* instructions */
/* For how many products a thread of such a kernel keeps an element of a computed factor: tiles of results. */
static const double KEPT_FOR = 4;

/* What computes an element of a factor. */
typedef struct FactorWork {
    Partition *x;
    double least; /* reductions with as many results are computed again for each element that reads them */
    double operators, bytes;
    ExprMap loaded; /* tensors */
} FactorWork;

static double elements(const Tensor *t) {
    double n = 1;
    for (int d = 0; d < t->rank; d++) n *= (double)expr_guess(t->shape[d]);
    return n;
}

static Found count_work(const Expr *e, void *user) {
    FactorWork *w = user;
    double n = 1;
    if (e->op == OP_LOAD && !expr_map_get(&w->loaded, e->u.tensor)) {
        expr_map_put(w->x->temp, &w->loaded, e->u.tensor, e);
        w->bytes += elements(e->u.tensor) * type_bits(e->u.tensor->type) / 8;
    }
    for (int i = 0; e->op == OP_REDUCE && i < e->u.reduce->nvars; i++)
        n *= (double)expr_guess(e->u.reduce->vars[i]->hi) - (double)expr_guess(e->u.reduce->vars[i]->lo);
    if (e->op != OP_REDUCE || count_over(expr_free(&w->x->free, e), NULL) >= w->least) w->operators += n;
    return FOUND_INSIDE;
}

static FactorWork work_of(Partition *x, const Expr *e, double elements) {
    FactorWork w = {.x = x, .least = elements / 2};
    expr_walk(&(ExprWalk){.temp = x->temp, .before = count_work, .user = &w}, e);
    return w;
}

/* Whether the library with the computed factors stored first is quicker than a kernel that computes them and does such
 * a share of the products: by guessed lengths, and by figures in favour of the kernel. */
static bool is_quicker_stored(Partition *x, const ProductSum *s, double share) {
    const Machine *on = x->machine;
    const ExprVars *f[2] = {expr_free(&x->free, s->factor[0]), expr_free(&x->free, s->factor[1])};
    const double m = count_over(f[0], f[1]), n = count_over(f[1], f[0]);
    double k = 1, issued = KERNEL_ISSUE, stored = 0;
    for (int i = 0; i < s->sum->u.reduce->nvars; i++)
        k *= (double)expr_guess(s->sum->u.reduce->vars[i]->hi) - (double)expr_guess(s->sum->u.reduce->vars[i]->lo);
    for (int i = 0; i < 2; i++) {
        const double count = count_over(f[i], NULL);
        if (s->ready[i]) continue;
        const FactorWork w = work_of(x, s->factor[i], count);
        issued += w.operators / KEPT_FOR;
        stored += on->chained + (count * type_bits(s->type) / 8 + w.bytes) / on->bandwidth;
    }
    const double batch = count_over(f[0], NULL) / (m * k), products = batch * m * n * k;
    const double peak = machine_product_peak(on, s->type, option_is(&x->g->options, MATMUL_TF32));
    double library = machine_product_seconds(on, s->type, peak, batch * m, n, k);
    if (!(library > 0))
        library = 2 * products / peak + batch * (m * k + k * n + m * n) * type_bits(s->type) / 8 / on->bandwidth;
    return stored + library <
           share * products * issued / ((double)on->target->lanes * on->sms * on->clock * on->issue_share);
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

/* The load with the most variables. */
typedef struct LargestLoad {
    Partition *x;
    const Expr *load;
    int vars;
} LargestLoad;

static Found note_load(const Expr *e, void *user) {
    LargestLoad *l = user;
    const int n = e->op == OP_LOAD && e->nargs ? expr_free(&l->x->free, e)->n : 0;
    if (n > l->vars) l->load = e, l->vars = n;
    return FOUND_INSIDE;
}

/* Whether neighbours in what factor i loads are neighbours along an index of the result, and not of the sum. */
static bool lies_along_result(Partition *x, const ProductSum *s, int i, const Equation *reader) {
    LargestLoad l = {.x = x};
    expr_walk(&(ExprWalk){.temp = x->temp, .before = note_load, .user = &l}, s->factor[i]);
    const ExprVars *last = l.load ? expr_free(&x->free, l.load->arg[l.load->nargs - 1]) : &x->free.none;
    for (int k = 0; k < reader->nvars; k++)
        if (expr_vars_have(last, reader->vars[k])) return true;
    return false;
}

/* Variables in an order, once each. */
typedef struct Order {
    Var **vars;
    int n;
} Order;

static void put_var(Order *o, Var *v) {
    for (int i = 0; i < o->n; i++)
        if (o->vars[i] == v) return;
    o->vars[o->n++] = v;
}

/* The folded variables, in the order in which the other factor's elements lie: so that both are walked as one index. */
static void put_folded(Order *o, const ProductSum *s, int i) {
    const Reduce *r = s->sum->u.reduce;
    const Expr *other = s->factor[1 - i];
    for (int d = 0; other->op == OP_LOAD && d < other->nargs; d++)
        for (int k = 0; k < r->nvars; k++)
            if (other->arg[d]->op == OP_VAR && other->arg[d]->u.var == r->vars[k]) put_var(o, r->vars[k]);
    for (int k = 0; k < r->nvars; k++) put_var(o, r->vars[k]);
}

/* The reader with the variables of factor i alone, in the order in which the stored factor has them: its elements lie
 * as those that it is made of, along the sum's indices or the result's. The result's variables that stand behind the
 * other factor's are columns of its matrices, those before batches. */
static Equation in_order_of(Partition *x, const ProductSum *s, int i, const Equation *reader) {
    const ExprVars *mine = expr_free(&x->free, s->factor[i]), *other = expr_free(&x->free, s->factor[1 - i]);
    Equation e = *reader;
    Order o = {NEW_N(x->temp, Var *, reader->nvars + s->sum->u.reduce->nvars), 0};
    int from = 0, behind = 0; /* the first of the columns; how many of them there are */
    for (int k = 0; k < reader->nvars; k++) {
        const bool here = expr_vars_have(mine, reader->vars[k]), there = expr_vars_have(other, reader->vars[k]);
        if (there && !here) from = k, behind = 0;
        behind += here && !there;
    }
    if (!behind) /* all but the batches, which both factors have */
        for (from = 0; from < reader->nvars && expr_vars_have(other, reader->vars[from]);) from++;
    if (!lies_along_result(x, s, i, reader)) from = reader->nvars;
    for (int k = 0; k < from; k++)
        if (expr_vars_have(mine, reader->vars[k])) put_var(&o, reader->vars[k]);
    put_folded(&o, s, i);
    for (int k = from; k < reader->nvars; k++)
        if (expr_vars_have(mine, reader->vars[k])) put_var(&o, reader->vars[k]);
    e.vars = o.vars;
    e.nvars = o.n;
    return e;
}

/* What becomes of a product's computed factors. */
typedef struct Factors {
    bool stored;
    Equation order[2]; /* in_order_of, of each that is stored */
} Factors;

/* They are stored where that gives a product that the library takes, and pays. */
static Factors factors_of(Partition *x, const ProductSum *s, double share, const Equation *reader) {
    const Expr *f[2] = {s->factor[0], s->factor[1]};
    Factors r = {0};
    if (!is_quicker_stored(x, s, share)) return r;
    for (int i = 0; i < 2; i++) {
        if (s->ready[i]) continue;
        r.order[i] = in_order_of(x, s, i, reader);
        f[i] = as_if_stored(x, f[i], &r.order[i]);
        if (!f[i]) return r;
    }
    r.stored = would_match(x, with_loads(x, s, f), reader);
    return r;
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

bool partition_pays(Partition *x, const Excluding *c, const Equation *reader) {
    static const double HOLDS =
        0.5; /* of the products: what a kernel does under a condition that nobody knows more of */
    ProductSum s;
    return product_sum(x->g, c->product, &s, NULL) && factors_of(x, &s, HOLDS, reader).stored;
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
        *computed = factors_of(w->x, &s, 1, w->root);
        expr_map_put_object(r->temp, &w->factors, e, computed);
    }
    if (!computed->stored) return s.sum;
    for (int i = 0; i < 2 && !r->stopped; i++)
        if (!s.ready[i]) f[i] = stored(w, f[i], &computed->order[i], "a factor of a product for the library");
    return r->stopped ? NULL : with_loads(w->x, &s, f);
}

static Found is_node(const Expr *e, const void *node) {
    return e == node ? FOUND : e->reduces ? FOUND_INSIDE : FOUND_NOT;
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
