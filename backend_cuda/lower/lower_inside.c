/* Lowering, tiles that lie inside: where lengths are not known, each register's element is tested against the end of
 * its axis, and for most registers in vain. So statements are made twice, without tests and with them. Of a map, and of
 * a loop without exchanges, one test of all that a thread has says which. Of a kernel without loops, where an axis lies
 * in its registers alone, lengths that reach into the last of them have an instance of their own, which takes fewer
 * registers: only that one is tested. Shorter ones leave out the registers that they do not reach. */
#include "lower_internal.h"

/* Elements from the first of a tile, or of a thread's part of it, to behind the last, by the digits of threads and
 * registers; 0: it is not known. */
static int64_t tile_span(const Layout *layout, const Axis *a, bool by_threads) {
    int64_t span = 1, stride;
    for (int i = 0; i < layout->factors.n; i++) {
        const Factor *f = layout->factors.at[i];
        const BindScope scope = bind_scope(f->bind);
        if (f->axis != a || f->size == 1 || (scope != SCOPE_REG && (scope != SCOPE_THREAD || by_threads))) continue;
        if (!f->size || !expr_is_int(f->stride, &stride)) return 0;
        span += (f->size - 1) * stride;
    }
    return span;
}

/* Whether the axis's end cuts vectors: each access is then two, between which others do not move. */
static bool is_cut(const Lower *l, const Axis *a) {
    for (int i = 0; i < l->accesses.n; i++)
        if (l->accesses.at[i].access->tail == TAIL_PART && l->accesses.at[i].access->vaxis == a) return true;
    return false;
}

/* Whether tests of an axis's end are made for each register, and tiles are walked, so that most may be inside: one
 * test of a thread costs no more than that of its tile. */
static bool is_tested_often(Lower *l, const Layout *layout, const Axis *a) {
    bool registers = a->peel || is_cut(l, a) || (l->open.nloops && l->open.loops[l->open.nloops - 1]->axis == a),
         walked = false;
    for (int i = 0; i < layout->factors.n; i++) {
        const Factor *f = layout->factors.at[i];
        if (f->axis != a || f->size == 1) continue;
        registers |= f->bind == BIND_REG;
        walked |= f->bind == BIND_SERIAL || f->bind == BIND_GRID;
    }
    const FactorSet outside =
        layout_axis_factors(layout, a) & ~(reg_factors(l, layout->all) | thread_factors(l, layout->all));
    return registers && walked && !(outside & ~axis_ambient(l, layout));
}

/* That the tile, or a thread's part of it, is inside of the axis; NULL: it never is, or always, or nobody asks. */
static const Code *tile_test(Lower *l, const Layout *layout, const Axis *a) {
    const bool by_threads = layout_by_threads(layout);
    const int64_t span = tile_span(layout, a, by_threads);
    int64_t extent, lo;
    if (!span || axis_exact(l, layout, a) || !is_tested_often(l, layout, a)) return NULL;
    if (poly_is_const(axis_extent(l, a), &extent) && extent < span) return NULL;
    const Code *base = by_threads ? code_name(l->ctx, axis_name(l, a, layout)) : axis_base(l, a);
    const Code *end = code(l->ctx, "%c + %l <= %c", base, span, axis_end(l, layout, a));
    if (!a->peel) return end;
    const bool from0 = expr_is_int(a->lo, &lo) && lo == 0;
    const Code *low = from0 ? code(l->ctx, "0") : expr_code(l, a->lo, layout);
    return code(l->ctx, "%c >= %c && %c", base, low, end);
}

/* Whether a fold goes through so many registers, as that of a product's tile does, that tests of what is loaded are few
 * beside it: to make it twice would double what nvcc compiles, and gain nothing. */
