/* Definitions made ready for the partition: see prepare.h. Decides nothing about kernels beyond which lets are written
 * in. */
#include "prepare.h"

#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "ir/poly/hull.h"
#include "ir/poly/poly.h"
#include "sched/library/product.h"

/* A definition with lets written in is no larger. */
enum { MAX_INLINE_DEPTH = 600, MAX_INLINE_NODES = 4000, MAX_INLINE_REDUCTIONS = 24 };
enum { SMALL_DEPTH = 16 /* without reductions: may be computed again after a cut */ };

/* The length of a range that starts anywhere, where that follows from dimensions alone; else NULL. */
static const Expr *fixed_length(Graph *g, const Expr *lo, const Expr *hi) {
    PolyEnv env = {.g = g};
    Poly p = poly_sub(g->ctx, poly_of(&env, hi), poly_of(&env, lo));
    const Expr *n = p.failed ? NULL : poly_expr(g, p);
    return n && expr_over_dims(n) ? n : NULL;
}

/* Ranges that read other variables or data become those of the distance from their start, or conditions of the
 * guard. */
static const Expr *plain_ranges(Preparation *d, const Expr *e) {
    Graph *g = d->graph;
    Reduce *r = e->u.reduce;
    const Expr *cond = NULL, *from[MAX_RANK], *to[MAX_RANK];
    if (r->nvars > MAX_RANK) return e;
    Reduce *fresh = NEW(g->ctx, Reduce);
    *fresh = *r;
    fresh->vars = NEW_N(g->ctx, Var *, r->nvars);
    int n = 0;
    for (int i = 0; i < r->nvars; i++) {
        Var *v = fresh->vars[i] = r->vars[i];
        const Expr *lo = n ? expr_replace(g, v->lo, from, to, n) : v->lo,
                   *hi = n ? expr_replace(g, v->hi, from, to, n) : v->hi;
        if (expr_over_dims(lo) && expr_over_dims(hi)) continue;
        const Expr *min, *max, *length = r->monoid->indexed ? NULL : fixed_length(g, lo, hi);
        from[n] = expr_var(g, v);
        if (length) {
            fresh->vars[i] = graph_var(g, v->name, expr_int(g, TY_I64, 0), length);
            to[n++] = expr2(g, OP_ADD, lo, expr_var(g, fresh->vars[i]));
            continue;
        }
        if (!range_hull(g, e, v, lo, hi, &min, &max)) { /* sema refuses this where users write it */
            if (!d->failed) text_fmt(d->why, "the range of `%s` has no bound over dimensions", v->name);
            d->failed = true;
            return e;
        }
        fresh->vars[i] = graph_var(g, v->name, min, max);
        to[n] = expr_var(g, fresh->vars[i]);
        if (lo != min) cond = expr_and(g, cond, expr2(g, OP_LE, lo, to[n]));
        if (hi != max) cond = expr_and(g, cond, expr2(g, OP_LT, to[n], hi));
        n++;
    }
    if (!n) return e;
    const Expr *guard = expr_and(g, cond, expr_replace(g, e->arg[0], from, to, n)), *operands[MAX_PARTS];
    for (int i = 1; i < e->nargs; i++) operands[i - 1] = expr_replace(g, e->arg[i], from, to, n);
    return expr_reduce_parts(g, fresh, guard, operands);
}

/* A fold in the order of several indices is one along the first of what is folded along the others: kernels keep the
 * order along one axis. */
static const Expr *nest_ordered(Graph *g, const Expr *e) {
    const Reduce *r = e->u.reduce;
    const Expr *inner[MAX_PARTS];
    if (!r->monoid->ordered || r->nvars == 1) return e;
    for (int i = 0; i < r->monoid->n; i++) {
        Reduce *rest = NEW(g->ctx, Reduce);
        *rest = (Reduce){.monoid = r->monoid, .part = i, .nvars = r->nvars - 1, .vars = r->vars + 1};
        inner[i] = nest_ordered(g, expr_reduce_parts(g, rest, e->arg[0], (const Expr *const *)e->arg + 1));
    }
    Reduce *first = NEW(g->ctx, Reduce);
    *first = (Reduce){.monoid = r->monoid, .part = r->part, .nvars = 1, .vars = r->vars};
    return expr_reduce_parts(g, first, NULL, inner);
}

