/* Schedules of a case: the chosen ones, those a move away, others by chance; what is predicted of them. */
#include "corpus.h"

#include <string.h>

enum { WALKS = 700, WALK_MOST = 6 /* moves of a walk */, RANDOMS = 200, MOVE_SHARE = 3 /* one in so many */ };

/* ---- text, prediction ---- */

double corpus_predict(const Case *c, const Schedule *s) {
    Ctx *temp = ctx_temp(c->ctx);
    double seconds = 0;
    for (int i = 0; i < c->groups.n; i++)
        seconds += sched_cost(cost_form(c->groups.at[i], temp), &target_machine, &s[i]);
    ctx_temp_end(temp);
    return seconds;
}

void corpus_print(Text *out, const Case *c, const Schedule *s) {
    for (int i = 0; i < c->groups.n; i++) {
        if (i) text_put(out, " | ");
        schedule_print(out, c->groups.at[i], &s[i]);
    }
}

bool corpus_read(const Case *c, const char *text, Schedule *s, Text *why) {
    for (int i = 0; i < c->groups.n; i++) {
        const char *bar = strstr(text, " | ");
        size_t n = bar ? (size_t)(bar - text) : strlen(text);
        const Group *gr = c->groups.at[i];
        if ((i + 1 < c->groups.n) != (bar != NULL)) return text_fail(why, "as many schedules as groups");
        if (!schedule_read(sym_n(c->ctx, text, n), gr, &s[i], why) || !schedule_legal(gr, &s[i], why)) return false;
        text += n + (bar ? 3 : 0);
    }
    return true;
}

static bool equal(const Case *c, const Schedule *a, const Schedule *b) {
    for (int i = 0; i < c->groups.n; i++)
        if (!schedule_equal(&a[i], &b[i])) return false;
    return true;
}

static Schedule *copy(const Case *c, const Schedule *s) {
    Schedule *r = NEW_RAW(c->ctx, Schedule, c->groups.n);
    memcpy(r, s, sizeof *s * (size_t)c->groups.n);
    return r;
}

static bool add(const Case *c, Samples *out, const Schedule *s, const char *origin) {
    for (int i = 0; i < out->n; i++)
        if (equal(c, out->at[i].s, s)) return false;
    Sample x = {copy(c, s), origin, corpus_predict(c, s)};
    vec_push(c->ctx, out, x);
    return true;
}

/* ---- moves ---- */

/* Called with each schedule that is one move away, legal or not. */
typedef struct Moves {
    const Case *c;
    const Schedule *from;
    int group;
    Samples *out;
} Moves;

/* What a kernel's verifier asks beside: blocks and loops outside of threads and registers, and that the blocks that are
 * to be resident together fit. */
static bool fits(const Schedule *s) {
    int64_t threads = 1;
    for (int a = 0; a < s->naxes; a++)
        for (int i = 0; i < s->axis[a].n; i++) {
            BindScope scope = bind_scope(s->axis[a].f[i].bind);
            if (i && scope <= SCOPE_LOOP && bind_scope(s->axis[a].f[i - 1].bind) > SCOPE_LOOP) return false;
            if (scope == SCOPE_THREAD) threads *= s->axis[a].f[i].size;
        }
    return threads * s->occupancy <= target_machine.threads_per_sm;
}

static void take(Moves *m, const Schedule *changed) {
    const Group *gr = m->c->groups.at[m->group];
    if (!schedule_legal(gr, changed, NULL) || !fits(changed)) return;
    Schedule *all = copy(m->c, m->from);
    all[m->group] = *changed;
    add(m->c, m->out, all, "move");
}

static void put_factor(SAxis *a, int at, Bind bind, int64_t size) {
    if (a->n == MAX_AXIS_FACTORS) return;
    for (int i = a->n++; i > at; i--) a->f[i] = a->f[i - 1];
    a->f[at] = (SFactor){bind, size};
}

static void drop_factor(SAxis *a, int at) {
    a->n--;
    for (int i = at; i < a->n; i++) a->f[i] = a->f[i + 1];
}

