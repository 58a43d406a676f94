/* Which reductions may not be steps of the kernel that reads them: see group_step_leaves. */
#include "group.h"
#include "online.h"
#include "scatter.h"

#include "ir/expr_walk.h"

enum { ONE_BLOCK = 1 << 16 /* elements that one block may own alone */, LONG_ROW = 1 << 18 };
enum { SMALL_FOLD = 64, FEW_BLOCKS = 8, SOME_BLOCKS = 64 };
enum { LEAST_APART = 1 << 13 /* elements */, NEAR = 8 /* columns, which lie in the same lines of memory */ };

static bool is_full(const Group *gr, const GStep *p) { return p->free == gr->stores.at[0].axes; }
static AxisSet row_of(const GStep *p) { return p->scan ? p->free & ~p->over : p->free; }

/* One that depends on what another reduction folds, or re-reads other rows than the store's. */
static bool is_misplaced(const Group *gr, const GStep *p) {
    AxisSet o = gr->stores.at[0].axes;
    if (p->free & ~o || (!p->scan && p->free & p->under)) return true;
    return !is_full(gr, p) && p->over & ~o;
}

bool group_ragged(Group *gr, const GStep *s, AxisSet *within) {
    ExprVec todo = {0};
    bool ragged = false;
    *within = 0;
    if (!s->guard->loads) return false; /* asked at every point, and mostly so */
    Ctx *temp = ctx_temp(gr->graph->ctx);
    vec_push(temp, &todo, s->guard);
    while (todo.n) {
        const Expr *c = todo.at[--todo.n];
        if (c->op == OP_AND) vec_push(temp, &todo, c->arg[0]);
        if (c->op == OP_AND) vec_push(temp, &todo, c->arg[1]);
        for (int i = 0; op_swapped(c->op) != c->op && i < 2; i++) {
            if (c->arg[i]->op != OP_VAR || !c->arg[!i]->loads || !(group_free(gr, c->arg[i]) & s->over)) continue;
            ragged = true;
            *within |= group_free(gr, c->arg[!i]);
        }
    }
    ctx_temp_end(temp);
    return ragged;
}

/* A load that has the axes of ranges in a subscript, and what tells them apart in another. What has both in one may go
 * on from where the range begins: then all ranges are of the same elements. */
typedef struct OwnRow {
    Group *gr;
    AxisSet over, within;
    bool goes_on;
} OwnRow;

static Found has_own_row(const Expr *e, const void *user) {
    const OwnRow *x = user;
    bool over = false, within = false;
    for (int d = 0; e->op == OP_LOAD && d < e->nargs; d++) {
        const AxisSet free = group_free(x->gr, e->arg[d]);
        over |= free & x->over && !(x->goes_on && free & x->within);
        within |= !(free & x->over) && free & x->within;
    }
    return over && within ? FOUND : FOUND_INSIDE;
}

bool group_divides(Group *gr, const GStep *s, AxisSet within, bool goes_on) {
    return !expr_has(s->body, has_own_row, &(OwnRow){gr, s->over, within & ~s->over, goes_on});
}

static bool is_ragged(const Group *gr, const GStep *p) {
    AxisSet within;
    return group_ragged((Group *)gr, p, &within);
}

/* Of ranges that are data an average one is not known, and most may be empty. */
static bool is_large(const Group *gr, const GStep *p, const int64_t *dims) {
    return is_full(gr, p) && !p->scan && group_length_at(gr, p->over, dims) > SMALL_FOLD && !is_ragged(gr, p);
}

/* p may stand in what q folds. */
static bool stands_in(const GStep *p, const GStep *q) { return !(q->over & ~p->under); }

/* A second large reduction over other axes than the first, or the one of two that the other reads: what reads it cannot
 * leave without it. One beside ranges that are data, too: a block for each result has too much of it where results are
 * few, and shares (split.c) are of what folds the same. */
static bool is_second(const Group *gr, int i, const int64_t *dims) {
    const GStep *p = &gr->steps.at[i];
    if (!is_large(gr, p, dims)) return false;
    for (int j = 0; j < gr->steps.n; j++) {
        const GStep *q = &gr->steps.at[j];
        if (q->over == p->over || !is_full(gr, q)) continue;
        if (is_ragged(gr, q) && !stands_in(q, p)) return true;
        if (!is_large(gr, q, dims)) continue;
        if (stands_in(p, q) || (j < i && !stands_in(q, p))) return true;
    }
    return false;
}

