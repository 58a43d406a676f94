/* Lowering, bulk movement: rows of a tile that one warp sends for, and tiles that leave through shared memory. */
#include "lower_internal.h"

#include <string.h>

/* ---- rows of a tile ---- */

/* The subscripts at the start of a row of the tile, as a flat offset: the tile's axes at `row`, others at their
 * base. */
static const Code *row_offset(Lower *l, const SharedTile *t, const Stage *s, const Code *const *row) {
    enum { MOST = 2 * MAX_PARTS };
    const Expr *from[MOST], *to[MOST], *at[MAX_RANK];
    const Code *saved[MOST];
    int n = l->part->axes.n;
    if (n > MOST) {
        lower_fail(l, "a copy in a kernel of more than %d axes", MOST);
        return code(l->ctx, "0");
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
    for (int d = 0; d < s->tensor->rank; d++) at[d] = expr_replace(l->g, s->subs[d], from, to, n);
    const Code *r = poly_code(l, poly_offset(&l->env, s->tensor, at), true);
    memcpy(l->args, saved, sizeof saved);
    return r;
}

typedef struct Rows {
    const Code *shared; /* how far into its slot the row begins: " + ..." or nothing */
    const Code *global; /* where it begins in its tensor */
    const Code *count;  /* elements inside the axes' bounds */
    int loops;
} Rows;

/* Declares where a row begins and ends along the tile's last axis; what a peel adds to its place in the slot. */
static const Code *declare_ends(Lower *l, const Axis *a, int64_t extent) {
    const Code *base = axis_base(l, a), *lo = expr_code(l, a->lo, l->open.layout);
    const Code *hi = expr_code(l, a->hi, l->open.layout);
    const Code *first = a->peel ? code(l->ctx, "%c < %c ? %c : %c", base, lo, lo, base) : base;
    put_number(l, "I", sym(l->ctx, "first"), first);
    put_number(l, "I", sym(l->ctx, "last"),
               code(l->ctx, "%c + %l < %c ? %c + %l : %c", base, extent, hi, base, extent, hi));
    return a->peel ? code(l->ctx, " + first - (%c)", base) : code(l->ctx, "");
}

/* One warp moves all rows of a tile, and each is as far from a multiple of 16 bytes as it is, not as the warp's is. */
static void peel_row(Lower *l, const SharedTile *t, const Code **row) {
    const Axis *a = t->axes[t->naxes - 1];
    const Stage *lead = axis_find_access(l, l->part->body.at, l->part->body.n, a->peel, a);
    row[t->naxes - 1] = expr_code(l, a->lo, l->open.layout);
    axis_peel_row(l, a, row_offset(l, t, lead, row));
}

static Found is_axis(const Expr *e, const void *var) {
    return e->op == OP_VAR && e->u.var == var ? FOUND : FOUND_INSIDE;
}

/* Where the tile's block is inside along an axis of the access that the tile lacks; NULL: each block is. A share has a
 * place for each block of an axis that is folded, inside or not: its place does not depend on the axis itself. */
static const Code *inside_along(Lower *l, const SharedTile *t, const Stage *s, const Axis *a) {
    bool read = false;
    for (int k = 0; k < t->naxes; k++)
        if (t->axes[k] == a) return NULL;
    for (int d = 0; d < s->tensor->rank; d++) read |= expr_has(s->subs[d], is_axis, a->var) != NULL;
    if (!read || axis_exact(l, l->part->layouts.at[0], a)) return NULL;
    return code(l->ctx, "%c < %c", axis_base(l, a), expr_code(l, a->hi, l->open.layout));
}

const Code *bulk_block_inside(Lower *l, const SharedTile *t, const Stage *s) {
    const Code *r = NULL;
    for (int i = 0; i < l->part->axes.n; i++) {
        const Code *test = inside_along(l, t, s, l->part->axes.at[i]);
        if (test) r = code_join(l->ctx, r, " && ", test);
    }
    return r;
}

/* Loops over the rows of a tile, which end_rows closes. */
static Rows put_rows(Lower *l, const SharedTile *t, const Stage *s) {
    Rows r = {.loops = t->naxes - 1, .shared = code(l->ctx, "")};
    const Code *row[MAX_RANK], *inside = bulk_block_inside(l, t, s);
    for (int k = 0; k < r.loops; k++) {
        put_loop(l, false, "int k%d = 0; k%d < %l; k%d++", k, k, t->extent[k], k);
        row[k] = code(l->ctx, "(%c + k%d)", axis_base(l, t->axes[k]), k);
        r.shared = code(l->ctx, "%c + k%d * %l", r.shared, k, t->stride[k]);
        if (axis_exact(l, l->part->layouts.at[0], t->axes[k])) continue;
        const Code *hi = expr_code(l, t->axes[k]->hi, l->open.layout);
        inside = code_join(l->ctx, inside, " && ", code(l->ctx, "%c < %c", row[k], hi));
    }
    if (r.loops && t->axes[r.loops]->peel) peel_row(l, t, row);
    r.shared = code(l->ctx, "%c%c", r.shared, declare_ends(l, t->axes[r.loops], t->extent[r.loops]));
    row[r.loops] = code_name(l->ctx, sym(l->ctx, "first"));
    const Code *whole = code(l->ctx, "%n - %n", sym(l->ctx, "last"), sym(l->ctx, "first"));
    r.count = inside ? code(l->ctx, "%c ? %c : 0", inside, whole) : whole;
    const Code *tensor = tensor_code(l, s->tensor);
    r.global = code(l->ctx, "%c + %c", tensor, row_offset(l, t, s, row));
    return r;
}

static void end_rows(Lower *l, const Rows *r) {
    put_ends(l, r->loops);
    l->open.row_peel = NULL;
}

/* ---- fills ---- */

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

void bulk_fill(Lower *l, SharedTile *t, const Stage *s, const Code *slot) {
    const Value *v = t->value;
    const char *T = lower_storage_type(s->tensor->type);
    Sym full = value_name_with(l, v, "_full");
    const Code *how = whole_rows(l, t, s) ? code(l->ctx, "td_fill_whole<%s>", T)
                                          : code(l->ctx, "td_fill_row<%s, %d>", T, whole_pieces(t));
    put_if(l, code(l->ctx, "td_tid() < 32"));
    if (!t->barrier)
        put_do(l, "td_mbar_wait(%n + %c, %n)", value_name_with(l, v, "_empty"), slot, value_name_with(l, v, "_parity"));
    Rows r = put_rows(l, t, s);
    put_do(l, "%c(%c + (%c * %l%c), %c, %c, %n + %c)", how, tile_base(l, t), slot, t->elements, r.shared, r.global,
           r.count, full, slot);
    end_rows(l, &r);
    put_end(l);
}

/* ---- bulk stores ----
 * The tile is written to shared memory, and one warp sends its rows off. In a loop two tiles take turns, so that one
 * may still be read while the other is written. */

static SharedTile *store_tile(Lower *l, Stage *s, const Layout *layout, FactorSet domain) {
    for (int i = 0; i < l->tiles.n; i++)
        if (l->tiles.at[i].value->def == s) return &l->tiles.at[i];
    Value *v = NEW(l->ctx, Value);
    *v = (Value){.name = sym_fmt(l->ctx, "%s_out", s->tensor->name),
                 .kind = VALUE_SHARED,
                 .type = s->tensor->type,
                 .layout = (Layout *)layout,
                 .def = s};
    SharedTile shape = tile_shape(l, v, layout, domain, 0);
    if (s->cond) lower_fail(l, "a bulk store has no condition");
    if (shape.naxes == 0) lower_fail(l, "a bulk store of nothing that is spread over threads or registers");
    return tile_new(l, &shape, axis_in_loop(l) ? 2 : 1);
}

/* One block of a cluster does where all have the same. */
static void send_rows(Lower *l, const SharedTile *t, const Stage *s, FactorSet domain, Sym name) {
    const Layout *layout = l->open.layout;
    const FactorSet twins = access_repeated(l, layout, domain) & ~thread_factors(l, layout->all);
    const Code *first = digits_zero(l, layout, twins), *warp = code(l->ctx, "td_tid() < 32");
    put_if(l, first ? code_join(l->ctx, warp, " && ", first) : warp);
    Rows r = put_rows(l, t, s);
    put_do(l, "td_drain_row<%s>(%c, %n%c, %c)", lower_storage_type(t->value->type), r.global, name, r.shared, r.count);
    end_rows(l, &r);
    put_do(l, "td_bulk_commit()");
    put_end(l);
}

void bulk_store(Lower *l, Stage *s) {
    const Layout *layout = stage_layout(l, s);
    l->open.layout = layout;
    FactorSet domain = access_domain(l, layout, s);
    SharedTile *t = store_tile(l, s, layout, domain);
    if (l->failed) return;
    const Value *v = t->value;
    const char *T = lower_storage_type(v->type);
    Sym name = value_name(l, v), turn = value_name_with(l, v, "_turn");
    bool twice = axis_in_loop(l);
    l->needs.bulk_stores = true;
    const Code *base = tile_base(l, t);
    if (twice) {
        fold_turn(l, turn);
        put_if(l, code(l->ctx, "td_tid() == 0"))->braces = INLINE;
        put_do(l, "td_bulk_wait_read<1>()");
        put_end(l);
        put_barrier(l);
        base = code(l->ctx, "%c + %n * %l", base, turn, t->elements);
    }
    put_declare(l, sym_fmt(l->ctx, "const td_sp<%s>", T), name, " = %c", base);
    VecPlan plan;
    tile_vectors(l, tile_offset(l, t, layout), layout, domain, 128 / type_bits(v->type), &plan);
    put_if(l, digits_zero(l, layout, thread_factors(l, layout->all) & ~domain));
    int loops = put_vector_loops(l, &plan, NULL);
    const Code *words = put_words(l, &plan, s->expr[0], v->type, layout);
    put_do(l, "td_sts<%s, %l>(%c, %c)", T, plan.V, tile_at(l, t, layout, &plan, name), words);
    put_ends(l, loops);
    put_end(l);
    put_do(l, "td_async_fence()");
    put_barrier(l);
    send_rows(l, t, s, domain, name);
    if (twice) put_do(l, "%n ^= 1", turn);
}
