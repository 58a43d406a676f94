/* A map from expression nodes (or any pointers) to pointers, for walks over shared nodes. It lives in the arena. */
#ifndef TDC_EXPR_MAP_H
#define TDC_EXPR_MAP_H

#include "base.h"

typedef struct ExprMap {
    struct {
        const void *key;
        const void *value;
    } * slot;
    size_t n, cap;
} ExprMap;

static inline size_t expr_map_find(const ExprMap *m, const void *key) {
    uint64_t h = (uint64_t)(uintptr_t)key * 0x9E3779B97F4A7C15u;
    size_t i = (size_t)(h >> 20) & (m->cap - 1);
    while (m->slot[i].key && m->slot[i].key != key) i = (i + 1) & (m->cap - 1);
    return i;
}

static inline const void *expr_map_get(const ExprMap *m, const void *key) {
    return m->cap ? m->slot[expr_map_find(m, key)].value : NULL;
}

static inline void expr_map_put(Ctx *ctx, ExprMap *m, const void *key, const void *value) {
    if (m->n * 2 >= m->cap) {
        ExprMap old = *m;
        m->cap = old.cap ? old.cap * 2 : 4;
        m->slot = ctx_alloc(ctx, m->cap * sizeof *m->slot);
        for (size_t i = 0; i < old.cap; i++)
            if (old.slot[i].key) m->slot[expr_map_find(m, old.slot[i].key)] = old.slot[i];
        ctx_give_back(ctx, old.slot, old.cap * sizeof *old.slot);
    }
    size_t i = expr_map_find(m, key);
    if (!m->slot[i].key) m->n++;
    m->slot[i].key = key;
    m->slot[i].value = value;
}

#endif
