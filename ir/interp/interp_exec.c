/* The interpreter: runs compiled definitions. Operators are written from their definitions, on f64 and on 64-bit
 * integers that wrap to the width of their type. */
#include "interp_code.h"

#include <math.h>

/* The operators that take floats, and those that take integers and bool. Switches over them have no default: a row of
 * ops.def that they do not evaluate does not compile. Those that are instructions of their own are ELSEWHERE. */
typedef enum FloatOp {
    FLOAT_ELSEWHERE = OP_COUNT,
#define IS_FLOAT(rule) (rule == RULE_ARITH || rule == RULE_FLOAT || rule == RULE_TEST || rule == RULE_COMPARE)
#define OP(e, text, arity, form, rule, ...) FLOAT_##e = IS_FLOAT(RULE_##rule) ? (int)OP_##e : (int)FLOAT_ELSEWHERE,
#include "ir/ops.def"
#undef OP
} FloatOp;
typedef enum WholeOp {
    WHOLE_ELSEWHERE = OP_COUNT,
#define IS_WHOLE(rule) (rule == RULE_ARITH || rule == RULE_INT || rule == RULE_LOGIC || rule == RULE_COMPARE)
#define OP(e, text, arity, form, rule, ...) WHOLE_##e = IS_WHOLE(RULE_##rule) ? (int)OP_##e : (int)WHOLE_ELSEWHERE,
#include "ir/ops.def"
#undef OP
} WholeOp;

/* MATH_CASE of a row of ops.def: where its column host is LIBM(exp), case FLOAT_EXP: d->f = exp(a); break; else
 * nothing. */
#define LABEL_NONE(e)
#define LABEL_GLUE(e)
#define LABEL_LIBM(fn) LABEL_OF
#define LABEL_OF(e) case FLOAT_##e:
#define CALL_NONE(arity)
#define CALL_GLUE(arity)
#define CALL_LIBM(fn) d->f = fn CALL_OF
#define CALL_OF(arity)                                                                                                 \
    CALL_##arity;                                                                                                      \
    break;
#define CALL_1 (a)
#define CALL_2 (a, r[i->b].f)
#define CALL_3 (a, r[i->b].f, r[i->c].f)
#define MATH_CASE(e, arity, host) LABEL_##host(e) CALL_##host(arity)

static const double PI = 3.141592653589793238;

typedef struct Acc {
    long double sum; /* sums and products of floats */
    Reg v;
    int64_t index;
    bool any;
} Acc;

typedef struct Exec {
    Interp *m;
    Reg *r;
    Acc *acc;
} Exec;

