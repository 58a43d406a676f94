/* Accesses at given sizes: how many sectors and lines a warp's instruction, a block and all blocks touch, from how far
 * the address moves along each digit. */
#include "judge_access.h"

#include <math.h>

enum { WALKS = 2 * FEATURE_DIGITS /* each may go along a row, and from row to row */ };

/* A digit that moves the address by `bytes`, `count` times. */
typedef struct Walk {
    double bytes, count;
    bool data;
} Walk;

/* A quotient of the digit steps when a row ends: the address moves on from there to the next row, or comes back to
 * where the first one began. */
static void go_by_rows(DigitAt *at, double along, double row) {
    if (row == 0) {
        at->count = least_of(at->count, ceil(along));
    } else {
        at->rows = at->count / along;
        at->row = fabs(row);
    }
}

static DigitAt digit_at(const Features *f, const Access *a, const Digit *d) {
    const double count = least_of(f->value[d->count], most_of(1, f->value[d->most]));
    double by = f->value[d->coef];
    DigitAt at = {.count = count, .rows = 1};
    if (d->divisor >= 0) {
        const double slope = f->value[d->slope], n = f->value[d->divisor], scale = f->value[d->scale];
        const bool inside = by != 0 && !d->data && slope > 0 && slope < n;
        const bool wraps = by * scale < 0; /* a remainder: the address goes back where a row ends */
        if (inside && count * slope > n) go_by_rows(&at, n / slope, (by * n / slope + scale) * a->bytes);
        if (n > 0 && !inside) by += scale * (wraps ? floor(slope / n) : slope / n);
    }
    at.by = fabs(by) * a->bytes;
    return at;
}

/* By value: a struct on the stack would be read before it is written through. */
static inline void insert(Walk *w, int *n, double bytes, double count, bool data) {
    int i = (*n)++;
    for (; i > 0 && w[i - 1].bytes > bytes; i--) w[i] = w[i - 1];
    w[i].bytes = bytes;
    w[i].count = count;
    w[i].data = data;
}

/* What a digit walks of so many places: along a row, and from row to row. */
static inline void insert_rows(Walk *w, int *n, const DigitAt *at, double count, bool data) {
    const double along = at->count / at->rows;
    insert(w, n, at->by, least_of(count, along), data);
    if (count > along) insert(w, n, at->row, count / along, data);
}

/* Pieces of memory of `granule` bytes that all of the walks touch together, from `run` bytes on. Walks, the shortest
 * first, either continue what those before cover, or repeat it elsewhere: in *apart places. Those of windows fall on
 * places that others have. Where places are not aligned, they begin at any element. */
static inline double pieces(const Walk *w, int n, double run, double granule, double element, bool aligned,
                            double *apart) {
    double runs = 1, row = 0, rows = 1; /* the last walk elsewhere: how far, how often */
    for (int i = 0; i < n; i++) {
        if (!w[i].data && w[i].bytes <= most_of(run, granule)) {
            run += w[i].bytes * (w[i].count - 1);
        } else if (!w[i].data && row > 0 && w[i].bytes < row * rows && is_multiple(w[i].bytes, row)) {
            rows += w[i].bytes / row * (w[i].count - 1);
        } else {
            runs *= rows;
            row = w[i].data ? 0 : w[i].bytes;
            rows = w[i].count;
        }
    }
    runs *= rows;
    *apart = runs;
    return runs * (aligned ? ceil(run / granule) : (run - element) / granule + 1);
}

/* Digits of a scope or of a warp. */
static double of_warp(const Features *f, const Digit *d, double count) {
    if (d->near >= 0) return least_of(count, f->value[d->near]);
    return d->weight >= TARGET_WARP ? 1 : least_of(count, (double)TARGET_WARP / d->weight);
}

typedef struct Walks {
    Walk warp[WALKS], block[WALKS], all[WALKS];
    Walk reg[WALKS];
    int nwarp, nblock, nall, nreg;
    double instructions;
    double cut;   /* the part of a block's digits that lies inside */
    bool shifted; /* blocks, or iterations, begin inside of sectors of others */
} Walks;

/* Steps that mostly stay at one element are one load; windows along two digits of one step overlap. */
static void add_register(const Access *a, double by, double count, bool wide, Walks *w) {
    if (by < a->bytes && wide) count = most_of(1, ceil(by * count / a->bytes));
    for (int i = 0; i < w->nreg; i++) {
        if (w->reg[i].bytes != by) continue;
        w->instructions *= (w->reg[i].count + count - 1) / w->reg[i].count;
        w->reg[i].count += count - 1;
        return;
    }
    w->reg[w->nreg++] = (Walk){by, count, false};
    w->instructions *= count;
}

