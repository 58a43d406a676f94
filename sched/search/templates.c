/* Candidates for a group's schedule at a point, and the best of them by cost. One axis, along which the group's
 * accesses are contiguous, takes vectors and the lowest threads; a second one may take the other threads, and
 * registers. Whether axes are rows that are folded, columns that are kept, or all alike (a map) shows only in which of
 * them may be split into blocks. */
#include "templates_form.h"

#include "cost.h"
#include "ir/expr_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is tried. */
enum {
    WINDOW = 8,        /* a folded axis of at most so many elements stays in registers, whole; */
    LONG_WINDOW = 128, /* up to so many a part of it does at a time */
    LEAST_LANES = 4,   /* of a tile's columns */
    HELD_ROWS = 8,     /* of a thread that looks up once for all of them */
    HELD_BESIDE = 4    /* times as much is held beside a row that is folded across others */
};
static const int64_t SIZES[] = {1, 2, 4, 8}; /* registers of an axis, vectors and warps of a tile */
enum { NSIZES = sizeof SIZES / sizeof *SIZES, ROW_SIZES = NSIZES - 1 /* of an outer axis, fewer */ };

typedef struct Shape {
    int inner, outer;         /* axes; outer -1: none */
    int64_t vec, lanes, regs; /* of the inner axis; lanes is its threads */
    int64_t rows, row_regs;   /* threads and registers of the outer axis */
    bool whole;               /* the inner axis without a loop */
    bool column;              /* the outer one, too */
    int peel;                 /* of the inner axis: SAxis.peel */
    int held;                 /* an axis whose rows a thread has several of: held_rows; of 0 there is none */
    int64_t held_rows;
} Shape;

/* Threads of an axis, and registers (0: none): as lanes up to what is left of a warp, then warps. Registers stand
 * outside of them; or in the warps, each of which then goes on from one to the next by itself, as scans want it. */
static void put_threads(Schedule *s, int a, int64_t n, int64_t regs, int64_t *lanes_left, bool plain, bool in_warps) {
    const int64_t lanes = plain ? 1 : n < *lanes_left ? n : *lanes_left;
    const bool inside = in_warps && n > lanes;
    if (regs && !inside) schedule_factor(s, a, BIND_REG, regs);
    if (n > lanes) schedule_factor(s, a, plain ? BIND_THREAD : BIND_WARP, n / lanes);
    if (regs && inside) schedule_factor(s, a, BIND_REG, regs);
    if (lanes > 1) schedule_factor(s, a, BIND_LANE, lanes);
    if (!plain) *lanes_left /= lanes;
}

/* Whether registers of single elements stand inside the warps, so that each warp has a run of its own. Where runs begin
 * inside of a sector, the first cache puts together what neighbouring stores of one warp leave of it, not of two: two
 * matrices of 777 and 1021 columns side by side take 1.18 times a copy on an H200, and 1.34 otherwise. */
static bool has_runs(const Shape *p) { return p->vec == 1 && p->regs > 1 && p->lanes > WARP && p->lanes % WARP == 0; }

/* How many lanes the inner axis leaves is settled first, though a factor of an outer axis may be listed before it. */
static void build(const Group *gr, const Shape *p, Schedule *s) {
    schedule_clear(s, gr->axes.n);
    const bool runs = gr->steps.n == 0 && has_runs(p);
    bool plain = (gr->steps.n == 0 && !runs) || p->lanes * p->rows % WARP != 0;
    int64_t left = WARP;
    for (int pass = 0; pass < 2; pass++)
        for (int a = 0; a < gr->axes.n; a++) {
            const GAxis *x = &gr->axes.at[a];
            if ((a == p->inner) != (pass == 0)) continue;
            int64_t regs = a == p->inner ? p->regs : a == p->outer ? p->row_regs : 1;
            if (p->held_rows && a == p->held) regs = p->held_rows;
            bool grid = axis_has_grid(x);
            bool whole = a != gr->split && ((a == p->inner && p->whole) || (a == p->outer && p->column));
            if (!grid && a != p->inner && a != p->outer && x->most >= 0 && x->most <= WINDOW) { /* a small window */
                whole = true;
                regs = x->most > 0 ? x->most : 1;
            }
            if (a == gr->split) schedule_factor(s, a, BIND_GRID, gr->parts);
            if (grid)
                schedule_factor(s, a, BIND_GRID, 0);
            else if (!whole)
                schedule_factor(s, a, BIND_SERIAL, 0);
            if (regs <= 1 && (grid || (a == p->inner && p->vec > 1))) regs = 0;
            const int64_t threads = a == p->inner ? p->lanes : a == p->outer ? p->rows : 1;
            put_threads(s, a, threads, regs, &left, plain, (x->scanned && !plain) || (runs && a == p->inner));
            if (a == p->inner && p->vec > 1) schedule_factor(s, a, BIND_VEC, p->vec);
        }
    s->axis[p->inner].peel = p->peel;
}

