/* Lowering, folds: reductions by the ladder registers, lanes, warps, cluster. A fold knows its monoid and the bindings
 * of the factors it crosses, nothing else. Here are the thread's own elements and what scans (lower_scan.c) need too;
 * lower_exchange.c has the rungs between threads. */
#include "lower_fold.h"

/* state = combine(state, right): every part is computed before any is assigned. */
void put_combine(Lower *l, const Monoid *m, const Sym *left, const Sym *right, const Sym *into, Sym guard) {
    for (int i = 0; i < m->n; i++) {
        l->args[i] = left[i];
        l->args[m->n + i] = right[i];
    }
    if (m->n == 1) {
        Sym e = expr_text(l, m->combine[0], l->layout);
        put(l, guard ? "if (%s) %s = %s;" : "%s%s = %s;", guard ? guard : "", into[0], e);
        return;
    }
    if (guard) put(l, "if (%s)", guard);
    put(l, "{");
    l->indent++;
    for (int i = 0; i < m->n; i++)
        put(l, "const %s c%d_ = %s;", c_type(m->type[i]), i, expr_text(l, m->combine[i], l->layout));
    for (int i = 0; i < m->n; i++) put(l, "%s = c%d_;", into[i], i);
    l->indent--;
    put(l, "}");
}

Sym identity(Lower *l, const Monoid *m, int i) { return expr_text(l, m->identity[i], l->layout); }

/* An element of a value that a fold makes: its name, with its array index where it has registers. */
Sym element(Lower *l, const Value *v) {
    return reg_count(l, v->domain) > 1 ? fmt(l, "%s[%s]", value_name(l, v), value_index(l, v)) : value_name(l, v);
}

void declare_state(Lower *l, const Value *v) {
    int64_t n = reg_count(l, v->domain);
    if (n > 1)
        put(l, "%s %s[%lld];", c_type(v->type), value_name(l, v), (long long)n);
    else
        put(l, "%s %s;", c_type(v->type), value_name(l, v));
}

Sym shuffle_text(Lower *l, const char *kind, Type t, Sym v, Sym where) {
    return t == TY_BOOL ? fmt(l, "(td_shfl_%s((int32_t)%s, %s) != 0)", kind, v, where)
                        : fmt(l, "td_shfl_%s(%s, %s)", kind, v, where);
}

/* The linear number of the digits of `set`, and how many there are. */
Sym digits_text(Lower *l, const Layout *layout, FactorSet set, int64_t *count) {
    Text t = {.ctx = l->ctx};
    int64_t n = 1;
    for (int i = layout->factors.n - 1; i >= 0; i--) {
        Factor *f = layout->factors.at[i];
        if (!(set >> f->id & 1) || f->size == 1) continue;
        if (t.n) text_put(&t, " + ");
        text_put(&t, factor_text(l, f));
        if (n != 1) text_fmt(&t, " * %lld", (long long)n);
        n *= f->size;
    }
    *count = n;
    return t.n ? t.s : "0";
}

/* Parts whose type is not a whole word travel as int. */
const char *cell_type(Type t) { return t == TY_BOOL ? "int32_t" : c_type(t); }

/* for-loops over register factors in index order, or against it. */
int open_ordered(Lower *l, Factor *const *f, int n, bool reverse) {
    for (int i = 0; i < n; i++) {
        Sym v = factor_text(l, f[i]);
        put(l, "#pragma unroll");
        if (reverse)
            put(l, "for (int %s = %lld; %s >= 0; %s--) {", v, (long long)f[i]->size - 1, v, v);
        else
            put(l, "for (int %s = 0; %s < %lld; %s++) {", v, v, (long long)f[i]->size, v);
        l->indent++;
    }
    return n;
}
void close_ordered(Lower *l, int n) {
    for (int i = 0; i < n; i++) {
        l->indent--;
        put(l, "}");
    }
}

/* One element into the state. */
static void put_step(Lower *l, Fold *f, const Sym *operand, Sym guard) {
    const Monoid *m = f->s->monoid;
    Sym right[MAX_PARTS];
    if (m->n == 1) {
        put_combine(l, m, f->state, operand, f->state, guard);
        return;
    }
    if (guard)
        put(l, "if (%s) {", guard);
    else
        put(l, "{");
    l->indent++;
    for (int i = 0; i < m->n; i++) {
        put(l, "const %s e%d_ = %s;", c_type(m->type[i]), i, operand[i]);
        right[i] = fmt(l, "e%d_", i);
    }
    put_combine(l, m, f->state, right, f->state, NULL);
    l->indent--;
    put(l, "}");
}

