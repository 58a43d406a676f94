/* Features of a kernel: the walk over its stages. Bodies and what waits are here; features_access.c has the accesses,
 * features_issue.c what is issued. */
#include "features_form.h"
#include "sched/kernel/settled.h"
#include "sched/kernel/under.h"

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

const Layout *feature_layout(const Reading *x, const Stage *s) {
    return s->layout ? s->layout : x->part->layouts.at[0];
}

int feature_step(Reading *x, const Expr *e) {
    int step = e ? tape_expr(&x->f->tape, e) : -1;
    if (step >= 0) return step;
    x->f->known = false;
    return tape_const(&x->f->tape, 1);
}

/* ---- ranges ---- */

bool feature_in_registers(const Reading *x, const Layout *l, const Axis *a, int64_t *step, int64_t *registers) {
    enum { SEVERAL = 4 };
    const Factor *outer = NULL;
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if (f->axis != a || f->size == 1) continue;
        if (f->bind == BIND_SERIAL || f->bind == BIND_GRID) return false;
        if (!outer) outer = f;
    }
    if (!outer || outer->bind != BIND_REG || outer->size < SEVERAL || !expr_is_int(outer->stride, step)) return false;
    *registers = outer->size;
    return !x->f->resident || a->peel;
}

/* The share of the part's registers that its axes reach; -1: all are gone through. */
static int share_reached(Reading *x) {
    Tape *t = &x->f->tape;
    const Layout *l = x->part->layouts.at[0];
    int64_t step, registers;
    int share = -1;
    double known;
    if (x->f->loops || x->k->parts.n > 1 || x->part->layouts.n > 1) return -1;
    for (int i = 0; i < x->part->axes.n; i++) {
        const Axis *a = x->part->axes.at[i];
        if (!feature_in_registers(x, l, a, &step, &registers)) continue;
        const int extent = feature_extent(x, a);
        if (tape_known(t, extent, &known)) continue;
        int reached = tape_step(t, TAPE_ADD, extent, tape_const(t, (double)(axis_slack(a) + step - 1)));
        reached = tape_step(t, TAPE_FLOOR_DIV, reached, tape_const(t, (double)step));
        reached =
            tape_step(t, TAPE_MIN, tape_step(t, TAPE_DIV, reached, tape_const(t, (double)registers)), tape_const(t, 1));
        share = share < 0 ? reached : tape_step(t, TAPE_MUL, share, reached);
    }
    return share;
}

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

static int likely_extent(Reading *x, const Axis *a, FactorSet rows) {
    int d = 0;
    const Stage *s = uses_axis(x->part->body.at, x->part->body.n, a, &d);
    if (!s) return tape_const(&x->f->tape, 1);
    return range_length(x, a, rows, feature_step(x, s->tensor->shape[d]));
}

