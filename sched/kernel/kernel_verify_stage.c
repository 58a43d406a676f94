/* Whether each stage of a part is legal where it stands: names in scope, types, layouts and loops around, collectives
 * reached by all threads, folds and scans over factors that can be folded, undefined elements kept from where they
 * would show. */
#include "kernel_verify.h"

#include "ir/expr_walk.h"

/* ---- expressions ---- */

static const ScopeRow *in_scope(const Verify *v, const Value *x) {
    for (int i = v->scope.n; i-- > 0;)
        if (v->scope.at[i].value == x) return &v->scope.at[i];
    return NULL;
}

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
    else if (e->op == OP_VALUE && !in_scope(v, e->u.value))
        verify_fail_at(v, x->s, "%s is used before it is made, or outside its loop", e->u.value->name);
    else if (e->op == OP_VALUE && e->u.value->kind == VALUE_SHARED)
        verify_fail_at(v, x->s, "%s is in shared memory: it has to be read first", e->u.value->name);
    else if (!axis)
        verify_fail_at(v, x->s, "%s is no axis of the part", e->u.var->name);
    else
        return FOUND_INSIDE;
    return FOUND;
}

static const Factor *first_of(const Verify *v, FactorSet set) {
    for (int i = 0; i < v->part->factors.n; i++)
        if (set >> v->part->factors.at[i]->id & 1) return v->part->factors.at[i];
    return NULL;
}

