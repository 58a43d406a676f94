/* Versions by size: see versions.h. */
#include "versions_form.h"

#include "climb.h"
#include "cost.h"
#include "judge.h"
#include "relayouts.h"
#include "scatters.h"
#include "settle.h"
#include "sched/plan/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_SEARCHED = 40, /* points at which candidates are looked for */
    FEW_SEARCHED = 4,  /* of few points: those beside hints have little weight */
    FEW_OF_KIND = 4,   /* candidates of a kind, at the first of more points */
    SECOND_OF_KIND = 2 /* the same of a kernel behind the first */
};
enum { PORTABLE_CLUSTER = 8 /* blocks: of more, CUDA promises no device that they fit */ };

/* ---- what templates find ---- */

/* The quickest of those that are legal for all sizes. */
static const Best *always_best(const BestOf *b) {
    const Best *best = NULL;
    for (int kind = 0; kind < BEST_KINDS; kind++)
        if (kind & BEST_ALWAYS && b->n[kind] && (!best || b->at[kind][0].seconds < best->seconds))
            best = &b->at[kind][0];
    return best;
}

/* Of those found that are of all these kinds, the quickest by the judge. */
static const Best *judged_best(const Choosing *x, int point, Group *gr, const BestOf *b, int kinds) {
    const Best *best = NULL;
    double least = INFINITY;
    for (int kind = 0; kind < BEST_KINDS; kind++)
        for (int i = 0; (kind & kinds) == kinds && i < b->n[kind]; i++) {
            const double s = versions_judged_at(x, point, gr, &b->at[kind][i].schedule);
            if (s < least) least = s, best = &b->at[kind][i];
        }
    return best;
}

/* The quickest of those that are legal for all sizes, by the judge. */
static const Best *second_best(const Choosing *x, int point, int division, int kernel, const BestOf *b) {
    const Best *best = NULL;
    if (x->judged) best = judged_best(x, point, versions_group(x, division, kernel), b, BEST_ALWAYS);
    return best ? best : always_best(b);
}

/* Of the kernels behind a division's first, which have little to do: the schedule that another candidate has there, if
 * it is about as quick at the point. Candidates that share kernels cost fewer. */
static const Schedule *shared_part(const Choosing *x, int point, int division, int kernel, const Schedule *best) {
    static const double AS_QUICK = 1.05;
    enum { MOST_ASKED = 4 };
    Group *gr = versions_group(x, division, kernel);
    const Schedule *met[MOST_ASKED];
    int n = 0;
    const double least = x->judged && x->points->n > 1 ? versions_judged_at(x, point, gr, best) : (double)INFINITY;
    for (int i = 0; i < x->chosen->candidates.n && isfinite(least) && n < MOST_ASKED; i++) {
        const Candidate *c = x->chosen->candidates.at[i];
        if (c->division != division) continue;
        if (schedule_equal(c->schedule[kernel], best)) return best;
        int k = 0;
        while (k < n && !schedule_equal(met[k], c->schedule[kernel])) k++;
        if (k < n) continue;
        met[n++] = c->schedule[kernel];
        if (versions_judged_at(x, point, gr, c->schedule[kernel]) <= AS_QUICK * least) return c->schedule[kernel];
    }
    return best;
}

static void take_relayout(void *user, const Schedule *s) {
    Choosing *x = user;
    int64_t *most = NEW_N(x->temp, int64_t, s->naxes + 1);
    for (int a = 0; a < s->naxes; a++) most[a] = INT64_MAX;
    versions_add(x, -1, (const Schedule *[]){s}, 1, most);
}

static void take_settled(void *user, const Schedule *s, const int64_t *most) {
    versions_add(user, -1, (const Schedule *[]){s}, 1, most);
}

