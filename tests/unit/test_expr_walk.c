/* Walks over expressions (ir/expr_walk.h) and values of integer expressions (ir/int_value.h). Every walk is tried on an
 * expression that is LEVELS levels of `x + x`: whoever walks it as a tree does not come to an end. */
#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "ir/int_value.h"
#include "test.h"

enum { LEVELS = 2000 };

typedef struct Made {
    Graph *g;
    Ctx *ctx;
    Dim *n;
    Var *i, *k;
    Tensor *x;
    const Expr *load; /* x[i] */
    const Expr *sum;  /* sum[k in 0..i](x[k]) */
    const Expr *deep; /* x[i], doubled LEVELS times */
} Made;

static Made make(Ctx *ctx) {
    Made m = {.g = graph_new(ctx, sym(ctx, "g")), .ctx = ctx};
    m.n = graph_dim(m.g, sym(ctx, "N"));
    const Expr *n = expr_dim(m.g, m.n), *zero = expr_int(m.g, TY_I64, 0);
    m.i = graph_var(m.g, sym(ctx, "i"), zero, n);
    m.k = graph_var(m.g, sym(ctx, "k"), zero, expr_var(m.g, m.i));
    m.x = graph_tensor(m.g, sym(ctx, "x"), TENSOR_INPUT, TY_F32, 1, &n);
    const Expr *i = expr_var(m.g, m.i), *k = expr_var(m.g, m.k);
    m.load = expr_load(m.g, m.x, &i);
    Reduce *r = NEW(ctx, Reduce);
    *r = (Reduce){.monoid = monoid_row(MONOID_SUM), .nvars = 1, .vars = NEW(ctx, Var *)};
    r->vars[0] = m.k;
    m.sum = expr_reduce(m.g, r, NULL, expr_load(m.g, m.x, &k));
    m.deep = m.load;
    for (int l = 0; l < LEVELS; l++) m.deep = expr2(m.g, OP_ADD, m.deep, m.deep);
    return m;
}

/* ---- questions ---- */

static void questions(const Made *m) {
    const Expr *sine = expr1(m->g, OP_SIN, m->load), *wide = expr2(m->g, OP_MUL, m->deep, sine);
    const Expr *product = expr2(m->g, OP_MUL, expr_var(m->g, m->i), expr_dim(m->g, m->n));
    ExprSet seen = {0}, loads = {0};
    expect(expr_has(wide, expr_test_node, sine) == sine, "expr_has finds", NULL);
    expect(!expr_has(m->deep, expr_test_node, sine), "expr_has finds nothing", NULL);
    expect(expr_find(m->ctx, &seen, wide, expr_test_node, sine) == sine, "expr_find finds", NULL);
    expect(expr_find(m->ctx, &seen, wide, expr_test_node, sine) == sine, "expr_find finds again with its memo", NULL);
    expect(!expr_find(m->ctx, &seen, m->deep, expr_test_node, sine), "expr_find finds nothing", NULL);
    expect(!expr_find(m->ctx, &seen, NULL, expr_test_node, sine), "expr_find of nothing", NULL);
    expect(expr_loads(m->ctx, &loads, wide, m->x), "expr_loads", NULL);
    expect(expr_has(product, expr_test_var, m->i) && !expr_has(product, expr_test_var, m->k), "a variable", NULL);
    expect(expr_has(m->sum, expr_test_var, m->i) != NULL, "a variable in a reduction's range", NULL);
    expect(expr_has(wide, expr_test_data, NULL) && !expr_has(product, expr_test_data, NULL), "data", NULL);
    expect(expr_has_op(wide, OP_SIN) && !expr_has_op(product, OP_ADD), "expr_has_op", NULL);
    expect(!expr_over_dims(product) && expr_over_dims(product->arg[1]), "expr_over_dims", NULL);
    expect(!expr_is_uniform(wide) && expr_is_uniform(product->arg[1]), "expr_is_uniform", NULL);
}

/* ---- visits ---- */

typedef struct Log {
    int before, after, last; /* nodes; the number of the node that was left last */
    bool ordered;            /* operands are left before what has them */
    const Expr *past, *end;
} Log;

