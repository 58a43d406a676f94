/* Features, instructions: what a thread issues, by the pipes that execute it. Counts of operators are rows of
 * issue.def; everything else is what the lowering is known to emit. */
#include "features_form.h"

#include "real.h"
#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "ir/monoid.h"
#include "sched/machine/target.h"

#include <math.h>

/* Instructions of one operation, by pipe; `other` are of none. */
typedef struct Issue {
    double fma, alu, special, other;
} Issue;

static const Issue of_operator[OP_COUNT] = {
#define ISSUE(op, fma, alu, special, other) [OP_##op] = {fma, alu, special, other},
#include "issue.def"
};

static const Issue of_few_digits[OP_COUNT] = {
#define UNDER(op, fma, alu, special, other) [OP_##op] = {fma, alu, special, other},
#include "issue.def"
};

#define COUNT(name, value, source) static const double name = value;
#include "issue.def"

static Body *open_body(Reading *x) { return &x->f->bodies.at[x->body]; }

static double issued(Reading *x) {
    const Body *b = open_body(x);
    double n = b->other;
    for (int p = 0; p < PIPE_COUNT; p++) n += b->issue[p];
    return n;
}

void feature_issue(Reading *x, Pipe pipe, double n) { open_body(x)->issue[pipe] += n; }

static void add_issue(Reading *x, Issue i, double n) {
    feature_issue(x, PIPE_FMA, n * i.fma);
    feature_issue(x, PIPE_ALU, n * i.alu);
    feature_issue(x, PIPE_SPECIAL, n * i.special);
    open_body(x)->other += n * i.other;
}

/* ---- expressions ---- */

static bool is_narrow(Type t) { return type_bits(t) < 32 && t != TY_BOOL; }

void feature_convert(Reading *x, Type from, Type to, double n) {
    if (from == to) return;
    const bool floats = type_is_float(from) && type_is_float(to);
    if (from == TY_F64 || to == TY_F64)
        feature_issue(x, PIPE_SPECIAL, n);
    else if (floats && is_narrow(to))
        feature_issue(x, PIPE_ALU, n * (type_bits(to) == 16 ? PACKED_FLOAT : PACKED_SMALL));
    else if (from == TY_F16 && floats)
        feature_issue(x, PIPE_FMA, n);
    else if (floats)
        feature_issue(x, PIPE_ALU, n * (type_bits(from) == 16 ? UNPACKED_FLOAT : UNPACKED_SMALL));
    else if (type_is_float(from) != type_is_float(to))
        feature_issue(x, PIPE_SPECIAL, n);
    else if (is_narrow(from) || is_narrow(to))
        feature_issue(x, PIPE_ALU, n);
}

static Found is_long(const Expr *e, const void *unused) {
    (void)unused;
    return e->op == OP_VALUE || e->op == OP_ARG ? FOUND : FOUND_INSIDE;
}

/* An index compared with data, which has as many bits as an index then. */
static bool is_index_test(const Expr *e) {
    return (e->op == OP_EQ || e->op == OP_NE) &&
           (!expr_has(e->arg[0], is_long, NULL) || !expr_has(e->arg[1], is_long, NULL));
}

static Found is_special(const Expr *e, const void *unused) {
    (void)unused;
    return e->nargs && type_is_float(e->type) && of_operator[e->op].special > 0 ? FOUND : FOUND_INSIDE;
}

bool features_special(const Expr *e) { return expr_has(e, is_special, NULL) != NULL; }

/* A sum of a product and something else is one instruction, which is counted with the product. */
static bool is_fused(const Expr *e) {
    return (e->op == OP_ADD || e->op == OP_SUB) && type_is_float(e->type) &&
           (e->arg[0]->op == OP_MUL || e->arg[1]->op == OP_MUL);
}

