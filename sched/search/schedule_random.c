/* Random legal schedules, for tests: every binding on every axis that may have it, in any order that is legal. */
#include "schedule.h"

static int draw(uint64_t *state, int n) { return (int)(random_next(state) % (uint64_t)n); }

/* A number written as a product over the axes. */
static void spread(uint64_t *state, const Group *gr, int64_t n, int64_t *share) {
    for (int a = 0; a < gr->axes.n; a++) share[a] = 1;
    for (int64_t p = 2; n > 1; p++)
        for (; n % p == 0; n /= p) share[draw(state, gr->axes.n)] *= p;
}

static void shuffle(uint64_t *state, SFactor *f, int n) {
    for (int i = n - 1; i > 0; i--) {
        int j = draw(state, i + 1);
        SFactor t = f[i];
        f[i] = f[j];
        f[j] = t;
    }
}

static void random_axis(const Group *gr, uint64_t *state, Schedule *s, int a, int cluster, const SFactor *threads,
                        int nthreads) {
    static const int SIZES[] = {1, 2, 2, 3, 4, 4, 8};
    const GAxis *x = &gr->axes.at[a];
    SFactor inner[MAX_AXIS_FACTORS], vec = {BIND_VEC, 0};
    int n = 0, form = draw(state, 8);
    for (int i = 0; i < nthreads; i++) inner[n++] = threads[i];
    if (draw(state, 2)) inner[n++] = (SFactor){BIND_REG, SIZES[draw(state, 7)]};
    if (draw(state, 8) == 0) inner[n++] = (SFactor){BIND_REG, 2};
    if (draw(state, 2)) vec.size = SIZES[draw(state, 7)];
    if (a == gr->split) schedule_factor(s, a, BIND_GRID, gr->parts);
    bool serial = form < 5, grid = axis_has_grid(x) && (form == 0 || form >= 3 || form == 1);
    if (gr->across >> a & 1)
        serial = grid = false;
    else if (!serial && !grid)
        serial = x->extent < 0 || x->extent > 64;
    if (!serial && !grid) { /* all of it in threads and registers */
        int64_t have = (vec.size ? vec.size : 1) * cluster;
        for (int i = 0; i < n; i++) have *= inner[i].size;
        int64_t more = (x->most + have - 1) / have;
        if (more > 1) inner[n++] = (SFactor){BIND_REG, more < INT32_MAX ? (int)more : INT32_MAX};
    }
    if (serial && (x->folded || x->scanned) && !vec.size) vec.size = 1;
    const int at = draw(state, 4); /* the cluster stands outside, between loops, or anywhere */
    if (cluster > 1 && at > 1) inner[n++] = (SFactor){BIND_CLUSTER, cluster};
    shuffle(state, inner, n);
    SFactor outer[2] = {{BIND_SERIAL, 0}, {BIND_GRID, 0}};
    if (group_into(gr) >> a & 1) { /* blocks have ranges of stated sizes */
        serial = grid = true;
        outer[0] = (SFactor){BIND_GRID, 0};
        outer[1] = (SFactor){BIND_SERIAL, 1 + draw(state, 5)};
    } else if (serial && grid) { /* one of them has a size */
        outer[draw(state, 2)].size = 1 + draw(state, 5);
        if (draw(state, 2)) shuffle(state, outer, 2);
    }
    for (int i = 0; i < 2; i++) {
        if (cluster > 1 && i == at) schedule_factor(s, a, BIND_CLUSTER, cluster);
        if (outer[i].bind == BIND_SERIAL ? serial : grid) schedule_factor(s, a, outer[i].bind, outer[i].size);
    }
    for (int i = 0; i < n; i++) schedule_factor(s, a, inner[i].bind, inner[i].size);
    if (vec.size) schedule_factor(s, a, vec.bind, vec.size);
}

/* Of what scatters: the threads that go along what is folded are those that go along the places afterwards. Warps that
 * have one row fold it where no order shows. */
static void meet_places(const Group *gr, int64_t *lanes, int64_t *warps) {
    const AxisSet into = group_into(gr), over = group_scattered(gr);
    AxisSet rows = ~(AxisSet)0;
    int places = 0, folded = 0;
    for (int i = 0; i < gr->steps.n; i++) {
        const GStep *p = &gr->steps.at[i];
        if (!monoid_updates(p->monoid->kind, p->node->type, &gr->graph->options)) rows &= step_around(p);
    }
    while (!(into >> places & 1)) places++;
    while (!(over >> folded & 1)) folded++;
    lanes[folded] *= lanes[places];
    warps[folded] *= warps[places];
    lanes[places] = warps[places] = 1;
    for (int a = 0; a < gr->axes.n; a++) {
        if (!(rows >> a & 1)) warps[a] = 1;
        if (!(over >> a & 1)) continue;
        lanes[places] *= lanes[a];
        warps[places] *= warps[a];
    }
}

static void random_any(const Group *gr, uint64_t *state, Schedule *s) {
    static const int WARPS[] = {1, 1, 2, 3, 4, 8}, THREADS[] = {1, 2, 6, 16, 32, 48, 64, 128};
    int64_t lanes[MAX_GROUP_AXES], warps[MAX_GROUP_AXES];
    bool plain = draw(state, 4) == 0;
    const int shared = draw(state, 3) ? -1 : draw(state, gr->axes.n + 1); /* the axis of a cluster's blocks */
    *s = (Schedule){.naxes = gr->axes.n};
    if (gr->axes.n == 0) return;
    spread(state, gr, plain ? 1 : 32, lanes);
    spread(state, gr, plain ? THREADS[draw(state, 8)] : WARPS[draw(state, 6)], warps);
    if (group_into(gr)) meet_places(gr, lanes, warps);
    for (int a = 0; a < gr->axes.n; a++) {
        SFactor t[2];
        int n = 0;
        if (warps[a] > 1) t[n++] = (SFactor){plain ? BIND_THREAD : BIND_WARP, (int)warps[a]};
        if (lanes[a] > 1) t[n++] = (SFactor){BIND_LANE, (int)lanes[a]};
        random_axis(gr, state, s, a, a == shared && gr->axes.at[a].folded ? 2 << draw(state, 3) : 1, t, n);
    }
    if (gr->rows.n && draw(state, 4) == 0) {
        const int r = draw(state, gr->rows.n);
        s->axis[gr->rows.at[r].axis].peel = r + 1;
    }
    s->ahead = draw(state, 3) == 0;
    s->again = draw(state, 3) == 0;
    for (int moved = draw(state, 4) ? 0 : draw(state, gr->axes.n); moved > 0; moved--)
        schedule_put_last(s, draw(state, gr->axes.n));
}

void schedule_random(const Group *gr, uint64_t *state, Schedule *s) {
    for (int tries = 0; tries < 200; tries++) {
        random_any(gr, state, s);
        if (schedule_legal(gr, s, NULL)) return;
    }
    schedule_fallback(gr, s);
}
