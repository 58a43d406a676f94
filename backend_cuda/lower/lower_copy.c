/* Lowering, copies that run ahead of a loop: a slot of shared memory for each iteration in flight. Bulk: warp 0 fills a
 * slot when every warp has said that it is done with it (empty; nothing, where each iteration has a barrier after the
 * reads), and the copies say when they have arrived (full). Async: every thread copies its own pieces, one group an
 * iteration, and one barrier an iteration both shows the pieces to all and says that the slot before is free. */
#include "lower_internal.h"

static SharedTile *copy_tile(Lower *l, Stage *s) {
    SharedTile *t = tile_of(l, s->out[0]);
    if (t) return t;
    const Layout *layout = l->part->layouts.at[0];
    SharedTile shape = tile_shape(l, s->out[0], layout, access_domain(l, layout, s), 0);
    t = tile_new(l, &shape, stage_slots(l->part, s));
    t->copy = s;
    if (t->naxes == 0)
        lower_fail(l, "the copy %s has no tile: nothing of it is spread over threads or registers", s->out[0]->name);
    return t;
}

static Stage *last_read_of(Stage *const *s, int n, const Value *v) {
    Stage *r = NULL;
    for (int i = 0; i < n; i++) {
        if (s[i]->kind == STAGE_READ && s[i]->source == v) r = s[i];
        Stage *in = last_read_of(s[i]->body.at, s[i]->body.n, v);
        if (in) r = in;
    }
    return r;
}

/* Whether all threads meet in each iteration after the slot's last read. */
static bool barrier_after(Lower *l, const Stage *loop, const Stage *read) {
    bool after = false;
    for (int i = 0; i < loop->body.n; i++) {
        const Stage *s = loop->body.at[i];
        if (s == read)
            after = true;
        else if (after && s->kind == STAGE_REDUCE && reduce_has_barrier(l, s))
            return true;
        else if (after && s->kind == STAGE_STORE && s->path == PATH_BULK)
            return true;
    }
    return false;
}

static void put_mbarriers(Lower *l, SharedTile *t, const Stage *s) {
    const Value *v = t->value;
    const int slots = stage_slots(l->part, s);
    Sym full = value_name_with(l, v, "_full"), empty = value_name_with(l, v, "_empty");
    Sym phase = value_name_with(l, v, "_phase"), parity = value_name_with(l, v, "_parity");
    int fills = 1;
    for (int k = 0; k < t->naxes - 1; k++) fills *= (int)t->extent[k];
    t->barriers = region_new(l, s, 1, (t->barrier ? 8 : 16) * slots);
    int at = l->needs.regions.at[t->barriers].offset;
    if (t->barrier)
        put_declare(l, "const td_sp<uint64_t>", full, " = td_shared<uint64_t>(%d)", at);
    else
        put_declare(l, "const td_sp<uint64_t>", full, " = td_shared<uint64_t>(%d), %n = %n + %d", at, empty, full,
                    slots);
    put_if(l, code(l->ctx, "td_tid() < %d", slots));
    put_do(l, "td_mbar_init(%n + td_tid(), %d)", full, fills);
    if (!t->barrier) put_do(l, "td_mbar_init(%n + td_tid(), %d)", empty, l->k->threads / 32);
    put_do(l, "td_mbar_fence()");
    put_end(l);
    put_barrier(l);
    if (s->held) return;
    if (t->barrier)
        put_declare(l, "int", phase, " = 0");
    else
        put_declare(l, "int", phase, " = 0, %n = 1", parity);
}

/* Every thread's own pieces, by the layout of the copy, into a slot of the tile. */
static void async_fill(Lower *l, SharedTile *t, Stage *s, const Code *number) {
    const Layout *layout = l->open.layout = l->part->layouts.at[0];
    const char *T = lower_storage_type(s->tensor->type);
    const Access *x = access_of(l, s);
    const Code *once = access_guard_once(l, x), *more = access_guard(l, x, NULL), *base = tile_base(l, t);
    const Code *guard = once && more ? code(l->ctx, "%c && %c", once, more) : once ? once : more;
    Sym slot = sym(l->ctx, "slot");
    put_declare(l, sym_fmt(l->ctx, "const td_sp<%s>", T), slot, " = %c + %c * %l", base, number, t->elements);
    const Code *at = put_pointer(l, x, s, true, NULL);
    int loops = put_vector_loops(l, &x->plan, NULL);
    Poly place = vector_drop(l, tile_offset(l, t, layout), &x->plan);
    const Code *zero = code(l->ctx, "0");
    const Code *lo = x->tail == TAIL_PART && x->vaxis->peel ? access_remaining(l, x, true) : zero;
    const Code *hi = x->tail == TAIL_NONE ? code(l->ctx, "%l", x->plan.V) : access_remaining(l, x, false);
    if (guard) put_if(l, guard)->braces = INLINE;
    put_do(l, "td_fill_piece<%s, %s, %l>(%n + %c, %c, %c, %c)", x->plan.V > 1 ? "A" : "0", T, x->plan.V, slot,
           poly_code(l, place, false), at, lo, hi);
    if (guard) put_end(l);
    put_ends(l, loops);
}