/* A load at an index that is computed is the larger one; *asked counts the questions. */
static int size_of_load(const Expr *load, void *asked) {
    ++*(int *)asked;
    return load->arg[0]->op == OP_VAR ? 1 : 2;
}

static void largest_load(const Made *m) {
    int asked = 0;
    const Expr *next = expr2(m->g, OP_ADD, expr_var(m->g, m->i), expr_int(m->g, TY_I64, 1));
    const Expr *other = expr_load(m->g, m->x, &next), *both = expr2(m->g, OP_MUL, m->deep, other);
    expect(expr_largest_load(m->ctx, both, size_of_load, &asked) == other && asked == 2, "expr_largest_load", NULL);
    expect(expr_largest_load(m->ctx, m->deep, size_of_load, &asked) == m->load, "the only load", NULL);
    expect(!expr_largest_load(m->ctx, next, size_of_load, &asked), "no load", NULL);
}

static Found enter(const Expr *e, void *log) {
    Log *l = log;
    l->before++;
    return e == l->end ? FOUND : e == l->past ? FOUND_NOT : FOUND_INSIDE;
}

static void leave(const Expr *e, void *log) {
    Log *l = log;
    l->ordered &= l->after == 0 || e->id > l->last || e->nargs == 0;
    l->last = e->id;
    l->after++;
}

static Log walked(const Made *m, const Expr *e, Log log, bool ranges, bool reduces) {
    ExprWalk w = {.temp = m->ctx, .before = enter, .after = leave, .user = &log, .ranges = ranges, .reduces = reduces};
    log.ordered = true;
    const Expr *end = expr_walk(&w, e);
    expect(end == (log.end && log.before ? log.end : NULL), "the node that ends a walk", NULL);
    expect(!expr_walk(&w, e) || log.end, "a second walk ends nowhere", NULL);
    return log;
}

/* A variable that runs up to another expression, doubled LEVELS times. */
static const Expr *far(const Made *m, const Expr *to) {
    for (int l = 0; l < LEVELS; l++) to = expr2(m->g, OP_ADD, to, to);
    return expr_var(m->g, graph_var(m->g, sym(m->ctx, "v"), expr_int(m->g, TY_I64, 0), to));
}

static void depending(const Made *m) {
    Log log = {.ordered = true};
    ExprWalk w = {.temp = m->ctx, .before = enter, .after = leave, .user = &log, .depends = true};
    const Expr *k = expr_var(m->g, m->k), *n = expr_dim(m->g, m->n);
    expect(!expr_walk(&w, k) && log.before == 4 && log.last == k->id, "a variable after 0, i and N of its range", NULL);
    expect(!expr_walk(&w, m->sum) && log.before == 4 + 3, "what was visited is not again", NULL);
    const Expr *two = far(m, far(m, n)), *three = far(m, two);
    log = (Log){.end = n};
    w = (ExprWalk){.temp = m->ctx, .before = enter, .user = &log, .depends = true};
    expect(expr_walk(&w, two) == n, "ranges inside of ranges", NULL);
    w = (ExprWalk){.temp = m->ctx, .before = enter, .user = &log, .depends = true};
    expect(!expr_walk(&w, three), "not deeper than MAX_DEPTH", NULL);
}

static void visits(const Made *m) {
    Log all = walked(m, m->deep, (Log){0}, false, false);
    expect(all.before == LEVELS + 2 && all.after == LEVELS + 2, "each node is visited once", NULL);
    expect(all.ordered, "operands are left first", NULL);
    Log past = walked(m, m->deep, (Log){.past = m->load}, false, false);
    expect(past.before == LEVELS + 1 && past.after == LEVELS, "a node is passed over", NULL);
    Log cut = walked(m, m->deep, (Log){.end = m->load}, false, false);
    expect(cut.before == LEVELS + 1 && cut.after == 0, "a node ends the walk", NULL);
    /* guard true, x[k], k; with ranges also 0 and i */
    expect(walked(m, m->sum, (Log){0}, false, false).before == 4, "a reduction", NULL);
    expect(walked(m, m->sum, (Log){0}, true, false).before == 6, "a reduction with its ranges", NULL);
    const Expr *beside = expr2(m->g, OP_ADD, m->sum, m->deep);
    expect(walked(m, beside, (Log){0}, false, true).before == 2, "only what reduces", NULL);
    Log log = {0};
    ExprWalk w = {.temp = m->ctx, .before = enter, .user = &log, .loads = true};
    expr_walk(&w, expr2(m->g, OP_ADD, expr_cast(m->g, TY_F32, expr_dim(m->g, m->n)), m->load));
    expect(log.before == 2, "only what loads", NULL);
}

