/* Lowering, relays: registers to a tile of shared memory, and from it to registers in another layout or from a copy. */
#include "lower_internal.h"

static SharedTile *share_tile(Lower *l, Stage *s, const Layout *layout, FactorSet domain) {
    Value *v = s->out[0];
    SharedTile *t = tile_of(l, v);
    if (t) return t;
    SharedTile shape = tile_shape(l, v, layout, domain, s->pad);
    t = tile_new(l, &shape, 1);
    if (!s->swizzle) return t;
    int64_t piece = 128 / type_bits(v->type), pieces = t->naxes > 1 ? t->extent[t->naxes - 1] / piece : 0;
    if (pieces < 2 || (pieces & (pieces - 1)) || t->extent[t->naxes - 1] % piece)
        lower_fail(l, "%s has no rows of 16-byte pieces to exchange", v->name);
    t->swizzle = piece;
    return t;
}

void lower_share(Lower *l, Stage *s) {
    Value *v = s->out[0];
    const Layout *layout = stage_layout(l, s);
    l->open.layout = layout;
    const char *T = lower_storage_type(v->type);
    FactorSet domain = expr_domain(l->part, layout, s->expr[0]);
    SharedTile *t = share_tile(l, s, layout, domain);
    put_write(l, t->region);
    Sym base = value_name(l, v);
    put_declare(l, sym_fmt(l->ctx, "const td_sp<%s>", T), base, " = %c", tile_base(l, t));
    VecPlan plan;
    tile_vectors(l, tile_offset(l, t, layout), layout, domain, 128 / type_bits(v->type), &plan);
    const Code *guard = digits_zero(l, layout, thread_factors(l, layout->all) & ~domain);
    if (guard) put_if(l, guard);
    int loops = put_vector_loops(l, &plan, NULL);
    put_block(l);
    const Code *words = put_words(l, &plan, s->expr[0], v->type, layout);
    put_do(l, "td_sts<%s, %l>(%c, %c)", T, plan.V, tile_at(l, t, layout, &plan, base), words);
    put_end(l);
    put_ends(l, loops);
    if (guard) put_end(l);
}

/* The test that a vector of a copied tile holds anything that was copied; NULL: it always does. */
static const Code *copied_test(Lower *l, const SharedTile *t, const Layout *layout, const VecPlan *plan) {
    const Code *r = t->copy->path == PATH_BULK ? bulk_block_inside(l, t, t->copy) : NULL;
    for (int i = 0; i < t->naxes; i++) {
        const Axis *a = t->axes[i];
        if (axis_exact(l, layout, a)) continue;
        int64_t part = 1;
        for (int k = 0; k < plan->nv; k++)
            if (plan->f[k]->axis == a) part *= plan->part[k];
        Poly index = vector_drop(l, poly_of(&l->env, axis_index(l, layout, a)), plan);
        const Code *at = poly_code(l, offset_regroup(l, layout, index), false);
        const Code *test = code(l->ctx, "%c < %c", at, expr_code(l, a->hi, layout));
        if (a->peel) test = code(l->ctx, "%c + %l > %c && %c", at, part, expr_code(l, a->lo, layout), test);
        r = code_join(l->ctx, r, " && ", test);
    }
    return r;
}

/* The first loop that reads what is held waits for each slot, and comes to all of them. */
static void wait_for_held(Lower *l, const Stage *s, SharedTile *t, Sym base) {
    const Stage *loop = l->open.loops[l->open.nloops - 1];
    const Code *slot = factor_code(l, axis_serial(l, loop->axis));
    if (!t->waits) t->waits = loop;
    if (t->copy->path == PATH_BULK && t->waits == loop)
        put_do(l, "td_mbar_wait(%n + %c, 0)", value_name_with(l, s->source, "_full"), slot);
    put_declare(l, sym_fmt(l->ctx, "const td_sp<%s>", lower_storage_type(s->out[0]->type)), base, " = %c + %c * %l",
                tile_base(l, t), slot, t->elements);
}

