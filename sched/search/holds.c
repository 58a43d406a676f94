/* Rows in shared memory: see holds.h. A row that a fold reads, and then another fold or a store, is loaded once: what a
 * block has of it is asked for at once when the block begins, by bulk copies where there are some, and loops go over it
 * there. That takes no registers, so that what is asked for is as much as shared memory holds, of as many blocks as are
 * there at a time. A cross-entropy with its gradient, of 50257 columns of bf16, takes an H200 1.09 times a copy so, and
 * 1.21 with rows in the registers of clusters of four blocks. Not by the blocks of a cluster: a softmax of 131072
 * columns, eight blocks a row, took 1.6 times a copy so, and takes 1.1 in registers. */
#include "holds.h"

#include "apply.h"
#include "templates_form.h"
#include "ir/expr_walk.h"

enum {
    LEAST_ROW = 1 << 14, /* bytes: shorter ones are held in registers */
    MOST_ROWS = 3,       /* tensors that are held */
    MOST_TURNS = 16,     /* iterations of a loop over a row: slots of what is held */
    LONG_REGISTERS = 4,  /* what was quickest of those below at all lengths */
    LONG_TURNS = 4,
    LEAST_WARPS = 4,
    MOST_WARPS = 26,
    BESIDE = 2048 /* bytes of shared memory that a block has beside its rows, at most */
};
static const int REGISTERS[] = {2, 4}, TURNS[] = {4, 8}; /* vectors of a thread in an iteration; iterations */

typedef struct Holding {
    const CostForm *form;
    Group *gr;
    const SchedLimits *limits;
    int axis;               /* rows lie along it */
    int64_t length;         /* of a row */
    int n, held[MOST_ROWS]; /* Group.tensors that are held */
    int bytes, widest;      /* of an element of all of them, and of the widest */
    void (*take)(void *user, const Schedule *s, const int64_t *most);
    void *user;
} Holding;

static int number_of(const Group *gr, const Tensor *t) {
    for (int i = 0; i < gr->tensors.n; i++)
        if (gr->tensors.at[i].tensor == t) return i;
    return -1;
}

/* How many folds and stores load elements of an access by themselves. */
static int readers(const CostForm *form, int access) {
    int n = 0;
    for (int i = 0; i < form->items.n; i++) {
        const CostItem *item = &form->items.at[i];
        for (int k = 0; k < item->nloads; k++) n += form->refs.at[item->loads + k] == access;
    }
    return n;
}

/* Rows of its own for each element of some axis of blocks, of which there are several. */
static bool has_rows(const Holding *x, const CostAccess *c) {
    bool rows = false, data = false;
    for (int a = 0; a < x->gr->axes.n; a++)
        rows |= c->axes >> a & 1 && axis_has_grid(&x->gr->axes.at[a]) && x->form->lengths[x->form->at][a] > 1;
    for (int d = 0; d < c->tensor->rank; d++) data |= expr_has(c->subs[d], expr_test_data, NULL) != NULL;
    return rows && !data;
}

static void find_rows(Holding *x) {
    for (int i = 0; i < x->form->accesses.n && x->n < MOST_ROWS; i++) {
        const CostAccess *c = &x->form->accesses.at[i];
        const int t = number_of(x->gr, c->tensor);
        if (!c->load || c->moves[x->axis] != MOVE_BY_ONE || t < 0 || c->tensor->kind == TENSOR_INOUT) continue;
        if (readers(x->form, i) < 2 || !has_rows(x, c)) continue;
        for (int k = 0; k < x->n; k++)
            if (x->held[k] == t) return;
        x->held[x->n++] = t;
        x->bytes += c->bytes;
        if (c->bytes > x->widest) x->widest = c->bytes;
    }
}

