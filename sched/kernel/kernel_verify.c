/* Whether kernels are legal, each by itself: names, tensors, conditions, axes, layouts and limits of the machine. It
 * decides on the text alone and says the first rule broken. Stages are kernel_verify_stage.c's, what holds across
 * kernels kernel_verify_program.c's. */
#include "kernel_verify.h"

#include "ir/expr_is.h"
#include "ir/expr_walk.h"

/* ---- names and declarations ---- */

static Found is_unknown_dim(const Expr *e, const void *graph) {
    const Graph *g = graph;
    for (int i = 0; e->op == OP_DIM && i < g->dims.n; i++)
        if (g->dims.at[i] == e->u.dim) return FOUND_NOT;
    return e->op == OP_DIM ? FOUND : FOUND_INSIDE;
}

static bool of_call(const Graph *g, const Expr *e) { return expr_over_dims(e) && !expr_has(e, is_unknown_dim, g); }
static bool known_dims(const Graph *g, const Expr *e) { return of_call(g, e) && !expr_has_op(e, OP_ALIGNED); }
bool verify_is_condition(const Verify *v, const Expr *e) { return e->type == TY_BOOL && known_dims(v->g, e); }
bool verify_is_choice(const Verify *v, const Expr *e) { return e->type == TY_BOOL && of_call(v->g, e); }

static bool verify_tensor(Verify *v, const Tensor *t) {
    if (t->rank < 0 || t->rank > MAX_RANK) return verify_fail(v, "tensor %s: rank %d", t->name, t->rank);
    for (int i = 0; i < t->rank; i++)
        if (t->shape[i]->type != TY_I64 || !known_dims(v->g, t->shape[i]))
            return verify_fail(v, "tensor %s: dimension %d is no expression of dimensions", t->name, i);
    return true;
}

/* Whether `name` is in the set already; puts it there. */
static bool twice(Verify *v, ExprMap *names, Sym name) {
    bool known = expr_map_get(names, name) != NULL;
    if (!known) expr_map_put(v->ctx, names, name, name);
    return known;
}

bool verify_header(Verify *v) {
    const Program *p = v->p;
    ExprMap tensors = {0}, sizes = {0}, kernels = {0};
    for (int i = 0; i < p->params.n + p->temps.n; i++) {
        const Tensor *t = i < p->params.n ? p->params.at[i] : p->temps.at[i - p->params.n];
        if (twice(v, &tensors, t->name)) return verify_fail(v, "tensor %s is declared twice", t->name);
        if (!verify_tensor(v, t)) return false;
    }
    for (int i = 0; i < v->g->dims.n + v->g->scalars.n; i++) {
        Sym name = i < v->g->dims.n ? v->g->dims.at[i]->name : v->g->scalars.at[i - v->g->dims.n]->name;
        if (twice(v, &sizes, name)) return verify_fail(v, "%s is declared twice", name);
    }
    Text why = {.ctx = v->ctx};
    for (int i = 0; i < v->g->monoids.n; i++)
        if (!monoid_verify(v->g->monoids.at[i], &why)) return verify_fail(v, "%s", why.s);
    for (int i = 0; i < p->kernels.n; i++)
        if (twice(v, &kernels, p->kernels.at[i]->name))
            return verify_fail(v, "kernel %s is declared twice", p->kernels.at[i]->name);
    for (int i = 0; i < p->sorts.n; i++)
        if (twice(v, &kernels, p->sorts.at[i]->name))
            return verify_fail(v, "the name of sort %s stands twice", p->sorts.at[i]->name);
    return true;
}

static bool verify_part_names(Verify *v) {
    const Part *part = v->part;
    ExprMap names = {0}, layouts = {0};
    for (int i = 0; i < v->g->dims.n; i++) (void)twice(v, &names, v->g->dims.at[i]->name);
    for (int i = 0; i < v->g->scalars.n; i++) (void)twice(v, &names, v->g->scalars.at[i]->name);
    for (int i = 0; i < part->axes.n + part->values.n; i++) {
        Sym name = i < part->axes.n ? part->axes.at[i]->name : part->values.at[i - part->axes.n]->name;
        if (twice(v, &names, name)) return verify_fail(v, "name %s is used twice", name);
    }
    for (int i = 0; i < part->layouts.n; i++)
        if (twice(v, &layouts, part->layouts.at[i]->name))
            return verify_fail(v, "layout %s is declared twice", part->layouts.at[i]->name);
    return true;
}

