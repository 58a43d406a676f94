/* Whether a sort pays, or updates do: see sorting.h. What each fold takes, all ways, is asked of the schedules that it
 * would have by itself (alone.h), at one point; where that may differ by sizes of which nothing is said, at several. */
#include "sorting.h"

#include "alone.h"
#include "ir/expr_is.h"
#include "ir/interp/interp.h"
#include "ir/poly/poly.h"
#include "judge.h"
#include "sched/kernel/sort.h"
#include "sched/plan/placed.h"
#include "sched/plan/updated.h"

#include <math.h>

typedef struct Sorting {
    SortedPlan *p;
    Alone alone;
    bool all;    /* the point stands for all sizes */
    bool beside; /* what the keys at hand fold is gone through anyway */
} Sorting;

/* Where nothing is said of keys and owners they are so many, all else is as long as usual. */
static void find_point(Sorting *x, const SortedKeys *k, int owners, int keys) {
    alone_usual(&x->alone);
    alone_large(&x->alone, &k->below, 1, owners);
    alone_large(&x->alone, k->sort->keys->shape, k->sort->keys->rank, keys);
    alone_legal(&x->alone);
}

/* Whether folds read the order of keys, and not only how many there are of each. */
static bool reads_order(const Sorting *x, const SortedKeys *k) {
    bool ordered = false;
    for (int i = 0; i < k->folds.n; i++) {
        ExprSet seen = {0};
        const Expr *e = sorted_fold(x->p, k, k->folds.at[i], k->folds.at[i]->reduce, NULL);
        ordered |= expr_loads(x->alone.temp, &seen, e, k->sort->order);
    }
    return ordered;
}

/* Of the sort, and of the kernel that computes its keys; without the launch before which nothing stands. */
static double sort_all(Sorting *x, const SortedKeys *k) {
    const Graph *g = x->p->g;
    const Tensor *t = k->sort->keys;
    const Machine *m = x->alone.machine;
    int64_t n, below, shape[MAX_RANK];
    Text why = {.ctx = x->alone.temp};
    if (!interp_shape(g, t, x->alone.dims, shape, &n, &why)) return (double)INFINITY;
    if (!interp_int(g, k->below, x->alone.dims, NULL, &below) || n > INT32_MAX || below >= INT32_MAX)
        return (double)INFINITY;
    const SortWant want = sort_want(k->sort, reads_order(x, k));
    const double s =
        sort_seconds(m, n, below, t->type, want) + sort_way(m->target, n, below, want).launches * m->chained;
    return k->given ? s : s + alone_seconds(&x->alone, k->value, &t->pieces.at[0]);
}

/* All folds as a search of each owner, which one pass with what is read anyway has as well; or in the order of their
 * keys. */
static double searched(Sorting *x, const SortedKeys *k) {
    double s = 0;
    if (x->beside) return 0;
    for (int i = 0; i < k->folds.n; i++) s += alone_seconds(&x->alone, k->folds.at[i]->reduce, k->folds.at[i]->piece);
    return s;
}

static double sorted(Sorting *x, const SortedKeys *k) {
    double s = sort_all(x, k);
    for (int i = 0; i < k->folds.n; i++) {
        const SortedFold *f = k->folds.at[i];
        const Expr *e = sorted_fold(x->p, k, f, f->reduce, NULL);
        if (e->reduces) s += alone_seconds(&x->alone, e, f->piece);
    }
    return s;
}

/* Nothing is over before the element that is met most often has been folded into, one value after the other. Where one
 * way is for all sizes and nothing is said of how many owners there are, there may be one. */
static double most_met(Sorting *x, const SortedKeys *k) {
    const Expr *n = tensor_size(x->p->g, k->sort->keys);
    int64_t keys, below;
    if (!interp_int(x->p->g, n, x->alone.dims, NULL, &keys) || keys <= 0) return 0;
    if (!interp_int(x->p->g, k->below, x->alone.dims, NULL, &below) || below <= 0) return 0;
    const double longer = x->all && alone_is_large(&x->alone, k->below) ? (double)below : JUDGE_LONGER;
    return fmin((double)keys, longer * (double)keys / (double)below) / x->alone.machine->atomics_place;
}

