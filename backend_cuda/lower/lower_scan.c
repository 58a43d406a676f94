/* Lowering, scans: prefixes of a monoid along one axis. Elements of a thread first; then lanes; then the segments that
 * lanes leave. Those that a warp has one behind the other (register factors between its lanes and the warps) it scans
 * by itself; the others (warp factors, and register factors outside them) meet through shared memory in one exchange.
 * Order is the index order throughout, so that any associative operation will do. */
#include "lower_fold.h"

typedef struct Scan {
    Stage *s;
    const Layout *layout;
    Factor *inner[MAX_FACTORS]; /* register factors inside the lanes, outer to inner */
    int ninner;
    Factor *seg[MAX_FACTORS]; /* register and warp factors outside the lanes, outer to inner, that meet */
    int nseg;
    Factor *own[MAX_FACTORS]; /* where warps meet, register factors between them and the lanes, outer to inner */
    int nown;
    Factor *other[MAX_FACTORS]; /* register factors of other axes */
    int nother;
    int lane_low, lanes;          /* stride and number of the axis's lane digits */
    const Code *out[MAX_PARTS];   /* the result's element */
    const Code *run[MAX_PARTS];   /* what a segment's own elements give */
    const Code *off[MAX_PARTS];   /* what comes before a thread's elements */
    const Code *warp[MAX_PARTS];  /* of a warp's own segments: their total, and then what comes before them */
    const Code *total[MAX_PARTS]; /* what all of the tile's elements give */
} Scan;

static bool scan_plan(Lower *l, Scan *c) {
    int level = 0; /* 0 segments, 1 lanes, 2 thread */
    FactorSet domain = c->s->out[0]->domain;
    c->lanes = 1;
    for (int i = 0; i < c->layout->factors.n; i++) {
        Factor *f = c->layout->factors.at[i];
        if (f->size == 1) continue;
        BindScope scope = bind_scope(f->bind);
        if (f->axis != c->s->axis) {
            if (scope == SCOPE_REG && (domain >> f->id & 1)) c->other[c->nother++] = f;
            continue;
        }
        if (scope == SCOPE_BLOCK && f->bind == BIND_CLUSTER) {
            lower_fail(l, "a scan across a cluster has no lowering yet");
            return false;
        }
        if (scope == SCOPE_BLOCK || scope == SCOPE_LOOP) continue;
        if (scope == SCOPE_THREAD && digit_in_warp(f->tid_stride, f->size)) {
            if (level == 2 || (c->lanes > 1 && f->tid_stride * f->size != c->lane_low)) {
                lower_fail(l, "the lane factors of a scanned axis must be next to each other");
                return false;
            }
            level = 1;
            c->lanes *= (int)f->size;
            c->lane_low = f->tid_stride;
        } else if (scope == SCOPE_REG && level >= 1) {
            level = 2;
            c->inner[c->ninner++] = f;
        } else if (level == 0) {
            c->seg[c->nseg++] = f;
        } else {
            lower_fail(l, "a scanned axis needs its warp factors outside its lane factors");
            return false;
        }
    }
    if (c->lanes == 1) { /* no lanes: register factors inside the last warp factor are the thread's own */
        int last = -1;
        for (int i = 0; i < c->nseg; i++)
            if (bind_scope(c->seg[i]->bind) == SCOPE_THREAD) last = i;
        for (int i = last + 1; i < c->nseg; i++) c->inner[c->ninner++] = c->seg[i];
        c->nseg = last + 1;
    }
    int meet = c->nseg;
    while (meet > 0 && bind_scope(c->seg[meet - 1]->bind) == SCOPE_REG) meet--;
    for (int i = meet; meet > 0 && i < c->nseg; i++) c->own[c->nown++] = c->seg[i];
    c->nseg -= c->nown;
    return true;
}

/* ---- names and numbers ---- */

