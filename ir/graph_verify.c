/* The verifier of Graphs: types by the rule column of ops.def, scopes, ranks, the order of definitions, and that a
 * plain definition covers its tensor. It decides nothing that needs a proof beyond equal extents: the frontend has
 * proved that loads are in range and that pieces are disjoint. */
#include "expr_map.h"
#include "monoid.h"
#include "ir/interp/interp.h"
#include "ir/poly/poly.h"

#include <string.h>

/* The variables free in an expression. */
typedef struct Free {
    int n;
    const Var *var[];
} Free;

typedef struct Verifier {
    Graph *g;
    Ctx *temp;
    Text *why;
    Sym where;    /* the tensor at hand, or NULL */
    ExprMap free; /* Expr -> Free: of what was found well-formed */
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

static Free *free_add(Verifier *v, const Free *a, const Free *b) {
    Free *r = ctx_alloc(v->temp, sizeof *r + sizeof(Var *) * (size_t)(a->n + b->n));
    memcpy(r->var, a->var, sizeof(Var *) * (size_t)a->n);
    r->n = a->n;
    for (int i = 0; i < b->n; i++) {
        bool known = false;
        for (int k = 0; k < a->n && !known; k++) known = a->var[k] == b->var[i];
        if (!known) r->var[r->n++] = b->var[i];
    }
    return r;
}

static void free_remove(Free *f, const Var *var) {
    int n = 0;
    for (int i = 0; i < f->n; i++)
        if (f->var[i] != var) f->var[n++] = f->var[i];
    f->n = n;
}

static const Free *check_expr(Verifier *v, const Expr *e);

/* The ranges of n variables, innermost last, around an expression with the free variables inner. NULL where wrong. */
static const Free *close_over(Verifier *v, Var *const *vars, int n, const Free *inner) {
    Free *f = free_add(v, inner, &(Free){.n = 0});
    for (int i = n; i-- > 0;) {
        free_remove(f, vars[i]);
        for (int end = 0; end < 2; end++) {
            const Expr *bound = end ? vars[i]->hi : vars[i]->lo;
            const Free *b = bound ? check_expr(v, bound) : NULL;
            if (!b) {
                fail(v, NULL, "a variable without a range");
                return NULL;
            }
            if (!type_is_int(bound->type)) {
                fail(v, bound, "a range that is not of integers");
                return NULL;
            }
            f = free_add(v, f, b);
        }
    }
    return f;
}

/* Checks e and returns its free variables; NULL where something is wrong. */
static const Free *check_expr(Verifier *v, const Expr *e) {
    if (v->failed) return NULL;
    const Free *known = expr_map_get(&v->free, e);
    if (known) return known;
    if (e->depth > MAX_DEPTH) {
        fail(v, NULL, "an expression that is too deep");
        return NULL;
    }
    if (!node_fits(v, e)) return NULL;
    const Free *f = NULL;
    if (e->op == OP_VAR) {
        Free *one = ctx_alloc(v->temp, sizeof *one + sizeof(Var *));
        one->n = 1;
        one->var[0] = e->u.var;
        f = one;
    }
    for (int i = 0; i < e->nargs; i++) {
        const Free *a = check_expr(v, e->arg[i]);
        if (!a) return NULL;
        f = !f || !f->n ? a : a->n ? free_add(v, f, a) : f;
    }
    if (!f) f = ctx_alloc(v->temp, sizeof *f);
    if (e->op == OP_REDUCE && !(f = close_over(v, e->u.reduce->vars, e->u.reduce->nvars, f))) return NULL;
    expr_map_put(v->temp, &v->free, e, f);
    return f;
}

/* ---- definitions ---- */

static bool check_closed(Verifier *v, Var *const *vars, int nvars, const Expr *e) {
    const Free *f = check_expr(v, e);
    if (f) f = close_over(v, vars, nvars, f);
    if (f && f->n) return fail(v, e, "a variable that nothing binds");
    return f != NULL;
}

static bool check_piece(Verifier *v, const Tensor *t, const Piece *p) {
    if (!p->value || !p->subs) return fail(v, NULL, "a piece without a value");
    if (!subscripts_fit(p->subs, t->rank)) return fail(v, NULL, "a piece whose subscripts are not integers");
    for (int d = 0; d < t->rank; d++)
        if (!check_closed(v, p->vars, p->nvars, p->subs[d])) return false;
    if (p->guard && p->guard->type != TY_BOOL) return fail(v, p->guard, "a guard that is not bool");
    if (p->guard && !check_closed(v, p->vars, p->nvars, p->guard)) return false;
    if (!check_closed(v, p->vars, p->nvars, p->value)) return false;
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
        if (t->pieces.n > 1 && p->guard && cond_truth(&env, p->guard) == 0) continue;
        if (only) return NULL;
        only = p;
    }
    return only;
}

