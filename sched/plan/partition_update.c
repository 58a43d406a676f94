/* Updates in place: what must be staged because somebody still reads the old values. See partition.h. */
#include "gathered.h"
#include "partition.h"
#include "sched/library/product.h"
#include "ir/expr_walk.h"

#include <limits.h>

typedef VEC(Equation) Roots;

static bool root_reads(Ctx *ctx, const Equation *r, const Tensor *t) {
    ExprSet seen = {0};
    if (expr_loads(ctx, &seen, r->value, t) || expr_loads(ctx, &seen, r->guard, t)) return true;
    for (int d = 0; d < r->tensor->rank; d++)
        if (expr_loads(ctx, &seen, r->subs[d], t)) return true;
    return false;
}

/* One inout's equations, as they are placed. */
typedef struct Update {
    const Prepared *def;
    Equation *roots; /* of its pieces */
    bool apart;      /* its folds of what others update are temporaries */
    bool done;
} Update;

static bool update_reads(Partition *x, const Update *u, const Tensor *t) {
    for (int p = 0; p < u->def->tensor->pieces.n; p++)
        if (root_reads(x->temp, &u->roots[p], t)) return true;
    return false;
}

/* Other elements of the root's tensor than its own; what reductions read does not count. */
static Found is_elsewhere(const Expr *e, const void *root) {
    const Equation *r = root;
    if (e->op == OP_REDUCE) return FOUND_NOT;
    if (e->op == OP_LOAD && e->u.tensor == r->tensor)
        for (int d = 0; d < e->nargs; d++)
            if (e->arg[d] != r->subs[d]) return FOUND;
    return FOUND_INSIDE;
}

/* A product that adds to the element itself, which its factors do not read: the library takes that in place. */
static bool is_product_update(Partition *x, const Prepared *def, const Equation *r) {
    Product p;
    const Tensor *t = def->tensor;
    if (t->pieces.n != 1 || !partition_is_product(x, r, &p, NULL)) return false;
    if (p.c.tensor != t || p.a.tensor == t || p.b.tensor == t || p.bias.tensor == t) return false;
    if (p.c.offset != p.d.offset || p.c.row != p.d.row) return false;
    for (int i = 0; i < p.nbatch; i++)
        if (p.c.batch[i] != p.d.batch[i]) return false;
    return true;
}

/* Reductions of what is updated besides this tensor, but for those inside of others. */
typedef struct Reductions {
    Ctx *temp;
    const Tensor *own;
    ExprSet seen;
    ExprMap found;
} Reductions;

static Found is_other_inout(const Expr *e, const void *own) {
    const bool inout = e->op == OP_LOAD && e->u.tensor->kind == TENSOR_INOUT;
    return inout && e->u.tensor != own ? FOUND : FOUND_INSIDE;
}

static Found note_reduction(const Expr *e, void *user) {
    Reductions *r = user;
    if (e->op != OP_REDUCE) return FOUND_INSIDE;
    if (expr_find(r->temp, &r->seen, e, is_other_inout, r->own)) expr_map_put(r->temp, &r->found, e, e);
    return FOUND_NOT;
}

/* The root's value with the reductions of *bad taken out, once their temporaries are placed. */
static const Expr *take_out(Partition *x, const Equation *root, const ExprMap *bad, const char *why) {
    TakeOut *t = partition_take_out(x, root, bad, root->guard != NULL, why);
    for (;;) {
        const Expr *value = partition_taken_out(t);
        if (value) return value;
        partition_place(x, x->wanted);
        if (x->failed) return root->value;
    }
}

/* The load of a temporary that holds e, once that is placed; NULL: e has too many variables, or it failed. */
static const Expr *stored_now(Partition *x, const Expr *e, const Equation *reader, const char *why) {
    if (expr_free(&x->free, e)->n > MAX_RANK) return NULL;
    const Expr *load = partition_stored(x, e, reader, why);
    if (load) return load;
    partition_place(x, x->wanted);
    return x->failed ? NULL : partition_stored(x, e, reader, why);
}

