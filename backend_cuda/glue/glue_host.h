/* What the glue's files share with its printer of expressions: C names of an entry's arguments, and integer, boolean
 * and float expressions over dimensions and scalars as C. Internal to backend_cuda/glue*.c. */
#ifndef TDC_GLUE_HOST_H
#define TDC_GLUE_HOST_H

#include "glue.h"
#include "ir/expr_map.h"

/* The helpers of model.c that its expressions call; only those used are printed. HOST_FN(enum, C text) */
#define HOST_FNS                                                                                                       \
    HOST_FN(ADD, "static int64_t td_add(int64_t a, int64_t b) {\n"                                                     \
                 "    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return b > 0 ? INT64_MAX : INT64_MIN;\n"      \
                 "    return a + b;\n}\n")                                                                             \
    HOST_FN(SUB, "static int64_t td_sub(int64_t a, int64_t b) {\n"                                                     \
                 "    if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b) return b < 0 ? INT64_MAX : INT64_MIN;\n"      \
                 "    return a - b;\n}\n")                                                                             \
    HOST_FN(MUL,                                                                                                       \
            "static int64_t td_mul(int64_t a, int64_t b) {\n"                                                          \
            "    if (a == 0 || b == 0) return 0;\n"                                                                    \
            "    if (a > 0 && b > 0 ? a > INT64_MAX / b : a < 0 && b < 0 && a < INT64_MAX / b) return INT64_MAX;\n"    \
            "    if (a > 0 && b < 0 ? b < INT64_MIN / a : a < 0 && b > 0 && a < INT64_MIN / b) return INT64_MIN;\n"    \
            "    return a * b;\n}\n")                                                                                  \
    HOST_FN(DIV, "/* Toward minus infinity; by 0 it is 0. */\n"                                                        \
                 "static int64_t td_div(int64_t a, int64_t b) {\n"                                                     \
                 "    if (b == 0) return 0;\n"                                                                         \
                 "    if (b == -1) return a == INT64_MIN ? INT64_MAX : -a;\n"                                          \
                 "    return a / b - (a % b != 0 && (a < 0) != (b < 0));\n}\n")                                        \
    HOST_FN(MOD, "/* The sign of b; by 0 it is 0. */\n"                                                                \
                 "static int64_t td_mod(int64_t a, int64_t b) {\n"                                                     \
                 "    if (b == 0 || b == -1) return 0;\n"                                                              \
                 "    return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);\n}\n")                                \
    HOST_FN(SHL, "static int64_t td_shl(int64_t a, int64_t b) {\n"                                                     \
                 "    return b < 0 || b > 63 ? 0 : (int64_t)((uint64_t)a << b);\n}\n")                                 \
    HOST_FN(SHR, "static int64_t td_shr(int64_t a, int64_t b) {\n"                                                     \
                 "    return a >> (b < 0 || b > 63 ? 63 : b);\n}\n")                                                   \
    HOST_FN(MIN, "static int64_t td_min(int64_t a, int64_t b) { return a < b ? a : b; }\n")                            \
    HOST_FN(MAX, "static int64_t td_max(int64_t a, int64_t b) { return a > b ? a : b; }\n")                            \
    HOST_FN(FMIN, "static double td_fmin(double a, double b) { return a < b || a != a ? a : b; }\n")                   \
    HOST_FN(FMAX, "static double td_fmax(double a, double b) { return a > b || a != a ? a : b; }\n")                   \
    HOST_FN(FMOD, "static double td_fmod(double a, double b) {\n"                                                      \
                  "    const double m = fmod(a, b);\n"                                                                 \
                  "    if (m == 0) return copysign(0.0, b);\n"                                                         \
                  "    return (m < 0) != (b < 0) ? m + b : m;\n}\n")                                                   \
    HOST_FN(FSIGN, "static double td_fsign(double a) { return a > 0 ? 1 : a < 0 ? -1 : a != a ? a : 0; }\n")           \
    HOST_FN(INT, "/* Truncates, saturates; 0 for NaN. */\n"                                                            \
                 "static int64_t td_int(double v, int64_t lo, int64_t hi) {\n"                                         \
                 "    if (v != v) return 0;\n"                                                                         \
                 "    return v <= (double)lo ? lo : v >= (double)hi ? hi : (int64_t)v;\n}\n")                          \
    HOST_FN(ROUND, "/* To a float of fewer digits, half to even. */\n"                                                 \
                   "static double td_round(double v, int digits, int least, double most, int saturates) {\n"           \
                   "    int e;\n    double r;\n"                                                                       \
                   "    if (v == 0 || v != v) return v;\n"                                                             \
                   "    if (isinf(v)) return saturates ? copysign(most, v) : v;\n"                                     \
                   "    frexp(v, &e);\n"                                                                               \
                   "    e = (e - 1 > least ? e - 1 : least) - (digits - 1);\n"                                         \
                   "    r = ldexp(nearbyint(ldexp(fabs(v), -e)), e);\n"                                                \
                   "    return copysign(r > most ? (saturates ? most : INFINITY) : r, v);\n}\n")                       \
    HOST_FN(BITS,                                                                                                      \
            "/* The bits of a float of few digits, to which v is rounded. */\n"                                        \
            "static uint16_t td_bits(double v, int digits, int least, int exponents) {\n"                              \
            "    const int f = digits - 1;\n"                                                                          \
            "    const unsigned sign = signbit(v) ? 1u << (f + exponents) : 0, top = ((1u << exponents) - 1) << "      \
            "f;\n    int e;\n"                                                                                         \
            "    if (v != v) return (uint16_t)(sign | top | ((1u << f) - 1));\n"                                       \
            "    v = fabs(v);\n    if (isinf(v)) return (uint16_t)(sign | top);\n"                                     \
            "    if (v == 0) return (uint16_t)sign;\n    frexp(v, &e);\n    e -= 1;\n"                                 \
            "    if (e < least) return (uint16_t)(sign | (unsigned)ldexp(v, f - least));\n"                            \
            "    return (uint16_t)(sign | (unsigned)(e - least + 1) << f | ((unsigned)ldexp(v, f - e) & ((1u << "      \
            "f) - 1)));\n}\n")                                                                                         \
    HOST_FN(SIGMOID, "static double td_sigmoid(double x) {\n"                                                          \
                     "    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));\n}\n")                             \
    HOST_FN(DIGAMMA,                                                                                                   \
            "static double td_digamma(double x) {\n"                                                                   \
            "    double s = 0, q;\n"                                                                                   \
            "    if (x == 0) return copysign(INFINITY, -x);\n"                                                         \
            "    if (x < 0) {\n"                                                                                       \
            "        if (floor(x) == x) return NAN;\n"                                                                 \
            "        s = -3.14159265358979323846 / tan(3.14159265358979323846 * (x - floor(x)));\n"                    \
            "        x = 1 - x;\n    }\n"                                                                              \
            "    for (; x < 10; x += 1) s -= 1 / x;\n"                                                                 \
            "    q = 1 / (x * x);\n"                                                                                   \
            "    return s + log(x) - 0.5 / x -\n"                                                                      \
            "           q * (1.0 / 12 - q * (1.0 / 120 - q * (1.0 / 252 - q * (1.0 / 240 - q * (1.0 / 132)))));\n}\n") \
    HOST_FN(RANDOM, "/* Philox4x32-10, as on the device. */\n"                                                         \
                    "static double td_random(int64_t seed, int64_t stream, int64_t counter) {\n"                       \
                    "    const int64_t place = counter >> 2;\n"                                                        \
                    "    uint32_t w[4], k = (uint32_t)seed, q = (uint32_t)((uint64_t)seed >> 32);\n"                   \
                    "    int i;\n"                                                                                     \
                    "    w[0] = (uint32_t)place, w[1] = (uint32_t)((uint64_t)place >> 32);\n"                          \
                    "    w[2] = (uint32_t)stream, w[3] = (uint32_t)((uint64_t)stream >> 32);\n"                        \
                    "    for (i = 0; i < 10; i++, k += 0x9E3779B9u, q += 0xBB67AE85u) {\n"                             \
                    "        const uint64_t x = (uint64_t)w[0] * 0xD2511F53u, y = (uint64_t)w[2] * 0xCD9E8D57u;\n"     \
                    "        w[0] = (uint32_t)(y >> 32) ^ w[1] ^ k, w[1] = (uint32_t)y;\n"                             \
                    "        w[2] = (uint32_t)(x >> 32) ^ w[3] ^ q, w[3] = (uint32_t)x;\n    }\n"                      \
                    "    return (double)(w[counter & 3] >> 8) / 16777216;\n}\n")