static void add_digit(const Features *f, const Access *a, int i, const DigitAt *at, bool wide, double sector,
                      Walks *w) {
    const Digit *d = &a->digit[i];
    const double by = at->by, count = at->count;
    const bool part = d->serves && wide;
    const double walked = f->value[d->count];
    if (d->scope == SCOPE_THREAD || d->scope == SCOPE_REG) w->cut *= count / walked;
    if (by == 0 || walked <= 1) return;
    insert_rows(w->all, &w->nall, at, count, d->data);
    if (d->scope == SCOPE_BLOCK || d->scope == SCOPE_LOOP) {
        w->shifted |= !d->data && !is_multiple(by, sector);
        return;
    }
    insert_rows(w->block, &w->nblock, at, count, d->data);
    if (d->scope == SCOPE_REG) {
        add_register(a, by, walked / at->rows, wide, w);
        if (at->rows > 1) add_register(a, at->row, at->rows, wide, w);
        return;
    }
    const double n = of_warp(f, d, count);
    if (n > 1 && !part) insert_rows(w->warp, &w->nwarp, at, n, d->data);
}

/* Whether whatever is beyond a sector moves by sectors. */
static bool is_aligned(const Walks *w, double sector) {
    for (int i = 0; i < w->nall; i++)
        if (w->all[i].bytes > sector && !is_multiple(w->all[i].bytes, sector)) return false;
    return true;
}

/* Sectors that a block touches and does not fill: all of them where there are gaps or pieces are shorter than a sector;
 * else those at the ends of pieces. */
static double partly(const Access *a, const Walks *w, const Touched *t, double sector, bool aligned) {
    static const double WHOLE = 0.95;
    double bytes = a->bytes;
    for (int i = 0; i < w->nblock; i++) bytes *= w->block[i].count;
    const double run = bytes / t->apart;
    if (aligned && (run < sector || bytes < WHOLE * t->block * sector)) return t->block;
    if (aligned) return is_multiple(run, sector) ? 0 : t->apart;
    return least_of(t->block, 2 * t->apart);
}

Touched access_touched(const Features *f, const Access *a, DigitAt *digit, bool wide, const Target *on) {
    enum { HALF = 2 /* sectors that memory moves together */ };
    Walks w; /* not cleared: that would take as long as the rest */
    Touched t;
    const double vector = wide ? a->vector : 1, one = vector * a->bytes, sector = on->sector, half = HALF * sector;
    w.nwarp = w.nblock = w.nall = w.nreg = 0;
    w.instructions = w.cut = 1;
    w.shifted = false;
    for (int i = 0; i < a->ndigits; i++) {
        digit[i] = digit_at(f, a, &a->digit[i]);
        add_digit(f, a, i, &digit[i], wide, sector, &w);
    }
    const double inside = least_of(1, f->value[a->inside] / w.cut);
    const bool aligned = !w.shifted && is_aligned(&w, sector);
    t.instructions = most_of(1, w.instructions / vector);
    t.sectors = pieces(w.warp, w.nwarp, one, sector, a->bytes, aligned, &t.apart);
    t.filled = one;
    for (int i = 0; i < w.nwarp; i++) t.filled *= w.warp[i].count;
    t.filled = least_of(1, t.filled / (t.sectors * sector));
    t.passes = pieces(w.warp, w.nwarp, one, on->line, a->bytes, aligned, &t.apart);
    t.passes = most_of(t.passes, most_of(1, t.sectors * sector / on->line));
    t.whole = pieces(w.all, w.nall, a->bytes, half, a->bytes, true, &t.apart) * half;
    t.block = pieces(w.block, w.nblock, a->bytes, sector, a->bytes, aligned, &t.apart);
    t.partly = partly(a, &w, &t, sector, aligned);
    t.block *= inside;
    t.partly *= inside;
    t.apart *= inside;
    return t;
}

/* The part of what an access walks that it has when it begins `shift` bytes further on: the longest steps first, of
 * which the shift makes some. What is left of it may lie in the same sectors. */
static double overlap(const Access *a, const DigitAt *digit, double shift, double sector) {
    Walk w[WALKS];
    double part = 1;
    int n = 0;
    for (int i = 0; i < a->ndigits; i++)
        if (digit[i].by > 0 && digit[i].count > 1 && !a->digit[i].data)
            insert_rows(w, &n, &digit[i], digit[i].count, false);
    while (n-- && shift > 0) {
        const double steps = floor(shift / w[n].bytes);
        if (steps >= w[n].count) return 0;
        part *= 1 - steps / w[n].count;
        shift -= steps * w[n].bytes;
    }
    return shift < sector ? part : 0;
}

bool access_follows(const Features *f, int access, const DigitAt *digit, double sector) {
    static const double MOST = 0.5;
    const Access *a = &f->accesses.at[access];
    for (int i = a->alike; i >= 0; i = f->accesses.at[i].alike) {
        const double shift = fabs(f->value[a->start] - f->value[f->accesses.at[i].start]) * a->bytes;
        if (overlap(a, digit, shift, sector) >= MOST) return true;
    }
    return false;
}
