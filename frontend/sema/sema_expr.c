/* Expressions on elements: operators with the language's typing, names, conditions. Loads, calls and reductions have
 * files of their own. */
#include "sema_int.h"

#include <string.h>

/* ---- names ---- */

Env sema_use_env(Sema *s, Env env, const Scope *sc) {
    Env at = sc->env;
    VEC(const Scope *) hidden = {0};
    for (const Scope *x = env.scope; x && x != sc; x = x->up)
        if (x->owner) vec_push(s->ctx, &hidden, x);
    for (int i = hidden.n - 1; i >= 0; i--) {
        Scope entry = *hidden.at[i];
        if (entry.owner == sc->inst) entry.owner = NULL;
        at.scope = sema_scope_push(s, at.scope, entry);
    }
    return at;
}

static const Expr *scope_value(Sema *s, Env env, const Scope *sc, const AstExpr *e) {
    switch (sc->kind) {
    case SCOPE_VALUE: return sc->value;
    case SCOPE_CLOSURE: return sema_expr(s, sema_use_env(s, env, sc), sc->ast);
    case SCOPE_VARS:
        if (!sc->pack) return expr_var(s->g, sc->vars[0]);
        SEMA_REPORT(s, NOT_A_VALUE, e->span, "%s... is a pack of index variables", e->name);
        return NULL;
    case SCOPE_FORMAL:
        SEMA_REPORT(s, NOT_A_VALUE, e->span, "%s is a variable of a reduction: it has a value only inside one",
                    e->name);
        return NULL;
    }
    return NULL;
}

static const Expr *name_value(Sema *s, Env env, const AstExpr *e) {
    const Scope *sc = sema_scope_find(env.scope, e->name);
    if (sc) return scope_value(s, env, sc, e);
    Name *n = sema_name(env.inst, e->name);
    if (!n) {
        FnRef f;
        if (sema_find_fn(env.inst, e->name, &f))
            SEMA_REPORT(s, NOT_CALLED, e->span, "%s is a function: call it", e->name);
        else
            sema_unknown(s, env, e->name, e->span);
        return NULL;
    }
    switch (n->kind) {
    case NAME_VALUE: return n->value;
    case NAME_TENSOR:
    case NAME_DEF: {
        if (n->kind == NAME_DEF && n->def->is_scalar) return sema_define(s, n->def) ? n->def->scalar : NULL;
        Diag *d = SEMA_REPORT(s, WHOLE_TENSOR, e->span, "%s is a whole tensor; one element is needed here", e->name);
        diag_help(s->ctx, d, "give it subscripts: %s[i]", e->name);
        return NULL;
    }
    case NAME_TYPE: {
        Diag *d = SEMA_REPORT(s, NOT_A_VALUE, e->span, "%s is a type", e->name);
        diag_help(s->ctx, d, "a value is converted by %s(...)", e->name);
        return NULL;
    }
    case NAME_PACK: SEMA_REPORT(s, NOT_A_VALUE, e->span, "%s... is a pack of dimensions", e->name); return NULL;
    case NAME_FN: SEMA_REPORT(s, NOT_CALLED, e->span, "%s is a function: call it", e->name); return NULL;
    }
    return NULL;
}

const Expr *sema_int(Sema *s, Env env, const AstExpr *e) {
    const Expr *v = sema_expr(s, env, e);
    if (!v) return NULL;
    v = expr_settle(s->g, v);
    if (type_class(v->type) == CLASS_FLOAT || v->type == TY_BOOL) {
        Diag *d = SEMA_REPORT(s, NOT_INTEGER, e->span, "an integer is needed here, this is %s", type_name(v->type));
        diag_help(s->ctx, d, "convert it: i32(%s)", sema_quote(s, e->span));
        return NULL;
    }
    int64_t k;
    if (!known_is_small(v)) {
        SEMA_REPORT(s, LIMIT, e->span, "this integer is too large an expression once functions are inlined");
        return NULL;
    }
    return sema_const_int(v, &k) ? expr_int(s->g, TY_I64, k) : expr_cast(s->g, TY_I64, v);
}

/* ---- operators ---- */