/* The kernel that sets the let to what is folded into, that of the updates, and what reads the let; those that are
 * there. */
static double updated_one(Sorting *x, const SortedKeys *k, const SortedFold *f) {
    const Type t = f->reduce->type;
    const Machine *m = x->alone.machine;
    Updated u;
    if (!updated_make(x->p, f, f->reduce, &u)) return (double)INFINITY;
    const UpdatedIn in = updated_in(x->p, f, &u);
    const double start = alone_piece_seconds(&x->alone, t, u.rank, u.shape, &u.start) - m->launch + m->chained;
    double s = fmax(alone_piece_seconds(&x->alone, t, u.rank, u.shape, &u.update), m->launch + most_met(x, k));
    if (in != UPDATED_KEPT) s += start;
    if (in == UPDATED_LET) s += start; /* as many bytes are read */
    return s;
}

static double updated(Sorting *x, const SortedKeys *k) {
    double s = 0;
    for (int i = 0; i < k->folds.n; i++) s += updated_one(x, k, k->folds.at[i]);
    return s;
}

typedef enum KeyedBy { BY_SEARCH, BY_SORT, BY_UPDATE, WAYS } KeyedBy;

/* The quickest; where all take too long to say, an order in which there is an end. */
static KeyedBy quickest(const double *by) {
    if (by[BY_UPDATE] < by[BY_SEARCH] && by[BY_UPDATE] < by[BY_SORT]) return BY_UPDATE;
    return by[BY_SORT] < by[BY_SEARCH] || (isinf(by[BY_SORT]) && isinf(by[BY_SEARCH])) ? BY_SORT : BY_SEARCH;
}

/* ---- sizes ---- */

/* Numbers of owners and keys at which ways are compared where nothing is said of these, in bits; and of the places of
 * a row, where a search may scatter (sched/plan/scatter.h). */
static const int OWNERS_BITS[] = {4, 10, ALONE_OWNERS}, KEYS_BITS[] = {10, 15, ALONE_KEYS},
                 PLACES_BITS[] = {13, 17, 21};
/* Owners and keys of small problems, at which ways are compared as well. */
static const struct { int owners, keys; } SMALL_BITS[] = {{4, 7}, {7, 3}, {7, 7}, {10, 6}, {10, 10}, {14, 4}};
enum { NOWNERS = 3, NKEYS = 3, NPLACES = 3, NSMALL = 6, MOST_SIZES = NOWNERS * NKEYS + NPLACES };

typedef struct SortingSize {
    int64_t *dims; /* by Dim.id */
    double loss[WAYS];
} SortingSize;

/* Folds over equal keys, and what each way to do them loses at sizes of which nothing is said. */
typedef struct Keyed {
    SortedKeys *k;
    KeyedBy all, by[2]; /* the way for all sizes; where the test of sizes fails, and where it holds */
    const Expr *places; /* of a search that may scatter, in how many places of a row; NULL: of another */
    bool open;          /* and that is not known */
    double first[WAYS];
    int n, nsmall; /* 0: there is nothing to compare */
    SortingSize at[MOST_SIZES];
    SortingSize small[NSMALL]; /* of which only tests of small problems are asked */
} Keyed;

/* What goes through the elements that keys name: all there are, or, by updates, as many as there are keys. */
static void add_readers(Sorting *x, const SortedKeys *k, double *by) {
    int64_t keys, below;
    if (!interp_int(x->p->g, tensor_size(x->p->g, k->sort->keys), x->alone.dims, NULL, &keys)) return;
    if (!interp_int(x->p->g, k->below, x->alone.dims, NULL, &below) || below <= 0) return;
    for (int i = 0; i < k->folds.n; i++) {
        const Tensor *t = placed_reader(x->p->g, x->alone.temp, k->folds.at[i]);
        const double s = t ? alone_seconds(&x->alone, t->pieces.at[0].value, &t->pieces.at[0]) : 0;
        for (int w = 0; w < WAYS && isfinite(s); w++) by[w] += w == BY_UPDATE ? s * (double)keys / (double)below : s;
    }
}

