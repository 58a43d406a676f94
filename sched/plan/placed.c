/* Elements of an inout that data name, as rows of a cache to which a batch appends some:
 *
 *   cache[slot[t], d] = new[t, d]
 *
 * Which t counts for an element is the maximum of those that name it (frontend/sema/sema_scatter.c). Where that is
 * found by updates in memory (updated.h), it stands there for each element,
 *
 *   cache[i, d] = new[last[i], d] where 0 <= last[i]        last[slot[t]] max= t
 *
 * and what is stored need not go through all elements: each t asks whether it is the last,
 *
 *   cache[slot[t], d] = new[t, d] where last[slot[t]] == t
 *
 * so that what it takes depends on how many are appended. The verifier of kernels proves that no element is stored
 * twice (kernel_verify_store.c). 8 rows of 1024 into 100000: 36 us on an H200 by the first, predicted at 4 by this. */
#include "placed.h"

#include "early.h"
#include "ir/expr_is.h"
#include "ir/expr_walk.h"

/* The number of a value: a variable, or `outer * length + inner` of two. */
typedef struct Number {
    Var *outer, *inner; /* outer NULL: one alone */
    const Expr *length;
} Number;

typedef struct Placing {
    Graph *g;
    Ctx *temp;
    const Tensor *target;
    const Piece *reader;
    const Expr *load;    /* of the last, in the reader: at variables of its own */
    const Piece *update; /* of the tensor that has the last of each element */
    Tensor *last;
    Number number;
} Placing;

static bool starts_at_zero(const Var *v) {
    int64_t lo;
    return expr_is_int(v->lo, &lo) && lo == 0;
}

static bool find_number(const Expr *e, Number *n) {
    *n = (Number){NULL, e->op == OP_VAR ? e->u.var : NULL, NULL};
    if (n->inner) return true;
    if (e->op != OP_ADD || e->arg[0]->op != OP_MUL || e->arg[1]->op != OP_VAR) return false;
    const Expr *outer = e->arg[0]->arg[0], *length = e->arg[0]->arg[1];
    if (outer->op != OP_VAR || outer == e->arg[1] || e->arg[1]->u.var->hi != length || !expr_over_dims(length))
        return false;
    *n = (Number){outer->u.var, e->arg[1]->u.var, length};
    return starts_at_zero(n->inner);
}

static bool is_of(const Number *n, const Var *v) { return n->outer == v || n->inner == v; }

/* A let that is another one, element by element, is that. */
static Tensor *behind(Tensor *t) {
    const Piece *p = t->pieces.n ? &t->pieces.at[0] : NULL;
    if (t->kind != TENSOR_LET || t->sort || !tensor_is_plain(t) || p->value->op != OP_LOAD) return t;
    if (p->value->nargs != t->rank || p->value->u.tensor->kind != TENSOR_LET) return t;
    for (int d = 0; d < t->rank; d++)
        if (p->value->arg[d] != p->subs[d]) return t;
    return p->value->u.tensor;
}

/* Whether e is one of the piece's variables, from 0 on. */
static bool is_own(const Piece *p, const Expr *e) {
    bool own = false;
    for (int i = 0; i < p->nvars; i++) own |= e->op == OP_VAR && e->u.var == p->vars[i] && starts_at_zero(e->u.var);
    return own;
}

/* `0 <= last[i]` of a let, at variables of the reader. */
static bool reads_last(Placing *x, const Expr *c) {
    int64_t zero;
    if (c->op != OP_LE || !expr_is_int(c->arg[0], &zero) || zero || c->arg[1]->op != OP_LOAD) return false;
    x->load = c->arg[1];
    for (int d = 0; d < x->load->nargs; d++) {
        if (!is_own(x->reader, x->load->arg[d])) return false;
        for (int k = 0; k < d; k++)
            if (x->load->arg[k] == x->load->arg[d]) return false;
    }
    return x->load->u.tensor->kind == TENSOR_LET;
}

/* The same of the maxima of numbers of updates, whose variables are the number's or subscripts as they stand. */
static bool is_last(Placing *x, const Expr *c) {
    if (!reads_last(x, c)) return false;
    x->last = behind(x->load->u.tensor);
    if (x->last->kind != TENSOR_LET || x->last->pieces.n != 2 || x->last->rank != x->load->nargs) return false;
    x->update = &x->last->pieces.at[1];
    if (!x->update->update || x->update->update->kind != MONOID_MAX || !find_number(x->update->value, &x->number))
        return false;
    for (int i = 0; i < x->update->nvars; i++) {
        bool told = is_of(&x->number, x->update->vars[i]);
        for (int d = 0; d < x->last->rank; d++) told |= x->update->subs[d] == expr_var(x->g, x->update->vars[i]);
        if (!told) return false;
    }
    return true;
}

static bool reads_itself(const Placing *x) {
    return expr_has(x->reader->value, expr_test_load, x->target) ||
           expr_has(x->reader->guard, expr_test_load, x->target);
}

