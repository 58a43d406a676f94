/* The verifier of Graphs: types by the rule column of ops.def, scopes, ranks, the order of definitions, and that a
 * plain definition covers its tensor. It decides nothing that needs a proof beyond equal extents: the frontend has
 * proved that loads are in range and that pieces are disjoint. */
#include "expr_walk.h"
#include "monoid.h"
#include "ir/interp/interp.h"
#include "ir/poly/poly.h"

#include <string.h>

typedef struct Verifier {
    Graph *g;
    Ctx *temp;
    Text *why;
    Sym where;     /* the tensor at hand, or NULL */
    ExprWalk well; /* past what was found well-formed */
    ExprFree free; /* of that */
    bool failed;
} Verifier;

static bool fail(Verifier *v, const Expr *e, const char *text) {
    if (v->failed) return false;
    v->failed = true;
    text_fmt(v->why, "%s%s: %s", v->where ? "tensor " : "graph ", v->where ? v->where : v->g->name, text);
    if (!e) return false;
    if (e->depth <= 40) {
        text_put(v->why, ": ");
        expr_print(v->why, e, NULL);
    }
    return false;
}

/* ---- types ---- */

static bool reduce_types(const Expr *e) {
    const Reduce *r = e->u.reduce;
    const Monoid *m = r->monoid;
    if (e->nargs != 1 + monoid_operands(m) || e->arg[0]->type != TY_BOOL || r->nvars < 1) return false;
    if (!monoid_declared(m)) {
        if (!monoid_folds(m->kind, e->arg[1]->type) || r->part != m->n - 1) return false;
        return m->indexed ? e->type == TY_I64 && r->nvars == 1 : e->type == e->arg[1]->type;
    }
    for (int i = 0; i < m->n; i++)
        if (e->arg[1 + i]->type != m->type[i]) return false;
    return r->part >= 0 && r->part < m->n && e->type == m->type[r->part];
}

static bool subscripts_fit(const Expr *const *subs, int n) {
    for (int i = 0; i < n; i++)
        if (!subs[i] || !type_is_int(subs[i]->type)) return false;
    return true;
}

static bool node_fits(Verifier *v, const Expr *e) {
    if (e->untyped) return fail(v, e, "an untyped expression");
    if (op_arity(e->op) >= 0 && e->nargs != op_arity(e->op))
        return fail(v, NULL, "an operator with a wrong number of operands");
    switch (e->op) {
    case OP_CONST:
        if (!type_is_float(e->type) && num_wrap(e->type, e->u.i) != e->u.i)
            return fail(v, e, "a constant beyond its type");
        return true;
    case OP_VAR:
    case OP_DIM: return e->type == TY_I64 || fail(v, e, "an index that is not i64");
    case OP_SCALAR: return e->type == e->u.scalar->type || fail(v, e, "a scalar of another type");
    case OP_VALUE:
    case OP_FACTOR:
    case OP_ALIGNED:
    case OP_ARG: return fail(v, NULL, "a leaf that only kernels and rules have");
    case OP_MARK: return fail(v, NULL, "a mark, which only the partition makes");
    case OP_LOAD:
        if (e->nargs != e->u.tensor->rank) return fail(v, NULL, "a load with a wrong number of subscripts");
        if (e->type != e->u.tensor->type) return fail(v, e, "a load of another type");
        return subscripts_fit(e->arg, e->nargs) || fail(v, e, "a subscript that is not an integer");
    case OP_REDUCE: return reduce_types(e) || fail(v, e, "a reduction of wrong types");
    default: return expr_rule_holds(e) || fail(v, e, "operand types against the operator's rule");
    }
}

/* ---- scopes ---- */

static bool check_ranges(Verifier *v, Var *const *vars, int n) {
    for (int i = 0; i < n; i++)
        for (int end = 0; end < 2; end++) {
            const Expr *bound = end ? vars[i]->hi : vars[i]->lo;
            if (!bound) return fail(v, NULL, "a variable without a range");
            if (!type_is_int(bound->type)) return fail(v, bound, "a range that is not of integers");
        }
    return true;
}

static Found check_node(const Expr *e, void *verifier) {
    Verifier *v = verifier;
    if (e->depth > MAX_DEPTH) return fail(v, NULL, "an expression that is too deep"), FOUND;
    bool fits = node_fits(v, e) && (e->op != OP_REDUCE || check_ranges(v, e->u.reduce->vars, e->u.reduce->nvars));
    return fits ? FOUND_INSIDE : FOUND;
}

