/* The syntax tree of td: what the text says, before names and types have a meaning. Everything is allocated from the
 * Ctx and every node has its place. The parser builds it through the constructors at the end; it checks nothing but
 * syntax and limits, and no tree is deeper than AST_DEPTH, so that later passes may recurse. */
#ifndef TDC_AST_H
#define TDC_AST_H

#include "ir/base.h"
#include "ir/graph.h"

enum { AST_DEPTH = MAX_NEST, AST_SOURCE_BYTES = 16 << 20 };

typedef struct AstExpr AstExpr;
typedef struct AstItems AstItems;
typedef struct AstType AstType;

/* ---- expressions ---- */

typedef enum AstExprKind {
    AST_ERROR,  /* an error was reported here: say nothing more about it */
    AST_INT,    /* u.i */
    AST_FLOAT,  /* u.f; also inf and nan */
    AST_BOOL,   /* u.b */
    AST_NAME,   /* name: also a type (`f32`, `T`), `pad`, `vjp`, ... */
    AST_UNARY,  /* u.op: OP_NEG, OP_NOT; a */
    AST_BINARY, /* u.op: an infix operator or OP_POW (`**`); a, b */
    AST_CHAIN,  /* a op item op item ..., from left to right: a long sum or product, whose tree would be deep */
    AST_IF,     /* if a then b else c */
    AST_CALL,   /* a(items): a call, cast, instance, or the body of a reduction where a is AST_INDEX */
    AST_INDEX,  /* a[items]: a load, a slice, or the variables of a reduction */
    AST_TUPLE,  /* (e, e, ...): what return and the second stage's carries take; items */
    AST_LIST,   /* [items]: dimensions given for a pack, B = [M, N] */
} AstExprKind;

struct AstExpr {
    AstExprKind kind;
    int depth; /* 1 for a leaf */
    Span span;
    Sym name;
    AstExpr *a, *b, *c;
    AstItems *items;
    union {
        int64_t i;
        double f;
        bool b;
        Op op;
    } u;
};

/* What stands between the parentheses or brackets of a postfix form, a definition's left side or a type. */
typedef enum AstItemKind {
    ITEM_EXPR,  /* value; on a left side with a range, 4 + j in P: value is 4 + j, name is j, and it has lo and hi */
    ITEM_NAMED, /* name = value */
    ITEM_IN,    /* name in value (lo is NULL: 0..value), name in lo..value */
    ITEM_PACK,  /* name...; on a left side with a range, b... in B: value is B */
    ITEM_REST,  /* ... */
} AstItemKind;

typedef struct AstItem {
    AstItemKind kind;
    Span span;
    Sym name;
    Span name_span;
    AstExpr *lo, *value; /* ITEM_IN: half-open */
    Op op;               /* in an AST_CHAIN: what joins the value with all before it */
    AstExpr *hi;         /* ITEM_EXPR: where its last variable's range ends; NULL: it has none */
} AstItem;

struct AstItems {
    VEC(AstItem) v;
    AstExpr *guard; /* trailing `where`, or NULL */
    int depth;
    Span span; /* with the brackets */
};

/* ---- types ---- */

/* name, name(args), name[dims], name(args)[dims]. In a let, dims are index variables. */
struct AstType {
    Sym name;       /* `f32`, `T`, `int`, `acc`, a struct */
    AstItems *args; /* acc(T), Block(T); else NULL */
    AstItems *dims; /* NULL without brackets; empty for T[] */
    Span span, name_span;
};

/* ---- statements ---- */

typedef enum AstStmtKind {
    STMT_LET,     /* let targets = value where guard */
    STMT_DEF,     /* targets op value where guard: an output, an inout or a piece */
    STMT_RETURN,  /* value (AST_TUPLE for several) */
    STMT_REQUIRE, /* value; text or NULL */
    STMT_ASSUME,  /* value */
    STMT_CALL,    /* value: a call for the sake of the inout parameters that it is given */
    STMT_OPTION,  /* name = text (NULL where nothing is assigned) */
} AstStmtKind;

typedef enum AstAssign { ASSIGN_SET, ASSIGN_ADD, ASSIGN_MUL, ASSIGN_MAX, ASSIGN_MIN } AstAssign;

