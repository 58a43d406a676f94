/* Sizes at which schedules are compared: see points.h. The grid is the product of a few values of each dimension
 * without a hint. They are far apart, since a schedule that is good for a length is good for half and twice of it;
 * among them are odd ones, whose rows are not aligned. */
#include "points.h"

#include "ir/expr_walk.h"
#include "ir/interp/interp.h"

#include <string.h>

enum {
    MAX_ELEMENTS_BITS = 31 /* of what an equation stores or folds, where it is not a hint that makes it larger */
};
static const double OFF_HINT = 0.02; /* the weight of a point beside a hint */
static const double ODD = 0.8;       /* the weight of one of few odd lengths in a list */
static const double RARE = 0.35;     /* of one with an odd length, or a length of 1, beside even ones */
static const double SHORT = 0.4;     /* of one with so short columns, beside longer ones */
static const double LONG = 0.9;      /* of one with so long columns, of which there are several in a list */
static const double FEW = 0.4;       /* of one with so few rows, beside more of them */
enum { SHORT_COLUMNS = 32, LONG_COLUMNS = 1 << 16, FEW_ROWS = 128 };

/* The values of a dimension without a hint. Those along which elements are neighbours in memory, columns, decide about
 * more: how wide accesses are, and where rows stay. Lists end with 0. */
static const int64_t ALONE[] = {1 << 20, 1,       30, 256,  1021, 4096,  16384,  50257,    1 << 18,
                                1 << 24, 1 << 27, 64, 2000, 3001, 12289, 100003, 10000019, 0};
/* Of both axes of a square: rows whose ends lie anywhere. */
static const int64_t SQUARE[] = {1024, 1,    30,   64,   200,  256,   512,   777,     1021,  1500,    2000,
                                 3001, 4096, 5003, 7000, 8192, 10001, 12289, 1 << 14, 20003, 1 << 15, 0};
static const int64_t ROWS[] = {4096, 1, 128, 1024, 1 << 14, 1 << 17, 1 << 22, 0};
static const int64_t COLUMNS[] = {4096,    1,       7,     30,      61,      64,     200,     255,     384,
                                  512,     768,     1021,  1024,    1500,    3001,   10240,   12289,   25001,
                                  1 << 14, 1 << 15, 50257, 1 << 16, 1 << 17, 150001, 1 << 18, 1 << 22, 0};
/* Rows that a block has whole, one after the other: twice as long ones take twice the registers, or threads. */
static const int64_t HELD[] = {4096, 30,   62,   64,   250,  256,  512,   768,     1021,
                               1024, 2048, 3001, 3072, 5120, 8192, 12289, 1 << 14, 0};
static const int64_t BOTH[] = {4096, 1, 30, 200, 1021, 1024, 3001, 12289, 1 << 15, 1 << 21, 0};
enum { FEW_DIMS = 2 };
/* More have too many combinations. */
enum { NMANY = 12, MOST_SPREAD = 96, SPREAD_OF_RANGES = 144 /* points */ };
static const int64_t MANY_ROWS[NMANY] = {64, 1, 512, 32, 4096, 8, 1024, 256, 16, 2, 1021, 128};
/* Of what ranges that are data divide: there is as much to do as elements, not as many times as ranges. */
static const int64_t MANY_RANGES[NMANY] = {1 << 16, 1,       4096, 1 << 20, 512,   1 << 14,
                                           32,      1 << 18, 1021, 256,     50257, 1 << 12};