/* How many of a kind are wanted. The cost of schedules does not tell clusters of different sizes apart. */
static int room_of(const Search *x, int kind) { return kind & BEST_CLUSTER ? BEST_OF_CLUSTERS : x->of_kind; }

/* What one more must take less than. */
static double worst(const Search *x, int kind) {
    const int room = room_of(x, kind);
    return x->best->n[kind] < room ? (double)INFINITY : x->best->at[kind][room - 1].seconds;
}

static void take(Search *x, int kind, const Schedule *s, const int64_t *most, double seconds) {
    BestOf *b = x->best;
    Best *at = b->at[kind];
    const int room = room_of(x, kind);
    for (int i = 0; i < b->n[kind]; i++)
        if (schedule_equal(&at[i].schedule, s)) return;
    int i = b->n[kind] < room ? b->n[kind]++ : room - 1;
    for (; i > 0 && at[i - 1].seconds > seconds; i--) at[i] = at[i - 1];
    at[i].seconds = seconds;
    schedule_copy(&at[i].schedule, s);
    memcpy(at[i].most, most, sizeof *most * (size_t)s->naxes);
}

/* Most are slower than others of their kind: that is found out before what takes longer. */
void templates_consider(Search *x, const Schedule *s, int kind) {
    int64_t most[MAX_GROUP_AXES];
    x->considered += !kind;
    bool always = true;
    for (int a = 0; a < s->naxes; a++) {
        kind |= (schedule_find(s, a, BIND_SERIAL) ? BEST_LOOP : 0) | (s->axis[a].peel ? BEST_PEEL : 0);
        most[a] = schedule_covers(x->gr, s, a);
        if (most[a] < x->length[a]) return;
        always &= most[a] == INT64_MAX;
    }
    kind |= always ? BEST_ALWAYS : 0;
    const double least = worst(x, kind), c = sched_cost_below(x->form, x->machine, s, least);
    if (!(c < least)) return;
    if (!schedule_legal_within(x->gr, s, most, NULL) || !schedule_fits(x->gr, s, x->limits)) return;
    if (!schedule_whole_warps(x->gr, s)) return;
    take(x, kind, s, most, c);
}

static void consider(Search *x, const Schedule *s) { templates_consider(x, s, 0); }

/* Of the widest tensor whose rows lie along the axis. */
static int64_t row_bytes(const Search *x, int axis) {
    int most = 0;
    for (int i = 0; i < x->form->accesses.n; i++) {
        const CostAccess *c = &x->form->accesses.at[i];
        if (c->moves[axis] == MOVE_BY_ONE && c->bytes > most) most = c->bytes;
    }
    return most * x->length[axis];
}

/* Whether a thread's part of a row fits its registers, as it was loaded. */
static bool fits_registers(const Search *x, const Schedule *s, int axis) {
    enum { BESIDE = 40 /* registers of a thread for all else */ };
    int64_t held = 1, threads = 1;
    for (int a = 0; a < s->naxes; a++)
        for (int i = 0; i < s->axis[a].n; i++) {
            const SFactor *f = &s->axis[a].f[i];
            if (bind_scope(f->bind) == SCOPE_THREAD) threads *= f->size;
            if (bind_scope(f->bind) == SCOPE_REG) held *= f->size;
        }
    const int64_t bytes = row_bytes(x, axis) / (x->length[axis] > 0 ? x->length[axis] : 1);
    return ceil_div(held * bytes, TARGET_REGISTER) + BESIDE <= x->machine->target->registers_per_sm / threads;
}

