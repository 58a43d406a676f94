/* Facts of ranks: see rank.h. */
#include "rank.h"

#include "ir/expr_is.h"
#include "ir/rewrite.h"
#include "sort.h"

#include <math.h>

enum { DIGIT = 8, WARP = 32 };

static int key_words(Type t) { return type_bits(t) > 32 ? 2 : 1; }
/* Of an element that a block compares: narrow keys of short rows have half as much. */
static double element_words(const RankSizes *at, Type t) {
    return type_bits(t) <= 16 && at->n <= RANK_ROW ? 0.5 : key_words(t);
}
static int passes_of(Type t) { return type_bits(t) / DIGIT; }
static int lists_of(Type t) { return passes_of(t) < 3 ? passes_of(t) - 1 : 2; }
static int64_t pieces(int64_t n, int64_t by) { return by ? (n + by - 1) / by : 0; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Elements of a thread where lanes of a warp have a row. */
static int64_t found_of(const RankSizes *at) {
    enum { SHORT = 8, LONG = 32 };
    return at->n <= SHORT * WARP ? SHORT : LONG;
}

static int lanes_of(const RankSizes *at) {
    int lanes = 1;
    if (at->n > RANK_SHORT || at->kept > RANK_FEW) return 0;
    while (lanes * found_of(at) < at->n) lanes *= 2;
    return lanes;
}

RankWay rank_way(const RankSizes *at, Type t) {
    const int lanes = lanes_of(at);
    if (lanes) return (RankWay){.parts = 1, .launches = 1, .lanes = lanes};
    if (at->n > RANK_ROW && at->kept > RANK_KEPT)
        return (RankWay){.passes = passes_of(t), .parts = 1, .launches = 1 + passes_of(t)};
    const int64_t parts =
        at->n <= RANK_ROW || !at->rows || !at->kept
            ? 1
            : least(least(pieces(at->n, RANK_PART), pieces(RANK_BLOCKS, at->rows)), RANK_MERGED / at->kept);
    return (RankWay){.parts = parts, .launches = parts > 1 ? 2 : 1};
}

const Expr *rank_rows(Graph *g, const Sort *s) {
    const Expr *n = expr_int(g, TY_I64, 1);
    for (int d = 0; d + 1 < s->keys->rank; d++) n = d ? expr2(g, OP_MUL, n, s->keys->shape[d]) : s->keys->shape[d];
    return n;
}

const Expr *rank_length(const Sort *s) { return s->keys->shape[s->keys->rank - 1]; }
const Expr *rank_kept(const Sort *s) { return s->order->shape[s->order->rank - 1]; }

bool rank_may_find(const Sort *s) {
    const Expr *const sizes[] = {rank_length(s), rank_kept(s)};
    const int64_t most[] = {RANK_SHORT, RANK_FEW};
    bool may = true;
    for (int i = 0; i < 2; i++) {
        int64_t lo = 0;
        if (sizes[i]->op == OP_DIM) lo = sizes[i]->u.dim->lo;
        expr_is_int(sizes[i], &lo);
        may &= lo <= most[i];
    }
    return may;
}

/* ---- scratch ---- */

static const Expr *number(Graph *g, int64_t v) { return expr_int(g, TY_I64, v); }

static const Expr *or_folded(Graph *g, const Expr *e) {
    const Expr *v = expr_fold(g, e);
    return v ? v : e;
}

static const Expr *folded(Graph *g, Op op, const Expr *a, const Expr *b) { return or_folded(g, expr2(g, op, a, b)); }
static const Expr *times(Graph *g, const Expr *a, const Expr *b) { return folded(g, OP_MUL, a, b); }

static const Expr *rounded_up(Graph *g, const Expr *n, const Expr *by) {
    return folded(g, OP_DIV, folded(g, OP_SUB, folded(g, OP_ADD, n, by), number(g, 1)), by);
}

/* What parts of rows keep: rank_way's parts. */
static const Expr *parts_scratch(Graph *g, const Sort *s, const Expr *rows) {
    const Expr *kept = rank_kept(s), *parts = rounded_up(g, rank_length(s), number(g, RANK_PART));
    parts = folded(g, OP_MIN, parts, rounded_up(g, number(g, RANK_BLOCKS), rows));
    parts = folded(g, OP_MIN, parts, folded(g, OP_DIV, number(g, RANK_MERGED), kept));
    return times(g, number(g, 2 * key_words(s->keys->type)), times(g, rows, times(g, parts, kept)));
}

/* Lists of keys and places, what a row's passes count, their tickets, and what tiles tell each other. */
static const Expr *passes_scratch(Graph *g, const Sort *s, const Expr *rows) {
    const Type t = s->keys->type;
    const int64_t counts = (int64_t)passes_of(t) << DIGIT;
    const Expr *lists = times(g, number(g, lists_of(t) * (key_words(t) + 1)), times(g, rows, rank_length(s)));
    const Expr *tiles = rounded_up(g, rank_length(s), number(g, RANK_TILE));
    const Expr *told = times(g, number(g, counts), times(g, rows, folded(g, OP_ADD, tiles, number(g, 1))));
    return folded(g, OP_ADD, folded(g, OP_ADD, lists, told), number(g, passes_of(t)));
}

/* What is needed for n up to `most`, and for more. */
static const Expr *choice(Graph *g, const Expr *n, int64_t most, const Expr *few, const Expr *many) {
    int64_t lo = 0, hi = INT64_MAX;
    if (expr_is_int(n, &lo)) hi = lo;
    if (n->op == OP_DIM) lo = n->u.dim->lo, hi = n->u.dim->hi;
    if (hi <= most || lo > most) return hi <= most ? few : many;
    return expr3(g, OP_IF, expr2(g, OP_LE, n, number(g, most)), few, many);
}

const Expr *rank_scratch(Graph *g, const Sort *s) {
    const Expr *rows = rank_rows(g, s);
    const Expr *longer = choice(g, rank_kept(s), RANK_KEPT, parts_scratch(g, s, rows), passes_scratch(g, s, rows));
    return choice(g, rank_length(s), RANK_ROW, number(g, 0), longer);
}

/* ---- time ---- */

/* A block of prelude/rank.cuh: its threads, and how many elements each has. */
typedef struct Block {
    int64_t threads, each;
} Block;

static Block block_of(const RankSizes *at) {
    enum { SMALL = 64, SAMPLE = 256 /* that keeps the best eight */, ROOM = 32 /* for one that is kept */ };
    const bool longer = at->n > RANK_ROW;
    int64_t all = longer ? SAMPLE : SMALL;
    while (longer ? all < 2 * RANK_KEPT && all < ROOM * at->kept : all < at->n) all *= 2;
    const int64_t each = all < SAMPLE || (longer && all == SAMPLE) ? 2 : 8;
    return (Block){all / each, each};
}

/* Instructions of a warp whose block puts its elements in order: what a step has for an element, where the other one is
 * in the thread, in the warp, and elsewhere in the block. */
static double network(Block b, double words) {
    enum { INSIDE = 4, LANE = 7, BLOCK = 9 };
    const double inside = log2((double)b.each);
    double in_thread = inside * (inside - 1) / 2, lanes = 0, block = 0;
    for (int64_t k = 1; k <= b.threads; k *= 2) {
        in_thread += inside;
        for (int64_t d = k / 2; d; d /= 2) d < WARP ? lanes++ : block++;
    }
    return (double)b.each * words * (INSIDE * in_thread + LANE * lanes + BLOCK * block);
}

static double issued(const Machine *m, double instructions) {
    enum { SCHEDULERS = 4 };
    return instructions / (SCHEDULERS * m->issue_share * m->sms * m->clock);
}

/* So many blocks put their elements in order, so many times; one that is alone waits for what it issues. */
static double networks(const Machine *m, double blocks, Block b, double rounds, double words) {
    const double one = network(b, words) * rounds;
    return fmax(issued(m, one * blocks * (double)b.threads / WARP), one * m->pace / m->clock);
}

/* Instructions of the warps that have all rows: each element is loaded, and made a key; for each that is wanted all are
 * compared, and left out where they are the one that was found. */
static double few_instructions(const RankSizes *at, Type t) {
    enum { MADE = 8, COMPARED = 3, FOUND = 7 };
    const double words = element_words(at, t), each = (double)found_of(at), lanes = lanes_of(at);
    const double one = each * MADE + (double)at->kept * words * (2 * COMPARED * each + FOUND * log2(lanes));
    return one * ceil((double)at->rows * lanes / WARP);
}

static double few_seconds(const Machine *m, const RankSizes *at, Type t) {
    const double bytes = (double)at->rows * ((double)at->n * type_bits(t) / 8 + (double)at->kept * sizeof(int32_t));
    return m->begin + 2 * m->latency + fmax(sort_moved(m, bytes), issued(m, few_instructions(at, t)));
}

static double rows_seconds(const Machine *m, const RankSizes *at, Type t) {
    const double rows = (double)at->rows,
                 bytes = rows * ((double)at->n * type_bits(t) / 8 + (double)at->kept * sizeof(int32_t));
    return m->begin + 2 * m->latency +
           fmax(sort_moved(m, bytes), networks(m, rows, block_of(at), 1, element_words(at, t)));
}

/* Elements beyond those that a block begins with are compared with the last one that it keeps; of n in no order some
 * kept * log(n) come before that. */
static double parts_seconds(const Machine *m, const RankSizes *at, Type t) {
    enum { COMPARED = 8 /* instructions of an element */ };
    const RankWay w = rank_way(at, t);
    const Block b = block_of(at);
    const double all = (double)(b.threads * b.each), kept = (double)at->kept, room = all - kept;
    const double blocks = (double)(at->rows * w.parts), n = (double)at->n / (double)w.parts;
    const double moved = sort_moved(m, (double)(at->rows * at->n) * type_bits(t) / 8) * m->read_only;
    double seconds = m->begin + 2 * m->latency;
    seconds += fmax(moved, issued(m, (double)(at->rows * at->n) / WARP * COMPARED) +
                               networks(m, blocks, b, 2 + kept * log(n / all + 1) / room, key_words(t)));
    if (w.parts == 1) return seconds;
    const double merged = ceil((double)w.parts * kept / room);
    return seconds + m->begin + 2 * m->latency + networks(m, (double)at->rows, b, 1 + merged, key_words(t));
}

static double passes_seconds(const Machine *m, const RankSizes *at, Type t) {
    const double keys = (double)(at->rows * at->n), tiles = (double)(at->rows * pieces(at->n, RANK_TILE));
    return m->chained + sort_passes_seconds(m, &(SortPasses){.passes = passes_of(t),
                                                             .digit = DIGIT,
                                                             .keys = keys,
                                                             .tile = RANK_TILE,
                                                             .warps = RANK_WARPS,
                                                             .tiles = tiles,
                                                             .given = type_bits(t) / 8,
                                                             .kept = key_words(t) * (int)sizeof(int32_t)});
}

double rank_seconds(const Machine *m, const RankSizes *at, Type t) {
    if (!at->rows || !at->kept) return 0;
    if (lanes_of(at)) return few_seconds(m, at, t);
    if (at->n <= RANK_ROW) return rows_seconds(m, at, t);
    return rank_way(at, t).passes ? passes_seconds(m, at, t) : parts_seconds(m, at, t);
}
