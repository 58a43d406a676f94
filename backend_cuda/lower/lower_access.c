/* Lowering, accesses: how each stage reaches global memory. All accesses of a part are planned before its first
 * statement is made, so that it is known which conditions the kernel's wide instance has. */
#include "lower_internal.h"

#include "ir/expr_is.h"
#include "sched/kernel/own.h"

FactorSet access_domain(Lower *l, const Layout *layout, const Stage *s) {
    FactorSet d = 0;
    for (int i = 0; i < s->tensor->rank; i++) d |= expr_domain(l->part, layout, s->subs[i]);
    return d;
}

/* ---- vectors ---- */

/* Whether an offset is aligned under conditions on dimensions alone. */
static bool needs_conditions(Lower *l, Poly p, int64_t V) {
    Needs *needs = &l->needs;
    const Needs before = *needs;
    needs->conds.at = NULL;
    needs->conds.n = needs->conds.cap = 0;
    offset_aligned(l, p, V, true);
    const bool some = needs->conds.n > 0;
    needs->conds = before.conds;
    return some;
}

/* Whether vectors along a peeled axis are aligned: it starts where its tensor's row is, and rows must lie alike. */
static bool peeled_aligned(Lower *l, Access *x, Axis *peeled, Poly rest) {
    Stage *lead = axis_find_access(l, l->part->body.at, l->part->body.n, peeled->peel, peeled);
    Poly row = lead ? offset_flat(l, x->layout, peeled->peel, lead->subs) : x->offset;
    Poly own = offset_without_axis(l, x->layout, x->offset, peeled);
    Poly diff = poly_sub(l->ctx, own, offset_without_axis(l, x->layout, row, peeled));
    Poly inner = poly_add(l->ctx, poly_sub(l->ctx, rest, own), x->chosen);
    int64_t bits = type_bits(x->tensor->type), V = x->plan.V;
    if (type_bits(peeled->peel->type) != bits) return false;
    if (!offset_aligned(l, diff, V, false) || !offset_aligned(l, inner, V, false)) return false;
    /* Rows of odd length are what a peel is for: no instance asks for others, and the peel's own rows stay wide. */
    x->apart = !x->untested && needs_conditions(l, diff, V);
    if (!x->apart) offset_aligned(l, diff, V, true);
    if (x->tensor != peeled->peel && !x->apart)
        offset_ask(l, (AlignCond){.tensor = peeled->peel, .other = x->tensor, .mod = V * bits / 8});
    return true;
}

/* Whether words of aligned pieces can be shifted to make a vector that is not. */
static bool may_cross(const Access *x) {
    const int64_t bits = type_bits(x->tensor->type), all = x->plan.V * bits;
    return bits >= 8 && bits <= 32 && (all == 32 || all == 64 || all == 128);
}

static bool plainly_aligned(Lower *l, Access *x, Poly rest) {
    rest = poly_add(l->ctx, rest, x->chosen);
    if (!offset_aligned(l, rest, x->plan.V, false)) return false;
    offset_aligned(l, rest, x->plan.V, true);
    offset_ask(l, (AlignCond){.tensor = x->tensor, .mod = x->plan.V * type_bits(x->tensor->type) / 8});
    return true;
}

static bool have_vectors(Lower *l, Access *x, FactorSet domain, FactorSet may, bool load) {
    UniformNeeds needs;
    VecLimits limits = {domain, may, 128 / type_bits(x->tensor->type), true};
    vector_plan(l, x->offset, x->layout, limits, &x->plan);
    Axis *peeled = NULL;
    for (int i = 0; i < x->plan.nv; i++)
        if (x->plan.f[i]->axis->peel) peeled = x->plan.f[i]->axis;
    const VecPlan whole = x->plan;
    while (x->plan.V > 1) {
        Poly rest = vector_starts(l, x->offset, &x->plan);
        if (access_same(l, x, &needs) && (peeled ? peeled_aligned(l, x, peeled, rest) : plainly_aligned(l, x, rest))) {
            x->across = load && x->apart && may_cross(x);
            l->needs.wide = true;
            access_ask_same(l, x, &needs);
            return true;
        }
        if (x->plan.part[x->plan.nv - 1] % 2) break;
        vector_halve(&x->plan);
    }
    if (peeled && load && !x->chosen.n) {
        x->plan = whole;
        x->across = may_cross(x) && access_same(l, x, &needs) && !needs.n;
        if (x->across) return true;
    }
    limits.may = 0;
    if (x->plan.V > 1) vector_plan(l, x->offset, x->layout, limits, &x->plan);
    return false;
}

