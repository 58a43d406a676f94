/* Names: what a function's instance binds, what scopes inside an equation bind, and types by name. */
#include "frontend/ast/builtins.h"
#include "frontend/ast/foreign.h"
#include "sema_int.h"

#include <string.h>

static AstDecl *own_decl(FileScope *f, AstDeclKind kind, Sym name) { return expr_map_object(&f->decls[kind], name); }

/* In the file itself, then in its imports, the last one first; imports of imports are not visible. */
bool sema_find_decl(FileScope *file, AstDeclKind kind, Sym name, FnRef *out) {
    AstDecl *d = own_decl(file, kind, name);
    FileScope *at = file;
    for (int i = file->imports.n - 1; !d && i >= 0; i--) {
        at = file->imports.at[i];
        d = own_decl(at, kind, name);
    }
    if (!d) return false;
    *out = (FnRef){.file = at, .decl = d};
    return true;
}

Name *sema_name(Inst *inst, Sym name) {
    intptr_t at = expr_map_number(&inst->name_at, name, -1);
    return at >= 0 ? &inst->names.at[at] : NULL;
}

Name *sema_bind(Sema *s, Inst *inst, Sym name, NameKind kind, Span span) {
    Name *old = sema_name(inst, name);
    if (old) {
        Diag *d = SEMA_REPORT(s, DUPLICATE_NAME, span, "%s is defined twice", name);
        diag_note(s->ctx, d, old->span, "first here");
        return NULL;
    }
    vec_push(s->ctx, &inst->names, ((Name){.name = name, .kind = kind, .span = span}));
    expr_map_put_number(s->ctx, &inst->name_at, name, inst->names.n - 1);
    return &inst->names.at[inst->names.n - 1];
}

Sym sema_free_name(Sema *s, Sym name) {
    while (sema_name(s->entry, name)) name = sym_fmt(s->ctx, "%s_", name);
    return name;
}

void sema_warn_hidden(Sema *s, Inst *inst, Sym name, Span span) {
    Name *n = sema_name(inst, name);
    if (n && (n->kind == NAME_TENSOR || n->kind == NAME_DEF))
        SEMA_REPORT(s, HIDES, span, "the index variable %s hides the tensor of this name inside this equation", name);
}

const Scope *sema_scope_find(const Scope *scope, Sym name) {
    for (; scope; scope = scope->up)
        if (scope->name == name && !scope->owner) return scope;
    return NULL;
}

const Scope *sema_scope_push(Sema *s, const Scope *up, Scope entry) {
    Scope *n = NEW(s->ctx, Scope);
    *n = entry;
    n->up = up;
    return n;
}

const Scope *sema_scope_pack(Sema *s, const Scope *up, Sym name, Var **vars, int n) {
    return sema_scope_push(s, up, (Scope){.kind = SCOPE_VARS, .name = name, .pack = true, .n = n, .vars = vars});
}

const Scope *sema_scope_var(Sema *s, const Scope *up, Sym name, Var *v) {
    Var **vars = NEW(s->ctx, Var *);
    vars[0] = v;
    return sema_scope_push(s, up, (Scope){.kind = SCOPE_VARS, .name = name, .n = 1, .vars = vars});
}

const Scope *sema_scope_value(Sema *s, const Scope *up, Sym name, const Expr *value) {
    return sema_scope_push(s, up, (Scope){.kind = SCOPE_VALUE, .name = name, .value = value});
}

typedef VEC(const char *) Candidates;

static void file_candidates(Sema *s, FileScope *f, Candidates *out) {
    for (int i = 0; i < f->ast->decls.n; i++) {
        const AstDecl *d = f->ast->decls.at[i];
        if ((d->kind == DECL_FN || d->kind == DECL_REDUCE) && d->name) vec_push(s->ctx, out, d->name);
    }
}

static const char *near_name(Sema *s, Env env, Sym name) {
    Candidates c = {0};
    bool quiet = diag_full(s->ctx);
    for (const Scope *x = env.scope; x && !quiet; x = x->up)
        if (!x->owner) vec_push(s->ctx, &c, x->name);
    for (int i = 0; i < env.inst->names.n && !quiet; i++) vec_push(s->ctx, &c, env.inst->names.at[i].name);
    if (!quiet) file_candidates(s, env.inst->file, &c);
    return diag_near(name, c.at, c.n);
}

/* The same of a name that stands in a subscript: an index variable is meant. */
static void unbound(Sema *s, const char *near, Sym name, Span span) {
    Diag *d = SEMA_REPORT(s, UNBOUND_INDEX, span, "nothing binds the index variable %s", name);
    if (near && strlen(name) > 2) diag_suggest(s->ctx, d, span, near);
    diag_help(s->ctx, d,
              "to sum over it write sum[%s](...); to have an element for each of its values, put it on the "
              "left-hand side: [..., %s] = ...",
              name, name);
}

/* A name that is unknown stands in several places of an equation: one mistake. */
static bool said(Sema *s, Sym name) {
    if (diag_full(s->ctx)) return false; /* counted only */
    for (int i = 0; i < s->unknown.n; i++)
        if (s->unknown.at[i].name == name && s->unknown.at[i].defining == s->defining) return true;
    vec_push(s->ctx, &s->unknown, ((UnknownName){name, s->defining}));
    return false;
}

