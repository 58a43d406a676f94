/* Which equations a matrix library can run: see product.h. An equation's sum has two factors; each of its variables
 * belongs to one factor (rows, columns), to both and the result (batches), or to both alone (folded). Strides are the
 * coefficients of the variables in the tensors' flat offsets. */
#include "product.h"

#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "ir/expr_text.h"
#include "ir/poly/poly.h"
#include "ir/rewrite.h"
#include "normal.h"
#include "product_heads.h"

#include <string.h>

/* A call is worth its launch from so many multiplications on; where the sum is short, a kernel is as good for
 * longer. */
enum { LEAST_SIDE = 8, LEAST_WORK = 1 << 20, SHORT_FOLD = 64, LEAST_SHORT_WORK = 1 << 23 };
enum { MAX_VARS = 16, MAX_NODES = 200 };

static const struct {
    Type factor, result;
} type_rows[] = {
#define PRODUCT_TYPES(f, r) {TY_##f, TY_##r},
#include "products.def"
#undef PRODUCT_TYPES
};

static bool has_types(Type factor, Type result) {
    for (size_t i = 0; i < sizeof type_rows / sizeof *type_rows; i++)
        if (type_rows[i].factor == factor && (result == TY_COUNT || type_rows[i].result == result)) return true;
    return false;
}

static bool refuse(Text *why, const char *text) {
    if (why) text_put(why, text);
    return false;
}

/* ---- the sum ---- */

static const Expr *widened(const Expr *e) {
    bool widens = e->op == OP_CAST && type_class(e->arg[0]->type) == type_class(e->type) &&
                  type_bits(e->arg[0]->type) < type_bits(e->type);
    return widens ? e->arg[0] : e;
}

/* The type below e's that all values of it have: a selection among widened ones and constants has it, too (what is
 * padded with 0). That of e: there is none. */
static Type narrow_type(Graph *g, const Expr *e) {
    if (e->op != OP_IF) return widened(e)->type;
    const Type a = narrow_type(g, e->arg[1]), b = narrow_type(g, e->arg[2]), t = a == e->type ? b : a;
    for (int i = 1; i <= 2; i++) {
        const Expr *narrow = e->arg[i]->op == OP_CONST ? expr_fold(g, expr_cast(g, t, e->arg[i])) : NULL;
        const Expr *back = narrow ? expr_fold(g, expr_cast(g, e->type, narrow)) : NULL;
        if (back != e->arg[i] && (i == 1 ? a : b) != t) return e->type;
    }
    return t;
}

/* e in the narrowest type that is seen to have all its values. */
static const Expr *narrowed(Graph *g, const Expr *e) {
    return e->op == OP_IF ? expr_cast(g, narrow_type(g, e), e) : widened(e);
}

/* The guessed number of elements over the variables of a that are in b or not. */
static double side(const ExprVars *a, const ExprVars *b, bool both) {
    double n = 1;
    for (int i = 0; i < a->n; i++)
        if (expr_vars_have(b, a->vars[i]) == both) n *= (double)var_guess(a->vars[i]);
    return n;
}

static bool worth(const Expr *e, const ExprVars *a, const ExprVars *b, Text *why) {
    double rows = side(a, b, false), cols = side(b, a, false), fold = 1, both = side(a, b, true);
    bool outer = false; /* a factor has an index that the other lacks: else it is no matrix product */
    for (int i = 0; i < a->n || i < b->n; i++)
        outer |= (i < a->n && !expr_vars_have(b, a->vars[i])) || (i < b->n && !expr_vars_have(a, b->vars[i]));
    if (!outer) return false;
    for (int i = 0; i < e->u.reduce->nvars; i++) {
        const Var *v = e->u.reduce->vars[i];
        if (!expr_vars_have(a, v) || !expr_vars_have(b, v))
            return refuse(why, "a variable of the sum is in one factor alone");
        if (!expr_over_dims(v->lo) || !expr_over_dims(v->hi)) return refuse(why, "a range of the sum depends on data");
        fold *= (double)var_guess(v);
    }
    if (rows < LEAST_SIDE || cols < LEAST_SIDE || fold < LEAST_SIDE)
        return refuse(why, "one side of the matrices is short");
    double least = fold < SHORT_FOLD ? LEAST_SHORT_WORK : LEAST_WORK;
    return rows * cols * both * fold >= least || refuse(why, "the matrices are small");
}

