/* Lowering, axes: the variables that hold their indices and digits, where they start, and the tests that an index is
 * inside of its bounds. */
#include "lower_internal.h"

#include "sched/kernel/settled.h"

/* Where an axis starts as an expression of an index has it: what is not of registers becomes the axis's variable later
 * (offset_regroup). Of a peeled axis in registers alone nothing would, but it starts early all the same. */
static const Expr *index_start(Lower *l, const Layout *layout, const Axis *a) {
    for (int i = 0; i < layout->factors.n; i++) {
        const Factor *f = layout->factors.at[i];
        if (f->axis == a && f->size != 1 && bind_scope(f->bind) != SCOPE_REG) return a->lo;
    }
    return a->peel ? expr_var(l->g, a->var) : a->lo;
}

const Expr *axis_index(Lower *l, const Layout *layout, const Axis *a) {
    const Expr *e = index_start(l, layout, a);
    for (int i = 0; i < layout->factors.n; i++) {
        Factor *f = layout->factors.at[i];
        if (f->axis != a || f->size == 1) continue;
        const Expr *term = expr2(l->g, OP_MUL, expr_factor(l->p, f), expr_cast(l->g, TY_I64, f->stride));
        e = expr2(l->g, OP_ADD, e, term);
    }
    return e;
}

Poly axis_extent(Lower *l, const Axis *a) { return poly_sub(l->ctx, poly_of(&l->env, a->hi), poly_of(&l->env, a->lo)); }

bool axis_lies_inside(const Lower *l, const Axis *a) {
    for (int i = 0; i < l->open.inside.n; i++)
        if (l->open.inside.at[i] == a) return true;
    return false;
}

bool axis_is_filled(const Lower *l, const Axis *a) {
    for (int i = 0; i < l->open.filled.n; i++)
        if (l->open.filled.at[i] == a) return true;
    return false;
}

/* Where an open loop along the axis ends inside of a tile; NULL: none does. */
static const Code *cut_end(const Lower *l, const Axis *a) {
    for (int i = 0; i < l->open.ends.n; i++)
        if (l->open.ends.at[i].axis == a) return l->open.ends.at[i].end;
    return NULL;
}

bool axis_exact(Lower *l, const Layout *layout, const Axis *a) {
    if (axis_lies_inside(l, a)) return true;
    if (a->peel || (l->lanes && a == kernel_settled_open(l->k)->axis)) return false;
    int64_t unit = 1;
    bool serial = false, open = false; /* open: where the axis is empty, there are no blocks, or no iterations */
    for (int i = 0; i < layout->factors.n; i++) {
        if (layout->factors.at[i]->axis != a) continue;
        serial |= layout->factors.at[i]->bind == BIND_SERIAL;
        open |= layout->factors.at[i]->size == 0;
    }
    for (int i = 0; i < layout->factors.n; i++) {
        const Factor *f = layout->factors.at[i];
        if (f->axis != a || f->size == 0 || f->bind == BIND_SERIAL) continue;
        if (f->bind == BIND_GRID && serial) continue; /* the loop ends at the bound */
        unit *= f->size;
    }
    if (cut_end(l, a)) return unit == 1;
    Poly extent = axis_extent(l, a);
    const Poly more = poly_sub(l->ctx, extent, poly_const(l->ctx, 1));
    if (!open && (extent.failed || !poly_nonneg(&l->env, more))) return false;
    if (unit == 1) return true;
    return !extent.failed && offset_over_dims(extent) && poly_divisor(extent) % unit == 0;
}

/* ---- loops ---- */

Factor *axis_serial(const Lower *l, const Axis *a) {
    const Layout *layout = l->part->layouts.at[0];
    for (int i = 0; i < layout->factors.n; i++)
        if (layout->factors.at[i]->axis == a && layout->factors.at[i]->bind == BIND_SERIAL)
            return layout->factors.at[i];
    return NULL;
}

bool axis_in_loop(const Lower *l) { return l->open.nloops > 0; }

static bool loop_open(const Lower *l, const Axis *a) {
    for (int i = 0; i < l->open.nloops; i++)
        if (l->open.loops[i]->axis == a) return true;
    return false;
}

FactorSet axis_ambient(const Lower *l, const Layout *layout) {
    FactorSet r = layout_scope_factors(layout, SCOPE_BLOCK);
    for (int i = 0; i < l->open.nloops; i++) {
        Factor *f = axis_serial(l, l->open.loops[i]->axis);
        if (f) r |= (FactorSet)1 << f->id;
    }
    return r;
}

