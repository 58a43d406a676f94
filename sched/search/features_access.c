/* Features, accesses: how the address of each access to global memory moves along every factor, as formulas of the
 * dimensions, and how wide the lowering makes it. */
#include "features_form.h"

/* Steps to prove where a quotient lies: what takes more is left as it stands. Of the suite and the corpus nothing is
 * judged otherwise than with 20000 of them. */
enum { A_PROOF = 300 };

#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "sched/kernel/uniform.h"
#include "sched/machine/target.h"

#include <math.h>

#define BESIDE(name, value, source) static const double name = value;
#include "issue.def"

/* An access as it is read. */
typedef struct Placing {
    Reading *x;
    const Layout *l;
    Access *a;
    const Factor *of[FEATURE_DIGITS];
    const Expr *cond; /* of digits; NULL: it is made everywhere */
    int nv;           /* the digits of a vector, the fastest first, and how many steps of each it has */
    Factor *vector[FEATURE_DIGITS];
    int64_t steps[FEATURE_DIGITS];
} Placing;

/* ---- digits ---- */

static bool is_open(const Reading *x, const Factor *f) {
    return bind_scope(f->bind) != SCOPE_LOOP || x->loops >> f->id & 1;
}

/* Of a loop: the body that it repeats. */
static int loop_body(const Reading *x, const Factor *f) {
    for (int b = x->body; b >= 0; b = x->f->bodies.at[b].parent)
        if (x->f->bodies.at[b].factor == f) return b;
    return 0;
}

static void place_digits(Placing *p) {
    Access *a = p->a;
    for (int i = 0; i < p->l->factors.n; i++) {
        const Factor *f = p->l->factors.at[i];
        if (f->size == 1 || !is_open(p->x, f)) continue;
        if (a->ndigits == FEATURE_DIGITS) {
            p->x->f->known = false;
            return;
        }
        p->of[a->ndigits] = f;
        a->digit[a->ndigits++] = (Digit){
            .scope = bind_scope(f->bind),
            .count = feature_count(p->x, f),
            .most = tape_step(&p->x->f->tape, TAPE_DIV, feature_extent(p->x, f->axis), feature_step(p->x, f->stride)),
            .coef = tape_const(&p->x->f->tape, 0),
            .divisor = -1,
            .near = -1,
            .weight = bind_scope(f->bind) == SCOPE_THREAD ? f->tid_stride
                      : bind_scope(f->bind) == SCOPE_LOOP ? loop_body(p->x, f)
                                                          : 0,
        };
    }
}

/* Inside of a loop whose ranges are data, rows that have ranges of their own begin anywhere along the axis. */
static void place_rows(Placing *p, const Stage *s) {
    Reading *x = p->x;
    for (int i = 0; i < x->trims.n; i++) {
        const Trim *t = &x->trims.at[i];
        int by = -1;
        for (int k = 0; k < p->a->ndigits; k++) {
            const Factor *f = p->of[k];
            if (f->axis != t->axis) continue;
            Digit *d = &p->a->digit[k];
            int stride = tape_step(&x->f->tape, TAPE_DIV, d->coef, feature_step(x, f->stride));
            if (by < 0 || !tape_is(&x->f->tape, stride, 0)) by = stride;
            if (f->bind == BIND_SERIAL) d->count = d->most = t->trips;
        }
        FactorSet used = 0; /* by the index, or by data that was loaded at it */
        for (int d = 0; d < s->tensor->rank; d++) used |= expr_domain(x->part, p->l, s->subs[d]);
        const bool uses = used & layout_axis_factors(p->l, t->axis);
        for (int k = 0; k < p->a->ndigits && uses && t->data && by >= 0; k++) {
            Digit *d = &p->a->digit[k];
            if (!(t->rows >> p->of[k]->id & 1) || d->scope == SCOPE_REG) continue;
            d->data = true;
            d->coef = by;
        }
    }
}