void access_vectors(Lower *l, Access *x, FactorSet domain, FactorSet may, bool load) {
    if (have_vectors(l, x, domain, may, load) || !x->cond) return;
    have_vectors(l, x, domain, may & ~expr_domain(l->part, x->layout, x->cond), load);
}

/* ---- tails ---- */

static bool is_plain_map(Stage *const *s, int n) {
    for (int i = 0; i < n; i++)
        if (s[i]->kind != STAGE_LOAD && s[i]->kind != STAGE_MAP && s[i]->kind != STAGE_STORE) return false;
    return true;
}

/* Whether the wide instance would need whole vectors of an axis for no other reason than its end, which a map cuts: a
 * test of each vector costs less than the instance for all else, whose indices have 64 bits (a flat map of 983 x 983 x
 * 33 elements: 2.9 times a copy, and 0.8). Kernels that fold have them whole for the sake of no test an element,
 * too. */
static bool may_be_cut(Lower *l) { return is_plain_map(l->part->body.at, l->part->body.n); }

/* Axes of the access with an end inside of their tiles. */
bool access_has_end(Lower *l, const Access *x, const Axis *a) {
    FactorSet all = layout_axis_factors(x->layout, a), have = x->domain | axis_ambient(l, x->layout);
    return (all & x->domain) && !(all & ~have) && !axis_exact(l, x->layout, a);
}

/* Elements of the access a step of an axis that the vector has; 0: it has none of it. */
static int64_t vector_scale(const Access *x, const Axis *a) {
    int64_t scale = 1;
    for (int k = 0; k < x->plan.nv; k++) {
        if (x->plan.f[k]->axis == a) return scale;
        scale *= x->plan.part[k];
    }
    return 0;
}

/* The axis that owns the vector cuts it; the others allow or forbid the whole access (access_guard). */
void access_tails(Lower *l, Access *x) {
    x->tail = TAIL_NONE;
    for (int i = 0; i < l->part->axes.n; i++) {
        Axis *a = l->part->axes.at[i];
        int64_t scale = access_has_end(l, x, a) ? vector_scale(x, a) : 0, c;
        if (!scale) continue;
        x->vaxis = a;
        x->vscale = scale;
        Poly bound = poly_scale(l->ctx, axis_extent(l, a), scale);
        int64_t size = x->plan.V / gcd64(scale, x->plan.V);
        if (a->peel || poly_is_const(bound, &c) ? a->peel || c % x->plan.V : !offset_over_dims(bound)) {
            x->tail = TAIL_PART;
            continue;
        }
        x->tail = TAIL_WHOLE;
        x->whole = (AlignCond){.dims = poly_expr(l->g, axis_extent(l, a)), .mod = size};
        if (poly_divisor(bound) % x->plan.V == 0) continue;
        if (may_be_cut(l))
            x->tail = TAIL_PART;
        else
            offset_ask(l, x->whole);
    }
}

void access_settle_tails(Lower *l) {
    for (int i = 0; i < l->accesses.n; i++) {
        Access *x = l->accesses.at[i].access;
        if (x->tail == TAIL_PART && x->whole.dims && offset_asked(l, x->whole.dims, x->whole.mod)) x->tail = TAIL_WHOLE;
    }
}

/* Axes whose ends are tests of the whole access. */
static bool is_guarded(Lower *l, const Access *x, const Axis *a) {
    return access_has_end(l, x, a) && !vector_scale(x, a);
}

