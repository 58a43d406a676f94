/* Who touches which element of a tensor: no element is written twice, by threads, blocks, iterations or stages, and no
 * thread reads what another one writes in the same kernel. Subscripts are polynomials in the axes (digits of mixed
 * radix), so both are proofs about them: what cannot be proved is refused. */
#include "kernel_verify.h"
#include "own.h"

#include "ir/expr_is.h"
#include "ir/expr_walk.h"

enum { MAX_ITEMS = 16 };

/* ---- from subscripts back to factors ---- */

/* What of a store's indices its subscripts determine. */
typedef struct Recover {
    Verify *v;
    const Layout *layout;
    PolyEnv env;
    FactorSet covered;
    VEC(const Expr *) known;   /* atoms whose value is determined, and conditions that hold */
    VEC(const Value *) values; /* values of loads and maps that are determined, too */
} Recover;

typedef struct Item {
    const Expr *atom;
    Poly coef;
} Item;

static const Axis *axis_of(const Verify *v, const Expr *e) {
    for (int i = 0; e->op == OP_VAR && i < v->part->axes.n; i++)
        if (v->part->axes.at[i]->var == e->u.var) return v->part->axes.at[i];
    return NULL;
}

static Found is_unknown(const Expr *e, const void *recover) {
    const Recover *r = recover;
    const Axis *a = axis_of(r->v, e);
    if (a) return layout_axis_factors(r->layout, a) & ~r->covered ? FOUND : FOUND_NOT;
    if (e->op == OP_FACTOR) return r->covered >> e->u.factor->id & 1 ? FOUND_NOT : FOUND;
    if (e->op == OP_VALUE && !(e->u.value->domain & ~r->covered) && e->u.value->kind != VALUE_VAR) return FOUND_NOT;
    for (int i = 0; i < r->known.n; i++)
        if (r->known.at[i] == e) return FOUND_NOT;
    for (int i = 0; i < r->values.n; i++)
        if (e->op == OP_VALUE && e->u.value == r->values.at[i]) return FOUND_NOT;
    return e->op == OP_VALUE || e->op == OP_VAR ? FOUND : FOUND_INSIDE;
}

static bool is_known(const Recover *r, const Expr *e) { return !expr_has(e, is_unknown, r); }

/* Quotient and remainder by the same divisor determine what was divided. */
static void mark(Recover *r, const Expr *e) {
    const Axis *a = axis_of(r->v, e);
    if (a) r->covered |= layout_axis_factors(r->layout, a);
    if (e->op == OP_FACTOR) r->covered |= (FactorSet)1 << e->u.factor->id;
    vec_push(r->v->ctx, &r->known, e);
    if (e->op != OP_DIV && e->op != OP_MOD) return;
    for (int i = 0; i < r->known.n; i++) {
        const Expr *k = r->known.at[i];
        if (k->op == (e->op == OP_DIV ? OP_MOD : OP_DIV) && k->arg[0] == e->arg[0] && k->arg[1] == e->arg[1] &&
            !is_known(r, e->arg[0]))
            mark(r, e->arg[0]);
    }
}

/* The unknown atoms of p with their coefficients; -1 where p is not a sum of such. */
static int items_of(const Recover *r, Poly p, Item *item) {
    Ctx *ctx = r->v->ctx;
    int n = 0;
    if (p.failed) return -1;
    for (int i = 0; i < p.n; i++) {
        const Expr *unknown = NULL;
        Poly coef = poly_const(ctx, p.term[i].coef);
        for (int d = 0; d < p.term[i].degree; d++) {
            const Expr *atom = p.term[i].atom[d];
            if (is_known(r, atom)) {
                coef = poly_mul(ctx, coef, poly_of(&r->env, atom));
                continue;
            }
            if (unknown) return -1;
            unknown = atom;
        }
        if (!unknown) continue;
        int at = 0;
        while (at < n && item[at].atom != unknown) at++;
        if (at == MAX_ITEMS) return -1;
        if (at == n) item[n++] = (Item){unknown, poly_const(ctx, 0)};
        item[at].coef = poly_add(ctx, item[at].coef, coef);
    }
    return n;
}

