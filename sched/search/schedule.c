/* Schedules as values: comparison, legality of their factors, the fallback. Their text is schedule_text.c's; templates
 * (templates.c) and chance (schedule_random.c) make others. */
#include "schedule.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { FALLBACK_THREADS = 128, MAX_JOINED = 1024, MAX_ROW_BYTES = 768 };

void schedule_factor(Schedule *s, int axis, Bind bind, int64_t size) {
    SAxis *a = &s->axis[axis];
    if (a->n < MAX_AXIS_FACTORS) a->f[a->n++] = (SFactor){bind, size < INT32_MAX ? (int)size : INT32_MAX};
}

const SFactor *schedule_find(const Schedule *s, int axis, Bind bind) {
    for (int i = 0; i < s->axis[axis].n; i++)
        if (s->axis[axis].f[i].bind == bind) return &s->axis[axis].f[i];
    return NULL;
}

int schedule_cluster(const Schedule *s, int axis) {
    const SFactor *f = schedule_find(s, axis, BIND_CLUSTER);
    return f ? f->size : 1;
}

int schedule_axis(const Schedule *s, int place) { return place + s->shift[place]; }

void schedule_put_last(Schedule *s, int axis) {
    int at = 0, last = s->naxes - 1;
    while (at < last && schedule_axis(s, at) != axis) at++;
    for (; at < last; at++) s->shift[at] = (signed char)(schedule_axis(s, at + 1) - at);
    s->shift[last] = (signed char)(axis - last);
}

/* As much of a schedule as it has. */
static size_t bytes_of(const Schedule *s) {
    return offsetof(Schedule, axis) + sizeof *s->axis * (size_t)(s->naxes + s->nother);
}

void schedule_clear(Schedule *s, int naxes) {
    s->naxes = naxes;
    s->nother = 0;
    memset(s, 0, bytes_of(s));
    s->naxes = naxes;
}

void schedule_copy(Schedule *to, const Schedule *from) { memcpy(to, from, bytes_of(from)); }

Schedule *schedule_keep(Ctx *ctx, const Schedule *s) {
    Schedule *r = ctx_alloc(ctx, bytes_of(s));
    memcpy(r, s, bytes_of(s));
    return r;
}

/* Of each axis the product of its factors of threads, and that of registers; INT64_MAX: it is larger. The threads of a
 * block are those of all axes but the hidden: where steps scatter along an axis, those of that axis are others at
 * another time, when what was folded is read (apply.c). */
typedef struct Widths {
    int n;
    AxisSet hidden;
    int64_t thread[MAX_GROUP_AXES], reg[MAX_GROUP_AXES];
} Widths;

static void times(int64_t *n, int64_t by) {
    if (!mul_ok(*n, by, n)) *n = INT64_MAX;
}

static void widths_of(const Group *gr, const Schedule *s, Widths *w) {
    w->n = s->naxes;
    w->hidden = group_into(gr);
    for (int a = 0; a < s->naxes; a++) {
        w->thread[a] = w->reg[a] = 1;
        for (int i = 0; i < s->axis[a].n; i++) {
            const SFactor *f = &s->axis[a].f[i];
            BindScope scope = bind_scope(f->bind);
            if (scope == SCOPE_THREAD) times(&w->thread[a], f->size);
            if (scope == SCOPE_REG) times(&w->reg[a], f->size);
        }
    }
}

static int64_t threads_of(const Widths *w) {
    int64_t n = 1;
    for (int a = 0; a < w->n; a++)
        if (!(w->hidden >> a & 1)) times(&n, w->thread[a]);
    return n;
}

bool axis_has_grid(const GAxis *a) { return a->indexed && !a->folded && !a->scanned && !a->whole; }

static bool same_step(const ScheduleStep *a, const ScheduleStep *b) {
    return a->kind == b->kind && a->tensor == b->tensor && a->number == b->number;
}

