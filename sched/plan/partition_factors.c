/* Computed factors of matrix products: whether a library with them stored first is quicker than a kernel that computes
 * them, and the order in which their elements are stored. Decides nothing about the walk that finds the products
 * (partition_product.c). */
#include "partition.h"
#include "ir/expr_is.h"

#include <math.h>

/* Guessed number of values over variables that are in f and not in `besides`. */
static double count_over(const ExprVars *f, const ExprVars *besides) {
    double n = 1;
    for (int i = 0; i < f->n; i++) {
        bool both = false;
        for (int k = 0; besides && k < besides->n; k++) both |= besides->vars[k] == f->vars[i];
        if (!both) n *= (double)var_guess(f->vars[i]);
    }
    return n;
}

/* What a kernel does for each product of two elements, beside computing factors: f16 convolutions of 3 x 3 take 22e12
 * operations a second on an H200, scores times values 30e12, of 60e12 that its lanes could start; and how many products
 * a thread of such a kernel, which has a tile of results, keeps an element of a computed factor for. */
static const double KERNEL_ISSUE = 3 /* instructions */, KEPT_FOR = 4;
/* The same where a thread has an element of each of few rows, and an element of the other factor is computed once for
 * all of them: int8 weights of 5120 x 20480 take an H200 87 us for 8 rows. */
static const double ROWS_ISSUE = 2.2;
enum { MOST_HELD = 8 /* rows of a thread */, FEW = 2 * MOST_HELD };

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
    for (int i = 0; e->op == OP_REDUCE && i < e->u.reduce->nvars; i++) n *= (double)var_guess(e->u.reduce->vars[i]);
    if (e->op != OP_REDUCE || count_over(expr_free(&w->x->free, e), NULL) >= w->least) w->operators += n;
    return FOUND_INSIDE;
}

static FactorWork work_of(Partition *x, const Expr *e, double elements) {
    FactorWork w = {.x = x, .least = elements / 2};
    expr_walk(&(ExprWalk){.temp = x->temp, .before = count_work, .user = &w}, e);
    return w;
}

/* How many times as long a kernel that computes the factors, and does such a share of the products, takes as the
 * library with the computed factors stored first: by guessed lengths, and by figures in favour of the kernel. */
static double gain_of_storing(Partition *x, const ProductSum *s, double share) {
    const Machine *on = x->machine;
    const ExprVars *f[2] = {expr_free(&x->free, s->factor[0]), expr_free(&x->free, s->factor[1])};
    const double m = count_over(f[0], f[1]), n = count_over(f[1], f[0]);
    double k = 1, issue = 0, computed = 0, stored = 0;
    for (int i = 0; i < s->sum->u.reduce->nvars; i++) k *= (double)var_guess(s->sum->u.reduce->vars[i]);
    for (int i = 0; i < 2; i++) {
        const double count = count_over(f[i], NULL);
        if (s->ready[i]) continue;
        const FactorWork w = work_of(x, s->factor[i], count);
        const double rows = i ? m : n; /* that need each of its elements */
        issue = fmax(issue, rows <= FEW ? ROWS_ISSUE : KERNEL_ISSUE);
        computed += w.operators / (rows > FEW ? KEPT_FOR : fmin(rows, MOST_HELD));
        stored += on->chained + (count * type_bits(s->type) / 8 + w.bytes) / on->bandwidth;
    }
    const double batch = count_over(f[0], NULL) / (m * k), products = batch * m * n * k;
    const double peak = machine_product_peak(on, s->type, option_is(&x->g->options, MATMUL_TF32));
    double library = machine_product_seconds(on, s->type, peak, batch * m, n, k);
    if (!(library > 0))
        library = 2 * products / peak + batch * (m * k + k * n + m * n) * type_bits(s->type) / 8 / on->bandwidth;
    const double kernel =
        products * (issue + computed) / ((double)on->target->lanes * on->sms * on->clock * on->issue_share);
    return share * kernel / (stored + library);
}

/* ---- few rows ---- */

enum { MANY = 4096 /* rows, of which the library is quicker */ };

static bool depends_on(const Var *v, const Expr *length) {
    return expr_has(v->lo, expr_test_node, length) || expr_has(v->hi, expr_test_node, length);
}

/* A length that is not known, of an index of the result that one factor alone has and that no other index depends on;
 * NULL: v has none. */