/* Every third node of many, put twice. */
static void set_of_nodes(const Made *m) {
    enum { NODES = 4000 };
    const Expr *node[NODES];
    ExprSet set = {0};
    bool fresh = true, again = false, right = true;
    for (int i = 0; i < NODES; i++) node[i] = expr_int(m->g, TY_I64, 1000000 + i);
    expect(!expr_set_has(&set, node[0]), "an empty set", NULL);
    for (int i = 0; i < NODES; i += 3) fresh &= expr_set_add(m->ctx, &set, node[i]);
    for (int i = 0; i < NODES; i += 3) again |= expr_set_add(m->ctx, &set, node[i]);
    for (int i = 0; i < NODES; i++) right &= expr_set_has(&set, node[i]) == (i % 3 == 0);
    expect(fresh && !again, "what was put is not put again", NULL);
    expect(right, "a set has what was put, and nothing else", NULL);
}

/* ---- rewriting ---- */

typedef struct Doubling {
    const Expr *from, *to;
    int before, after;
} Doubling;

static const Expr *replace_one(ExprRewrite *x, const Expr *e) {
    Doubling *d = x->user;
    d->before++;
    return e == d->from ? d->to : NULL;
}

static const Expr *count_after(ExprRewrite *x, const Expr *e, const Expr *made) {
    Doubling *d = x->user;
    d->after += e != made;
    return made;
}

static const Expr *first_twice(void *user, const Expr *e, int i, const Expr *const *made) {
    ++*(int *)user;
    return i ? made[i - 1] : e->arg[0];
}

static const Expr *none_first(void *user, const Expr *e, int i, const Expr *const *made) {
    (void)e, (void)i, (void)made;
    ++*(int *)user;
    return NULL;
}

static const Expr *stop_at(ExprRewrite *x, const Expr *e) {
    Doubling *d = x->user;
    d->before++;
    x->stopped = e == d->from;
    return NULL;
}

static void other_rewriting(const Made *m) {
    const Expr *i = expr_var(m->g, m->i), *n = expr_dim(m->g, m->n);
    int asked = 0;
    expect(expr_rebuild(m->g, m->ctx, expr2(m->g, OP_MUL, i, n), first_twice, &asked) == expr2(m->g, OP_MUL, i, i),
           "an operand is made of the one before", NULL);
    expect(asked == 2, "operands are made once", NULL);
    expect(!expr_rebuild(m->g, m->ctx, expr2(m->g, OP_MUL, i, n), none_first, &asked) && asked == 3,
           "an operand that there is not ends it", NULL);
    Doubling d = {.from = m->load};
    ExprRewrite x = {.g = m->g, .temp = m->ctx, .before = stop_at, .user = &d};
    expect(!expr_rewrite(&x, m->deep) && x.stopped && d.before == LEVELS + 1, "rewriting is stopped", NULL);
    x.stopped = false;
    d.from = NULL;
    expect(expr_rewrite(&x, m->deep) == m->deep, "and goes on", NULL);
}

