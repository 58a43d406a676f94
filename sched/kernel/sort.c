/* Facts of sorts: see sort.h. */
#include "sort.h"

#include "ir/interp/interp.h"

#include <math.h>

/* Of the largest key, which is the bound: keys outside of it count as that. */
static int key_bits(int64_t below) {
    int bits = 1;
    while (bits < SORT_KEYS && below >> bits) bits++;
    return bits;
}

/* 65536 keys took a cluster of 16 blocks 28 us on an H200, one of 8 blocks 36, and all blocks, in five launches, 31;
 * 100000 took one of 16 blocks 36 us, all blocks 33. */
static const SortFew one_block = {.digit = 8, .keys = 8192, .warps = 32, .blocks = 1, .found = 16384},
                     one_cluster = {.digit = SORT_DIGIT, .keys = 4096, .warps = 32, .blocks = 16, .found = 65536};

/* Keys and numbers, counters of the warps' and of the blocks' digits, and some words (sort.cuh). */
static int shared_bytes(const SortFew *f) { return 8 * f->keys + ((4 + f->warps + f->blocks) * 4 << f->digit); }

const SortFew *sort_few(const Target *t) {
    const bool fits = t->cluster >= one_cluster.blocks && t->shared >= shared_bytes(&one_cluster);
    return fits ? &one_cluster : &one_block;
}

const SortFew *sort_few_of_all(Targets t) {
    for (int i = 0; i < targets_count(t); i++)
        if (sort_few(targets_get(t, i)) == &one_block) return &one_block;
    return &one_cluster;
}

SortWay sort_way(const Target *t, int64_t keys, int64_t below, SortWant want) {
    const SortFew *f = sort_few(t);
    if (want == SORT_FIND) return (SortWay){.launches = 1};
    if (want == SORT_COUNTS) return (SortWay){.launches = 1 + (below > SORT_COUNTERS), .clears = true};
    const bool few = keys <= (int64_t)f->blocks * f->keys;
    const int bits = key_bits(below), most = few ? f->digit : SORT_DIGIT, passes = (bits + most - 1) / most;
    const bool apart = few ? below > f->found || below > SORT_GAPS * keys : passes > 1;
    int blocks = 1;
    while (blocks < f->blocks && keys > (int64_t)TARGET_WARP * f->warps * blocks) blocks *= 2;
    return (SortWay){.passes = passes,
                     .digit = (bits + passes - 1) / passes,
                     .launches = (few ? 1 : 1 + passes) + apart,
                     .clears = !few,
                     .apart = apart,
                     .few = few,
                     .blocks = blocks};
}

Sym sort_symbol(const Program *p, const SortStep *s) { return sym_fmt(p->ctx, "%s_%s", p->graph->name, s->name); }

/* e / by, rounded up. */
static const Expr *pieces(Graph *g, const Expr *e, int by) {
    return expr2(g, OP_DIV, expr2(g, OP_ADD, e, expr_int(g, TY_I64, by - 1)), expr_int(g, TY_I64, by));
}

static const Expr *times(Graph *g, int n, const Expr *e) { return expr2(g, OP_MUL, expr_int(g, TY_I64, n), e); }

const Expr *sort_scratch(Graph *g, const Sort *s) {
    /* Three passes have digits of all bits, others fewer counters. A pass has a ticket; a tile of sums tells two words,
     * and there is one more than their counts fill. */
    enum { PASSES = 3, COUNTERS = PASSES << SORT_DIGIT, MOST = 4, LISTS = 3, SUMS = 2, TICKETS = 2 };
    if (sort_ranks(s)) return rank_scratch(g, s);
    if (s->ascends) return expr_int(g, TY_I64, 0);
    if (!s->order)
        return expr2(g, OP_ADD, expr2(g, OP_ADD, s->below, times(g, SUMS, pieces(g, s->below, SORT_SUMS))),
                     expr_int(g, TY_I64, SUMS + TICKETS));
    const Expr *n = tensor_size(g, s->keys);
    return expr2(g, OP_ADD, expr2(g, OP_ADD, times(g, LISTS, n), times(g, COUNTERS, pieces(g, n, SORT_TILE))),
                 expr_int(g, TY_I64, COUNTERS + MOST));
}

bool sort_traffic(const Program *p, const SortStep *s, const int64_t *dims, Traffic *sum) {
    const Tensor *const t[] = {s->sort.keys, s->sort.order, s->sort.starts};
    int64_t shape[MAX_RANK], n, bytes[3] = {0};
    Text why = {.ctx = p->ctx};
    for (int i = 0; i < 3; i++) {
        if (!t[i]) continue;
        if (!interp_shape(p->graph, t[i], dims, shape, &n, &why)) return false;
        bytes[i] = (int64_t)host_bytes(t[i]->type, n);
    }
    *sum = (Traffic){.read = bytes[0], .written = bytes[1] + bytes[2]};
    return true;
}

