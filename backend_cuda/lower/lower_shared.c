/* Lowering, shared memory: tiles that registers write and read, and copies that run ahead of the loop that reads them.
 */
#include "lower_internal.h"

#include <string.h>

SharedTile *tile_of(Lower *l, const Value *v) {
    for (int i = 0; i < l->tiles.n; i++)
        if (l->tiles.at[i].value == v) return &l->tiles.at[i];
    return NULL;
}

/* The extent of an axis inside the block: its thread and register factors. */
static int64_t inner_extent(Lower *l, const Layout *layout, const Axis *a) {
    int64_t n = 1;
    FactorSet s = layout_axis_factors(layout, a);
    for (int i = 0; i < layout->factors.n; i++) {
        Factor *f = layout->factors.at[i];
        if ((s >> f->id & 1) && bind_scope(f->bind) != SCOPE_BLOCK && bind_scope(f->bind) != SCOPE_LOOP) n *= f->size;
    }
    (void)l;
    return n;
}

static const Expr *inner_index(Lower *l, const Layout *layout, const Axis *a) {
    const Expr *e = expr_int(l->g, TY_I64, 0);
    for (int i = 0; i < layout->factors.n; i++) {
        Factor *f = layout->factors.at[i];
        if (f->axis != a || f->size == 1 || bind_scope(f->bind) == SCOPE_BLOCK || bind_scope(f->bind) == SCOPE_LOOP)
            continue;
        e = expr2(l->g, OP_ADD, e, expr2(l->g, OP_MUL, expr_factor(l->p, f), expr_cast(l->g, TY_I64, f->stride)));
    }
    return e;
}

SharedTile *tile_new(Lower *l, Value *v, const Layout *layout, FactorSet domain, int64_t pad, int copies) {
    SharedTile t = {.value = v};
    t.elements = 1;
    for (int i = 0; i < l->part->axes.n; i++) {
        Axis *a = l->part->axes.at[i];
        FactorSet inner = layout_axis_factors(layout, a) & domain;
        int64_t n = (thread_factors(l, inner) | reg_factors(l, inner)) ? inner_extent(l, layout, a) : 1;
        if (n == 1) continue;
        t.axes[t.naxes] = a;
        t.extent[t.naxes++] = n;
    }
    int64_t align = 128 / type_bits(v->type); /* 16 bytes */
    for (int i = t.naxes - 1; i >= 0; i--) {
        t.stride[i] = t.elements;
        t.elements *= t.extent[i];
        if (i == t.naxes - 1 && pad) t.elements += pad;
    }
    t.elements = (t.elements + align - 1) / align * align;
    t.region = region_new(l, v->def, 0, t.elements * copies * type_bits(v->type) / 8);
    vec_push(l->ctx, &l->tiles, t);
    return &l->tiles.at[l->tiles.n - 1];
}

Poly tile_offset(Lower *l, const SharedTile *t, const Layout *layout) {
    Poly p = poly_const(l->ctx, 0);
    for (int i = 0; i < t->naxes; i++)
        p = poly_add(l->ctx, p, poly_scale(l->ctx, poly_of(&l->env, inner_index(l, layout, t->axes[i])), t->stride[i]));
    return p;
}

void shared_vectors(Lower *l, Poly offset, const Layout *layout, FactorSet domain, Type type, VecPlan *plan) {
    plan_vectors(l, offset, layout, domain, domain, 128 / type_bits(type), false, plan);
    while (plan->V > 1) {
        Poly rest = drop_vector(l, offset, plan);
        for (int i = 0; i < plan->nv; i++) {
            Poly coef, r;
            if (plan->part[i] != plan->f[i]->size &&
                poly_linear(l->ctx, rest, expr_factor(l->p, plan->f[i]), &coef, &r))
                rest = poly_add(l->ctx, r, poly_const(l->ctx, 0)); /* steps are multiples of the part, and so of V */
        }
        if (aligned_terms(l, rest, plan->V, false) || plan->part[plan->nv - 1] % 2) break;
        plan_halve(plan);
    }
}

Sym shared_at(Lower *l, const SharedTile *t, const Layout *layout, const VecPlan *plan, Poly offset, Sym base) {
    Poly p = drop_vector(l, offset, plan);
    if (t->swizzle) {
        int last = t->naxes - 1;
        Poly col = poly_of(&l->env, inner_index(l, layout, t->axes[last]));
        Poly row = poly_const(l->ctx, 0);
        for (int i = 0; i < last; i++)
            row = poly_add(l->ctx, row,
                           poly_scale(l->ctx, poly_of(&l->env, inner_index(l, layout, t->axes[i])),
                                      t->stride[i] / t->stride[last - 1]));
        Sym above = poly_text(l, drop_vector(l, row, plan), false);
        return fmt(l, "%s + td_swizzle<%lld, %lld>(%s, %s)", base, (long long)t->swizzle, (long long)t->extent[last],
                   above, poly_text(l, drop_vector(l, col, plan), false));
    }
    return p.n ? fmt(l, "%s + %s", base, poly_text(l, p, false)) : base;
}

