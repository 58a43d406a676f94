/* Whether a sort pays: see sorting.h. What each fold takes, both ways, is asked of the schedules that it would have by
 * itself, at one point (alone.h). */
#include "sorting.h"

#include "alone.h"
#include "ir/interp/interp.h"
#include "sched/kernel/sort.h"
#include "sched/plan/sorted.h"

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
    for (int i = 0; i < k->folds.n; i++)
        ordered |= sorted_fold(x->p, k, k->folds.at[i], k->folds.at[i]->reduce)->reduces;
    const double s = sort_seconds(m, n, below, t->type, ordered) + sort_way(n, below, ordered).launches * m->chained;
    return k->given ? s : s + alone_seconds(&x->alone, k->value, &t->pieces.at[0]);
}

static bool pays(Sorting *x, const SortedKeys *k) {
    double search = 0, sorted = sort_all(x, k);
    for (int i = 0; i < k->folds.n; i++) {
        const SortedFold *f = k->folds.at[i];
        const Expr *e = sorted_fold(x->p, k, f, f->reduce);
        search += alone_seconds(&x->alone, f->reduce, f->piece);
        if (e->reduces) sorted += alone_seconds(&x->alone, e, f->piece);
    }
    return sorted < search || (isinf(sorted) && isinf(search));
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
        if (pays(&x, k)) {
            sorted_place(x.p, k);
            any = true;
        } else {
            sorted_take_back(x.p, k);
        }
    }
    if (any) sorted_write(x.p);
    ctx_temp_end(temp);
    return tried;
}
