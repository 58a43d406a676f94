/* Lowering, global memory: loads, stores and atomics of register tiles, as lower_access.c has planned them. */
#include "lower_internal.h"

static const char *variant_text(const Access *x) { return x->apart ? "0" : x->cut ? "2" : x->plan.V > 1 ? "A" : "1"; }

/* A load from a row, or of the element of a row: td_load_row, td_load_outer. */
static const Code *row_call(Lower *l, const Access *x, const char *verb, const Code *into, const Code *at,
                            const Stage *s) {
    const Code *left = access_tail(l, x) == TAIL_NONE ? NULL : access_remaining(l, x, false);
    Poly first = offset_regroup(l, x->layout, vector_drop(l, x->first, &x->plan));
    const Code *step = code(l->ctx, "%c, ", poly_code(l, x->step.n ? x->step : x->jump, true));
    int64_t fixed;
    const Code *begin = poly_code(l, first, true);
    const Code *row = expr_is_int(x->row, &fixed) ? code(l->ctx, "(I)%l", fixed) : dim_divmod(l, x->row);
    return code(l->ctx, "%s<%s, %s, %l, %d>(%c, %c, %c(I)%c, %c, %c)",
                sym_fmt(l->ctx, "td_%s_%s", verb, x->step.n ? "outer" : "row"), variant_text(x),
                lower_storage_type(x->tensor->type), x->plan.V, (int)s->cache, into, at, step, begin, row,
                left ? left : code(l->ctx, "%l", x->plan.V));
}

static const Code *access_call(Lower *l, const Access *x, const char *verb, const Code *into, const Code *at,
                               const Stage *s) {
    static const char *const suffix[] = {[TAIL_NONE] = "", [TAIL_PART] = "_n", [TAIL_WHOLE] = "_v"};
    if (x->row) return row_call(l, x, verb, into, at, s);
    const Tail tail = access_tail(l, x);
    const Code *head = code(l->ctx, "%s<%s, %s, %l, %d>(%c, %c", sym_fmt(l->ctx, "td_%s%s", verb, suffix[tail]),
                            variant_text(x), lower_storage_type(x->tensor->type), x->plan.V, (int)s->cache, into, at);
    if (tail == TAIL_NONE) return code(l->ctx, "%c)", head);
    const Code *left = access_remaining(l, x, false);
    if (tail == TAIL_WHOLE) return code(l->ctx, "%c, %c)", head, left);
    const Code *from = x->vaxis->peel ? access_remaining(l, x, true) : code(l->ctx, "0");
    return code(l->ctx, "%c, %c, %c)", head, from, left);
}

/* ---- loads ---- */

/* Where a tensor begins and ends. */
static const Code *tensor_ends(Lower *l, Tensor *t) {
    Poly all = poly_of(&l->env, expr_int(l->g, TY_I64, 1));
    for (int d = 0; d < t->rank; d++) all = poly_mul(l->ctx, all, poly_of(&l->env, t->shape[d]));
    const Code *begin = tensor_code(l, t);
    return code(l->ctx, "%c, %c + %c", begin, begin, poly_code(l, all, true));
}

/* Of td_load_across and td_load_pieces: where elements lie, which of them are there, and the tensor. */
static const Code *across_arguments(Lower *l, const Access *x, const Code *at) {
    const bool whole = access_tail(l, x) == TAIL_NONE;
    const Code *from = whole ? code(l->ctx, "0") : access_remaining(l, x, true);
    const Code *left = whole ? code(l->ctx, "%l", x->plan.V) : access_remaining(l, x, false);
    return code(l->ctx, "%c, %c, %c, %c", at, from, left, tensor_ends(l, x->tensor));
}

/* The test that all vectors of a thread that hold some of a peeled row are whole in the tensor, which is wrong of its
 * last row at most; `first` is the address of the first of them. NULL: where there is nothing to gain. */