/* Of a sum of products: whether it is large enough, by the variables of its factors. */
static bool worth_a_call(const Expr *e, Ctx *temp, Text *why) {
    int64_t always;
    ExprFree free = {.ctx = temp, .by_marks = true};
    const ExprVars *a = expr_free(&free, e->arg[1]->arg[0]), *b = expr_free(&free, e->arg[1]->arg[1]);
    if (a->n > MAX_VARS || b->n > MAX_VARS) return refuse(why, "there are too many variables");
    if (!expr_is_int(e->arg[0], &always) || !always) return refuse(why, "the sum has a condition");
    return worth(e, a, b, why);
}

bool product_sum(Graph *g, const Expr *e, ProductSum *out, Text *why) {
    if (e->op != OP_REDUCE || e->u.reduce->monoid->kind != MONOID_SUM || e->arg[1]->op != OP_MUL) return false;
    *out = (ProductSum){.sum = e};
    for (int i = 0; i < 2; i++) out->factor[i] = narrowed(g, e->arg[1]->arg[i]);
    Ctx *temp = ctx_temp(g->ctx);
    bool is_worth = worth_a_call(e, temp, why);
    ctx_temp_end(temp);
    if (!is_worth) return false;
    Type t = out->factor[0]->type;
    out->type = t == out->factor[1]->type && has_types(t, TY_COUNT) ? t : e->type;
    if (!has_types(out->type, TY_COUNT)) return refuse(why, "the library does not multiply these types");
    for (int i = 0; i < 2; i++) {
        out->ready[i] = out->factor[i]->op == OP_LOAD && out->factor[i]->type == out->type;
        if (!out->ready[i] && out->factor[i]->type != out->type) out->factor[i] = e->arg[1]->arg[i];
        if (!out->ready[i] && !type_is_float(out->type)) return refuse(why, "a factor of integers is computed");
    }
    return true;
}

/* ---- the equation around the sum ---- */

typedef struct Linear {
    const Expr *alpha;
    int n;
    struct {
        const Expr *load, *times; /* times: NULL is 1 */
    } term[2];
} Linear;

/* Whether two reductions differ in nothing but their variables. */
static bool same_sum(Graph *g, const Expr *a, const Expr *b) {
    const Reduce *x = a->u.reduce, *y = b->u.reduce;
    const Expr *from[MAX_VARS], *to[MAX_VARS];
    if (x->monoid != y->monoid || x->part != y->part || x->nvars != y->nvars || x->nvars > MAX_VARS) return false;
    for (int i = 0; i < x->nvars; i++) {
        if (!var_same_range(x->vars[i], y->vars[i])) return false;
        from[i] = expr_var(g, y->vars[i]);
        to[i] = expr_var(g, x->vars[i]);
    }
    for (int i = 0; i < a->nargs; i++)
        if (expr_replace(g, b->arg[i], from, to, x->nvars) != a->arg[i]) return false;
    return true;
}

enum { MAX_SUMS = 16 };

typedef struct Sums {
    int n;
    const Expr *at[MAX_SUMS];
} Sums;

static Found add_sum(const Expr *e, void *sums) {
    Sums *x = sums;
    if (e->op != OP_REDUCE) return FOUND_INSIDE;
    x->at[x->n++] = e;
    return x->n == MAX_SUMS ? FOUND : FOUND_NOT;
}

/* The outermost reductions in e, at most MAX_SUMS. */
static Sums find_sums(Ctx *temp, const Expr *e) {
    Sums x = {0};
    expr_walk(&(ExprWalk){.temp = temp, .before = add_sum, .user = &x, .reduces = true}, e);
    return x;
}

