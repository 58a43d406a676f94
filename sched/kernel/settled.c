/* Warps. How many warps a block has is settled at launch where a row lies in the registers of a block's threads, and
 * how long it is was not known: `i = grid; j = warp(16) reg(4) lane(32) vec(8)` holds rows of up to 16384 elements,
 * each warp 1024 of them, and a row of 2000 needs two warps. The others would hold elements outside of the axis
 * alone, which are not loaded, not stored and not folded, so that nothing but time tells whether they are there. One
 * text so serves rows of 1000 and of 16000 elements with blocks that fit either.
 *
 * The factor has the highest digit of a thread's number, so that the threads that stay are numbered as before; and
 * what threads exchange is asked of those alone that are there (backend_cuda/lower/lower_exchange.c).
 *
 * Lanes. Where each warp has a row of its own, `i = grid warp(4); j = reg(2) lane(32) vec(8)`, a row of 64 elements
 * needs 8 lanes. A launch gives it 8, and the other 24 to three more rows: those of the warps behind, which then have
 * none left, so that there are fewer blocks. A thread so stands for another one, of another block (lower_axis.c), and
 * folds between lanes go no further than a row's; again nothing but time tells. Vectors of 8 and single elements for
 * odd lengths are so two kernels for all rows of up to 256 elements, where each length wanted one. */
#include "settled.h"

#include "ir/expr_is.h"

/* One text of one part, whose threads are divided in one way. */
static bool is_single(const Kernel *k) { return k->parts.n == 1 && !k->product && k->parts.at[0]->layouts.n == 1; }

static bool is_over_dims(const Axis *a) { return expr_over_dims(a->lo) && expr_over_dims(a->hi); }

/* How much of a factor there is to do is known at launch, and not before. */
static bool asks_length(const Factor *f) {
    int64_t stride, lo, hi;
    if (!expr_is_int(f->stride, &stride) || !is_over_dims(f->axis)) return false;
    return !expr_is_int(f->axis->lo, &lo) || !expr_is_int(f->axis->hi, &hi);
}

/* ---- warps ---- */

/* The threads that differ in it are whole warps, the last digit of all. */
static const Factor *highest(const Kernel *k, const Layout *l) {
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if (bind_scope(f->bind) != SCOPE_THREAD || f->size <= 1 || f->tid_stride % TARGET_WARP) continue;
        if ((int64_t)f->tid_stride * f->size == k->threads) return f;
    }
    return NULL;
}

static FactorSet operands(const Part *part, const Layout *l, const Stage *s) {
    FactorSet set = 0;
    for (int i = 0; i < s->monoid->n; i++) set |= expr_domain(part, l, s->expr[i]);
    return set;
}

/* Whether a fold over it leaves out what lies outside of the axis, which of partial results nobody can tell; and
 * whether it is the only factor across warps, of as many as the lanes of a warp can take one each. */
static bool fold_allows(const Part *part, const Layout *l, const Stage *s, const Factor *f) {
    const FactorSet here = operands(part, l, s) | s->over | layout_scope_factors(l, SCOPE_BLOCK);
    if (!(s->over >> f->id & 1)) return true;
    if (layout_axis_factors(l, f->axis) & ~here || f->size > TARGET_WARP) return false;
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *x = l->factors.at[i];
        if (bind_scope(x->bind) != SCOPE_THREAD || x->size == 1 || x == f) continue;
        if (s->over >> x->id & 1 && !digit_in_warp(x->tid_stride, x->size)) return false;
    }
    return true;
}

/* Other axes have no more threads than they have blocks to fill. */
static bool is_folded(const Stage *const *at, int n, const Factor *f) {
    for (int i = 0; i < n; i++)
        if (at[i]->kind == STAGE_REDUCE && at[i]->over >> f->id & 1) return true;
    return false;
}

/* Tiles in shared memory, and scans, are made by all threads together. */
static bool stages_allow(const Part *part, const Layout *l, const Stage *const *at, int n, const Factor *f) {
    for (int i = 0; i < n; i++) switch (at[i]->kind) {
        case STAGE_LOAD:
        case STAGE_MAP:
        case STAGE_VAR:
        case STAGE_SET:
        case STAGE_ATOMIC: break;
        case STAGE_STORE:
            if (at[i]->path != PATH_DIRECT) return false;
            break;
        case STAGE_REDUCE:
            if (!fold_allows(part, l, at[i], f)) return false;
            break;
        default: return false;
        }
    return true;
}

