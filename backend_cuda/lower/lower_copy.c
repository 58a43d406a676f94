/* Lowering, asynchronous movement: tiles that are copied to shared memory some iterations of a loop ahead, and tiles
 * that leave through shared memory by bulk stores. */
#include "lower_internal.h"

#include <string.h>

/* ---- rows of a tile ---- */

/* The subscripts at the start of a row of the tile, as a flat offset: the tile's axes by the texts in `row`, others by
 * their base. */
static Sym row_offset(Lower *l, const SharedTile *t, const Stage *s, const Sym *row) {
    const Expr *from[2 * MAX_PARTS], *to[2 * MAX_PARTS];
    const char *saved[2 * MAX_PARTS];
    int n = l->part->axes.n;
    if (n > 2 * MAX_PARTS) {
        fail(l, "a copy in a kernel of more than %d axes", 2 * MAX_PARTS);
        return "0";
    }
    memcpy(saved, l->args, sizeof saved);
    for (int i = 0; i < n; i++) {
        Axis *a = l->part->axes.at[i];
        from[i] = expr_var(l->g, a->var);
        to[i] = expr_node(l->g, OP_ARG, TY_I64, false, i, NULL, 0);
        l->args[i] = axis_base(l, a);
        for (int k = 0; k < t->naxes; k++)
            if (t->axes[k] == a) l->args[i] = row[k];
    }
    const Expr *at[MAX_RANK];
    for (int d = 0; d < s->tensor->rank; d++) at[d] = expr_replace(l->g, s->subs[d], from, to, n);
    Sym r = poly_text(l, poly_offset(&l->env, s->tensor, at), true);
    memcpy(l->args, saved, sizeof saved);
    return r;
}

typedef struct Rows {
    Sym shared, global; /* where the row begins in its slot and in its tensor */
    Sym count;          /* elements inside the axes' bounds */
    int loops;
} Rows;

/* Loops over the rows of a tile; the caller prints what is done with one, then rows_close. */
static Rows rows_open(Lower *l, const SharedTile *t, const Stage *s) {
    Rows r = {.loops = t->naxes - 1};
    Sym row[MAX_RANK], inside = NULL;
    Text at = {.ctx = l->ctx};
    for (int k = 0; k < r.loops; k++) {
        put(l, "for (int k%d = 0; k%d < %lld; k%d++) {", k, k, (long long)t->extent[k], k);
        l->indent++;
        row[k] = fmt(l, "(%s + k%d)", axis_base(l, t->axes[k]), k);
        text_fmt(&at, " + k%d * %lld", k, (long long)t->stride[k]);
        if (axis_exact(l, l->part->layouts.at[0], t->axes[k])) continue;
        Sym c = fmt(l, "%s < %s", row[k], expr_text(l, t->axes[k]->hi, l->layout));
        inside = inside ? fmt(l, "%s && %s", inside, c) : c;
    }
    Axis *a = t->axes[r.loops];
    long long extent = (long long)t->extent[r.loops];
    Sym base = axis_base(l, a), lo = expr_text(l, a->lo, l->layout), hi = expr_text(l, a->hi, l->layout);
    put(l, "const I first = %s;", a->peel ? fmt(l, "%s < %s ? %s : %s", base, lo, lo, base) : base);
    put(l, "const I last = %s + %lld < %s ? %s + %lld : %s;", base, extent, hi, base, extent, hi);
    if (a->peel) text_fmt(&at, " + first - (%s)", base);
    row[r.loops] = "first";
    r.shared = at.n ? at.s : "";
    r.count = inside ? fmt(l, "%s ? last - first : 0", inside) : "last - first";
    Sym base_text = tensor_text(l, s->tensor);
    r.global = fmt(l, "%s + %s", base_text, row_offset(l, t, s, row));
    return r;
}

static void rows_close(Lower *l, const Rows *r) {
    for (int k = 0; k < r->loops; k++) {
        l->indent--;
        put(l, "}");
    }
}

/* ---- copies ahead of a loop ----
 * A slot of shared memory for each iteration in flight. Bulk: warp 0 fills a slot when every warp has said that it is
 * done with it (empty; nothing, where each iteration has a barrier after the reads), and the copies say when they have
 * arrived (full). Async: every thread copies its own pieces, one group an iteration, and one barrier an iteration both
 * shows the pieces to all and says that the slot before is free. */