/* lo plus the digits of the given scopes. */
static Poly digits_of(Lower *l, const Layout *layout, const Axis *a, bool blocks, bool threads) {
    Poly p = poly_of(&l->env, a->lo);
    for (int i = 0; i < layout->factors.n; i++) {
        Factor *f = layout->factors.at[i];
        BindScope scope = bind_scope(f->bind);
        if (f->axis != a || f->size == 1 || !((scope == SCOPE_BLOCK && blocks) || (scope == SCOPE_THREAD && threads)))
            continue;
        p = poly_add(l->ctx, p, poly_mul(l->ctx, poly_of(&l->env, expr_factor(l->p, f)), poly_of(&l->env, f->stride)));
    }
    return p;
}

Poly axis_start(Lower *l, const Axis *a) { return digits_of(l, l->part->layouts.at[0], a, true, false); }

static bool has_thread_digits(const Lower *l, const Axis *a) {
    for (int k = 0; k < l->part->layouts.n; k++) {
        const Layout *layout = l->part->layouts.at[k];
        for (int i = 0; i < layout->factors.n; i++) {
            Factor *f = layout->factors.at[i];
            if (f->axis == a && f->size != 1 && bind_scope(f->bind) == SCOPE_THREAD) return true;
        }
    }
    return false;
}

/* The loop's variable is the axis's index where that has no other digit and starts where the loop does. */
Sym axis_loop_name(Lower *l, const Axis *a) {
    return has_thread_digits(l, a) || a->peel ? name_of(l, &a->id, sym_fmt(l->ctx, "%s_from", a->name))
                                              : axis_name(l, a, NULL);
}

static Sym peel_name(Lower *l, const Axis *a) {
    return l->open.row_peel == a ? name_of(l, &a->hi, sym_fmt(l->ctx, "%s_row_early", a->name))
                                 : name_of(l, &a->peel, sym_fmt(l->ctx, "%s_early", a->name));
}

/* How many elements before its row a peeled axis begins, where the row begins at the element `at` of its tensor. */
static void put_peel(Lower *l, const Axis *a, const Code *at) {
    int es = type_bits(a->peel->type) / 8;
    const Code *tensor = tensor_code(l, a->peel);
    put_number(l, "int", peel_name(l, a),
               code(l->ctx, "(int)(((uintptr_t)%c / %d + (uint64_t)%c) %% %d)", tensor, es, at, 16 / es));
}

/* An index of a peeled axis begins so many elements earlier. */
static const Code *less_peel(Lower *l, const Axis *a, const Code *index) {
    return a->peel ? code(l->ctx, "%c - %n", index, peel_name(l, a)) : index;
}

const Code *axis_base(Lower *l, const Axis *a) {
    const Code *base =
        axis_serial(l, a) ? code_name(l->ctx, axis_loop_name(l, a)) : poly_code(l, axis_start(l, a), false);
    return a->peel ? code(l->ctx, "(%c)", less_peel(l, a, base)) : base;
}

void axis_loop_digit(Lower *l, const Stage *loop, Sym var, const Code *start, const Code *step) {
    const Factor *f = axis_serial(l, loop->axis);
    if (f && f->size != 1) put_number(l, "I", factor_name(l, f), code(l->ctx, "(%n - (%c)) / (%c)", var, start, step));
}

/* ---- declarations ---- */

static bool declared(const Lower *l, const Axis *a, const Layout *layout) {
    for (int i = 0; i < l->open.declared.n; i++)
        if (l->open.declared.at[i].axis == a && l->open.declared.at[i].layout == layout) return true;
    return false;
}

Stage *axis_find_access(Lower *l, Stage *const *s, int n, const Tensor *t, const Axis *a) {
    for (int i = 0; i < n; i++) {
        if ((s[i]->kind == STAGE_LOAD || s[i]->kind == STAGE_COPY || s[i]->kind == STAGE_STORE) && s[i]->tensor == t)
            for (int d = 0; d < t->rank; d++)
                if (expr_has(s[i]->subs[d], expr_test_var, a->var)) return s[i];
        Stage *in = axis_find_access(l, s[i]->body.at, s[i]->body.n, t, a);
        if (in) return in;
    }
    return NULL;
}

/* A peeled axis starts early by the misalignment of its tensor's row, in elements. False where what tells the row is
 * not declared yet. */