static bool check_expr(Verify *v, const Stage *s, const Expr *e) {
    Leaves leaves = {v, s};
    if (expr_walk(&(ExprWalk){.temp = v->ctx, .before = check_leaf, .user = &leaves}, e)) return false;
    FactorSet d = expr_domain(v->part, s->layout, e);
    FactorSet foreign = d & ~s->layout->all,
              missing = d & layout_scope_factors(s->layout, SCOPE_LOOP) & ~verify_loops(v);
    if (foreign)
        return verify_fail_at(v, s, "it depends on %s.%s, which layout %s does not have",
                              first_of(v, foreign)->axis->name, bind_text(first_of(v, foreign)->bind), s->layout->name);
    if (missing)
        return verify_fail_at(v, s, "it depends on axis %s, whose loop is not around it",
                              first_of(v, missing)->axis->name);
    for (int i = 0; i < v->around.n; i++)
        if (v->around.at[i]->kind == STAGE_LAST && (d & v->around.at[i]->over))
            return verify_fail_at(v, s, "which block is the last one is chance, so nothing there may depend on %s.grid",
                                  first_of(v, d & v->around.at[i]->over)->axis->name);
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

static bool check_type(Verify *v, const Stage *s, const Expr *e, Type t) {
    if (e->type == t || (t != TY_BOOL && e->type == type_acc(t))) return true;
    return verify_fail_at(v, s, "an expression of type %s where %s is stored: it wants a cast", type_name(e->type),
                          type_name(t));
}

/* ---- what surrounds ---- */

/* All threads of the block (of the cluster, too) must come here together. */
static bool check_collective(Verify *v, const Stage *s, bool cluster) {
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
    const ScopeRow *row = in_scope(v, e->u.value);
    return !row || row->depth >= v->around.n || e->u.value->kind == VALUE_VAR ? FOUND : FOUND_INSIDE;
}

/* What runs ahead of its loop is evaluated before the iteration, so it reads nothing that the iteration makes. */
static bool check_ahead(Verify *v, const Stage *s, const Expr *e) {
    const Expr *inner = e ? expr_has(e, is_made_inside, v) : NULL;
    return !inner || verify_fail_at(v, s, "it runs ahead of the loop, but reads %s, which an iteration makes",
                                    inner->u.value->name);
}

static bool runs_ahead(Verify *v, const Stage *s) {
    if (v->around.n == 0 || v->around.at[v->around.n - 1]->kind != STAGE_FOR)
        return verify_fail_at(v, s, "it stands in no loop to run ahead of");
    for (int i = 0; i < s->tensor->rank; i++)
        if (!check_ahead(v, s, s->subs[i])) return false;
    return check_ahead(v, s, s->cond) && check_ahead(v, s, s->other);
}

/* Undefined elements must be ones that the stage does not touch. */
static bool check_defined(Verify *v, const Stage *s, const Expr *e, uint64_t guarded) {
    uint64_t bad = verify_outside(v, e) & ~guarded;
    for (int i = 0; i < v->part->axes.n; i++)
        if (bad >> i & 1)
            return verify_fail_at(v, s, "it uses elements that are undefined outside axis %s",
                                  v->part->axes.at[i]->name);
    return true;
}

/* ---- memory ---- */

static bool check_access(Verify *v, const Stage *s, FactorSet domain) {
    uint64_t guarded = verify_guarded(v, s->layout, domain);
    for (int i = 0; i < s->tensor->rank; i++)
        if (!check_defined(v, s, s->subs[i], guarded)) return false;
    return check_defined(v, s, s->cond, guarded) && check_defined(v, s, s->other, guarded) &&
           check_defined(v, s, s->expr[0], guarded);
}

static void note(Verify *v, const Stage *s, bool write) {
    WriteRow row = {v->part, s, v->order, -1};
    for (int i = 0; i < v->around.n; i++)
        if (v->around.at[i]->kind == STAGE_LAST) row.last = v->order;
    if (write)
        vec_push(v->ctx, &v->writes, row);
    else
        vec_push(v->ctx, &v->reads, row);
}

static bool check_load(Verify *v, const Stage *s) {
    if (s->other && !s->cond) return verify_fail_at(v, s, "else without if");
    if (s->other && !check_type(v, s, s->other, s->tensor->type)) return false;
    if (s->depth > 0 && !runs_ahead(v, s)) return false;
    note(v, s, false);
    return check_access(v, s, stage_operands(v->part, s->layout, s));
}

static int64_t bytes_of(Type t, int64_t n) { return n > INT64_MAX / 64 ? INT64_MAX / 8 : (n * type_bits(t) + 7) / 8; }

static void add_shared(Verify *v, int64_t bytes) {
    if (!add_ok(v->shared, bytes, &v->shared)) v->shared = INT64_MAX;
}

/* So many tiles, each of whole 16-byte pieces, where the first may begin (lower_shared.c). */
static void add_tiles(Verify *v, Type t, int64_t elements, int64_t n) {
    int64_t bytes = bytes_of(t, elements);
    bytes += -bytes & 15;
    if (!mul_ok(bytes, n, &bytes)) bytes = INT64_MAX;
    add_shared(v, bytes);
    add_shared(v, MAX_SHARED_ALIGN);
}

/* The tile of an axis is a range: nothing of the block or a loop stands inside its threads and registers. */
static bool check_tile_axes(Verify *v, const Stage *s, const Layout *l, FactorSet domain) {
    bool tile = false;
    const Axis *last = NULL;
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if (f->axis != last) tile = false;
        last = f->axis;
        bool outer = bind_scope(f->bind) == SCOPE_BLOCK || bind_scope(f->bind) == SCOPE_LOOP;
        if (outer && tile && f->size != 1 && (domain & layout_tile_factors(l, f->axis)))
            return verify_fail_at(v, s,
                                  "axis %s: its tile in the block is no range, because its %s factor stands inside",
                                  f->axis->name, bind_text(f->bind));
        tile |= !outer && f->size != 1;
    }
    return true;
}

/* Bulk copies are sent for, and off, by whole warps. */
static bool check_bulk(Verify *v, const Stage *s) {
    return v->k->threads % TARGET_WARP == 0 ||
           verify_fail_at(v, s, "bulk copies are made by warps, and %d threads are no whole warps", v->k->threads);
}

static bool is_read_in(const Value *x, Stage *const *at, int n) {
    bool read = false;
    for (int i = 0; i < n; i++) read |= at[i]->kind == STAGE_READ && at[i]->source == x;
    return read;
}

static bool is_made_in(const Stage *s, const Stage *around) {
    bool in = false;
    for (int i = 0; i < around->body.n; i++) in |= around->body.at[i] == s;
    return in;
}

