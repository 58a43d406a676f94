/* Rows of a length that is not known lie in the registers of a block, each warp having as many neighbouring elements
 * as any other. Since a launch leaves out the warps that would have none, one schedule is as good for rows of one
 * warp as for those of all, and few are needed: they differ in what a thread holds and in how many warps there may
 * be. Short rows lie in the lanes of a warp, of which a launch gives a row as many as it needs: there the schedules
 * differ in what a lane has of a row, and in how many rows it has. */
#include "settle.h"

#include "sched/machine/target.h"

enum {
    WIDEST = 8,         /* elements of a vector */
    BESIDE = 24,        /* registers of a thread beside its part of the row, as it was loaded */
    REGISTERS = 1 << 16 /* of a multiprocessor, of all targets */
};

/* Bytes of an element of the narrowest and of the widest tensor whose rows lie along the axis. */
static void find_bytes(const CostForm *form, int axis, int64_t *narrow, int64_t *wide) {
    *narrow = TARGET_ACCESS;
    *wide = 1;
    for (int i = 0; i < form->accesses.n; i++) {
        const CostAccess *c = &form->accesses.at[i];
        if (c->moves[axis] != MOVE_BY_ONE) continue;
        if (c->bytes < *narrow) *narrow = c->bytes;
        if (c->load && c->bytes > *wide) *wide = c->bytes;
    }
}

/* The one axis that is folded; -1: it is another kind of group. */
static int row_axis(const Group *gr) {
    int row = -1;
    if (!gr->steps.n || gr->across || gr->split >= 0) return -1;
    for (int a = 0; a < gr->axes.n; a++) {
        const GAxis *x = &gr->axes.at[a];
        if (axis_has_grid(x)) continue;
        if (row >= 0 || x->extent >= 0 || x->scanned || x->ordered || !x->contiguous) return -1;
        row = a;
    }
    return row;
}

/* What threads have of rows. */
typedef struct Held {
    int64_t warps, regs, vec;
    int64_t blocks; /* of a cluster, which share a row: each warp of it has as much of the row as any other */
    int peel;
    int last;     /* the axis in which neighbouring blocks differ, or -1 */
    int beside;   /* the axis of the other rows that a thread has, */
    int64_t rows; /* and how many it has */
} Held;

/* A block has a row by itself. */
static Held held(int64_t warps, int64_t regs, int64_t vec) {
    return (Held){.warps = warps, .regs = regs, .vec = vec, .blocks = 1, .last = -1, .beside = -1, .rows = 1};
}

static void build(const Group *gr, int row, const Held *h, Schedule *s) {
    schedule_clear(s, gr->axes.n);
    for (int a = 0; a < gr->axes.n; a++) {
        if (a != row) {
            schedule_factor(s, a, BIND_GRID, 0);
            if (a == h->beside && h->rows > 1) schedule_factor(s, a, BIND_REG, h->rows);
            continue;
        }
        schedule_factor(s, a, BIND_WARP, h->warps);
        if (h->blocks > 1) schedule_factor(s, a, BIND_CLUSTER, h->blocks);
        schedule_factor(s, a, BIND_REG, h->regs);
        schedule_factor(s, a, BIND_LANE, TARGET_WARP);
        if (h->vec > 1) schedule_factor(s, a, BIND_VEC, h->vec);
    }
    s->axis[row].peel = h->peel;
    if (h->last >= 0) schedule_put_last(s, h->last);
}

/* Of whole blocks, for the compiler, which takes what registers it may: of rows that need few warps, as many more
 * blocks fit as each thread has fewer. 0: one. */
static int most_blocks(int64_t words, int64_t threads, const SchedLimits *limits) {
    int64_t blocks = REGISTERS / (words * threads);
    if (blocks * threads > limits->sm_threads) blocks = limits->sm_threads / threads;
    return blocks > 1 ? (int)blocks : 0;
}

typedef struct Settling {
    const Group *gr;
    const SchedLimits *limits;
    int row;
    int64_t wide; /* bytes of an element of the widest tensor */
    SettleTake *take;
    void *user;
} Settling;

void settle_hand(const Group *gr, const SchedLimits *limits, const Schedule *s, SettleTake *take, void *user) {
    int64_t most[MAX_GROUP_AXES];
    for (int a = 0; a < gr->axes.n; a++) most[a] = schedule_covers(gr, s, a);
    if (!schedule_legal_within(gr, s, most, NULL) || !schedule_fits(gr, s, limits)) return;
    if (schedule_whole_warps(gr, s)) take(user, s, most);
}

static void hand_over(const Settling *x, const Schedule *s) { settle_hand(x->gr, x->limits, s, x->take, x->user); }

/* A row of each warp, or of each of a warp's registers, that differ in the axis `along`. */
typedef struct Beside {
    int64_t rows, warps; /* a thread's, and a block's warps */
    int64_t regs, vec;   /* what a lane has of a row */
} Beside;

static void each_beside(const Settling *x, const Beside *p, int along) {
    Schedule s;
    schedule_clear(&s, x->gr->axes.n);
    for (int a = 0; a < x->gr->axes.n; a++) {
        if (a != x->row) schedule_factor(&s, a, BIND_GRID, 0);
        if (a == along && p->rows > 1) schedule_factor(&s, a, BIND_REG, p->rows);
        if (a == along) schedule_factor(&s, a, BIND_WARP, p->warps);
        if (a != x->row) continue;
        if (p->regs > 1) schedule_factor(&s, a, BIND_REG, p->regs);
        schedule_factor(&s, a, BIND_LANE, TARGET_WARP);
        if (p->vec > 1) schedule_factor(&s, a, BIND_VEC, p->vec);
    }
    hand_over(x, &s);
}