/* Numbers a thread's registers: the digits of `f`, the last one fastest, times `n` so far, before what *sum has. */
static const Code *count_digits(Lower *l, Factor *const *f, int nf, const Code *sum, int64_t *n) {
    for (int i = nf - 1; i >= 0; i--) {
        const Code *digit = factor_code(l, f[i]);
        sum = code_join(l->ctx, sum, " + ", *n == 1 ? digit : code(l->ctx, "%c * %l", digit, *n));
        *n *= f[i]->size;
    }
    return sum;
}

/* digit * weight of all factors, the last one fastest, with the weight of 1 too. */
static const Code *weigh_digits(Lower *l, Factor *const *f, int n, const char *warp_ending) {
    const Code *r = NULL;
    int64_t weight = 1;
    for (int i = n - 1; i >= 0; i--) {
        bool warp = bind_scope(f[i]->bind) == SCOPE_THREAD;
        Sym digit = sym_fmt(l->ctx, "%s%s", factor_name(l, f[i]), warp ? warp_ending : "");
        r = code_join(l->ctx, r, " + ", code(l->ctx, "%n * %l", digit, weight));
        weight *= f[i]->size;
    }
    return r ? r : code(l->ctx, "0");
}

/* Register segments, outer to inner; with those of other axes before them: the runs of a thread. */
static int register_segments(const Scan *c, Factor **f) {
    int n = 0;
    for (int i = 0; i < c->nseg; i++)
        if (bind_scope(c->seg[i]->bind) == SCOPE_REG) f[n++] = c->seg[i];
    return n;
}

static int meeting_runs(const Scan *c, Factor **f) {
    for (int i = 0; i < c->nother; i++) f[i] = c->other[i];
    return c->nother + register_segments(c, f + c->nother);
}

static int runs(const Scan *c, Factor **f) {
    int n = meeting_runs(c, f);
    for (int i = 0; i < c->nown; i++) f[n++] = c->own[i];
    return n;
}

/* Elements of a thread along other axes: each has a scan of its own. */
static int64_t others(const Scan *c) {
    int64_t n = 1;
    for (int i = 0; i < c->nother; i++) n *= c->other[i]->size;
    return n;
}

/* Declares a variable or an array of n; its element. */
static const Code *put_partial(Lower *l, Type t, Sym name, int64_t n, const Code *index) {
    if (n > 1)
        put_declare(l, lower_value_type(t), name, "[%l]", n);
    else
        put_declare(l, lower_value_type(t), name, "");
    return n > 1 ? code(l->ctx, "%n[%c]", name, index) : code_name(l->ctx, name);
}

static void put_partials(Lower *l, Scan *c) {
    const Stage *s = c->s;
    const Monoid *m = s->monoid;
    Factor *reg[MAX_FACTORS];
    int64_t nruns = 1, nwarp = 1, nothers = others(c);
    const Code *run = count_digits(l, c->own, c->nown, NULL, &nruns);
    run = count_digits(l, reg, register_segments(c, reg), run, &nruns);
    run = count_digits(l, c->other, c->nother, run, &nruns);
    const Code *warp = count_digits(l, reg, register_segments(c, reg), NULL, &nwarp);
    warp = count_digits(l, c->other, c->nother, warp, &nwarp);
    const Code *other = weigh_digits(l, c->other, c->nother, "");
    for (int i = 0; i < m->n; i++) {
        const Value *v = s->out[i < s->nout ? i : 0];
        c->run[i] = put_partial(l, m->type[i], value_name_with(l, v, sym_fmt(l->ctx, "_run%d", i)), nruns, run);
        c->off[i] = put_partial(l, m->type[i], value_name_with(l, v, sym_fmt(l->ctx, "_off%d", i)), nruns, run);
        c->warp[i] = c->run[i];
        if (c->nown)
            c->warp[i] = put_partial(l, m->type[i], value_name_with(l, v, sym_fmt(l->ctx, "_warp%d", i)), nwarp, warp);
        c->total[i] = put_partial(l, m->type[i], value_name_with(l, v, sym_fmt(l->ctx, "_all%d", i)), nothers, other);
    }
}

