/* Between the grammar and the tree: tokens, the state of one parse, and the constructors that the actions of
 * grammar/parser.y call. Only grammar/ and frontend/ast/ast.c include this. */
#ifndef TDC_AST_BUILD_H
#define TDC_AST_BUILD_H

#include "frontend/ast/ast.h"
#include "ir/diag.h"

enum {
    PARSE_STACK = 4096,      /* entries of the parser's stack: parentheses and statements in progress */
    PARSE_LIST_MAX = 4096,   /* elements of one list */
    PARSE_CHAIN_FROM = 128,  /* a sum or product that is deeper becomes an AST_CHAIN */
    PARSE_CHAIN_MAX = 65536, /* operands of one */
    PARSE_ERRORS_MAX = 100,  /* errors in one file after which reading ends */
};

typedef struct Token {
    uint32_t start, end;
    Sym text; /* identifiers, keywords, strings (unescaped) */
    union {
        int64_t i;
        double f;
    } u;
} Token;

typedef struct DocAt {
    uint32_t start; /* of the declaration's first token */
    Sym text;
} DocAt;

typedef struct OpenBracket {
    int closer; /* the token that closes it */
    Span span;
    Token before; /* the token before it */
    bool loop;    /* that is `for` or `while` */
} OpenBracket;

/* After a syntax error, what is skipped. */
typedef enum Skip {
    SKIP_STATEMENT, /* to the end of the statement */
    SKIP_BLOCK,     /* a loop of another language with what it repeats */
    SKIP_DECL,      /* to the next declaration */
} Skip;

typedef struct Parse {
    Ctx *ctx;
    int file;
    AstFile *out;
    /* lexer */
    const unsigned char *text, *at, *end;
    Text doc; /* /// lines seen since the last token */
    Span doc_span;
    Sym types[TY_COUNT];
    /* driver */
    VEC(DocAt) docs;
    Token token;       /* the one being fed */
    Token before;      /* the one before it */
    Token first;       /* the one that the statement or declaration begins with */
    uint32_t last_end; /* where that ended */
    VEC(OpenBracket) open;
    int skip;          /* a Skip: after the syntax error just reported */
    int errors_before; /* reported before this file was begun */
    bool failed;       /* the parser met a syntax error at the token just fed */
    bool stop;         /* a limit was reached: nothing more is read */
    bool quiet;        /* a bad character was reported in this statement: a syntax error that follows is its echo */
} Parse;

/* Reads the next token; 0 at the end. Reports what is no token and goes on. (grammar/lexer.re) */
int lexer_next(Parse *p, Token *t);

/* ---- places ---- */
Span ast_token_span(const Parse *p, Token t);
Span ast_tokens_span(const Parse *p, Token first, Token last); /* from the first to the last */
void ast_not_yet(Parse *p, Token word);                        /* reports a word that has no meaning yet */
void ast_no_ranges(Parse *p, AstItems *items);                 /* reports ranges of items where none may stand */
void ast_twice(Parse *p, Span span, const char *clause);
/* Reading ends at a limit: what follows would only repeat the report. */
void ast_stop(Parse *p, DiagCode code, Span span, const char *what, int limit);

/* ---- expressions ---- */
AstExpr *ast_int(Parse *p, Token t);
AstExpr *ast_float(Parse *p, Token t);
AstExpr *ast_bool(Parse *p, Token t, bool v);
AstExpr *ast_name(Parse *p, Token t);
AstExpr *ast_name_later(Parse *p, Token t); /* a word of the second stage */
AstExpr *ast_unary(Parse *p, Op op, Token t, AstExpr *a);
AstExpr *ast_binary(Parse *p, Op op, AstExpr *a, AstExpr *b);
AstExpr *ast_past(Parse *p, AstExpr *last); /* last + 1: the end of the half-open range */
AstExpr *ast_if(Parse *p, Token t, AstExpr *a, AstExpr *b, AstExpr *c);
AstExpr *ast_postfix(Parse *p, AstExprKind kind, AstExpr *a, Token open, AstItems *items, Token close);
AstExpr *ast_group(Parse *p, AstExprKind kind, Token open, AstItems *items, Token close);
AstExpr *ast_paren(Parse *p, Token open, AstExpr *e, Token close);

