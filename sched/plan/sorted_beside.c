/* What is read for each owner and each key anyway, by another reduction of the Graph: see sorted_reads_beside.
 *
 *   both[c] = sum[n where t[n] == c](p[n, c])
 *   size[c] = sum[n](p[n, c])
 *
 * The second goes through all of p; that the first tries every n for every c adds no element to it. */
#include "sorted.h"

#include "ir/expr_walk.h"

/* Whether a load names an element of the whole tensor by variables alone, each another one. */
static bool is_whole(const Expr *load) {
    for (int d = 0; d < load->nargs; d++) {
        if (load->arg[d]->op != OP_VAR) return false;
        for (int k = 0; k < d; k++)
            if (load->arg[k] == load->arg[d]) return false;
    }
    return true;
}

static bool has_var(const Expr *load, const Var *v) {
    for (int d = 0; d < load->nargs; d++)
        if (load->arg[d]->op == OP_VAR && load->arg[d]->u.var == v) return true;
    return false;
}

/* A load of an element for each owner and each position of the keys. */
static Found is_of_each(const Expr *e, const void *fold) {
    const SortedFold *f = fold;
    if (e->op != OP_LOAD) return FOUND_INSIDE;
    bool each = is_whole(e);
    for (int i = 0; i < f->nkeys; i++) each &= has_var(e, f->key[i].owner);
    for (int i = 0; i < f->nposition; i++) each &= has_var(e, f->position[i]);
    return each ? FOUND : FOUND_NOT;
}

typedef struct Beside {
    const SortedPlan *p;
    const Tensor *t;
} Beside;

static Found loads_whole(const Expr *e, const void *tensor) {
    if (e->op != OP_LOAD) return FOUND_INSIDE;
    return e->u.tensor == tensor && is_whole(e) ? FOUND : FOUND_NOT;
}

static Found folds_whole(const Expr *e, void *beside) {
    const Beside *b = beside;
    if (e->op != OP_REDUCE) return FOUND_INSIDE;
    if (expr_map_get(&b->p->of, e) || e->arg[0]->op != OP_CONST) return FOUND_NOT;
    for (int i = 1; i < e->nargs; i++)
        if (expr_has(e->arg[i], loads_whole, b->t)) return FOUND;
    return FOUND_INSIDE;
}

/* Whether a reduction under no condition, and by no keys, folds all elements of t. */
static bool is_folded_beside(const SortedPlan *p, const Tensor *t) {
    Beside b = {p, t};
    ExprWalk w = {.temp = p->temp, .before = folds_whole, .user = &b, .reduces = true};
    for (int i = 0; i < p->g->tensors.n; i++)
        for (int k = 0; k < p->g->tensors.at[i]->pieces.n; k++)
            if (expr_walk(&w, p->g->tensors.at[i]->pieces.at[k].value)) return true;
    return false;
}

typedef struct OfEach {
    const SortedPlan *p;
    const SortedFold *f;
} OfEach;

static Found is_read_beside(const Expr *e, void *of_each) {
    const OfEach *x = of_each;
    if (e->op != OP_LOAD) return FOUND_INSIDE;
    return is_of_each(e, x->f) == FOUND && is_folded_beside(x->p, e->u.tensor) ? FOUND : FOUND_NOT;
}

bool sorted_reads_beside(const SortedPlan *p, const SortedKeys *k) {
    for (int i = 0; i < k->folds.n; i++) {
        OfEach x = {p, k->folds.at[i]};
        ExprWalk w = {.temp = p->temp, .before = is_read_beside, .user = &x, .loads = true};
        for (int a = 1; a < x.f->reduce->nargs; a++)
            if (expr_walk(&w, x.f->reduce->arg[a])) return true;
    }
    return false;
}
