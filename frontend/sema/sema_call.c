/* Calls on elements: casts, the language's functions, and scalar functions of the source, which are inlined. */
#include "frontend/ast/builtins.h"
#include "sema_int.h"

#include <string.h>

typedef struct Operands {
    int n;
    const Expr **at;
} Operands;

static bool operands(Sema *s, Env env, const AstExpr *e, Operands *out) {
    const AstItems *items = e->items;
    bool ok = true;
    out->n = items->v.n;
    out->at = NEW_N(s->ctx, const Expr *, out->n + 1);
    for (int i = 0; i < items->v.n; i++) {
        if (items->v.at[i].kind != ITEM_EXPR || items->guard) {
            SEMA_REPORT(s, ARGUMENTS, items->v.at[i].span, "this cannot be an argument here");
            return false;
        }
        if (!(out->at[i] = sema_expr(s, env, items->v.at[i].value))) ok = false;
    }
    return ok;
}

static const Expr *count_error(Sema *s, const AstExpr *e, Sym name, int want, int got) {
    const char *form = "%s takes %d argument%s, these are %d", *many = want == 1 ? "" : "s";
    if (got > want)
        SEMA_REPORT(s, TOO_MANY_ARGUMENTS, e->span, form, name, want, many, got);
    else
        SEMA_REPORT(s, MISSING_ARGUMENT, e->span, form, name, want, many, got);
    return NULL;
}

/* ---- casts ---- */

static const Expr *cast(Sema *s, Env env, const AstExpr *e, Type t) {
    Operands a;
    if (!operands(s, env, e, &a)) return NULL;
    if (a.n != 1) return count_error(s, e, sym(s->ctx, type_name(t)), 1, a.n);
    const Expr *x = a.at[0];
    if (t == TY_BOOL && x->type != TY_BOOL) {
        Diag *d = SEMA_REPORT(s, TYPE_MISMATCH, e->span, "a number does not become bool");
        diag_help(s->ctx, d, "compare it: e != 0");
        return NULL;
    }
    return expr_cast(s->g, t, x);
}

/* ---- the language's functions ---- */

static const Expr *literal(Sema *s, int64_t v) { return expr_literal(s->g, false, v, 0); }

/* flat(b..., n): the row-major index of the variables, all of which begin at 0. */
static const Expr *flat(Sema *s, Env env, const AstExpr *e) {
    const Expr *r = NULL;
    for (int i = 0; i < e->items->v.n; i++) {
        const AstItem *it = &e->items->v.at[i];
        Sym name = it->kind == ITEM_PACK                                  ? it->name
                   : it->kind == ITEM_EXPR && it->value->kind == AST_NAME ? it->value->name
                                                                          : NULL;
        const Scope *sc = name ? sema_scope_find(env.scope, name) : NULL;
        if (!sc || sc->kind != SCOPE_VARS) {
            SEMA_REPORT(s, ARGUMENTS, it->span, "flat takes index variables");
            return NULL;
        }
        for (int k = 0; k < sc->n; k++) {
            const Var *v = sc->vars[k];
            const Expr *x = expr_var(s->g, sc->vars[k]);
            if (!v->lo || !v->hi || v->lo != expr_int(s->g, TY_I64, 0)) {
                SEMA_REPORT(s, ARGUMENTS, it->span, "flat takes index variables that begin at 0");
                return NULL;
            }
            r = r ? expr2(s->g, OP_ADD, expr2(s->g, OP_MUL, r, v->hi), x) : x;
        }
    }
    return r ? r : expr_int(s->g, TY_I64, 0);
}

static const Expr *fold_left(Sema *s, const AstExpr *e, Op op, const Operands *a) {
    const Expr *r = a->at[0];
    for (int i = 1; i < a->n; i++) r = sema_apply(s, e->span, op, (const Expr *[]){r, a->at[i]}, 2);
    return r;
}

