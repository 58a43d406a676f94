/* Lowering, folds: reductions by the ladder registers, lanes, warps, cluster. A fold knows its monoid and the bindings
 * of the factors it crosses, nothing else. Here are the thread's own elements; lower_exchange.c has the rungs between
 * threads. */
#include "lower_fold.h"

/* One element into the state. */
static void put_step(Lower *l, const Fold *f, const Code *const *operand, const Code *guard) {
    const Monoid *m = f->s->monoid;
    const Code *right[MAX_PARTS];
    if (m->n == 1) {
        put_combine(l, m, f->state, operand, f->state, guard);
        return;
    }
    put_if(l, guard);
    for (int i = 0; i < m->n; i++) {
        put_declare(l, sym_fmt(l->ctx, "const %s", lower_value_type(m->type[i])), sym_fmt(l->ctx, "e%d_", i), " = %c",
                    operand[i]);
        right[i] = code(l->ctx, "e%d_", i);
    }
    put_combine(l, m, f->state, right, f->state, NULL);
    put_end(l);
}

/* What is folded of the elements that lie before their axis's end, where all do that the kernel walks. */
static const Expr *before_end(Lower *l, const Layout *layout, const Expr *e) {
    const Axis *a = e->op == OP_IF ? part_asks_end(l->part, e->arg[0]) : NULL;
    return a && axis_exact(l, layout, a) ? before_end(l, layout, e->arg[1]) : e;
}

static void operands(Lower *l, const Fold *f, const Code **right) {
    for (int i = 0; i < f->n; i++) right[i] = expr_code(l, before_end(l, f->layout, f->s->expr[i]), f->layout);
}

/* ---- two elements at a time ---- Maxima and minima of a packed value of 16-bit floats: two words hold four
 * elements, and one operation takes two pairs.
 *
 * */

typedef struct Pair {
    const char *op; /* of two words; NULL: elements are folded one by one */
    const Value *packed;
    Sym name; /* the word that holds the two partial results */
} Pair;

static Pair pair_of(Lower *l, const Fold *f, const Factor *vec) {
    const Monoid *m = f->s->monoid;
    const Expr *e = f->s->expr[0], *c = m->combine[0];
    Pair none = {0};
    if (m->n != 1 || m->type[0] != TY_F32 || (c->op != OP_MAX && c->op != OP_MIN) || c->arg[0]->op != OP_ARG ||
        c->arg[1]->op != OP_ARG)
        return none;
    if (e->op != OP_CAST || e->arg[0]->op != OP_VALUE || !vec || vec->size % 2) return none;
    const Value *v = e->arg[0]->u.value;
    Factor *order[MAX_FACTORS];
    int64_t stride[MAX_FACTORS];
    int n = value_order(v, order, stride);
    if ((v->type != TY_BF16 && v->type != TY_F16) || !value_packed(v) || !n || order[n - 1] != vec) return none;
    return (Pair){c->op == OP_MAX ? "td_max2" : "td_min2", v, value_name_with(l, f->s->out[0], "_pair")};
}

static void pair_begin(Lower *l, const Fold *f, const Pair *p) {
    Sym first = value_name_with(l, f->s->out[0], "_first"), none = value_name_with(l, f->s->out[0], "_none");
    const char *T = lower_storage_type(p->packed->type);
    const Code *identity = fold_identity(l, f->s->monoid, 0);
    put_declare(l, sym_fmt(l->ctx, "const %s", lower_value_type(p->packed->type)), first, "[2] = {%c, %c}", identity,
                identity);
    put_declare(l, sym_fmt(l->ctx, "td_word<%s>", T), none, "[1]");
    put_do(l, "td_pack<%s, 2>(%n, %n)", T, none, first);
    put_declare(l, "uint32_t", p->name, " = %n[0]", none);
}