/* What is best at one point of a way whose kernels have axes of their own, of schedules that are legal always. */
static int add_apart(Choosing *x, int point, int division) {
    const Division *d = &x->gr->divisions.at[division];
    const Schedule *parts[MAX_TOGETHER];
    int64_t *most = NEW_N(x->temp, int64_t, x->gr->axes.n + 1);
    int considered = 0;
    if (!d->columns && !apart_pays(x->gr, x->points->dims[point])) return 0;
    for (int a = 0; a < x->gr->axes.n; a++) most[a] = INT64_MAX;
    for (int k = 0; k < d->n; k++) {
        CostForm *f = versions_cost_form(x, division, k);
        f->at = point;
        considered +=
            templates_best(f, x->machine, &x->limits, k || !d->columns ? SECOND_OF_KIND : FEW_OF_KIND, &x->found[k]);
        const Best *best = second_best(x, point, division, k, &x->found[k]);
        if (!best) return considered;
        parts[k] = k ? shared_part(x, point, division, k, &best->schedule) : &best->schedule;
    }
    const Best *first =
        !d->columns || !x->judged ? NULL : judged_best(x, point, d->group[0], &x->found[0], BEST_ALWAYS);
    if (first) parts[0] = &first->schedule;
    versions_add(x, division, parts, d->n, most);
    return considered;
}

/* Of schedules that scatter the best at a point, with what comes behind it. */
static int add_scattered(Choosing *x, int point, int division) {
    const Division *d = &x->gr->divisions.at[division];
    BestAt b = {.x = x, .gr = d->group[0], .point = point, .seconds = INFINITY};
    CostForm *f = versions_cost_form(x, division, 0);
    if (!x->judged) return 0;
    f->at = point;
    scatters_each(f, &x->limits, !x->points->few, versions_take_best, &b);
    const Schedule *rest = NULL;
    if (d->n > 1) {
        CostForm *second = versions_cost_form(x, division, 1);
        second->at = point;
        b.n += templates_best(second, x->machine, &x->limits, SECOND_OF_KIND, &x->found[1]);
        const Best *found = second_best(x, point, division, 1, &x->found[1]);
        if (!found) return b.n;
        rest = shared_part(x, point, division, 1, &found->schedule);
    }
    x->room += isfinite(b.seconds); /* beside the others, and not in their place */
    if (isfinite(b.seconds)) versions_add(x, division, (const Schedule *[]){&b.best, rest}, d->n, b.most);
    return b.n;
}

/* Of what was found at a point for the group as one kernel, the best by the judge: of all, and of those that are legal
 * for all sizes. */
static void add_judged(Choosing *x, int point) {
    for (int kinds = 0; kinds <= BEST_ALWAYS; kinds += BEST_ALWAYS) {
        const Best *b = judged_best(x, point, x->gr, x->found, kinds);
        if (b) versions_add(x, -1, (const Schedule *[]){&b->schedule}, 1, b->most);
    }
}

/* What is best at one point, of each kind. Gives how many candidates the templates had. */
static int add_best(Choosing *x, int point, int of_kind, bool judged) {
    BestOf *const best = x->found;
    int considered = 0;
    /* Relayouts are for all sizes, as they have blocks along all axes: none is held whole. */
    if (!point && !x->gr->across) relayouts_each(x->form[0], &x->limits, take_relayout, x);
    if (!point && x->points->n > 1) settle_each(x->form[0], &x->limits, take_settled, x);
    if (!point) versions_add_held_longest(x);
    versions_add_held(x, point);
    double quickest[BEST_KINDS]; /* of what reads its elements as often as it says */
    for (int kind = 0; kind < BEST_KINDS; kind++) quickest[kind] = INFINITY;
    for (int d = -1; d < x->gr->divisions.n; d++) {
        const int n = d < 0 ? 1 : x->gr->divisions.at[d].n;
        if (d >= 0 && group_into(versions_group(x, d, 0))) {
            considered += add_scattered(x, point, d);
            continue;
        }
        if (d >= 0 && x->gr->divisions.at[d].apart) {
            considered += add_apart(x, point, d);
            continue;
        }
        for (int k = 0; k < n; k++) {
            CostForm *f = versions_cost_form(x, d, k);
            f->at = point;
            const int wanted = k ? SECOND_OF_KIND : judged && d < 0 ? FEW_OF_KIND : of_kind;
            considered += templates_best(f, x->machine, &x->limits, wanted, &best[k]);
        }
        if (judged && d < 0) {
            add_judged(x, point);
            continue;
        }
        const Best *found = n > 1 ? second_best(x, point, d, 1, &best[1]) : NULL;
        const Schedule *second = found ? shared_part(x, point, d, 1, &found->schedule) : NULL;
        const bool online = group_is_online(versions_group(x, d, 0));
        for (int kind = 0; kind < BEST_KINDS; kind++)
            for (int i = 0; i < best[0].n[kind]; i++) {
                const Best *b = &best[0].at[kind][i];
                if (!online) quickest[kind] = fmin(quickest[kind], b->seconds);
                if (online && b->seconds > quickest[kind]) continue;
                versions_add(x, d, (const Schedule *[]){&b->schedule, second}, n, b->most);
            }
    }
    return considered;
}

