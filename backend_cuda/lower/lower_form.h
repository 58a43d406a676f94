/* What lowering makes of a kernel before any of it is text: a tree of statements, and the C++ expressions in them.
 * Here it is decided what is declared, where barriers stand and how wide indices are; lower_print.c only prints.
 *
 * A Code is a C++ expression, or a part of one, in which names, the type of indices and calls of the prelude can be
 * told from the rest: unused declarations are found by the names, the prelude is printed by the calls, and the type
 * of indices is settled when all of them are known. Codes are made from patterns and never taken apart. */
#ifndef TDC_LOWER_FORM_H
#define TDC_LOWER_FORM_H

#include "ir/base.h"

typedef enum CodeKind {
    CODE_TEXT,    /* words and signs that stand as they are */
    CODE_NAME,    /* a variable of the kernel */
    CODE_INDEX,   /* I: the type of indices */
    CODE_PRELUDE, /* the name of an entry of the prelude */
    CODE_SEQ      /* one after the other */
} CodeKind;

typedef struct Code {
    CodeKind kind;
    int n; /* bytes of the text, or parts of the sequence */
    const char *text;
    const struct Code *const *part;
} Code;

/* A pattern is C++ with places for what varies: %c a Code, %n a variable's name (Sym), %p the name of a parameter, %s
 * fixed text such as a type, %d an int, %l an int64_t, %% a percent sign. In a pattern and in fixed text the word I is
 * the type of indices, and words that begin with td_ or TD_ are the prelude's. */
const Code *code(Ctx *ctx, const char *pattern, ...);
const Code *code_list(Ctx *ctx, const char *pattern, va_list ap);
const Code *code_name(Ctx *ctx, Sym name);
/* `a between b`; b alone where a is NULL. */
const Code *code_join(Ctx *ctx, const Code *a, const char *between, const Code *b);

/* Who waits at a barrier. A barrier of some warps of a block, by a number, is another row of this list. */
typedef enum BarrierScope { BARRIER_WARP, BARRIER_BLOCK } BarrierScope;

/* What the threads of a block have done with a region of shared memory since their last barrier. */
enum { TOUCHED_READ = 1, TOUCHED_WRITTEN = 2 };
/* A point where threads touch a region: a barrier comes before it where one of `needs` has happened; then `adds` has,
 * and `removes` has not. */
typedef struct Touch {
    int region, needs, adds, removes;
} Touch;

typedef enum StmtKind {
    STMT_DO,      /* code; — an assignment, a call, or nothing but a note */
    STMT_DECLARE, /* type name code; */
    STMT_LOOP,    /* for (code) body */
    STMT_IF,      /* if (code) body else other */
    STMT_BLOCK,   /* { body } */
    STMT_LAMBDA,  /* const auto name = [&](code) { body }; */
    STMT_BARRIER, /* of `scope` */
    STMT_TOUCH,   /* nothing is printed: see lower_sync.c */
    STMT_CLEAR    /* nothing is printed: what comes before holds a barrier of the block */
} StmtKind;

/* How the body of a loop, an if or a block is set: in braces; as the one statement on the next line, inside of loops
 * or, of an if, below it; on the same line. */
typedef enum Braces { BRACES, BARE, INLINE } Braces;

typedef struct Stmt Stmt;
typedef VEC(Stmt *) StmtList;

struct Stmt {
    StmtKind kind;
    Braces braces;
    bool unroll;   /* LOOP */
    bool optional; /* DECLARE: goes where nothing reads it */
    const Code *code;
    const Code *type; /* DECLARE */
    Sym name;         /* DECLARE LAMBDA */
    StmtList body, other;
    BarrierScope scope;
    Touch touch;
    const char *note; /* a comment at its end; or NULL */
};

Stmt *stmt_new(Ctx *ctx, StmtKind kind);
/* Takes away the optional declarations in a list, and in all lists inside, whose name nothing in it mentions. */
void stmt_prune(Ctx *ctx, StmtList *list);
/* Whether a statement of the list, or inside of one, mentions the name. */
bool stmt_mentions(const StmtList *list, Sym name);

/* ---- lower_sync.c ---- */
/* Puts a barrier of `scope` before each touch that needs one. */
void stmt_sync(Ctx *ctx, StmtList *list, int regions, BarrierScope scope);

/* ---- lower_print.c ---- */
/* How a kernel is printed: the text of I, and the prelude that notes what is used of it (or NULL). */
typedef struct Printing {
    Text *out;
    const char *index;
    struct Prelude *prelude;
} Printing;
void print_code(const Printing *p, const Code *c);
void print_list(const Printing *p, const StmtList *list, int indent);
/* A pattern's text at once: what stands around a kernel. */
void print_line(const Printing *p, Ctx *ctx, const char *pattern, ...);
/* A code as text, for a message to the user. */
const char *code_said(Ctx *ctx, const Code *c);

#endif
