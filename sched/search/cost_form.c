/* The form of a group for the cost model: see cost_form.h. */
#include "cost_form.h"

#include "schedule.h"
#include "ir/expr_walk.h"

#include <math.h>

enum { MAX_ACCESSES = 64 /* that are counted */ };

typedef struct Former {
    CostForm *f;
    Group *gr;
    Ctx *ctx;
    ExprMap number; /* OP_LOAD -> its access */
} Former;

/* The only term of a sum in which an axis is. */
static const Expr *term_of(Group *gr, const Expr *e, int a) {
    while (e->op == OP_ADD || e->op == OP_SUB) e = e->arg[group_free(gr, e->arg[1]) >> a & 1];
    return e;
}

static bool is_axis(const Group *gr, const Expr *e, int a) { return e->op == OP_VAR && e->u.var == gr->axes.at[a].var; }

/* How many steps along an axis name the same element: where it is in one subscript alone, as a quotient. */
static int steps_of(Group *gr, const Expr *const *subs, int rank, int a) {
    enum { MANY = 1 << 16 };
    int64_t by = 1;
    const Expr *in = NULL;
    for (int d = 0; d < rank; d++) {
        if (!(group_free(gr, subs[d]) >> a & 1)) continue;
        if (in) return 1;
        in = term_of(gr, subs[d], a);
    }
    const bool quotient = in && in->op == OP_DIV && is_axis(gr, in->arg[0], a) && expr_is_int(in->arg[1], &by);
    return quotient && by > 1 && by < MANY ? (int)by : 1;
}

static CostMove move_along(Group *gr, const Expr *const *subs, int rank, AxisSet axes, int a) {
    if (!(axes >> a & 1)) return MOVE_NOT;
    const bool merged = gr->axes.at[a].merged; /* its quotients stand in the other subscripts */
    for (int d = 0; d + 1 < rank && !merged; d++)
        if (group_free(gr, subs[d]) >> a & 1) return MOVE_FURTHER;
    const Expr *e = term_of(gr, subs[rank - 1], a);
    while (merged && e->op == OP_MOD) e = e->arg[0];
    if (merged && e->op == OP_DIV) return MOVE_SELDOM;
    if (is_axis(gr, e, a)) return MOVE_BY_ONE;
    return !merged && steps_of(gr, subs, rank, a) > 1 ? MOVE_IN_STEPS : MOVE_FURTHER;
}

static int64_t elements_of(const Tensor *t, const int64_t *dims) {
    int64_t n = 1;
    for (int d = 0; d < t->rank; d++)
        if (!mul_ok(n, expr_guess_at(t->shape[d], dims), &n)) return INT64_MAX;
    return n;
}

static int add_access(Former *x, bool load, const Expr *const *subs, const Tensor *t, AxisSet axes) {
    CostAccess c = {.tensor = t, .subs = subs, .load = load, .bytes = (type_bits(t->type) + 7) / 8, .axes = axes};
    for (int a = 0; a < x->gr->axes.n; a++)
        if (axes >> a & 1 && x->gr->axes.at[a].merged) c.whole = t;
    for (int a = 0; a < x->gr->axes.n; a++) {
        c.moves[a] = (unsigned char)(t->rank ? move_along(x->gr, subs, t->rank, axes, a) : MOVE_NOT);
        c.steps[a] = x->gr->axes.at[a].merged ? 1 : steps_of(x->gr, subs, t->rank, a);
    }
    bool seldom = false;
    for (int a = 0; a < x->gr->axes.n; a++) seldom |= c.moves[a] == MOVE_SELDOM;
    if (load && !seldom) x->f->loaded += c.bytes;
    vec_push(x->ctx, &x->f->accesses, c);
    return x->f->accesses.n - 1;
}

static Found add_read(const Expr *e, void *former) {
    Former *x = former;
    if (e->op != OP_REDUCE) return FOUND_INSIDE;
    vec_push(x->ctx, &x->f->refs, (int)(group_step(x->gr, e) - x->gr->steps.at));
    return FOUND_NOT;
}