static void pair_vector(Lower *l, const Pair *p, const Factor *vec) {
    Sym packed = value_name(l, p->packed);
    put_digit_loop(l, factor_name(l, vec), vec->size, 2, false)->braces = BARE;
    put_do(l, "%n = %s<%s>(%n, %n[(%c) / 2])", p->name, p->op, lower_storage_type(p->packed->type), p->name, packed,
           value_index(l, p->packed));
    put_end(l);
}

static void pair_end(Lower *l, const Fold *f, const Pair *p) {
    for (int i = 0; i < 2; i++) {
        const Code *half = code(l->ctx, "td_get<%s>(&%n, %d)", lower_storage_type(p->packed->type), p->name, i);
        put_step(l, f, &half, NULL);
    }
}

/* ---- the thread's own elements ---- */

/* Folded axes whose elements past the end a fold must leave out; the elements of others stay undefined there. */
static bool needs_predicate(Lower *l, const Fold *f, const Axis *a, FactorSet *all) {
    FactorSet have = f->s->over | f->domain | axis_ambient(l, f->layout);
    *all = layout_axis_factors(f->layout, a);
    return (*all & f->s->over) && !(*all & ~have);
}

/* The predicate of the folded axes where it is the same for all registers of the result; NULL: not, or none is
 * needed. */
static const Code *common_guard(Lower *l, const Fold *f) {
    const Code *guard = NULL;
    FactorSet regs = reg_factors(l, f->s->out[0]->domain), all;
    for (int i = 0; i < l->part->axes.n; i++) {
        if (!needs_predicate(l, f, l->part->axes.at[i], &all)) continue;
        const Code *one = axis_predicate(l, f->layout, all);
        if (!one) continue;
        if (all & regs) return NULL;
        guard = code_join(l->ctx, guard, " && ", one);
    }
    return guard;
}

const Code *fold_guard(Lower *l, const Fold *f, const Factor *vec, bool whole, const Axis **vector) {
    const Code *guard = NULL;
    FactorSet all;
    *vector = NULL;
    for (int i = 0; i < l->part->axes.n; i++) {
        const Axis *a = l->part->axes.at[i];
        const Code *one = needs_predicate(l, f, a, &all) ? axis_predicate(l, f->layout, all) : NULL;
        if (!one) continue;
        bool only = vec && vec->bind == BIND_VEC && vec->axis == a && !guard && !f->s->cond &&
                    (whole || !axis_whole_vector(l, f->layout, a));
        *vector = only ? a : NULL;
        guard = code_join(l->ctx, guard, " && ", one);
    }
    if (f->s->cond) guard = code_join(l->ctx, guard, " && ", expr_code(l, f->s->cond, f->layout));
    return guard;
}

/* Several results: the predicate is asked once an element of the folded axes, not once a result. */
static void put_common_fold(Lower *l, Fold *f, const Code *guard) {
    Stage *s = f->s;
    Factor *inner[MAX_FACTORS];
    const Code *right[MAX_PARTS], *c = s->cond ? expr_code(l, s->cond, f->layout) : NULL;
    int loops = put_reg_loops(l, f->outs, f->nouts);
    put_identity(l, s->monoid, f->state);
    put_ends(l, loops);
    int more = put_reg_loops(l, inner, list_reg_factors(f->layout, s->over, inner));
    put_if(l, guard);
    loops = put_reg_loops(l, f->outs, f->nouts);
    operands(l, f, right);
    put_step(l, f, right, c);
    put_ends(l, loops);
    put_end(l);
    put_ends(l, more);
}

static void put_vector(Lower *l, const Fold *f, Factor *vec, const Code *const *right, const Code *guard) {
    put_digit_loop(l, factor_name(l, vec), vec->size, 1, false);
    put_step(l, f, right, guard);
    put_end(l);
}

/* ---- several folds side by side ---- A fold of floats, which waits for each result before the next operation, is made
 * of some that do not wait for each other; which element goes to which is fixed, so that results repeat. Several folds
 * in one do not wait for each other either, and each is made of fewer. */

enum { SIDE_BY_SIDE = 4 };