/* A row that is long for one block is shared by those of a cluster: by turns, so that each has something to do where
 * the row is shorter than what they hold. */
static void try_clusters(Search *x, const Schedule *s, int axis) {
    const SAxis *a = &s->axis[axis];
    const int64_t longest = x->gr->across ? LONG_ROW / HELD_BESIDE : LONG_ROW;
    if (a->n == MAX_AXIS_FACTORS || a->f[0].bind != BIND_REG || row_bytes(x, axis) <= longest) return;
    for (int blocks = 2; blocks <= x->limits->cluster && blocks <= a->f[0].size; blocks *= 2) {
        Schedule t;
        schedule_copy(&t, s);
        SAxis *to = &t.axis[axis];
        memmove(&to->f[2], &to->f[1], sizeof *to->f * (size_t)(to->n++ - 1));
        to->f[0].size = (int)ceil_div(a->f[0].size, blocks);
        to->f[1] = (SFactor){BIND_CLUSTER, blocks};
        if (fits_registers(x, &t, axis)) templates_consider(x, &t, BEST_CLUSTER);
    }
}

int templates_peel(const CostForm *form, int axis, bool aligned) {
    const Group *gr = form->gr;
    int best = 0;
    for (int i = 0; i < gr->rows.n; i++) {
        const GRow *r = &gr->rows.at[i];
        if (r->axis != axis || !r->rows || !r->peels) continue;
        const int64_t row = expr_guess_at(r->tensor->shape[r->tensor->rank - 1], form->points->dims[form->at]);
        if (row % group_row_wide(r) == 0 && !form->points->displaced && !aligned) continue;
        if (!best || type_bits(r->tensor->type) > type_bits(gr->rows.at[best - 1].tensor->type)) best = i + 1;
    }
    return best;
}

/* The longest axis of blocks, along which nothing lies, and what is looked up at data does not vary: registers along it
 * share that. */
static int looked_up_beside(const Search *x) {
    int best = -1;
    for (int i = 0; i < x->form->accesses.n; i++) {
        const CostAccess *c = &x->form->accesses.at[i];
        bool data = false;
        for (int d = 0; c->load && d < c->tensor->rank; d++) data |= expr_has(c->subs[d], expr_test_data, NULL) != NULL;
        for (int a = 0; data && a < x->gr->axes.n; a++)
            if (axis_has_grid(&x->gr->axes.at[a]) && !x->gr->axes.at[a].contiguous && !(c->axes >> a & 1) &&
                x->length[a] >= HELD_ROWS && (best < 0 || x->length[a] > x->length[best]))
                best = a;
    }
    return best;
}

/* A thread has several rows, for which it looks up once. */
static void try_looked_up(Search *x, const Shape *p) {
    Shape q = *p;
    if (x->looked_up < 0 || x->looked_up == p->inner || x->looked_up == p->outer || !x->gr->steps.n) return;
    q.held = x->looked_up;
    for (q.held_rows = HELD_ROWS / 2; q.held_rows <= HELD_ROWS; q.held_rows *= 2) {
        Schedule s;
        build(x->gr, &q, &s);
        templates_consider(x, &s, BEST_WINDOW);
    }
}

/* Registers of a row whose length is not known: a power of 2; of a long row, which has few sizes beside it that take as
 * many, at most an eighth too many. */
static int64_t rounded(const Search *x, int axis, int64_t n) {
    enum { FEW = 8, PARTS = 8 };
    const int64_t power = pow2_up(n), step = power / PARTS;
    return n <= FEW || row_bytes(x, axis) <= LONG_ROW ? power : ceil_div(n, step) * step;
}