bool schedule_equal(const Schedule *a, const Schedule *b) {
    if (a->naxes != b->naxes || a->ahead != b->ahead || a->occupancy != b->occupancy || a->again != b->again ||
        a->nsteps != b->nsteps || a->nother != b->nother)
        return false;
    if (memcmp(a->shift, b->shift, sizeof a->shift) != 0 || memcmp(a->other, b->other, sizeof a->other) != 0)
        return false;
    for (int i = 0; i < a->nsteps; i++)
        if (!same_step(&a->step[i], &b->step[i])) return false;
    for (int i = 0; i < a->naxes + a->nother; i++) {
        if (a->axis[i].n != b->axis[i].n || a->axis[i].peel != b->axis[i].peel) return false;
        for (int j = 0; j < a->axis[i].n; j++)
            if (a->axis[i].f[j].bind != b->axis[i].f[j].bind || a->axis[i].f[j].size != b->axis[i].f[j].size)
                return false;
    }
    return true;
}

uint64_t schedule_hash(const Schedule *s) {
    uint64_t h = 1469598103934665603u;
    const uint64_t prime = 1099511628211u;
    h = (h ^ (uint64_t)s->ahead) * prime;
    h = (h ^ ((uint64_t)s->occupancy << 1 | s->again)) * prime;
    for (int i = 0; i < s->nsteps; i++)
        h = (h ^ ((uint64_t)s->step[i].kind << 32 | (uint64_t)s->step[i].tensor << 16 | (uint64_t)s->step[i].number)) *
            prime;
    for (int a = 0; a < s->naxes + s->nother; a++) {
        h = (h ^ (uint64_t)(a < s->naxes ? schedule_axis(s, a) : s->other[a - s->naxes])) * prime;
        h = (h ^ ((uint64_t)s->axis[a].n << 8 | (uint64_t)s->axis[a].peel)) * prime;
        for (int i = 0; i < s->axis[a].n; i++)
            h = (h ^ ((uint64_t)s->axis[a].f[i].size << 8 | (uint64_t)s->axis[a].f[i].bind)) * prime;
    }
    return h ^ h >> 31;
}

/* ---- steps ---- */