/* Whether every read of x among these stages stands in a loop of the axis, which no other stage is around, and there is
 * one. */
static bool is_read_in_loops(const Value *x, const Axis *axis, Stage *const *at, int n) {
    bool read = false;
    for (int i = 0; i < n; i++) {
        const bool loop = at[i]->kind == STAGE_FOR && at[i]->axis == axis;
        read |= loop && is_read_in(x, at[i]->body.at, at[i]->body.n);
    }
    return read;
}

/* What is held is asked for all at once, by a loop that does nothing else, and stays until the block ends. */
static bool check_held(Verify *v, const Stage *s) {
    const Stage *loop = v->around.at[v->around.n - 1];
    if (v->around.n > 1) return verify_fail_at(v, s, "what is held is asked for once, and not in a loop in another");
    for (int i = 0; i < loop->body.n; i++)
        if (loop->body.at[i]->kind != STAGE_COPY || !loop->body.at[i]->held)
            return verify_fail_at(v, s, "its loop does more than to ask for what is held");
    for (int i = 0; i < v->part->factors.n; i++) {
        const Factor *f = v->part->factors.at[i];
        if (f->axis != loop->axis || f->bind != BIND_SERIAL) continue;
        if (f->size < 1 || f->size > MAX_COPY_DEPTH)
            return verify_fail_at(v, s, "axis %s: the loop of what is held has a size, which is 1 to %d", f->axis->name,
                                  MAX_COPY_DEPTH);
    }
    return is_read_in_loops(s->out[0], loop->axis, v->part->body.at, v->part->body.n) ||
           verify_fail_at(v, s, "no loop of axis %s behind it reads it", loop->axis->name);
}

/* Copies of one loop: those of all threads are waited for together, by their number. */
static bool check_in_loop(Verify *v, const Stage *s) {
    const Stage *loop = v->around.at[v->around.n - 1];
    if (s->held) return check_held(v, s);
    for (int i = 0; i < loop->body.n && s->path == PATH_ASYNC; i++) {
        const Stage *other = loop->body.at[i];
        if (other->kind == STAGE_COPY && other->path == PATH_ASYNC && !other->held && other->depth != s->depth)
            return verify_fail_at(v, s, "asynchronous copies of one loop run equally far ahead, not by %d and %d",
                                  other->depth, s->depth);
    }
    return is_read_in(s->out[0], loop->body.at, loop->body.n) ||
           verify_fail_at(v, s, "nothing in its loop's own body reads it");
}

static bool check_copy(Verify *v, const Stage *s) {
    FactorSet domain = s->out[0]->domain;
    if (s->path != PATH_ASYNC && s->path != PATH_BULK) return verify_fail_at(v, s, "a copy is async or bulk");
    if (s->depth < 1 || s->depth > MAX_COPY_DEPTH)
        return verify_fail_at(v, s, "depth %d: it is 1 to %d", s->depth, MAX_COPY_DEPTH);
    if (s->held && s->depth != 1) return verify_fail_at(v, s, "what is held runs no number of iterations ahead");
    if (s->cond || s->other) return verify_fail_at(v, s, "a copy has no condition");
    if (!runs_ahead(v, s) || !check_tile_axes(v, s, s->layout, domain) || !verify_rows(v, s)) return false;
    if (!check_in_loop(v, s) || (s->path == PATH_BULK && !check_bulk(v, s))) return false;
    const int slots = stage_slots(v->part, s);
    add_tiles(v, s->tensor->type, verify_product(s->layout, domain & verify_tile(s->layout)), slots);
    add_shared(v, 16 * slots);
    note(v, s, false);
    return check_collective(v, s, false) && check_access(v, s, stage_operands(v->part, s->layout, s));
}