static double digamma(double x) {
    double up = 0;
    if (x == 0) return copysign((double)INFINITY, -x);
    if (x < 0) {
        double frac = x - floor(x);
        if (frac == 0) return (double)NAN;
        up = -PI / tan(PI * frac);
        x = 1 - x;
    }
    for (; x < 12; x += 1) up -= 1 / x;
    double z = 1 / (x * x);
    double tail =
        z * (1.0 / 12 -
             z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
    return up + log(x) - 0.5 / x - tail;
}

static double sigmoid(double x) {
    if (x >= 0) return 1 / (1 + exp(-x));
    double e = exp(x);
    return e / (1 + e);
}

/* The remainder that goes with a quotient rounded toward minus infinity, as for integers. */
static double float_mod(double a, double b) {
    double m = fmod(a, b);
    if (m == 0) return copysign(0.0, b);
    return (m < 0) != (b < 0) ? m + b : m;
}

static double half_even(double v) {
    double f = floor(v), d = v - f;
    if (!(d >= 0.5)) return isnan(d) ? v : copysign(f, v);
    return copysign(d > 0.5 || fmod(f, 2) != 0 ? f + 1 : f, v);
}

/* Of zeros the maximum is the positive one, the minimum the negative. */
static double float_max(double a, double b) {
    if (isnan(a) || isnan(b)) return isnan(a) ? a : b;
    return a > b || (a == b && !signbit(a)) ? a : b;
}
static double float_min(double a, double b) {
    if (isnan(a) || isnan(b)) return isnan(a) ? a : b;
    return a < b || (a == b && signbit(a)) ? a : b;
}

/* An inexact operand of a comparison, as the nudge says: up moves it toward +infinity. */
static double nudged(const Interp *m, double v, bool inexact, bool up) {
    if (m->nudge == NUDGE_NONE || m->nudge >= NUDGE_NOISE || !inexact) return v;
    float f = (float)v;
    if (m->nudge == NUDGE_ROUND || !isfinite(f)) return (double)f;
    return (double)nextafterf(f, up ? INFINITY : -INFINITY);
}

static bool compare(const Exec *x, const Ins *i) {
    bool up = x->m->nudge == NUDGE_UP;
    double a = nudged(x->m, x->r[i->a].f, i->inexact & 1, up), b = nudged(x->m, x->r[i->b].f, i->inexact & 2, !up);
    switch ((Op)i->kind) {
    case OP_EQ: return a == b;
    case OP_NE: return a != b;
    case OP_LT: return a < b;
    case OP_LE: return a <= b;
    case OP_GT: return a > b;
    default: return a >= b;
    }
}

static void float_op(const Exec *x, const Ins *i) {
    Reg *r = x->r, *d = &r[i->dst];
    const double a = nudged(x->m, r[i->a].f, i->inexact & 1, x->m->nudge == NUDGE_UP);
    switch ((FloatOp)i->kind) {
    case FLOAT_ADD: d->f = a + r[i->b].f; break;
    case FLOAT_SUB: d->f = a - r[i->b].f; break;
    case FLOAT_MUL: d->f = a * r[i->b].f; break;
    case FLOAT_DIV: d->f = a / r[i->b].f; break;
    case FLOAT_MOD: d->f = float_mod(a, r[i->b].f); break;
    case FLOAT_NEG: d->f = -a; break;
    case FLOAT_MAX: d->f = float_max(a, r[i->b].f); break;
    case FLOAT_MIN: d->f = float_min(a, r[i->b].f); break;
    case FLOAT_ABS: d->f = fabs(a); break;
    case FLOAT_SIGN: d->f = isnan(a) ? a : (double)((a > 0) - (a < 0)); break;
    case FLOAT_ROUND: d->f = half_even(a); break;
    case FLOAT_RSQRT: d->f = 1 / sqrt(a); break;
    case FLOAT_DIGAMMA: d->f = digamma(a); break;
    case FLOAT_SIGMOID: d->f = sigmoid(a); break;
    case FLOAT_EQ:
    case FLOAT_NE:
    case FLOAT_LT:
    case FLOAT_LE:
    case FLOAT_GT:
    case FLOAT_GE: d->i = compare(x, i); break;
    case FLOAT_ISNAN: d->i = isnan(a) != 0; break;
    case FLOAT_ISINF: d->i = isinf(a) != 0; break;
    case FLOAT_ISFINITE: d->i = isfinite(a) != 0; break;
#define OP(e, text, arity, form, rule, device, host, d) MATH_CASE(e, arity, host)
#include "ir/ops.def"
#undef OP
    case FLOAT_ELSEWHERE: break;
    }
}

static int64_t shift(Op op, Type t, int64_t a, int64_t by) {
    if (by < 0 || by >= type_bits(t)) return op == OP_SHR && a < 0 ? -1 : 0;
    return op == OP_SHL ? (int64_t)((uint64_t)a << by) : a >> by;
}

static int64_t int_op(const Ins *i, int64_t a, int64_t b) {
    switch ((WholeOp)(i->kind - INS_INT)) {
    case WHOLE_ADD: return (int64_t)((uint64_t)a + (uint64_t)b);
    case WHOLE_SUB: return (int64_t)((uint64_t)a - (uint64_t)b);
    case WHOLE_MUL: return (int64_t)((uint64_t)a * (uint64_t)b);
    case WHOLE_DIV: return b ? floor_div(a, b) : 0;
    case WHOLE_MOD: return b ? floor_mod(a, b) : 0;
    case WHOLE_NEG: return (int64_t)(0 - (uint64_t)a);
    case WHOLE_BITAND: return a & b;
    case WHOLE_BITOR: return a | b;
    case WHOLE_BITXOR: return a ^ b;
    case WHOLE_SHL:
    case WHOLE_SHR: return shift((Op)(i->kind - INS_INT), i->type, a, b);
    case WHOLE_NOT: return !a;
    case WHOLE_EQ: return a == b;
    case WHOLE_NE: return a != b;
    case WHOLE_LT: return a < b;
    case WHOLE_LE: return a <= b;
    case WHOLE_GT: return a > b;
    case WHOLE_GE: return a >= b;
    case WHOLE_MIN: return a < b ? a : b;
    case WHOLE_MAX: return a > b ? a : b;
    case WHOLE_ABS: return a < 0 ? (int64_t)(0 - (uint64_t)a) : a;
    case WHOLE_SIGN: return (a > 0) - (a < 0);
    case WHOLE_AND: /* branches */
    case WHOLE_OR:
    case WHOLE_ELSEWHERE: break;
    }
    return 0;
}

/* ---- reductions ---- */

static bool arg_better(const Exec *x, const Ins *i, const Acc *a, Reg v) {
    bool max = i->monoid == MONOID_ARGMAX;
    if (!a->any) return true;
    if (!i->is_float) return max ? v.i > a->v.i : v.i < a->v.i;
    if (isnan(a->v.f)) return false;
    if (isnan(v.f)) return true;
    bool up = x->m->nudge == NUDGE_UP;
    double n = nudged(x->m, v.f, i->inexact, max ? up : !up), old = nudged(x->m, a->v.f, i->inexact, max ? !up : up);
    return max ? n > old : n < old;
}

/* Of numbers of exact algebra. */
static void fold_exact(const Exact *e, const Ins *i, Acc *a, Reg v, int64_t index) {
    switch (i->monoid) {
    case MONOID_SUM: a->v.i = exact_op(e, OP_ADD, a->v.i, v.i, 0); break;
    case MONOID_PROD: a->v.i = exact_op(e, OP_MUL, a->v.i, v.i, 0); break;
    case MONOID_MAX: a->v.i = exact_op(e, OP_MAX, a->v.i, v.i, 0); break;
    case MONOID_MIN: a->v.i = exact_op(e, OP_MIN, a->v.i, v.i, 0); break;
    default:
        if (a->any && !(i->monoid == MONOID_ARGMAX ? exact_greater(e, v.i, a->v.i) : exact_greater(e, a->v.i, v.i)))
            break;
        a->v = v;
        a->index = index;
        break;
    }
    a->any = true;
}

static void fold(const Exec *x, const Ins *i) {
    Acc *a = &x->acc[i->dst];
    Reg v = x->r[i->a];
    if (x->m->exact && i->is_float) {
        fold_exact(x->m->exact, i, a, v, x->r[i->b].i);
        return;
    }
    switch (i->monoid) {
    case MONOID_SUM:
        if (i->is_float)
            a->sum += (long double)v.f;
        else
            a->v.i = (int64_t)((uint64_t)a->v.i + (uint64_t)v.i);
        break;
    case MONOID_PROD:
        if (i->is_float)
            a->sum *= (long double)v.f;
        else
            a->v.i = (int64_t)((uint64_t)a->v.i * (uint64_t)v.i);
        break;
    case MONOID_MAX:
        if (i->is_float)
            a->v.f = float_max(a->v.f, v.f);
        else if (!a->any || v.i > a->v.i)
            a->v = v;
        break;
    case MONOID_MIN:
        if (i->is_float)
            a->v.f = float_min(a->v.f, v.f);
        else if (!a->any || v.i < a->v.i)
            a->v = v;
        break;
    case MONOID_ANY: a->v.i |= v.i != 0; break;
    case MONOID_ALL: a->v.i &= v.i != 0; break;
    default:
        if (!arg_better(x, i, a, v)) break;
        a->v = v;
        a->index = x->r[i->b].i;
        break;
    }
    a->any = true;
}

static void clear(const Exec *x, Acc *a, const Ins *i) {
    const Exact *e = i->is_float ? x->m->exact : NULL;
    *a = (Acc){.index = -1};
    switch (i->monoid) {
    case MONOID_PROD:
        a->sum = 1;
        a->v.i = 1;
        break;
    case MONOID_MAX:
        if (e)
            a->v.i = exact_from_float(e, (double)-INFINITY);
        else if (i->is_float)
            a->v.f = (double)-INFINITY;
        else
            a->v.i = num_int_min(i->type);
        break;
    case MONOID_MIN:
        if (e)
            a->v.i = exact_from_float(e, (double)INFINITY);
        else if (i->is_float)
            a->v.f = (double)INFINITY;
        else
            a->v.i = num_int_max(i->type);
        break;
    case MONOID_ALL: a->v.i = 1; break;
    default: break;
    }
}

static Reg finish(const Exec *x, const Acc *a, const Ins *i) {
    switch (i->monoid) {
    case MONOID_SUM:
    case MONOID_PROD:
        if (i->is_float && x->m->exact) return a->v;
        if (i->is_float) return (Reg){.f = (double)a->sum};
        return (Reg){.i = num_wrap(i->type, a->v.i)};
    case MONOID_ARGMAX:
    case MONOID_ARGMIN: return (Reg){.i = a->index};
    default: return a->v;
    }
}

/* ---- memory ---- */

static void say_where(const Exec *x, const Ins *i) {
    const char *sep = " at ";
    for (const LoopVar *s = i->loops; s; s = s->up, sep = ", ")
        text_fmt(x->m->why, "%s%s = %lld", sep, s->var->name, (long long)x->r[s->reg].i);
}

/* The row-major place of an element, or -1 after saying which subscript is out of range. */
static int64_t place(const Exec *x, const Ins *i) {
    const Cell *c = i->cell;
    int64_t at = 0;
    for (int d = 0; d < c->tensor->rank; d++) {
        int64_t s = x->r[i->subs[d]].i;
        if (s < 0 || s >= c->shape[d]) {
            text_fmt(x->m->why, "interpreter: subscript %d of %s is %lld, outside 0..%lld", d + 1, c->tensor->name,
                     (long long)s, (long long)c->shape[d]);
            say_where(x, i);
            return -1;
        }
        at = at * c->shape[d] + s;
    }
    return at;
}

static bool store(const Exec *x, const Ins *i) {
    Cell *c = i->cell;
    int64_t at = place(x, i);
    if (at < 0) return false;
    if (c->written && i->kind == INS_STORE && c->written[at]++) {
        text_fmt(x->m->why, "interpreter: element %lld of %s is defined twice", (long long)at, c->tensor->name);
        say_where(x, i);
        return false;
    }
    Reg v = x->r[i->a];
    if (c->is_float && x->m->exact) /* which holds no fewer digits in any type */
        c->data[at] = v;
    else if (!c->is_float)
        c->data[at].i = num_wrap(i->type, v.i);
    else
        c->data[at].f = c->rounds ? num_round(i->type, v.f) : v.f;
    return true;
}

static int64_t float_to_int(const Exec *x, const Ins *i) {
    return num_to_int(i->type, nudged(x->m, x->r[i->a].f, i->inexact & 1, x->m->nudge == NUDGE_UP));
}

/* The first noise is rounding to the type; then off by up to four units in the last place. Zeros and specials stay. */
static double noisy(Interp *m, Type t, double v) {
    if (m->nudge == NUDGE_NOISE) return t == TY_F64 ? v : (double)(float)v;
    m->noise = m->noise * 6364136223846793005u + 1442695040888963407u;
    double by = (double)((int)(m->noise >> 61) - 4) + 0.5;
    return isfinite(v) ? v + v * by * (t == TY_F64 ? 0x1p-52 : 0x1p-23) : v;
}

static bool run(const Exec *x, const Block *b) {
    Reg *r = x->r;
    const Ins *end = b->ins.at + b->ins.n;
    for (const Ins *i = b->ins.at; i < end; i++) {
        int64_t at;
        switch (i->kind) {
        case OP_ADD: r[i->dst].f = r[i->a].f + r[i->b].f; break;
        case OP_MUL: r[i->dst].f = r[i->a].f * r[i->b].f; break;
        case INS_MOVE: r[i->dst] = r[i->a]; break;
        case INS_LOAD:
            if ((at = place(x, i)) < 0) return false;
            r[i->dst] = i->cell->read[at];
            break;
        case INS_HELD:
            if ((at = place(x, i)) < 0) return false;
            r[i->dst] = i->cell->data[at];
            break;
        case INS_STORE:
        case INS_UPDATE:
            if (!store(x, i)) return false;
            break;
        case INS_LOOP:
            for (int64_t v = r[i->a].i, hi = r[i->b].i; v < hi; v++) {
                r[i->dst].i = v;
                if (!run(x, i->body)) return false;
            }
            break;
        case INS_IF: {
            const Block *side = r[i->a].i ? i->body : i->other;
            if (side && !run(x, side)) return false;
            break;
        }
        case INS_CLEAR: clear(x, &x->acc[i->dst], i); break;
        case INS_FOLD: fold(x, i); break;
        case INS_FINISH: r[i->dst] = finish(x, &x->acc[i->a], i); break;
        case INS_ROUND: r[i->dst].f = num_round(i->type, r[i->a].f); break;
        case INS_NOISE: r[i->dst].f = noisy(x->m, i->type, r[i->a].f); break;
        case INS_TO_FLOAT: r[i->dst].f = num_from_int(i->type, r[i->a].i); break;
        case INS_TO_INT: r[i->dst].i = float_to_int(x, i); break;
        case INS_INT + OP_RANDOM: r[i->dst].f = num_random(r[i->a].i, r[i->b].i, r[i->c].i); break;
        case INS_WRAP: r[i->dst].i = num_wrap(i->type, r[i->a].i); break;
        case INS_EXACT_INT: r[i->dst].i = exact_to_int(x->m->exact, i->type, r[i->a].i); break;
        case INS_EXACT_FROM: r[i->dst].i = exact_from_int(x->m->exact, r[i->a].i); break;
        case INS_EXACT + OP_RANDOM: r[i->dst].i = exact_random(x->m->exact, r[i->a].i, r[i->b].i, r[i->c].i); break;
        case INS_EXPECT:
            if (r[i->a].i) break;
            text_put(x->m->why, "does not hold");
            say_where(x, i);
            return false;
        default:
            if (i->kind >= INS_EXACT)
                r[i->dst].i = exact_op(x->m->exact, (Op)(i->kind - INS_EXACT), r[i->a].i, r[i->b].i, r[i->c].i);
            else if (i->kind < INS_INT)
                float_op(x, i);
            else
                r[i->dst].i = num_wrap(i->type, int_op(i, r[i->a].i, r[i->b].i));
            break;
        }
    }
    return true;
}

bool interp_exec(Interp *m, PieceCode *code) {
    Exec x = {.m = m, .r = code->regs.at, .acc = NEW_N(m->ctx, Acc, code->naccs + 1)};
    return run(&x, code->body);
}
