/* Accesses at given sizes: how many sectors and lines a warp's instruction, a block and all blocks touch, from how far
 * the address moves along each digit. */
#include "judge_access.h"

#include <math.h>

/* A digit that moves the address by `bytes`, `count` times. */
typedef struct Walk {
    double bytes, count;
    bool data;
} Walk;

static DigitAt digit_at(const Features *f, const Access *a, const Digit *d) {
    double by = f->value[d->coef], count = least_of(f->value[d->count], most_of(1, f->value[d->most]));
    if (d->divisor >= 0) {
        const double slope = f->value[d->slope], n = f->value[d->divisor], scale = f->value[d->scale];
        const bool wraps = by * scale < 0; /* a remainder: the address goes back where a row ends */
        /* Rows that something lies between: on the way along one nothing is left out. */
        const bool along = by > 0 && scale > 0 && slope < n;
        if (n > 0 && !along) by += scale * (wraps ? floor(slope / n) : slope / n);
        /* What moves by another quotient too does not come back to where it was. */
        if (wraps && !d->data && slope > 0 && slope < n) count = least_of(count, ceil(n / slope));
    }
    return (DigitAt){fabs(by) * a->bytes, count};
}

/* By value: a struct on the stack would be read before it is written through. */
static inline void insert(Walk *w, int *n, double bytes, double count, bool data) {
    int i = (*n)++;
    for (; i > 0 && w[i - 1].bytes > bytes; i--) w[i] = w[i - 1];
    w[i].bytes = bytes;
    w[i].count = count;
    w[i].data = data;
}

/* Pieces of memory of `granule` bytes that all of the walks touch together, from `run` bytes on. Walks, the shortest
 * first, either continue what those before cover, or repeat it elsewhere: in *apart places. Those of windows fall on
 * places that others have. Where places are not aligned, they begin at any element. */
static double pieces(const Walk *w, int n, double run, double granule, double element, bool aligned, double *apart) {
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
    Walk warp[FEATURE_DIGITS], block[FEATURE_DIGITS], all[FEATURE_DIGITS];
    Walk reg[FEATURE_DIGITS];
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
    insert(w->all, &w->nall, by, count, d->data);
    if (d->scope == SCOPE_BLOCK || d->scope == SCOPE_LOOP) {
        w->shifted |= !d->data && !is_multiple(by, sector);
        return;
    }
    insert(w->block, &w->nblock, by, count, d->data);
    if (d->scope == SCOPE_REG) {
        add_register(a, by, walked, wide, w);
        return;
    }
    const double n = of_warp(f, d, count);
    if (n > 1 && !part) insert(w->warp, &w->nwarp, by, n, d->data);
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
    Walk w[FEATURE_DIGITS];
    double part = 1;
    int n = 0;
    for (int i = 0; i < a->ndigits; i++)
        if (digit[i].by > 0 && digit[i].count > 1 && !a->digit[i].data)
            insert(w, &n, digit[i].by, digit[i].count, false);
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