/* The one axis that is folded and has a length; -1: there are none or several, or other axes are divided. */
static int row_axis(const CostForm *form) {
    const Group *gr = form->gr;
    int axis = -1;
    if (gr->across || gr->split >= 0) return -1;
    for (int a = 0; a < gr->axes.n; a++) {
        const GAxis *x = &gr->axes.at[a];
        if (axis_has_grid(x)) continue;
        if (axis >= 0 || x->scanned || !x->contiguous) return -1;
        axis = a;
    }
    return axis;
}

static void try_one(const Holding *x, int peel, int registers, int turns) {
    const int64_t vec = TARGET_ACCESS / x->widest, row = x->length + (peel ? vec : 0);
    const int64_t each = vec * WARP * registers;
    const int64_t warps = ceil_div(row, each * turns);
    if (warps < LEAST_WARPS || warps > MOST_WARPS) return;
    const int64_t loop = ceil_div(row, each * warps);
    int64_t most[MAX_GROUP_AXES];
    Schedule s = {0};
    if (loop > MOST_TURNS) return;
    schedule_clear(&s, x->gr->axes.n);
    for (int a = 0; a < s.naxes; a++)
        if (a != x->axis) schedule_factor(&s, a, BIND_GRID, 0);
    schedule_factor(&s, x->axis, BIND_SERIAL, loop);
    schedule_factor(&s, x->axis, BIND_REG, registers);
    schedule_factor(&s, x->axis, BIND_WARP, warps);
    schedule_factor(&s, x->axis, BIND_LANE, WARP);
    schedule_factor(&s, x->axis, BIND_VEC, vec);
    s.axis[x->axis].peel = peel;
    const ScheduleStepKind kind = x->limits->bulk ? SCHEDULE_HOLD_BULK : SCHEDULE_HOLD_ASYNC;
    for (int i = 0; i < x->n; i++)
        if (!schedule_add_step(&s, x->gr, (ScheduleStep){(unsigned char)kind, (unsigned char)x->held[i], 0})) return;
    if (sched_legal(x->gr, &s, x->limits, most, NULL)) x->take(x->user, &s, most);
}

void holds_each(const CostForm *form, const SchedLimits *limits,
                void (*take)(void *user, const Schedule *s, const int64_t *most), void *user) {
    Holding x = {.form = form, .gr = form->gr, .limits = limits, .axis = row_axis(form), .take = take, .user = user};
    if (x.axis < 0) return;
    x.length = form->lengths[form->at][x.axis];
    find_rows(&x);
    if (!x.n || x.length * x.bytes < LEAST_ROW || x.length * x.bytes > limits->shared) return;
    const int vec = TARGET_ACCESS / x.widest, known = x.gr->axes.at[x.axis].extent >= 0;
    const bool whole = known && x.length % vec == 0 && !form->points->displaced;
    for (size_t r = 0; r < sizeof REGISTERS / sizeof *REGISTERS; r++)
        for (size_t t = 0; t < sizeof TURNS / sizeof *TURNS; t++)
            try_one(&x, whole ? 0 : templates_peel(form, x.axis, true), REGISTERS[r], TURNS[t]);
}

void holds_longest(const CostForm *form, const SchedLimits *limits, int blocks,
                   void (*take)(void *user, const Schedule *s, const int64_t *most), void *user) {
    Holding x = {.form = form, .gr = form->gr, .limits = limits, .axis = row_axis(form), .take = take, .user = user};
    const int64_t room = limits->shared / blocks - BESIDE;
    if (x.axis < 0 || x.gr->axes.at[x.axis].extent >= 0) return;
    find_rows(&x);
    if (!x.n || room < LEAST_ROW) return;
    const int64_t vec = TARGET_ACCESS / x.widest, turns = vec * WARP * LONG_REGISTERS * LONG_TURNS;
    const int peel = templates_peel(form, x.axis, true);
    x.length = room / x.bytes / turns * turns - (peel ? vec : 0); /* with the peel, whole turns of some warps */
    if (x.length > 0) try_one(&x, peel, LONG_REGISTERS, LONG_TURNS);
}
