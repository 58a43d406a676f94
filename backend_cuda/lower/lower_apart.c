/* Lowering, tiles whose words are put together later: nvcc moves nothing across a branch, so what is made of loaded
 * elements behind a test waits for them there, and one load at a time is under way. So elements smaller than a word
 * have a word each until all are loaded (the mean of masked tokens, bf16, of lengths that are not known), vectors whose
 * elements lie elsewhere in the tile stay together (the taps of a window), and vectors across aligned pieces have both
 * of these. */
#include "lower_internal.h"

Stage *lower_load_elsewhere(Lower *l, const Stage *s, const char *ending) {
    Value *v = NEW(l->ctx, Value);
    Stage *load = NEW(l->ctx, Stage);
    *v = *s->out[0];
    v->name = sym_fmt(l->ctx, "%s_%s", s->out[0]->name, ending);
    *load = *s;
    load->out[0] = v;
    v->def = load;
    return load;
}

/* Words of a vector. */
static int64_t vector_size(const Value *v, const VecPlan *plan) { return plan->V * type_bits(v->type) / 32; }

static int64_t vectors_of(Lower *l, const Value *v, const VecPlan *plan) { return reg_count(l, v->domain) / plan->V; }

const Code *apart_vector(Lower *l, const Value *v, const VecPlan *plan) {
    const int64_t words = type_bits(v->type) < 32 ? vector_size(v, plan) : plan->V;
    return code(l->ctx, "%n + (%c) * %l", value_name(l, v), vector_turn(l, plan), words);
}

/* Where in its two pieces each vector begins. */
static Sym begins(Lower *l, const Value *v) { return value_name_with(l, v, "_by"); }

void put_tile_apart(Lower *l, const Value *v, const Stage *planned, Apart how) {
    const VecPlan *plan = &access_of(l, planned)->plan;
    const bool pieces = how == APART_PIECES, narrow = how == APART_VECTORS && type_bits(v->type) < 32;
    const int64_t own =
        l->open.windows.of == v ? tile_count(&l->open.windows, reg_count(l, v->domain)) : reg_count(l, v->domain);
    const int64_t n = pieces   ? 2 * vector_size(v, plan) * vectors_of(l, v, plan)
                      : narrow ? vector_size(v, plan) * vectors_of(l, v, plan)
                      : how    ? own
                               : own / vector_per_word(v->type);
    if (how) vec_push(l->ctx, &l->apart, ((ApartValue){v, how}));
    put_declare(l, sym_fmt(l->ctx, "td_word<%s>", lower_storage_type(v->type)), value_name(l, v), "[%l]", n);
    if (pieces) put_declare(l, sym(l->ctx, "int"), begins(l, v), "[%l]", vectors_of(l, v, plan));
}

void put_together(Lower *l, const Stage *planned, const Value *apart) {
    const Value *v = planned->out[0];
    const VecPlan *plan = &access_of(l, planned)->plan;
    const char *T = lower_storage_type(v->type);
    if (value_apart(l, apart) == APART_PIECES) {
        const int64_t words = vector_size(v, plan);
        put_loop(l, true, "int i = 0; i < %l; i++", vectors_of(l, v, plan))->braces = BARE;
        put_do(l, "td_shift_pieces<%s, %l>(%n + i * %l, %n + i * %l, %n[i])", T, plan->V, value_name(l, v), words,
               value_name(l, apart), 2 * words, begins(l, apart));
    } else if (value_apart(l, apart) == APART_VECTORS) {
        const int loops = put_vector_loops(l, plan, NULL);
        put_scatter(l, v, plan, apart_vector(l, apart, plan));
        put_ends(l, loops);
        return;
    } else if (value_apart(l, apart) == APART_NOT) {
        int loops = put_vector_loops(l, plan, NULL);
        put_loop(l, true, "int i = 0; i < %l; i++", plan->V / vector_per_word(v->type))->braces = BARE;
        put_do(l, "(%c)[i] = (%c)[i]", vector_words(l, v, plan), vector_words(l, apart, plan));
        put_ends(l, loops + 1);
        return;
    } else if (l->open.batch || l->open.windows.of == apart) {
        const int loops = put_vector_loops(l, plan, NULL);
        put_do(l, "td_move<%s>(%n, %c, %n + (%c), 0)", T, value_name(l, v), value_index(l, v), value_name(l, apart),
               value_index(l, apart));
        put_ends(l, loops);
        return;
    } else {
        put_loop(l, true, "int i = 0; i < %l; i++", reg_count(l, v->domain))->braces = BARE;
        put_do(l, "td_move<%s>(%n, i, %n + i, 0)", T, value_name(l, v), value_name(l, apart));
    }
    put_end(l);
}

/* The pieces of the vector at the digits of the open loops, and where it begins in them. */
static const Code *pieces_at(Lower *l, const Value *v, const VecPlan *plan, const Code **begin) {
    const Code *number = vector_number(l, v, plan);
    *begin = code(l->ctx, "%n[%c]", begins(l, v), number);
    return code(l->ctx, "%n + (%c) * %l", value_name(l, v), number, 2 * vector_size(v, plan));
}

void put_pieces(Lower *l, const Value *v, const Access *x, const Code *arguments, const Stage *s) {
    const Code *begin, *at = pieces_at(l, v, &x->plan, &begin);
    put_do(l, "%c = td_load_pieces<%s, %l, %d>(%c, %c)", begin, lower_storage_type(v->type), x->plan.V, (int)s->cache,
           at, arguments);
}

void put_no_pieces(Lower *l, const Value *v, const Access *x, const Code *element) {
    const Code *begin, *at = pieces_at(l, v, &x->plan, &begin);
    const char *T = lower_storage_type(v->type);
    put_do(l, "td_undef<%s, %l>(%c)", T, 2 * x->plan.V, at);
    if (element) {
        put_loop(l, true, "int e = 0; e < %l; e++", x->plan.V)->braces = BARE;
        put_do(l, "td_put<%s>(%c, e, %c)", T, at, element);
        put_end(l);
    }
    put_do(l, "%c = 0", begin);
}