/* ---- conditions around reductions ---- */

enum { MAX_MEMOS = 64 };
typedef struct AroundMemo {
    const Expr *cond;
    ExprMap done;
} AroundMemo;

typedef struct Around {
    Preparation *d;
    VEC(AroundMemo) memos; /* conditions beyond MAX_MEMOS are walked without */
} Around;

/* A load whose subscripts are not seen to be inside of its tensor. */
static Found may_be_outside(const Expr *e, const void *unused) {
    (void)unused;
    for (int i = 0; e->op == OP_LOAD && i < e->nargs; i++) {
        const Expr *s = e->arg[i], *hi = e->u.tensor->shape[i];
        int64_t lo, h, v;
        bool var = s->op == OP_VAR && s->u.var->hi == hi && expr_is_int(s->u.var->lo, &lo) && lo >= 0;
        if (!var && !(expr_is_int(s, &v) && expr_is_int(hi, &h) && v >= 0 && v < h)) return FOUND;
    }
    return FOUND_INSIDE;
}

static const Expr *self_contained(Around *x, const Expr *e, const Expr *cond);

typedef struct Operands {
    Around *x;
    const Expr *cond; /* around the node that has them */
} Operands;

/* Those behind the first of `if`, && and || are evaluated where the first says so, those of a reduction where its guard
 * does. */
static const Expr *contained_operand(void *user, const Expr *e, int i, const Expr *const *made) {
    const Operands *o = user;
    Graph *g = o->x->d->graph;
    const Expr *cond = o->cond;
    if (i && (e->op == OP_IF || e->op == OP_AND || e->op == OP_OR || e->op == OP_REDUCE)) {
        bool negate = e->op == OP_OR || (e->op == OP_IF && i == 2);
        cond = expr_and(g, cond, negate ? expr1(g, OP_NOT, made[0]) : made[0]);
    }
    return self_contained(o->x, e->arg[i], cond);
}

static const Expr *walk_around(Around *x, const Expr *e, const Expr *cond) {
    Graph *g = x->d->graph;
    const Expr *r = expr_rebuild(g, x->d->temp, e, contained_operand, &(Operands){x, cond});
    if (e->op != OP_REDUCE) return r;
    ExprSet seen = {0};
    if (cond && expr_find(x->d->temp, &seen, e, may_be_outside, NULL)) {
        const Expr **a = NEW_N(x->d->temp, const Expr *, r->nargs);
        memcpy(a, r->arg, sizeof *a * (size_t)r->nargs);
        a[0] = expr_and(g, cond, a[0]);
        r = expr_with(g, r, a);
    }
    return nest_ordered(g, plain_ranges(x->d, r));
}

/* e with the conditions under which its reductions are evaluated put into their guards, where those protect loads. */
static const Expr *self_contained(Around *x, const Expr *e, const Expr *cond) {
    if (!e->reduces) return e;
    int i = 0;
    AroundMemo fresh = {.cond = cond};
    while (i < x->memos.n && x->memos.at[i].cond != cond) i++;
    if (i == x->memos.n && i < MAX_MEMOS) vec_push(x->d->temp, &x->memos, fresh);
    const Expr *known = i < MAX_MEMOS ? expr_map_get(&x->memos.at[i].done, e) : NULL;
    if (known) return known;
    const Expr *r = walk_around(x, e, cond);
    if (i < MAX_MEMOS) expr_map_put(x->d->temp, &x->memos.at[i].done, e, r);
    return r;
}

/* ---- lets written in ---- */

/* A definition in work. */
typedef struct Writing {
    Preparation *d;
    Prepared *def;
    bool cutting; /* lets are not written in */
    bool places;  /* subscripts of a piece are written */
    int nodes, reduces;
    ExprRewrite to;
} Writing;

typedef struct Along {
    Ctx *temp;
    const Expr *index;
} Along;

static Found folds_along(const Expr *e, const void *along) {
    const Along *x = along;
    ExprSet seen = {0};
    if (!e->reduces) return FOUND_NOT;
    return e->op == OP_REDUCE && expr_find(x->temp, &seen, e, expr_test_node, x->index) ? FOUND : FOUND_INSIDE;
}

