/* Formulas of dimensions: see tape.h. Numbers are doubles, exact up to 2^53, which no size of a tensor exceeds. */
#include "tape.h"

#include <math.h>
#include <string.h>

static unsigned bucket_of(const TapeStep *s) {
    const double v = s->value + 0.0; /* -0 is 0 */
    uint64_t h;
    memcpy(&h, &v, sizeof h);
    h ^= (uint64_t)s->op << 60 ^ (uint64_t)(unsigned)s->a << 40 ^ (uint64_t)(unsigned)s->b << 20 ^
         (uint64_t)(unsigned)s->c << 10 ^ (uint64_t)(unsigned)s->dim;
    return (unsigned)(h * 0x9e3779b97f4a7c15u >> (64 - TAPE_BUCKET_BITS));
}

static int push(Tape *t, TapeStep s) {
    int *first = &t->first[bucket_of(&s)];
    for (int i = *first - 1; i >= 0; i = t->steps.at[i].next - 1) {
        const TapeStep *o = &t->steps.at[i];
        if (o->op == s.op && o->a == s.a && o->b == s.b && o->c == s.c && o->value == s.value && o->dim == s.dim)
            return i;
    }
    if (t->steps.n == TAPE_MOST) return t->full = true, 0;
    s.next = *first;
    vec_push(t->ctx, &t->steps, s);
    return (*first = t->steps.n) - 1;
}

int tape_const(Tape *t, double v) { return push(t, (TapeStep){.op = TAPE_CONST, .value = v}); }

int tape_given(Tape *t) { return push(t, (TapeStep){.op = TAPE_GIVEN}); }

void tape_give(Tape *t, double v) { t->given = v; }

bool tape_known(const Tape *t, int step, double *v) {
    if (t->steps.at[step].op != TAPE_CONST) return false;
    *v = t->steps.at[step].value;
    return true;
}

bool tape_is(const Tape *t, int step, double v) {
    return step >= 0 && step < t->steps.n && t->steps.at[step].op == TAPE_CONST && t->steps.at[step].value == v;
}

static double floor_quotient(double a, double b) { return b != 0 ? floor(a / b) : 0; }

static double power_above(double a) {
    double p = 1;
    while (p < a) p *= 2;
    return p;
}

static double apply(const TapeStep *s, const double *value, const int64_t *dims, double given) {
    const double a = value[s->a], b = value[s->b];
    switch (s->op) {
    case TAPE_CONST: return s->value;
    case TAPE_DIM: return (double)dims[s->dim];
    case TAPE_GIVEN: return given;
    case TAPE_ADD: return a + b;
    case TAPE_SUB: return a - b;
    case TAPE_MUL: return a * b;
    case TAPE_DIV: return b != 0 ? a / b : 0;
    case TAPE_FLOOR_DIV: return floor_quotient(a, b);
    case TAPE_MOD: return b != 0 ? a - b * floor_quotient(a, b) : 0;
    case TAPE_MIN: return a < b ? a : b;
    case TAPE_MAX: return a > b ? a : b;
    case TAPE_LESS: return a < b;
    case TAPE_EQUAL: return a == b;
    case TAPE_AND: return a != 0 && b != 0;
    case TAPE_POWER: return power_above(a);
    case TAPE_ROOT: return sqrt(a);
    case TAPE_IF: return value[s->c] != 0 ? a : b;
    }
    return 0;
}

/* Of constants at once, and without operations that change nothing. */
int tape_step(Tape *t, TapeOp op, int a, int b) {
    if (a < 0 || b < 0) return -1;
    if (op == TAPE_MUL && (tape_is(t, a, 1) || tape_is(t, b, 0))) return b;
    if (op == TAPE_MUL && (tape_is(t, b, 1) || tape_is(t, a, 0))) return a;
    if (op == TAPE_ADD && tape_is(t, a, 0)) return b;
    if ((op == TAPE_ADD || op == TAPE_SUB) && tape_is(t, b, 0)) return a;
    if ((op == TAPE_FLOOR_DIV || op == TAPE_DIV) && tape_is(t, b, 1)) return a;
    const TapeStep s = {.op = op, .a = a, .b = b};
    if (t->steps.at[a].op == TAPE_CONST && t->steps.at[b].op == TAPE_CONST) {
        const double known[] = {t->steps.at[a].value, t->steps.at[b].value};
        return tape_const(t, apply(&(TapeStep){.op = op, .a = 0, .b = 1}, known, NULL, 0));
    }
    return push(t, s);
}

static bool plain_op(Op op, TapeOp *to) {
    static const struct {
        Op op;
        TapeOp to;
    } rows[] = {{OP_ADD, TAPE_ADD},  {OP_SUB, TAPE_SUB}, {OP_MUL, TAPE_MUL}, {OP_DIV, TAPE_FLOOR_DIV},
                {OP_MOD, TAPE_MOD},  {OP_MIN, TAPE_MIN}, {OP_MAX, TAPE_MAX}, {OP_LT, TAPE_LESS},
                {OP_EQ, TAPE_EQUAL}, {OP_AND, TAPE_AND}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].op == op) return *to = rows[i].to, true;
    return false;
}

static int dim_step(Tape *t, const Dim *d) {
    for (int i = 0; i < t->g->dims.n; i++)
        if (t->g->dims.at[i] == d) return push(t, (TapeStep){.op = TAPE_DIM, .dim = i});
    return -1;
}

static int compile(Tape *t, const Expr *e) {
    TapeOp op;
    int a, b, c;
    if (e->op == OP_CONST) return type_is_float(e->type) ? -1 : tape_const(t, (double)e->u.i);
    if (e->op == OP_DIM) return dim_step(t, e->u.dim);
    if (e->op == OP_CAST) return type_is_float(e->type) ? -1 : tape_expr(t, e->arg[0]);
    if (e->nargs < 1 || e->nargs > 3 || type_is_float(e->type)) return -1;
    if ((a = tape_expr(t, e->arg[0])) < 0) return -1;
    if (e->op == OP_NEG) return tape_step(t, TAPE_SUB, tape_const(t, 0), a);
    if (e->op == OP_NOT) return tape_step(t, TAPE_EQUAL, a, tape_const(t, 0));
    if (e->nargs < 2 || (b = tape_expr(t, e->arg[1])) < 0) return -1;
    if (plain_op(e->op, &op)) return tape_step(t, op, a, b);
    if (e->op == OP_GT) return tape_step(t, TAPE_LESS, b, a);
    if (e->op == OP_LE) return tape_step(t, TAPE_EQUAL, tape_step(t, TAPE_LESS, b, a), tape_const(t, 0));
    if (e->op == OP_GE) return tape_step(t, TAPE_EQUAL, tape_step(t, TAPE_LESS, a, b), tape_const(t, 0));
    if (e->op != OP_IF || (c = tape_expr(t, e->arg[2])) < 0) return -1;
    return push(t, (TapeStep){.op = TAPE_IF, .a = b, .b = c, .c = a});
}

int tape_expr(Tape *t, const Expr *e) {
    int n = (int)expr_map_number(&t->of, e, -2);
    if (n != -2) return n;
    n = compile(t, e);
    expr_map_put_number(t->ctx, &t->of, e, n);
    return n;
}

void tape_run(const Tape *t, const int64_t *dims, double *value) {
    for (int i = 0; i < t->steps.n; i++) value[i] = apply(&t->steps.at[i], value, dims, t->given);
}