static bool check_share(Verify *v, const Stage *s) {
    const Layout *l = s->layout;
    FactorSet domain = s->out[0]->domain;
    const Axis *row = NULL;
    int axes = 0;
    if (s->pad && s->swizzle) return verify_fail_at(v, s, "a padded tile is not swizzled");
    if (type_bits(s->out[0]->type) < 8)
        return verify_fail_at(v, s, "elements of %s are no bytes", type_name(s->out[0]->type));
    if (!check_collective(v, s, false) || !check_tile_axes(v, s, l, domain)) return false;
    for (int i = 0; i < v->part->axes.n; i++) {
        const Axis *a = v->part->axes.at[i];
        FactorSet tile = layout_tile_factors(l, a);
        if (!(tile & domain)) continue;
        if (tile & ~domain)
            return verify_fail_at(v, s, "it holds only some factors of axis %s, so it is no tile of it", a->name);
        if (verify_product(l, tile) <= 1) continue;
        row = a;
        axes++;
    }
    int64_t elements = verify_product(l, domain & verify_tile(l)),
            width = row ? verify_product(l, layout_tile_factors(l, row)) : 1;
    int64_t chunks = bytes_of(s->out[0]->type, width) / 16;
    if (s->swizzle && (bytes_of(s->out[0]->type, width) % 16 || (chunks & (chunks - 1)) || chunks < 2 || axes < 2))
        return verify_fail_at(v, s, "a swizzled row has a power of two of 16-byte pieces, and its tile several rows");
    if (s->pad && !mul_ok(elements / width, width + s->pad, &elements)) elements = INT64_MAX;
    add_tiles(v, s->out[0]->type, elements, 1);
    return true;
}

static bool check_loops_around(Verify *v, const Stage *s) {
    if (!(s->out[0]->domain & layout_scope_factors(s->layout, SCOPE_LOOP) & ~verify_loops(v))) return true;
    return verify_fail_at(v, s, "a loop of its axes is not around it");
}

/* Rows of bins are those of threads and registers that the stage has, too. */
static bool check_read_bins(Verify *v, const Stage *s) {
    const Value *x = s->source;
    const FactorSet rows = x->domain & verify_tile(x->layout);
    if (rows & ~s->layout->all)
        return verify_fail_at(v, s, "%s differs along %s.%s, which layout %s does not have", x->name,
                              first_of(v, rows & ~s->layout->all)->axis->name,
                              bind_text(first_of(v, rows & ~s->layout->all)->bind), s->layout->name);
    Stage again = *x->def;
    again.layout = s->layout;
    if (stage_bins_length(&again) != stage_bins_length(x->def))
        return verify_fail_at(v, s, "axis %s has %lld elements in the bins, but %lld in layout %s", x->def->axis->name,
                              (long long)stage_bins_length(x->def), (long long)stage_bins_length(&again),
                              s->layout->name);
    return check_collective(v, s, false) && check_tile_axes(v, s, s->layout, s->out[0]->domain) &&
           check_loops_around(v, s);
}

static bool check_read(Verify *v, const Stage *s) {
    const Value *x = s->source;
    if (!in_scope(v, x)) return verify_fail_at(v, s, "%s is read before it is made, or outside its loop", x->name);
    if (x->def->kind == STAGE_BINS) return check_read_bins(v, s);
    if (!check_collective(v, s, false) || !check_tile_axes(v, s, s->layout, s->out[0]->domain)) return false;
    const Stage *around = v->around.n ? v->around.at[v->around.n - 1] : NULL;
    const bool ahead = x->def->kind == STAGE_COPY && !x->def->held;
    if (ahead && !(around && is_made_in(x->def, around)))
        return verify_fail_at(v, s, "%s, a copy ahead, is read elsewhere than in its loop's own body", x->name);
    if (x->def->held && !(v->around.n == 1 && around->kind == STAGE_FOR && !is_made_in(x->def, around)))
        return verify_fail_at(v, s, "%s, which is held, is read elsewhere than in a loop of its own behind that one",
                              x->name);
    for (int i = 0; i < v->part->axes.n; i++) {
        const Axis *a = v->part->axes.at[i];
        FactorSet from = layout_tile_factors(x->layout, a), to = layout_tile_factors(s->layout, a);
        bool used = x->domain & layout_axis_factors(x->layout, a);
        if (used && verify_product(x->layout, from & x->domain) != verify_product(s->layout, to))
            return verify_fail_at(v, s, "axis %s has %lld elements in the tile, but %lld in layout %s", a->name,
                                  (long long)verify_product(x->layout, from & x->domain),
                                  (long long)verify_product(s->layout, to), s->layout->name);
    }
    return check_loops_around(v, s);
}