/* Whether reductions in a let's value vary along one of its indices. */
static bool varies_along(Ctx *temp, const Prepared *let, const Expr *index) {
    ExprSet seen = {0};
    return expr_find(temp, &seen, let->value[0], folds_along, &(Along){temp, index}) != NULL;
}

/* Subscripts are distinct variables that run over the tensor's own ranges, but for those along which no reduction in
 * the value varies: each reader's reductions are of the rows that are its own. */
static bool is_plain_use(Ctx *temp, const Prepared *let, const Expr *const *subs) {
    const Piece *p = let->tensor->pieces.at;
    for (int i = 0; i < let->tensor->rank; i++) {
        bool plain = subs[i]->op == OP_VAR && var_same_range(subs[i]->u.var, p->vars[i]);
        for (int j = 0; j < let->tensor->rank; j++) plain &= j == i || subs[j] != subs[i];
        if (!plain && varies_along(temp, let, let->subs[i])) return false;
    }
    return true;
}

static void store(Prepared *let, const char *why) {
    if (!let->stored) let->why = why;
    let->stored = true;
}

static const char too_large[] = "what reads it is too large with it written in";

/* Why a let read at subs is not written into the definition in work; NULL: it is. What was made before a chain was cut
 * and is read after it is stored, so that nobody computes the chain again. */
static const char *stays_out(const Writing *x, const Prepared *let, const Expr *const *subs) {
    if (!let->plain) return "it is defined in pieces or under a condition";
    if (let->apart) return too_large;
    if (x->d->stored && x->d->stored[let->tensor->id]) return "what is read many times takes longer to compute again";
    if (let->generation != x->def->generation && (let->depth > SMALL_DEPTH || let->reduces))
        return "made before a chain of definitions was cut, and read after it";
    if (let->value[0]->reduces && x->places) return "it says where another tensor is folded into";
    if (let->value[0]->reduces && !is_plain_use(x->d->temp, let, subs))
        return "its reductions are read at other places than its own indices";
    return NULL;
}

/* Nodes of an expression, and reductions among them; of more than MAX_INLINE_NODES some are not counted. */
typedef struct NodeCount {
    int nodes, reduces;
} NodeCount;

static Found count_node(const Expr *e, void *user) {
    NodeCount *n = user;
    if (n->nodes > MAX_INLINE_NODES) return FOUND;
    n->nodes += e->nargs > 0;
    n->reduces += e->op == OP_REDUCE;
    return FOUND_INSIDE;
}

static NodeCount count_nodes(Ctx *temp, const Expr *e) {
    NodeCount n = {0};
    ExprWalk w = {.temp = temp, .before = count_node, .user = &n};
    expr_walk(&w, e);
    return n;
}

/* ---- cutting ---- */

typedef struct Cutting {
    Preparation *d;
    bool more;      /* factors of products are stored from now on; else lets are loaded that are stored apart already */
    int generation; /* of those that are loaded */
} Cutting;

/* The lets that are factors of a product of matrices are in memory anyway. */
static void store_factors(Preparation *d, const Expr *e) {
    ProductSum s;
    if (!product_sum(d->graph, e, &s, NULL)) return;
    for (int i = 0; i < 2; i++) {
        Prepared *let = expr_is_mark(s.factor[i]) ? prepare_let(d, s.factor[i]) : NULL;
        if (!let || let->apart) continue;
        let->apart = true;
        store(let, "a factor of a product of matrices");
        let->generation++;
        d->cuts++;
    }
}

static const Expr *cut_let(ExprRewrite *r, const Expr *e) {
    Cutting *x = r->user;
    if (x->more && e->op == OP_REDUCE) store_factors(x->d, e);
    const Prepared *let = expr_is_mark(e) ? prepare_let(x->d, e) : NULL;
    if (!let || !let->apart || !let->stored) return NULL;
    if (let->generation > x->generation) x->generation = let->generation;
    return expr_load(r->g, let->tensor, prepare_subs(e));
}

