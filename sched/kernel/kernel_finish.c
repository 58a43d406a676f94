/* Derives what a kernel's text leaves implicit: factors' counts and strides, thread digits, blocks, the layouts in
 * which stages are evaluated, and the domains of values. Checks only what it needs to derive them. */
#include "kernel.h"

#include "ir/expr_is.h"
#include "ir/int_value.h"

typedef struct Finish {
    Program *p;
    Kernel *k;
    Part *part;
    Text *why;
} Finish;

/* ---- sizes ---- */

/* a op b with constants folded and units dropped; NULL on overflow. */
static const Expr *fold(Graph *g, Op op, const Expr *a, const Expr *b) {
    int64_t x, y, r;
    bool cx = expr_is_int(a, &x), cy = expr_is_int(b, &y);
    if (cx && cy) return int_value_op(op, x, y, &r) ? expr_int(g, TY_I64, r) : NULL;
    if (cy && y == 0 && (op == OP_ADD || op == OP_SUB)) return a;
    if (cy && y == 1 && (op == OP_MUL || op == OP_DIV)) return a;
    if (cx && x == 1 && op == OP_MUL) return b;
    return expr2(g, op, a, b);
}

int64_t axis_slack(const Axis *a) { return a->peel ? 128 / type_bits(a->peel->type) - 1 : 0; }

/* ceil((hi - lo + slack) / inner); NULL where the bounds are not dimension expressions. */
static const Expr *open_count(Program *p, const Axis *a, int64_t inner) {
    Graph *g = p->graph;
    if (!a->lo || !a->hi || !expr_over_dims(a->lo) || !expr_over_dims(a->hi)) return NULL;
    const Expr *n = fold(g, OP_SUB, a->hi, a->lo);
    if (n) n = fold(g, OP_ADD, n, expr_int(g, TY_I64, axis_slack(a) + inner - 1));
    return n ? fold(g, OP_DIV, n, expr_int(g, TY_I64, inner)) : NULL;
}

/* Iterations of a block whose share is a multiple of so many elements; inner: elements of all factors but the loop. */
static const Expr *share_count(Finish *f, const Axis *a, int64_t grid, int64_t inner) {
    const int64_t tile = inner / grid;
    int64_t all;
    if (a->shares % tile || !mul_ok(grid, a->shares, &all)) {
        text_fail(f->why, "axis %s: shares of multiples of %lld elements are no whole iterations of %lld", a->name,
                  (long long)a->shares, (long long)tile);
        return NULL;
    }
    const Expr *each = open_count(f->p, a, all);
    return each ? fold(f->p->graph, OP_MUL, each, expr_int(f->p->graph, TY_I64, a->shares / tile)) : NULL;
}

/* Counts and strides of one axis's factors at.[from, to) of a layout. */
static bool finish_axis(Finish *f, Layout *l, const Axis *a, int from, int to) {
    Graph *g = f->p->graph;
    int64_t product = 1, grid = 0;
    Factor *open = NULL;
    for (int i = from; i < to; i++) {
        Factor *x = l->factors.at[i];
        if (x->bind == BIND_GRID) grid = x->size;
        if (x->size < 0 || x->size > INT32_MAX)
            return text_fail(f->why, "axis %s: a size of %s is out of range", a->name, bind_text(x->bind));
        if (x->size == 0 && x->bind != BIND_GRID && x->bind != BIND_SERIAL)
            return text_fail(f->why, "axis %s: only grid and serial may leave their size open, not %s", a->name,
                             bind_text(x->bind));
        if (x->size == 0 && open) return text_fail(f->why, "axis %s: two factors leave their size open", a->name);
        if (x->size == 0)
            open = x;
        else if (!mul_ok(product, x->size, &product))
            return text_fail(f->why, "axis %s: the product of its factors overflows", a->name);
    }
    if (a->shares && (!grid || !open || open->bind != BIND_SERIAL))
        return text_fail(f->why, "axis %s: its shares are those of a grid factor with a size, in an open loop",
                         a->name);
    const Expr *count = !open ? NULL : a->shares ? share_count(f, a, grid, product) : open_count(f->p, a, product);
    if (a->shares && !count) return false;
    if (open && !count && open->bind != BIND_SERIAL)
        return text_fail(
            f->why, "axis %s: its bounds are no expressions of dimensions, so its open factor must be serial", a->name);
    if (open && !count && l->factors.at[from] != open)
        return text_fail(f->why,
                         "axis %s: its bounds are no expressions of dimensions, so its serial factor must be outermost",
                         a->name);
    const Expr *stride = expr_int(g, TY_I64, 1);
    for (int i = to - 1; i >= from; i--) {
        Factor *x = l->factors.at[i];
        const Expr *c = x->size ? expr_int(g, TY_I64, x->size) : count;
        if (x->stride && x->stride != stride && bind_scope(x->bind) != SCOPE_REG)
            return text_fail(f->why, "axis %s: its %s factor has another stride in layout %s", a->name,
                             bind_text(x->bind), l->name);
        x->count = c;
        x->stride = stride;
        if (i > from && !(stride = fold(g, OP_MUL, stride, c)))
            return text_fail(f->why, "axis %s: its size overflows", a->name);
    }
    return true;
}

