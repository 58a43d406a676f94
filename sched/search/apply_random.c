/* Random steps of schedules, for tests: see sched_random_steps. A draw is kept where it is legal. */
#include "apply.h"

enum { TRIES = 6, LARGEST = 4 /* number of a step */ };

static int draw(uint64_t *state, int n) { return (int)(random_next(state) % (uint64_t)n); }

/* Takes what was drawn where it is legal. */
static bool try_it(Group *gr, Schedule *s, const Schedule *drawn) {
    int64_t most[MAX_GROUP_AXES];
    if (!sched_legal(gr, drawn, NULL, most, NULL)) return false;
    schedule_copy(s, drawn);
    return true;
}

static bool add_any(const Group *gr, uint64_t *state, Schedule *s, ScheduleStepKind kind, int tensor) {
    const ScheduleStepRow *row = &schedule_step_rows[kind];
    const int most = row->most < LARGEST ? row->most : LARGEST;
    ScheduleStep step = {.kind = (unsigned char)kind, .tensor = (unsigned char)tensor};
    step.number = (short)(row->least + (row->most ? draw(state, most - row->least + 1) : 0));
    return schedule_add_step(s, gr, step);
}

/* ---- a second layout ---- */

/* Digits of the tile, each prime by itself, on their way to other threads and registers. */
typedef struct Digits {
    int n, axis[MAX_FACTORS], size[MAX_FACTORS];
} Digits;

static void add_digits(Digits *d, int axis, int size) {
    for (int p = 2; size > 1; p++)
        for (; size % p == 0 && d->n < MAX_FACTORS; size /= p) {
            d->axis[d->n] = axis;
            d->size[d->n++] = p;
        }
}

static void shuffle(Digits *d, uint64_t *state) {
    for (int i = d->n - 1; i > 0; i--) {
        const int j = draw(state, i + 1), axis = d->axis[i], size = d->size[i];
        d->axis[i] = d->axis[j], d->size[i] = d->size[j];
        d->axis[j] = axis, d->size[j] = size;
    }
}

/* The threads of each binding become others of its digits, as many as before; the rest are registers. False: they do
 * not come out. */
static bool deal(const Schedule *s, Digits *d, SAxis *to) {
    static const Bind THREADS[] = {BIND_LANE, BIND_WARP, BIND_THREAD};
    int room[3] = {1, 1, 1};
    for (int a = 0; a < s->naxes; a++)
        for (int i = 0; i < s->axis[a].n; i++)
            for (int b = 0; b < 3; b++)
                if (s->axis[a].f[i].bind == THREADS[b]) room[b] *= s->axis[a].f[i].size;
    for (int i = 0; i < d->n; i++) {
        SAxis *a = &to[d->axis[i]];
        int b = 0;
        while (b < 3 && room[b] % d->size[i]) b++;
        if (b < 3) room[b] /= d->size[i];
        const Bind bind = b < 3 ? THREADS[b] : BIND_REG;
        if (a->n && a->f[a->n - 1].bind == bind)
            a->f[a->n - 1].size *= d->size[i];
        else if (a->n == MAX_AXIS_FACTORS)
            return false;
        else
            a->f[a->n++] = (SFactor){bind, d->size[i]};
    }
    return room[0] == 1 && room[1] == 1 && room[2] == 1;
}

/* Makes the innermost registers of an axis a vector, sometimes. */
static void end_by_vector(uint64_t *state, SAxis *a) {
    if (a->n && a->f[a->n - 1].bind == BIND_REG && draw(state, 2)) a->f[a->n - 1].bind = BIND_VEC;
}

static bool draw_layout(uint64_t *state, Schedule *s) {
    SAxis to[MAX_GROUP_AXES] = {0};
    Digits d = {0};
    for (int a = 0; a < s->naxes; a++)
        for (int i = 0; i < s->axis[a].n; i++)
            if (bind_scope(s->axis[a].f[i].bind) >= SCOPE_THREAD) add_digits(&d, a, s->axis[a].f[i].size);
    shuffle(&d, state);
    if (!deal(s, &d, to)) return false;
    for (int a = 0; a < s->naxes; a++) {
        if (!to[a].n) continue;
        if (s->nother == MAX_OTHER_AXES) return false;
        end_by_vector(state, &to[a]);
        s->other[(int)s->nother] = (signed char)a;
        s->axis[s->naxes + s->nother++] = to[a];
    }
    return s->nother > 0;
}

static void draw_other(Group *gr, uint64_t *state, Schedule *s) {
    static const ScheduleStepKind RELAYS[] = {SCHEDULE_RELAY_PLAIN, SCHEDULE_RELAY_SWIZZLE, SCHEDULE_RELAY_PAD};
    Schedule t = {0};
    schedule_copy(&t, s);
    if (!draw_layout(state, &t)) return;
    for (int i = 0; i < gr->tensors.n; i++) {
        if (gr->tensors.at[i].stored && (!schedule_has_step(&t, SCHEDULE_OTHER) || draw(state, 2)))
            add_any(gr, state, &t, SCHEDULE_OTHER, i);
        if (gr->tensors.at[i].loaded && draw(state, 2)) add_any(gr, state, &t, RELAYS[draw(state, 3)], i);
    }
    if (schedule_has_step(&t, SCHEDULE_OTHER)) try_it(gr, s, &t);
}

/* ---- all ---- */

void sched_random_steps(Group *gr, uint64_t *state, Schedule *s) {
    const int n = gr->tensors.n < UINT8_MAX ? gr->tensors.n : UINT8_MAX;
    if (!n || draw(state, 3) == 0) return;
    for (int i = 0; i < TRIES && !s->nother && draw(state, 2); i++) draw_other(gr, state, s);
    for (int i = 0; i < TRIES; i++) {
        Schedule t = {0};
        const ScheduleStepKind kind = (ScheduleStepKind)draw(state, SCHEDULE_STEP_COUNT);
        schedule_copy(&t, s);
        if (kind != SCHEDULE_OTHER && add_any(gr, state, &t, kind, draw(state, n))) try_it(gr, s, &t);
    }
}