static void ask(Sorting *x, const SortedKeys *k, double *by) {
    by[BY_SEARCH] = searched(x, k);
    by[BY_SORT] = sorted(x, k);
    by[BY_UPDATE] = updated(x, k);
    add_readers(x, k, by);
}

/* log(time / best): what takes too long to say loses as if it took a thousand times as long. */
static void add_size(Sorting *x, const Keyed *y, SortingSize *at) {
    static const double MOST = 7;
    const int ndims = x->p->g->dims.n;
    double by[WAYS];
    ask(x, y->k, by);
    const double best = by[quickest(by)];
    for (int w = 0; w < WAYS; w++) at->loss[w] = isfinite(by[w]) ? fmin(MOST, log(by[w] / best)) : MOST;
    at->dims = NEW_N(x->alone.temp, int64_t, ndims + 1);
    for (int d = 0; d < ndims; d++) at->dims[d] = x->alone.dims[d];
}

static double lost_by(const SortingSize *at, int n, KeyedBy way) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += at[i].loss[way];
    return sum;
}

/* To scatter into places of which nobody says how many there are is no way for all sizes, as a row is walked for each
 * part of them that a block has; and to count by turns none, where many keys may be equal. */
static void settle_all(Keyed *y) {
    if (y->all == BY_SEARCH) y->all = y->first[BY_UPDATE] < y->first[BY_SORT] ? BY_UPDATE : BY_SORT;
    y->by[0] = y->by[1] = y->all;
}

/* In how many places of a row all folds may scatter (sched/plan/scatter.h); NULL: not all may, or not in as many. */
static const Expr *places_of(Sorting *x, const SortedKeys *k) {
    const Expr *places = NULL;
    for (int i = 0; i < k->folds.n; i++) {
        const SortedFold *f = k->folds.at[i];
        const Monoid *m = f->reduce->u.reduce->monoid;
        const Var *owner = f->key[0].owner;
        if (f->nkeys != 1 || m->n != 1 || m->ordered || !type_is_compute(f->reduce->type)) return NULL;
        const Expr *n = expr_minus(x->p->g, owner->hi, owner->lo);
        if (places && n != places) return NULL;
        places = n;
    }
    return places;
}

/* Whether all are folded into integers of one word, into which 1 is added by one instruction, whoever else does. */
static bool are_words(const SortedKeys *k) {
    bool words = true;
    for (int i = 0; i < k->folds.n; i++) {
        const Type t = k->folds.at[i]->reduce->type;
        words &= type_is_int(t) && type_bits(t) <= 8 * TARGET_REGISTER;
    }
    return words;
}

/* Whether no length that dimensions may have leaves more places than a block has. */
static bool has_few(Sorting *x, const Expr *places) {
    enum { FEW = 1 << 14 };
    const Graph *g = x->p->g;
    int64_t n, *most = NEW_N(x->alone.temp, int64_t, g->dims.n + 1);
    for (int i = 0; i < g->dims.n; i++) most[i] = g->dims.at[i]->hi;
    return interp_int(g, places, most, NULL, &n) && n <= FEW;
}

static bool has_rows(const SortedKeys *k) {
    bool rows = true;
    for (int i = 0; i < k->folds.n; i++) rows &= k->folds.at[i]->nfree > 0;
    return rows;
}

