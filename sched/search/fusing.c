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

enum { WAITS = 2 /* of the second kernel of two, at least: for loads and for other threads */ };
enum { GROUPS = 2, MOST_KERNELS = GROUPS * MAX_TOGETHER };

/* The features of a group's versions. */
typedef struct Judged {
    const Versions *v;
    Features *f[MAX_PLACED][MAX_TOGETHER];
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
static bool fused_seconds(const Versions *v, int nfused, const Points *points, Program *p, const Machine *m, Ctx *temp,
                          double *seconds) {
    Judged *x = NEW_N(temp, Judged, GROUPS);
    for (int k = 0; k < nfused; k++)
        if (!judge(&x[k], &v[k], p, temp)) return false;
    for (int i = 0; i < points->n; i++) {
        Features *f[MOST_KERNELS];
        int n = 0;
        for (int k = 0; k < nfused; k++) n += kernels_at(p->graph, &x[k], points->dims[i], &f[n]);
        seconds[i] = judge_all_seconds(f, n, m, points->dims[i]);
        if (!isfinite(seconds[i])) return false;
    }
    return true;
}

/* How many times what their bytes take two groups take at best: layer and RMS norm backward on an H200, of 4096
 * columns, and of 1023 and 3001, whose rows are not aligned. */
static const double REACHED = 1.12, REACHED_UNALIGNED = 1.45;

static int64_t length_at(const Group *gr, AxisSet axes, const int64_t *dims) {
    int64_t n = 1;
    for (int a = 0; a < gr->axes.n; a++)
        if (axes >> a & 1 && !mul_ok(n, points_length(&gr->axes.at[a], dims), &n)) return INT64_MAX;
    return n;
}

/* The multiple that rows must be of to be aligned; 1: they always are. */
static int aligned(const Group *gr) {
    int wide = 1;
    for (int i = 0; i < gr->rows.n; i++)
        if (gr->across >> gr->rows.at[i].axis & 1 && gr->rows.at[i].rows && group_row_wide(&gr->rows.at[i]) > wide)
            wide = group_row_wide(&gr->rows.at[i]);
    return wide;
}

/* What two take at best: their bytes, of the second from the cache where the first leaves them there, and that the
 * second begins, loads, and folds what its threads have. */
static void least_seconds(const Fusion *f, const Points *points, const Machine *m, Ctx *temp, double *seconds) {
    const CostForm *rows = cost_form(f->apart[0], points, temp), *columns = cost_form(f->apart[1], points, temp);
    const Group *gr = f->fused[0];
    for (int i = 0; i < points->n; i++) {
        const double again = cost_form_once(columns, i);
        const bool whole = !gr->across || length_at(gr, gr->across, points->dims[i]) % aligned(gr) == 0;
        double bytes = sched_cost_bytes(m, cost_form_once(rows, i));
        bytes += again > m->l2_share * m->l2 ? sched_cost_bytes(m, again) : again / m->l2_bandwidth;
        seconds[i] =
            m->launch + m->chained + m->begin + WAITS * m->latency + bytes * (whole ? REACHED : REACHED_UNALIGNED);
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

/* Fused where rows are at most so long, of those that are not aligned no longer than the second, and at least so long,
 * and where there are more elements than that. */
typedef struct Limits {
    int64_t row, unaligned, least, above;
} Limits;

typedef struct Deciding {
    Group *gr;
    const Points *points;
    double *gain;       /* at each point: log(apart / fused), weighted */
    int64_t *row, *all; /* the lengths there; a row is 0 where none is folded */
    int wide;           /* rows are aligned that are a multiple of it */
} Deciding;

static bool is_first(const int64_t *v, int i) {
    for (int k = 0; k < i; k++)
        if (v[k] == v[i]) return false;
    return true;
}

/* Of rows that are aligned, or not, up to that length. */
static double gain_of(const Deciding *x, bool whole, int64_t row, const Limits *l) {
    double sum = 0;
    for (int i = 0; i < x->points->n; i++)
        if ((x->row[i] % x->wide == 0) == whole && x->row[i] <= row && x->row[i] >= l->least && x->all[i] > l->above)
            sum += x->gain[i];
    return sum;
}

/* The length up to which that is most; below 0 where it is nothing at all. */
static double best_row(const Deciding *x, bool whole, int64_t most, const Limits *l, int64_t *row) {
    double best = 0;
    *row = -1;
    for (int r = 0; r < x->points->n; r++) {
        if (x->row[r] > most || x->row[r] < l->least || !is_first(x->row, r)) continue;
        const double gain = gain_of(x, whole, x->row[r], l);
        if (gain <= best) continue;
        best = gain;
        *row = x->row[r];
    }
    return best;
}

/* Those that gain most; false: none gain enough. */
static bool find_limits(const Deciding *x, Limits *best) {
    static const double LEAST = 0.01; /* of the time, as a mean over all points */
    static const int64_t LEAST_ROWS[] = {0, 16, 64, 256};
    enum { NLEAST = sizeof LEAST_ROWS / sizeof *LEAST_ROWS };
    const int n = x->points->n;
    double most = 0, weight = 0;
    *best = (Limits){0};
    for (int i = 0; i < n; i++) weight += x->points->weight[i];
    for (int e = -1; e < n; e++) {
        if (e >= 0 && !is_first(x->all, e)) continue;
        for (int k = 0; k < NLEAST; k++) {
            Limits l = {.least = LEAST_ROWS[k], .above = e < 0 ? -1 : x->all[e]};
            double gain = best_row(x, true, INT64_MAX, &l, &l.row);
            gain += best_row(x, false, l.row, &l, &l.unaligned);
            for (int64_t up = 1; up / 2 < l.unaligned; up *= 2) /* the next ones are as good */
                if (up >= l.unaligned) l.unaligned = up < l.row ? up : l.row;
            if (gain <= most) continue;
            most = gain;
            *best = l;
        }
    }
    return most > LEAST * weight;
}

/* The limits as a condition, without those that no point is beyond. */
static const Expr *condition(const Deciding *x, const Limits *l) {
    Graph *g = x->gr->graph;
    const AxisSet may = versions_testable(x->gr);
    int64_t longest = 0;
    const Expr *when = NULL;
    for (int i = 0; i < x->points->n; i++) longest = x->row[i] > longest ? x->row[i] : longest;
    if (may & x->gr->across) {
        const Expr *row = versions_length(x->gr, x->gr->across);
        const Expr *whole =
            expr2(g, OP_EQ, expr2(g, OP_MOD, row, expr_int(g, TY_I64, x->wide)), expr_int(g, TY_I64, 0));
        if (l->row < longest) when = expr2(g, OP_LE, row, expr_int(g, TY_I64, l->row));
        if (l->least) when = expr_and(g, when, expr2(g, OP_GE, row, expr_int(g, TY_I64, l->least)));
        if (x->wide > 1 && l->unaligned >= 0 && l->unaligned < l->row)
            whole = expr2(g, OP_OR, whole, expr2(g, OP_LE, row, expr_int(g, TY_I64, l->unaligned)));
        if (x->wide > 1 && l->unaligned < l->row) when = expr_and(g, when, whole);
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
    x.wide = aligned(gr);
    x.all = NEW_N(temp, int64_t, n);
    least_seconds(f, points, m, temp, two);
    const GraphScratch before = graph_scratch(g, temp);
    const bool known = fused_seconds(fused, f->nfused, points, program_new(temp, g), m, temp, one);
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