static bool positive(Recover *r, Poly p) {
    return poly_nonneg(&r->env, poly_sub(r->v->ctx, p, poly_const(r->v->ctx, 1)));
}

/* The largest value of an item less its smallest. */
static bool item_span(Recover *r, const Expr *e, Poly *span) {
    Ctx *ctx = r->v->ctx;
    if (e->op == OP_VAR && e->u.var->lo && e->u.var->hi) {
        *span = poly_sub(ctx, poly_of(&r->env, e->u.var->hi), poly_of(&r->env, e->u.var->lo));
    } else if (e->op == OP_FACTOR && e->u.factor->count) {
        *span = poly_of(&r->env, e->u.factor->count);
    } else {
        int64_t lo, hi, n;
        poly_bounds(&r->env, poly_of(&r->env, e), &lo, &hi);
        if (lo == INT64_MIN || hi == INT64_MAX || __builtin_sub_overflow(hi, lo, &n)) return false;
        *span = poly_const(ctx, n);
        return true;
    }
    *span = poly_sub(ctx, *span, poly_const(ctx, 1));
    return true;
}

/* Mixed radix: each coefficient exceeds all that the smaller ones can make. */
static bool is_radix(Recover *r, Item *item, int n) {
    Ctx *ctx = r->v->ctx;
    Poly below = poly_const(ctx, 0);
    bool placed[MAX_ITEMS] = {false};
    for (int round = 0; round < n; round++) {
        int least = -1;
        for (int i = 0; i < n && least < 0; i++) {
            bool smallest = !placed[i];
            for (int j = 0; j < n && smallest; j++)
                smallest = j == i || placed[j] || poly_nonneg(&r->env, poly_sub(ctx, item[j].coef, item[i].coef));
            if (smallest) least = i;
        }
        Poly span;
        if (least < 0 || !positive(r, poly_sub(ctx, item[least].coef, below)) || !item_span(r, item[least].atom, &span))
            return false;
        placed[least] = true;
        below = poly_add(ctx, below, poly_mul(ctx, item[least].coef, span));
    }
    return true;
}

/* Whether knowing p determined something more. */
static bool learn(Recover *r, Poly p, bool alone) {
    Item item[MAX_ITEMS];
    int n = items_of(r, p, item);
    if (n <= 0 || (alone && n > 1)) return false;
    bool ok = n == 1 ? positive(r, item[0].coef) || positive(r, poly_scale(r->v->ctx, item[0].coef, -1))
                     : is_radix(r, item, n);
    for (int i = 0; ok && i < n; i++) mark(r, item[i].atom);
    return ok;
}

static bool learn_cond(Recover *r, const Expr *c) {
    if (!c) return false;
    if (c->op == OP_AND) {
        bool a = learn_cond(r, c->arg[0]), b = learn_cond(r, c->arg[1]);
        return a || b;
    }
    if (c->op != OP_EQ || type_is_float(c->arg[0]->type) || c->arg[0]->type == TY_BOOL) return false;
    const Poly p = poly_sub(r->v->ctx, poly_of(&r->env, c->arg[0]), poly_of(&r->env, c->arg[1]));
    return learn(r, p, true) || learn(r, p, false) || learn(r, poly_scale(r->v->ctx, p, -1), false);
}

static bool is_stored(const Tensor *t, Stage *const *at, int n) {
    for (int i = 0; i < n; i++) {
        const bool stores = at[i]->kind == STAGE_STORE || at[i]->kind == STAGE_ATOMIC;
        if ((stores && at[i]->tensor == t) || is_stored(t, at[i]->body.at, at[i]->body.n)) return true;
    }
    return false;
}

static bool is_changed(const Kernel *k, const Tensor *t) {
    bool any = false;
    for (int i = 0; i < k->parts.n; i++) any |= is_stored(t, k->parts.at[i]->body.at, k->parts.at[i]->body.n);
    return any;
}