static const int64_t MANY_COLUMNS[NMANY] = {64, 1, 512, 30, 4096, 8, 1021, 256, 12, 3001, 768, 128};
enum { MOST_VARIED = 6 /* dimensions; the others have their first value */, MOST_TRIED = 1000 };
/* Extremes: one dimension is as long as gives that many elements, the others are some of these. */
enum { NEXTREME = 13, NTOTALS = 4, EXTREMES_OF_MANY = 96, EXTREMES_OF_MAPS = 176 /* points */ };
enum { MOST_OF_FEW = 230 /* points, likely ones and extremes, of two dimensions */ };
static const int64_t EXTREME_OTHERS[NEXTREME] = {1, 2, 3, 7, 16, 31, 64, 101, 256, 511, 1021, 2048, 5};
static const int64_t EXTREME_TOTALS[NTOTALS] = {1 << 22, 1 << 24, 1 << 20, 1 << 26};
static const double EXTREME = 0.02; /* the weight of an extreme */
/* Where all dimensions are short nothing takes long, unless many blocks share what one element folds. */
enum { NSHORT = 12 };
static const int64_t SHORT_LENGTHS[NSHORT] = {8, 2, 16, 4, 12, 3, 32, 7, 1, 24, 5, 10};
/* Drawn points. */
static const double DRAWN = 0.1, DRAWN_OF_FEW = 0.3; /* the weight of one, and of one of two dimensions */

typedef struct Dims {
    VEC(Dim *) at;
    Ctx *ctx;
} Dims;

static Found note_dim(const Expr *e, void *user) {
    Dims *d = user;
    if (e->op == OP_DIM && e->u.dim->lo < e->u.dim->hi) {
        for (int i = 0; i < d->at.n; i++)
            if (d->at.at[i] == e->u.dim) return FOUND_INSIDE;
        vec_push(d->ctx, &d->at, e->u.dim);
    }
    return FOUND_INSIDE;
}

/* A value near v that the dimension can have. */
static int64_t legal(const Dim *d, int64_t v) {
    if (v > d->hi) v = d->hi;
    if (d->divisor > 1) v -= v % d->divisor;
    if (v >= d->lo) return v;
    return d->divisor > 1 ? (d->lo + d->divisor - 1) / d->divisor * d->divisor : d->lo;
}

int64_t points_length(const GAxis *a, const int64_t *dims) {
    if (a->extent >= 0) return a->extent;
    int64_t lo = expr_guess_at(a->var->lo, dims), hi = expr_guess_at(a->var->hi, dims);
    return hi > lo ? hi - lo : 0;
}

typedef struct Making {
    const Group *gr;
    Ctx *ctx;
    Points *p;
    int64_t *base;     /* hints, or what is usual */
    int64_t *trial;    /* the point that is made */
    short *at;         /* of each hash of a point, its number plus 1, or of one before it that is taken */
    VEC(AxisSet) sets; /* over which elements are stored or folded */
    AxisSet ranges;    /* axes that tell ranges which are data apart, */
    AxisSet divided;   /* and those that they divide */
    bool *column;      /* of each dimension: it is a length of rows, see column_axes */
} Making;

static Found is_dim(const Expr *e, const void *dim) {
    return e->op == OP_DIM && e->u.dim == dim ? FOUND : FOUND_INSIDE;
}

/* The axes along which rows of tensors lie, or that are folded across others; where none lie along a single axis, those
 * along which most do. */
static AxisSet column_axes(const Group *gr) {
    AxisSet set = gr->across;
    int most = 1;
    for (int i = 0; i < gr->rows.n; i++)
        if (gr->rows.at[i].rows) set |= (AxisSet)1 << gr->rows.at[i].axis;
    for (int a = 0; a < gr->axes.n; a++)
        if (gr->axes.at[a].contiguous > most) most = gr->axes.at[a].contiguous;
    /* Of columns that are folded elsewhere where rows are aligned, those are left that are not. */
    const bool none = !gr->rows.n || (gr->elsewhere && !set);
    for (int a = 0; a < gr->axes.n && none; a++)
        if (gr->axes.at[a].contiguous == most) set |= (AxisSet)1 << a;
    return set;
}

static bool is_length(const Group *gr, AxisSet axes, const Dim *d) {
    for (int a = 0; a < gr->axes.n; a++) {
        const Var *v = gr->axes.at[a].var;
        if (axes >> a & 1 && (expr_has(v->lo, is_dim, d) || expr_has(v->hi, is_dim, d))) return true;
    }
    return false;
}

