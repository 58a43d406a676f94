/* Features of a kernel: how many. Indices of an axis, iterations of a factor; elements of ranges that are data, as of
 * rows of which a tensor says where they end; turns of loops that run only where conditions on their index can hold,
 * and which threads wait for the longest range. All as steps of the tape; nothing of the walk over the stages, which is
 * in features.c. */
#include "features_form.h"

#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "sched/machine/target.h"

#include <math.h>
#include <stdlib.h>

double feature_registers(const Part *part, FactorSet set) {
    double n = 1;
    for (int i = 0; i < part->factors.n; i++)
        if (set >> i & 1 && bind_scope(part->factors.at[i]->bind) == SCOPE_REG) n *= (double)part->factors.at[i]->size;
    return n;
}

int feature_step(Reading *x, const Expr *e) {
    int step = e ? tape_expr(&x->f->tape, e) : -1;
    if (step >= 0) return step;
    x->f->known = false;
    return tape_const(&x->f->tape, 1);
}

/* ---- ranges that are data ---- */

static FactorSet of_axis(const Part *part, const Axis *a) {
    FactorSet set = 0;
    for (int i = 0; i < part->factors.n; i++)
        if (part->factors.at[i]->axis == a) set |= (FactorSet)1 << i;
    return set;
}

static const Stage *uses_axis(Stage *const *at, int n, const Axis *a, int *sub) {
    for (int i = 0; i < n; i++) {
        for (int d = 0; at[i]->tensor && d < at[i]->tensor->rank; d++)
            if (expr_has(at[i]->subs[d], expr_test_var, a->var)) return *sub = d, at[i];
        const Stage *in = uses_axis(at[i]->body.at, at[i]->body.n, a, sub);
        if (in) return in;
    }
    return NULL;
}

/* Whether what an axis walks has a row for each of its ranges, as a table of sentences with the length of each has. */
static bool has_rows(const Reading *x, const Axis *a, FactorSet rows) {
    int walked = 0;
    const Stage *s = uses_axis(x->part->body.at, x->part->body.n, a, &walked);
    for (int d = 0; s && d < s->tensor->rank; d++)
        for (int i = 0; d != walked && i < x->part->axes.n; i++) {
            const Axis *row = x->part->axes.at[i];
            if (of_axis(x->part, row) & rows && expr_has(s->subs[d], expr_test_var, row->var)) return true;
        }
    return false;
}

/* What all the indices are that the axes in a set of factors have together. */
static int extent_product(Reading *x, FactorSet set) {
    int n = tape_const(&x->f->tape, 1);
    for (int i = 0; i < x->part->axes.n; i++) {
        const Axis *a = x->part->axes.at[i];
        if (of_axis(x->part, a) & set && expr_over_dims(a->lo) && expr_over_dims(a->hi))
            n = tape_step(&x->f->tape, TAPE_MUL, n, feature_extent(x, a));
    }
    return n;
}

enum { HALF = 2 };

/* Of the `all` indices that an axis has, those of a range that is data, on an average, where there is one for each of
 * some rows: together they likely cover them once, or each has half of a row of its own. */
static int range_length(Reading *x, const Axis *a, FactorSet rows, int all) {
    Tape *t = &x->f->tape;
    return tape_step(t, TAPE_DIV, all, has_rows(x, a, rows) ? tape_const(t, HALF) : extent_product(x, rows));
}

static int likely_extent(Reading *x, const Axis *a) {
    int d = 0;
    const Stage *s = uses_axis(x->part->body.at, x->part->body.n, a, &d);
    if (!s) return tape_const(&x->f->tape, 1);
    return range_length(x, a, a->row & ~of_axis(x->part, a), feature_step(x, s->tensor->shape[d]));
}

/* ---- extents and counts ---- */

static int find_extent(Reading *x, const Axis *a) {
    Tape *t = &x->f->tape;
    if (expr_over_dims(a->lo) && expr_over_dims(a->hi))
        return tape_step(t, TAPE_MAX, tape_step(t, TAPE_SUB, feature_step(x, a->hi), feature_step(x, a->lo)),
                         tape_const(t, 0));
    return likely_extent(x, a);
}