static bool finish_sizes(Finish *f, Layout *l) {
    int at = 0;
    for (int i = 0; i < f->part->axes.n; i++) {
        int from = at;
        while (at < l->factors.n && l->factors.at[at]->axis == f->part->axes.at[i]) at++;
        if (!finish_axis(f, l, f->part->axes.at[i], from, at)) return false;
    }
    if (at < l->factors.n)
        return text_fail(f->why, "layout %s: the factors of axis %s do not stand together in the order of the axes",
                         l->name, l->factors.at[at]->axis->name);
    return true;
}

/* ---- threads ---- */

/* Digits of the thread factors of one binding, the last one lowest, from `weight` on; *total is their product. */
static bool digits(const Layout *l, Bind bind, int64_t weight, int64_t *total) {
    *total = 1;
    for (int i = l->factors.n - 1; i >= 0; i--) {
        Factor *x = l->factors.at[i];
        if (x->bind != bind) continue;
        x->tid_stride = (int)(weight * *total);
        if (!mul_ok(*total, x->size, total) || weight * *total > 1 << 20) return false;
    }
    return true;
}

static bool has_bind(const Layout *l, Bind bind) {
    for (int i = 0; i < l->factors.n; i++)
        if (l->factors.at[i]->bind == bind) return true;
    return false;
}

static bool finish_threads(Finish *f, Layout *l, int64_t *threads) {
    int64_t lanes, warps, plain;
    bool by_warp = has_bind(l, BIND_LANE) || has_bind(l, BIND_WARP);
    if (by_warp && has_bind(l, BIND_THREAD))
        return text_fail(f->why, "layout %s: thread factors stand beside warp and lane factors", l->name);
    if (!digits(l, BIND_LANE, 1, &lanes) || !digits(l, BIND_WARP, 32, &warps) || !digits(l, BIND_THREAD, 1, &plain))
        return text_fail(f->why, "layout %s: too many threads", l->name);
    if (by_warp && lanes != 32)
        return text_fail(f->why, "layout %s: its lane factors multiply to %lld, not 32", l->name, (long long)lanes);
    *threads = by_warp ? 32 * warps : plain;
    return true;
}

/* ---- parts ---- */

static bool same_outer_factors(Finish *f, const Layout *a, const Layout *b) {
    FactorSet outer_a = layout_scope_factors(a, SCOPE_BLOCK) | layout_scope_factors(a, SCOPE_LOOP);
    FactorSet outer_b = layout_scope_factors(b, SCOPE_BLOCK) | layout_scope_factors(b, SCOPE_LOOP);
    if (outer_a == outer_b) return true;
    return text_fail(f->why, "layout %s: its grid, cluster and serial factors differ from those of layout %s", b->name,
                     a->name);
}

static bool finish_layouts(Finish *f) {
    Part *part = f->part;
    if (part->layouts.n == 0) return text_fail(f->why, "a kernel needs a layout");
    if (part->factors.n > MAX_FACTORS) return text_fail(f->why, "more than %d factors", MAX_FACTORS);
    for (int i = 0; i < part->factors.n; i++) part->factors.at[i]->stride = NULL;
    for (int i = 0; i < part->layouts.n; i++) {
        Layout *l = part->layouts.at[i];
        int64_t threads = 0;
        if (!finish_sizes(f, l) || !finish_threads(f, l, &threads)) return false;
        if (!same_outer_factors(f, part->layouts.at[0], l)) return false;
        if (f->k->threads && f->k->threads != threads)
            return text_fail(f->why, "layout %s: %lld threads, where another layout has %d", l->name,
                             (long long)threads, f->k->threads);
        f->k->threads = (int)threads;
    }
    return true;
}

