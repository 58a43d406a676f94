/* Reductions by keys: the sort, and what they are in its order. See sorted.h. */
#include "early.h"
#include "sorted_form.h"
#include "placed.h"
#include "updated.h"

#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "ir/monoid.h"
#include "ir/poly/poly.h"

static const Expr *number(Graph *g, int64_t v) { return expr_int(g, TY_I64, v); }

/* a * n + b, where a may be NULL: 0. */
static const Expr *digit(Graph *g, const Expr *a, const Expr *n, const Expr *b) {
    return a ? expr2(g, OP_ADD, expr2(g, OP_MUL, a, n), b) : b;
}

static const Expr *from_zero(Graph *g, const Expr *e, const Var *v) { return expr_minus(g, e, v->lo); }

/* ---- numbers ---- */

/* Of some of the position's variables, the first the highest digit; NULL: there are none. */
static const Expr *number_of(Graph *g, const SortedFold *f, int first, int end) {
    const Expr *r = NULL;
    for (int i = first; i < end; i++) {
        const Var *v = f->position[i];
        r = digit(g, r, early_length(g, v), from_zero(g, expr_var(g, (Var *)v), v));
    }
    return r;
}

static const Expr *lengths(Graph *g, const SortedFold *f, int first, int end) {
    const Expr *r = NULL;
    for (int i = first; i < end; i++) {
        const Expr *n = early_length(g, f->position[i]);
        r = r ? expr2(g, OP_MUL, r, n) : n;
    }
    return r ? r : number(g, 1);
}

/* The element to which keys (in place of the owners) belong. */
static const Expr *element(Graph *g, const SortedFold *f, const Expr *const *keys) {
    const Expr *r = number_of(g, f, 0, f->nfree);
    for (int i = 0; i < f->nkeys; i++) {
        const Var *v = f->key[i].owner;
        r = digit(g, r, early_length(g, v), from_zero(g, keys[i], v));
    }
    return r;
}

const Expr *sorted_below(Graph *g, const SortedFold *f) {
    const Expr *r = f->nfree ? lengths(g, f, 0, f->nfree) : NULL;
    for (int i = 0; i < f->nkeys; i++) {
        const Expr *n = early_length(g, f->key[i].owner);
        r = r ? expr2(g, OP_MUL, r, n) : n;
    }
    return r;
}

/* ---- keys ---- */

static int key_at(const SortedFold *f, int cond) {
    for (int k = 0; k < f->nkeys; k++)
        if (f->key[k].at == cond) return k;
    return -1;
}

/* Each condition is asked where those before it hold: a key whether it is inside of its owner's range. */
static const Expr *guarded(Graph *g, const SortedFold *f) {
    const Expr *keys[MAX_RANK], *nowhere = number(g, -1);
    for (int k = 0; k < f->nkeys; k++) keys[k] = f->key[k].key;
    const Expr *r = element(g, f, keys);
    for (int c = f->conds.n - 1; c >= 0; c--) {
        const int k = key_at(f, c);
        const Expr *cond = f->inside[c] ? f->conds.at[c] : NULL;
        if (k >= 0) {
            const Var *v = f->key[k].owner;
            cond = expr2(g, OP_AND, expr2(g, OP_LE, v->lo, keys[k]), expr2(g, OP_LT, keys[k], v->hi));
        }
        if (cond) r = expr3(g, OP_IF, cond, r, nowhere);
    }
    return r;
}

void sorted_value(Graph *g, const SortedFold *f, SortedKeys *k) {
    const Expr *from[MAX_RANK], *to[MAX_RANK];
    k->nvars = f->nposition;
    for (int i = 0; i < f->nposition; i++) {
        Var *v = f->position[i];
        const Var *like = graph_var(g, v->name, number(g, 0), early_length(g, v));
        int64_t zero;
        k->vars[i] = graph_place_var(g, PLACE_LET, i, sym_fmt(g->ctx, "k%d", i), like);
        from[i] = expr_var(g, v);
        to[i] = expr_var(g, k->vars[i]);
        if (!expr_is_int(v->lo, &zero) || zero) to[i] = expr2(g, OP_ADD, v->lo, to[i]);
    }
    k->value = expr_cast(g, TY_I32, expr_replace(g, guarded(g, f), from, to, f->nposition));
}

/* ---- the sort ---- */