/* ---- axes and layouts ---- */

typedef struct Bounding {
    const Part *part;
    const Axis *axis;
} Bounding;

static Found is_no_bound(const Expr *e, const void *bounding) {
    const Bounding *x = bounding;
    if (e->op == OP_FACTOR || e->op == OP_LOAD || e->op == OP_REDUCE || e->op == OP_ARG || e->op == OP_SCALAR ||
        e->op == OP_ALIGNED)
        return FOUND;
    for (int i = 0; e->op == OP_VAR && i < x->axis->id; i++)
        if (x->part->axes.at[i]->var == e->u.var) return FOUND_NOT;
    return e->op == OP_VAR ? FOUND : FOUND_INSIDE;
}

/* A bound reads dimensions, outer axes and values. */
static bool verify_bound(Verify *v, const Axis *a, const Expr *e) {
    const Expr *wrong = expr_has(e, is_no_bound, &(const Bounding){v->part, a});
    if (!wrong) return true;
    if (wrong->op == OP_VAR)
        return verify_fail(v, "axis %s: a bound reads an axis that does not stand before it", a->name);
    return verify_fail(v, "axis %s: a bound reads something other than dimensions, outer axes and values", a->name);
}

static const Stage *find_use(const Tensor *t, const Axis *a, Stage *const *at, int n) {
    for (int i = 0; i < n; i++) {
        const Expr *last = at[i]->tensor == t && t->rank ? at[i]->subs[t->rank - 1] : NULL;
        if (last && last->op == OP_VAR && last->u.var == a->var) return at[i];
        const Stage *s = find_use(t, a, at[i]->body.at, at[i]->body.n);
        if (s) return s;
    }
    return NULL;
}

static bool verify_axis(Verify *v, const Axis *a) {
    if (!a->lo || !a->hi) return verify_fail(v, "axis %s has no bounds", a->name);
    if (a->lo->type != TY_I64 || a->hi->type != TY_I64)
        return verify_fail(v, "axis %s: a bound is no index integer", a->name);
    if (!verify_bound(v, a, a->lo) || !verify_bound(v, a, a->hi)) return false;
    for (int i = 0; i < v->part->factors.n; i++) {
        const Factor *f = v->part->factors.at[i];
        if ((a->row >> f->id & 1) && bind_scope(f->bind) == SCOPE_REG)
            return verify_fail(
                v, "axis %s: where it starts or ends depends on %s.%s, and would differ from register to register",
                a->name, f->axis->name, bind_text(f->bind));
    }
    if (a->peel && type_bits(a->peel->type) < 8)
        return verify_fail(v, "axis %s: elements of %s are no bytes to peel by", a->name, type_name(a->peel->type));
    if (a->peel && !find_use(a->peel, a, v->part->body.at, v->part->body.n))
        return verify_fail(v, "axis %s: no access of %s has it as its last subscript, so there is nothing to peel by",
                           a->name, a->peel->name);
    return true;
}

static bool verify_axis_factors(Verify *v, const Layout *l, const Axis *a) {
    int64_t product = 1;
    bool open = false, tile = false, serial = false;
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if (f->axis != a) continue;
        BindScope scope = bind_scope(f->bind);
        if (f->bind == BIND_MMA) return verify_fail(v, "axis %s: mma has no lowering yet", a->name);
        if (tile && (f->size == 0 || f->bind == BIND_SERIAL))
            return verify_fail(v, "axis %s: its %s factor stands inside a thread or register factor", a->name,
                               bind_text(f->bind));
        if (f->bind == BIND_SERIAL && serial) return verify_fail(v, "axis %s has two serial factors", a->name);
        serial |= f->bind == BIND_SERIAL;
        tile |= scope == SCOPE_THREAD || scope == SCOPE_REG;
        open |= f->size == 0;
        if (!mul_ok(product, f->size ? f->size : 1, &product))
            return verify_fail(v, "axis %s: its factors overflow", a->name);
    }
    if (open) return true;
    Poly room = poly_sub(v->ctx, poly_const(v->ctx, product - axis_slack(a)), verify_extent(v, a));
    if (!poly_nonneg(&v->env, room))
        return verify_fail(v, "layout %s: the factors of axis %s hold %lld elements%s, which does not cover it",
                           l->name, a->name, (long long)product, a->peel ? " (some may be lost to its peel)" : "");
    return true;
}

