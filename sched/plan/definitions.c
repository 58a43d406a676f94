/* Definitions apart from their Graph: see definitions.h. */
#include "definitions.h"

#include "ir/expr_is.h"

#include <string.h>

Definitions *definitions_take(const Graph *g) {
    Definitions *d = NEW(g->ctx, Definitions);
    for (int i = 0; i < g->tensors.n; i++) {
        Tensor *t = g->tensors.at[i];
        Definition x = {t, t->pieces.n, NEW_N(g->ctx, Piece, t->pieces.n + 1)};
        if (x.n) memcpy(x.pieces, t->pieces.at, sizeof *x.pieces * (size_t)x.n);
        vec_push(g->ctx, &d->of, x);
    }
    for (int i = 0; i < g->sorts.n; i++) vec_push(g->ctx, &d->sorts, g->sorts.at[i]);
    return d;
}

static void put_pieces(Ctx *ctx, const Definition *d) {
    d->tensor->pieces.n = 0;
    for (int k = 0; k < d->n; k++) vec_push(ctx, &d->tensor->pieces, d->pieces[k]);
}

void definitions_put(Graph *g, const Definitions *d) {
    g->tensors.n = g->sorts.n = 0;
    for (int i = 0; i < d->of.n; i++) {
        d->of.at[i].tensor->id = i;
        put_pieces(g->ctx, &d->of.at[i]);
        vec_push(g->ctx, &g->tensors, d->of.at[i].tensor);
    }
    for (int i = 0; i < d->sorts.n; i++) vec_push(g->ctx, &g->sorts, d->sorts.at[i]);
}

void definitions_keep_both(const Graph *g, const Definitions *d) {
    for (int i = 0; i < d->of.n; i++) {
        const Definition *x = &d->of.at[i];
        if (x->tensor->kind != TENSOR_LET && tensor_is_plain(x->tensor)) put_pieces(g->ctx, x);
    }
}
