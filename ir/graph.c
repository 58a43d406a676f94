/* Building Graphs: hash-consed expression nodes, tensors, dimensions and variables. Nothing here simplifies, and
 * nothing here knows the language's implicit conversions (typing.c). */
#include "graph.h"
#include "expr_map.h"
#include "ir/interp/interp.h"

#include <math.h>
#include <string.h>

struct ExprTable {
    struct {
        const Expr *node;
        uint64_t hash;
    } * slot;
    size_t n, cap;                /* cap is a power of two */
    const struct ExprTable *base; /* of a scratch: what was there before; NULL: nothing */
    Ctx *home;                    /* of a scratch: where the Graph is */
};

struct GraphNames {
    ExprMap taken;   /* Sym -> not NULL */
    ExprMap numbers; /* Sym -> the last number that was appended to it */
    ExprMap tensors; /* Sym -> the first Tensor of this name */
};

struct PlaceVars {
    ExprMap of; /* a key, place and range -> its variable */
};

static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9E3779B97F4A7C15u;
    return h ^ (h >> 29);
}

static uint64_t node_hash(Op op, Type t, bool untyped, int64_t key, const Expr *const *args, int nargs) {
    uint64_t h = mix((uint64_t)op << 16 | (uint64_t)t << 8 | (uint64_t)untyped, (uint64_t)key);
    for (int i = 0; i < nargs; i++) h = mix(h, (uint64_t)args[i]->id + 1);
    return mix(h, (uint64_t)nargs); /* once more: keys that are floats of few digits differ in their high bits alone */
}

static bool is_node(const Expr *e, Op op, Type t, bool untyped, int64_t key, const Expr *const *args, int nargs) {
    return e->op == op && e->type == t && e->untyped == untyped && e->u.i == key && e->nargs == nargs &&
           (nargs == 0 || !memcmp(e->arg, args, sizeof(Expr *) * (size_t)nargs));
}

static void table_grow(Ctx *ctx, struct ExprTable *x) {
    struct ExprTable old = *x;
    x->cap = old.cap ? old.cap * 2 : 64;
    x->slot = ctx_alloc(ctx, sizeof *x->slot * x->cap);
    for (size_t k = 0; k < old.cap; k++) {
        if (!old.slot[k].node) continue;
        size_t i = old.slot[k].hash & (x->cap - 1);
        while (x->slot[i].node) i = (i + 1) & (x->cap - 1);
        x->slot[i] = old.slot[k];
    }
    ctx_give_back(ctx, old.slot, sizeof *old.slot * old.cap);
}

static int64_t key_of(const void *p) { return (int64_t)(intptr_t)p; }

static Expr *node_new(Graph *g, Ctx *ctx, Op op, Type t, int64_t key, int nargs) {
    Expr *e = ctx_alloc(ctx, sizeof *e + sizeof(Expr *) * (size_t)nargs);
    e->op = op;
    e->type = t;
    e->nargs = nargs;
    e->id = g->next_id++;
    e->u.i = key;
    e->depth = 1;
    return e;
}

const Expr *expr_node(Graph *g, Op op, Type t, bool untyped, int64_t key, const Expr *const *args, int nargs) {
    struct ExprTable *x = g->exprs;
    if (x->n * 4 >= x->cap * 3) table_grow(g->ctx, x);
    uint64_t hash = node_hash(op, t, untyped, key, args, nargs);
    size_t i = 0;
    for (const struct ExprTable *b = x; b; b = b->base) {
        size_t k = hash & (b->cap - 1);
        for (; b->cap && b->slot[k].node; k = (k + 1) & (b->cap - 1))
            if (b->slot[k].hash == hash && is_node(b->slot[k].node, op, t, untyped, key, args, nargs))
                return b->slot[k].node;
        if (b == x) i = k;
    }
    Expr *e = node_new(g, g->ctx, op, t, key, nargs);
    e->untyped = untyped;
    e->reduces = op == OP_REDUCE;
    e->loads = op == OP_LOAD;
    for (int a = 0; a < nargs; a++) {
        e->arg[a] = args[a];
        e->reduces |= args[a]->reduces;
        e->loads |= args[a]->loads;
        if (args[a]->depth >= e->depth) e->depth = args[a]->depth + 1;
    }
    x->slot[i].node = e;
    x->slot[i].hash = hash;
    x->n++;
    return e;
}

