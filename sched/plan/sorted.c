/* Reductions by keys: finding them. See sorted.h. */
#include "sorted.h"

#include "early.h"
#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "ir/poly/hull.h"
#include "ir/poly/poly.h"
#include "sorted_form.h"

#include <string.h>

enum { MAX_CONDS = 64 };

/* One piece's values while reductions are looked for in them. */
typedef struct Finding {
    SortedPlan *p;
    const Tensor *reader;
    const Piece *piece;
    ExprFree free;
    ExprSet bare; /* reductions that are evaluated whatever conditions hold */
} Finding;

/* ---- keys ---- */

static bool has_owner(const SortedFold *f, const Var *v) {
    for (int i = 0; i < f->nkeys; i++)
        if (f->key[i].owner == v) return true;
    return false;
}

/* Of `owner == key`, whether it says of data of the fold's variables where they belong. */
static bool is_key(Finding *x, const SortedFold *f, const Expr *owner, const Expr *key) {
    const Reduce *r = f->reduce->u.reduce;
    bool folded = false;
    if (owner->op != OP_VAR || early_folds(r, owner->u.var) || !early_over_dims(owner->u.var) ||
        has_owner(f, owner->u.var))
        return false;
    if (!key->loads || key->reduces || key->type != TY_I64) return false;
    const ExprVars *vars = expr_free(&x->free, key);
    for (int i = 0; i < vars->n; i++) {
        if (vars->vars[i] == owner->u.var || has_owner(f, vars->vars[i]) || !early_over_dims(vars->vars[i]))
            return false;
        folded |= early_folds(r, vars->vars[i]);
    }
    return folded && vars->n <= MAX_RANK;
}

static void find_keys(Finding *x, SortedFold *f) {
    for (int c = 0; c < f->conds.n && f->nkeys < MAX_RANK; c++) {
        const Expr *e = f->conds.at[c];
        for (int side = 0; e->op == OP_EQ && side < 2; side++) {
            if (!is_key(x, f, e->arg[side], e->arg[!side])) continue;
            f->key[f->nkeys++] = (SortedKey){c, e->arg[!side], e->arg[side]->u.var};
            break;
        }
    }
}

/* ---- the variables of the keys ---- */

static bool has_position(const SortedFold *f, const Var *v) {
    for (int i = 0; i < f->nposition; i++)
        if (f->position[i] == v) return true;
    return false;
}

static bool add_position(SortedFold *f, Var *v) {
    if (has_position(f, v)) return true;
    if (f->nposition == MAX_RANK) return false;
    f->position[f->nposition++] = v;
    return true;
}

/* Free ones in the order in which keys have them, then those of the fold in its own. What is an owner of one key cannot
 * be a variable of another: the keys would be as many as both together. */
static bool find_position(Finding *x, SortedFold *f) {
    const Reduce *r = f->reduce->u.reduce;
    ExprMap folded = {0};
    for (int k = 0; k < f->nkeys; k++) {
        const ExprVars *vars = expr_free(&x->free, f->key[k].key);
        for (int i = 0; i < vars->n; i++) {
            if (has_owner(f, vars->vars[i])) return false;
            if (early_folds(r, vars->vars[i]))
                expr_map_put(x->p->temp, &folded, vars->vars[i], r);
            else if (!add_position(f, vars->vars[i]))
                return false;
        }
    }
    f->nfree = f->nposition;
    int last = -1;
    for (int i = 0; i < r->nvars; i++) {
        if (!expr_map_get(&folded, r->vars[i])) continue;
        if (r->monoid->ordered && last >= 0 && last != i - 1) return false; /* another order than that of the indices */
        if (!add_position(f, r->vars[i])) return false;
        last = i;
    }
    return true;
}

/* The ranges of what else is folded stay as they are. */
static bool ranges_stay(Finding *x, const SortedFold *f) {
    const Reduce *r = f->reduce->u.reduce;
    for (int i = 0; i < r->nvars; i++)
        for (int end = 0; end < 2; end++) {
            const ExprVars *vars = expr_free(&x->free, end ? r->vars[i]->hi : r->vars[i]->lo);
            for (int k = 0; k < vars->n; k++)
                if (early_folds(r, vars->vars[k])) return false;
        }
    return true;
}

/* ---- what keeps keys inside of tensors ---- */

static Found may_be_outside(const Expr *e, const void *unused) {
    (void)unused;
    return e->op == OP_LOAD && !load_exists(e) ? FOUND : FOUND_INSIDE;
}

bool sorted_may_be_let(const SortedPlan *p, const SortedFold *f, const Expr *e) {
    ExprSet seen = {0};
    return early_may_be_let(p->temp, e) && (f->bare || !expr_find(p->temp, &seen, e, may_be_outside, NULL));
}

static bool needs_conditions(const Finding *x, const Expr *key) {
    ExprSet seen = {0};
    return expr_find(x->p->temp, &seen, key, may_be_outside, NULL) != NULL;
}

