/* Versions near one that is known to be quick, for who measures: what is one move away, and what the judge of kernels
 * says of it. */
#include "apply.h"
#include "climb.h"
#include "judge.h"
#include "moves.h"
#include "points.h"
#include "versions.h"

#include <math.h>

enum { MOST_JUDGED = 400 };

double versions_seconds(const Version *v, const Machine *m, const int64_t *dims) {
    Graph *g = v->group[0]->graph;
    Ctx *temp = ctx_temp(g->ctx);
    const GraphScratch before = graph_scratch(g, temp);
    Program *p = program_new(temp, g);
    Features *f[MAX_TOGETHER];
    bool known = true;
    for (int k = 0; k < v->n && known; k++)
        known = (f[k] = climb_features(p, v->group[k], v->schedule[k], temp)) != NULL;
    const double s = !known      ? INFINITY
                     : v->n == 1 ? judge_seconds(f[0], m, dims, NULL, NULL)
                                 : judge_all_seconds(f, v->n, m, dims);
    graph_scratch_end(g, before);
    ctx_temp_end(temp);
    return s;
}

typedef struct Near {
    const Version *from;
    const Machine *machine;
    SchedLimits limits;
    const int64_t *dims;
    int most, n, judged;
    Version *out;
    double *seconds;
} Near;

/* Whether the schedule is legal at the sizes at hand, and none of those that were met. */
static bool is_new(const Near *x, const Schedule *s) {
    Group *gr = x->from->group[0];
    int64_t most[MAX_GROUP_AXES];
    bool met = schedule_equal(s, x->from->schedule[0]);
    for (int i = 0; i < x->n; i++) met |= schedule_equal(s, x->out[i].schedule[0]);
    if (met || !sched_legal(gr, s, &x->limits, most, NULL)) return false;
    for (int a = 0; a < gr->axes.n; a++)
        if (points_length(&gr->axes.at[a], x->dims) > most[a]) return false;
    return true;
}

static bool take(void *user, const Schedule *s) {
    Near *x = user;
    if (!is_new(x, s)) return true;
    Version v = *x->from;
    v.when = NULL;
    v.span = SPAN_NONE;
    v.schedule[0] = schedule_keep(v.group[0]->graph->ctx, s);
    const double seconds = versions_seconds(&v, x->machine, x->dims);
    int to = x->n < x->most ? x->n : x->most;
    for (; to > 0 && x->seconds[to - 1] > seconds; to--)
        if (to < x->most) x->out[to] = x->out[to - 1], x->seconds[to] = x->seconds[to - 1];
    if (to < x->most && isfinite(seconds)) {
        x->out[to] = v;
        x->seconds[to] = seconds;
        x->n += x->n < x->most;
    }
    return ++x->judged < MOST_JUDGED;
}

int versions_near(const Version *from, Targets t, const Machine *m, const int64_t *dims, int most, Version *out,
                  double *seconds) {
    Near x = {.from = from,
              .machine = m,
              .limits = versions_limits(t),
              .dims = dims,
              .most = most,
              .out = out,
              .seconds = seconds};
    for (int i = 0; i < from->group[0]->steps.n; i++)
        if (from->group[0]->steps.at[i].joined[0]) return 0;
    Schedule whole;
    schedule_copy(&whole, from->schedule[0]);
    moves_from(from->group[0], m, &whole, NULL, true, take, &x);
    return x.n;
}