const Expr *sema_cond(Sema *s, Env env, const AstExpr *e) {
    const Expr *c = sema_expr(s, env, e);
    if (!c) return NULL;
    if (c->type == TY_BOOL) return c;
    Diag *d = SEMA_REPORT(s, NOT_BOOL, e->span, "a condition is bool, this is %s", sema_describe(c));
    Sym text = sema_show_ast(s, e);
    if (e->kind == AST_BINARY && (e->u.op == OP_BITAND || e->u.op == OP_BITOR))
        diag_help(s->ctx, d, "%s is for the bits of integers; for truth values write %s", op_text(e->u.op),
                  e->u.op == OP_BITAND ? "&&" : "||");
    else
        diag_help(s->ctx, d, "compare it: %s != 0", e->kind == AST_BINARY ? sym_fmt(s->ctx, "(%s)", text) : text);
    return NULL;
}

/* && and ||: the right operand is known to be needed only where the left is true, false. */
static const Expr *logic(Sema *s, Env env, const AstExpr *e) {
    bool is_and = e->u.op == OP_AND;
    const Expr *a = sema_cond(s, env, e->a);
    if (!a) {
        sema_expr(s, env, e->b); /* for its own errors; that both sides are numbers is one mistake */
        return NULL;
    }
    int64_t v;
    if (sema_const_int(a, &v)) return (v != 0) == is_and ? sema_cond(s, env, e->b) : expr_int(s->g, TY_BOOL, v != 0);
    int mark = known_push(s->known, a, is_and);
    const Expr *b = sema_cond(s, env, e->b);
    known_pop(s->known, mark);
    return b ? expr2(s->g, e->u.op, a, b) : NULL;
}

static const Expr *choose(Sema *s, Env env, const AstExpr *e) {
    const Expr *c = sema_cond(s, env, e->a);
    int64_t v;
    if (c && sema_const_int(c, &v)) return sema_expr(s, env, v ? e->b : e->c);
    bool said = s->said_swapped;
    s->said_swapped = false;
    s->unguarded += !c; /* without the condition nothing is said of ranges */
    int mark = known_push(s->known, c, true);
    const Expr *a = sema_expr(s, env, e->b);
    known_pop(s->known, mark);
    mark = known_push(s->known, c, false);
    const Expr *b = sema_expr(s, env, e->c);
    known_pop(s->known, mark);
    s->unguarded -= !c;
    s->said_swapped = said;
    return sema_apply(s, e->span, OP_IF, (const Expr *[]){c, a, b}, 3);
}

/* x ** k with a constant integer multiplies: by squaring, the factors shared. */
static const Expr *power(Sema *s, Span span, const Expr *a, const Expr *b) {
    int64_t k;
    if (!a || !b) return NULL;
    if (type_is_float(b->type) || !sema_const_int(b, &k) || k > 64 || k < -64) {
        if (type_is_float(a->type) && type_class(b->type) != CLASS_FLOAT && b->type != TY_BOOL) {
            a = expr_settle(s->g, a);
            b = expr_cast(s->g, type_acc(a->type), b);
        }
        return sema_apply(s, span, OP_POW, (const Expr *[]){a, b}, 2);
    }
    const Expr *r = NULL, *p = a;
    for (int64_t n = k < 0 ? -k : k; n > 0; n /= 2) {
        if (n % 2) r = r ? sema_apply(s, span, OP_MUL, (const Expr *[]){r, p}, 2) : p;
        if (n > 1) p = sema_apply(s, span, OP_MUL, (const Expr *[]){p, p}, 2);
    }
    const Expr *one = expr_literal(s->g, false, 1, 0);
    if (k == 0) return type_is_float(a->type) ? sema_to(s, span, type_acc(a->type), one) : one;
    if (k > 0) return r == a ? expr_settle(s->g, r) : r;
    if (!type_is_float(a->type)) {
        SEMA_REPORT(s, NEGATIVE_POWER, span, "a negative power of an integer: write f32(a) ** b");
        return NULL;
    }
    return sema_apply(s, span, OP_DIV, (const Expr *[]){one, r}, 2);
}

/* The value of a, and of b, which is `right`. */
static const Expr *arithmetic(Sema *s, Span span, Op op, const Expr *a, const Expr *b, const AstExpr *right) {
    int64_t zero;
    if (a && b && (op == OP_DIV || op == OP_MOD) && !type_is_float(a->type) && !type_is_float(b->type) &&
        sema_const_int(b, &zero) && zero == 0) {
        SEMA_REPORT(s, DIVISION_BY_ZERO, right->span, "division of an integer by zero");
        return NULL;
    }
    return sema_apply(s, span, op, (const Expr *[]){a, b}, 2);
}