static Digit *digit_of(Placing *p, const Factor *f) {
    for (int i = 0; i < p->a->ndigits; i++)
        if (p->of[i] == f) return &p->a->digit[i];
    return NULL;
}

static void by_data(Placing *p, const Expr *e, int scale) {
    FactorSet set = expr_domain(p->x->part, p->l, e);
    for (int i = 0; i < p->a->ndigits; i++) {
        Digit *d = &p->a->digit[i];
        if (!(set >> p->of[i]->id & 1)) continue;
        d->data = true;
        d->coef = tape_step(&p->x->f->tape, TAPE_ADD, d->coef, scale);
    }
}

static int term_scale(Placing *p, const PolyTerm *t, int scale, const Expr **other, int *nother) {
    Tape *tape = &p->x->f->tape;
    int step = tape_step(tape, TAPE_MUL, tape_const(tape, (double)t->coef), scale);
    *nother = 0;
    for (int d = 0; d < t->degree; d++) {
        if (expr_over_dims(t->atom[d]))
            step = tape_step(tape, TAPE_MUL, step, feature_step(p->x, t->atom[d]));
        else
            other[(*nother)++] = t->atom[d];
    }
    return step;
}

enum { DEEPEST = 4 /* of what stands in what */ };

/* What an atom mostly moves as: the operand of a cast, and of a bound of an index the index; NULL: it is none. */
static const Expr *moves_as(const Placing *p, const Expr *e) {
    if (e->op == OP_CAST || e->op == OP_MOD) return e->arg[0];
    if (e->op != OP_MIN && e->op != OP_MAX) return NULL;
    return e->arg[expr_domain(p->x->part, p->l, e->arg[0]) == 0];
}

/* scale * (slope * up / divisor): along each factor the numerator grows by a slope. */
static void add_slopes(Placing *p, Poly up, int slope, int divisor, int scale, int depth) {
    Reading *x = p->x;
    for (int i = 0; i < up.n; i++) {
        const Expr *other[POLY_MAX_DEGREE], *as;
        int n, by = term_scale(p, &up.term[i], slope, other, &n);
        Digit *d = n == 1 && other[0]->op == OP_FACTOR ? digit_of(p, other[0]->u.factor) : NULL;
        if (d && d->divisor < 0) {
            d->slope = by;
            d->divisor = divisor;
            d->scale = scale;
        } else if (d && d->slope == by && d->divisor == divisor) { /* products of lengths are terms of their own */
            d->scale = tape_step(&x->f->tape, TAPE_ADD, d->scale, scale);
        } else if (n == 1 && other[0]->op != OP_MOD && depth < DEEPEST && (as = moves_as(p, other[0])))
            add_slopes(p, poly_of(&x->env, as), by, divisor, scale, depth + 1);
        else
            for (int k = 0; k < n && !d; k++) by_data(p, other[k], scale);
    }
}

/* scale * (e / divisor). */
static void add_quotient(Placing *p, const Expr *e, int scale) {
    Reading *x = p->x;
    add_slopes(p, poly_of(&x->env, e->arg[0]), tape_const(&x->f->tape, 1), feature_step(x, e->arg[1]), scale, 0);
}

static void expand(Placing *p, const Expr *const *from, const Expr **to, int n);