/* Whether a search may scatter, and where it is no way for all sizes, or none that sizes are asked about. */
static void find_places(Sorting *x, Keyed *y, bool unsaid) {
    y->places = x->beside ? NULL : places_of(x, y->k);
    y->open = y->places && alone_is_large(&x->alone, y->places) && !has_few(x, y->places);
    const bool counts = !reads_order(x, y->k); /* keys that are only counted have kernels of their own */
    if (y->open || (y->places && counts && unsaid && !are_words(y->k))) settle_all(y);
    /* Keys of one row that a kernel has to compute are searched by no shares. */
    if ((y->open && !has_rows(y->k) && !y->k->given) || counts) y->open = false, y->places = NULL;
}

static const Expr *number(Graph *g, int64_t v) { return expr_int(g, TY_I64, v); }

/* Elements of what the folds are for, together: a search goes through the keys for each. NULL: dimensions alone do not
 * say how many. */
static const Expr *results_of(Graph *g, const SortedKeys *k) {
    const Expr *sum = NULL;
    for (int i = 0; i < k->folds.n; i++) {
        const Piece *p = k->folds.at[i]->piece;
        const Expr *n = p->nvars ? NULL : number(g, 1);
        for (int v = 0; v < p->nvars; v++) {
            const Expr *length = expr_minus(g, p->vars[v]->hi, p->vars[v]->lo);
            if (!expr_over_dims(length)) return NULL;
            n = n ? expr2(g, OP_MUL, n, length) : length;
        }
        sum = sum ? expr2(g, OP_ADD, sum, n) : n;
    }
    return sum;
}

/* Whether a search for each owner, which is one launch, may be the way of small problems alone. */
static bool may_be_small(const Sorting *x, const Keyed *y) {
    return y->all != BY_SEARCH && !x->beside && isfinite(y->first[BY_SORT]) && results_of(x->p->g, y->k);
}

/* Other sizes than the usual ones are of interest where updates may be the way, or a search may scatter, and owners or
 * keys are not known: how quick these are depends on how many keys an owner has, and on how many owners a row. */
static Keyed *keyed(Sorting *x, SortedKeys *k) {
    Keyed *y = NEW(x->alone.temp, Keyed);
    y->k = k;
    sorted_make(x->p, k);
    x->beside = sorted_reads_beside(x->p, k);
    x->all = true;
    find_point(x, k, ALONE_OWNERS, ALONE_KEYS);
    ask(x, k, y->first);
    y->all = y->by[0] = y->by[1] = quickest(y->first);
    const bool owners = alone_is_large(&x->alone, k->below),
               keys = alone_is_large(&x->alone, tensor_size(x->p->g, k->sort->keys));
    x->all = false;
    find_places(x, y, owners || keys);
    for (int o = 0; o < (owners ? NOWNERS : 1); o++)
        for (int n = 0; n < (keys ? NKEYS : 1) && (owners || keys); n++) {
            if (!y->places && !isfinite(y->first[BY_UPDATE])) continue;
            find_point(x, k, OWNERS_BITS[o], KEYS_BITS[n]);
            add_size(x, y, &y->at[y->n++]);
        }
    for (int i = 0; i < NSMALL && (owners || keys) && may_be_small(x, y); i++) {
        find_point(x, k, SMALL_BITS[i].owners, SMALL_BITS[i].keys);
        add_size(x, y, &y->small[y->nsmall++]);
    }
    for (int i = 0; i < NPLACES && y->open; i++) {
        find_point(x, k, OWNERS_BITS[0], KEYS_BITS[1]);
        alone_large(&x->alone, &y->places, 1, PLACES_BITS[i]);
        alone_legal(&x->alone);
        add_size(x, y, &y->at[y->n++]);
    }
    sorted_take_back(x->p, k);
    return y;
}

/* What is asked of sizes: keys are at most so many, and so many more for each owner; or owners are at most so many, or
 * places of a row. */
typedef struct SortingTest {
    int64_t keys, each, owners, places; /* 0: something else is asked for */
    int64_t looked; /* or a search for each owner looks at keys at most so often, for each element of its results */
} SortingTest;

