/* Numbers as the language defines them: rounding to each float type, conversions, and tensors in native storage.
 * Written from the formats' definitions: for the reference interpreter, and for what must say the same of numbers
 * (inputs and files of `tdc check`, constants). */
#include "interp.h"

#include <math.h>
#include <string.h>

NumFormat num_format(Type t) {
    const TypeRow *r = type_row(t);
    return (NumFormat){r->digits, 2 - (1 << r->exponent >> 1), r->exponent, r->largest, r->saturates};
}

/* To nearest even, by halves and the parity of the integer part: needs no rounding mode. */
static double nearest_even(double v) {
    double f = floor(v), d = v - f;
    if (d < 0.5) return f;
    if (d > 0.5) return f + 1;
    return fmod(f, 2) == 0 ? f : f + 1;
}

double num_round(Type t, double v) {
    if (t == TY_F64 || isnan(v)) return v;
    if (t == TY_F32) return (double)(float)v;
    NumFormat f = num_format(t);
    double a = fabs(v);
    if (isinf(v)) return f.saturates ? copysign(f.max, v) : v;
    if (a == 0) return v;
    int e;
    frexp(a, &e);
    e -= 1;
    int ulp = (e > f.emin ? e : f.emin) - (f.precision - 1);
    double r = ldexp(nearest_even(ldexp(a, -ulp)), ulp);
    if (r > f.max) r = f.saturates ? f.max : INFINITY;
    return copysign(r, v);
}

double num_from_int(Type t, int64_t v) {
    if (t == TY_F64) return (double)v;
    if (t == TY_F32) return (double)(float)v;
    uint64_t a = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    double d = (double)a;
    /* Beyond 53 bits the lost bits stay as a sticky one, so that rounding twice equals rounding once. */
    if (a >> 53) d = ldexp((double)((a >> 12) | ((a & 0xfff) != 0)), 12);
    return num_round(t, v < 0 ? -d : d);
}

int64_t num_wrap(Type t, int64_t v) {
    if (t == TY_BOOL) return v != 0;
    int bits = type_bits(t);
    if (bits >= 64) return v;
    uint64_t mask = ((uint64_t)1 << bits) - 1, u = (uint64_t)v & mask;
    if (type_class(t) == CLASS_SINT && (u >> (bits - 1))) u |= ~mask;
    return (int64_t)u;
}

int64_t num_int_min(Type t) {
    if (type_class(t) != CLASS_SINT) return 0;
    return type_bits(t) >= 64 ? INT64_MIN : -((int64_t)1 << (type_bits(t) - 1));
}

int64_t num_int_max(Type t) {
    if (t == TY_BOOL) return 1;
    int bits = type_bits(t) - (type_class(t) == CLASS_SINT);
    return bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
}

int64_t num_to_int(Type t, double v) {
    if (t == TY_BOOL) return v != 0;
    if (isnan(v)) return 0;
    int64_t lo = num_int_min(t), hi = num_int_max(t);
    if (v <= (double)lo) return lo;
    if (v >= (double)hi) return hi;
    return (int64_t)v;
}

uint16_t num_encode(Type t, double v) {
    NumFormat f = num_format(t);
    int frac = f.precision - 1;
    unsigned sign = signbit(v) ? 1u << (frac + f.exp_bits) : 0;
    unsigned top = ((1u << f.exp_bits) - 1) << frac;
    if (isnan(v)) return (uint16_t)(sign | top | (t == TY_F8E4M3 ? 7u : 1u << (frac - 1)));
    v = fabs(num_round(t, v));
    if (isinf(v)) return (uint16_t)(sign | top);
    if (v == 0) return (uint16_t)sign;
    int e;
    frexp(v, &e);
    e -= 1;
    if (e < f.emin) return (uint16_t)(sign | (unsigned)ldexp(v, frac - f.emin));
    unsigned significand = (unsigned)ldexp(v, frac - e);
    return (uint16_t)(sign | ((unsigned)(e - f.emin + 1) << frac) | (significand & ((1u << frac) - 1)));
}

double num_decode(Type t, uint16_t bits) {
    NumFormat f = num_format(t);
    int frac = f.precision - 1;
    unsigned mant = bits & ((1u << frac) - 1), e = (bits >> frac) & ((1u << f.exp_bits) - 1);
    double v;
    if (t == TY_F8E4M3 ? (e == 15 && mant == 7) : (e == (1u << f.exp_bits) - 1))
        v = t == TY_F8E4M3 || mant ? (double)NAN : (double)INFINITY;
    else if (e == 0)
        v = ldexp((double)mant, f.emin - frac);
    else
        v = ldexp((double)(mant | (1u << frac)), (int)e - 1 + f.emin - frac);
    return bits >> (frac + f.exp_bits) & 1 ? -v : v;
}

size_t host_bytes(Type t, int64_t n) {
    return type_bits(t) < 8 ? (size_t)(n + 1) / 2 : (size_t)n * (size_t)(type_bits(t) / 8);
}

