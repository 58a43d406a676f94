/* Candidates beside those that templates find: rows that shared memory holds, and columns of any length. They are few,
 * and the judge, which counts instructions, compares all of them. See versions_form.h. */
#include "columns.h"
#include "holds.h"
#include "shorts.h"
#include "versions_form.h"

#include <math.h>
#include <string.h>

/* One more candidate beside the others, where it is quicker somewhere than all there are. */
static void add_quicker(Choosing *x, int division, const Schedule *const *parts, int n, const int64_t *most) {
    static const double QUICKER = 0.95; /* times what is best there: predictions of schedules alike are no better */
    Candidate c = {.division = division, .n = n};
    bool quicker = false;
    for (int k = 0; k < n; k++) c.schedule[k] = schedule_keep(x->temp, parts[k]);
    c.most = NEW_N(x->temp, int64_t, x->gr->axes.n + 1);
    memcpy(c.most, most, sizeof *most * (size_t)x->gr->axes.n);
    c.seconds = NEW_N(x->temp, double, x->points->n);
    if (!versions_judge(x, &c, x->points->n, (double)INFINITY)) return;
    for (int i = 0; i < x->points->n; i++) quicker |= c.seconds[i] < QUICKER * x->best[i];
    if (!quicker) return;
    const int had = x->chosen->candidates.n;
    x->room++;
    versions_add(x, division, parts, n, most);
    for (int k = had; k < x->chosen->candidates.n; k++) versions_note_best(x, k);
}

static void take_quicker(void *user, const Schedule *s, const int64_t *most) {
    add_quicker(user, -1, (const Schedule *[]){s}, 1, most);
}

/* The kernels of a division whose first folds columns, and what comes behind it. */
typedef struct Divided {
    Choosing *x;
    int division;
    const Schedule *rest;
} Divided;

static void take_divided(void *user, const Schedule *s, const int64_t *most) {
    const Divided *d = user;
    int64_t always[MAX_GROUP_AXES];
    for (int a = 0; a < s->naxes; a++)
        if (most[a] < INT64_MAX) return;
    for (int a = 0; a < MAX_GROUP_AXES; a++) always[a] = INT64_MAX;
    add_quicker(d->x, d->division, (const Schedule *[]){s, d->rest}, 2, always);
}

/* What folds columns first, with what the first candidate of that kind has behind it. */
static void add_divided(Choosing *x, int division) {
    Divided d = {.x = x, .division = division};
    for (int k = 0; k < x->chosen->candidates.n && !d.rest; k++)
        if (x->chosen->candidates.at[k]->division == division) d.rest = x->chosen->candidates.at[k]->schedule[1];
    if (d.rest) columns_each(versions_cost_form(x, division, 0), &x->limits, take_divided, &d);
}

void versions_add_beside(Choosing *x) {
    if (!x->judged) return;
    for (int k = 0; k < x->chosen->candidates.n; k++) versions_note_best(x, k);
    x->form[0]->at = 0;
    shorts_each(x->form[0], &x->limits, take_quicker, x);
    if (x->points->n == 1) return;
    settle_columns_each(x->form[0], &x->limits, take_quicker, x);
    for (int d = 0; d < x->gr->divisions.n; d++)
        if (x->gr->divisions.at[d].columns) add_divided(x, d);
}

static bool may_hold(const Choosing *x) { return x->judged && x->gr->steps.n && x->gr->steps.n <= MANY_STEPS; }

void versions_add_held(Choosing *x, int point) {
    BestAt h = {.x = x, .gr = x->gr, .point = point, .seconds = INFINITY};
    if (!may_hold(x)) return;
    x->form[0]->at = point;
    holds_each(x->form[0], &x->limits, versions_take_best, &h);
    x->room += isfinite(h.seconds); /* beside the others, and not in their place */
    if (isfinite(h.seconds)) versions_add(x, -1, (const Schedule *[]){&h.best}, 1, h.most);
}

static void take_longest(void *user, const Schedule *s, const int64_t *most) {
    Choosing *x = user;
    x->room++; /* beside the others, and not in their place */
    versions_add(x, -1, (const Schedule *[]){s}, 1, most);
}

void versions_add_held_longest(Choosing *x) {
    enum { BLOCKS = 4 };
    if (!may_hold(x) || x->points->few) return;
    x->form[0]->at = 0;
    for (int blocks = 1; blocks <= BLOCKS; blocks++) holds_longest(x->form[0], &x->limits, blocks, take_longest, x);
}
