/* Passes before there is a plan: see early.h. */
#include "early.h"

#include "ir/expr_is.h"
#include "ir/poly/poly.h"

void early_conditions(Ctx *temp, const Expr *c, ExprVec *list) {
    ExprVec todo = {0};
    vec_push(temp, &todo, c);
    while (todo.n) {
        int64_t always;
        c = todo.at[--todo.n];
        if (c->op == OP_AND) {
            vec_push(temp, &todo, c->arg[1]);
            vec_push(temp, &todo, c->arg[0]);
        } else if (!(expr_is_int(c, &always) && always)) {
            vec_push(temp, list, c);
        }
    }
}

bool early_folds(const Reduce *r, const Var *v) {
    for (int i = 0; i < r->nvars; i++)
        if (r->vars[i] == v) return true;
    return false;
}

bool early_over_dims(const Var *v) { return expr_over_dims(v->lo) && expr_over_dims(v->hi); }

typedef struct Bare {
    Ctx *temp;
    ExprSet *set;
} Bare;

/* What stands behind a condition is not looked at. */
static Found note_bare(const Expr *e, void *user) {
    Bare *x = user;
    int64_t always;
    if (e->op == OP_REDUCE) expr_set_add(x->temp, x->set, e);
    if (e->op == OP_REDUCE) return expr_is_int(e->arg[0], &always) && always ? FOUND_INSIDE : FOUND_NOT;
    return e->op == OP_IF || e->op == OP_AND || e->op == OP_OR ? FOUND_NOT : FOUND_INSIDE;
}

void early_bare(Ctx *temp, const Expr *e, ExprSet *bare) {
    Bare x = {temp, bare};
    ExprWalk w = {.temp = temp, .before = note_bare, .user = &x, .reduces = true};
    expr_walk(&w, e);
}

/* ---- lets ---- */

/* ---- what is known of vectors ---- */

const Expr *early_element(const Expr *e) {
    e = expr_uncast(e);
    return e->op == OP_LOAD && e->nargs == 1 && type_is_int(e->type) ? e : NULL;
}

bool early_differ(Graph *g, const Expr *a, const Expr *b, int64_t by) {
    PolyEnv env = {.g = g};
    int64_t is;
    return poly_is_const(poly_sub(g->ctx, poly_of(&env, b), poly_of(&env, a)), &is) && is == by;
}

/* Whether c says of all values of v that t[v] <= t[v + 1]. */
static bool says_ascends(Graph *g, const Tensor *t, const Expr *v, const Expr *c) {
    const PolyEnv env = {.g = g};
    if (c->op == OP_AND) return says_ascends(g, t, v, c->arg[0]) || says_ascends(g, t, v, c->arg[1]);
    for (int i = 0; c->op == OP_OR && i < 2; i++)
        if (!cond_truth(&env, c->arg[i])) return says_ascends(g, t, v, c->arg[!i]);
    if (c->op != OP_LE && c->op != OP_GE) return false;
    const Expr *a = early_element(c->arg[c->op == OP_GE]), *b = early_element(c->arg[c->op == OP_LE]);
    return a && b && a->u.tensor == t && b->u.tensor == t && a->arg[0] == v && early_differ(g, v, b->arg[0], 1);
}

bool early_ascends(Graph *g, const Tensor *t, const Expr *n) {
    const Expr *zero = expr_int(g, TY_I64, 0), *to = expr_var(g, graph_var(g, sym(g->ctx, "v"), zero, n));
    const PolyEnv env = {.g = g};
    for (int i = 0; i < g->facts.n; i++) {
        const Fact *fact = &g->facts.at[i];
        if (fact->nvars != 1 || fact->vars[0]->lo != zero) continue;
        const Expr *from = expr_var(g, fact->vars[0]);
        if (!expr_nonneg(&env, expr2(g, OP_SUB, fact->vars[0]->hi, n))) continue;
        if (says_ascends(g, t, to, expr_replace(g, fact->cond, &from, &to, 1))) return true;
    }
    return false;
}

const Expr *early_length(Graph *g, const Var *v) {
    const PolyEnv env = {.g = g};
    const Expr *n = expr_minus(g, v->hi, v->lo);
    return n->op == OP_DIM || expr_nonneg(&env, n) ? n : expr2(g, OP_MAX, n, expr_int(g, TY_I64, 0));
}

Tensor *early_tensor(Graph *g, const Tensor *reader, const char *what, Type t, int rank, const Expr *const *shape) {
    Tensor *r = graph_tensor(g, sym_fmt(g->ctx, "%s_%s", reader->name, what), TENSOR_LET, t, rank, shape);
    r->span = reader->span;
    return r;
}

bool early_may_be_let(Ctx *temp, const Expr *e) {
    ExprFree free = {.ctx = temp, .ranges = true};
    const ExprVars *vars = expr_free(&free, e);
    bool may = vars->n <= MAX_RANK;
    for (int i = 0; i < vars->n && may; i++) may = early_over_dims(vars->vars[i]);
    return may;
}

/* The place behind the lets that a let loads: what is updated may stand before them. */
static Found note_last(const Expr *e, void *last) {
    int *at = last;
    if (e->op == OP_LOAD && e->u.tensor->kind == TENSOR_LET && e->u.tensor->id >= *at) *at = e->u.tensor->id + 1;
    return FOUND_INSIDE;
}

/* Before the reader, or behind the last let that it loads. */
void early_place(EarlyPlace *x, Tensor *t) {
    Graph *g = x->g;
    int at = x->at;
    ExprWalk w = {.temp = x->temp, .before = note_last, .user = &at, .loads = true};
    for (int i = 0; i < t->pieces.n; i++) expr_walk_piece(&w, t, &t->pieces.at[i]);
    for (int i = g->tensors.n - 1; i > at; i--) g->tensors.at[i] = g->tensors.at[i - 1];
    g->tensors.at[at] = t;
    x->at += at == x->at;
    for (int i = 0; i < g->tensors.n; i++) g->tensors.at[i]->id = i;
}

const Expr *early_let(EarlyPlace *x, const Expr *e, const char *what) {
    Graph *g = x->g;
    ExprFree free = {.ctx = x->temp, .ranges = true};
    const ExprVars *vars = expr_free(&free, e);
    const Expr *from[MAX_RANK], *to[MAX_RANK], *read[MAX_RANK], *shape[MAX_RANK];
    Piece piece = {.nvars = vars->n, .span = x->reader->span};
    piece.vars = NEW_N(g->ctx, Var *, vars->n + 1);
    piece.subs = NEW_N(g->ctx, const Expr *, vars->n + 1);
    for (int i = 0; i < vars->n; i++) {
        Var *v = vars->vars[i];
        int64_t zero;
        shape[i] = early_length(g, v);
        piece.vars[i] = graph_var(g, v->name, expr_int(g, TY_I64, 0), shape[i]);
        piece.subs[i] = to[i] = expr_var(g, piece.vars[i]);
        from[i] = expr_var(g, v);
        read[i] = expr_minus(g, from[i], v->lo);
        if (!expr_is_int(v->lo, &zero) || zero) to[i] = expr2(g, OP_ADD, v->lo, to[i]);
    }
    piece.value = expr_replace(g, e, from, to, vars->n);
    Tensor *t = early_tensor(g, x->reader, what, e->type, vars->n, shape);
    vec_push(g->ctx, &t->pieces, piece);
    early_place(x, t);
    return expr_load(g, t, read);
}
