/* Facts of sorts: see sort.h. */
#include "sort.h"

#include "ir/interp/interp.h"

#include <math.h>

enum { MOST_PASSES = 4 };

/* Of the largest key, which is the bound: keys outside of it count as that. */
static int key_bits(int64_t below) {
    int bits = 1;
    while (bits < SORT_KEYS && below >> bits) bits++;
    return bits;
}

int sort_passes(int64_t below) { return (key_bits(below) + SORT_DIGIT - 1) / SORT_DIGIT; }

int sort_digit(int64_t below) { return (key_bits(below) + sort_passes(below) - 1) / sort_passes(below); }

Sym sort_symbol(const Program *p, const SortStep *s) { return sym_fmt(p->ctx, "%s_%s", p->graph->name, s->name); }

const Expr *sort_scratch(Graph *g, const Tensor *keys) {
    /* Counters of all passes, and the number of the next tile of each. Three passes have digits of all bits, four have
     * shorter ones. */
    enum { HEAD = (MOST_PASSES << SORT_DIGIT) + MOST_PASSES, TILE = 3 << SORT_DIGIT, LISTS = 3 };
    const Expr *n = tensor_size(g, keys);
    const Expr *tiles =
        expr2(g, OP_DIV, expr2(g, OP_ADD, n, expr_int(g, TY_I64, SORT_TILE - 1)), expr_int(g, TY_I64, SORT_TILE));
    const Expr *lists = expr2(g, OP_MUL, expr_int(g, TY_I64, LISTS), n);
    const Expr *told = expr2(g, OP_MUL, expr_int(g, TY_I64, TILE), tiles);
    return expr2(g, OP_ADD, expr2(g, OP_ADD, lists, told), expr_int(g, TY_I64, HEAD));
}

int sort_launches(int64_t below) {
    const int passes = sort_passes(below);
    return 1 + passes + (passes > 1);
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

/* A kernel that moves so many bytes: from and to the second cache where that holds all of them. */
static double moved(const Machine *m, double bytes) {
    return bytes / (bytes < m->l2_share * m->l2 ? m->l2_bandwidth : m->bandwidth);
}

/* What one tile takes beside what it shares with others: rounds of its warps, each of which compares digits bit by bit,
 * and the tiles before it that it asks, some at a time. */
static double tile_life(const Machine *m, int digit, double tiles) {
    enum { ROUNDS = SORT_TILE / 256, BESIDE = 24 /* instructions of a round */, A_BIT = 4, WARPS = 8, ASKED = 8 };
    const double rounds = (double)ROUNDS * (BESIDE + A_BIT * digit) * m->pace / m->clock;
    const double asked = fmin(tiles, m->sms) / ASKED * m->l2_latency;
    return m->begin + 2 * m->latency + rounds + WARPS * m->exchange + asked;
}

/* All figures are the machine's; how many instructions a round has is counted in sort.cuh. */
double sort_seconds(const Machine *m, int64_t keys, int64_t below, Type t, bool ordered) {
    enum { AT_ONCE = 2 /* tiles of a multiprocessor: its registers hold no more */ };
    const int passes = sort_passes(below), digit = sort_digit(below), lists = ordered ? 2 : 1;
    const double n = (double)keys, given = n * type_bits(t) / 8, list = n * sizeof(int32_t);
    const double tiles = ceil(n / SORT_TILE), waves = fmax(1, tiles / (AT_ONCE * m->sms));
    const double told = tiles * (double)((int64_t)1 << digit) * sizeof(int32_t);
    const double life = waves * tile_life(m, digit, tiles);
    double seconds = m->chained + moved(m, passes * told) + m->begin + m->latency + moved(m, passes * given);
    for (int i = 0; i < passes; i++) {
        const bool last = i + 1 == passes;
        const double read = i ? list * lists : given;
        const double written = last && passes == 1 ? list * (lists - 1) : list * lists;
        if (last && passes == 1 && !ordered) break;
        seconds += fmax(life, moved(m, read + written + 2 * told));
    }
    if (passes > 1) { /* a search for each start: its loads wait for each other, and mostly find the second cache */
        const double steps = log2(n + 2), starts = (double)below + 1, at_once = m->target->threads_per_sm * m->sms;
        seconds += m->begin + fmax(1, starts / at_once) * steps * m->l2_latency;
    }
    return seconds;
}
