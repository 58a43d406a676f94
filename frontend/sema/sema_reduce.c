/* Reductions: their variables, guards and monoids; mean; composite reductions of the source. */
#include "frontend/ast/builtins.h"
#include "sema_int.h"

#include "ir/poly/hull.h"

/* ---- variables ---- */

typedef struct Bound {
    Env env; /* with the variables */
    VEC(Var *) vars;
    const Expr *guard; /* of the use of a composite reduction, where a formal variable stands for its variables */
} Bound;

typedef VEC(const AstExpr *) Roots;

static Var *new_var(Sema *s, Bound *b, Sym name, const Expr *lo, const Expr *hi) {
    Var *v = graph_var(s->g, name, lo, hi);
    vec_push(s->ctx, &b->vars, v);
    return v;
}

static bool bind_items(Sema *s, Bound *b, const AstItems *items, const Roots *roots);

static const Expr *both(Sema *s, const Expr *a, const Expr *b) { return !a ? b : !b ? a : expr2(s->g, OP_AND, a, b); }

/* Whether all formal variables of the composite reduction have their variables. */
static bool all_formals_bound(const Bound *b, const Scope *formal) {
    const AstItems *all = formal->inst->fn->vars;
    for (int i = 0; i < all->v.n; i++) {
        const AstItem *it = &all->v.at[i];
        const Scope *sc = sema_scope_find(b->env.scope, it->kind == ITEM_PACK ? it->name : it->value->name);
        if (!sc || sc->kind != SCOPE_VARS) return false;
    }
    return true;
}

/* The variables that the use of a composite reduction gave for one of its formal ones. The guard of the use holds where
 * all of them are known. */
static bool bind_formal(Sema *s, Bound *b, Sym name, const Scope *formal) {
    const AstExpr *use = formal->ast;
    bool alone = formal->inst->fn->vars->v.n == 1;
    Bound sub = {.env = alone ? formal->env : sema_use_env(s, b->env, formal)};
    const Scope *start = sub.env.scope;
    Roots roots = {0};
    for (int i = 0; i < use->items->v.n; i++)
        if (use->items->v.at[i].value) vec_push(s->ctx, &roots, use->items->v.at[i].value);
    if (!alone && use->a->items->guard) vec_push(s->ctx, &roots, use->a->items->guard);
    if (!bind_items(s, &sub, formal->items, &roots)) return false;
    VEC(const Scope *) made = {0};
    for (const Scope *x = sub.env.scope; x != start; x = x->up) vec_push(s->ctx, &made, x);
    for (int i = made.n - 1; i >= 0; i--) {
        Scope entry = *made.at[i];
        if (!entry.owner) entry.owner = formal->inst;
        b->env.scope = sema_scope_push(s, b->env.scope, entry);
    }
    b->env.scope = sema_scope_push(
        s, b->env.scope,
        (Scope){.kind = SCOPE_VARS, .name = name, .pack = sub.vars.n != 1, .n = sub.vars.n, .vars = sub.vars.at});
    for (int i = 0; i < sub.vars.n; i++) vec_push(s->ctx, &b->vars, sub.vars.at[i]);
    b->guard = both(s, b->guard, sub.guard);
    if (alone || !use->a->items->guard || !all_formals_bound(b, formal)) return true;
    const Expr *g = sema_cond(s, sema_use_env(s, b->env, formal), use->a->items->guard);
    b->guard = both(s, b->guard, g);
    return g != NULL;
}

/* Variable number i of the reduction, a name or a pack as q says, whose range follows from uses in the operands and
 * behind it. */
