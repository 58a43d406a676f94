/* Moves from schedule to schedule: see moves.h. A kind of moves is a row of MOVES. */
#include "moves.h"

enum { WIDEST = 8 /* elements of a vector */, FIRST_NUMBER = 2 /* of a step that is new */ };

typedef struct Moving {
    const Group *gr;
    const Machine *machine;
    const Schedule *from;
    const int64_t *need;
    bool steps;
    MoveTake *take;
    void *user;
    bool enough;
} Moving;

static void put_factor(SAxis *a, int at, Bind bind, int size) {
    if (a->n == MAX_AXIS_FACTORS) return;
    for (int i = a->n++; i > at; i--) a->f[i] = a->f[i - 1];
    a->f[at] = (SFactor){bind, size};
}

static void drop_factor(SAxis *a, int at) {
    a->n--;
    for (int i = at; i < a->n; i++) a->f[i] = a->f[i + 1];
}

/* Blocks and loops stand outside of threads and registers; one thread, or element, of an axis needs no factor. */
static void offer(Moving *m, Schedule *s) {
    for (int a = 0; a < s->naxes; a++)
        for (int i = s->axis[a].n - 1; i >= 0; i--) {
            const SFactor f = s->axis[a].f[i];
            if (f.bind == BIND_VEC && f.size > WIDEST) return;
            const bool may_lack = bind_scope(f.bind) == SCOPE_THREAD || axis_has_grid(&m->gr->axes.at[a]);
            const bool outside = f.bind == BIND_GRID || f.bind == BIND_SERIAL;
            if (f.size == 1 && (f.bind == BIND_CLUSTER || (may_lack && bind_scope(f.bind) >= SCOPE_THREAD)))
                drop_factor(&s->axis[a], i);
            else if (i && outside && bind_scope(s->axis[a].f[i - 1].bind) > SCOPE_LOOP)
                return;
        }
    if (!m->enough) m->enough = !m->take(m->user, s);
}

/* Where a new factor of an axis stands: a vector innermost, registers before it, threads before those. */
static int place_of(const SAxis *a, Bind bind) {
    int at = a->n;
    if (bind != BIND_VEC && at && a->f[at - 1].bind == BIND_VEC) at--;
    if (bind_scope(bind) == SCOPE_THREAD)
        while (at && bind_scope(a->f[at - 1].bind) >= SCOPE_THREAD) at--;
    return at;
}

/* ---- of one factor ---- */

static void move_size(Moving *m, int axis, int at) {
    const SFactor f = m->from->axis[axis].f[at];
    Schedule t = *m->from;
    if (!f.size) return;
    t.axis[axis].f[at].size = f.size * 2;
    offer(m, &t);
    t = *m->from;
    t.axis[axis].f[at].size = f.size / 2;
    if (f.size % 2 == 0) offer(m, &t);
}

static void move_out(Moving *m, int axis, int at) {
    Schedule t = *m->from;
    if (!t.axis[axis].f[at].size) return;
    drop_factor(&t.axis[axis], at);
    offer(m, &t);
}

static void move_inward(Moving *m, int axis, int at) {
    Schedule t = *m->from;
    SFactor *f = t.axis[axis].f;
    if (at + 1 == t.axis[axis].n) return;
    const SFactor outer = f[at];
    f[at] = f[at + 1];
    f[at + 1] = outer;
    offer(m, &t);
}

/* A factor of two goes from one factor to another of the same scope, as lanes of an axis become another's. */
static void move_across(Moving *m, int axis, int at) {
    const Schedule *s = m->from;
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
            offer(m, &u);
        }
        if (there || a == axis) continue;
        put_factor(&t.axis[a], t.axis[a].n - (t.axis[a].n && t.axis[a].f[t.axis[a].n - 1].bind == BIND_VEC), f.bind, 2);
        offer(m, &t);
    }
}

/* What of an axis is a block's and a thread's own, and what its cluster's. */
static bool is_shared_out(Bind b) { return bind_scope(b) >= SCOPE_THREAD || b == BIND_CLUSTER; }

/* A factor of two goes from threads of an axis to its registers or a cluster's blocks, or back. */
static void move_scope(Moving *m, int axis, int at) {
    const SFactor f = m->from->axis[axis].f[at];
    const BindScope scope = bind_scope(f.bind);
    if (f.size < 2 || f.size % 2 || !is_shared_out(f.bind)) return;
    for (int i = 0; i < m->from->axis[axis].n; i++) {
        const SFactor g = m->from->axis[axis].f[i];
        if (!g.size || !is_shared_out(g.bind) || bind_scope(g.bind) == scope) continue;
        Schedule t = *m->from;
        t.axis[axis].f[at].size /= 2;
        t.axis[axis].f[i].size *= 2;
        offer(m, &t);
    }
}

/* ---- of an axis ---- */

static void move_new(Moving *m, int axis, int at) {
    static const Bind NEW_ONES[] = {BIND_WARP, BIND_THREAD, BIND_REG, BIND_VEC};
    if (at) return;
    for (size_t k = 0; k < sizeof NEW_ONES / sizeof *NEW_ONES; k++) {
        Schedule t = *m->from;
        if (schedule_find(&t, axis, NEW_ONES[k])) continue;
        put_factor(&t.axis[axis], place_of(&t.axis[axis], NEW_ONES[k]), NEW_ONES[k], 2);
        offer(m, &t);
    }
}

static void move_peel(Moving *m, int axis, int at) {
    for (int i = 0; i <= m->gr->rows.n && !at; i++) {
        Schedule t = *m->from;
        t.axis[axis].peel = i;
        if (i != m->from->axis[axis].peel) offer(m, &t);
    }
}

