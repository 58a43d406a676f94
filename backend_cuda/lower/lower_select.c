/* Lowering, folds that select: of monoids that take one of two states whole (monoid_selects), the thread's own elements
 * are compared by their values, and the index is found once at the end.
 *
 * A group is what the innermost register factor holds: a vector, as a rule. The thread keeps the best value, where its
 * group begins, counted from the thread's first index in 32 bits, and the group's elements. They are taken over only
 * where a group's best value is better, so that earlier elements win ties; after the last group the first element that
 * has the value is looked for. An element that has to be asked for by itself, as at the end of an axis, is taken over
 * by itself: it becomes the first of the elements kept. */
#include "lower_fold.h"

typedef struct Selection {
    const Fold *f;
    Op best;          /* OP_MAX or OP_MIN */
    const Axis *axis; /* of which the index is */
    Factor *reg[MAX_FACTORS];
    int64_t stride[MAX_FACTORS]; /* of these in the index, falling */
    int n;
    bool grouped;        /* otherwise each element is compared by itself */
    bool seeded;         /* the first element counts as taken: no value is worse than what the fold begins with */
    const Value *packed; /* the elements as they were loaded; NULL: they are computed */
    const char *T;       /* the type of elements kept */
    const Code *value;   /* of the element at the current digits */
    Sym at, kept, now, top, pair;
} Selection;

static int64_t group_size(const Selection *x) { return x->reg[x->n - 1]->size; }

/* The operand is a value of a load with the group's elements side by side, in whole words. */
static const Value *packed_operand(const Selection *x, const Expr *e) {
    const Expr *v = e->op == OP_CAST ? e->arg[0] : e;
    Factor *order[MAX_FACTORS];
    int64_t stride[MAX_FACTORS];
    if (v->op != OP_VALUE || !value_packed(v->u.value)) return NULL;
    int n = value_order(v->u.value, order, stride), bits = type_bits(v->u.value->type);
    if (!n || order[n - 1] != x->reg[x->n - 1] || group_size(x) * bits % 32) return NULL;
    return type_acc(v->u.value->type) == e->type ? v->u.value : NULL;
}

/* Whether the index is that of an axis, and grows from register to register. */
static bool in_index_order(Lower *l, Selection *x) {
    const Fold *f = x->f;
    const Expr *index = f->s->expr[f->n - 1];
    while (index->op == OP_CAST && type_is_int(index->arg[0]->type)) index = index->arg[0];
    if (f->n != 2 || index->op != OP_VAR) return false;
    for (int i = 0; i < l->part->axes.n; i++)
        if (l->part->axes.at[i]->var == index->u.var) x->axis = l->part->axes.at[i];
    x->n = list_reg_factors(f->layout, f->s->over, x->reg);
    if (!x->axis || !x->n) return false;
    for (int i = 0; i < x->n; i++) {
        int64_t below = i ? x->stride[i - 1] : INT32_MAX;
        if (x->reg[i]->axis != x->axis || !expr_is_int(x->reg[i]->stride, &x->stride[i])) return false;
        if (x->stride[i] * x->reg[i]->size > below) return false;
    }
    return true;
}

/* Where the element, or the group where digit of the innermost factor is left out, lies from the thread's first. */
static const Code *place_code(Lower *l, const Selection *x, int n) {
    const Code *r = NULL;
    for (int i = 0; i < n; i++)
        r = code_join(l->ctx, r, " + ", code(l->ctx, "%n * %l", factor_name(l, x->reg[i]), x->stride[i]));
    return r ? r : code(l->ctx, "0");
}

/* That a value is taken in place of the best so far: no NaN is better than the first one. */
static const Code *better_code(Lower *l, const Selection *x, const Code *value) {
    const Code *best = x->f->state[0];
    const bool max = x->best == OP_MAX;
    const Code *is = type_is_float(x->f->s->monoid->type[0])
                         ? code(l->ctx, "((%c == %c) & !(%c %s %c))", best, best, value, max ? "<=" : ">=", best)
                         : code(l->ctx, "(%c %s %c)", value, max ? ">" : "<", best);
    return x->seeded ? is : code(l->ctx, "((%n < 0) | %c)", x->at, is);
}

