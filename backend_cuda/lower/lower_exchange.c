/* Lowering, folds between threads: lanes by shuffles, warps through shared memory, blocks of a cluster by asynchronous
 * stores. lower_reduce.c folds the thread's own elements before. */
#include "lower_fold.h"

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

void fold_lanes(Lower *l, const Fold *f, int mask) {
    const Monoid *m = f->s->monoid;
    int low = mask & -mask, high = 1;
    while (high * 2 <= mask) high *= 2;
    bool dense = mask == high * 2 - low;
    Sym right[MAX_PARTS];
    if (dense) {
        put(l, "#pragma unroll");
        if (low == 1)
            put(l, "for (int d = %d; d > 0; d >>= 1) {", high);
        else
            put(l, "for (int d = %d; d >= %d; d >>= 1) {", high, low);
        l->indent++;
        for (int i = 0; i < m->n; i++) { /* before the operation, which may leave an operand out where && and || do */
            put(l, "const %s r%d_ = %s;", c_type(m->type[i]), i, shuffle_text(l, "xor", m->type[i], f->state[i], "d"));
            right[i] = fmt(l, "r%d_", i);
        }
        put_combine(l, m, f->state, right, f->state, NULL);
        l->indent--;
        put(l, "}");
        return;
    }
    for (int d = 16; d > 0; d >>= 1) {
        if (!(mask & d)) continue;
        put(l, "{");
        l->indent++;
        for (int i = 0; i < m->n; i++) {
            put(l, "const %s r%d_ = %s;", c_type(m->type[i]), i,
                shuffle_text(l, "xor", m->type[i], f->state[i], fmt(l, "%d", d)));
            right[i] = fmt(l, "r%d_", i);
        }
        put_combine(l, m, f->state, right, f->state, NULL);
        l->indent--;
        put(l, "}");
    }
}

FactorSet fold_cluster_factors(const Layout *layout, FactorSet s) {
    FactorSet r = 0;
    for (int i = 0; i < layout->factors.n; i++)
        if ((s >> layout->factors.at[i]->id & 1) && layout->factors.at[i]->bind == BIND_CLUSTER)
            r |= (FactorSet)1 << layout->factors.at[i]->id;
    return r;
}

/* One exchange through shared memory: every cell is a part of the state, numbered register, group, member. */
typedef struct Exchange {
    Sym base[MAX_PARTS], group, turn;
    int region[MAX_PARTS];
    int64_t members, groups, regs;
    bool twice; /* two copies by turns: one barrier an iteration then suffices */
} Exchange;

/* Thread digits that must be 0 in the threads that act for all their twins. */
static Sym only_first(Lower *l, const Layout *layout, FactorSet twins) {
    Text t = {.ctx = l->ctx};
    for (int i = 0; i < layout->factors.n; i++) {
        Factor *x = layout->factors.at[i];
        if ((twins >> x->id & 1) && x->size != 1) text_fmt(&t, "%s%s == 0", t.n ? " && " : "", factor_text(l, x));
    }
    return t.n ? t.s : NULL;
}

static Exchange exchange_open(Lower *l, Fold *f, int purpose, int64_t members, const char *what) {
    const Monoid *m = f->s->monoid;
    Exchange x = {.members = members, .twice = in_loop(l), .regs = reg_count(l, f->s->out[0]->domain)};
    x.group = digits_text(l, f->layout, thread_factors(l, f->s->out[0]->domain), &x.groups);
    if (x.twice) need_turn(l, x.turn = fmt(l, "%s_%sturn", value_name(l, f->s->out[0]), what));
    int64_t cells = x.members * x.groups * x.regs;
    for (int i = 0; i < m->n; i++) {
        x.region[i] = region_new(l, f->s, purpose + i, cells * cell_bytes(m->type[i]) * (x.twice ? 2 : 1));
        x.base[i] = fmt(l, "%s_%sparts", value_name(l, f->s->out[i]), what);
        if (!x.twice) region_write(l, x.region[i]);
        Sym at = x.twice ? fmt(l, " + %s * %lld", x.turn, (long long)cells) : "";
        put(l, "const td_sp<%s> %s = td_shared<%s>(%d)%s;", cell_type(m->type[i]), x.base[i], cell_type(m->type[i]),
            l->regions.at[x.region[i]].offset, at);
    }
    return x;
}

