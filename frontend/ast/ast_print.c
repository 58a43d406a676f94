/* The syntax tree as text, for --dump=parse and the goldens of tests/syntax: one declaration or statement a line,
 * expressions as td with every operator in parentheses, so that precedence shows. */
#include "frontend/ast/ast.h"

#include <string.h>

static const char *const op_texts[] = {
#define OP(e, text, ...) text,
#include "ir/ops.def"
#undef OP
};

static void put_string(Text *out, const char *s) {
    text_char(out, '"');
    for (; *s; s++) {
        if (*s == '\n') {
            text_put(out, "\\n");
        } else if (*s == '\t') {
            text_put(out, "\\t");
        } else {
            if (*s == '"' || *s == '\\') text_char(out, '\\');
            text_char(out, *s);
        }
    }
    text_char(out, '"');
}

/* ---- expressions ---- */

static void put_clause(Text *out, const char *word, const AstExpr *e);

static void put_item(Text *out, const AstItem *item) {
    if (item->name && item->kind != ITEM_EXPR) text_put(out, item->name);
    switch (item->kind) {
    case ITEM_EXPR:
        put_clause(out, "", item->value);
        put_clause(out, item->lo ? " in " : "", item->lo);
        put_clause(out, item->lo ? ".." : " in ", item->hi);
        return;
    case ITEM_NAMED: text_put(out, " = "); break;
    case ITEM_IN: text_put(out, " in "); break;
    case ITEM_PACK:
        text_put(out, "...");
        put_clause(out, " in ", item->value);
        return;
    case ITEM_REST: text_put(out, "..."); return;
    }
    put_clause(out, "", item->lo);
    put_clause(out, item->lo ? ".." : "", item->value);
}

static void put_items(Text *out, char open, const AstItems *items, char close) {
    text_char(out, open);
    for (int i = 0; i < items->v.n; i++) {
        if (i) text_put(out, ", ");
        put_item(out, &items->v.at[i]);
    }
    put_clause(out, " where ", items->guard);
    text_char(out, close);
}

/* The tree is no deeper than AST_DEPTH. */
static void put_expr(Text *out, const AstExpr *e) {
    switch (e->kind) {
    case AST_ERROR: text_put(out, "<error>"); break;
    case AST_INT: text_fmt(out, "%lld", (long long)e->u.i); break;
    case AST_FLOAT: text_double(out, e->u.f); break;
    case AST_BOOL: text_put(out, e->u.b ? "true" : "false"); break;
    case AST_NAME: text_put(out, e->name); break;
    case AST_UNARY:
        text_put(out, op_texts[e->u.op]);
        ast_print_expr(out, e->a);
        break;
    case AST_BINARY:
        ast_print_expr(out, e->a);
        text_fmt(out, " %s ", e->u.op == OP_POW ? "**" : op_texts[e->u.op]);
        ast_print_expr(out, e->b);
        break;
    case AST_CHAIN:
        ast_print_expr(out, e->a);
        for (int i = 0; i < e->items->v.n; i++) {
            text_fmt(out, " %s ", op_texts[e->items->v.at[i].op]);
            ast_print_expr(out, e->items->v.at[i].value);
        }
        break;
    case AST_IF:
        put_clause(out, "if ", e->a);
        put_clause(out, " then ", e->b);
        put_clause(out, " else ", e->c);
        break;
    case AST_CALL:
        ast_print_expr(out, e->a);
        put_items(out, '(', e->items, ')');
        break;
    case AST_INDEX:
        ast_print_expr(out, e->a);
        put_items(out, '[', e->items, ']');
        break;
    case AST_TUPLE: put_items(out, '(', e->items, ')'); break;
    case AST_LIST: put_items(out, '[', e->items, ']'); break;
    }
}

void ast_print_expr(Text *out, const AstExpr *e) {
    bool compound = e->kind == AST_UNARY || e->kind == AST_BINARY || e->kind == AST_CHAIN || e->kind == AST_IF;
    if (compound) text_char(out, '(');
    put_expr(out, e);
    if (compound) text_char(out, ')');
}

/* A part that stands alone: nothing where it is not given, no parentheses around the whole. */
static void put_clause(Text *out, const char *word, const AstExpr *e) {
    if (!e) return;
    text_put(out, word);
    put_expr(out, e);
}

/* ---- types and statements ---- */

static void put_type(Text *out, const AstType *t) {
    text_put(out, t->name);
    if (t->args) put_items(out, '(', t->args, ')');
    if (t->dims) put_items(out, '[', t->dims, ']');
}

static void put_target(Text *out, const AstTarget *t) {
    text_put(out, t->name);
    if (t->type) text_fmt(out, ": %s", t->type);
    if (t->type_args) put_items(out, '(', t->type_args, ')');
    if (t->index) put_items(out, '[', t->index, ']');
}

static void put_targets(Text *out, const AstStmt *s) {
    if (s->tuple) text_char(out, '(');
    for (int i = 0; i < s->targets.n; i++) {
        if (i) text_put(out, ", ");
        put_target(out, &s->targets.at[i]);
    }
    if (s->tuple) text_char(out, ')');
}