static const Code *row_inside_test(Lower *l, const Access *x, Sym first) {
    const int64_t V = x->plan.V, bits = type_bits(x->tensor->type);
    if (access_tail(l, x) != TAIL_PART || x->chosen.n || !x->vaxis->peel || x->vscale != 1 || x->apart || x->across ||
        x->row)
        return NULL;
    if (bits < 8 || V * bits < 32 || reg_factors(l, x->domain & ~layout_axis_factors(x->layout, x->vaxis))) return NULL;
    /* Each of them may be the first to name a dimension: compilers evaluate arguments in different orders. */
    const Code *low = access_remaining_first(l, x, true), *high = access_remaining_first(l, x, false);
    const Code *ends = tensor_ends(l, x->tensor);
    return code(l->ctx, "A == 1 && td_row_inside<%s, %l>(%n, %c, %c, %c)", lower_storage_type(x->tensor->type), V,
                first, low, high, ends);
}

static const Code *load_call(Lower *l, const Access *x, const Code *into, const Code *at, const Stage *s) {
    if (l->open.row_inside) {
        const Code *low = access_remaining(l, x, true), *high = access_remaining(l, x, false);
        return code(l->ctx, "td_load_inside<%s, %l, %d>(%c, %c, %c, %c)", lower_storage_type(x->tensor->type),
                    x->plan.V, (int)s->cache, into, at, low, high);
    }
    if (!x->across) return access_call(l, x, "load", into, at, s);
    return code(l->ctx, "td_load_across<%s, %l, %d>(%c, %c)", lower_storage_type(x->tensor->type), x->plan.V,
                (int)s->cache, into, across_arguments(l, x, at));
}

static void put_some(Lower *l, const Value *v, const VecPlan *plan) {
    const char *T = lower_storage_type(v->type);
    put_declare(l, sym_fmt(l->ctx, "td_word<%s>", T), sym(l->ctx, "some"), "[td_words<%s>(%l)]", T, plan->V);
}

/* Where a load's vector is the value's own words; NULL: it is put there element by element. */
static const Code *whole_words(Lower *l, const Stage *s, const Access *x) {
    const Value *v = s->out[0];
    if (value_apart(l, v) == APART_VECTORS) return apart_vector(l, v, &x->plan);
    const bool direct = vector_in_order(v, &x->plan) && (x->plan.V > 1 || type_bits(v->type) >= 32);
    if (direct) return vector_words(l, v, &x->plan);
    return reg_count(l, v->domain) == 1 ? code_name(l->ctx, value_name(l, v)) : NULL;
}

/* Whether what is put now is of the instance of wide accesses alone: tiles that test no element are. */
static bool is_wide_place(const Lower *l) { return l->open.inside.n || l->open.filled.n; }

enum { PIECES = 64, ELEMENTS = 40 /* registers that hold what is apart */ };

Apart lower_load_apart(Lower *l, const Stage *s) {
    const Access *x = access_of(l, s);
    const Value *v = s->out[0];
    const int64_t n = reg_count(l, v->domain);
    if (x->plan.V == 1)
        return type_bits(v->type) < 32 && !whole_words(l, s, x) && (n <= ELEMENTS || s->depth) ? APART_ELEMENTS
                                                                                               : APART_NOT;
    if (!vector_in_order(v, &x->plan)) {
        const bool once = !x->each || is_wide_place(l); /* elements by themselves are not numbered as vectors are */
        const bool several = n > x->plan.V && x->plan.V * type_bits(v->type) % 32 == 0;
        return once && several && !x->across && n * type_bits(v->type) <= PIECES * 32 ? APART_VECTORS : APART_NOT;
    }
    return x->across && 2 * n * type_bits(v->type) <= PIECES * 32 ? APART_PIECES : APART_NOT;
}

/* Whether a load is made under a condition, at some digits of its tile. */
static bool is_tested(Lower *l, const Stage *s, const Access *x) {
    l->open.layout = x->layout;
    return l->open.reached.n || access_guarded_vector(l, x) || access_guard(l, x, s->cond);
}

/* Behind a test nothing is moved to the front of it, so that what is put together there, where it is loaded, waits. */
static bool load_waits(Lower *l, const Stage *s) {
    const Access *x = access_of(l, s);
    const Apart apart = lower_load_apart(l, s);
    l->open.layout = x->layout;
    if (apart == APART_PIECES) return reg_count(l, s->out[0]->domain) > x->plan.V;
    return apart && is_tested(l, s, x);
}

