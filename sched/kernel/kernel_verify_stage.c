/* Whether each stage of a part is legal where it stands: names in scope, types, layouts and loops around, collectives
 * reached by all threads, folds and scans over factors that can be folded, undefined elements kept from where they
 * would show. */
#include "kernel_verify.h"

#include "ir/expr_walk.h"

/* ---- expressions ---- */

typedef struct Leaves {
    Verify *v;
    const Stage *s;
} Leaves;

static Found check_leaf(const Expr *e, void *leaves) {
    const Leaves *x = leaves;
    Verify *v = x->v;
    bool axis = e->op != OP_VAR;
    for (int i = 0; !axis && i < v->part->axes.n; i++) axis = v->part->axes.at[i]->var == e->u.var;
    if (e->untyped || !expr_rule_holds(e))
        verify_fail_at(v, x->s, "operands of '%s' have types that do not fit", op_text(e->op));
    else if (e->op == OP_LOAD || e->op == OP_REDUCE || e->op == OP_ARG)
        verify_fail_at(v, x->s, "loads and reductions are stages, not expressions");
    else if (e->op == OP_ALIGNED)
        verify_fail_at(v, x->s, "how tensors lie is for choices to ask");
    else if (e->op == OP_VALUE && !verify_in_scope(v, e->u.value))
        verify_fail_at(v, x->s, "%s is used before it is made, or outside its loop", e->u.value->name);
    else if (e->op == OP_VALUE && e->u.value->kind == VALUE_SHARED)
        verify_fail_at(v, x->s, "%s is in shared memory: it has to be read first", e->u.value->name);
    else if (!axis)
        verify_fail_at(v, x->s, "%s is no axis of the part", e->u.var->name);
    else
        return FOUND_INSIDE;
    return FOUND;
}

static bool check_expr(Verify *v, const Stage *s, const Expr *e) {
    Leaves leaves = {v, s};
    if (expr_walk(&(ExprWalk){.temp = v->ctx, .before = check_leaf, .user = &leaves}, e)) return false;
    FactorSet d = expr_domain(v->part, s->layout, e);
    FactorSet foreign = d & ~s->layout->all,
              missing = d & layout_scope_factors(s->layout, SCOPE_LOOP) & ~verify_loops(v);
    if (foreign)
        return verify_fail_at(v, s, "it depends on %s.%s, which layout %s does not have",
                              verify_first(v, foreign)->axis->name, bind_text(verify_first(v, foreign)->bind),
                              s->layout->name);
    if (missing)
        return verify_fail_at(v, s, "it depends on axis %s, whose loop is not around it",
                              verify_first(v, missing)->axis->name);
    for (int i = 0; i < v->around.n; i++)
        if (v->around.at[i]->kind == STAGE_LAST && (d & v->around.at[i]->over))
            return verify_fail_at(v, s, "which block is the last one is chance, so nothing there may depend on %s.grid",
                                  verify_first(v, d & v->around.at[i]->over)->axis->name);
    return true;
}

static bool check_operands(Verify *v, const Stage *s) {
    if (s->cond && !check_expr(v, s, s->cond)) return false;
    if (s->cond && s->cond->type != TY_BOOL) return verify_fail_at(v, s, "its condition is not bool");
    if (s->other && !check_expr(v, s, s->other)) return false;
    for (int i = 0; s->tensor && i < s->tensor->rank; i++) {
        if (!check_expr(v, s, s->subs[i])) return false;
        if (!type_is_int(s->subs[i]->type)) return verify_fail_at(v, s, "subscript %d is no integer", i);
    }
    for (int i = 0; i < MAX_PARTS; i++)
        if (s->expr[i] && !check_expr(v, s, s->expr[i])) return false;
    return true;
}

/* ---- memory ---- */