static bool verify_layouts(Verify *v) {
    Part *part = v->part;
    for (int i = 0; i < part->layouts.n; i++) {
        const Layout *l = part->layouts.at[i];
        for (int j = 0; j < part->axes.n; j++)
            if (!verify_axis_factors(v, l, part->axes.at[j])) return false;
    }
    return true;
}

/* ---- kernels ---- */

static bool verify_part(Verify *v) {
    Part *part = v->part;
    v->scope.n = v->around.n = 0;
    v->outside = NEW_N(v->ctx, uint64_t, part->values.n + 1);
    v->order = 0;
    v->shared = 0;
    if (!verify_part_names(v)) return false;
    for (int i = 0; i < part->axes.n; i++)
        if (!verify_axis(v, part->axes.at[i])) return false;
    if (!verify_layouts(v)) return false;
    verify_find_outside(v);
    if (!verify_body(v, part->body.at, part->body.n)) return false;
    if (v->shared > MAX_SHARED)
        return verify_fail(v, "about %lld bytes of shared memory, where a block has %d", (long long)v->shared,
                           MAX_SHARED);
    if (v->shared > v->k->shared_bytes) v->k->shared_bytes = v->shared;
    return true;
}

static bool verify_limits(Verify *v) {
    const Kernel *k = v->k;
    if (k->threads > MAX_THREADS)
        return verify_fail(v, "%d threads, where a block has at most %d", k->threads, MAX_THREADS);
    if (k->cluster > MAX_CLUSTER || (k->cluster & (k->cluster - 1)))
        return verify_fail(v, "a cluster of %d blocks: it must be a power of two up to %d", k->cluster, MAX_CLUSTER);
    if (k->blocks_per_sm < 0 || k->blocks_per_sm > TARGET_MOST_SM_BLOCKS ||
        k->blocks_per_sm * k->threads > TARGET_MOST_SM_THREADS)
        return verify_fail(v, "%d blocks of %d threads do not fit together", k->blocks_per_sm, k->threads);
    for (int i = 0; i < k->where.n; i++)
        if (!verify_is_condition(v, k->where.at[i]))
            return verify_fail(v, "a condition is not a bool expression of dimensions");
    return true;
}

/* Bounds of what a factor's index can be, for the polynomials. */
static bool leaf_range(void *user, const Expr *atom, const Expr **lo, const Expr **hi) {
    Verify *v = user;
    if (atom->op != OP_FACTOR || !atom->u.factor->count) return false;
    *lo = expr_int(v->g, TY_I64, 0);
    *hi = expr2(v->g, OP_SUB, atom->u.factor->count, expr_int(v->g, TY_I64, 1));
    return true;
}

bool verify_kernel(Verify *v) {
    Text why = {.ctx = v->ctx};
    if (!kernel_finish(v->p, v->k, &why)) return verify_fail(v, "%s", why.s ? why.s : "");
    v->facts.n = v->writes.n = v->reads.n = v->counters.n = 0;
    for (int i = 0; i < v->k->where.n; i++) vec_push(v->ctx, &v->facts, v->k->where.at[i]);
    v->env =
        (PolyEnv){.g = v->g, .range = leaf_range, .user = v, .facts = v->facts.at, .nfacts = v->facts.n, .ctx = v->ctx};
    if (!verify_limits(v)) return false;
    for (int i = 0; i < v->k->parts.n; i++) {
        v->part = v->k->parts.at[i];
        if (!verify_part(v)) return false;
    }
    bool ok = verify_conflicts(v);
    v->part = NULL;
    return ok;
}

bool kernel_verify(Program *p, Kernel *k, Text *why) {
    Ctx *temp = ctx_temp(p->ctx);
    Verify *v = NEW(temp, Verify);
    *v = (Verify){.p = p, .g = p->graph, .k = k, .ctx = temp, .why = why};
    const bool ok = verify_kernel(v);
    ctx_temp_end(temp);
    return ok;
}
