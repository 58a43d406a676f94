/* Rankings: sort, argsort and topk. One stands alone behind =, of one index variable. The rank is the variable of the
 * left-hand side that the ranking does not name; the others say which row is ranked. The rows become a tensor, unless
 * they are one as they stand, and a rank of the Graph says in which order its elements are: a place is an element of
 * this order, a value what stands at that place. */
#include "frontend/ast/builtins.h"
#include "ir/expr_is.h"
#include "sema_int.h"

static const Ranking *ranking(const AstExpr *e) { return builtin_ranking(builtin_by_name(e->a->a->name)); }

bool sema_is_ranking(Env env, const AstExpr *e) {
    FnRef f;
    return sema_is_reduction(env, e) && ranking(e) && !sema_find_decl(env.inst->file, DECL_REDUCE, e->a->a->name, &f);
}

bool sema_is_rank(Sema *s, Env env, const AstExpr *e, Sym name) {
    FreeNames free = {0};
    if (!sema_is_ranking(env, e)) return false;
    sema_free_names(s, (Env){env.inst, NULL}, e, true, &free);
    for (int i = 0; i < free.n; i++)
        if (free.at[i].name == name) return false;
    return true;
}

/* ---- the form ---- */

static bool is_variable(const AstItem *it) {
    return it->kind == ITEM_IN || (it->kind == ITEM_EXPR && it->value->kind == AST_NAME);
}

static void no_dimension(Sema *s, Span span, Sym name) {
    SEMA_REPORT(s, DATA_DIM, span, "how many ranks %s has, and of how many elements, are dimensions or numbers", name);
}

/* Whether e is of no index variables; reports it where not. */
static bool names_dims(Sema *s, Env env, const AstExpr *e, Sym name) {
    FreeNames free = {0};
    sema_free_names(s, (Env){env.inst, NULL}, e, true, &free);
    for (int i = 0; i < free.n; i++)
        if (sema_scope_find(env.scope, free.at[i].name)) return no_dimension(s, e->span, name), false;
    return true;
}

/* Whether it has its operands, and one variable without a condition. */
static bool is_formed(Sema *s, Env env, const AstExpr *e) {
    const AstItems *vars = e->a->items, *given = e->items;
    const int n = ranking(e)->operands;
    Sym name = e->a->a->name;
    bool plain = given->v.n == n && !given->guard;
    for (int i = 0; plain && i < n; i++) plain = given->v.at[i].kind == ITEM_EXPR;
    if (!plain) {
        Diag *d = SEMA_REPORT(s, ARGUMENTS, e->span, "%s takes %s", name,
                              n == 1 ? "one operand, what is ranked" : "what is ranked, and how many ranks there are");
        if (n > 1) diag_help(s->ctx, d, "write %s[i](x[i], K), K a dimension or a number", name);
        return false;
    }
    if (vars->guard) {
        Diag *d =
            SEMA_REPORT(s, RANKING, vars->guard->span, "%s has no where: all elements of a row have a rank", name);
        diag_help(s->ctx, d, "let others come last, as NaN does: %s[i](if c then e else nan)", name);
        return false;
    }
    if (vars->v.n == 1 && is_variable(&vars->v.at[0])) {
        const AstItem *it = &vars->v.at[0];
        bool fits = n == 1 || names_dims(s, env, given->v.at[1].value, name);
        if (it->kind == ITEM_IN) fits = fits && names_dims(s, env, it->lo, name) && names_dims(s, env, it->value, name);
        return fits;
    }
    Diag *d = SEMA_REPORT(s, RANKING, e->a->span, "%s ranks along one index variable", name);
    diag_help(s->ctx, d, "name it: %s[i](x[i])%s", name, "; of several indices make one first, x[i / N, i % N]");
    return false;
}

static const Expr *of_dims(Sema *s, const Expr *e, Span span, Sym name) {
    if (!e || expr_over_dims(e)) return e;
    return no_dimension(s, span, name), NULL;
}

static const Expr *length_of(Sema *s, const Var *v) {
    const Expr *n = v->lo == expr_int(s->g, TY_I64, 0) ? v->hi : expr2(s->g, OP_SUB, v->hi, v->lo);
    const bool counts = n->op == OP_DIM || n->op == OP_CONST || known_nonneg(s->known, n);
    return counts ? n : expr2(s->g, OP_MAX, n, expr_int(s->g, TY_I64, 0));
}

