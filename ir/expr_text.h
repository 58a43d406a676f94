/* Reading text of expressions, for the readers of Graph text (graph_read.c), kernel text (kernel_read.c) and
 * rewrite rules (rewrite.c): a tokenizer, and a reader of expressions in td's syntax with strict types.
 *
 * Literals take the type of the operand beside them (expr_apply); T(e) is a cast. After the first failure every
 * token is LEX_END, so that a reader's loops end; it needs to look at `failed` only before it uses what it read. */
#ifndef TDC_EXPR_TEXT_H
#define TDC_EXPR_TEXT_H

#include "diag.h"
#include "graph.h"

typedef enum LexKind { LEX_END, LEX_NAME, LEX_INT, LEX_FLOAT, LEX_STRING, LEX_PUNCT } LexKind;

typedef struct LexToken {
    LexKind kind;
    Sym text;   /* NAME, PUNCT: as written; STRING: its contents */
    uint64_t i; /* INT */
    double f;   /* FLOAT */
    Span span;
} LexToken;

typedef struct Lex {
    Ctx *ctx;
    const char *text;
    size_t n, at; /* at: the first byte after tok */
    int file;
    LexToken tok; /* the current token */
    bool failed;
    Span where;      /* of the first failure */
    const char *why; /* its text */
} Lex;

/* Stands on the first token afterwards. `text` need not end with 0; `file` is the diagnostics' number of it, -1:
 * none. */
void lex_init(Lex *x, Ctx *ctx, const char *text, size_t n, int file);
void lex_next(Lex *x);
bool lex_is(const Lex *x, const char *text); /* the current token is this name or punctuation */
LexKind lex_peek_kind(const Lex *x);
bool lex_peek_is(const Lex *x, const char *text); /* the one after it is */
bool lex_accept(Lex *x, const char *text);        /* and goes on if it is */
bool lex_expect(Lex *x, const char *text);        /* or fails */
Sym lex_name(Lex *x);                             /* a name; "" after failing */
int64_t lex_int(Lex *x);                          /* [-] integer; 0 after failing */
double lex_number(Lex *x);                        /* [-] integer, float, inf or nan */
Sym lex_string(Lex *x);                           /* "text" with \" \\ \n */
Type lex_type(Lex *x);                            /* the name of a type */
/* The first call counts. */
void lex_fail(Lex *x, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Reports the failure, if there was one, to the context's diagnostics; true if there was none. A reader ends with
 * it. */
bool lex_report(const Lex *x, DiagCode code);

/* A line of options_print after its word `option`. */
void options_read(Lex *x, Options *s);

/* A name in an expression: name, name', name.part or name.part#2. */
typedef struct LeafText {
    Sym name;
    bool primed;
    Sym part; /* NULL without */
    int nth;  /* 1 without #n */
    Span span;
} LeafText;

typedef struct ExprReader {
    Graph *g;
    Lex *lex;
    /* What a name means; NULL: not known here. After it, dimensions and scalars of g are tried. May itself be NULL. */
    const Expr *(*leaf)(void *user, const LeafText *leaf);
    /* The tensor of a load. NULL: those of g. */
    Tensor *(*tensor)(void *user, Sym name);
    void *user;
    VEC(Var *) vars; /* bound variables in scope, innermost last; hide what leaf says */
    int nest;
} ExprReader;

/* NULL after failing. A literal alone is i64 or f32. */
const Expr *expr_read(ExprReader *r);
/* A literal alone takes type t (acc(t) where it is not one); other expressions are as expr_read has them. */
const Expr *expr_read_as(ExprReader *r, Type t);
/* name in lo..hi: a variable, pushed on r->vars. NULL after failing. */
Var *expr_read_range(ExprReader *r);

/* Printing with names that stay apart: a bound variable whose name is taken is printed under another one. */
typedef struct ExprPrinter {
    Text *out;
    const LeafNames *leaves;
    VEC(Sym) used; /* names that mean something else */
    VEC(const Var *) vars;
    VEC(Sym) names; /* of vars */
} ExprPrinter;

/* e as text, with the printer's names of variables. */
void expr_print_with(ExprPrinter *p, const Expr *e);
/* For where expr_read_as(r, t) reads it. */
void expr_print_as(ExprPrinter *p, const Expr *e, Type t);
/* Puts the variable in scope and returns the name that it is printed under. */
Sym expr_print_bind(ExprPrinter *p, const Var *v);

#endif