/* Pieces of lets are rewritten with the Graph's others. */
static void define_keys(Graph *g, const SortedKeys *k, Tensor *t) {
    const Expr **subs = NEW_N(g->ctx, const Expr *, k->nvars + 1);
    Var **vars = NEW_N(g->ctx, Var *, k->nvars + 1);
    for (int i = 0; i < k->nvars; i++) subs[i] = expr_var(g, vars[i] = k->vars[i]);
    t->pieces.n = 0;
    vec_push(g->ctx, &t->pieces,
             ((Piece){.nvars = k->nvars, .vars = vars, .subs = subs, .value = k->value, .span = t->span}));
}

static Tensor *compute_keys(SortedPlan *p, const SortedKeys *k, const Tensor *reader) {
    const Expr *shape[MAX_RANK];
    for (int i = 0; i < k->nvars; i++) shape[i] = k->vars[i]->hi;
    Tensor *t = early_tensor(p->g, reader, "keys", TY_I32, k->nvars, shape);
    define_keys(p->g, k, t);
    return t;
}

static void make_again(Graph *g, SortedKeys *k) {
    Tensor *const t[] = {k->given ? NULL : k->made->keys, k->made->order, k->made->starts};
    if (t[0]) define_keys(g, k, t[0]);
    for (int i = 0; i < 3; i++) {
        if (!t[i]) continue;
        t[i]->id = g->tensors.n;
        vec_push(g->ctx, &g->tensors, t[i]);
    }
    vec_push(g->ctx, &g->sorts, k->made);
    k->sort = k->made;
}

void sorted_make(SortedPlan *p, SortedKeys *k) {
    Graph *g = p->g;
    const Tensor *reader = k->folds.at[0]->reader;
    k->before = g->tensors.n;
    if (k->made) {
        make_again(g, k);
        return;
    }
    Tensor *keys = k->given ? k->given : compute_keys(p, k, reader);
    const Expr *n = tensor_size(g, keys), *ends = expr2(g, OP_ADD, k->below, number(g, 1));
    Tensor *order = early_tensor(g, reader, "order", TY_I32, 1, &n),
           *starts = early_tensor(g, reader, "starts", TY_I32, 1, &ends);
    k->sort = k->made = graph_sort(g, keys, k->below, order, starts);
    k->made->ascends = k->ascends;
    k->made->span = reader->span;
}

void sorted_take_back(SortedPlan *p, SortedKeys *k) {
    p->g->tensors.n = k->before;
    p->g->sorts.n--;
    k->sort = NULL;
}

typedef struct LastLoad {
    int id;
} LastLoad;

static Found note_load(const Expr *e, void *last) {
    LastLoad *l = last;
    if (e->op == OP_LOAD && e->u.tensor->id > l->id) l->id = e->u.tensor->id;
    return FOUND_INSIDE;
}

/* Behind the last tensor that the keys load: whatever folds over them loads that too, and stands behind it. */
void sorted_place(SortedPlan *p, SortedKeys *k) {
    Graph *g = p->g;
    LastLoad last = {-1};
    ExprWalk w = {.temp = p->temp, .before = note_load, .user = &last, .loads = true};
    if (k->given)
        last.id = k->given->id;
    else
        expr_walk(&w, k->value);
    Tensor *made[3];
    const int n = g->tensors.n - k->before;
    for (int i = 0; i < n; i++) made[i] = g->tensors.at[k->before + i];
    for (int i = k->before - 1; i > last.id; i--) g->tensors.at[i + n] = g->tensors.at[i];
    for (int i = 0; i < n; i++) g->tensors.at[last.id + 1 + i] = made[i];
    for (int i = last.id + 1; i < g->tensors.n; i++) g->tensors.at[i]->id = i;
}

/* ---- folds ---- */

typedef struct Order {
    const Expr *first, *end; /* of the element's own in the order */
    const Expr *at;          /* the number that stands at j */
    Var *j;
} Order;

/* The number that stands at a place of the order. */
static const Expr *number_at(Graph *g, const Sort *s, const Expr *place) {
    return s->ascends ? place : expr_cast(g, TY_I64, expr_load(g, s->order, &place));
}

static Order order_of(SortedPlan *p, const SortedKeys *k, const SortedFold *f) {
    Graph *g = p->g;
    const Expr *owners[MAX_RANK];
    for (int i = 0; i < f->nkeys; i++) owners[i] = expr_var(g, f->key[i].owner);
    const Expr *e = element(g, f, owners), *next = expr2(g, OP_ADD, e, number(g, 1));
    Order o = {.j = graph_var(g, f->position[f->nfree]->name, number(g, 0), k->sort->order->shape[0])};
    const Expr *j = expr_var(g, o.j);
    o.first = expr_cast(g, TY_I64, expr_load(g, k->sort->starts, &e));
    o.end = expr_cast(g, TY_I64, expr_load(g, k->sort->starts, &next));
    o.at = number_at(g, k->sort, j);
    return o;
}

