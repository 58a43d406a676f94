/* Lowering, vectors: which register factors make one wide access, and how a vector's elements get into a value's array
 * and out of it. */
#include "lower_internal.h"

/* The coefficient of a factor in p where it is a constant and nothing else of p depends on the factor: a subscript that
 * was loaded may differ from element to element. */
static bool const_coef(Lower *l, const Layout *layout, Poly p, Factor *f, int64_t *c) {
    Poly coef, rest;
    if (!poly_linear(l->ctx, p, expr_factor(l->p, f), &coef, &rest) || !poly_is_const(coef, c)) return false;
    for (int i = 0; i < rest.n; i++)
        for (int k = 0; k < rest.term[i].degree; k++) {
            const Expr *a = rest.term[i].atom[k];
            if (a->op != OP_VAR && a->op != OP_FACTOR && expr_domain(l->part, layout, a) >> f->id & 1) return false;
        }
    return true;
}

/* Whether a factor may join the vector: with tails, one inexact axis at most, so that one count says how much of a
 * vector is inside. */
static bool may_join(Lower *l, const Layout *layout, const Factor *f, const Axis **owner) {
    int64_t step;
    if (axis_exact(l, layout, f->axis)) return true;
    if (*owner) return *owner == f->axis;
    if (!expr_is_int(f->stride, &step) || step != 1) return false; /* an element must be a step of its axis */
    *owner = f->axis;
    return true;
}

void vector_plan(Lower *l, Poly offset, const Layout *layout, VecLimits limits, VecPlan *plan) {
    const Axis *owner = NULL;
    Factor *f[MAX_FACTORS];
    int n = list_reg_factors(layout, limits.domain, f);
    int64_t part[MAX_FACTORS];
    for (int i = 0; i < n; i++) part[i] = 1;
    plan->V = 1;
    plan->nv = 0;
    for (bool more = true; more && plan->V < limits.most && plan->nv < 8;) {
        more = false;
        for (int i = 0; i < n; i++) {
            int64_t c, p;
            if (part[i] != 1 || !(limits.may >> f[i]->id & 1) || !const_coef(l, layout, offset, f[i], &c) ||
                c != plan->V || (p = gcd64(f[i]->size, limits.most / plan->V)) == 1)
                continue;
            if (limits.tails && !may_join(l, layout, f[i], &owner)) continue;
            part[i] = p;
            plan->f[plan->nv] = f[i];
            plan->part[plan->nv++] = p;
            plan->V *= p;
            more = p == f[i]->size;
            break;
        }
    }
    plan->nouter = 0;
    for (int i = 0; i < n; i++) {
        if (part[i] == f[i]->size) continue;
        plan->outer[plan->nouter] = f[i];
        plan->step[plan->nouter++] = part[i];
    }
}

/* Takes the last factor (or half of it) out of the plan's vectors. */
void vector_halve(VecPlan *plan) {
    int i = plan->nv - 1;
    Factor *f = plan->f[i];
    plan->V /= 2;
    plan->part[i] /= 2;
    bool found = false;
    for (int k = 0; k < plan->nouter; k++)
        if (plan->outer[k] == f) {
            plan->step[k] = plan->part[i];
            found = true;
        }
    if (!found) {
        plan->outer[plan->nouter] = f;
        plan->step[plan->nouter++] = plan->part[i];
    }
    if (plan->part[i] == 1) plan->nv--;
}

int put_vector_loops(Lower *l, const VecPlan *plan, const Factor *without) {
    int n = 0;
    for (int i = 0; i < plan->nouter; i++) {
        if (plan->outer[i] == without || l->open.batch >> plan->outer[i]->id & 1) continue;
        n += put_reg_loop(l, plan->outer[i], plan->step[i], true);
    }
    return n;
}

Poly vector_drop(Lower *l, Poly p, const VecPlan *plan) {
    for (int i = 0; i < plan->nv; i++) {
        bool looped = false;
        for (int k = 0; k < plan->nouter; k++) looped = looped || plan->outer[k] == plan->f[i];
        Poly coef, rest;
        if (!looped && poly_linear(l->ctx, p, expr_factor(l->p, plan->f[i]), &coef, &rest)) p = rest;
    }
    return p;
}

