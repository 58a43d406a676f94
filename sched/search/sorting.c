/* Whether a sort pays: see sorting.h. What each fold takes, both ways, is asked of the schedules that it would have by
 * itself, at one point (alone.h). */
#include "sorting.h"

#include "alone.h"
#include "ir/interp/interp.h"
#include "judge.h"
#include "sched/kernel/sort.h"
#include "sched/plan/updated.h"

#include <math.h>

typedef struct Sorting {
    SortedPlan *p;
    Alone alone;
} Sorting;

/* Keys and owners are many where nothing is said of them, all else as long as usual. */
static void find_point(Sorting *x, const SortedKeys *k) {
    alone_usual(&x->alone);
    alone_large(&x->alone, &k->below, 1, ALONE_OWNERS);
    alone_large(&x->alone, k->sort->keys->shape, k->sort->keys->rank, ALONE_KEYS);
    alone_legal(&x->alone);
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
    bool ordered = false;
    for (int i = 0; i < k->folds.n; i++) {
        ExprSet seen = {0};
        const Expr *e = sorted_fold(x->p, k, k->folds.at[i], k->folds.at[i]->reduce);
        ordered |= expr_loads(x->alone.temp, &seen, e, k->sort->order);
    }
    const double s = sort_seconds(m, n, below, t->type, ordered) + sort_way(n, below, ordered).launches * m->chained;
    return k->given ? s : s + alone_seconds(&x->alone, k->value, &t->pieces.at[0]);
}

/* All folds as a search of each owner, or in the order of their keys. */
static double searched(Sorting *x, const SortedKeys *k) {
    double s = 0;
    for (int i = 0; i < k->folds.n; i++) s += alone_seconds(&x->alone, k->folds.at[i]->reduce, k->folds.at[i]->piece);
    return s;
}

static double sorted(Sorting *x, const SortedKeys *k) {
    double s = sort_all(x, k);
    for (int i = 0; i < k->folds.n; i++) {
        const SortedFold *f = k->folds.at[i];
        const Expr *e = sorted_fold(x->p, k, f, f->reduce);
        if (e->reduces) s += alone_seconds(&x->alone, e, f->piece);
    }
    return s;
}

/* Nothing is over before the element that is met most often has been folded into, one value after the other. Where
 * nothing is said of how many owners there are, there may be one. */
static double most_met(Sorting *x, const SortedKeys *k) {
    const Expr *n = tensor_size(x->p->g, k->sort->keys);
    int64_t keys, below;
    if (!interp_int(x->p->g, n, x->alone.dims, NULL, &keys) || keys <= 0) return 0;
    if (!interp_int(x->p->g, k->below, x->alone.dims, NULL, &below) || below <= 0) return 0;
    const double longer = alone_is_large(&x->alone, k->below) ? (double)below : JUDGE_LONGER;
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

typedef enum KeyedBy { BY_SEARCH, BY_SORT, BY_UPDATE } KeyedBy;

/* The quickest; where all take too long to say, an order in which there is an end. */
static KeyedBy chosen(Sorting *x, const SortedKeys *k) {
    const double search = searched(x, k), sort = sorted(x, k), update = updated(x, k);
    if (update < search && update < sort) return BY_UPDATE;
    return sort < search || (isinf(sort) && isinf(search)) ? BY_SORT : BY_SEARCH;
}

bool sorting_choose(Graph *g, Targets t, const Machine *m) {
    Ctx *temp = ctx_temp(g->ctx);
    Sorting x = {.p = sorted_find(g, temp), .alone = alone_new(g, t, m, temp)};
    bool any = false, tried = false;
    for (int i = 0; i < x.p->keys.n; i++) {
        SortedKeys *k = x.p->keys.at[i];
        sorted_make(x.p, k);
        tried = true;
        find_point(&x, k);
        const KeyedBy by = chosen(&x, k);
        k->updated = by == BY_UPDATE;
        any |= by != BY_SEARCH;
        if (by == BY_SORT)
            sorted_place(x.p, k);
        else
            sorted_take_back(x.p, k);
    }
    if (any) sorted_write(x.p);
    ctx_temp_end(temp);
    return tried;
}