/* The folded variables of the position, of the number at j: that of what is free is known. */
static void values_at(SortedPlan *p, const SortedFold *f, const Order *o, const Expr **to) {
    Graph *g = p->g;
    const int n = f->nposition;
    const Expr *left = o->at;
    if (f->nfree)
        left = expr2(g, OP_SUB, left, expr2(g, OP_MUL, number_of(g, f, 0, f->nfree), lengths(g, f, f->nfree, n)));
    for (int i = n - 1; i >= f->nfree; i--) {
        const Expr *len = early_length(g, f->position[i]), *lo = f->position[i]->lo;
        int64_t zero;
        to[i - f->nfree] = i > f->nfree ? expr2(g, OP_MOD, left, len) : left;
        if (!expr_is_int(lo, &zero) || zero) to[i - f->nfree] = expr2(g, OP_ADD, lo, to[i - f->nfree]);
        if (i > f->nfree) left = expr2(g, OP_DIV, left, len);
    }
}

/* What is left of the guard: what the sort has not seen to. */
static const Expr *rest_of(SortedPlan *p, const SortedFold *f, const Expr *guard) {
    ExprVec conds = {0};
    early_conditions(p->temp, guard, &conds);
    const Expr *r = NULL;
    for (int c = 0; c < conds.n; c++)
        if (key_at(f, c) < 0 && !f->inside[c]) r = expr_and(p->g, r, conds.at[c]);
    return r;
}

/* How many there are, where nothing else is asked of them. */
static const Expr *counted(SortedPlan *p, const SortedFold *f, const Order *o, const Expr *made, const Expr *rest) {
    Graph *g = p->g;
    const Reduce *r = made->u.reduce;
    int64_t each;
    if (r->monoid->kind != MONOID_SUM || type_is_float(made->type) || rest) return NULL;
    if (r->nvars != f->nposition - f->nfree || !expr_is_int(made->arg[1], &each)) return NULL;
    const Expr *n = expr2(g, OP_SUB, o->end, o->first);
    return expr_cast(g, made->type, each == 1 ? n : expr2(g, OP_MUL, n, number(g, each)));
}

/* The largest or the least of the numbers themselves, where nothing else is asked of them: the last or the first of the
 * range. */
static const Expr *ended(SortedPlan *p, const SortedKeys *k, const SortedFold *f, const Order *o, const Expr *made) {
    Graph *g = p->g;
    const Reduce *r = made->u.reduce;
    Op best;
    if (r->monoid->n != 1 || made->type != TY_I64 || r->nvars != f->nposition - f->nfree) return NULL;
    if (made->arg[1] != number_of(g, f, f->nfree, f->nposition)) return NULL;
    const Monoid *m = monoid_of(g, r->monoid, TY_I64);
    if ((best = m->combine[0]->op) != OP_MAX && best != OP_MIN) return NULL;
    const Expr *at = best == OP_MAX ? expr2(g, OP_SUB, o->end, number(g, 1)) : o->first;
    const Expr *n = number_at(g, k->sort, at);
    if (f->nfree)
        n = expr2(g, OP_SUB, n, expr2(g, OP_MUL, number_of(g, f, 0, f->nfree), lengths(g, f, f->nfree, f->nposition)));
    return expr3(g, OP_IF, expr2(g, OP_LT, o->first, o->end), n, m->identity[0]);
}

/* A fold over an element's range of the order. */
typedef struct Ranged {
    Order o;
    const Expr *from[MAX_RANK], *to[MAX_RANK]; /* the variables that are folded, and what they are at j */
    const Expr *guard;
} Ranged;

static Ranged ranged(SortedPlan *p, const SortedKeys *k, const SortedFold *f, const Expr *rest) {
    Graph *g = p->g;
    Ranged r = {.o = order_of(p, k, f)};
    const int n = f->nposition - f->nfree;
    const Expr *j = expr_var(g, r.o.j);
    values_at(p, f, &r.o, r.to);
    for (int i = 0; i < n; i++) r.from[i] = expr_var(g, f->position[f->nfree + i]);
    r.guard = expr_and(g, expr2(g, OP_LE, r.o.first, j), expr2(g, OP_LT, j, r.o.end));
    r.guard = expr_and(g, r.guard, rest ? expr_replace(g, rest, r.from, r.to, n) : NULL);
    return r;
}

