/* Whether chunks pay: see chunking.h. Lengths of ranges are data. Predictions are of even ones, for which chunks are a
 * kernel more that finds that it has nothing to do; what they are for is that one range may have most positions. */
#include "chunking.h"

#include "alone.h"
#include "ir/interp/interp.h"
#include "sched/kernel/sort.h"
#include "sched/plan/chunked.h"

#include <math.h>

/* What a level costs at most: of what the fold takes where ranges are even, sort included; and of what one range of all
 * positions would take. Choices. */
static const double OF_ALL = 0.25, OF_LONGEST = 5e-4;

typedef struct Chunking {
    ChunkedPlan *p;
    Alone alone;
} Chunking;

static void find_point(Chunking *x, const ChunkedFold *f) {
    alone_usual(&x->alone);
    alone_large(&x->alone, &f->below, 1, ALONE_OWNERS);
    alone_large(&x->alone, &f->n, 1, ALONE_KEYS);
    alone_legal(&x->alone);
}

/* Of the sort that there is, or of the search for owners, which is of chunks alone. */
static double sort_of(Chunking *x, const ChunkedFold *f, int64_t n, int64_t below) {
    const Machine *m = x->alone.machine;
    const Sort *s = f->starts->sort;
    if (!s) return 0;
    const SortWant want = sort_want(s, true);
    return sort_seconds(m, n, below, s->keys->type, want) + sort_way(m->target, n, below, want).launches * m->chained;
}

static double search_seconds(Chunking *x, const ChunkedFold *f, int64_t below) {
    const Machine *m = x->alone.machine;
    return f->starts->sort ? 0 : m->chained + m->begin + log2((double)below + 2) * m->l2_latency;
}

/* A launch in which each block learns whose its chunk is, by loads that wait for each other, and what it leaves, which
 * is written once and read once. */
static double level_seconds(Chunking *x, const ChunkedFold *f, int level) {
    enum { WAITS = 4 /* the order, its key, where the range begins and ends, what there is to fold */ };
    const Machine *m = x->alone.machine;
    int64_t left;
    if (!interp_int(x->alone.g, chunked_left(x->alone.g, x->alone.temp, f, level), x->alone.dims, NULL, &left))
        return (double)INFINITY;
    const double bytes = 2 * (double)left * type_bits(f->reduce->type) / 8;
    return m->chained + m->begin + WAITS * m->latency + bytes / m->bandwidth;
}

static int levels_of(Chunking *x, const ChunkedFold *f) {
    const Machine *m = x->alone.machine;
    int64_t n, below;
    if (!interp_int(x->alone.g, f->n, x->alone.dims, NULL, &n)) return 0;
    if (!interp_int(x->alone.g, f->below, x->alone.dims, NULL, &below)) return 0;
    const double whole = alone_seconds(&x->alone, f->reduce, f->piece) + sort_of(x, f, n, below);
    double cost = 0, longest = (double)n * m->latency;
    for (int level = 1; level <= CHUNK_LEVELS; level++) {
        const double more = level_seconds(x, f, level) + (level == 1 ? search_seconds(x, f, below) : 0);
        if (cost + more > OF_ALL * whole || more > OF_LONGEST * longest) return level - 1;
        cost += more;
        longest /= (double)chunk_positions(f, 1);
    }
    return CHUNK_LEVELS;
}

bool chunking_choose(Graph *g, Targets t, const Machine *m, bool exact) {
    Ctx *temp = ctx_temp(g->ctx);
    Chunking x = {.p = chunked_find(g, temp), .alone = alone_new(g, t, m, temp)};
    bool any = false;
    for (int i = 0; i < x.p->folds.n; i++) {
        ChunkedFold *f = x.p->folds.at[i];
        find_point(&x, f);
        any |= (f->levels = levels_of(&x, f)) > 0;
    }
    if (any) chunked_write(x.p, exact);
    ctx_temp_end(temp);
    return any;
}
