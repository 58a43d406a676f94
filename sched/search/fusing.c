/* Two groups, or one: compared at points of sizes. The one is as quick as the kernels of its versions are; for two it
 * is asked how quick they could be at most, as nobody knows their schedules yet: these are looked for afterwards, for
 * the sizes that are left. */
#include "fusing.h"

#include "climb.h"
#include "cost.h"
#include "ir/expr_is.h"
#include "ir/interp/interp.h"
#include "judge.h"
#include "points.h"

#include <math.h>

enum { GROUPS = 2, MOST_KERNELS = GROUPS * MAX_TOGETHER };

/* The features of a group's versions. */
typedef struct Judged {
    const Versions *v;
    Features *f[MAX_VERSIONS][MAX_TOGETHER];
} Judged;

static bool judge(Judged *x, const Versions *v, Program *p, Ctx *temp) {
    x->v = v;
    for (int i = 0; i < v->n; i++)
        for (int k = 0; k < v->at[i].n; k++) {
            x->f[i][k] = climb_features(p, v->at[i].group[k], v->at[i].schedule[k], temp);
            if (!x->f[i][k]) return false;
        }
    return true;
}

/* The kernels of the version that these sizes take, appended. */
static int kernels_at(const Graph *g, const Judged *x, const int64_t *dims, Features **to) {
    int64_t holds = 0;
    int i = 0;
    while (i + 1 < x->v->n && !(interp_int(g, x->v->at[i].when, dims, NULL, &holds) && holds)) i++;
    for (int k = 0; k < x->v->at[i].n; k++) to[k] = x->f[i][k];
    return x->v->at[i].n;
}

/* Seconds at each point; false: they are not known. */
static bool fused_seconds(const Versions *v, const Points *points, Program *p, const Machine *m, Ctx *temp,
                          double *seconds) {
    Judged *x = NEW_N(temp, Judged, GROUPS);
    for (int k = 0; k < GROUPS; k++)
        if (!judge(&x[k], &v[k], p, temp)) return false;
    for (int i = 0; i < points->n; i++) {
        Features *f[MOST_KERNELS];
        int n = 0;
        for (int k = 0; k < GROUPS; k++) n += kernels_at(p->graph, &x[k], points->dims[i], &f[n]);
        seconds[i] = judge_all_seconds(f, n, m, points->dims[i]);
        if (!isfinite(seconds[i])) return false;
    }
    return true;
}

/* What two take at least: their bytes, but of the second what the first leaves in the cache. */
static void least_seconds(const Fusion *f, const Points *points, const Machine *m, Ctx *temp, double *seconds) {
    const CostForm *rows = cost_form(f->apart[0], points, temp), *columns = cost_form(f->apart[1], points, temp);
    for (int i = 0; i < points->n; i++) {
        const double again = cost_form_once(columns, i);
        seconds[i] = m->launch + m->chained + sched_cost_bytes(m, cost_form_once(rows, i));
        if (again > m->l2_share * m->l2) seconds[i] += sched_cost_bytes(m, again);
    }
}

const Expr *fusing_bounds(const Fusion *f) {
    Group *gr = f->fused[0];
    Graph *g = gr->graph;
    const Expr *when = NULL;
    for (int a = 0; a < gr->axes.n; a++)
        if (gr->bounded >> a & 1)
            when = expr_and(
                g, when,
                expr2(g, OP_LE, versions_length(gr, (AxisSet)1 << a), expr_int(g, TY_I64, gr->axes.at[a].most)));
    return when ? when : expr_int(g, TY_BOOL, 1);
}

/* ---- the sizes ---- */

/* Fused where rows are at most so long, and where there are more elements than that. */
typedef struct Limits {
    int64_t row, above;
} Limits;

typedef struct Deciding {
    Group *gr;
    const Points *points;
    double *gain;       /* at each point: log(apart / fused), weighted */
    int64_t *row, *all; /* the lengths there; a row is 0 where none is folded */
} Deciding;

static int64_t length_at(const Group *gr, AxisSet axes, const int64_t *dims) {
    int64_t n = 1;
    for (int a = 0; a < gr->axes.n; a++)
        if (axes >> a & 1 && !mul_ok(n, points_length(&gr->axes.at[a], dims), &n)) return INT64_MAX;
    return n;
}