static bool bind_inferred(Sema *s, Bound *b, RangeQuery q, const AstItems *items, int i, const Roots *roots) {
    for (int k = 0; k < roots->n; k++) vec_push(s->ctx, &q.roots, roots->at[k]);
    if (items->guard) vec_push(s->ctx, &q.roots, items->guard);
    for (int k = i + 1; k < items->v.n; k++) {
        if (items->v.at[k].kind != ITEM_IN) continue;
        if (items->v.at[k].lo) vec_push(s->ctx, &q.roots, items->v.at[k].lo);
        vec_push(s->ctx, &q.roots, items->v.at[k].value);
    }
    const Expr *zero = expr_int(s->g, TY_I64, 0);
    if (!q.pack) {
        const Expr *hi;
        if (!sema_infer_var(s, &q, &hi)) return false;
        Var *v = new_var(s, b, q.name, zero, hi);
        v->span = q.from;
        b->env.scope = sema_scope_var(s, b->env.scope, q.name, v);
        return true;
    }
    ExprVec his = {0};
    if (!sema_infer_pack(s, &q, &his)) return false;
    Var **vars = NEW_N(s->ctx, Var *, his.n + 1);
    for (int k = 0; k < his.n; k++) vars[k] = new_var(s, b, sym_fmt(s->ctx, "%s%d", q.name, k), zero, his.at[k]);
    b->env.scope = sema_scope_pack(s, b->env.scope, q.name, vars, his.n);
    return true;
}

static bool bind_item(Sema *s, Bound *b, const AstItems *items, int i, const Roots *roots) {
    const AstItem *it = &items->v.at[i];
    if (it->kind == ITEM_IN) {
        const Expr *lo = it->lo ? sema_int(s, b->env, it->lo) : expr_int(s->g, TY_I64, 0);
        const Expr *hi = sema_int(s, b->env, it->value);
        if (!lo || !hi) return false;
        sema_warn_hidden(s, b->env.inst, it->name, it->name_span);
        Var *v = new_var(s, b, it->name, lo, hi);
        v->span = it->span;
        b->env.scope = sema_scope_var(s, b->env.scope, it->name, v);
        return true;
    }
    bool pack = it->kind == ITEM_PACK;
    if (!pack && (it->kind != ITEM_EXPR || it->value->kind != AST_NAME)) {
        if (it->kind != ITEM_EXPR || it->value->kind != AST_ERROR)
            SEMA_REPORT(s, NOT_A_VARIABLE, it->span, "a reduction has variables here: k, k in lo..hi or k...");
        return false;
    }
    Sym name = pack ? it->name : it->value->name;
    const Scope *sc = sema_scope_find(b->env.scope, name);
    if (sc && sc->kind == SCOPE_FORMAL) return bind_formal(s, b, name, sc);
    sema_warn_hidden(s, b->env.inst, name, it->span);
    const RangeQuery q = {.env = b->env, .name = name, .pack = pack, .span = it->span};
    return bind_inferred(s, b, q, items, i, roots);
}

static bool bind_items(Sema *s, Bound *b, const AstItems *items, const Roots *roots) {
    bool ok = true, *later = NEW_N(s->ctx, bool, items->v.n + 1);
    for (int i = 0; i < items->v.n && ok; i++) {
        const AstItem *it = &items->v.at[i];
        for (int k = 0; it->kind == ITEM_EXPR && k < roots->n && !later[i]; k++)
            later[i] = it->value->kind == AST_NAME && sema_range_waits(roots->at[k], it->value->name, items, i + 1);
        if (!later[i]) ok = bind_item(s, b, items, i, roots);
    }
    for (int i = 0; i < items->v.n && ok; i++)
        if (later[i]) ok = bind_item(s, b, items, i, roots);
    if (!ok) return false;
    if (items->guard) {
        int mark = known_push(s->known, b->guard, true);
        const Expr *g = sema_cond(s, b->env, items->guard);
        known_pop(s->known, mark);
        if (!g) return false;
        b->guard = both(s, b->guard, g);
    }
    return true;
}

/* ---- the reductions of the language ---- */