/* Its owner stays when a scratch ends. */
const Expr *expr_leaf(Graph *g, Op op, Type t, const void *key) {
    return node_new(g, g->exprs->base ? g->exprs->home : g->ctx, op, t, key_of(key), 0);
}

const Expr *expr_with(Graph *g, const Expr *e, const Expr *const *args) {
    if (!e->nargs || !memcmp(e->arg, args, sizeof(Expr *) * (size_t)e->nargs)) return e;
    return expr_node(g, e->op, e->type, e->untyped, e->u.i, args, e->nargs);
}

GraphScratch graph_scratch(Graph *g, Ctx *temp) {
    GraphScratch before = {g->ctx, g->exprs, g->rows};
    struct ExprTable *x = NEW(temp, struct ExprTable);
    x->base = g->exprs;
    x->home = g->exprs->base ? g->exprs->home : g->ctx;
    g->exprs = x;
    g->rows = NULL;
    g->ctx = temp;
    return before;
}

void graph_scratch_end(Graph *g, GraphScratch before) {
    g->ctx = before.ctx;
    g->exprs = before.exprs;
    g->rows = before.rows;
}

static int64_t float_key(double v) {
    if (isnan(v)) v = (double)NAN; /* one NaN */
    int64_t k;
    memcpy(&k, &v, sizeof k);
    return k;
}

Graph *graph_new(Ctx *ctx, Sym name) {
    Graph *g = NEW(ctx, Graph);
    g->ctx = ctx;
    g->name = name;
    g->exprs = NEW(ctx, struct ExprTable);
    g->names = NEW(ctx, struct GraphNames);
    g->places = NEW(ctx, struct PlaceVars);
    g->span = SPAN_NONE;
    return g;
}

Dim *graph_dim(Graph *g, Sym name) {
    for (int i = 0; i < g->dims.n; i++)
        if (g->dims.at[i]->name == name) return g->dims.at[i];
    Dim *d = NEW(g->ctx, Dim);
    *d = (Dim){.name = name, .hi = INT64_MAX, .divisor = 1, .id = g->dims.n};
    graph_take_name(g, name);
    vec_push(g->ctx, &g->dims, d);
    return d;
}

Scalar *graph_scalar(Graph *g, Sym name, Type t) {
    for (int i = 0; i < g->scalars.n; i++)
        if (g->scalars.at[i]->name == name) return g->scalars.at[i];
    Scalar *s = NEW(g->ctx, Scalar);
    *s = (Scalar){.name = name, .type = t, .id = g->scalars.n, .span = SPAN_NONE};
    graph_take_name(g, name);
    vec_push(g->ctx, &g->scalars, s);
    return s;
}

bool graph_name_taken(const Graph *g, Sym name) { return expr_map_get(&g->names->taken, name) != NULL; }
void graph_take_name(Graph *g, Sym name) { expr_map_put(g->ctx, &g->names->taken, name, g); }

Tensor *graph_find_tensor(const Graph *g, Sym name) {
    Tensor *t = expr_map_object(&g->names->tensors, name);
    return t && t->id < g->tensors.n && g->tensors.at[t->id] == t ? t : NULL;
}

/* The name itself, or the first name_N from 2 on that is free. */
static Sym free_name(Graph *g, Sym name) {
    if (!graph_name_taken(g, name)) return name;
    intptr_t n = expr_map_number(&g->names->numbers, name, 1) + 1;
    Sym s;
    for (;; n++)
        if (!graph_name_taken(g, s = sym_fmt(g->ctx, "%s_%d", name, (int)n))) break;
    expr_map_put_number(g->ctx, &g->names->numbers, name, n);
    return s;
}