static double gain_of(const Deciding *x, const Limits *l) {
    double sum = 0;
    for (int i = 0; i < x->points->n; i++)
        if (x->row[i] <= l->row && x->all[i] > l->above) sum += x->gain[i];
    return sum;
}

/* Those that gain most; false: none gain enough. */
static bool find_limits(const Deciding *x, Limits *best) {
    static const double LEAST = 0.01; /* of the time, as a mean over all points */
    const int n = x->points->n;
    double most = 0, weight = 0;
    *best = (Limits){0};
    for (int i = 0; i < n; i++) weight += x->points->weight[i];
    for (int r = 0; r < n; r++)
        for (int e = -1; e < n; e++) {
            const Limits l = {x->row[r], e < 0 ? -1 : x->all[e]};
            const double gain = gain_of(x, &l);
            if (gain <= most) continue;
            most = gain;
            *best = l;
        }
    return most > LEAST * weight;
}

/* Rows that are held are aligned, all of them: of others each element would be an access. */
static const Expr *aligned(Group *gr) {
    Graph *g = gr->graph;
    int wide = 1;
    for (int i = 0; i < gr->rows.n; i++)
        if (gr->across >> gr->rows.at[i].axis & 1 && gr->rows.at[i].rows && group_row_wide(&gr->rows.at[i]) > wide)
            wide = group_row_wide(&gr->rows.at[i]);
    if (wide == 1) return NULL;
    const Expr *rest = expr2(g, OP_MOD, versions_length(gr, gr->across), expr_int(g, TY_I64, wide));
    return expr2(g, OP_EQ, rest, expr_int(g, TY_I64, 0));
}

/* The limits as a condition, without those that no point is beyond. */
static const Expr *condition(const Deciding *x, const Limits *l) {
    Graph *g = x->gr->graph;
    const AxisSet may = versions_testable(x->gr);
    int64_t longest = 0;
    const Expr *when = may & x->gr->across ? aligned(x->gr) : NULL;
    for (int i = 0; i < x->points->n; i++) longest = x->row[i] > longest ? x->row[i] : longest;
    if (may & x->gr->across && l->row < longest) {
        const Expr *row = versions_length(x->gr, x->gr->across);
        when = expr_and(g, when, expr2(g, OP_LE, row, expr_int(g, TY_I64, l->row)));
    }
    if (may && l->above >= 0) {
        const AxisSet all = ((AxisSet)1 << x->gr->axes.n) - 1;
        when = expr_and(g, when, expr2(g, OP_GT, versions_length(x->gr, all), expr_int(g, TY_I64, l->above)));
    }
    return when;
}

const Expr *fusing_when(const Fusion *f, const Versions *fused, const Machine *m) {
    Group *gr = f->fused[0];
    Graph *g = gr->graph;
    Ctx *temp = ctx_temp(g->ctx);
    const Points *points = points_of(gr, temp);
    const int n = points->n;
    double *one = NEW_N(temp, double, n), *two = NEW_N(temp, double, n);
    Deciding x = {.gr = gr, .points = points, .gain = NEW_N(temp, double, n)};
    x.row = NEW_N(temp, int64_t, n);
    x.all = NEW_N(temp, int64_t, n);
    least_seconds(f, points, m, temp, two);
    const GraphScratch before = graph_scratch(g, temp);
    const bool known = fused_seconds(fused, points, program_new(temp, g), m, temp, one);
    graph_scratch_end(g, before);
    for (int i = 0; i < n; i++) {
        x.gain[i] = points->weight[i] * log(two[i] / one[i]);
        x.row[i] = gr->across ? length_at(gr, gr->across, points->dims[i]) : 0;
        x.all[i] = length_at(gr, ~(AxisSet)0, points->dims[i]);
    }
    Limits limits;
    const Expr *when = NULL;
    if (known && find_limits(&x, &limits)) {
        const Expr *more = condition(&x, &limits);
        when = more ? expr_and(g, fusing_bounds(f), more) : fusing_bounds(f);
    }
    ctx_temp_end(temp);
    return when;
}

void fusing_random(Fusion *f, uint64_t *state) {
    enum { MOST_LENGTH = 40 /* tests run small sizes */ };
    Group *gr = f->fused[0];
    for (int a = 0; a < gr->axes.n; a++)
        if (gr->bounded >> a & 1) gr->axes.at[a].most = 1 + (int64_t)(random_next(state) % MOST_LENGTH);
    f->when = random_next(state) % 4 ? fusing_bounds(f) : NULL;
}
