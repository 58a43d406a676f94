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
    EarlyPlace place;
    const Expr *outer;
    const SortedFold *fold;
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
    return may_go(x, e) ? early_let(&x->place, e, "inner") : e;
}

static const Expr *take_of_fold(ExprRewrite *r, const Expr *e) {
    Taking *x = r->user;
    if (e != x->outer) return NULL;
    const Expr *args[1 + MAX_PARTS];
    ExprRewrite inner = {.g = r->g, .temp = r->temp, .before = take_inner, .user = x, .reduces = true};
    args[0] = e->arg[0];
    for (int i = 1; i < e->nargs; i++) args[i] = expr_rewrite(&inner, e->arg[i]);
    return expr_reduce_parts(r->g, e->u.reduce, args[0], args + 1);
}

/* Whether a fold has a reduction in what it folds that may go. */
static bool has_inner(Taking *x, const SortedFold *f) {
    x->outer = f->reduce;
    x->fold = f;
    bool any = false;
    for (int i = 1; i < f->reduce->nargs && !any; i++) any = f->reduce->arg[i]->reduces;
    return any;
}

bool sorted_take_inner(const SortedPlan *p) {
    Graph *g = p->g;
    bool any = false;
    for (int k = 0; k < p->keys.n; k++)
        for (int i = 0; i < p->keys.at[k]->folds.n; i++) {
            const SortedFold *f = p->keys.at[k]->folds.at[i];
            Taking x = {.place = {.g = g, .temp = p->temp, .reader = (Tensor *)f->reader, .at = f->reader->id}};
            ExprRewrite r = {.g = g, .temp = p->temp, .before = take_of_fold, .user = &x, .reduces = true};
            if (!has_inner(&x, f)) continue;
            Piece *piece = (Piece *)f->piece;
            const Expr *value = expr_rewrite(&r, piece->value);
            any |= value != piece->value;
            piece->value = value;
        }
    return any;
}