/* Maxima and minima of a packed value are taken two elements at a time: `pair` is their operation, or NULL. */
static const char *pair_operation(Lower *l, const Fold *f, const Factor *vec) {
    const Monoid *m = f->s->monoid;
    const Expr *e = f->s->expr[0], *c = m->combine[0];
    if (m->n != 1 || m->type[0] != TY_F32 || (c->op != OP_MAX && c->op != OP_MIN) || c->arg[0]->op != OP_ARG ||
        c->arg[1]->op != OP_ARG)
        return NULL;
    if (e->op != OP_CAST || e->arg[0]->op != OP_VALUE || !vec || vec->size % 2) return NULL;
    const Value *v = e->arg[0]->u.value;
    Factor *order[MAX_FACTORS];
    int64_t stride[MAX_FACTORS];
    int n = value_order(l, v, order, stride);
    if ((v->type != TY_BF16 && v->type != TY_F16) || !value_packed(v) || !n || order[n - 1] != vec) return NULL;
    return c->op == OP_MAX ? "td_max2" : "td_min2";
}

/* The elements of one vector into the state. */
static void put_vector(Lower *l, Fold *f, Factor *vec, const char *pair, const Sym *operand, Sym guard) {
    if (pair && !guard) {
        const Value *v = f->s->expr[0]->arg[0]->u.value;
        Sym digit = factor_text(l, vec);
        put(l, "#pragma unroll");
        put(l, "for (int %s = 0; %s < %lld; %s += 2)", digit, digit, (long long)vec->size, digit);
        put(l, "    %s_pair = %s<%s>(%s_pair, %s[(%s) / 2]);", value_name(l, f->s->out[0]), pair,
            lower_storage_type(v->type), value_name(l, f->s->out[0]), value_name(l, v), value_index(l, v));
        return;
    }
    int loop = open_ordered(l, &vec, 1, false);
    put_step(l, f, operand, guard);
    close_ordered(l, loop);
}

/* The predicate of the folded axes where it is the same for all registers of the result; NULL: not, or none is
 * needed. */
static Sym common_guard(Lower *l, const Fold *f) {
    Sym guard = NULL;
    FactorSet regs = reg_factors(l, f->s->out[0]->domain);
    for (int i = 0; i < l->part->axes.n; i++) {
        const Axis *a = l->part->axes.at[i];
        FactorSet all = layout_axis_factors(f->layout, a);
        if (!(all & f->s->over) || (all & ~(f->s->over | f->domain | ambient(l, f->layout)))) continue;
        Sym one = axis_predicate(l, f->layout, all);
        if (!one) continue;
        if (all & regs) return NULL;
        guard = guard ? fmt(l, "%s && %s", guard, one) : one;
    }
    return guard;
}

/* Several results: the predicate is asked once an element of the folded axes, not once a result. */
static void put_common_fold(Lower *l, Fold *f, Sym guard) {
    Stage *s = f->s;
    const Monoid *m = s->monoid;
    Factor *inner[MAX_FACTORS];
    Sym right[MAX_PARTS], c = s->cond ? expr_text(l, s->cond, f->layout) : NULL;
    int loops = open_reg_loops(l, f->outs, f->nouts);
    for (int i = 0; i < m->n; i++) put(l, "%s = %s;", f->state[i], identity(l, m, i));
    close_reg_loops(l, loops);
    int more = open_ordered(l, inner, list_reg_factors(l, f->layout, s->over, inner), false);
    put(l, "if (%s) {", guard);
    l->indent++;
    loops = open_reg_loops(l, f->outs, f->nouts);
    for (int i = 0; i < m->n; i++) right[i] = expr_text(l, s->expr[i], f->layout);
    put_step(l, f, right, c);
    close_reg_loops(l, loops);
    l->indent--;
    put(l, "}");
    close_ordered(l, more);
}

