/* Columns of a length that is not known, as a softmax along a middle axis folds them, lie in the registers of a block
 * as rows do (settle.c): each warp has as many neighbouring elements of each column as any other, and a launch leaves
 * out the warps that would have none. Lanes go along the axis where elements are neighbours; what that leaves of a warp
 * goes along the columns, or along the next axis that stays. Where columns are short each warp has its own, or each
 * thread some neighbouring ones whole, with nothing to exchange (a softmax over 10 channels of 32 x 1000000 is
 * predicted at 347 us so, and was at 584). */
#include "settle.h"

#include "sched/machine/target.h"
#include "templates_form.h"

enum {
    BESIDE = 24,         /* registers of a thread beside its part of the columns, as they were loaded */
    REGISTERS = 1 << 16, /* of a multiprocessor, of all targets */
    FEWEST = 8,          /* elements of a thread */
    MOST = 32,
    MOST_SINGLE = 16, /* where each has an access, and tests, of its own: 32 took an H200 42 us, predicted 32 */
    MOST_ALONE = 32,  /* of a column that one thread has whole, and elements of all its columns */
    MOST_OF_THREAD = 64,
    NEXT = 4,        /* as many times from one number of them to the next */
    WARPS_BESIDE = 4 /* warps of a block with columns of their own */
};

typedef struct Columns {
    const Group *gr;
    const SchedLimits *limits;
    int inner, fold; /* axes: where elements are neighbours, and along the columns */
    int beside;      /* the next axis that stays, or -1 */
    int64_t bytes;   /* of an element */
    SettleTake *take;
    void *user;
} Columns;

/* How a thread's lanes and registers are shared out. */
typedef struct Shape {
    int64_t vec, regs, warps; /* warps of the columns */
    int64_t lanes;            /* of the inner axis */
    bool rest_beside;         /* the other lanes lie along the axis beside */
} Shape;

/* Whether what lies along the axis is needed more than once: it is folded twice, or stored. */
static bool is_held(CostForm *f, int axis) {
    const int64_t *const *strides = cost_form_strides(f);
    int times = 0;
    for (int i = 0; i < f->gr->steps.n; i++) times += f->gr->steps.at[i].over >> axis & 1;
    for (int i = 0; i < f->accesses.n; i++) times += !f->accesses.at[i].load && strides[i][axis];
    return times > 1;
}

/* One axis of a length that is not known is folded, and it is not that where elements are neighbours. (Where that is
 * folded, too, the points are too few to tell which of these kernels is for which lengths: a norm over channels and
 * bins was predicted to take 1.07 times less as a mean, and four times as long at one size.) */
static bool find(CostForm *f, Columns *x) {
    const Group *gr = f->gr;
    const Chain c = templates_chain(f);
    if (!c.n || gr->across || gr->split >= 0) return false;
    x->inner = c.axis[0];
    x->fold = x->beside = -1;
    x->bytes = c.bytes;
    for (int i = 0; i < gr->steps.n; i++)
        if (gr->steps.at[i].monoid->n != 1) return false; /* selections take longer than is predicted */
    for (int a = 0; a < gr->axes.n; a++) {
        const GAxis *g = &gr->axes.at[a];
        if (g->scanned || g->ordered) return false;
        if (axis_has_grid(g)) continue;
        if (a == x->inner || x->fold >= 0 || g->extent >= 0) return false;
        x->fold = a;
    }
    for (int i = 1; i < c.n && x->beside < 0; i++)
        if (axis_has_grid(&gr->axes.at[c.axis[i]])) x->beside = c.axis[i];
    return x->fold >= 0 && is_held(f, x->fold);
}

static void build(const Columns *x, const Shape *p, Schedule *s) {
    const int64_t rest = TARGET_WARP / p->lanes;
    schedule_clear(s, x->gr->axes.n);
    for (int a = 0; a < s->naxes; a++) {
        int64_t lanes = a == x->inner ? p->lanes : 1;
        if (a == (p->rest_beside ? x->beside : x->fold)) lanes = rest;
        if (axis_has_grid(&x->gr->axes.at[a])) schedule_factor(s, a, BIND_GRID, 0);
        if (a == x->fold && p->warps > 1) schedule_factor(s, a, BIND_WARP, p->warps);
        if (a == x->beside && p->warps == 1) schedule_factor(s, a, BIND_WARP, WARPS_BESIDE);
        if (a == x->fold) schedule_factor(s, a, BIND_REG, p->regs);
        if (lanes > 1) schedule_factor(s, a, BIND_LANE, lanes);
        if (a == x->inner && p->vec > 1) schedule_factor(s, a, BIND_VEC, p->vec);
    }
    if (p->rest_beside && rest > 1) schedule_put_last(s, x->beside);
    schedule_put_last(s, x->inner);
}

/* Of columns that several warps share: as many as there are registers for. */
static void propose(const Columns *x, Shape p) {
    const int64_t words = p.regs * p.vec * x->bytes / TARGET_REGISTER + BESIDE;
    Schedule s;
    if (p.warps > 1)
        while (words * p.warps * TARGET_WARP > REGISTERS) p.warps /= 2;
    build(x, &p, &s);
    settle_hand(x->gr, x->limits, &s, x->take, x->user);
}

/* Of vectors of a length, with each number of lanes, of elements of a thread, and of what the other lanes are for. */
static void each_of_vectors(const Columns *x, int64_t vec) {
    const int64_t most = vec > 1 ? MOST : MOST_SINGLE, next = vec > 1 ? NEXT : 2;
    for (int64_t held = FEWEST; vec > 1 && vec < WIDEST && x->beside >= 0 && held <= MOST_ALONE; held *= 2)
        if (held * vec <= MOST_OF_THREAD)
            propose(x, (Shape){.vec = vec, .regs = held, .lanes = TARGET_WARP, .warps = 1});
    for (int64_t lanes = 1; lanes <= TARGET_WARP; lanes *= 2)
        for (int64_t held = FEWEST; held <= most; held *= next)
            for (int beside = 0; beside <= (x->beside >= 0 && lanes < TARGET_WARP); beside++) {
                const Shape p = {
                    .vec = vec, .regs = held > vec ? held / vec : 1, .lanes = lanes, .rest_beside = beside};
                Shape one = p, all = p;
                one.warps = 1;
                all.warps = TARGET_WARP;
                if (x->beside >= 0) propose(x, one);
                propose(x, all);
            }
}

void settle_columns_each(CostForm *form, const SchedLimits *limits, SettleTake *take, void *user) {
    Columns x = {.gr = form->gr, .limits = limits, .take = take, .user = user};
    if (!find(form, &x)) return;
    const int64_t most = TARGET_ACCESS / x.bytes, wide = most < WIDEST ? most : WIDEST;
    each_of_vectors(&x, wide);
    if (wide > 2) each_of_vectors(&x, wide / 2);
    if (wide > 4) each_of_vectors(&x, wide / 4);
    if (wide > 1) each_of_vectors(&x, 1);
}