static void operator(Reading *x, const Expr *e, double n) {
    const Type t = e->nargs ? e->arg[0]->type : e->type;
    if (e->op == OP_CAST) {
        const bool index = t == TY_I64 && type_is_float(e->type) && !expr_has(e->arg[0], is_long, NULL);
        if (index)
            feature_issue(x, PIPE_ALU, n); /* I2FP, of 32 bits */
        else
            feature_convert(x, t, e->type, n);
        return;
    }
    int64_t by;
    const Issue i = expr_map_number(&x->under, e, 0) ? of_few_digits[e->op] : of_operator[e->op];
    if (is_fused(e)) return;
    if (t == TY_F64) {
        feature_issue(x, PIPE_WIDE, n * (i.fma + i.alu + i.special * WIDE_SPECIAL));
        return;
    }
    const bool whole = !type_is_float(t) && t != TY_BOOL;
    if (t == TY_I64 && !is_index_test(e) && expr_has(e, is_long, NULL)) n *= LONG; /* what is no index */
    if (whole && (e->op == OP_DIV || e->op == OP_MOD))
        add_issue(x,
                  expr_is_int(e->arg[1], &by)                      ? (Issue){2, BY_CONSTANT, 0, 0}
                  : e->type == TY_I64 && expr_over_dims(e->arg[1]) ? (Issue){2, BY_LENGTH, 0, 0}
                                                                   : (Issue){0, WHOLE_DIVISION, 2, 0},
                  n);
    else if (whole && (e->op == OP_ADD || e->op == OP_SUB || e->op == OP_MAX || e->op == OP_MIN))
        feature_issue(x, PIPE_ALU, n);
    else
        add_issue(x, i, n);
}

/* Whether e asks for an axis's end, and all elements are known to lie before it, or most lie in tiles that are not
 * tested. */
static bool is_inside(Reading *x, const Layout *l, const Expr *e) {
    const Axis *a = part_asks_end(x->part, e);
    double length, tile = 1;
    bool walked = false;
    for (int i = 0; a && i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if (f->axis != a) continue;
        walked |= f->bind == BIND_SERIAL || f->bind == BIND_GRID;
        if (f->size) tile *= (double)f->size;
    }
    if (!a || a->peel) return false;
    return tape_known(&x->f->tape, feature_extent(x, a), &length) ? fmod(length, tile) == 0 : walked && x->apart;
}

/* What is divided by a constant is multiplied; and what several elements are divided by is prepared once for them
 * (lower_divide.c). */
static void count_quotient(Reading *x, const Layout *l, const Expr *e, FactorSet set) {
    const Expr *by = e->arg[1];
    const double n = feature_registers(x->part, set), of = feature_registers(x->part, expr_domain(x->part, l, by));
    enum { SEVERAL = 4 }; /* from which on it is no more work */
    int exponent;
    if (by->op == OP_CONST) {
        const bool power = fabs(frexp(by->u.f, &exponent)) == 0.5;
        feature_issue(x, PIPE_FMA, n * (power ? 1 : BY_NUMBER));
        return;
    }
    const bool several = n >= SEVERAL * of, whole = by->op == OP_CAST && !type_is_float(by->arg[0]->type);
    operator(x, e, several ? of : n);
    if (several) feature_issue(x, PIPE_FMA, n * (whole ? BY_NUMBER : BY_SHARED));
}

/* The factors along which e varies under a layout. It and what is in it counts once in a body, for each register. */
static FactorSet count_expr(Reading *x, const Layout *l, const Expr *e) {
    FactorSet set = 0;
    if (!e->nargs) return expr_domain(x->part, l, e);
    if (x->sets_of != l) x->sets = (ExprMap){0};
    x->sets_of = l;
    const intptr_t none = -1, known = expr_map_number(&x->sets, e, none);
    const bool seen = expr_map_number(&x->counted, e, 0) == x->body + 1;
    if (seen && known != none) return (FactorSet)known;
    for (int i = 0; i < e->nargs && e->op != OP_LOAD; i++) set |= count_expr(x, l, e->arg[i]);
    expr_map_put_number(x->ctx, &x->sets, e, (intptr_t)set);
    expr_map_put_number(x->ctx, &x->counted, e, x->body + 1);
    if (seen || is_inside(x, l, e->op == OP_IF ? e->arg[0] : e)) return set;
    if (e->op == OP_DIV && e->type == TY_F32) {
        count_quotient(x, l, e, set);
        return set;
    }
    const bool converts = e->op == OP_CAST && e->arg[0]->op == OP_VALUE;
    operator(x, e, feature_registers(x->part, set) * (converts ? feature_share(x, e->arg[0]->u.value) : 1));
    return set;
}

typedef struct Counting {
    Reading *x;
    const Layout *l;
} Counting;

/* Quotients and the like in an address count once in a body, for each register. Sums of digits are folded into what the
 * address begins with. */