/* The first cell of this thread's group at the current register digits. */
static Sym exchange_row(Lower *l, const Fold *f, const Exchange *x) {
    Sym r = x->groups == 1 ? "0" : fmt(l, "(%s) * %lld", x->group, (long long)x->members);
    return x->regs == 1
               ? r
               : fmt(l, "(%s) * %lld + %s", value_index(l, f->s->out[0]), (long long)(x->members * x->groups), r);
}

static void exchange_put(Lower *l, const Fold *f, const Exchange *x, Sym cell) {
    const Monoid *m = f->s->monoid;
    for (int i = 0; i < m->n; i++) {
        put(l, "const %s p%d_[1] = {%s};", cell_type(m->type[i]), i, f->state[i]);
        put(l, "td_sts<%s, 1>(%s + (%s), p%d_);", cell_type(m->type[i]), x->base[i], cell, i);
    }
}

static void exchange_barrier(Lower *l, const Fold *f, const Exchange *x) {
    int n = f->s->monoid->n;
    for (int i = 0; i < n; i++) l->regions.at[x->region[i]].written = true;
    region_read(l, x->region[0]);
    for (int i = 0; i < n; i++) l->regions.at[x->region[i]].read = !x->twice;
}

static void exchange_get(Lower *l, const Fold *f, const Exchange *x, Sym cell, Sym *right) {
    const Monoid *m = f->s->monoid;
    for (int i = 0; i < m->n; i++) {
        put(l, "td_word<%s> q%d_[1];", cell_type(m->type[i]), i);
        put(l, "td_lds<%s, 1>(q%d_, %s + (%s));", cell_type(m->type[i]), i, x->base[i], cell);
        right[i] = m->type[i] == TY_BOOL ? fmt(l, "(q%d_[0] != 0)", i) : fmt(l, "q%d_[0]", i);
    }
}

/* state = the fold of `count` cells from `first` on. */
static void exchange_fold(Lower *l, const Fold *f, const Exchange *x, Sym first, int64_t count) {
    const Monoid *m = f->s->monoid;
    Sym right[MAX_PARTS];
    put(l, "{");
    l->indent++;
    exchange_get(l, f, x, first, right);
    for (int i = 0; i < m->n; i++) put(l, "%s = %s;", f->state[i], right[i]);
    l->indent--;
    put(l, "}");
    if (count == 1) return;
    put(l, "#pragma unroll");
    put(l, "for (int from = 1; from < %lld; from++) {", (long long)count);
    l->indent++;
    exchange_get(l, f, x, fmt(l, "%s + from", first), right);
    put_combine(l, m, f->state, right, f->state, NULL);
    l->indent--;
    put(l, "}");
}

static int open_result_loops(Lower *l, Fold *f) {
    if (f->nouts) return open_ordered(l, f->outs, f->nouts, false);
    put(l, "{");
    l->indent++;
    return 1;
}

/* Few partials: everyone folds them all. A warp's worth: each lane takes one, and shuffles fold them. More: one warp
 * folds a row of them, and everyone takes the result after a second barrier. */