const Expr *product_unite(Graph *g, const Expr *e) {
    const Expr *from[MAX_SUMS], *to[MAX_SUMS];
    int same = 0;
    Ctx *temp = ctx_temp(g->ctx);
    const Sums sums = find_sums(temp, e);
    ctx_temp_end(temp);
    for (int i = 1; i < sums.n; i++)
        for (int j = 0; j < i; j++)
            if (same_sum(g, sums.at[j], sums.at[i])) {
                from[same] = sums.at[i];
                to[same++] = sums.at[j];
                break;
            }
    return same ? expr_replace(g, e, from, to, same) : e;
}

static bool is_load(const Expr *e) {
    e = widened(e);
    return e->op == OP_LOAD;
}

/* A constant times what is uniform; NULL is 1. */
static const Expr *scale(Graph *g, const NormalTerm *t, Type type, const Expr *besides) {
    const Expr *r = t->coef == 1 ? NULL : expr_float(g, type, t->coef);
    for (int i = 0; i < t->degree; i++) {
        if (t->atom[i] == besides) continue;
        r = r ? expr2(g, OP_MUL, r, t->atom[i]) : t->atom[i];
    }
    return r;
}

/* e as alpha * sum + (loads, each times what is uniform). */
static bool is_linear(Graph *g, Ctx *temp, const Expr *e, const Expr *sum, Linear *out) {
    *out = (Linear){0};
    if (e == sum) return true;
    Normal n = normal_of(g, temp, e);
    bool found = false;
    for (int i = 0; i < n.n; i++) {
        const Expr *lead = NULL;
        for (int k = 0; k < n.term[i].degree; k++) {
            const Expr *a = n.term[i].atom[k];
            if (expr_is_uniform(a)) continue;
            if (lead || (a != sum && !is_load(a))) return false;
            lead = a;
        }
        if (!lead || (lead == sum && found) || (lead != sum && out->n == 2)) return false;
        const Expr *times = scale(g, &n.term[i], e->type, lead);
        if (lead == sum) {
            found = true;
            out->alpha = times;
        } else {
            out->term[out->n].load = widened(lead);
            out->term[out->n++].times = times;
        }
    }
    return found;
}

static const struct {
    const char *text;
    bool narrow;
} epilogues[] = {
    {NULL, false},
#define NARROW true
#define FLOATS false
#define EPILOGUE(e, text, types) {text, types},
#include "epilogues.def"
#undef EPILOGUE
#undef NARROW
#undef FLOATS
};

static const Expr *placeholder(Graph *g) { return expr_node(g, OP_ARG, TY_F32, false, 0, NULL, 0); }

static const Expr *leaf_v(void *user, const LeafText *leaf) {
    return leaf->name[0] == 'v' && !leaf->name[1] ? placeholder(user) : NULL;
}

/* Which function of the placeholder e is. */
static Activation activation_of(Graph *g, Ctx *temp, const Expr *e, Type result) {
    Normal n = normal_of(g, temp, e);
    for (int i = 1; i < ACT_COUNT; i++) {
        Lex x;
        lex_init(&x, temp, epilogues[i].text, strlen(epilogues[i].text), -1);
        ExprReader r = {.g = g, .lex = &x, .leaf = leaf_v, .user = g};
        const Expr *row = expr_read_as(&r, TY_F32);
        if (!row || (epilogues[i].narrow && type_bits(result) > 16)) continue;
        Normal want = normal_of(g, temp, row);
        if (normal_equal(&n, &want)) return (Activation)i;
    }
    return ACT_NONE;
}

typedef struct Inner {
    Graph *g;
    Ctx *temp;
    const Expr *value, *sum;
    Type result;
    Linear linear;
    Activation act;
    int left; /* nodes that may still be tried */
} Inner;

static Found try_inner(const Expr *e, void *inner) {
    Inner *x = inner;
    const Expr *v = placeholder(x->g);
    if (e == x->value) return FOUND_INSIDE;
    if (e->type != TY_F32 || !e->reduces || x->left-- <= 0) return FOUND_NOT;
    if (is_linear(x->g, x->temp, e, x->sum, &x->linear)) {
        const Expr *outside = expr_replace(x->g, x->value, &e, &v, 1);
        if (!outside->reduces) x->act = activation_of(x->g, x->temp, outside, x->result);
        if (x->act) return FOUND;
    }
    return e->op == OP_REDUCE ? FOUND_NOT : FOUND_INSIDE;
}