int feature_extent(Reading *x, const Axis *a) {
    int step = (int)expr_map_number(&x->extents, a, 0);
    if (!step) expr_map_put_number(x->ctx, &x->extents, a, step = find_extent(x, a) + 1);
    return step - 1;
}

/* As kernel_settled_count says it. */
static int settled_count(Reading *x, const Factor *f) {
    Tape *t = &x->f->tape;
    int64_t stride = 1;
    expr_is_int(f->stride, &stride);
    const int beyond = tape_const(t, (double)(axis_slack(f->axis) + stride - 1));
    int n = tape_step(t, TAPE_ADD, feature_extent(x, f->axis), beyond);
    n = tape_step(t, TAPE_FLOOR_DIV, n, tape_const(t, (double)stride));
    n = tape_step(t, TAPE_MIN, n, tape_const(t, (double)f->size));
    return tape_step(t, TAPE_MAX, n, tape_const(t, 1));
}

int feature_lanes_of_row(Reading *x) {
    const int n = settled_count(x, x->settled_lanes);
    return tape_step(&x->f->tape, TAPE_POWER, n, n);
}

static int find_count(Reading *x, const Factor *f) {
    Tape *t = &x->f->tape;
    if (f == x->settled_factor) return settled_count(x, f);
    if (f == x->settled_lanes) return feature_lanes_of_row(x);
    if (f->size) return tape_const(t, (double)f->size);
    if (f->count && expr_over_dims(f->count))
        return tape_step(t, TAPE_MAX, feature_step(x, f->count), tape_const(t, 1));
    int64_t others = 1;
    for (int i = 0; i < x->part->layouts.at[0]->factors.n; i++) {
        const Factor *o = x->part->layouts.at[0]->factors.at[i];
        if (o->axis == f->axis && o->size) others *= o->size;
    }
    int whole = tape_step(t, TAPE_ADD, feature_extent(x, f->axis), tape_const(t, (double)(others - 1)));
    return tape_step(t, TAPE_MAX, tape_step(t, TAPE_FLOOR_DIV, whole, tape_const(t, (double)others)), tape_const(t, 1));
}

int feature_count(Reading *x, const Factor *f) {
    int step = (int)expr_map_number(&x->counts, f, 0);
    if (!step) expr_map_put_number(x->ctx, &x->counts, f, step = find_count(x, f) + 1);
    return step - 1;
}

/* ---- conditions on a loop's index ---- */

static Found is_value(const Expr *e, const void *unused) {
    (void)unused;
    return e->op == OP_VALUE ? FOUND : FOUND_INSIDE;
}

/* A condition, or what a map before it says it is. */
static const Expr *said(const Expr *cond) {
    const Stage *def = cond && cond->op == OP_VALUE ? cond->u.value->def : NULL;
    return def && def->kind == STAGE_MAP ? def->expr[0] : cond;
}

/* What one of the conditions compares to say where the index begins or ends; NULL: none says that. */
static const Expr *bounded_by(const Expr *cond, const Var *index, int depth) {
    enum { DEEPEST = 64 };
    const Expr *c = said(cond);
    if (c->op == OP_AND && depth < DEEPEST) {
        const Expr *first = bounded_by(c->arg[0], index, depth + 1);
        return first ? first : bounded_by(c->arg[1], index, depth + 1);
    }
    if (op_rule(c->op) != RULE_COMPARE || c->op == OP_NE || c->arg[0]->type != TY_I64) return NULL;
    const bool left = expr_has(c->arg[0], expr_test_var, index) != NULL;
    if (left == (expr_has(c->arg[1], expr_test_var, index) != NULL)) return NULL;
    if (expr_has(c->arg[!left], expr_test_data, NULL) || expr_has_op(c->arg[!left], OP_MOD)) return NULL;
    return c->arg[!left];
}

/* Loops that do nothing but fold under conditions on their index run only where those can hold (lower_trim.c). */
static const Expr *trimmed(const Stage *loop) {
    const Expr *cond = NULL;
    for (int i = 0; i < loop->body.n; i++) {
        const Stage *s = loop->body.at[i];
        const Expr *own = s->kind == STAGE_REDUCE ? said(s->cond) : NULL;
        if (own && bounded_by(own, loop->axis->var, 0))
            cond = own;
        else if (s->kind != STAGE_LOAD && s->kind != STAGE_MAP && s->kind != STAGE_SET)
            return NULL;
    }
    return cond;
}