static bool runs_ahead(const Stage *s, Path path) { return s->kind == STAGE_COPY && s->path == path && !s->held; }

static bool any_async(const Stage *loop, int *depth) {
    *depth = 0;
    for (int i = 0; i < loop->body.n; i++)
        if (runs_ahead(loop->body.at[i], PATH_ASYNC)) *depth = loop->body.at[i]->depth;
    return *depth > 0;
}

/* A counter of slots moves on, and `also` happens when it begins again. */
static void put_next(Lower *l, Sym counter, int depth, const Code *also) {
    put_if(l, code(l->ctx, "++%n == %d", counter, depth))->braces = INLINE;
    put_do(l, "%n = 0%c", counter, also);
    put_end(l);
}

/* The function that fills the slot of an iteration. */
static void put_fill_function(Lower *l, const LoopHead *h, SharedTile *t, Stage *s) {
    bool bulk = s->path == PATH_BULK;
    int before = l->open.declared.n;
    Stmt *fill = put_lambda(l, value_name_with(l, t->value, "_fill"), h->var);
    l->open.loops[l->open.nloops++] = h->stage;
    axis_loop_digit(l, h->stage, h->var, h->start, h->step);
    axis_declare(l, bulk); /* a peeled axis starts where this iteration's row says */
    const Code *slot = code_name(l->ctx, value_name_with(l, t->value, "_put"));
    if (bulk)
        bulk_fill(l, t, s, slot);
    else
        async_fill(l, t, s, slot);
    stmt_prune(l->ctx, &fill->body);
    l->open.nloops--;
    l->open.declared.n = before;
    const Code *flip =
        bulk && !t->barrier ? code(l->ctx, ", %n ^= 1", value_name_with(l, t->value, "_parity")) : code(l->ctx, "");
    put_next(l, value_name_with(l, t->value, "_put"), s->depth, flip);
    put_end(l);
}

/* The slots of a copy in a loop inside another are those of all of its runs: where one ended the next goes on. */
static void put_slots(Lower *l, SharedTile *t, const Stage *s) {
    const bool inside = axis_in_loop(l);
    if (inside) put_into(l, &l->open.slots);
    if (s->path == PATH_BULK) put_mbarriers(l, t, s);
    put_declare(l, "int", value_name_with(l, t->value, "_slot"), " = 0, %n = 0", value_name_with(l, t->value, "_put"));
    if (inside) put_back(l);
}

/* Of what is held no slot is filled twice, so that nobody says that it is free. */
static void setup_held(Lower *l, SharedTile *t, const Stage *s) {
    t->barrier = true;
    value_name(l, t->value);
    if (s->path == PATH_BULK) put_mbarriers(l, t, s);
}

static void setup_copy(Lower *l, const LoopHead *h, Stage *s) {
    bool bulk = s->path == PATH_BULK;
    l->open.layout = l->part->layouts.at[0];
    SharedTile *t = copy_tile(l, s);
    if (l->failed) return;
    if (s->held) {
        setup_held(l, t, s);
        return;
    }
    t->last_read = last_read_of(h->stage->body.at, h->stage->body.n, s->out[0]);
    t->waited = false;
    const Factor *f = axis_serial(l, h->stage->axis);
    if (f) {
        Poly ahead = poly_scale(l->ctx, poly_of(&l->env, f->stride), s->depth);
        index_fits(l, poly_add(l->ctx, poly_of(&l->env, expr_var(l->g, h->stage->axis->var)), ahead));
    }
    t->barrier = bulk && barrier_after(l, h->stage, t->last_read);
    value_name(l, t->value);
    put_slots(l, t, s);
    put_fill_function(l, h, t, s);
    if (!bulk || s->depth == 1) return;
    put_loop(l, false, "I i = 0, at = %c; i < %d && at < %c; i++, at += %c", h->start, s->depth - 1, h->bound, h->step)
        ->braces = INLINE;
    put_do(l, "%n(at)", value_name_with(l, t->value, "_fill"));
    put_end(l);
}