static bool finish_blocks(Finish *f) {
    Graph *g = f->p->graph;
    const Layout *l = f->part->layouts.at[0];
    const Expr *blocks = expr_int(g, TY_I64, 1);
    int64_t cluster = 1;
    for (int i = 0; i < l->factors.n; i++) {
        Factor *x = l->factors.at[i];
        if (bind_scope(x->bind) != SCOPE_BLOCK) continue;
        if (!(blocks = fold(g, OP_MUL, blocks, x->count))) return text_fail(f->why, "the number of blocks overflows");
        if (x->bind == BIND_CLUSTER && !mul_ok(cluster, x->size, &cluster))
            return text_fail(f->why, "the cluster is too large");
    }
    f->part->blocks = blocks;
    if (f->k->parts.at[0] != f->part && f->k->cluster != cluster)
        return text_fail(f->why, "parts of one kernel have clusters of different sizes");
    if (cluster > INT32_MAX) return text_fail(f->why, "the cluster is too large");
    f->k->cluster = (int)cluster;
    return true;
}

/* ---- domains ---- */

static FactorSet domain_of(const Part *part, const Layout *l, const Expr *e) { return e ? expr_domain(part, l, e) : 0; }

FactorSet stage_operands(const Part *part, const Layout *l, const Stage *s) {
    FactorSet set = domain_of(part, l, s->cond) | domain_of(part, l, s->other);
    for (int i = 0; s->tensor && i < s->tensor->rank; i++) set |= domain_of(part, l, s->subs[i]);
    for (int i = 0; i < MAX_PARTS; i++) set |= domain_of(part, l, s->expr[i]);
    for (int i = 0; i < MAX_PARTS; i++)
        if (s->carry[i]) set |= s->carry[i]->domain;
    return set;
}

/* The first layout that has the factors of all values and factors that the stage reads. */
Layout *stage_default_layout(const Part *part, const Stage *s) {
    Layout none = {0};
    FactorSet need = stage_operands(part, &none, s) | s->over;
    for (int i = 0; i < part->layouts.n; i++)
        if (!(need & ~part->layouts.at[i]->all)) return part->layouts.at[i];
    return part->layouts.at[0];
}

static void set_domain(Stage *s, FactorSet set) {
    FactorSet tile = layout_scope_factors(s->layout, SCOPE_THREAD) | layout_scope_factors(s->layout, SCOPE_REG);
    for (int i = 0; i < s->nout; i++) {
        Value *v = s->out[i];
        v->domain = set;
        if (v->kind != VALUE_SHARED)
            v->layout = set & tile ? s->layout : NULL;
        else
            v->layout = s->layout;
        v->def = s;
    }
}

static FactorSet read_domain(const Part *part, const Stage *s) {
    const Value *x = s->source;
    FactorSet set = 0, tile = x->domain;
    if (x->def->kind == STAGE_BINS) return x->domain | layout_axis_factors(s->layout, x->def->axis);
    for (int i = 0; i < part->axes.n; i++) {
        const Axis *a = part->axes.at[i];
        if (tile & layout_axis_factors(x->layout, a)) set |= layout_axis_factors(s->layout, a);
    }
    return set | (tile & (layout_scope_factors(x->layout, SCOPE_BLOCK) | layout_scope_factors(x->layout, SCOPE_LOOP)));
}

/* `in` are block factors of the conditions around: a variable set under them differs over them. */
static bool stage_domains(const Part *part, Stage *s, FactorSet in) {
    if (!s->layout) s->layout = s->nout && s->out[0]->layout && s->kind != STAGE_SET ? s->out[0]->layout : NULL;
    if (!s->layout)
        s->layout = s->kind == STAGE_SET && s->out[0]->layout ? s->out[0]->layout : stage_default_layout(part, s);
    FactorSet set = stage_operands(part, s->layout, s);
    FactorSet block = layout_scope_factors(s->layout, SCOPE_BLOCK), before;
    switch (s->kind) {
    case STAGE_REDUCE: set_domain(s, set & ~s->over); break;
    case STAGE_READ: set_domain(s, read_domain(part, s)); break;
    case STAGE_LOAD:
    case STAGE_COPY:
    case STAGE_SHARE:
    case STAGE_MAP:
    case STAGE_SCAN: set_domain(s, set); break;
    case STAGE_VAR:
        before = s->out[0]->domain;
        set_domain(s, before | (set & block));
        return s->out[0]->domain != before;
    case STAGE_SET:
        before = s->out[0]->domain;
        s->out[0]->domain = before | ((set | in) & block);
        return s->out[0]->domain != before;
    case STAGE_BINS:
        before = s->out[0]->domain;
        set_domain(s, before | (set & block));
        return s->out[0]->domain != before;
    case STAGE_SCATTER: /* bins differ from block to block as what is folded into them does */
        before = s->source->domain;
        s->source->domain = before | ((set | in) & block);
        return s->source->domain != before;
    default: break;
    }
    bool changed = false;
    for (int i = 0; i < MAX_PARTS; i++) {
        if (!s->carry[i]) continue;
        before = s->carry[i]->domain;
        s->carry[i]->domain = before | ((set | in) & block);
        changed |= s->carry[i]->domain != before;
    }
    return changed;
}