/* What an expression is made of, through the stages that make its values. */
typedef struct Varying {
    const Reading *x;
    FactorSet set;
    ExprVec todo;
} Varying;

static Found note_varying(const Expr *e, void *varying) {
    Varying *v = varying;
    const Stage *def = e->op == OP_VALUE ? e->u.value->def : NULL;
    if (def && def->kind == STAGE_MAP) {
        vec_push(v->x->ctx, &v->todo, def->expr[0]);
    } else if (def && def->kind == STAGE_LOAD) {
        for (int d = 0; d < def->tensor->rank; d++) vec_push(v->x->ctx, &v->todo, def->subs[d]);
    } else if (!e->nargs) {
        v->set |= expr_domain(v->x->part, v->x->part->layouts.at[0], e);
    }
    return FOUND_INSIDE;
}

/* Along which factors data are others; not, whether they are loaded. */
static FactorSet data_vary(const Reading *x, const Expr *e) {
    Varying v = {.x = x};
    ExprWalk w = {.temp = x->ctx, .before = note_varying, .user = &v};
    vec_push(x->ctx, &v.todo, e);
    while (v.todo.n) expr_walk(&w, v.todo.at[--v.todo.n]);
    return v.set;
}

/* Along which factors the ends of the index's ranges vary: other conditions beside them give no row another range. */
static FactorSet ends_vary(const Reading *x, const Expr *cond, const Var *index, int depth) {
    enum { DEEPEST = 64 };
    const Expr *c = said(cond);
    if (c->op == OP_AND && depth < DEEPEST)
        return ends_vary(x, c->arg[0], index, depth + 1) | ends_vary(x, c->arg[1], index, depth + 1);
    return bounded_by(c, index, DEEPEST) ? data_vary(x, c) : 0;
}

/* Trim.window, of what is compared: in `64 * c + k` the window of k moves by 64 a row. */
static int window_of(Reading *x, const Trim *trim, const Expr *compared) {
    const Poly p = poly_of(&x->env, compared);
    Poly by, rest;
    int64_t n, most = 0;
    for (int i = 0; i < x->part->axes.n && !p.failed; i++) {
        const Axis *a = x->part->axes.at[i];
        if (a == trim->axis || !poly_linear(x->ctx, p, expr_var(x->g, a->var), &by, &rest)) continue;
        if (poly_is_const(by, &n) && llabs(n) > most) most = llabs(n);
    }
    return most ? tape_step(&x->f->tape, TAPE_MIN, tape_const(&x->f->tape, (double)most), feature_extent(x, trim->axis))
                : -1;
}

/* Elements of a range, on an average. */
static int mean_length(Reading *x, const Trim *trim) {
    return range_length(x, trim->axis, trim->rows, feature_extent(x, trim->axis));
}

static double axis_spanned(const Reading *x, const Trim *trim, const Axis *a) {
    const Layout *l = x->part->layouts.at[0];
    double span = 1;
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        int64_t stride = 1;
        if (f->axis != a || !(trim->rows >> f->id & 1) || bind_scope(f->bind) != SCOPE_REG) continue;
        if (!expr_is_int(f->stride, &stride)) stride = 1;
        span += (double)((f->size - 1) * stride);
    }
    return span;
}

/* Rows from a thread's first to its last one: it goes over all that their ranges enclose, those of rows between them,
 * which other threads have, too. */
static double spanned(const Reading *x, const Trim *trim) {
    double all = 1;
    for (int k = 0; k < x->part->axes.n; k++) all *= axis_spanned(x, trim, x->part->axes.at[k]);
    return all;
}

/* What one of the conditions compares the index with, where that is loaded. */
static const Stage *end_of(const Expr *cond, const Var *index, int depth);