AxisSet group_owned(const Group *gr) {
    AxisSet s = 0, o = gr->stores.at[0].axes;
    for (int i = 0; i < gr->steps.n; i++) s |= gr->steps.at[i].over & o;
    return s;
}

/* A row reduction that blocks would repeat, or whose rows lie across another's: an earlier one's, or a scan's that may
 * be or is all of its kernel and then cannot leave. */
static bool is_repeated(const Group *gr, int i) {
    const GStep *p = &gr->steps.at[i];
    AxisSet o = gr->stores.at[0].axes, owned = group_owned(gr);
    if (!(p->over & o)) return false;
    if (o & ~p->free & ~owned) return true;
    for (int j = 0; j < gr->steps.n; j++) {
        const GStep *q = &gr->steps.at[j];
        AxisSet a = row_of(p), b = row_of(q);
        bool first = j < i || (q->scan && !p->scan) || gr->stores.at[0].value == q->node;
        if (first && q->over & o && a & ~b && b & ~a) return true;
    }
    return false;
}

static int nearness(const Group *gr, AxisSet axes) {
    int most = 0;
    for (int a = 0; a < gr->axes.n; a++)
        if (axes >> a & 1 && gr->axes.at[a].contiguous > most) most = gr->axes.at[a].contiguous;
    return most;
}

/* Whether kernels of their own may be quicker, which is found out by trying (apart.c): a row or a column is more than a
 * block should read twice, and there are too few of them, or of groups of columns, for all that a machine has. */
static bool is_better_apart(const Group *gr, AxisSet rows, int64_t blocks, int64_t own) {
    const bool columns = nearness(gr, gr->stores.at[0].axes & ~rows) > nearness(gr, rows);
    return own > LEAST_APART && (columns ? blocks / NEAR : blocks) <= SOME_BLOCKS;
}

/* A row reduction that leaves few blocks with everything, a large one of each element in few blocks that others need,
 * or one that another one of long rows reads, but in one pass (online.c): apart, each is divided between many blocks
 * (split.c). A scan stays, since what is divided is all that its kernel does along the row (split_scan.c); at lengths
 * that are asked about it is told, too. */
static bool is_too_large(const Group *gr, int i, const int64_t *dims) {
    const GStep *p = &gr->steps.at[i];
    AxisSet o = gr->stores.at[0].axes, owned = group_owned(gr);
    int64_t blocks = group_length_at(gr, o & ~owned, dims), own = group_length_at(gr, o & owned, dims);
    if (p->over & o && dims && is_better_apart(gr, owned & o, blocks, own)) return true;
    if (p->scan) return false;
    if (p->over & o) return blocks <= (own > LONG_ROW ? SOME_BLOCKS : FEW_BLOCKS - 1) && own > ONE_BLOCK;
    if (blocks > SOME_BLOCKS) return false;
    if (p->under && !owned) return group_length_at(gr, p->under, dims) > ONE_BLOCK && !online_reads((Group *)gr, p);
    return owned && blocks < SOME_BLOCKS && group_length_at(gr, p->free | p->over, dims) > ONE_BLOCK;
}

/* Whether another step, which may not scatter, goes through all that this one does: to look for places as well costs
 * little then. */
static bool is_gone_through(const Group *gr, const GStep *p) {
    bool gone = false;
    for (int i = 0; i < gr->steps.n && !gone; i++) {
        const GStep *q = &gr->steps.at[i];
        gone = !((p->free | p->over) & ~(q->free | q->over)) && !scatter_keyed((Group *)gr, q);
    }
    return gone;
}

/* A reduction by keys, of many, that may scatter by itself. */
static bool is_searched(const Group *gr, int i, const int64_t *dims) {
    const GStep *p = &gr->steps.at[i];
    if (group_length_at(gr, p->over, dims) <= SMALL_FOLD) return false;
    if (group_length_at(gr, p->free | p->over, dims) <= ONE_BLOCK) return false;
    return scatter_keyed((Group *)gr, p) && !scatter_may((Group *)gr) && !is_gone_through(gr, p);
}