static void rewriting(const Made *m) {
    const Expr *zero = expr_float(m->g, TY_F32, 0), *i = expr_var(m->g, m->i), *n = expr_dim(m->g, m->n);
    Doubling d = {.from = m->load, .to = zero};
    ExprRewrite x = {.g = m->g, .temp = m->ctx, .before = replace_one, .after = count_after, .user = &d};
    const Expr *r = expr_rewrite(&x, m->deep);
    expect(!expr_has(r, expr_test_load, m->x) && r->depth == LEVELS + 1, "a load is replaced", NULL);
    expect(d.before == LEVELS + 1 && d.after == LEVELS, "each node is rewritten once", NULL);
    expect(expr_rewrite(&x, m->deep) == r && d.before == LEVELS + 1, "the memo serves again", NULL);
    x = (ExprRewrite){.g = m->g, .temp = m->ctx, .before = replace_one, .user = &d};
    expect(expr_rewrite(&x, m->sum) == m->sum, "what does not change is itself", NULL);
    x = (ExprRewrite){.g = m->g, .temp = m->ctx, .before = replace_one, .user = &d, .reduces = true};
    d.before = 0;
    const Expr *beside = expr2(m->g, OP_ADD, m->sum, m->deep);
    expect(expr_rewrite(&x, beside) == beside && d.before == 2, "only what reduces is asked for", NULL);
    r = expr_replace(m->g, m->sum, &i, &n, 1);
    const Var *fresh = r->u.reduce->vars[0];
    expect(fresh != m->k && fresh->hi == n && m->k->hi == i, "a range that changes gets a new variable", NULL);
    expect(expr_has(r, expr_test_var, fresh) && !expr_has(r, expr_test_var, m->k), "and its uses follow", NULL);
    expect(expr_replace(m->g, m->sum, &m->load, &zero, 1)->u.reduce == m->sum->u.reduce, "else it is kept", NULL);
}

/* ---- free variables ---- */

static void free_variables(const Made *m) {
    ExprFree plain = {.ctx = m->ctx}, ranges = {.ctx = m->ctx, .ranges = true};
    Var *j = graph_var(m->g, sym(m->ctx, "j"), m->i->lo, m->i->hi);
    const Expr *i = expr_var(m->g, m->i), *two = expr2(m->g, OP_ADD, expr_var(m->g, j), i);
    const ExprVars *f = expr_free(&plain, two);
    expect(f->n == 2 && f->vars[0] == j && f->vars[1] == m->i, "in the order in which they are met", NULL);
    expect(expr_free(&plain, m->sum)->n == 0, "a bound variable is not free", NULL);
    f = expr_free(&ranges, m->sum);
    expect(f->n == 1 && f->vars[0] == m->i, "a range depends on a variable", NULL);
    f = expr_free(&plain, m->deep);
    expect(f->n == 1 && expr_vars_have(f, m->i) && !expr_vars_have(f, j), "of a deep expression", NULL);
    const ExprVars *back = expr_free(&plain, expr2(m->g, OP_MUL, i, expr_var(m->g, j)));
    expect(back->vars[0] == m->i, "the other order", NULL);
    expect(expr_vars_set(m->ctx, back) == expr_vars_set(m->ctx, expr_free(&plain, two)), "the same set", NULL);
    expect(expr_vars_set(m->ctx, back) != expr_vars_set(m->ctx, f), "another set", NULL);
    const Expr *sub = expr_var(m->g, j), *mark = expr_mark(m->g, m->x, m->load, &sub);
    ExprFree marks = {.ctx = m->ctx, .by_marks = true};
    f = expr_free(&marks, mark);
    expect(expr_is_mark(mark) && f->n == 1 && f->vars[0] == j, "a mark has the variables of its operands", NULL);
}

/* ---- values ---- */

static IntLeaf is_three(void *asked, const Expr *e, int64_t *v) {
    if (e->op != OP_DIM) return INT_LEAF_INSIDE;
    ++*(int *)asked;
    return *v = 3, INT_LEAF_KNOWN;
}

static void value(const Made *m, const Expr *e, IntValue how, bool known, int64_t want) {
    int asked = 0;
    int64_t v = 0;
    Text text = {.ctx = m->ctx};
    how.leaf = is_three;
    how.user = &asked;
    if (!how.left) how.left = 100;
    bool is = int_value(&how, e, &v);
    if (e->depth < 10) expr_print(&text, e, NULL);
    expect(is == known && (!is || v == want), "a value", text.s);
}