static Found count_in_index(const Expr *e, void *user) {
    const Counting *c = user;
    const bool sum = e->op == OP_ADD || e->op == OP_SUB || e->op == OP_MUL || e->op == OP_NEG || e->op == OP_CAST;
    if (!e->nargs || e->op == OP_LOAD) return FOUND_NOT;
    if (sum || expr_map_number(&c->x->counted, e, 0) == c->x->body + 1) return FOUND_INSIDE;
    expr_map_put_number(c->x->ctx, &c->x->counted, e, c->x->body + 1);
    operator(c->x, e, feature_registers(c->x->part, expr_domain(c->x->part, c->l, e)));
    return FOUND_INSIDE;
}

/* Whether it is another one for each element of a vector. */
static bool varies_in_vector(const Part *part, FactorSet domain) {
    for (int i = 0; i < part->factors.n; i++)
        if (domain >> i & 1 && part->factors.at[i]->bind == BIND_VEC && part->factors.at[i]->size > 1) return true;
    return false;
}

void feature_address(Reading *x, const Layout *l, const Expr *e, bool known, double *issue) {
    Body *const b = open_body(x);
    const Body before = *b;
    const FactorSet domain = expr_domain(x->part, l, e);
    const double n = feature_registers(x->part, domain) * (known ? BY_KNOWN : BY_UNSAID);
    Counting c = {x, l};
    expr_visit(e, count_in_index, &c);
    if (!varies_in_vector(x->part, domain)) { /* it is made once, however wide the access is */
        b->issue[PIPE_FMA] += n;
        return;
    }
    for (int p = 0; p < PIPE_COUNT; p++) issue[p] += b->issue[p] - before.issue[p];
    *b = before;
    issue[PIPE_FMA] += n;
}

static Found branches(const Expr *e, const void *unused) {
    (void)unused;
    enum { MOVES = 1 }; /* `other` instructions of what does not jump */
    const bool by_constant = e->op == OP_DIV && e->arg[1]->op == OP_CONST;
    return type_is_float(e->type) && of_operator[e->op].other > MOVES && !by_constant ? FOUND : FOUND_INSIDE;
}

bool feature_branches(const Expr *e) { return expr_has(e, branches, NULL); }

void feature_expr(Reading *x, const Layout *l, const Expr *e) { count_expr(x, l, e); }

/* ---- folds ---- */

/* Sizes of the thread factors of a set: in a warp, and across warps. */
static void spread(const Part *part, FactorSet set, double *lanes, double *warps) {
    *lanes = *warps = 1;
    for (int i = 0; i < part->factors.n; i++) {
        const Factor *f = part->factors.at[i];
        if (!(set >> i & 1) || bind_scope(f->bind) != SCOPE_THREAD || f->size <= 1) continue;
        double in = f->tid_stride >= TARGET_WARP ? 1 : fmin((double)f->size, (double)TARGET_WARP / f->tid_stride);
        *lanes *= in;
        *warps *= (double)f->size / in;
    }
}

/* A sum to which a product of floats is added, which is one instruction with that. */
static bool is_added(const Expr *sum, const Expr *e) {
    return sum->op == OP_ADD && e && e->op == OP_MUL && type_is_float(e->type) && e->type == sum->type;
}

/* n of a monoid's combinations; of: what is folded, NULL: what was folded before. */
static void combine(Reading *x, const Monoid *m, const Expr *const *of, double n) {
    const ExprMap counted = x->counted;
    const Layout none = {0};
    Body *b = open_body(x);
    const Body before = *b;
    x->counted = (ExprMap){0};
    for (int i = 0; i < m->n; i++)
        if (m->combine[i] && !(of && is_added(m->combine[i], of[i]))) count_expr(x, &none, m->combine[i]);
    for (int k = 0; k < PIPE_COUNT; k++) b->issue[k] = before.issue[k] + n * (b->issue[k] - before.issue[k]);
    b->other = before.other + n * (b->other - before.other);
    x->counted = counted;
}

/* Maxima of what is loaded in 16 bits are taken two at a time (lower_reduce.c). */
static bool by_pairs(const Stage *s) {
    const Expr *e = s->expr[0];
    return (s->monoid->kind == MONOID_MAX || s->monoid->kind == MONOID_MIN) && e->op == OP_CAST && !s->cond &&
           e->arg[0]->op == OP_VALUE && type_bits(e->arg[0]->type) == 16 && type_is_float(e->arg[0]->type);
}