/* Elements of an axis that its factors are to hold, where that is known; else 0. */
static int64_t held(const Moving *m, int axis) {
    const GAxis *a = &m->gr->axes.at[axis];
    const int64_t n = m->need && m->need[axis] < INT64_MAX ? m->need[axis] : a->most;
    const SAxis *s = &m->from->axis[axis];
    for (int i = 0; i < s->n; i++)
        if (!s->f[i].size) return 0;
    return n > 0 ? n + schedule_slack(m->gr, s) : 0;
}

/* Of a row that threads hold, as many warps as it takes and no power of two, for other registers of each thread: what
 * lies behind its end has instructions, too. */
static void move_exact(Moving *m, int axis, int at) {
    enum { LITTLE = 32 /* of so many elements one may lie behind the end */ };
    const SAxis *s = &m->from->axis[axis];
    const int64_t n = held(m, axis);
    int warp = -1, reg = -1;
    int64_t all = 1;
    for (int i = 0; i < s->n; i++) {
        if (s->f[i].bind == BIND_WARP) warp = i;
        if (s->f[i].bind == BIND_REG) reg = i;
        all *= s->f[i].size;
    }
    if (at || !n || warp < 0 || reg < 0 || all <= n + n / LITTLE) return;
    const int64_t others = all / s->f[warp].size / s->f[reg].size;
    for (int64_t r = 2 * s->f[reg].size; 2 * r >= s->f[reg].size; r--) {
        const int64_t warps = (n + others * r - 1) / (others * r);
        if (warps > TARGET_MOST_THREADS / TARGET_WARP || others * r * warps > n + n / LITTLE) continue;
        Schedule t = *m->from;
        t.axis[axis].f[warp].size = (int)warps;
        t.axis[axis].f[reg].size = (int)r;
        /* As many blocks as there are registers for, about half of which hold a thread's part of the row. */
        const int64_t had = 2 * s->f[reg].size * s->f[warp].size, now = (s->f[reg].size + r) * warps;
        t.occupancy = (int)(t.occupancy * had / now);
        if (!t.occupancy && m->from->occupancy) t.occupancy = 1;
        if (t.occupancy > TARGET_MOST_SM_BLOCKS) t.occupancy = TARGET_MOST_SM_BLOCKS;
        offer(m, &t);
    }
}

/* Fewer blocks than the axis needs, which then loop. */
static void move_blocks(Moving *m, int axis, int at) {
    const SFactor f = m->from->axis[axis].f[at];
    if (f.bind != BIND_GRID || f.size || schedule_find(m->from, axis, BIND_SERIAL)) return;
    for (int blocks = 1; blocks <= 8; blocks *= 2) {
        Schedule t = *m->from;
        t.axis[axis].f[at].size = (int)m->machine->sms * blocks;
        put_factor(&t.axis[axis], at + 1, BIND_SERIAL, 0);
        offer(m, &t);
    }
}

/* Neighbouring threads differ in this axis. */
static void move_order(Moving *m, int axis, int at) {
    Schedule t = *m->from;
    if (bind_scope(t.axis[axis].f[at].bind) != SCOPE_THREAD || schedule_axis(&t, t.naxes - 1) == axis) return;
    schedule_put_last(&t, axis);
    offer(m, &t);
}

/* ---- of all ---- */

static void move_residency(Moving *m, int axis, int at) {
    static const int RESIDENT[] = {0, 2, 3, 4, 6, 8};
    Schedule t = *m->from;
    if (axis || at) return;
    t.ahead = !t.ahead;
    offer(m, &t);
    t.ahead = m->from->ahead;
    for (size_t i = 0; i < sizeof RESIDENT / sizeof *RESIDENT; i++) {
        t.occupancy = RESIDENT[i];
        if (t.occupancy != m->from->occupancy) offer(m, &t);
    }
}

static void move_number(Moving *m, int step, int by) {
    Schedule t = *m->from;
    const ScheduleStepRow *row = &schedule_step_rows[t.step[step].kind];
    const int number = t.step[step].number + by;
    if (!row->most || number < row->least || number > row->most) return;
    t.step[step].number = (short)number;
    offer(m, &t);
}

/* A step less, a step that goes further or not so far, a step more. Those of a second layout come and go with it. */
static void move_steps(Moving *m, int axis, int at) {
    if (axis || at || !m->steps) return;
    for (int i = 0; i < m->from->nsteps; i++) {
        Schedule t = *m->from;
        schedule_drop_step(&t, i);
        offer(m, &t);
        move_number(m, i, 1);
        move_number(m, i, -1);
    }
    for (int i = 0; i < m->gr->tensors.n && i <= UINT8_MAX; i++)
        for (int k = 0; k < SCHEDULE_RELAY_PLAIN; k++) {
            Schedule t = *m->from;
            const short number = schedule_step_rows[k].most ? FIRST_NUMBER : 0;
            if (schedule_add_step(&t, m->gr, (ScheduleStep){(unsigned char)k, (unsigned char)i, number})) offer(m, &t);
        }
}

/* Each is asked for every factor; those of an axis, or of all, answer at its first. */
static const struct {
    void (*all)(Moving *m, int axis, int at);
} MOVES[] = {
    {move_exact},  {move_across}, {move_size},      {move_scope}, {move_order},  {move_out},
    {move_inward}, {move_new},    {move_residency}, {move_peel},  {move_blocks}, {move_steps},
};

void moves_from(const Group *gr, const Machine *m, const Schedule *from, const int64_t *need, bool steps,
                MoveTake *take, void *user) {
    Moving x = {gr, m, from, need, steps, take, user, false};
    for (size_t k = 0; k < sizeof MOVES / sizeof *MOVES; k++)
        for (int a = 0; a < from->naxes; a++)
            for (int i = 0; i < from->axis[a].n && !x.enough; i++) MOVES[k].all(&x, a, i);
}