static int find_extent(Reading *x, const Axis *a) {
    Tape *t = &x->f->tape;
    if (expr_over_dims(a->lo) && expr_over_dims(a->hi))
        return tape_step(t, TAPE_MAX, tape_step(t, TAPE_SUB, feature_step(x, a->hi), feature_step(x, a->lo)),
                         tape_const(t, 0));
    return likely_extent(x, a, a->row & ~of_axis(x->part, a));
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

/* As a launch settles them. */
static int lanes_of_row(Reading *x) {
    const int n = settled_count(x, x->settled_lanes);
    return tape_step(&x->f->tape, TAPE_POWER, n, n);
}

static int find_count(Reading *x, const Factor *f) {
    Tape *t = &x->f->tape;
    if (f == x->settled_factor) return settled_count(x, f);
    if (f == x->settled_lanes) return lanes_of_row(x);
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

/* A warp goes on until the longest of its lanes' ranges is done, which of n that are drawn is about 1 + ln(n) times as
 * long as the mean; sums of several ranges differ less. */
static double drawn(const Reading *x, const Trim *trim, int64_t least, int64_t most) {
    const Layout *l = x->part->layouts.at[0];
    double n = 1;
    for (int i = 0; i < l->factors.n && trim->data; i++) {
        const Factor *f = l->factors.at[i];
        const bool thread = trim->rows >> f->id & 1 && bind_scope(f->bind) == SCOPE_THREAD;
        if (thread && f->tid_stride >= least && f->tid_stride < most) n *= (double)f->size;
    }
    return log(n) / sqrt(spanned(x, trim));
}

static double uneven(const Reading *x, const Trim *trim) { return 1 + drawn(x, trim, 0, TARGET_WARP); }

/* The same of the warps of a block, which stays until all are done. Of ranges of one and a half elements, on an
 * average, blocks of 2, 4 and 8 warps with one each took 0.5, 0.3 and 0.8 times longer than by their mean (an
 * embedding's gradient, H200). */
static double of_warps(const Reading *x, const Trim *trim) {
    static const double SLOWEST = 0.5;
    return SLOWEST * drawn(x, trim, TARGET_WARP, x->k->threads);
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

/* ---- what waits ---- */

static Found latest_wait(const Expr *e, void *user) {
    Reading *x = ((void **)user)[0];
    int *most = ((void **)user)[1];
    int w = e->op == OP_VALUE ? (int)expr_map_number(&x->waited, e->u.value, 0) : 0;
    if (w > *most) *most = w;
    return FOUND_INSIDE;
}

static int operands_wait(Reading *x, const Stage *s) {
    int most = 0;
    void *user[] = {x, &most};
    if (s->cond) expr_visit(s->cond, latest_wait, user);
    for (int d = 0; s->tensor && d < s->tensor->rank; d++) expr_visit(s->subs[d], latest_wait, user);
    for (int i = 0; i < MAX_PARTS; i++)
        if (s->expr[i]) expr_visit(s->expr[i], latest_wait, user);
    return most;
}

static void note_wait(Reading *x, const Stage *s, int wait) {
    for (int i = 0; i < s->nout; i++) expr_map_put_number(x->ctx, &x->waited, s->out[i], wait);
}

static void read_load(Reading *x, const Stage *s) {
    if (x->settled || operands_wait(x, s) == x->wait) {
        x->wait++;
        x->f->bodies.at[x->body].depth++;
    }
    x->settled = false;
    feature_access(x, s);
    note_wait(x, s, x->wait);
    Body *b = &x->f->bodies.at[x->body];
    int ahead = s->kind != STAGE_COPY ? s->depth : s->held ? stage_slots(x->part, s) : s->depth - 1;
    if (ahead > b->ahead) b->ahead = ahead;
    b->held |= s->held;
}

/* Nothing that comes later is loaded before this. */
static void settle(Reading *x) {
    x->settled = true;
    vec_push(x->ctx, &x->barriers, x->place);
}

/* ---- the walk ---- */

static void read_stages(Reading *x, Stage *const *at, int n);

static void read_body(Reading *x, const Stage *s, const Factor *f) {
    const int outside = x->body, begin = x->place, trims = x->trims.n;
    const Expr *cond = f ? trimmed(s) : NULL;
    int trips = f ? feature_count(x, f) : tape_const(&x->f->tape, 1), useful = trips;
    int elements = tape_const(&x->f->tape, 1);
    double slowest = 0;
    if (cond) {
        Trim trim = {.axis = s->axis, .data = expr_has(cond, is_value, NULL) != NULL};
        trim.rows = ends_vary(x, cond, s->axis->var, 0) & ~of_axis(x->part, s->axis);
        trim.window = trim.data ? window_of(x, &trim, bounded_by(cond, s->axis->var, 0)) : -1;
        trim.trips = trimmed_trips(x, &trim, f, rows_spanned(x, &trim, cond));
        useful = trimmed_trips(x, &trim, f, tape_const(&x->f->tape, 1)); /* an element is of one of a thread's rows */
        trips = tape_step(&x->f->tape, TAPE_MUL, trim.trips, tape_const(&x->f->tape, uneven(x, &trim)));
        slowest = of_warps(x, &trim);
        elements = trim.data && trim.window < 0 ? mean_length(x, &trim) : elements;
        if (trim.data && trim.window < 0) note_ends(x, &trim, cond);
        vec_push(x->ctx, &x->trims, trim);
    }
    Body b = {.parent = outside, .blocks = x->f->bodies.at[outside].blocks, .factor = f, .trips = trips};
    b.ragged = cond && x->trims.at[x->trims.n - 1].data;
    b.elements = elements;
    b.slowest = slowest;
    const bool window = b.ragged && x->trims.at[x->trims.n - 1].window >= 0;
    const bool bounded = window || (b.ragged && has_rows(x, s->axis, x->trims.at[x->trims.n - 1].rows));
    b.most = bounded ? feature_count(x, f) : -1;
    b.met = window ? useful : x->f->bodies.at[outside].met;
    b.last = s->kind == STAGE_LAST || x->f->bodies.at[outside].last;
    b.times = tape_step(&x->f->tape, TAPE_MUL, trips, x->f->bodies.at[outside].times);
    x->f->loops |= f != NULL;
    b.useful = tape_step(&x->f->tape, TAPE_MUL, useful, x->f->bodies.at[outside].useful);
    vec_push(x->ctx, &x->f->bodies, b);
    x->body = x->f->bodies.n - 1;
    const FactorSet loops = x->loops;
    if (f) x->loops |= (FactorSet)1 << f->id;
    settle(x);
    read_stages(x, s->body.at, s->body.n);
    x->place++;
    settle(x);
    feature_live_around(x, begin);
    x->loops = loops;
    x->trims.n = trims;
    x->body = outside;
}

static const Factor *serial_of(const Reading *x, const Axis *a) {
    const Layout *l = x->part->layouts.at[0];
    for (int i = 0; i < l->factors.n; i++)
        if (l->factors.at[i]->axis == a && l->factors.at[i]->bind == BIND_SERIAL) return l->factors.at[i];
    return NULL;
}

static void read_expr(Reading *x, const Stage *s) {
    const Layout *l = feature_layout(x, s);
    feature_expr(x, l, s->expr[0]);
    if (s->cond) feature_expr(x, l, s->cond);
    Type to = s->tensor ? s->tensor->type : s->nout ? s->out[0]->type : s->expr[0]->type;
    FactorSet domain = expr_domain(x->part, l, s->expr[0]);
    feature_convert(x, s->expr[0]->type, to, feature_registers(x->part, domain));
    note_wait(x, s, operands_wait(x, s));
}

/* A load is tested once for each element that differs. */
static void read_tested(Reading *x, const Stage *s) {
    const int body = x->body;
    const Body before = x->f->bodies.at[body];
    if (s->cond) feature_expr(x, feature_layout(x, s), s->cond);
    const Body after = x->f->bodies.at[body];
    read_load(x, s);
    const double other = 1 - feature_share(x, s->out[0]);
    for (int p = 0; p < PIPE_COUNT; p++) x->f->bodies.at[body].issue[p] -= other * (after.issue[p] - before.issue[p]);
}

static void read_stage(Reading *x, const Stage *s) {
    x->place++;
    feature_live(x, s);
    switch (s->kind) {
    case STAGE_LOAD: read_tested(x, s); break;
    case STAGE_COPY: read_load(x, s); break;
    case STAGE_STORE:
    case STAGE_ATOMIC:
        read_expr(x, s);
        feature_access(x, s);
        break;
    case STAGE_MAP:
    case STAGE_VAR:
    case STAGE_SET: read_expr(x, s); break;
    case STAGE_SHARE:
        read_expr(x, s);
        feature_shared(x, s, s->out[0], true);
        settle(x);
        break;
    case STAGE_READ:
        feature_shared(x, s, s->source, false);
        settle(x);
        break;
    case STAGE_REDUCE: feature_fold(x, s); break;
    case STAGE_SCAN: feature_scan(x, s); break;
    case STAGE_FOR: read_body(x, s, serial_of(x, s->axis)); break;
    case STAGE_IF:
    case STAGE_LAST: read_body(x, s, NULL); break;
    case STAGE_COUNT: break;
    }
    if (s->kind == STAGE_REDUCE || s->kind == STAGE_SCAN) {
        note_wait(x, s, x->settled ? 0 : operands_wait(x, s));
        if (x->settled) settle(x);
    }
}

static void read_stages(Reading *x, Stage *const *at, int n) {
    for (int i = 0; i < n; i++) read_stage(x, at[i]);
}

static bool factor_range(void *user, const Expr *atom, const Expr **lo, const Expr **hi) {
    Reading *x = user;
    if (atom->op != OP_FACTOR) return false;
    const Factor *f = atom->u.factor;
    *lo = expr_int(x->g, TY_I64, 0);
    *hi = f->count ? expr_map_get(&x->lasts, f) : NULL;
    if (!f->count || *hi) return true;
    *hi = expr2(x->g, OP_SUB, expr_cast(x->g, TY_I64, f->count), expr_int(x->g, TY_I64, 1));
    expr_map_put(x->ctx, &x->lasts, f, *hi);
    return true;
}

static bool has_folds(Stage *const *at, int n) {
    for (int i = 0; i < n; i++)
        if (at[i]->kind != STAGE_LOAD && at[i]->kind != STAGE_MAP && at[i]->kind != STAGE_STORE) return true;
    return false;
}

static bool is_apart(const Layout *l, Stage *const *at, int n) {
    bool apart = true;
    for (int i = 0; i < n; i++)
        apart &= at[i]->kind == STAGE_FOR ? is_apart(l, at[i]->body.at, at[i]->body.n) : stage_is_apart(l, at[i]);
    return apart;
}

static bool has_packed(Stage *const *s, int n) {
    for (int i = 0; i < n; i++)
        if (s[i]->packed || (s[i]->kind == STAGE_READ && s[i]->source->def->held) ||
            has_packed(s[i]->body.at, s[i]->body.n))
            return true;
    return false;
}

static void read_part(Reading *x, const Part *part) {
    Tape *t = &x->f->tape;
    x->part = part;
    x->folds = has_folds(part->body.at, part->body.n);
    x->f->folds |= x->folds;
    x->apart = part->layouts.n == 1 && is_apart(part->layouts.at[0], part->body.at, part->body.n);
    x->packed = has_packed(part->body.at, part->body.n);
    under_find(&x->own, x->k, part, x->ctx, &x->under);
    x->living.n = x->barriers.n = x->folded.n = x->jumps.n = x->seen.n = 0;
    x->place = 0;
    x->settled = true;
    const int one = tape_const(t, 1);
    int blocks = feature_step(x, part->blocks);
    if (x->settled_lanes) {
        x->f->lanes = lanes_of_row(x);
        x->beside = tape_step(t, TAPE_DIV, tape_const(t, TARGET_WARP), x->f->lanes);
        blocks = tape_step(t, TAPE_ADD, blocks, tape_step(t, TAPE_SUB, x->beside, one));
        blocks = tape_step(t, TAPE_FLOOR_DIV, blocks, x->beside);
    }
    Body whole = {.parent = -1, .blocks = blocks, .trips = one, .times = one, .useful = one, .met = one};
    vec_push(x->ctx, &x->f->bodies, whole);
    x->body = x->f->bodies.n - 1;
    x->f->blocks = x->f->blocks < 0 ? blocks : tape_step(t, TAPE_ADD, x->f->blocks, blocks);
    feature_begin(x, part->layouts.at[0]);
    read_stages(x, part->body.at, part->body.n);
    x->f->reached = share_reached(x);
    const double held_words = feature_most_live(x);
    if (held_words > x->f->tile_words) x->f->tile_words = held_words;
    const double kept = feature_most_kept(x);
    if (kept > x->f->kept) x->f->kept = kept;
}

/* The share of a block's threads that a launch starts; -1: all of them. */
static int find_started(Reading *x) {
    const Factor *f = x->settled_factor;
    return f ? tape_step(&x->f->tape, TAPE_DIV, feature_count(x, f), tape_const(&x->f->tape, (double)f->size)) : -1;
}

static Features *read_kernel(const Program *p, const Kernel *k, bool part, Ctx *ctx) {
    Features *f = NEW(ctx, Features);
    *f = (Features){.tape = {.ctx = ctx, .g = p->graph},
                    .blocks = -1,
                    .lanes = -1,
                    .threads = k->threads,
                    .cluster = k->cluster,
                    .resident = k->blocks_per_sm,
                    .shared = (double)k->shared_bytes,
                    .known = true};
    Reading x = {.own = *p, .g = p->graph, .k = k, .f = f, .ctx = ctx};
    const GraphScratch before = graph_scratch(p->graph, ctx);
    x.env = (PolyEnv){.g = p->graph, .range = factor_range, .user = &x, .ctx = ctx, .made = &x.polys};
    x.settled_factor = part ? NULL : kernel_settled(k);
    x.settled_lanes = part ? NULL : kernel_settled_lanes(k);
    for (int i = 0; i < k->parts.n; i++) read_part(&x, k->parts.at[i]);
    f->started = find_started(&x);
    graph_scratch_end(p->graph, before);
    f->beside = x.ends + x.across;
    f->known &= !f->tape.full && f->blocks >= 0 && f->bodies.n <= FEATURE_BODIES;
    f->value = NEW_N(ctx, double, f->tape.steps.n + 1);
    return f;
}

Features *features_of(const Program *p, const Kernel *k, Ctx *ctx) { return read_kernel(p, k, false, ctx); }

Features *features_of_part(const Program *p, const Kernel *k, Ctx *ctx) { return read_kernel(p, k, true, ctx); }