Tensor *graph_tensor(Graph *g, Sym name, TensorKind kind, Type t, int rank, const Expr *const *shape) {
    Tensor *x = NEW(g->ctx, Tensor);
    x->name = kind == TENSOR_LET ? free_name(g, name) : name;
    graph_take_name(g, x->name);
    x->kind = kind;
    x->type = t;
    x->rank = rank;
    x->shape = NEW_N(g->ctx, const Expr *, rank ? rank : 1);
    for (int i = 0; i < rank; i++) x->shape[i] = shape[i];
    x->id = g->tensors.n;
    x->span = SPAN_NONE;
    if (!graph_find_tensor(g, x->name)) expr_map_put_object(g->ctx, &g->names->tensors, x->name, x);
    vec_push(g->ctx, &g->tensors, x);
    if (kind != TENSOR_LET) vec_push(g->ctx, &g->params, x);
    return x;
}

static Sort *add_sort(Graph *g, Sort of) {
    Sort *s = NEW(g->ctx, Sort);
    *s = of;
    s->span = SPAN_NONE;
    s->order->sort = s;
    if (s->starts) s->starts->sort = s;
    vec_push(g->ctx, &g->sorts, s);
    return s;
}

Sort *graph_sort(Graph *g, Tensor *keys, const Expr *below, Tensor *order, Tensor *starts) {
    return add_sort(g, (Sort){.keys = keys, .below = below, .order = order, .starts = starts});
}

Sort *graph_rank(Graph *g, Tensor *keys, bool descending, Tensor *order) {
    return add_sort(g, (Sort){.keys = keys, .descending = descending, .order = order});
}

const Expr *tensor_size(Graph *g, const Tensor *t) {
    const Expr *n = expr_int(g, TY_I64, 1);
    for (int d = 0; d < t->rank; d++) n = d ? expr2(g, OP_MUL, n, t->shape[d]) : t->shape[d];
    return n;
}

Var *graph_var(Graph *g, Sym name, const Expr *lo, const Expr *hi) {
    Var *v = NEW(g->ctx, Var);
    *v = (Var){.name = name, .lo = lo, .hi = hi, .id = g->next_id++, .span = SPAN_NONE};
    return v;
}

Var *graph_place_var(Graph *g, PlaceOf of, int place, Sym name, const Var *like) {
    const Expr *args[] = {like->lo, like->hi, expr_int(g, TY_I64, place * PLACE_KINDS + (int)of)};
    const Expr *node =
        expr_node(g, OP_ARG, TY_I64, false, of == PLACE_LET ? 0 : key_of(name), args, 3); /* all of this */
    Var *v = expr_map_object(&g->places->of, node);
    if (v) return v;
    v = graph_var(g, name, like->lo, like->hi);
    expr_map_put_object(g->ctx, &g->places->of, node, v);
    return v;
}

const Expr *expr_int(Graph *g, Type t, int64_t v) { return expr_node(g, OP_CONST, t, false, num_wrap(t, v), NULL, 0); }

const Expr *expr_float(Graph *g, Type t, double v) {
    return expr_node(g, OP_CONST, t, false, float_key(num_round(t, v)), NULL, 0);
}

const Expr *expr_literal(Graph *g, bool is_float, int64_t i, double f) {
    return expr_node(g, OP_CONST, is_float ? TY_F64 : TY_I64, true, is_float ? float_key(f) : i, NULL, 0);
}

const Expr *expr_var(Graph *g, Var *v) {
    if (!v->node) v->node = expr_leaf(g, OP_VAR, TY_I64, v);
    return v->node;
}