static bool folds_many(Lower *l, const Layout *layout, const Stage *s) {
    enum { MANY = 256 };
    int64_t n = 1;
    if (s->kind != STAGE_REDUCE) return false;
    const FactorSet all = reg_factors(l, expr_domain(l->part, layout, s->expr[0]) | s->over);
    for (int i = 0; i < layout->factors.n; i++)
        if (all >> layout->factors.at[i]->id & 1) n *= layout->factors.at[i]->size;
    return n >= MANY;
}

/* Whether loads run ahead in a loop of a known number of iterations: nvcc knows which is the last, and what is made
 * twice keeps it from moving loads (a column's deviation, 1.41 times a copy, was 1.60 so on an H200; of lengths that
 * are not known the best of 21 classes took 1.51, and takes 1.31). */
static bool runs_ahead_known(Lower *l, const Stage *s) {
    int64_t extent;
    if (s->kind != STAGE_LOAD || !s->depth) return false;
    return poly_is_const(axis_extent(l, l->open.loops[l->open.nloops - 1]->axis), &extent);
}

/* The axes of which this tile meets no end, for stages between which threads do not meet; the test of that. */
static const Code *walked_axes(Lower *l, Stage *const *s, int n, const Layout *layout) {
    const Code *test = NULL;
    for (int i = 0; i < n; i++)
        if (!stage_is_apart(layout, s[i]) || folds_many(l, layout, s[i]) || runs_ahead_known(l, s[i])) return NULL;
    for (int i = 0; i < l->part->axes.n; i++) {
        const Axis *a = l->part->axes.at[i];
        const Code *one = tile_test(l, layout, a);
        if (!one) continue;
        test = code_join(l->ctx, test, " && ", one);
        vec_push(l->ctx, &l->open.inside, a);
    }
    return test;
}

static bool has_loop(Stage *const *s, int n) {
    for (int i = 0; i < n; i++)
        if (s[i]->kind == STAGE_FOR || has_loop(s[i]->body.at, s[i]->body.n)) return true;
    return false;
}

static const Factor *outermost(const Layout *layout, const Axis *a) {
    for (int i = 0; i < layout->factors.n; i++)
        if (layout->factors.at[i]->axis == a && layout->factors.at[i]->size != 1) return layout->factors.at[i];
    return NULL;
}

/* An axis in registers alone, the outermost of its factors one of several: where the last of them begins. 0: it is
 * none. */
static int64_t last_register(Lower *l, const Layout *layout, const Axis *a) {
    enum { SEVERAL = 4 /* of which one less is tested */ };
    const Factor *outer = outermost(layout, a);
    int64_t stride, lo, extent;
    for (int i = 0; i < layout->factors.n; i++) {
        const Factor *f = layout->factors.at[i];
        if (f->axis != a || f->size == 1) continue;
        if (f->bind == BIND_SERIAL || f->bind == BIND_GRID || !f->size) return 0;
    }
    if (!outer || outer->bind != BIND_REG || outer->size < SEVERAL || !expr_is_int(outer->stride, &stride)) return 0;
    if (axis_exact(l, layout, a) || !expr_is_int(a->lo, &lo) || lo) return 0;
    const Poly hi = poly_of(&l->env, a->hi);
    return hi.failed || !offset_over_dims(hi) || poly_is_const(hi, &extent) ? 0 : stride * (outer->size - 1);
}

/* The axes that reach into the last of their registers, in a kernel without loops; the launcher's test of that. */
static const Code *filled_axes(Lower *l, Stage *const *s, int n, const Layout *layout) {
    const Code *test = NULL;
    if (l->open.nloops || has_loop(s, n)) return NULL;
    for (int i = 0; i < l->part->axes.n; i++) {
        const Axis *a = l->part->axes.at[i];
        /* Under a bound of registers nvcc spills where no test keeps loads apart (softmax of 32768: 1.19 of a copy
         * instead of 1.11), but the tests of a peel cost more. */
        const int64_t filled = l->k->blocks_per_sm && !a->peel ? 0 : last_register(l, layout, a);
        if (!filled) continue;
        test = code_join(l->ctx, test, " && ", code(l->ctx, "%c >= %l", dim_code(l, a->hi, true), filled));
        vec_push(l->ctx, &l->open.filled, a);
    }
    return test;
}