/* Whether e is well-formed and depends on no variables but the first n. */
static bool check_within(Verifier *v, Var *const *vars, int n, const Expr *e) {
    if (expr_walk(&v->well, e)) return false;
    const ExprVars *free = expr_free(&v->free, e);
    for (int i = 0; i < free->n; i++) {
        int k = 0;
        while (k < n && vars[k] != free->vars[i]) k++;
        if (k == n) return fail(v, e, "a variable that nothing binds");
    }
    return true;
}

/* ---- definitions ---- */

/* Variables may stand in the ranges of those after them. */
static bool check_closed(Verifier *v, Var *const *vars, int n, const Expr *e) {
    if (!check_ranges(v, vars, n)) return false;
    for (int i = 0; i < n; i++)
        if (!check_within(v, vars, i, vars[i]->lo) || !check_within(v, vars, i, vars[i]->hi)) return false;
    return check_within(v, vars, n, e);
}

static bool check_update(Verifier *v, const Tensor *t, const Piece *p) {
    if (p == t->pieces.at && t->kind != TENSOR_INOUT) return fail(v, p->value, "an update of what nothing defines");
    if (p->value->type != t->type) return fail(v, p->value, "an update by a value of another type");
    return monoid_updates(p->update->kind, t->type, &v->g->options) ||
           fail(v, p->value, "an update whose order shows, without option atomics = fast");
}

/* Updates are behind what they start from. */
static bool check_updates_last(Verifier *v, const Tensor *t) {
    for (int i = 1; i < t->pieces.n; i++)
        if (t->pieces.at[i - 1].update && !t->pieces.at[i].update)
            return fail(v, NULL, "a definition behind an update");
    return true;
}

static bool check_piece(Verifier *v, const Tensor *t, const Piece *p) {
    if (!p->value || !p->subs) return fail(v, NULL, "a piece without a value");
    if (!subscripts_fit(p->subs, t->rank)) return fail(v, NULL, "a piece whose subscripts are not integers");
    for (int d = 0; d < t->rank; d++)
        if (!check_closed(v, p->vars, p->nvars, p->subs[d])) return false;
    if (p->guard && p->guard->type != TY_BOOL) return fail(v, p->guard, "a guard that is not bool");
    if (p->guard && !check_closed(v, p->vars, p->nvars, p->guard)) return false;
    if (!check_closed(v, p->vars, p->nvars, p->value)) return false;
    if (p->update) return check_update(v, t, p);
    if (p->value->type == t->type || p->value->type == type_acc(t->type)) return true;
    return fail(v, p->value, "a value of another type");
}

static bool equal_extents(Verifier *v, const Expr *a, const Expr *b) {
    PolyEnv env = {.g = v->g, .ctx = v->temp};
    return a == b || poly_eq(poly_of(&env, a), poly_of(&env, b));
}

/* The subscript is the variable, perhaps written in a longer way. */
static bool is_variable(Verifier *v, const Expr *sub, Var *var) {
    PolyEnv env = {.g = v->g, .ctx = v->temp};
    return (sub->op == OP_VAR && sub->u.var == var) ||
           (sub->op != OP_VAR && sub->type == TY_I64 &&
            poly_eq(poly_of(&env, sub), poly_of(&env, expr_var(v->g, var))));
}

/* The piece that is left where the others' guards never hold; NULL: several, or none. */
static const Piece *only_piece(Verifier *v, const Tensor *t) {
    PolyEnv env = {.g = v->g, .ctx = v->temp};
    const Piece *only = NULL;
    for (int i = 0; i < t->pieces.n; i++) {
        const Piece *p = &t->pieces.at[i];
        if (p->update) continue;
        if (t->pieces.n > 1 && p->guard && cond_truth(&env, p->guard) == 0) continue;
        if (only) return NULL;
        only = p;
    }
    return only;
}

/* A tensor with one definition and subscripts that are its variables is defined everywhere. */
static bool check_cover(Verifier *v, const Tensor *t) {
    if (t->kind == TENSOR_INPUT) return !t->pieces.n || fail(v, NULL, "an input with a definition");
    if (t->kind == TENSOR_INOUT || t->sort) return true;
    if (!t->pieces.n) return fail(v, NULL, "no definition");
    const Piece *p = only_piece(v, t);
    if (!p || p->nvars != t->rank) return true;
    for (int d = 0; d < t->rank; d++)
        if (!is_variable(v, p->subs[d], p->vars[d])) return true;
    int64_t zero;
    for (int d = 0; d < t->rank; d++)
        if (!expr_is_int(p->vars[d]->lo, &zero) || zero || !equal_extents(v, p->vars[d]->hi, t->shape[d]))
            return fail(v, p->vars[d]->hi, "a plain definition that does not cover the tensor");
    return !p->guard || fail(v, p->guard, "a guard on the only definition");
}