/* Elements of the root's rows at places that are data are folds of the rows where its kernel folds these anyway
 * (gathered.h). */
static void fold_gathered(Partition *x, Equation *r) {
    Equation folds = *r;
    folds.value = gathered_folds(x->g, r, r->value);
    if (folds.value == r->value) return;
    const Group *before = group_new(x->g, r, 1, NULL, NULL, NULL),
                *after = group_new(x->g, &folds, 1, NULL, NULL, NULL);
    if (before && after && group_owned(before) && group_owned(before) == group_owned(after)) *r = folds;
}

/* Storing what others of the root's elements are read for. */
typedef struct Elsewhere {
    Partition *x;
    const Equation *root;
} Elsewhere;

/* Of an element that is one for several of the root's: it is less to store than the values after. */
static const Expr *stored_elsewhere(ExprRewrite *w, const Expr *e) {
    const Elsewhere *s = w->user;
    const Equation *r = s->root;
    if (e->op == OP_REDUCE) return e;
    if (e->op != OP_LOAD || is_elsewhere(e, r) != FOUND) return NULL;
    const ExprVars *vars = expr_free(&s->x->free, e);
    const ExprVars own = {r->nvars, r->vars};
    for (int i = 0; i < vars->n; i++)
        if (!expr_vars_have(&own, vars->vars[i])) return NULL;
    if (vars->n >= r->nvars || !gathered_always(w->g, e)) return NULL;
    return stored_now(s->x, e, r, "others change it while it is read");
}

static void store_elsewhere(Partition *x, Equation *r) {
    Elsewhere s = {x, r};
    ExprRewrite w = {.g = x->g, .temp = x->temp, .before = stored_elsewhere, .user = &s};
    const Expr *value = expr_rewrite(&w, r->value);
    if (!x->failed) r->value = value;
}

/* A reduction of the root's elements that is all of its value cannot leave its kernel before them, as one that is a
 * part of it can: where threads would read what others store (group_step_leaves), new elements are stored elsewhere. */
static bool folds_itself(Partition *x, const Equation *r) {
    const Group *gr = r->value->op == OP_REDUCE ? group_new(x->g, r, 1, NULL, NULL, NULL) : NULL;
    for (int i = 0; gr && i < gr->steps.n; i++)
        if (group_step_leaves(gr, i, 0, x->plan->dims)) return true;
    return false;
}

/* Every thread that stores an element is the only one that reads it: one equation of the element itself. Its reductions
 * of this tensor stay where each thread folds the elements that it stores (group_step_leaves). */
static bool update_locally(Partition *x, Update *u) {
    Equation *r = &u->roots[0];
    ExprSet seen = {0};
    if (!update_reads(x, u, u->def->tensor) || is_product_update(x, u->def, r)) return true;
    if (u->def->tensor->pieces.n > 1 || (r->guard && r->guard->reduces)) return false;
    for (int d = 0; d < u->def->tensor->rank; d++)
        if (r->subs[d]->reduces || expr_find(x->temp, &seen, r->subs[d], is_elsewhere, r)) return false;
    if (expr_find(x->temp, &seen, r->value, is_elsewhere, r)) {
        fold_gathered(x, r);
        store_elsewhere(x, r);
        seen = (ExprSet){0};
    }
    if (expr_find(x->temp, &seen, r->value, is_elsewhere, r) || folds_itself(x, r)) return false;
    return !expr_find(x->temp, &seen, r->guard, is_elsewhere, r);
}

/* Its reductions of what other updates change become temporaries before that happens; false: there are none. */
static bool fold_others_before(Partition *x, Update *u) {
    Equation *r = &u->roots[0];
    Reductions others = {.temp = x->temp, .own = u->def->tensor};
    ExprWalk walk = {.temp = x->temp, .before = note_reduction, .user = &others, .reduces = true};
    if (u->apart || u->def->tensor->pieces.n > 1) return false;
    u->apart = true;
    expr_walk(&walk, r->value);
    if (!others.found.n) return false;
    r->value = partition_reuse(x, partition_root_level(x, r), r->value);
    r->value = take_out(x, r, &others.found, "its values before are read while it is updated");
    return true;
}

