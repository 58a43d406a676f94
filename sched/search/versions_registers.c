/* Registers of a candidate: see versions_form.h. What a thread does stays as it is; how many blocks of how many threads
 * there are beside it, and what is kept for how long, is fitted to what a multiprocessor has. */
#include "judge.h"
#include "versions_form.h"

#include <math.h>

enum { MANY_WORDS = 16, MANY_AGAIN = 48 /* of a thread's tiles */, MOST_BOUND = 4 /* blocks a multiprocessor */ };
enum { LARGE = 4, LEAST = 2 /* warps of a block that are for rows of their own */ };
static const double FEWER_WORDS = 0.8; /* of a thread's tiles, where values are computed again */
static const double SAME = 0.005;      /* of the time, as a mean over the points: what is computed again may cost */

/* By how much one is slower than another, as a mean over the likely points at which they are legal. */
static double mean_loss(const Choosing *x, const Candidate *c, const Candidate *other) {
    double sum = 0, weight = 0;
    for (int i = 0; i < x->points->nlikely; i++) {
        if (!versions_legal_at(x, c, i)) continue;
        sum += x->points->weight[i] * log(c->seconds[i] / other->seconds[i]);
        weight += x->points->weight[i];
    }
    return weight > 0 ? sum / weight : 0;
}

/* The candidate with another schedule, judged at likely points, where its tiles take no more words than that. */
static bool judge_with(const Choosing *x, const Candidate *c, Schedule *s, double most_words, Candidate *other) {
    *other = *c;
    other->schedule[0] = s;
    other->seconds = NEW_N(x->temp, double, x->points->n);
    return versions_judge(x, other, x->points->nlikely, most_words);
}

static void take(const Choosing *x, Candidate *c, const Candidate *other) {
    Schedule *s = schedule_keep(x->ctx, other->schedule[0]);
    *c = *other;
    c->schedule[0] = s;
}

/* Blocks of fewer warps, where each warp has rows of its own: of large ones with many registers few fit. */
static void try_smaller(const Choosing *x, Candidate *c) {
    for (int a = 0; a < c->schedule[0]->naxes; a++) {
        const SAxis *axis = &c->schedule[0]->axis[a];
        for (int i = 1; i < axis->n; i++) {
            Candidate other;
            Schedule s;
            int64_t *most = NEW_N(x->temp, int64_t, x->gr->axes.n + 1);
            if (axis->f[0].bind != BIND_GRID || axis->f[0].size || axis->f[i].bind != BIND_WARP) continue;
            schedule_copy(&s, c->schedule[0]);
            while (s.axis[a].f[i].size >= LARGE && c->resident < MOST_BOUND) {
                s.axis[a].f[i].size /= s.axis[a].f[i].size > LARGE ? LARGE : LEAST;
                if (!schedule_legal_within(x->gr, &s, most, NULL) || !judge_with(x, c, &s, (double)INFINITY, &other))
                    break;
                if (mean_loss(x, &other, c) < -SAME) take(x, c, &other);
            }
            axis = &c->schedule[0]->axis[a];
        }
    }
}

/* Whether values are computed again, or kept: where loads take fewer registers than what is made of them. */
static void try_again(const Choosing *x, Candidate *c) {
    Candidate other;
    Schedule s;
    if (c->narrow || c->schedule[0]->again) return;
    schedule_copy(&s, c->schedule[0]);
    s.again = true;
    if (!judge_with(x, c, &s, FEWER_WORDS * c->words, &other)) return;
    if (mean_loss(x, &other, c) <= SAME) take(x, c, &other);
}

/* The compiler takes what registers it likes, up to the launch bound: it is told as many blocks as were thought to fit,
 * where one of them less is much, and nothing is lost by it. Of products, and of loops whose loads run ahead, too
 * little is known of what they take: of 8 rows, told of 4 blocks, some would be in local memory. Nor is it of what is
 * made again of many words, some of it early: that is told of a block less (a softmax of 131072 bf16 in clusters of 4
 * blocks on an H200: 1.38 of a copy told of three, 88 bytes of a thread in local memory, 1.08 by itself). */
static void bind_registers(const Choosing *x, Candidate *c) {
    Candidate other;
    Schedule s;
    const int least = x->gr->across ? 1 : 2; /* rows that are held whole may take all that a block of them can have */
    if (x->form[0]->joins || (c->schedule[0]->ahead && !x->gr->across)) return;
    if (c->schedule[0]->occupancy || c->resident < least || c->resident > MOST_BOUND) return;
    schedule_copy(&s, c->schedule[0]);
    const bool fewer = s.again && c->words >= MANY_AGAIN;
    s.occupancy = c->resident - fewer;
    if (s.occupancy < least || !schedule_fits(x->gr, &s, &x->limits)) return;
    if (judge_with(x, c, &s, (double)INFINITY, &other) && mean_loss(x, &other, c) <= SAME) take(x, c, &other);
}

/* Rows that a block has one after the other, whole: the next one's loads come before what is done with this one, if
 * need be in what registers a bound leaves. */
static void try_ahead(const Choosing *x, Candidate *c) {
    Candidate other;
    Schedule s;
    if (!x->gr->across || c->schedule[0]->ahead) return;
    schedule_copy(&s, c->schedule[0]);
    s.ahead = 1;
    for (int bound = 0; bound < 2 && !c->schedule[0]->ahead; bound++) {
        s.occupancy = bound && c->resident <= MOST_BOUND ? c->resident : 0;
        if (judge_with(x, c, &s, (double)INFINITY, &other) && mean_loss(x, &other, c) < -SAME) take(x, c, &other);
    }
}

void versions_fit_registers(const Choosing *x, Candidate *c) {
    const double *before = c->seconds;
    if (c->n > 1) return;
    try_ahead(x, c);
    if (c->words >= MANY_WORDS) try_smaller(x, c);
    if (c->words >= MANY_WORDS) try_again(x, c);
    if (c->words >= MANY_WORDS) bind_registers(x, c);
    if (c->seconds != before && x->points->n > x->points->nlikely) versions_judge(x, c, x->points->n, (double)INFINITY);
}