/* ---- sorts ---- */

/* The order of a rank has the keys' rows; that there are no more ranks than elements the host sees. */
static bool check_rank(Verifier *v, const Sort *s) {
    const Tensor *t = s->order, *keys = s->keys;
    v->where = t->name;
    if (!type_ranks(keys->type) || !keys->rank)
        return fail(v, NULL, "a rank of what is no rows of floats of 16 bits or integers of 8 bits or more");
    if (t->kind != TENSOR_LET || t->type != TY_I32 || t->rank != keys->rank || t->pieces.n || t->sort != s)
        return fail(v, NULL, "a rank defines a let of i32, of its keys' rank, which has no other definition");
    for (int d = 0; d + 1 < t->rank; d++)
        if (!equal_extents(v, t->shape[d], keys->shape[d]))
            return fail(v, t->shape[d], "the order of a rank has other rows than its keys");
    return true;
}

static bool check_sort(Verifier *v, const Sort *s) {
    Graph *g = v->g;
    if (sort_ranks(s)) return check_rank(v, s);
    const Expr *ends = expr2(g, OP_ADD, s->below, expr_int(g, TY_I64, 1));
    v->where = s->order->name;
    if (!type_is_int(s->keys->type) || type_bits(s->keys->type) < 8) return fail(v, NULL, "keys that are no integers");
    if (s->below->type != TY_I64 || !check_closed(v, NULL, 0, s->below))
        return fail(v, s->below, "a bound of keys that is no expression of dimensions");
    for (int i = 0; i < 2; i++) {
        const Tensor *t = i ? s->starts : s->order;
        v->where = t->name;
        if (t->kind != TENSOR_LET || t->type != TY_I32 || t->rank != 1 || t->pieces.n || t->sort != s)
            return fail(v, NULL, "a sort defines lets of i32 and one dimension, which have no other definition");
        if (!equal_extents(v, t->shape[0], i ? ends : tensor_size(g, s->keys)))
            return fail(v, t->shape[0],
                        i ? "the starts of a sort are one more than its bound"
                          : "the order of a sort is as long as there are keys");
    }
    return true;
}

/* ---- order ---- */

enum { UNSEEN, OPEN, DONE };

typedef struct Order {
    Verifier *v;
    unsigned char *state;
    int nest;
    const Tensor *user; /* whose definition is walked */
} Order;

static bool visit_tensor(Order *o, const Tensor *t);

/* What the definition at hand needs. */
static bool visit_needed(Order *o, const Tensor *t) {
    const Tensor *user = o->user;
    if (t->id < 0 || t->id >= o->v->g->tensors.n || o->v->g->tensors.at[t->id] != t)
        return fail(o->v, NULL, "a load of a tensor of another Graph");
    bool late = user->kind == TENSOR_LET && t->kind == TENSOR_LET && t->id >= user->id;
    if (late) return fail(o->v, NULL, "a load of a tensor that stands later");
    bool fine = t->kind == TENSOR_INPUT || t->kind == TENSOR_INOUT || visit_tensor(o, t);
    o->user = user;
    return fine;
}

static Found visit_load(const Expr *e, void *order) {
    if (e->op != OP_LOAD) return FOUND_INSIDE;
    return visit_needed(order, e->u.tensor) ? FOUND_INSIDE : FOUND;
}

static bool visit_tensor(Order *o, const Tensor *t) {
    if (o->state[t->id] == DONE) return true;
    o->v->where = t->name;
    if (o->state[t->id] == OPEN) return fail(o->v, NULL, "a definition that needs itself");
    if (++o->nest > MAX_NEST) return fail(o->v, NULL, "definitions that stand in a wrong order");
    o->state[t->id] = OPEN;
    o->user = t;
    ExprWalk loads = {.temp = o->v->temp, .before = visit_load, .user = o, .ranges = true};
    for (int i = 0; i < t->pieces.n; i++)
        if (expr_walk_piece(&loads, t, &t->pieces.at[i])) return false;
    if (t->sort && !visit_needed(o, t->sort->keys)) return false;
    o->state[t->id] = DONE;
    o->nest--;
    return true;
}

static bool check_order(Verifier *v) {
    Order o = {.v = v, .state = NEW_N(v->temp, unsigned char, v->g->tensors.n + 1)};
    for (int i = 0; i < v->g->tensors.n; i++)
        if (!visit_tensor(&o, v->g->tensors.at[i])) return false;
    return true;
}

/* ---- the Graph ---- */