/* A copy's slot, when its first read in an iteration comes: its wait and its release are for all iterations or none. */
static void wait_for_copy(Lower *l, const Stage *s, SharedTile *t, Sym base) {
    const Stage *loop = l->open.nloops ? l->open.loops[l->open.nloops - 1] : NULL;
    int here = 0;
    for (int i = 0; loop && i < loop->body.n; i++) here += loop->body.at[i] == s || loop->body.at[i] == t->copy;
    if (here != 2) lower_fail(l, "%s, a copy ahead, is read elsewhere than in its loop's own body", s->source->name);
    if (t->waited) return;
    t->waited = true;
    Sym slot = value_name_with(l, s->source, "_slot");
    if (t->copy->path == PATH_BULK)
        put_do(l, "td_mbar_wait(%n + %n, %n)", value_name_with(l, s->source, "_full"), slot,
               value_name_with(l, s->source, "_phase"));
    put_declare(l, sym_fmt(l->ctx, "const td_sp<%s>", lower_storage_type(s->out[0]->type)), base, " = %c + %n * %l",
                tile_base(l, t), slot, t->elements);
}

/* How many elements, one after the other in a tile, a copy writes all or none of: rows of axes that end with their
 * factors. Of the last axis that does not, those of a piece that is written whole, with zeros for what lies outside. */
static int64_t written_whole(Lower *l, const SharedTile *t) {
    const Axis *row = t->axes[t->naxes - 1];
    int64_t n = 1;
    if (!axis_exact(l, l->part->layouts.at[0], row)) {
        const Access *x = access_of(l, t->copy);
        if (t->copy->path == PATH_BULK) return t->extent[t->naxes - 1];
        return x->vaxis == row ? x->plan.V : 1;
    }
    for (int i = t->naxes - 1; i >= 0 && axis_exact(l, l->part->layouts.at[0], t->axes[i]); i--) n *= t->extent[i];
    return n;
}

/* Elements of a tile that one access may read. */
static int64_t readable(Lower *l, const SharedTile *t) {
    int64_t most = 128 / type_bits(t->value->type);
    const int64_t whole = t->copy ? written_whole(l, t) : most;
    if (t->copy && t->copy->path == PATH_BULK) return whole % most ? 1 : most;
    while (most > 1 && whole % most) most /= 2;
    return most;
}

void lower_read(Lower *l, Stage *s) {
    Value *v = s->out[0];
    const Layout *layout = value_layout(l, v);
    l->open.layout = layout;
    SharedTile *t = tile_of(l, s->source);
    if (!t) {
        lower_fail(l, "%s is read before it is made", s->source->name);
        return;
    }
    const char *T = lower_storage_type(v->type);
    Sym base = value_name(l, s->source), some = sym(l->ctx, "some");
    if (t->copy && t->copy->held)
        wait_for_held(l, s, t, base);
    else if (t->copy)
        wait_for_copy(l, s, t, base);
    else
        put_read(l, t->region);
    const bool bins = s->source->def->kind == STAGE_BINS;
    const Poly offset = bins ? bins_offset(l, s->source->def, layout) : tile_offset(l, t, layout);
    VecPlan plan;
    tile_vectors(l, offset, layout, v->domain, readable(l, t), &plan);
    put_tile(l, v);
    int loops = put_vector_loops(l, &plan, NULL);
    const Code *inside = t->copy ? copied_test(l, t, layout, &plan) : NULL;
    const Code *at = bins ? code(l->ctx, "%n + (%c)", base, poly_code(l, vector_drop(l, offset, &plan), false))
                          : tile_at(l, t, layout, &plan, base);
    const Code *into = NULL;
    if (inside) put_if(l, inside);
    if (vector_in_order(v, &plan)) {
        into = vector_words(l, v, &plan);
        put_do(l, "td_lds<%s, %l>(%c, %c)", T, plan.V, into, at);
    } else {
        if (!loops && !inside) put_block(l); /* other reads have a `some`, too */
        put_declare(l, sym_fmt(l->ctx, "td_word<%s>", T), some, "[td_words<%s>(%l)]", T, plan.V);
        put_do(l, "td_lds<%s, %l>(%n, %c)", T, plan.V, some, at);
        put_scatter(l, v, &plan, code_name(l->ctx, some));
        if (!loops && !inside) put_end(l);
    }
    if (inside) {
        put_else(l);
        if (into)
            put_do(l, "td_undef<%s, %l>(%c)", T, plan.V, into);
        else
            put_note(l, "outside: no value", NULL);
        put_end(l);
    }
    put_ends(l, loops);
    if (t->copy && t->last_read == s && t->copy->path == PATH_BULK && !t->barrier) {
        /* the warp has its registers: the slot may be filled again */
        put_do(l, "td_syncwarp()");
        put_if(l, code(l->ctx, "td_tid() %% 32 == 0"))->braces = INLINE;
        put_do(l, "td_mbar_arrive(%n + %n)", value_name_with(l, s->source, "_empty"),
               value_name_with(l, s->source, "_slot"));
        put_end(l);
    }
}