/* Whether what is asked of an axis is the same for all registers of a thread. */
static bool is_same_for_registers(Lower *l, const Access *x, const Axis *a) {
    return !reg_factors(l, layout_axis_factors(x->layout, a) & x->domain);
}

Factor *access_guarded_vector(Lower *l, const Access *x) {
    for (int i = 0; i < l->part->axes.n; i++) {
        Axis *a = l->part->axes.at[i];
        Factor *f = is_guarded(l, x, a) ? axis_whole_vector(l, x->layout, a) : NULL;
        for (int k = 0; f && k < x->plan.nouter; k++)
            if (x->plan.outer[k] == f) return f;
    }
    return NULL;
}

const Code *access_guard_before(Lower *l, const Access *x, const Factor *vec) {
    const Code *r = NULL;
    for (int i = 0; i < l->part->axes.n; i++) {
        const Axis *a = l->part->axes.at[i];
        if (!is_guarded(l, x, a) || is_same_for_registers(l, x, a)) continue;
        r = code_join(l->ctx, r, " && ", axis_begins_test(l, x->layout, a, vec));
    }
    return r;
}

/* The vectors of an axis whose end is no part of any of them: they are there while something is left of it. */
static const Code *whole_vectors_left(Lower *l, const Access *x) {
    const FactorSet regs = reg_factors(l, layout_axis_factors(x->layout, x->vaxis) & x->domain);
    for (int i = 0; i < x->plan.nouter; i++)
        if (regs >> x->plan.outer[i]->id & 1) return NULL;
    return code(l->ctx, "(A != 1 || %c > 0)", access_remaining(l, x, false));
}

const Code *access_guard_once(Lower *l, const Access *x) {
    const Code *r = NULL;
    for (int i = 0; i < l->part->axes.n; i++) {
        const Axis *a = l->part->axes.at[i];
        if (!is_guarded(l, x, a) || !is_same_for_registers(l, x, a)) continue;
        r = code_join(l->ctx, r, " && ", axis_bound_test(l, x->layout, a));
    }
    const bool whole = access_tail(l, x) == TAIL_WHOLE && !x->row && l->needs.wide;
    const Code *left = whole ? whole_vectors_left(l, x) : NULL, *first = digits_zero(l, x->layout, x->twins);
    if (left) r = code_join(l->ctx, r, " && ", left);
    return first ? code_join(l->ctx, r, " && ", first) : r;
}

const Code *access_guard(Lower *l, const Access *x, const Expr *cond) {
    const Code *r = cond ? access_cond_code(l, x, cond) : NULL;
    for (int i = 0; i < l->part->axes.n; i++) {
        const Axis *a = l->part->axes.at[i];
        if (!is_guarded(l, x, a) || is_same_for_registers(l, x, a)) continue;
        r = code_join(l->ctx, r, " && ", axis_bound_test(l, x->layout, a));
    }
    return r;
}

Tail access_tail(const Lower *l, const Access *x) {
    return x->tail != TAIL_NONE && axis_lies_inside(l, x->vaxis) ? TAIL_NONE : x->tail;
}

/* How far an axis goes on. Where that may take 64 bits, what is the same for all registers is brought into the range of
 * an int, which tells as much of the vectors of a tile. */
static const Code *left_code(Lower *l, const Layout *layout, Poly left) {
    Poly fixed, varying;
    if (index_small(l, left)) return poly_code(l, left, false);
    offset_split(l, layout, left, &fixed, &varying);
    if (!index_small(l, varying)) return poly_code(l, left, false);
    index_fits(l, left);
    const Code *far = code(l->ctx, "TD_LEFT(%c)", poly_code(l, fixed, false));
    if (!varying.n) return far;
    return code(l->ctx, "(%c - %c)", far, poly_code(l, poly_scale(l->ctx, varying, -1), false));
}