static bool check_names(Verifier *v) {
    Graph *g = v->g;
    ExprMap seen = {0};
    for (int i = 0; i < g->dims.n + g->scalars.n; i++) {
        Sym name = i < g->dims.n ? g->dims.at[i]->name : g->scalars.at[i - g->dims.n]->name;
        if (expr_map_get(&seen, name)) return fail(v, NULL, "two dimensions or scalars of one name");
        expr_map_put(v->temp, &seen, name, name);
    }
    seen = (ExprMap){0};
    for (int i = 0; i < g->tensors.n; i++) {
        v->where = g->tensors.at[i]->name;
        if (expr_map_get(&seen, v->where)) return fail(v, NULL, "two tensors of this name");
        if (g->tensors.at[i]->id != i) return fail(v, NULL, "its number is not its place");
        expr_map_put(v->temp, &seen, v->where, v->where);
    }
    return true;
}

static bool check_monoids(Verifier *v) {
    Text why = {.ctx = v->temp};
    for (int i = 0; i < v->g->monoids.n; i++) {
        Monoid *m = v->g->monoids.at[i];
        if (monoid_named(v->g, m->name) != m) return fail(v, NULL, "two monoids of one name");
        if (!monoid_verify(m, &why)) return fail(v, NULL, why.s);
    }
    return true;
}

static bool check_params(Verifier *v) {
    const Graph *g = v->g;
    ExprMap seen = {0};
    int n = 0;
    for (int i = 0; i < g->params.n; i++) {
        const Tensor *t = g->params.at[i];
        v->where = t->name;
        if (t->kind == TENSOR_LET || t->id < 0 || t->id >= g->tensors.n || g->tensors.at[t->id] != t)
            return fail(v, NULL, "a parameter that is none");
        if (expr_map_get(&seen, t)) return fail(v, NULL, "a parameter that is named twice");
        expr_map_put(v->temp, &seen, t, t);
    }
    v->where = NULL;
    for (int i = 0; i < g->tensors.n; i++) n += g->tensors.at[i]->kind != TENSOR_LET;
    return n == g->params.n || fail(v, NULL, "an input or output that is no parameter");
}

static bool check_shape(Verifier *v, const Tensor *t) {
    if (t->rank > MAX_RANK) return fail(v, NULL, "too many dimensions");
    for (int d = 0; d < t->rank; d++) {
        if (!t->shape[d] || !type_is_int(t->shape[d]->type)) return fail(v, NULL, "a shape that is not of integers");
        if (!check_closed(v, NULL, 0, t->shape[d])) return false;
    }
    return true;
}

static Found is_of_device(const Expr *e, const void *unused) {
    (void)unused;
    return e->op == OP_LOAD || e->op == OP_REDUCE ? FOUND : FOUND_INSIDE;
}

static bool check_host(Verifier *v) {
    const Graph *g = v->g;
    ExprSet seen = {0};
    if (!g->host) return true;
    const Tensor *t = g->tensors.n == 1 ? g->tensors.at[0] : NULL;
    if (t && t->kind == TENSOR_OUTPUT && t->rank == 0 && t->pieces.n == 1 && !t->pieces.at[0].guard &&
        !expr_find(v->temp, &seen, t->pieces.at[0].value, is_of_device, NULL))
        return true;
    return fail(v, NULL, "a function of the host that is more than one value of its scalars");
}

static bool verify(Verifier *v) {
    Graph *g = v->g;
    if (!check_names(v) || !check_monoids(v) || !check_params(v)) return false;
    for (int i = 0; i < g->tensors.n; i++) {
        const Tensor *t = g->tensors.at[i];
        v->where = t->name;
        if (!check_shape(v, t)) return false;
        for (int k = 0; k < t->pieces.n; k++)
            if (!check_piece(v, t, &t->pieces.at[k])) return false;
        if (!check_updates_last(v, t) || !check_cover(v, t)) return false;
    }
    for (int i = 0; i < g->sorts.n; i++)
        if (!check_sort(v, g->sorts.at[i])) return false;
    v->where = NULL;
    if (!check_host(v)) return false;
    for (int i = 0; i < g->facts.n; i++) {
        const Fact *f = &g->facts.at[i];
        if (f->cond->type != TY_BOOL) return fail(v, f->cond, "a fact that is not bool");
        if (!check_closed(v, f->vars, f->nvars, f->cond)) return false;
    }
    return check_order(v);
}

bool graph_verify(Graph *g, Text *why) {
    Verifier v = {.g = g, .why = why, .temp = ctx_temp(g->ctx)};
    v.well = (ExprWalk){.temp = v.temp, .before = check_node, .user = &v, .ranges = true};
    v.free = (ExprFree){.ctx = v.temp, .ranges = true};
    bool ok = verify(&v);
    ctx_temp_end(v.temp);
    return ok;
}
