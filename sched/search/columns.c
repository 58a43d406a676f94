/* Columns of any length, folded once by a loop: each thread has several elements of each of some neighbouring columns
 * before it folds them to what it has so far, since carrying over a tuple takes longer than folding an element of it
 * (ir/online.h). They are few, so that the judge compares all of them: of what the templates propose it sees what their
 * own cost, which counts no instructions, finds best. */
#include "columns.h"

#include "sched/machine/target.h"
#include "templates_form.h"

/* The elements that a thread has at once, the warps of a block, and the lanes along neighbours. */
static const int64_t HELD[] = {32, 64}, WARPS[] = {4, 16}, LANES[] = {TARGET_WARP, TARGET_WARP / 4};
enum { EACH = 2 /* of them */, MOST_REGS = 32 };

typedef struct Columns {
    const Group *gr;
    int inner, fold; /* axes: where elements are neighbours, and along the columns */
} Columns;

static bool find(CostForm *f, Columns *x, int64_t *wide) {
    const Group *gr = f->gr;
    const Chain c = templates_chain(f);
    if (!c.n || gr->across) return false;
    x->inner = c.axis[0];
    x->fold = -1;
    for (int a = 0; a < gr->axes.n; a++) {
        const GAxis *g = &gr->axes.at[a];
        if (g->scanned || g->ordered) return false;
        if (a != gr->split && axis_has_grid(g)) continue;
        if (a == x->inner || x->fold >= 0) return false;
        x->fold = a;
    }
    *wide = TARGET_ACCESS / c.bytes < WIDEST ? TARGET_ACCESS / c.bytes : WIDEST;
    return x->fold >= 0 && axis_has_grid(&gr->axes.at[x->inner]);
}

static void build(const Columns *x, int64_t vec, int64_t regs, int64_t warps, int64_t lanes, Schedule *s) {
    schedule_clear(s, x->gr->axes.n);
    for (int a = 0; a < s->naxes; a++) {
        const int64_t mine = a == x->inner ? lanes : a == x->fold ? TARGET_WARP / lanes : 1;
        if (a != x->fold) schedule_factor(s, a, BIND_GRID, 0);
        if (a == x->fold && a == x->gr->split) schedule_factor(s, a, BIND_GRID, x->gr->parts);
        if (a == x->fold) schedule_factor(s, a, BIND_SERIAL, 0);
        if (a == x->fold && regs > 1) schedule_factor(s, a, BIND_REG, regs);
        if (a == x->fold) schedule_factor(s, a, BIND_WARP, warps);
        if (mine > 1) schedule_factor(s, a, BIND_LANE, mine);
        if (a == x->inner && vec > 1) schedule_factor(s, a, BIND_VEC, vec);
    }
    schedule_put_last(s, x->inner);
}

void columns_each(CostForm *form, const SchedLimits *limits, SettleTake *take, void *user) {
    Columns x = {.gr = form->gr};
    int64_t wide;
    if (!find(form, &x, &wide)) return;
    for (int64_t vec = wide; vec; vec = vec > 2 ? vec / 2 : vec - 1)
        for (int held = 0; held < EACH; held++)
            for (int warps = 0; warps < EACH; warps++)
                for (int lanes = 0; lanes < EACH; lanes++) {
                    const int64_t regs = HELD[held] / vec;
                    Schedule s;
                    if (regs > MOST_REGS) continue;
                    build(&x, vec, regs, WARPS[warps], LANES[lanes], &s);
                    settle_hand(x.gr, limits, &s, take, user);
                }
}
