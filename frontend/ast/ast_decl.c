/* Constructors of declarations, one for each action of the grammar on them; see ast.c. */
#include "frontend/ast/ast_build.h"

#include <string.h>

AstGenerics *ast_generics(Parse *p, AstGenerics *list, AstGeneric g) {
    if (!list) list = NEW(p->ctx, AstGenerics);
    if (list->v.n < PARSE_LIST_MAX) {
        vec_push(p->ctx, &list->v, g);
    } else {
        ast_stop(p, DIAG_LIMIT, g.span, "too many elements in one list", PARSE_LIST_MAX);
    }
    return list;
}

AstGeneric ast_generic(Parse *p, Token name, Token kind, AstExpr *def) {
    AstGeneric g = {GENERIC_TYPE, name.text, ast_token_span(p, name), def};
    if (!kind.text) return g;
    static const struct {
        const char *word;
        AstGenericKind kind;
    } kinds[] = {{"int", GENERIC_INT}, {"bool", GENERIC_BOOL}, {"fn", GENERIC_FN}};
    for (int i = 0; i < 3; i++)
        if (!strcmp(kind.text, kinds[i].word)) {
            g.kind = kinds[i].kind;
            return g;
        }
    Diag *d =
        diag_report(p->ctx, DIAG_MISPLACED, ast_token_span(p, kind), "`%s` is no kind of generic parameter", kind.text);
    diag_help(p->ctx, d, "write <T> for a type, or <K: int>, <b: bool>, <f: fn>");
    return g;
}

AstParams *ast_params(Parse *p, AstParams *list, AstParam a) {
    if (!list) list = NEW(p->ctx, AstParams);
    if (list->v.n < PARSE_LIST_MAX) {
        vec_push(p->ctx, &list->v, a);
    } else {
        ast_stop(p, DIAG_LIMIT, a.span, "too many elements in one list", PARSE_LIST_MAX);
    }
    return list;
}

AstParam ast_param(Parse *p, bool is_inout, Token name, AstType *type, AstExpr *def) {
    Span at = ast_token_span(p, name), span = at;
    if (type) span = ast_span_join(span, type->span);
    if (type) ast_no_ranges(p, type->dims);
    if (def) span = ast_span_join(span, def->span);
    return (AstParam){name.text, span, at, is_inout, type, def};
}

AstDecl *ast_decl(Parse *p, AstDeclKind kind, Token word, Token name, Token last) {
    AstDecl *d = NEW(p->ctx, AstDecl);
    d->kind = kind;
    d->span = ast_tokens_span(p, word, last);
    d->name = name.text;
    d->name_span = ast_token_span(p, name);
    return d;
}

AstDecl *ast_close(Parse *p, AstDecl *d, Token last) {
    d->span = ast_span_join(d->span, ast_token_span(p, last));
    return d;
}

AstDecl *ast_import(Parse *p, Token word, Token path, Token semi) {
    AstDecl *d = ast_decl(p, DECL_IMPORT, word, path, semi);
    d->name = NULL;
    d->text = path.text;
    return d;
}

AstDecl *ast_fn(Parse *p, Token word, Token name, AstGenerics *g, AstParams *params) {
    AstDecl *d = ast_decl(p, DECL_FN, word, name, name);
    d->generics = g;
    d->params = params ? params : NEW(p->ctx, AstParams);
    return d;
}

AstDecl *ast_fn_results(Parse *p, AstDecl *d, AstParams *results, AstType *type) {
    if (type) ast_no_ranges(p, type->dims);
    for (int i = 0; results && i < results->v.n; i++) {
        const AstParam *r = &results->v.at[i];
        if (!r->is_inout) continue;
        Diag *g = diag_report(p->ctx, DIAG_MISPLACED, r->span, "an inout tensor is a parameter, not a result");
        diag_help(p->ctx, g,
                  "write it among the parameters, fn %s(..., inout %s: f32[N]) { ... }, and not behind the arrow",
                  d->name, r->name);
    }
    d->results = results;
    d->result_type = type;
    return d;
}

AstDecl *ast_body(Parse *p, AstDecl *d, AstStmts *body, AstExpr *value, Token last) {
    d->body = body;
    d->value = value;
    for (int i = 0; body && !d->results && !d->result_type && d->params && i < d->params->v.n; i++)
        if (d->params->v.at[i].is_inout) d->results = NEW(p->ctx, AstParams); /* it has no other results */
    return ast_close(p, d, last);
}

AstDecl *ast_export(Parse *p, Token word, AstDecl *fn) {
    fn->is_export = true;
    fn->span = ast_span_join(ast_token_span(p, word), fn->span);
    return fn;
}

