/* What is given for a function's parameters in <>: types, integers, truth values, functions. */
#include "frontend/ast/builtins.h"
#include "sema_int.h"

static bool bind_fn(Sema *s, Inst *inst, const AstGeneric *g, const AstExpr *v, Env env) {
    if (v->kind != AST_NAME) {
        if (v->kind != AST_ERROR) SEMA_REPORT(s, ARGUMENTS, v->span, "%s is a function: give its name", g->name);
        return false;
    }
    FnRef f = {0};
    if (!sema_find_fn(env.inst, v->name, &f)) f.builtin = v->name;
    if (!f.decl && !builtin_is_function(f.builtin)) {
        sema_unknown_function(s, env, v->name, v->span);
        return false;
    }
    Name *n = sema_bind(s, inst, g->name, NAME_FN, g->span);
    if (n) n->fn = f;
    return n != NULL;
}

static bool bind_static(Sema *s, Inst *inst, const AstGeneric *g, const AstExpr *v, Env env) {
    const Expr *e = sema_expr(s, env, v);
    if (!e) return false;
    int64_t k;
    e = expr_settle(s->g, e);
    bool is_bool = e->type == TY_BOOL;
    if (!sema_const_int(e, &k) || is_bool != (g->kind == GENERIC_BOOL)) {
        SEMA_REPORT(s, NOT_CONSTANT, v->span, "%s is a static parameter: %s is needed", g->name,
                    g->kind == GENERIC_BOOL ? "true or false" : "an integer known when compiling");
        return false;
    }
    Name *n = sema_bind(s, inst, g->name, NAME_VALUE, g->span);
    if (n) n->value = expr_int(s->g, is_bool ? TY_BOOL : TY_I64, k);
    return n != NULL;
}

static bool bind_generic(Sema *s, Inst *inst, const AstGeneric *g, const AstExpr *v, Env env) {
    if (g->kind == GENERIC_FN) return bind_fn(s, inst, g, v, env);
    if (g->kind != GENERIC_TYPE) return bind_static(s, inst, g, v, env);
    Type t;
    const AstItems *args = v->kind == AST_CALL ? v->items : NULL;
    const AstExpr *name = args ? v->a : v;
    if (name->kind != AST_NAME) {
        if (name->kind != AST_ERROR) SEMA_REPORT(s, UNKNOWN_TYPE, v->span, "%s is a type: give its name", g->name);
        return false;
    }
    if (!sema_type(s, env.inst, name->name, args, v->span, &t)) return false;
    Name *n = sema_bind(s, inst, g->name, NAME_TYPE, g->span);
    if (n) n->type = t;
    return n != NULL;
}

bool sema_bind_generics(Sema *s, Inst *inst, const AstItems *args, Env env, bool is_export) {
    const AstDecl *fn = inst->fn;
    bool ok = true;
    for (int i = 0; fn->generics && i < fn->generics->v.n; i++) {
        const AstGeneric *g = &fn->generics->v.at[i];
        const AstExpr *v = sema_named_arg(args, g->name);
        if (v) {
            ok &= bind_generic(s, inst, g, v, env);
        } else if (g->def && (g->kind != GENERIC_TYPE || is_export)) {
            ok &= bind_generic(s, inst, g, g->def, (Env){inst, NULL});
        } else if (is_export) {
            Span span = fn->is_export ? g->span : s->g->span;
            Diag *d = SEMA_REPORT(s, GENERIC_EXPORT, span, "an export needs a value for %s of %s", g->name, fn->name);
            const char *value = g->kind == GENERIC_TYPE ? "f32" : g->kind == GENERIC_BOOL ? "true" : "1";
            if (fn->is_export)
                diag_help(s->ctx, d,
                          "leave out `export` before fn, and behind the function write export %s_%s = %s(%s = %s);",
                          fn->name, value, fn->name, g->name, value);
            else
                diag_help(s->ctx, d, "export %s_%s = %s(%s = %s);", fn->name, value, fn->name, g->name, value);
            ok = false;
        } else if (g->kind != GENERIC_TYPE) {
            SEMA_REPORT(s, UNKNOWN_GENERIC, inst->fn->name_span, "%s is not given and has no default", g->name);
            ok = false;
        }
    }
    return ok;
}