static const Expr *at_j(SortedPlan *p, const SortedFold *f, const Ranged *r, const Expr *e) {
    return expr_replace(p->g, e, r->from, r->to, f->nposition - f->nfree);
}

/* What a value of the fold is made of by the fold's own operator: what is the same for all values, and what is not;
 * NULL: nothing. */
typedef struct Operands {
    const Expr *alike, *each;
} Operands;

static bool varies(SortedPlan *p, const Reduce *r, const Expr *e) {
    ExprFree x = {.ctx = p->temp, .ranges = true};
    const ExprVars *vars = expr_free(&x, e);
    for (int i = 0; i < r->nvars; i++)
        if (expr_vars_have(vars, r->vars[i])) return true;
    return false;
}

static void part_operand(SortedPlan *p, const Reduce *r, Op op, const Expr *e, Operands *o) {
    if (e->op == op && varies(p, r, e)) {
        for (int i = 0; i < e->nargs; i++) part_operand(p, r, op, e->arg[i], o);
        return;
    }
    const Expr **to = varies(p, r, e) ? &o->each : &o->alike;
    *to = *to ? expr2(p->g, op, *to, e) : e;
}

/* An idempotent operator may fold in once what all values have in it alike, behind the values: where there are any.
 * `max[t where ids[t] == i](max(a[i, j], b[i, t]))` computes a once for i and j, and its fold varies with i alone. */
static const Expr *folded_once(SortedPlan *p, const SortedKeys *k, const SortedFold *f, const Expr *made,
                               const Expr *rest, EarlyPlace *place) {
    Graph *g = p->g;
    const Reduce *r = made->u.reduce;
    Operands own = {0};
    if (rest || r->nvars != f->nposition - f->nfree || r->monoid->n != 1 || !monoid_idempotent(r->monoid->kind))
        return NULL;
    const Monoid *m = monoid_of(g, r->monoid, made->type);
    part_operand(p, r, m->combine[0]->op, made->arg[1], &own);
    if (!own.alike) return NULL;
    Reduce *of_each = NEW(g->ctx, Reduce);
    *of_each = *r;
    const Expr *each = own.each ? expr_reduce_parts(g, of_each, made->arg[0], &own.each) : NULL;
    if (each && !sorted_may_be_let(p, f, each)) return NULL;
    const Order o = order_of(p, k, f);
    const Expr *once = expr3(g, OP_IF, expr2(g, OP_LT, o.first, o.end), own.alike, m->identity[0]);
    if (!each) return once;
    each = sorted_fold(p, k, f, each, place);
    return expr2(g, m->combine[0]->op, once, place ? early_let(place, each, "each") : each);
}

const Expr *sorted_fold(SortedPlan *p, const SortedKeys *k, const SortedFold *f, const Expr *made, EarlyPlace *place) {
    Graph *g = p->g;
    const Reduce *old = made->u.reduce;
    const Expr *rest = rest_of(p, f, made->arg[0]), *operands[MAX_PARTS];
    const Ranged x = ranged(p, k, f, rest);
    const Expr *count = counted(p, f, &x.o, made, rest);
    if (count) return count;
    const Expr *end = rest ? NULL : ended(p, k, f, &x.o, made);
    if (end) return end;
    const Expr *once = folded_once(p, k, f, made, rest, place);
    if (once) return once;
    Reduce *r = NEW(g->ctx, Reduce);
    *r = (Reduce){.monoid = old->monoid, .part = old->part, .vars = NEW_N(g->ctx, Var *, old->nvars)};
    for (int i = 0; i < old->nvars; i++) {
        bool sorted = false;
        for (int n = f->nfree; n < f->nposition; n++) sorted |= f->position[n] == old->vars[i];
        if (!sorted) r->vars[r->nvars++] = old->vars[i];
        if (old->vars[i] == f->position[f->nfree]) r->vars[r->nvars++] = x.o.j;
    }
    for (int i = 1; i < made->nargs; i++) operands[i - 1] = at_j(p, f, &x, made->arg[i]);
    return expr_reduce_parts(g, r, x.guard, operands);
}

/* One definition's folds, as they are written. */
typedef struct Writing {
    SortedPlan *p;
    EarlyPlace place;
    ExprMap some; /* of a fold that was written: the condition that its range is not empty */
} Writing;