static Found is_inout(const Expr *e, const void *unused) {
    (void)unused;
    return e->op == OP_LOAD && e->u.tensor->kind == TENSOR_INOUT ? FOUND : FOUND_INSIDE;
}

/* New values go to a temporary; *copies receives the equations that move them when all old values have been read. */
static void stage_update(Partition *x, Update *u, Roots *copies) {
    Graph *g = x->g;
    u->done = true;
    const Prepared *def = u->def;
    for (int p = 0; p < def->tensor->pieces.n && !x->failed; p++)
        if (u->roots[p].update) {
            text_fmt(x->why, "`%s` is folded into while others still read the values before", def->tensor->name);
            x->failed = true;
        }
    if (x->failed) return;
    Tensor *t = NEW(g->ctx, Tensor);
    *t = *def->tensor;
    t->name = partition_temp_name(x, def->tensor->name);
    t->kind = TENSOR_LET;
    t->partial = true;
    t->id = g->tensors.n + x->plan->temps.n;
    plan_store(x->plan, t, "others still read the values before", def->tensor);
    for (int p = 0; p < def->tensor->pieces.n; p++) {
        Equation r = u->roots[p], copy;
        ExprSet seen = {0};
        r.number = p + 1; /* no element is one of two pieces */
        copy = r;
        r.tensor = t;
        partition_place(x, r);
        /* what a guard reads may have changed by then: its truth is kept */
        if (expr_find(x->temp, &seen, r.guard, is_inout, NULL))
            copy.guard = stored_now(x, r.guard, &r, "what it reads has changed by the time its truth is asked");
        if (r.guard && !copy.guard && !x->failed) {
            text_fmt(x->why, "`%s` has too many variables", def->tensor->name);
            x->failed = true;
        }
        copy.value = expr_load(g, t, copy.subs);
        vec_push(g->ctx, copies, copy);
    }
}

static void place_update(Partition *x, Update *u) {
    u->done = true;
    for (int p = 0; p < u->def->tensor->pieces.n; p++) partition_place(x, u->roots[p]);
}

/* Whether another update that is not done reads the values before number i. */
static bool is_wanted(Partition *x, const Update *u, int n, int i) {
    for (int j = 0; j < n; j++)
        if (j != i && !u[j].done && update_reads(x, &u[j], u[i].def->tensor)) return true;
    return false;
}

void partition_place_updates(Partition *x, const Prepared **defs, int n) {
    Roots copies = {0};
    Update *u = NEW_N(x->g->ctx, Update, n + 1);
    for (int i = 0; i < n; i++) {
        int pieces = defs[i]->tensor->pieces.n;
        u[i] = (Update){.def = defs[i], .roots = NEW_N(x->g->ctx, Equation, pieces + 1)};
        for (int p = 0; p < pieces; p++) {
            u[i].roots[p] = prepare_root(defs[i], p);
            prepare_own_vars(x->g, &u[i].roots[p]);
        }
    }
    for (int i = 0; i < n && !x->failed; i++)
        if (!update_locally(x, &u[i])) stage_update(x, &u[i], &copies);
    while (!x->failed) {
        int first = 0, pick = 0;
        while (first < n && u[first].done) first++;
        if (first == n) break;
        while (pick < n && (u[pick].done || is_wanted(x, u, n, pick))) pick++;
        bool fewer = false;
        for (int i = first; i < n && pick == n && !fewer; i++) fewer = !u[i].done && fold_others_before(x, &u[i]);
        if (fewer) continue;
        if (pick == n)
            stage_update(x, &u[first], &copies);
        else
            place_update(x, &u[pick]);
    }
    for (int i = 0; i < copies.n; i++) partition_place(x, copies.at[i]);
}