static const Expr *binary(Sema *s, Env env, const AstExpr *e) {
    if (e->u.op == OP_AND || e->u.op == OP_OR) return logic(s, env, e);
    const Expr *a = sema_expr(s, env, e->a), *b = sema_expr(s, env, e->b);
    if (e->u.op == OP_POW) return power(s, e->span, a, b);
    const Expr *r = arithmetic(s, e->span, e->u.op, a, b, e->b);
    if (r && r->op == OP_DIV && !type_is_float(r->type)) vec_push(s->ctx, &s->quotients, ((Quotient){r, e}));
    return r;
}

/* What is deep already becomes a tensor of its own, so that no expression is as deep as a long sum. */
static const Expr *chain(Sema *s, Env env, const AstExpr *e) {
    enum { MAX_CHAIN_DEPTH = 400 };
    const Expr *r = sema_expr(s, env, e->a);
    int most = MAX_CHAIN_DEPTH;
    for (int i = 0; r && i < e->items->v.n; i++) {
        const AstItem *it = &e->items->v.at[i];
        if (r->depth > most) {
            r = sema_lift_any(s, s->defining ? s->defining : sym(s->ctx, "t"), r);
            most = r->depth + MAX_CHAIN_DEPTH;
        }
        r = arithmetic(s, ast_span_join(e->a->span, it->span), it->op, r, sema_expr(s, env, it->value), it->value);
    }
    return r;
}

static const Expr *unary(Sema *s, Env env, const AstExpr *e) {
    if (e->u.op == OP_NOT) {
        const Expr *c = sema_cond(s, env, e->a);
        return c ? expr1(s->g, OP_NOT, c) : NULL;
    }
    const Expr *a = sema_expr(s, env, e->a);
    if (a && a->untyped && a->op == OP_CONST) { /* a negative literal is a literal */
        if (type_is_float(a->type)) return expr_literal(s->g, true, 0, -a->u.f);
        if (a->u.i != INT64_MIN) return expr_literal(s->g, false, -a->u.i, 0);
    }
    return sema_apply(s, e->span, OP_NEG, &a, 1);
}

/* [0.25, 0.5]: a choice by the index. */
static void list_value(Sema *s, const AstExpr *e) {
    const AstItems *v = e->items;
    Diag *d = SEMA_REPORT(s, NOT_A_VALUE, e->span, "there are no tensors of constants");
    Text t = {.ctx = s->ctx};
    for (int i = 0; i < v->v.n && v->v.n <= 4; i++) {
        Sym one = sema_quote(s, v->v.at[i].span);
        if (i + 1 < v->v.n)
            text_fmt(&t, "if k == %d then %s else ", i, one);
        else
            text_put(&t, one);
    }
    diag_help(s->ctx, d, "make it an input, or choose by the index: let w[k in %d] = %s;", v->v.n,
              t.n ? t.s : "if k == 0 then ... else ...");
}

const Expr *sema_expr(Sema *s, Env env, const AstExpr *e) {
    const Expr *r = NULL;
    if (++s->depth > 4 * MAX_NEST) {
        SEMA_REPORT(s, TOO_DEEP, e->span, "expressions nest too deep once functions are inlined");
        s->depth--;
        return NULL;
    }
    const Inst *inst = s->inst;
    s->inst = env.inst;
    switch (e->kind) {
    case AST_ERROR: break;
    case AST_INT: r = expr_literal(s->g, false, e->u.i, 0); break;
    case AST_FLOAT: r = expr_literal(s->g, true, 0, e->u.f); break;
    case AST_BOOL: r = expr_int(s->g, TY_BOOL, e->u.b); break;
    case AST_NAME: r = name_value(s, env, e); break;
    case AST_UNARY: r = unary(s, env, e); break;
    case AST_BINARY: r = binary(s, env, e); break;
    case AST_CHAIN: r = chain(s, env, e); break;
    case AST_IF: r = choose(s, env, e); break;
    case AST_CALL: r = sema_is_reduction(env, e) ? sema_reduce(s, env, e, -1) : sema_call(s, env, e); break;
    case AST_INDEX: r = sema_load(s, env, e); break;
    case AST_TUPLE: SEMA_REPORT(s, NOT_A_VALUE, e->span, "several values stand where one is needed"); break;
    case AST_LIST: list_value(s, e); break;
    }
    s->depth--;
    s->inst = inst;
    return r;
}