/* scale * offset. */
static void add_offset(Placing *p, Poly offset, int scale, int depth) {
    Tape *tape = &p->x->f->tape;
    for (int i = 0; i < offset.n; i++) {
        const Expr *other[POLY_MAX_DEGREE], *e, *as;
        int n, step = term_scale(p, &offset.term[i], scale, other, &n);
        double known, times;
        e = other[0];
        for (int k = 0; k < n && depth == 0; k++)
            if (other[k]->op != OP_FACTOR)
                feature_address(p->x, p->l, other[k], tape_known(tape, step, &known), p->a->aside);
        if (n == 0) {
            p->a->start = tape_step(tape, TAPE_ADD, p->a->start, step);
        } else if (n == 1 && e->op == OP_FACTOR) {
            Digit *d = digit_of(p, e->u.factor);
            if (d) d->coef = tape_step(tape, TAPE_ADD, d->coef, step);
        } else if (n == 1 && e->op == OP_DIV && expr_over_dims(e->arg[1]))
            add_quotient(p, e, step);
        else if (n == 1 && depth < DEEPEST && (as = feature_displaced(p->x->part, p->l, e, &times))) {
            expand(p, &as, &e, 1);
            add_offset(p, poly_of(&p->x->env, e), tape_step(tape, TAPE_MUL, step, tape_const(tape, times)), depth + 1);
        } else if (n == 1 && depth < DEEPEST && (as = moves_as(p, e)))
            add_offset(p, poly_of(&p->x->env, as), step, depth + 1);
        else if (n == 1 && e->op == OP_IF && depth < DEEPEST)
            add_offset(p, poly_of(&p->x->env, e->arg[1]), step, depth + 1);
        else
            for (int k = 0; k < n; k++) by_data(p, other[k], step);
    }
}

/* Expressions with every axis as the sum of its digits. */
static void expand(Placing *p, const Expr *const *from, const Expr **to, int n) {
    Reading *x = p->x;
    Graph *g = x->g;
    const Expr *axis[MAX_FACTORS], *index[MAX_FACTORS];
    const int naxes = x->part->axes.n < MAX_FACTORS ? x->part->axes.n : MAX_FACTORS;
    for (int i = 0; i < naxes; i++) {
        const Axis *a = x->part->axes.at[i];
        const Expr *e = a->lo;
        for (int k = 0; k < p->l->factors.n; k++) {
            Factor *f = p->l->factors.at[k];
            if (f->axis != a || f->size == 1) continue;
            e = expr2(g, OP_ADD, e, expr2(g, OP_MUL, expr_factor(&x->own, f), expr_cast(g, TY_I64, f->stride)));
        }
        axis[i] = expr_var(g, a->var);
        index[i] = e;
    }
    for (int d = 0; d < n; d++) to[d] = expr_replace(g, from[d], axis, index, naxes);
}

/* What is known, for proofs that do not take long. */
static PolyEnv short_proofs(const Reading *x, int *work) {
    PolyEnv env = x->env;
    *work = A_PROOF;
    env.work = work;
    return env;
}

static Poly offset_of(Placing *p, const Stage *s) {
    const Expr *at[MAX_RANK];
    int work;
    const PolyEnv env = short_proofs(p->x, &work);
    expand(p, s->subs, at, s->tensor->rank);
    return poly_offset(&env, s->tensor, at);
}

/* ---- vectors ---- */

/* The number of that condition among all. */
static int need_multiple(Reading *x, int step, int64_t of) {
    for (int i = 0; i < x->f->conds.n; i++)
        if (x->f->conds.at[i].step == step && x->f->conds.at[i].of == of) return i;
    vec_push(x->ctx, &x->f->conds, ((WideCond){step, of}));
    x->f->known &= x->f->conds.n <= FEATURE_CONDS;
    return x->f->conds.n - 1;
}

static void need_aligned(Placing *p, int step, int64_t of) {
    p->a->aligned |= (uint64_t)1 << need_multiple(p->x, step, of) % FEATURE_CONDS;
}

/* Whether all that moves the address beside the vector moves it by multiples of V elements, as far as is known before
 * the sizes are; where `ask`, the rest becomes a condition. */
static bool aligned(Placing *p, int64_t V, bool ask) {
    Reading *x = p->x;
    for (int i = 0; i < p->a->ndigits; i++) {
        const Digit *d = &p->a->digit[i];
        double c;
        if (d->serves && tape_known(&x->f->tape, d->coef, &c) && c < (double)V) continue;
        if (tape_known(&x->f->tape, d->coef, &c)) {
            if ((int64_t)c % V) return false;
        } else if (ask)
            need_aligned(p, d->coef, V);
        if (d->divisor >= 0 && ask && !tape_known(&x->f->tape, d->divisor, &c)) need_aligned(p, d->divisor, V);
        if (d->divisor >= 0 && tape_known(&x->f->tape, d->divisor, &c) && (int64_t)c % V) return false;
    }
    return true;
}