static bool check_load(Verify *v, const Stage *s) {
    if (s->other && !s->cond) return verify_fail_at(v, s, "else without if");
    if (s->other && !verify_type(v, s, s->other, s->tensor->type)) return false;
    if (s->depth > 0 && !verify_ahead(v, s)) return false;
    verify_note(v, s, false);
    return verify_access(v, s, stage_operands(v->part, s->layout, s));
}

/* Threads that differ only in what the subscripts do not have are replicas, and the first of them stores: a condition
 * may not choose another. */
static bool check_store_cond(Verify *v, const Stage *s) {
    FactorSet d = 0, c = s->cond ? expr_domain(v->part, s->layout, s->cond) : 0;
    for (int i = 0; i < s->tensor->rank; i++) d |= expr_domain(v->part, s->layout, s->subs[i]);
    c &= ~d & (verify_tile(s->layout) | verify_bind_factors(s->layout, BIND_CLUSTER));
    if (!c) return true;
    return verify_fail_at(v, s, "its condition depends on %s.%s, and its subscripts do not",
                          verify_first(v, c)->axis->name, bind_text(verify_first(v, c)->bind));
}

static bool check_store(Verify *v, const Stage *s) {
    if (s->tensor->kind == TENSOR_INPUT) return verify_fail_at(v, s, "an input is not written");
    if (!verify_type(v, s, s->expr[0], s->tensor->type)) return false;
    FactorSet domain = s->cond ? expr_domain(v->part, s->layout, s->cond) : 0;
    for (int i = 0; i < s->tensor->rank; i++) domain |= expr_domain(v->part, s->layout, s->subs[i]);
    if (s->kind == STAGE_ATOMIC)
        domain = stage_operands(v->part, s->layout, s);
    else if (!check_store_cond(v, s))
        return false;
    verify_note(v, s, true);
    if (!verify_store_once(v, s) || !verify_access(v, s, domain)) return false;
    if (s->meet && s->path == PATH_BULK) return verify_fail_at(v, s, "threads meet at a bulk store anyway");
    if (s->meet && !verify_collective(v, s, false)) return false;
    if (s->meet) vec_push(v->ctx, &v->meetings, v->writes.at[v->writes.n - 1]);
    if (s->path != PATH_BULK) return true;
    if (s->cond) return verify_fail_at(v, s, "a bulk store has no condition");
    const bool loop = verify_loops(v) != 0; /* then two tiles take turns */
    verify_add_tiles(v, s->tensor->type, verify_product(s->layout, domain & verify_tile(s->layout)), loop ? 2 : 1);
    return verify_by_warps(v, s) && verify_collective(v, s, false) && verify_tile_axes(v, s, s->layout, domain) &&
           verify_rows(v, s);
}

static bool check_atomic(Verify *v, const Stage *s) {
    MonoidKind m = s->monoid->kind;
    Type t = s->tensor->type;
    if (!monoid_atomic(m)) return verify_fail_at(v, s, "an atomic is sum, max or min");
    if (!type_is_compute(t)) return verify_fail_at(v, s, "no atomics on %s", type_name(t));
    if (!monoid_updates(m, t, &v->g->options))
        return verify_fail_at(v, s, "a float sum by atomics depends on their order: option atomics = fast allows it");
    return check_store(v, s);
}

/* ---- folds ---- */

static bool check_monoid(Verify *v, const Stage *s) {
    const Monoid *m = s->monoid;
    if (s->nout != m->n) return verify_fail_at(v, s, "monoid %s has %d results", m->name, m->n);
    for (int i = 0; i < m->n; i++) {
        if (s->expr[i]->type != m->type[i])
            return verify_fail_at(v, s, "operand %d is %s, where monoid %s has %s", i, type_name(s->expr[i]->type),
                                  m->name, type_name(m->type[i]));
        if (type_acc(m->type[i]) != m->type[i] && m->type[i] != TY_BOOL)
            return verify_fail_at(v, s, "%s has no arithmetic: it wants a cast", type_name(m->type[i]));
        if (!monoid_declared(m) && !monoid_folds(m->kind, m->type[0]))
            return verify_fail_at(v, s, "monoid %s does not fold %s", m->name, type_name(m->type[0]));
        if (s->out[i]->type != m->type[i]) return verify_fail_at(v, s, "result %d has not the monoid's type", i);
    }
    if (m->indexed && s->expr[1]->type != TY_I64) return verify_fail_at(v, s, "an index is i64");
    return true;
}

