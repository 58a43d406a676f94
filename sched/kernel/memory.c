/* The lifetimes of temporaries and of the library's scratch, and where they lie: see memory.h. */
#include "memory.h"

#include "ir/expr_is.h"
#include "ir/expr_map.h"
#include "sched/library/product.h"

#include <limits.h>
#include <stdlib.h>

/* What a parameter holds is not needed after step `after` and before step `before` of the way. */
typedef struct Gap {
    int after, before;
} Gap;

typedef struct Finding {
    Ctx *ctx;
    const Program *p;
    const Way *way;
    Memory *m;
    ExprMap piece, param;         /* Tensor -> its place among the pieces or parameters + 1 */
    int *first_write, *last_read; /* of parameters: steps; reads after the first write do not count */
    Gap *gap;
    int *successions; /* of step k: from successions[k] up to successions[k + 1] */
    int step;         /* of the way, the one that is looked at */
} Finding;

/* ---- who uses what when ---- */

static int piece_of(const Finding *x, const Tensor *t) { return t ? (int)expr_map_number(&x->piece, t, -1) : -1; }

static int param_of(const Finding *x, const Tensor *t) { return t ? (int)expr_map_number(&x->param, t, -1) : -1; }

static void used_at(Finding *x, const Tensor *t, bool write) {
    int at = piece_of(x, t), param = param_of(x, t);
    if (at >= 0) {
        MemoryPiece *piece = &x->m->pieces.at[at];
        if (piece->first < 0) piece->first = x->step;
        piece->last = x->step;
        piece->away = false;
    }
    if (param < 0) return;
    if (write && x->first_write[param] > x->step) x->first_write[param] = x->step;
    if (!write && x->first_write[param] >= x->step) x->last_read[param] = x->step;
}

static void used_by_stages(Finding *x, Stage *const *at, int n) {
    for (int i = 0; i < n; i++) {
        used_at(x, at[i]->tensor, at[i]->kind == STAGE_STORE || at[i]->kind == STAGE_ATOMIC);
        used_at(x, at[i]->counter, true);
        used_by_stages(x, at[i]->body.at, at[i]->body.n);
    }
}

static void used_by_kernel(Finding *x, const Kernel *k) {
    for (int i = 0; i < k->parts.n; i++) used_by_stages(x, k->parts.at[i]->body.at, k->parts.at[i]->body.n);
    if (!k->product) return;
    const Matrix *m[] = {&k->product->a, &k->product->b, &k->product->c, &k->product->d, &k->product->bias};
    for (int i = 0; i < 5; i++) used_at(x, m[i]->tensor, i == 3);
}

/* What the step at x->step uses. */
static void used_by_step(Finding *x, const Step *s) {
    switch (s->kind) {
    case STEP_KERNEL:
        used_by_kernel(x, s->kernel);
        if (s->kernel->product) vec_push(x->ctx, &x->m->pieces, ((MemoryPiece){.first = x->step, .last = x->step}));
        break;
    case STEP_SORT:
        used_at(x, s->sort->sort.keys, false);
        used_at(x, s->sort->sort.order, true);
        used_at(x, s->sort->sort.starts, true);
        used_at(x, s->sort->scratch, true);
        break;
    case STEP_CHOICE: /* of kernels, of which each writes the same */
        for (int i = 0; i < s->choice->cases.n; i++) used_by_kernel(x, s->choice->cases.at[i]->steps.at[0].kernel);
        break;
    }
}

static void find_uses(Finding *x) {
    const Program *p = x->p;
    Memory *m = x->m;
    x->first_write = NEW_N(x->ctx, int, p->params.n + 1);
    x->last_read = NEW_N(x->ctx, int, p->params.n + 1);
    for (int i = 0; i < p->params.n; i++) {
        expr_map_put_number(x->ctx, &x->param, p->params.at[i], i);
        x->first_write[i] = INT_MAX, x->last_read[i] = -1;
    }
    for (int i = 0; i < p->temps.n; i++) {
        expr_map_put_number(x->ctx, &x->piece, p->temps.at[i], m->pieces.n);
        vec_push(x->ctx, &m->pieces, ((MemoryPiece){.temp = p->temps.at[i], .first = -1, .last = -1, .away = true}));
    }
    for (x->step = 0; x->step < x->way->steps.n; x->step++) used_by_step(x, &x->way->steps.at[x->step]);
    for (int i = 0; i < p->zeroed.n; i++) { /* cleared before the first step */
        MemoryPiece *piece = &m->pieces.at[piece_of(x, p->zeroed.at[i])];
        if (!piece->away) piece->first = 0;
    }
}