typedef struct Sides {
    int n; /* states of each part; 0: there is one */
    Sym name[MAX_PARTS];
    const Code *whole[MAX_PARTS];
} Sides;

/* Each part is combined by itself, of floats: sums. */
static bool parts_apart(const Monoid *m) {
    for (int i = 0; i < m->n; i++) {
        const Expr *c = m->combine[i];
        if (!type_is_float(m->type[i])) return false;
        if (m->n > 1 && (c->op != OP_ADD || c->arg[0]->op != OP_ARG || c->arg[0]->u.i != i || c->arg[1]->op != OP_ARG))
            return false;
    }
    return !m->ordered;
}

static Sides sides_begin(Lower *l, Fold *f, Factor *const *inner, int ninner) {
    FactorSet set = 0;
    int64_t elements;
    for (int i = 0; i < ninner; i++) set |= (FactorSet)1 << inner[i]->id;
    const Code *number = digits_code(l, f->layout, set, &elements);
    Sides sides = {.n = f->n < SIDE_BY_SIDE ? SIDE_BY_SIDE / f->n : 1};
    while (sides.n & (sides.n - 1)) sides.n--;
    bool few = elements < 2 * SIDE_BY_SIDE || reg_count(l, f->s->out[0]->domain) >= SIDE_BY_SIDE;
    if (sides.n < 2 || few || !parts_apart(f->s->monoid)) return (Sides){0};
    for (int k = 0; k < f->n; k++) {
        sides.name[k] = value_name_with(l, f->s->out[k], "_side");
        sides.whole[k] = f->state[k];
        put_declare(l, lower_value_type(f->s->monoid->type[k]), sides.name[k], "[%l]", (int64_t)sides.n);
        put_loop(l, true, "int i = 0; i < %d; i++", sides.n)->braces = BARE;
        put_do(l, "%n[i] = %c", sides.name[k], f->state[k]);
        put_end(l);
        f->state[k] = code(l->ctx, "%n[(%c) %% %d]", sides.name[k], number, sides.n);
    }
    return sides;
}

static void sides_end(Lower *l, Fold *f, const Sides *sides) {
    if (!sides->n) return;
    for (int k = 0; k < f->n; k++) f->state[k] = sides->whole[k];
    for (int step = sides->n / 2; step; step /= 2)
        for (int i = 0; i < step; i++) {
            const Code *left[MAX_PARTS], *right[MAX_PARTS];
            for (int k = 0; k < f->n; k++) {
                left[k] = code(l->ctx, "%n[%d]", sides->name[k], i);
                right[k] = code(l->ctx, "%n[%d]", sides->name[k], i + step);
            }
            put_combine(l, f->s->monoid, left, right, step == 1 ? f->state : left, NULL);
        }
}

static int64_t elements_of(Factor *const *inner, int n) {
    int64_t elements = 1;
    for (int i = 0; i < n; i++) elements *= inner[i]->size;
    return elements;
}

/* Whether vectors of which all elements lie inside, or none does, may be asked for one by one: where all but the last
 * register are filled, or there are few. With more of them, loads would wait for the folds of those before, since each
 * has a predicate, of which there are seven: rows of 32768 elements, eight vectors a thread, took an H200 1.36 times a
 * copy, and 1.06 element by element. */
static bool few_tests(const Lower *l, const Axis *a, Factor *const *inner, int ninner) {
    enum { FEW = 4 };
    return axis_is_filled(l, a) || elements_of(inner, ninner - 1) <= FEW;
}

/* Whether only the last register's elements are asked for, and so many wait for each other that it takes longer than
 * the registers of several sums are worth: of 64 elements these were 80 and not 63, and one block fitted where two had.
 */
static bool long_wait(const Lower *l, const Axis *a, Factor *const *inner, int ninner) {
    enum { LONG = 128 };
    return a && axis_is_filled(l, a) && elements_of(inner, ninner) >= LONG;
}

