/* See pattern.h. */
#include "pattern.h"

#include "expr_text.h"
#include "expr_walk.h"

#include <string.h>

typedef struct Holes {
    Graph *g;
    const char *names;
    const Type *types;
} Holes;

static const Expr *hole(void *user, const LeafText *leaf) {
    const Holes *h = user;
    const char *at = strchr(h->names, leaf->name[0]);
    if (!at || !leaf->name[0] || leaf->name[1]) return NULL;
    return expr_node(h->g, OP_ARG, h->types[at - h->names], false, at - h->names, NULL, 0);
}

const Expr *pattern_read(Graph *g, const char *text, const char *names, const Type *types, Type root) {
    Holes h = {g, names, types};
    Lex x;
    lex_init(&x, g->ctx, text, strlen(text), -1);
    ExprReader r = {.g = g, .lex = &x, .leaf = hole, .user = &h};
    const Expr *e = expr_read_as(&r, root);
    return x.failed || x.tok.kind != LEX_END ? NULL : e;
}

static const Expr *filled(ExprRewrite *x, const Expr *e) {
    const Expr *const *const *args = x->user;
    return e->op == OP_ARG ? (*args)[e->u.i] : NULL;
}

const Expr *pattern_fill(Graph *g, const Expr *pattern, const Expr *const *args) {
    ExprRewrite x = {.g = g, .temp = ctx_temp(g->ctx), .before = filled, .user = &args};
    const Expr *e = expr_rewrite(&x, pattern);
    ctx_temp_end(x.temp);
    return e;
}

const Expr *pattern_derivative(Graph *g, const Expr *e, int arg) {
    enum { OPERANDS = 3 };
    const char *text = op_slope(e->op) == SLOPE_FLAT ? "0.0" : op_derivative(e->op, arg);
    if (!text || e->nargs > OPERANDS || !type_is_float(e->type)) return NULL;
    Type types[OPERANDS + 1] = {e->type};
    const Expr *args[OPERANDS + 1] = {e};
    for (int i = 0; i < e->nargs; i++) types[i + 1] = e->arg[i]->type, args[i + 1] = e->arg[i];
    const Expr *p = pattern_read(g, text, "yabc", types, e->type);
    return p ? pattern_fill(g, p, args) : NULL;
}