/* e with the outermost lets in it that are stored apart as loads. */
static const Expr *cut(Cutting *x, const Expr *e) {
    ExprRewrite r = {.g = x->d->graph, .temp = x->d->temp, .before = cut_let, .user = x, .reduces = true};
    return expr_rewrite(&r, e);
}

/* What was written into a definition and is stored since then is loaded. */
static void refresh(Preparation *d, Prepared *def) {
    if (def->cuts == d->cuts || !def->plain) return;
    Cutting x = {.d = d};
    const Expr *r = cut(&x, def->value[0]);
    def->cuts = d->cuts;
    if (r == def->value[0]) return;
    NodeCount n = count_nodes(d->temp, r);
    def->value[0] = r;
    def->nodes = n.nodes;
    def->reduces = n.reduces;
    if (x.generation > def->generation) def->generation = x.generation;
}

static const Expr *write_node(ExprRewrite *r, const Expr *e);

/* A subscript with lets written in; values may divide by 0 where a subscript may not. */
static const Expr *write_subscript(Writing *x, const Expr *e) {
    Graph *g = x->d->graph;
    const Expr *r = expr_rewrite(&x->to, e);
    PolyEnv env = {.g = g, .ctx = x->d->temp};
    if (r == e || !expr_divides(&env, r)) return r;
    const Expr **facts = NEW_N(x->d->temp, const Expr *, g->facts.n + 1);
    for (int i = 0; i < g->facts.n; i++)
        if (!g->facts.at[i].nvars) facts[env.nfacts++] = g->facts.at[i].cond;
    env.facts = facts;
    return expr_guard_divisions(&env, r);
}

/* Where a piece's elements are: of updates that may be data. */
static const Expr **write_places(Preparation *d, Prepared *def, const Piece *p) {
    const int rank = def->tensor->rank;
    const Expr **to = NEW_N(d->graph->ctx, const Expr *, rank + 1);
    Writing x = {.d = d, .def = def, .places = true};
    x.to = (ExprRewrite){.g = d->graph, .temp = d->temp, .before = write_node, .user = &x};
    for (int i = 0; i < rank; i++) to[i] = write_subscript(&x, p->subs[i]);
    return to;
}

static const Expr *write_load(Writing *x, const Expr *e) {
    Preparation *d = x->d;
    Graph *g = d->graph;
    Tensor *t = e->u.tensor;
    const Expr *subs[MAX_RANK];
    for (int i = 0; i < t->rank; i++) subs[i] = write_subscript(x, e->arg[i]);
    Prepared *def = prepare_of(d, t);
    if (!def || t->kind == TENSOR_INOUT) return expr_load(g, t, subs); /* what the caller gave */
    def->apart |= x->cutting;
    refresh(d, def);
    const char *why = stays_out(x, def, subs);
    if (why) {
        store(def, why);
        return expr_load(g, t, subs);
    }
    bool same = true;
    for (int i = 0; i < t->rank; i++) same &= def->subs[i] == subs[i];
    const Expr *r = same ? def->value[0] : expr_replace(g, def->value[0], def->subs, subs, t->rank);
    r = expr_cast(g, t->type, r);
    x->nodes += def->nodes;
    x->reduces += def->reduces;
    if (!def->marked) return r;
    def->uses++;
    return expr_mark(g, t, r, subs);
}

static const Expr *write_node(ExprRewrite *r, const Expr *e) {
    Writing *x = r->user;
    if (!e->nargs && e->op != OP_LOAD) return NULL;
    x->nodes++;
    x->reduces += e->op == OP_REDUCE;
    return e->op == OP_LOAD ? write_load(x, e) : NULL;
}

/* e with lets written in. */
static const Expr *write_in(Writing *x, const Expr *e) {
    x->to = (ExprRewrite){.g = x->d->graph, .temp = x->d->temp, .before = write_node, .user = x};
    return expr_rewrite(&x->to, e);
}

/* ---- order ---- */

enum { MAX_CHAIN = 20000 /* lets that read one another */ };

/* Putting tensors after those that they load. */
typedef struct Ordering {
    Preparation *d;
    ExprMap met; /* tensors */
    int depth;
} Ordering;

static Found order_load(const Expr *e, void *user);