/* The cells of an exchange for every part of a state; in a loop there are two copies. */
static void add_cells(Verify *v, const Monoid *m, int64_t cells) {
    for (int i = 0; i < m->n; i++) {
        int64_t bytes;
        if (!mul_ok(cells, cell_bytes(m->type[i]) * (v->around.n ? 2 : 1), &bytes)) bytes = INT64_MAX;
        verify_add_shared(v, bytes);
    }
}

/* What lies inside a warp is exchanged by shuffles, in which all 32 threads take part. */
static bool check_warps(Verify *v, const Stage *s, FactorSet over) {
    for (int i = 0; i < s->layout->factors.n; i++) {
        const Factor *f = s->layout->factors.at[i];
        if ((over >> f->id & 1) && bind_scope(f->bind) == SCOPE_THREAD && f->size > 1 &&
            digit_in_warp(f->tid_stride, f->size) && v->k->threads % 32)
            return verify_fail_at(v, s, "it crosses threads of a warp, and %d threads are no whole warps",
                                  v->k->threads);
    }
    return true;
}

/* Threads exchange in any order; registers are folded as their factors stand, and so along one axis alone. */
static bool check_ordered(Verify *v, const Stage *s, FactorSet threads) {
    const Axis *axis = NULL;
    if (!s->monoid->ordered) return true;
    for (int i = 0; i < s->layout->factors.n; i++) {
        const Factor *f = s->layout->factors.at[i];
        if (!(s->over >> f->id & 1) || f->size == 1) continue;
        if (threads >> f->id & 1)
            return verify_fail_at(v, s, "monoid %s is ordered, and threads fold in any order", s->monoid->name);
        if (axis && axis != f->axis)
            return verify_fail_at(v, s, "monoid %s is ordered, and two axes have no order", s->monoid->name);
        axis = f->axis;
    }
    return true;
}

static bool check_reduce(Verify *v, const Stage *s) {
    const Layout *l = s->layout;
    FactorSet d = stage_operands(v->part, l, s), threads = layout_scope_factors(l, SCOPE_THREAD),
              cluster = verify_bind_factors(l, BIND_CLUSTER);
    if (!check_monoid(v, s)) return false;
    if (s->over & layout_scope_factors(l, SCOPE_LOOP))
        return verify_fail_at(v, s, "a loop is folded by a var that it carries, not by reduce");
    if (s->over & verify_bind_factors(l, BIND_GRID))
        return verify_fail_at(v, s,
                              "blocks of a grid cannot fold: store the partial results and reduce them in the last "
                              "block or another kernel");
    if (!s->over || (s->over & ~d))
        return verify_fail_at(v, s, "it folds over factors on which its operand does not depend");
    if (!check_ordered(v, s, threads | cluster)) return false;
    if ((s->over & (threads | cluster)) && !verify_collective(v, s, (s->over & cluster) != 0)) return false;
    if (!check_warps(v, s, s->over)) return false;
    uint64_t guarded = verify_guarded(v, l, d);
    for (int i = 0; i < s->monoid->n; i++)
        if (!verify_defined(v, s, s->expr[i], guarded)) return false;
    if (!verify_defined(v, s, s->cond, guarded)) return false;
    FactorSet results = s->out[0]->domain & verify_tile(l), warps = verify_across_warps(l, s->over);
    int64_t cells; /* with one more for each result, so that lanes use all banks (lower_cells.c) */
    if (!mul_ok(verify_product(l, results), verify_product(l, warps) | 1, &cells)) cells = INT64_MAX;
    if (warps) add_cells(v, s->monoid, cells);
    if (verify_product(l, warps) > MAX_FOLDED_BY_ALL) add_cells(v, s->monoid, verify_product(l, results));
    if (s->over & cluster) add_cells(v, s->monoid, verify_product(l, results | (s->over & cluster)));
    return true;
}