const Code *access_remaining(Lower *l, const Access *x, bool low) {
    const Layout *saved = l->open.layout;
    l->open.layout = x->layout;
    Poly index = vector_drop(l, poly_of(&l->env, axis_index(l, x->layout, x->vaxis)), &x->plan);
    Poly b = poly_of(&l->env, low ? x->vaxis->lo : x->vaxis->hi);
    Poly left = poly_sub(l->ctx, b, offset_regroup(l, x->layout, index));
    const Code *r =
        x->vscale == 1 ? left_code(l, x->layout, left) : poly_code(l, poly_scale(l->ctx, left, x->vscale), true);
    const Code *off = x->vscale == 1 ? axis_off_end(l, x->layout, x->vaxis, low) : NULL;
    for (int i = 0; i < x->plan.nv; i++)
        if (x->plan.f[i]->bind == BIND_REG) off = NULL; /* its digit is of the vector */
    if (off) r = code(l->ctx, "(%c ? %l : %c)", off, low ? (int64_t)0 : x->plan.V, r);
    l->open.layout = saved;
    return r;
}

const Code *access_remaining_first(Lower *l, const Access *x, bool low) {
    const Layout *saved = l->open.layout;
    l->open.layout = x->layout;
    Poly index = vector_drop(l, poly_of(&l->env, axis_index(l, x->layout, x->vaxis)), &x->plan), fixed, varying;
    Poly b = poly_of(&l->env, low ? x->vaxis->lo : x->vaxis->hi);
    offset_split(l, x->layout, poly_sub(l->ctx, b, offset_regroup(l, x->layout, index)), &fixed, &varying);
    const Code *r = poly_code(l, fixed, true);
    l->open.layout = saved;
    return r;
}

/* Whether a sum has a product with a length in it, of 64 bits. */
static bool is_dear(Poly p) {
    for (int i = 0; i < p.n; i++)
        for (int k = 0; k < p.term[i].degree; k++)
            if (p.term[i].degree > 1 && expr_over_dims(p.term[i].atom[k])) return true;
    return false;
}

/* Whether a term of an offset is another one in each iteration of the loops around. */
static bool moves(Lower *l, const Layout *layout, const PolyTerm *t) {
    const FactorSet loops = axis_ambient(l, layout) & layout_scope_factors(layout, SCOPE_LOOP);
    FactorSet set = 0;
    for (int k = 0; k < t->degree; k++) {
        const Axis *a = t->atom[k]->op == OP_VAR ? axis_of(l, t->atom[k]->u.var) : NULL;
        set |= a ? layout_axis_factors(layout, a) : expr_domain(l->part, layout, t->atom[k]);
    }
    return set & loops;
}

static const Code *place_code(Lower *l, Poly p, bool wraps) {
    return wraps ? poly_wrapped_code(l, p) : poly_code(l, p, true);
}

/* Where each of a thread's elements has a test of its own, the compiler makes the address again behind every one of
 * them, from the indices on, rather than keep two registers (resize: 284 instructions a thread, 45 where lengths are
 * known). It is told not to; but of what moves in a loop, where it goes on from the last one, and where that is a
 * product with a length: of such sums it does better alone (two_axes_norm, masked_pool: 12 and 29 % slower), as it
 * does where nothing is tested (cumsum_rows: twice as slow). */
static const Code *offset_once(Lower *l, const Access *x, const Stage *s, Poly fixed, bool wraps) {
    Poly stays = {0, NEW_N(l->ctx, PolyTerm, fixed.n + 1), fixed.failed}, rest = stays;
    rest.term = NEW_N(l->ctx, PolyTerm, fixed.n + 1);
    for (int i = 0; i < fixed.n; i++) {
        Poly *to = moves(l, x->layout, &fixed.term[i]) ? &rest : &stays;
        to->term[to->n++] = fixed.term[i];
    }
    const bool pinned = x->plan.nouter && is_dear(stays) && !is_dear(rest) && access_guard(l, x, s->cond);
    if (!pinned) return place_code(l, fixed, wraps);
    const Code *once = code(l->ctx, "td_pin(%c)", place_code(l, stays, wraps));
    return rest.n ? code(l->ctx, "%c + %c", once, place_code(l, rest, wraps)) : once;
}