static void order_tensor(Ordering *o, Tensor *t) {
    Preparation *d = o->d;
    if (t->sort) {
        order_tensor(o, t->sort->keys);
        return;
    }
    if (expr_map_get(&o->met, t) || t->kind == TENSOR_INPUT || !t->pieces.n) return;
    if (o->depth > MAX_CHAIN) d->failed = true;
    if (d->failed) return;
    expr_map_put(d->temp, &o->met, t, t);
    o->depth++;
    ExprWalk w = {.temp = d->temp, .before = order_load, .user = o, .ranges = true};
    for (int i = 0; i < t->pieces.n; i++) {
        expr_walk(&w, t->pieces.at[i].value);
        expr_walk(&w, t->pieces.at[i].guard);
        for (int k = 0; k < t->rank; k++) expr_walk(&w, t->pieces.at[i].subs[k]);
    }
    o->depth--;
    vec_push(d->graph->ctx, &d->order, t);
}

static Found order_load(const Expr *e, void *user) {
    if (e->op == OP_LOAD && e->u.tensor->kind != TENSOR_INOUT) order_tensor(user, e->u.tensor);
    return FOUND_INSIDE;
}

/* The bounds of nodes and reductions are counted exactly only where they say too much. */
static bool is_large(Writing *x, const Expr *e) {
    if (e->depth >= MAX_INLINE_DEPTH) return true;
    if (x->nodes <= MAX_INLINE_NODES && x->reduces <= MAX_INLINE_REDUCTIONS) return false;
    NodeCount n = count_nodes(x->d->temp, e);
    x->nodes = n.nodes;
    x->reduces = n.reduces;
    return x->nodes > MAX_INLINE_NODES || x->reduces > MAX_INLINE_REDUCTIONS;
}

/* r with the factors of products of matrices in it stored; false where it is too large even so. */
static bool fits_cut(Writing *x, const Expr **r) {
    Cutting c = {.d = x->d, .more = true};
    const Expr *s = cut(&c, *r);
    if (s == *r) return false;
    NodeCount n = count_nodes(x->d->temp, s);
    x->nodes = n.nodes;
    x->reduces = n.reduces;
    if (is_large(x, s)) return false;
    if (c.generation > x->def->generation) x->def->generation = c.generation;
    *r = s;
    return true;
}

/* e with lets written in. Where that is too large, factors of products of matrices in it are stored, which they would
 * be anyway: so that a chain is divided by what it computes, not by how long it is. Else those that it reads are. */
static const Expr *written(Preparation *d, Prepared *def, const Expr *e) {
    Writing x = {.d = d, .def = def};
    const Expr *r = write_in(&x, e);
    if (r != e && is_large(&x, r) && !fits_cut(&x, &r)) {
        x = (Writing){.d = d, .def = def, .cutting = true};
        def->generation++;
        r = write_in(&x, e);
    }
    def->nodes += x.nodes;
    def->reduces += x.reduces;
    if (r->depth > def->depth) def->depth = r->depth;
    return r;
}

/* Generations of the tensors that are loaded. */
typedef struct Generations {
    const Preparation *d;
    int most;
} Generations;

static Found raise_generation(const Expr *e, void *user) {
    Generations *g = user;
    bool let = e->op == OP_LOAD && e->u.tensor->kind != TENSOR_INOUT;
    const Prepared *def = let ? prepare_of(g->d, e->u.tensor) : NULL;
    if (def && def->generation > g->most) g->most = def->generation;
    return FOUND_INSIDE;
}

/* The value in the variables that all plain definitions share, so that one is written into another as it is. */
static const Expr *placed_value(Preparation *d, Prepared *def, const Piece *p) {
    Graph *g = d->graph;
    const Expr *from[MAX_RANK], *to[MAX_RANK];
    def->vars = NEW_N(g->ctx, Var *, p->nvars);
    def->subs = NEW_N(g->ctx, const Expr *, p->nvars);
    for (int i = 0; i < p->nvars; i++) {
        def->vars[i] = graph_place_var(g, PLACE_LET, i, p->vars[i]->name, p->vars[i]);
        from[i] = expr_var(g, p->vars[i]);
        to[i] = def->subs[i] = expr_var(g, def->vars[i]);
    }
    return expr_replace(g, p->value, from, to, p->nvars);
}

