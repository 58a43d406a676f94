/* Versions by size: see versions.h. */
#include "versions_form.h"

#include "climb.h"
#include "cost.h"
#include "holds.h"
#include "judge.h"
#include "relayouts.h"
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

/* ---- candidates ---- */

static CostForm *form_of(const Choosing *x, int division, int kernel) {
    return x->form[division < 0 ? 0 : 1 + MAX_TOGETHER * division + kernel];
}

Group *versions_group(const Choosing *x, int division, int kernel) {
    const Division *d = division < 0 ? NULL : &x->gr->divisions.at[division];
    return d ? d->group[kernel] : x->gr;
}

/* Whether elements narrower than a register are loaded one by one: to keep them as they were loaded, each would have to
 * be put into a word. */
static bool loads_narrow(const Features *f) {
    for (int i = 0; i < f->accesses.n; i++) {
        const Access *a = &f->accesses.at[i];
        if (!a->store && a->open && a->vector == 1 && a->bytes < TARGET_REGISTER) return true;
    }
    return false;
}

bool versions_legal_at(const Choosing *x, const Candidate *c, int point) {
    for (int a = 0; a < x->gr->axes.n; a++)
        if (x->form[0]->lengths[point][a] > c->most[a]) return false;
    return true;
}

bool versions_judge(const Choosing *x, Candidate *c, int n, double most_words) {
    Ctx *temp = ctx_temp(x->ctx);
    const GraphScratch before = graph_scratch(x->gr->graph, temp);
    Program *p = program_new(temp, x->gr->graph);
    Features *f[MAX_TOGETHER];
    bool known = true;
    for (int k = 0; k < c->n && known; k++)
        known = (f[k] = climb_features(p, versions_group(x, c->division, k), c->schedule[k], x->temp)) != NULL;
    if (known && c->n == 1) {
        c->resident = judge_resident(f[0], x->machine);
        c->words = f[0]->tile_words + f[0]->beside;
        c->narrow = loads_narrow(f[0]);
        known = c->words <= most_words;
    }
    for (int i = 0; i < n && known; i++) {
        const int64_t *dims = x->points->dims[i];
        c->seconds[i] = INFINITY;
        if (!versions_legal_at(x, c, i)) continue;
        for (int k = 0; k < c->n; k++) f[k]->displaced = x->points->displaced;
        c->seconds[i] = judge_choice(f, c->n, x->machine, dims);
        known = isfinite(c->seconds[i]);
    }
    graph_scratch_end(x->gr->graph, before);
    ctx_temp_end(temp);
    return known;
}

/* By the cost of schedules. */
static void estimate(const Choosing *x, Candidate *c) {
    for (int i = 0; i < x->points->n; i++) {
        c->seconds[i] = 0;
        for (int k = 0; k < c->n; k++) {
            CostForm *f = form_of(x, c->division, k);
            f->at = i;
            c->seconds[i] += sched_cost(f, x->machine, c->schedule[k]) + sched_cost_launch(x->machine);
        }
    }
}

/* Points at which it is not legal. */
static void leave_out(const Choosing *x, Candidate *c) {
    for (int i = 0; i < x->points->n; i++)
        if (!versions_legal_at(x, c, i)) c->seconds[i] = INFINITY;
}

double versions_floor(const Choosing *x, int point) {
    return x->machine->launch + sched_cost_bytes(x->machine, cost_form_once(x->form[0], point));
}

void versions_add(Choosing *x, int division, const Schedule *const *parts, int n, const int64_t *most) {
    Chosen *all = x->chosen;
    if (all->candidates.n >= x->room || all->candidates.n == MAX_CANDIDATES) return;
    for (int i = 0; i < all->candidates.n; i++) {
        const Candidate *c = all->candidates.at[i];
        bool same =
            c->division == division && (schedule_equal(c->asked, parts[0]) || schedule_equal(c->schedule[0], parts[0]));
        for (int k = 1; k < n && same; k++) same = schedule_equal(c->schedule[k], parts[k]);
        if (same) return;
    }
    Candidate *c = NEW(x->ctx, Candidate);
    const int naxes = x->gr->axes.n;
    *c = (Candidate){.division = division, .n = n};
    c->most = NEW_N(x->ctx, int64_t, naxes + 1);
    memcpy(c->most, most, sizeof(int64_t) * (size_t)naxes);
    for (int k = 0; k < n; k++) c->schedule[k] = schedule_keep(x->ctx, parts[k]);
    c->asked = c->schedule[0];
    c->seconds = NEW_N(x->temp, double, x->points->n);
    c->judged = x->judged && versions_judge(x, c, x->points->n, (double)INFINITY);
    if (!c->judged) estimate(x, c);
    if (c->judged && x->gr->steps.n) versions_fit_registers(x, c);
    leave_out(x, c);
    vec_push(x->ctx, &all->candidates, c);
}