static bool declare_peel(Lower *l, const Axis *a, const Layout *layout) {
    Stage *lead = axis_find_access(l, l->part->body.at, l->part->body.n, a->peel, a);
    if (!lead) {
        lower_fail(l, "the peeled axis %s: no access to %s", a->name, a->peel->name);
        return false;
    }
    for (int i = 0; i < l->part->axes.n; i++) {
        const Axis *x = l->part->axes.at[i];
        if (x == a || declared(l, x, layout)) continue;
        for (int d = 0; d < lead->tensor->rank; d++)
            if (expr_domain(l->part, layout, lead->subs[d]) & layout_axis_factors(layout, x)) return false;
    }
    const Expr *subs[MAX_RANK], *from = expr_var(l->g, a->var), *to = a->lo;
    for (int d = 0; d < lead->tensor->rank; d++) subs[d] = expr_replace(l->g, lead->subs[d], &from, &to, 1);
    Poly row = offset_regroup(l, layout, offset_flat(l, layout, a->peel, subs));
    put_peel(l, a, poly_code(l, row, true));
    return true;
}

/* Whether a peeled axis starts early by as much for all threads of a block. */
static bool starts_alike(Lower *l, const Axis *a) {
    const Layout *layout = l->part->layouts.at[0];
    const Stage *lead = axis_find_access(l, l->part->body.at, l->part->body.n, a->peel, a);
    FactorSet rows = 0;
    for (int d = 0; lead && d < lead->tensor->rank; d++) rows |= expr_domain(l->part, layout, lead->subs[d]);
    rows &= ~layout_axis_factors(layout, a);
    for (int i = 0; i < layout->factors.n; i++) {
        const BindScope scope = bind_scope(layout->factors.at[i]->bind);
        if (rows >> layout->factors.at[i]->id & 1 && scope != SCOPE_BLOCK && scope != SCOPE_LOOP) return false;
    }
    return lead && !l->lanes;
}

const Code *axis_peel_past(Lower *l, const Axis *a, Sym var, const Code *end) {
    return a->peel && starts_alike(l, a) ? code(l->ctx, "%n - %n >= %c", var, peel_name(l, a), end) : NULL;
}

const Code *axis_block_past(Lower *l, const Axis *a) {
    const Layout *layout = l->part->layouts.at[0];
    bool blocks = false;
    for (int i = 0; i < layout->factors.n; i++)
        blocks |= layout->factors.at[i]->axis == a && layout->factors.at[i]->bind == BIND_GRID;
    if (!a->peel || !blocks || axis_serial(l, a) || !declared(l, a, layout) || !starts_alike(l, a)) return NULL;
    return code(l->ctx, "%c >= %c", axis_base(l, a), axis_end(l, layout, a));
}

void axis_peel_row(Lower *l, const Axis *a, const Code *at) {
    l->open.row_peel = a;
    put_peel(l, a, at);
}

static bool peel_open(const Lower *l) {
    for (int i = 0; i < l->part->axes.n; i++)
        if (l->part->axes.at[i]->peel && !declared(l, l->part->axes.at[i], l->part->layouts.at[0])) return true;
    return false;
}

/* The variable of an axis in a layout: its loop's and the digits that the loop does not have, or all digits. */
static void declare_index(Lower *l, const Axis *a, const Layout *layout, Sym name) {
    bool serial = axis_serial(l, a);
    Poly digits = digits_of(l, layout, a, !serial, true);
    const Code *index;
    if (serial) {
        Sym var = axis_loop_name(l, a);
        if (var == name) return;
        digits = poly_sub(l->ctx, digits, poly_of(&l->env, a->lo));
        index = code_name(l->ctx, var);
        if (digits.n) index = code(l->ctx, "%c + %c", index, poly_code(l, digits, false));
    } else {
        index = poly_code(l, digits, false);
    }
    put_number(l, "I", name, less_peel(l, a, index));
}