/* What a load leaves where it is not made: the value that is stated, or words that are not garbage, since elements
 * inside may share them. */
static void put_absent(Lower *l, const Stage *s, const Access *x, const Code *whole) {
    const Value *v = s->out[0];
    const bool vectors = value_apart(l, v) == APART_VECTORS;
    if (vectors) whole = apart_vector(l, v, &x->plan);
    const char *T = lower_storage_type(v->type);
    const Code *other = !s->cond   ? NULL
                        : s->other ? expr_code(l, s->other, v->layout)
                                   : code(l->ctx, type_is_float(v->type) ? "0.0f" : "0");
    if (value_apart(l, v) == APART_PIECES) {
        put_no_pieces(l, v, x, other);
    } else if (vectors && other) {
        put_loop(l, true, "int e = 0; e < %l; e++", (int64_t)x->plan.V)->braces = BARE;
        put_do(l, "td_put<%s>(%c, e, %c)", T, whole, other);
        put_end(l);
    } else if (other) {
        put_fill(l, v, &x->plan, other);
    } else if (whole) {
        put_do(l, "td_undef<%s, %l>(%c)", T, x->plan.V, whole);
    } else {
        put_some(l, v, &x->plan);
        put_do(l, "td_undef<%s, %l>(some)", T, x->plan.V);
        put_scatter(l, v, &x->plan, code(l->ctx, "some"));
    }
}

/* An address that takes instructions is made before the test, where loads beside this one share it: behind tests of
 * their own each would make it again (a max pooling of 3 x 3 places, lengths unsaid: 65 products of 64 bits, 226
 * before). */
static const Code *put_moved(Lower *l, const Access *x, const Code *at) {
    const Sym name = name_of(l, at, sym_fmt(l->ctx, "%s_here", x->tensor->name));
    put_block(l);
    put_do(l, "const %s *const %n = %c", lower_storage_type(x->tensor->type), name, at);
    return code_name(l->ctx, name);
}

/* A load at the digits of the open loops, where the guard holds. */
static void put_guarded_load(Lower *l, Stage *s, const Access *x, const Code *at, const Code *guard) {
    const Value *v = s->out[0];
    const Code *whole = whole_words(l, s, x);
    const bool pieces = value_apart(l, v) == APART_PIECES;
    const bool body = guard || !whole; /* another load may stand beside this one */
    const bool before = guard && l->open.moved;
    if (before) at = put_moved(l, x, at);
    if (body) put_if(l, guard);
    if (pieces) {
        put_pieces(l, v, x, across_arguments(l, x, at), s);
    } else if (whole) {
        put_do(l, "%c", load_call(l, x, whole, at, s));
    } else {
        put_some(l, v, &x->plan);
        put_do(l, "%c", load_call(l, x, code(l->ctx, "some"), at, s));
        put_scatter(l, v, &x->plan, code(l->ctx, "some"));
    }
    if (guard) {
        put_else(l);
        put_absent(l, s, x, whole);
    }
    put_ends(l, body + before);
}

/* Elements of a vector of its axis, one by one: all of them are loaded, or none is, but where the axis ends. */
static void put_vector_of_loads(Lower *l, Stage *s, const Access *x, const Code *at, const Factor *vec) {
    const Code *inside = axis_bound_test(l, x->layout, vec->axis);
    const Code *guard = s->cond ? access_cond_code(l, x, s->cond) : NULL;
    put_if(l, access_guard_before(l, x, vec));
    put_digit_loop(l, factor_name(l, vec), vec->size, 1, false);
    int once = put_once_each(l);
    put_guarded_load(l, s, x, at, code_join(l->ctx, guard, " && ", code(l->ctx, "(A == 1 || %c)", inside)));
    put_ends(l, 1 + once);
    put_else(l);
    put_digit_loop(l, factor_name(l, vec), vec->size, 1, false);
    once = put_once_each(l);
    put_absent(l, s, x, NULL);
    put_ends(l, 2 + once);
}