/* Outer to inner: warps and registers, then neighbouring lanes, then registers. */
static bool check_scan_order(Verify *v, const Stage *s) {
    int level = 0, low = 0;
    for (int i = 0; i < s->layout->factors.n; i++) {
        const Factor *f = s->layout->factors.at[i];
        BindScope scope = bind_scope(f->bind);
        if (f->axis != s->axis || f->size == 1 || scope == SCOPE_LOOP) continue;
        if (f->bind == BIND_GRID) continue; /* each block's share has prefixes of its own */
        if (scope == SCOPE_BLOCK)
            return verify_fail_at(v, s, "a scan does not cross blocks: axis %s has a %s factor", f->axis->name,
                                  bind_text(f->bind));
        bool lane = scope == SCOPE_THREAD && digit_in_warp(f->tid_stride, f->size);
        if (lane && level == 1 && f->tid_stride * f->size != low)
            return verify_fail_at(v, s, "the lane factors of a scanned axis stand next to each other");
        if (lane ? level == 2 : level >= 1 && scope == SCOPE_THREAD)
            return verify_fail_at(v, s,
                                  "along a scanned axis, warps stand outside lanes and lanes outside their registers");
        if (lane) low = f->tid_stride;
        level = lane ? 1 : level >= 1 ? 2 : 0;
    }
    return true;
}

static bool check_assign(Verify *v, const Stage *s, const Value *x, FactorSet domain, uint64_t outside);

static bool check_scan(Verify *v, const Stage *s) {
    const Layout *l = s->layout;
    FactorSet blocks = layout_scope_factors(l, SCOPE_BLOCK), own = layout_axis_factors(l, s->axis) & ~blocks,
              loops = layout_scope_factors(l, SCOPE_LOOP), threads = layout_scope_factors(l, SCOPE_THREAD),
              d = stage_operands(v->part, l, s);
    if (!check_monoid(v, s) || !check_scan_order(v, s) || !check_warps(v, s, own) || !verify_collective(v, s, false))
        return false;
    if (own & ~d) return verify_fail_at(v, s, "its operand does not depend on all of axis %s", s->axis->name);
    if ((own & loops) && !s->carry[0])
        return verify_fail_at(v, s, "axis %s has a loop, so the scan needs a carry", s->axis->name);
    if (!(own & loops) && s->carry[0])
        return verify_fail_at(v, s, "axis %s has no loop to carry anything along", s->axis->name);
    if ((own & loops) && s->reverse)
        return verify_fail_at(v, s, "a loop goes forwards, so a reverse scan has its axis in one tile");
    uint64_t guarded = verify_guarded(v, l, d);
    for (int i = 0; i < s->monoid->n; i++) {
        if (!verify_defined(v, s, s->expr[i], guarded)) return false;
        const Value *c = s->carry[i];
        if (!s->carry[0]) continue;
        if (!c || c->kind != VALUE_VAR || !verify_in_scope(v, c))
            return verify_fail_at(v, s, "a carry is a var for each part, made before");
        if (c->type != s->monoid->type[i]) return verify_fail_at(v, s, "carry %s is not of the monoid's type", c->name);
        if (verify_in_scope(v, c)->loops & own)
            return verify_fail_at(v, s, "carry %s is made anew in each iteration", c->name);
        if (c->domain & own)
            return verify_fail_at(v, s, "carry %s differs along the axis it is carried along", c->name);
        if (!check_assign(v, s, c, d & ~own, verify_outside(v, s->expr[i]) & ~((uint64_t)1 << s->axis->id)))
            return false;
    }
    FactorSet warps = verify_across_warps(l, own), lanes = own & threads & ~warps;
    if (warps) add_cells(v, s->monoid, verify_product(l, s->out[0]->domain & verify_tile(l) & ~lanes));
    return verify_defined(v, s, s->cond, guarded);
}