/* Between the sizes that are compared. */
static const SortingTest OWNERS_TESTS[] = {{.owners = 1 << 7}, {.owners = 1 << 13}};
static const SortingTest PLACES_TESTS[] = {{.places = 1 << 11}, {.places = 1 << 15}, {.places = 1 << 19}};
static const int64_t KEYS_TESTS[] = {0, 1 << 12, 1 << 17}, EACH_TESTS[] = {0, 1, 4, 16, 64, 256, 4096};
static const SortingTest SMALL_TESTS[] = {
    {.looked = 1 << 16}, {.looked = 1 << 20}, {.looked = 1 << 22}, {.looked = 1 << 24}, {.looked = 1 << 26}};
enum { NOWNERS_TESTS = 2, NKEYS_TESTS = 3, NEACH_TESTS = 7, NPLACES_TESTS = 3, NSMALL_TESTS = 5 };

/* A quotient, since the product of both may be no number. */
static const Expr *test_of(Graph *g, const Keyed *y, SortingTest t) {
    const SortedKeys *k = y->k;
    if (t.looked) {
        const Expr *n = expr2(g, OP_MAX, results_of(g, k), number(g, 1));
        return expr2(g, OP_LE, tensor_size(g, k->made->keys), expr2(g, OP_DIV, number(g, t.looked), n));
    }
    if (t.places) return expr2(g, OP_LE, y->places, number(g, t.places));
    if (t.owners) return expr2(g, OP_LE, k->below, number(g, t.owners));
    const Expr *each = t.each > 1 ? expr2(g, OP_MUL, number(g, t.each), k->below) : t.each ? k->below : NULL;
    const Expr *most = each && t.keys ? expr2(g, OP_ADD, each, number(g, t.keys)) : each ? each : number(g, t.keys);
    return expr2(g, OP_LE, tensor_size(g, k->made->keys), most);
}

static bool holds(const Graph *g, const Expr *test, const SortingSize *at) {
    int64_t is;
    return interp_int(g, test, at->dims, NULL, &is) && is;
}

/* The best way on each side of a test, that for all where there are no sizes; what is lost by them. A search for each
 * owner is one side's alone where a number limits how often it looks at keys there: else what it takes grows with
 * owners times keys, and beside the sizes that are compared there are always larger ones. But one that scatters, in few
 * places, takes what keys take. */
static double settle(const Graph *g, Keyed *y, const Expr *test, SortingTest t) {
    const SortingSize *at = t.looked ? y->small : y->at;
    const int nsizes = t.looked ? y->nsmall : y->n;
    const bool few = t.places || t.owners; /* of places or owners there are few where it holds */
    double least[2] = {0, 0};
    for (int side = 0; side < 2 && nsizes; side++) {
        double lost[WAYS] = {0};
        int n = 0;
        for (int i = 0; i < nsizes; i++) {
            if (holds(g, test, &at[i]) != side) continue;
            for (int w = 0; w < WAYS; w++) lost[w] += at[i].loss[w];
            n++;
        }
        const bool may = t.looked ? side : y->places && (!y->open || (side && few));
        y->by[side] = y->all;
        if (t.looked && !side) n = 0; /* large problems have the way for all */
        for (int w = may ? BY_SEARCH : BY_SORT; w < WAYS && n; w++)
            if (lost[w] < lost[y->by[side]]) y->by[side] = (KeyedBy)w;
        least[side] = lost[y->by[side]];
    }
    return least[0] + least[1];
}

typedef struct BestTest {
    const Expr *test; /* NULL: none gains enough */
    SortingTest of;
    double gain; /* logarithms of times, over the sizes that it is asked of */
} BestTest;