/* Pairs of what lies inside, where accesses are wide. */
static void put_pairs(Lower *l, const Fold *f, const Pair *pair, const Axis *a, Factor *const *inner, int ninner) {
    Factor *vec = inner[ninner - 1];
    put_if(l, code(l->ctx, "A == 1"));
    pair_begin(l, f, pair);
    const int loops = put_reg_loops(l, inner, ninner - 1);
    put_if(l, axis_vector_inside(l, f->layout, a, vec));
    pair_vector(l, pair, vec);
    put_end(l);
    put_ends(l, loops);
    pair_end(l, f, pair);
    put_else(l);
}

static void put_thread_fold(Lower *l, Fold *f) {
    if (fold_selected(l, f)) return;
    const Code *common = f->nouts ? common_guard(l, f) : NULL, *right[MAX_PARTS];
    if (common) {
        put_common_fold(l, f, common);
        return;
    }
    int loops = put_reg_loops(l, f->outs, f->nouts);
    put_identity(l, f->s->monoid, f->state);
    Factor *inner[MAX_FACTORS];
    int ninner = list_reg_factors(f->layout, f->s->over, inner);
    Factor *vec = ninner && inner[ninner - 1]->bind == BIND_VEC ? inner[ninner - 1] : NULL;
    const Axis *vector, *alike = NULL;
    const Code *guard = fold_guard(l, f, vec, false, &vector);
    if (guard && !vector && !f->nouts) fold_guard(l, f, vec, true, &alike);
    Pair pair = f->nouts || (guard && !vector && !alike) ? (Pair){0} : pair_of(l, f, vec);
    const bool apart = alike && pair.op && few_tests(l, alike, inner, ninner);
    if (apart) put_pairs(l, f, &pair, alike, inner, ninner);
    if (alike) pair.op = NULL;
    operands(l, f, right);
    if (pair.op) pair_begin(l, f, &pair);
    /* an element that is asked for takes a select each, which is dearer than waiting */
    const bool each = guard && !vector && !long_wait(l, alike, inner, ninner);
    Sides sides = pair.op || each ? (Sides){0} : sides_begin(l, f, inner, ninner);
    int more = put_reg_loops(l, inner, vector || pair.op ? ninner - 1 : ninner);
    if (vector) put_if(l, axis_vector_inside(l, f->layout, vector, vec));
    if (pair.op)
        pair_vector(l, &pair, vec);
    else if (vector)
        put_vector(l, f, vec, right, NULL);
    else
        put_step(l, f, right, guard);
    if (vector) {
        put_else(l);
        put_vector(l, f, vec, right, guard);
        put_end(l);
    }
    put_ends(l, more);
    sides_end(l, f, &sides);
    if (pair.op) pair_end(l, f, &pair);
    if (apart) put_end(l);
    put_ends(l, loops);
}

bool reduce_has_barrier(Lower *l, const Stage *s) {
    FactorSet warps;
    fold_lane_mask(stage_layout(l, s), s->over, &warps);
    return warps != 0;
}

void lower_reduce(Lower *l, Stage *s) {
    Fold f = {.s = s, .layout = stage_layout(l, s), .n = s->monoid->n};
    l->open.layout = f.layout;
    for (int i = 0; i < f.n; i++) f.domain |= expr_domain(l->part, f.layout, s->expr[i]);
    if (s->cond) f.domain |= expr_domain(l->part, f.layout, s->cond);
    for (int i = 0; i < f.n; i++) put_state(l, s->out[i]);
    f.nouts = list_reg_factors(f.layout, s->out[0]->domain, f.outs);
    for (int i = 0; i < f.n; i++) f.state[i] = value_element(l, s->out[i]);
    put_thread_fold(l, &f);
    FactorSet warps, cluster = fold_cluster_factors(f.layout, s->over);
    int mask = fold_lane_mask(f.layout, s->over, &warps);
    if (mask) fold_lanes(l, &f, mask, true);
    if (warps) fold_warps(l, &f, warps);
    if (cluster) fold_cluster(l, &f, cluster);
}