const Expr *expr_dim(Graph *g, Dim *d) { return expr_node(g, OP_DIM, TY_I64, false, key_of(d), NULL, 0); }
const Expr *expr_aligned(Graph *g) { return expr_node(g, OP_ALIGNED, TY_BOOL, false, 0, NULL, 0); }
const Expr *expr_scalar(Graph *g, Scalar *s) { return expr_node(g, OP_SCALAR, s->type, false, key_of(s), NULL, 0); }

const Expr *expr_load(Graph *g, Tensor *t, const Expr *const *subs) {
    return expr_node(g, OP_LOAD, t->type, false, key_of(t), subs, t->rank);
}

const Expr *expr_cast(Graph *g, Type t, const Expr *e) {
    if (e->untyped) {
        const Expr *c = expr_convert(g, t, e);
        if (c) return c;
        e = expr_settle(g, e);
    }
    return e->type == t ? e : expr_node(g, OP_CAST, t, false, 0, &e, 1);
}

const Expr *expr_mark(Graph *g, Tensor *t, const Expr *value, const Expr *const *subs) {
    const Expr *args[MAX_RANK + 1] = {value};
    for (int i = 0; i < t->rank; i++) args[i + 1] = subs[i];
    return expr_node(g, OP_MARK, value->type, false, key_of(t), args, t->rank + 1);
}

const Expr *expr_reduce(Graph *g, Reduce *r, const Expr *guard, const Expr *body) {
    if (!guard) guard = expr_int(g, TY_BOOL, 1);
    body = expr_settle(g, body);
    if (body->type != TY_BOOL || !monoid_folds(r->monoid->kind, TY_BOOL))
        body = expr_cast(g, type_acc(body->type), body);
    return expr_reduce_parts(g, r, guard, &body);
}

const Expr *expr_reduce_parts(Graph *g, Reduce *r, const Expr *guard, const Expr *const *operands) {
    const Monoid *m = r->monoid;
    const Expr *args[1 + MAX_PARTS] = {guard ? guard : expr_int(g, TY_BOOL, 1)};
    for (int i = 0; i < monoid_operands(m); i++) args[1 + i] = operands[i];
    if (!monoid_declared(m)) r->part = m->n - 1;
    Type t = monoid_declared(m) ? m->type[r->part] : m->indexed ? TY_I64 : operands[0]->type;
    return expr_node(g, OP_REDUCE, t, false, key_of(r), args, 1 + monoid_operands(m));
}

const Expr *expr_reduce_untyped(Graph *g, Reduce *r, const Expr *guard, const Expr *body) {
    if (!guard) guard = expr_int(g, TY_BOOL, 1);
    return expr_node(g, OP_REDUCE, body->type, true, key_of(r), (const Expr *[]){guard, body}, 2);
}

const Expr *expr_op(Graph *g, Op op, const Expr *const *args, int nargs) {
    Type t = TY_BOOL;
    switch (op_rule(op)) {
    case RULE_NONE:
    case RULE_LOGIC:
    case RULE_COMPARE:
    case RULE_TEST: break;
    case RULE_ARITH:
    case RULE_FLOAT:
    case RULE_INT:
    case RULE_SELECT: t = args[nargs - 1]->type; break;
    case RULE_RANDOM: t = TY_F32; break;
    }
    return expr_node(g, op, t, false, 0, args, nargs);
}

const Expr *expr1(Graph *g, Op op, const Expr *a) { return expr_op(g, op, &a, 1); }

const Expr *expr2(Graph *g, Op op, const Expr *a, const Expr *b) { return expr_op(g, op, (const Expr *[]){a, b}, 2); }

const Expr *expr3(Graph *g, Op op, const Expr *a, const Expr *b, const Expr *c) {
    return expr_op(g, op, (const Expr *[]){a, b, c}, 3);
}

bool expr_is_int(const Expr *e, int64_t *v) {
    if (e->op != OP_CONST || type_is_float(e->type)) return false;
    *v = e->u.i;
    return true;
}
