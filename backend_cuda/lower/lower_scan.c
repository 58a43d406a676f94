/* Lowering, scans: prefixes of a monoid along one axis. Elements of a thread first; then lanes; then the segments that
 * lanes leave (register and warp factors outside them) through shared memory in one exchange. Order is the index order
 * throughout, so that any associative operation will do. */
#include "lower_internal.h"

typedef struct Scan {
    Stage *s;
    const Layout *layout;
    Factor *inner[MAX_FACTORS]; /* register factors inside the lanes, outer to inner */
    int ninner;
    Factor *seg[MAX_FACTORS]; /* register and warp factors outside the lanes, outer to inner */
    int nseg;
    Factor *other[MAX_FACTORS]; /* register factors of other axes */
    int nother;
    int lane_low, lanes; /* stride and number of the axis's lane digits */
    Sym out[MAX_PARTS], run[MAX_PARTS];
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
            fail(l, "a scan across a cluster has no lowering yet");
            return false;
        }
        if (scope == SCOPE_BLOCK || scope == SCOPE_LOOP) continue;
        if (scope == SCOPE_THREAD && digit_in_warp(f->tid_stride, f->size)) {
            if (level == 2 || (c->lanes > 1 && f->tid_stride * f->size != c->lane_low)) {
                fail(l, "the lane factors of a scanned axis must be next to each other");
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
            fail(l, "a scanned axis needs its warp factors outside its lane factors");
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
    return true;
}

static Sym segment_text(Lower *l, const Scan *c, bool warps_only, int64_t *count) {
    Text t = {.ctx = l->ctx};
    int64_t n = 1;
    for (int i = c->nseg - 1; i >= 0; i--) {
        if (warps_only && bind_scope(c->seg[i]->bind) != SCOPE_THREAD) continue;
        if (t.n) text_put(&t, " + ");
        text_fmt(&t, n == 1 ? "%s" : "%s * %lld", factor_text(l, c->seg[i]), (long long)n);
        n *= c->seg[i]->size;
    }
    *count = n;
    return t.n ? t.s : "0";
}

static Sym reg_segment(Lower *l, const Scan *c,
                       int64_t *count) { /* number of the register segment: index of the run array */
    Text t = {.ctx = l->ctx};
    int64_t n = 1;
    for (int i = c->nseg - 1; i >= 0; i--) {
        if (bind_scope(c->seg[i]->bind) != SCOPE_REG) continue;
        if (t.n) text_put(&t, " + ");
        text_fmt(&t, n == 1 ? "%s" : "%s * %lld", factor_text(l, c->seg[i]), (long long)n);
        n *= c->seg[i]->size;
    }
    for (int i = c->nother - 1; i >= 0; i--) {
        if (t.n) text_put(&t, " + ");
        text_fmt(&t, n == 1 ? "%s" : "%s * %lld", factor_text(l, c->other[i]), (long long)n);
        n *= c->other[i]->size;
    }
    *count = n;
    return t.n ? t.s : "0";
}

static void put_thread_scan(Lower *l, Scan *c, const Sym *run) {
    Stage *s = c->s;
    const Monoid *m = s->monoid;
    for (int i = 0; i < m->n; i++) put(l, "%s = %s;", run[i], identity(l, m, i));
    int loops = open_ordered(l, c->inner, c->ninner, s->reverse);
    FactorSet all = layout_axis_factors(c->layout, s->axis);
    Sym guard = axis_predicate(l, c->layout, all);
    if (s->cond)
        guard = guard ? fmt(l, "%s && %s", guard, expr_text(l, s->cond, c->layout)) : expr_text(l, s->cond, c->layout);
    if (s->exclusive)
        for (int i = 0; i < s->nout; i++) put(l, "%s = %s;", c->out[i], run[i]);
    Sym right[MAX_PARTS];
    put(l, guard ? "if (%s) {" : "%s{", guard ? guard : "");
    l->indent++;
    for (int i = 0; i < m->n; i++) {
        put(l, "const %s e%d_ = %s;", c_type(m->type[i]), i, expr_text(l, s->expr[i], c->layout));
        right[i] = fmt(l, "e%d_", i);
    }
    put_combine(l, m, s->reverse ? right : run, s->reverse ? run : right, run, NULL);
    l->indent--;
    put(l, "}");
    if (!s->exclusive)
        for (int i = 0; i < s->nout; i++) put(l, "%s = %s;", c->out[i], run[i]);
    close_ordered(l, loops);
}

/* Afterwards `off` holds what comes before the thread's elements inside its lanes, and `run` the total of the lanes. */
static void put_lane_scan(Lower *l, Scan *c, const Sym *run, const Sym *off) {
    const Monoid *m = c->s->monoid;
    const char *shfl = c->s->reverse ? "down" : "up";
    Sym lane =
        c->lane_low == 1 ? fmt(l, "td_tid() %% %d", c->lanes) : fmt(l, "td_tid() / %d %% %d", c->lane_low, c->lanes);
    put(l, "#pragma unroll");
    put(l, "for (int d = 1; d < %d; d *= 2) {", c->lanes);
    l->indent++;
    Sym right[MAX_PARTS];
    for (int i = 0; i < m->n; i++) {
        put(l, "const %s r%d_ = %s;", c_type(m->type[i]), i,
            shuffle_text(l, shfl, m->type[i], run[i], fmt(l, "d * %d", c->lane_low)));
        right[i] = fmt(l, "r%d_", i);
    }
    Sym inside = c->s->reverse ? fmt(l, "%s + d < %d", lane, c->lanes) : fmt(l, "%s >= d", lane);
    put_combine(l, m, c->s->reverse ? run : right, c->s->reverse ? right : run, run, inside);
    l->indent--;
    put(l, "}");
    for (int i = 0; i < m->n; i++) {
        put(l, "%s = %s;", off[i], shuffle_text(l, shfl, m->type[i], run[i], fmt(l, "%d", c->lane_low)));
        put(l, c->s->reverse ? "if (%s == %d) %s = %s;" : "if (%s == %d) %s = %s;", lane,
            c->s->reverse ? c->lanes - 1 : 0, off[i], identity(l, m, i));
    }
    for (int i = 0; i < m->n; i++) {
        Sym last = c->lanes * c->lane_low == 32 && c->lane_low == 1
                       ? fmt(l, "%d", c->s->reverse ? 0 : 31)
                       : fmt(l, "(td_tid() %% 32 / %d * %d + td_tid() %% %d + %d)", c->lanes * c->lane_low,
                             c->lanes * c->lane_low, c->lane_low, c->s->reverse ? 0 : (c->lanes - 1) * c->lane_low);
        put(l, "%s = %s;", run[i], shuffle_text(l, "idx", m->type[i], run[i], last));
    }
}

/* One exchange of all segments' totals; `off` gains what the earlier segments hold, `run[…]` becomes the total of all.
 */
static void put_segment_scan(Lower *l, Scan *c, const Sym *run_name, const Sym *off, int64_t nruns, Sym run_index,
                             const Sym *total) {
    const Monoid *m = c->s->monoid;
    int64_t segments, others = 1;
    Sym seg = segment_text(l, c, false, &segments);
    FactorSet kept = thread_factors(l, c->s->out[0]->domain) & ~layout_axis_factors(c->layout, c->s->axis);
    int64_t groups;
    Sym group = digits_text(l, c->layout, kept, &groups);
    for (int i = 0; i < c->nother; i++) others *= c->other[i]->size;
    bool twice = in_loop(l), shared = false;
    for (int i = 0; i < c->nseg; i++) shared = shared || bind_scope(c->seg[i]->bind) == SCOPE_THREAD;
    Sym base[MAX_PARTS], turn = fmt(l, "%s_turn", value_name(l, c->s->out[0]));
    Sym other = NULL;
    {
        Text t = {.ctx = l->ctx};
        int64_t n = 1;
        for (int i = c->nother - 1; i >= 0; i--) {
            text_fmt(&t, "%s%s * %lld", t.n ? " + " : "", factor_text(l, c->other[i]), (long long)n);
            n *= c->other[i]->size;
        }
        other = t.n ? t.s : "0";
    }
    Sym cells = fmt(l, "((%s) * %lld + (%s)) * %lld", group, (long long)others, other, (long long)segments);
    Factor *regs[MAX_FACTORS];
    int nregs = 0;
    for (int i = 0; i < c->nother; i++) regs[nregs++] = c->other[i];
    for (int i = 0; i < c->nseg; i++)
        if (bind_scope(c->seg[i]->bind) == SCOPE_REG) regs[nregs++] = c->seg[i];
    Sym right[MAX_PARTS];
    if (shared) {
        int regions[MAX_PARTS];
        if (twice) need_turn(l, turn);
        for (int i = 0; i < m->n; i++) {
            int64_t count = segments * groups * others;
            regions[i] = region_new(l, c->s, 1 + i, count * cell_bytes(m->type[i]) * (twice ? 2 : 1));
            base[i] = fmt(l, "%s_parts", value_name(l, c->s->out[i]));
            if (!twice) region_write(l, regions[i]);
            put(l,
                twice ? "const td_sp<%s> %s = td_shared<%s>(%d) + %s * %lld;"
                      : "const td_sp<%s> %s = td_shared<%s>(%d);",
                cell_type(m->type[i]), base[i], cell_type(m->type[i]), l->regions.at[regions[i]].offset,
                twice ? turn : "", (long long)count);
        }
        FactorSet writers = thread_factors(l, c->layout->all) & ~kept;
        Text who = {.ctx = l->ctx};
        for (int i = 0; i < c->layout->factors.n; i++) {
            Factor *x = c->layout->factors.at[i];
            bool is_seg = false;
            for (int k = 0; k < c->nseg; k++) is_seg = is_seg || c->seg[k] == x;
            if ((writers >> x->id & 1) && !is_seg && x->size != 1)
                text_fmt(&who, "%s%s == 0", who.n ? " && " : "", factor_text(l, x));
        }
        put(l, who.n ? "if (%s) {" : "%s{", who.n ? who.s : "");
        l->indent++;
        int loops = open_ordered(l, regs, nregs, false);
        for (int i = 0; i < m->n; i++) {
            put(l, "const %s p%d_[1] = {%s};", cell_type(m->type[i]), i, run_name[i]);
            put(l, "td_sts<%s, 1>(%s + (%s + %s), p%d_);", cell_type(m->type[i]), base[i], cells, seg, i);
        }
        close_ordered(l, loops);
        l->indent--;
        put(l, "}");
        for (int i = 0; i < m->n; i++) l->regions.at[regions[i]].written = true;
        region_read(l, regions[0]);
        for (int i = 0; i < m->n; i++) l->regions.at[regions[i]].read = !twice;
    }
    (void)run_index;
    (void)nruns;
    /* fold the segments in order, keeping what comes before each of this thread's */
    Factor *oth[MAX_FACTORS];
    for (int i = 0; i < c->nother; i++) oth[i] = c->other[i];
    int loops = open_ordered(l, oth, c->nother, false);
    for (int i = 0; i < m->n; i++) put(l, "%s = %s;", total[i], identity(l, m, i));
    if (!loops) {
        put(l, "{");
        l->indent++;
    }
    /* segments outer to inner: register digits are loops here, warp digits too; a thread's own warp takes the prefix */
    Text own = {.ctx = l->ctx};
    int opened = 0;
    for (int i = 0; i < c->nseg; i++) {
        Sym v = factor_text(l, c->seg[i]);
        bool thread = bind_scope(c->seg[i]->bind) == SCOPE_THREAD;
        Sym it = thread ? fmt(l, "%s_at", v) : v;
        put(l, "#pragma unroll");
        if (c->s->reverse)
            put(l, "for (int %s = %lld; %s >= 0; %s--) {", it, (long long)c->seg[i]->size - 1, it, it);
        else
            put(l, "for (int %s = 0; %s < %lld; %s++) {", it, it, (long long)c->seg[i]->size, it);
        l->indent++;
        opened++;
        if (thread) text_fmt(&own, "%s%s == %s", own.n ? " && " : "", it, v);
    }
    for (int i = 0; i < m->n; i++) right[i] = off[i];
    if (c->s->reverse)
        put_combine(l, m, off, total, off, own.n ? own.s : NULL);
    else
        put_combine(l, m, total, off, off, own.n ? own.s : NULL);
    Text segno = {.ctx = l->ctx};
    int64_t n = 1;
    for (int i = c->nseg - 1; i >= 0; i--) {
        bool thread = bind_scope(c->seg[i]->bind) == SCOPE_THREAD;
        text_fmt(&segno, "%s%s%s * %lld", segno.n ? " + " : "", factor_text(l, c->seg[i]), thread ? "_at" : "",
                 (long long)n);
        n *= c->seg[i]->size;
    }
    for (int i = 0; i < m->n; i++) {
        if (shared) {
            put(l, "td_word<%s> q%d_[1];", cell_type(m->type[i]), i);
            put(l, "td_lds<%s, 1>(q%d_, %s + (%s + %s));", cell_type(m->type[i]), i, base[i], cells, segno.s);
            right[i] = fmt(l, m->type[i] == TY_BOOL ? "(q%d_[0] != 0)" : "q%d_[0]", i);
        } else {
            right[i] = run_name[i];
        }
    }
    put_combine(l, m, c->s->reverse ? right : total, c->s->reverse ? total : right, total, NULL);
    close_ordered(l, opened);
    if (loops)
        close_ordered(l, loops);
    else {
        l->indent--;
        put(l, "}");
    }
    if (twice && shared) put(l, "%s ^= 1;", turn);
}

void lower_scan(Lower *l, Stage *s) {
    Scan c = {.s = s, .layout = s->out[0]->layout ? s->out[0]->layout : l->part->layouts.at[0]};
    const Monoid *m = s->monoid;
    l->layout = c.layout;
    if (!scan_plan(l, &c)) return;
    for (int i = 0; i < s->nout; i++) {
        declare_state(l, s->out[i]);
        c.out[i] = element(l, s->out[i]);
    }
    int64_t nruns;
    Sym idx = reg_segment(l, &c, &nruns), run[MAX_PARTS], off[MAX_PARTS], total[MAX_PARTS];
    for (int i = 0; i < m->n; i++) {
        Sym base = value_name(l, s->out[i < s->nout ? i : 0]);
        Sym rn = fmt(l, "%s_run%d", base, i), on = fmt(l, "%s_off%d", base, i), tn = fmt(l, "%s_all%d", base, i);
        run[i] = nruns > 1 ? fmt(l, "%s[%s]", rn, idx) : rn;
        off[i] = nruns > 1 ? fmt(l, "%s[%s]", on, idx) : on;
        total[i] = nruns > 1 ? fmt(l, "%s[%s]", tn, idx) : tn;
        if (nruns > 1)
            put(l, "%s %s[%lld], %s[%lld];", c_type(m->type[i]), rn, (long long)nruns, on, (long long)nruns);
        else
            put(l, "%s %s, %s;", c_type(m->type[i]), rn, on);
        /* the total is one an element of the other axes */
        int64_t nothers = 1;
        Text t = {.ctx = l->ctx};
        for (int k = c.nother - 1; k >= 0; k--) {
            text_fmt(&t, "%s%s * %lld", t.n ? " + " : "", factor_text(l, c.other[k]), (long long)nothers);
            nothers *= c.other[k]->size;
        }
        total[i] = nothers > 1 ? fmt(l, "%s[%s]", tn, t.s) : tn;
        if (nothers > 1)
            put(l, "%s %s[%lld];", c_type(m->type[i]), tn, (long long)nothers);
        else
            put(l, "%s %s;", c_type(m->type[i]), tn);
    }
    Factor *runs[MAX_FACTORS];
    int nr = 0;
    for (int i = 0; i < c.nother; i++) runs[nr++] = c.other[i];
    for (int i = 0; i < c.nseg; i++)
        if (bind_scope(c.seg[i]->bind) == SCOPE_REG) runs[nr++] = c.seg[i];
    int loops = open_ordered(l, runs, nr, false);
    put_thread_scan(l, &c, run);
    if (c.lanes > 1)
        put_lane_scan(l, &c, run, off);
    else
        for (int i = 0; i < m->n; i++) put(l, "%s = %s;", off[i], identity(l, m, i));
    close_ordered(l, loops);
    if (c.nseg)
        put_segment_scan(l, &c, run, off, nruns, idx, total);
    else {
        loops = open_ordered(l, c.other, c.nother, false);
        for (int i = 0; i < m->n; i++) put(l, "%s = %s;", total[i], run[i]);
        close_ordered(l, loops);
    }
    /* apply what comes before: earlier iterations, segments and lanes */
    loops = open_ordered(l, runs, nr, false);
    if (s->carry[0]) {
        Sym carry[MAX_PARTS];
        for (int i = 0; i < m->n; i++) carry[i] = element(l, s->carry[i]);
        put_combine(l, m, s->reverse ? off : carry, s->reverse ? carry : off, off, NULL);
    }
    int inner = open_ordered(l, c.inner, c.ninner, false);
    put_combine(l, m, s->reverse ? c.out : off, s->reverse ? off : c.out, c.out, NULL);
    close_ordered(l, inner);
    close_ordered(l, loops);
    if (s->carry[0]) {
        loops = open_ordered(l, c.other, c.nother, false);
        Sym carry[MAX_PARTS];
        for (int i = 0; i < m->n; i++) carry[i] = element(l, s->carry[i]);
        put_combine(l, m, s->reverse ? total : carry, s->reverse ? carry : total, carry, NULL);
        close_ordered(l, loops);
    }
}