/* What takes the place of variables, and of the load. */
typedef struct Places {
    VEC(const Expr *) from, to;
} Places;

static void put(const Placing *x, Places *p, const Expr *from, const Expr *to) {
    vec_push(x->temp, &p->from, from);
    vec_push(x->temp, &p->to, to);
}

static const Expr *placed(const Placing *x, const Places *p, const Expr *e) {
    return expr_replace(x->g, e, p->from.at, p->to.at, p->from.n);
}

static Var *add_var(const Placing *x, Places *p, Piece *to, Var *v) {
    Var *own = graph_var(x->g, v->name, v->lo, v->hi);
    put(x, p, expr_var(x->g, v), expr_var(x->g, own));
    return to->vars[to->nvars++] = own;
}

static bool is_subscript(const Placing *x, const Var *v) {
    bool is = false;
    for (int d = 0; d < x->load->nargs; d++) is |= x->load->arg[d]->u.var == v;
    return is;
}

/* The piece by variables of the updates: the elements that these name, where the one at hand is the last to. */
static Piece by_updates(const Placing *x, const ExprVec *rest) {
    Graph *g = x->g;
    const Piece *u = x->update, *r = x->reader;
    Piece to = {.span = r->span, .vars = NEW_N(g->ctx, Var *, u->nvars + r->nvars + 1)};
    Places of_update = {.from = {0}}, of_reader = {.from = {0}};
    for (int i = 0; i < u->nvars; i++) add_var(x, &of_update, &to, u->vars[i]);
    for (int i = 0; i < r->nvars; i++)
        if (!is_subscript(x, r->vars[i])) add_var(x, &of_reader, &to, r->vars[i]);
    const Expr *number = placed(x, &of_update, u->value), **at = NEW_N(x->temp, const Expr *, x->last->rank + 1);
    for (int d = 0; d < x->last->rank; d++) {
        at[d] = placed(x, &of_update, u->subs[d]);
        put(x, &of_reader, x->load->arg[d], at[d]);
    }
    if (x->number.outer) { /* the reader takes it apart */
        put(x, &of_reader, expr2(g, OP_DIV, x->load, x->number.length),
            placed(x, &of_update, expr_var(g, x->number.outer)));
        put(x, &of_reader, expr2(g, OP_MOD, x->load, x->number.length),
            placed(x, &of_update, expr_var(g, x->number.inner)));
    }
    put(x, &of_reader, x->load, number);
    if (u->guard) to.guard = placed(x, &of_update, u->guard);
    to.guard = expr_and(g, to.guard, expr2(g, OP_EQ, expr_load(g, x->last, at), number));
    for (int i = 0; i < rest->n; i++) to.guard = expr_and(g, to.guard, placed(x, &of_reader, rest->at[i]));
    to.value = placed(x, &of_reader, r->value);
    to.subs = NEW_N(g->ctx, const Expr *, x->target->rank + 1);
    for (int d = 0; d < x->target->rank; d++) to.subs[d] = placed(x, &of_reader, r->subs[d]);
    return to;
}

static void place_piece(Placing *x, Piece *p) {
    ExprVec conds = {0}, rest = {0};
    x->reader = p;
    if (!p->guard || p->update) return;
    early_conditions(x->temp, p->guard, &conds);
    int named = -1;
    for (int i = 0; i < conds.n && named < 0; i++)
        if (is_last(x, conds.at[i])) named = i;
    if (named < 0 || reads_itself(x) || x->update->nvars + p->nvars > MAX_RANK) return;
    for (int i = 0; i < conds.n; i++)
        if (i != named) vec_push(x->temp, &rest, conds.at[i]);
    for (int d = 0; d < x->target->rank; d++)
        if (!is_own(p, p->subs[d])) return;
    *p = by_updates(x, &rest);
}

const Tensor *placed_reader(Graph *g, Ctx *temp, const SortedFold *f) {
    Number n;
    if (f->reduce->u.reduce->monoid->kind != MONOID_MAX || !find_number(f->reduce->arg[1], &n)) return NULL;
    if (f->piece->value != f->reduce) return NULL;
    for (int i = 0; i < g->params.n; i++) {
        const Tensor *t = g->params.at[i];
        ExprVec conds = {0};
        if (t->kind != TENSOR_INOUT || t->pieces.n != 1 || !t->pieces.at[0].guard) continue;
        Placing x = {.g = g, .temp = temp, .target = t, .reader = &t->pieces.at[0]};
        early_conditions(temp, x.reader->guard, &conds);
        for (int k = 0; k < conds.n; k++)
            if (reads_last(&x, conds.at[k]) && x.load->u.tensor == f->reader && !reads_itself(&x)) return t;
    }
    return NULL;
}

void placed_write(Graph *g, Ctx *temp) {
    for (int i = 0; i < g->params.n; i++) {
        Tensor *t = g->params.at[i];
        Placing x = {.g = g, .temp = temp, .target = t};
        if (t->kind == TENSOR_INOUT && t->pieces.n == 1) place_piece(&x, &t->pieces.at[0]);
    }
}