/* Threads that differ only in what the subscripts do not have are replicas, and the first of them stores: a condition
 * may not choose another. */
static bool check_store_cond(Verify *v, const Stage *s) {
    FactorSet d = 0, c = s->cond ? expr_domain(v->part, s->layout, s->cond) : 0;
    for (int i = 0; i < s->tensor->rank; i++) d |= expr_domain(v->part, s->layout, s->subs[i]);
    c &= ~d & (verify_tile(s->layout) | verify_bind_factors(s->layout, BIND_CLUSTER));
    if (!c) return true;
    return verify_fail_at(v, s, "its condition depends on %s.%s, and its subscripts do not", first_of(v, c)->axis->name,
                          bind_text(first_of(v, c)->bind));
}

static bool check_store(Verify *v, const Stage *s) {
    if (s->tensor->kind == TENSOR_INPUT) return verify_fail_at(v, s, "an input is not written");
    if (!check_type(v, s, s->expr[0], s->tensor->type)) return false;
    FactorSet domain = s->cond ? expr_domain(v->part, s->layout, s->cond) : 0;
    for (int i = 0; i < s->tensor->rank; i++) domain |= expr_domain(v->part, s->layout, s->subs[i]);
    if (s->kind == STAGE_ATOMIC)
        domain = stage_operands(v->part, s->layout, s);
    else if (!check_store_cond(v, s))
        return false;
    note(v, s, true);
    if (!verify_store_once(v, s) || !check_access(v, s, domain)) return false;
    if (s->path != PATH_BULK) return true;
    if (s->cond) return verify_fail_at(v, s, "a bulk store has no condition");
    const bool loop = verify_loops(v) != 0; /* then two tiles take turns */
    add_tiles(v, s->tensor->type, verify_product(s->layout, domain & verify_tile(s->layout)), loop ? 2 : 1);
    return check_bulk(v, s) && check_collective(v, s, false) && check_tile_axes(v, s, s->layout, domain) &&
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

static bool in_one_warp(const Factor *f) { return digit_in_warp(f->tid_stride, f->size); }

/* The thread factors of a set that lie across warps: what is exchanged over them goes through shared memory. */
static FactorSet across_warps(const Layout *l, FactorSet set) {
    FactorSet across = 0;
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if ((set >> f->id & 1) && bind_scope(f->bind) == SCOPE_THREAD && f->size > 1 && !in_one_warp(f))
            across |= (FactorSet)1 << f->id;
    }
    return across;
}

/* The cells of an exchange for every part of a state; in a loop there are two copies. */
static void add_cells(Verify *v, const Monoid *m, int64_t cells) {
    for (int i = 0; i < m->n; i++) {
        int64_t bytes;
        if (!mul_ok(cells, cell_bytes(m->type[i]) * (v->around.n ? 2 : 1), &bytes)) bytes = INT64_MAX;
        add_shared(v, bytes);
    }
}

