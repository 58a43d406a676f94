/* Semantic analysis of a file: its imports, its exports one by one, its checks. */
#include "frontend/ast/ast_walk.h"
#include "frontend/ast/builtins.h"
#include "sema_int.h"

#include <string.h>

static FileScope *file_scope(Sema *s, AstFile *ast) {
    for (int i = 0; i < s->files.n; i++)
        if (s->files.at[i]->ast == ast) return s->files.at[i];
    FileScope *f = NEW(s->ctx, FileScope);
    f->ast = ast;
    for (int i = 0; i < ast->decls.n; i++) {
        AstDecl *d = ast->decls.at[i];
        if (d->kind == DECL_REQUIRE || d->kind == DECL_ASSUME) vec_push(s->ctx, &f->facts, d);
        if (d->kind == DECL_OPTION) vec_push(s->ctx, &f->options, d);
        if (d->kind == DECL_ORDER && !f->order) f->order = d;
        ExprMap *named = &f->decls[d->kind];
        if (d->name && !expr_map_object(named, d->name)) expr_map_put_object(s->ctx, named, d->name, d);
    }
    vec_push(s->ctx, &s->files, f);
    return f;
}

/* s->files grows while this walks it: imports of imports. */
static void resolve_imports(Sema *s) {
    for (int i = 0; i < s->files.n; i++) {
        FileScope *f = s->files.at[i];
        for (int k = 0; k < f->ast->decls.n; k++) {
            AstDecl *d = f->ast->decls.at[k];
            if (d->kind != DECL_IMPORT) continue;
            AstFile *ast =
                s->opt && s->opt->import ? s->opt->import(s->opt->user, s->ctx, d->text, f->ast->file, d->span) : NULL;
            if (!ast) {
                Diag *g = SEMA_REPORT(s, UNKNOWN_IMPORT, d->span, "cannot find %s", d->text);
                if (strncmp(d->text, "./", 2) != 0 && strncmp(d->text, "../", 3) != 0)
                    diag_help(s->ctx, g, "a file beside this one is imported with import \"./%s.td\";", d->text);
                continue;
            }
            FileScope *in = file_scope(s, ast);
            in->library |= d->text[0] != '.' && d->text[0] != '/' && in != s->root;
            vec_push(s->ctx, &f->imports, in);
        }
    }
}

static bool is_callable(const AstDecl *d) {
    return d->kind == DECL_FN || d->kind == DECL_EXPORT || d->kind == DECL_REDUCE || d->kind == DECL_STRUCT;
}

static void check_duplicates(Sema *s, FileScope *f) {
    ExprMap first = {0};
    for (int i = 0; i < f->ast->decls.n; i++) {
        AstDecl *d = f->ast->decls.at[i];
        if (!is_callable(d) || !d->name) continue;
        const AstDecl *o = expr_map_get(&first, d->name);
        if (!o) {
            expr_map_put(s->ctx, &first, d->name, d);
            continue;
        }
        Diag *g = SEMA_REPORT(s, DUPLICATE_NAME, d->name_span, "%s is defined twice", d->name);
        diag_note(s->ctx, g, o->name_span, "first here");
    }
}

/* ---- facts at the top ---- */

typedef VEC(const AstExpr *) NameVec;

typedef struct Named {
    Ctx *ctx;
    NameVec *out;
} Named;

static AstStep add_name(void *user, const AstExpr *e) {
    const Named *x = user;
    if (e->kind == AST_CALL) return ast_walk_items(e->items, add_name, user), AST_PAST;
    if (e->kind == AST_NAME) vec_push(x->ctx, x->out, e);
    return AST_INTO;
}

static void add_names(Ctx *ctx, const AstExpr *e, NameVec *out) { ast_walk(e, add_name, &(Named){ctx, out}); }

/* The names of a function's header. */
static void add_header_names(Ctx *ctx, const AstDecl *fn, NameVec *out, ExprMap *seen) {
    NameVec all = {0};
    const AstParams *lists[] = {fn->params, fn->results};
    for (int k = 0; k < 2; k++)
        for (int i = 0; lists[k] && i < lists[k]->v.n; i++) {
            const AstType *t = lists[k]->v.at[i].type;
            AstExpr *own = NEW(ctx, AstExpr);
            *own = (AstExpr){.kind = AST_NAME, .name = lists[k]->v.at[i].name};
            if (own->name) vec_push(ctx, &all, own);
            for (int n = 0; t && t->dims && n < t->dims->v.n; n++) add_names(ctx, t->dims->v.at[n].value, &all);
        }
    for (int i = 0; fn->generics && i < fn->generics->v.n; i++) {
        AstExpr *own = NEW(ctx, AstExpr);
        *own = (AstExpr){.kind = AST_NAME, .name = fn->generics->v.at[i].name};
        vec_push(ctx, &all, own);
    }
    for (int i = 0; i < all.n; i++) {
        if (expr_map_get(seen, all.at[i]->name)) continue;
        expr_map_put(ctx, seen, all.at[i]->name, all.at[i]);
        vec_push(ctx, out, all.at[i]);
    }
}