/* What a definition defines: t, t[i, j], t: bf16, t: bf16[i, j in N]. `_` drops a result. */
typedef struct AstTarget {
    Sym name;
    Span span, name_span;
    Sym type;            /* the type's name, or NULL */
    AstItems *type_args; /* acc(T) */
    AstItems *index;     /* NULL without brackets: a whole tensor, or a scalar; empty for t[] */
} AstTarget;

typedef struct AstStmt {
    AstStmtKind kind;
    Span span;
    VEC(AstTarget) targets;
    bool tuple; /* let (a, b) = ...; also with one target */
    AstAssign op;
    AstExpr *value, *guard;
    Sym name, text;
    Span name_span;
} AstStmt;

typedef struct AstStmts {
    VEC(AstStmt *) v;
} AstStmts;

/* ---- declarations ---- */

typedef enum AstGenericKind { GENERIC_TYPE, GENERIC_INT, GENERIC_BOOL, GENERIC_FN } AstGenericKind;

typedef struct AstGeneric { /* <T>, <K: int = 3>, <causal: bool = true>, <act: fn = identity> */
    AstGenericKind kind;
    Sym name;
    Span span;
    AstExpr *def; /* or NULL */
} AstGeneric;

typedef struct AstParam {
    Sym name;
    Span span, name_span;
    bool is_inout;
    AstType *type; /* NULL: generic over scalars */
    AstExpr *def;  /* or NULL */
} AstParam;

typedef struct AstGenerics {
    VEC(AstGeneric) v;
} AstGenerics;

typedef struct AstParams {
    VEC(AstParam) v;
} AstParams;

typedef struct AstTypes {
    VEC(AstType *) v;
} AstTypes;

/* A name in a list of them. */
typedef struct AstName {
    Sym name;
    Span span;
} AstName;

/* How check draws an input: t in lo..hi, or w ~ scale (lo and hi NULL). */
typedef struct AstDraw {
    Sym name;
    Span span;
    AstExpr *lo, *hi, *scale;
} AstDraw;

typedef enum AstDeclKind {
    DECL_IMPORT,  /* text */
    DECL_DIM,     /* name; lo, hi (hi_closed), hint, divisible: each NULL where not given */
    DECL_ORDER,   /* dim name, name, ...: names */
    DECL_FN,      /* fn, export fn, extern fn (text: the symbol), also a host function */
    DECL_EXPORT,  /* export name = value -> types: an instance */
    DECL_REDUCE,  /* reduce name[vars](params) { body } */
    DECL_CHECK,   /* name(args) ... */
    DECL_BENCH,   /* name(args) ... */
    DECL_OPTION,  /* stmt */
    DECL_REQUIRE, /* stmt */
    DECL_ASSUME,  /* stmt */
    DECL_STRUCT,  /* name<generics> { params: the fields } */
} AstDeclKind;

typedef struct AstDecl {
    AstDeclKind kind;
    Span span, name_span;
    Sym name;
    Sym doc; /* the text of the /// lines before it, or NULL */
    Sym text;

    /* DECL_FN, DECL_REDUCE, DECL_STRUCT */
    bool is_export, is_extern;
    AstGenerics *generics; /* NULL without a header in <> */
    AstParams *params;
    AstParams *results;   /* -> (y: T[N]); else NULL */
    AstType *result_type; /* -> f32; else NULL */
    AstItems *vars;       /* DECL_REDUCE */
    AstStmts *body;       /* or value */
    AstExpr *value;       /* fn f(x) = value; export name = value */
    AstTypes *types;      /* DECL_EXPORT: of the results; NULL: those of the function */

    /* DECL_DIM */
    AstExpr *lo, *hi, *hint, *divisible;
    bool hi_closed;

    VEC(AstName) names; /* DECL_ORDER */

    /* DECL_CHECK, DECL_BENCH */
    AstItems *args;
    VEC(AstDraw) draws;
    AstExpr *tol;
    Sym error; /* text that the refusal must hold, or NULL */

    AstStmt *stmt;
} AstDecl;

typedef struct AstFile {
    int file;
    VEC(AstDecl *) decls;
} AstFile;

/* The tree as text, one declaration or statement a line (ast_print.c). */
void ast_print(Text *out, const AstFile *f);
/* One expression as td would write it, each operator in parentheses. */
void ast_print_expr(Text *out, const AstExpr *e);

Span ast_span_join(Span a, Span b); /* the least that holds both; a alone where they stand in two files */

#endif