/* A factor twice or half as large, exchanged with the next, or without one that does nothing. */
static void move_factor(Moves *m, int axis, int at) {
    const Schedule *s = &m->from[m->group];
    const SFactor f = s->axis[axis].f[at];
    Schedule t = *s;
    if (f.size) {
        t.axis[axis].f[at].size = f.size * 2;
        take(m, &t);
        t.axis[axis].f[at].size = f.size / 2;
        if (f.size % 2 == 0) take(m, &t);
        t = *s;
        drop_factor(&t.axis[axis], at);
        take(m, &t);
    }
    if (at + 1 < s->axis[axis].n) {
        t = *s;
        t.axis[axis].f[at] = s->axis[axis].f[at + 1];
        t.axis[axis].f[at + 1] = f;
        take(m, &t);
    }
}

/* A factor of two goes from one factor to another of the same scope, as lanes of an axis become another's. */
static void move_across(Moves *m, int axis, int at) {
    const Schedule *s = &m->from[m->group];
    const SFactor f = s->axis[axis].f[at];
    if (f.size < 2 || f.size % 2) return;
    for (int a = 0; a < s->naxes; a++) {
        bool there = false;
        Schedule t = *s;
        t.axis[axis].f[at].size /= 2;
        for (int i = 0; i < s->axis[a].n; i++) {
            const SFactor g = s->axis[a].f[i];
            if (bind_scope(g.bind) != bind_scope(f.bind) || !g.size || (a == axis && i == at)) continue;
            there |= g.bind == f.bind;
            Schedule u = t;
            u.axis[a].f[i].size *= 2;
            take(m, &u);
        }
        int end = t.axis[a].n;
        if (end && t.axis[a].f[end - 1].bind == BIND_VEC) end--;
        if (there || a == axis) continue;
        put_factor(&t.axis[a], end, f.bind, 2);
        take(m, &t);
    }
}

/* A factor of two more that an axis has not; fewer blocks than the axis needs, which then loop. */
static void move_axis(Moves *m, int axis) {
    static const Bind NEW_ONES[] = {BIND_WARP, BIND_THREAD, BIND_REG, BIND_VEC};
    const Schedule *s = &m->from[m->group];
    for (size_t k = 0; k < sizeof NEW_ONES / sizeof *NEW_ONES; k++) {
        Schedule t = *s;
        SAxis *a = &t.axis[axis];
        int at = a->n;
        if (schedule_find(s, axis, NEW_ONES[k])) continue;
        if (NEW_ONES[k] != BIND_VEC && at && a->f[at - 1].bind == BIND_VEC) at--;
        if (NEW_ONES[k] != BIND_VEC && NEW_ONES[k] != BIND_REG)
            while (at && bind_scope(a->f[at - 1].bind) >= SCOPE_THREAD) at--;
        put_factor(a, at, NEW_ONES[k], 2);
        take(m, &t);
    }
    for (int64_t blocks = 1; blocks <= 8; blocks *= 2)
        for (int i = 0; i < s->axis[axis].n; i++) {
            Schedule t = *s;
            if (schedule_find(s, axis, BIND_SERIAL) || s->axis[axis].f[i].bind != BIND_GRID || s->axis[axis].f[i].size)
                continue;
            t.axis[axis].f[i].size = target_machine.sms * blocks;
            put_factor(&t.axis[axis], i + 1, BIND_SERIAL, 0);
            take(m, &t);
        }
}

void corpus_moves(const Case *c, const Schedule *from, Samples *out) {
    static const int RESIDENT[] = {0, 2, 4, 8};
    for (int g = 0; g < c->groups.n; g++) {
        Moves m = {c, from, g, out};
        Schedule t = from[g];
        for (int a = 0; a < t.naxes; a++) {
            move_axis(&m, a);
            for (int i = 0; i < t.axis[a].n; i++) move_factor(&m, a, i), move_across(&m, a, i);
        }
        t.ahead = !t.ahead;
        take(&m, &t);
        t.ahead = from[g].ahead;
        for (size_t i = 0; i < sizeof RESIDENT / sizeof *RESIDENT; i++) t.occupancy = RESIDENT[i], take(&m, &t);
    }
}

/* ---- a sample ---- */

static int draw(uint64_t *state, int n) { return (int)(random_next(state) % (uint64_t)n); }