static void exchange(Reading *x, const Monoid *m, double lanes, double warps, double cells, double kept) {
    const double rungs = lanes > 1 ? ceil(log2(lanes)) : 0, before = issued(x);
    feature_issue(x, PIPE_MEMORY, rungs * cells * kept);
    combine(x, m, NULL, rungs * kept);
    open_body(x)->shuffles += rungs;
    if (x->settled_lanes) {
        open_body(x)->rungs += issued(x) - before;
        open_body(x)->climbs += rungs;
    }
    if (warps <= 1) return;
    const double folded = warps <= MAX_FOLDED_BY_ALL ? warps : ceil(log2(warps)) + 2;
    feature_issue(x, PIPE_MEMORY, cells * kept);
    const double alone = issued(x);
    feature_issue(x, PIPE_MEMORY, folded * cells * kept);
    combine(x, m, NULL, folded * kept);
    if (warps > MAX_FOLDED_BY_ALL && x->settled_factor) {
        const double rows = kept * TARGET_WARP / lanes;
        open_body(x)->rows = fmax(open_body(x)->rows, rows);
        open_body(x)->row_issue += (issued(x) - alone) / kept;
        open_body(x)->row_shuffles += ceil(log2(warps));
    }
    open_body(x)->exchanges += warps <= MAX_FOLDED_BY_ALL ? 1 : 2;
    open_body(x)->other += 4;
    x->settled = true;
}

double feature_edges(const Layout *l, const Axis *a) {
    double warps = 1;
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if (f->axis == a && f->bind == BIND_WARP) warps *= (double)f->size;
        if (f->axis == a && f->bind == BIND_THREAD) warps *= fmax(1, (double)f->size / TARGET_WARP);
    }
    return FEATURE_ENDS / warps;
}

double feature_rows(const Layout *l, const Axis *a) {
    double lanes = 1;
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        const bool counts = f->bind == BIND_LANE || f->bind == BIND_THREAD;
        if (f->axis != a && counts) lanes *= (double)f->size;
    }
    return fmin(lanes, TARGET_WARP);
}

static bool is_looped(const Layout *l, const Axis *a) {
    bool loop = false;
    for (int i = 0; i < l->factors.n; i++) loop |= l->factors.at[i]->axis == a && l->factors.at[i]->bind == BIND_SERIAL;
    return loop;
}

/* Of a fold over peeled rows the vectors in which they begin and end, which are folded element by element, by code that
 * all lanes wait for; each: what an element takes. And where lengths are not known, that each vector is told from
 * those: of loops in the iterations in which rows begin and end. */
static void count_edges(Reading *x, const Layout *l, FactorSet over, double vectors, double each) {
    Body *b = open_body(x);
    double vector = 1, length;
    const Axis *peeled = NULL;
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if (!(over >> f->id & 1) || !f->axis->peel) continue;
        if (f->bind == BIND_VEC) vector = (double)f->size;
        peeled = f->axis;
    }
    if (!peeled) return;
    const double edge = vector * (EDGE + each), edges = feature_edges(l, peeled) * edge;
    const bool unsaid = vector > 1 && !tape_known(&x->f->tape, feature_extent(x, peeled), &length);
    const double tests = unsaid ? EDGE_VECTOR * vectors / vector : 0;
    if (is_looped(l, peeled)) {
        b->loop_ends += edges;
        b->loop_tests += tests;
        return;
    }
    b->other += tests;
    if (x->settled_factor && x->settled_factor->axis == peeled)
        b->settled_end += edge;
    else
        feature_issue(x, PIPE_ALU, edges);
}

void feature_begin(Reading *x, const Layout *l) {
    if (x->settled_lanes) open_body(x)->other += LANES;
    for (int i = 0; i < x->part->axes.n && x->folds; i++) {
        const Axis *a = x->part->axes.at[i];
        if (a->peel && !is_looped(l, a)) open_body(x)->other += PEELED;
    }
}

/* Whether some of the elements of an axis that a thread comes to may be beyond its end: in a loop's last iteration,
 * *looped, or always. */
static bool has_rest(Reading *x, const Layout *l, const Axis *axis, bool *looped) {
    int64_t step = axis_slack(axis) + 1, stride;
    double length;
    *looped = false;
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if (f->axis != axis || !expr_is_int(f->stride, &stride)) continue;
        if (f->bind == BIND_SERIAL) step = stride, *looped = true;
        if (!*looped && f->size && stride * f->size > step) step = stride * f->size;
    }
    return !tape_known(&x->f->tape, feature_extent(x, axis), &length) || !is_multiple(length, (double)step);
}