/* ---- time ---- */

double sort_moved(const Machine *m, double bytes) {
    return bytes / (bytes < m->l2_share * m->l2 ? m->l2_bandwidth : m->bandwidth);
}

/* Instructions of a round of a warp: for each bit that lanes compare, and what is beside these, by many blocks and by
 * one in its shared memory. Fitted to what an H100 takes: a pass over 10^7 keys of f32 105 us, over 4.6 million of i64
 * 58 us; two passes of one block over 8192 keys 15 us. */
enum { A_BIT = 4, BESIDE = 200, BESIDE_INSIDE = 100 };

/* Seconds of rounds of warps that have a multiprocessor for themselves: what one takes alone, or what all issue. */
static double rounds_of(const Machine *m, double rounds, double warps, int each) {
    enum { SCHEDULERS = 4 };
    const double n = rounds * each;
    return fmax(n * m->pace, n * warps / (SCHEDULERS * m->issue_share)) / m->clock;
}

enum { AT_ONCE = 32 /* warps of a multiprocessor that sort by digits: its registers hold no more */ };

/* What tiles that are there at once take: the rounds of their warps. */
static double tile_life(const Machine *m, const SortPasses *w) {
    enum { LANES = 32 };
    const double rounds = w->tile / (LANES * w->warps), warps = fmin(AT_ONCE, fmax(1, w->tiles / m->sms) * w->warps);
    return m->begin + 2 * m->latency + rounds_of(m, rounds, warps, BESIDE + A_BIT * w->digit) + w->warps * m->exchange;
}

/* Tiles that begin together ask all those before them, some at a time, since none knows of more than its own yet. */
static double tiles_asked(const Machine *m, const SortPasses *w) {
    enum { ASKED = 8 };
    const double first = fmin(w->tiles, AT_ONCE / w->warps * m->sms), words = (double)((int64_t)1 << w->digit);
    return fmax(first / ASKED * m->l2_latency, first * first / 2 * words * sizeof(int32_t) / m->l2_bandwidth);
}

/* Starts by where neighbours in the order differ, or by searches: keys are read, starts written. */
static double found_between(const Machine *m, double n, double below) {
    const double searched = below > SORT_GAPS * n ? log2(fmax(n, 1)) * m->l1_latency : 0;
    return m->begin + 2 * m->latency + searched + sort_moved(m, (n + below) * sizeof(int32_t));
}

/* A thread searches for each start, its loads one after the other: those of neighbours are mostly the same ones, and
 * what all threads read in the end is sectors of the keys, or all of them. */
static double find_seconds(const Machine *m, double n, double below, Type t) {
    enum { SECTOR = 32 };
    const double waves = ceil((below + 1) / ((double)m->sms * m->target->threads_per_sm));
    const double read = fmin(n * type_bits(t) / 8, (below + 1) * SECTOR), written = (below + 1) * sizeof(int32_t);
    return m->begin + m->latency + waves * log2(n + 2) * m->l2_latency + sort_moved(m, read + written);
}

/* One block: exchanges are between its warps. Of a cluster blocks exchange, too, and keys move once more. */
static double few_seconds(const Machine *m, const SortWay *w, double n, double below) {
    enum { EXCHANGES = 6 /* of a pass */, MEETINGS = 2 };
    const bool several = w->blocks > 1;
    const int warps = sort_few(m->target)->warps, threads = TARGET_WARP * warps;
    const int each = (several ? 2 : 1) * BESIDE_INSIDE + A_BIT * w->digit;
    const double rounds = ceil(n / threads / w->blocks),
                 exchanges = EXCHANGES * m->exchange + warps * m->exchange / 2 + several * MEETINGS * m->meeting;
    const double starts = w->apart ? 0 : ((n + below) / threads / w->blocks + 1) * m->l1_latency;
    return m->begin + 2 * m->latency + w->passes * (rounds_of(m, rounds, warps, each) + exchanges) + starts;
}

/* Counters in shared memory take a warp's keys in some cycles, more where lanes meet in a bank; in the second cache
 * each key is the part of a sector. Then a block's counters are added to the others', which takes the second cache as
 * long as eight reads: 10^7 keys in 10^5 bins take an H200 71 us, in 1000 bins 20, 2^28 bytes 68. */