static Found add_load(const Expr *e, void *former) {
    Former *x = former;
    if (e->op == OP_REDUCE) return FOUND_NOT;
    if (e->op != OP_LOAD) return FOUND_INSIDE;
    int n = (int)expr_map_number(&x->number, e, -1);
    if (n < 0 && x->f->accesses.n < MAX_ACCESSES) {
        n = add_access(x, true, (const Expr *const *)e->arg, e->u.tensor, group_free(x->gr, e));
        expr_map_put_number(x->ctx, &x->number, e, n);
    }
    if (n >= 0) vec_push(x->ctx, &x->f->refs, n);
    return FOUND_INSIDE;
}

/* A store's value alone decides when it can be made. */
static CostItem add_item(Former *x, const Expr *const *value, int n, const Expr *guard, bool waits_for_guard) {
    ExprWalk reads = {.temp = x->ctx, .before = add_read, .user = x, .reduces = true};
    ExprWalk loads = {.temp = x->ctx, .before = add_load, .user = x, .loads = true};
    CostItem it = {.reads = x->f->refs.n};
    for (int i = 0; i < n; i++) expr_walk(&reads, value[i]);
    if (waits_for_guard) expr_walk(&reads, guard);
    it.nreads = x->f->refs.n - it.reads;
    it.loads = x->f->refs.n;
    for (int i = 0; i < n; i++) expr_walk(&loads, value[i]);
    expr_walk(&loads, guard);
    it.nloads = x->f->refs.n - it.loads;
    return it;
}

/* ---- strides ---- */

/* By how much e grows with an axis. A remainder grows as what it is of, a quotient seldom; of anything else nobody
 * knows. */
static int64_t slope(Group *gr, const Expr *e, int a, const int64_t *dims) {
    if (!(group_free(gr, e) >> a & 1)) return 0;
    int64_t by = 0, times = 1;
    switch (e->op) {
    case OP_VAR: return 1;
    case OP_ADD: return slope(gr, e->arg[0], a, dims) + slope(gr, e->arg[1], a, dims);
    case OP_SUB: return slope(gr, e->arg[0], a, dims) - slope(gr, e->arg[1], a, dims);
    case OP_MOD: return slope(gr, e->arg[0], a, dims);
    case OP_MUL:
        for (int i = 0; i < 2; i++)
            if (!group_free(gr, e->arg[i])) {
                times = expr_guess_at(e->arg[i], dims);
                by = slope(gr, e->arg[1 - i], a, dims);
            }
        return mul_ok(by, times, &by) ? by : 0;
    default: return 0;
    }
}

/* Of an axis, where so many steps name the same. */
static double elements_along(const CostForm *f, int point, const CostAccess *c, int a) {
    return ceil((double)f->lengths[point][a] / c->steps[a]);
}

static void count_bytes(CostForm *f) {
    f->bytes_behind[f->accesses.n] = 0;
    f->refused = false;
    for (int a = 0; a < f->gr->axes.n; a++) f->refused |= f->lengths[f->at][a] < 0;
    for (int i = f->accesses.n - 1; i >= 0; i--) {
        const CostAccess *c = &f->accesses.at[i];
        double n = 1;
        for (int a = 0; a < f->gr->axes.n; a++)
            if (c->axes >> a & 1) n *= elements_along(f, f->at, c, a);
        if (c->whole && n > (double)f->elements[f->at][i]) n = (double)f->elements[f->at][i];
        f->bytes[i] = n * c->bytes;
        f->refused |= n < 0;
        f->bytes_behind[i] = f->bytes_behind[i + 1] + f->bytes[i];
    }
}

const int64_t *const *cost_form_strides(CostForm *f) {
    const int64_t *dims = f->points->dims[f->at];
    if (f->strides_at == f->at) return (const int64_t *const *)f->strides;
    f->strides_at = f->at;
    count_bytes(f);
    for (int i = 0; i < f->accesses.n; i++) {
        const CostAccess *c = &f->accesses.at[i];
        for (int a = 0; a < f->gr->axes.n; a++) {
            int64_t row = 1;
            f->strides[i][a] = 0;
            for (int d = c->tensor->rank - 1; d >= 0 && c->axes >> a & 1; d--) {
                int64_t by = 0;
                if (mul_ok(slope(f->gr, c->subs[d], a, dims), row, &by)) f->strides[i][a] += by;
                if (!mul_ok(row, expr_guess_at(c->tensor->shape[d], dims), &row)) break;
            }
        }
    }
    return (const int64_t *const *)f->strides;
}