static void put_assign(Lower *l, const Scan *c, const Code *const *into, const Code *const *from) {
    for (int i = 0; i < c->s->monoid->n; i++) put_do(l, "%c = %c", into[i], from[i]);
}

/* into = before and after, in index order. */
static void put_in_order(Lower *l, const Scan *c, const Code *const *before, const Code *const *after,
                         const Code *const *into, const Code *guard) {
    bool reverse = c->s->reverse;
    put_combine(l, c->s->monoid, reverse ? after : before, reverse ? before : after, into, guard);
}

/* ---- a thread, its lanes ---- */

static void put_result(Lower *l, const Scan *c) {
    for (int i = 0; i < c->s->nout; i++) put_do(l, "%c = %c", c->out[i], c->run[i]);
}

static void put_thread_scan(Lower *l, Scan *c) {
    Stage *s = c->s;
    const Monoid *m = s->monoid;
    const Code *right[MAX_PARTS];
    put_identity(l, m, c->run);
    int loops = put_ordered_loops(l, c->inner, c->ninner, s->reverse);
    const Code *guard = axis_predicate(l, c->layout, layout_axis_factors(c->layout, s->axis));
    if (s->cond) guard = code_join(l->ctx, guard, " && ", expr_code(l, s->cond, c->layout));
    if (s->exclusive) put_result(l, c);
    put_if(l, guard);
    for (int i = 0; i < m->n; i++) {
        put_declare(l, sym_fmt(l->ctx, "const %s", lower_value_type(m->type[i])), sym_fmt(l->ctx, "e%d_", i), " = %c",
                    expr_code(l, s->expr[i], c->layout));
        right[i] = code(l->ctx, "e%d_", i);
    }
    put_in_order(l, c, c->run, right, c->run, NULL);
    put_end(l);
    if (!s->exclusive) put_result(l, c);
    put_ends(l, loops);
}

/* The last of this thread's lanes, in the order of the scan. */
static const Code *last_lane(Lower *l, const Scan *c) {
    int all = c->lanes * c->lane_low, last = c->s->reverse ? 0 : (c->lanes - 1) * c->lane_low;
    if (all == 32 && c->lane_low == 1) return code(l->ctx, "%d", last);
    return code(l->ctx, "(td_tid() %% 32 / %d * %d + td_tid() %% %d + %d)", all, all, c->lane_low, last);
}

/* Afterwards `off` holds what comes before the thread's elements inside its lanes, and `run` the total of the lanes. */
static void put_lane_scan(Lower *l, Scan *c) {
    const Monoid *m = c->s->monoid;
    bool reverse = c->s->reverse;
    const char *shfl = reverse ? "down" : "up";
    const Code *lane = c->lane_low == 1 ? code(l->ctx, "td_tid() %% %d", c->lanes)
                                        : code(l->ctx, "td_tid() / %d %% %d", c->lane_low, c->lanes);
    const Code *right[MAX_PARTS], *next = code(l->ctx, "%d", c->lane_low);
    put_loop(l, true, "int d = 1; d < %d; d *= 2", c->lanes);
    for (int i = 0; i < m->n; i++) {
        const Code *v = fold_shuffle(l, shfl, m->type[i], c->run[i], code(l->ctx, "d * %d", c->lane_low));
        put_declare(l, sym_fmt(l->ctx, "const %s", lower_value_type(m->type[i])), sym_fmt(l->ctx, "r%d_", i), " = %c",
                    v);
        right[i] = code(l->ctx, "r%d_", i);
    }
    const Code *inside = reverse ? code(l->ctx, "%c + d < %d", lane, c->lanes) : code(l->ctx, "%c >= d", lane);
    put_in_order(l, c, right, c->run, c->run, inside);
    put_end(l);
    for (int i = 0; i < m->n; i++) {
        put_do(l, "%c = %c", c->off[i], fold_shuffle(l, shfl, m->type[i], c->run[i], next));
        put_if(l, code(l->ctx, "%c == %d", lane, reverse ? c->lanes - 1 : 0))->braces = INLINE;
        put_do(l, "%c = %c", c->off[i], fold_identity(l, m, i));
        put_end(l);
    }
    for (int i = 0; i < m->n; i++)
        put_do(l, "%c = %c", c->run[i], fold_shuffle(l, "idx", m->type[i], c->run[i], last_lane(l, c)));
}