/* Whether columns may be held: no rows lie along what is folded, and nothing is selected, which takes longer than is
 * predicted (argmax of 21 channels on an H200: 62 us, 54 in a loop; predicted 49 and 51). */
static bool may_hold(const Search *x, int axis) {
    bool may = axis >= 0 && !axis_has_grid(&x->gr->axes.at[axis]) && !x->gr->axes.at[axis].contiguous;
    for (int i = 0; i < x->gr->steps.n; i++) may &= x->gr->steps.at[i].monoid->n == 1;
    return may;
}

/* What is folded across rows stays in registers, as many elements of each column as its threads have: a softmax along a
 * middle axis takes 1.28 times a copy so on an H200, and 1.68 in loops. For lengths that are not known settle_columns.c
 * proposes them. */
static void try_columns(Search *x, const Shape *p) {
    enum { HELD = 64 /* elements of a thread */ };
    Schedule s;
    Shape q = *p;
    if (!x->form->points->few || !axis_has_grid(&x->gr->axes.at[p->inner]) || !may_hold(x, p->outer)) return;
    const int64_t exact = ceil_div(x->length[p->outer], p->rows);
    q.column = true;
    q.row_regs = x->gr->axes.at[p->outer].extent < 0 ? pow2_up(exact) : exact;
    if (exact < 2 || q.row_regs * p->vec > HELD) return;
    build(x->gr, &q, &s);
    templates_consider(x, &s, BEST_WINDOW);
}

static void try_shape(Search *x, const Shape *p) {
    Schedule s;
    Shape q = *p;
    const GAxis *in = &x->gr->axes.at[p->inner];
    if (!axis_has_grid(in)) { /* the row in registers: of a length that is not known, up to a power of 2 */
        const int64_t early = p->peel ? p->vec : 0; /* a start that is not aligned takes a vector more */
        const int64_t exact = ceil_div(x->length[p->inner] + early, p->lanes * p->vec);
        q.whole = true;
        q.regs = in->extent < 0 ? rounded(x, p->inner, exact) : exact > 1 ? exact : 1;
        build(x->gr, &q, &s);
        consider(x, &s);
        try_clusters(x, &s, p->inner);
        try_looked_up(x, &q);
        if (x->form->at == 0 && q.regs != exact && exact > 1) { /* the most likely length has one of its own */
            q.regs = exact;
            build(x->gr, &q, &s);
            consider(x, &s);
            try_clusters(x, &s, p->inner);
        }
        q.whole = false;
    }
    for (int i = 0; i < NSIZES; i++) {
        if (i && SIZES[i - 1] * p->lanes * p->vec >= x->length[p->inner]) break; /* half as many hold all of it */
        q.regs = SIZES[i];
        build(x->gr, &q, &s);
        consider(x, &s);
    }
    q.regs = 1;
    for (int i = 1; i < (x->selects ? NSIZES : ROW_SIZES) && p->outer >= 0; i++) {
        q.row_regs = SIZES[i];
        build(x->gr, &q, &s);
        consider(x, &s);
    }
}

static void try_axes(Search *x, int inner, int outer) {
    const int64_t block = target_default.threads, most = pow2_up(x->length[inner]);
    for (int64_t vec = 1; vec <= WIDEST && vec <= (most ? most : 1); vec *= 2)
        for (int64_t lanes = 1; lanes <= block && lanes <= pow2_up(ceil_div(most, vec)); lanes *= 2)
            for (int64_t threads = LEAST_THREADS; threads <= block; threads *= 2) {
                int64_t rows = threads / lanes;
                if (rows < 1 || (rows > 1 && outer < 0)) continue;
                if (outer >= 0 && rows > 2 * pow2_up(x->length[outer])) continue;
                Shape p = {
                    .inner = inner, .outer = outer, .vec = vec, .lanes = lanes, .regs = 1, .rows = rows, .row_regs = 1};
                try_columns(x, &p);
                if (outer >= 0 && rows == 1) continue;
                try_shape(x, &p);
                p.peel = templates_peel(x->form, inner, false);
                if (p.peel && vec > 1) try_shape(x, &p);
            }
}