/* ---- the key ---- */

static void put(Text *t, int64_t v) { text_put_n(t, (const char *)&v, sizeof v); }

static void put_points(Text *t, const CostForm *f) {
    put(t, f->points->n);
    for (int i = 0; i < f->points->n; i++) {
        int64_t weight = (int64_t)(f->points->weight[i] * (1 << 20));
        put(t, weight);
        text_put_n(t, (const char *)f->lengths[i], sizeof(int64_t) * (size_t)f->gr->axes.n);
        text_put_n(t, (const char *)f->walked[i], sizeof(int64_t) * (size_t)f->gr->axes.n);
        text_put_n(t, (const char *)f->elements[i], sizeof(int64_t) * (size_t)f->accesses.n);
        text_put_n(t, (const char *)f->length_of_row[i], sizeof(int64_t) * (size_t)f->accesses.n);
    }
}

static void put_axes(Text *t, const Group *gr) {
    put(t, gr->axes.n);
    put(t, gr->split);
    put(t, gr->split >= 0 ? gr->parts : 0);
    put(t, gr->shares);
    for (int a = 0; a < gr->axes.n; a++) {
        const GAxis *x = &gr->axes.at[a];
        put(t, x->extent);
        put(t, x->most);
        put(t, x->contiguous);
        put(t, (x->indexed ? 1 : 0) + (x->folded ? 2 : 0) + (x->scanned ? 4 : 0) + (x->whole ? 8 : 0));
    }
}

static void put_rows(Text *t, const Group *gr) {
    put(t, gr->rows.n);
    for (int i = 0; i < gr->rows.n; i++) {
        put(t, gr->rows.at[i].axis);
        put(t, (int64_t)gr->rows.at[i].rows << 8 | type_bits(gr->rows.at[i].tensor->type));
    }
}

/* What divides a group may have other axes than what divides one that is like it: of tensors that nobody else reads,
 * and are rows of another length, axes are merged there that are two here. */
static void put_division(Text *t, const Division *d) {
    put(t, d->n);
    put(t, d->apart);
    for (int k = 0; k < d->n; k++) {
        const Group *gr = d->group[k];
        put_axes(t, gr);
        put_rows(t, gr);
        put(t, gr->steps.n);
        for (int i = 0; i < gr->steps.n; i++) {
            const GStep *p = &gr->steps.at[i];
            const bool any = p->into && monoid_updates(p->monoid->kind, p->node->type, &gr->graph->options);
            put(t, (int64_t)p->free << 32 | p->over);
            put(t, p->online);
            put(t, (int64_t)p->into << 1 | any); /* what folds in an order has other schedules that scatter */
        }
        put(t, gr->stores.n);
        for (int i = 0; i < gr->stores.n; i++) put(t, gr->stores.at[i].axes);
    }
}