/* ---- parameters with room ---- */

/* Whether no old element of an inout is left. */
static bool is_whole(const Tensor *t) {
    bool whole = tensor_is_plain(t);
    for (int i = 0; i < t->rank && whole; i++) {
        const Var *v = t->pieces.at[0].vars[i];
        int64_t lo;
        whole = expr_is_int(v->lo, &lo) && lo == 0 && v->hi == t->shape[i];
    }
    return whole;
}

/* Outputs before they are written, and inouts between their last read and their first write, where all of them is
 * written. An output that may stand at an input's address has room once that input is read no more. The half bytes of
 * 4-bit outputs are cleared before all else. */
static void find_gaps(Finding *x) {
    const Program *p = x->p;
    x->gap = NEW_N(x->ctx, Gap, p->params.n + 1);
    for (int i = 0; i < p->params.n; i++) {
        const Tensor *t = p->params.at[i];
        bool whole = t->kind == TENSOR_OUTPUT || (t->kind == TENSOR_INOUT && is_whole(t));
        bool room = whole && type_bits(t->type) >= 8 && x->first_write[i] != INT_MAX;
        x->gap[i] = (Gap){x->last_read[i], room ? x->first_write[i] : -1};
    }
    for (int i = 0; i < p->in_place.n; i++) {
        Gap *gap = &x->gap[param_of(x, p->in_place.at[i].out)];
        int read = x->last_read[param_of(x, p->in_place.at[i].in)];
        if (read > gap->after) gap->after = read;
    }
}

static bool fits(const Gap *gap, int first, int last) { return gap->after < first && last < gap->before; }

/* ---- tensors that take over from others ---- */

/* Where the library runs the kernel: the one is what is added to the other, element by element. */
static bool library_takes_over(const Product *m, const Succession *s) {
    const Matrix *c = &m->c, *d = &m->d;
    if (m->a.tensor == s->in || m->b.tensor == s->in || m->bias.tensor == s->in) return false;
    if (c->tensor != s->in) return true;
    bool same =
        product_in_place(m) && d->tensor == s->out && c->offset == d->offset && c->row == d->row && c->col == d->col;
    for (int i = 0; i < m->nbatch; i++) same &= c->batch[i] == d->batch[i];
    return same;
}

static bool may_take_over(const Finding *x, const Succession *s) {
    const Kernel *k = step_kernel(&x->way->steps.at[s->step]);
    return !k || !k->product || library_takes_over(k->product, s);
}

/* Does the temporary take over from an input or inout in kernel k? */
static bool follows(const Finding *x, const Tensor *temp, const Tensor *in, int k) {
    for (int i = x->successions[k]; i < x->successions[k + 1]; i++) {
        const Succession *s = &x->way->successions.at[i];
        if (s->out == temp && s->in == in) return may_take_over(x, s);
    }
    return false;
}

/* Has the parameter room from kernel `first` on, which writes the temporary? Where something that may be there is read
 * by that kernel for the last time, the temporary must take over from it. */
static bool room_from(const Finding *x, int param, const Tensor *temp, int first) {
    const Program *p = x->p;
    const Tensor *t = p->params.at[param];
    if (x->gap[param].after != first) return x->gap[param].after < first;
    if (x->last_read[param] == first && !follows(x, temp, t, first)) return false;
    for (int i = 0; i < p->in_place.n; i++) {
        const InPlace *pair = &p->in_place.at[i];
        if (pair->out == t && x->last_read[param_of(x, pair->in)] == first && !follows(x, temp, pair->in, first))
            return false;
    }
    return true;
}

static bool is_zeroed(const Program *p, const Tensor *t) {
    for (int i = 0; i < p->zeroed.n; i++)
        if (p->zeroed.at[i] == t) return true;
    return false;
}

