/* Schedules that scatter: see scatters.h. A block has the places of some rows, or a part of the places of one row, and
 * goes along what is folded. What is folded lies along a warp's lanes, which take turns where they name one place; or
 * an axis of the results does, where each lane has places of its own. With fewer places a block more of them are there
 * at a time, and each row is walked more often: what is best the judge says. */
#include "scatters.h"

#include "templates_form.h"

enum {
    MOST_PARTS = 8, /* blocks that share the places of a row */
    MOST_WARPS = 8, /* rows of a block, a warp each, or warps that fold one row in any order */
    WARPS_STEP = 4  /* times as many warps that are tried next */
};

/* Of a thread along what is folded: registers, and neighbours. */
typedef struct Walk {
    int registers, vector;
} Walk;
static const Walk WALKS[] = {{2, 4}, {4, 1}, {4, 2}, {8, 1}};
enum { NWALKS = sizeof WALKS / sizeof *WALKS, FEW_WALKS = 2 };

typedef struct Scatters {
    const CostForm *form;
    Group *gr;
    const SchedLimits *limits;
    const int64_t *length;
    int into, last; /* the axis of places; of those that are folded, that along which a thread has several */
    int row;        /* of the others, the last one; -1: there is none */
    int beside;     /* the one of them along which what is folded has neighbours; -1: that is one that is folded */
    bool free;      /* in any order */
    bool few;       /* schedules that are alike at points that are near are one */
    void (*take)(void *user, const Schedule *s, const int64_t *most);
    void *user;
} Scatters;

static int bytes_of(const Group *gr) {
    int most = 1;
    for (int i = 0; i < gr->stores.n; i++) {
        const int bytes = (type_bits(gr->stores.at[i].tensor->type) + 7) / 8;
        if (bytes > most) most = bytes;
    }
    return most;
}

static int last_of(const Group *gr, AxisSet axes) {
    int last = -1;
    for (int a = 0; a < gr->axes.n; a++)
        if (axes >> a & 1 && (last < 0 || gr->axes.at[a].contiguous >= gr->axes.at[last].contiguous)) last = a;
    return last;
}

static void give(const Scatters *x, Schedule *s) {
    int64_t most[MAX_GROUP_AXES];
    if (!schedule_legal_within(x->gr, s, most, NULL) || !schedule_fits(x->gr, s, x->limits)) return;
    x->take(x->user, s, most);
}

/* What all have: blocks along axes that nobody folds, loops along those that are folded, shares of the one that is
 * split. */
static void begin(const Scatters *x, Schedule *s) {
    schedule_clear(s, x->gr->axes.n);
    for (int a = 0; a < s->naxes; a++) {
        const bool folded = group_scattered(x->gr) >> a & 1;
        if (a == x->gr->split) schedule_factor(s, a, BIND_GRID, x->gr->parts);
        schedule_factor(s, a, folded ? BIND_SERIAL : BIND_GRID, 0);
        if (folded && a != x->last) schedule_factor(s, a, BIND_REG, 1);
    }
}

static void walk(const Scatters *x, Schedule *s, Walk w, int warps, bool lanes) {
    schedule_factor(s, x->last, BIND_REG, w.registers);
    if (warps > 1) schedule_factor(s, x->last, BIND_WARP, warps);
    if (lanes) schedule_factor(s, x->last, BIND_LANE, WARP);
    if (lanes && w.vector > 1) schedule_factor(s, x->last, BIND_VEC, w.vector);
    s->ahead = 1;
}

/* The places of a row, those of a block by its lanes: so many blocks have a part each. */
static void places(const Scatters *x, Schedule *s, int parts, int warps) {
    const int64_t n = x->length[x->into];
    int64_t vector = TARGET_ACCESS / bytes_of(x->gr);
    if (vector > WIDEST) vector = WIDEST;
    while (vector > 1 && vector * WARP * warps > n) vector /= 2;
    const int64_t each = vector * WARP * warps, turns = ceil_div(ceil_div(n, parts), each);
    schedule_factor(s, x->into, BIND_SERIAL, x->few ? pow2_up(turns) : turns);
    if (warps > 1) schedule_factor(s, x->into, BIND_WARP, warps);
    schedule_factor(s, x->into, BIND_LANE, WARP);
    if (vector > 1) schedule_factor(s, x->into, BIND_VEC, vector);
}

