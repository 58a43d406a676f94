/* The left-hand side of an equation: its names become index variables or values, its ranges follow from the shape, from
 * `in` or from the uses; computed subscripts are bound last. */
#include "sema_left.h"

static Var *add_var(Sema *s, Building *b, Sym name, const Expr *lo, const Expr *hi) {
    Var *v = graph_var(s->g, name, lo, hi);
    vec_push(s->ctx, &b->vars, v);
    return v;
}

static RangeQuery query_for(Sema *s, const Building *b, Sym name, bool pack, Span span) {
    RangeQuery q = {.env = b->env, .name = name, .pack = pack, .span = span};
    vec_push(s->ctx, &q.roots, b->p->stmt->value);
    if (b->p->stmt->guard) vec_push(s->ctx, &q.roots, b->p->stmt->guard);
    const AstItems *left = b->p->target->index;
    for (int i = 0; left && i < left->v.n; i++)
        if (left->v.at[i].kind == ITEM_EXPR) vec_push(s->ctx, &q.roots, left->v.at[i].value);
    return q;
}

static bool bind_range(Sema *s, Building *b, const AstItem *it, int axis, const Left *t);

static bool has_range(const AstItem *it) { return it->kind == ITEM_IN || it->hi; }

/* Of `let (a[i in N], b[i]) = ...;`: the range that another result's target gives the variable, or NULL. */
static const AstItem *range_beside(const Building *b, Sym name) {
    const AstStmt *st = b->p->stmt;
    for (int i = 0; i < st->targets.n; i++) {
        const AstItems *left = st->targets.at[i].index;
        for (int k = 0; left && k < left->v.n; k++)
            if (has_range(&left->v.at[k]) && left->v.at[k].name == name) return &left->v.at[k];
    }
    return NULL;
}

static bool repeated(Sema *s, Sym name, Span span) {
    Diag *d = SEMA_REPORT(s, REPEATED_INDEX, span, "%s stands twice on the left-hand side", name);
    diag_help(s->ctx, d, "for a diagonal define y[i, j] = if i == j then ... else ...;");
    return false;
}

static bool bind_plain(Sema *s, Building *b, Left *t, Sym name, Span span, int axis) {
    const Expr *zero = expr_int(s->g, TY_I64, 0), *hi;
    const Scope *bound = sema_scope_find(b->env.scope, name);
    bool in_part = t->d->kind == TENSOR_INOUT || b->p->stmt->op != ASSIGN_SET;
    if (bound && in_part && bound->kind == SCOPE_VARS && !bound->pack) { /* a diagonal */
        b->plain = false;
        vec_push(s->ctx, &b->subs, expr_var(s->g, bound->vars[0]));
        return true;
    }
    if (bound) return repeated(s, name, span);
    sema_warn_hidden(s, b->env.inst, name, span);
    Span from = t->d->param ? t->d->param->span : t->d->span;
    const AstItem *beside = range_beside(b, name);
    if (beside) return bind_range(s, b, beside, axis, t);
    if (t->has_shape) {
        hi = t->shape.at[axis];
    } else if (sema_is_rank(s, b->env, b->p->stmt->value, name)) {
        if (!(hi = sema_rank_count(s, b->env, b->p->stmt->value))) return false;
        from = b->p->stmt->value->span;
    } else {
        RangeQuery q = query_for(s, b, name, false, span);
        q.let = t->d;
        if (!sema_infer_var(s, &q, &hi)) return false;
        from = q.from;
    }
    Var *v = add_var(s, b, name, zero, hi);
    v->span = from;
    b->env.scope = sema_scope_var(s, b->env.scope, name, v);
    vec_push(s->ctx, &b->subs, expr_var(s->g, v));
    return true;
}

/* The variable that the item gives a range, in scope; NULL after an error. */
static Var *bind_ranged(Sema *s, Building *b, const AstItem *it, const Left *t) {
    Env outer = {b->env.inst, NULL};
    const Expr *lo = it->lo ? sema_int(s, outer, it->lo) : expr_int(s->g, TY_I64, 0);
    const Expr *hi = sema_int(s, outer, it->hi ? it->hi : it->value);
    int64_t v;
    if (!lo || !hi) return NULL;
    if (known_uses_data(lo) || known_uses_data(hi)) {
        SEMA_REPORT(s, DATA_DIM, it->span, "the range of a definition cannot depend on data");
        return NULL;
    }
    if (sema_scope_find(b->env.scope, it->name)) return repeated(s, it->name, it->name_span), NULL;
    sema_warn_hidden(s, b->env.inst, it->name, it->name_span);
    if (!t->has_shape && !(sema_const_int(lo, &v) && v == 0)) {
        SEMA_REPORT(s, LET_RANGE, it->span, "the range of an intermediate begins at 0");
        return NULL;
    }
    Var *x = add_var(s, b, it->name, lo, hi);
    x->span = it->span;
    b->env.scope = sema_scope_var(s, b->env.scope, it->name, x);
    return x;
}