static bool was_learned(const Recover *r, const Value *x) {
    for (int i = 0; i < r->values.n; i++)
        if (r->values.at[i] == x) return true;
    for (int i = 0; i < r->known.n; i++)
        if (r->known.at[i]->op == OP_VALUE && r->known.at[i]->u.value == x) return true;
    return false;
}

/* A part that is not known, however integers are written. */
static Found is_unknown_part(const Expr *e, const void *recover) {
    const Recover *r = recover;
    Item item[MAX_ITEMS];
    if (is_known(r, e) || (type_is_int(e->type) && items_of(r, poly_of(&r->env, e), item) == 0)) return FOUND_NOT;
    return e->nargs ? FOUND_INSIDE : FOUND;
}

static bool is_of_known(const Recover *r, const Expr *e) { return !expr_has(e, is_unknown_part, r); }

static bool is_learnable(const Recover *r, const Stage *s) {
    if (s->kind == STAGE_MAP) return is_of_known(r, s->expr[0]);
    bool known = s->kind == STAGE_LOAD && (!s->cond || is_of_known(r, s->cond));
    for (int d = 0; known && d < s->tensor->rank; d++) known = is_of_known(r, s->subs[d]);
    return known && !is_changed(r->v->k, s->tensor);
}

/* What is made of what is known, or stands at a place that is known and that nothing of the kernel changes, is known,
 * too: where an element says which index stores it, `store y[s, j] = x[i, j] if last[s] == i` with s data of i, no
 * other one does. */
static bool learn_values(Recover *r, Stage *const *at, int n) {
    bool more = false;
    for (int i = 0; i < n; i++) {
        const Stage *s = at[i];
        more |= learn_values(r, s->body.at, s->body.n);
        if (s->kind != STAGE_LOAD && s->kind != STAGE_MAP) continue;
        const bool known = was_learned(r, s->out[0]), map = s->kind == STAGE_MAP && type_is_int(s->expr[0]->type);
        if (known && map) more |= learn(r, poly_of(&r->env, s->expr[0]), false); /* that of which it is made */
        if (known || !is_learnable(r, s)) continue;
        vec_push(r->v->ctx, &r->values, s->out[0]);
        more = true;
    }
    return more;
}

static bool reads_value(const Expr *e) { return expr_has_op(e, OP_VALUE); }

/* Facts that a condition states, conjunct by conjunct; those about values are left out. */
static int list_facts(const Expr *c, const Expr **out, int n) {
    if (!c) return n;
    if (c->op == OP_AND) return list_facts(c->arg[1], out, list_facts(c->arg[0], out, n));
    if (n < MAX_ITEMS && !reads_value(c)) out[n++] = c;
    return n;
}

/* What is known where an element is touched: the kernel's conditions, those of the stage, and that no axis of its part
 * is empty. */
static PolyEnv env_with(Verify *v, const Part *part, FactorSet domain, const Expr *const *facts, int n) {
    PolyEnv env = v->env;
    const Expr **all = NEW_N(v->ctx, const Expr *, env.nfacts + n + part->axes.n + 1);
    for (int i = 0; i < env.nfacts; i++) all[i] = env.facts[i];
    for (int i = 0; i < n; i++) all[env.nfacts++] = facts[i];
    for (int i = 0; i < part->axes.n; i++) {
        const Axis *a = part->axes.at[i];
        bool touched = false;
        for (int k = 0; k < part->factors.n; k++)
            touched |= part->factors.at[k]->axis == a && (domain >> part->factors.at[k]->id & 1);
        if (touched && !reads_value(a->lo) && !reads_value(a->hi)) all[env.nfacts++] = expr2(v->g, OP_LT, a->lo, a->hi);
    }
    env.facts = all;
    return env;
}

/* Factors of one value only need not be determined. */
static FactorSet real_factors(const Layout *l, FactorSet set) {
    for (int i = 0; i < l->factors.n; i++)
        if (l->factors.at[i]->size == 1) set &= ~((FactorSet)1 << l->factors.at[i]->id);
    return set;
}

