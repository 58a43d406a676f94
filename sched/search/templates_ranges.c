/* Candidates for groups that fold ranges that are data, as rows that are summed by their keys: a range has few elements
 * or many, and what a block's threads do not share of it they wait for. So a range is a block's or a warp's, with as
 * much as that can have of what lies beside it along the axis of vectors, for one element of the range at a time, or
 * for several. Where that is less than a warp the other lanes have more ranges, or share one. */
#include "templates_form.h"

#include "sched/plan/group.h"

enum { MOST_REGS = 8, MOST_WARPS = 4, AT_ONCE = 4, LEAST_SHARING = 4 }; /* moves try those between */

/* cols: the axis of vectors. rows: one of those that the ranges have, fold: along which they lie. */
typedef struct Ranges {
    int cols, rows, fold;
    int64_t vec, lanes, warps, regs; /* of cols */
    int64_t rows_warps;              /* of rows */
    int64_t at_once, sharing;        /* elements of fold: a thread's, and lanes that share a range */
} Ranges;

static void try_one(Search *x, const Ranges *r) {
    Schedule s;
    schedule_clear(&s, x->gr->axes.n);
    for (int a = 0; a < x->gr->axes.n; a++) {
        const bool grid = axis_has_grid(&x->gr->axes.at[a]);
        if (a == x->gr->split) return;
        schedule_factor(&s, a, grid ? BIND_GRID : BIND_SERIAL, 0);
        if (a == r->cols) {
            if (r->regs > 1) schedule_factor(&s, a, BIND_REG, r->regs);
            if (r->warps > 1) schedule_factor(&s, a, BIND_WARP, r->warps);
            schedule_factor(&s, a, BIND_LANE, r->lanes);
            if (r->vec > 1) schedule_factor(&s, a, BIND_VEC, r->vec);
        } else if (a == r->rows) {
            if (r->rows_warps > 1) schedule_factor(&s, a, BIND_WARP, r->rows_warps);
            if (r->lanes * r->sharing < WARP) schedule_factor(&s, a, BIND_LANE, WARP / (r->lanes * r->sharing));
        } else if (!grid) {
            schedule_factor(&s, a, BIND_REG, a == r->fold ? r->at_once : 1);
            if (a == r->fold && r->sharing > 1) schedule_factor(&s, a, BIND_LANE, r->sharing);
        }
    }
    templates_consider(x, &s, BEST_WINDOW | (r->sharing > 1 ? BEST_STACK : 0));
}

static void try_columns(Search *x, Ranges r) {
    const int64_t n = x->length[r.cols], vectors = ceil_div(n > 0 ? n : 1, r.vec);
    const bool known = x->gr->axes.at[r.cols].extent >= 0;
    r.lanes = vectors < WARP ? pow2_up(vectors) : WARP;
    const int64_t exact = ceil_div(vectors, r.lanes), all = known ? exact : pow2_up(exact);
    r.regs = r.warps = 1;
    for (r.sharing = LEAST_SHARING; r.lanes * r.sharing <= WARP; r.sharing *= 2)
        for (r.at_once = 1; r.at_once <= AT_ONCE; r.at_once *= AT_ONCE)
            for (r.rows_warps = 1; r.rows_warps <= MOST_WARPS; r.rows_warps *= 2) try_one(x, &r);
    r.sharing = 1;
    for (r.at_once = 1; r.at_once <= AT_ONCE; r.at_once *= AT_ONCE) {
        if (all > 1 && all * WARP <= target_default.threads) { /* a block's */
            r.regs = r.rows_warps = 1;
            r.warps = all;
            try_one(x, &r);
        }
        r.warps = 1;
        for (r.rows_warps = 1; r.rows_warps <= MOST_WARPS; r.rows_warps *= 2) {
            r.regs = 1;
            try_one(x, &r);
            r.regs = all < MOST_REGS ? all : MOST_REGS;
            if (r.regs > 1) try_one(x, &r);
        }
    }
}

/* Numbers that ranges are folded into, the ranges of those beside each other one behind the other: a thread has some of
 * them, lanes go on along the same axis. */
static void try_numbers(Search *x, int along) {
    enum { MOST_NUMBERS = 8 };
    Schedule s;
    for (int64_t vec = 1; vec <= MOST_NUMBERS; vec *= 2)
        for (int64_t at_once = 1; at_once <= AT_ONCE; at_once *= AT_ONCE)
            for (int64_t warps = 1; warps <= MOST_WARPS; warps *= 2) {
                schedule_clear(&s, x->gr->axes.n);
                for (int a = 0; a < x->gr->axes.n; a++) {
                    const bool grid = axis_has_grid(&x->gr->axes.at[a]);
                    if (a == x->gr->split) return;
                    schedule_factor(&s, a, grid ? BIND_GRID : BIND_SERIAL, 0);
                    if (!grid) schedule_factor(&s, a, BIND_REG, at_once);
                    if (a == along && warps > 1) schedule_factor(&s, a, BIND_WARP, warps);
                    if (a == along) schedule_factor(&s, a, BIND_LANE, WARP);
                    if (a == along && vec > 1) schedule_factor(&s, a, BIND_VEC, vec);
                }
                templates_consider(x, &s, BEST_WINDOW);
            }
}

void templates_ranges(Search *x) {
    static const int64_t VECTORS[] = {WIDEST, WIDEST / 2, 1};
    Group *gr = x->gr;
    for (int i = 0; i < gr->steps.n && x->form->ragged; i++) {
        const GStep *p = &gr->steps.at[i];
        AxisSet within;
        if (!group_ragged(gr, p, &within)) continue;
        Ranges r = {.cols = -1, .rows = -1, .fold = -1};
        for (int a = 0; a < gr->axes.n; a++) {
            const GAxis *axis = &gr->axes.at[a];
            if (p->over >> a & 1) r.fold = a;
            if (!axis_has_grid(axis)) continue;
            if (within >> a & 1)
                r.rows = a;
            else if (axis->contiguous && x->length[a] > 1)
                r.cols = a;
        }
        if (r.cols < 0 && r.rows >= 0) try_numbers(x, r.rows);
        if (r.cols < 0 || r.rows < 0) continue;
        for (size_t v = 0; v < sizeof VECTORS / sizeof *VECTORS; v++) {
            r.vec = VECTORS[v];
            if (x->length[r.cols] % r.vec == 0) try_columns(x, r);
        }
    }
}
