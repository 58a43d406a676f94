/* A reduction by keys, where data say for each element of a row to which place it belongs,
 *
 *   y[m, v] = sum[p where at[m, p] == v](g[m, p])
 *
 * as it stands is a search of each place through all elements of its row. Its group gets another one that may be taken
 * instead of it (Group.divisions): there a block has the places in shared memory, folds each element of the row into
 * the one that its key names, and only then goes along the places. Elements are folded in the order of the row, or as
 * a fixed schedule has them, so that results repeat. Places are in as many pieces as shared memory asks for, each with
 * a walk over the row of its own. */
#include "scatter.h"

#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "ir/monoid.h"
#include "ir/poly/poly.h"

/* Of `index == key`, whether it says of elements that are folded where along an axis they belong. */
static int axis_of_key(Group *gr, const GStep *p, const Expr *index, const Expr *key) {
    if (index->op != OP_VAR || key->type != TY_I64 || !expr_has(key, expr_test_data, NULL) || key->reduces) return -1;
    for (int a = 0; a < gr->axes.n; a++) {
        if (gr->axes.at[a].var != index->u.var || !(p->free & ~p->over & ((AxisSet)1 << a))) continue;
        const AxisSet of = group_free(gr, key);
        return of >> a & 1 || !(of & p->over) ? -1 : a;
    }
    return -1;
}

static int key_of(Group *gr, const GStep *p, const Expr *cond, const Expr **key) {
    for (int side = 0; cond->op == OP_EQ && side < 2; side++) {
        *key = cond->arg[!side];
        const int a = axis_of_key(gr, p, cond->arg[side], *key);
        if (a >= 0) return a;
    }
    return -1;
}

/* What stands behind the key may be protected by it, where data say what is loaded; indices are protected by what the
 * other conditions ask of them. */
static Found may_be_outside(const Expr *e, const void *group) {
    const Group *gr = group;
    const PolyEnv env = {.g = gr->graph};
    bool data = false;
    for (int i = 0; e->op == OP_LOAD && i < e->nargs; i++) data |= expr_has(e->arg[i], expr_test_data, NULL) != NULL;
    return data && !group_load_exists(gr, e) && !expr_load_within(&env, e) ? FOUND : FOUND_INSIDE;
}

static bool is_protected(const Group *gr, const Expr *e) { return e && expr_has(e, may_be_outside, gr); }

/* The first condition that is a key becomes that; others stay. */
static int take_key(Group *gr, GStep *p, const Expr *cond, bool *protected) {
    if (cond->op == OP_AND) {
        const int a = take_key(gr, p, cond->arg[0], protected), b = take_key(gr, p, cond->arg[1], protected);
        return a >= 0 ? a : b;
    }
    const Expr *key;
    const int a = p->key ? -1 : key_of(gr, p, cond, &key);
    if (a >= 0) {
        p->key = key;
        return a;
    }
    *protected |= p->key && is_protected(gr, cond);
    p->rest = expr_and(gr->graph, p->rest, cond);
    return a;
}

static bool take_into(Group *gr, GStep *p) {
    if (p->scan || p->online || p->monoid->n != 1 || p->monoid->ordered || p->under || !p->guard) return false;
    if (!type_is_compute(p->node->type) || p->node->type != p->body->type) return false;
    bool protected = false;
    const int a = take_key(gr, p, p->guard, &protected);
    if (a < 0 || protected || is_protected(gr, p->body)) return false;
    p->into = (AxisSet)1 << a;
    const AxisSet used = group_free(gr, p->body) | group_free(gr, p->rest) | group_free(gr, p->key);
    return !(used & p->into);
}

/* All stores have the axis, which nobody folds, and none of those that are folded. */
static bool stores_allow(const Group *gr, AxisSet into, AxisSet over) {
    bool allow = true;
    for (int i = 0; i < gr->stores.n; i++) {
        const GStore *s = &gr->stores.at[i];
        allow &= (s->axes & into) && !(s->axes & over) && !s->update;
    }
    return allow;
}

/* Whether places of all steps together are known to be so few that many warps have some: of more, kernels of their own
 * are quicker, although each reads the keys. */
static bool have_room(const Group *gr, const GStep *steps) {
    enum { BINS = 1 << 15 /* bytes of a row */ };
    int64_t bytes = 0;
    for (int i = 0; i < gr->steps.n; i++) bytes += type_bits(steps[i].node->type) / 8;
    for (int a = 0; a < gr->axes.n; a++)
        if (steps[0].into >> a & 1 && !expr_guess_is_told(gr->axes.at[a].var->hi)) return gr->steps.n == 1;
    return gr->steps.n == 1 || group_guess(gr, steps[0].into) <= BINS / bytes;
}

/* The steps as they scatter; false: not all do, along one axis. */
static bool find_steps(Group *gr, GStep *steps) {
    if (gr->product || gr->split >= 0 || !gr->steps.n) return false;
    for (int i = 0; i < gr->steps.n; i++) {
        steps[i] = gr->steps.at[i];
        if (!take_into(gr, &steps[i]) || steps[i].into != steps[0].into) return false;
        if (steps[i].over != steps[0].over || steps[i].free != steps[0].free) return false;
    }
    return have_room(gr, steps) && stores_allow(gr, steps[0].into, steps[0].over) && group_updates_own(gr);
}

bool scatter_may(Group *gr) {
    Ctx *temp = ctx_temp(gr->graph->ctx);
    const bool may = find_steps(gr, NEW_N(temp, GStep, gr->steps.n + 1));
    ctx_temp_end(temp);
    return may;
}

bool scatter_keyed(Group *gr, const GStep *p) {
    GStep s = *p;
    return s.guard && s.guard->loads && take_into(gr, &s);
}

/* What one group knows of loads, for another. */
typedef struct Loads {
    const Group *from;
    Group *to;
} Loads;

static Found note_whole(const Expr *e, void *loads) {
    const Loads *x = loads;
    if (e->op == OP_LOAD && expr_map_get(&x->from->whole, e)) expr_map_put(x->to->graph->ctx, &x->to->whole, e, e);
    return FOUND_INSIDE;
}

Group *scatter_group(Group *gr) {
    Ctx *ctx = gr->graph->ctx;
    GStep *steps = NEW_N(ctx, GStep, gr->steps.n + 1);
    if (!find_steps(gr, steps)) return NULL;
    Group *one = NEW(ctx, Group);
    *one = (Group){.graph = gr->graph, .name = gr->name, .axes = gr->axes, .split = -1};
    one->no_product = gr->no_product;
    one->rounding = gr->rounding;
    one->neighbours = gr->neighbours;
    one->bounded = gr->bounded;
    for (int i = 0; i < gr->steps.n; i++) vec_push(ctx, &one->steps, steps[i]);
    for (int i = 0; i < gr->reduces.n; i++) vec_push(ctx, &one->reduces, gr->reduces.at[i]);
    for (int i = 0; i < gr->stores.n; i++) vec_push(ctx, &one->stores, gr->stores.at[i]);
    Loads loads = {gr, one};
    ExprWalk walk = {.temp = ctx, .before = note_whole, .user = &loads, .loads = true};
    for (int i = 0; i < one->steps.n; i++) expr_walk(&walk, one->steps.at[i].node);
    group_find_rows(one, ctx);
    group_find_tensors(one, ctx);
    return one;
}