static const Factor *factor_in(const Layout *l, FactorSet set) {
    for (int i = 0; i < l->factors.n; i++)
        if (set >> l->factors.at[i]->id & 1) return l->factors.at[i];
    return NULL;
}

/* Blocks and iterations that all come to a stage. */
static FactorSet comes_by(const Verify *v, const Layout *l) {
    FactorSet set = verify_bind_factors(l, BIND_GRID) | verify_loops(v);
    for (int i = 0; i < v->around.n; i++)
        if (v->around.at[i]->kind == STAGE_LAST) set &= ~v->around.at[i]->over;
    return set;
}

/* Where something is stored its conditions hold: that much is known of them. */
static void know_conditions(Recover *r, const Expr *c) {
    if (!c) return;
    if (c->op == OP_AND) {
        know_conditions(r, c->arg[0]);
        know_conditions(r, c->arg[1]);
    } else
        vec_push(r->v->ctx, &r->known, c);
}

/* The factors that the store's subscripts determine. */
static FactorSet determined(Verify *v, const Stage *s, PolyEnv env) {
    Recover r = {.v = v, .layout = s->layout, .env = env};
    ExprMap made = {0};
    r.env.made = &made;
    know_conditions(&r, s->cond);
    for (bool more = true; more;) {
        more = learn_cond(&r, s->cond) | learn_values(&r, v->part->body.at, v->part->body.n);
        for (int i = 0; i < s->tensor->rank; i++) more |= learn(&r, poly_of(&r.env, s->subs[i]), false);
    }
    return r.covered;
}

/* Adds what the entry requires of dimensions, without which most proofs are found. False: nothing. */
static bool add_required(Verify *v, PolyEnv *env) {
    const Expr **all = NEW_N(v->ctx, const Expr *, env->nfacts + v->g->facts.n + 1);
    int n = env->nfacts;
    for (int i = 0; i < n; i++) all[i] = env->facts[i];
    for (int i = 0; i < v->g->facts.n; i++)
        if (v->g->facts.at[i].require) all[n++] = v->g->facts.at[i].cond;
    bool more = n > env->nfacts;
    env->facts = all;
    env->nfacts = n;
    return more;
}

bool verify_store_once(Verify *v, const Stage *s) {
    const Layout *l = s->layout;
    const Expr *facts[MAX_ITEMS];
    FactorSet domain = stage_operands(v->part, l, s), by = comes_by(v, l);
    if (s->kind == STAGE_ATOMIC) {
        FactorSet again = real_factors(l, by & ~domain);
        if (monoid_idempotent(s->monoid->kind) || !again) return true;
        return verify_fail_at(v, s, "it is added once for each %s of axis %s", bind_text(factor_in(l, again)->bind),
                              factor_in(l, again)->axis->name);
    }
    PolyEnv env = env_with(v, v->part, domain, facts, list_facts(s->cond, facts, 0));
    FactorSet lost = real_factors(l, (domain | by) & ~determined(v, s, env));
    if (lost && add_required(v, &env)) lost = real_factors(l, (domain | by) & ~determined(v, s, env));
    if (!lost) return true;
    const Factor *f = factor_in(l, lost);
    return verify_fail_at(v, s, "the subscripts do not determine %s.%s, so an element may be written more than once",
                          f->axis->name, bind_text(f->bind));
}

/* ---- pairs of accesses ---- */

/* Expressions of a second instance of the part's axes and factors. */
static const Expr *renamed(Verify *v, const Part *part, const Expr *e) {
    const Expr *from[2 * MAX_FACTORS], *to[2 * MAX_FACTORS];
    int n = 0;
    for (int i = 0; i < part->axes.n && n < MAX_FACTORS; i++) {
        const Axis *a = part->axes.at[i];
        const Expr *lo = expr_replace(v->g, a->lo, from, to, n), *hi = expr_replace(v->g, a->hi, from, to, n);
        from[n] = expr_var(v->g, a->var);
        to[n++] = expr_var(v->g, graph_var(v->g, a->name, lo, hi));
    }
    for (int i = 0; i < part->factors.n && n < 2 * MAX_FACTORS; i++) {
        Factor *f = part->factors.at[i];
        if (!f->count) continue;
        from[n] = expr_factor(v->p, f);
        to[n++] = expr_var(v->g, graph_var(v->g, f->axis->name, expr_int(v->g, TY_I64, 0), f->count));
    }
    return expr_replace(v->g, e, from, to, n);
}