/* That a thread begins before the ends of these axes. The others may be left out where all that is done are stores
 * along them; NULL: they may not, or none of them begins elsewhere. */
static const Code *begins_inside(Lower *l, Stage *const *s, int n, const Layout *layout) {
    const Code *test = NULL;
    FactorSet along = 0;
    for (int i = 0; i < l->open.inside.n; i++) {
        const Axis *a = l->open.inside.at[i];
        const FactorSet threads = layout_axis_factors(layout, a) & thread_factors(l, layout->all);
        if (!threads) continue;
        along |= threads;
        const Code *one = code(l->ctx, "%n < %c", axis_name(l, a, layout), axis_end(l, layout, a));
        test = code_join(l->ctx, test, " && ", one);
    }
    for (int i = 0; i < n; i++) {
        const bool stored = s[i]->kind == STAGE_STORE || s[i]->kind == STAGE_ATOMIC;
        if (s[i]->kind == STAGE_VAR || s[i]->kind == STAGE_SET) return NULL;
        if (stored && (along & ~access_domain(l, layout, s[i]))) return NULL;
    }
    return test;
}

/* The list in which no element needs a test. A warp whose threads went both ways would go the one after the other, and
 * wait twice for memory: its threads agree. */
static void put_inside(Lower *l, Stage *const *s, int n, const Layout *layout, const Code *test) {
    const bool by_threads = layout_by_threads(layout);
    const Code *begins = by_threads ? begins_inside(l, s, n, layout) : NULL;
    if (begins) test = code(l->ctx, "(%c) || !(%c)", test, begins);
    if (by_threads) test = code(l->ctx, "td_all_here(%c)", test);
    /* The last instance is for what is rare: it is not worth the time to compile it twice. */
    if (l->needs.wide) test = code(l->ctx, "A == 1 && %c", test);
    put_if(l, test)->note = "no element needs a test";
    if (begins) put_if(l, begins);
    l->open.begins = begins;
}

bool inside_begin(Lower *l, Stage *const *s, int n) {
    const Layout *layout = l->part->layouts.at[0];
    bool accesses = false;
    if (l->part->layouts.n > 1 || l->open.inside.n || l->open.filled.n) return false;
    for (int i = 0; i < n; i++)
        accesses |= s[i]->kind == STAGE_LOAD || s[i]->kind == STAGE_STORE || s[i]->kind == STAGE_READ;
    if (!accesses) return false;
    l->open.layout = layout;
    const Code *test = walked_axes(l, s, n, layout);
    if (test) put_inside(l, s, n, layout, test);
    if (test) return true;
    l->needs.filled = filled_axes(l, s, n, layout);
    if (!l->needs.filled) return false;
    put_if(l, code(l->ctx, "F"));
    return true;
}

static Reached reached(Lower *l, const Layout *layout, const Axis *a) {
    const Factor *f = outermost(layout, a);
    const Code *first = code(l->ctx, "%n * %c", factor_name(l, f), expr_code(l, f->stride, layout));
    if (a->peel) first = code(l->ctx, "%c - %l", first, axis_slack(a));
    return (Reached){f, code(l->ctx, "%c < %c", first, axis_end(l, layout, a))};
}

void inside_else(Lower *l) {
    const Layout *layout = l->part->layouts.at[0];
    for (int i = 0; i < l->open.filled.n; i++)
        vec_push(l->ctx, &l->open.reached, reached(l, layout, l->open.filled.at[i]));
    l->open.inside.n = l->open.filled.n = 0;
    if (l->open.begins) put_end(l);
    put_else(l);
    if (l->open.begins) put_if(l, l->open.begins);
}

void inside_end(Lower *l) {
    l->open.reached.n = 0;
    if (l->open.begins) put_end(l);
    l->open.begins = NULL;
    put_end(l);
}
