/* The range of a let's variable from the equations that read the let, where nothing in its own definition gives one: in
 * `let t[i, j] = if j <= i then s[i, j] else -inf;` no use of j counts, but `sum[j](t[i, j] * v[j])` reads it for all j
 * of v. Nothing is elaborated and nothing reported for it: only what is written down, tensors of the header and those
 * made already are looked at. */
#include "frontend/ast/ast_walk.h"
#include "frontend/ast/builtins.h"
#include "sema_int.h"

#include <string.h>

enum { MAX_AHEAD = 500 }; /* lets that are asked one for another */

/* An index variable of the reader, where the let's subscript stands. */
typedef struct Binder {
    const struct Binder *up;
    Sym name;
    const AstItem *range;     /* `in`, or NULL */
    const AstExpr *reduction; /* NULL: the left-hand side of the equation */
} Binder;

/* Conditions of the ifs around. */
typedef struct Tests {
    const struct Tests *up;
    const AstExpr *cond;
} Tests;

typedef struct Ahead {
    Sema *s;
    Definition *let;
    int item, nitems;         /* which of the let's subscripts, of how many */
    VEC(AheadUse) sure, some; /* reads that count; those in a branch of an if that tests the variable */
    const AstStmt *reader;
} Ahead;

/* ---- who reads what ---- */

typedef struct Reading {
    Sema *s;
    Inst *inst;
    AstStmt *st;
} Reading;

static AstStep note_read(void *user, const AstExpr *e) {
    const Reading *x = user;
    if (e->kind != AST_INDEX || e->a->kind != AST_NAME) return AST_INTO;
    Readers *r = expr_map_object(&x->inst->readers, e->a->name);
    if (!r) expr_map_put_object(x->s->ctx, &x->inst->readers, e->a->name, r = NEW(x->s->ctx, Readers));
    if (!r->v.n || r->v.at[r->v.n - 1] != x->st) vec_push(x->s->ctx, &r->v, x->st);
    return AST_INTO;
}

static const Readers *readers(Sema *s, Inst *inst, Sym name) {
    for (int i = 0; !inst->readers_known && inst->fn->body && i < inst->fn->body->v.n; i++) {
        AstStmt *st = inst->fn->body->v.at[i];
        if (st->kind != STMT_LET && st->kind != STMT_DEF) continue;
        Reading x = {s, inst, st};
        ast_walk(st->value, note_read, &x);
        ast_walk(st->guard, note_read, &x);
    }
    inst->readers_known = true;
    return expr_map_object(&inst->readers, name);
}

/* ---- the range of a reader's variable ---- */

/* Whether e is of dimensions and numbers alone. */
static bool is_of_dims(Inst *inst, const Binder *b, const AstExpr *e) {
    if (!e || e->kind == AST_INT) return true;
    if (e->kind == AST_NAME) {
        const Name *n = sema_name(inst, e->name);
        for (; b; b = b->up)
            if (b->name == e->name) return false;
        return n && n->kind == NAME_VALUE;
    }
    if (e->kind != AST_BINARY && e->kind != AST_UNARY) return false;
    return is_of_dims(inst, b, e->a) && is_of_dims(inst, b, e->b);
}

/* The end of `in 0..e`, where it can be said here. */
static const Expr *end_of(const Ahead *a, const Binder *b, const AstItem *it) {
    bool from_0 = !it->lo || (it->lo->kind == AST_INT && it->lo->u.i == 0);
    if (!from_0 || !is_of_dims(a->let->inst, b->up, it->value)) return NULL;
    return sema_int(a->s, (Env){a->let->inst, NULL}, it->value);
}

/* From the plain uses of the variable in e and the guard. */
static const Expr *by_uses(const Ahead *a, Sym name, const AstExpr *e, const AstItems *items, const AstExpr *guard) {
    RangeQuery q = {.env = {a->let->inst, NULL}, .name = name, .span = a->reader->span, .quiet = true};
    const Expr *hi;
    if (e) vec_push(a->s->ctx, &q.roots, e);
    for (int i = 0; items && i < items->v.n; i++)
        if (items->v.at[i].value) vec_push(a->s->ctx, &q.roots, items->v.at[i].value);
    if (guard) vec_push(a->s->ctx, &q.roots, guard);
    return sema_infer_var(a->s, &q, &hi) ? hi : NULL;
}