/* Loops run over dimensions: some of each range's values must follow from them. */
static bool has_hull(Sema *s, const Expr *e, const Var *v, Span span) {
    const Expr *least, *end;
    if (e->op != OP_REDUCE || range_hull(s->g, e, v, v->lo, v->hi, &least, &end)) return true;
    const Expr *open = end ? v->lo : v->hi;
    if (open->op == OP_CAST) open = open->arg[0]; /* subscripts and bounds are i64 */
    Diag *d = SEMA_REPORT(s, UNBOUNDED_RANGE, span, "nothing bounds the range of %s: %s, %s, depends on data alone",
                          v->name, end ? "its start" : "its end", sema_show(s, open));
    diag_help(s->ctx, d,
              end ? "state the least value: assume 0 <= %s;" : "state a bound over dimensions: assume %s <= N;",
              sema_show(s, open));
    return false;
}

/* A factor as `option matmul` has it: cast to its type, unless it comes from a narrow type already. */
static const Expr *factor(Sema *s, const Expr *e, Type t) {
    if (e->op == OP_CAST && type_bits(e->arg[0]->type) <= type_bits(t)) return e;
    return expr_cast(s->g, TY_F32, expr_cast(s->g, t, e));
}

/* The operand of a sum under the entry's options: a product of two different f32 factors that are data. */
static const Expr *summand(Sema *s, const Expr *body) {
    const Options *o = &s->g->options;
    bool bf16 = option_is(o, MATMUL_BF16), f16 = option_is(o, MATMUL_F16);
    if ((!bf16 && !f16) || body->op != OP_MUL || body->type != TY_F32 || body->arg[0] == body->arg[1]) return body;
    for (int i = 0; i < 2; i++)
        if (!known_uses_data(body->arg[i])) return body;
    Type t = bf16 ? TY_BF16 : TY_F16;
    return expr2(s->g, OP_MUL, factor(s, body->arg[0], t), factor(s, body->arg[1], t));
}

static const Expr *make(Sema *s, MonoidKind kind, const Bound *b, const Expr *body, Span span) {
    const Monoid *m = monoid_row(kind);
    if (kind == MONOID_SUM) body = summand(s, body);
    Reduce *r = NEW(s->ctx, Reduce);
    *r = (Reduce){.monoid = m, .nvars = b->vars.n, .vars = b->vars.at};
    bool untyped = body->untyped && !m->indexed && !monoid_folds(kind, TY_BOOL);
    const Expr *e = (untyped ? expr_reduce_untyped : expr_reduce)(s->g, r, b->guard, body);
    for (int i = 0; i < b->vars.n; i++)
        if (!has_hull(s, e, b->vars.at[i], span)) return NULL;
    return e;
}

/* How many places the variables take, where that is a product of lengths; else NULL. */
static const Expr *plain_count(Sema *s, const Bound *b) {
    const Expr *n = NULL, *zero = expr_int(s->g, TY_I64, 0);
    if (b->guard) return NULL;
    for (int i = 0; i < b->vars.n; i++) {
        const Var *v = b->vars.at[i];
        for (int k = 0; k < i; k++) {
            const Expr *x = expr_var(s->g, b->vars.at[k]);
            if (known_uses(v->lo, x) || known_uses(v->hi, x)) return NULL;
        }
        const Expr *len = v->lo == zero ? v->hi : expr2(s->g, OP_SUB, v->hi, v->lo);
        if (len->op != OP_DIM && len->op != OP_CONST && !known_nonneg(s->known, len))
            len = expr2(s->g, OP_MAX, len, zero);
        n = n ? expr2(s->g, OP_MUL, n, len) : len;
    }
    return n ? n : expr_int(s->g, TY_I64, 1);
}

static const Expr *count(Sema *s, Env env, const AstExpr *e, const Bound *b, const Roots *roots) {
    const Expr *n = plain_count(s, b);
    if (n) return n;
    Bound again = {.env = env};
    if (!bind_items(s, &again, e->a->items, roots)) return NULL;
    return make(s, MONOID_SUM, &again, expr_int(s->g, TY_I64, 1), e->span);
}

