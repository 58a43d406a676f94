/* Exact algebra for the interpreter. Written from the definitions in backend_cuda/emu/README.md, apart from the
 * stand-in's. */
#include "exact.h"

#include <math.h>
#include <string.h>

/* ---- the carriers ---- */

typedef struct Moduli {
    int bits;
    uint64_t p, q, base; /* base: 4 modulo p, which has order q, and 1 modulo q */
} Moduli;
/* The largest q for which q and 2 q + 1 are primes and their product fits. */
static const Moduli moduli[] = {{8, 23, 11, 188}, {16, 359, 179, 63188}, {32, 92459, 46229, 4274009738}};

static const double LOG2E = 1.4426950216293335; /* as f32 */

Exact exact_algebra(ExactKind kind, int bits) {
    Exact x = {.kind = kind, .bits = bits, .modulus = (uint64_t)1 << bits, .base = 5};
    for (size_t i = 0; kind == EXACT_FIELD && i < sizeof moduli / sizeof *moduli; i++)
        if (moduli[i].bits == bits) {
            x.modulus = moduli[i].p * moduli[i].q;
            x.q = moduli[i].q;
            x.base = moduli[i].base;
        }
    x.log2e = (uint64_t)exact_from_float(&x, LOG2E);
    return x;
}

static uint64_t times(const Exact *x, uint64_t a, uint64_t b) { return a * b % x->modulus; } /* below 2^32 each */

static uint64_t power(const Exact *x, uint64_t a, uint64_t n) {
    uint64_t r = 1;
    for (; n; n >>= 1, a = times(x, a, a))
        if (n & 1) r = times(x, r, a);
    return r;
}