static void values(const Made *m) {
    Graph *g = m->g;
    const IntValue exact = {.fit = INT_FIT_64}, typed = {.fit = INT_FIT_TYPE}, wraps = {.fit = INT_FIT_WRAPS},
                   saturates = {.fit = INT_FIT_SATURATES}, positive = {.positive = true};
    const Expr *n = expr_dim(g, m->n), *zero = expr_int(g, TY_I64, 0), *two = expr_int(g, TY_I64, 2);
    const Expr *most = expr_int(g, TY_I64, INT64_MAX), *least = expr_int(g, TY_I64, INT64_MIN);
    const Expr *large = expr_int(g, TY_I32, INT32_MAX), *i = expr_var(g, m->i);
    value(m, expr2(g, OP_MUL, n, two), exact, true, 6);
    value(m, expr2(g, OP_DIV, expr1(g, OP_NEG, n), two), exact, true, -2);
    value(m, expr2(g, OP_MOD, expr1(g, OP_NEG, n), two), exact, true, 1);
    value(m, expr2(g, OP_DIV, n, zero), exact, true, 0);
    value(m, expr2(g, OP_DIV, n, zero), positive, false, 0);
    value(m, expr2(g, OP_MOD, n, expr1(g, OP_NEG, two)), positive, false, 0);
    value(m, expr2(g, OP_DIV, least, expr_int(g, TY_I64, -1)), exact, false, 0);
    value(m, expr1(g, OP_ABS, least), exact, false, 0);
    value(m, expr2(g, OP_SUB, expr_int(g, TY_I64, -1), least), exact, true, INT64_MAX);
    value(m, expr2(g, OP_ADD, n, most), exact, false, 0);
    value(m, expr2(g, OP_ADD, n, most), wraps, false, 0);
    value(m, expr2(g, OP_ADD, n, most), saturates, true, INT64_MAX);
    value(m, expr2(g, OP_ADD, large, large), exact, true, (int64_t)INT32_MAX * 2);
    value(m, expr2(g, OP_ADD, large, large), typed, false, 0);
    value(m, expr2(g, OP_ADD, large, large), wraps, true, -2);
    value(m, expr_cast(g, TY_I32, most), typed, true, -1);
    value(m, expr_cast(g, TY_I32, most), exact, true, INT64_MAX);
    const Expr *no = expr2(g, OP_LT, n, two), *unknown = expr2(g, OP_LT, i, two);
    value(m, unknown, exact, false, 0);
    value(m, expr2(g, OP_AND, no, unknown), exact, true, 0);
    value(m, expr2(g, OP_OR, expr1(g, OP_NOT, no), unknown), exact, true, 1);
    value(m, expr2(g, OP_OR, no, unknown), exact, false, 0);
    value(m, expr3(g, OP_IF, no, i, two), exact, true, 2);
    value(m, expr_cast(g, TY_I64, m->load), exact, false, 0);
    value(m, expr2(g, OP_SHL, two, expr_int(g, TY_I64, 62)), exact, false, 0);
    const Expr *deep = n;
    for (int l = 0; l < 100; l++) deep = expr2(g, OP_ADD, deep, deep);
    value(m, deep, (IntValue){.left = 1000}, false, 0);
    expect(expr_guess(expr2(g, OP_MUL, n, two)) == 2048 && expr_guess(i) == 1024, "expr_guess", NULL);
    const Var back = {.lo = n, .hi = two}, wide = {.lo = least, .hi = most};
    expect(var_guess(m->i) == 1024 && var_guess(&back) == 0 && var_guess(&wide) == INT64_MAX, "var_guess", NULL);
    m->n->hint = 5;
    expect(expr_guess(expr2(g, OP_MUL, n, most)) == INT64_MAX && expr_guess(n) == 5, "expr_guess with a hint", NULL);
}

int main(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return 1;
    Made m = make(ctx);
    questions(&m);
    visits(&m);
    largest_load(&m);
    depending(&m);
    set_of_nodes(&m);
    rewriting(&m);
    other_rewriting(&m);
    free_variables(&m);
    values(&m);
    ctx_free(ctx);
    return test_end();
}
