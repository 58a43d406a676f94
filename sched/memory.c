/* The lifetimes of temporaries and of the library's scratch, and where they lie in the workspace: see memory.h. */
#include "memory.h"

#include "ir/expr_map.h"
#include "product.h"

typedef struct Finding {
    Regions *pieces;
    ExprMap of; /* Tensor -> its place among the pieces + 1 */
    int step;
} Finding;

static void used_at(Finding *x, const Tensor *t) {
    intptr_t at = t ? (intptr_t)expr_map_get(&x->of, t) : 0;
    if (!at) return;
    Region *piece = &x->pieces->at[at - 1];
    if (piece->first < 0) piece->first = x->step;
    piece->last = x->step;
}

static void used_by_stages(Finding *x, Stage *const *at, int n) {
    for (int i = 0; i < n; i++) {
        used_at(x, at[i]->tensor);
        used_at(x, at[i]->counter);
        used_by_stages(x, at[i]->body.at, at[i]->body.n);
    }
}

static void used_by_kernel(Finding *x, const Kernel *k) {
    for (int i = 0; i < k->parts.n; i++) used_by_stages(x, k->parts.at[i]->body.at, k->parts.at[i]->body.n);
    if (!k->product) return;
    const Matrix *m[] = {&k->product->a, &k->product->b, &k->product->c, &k->product->d, &k->product->bias};
    for (size_t i = 0; i < sizeof m / sizeof *m; i++) used_at(x, m[i]->tensor);
}

Regions program_pieces(Ctx *ctx, const Program *p) {
    Regions all = {0};
    Finding x = {.pieces = &all};
    for (int i = 0; i < p->temps.n; i++) {
        vec_push(ctx, &all, ((Region){.temp = p->temps.at[i], .first = -1}));
        expr_map_put(ctx, &x.of, p->temps.at[i], (const void *)(intptr_t)all.n);
    }
    for (int i = 0; i < p->zeroed.n; i++) used_at(&x, p->zeroed.at[i]); /* cleared before the first kernel */
    for (x.step = 0; x.step < p->kernels.n; x.step++) {
        used_by_kernel(&x, p->kernels.at[x.step]);
        if (p->kernels.at[x.step]->product) vec_push(ctx, &all, ((Region){.first = x.step, .last = x.step}));
    }
    return all;
}

static bool meet(const Region *a, const Region *b) { return a->first <= b->last && b->first <= a->last; }

enum { MAX_MEETINGS = 1 << 18 /* in one entry */, MAX_PIECES = 1 << 13 };

bool pieces_meetings(Ctx *ctx, const Regions *pieces, Meetings *m) {
    int n = pieces->n;
    *m = (Meetings){0};
    if (n > MAX_PIECES) return false;
    for (int i = 0; i < n; i++) {
        vec_push(ctx, &m->starts, m->meets.n);
        for (int j = 0; j < n; j++)
            if (i != j && meet(&pieces->at[i], &pieces->at[j])) vec_push(ctx, &m->meets, j);
        if (m->meets.n > MAX_MEETINGS) return false;
    }
    vec_push(ctx, &m->starts, m->meets.n);
    return true;
}

static int64_t aligned(int64_t bytes) { return (bytes + PLACE_ALIGN - 1) / PLACE_ALIGN * PLACE_ALIGN; }

/* The first place from `at` on that is free of the pieces that meet this one and have a place. */
static int64_t first_gap(const Meetings *m, int piece, const int64_t *bytes, const int64_t *offset) {
    int64_t at = 0, size = aligned(bytes[piece]);
    for (bool moved = true; moved;) {
        moved = false;
        for (int k = m->starts.at[piece]; k < m->starts.at[piece + 1]; k++) {
            int other = m->meets.at[k];
            int64_t end = offset[other] + aligned(bytes[other]);
            if (offset[other] >= 0 && at < end && offset[other] < at + size) at = end, moved = true;
        }
    }
    return at;
}

bool pieces_place(Ctx *ctx, int n, const Meetings *m, const int64_t *bytes, int64_t *offset, int64_t *total) {
    int *order = NEW_N(ctx, int, n + 1);
    *total = 0;
    for (int i = 0; i < n; i++) order[i] = i, offset[i] = -1;
    for (int step = m ? n / 2 : 0; step > 0; step /= 2)
        for (int i = step; i < n; i++) {
            int piece = order[i], k = i;
            for (; k >= step && bytes[order[k - step]] < bytes[piece]; k -= step) order[k] = order[k - step];
            order[k] = piece;
        }
    for (int i = 0; i < n; i++) {
        int piece = order[i];
        int64_t size = aligned(bytes[piece]), at = m ? first_gap(m, piece, bytes, offset) : *total;
        offset[piece] = at;
        if (size && at + size > *total) *total = at + size;
        if (*total > (int64_t)1 << 60) return false;
    }
    return true;
}