/* As vector_plan of the lowering: register factors whose steps continue each other from one element on. */
static int64_t plan_vector(Placing *p, FactorSet may) {
    Reading *x = p->x;
    Access *a = p->a;
    int64_t V = 1, most = (int64_t)(TARGET_ACCESS / a->bytes);
    p->nv = 0;
    for (int i = 0; i < a->ndigits; i++) a->digit[i].serves = false;
    for (bool more = true; more && V < most;) {
        more = false;
        for (int i = 0; i < a->ndigits && !more; i++) {
            Digit *d = &a->digit[i];
            double c, n;
            if (d->scope != SCOPE_REG || d->serves || d->data || !(may >> p->of[i]->id & 1)) continue;
            if (!tape_known(&x->f->tape, d->coef, &c) || c != (double)V || !tape_known(&x->f->tape, d->count, &n))
                continue;
            int64_t part = gcd64((int64_t)n, most / V);
            if (part == 1) continue;
            d->serves = true;
            p->vector[p->nv] = x->part->factors.at[p->of[i]->id];
            p->steps[p->nv++] = part;
            V *= part;
            more = part == (int64_t)n;
            if (!more) most = V;
        }
    }
    return V;
}

/* As vector_halve. */
static int64_t halve(Placing *p, int64_t V) {
    int64_t *const last = &p->steps[p->nv - 1];
    if (*last % 2) return 1;
    *last /= 2;
    if (*last == 1) p->nv--;
    return V / 2;
}

/* Whether the condition is the same for all elements of a vector, which the lowering asks in the same way. */
static bool is_same(const Placing *p, UniformNeeds *needs) {
    int work;
    const PolyEnv env = short_proofs(p->x, &work);
    needs->n = 0;
    return !p->cond ||
           uniform_condition(&env, p->x->part, p->l, p->cond, (UniformVector){p->nv, p->vector, p->steps}, needs);
}

/* Where the condition needs something of lengths, accesses are of vectors in the instance alone for which all holds. */
static void need_same(Placing *p, const UniformNeeds *needs) {
    Reading *x = p->x;
    for (int i = 0; i < needs->n; i++)
        need_aligned(p, feature_step(x, poly_expr(x->g, needs->at[i].dims)), needs->at[i].of);
    p->a->together = needs->n > 0;
}

static void place_vector(Placing *p, FactorSet may) {
    Access *a = p->a;
    const bool early = a->peel || a->across;
    UniformNeeds needs;
    int64_t V = plan_vector(p, may);
    while (V > 1 && !(is_same(p, &needs) && (early || aligned(p, V, false)))) V = halve(p, V);
    if (V > 1 && !early) aligned(p, V, true);
    if (V > 1 && !early && a->tensor->kind != TENSOR_LET) a->aligned |= FEATURE_BASES;
    if (V > 1) need_same(p, &needs);
    a->vector = (int)V;
}

/* The same under a condition. Elements of a vector between which that differs are accesses of their own, each behind a
 * test. That costs where it is of lengths which are not known: of others nvcc makes little (a rotation of rows of 128
 * elements took an H100 39 us, as predicted without tests, and 188 where lengths were unsaid). */
static void place_tested(Placing *p, FactorSet may, FactorSet varies, const Expr *cond) {
    place_vector(p, may);
    if (p->a->vector > 1 || !p->cond || !(varies & may)) return;
    place_vector(p, may & ~varies);
    if (p->a->vector > 1 || !cond || !expr_has_op(cond, OP_DIM)) return;
    int64_t V = plan_vector(p, may);
    while (V > 1 && !aligned(p, V, false)) V = halve(p, V);
    p->a->vector = (int)V;
    p->a->single = V > 1;
}

