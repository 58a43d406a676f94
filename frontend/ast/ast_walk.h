/* The one walk over syntax trees, for questions that are the same wherever a node stands. What binds names or asks what
 * is around a node recurses by itself: sema_free_names, and the searches of sema_range.c and sema_ahead.c. */
#ifndef TDC_AST_WALK_H
#define TDC_AST_WALK_H

#include "ast.h"

typedef enum AstStep {
    AST_INTO, /* on, with what stands inside */
    AST_PAST, /* on, without that */
    AST_END,  /* no further */
} AstStep;

typedef AstStep AstVisit(void *user, const AstExpr *e);

/* Visits e, which may be NULL, before its operands, and these before its items and their guard. True: it was ended. */
bool ast_walk(const AstExpr *e, AstVisit *visit, void *user);
bool ast_walk_items(const AstItems *items, AstVisit *visit, void *user); /* NULL: none */

#endif