static void make_def(Preparation *d, Tensor *t) {
    Graph *g = d->graph;
    Prepared *def = NEW(g->ctx, Prepared);
    *def = (Prepared){.tensor = t, .plain = tensor_is_plain(t), .stored = t->kind != TENSOR_LET};
    def->value = NEW_N(g->ctx, const Expr *, t->pieces.n);
    def->guard = NEW_N(g->ctx, const Expr *, t->pieces.n);
    def->places = NEW_N(g->ctx, const Expr **, t->pieces.n);
    Generations of = {.d = d};
    ExprWalk loads = {.temp = d->temp, .before = raise_generation, .user = &of, .loads = true};
    for (int p = 0; p < t->pieces.n; p++) {
        expr_walk(&loads, t->pieces.at[p].value);
        expr_walk(&loads, t->pieces.at[p].guard);
    }
    def->generation = of.most;
    for (int p = 0; p < t->pieces.n; p++) {
        const Piece *pc = &t->pieces.at[p];
        Around *x = NEW(d->temp, Around);
        x->d = d;
        const Expr *value = def->plain ? placed_value(d, def, pc) : pc->value;
        const Expr *guard = pc->guard ? self_contained(x, pc->guard, NULL) : NULL;
        def->value[p] = written(d, def, self_contained(x, value, guard));
        if (guard) def->guard[p] = written(d, def, guard);
        if (!def->plain) def->places[p] = write_places(d, def, pc);
    }
    for (int i = 0; i < g->sorts.n; i++)
        if (g->sorts.at[i]->keys == t) store(def, "a sort reads it");
    def->cuts = d->cuts;
    def->marked = def->plain && t->rank > 0 && def->value[0]->reduces;
    for (int i = 0; i < t->rank && def->marked; i++) {
        ExprSet seen = {0};
        def->marked = expr_find(d->temp, &seen, def->value[0], expr_test_var, def->vars[i]);
    }
    expr_map_put_object(g->ctx, &d->of, t, def);
}

Preparation *prepare_graph(Graph *g, const bool *stored, Text *why) {
    Preparation *d = NEW(g->ctx, Preparation);
    *d = (Preparation){.graph = g, .stored = stored, .why = why};
    d->temp = ctx_temp(g->ctx);
    Ordering o = {.d = d};
    for (int i = 0; i < g->tensors.n; i++) order_tensor(&o, g->tensors.at[i]);
    ctx_temp_end(d->temp);
    if (d->failed) text_put(why, "too many definitions read one another");
    for (int i = 0; i < d->order.n && !d->failed; i++) {
        d->temp = ctx_temp(g->ctx);
        make_def(d, d->order.at[i]);
        ctx_temp_end(d->temp);
    }
    for (int i = 0; i < d->order.n && d->cuts; i++) {
        d->temp = ctx_temp(g->ctx);
        refresh(d, prepare_of(d, d->order.at[i]));
        ctx_temp_end(d->temp);
    }
    return d->failed ? NULL : d;
}

Prepared *prepare_of(const Preparation *p, const Tensor *t) { return expr_map_object(&p->of, t); }

Prepared *prepare_let(const Preparation *p, const Expr *mark) { return prepare_of(p, mark->u.tensor); }

const Expr *const *prepare_subs(const Expr *mark) { return mark->arg + 1; }

Equation prepare_root(const Prepared *def, int i) {
    const Piece *p = &def->tensor->pieces.at[i];
    Equation r = {
        .tensor = def->tensor, .nvars = p->nvars, .vars = p->vars, .subs = def->places[i], .update = p->update};
    r.guard = def->guard[i];
    r.value = def->value[i];
    if (def->tensor->kind != TENSOR_INOUT && !p->update) r.number = i + 1;
    if (!def->plain) return r;
    r.vars = def->vars;
    r.subs = def->subs;
    r.piece = p;
    return r;
}

void prepare_own_vars(Graph *g, Equation *r) {
    if (!r->piece) return;
    r->value = expr_replace(g, r->value, r->subs, r->piece->subs, r->nvars);
    r->vars = r->piece->vars;
    r->subs = r->piece->subs;
    r->piece = NULL;
}
