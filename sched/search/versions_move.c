/* Moves from the best candidates of a group: see versions_form.h. */
#include "climb.h"
#include "cost.h"
#include "judge.h"
#include "versions_form.h"

#include <math.h>
#include <string.h>

enum {
    MOVES = 320,          /* kernels that are judged for moves, of all groups of a compilation */
    MOVES_SHARE = 2,      /* a group has one in so many of what is left of them */
    MOVES_OF_GROUP = 160, /* at most */
    MOVES_OF_START = 80
};
static const double NEAR_FLOOR = 1.1; /* times the floor: there moves are not tried */

/* The points that come to a case of those there are. */
static void find_points(const Choosing *x, const Case *cases, int k, bool *here) {
    for (int i = 0; i < x->points->n; i++) {
        int of = 0;
        for (;; of++) {
            bool in = true;
            for (int t = 0; t < cases[of].ntests; t++) in &= versions_holds(x, &cases[of].test[t], i);
            if (in || of == k) {
                here[i] = in && of == k;
                break;
            }
        }
    }
}

/* Moves are judged at the likely ones of some points, where there are such. */
static void keep_likely(const Choosing *x, bool *here) {
    bool any = false;
    for (int i = 0; i < x->points->nlikely; i++) any |= here[i];
    for (int i = x->points->nlikely; i < x->points->n; i++) here[i] &= !any;
}

/* How many times what a case takes is as long as the floor, and *seconds: geometric means over its points. */
static double gap_of(const Choosing *x, const Case *c, const bool *here, double *seconds) {
    const Candidate *k = x->chosen->candidates.at[c->candidate];
    double sum = 0, floors = 0, weight = 0;
    for (int i = 0; i < x->points->n; i++) {
        if (!here[i]) continue;
        sum += x->points->weight[i] * log(k->seconds[i]);
        floors += x->points->weight[i] * log(versions_floor(x, i));
        weight += x->points->weight[i];
    }
    *seconds = exp(sum / weight);
    return *seconds / exp(floors / weight);
}

/* Goes on from a candidate by moves, for some points, to what is legal up to the lengths needed; what comes out is one
 * more. */
static void climb_from(Choosing *x, const Candidate *from, const int64_t *need, const bool *here, double beat,
                       int *left) {
    Schedule *s = NEW(x->temp, Schedule);
    const Division *d = from->division >= 0 ? &x->gr->divisions.at[from->division] : NULL;
    int64_t always[MAX_GROUP_AXES], most[MAX_GROUP_AXES];
    const int mine = *left < MOVES_OF_START ? *left : MOVES_OF_START;
    Climb c = {
        .ctx = x->temp, .gr = versions_group(x, from->division, 0), .points = x->points, .here = here, .need = need};
    c.machine = x->machine;
    c.limits = &x->limits;
    c.beat = beat;
    c.left = mine;
    if (d && d->apart && !d->columns) return;
    for (int a = 0; a < MAX_GROUP_AXES; a++) always[a] = INT64_MAX;
    if (d && d->apart) c.need = always; /* a case says nothing of the axes of its kernels */
    if (from->n > 1) c.after = from->schedule[1], c.after_group = versions_group(x, from->division, 1);
    schedule_copy(s, from->schedule[0]);
    if (climb(&c, s, most))
        versions_add(x, from->division, (const Schedule *[]){s, c.after}, from->n, d && d->apart ? always : most);
    *left -= mine - c.left;
}

void versions_climb(Choosing *x, int point, int *moves) {
    const Candidate *best = NULL;
    bool *here = NEW_N(x->temp, bool, x->points->n);
    int64_t need[MAX_GROUP_AXES];
    here[point] = true;
    for (int k = 0; k < x->chosen->candidates.n; k++) {
        const Candidate *c = x->chosen->candidates.at[k];
        if (versions_legal_at(x, c, point) && (!best || c->seconds[point] < best->seconds[point])) best = c;
    }
    if (!best || best->seconds[point] < NEAR_FLOOR * versions_floor(x, point)) return;
    for (int a = 0; a < MAX_GROUP_AXES; a++)
        need[a] = best->division < 0 && a < x->gr->axes.n ? x->form[0]->lengths[point][a] : INT64_MAX;
    climb_from(x, best, need, here, best->seconds[point], moves);
}

/* Up to which lengths a schedule of a case is legal. */
static const int64_t *lengths_of(const Choosing *x, const Case *in) {
    int64_t *need = NEW_N(x->temp, int64_t, MAX_GROUP_AXES);
    for (int a = 0; a < MAX_GROUP_AXES; a++) need[a] = INT64_MAX;
    for (int i = 0; i < in->ntests; i++)
        for (int a = 0; a < x->gr->axes.n; a++)
            if (versions_asks(&in->test[i], a)) need[a] = in->test[i].most;
    return need;
}

/* Candidates in the order of what they lose at the points of a case; the n-th of them, or NULL. */
static const Candidate *nth_best(const Choosing *x, Case c, const bool *here, int n) {
    const Candidate *taken[VERSIONS_STARTS];
    for (int i = 0; i <= n; i++) {
        double least = INFINITY;
        taken[i] = NULL;
        for (int k = 0; k < x->chosen->candidates.n; k++) {
            const Candidate *y = x->chosen->candidates.at[k];
            double loss = 0;
            bool may = versions_legal_in(x, y, &c);
            for (int t = 0; t < i; t++) may &= taken[t] != y;
            for (int p = 0; p < x->points->n && may; p++) loss += here[p] ? y->loss[p] : 0;
            if (may && loss < least) least = loss, taken[i] = y;
        }
    }
    return taken[n];
}

