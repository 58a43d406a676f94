/* Tiles of relayouts: see relayouts.h. A tile has as many elements of either axis as make whole accesses on both sides.
 * Its elements change places in the registers of a thread, each of which has a small tile of its own; or in shared
 * memory, to which they go in a layout whose lanes are neighbours along the axis of the loads, and from which they come
 * in one whose lanes are neighbours along the axis of the stores. There rows of 16 bytes are exchanged by number
 * (swizzle), or, where elements are loaded one by one, as rows of any length allow, each row is a word longer (pad). */
#include "relayouts.h"

#include "apply.h"

enum { WIDEST = 8 /* elements of a vector */, LANES = TARGET_WARP };

typedef struct Relayout {
    Group *gr;
    const SchedLimits *limits;
    int from, to;           /* axes along which is loaded, and stored */
    int64_t loaded, stored; /* bytes of an element */
    AxisSet loads, stores;  /* of Group.tensors, those that are contiguous along either: numbers, as bits */
    void (*take)(void *user, const Schedule *s);
    void *user;
} Relayout;

static int64_t vector_of(int64_t bytes) { return TARGET_ACCESS / bytes < WIDEST ? TARGET_ACCESS / bytes : WIDEST; }

/* Elements of what is loaded that are a word. */
static int64_t word_of(const Relayout *x) { return x->loaded < TARGET_REGISTER ? TARGET_REGISTER / x->loaded : 1; }

/* ---- schedules ---- */

static void factor(SAxis *a, Bind bind, int64_t size) {
    if (size > 1) a->f[a->n++] = (SFactor){bind, (int)size};
}

static void all_blocks(const Relayout *x, Schedule *s) {
    *s = (Schedule){0};
    schedule_clear(s, x->gr->axes.n);
    for (int a = 0; a < s->naxes; a++) schedule_factor(s, a, BIND_GRID, 0);
}

static void offer(const Relayout *x, const Schedule *s) {
    int64_t most[MAX_GROUP_AXES];
    if (sched_legal(x->gr, s, x->limits, most, NULL)) x->take(x->user, s);
}

static void try_registers(const Relayout *x, int64_t from, int64_t to) {
    for (int last = 0; last < 2; last++) {
        Schedule s;
        all_blocks(x, &s);
        factor(&s.axis[x->from], BIND_THREAD, from);
        factor(&s.axis[x->from], BIND_VEC, vector_of(x->loaded));
        factor(&s.axis[x->to], BIND_THREAD, to);
        factor(&s.axis[x->to], BIND_VEC, vector_of(x->stored));
        schedule_put_last(&s, last ? x->to : x->from);
        offer(x, &s);
    }
}

/* The second layout, whose axes stand in the order of their numbers. */
static bool add_other(const Relayout *x, Schedule *s, ScheduleStepKind relay, int number, const SAxis *from,
                      const SAxis *to) {
    for (int a = 0; a < s->naxes; a++) {
        if (a != x->from && a != x->to) continue;
        s->other[(int)s->nother] = (signed char)a;
        s->axis[s->naxes + s->nother++] = a == x->from ? *from : *to;
    }
    bool all = true;
    for (int i = 0; i < x->gr->tensors.n; i++) {
        ScheduleStep step = {.tensor = (unsigned char)i};
        if (x->loads >> i & 1) step.kind = relay, step.number = (short)number, all &= schedule_add_step(s, x->gr, step);
        if (x->stores >> i & 1) step.kind = SCHEDULE_OTHER, step.number = 0, all &= schedule_add_step(s, x->gr, step);
    }
    return all;
}

