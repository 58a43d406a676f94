/* The one walk over syntax trees (ast_walk.h). */
#include "ast_walk.h"

bool ast_walk_items(const AstItems *items, AstVisit *visit, void *user) {
    for (int i = 0; items && i < items->v.n; i++) {
        const AstItem *it = &items->v.at[i];
        if (ast_walk(it->lo, visit, user) || ast_walk(it->value, visit, user) || ast_walk(it->hi, visit, user))
            return true;
    }
    return items && ast_walk(items->guard, visit, user);
}

bool ast_walk(const AstExpr *e, AstVisit *visit, void *user) {
    if (!e) return false;
    AstStep step = visit(user, e);
    if (step != AST_INTO) return step == AST_END;
    return ast_walk(e->a, visit, user) || ast_walk(e->b, visit, user) || ast_walk(e->c, visit, user) ||
           ast_walk_items(e->items, visit, user);
}