/* One element by itself. */
static void put_element(Lower *l, const Selection *x, const Code *guard) {
    const char *type = lower_value_type(x->f->s->monoid->type[0]);
    Sym one = sym(l->ctx, "e0_");
    put_if(l, guard);
    put_declare(l, sym_fmt(l->ctx, "const %s", type), one, " = %c", x->value);
    put_if(l, better_code(l, x, code_name(l->ctx, one)));
    put_do(l, "%c = %n", x->f->state[0], one);
    put_do(l, "%n = %c", x->at, place_code(l, x, x->n));
    if (x->grouped) put_do(l, "td_put<%s>(%n, 0, %n)", x->T, x->kept, one);
    put_end(l);
    put_end(l);
}

static void put_elements(Lower *l, const Selection *x, const Code *guard) {
    put_digit_loop(l, factor_name(l, x->reg[x->n - 1]), group_size(x), 1, false);
    put_element(l, x, guard);
    put_end(l);
}

/* The group's elements as words, and their best value. */
static void put_top(Lower *l, const Selection *x) {
    const char *type = lower_value_type(x->f->s->monoid->type[0]), *op = x->best == OP_MAX ? "td_max" : "td_min";
    Type of = x->packed ? x->packed->type : x->f->s->monoid->type[0];
    Sym digit = factor_name(l, x->reg[x->n - 1]), i = sym(l->ctx, "i");
    int64_t size = group_size(x), per = type_bits(of) < 32 ? 32 / type_bits(of) : 1;
    put_declare(l, sym_fmt(l->ctx, "td_word<%s>", x->T), x->now, "[td_words<%s>(%l)]", x->T, size);
    put_digit_loop(l, digit, size, per, false)->braces = BARE;
    if (x->packed)
        put_do(l, "%n[%n / %l] = %n[(%c) / %l]", x->now, digit, per, value_name(l, x->packed),
               value_index(l, x->packed), per);
    else
        put_do(l, "%n[%n] = %c", x->now, digit, x->value);
    put_end(l);
    if (of == TY_BF16 || of == TY_F16) {
        put_declare(l, "uint32_t", x->pair, " = %n[0]", x->now);
        put_digit_loop(l, i, size / per, 1, false)->braces = BARE;
        put_do(l, "%n = %s<%s>(%n, %n[%n])", x->pair, x->best == OP_MAX ? "td_max2" : "td_min2", x->T, x->pair, x->now,
               i);
        put_end(l);
        put_declare(l, sym_fmt(l->ctx, "const %s", type), x->top, " = %s(td_get<%s>(&%n, 0), td_get<%s>(&%n, 1))", op,
                    x->T, x->pair, x->T, x->pair);
        return;
    }
    put_declare(l, type, x->top, " = td_get<%s>(%n, 0)", x->T, x->now);
    put_loop(l, true, "int i = 1; i < %l; i++", size)->braces = BARE;
    put_do(l, "%n = %s(%n, td_get<%s>(%n, i))", x->top, op, x->top, x->T, x->now);
    put_end(l);
}

static void put_group(Lower *l, const Selection *x) {
    put_block(l);
    put_top(l, x);
    put_if(l, better_code(l, x, code_name(l->ctx, x->top)));
    put_do(l, "%c = %n", x->f->state[0], x->top);
    put_do(l, "%n = %c", x->at, place_code(l, x, x->n - 1));
    put_loop(l, true, "int i = 0; i < td_words<%s>(%l); i++", x->T, group_size(x))->braces = BARE;
    put_do(l, "%n[i] = %n[i]", x->kept, x->now);
    put_end(l);
    put_end(l);
    put_end(l);
}

/* The first element is taken, unless it lies behind the axis's end: then all do. */
static void put_seed(Lower *l, const Selection *x, const Code *guard) {
    put_block(l);
    for (int i = 0; i < x->n; i++) put_declare(l, "const int", factor_name(l, x->reg[i]), " = 0");
    put_if(l, guard)->braces = INLINE;
    put_do(l, "%n = 0", x->at);
    put_end(l);
    put_end(l);
}