static bool disjoint(Verify *v, const WriteRow *a, const WriteRow *b) {
    const Expr *facts[2 * MAX_ITEMS], *own[MAX_ITEMS];
    int n = list_facts(a->stage->cond, facts, 0), m = list_facts(b->stage->cond, own, 0);
    bool apart = a->part != b->part;
    for (int i = 0; i < m; i++) facts[n++] = apart ? own[i] : renamed(v, b->part, own[i]);
    PolyEnv env = env_with(v, a->part, 0, facts, n);
    for (int d = 0, rank = a->stage->tensor->rank; d < 2 * rank; d++) {
        const Expr *x = a->stage->subs[d % rank], *y = b->stage->subs[d % rank];
        if (d == rank && !add_required(v, &env)) return false;
        if (reads_value(x) || reads_value(y)) continue;
        if (!apart) y = renamed(v, b->part, y);
        if (poly_never_zero(&env, poly_sub(v->ctx, poly_of(&env, y), poly_of(&env, x)))) return true;
    }
    return false;
}

/* A thread reads elements that only it writes, and reads them first; of several that have one value, the one that
 * writes it (own.h). */
static bool own_elements(const WriteRow *read, const WriteRow *write) {
    const Stage *a = read->stage, *b = write->stage;
    if (read->part != write->part || a->layout != b->layout || a->kind != STAGE_LOAD || a->depth ||
        read->order > write->order)
        return false;
    FactorSet domain = 0;
    for (int i = 0; i < a->tensor->rank; i++) {
        if (a->subs[i] != b->subs[i] || reads_value(a->subs[i])) return false;
        domain |= expr_domain(read->part, a->layout, a->subs[i]);
    }
    const FactorSet threads = layout_scope_factors(a->layout, SCOPE_THREAD),
                    all = threads | layout_scope_factors(a->layout, SCOPE_BLOCK),
                    same = real_factors(a->layout, all & ~domain);
    if (!same) return true;
    return !(same & ~(threads | verify_bind_factors(a->layout, BIND_CLUSTER))) && stage_loads_own(read->part, a) &&
           stage_only_stored(read->part, a, same);
}

/* The factors that those subscripts tell in which both accesses agree. */
static FactorSet determined_by_both(Verify *v, const Part *part, const Stage *a, const Stage *b) {
    Recover r = {.v = v, .layout = b->layout, .env = env_with(v, part, b->layout->all, NULL, 0)};
    ExprMap made = {0};
    r.env.made = &made;
    for (bool more = true; more;) {
        more = false;
        for (int d = 0; d < b->tensor->rank; d++)
            if (a->subs[d] == b->subs[d] && !reads_value(b->subs[d]))
                more |= learn(&r, poly_of(&r.env, b->subs[d]), false);
    }
    return r.covered;
}

/* A block reads what it writes itself, in the same iteration, and before its threads meet: where both touch one
 * element, the subscripts in which they agree are those of one block and one iteration. */
static bool reads_before_meeting(Verify *v, const WriteRow *read, const WriteRow *write) {
    const Stage *a = read->stage, *b = write->stage;
    bool met = false;
    for (int i = 0; i < v->meetings.n; i++) {
        const WriteRow *m = &v->meetings.at[i];
        met |= m->part == write->part && m->in == write->in && read->order < m->order && m->order <= write->order;
    }
    if (!met || read->part != write->part || read->in != write->in || a->layout != b->layout) return false;
    if (a->kind != STAGE_LOAD || a->depth) return false;
    const FactorSet told = layout_scope_factors(b->layout, SCOPE_BLOCK) | layout_scope_factors(b->layout, SCOPE_LOOP);
    return !(real_factors(b->layout, told) & ~determined_by_both(v, write->part, a, b));
}