static Reach reach_of_load(Lower *l, const Access *x, const Factor *vec) {
    bool own = !vec && !x->row;
    for (int i = 0; i < l->open.reached.n; i++) own &= access_has_end(l, x, l->open.reached.at[i].factor->axis);
    if (!own) return REACH_TESTED;
    if (l->open.row_inside || x->plan.V == 1) return REACH_NEVER;
    return access_tail(l, x) == TAIL_WHOLE && l->needs.wide ? REACH_NARROW : REACH_TESTED;
}

/* once: a test of all of them, which is not open; or NULL. */
static void put_tile_of_loads(Lower *l, Stage *s, const Access *x, const Code *at, const Code *once,
                              const Factor *vec) {
    l->open.reach = reach_of_load(l, x, vec);
    const int loops = put_vector_loops(l, &x->plan, vec) + (vec ? 0 : put_once_each(l));
    l->open.reach = REACH_TESTED;
    if (vec)
        put_vector_of_loads(l, s, x, at, vec);
    else
        put_guarded_load(l, s, x, at, code_join(l->ctx, once, " & ", access_guard(l, x, s->cond)));
    put_ends(l, loops);
}

static void put_loads(Lower *l, Stage *s, const Access *x) {
    l->open.layout = x->layout;
    const Factor *vec = access_guarded_vector(l, x);
    Sym first;
    const Code *at = put_pointer(l, x, s, true, &first), *once = access_guard_once(l, x);
    const Code *inside = vec ? NULL : row_inside_test(l, x, first);
    if (once && l->open.batch && !vec) { /* behind a branch a batch is put together before the next one is asked for */
        put_tile_of_loads(l, s, x, at, code(l->ctx, "(%c)", once), vec);
        return;
    }
    if (once) put_if(l, once);
    if (inside) {
        put_if(l, inside);
        l->open.row_inside = true;
        put_tile_of_loads(l, s, x, at, NULL, NULL);
        l->open.row_inside = false;
        put_else(l);
    }
    put_tile_of_loads(l, s, x, at, NULL, vec);
    if (inside) put_end(l);
    if (!once) return;
    put_else(l);
    const int loops = put_vector_loops(l, &x->plan, NULL) + put_once_each(l);
    put_absent(l, s, x, whole_words(l, s, x));
    put_ends(l, loops);
    put_end(l);
}

void lower_load_into(Lower *l, Stage *s, const Stage *planned) {
    const Access *x = access_of(l, planned);
    const bool either = x->each && !is_wide_place(l);
    if (either) put_if(l, code(l->ctx, "A == 1"));
    put_loads(l, s, x);
    if (!either) return;
    put_else(l);
    put_loads(l, s, x->each);
    put_end(l);
}

/* Elements below a word that are loaded one by one are kept so until all are there. */
static bool are_words_apart(Lower *l, const Stage *s, const Access *x) {
    return x->plan.V == 1 && type_bits(s->out[0]->type) < 32 && !whole_words(l, s, x);
}

/* The windows of a load, where its elements are tested: of others nvcc sees that they are equal. */
static Windows windows_of_load(Lower *l, const Stage *s) {
    const Access *x = access_of(l, s);
    const bool once = !x->each || is_wide_place(l), whole = x->plan.V > 1 && vector_in_order(s->out[0], &x->plan);
    if (!once || !(whole || x->plan.V == 1) || !is_tested(l, s, x)) return (Windows){.of = NULL};
    return window_find(l, s);
}

/* The register factors over which elements that are apart are loaded in batches, where all of them together would take
 * too many registers; 0: over none. */
static FactorSet batch_of(Lower *l, const Stage *s, const Windows *w) {
    const Access *x = access_of(l, s);
    int64_t n = tile_count(w, reg_count(l, s->out[0]->domain));
    FactorSet batch = 0;
    const int64_t most = w->n ? PIECES : ELEMENTS; /* in the window's place there were more */
    if (!are_words_apart(l, s, x) || n <= most || !is_tested(l, s, x)) return 0;
    const Factor *vec = access_guarded_vector(l, x);
    for (int i = 0; i < x->plan.nouter && n > most; i++) {
        const Factor *f = x->plan.outer[i];
        if (f == vec || window_factors(w) >> f->id & 1) continue;
        n /= f->size;
        batch |= (FactorSet)1 << f->id;
    }
    return n <= most ? batch : 0;
}