static double counted(const Machine *m, double n, double bins, Type t) {
    enum { APART = 2, TOGETHER = 8 /* cycles of a warp's keys */, LANES = 32, COPIES = 32, PARTS = 4, SECTOR = 32 };
    enum { ADDED = 8 };
    const double given = sort_moved(m, n * type_bits(t) / 8) * m->read_only,
                 room = m->target->shared / (double)sizeof(int32_t);
    const bool few = bins <= SORT_COUNTERS;
    if (!few && (bins > PARTS * room || n < bins)) return fmax(given, n * SECTOR / m->l2_bandwidth);
    const double parts = few ? 1 : ceil(bins / room), cycles = bins * COPIES <= SORT_COUNTERS ? APART : TOGETHER;
    const double blocks = fmin(m->sms, ceil(n / SORT_COUNTERS)), own = n / blocks;
    const double adds = own * cycles / LANES / m->clock, merged = blocks / parts * bins * sizeof(int32_t);
    return fmax(given * parts, adds) + ADDED * merged / m->l2_bandwidth;
}

static double counts_seconds(const Machine *m, double n, double below, Type t) {
    enum { ASKED = 32 };
    const double bins = type_bits(t) < SORT_KEYS ? fmin(below, (double)((int64_t)1 << type_bits(t))) : below;
    const double list = below * sizeof(int32_t), tiles = ceil(below / SORT_SUMS);
    const double asked =
        below > SORT_COUNTERS ? m->begin + fmin(tiles, m->sms) / ASKED * m->l2_latency : tiles * m->l2_latency;
    return m->begin + m->latency + counted(m, n, bins, t) + asked + 2 * m->latency + sort_moved(m, 2 * list);
}

double sort_passes_seconds(const Machine *m, const SortPasses *w) {
    const double given = w->keys * w->given, list = w->keys * (w->kept + (int)sizeof(int32_t)),
                 numbers = w->keys * sizeof(int32_t);
    const double waves = fmax(1, w->tiles * w->warps / (AT_ONCE * m->sms)),
                 life = waves * tile_life(m, w) + tiles_asked(m, w);
    const double told = w->tiles * (double)((int64_t)1 << w->digit) * sizeof(int32_t);
    double seconds = sort_moved(m, w->passes * told) + m->begin + m->latency + sort_moved(m, given);
    for (int i = 0; i < w->passes; i++) {
        const double read = i ? list : given, written = w->passes == 1 ? numbers : list;
        seconds += fmax(life, sort_moved(m, read + written + 2 * told));
    }
    return seconds;
}

/* All figures are the machine's; how many instructions a round has is counted in sort.cuh. */
double sort_seconds(const Machine *m, int64_t keys, int64_t below, Type t, SortWant want) {
    const SortWay w = sort_way(m->target, keys, below, want);
    const double n = (double)keys;
    double seconds = w.clears ? m->chained : 0;
    if (want == SORT_FIND) return find_seconds(m, n, (double)below, t);
    if (want == SORT_COUNTS) return seconds + counts_seconds(m, n, (double)below, t);
    seconds += w.few ? few_seconds(m, &w, n, (double)below)
                     : sort_passes_seconds(m, &(SortPasses){.passes = w.passes,
                                                            .digit = w.digit,
                                                            .keys = n,
                                                            .tile = SORT_TILE,
                                                            .warps = SORT_WARPS,
                                                            .tiles = ceil(n / SORT_TILE),
                                                            .given = type_bits(t) / 8,
                                                            .kept = sizeof(int32_t)});
    return w.apart ? seconds + found_between(m, n, (double)below) : seconds;
}

/* ---- steps ---- */

bool sort_sizes(const Program *p, const SortStep *s, const int64_t *dims, const double *scalars, SortSizes *out) {
    Graph *g = p->graph;
    const bool ranks = sort_ranks(&s->sort);
    const Expr *const e[] = {ranks ? rank_rows(g, &s->sort) : tensor_size(g, s->sort.keys),
                             ranks ? rank_length(&s->sort) : s->sort.below, ranks ? rank_kept(&s->sort) : NULL};
    int64_t v[3] = {0};
    for (int i = 0; i < 3; i++)
        if (e[i] && !interp_int(g, e[i], dims, scalars, &v[i])) return false;
    *out = ranks ? (SortSizes){.rank = {v[0], v[1], v[2]}} : (SortSizes){.keys = v[0], .below = v[1]};
    return true;
}

int sort_step_launches(const Target *t, const SortStep *s, const SortSizes *at) {
    if (sort_ranks(&s->sort)) return rank_way(&at->rank, s->sort.keys->type).launches;
    return sort_way(t, at->keys, at->below, sort_want(&s->sort, s->sort.order)).launches;
}

double sort_step_seconds(const Machine *m, const SortStep *s, const SortSizes *at) {
    const Type t = s->sort.keys->type;
    if (sort_ranks(&s->sort)) return rank_seconds(m, &at->rank, t);
    return sort_seconds(m, at->keys, at->below, t, sort_want(&s->sort, s->sort.order));
}