/* The same as a step: rows beside each other along one axis may have all of another one's between them. */
static int rows_spanned(Reading *x, const Trim *trim, const Expr *cond) {
    Tape *t = &x->f->tape;
    const Stage *ends = end_of(cond, trim->axis->var, 0);
    const Poly at = ends ? poly_offset(&x->env, ends->tensor, ends->subs) : (Poly){.failed = true};
    int all = tape_const(t, 1);
    for (int k = 0; k < x->part->axes.n && !at.failed; k++) {
        const Axis *a = x->part->axes.at[k];
        const double rows = axis_spanned(x, trim, a);
        Poly by, rest;
        if (rows <= 1) continue;
        if (!poly_linear(x->ctx, at, expr_var(x->g, a->var), &by, &rest)) return tape_const(t, spanned(x, trim));
        const int step = tape_step(t, TAPE_MUL, feature_step(x, poly_expr(x->g, by)), tape_const(t, rows - 1));
        all = tape_step(t, TAPE_ADD, all, step);
    }
    return at.failed ? tape_const(t, spanned(x, trim)) : all;
}

/* Where ranges are data, threads with other rows have other ranges, one after the other where they are registers of
 * one. Conditions without data, as j <= i, hold for half. */
static int trimmed_trips(Reading *x, const Trim *trim, const Factor *serial, int span) {
    Tape *t = &x->f->tape;
    const Layout *l = x->part->layouts.at[0];
    const int all = feature_count(x, serial), one = tape_const(t, 1);
    if (!trim->data) return tape_step(t, TAPE_MAX, tape_step(t, TAPE_DIV, all, tape_const(t, HALF)), one);
    double tile = 1;
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if (f->axis == trim->axis && f != serial && f->size) tile *= (double)f->size;
    }
    const int rows = tape_const(t, feature_registers(x->part, trim->rows)), tiles = tape_const(t, tile);
    if (trim->window >= 0) {
        int full = tape_step(t, TAPE_DIV, tape_step(t, TAPE_MUL, trim->window, rows), tiles);
        full = tape_step(t, TAPE_MIN, tape_step(t, TAPE_MAX, full, one), all);
        return tape_step(t, TAPE_MUL, tape_given(t), full);
    }
    int length = tape_step(t, TAPE_MUL, mean_length(x, trim), span);
    const int some = tape_step(t, TAPE_MIN, length, one); /* most ranges are empty where there are few elements */
    length = tape_step(t, TAPE_DIV, length, tiles);
    return tape_step(t, TAPE_MIN, tape_step(t, TAPE_MAX, length, some), all);
}

/* Of threads with ranges of their own, those that differ by at least so many of a block and by fewer than that. */
static double threads_between(const Reading *x, const Trim *trim, int64_t least, int64_t most) {
    const Layout *l = x->part->layouts.at[0];
    double n = 1;
    for (int i = 0; i < l->factors.n && trim->data; i++) {
        const Factor *f = l->factors.at[i];
        if (!(trim->rows >> f->id & 1) || bind_scope(f->bind) != SCOPE_THREAD) continue;
        const int64_t from = f->tid_stride > least ? f->tid_stride : least, end = f->tid_stride * f->size;
        const int64_t to = end < most ? end : most;
        if (to > from) n *= (double)to / (double)from;
    }
    return n;
}

/* A thread's sums of several ranges differ less. */
static double drawn(const Reading *x, const Trim *trim, double threads) {
    return log(threads) / sqrt(spanned(x, trim));
}

/* A warp goes on until the longest of its lanes' ranges is done. Where the ends of ranges are drawn, the longest of n
 * is about 1 + ln(n) times as long as the mean; where elements are drawn for ranges, they differ by the root of the
 * mean alone. Nobody says which: this is the middle of both, as factors (17 elements a range on an average, 32 lanes
 * with one each: 4.5 times the mean, 1.6, and here 2.7). */
static int uneven(Reading *x, const Trim *trim) {
    Tape *t = &x->f->tape;
    const double more = drawn(x, trim, threads_between(x, trim, 1, TARGET_WARP));
    const int one = tape_const(t, 1);
    if (more <= 0) return one;
    int less = tape_step(t, TAPE_DIV, one, tape_step(t, TAPE_MAX, mean_length(x, trim), one));
    for (int i = 0; i < 2; i++) less = tape_step(t, TAPE_ROOT, less, less);
    return tape_step(t, TAPE_ADD, one, tape_step(t, TAPE_MUL, tape_const(t, more), less));
}

