/* Reductions by keys as updates: see updated.h. */
#include "updated.h"

#include "ir/expr_is.h"
#include "ir/monoid.h"

/* ---- what may be ---- */

static bool is_position(const SortedFold *f, const Var *v) {
    for (int i = 0; i < f->nposition; i++)
        if (f->position[i] == v) return true;
    return false;
}

static const SortedKey *key_of(const SortedFold *f, const Var *owner) {
    for (int i = 0; i < f->nkeys; i++)
        if (f->key[i].owner == owner) return &f->key[i];
    return NULL;
}

static bool is_key_cond(const SortedFold *f, int cond) {
    for (int i = 0; i < f->nkeys; i++)
        if (f->key[i].at == cond) return true;
    return false;
}

/* ---- the let ---- */

/* Its variables: those of the piece first, in the piece's order. */
static void list_vars(SortedPlan *p, const SortedFold *f, const Expr *made, Updated *u) {
    ExprFree free = {.ctx = p->temp, .ranges = true};
    const ExprVars *vars = expr_free(&free, made);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < (pass ? vars->n : f->piece->nvars); i++) {
            Var *v = pass ? vars->vars[i] : f->piece->vars[i];
            bool known = !expr_vars_have(vars, v);
            for (int k = 0; k < u->rank; k++) known |= u->vars[k] == v;
            if (!known) u->vars[u->rank++] = v;
        }
    for (int i = 0; i < u->rank; i++) u->shape[i] = early_length(p->g, u->vars[i]);
}

static Piece start_of(SortedPlan *p, const Updated *u, const Monoid *m, Type t) {
    Graph *g = p->g;
    Piece r = {.nvars = u->rank, .vars = NEW_N(g->ctx, Var *, u->rank + 1)};
    r.subs = NEW_N(g->ctx, const Expr *, u->rank + 1);
    for (int i = 0; i < u->rank; i++) {
        r.vars[i] = graph_var(g, u->vars[i]->name, expr_int(g, TY_I64, 0), u->shape[i]);
        r.subs[i] = expr_var(g, r.vars[i]);
    }
    r.value = monoid_of(g, m, t)->identity[0];
    return r;
}

/* ---- the update ---- */

/* What takes the place of the fold's variables: of owners their keys, of others variables of the update. */
typedef struct Renaming {
    const Expr *from[2 * MAX_RANK], *to[2 * MAX_RANK];
    int n;
} Renaming;

static void rename_var(Graph *g, Renaming *x, Piece *r, Var *v) {
    r->vars[r->nvars] = graph_var(g, v->name, v->lo, v->hi);
    x->from[x->n] = expr_var(g, v);
    x->to[x->n++] = expr_var(g, r->vars[r->nvars++]);
}

static const Expr *renamed(Graph *g, const Renaming *x, const Expr *e) {
    return expr_replace(g, e, x->from, x->to, x->n);
}

/* Variables of the update: positions of keys, then what else is free. Owners come last of all that is renamed, and
 * their keys are of variables that have been. */
static bool rename_all(Graph *g, const SortedFold *f, const Updated *u, Piece *r, Renaming *x) {
    for (int i = 0; i < f->nposition; i++) rename_var(g, x, r, f->position[i]);
    for (int i = 0; i < u->rank; i++) {
        if (key_of(f, u->vars[i]) || is_position(f, u->vars[i])) continue;
        if (r->nvars == MAX_RANK) return false;
        rename_var(g, x, r, u->vars[i]);
    }
    const int others = x->n;
    for (int i = 0; i < f->nkeys; i++) {
        x->from[x->n] = expr_var(g, f->key[i].owner);
        x->to[x->n++] = expr_replace(g, f->key[i].key, x->from, x->to, others);
    }
    return true;
}

static bool uses_owner(const SortedFold *f, const Expr *e) {
    for (int i = 0; i < f->nkeys; i++)
        if (expr_has(e, expr_test_var, f->key[i].owner)) return true;
    return false;
}

static bool uses_inner(const SortedFold *f, const Reduce *r, const Expr *e) {
    for (int i = 0; i < r->nvars; i++)
        if (!is_position(f, r->vars[i]) && expr_has(e, expr_test_var, r->vars[i])) return true;
    return false;
}

static const Expr *within(Graph *g, const Expr *key, const Var *owner) {
    return expr2(g, OP_AND, expr2(g, OP_LE, owner->lo, key), expr2(g, OP_LT, key, owner->hi));
}

/* The conditions in their order, in place of each key's that it is one of its owner's values; what asks more of owners
 * stands behind, where they are known to be. *inner: those of variables that are folded before. */