/* The operator of ir/ops.def that is called so, on operands that are not worked out yet; *known: there is one. */
static const Expr *called_operator(Sema *s, Env env, const AstExpr *e, Sym name, bool *known) {
    Operands a;
    for (int op = 0; op < OP_COUNT; op++) {
        if (op_form((Op)op) != FORM_CALL || strcmp(op_text((Op)op), name) != 0) continue;
        *known = true;
        if (!operands(s, env, e, &a)) return NULL;
        if (a.n != op_arity((Op)op)) return count_error(s, e, name, op_arity((Op)op), a.n);
        return sema_apply(s, e->span, (Op)op, a.at, a.n);
    }
    return NULL;
}

/* max(a, b, ...) and min(a, b, ...). */
static const Expr *largest(Sema *s, Env env, const AstExpr *e, Sym name, Op op) {
    Operands a;
    if (e->items->v.n < 2 || e->items->v.at[1].kind == ITEM_NAMED) return sema_no_axis(s, env, e, name, NULL);
    return operands(s, env, e, &a) ? fold_left(s, e, op, &a) : NULL;
}

static const Expr *builtin(Sema *s, Env env, const AstExpr *e, Sym name, bool *known) {
    Operands a = {0};
    Builtin b = builtin_by_name(name);
    *known = builtin_is_later(b) || builtin_kind(b) == BUILTIN_IS_ELEMENT;
    if (builtin_is_later(b)) return sema_not_yet(s, e->span, name);
    if (*known && builtin_arity(b) >= 0) {
        if (!operands(s, env, e, &a)) return NULL;
        if (a.n != builtin_arity(b)) return count_error(s, e, name, builtin_arity(b), a.n);
    }
    switch (b) {
    case BUILTIN_FLAT: return flat(s, env, e);
    case BUILTIN_PAD: return sema_pad(s, env, e);
    case BUILTIN_MAX: return largest(s, env, e, name, OP_MAX);
    case BUILTIN_MIN: return largest(s, env, e, name, OP_MIN);
    case BUILTIN_RELU: return sema_apply(s, e->span, OP_MAX, (const Expr *[]){a.at[0], literal(s, 0)}, 2);
    case BUILTIN_IDENTITY: return a.at[0];
    case BUILTIN_CLAMP: {
        const Expr *lower = sema_apply(s, e->span, OP_MAX, a.at, 2);
        return sema_apply(s, e->span, OP_MIN, (const Expr *[]){lower, a.at[2]}, 2);
    }
    case BUILTIN_NONE: return called_operator(s, env, e, name, known);
    case BUILTIN_NEW: /* of no elements */
    case BUILTIN_MEAN:
#define BUILTIN(NAME, name, kind, arity)
#define RANKING(NAME, name, way, operands, results) case BUILTIN_##NAME:
#define LATER(NAME, name, kind, instead) case BUILTIN_##NAME:
#include "frontend/ast/builtins.def"
#undef BUILTIN
#undef RANKING
#undef LATER
    case BUILTIN_COUNT: break;
    }
    return NULL;
}

/* ---- scalar functions of the source ---- */

static bool result_type(Sema *s, Inst *inst, Span span, const Expr **v) {
    const AstType *rt = inst->fn->result_type;
    Type t;
    if (!rt) return true;
    if (rt->dims) {
        Diag *d = SEMA_REPORT(s, MISPLACED, rt->span, "a result that is a tensor has a name");
        diag_help(s->ctx, d, "write -> (y: %s)", sema_quote(s, rt->span));
        return false;
    }
    if (!strcmp(rt->name, "int"))
        t = TY_I64;
    else if (!sema_type(s, inst, rt->name, rt->args, rt->span, &t))
        return false;
    bool rounds = type_is_float(t) && (*v)->type == type_acc(t);
    *v = rounds ? expr_cast(s->g, t, *v) : sema_to(s, span, t, *v);
    return *v != NULL;
}

static const Expr *let_part(Sema *s, Env env, const AstStmt *st, int part) {
    if (!st->tuple) return sema_expr(s, env, st->value);
    if (sema_is_reduction(env, st->value)) return sema_reduce(s, env, st->value, part);
    if (st->value->kind == AST_TUPLE && part < st->value->items->v.n && st->value->items->v.at[part].value)
        return sema_expr(s, env, st->value->items->v.at[part].value);
    if (st->value->kind != AST_ERROR)
        SEMA_REPORT(s, RESULT_COUNT, st->value->span, "there are fewer values than the %d names", st->targets.n);
    return NULL;
}