/* ---- all of it ---- */

Choosing versions_begin(Group *gr, SchedLimits limits, const Machine *m, const Points *points, Ctx *temp) {
    Choosing x = {.ctx = gr->graph->ctx, .temp = temp, .gr = gr, .machine = m, .points = points, .limits = limits};
    x.form = NEW_N(temp, CostForm *, 1 + MAX_TOGETHER * gr->divisions.n);
    x.form[0] = cost_form(gr, points, temp);
    return x;
}

void versions_begin_search(Choosing *x) {
    x->found = NEW_RAW(x->temp, BestOf, MAX_TOGETHER);
    for (int d = 0; d < x->gr->divisions.n; d++)
        for (int k = 0; k < x->gr->divisions.at[d].n; k++)
            x->form[1 + MAX_TOGETHER * d + k] = cost_form(x->gr->divisions.at[d].group[k], x->points, x->temp);
}

/* A variable's node is made where it is first asked for, and must outlive what is made to be judged. */
static void make_nodes(Group *gr) {
    group_find_within(gr);
    for (int a = 0; a < gr->axes.n; a++) expr_var(gr->graph, gr->axes.at[a].var);
    for (int i = 0; i < gr->divisions.n; i++) {
        const Division *d = &gr->divisions.at[i];
        for (int k = 0; k < d->n; k++) {
            group_find_within(d->group[k]);
            if (d->group[k]->part) expr_var(gr->graph, d->group[k]->part);
            for (int a = 0; a < d->group[k]->axes.n; a++) expr_var(gr->graph, d->group[k]->axes.at[a].var);
        }
    }
    for (int i = 0; i < gr->graph->dims.n; i++) expr_dim(gr->graph, gr->graph->dims.at[i]);
}

int versions_step(int n) {
    int step = (int)(0.618 * n);
    while (n > 1 && gcd64(step, n) != 1) step++;
    return step;
}

/* Whether there are two ways to fold, each with its own divisions: about three times as many schedules for a point. */
static bool two_ways(const Group *gr) {
    for (int i = 0; i < gr->divisions.n; i++)
        if (!gr->divisions.at[i].apart && group_is_online(gr->divisions.at[i].group[0])) return true;
    return false;
}

/* Of rows that are held whole, all have a loop and none has a peel: they are of few kinds. */
static int of_kind(const Group *gr) { return gr->across ? BEST_OF_KIND : 1; }

/* Where points are few, more candidates are judged in the same time. */
static int room_of(const Choosing *x) {
    const bool more = two_ways(x->gr) || x->gr->across || (x->points->few && !x->points->hinted);
    return more ? 2 * FEW_CANDIDATES : FEW_CANDIDATES;
}

/* Whether a search at one point finds what one at the other does: each axis has about as many elements, and as wide
 * accesses. */
static bool are_near(const Choosing *x, int a, int b) {
    enum { TIMES = 4, WIDE = TARGET_ACCESS / 2 };
    for (int axis = 0; axis < x->gr->axes.n; axis++) {
        const int64_t p = x->form[0]->lengths[a][axis], q = x->form[0]->lengths[b][axis];
        if ((p > q ? p : q) / TIMES >= (p < q ? p : q) || (p % WIDE == 0) != (q % WIDE == 0)) return false;
    }
    return true;
}

static void note_searched(const Choosing *x, int point, bool *searched) {
    for (int i = 0; i < x->points->n; i++) searched[i] |= are_near(x, i, point);
}

/* Of the points that were not searched, nor one near them, the one at which the best there is takes most times the
 * floor; -1: none takes long. */
static int slowest(Choosing *x, const bool *searched, int *met) {
    static const double SLOW = 1.3; /* times the floor */
    double most = SLOW;
    int at = -1;
    for (; *met < x->chosen->candidates.n; ++*met) versions_note_best(x, *met);
    for (int i = 0; i < x->points->n; i++) {
        const double times = searched[i] ? 0 : x->best[i] / versions_floor(x, i);
        if (times > most) most = times, at = i;
    }
    return at;
}

