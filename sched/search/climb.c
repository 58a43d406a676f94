/* Moves to quicker schedules: see climb.h. The first move that gains is made, and moves begin anew from there. */
#include "climb.h"

#include "apply.h"
#include "judge.h"
#include "moves.h"

#include <math.h>
#include <string.h>

enum { MOST_SEEN = 512, POINTS = 16 /* that take as long to judge as a kernel takes to make */ };
static const double GAIN = 0.01;  /* of the time: what a move gains at least */
static const double TRUST = 0.12; /* what all of them do: among schedules alike, predictions are wrong by as much */

static Features *features(Program *p, Group *gr, const Schedule *s, bool part, Ctx *ctx) {
    Text why = {.ctx = p->ctx};
    const Kernel *k = sched_apply_scratch(p, gr, s, &why);
    if (!k) return NULL;
    Features *f = (part ? features_of_part : features_of)(p, k, ctx);
    return f->known ? f : NULL;
}

Features *climb_features(Program *p, Group *gr, const Schedule *s, Ctx *ctx) { return features(p, gr, s, false, ctx); }

Features *climb_part_features(Program *p, Group *gr, const Schedule *s, Ctx *ctx) {
    return features(p, gr, s, true, ctx);
}

typedef struct Climbing {
    Climb *c;
    Schedule best;
    int64_t *most; /* of the best */
    double score;
    bool moved;
    int npoints, nseen;
    uint64_t seen[MOST_SEEN];
} Climbing;

/* The mean of the logarithms of the seconds, by weight; INFINITY: they are not known. */
static double score_of(const Climb *c, const Schedule *s) {
    Graph *g = c->gr->graph;
    Ctx *temp = ctx_temp(c->ctx);
    const GraphScratch before = graph_scratch(g, temp);
    Program *p = program_new(temp, g);
    Features *f[2] = {climb_features(p, c->gr, s, temp)};
    if (f[0] && c->after) f[1] = climb_features(p, c->after_group, c->after, temp);
    const bool known = f[0] && (!c->after || f[1]);
    double sum = 0, weight = 0;
    for (int i = 0; i < c->points->n && known; i++) {
        if (!c->here[i]) continue;
        for (int k = 0; k < (c->after ? 2 : 1); k++) f[k]->displaced = c->points->displaced;
        sum += c->points->weight[i] * log(judge_choice(f, c->after ? 2 : 1, c->machine, c->points->dims[i]));
        weight += c->points->weight[i];
    }
    graph_scratch_end(g, before);
    ctx_temp_end(temp);
    return known ? sum / weight : INFINITY;
}

static bool is_new(Climbing *x, const Schedule *s) {
    const uint64_t h = schedule_hash(s);
    for (int i = 0; i < x->nseen; i++)
        if (x->seen[i] == h) return false;
    if (x->nseen < MOST_SEEN) x->seen[x->nseen++] = h;
    return true;
}

static bool fits(const Climb *c, const Schedule *s, int64_t *most) {
    if (!schedule_legal_within(c->gr, s, most, NULL) || !schedule_fits(c->gr, s, c->limits)) return false;
    if (!schedule_whole_warps(c->gr, s)) return false;
    for (int a = 0; a < s->naxes; a++)
        if (most[a] < c->need[a]) return false;
    return true;
}

static bool try_move(void *user, const Schedule *s) {
    Climbing *x = user;
    int64_t most[MAX_GROUP_AXES];
    if (!is_new(x, s) || !fits(x->c, s, most)) return true;
    if (x->c->left <= 0) return false;
    x->c->left -= 1 + x->npoints / POINTS;
    const double score = score_of(x->c, s);
    if (!(score < x->score - GAIN)) return true;
    x->score = score;
    x->moved = true;
    schedule_copy(&x->best, s);
    memcpy(x->most, most, sizeof *most * (size_t)s->naxes);
    return false;
}

bool climb(Climb *c, Schedule *s, int64_t *most) {
    Climbing *x = NEW(c->ctx, Climbing);
    x->c = c;
    x->most = most;
    x->score = score_of(c, s);
    for (int i = 0; i < c->points->n; i++) x->npoints += c->here[i];
    is_new(x, s);
    do {
        x->moved = false;
        moves_from(c->gr, c->machine, s, c->need, false, try_move, x);
        if (x->moved) schedule_copy(s, &x->best);
    } while (x->moved && c->left > 0);
    return x->score < log(c->beat) - TRUST;
}