/* Part of an offset: lengths, multiplied, times digits. */
typedef struct Moved {
    Poly lengths, times, rest;
} Moved;

static bool same_lengths(const PolyTerm *a, const PolyTerm *b) {
    int i = 0, k = 0;
    for (;;) {
        while (i < a->degree && a->atom[i]->op != OP_DIM) i++;
        while (k < b->degree && b->atom[k]->op != OP_DIM) k++;
        if (i == a->degree || k == b->degree) return i == a->degree && k == b->degree;
        if (a->atom[i++] != b->atom[k++]) return false;
    }
}

/* All terms of p with the lengths of one of them, where what is beside these are digits that the compiler knows, so few
 * that bytes of 32 bits hold them. */
static bool is_multiple(Lower *l, Poly p, const PolyTerm *of, Moved *m) {
    enum { WIDEST_ELEMENT = 8 };
    PolyTerm *one = NEW(l->ctx, PolyTerm);
    one->coef = 1;
    for (int d = 0; d < of->degree; d++)
        if (of->atom[d]->op == OP_DIM) one->atom[one->degree++] = of->atom[d];
    *m = (Moved){.lengths = {1, one, false}, .rest = {0, NEW_N(l->ctx, PolyTerm, p.n + 1), false}};
    m->times = poly_const(l->ctx, 0);
    for (int i = 0; i < p.n; i++) {
        if (!same_lengths(&p.term[i], of)) {
            m->rest.term[m->rest.n++] = p.term[i];
            continue;
        }
        PolyTerm digits = {.coef = p.term[i].coef};
        for (int d = 0; d < p.term[i].degree; d++) {
            const Expr *e = p.term[i].atom[d];
            if (e->op != OP_DIM && e->op != OP_FACTOR) return false;
            if (e->op == OP_FACTOR) digits.atom[digits.degree++] = e;
        }
        m->times = poly_add(l->ctx, m->times, (Poly){1, &digits, false});
    }
    return one->degree && index_bounded(l, m->lengths) && index_small(l, poly_scale(l->ctx, m->times, WIDEST_ELEMENT));
}

static bool multiple_in(Lower *l, Poly p, Moved *m) {
    for (int i = 0; i < p.n; i++)
        if (is_multiple(l, p, &p.term[i], m)) return true;
    return false;
}

/* A pointer at the digits of a thread's registers. A multiple of lengths that are not known is added to it by one
 * instruction, where the product of the lengths has 32 bits; as a product in 64 bits it takes some ten, made again for
 * each access (masked_pool: 800 instructions an iteration and not 1552; a permute_0213, whose heads move by H * D, is
 * compiled to 448 and not to 648). */
static const Code *moved_by_registers(Lower *l, const Access *x, const Code *at, Poly varying) {
    Moved m;
    l->open.moved = false;
    while (type_bits(x->tensor->type) >= 8 && multiple_in(l, varying, &m)) {
        l->open.moved = true;
        at = code(l->ctx, "td_moved(%c, %c, %c)", at, poly_code(l, m.lengths, false), poly_code(l, m.times, false));
        varying = m.rest;
    }
    return varying.n ? code(l->ctx, "%c + %c", at, poly_code(l, varying, true)) : at;
}

/* A place that takes quotients of indices, as where several axes are one for the threads: in products of 64 bits it
 * takes some forty instructions for each register, in the index's own words ten (offset_wraps). The part that is the
 * same for all registers is made once. */