static Sym key_of(const CostForm *f, Ctx *ctx) {
    const Group *gr = f->gr;
    Text t = {.ctx = ctx};
    put_points(&t, f);
    put_axes(&t, gr);
    put(&t, group_any_kernel(gr));
    put(&t, gr->divisions.n);
    for (int i = 0; i < gr->divisions.n; i++) put_division(&t, &gr->divisions.at[i]);
    put(&t, gr->steps.n);
    for (int i = 0; i < gr->steps.n; i++) {
        const GStep *p = &gr->steps.at[i];
        put(&t, (int64_t)p->free << 32 | p->over);
        put(&t, (p->scan ? 1 : 0) + (p->monoid->ordered ? 2 : 0));
        put(&t, (int64_t)p->joined[0] << 32 | p->joined[1]);
        put(&t, p->guard && p->guard->nargs);
    }
    put(&t, gr->stores.n);
    for (int i = 0; i < gr->stores.n; i++) {
        put(&t, gr->stores.at[i].axes);
        put(&t, gr->stores.at[i].update ? 1 + (int64_t)gr->stores.at[i].update->kind : 0);
    }
    put_rows(&t, gr);
    for (int i = 0; i < f->items.n; i++) {
        put(&t, f->items.at[i].nreads);
        put(&t, f->items.at[i].nloads);
    }
    for (int i = 0; i < f->refs.n; i++) put(&t, f->refs.at[i]);
    for (int i = 0; i < f->accesses.n; i++) {
        const CostAccess *c = &f->accesses.at[i];
        put(&t, c->load);
        put(&t, (int64_t)c->axes << 8 | c->bytes);
        text_put_n(&t, (const char *)c->moves, (size_t)gr->axes.n);
        text_put_n(&t, (const char *)c->steps, sizeof *c->steps * (size_t)gr->axes.n);
        text_put_n(&t, (const char *)f->strides[i], sizeof(int64_t) * (size_t)gr->axes.n);
    }
    return sym_n(t.ctx, t.s, t.n);
}

/* The steps that fold over ranges that are data: of each the axes that these have beside the folded one; 0: it does
 * not. Ranges that go on in elements of all are as long as the axis here: of those, which are windows most often, each
 * is short, and what a block does beside its loads is not little then. */
static const AxisSet *ragged_steps(CostForm *f, Ctx *ctx) {
    AxisSet *within = NEW_N(ctx, AxisSet, f->gr->steps.n + 1);
    for (int i = 0; i < f->gr->steps.n; i++) {
        const GStep *p = &f->gr->steps.at[i];
        AxisSet set;
        if (!group_ragged(f->gr, p, &set)) continue;
        f->ragged = true;
        within[i] = p->joined[0] || !group_divides(f->gr, p, set, false) ? 0 : set;
    }
    return within;
}

/* Ranges that are data together have each element once. */
static void shorten_ragged(CostForm *f, int point, const AxisSet *within) {
    enum { LONGER = 16 };
    int64_t *to = f->walked[point];
    for (int i = 0; i < f->gr->steps.n; i++) {
        const GStep *p = &f->gr->steps.at[i];
        double ranges = 1;
        for (int a = 0; a < f->gr->axes.n; a++)
            if (within[i] >> a & 1 & ~(p->over >> a)) ranges *= (double)f->lengths[point][a];
        for (int a = 0; a < f->gr->axes.n; a++) {
            const int64_t n = f->lengths[point][a];
            if (p->over == (AxisSet)1 << a && ranges > 1 && n > 1)
                to[a] = (int64_t)fmin((double)n, ceil(LONGER * (double)n / ranges));
        }
    }
}

/* Whether rows follow each other along an axis of both, so that their length says nothing of what is aligned. */
static bool goes_on(Group *gr, const CostAccess *c) {
    for (int a = 0; a < gr->axes.n; a++)
        if (gr->axes.at[a].merged && group_free(gr, c->subs[c->tensor->rank - 1]) >> a & 1) return true;
    return false;
}

/* Of each point so many numbers. */
static int64_t **table(int points, int each, Ctx *ctx) {
    int64_t **rows = NEW_N(ctx, int64_t *, points), *at = NEW_N(ctx, int64_t, (size_t)points * (size_t)each + 1);
    for (int i = 0; i < points; i++) rows[i] = at + (size_t)i * (size_t)each;
    return rows;
}