static bool bind_range(Sema *s, Building *b, const AstItem *it, int axis, const Left *t) {
    Var *x = bind_ranged(s, b, it, t);
    int64_t v;
    if (!x) return false;
    bool whole = sema_const_int(x->lo, &v) && v == 0;
    b->plain &= whole && (!t->has_shape || known_equal(s->known, x->hi, t->shape.at[axis]));
    if (b->plain && t->has_shape) x->hi = t->shape.at[axis];
    vec_push(s->ctx, &b->subs, expr_var(s->g, x));
    return true;
}

/* The dimensions that `b... in B` names: those of a pack, or of a list, [M, N]. */
static bool pack_range(Sema *s, const Building *b, const AstExpr *e, ExprVec *his) {
    Env outer = {b->env.inst, NULL};
    const Name *n = e->kind == AST_NAME ? sema_name(b->env.inst, e->name) : NULL;
    if (n && n->kind == NAME_PACK) {
        *his = n->pack;
        return true;
    }
    bool list = e->kind == AST_LIST;
    for (int i = 0; list && i < e->items->v.n; i++) list = e->items->v.at[i].kind == ITEM_EXPR;
    if (!list || e->items->guard) {
        if (e->kind == AST_ERROR) return false;
        Diag *d = SEMA_REPORT(s, MISPLACED, e->span, "the range of a pack is a pack of dimensions or a list of them");
        diag_help(s->ctx, d, "b... in B, where the header has B...; or b... in [M, N]");
        return false;
    }
    for (int i = 0; i < e->items->v.n; i++) {
        const Expr *hi = sema_int(s, outer, e->items->v.at[i].value);
        if (!hi) return false;
        if (known_uses_data(hi)) {
            SEMA_REPORT(s, DATA_DIM, e->items->v.at[i].span, "the range of a definition cannot depend on data");
            return false;
        }
        vec_push(s->ctx, his, hi);
    }
    return true;
}

/* n: how many dimensions of t the pack is, where t has a shape. */
static bool bind_pack(Sema *s, Building *b, Left *t, const AstItem *it, int axis, int n) {
    ExprVec his = {0};
    const Expr *zero = expr_int(s->g, TY_I64, 0);
    if (sema_scope_find(b->env.scope, it->name)) return repeated(s, it->name, it->span);
    if (it->value) {
        if (!pack_range(s, b, it->value, &his)) return false;
        if (t->has_shape && his.n != n) {
            SEMA_REPORT(s, RANK, it->span, "%s has %d dimensions here, the range has %d", t->d->name, n, his.n);
            return false;
        }
        for (int k = 0; k < his.n && t->has_shape; k++) {
            b->plain &= known_equal(s->known, his.at[k], t->shape.at[axis + k]);
            if (b->plain) his.at[k] = t->shape.at[axis + k];
        }
    } else if (t->has_shape) {
        for (int k = 0; k < n; k++) vec_push(s->ctx, &his, t->shape.at[axis + k]);
    } else {
        RangeQuery q = query_for(s, b, it->name, true, it->span);
        if (!sema_infer_pack(s, &q, &his)) return false;
    }
    Var **vars = NEW_N(s->ctx, Var *, his.n + 1);
    for (int k = 0; k < his.n; k++) {
        vars[k] = add_var(s, b, sym_fmt(s->ctx, "%s%d", it->name, k), zero, his.at[k]);
        vec_push(s->ctx, &b->subs, expr_var(s->g, vars[k]));
    }
    b->env.scope = sema_scope_pack(s, b->env.scope, it->name, vars, his.n);
    return true;
}

static bool is_arithmetic(const AstExpr *e) {
    if (e->kind == AST_BINARY) return is_arithmetic(e->a) && is_arithmetic(e->b);
    return e->kind == AST_NAME || e->kind == AST_INT || (e->kind == AST_UNARY && is_arithmetic(e->a));
}

