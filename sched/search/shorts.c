/* Maps with an axis that is short, as the parts of complex numbers, the colours of pixels, or results that lie between
 * each other. A thread has all of it: what it computes for one serves the others, and what is said of one element alone
 * is decided while the kernel is compiled. Neighbouring threads go along the next axis, registers along any third one:
 * along heads, of which all are turned by the same angles, pairs of 134 MB are predicted at 33.6 us, and along places,
 * which are more, at 35.6.
 *
 * The cost of schedules knows little of what such kernels issue: 4 bits made 16, two to a byte, 22 and 90 MB, were
 * chosen at 51 us on an H200, and take 32 so. */
#include "shorts.h"

#include "sched/machine/target.h"

enum { SHORT = 8 /* elements */, LEAST_THREADS = 64, MOST_THREADS = 256, MOST_REGS = 16, MOST_VEC = 4 };

typedef struct Axes {
    int all;     /* the short one */
    int threads; /* along which elements are neighbours otherwise */
} Axes;

static bool find(const CostForm *f, Axes *x) {
    const Group *gr = f->gr;
    *x = (Axes){-1, -1};
    if (gr->steps.n || gr->split >= 0) return false;
    for (int a = 0; a < gr->axes.n; a++) {
        const GAxis *g = &gr->axes.at[a];
        if (!axis_has_grid(g)) return false;
        if (g->extent > 1 && g->extent <= SHORT)
            x->all = a;
        else if (x->threads < 0 || g->contiguous >= gr->axes.at[x->threads].contiguous)
            x->threads = a;
    }
    return x->all >= 0 && x->threads >= 0;
}

/* With so many elements in registers along an axis; -1: along none. */
static void hand_over(const CostForm *form, const SchedLimits *limits, Axes x, int along, int64_t regs,
                      SettleTake *take, void *user) {
    const Group *gr = form->gr;
    for (int64_t threads = LEAST_THREADS; threads <= MOST_THREADS; threads *= 2)
        for (int64_t vec = 1; vec <= MOST_VEC; vec *= 2) {
            Schedule s;
            schedule_clear(&s, gr->axes.n);
            for (int a = 0; a < gr->axes.n; a++) {
                schedule_factor(&s, a, BIND_GRID, 0);
                if (a == x.all) schedule_factor(&s, a, BIND_REG, gr->axes.at[a].extent);
                if (a == along) schedule_factor(&s, a, BIND_REG, regs);
                if (a != x.threads) continue;
                schedule_factor(&s, a, BIND_THREAD, threads);
                if (vec > 1) schedule_factor(&s, a, BIND_VEC, vec);
            }
            settle_hand(gr, limits, &s, take, user);
        }
}

void shorts_each(const CostForm *form, const SchedLimits *limits, SettleTake *take, void *user) {
    Axes x;
    if (!find(form, &x)) return;
    hand_over(form, limits, x, -1, 1, take, user);
    for (int a = 0; a < form->gr->axes.n; a++)
        for (int64_t regs = 2; regs <= MOST_REGS && a != x.all && a != x.threads; regs *= 2)
            hand_over(form, limits, x, a, regs, take, user);
}