/* `in` is read for the last time where `out` is written first. What stands where `out` does from there on now begins
 * with `in`. */
static void take_over(Finding *x, const Succession *s) {
    int in = piece_of(x, s->in), out = piece_of(x, s->out), param = param_of(x, s->out);
    /* What is cleared has a place and size of its own. */
    if (in < 0 || !may_take_over(x, s) || is_zeroed(x->p, s->in)) return;
    MemoryPiece *from = &x->m->pieces.at[in], *to = out >= 0 ? &x->m->pieces.at[out] : NULL;
    const Tensor *root = to && to->with ? to->with : s->out;
    if (from->with || from->last != s->step || (to && !to->with && to->first != s->step)) return;
    if (to) param = param_of(x, root);
    if (param >= 0) {
        Gap *gap = &x->gap[param];
        if (gap->before != s->step || !room_from(x, param, from->temp, from->first)) return;
        gap->before = from->first;
    } else {
        MemoryPiece *at = &x->m->pieces.at[piece_of(x, root)];
        if (at->first != s->step) return;
        at->first = from->first;
    }
    from->with = root;
}

/* ---- lists ---- */

enum { MAX_MEETINGS = 1 << 18 /* in one entry */, MAX_PIECES = 1 << 13 };

/* Two pieces that are in use at the same time. */
typedef struct Meeting {
    int a, b;
} Meeting;

typedef VEC(Meeting) Meetings;

typedef struct Start {
    int first, piece;
} Start;

static int by_first(const void *a, const void *b) {
    const Start *x = a, *y = b;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first) : x->piece - y->piece;
}

/* Each two that meet, once. False: there are too many. */
static bool find_meetings(Finding *x, Meetings *all) {
    Start *start = NEW_N(x->ctx, Start, x->m->pieces.n + 1);
    int n = 0;
    for (int i = 0; i < x->m->pieces.n; i++) {
        const MemoryPiece *p = &x->m->pieces.at[i];
        if (!p->with && !p->away) start[n++] = (Start){p->first, i};
    }
    qsort(start, (size_t)n, sizeof *start, by_first);
    for (int i = 0; i < n; i++) {
        int last = x->m->pieces.at[start[i].piece].last;
        for (int k = i + 1; k < n && start[k].first <= last; k++) {
            if (all->n >= MAX_MEETINGS / 2) return false;
            vec_push(x->ctx, all, ((Meeting){start[i].piece, start[k].piece}));
        }
    }
    return true;
}

/* Of each piece those that it meets, in ascending order: each is put into the lists of those in its own list. */
static void list_meetings(Finding *x, const Meetings *all) {
    Memory *m = x->m;
    int n = m->pieces.n, *unsorted = NEW_N(x->ctx, int, 2 * all->n + 1), *at = NEW_N(x->ctx, int, n + 1);
    m->starts.at = NEW_N(x->ctx, int, n + 1);
    m->meets.at = NEW_N(x->ctx, int, 2 * all->n + 1);
    m->starts.n = m->starts.cap = n + 1;
    m->meets.n = m->meets.cap = 2 * all->n;
    for (int i = 0; i < all->n; i++) m->starts.at[all->at[i].a + 1]++, m->starts.at[all->at[i].b + 1]++;
    for (int i = 0; i < n; i++) at[i + 1] = m->starts.at[i + 1] += m->starts.at[i];
    for (int i = 0; i < all->n; i++) {
        const Meeting *two = &all->at[i];
        unsorted[at[two->a]++] = two->b;
        unsorted[at[two->b]++] = two->a;
    }
    memcpy(at, m->starts.at, sizeof *at * (size_t)n);
    for (int i = 0; i < n; i++)
        for (int k = m->starts.at[i]; k < m->starts.at[i + 1]; k++) m->meets.at[at[unsorted[k]]++] = i;
}

static void find_homes(Finding *x, const MemoryPiece *piece) {
    Memory *m = x->m;
    int n = m->homes.n;
    for (int i = 0; i < x->p->params.n && !piece->with && !piece->away && m->homes.n < n + MAX_HOMES; i++) {
        bool loose = piece->temp && type_bits(piece->temp->type) <= type_bits(x->p->params.at[i]->type);
        if (fits(&x->gap[i], piece->first, piece->last)) vec_push(x->ctx, &m->homes, 2 * i + !loose);
    }
}