static void put_stmt(Text *out, const AstStmt *s) {
    static const char *const assigns[] = {" = ", " += ", " *= ", " max= ", " min= "};
    switch (s->kind) {
    case STMT_LET: text_put(out, "let "); break;
    case STMT_DEF: text_put(out, "def "); break;
    case STMT_CALL: put_clause(out, "call ", s->value); return;
    case STMT_RETURN: put_clause(out, "return ", s->value); return;
    case STMT_ASSUME: put_clause(out, "assume ", s->value); return;
    case STMT_REQUIRE:
        put_clause(out, "require ", s->value);
        if (s->text) text_put(out, ", ");
        if (s->text) put_string(out, s->text);
        return;
    case STMT_OPTION:
        text_fmt(out, "option %s", s->name);
        if (s->text) text_fmt(out, " = %s", s->text);
        return;
    }
    put_targets(out, s);
    put_clause(out, assigns[s->op], s->value);
    put_clause(out, " where ", s->guard);
}

/* ---- declarations ---- */

static void put_params(Text *out, const char *word, const AstParams *params) {
    for (int i = 0; params && i < params->v.n; i++) {
        const AstParam *a = &params->v.at[i];
        text_fmt(out, "  %s%s %s", a->is_inout ? "inout " : "", word, a->name);
        if (a->type) text_put(out, ": ");
        if (a->type) put_type(out, a->type);
        put_clause(out, " = ", a->def);
        text_char(out, '\n');
    }
}

static void put_generics(Text *out, const AstGenerics *list) {
    static const char *const kinds[] = {"type", "int", "bool", "fn"};
    for (int i = 0; list && i < list->v.n; i++) {
        const AstGeneric *g = &list->v.at[i];
        text_fmt(out, "  generic %s: %s", g->name, kinds[g->kind]);
        put_clause(out, " = ", g->def);
        text_char(out, '\n');
    }
}

static void put_body(Text *out, const AstDecl *d) {
    for (int i = 0; d->body && i < d->body->v.n; i++) {
        text_put(out, "  ");
        put_stmt(out, d->body->v.at[i]);
        text_char(out, '\n');
    }
    put_clause(out, "  = ", d->value);
    if (d->value) text_char(out, '\n');
}

static void put_function(Text *out, const AstDecl *d) {
    if (d->vars) put_items(out, '[', d->vars, ']');
    if (d->is_extern) text_put(out, " = ");
    if (d->is_extern) put_string(out, d->text);
    text_char(out, '\n');
    put_generics(out, d->generics);
    put_params(out, d->kind == DECL_STRUCT ? "field" : "param", d->params);
    put_params(out, "result", d->results);
    if (d->result_type) text_put(out, "  -> ");
    if (d->result_type) put_type(out, d->result_type);
    if (d->result_type) text_char(out, '\n');
    put_body(out, d);
}

static void put_dim(Text *out, const AstDecl *d) {
    put_clause(out, " in ", d->lo);
    if (d->lo && !d->hi) text_put(out, "..");
    put_clause(out, d->hi_closed ? "..=" : "..", d->hi);
    put_clause(out, " hint ", d->hint);
    put_clause(out, " divisible ", d->divisible);
    text_char(out, '\n');
}

static void put_names(Text *out, const AstDecl *d) {
    for (int i = 0; i < d->names.n; i++) text_fmt(out, "%s%s", i ? ", " : "", d->names.at[i].name);
    text_char(out, '\n');
}

static void put_check(Text *out, const AstDecl *d) {
    put_items(out, '(', d->args, ')');
    for (int i = 0; i < d->draws.n; i++) {
        const AstDraw *w = &d->draws.at[i];
        text_fmt(out, "%s%s", i ? ", " : " with ", w->name);
        put_clause(out, " ~ ", w->scale);
        put_clause(out, " in ", w->lo);
        put_clause(out, "..", w->hi);
    }
    put_clause(out, " tol ", d->tol);
    if (d->error) text_put(out, " error ");
    if (d->error) put_string(out, d->error);
    text_char(out, '\n');
}

static void put_decl(Text *out, const AstDecl *d) {
    static const char *const words[] = {
        [DECL_IMPORT] = "import ", [DECL_ORDER] = "dim ",     [DECL_DIM] = "dim ",     [DECL_FN] = "fn ",
        [DECL_EXPORT] = "",        [DECL_REDUCE] = "reduce ", [DECL_CHECK] = "check ", [DECL_BENCH] = "bench ",
        [DECL_STRUCT] = "struct ", [DECL_OPTION] = "",        [DECL_REQUIRE] = "",     [DECL_ASSUME] = "",
    };
    if (d->doc) text_put(out, "doc ");
    if (d->doc) put_string(out, d->doc);
    if (d->doc) text_char(out, '\n');
    text_fmt(out, "%s%s%s%s", d->is_export ? "export " : "", d->is_extern ? "extern " : "", words[d->kind],
             d->name ? d->name : "");
    switch (d->kind) {
    case DECL_IMPORT:
        put_string(out, d->text);
        text_char(out, '\n');
        break;
    case DECL_DIM: put_dim(out, d); break;
    case DECL_ORDER: put_names(out, d); break;
    case DECL_FN:
    case DECL_REDUCE:
    case DECL_STRUCT: put_function(out, d); break;
    case DECL_EXPORT:
        put_clause(out, " = ", d->value);
        for (int i = 0; d->types && i < d->types->v.n; i++) {
            text_put(out, i ? ", " : " -> ");
            put_type(out, d->types->v.at[i]);
        }
        text_char(out, '\n');
        break;
    case DECL_CHECK:
    case DECL_BENCH: put_check(out, d); break;
    case DECL_OPTION:
    case DECL_REQUIRE:
    case DECL_ASSUME:
        put_stmt(out, d->stmt);
        text_char(out, '\n');
        break;
    }
}

void ast_print(Text *out, const AstFile *f) {
    text_put(out, "");
    for (int i = 0; i < f->decls.n; i++) put_decl(out, f->decls.at[i]);
}