/* Whether there is a node inside of the value such that the value is a known function of it. */
static bool find_inner(Inner *x) {
    return expr_walk(&(ExprWalk){.temp = x->temp, .before = try_inner, .user = x}, x->value) != NULL;
}

/* ---- strides ---- */

enum { IN_A = 1, IN_B = 2, IN_D = 4 };
enum { MAT_A, MAT_B, MAT_C, MAT_D, MAT_BIAS, MATS };

typedef struct Index {
    Var *var;
    int in;
    Poly size, stride[MATS]; /* 0 where the matrix does not depend on it */
} Index;

typedef struct Match {
    Graph *g;
    Ctx *temp; /* of polynomials */
    PolyEnv env;
    const Equation *root;
    int n;
    Index at[MAX_VARS];
    const Expr *some[MAX_VARS]; /* facts: no extent is 0, or there is nothing to compute */
    Tensor *tensor[MATS];
    Poly offset[MATS];
    Text *why;
} Match;

static bool is_const(Poly p, int64_t want) {
    int64_t v;
    return want ? poly_is_const(p, &v) && v == want : !p.failed && p.n == 0;
}

static int64_t guess(Match *x, Poly p) { return expr_guess(poly_expr(x->g, p)); }

static bool over_dims(Poly p) {
    for (int i = 0; i < p.n; i++)
        for (int k = 0; k < p.term[i].degree; k++)
            if (!expr_over_dims(p.term[i].atom[k])) return false;
    return !p.failed;
}

static bool at_least(Match *x, Poly a, Poly b) {
    Poly d = poly_sub(x->temp, a, b);
    return !d.failed && poly_nonneg(&x->env, d);
}

/* The flat offset of an element as strides of the variables. */
static bool lay(Match *x, int which, Tensor *t, const Expr *const *subs) {
    Ctx *ctx = x->temp;
    Poly rest = poly_offset(&x->env, t, subs), coef, less;
    for (int i = 0; i < x->n && !rest.failed; i++) {
        Index *v = &x->at[i];
        if (!poly_linear(ctx, rest, expr_var(x->g, v->var), &coef, &less) || !over_dims(coef)) return false;
        v->stride[which] = coef;
        rest = is_const(coef, 0) ? less : poly_add(ctx, less, poly_mul(ctx, coef, poly_of(&x->env, v->var->lo)));
    }
    if (!over_dims(rest)) return false;
    x->tensor[which] = t;
    x->offset[which] = rest;
    return true;
}

static bool add_index(Match *x, Var *v, int in) {
    Ctx *ctx = x->temp;
    if (x->n == MAX_VARS || !expr_over_dims(v->lo) || !expr_over_dims(v->hi)) return false;
    Index *i = &x->at[x->n++];
    *i = (Index){.var = v, .in = in, .size = poly_sub(ctx, poly_of(&x->env, v->hi), poly_of(&x->env, v->lo))};
    for (int m = 0; m < MATS; m++) i->stride[m] = poly_const(ctx, 0);
    if (i->size.failed) return false;
    x->some[x->n - 1] = expr2(x->g, OP_GE, poly_expr(x->g, i->size), expr_int(x->g, TY_I64, 1));
    return true;
}

static bool lay_factors(Match *x, const ProductSum *s) {
    ExprFree free = {.ctx = x->temp, .by_marks = true};
    const ExprVars *a = expr_free(&free, s->factor[0]), *b = expr_free(&free, s->factor[1]);
    const Reduce *fold = s->sum->u.reduce;
    for (int i = 0; i < x->root->nvars; i++) {
        Var *v = x->root->vars[i];
        int in = IN_D | (expr_vars_have(a, v) ? IN_A : 0) | (expr_vars_have(b, v) ? IN_B : 0);
        if (in == IN_D) return refuse(x->why, "the result repeats along a variable that no factor has");
        if (!add_index(x, v, in)) return refuse(x->why, "a range depends on data");
    }
    for (int i = 0; i < fold->nvars; i++)
        if (!add_index(x, fold->vars[i], IN_A | IN_B)) return refuse(x->why, "a range depends on data");
    const Expr *fa = s->factor[0], *fb = s->factor[1];
    if (!lay(x, MAT_A, fa->u.tensor, fa->arg) || !lay(x, MAT_B, fb->u.tensor, fb->arg))
        return refuse(x->why, "a factor's subscripts are not linear");
    if (!lay(x, MAT_D, x->root->tensor, x->root->subs)) return refuse(x->why, "the result's subscripts are not linear");
    return true;
}

