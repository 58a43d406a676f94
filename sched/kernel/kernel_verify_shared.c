/* What a block shares: tiles that are copied or put there and read back, bins that elements are scattered into; whether
 * they are legal where they stand, and how many bytes they are. */
#include "kernel_verify.h"

/* ---- bytes ---- */

static int64_t bytes_of(Type t, int64_t n) { return n > INT64_MAX / 64 ? INT64_MAX / 8 : (n * type_bits(t) + 7) / 8; }

void verify_add_shared(Verify *v, int64_t bytes) {
    if (!add_ok(v->shared, bytes, &v->shared)) v->shared = INT64_MAX;
}

/* So many tiles, each of whole 16-byte pieces, where the first may begin (lower_shared.c). */
void verify_add_tiles(Verify *v, Type t, int64_t elements, int64_t n) {
    int64_t bytes = bytes_of(t, elements);
    bytes += -bytes & 15;
    if (!mul_ok(bytes, n, &bytes)) bytes = INT64_MAX;
    verify_add_shared(v, bytes);
    verify_add_shared(v, MAX_SHARED_ALIGN);
}

/* ---- tiles ---- */

/* The tile of an axis is a range: nothing of the block or a loop stands inside its threads and registers. */
bool verify_tile_axes(Verify *v, const Stage *s, const Layout *l, FactorSet domain) {
    bool tile = false;
    const Axis *last = NULL;
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if (f->axis != last) tile = false;
        last = f->axis;
        bool outer = bind_scope(f->bind) == SCOPE_BLOCK || bind_scope(f->bind) == SCOPE_LOOP;
        if (outer && tile && f->size != 1 && (domain & layout_tile_factors(l, f->axis)))
            return verify_fail_at(v, s,
                                  "axis %s: its tile in the block is no range, because its %s factor stands inside",
                                  f->axis->name, bind_text(f->bind));
        tile |= !outer && f->size != 1;
    }
    return true;
}

/* Bulk copies are sent for, and off, by whole warps. */
bool verify_by_warps(Verify *v, const Stage *s) {
    return v->k->threads % TARGET_WARP == 0 ||
           verify_fail_at(v, s, "bulk copies are made by warps, and %d threads are no whole warps", v->k->threads);
}

static bool is_read_in(const Value *x, Stage *const *at, int n) {
    bool read = false;
    for (int i = 0; i < n; i++) read |= at[i]->kind == STAGE_READ && at[i]->source == x;
    return read;
}

static bool is_made_in(const Stage *s, const Stage *around) {
    bool in = false;
    for (int i = 0; i < around->body.n; i++) in |= around->body.at[i] == s;
    return in;
}

/* Whether every read of x among these stages stands in a loop of the axis, which no other stage is around, and there is
 * one. */
static bool is_read_in_loops(const Value *x, const Axis *axis, Stage *const *at, int n) {
    bool read = false;
    for (int i = 0; i < n; i++) {
        const bool loop = at[i]->kind == STAGE_FOR && at[i]->axis == axis;
        read |= loop && is_read_in(x, at[i]->body.at, at[i]->body.n);
    }
    return read;
}

/* What is held is asked for all at once, by a loop that does nothing else, and stays until the block ends. */
static bool check_held(Verify *v, const Stage *s) {
    const Stage *loop = v->around.at[v->around.n - 1];
    if (v->around.n > 1) return verify_fail_at(v, s, "what is held is asked for once, and not in a loop in another");
    for (int i = 0; i < loop->body.n; i++)
        if (loop->body.at[i]->kind != STAGE_COPY || !loop->body.at[i]->held)
            return verify_fail_at(v, s, "its loop does more than to ask for what is held");
    for (int i = 0; i < v->part->factors.n; i++) {
        const Factor *f = v->part->factors.at[i];
        if (f->axis != loop->axis || f->bind != BIND_SERIAL) continue;
        if (f->size < 1 || f->size > MAX_COPY_DEPTH)
            return verify_fail_at(v, s, "axis %s: the loop of what is held has a size, which is 1 to %d", f->axis->name,
                                  MAX_COPY_DEPTH);
    }
    return is_read_in_loops(s->out[0], loop->axis, v->part->body.at, v->part->body.n) ||
           verify_fail_at(v, s, "no loop of axis %s behind it reads it", loop->axis->name);
}

/* Copies of one loop: those of all threads are waited for together, by their number. */
static bool check_in_loop(Verify *v, const Stage *s) {
    const Stage *loop = v->around.at[v->around.n - 1];
    if (s->held) return check_held(v, s);
    for (int i = 0; i < loop->body.n && s->path == PATH_ASYNC; i++) {
        const Stage *other = loop->body.at[i];
        if (other->kind == STAGE_COPY && other->path == PATH_ASYNC && !other->held && other->depth != s->depth)
            return verify_fail_at(v, s, "asynchronous copies of one loop run equally far ahead, not by %d and %d",
                                  other->depth, s->depth);
    }
    return is_read_in(s->out[0], loop->body.at, loop->body.n) ||
           verify_fail_at(v, s, "nothing in its loop's own body reads it");
}