static bool find_lists(Finding *x) {
    Memory *m = x->m;
    Meetings all = {0};
    if (m->pieces.n > MAX_PIECES || !find_meetings(x, &all)) return false;
    list_meetings(x, &all);
    for (int i = 0; i < m->pieces.n; i++) {
        vec_push(x->ctx, &m->home_starts, m->homes.n);
        find_homes(x, &m->pieces.at[i]);
    }
    vec_push(x->ctx, &m->home_starts, m->homes.n);
    return true;
}

void memory_plan(Ctx *ctx, const Program *p, const Way *way, Memory *m) {
    Finding x = {.ctx = ctx, .p = p, .way = way, .m = m};
    *m = (Memory){0};
    find_uses(&x);
    find_gaps(&x);
    x.successions = NEW_N(ctx, int, way->steps.n + 1);
    for (int i = 0; i < way->successions.n; i++) x.successions[way->successions.at[i].step + 1]++;
    for (int k = 0; k < way->steps.n; k++) x.successions[k + 1] += x.successions[k];
    for (int i = way->successions.n - 1; i >= 0; i--) take_over(&x, &way->successions.at[i]);
    m->shared = find_lists(&x);
}

/* ---- places for given sizes ---- */

static int64_t aligned(int64_t bytes) { return (bytes + PLACE_ALIGN - 1) / PLACE_ALIGN * PLACE_ALIGN; }

/* What a piece takes in a home: where it must be aligned it may begin later. */
static int64_t span(int64_t bytes, int home) { return bytes + (home >= 0 && home % 2 ? PLACE_ALIGN - 1 : 0); }

static int home_of(int home) { return home < 0 ? -1 : home / 2; }

/* The first place in a home from 0 on that is free of the pieces that meet this one and have a place there. */
static int64_t first_gap(const Memory *m, int piece, int home, const int64_t *bytes, const MemoryPlace *place) {
    int64_t at = 0, size = aligned(span(bytes[piece], home));
    for (bool moved = true; moved;) {
        moved = false;
        for (int k = m->starts.at[piece]; k < m->starts.at[piece + 1]; k++) {
            const MemoryPlace *other = &place[m->meets.at[k]];
            if (other->offset < 0 || home_of(other->home) != home_of(home)) continue;
            int64_t end = other->offset + aligned(span(bytes[m->meets.at[k]], other->home));
            if (at < end && other->offset < at + size) at = end, moved = true;
        }
    }
    return at;
}

static bool place_at_home(const Memory *m, int piece, const int64_t *params, const int64_t *bytes, MemoryPlace *place) {
    for (int k = m->home_starts.at[piece]; k < m->home_starts.at[piece + 1]; k++) {
        int home = m->homes.at[k];
        int64_t at = first_gap(m, piece, home, bytes, place);
        if (at + span(bytes[piece], home) > params[home_of(home)]) continue;
        place[piece] = (MemoryPlace){home, at};
        return true;
    }
    return false;
}

bool memory_place(Ctx *ctx, const Memory *m, const int64_t *params, const int64_t *bytes, MemoryPlace *place,
                  int64_t *total) {
    int n = m->pieces.n, *order = NEW_N(ctx, int, n + 1);
    *total = 0;
    for (int i = 0; i < n; i++) order[i] = i, place[i] = (MemoryPlace){-1, -1};
    for (int step = m->shared ? n / 2 : 0; step > 0; step /= 2)
        for (int i = step; i < n; i++) {
            int piece = order[i], k = i;
            for (; k >= step && bytes[order[k - step]] < bytes[piece]; k -= step) order[k] = order[k - step];
            order[k] = piece;
        }
    for (int i = 0; i < n; i++) {
        int piece = order[i];
        int64_t size = aligned(bytes[piece]);
        if (m->shared && size && place_at_home(m, piece, params, bytes, place)) continue;
        place[piece].offset = m->shared ? first_gap(m, piece, -1, bytes, place) : *total;
        if (size && place[piece].offset + size > *total) *total = place[piece].offset + size;
        if (*total > (int64_t)1 << 60) return false;
    }
    return true;
}
