/* The interpreter's exact algebra (ir/interp/exact.c) against the stand-in's (backend_cuda/emu/td_exact.h), which are
 * written apart: every operator and constant on random numbers, and the laws that schedules rely on. */
#define TD_EXACT_TYPES_ONLY
#include "td_exact.h"

#include <stdio.h>

extern "C" {
enum { RING = 1, FIELD = 2 };
struct Exact {
    int kind, bits;
    uint64_t modulus, q, base, log2e;
};
Exact exact_algebra(int kind, int bits);
int64_t exact_from_int(const Exact *x, int64_t v);
int64_t exact_from_float(const Exact *x, double v);
int64_t exact_op(const Exact *x, int op, int64_t a, int64_t b, int64_t c);
bool exact_has(int op);
}

typedef td_real32 R;
typedef td_real64 D;
static int wrong;

static uint64_t state = 1;
static uint64_t draw() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint64_t v = (state >> 20) % td_exact::M;
    switch (state >> 60) { // special numbers often
    case 0: return 0;
    case 1: return 1;
    case 2: return td_exact::M - 1;
    case 3: return td_exact::TOP;
    case 4: return td_exact::BOTTOM;
    case 5: return v % 32;
    default: return v;
    }
}

static void same(const char *what, uint64_t a, uint64_t b, int64_t reference, uint64_t own) {
    if (uint64_t(reference) == own) return;
    if (wrong++ < 10)
        printf("%s of %llu and %llu: interpreter %lld, stand-in %llu\n", what, (unsigned long long)a,
               (unsigned long long)b, (long long)reference, (unsigned long long)own);
}

static bool is(const char *a, const char *b) { return !strcmp(a, b); }

/* One operator; false where the stand-in has none of that name. */
static bool apply(const char *name, R a, R b, R c, uint64_t *v) {
#define BINARY(text, e)                                                                                                \
    if (is(name, text)) return *v = uint64_t((e)), true;
    BINARY("+", (a + b).get())
    BINARY("difference", (a - b).get())
    BINARY("negative", (-a).get())
    BINARY("*", (a * b).get())
    BINARY("/", (a / b).get())
    BINARY("%", td_mod(a, b).get())
    BINARY("pow", td_pow(a, b).get())
    BINARY("atan2", td_atan2(a, b).get())
    BINARY("fma", td_fma(a, b, c).get())
    BINARY("max", td_max(a, b).get())
    BINARY("min", td_min(a, b).get())
    BINARY("==", a == b)
    BINARY("!=", a != b)
    BINARY("<", a < b)
    BINARY("<=", a <= b)
    BINARY(">", a > b)
    BINARY(">=", a >= b)
#undef BINARY
#define UNARY(name_of, f)                                                                                              \
    if (is(name, name_of)) return *v = td_##f(a).get(), td_##f(D::make(a.get())).get() == *v;
    UNARY("abs", abs)
    UNARY("sign", sign)
    UNARY("round", round_even)
#define FUNCTION(name, f, exact) UNARY(#name, name)
#define FAST(name)
#include "functions.def"
#undef UNARY
    return false;
}

/* The operators on floats, in the order in which the interpreter numbers them. */
static const struct {
    const char *text, *rule;
    int arity;
} ops[] = {
#define OP(e, text, arity, form, rule, ...) {text, #rule, arity},
#include "../../ir/ops.def"
#undef OP
};

static void operators(const Exact *x) {
    for (int op = 0; op < int(sizeof ops / sizeof *ops); op++) {
        const char *rule = ops[op].rule, *name = ops[op].text;
        uint64_t v;
        if (!(is(rule, "ARITH") || is(rule, "FLOAT") || is(rule, "COMPARE")) || !exact_has(op)) continue;
        if (is(name, "-")) name = ops[op].arity == 1 ? "negative" : "difference";
        if (!apply(name, R::make(1), R::make(1), R::make(1), &v)) {
            printf("%s is not compared: a row of functions.def, or a line of `apply` here\n", name), wrong++;
            continue;
        }
        for (int i = 0; i < 3000; i++) {
            const uint64_t a = draw(), b = draw(), c = draw();
            if (!apply(name, R::make(a), R::make(b), R::make(c), &v)) printf("td_%s of f64 differs\n", name), wrong++;
            same(name, a, b, exact_op(x, op, int64_t(a), int64_t(b), int64_t(c)), v);
        }
    }
}