/* Where an axis may end inside of a vector, wide accesses are for multiples alone; a plain map cuts
 * vectors in its second instance, which costs little unless conditions make single elements of them there. */
static void need_whole(Placing *p) {
    Reading *x = p->x;
    for (int i = 0; i < p->a->ndigits; i++) {
        double c;
        const Axis *axis = p->of[i]->axis;
        if (!p->a->digit[i].serves || axis->peel || p->a->vector == 1 || p->a->single) continue;
        if (!x->folds && !p->a->together) continue;
        int extent = feature_extent(x, axis);
        if (!tape_known(&x->f->tape, extent, &c)) need_multiple(x, extent, p->a->vector);
    }
}

/* From which length on an axis's elements are not tested each, as a share of that (lower_inside.c): tiles that are
 * walked are inside but for the last, where threads do not meet what each of them has, and so are registers before the
 * last one that a row reaches. -1: there is none. */
static int filled(Placing *p, const Axis *axis) {
    Reading *x = p->x;
    Tape *t = &x->f->tape;
    const bool by_threads = x->apart && layout_by_threads(p->l);
    int64_t step, registers, block = 1;
    bool walked = false;
    for (int i = 0; i < p->l->factors.n; i++) {
        const Factor *f = p->l->factors.at[i];
        if (f->axis != axis || f->size == 1) continue;
        walked |= f->bind == BIND_SERIAL || f->bind == BIND_GRID;
        if (f->size && !(by_threads && bind_scope(f->bind) == SCOPE_THREAD)) block *= f->size;
    }
    if (walked) return tape_step(t, TAPE_DIV, feature_extent(x, axis), tape_const(t, (double)block));
    if (x->loops || !feature_in_registers(x, p->l, axis, &step, &registers)) return -1;
    return tape_step(t, TAPE_DIV, feature_extent(x, axis), tape_const(t, (double)(step * (registers - 1))));
}

/* Registers beside tiles. For the ends of rows: a length that is not known is compared for each vector; what is stored
 * one by one there the compiler keeps element by element from where it was loaded, unless it is told to keep words. And
 * what lies across pieces is loaded early. */
static void count_beside(Placing *p, const Axis *axis, FactorSet domain) {
    Reading *x = p->x;
    const double registers = feature_registers(x->part, domain);
    double length, vector = 1, n = 0;
    for (int i = 0; i < p->l->factors.n; i++)
        if (p->l->factors.at[i]->axis == axis && p->l->factors.at[i]->bind == BIND_VEC)
            vector = (double)p->l->factors.at[i]->size;
    const bool pieces = axis->peel && p->a->across && (!p->a->peel || p->a->apart);
    if (pieces) x->across += registers * p->a->bytes / TARGET_REGISTER * (x->folds ? 1 : 2);
    if (!x->folds) return;
    const double here = feature_registers(x->part, domain & layout_axis_factors(p->l, axis));
    if (here > 1 && !tape_known(&x->f->tape, feature_extent(x, axis), &length)) {
        n += LENGTH * here / vector;
        p->a->open = true;
        p->a->filled = filled(p, axis);
        if (here / vector > p->a->vector_tests) {
            p->a->vector_tests = here / vector;
            p->a->full = p->a->filled;
        }
    }
    if (axis->peel && p->a->store) n += ENDS + (x->packed ? 0 : ELEMENT * registers);
    x->ends = fmax(x->ends, n);
}

/* Whether an access goes to the rows of its tensor that have the numbers of those by which an axis is peeled. */
static bool same_rows(const Stage *s, const Stage *by) {
    const int rank = s->tensor->rank, other = by ? by->tensor->rank : 0;
    if ((rank > 1) != (other > 1)) return false;
    for (int d = 2; d <= rank && d <= other; d++)
        if (s->subs[rank - d] != by->subs[other - d]) return false;
    return true;
}