/* Elements of the narrowest tensor along the axis that one access has, where rows are a multiple of so many. */
static int64_t wide_of(const Search *x, int axis) {
    int64_t vec = 1;
    for (int i = 0; i < x->form->accesses.n; i++) {
        const CostAccess *c = &x->form->accesses.at[i];
        if (c->moves[axis] == MOVE_BY_ONE && TARGET_ACCESS / c->bytes > vec) vec = TARGET_ACCESS / c->bytes;
    }
    if (vec > WIDEST) vec = WIDEST;
    while (vec > 1 && x->length[axis] % vec) vec /= 2;
    return vec;
}

/* Rows that are folded across others stay in registers, as many at a time as a block holds: of each size of a block,
 * and of what a thread holds of a row, one. */
static void try_held(Search *x, int axis) {
    enum { NHELD = 3, SEVERAL_HELD = 16 /* elements of a thread that has several rows */ };
    static const int64_t HELD[NHELD] = {8, 16, 32}; /* elements of a thread */
    const GAxis *in = &x->gr->axes.at[axis];
    const int64_t length = x->length[axis] > 0 ? x->length[axis] : 1, vec = wide_of(x, axis);
    for (int64_t threads = 2 * LEAST_THREADS; threads <= 2 * target_default.threads; threads *= 2)
        for (int h = 0; h < NHELD; h++)
            for (int64_t rows = 1; rows <= (vec > 1 ? 2 : 1); rows++) {
                Schedule s;
                const int64_t lanes = pow2_up(ceil_div(length, HELD[h])), exact = ceil_div(length, lanes * vec);
                if (lanes > threads || (rows > 1 && rows * HELD[h] > SEVERAL_HELD)) continue;
                const int64_t regs = in->extent < 0 ? pow2_up(exact) : exact;
                const Shape p = {.inner = axis,
                                 .outer = x->gr->split,
                                 .vec = vec,
                                 .lanes = lanes,
                                 .regs = regs,
                                 .rows = threads / lanes,
                                 .row_regs = rows,
                                 .whole = true};
                build(x->gr, &p, &s);
                consider(x, &s);
                try_clusters(x, &s, axis);
            }
}

/* ---- windows ---- */

/* The elements of the longest axis that is folded; 0: nothing is, or its length is not known. */
static int64_t longest_window(const Group *gr) {
    int64_t most = 1;
    for (int a = 0; a < gr->axes.n; a++) {
        const GAxis *x = &gr->axes.at[a];
        if (axis_has_grid(x)) continue;
        if (x->most < 0) return 0;
        if (x->most > most) most = x->most;
    }
    return most > 1 ? most : 0;
}

/* All of a window in a thread, whose neighbours have the windows beside it along `cols`, then along `rows`; several of
 * them, along a third axis, share what says which elements there are. */
static void try_window(Search *x, int cols, int rows, int held) {
    Schedule s;
    for (int64_t lanes = WARP; lanes <= target_default.threads && lanes / 2 < x->length[cols]; lanes *= 2)
        for (int64_t threads = lanes; threads <= target_default.threads; threads *= 2)
            for (int i = 0; i < ROW_SIZES; i++) {
                if (threads < LEAST_THREADS || (rows < 0 && threads > lanes) || (held < 0 && i)) continue;
                schedule_clear(&s, x->gr->axes.n);
                for (int a = 0; a < x->gr->axes.n; a++) {
                    const GAxis *g = &x->gr->axes.at[a];
                    const bool grid = axis_has_grid(g);
                    if (grid) schedule_factor(&s, a, BIND_GRID, 0);
                    if (!grid || (a == held && SIZES[i] > 1))
                        schedule_factor(&s, a, BIND_REG, grid ? SIZES[i] : g->most > 0 ? g->most : 1);
                    if (a == rows && threads > lanes) schedule_factor(&s, a, BIND_THREAD, threads / lanes);
                    if (a == cols) schedule_factor(&s, a, BIND_THREAD, lanes);
                }
                templates_consider(x, &s, BEST_WINDOW);
            }
}