/* One axis in one layout, if all that it needs is known here. True where it is declared now. */
static bool declare_axis(Lower *l, const Axis *a, const Layout *layout, bool fill) {
    const Layout *first = l->part->layouts.at[0];
    if (declared(l, a, layout) || !layout_axis_factors(layout, a)) return false;
    if (axis_serial(l, a) && !loop_open(l, a)) return false;
    Sym name = axis_name(l, a, layout);
    bool again = false; /* the same variable as another layout's */
    for (int j = 0; j < l->open.declared.n; j++)
        again = again || (l->open.declared.at[j].axis == a && axis_name(l, a, l->open.declared.at[j].layout) == name);
    l->open.layout = layout;
    if (a->peel && !again && !(layout == first ? declare_peel(l, a, layout) : declared(l, a, first))) return false;
    index_fits(l, poly_of(&l->env, expr_var(l->g, a->var)));
    DeclaredAxis d = {a, layout};
    vec_push(l->ctx, &l->open.declared, d);
    if (!again && !(fill && (a->peel || !peel_open(l)))) declare_index(l, a, layout, name);
    return true;
}

void axis_declare(Lower *l, bool fill) {
    for (bool more = true; more;) {
        more = false;
        for (int k = 0; k < l->part->layouts.n; k++)
            for (int i = 0; i < l->part->axes.n; i++)
                more |= declare_axis(l, l->part->axes.at[i], l->part->layouts.at[k], fill);
    }
}

/* Blocks: cluster digits are lowest, then grid digits, the last axis lowest. */
static void declare_blocks(Lower *l) {
    const Part *part = l->part;
    Factor *order[MAX_FACTORS];
    int n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = part->layouts.at[0]->factors.n - 1; i >= 0; i--) {
            Factor *f = part->layouts.at[0]->factors.at[i];
            if (f->bind == (pass ? BIND_GRID : BIND_CLUSTER) && f->size != 1) order[n++] = f;
        }
    const Code *rest = code(l->ctx, "block");
    bool later = l->k != l->whole;
    if (n && l->lanes)
        put_do(l, "const unsigned block = (unsigned)td_block() * (32u >> %n) + (unsigned)(td_tid() >> %n) / %du",
               lower_lane_bits(l), lower_lane_bits(l), l->k->threads / TARGET_WARP);
    else if (n)
        put_do(l, later ? "const unsigned block = (unsigned)td_block() - blocks_before"
                        : "const unsigned block = (unsigned)td_block()");
    for (int i = 0; i < n; i++) {
        Sym v = factor_name(l, order[i]);
        int64_t size = order[i]->size;
        if (i == n - 1) {
            put_number(l, "int", v, rest);
        } else if (size || poly_is_const(poly_of(&l->env, order[i]->count), &size)) {
            const Code *count = order[i]->size ? code(l->ctx, "%lu", size)
                                               : code(l->ctx, "(unsigned)%c", dim_code(l, order[i]->count, false));
            put_number(l, "int", v, code(l->ctx, "%c %% %c", rest, count));
            rest = code(l->ctx, "%c / %c", rest, count);
        } else {
            const Code *by = dim_divmod(l, order[i]->count);
            put_number(l, "int", v, code(l->ctx, "(int)td_mod_by(%c, %c)", rest, by));
            rest = code(l->ctx, "td_div_by(%c, %c)", rest, by);
        }
    }
}

static void declare_threads(Lower *l) {
    const Part *part = l->part;
    bool done[MAX_FACTORS] = {false};
    for (int k = 0; k < part->layouts.n; k++) {
        const Layout *layout = part->layouts.at[k];
        for (int i = 0; i < layout->factors.n; i++) {
            Factor *f = layout->factors.at[i];
            if (bind_scope(f->bind) != SCOPE_THREAD || f->size == 1 || done[f->id]) continue;
            done[f->id] = true;
            const Code *t = l->lanes ? code(l->ctx, "%n", sym(l->ctx, "thread")) : code(l->ctx, "td_tid()");
            if (f->tid_stride != 1) t = code(l->ctx, "%c / %du", t, f->tid_stride);
            if ((int64_t)f->tid_stride * f->size != l->k->threads) t = code(l->ctx, "%c %% %lu", t, f->size);
            put_number(l, "int", factor_name(l, f), t);
        }
    }
}

/* Where lanes are settled at launch, the thread stands for another one: for that with its lane in its row, whose warp
 * may be of another block. */
static void declare_lanes(Lower *l) {
    const int warps = l->k->threads / TARGET_WARP;
    if (!l->lanes) return;
    put_number(l, "int", lower_lane_bits(l), code(l->ctx, "arg.td_lane_bits"));
    put_number(l, "unsigned", sym(l->ctx, "thread"),
               code(l->ctx, "(unsigned)(td_tid() >> %n) %% %du * 32u + (td_tid() & ((1u << %n) - 1u))",
                    lower_lane_bits(l), warps, lower_lane_bits(l)));
}