/* Rows are what lies along the result's last subscript: else the factors change sides. */
static bool orient(Match *x) {
    int in = 0;
    for (int i = 0; i < x->n && in != (IN_B | IN_D); i++)
        if (is_const(x->at[i].stride[MAT_D], 1)) in = x->at[i].in;
    if (in == (IN_B | IN_D)) return true;
    if (in != (IN_A | IN_D)) return refuse(x->why, "the result has no side along which its elements lie together");
    for (int i = 0; i < x->n; i++) {
        Index *v = &x->at[i];
        Poly p = v->stride[MAT_A];
        v->stride[MAT_A] = v->stride[MAT_B];
        v->stride[MAT_B] = p;
        v->in = (v->in & IN_D) | (v->in & IN_A ? IN_B : 0) | (v->in & IN_B ? IN_A : 0);
    }
    Tensor *t = x->tensor[MAT_A];
    Poly p = x->offset[MAT_A];
    x->tensor[MAT_A] = x->tensor[MAT_B], x->tensor[MAT_B] = t;
    x->offset[MAT_A] = x->offset[MAT_B], x->offset[MAT_B] = p;
    return true;
}

/* What is added: one vector that is the same for all rows, and one matrix. */
static bool lay_terms(Match *x, const Linear *l, Product *p) {
    for (int i = 0; i < l->n; i++) {
        const Expr *e = l->term[i].load;
        if (e->type != x->root->tensor->type) return refuse(x->why, "what is added has another type than the result");
        if (!lay(x, MAT_BIAS, e->u.tensor, e->arg)) return refuse(x->why, "what is added has other subscripts");
        bool vector = !p->bias.tensor && !l->term[i].times;
        for (int k = 0; k < x->n; k++) {
            const Index *v = &x->at[k];
            if (v->in == (IN_A | IN_D) && !is_const(v->stride[MAT_BIAS], 0)) vector = false;
        }
        if (vector) {
            p->bias.tensor = e->u.tensor;
            continue;
        }
        if (p->c.tensor) return refuse(x->why, "more than one matrix is added");
        p->c.tensor = e->u.tensor;
        p->beta = l->term[i].times ? l->term[i].times : expr_float(x->g, e->type == TY_F64 ? TY_F64 : TY_F32, 1);
    }
    for (int k = 0; k < x->n; k++) x->at[k].stride[MAT_BIAS] = poly_const(x->temp, 0);
    x->tensor[MAT_BIAS] = NULL;
    for (int i = 0; i < l->n; i++) {
        const Expr *e = l->term[i].load;
        bool bias = e->u.tensor == p->bias.tensor && !x->tensor[MAT_BIAS];
        if (!lay(x, bias ? MAT_BIAS : MAT_C, e->u.tensor, e->arg)) return false;
    }
    return true;
}

/* ---- indices as matrices have them ---- */

static void drop(Match *x, int i) {
    for (x->n--; i < x->n; i++) x->at[i] = x->at[i + 1];
}

/* Two indices that every matrix walks as one become it: the outer's strides are the inner's times its size. */
static bool unite(Match *x, int outer, int inner) {
    Ctx *ctx = x->temp;
    Index *o = &x->at[outer], *i = &x->at[inner];
    if (outer == inner || o->in != i->in) return false;
    for (int m = 0; m < MATS; m++) {
        Poly want = poly_mul(ctx, i->stride[m], i->size);
        if (want.failed || !poly_eq(o->stride[m], want)) return false;
    }
    Poly size = poly_mul(ctx, o->size, i->size);
    if (size.failed) return false;
    i->size = size;
    drop(x, outer);
    return true;
}

