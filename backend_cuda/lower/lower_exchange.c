/* Lowering, folds between threads: lanes by shuffles, warps through shared memory, blocks of a cluster by asynchronous
 * stores. lower_reduce.c folds the thread's own elements before. */
#include "lower_fold.h"

enum { WARP = 32 };

int fold_lane_mask(const Layout *layout, FactorSet over, FactorSet *rest) {
    int mask = 0;
    *rest = 0;
    for (int i = 0; i < layout->factors.n; i++) {
        Factor *f = layout->factors.at[i];
        if (!(over >> f->id & 1) || bind_scope(f->bind) != SCOPE_THREAD || f->size == 1) continue;
        if (digit_in_warp(f->tid_stride, f->size))
            mask |= (int)(f->size - 1) * f->tid_stride;
        else
            *rest |= (FactorSet)1 << f->id;
    }
    return mask;
}

/* ---- lanes ---- */

/* state = combine(state, that of the lane whose number differs in d). */
static void fold_step(Lower *l, const Fold *f, const Code *d) {
    const Monoid *m = f->s->monoid;
    const Code *right[MAX_PARTS];
    for (int i = 0; i < m->n; i++) { /* before the operation, which may leave an operand out where && and || do */
        put_declare(l, sym_fmt(l->ctx, "const %s", lower_value_type(m->type[i])), sym_fmt(l->ctx, "r%d_", i), " = %c",
                    fold_shuffle(l, "xor", m->type[i], f->state[i], d));
        right[i] = code(l->ctx, "r%d_", i);
    }
    put_combine(l, m, f->state, right, f->state, NULL);
}

void fold_lanes(Lower *l, const Fold *f, int mask, bool registers) {
    const int nouts = registers ? f->nouts : 0;
    int low = mask & -mask, high = 1;
    while (high * 2 <= mask) high *= 2;
    if (mask == high * 2 - low) { /* neighbouring bits */
        if (low == 1)
            put_loop(l, true, "int d = %d; d > 0; d >>= 1", high);
        else
            put_loop(l, true, "int d = %d; d >= %d; d >>= 1", high, low);
        if (l->lanes) put_if(l, code(l->ctx, "d >> %n == 0", lower_lane_bits(l))); /* the others are of other rows */
        const int loops = put_reg_loops(l, f->outs, nouts);
        fold_step(l, f, code(l->ctx, "d"));
        put_ends(l, loops + (l->lanes != NULL) + 1);
        return;
    }
    for (int d = WARP / 2; d > 0; d >>= 1) {
        if (!(mask & d)) continue;
        put_block(l);
        const int loops = 1 + put_reg_loops(l, f->outs, nouts);
        fold_step(l, f, code(l->ctx, "%d", d));
        put_ends(l, loops);
    }
}

/* ---- cells of a fold ---- */

FactorSet fold_cluster_factors(const Layout *layout, FactorSet s) {
    FactorSet r = 0;
    for (int i = 0; i < layout->factors.n; i++)
        if ((s >> layout->factors.at[i]->id & 1) && layout->factors.at[i]->bind == BIND_CLUSTER)
            r |= (FactorSet)1 << layout->factors.at[i]->id;
    return r;
}

static Exchange exchange_open(Lower *l, Fold *f, int64_t members, ExchangeId id) {
    FactorSet domain = f->s->out[0]->domain;
    return cells_open(l, f->s, f->layout, thread_factors(l, domain), reg_count(l, domain), members, id);
}

/* The first cell of this thread's group at the current register digits. */
static const Code *exchange_row(Lower *l, const Fold *f, const Exchange *x) {
    const Code *r = x->groups == 1 ? code(l->ctx, "0") : code(l->ctx, "(%c) * %l", x->group, x->apart);
    if (x->regs == 1) return r;
    return code(l->ctx, "(%c) * %l + %c", value_index(l, f->s->out[0]), x->apart * x->groups, r);
}

/* state = the fold of `count` cells from `first` on, but the first of those alone that there are. */
static void exchange_fold(Lower *l, const Fold *f, const Exchange *x, const Code *first, int64_t count) {
    const Monoid *m = f->s->monoid;
    const Code *right[MAX_PARTS];
    put_block(l);
    cells_get(l, m, x, first, right);
    for (int i = 0; i < m->n; i++) put_do(l, "%c = %c", f->state[i], right[i]);
    put_end(l);
    if (count == 1) return;
    put_loop(l, true, "int from = 1; from < %l; from++", count);
    if (x->there) put_if(l, code(l->ctx, "from < %c", x->there));
    cells_get(l, m, x, code(l->ctx, "%c + from", first), right);
    put_combine(l, m, f->state, right, f->state, NULL);
    if (x->there) put_end(l);
    put_end(l);
}