/* The first element of the group that has the best value: where one is NaN, so is that. */
static void put_place(Lower *l, const Selection *x) {
    const Code *best = x->f->state[0];
    Type t = x->f->s->monoid->type[0];
    Sym place = sym(l->ctx, "place"), one = sym(l->ctx, "e0_");
    put_declare(l, "int", place, " = 0");
    put_loop(l, true, "int i = %l; i >= 0; i--", group_size(x) - 1);
    put_declare(l, sym_fmt(l->ctx, "const %s", lower_value_type(t)), one, " = td_get<%s>(%n, i)", x->T, x->kept);
    put_if(l, type_is_float(t) ? code(l->ctx, "(%n == %c) | (%n != %n)", one, best, one, one)
                               : code(l->ctx, "%n == %c", one, best))
        ->braces = INLINE;
    put_do(l, "%n = i * %l", place, x->stride[x->n - 1]);
    put_end(l);
    put_end(l);
    put_do(l, "%n += %n", x->at, place);
}

static void put_index(Lower *l, const Selection *x) {
    const Fold *f = x->f;
    const Code *first = code_name(l->ctx, axis_name(l, x->axis, f->layout));
    for (int i = 0; i < f->nouts; i++) {
        int64_t stride;
        if (f->outs[i]->axis != x->axis || !expr_is_int(f->outs[i]->stride, &stride)) continue;
        first = code(l->ctx, "%c + %c * %l", first, factor_code(l, f->outs[i]), stride);
    }
    put_if(l, code(l->ctx, "%n >= 0", x->at));
    if (x->grouped) put_place(l, x);
    put_do(l, "%c = (int64_t)(%c + %n)", f->state[1], first, x->at);
    put_end(l);
}

static bool selection_of(Lower *l, const Fold *f, Selection *x) {
    Type t = f->s->monoid->type[0];
    *x = (Selection){.f = f};
    if (!monoid_selects(f->s->monoid->kind, &x->best) || !in_index_order(l, x)) return false;
    x->packed = packed_operand(x, f->s->expr[0]);
    x->T = x->packed ? lower_storage_type(x->packed->type) : lower_value_type(t);
    x->grouped = type_bits(t) == 32;
    x->value = expr_code(l, f->s->expr[0], f->layout);
    x->at = value_name_with(l, f->s->out[0], "_at");
    x->kept = value_name_with(l, f->s->out[0], "_kept");
    x->now = value_name_with(l, f->s->out[0], "_now");
    x->top = value_name_with(l, f->s->out[0], "_top");
    x->pair = value_name_with(l, f->s->out[0], "_pair");
    return true;
}

bool fold_selected(Lower *l, const Fold *f) {
    Selection x;
    if (!selection_of(l, f, &x)) return false;
    int loops = f->nouts ? put_ordered_loops(l, f->outs, f->nouts, false) : 1;
    if (!f->nouts) put_block(l);
    put_identity(l, f->s->monoid, f->state);
    const Axis *vector;
    const Code *guard = fold_guard(l, f, x.reg[x.n - 1], true, &vector);
    x.grouped = x.grouped && (vector || !guard);
    x.seeded = !x.grouped && !f->s->cond && !x.axis->peel;
    put_declare(l, "int", x.at, x.seeded && !guard ? " = 0" : " = -1");
    if (x.seeded && guard) put_seed(l, &x, guard);
    if (x.grouped) {
        put_declare(l, sym_fmt(l->ctx, "td_word<%s>", x.T), x.kept, "[td_words<%s>(%l)]", x.T, group_size(&x));
        put_do(l, "td_undef<%s, %l>(%n)", x.T, group_size(&x), x.kept);
    }
    int more = put_reg_loops(l, x.reg, x.n - 1);
    if (!x.grouped) {
        put_elements(l, &x, guard);
    } else {
        if (vector) put_if(l, axis_vector_inside(l, f->layout, vector, x.reg[x.n - 1]));
        put_group(l, &x);
        if (vector) {
            put_else(l);
            bool whole = axis_whole_vector(l, f->layout, vector);
            put_elements(l, &x, whole ? code(l->ctx, "A != 1 && (%c)", guard) : guard);
            put_end(l);
        }
    }
    put_ends(l, more);
    put_index(l, &x);
    put_ends(l, loops);
    return true;
}