static const Expr *mean(Sema *s, Env env, const AstExpr *e, const Bound *b, const Expr *body, const Roots *roots) {
    body = expr_settle(s->g, body);
    if (!type_is_float(body->type)) {
        Diag *d = SEMA_REPORT(s, REDUCED_TYPE, e->span, "the mean of %s", type_name(body->type));
        diag_help(s->ctx, d, "take the mean of floats: mean[k](f32(e))");
        return NULL;
    }
    const Expr *n = count(s, env, e, b, roots);
    if (!n) return NULL;
    const Expr *total = make(s, MONOID_SUM, b, body, e->span);
    if (!total) return NULL;
    int64_t k;
    const Expr *divisor =
        sema_const_int(n, &k) ? expr_float(s->g, total->type, (double)k) : expr_cast(s->g, total->type, n);
    return expr2(s->g, OP_DIV, total, divisor);
}

static const Expr *operand(Sema *s, const Bound *b, Roots *roots) {
    if (roots->n != 1) return NULL;
    int mark = known_push(s->known, b->guard, true);
    const Expr *body = sema_expr(s, b->env, roots->at[0]);
    known_pop(s->known, mark);
    return body;
}

const Expr *sema_reduced(Sema *s, Env env, const AstExpr *e, VarVec *vars, const Expr **guard) {
    Bound b = {.env = env};
    Roots roots = {0};
    vec_push(s->ctx, &roots, e->items->v.at[0].value);
    if (!bind_items(s, &b, e->a->items, &roots)) return NULL;
    for (int i = 0; i < b.vars.n; i++) vec_push(s->ctx, vars, b.vars.at[i]);
    *guard = b.guard;
    return operand(s, &b, &roots);
}

static const Expr *plain(Sema *s, Env env, const AstExpr *e, Sym name, Roots *roots) {
    Bound b = {.env = env};
    if (roots->n != 1) {
        SEMA_REPORT(s, ARGUMENTS, e->span, "%s takes one operand", name);
        return NULL;
    }
    if (!bind_items(s, &b, e->a->items, roots)) return NULL;
    const Expr *body = operand(s, &b, roots);
    if (!body) return NULL;
    if (builtin_by_name(name) == BUILTIN_MEAN) return mean(s, env, e, &b, body, roots);
    const Monoid *m = monoid_named(s->g, name);
    bool truth = monoid_folds(m->kind, TY_BOOL);
    if (truth && body->type != TY_BOOL) {
        Diag *d = SEMA_REPORT(s, REDUCED_TYPE, e->items->span, "%s is of bool", name);
        diag_help(s->ctx, d, "compare the operand: e != 0");
        return NULL;
    }
    if (!truth && m->kind != MONOID_SUM && body->type == TY_BOOL) {
        SEMA_REPORT(s, REDUCED_TYPE, e->items->span, "%s of bool: use any or all", name);
        return NULL;
    }
    if (m->indexed && b.vars.n != 1) {
        SEMA_REPORT(s, ARGUMENTS, e->a->span, "%s takes one variable, whose value it is", name);
        return NULL;
    }
    if (b.vars.n == 0 && !b.guard) return truth ? body : expr_cast(s->g, type_acc(expr_settle(s->g, body)->type), body);
    return make(s, m->kind, &b, body, e->a->span);
}

/* ---- composite reductions ---- */

static const Expr *composite_return(Sema *s, Env env, const AstExpr *v, int part, const AstExpr *use) {
    int n = v->kind == AST_TUPLE ? v->items->v.n : 1;
    if (part < 0 && n > 1) {
        Diag *d = SEMA_REPORT(s, RESULT_COUNT, use->span, "%s has %d results, here one is needed", use->a->a->name, n);
        diag_help(s->ctx, d, "take them by name: let (a[i], %s) = %s;", n == 2 ? "b[i]" : "b[i], ...",
                  sema_quote(s, use->span));
        return NULL;
    }
    if (v->kind != AST_TUPLE) {
        if (part <= 0) return sema_expr(s, env, v);
    } else if (part < v->items->v.n) {
        return sema_expr(s, env, v->items->v.at[part].value);
    }
    SEMA_REPORT(s, ARGUMENTS, use->span, "the reduction has fewer results");
    return NULL;
}