/* Elements of another size are not aligned along a peeled axis. Other rows than those of the peeled tensor, or one row
 * for all those, are aligned with them only where they are multiples of a vector. What is not is loaded across pieces,
 * if its elements are words or parts of them, and stored one by one. */
static bool place_peel(Placing *p, const Stage *s, FactorSet domain) {
    bool early = false; /* it moves along an axis that starts early */
    p->a->row = -1;
    for (int i = 0; i < p->x->part->axes.n; i++) {
        const Axis *axis = p->x->part->axes.at[i];
        const Tensor *by = axis->peel;
        if (!by || !(domain & layout_axis_factors(p->l, axis))) continue;
        const Tensor *t = p->a->tensor;
        early = true;
        p->a->edges = feature_edges(p->l, axis);
        p->a->rows = feature_rows(p->l, axis);
        p->a->peel |= type_bits(t->type) == type_bits(by->type);
        p->a->row = feature_step(p->x, by->shape[by->rank - 1]);
        p->a->apart = !same_rows(s, axis_peel_access(axis, p->x->part->body.at, p->x->part->body.n));
    }
    p->a->across = early && !p->a->store && p->a->bytes >= 1 && p->a->bytes <= TARGET_REGISTER;
    return early;
}

/* ---- accesses ---- */

static bool same_place(const Stage *a, const Stage *b) {
    if (a->tensor != b->tensor) return false;
    for (int d = 0; d < a->tensor->rank; d++)
        if (a->subs[d] != b->subs[d]) return false;
    return true;
}

/* The body of an earlier access to the same elements. */
static int earlier(Reading *x, const Stage *s) {
    for (int i = x->seen.n - 1; i >= 0; i--)
        if (same_place(x->seen.at[i].stage, s)) return x->seen.at[i].body;
    return -1;
}

static int tensor_number(Reading *x, const Tensor *t) {
    for (int i = 0; i < x->f->tensors.n; i++)
        if (x->f->tensors.at[i] == t) return i;
    vec_push(x->ctx, &x->f->tensors, t);
    return x->f->tensors.n - 1;
}

/* Extents of the axes over what their factors walk. */
static int inside(Placing *p, FactorSet domain) {
    Reading *x = p->x;
    Tape *t = &x->f->tape;
    int share = tape_const(t, 1);
    for (int i = 0; i < x->part->axes.n; i++) {
        const Axis *axis = x->part->axes.at[i];
        int walked = tape_const(t, 1);
        bool any = false;
        for (int k = 0; k < p->l->factors.n; k++) {
            const Factor *f = p->l->factors.at[k];
            if (f->axis != axis) continue;
            any |= domain >> f->id & 1;
            walked = tape_step(t, TAPE_MUL, walked, feature_count(x, f));
        }
        if (!any) continue;
        int part = tape_step(t, TAPE_DIV, feature_extent(x, axis), walked);
        share = tape_step(t, TAPE_MUL, share, tape_step(t, TAPE_MIN, part, tape_const(t, 1)));
    }
    return share;
}

/* The latest earlier load of the same iteration that differs in where it starts alone. */
static int alike(const Reading *x, const Access *a) {
    for (int i = x->f->accesses.n - 1; i >= 0; i--) {
        const Access *b = &x->f->accesses.at[i];
        bool same = b->tensor == a->tensor && b->body == a->body && b->store == a->store && b->ndigits == a->ndigits;
        for (int k = 0; same && k < a->ndigits; k++)
            same = a->digit[k].coef == b->digit[k].coef && a->digit[k].count == b->digit[k].count;
        if (same) return i;
    }
    return -1;
}