const Factor *kernel_settled(const Kernel *k) {
    if (!is_single(k)) return NULL;
    const Part *part = k->parts.at[0];
    const Layout *l = part->layouts.at[0];
    const Factor *f = highest(k, l);
    if (!f || !asks_length(f)) return NULL;
    const Stage *const *at = (const Stage *const *)part->body.at;
    return is_folded(at, part->body.n, f) && stages_allow(part, l, at, part->body.n, f) ? f : NULL;
}

/* ---- lanes ---- */

/* All lanes of the warps, of one factor. */
static const Factor *all_lanes(const Layout *l) {
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if (bind_scope(f->bind) == SCOPE_THREAD && f->tid_stride == 1 && f->size == TARGET_WARP) return f;
    }
    return NULL;
}

/* Lanes of other rows do the same at the same time, and meet in folds between lanes alone. */
static bool lanes_allow(const Layout *l, Stage *const *at, int n, const Factor *f, bool inside) {
    for (int i = 0; i < n; i++) {
        const Stage *s = at[i];
        const FactorSet threads = s->over & layout_scope_factors(l, SCOPE_THREAD);
        switch (s->kind) {
        case STAGE_LOAD:
        case STAGE_MAP:
        case STAGE_VAR:
        case STAGE_SET:
        case STAGE_ATOMIC: break;
        case STAGE_STORE:
            if (s->path != PATH_DIRECT) return false;
            break;
        case STAGE_REDUCE: /* a loop that does nothing but fold under a condition may end earlier for a row */
            if (threads & ~((FactorSet)1 << f->id) || (inside && s->cond)) return false;
            break;
        case STAGE_FOR:
            /* that of a block's share of an axis ends where the axis does, elsewhere for the rows of another block */
            if (!is_over_dims(s->axis)) return false;
            if (layout_axis_factors(l, s->axis) & layout_scope_factors(l, SCOPE_BLOCK)) return false;
            if (!lanes_allow(l, s->body.at, s->body.n, f, true)) return false;
            break;
        default: return false;
        }
    }
    return true;
}

/* Blocks are as many as the axes need, so that those behind have rows to give. */
static bool blocks_allow(const Part *part, const Layout *l) {
    for (int i = 0; i < part->axes.n; i++)
        if (part->axes.at[i]->peel || part->axes.at[i]->shares) return false;
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if (bind_scope(f->bind) == SCOPE_BLOCK && (f->bind != BIND_GRID || f->size > 1)) return false;
    }
    return true;
}

const Factor *kernel_settled_open(const Kernel *k) {
    const Layout *l = k->parts.at[0]->layouts.at[0];
    for (int i = 0; i < l->factors.n; i++)
        if (l->factors.at[i]->bind == BIND_GRID && l->factors.at[i]->size != 1) return l->factors.at[i];
    return NULL;
}

const Factor *kernel_settled_lanes(const Kernel *k) {
    if (!is_single(k) || k->cluster > 1 || k->threads % TARGET_WARP) return NULL;
    const Part *part = k->parts.at[0];
    const Layout *l = part->layouts.at[0];
    const Factor *f = all_lanes(l), *open = kernel_settled_open(k);
    if (!f || !open || !is_over_dims(open->axis) || !asks_length(f)) return NULL;
    if (!blocks_allow(part, l) || kernel_settled(k)) return NULL;
    return lanes_allow(l, part->body.at, part->body.n, f, false) ? f : NULL;
}

/* ---- how many ---- */

const Expr *kernel_settled_needs(Program *p, const Factor *f) {
    Graph *g = p->graph;
    const Axis *a = f->axis;
    int64_t stride, lo;
    const bool from0 = expr_is_int(a->lo, &lo) && !lo;
    if (!expr_is_int(f->stride, &stride)) stride = 1;
    const Expr *n = from0 ? a->hi : expr2(g, OP_SUB, a->hi, a->lo);
    n = expr2(g, OP_ADD, n, expr_int(g, TY_I64, axis_slack(a) + stride - 1));
    return expr2(g, OP_DIV, n, expr_int(g, TY_I64, stride));
}

const Expr *kernel_settled_count(Program *p, const Factor *f) {
    Graph *g = p->graph;
    const Expr *n = expr2(g, OP_MIN, kernel_settled_needs(p, f), expr_int(g, TY_I64, f->size));
    return expr2(g, OP_MAX, n, expr_int(g, TY_I64, 1));
}