static const Code *put_wrapped(Lower *l, const Access *x, const Stage *s, const Code *tensor, Poly fixed,
                               Poly varying) {
    const Sym from = name_of(l, varying.term, sym_fmt(l->ctx, "%s_from", x->tensor->name));
    if (fixed.n) put_do(l, "const td_wrap<I> %n = %c", from, offset_once(l, x, s, fixed, true));
    const Code *more = poly_wrapped_code(l, varying);
    l->open.moved = true;
    return fixed.n ? code(l->ctx, "%c + (I)(%n + %c)", tensor, from, more) : code(l->ctx, "%c + (I)%c", tensor, more);
}

/* Whether the place at each register is made in such words. Where it is a row's, or an axis is peeled, other code asks
 * for the pointer that all registers share, by its name. */
static bool wraps_by_registers(Lower *l, const Access *x, Poly varying) {
    return !x->row && !(x->vaxis && x->vaxis->peel) && offset_wraps(l, x->tensor, varying);
}

/* The pointer that all registers share, under a name. */
static void put_shared_pointer(Lower *l, const Access *x, const Stage *s, bool is_const, Sym name, const Code *tensor,
                               Poly fixed) {
    const char *T = lower_storage_type(x->tensor->type), *constant = is_const ? "const " : "";
    if (type_bits(x->tensor->type) < 8) {
        put_do(l, "const auto %n = td_half((%s%s *)%c) + %c", name, constant, T, tensor, poly_code(l, fixed, true));
        return;
    }
    const bool wraps = !x->row && offset_wraps(l, x->tensor, fixed);
    const Code *once = fixed.n ? offset_once(l, x, s, fixed, wraps) : NULL;
    if (once) tensor = code(l->ctx, wraps ? "%c + (I)(%c)" : "%c + %c", tensor, once);
    put_do(l, "%s%s *const %n = %c", constant, T, name, tensor);
}

/* Of a row, the pointer is to its first element. */
const Code *put_pointer(Lower *l, const Access *x, const Stage *s, bool is_const, Sym *first) {
    Poly fixed, varying, offset = x->row ? poly_sub(l->ctx, x->offset, x->first) : x->offset;
    offset_split(l, x->layout, offset_regroup(l, x->layout, vector_drop(l, offset, &x->plan)), &fixed, &varying);
    Sym name = name_of(l, s, sym_fmt(l->ctx, "%s_at", x->tensor->name));
    const Code *tensor = tensor_code(l, x->tensor), *chosen = access_chosen_code(l, x, s), *at;
    const bool once = chosen && type_bits(x->tensor->type) >= 8 && access_chosen_once(l, x);
    if (first) *first = name;
    if (once) tensor = code(l->ctx, "%c + %c", tensor, chosen);
    if (wraps_by_registers(l, x, varying)) {
        at = put_wrapped(l, x, s, tensor, fixed, varying);
    } else {
        put_shared_pointer(l, x, s, is_const, name, tensor, fixed);
        at = moved_by_registers(l, x, code_name(l->ctx, name), varying);
    }
    return chosen && !once ? code(l->ctx, "%c + %c", at, chosen) : at;
}

/* ---- plans ---- */

FactorSet access_repeated(Lower *l, const Layout *layout, FactorSet domain) {
    FactorSet cluster = 0;
    for (int i = 0; i < layout->factors.n; i++)
        if (layout->factors.at[i]->bind == BIND_CLUSTER) cluster |= (FactorSet)1 << layout->factors.at[i]->id;
    return (thread_factors(l, layout->all) | cluster) & ~domain;
}

static Access *access_new(Lower *l, const Stage *s, const Layout *layout) {
    Access *x = NEW(l->ctx, Access);
    *x = (Access){.tensor = s->tensor, .layout = layout};
    access_place(l, x, s);
    x->domain = access_domain(l, layout, s) | (s->cond ? expr_domain(l->part, layout, s->cond) : 0);
    StageAccess row = {s, x};
    vec_push(l->ctx, &l->accesses, row);
    return x;
}

const Access *access_of(const Lower *l, const Stage *s) {
    for (int i = 0; i < l->accesses.n; i++)
        if (l->accesses.at[i].stage == s) return l->accesses.at[i].access;
    return NULL;
}