static const Expr *let_type(Sema *s, Env env, const AstStmt *st, const AstTarget *t, const Expr *v) {
    Type type;
    if (!v || !t->type) return v;
    if (!sema_type(s, env.inst, t->type, t->type_args, t->span, &type)) return NULL;
    return type_is_float(type) && type_is_float(v->type) && !v->untyped ? expr_cast(s->g, type, v)
                                                                        : sema_to(s, st->value->span, type, v);
}

static bool body_let(Sema *s, Env *env, const AstStmt *st, Sym name_of) {
    Env from = *env;
    for (int i = 0; i < st->targets.n; i++) {
        const AstTarget *t = &st->targets.at[i];
        if (!strcmp(t->name, "_")) continue;
        const Expr *v = let_type(s, from, st, t, let_part(s, from, st, i));
        if (!v) return false;
        v = sema_lift(s, sym_fmt(s->ctx, "%s_%s", s->defining ? s->defining : name_of, t->name), v);
        env->scope = sema_scope_value(s, env->scope, t->name, v);
    }
    return true;
}

static bool body_stmt(Sema *s, const AstStmt *st, const AstDecl *fn) {
    bool subscripts = st->guard != NULL;
    for (int i = 0; i < st->targets.n; i++) subscripts |= st->targets.at[i].index != NULL;
    if (st->kind == STMT_LET && !subscripts) return true;
    Diag *d = SEMA_REPORT(s, MISPLACED, st->span, "a body on elements has lets without subscripts, then return");
    if (fn->kind == DECL_FN)
        diag_help(s->ctx, d, "a function of tensors names its results: fn %s(...) -> (y: f32[N]) { ... }", fn->name);
    return false;
}

const AstExpr *sema_body_return(Sema *s, Env *env) {
    const AstDecl *fn = env->inst->fn;
    for (int i = 0; fn->body && i < fn->body->v.n; i++) {
        const AstStmt *st = fn->body->v.at[i];
        if (st->kind == STMT_RETURN) return st->value;
        if (!body_stmt(s, st, fn) || !body_let(s, env, st, fn->name)) return NULL;
    }
    if (fn->value) return fn->value;
    SEMA_REPORT(s, NO_RETURN, fn->name_span, "%s returns nothing", fn->name);
    return NULL;
}

/* A generic type of a scalar function is the type of the first argument that has it. */
static bool param_type(Sema *s, Inst *inst, const AstParam *p, const Expr *v, Type *t) {
    for (int g = 0; inst->fn->generics && !p->type->args && g < inst->fn->generics->v.n; g++) {
        const AstGeneric *gen = &inst->fn->generics->v.at[g];
        if (gen->kind != GENERIC_TYPE || gen->name != p->type->name || sema_name(inst, gen->name)) continue;
        Name *n = sema_bind(s, inst, gen->name, NAME_TYPE, gen->span);
        if (n) n->type = expr_settle(s->g, v)->type;
    }
    return sema_type(s, inst, p->type->name, p->type->args, p->type->span, t);
}

static bool bind_params(Sema *s, Env env, Inst *inst, const AstExpr *call, const Scope **scope) {
    const AstDecl *fn = inst->fn;
    int n = fn->params ? fn->params->v.n : 0;
    const AstExpr **arg = NEW_N(s->ctx, const AstExpr *, n + 1);
    if (!sema_match_args(s, fn, call->items, call->span, arg)) return false;
    bool ok = sema_bind_generics(s, inst, call->items, env, false);
    for (int i = 0; i < n; i++) {
        const AstParam *p = &fn->params->v.at[i];
        const AstExpr *from = arg[i] ? arg[i] : p->def;
        Env at = arg[i] ? env : (Env){inst, *scope};
        Type t;
        bool is_int = p->type && !strcmp(p->type->name, "int");
        const Expr *v = is_int ? sema_int(s, at, from) : sema_expr(s, at, from);
        if (v && arg[i] && !v->untyped) sema_given(s, inst, from->span, v->type, -1);
        if (v && p->type && !is_int) v = param_type(s, inst, p, v, &t) ? sema_to(s, from->span, t, v) : NULL;
        if (!v)
            ok = false;
        else
            *scope = sema_scope_value(s, *scope, p->name, v);
    }
    return ok;
}