void fold_warps(Lower *l, Fold *f, FactorSet warps) {
    const Layout *layout = f->layout;
    const Monoid *m = f->s->monoid;
    int64_t members;
    Sym member = digits_text(l, layout, warps, &members);
    FactorSet kept = thread_factors(l, f->s->out[0]->domain);
    bool lanes_kept = false;
    for (int i = 0; i < layout->factors.n; i++)
        lanes_kept = lanes_kept || ((kept >> layout->factors.at[i]->id & 1) && layout->factors.at[i]->tid_stride < 32 &&
                                    layout->factors.at[i]->size > 1);
    Exchange x = exchange_open(l, f, 1, members, "");
    Sym who = only_first(l, layout, thread_factors(l, layout->all) & ~kept & ~warps);
    if (who) {
        put(l, "if (%s) {", who);
        l->indent++;
    }
    int loops = open_result_loops(l, f);
    exchange_put(l, f, &x, fmt(l, "%s + %s", exchange_row(l, f, &x), member));
    close_ordered(l, loops);
    if (who) {
        l->indent--;
        put(l, "}");
    }
    exchange_barrier(l, f, &x);
    bool warps_whole = l->k->threads % 32 == 0; /* otherwise the last warp cannot shuffle */
    bool by_lane = members > MAX_FOLDED_BY_ALL && members <= 32 && !lanes_kept && warps_whole;
    if (by_lane) {
        int width = 16;
        while (width < members) width *= 2;
        loops = open_result_loops(l, f);
        for (int i = 0; i < m->n; i++) put(l, "%s = %s;", f->state[i], identity(l, m, i));
        if (width != members)
            put(l, "if (td_tid() %% %d < %lld) {", width, (long long)members);
        else
            put(l, "{");
        l->indent++;
        for (int i = 0; i < m->n; i++) {
            put(l, "td_word<%s> q%d_[1];", cell_type(m->type[i]), i);
            put(l, "td_lds<%s, 1>(q%d_, %s + (%s + td_tid() %% %d));", cell_type(m->type[i]), i, x.base[i],
                exchange_row(l, f, &x), width);
            put(l, m->type[i] == TY_BOOL ? "%s = q%d_[0] != 0;" : "%s = q%d_[0];", f->state[i], i);
        }
        l->indent--;
        put(l, "}");
        fold_lanes(l, f, width - 1);
        close_ordered(l, loops);
    } else if (members <= MAX_FOLDED_BY_ALL || !warps_whole) {
        loops = open_result_loops(l, f);
        exchange_fold(l, f, &x, exchange_row(l, f, &x), members);
        close_ordered(l, loops);
    } else {
        Exchange y = exchange_open(l, f, 1 + MAX_PARTS, 1, "row_");
        Sym saved[MAX_PARTS];
        put(l, "for (int row = td_tid() / 32; row < %lld; row += %d) {", (long long)(x.groups * x.regs),
            l->k->threads / 32);
        l->indent++;
        for (int i = 0; i < m->n; i++) {
            saved[i] = f->state[i];
            f->state[i] = fmt(l, "of_row%d", i);
            put(l, "%s of_row%d;", c_type(m->type[i]), i);
        }
        Sym right[MAX_PARTS];
        for (int i = 0; i < m->n; i++) put(l, "%s = %s;", f->state[i], identity(l, m, i));
        put(l, "for (int from = td_tid() %% 32; from < %lld; from += 32) {", (long long)members);
        l->indent++;
        exchange_get(l, f, &x, fmt(l, "row * %lld + from", (long long)members), right);
        put_combine(l, m, f->state, right, f->state, NULL);
        l->indent--;
        put(l, "}");
        fold_lanes(l, f, 31);
        put(l, "if (td_tid() %% 32 == 0) {");
        l->indent++;
        exchange_put(l, f, &y, "row");
        l->indent--;
        put(l, "}");
        l->indent--;
        put(l, "}");
        for (int i = 0; i < m->n; i++) f->state[i] = saved[i];
        exchange_barrier(l, f, &y);
        loops = open_result_loops(l, f);
        exchange_fold(l, f, &y, exchange_row(l, f, &y), 1);
        close_ordered(l, loops);
        if (y.twice) put(l, "%s ^= 1;", y.turn);
    }
    if (x.twice) put(l, "%s ^= 1;", x.turn);
}

static Sym cluster_bar(Lower *l, const Stage *s) { return fmt(l, "%s_bar", value_name(l, s->out[0])); }