/* Whether results beside each other along the axis have taps together: both move a load's address alike. */
static bool shares_taps(Search *x, int along) {
    const int64_t *const *stride = cost_form_strides(x->form);
    bool any = false;
    for (int i = 0; i < x->form->accesses.n; i++)
        for (int a = 0; a < x->gr->axes.n && x->form->accesses.at[i].load; a++)
            any |= !axis_has_grid(&x->gr->axes.at[a]) && stride[i][along] && stride[i][a] == stride[i][along];
    return any;
}

/* Of a folded axis a thread has all taps, or, where it is long, so many in each iteration. */
static int64_t taps_at_once(const GAxis *g, int most) {
    const int64_t all = g->most > 0 ? g->most : 1;
    return all > WINDOW && all > most ? most : all;
}

/* The same by vectors along `cols`, where a thread has results beside each other along `along`, whose windows have most
 * of their elements together: these it loads once. */
static void try_sharing(Search *x, int cols, int along, int other, int most_taps) {
    enum { MOST_SHARING = 256 /* threads: blocks of more are no better where nothing meets */ };
    static const int VECTORS[] = {1, 2, 4, 8}, RESULTS[] = {2, 4, 8}, COLUMN_LANES[] = {8, 16, 32};
    Schedule s;
    int taps = 1;
    for (int a = 0; a < x->gr->axes.n; a++)
        if (!axis_has_grid(&x->gr->axes.at[a])) taps *= (int)taps_at_once(&x->gr->axes.at[a], most_taps);
    for (size_t v = 0; v < sizeof VECTORS / sizeof *VECTORS; v++)
        for (size_t r = 0; r < sizeof RESULTS / sizeof *RESULTS; r++)
            for (size_t l = 0; l < sizeof COLUMN_LANES / sizeof *COLUMN_LANES; l++)
                for (int threads = LEAST_THREADS; threads <= MOST_SHARING; threads *= 2) {
                    const int lanes = other < 0 ? threads : COLUMN_LANES[l];
                    if (taps * VECTORS[v] * RESULTS[r] > SCHEDULE_TILE || (other < 0 && l)) continue;
                    schedule_clear(&s, x->gr->axes.n);
                    for (int a = 0; a < x->gr->axes.n; a++) {
                        const GAxis *g = &x->gr->axes.at[a];
                        const bool grid = axis_has_grid(g);
                        const int64_t once = taps_at_once(g, most_taps);
                        if (grid) schedule_factor(&s, a, BIND_GRID, 0);
                        if (!grid && once < g->most) schedule_factor(&s, a, BIND_SERIAL, 0);
                        if (!grid) schedule_factor(&s, a, BIND_REG, once);
                        if (a == other) schedule_factor(&s, a, BIND_THREAD, threads / lanes);
                        if (a == cols) schedule_factor(&s, a, BIND_THREAD, lanes);
                        if (a == cols && VECTORS[v] > 1) schedule_factor(&s, a, BIND_VEC, VECTORS[v]);
                        if (a == along) schedule_factor(&s, a, BIND_REG, RESULTS[r]);
                    }
                    templates_consider(x, &s, BEST_WINDOW);
                }
}

/* Along the last axis that stays, which what is stored goes along, and the two before it. */
static void try_windows(Search *x) {
    static const int TAPS[] = {4, 8, 16}; /* of a long window, at a time */
    int kept[MAX_GROUP_AXES], n = 0;
    const int64_t longest = longest_window(x->gr);
    if (!longest || longest > LONG_WINDOW || x->gr->split >= 0) return;
    for (int a = x->gr->axes.n - 1; a >= 0; a--)
        if (axis_has_grid(&x->gr->axes.at[a]) && x->length[a] > 1) kept[n++] = a;
    if (n && longest <= WINDOW) try_window(x, kept[0], n > 1 ? kept[1] : -1, n > 2 ? kept[2] : -1);
    for (int i = 1; i < n && i <= 2; i++) {
        const int other = n <= 2 ? -1 : kept[i == 1 ? 2 : 1];
        if (!shares_taps(x, kept[i])) continue;
        for (size_t t = 0; t < (longest > WINDOW ? sizeof TAPS / sizeof *TAPS : 1); t++)
            try_sharing(x, kept[0], kept[i], other, TAPS[t]);
    }
}