/* Loops over the batches, of which put_ends closes the number returned. */
static int open_batches(Lower *l, const Stage *s, FactorSet batch) {
    const VecPlan *plan = &access_of(l, s)->plan;
    int n = 0;
    for (int i = 0; i < plan->nouter; i++)
        if (batch >> plan->outer[i]->id & 1) n += put_reg_loop(l, plan->outer[i], 1, true);
    l->open.batch = batch;
    return n;
}

void lower_load(Lower *l, Stage *s) {
    Windows w = windows_of_load(l, s);
    const FactorSet batch = batch_of(l, s, &w);
    put_tile(l, s->out[0]);
    if (!w.n && !batch && !load_waits(l, s)) {
        lower_load_into(l, s, s);
        return;
    }
    Stage *load = lower_load_elsewhere(l, s, "each");
    load->out[0]->domain &= ~batch;
    w.of = w.n ? load->out[0] : NULL;
    put_block(l);
    const int batches = open_batches(l, s, batch);
    l->open.windows = w;
    const bool words = (batch || w.n) && are_words_apart(l, s, access_of(l, s));
    put_tile_apart(l, load->out[0], s, words ? APART_ELEMENTS : w.n ? APART_NOT : lower_load_apart(l, s));
    lower_load_into(l, load, s);
    put_together(l, s, load->out[0]);
    l->open.windows = (Windows){.of = NULL};
    l->open.batch = 0;
    put_ends(l, 1 + batches);
}

/* ---- stores ---- */

/* Opens what a store or an atomic stands in, of which put_ends closes the number returned; *at is the address. */
static int open_access(Lower *l, const Access *x, const Stage *s, Braces braces, const Code **at) {
    l->open.layout = x->layout;
    const Code *once = access_guard_once(l, x), *guard = access_guard(l, x, s->cond);
    if (once)
        put_if(l, once);
    else
        put_block(l);
    *at = put_pointer(l, x, s, false, NULL);
    int loops = put_vector_loops(l, &x->plan, NULL);
    if (guard) put_if(l, guard)->braces = braces;
    return 1 + loops + (guard != NULL);
}

static void put_store(Lower *l, const Stage *s, const Access *x) {
    const Code *at;
    int opened = open_access(l, x, s, BRACES, &at);
    const Code *words = put_words(l, &x->plan, s->expr[0], s->tensor->type, x->layout);
    put_do(l, "%c", access_call(l, x, "store", at, words, s));
    put_ends(l, opened);
}

void lower_store(Lower *l, Stage *s) {
    const Access *x = access_of(l, s);
    const bool either = x->each && !is_wide_place(l);
    if (either) put_if(l, code(l->ctx, "A == 1"));
    put_store(l, s, x);
    if (!either) return;
    put_else(l);
    put_store(l, s, x->each);
    put_end(l);
}

void lower_atomic(Lower *l, Stage *s) {
    const Access *x = access_of(l, s);
    const Code *at;
    if (x->plan.V > 1) {
        const int all = open_access(l, x, s, BRACES, &at);
        const Code *words = put_words(l, &x->plan, s->expr[0], s->tensor->type, x->layout);
        put_do(l, "%c", access_call(l, x, sym_fmt(l->ctx, "%ss", monoid_atomic(s->monoid->kind)), at, words, s));
        put_ends(l, all);
        return;
    }
    int opened = open_access(l, x, s, INLINE, &at);
    const char *verb = sym_fmt(l->ctx, "td_atomic_%s", monoid_atomic(s->monoid->kind));
    const Code *value = expr_code(l, s->expr[0], x->layout);
    put_do(l, "%s(%c, (%s)%c)", verb, at, lower_storage_type(s->tensor->type), value);
    put_ends(l, opened);
}