static void split_conditions(SortedPlan *p, const SortedFold *f, const Expr *made, const Renaming *x, Piece *r,
                             const Expr **inner) {
    Graph *g = p->g;
    ExprVec conds = {0};
    early_conditions(p->temp, made->arg[0], &conds);
    for (int behind = 0; behind < 2; behind++)
        for (int c = 0; c < conds.n; c++) {
            if (is_key_cond(f, c)) {
                for (int k = 0; !behind && k < f->nkeys; k++)
                    if (f->key[k].at == c)
                        r->guard = expr_and(g, r->guard, within(g, renamed(g, x, f->key[k].key), f->key[k].owner));
                continue;
            }
            if (uses_owner(f, conds.at[c]) != behind) continue;
            const Expr **to = uses_inner(f, made->u.reduce, conds.at[c]) ? inner : &r->guard;
            *to = expr_and(g, *to, renamed(g, x, conds.at[c]));
        }
}

/* The value: what is folded over variables of which no key depends, before it is added. */
static const Expr *value_of(SortedPlan *p, const SortedFold *f, const Expr *made, const Renaming *x,
                            const Expr *inner) {
    Graph *g = p->g;
    const Reduce *old = made->u.reduce;
    const Expr *body = renamed(g, x, made->arg[1]);
    Reduce *r = NEW(g->ctx, Reduce);
    *r = (Reduce){.monoid = old->monoid, .part = old->part, .vars = NEW_N(g->ctx, Var *, old->nvars)};
    for (int i = 0; i < old->nvars; i++)
        if (!is_position(f, old->vars[i])) r->vars[r->nvars++] = old->vars[i];
    if (r->nvars) return expr_reduce(g, r, inner, body);
    return body;
}

static bool ranges_are_plain(const Reduce *r) {
    for (int i = 0; i < r->nvars; i++)
        if (!early_over_dims(r->vars[i])) return false;
    return true;
}

static bool update_of(SortedPlan *p, const SortedFold *f, const Expr *made, const Updated *u, Piece *r) {
    Graph *g = p->g;
    Renaming x = {0};
    const Expr *inner = NULL;
    r->vars = NEW_N(g->ctx, Var *, MAX_RANK);
    r->subs = NEW_N(g->ctx, const Expr *, u->rank + 1);
    r->update = made->u.reduce->monoid;
    if (!rename_all(g, f, u, r, &x)) return false;
    split_conditions(p, f, made, &x, r, &inner);
    if (r->guard && r->guard->reduces) return false;
    r->value = value_of(p, f, made, &x, inner);
    for (int i = 0; i < u->rank; i++)
        r->subs[i] = renamed(g, &x, expr_minus(g, expr_var(g, u->vars[i]), u->vars[i]->lo));
    return true;
}

bool updated_make(SortedPlan *p, const SortedFold *f, const Expr *made, Updated *out) {
    const Reduce *r = made->u.reduce;
    *out = (Updated){0};
    if (!monoid_updates(r->monoid->kind, made->type, &p->g->options) || !ranges_are_plain(r)) return false;
    if (!sorted_may_be_let(p, f, f->reduce)) return false;
    list_vars(p, f, made, out);
    out->start = start_of(p, out, r->monoid, made->type);
    return update_of(p, f, made, out, &out->update);
}

const Expr *updated_let(EarlyPlace *x, const Updated *u, Type t) {
    Graph *g = x->g;
    const Expr *read[MAX_RANK];
    Tensor *let = early_tensor(g, x->reader, u->update.update->name, t, u->rank, u->shape);
    vec_push(g->ctx, &let->pieces, u->start);
    vec_push(g->ctx, &let->pieces, u->update);
    for (int i = 0; i < let->pieces.n; i++) let->pieces.at[i].span = x->reader->span;
    early_place(x, let);
    for (int i = 0; i < u->rank; i++) read[i] = expr_minus(g, expr_var(g, u->vars[i]), u->vars[i]->lo);
    return expr_load(g, let, read);
}

/* ---- targets ---- */

static bool loads_tensor(Ctx *temp, const Tensor *of, const Piece *p, const Tensor *t) {
    ExprSet seen = {0};
    bool any = expr_loads(temp, &seen, p->value, t) || expr_loads(temp, &seen, p->guard, t);
    for (int d = 0; d < of->rank && !any; d++) any = expr_loads(temp, &seen, p->subs[d], t);
    return any;
}

/* Whether another piece than this one loads the tensor. */
static bool read_elsewhere(const Graph *g, Ctx *temp, const Tensor *t, const Piece *but) {
    for (int i = 0; i < g->tensors.n; i++)
        for (int k = 0; k < g->tensors.at[i]->pieces.n; k++) {
            const Piece *p = &g->tensors.at[i]->pieces.at[k];
            if (p != but && loads_tensor(temp, g->tensors.at[i], p, t)) return true;
        }
    return false;
}

bool updated_own_element(const Tensor *t, const Expr *load) {
    for (int d = 0; d < t->rank; d++)
        if (load->arg[d] != t->pieces.at[0].subs[d] || load->u.tensor->shape[d] != t->shape[d]) return false;
    return load->nargs == t->rank;
}

/* A target whose value is parts that one operator joins. */
typedef struct Joined {
    Graph *g;
    Ctx *temp;
    Tensor *target;
    VEC(const Expr *) lets; /* loads of lets that are made by updates, and by nothing else than this is read */
    const Expr *rest;       /* what they are joined with; NULL: nothing */
    Op op;
} Joined;