/* ---- segments ---- */

typedef struct Segments {
    Exchange x;
    bool shared;       /* warps have some: their totals go through shared memory */
    const Code *cells; /* the first cell of this thread's group */
    int64_t apart;     /* cells from one segment of a group to the next */
} Segments;

static const Code *segment_cell(Lower *l, const Segments *g, const Code *segment) {
    if (g->apart == 1) return code(l->ctx, "%c + %c", g->cells, segment);
    return code(l->ctx, "%c + (%c) * %l", g->cells, segment, g->apart);
}

static bool is_segment(const Scan *c, const Factor *f) {
    for (int k = 0; k < c->nseg; k++)
        if (c->seg[k] == f) return true;
    return false;
}

/* Every thread that acts for a segment puts its total where all can read it. */
static Segments put_segments(Lower *l, Scan *c) {
    const Monoid *m = c->s->monoid;
    Segments g = {0};
    int64_t segments = 1, n = 1;
    for (int i = 0; i < c->nseg; i++) {
        segments *= c->seg[i]->size;
        g.shared = g.shared || bind_scope(c->seg[i]->bind) == SCOPE_THREAD;
    }
    if (!g.shared) return g;
    const Code *seg = count_digits(l, c->seg, c->nseg, NULL, &n);
    FactorSet kept = thread_factors(l, c->s->out[0]->domain) & ~layout_axis_factors(c->layout, c->s->axis);
    g.x = cells_open(l, c->s, c->layout, kept, others(c), segments, (ExchangeId){.purpose = 1, .what = ""});
    const Code *other = weigh_digits(l, c->other, c->nother, "");
    /* The threads of a warp read the same segment of their groups: neighbours have it in neighbouring banks. */
    g.apart = g.x.groups > 1 ? others(c) * g.x.groups : 1;
    g.cells = g.x.groups > 1 ? code(l->ctx, "(%c) * %l + (%c)", other, g.x.groups, g.x.group)
                             : code(l->ctx, "(%c) * %l", other, segments);
    FactorSet twins = thread_factors(l, c->layout->all) & ~kept;
    for (int i = 0; i < c->layout->factors.n; i++)
        if (is_segment(c, c->layout->factors.at[i])) twins &= ~((FactorSet)1 << c->layout->factors.at[i]->id);
    Factor *regs[MAX_FACTORS];
    put_if(l, digits_zero(l, c->layout, twins));
    int loops = put_ordered_loops(l, regs, meeting_runs(c, regs), false);
    cells_put(l, m, &g.x, c->warp, segment_cell(l, &g, seg));
    put_ends(l, loops);
    put_end(l);
    cells_meet(l, m, &g.x);
    return g;
}

/* Loops over the segments in order, warps' too; that a segment is the thread's own warp's, or NULL. */
static const Code *put_segment_loops(Lower *l, const Scan *c) {
    const Code *own = NULL;
    for (int i = 0; i < c->nseg; i++) {
        Sym digit = factor_name(l, c->seg[i]), at = digit;
        if (bind_scope(c->seg[i]->bind) == SCOPE_THREAD) {
            at = sym_fmt(l->ctx, "%s_at", digit);
            own = code_join(l->ctx, own, " && ", code(l->ctx, "%n == %n", at, digit));
        }
        put_digit_loop(l, at, c->seg[i]->size, 1, c->s->reverse);
    }
    return own;
}