static bool digits_alike(const Digit *a, const Digit *b) {
    const bool there = a->scope == SCOPE_LOOP || a->weight == b->weight; /* a loop's weight says which one it is */
    return a->scope == b->scope && there && a->near == b->near && a->count == b->count && a->most == b->most &&
           a->coef == b->coef && a->slope == b->slope && a->divisor == b->divisor && a->scale == b->scale &&
           a->data == b->data && a->serves == b->serves;
}

/* The earliest access that touches as much at all sizes: passes over one row, and tensors that lie alike, have many. */
static int twin(const Reading *x, const Access *a) {
    for (int i = 0; i < x->f->accesses.n; i++) {
        const Access *b = &x->f->accesses.at[i];
        bool same = b->twin < 0 && b->bytes == a->bytes && b->vector == a->vector && b->open == a->open;
        same &= b->inside == a->inside && b->ndigits == a->ndigits;
        for (int k = 0; same && k < a->ndigits; k++) same = digits_alike(&a->digit[k], &b->digit[k]);
        if (same) return i;
    }
    return -1;
}

/* Where lanes are settled at launch, a warp has the rows of warps beside it in their block, as far as there are some,
 * then of blocks behind; a block has those of several blocks (lower_axis.c). */
static void place_beside(Placing *p) {
    Reading *x = p->x;
    Tape *t = &x->f->tape;
    Access *a = p->a;
    const int one = tape_const(t, 1);
    int rest = x->beside, blocks = x->beside; /* of a warp, of a block */
    if (!x->settled_lanes) return;
    for (int64_t weight = TARGET_WARP; weight < x->k->threads; weight += TARGET_WARP)
        for (int i = 0; i < a->ndigits; i++) {
            Digit *d = &a->digit[i];
            if (d->scope != SCOPE_THREAD || d->weight != weight) continue;
            d->near = tape_step(t, TAPE_MIN, d->count, rest);
            rest = tape_step(t, TAPE_DIV, rest, d->near);
        }
    for (int i = a->ndigits - 1; i >= 0; i--) { /* the last axis's blocks are the fastest */
        Digit *far = &a->digit[i], d = *far;
        double known;
        if (d.scope != SCOPE_BLOCK || (tape_known(t, d.count, &known) && known == 1)) continue;
        x->f->known &= a->ndigits < FEATURE_DIGITS;
        if (a->ndigits == FEATURE_DIGITS) return;
        d.scope = SCOPE_THREAD;
        d.weight = TARGET_WARP;
        d.near = tape_step(t, TAPE_MIN, d.count, rest);
        d.count = tape_step(t, TAPE_MIN, d.count, blocks);
        rest = tape_step(t, TAPE_DIV, rest, d.near);
        blocks = tape_step(t, TAPE_DIV, blocks, d.count);
        far->coef = tape_step(t, TAPE_MUL, far->coef, d.count);
        far->slope = tape_step(t, TAPE_MUL, far->slope, d.count);
        far->count = tape_step(t, TAPE_DIV, far->count, d.count);
        far->most = tape_step(t, TAPE_MAX, tape_step(t, TAPE_DIV, far->most, d.count), one);
        p->of[a->ndigits] = p->of[i];
        a->digit[a->ndigits++] = d;
    }
}

enum { WHOLE = 1 << 20 };

double feature_share(const Reading *x, const Value *v) { return (double)expr_map_number(&x->shares, v, WHOLE) / WHOLE; }

/* Registers of two axes that move an address alike are a window's results and taps: n and k of them have n + k - 1
 * elements. */
static void note_share(Placing *p, const Value *loaded) {
    const Tape *t = &p->x->f->tape;
    bool taken[FEATURE_DIGITS] = {false};
    double share = 1, a, b;
    for (int i = 0; i < p->a->ndigits; i++)
        for (int k = 0; k < i && !taken[i]; k++) {
            const Digit *d = &p->a->digit[i], *e = &p->a->digit[k];
            if (taken[k] || d->scope != SCOPE_REG || e->scope != SCOPE_REG || d->coef != e->coef || d->data || e->data)
                continue;
            if (p->of[i]->axis == p->of[k]->axis || !tape_known(t, d->count, &a) || !tape_known(t, e->count, &b))
                continue;
            taken[i] = taken[k] = true;
            share *= (a + b - 1) / (a * b);
        }
    expr_map_put_number(p->x->ctx, &p->x->shares, loaded, (intptr_t)(share * WHOLE));
}