static void measure(CostForm *f, Ctx *ctx) {
    const int n = f->points->n;
    f->lengths = table(n, f->gr->axes.n, ctx);
    f->walked = table(n, f->gr->axes.n, ctx);
    f->elements = table(n, f->accesses.n, ctx);
    f->length_of_row = table(n, f->accesses.n, ctx);
    const AxisSet *within = ragged_steps(f, ctx);
    for (int i = 0; i < n; i++) {
        const int64_t *dims = f->points->dims[i];
        for (int a = 0; a < f->gr->axes.n; a++) f->lengths[i][a] = points_length(&f->gr->axes.at[a], dims);
        memcpy(f->walked[i], f->lengths[i], sizeof(int64_t) * (size_t)f->gr->axes.n);
        shorten_ragged(f, i, within);
        for (int k = 0; k < f->accesses.n; k++) {
            const Tensor *t = f->accesses.at[k].tensor;
            if (t->rank > 1 && !goes_on(f->gr, &f->accesses.at[k]))
                f->length_of_row[i][k] = expr_guess_at(t->shape[t->rank - 1], dims);
        }
        for (int k = 0; k < f->accesses.n && f->points->displaced; k++) f->length_of_row[i][k] = 1;
        for (int k = 0; k < f->accesses.n; k++)
            if (f->accesses.at[k].whole) f->elements[i][k] = elements_of(f->accesses.at[k].whole, dims);
    }
}

static bool steps_alike(const GStep *a, const GStep *b) {
    return a->over == b->over && a->free == b->free && a->scan == b->scan;
}

/* Loops over axes that one step folds are in each other, those of others behind each other. */
static void find_nests(CostForm *f, Ctx *ctx) {
    const Group *gr = f->gr;
    for (int i = 0; i < gr->steps.n; i++) f->folded |= gr->steps.at[i].over;
    for (int i = 0; i < gr->steps.n; i++) {
        const AxisSet own = (gr->steps.at[i].over | gr->steps.at[i].under) & f->folded;
        bool within = false;
        for (int k = 0; k < gr->steps.n; k++) {
            const AxisSet other = (gr->steps.at[k].over | gr->steps.at[k].under) & f->folded;
            within |= other != own && !(own & ~other);
        }
        for (int k = 0; k < f->nests.n; k++) within |= f->nests.at[k] == own;
        if (!within && f->nests.n < MAX_GROUP_AXES) vec_push(ctx, &f->nests, own);
    }
}

static void compare_steps(CostForm *f, Ctx *ctx) {
    const Group *gr = f->gr;
    f->alike = NEW_N(ctx, int, gr->steps.n + 1);
    f->exchange = NEW_N(ctx, double, COST_EXCHANGES * gr->steps.n + 1);
    for (int i = 0; i < gr->steps.n; i++) {
        while (!steps_alike(&gr->steps.at[f->alike[i]], &gr->steps.at[i])) f->alike[i]++;
        f->joins |= gr->steps.at[i].joined[0] != 0;
    }
    find_nests(f, ctx);
}

CostForm *cost_form(Group *gr, const Points *points, Ctx *ctx) {
    Former x = {.f = NEW(ctx, CostForm), .gr = gr, .ctx = ctx};
    x.f->gr = gr;
    x.f->points = points;
    compare_steps(x.f, ctx);
    for (int i = 0; i < gr->steps.n; i++) {
        const Expr *node = gr->steps.at[i].node;
        CostItem it = add_item(&x, (const Expr *const *)node->arg + 1, node->nargs - 1, gr->steps.at[i].guard, true);
        vec_push(ctx, &x.f->items, it);
    }
    for (int i = 0; i < gr->stores.n; i++) {
        const GStore *s = &gr->stores.at[i];
        CostItem it = add_item(&x, &s->value, 1, s->guard, false);
        if (x.f->accesses.n < MAX_ACCESSES) {
            vec_push(ctx, &x.f->refs, add_access(&x, false, s->subs, s->tensor, s->axes));
            it.nloads++;
        }
        vec_push(ctx, &x.f->items, it);
    }
    measure(x.f, ctx);
    x.f->strides = NEW_N(ctx, int64_t *, x.f->accesses.n + 1);
    for (int i = 0; i < x.f->accesses.n; i++) x.f->strides[i] = NEW_N(ctx, int64_t, gr->axes.n + 1);
    x.f->bytes = NEW_N(ctx, double, x.f->accesses.n + 1);
    x.f->bytes_behind = NEW_N(ctx, double, x.f->accesses.n + 1);
    x.f->strides_at = -1;
    cost_form_strides(x.f);
    x.f->key = key_of(x.f, ctx);
    for (int i = 0; i < COST_LEVELS; i++) {
        x.f->asked[i].level = NEW_N(ctx, int, x.f->items.n);
        x.f->asked[i].again = NEW_N(ctx, int, x.f->accesses.n);
    }
    return x.f;
}