/* A warp's own segments: `off` gains what the earlier ones hold, `warp` becomes the total. */
static void put_own_segments(Lower *l, const Scan *c) {
    Factor *regs[MAX_FACTORS];
    if (!c->nown) return;
    const int loops = put_ordered_loops(l, regs, meeting_runs(c, regs), false);
    put_identity(l, c->s->monoid, c->warp);
    const int inner = put_ordered_loops(l, c->own, c->nown, c->s->reverse);
    put_in_order(l, c, c->warp, c->off, c->off, NULL);
    put_in_order(l, c, c->warp, c->run, c->warp, NULL);
    put_ends(l, inner);
    put_ends(l, loops);
}

/* What other segments hold before a warp's own comes before each of these. */
static void put_before_own(Lower *l, const Scan *c) {
    Factor *regs[MAX_FACTORS];
    if (!c->nown) return;
    const int loops = put_ordered_loops(l, regs, runs(c, regs), false);
    put_in_order(l, c, c->warp, c->off, c->off, NULL);
    put_ends(l, loops);
}

/* One exchange of all segments' totals; `off` gains what the earlier segments hold, `total` becomes that of all. */
static void put_segment_scan(Lower *l, Scan *c) {
    const Monoid *m = c->s->monoid;
    put_own_segments(l, c);
    Segments g = put_segments(l, c);
    const Code *right[MAX_PARTS];
    int loops = put_ordered_loops(l, c->other, c->nother, false);
    put_identity(l, m, c->total);
    if (!loops) put_block(l);
    const Code *own = put_segment_loops(l, c);
    if (c->nown) {
        put_if(l, own);
        put_assign(l, c, c->warp, c->total);
        put_end(l);
    } else {
        put_in_order(l, c, c->total, c->off, c->off, own);
    }
    if (g.shared) cells_get(l, m, &g.x, segment_cell(l, &g, weigh_digits(l, c->seg, c->nseg, "_at")), right);
    put_in_order(l, c, c->total, g.shared ? right : c->run, c->total, NULL);
    put_ends(l, c->nseg);
    put_ends(l, loops ? loops : 1);
    put_before_own(l, c);
    if (g.shared) cells_turn(l, &g.x);
}

/* ---- all of it ---- */

/* What earlier iterations, segments and lanes hold comes before each element; the carried state takes in the total. */
static void put_before(Lower *l, Scan *c) {
    const Stage *s = c->s;
    const Code *carry[MAX_PARTS];
    Factor *regs[MAX_FACTORS];
    int loops = put_ordered_loops(l, regs, runs(c, regs), false);
    for (int i = 0; s->carry[0] && i < s->monoid->n; i++) carry[i] = value_element(l, s->carry[i]);
    if (s->carry[0]) put_in_order(l, c, carry, c->off, c->off, NULL);
    int inner = put_ordered_loops(l, c->inner, c->ninner, false);
    put_in_order(l, c, c->off, c->out, c->out, NULL);
    put_ends(l, inner);
    put_ends(l, loops);
    if (!s->carry[0]) return;
    loops = put_ordered_loops(l, c->other, c->nother, false);
    for (int i = 0; i < s->monoid->n; i++) carry[i] = value_element(l, s->carry[i]);
    put_in_order(l, c, carry, c->total, carry, NULL);
    put_ends(l, loops);
}

void lower_scan(Lower *l, Stage *s) {
    Scan c = {.s = s, .layout = value_layout(l, s->out[0])};
    l->open.layout = c.layout;
    if (!scan_plan(l, &c)) return;
    for (int i = 0; i < s->nout; i++) {
        put_state(l, s->out[i]);
        c.out[i] = value_element(l, s->out[i]);
    }
    put_partials(l, &c);
    Factor *regs[MAX_FACTORS];
    int loops = put_ordered_loops(l, regs, runs(&c, regs), false);
    put_thread_scan(l, &c);
    if (c.lanes > 1)
        put_lane_scan(l, &c);
    else
        put_identity(l, s->monoid, c.off);
    put_ends(l, loops);
    if (c.nseg) {
        put_segment_scan(l, &c);
    } else {
        loops = put_ordered_loops(l, c.other, c.nother, false);
        put_assign(l, &c, c.total, c.run);
        put_ends(l, loops);
    }
    put_before(l, &c);
}
