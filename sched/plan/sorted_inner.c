/* Reductions in what is folded by keys, as lets in front of it: see sorted_take_inner.
 *
 *   h[i] = sum[n where ids[n] == i](sum[d](g[n, d]))    becomes    s[n] = sum[d](g[n, d])
 *                                                                  h[i] = sum[n where ids[n] == i](s[n])
 *
 * In the order of the keys the inner one would be a fold of an element that data name, for each of them and for each
 * owner's range; before that it is one of rows. */
#include "sorted.h"

#include "ir/expr_is.h"
#include "ir/expr_walk.h"

typedef struct Taking {
    const SortedPlan *p;
    EarlyPlace place;
    const SortedFold *fold; /* at hand */
    bool any;
} Taking;

static Found is_no_plain_load(const Expr *e, const void *unused) {
    (void)unused;
    return e->op == OP_LOAD && !load_exists(e) ? FOUND : FOUND_INSIDE;
}

/* It is the same for all owners, and may be evaluated whatever conditions hold. */
static bool may_go(const Taking *x, const Expr *e) {
    for (int i = 0; i < x->fold->nkeys; i++)
        if (expr_has(e, expr_test_var, x->fold->key[i].owner)) return false;
    return early_may_be_let(x->place.temp, e) && !expr_has(e, is_no_plain_load, NULL);
}

static const Expr *take_inner(ExprRewrite *r, const Expr *e) {
    Taking *x = r->user;
    if (e->op != OP_REDUCE) return NULL;
    if (!may_go(x, e)) return e;
    x->any = true;
    return early_let(&x->place, e, "inner");
}

/* A fold by keys, with lets for the reductions in its operands; NULL: it is none. */
static const Expr *take_of_fold(ExprRewrite *r, const Expr *e) {
    Taking *x = r->user;
    if (e->op != OP_REDUCE) return NULL;
    x->fold = expr_map_get(&x->p->of, e);
    if (!x->fold) return NULL;
    const Expr *operand[MAX_PARTS];
    ExprRewrite inner = {.g = r->g, .temp = r->temp, .before = take_inner, .user = x, .reduces = true};
    for (int i = 1; i < e->nargs; i++) operand[i - 1] = expr_rewrite(&inner, e->arg[i]);
    return expr_reduce_parts(r->g, e->u.reduce, e->arg[0], operand);
}

bool sorted_take_inner(const SortedPlan *p) {
    Graph *g = p->g;
    Taking x = {.p = p, .place = {.g = g, .temp = p->temp}};
    for (int *at = &x.place.at; *at < g->tensors.n && p->keys.n; ++*at) {
        Tensor *t = x.place.reader = g->tensors.at[*at];
        ExprRewrite r = {.g = g, .temp = p->temp, .before = take_of_fold, .user = &x, .reduces = true};
        for (int k = 0; k < t->pieces.n; k++) t->pieces.at[k].value = expr_rewrite(&r, t->pieces.at[k].value);
    }
    return x.any;
}