/* A row's lanes are those of a warp: so many rows a block. */
static void try_rows(const Scatters *x, Walk w, int parts, int rows) {
    Schedule s;
    begin(x, &s);
    if (rows > 1) schedule_factor(&s, x->row, BIND_WARP, rows);
    walk(x, &s, w, 1, true);
    places(x, &s, parts, 1);
    give(x, &s);
}

/* All warps of a block have one row, where no order shows. */
static void try_together(const Scatters *x, Walk w, int parts, int warps) {
    Schedule s;
    begin(x, &s);
    walk(x, &s, w, warps, true);
    places(x, &s, parts, warps);
    give(x, &s);
}

/* Lanes lie along an axis of the results: each has places of its own, and all of a row's. */
static void try_beside(const Scatters *x, Walk w, int parts, int vector) {
    enum { AT_ONCE = 4 /* places of a thread that are read at a time */ };
    Schedule s;
    const int64_t n = ceil_div(x->length[x->into], parts);
    begin(x, &s);
    schedule_factor(&s, x->beside, BIND_LANE, WARP);
    if (vector > 1) schedule_factor(&s, x->beside, BIND_VEC, vector);
    walk(x, &s, w, 1, false);
    schedule_factor(&s, x->into, BIND_SERIAL, ceil_div(n, AT_ONCE));
    schedule_factor(&s, x->into, BIND_REG, AT_ONCE);
    give(x, &s);
}

static void try_walks(const Scatters *x, int parts) {
    for (int i = 0; i < (x->few ? FEW_WALKS : NWALKS); i++) {
        for (int n = 1; n <= MOST_WARPS; n *= WARPS_STEP)
            if (n == 1 || (x->row >= 0 && x->length[x->row] >= n)) try_rows(x, WALKS[i], parts, n);
        for (int n = MOST_WARPS; x->free && n > 1; n /= WARPS_STEP) try_together(x, WALKS[i], parts, n);
    }
    for (int vector = 1; x->beside >= 0 && vector <= WIDEST / 2; vector *= WIDEST / 2)
        try_beside(x, (Walk){8, 1}, parts, vector);
}

/* Whether many that name one place do not wait long for each other: sums of floats, and of two words, are made by
 * exchanges, which fail where another one was quicker; of maxima and minima few change anything. */
static bool is_word_or_best(const GStep *p) {
    const Type t = p->node->type;
    return p->monoid->kind != MONOID_SUM || (type_is_int(t) && type_bits(t) <= 8 * TARGET_REGISTER);
}

void scatters_each(const CostForm *form, const SchedLimits *limits, bool few,
                   void (*take)(void *user, const Schedule *s, const int64_t *most), void *user) {
    Group *const gr = form->gr;
    Scatters x = {.form = form,
                  .gr = gr,
                  .limits = limits,
                  .length = form->lengths[form->at],
                  .take = take,
                  .user = user,
                  .few = few,
                  .free = true};
    const AxisSet into = group_into(gr), over = group_scattered(gr);
    AxisSet rows = 0;
    for (int i = 0; i < gr->steps.n; i++) {
        const GStep *p = &gr->steps.at[i];
        rows |= step_around(p);
        x.free &= monoid_updates(p->monoid->kind, p->node->type, &gr->graph->options) && is_word_or_best(p);
    }
    x.into = last_of(gr, into);
    x.last = gr->split >= 0 ? gr->split : last_of(gr, over);
    x.row = last_of(gr, rows);
    x.beside = x.row >= 0 && gr->axes.at[x.row].contiguous > gr->axes.at[x.last].contiguous ? x.row : -1;
    for (int parts = 1; parts <= MOST_PARTS; parts *= few ? MOST_PARTS / 2 : 2) try_walks(&x, parts);
}