/* The extent of the dimension at subscript k of n; a pack before it may stand for any number of them. */
static const Expr *extent_at(const ExprVec *shape, const AstItems *left, int k) {
    int axis = k;
    for (int i = 0; i < k; i++)
        if (left->v.at[i].kind == ITEM_PACK) axis = shape->n - (left->v.n - k);
    return axis >= 0 && axis < shape->n ? shape->at[axis] : NULL;
}

static const Expr *of_left(const Ahead *a, const Binder *b) {
    Inst *inst = a->let->inst;
    const AstStmt *st = a->reader;
    if (b->range) return end_of(a, b, b->range);
    for (int i = 0; i < st->targets.n; i++) {
        const AstItems *left = st->targets.at[i].index;
        int k = 0;
        for (; left && k < left->v.n; k++) {
            const AstItem *it = &left->v.at[k];
            if (it->kind == ITEM_EXPR && it->value->kind == AST_NAME && it->value->name == b->name) break;
        }
        if (!left || k == left->v.n) continue;
        Definition *d = expr_map_object(&inst->def_of, st->targets.at[i].name);
        ExprVec shape = {0};
        const Name *n;
        if (!d) return NULL;
        if (d->kind == TENSOR_OUTPUT && d->param->type && d->param->type->dims)
            return sema_shape(a->s, inst, d->param->type->dims, &shape) ? extent_at(&shape, left, k) : NULL;
        if (d->kind == TENSOR_INOUT && (n = sema_name(inst, d->name)) && n->tensor) {
            for (int x = 0; x < n->tensor->rank; x++) vec_push(a->s->ctx, &shape, n->tensor->shape[x]);
            return extent_at(&shape, left, k);
        }
        if (d->kind != TENSOR_LET) return NULL;
        const Expr *hi = by_uses(a, b->name, st->value, NULL, st->guard);
        return hi ? hi : sema_ahead(a->s, d, b->name, NULL);
    }
    return NULL;
}

static const Expr *range_of(const Ahead *a, const Binder *b, Sym name) {
    while (b && b->name != name) b = b->up;
    if (!b) return NULL;
    if (!b->reduction) return of_left(a, b);
    if (b->range) return end_of(a, b, b->range);
    return by_uses(a, name, NULL, b->reduction->items, b->reduction->a->items->guard);
}

/* ---- the reads ---- */

static void find(Ahead *a, const AstExpr *e, const Binder *b, const Tests *tests);

static void find_all(Ahead *a, const AstItems *items, const Binder *b, const Tests *tests) {
    for (int i = 0; items && i < items->v.n; i++) find(a, items->v.at[i].value, b, tests);
    if (items) find(a, items->guard, b, tests);
}

static void add_read(Ahead *a, const AstExpr *load, const Binder *b, const Tests *tests) {
    const AstItem *it = load->items->v.n == a->nitems ? &load->items->v.at[a->item] : NULL;
    if (!it || it->kind != ITEM_EXPR || !it->value || it->value->kind != AST_NAME) return;
    const Expr *hi = range_of(a, b, it->value->name);
    bool tested = false;
    for (; tests; tests = tests->up) tested |= sema_mentions(tests->cond, it->value->name);
    if (!hi) return;
    if (tested)
        vec_push(a->s->ctx, &a->some, ((AheadUse){hi, it->span}));
    else
        vec_push(a->s->ctx, &a->sure, ((AheadUse){hi, it->span}));
}

/* Inside a reduction, with its variables number i and after. */
static void find_reduced(Ahead *a, const AstExpr *e, int i, const Binder *b, const Tests *tests) {
    const AstItems *vars = e->a->items;
    if (i == vars->v.n) {
        find(a, vars->guard, b, tests);
        find_all(a, e->items, b, tests);
        return;
    }
    const AstItem *it = &vars->v.at[i];
    Sym name = it->kind == ITEM_EXPR ? (it->value && it->value->kind == AST_NAME ? it->value->name : NULL) : it->name;
    Binder own = {.up = b, .name = name, .range = it->kind == ITEM_IN ? it : NULL, .reduction = e};
    find_reduced(a, e, i + 1, name && it->kind != ITEM_PACK ? &own : b, tests);
}

static bool is_pad(const AstExpr *e) {
    return e->kind == AST_CALL && e->a->kind == AST_NAME && builtin_by_name(e->a->name) == BUILTIN_PAD &&
           e->items->v.n == 2;
}