/* p with the variables that are bound already at their values for which it is largest; false: those are not known. */
static bool at_largest(Sema *s, const Building *b, Poly *p) {
    for (int i = 0; i < b->vars.n; i++) {
        const Var *v = b->vars.at[i];
        const Expr *var = expr_var(s->g, (Var *)v), *end;
        PolyEnv env = {.g = s->g};
        Poly coef, rest;
        int64_t k;
        if (!poly_uses(*p, var)) continue;
        if (!poly_linear(s->ctx, *p, var, &coef, &rest) || !poly_is_const(coef, &k)) return false;
        end = k < 0 ? v->lo : expr2(s->g, OP_SUB, v->hi, expr_int(s->g, TY_I64, 1));
        *p = poly_add(s->ctx, rest, poly_scale(s->ctx, poly_of(&env, end), k));
        if (p->failed) return false;
    }
    return true;
}

/* How far a variable may run, from 0, for a subscript k*i + c of an axis to stay below its extent, k > 0; else NULL. */
static const Expr *room_for(Sema *s, const Building *b, const FreeName *f, const AstExpr *e, const Expr *extent) {
    Graph *g = s->g;
    if (!is_arithmetic(e)) return NULL;
    Var *v = graph_var(g, f->name, expr_int(g, TY_I64, 0), extent);
    const Expr *sub = sema_int(s, (Env){b->env.inst, sema_scope_var(s, b->env.scope, f->name, v)}, e);
    PolyEnv env = {.g = g};
    Poly coef, rest;
    int64_t k;
    if (!sub || !poly_linear(s->ctx, poly_of(&env, sub), expr_var(g, v), &coef, &rest)) return NULL;
    if (!poly_is_const(coef, &k) || k < 1) return NULL;
    if (!at_largest(s, b, &rest)) return NULL;
    const Expr *room = expr2(g, OP_SUB, expr2(g, OP_ADD, extent, expr_int(g, TY_I64, k - 1)), poly_expr(g, rest));
    if (!known_nonneg(s->known, room)) room = expr2(g, OP_MAX, room, expr_int(g, TY_I64, 0));
    return poly_expr(g, poly_of(&env, expr2(g, OP_DIV, room, expr_int(g, TY_I64, k))));
}

/* Names in a computed subscript that nothing binds yet are variables too. */
static bool bind_free(Sema *s, Building *b, const AstExpr *e, const Expr *extent) {
    const Expr *zero = expr_int(s->g, TY_I64, 0);
    FreeNames free = {0};
    sema_free_names(s, b->env, e, true, &free);
    for (int i = 0; i < free.n; i++) {
        const FreeName *f = &free.at[i];
        RangeQuery q = query_for(s, b, f->name, f->pack, f->span);
        ExprVec his = {0};
        const Expr *hi = NULL;
        if (free.n == 1 && !f->pack) q.otherwise = room_for(s, b, f, e, extent);
        if (f->pack ? !sema_infer_pack(s, &q, &his) : !sema_infer_var(s, &q, &hi)) return false;
        if (!f->pack) vec_push(s->ctx, &his, hi);
        int from = b->vars.n;
        for (int k = 0; k < his.n; k++)
            add_var(s, b, f->pack ? sym_fmt(s->ctx, "%s%d", f->name, k) : f->name, zero, his.at[k]);
        Var **vars = NEW_N(s->ctx, Var *, his.n + 1);
        for (int k = 0; k < his.n; k++) vars[k] = b->vars.at[from + k];
        b->env.scope = f->pack ? sema_scope_pack(s, b->env.scope, f->name, vars, his.n)
                               : sema_scope_var(s, b->env.scope, f->name, vars[0]);
    }
    return true;
}

/* The variable that ends a subscript comes after the others of it. */
static void to_end(Building *b, Sym name) {
    int i = 0;
    while (b->vars.at[i]->name != name) i++;
    Var *v = b->vars.at[i];
    for (; i + 1 < b->vars.n; i++) b->vars.at[i] = b->vars.at[i + 1];
    b->vars.at[i] = v;
}