bool verify_copy(Verify *v, const Stage *s) {
    FactorSet domain = s->out[0]->domain;
    if (s->path != PATH_ASYNC && s->path != PATH_BULK) return verify_fail_at(v, s, "a copy is async or bulk");
    if (s->depth < 1 || s->depth > MAX_COPY_DEPTH)
        return verify_fail_at(v, s, "depth %d: it is 1 to %d", s->depth, MAX_COPY_DEPTH);
    if (s->held && s->depth != 1) return verify_fail_at(v, s, "what is held runs no number of iterations ahead");
    if (s->cond || s->other) return verify_fail_at(v, s, "a copy has no condition");
    if (!verify_ahead(v, s) || !verify_tile_axes(v, s, s->layout, domain) || !verify_rows(v, s)) return false;
    if (!check_in_loop(v, s) || (s->path == PATH_BULK && !verify_by_warps(v, s))) return false;
    const int slots = stage_slots(v->part, s);
    verify_add_tiles(v, s->tensor->type, verify_product(s->layout, domain & verify_tile(s->layout)), slots);
    verify_add_shared(v, 16 * slots);
    verify_note(v, s, false);
    return verify_collective(v, s, false) && verify_access(v, s, stage_operands(v->part, s->layout, s));
}

bool verify_share(Verify *v, const Stage *s) {
    const Layout *l = s->layout;
    FactorSet domain = s->out[0]->domain;
    const Axis *row = NULL;
    int axes = 0;
    if (s->pad && s->swizzle) return verify_fail_at(v, s, "a padded tile is not swizzled");
    if (type_bits(s->out[0]->type) < 8)
        return verify_fail_at(v, s, "elements of %s are no bytes", type_name(s->out[0]->type));
    if (!verify_collective(v, s, false) || !verify_tile_axes(v, s, l, domain)) return false;
    for (int i = 0; i < v->part->axes.n; i++) {
        const Axis *a = v->part->axes.at[i];
        FactorSet tile = layout_tile_factors(l, a);
        if (!(tile & domain)) continue;
        if (tile & ~domain)
            return verify_fail_at(v, s, "it holds only some factors of axis %s, so it is no tile of it", a->name);
        if (verify_product(l, tile) <= 1) continue;
        row = a;
        axes++;
    }
    int64_t elements = verify_product(l, domain & verify_tile(l)),
            width = row ? verify_product(l, layout_tile_factors(l, row)) : 1;
    int64_t chunks = bytes_of(s->out[0]->type, width) / 16;
    if (s->swizzle && (bytes_of(s->out[0]->type, width) % 16 || (chunks & (chunks - 1)) || chunks < 2 || axes < 2))
        return verify_fail_at(v, s, "a swizzled row has a power of two of 16-byte pieces, and its tile several rows");
    if (s->pad && !mul_ok(elements / width, width + s->pad, &elements)) elements = INT64_MAX;
    verify_add_tiles(v, s->out[0]->type, elements, 1);
    return true;
}

static bool check_loops_around(Verify *v, const Stage *s) {
    if (!(s->out[0]->domain & layout_scope_factors(s->layout, SCOPE_LOOP) & ~verify_loops(v))) return true;
    return verify_fail_at(v, s, "a loop of its axes is not around it");
}

/* ---- bins ---- */

/* What a block has of the axis is a range: its blocks stand outside of all else. */
static bool check_range(Verify *v, const Stage *s) {
    bool inside = false;
    for (int i = 0; i < s->layout->factors.n; i++) {
        const Factor *f = s->layout->factors.at[i];
        if (f->axis != s->axis || f->size == 1) continue;
        const bool block = bind_scope(f->bind) == SCOPE_BLOCK;
        if (block && inside)
            return verify_fail_at(v, s,
                                  "axis %s: what a block has of it is no range, because its %s factor stands inside",
                                  s->axis->name, bind_text(f->bind));
        inside |= !block;
    }
    return true;
}

bool verify_bins(Verify *v, const Stage *s) {
    const Value *x = s->out[0];
    const FactorSet own = layout_axis_factors(s->layout, s->axis), tile = verify_tile(s->layout);
    int64_t elements;
    if (!verify_type(v, s, s->expr[0], x->type)) return false;
    if (!type_is_compute(x->type)) return verify_fail_at(v, s, "elements of %s are no words", type_name(x->type));
    if (expr_domain(v->part, s->layout, s->expr[0]) & tile)
        return verify_fail_at(v, s, "all of its elements begin as one value");
    if (x->domain & own) return verify_fail_at(v, s, "each row has all of axis %s", s->axis->name);
    if (own & verify_loops(v)) return verify_fail_at(v, s, "the loop of axis %s is around it", s->axis->name);
    if (!stage_bins_length(s))
        return verify_fail_at(v, s, "the factors of axis %s inside a block have sizes", s->axis->name);
    if (!mul_ok(stage_bins_length(s), stage_bins_rows(s), &elements)) elements = INT64_MAX;
    verify_add_tiles(v, x->type, elements, 1);
    return verify_collective(v, s, false) && check_range(v, s) && verify_tile_axes(v, s, s->layout, own);
}

