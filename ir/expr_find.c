/* See expr_find.h. */
#include "expr_find.h"

const Expr *expr_find(Ctx *temp, ExprMap *seen, const Expr *e, ExprTest *test, const void *user) {
    if (!e || (e->nargs && expr_map_get(seen, e))) return NULL;
    Found f = test(e, user);
    if (f == FOUND) return e;
    if (!e->nargs) return NULL;
    expr_map_put(temp, seen, e, e);
    for (int i = 0; f == FOUND_INSIDE && i < e->nargs; i++) {
        const Expr *r = expr_find(temp, seen, e->arg[i], test, user);
        if (r) return r;
    }
    return NULL;
}

static Found is_load_of(const Expr *e, const void *tensor) {
    return e->op == OP_LOAD && e->u.tensor == tensor ? FOUND : FOUND_INSIDE;
}

bool expr_loads(Ctx *temp, ExprMap *seen, const Expr *e, const Tensor *t) {
    return expr_find(temp, seen, e, is_load_of, t) != NULL;
}