static void collapse(Match *x) {
    for (int i = 0; i < x->n; i++)
        if (is_const(x->at[i].size, 1) && x->n > 1) drop(x, i--);
    for (bool any = true; any;) {
        any = false;
        for (int i = 0; i < x->n && !any; i++)
            for (int j = 0; j < x->n && !any; j++) any = unite(x, i, j);
    }
}

/* The index along which the result's elements lie together, and the folded one. */
static const Index *columns(const Match *x) {
    for (int i = 0; i < x->n; i++)
        if (x->at[i].in == (IN_B | IN_D) && is_const(x->at[i].stride[MAT_D], 1)) return &x->at[i];
    return NULL;
}

static const Index *folded(const Match *x) {
    for (int i = 0; i < x->n; i++)
        if (x->at[i].in == (IN_A | IN_B)) return &x->at[i];
    return NULL;
}

/* The other indices are batches: the library walks the longest, a loop of calls the others. */
static bool find_batches(Match *x, const Index *m, const Index *n, const Index *k, Product *p, const Index **batch) {
    p->nbatch = 0;
    for (int i = 0; i < x->n; i++) {
        const Index *v = &x->at[i];
        if (v == m || v == n || v == k) continue;
        if (!(v->in & IN_D)) return refuse(x->why, "the folded indices do not lie together");
        if (p->nbatch == MAX_BATCH) return refuse(x->why, "there are too many batches");
        batch[p->nbatch++] = v;
    }
    return true;
}

/* The strides of one matrix; where it has no index for its rows (columns), what the other side needs. */
static bool make_matrix(Match *x, int which, const Index *row, const Index *col, const Index *const *batch, int nbatch,
                        Matrix *out) {
    Ctx *ctx = x->temp;
    Poly one = poly_const(ctx, 1), r = row ? row->stride[which] : one, c = col ? col->stride[which] : one,
         rows = row ? row->size : one, cols = col ? col->size : one;
    if (!row) r = is_const(c, 1) ? cols : one;
    if (!col) c = is_const(r, 1) ? rows : one;
    bool by_row = is_const(c, 1) && (at_least(x, r, cols) || (which == MAT_C && is_const(r, 0)));
    bool by_col = (which == MAT_A || which == MAT_B) && is_const(r, 1) && at_least(x, c, rows);
    if (which == MAT_BIAS) by_row = is_const(c, 1);
    if (!by_row && !by_col) return refuse(x->why, "a matrix does not lie by rows or by columns");
    *out = (Matrix){x->tensor[which], poly_expr(x->g, x->offset[which]), poly_expr(x->g, r), poly_expr(x->g, c), {0}};
    for (int b = 0; b < nbatch; b++) out->batch[b] = poly_expr(x->g, batch[b]->stride[which]);
    return true;
}

static bool make_matrices(Match *x, const Index *m, Product *p) {
    const Index *n = columns(x), *k = folded(x), *batch[MAX_BATCH];
    if (!find_batches(x, m, n, k, p, batch)) return false;
    p->m = m ? poly_expr(x->g, m->size) : expr_int(x->g, TY_I64, 1);
    p->n = poly_expr(x->g, n->size);
    p->k = poly_expr(x->g, k->size);
    for (int b = 0; b < p->nbatch; b++) p->batch[b] = poly_expr(x->g, batch[b]->size);
    return make_matrix(x, MAT_A, m, k, batch, p->nbatch, &p->a) &&
           make_matrix(x, MAT_B, k, n, batch, p->nbatch, &p->b) &&
           make_matrix(x, MAT_D, m, n, batch, p->nbatch, &p->d) &&
           (!x->tensor[MAT_C] || make_matrix(x, MAT_C, m, n, batch, p->nbatch, &p->c)) &&
           (!x->tensor[MAT_BIAS] || make_matrix(x, MAT_BIAS, NULL, n, batch, p->nbatch, &p->bias));
}