/* Lists in brackets: expressions, name = e, ranges, packs, and a guard behind them. */
AstItems *ast_items(Parse *p);
AstItems *ast_items_add(Parse *p, AstItems *items, AstItem item);
AstItems *ast_items_guard(Parse *p, AstItems *items, AstExpr *guard);
AstItems *ast_pair(Parse *p, AstExpr *first, AstItems *rest);
AstItem ast_item(Parse *p, AstExpr *e);
AstItem ast_item_later(Parse *p, Token word, AstExpr *e);
AstItem ast_item_named(Parse *p, Token name, AstExpr *value);
AstItem ast_item_in(Parse *p, AstExpr *e, AstExpr *lo, AstExpr *hi);  /* e: a variable, or a sum that ends with one */
AstItem ast_item_pack(Parse *p, Token name, Token dots, AstExpr *in); /* in: NULL without a range */
AstItem ast_item_rest(Parse *p, Token dots);

/* ---- types and statements ---- */
AstType *ast_type(Parse *p, Token name, AstItems *args, Token last);
AstType *ast_type_dims(Parse *p, AstType *t, Token open, AstItems *dims, Token close);

AstStmts *ast_stmts(Parse *p, AstStmts *list, AstStmt *s);
AstTarget ast_target(Parse *p, Token name);
AstTarget ast_target_index(Parse *p, Token name, Token open, AstItems *index, Token close);
AstTarget ast_target_typed(Parse *p, Token name, AstType *type);
AstStmt *ast_targets(Parse *p, AstStmt *list, AstTarget t); /* a statement that has its targets only */
AstStmt *ast_targets_tuple(Parse *p, AstStmt *targets);
AstStmt *ast_let(Parse *p, Token let, AstStmt *targets, AstExpr *e, AstExpr *guard, Token semi);
AstStmt *ast_def(Parse *p, AstStmt *targets, AstAssign op, AstExpr *e, AstExpr *guard, Token semi);
AstStmt *ast_def_word(Parse *p, AstTarget t, Token word, AstExpr *e, AstExpr *guard, Token semi); /* max= min= */
AstStmt *ast_stmt(Parse *p, AstStmtKind kind, Token word, AstExpr *e, Sym text, Token semi);
AstStmt *ast_option(Parse *p, Token word, Token name, Sym value, Token semi);

/* ---- declarations ---- */
AstGenerics *ast_generics(Parse *p, AstGenerics *list, AstGeneric g);
AstGeneric ast_generic(Parse *p, Token name, Token kind, AstExpr *def); /* kind without text: a type */
AstParams *ast_params(Parse *p, AstParams *list, AstParam a);
AstParam ast_param(Parse *p, bool is_inout, Token name, AstType *type, AstExpr *def);

AstDecl *ast_decl(Parse *p, AstDeclKind kind, Token word, Token name, Token last);
AstDecl *ast_import(Parse *p, Token word, Token path, Token semi);
AstDecl *ast_fn(Parse *p, Token word, Token name, AstGenerics *g, AstParams *params);
AstDecl *ast_fn_results(Parse *p, AstDecl *d, AstParams *results, AstType *type);
AstDecl *ast_body(Parse *p, AstDecl *d, AstStmts *body, AstExpr *value, Token last);
AstDecl *ast_export(Parse *p, Token word, AstDecl *fn);
/* types: NULL, or what ast_types made */
AstDecl *ast_export_instance(Parse *p, Token word, Token name, AstExpr *value, AstTypes *types, Token semi);
AstTypes *ast_types(Parse *p, AstTypes *list, AstType *type); /* list: NULL to begin with */
AstDecl *ast_extern(Parse *p, Token word, AstDecl *fn, Token symbol, Token semi);
AstDecl *ast_struct(Parse *p, Token word, Token name, AstGenerics *g, AstParams *fields, Token last);
AstDecl *ast_reduce(Parse *p, Token word, Token name, AstItems *vars, AstParams *params);
AstDecl *ast_dim_range(Parse *p, AstDecl *d, Token in, AstExpr *lo, AstExpr *hi, bool closed);
AstDecl *ast_dim_clause(Parse *p, AstDecl *d, Token word, AstExpr *e); /* hint, divisible */
AstDecl *ast_dim_order(Parse *p, AstDecl *d, Token name);
AstDecl *ast_dim_later(Parse *p, AstDecl *d, Token word);
AstDecl *ast_check(Parse *p, AstDeclKind kind, Token word, Token name, AstItems *args, Token close);
AstDecl *ast_check_draw(Parse *p, AstDecl *d, Token name, AstExpr *lo, AstExpr *hi, AstExpr *scale);
AstDecl *ast_check_tol(Parse *p, AstDecl *d, Token word, AstExpr *e);
AstDecl *ast_check_error(Parse *p, AstDecl *d, Token word, Token text);
AstDecl *ast_close(Parse *p, AstDecl *d, Token semi); /* the place reaches to here */
AstDecl *ast_decl_stmt(Parse *p, AstDeclKind kind, AstStmt *s);
void ast_add_decl(Parse *p, AstDecl *d);

#endif