/* The fold of an indexed monoid says where in the order the best stands, of equal ones the first, there and in the
 * order of the indices. A let, so that what is asked of it does not make it a second one. */
static const Expr *index_of(Writing *w, const SortedKeys *k, const SortedFold *f, const Expr *fold) {
    Graph *g = w->p->g;
    const Expr *at = early_let(&w->place, fold, "at"), *to[MAX_RANK];
    const Order o = order_of(w->p, k, f);
    values_at(w->p, f, &o, to);
    const Expr *j = expr_var(g, o.j), *index = expr_replace(g, to[0], &j, &at, 1);
    return expr3(g, OP_IF, expr2(g, OP_LT, at, number(g, 0)), at, index);
}

static const Expr *write_fold(ExprRewrite *x, const Expr *e, const Expr *made) {
    Writing *w = x->user;
    const SortedFold *f = e->op == OP_REDUCE ? expr_map_get(&w->p->of, e) : NULL;
    const SortedKeys *k = f ? expr_map_get(&w->p->keys_of, e) : NULL;
    Updated u;
    if (k && k->updated && updated_make(w->p, f, made, &u)) return updated_let(&w->place, &u, made->type);
    if (!k || !k->sort) return made;
    const Expr *fold = sorted_fold(w->p, k, f, made, &w->place);
    const Order o = order_of(w->p, k, f);
    if (fold->op == OP_REDUCE) expr_map_put(w->p->temp, &w->some, fold, expr2(w->p->g, OP_LT, o.first, o.end));
    return e->u.reduce->monoid->indexed ? index_of(w, k, f, fold) : fold;
}

/* ---- elements that no key names ---- */

/* What an inout's value joins by an operator: its own element, once, and folds. */
typedef struct Joining {
    const Writing *w;
    Op op;
    int own;          /* how often its own element */
    const Expr *some; /* some fold has something to fold */
} Joining;

static bool is_fold_by(const Joining *x, const Expr *e) {
    const Monoid *m = e->op == OP_REDUCE ? e->u.reduce->monoid : NULL;
    return m && m->n == 1 && updated_operator(x->w->p->g, m, e->type) == x->op;
}

/* Whether a cast to that type, and back, leaves each value of the tensor's as it is. */
static bool keeps_values(const Tensor *t, Type to) {
    return to == t->type || (type_is_float(to) && type_is_float(t->type) && type_bits(to) > type_bits(t->type));
}

static bool joins(Joining *x, const Expr *e) {
    const Tensor *t = x->w->place.reader;
    const Expr *some = expr_map_get(&x->w->some, e);
    if (some && is_fold_by(x, e)) {
        x->some = x->some ? expr2(x->w->p->g, OP_OR, x->some, some) : some;
        return true;
    }
    if (e->op == OP_LOAD) return e->u.tensor == t && updated_own_element(t, e) && ++x->own == 1;
    if (e->op == OP_CAST) return keeps_values(t, e->type) && joins(x, e->arg[0]);
    return e->op == x->op && joins(x, e->arg[0]) && joins(x, e->arg[1]);
}

/* An inout's element that is joined with folds of nothing stays as it is: it is neither read nor written. Few rows of a
 * large table are touched by the gradients of a batch. */
static void leave_untouched(Writing *w, Tensor *t) {
    if (t->kind != TENSOR_INOUT || !tensor_is_plain(t)) return;
    Piece *piece = &t->pieces.at[0];
    const Expr *e = piece->value;
    while (e->op == OP_CAST) e = e->arg[0];
    Joining x = {.w = w, .op = e->op};
    if (e->nargs == 2 && joins(&x, piece->value) && x.own && x.some) piece->guard = x.some;
}

void sorted_write(SortedPlan *p) {
    Graph *g = p->g;
    Writing w = {.p = p, .place = {.g = g, .temp = p->temp}};
    for (int *at = &w.place.at; *at < g->tensors.n; ++*at) {
        Tensor *t = w.place.reader = g->tensors.at[*at];
        ExprRewrite x = {.g = g, .temp = p->temp, .after = write_fold, .user = &w, .reduces = true};
        for (int k = 0; k < t->pieces.n; k++) t->pieces.at[k].value = expr_rewrite(&x, t->pieces.at[k].value);
        leave_untouched(&w, t);
    }
    updated_direct(g, p->temp);
    placed_write(g, p->temp);
}