static void find(Ahead *a, const AstExpr *e, const Binder *b, const Tests *tests) {
    if (!e) return;
    if (e->kind == AST_IF) {
        Tests own = {tests, e->a};
        find(a, e->a, b, tests);
        find(a, e->b, b, &own);
        find(a, e->c, b, &own);
        return;
    }
    if (e->kind == AST_CALL && sema_is_reduction((Env){a->let->inst, NULL}, e)) {
        find_reduced(a, e, 0, b, tests);
        return;
    }
    if (e->kind == AST_INDEX && e->a->kind == AST_NAME && e->a->name == a->let->name) add_read(a, e, b, tests);
    if (is_pad(e) && e->items->v.at[0].value) { /* the padded load is for any subscripts; loads in these are not */
        find_all(a, e->items->v.at[0].value->items, b, tests);
        find(a, e->items->v.at[1].value, b, tests);
        return;
    }
    find(a, e->a, b, tests);
    find(a, e->b, b, tests);
    find(a, e->c, b, tests);
    find_all(a, e->items, b, tests);
}

/* Inside an equation, with the variables of its left-hand side from subscript k of target i on. */
static void find_in(Ahead *a, int i, int k, const Binder *b) {
    const AstStmt *st = a->reader;
    const AstItems *left = i < st->targets.n ? st->targets.at[i].index : NULL;
    if (i == st->targets.n) {
        find(a, st->value, b, NULL);
        find(a, st->guard, b, NULL);
        return;
    }
    if (!left || k == left->v.n) {
        find_in(a, i + 1, 0, b);
        return;
    }
    const AstItem *it = &left->v.at[k];
    bool plain = it->kind == ITEM_EXPR && it->value->kind == AST_NAME;
    Binder own = {.up = b, .name = plain ? it->value->name : it->name, .range = it->kind == ITEM_IN ? it : NULL};
    find_in(a, i, k + 1, plain || it->kind == ITEM_IN ? &own : b);
}

/* Of the reads, that all say the same: the range; else NULL, and *conflict takes two that do not. */
static const Expr *agreed(Sema *s, const AheadUse *use, int n, AheadUse conflict[2]) {
    for (int i = 1; i < n; i++) {
        if (known_equal(s->known, use[0].hi, use[i].hi)) continue;
        if (conflict) conflict[0] = use[0], conflict[1] = use[i];
        return NULL;
    }
    return n ? use[0].hi : NULL;
}

/* An answer; without a range it holds for one round of questions, since tensors are made between them. */
typedef struct AheadMemo {
    const Expr *hi;
    int round;
} AheadMemo;

/* Marked as open where there is none yet. */
static AheadMemo *memo_of(Sema *s, Inst *inst, const AstItem *var) {
    AheadMemo *m = expr_map_object(&inst->ahead, var);
    if (!m) expr_map_put_object(s->ctx, &inst->ahead, var, m = NEW(s->ctx, AheadMemo));
    return m;
}

const Expr *sema_ahead(Sema *s, Definition *let, Sym name, AheadUse conflict[2]) {
    const AstItems *left = let->pieces.n ? let->pieces.at[0].target->index : NULL;
    Ahead a = {.s = s, .let = let, .nitems = left ? left->v.n : 0};
    for (; a.item < a.nitems; a.item++) {
        const AstItem *it = &left->v.at[a.item];
        if (it->kind == ITEM_EXPR && it->value->kind == AST_NAME && it->value->name == name) break;
    }
    if (a.item == a.nitems || s->ahead == MAX_AHEAD) return NULL;
    if (s->ahead == 0) s->ahead_round++;
    AheadMemo *memo = memo_of(s, let->inst, &left->v.at[a.item]);
    if (memo->hi || memo->round == s->ahead_round) return memo->hi;
    memo->round = s->ahead_round;
    s->ahead++;
    const Readers *r = readers(s, let->inst, let->name);
    for (int i = 0; r && i < r->v.n; i++) {
        a.reader = r->v.at[i];
        find_in(&a, 0, 0, NULL);
    }
    s->ahead--;
    const bool sure = a.sure.n > 0;
    memo->hi = agreed(s, sure ? a.sure.at : a.some.at, sure ? a.sure.n : a.some.n, conflict);
    return memo->hi;
}