static SharedTile *copy_tile(Lower *l, Stage *s) {
    SharedTile *t = tile_of(l, s->out[0]);
    if (t) return t;
    const Layout *layout = l->part->layouts.at[0];
    FactorSet domain = 0;
    for (int d = 0; d < s->tensor->rank; d++) domain |= expr_domain(l->part, layout, s->subs[d]);
    t = tile_new(l, s->out[0], layout, domain, 0, s->depth);
    t->copy = s;
    if (t->naxes == 0)
        fail(l, "the copy %s has no tile: nothing of it is spread over threads or registers", s->out[0]->name);
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

static void bulk_barriers(Lower *l, SharedTile *t, const Stage *s) {
    Sym name = value_name(l, t->value);
    int fills = 1;
    for (int k = 0; k < t->naxes - 1; k++) fills *= (int)t->extent[k];
    t->barriers = region_new(l, s, 1, (t->barrier ? 8 : 16) * s->depth);
    put(l, "const td_sp<uint64_t> %s_full = td_shared<uint64_t>(%d)%s;", name, l->regions.at[t->barriers].offset,
        t->barrier ? "" : fmt(l, ", %s_empty = %s_full + %d", name, name, s->depth));
    put(l, "if (td_tid() < %d) {", s->depth);
    put(l, "    td_mbar_init(%s_full + td_tid(), %d);", name, fills);
    if (!t->barrier) put(l, "    td_mbar_init(%s_empty + td_tid(), %d);", name, l->k->threads / 32);
    put(l, "    td_mbar_fence();");
    put(l, "}");
    block_sync(l);
    put(l, t->barrier ? "int %s_phase = 0;" : "int %s_phase = 0, %s_parity = 1;", name, name);
}

static bool whole_pieces(const SharedTile *t) { return t->extent[t->naxes - 1] * type_bits(t->value->type) % 128 == 0; }

/* Whether rows are complete, of 16-byte pieces, and as many bytes modulo 16 apart as none. */
static bool whole_rows(Lower *l, const SharedTile *t, const Stage *s) {
    const Axis *a = t->axes[t->naxes - 1];
    if (a->peel || !whole_pieces(t) || !axis_exact(l, l->part->layouts.at[0], a)) return false;
    const Expr *from = expr_var(l->g, a->var), *to = a->lo, *at[MAX_RANK];
    for (int d = 0; d < s->tensor->rank; d++) at[d] = expr_replace(l->g, s->subs[d], &from, &to, 1);
    Poly p = poly_offset(&l->env, s->tensor, at);
    return !p.failed && (!p.n || poly_divisor(p) * type_bits(t->value->type) % 128 == 0);
}

static void bulk_fill(Lower *l, SharedTile *t, const Stage *s) {
    Sym name = value_name(l, t->value);
    const char *T = lower_storage_type(s->tensor->type);
    Sym how = whole_rows(l, t, s) ? fmt(l, "td_fill_whole<%s>", T) : fmt(l, "td_fill_row<%s, %d>", T, whole_pieces(t));
    put(l, "if (td_tid() < 32) {");
    l->indent++;
    if (!t->barrier) put(l, "td_mbar_wait(%s_empty + %s_put, %s_parity);", name, name, name);
    Rows r = rows_open(l, t, s);
    put(l, "%s(td_shared<%s>(%d) + (%s_put * %lld%s), %s, %s, %s_full + %s_put);", how, T,
        l->regions.at[t->region].offset, name, (long long)t->elements, r.shared, r.global, r.count, name, name);
    rows_close(l, &r);
    l->indent--;
    put(l, "}");
}

/* Every thread's own pieces, by the layout of the copy. */
static void async_fill(Lower *l, SharedTile *t, Stage *s) {
    const Layout *layout = l->layout = l->part->layouts.at[0];
    const char *T = lower_storage_type(s->tensor->type);
    Access x = {.tensor = s->tensor, .layout = layout};
    FactorSet domain = 0;
    for (int d = 0; d < s->tensor->rank; d++) domain |= expr_domain(l->part, layout, s->subs[d]);
    x.offset = flat_offset(l, layout, s->tensor, s->subs);
    Poly into = tile_offset(l, t, layout);
    access_vectors(l, &x, domain, domain);
    int64_t before = 1, c;
    bool same = true; /* neighbours in the tensor are neighbours in the slot */
    for (int i = 0; i < x.plan.nv; i++) {
        Poly coef, rest;
        same = same && poly_linear(l->ctx, into, expr_factor(l->p, x.plan.f[i]), &coef, &rest) &&
               poly_is_const(coef, &c) && c == before;
        before *= x.plan.part[i];
    }
    same = same && aligned_terms(l, drop_vector(l, into, &x.plan), x.plan.V, false);
    if (!same) plan_vectors(l, x.offset, layout, domain, 0, 1, true, &x.plan);
    FactorSet twins = thread_factors(l, layout->all) & ~domain;
    access_tails(l, &x, domain, NULL, twins);
    put(l, "const td_sp<%s> slot = td_shared<%s>(%d) + %s_put * %lld;", T, T, l->regions.at[t->region].offset,
        value_name(l, t->value), (long long)t->elements);
    Sym at = pointer_text(l, &x, s, true, true);
    open_plan_loops(l, &x.plan);
    Poly place = drop_vector(l, into, &x.plan);
    Sym lo = x.tail == TAIL_PART && x.vaxis->peel ? remaining_text(l, &x, true) : "0";
    Sym hi = x.tail == TAIL_NONE ? fmt(l, "%lld", (long long)x.plan.V) : remaining_text(l, &x, false);
    put(l, "%s%s%std_fill_piece<%s, %s, %lld>(slot + %s, %s, %s, %s);", x.guard ? "if (" : "", x.guard ? x.guard : "",
        x.guard ? ") " : "", x.plan.V > 1 ? "A" : "0", T, (long long)x.plan.V, poly_text(l, place, false), at, lo, hi);
    close_plan_loops(l, &x.plan);
}

static bool any_async(const Stage *loop, int *depth) {
    *depth = 0;
    for (int i = 0; i < loop->body.n; i++)
        if (loop->body.at[i]->kind == STAGE_COPY && loop->body.at[i]->path == PATH_ASYNC)
            *depth = loop->body.at[i]->depth;
    return *depth > 0;
}

void lower_copy_setup(Lower *l, Stage *loop, Sym var, Sym start, Sym bound, Sym step) {
    int depth;
    any_async(loop, &depth);
    for (int i = 0; i < loop->body.n && !l->failed; i++) {
        Stage *s = loop->body.at[i];
        if (s->kind != STAGE_COPY) continue;
        bool bulk = s->path == PATH_BULK;
        l->layout = l->part->layouts.at[0];
        if (!bulk && s->depth != depth) fail(l, "asynchronous copies of one loop run equally far ahead");
        SharedTile *t = copy_tile(l, s);
        if (l->failed) return;
        t->last_read = last_read_of(loop->body.at, loop->body.n, s->out[0]);
        t->waited = false;
        const Factor *f = serial_factor(l, loop->axis);
        if (f) {
            Poly ahead = poly_scale(l->ctx, poly_of(&l->env, f->stride), s->depth);
            index_fits(l, poly_add(l->ctx, poly_of(&l->env, expr_var(l->g, loop->axis->var)), ahead));
        }
        t->barrier = bulk && barrier_after(l, loop, t->last_read);
        Sym name = value_name(l, t->value);
        if (bulk) bulk_barriers(l, t, s);
        put(l, "int %s_slot = 0, %s_put = 0;", name, name);
        put(l, "const auto %s_fill = [&](I %s) {", name, var);
        l->indent++;
        int before = l->declared.n;
        size_t mark = l->body.n;
        l->loops[l->nloops++] = loop;
        loop_digit(l, loop, var, start, step);
        axis_declare(l, bulk); /* a peeled axis starts where this iteration's row says */
        if (bulk)
            bulk_fill(l, t, s);
        else
            async_fill(l, t, s);
        prune_unused(l, mark);
        l->nloops--;
        l->declared.n = before;
        put(l,
            bulk && !t->barrier ? "if (++%s_put == %d) %s_put = 0, %s_parity ^= 1;" : "if (++%s_put == %d) %s_put = 0;",
            name, s->depth, name, name);
        l->indent--;
        put(l, "};");
        if (bulk && s->depth > 1)
            put(l, "for (I i = 0, at = %s; i < %d && at < %s; i++, at += %s) %s_fill(at);", start, s->depth - 1, bound,
                step, name);
    }
    if (depth > 1) {
        put(l, "for (I i = 0, at = %s; i < %d; i++, at += %s) {", start, depth - 1, step);
        l->indent++;
        for (int i = 0; i < loop->body.n; i++)
            if (loop->body.at[i]->kind == STAGE_COPY && loop->body.at[i]->path == PATH_ASYNC)
                put(l, "if (at < %s) %s_fill(at);", bound, value_name(l, loop->body.at[i]->out[0]));
        put(l, "td_cp_commit();");
        l->indent--;
        put(l, "}");
    }
}

void lower_copy_advance(Lower *l, Stage *loop, Sym var, Sym bound, Sym step) {
    int depth;
    bool async = any_async(loop, &depth);
    if (async && depth > 1) put(l, "td_cp_wait<%d>();", depth - 2);
    if (async) block_sync(l);
    for (int i = 0; i < loop->body.n; i++) {
        Stage *s = loop->body.at[i];
        SharedTile *t = s->kind == STAGE_COPY ? tile_of(l, s->out[0]) : NULL;
        if (!t) continue;
        t->waited = false;
        Sym name = value_name(l, t->value);
        if (s->depth == 1)
            put(l, "%s_fill(%s);", name, var);
        else
            put(l, "if (%s + %d * (%s) < %s) %s_fill(%s + %d * (%s));", var, s->depth - 1, step, bound, name, var,
                s->depth - 1, step);
    }
    if (async) put(l, "td_cp_commit();");
    if (async && depth == 1) {
        put(l, "td_cp_wait<0>();");
        block_sync(l);
    }
}

void lower_copy_release(Lower *l, Stage *loop) {
    for (int i = 0; i < loop->body.n; i++) {
        Stage *s = loop->body.at[i];
        SharedTile *t = s->kind == STAGE_COPY ? tile_of(l, s->out[0]) : NULL;
        if (!t) continue;
        Sym name = value_name(l, t->value);
        if (!t->last_read) fail(l, "the copy %s is never read", s->out[0]->name);
        if (s->path == PATH_BULK)
            put(l, "if (++%s_slot == %d) %s_slot = 0, %s_phase ^= 1;", name, s->depth, name, name);
        else
            put(l, "if (++%s_slot == %d) %s_slot = 0;", name, s->depth, name);
        t->waited = false;
    }
}

/* ---- bulk stores ----
 * The tile is written to shared memory, and one warp sends its rows off. In a loop two tiles take turns, so that one
 * may still be read while the other is written. */

void lower_bulk_store(Lower *l, Stage *s) {
    const Layout *layout = stage_layout(l, s);
    l->layout = layout;
    Value *v = NULL;
    SharedTile *t = NULL;
    for (int i = 0; i < l->tiles.n; i++)
        if (l->tiles.at[i].value->def == s) t = &l->tiles.at[i];
    FactorSet domain = 0;
    for (int d = 0; d < s->tensor->rank; d++) domain |= expr_domain(l->part, layout, s->subs[d]);
    bool twice = in_loop(l);
    if (!t) {
        v = NEW(l->ctx, Value);
        *v = (Value){.name = sym_fmt(l->ctx, "%s_out", s->tensor->name),
                     .kind = VALUE_SHARED,
                     .type = s->tensor->type,
                     .layout = (Layout *)layout,
                     .def = s};
        t = tile_new(l, v, layout, domain, 0, twice ? 2 : 1);
        if (s->cond) fail(l, "a bulk store has no condition");
        if (t->naxes == 0) fail(l, "a bulk store of nothing that is spread over threads or registers");
        if (l->failed) return;
    }
    v = t->value;
    const char *T = lower_storage_type(v->type);
    Sym name = value_name(l, v), turn = fmt(l, "%s_turn", name);
    l->bulk_stores = true;
    if (twice) {
        need_turn(l, turn);
        put(l, "if (td_tid() == 0) td_bulk_wait_read<1>();");
        block_sync(l);
        put(l, "const td_sp<%s> %s = td_shared<%s>(%d) + %s * %lld;", T, name, T, l->regions.at[t->region].offset, turn,
            (long long)t->elements);
    } else {
        put(l, "const td_sp<%s> %s = td_shared<%s>(%d);", T, name, T, l->regions.at[t->region].offset);
    }
    Poly offset = tile_offset(l, t, layout);
    VecPlan plan;
    shared_vectors(l, offset, layout, domain, v->type, &plan);
    Sym only = NULL;
    for (int i = 0; i < layout->factors.n; i++) {
        Factor *f = layout->factors.at[i];
        if (bind_scope(f->bind) != SCOPE_THREAD || f->size == 1 || (domain >> f->id & 1)) continue;
        only = only ? fmt(l, "%s && %s == 0", only, factor_text(l, f)) : fmt(l, "%s == 0", factor_text(l, f));
    }
    put(l, only ? "if (%s) {" : "%s{", only ? only : "");
    l->indent++;
    open_plan_loops(l, &plan);
    Sym words = vector_words(l, &plan, s->expr[0], v->type, layout);
    put(l, "td_sts<%s, %lld>(%s, %s);", T, (long long)plan.V, shared_at(l, t, layout, &plan, offset, name), words);
    close_plan_loops(l, &plan);
    l->indent--;
    put(l, "}");
    put(l, "td_async_fence();");
    block_sync(l);
    put(l, "if (td_tid() < 32) {");
    l->indent++;
    Rows r = rows_open(l, t, s);
    put(l, "td_drain_row<%s>(%s, %s%s, %s);", T, r.global, name, r.shared, r.count);
    rows_close(l, &r);
    put(l, "td_bulk_commit();");
    l->indent--;
    put(l, "}");
    if (twice) put(l, "%s ^= 1;", turn);
}