/* The quickest of those that are legal for all sizes. */
static const Best *always_best(const BestOf *b) {
    const Best *best = NULL;
    for (int kind = 0; kind < BEST_KINDS; kind++)
        if (kind & BEST_ALWAYS && b->n[kind] && (!best || b->at[kind][0].seconds < best->seconds))
            best = &b->at[kind][0];
    return best;
}

/* Seconds at a point, as the judge predicts; INFINITY: it does not know. */
static double judged_at(const Choosing *x, int point, Group *gr, const Schedule *s) {
    Ctx *temp = ctx_temp(x->ctx);
    const GraphScratch before = graph_scratch(gr->graph, temp);
    Features *f = climb_features(program_new(temp, gr->graph), gr, s, temp);
    if (f) f->displaced = x->points->displaced;
    const double seconds = f ? judge_choice(&f, 1, x->machine, x->points->dims[point]) : (double)INFINITY;
    graph_scratch_end(gr->graph, before);
    ctx_temp_end(temp);
    return seconds;
}

/* Of those found that are of all these kinds, the quickest by the judge. */
static const Best *judged_best(const Choosing *x, int point, Group *gr, const BestOf *b, int kinds) {
    const Best *best = NULL;
    double least = INFINITY;
    for (int kind = 0; kind < BEST_KINDS; kind++)
        for (int i = 0; (kind & kinds) == kinds && i < b->n[kind]; i++) {
            const double s = judged_at(x, point, gr, &b->at[kind][i].schedule);
            if (s < least) least = s, best = &b->at[kind][i];
        }
    return best;
}

/* The quickest of those that are legal for all sizes, by the judge, where points are few. */
static const Best *second_best(const Choosing *x, int point, int division, int kernel, const BestOf *b) {
    const Best *best = NULL;
    if (x->judged && x->points->n <= FEW_POINTS)
        best = judged_best(x, point, versions_group(x, division, kernel), b, BEST_ALWAYS);
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
    const double least = x->judged && x->points->n > 1 ? judged_at(x, point, gr, best) : (double)INFINITY;
    for (int i = 0; i < x->chosen->candidates.n && isfinite(least) && n < MOST_ASKED; i++) {
        const Candidate *c = x->chosen->candidates.at[i];
        if (c->division != division) continue;
        if (schedule_equal(c->schedule[kernel], best)) return best;
        int k = 0;
        while (k < n && !schedule_equal(met[k], c->schedule[kernel])) k++;
        if (k < n) continue;
        met[n++] = c->schedule[kernel];
        if (judged_at(x, point, gr, c->schedule[kernel]) <= AS_QUICK * least) return c->schedule[kernel];
    }
    return best;
}