void copy_setup(Lower *l, const LoopHead *h) {
    int depth;
    any_async(h->stage, &depth);
    for (int i = 0; i < h->stage->body.n && !l->failed; i++) {
        Stage *s = h->stage->body.at[i];
        if (s->kind != STAGE_COPY) continue;
        if (runs_ahead(s, PATH_ASYNC) && s->depth != depth)
            lower_fail(l, "asynchronous copies of one loop run equally far ahead");
        setup_copy(l, h, s);
    }
    if (depth <= 1 || l->failed) return;
    put_loop(l, false, "I i = 0, at = %c; i < %d; i++, at += %c", h->start, depth - 1, h->step);
    for (int i = 0; i < h->stage->body.n; i++) {
        const Stage *s = h->stage->body.at[i];
        if (!runs_ahead(s, PATH_ASYNC)) continue;
        put_if(l, code(l->ctx, "at < %c", h->bound))->braces = INLINE;
        put_do(l, "%n(at)", value_name_with(l, s->out[0], "_fill"));
        put_end(l);
    }
    put_do(l, "td_cp_commit()");
    put_end(l);
}

static void put_fill_ahead(Lower *l, const LoopHead *h, const Stage *s) {
    Sym fill = value_name_with(l, s->out[0], "_fill");
    if (s->depth == 1) {
        put_do(l, "%n(%n)", fill, h->var);
        return;
    }
    const Code *at = code(l->ctx, "%n + %d * (%c)", h->var, s->depth - 1, h->step);
    put_if(l, code(l->ctx, "%c < %c", at, h->bound))->braces = INLINE;
    put_do(l, "%n(%c)", fill, at);
    put_end(l);
}

void copy_advance(Lower *l, const LoopHead *h) {
    int depth;
    bool async = any_async(h->stage, &depth);
    if (async && depth > 1) put_do(l, "td_cp_wait<%d>()", depth - 2);
    if (async) put_barrier(l);
    for (int i = 0; i < h->stage->body.n; i++)
        if (h->stage->body.at[i]->kind == STAGE_COPY && !h->stage->body.at[i]->held)
            put_fill_ahead(l, h, h->stage->body.at[i]);
    if (async) put_do(l, "td_cp_commit()");
    if (async && depth == 1) {
        put_do(l, "td_cp_wait<0>()");
        put_barrier(l);
    }
}

void copy_release(Lower *l, Stage *loop) {
    for (int i = 0; i < loop->body.n; i++) {
        Stage *s = loop->body.at[i];
        SharedTile *t = s->kind == STAGE_COPY && !s->held ? tile_of(l, s->out[0]) : NULL;
        if (!t) continue;
        if (!t->last_read) lower_fail(l, "the copy %s is never read", s->out[0]->name);
        const Code *flip =
            s->path == PATH_BULK ? code(l->ctx, ", %n ^= 1", value_name_with(l, t->value, "_phase")) : code(l->ctx, "");
        put_next(l, value_name_with(l, t->value, "_slot"), s->depth, flip);
        t->waited = false;
    }
}

/* The digit of the iteration is the number of its slot. */
void copy_hold(Lower *l, Stage *s) {
    const Stage *loop = l->open.loops[l->open.nloops - 1];
    SharedTile *t = tile_of(l, s->out[0]);
    if (!t) return; /* what has failed */
    const Code *slot = factor_code(l, axis_serial(l, loop->axis));
    if (s->path == PATH_BULK) bulk_fill(l, t, s, slot);
    if (s->path == PATH_BULK) return;
    put_block(l);
    async_fill(l, t, s, slot);
    put_end(l);
}

bool copy_holds(const Stage *loop) { return loop->body.n && loop->body.at[0]->held; }

void copy_held(Lower *l, const Stage *loop) {
    bool async = false;
    for (int i = 0; i < loop->body.n; i++) async |= loop->body.at[i]->held && loop->body.at[i]->path == PATH_ASYNC;
    if (!async) return;
    put_do(l, "td_cp_commit()");
    put_do(l, "td_cp_wait<0>()");
    put_barrier(l);
}