static void plan_load(Lower *l, const Stage *s) {
    const Value *v = s->out[0];
    Access *x = access_new(l, s, value_layout(l, v));
    const FactorSet may = access_under(l, x, s);
    access_vectors(l, x, v->domain, may, true);
    access_rows(l, x, v->domain, may);
    access_tails(l, x);
    if (stage_loads_own(l->part, s)) x->twins = access_repeated(l, x->layout, v->domain);
    access_each(l, x, s, v->domain);
}

static void plan_store(Lower *l, const Stage *s) {
    Access *x = access_new(l, s, stage_layout(l, s));
    const FactorSet may = access_under(l, x, s), domain = access_domain(l, x->layout, s);
    access_vectors(l, x, domain, may, false);
    access_tails(l, x);
    x->twins = access_repeated(l, x->layout, domain);
    access_each(l, x, s, domain);
}

static void plan_atomic(Lower *l, const Stage *s) {
    Access *x = access_new(l, s, stage_layout(l, s));
    x->domain |= expr_domain(l->part, x->layout, s->expr[0]);
    const FactorSet cond = s->cond ? expr_domain(l->part, x->layout, s->cond) : 0;
    access_vectors(l, x, x->domain, monoid_atomic_wide(s->monoid->kind, s->tensor->type) ? ~cond : 0, false);
    access_tails(l, x);
    x->twins = access_repeated(l, x->layout, x->domain);
}

/* A copy by every thread's own pieces, by the layout of the copy: neighbours in the tensor must be neighbours in the
 * slot. */
static void plan_copy(Lower *l, Stage *s) {
    const Layout *layout = l->part->layouts.at[0];
    Access *x = access_new(l, s, layout);
    SharedTile shape = tile_shape(l, s->out[0], layout, x->domain, 0);
    Poly into = tile_offset(l, &shape, layout);
    x->untested = true;
    access_vectors(l, x, x->domain, x->domain, false);
    int64_t before = 1, c;
    bool same = true;
    for (int i = 0; i < x->plan.nv; i++) {
        Poly coef, rest;
        same = same && poly_linear(l->ctx, into, expr_factor(l->p, x->plan.f[i]), &coef, &rest) &&
               poly_is_const(coef, &c) && c == before;
        before *= x->plan.part[i];
    }
    if (!same || !offset_aligned(l, vector_drop(l, into, &x->plan), x->plan.V, false))
        vector_plan(l, x->offset, layout, (VecLimits){x->domain, 0, 1, true}, &x->plan);
    x->twins = thread_factors(l, layout->all) & ~x->domain;
    access_tails(l, x);
}

static void plan_loop(Lower *l, Stage *loop) {
    if (l->open.nloops == MAX_LOOPS) return; /* which the walk refuses */
    l->open.loops[l->open.nloops++] = loop;
    for (int i = 0; i < loop->body.n; i++)
        if (loop->body.at[i]->kind == STAGE_COPY && loop->body.at[i]->path == PATH_ASYNC)
            plan_copy(l, loop->body.at[i]);
    access_plan(l, loop->body.at, loop->body.n);
    for (int i = 0; i < loop->body.n; i++)
        if (loop->body.at[i]->kind == STAGE_LOAD && loop->body.at[i]->depth) plan_load(l, loop->body.at[i]);
    l->open.nloops--;
}

void access_plan(Lower *l, Stage *const *s, int n) {
    for (int i = 0; i < n && !l->failed; i++) {
        switch (s[i]->kind) {
        case STAGE_LOAD:
            if (!s[i]->depth) plan_load(l, s[i]);
            break;
        case STAGE_STORE:
            if (s[i]->path != PATH_BULK) plan_store(l, s[i]);
            break;
        case STAGE_ATOMIC: plan_atomic(l, s[i]); break;
        case STAGE_FOR: plan_loop(l, s[i]); break;
        default: access_plan(l, s[i]->body.at, s[i]->body.n); break;
        }
    }
}