void axis_declare_digits(Lower *l) {
    declare_lanes(l);
    declare_blocks(l);
    declare_threads(l);
}

/* ---- bounds ---- */

/* The innermost factor of the axis where it is a vector whose elements lie on one side of the bound in the wide
 * instance. */
static Factor *whole_vector(Lower *l, const Layout *layout, const Axis *a) {
    Factor *last = NULL;
    for (int i = 0; i < layout->factors.n; i++)
        if (layout->factors.at[i]->axis == a && layout->factors.at[i]->size != 1) last = layout->factors.at[i];
    if (!last || last->bind != BIND_VEC || a->peel) return NULL;
    Poly extent = axis_extent(l, a);
    if (extent.failed) return NULL;
    if (poly_divisor(extent) % last->size == 0) return last;
    return offset_asked(l, poly_expr(l->g, extent), last->size) ? last : NULL;
}

Factor *axis_whole_vector(Lower *l, const Layout *layout, const Axis *a) {
    return l->needs.wide ? whole_vector(l, layout, a) : NULL;
}

/* Whether the axis's indices may need 64 bits. What registers add to one is then compared, in an int, with what is
 * left of the axis. */
static bool maybe_long(Lower *l, const Axis *a) { return !index_small(l, poly_of(&l->env, expr_var(l->g, a->var))); }

const Code *axis_end(Lower *l, const Layout *layout, const Axis *a) {
    if (cut_end(l, a)) return cut_end(l, a);
    const Poly hi = poly_of(&l->env, a->hi);
    return !hi.failed && offset_over_dims(hi) ? poly_code(l, hi, false) : expr_code(l, a->hi, layout);
}

/* The sum of the other factors' digits at most; -1: it is not known. */
static int64_t most_beside(const Layout *layout, const Axis *a, const Factor *f) {
    int64_t most = 0, stride;
    for (int i = 0; i < layout->factors.n; i++) {
        const Factor *o = layout->factors.at[i];
        if (o->axis != a || o == f || o->size == 1) continue;
        if (!o->size || !expr_is_int(o->stride, &stride)) return -1;
        most += (o->size - 1) * stride;
    }
    return most;
}

/* Whether a bound of registers leaves little room beside the largest tile. There nvcc spills where no test keeps loads
 * apart (filled_axes); where there is room tests keep loads one behind the other: a scan of 252 elements, 32 of a
 * thread in 64 registers, took an H200 180 us with them, and takes 105. */
static bool is_tight(const Lower *l) {
    enum { REGISTERS = 1 << 16 /* of a multiprocessor, of all targets */, BESIDE = 24 };
    int64_t most = 0;
    if (!l->k->blocks_per_sm) return false;
    for (int i = 0; i < l->part->values.n; i++) {
        const Value *v = l->part->values.at[i];
        const int64_t bytes = reg_count(l, v->domain) * ((type_bits(v->type) + 7) / 8);
        if (bytes > most) most = bytes;
    }
    return REGISTERS / ((int64_t)l->k->threads * l->k->blocks_per_sm) < most / TARGET_REGISTER + BESIDE;
}

const Code *axis_off_end(Lower *l, const Layout *layout, const Axis *a, bool low) {
    const Factor *f = NULL;
    int64_t stride = 0, n, from, one;
    for (int i = 0; i < layout->factors.n; i++) {
        const Factor *o = layout->factors.at[i];
        if (o->axis == a && o->bind == BIND_REG && expr_is_int(o->stride, &one) && one > stride) f = o, stride = one;
    }
    if (f && f->size > 1 && !low && axis_is_filled(l, a))
        return code(l->ctx, "%n < %l", factor_name(l, f), f->size - 1);
    if (!f || f->size == 1 || (!a->peel && (low || is_tight(l)))) return NULL;
    if (low) {
        from = (axis_slack(a) + stride - 1) / stride;
        return from < f->size ? code(l->ctx, "%n >= %l", factor_name(l, f), from) : NULL;
    }
    const int64_t beside = most_beside(layout, a, f);
    if (beside < 0 || !poly_is_const(axis_extent(l, a), &n) || n <= beside) return NULL;
    return code(l->ctx, "%n < %l", factor_name(l, f), (n - 1 - beside) / stride + 1);
}

