/* What the rules of the verifier ask: of factors and layouts, of a stage and what stands around it; and how they say
 * that one is broken. */
#include "kernel_verify.h"

#include "ir/expr_is.h"
#include "ir/expr_walk.h"

bool verify_fail(Verify *v, const char *fmt, ...) {
    if (!v->why || v->why->n) return false;
    if (v->k) text_fmt(v->why, "kernel %s: ", v->k->name);
    if (v->part && v->part->name) text_fmt(v->why, "part %s: ", v->part->name);
    va_list ap;
    va_start(ap, fmt);
    text_vfmt(v->why, fmt, ap);
    va_end(ap);
    return false;
}

bool verify_fail_at(Verify *v, const Stage *s, const char *fmt, ...) {
    Text t = {.ctx = v->ctx};
    va_list ap;
    va_start(ap, fmt);
    text_vfmt(&t, fmt, ap);
    va_end(ap);
    const char *name = s->nout ? s->out[0]->name : s->tensor ? s->tensor->name : s->axis ? s->axis->name : "";
    return verify_fail(v, "%s%s%s: %s", stage_text(s->kind), *name ? " " : "", name, t.s ? t.s : "");
}

/* ---- factors ---- */

FactorSet verify_bind_factors(const Layout *l, Bind bind) {
    FactorSet set = 0;
    for (int i = 0; i < l->factors.n; i++)
        if (l->factors.at[i]->bind == bind) set |= (FactorSet)1 << l->factors.at[i]->id;
    return set;
}

FactorSet verify_tile(const Layout *l) {
    return layout_scope_factors(l, SCOPE_THREAD) | layout_scope_factors(l, SCOPE_REG);
}

int64_t verify_product(const Layout *l, FactorSet set) {
    int64_t n = 1;
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if (f->size && (set >> f->id & 1) && !mul_ok(n, f->size, &n)) return INT64_MAX;
    }
    return n;
}

Poly verify_extent(Verify *v, const Axis *a) {
    return poly_sub(v->ctx, poly_of(&v->env, a->hi), poly_of(&v->env, a->lo));
}

/* A loop ends at the bound, so only what is inside an iteration can lie outside; without a loop all blocks can, too. */
static bool has_tail(Verify *v, const Layout *l, const Axis *a) {
    FactorSet own = layout_axis_factors(l, a), loops = layout_scope_factors(l, SCOPE_LOOP);
    if (a->peel) return true;
    const bool looped = own & loops;
    if (looped) own &= ~(loops | verify_bind_factors(l, BIND_GRID));
    int64_t unit = verify_product(l, own);
    bool open = looped; /* where the axis is empty, there are no iterations, or no blocks */
    for (int i = 0; i < l->factors.n; i++) open |= l->factors.at[i]->axis == a && !l->factors.at[i]->size;
    if (open && unit == 1) return false;
    Poly extent = verify_extent(v, a);
    if (!open && (extent.failed || !poly_nonneg(&v->env, poly_sub(v->ctx, extent, poly_const(v->ctx, 1))))) return true;
    return unit != 1 && (extent.failed || poly_divisor(extent) % unit != 0);
}

bool verify_has_tail(Verify *v, const Layout *l, const Axis *a) {
    const uint64_t bit = (uint64_t)1 << a->id;
    if (v->tail.of != l) v->tail.known = v->tail.is = 0;
    v->tail.of = l;
    if (!(v->tail.known & bit) && has_tail(v, l, a)) v->tail.is |= bit;
    v->tail.known |= bit;
    return v->tail.is & bit;
}

/* ---- stages ---- */

const ScopeRow *verify_in_scope(const Verify *v, const Value *x) {
    for (int i = v->scope.n; i-- > 0;)
        if (v->scope.at[i].value == x) return &v->scope.at[i];
    return NULL;
}

const Factor *verify_first(const Verify *v, FactorSet set) {
    for (int i = 0; i < v->part->factors.n; i++)
        if (set >> v->part->factors.at[i]->id & 1) return v->part->factors.at[i];
    return NULL;
}

bool verify_type(Verify *v, const Stage *s, const Expr *e, Type t) {
    if (e->type == t || (t != TY_BOOL && e->type == type_acc(t))) return true;
    return verify_fail_at(v, s, "an expression of type %s where %s is stored: it wants a cast", type_name(e->type),
                          type_name(t));
}