/* ---- tiles of two axes ---- */

typedef struct Tile {
    int cols, rows, fold; /* axes: the lanes' with its vectors, the registers', and the one that is folded */
    int64_t vec, lanes, regs, warps, folds;
} Tile;

static void build_tile(const Group *gr, const Tile *p, Schedule *s) {
    schedule_clear(s, gr->axes.n);
    for (int a = 0; a < gr->axes.n; a++) {
        const GAxis *x = &gr->axes.at[a];
        if (a == gr->split) schedule_factor(s, a, BIND_GRID, gr->parts);
        schedule_factor(s, a, axis_has_grid(x) ? BIND_GRID : BIND_SERIAL, 0);
        if (a == p->rows && p->warps > 1) schedule_factor(s, a, BIND_WARP, p->warps);
        if (a == p->rows && p->lanes < WARP) schedule_factor(s, a, BIND_LANE, WARP / p->lanes);
        if (a == p->cols && p->lanes > 1) schedule_factor(s, a, BIND_LANE, p->lanes);
        if (a == p->rows || (a != p->fold && !axis_has_grid(x)))
            schedule_factor(s, a, BIND_REG, a == p->rows ? p->regs : 1);
        if (a == p->cols) schedule_factor(s, a, BIND_VEC, p->vec);
        if (a == p->fold) schedule_factor(s, a, BIND_VEC, p->folds);
    }
}

/* Of few rows a thread has an element of each for the same columns, so that what is computed of a column's elements,
 * as weights of 8 bits are widened, is computed once for all of them. The folded axis is shared by lanes and warps, of
 * which a block has few where loads run ahead: those take registers. Of four elements of it at a time, and not eight,
 * too few bytes are on their way (an H200, int8 weights of 8 rows: 110 us, and 87; predicted 80 and
 * 90); and 99 where the loads of 4 warps do not run ahead, predicted 81. */
static void try_few_rows(Search *x, const Tile *tile) {
    enum { FEW_WARPS = 4 };
    static const struct {
        int64_t warps;
        int ahead;
    } BLOCKS[] = {{FEW_WARPS, 1}, {2 * FEW_WARPS, 0}};
    const GAxis *rows = &x->gr->axes.at[tile->rows];
    if (tile->fold < 0 || x->length[tile->rows] < 2 || x->length[tile->rows] > HELD_ROWS) return;
    const int64_t regs = rows->extent < 0 ? pow2_up(x->length[tile->rows]) : x->length[tile->rows];
    for (int64_t vec = WIDEST / 2; vec <= WIDEST; vec *= 2)
        for (int64_t lanes = 2 * LEAST_LANES; lanes <= WARP; lanes *= 2)
            for (int b = 0; b < (int)(sizeof BLOCKS / sizeof *BLOCKS); b++) {
                Schedule s;
                schedule_clear(&s, x->gr->axes.n);
                for (int a = 0; a < s.naxes; a++) {
                    const bool grid = axis_has_grid(&x->gr->axes.at[a]);
                    if (a == x->gr->split) schedule_factor(&s, a, BIND_GRID, x->gr->parts);
                    schedule_factor(&s, a, grid ? BIND_GRID : BIND_SERIAL, 0);
                    if (a == tile->rows) schedule_factor(&s, a, BIND_REG, regs);
                    if (a == tile->fold) schedule_factor(&s, a, BIND_WARP, BLOCKS[b].warps);
                    if (a == tile->fold && lanes < WARP) schedule_factor(&s, a, BIND_LANE, WARP / lanes);
                    if (a == tile->cols) schedule_factor(&s, a, BIND_LANE, lanes);
                    if (a == tile->cols || a == tile->fold)
                        schedule_factor(&s, a, BIND_VEC, a == tile->cols ? vec : WIDEST);
                    else if (!grid)
                        schedule_factor(&s, a, BIND_REG, 1);
                }
                s.ahead = BLOCKS[b].ahead;
                templates_consider(x, &s, BEST_WINDOW);
            }
}