static Dim *free_length(Partition *x, const ProductSum *s, const Var *v) {
    const ExprVars *f[2] = {expr_free(&x->free, s->factor[0]), expr_free(&x->free, s->factor[1])};
    const Reduce *r = s->sum->u.reduce;
    int64_t lo;
    if (v->hi->op != OP_DIM || !expr_is_int(v->lo, &lo) || v->hi->u.dim->lo == v->hi->u.dim->hi) return NULL;
    if (expr_vars_have(f[0], v) == expr_vars_have(f[1], v)) return NULL;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < f[i]->n; k++)
            if (f[i]->vars[k] != v && depends_on(f[i]->vars[k], v->hi)) return NULL;
    for (int k = 0; k < r->nvars; k++)
        if (depends_on(r->vars[k], v->hi)) return NULL;
    return v->hi->u.dim;
}

/* What is gained where that length is as said, and the others are, or are long: then it matters most. */
static double gain_at(Partition *x, const ProductSum *s, double share, Dim *d, int64_t length) {
    enum { LONG = 8192 };
    const Graph *g = x->g;
    int64_t *told = NEW_N(x->temp, int64_t, g->dims.n + 1);
    for (int i = 0; i < g->dims.n; i++) {
        Dim *other = g->dims.at[i];
        told[i] = other->hint;
        if (other == d) other->hint = length;
        if (other->hint <= 0) other->hint = other->hi < LONG ? other->hi : LONG;
    }
    const double gain = gain_of_storing(x, s, share);
    for (int i = 0; i < g->dims.n; i++) g->dims.at[i]->hint = told[i];
    return gain;
}

/* The length on which it depends who does the product: how often each element of the other factor, which is computed,
 * is needed. */
static FewRows few_rows(Partition *x, const ProductSum *s, double share) {
    enum { MOST = 256 };
    static const double WORTH = 1.3; /* times as long the library takes for few: figures are in favour of the kernel */
    FewRows few = {.dim = NULL};
    for (int i = 0; i < 2 && !few.dim; i++) {
        const ExprVars *f = expr_free(&x->free, s->factor[i]);
        for (int k = 0; k < f->n && !few.dim && !s->ready[1 - i]; k++) {
            Dim *d = free_length(x, s, f->vars[k]);
            if (!d || d->lo > 1 || d->hi < MANY || gain_at(x, s, share, d, MANY) <= 1) continue;
            if (gain_at(x, s, share, d, 1) > 1 / WORTH) continue;
            few = (FewRows){.dim = d, .most = 1};
        }
    }
    while (few.dim && few.most < MOST && gain_at(x, s, share, few.dim, 2 * few.most) <= 1 / WORTH) few.most *= 2;
    return few;
}

/* Of several products with one such length what is few for all of them. */
static void note_few(Partition *x, FewRows few) {
    FewRows *known = &x->plan->few;
    if (!known->dim) *known = few;
    if (known->dim == few.dim && few.most < known->most) known->most = few.most;
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

const Expr *partition_with_factors(Partition *x, const ProductSum *s, const Expr *const *f) {
    Type t = s->sum->arg[1]->type;
    return expr_reduce(x->g, s->sum->u.reduce, s->sum->arg[0],
                       expr2(x->g, OP_MUL, expr_cast(x->g, t, f[0]), expr_cast(x->g, t, f[1])));
}

static int count_vars(const Expr *load, void *partition) {
    Partition *x = partition;
    return expr_free(&x->free, load)->n;
}

/* Whether neighbours in what factor i loads are neighbours along an index of the result, and not of the sum. */
static bool lies_along_result(Partition *x, const ProductSum *s, int i, const Equation *reader) {
    const Expr *load = expr_largest_load(x->temp, s->factor[i], count_vars, x);
    const ExprVars *last = load ? expr_free(&x->free, load->arg[load->nargs - 1]) : &x->free.none;
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

Factors partition_factors(Partition *x, const ProductSum *s, double share, const Equation *reader) {
    const Expr *f[2] = {s->factor[0], s->factor[1]};
    Factors r = {0};
    const bool pays = gain_of_storing(x, s, share) > 1;
    const FewRows few = few_rows(x, s, share);
    if (!pays && !few.dim) return r;
    for (int i = 0; i < 2; i++) {
        if (s->ready[i]) continue;
        r.order[i] = in_order_of(x, s, i, reader);
        f[i] = as_if_stored(x, f[i], &r.order[i]);
        if (!f[i]) return r;
    }
    const Expr *stored = partition_with_factors(x, s, f);
    if (few.dim) {
        const int64_t told = few.dim->hint;
        few.dim->hint = MANY;
        if (partition_would_match(x, stored, reader)) note_few(x, few);
        few.dim->hint = told;
    }
    r.stored = pays && partition_would_match(x, stored, reader);
    return r;
}

bool partition_pays(Partition *x, const Excluding *c, const Equation *reader) {
    static const double HOLDS = 0.5; /* of the products: that a kernel does, of a condition that nobody knows more of */
    ProductSum s;
    return product_sum(x->g, c->product, &s, NULL) && partition_factors(x, &s, HOLDS, reader).stored;
}