void sema_unknown(Sema *s, Env env, Sym name, Span span) {
    if (said(s, name)) return;
    const char *near = near_name(s, env, name);
    if (s->in_subscript && !(near && strlen(name) > 2)) {
        unbound(s, near, name, span);
        return;
    }
    Diag *d = SEMA_REPORT(s, UNKNOWN_NAME, span, "unknown name %s", name);
    const char *instead = foreign_value(name);
    if (near)
        diag_suggest(s->ctx, d, span, near);
    else if (instead)
        diag_help(s->ctx, d, "%s", instead);
}

/* Functions of the file and of those that it imports. */
static void function_candidates(Sema *s, FileScope *f, Candidates *out) {
    file_candidates(s, f, out);
    for (int i = 0; i < f->imports.n; i++) file_candidates(s, f->imports.at[i], out);
}

/* The module of the standard library that has the function, or NULL. */
static const char *module_with(Sema *s, FileScope *f, Sym name) {
    static const char *const modules[] = {"nn", "norm", "linalg", "index", "conv", "attn", "optim", "yolo"};
    for (size_t i = 0; s->opt && s->opt->import && i < sizeof modules / sizeof *modules; i++) {
        const AstFile *a = s->opt->import(s->opt->user, s->ctx, modules[i], f->ast->file, SPAN_NONE);
        for (int k = 0; a && k < a->decls.n; k++)
            if (a->decls.at[k]->kind == DECL_FN && a->decls.at[k]->name == name) return modules[i];
    }
    return NULL;
}

/* sum_j and the like: the reduction's name, or NULL. */
static Sym reduction_in(Sema *s, Sym name) {
    const char *end = strchr(name, '_');
    Sym reduction = end ? sym_n(s->ctx, name, (size_t)(end - name)) : NULL;
    return reduction && builtin_is_reduction(reduction) ? reduction : NULL;
}

void sema_unknown_function(Sema *s, Env env, Sym name, Span span) {
    Candidates c = {0};
    bool quiet = diag_full(s->ctx);
    const char *builtin;
    for (int i = 0; !quiet && (builtin = builtin_function(i)); i++) vec_push(s->ctx, &c, builtin);
    for (int i = 0; i < TY_COUNT && !quiet; i++) vec_push(s->ctx, &c, type_name((Type)i));
    if (!quiet) function_candidates(s, env.inst->file, &c);
    Diag *d = SEMA_REPORT(s, UNKNOWN_FUNCTION, span, "unknown function %s", name);
    if (quiet) return;
    const char *module = module_with(s, env.inst->file, name), *near = module ? NULL : diag_near(name, c.at, c.n);
    Sym reduction = reduction_in(s, name);
    const char *type = foreign_type(name), *other = foreign_name(name), *instead = foreign_function(name);
    size_t last = strlen(name) - 1;
    Sym without = name[last] == 'f' ? sym_n(s->ctx, name, last) : NULL; /* expf */
    if (without && foreign_name(without)) without = sym(s->ctx, foreign_name(without));
    if (without && !builtin_is_function(without)) without = NULL;
    if (type) {
        diag_fix(s->ctx, d, span, type, "a cast is a call of the type: %s(...)", type);
    } else if (without || other) {
        diag_suggest(s->ctx, d, span, without ? without : other);
    } else if (module) {
        diag_help(s->ctx, d, "it is in the standard library: import \"%s\";", module);
    } else if (reduction) {
        diag_help(s->ctx, d, "a reduction has its index in brackets: %s[%s](...)", reduction, strchr(name, '_') + 1);
    } else if (instead) {
        diag_help(s->ctx, d, "%s", instead);
    } else if (near) {
        diag_suggest(s->ctx, d, span, near);
    }
}

bool sema_is_type(Inst *inst, Sym name) {
    Type t;
    Name *n = sema_name(inst, name);
    return (n && n->kind == NAME_TYPE) || type_by_name(name, &t);
}

bool sema_type(Sema *s, Inst *inst, Sym name, const AstItems *args, Span span, Type *t) {
    if (args) {
        if (strcmp(name, "acc") != 0 || args->v.n != 1 || args->v.at[0].kind != ITEM_EXPR) {
            if (!strcmp(name, "acc"))
                SEMA_REPORT(s, UNKNOWN_TYPE, span, "acc takes one type: acc(T)");
            else
                sema_not_yet(s, span, "a struct");
            return false;
        }
        const AstExpr *a = args->v.at[0].value;
        if (a->kind != AST_NAME) {
            if (a->kind != AST_ERROR) SEMA_REPORT(s, UNKNOWN_TYPE, a->span, "acc takes a type");
            return false;
        }
        if (!sema_type(s, inst, a->name, NULL, a->span, t)) return false;
        *t = type_acc(*t);
        return true;
    }
    Name *n = sema_name(inst, name);
    if (n && n->kind == NAME_TYPE) {
        *t = n->type;
        return true;
    }
    if (type_by_name(name, t)) return true;
    FnRef f;
    if (sema_find_decl(inst->file, DECL_STRUCT, name, &f)) {
        sema_not_yet(s, span, "a struct");
        return false;
    }
    const char *all[TY_COUNT];
    for (int i = 0; i < TY_COUNT; i++) all[i] = type_name((Type)i);
    const char *near = foreign_type(name);
    if (!near) near = diag_near(name, all, TY_COUNT);
    Diag *d = SEMA_REPORT(s, UNKNOWN_TYPE, span, "unknown type %s", name);
    if (near) diag_suggest(s->ctx, d, span, near);
    return false;
}

bool sema_find_fn(Inst *inst, Sym name, FnRef *out) {
    Name *n = sema_name(inst, name);
    if (n && n->kind == NAME_FN) {
        *out = n->fn;
        return true;
    }
    return sema_find_decl(inst->file, DECL_FN, name, out);
}