/* Whether a tensor has the dimension in several of its lengths. */
static bool is_squared(const Group *gr, const Dim *dim) {
    for (int i = 0; i < gr->tensors.n; i++) {
        const Tensor *t = gr->tensors.at[i].tensor;
        int n = 0;
        for (int d = 0; d < t->rank; d++) n += expr_has(t->shape[d], is_dim, dim) != NULL;
        if (n > 1) return true;
    }
    return false;
}

static bool is_column(const Making *x, const Dim *d) { return x->column[d->id]; }

/* Each set of axes whose elements are stored or folded, once: a group of many equations has few. */
static void note_set(Making *x, AxisSet axes) {
    for (int i = 0; i < x->sets.n; i++)
        if (x->sets.at[i] == axes) return;
    vec_push(x->ctx, &x->sets, axes);
}

/* Places that what is folded goes to (sched/plan/scatter.h): each element goes to one. */
static AxisSet places_of(const Group *gr) {
    AxisSet into = 0;
    for (int i = 0; i < gr->divisions.n; i++) into |= group_into(gr->divisions.at[i].group[0]);
    return into;
}

static void note_sets(Making *x) {
    const Group *gr = x->gr;
    const AxisSet into = places_of(gr);
    for (int i = 0; i < gr->stores.n; i++) note_set(x, gr->stores.at[i].axes);
    for (int i = 0; i < gr->steps.n; i++) {
        const GStep *s = &gr->steps.at[i];
        const bool both = s->joined[0] != 0; /* of a product of matrices, what is loaded */
        AxisSet within, all = s->free | s->over;
        if (!both && group_ragged((Group *)gr, s, &within) && group_divides((Group *)gr, s, within, true)) {
            x->ranges |= within;
            x->divided |= s->over;
            all &= ~within;
        }
        note_set(x, both ? s->joined[0] : all & ~into);
        if (both) note_set(x, s->joined[1]);
    }
}

/* Whether the sizes are such as the group is for. */
static bool is_for(const Group *gr, const int64_t *dims) {
    int64_t holds = 0;
    for (int a = 0; a < gr->axes.n; a++)
        if (gr->bounded >> a & 1 && points_length(&gr->axes.at[a], dims) > gr->axes.at[a].most) return false;
    return !gr->elsewhere || !interp_int(gr->graph, gr->elsewhere, dims, NULL, &holds) || !holds;
}

/* Of what is stored or folded, the most elements that a set of axes has. */
static int64_t elements_at(const Making *x, const int64_t *dims) {
    int64_t most = 1;
    for (int i = 0; i < x->sets.n; i++) {
        int64_t n = 1;
        for (int a = 0; a < x->gr->axes.n; a++)
            if (x->sets.at[i] >> a & 1 && !mul_ok(n, points_length(&x->gr->axes.at[a], dims), &n)) return INT64_MAX;
        if (n > most) most = n;
    }
    return most;
}

static bool usual(const Making *x, const int64_t *dims) {
    return is_for(x->gr, dims) && !(elements_at(x, dims) >> MAX_ELEMENTS_BITS);
}

/* What is required of two dimensions holds at a point: where one is to be no more than another, and nothing is said of
 * that, it is as long; but what is no length of the group follows what is. So rows that are part of longer ones do not
 * lie upon each other, and places are inside. */
static void keep_required(const Group *gr, const Expr *c, int64_t *dims) {
    const AxisSet all = ((AxisSet)1 << gr->axes.n) - 1;
    if (c->op == OP_AND) {
        keep_required(gr, c->arg[0], dims);
        keep_required(gr, c->arg[1], dims);
    }
    const bool less = c->op == OP_LE || c->op == OP_LT, more = c->op == OP_GE || c->op == OP_GT;
    if ((!less && !more) || c->arg[0]->op != OP_DIM || c->arg[1]->op != OP_DIM) return;
    const Dim *small = c->arg[more]->u.dim, *large = c->arg[less]->u.dim;
    if (dims[small->id] <= dims[large->id]) return;
    if (large->hint > 0 || large->hi < dims[small->id] || (is_length(gr, all, large) && !is_length(gr, all, small)))
        dims[small->id] = legal(small, dims[large->id]);
    else
        dims[large->id] = legal(large, dims[small->id]);
}