static void report_idle_fact(Sema *s, const AstDecl *d, const AstExpr *unknown, const NameVec *known) {
    const char *what = d->kind == DECL_ASSUME ? "assume" : "require";
    if (!unknown) {
        Diag *g = SEMA_REPORT(s, IDLE_FACT, d->span, "no function of this file has all the names of this %s", what);
        diag_help(s->ctx, g, "state it in the functions that it is about");
        return;
    }
    VEC(const char *) c = {0};
    for (int i = 0; i < known->n; i++) vec_push(s->ctx, &c, known->at[i]->name);
    const char *near = diag_near(unknown->name, c.at, c.n);
    Diag *g = SEMA_REPORT(s, IDLE_FACT, unknown->span, "no function of this file has %s in its header", unknown->name);
    if (near)
        diag_suggest(s->ctx, g, unknown->span, near);
    else
        diag_help(s->ctx, g,
                  "a fact at the top speaks of dimensions; one on data or on names of a body stands in a function");
}

/* A fact at the top holds for the functions that have its names: there must be one. */
static void check_facts(Sema *s, const FileScope *f) {
    for (int i = 0; i < f->facts.n; i++) {
        NameVec names = {0}, known = {0};
        ExprMap somewhere = {0};
        bool used = false;
        add_names(s->ctx, f->facts.at[i]->stmt->value, &names);
        for (int k = 0; k < f->ast->decls.n && !used; k++) {
            const AstDecl *fn = f->ast->decls.at[k];
            NameVec own = {0};
            ExprMap here = {0};
            if (fn->kind != DECL_FN) continue;
            add_header_names(s->ctx, fn, &own, &here);
            used = true;
            for (int n = 0; n < names.n && used; n++) used = expr_map_get(&here, names.at[n]->name) != NULL;
            for (int n = 0; n < own.n; n++) {
                if (expr_map_get(&somewhere, own.at[n]->name)) continue;
                expr_map_put(s->ctx, &somewhere, own.at[n]->name, own.at[n]);
                vec_push(s->ctx, &known, own.at[n]);
            }
        }
        if (used) continue;
        const AstExpr *unknown = NULL;
        for (int n = names.n - 1; n >= 0; n--)
            if (!expr_map_get(&somewhere, names.at[n]->name)) unknown = names.at[n];
        report_idle_fact(s, f->facts.at[i], unknown, &known);
    }
}

static void add_graph(Sema *s, Graph *g) {
    if (g) vec_push(s->ctx, &s->module->graphs, g);
}

/* export name = f(T = f32, B = [M]); */
static void export_instance(Sema *s, AstDecl *d) {
    AstExpr *v = d->value;
    if (!v || v->kind == AST_ERROR) return;
    const AstExpr *callee = v->kind == AST_CALL ? v->a : v;
    if (callee->kind == AST_CALL) {
        sema_not_called(s, v);
        return;
    }
    if (callee->kind != AST_NAME) {
        Diag *g = SEMA_REPORT(s, MISPLACED, v->span, "an export is an instance of a function");
        diag_help(s->ctx, g, "export %s = f(T = f32); a function of its own is export fn %s(...) ...", d->name,
                  d->name);
        return;
    }
    FnRef f;
    if (builtin_kind(builtin_by_name(callee->name)) == BUILTIN_IS_FUNCTION) {
        sema_not_yet(s, v->span, callee->name);
        return;
    }
    if (!sema_find_decl(s->root, DECL_FN, callee->name, &f)) {
        sema_unknown_function(s, (Env){.inst = &(Inst){.file = s->root}}, callee->name, callee->span);
        return;
    }
    add_graph(s, sema_export(s, f.file, f.decl, d));
}

static void visit(Sema *s, AstDecl *d) {
    switch (d->kind) {
    case DECL_FN:
        if (d->is_extern)
            sema_not_yet(s, d->span, "an extern function");
        else if (d->is_export)
            add_graph(s, sema_export(s, s->root, d, d));
        break;
    case DECL_EXPORT: export_instance(s, d); break;
    case DECL_STRUCT: sema_not_yet(s, d->span, "a struct"); break;
    case DECL_OPTION: sema_option(s, d->stmt, &(Options){0}); break;
    case DECL_IMPORT:
    case DECL_DIM:
    case DECL_ORDER:
    case DECL_REDUCE:
    case DECL_REQUIRE:
    case DECL_ASSUME:
    case DECL_CHECK:
    case DECL_BENCH: break;
    }
}

Module *sema_module(Ctx *ctx, AstFile *file, const SemaOptions *opt) {
    Sema *s = NEW(ctx, Sema);
    s->ctx = ctx;
    s->opt = opt;
    s->module = NEW(ctx, Module);
    s->module->ctx = ctx;
    s->root = file_scope(s, file);
    resolve_imports(s);
    check_duplicates(s, s->root);
    check_facts(s, s->root);
    for (int i = 0; i < file->decls.n; i++) visit(s, file->decls.at[i]);
    for (int i = 0; i < file->decls.n; i++)
        if (file->decls.at[i]->kind == DECL_CHECK || file->decls.at[i]->kind == DECL_BENCH)
            sema_check_stmt(s, file->decls.at[i]);
    sema_bench_hints(s);
    sema_report_idle_dims(s);
    return s->module;
}