void stage_finish(const Part *part, Stage *s) { stage_domains(part, s, 0); }

static bool body_domains(const Part *part, Stage **at, int n, FactorSet in) {
    bool changed = false;
    for (int i = 0; i < n; i++) {
        changed |= stage_domains(part, at[i], in);
        FactorSet more = at[i]->kind == STAGE_IF ? domain_of(part, part->layouts.at[0], at[i]->cond) : 0;
        changed |= body_domains(part, at[i]->body.at, at[i]->body.n, in | more);
    }
    return changed;
}

const Stage *axis_peel_access(const Axis *a, Stage *const *at, int n) {
    for (int i = 0; i < n; i++) {
        const Stage *s = at[i];
        if (s->tensor == a->peel && a->peel->rank > 0) {
            const Expr *last = s->subs[s->tensor->rank - 1];
            if (last->op == OP_VAR && last->u.var == a->var) return s;
        }
        const Stage *inner = axis_peel_access(a, s->body.at, s->body.n);
        if (inner) return inner;
    }
    return NULL;
}

/* Where an axis starts and ends, and with a peel how it is aligned, may depend on other factors. True where one was
 * added. */
static bool axis_rows(Part *part) {
    bool changed = false;
    for (int i = 0; i < part->axes.n; i++) {
        Axis *a = part->axes.at[i];
        const Stage *s = a->peel ? axis_peel_access(a, part->body.at, part->body.n) : NULL;
        FactorSet row = domain_of(part, part->layouts.at[0], a->lo) | domain_of(part, part->layouts.at[0], a->hi);
        for (int d = 0; s && d + 1 < s->tensor->rank; d++) row |= expr_domain(part, part->layouts.at[0], s->subs[d]);
        row &= ~layout_axis_factors(part->layouts.at[0], a);
        changed |= row != a->row;
        a->row = row;
    }
    return changed;
}

/* ---- */

bool kernel_finish(Program *p, Kernel *k, Text *why) {
    if (k->parts.n == 0) return text_fail(why, "kernel %s has no part", k->name);
    k->threads = 0;
    for (int i = 0; i < k->parts.n; i++) {
        Finish f = {p, k, k->parts.at[i], why};
        if (!finish_layouts(&f) || !finish_blocks(&f)) return false;
        Part *part = f.part;
        bool more = true;
        for (int round = 0; more && round < MAX_FACTORS; round++) {
            more = axis_rows(part);
            more |= body_domains(part, part->body.at, part->body.n, 0);
        }
    }
    return true;
}

static bool equal_factor(const Factor *a, const Factor *b) {
    return a->axis == b->axis && a->bind == b->bind && a->size == b->size && a->stride == b->stride &&
           a->tid_stride == b->tid_stride;
}

bool part_share_factors(Program *p, Kernel *k, Part *part, Text *why) {
    Kernel probe = *k;
    Finish f = {p, &probe, part, why};
    probe.threads = 0;
    if (!finish_layouts(&f)) return false;
    int n = 0;
    for (int i = 0; i < part->layouts.n; i++) {
        Layout *l = part->layouts.at[i];
        for (int j = 0; j < l->factors.n; j++)
            for (int e = 0; e < i; e++)
                for (int m = 0; m < part->layouts.at[e]->factors.n; m++)
                    if (equal_factor(part->layouts.at[e]->factors.at[m], l->factors.at[j]))
                        l->factors.at[j] = part->layouts.at[e]->factors.at[m];
    }
    for (int i = 0; i < part->factors.n; i++) part->factors.at[i]->id = -1;
    for (int i = 0; i < part->layouts.n; i++) {
        Layout *l = part->layouts.at[i];
        l->all = 0;
        for (int j = 0; j < l->factors.n; j++) {
            Factor *x = l->factors.at[j];
            if (x->id < 0) {
                x->id = n;
                part->factors.at[n++] = x;
            }
            l->all |= (FactorSet)1 << x->id;
        }
    }
    part->factors.n = n;
    return true;
}
