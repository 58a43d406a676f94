/* Features of a kernel: the walk over its stages. Bodies and what waits are here; features_access.c has the accesses,
 * features_issue.c what is issued, features_ranges.c how many times. */
#include "features_form.h"
#include "sched/kernel/settled.h"
#include "sched/kernel/under.h"

#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "sched/machine/target.h"

const Layout *feature_layout(const Reading *x, const Stage *s) {
    return s->layout ? s->layout : x->part->layouts.at[0];
}

/* ---- registers that axes reach ---- */

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
    Tape *t = &x->f->tape;
    Body b = {.parent = outside, .blocks = x->f->bodies.at[outside].blocks, .factor = f, .most = -1};
    b.trips = b.useful = f ? feature_count(x, f) : tape_const(t, 1);
    b.elements = tape_const(t, 1);
    b.met = x->f->bodies.at[outside].met;
    b.last = s->kind == STAGE_LAST || x->f->bodies.at[outside].last;
    if (f) feature_trim(x, s, &b);
    b.times = tape_step(t, TAPE_MUL, b.trips, x->f->bodies.at[outside].times);
    b.useful = tape_step(t, TAPE_MUL, b.useful, x->f->bodies.at[outside].useful);
    x->f->loops |= f != NULL;
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

/* All threads meet. */
static void add_bins(Reading *x, BinsTaken t) {
    Body *b = &x->f->bodies.at[x->body];
    b->issue[PIPE_ALU] += t.alu;
    b->issue[PIPE_MEMORY] += t.memory;
    b->other += t.other;
    b->chain += t.chain;
    settle(x);
}

static void read_stage(Reading *x, const Stage *s) {
    x->place++;
    feature_live(x, s);
    switch (s->kind) {
    case STAGE_LOAD: read_tested(x, s); break;
    case STAGE_COPY: read_load(x, s); break;
    case STAGE_STORE:
    case STAGE_ATOMIC:
        x->f->bodies.at[x->body].exchanges += s->meet;
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
        if (s->source->def->kind == STAGE_BINS) {
            add_bins(x, bins_read(x->part, feature_layout(x, s), s));
            break;
        }
        feature_shared(x, s, s->source, false);
        settle(x);
        break;
    case STAGE_BINS:
        add_bins(x, bins_fill(s, x->k->threads));
        x->f->bodies.at[x->body].exchanges++;
        break;
    case STAGE_SCATTER:
        for (int i = 0; i < 2; i++) feature_expr(x, feature_layout(x, s), s->expr[i]);
        if (s->cond) feature_expr(x, feature_layout(x, s), s->cond);
        add_bins(x, bins_scatter(x->part, feature_layout(x, s), s));
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
        if (at[i]->meet || (at[i]->kind != STAGE_LOAD && at[i]->kind != STAGE_MAP && at[i]->kind != STAGE_STORE))
            return true;
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
        x->f->lanes = feature_lanes_of_row(x);
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
    f->rare = kernel_is_rare(k);
    f->known &= !f->tape.full && f->blocks >= 0 && f->bodies.n <= FEATURE_BODIES;
    f->value = NEW_N(ctx, double, f->tape.steps.n + 1);
    return f;
}

Features *features_of(const Program *p, const Kernel *k, Ctx *ctx) { return read_kernel(p, k, false, ctx); }

Features *features_of_part(const Program *p, const Kernel *k, Ctx *ctx) { return read_kernel(p, k, true, ctx); }