static uint64_t gcd(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The inverse where there is one. Of o * 2^k with odd o, modulo 2^bits, 1/o * 2^k; of a pair, 0 where a part is 0. So
 * inverses of products are products of inverses. */
static uint64_t inverse(const Exact *x, uint64_t a) {
    if (x->kind == EXACT_FIELD) { /* Fermat's, for both primes at once: of order p - 1 = 2 q and q - 1 */
        uint64_t order = 2 * x->q * (x->q - 1) / gcd(2 * x->q, x->q - 1);
        return power(x, a, order - 1);
    }
    uint64_t even = a & (0 - a), odd = a ? a / even : 0;
    return times(x, power(x, odd, x->modulus / 4 - 1), even); /* odd numbers have orders that divide 2^(bits - 2) */
}

/* ---- order ---- */

static int64_t as_signed(const Exact *x, int64_t a) {
    return (uint64_t)a > (x->modulus - 1) / 2 ? a - (int64_t)x->modulus : a;
}

static int64_t most(const Exact *x) { return (int64_t)((x->modulus - 1) / 2); }
static int64_t least(const Exact *x) { return most(x) + 1; }

bool exact_greater(const Exact *x, int64_t a, int64_t b) { return as_signed(x, a) > as_signed(x, b); }

/* ---- conversions ---- */

int64_t exact_from_int(const Exact *x, int64_t v) { return floor_mod(v, (int64_t)x->modulus); }

static uint64_t scrambled(uint32_t v) {
    v = (v ^ v >> 16) * 0x85ebca6bu;
    v = (v ^ v >> 13) * 0xc2b2ae35u;
    return v ^ v >> 16;
}

/* A positive f32 that is no small fraction. */
static uint64_t of_fraction(const Exact *x, double v) {
    int e;
    double m = frexp(v, &e);
    uint64_t whole = (uint64_t)ldexp(m, 24) % x->modulus; /* times 2^(e - 24) */
    if (x->kind == EXACT_FIELD)
        return times(x, whole, e < 24 ? inverse(x, power(x, 2, (uint64_t)(24 - e))) : power(x, 2, (uint64_t)(e - 24)));
    float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (scrambled(bits) | 1) % x->modulus;
}

int64_t exact_from_float(const Exact *x, double v) {
    static const double LARGE = 0x1p53;
    if (isnan(v)) return (int64_t)(x->modulus / 3);
    if (fabs(v) < LARGE)
        for (int k = 0; k <= 3; k++) {
            double whole = ldexp(v, k);
            if (fabs(whole) >= LARGE || whole != floor(whole)) continue;
            uint64_t n = (uint64_t)exact_from_int(x, (int64_t)whole);
            return (int64_t)times(x, n, inverse(x, (uint64_t)1 << k));
        }
    double f = (double)(float)v;
    if (isinf(f)) return f > 0 ? most(x) : least(x);
    uint64_t n = f == 0 ? 0 : of_fraction(x, fabs(f));
    return (int64_t)(f < 0 && n ? x->modulus - n : n);
}

int64_t exact_to_int(const Exact *x, Type t, int64_t a) {
    int64_t v = as_signed(x, a), lo = num_int_min(t), hi = num_int_max(t);
    if (t == TY_BOOL) return v != 0;
    return v < lo ? lo : v > hi ? hi : v;
}

/* ---- functions ---- */

/* A function is known by its name: FNV-1a of it. */
static uint64_t tag_of(const char *name) {
    uint32_t h = 2166136261u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

/* A bijection, another for each tag: odd factors and shifts modulo 2^bits, a cube after an affine one in a field. */
static uint64_t bijection(const Exact *x, uint64_t tag, uint64_t a) {
    static const uint64_t A = 2654435761u, B = 0x85ebca6bu;
    a = (times(x, a, A % x->modulus) + tag % x->modulus) % x->modulus;
    if (x->kind == EXACT_FIELD) return power(x, a, 3);
    a ^= a >> x->bits / 2;
    a = times(x, a, B % x->modulus);
    return a ^ a >> x->bits / 2;
}

static uint64_t exp2_of(const Exact *x, uint64_t a) { return power(x, x->base, a); }
static uint64_t exp_of(const Exact *x, uint64_t a) { return exp2_of(x, times(x, a, x->log2e)); }

static uint64_t minus(const Exact *x, uint64_t a) { return a ? x->modulus - a : 0; }

/* A function of two numbers that has no laws. */
static uint64_t pair(const Exact *x, Op op, uint64_t a, uint64_t b) {
    uint64_t tag = tag_of(op_text(op));
    return bijection(x, tag, (a + times(x, 5, bijection(x, tag, b))) % x->modulus);
}

/* Small whole exponents are what they are. */
static uint64_t pow_of(const Exact *x, uint64_t a, uint64_t b) {
    int64_t n = as_signed(x, (int64_t)b);
    if (n >= 0 && n <= 16) return power(x, a, (uint64_t)n);
    return n < 0 && n >= -16 ? inverse(x, power(x, a, (uint64_t)-n)) : pair(x, OP_POW, a, b);
}

static uint64_t mod_of(const Exact *x, uint64_t a, uint64_t b) { return pair(x, OP_MOD, a, b); }

static int64_t compare(const Exact *x, Op op, int64_t a, int64_t b) {
    bool more = exact_greater(x, a, b), less = exact_greater(x, b, a);
    switch (op) {
    case OP_EQ: return !more && !less;
    case OP_NE: return more || less;
    case OP_LT: return less;
    case OP_LE: return !more;
    case OP_GT: return more;
    default: return !less;
    }
}

int64_t exact_op(const Exact *x, Op op, int64_t ia, int64_t ib, int64_t ic) {
    uint64_t a = (uint64_t)ia, b = (uint64_t)ib, c = (uint64_t)ic;
    switch (op) {
    case OP_ADD: return (int64_t)((a + b) % x->modulus);
    case OP_SUB: return (int64_t)((a + minus(x, b)) % x->modulus);
    case OP_MUL: return (int64_t)times(x, a, b);
    case OP_DIV: return (int64_t)times(x, a, inverse(x, b));
    case OP_NEG: return (int64_t)minus(x, a);
    case OP_FMA: return (int64_t)((times(x, a, b) + c) % x->modulus);
    case OP_MOD: return (int64_t)mod_of(x, a, b);
    case OP_POW: return (int64_t)pow_of(x, a, b);
    case OP_MAX: return exact_greater(x, ia, ib) ? ia : ib;
    case OP_MIN: return exact_greater(x, ib, ia) ? ia : ib;
    case OP_ABS: return as_signed(x, ia) < 0 ? (int64_t)minus(x, a) : ia;
    case OP_SIGN: return !a ? 0 : as_signed(x, ia) < 0 ? (int64_t)(x->modulus - 1) : 1;
    case OP_FLOOR:
    case OP_CEIL:
    case OP_ROUND:
    case OP_TRUNC: return ia; /* every number is whole */
    case OP_EXP: return (int64_t)exp_of(x, a);
    case OP_EXP2: return (int64_t)exp2_of(x, a);
    case OP_EXPM1: return (int64_t)((exp_of(x, a) + x->modulus - 1) % x->modulus);
    case OP_SIGMOID: return (int64_t)inverse(x, (1 + exp_of(x, minus(x, a))) % x->modulus);
    case OP_ATAN2: return (int64_t)pair(x, op, a, b);
    case OP_EQ:
    case OP_NE:
    case OP_LT:
    case OP_LE:
    case OP_GT:
    case OP_GE: return compare(x, op, ia, ib);
    case OP_ISNAN: return false;
    case OP_ISINF: return ia == most(x) || ia == least(x);
    case OP_ISFINITE: return true;
    default: return (int64_t)bijection(x, tag_of(op_text(op)), a);
    }
}

int64_t exact_random(const Exact *x, int64_t seed, int64_t stream, int64_t counter) {
    int64_t whole = (int64_t)ldexp(num_random(seed, stream, counter), 24);
    return exact_op(x, OP_MUL, exact_from_int(x, whole), exact_from_float(x, 0x1p-24), 0);
}

bool exact_has(Op op) { return op != OP_DIGAMMA; }

/* ---- tensors ---- */

static int narrowest(const Expr *e, int bits) {
    if (type_is_float(e->type) && type_bits(e->type) < bits) bits = type_bits(e->type);
    for (int i = 0; i < e->nargs; i++) bits = narrowest(e->arg[i], bits);
    return bits;
}

int exact_bits(const Graph *g) {
    int bits = 32;
    for (int i = 0; i < g->tensors.n; i++) {
        const Tensor *t = g->tensors.at[i];
        if (type_is_float(t->type) && type_bits(t->type) < bits) bits = type_bits(t->type);
        for (int k = 0; k < t->pieces.n; k++) bits = narrowest(t->pieces.at[k].value, bits);
    }
    return bits;
}

int64_t exact_get(const Exact *x, const HostTensor *h, int64_t i) {
    const char *at = (const char *)h->data + (size_t)i * (size_t)(type_bits(h->type) / 8);
    uint64_t wide;
    uint32_t word;
    uint16_t half;
    double raw;
    switch (type_bits(h->type)) {
    case 64:
        memcpy(&wide, at, sizeof wide);
        memcpy(&raw, at, sizeof raw);
        if (wide >> 32) return exact_from_float(x, raw);
        break;
    case 32:
        memcpy(&word, at, sizeof word);
        wide = word;
        break;
    case 16:
        memcpy(&half, at, sizeof half);
        wide = half;
        break;
    default: wide = *(const unsigned char *)at; break;
    }
    return wide < x->modulus ? (int64_t)wide : -1;
}

void exact_put(HostTensor *h, int64_t i, int64_t code) {
    switch (type_bits(h->type)) {
    case 64: ((int64_t *)h->data)[i] = code; break;
    case 32: ((uint32_t *)h->data)[i] = (uint32_t)code; break;
    case 16: ((uint16_t *)h->data)[i] = (uint16_t)code; break;
    default: ((uint8_t *)h->data)[i] = (uint8_t)code; break;
    }
}