enum { HASHES = 8192 /* more than twice as many as there are points */ };

/* Whether x->trial was added before; else it is noted as the next point. */
static bool was_added(Making *x) {
    const int ndims = x->gr->graph->dims.n;
    uint64_t h = 0;
    for (int d = 0; d < ndims; d++) h = (h ^ (uint64_t)x->trial[d]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
    short *at = &x->at[h % HASHES];
    for (; *at; at = at == &x->at[HASHES - 1] ? x->at : at + 1)
        if (!memcmp(x->p->dims[*at - 1], x->trial, sizeof *x->trial * (size_t)ndims)) return true;
    *at = (short)(x->p->n + 1);
    return false;
}

/* Where sizes are such as something else is for, because of a dimension along which the group has no axis, as when a
 * table's rows are to be at least as many as the indices into it, that one is longer, or else shorter. */
static void keep_for(const Making *x) {
    static const int64_t TRIED[] = {1 << 12, 1 << 18, 1 << 24, 1 << 30, 1, 0};
    const Graph *g = x->gr->graph;
    const AxisSet all = ((AxisSet)1 << x->gr->axes.n) - 1;
    for (int i = 0; x->gr->elsewhere && i < g->dims.n; i++) {
        const Dim *d = g->dims.at[i];
        if (d->hint > 0 || d->lo == d->hi || is_length(x->gr, all, d) || !expr_has(x->gr->elsewhere, is_dim, d))
            continue;
        const int64_t before = x->trial[i];
        for (int k = 0; TRIED[k] && !is_for(x->gr, x->trial); k++) x->trial[i] = legal(d, TRIED[k]);
        if (!is_for(x->gr, x->trial)) x->trial[i] = before;
    }
}

/* x->trial, as what is required lets it be. */
static void add(Making *x, double weight, bool always) {
    Points *p = x->p;
    const Graph *g = x->gr->graph;
    for (int i = 0; i < g->facts.n; i++)
        if (g->facts.at[i].require && !g->facts.at[i].nvars) keep_required(x->gr, g->facts.at[i].cond, x->trial);
    keep_for(x);
    if (p->n == MAX_POINTS || (!always && !usual(x, x->trial)) || was_added(x)) return;
    p->dims[p->n] = NEW_RAW(x->ctx, int64_t, g->dims.n + 1);
    memcpy(p->dims[p->n], x->trial, sizeof *x->trial * (size_t)g->dims.n);
    p->weight[p->n++] = weight;
}

/* x->trial is what is usual, for those who say what differs. */
static int64_t *usual_point(Making *x) {
    memcpy(x->trial, x->base, sizeof *x->trial * (size_t)x->gr->graph->dims.n);
    return x->trial;
}

/* At the values of free dimensions, one of each list. */
static void add_at(Making *x, Dim *const *free, int n, const int64_t *values) {
    int64_t *dims = usual_point(x);
    double weight = 1;
    for (int i = 0; i < n; i++) {
        const int64_t v = dims[free[i]->id] = legal(free[i], values[i]);
        if (v % 2) weight *= v == 1 || n > FEW_DIMS ? RARE : ODD;
        if (v <= FEW_ROWS && n == FEW_DIMS && !is_column(x, free[i])) weight *= FEW;
        if (v >= LONG_COLUMNS && n > 1 && is_column(x, free[i])) weight *= LONG;
        if (v <= SHORT_COLUMNS && n > 1 && is_column(x, free[i])) weight *= SHORT;
    }
    add(x, weight, false);
}

/* All combinations of values, the first of each first. */
static void add_grid(Making *x, Dim *const *free, int n) {
    int at[FEW_DIMS] = {0};
    int64_t v[FEW_DIMS] = {0};
    const int64_t *values[FEW_DIMS];
    int columns = 0;
    for (int i = 0; i < n; i++) columns += is_column(x, free[i]);
    for (int i = 0; i < n; i++)
        values[i] = n == 1                   ? is_squared(x->gr, free[i]) ? SQUARE : ALONE
                    : columns == n           ? BOTH
                    : !is_column(x, free[i]) ? ROWS
                    : x->gr->across          ? HELD
                                             : COLUMNS;
    for (;;) {
        for (int i = 0; i < n; i++) v[i] = values[i][at[i]];
        add_at(x, free, n, v);
        int i = 0;
        while (i < n && !values[i][++at[i]]) at[i++] = 0;
        if (i == n) return;
    }
}

/* Ranges that are data have a few elements each of what they divide; of a table of which few rows are named, most have
 * none. */
static void divide_some(const Making *x, Dim *const *free, int n, int turn, int64_t *v) {
    enum { NTIMES = 6 };
    static const int64_t TIMES[NTIMES][2] = {{1, 1}, {1, 16}, {1, 4}, {12, 1}, {1, 64}, {1, 8}}; /* ranges, elements */
    int64_t divided = 0;
    for (int i = 0; i < n; i++)
        if (is_length(x->gr, x->divided, free[i])) divided = v[i];
    for (int i = 0; i < n && divided; i++)
        if (is_length(x->gr, x->ranges, free[i]) && !is_length(x->gr, x->divided, free[i]))
            v[i] = divided * TIMES[turn % NTIMES][0] / TIMES[turn % NTIMES][1] + 1;
}

/* Combinations that are spread evenly: of each dimension the multiples of a number of its own, modulo 1. (Square roots
 * of primes, whose multiples fill the space of several dimensions without clusters.) */
static void add_spread(Making *x, Dim *const *free, int n) {
    static const double STEP[MOST_VARIED] = {0.41421356, 0.73205081, 0.23606798, 0.64575131, 0.31662479, 0.60555128};
    const int most = x->divided ? SPREAD_OF_RANGES : MOST_SPREAD;
    int64_t *v = NEW_N(x->ctx, int64_t, n);
    for (int k = 0; k < MOST_TRIED && x->p->n < most; k++) {
        for (int i = 0; i < n; i++) {
            const double at = i < MOST_VARIED ? k * STEP[i] : 0;
            const bool ranges = is_length(x->gr, x->ranges | x->divided, free[i]);
            const int64_t *values = ranges ? MANY_RANGES : is_column(x, free[i]) ? MANY_COLUMNS : MANY_ROWS;
            v[i] = values[(int)((at - (int)at) * NMANY)];
        }
        if (k % 2) divide_some(x, free, n, k / 2, v);
        add_at(x, free, n, v);
    }
}

/* Three of one dimension, as colours are, beside others that are alike: what is quick for as many of all wastes most of
 * its threads there. */
static void add_colours(Making *x, Dim *const *free, int n) {
    enum { COLOURS = 3, ALL_BITS = 23 };
    const bool first = !x->p->n;
    int64_t *v = NEW_N(x->ctx, int64_t, n);
    for (int few = 0; few < n && few < MOST_VARIED; few++) {
        for (int i = 0; i < n; i++) v[i] = i == few ? COLOURS : (int64_t)1 << (ALL_BITS / (n - 1));
        add_at(x, free, n, v);
    }
    if (first) x->p->nfirst = x->p->n;
}

/* Dimension `longest` is as long as a total of elements lets it be, beside others of these lengths. */
static void add_extreme(Making *x, Dim *const *free, int n, int longest, int64_t total, bool odd, const int64_t *v) {
    int64_t *dims = usual_point(x), *const length = &dims[free[longest]->id];
    for (int i = 0; i < n; i++) dims[free[i]->id] = legal(free[i], v[i]);
    for (*length = 1; *length < total; *length *= 2)
        if (elements_at(x, dims) > total / 2) break;
    *length = legal(free[longest], odd && *length > 1 ? *length - 1 : *length);
    add(x, EXTREME, false);
}

/* Each dimension is the longest one in turn: beside ones alone, then beside others. */
static void add_extremes(Making *x, Dim *const *free, int n) {
    static const double STEP[MOST_VARIED] = {0.41421356, 0.73205081, 0.23606798, 0.64575131, 0.31662479, 0.60555128};
    enum { ALONE_TURNS = 4, ALONE_OF_FOLDS = 6 /* few blocks have long folds then */ };
    int64_t *v = NEW_N(x->ctx, int64_t, n);
    const int varied = n < MOST_VARIED ? n : MOST_VARIED, alone = x->gr->steps.n ? ALONE_OF_FOLDS : ALONE_TURNS;
    const int most = n <= FEW_DIMS ? MOST_OF_FEW : x->p->n + (x->gr->steps.n ? EXTREMES_OF_MANY : EXTREMES_OF_MAPS);
    for (int k = 0; k < MOST_TRIED && x->p->n < most; k++) {
        const int turn = k / varied;
        for (int i = 0; i < n; i++) {
            const double at = i < MOST_VARIED ? turn * STEP[i] : 0;
            v[i] = EXTREME_OTHERS[turn < alone    ? 0
                                  : n <= FEW_DIMS ? turn / 2 % NEXTREME
                                                  : (int)((at - (int)at) * NEXTREME)];
        }
        add_extreme(x, free, n, k % varied, EXTREME_TOTALS[turn / 2 % NTOTALS], turn % 2, v);
    }
}

/* All of them are short. */
static void add_short(Making *x, Dim *const *free, int n) {
    for (int k = 0; k < NSHORT; k++) {
        int64_t *dims = usual_point(x);
        for (int i = 0; i < n; i++) dims[free[i]->id] = legal(free[i], SHORT_LENGTHS[(k * (i + 1) + i) % NSHORT]);
        add(x, EXTREME, false);
    }
}

/* ---- drawn points ---- */

static uint32_t next(uint32_t *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static int bits_of(uint32_t *state, int below) { return (int)(next(state) % (uint32_t)below); }

/* A length of so many bits: a power of two, a multiple of eight, an even or an odd number, each as often. */
static int64_t length_of(int bits, uint32_t *state) {
    const int64_t least = (int64_t)1 << bits, more = (int64_t)(next(state) % (uint32_t)least);
    switch (next(state) % 4) {
    case 0: return least;
    case 1: return (least + more) & ~(least >= 8 ? 7 : least - 1);
    case 2: return (least + more) & ~(bits > 0 ? 1 : 0);
    default: return (least + more) | 1;
    }
}

/* Bits in all are shared out, all divisions of them alike. */
static void share_bits(int total, int *bits, int n, uint32_t *state) {
    for (int i = 0; i + 1 < n; i++) { /* where shares end, in order */
        const int at = bits_of(state, total + 1);
        int to = i;
        for (; to > 0 && bits[to - 1] > at; to--) bits[to] = bits[to - 1];
        bits[to] = at;
    }
    bits[n - 1] = total;
    for (int i = n - 1; i > 0; i--) bits[i] -= bits[i - 1];
}

/* Each bit is any one's: lengths are more alike. */
static void deal_bits(int total, int *bits, int n, uint32_t *state) {
    for (int i = 0; i < n; i++) bits[i] = 0;
    for (int i = 0; i < total; i++) bits[bits_of(state, n)]++;
}

/* Features of what ranges that are data divide are few: bits beyond theirs are those of what is divided. */
static void share_features(int *bits, int n, int divided) {
    enum { FEATURE_BITS = 11 };
    for (int i = 0; i < n; i++) {
        if (i == divided) continue;
        const int few = bits[i] % (FEATURE_BITS + 1);
        bits[divided] += bits[i] - few;
        bits[i] = few;
    }
}

/* A total of elements is shared out to the dimensions bit by bit. But what ranges that are data divide, mostly has some
 * elements a range: how many ranges there are follows from it. */
static void add_drawn(Making *x, Dim *const *free, int n, int drawn) {
    enum { LEAST_BITS = 18, TOTALS = 11, MOST_BITS = 24 };
    enum { RANGE_BITS = 11, NAMED_BITS = 2 /* ranges are up to 4 times as many as elements */ };
    int *bits = NEW_N(x->ctx, int, n + 1), divided = -1;
    uint32_t state = 1;
    for (int i = 0; i < n; i++)
        if (is_length(x->gr, x->divided, free[i])) divided = i;
    for (int k = 0; k < drawn; k++) {
        int *own = NEW_N(x->ctx, int, n + 1), shares = 0;
        int64_t *dims = usual_point(x);
        const bool few = divided >= 0 && k % 4;
        for (int i = 0; i < n; i++) /* numbers of shares, from 1 on */
            if (!few || i == divided || !is_length(x->gr, x->ranges, free[i])) own[i] = ++shares;
        const int total = LEAST_BITS + bits_of(&state, TOTALS);
        if (k % 2)
            deal_bits(total, bits, shares, &state);
        else
            share_bits(total, bits, shares, &state);
        if (few) share_features(bits, shares, own[divided] - 1);
        for (int i = 0; i < n; i++) {
            int mine = own[i] ? bits[own[i] - 1] : bits[own[divided] - 1] + NAMED_BITS - bits_of(&state, RANGE_BITS);
            if (mine > MOST_BITS) mine = MOST_BITS;
            dims[free[i]->id] = legal(free[i], length_of(mine > 0 ? mine : 0, &state));
        }
        add(x, n <= FEW_DIMS ? DRAWN_OF_FEW : DRAWN, false);
    }
}

double points_share(const Graph *g, const Expr *when, Ctx *ctx) {
    enum { DRAWN_SIZES = 256, BITS = 20 };
    static const double LEAST = 0.1; /* what is for few sizes is there for somebody */
    int64_t *dims = NEW_N(ctx, int64_t, g->dims.n + 1), holds;
    uint32_t state = 1;
    int n = 0;
    for (int k = 0; k < DRAWN_SIZES; k++) {
        for (int i = 0; i < g->dims.n; i++) {
            const Dim *d = g->dims.at[i];
            const int bits = bits_of(&state, BITS);
            dims[i] = legal(d, d->hint > 0 ? d->hint : (int64_t)1 << bits);
        }
        n += interp_int(g, when, dims, NULL, &holds) && holds;
    }
    const double share = (double)n / DRAWN_SIZES;
    return share < LEAST ? LEAST : share > 1 - LEAST ? 1 - LEAST : share;
}

/* ---- all of them ---- */

/* Beside the hints: each of them alone much smaller or larger. */
static void add_beside(Making *x, Dim *const *hinted, int n) {
    static const int64_t TIMES = 16;
    for (int i = 0; i < n && i < MOST_VARIED; i++)
        for (int larger = 0; larger < 2; larger++) {
            int64_t *dims = usual_point(x), v = dims[hinted[i]->id];
            if (larger && !mul_ok(v, TIMES, &v)) continue;
            dims[hinted[i]->id] = legal(hinted[i], larger ? v : v / TIMES);
            add(x, OFF_HINT, false);
        }
}

/* What is not known of a group's lengths. */
typedef struct Unsaid {
    Dim **free, **hinted;
    int nfree, nhinted;
    Dim *few; /* one that has few values, which is not of the free ones: others are with each of them; NULL: none */
    Making making;
} Unsaid;

enum { FEW_VALUES = 16 };

static Unsaid unsaid_of(const Group *gr, Points *p, Ctx *ctx) {
    const Graph *g = gr->graph;
    Dims met = {.ctx = ctx};
    const bool one = group_any_kernel(gr);
    ExprWalk w = {.temp = ctx, .before = note_dim, .user = &met};
    for (int a = 0; a < gr->axes.n && !one; a++) {
        expr_walk(&w, gr->axes.at[a].var->lo);
        expr_walk(&w, gr->axes.at[a].var->hi);
    }
    int64_t *base = NEW_N(ctx, int64_t, g->dims.n + 1);
    Unsaid u = {.free = NEW_N(ctx, Dim *, met.at.n + 1), .hinted = NEW_N(ctx, Dim *, met.at.n + 1)};
    for (int i = 0; i < met.at.n; i++) {
        Dim *d = met.at.at[i];
        if (d->hint <= 0 && d->hi <= FEW_VALUES && !u.few && met.at.n > 1)
            u.few = d;
        else
            *(d->hint > 0 ? &u.hinted[u.nhinted++] : &u.free[u.nfree++]) = d;
    }
    for (int i = 0; i < g->dims.n; i++) {
        Dim *d = g->dims.at[i];
        base[i] = d->lo == d->hi ? d->lo : d->hint > 0 ? legal(d, d->hint) : legal(d, MANY_ROWS[0]);
    }
    u.making = (Making){.gr = gr,
                        .ctx = ctx,
                        .p = p,
                        .base = base,
                        .trial = NEW_RAW(ctx, int64_t, g->dims.n + 1),
                        .at = NEW_N(ctx, short, HASHES),
                        .column = NEW_N(ctx, bool, g->dims.n + 1)};
    const AxisSet columns = column_axes(gr);
    for (int i = 0; i < g->dims.n; i++) u.making.column[i] = is_length(gr, columns, g->dims.at[i]);
    note_sets(&u.making);
    return u;
}

static void add_likely(const Unsaid *u, Making *x) {
    if (u->nfree && u->nfree <= FEW_DIMS) add_grid(x, u->free, u->nfree);
    if (u->nfree > FEW_DIMS + 1) add_colours(x, u->free, u->nfree);
    if (u->nfree > FEW_DIMS) add_spread(x, u->free, u->nfree);
    usual_point(x);
    if (!u->nfree && is_for(x->gr, x->base)) add(x, 1, true);
    if (!u->nfree) add_beside(x, u->hinted, u->nhinted);
}

static Points *likely_points(const Unsaid *u, Making *x) {
    Points *p = x->p;
    p->many = u->nfree > FEW_DIMS;
    if (!u->few) add_likely(u, x);
    for (int64_t v = u->few ? u->few->hi : 0; v; v /= 2) {
        x->base[u->few->id] = legal(u->few, v);
        add_likely(u, x);
    }
    if (u->few) x->base[u->few->id] = legal(u->few, u->few->hi);
    usual_point(x);
    if (!p->n) add(x, 1, true);
    p->nlikely = p->n;
    p->few = u->nfree <= 1 && !u->few;
    p->hinted = !u->nfree;
    return p;
}

static Points *points_new(Ctx *ctx) {
    Points *p = NEW(ctx, Points);
    p->dims = NEW_RAW(ctx, int64_t *, MAX_POINTS);
    p->weight = NEW_RAW(ctx, double, MAX_POINTS);
    return p;
}

Points *points_of(const Group *gr, Ctx *ctx) {
    Unsaid u = unsaid_of(gr, points_new(ctx), ctx);
    return likely_points(&u, &u.making);
}

static Points *with_extremes(Unsaid *u, const Group *gr) {
    Points *p = likely_points(u, &u->making);
    if (gr->steps.n > MANY_STEPS || gr->axes.n == 1)
        return p; /* one axis has all that there is: its lengths are likely */
    if (u->nfree > 1) add_extremes(&u->making, u->free, u->nfree);
    if (u->nfree > FEW_DIMS) add_short(&u->making, u->free, u->nfree);
    return p;
}

Points *points_with_extremes(const Group *gr, Ctx *ctx) {
    Unsaid u = unsaid_of(gr, points_new(ctx), ctx);
    return with_extremes(&u, gr);
}

Points *points_with_drawn(const Group *gr, int most, Ctx *ctx) {
    Unsaid u = unsaid_of(gr, points_new(ctx), ctx);
    Points *p = with_extremes(&u, gr);
    const int before = p->n;
    if (p->n > p->nlikely) add_drawn(&u.making, u.free, u.nfree, most);
    p->ndrawn = p->n - before;
    return p;
}