Op updated_operator(Graph *g, const Monoid *m, Type t) { return monoid_of(g, m, t)->combine[0]->op; }

/* Whether e is among the parts that the operator joins in a value. */
static bool is_part(const Expr *value, Op op, const Expr *e) {
    if (value == e) return true;
    return value->op == op && (is_part(value->arg[0], op, e) || is_part(value->arg[1], op, e));
}

static bool may_be_target(const Tensor *t) {
    return (t->kind == TENSOR_OUTPUT || t->kind == TENSOR_INOUT) && tensor_is_plain(t) &&
           t->pieces.at[0].value->type == t->type;
}

UpdatedIn updated_in(SortedPlan *p, const SortedFold *f, const Updated *u) {
    const Tensor *t = f->reader;
    const Type type = f->reduce->type;
    if (!may_be_target(t) || t->rank != u->rank || t->type != type) return UPDATED_LET;
    for (int i = 0; i < u->rank; i++)
        if (u->vars[i] != f->piece->vars[i]) return UPDATED_LET;
    const Op op = updated_operator(p->g, f->reduce->u.reduce->monoid, type);
    if (!is_part(f->piece->value, op, f->reduce)) return UPDATED_LET;
    return t->kind == TENSOR_INOUT && f->piece->value != f->reduce ? UPDATED_KEPT : UPDATED_TARGET;
}

static bool is_let(const Joined *x, const Expr *e, bool alone) {
    Tensor *u = e->op == OP_LOAD ? e->u.tensor : NULL;
    if (!u || u->kind != TENSOR_LET || u->pieces.n != 2 || !u->pieces.at[1].update || u->type != x->target->type)
        return false;
    const Op op = updated_operator(x->g, u->pieces.at[1].update, u->type);
    return (alone || op == x->op) && updated_own_element(x->target, e) &&
           !read_elsewhere(x->g, x->temp, u, &x->target->pieces.at[0]);
}

static void list_parts(Joined *x, const Expr *e, bool alone) {
    if (!alone && e->op == x->op) {
        for (int i = 0; i < 2; i++) list_parts(x, e->arg[i], false);
    } else if (is_let(x, e, alone)) {
        vec_push(x->temp, &x->lets, e);
    } else {
        x->rest = x->rest ? expr2(x->g, x->op, x->rest, e) : e;
    }
}

/* What is left of the value may not read a let again; an inout's may read its own element and that alone, and nothing
 * else may read the inout's old values, which go while it is folded into. */
static bool may_be_direct(const Joined *x) {
    const Tensor *t = x->target;
    for (int i = 0; i < x->lets.n; i++) {
        for (int k = 0; k < i; k++)
            if (x->lets.at[i] == x->lets.at[k]) return false;
        ExprSet seen = {0};
        if (x->rest && expr_loads(x->temp, &seen, x->rest, x->lets.at[i]->u.tensor)) return false;
    }
    if (t->kind != TENSOR_INOUT) return true;
    const bool own = x->rest && x->rest->op == OP_LOAD && x->rest->u.tensor == t && updated_own_element(t, x->rest);
    ExprSet again = {0};
    if (!own && x->rest && expr_loads(x->temp, &again, x->rest, t)) return false;
    return !read_elsewhere(x->g, x->temp, t, &t->pieces.at[0]);
}

static void drop_let(Graph *g, const Tensor *t) {
    int n = 0;
    for (int i = 0; i < g->tensors.n; i++)
        if (g->tensors.at[i] != t) g->tensors.at[n++] = g->tensors.at[i];
    g->tensors.n = n;
    for (int i = 0; i < n; i++) g->tensors.at[i]->id = i;
}

static void fold_into_target(Joined *x) {
    Tensor *t = x->target;
    const Monoid *m = monoid_of(x->g, x->lets.at[0]->u.tensor->pieces.at[1].update, t->type);
    const bool keeps = t->kind == TENSOR_INOUT && x->rest && x->rest->op == OP_LOAD && x->rest->u.tensor == t;
    t->pieces.at[0].value = x->rest ? x->rest : m->identity[0];
    if (keeps) t->pieces.n = 0;
    for (int i = 0; i < x->lets.n; i++) {
        Tensor *u = x->lets.at[i]->u.tensor;
        vec_push(x->g->ctx, &t->pieces, u->pieces.at[1]);
        drop_let(x->g, u);
    }
}

void updated_direct(Graph *g, Ctx *temp) {
    for (int i = 0; i < g->params.n; i++) {
        Tensor *t = g->params.at[i];
        if (!may_be_target(t)) continue;
        const Expr *value = t->pieces.at[0].value;
        Joined x = {.g = g, .temp = temp, .target = t, .op = value->op};
        list_parts(&x, value, op_arity(value->op) != 2);
        if (x.lets.n && may_be_direct(&x)) fold_into_target(&x);
    }
}