/* Loops over the registers of the result, or one block. */
static int put_results(Lower *l, const Fold *f) {
    if (f->nouts) return put_ordered_loops(l, f->outs, f->nouts, false);
    put_block(l);
    return 1;
}

static void fold_all(Lower *l, const Fold *f, const Exchange *x, int64_t count) {
    int loops = put_results(l, f);
    exchange_fold(l, f, x, exchange_row(l, f, x), count);
    put_ends(l, loops);
}

/* ---- warps ---- */

/* A warp's worth of partials: each lane takes one, and shuffles fold them. */
static void fold_by_lane(Lower *l, const Fold *f, const Exchange *x) {
    const Monoid *m = f->s->monoid;
    int width = WARP / 2;
    while (width < x->members) width *= 2;
    int loops = put_results(l, f);
    put_identity(l, m, f->state);
    if (x->there)
        put_if(l, code(l->ctx, "td_tid() %% %d < %c", width, x->there));
    else if (width != x->members)
        put_if(l, code(l->ctx, "td_tid() %% %d < %l", width, x->members));
    else
        put_block(l);
    for (int i = 0; i < m->n; i++) {
        const char *T = fold_cell(m->type[i]);
        put_declare(l, sym_fmt(l->ctx, "td_word<%s>", T), sym_fmt(l->ctx, "q%d_", i), "[1]");
        put_do(l, "td_lds<%s, 1>(q%d_, %n + (%c + td_tid() %% %d))", T, i, x->base[i], exchange_row(l, f, x), width);
        put_do(l, m->type[i] == TY_BOOL ? "%c = q%d_[0] != 0" : "%c = q%d_[0]", f->state[i], i);
    }
    put_end(l);
    fold_lanes(l, f, width - 1, false);
    put_ends(l, loops);
}

/* More: one warp folds a row of them, and everyone takes the result after a second barrier. */
static void fold_by_rows(Lower *l, Fold *f, const Exchange *x) {
    const Monoid *m = f->s->monoid;
    Exchange y = exchange_open(l, f, 1, (ExchangeId){.purpose = 1 + MAX_PARTS, .what = "row_"});
    Fold row = *f;
    const Code *right[MAX_PARTS];
    const Code *warps = l->settled ? code(l->ctx, "td_threads() / 32") : code(l->ctx, "%d", l->k->threads / WARP);
    const Code *members = x->there ? x->there : code(l->ctx, "%l", x->members);
    put_loop(l, false, "int row = td_tid() / 32; row < %l; row += %c", x->groups * x->regs, warps);
    for (int i = 0; i < m->n; i++) {
        Sym name = sym_fmt(l->ctx, "of_row%d", i);
        row.state[i] = code_name(l->ctx, name);
        put_declare(l, lower_value_type(m->type[i]), name, "");
    }
    put_identity(l, m, row.state);
    put_loop(l, false, "int from = td_tid() %% 32; from < %c; from += 32", members);
    cells_get(l, m, x, code(l->ctx, "row * %l + from", x->apart), right);
    put_combine(l, m, row.state, right, row.state, NULL);
    put_end(l);
    fold_lanes(l, &row, WARP - 1, false);
    put_if(l, code(l->ctx, "td_tid() %% 32 == 0"));
    cells_put(l, m, &y, row.state, code(l->ctx, "row"));
    put_end(l);
    put_end(l);
    cells_meet(l, m, &y);
    fold_all(l, f, &y, 1);
    cells_turn(l, &y);
}

/* Few partials: everyone folds them all. */
void fold_warps(Lower *l, Fold *f, FactorSet warps) {
    const Layout *layout = f->layout;
    int64_t members;
    const Code *member = digits_code(l, layout, warps, &members);
    FactorSet kept = thread_factors(l, f->s->out[0]->domain);
    bool lanes_kept = false;
    for (int i = 0; i < layout->factors.n; i++) {
        const Factor *x = layout->factors.at[i];
        lanes_kept = lanes_kept || ((kept >> x->id & 1) && x->tid_stride < WARP && x->size > 1);
    }
    Exchange x = exchange_open(l, f, members, (ExchangeId){.purpose = 1, .what = "", .lanes = lanes_kept});
    if (l->settled && warps >> l->settled->id & 1) x.there = code(l->ctx, "td_threads() / %d", l->settled->tid_stride);
    const Code *who = digits_zero(l, layout, thread_factors(l, layout->all) & ~kept & ~warps);
    if (who) put_if(l, who);
    int loops = put_results(l, f);
    cells_put(l, f->s->monoid, &x, f->state, code(l->ctx, "%c + %c", exchange_row(l, f, &x), member));
    put_ends(l, loops);
    if (who) put_end(l);
    cells_meet(l, f->s->monoid, &x);
    bool warps_whole = l->k->threads % WARP == 0; /* otherwise the last warp cannot shuffle */
    if (members > MAX_FOLDED_BY_ALL && members <= WARP && !lanes_kept && warps_whole)
        fold_by_lane(l, f, &x);
    else if (members <= MAX_FOLDED_BY_ALL || !warps_whole)
        fold_all(l, f, &x, members);
    else
        fold_by_rows(l, f, &x);
    cells_turn(l, &x);
}