/* ---- variables ---- */

/* `domain` and `outside` are those of what x is assigned. */
static bool check_assign(Verify *v, const Stage *s, const Value *x, FactorSet domain, uint64_t outside) {
    const Layout *l = s->layout;
    FactorSet more = domain & verify_tile(l) & ~x->domain, loops = layout_scope_factors(l, SCOPE_LOOP);
    const ScopeRow *row = verify_in_scope(v, x);
    if (more)
        return verify_fail_at(v, s, "what it is assigned depends on %s.%s, and %s does not",
                              verify_first(v, more)->axis->name, bind_text(verify_first(v, more)->bind), x->name);
    for (int i = 0; i < v->part->axes.n; i++) {
        const Axis *a = v->part->axes.at[i];
        FactorSet own = layout_axis_factors(l, a);
        if (!(outside >> i & 1)) continue;
        bool kept = !(layout_tile_factors(l, a) & ~x->domain) && (!(own & loops) || (row && (row->loops & own)));
        if (!kept)
            return verify_fail_at(v, s, "what it is assigned is undefined outside axis %s, which %s does not have",
                                  a->name, x->name);
    }
    return true;
}

static bool check_var(Verify *v, const Stage *s) {
    const Value *x = s->out[0];
    if (!verify_type(v, s, s->expr[0], x->type)) return false;
    return check_assign(v, s, x, expr_domain(v->part, s->layout, s->expr[0]), verify_outside(v, s->expr[0]));
}

static bool check_set(Verify *v, const Stage *s) {
    const Value *x = s->out[0];
    if (x->kind != VALUE_VAR) return verify_fail_at(v, s, "%s is not a var", x->name);
    if (!verify_in_scope(v, x))
        return verify_fail_at(v, s, "%s is assigned outside the stages that it was made in", x->name);
    if (!verify_type(v, s, s->expr[0], x->type)) return false;
    return check_assign(v, s, x, expr_domain(v->part, s->layout, s->expr[0]), verify_outside(v, s->expr[0]));
}

/* ---- nested stages ---- */

static bool check_for(Verify *v, const Stage *s) {
    const Layout *l = s->layout;
    FactorSet loop = layout_axis_factors(l, s->axis) & layout_scope_factors(l, SCOPE_LOOP);
    if (!loop) return verify_fail_at(v, s, "axis %s has no serial factor", s->axis->name);
    if (loop & verify_loops(v)) return verify_fail_at(v, s, "the loop of axis %s is around it already", s->axis->name);
    if (!check_expr(v, s, s->axis->lo) || !check_expr(v, s, s->axis->hi)) return false;
    return verify_defined(v, s, s->axis->lo, 0) && verify_defined(v, s, s->axis->hi, 0);
}

static bool check_if(Verify *v, const Stage *s) {
    FactorSet d = expr_domain(v->part, s->layout, s->cond) & verify_tile(s->layout);
    if (d)
        return verify_fail_at(v, s, "its condition depends on %s.%s: it must be the same for the whole block",
                              verify_first(v, d)->axis->name, bind_text(verify_first(v, d)->bind));
    return verify_defined(v, s, s->cond, 0);
}

