/* Definitions made ready for the partition: see prepare.h. Decides nothing about kernels beyond which lets are written
 * in. */
#include "prepare.h"

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
static const Expr *plain_ranges(Defs *d, const Expr *e) {
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
static const Expr *nest_ordered(Defs *d, const Expr *e) {
    Graph *g = d->graph;
    const Reduce *r = e->u.reduce;
    const Expr *inner[MAX_PARTS];
    if (!r->monoid->ordered || r->nvars == 1) return e;
    for (int i = 0; i < r->monoid->n; i++) {
        Reduce *rest = NEW(g->ctx, Reduce);
        *rest = (Reduce){.monoid = r->monoid, .part = i, .nvars = r->nvars - 1, .vars = r->vars + 1};
        inner[i] = nest_ordered(d, expr_reduce_parts(g, rest, e->arg[0], (const Expr *const *)e->arg + 1));
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
    Defs *d;
    VEC(AroundMemo) memos; /* conditions beyond MAX_MEMOS are walked without */
} Around;

static bool loads_in_range(Ctx *ctx, ExprMap *seen, const Expr *e) {
    if (!e->nargs || expr_map_get(seen, e)) return true; /* a node that failed has ended the walk */
    expr_map_put(ctx, seen, e, e);
    for (int i = 0; i < e->nargs; i++) {
        const Expr *s = e->arg[i];
        if (e->op == OP_LOAD) {
            const Expr *hi = e->u.tensor->shape[i];
            int64_t lo, h, v;
            bool var = s->op == OP_VAR && s->u.var->hi == hi && expr_is_int(s->u.var->lo, &lo) && lo >= 0;
            if (!var && !(expr_is_int(s, &v) && expr_is_int(hi, &h) && v >= 0 && v < h)) return false;
        }
        if (!loads_in_range(ctx, seen, s)) return false;
    }
    return true;
}

static const Expr *self_contained(Around *x, const Expr *e, const Expr *cond);

static const Expr *walk_around(Around *x, const Expr *e, const Expr *cond) {
    Graph *g = x->d->graph;
    const Expr *few[4], **a = e->nargs <= 4 ? few : NEW_N(x->d->temp, const Expr *, e->nargs);
    bool lazy = e->op == OP_IF || e->op == OP_AND || e->op == OP_OR;
    for (int i = 0; i < e->nargs; i++) {
        const Expr *c = cond;
        if (i && lazy) {
            bool negate = e->op == OP_OR || (e->op == OP_IF && i == 2);
            c = expr_and(g, cond, negate ? expr1(g, OP_NOT, a[0]) : a[0]);
        } else if (i && e->op == OP_REDUCE) {
            c = expr_and(g, cond, a[0]);
        }
        a[i] = self_contained(x, e->arg[i], c);
    }
    if (e->op != OP_REDUCE) return expr_with(g, e, a);
    ExprMap seen = {0};
    if (cond && !loads_in_range(x->d->temp, &seen, e)) a[0] = expr_and(g, cond, a[0]);
    return nest_ordered(x->d, plain_ranges(x->d, expr_with(g, e, a)));
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
    Defs *d;
    Def *def;
    bool cutting; /* lets are not written in */
    int nodes, reduces;
    ExprMap done;
} Writing;

static const Expr *write_in(Writing *x, const Expr *e);

/* The subscripts are distinct variables that run over the tensor's own ranges. */
static bool is_plain_use(const Piece *p, const Expr *const *subs, int n) {
    for (int i = 0; i < n; i++) {
        if (subs[i]->op != OP_VAR || !var_same_range(subs[i]->u.var, p->vars[i])) return false;
        for (int j = 0; j < i; j++)
            if (subs[j] == subs[i]) return false;
    }
    return true;
}

/* Whether a let is written into the definition in work. What was made before a chain was cut and is read after it is
 * stored, so that nobody computes the chain again. */
static bool fits_in(const Writing *x, const Def *let) {
    if (!let->plain || let->apart) return false;
    return let->generation == x->def->generation || (let->depth <= SMALL_DEPTH && !let->reduces);
}

static void count_nodes(Ctx *ctx, ExprMap *seen, const Expr *e, int *nodes, int *reductions) {
    if (*nodes > MAX_INLINE_NODES || !e->nargs || expr_map_get(seen, e)) return;
    expr_map_put(ctx, seen, e, e);
    ++*nodes;
    *reductions += e->op == OP_REDUCE;
    for (int i = 0; i < e->nargs; i++) count_nodes(ctx, seen, e->arg[i], nodes, reductions);
}

/* ---- cutting ---- */

typedef struct Cutting {
    Defs *d;
    bool more;      /* factors of products are stored from now on; else lets are loaded that are stored apart already */
    int generation; /* of those that are loaded */
    ExprMap done;
} Cutting;

static Def *let_of(Defs *d, const Expr *mark) { return (Def *)expr_map_get(&d->of, mark->u.tensor); }

/* The lets that are factors of a product of matrices are in memory anyway. */
static void store_factors(Defs *d, const Expr *e) {
    ProductSum s;
    if (!product_sum(d->graph, e, &s, NULL)) return;
    for (int i = 0; i < 2; i++) {
        Def *let = expr_is_mark(s.factor[i]) ? let_of(d, s.factor[i]) : NULL;
        if (!let || let->apart) continue;
        let->apart = let->stored = true;
        let->generation++;
        d->cuts++;
    }
}

static const Expr *cut(Cutting *x, const Expr *e);

/* What was written into a definition and is stored since then is loaded. */
static void refresh(Defs *d, Def *def) {
    if (def->cuts == d->cuts || !def->plain) return;
    Cutting x = {.d = d};
    const Expr *r = cut(&x, def->value[0]);
    def->cuts = d->cuts;
    if (r == def->value[0]) return;
    ExprMap seen = {0};
    def->value[0] = r;
    def->nodes = def->reduces = 0;
    count_nodes(d->temp, &seen, r, &def->nodes, &def->reduces);
    if (x.generation > def->generation) def->generation = x.generation;
}

/* e with the outermost lets in it that are stored apart as loads. */
static const Expr *cut(Cutting *x, const Expr *e) {
    Defs *d = x->d;
    if (!e->reduces) return e;
    const Expr *r = expr_map_get(&x->done, e);
    if (r) return r;
    if (x->more && e->op == OP_REDUCE) store_factors(d, e);
    const Def *let = expr_is_mark(e) ? let_of(d, e) : NULL;
    if (let && let->apart && let->stored) {
        if (let->generation > x->generation) x->generation = let->generation;
        r = expr_load(d->graph, let->tensor, e->arg + 1);
    } else {
        const Expr *few[4], **a = e->nargs <= 4 ? few : NEW_N(d->temp, const Expr *, e->nargs);
        for (int i = 0; i < e->nargs; i++) a[i] = cut(x, e->arg[i]);
        r = expr_with(d->graph, e, a);
    }
    expr_map_put(d->temp, &x->done, e, r);
    return r;
}

/* A subscript with lets written in; values may divide by 0 where a subscript may not. */
static const Expr *write_subscript(Writing *x, const Expr *e) {
    Graph *g = x->d->graph;
    const Expr *r = write_in(x, e);
    PolyEnv env = {.g = g, .ctx = x->d->temp};
    if (r == e || !expr_divides(&env, r)) return r;
    const Expr **facts = NEW_N(x->d->temp, const Expr *, g->facts.n + 1);
    for (int i = 0; i < g->facts.n; i++)
        if (!g->facts.at[i].nvars) facts[env.nfacts++] = g->facts.at[i].cond;
    env.facts = facts;
    return expr_guard_divisions(&env, r);
}

static const Expr *write_load(Writing *x, const Expr *e) {
    Defs *d = x->d;
    Graph *g = d->graph;
    Tensor *t = e->u.tensor;
    const Expr *subs[MAX_RANK];
    for (int i = 0; i < t->rank; i++) subs[i] = write_subscript(x, e->arg[i]);
    Def *def = (Def *)expr_map_get(&d->of, t);
    if (!def || t->kind == TENSOR_INOUT) return expr_load(g, t, subs); /* what the caller gave */
    def->apart |= x->cutting;
    refresh(d, def);
    bool fits = fits_in(x, def);
    if (fits && def->value[0]->reduces) fits = is_plain_use(t->pieces.at, subs, t->rank);
    if (fits) {
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
    def->stored = true;
    return expr_load(g, t, subs);
}

static const Expr *write_in(Writing *x, const Expr *e) {
    if (!e->nargs && e->op != OP_LOAD) return e;
    const Expr *known = expr_map_get(&x->done, e);
    if (known) return known;
    Graph *g = x->d->graph;
    const Expr *r;
    x->nodes++;
    x->reduces += e->op == OP_REDUCE;
    if (e->op == OP_LOAD) {
        r = write_load(x, e);
    } else {
        const Expr *few[4], **a = e->nargs <= 4 ? few : NEW_N(x->d->temp, const Expr *, e->nargs);
        for (int i = 0; i < e->nargs; i++) a[i] = write_in(x, e->arg[i]);
        r = expr_with(g, e, a);
    }
    expr_map_put(x->d->temp, &x->done, e, r);
    return r;
}

/* ---- order ---- */

enum { MAX_CHAIN = 20000 /* lets that read one another */ };

static void order_tensor(Defs *d, ExprMap *state, Tensor *t, int depth);

static void order_loads(Defs *d, ExprMap *state, ExprMap *seen, const Expr *e, int depth) {
    if (!e || expr_map_get(seen, e)) return;
    expr_map_put(d->temp, seen, e, e);
    if (e->op == OP_LOAD && e->u.tensor->kind != TENSOR_INOUT) order_tensor(d, state, e->u.tensor, depth + 1);
    for (int i = 0; i < e->nargs; i++) order_loads(d, state, seen, e->arg[i], depth);
    if (e->op != OP_REDUCE) return;
    for (int i = 0; i < e->u.reduce->nvars; i++) {
        order_loads(d, state, seen, e->u.reduce->vars[i]->lo, depth);
        order_loads(d, state, seen, e->u.reduce->vars[i]->hi, depth);
    }
}

static void order_tensor(Defs *d, ExprMap *state, Tensor *t, int depth) {
    if (expr_map_get(state, t) || t->kind == TENSOR_INPUT || !t->pieces.n) return;
    if (depth > MAX_CHAIN) d->failed = true;
    if (d->failed) return;
    expr_map_put(d->temp, state, t, t);
    ExprMap seen = {0};
    for (int i = 0; i < t->pieces.n; i++) {
        order_loads(d, state, &seen, t->pieces.at[i].value, depth);
        order_loads(d, state, &seen, t->pieces.at[i].guard, depth);
        for (int k = 0; k < t->rank; k++) order_loads(d, state, &seen, t->pieces.at[i].subs[k], depth);
    }
    vec_push(d->graph->ctx, &d->order, t);
}

static bool uses_var(Defs *d, ExprMap *seen, const Expr *e, const Var *v) {
    if (e->op == OP_VAR) return e->u.var == v;
    if (!e->nargs || expr_map_get(seen, e)) return false;
    expr_map_put(d->temp, seen, e, e);
    for (int i = expr_is_mark(e); i < e->nargs;
         i++) /* a let under a mark depends on what it was read at, and no more */
        if (uses_var(d, seen, e->arg[i], v)) return true;
    return false;
}

/* The bounds of nodes and reductions are counted exactly only where they say too much. */
static bool is_large(Writing *x, const Expr *e) {
    if (e->depth >= MAX_INLINE_DEPTH) return true;
    if (x->nodes <= MAX_INLINE_NODES && x->reduces <= MAX_INLINE_REDUCTIONS) return false;
    ExprMap seen = {0};
    x->nodes = x->reduces = 0;
    count_nodes(x->d->temp, &seen, e, &x->nodes, &x->reduces);
    return x->nodes > MAX_INLINE_NODES || x->reduces > MAX_INLINE_REDUCTIONS;
}

/* r with the factors of products of matrices in it stored; false where it is too large even so. */
static bool fits_cut(Writing *x, const Expr **r) {
    Cutting c = {.d = x->d, .more = true};
    const Expr *s = cut(&c, *r);
    ExprMap seen = {0};
    if (s == *r) return false;
    x->nodes = x->reduces = 0;
    count_nodes(x->d->temp, &seen, s, &x->nodes, &x->reduces);
    if (is_large(x, s)) return false;
    if (c.generation > x->def->generation) x->def->generation = c.generation;
    *r = s;
    return true;
}

/* e with lets written in. Where that is too large, factors of products of matrices in it are stored, which they would
 * be anyway: so that a chain is divided by what it computes, not by how long it is. Else those that it reads are. */
static const Expr *written(Defs *d, Def *def, const Expr *e) {
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

/* Raises *most to the generations of the tensors that e loads. */
static void find_generation(Defs *d, ExprMap *seen, const Expr *e, int *most) {
    if (!e || (!e->nargs && e->op != OP_LOAD) || expr_map_get(seen, e)) return;
    expr_map_put(d->temp, seen, e, e);
    const Def *def = e->op == OP_LOAD && e->u.tensor->kind != TENSOR_INOUT ? expr_map_get(&d->of, e->u.tensor) : NULL;
    if (def && def->generation > *most) *most = def->generation;
    for (int i = 0; i < e->nargs; i++) find_generation(d, seen, e->arg[i], most);
}

/* The value in the variables that all plain definitions share, so that one is written into another as it is. */
static const Expr *placed_value(Defs *d, Def *def, const Piece *p) {
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

static void make_def(Defs *d, Tensor *t) {
    Graph *g = d->graph;
    Def *def = NEW(g->ctx, Def);
    *def = (Def){.tensor = t, .plain = tensor_is_plain(t), .stored = t->kind != TENSOR_LET};
    def->value = NEW_N(g->ctx, const Expr *, t->pieces.n);
    def->guard = NEW_N(g->ctx, const Expr *, t->pieces.n);
    ExprMap loads = {0};
    for (int p = 0; p < t->pieces.n; p++) {
        find_generation(d, &loads, t->pieces.at[p].value, &def->generation);
        find_generation(d, &loads, t->pieces.at[p].guard, &def->generation);
    }
    for (int p = 0; p < t->pieces.n; p++) {
        const Piece *pc = &t->pieces.at[p];
        Around *x = NEW(d->temp, Around);
        x->d = d;
        const Expr *value = def->plain ? placed_value(d, def, pc) : pc->value;
        const Expr *guard = pc->guard ? self_contained(x, pc->guard, NULL) : NULL;
        def->value[p] = written(d, def, self_contained(x, value, guard));
        if (guard) def->guard[p] = written(d, def, guard);
    }
    def->cuts = d->cuts;
    def->marked = def->plain && t->rank > 0 && def->value[0]->reduces;
    for (int i = 0; i < t->rank && def->marked; i++) {
        ExprMap seen = {0};
        def->marked = uses_var(d, &seen, def->value[0], def->vars[i]);
    }
    expr_map_put(g->ctx, &d->of, t, def);
}

bool defs_make(Defs *d, Graph *g, Text *why) {
    *d = (Defs){.graph = g, .why = why};
    ExprMap state = {0};
    d->temp = ctx_temp(g->ctx);
    for (int i = 0; i < g->tensors.n; i++) order_tensor(d, &state, g->tensors.at[i], 0);
    ctx_temp_end(d->temp);
    if (d->failed) text_put(why, "too many definitions read one another");
    for (int i = 0; i < d->order.n && !d->failed; i++) {
        d->temp = ctx_temp(g->ctx);
        make_def(d, d->order.at[i]);
        ctx_temp_end(d->temp);
    }
    for (int i = 0; i < d->order.n && d->cuts; i++) {
        d->temp = ctx_temp(g->ctx);
        refresh(d, (Def *)expr_map_get(&d->of, d->order.at[i]));
        ctx_temp_end(d->temp);
    }
    return !d->failed;
}

Equation defs_root(const Def *def, int i) {
    const Piece *p = &def->tensor->pieces.at[i];
    Equation r = {def->tensor, p->nvars, p->vars, p->subs, def->guard[i], def->value[i], NULL};
    if (!def->plain) return r;
    r.vars = def->vars;
    r.subs = def->subs;
    r.piece = p;
    return r;
}

void root_own_vars(Graph *g, Equation *r) {
    if (!r->piece) return;
    r->value = expr_replace(g, r->value, r->subs, r->piece->subs, r->nvars);
    r->vars = r->piece->vars;
    r->subs = r->piece->subs;
    r->piece = NULL;
}