/* The thread's own elements. */
static void put_thread_fold(Lower *l, Fold *f) {
    Stage *s = f->s;
    const Monoid *m = s->monoid;
    Sym common = f->nouts ? common_guard(l, f) : NULL;
    if (common) {
        put_common_fold(l, f, common);
        return;
    }
    int loops = open_reg_loops(l, f->outs, f->nouts);
    for (int i = 0; i < m->n; i++) put(l, "%s = %s;", f->state[i], identity(l, m, i));
    Factor *inner[MAX_FACTORS];
    int ninner = list_reg_factors(l, f->layout, s->over, inner);
    /* Only axes that are folded need their predicate; the elements of others stay undefined past the end. */
    Sym guard = NULL;
    /* A vector that lies wholly inside its axis, as nearly all do, needs no test an element. */
    const Axis *vector = NULL;
    for (int i = 0; i < l->part->axes.n; i++) {
        const Axis *a = l->part->axes.at[i];
        FactorSet all = layout_axis_factors(f->layout, a);
        if (!(all & s->over) || (all & ~(s->over | f->domain | ambient(l, f->layout)))) continue;
        Sym one = axis_predicate(l, f->layout, all);
        if (!one) continue;
        if (ninner && inner[ninner - 1]->axis == a && inner[ninner - 1]->bind == BIND_VEC && !guard && !s->cond &&
            !axis_whole_vectors(l, f->layout, a))
            vector = a;
        else
            vector = NULL;
        guard = guard ? fmt(l, "%s && %s", guard, one) : one;
    }
    if (s->cond) {
        Sym c = expr_text(l, s->cond, f->layout);
        guard = guard ? fmt(l, "%s && %s", guard, c) : c;
    }
    Sym right[MAX_PARTS];
    for (int i = 0; i < m->n; i++) right[i] = expr_text(l, s->expr[i], f->layout);
    Factor *vec = ninner && inner[ninner - 1]->bind == BIND_VEC ? inner[ninner - 1] : NULL;
    const char *pair = f->nouts || (guard && !vector) ? NULL : pair_operation(l, f, vec);
    const Value *packed = pair ? s->expr[0]->arg[0]->u.value : NULL;
    Sym name = value_name(l, s->out[0]);
    if (pair) {
        put(l, "const %s %s_first[2] = {%s, %s};", c_type(packed->type), name, identity(l, m, 0), identity(l, m, 0));
        put(l, "td_word<%s> %s_none[1];", lower_storage_type(packed->type), name);
        put(l, "td_pack<%s, 2>(%s_none, %s_first);", lower_storage_type(packed->type), name, name);
        put(l, "uint32_t %s_pair = %s_none[0];", name, name);
    }
    bool by_vector = vector || pair;
    int more = open_ordered(l, inner, by_vector ? ninner - 1 : ninner, false);
    if (vector) {
        put(l, "if (%s) {", axis_vector_inside(l, f->layout, vector, vec));
        l->indent++;
        put_vector(l, f, vec, pair, right, NULL);
        l->indent--;
        put(l, "} else {");
        l->indent++;
        put_vector(l, f, vec, NULL, right, guard);
        l->indent--;
        put(l, "}");
    } else if (pair) {
        put_vector(l, f, vec, pair, right, NULL);
    } else {
        put_step(l, f, right, guard);
    }
    close_ordered(l, more);
    if (pair) {
        Sym low = fmt(l, "td_get<%s>(&%s_pair, 0)", lower_storage_type(packed->type), name),
            high = fmt(l, "td_get<%s>(&%s_pair, 1)", lower_storage_type(packed->type), name);
        put_step(l, f, &low, NULL);
        put_step(l, f, &high, NULL);
    }
    close_reg_loops(l, loops);
}

bool reduce_has_barrier(Lower *l, const Stage *s) {
    FactorSet warps;
    fold_lane_mask(stage_layout(l, s), s->over, &warps);
    return warps != 0;
}

void lower_reduce(Lower *l, Stage *s) {
    Fold f = {.s = s, .layout = stage_layout(l, s), .n = s->monoid->n};
    l->layout = f.layout;
    for (int i = 0; i < f.n; i++) f.domain |= expr_domain(l->part, f.layout, s->expr[i]);
    if (s->cond) f.domain |= expr_domain(l->part, f.layout, s->cond);
    for (int i = 0; i < f.n; i++) declare_state(l, s->out[i]);
    f.nouts = list_reg_factors(l, f.layout, s->out[0]->domain, f.outs);
    for (int i = 0; i < f.n; i++) f.state[i] = element(l, s->out[i]);
    put_thread_fold(l, &f);
    FactorSet warps, cluster = fold_cluster_factors(f.layout, s->over);
    int mask = fold_lane_mask(f.layout, s->over, &warps);
    if (mask) {
        int loops = open_reg_loops(l, f.outs, f.nouts);
        fold_lanes(l, &f, mask);
        close_reg_loops(l, loops);
    }
    if (warps) fold_warps(l, &f, warps);
    if (cluster) fold_cluster(l, &f, cluster);
}
