/* Schedules of a case: the chosen ones, those a move away, others by chance; what is predicted of them. */
#include "corpus.h"

#include "sched/search/moves.h"

#include <math.h>
#include <string.h>

enum { WALKS = 700, WALK_MOST = 6 /* moves of a walk */, RANDOMS = 200, MOVE_SHARE = 3 /* one in so many */ };
enum {
    FASTEST = 3 /* from which moves start */,
    SPARE = 2 /* samples for each of which a kernel is wanted: some are equal */
};

/* ---- text, prediction ---- */

double corpus_predict(const Case *c, const Schedule *s) {
    double seconds = 0;
    for (int i = 0; i < c->groups.n; i++)
        seconds += sched_cost(c->forms.at[i], &machine_h200, &s[i]) + sched_cost_launch(&machine_h200);
    return seconds;
}

double corpus_judge(const Case *c, const Program *p) {
    Ctx *temp = ctx_temp(c->ctx);
    Features **f = NEW_N(temp, Features *, p->kernels.n + 1);
    bool known = true;
    for (int i = 0; i < p->kernels.n && known; i++) known = (f[i] = features_of(p, p->kernels.at[i], temp))->known;
    double seconds = known ? judge_all_seconds(f, p->kernels.n, &machine_h200, c->dims) : INFINITY;
    ctx_temp_end(temp);
    return seconds;
}

void corpus_print(Text *out, const Case *c, const Schedule *s) {
    for (int i = 0; i < c->groups.n; i++) {
        if (i) text_put(out, " | ");
        schedule_print(out, c->groups.at[i], &s[i]);
    }
}

static bool read_as(const Case *c, const char *text, Schedule *s) {
    for (int i = 0; i < c->groups.n; i++) {
        const char *bar = strstr(text, " | ");
        size_t n = bar ? (size_t)(bar - text) : strlen(text);
        const Group *gr = c->groups.at[i];
        if ((i + 1 < c->groups.n) != (bar != NULL)) return false;
        if (!schedule_read(sym_n(c->ctx, text, n), gr, &s[i], NULL) || !corpus_legal(c, i, &s[i])) return false;
        text += n + (bar ? 3 : 0);
    }
    return true;
}

const Case *corpus_read(const Case *c, const char *packed, Schedule **s) {
    for (; c; c = c->other) {
        *s = NEW_N(c->ctx, Schedule, c->groups.n + 1);
        if (read_as(c, corpus_unpack(c, packed), *s)) return c;
    }
    return NULL;
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
        if (out->at[i].c == c && equal(c, out->at[i].s, s)) return false;
    Sample x = {c, copy(c, s), origin, corpus_predict(c, s)};
    vec_push(c->ctx, out, x);
    return true;
}

/* ---- moves ---- */

/* Of one group of a case. */
typedef struct Moves {
    const Case *c;
    const Schedule *from;
    int group;
    Samples *out;
} Moves;

static bool take(void *user, const Schedule *changed) {
    Moves *m = user;
    if (!corpus_legal(m->c, m->group, changed)) return true;
    Schedule *all = copy(m->c, m->from);
    all[m->group] = *changed;
    add(m->c, m->out, all, "move");
    return true;
}

void corpus_moves(const Case *c, const Schedule *from, Samples *out) {
    for (int g = 0; g < c->groups.n; g++) {
        Moves m = {c, from, g, out};
        moves_from(c->groups.at[g], &machine_h200, &from[g], NULL, false, take, &m);
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
        const Sample *from = &starts->at[draw(state, starts->n)];
        const Schedule *at = from->s;
        for (int i = 1 + draw(state, WALK_MOST); i > 0; i--) {
            Samples next = {0};
            corpus_moves(from->c, at, &next);
            if (!next.n) break;
            at = next.at[draw(state, next.n)].s;
        }
        add(from->c, pool, at, "near");
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

/* What is predicted to be best at the sizes alone, where the chosen one is for others, too. */
static void add_best(const Case *c, Samples *out) {
    enum { BEST = 6 };
    Version v[BEST];
    double seconds[BEST];
    Group whole = *c->groups.at[0];
    if (!c->unsaid || c->groups.n > 1 || sched_in_place(&whole)) return;
    whole.divisions.n = 0;
    for (int i = 0, n = versions_best(&whole, (Targets){0}, &machine_h200, c->dims, BEST, v, seconds); i < n; i++)
        add(c, out, v[i].schedule[0], "near");
}

void corpus_draw(const Case *c, uint64_t seed, int kernels, Samples *out) {
    const int most = SPARE * kernels;
    Samples moves = {0}, pool = {0};
    uint64_t state = seed;
    for (const Case *x = c; x; x = x->other) add(x, out, corpus_chosen(x), x == c ? "chosen" : "move");
    for (const Case *x = c; x; x = x->other) add_best(x, out);
    corpus_moves(c, corpus_chosen(c), &moves);
    shuffle(&state, &moves);
    fill_pool(c, &state, out, &pool);
    shuffle(&state, &pool);
    for (int i = 0; i < moves.n && out->n < 1 + most / MOVE_SHARE; i++) add(moves.at[i].c, out, moves.at[i].s, "move");
    /* Turn by turn one of each stratum; the last one, of what is far off, gets few. */
    for (int round = 0, before = -1; out->n < most && before != out->n; round++) {
        before = out->n;
        for (int k = 0; k < 9 && out->n < most; k++) {
            if (k == 8 && round >= 2) continue;
            for (int i = 0; i < pool.n; i++) {
                if (stratum(pool.at[i].predicted / out->at[0].predicted) != k) continue;
                if (add(pool.at[i].c, out, pool.at[i].s, pool.at[i].origin)) break;
            }
        }
    }
}

/* Of the stored kernels that a schedule made the fastest, then others evenly by time; they are in the order of it. */
static void add_stored(const Case *c, const StoredCase *known, int most, Samples *out) {
    const int n = known->kernels.n, first = most / 2 < n ? most / 2 : n,
              rest = most - first < n - first ? most - first : n - first;
    for (int i = 0; i < first + rest; i++) {
        const Stored *k = &known->kernels.at[i < first ? i : first + (int)((int64_t)(i - first) * (n - first) / rest)];
        Schedule *s;
        const Case *of = corpus_by_hand(k) ? NULL : corpus_read(c, k->packed, &s);
        if (of) add(of, out, s, i < FASTEST ? "best" : "again");
    }
}

void corpus_draw_more(const Case *c, const StoredCase *known, uint64_t seed, int most, Samples *out) {
    uint64_t state = seed;
    Samples moves[FASTEST] = {{0}};
    for (const Case *x = c; x; x = x->other) add(x, out, corpus_chosen(x), x == c ? "chosen" : "move");
    const int from = out->n;
    add_stored(c, known, 3 * most / 4, out);
    int n = out->n - from < FASTEST ? out->n - from : FASTEST;
    for (int i = 0; i < n; i++)
        corpus_moves(out->at[from + i].c, out->at[from + i].s, &moves[i]), shuffle(&state, &moves[i]);
    for (int at = 0, left = n; left && out->n < SPARE * most; at++) /* of each in turns */
        for (int i = left = 0; i < n; i++) {
            if (at >= moves[i].n) continue;
            left++;
            const Sample *x = &moves[i].at[at];
            if (out->n < SPARE * most) add(x->c, out, x->s, "move");
        }
}
