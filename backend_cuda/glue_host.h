/* What the glue's two files share with its expression printer: C names of an entry's arguments, and integer, boolean
 * and float expressions over dimensions and scalars as C. Internal to backend_cuda/glue*.c. */
#ifndef TDC_GLUE_HOST_H
#define TDC_GLUE_HOST_H

#include "glue.h"

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
    HOST_FN(DIV, "/* Toward minus infinity; INT64_MIN where there is no quotient. */\n"                                \
                 "static int64_t td_div(int64_t a, int64_t b) {\n"                                                     \
                 "    if (b == 0) return INT64_MIN;\n"                                                                 \
                 "    if (b == -1) return a == INT64_MIN ? INT64_MAX : -a;\n"                                          \
                 "    return a / b - (a % b != 0 && (a < 0) != (b < 0));\n}\n")                                        \
    HOST_FN(MOD, "/* The sign of b; INT64_MIN where there is no remainder. */\n"                                       \
                 "static int64_t td_mod(int64_t a, int64_t b) {\n"                                                     \
                 "    if (b == 0) return INT64_MIN;\n"                                                                 \
                 "    if (b == -1) return 0;\n"                                                                        \
                 "    return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);\n}\n")                                \
    HOST_FN(SHL, "static int64_t td_shl(int64_t a, int64_t b) {\n"                                                     \
                 "    return b < 0 || b > 63 ? 0 : (int64_t)((uint64_t)a << b);\n}\n")                                 \
    HOST_FN(SHR, "static int64_t td_shr(int64_t a, int64_t b) {\n"                                                     \
                 "    return a >> (b < 0 || b > 63 ? 63 : b);\n}\n")                                                   \
    HOST_FN(MIN, "static int64_t td_min(int64_t a, int64_t b) { return a < b ? a : b; }\n")                            \
    HOST_FN(MAX, "static int64_t td_max(int64_t a, int64_t b) { return a > b ? a : b; }\n")                            \
    HOST_FN(FMIN, "static double td_fmin(double a, double b) { return a < b || a != a ? a : b; }\n")                   \
    HOST_FN(FMAX, "static double td_fmax(double a, double b) { return a > b || a != a ? a : b; }\n")

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
    bool *dim_used; /* by expressions printed so far */
    bool *scalar_used;
    bool *needs_math; /* <math.h> */
} HostEntry;

HostEntry host_entry(const Program *p, bool *used, bool *needs_math);
/* Whether the host can compute e: only dimensions, scalars, constants and operators that C has. */
bool host_can(const Expr *e);
bool host_uses_scalars(const Expr *e);
void host_expr(Text *out, const HostEntry *h, const Expr *e);
/* Text inside a C string literal; text inside a C comment. */
void host_quoted(Text *out, const char *s);
void host_comment(Text *out, const char *s);

#endif