/* Lanes along the axis of the accesses, on both sides; the others of a warp have rows, as warps do. */
static void try_vectors(const Relayout *x, int64_t lanes, int64_t warps) {
    const int64_t rows = LANES / lanes * warps, loaded = lanes * vector_of(x->loaded);
    const int64_t stored = lanes * vector_of(x->stored), word = word_of(x);
    Schedule s;
    SAxis from = {0}, to = {0};
    if (stored < rows || loaded < rows * word) return;
    all_blocks(x, &s);
    factor(&s.axis[x->to], BIND_REG, stored / rows);
    factor(&s.axis[x->to], BIND_WARP, warps);
    factor(&s.axis[x->to], BIND_LANE, LANES / lanes);
    factor(&s.axis[x->from], BIND_LANE, lanes);
    factor(&s.axis[x->from], BIND_VEC, vector_of(x->loaded));
    schedule_put_last(&s, x->from);
    factor(&to, BIND_LANE, lanes);
    factor(&to, BIND_VEC, vector_of(x->stored));
    factor(&from, BIND_REG, loaded / rows / word);
    factor(&from, BIND_WARP, warps);
    factor(&from, BIND_LANE, LANES / lanes);
    factor(&from, BIND_VEC, word);
    if (add_other(x, &s, SCHEDULE_RELAY_SWIZZLE, 0, &from, &to)) offer(x, &s);
}

/* A warp has whole rows of a square, element by element. */
static void try_elements(const Relayout *x, int64_t side, int64_t warps) {
    Schedule s;
    SAxis from = {0}, to = {0};
    all_blocks(x, &s);
    factor(&s.axis[x->to], BIND_REG, side / warps);
    factor(&s.axis[x->to], BIND_WARP, warps);
    factor(&s.axis[x->from], BIND_REG, side / LANES);
    factor(&s.axis[x->from], BIND_LANE, LANES);
    schedule_put_last(&s, x->from);
    factor(&to, BIND_REG, side / LANES);
    factor(&to, BIND_LANE, LANES);
    factor(&from, BIND_REG, side / warps);
    factor(&from, BIND_WARP, warps);
    if (add_other(x, &s, SCHEDULE_RELAY_PAD, (int)word_of(x), &from, &to)) offer(x, &s);
}

static void try_tiles(const Relayout *x) {
    for (int64_t threads = 8; threads <= 32; threads *= 2) try_registers(x, 128 / threads, threads);
    for (int64_t warps = 4; warps <= 8; warps *= 2) {
        for (int64_t lanes = 8; lanes <= 16; lanes *= 2) try_vectors(x, lanes, warps);
        for (int64_t side = 32; side <= 128; side *= 2) try_elements(x, side, warps);
    }
}

/* ---- which groups ---- */

static int tensor_number(const Group *gr, const Tensor *t) {
    int i = 0;
    while (gr->tensors.at[i].tensor != t) i++;
    return i;
}

/* What is loaded along the one axis and varies along the other, and what is stored along the other. */
static void find_tensors(const CostForm *f, Relayout *x) {
    enum { MOST = 8 * (int)sizeof(AxisSet) };
    const AxisSet both = (AxisSet)1 << x->from | (AxisSet)1 << x->to;
    x->loads = x->stores = 0;
    x->loaded = x->stored = 1;
    for (int i = 0; i < f->accesses.n; i++) {
        const CostAccess *c = &f->accesses.at[i];
        const int number = tensor_number(x->gr, c->tensor);
        const AxisSet bit = number < MOST ? (AxisSet)1 << number : 0;
        if ((c->axes & both) != both || c->moves[c->load ? x->from : x->to] != MOVE_BY_ONE) continue;
        *(c->load ? &x->loads : &x->stores) |= bit;
        int64_t *bytes = c->load ? &x->loaded : &x->stored;
        if (c->bytes > *bytes) *bytes = c->bytes;
    }
}

void relayouts_each(const CostForm *form, const SchedLimits *limits, void (*take)(void *user, const Schedule *s),
                    void *user) {
    Group *gr = form->gr;
    if (gr->steps.n) return;
    for (int from = 0; from < gr->axes.n; from++)
        for (int to = 0; to < gr->axes.n; to++) {
            Relayout x = {.gr = gr, .limits = limits, .from = from, .to = to, .take = take, .user = user};
            if (from == to || !axis_has_grid(&gr->axes.at[from]) || !axis_has_grid(&gr->axes.at[to])) continue;
            find_tensors(form, &x);
            if (x.loads && x.stores) try_tiles(&x);
        }
}