/* The same of the warps of a block, which stays until all are done. Of ranges of one and a half elements, on an
 * average, blocks of 2, 4 and 8 warps with one each took 0.5, 0.3 and 0.8 times longer than by their mean (an
 * embedding's gradient, H200). */
static double of_warps(const Reading *x, const Trim *trim) {
    static const double SLOWEST = 0.5;
    return SLOWEST * drawn(x, trim, threads_between(x, trim, TARGET_WARP, x->k->threads));
}

static const Stage *loaded(const Expr *e) {
    while (e->op == OP_CAST) e = e->arg[0];
    const Stage *def = e->op == OP_VALUE ? e->u.value->def : NULL;
    return def && def->kind == STAGE_LOAD ? def : NULL;
}

const Tensor *feature_ends(const Expr *cond) {
    const Expr *c = said(cond);
    if (c->op != OP_LT) return NULL;
    const Stage *from = loaded(c->arg[0]), *to = loaded(c->arg[1]);
    const bool same = from && to && from->tensor == to->tensor && from->tensor->rank == 1;
    int64_t one;
    const Expr *next = same ? to->subs[0] : NULL;
    const bool follows = next && next->op == OP_ADD && next->arg[0] == from->subs[0];
    return follows && expr_is_int(next->arg[1], &one) && one == 1 ? from->tensor : NULL;
}

static const Stage *end_of(const Expr *cond, const Var *index, int depth) {
    enum { DEEPEST = 64 };
    const Expr *c = said(cond);
    if (c->op == OP_AND && depth < DEEPEST) {
        const Stage *first = end_of(c->arg[0], index, depth + 1);
        return first ? first : end_of(c->arg[1], index, depth + 1);
    }
    const Expr *by = bounded_by(c, index, depth);
    return by ? loaded(c->arg[by == c->arg[0]]) : NULL;
}

/* Of n that are drawn for as many places, on an average, a place has none with a chance of exp(-n), which is nearly
 * 1/(1 + n + n*n/2). */
static void note_ends(Reading *x, const Trim *trim, const Expr *cond) {
    const Stage *def = end_of(cond, trim->axis->var, 0);
    Tape *t = &x->f->tape;
    if (!def) return;
    const int one = tape_const(t, 1), n = mean_length(x, trim);
    const int half = tape_step(t, TAPE_DIV, tape_step(t, TAPE_MUL, n, n), tape_const(t, 2));
    const int none = tape_step(t, TAPE_DIV, one, tape_step(t, TAPE_ADD, tape_step(t, TAPE_ADD, one, n), half));
    vec_push(x->ctx, &x->ends_of, ((Ends){def->tensor, tape_step(t, TAPE_SUB, one, none)}));
}

void feature_trim(Reading *x, const Stage *loop, Body *b) {
    Tape *t = &x->f->tape;
    const Axis *a = loop->axis;
    const Expr *cond = trimmed(loop);
    if (!cond) return;
    Trim trim = {.axis = a, .data = expr_has(cond, is_value, NULL) != NULL};
    trim.rows = ends_vary(x, cond, a->var, 0) & ~of_axis(x->part, a);
    trim.window = trim.data ? window_of(x, &trim, bounded_by(cond, a->var, 0)) : -1;
    const bool window = trim.window >= 0, anywhere = trim.data && !window;
    trim.trips = trimmed_trips(x, &trim, b->factor, rows_spanned(x, &trim, cond));
    b->useful = trimmed_trips(x, &trim, b->factor, tape_const(t, 1)); /* an element is of one of a thread's rows */
    b->trips = tape_step(t, TAPE_MUL, trim.trips, uneven(x, &trim));
    b->slowest = of_warps(x, &trim);
    if (trim.data) b->ranges = feature_registers(x->part, trim.rows);
    if (anywhere) b->elements = mean_length(x, &trim);
    if (anywhere) note_ends(x, &trim, cond);
    b->ragged = trim.data;
    if (window || !trim.data || has_rows(x, a, trim.rows)) b->most = feature_count(x, b->factor);
    if (window) b->met = b->useful;
    vec_push(x->ctx, &x->trims, trim);
}