/* What lies inside a warp is exchanged by shuffles, in which all 32 threads take part. */
static bool check_warps(Verify *v, const Stage *s, FactorSet over) {
    for (int i = 0; i < s->layout->factors.n; i++) {
        const Factor *f = s->layout->factors.at[i];
        if ((over >> f->id & 1) && bind_scope(f->bind) == SCOPE_THREAD && f->size > 1 && in_one_warp(f) &&
            v->k->threads % 32)
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
    if ((s->over & (threads | cluster)) && !check_collective(v, s, (s->over & cluster) != 0)) return false;
    if (!check_warps(v, s, s->over)) return false;
    uint64_t guarded = verify_guarded(v, l, d);
    for (int i = 0; i < s->monoid->n; i++)
        if (!check_defined(v, s, s->expr[i], guarded)) return false;
    if (!check_defined(v, s, s->cond, guarded)) return false;
    FactorSet results = s->out[0]->domain & verify_tile(l), warps = across_warps(l, s->over);
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
        bool lane = scope == SCOPE_THREAD && in_one_warp(f);
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
    if (!check_monoid(v, s) || !check_scan_order(v, s) || !check_warps(v, s, own) || !check_collective(v, s, false))
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
        if (!check_defined(v, s, s->expr[i], guarded)) return false;
        const Value *c = s->carry[i];
        if (!s->carry[0]) continue;
        if (!c || c->kind != VALUE_VAR || !in_scope(v, c))
            return verify_fail_at(v, s, "a carry is a var for each part, made before");
        if (c->type != s->monoid->type[i]) return verify_fail_at(v, s, "carry %s is not of the monoid's type", c->name);
        if (in_scope(v, c)->loops & own)
            return verify_fail_at(v, s, "carry %s is made anew in each iteration", c->name);
        if (c->domain & own)
            return verify_fail_at(v, s, "carry %s differs along the axis it is carried along", c->name);
        if (!check_assign(v, s, c, d & ~own, verify_outside(v, s->expr[i]) & ~((uint64_t)1 << s->axis->id)))
            return false;
    }
    FactorSet warps = across_warps(l, own), lanes = own & threads & ~warps;
    if (warps) add_cells(v, s->monoid, verify_product(l, s->out[0]->domain & verify_tile(l) & ~lanes));
    return check_defined(v, s, s->cond, guarded);
}

/* ---- variables ---- */

/* `domain` and `outside` are those of what x is assigned. */
static bool check_assign(Verify *v, const Stage *s, const Value *x, FactorSet domain, uint64_t outside) {
    const Layout *l = s->layout;
    FactorSet more = domain & verify_tile(l) & ~x->domain, loops = layout_scope_factors(l, SCOPE_LOOP);
    const ScopeRow *row = in_scope(v, x);
    if (more)
        return verify_fail_at(v, s, "what it is assigned depends on %s.%s, and %s does not",
                              first_of(v, more)->axis->name, bind_text(first_of(v, more)->bind), x->name);
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
    if (!check_type(v, s, s->expr[0], x->type)) return false;
    return check_assign(v, s, x, expr_domain(v->part, s->layout, s->expr[0]), verify_outside(v, s->expr[0]));
}

static bool check_set(Verify *v, const Stage *s) {
    const Value *x = s->out[0];
    if (x->kind != VALUE_VAR) return verify_fail_at(v, s, "%s is not a var", x->name);
    if (!in_scope(v, x)) return verify_fail_at(v, s, "%s is assigned outside the stages that it was made in", x->name);
    if (!check_type(v, s, s->expr[0], x->type)) return false;
    return check_assign(v, s, x, expr_domain(v->part, s->layout, s->expr[0]), verify_outside(v, s->expr[0]));
}

/* ---- bins ---- */

/* What a block has of the axis is a range: its blocks stand outside of all else. */
static bool check_range(Verify *v, const Stage *s) {
    bool inside = false;
    for (int i = 0; i < s->layout->factors.n; i++) {
        const Factor *f = s->layout->factors.at[i];
        if (f->axis != s->axis || f->size == 1) continue;
        const bool block = bind_scope(f->bind) == SCOPE_BLOCK;
        if (block && inside)
            return verify_fail_at(v, s,
                                  "axis %s: what a block has of it is no range, because its %s factor stands inside",
                                  s->axis->name, bind_text(f->bind));
        inside |= !block;
    }
    return true;
}

static bool check_bins(Verify *v, const Stage *s) {
    const Value *x = s->out[0];
    const FactorSet own = layout_axis_factors(s->layout, s->axis), tile = verify_tile(s->layout);
    int64_t elements;
    if (!check_type(v, s, s->expr[0], x->type)) return false;
    if (!type_is_compute(x->type)) return verify_fail_at(v, s, "elements of %s are no words", type_name(x->type));
    if (expr_domain(v->part, s->layout, s->expr[0]) & tile)
        return verify_fail_at(v, s, "all of its elements begin as one value");
    if (x->domain & own) return verify_fail_at(v, s, "each row has all of axis %s", s->axis->name);
    if (own & verify_loops(v)) return verify_fail_at(v, s, "the loop of axis %s is around it", s->axis->name);
    if (!stage_bins_length(s))
        return verify_fail_at(v, s, "the factors of axis %s inside a block have sizes", s->axis->name);
    if (!mul_ok(stage_bins_length(s), stage_bins_rows(s), &elements)) elements = INT64_MAX;
    add_tiles(v, x->type, elements, 1);
    return check_collective(v, s, false) && check_range(v, s) && check_tile_axes(v, s, s->layout, own);
}

