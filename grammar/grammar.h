/* What the files of grammar/ share: the parser that Lemon makes of parser.y, which drive.c feeds and errors.c
 * questions. */
#ifndef TDC_GRAMMAR_H
#define TDC_GRAMMAR_H

#include "frontend/ast/ast_build.h"

typedef struct yyParser yyParser;

/* ---- parser.y ---- */
yyParser *grammar_new(Ctx *ctx);
/* Hands on a token of this kind, p->token; 0 at the end of the file. What it completes becomes tree; where it does not
 * fit, grammar_error is called. */
void grammar_feed(yyParser *y, Parse *p, int kind);
/* The next error is reported, however near it stands to the last. */
void grammar_forgive(yyParser *y);
/* Whether the parser could go on with this token: plays the reductions before it on a copy of the stack's top. */
bool grammar_accepts(const yyParser *y, int token);
/* Whether it wants it as itself: a word of the grammar that is also a name may be accepted as the name alone. */
bool grammar_wants(const yyParser *y, int token);

/* ---- errors.c: called by the parser ---- */
/* Reports that token t, of this kind, does not fit, and says in p what is to be skipped. */
void grammar_error(Parse *p, const yyParser *y, int found, Token t);
/* Reports that more is nested than the parser's stack holds, which ends the parse. */
void grammar_overflow(Parse *p);

/* ---- hints.c ---- */
/* Whether the token stands in the head of a loop, and the loop's word. */
bool grammar_is_loop(const Parse *p);
Token grammar_loop(const Parse *p);
/* What to write instead of t, or NULL; `words`: also by the words around alone. */
const char *grammar_hint(const Parse *p, const yyParser *y, int found, Token t, bool words);

#endif