Poly vector_starts(Lower *l, Poly p, const VecPlan *plan) {
    for (int i = 0; i < plan->nv; i++) {
        const Expr *digit = expr_factor(l->p, plan->f[i]);
        Poly coef, rest;
        if (!poly_linear(l->ctx, p, digit, &coef, &rest)) continue;
        if (plan->part[i] == plan->f[i]->size) {
            p = rest;
        } else {
            Poly step = poly_scale(l->ctx, poly_mul(l->ctx, coef, poly_of(&l->env, digit)), plan->part[i]);
            p = poly_add(l->ctx, rest, step);
        }
    }
    return p;
}

/* ---- elements ---- */

bool vector_in_order(const Value *v, const VecPlan *plan) {
    Factor *f[MAX_FACTORS];
    int64_t stride[MAX_FACTORS], want = 1;
    int n = value_order(v, f, stride);
    for (int i = 0; i < plan->nv; i++) {
        bool ok = false;
        for (int k = 0; k < n; k++) ok = ok || (f[k] == plan->f[i] && stride[k] == want);
        if (!ok) return false;
        want *= plan->part[i];
    }
    int per = type_bits(v->type) < 32 ? 32 / type_bits(v->type) : 1;
    return plan->V % per == 0; /* whole words */
}

/* The place of the vector's first element in the value's array, divided: its own digits are at 0, or where the loops
 * over a part of them stand. NULL: the beginning. */
static const Code *vector_place(Lower *l, const Value *v, const VecPlan *plan, int64_t divide) {
    Factor *f[MAX_FACTORS];
    int64_t stride[MAX_FACTORS];
    int n = tile_order(l, v, f, stride);
    const Code *r = NULL;
    for (int i = 0; i < n; i++) {
        bool looped = false;
        for (int k = 0; k < plan->nouter; k++) looped = looped || plan->outer[k] == f[i];
        if (looped) r = code_join(l->ctx, r, " + ", code(l->ctx, "%c * %l", factor_code(l, f[i]), stride[i]));
    }
    return r && divide > 1 ? code(l->ctx, "(%c) / %l", r, divide) : r;
}

int64_t vector_per_word(Type t) { return type_bits(t) < 32 ? 32 / type_bits(t) : 1; }

const Code *vector_words(Lower *l, const Value *v, const VecPlan *plan) {
    const Code *place = vector_place(l, v, plan, vector_per_word(v->type));
    Sym name = value_name(l, v);
    return place ? code(l->ctx, "%n + %c", name, place) : code_name(l->ctx, name);
}

const Code *vector_number(Lower *l, const Value *v, const VecPlan *plan) {
    const Code *number = vector_place(l, v, plan, plan->V);
    return number ? number : code(l->ctx, "0");
}

const Code *vector_turn(Lower *l, const VecPlan *plan) {
    const Code *turn = NULL;
    for (int i = 0; i < plan->nouter; i++) {
        const Code *digit = factor_code(l, plan->outer[i]);
        const int64_t count = plan->outer[i]->size / plan->step[i];
        if (plan->step[i] > 1) digit = code(l->ctx, "%c / %l", digit, (int64_t)plan->step[i]);
        turn = turn ? code(l->ctx, "(%c) * %l + %c", turn, count, digit) : digit;
    }
    return turn ? turn : code(l->ctx, "0");
}

/* Loops over a vector's elements, of which put_ends closes the number returned; their places in the value's array and
 * in the vector. */
static int put_elements(Lower *l, const Value *v, const VecPlan *plan, const Code **in_value, const Code **in_vector) {
    Factor *f[MAX_FACTORS];
    int64_t stride[MAX_FACTORS], before = 1;
    int n = tile_order(l, v, f, stride);
    *in_value = vector_place(l, v, plan, 1);
    if (!*in_value) *in_value = code(l->ctx, "0");
    *in_vector = code(l->ctx, "0");
    for (int i = 0; i < plan->nv; i++) {
        Sym e = sym_fmt(l->ctx, "e%d_", i);
        put_digit_loop(l, e, plan->part[i], 1, false)->braces = BARE;
        for (int k = 0; k < n; k++)
            if (f[k] == plan->f[i]) *in_value = code(l->ctx, "%c + %n * %l", *in_value, e, stride[k]);
        *in_vector = code(l->ctx, "%c + %n * %l", *in_vector, e, before);
        before *= plan->part[i];
    }
    return plan->nv;
}

Apart value_apart(const Lower *l, const Value *v) {
    for (int i = 0; i < l->apart.n; i++)
        if (l->apart.at[i].value == v) return l->apart.at[i].how;
    return APART_NOT;
}