/* The threads of a warp come to it together, and take turns where the order shows; several warps do not. */
static bool check_scatter(Verify *v, const Stage *s) {
    const Layout *l = s->layout;
    const Value *x = s->source;
    const FactorSet d = stage_operands(v->part, l, s), rows = x->domain & verify_tile(l);
    if (!in_scope(v, x)) return verify_fail_at(v, s, "%s is used before it is made, or outside its loop", x->name);
    if (!check_type(v, s, s->expr[0], x->type)) return false;
    if (s->expr[1]->type != TY_I64) return verify_fail_at(v, s, "an index is i64");
    if (s->monoid->n != 1 || s->monoid->ordered)
        return verify_fail_at(v, s, "monoid %s has no order of its own, and one part", s->monoid->name);
    if (d & layout_axis_factors(l, x->def->axis))
        return verify_fail_at(v, s, "it depends on axis %s, along which data say where it goes", x->def->axis->name);
    if (rows & ~l->all || x->def->layout != l)
        return verify_fail_at(v, s, "%s has the rows of layout %s", x->name, x->def->layout->name);
    const FactorSet across = across_warps(l, layout_scope_factors(l, SCOPE_THREAD) & ~rows);
    if (across && !(monoid_atomic(s->monoid->kind) && monoid_updates(s->monoid->kind, x->type, &v->g->options)))
        return verify_fail_at(v, s, "a row of %s is one warp's, since the order of a %s shows", x->name,
                              s->monoid->name);
    if (v->k->threads % TARGET_WARP)
        return verify_fail_at(v, s, "its warps take turns, and %d threads are no whole warps", v->k->threads);
    const uint64_t guarded = verify_guarded(v, l, d);
    for (int i = 0; i < 2; i++)
        if (!check_defined(v, s, s->expr[i], guarded)) return false;
    return check_defined(v, s, s->cond, guarded) && check_collective(v, s, false);
}

/* ---- nested stages ---- */

static bool check_for(Verify *v, const Stage *s) {
    const Layout *l = s->layout;
    FactorSet loop = layout_axis_factors(l, s->axis) & layout_scope_factors(l, SCOPE_LOOP);
    if (!loop) return verify_fail_at(v, s, "axis %s has no serial factor", s->axis->name);
    if (loop & verify_loops(v)) return verify_fail_at(v, s, "the loop of axis %s is around it already", s->axis->name);
    if (!check_expr(v, s, s->axis->lo) || !check_expr(v, s, s->axis->hi)) return false;
    return check_defined(v, s, s->axis->lo, 0) && check_defined(v, s, s->axis->hi, 0);
}

static bool check_if(Verify *v, const Stage *s) {
    FactorSet d = expr_domain(v->part, s->layout, s->cond) & verify_tile(s->layout);
    if (d)
        return verify_fail_at(v, s, "its condition depends on %s.%s: it must be the same for the whole block",
                              first_of(v, d)->axis->name, bind_text(first_of(v, d)->bind));
    return check_defined(v, s, s->cond, 0);
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
    return check_collective(v, s, false);
}

/* ---- */

static bool check_kind(Verify *v, const Stage *s) {
    switch (s->kind) {
    case STAGE_LOAD: return check_load(v, s);
    case STAGE_COPY: return check_copy(v, s);
    case STAGE_SHARE: return check_share(v, s);
    case STAGE_READ: return check_read(v, s);
    case STAGE_BINS: return check_bins(v, s);
    case STAGE_SCATTER: return check_scatter(v, s);
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