static void shuffle(uint64_t *state, Samples *x) {
    for (int i = x->n - 1; i > 0; i--) {
        int j = draw(state, i + 1);
        Sample t = x->at[i];
        x->at[i] = x->at[j];
        x->at[j] = t;
    }
}

/* Some moves from one of those that are there, and schedules by chance. */
static void fill_pool(const Case *c, uint64_t *state, const Samples *starts, Samples *pool) {
    for (int w = 0; w < WALKS; w++) {
        const Schedule *at = starts->at[draw(state, starts->n)].s;
        for (int i = 1 + draw(state, WALK_MOST); i > 0; i--) {
            Samples next = {0};
            Case some = *c;
            corpus_moves(&some, at, &next);
            if (!next.n) break;
            at = next.at[draw(state, next.n)].s;
        }
        add(c, pool, at, "near");
    }
    for (int i = 0; i < RANDOMS; i++) {
        Schedule *s = NEW_N(c->ctx, Schedule, c->groups.n);
        for (int g = 0; g < c->groups.n; g++) schedule_random(c->groups.at[g], state, &s[g]);
        add(c, pool, s, "random");
    }
}

/* How far above the chosen one a prediction is: 0 is the best, the last one beyond all bounds. */
static int stratum(double ratio) {
    static const double BOUNDS[] = {1.05, 1.15, 1.3, 1.5, 1.8, 2.2, 3, 5};
    int n = sizeof BOUNDS / sizeof *BOUNDS, i = 0;
    while (i < n && ratio > BOUNDS[i]) i++;
    return i;
}

void corpus_draw(const Case *c, uint64_t seed, int most, Samples *out) {
    Samples moves = {0}, pool = {0};
    SchedMemo memo = {0};
    uint64_t state = seed;
    Schedule *chosen = NEW_N(c->ctx, Schedule, c->groups.n);
    for (int g = 0; g < c->groups.n; g++) {
        if (sched_in_place(c->groups.at[g]))
            schedule_fallback(c->groups.at[g], &chosen[g]);
        else
            sched_choose(&memo, c->groups.at[g], (Targets){0}, &chosen[g]);
    }
    add(c, out, chosen, "chosen");
    corpus_moves(c, chosen, &moves);
    shuffle(&state, &moves);
    fill_pool(c, &state, out, &pool);
    shuffle(&state, &pool);
    for (int i = 0; i < moves.n && out->n < 1 + most / MOVE_SHARE; i++) add(c, out, moves.at[i].s, "move");
    /* Turn by turn one of each stratum; the last one, of what is far off, gets few. */
    for (int round = 0, before = -1; out->n < most && before != out->n; round++) {
        before = out->n;
        for (int k = 0; k < 9 && out->n < most; k++) {
            if (k == 8 && round >= 2) continue;
            for (int i = 0; i < pool.n; i++) {
                if (stratum(pool.at[i].predicted / out->at[0].predicted) != k) continue;
                if (add(c, out, pool.at[i].s, pool.at[i].origin)) break;
            }
        }
    }
}

/* Those of the case's fastest kernels that a schedule made, as samples. */
static void best_known(const Case *c, const StoredCase *known, int most, Samples *out) {
    for (int i = 0; i < known->kernels.n && out->n < most; i++) { /* they are in the order of their times */
        Schedule *s = NEW_N(c->ctx, Schedule, c->groups.n + 1);
        const Stored *k = &known->kernels.at[i];
        if (!corpus_by_hand(k) && corpus_read(c, corpus_unpack(c, k->packed), s, NULL)) add(c, out, s, "best");
    }
}

void corpus_draw_more(const Case *c, const StoredCase *known, uint64_t seed, int most, Samples *out) {
    enum { BEST = 3 };
    uint64_t state = seed;
    Samples moves[BEST] = {{0}};
    best_known(c, known, BEST, out);
    int n = out->n;
    for (int i = 0; i < n; i++) corpus_moves(c, out->at[i].s, &moves[i]), shuffle(&state, &moves[i]);
    for (int at = 0, left = n; left && out->n < most; at++) /* of each in turns */
        for (int i = left = 0; i < n; i++) {
            if (at >= moves[i].n) continue;
            left++;
            if (out->n < most) add(c, out, moves[i].at[at].s, "move");
        }
}
