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
 * and the group that comes out gets a division (Division.apart): the groups into which the partition would part
 * it at other lengths. For which sizes that is taken is decided by time (sched/search/versions.c). */
#include "split.h"

#include "ir/expr_walk.h"
#include "prepare.h"

#include <string.h>

enum { LONG = 1 << 24 /* elements of a row: what no block should do alone */, MAX_ROOTS = 8 };
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

/* Lengths at which few blocks would have most to do: those that nobody says anything of are long along such axes, else
 * short. */
static int64_t *few_and_long(const Group *gr, Ctx *ctx) {
    const Graph *g = gr->graph;
    const AxisSet owned = rows_of(gr);
    int64_t *dims = NEW_N(ctx, int64_t, g->dims.n + 1);
    for (int i = 0; i < g->dims.n; i++) {
        const Dim *d = g->dims.at[i];
        bool own = false;
        for (int a = 0; a < gr->axes.n; a++) own |= owned >> a & 1 && expr_has(gr->axes.at[a].var->hi, is_dim, d);
        dims[i] = expr_guess(expr_dim(gr->graph, g->dims.at[i]));
        if (d->hint > 0 || d->lo >= d->hi) continue;
        dims[i] = !own ? (d->lo > 1 ? d->lo : 1) : d->hi < LONG ? d->hi : LONG;
    }
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
        if (gr->steps.at[i].scan || gr->steps.at[i].monoid->ordered || gr->steps.at[i].joined[0]) return false;
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

/* Appends the kernels of a group: of a reduction those for the most shares, in one pass where that can be. */
static bool add_kernels(Division *d, Group *gr) {
    const Division *last = NULL;
    for (int i = 0; i < gr->divisions.n; i++)
        if (gr->divisions.at[i].n > 1) last = &gr->divisions.at[i];
    const int n = last ? last->n : 1;
    if (d->n + n > MOST_KERNELS) return false;
    for (int k = 0; k < n; k++) d->group[d->n++] = last ? last->group[k] : gr;
    return true;
}

/* The groups of some equations at such lengths, as kernels of a division; false: there are not several, or too many.
 * The plan's own groups are set aside meanwhile. */
static bool part(Plan *plan, Preparation *prep, const Machine *m, const Group *gr, const int64_t *dims, Division *d) {
    Equation roots[MAX_ROOTS];
    const Plan before = *plan;
    const int n = roots_of(plan, gr, roots);
    *d = (Division){.apart = true};
    if (!n) return false;
    plan->roots.at = NULL;
    plan->roots.n = plan->roots.cap = 0;
    plan->groups.at = NULL;
    plan->groups.n = plan->groups.cap = 0;
    plan->reasons = NULL;
    plan->dims = dims;
    bool ok = partition_roots(plan, prep, m, roots, n);
    if (ok) {
        share_groups(plan);
        split_groups(plan, m);
        flat_groups(plan);
    }
    ok &= plan->groups.n > 1;
    for (int i = 0; i < plan->groups.n && ok; i++) ok = add_kernels(d, plan->groups.at[i]);
    plan->roots = before.roots;
    plan->groups = before.groups;
    plan->reasons = before.reasons;
    plan->dims = NULL;
    return ok;
}

/* The last has the group's name, those before it their own behind it. */
static void name_kernels(const Group *gr, Division *d) {
    for (int k = 0; k < d->n; k++)
        d->group[k]->name = k + 1 < d->n ? sym_fmt(gr->graph->ctx, "%s_%s", gr->name, d->group[k]->name) : gr->name;
}

void apart_groups(Plan *plan, Preparation *prep, const Machine *m) {
    const int n = plan->groups.n;
    for (int i = 0; i < n; i++) {
        Group *gr = plan->groups.at[i];
        Ctx *temp = ctx_temp(plan->graph->ctx);
        const int64_t *dims = few_and_long(gr, temp);
        Division d;
        if (is_plain(gr) && parts_at(gr, dims) && part(plan, prep, m, gr, dims, &d)) {
            name_kernels(gr, &d);
            vec_push(plan->graph->ctx, &gr->divisions, d);
        }
        ctx_temp_end(temp);
    }
}