/* Moves a vector's words into the value's array, or out of it. */
static void put_move(Lower *l, const Value *v, const VecPlan *plan, const Code *words, bool into_value) {
    const Code *at, *e;
    int loops = put_elements(l, v, plan, &at, &e);
    const char *T = lower_storage_type(v->type);
    Sym name = value_name(l, v);
    if (into_value && value_apart(l, v))
        put_do(l, "%n[%c] = %c[0]", name, at, words);
    else if (into_value)
        put_do(l, "td_move<%s>(%n, %c, %c, %c)", T, name, at, words, e);
    else
        put_do(l, "td_move<%s>(%c, %c, %n, %c)", T, words, e, name, at);
    put_ends(l, loops);
}

void put_scatter(Lower *l, const Value *v, const VecPlan *plan, const Code *words) {
    put_move(l, v, plan, words, true);
}

void put_fill(Lower *l, const Value *v, const VecPlan *plan, const Code *element) {
    const Code *at, *e;
    int loops = put_elements(l, v, plan, &at, &e);
    const char *T = lower_storage_type(v->type);
    if (value_apart(l, v))
        put_do(l, "td_put<%s>(%n + %c, 0, %c)", T, value_name(l, v), at, element);
    else
        put_do(l, "td_put<%s>(%n, %c, %c)", T, value_name(l, v), at, element);
    put_ends(l, loops);
}

/* Gives a factor's digit another name, for the loop inside the loop that steps by whole vectors; returns the old one.
 */
static Sym rename_digit(Lower *l, const Factor *f, Sym name) {
    Sym old = factor_name(l, f);
    for (int i = 0; i < l->names.n; i++)
        if (l->names.at[i].object == f) l->names.at[i].name = name;
    return old;
}

/* Loops that fill an array with the elements of a vector of an expression. */
static void put_gather(Lower *l, const VecPlan *plan, const Expr *e, const Layout *layout, Sym array) {
    const Code *at = NULL;
    int64_t before = 1;
    Sym old[8];
    for (int i = 0; i < plan->nv; i++) {
        Sym v = old[i] = factor_name(l, plan->f[i]);
        const Code *digit = code_name(l->ctx, v);
        Stmt *loop;
        if (plan->part[i] != plan->f[i]->size) {
            Sym in = rename_digit(l, plan->f[i], sym_fmt(l->ctx, "%s_in", v));
            v = factor_name(l, plan->f[i]);
            loop = put_loop(l, true, "int %n = %n; %n < %n + %l; %n++", v, in, v, in, plan->part[i], v);
            digit = code(l->ctx, "(%n - %n)", v, in);
        } else {
            loop = put_digit_loop(l, v, plan->part[i], 1, false);
        }
        loop->braces = BARE;
        at = code_join(l->ctx, at, " + ", before == 1 ? digit : code(l->ctx, "%c * %l", digit, before));
        before *= plan->part[i];
    }
    put_do(l, "%n[%c] = %c", array, at ? at : code(l->ctx, "0"), expr_code(l, e, layout));
    put_ends(l, plan->nv);
    for (int i = 0; i < plan->nv; i++) rename_digit(l, plan->f[i], old[i]);
}

/* A value of that very type moves as it is. */
const Code *put_words(Lower *l, const VecPlan *plan, const Expr *e, Type t, const Layout *layout) {
    const char *T = lower_storage_type(t);
    const Value *v = e->op == OP_VALUE ? e->u.value : NULL;
    Sym words = sym(l->ctx, "words"), some = sym(l->ctx, "some");
    Sym word = sym_fmt(l->ctx, "td_word<%s>", T);
    if (v && v->type == t && value_packed(v)) {
        if (vector_in_order(v, plan)) {
            return vector_words(l, v, plan);
        }
        put_declare(l, word, words, "[td_words<%s>(%l)]", T, plan->V);
        put_move(l, v, plan, code_name(l->ctx, words), false);
        return code_name(l->ctx, words);
    }
    /* To pack rounds as a cast does, and takes an instruction for two. */
    const bool packs = t == TY_F16 || t == TY_BF16;
    if (packs && e->op == OP_CAST && e->type == t && e->arg[0]->type == TY_F32) e = e->arg[0];
    put_declare(l, lower_value_type(t), some, "[%l]", plan->V);
    put_gather(l, plan, e, layout, some);
    put_declare(l, word, words, "[td_words<%s>(%l)]", T, plan->V);
    put_do(l, "td_pack<%s, %l>(%n, %n)", T, plan->V, words, some);
    return code_name(l->ctx, words);
}