static bool bind_computed(Sema *s, Building *b, const Left *t, const AstItem *it, int axis) {
    if (!t->has_shape && it->value->kind == AST_NAME) {
        Diag *d = SEMA_REPORT(s, LET_PIECE, it->span, "%s is a dimension: the brackets of a let hold index variables",
                              it->value->name);
        diag_help(s->ctx, d, "name an index variable, let %s[i] = ...; or give it the range, [i in %s]", t->d->name,
                  it->value->name);
        return false;
    }
    if (!t->has_shape) {
        Diag *d = SEMA_REPORT(s, LET_PIECE, it->span, "a let defines all its elements: its subscripts are variables");
        diag_help(s->ctx, d,
                  "define pieces of an output, or choose by the index: let %s[i in N] = if i == 0 then ... else ...;",
                  t->d->name);
        return false;
    }
    if (!bind_free(s, b, it->value, t->shape.at[axis])) return false;
    if (it->hi) to_end(b, it->name);
    const Expr *e = sema_int(s, b->env, it->value);
    if (!e) return false;
    b->plain = false;
    vec_push(s->ctx, &b->subs, e);
    return true;
}

/* The range of a let's variable may follow from the result of a call that depends on variables after it. */
static bool waits(const Building *b, const Left *t, int i) {
    const AstItems *items = b->p->target->index;
    const AstStmt *st = b->p->stmt;
    Sym name = items->v.at[i].value->name;
    return !t->has_shape && sema_range_waits(st->value, name, items, i + 1);
}

/* A dimension or static parameter: a subscript with one value, not an index variable. */
static bool is_value(const Building *b, Sym name) {
    Name *n = sema_name(b->env.inst, name);
    return n && n->kind == NAME_VALUE;
}

bool sema_left(Sema *s, Building *b, Left *t) {
    const AstItems *items = b->p->target->index;
    int packs = 0;
    for (int i = 0; i < items->v.n; i++) packs += items->v.at[i].kind == ITEM_PACK;
    int extra = t->shape.n - (items->v.n - packs);
    if (packs > 1 || (t->has_shape && (packs ? extra < 0 : extra != 0))) {
        Diag *d = SEMA_REPORT(s, RANK, items->span, "%s has %d dimensions, these are %d subscripts", t->d->name,
                              t->shape.n, items->v.n);
        if (t->d->param) diag_note(s->ctx, d, t->d->param->span, "declared here");
        return false;
    }
    /* Computed subscripts last: the names in them may be variables of other subscripts. */
    const AstItem *computed[MAX_RANK] = {0};
    bool later[MAX_RANK] = {0};
    for (int i = 0; i < items->v.n; i++) {
        const AstItem *it = &items->v.at[i];
        int axis = b->subs.n;
        bool ok = true;
        if (it->kind == ITEM_PACK) {
            ok = bind_pack(s, b, t, it, axis, extra);
        } else if (it->kind == ITEM_IN) {
            ok = bind_range(s, b, it, axis, t);
        } else if (it->hi && axis < MAX_RANK) {
            ok = bind_ranged(s, b, it, t) != NULL;
            computed[axis] = it;
            vec_push(s->ctx, &b->subs, NULL);
        } else if (it->kind == ITEM_EXPR && it->value->kind == AST_NAME && axis < MAX_RANK && waits(b, t, i)) {
            later[axis] = true;
            computed[axis] = it;
            vec_push(s->ctx, &b->subs, NULL);
        } else if (it->kind == ITEM_EXPR && it->value->kind == AST_NAME && !is_value(b, it->value->name)) {
            ok = bind_plain(s, b, t, it->value->name, it->span, axis);
        } else if (it->kind == ITEM_EXPR && it->value->kind != AST_ERROR && axis < MAX_RANK) {
            computed[axis] = it;
            vec_push(s->ctx, &b->subs, NULL);
        } else {
            if (it->kind != ITEM_EXPR)
                SEMA_REPORT(s, NOT_A_VARIABLE, it->span, "the left-hand side has index variables");
            ok = false;
        }
        if (!ok) return false;
        if (b->subs.n > MAX_RANK) {
            SEMA_REPORT(s, LIMIT, items->span, "a tensor has at most %d dimensions", MAX_RANK);
            return false;
        }
    }
    for (int axis = 0; axis < b->subs.n; axis++) {
        if (!computed[axis]) continue;
        const AstItem *it = computed[axis];
        if (later[axis] ? !bind_plain(s, b, t, it->value->name, it->span, axis) : !bind_computed(s, b, t, it, axis))
            return false;
        b->subs.at[axis] = b->subs.at[--b->subs.n];
    }
    return true;
}