/* Checks that model.c has where an entry calls them. */
typedef enum HostCheck { CHECK_EXTENT, CHECK_PLACE, CHECK_POINTERS, CHECK_BROKEN, CHECK_EXACT, CHECK_COUNT } HostCheck;

typedef enum HostFn {
#define HOST_FN(e, text) HOST_##e,
    HOST_FNS
#undef HOST_FN
        HOST_COUNT
} HostFn;

/* One entry as the glue sees it. The names are valid in C and C++ and differ from each other. */
typedef struct HostEntry {
    const Program *p;
    Ctx *ctx;
    Sym *params, *dims, *scalars;
    bool *used;     /* HOST_COUNT: helpers that expressions printed so far call */
    bool *checks;   /* CHECK_COUNT: those called so far; NULL: nobody asks */
    bool *dim_used; /* by expressions printed so far */
    bool *scalar_used;
    bool *needs_math;  /* <math.h> */
    ExprMap named;     /* nodes that are C variables: their Syms */
    ExprMap tensor_at; /* Tensor -> its place + 1 in the array that kernels get: parameters, then temporaries */
    const Way *way;    /* while a run is printed: what it launches */
    const struct Memory *memory; /* of that way */
    struct GlueKnown *known;     /* the signatures printed so far */
    bool always_early;           /* every target's kernels may start while those before them end */
    Sym of;                      /* the entry whose signature it has: itself, or one before it with an equal one */
} HostEntry;

/* Names for all that the entry's C functions have; `used` and `needs_math` are the file's. In that memory, as all that
 * is printed with it. */
HostEntry host_entry(Ctx *ctx, const Program *p, bool *used, bool *needs_math);
int host_tensor_at(const HostEntry *h, const Tensor *t); /* -1: none */
/* Whether the host can compute e: only dimensions, scalars, constants and operators that C has. */
bool host_can(const Expr *e);
bool host_uses_scalars(const Expr *e);
void host_expr(Text *out, const HostEntry *h, const Expr *e);
/* The helpers that were used. */
void host_functions(Text *out, const bool *used);
/* The C type of a scalar in the interface: float for floats below 32 bits. */
const char *host_ctype(Type t);
/* The C type of a tensor's element in the interface: void for 4 bits, of which two share a byte; for floats of 16 and 8
 * bits a name that model.h defines. */
const char *host_element(Type t);
/* (expression) rounded to a float of fewer digits than f32. */
void host_round(Text *out, const HostEntry *h, Type t, const char *open);
/* Text inside a C string literal; text inside a C comment. */
void host_quoted(Text *out, const char *s);
void host_comment(Text *out, const char *s);

#endif