static bool check_last(Verify *v, const Stage *s) {
    const Layout *l = v->part->layouts.at[0];
    const Tensor *t = s->counter;
    bool zeroed = false;
    for (int i = 0; i < v->p->zeroed.n; i++) zeroed |= v->p->zeroed.at[i] == t;
    if (v->around.n)
        return verify_fail_at(v, s, "it stands inside a %s", stage_text(v->around.at[v->around.n - 1]->kind));
    if (!s->over || (s->over & ~verify_bind_factors(l, BIND_GRID)))
        return verify_fail_at(v, s, "it names grid factors");
    if (t->type != TY_I32 || t->kind != TENSOR_LET || !zeroed)
        return verify_fail_at(v, s, "the counter %s is no zeroed i32 temporary", t->name);
    for (int i = 0; i < v->counters.n; i++)
        if (v->counters.at[i] == t) return verify_fail_at(v, s, "the counter %s is in use already", t->name);
    vec_push(v->ctx, &v->counters, t);
    Poly size = poly_const(v->ctx, 1), need = size;
    for (int i = 0; i < t->rank; i++) size = poly_mul(v->ctx, size, poly_of(&v->env, t->shape[i]));
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if (bind_scope(f->bind) == SCOPE_BLOCK && !(s->over >> f->id & 1))
            need = poly_mul(v->ctx, need, poly_of(&v->env, f->count));
    }
    if (!poly_nonneg(&v->env, poly_sub(v->ctx, size, need)))
        return verify_fail_at(v, s, "the counter %s has fewer elements than there are groups of blocks", t->name);
    return verify_collective(v, s, false);
}

/* ---- */

static bool check_kind(Verify *v, const Stage *s) {
    switch (s->kind) {
    case STAGE_LOAD: return check_load(v, s);
    case STAGE_COPY: return verify_copy(v, s);
    case STAGE_SHARE: return verify_share(v, s);
    case STAGE_READ: return verify_read(v, s);
    case STAGE_BINS: return verify_bins(v, s);
    case STAGE_SCATTER: return verify_scatter(v, s);
    case STAGE_MAP: return true;
    case STAGE_VAR: return check_var(v, s);
    case STAGE_SET: return check_set(v, s);
    case STAGE_REDUCE: return check_reduce(v, s);
    case STAGE_SCAN: return check_scan(v, s);
    case STAGE_STORE: return check_store(v, s);
    case STAGE_ATOMIC: return check_atomic(v, s);
    case STAGE_FOR: return check_for(v, s);
    case STAGE_IF: return check_if(v, s);
    case STAGE_LAST: return check_last(v, s);
    case STAGE_COUNT: break;
    }
    return verify_fail(v, "a stage of no kind");
}

static bool check_results(Verify *v, const Stage *s) {
    for (int i = 0; i < s->nout; i++) {
        const Value *x = s->out[i];
        FactorSet regs = x->domain & layout_scope_factors(s->layout, SCOPE_REG);
        if (x->kind != VALUE_SHARED && verify_product(s->layout, regs) > MAX_REGISTERS)
            return verify_fail_at(v, s, "%lld elements a thread, where %d are the most",
                                  (long long)verify_product(s->layout, regs), MAX_REGISTERS);
    }
    return true;
}

static void push_scope(Verify *v, Value *x) {
    ScopeRow row = {x, v->around.n, verify_loops(v)};
    vec_push(v->ctx, &v->scope, row);
}

bool verify_body(Verify *v, Stage *const *at, int n) {
    for (int i = 0; i < n; i++) {
        const Stage *s = at[i];
        v->order++;
        if (!check_operands(v, s) || !check_kind(v, s) || !check_results(v, s)) return false;
        int mark = v->scope.n;
        vec_push(v->ctx, &v->around, s);
        bool ok = verify_body(v, s->body.at, s->body.n);
        v->around.n--;
        if (!ok) return false;
        v->scope.n = mark;
        for (int o = 0; o < s->nout && s->kind != STAGE_SET; o++) push_scope(v, s->out[o]);
        for (int k = 0; k < s->body.n; k++)
            if (s->body.at[k]->held) push_scope(v, s->body.at[k]->out[0]);
    }
    return true;
}