const Expr *sema_fn_value(Sema *s, Env env) {
    const AstDecl *fn = env.inst->fn;
    const AstExpr *e = sema_body_return(s, &env);
    const Expr *v = e ? sema_expr(s, env, e) : NULL;
    return v && result_type(s, env.inst, fn->value ? fn->value->span : fn->name_span, &v) ? v : NULL;
}

static const Expr *inline_call(Sema *s, Env env, const AstExpr *e, FnRef f) {
    if (f.decl->is_extern) return sema_not_yet(s, e->span, "an extern function");
    if (sema_is_tensor_fn(f.decl)) {
        Diag *d = SEMA_REPORT(s, WHOLE_TENSOR, e->span, "%s gives a tensor; one element is needed here", f.decl->name);
        diag_help(s->ctx, d, "take an element, %s(...)[i], or name it: let t = %s(...);", f.decl->name, f.decl->name);
        return NULL;
    }
    for (int i = 0; f.decl->params && i < f.decl->params->v.n; i++) {
        const AstType *type = f.decl->params->v.at[i].type;
        if (!type || !type->dims) continue;
        Inst *bound = sema_bind_call(s, env, e, f);
        s->inst = bound;
        const Expr *v = bound ? sema_fn_value(s, (Env){bound, NULL}) : NULL;
        s->inst = env.inst;
        return v;
    }
    Inst *inst = sema_inst_new(s, f, env.inst, e->span);
    const Scope *scope = NULL;
    if (!inst) return NULL;
    s->inst = inst;
    const Expr *v = bind_params(s, env, inst, e, &scope) ? sema_fn_value(s, (Env){inst, scope}) : NULL;
    s->inst = env.inst;
    return v;
}

/* ---- calls ---- */

static const Expr *unknown_call(Sema *s, Env env, const AstExpr *e) {
    Sym name = e->a->name;
    if (sema_scope_find(env.scope, name) || sema_name(env.inst, name)) {
        SEMA_REPORT(s, NOT_A_FUNCTION, e->a->span, "%s is no function", name);
        return NULL;
    }
    if (builtin_is_reduction(name) && e->items) return sema_no_axis(s, env, e, name, NULL);
    sema_unknown_function(s, env, name, e->a->span);
    return NULL;
}

const Expr *sema_call(Sema *s, Env env, const AstExpr *e) {
    const AstExpr *callee = e->a;
    Type t;
    if (callee->kind == AST_ERROR) return NULL;
    if (callee->kind == AST_CALL && callee->a->kind == AST_NAME && !strcmp(callee->a->name, "acc"))
        return sema_type(s, env.inst, callee->a->name, callee->items, callee->span, &t) ? cast(s, env, e, t) : NULL;
    if (callee->kind == AST_INDEX && callee->a->kind == AST_NAME) {
        AstExpr name = *callee->a;
        AstExpr call = {.kind = AST_CALL, .span = e->span, .a = &name};
        return unknown_call(s, env, &call);
    }
    if (callee->kind != AST_NAME) return sema_not_called(s, e);
    if (!sema_scope_find(env.scope, callee->name) && sema_is_type(env.inst, callee->name))
        return sema_type(s, env.inst, callee->name, NULL, callee->span, &t) ? cast(s, env, e, t) : NULL;
    FnRef f;
    bool known;
    Sym name = callee->name;
    if (sema_find_fn(env.inst, name, &f)) {
        if (f.decl) return inline_call(s, env, e, f);
        name = f.builtin;
    }
    const Expr *v = builtin(s, env, e, name, &known);
    return known ? v : unknown_call(s, env, e);
}
