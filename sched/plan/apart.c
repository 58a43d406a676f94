/* Reductions of rows with kernels of their own, for sizes at which few blocks would do everything. A kernel that has
 * whole rows is the quickest where there are many of them. A single row of millions of elements, a tensor that is
 * divided by its norm, statistics of few channels leave it to few blocks; there each reduction is a group that many
 * blocks may share, and what reads them another one:
 *
 *   y[i, j] = x[i, j] / sum[k](x[i, k])
 *
 *   or   t_share[s, i] = ...;   t[i] = sum[s](t_share[s, i]);   y[i, j] = x[i, j] / t[i]
 *
 * Where lengths are known, or hinted, the partition decides that by them. Where they are not, it assumes usual ones,
 * and the group that comes out gets divisions (Division.apart): the groups into which the partition would part it at
 * other lengths, each whole, and the same with shares. For which sizes these are taken is decided by time
 * (sched/search/versions.c). */
#include "split.h"

#include "ir/expr_walk.h"
#include "prepare.h"

#include <string.h>

enum { LONG_BITS = 24 /* of the elements of a row: what no block should do alone */, MAX_ROOTS = 8 };
enum { MOST_STEPS = 16 /* of a group: of more there would be more kernels than pay */, MOST_KERNELS = MAX_TOGETHER };

static Found is_dim(const Expr *e, const void *dim) {
    return e->op == OP_DIM && e->u.dim == dim ? FOUND : FOUND_INSIDE;
}

/* The axes that a block owns whole; where nothing is stored along what is folded, those that are folded. */
static AxisSet rows_of(const Group *gr) {
    const AxisSet owned = group_owned(gr);
    AxisSet folded = 0;
    for (int a = 0; a < gr->axes.n; a++)
        if (gr->axes.at[a].folded) folded |= (AxisSet)1 << a;
    return owned ? owned : folded;
}

/* Lengths at which few blocks would have most to do: those that nobody says anything of are long along such axes, so
 * that a row has 2^LONG_BITS elements, else short. */
static int64_t *few_and_long(const Group *gr, Ctx *ctx) {
    const Graph *g = gr->graph;
    const AxisSet owned = rows_of(gr);
    int64_t *dims = NEW_N(ctx, int64_t, g->dims.n + 1);
    bool *own = NEW_N(ctx, bool, g->dims.n + 1);
    int nown = 0;
    for (int i = 0; i < g->dims.n; i++) {
        const Dim *d = g->dims.at[i];
        dims[i] = expr_guess(expr_dim(gr->graph, g->dims.at[i]));
        if (d->hint > 0 || d->lo >= d->hi) continue;
        for (int a = 0; a < gr->axes.n; a++) own[i] |= owned >> a & 1 && expr_has(gr->axes.at[a].var->hi, is_dim, d);
        nown += own[i];
        dims[i] = d->lo > 1 ? d->lo : 1;
    }
    const int64_t each = (int64_t)1 << (nown ? LONG_BITS / nown : 0);
    for (int i = 0; i < g->dims.n; i++)
        if (own[i]) dims[i] = g->dims.at[i]->hi < each ? g->dims.at[i]->hi : each;
    return dims;
}

static bool is_plain(const Group *gr) {
    if (gr->product || gr->fused || !gr->steps.n || gr->steps.n > MOST_STEPS) return false;
    if (!group_updates_own(gr)) return false;
    for (int i = 0; i < gr->stores.n; i++)
        if (gr->stores.at[i].update) return false;
    for (int i = 0; i < gr->tensors.n; i++)
        if (gr->tensors.at[i].tensor->sort) return false;
    for (int i = 0; i < gr->steps.n; i++)
        if (gr->steps.at[i].monoid->ordered || gr->steps.at[i].joined[0]) return false;
    return true;
}

/* Whether a step must leave at these lengths. */
static bool parts_at(const Group *gr, const int64_t *dims) {
    for (int i = 0; i < gr->steps.n; i++)
        for (int rule = 0; rule < GROUP_RULES; rule++)
            if (group_step_leaves(gr, i, rule, dims)) return true;
    return false;
}