/* A tensor with one definition and subscripts that are its variables is defined everywhere. */
static bool check_cover(Verifier *v, const Tensor *t) {
    if (t->kind == TENSOR_INPUT) return !t->pieces.n || fail(v, NULL, "an input with a definition");
    if (t->kind == TENSOR_INOUT) return true;
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

/* ---- order ---- */

enum { UNSEEN, OPEN, DONE };

typedef struct Order {
    Verifier *v;
    ExprMap seen; /* expressions, per definition that is open */
    unsigned char *state;
    int nest;
} Order;

static bool visit_tensor(Order *o, const Tensor *t);

static bool visit_expr(Order *o, const Expr *e, const Tensor *user) {
    if (expr_map_get(&o->seen, e) == user) return true;
    expr_map_put(o->v->temp, &o->seen, e, user);
    if (e->op == OP_LOAD) {
        const Tensor *t = e->u.tensor;
        if (t->id < 0 || t->id >= o->v->g->tensors.n || o->v->g->tensors.at[t->id] != t)
            return fail(o->v, NULL, "a load of a tensor of another Graph");
        bool late = user->kind == TENSOR_LET && t->kind == TENSOR_LET && t->id >= user->id;
        if (late) return fail(o->v, e, "a load of a tensor that stands later");
        if (t->kind != TENSOR_INPUT && t->kind != TENSOR_INOUT && !visit_tensor(o, t)) return false;
    }
    for (int i = 0; i < e->nargs; i++)
        if (!visit_expr(o, e->arg[i], user)) return false;
    for (int i = 0; e->op == OP_REDUCE && i < e->u.reduce->nvars; i++)
        if (!visit_expr(o, e->u.reduce->vars[i]->lo, user) || !visit_expr(o, e->u.reduce->vars[i]->hi, user))
            return false;
    return true;
}

static bool visit_piece(Order *o, const Tensor *t, const Piece *p) {
    for (int i = 0; i < p->nvars; i++)
        if (!visit_expr(o, p->vars[i]->lo, t) || !visit_expr(o, p->vars[i]->hi, t)) return false;
    for (int d = 0; d < t->rank; d++)
        if (!visit_expr(o, p->subs[d], t)) return false;
    return (!p->guard || visit_expr(o, p->guard, t)) && visit_expr(o, p->value, t);
}

static bool visit_tensor(Order *o, const Tensor *t) {
    if (o->state[t->id] == DONE) return true;
    o->v->where = t->name;
    if (o->state[t->id] == OPEN) return fail(o->v, NULL, "a definition that needs itself");
    if (++o->nest > MAX_NEST) return fail(o->v, NULL, "definitions that stand in a wrong order");
    o->state[t->id] = OPEN;
    for (int i = 0; i < t->pieces.n; i++)
        if (!visit_piece(o, t, &t->pieces.at[i])) return false;
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

static bool is_closed(ExprMap *seen, Ctx *ctx, const Expr *e) {
    if (expr_map_get(seen, e)) return true;
    expr_map_put(ctx, seen, e, e);
    if (e->op == OP_LOAD || e->op == OP_REDUCE) return false;
    for (int i = 0; i < e->nargs; i++)
        if (!is_closed(seen, ctx, e->arg[i])) return false;
    return true;
}

static bool check_host(Verifier *v) {
    const Graph *g = v->g;
    ExprMap seen = {0};
    if (!g->host) return true;
    const Tensor *t = g->tensors.n == 1 ? g->tensors.at[0] : NULL;
    if (t && t->kind == TENSOR_OUTPUT && t->rank == 0 && t->pieces.n == 1 && !t->pieces.at[0].guard &&
        is_closed(&seen, v->temp, t->pieces.at[0].value))
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
        if (!check_cover(v, t)) return false;
    }
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
    bool ok = verify(&v);
    ctx_temp_end(v.temp);
    return ok;
}