/* A test for the registers alone that may lie outside. */
static const Code *without_ends(Lower *l, const Layout *layout, const Axis *a, const Code *test) {
    const Code *past = axis_off_end(l, layout, a, true), *before = axis_off_end(l, layout, a, false);
    if (!before || (a->peel && !past)) return test;
    return code(l->ctx, "(%c || %c)", code_join(l->ctx, past, " && ", before), test);
}

const Code *axis_bound_test(Lower *l, const Layout *layout, const Axis *a) {
    return axis_begins_test(l, layout, a, NULL);
}

/* Whether the loop along the axis ends before an iteration would begin behind its end: nothing but a vector is inside
 * of the loop. */
static bool loop_tests(Lower *l, const Layout *layout, const Axis *a, const Factor *vec) {
    bool serial = false;
    for (int i = 0; i < layout->factors.n; i++) {
        const Factor *f = layout->factors.at[i];
        if (f->axis != a || f == vec || f->size == 1) continue;
        if (f->bind != BIND_SERIAL || f->size || !(axis_ambient(l, layout) >> f->id & 1)) return false;
        serial = true;
    }
    return serial && !a->peel;
}

const Code *axis_begins_test(Lower *l, const Layout *layout, const Axis *a, const Factor *without) {
    const Layout *saved = l->open.layout;
    l->open.layout = layout;
    const Factor *first = axis_whole_vector(l, layout, a);
    const Code *hi = axis_end(l, layout, a), *more = expr_registers(l, a, layout, first, without);
    const Code *base = code_name(l->ctx, axis_name(l, a, layout)), *r;
    const Code *i = more ? code(l->ctx, "(%c + %c)", base, more) : base;
    int64_t lo;
    bool from0 = expr_is_int(a->lo, &lo) && lo == 0;
    if (more && maybe_long(l, a) && (!a->peel || from0))
        r = code(l->ctx, "%s(%n, %c, %c)", a->peel ? "TD_INSIDE" : "TD_BEFORE", axis_name(l, a, layout), more, hi);
    else if (!a->peel)
        r = code(l->ctx, "%c < %c", i, hi);
    else if (from0)
        r = code(l->ctx, "td_below(%c, %c)", i, hi);
    else
        r = code(l->ctx, "%c >= %c && %c < %c", i, expr_code(l, a->lo, layout), i, hi);
    if (!a->peel || axis_is_filled(l, a)) r = without_ends(l, layout, a, r);
    if (first && first != without && loop_tests(l, layout, a, first)) r = code(l->ctx, "(A == 1 || %c)", r);
    l->open.layout = saved;
    return r;
}

const Code *axis_vector_inside(Lower *l, const Layout *layout, const Axis *a, Factor *vec) {
    const Layout *saved = l->open.layout;
    l->open.layout = layout;
    VecPlan plan = {.nv = 1, .f = {vec}};
    Poly first = offset_regroup(l, layout, vector_drop(l, poly_of(&l->env, axis_index(l, layout, a)), &plan));
    const Code *i = poly_code(l, first, false), *hi = axis_end(l, layout, a);
    const Code *more = expr_registers(l, a, layout, NULL, vec), *r;
    if (more && maybe_long(l, a))
        r = code(l->ctx, "TD_BEFORE(%n, %c + %l, %c)", axis_name(l, a, layout), more, vec->size - 1, hi);
    else
        r = code(l->ctx, "%c + %l <= %c", i, vec->size, hi);
    if (!a->peel) r = without_ends(l, layout, a, r);
    if (a->peel) {
        const Code *past = axis_off_end(l, layout, a, true), *before = axis_off_end(l, layout, a, false);
        const Code *lo = code(l->ctx, "%c >= %c", i, expr_code(l, a->lo, layout));
        if (past) lo = code(l->ctx, "(%c || %c)", past, lo);
        if (before) r = code(l->ctx, "(%c || %c)", before, r);
        r = code(l->ctx, "%c && %c", lo, r);
    }
    l->open.layout = saved;
    return r;
}

const Code *axis_predicate(Lower *l, const Layout *layout, FactorSet have) {
    const Code *r = NULL;
    for (int i = 0; layout && i < l->part->axes.n; i++) {
        const Axis *a = l->part->axes.at[i];
        FactorSet all = layout_axis_factors(layout, a);
        if (!all || (all & ~(have | axis_ambient(l, layout))) || !(all & have) || axis_exact(l, layout, a)) continue;
        r = code_join(l->ctx, r, " && ", axis_bound_test(l, layout, a));
    }
    return r;
}