bool apart_pays(const Group *gr, const int64_t *dims) { return parts_at(gr, dims); }

/* The equations that a group stores, in their order; 0: they are not one each. */
static int roots_of(const Plan *plan, const Group *gr, Equation *roots) {
    int n = 0;
    for (int k = 0; k < plan->roots.n; k++)
        for (int i = 0; i < gr->stores.n; i++) {
            const Equation *root = &plan->roots.at[k];
            if (root->tensor != gr->stores.at[i].tensor || root->number != gr->stores.at[i].number) continue;
            if (n == MAX_ROOTS) return 0;
            roots[n++] = plan->roots.at[k];
        }
    return n == gr->stores.n ? n : 0;
}

/* Of what may be done instead of a group's kernel the kernels for the most shares, in one pass where that can be; NULL:
 * there are none. What scatters is no part of others: its schedules are found otherwise. */
static const Division *most_shares(const Group *gr) {
    const Division *last = NULL;
    for (int i = 0; i < gr->divisions.n; i++)
        if (gr->divisions.at[i].n > 1 && !group_into(gr->divisions.at[i].group[0])) last = &gr->divisions.at[i];
    return last;
}

/* A kernel of a group: its own name behind the group's, once, though it may be in two divisions; the last has the
 * group's. */
static void name_kernel(const Group *gr, Group *kernel, bool last) {
    const size_t n = strlen(gr->name);
    if (last)
        kernel->name = gr->name;
    else if (strncmp(kernel->name, gr->name, n) || kernel->name[n] != '_')
        kernel->name = sym_fmt(gr->graph->ctx, "%s_%s", gr->name, kernel->name);
}

/* These groups as the kernels of one division: each as it is, or as the kernels for its shares. */
static void add_division(Group *gr, Group *const *groups, int n, bool shares) {
    Division d = {.apart = true};
    bool divided = false;
    for (int i = 0; i < n; i++) {
        const Division *of = shares ? most_shares(groups[i]) : NULL;
        const int parts = of ? of->n : 1;
        divided |= of != NULL;
        if (d.n + parts > MOST_KERNELS) return;
        for (int k = 0; k < parts; k++) d.group[d.n++] = of ? of->group[k] : groups[i];
    }
    if (shares && !divided) return; /* this is what there is without shares */
    for (int k = 0; k < d.n; k++) name_kernel(gr, d.group[k], k + 1 == d.n);
    vec_push(gr->graph->ctx, &gr->divisions, d);
}

/* The groups of some equations at such lengths, where there are several: divisions of the group that is all of them.
 * The plan's own groups are set aside meanwhile. */
static void part(Plan *plan, Preparation *prep, const Machine *m, Group *gr, const int64_t *dims) {
    Equation roots[MAX_ROOTS];
    const Plan before = *plan;
    const int n = roots_of(plan, gr, roots);
    if (!n) return;
    plan->roots.at = NULL;
    plan->roots.n = plan->roots.cap = 0;
    plan->groups.at = NULL;
    plan->groups.n = plan->groups.cap = 0;
    plan->reasons = NULL;
    plan->dims = dims;
    const bool ok = partition_roots(plan, prep, m, roots, n);
    if (ok) {
        share_groups(plan);
        split_groups(plan, m);
        flat_groups(plan);
    }
    for (int shares = 0; shares < 2 && ok && plan->groups.n > 1; shares++)
        add_division(gr, plan->groups.at, plan->groups.n, shares);
    plan->roots = before.roots;
    plan->groups = before.groups;
    plan->reasons = before.reasons;
    plan->dims = NULL;
}

void apart_groups(Plan *plan, Preparation *prep, const Machine *m) {
    const int n = plan->groups.n;
    for (int i = 0; i < n; i++) {
        Group *gr = plan->groups.at[i];
        Ctx *temp = ctx_temp(plan->graph->ctx);
        const int64_t *dims = few_and_long(gr, temp);
        if (is_plain(gr) && parts_at(gr, dims)) part(plan, prep, m, gr, dims);
        ctx_temp_end(temp);
    }
}