const ScheduleStepRow schedule_step_rows[SCHEDULE_STEP_COUNT] = {
#define ON_LOADED true, false
#define ON_STORED false, true
#define ON_ANY true, true
#define NEEDS_PLAIN false
#define NEEDS_BULK true
#define SCHEDULE_STEP(e, word, manner, on, least, most, targets, function)                                             \
    {#word, #manner, ON_##on, least, most, NEEDS_##targets, #function},
#include "schedule_steps.def"
};

bool schedule_has_step(const Schedule *s, ScheduleStepKind kind) {
    bool has = false;
    for (int i = 0; i < s->nsteps; i++) has |= s->step[i].kind == kind;
    return has;
}

bool schedule_add_step(Schedule *s, const Group *gr, ScheduleStep step) {
    const ScheduleStepRow *row = &schedule_step_rows[step.kind];
    const GTensor *t = &gr->tensors.at[step.tensor];
    int at = s->nsteps;
    if (s->nsteps == MAX_SCHEDULE_STEPS || step.number < row->least || step.number > row->most) return false;
    if (!(t->loaded && row->loaded) && !(t->stored && row->stored)) return false;
    for (int i = 0; i < s->nsteps; i++)
        if (s->step[i].tensor == step.tensor && !strcmp(schedule_step_rows[s->step[i].kind].function, row->function))
            return false;
    for (; at > 0; at--) {
        const ScheduleStep *before = &s->step[at - 1];
        if (before->kind < step.kind || (before->kind == step.kind && before->tensor < step.tensor)) break;
        s->step[at] = *before;
    }
    s->step[at] = step;
    s->nsteps++;
    return true;
}

static void drop(Schedule *s, int at) {
    s->nsteps--;
    for (int i = at; i < s->nsteps; i++) s->step[i] = s->step[i + 1];
    s->step[(int)s->nsteps] = (ScheduleStep){0};
}

void schedule_drop_step(Schedule *s, int at) {
    drop(s, at);
    if (schedule_has_step(s, SCHEDULE_OTHER)) return;
    s->nother = 0;
    memset(s->other, 0, sizeof s->other);
    for (int i = s->nsteps - 1; i >= 0; i--)
        if (schedule_step_rows[s->step[i].kind].function == schedule_step_rows[SCHEDULE_RELAY_PLAIN].function)
            drop(s, i);
}

/* ---- legality ---- */

static int64_t grid_size(const SAxis *s) {
    for (int i = 0; i < s->n; i++)
        if (s->f[i].bind == BIND_GRID) return s->f[i].size;
    return 0;
}

int schedule_slack(const Group *gr, const SAxis *s) {
    return s->peel ? group_row_wide(&gr->rows.at[s->peel - 1]) - 1 : 0;
}

int64_t schedule_covers(const Group *gr, const Schedule *s, int axis) {
    const GAxis *a = &gr->axes.at[axis];
    const SAxis *x = &s->axis[axis];
    int64_t product = 1;
    for (int i = 0; i < x->n; i++) {
        if (!x->f[i].size) return INT64_MAX;
        if (!mul_ok(product, x->f[i].size, &product)) return INT64_MAX;
    }
    product -= schedule_slack(gr, x);
    return a->most >= 0 && product >= a->most ? INT64_MAX : product;
}

/* Elements of an axis that a block has at once. */
static int64_t at_once(const SAxis *a) {
    int64_t n = 1;
    for (int i = 0; i < a->n; i++)
        if (bind_scope(a->f[i].bind) >= SCOPE_THREAD) times(&n, a->f[i].size);
    return n;
}

/* Rows that differ from register to register would start differently, and a loop's first iterations would lie before a
 * row, if one were no longer than what a row may start early by. */
static bool legal_peel(const Group *gr, const Schedule *s, int axis, Text *why) {
    if (!s->axis[axis].peel) return true;
    const GRow *r = &gr->rows.at[s->axis[axis].peel - 1];
    if (schedule_find(s, axis, BIND_SERIAL) && at_once(&s->axis[axis]) <= schedule_slack(gr, &s->axis[axis]))
        return text_fail(why, "%s: an iteration may lie before its row", gr->axes.at[axis].name);
    if (!r->peels) return text_fail(why, "%s: a result has elements of several rows", gr->axes.at[axis].name);
    if (r->axis != axis) return text_fail(why, "%s: no rows to peel by", gr->axes.at[axis].name);
    if (type_bits(r->tensor->type) < 8)
        return text_fail(why, "%s: elements of %s are no bytes", gr->axes.at[axis].name, r->tensor->name);
    if (gr->axes.at[axis].scanned || gr->axes.at[axis].ordered || axis == gr->split)
        return text_fail(why, "%s: begins where it begins", gr->axes.at[axis].name);
    for (int a = 0; a < s->naxes; a++)
        for (int i = 0; r->rows >> a & 1 && i < s->axis[a].n; i++)
            if (bind_scope(s->axis[a].f[i].bind) == SCOPE_REG)
                return text_fail(why, "%s: a thread has several rows of %s", gr->axes.at[axis].name, r->tensor->name);
    return true;
}

/* The blocks of a cluster have shares of an axis that all of its steps fold. */
static bool legal_cluster(const Group *gr, int axis, const SFactor *f, Text *why) {
    const GAxis *a = &gr->axes.at[axis];
    if (!a->folded || a->scanned || a->ordered || a->whole || axis == gr->split)
        return text_fail(why, "%s: the blocks of a cluster share an axis that is folded in any order", a->name);
    if (f->size > TARGET_MOST_CLUSTER || f->size & (f->size - 1))
        return text_fail(why, "%s: a cluster has a power of two of blocks, up to %d", a->name, TARGET_MOST_CLUSTER);
    return true;
}

/* *most is schedule_legal_within's. */
static bool legal_axis(const Group *gr, int axis, const Schedule *whole, int64_t *most, Text *why) {
    const GAxis *a = &gr->axes.at[axis];
    const SAxis *s = &whole->axis[axis];
    int open = 0, count[BIND_COUNT] = {0};
    int64_t product = 1;
    for (int i = 0; i < s->n; i++) {
        const SFactor *f = &s->f[i];
        if (f->size == 0) {
            if (f->bind != BIND_GRID && f->bind != BIND_SERIAL)
                return text_fail(why, "%s: only grid and serial may be open", a->name);
            open++;
        } else if (!mul_ok(product, f->size, &product) || product >= INT32_MAX) {
            return text_fail(why, "%s: its factors are too large", a->name);
        }
        if (i > 0 && (f->size == 0 || f->bind == BIND_SERIAL) && bind_scope(s->f[i - 1].bind) > SCOPE_LOOP)
            return text_fail(why, "%s: its %s factor stands inside a thread or register factor", a->name,
                             bind_text(f->bind));
        if (f->bind == BIND_SERIAL && a->scanned && i > (axis == gr->split))
            return text_fail(why, "%s: a scanned axis has its loop outermost", a->name);
        bool thread = bind_scope(f->bind) == SCOPE_THREAD;
        if (a->ordered && thread && f->size > 1) return text_fail(why, "%s: one thread folds in order", a->name);
        if (a->ordered && f->bind == BIND_SERIAL && i > 0)
            return text_fail(why, "%s: an axis that is folded in order has its loop outermost", a->name);
        if (thread && a->scanned && count[BIND_LANE] > 0)
            return text_fail(why, "%s: the lanes of a scanned axis are its innermost threads", a->name);
        if (f->bind == BIND_VEC && i + 1 < s->n) return text_fail(why, "%s: vec is innermost", a->name);
        count[f->bind]++;
        if (f->bind == BIND_MMA) return text_fail(why, "%s: no %s yet", a->name, bind_text(f->bind));
        if (f->bind == BIND_CLUSTER && !legal_cluster(gr, axis, f, why)) return false;
    }
    if (open > 1) return text_fail(why, "%s: two open factors", a->name);
    if (!open) *most = schedule_covers(gr, whole, axis);
    if (*most < INT64_MAX && (a->extent >= 0 || !expr_over_dims(a->var->lo) || !expr_over_dims(a->var->hi)))
        return text_fail(why, "%s: its factors do not cover it", a->name);
    if (*most <= 1) return text_fail(why, "%s: its factors hold one element, of which there may be none", a->name);
    if (count[BIND_SERIAL] > 1 || count[BIND_GRID] > 1)
        return text_fail(why, "%s: two grid or serial factors", a->name);
    bool split = axis == gr->split;
    if (split && (!count[BIND_GRID] || grid_size(s) != gr->parts))
        return text_fail(why, "%s: blocks take %lld shares of it", a->name, (long long)gr->parts);
    if (split && gr->shares && (!open || !count[BIND_SERIAL] || gr->shares % (product / gr->parts)))
        return text_fail(why, "%s: a share is a multiple of %lld elements", a->name, (long long)gr->shares);
    if (count[BIND_GRID] && !split && !axis_has_grid(a)) return text_fail(why, "%s: one block must own it", a->name);
    if (count[BIND_SERIAL] && a->whole)
        return text_fail(why, "%s: all of it is read before any of it is stored", a->name);
    if (count[BIND_SERIAL] && (a->folded || a->scanned) && !count[BIND_REG] && !count[BIND_VEC])
        return text_fail(why, "%s: a folded axis with a loop has a register factor", a->name);
    if (!s->n && (a->folded || a->scanned)) return text_fail(why, "%s: a folded axis has a factor", a->name);
    return true;
}

/* Elements of registers that one access or step holds a thread. */
static int64_t tile_of(const Widths *w, AxisSet axes) {
    int64_t n = 1;
    for (int a = 0; a < w->n; a++)
        if (axes >> a & 1) times(&n, w->reg[a]);
    return n;
}

static bool legal_registers(const Group *gr, const Widths *w, Text *why) {
    int64_t bytes = 0;
    for (int i = 0; i < gr->stores.n; i++) {
        int64_t n = tile_of(w, gr->stores.at[i].axes);
        if (n > SCHEDULE_TILE) return text_fail(why, "a tile of %lld elements a thread", (long long)n);
        bytes += n * 4;
    }
    for (int i = 0; i < gr->steps.n; i++) {
        const GStep *p = &gr->steps.at[i];
        int64_t n = tile_of(w, step_around(p) | p->over), kept = tile_of(w, step_around(p));
        if (p->joined[0]) {
            int64_t parts[] = {tile_of(w, p->joined[0]), tile_of(w, p->joined[1])};
            if (n > MAX_JOINED) return text_fail(why, "%lld operations a thread in a row", (long long)n);
            n = parts[0] > parts[1] ? parts[0] : parts[1];
        }
        if (n > SCHEDULE_TILE) return text_fail(why, "a tile of %lld elements a thread", (long long)n);
        if (kept > SCHEDULE_TILE) return text_fail(why, "a tile of %lld elements a thread", (long long)kept);
        bytes += kept * 4;
    }
    if (bytes > MAX_ROW_BYTES) return text_fail(why, "%lld bytes of registers a thread", (long long)bytes);
    return true;
}

/* The product of an axis's thread factors that lie across warps. */
static int64_t across_warps(const Group *gr, const Schedule *s, int axis) {
    static const Bind BINDS[] = {BIND_LANE, BIND_WARP, BIND_THREAD};
    int64_t stride = 1, n = 1;
    for (int b = 0; b < 3; b++)
        for (int place = s->naxes - 1; place >= 0; place--) {
            const int a = schedule_axis(s, place);
            for (int i = s->axis[a].n - 1; i >= 0 && !(group_into(gr) >> a & 1); i--) {
                const SFactor *f = &s->axis[a].f[i];
                if (f->bind != BINDS[b]) continue;
                if (a == axis && !digit_in_warp(stride, f->size)) n *= f->size;
                stride *= f->size;
            }
        }
    return n;
}

/* Elements along an axis that a block has at a time and in its loop; 0: that is not stated. */
static int64_t in_block(const SAxis *a) {
    int64_t n = 1;
    for (int i = 0; i < a->n; i++)
        if (bind_scope(a->f[i].bind) != SCOPE_BLOCK) times(&n, a->f[i].size);
    return n;
}

/* Of the bins of a step that scatters: a row for each thread and register of the axes around. */
static int64_t bins_bytes(const Schedule *s, const Widths *w, const GStep *p) {
    int64_t n = type_bits(p->node->type) / 8;
    for (int a = 0; a < s->naxes; a++) {
        if (p->into >> a & 1) times(&n, in_block(&s->axis[a]));
        if (step_around(p) >> a & 1) times(&n, w->thread[a]), times(&n, w->reg[a]);
    }
    return n > MAX_SHARED ? n : n + 2 * MAX_SHARED_ALIGN;
}

/* Bytes with which threads exchange what a step folds or scans: never less than the verifier counts
 * (kernel_verify_stage.c) or the lowering takes. */
static int64_t exchanged(const Group *gr, const Schedule *s, const Widths *w, const GStep *p) {
    if (p->into) return bins_bytes(s, w, p);
    int64_t parts = p->monoid->n, across = 1, blocks = 1, n = 2; /* two copies in a loop */
    for (int a = 0; a < w->n; a++) {
        if (p->over >> a & 1 && w->thread[a] > 1) across *= across_warps(gr, s, a);
        if (p->over >> a & 1) blocks *= schedule_cluster(s, a);
    }
    if (across == 1 && blocks == 1) return 0;
    for (int a = 0; a < w->n; a++) {
        if (!(p->free >> a & 1)) continue;
        if (!(p->over >> a & 1)) times(&n, w->thread[a]);
        times(&n, w->reg[a]);
    }
    int64_t rows = across == 1                   ? 0
                   : p->scan                     ? across
                   : across <= MAX_FOLDED_BY_ALL ? across | 1
                                                 : (across | 1) + 1,
            bytes = monoid_declared(p->monoid) ? 0 : cell_bytes(p->node->type) + (parts > 1 ? cell_bytes(TY_I64) : 0);
    for (int i = 0; monoid_declared(p->monoid) && i < parts; i++) bytes += cell_bytes(p->monoid->type[i]);
    if (blocks > 1) rows += blocks;
    if (!mul_ok(n, rows * bytes, &n)) return INT64_MAX;
    return n + 2 * MAX_SHARED_ALIGN * parts * (blocks > 1 ? 2 : 1);
}

int64_t schedule_shared(const Group *gr, const Schedule *s) {
    int64_t bytes = 0;
    Widths w;
    widths_of(gr, s, &w);
    for (int i = 0; i < gr->steps.n; i++)
        if (!add_ok(bytes, exchanged(gr, s, &w, &gr->steps.at[i]), &bytes)) bytes = INT64_MAX;
    return bytes;
}

bool schedule_whole_warps(const Group *gr, const Schedule *s) {
    Widths w;
    widths_of(gr, s, &w);
    for (int i = 0; i < gr->steps.n && threads_of(&w) % TARGET_WARP; i++)
        for (int a = 0; a < s->naxes; a++)
            if (gr->steps.at[i].over >> a & 1 && w.thread[a] > 1) return false;
    return true;
}

bool schedule_fits(const Group *gr, const Schedule *s, const SchedLimits *limits) {
    for (int i = 0; i < s->nsteps; i++)
        if (schedule_step_rows[s->step[i].kind].bulk && !limits->bulk) return false;
    for (int a = 0; a < s->naxes; a++)
        if (schedule_cluster(s, a) > limits->cluster) return false;
    Widths w;
    widths_of(gr, s, &w);
    if (s->occupancy * threads_of(&w) > limits->sm_threads) return false;
    return schedule_shared(gr, s) <= limits->shared;
}

static bool legal_shared(const Group *gr, const Schedule *s, Text *why) {
    int64_t bytes = schedule_shared(gr, s);
    if (bytes <= MAX_SHARED) return true;
    return text_fail(why, "about %lld bytes of shared memory", (long long)bytes);
}

static bool is_loop(const Schedule *s, AxisSet axes) {
    for (int a = 0; a < s->naxes; a++)
        if (axes >> a & 1 && schedule_find(s, a, BIND_SERIAL)) return true;
    return false;
}

/* Of folds across each other, as of rows and of columns, one is done in the other's loop. */
static bool legal_across(const Group *gr, const Schedule *s, Text *why) {
    for (int i = 0; i < gr->steps.n; i++)
        for (int k = 0; k < i; k++) {
            const GStep *p = &gr->steps.at[i], *q = &gr->steps.at[k];
            const bool folds = !p->scan && !q->scan;
            if (folds && is_loop(s, p->over & q->free) && is_loop(s, q->over & p->free))
                return text_fail(why, "loops along both of two axes that are folded across each other");
        }
    return true;
}

/* Whether blocks along an axis stand outside of all else, so that each has a range of it. */
static bool has_ranges(const SAxis *a) {
    bool inside = false, ranges = true;
    for (int i = 0; i < a->n; i++) {
        const bool block = bind_scope(a->f[i].bind) == SCOPE_BLOCK;
        ranges &= !block || !inside;
        inside |= !block && a->f[i].size != 1;
    }
    return ranges;
}

/* The threads of one binding along axes that are not hidden, from a place of the order on. */
static int64_t threads_from(const Schedule *s, int place, Bind bind, AxisSet hidden) {
    int64_t n = 1;
    for (; place < s->naxes; place++) {
        const int a = schedule_axis(s, place);
        for (int i = 0; i < s->axis[a].n && !(hidden >> a & 1); i++)
            if (s->axis[a].f[i].bind == bind) times(&n, s->axis[a].f[i].size);
    }
    return n;
}

/* Those that go along what is folded, and those that go along the places afterwards, are as many of each binding, and
 * so are those behind any axis that both have: each thread has the same rows twice. */
static bool threads_agree(const Group *gr, const Schedule *s, Text *why) {
    static const Bind BINDS[] = {BIND_LANE, BIND_WARP, BIND_THREAD};
    const AxisSet into = group_into(gr), over = group_scattered(gr);
    for (int place = 0; place < s->naxes; place++) {
        const int a = schedule_axis(s, place);
        for (int b = 0; b < 3; b++) {
            const int64_t n = threads_from(s, place, BINDS[b], into), after = threads_from(s, place, BINDS[b], over);
            const SFactor *own = (into | over) >> a & 1 ? NULL : schedule_find(s, a, BINDS[b]);
            if (n != after && (!place || (own && own->size > 1)))
                return text_fail(why, "%lld threads scatter, and %lld read", (long long)n, (long long)after);
        }
    }
    return true;
}

/* Where data say to which threads' elements something is added, the threads that have one row of bins take turns: they
 * are a warp's, unless the order does not show. An axis that the row does not depend on gives it threads, too. */
static bool legal_turns(const Group *gr, const Schedule *s, const GStep *p, Text *why) {
    if (monoid_updates(p->monoid->kind, p->node->type, &gr->graph->options)) return true;
    for (int a = 0; a < s->naxes; a++)
        if (!((p->into | step_around(p)) >> a & 1) && across_warps(gr, s, a) > 1)
            return text_fail(why, "%s: a warp folds what data scatter, in its order", gr->axes.at[a].name);
    return true;
}

static bool legal_scatter(const Group *gr, const Schedule *s, Text *why) {
    const AxisSet into = group_into(gr);
    if (!into) return true;
    for (int i = 0; i < gr->steps.n; i++)
        if (!legal_turns(gr, s, &gr->steps.at[i], why)) return false;
    for (int a = 0; a < s->naxes; a++) {
        if (s->axis[a].peel) return text_fail(why, "%s: it begins where it begins", gr->axes.at[a].name);
        if (schedule_cluster(s, a) > 1) return text_fail(why, "%s: a block has its places", gr->axes.at[a].name);
        if (into >> a & 1 && !(in_block(&s->axis[a]) && has_ranges(&s->axis[a])))
            return text_fail(why, "%s: what data scatter into is a range of a stated size", gr->axes.at[a].name);
    }
    if (threads_from(s, 0, BIND_THREAD, into) * threads_from(s, 0, BIND_WARP, into) *
        threads_from(s, 0, BIND_LANE, into) % TARGET_WARP)
        return text_fail(why, "its warps take turns, and there are no whole warps");
    return threads_agree(gr, s, why);
}

bool schedule_legal(const Group *gr, const Schedule *s, Text *why) {
    int64_t most[MAX_GROUP_AXES];
    if (!schedule_legal_within(gr, s, most, why)) return false;
    for (int a = 0; a < gr->axes.n; a++)
        if (most[a] < INT64_MAX) return text_fail(why, "%s: its factors do not cover it", gr->axes.at[a].name);
    return true;
}

bool schedule_legal_within(const Group *gr, const Schedule *s, int64_t *most, Text *why) {
    if (s->naxes != gr->axes.n) return text_fail(why, "a schedule for another group");
    int64_t lanes = 1;
    bool by_warp = false, plain = false;
    int factors = 0, clusters = 0;
    for (int a = 0; a < s->naxes; a++) {
        most[a] = INT64_MAX;
        if (!legal_peel(gr, s, a, why) || !legal_axis(gr, a, s, &most[a], why)) return false;
        factors += s->axis[a].n;
        for (int i = 0; i < s->axis[a].n; i++) {
            Bind b = s->axis[a].f[i].bind;
            if (b == BIND_LANE && !(group_into(gr) >> a & 1))
                lanes *= s->axis[a].f[i].size <= TARGET_WARP ? s->axis[a].f[i].size : TARGET_WARP + 1;
            if (lanes > TARGET_WARP) return text_fail(why, "more than %d lanes", TARGET_WARP);
            by_warp |= b == BIND_LANE || b == BIND_WARP;
            plain |= b == BIND_THREAD;
            clusters += b == BIND_CLUSTER;
        }
    }
    for (int i = 0; i < s->naxes; i++)
        if (gr->axes.at[i].ordered && s->shift[i]) return text_fail(why, "%s is folded in order", gr->axes.at[i].name);
    if (s->ahead > 1) return text_fail(why, "loads run one iteration ahead at most");
    if (clusters > 1) return text_fail(why, "two cluster factors");
    if (factors > MAX_FACTORS) return text_fail(why, "too many factors");
    if (by_warp && plain) return text_fail(why, "thread beside warp and lane");
    if (by_warp && lanes != TARGET_WARP) return text_fail(why, "%lld lanes", (long long)lanes);
    Widths w;
    widths_of(gr, s, &w);
    const int64_t threads = threads_of(&w);
    if (threads > TARGET_MOST_THREADS) return text_fail(why, "more than %d threads", TARGET_MOST_THREADS);
    if (s->occupancy > TARGET_MOST_SM_BLOCKS || s->occupancy * threads > TARGET_MOST_SM_THREADS)
        return text_fail(why, "%d blocks of %lld threads do not fit together", s->occupancy, (long long)threads);
    /* What lies inside a warp is exchanged by shuffles, in which all of its threads take part. */
    for (int i = 0; i < gr->steps.n; i++)
        for (int a = 0; a < s->naxes; a++)
            if (gr->steps.at[i].over >> a & 1 && threads % TARGET_WARP && across_warps(gr, s, a) != w.thread[a])
                return text_fail(why, "%s is folded across threads that are no whole warps", gr->axes.at[a].name);
    return legal_scatter(gr, s, why) && legal_across(gr, s, why) && legal_registers(gr, &w, why) &&
           legal_shared(gr, s, why);
}

/* All elements of an axis at once: of the longest of several by threads. */
static void hold(const Group *gr, int axis, Schedule *s) {
    const int64_t most = gr->axes.at[axis].most, threads = TARGET_MOST_THREADS;
    for (int a = 0; a < gr->axes.n; a++) {
        const bool longer = gr->axes.at[a].most > most || (gr->axes.at[a].most == most && a > axis);
        if (!(gr->across >> a & 1) || !longer) continue;
        schedule_factor(s, axis, BIND_REG, most > 0 ? most : 1);
        return;
    }
    schedule_factor(s, axis, BIND_REG, most > threads ? (most + threads - 1) / threads : 1);
    schedule_factor(s, axis, BIND_THREAD,
                    most < threads ? (most + TARGET_WARP - 1) / TARGET_WARP * TARGET_WARP : threads);
}

/* A warp has a row, and as many places of it. */
static void fallback_scatter(const Group *gr, Schedule *s) {
    bool lanes = false;
    for (int a = gr->axes.n - 1; a >= 0; a--) {
        const bool folded = group_scattered(gr) >> a & 1;
        if (a == gr->split) schedule_factor(s, a, BIND_GRID, gr->parts);
        schedule_factor(s, a, folded ? BIND_SERIAL : BIND_GRID, 0);
        if (folded) schedule_factor(s, a, BIND_REG, 1);
        if ((folded && !lanes) || group_into(gr) >> a & 1) schedule_factor(s, a, BIND_LANE, TARGET_WARP);
        lanes |= folded;
    }
}

/* Folded axes are loops; of the others the last has a block's threads, the rest are blocks. What is held whole takes
 * the threads. */
void schedule_fallback(const Group *gr, Schedule *s) {
    *s = (Schedule){.naxes = gr->axes.n};
    if (group_into(gr)) {
        fallback_scatter(gr, s);
        return;
    }
    int last = -1;
    for (int a = 0; a < gr->axes.n; a++)
        if (axis_has_grid(&gr->axes.at[a])) last = a;
    for (int a = 0; a < gr->axes.n; a++) {
        bool grid = axis_has_grid(&gr->axes.at[a]);
        if (a == gr->split) schedule_factor(s, a, BIND_GRID, gr->parts);
        if (gr->across >> a & 1) {
            hold(gr, a, s);
            continue;
        }
        schedule_factor(s, a, grid ? BIND_GRID : BIND_SERIAL, 0);
        if (a == last && !gr->across) schedule_factor(s, a, BIND_THREAD, FALLBACK_THREADS);
        if (!grid) schedule_factor(s, a, BIND_REG, 1);
    }
}