static AxisSet kept_axes(const Group *gr) {
    AxisSet kept = 0;
    for (int a = 0; a < gr->axes.n; a++)
        if (axis_has_grid(&gr->axes.at[a])) kept |= (AxisSet)1 << a;
    return kept;
}

AxisSet cost_form_tables(const CostForm *f) {
    const AxisSet kept = kept_axes(f->gr);
    AxisSet set = 0;
    for (int i = 0; i < f->accesses.n; i++) {
        const CostAccess *c = &f->accesses.at[i];
        if (c->load && c->axes & (c->axes - 1)) set |= kept & ~c->axes;
    }
    return set;
}

/* A function of two axes or more, which takes many instructions; axes that stay and that it has none of. */
typedef struct Computed {
    Group *gr;
    AxisSet kept, set;
} Computed;

static Found note_computed(const Expr *e, void *computed) {
    Computed *x = computed;
    const AxisSet free = group_free(x->gr, e);
    if (op_form(e->op) == FORM_CALL && op_rule(e->op) == RULE_FLOAT && free & (free - 1)) x->set |= x->kept & ~free;
    return e->op == OP_LOAD ? FOUND_NOT : FOUND_INSIDE;
}

AxisSet cost_form_computed(const CostForm *f) {
    Ctx *temp = ctx_temp(f->gr->graph->ctx);
    Computed x = {.gr = f->gr, .kept = kept_axes(f->gr)};
    ExprWalk w = {.temp = temp, .before = note_computed, .user = &x};
    for (int i = 0; i < f->gr->stores.n; i++) expr_walk(&w, f->gr->stores.at[i].value);
    ctx_temp_end(temp);
    return x.set;
}

double cost_form_once(const CostForm *f, int point) {
    double bytes = 0;
    for (int i = 0; i < f->accesses.n; i++) {
        const CostAccess *c = &f->accesses.at[i];
        double own = c->bytes;
        bool again = false;
        for (int k = 0; k < i; k++) again |= f->accesses.at[k].tensor == c->tensor && f->accesses.at[k].load == c->load;
        for (int a = 0; a < f->gr->axes.n && !again; a++)
            if (c->axes >> a & 1) own *= elements_along(f, point, c, a);
        if (c->whole) own = fmin(own, (double)f->elements[point][i] * c->bytes);
        if (!again) bytes += own;
    }
    return bytes;
}

/* ---- levels ---- */

static void find_levels(const CostForm *f, CostLevels *to) {
    uint64_t seen[MAX_ACCESSES] = {0};
    to->depth = 0;
    for (int i = 0; i < f->accesses.n; i++) to->again[i] = 0;
    for (int i = 0; i < f->items.n; i++) {
        const CostItem *it = &f->items.at[i];
        int level = 0;
        for (int k = 0; k < it->nreads; k++) {
            int l = to->level[f->refs.at[it->reads + k]];
            if (l > level) level = l;
        }
        for (int k = 0; k < it->nloads; k++) {
            int c = f->refs.at[it->loads + k];
            to->again[c] += !(seen[c] >> (level & 63) & 1);
            seen[c] |= (uint64_t)1 << (level & 63);
        }
        const GStep *p = i < f->gr->steps.n ? &f->gr->steps.at[i] : NULL;
        if (!p && level > to->depth) to->depth = level;
        to->level[i] = level + (p && !p->scan && p->over & to->serial ? 1 : 0);
    }
}

/* Candidates with one set come between those with another. */
void cost_form_levels(CostForm *f, AxisSet serial) {
    const int n = f->nasked < COST_LEVELS ? f->nasked : COST_LEVELS;
    for (int i = 0; i < n; i++)
        if (f->asked[i].serial == serial) {
            f->levels = &f->asked[i];
            return;
        }
    f->levels = &f->asked[f->nasked++ % COST_LEVELS];
    f->levels->serial = serial;
    find_levels(f, f->levels);
}