/* Names the mbarriers of the cluster's exchanges, or prints their initialisation. */
static int cluster_bars(Lower *l, Stage *const *s, int n, bool init) {
    int bars = 0;
    for (int i = 0; i < n; i++) {
        bars += cluster_bars(l, s[i]->body.at, s[i]->body.n, init);
        if (s[i]->kind != STAGE_REDUCE || !fold_cluster_factors(stage_layout(l, s[i]), s[i]->over)) continue;
        Sym bar = cluster_bar(l, s[i]);
        bars++;
        if (init) {
            put(l, "    td_mbar_init(%s + td_tid(), 1);", bar);
            continue;
        }
        int region = region_new(l, s[i], 4 * MAX_PARTS, 16);
        put(l, "const td_sp<uint64_t> %s = td_shared<uint64_t>(%d);", bar, l->regions.at[region].offset);
    }
    return bars;
}

void lower_cluster_setup(Lower *l, Stage *const *s, int n) {
    if (!cluster_bars(l, s, n, false)) return;
    put(l, "if (td_tid() < 2) {");
    cluster_bars(l, s, n, true);
    put(l, "    td_mbar_fence();");
    put(l, "}");
}

/* Every block of the cluster sends its state to all of them, and an mbarrier in each says when all have come. (A
 * barrier of the cluster would also wait for the block's stores to global memory.) A block's next exchange comes after
 * a barrier of its threads, so that two copies by turns are enough: a block sends to one of them only when all others
 * have taken part in the exchange between. */
void fold_cluster(Lower *l, Fold *f, FactorSet cluster) {
    const Layout *layout = f->layout;
    const Monoid *m = f->s->monoid;
    int64_t ranks, whole, bytes = 0;
    Sym rank = digits_text(l, layout, cluster, &ranks), bar = cluster_bar(l, f->s);
    if (ranks == 1) return;
    digits_text(l, layout, fold_cluster_factors(layout, layout->all), &whole);
    if (whole != ranks) fail(l, "a fold over part of a cluster has no lowering yet");
    FactorSet kept = thread_factors(l, f->s->out[0]->domain);
    Exchange x = exchange_open(l, f, 1 + 2 * MAX_PARTS, ranks, "cluster_");
    for (int i = 0; i < m->n; i++) bytes += ranks * x.groups * x.regs * cell_bytes(m->type[i]);
    Sym which = x.twice ? fmt(l, "%s + %s", bar, x.turn) : bar, phase = x.twice ? fmt(l, "%s_phase", bar) : "0";
    if (x.twice) need_turn(l, phase);
    for (int i = 0; x.twice && i < m->n; i++) region_write(l, x.region[i]);
    put(l, "if (td_tid() == 0) td_mbar_expect(%s, %lld);", which, (long long)bytes);
    Sym who = only_first(l, layout, thread_factors(l, layout->all) & ~kept);
    if (who) {
        put(l, "if (%s) {", who);
        l->indent++;
    }
    int loops = open_result_loops(l, f);
    Sym cell = fmt(l, "%s + %s", exchange_row(l, f, &x), rank);
    put(l, "#pragma unroll");
    put(l, "for (int to = 0; to < %lld; to++) {", (long long)ranks);
    for (int i = 0; i < m->n; i++)
        put(l, "    td_cluster_send<%s>(%s + (%s), to, %s, %s);", cell_type(m->type[i]), x.base[i], cell, f->state[i],
            which);
    put(l, "}");
    close_ordered(l, loops);
    if (who) {
        l->indent--;
        put(l, "}");
    }
    put(l, "td_mbar_wait(%s, %s);", which, phase);
    loops = open_result_loops(l, f);
    exchange_fold(l, f, &x, exchange_row(l, f, &x), ranks);
    close_ordered(l, loops);
    for (int i = 0; i < m->n; i++) {
        l->regions.at[x.region[i]].written = false;
        l->regions.at[x.region[i]].read = true;
    }
    if (x.twice) put(l, "%s ^= %s, %s ^= 1;", phase, x.turn, x.turn);
}
