/* A set of nodes of one Graph, as a walk notes where it has been. It lives in the arena. Nodes that stand in an
 * expression together mostly were made one after the other: a place of the set holds 64 numbers in a row. */
#ifndef TDC_EXPR_SET_H
#define TDC_EXPR_SET_H

#include "graph.h"

typedef struct ExprSetPlace {
    uint64_t in;   /* bit i: number 64 * (block - 1) + i */
    int64_t block; /* 0: a free place */
} ExprSetPlace;

typedef struct ExprSet {
    ExprSetPlace *at;
    size_t n, cap; /* cap is a power of two, or 0 */
} ExprSet;

static inline size_t expr_set_find(const ExprSet *s, int64_t block) {
    size_t i = (size_t)((uint64_t)block * 0x9E3779B97F4A7C15u >> 32) & (s->cap - 1);
    while (s->at[i].block && s->at[i].block != block) i = (i + 1) & (s->cap - 1);
    return i;
}

static inline bool expr_set_has(const ExprSet *s, const Expr *e) {
    return s->cap && s->at[expr_set_find(s, (e->id >> 6) + 1)].in >> (e->id & 63) & 1;
}

void expr_set_grow(Ctx *ctx, ExprSet *s);

/* Whether it was not there yet. */
static inline bool expr_set_add(Ctx *ctx, ExprSet *s, const Expr *e) {
    if (s->n * 2 >= s->cap) expr_set_grow(ctx, s);
    ExprSetPlace *place = &s->at[expr_set_find(s, (e->id >> 6) + 1)];
    uint64_t bit = (uint64_t)1 << (e->id & 63);
    bool added = !(place->in & bit);
    s->n += !place->block;
    place->block = (e->id >> 6) + 1;
    place->in |= bit;
    return added;
}

#endif