static void try_test(Graph *g, Keyed *y, SortingTest t, BestTest *best) {
    static const double MORE = 0.02; /* which of several that gain as much, depends on no rounding */
    const Expr *test = test_of(g, y, t);
    const PolyEnv env = {.g = g, .ctx = g->ctx};
    if (cond_truth(&env, test) >= 0) return; /* as of as many keys as owners, by one length: a side without sizes */
    const double lost = t.looked ? lost_by(y->small, y->nsmall, y->all) : lost_by(y->at, y->n, y->all);
    const double gain = lost - settle(g, y, test, t);
    if (gain > best->gain + MORE) *best = (BestTest){test, t, gain};
}

/* The test of one's sizes that gains most over the way for all: of small problems, or of others. */
static BestTest best_test(Graph *g, Keyed *y, bool small) {
    static const double LEAST = 0.05; /* of the time, as a mean over the sizes */
    BestTest best = {NULL, {0}, LEAST * (small ? y->nsmall : y->n)};
    for (int i = 0; i < NSMALL_TESTS && small && y->nsmall; i++) try_test(g, y, SMALL_TESTS[i], &best);
    if (small || !y->n) return best;
    for (int i = 0; i < NKEYS_TESTS; i++)
        for (int k = 0; k < NEACH_TESTS; k++)
            if (i || k) try_test(g, y, (SortingTest){.keys = KEYS_TESTS[i], .each = EACH_TESTS[k]}, &best);
    for (int i = 0; i < NOWNERS_TESTS; i++) try_test(g, y, OWNERS_TESTS[i], &best);
    for (int i = 0; i < NPLACES_TESTS && y->open; i++) try_test(g, y, PLACES_TESTS[i], &best);
    return best;
}

/* All sets of keys have one test, the one that gains most: large problems come first. */
static BestTest choose_sizes(Graph *g, Keyed *const *all, int n) {
    BestTest best = {NULL, {0}, 0};
    for (int small = 0; small < 2 && !best.test; small++)
        for (int i = 0; i < n; i++) {
            const BestTest own = best_test(g, all[i], small);
            if (own.test && own.gain > best.gain) best = own;
        }
    bool differ = false;
    for (int i = 0; i < n; i++) {
        /* Others may have many keys where these have few. */
        const bool apart = best.of.looked && (!all[i]->nsmall || test_of(g, all[i], best.of) != best.test);
        if (best.test && !apart) settle(g, all[i], best.test, best.of);
        differ |= all[i]->by[0] != all[i]->by[1];
    }
    if (!differ) best.test = NULL;
    return best;
}

/* ---- the Graph ---- */

/* One side's ways. */
static bool write_ways(SortedPlan *p, Keyed *const *all, int n, int side) {
    bool any = false;
    for (int i = 0; i < n; i++) {
        SortedKeys *k = all[i]->k;
        k->sort = NULL;
        k->updated = all[i]->by[side] == BY_UPDATE;
        any |= all[i]->by[side] != BY_SEARCH;
        if (all[i]->by[side] != BY_SORT) continue;
        sorted_make(p, k);
        sorted_place(p, k);
    }
    if (any) sorted_write(p);
    return any;
}

bool sorting_choose(Graph *g, Targets t, const Machine *m, SortingBranch *branch) {
    Ctx *temp = ctx_temp(g->ctx);
    SortedPlan *found = sorted_find(g, temp);
    if (sorted_take_inner(found)) found = sorted_find(g, temp);
    Sorting x = {.p = found, .alone = alone_new(g, t, m, temp)};
    const int n = x.p->keys.n;
    Keyed **all = NEW_N(temp, Keyed *, n + 1);
    for (int i = 0; i < n; i++) all[i] = keyed(&x, x.p->keys.at[i]);
    *branch = (SortingBranch){0};
    const BestTest best = choose_sizes(g, all, n);
    branch->when = best.test;
    branch->small = best.of.looked > 0;
    if (branch->when) {
        const Definitions *before = definitions_take(g);
        write_ways(x.p, all, n, 1);
        branch->other = definitions_take(g);
        definitions_put(g, before);
    }
    write_ways(x.p, all, n, 0);
    ctx_temp_end(temp);
    return n > 0;
}
