/* Lowering, shared memory: its pieces, and tiles in them. */
#include "lower_internal.h"

int region_new(Lower *l, const Stage *s, int purpose, int64_t bytes) {
    for (int i = 0; i < l->needs.regions.n; i++)
        if (l->needs.regions.at[i].stage == s && l->needs.regions.at[i].purpose == purpose) return i;
    int64_t align = bytes >= 1024 ? MAX_SHARED_ALIGN : 16;
    int64_t offset = (l->needs.shared_bytes + align - 1) / align * align;
    if (offset + bytes > MAX_SHARED) {
        lower_fail(l, "needs more than 227 KB of shared memory");
        bytes = 0;
        offset = 0;
    }
    Region r = {.stage = s, .purpose = purpose, .offset = (int)offset, .bytes = (int)bytes};
    l->needs.shared_bytes = (int)(offset + bytes);
    vec_push(l->ctx, &l->needs.regions, r);
    return l->needs.regions.n - 1;
}

SharedTile *tile_of(Lower *l, const Value *v) {
    for (int i = 0; i < l->tiles.n; i++)
        if (l->tiles.at[i].value == v) return &l->tiles.at[i];
    return NULL;
}

/* Factors of a tile inside a block: of its threads and registers. */
static bool is_inner(const Factor *f) {
    return bind_scope(f->bind) != SCOPE_BLOCK && bind_scope(f->bind) != SCOPE_LOOP;
}

static int64_t inner_extent(const Layout *layout, const Axis *a) {
    int64_t n = 1;
    FactorSet s = layout_axis_factors(layout, a);
    for (int i = 0; i < layout->factors.n; i++) {
        Factor *f = layout->factors.at[i];
        if ((s >> f->id & 1) && is_inner(f)) n *= f->size;
    }
    return n;
}

static Poly inner_index(Lower *l, const Layout *layout, const Axis *a) {
    const Expr *e = expr_int(l->g, TY_I64, 0);
    for (int i = 0; i < layout->factors.n; i++) {
        Factor *f = layout->factors.at[i];
        if (f->axis != a || f->size == 1 || !is_inner(f)) continue;
        e = expr2(l->g, OP_ADD, e, expr2(l->g, OP_MUL, expr_factor(l->p, f), expr_cast(l->g, TY_I64, f->stride)));
    }
    return poly_of(&l->env, e);
}

/* The axis along which neighbours of a tile that is moved in rows are neighbours in the tensor; NULL: of another. */
static const Axis *row_axis(Lower *l, const Value *v, const Layout *layout) {
    const Stage *s = v->def;
    if ((s->kind != STAGE_COPY && s->kind != STAGE_STORE) || !s->tensor->rank) return NULL;
    const Poly last = poly_of(&l->env, s->subs[s->tensor->rank - 1]);
    for (int i = 0; i < l->part->axes.n; i++) {
        const Axis *a = l->part->axes.at[i];
        Poly coef, rest;
        int64_t c;
        if (inner_extent(layout, a) > 1 && poly_linear(l->ctx, last, expr_var(l->g, a->var), &coef, &rest) &&
            poly_is_const(coef, &c) && c == 1)
            return a;
    }
    return NULL;
}

static void last_axis(SharedTile *t, const Axis *last) {
    for (int i = 0; i + 1 < t->naxes; i++) {
        if (t->axes[i] != last) continue;
        Axis *a = t->axes[i];
        const int64_t extent = t->extent[i];
        t->axes[i] = t->axes[i + 1], t->extent[i] = t->extent[i + 1];
        t->axes[i + 1] = a, t->extent[i + 1] = extent;
    }
}

SharedTile tile_shape(Lower *l, Value *v, const Layout *layout, FactorSet domain, int64_t pad) {
    SharedTile t = {.value = v, .elements = 1};
    for (int i = 0; i < l->part->axes.n; i++) {
        Axis *a = l->part->axes.at[i];
        FactorSet inner = layout_axis_factors(layout, a) & domain;
        int64_t n = (thread_factors(l, inner) | reg_factors(l, inner)) ? inner_extent(layout, a) : 1;
        if (n == 1) continue;
        t.axes[t.naxes] = a;
        t.extent[t.naxes++] = n;
    }
    last_axis(&t, row_axis(l, v, layout));
    int64_t align = 128 / type_bits(v->type); /* 16 bytes */
    for (int i = t.naxes - 1; i >= 0; i--) {
        t.stride[i] = t.elements;
        t.elements *= t.extent[i];
        if (i == t.naxes - 1 && pad) t.elements += pad;
    }
    t.elements = (t.elements + align - 1) / align * align;
    return t;
}

SharedTile *tile_new(Lower *l, const SharedTile *shape, int copies) {
    SharedTile t = *shape;
    t.region = region_new(l, t.value->def, 0, t.elements * copies * type_bits(t.value->type) / 8);
    vec_push(l->ctx, &l->tiles, t);
    return &l->tiles.at[l->tiles.n - 1];
}

const Code *tile_base(Lower *l, const SharedTile *t) {
    return code(l->ctx, "td_shared<%s>(%d)", lower_storage_type(t->value->type), l->needs.regions.at[t->region].offset);
}

Poly tile_offset(Lower *l, const SharedTile *t, const Layout *layout) {
    Poly p = poly_const(l->ctx, 0);
    for (int i = 0; i < t->naxes; i++)
        p = poly_add(l->ctx, p, poly_scale(l->ctx, inner_index(l, layout, t->axes[i]), t->stride[i]));
    return p;
}

void tile_vectors(Lower *l, Poly offset, const Layout *layout, FactorSet domain, int64_t most, VecPlan *plan) {
    vector_plan(l, offset, layout, (VecLimits){domain, domain, most, false}, plan);
    while (plan->V > 1) {
        Poly rest = vector_drop(l, offset, plan);
        for (int i = 0; i < plan->nv; i++) {
            Poly coef, r;
            if (plan->part[i] != plan->f[i]->size &&
                poly_linear(l->ctx, rest, expr_factor(l->p, plan->f[i]), &coef, &r))
                rest = r; /* steps are multiples of the part, and so of V */
        }
        if (offset_aligned(l, rest, plan->V, false) || plan->part[plan->nv - 1] % 2) break;
        vector_halve(plan);
    }
}

static const Code *swizzled_at(Lower *l, const SharedTile *t, const Layout *layout, const VecPlan *plan, Sym base) {
    int last = t->naxes - 1;
    Poly col = inner_index(l, layout, t->axes[last]), row = poly_const(l->ctx, 0);
    for (int i = 0; i < last; i++) {
        Poly index = inner_index(l, layout, t->axes[i]);
        row = poly_add(l->ctx, row, poly_scale(l->ctx, index, t->stride[i] / t->stride[last - 1]));
    }
    const Code *above = poly_code(l, vector_drop(l, row, plan), false);
    const Code *across = poly_code(l, vector_drop(l, col, plan), false);
    return code(l->ctx, "%n + td_swizzle<%l, %l>(%c, %c)", base, t->swizzle, t->extent[last], above, across);
}

const Code *tile_at(Lower *l, const SharedTile *t, const Layout *layout, const VecPlan *plan, Sym base) {
    if (t->swizzle) return swizzled_at(l, t, layout, plan, base);
    Poly p = vector_drop(l, tile_offset(l, t, layout), plan);
    return p.n ? code(l->ctx, "%n + %c", base, poly_code(l, p, false)) : code_name(l->ctx, base);
}