/* Whole vectors for rows of multiples of them, pairs and single elements for others, which cost as much to find as to
 * use: so a thread has several rows at the same place. Two and four vectors a lane are for rows of a few
 * hundred elements. */
static void each_of_lanes(const Settling *x, int64_t vec, int along) {
    const Beside kinds[] = {{1, 8, 1, vec}, {2, 4, 1, vec}, {4, 4, 1, vec / 2}, {4, 4, 1, 2},
                            {8, 4, 1, 1},   {2, 4, 2, vec}, {1, 8, 4, vec}};
    for (int i = 0; i < (int)(sizeof kinds / sizeof *kinds); i++)
        if (kinds[i].vec) each_beside(x, &kinds[i], along);
}

/* A table that is the same along an axis is read from the first cache by warps of a block whose rows differ in that
 * axis, and by neighbouring blocks from the second one. */
static void each_of_table(const Settling *x, int64_t vec, int along) {
    each_of_lanes(x, vec, along);
    for (int64_t regs = 2; regs <= 4; regs *= 2) each_beside(x, &(Beside){1, 8, regs, vec}, along);
}

/* Vectors for rows of multiples of them, and peeled ones; single elements for rows that begin anywhere and have other
 * tensors beside them that do not: those ask for nothing but the row's end (layer norm of 2049 bf16 elements: 1.46 of a
 * copy on an H200, and 1.95 to 2.4 by vectors across pieces). Neighbouring blocks differ in the axis `last`, if there
 * is one: in that along which a table is the same, which they read from the caches then. */
static void propose(const Settling *x, Held h) {
    const GRow *r = h.peel ? &x->gr->rows.at[h.peel - 1] : NULL;
    const int64_t words = h.rows * h.regs * h.vec * x->wide / TARGET_REGISTER + BESIDE;
    const int64_t threads = h.warps * TARGET_WARP;
    Schedule s;
    if (r && (r->axis != x->row || !r->rows || !r->peels)) return;
    if (words * threads > REGISTERS) return;
    build(x->gr, x->row, &h, &s);
    s.occupancy = h.vec > 1 ? most_blocks(words, threads, x->limits) : 0;
    hand_over(x, &s);
}

/* Longer rows, of the blocks of a cluster. These wait for each other, so that few warps have much each, and several
 * blocks a multiprocessor (softmax of 131072 bf16 columns on an H200, over a copy: 4 blocks of 8 warps with 16 vectors
 * 1.08, of 16 warps with 8 vectors 1.74). Clusters of 4 blocks, too, made no program quicker, by the judge. */
static void each_of_clusters(const Settling *x, int64_t vec, int peel) {
    for (int blocks = 2; blocks <= x->limits->cluster; blocks *= 4)
        for (int64_t warps = 8; warps <= 16; warps *= 2)
            for (int64_t regs = 8; regs <= 16; regs *= 2) {
                Held h = held(warps, regs, vec);
                h.blocks = blocks, h.peel = peel;
                propose(x, h);
            }
}

/* What takes many instructions and is the same along an axis is computed once for several rows of a thread. */
static void each_of_computed(const Settling *x, int64_t warps, int64_t vec, int along) {
    each_of_lanes(x, vec, along);
    for (int64_t rows = 2; rows <= 4; rows *= 2)
        for (int64_t regs = 1; regs <= 4; regs *= 2) {
            Held h = held(warps, regs, vec);
            h.beside = along, h.rows = rows;
            propose(x, h);
        }
}

void settle_each(const CostForm *form, const SchedLimits *limits, SettleTake *take, void *user) {
    static const int64_t WARPS[] = {16, 32};
    const Group *gr = form->gr;
    const int row = row_axis(gr);
    if (row < 0) return;
    int64_t narrow, wide;
    find_bytes(form, row, &narrow, &wide);
    const AxisSet tables = cost_form_tables(form), computed = cost_form_computed(form);
    const int64_t vec = TARGET_ACCESS / narrow < WIDEST ? TARGET_ACCESS / narrow : WIDEST;
    const Settling x = {gr, limits, row, wide, take, user};
    int last = -1;
    for (int a = 0; a < gr->axes.n; a++)
        if (a != row) last = a;
    if (last >= 0) each_of_lanes(&x, vec, last);
    for (int p = 0; p <= gr->rows.n; p++) each_of_clusters(&x, vec, p);
    for (int w = 0; w < (int)(sizeof WARPS / sizeof *WARPS); w++) {
        for (int64_t regs = 2; regs <= 16; regs *= 2)
            for (int p = 0; p <= gr->rows.n; p++) {
                Held h = held(WARPS[w], regs, vec);
                h.peel = p;
                propose(&x, h);
            }
        for (int64_t regs = 8; regs <= 16 && vec > 1; regs *= 2) propose(&x, held(WARPS[w], regs, 1));
    }
    for (int a = 0; a < gr->axes.n; a++) {
        if (computed >> a & 1) each_of_computed(&x, WARPS[0], vec, a);
        if (!(tables >> a & 1)) continue;
        each_of_table(&x, vec, a);
        for (int64_t regs = 2; regs <= 8; regs *= 2) {
            Held h = held(WARPS[0], regs, vec);
            h.last = a;
            propose(&x, h);
        }
    }
}