bool host_tensor(Ctx *ctx, HostTensor *h, Type t, int rank, const int64_t *shape) {
    *h = (HostTensor){.type = t, .rank = rank, .n = 1};
    if (rank < 0 || rank > MAX_RANK) return false;
    for (int d = 0; d < rank; d++) {
        h->shape[d] = shape[d];
        if (shape[d] < 0 || !mul_ok(h->n, shape[d], &h->n)) return false;
    }
    if (h->n > INT64_MAX / 16) return false;
    h->bytes = host_bytes(t, h->n);
    h->data = ctx_alloc(ctx, h->bytes ? h->bytes : 1);
    return true;
}

double host_float(const HostTensor *h, int64_t i) {
    switch (h->type) {
    case TY_F64: return ((const double *)h->data)[i];
    case TY_F32: return (double)((const float *)h->data)[i];
    case TY_F16:
    case TY_BF16: return num_decode(h->type, ((const uint16_t *)h->data)[i]);
    case TY_F8E4M3:
    case TY_F8E5M2: return num_decode(h->type, ((const uint8_t *)h->data)[i]);
    default: return (double)host_int(h, i);
    }
}

int64_t host_int(const HostTensor *h, int64_t i) {
    switch (h->type) {
    case TY_I64: return ((const int64_t *)h->data)[i];
    case TY_I32: return ((const int32_t *)h->data)[i];
    case TY_I16: return ((const int16_t *)h->data)[i];
    case TY_I8: return ((const int8_t *)h->data)[i];
    case TY_U32: return ((const uint32_t *)h->data)[i];
    case TY_U16: return ((const uint16_t *)h->data)[i];
    case TY_U8: return ((const uint8_t *)h->data)[i];
    case TY_BOOL: return ((const uint8_t *)h->data)[i] != 0;
    case TY_I4:
    case TY_U4: return num_wrap(h->type, ((const uint8_t *)h->data)[i / 2] >> (i % 2 * 4));
    default: return num_to_int(TY_I64, host_float(h, i));
    }
}

void host_put_float(HostTensor *h, int64_t i, double v) {
    switch (h->type) {
    case TY_F64: ((double *)h->data)[i] = v; break;
    case TY_F32: ((float *)h->data)[i] = (float)v; break;
    case TY_F16:
    case TY_BF16: ((uint16_t *)h->data)[i] = num_encode(h->type, v); break;
    case TY_F8E4M3:
    case TY_F8E5M2: ((uint8_t *)h->data)[i] = (uint8_t)num_encode(h->type, v); break;
    default: host_put_int(h, i, num_to_int(h->type, v)); break;
    }
}

void host_put_int(HostTensor *h, int64_t i, int64_t v) {
    switch (h->type) {
    case TY_I64: ((int64_t *)h->data)[i] = v; break;
    case TY_I32: ((int32_t *)h->data)[i] = (int32_t)num_wrap(TY_I32, v); break;
    case TY_I16: ((int16_t *)h->data)[i] = (int16_t)num_wrap(TY_I16, v); break;
    case TY_I8: ((int8_t *)h->data)[i] = (int8_t)num_wrap(TY_I8, v); break;
    case TY_U32: ((uint32_t *)h->data)[i] = (uint32_t)v; break;
    case TY_U16: ((uint16_t *)h->data)[i] = (uint16_t)v; break;
    case TY_U8: ((uint8_t *)h->data)[i] = (uint8_t)v; break;
    case TY_BOOL: ((uint8_t *)h->data)[i] = v != 0; break;
    case TY_I4:
    case TY_U4: {
        uint8_t *p = &((uint8_t *)h->data)[i / 2];
        unsigned at = (unsigned)(i % 2 * 4);
        *p = (uint8_t)((*p & ~(15u << at)) | (((unsigned)v & 15u) << at));
        break;
    }
    default: host_put_float(h, i, num_from_int(h->type, v)); break;
    }
}

/* ---- random numbers ---- */

/* One of the four words of Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers, as Easy as 1, 2, 3,
 * 2011): the key is the seed, the counter is (counter / 4, stream), each of 64 bits, low words first; the word is the
 * counter modulo 4. Of the word the top 24 bits count, so that every result is an f32. */
double num_random(int64_t seed, int64_t stream, int64_t counter) {
    enum { ROUNDS = 10 };
    uint64_t place = (uint64_t)(counter >> 2), s = (uint64_t)stream;
    uint32_t c[4] = {(uint32_t)place, (uint32_t)(place >> 32), (uint32_t)s, (uint32_t)(s >> 32)};
    uint32_t k[2] = {(uint32_t)seed, (uint32_t)((uint64_t)seed >> 32)};
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t a = (uint64_t)c[0] * 0xD2511F53u, b = (uint64_t)c[2] * 0xCD9E8D57u;
        uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k[1],
                            (uint32_t)a};
        for (int i = 0; i < 4; i++) c[i] = next[i];
        k[0] += 0x9E3779B9u;
        k[1] += 0xBB67AE85u;
    }
    return (double)(c[counter & 3] >> 8) * 0x1p-24;
}