void lower_share(Lower *l, Stage *s) {
    Value *v = s->out[0];
    const Layout *layout = stage_layout(l, s);
    l->layout = layout;
    const char *T = lower_storage_type(v->type);
    FactorSet domain = expr_domain(l->part, layout, s->expr[0]);
    SharedTile *t = tile_of(l, v);
    if (!t) {
        t = tile_new(l, v, layout, domain, s->pad, 1);
        int64_t piece = 128 / type_bits(v->type), pieces = t->naxes > 1 ? t->extent[t->naxes - 1] / piece : 0;
        if (s->swizzle) {
            if (pieces < 2 || (pieces & (pieces - 1)) || t->extent[t->naxes - 1] % piece)
                fail(l, "%s has no rows of 16-byte pieces to exchange", v->name);
            t->swizzle = piece;
        }
    }
    region_write(l, t->region);
    Sym base = value_name(l, v);
    put(l, "const td_sp<%s> %s = td_shared<%s>(%d);", T, base, T, l->regions.at[t->region].offset);
    Poly offset = tile_offset(l, t, layout);
    VecPlan plan;
    shared_vectors(l, offset, layout, domain, v->type, &plan);
    FactorSet twins = thread_factors(l, layout->all) & ~domain;
    Text guard = {.ctx = l->ctx};
    for (int i = 0; i < layout->factors.n; i++) {
        Factor *f = layout->factors.at[i];
        if ((twins >> f->id & 1) && f->size != 1)
            text_fmt(&guard, "%s%s == 0", guard.n ? " && " : "", factor_text(l, f));
    }
    if (guard.n) {
        put(l, "if (%s) {", guard.s);
        l->indent++;
    }
    open_plan_loops(l, &plan);
    put(l, "{");
    l->indent++;
    Sym words = vector_words(l, &plan, s->expr[0], v->type, layout);
    put(l, "td_sts<%s, %lld>(%s, %s);", T, (long long)plan.V, shared_at(l, t, layout, &plan, offset, base), words);
    l->indent--;
    put(l, "}");
    close_plan_loops(l, &plan);
    if (guard.n) {
        l->indent--;
        put(l, "}");
    }
}

/* The test that a vector of a copied tile holds anything that was copied; NULL: it always does. */
static Sym copied_test(Lower *l, const SharedTile *t, const Layout *layout, const VecPlan *plan) {
    Sym r = NULL;
    for (int i = 0; i < t->naxes; i++) {
        const Axis *a = t->axes[i];
        if (axis_exact(l, layout, a)) continue;
        int64_t part = 1;
        for (int k = 0; k < plan->nv; k++)
            if (plan->f[k]->axis == a) part *= plan->part[k];
        Sym at =
            poly_text(l, regroup(l, layout, drop_vector(l, poly_of(&l->env, axis_index(l, layout, a)), plan)), false);
        Sym test = fmt(l, "%s < %s", at, expr_text(l, a->hi, layout));
        if (a->peel) test = fmt(l, "%s + %lld > %s && %s", at, (long long)part, expr_text(l, a->lo, layout), test);
        r = r ? fmt(l, "%s && %s", r, test) : test;
    }
    return r;
}

void lower_read(Lower *l, Stage *s) {
    Value *v = s->out[0];
    const Layout *layout = v->layout ? v->layout : l->part->layouts.at[0];
    l->layout = layout;
    SharedTile *t = tile_of(l, s->source);
    if (!t) {
        fail(l, "%s is read before it is made", s->source->name);
        return;
    }
    const char *T = lower_storage_type(v->type);
    Sym base = value_name(l, s->source);
    if (t->copy) {
        const Stage *loop = l->nloops ? l->loops[l->nloops - 1] : NULL;
        int here = 0; /* its wait and its release are for all iterations or none */
        for (int i = 0; loop && i < loop->body.n; i++) here += loop->body.at[i] == s || loop->body.at[i] == t->copy;
        if (here != 2) fail(l, "%s, a copy ahead, is read elsewhere than in its loop's own body", s->source->name);
        if (!t->waited) {
            if (t->copy->path == PATH_BULK) put(l, "td_mbar_wait(%s_full + %s_slot, %s_phase);", base, base, base);
            put(l, "const td_sp<%s> %s = td_shared<%s>(%d) + %s_slot * %lld;", T, base, T,
                l->regions.at[t->region].offset, base, (long long)t->elements);
            t->waited = true;
        }
    } else {
        region_read(l, t->region);
    }
    Poly offset = tile_offset(l, t, layout);
    VecPlan plan;
    shared_vectors(l, offset, layout, v->domain, v->type, &plan);
    declare_tile(l, v);
    open_plan_loops(l, &plan);
    int64_t per = type_bits(v->type) < 32 ? 32 / type_bits(v->type) : 1;
    Sym at = shared_at(l, t, layout, &plan, offset, base), inside = t->copy ? copied_test(l, t, layout, &plan) : NULL;
    if (inside) {
        put(l, "if (%s) {", inside);
        l->indent++;
    }
    if (vector_in_order(l, v, &plan)) {
        Sym idx = index_outside(l, v, &plan, per);
        put(l, "td_lds<%s, %lld>(%s + %s, %s);", T, (long long)plan.V, value_name(l, v), idx, at);
    } else {
        put(l, "td_word<%s> some[td_words<%s>(%lld)];", T, T, (long long)plan.V);
        put(l, "td_lds<%s, %lld>(some, %s);", T, (long long)plan.V, at);
        scatter_elements(l, v, &plan, "some");
    }
    if (inside) {
        l->indent--;
        put(l, "} else {");
        l->indent++;
        if (vector_in_order(l, v, &plan))
            put(l, "td_undef<%s, %lld>(%s + %s);", T, (long long)plan.V, value_name(l, v),
                index_outside(l, v, &plan, per));
        else
            put(l, "// outside: no value");
        l->indent--;
        put(l, "}");
    }
    close_plan_loops(l, &plan);
    if (t->copy && t->last_read == s && t->copy->path == PATH_BULK && !t->barrier) {
        /* the warp has its registers: the slot may be filled again */
        put(l, "td_syncwarp();");
        put(l, "if (td_tid() %% 32 == 0) td_mbar_arrive(%s_empty + %s_slot);", base, base);
    }
}