/* A case takes what is best for its points of what it has and what no case has given up. */
static void settle(const Choosing *x, Case *c, const bool *here) {
    const Candidate *had = x->chosen->candidates.at[c->candidate];
    Case other = *c;
    double loss = 0;
    for (int i = 0; i < x->points->n; i++) loss += here[i] ? had->loss[i] : 0;
    if (versions_settle(x, &other, here, NULL) < loss) *c = other;
}

/* Of the likely points the one at which the best there is takes most times the floor; the first, where that is a
 * hint. */
static int widest_gap(const Choosing *x) {
    double most = 0;
    int at = 0;
    for (int i = 0; i < x->points->nlikely && !x->points->hinted; i++) {
        double best = INFINITY;
        for (int k = 0; k < x->chosen->candidates.n; k++) best = fmin(best, x->chosen->candidates.at[k]->seconds[i]);
        const double gap = x->points->weight[i] * log(best / versions_floor(x, i));
        if (isfinite(gap) && gap > most) most = gap, at = i;
    }
    return at;
}

void versions_climb_first(Choosing *x, int *moved) {
    int left = (MOVES - *moved) / MOVES_SHARE;
    if (left > MOVES_OF_START) left = MOVES_OF_START;
    *moved += left;
    x->room++;
    versions_climb(x, widest_gap(x), &left);
    *moved -= left;
}

/* Of fewer kernels than there are a candidate stays, or one that moves found takes its place in all its cases: each
 * case by itself would take one more. */
static void take_moved(const Choosing *x, Case *cases, int n, int first) {
    const Chosen *ch = x->chosen;
    bool *here = NEW_N(x->temp, bool, x->points->n), *done = NEW_N(x->temp, bool, ch->candidates.n);
    double *loss = NEW_N(x->temp, double, ch->candidates.n);
    for (int k = 0; k < n; k++) {
        const int had = cases[k].candidate;
        int best = had;
        if (done[had]) continue;
        memset(loss, 0, sizeof *loss * (size_t)ch->candidates.n);
        for (int i = k; i < n; i++) {
            if (cases[i].candidate != had) continue;
            find_points(x, cases, i, here);
            for (int c = had; c < ch->candidates.n; c = c < first ? first : c + 1) {
                const Candidate *y = ch->candidates.at[c];
                if (!versions_legal_in(x, y, &cases[i])) loss[c] = INFINITY;
                for (int p = 0; p < x->points->n; p++) loss[c] += here[p] ? y->loss[p] : 0;
            }
        }
        for (int c = first; c < ch->candidates.n; c++)
            if (loss[c] < loss[best]) best = c;
        done[best] = true;
        for (int i = k; i < n; i++)
            if (cases[i].candidate == had) cases[i].candidate = best;
    }
}

/* The numbers of cases: those first that leave most to be gained, as there are not moves for all. */
static void order_cases(const Choosing *x, const Case *cases, int n, int *order) {
    double worth[MAX_VERSIONS], seconds;
    bool here[MAX_POINTS];
    for (int k = 0; k < n; k++) {
        double weight = 0;
        find_points(x, cases, k, here);
        keep_likely(x, here);
        for (int i = 0; i < x->points->n; i++) weight += here[i] ? x->points->weight[i] : 0;
        const double mine = worth[k] = weight > 0 ? weight * log(gap_of(x, &cases[k], here, &seconds)) : 0;
        int to = k;
        for (; to > 0 && worth[order[to - 1]] < mine; to--) order[to] = order[to - 1];
        order[to] = k;
    }
}

/* Where they leave much to be gained. The cases stay as they are. */
void versions_move(Choosing *x, int *moved) {
    Chosen *ch = x->chosen;
    Case *all = ch->cases[MAX_VERSIONS - 1];
    const int n = ch->n[MAX_VERSIONS - 1], first = ch->candidates.n;
    bool here[MAX_POINTS];
    int mine = (MOVES - *moved) / MOVES_SHARE;
    if (mine > MOVES_OF_GROUP) mine = MOVES_OF_GROUP;
    *moved += mine;
    int order[MAX_VERSIONS];
    order_cases(x, all, n, order);
    for (int start = 0; start < VERSIONS_STARTS; start++)
        for (int i = 0; i < n && mine > 0; i++) {
            Case *c = &all[order[i]];
            double beat;
            find_points(x, all, order[i], here);
            settle(x, c, here);
            keep_likely(x, here);
            if (!(gap_of(x, c, here, &beat) > NEAR_FLOOR)) continue;
            const Candidate *from = nth_best(x, *c, here, start);
            if (from) climb_from(x, from, lengths_of(x, c), here, beat, &mine);
            versions_find_losses(x);
        }
    *moved -= mine;
    for (int k = 0; k < n; k++) {
        find_points(x, all, k, here);
        settle(x, &all[k], here);
    }
    for (int most = 0; most < MAX_VERSIONS; most++) {
        const bool again = most && ch->cases[most] == ch->cases[most - 1];
        if (!again && ch->cases[most] != all) take_moved(x, ch->cases[most], ch->n[most], first);
        ch->kernels[most] = again ? ch->kernels[most - 1] : versions_keep_taken(x, ch->cases[most], ch->n[most]);
    }
}
