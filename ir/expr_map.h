/* A map from expression nodes (or any pointers) to what a walk notes of them: a constant, an object that may be changed
 * or a number, the same kind throughout a map. It lives in the arena. */
#ifndef TDC_EXPR_MAP_H
#define TDC_EXPR_MAP_H

#include "base.h"

typedef struct ExprMapSlot {
    const void *key;
    union {
        const void *value;
        void *object;
        intptr_t number;
    } u;
} ExprMapSlot;

typedef struct ExprMap {
    ExprMapSlot *slot;
    size_t n, cap;
} ExprMap;

static inline size_t expr_map_find(const ExprMap *m, const void *key) {
    uint64_t h = (uint64_t)(uintptr_t)key * 0x9E3779B97F4A7C15u;
    size_t i = (size_t)(h >> 20) & (m->cap - 1);
    while (m->slot[i].key && m->slot[i].key != key) i = (i + 1) & (m->cap - 1);
    return i;
}

/* The key's place, which is made if it has none; it holds until something else is put. */
static inline ExprMapSlot *expr_map_slot(Ctx *ctx, ExprMap *m, const void *key) {
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
    return &m->slot[i];
}

/* What was put; NULL: nothing. */
static inline const void *expr_map_get(const ExprMap *m, const void *key) {
    return m->cap ? m->slot[expr_map_find(m, key)].u.value : NULL;
}

static inline void expr_map_put(Ctx *ctx, ExprMap *m, const void *key, const void *value) {
    expr_map_slot(ctx, m, key)->u.value = value;
}

/* Of a map of objects; NULL: nothing was put. */
static inline void *expr_map_object(const ExprMap *m, const void *key) {
    return m->cap ? m->slot[expr_map_find(m, key)].u.object : NULL;
}

static inline void expr_map_put_object(Ctx *ctx, ExprMap *m, const void *key, void *object) {
    expr_map_slot(ctx, m, key)->u.object = object;
}

/* Of a map of numbers; `none` where none was put. */
static inline intptr_t expr_map_number(const ExprMap *m, const void *key, intptr_t none) {
    if (!m->cap) return none;
    size_t i = expr_map_find(m, key);
    return m->slot[i].key ? m->slot[i].u.number : none;
}

static inline void expr_map_put_number(Ctx *ctx, ExprMap *m, const void *key, intptr_t number) {
    expr_map_slot(ctx, m, key)->u.number = number;
}

#endif