bool verify_conflicts(Verify *v) {
    for (int i = 0; i < v->writes.n; i++) {
        const WriteRow *a = &v->writes.at[i];
        for (int j = i + 1; j < v->writes.n; j++) {
            const WriteRow *b = &v->writes.at[j];
            if (a->stage->tensor != b->stage->tensor) continue;
            bool atomics = a->stage->kind == STAGE_ATOMIC && b->stage->kind == STAGE_ATOMIC &&
                           a->stage->monoid->kind == b->stage->monoid->kind;
            if (!atomics && !disjoint(v, a, b))
                return verify_fail_at(v, b->stage, "another stage may write the same elements");
        }
        for (int j = 0; j < v->reads.n; j++) {
            const WriteRow *b = &v->reads.at[j];
            if (a->stage->tensor != b->stage->tensor) continue;
            bool after = b->last >= 0 && a->last < 0 && a->part == b->part && a->order < b->order;
            if (!after && !own_elements(b, a) && !reads_before_meeting(v, b, a) && !disjoint(v, a, b))
                return verify_fail_at(v, b->stage, "the kernel writes %s, perhaps these elements, from other threads",
                                      b->stage->tensor->name);
        }
    }
    return true;
}

bool verify_in_place(const Verify *v, const Tensor *out, const Tensor *in) {
    for (int i = 0; i < v->writes.n; i++) {
        const WriteRow *w = &v->writes.at[i];
        if (w->stage->tensor != out) continue;
        for (int j = 0; j < v->reads.n; j++)
            if (v->reads.at[j].stage->tensor == in &&
                (w->stage->kind != STAGE_STORE || !own_elements(&v->reads.at[j], w)))
                return false;
    }
    return true;
}

/* ---- rows of copies and bulk stores ---- */

/* Axes whose tile makes the last subscript's range, innermost first; -1 where the range is not contiguous. */
static int row_axes(Verify *v, const Stage *s, Poly last, const Axis **out, int64_t *length) {
    const Layout *l = s->layout;
    int n = 0;
    uint64_t used = 0;
    *length = 1;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < v->part->axes.n && !more; i++) {
            const Axis *a = v->part->axes.at[i];
            int64_t size = verify_product(l, layout_tile_factors(l, a)), c;
            Poly coef, rest;
            if (size == 1 || (used >> i & 1) || n == MAX_ITEMS ||
                !poly_linear(v->ctx, last, expr_var(v->g, a->var), &coef, &rest))
                continue;
            if (!poly_is_const(coef, &c) || c != *length) continue;
            used |= (uint64_t)1 << i;
            out[n++] = a;
            if (!mul_ok(*length, size, length)) return -1;
            more = true;
        }
    }
    for (int i = 0; i < v->part->axes.n; i++) {
        const Axis *a = v->part->axes.at[i];
        if (verify_product(l, layout_tile_factors(l, a)) > 1 && poly_uses(last, expr_var(v->g, a->var)) &&
            !(used >> i & 1))
            return -1;
    }
    return n;
}

bool verify_rows(Verify *v, const Stage *s) {
    const Tensor *t = s->tensor;
    const Axis *axes[MAX_ITEMS];
    int64_t length, size = type_bits(t->type) / 8;
    int n = t->rank ? row_axes(v, s, poly_of(&v->env, s->subs[t->rank - 1]), axes, &length) : -1;
    bool along = n > 0 && length > 1;
    for (int d = 0; along && d + 1 < t->rank; d++)
        along = !poly_uses(poly_of(&v->env, s->subs[d]), expr_var(v->g, axes[0]->var));
    if (!along) return verify_fail_at(v, s, "the rows of its tile are not contiguous");
    if (!size) return verify_fail_at(v, s, "elements of %s are no bytes", type_name(t->type));
    return true;
}