const Expr *sema_rank_count(Sema *s, Env env, const AstExpr *e) {
    Sym name = e->a->a->name;
    if (!is_formed(s, env, e)) return NULL;
    if (ranking(e)->operands > 1) {
        const AstExpr *count = e->items->v.at[1].value;
        return of_dims(s, sema_int(s, (Env){env.inst, NULL}, count), count->span, name);
    }
    const AstItem *it = &e->a->items->v.at[0];
    Var v = {.lo = expr_int(s->g, TY_I64, 0)};
    if (it->kind == ITEM_IN) {
        if (it->lo) v.lo = sema_int(s, (Env){env.inst, NULL}, it->lo);
        v.hi = sema_int(s, (Env){env.inst, NULL}, it->value);
    } else {
        RangeQuery q = {.env = env, .name = it->value->name, .span = it->span};
        vec_push(s->ctx, &q.roots, e->items->v.at[0].value);
        if (!sema_infer_var(s, &q, &v.hi)) return NULL;
    }
    return v.lo && v.hi ? of_dims(s, length_of(s, &v), it->span, name) : NULL;
}

/* ---- the left-hand side ---- */

/* The one variable of the left-hand side, which env has in scope, that the ranking does not name; `alone`: it is what
 * stands behind =. */
static const Var *rank_variable(Sema *s, Env env, const AstExpr *e, bool alone) {
    const Scope *rank = NULL, *other = NULL;
    for (const Scope *sc = alone ? env.scope : NULL; sc; sc = sc->up) {
        if (sc->kind != SCOPE_VARS || !sc->n || !sema_is_rank(s, env, e, sc->name)) continue;
        other = rank;
        rank = sc;
    }
    if (rank && !other && !rank->pack) return rank->vars[0];
    Sym name = e->a->a->name, results = ranking(e)->results > 1 ? "(v[r], at[r])" : "at[r]";
    Diag *d;
    if (!alone)
        d = SEMA_REPORT(s, RANKING, e->span, "%s stands alone behind =, with a rank on the left-hand side", name);
    else if (!rank)
        d = SEMA_REPORT(s, RANKING, e->span, "no index on the left-hand side is the rank of %s", name);
    else if (!other)
        d = SEMA_REPORT(s, RANKING, e->span, "%s is the rank of %s, which is one index", rank->name, name);
    else
        d = SEMA_REPORT(s, RANKING, e->span, "%s and %s on the left-hand side could both be the rank", rank->name,
                        other->name);
    diag_help(s->ctx, d, "the rank is the one index on the left that the operand has not: let %s = %s;", results,
              sema_quote(s, e->span));
    return NULL;
}

/* The places are below `count`, and so must be the rank; there must be as many elements. */
static bool check_counts(Sema *s, const AstExpr *e, const Var *rank, const Expr *count, const Expr *length) {
    const Expr *zero = expr_int(s->g, TY_I64, 0), *enough = expr2(s->g, OP_LE, count, length);
    const Span at = e->items->v.at[ranking(e)->operands - 1].span;
    Sym name = e->a->a->name;
    int64_t always;
    if (count != length && (sema_const_int(enough, &always) ? !always : known_truth(s->known, enough) == 0)) {
        Diag *d =
            SEMA_REPORT(s, RANKING, at, "%s takes %s of %s elements", name, sema_show(s, count), sema_show(s, length));
        diag_help(s->ctx, d, "there are no more ranks than elements: take %s", sema_show(s, length));
        return false;
    }
    if (count != length) {
        sema_require(s, expr2(s->g, OP_LE, zero, count), sym_fmt(s->ctx, "%s of fewer than 0", name), at);
        sema_require(s, enough,
                     sym_fmt(s->ctx, "%s takes %s of %s elements", name, sema_show(s, count), sema_show(s, length)),
                     at);
    }
    if (rank->hi == count || known_nonneg(s->known, expr2(s->g, OP_SUB, count, rank->hi))) return true;
    Diag *d = SEMA_REPORT(s, RANKING, e->span, "%s runs over 0..%s, and %s has %s ranks", rank->name,
                          sema_show(s, rank->hi), name, sema_show(s, count));
    diag_help(s->ctx, d, "if there are always as many, state it: require %s <= %s;", sema_show(s, rank->hi),
              sema_show(s, count));
    return false;
}