/* Of several indices of the rows one is the matrices', the longest that they can have; the others are batches. */
static bool make_product(Match *x, Product *p) {
    bool tried[MAX_VARS] = {0};
    x->env.nfacts = x->n;
    collapse(x);
    x->env.facts = x->some;
    if (!columns(x) || !folded(x)) return refuse(x->why, "a side has length 1");
    for (bool any = true; any;) {
        int best = -1;
        any = false;
        for (int i = 0; i < x->n; i++) {
            if (x->at[i].in != (IN_A | IN_D) || tried[i]) continue;
            if (best < 0 || guess(x, x->at[i].size) >= guess(x, x->at[best].size)) best = i;
        }
        if (best < 0) break;
        tried[best] = any = true;
        if (x->why) x->why->n = 0;
        if (make_matrices(x, &x->at[best], p)) return true;
    }
    for (int i = 0; i < x->n; i++)
        if (tried[i]) return false;
    return make_matrices(x, NULL, p);
}

bool product_in_place(const Product *p) { return type_bits(p->d.tensor->type) >= 32; }

static bool match(Graph *g, Ctx *temp, const Equation *root, Product *p, Text *why) {
    const Equation parts = product_heads(g, temp, root);
    const Expr *value = product_unite(g, parts.value), *sum;
    const Sums sums = find_sums(temp, value);
    ProductSum s;
    if (!sums.n || root->guard) return false;
    if (sums.n > 1) return refuse(why, "several reductions are used together");
    sum = sums.at[0];
    if (value->depth - sum->depth > MAX_NODES) return false;
    if (!product_sum(g, sum, &s, why)) return false;
    Type result = root->tensor->type;
    if (!s.ready[0] || !s.ready[1]) return refuse(why, "a factor is computed");
    if (!has_types(s.type, result)) return refuse(why, "the library does not store this type");
    if (value->op == OP_CAST && value->type == result) value = value->arg[0];
    Inner in = {.g = g, .temp = temp, .value = value, .sum = sum, .result = result, .left = MAX_NODES};
    if (value != sum && (sum->type != value->type || !type_is_float(sum->type)))
        return refuse(why, "the sum is not stored as it is");
    if (!is_linear(g, temp, value, sum, &in.linear) && !find_inner(&in))
        return refuse(why, "what follows the product is not an epilogue of the library");
    Match *x = NEW(temp, Match);
    *p = (Product){.root = *root, .act = in.act};
    *x = (Match){.g = g, .temp = temp, .env = {.g = g, .ctx = temp}, .root = &parts, .why = why};
    p->alpha = in.linear.alpha            ? in.linear.alpha
               : type_is_float(sum->type) ? expr_float(g, sum->type, 1)
                                          : expr_int(g, sum->type, 1);
    return lay_factors(x, &s) && orient(x) && lay_terms(x, &in.linear, p) && make_product(x, p);
}

bool product_match(Graph *g, const Equation *root, Product *out, Text *why) {
    Ctx *temp = ctx_temp(g->ctx);
    bool is = match(g, temp, root, out, why);
    ctx_temp_end(temp);
    return is;
}

/* What the host makes of a factor is a double's value: a constant or a scalar is one, a quotient of sizes is not. */
static bool host_factor(const Expr *e) {
    while (e && e->op == OP_CAST) e = e->arg[0];
    return e && e->op != OP_CONST && e->op != OP_SCALAR;
}

/* Factors of floats in e, but for 0 and 1. Expressions are nested MAX_DEPTH deep at most. */
static int float_constants(const Expr *e) {
    int n = e->op == OP_CONST && type_is_float(e->type) && e->u.f != 0 && e->u.f != 1;
    for (int i = 0; i < e->nargs; i++) n += float_constants(e->arg[i]);
    return n;
}

Sym product_inexact(const Product *p) {
    if (float_constants(p->root.value) > 1) return "a product's constant factors are multiplied as floats";
    if (host_factor(p->alpha) || host_factor(p->beta)) return "the host computes a product's factor";
    return p->act == ACT_GELU ? "the library's gelu" : NULL;
}