void versions_add_for_slow(Choosing *x, int most, int moves) {
    int met = 0, point;
    bool *searched = NEW_N(x->temp, bool, x->points->n);
    x->room += SLOW_CANDIDATES;
    for (int i = 0; i < most && (point = slowest(x, searched, &met)) >= 0; i++) {
        add_best(x, point, 1, x->judged);
        int left = moves;
        if (moves) versions_climb(x, point, &left);
        note_searched(x, point, searched);
    }
}

void versions_begin_choosing(Choosing *x) {
    x->chosen = NEW(x->ctx, Chosen);
    x->best = NEW_N(x->temp, double, x->points->n);
    x->rival = NEW_N(x->temp, int, MAX_CANDIDATES);
    for (int i = 0; i < x->points->n; i++) x->best[i] = INFINITY;
}

Chosen *versions_look(Choosing *x, int *moved) {
    const int n = x->points->nlikely;
    versions_begin_choosing(x);
    x->judged = !group_any_kernel(x->gr);
    x->room = room_of(x) - VERSIONS_STARTS * MOVED_FROM;
    make_nodes(x->gr);
    /* How many points there is time for is known after the heaviest one. */
    const int considered = two_ways(x->gr) ? 3 * x->considered : x->considered;
    int searched = considered / (add_best(x, 0,
                                          x->points->few                 ? BEST_OF_KIND
                                          : of_kind(x->gr) > FEW_OF_KIND ? of_kind(x->gr)
                                                                         : FEW_OF_KIND,
                                          false) +
                                 1);
    const int most = x->points->hinted ? FEW_SEARCHED : MAX_SEARCHED;
    if (searched > most) searched = most;
    if (group_any_kernel(x->gr) || searched < 1) searched = 1;
    if (searched > n) searched = n;
    const bool judged = x->judged && x->points->many && !x->gr->across;
    for (int i = 0; i < x->points->nfirst && searched > 1; i++) add_best(x, i, 1, judged);
    for (int i = 1; i < searched; i++) add_best(x, i * versions_step(n) % n, of_kind(x->gr), judged);
    if (x->judged && n > 1 && x->points->few && x->gr->steps.n) versions_climb_first(x, moved);
    if (x->points->n > n) versions_add_for_slow(x, searched / 2, 0);
    versions_add_beside(x);
    x->compared = versions_compare_alike(x);
    versions_find_losses(x);
    versions_find_cases(x);
    if (x->compared && !group_any_kernel(x->gr)) {
        x->room = room_of(x) + SLOW_CANDIDATES;
        versions_move(x, moved);
    }
    return x->chosen;
}

/* ---- the group's own ---- */

AxisSet versions_testable(const Group *gr) {
    AxisSet set = 0;
    for (int a = 0; a < gr->axes.n; a++) {
        const GAxis *x = &gr->axes.at[a];
        if (x->extent < 0 && expr_over_dims(x->var->lo) && expr_over_dims(x->var->hi)) set |= (AxisSet)1 << a;
    }
    return set;
}

const Expr *versions_length(const Group *gr, AxisSet axes) {
    const Expr *n = NULL;
    for (int a = 0; a < gr->axes.n; a++) {
        if (!(axes >> a & 1)) continue;
        const Expr *length = expr_minus(gr->graph, gr->axes.at[a].var->hi, gr->axes.at[a].var->lo);
        n = n ? expr2(gr->graph, OP_MUL, n, length) : length;
    }
    return n;
}

/* Whether rows of that length are aligned where the first one is. */
static const Expr *rows_alike(Graph *g, const Expr *length, int vector) {
    const Expr *rest = expr2(g, OP_MOD, length, expr_int(g, TY_I64, vector));
    return expr2(g, OP_EQ, rest, expr_int(g, TY_I64, 0));
}