/* ---- clusters ---- */

static Sym cluster_bar(Lower *l, const Stage *s) { return value_name_with(l, s->out[0], "_bar"); }

/* Declares the mbarriers of the cluster's exchanges, or puts their initialisation. */
static int cluster_bars(Lower *l, Stage *const *s, int n, bool init) {
    int bars = 0;
    for (int i = 0; i < n; i++) {
        bars += cluster_bars(l, s[i]->body.at, s[i]->body.n, init);
        if (s[i]->kind != STAGE_REDUCE || !fold_cluster_factors(stage_layout(l, s[i]), s[i]->over)) continue;
        Sym bar = cluster_bar(l, s[i]);
        bars++;
        if (init) {
            put_do(l, "td_mbar_init(%n, 1), td_mbar_init(%n + 1, 1)", bar, bar);
            continue;
        }
        int region = region_new(l, s[i], 4 * MAX_PARTS, 16);
        put_declare(l, "const td_sp<uint64_t>", bar, " = td_shared<uint64_t>(%d)", l->needs.regions.at[region].offset);
    }
    return bars;
}

void fold_cluster_setup(Lower *l, Stage *const *s, int n) {
    if (!cluster_bars(l, s, n, false)) return;
    put_if(l, code(l->ctx, "td_tid() == 0"));
    cluster_bars(l, s, n, true);
    put_do(l, "td_mbar_fence()");
    put_end(l);
}

/* This thread's state to the same cell of every block. */
static void send_state(Lower *l, const Fold *f, const Exchange *x, const Code *rank, const Code *which) {
    const Monoid *m = f->s->monoid;
    const Code *who =
        digits_zero(l, f->layout, thread_factors(l, f->layout->all) & ~thread_factors(l, f->s->out[0]->domain));
    if (who) put_if(l, who);
    int loops = put_results(l, f);
    const Code *cell = code(l->ctx, "%c + %c", exchange_row(l, f, x), rank);
    put_loop(l, true, "int to = 0; to < %l; to++", x->members);
    for (int i = 0; i < m->n; i++)
        put_do(l, "td_cluster_send<%s>(%n + (%c), to, %c, %c)", fold_cell(m->type[i]), x->base[i], cell, f->state[i],
               which);
    put_end(l);
    put_ends(l, loops);
    if (who) put_end(l);
}

/* Every block of the cluster sends its state to all of them, and an mbarrier in each says when all have come. (A
 * barrier of the cluster would also wait for the block's stores to global memory.) A block's next exchange comes after
 * a barrier of its threads, so that two copies by turns are enough: a block sends to one of them only when all others
 * have taken part in the exchange between. */
void fold_cluster(Lower *l, Fold *f, FactorSet cluster) {
    const Layout *layout = f->layout;
    const Monoid *m = f->s->monoid;
    int64_t ranks, whole, bytes = 0;
    const Code *rank = digits_code(l, layout, cluster, &ranks);
    Sym bar = cluster_bar(l, f->s), phase_name = sym_fmt(l->ctx, "%s_phase", bar);
    if (ranks == 1) return;
    digits_code(l, layout, fold_cluster_factors(layout, layout->all), &whole);
    if (whole != ranks) lower_fail(l, "a fold over part of a cluster has no lowering yet");
    Exchange x = exchange_open(l, f, ranks, (ExchangeId){.purpose = 1 + 2 * MAX_PARTS, .what = "cluster_"});
    for (int i = 0; i < m->n; i++) bytes += ranks * x.groups * x.regs * cell_bytes(m->type[i]);
    const Code *which = x.twice ? code(l->ctx, "%n + %n", bar, x.turn) : code_name(l->ctx, bar);
    const Code *phase = x.twice ? code_name(l->ctx, phase_name) : code(l->ctx, "0");
    if (x.twice) fold_turn(l, phase_name);
    for (int i = 0; x.twice && i < m->n; i++) put_write(l, x.region[i]);
    put_if(l, code(l->ctx, "td_tid() == 0"))->braces = INLINE;
    put_do(l, "td_mbar_expect(%c, %l)", which, bytes);
    put_end(l);
    send_state(l, f, &x, rank, which);
    put_do(l, "td_mbar_wait(%c, %c)", which, phase);
    fold_all(l, f, &x, ranks);
    for (int i = 0; i < m->n; i++) put_touch(l, x.region[i], 0, TOUCHED_READ, TOUCHED_WRITTEN);
    if (x.twice) put_do(l, "%n ^= %n, %n ^= 1", phase_name, x.turn, x.turn);
}