AstTypes *ast_types(Parse *p, AstTypes *list, AstType *type) {
    if (!list) list = NEW(p->ctx, AstTypes);
    vec_push(p->ctx, &list->v, type);
    return list;
}

AstDecl *ast_export_instance(Parse *p, Token word, Token name, AstExpr *value, AstTypes *types, Token semi) {
    AstDecl *d = ast_decl(p, DECL_EXPORT, word, name, semi);
    d->is_export = true;
    d->value = value;
    d->types = types;
    return d;
}

AstDecl *ast_extern(Parse *p, Token word, AstDecl *fn, Token symbol, Token semi) {
    ast_not_yet(p, word);
    fn->is_extern = true;
    fn->text = symbol.text;
    fn->span = ast_tokens_span(p, word, semi);
    return fn;
}

AstDecl *ast_struct(Parse *p, Token word, Token name, AstGenerics *g, AstParams *fields, Token last) {
    ast_not_yet(p, word);
    AstDecl *d = ast_decl(p, DECL_STRUCT, word, name, last);
    d->generics = g;
    d->params = fields ? fields : NEW(p->ctx, AstParams);
    return d;
}

AstDecl *ast_reduce(Parse *p, Token word, Token name, AstItems *vars, AstParams *params) {
    AstDecl *d = ast_decl(p, DECL_REDUCE, word, name, name);
    d->vars = vars;
    ast_no_ranges(p, vars);
    d->params = params ? params : NEW(p->ctx, AstParams);
    return d;
}

AstDecl *ast_dim_range(Parse *p, AstDecl *d, Token in, AstExpr *lo, AstExpr *hi, bool closed) {
    if (d->lo) ast_twice(p, ast_token_span(p, in), "in");
    d->lo = lo;
    d->hi = hi;
    d->hi_closed = closed;
    return d;
}

AstDecl *ast_dim_clause(Parse *p, AstDecl *d, Token word, AstExpr *e) {
    AstExpr **slot = strcmp(word.text, "hint") ? &d->divisible : &d->hint;
    if (*slot) ast_twice(p, ast_token_span(p, word), word.text);
    *slot = e;
    return d;
}

AstDecl *ast_dim_order(Parse *p, AstDecl *d, Token name) {
    d->name = NULL; /* it declares nothing that is looked up by name */
    for (int i = 0; i < d->names.n; i++)
        if (d->names.at[i].name == name.text) ast_twice(p, ast_token_span(p, name), name.text);
    vec_push(p->ctx, &d->names, ((AstName){name.text, ast_token_span(p, name)}));
    return d;
}

AstDecl *ast_dim_later(Parse *p, AstDecl *d, Token word) {
    ast_not_yet(p, word);
    return d;
}

AstDecl *ast_check(Parse *p, AstDeclKind kind, Token word, Token name, AstItems *args, Token close) {
    AstDecl *d = ast_decl(p, kind, word, name, close);
    d->args = args;
    ast_no_ranges(p, args);
    return d;
}

AstDecl *ast_check_draw(Parse *p, AstDecl *d, Token name, AstExpr *lo, AstExpr *hi, AstExpr *scale) {
    Span span = ast_span_join(ast_token_span(p, name), hi ? hi->span : scale->span);
    for (int i = 0; i < d->draws.n; i++)
        if (d->draws.at[i].name == name.text) ast_twice(p, span, name.text);
    if (d->draws.n == 64) ast_stop(p, DIAG_LIMIT, span, "too many inputs described", 64);
    AstDraw draw = {name.text, span, lo, hi, scale};
    vec_push(p->ctx, &d->draws, draw);
    return d;
}

AstDecl *ast_check_tol(Parse *p, AstDecl *d, Token word, AstExpr *e) {
    if (d->tol) ast_twice(p, ast_token_span(p, word), word.text);
    d->tol = e;
    return d;
}

AstDecl *ast_check_error(Parse *p, AstDecl *d, Token word, Token text) {
    if (d->error) ast_twice(p, ast_token_span(p, word), word.text);
    d->error = text.text;
    return d;
}

AstDecl *ast_decl_stmt(Parse *p, AstDeclKind kind, AstStmt *s) {
    AstDecl *d = NEW(p->ctx, AstDecl);
    d->kind = kind;
    d->span = s->span;
    d->name_span = SPAN_NONE;
    d->stmt = s;
    return d;
}

void ast_add_decl(Parse *p, AstDecl *d) {
    if (d) vec_push(p->ctx, &p->out->decls, d);
}
