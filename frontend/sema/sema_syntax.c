/* Questions about the syntax tree: of what kind an expression is by its form, and which names stand in it. */
#include "frontend/ast/ast_walk.h"
#include "frontend/ast/builtins.h"
#include "sema_int.h"

bool sema_is_tensor_fn(const AstDecl *fn) { return fn->results != NULL; }

/* name[vars](operands), where name is no tensor or function of the source. */
bool sema_is_reduction(Env env, const AstExpr *e) {
    FnRef f;
    if (e->kind != AST_CALL || e->a->kind != AST_INDEX || e->a->a->kind != AST_NAME) return false;
    Sym name = e->a->a->name;
    if (sema_find_decl(env.inst->file, DECL_REDUCE, name, &f)) return true;
    return monoid_named(NULL, name) || builtin_kind(builtin_by_name(name)) == BUILTIN_IS_REDUCTION;
}

/* ---- names ---- */

static AstStep is_name(void *user, const AstExpr *e) {
    Sym name = user;
    if (e->kind == AST_NAME && e->name == name) return AST_END;
    for (int i = 0; e->items && i < e->items->v.n; i++)
        if (e->items->v.at[i].kind == ITEM_PACK && e->items->v.at[i].name == name) return AST_END;
    return AST_INTO;
}

bool sema_mentions(const AstExpr *e, Sym name) { return ast_walk(e, is_name, (void *)name); }

/* A name, and the variables that are bound after it. */
typedef struct Waiting {
    Sym name;
    const AstItems *items;
    int from;
} Waiting;

/* Whether e takes elements at `name` of what depends on one of these variables. */
static AstStep waits(void *user, const AstExpr *e) {
    const Waiting *w = user;
    for (int i = 0; e->kind == AST_INDEX && e->a->kind != AST_NAME && i < e->items->v.n; i++) {
        const AstExpr *v = e->items->v.at[i].value;
        bool here = v && v->kind == AST_NAME && v->name == w->name;
        for (int k = w->from; here && k < w->items->v.n; k++) {
            const AstItem *it = &w->items->v.at[k];
            Sym other = it->kind == ITEM_EXPR ? it->value->name : it->name;
            if (other && other != w->name && sema_mentions(e->a, other)) return AST_END;
        }
    }
    return AST_INTO;
}

bool sema_range_waits(const AstExpr *e, Sym name, const AstItems *items, int from) {
    return ast_walk(e, waits, &(Waiting){name, items, from});
}

static bool items_name(const AstItems *dims, Sym name) {
    for (int i = 0; dims && i < dims->v.n; i++) {
        const AstItem *it = &dims->v.at[i];
        if (it->kind == ITEM_PACK ? it->name == name : it->value && sema_mentions(it->value, name)) return true;
    }
    return false;
}

bool sema_names_dim(const AstDecl *fn, Sym name) {
    for (int i = 0; fn->params && i < fn->params->v.n; i++)
        if (fn->params->v.at[i].type && items_name(fn->params->v.at[i].type->dims, name)) return true;
    for (int i = 0; fn->results && i < fn->results->v.n; i++)
        if (fn->results->v.at[i].type && items_name(fn->results->v.at[i].type->dims, name)) return true;
    return false;
}

/* A tensor that is no subscript without subscripts of its own. */
static bool is_whole(const Name *n) {
    return (n->kind == NAME_TENSOR && n->tensor->rank > 0) || (n->kind == NAME_DEF && !n->def->is_scalar);
}

static void add_free(Sema *s, Env env, Sym name, bool pack, Span span, FreeNames *out) {
    const Name *bound = sema_name(env.inst, name);
    if (sema_scope_find(env.scope, name) || (bound && !(out->hides && is_whole(bound)))) return;
    for (int i = 0; i < out->n; i++)
        if (out->at[i].name == name) return;
    vec_push(s->ctx, out, ((FreeName){name, pack, span}));
}

void sema_free_names(Sema *s, Env env, const AstExpr *e, bool subscript, FreeNames *out) {
    if (!e) return;
    if (e->kind == AST_NAME && subscript) add_free(s, env, e->name, false, e->span, out);
    if (e->kind == AST_CALL && sema_is_reduction(env, e)) {
        const AstItems *vars = e->a->items;
        for (int i = 0; i < vars->v.n; i++) { /* its own variables are bound */
            const AstItem *it = &vars->v.at[i];
            Sym name = it->kind == ITEM_EXPR && it->value->kind == AST_NAME ? it->value->name : it->name;
            if (name) env.scope = sema_scope_value(s, env.scope, name, NULL);
        }
        for (int i = 0; i < e->items->v.n; i++) sema_free_names(s, env, e->items->v.at[i].value, subscript, out);
        if (vars->guard) sema_free_names(s, env, vars->guard, subscript, out);
        return;
    }
    bool call = e->kind == AST_CALL || e->kind == AST_INDEX;
    if (!(call && e->a->kind == AST_NAME)) sema_free_names(s, env, e->a, subscript, out);
    sema_free_names(s, env, e->b, subscript, out);
    sema_free_names(s, env, e->c, subscript, out);
    for (int i = 0; e->items && i < e->items->v.n; i++) {
        const AstItem *it = &e->items->v.at[i];
        if (it->kind == ITEM_PACK)
            add_free(s, env, it->name, true, it->span, out);
        else
            sema_free_names(s, env, it->value, subscript || e->kind == AST_INDEX, out);
    }
}

/* The index variable in scope that runs over this extent and does not stand in the subscripts, or NULL. */
Sym sema_var_over(Sema *s, const Scope *scope, const Expr *extent, const AstItems *items) {
    for (; scope; scope = scope->up) {
        if (scope->kind != SCOPE_VARS || scope->pack || scope->n != 1 || scope->owner || !scope->vars[0]->hi) continue;
        bool used = false;
        for (int i = 0; items && i < items->v.n; i++)
            used = used || (items->v.at[i].value && sema_mentions(items->v.at[i].value, scope->name));
        if (!used && known_equal(s->known, scope->vars[0]->hi, extent)) return scope->name;
    }
    return NULL;
}