static bool within_position(Finding *x, const SortedFold *f, const Expr *e) {
    const ExprVars *vars = expr_free(&x->free, e);
    for (int i = 0; i < vars->n; i++)
        if (!has_position(f, vars->vars[i])) return false;
    return true;
}

/* A key that conditions before it may protect stands under them: they must be of the same variables, and there must be
 * none around the reduction. */
static bool find_protection(Finding *x, SortedFold *f) {
    f->inside = NEW_N(x->p->temp, bool, f->conds.n + 1);
    for (int k = 0; k < f->nkeys; k++) {
        if (!needs_conditions(x, f->key[k].key)) continue;
        if (!expr_set_has(&x->bare, f->reduce)) return false;
        for (int c = 0; c < f->key[k].at; c++) {
            bool other = false;
            for (int j = 0; j < k; j++) other |= f->key[j].at == c;
            if (other) continue;
            if (!within_position(x, f, f->conds.at[c])) return false;
            f->inside[c] = true;
        }
    }
    return true;
}

/* ---- folds ---- */

/* Whether the keys are a parameter as it stands: its elements, in their order, compared with an index from 0 on. */
static Tensor *given_keys(const SortedFold *f) {
    const Expr *e = expr_uncast(f->key[0].key);
    int64_t zero;
    if (f->nkeys != 1 || f->nfree || e->op != OP_LOAD || e->nargs != f->nposition) return NULL;
    Tensor *t = e->u.tensor;
    if (t->kind != TENSOR_INPUT || !type_is_int(t->type) || type_bits(t->type) < 8) return NULL;
    for (int i = 0; i < e->nargs; i++)
        if (e->arg[i]->op != OP_VAR || e->arg[i]->u.var != f->position[i]) return NULL;
    for (int c = 0; c < f->conds.n; c++)
        if (f->inside[c]) return NULL;
    if (!expr_is_int(f->key[0].owner->lo, &zero) || zero) return NULL;
    return load_exists(e) ? t : NULL;
}

/* Whether the program says that they are in order, and none is below those that count. */
static bool in_order(Graph *g, const Tensor *keys) {
    const PolyEnv env = {.g = g};
    if (keys->rank != 1) return false;
    const Expr *least = range_of_elements(g, keys, false);
    return least && expr_nonneg(&env, least) &&
           early_ascends(g, keys, expr2(g, OP_SUB, keys->shape[0], expr_int(g, TY_I64, 1)));
}

static SortedKeys *same_keys(const SortedPlan *p, const SortedKeys *k) {
    for (int i = 0; i < p->keys.n; i++) {
        SortedKeys *old = p->keys.at[i];
        if (old->given == k->given && old->value == k->value && old->below == k->below) return old;
    }
    return NULL;
}

static void add_fold(Finding *x, SortedFold *f) {
    SortedPlan *p = x->p;
    SortedKeys *k = NEW(p->temp, SortedKeys);
    k->below = sorted_below(p->g, f);
    k->given = given_keys(f);
    if (!k->given) sorted_value(p->g, f, k);
    k->ascends = k->given && in_order(p->g, k->given);
    SortedKeys *old = same_keys(p, k);
    if (!old) vec_push(p->temp, &p->keys, k);
    if (old) k = old;
    vec_push(p->temp, &k->folds, f);
    expr_map_put(p->temp, &p->of, f->reduce, f);
    expr_map_put(p->temp, &p->keys_of, f->reduce, k);
}

static Found find_fold(const Expr *e, void *finding) {
    Finding *x = finding;
    if (e->op != OP_REDUCE || expr_map_get(&x->p->of, e)) return FOUND_INSIDE;
    if (e->u.reduce->monoid->indexed && !early_may_be_let(x->p->temp, e)) return FOUND_INSIDE; /* sorted_write.c */
    SortedFold *f = NEW(x->p->temp, SortedFold);
    f->reduce = e;
    f->bare = expr_set_has(&x->bare, e);
    f->reader = x->reader;
    f->piece = x->piece;
    early_conditions(x->p->temp, e->arg[0], &f->conds);
    if (f->conds.n > MAX_CONDS) return FOUND_INSIDE;
    find_keys(x, f);
    if (f->nkeys && find_position(x, f) && ranges_stay(x, f) && find_protection(x, f)) add_fold(x, f);
    return FOUND_INSIDE;
}

static void find_in(Finding *x, const Expr *e) {
    ExprWalk all = {.temp = x->p->temp, .before = find_fold, .user = x, .reduces = true};
    if (!e) return;
    if (!x->piece->guard) early_bare(x->p->temp, e, &x->bare);
    expr_walk(&all, e);
}

SortedPlan *sorted_find(Graph *g, Ctx *temp) {
    SortedPlan *p = NEW(temp, SortedPlan);
    p->g = g;
    p->temp = temp;
    for (int i = 0; i < g->tensors.n; i++)
        for (int k = 0; k < g->tensors.at[i]->pieces.n; k++) {
            Finding x = {.p = p, .reader = g->tensors.at[i], .free = {.ctx = temp, .ranges = true}};
            x.piece = &x.reader->pieces.at[k];
            find_in(&x, x.piece->value);
        }
    return p;
}