/* A fold that selects (lower_select.c): of each group of elements, those of the innermost registers, the best is
 * compared. Where some may not be there all are asked for by themselves, or where vectors lie along the axis one. */
static void count_selected(Reading *x, const Layout *l, FactorSet over, double elements, double kept) {
    const Factor *inner = NULL;
    for (int i = 0; i < l->factors.n; i++)
        if (over >> l->factors.at[i]->id & 1 && bind_scope(l->factors.at[i]->bind) == SCOPE_REG)
            inner = l->factors.at[i];
    const double size = (double)inner->size;
    bool looped;
    const bool rest = has_rest(x, l, inner->axis, &looped);
    const double asked = !rest ? 0 : inner->bind == BIND_VEC ? kept * size : elements;
    const double once = looped ? 0 : asked;
    feature_issue(x, PIPE_ALU, SELECTED * (elements - once) + TAKEN * (elements - once) / size + ASKED * once);
    if (looped) open_body(x)->loop_ends += (ASKED - SELECTED) * asked;
}

void feature_fold(Reading *x, const Stage *s) {
    const Layout *l = feature_layout(x, s);
    FactorSet domain = 0;
    double lanes, warps;
    const bool pairs = by_pairs(s);
    const double began = issued(x);
    for (int i = 0; i < monoid_operands(s->monoid); i++) {
        if (!pairs) feature_expr(x, l, s->expr[i]);
        domain |= expr_domain(x->part, l, s->expr[i]);
    }
    if (s->cond) {
        feature_expr(x, l, s->cond);
        domain |= expr_domain(x->part, l, s->cond);
    }
    domain |= s->over;
    const double elements = feature_registers(x->part, domain), kept = feature_registers(x->part, domain & ~s->over);
    if (s->monoid->indexed && elements > kept) {
        count_selected(x, l, s->over, elements, kept);
    } else {
        combine(x, s->monoid, s->expr, pairs ? elements / 2 : elements);
    }
    if (s->cond) feature_issue(x, PIPE_ALU, elements);
    count_edges(x, l, s->over, elements, pairs ? 2 : (issued(x) - began) / elements);
    open_body(x)->chain += elements / kept / (pairs ? 2 : 1) * CHAINED;
    spread(x->part, s->over, &lanes, &warps);
    double cells = 0;
    for (int i = 0; i < s->monoid->n; i++)
        cells += cell_bytes(s->out[i] ? s->out[i]->type : TY_F32) / (double)TARGET_REGISTER;
    const double before = issued(x);
    exchange(x, s->monoid, lanes, warps, cells, kept);
    for (int i = 0; i < x->part->factors.n; i++)
        if (s->over >> i & 1 && x->part->factors.at[i]->bind == BIND_CLUSTER && x->part->factors.at[i]->size > 1) {
            open_body(x)->meetings++;
            feature_issue(x, PIPE_MEMORY, (double)x->part->factors.at[i]->size * cells * kept);
            x->settled = true;
        }
    open_body(x)->fixed += issued(x) - before;
}

double feature_segments(const Layout *l, const Axis *a, bool meet) {
    double outside = 1, n = 1;
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if (f->axis != a || f->size <= 1) continue;
        if (bind_scope(f->bind) == SCOPE_REG) outside *= (double)f->size;
        const bool threads = bind_scope(f->bind) == SCOPE_THREAD;
        if (threads && !(meet && digit_in_warp(f->tid_stride, f->size))) n = outside;
    }
    return n;
}

void feature_scan(Reading *x, const Stage *s) {
    const Layout *l = feature_layout(x, s);
    const FactorSet over = layout_axis_factors(l, s->axis);
    FactorSet domain = over;
    double lanes, warps;
    const double before = issued(x);
    for (int i = 0; i < monoid_operands(s->monoid); i++) {
        feature_expr(x, l, s->expr[i]);
        domain |= expr_domain(x->part, l, s->expr[i]);
    }
    const double elements = feature_registers(x->part, domain), kept = feature_registers(x->part, domain & ~over);
    const double parts = kept * feature_segments(l, s->axis, false), meet = kept * feature_segments(l, s->axis, true);
    combine(x, s->monoid, NULL, 2 * elements);
    open_body(x)->chain += elements / kept * CHAINED;
    spread(x->part, over, &lanes, &warps);
    exchange(x, s->monoid, lanes, 1, s->monoid->n, parts);
    if (warps > 1) { /* each thread folds the segments before its own */
        exchange(x, s->monoid, 1, warps, s->monoid->n, meet);
        feature_issue(x, PIPE_MEMORY, warps * meet * s->monoid->n);
        open_body(x)->chain += warps * meet / kept * CHAINED;
    }
    if (parts > meet) { /* a warp its own, once for the others and once for itself */
        combine(x, s->monoid, NULL, 2 * parts);
        open_body(x)->chain += parts / meet * CHAINED;
    }
    if (lanes > 1) open_body(x)->chain += parts / kept * CHAINED;
    open_body(x)->fixed += issued(x) - before;
}