/* Elements that a store changes: any, or those other than the one that it changes itself. */
typedef struct Changed {
    const GStore *store;
    bool any;
} Changed;

/* What stands in a reduction is a step's, which is asked by itself. */
static Found is_changed(const Expr *e, const void *changed) {
    const Changed *c = changed;
    if (e->op == OP_REDUCE) return FOUND_NOT;
    if (e->op != OP_LOAD || e->u.tensor != c->store->tensor) return FOUND_INSIDE;
    for (int d = 0; d < e->nargs; d++)
        if (c->any || e->arg[d] != c->store->subs[d]) return FOUND;
    return c->any ? FOUND : FOUND_INSIDE;
}

static bool step_reads(Ctx *temp, const GStep *p, const Changed *c) {
    ExprSet seen = {0};
    bool reads = expr_find(temp, &seen, p->guard, is_changed, c) != NULL;
    for (int i = 0; i < p->node->nargs && !reads; i++)
        reads = expr_find(temp, &seen, p->node->arg[i], is_changed, c) != NULL;
    return reads;
}

static bool store_reads(Ctx *temp, const GStore *s, const Changed *c) {
    ExprSet seen = {0};
    bool reads = expr_find(temp, &seen, s->value, is_changed, c) || expr_find(temp, &seen, s->guard, is_changed, c);
    for (int d = 0; d < s->tensor->rank && !reads; d++)
        reads = expr_find(temp, &seen, s->subs[d], is_changed, c) != NULL;
    return reads;
}

/* What a step may not read of what a store changes: others than the thread that folds an element may be the one that
 * changes it, but where it is folded and stored at the same place of all axes. */
static Changed changed_by(const Group *gr, const GStore *s) {
    return (Changed){s, s->update || s->axes != ((AxisSet)1 << gr->axes.n) - 1};
}

static bool folds_changed(const Group *gr, const GStep *p) {
    const Changed c = changed_by(gr, &gr->stores.at[0]);
    if (c.store->tensor->kind != TENSOR_INOUT) return false;
    Ctx *temp = ctx_temp(gr->graph->ctx);
    const bool reads = step_reads(temp, p, &c);
    ctx_temp_end(temp);
    return reads;
}

/* Store number i changes elements: steps are made before it, but stores behind it would come too late, and those before
 * it would be done by other threads where they have other axes. */
static bool updates_own(const Group *gr, int i, Ctx *temp) {
    const GStore *s = &gr->stores.at[i];
    const Changed folded = changed_by(gr, s);
    for (int k = 0; k < gr->steps.n; k++)
        if (step_reads(temp, &gr->steps.at[k], &folded)) return false;
    for (int k = 0; k < gr->stores.n; k++) {
        const GStore *other = &gr->stores.at[k];
        const Changed read = {s, s->update || k > i || other->axes != s->axes};
        if (store_reads(temp, other, &read)) return false;
    }
    return true;
}

bool group_updates_own(const Group *gr) {
    bool own = true;
    Ctx *temp = ctx_temp(gr->graph->ctx);
    for (int i = 0; i < gr->stores.n && own; i++)
        if (gr->stores.at[i].tensor->kind == TENSOR_INOUT) own = updates_own(gr, i, temp);
    ctx_temp_end(temp);
    return own;
}

const char *group_rule_text(int rule) {
    static const char *const texts[GROUP_RULES] = {"its values before are read while it is updated",
                                                   "reads all of it",
                                                   "a second large reduction",
                                                   "a reduction would be repeated",
                                                   "few blocks would do it all",
                                                   "each place would be looked for in all of it"};
    return texts[rule];
}

bool group_step_leaves(const Group *gr, int i, int rule, const int64_t *dims) {
    switch (rule) {
    case 0: return folds_changed(gr, &gr->steps.at[i]);
    case 1: return is_misplaced(gr, &gr->steps.at[i]);
    case 2: return is_second(gr, i, dims);
    case 3: return is_repeated(gr, i);
    case 4: return is_too_large(gr, i, dims);
    default: return is_searched(gr, i, dims);
    }
}