void feature_access(Reading *x, const Stage *s) {
    Tape *tape = &x->f->tape;
    const bool store = s->kind == STAGE_STORE || s->kind == STAGE_ATOMIC;
    const Layout *l = !store && s->nout && s->out[0]->layout ? s->out[0]->layout : feature_layout(x, s);
    FactorSet domain = 0, starts_early = 0;
    FactorSet cond = s->cond ? expr_domain(x->part, l, s->cond) : 0;
    for (int d = 0; d < s->tensor->rank; d++) domain |= expr_domain(x->part, l, s->subs[d]);
    Access a = {.tensor = s->tensor,
                .number = tensor_number(x, s->tensor),
                .bytes = type_bits(s->tensor->type) / 8.0,
                .store = store,
                .atomic = s->kind == STAGE_ATOMIC,
                .exchanged = s->kind == STAGE_ATOMIC && monoid_exchanged(s->monoid->kind, s->tensor->type),
                .path = s->path,
                .body = x->body,
                .wait = x->wait,
                .before = earlier(x, s),
                .filled = -1,
                .start = tape_const(tape, 0),
                .all = tape_const(tape, 1)};
    Placing p = {.x = x, .l = l, .a = &a};
    const bool early = place_peel(&p, s, domain);
    for (int d = 0; d < s->tensor->rank; d++)
        a.all = tape_step(tape, TAPE_MUL, a.all, feature_step(x, s->tensor->shape[d]));
    for (int i = 0; i < x->part->axes.n; i++)
        if (domain & layout_axis_factors(l, x->part->axes.at[i])) count_beside(&p, x->part->axes.at[i], domain);
    place_digits(&p);
    Poly offset = offset_of(&p, s);
    x->f->known &= !offset.failed;
    if (!offset.failed) add_offset(&p, offset, tape_const(tape, 1), 0);
    place_rows(&p, s);
    const bool single = s->kind == STAGE_ATOMIC && !monoid_atomic_wide(s->monoid->kind, s->tensor->type);
    for (int i = 0; i < x->part->axes.n; i++)
        if (x->part->axes.at[i]->peel) starts_early |= layout_axis_factors(l, x->part->axes.at[i]);
    if (s->cond && s->kind != STAGE_ATOMIC) expand(&p, &s->cond, &p.cond, 1);
    const Expr *chooses = offset.failed || s->kind == STAGE_ATOMIC ? NULL : uniform_choosing(x->g, offset);
    if (chooses) p.cond = expr_and(x->g, p.cond, chooses);
    if (chooses) cond |= expr_domain(x->part, l, chooses);
    const FactorSet may = p.cond ? ~(cond & starts_early) : ~cond;
    place_tested(&p, single || (early && !a.peel && !a.across) ? 0 : may, cond, s->cond);
    need_whole(&p);
    place_beside(&p);
    a.inside = inside(&p, domain);
    a.some = tape_const(tape, 1);
    const Tensor *ends = s->cond ? feature_ends(s->cond) : NULL;
    for (int i = 0; i < x->ends_of.n; i++)
        if (ends && x->ends_of.at[i].tensor == ends) a.some = x->ends_of.at[i].some;
    a.alike = a.store ? -1 : alike(x, &a);
    a.twin = twin(x, &a);
    if (s->kind == STAGE_LOAD) note_share(&p, s->out[0]);
    x->f->known &= x->f->accesses.n < FEATURE_ACCESSES;
    vec_push(x->ctx, &x->seen, ((SeenAccess){s, x->body}));
    vec_push(x->ctx, &x->f->accesses, a);
}