/* ---- rows ---- */

/* What is ranked: element i of a row, which the variables choose. */
typedef struct Rows {
    const Expr *body;
    Var *i;
    VarVec vars; /* without i, in the order of the keys' dimensions */
} Rows;

static bool runs_over(Sema *s, const Var *v, const Expr *extent) {
    return v->lo == expr_int(s->g, TY_I64, 0) && (v->hi == extent || known_equal(s->known, v->hi, extent));
}

/* The tensor that the body is as it stands, along its last dimension; its variables in that order. */
static Tensor *standing(Sema *s, Rows *rows) {
    const Expr *e = rows->body;
    VarVec vars = {0};
    if (e->op != OP_LOAD || !type_ranks(e->type) || e->nargs != rows->vars.n + 1) return NULL;
    for (int d = 0; d < e->nargs; d++) {
        const Expr *sub = e->arg[d];
        if (sub->op != OP_VAR || !runs_over(s, sub->u.var, e->u.tensor->shape[d])) return NULL;
        for (int k = 0; k < vars.n; k++)
            if (vars.at[k] == sub->u.var) return NULL;
        if ((sub->u.var == rows->i) != (d + 1 == e->nargs)) return NULL;
        if (d + 1 < e->nargs) vec_push(s->ctx, &vars, sub->u.var);
    }
    rows->vars = vars;
    return e->u.tensor;
}

/* The tensor of the body, which begins at 0 along i. */
static Tensor *stored(Sema *s, Rows *rows, const Expr *length) {
    const Expr *zero = expr_int(s->g, TY_I64, 0), *body = rows->body;
    const int n = rows->vars.n;
    if (!type_ranks(body->type)) body = expr_cast(s->g, type_acc(body->type), body);
    Var **vars = NEW_N(s->ctx, Var *, n + 1);
    const Expr **from = NEW_N(s->ctx, const Expr *, n + 1), **to = NEW_N(s->ctx, const Expr *, n + 1),
               **subs = NEW_N(s->ctx, const Expr *, n + 1), **shape = NEW_N(s->ctx, const Expr *, n + 1);
    for (int k = 0; k <= n; k++) {
        const Var *v = k < n ? rows->vars.at[k] : rows->i;
        shape[k] = k < n ? v->hi : length;
        vars[k] = graph_var(s->g, v->name, zero, shape[k]);
        from[k] = expr_var(s->g, (Var *)v);
        subs[k] = to[k] = expr_var(s->g, vars[k]);
        if (k == n && v->lo != zero) to[k] = expr2(s->g, OP_ADD, v->lo, subs[k]);
    }
    const Expr *value = expr_replace(s->g, body, from, to, n + 1);
    Tensor *before = sema_lifted(s, &(VarVec){.n = n + 1, .at = vars}, value);
    if (before) return before;
    Sym name = sym_fmt(s->ctx, "%s_keys", s->defining ? s->defining : "rank");
    Tensor *t = graph_tensor(s->g, sema_free_name(s, name), TENSOR_LET, body->type, n + 1, shape);
    vec_push(s->ctx, &t->pieces,
             ((Piece){.nvars = n + 1, .vars = vars, .subs = subs, .value = value, .span = s->g->span}));
    vec_push(s->ctx, &s->lifted, t);
    return t;
}

/* The variables that say which row it is; false after an error. */
static bool find_rows(Sema *s, const AstExpr *e, const Var *rank, Rows *rows) {
    VarVec free = {0};
    sema_free_vars(s, rows->body, &free);
    for (int k = 0; k < free.n; k++) {
        Var *v = free.at[k];
        if (v == rows->i) continue;
        if (v == rank || !sema_is_axis(s, v) || rows->vars.n + 1 == MAX_RANK) {
            SEMA_REPORT(s, RANKING, e->span, "%s chooses no row: it runs over a range of its own", v->name);
            return false;
        }
        int at = rows->vars.n;
        vec_push(s->ctx, &rows->vars, v);
        for (; at > 0 && rows->vars.at[at - 1]->id > v->id; at--) rows->vars.at[at] = rows->vars.at[at - 1];
        rows->vars.at[at] = v;
    }
    return true;
}