/* The formal variables and what the use gives for each: one takes them all, of several the last one takes what is left
 * where it is a pack. */
static bool push_formals(Sema *s, Env *body, const AstExpr *e, Env env) {
    const AstDecl *d = body->inst->fn;
    const AstItems *formals = d->vars, *given = e->a->items;
    int n = formals ? formals->v.n : 0;
    for (int i = 0; i < n; i++) {
        const AstItem *it = &formals->v.at[i];
        bool pack = it->kind == ITEM_PACK;
        if (!pack && (it->kind != ITEM_EXPR || it->value->kind != AST_NAME)) {
            SEMA_REPORT(s, NOT_A_VARIABLE, it->span, "a formal variable is a name: its range comes from the use");
            return false;
        }
        AstItems *own = NEW(s->ctx, AstItems);
        *own = *given;
        if (n > 1) {
            *own = (AstItems){.depth = given->depth, .span = given->span};
            int end = pack && i == n - 1 ? given->v.n : i + 1;
            for (int k = i; k < end && k < given->v.n; k++) vec_push(s->ctx, &own->v, given->v.at[k]);
        }
        body->scope = sema_scope_push(s, body->scope,
                                      (Scope){.kind = SCOPE_FORMAL,
                                              .name = pack ? it->name : it->value->name,
                                              .ast = e,
                                              .env = env,
                                              .items = own,
                                              .inst = body->inst});
    }
    bool rest = n > 0 && formals->v.at[n - 1].kind == ITEM_PACK;
    if (n == 1 || (n > 1 && (rest ? given->v.n >= n - 1 : given->v.n == n))) return true;
    SEMA_REPORT(s, ARGUMENTS, e->a->span, "%s takes %d variables, these are %d", d->name, n, given->v.n);
    return false;
}

static const Expr *composite(Sema *s, Env env, const AstExpr *e, FnRef f, int part) {
    const AstDecl *d = f.decl;
    Inst *inst = sema_inst_new(s, f, env.inst, e->span);
    if (!inst) return NULL;
    int nparams = d->params ? d->params->v.n : 0;
    if (nparams != e->items->v.n) {
        SEMA_REPORT(s, ARGUMENTS, e->span, "%s takes %d operands", d->name, nparams);
        return NULL;
    }
    /* The instance marks this use: the variables that it makes are seen by its operands alone. */
    Env body = {inst, NULL};
    if (!push_formals(s, &body, e, env)) return NULL;
    for (int i = 0; i < nparams; i++) {
        if (!e->items->v.at[i].value) {
            SEMA_REPORT(s, ARGUMENTS, e->items->v.at[i].span, "this cannot be an operand");
            return NULL;
        }
        body.scope = sema_scope_push(s, body.scope,
                                     (Scope){.kind = SCOPE_CLOSURE,
                                             .name = d->params->v.at[i].name,
                                             .ast = e->items->v.at[i].value,
                                             .env = env,
                                             .inst = inst});
    }
    s->inst = inst;
    const AstExpr *v = sema_body_return(s, &body);
    const Expr *value = v ? composite_return(s, body, v, part, e) : NULL;
    s->inst = env.inst;
    return value;
}

const Expr *sema_reduce(Sema *s, Env env, const AstExpr *e, int part) {
    Sym name = e->a->a->name;
    FnRef f;
    Roots roots = {0};
    for (int i = 0; i < e->items->v.n; i++)
        if (e->items->v.at[i].kind == ITEM_EXPR) vec_push(s->ctx, &roots, e->items->v.at[i].value);
    if (sema_find_decl(env.inst->file, DECL_REDUCE, name, &f)) return composite(s, env, e, f, part);
    if (builtin_is_later(builtin_by_name(name))) return sema_not_yet(s, e->span, name);
    return sema_is_ranking(env, e) ? sema_rank(s, env, e, part, false) : plain(s, env, e, name, &roots);
}