/* What is best at each point takes no longer than a candidate. */
static void note_best(Choosing *x, int k) {
    for (int i = 0; i < x->points->n; i++) x->best[i] = fmin(x->best[i], x->chosen->candidates.at[k]->seconds[i]);
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

/* One more candidate beside the others, where it is quicker somewhere than all there are. */
static void take_quicker(void *user, const Schedule *s, const int64_t *most) {
    static const double QUICKER = 0.95; /* times what is best there: predictions of schedules alike are no better */
    Choosing *x = user;
    Candidate c = {.division = -1, .n = 1, .schedule = {schedule_keep(x->temp, s)}};
    bool quicker = false;
    c.most = NEW_N(x->temp, int64_t, x->gr->axes.n + 1);
    memcpy(c.most, most, sizeof *most * (size_t)x->gr->axes.n);
    c.seconds = NEW_N(x->temp, double, x->points->n);
    if (!versions_judge(x, &c, x->points->n, (double)INFINITY)) return;
    for (int i = 0; i < x->points->n; i++) quicker |= c.seconds[i] < QUICKER * x->best[i];
    if (!quicker) return;
    const int had = x->chosen->candidates.n;
    x->room++;
    versions_add(x, -1, (const Schedule *[]){s}, 1, most);
    for (int k = had; k < x->chosen->candidates.n; k++) note_best(x, k);
}

static void add_columns(Choosing *x) {
    if (!x->judged || x->points->n == 1) return;
    for (int k = 0; k < x->chosen->candidates.n; k++) note_best(x, k);
    x->form[0]->at = 0;
    settle_columns_each(x->form[0], &x->limits, take_quicker, x);
}

/* Of those that hold rows the best at a point. */
typedef struct Holds {
    Choosing *x;
    int point;
    double seconds;
    Schedule best;
    int64_t most[MAX_GROUP_AXES];
} Holds;

static void take_held(void *user, const Schedule *s, const int64_t *most) {
    Holds *h = user;
    const double seconds = judged_at(h->x, h->point, h->x->gr, s);
    if (!(seconds < h->seconds)) return;
    h->seconds = seconds;
    schedule_copy(&h->best, s);
    memcpy(h->most, most, sizeof *most * (size_t)s->naxes);
}

static bool may_hold(const Choosing *x) { return x->judged && x->gr->steps.n && x->gr->steps.n <= MANY_STEPS; }

static void add_held(Choosing *x, int point) {
    Holds h = {.x = x, .point = point, .seconds = INFINITY};
    if (!may_hold(x)) return;
    x->form[0]->at = point;
    holds_each(x->form[0], &x->limits, take_held, &h);
    x->room += isfinite(h.seconds); /* beside the others, and not in their place */
    if (isfinite(h.seconds)) versions_add(x, -1, (const Schedule *[]){&h.best}, 1, h.most);
}

static void take_longest(void *user, const Schedule *s, const int64_t *most) {
    Choosing *x = user;
    x->room++; /* beside the others, and not in their place */
    versions_add(x, -1, (const Schedule *[]){s}, 1, most);
}

/* Rows of any length: the longest that shared memory holds of one block, of two and so on. Searches at points would
 * find few lengths of many. */
static void add_held_longest(Choosing *x) {
    enum { BLOCKS = 4 };
    if (!may_hold(x) || x->points->n <= FEW_POINTS) return;
    x->form[0]->at = 0;
    for (int blocks = 1; blocks <= BLOCKS; blocks++) holds_longest(x->form[0], &x->limits, blocks, take_longest, x);
}

/* What is best at one point of a way with a kernel for each reduction, of schedules that are legal always. */
static int add_apart(Choosing *x, int point, int division) {
    const Division *d = &x->gr->divisions.at[division];
    const Schedule *parts[MAX_TOGETHER];
    int64_t *most = NEW_N(x->temp, int64_t, x->gr->axes.n + 1);
    int considered = 0;
    if (!apart_pays(x->gr, x->points->dims[point])) return 0;
    for (int a = 0; a < x->gr->axes.n; a++) most[a] = INT64_MAX;
    for (int k = 0; k < d->n; k++) {
        CostForm *f = form_of(x, division, k);
        f->at = point;
        considered += templates_best(f, x->machine, &x->limits, SECOND_OF_KIND, &x->found[k]);
        const Best *best = second_best(x, point, division, k, &x->found[k]);
        if (!best) return considered;
        parts[k] = k ? shared_part(x, point, division, k, &best->schedule) : &best->schedule;
    }
    versions_add(x, division, parts, d->n, most);
    return considered;
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
    if (!point) relayouts_each(x->form[0], &x->limits, take_relayout, x); /* they are for all sizes */
    if (!point && x->points->n > 1) settle_each(x->form[0], &x->limits, take_settled, x);
    if (!point) add_held_longest(x);
    add_held(x, point);
    double quickest[BEST_KINDS]; /* of what reads its elements as often as it says */
    for (int kind = 0; kind < BEST_KINDS; kind++) quickest[kind] = INFINITY;
    for (int d = -1; d < x->gr->divisions.n; d++) {
        const int n = d < 0 ? 1 : x->gr->divisions.at[d].n;
        if (d >= 0 && x->gr->divisions.at[d].apart) {
            considered += add_apart(x, point, d);
            continue;
        }
        for (int k = 0; k < n; k++) {
            CostForm *f = form_of(x, d, k);
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

/* Whether one is legal wherever another is, and loses no more at any point. */
static bool as_good(const Choosing *x, const Candidate *c, const Candidate *other) {
    for (int a = 0; a < x->gr->axes.n; a++)
        if (c->most[a] < other->most[a]) return false;
    for (int i = 0; i < x->points->n; i++)
        if (c->loss[i] > other->loss[i]) return false;
    return true;
}

/* Of candidates that are alike everywhere the first stays. */
static void find_rivals(Choosing *x) {
    const int n = x->chosen->candidates.n;
    Candidate *const *all = x->chosen->candidates.at;
    x->nrivals = 0;
    for (int k = 0; k < n; k++) {
        bool beaten = all[k]->given_up;
        for (int i = 0; i < n && !beaten; i++)
            beaten =
                i != k && !all[i]->given_up && as_good(x, all[i], all[k]) && (i < k || !as_good(x, all[k], all[i]));
        if (!beaten) x->rival[x->nrivals++] = k;
    }
}

static double loss_at(const Choosing *x, const Candidate *c, int point) {
    const double lost = log(c->seconds[point] / x->best[point]), spared = x->sparing > 0 ? lost - log(x->sparing) : 0;
    static const double LIKELY = 3;         /* times as much what is lost at likely points counts then */
    static const double DRAWN_SPARED = 0.3; /* of what is lost beyond that, at drawn points */
    const double likely = x->sparing > 0 && point < x->points->nlikely ? LIKELY : 1;
    const double rare = point < x->points->n - x->points->ndrawn ? 1 : DRAWN_SPARED;
    return x->points->weight[point] * lost * likely + rare * fmax(0, spared);
}

void versions_find_losses(Choosing *x) {
    const int n = x->points->n;
    for (int k = 0; k < x->chosen->candidates.n; k++) note_best(x, k);
    for (int k = 0; k < x->chosen->candidates.n; k++) {
        Candidate *c = x->chosen->candidates.at[k];
        if (!c->loss) c->loss = NEW_N(x->temp, double, n);
        for (int i = 0; i < n; i++) c->loss[i] = loss_at(x, c, i);
    }
    find_rivals(x);
}

bool versions_compare_alike(Choosing *x) {
    bool all = x->judged;
    for (int k = 0; k < x->chosen->candidates.n; k++) all &= x->chosen->candidates.at[k]->judged;
    for (int k = 0; k < x->chosen->candidates.n && !all; k++) {
        Candidate *c = x->chosen->candidates.at[k];
        if (!c->judged) continue;
        estimate(x, c);
        leave_out(x, c);
    }
    return all;
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

static int room_of(const Group *gr) { return two_ways(gr) || gr->across ? 2 * FEW_CANDIDATES : FEW_CANDIDATES; }

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
    for (; *met < x->chosen->candidates.n; ++*met) note_best(x, *met);
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
    x->judged = !x->gr->product; /* where the library refuses, any kernel will do */
    x->room = room_of(x->gr) - VERSIONS_STARTS * MAX_VERSIONS;
    make_nodes(x->gr);
    /* How many points there is time for is known after the heaviest one. */
    const int considered = two_ways(x->gr) ? 3 * x->considered : x->considered;
    int searched = considered / (add_best(x, 0,
                                          n <= FEW_POINTS                ? BEST_OF_KIND
                                          : of_kind(x->gr) > FEW_OF_KIND ? of_kind(x->gr)
                                                                         : FEW_OF_KIND,
                                          false) +
                                 1);
    const int most = n <= FEW_POINTS ? FEW_SEARCHED : MAX_SEARCHED;
    if (searched > most) searched = most;
    if (x->gr->product || searched < 1) searched = 1;
    if (searched > n) searched = n;
    for (int i = 1; i < searched; i++) add_best(x, i * versions_step(n) % n, of_kind(x->gr), false);
    if (x->judged && n > 1 && n <= FEW_POINTS && x->gr->steps.n) versions_climb_hint(x, moved);
    if (x->points->n > n) versions_add_for_slow(x, searched / 2, 0);
    add_columns(x);
    x->compared = versions_compare_alike(x);
    versions_find_losses(x);
    versions_find_cases(x);
    if (x->compared && !x->gr->product) {
        x->room = room_of(x->gr) + SLOW_CANDIDATES;
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
        const Expr *length = versions_length(gr, t->axes), *test = NULL;
        if (t->axes && t->divisor)
            test = rows_alike(g, t->tensor ? versions_row(gr, t) : length, t->divisor);
        else if (t->axes)
            test = expr2(g, OP_LE, length, expr_int(g, TY_I64, t->most));
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
    const Points points = {.n = 1, .nlikely = 1, .dims = &at, .weight = &weight};
    Choosing x = versions_begin(gr, versions_limits(t), m, &points, temp);
    int n = 0;
    versions_begin_search(&x);
    x.chosen = NEW(temp, Chosen);
    x.judged = !gr->product;
    x.room = MAX_CANDIDATES;
    make_nodes(gr);
    add_best(&x, 0, BEST_OF_KIND, false);
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