/* The order of the keys, one for all that ask for as many ranks. */
static Tensor *order_of(Sema *s, Tensor *keys, bool descending, const Expr *count) {
    const int last = keys->rank - 1;
    for (int i = 0; i < s->g->sorts.n; i++) {
        const Sort *x = s->g->sorts.at[i];
        if (sort_ranks(x) && x->keys == keys && x->descending == descending && x->order->shape[last] == count)
            return x->order;
    }
    const Expr **shape = NEW_N(s->ctx, const Expr *, keys->rank);
    for (int d = 0; d < last; d++) shape[d] = keys->shape[d];
    shape[last] = count;
    Sym name = sema_free_name(s, sym_fmt(s->ctx, "%s_order", keys->name));
    Tensor *order = graph_tensor(s->g, name, TENSOR_LET, TY_I32, keys->rank, shape);
    graph_rank(s->g, keys, descending, order);
    return order;
}

/* ---- the ranking ---- */

static bool check_results(Sema *s, const AstExpr *e, int part) {
    const int n = ranking(e)->results;
    Sym name = e->a->a->name;
    if (part < 0 ? n == 1 : part < n) return true;
    Diag *d = SEMA_REPORT(s, RESULT_COUNT, e->span, "%s has %d result%s, %s", name, n, n > 1 ? "s" : "",
                          part < 0 ? "here one is needed" : "these are more names");
    diag_help(s->ctx, d, n > 1 ? "take values and places by name, _ for none: let (v[r], _) = %s;" : "let at[r] = %s;",
              sema_quote(s, e->span));
    return false;
}

const Expr *sema_rank(Sema *s, Env env, const AstExpr *e, int part, bool alone) {
    const Expr *guard = NULL;
    VarVec vars = {0};
    if (!is_formed(s, env, e)) return NULL;
    const Var *rank = rank_variable(s, env, e, alone);
    if (!rank || !check_results(s, e, part)) return NULL;
    if (s->known->path.n) {
        SEMA_REPORT(s, RANKING, e->span, "%s stands under a condition: a row is ranked whole", e->a->a->name);
        return NULL;
    }
    const Expr *count = sema_rank_count(s, env, e), *body = count ? sema_reduced(s, env, e, &vars, &guard) : NULL;
    if (!body) return NULL;
    body = expr_settle(s->g, body);
    if (body->type == TY_BOOL) {
        Diag *d = SEMA_REPORT(s, REDUCED_TYPE, e->items->span, "%s of bool", e->a->a->name);
        diag_help(s->ctx, d, "rank numbers: if c then 1 else 0");
        return NULL;
    }
    Rows rows = {.body = body, .i = vars.at[0]};
    const Expr *length = of_dims(s, length_of(s, rows.i), e->a->span, e->a->a->name);
    if (ranking(e)->operands == 1) count = length;
    if (!length || !check_counts(s, e, rank, count, length) || !find_rows(s, e, rank, &rows)) return NULL;
    Tensor *keys = standing(s, &rows);
    if (!keys) keys = stored(s, &rows, length);
    Tensor *order = order_of(s, keys, ranking(e)->way == RANKING_DESCENDING, count);
    const Expr **subs = NEW_N(s->ctx, const Expr *, rows.vars.n + 1);
    for (int k = 0; k < rows.vars.n; k++) subs[k] = expr_var(s->g, rows.vars.at[k]);
    subs[rows.vars.n] = expr_var(s->g, (Var *)rank);
    const Expr *place = expr_cast(s->g, TY_I64, expr_load(s->g, order, subs));
    if (part == ranking(e)->results - 1 || part < 0)
        return rows.i->lo == expr_int(s->g, TY_I64, 0) ? place : expr2(s->g, OP_ADD, rows.i->lo, place);
    subs[rows.vars.n] = place;
    return expr_cast(s->g, body->type, expr_load(s->g, keys, subs));
}