/* All threads of the block (of the cluster, too) must come here together. */
bool verify_collective(Verify *v, const Stage *s, bool cluster) {
    for (int i = 0; i < v->around.n; i++) {
        const Stage *a = v->around.at[i];
        const Layout *l = v->part->layouts.at[0];
        FactorSet same = verify_tile(l), d = 0;
        for (int k = 1; k < v->part->layouts.n; k++) same |= verify_tile(v->part->layouts.at[k]);
        if (cluster) same |= verify_bind_factors(l, BIND_CLUSTER);
        if (a->kind == STAGE_FOR) d = expr_domain(v->part, l, a->axis->lo) | expr_domain(v->part, l, a->axis->hi);
        if (a->kind == STAGE_FOR && cluster)
            d |= layout_axis_factors(l, a->axis) & verify_bind_factors(l, BIND_CLUSTER);
        if (a->kind == STAGE_IF) d = expr_domain(v->part, l, a->cond);
        if (d & same)
            return verify_fail_at(v, s, "the %s around it is not the same for all threads that meet here",
                                  stage_text(a->kind));
        if (a->kind == STAGE_LAST && cluster) return verify_fail_at(v, s, "only some blocks of a cluster come to it");
    }
    return true;
}

static Found is_made_inside(const Expr *e, const void *verify) {
    const Verify *v = verify;
    if (e->op != OP_VALUE) return FOUND_INSIDE;
    const ScopeRow *row = verify_in_scope(v, e->u.value);
    return !row || row->depth >= v->around.n || e->u.value->kind == VALUE_VAR ? FOUND : FOUND_INSIDE;
}

/* What runs ahead of its loop is evaluated before the iteration, so it reads nothing that the iteration makes. */
static bool check_ahead(Verify *v, const Stage *s, const Expr *e) {
    const Expr *inner = e ? expr_has(e, is_made_inside, v) : NULL;
    return !inner || verify_fail_at(v, s, "it runs ahead of the loop, but reads %s, which an iteration makes",
                                    inner->u.value->name);
}

bool verify_ahead(Verify *v, const Stage *s) {
    if (v->around.n == 0 || v->around.at[v->around.n - 1]->kind != STAGE_FOR)
        return verify_fail_at(v, s, "it stands in no loop to run ahead of");
    for (int i = 0; i < s->tensor->rank; i++)
        if (!check_ahead(v, s, s->subs[i])) return false;
    return check_ahead(v, s, s->cond) && check_ahead(v, s, s->other);
}

/* Undefined elements must be ones that the stage does not touch. */
bool verify_defined(Verify *v, const Stage *s, const Expr *e, uint64_t guarded) {
    uint64_t bad = verify_outside(v, e) & ~guarded;
    for (int i = 0; i < v->part->axes.n; i++)
        if (bad >> i & 1)
            return verify_fail_at(v, s, "it uses elements that are undefined outside axis %s",
                                  v->part->axes.at[i]->name);
    return true;
}

bool verify_access(Verify *v, const Stage *s, FactorSet domain) {
    uint64_t guarded = verify_guarded(v, s->layout, domain);
    for (int i = 0; i < s->tensor->rank; i++)
        if (!verify_defined(v, s, s->subs[i], guarded)) return false;
    return verify_defined(v, s, s->cond, guarded) && verify_defined(v, s, s->other, guarded) &&
           verify_defined(v, s, s->expr[0], guarded);
}

void verify_note(Verify *v, const Stage *s, bool write) {
    WriteRow row = {v->part, s, v->order, -1, v->around.n ? v->around.at[v->around.n - 1] : NULL};
    for (int i = 0; i < v->around.n; i++)
        if (v->around.at[i]->kind == STAGE_LAST) row.last = v->order;
    if (write)
        vec_push(v->ctx, &v->writes, row);
    else
        vec_push(v->ctx, &v->reads, row);
}

/* The thread factors of a set that lie across warps: what is exchanged over them goes through shared memory. */
FactorSet verify_across_warps(const Layout *l, FactorSet set) {
    FactorSet across = 0;
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if ((set >> f->id & 1) && bind_scope(f->bind) == SCOPE_THREAD && f->size > 1 &&
            !digit_in_warp(f->tid_stride, f->size))
            across |= (FactorSet)1 << f->id;
    }
    return across;
}
