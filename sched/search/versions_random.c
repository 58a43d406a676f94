/* Random versions of a group, for tests: divisions, schedules that are legal up to some length, conditions. */
#include "apply.h"
#include "versions.h"

#include "ir/poly/poly.h"

enum { MOST_LENGTH = 40 /* that a test compares with: tests run small sizes */ };

static int draw(uint64_t *state, int n) { return (int)(random_next(state) % (uint64_t)n); }

/* Takes the loop away from an axis of a length that is not known, so that the schedule is legal for short ones alone.
 * The axis, or -1. */
static int bound(const Group *gr, uint64_t *state, Schedule *s) {
    int a = gr->axes.n ? draw(state, gr->axes.n) : 0;
    if (!(versions_testable(gr) >> a & 1) || a == gr->split) return -1;
    SAxis *x = &s->axis[a];
    const SAxis before = *x;
    int n = 0;
    for (int i = 0; i < x->n; i++)
        if (x->f[i].size) x->f[n++] = x->f[i];
    x->n = n;
    int64_t most[MAX_GROUP_AXES];
    if (n && schedule_legal_within(gr, s, most, NULL) && most[a] < INT64_MAX) return a;
    *x = before;
    return -1;
}

static const Expr *at_most(Group *gr, AxisSet axes, int64_t most) {
    return expr2(gr->graph, OP_LE, versions_length(gr, axes), expr_int(gr->graph, TY_I64, most));
}

/* Whether some sizes come to that condition, and others do not, as far as is known of those that come here. */
static bool parts(Group *gr, const Expr *when, const Expr *const *known, int n) {
    Ctx *temp = ctx_temp(gr->graph->ctx);
    const PolyEnv env = {.g = gr->graph, .facts = known, .nfacts = n, .ctx = temp};
    bool open = cond_truth(&env, when) < 0;
    ctx_temp_end(temp);
    return open;
}

/* For all sizes; or with *when, where that is not NULL. */
static Schedule *draw_schedule(Group *gr, uint64_t *state, const Expr **when) {
    Schedule *s = NEW(gr->graph->ctx, Schedule);
    schedule_random(gr, state, s);
    int64_t most[MAX_GROUP_AXES];
    int a = when ? bound(gr, state, s) : -1;
    sched_random_steps(gr, state, s);
    if (a < 0) return s;
    schedule_legal_within(gr, s, most, NULL);
    *when = expr_and(gr->graph, *when, at_most(gr, (AxisSet)1 << a, most[a]));
    return s;
}

static void draw_version(Group *gr, uint64_t *state, bool bounded, Version *x) {
    const int d = draw(state, gr->divisions.n + 1) - 1;
    x->span = SPAN_NONE;
    x->n = d < 0 ? 1 : gr->divisions.at[d].n;
    x->group[0] = gr;
    for (int k = 0; d >= 0 && k < x->n; k++) x->group[k] = gr->divisions.at[d].group[k];
    for (int k = 0; k < x->n; k++) x->schedule[k] = draw_schedule(x->group[k], state, bounded && !k ? &x->when : NULL);
}

void versions_random(Group *gr, uint64_t *state, Versions *v) {
    const AxisSet may = versions_testable(gr);
    const Expr *passed[MAX_VERSIONS];
    const int most = may ? draw(state, 3) : 0;
    *v = versions_room(gr->graph->ctx, most + 1);
    for (int i = 0; i < most; i++) {
        const AxisSet axes = may & (AxisSet)random_next(state);
        Version x = {.when = at_most(gr, axes ? axes : may, draw(state, MOST_LENGTH))};
        draw_version(gr, state, true, &x);
        if (!parts(gr, x.when, passed, v->n)) continue;
        passed[v->n] = expr1(gr->graph, OP_NOT, x.when);
        v->at[v->n++] = x;
    }
    draw_version(gr, state, false, &v->at[v->n++]);
}