/* The threads of a warp come to it together, and take turns where the order shows; several warps do not. */
bool verify_scatter(Verify *v, const Stage *s) {
    const Layout *l = s->layout;
    const Value *x = s->source;
    const FactorSet d = stage_operands(v->part, l, s), rows = x->domain & verify_tile(l);
    if (!verify_in_scope(v, x))
        return verify_fail_at(v, s, "%s is used before it is made, or outside its loop", x->name);
    if (!verify_type(v, s, s->expr[0], x->type)) return false;
    if (s->expr[1]->type != TY_I64) return verify_fail_at(v, s, "an index is i64");
    if (s->monoid->n != 1 || s->monoid->ordered)
        return verify_fail_at(v, s, "monoid %s has no order of its own, and one part", s->monoid->name);
    if (d & layout_axis_factors(l, x->def->axis))
        return verify_fail_at(v, s, "it depends on axis %s, along which data say where it goes", x->def->axis->name);
    if (rows & ~l->all || x->def->layout != l)
        return verify_fail_at(v, s, "%s has the rows of layout %s", x->name, x->def->layout->name);
    const FactorSet across = verify_across_warps(l, layout_scope_factors(l, SCOPE_THREAD) & ~rows);
    if (across && !(monoid_atomic(s->monoid->kind) && monoid_updates(s->monoid->kind, x->type, &v->g->options)))
        return verify_fail_at(v, s, "a row of %s is one warp's, since the order of a %s shows", x->name,
                              s->monoid->name);
    if (v->k->threads % TARGET_WARP)
        return verify_fail_at(v, s, "its warps take turns, and %d threads are no whole warps", v->k->threads);
    const uint64_t guarded = verify_guarded(v, l, d);
    for (int i = 0; i < 2; i++)
        if (!verify_defined(v, s, s->expr[i], guarded)) return false;
    return verify_defined(v, s, s->cond, guarded) && verify_collective(v, s, false);
}

/* Rows of bins are those of threads and registers that the stage has, too. */
static bool check_read_bins(Verify *v, const Stage *s) {
    const Value *x = s->source;
    const FactorSet rows = x->domain & verify_tile(x->layout);
    if (rows & ~s->layout->all)
        return verify_fail_at(v, s, "%s differs along %s.%s, which layout %s does not have", x->name,
                              verify_first(v, rows & ~s->layout->all)->axis->name,
                              bind_text(verify_first(v, rows & ~s->layout->all)->bind), s->layout->name);
    Stage again = *x->def;
    again.layout = s->layout;
    if (stage_bins_length(&again) != stage_bins_length(x->def))
        return verify_fail_at(v, s, "axis %s has %lld elements in the bins, but %lld in layout %s", x->def->axis->name,
                              (long long)stage_bins_length(x->def), (long long)stage_bins_length(&again),
                              s->layout->name);
    return verify_collective(v, s, false) && verify_tile_axes(v, s, s->layout, s->out[0]->domain) &&
           check_loops_around(v, s);
}

/* ---- reads of both ---- */

bool verify_read(Verify *v, const Stage *s) {
    const Value *x = s->source;
    if (!verify_in_scope(v, x))
        return verify_fail_at(v, s, "%s is read before it is made, or outside its loop", x->name);
    if (x->def->kind == STAGE_BINS) return check_read_bins(v, s);
    if (!verify_collective(v, s, false) || !verify_tile_axes(v, s, s->layout, s->out[0]->domain)) return false;
    const Stage *around = v->around.n ? v->around.at[v->around.n - 1] : NULL;
    const bool ahead = x->def->kind == STAGE_COPY && !x->def->held;
    if (ahead && !(around && is_made_in(x->def, around)))
        return verify_fail_at(v, s, "%s, a copy ahead, is read elsewhere than in its loop's own body", x->name);
    if (x->def->held && !(v->around.n == 1 && around->kind == STAGE_FOR && !is_made_in(x->def, around)))
        return verify_fail_at(v, s, "%s, which is held, is read elsewhere than in a loop of its own behind that one",
                              x->name);
    for (int i = 0; i < v->part->axes.n; i++) {
        const Axis *a = v->part->axes.at[i];
        FactorSet from = layout_tile_factors(x->layout, a), to = layout_tile_factors(s->layout, a);
        bool used = x->domain & layout_axis_factors(x->layout, a);
        if (used && verify_product(x->layout, from & x->domain) != verify_product(s->layout, to))
            return verify_fail_at(v, s, "axis %s has %lld elements in the tile, but %lld in layout %s", a->name,
                                  (long long)verify_product(x->layout, from & x->domain),
                                  (long long)verify_product(s->layout, to), s->layout->name);
    }
    return check_loops_around(v, s);
}
