/* Candidates of a group: what they take, by the judge or by the cost of schedules, and what they lose beside the best
 * at each point. See versions_form.h. */
#include "climb.h"
#include "cost.h"
#include "judge.h"
#include "versions_form.h"

#include <math.h>
#include <string.h>

CostForm *versions_cost_form(const Choosing *x, int division, int kernel) {
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

/* Whether columns come first at a point: few neighbours are folded, so that other kernels are of that many, and their
 * number, beside that of rows and of groups, would part them into more cases than the points tell apart. Longer rows of
 * neighbours are folded as rows are. */
static bool has_few_neighbours(const Choosing *x, int point) {
    int64_t n = 1;
    bool columns = false;
    for (int d = 0; d < x->gr->divisions.n; d++) columns |= x->gr->divisions.at[d].columns;
    for (int a = 0; a < x->gr->axes.n; a++)
        if (x->gr->neighbours >> a & 1 && !mul_ok(n, x->form[0]->lengths[point][a], &n)) return false;
    return columns && x->points->many && n < FEW_NEIGHBOURS;
}

/* What folds columns is for few neighbours, where these lie along one axis. */
static void leave_rows(const Choosing *x, Candidate *c) {
    const AxisSet of = x->gr->neighbours;
    const bool columns = c->division >= 0 && x->gr->divisions.at[c->division].columns;
    for (int a = 0; a < x->gr->axes.n && columns && x->points->many; a++)
        if (of == (AxisSet)1 << a && c->most[a] >= FEW_NEIGHBOURS) c->most[a] = FEW_NEIGHBOURS - 1;
}

bool versions_legal_at(const Choosing *x, const Candidate *c, int point) {
    const bool columns = c->division >= 0 && x->gr->divisions.at[c->division].columns;
    if (!columns && x->gr->neighbours && has_few_neighbours(x, point)) return false;
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
            CostForm *f = versions_cost_form(x, c->division, k);
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
    leave_rows(x, c);
    for (int k = 0; k < n; k++) c->schedule[k] = schedule_keep(x->ctx, parts[k]);
    c->asked = c->schedule[0];
    c->seconds = NEW_N(x->temp, double, x->points->n);
    c->judged = x->judged && versions_judge(x, c, x->points->n, (double)INFINITY);
    if (!c->judged) estimate(x, c);
    if (c->judged && x->gr->steps.n) versions_fit_registers(x, c);
    leave_out(x, c);
    vec_push(x->ctx, &all->candidates, c);
}

double versions_judged_at(const Choosing *x, int point, Group *gr, const Schedule *s) {
    Ctx *temp = ctx_temp(x->ctx);
    const GraphScratch before = graph_scratch(gr->graph, temp);
    Features *f = climb_features(program_new(temp, gr->graph), gr, s, temp);
    if (f) f->displaced = x->points->displaced;
    const double seconds = f ? judge_choice(&f, 1, x->machine, x->points->dims[point]) : (double)INFINITY;
    graph_scratch_end(gr->graph, before);
    ctx_temp_end(temp);
    return seconds;
}

void versions_take_best(void *user, const Schedule *s, const int64_t *most) {
    BestAt *b = user;
    const double seconds = versions_judged_at(b->x, b->point, b->gr, s);
    b->n++;
    if (!(seconds < b->seconds)) return;
    b->seconds = seconds;
    schedule_copy(&b->best, s);
    memcpy(b->most, most, sizeof *most * (size_t)s->naxes);
}

void versions_note_best(Choosing *x, int k) {
    for (int i = 0; i < x->points->n; i++) x->best[i] = fmin(x->best[i], x->chosen->candidates.at[k]->seconds[i]);
}

/* ---- what they lose ---- */

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
    return x->points->weight[point] * lost * likely + x->spared * rare * fmax(0, spared);
}

void versions_find_losses(Choosing *x) {
    const int n = x->points->n;
    for (int k = 0; k < x->chosen->candidates.n; k++) versions_note_best(x, k);
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