/* Where lengths are told by how many times others they are, both sides are multiplied by what makes that whole. */
static const Expr *at_most(const Group *gr, const SizeTest *t) {
    Graph *g = gr->graph;
    const Expr *length = versions_length(gr, t->axes.of);
    if (!t->axes.per) return expr2(g, OP_LE, length, expr_int(g, TY_I64, t->most));
    const int64_t common = gcd64(t->most, LENGTHS_ONE), times = LENGTHS_ONE / common, most = t->most / common;
    const Expr *per = versions_length(gr, t->axes.per);
    if (times > 1) length = expr2(g, OP_MUL, expr_int(g, TY_I64, times), length);
    if (most > 1) per = expr2(g, OP_MUL, expr_int(g, TY_I64, most), per);
    return expr2(g, OP_LE, length, per);
}

const Expr *versions_row(const Group *gr, const SizeTest *t) {
    const Tensor *row = gr->tensors.at[t->tensor - 1].tensor;
    return row->shape[row->rank - 1];
}

const Expr *versions_condition(const Group *gr, const Case *c) {
    Graph *g = gr->graph;
    const Expr *when = NULL;
    bool aligned = false;
    for (int i = 0; i < c->ntests; i++) {
        const SizeTest *t = &c->test[i];
        const Expr *length = versions_length(gr, t->axes.of), *test = NULL;
        if (t->axes.of && t->divisor)
            test = rows_alike(g, t->tensor ? versions_row(gr, t) : length, t->divisor);
        else if (t->axes.of)
            test = at_most(gr, t);
        when = expr_and(g, when, test);
        /* Rows that begin elsewhere are as those of odd length: what is taken for these is good for them. */
        if (t->divisor && !aligned) when = expr_and(g, when, expr_aligned(g));
        aligned |= t->divisor > 0;
    }
    return when;
}

Versions versions_room(Ctx *ctx, int most) { return (Versions){.at = NEW_N(ctx, Version, most)}; }

void versions_one(Group *gr, const Schedule *s, Versions *v) {
    *v = versions_room(gr->graph->ctx, 1);
    v->at[v->n++] = (Version){.n = 1, .group = {gr}, .schedule = {schedule_keep(gr->graph->ctx, s)}, .span = SPAN_NONE};
}

SchedLimits versions_limits(Targets t) {
    const int cluster = targets_cluster(t);
    return (SchedLimits){targets_shared(t, NULL), cluster < PORTABLE_CLUSTER ? cluster : PORTABLE_CLUSTER,
                         targets_bulk(t), targets_sm_threads(t)};
}

Version versions_version(Group *gr, const Candidate *k) {
    const Division *d = k->division < 0 ? NULL : &gr->divisions.at[k->division];
    Version v = {.n = k->n, .span = SPAN_NONE};
    for (int s = 0; s < k->n; s++) {
        v.group[s] = d ? d->group[s] : gr;
        v.schedule[s] = k->schedule[s];
    }
    return v;
}

int versions_best(Group *gr, Targets t, const Machine *m, const int64_t *dims, int most, Version *out,
                  double *seconds) {
    Ctx *temp = ctx_temp(gr->graph->ctx);
    double weight = 1;
    int64_t *at = NEW_N(temp, int64_t, gr->graph->dims.n + 1);
    memcpy(at, dims, sizeof *at * (size_t)gr->graph->dims.n);
    const Points points = {.n = 1, .nlikely = 1, .few = true, .hinted = true, .dims = &at, .weight = &weight};
    Choosing x = versions_begin(gr, versions_limits(t), m, &points, temp);
    int n = 0;
    versions_begin_search(&x);
    x.chosen = NEW(temp, Chosen);
    x.judged = !group_any_kernel(gr);
    x.room = MAX_CANDIDATES;
    make_nodes(gr);
    add_best(&x, 0, most > 1 ? BEST_OF_KIND : SECOND_OF_KIND, false);
    versions_compare_alike(&x);
    for (int i = 0; i < x.chosen->candidates.n; i++) {
        const Candidate *c = x.chosen->candidates.at[i];
        int to = n < most ? n : most;
        if (!isfinite(c->seconds[0])) continue;
        for (; to > 0 && seconds[to - 1] > c->seconds[0]; to--)
            if (to < most) out[to] = out[to - 1], seconds[to] = seconds[to - 1];
        if (to == most) continue;
        out[to] = versions_version(gr, c);
        seconds[to] = c->seconds[0];
        n += n < most;
    }
    ctx_temp_end(temp);
    return n;
}