static void constants(const Exact *x) {
    const double fixed[] = {0, -0.0, 1, -1, 0.5, -0.125, 0.1, -0.1, 3.25, 1e-5, 1e30, -1e30, 1e300, 1e-300, INFINITY,
                            -INFINITY, NAN, 1.4426950408889634, 65504, 0x1p-149, 0x1p53, 16777217};
    for (double v : fixed) same("a constant", 0, 0, exact_from_float(x, v), td_exact::of_float(v));
    for (int i = 0; i < 3000; i++) {
        const int64_t n = int64_t(state = state * 6364136223846793005u + 1442695040888963407u);
        const double v = ldexp(double(n >> 40), int(n & 31) - 20);
        same("a constant", 0, 0, exact_from_float(x, v), td_exact::of_float(v));
        same("an integer", uint64_t(n), 0, exact_from_int(x, n), td_exact::of_int(n));
    }
}

static void law(const char *what, bool holds) {
    if (!holds && wrong++ < 10) printf("not so: %s\n", what);
}

/* Constants of emitted text are floats and doubles to the compiler, which chooses an operator or a conversion for them. */
static void written_constants() {
    const double fixed[] = {-0.75, 0.5, 3, 1e300, -INFINITY};
    for (double v : fixed)
        for (int i = 0; i < 300; i++) {
            const D a = D::make(draw()), b = D(v);
            law("an f64 against a constant", (a < v) == (a < b) && (a <= v) == (a <= b) && (a > v) == (a > b) &&
                                                 (a >= v) == (a >= b) && (a == v) == (a == b));
            law("a constant against an f64", (v < a) == (b < a) && (v <= a) == (b <= a));
            law("an f64 and a constant", a + v == a + b && a * v == a * b && td_max(a, v) == td_max(a, b));
        }
}

static void laws() {
    const R one = R::make(1), zero = R::make(0);
    law("exp(0) = 1", td_exp(zero) == one);
    for (int i = 0; i < 3000; i++) {
        const R a = R::make(draw()), b = R::make(draw()), c = R::make(draw());
        law("(a + b) + c = a + (b + c)", (a + b) + c == a + (b + c) && a + b == b + a);
        law("a (b + c) = a b + a c", a * (b + c) == a * b + a * c && (a * b) * c == a * (b * c));
        law("exp(a + b) = exp(a) exp(b)", td_exp(a + b) == td_exp(a) * td_exp(b));
        law("exp2(a + b) = exp2(a) exp2(b)", td_exp2(a + b) == td_exp2(a) * td_exp2(b));
        law("(a + b) / c = a / c + b / c", (a + b) / c == a / c + b / c);
        law("a / (b c) = (a / b) / c", a / (b * c) == (a / b) / c);
        law("max is a maximum", td_max(a, td_max(b, c)) == td_max(td_max(a, b), c) && td_max(R(-INFINITY), a) == a);
        law("min is a minimum", td_min(a, td_min(b, c)) == td_min(td_min(a, b), c) && td_min(R(INFINITY), a) == a);
        law("exp has an inverse", td_exp(a) * td_exp(-a) == one && td_exp(a) / td_exp(b) == td_exp(a - b));
#ifdef TD_EXACT_FIELD
        const R odd = R::make(draw() / 2 * 2 + 1);
        law("a / a = 1", odd.get() % td_exact::P == 0 || odd.get() % td_exact::Q == 0 || odd / odd == one);
        law("constants are what they are", R(0.1f) + R(0.1f) == R(0.2f) && R(0.5f) * R(4.0f) == R(2.0f));
#endif
    }
}

int main() {
#ifdef TD_EXACT_FIELD
    const Exact x = exact_algebra(FIELD, TD_EXACT_BITS);
#else
    const Exact x = exact_algebra(RING, TD_EXACT_BITS);
#endif
    law("the moduli are equal", x.modulus == td_exact::M);
    operators(&x);
    constants(&x);
    written_constants();
    laws();
    return wrong != 0;
}