/* A step that joins values of fewer axes reads each of them again for every element of the other's: less often the
 * larger the tile of registers is that has an axis of each. */
static void try_tile(Search *x, const GStep *p, int cols, int rows) {
    Schedule s;
    int fold = -1;
    for (int a = 0; a < x->gr->axes.n; a++)
        if (p->over >> a & 1 && (fold < 0 || x->length[a] > x->length[fold])) fold = a;
    try_few_rows(x, &(Tile){.cols = cols, .rows = rows, .fold = fold});
    for (int v = 0; v < NSIZES; v++)
        for (int r = 1; r < NSIZES; r++)
            for (int w = 0; w < NSIZES; w++)
                for (int k = 0; k < NSIZES; k++)
                    for (int64_t lanes = LEAST_LANES; lanes <= WARP; lanes *= 2) {
                        Tile t = {cols, rows, fold, SIZES[v], lanes, SIZES[r], SIZES[w], SIZES[k]};
                        build_tile(x->gr, &t, &s);
                        consider(x, &s);
                    }
}

static void try_tiles(Search *x) {
    int n = x->gr->axes.n;
    for (int i = 0; i < x->gr->steps.n; i++) {
        const GStep *p = &x->gr->steps.at[i];
        for (int a = 0; p->joined[0] && a < n; a++)
            for (int b = 0; b < n; b++) {
                AxisSet own[2] = {p->joined[0] & ~p->joined[1] & p->free, p->joined[1] & ~p->joined[0] & p->free};
                bool two = (own[0] >> a & own[1] >> b & 1) || (own[1] >> a & own[0] >> b & 1);
                if (two && axis_has_grid(&x->gr->axes.at[a]) && axis_has_grid(&x->gr->axes.at[b])) try_tile(x, p, a, b);
            }
    }
}

/* Whether an axis is worth being the one that vectors lie along: the one or two with the most contiguous accesses. */
static bool leads(const Group *gr, int a) {
    int better = 0;
    for (int b = 0; b < gr->axes.n; b++) {
        int ca = gr->axes.at[a].contiguous, cb = gr->axes.at[b].contiguous;
        better += cb > ca || (cb == ca && b > a);
    }
    return better == 0 || (better == 1 && gr->axes.at[a].contiguous > 0);
}

static void search(Search *x) {
    Group *gr = x->gr;
    Schedule s;
    schedule_fallback(gr, &s);
    consider(x, &s);
    const bool across = gr->across && !group_in_place(gr);
    for (int a = 0; a < gr->axes.n && across; a++)
        if (gr->across >> a & 1) try_held(x, a);
    if (across) return;
    x->looked_up = looked_up_beside(x);
    for (int a = 0; a < gr->axes.n; a++) {
        if (!leads(gr, a)) continue;
        try_axes(x, a, -1);
        for (int b = gr->axes.n - 1; b >= 0; b--) /* of equals the later: batches are short */
            if (b != a && x->length[b] > 1) try_axes(x, a, b);
    }
    templates_stacks(x);
    templates_ranges(x);
    try_windows(x);
    try_tiles(x);
}

/* Whether a fold selects: what it compares, and keeps, is for each group of elements of a thread (lower_select.c). */
static bool selects(const Group *gr) {
    bool any = false;
    for (int i = 0; i < gr->steps.n; i++) any |= gr->steps.at[i].monoid->indexed && !gr->steps.at[i].scan;
    return any;
}

int templates_best(CostForm *form, const Machine *m, const SchedLimits *limits, int of_kind, BestOf *best) {
    Search x = {form->gr, form, m, limits, form->lengths[form->at], of_kind, best, 0, -1, selects(form->gr)};
    memset(best->n, 0, sizeof best->n);
    search(&x);
    return x.considered;
}