/* ---- shared memory ---- */

static bool in_block(const Factor *f) {
    return bind_scope(f->bind) == SCOPE_THREAD || bind_scope(f->bind) == SCOPE_REG;
}

/* Bytes by which a factor moves in a tile: its coordinates are those of the axes inside the block, the last one
 * contiguous. 0: not at all. */
static double tile_stride(const Reading *x, const Layout *l, const Value *tile, const Factor *f, int pad) {
    const Layout *shape = tile->layout ? tile->layout : x->part->layouts.at[0];
    const Axis *row = NULL; /* the last axis, along which it lies; a row of it is longer by the pad */
    double below = 1, own = 1;
    if (!(tile->domain & layout_axis_factors(shape, f->axis))) return 0;
    for (int i = shape->factors.n - 1; i >= 0; i--) {
        const Factor *o = shape->factors.at[i];
        if (o->axis == f->axis) break;
        if (!in_block(o) || !(tile->domain & layout_axis_factors(shape, o->axis))) continue;
        if (row && row != o->axis && pad) below += pad, pad = 0;
        below *= (double)o->size;
        row = o->axis;
    }
    if (row) below += pad;
    for (int i = l->factors.n - 1; i >= 0 && l->factors.at[i] != f; i--)
        if (l->factors.at[i]->axis == f->axis && in_block(l->factors.at[i])) own *= (double)l->factors.at[i]->size;
    return below * own * type_bits(tile->type) / 8;
}

/* Passes in which shared memory serves a warp: each of 32 banks of 4 bytes gives a word a pass, and lanes that want the
 * same word share it. Lanes' words are taken apart by their digits; a swizzled tile has no conflicts between rows. */
static double passes(const Reading *x, const Layout *l, const Value *tile, double width, int pad, bool swizzled) {
    enum { BANKS = 32, WORD = 4 };
    int bank[BANKS] = {0}, word[TARGET_WARP];
    const double words = fmax(1, width / WORD);
    if (swizzled) return words;
    int most = 1, n = 0;
    for (int lane = 0; lane < TARGET_WARP; lane++) {
        double at = 0;
        for (int i = 0; i < l->factors.n; i++) {
            const Factor *f = l->factors.at[i];
            if (bind_scope(f->bind) != SCOPE_THREAD || f->size <= 1 || f->tid_stride >= TARGET_WARP) continue;
            at += (double)(lane / f->tid_stride % f->size) * tile_stride(x, l, tile, f, pad);
        }
        int w = (int)(at / WORD), k = 0;
        while (k < n && word[k] != w) k++;
        if (k == n) word[n++] = w;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < (int)words; k++)
            if (++bank[(word[i] + k) % BANKS] > most) most = bank[(word[i] + k) % BANKS];
    return most;
}

void feature_shared(Reading *x, const Stage *s, const Value *tile, bool write) {
    const Layout *l = write ? feature_layout(x, s) : s->out[0]->layout ? s->out[0]->layout : feature_layout(x, s);
    const FactorSet domain = write ? expr_domain(x->part, l, s->expr[0]) : s->out[0]->domain;
    const Stage *made = tile->def;
    const double bytes = type_bits(tile->type) / 8.0, n = feature_registers(x->part, domain);
    double width = bytes;
    for (int i = l->factors.n - 1; i >= 0; i--) {
        const Factor *f = l->factors.at[i];
        if (bind_scope(f->bind) != SCOPE_REG || f->size <= 1 || !(domain >> f->id & 1)) continue;
        if (tile_stride(x, l, tile, f, 0) == width && width * (double)f->size <= TARGET_ACCESS)
            width *= (double)f->size;
    }
    double rounds = passes(x, l, tile, width, made ? made->pad : 0, made && made->swizzle);
    feature_issue(x, PIPE_MEMORY, n * bytes / width * rounds);
    open_body(x)->other += n * bytes / width;
    open_body(x)->exchanges += write ? 1 : 0;
}
