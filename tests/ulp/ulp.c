/* The error of every function of the language, against its bound in ir/ulp.def. Alone it prints a tile program, one
 * kernel for each function and type, which tdc compiles; linked with that (ULP_MODEL) it runs them on a dense sample of
 * all exponents, on neighbours of special places and on all special values, and compares with long double. On the CPU
 * stand-in or on a GPU; `ulp -v` prints the largest error of each. Then "N passed, M failed".
 * clause 9.9 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

enum { UNIT_RESULT, UNIT_ONE };

/* A row for each operator on floats: its place in ops.def says how it is written. */
static const struct {
    const char *name;
    int bound[2], unit;
    reference of;
} bounds[] = {
#define ULP(e, f32, f64, unit) {#e, {f32, f64}, UNIT_##unit, reference_##e},
#include "ir/ulp.def"
};
enum { NBOUNDS = sizeof bounds / sizeof *bounds };

static const struct {
    const char *name, *text, *form, *rule;
    int arity;
} ops[] = {
#define OP(e, text, arity, form, rule, ...) {#e, text, #form, #rule, arity},
#include "ir/ops.def"
#undef OP
};
enum { NOPS = sizeof ops / sizeof *ops };

static const char *const types[2] = {"f32", "f64"};

static int wanted(int op) { return !strcmp(ops[op].rule, "ARITH") || !strcmp(ops[op].rule, "FLOAT"); }

/* What the lowering makes of an operator of f32 in some places, each a kernel with all tests that a place needs. The
 * first elements of its result, as many as there are arguments, are judged. clause 9.11 */
static long double beside_one(long double x, long double y, long double z) {
    (void)y, (void)z;
    return 1 + expl(-fabsl(x));
}
static long double beside_one2(long double x, long double y, long double z) {
    (void)y, (void)z;
    return 1 + exp2l(-fabsl(x));
}
static const struct {
    const char *name, *size, *shape, *layout, *body;
    int arity, bound;
    reference of;
} places_of[] = {
    {"shared", "V_f32", "4, V_f32", "    j = reg(4)\n",
     "  a0 = load x_f32[i]\n  a1 = load y_f32[i]\n"
     "  store r_shared[j, i] = (if j % 2 == 0 then a0 else -a0) / a1\n",
     2, 1, reference_DIV},
    {"under", "U_f32", "U_f32", "    j = reg(4)\n",
     "  a0 = load u_f32[i]\n  d = map if j == 3 then 0.0 else if j == 1 then -abs(a0) else -inf\n"
     "  m = reduce max(d) over j\n  e = reduce sum(exp(d - m)) over j\n  store r_under[i] = e\n",
     1, 4, beside_one},
    {"under2", "U_f32", "U_f32", "    j = reg(4)\n",
     "  a0 = load u_f32[i]\n  d = map if j == 3 then 0.0 else if j == 1 then -abs(a0) else -inf\n"
     "  m = reduce max(d) over j\n  e = reduce sum(exp2(d - m)) over j\n  store r_under2[i] = e\n",
     1, 4, beside_one2},
};
enum { NPLACES_OF = sizeof places_of / sizeof *places_of };

/* ---- the program ---- */

/* Functions of one argument all read u, those of several x, y, z; the results are in the order of ops.def. */

#ifndef ULP_MODEL
static void print_kernel(int op, int type) {
    static const char *const args[3] = {"x", "y", "z"};
    const char *t = types[type];
    int n = ops[op].arity;
    printf("\nkernel %s_%s\n  axis i = %s_%s\n  layout main\n    i = grid thread(256)\n{\n", ops[op].name, t,
           n == 1 ? "U" : "V", t);
    for (int i = 0; i < n; i++) printf("  a%d = load %s_%s[i]\n", i, n == 1 ? "u" : args[i], t);
    printf("  store r_%s_%s[i] = ", ops[op].name, t);
    if (!strcmp(ops[op].form, "INFIX")) {
        printf("a0 %s a1", ops[op].text);
    } else {
        printf("%s(a0", ops[op].text);
        for (int i = 1; i < n; i++) printf(", a%d", i);
        printf(")");
    }
    printf("\n}\n");
}

int main(void) {
    printf("program ulp\n");
    for (int t = 0; t < 2; t++) printf("  dim U_%s\n  dim V_%s\n", types[t], types[t]);
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < 4; i++)
            printf("  in %c_%s: %s[%c_%s]\n", "uxyz"[i], types[t], types[t], i ? 'V' : 'U', types[t]);
    for (int op = 0; op < NOPS; op++)
        for (int t = 0; wanted(op) && t < 2; t++)
            printf("  out r_%s_%s: %s[%c_%s]\n", ops[op].name, types[t], types[t], ops[op].arity == 1 ? 'U' : 'V',
                   types[t]);
    for (int i = 0; i < NPLACES_OF; i++) printf("  out r_%s: f32[%s]\n", places_of[i].name, places_of[i].shape);
    for (int op = 0; op < NOPS; op++)
        for (int t = 0; wanted(op) && t < 2; t++) print_kernel(op, t);
    for (int i = 0; i < NPLACES_OF; i++)
        printf("\nkernel %s\n  axis i = %s\n  axis j = 4\n  layout main\n    i = grid thread(256)\n%s{\n%s}\n",
               places_of[i].name, places_of[i].size, places_of[i].layout, places_of[i].body);
    return 0;
}
#else
#include <cuda_runtime_api.h>

typedef struct {
    const char *name;
    int ntensors, ndims, nscalars;
    int (*workspace)(const int64_t *dims, size_t *bytes);
    int (*call)(void *const *tensors, const int64_t *dims, const double *scalars, void *workspace,
                size_t workspace_bytes, void *stream, char *message, size_t message_bytes);
} model_entry;
extern const model_entry ulp_entries[];
extern const int ulp_nentries;

/* ---- the sample ---- */

enum { MAX_SAMPLE = 1 << 18, NEAR = 24 };
/* Of functions of one argument and of several: the arguments, those of f32 exactly so. */
typedef struct {
    int n;
    double arg[3][MAX_SAMPLE];
} sample;

static uint64_t state = 88172645463325252u;
static uint64_t draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static double as_type(int type, double v) { return type ? v : (double)(float)v; }

static double bits_f32(uint32_t b) {
    float f;
    memcpy(&f, &b, 4);
    return f;
}
static double bits_f64(uint64_t b) {
    double f;
    memcpy(&f, &b, 8);
    return f;
}

/* Any finite number: sign, exponent and mantissa uniform. */
static double any_number(int type) {
    uint64_t r = draw();
    return type ? bits_f64((r & ~((uint64_t)2047 << 52)) | draw() % 2047 << 52)
                : bits_f32((uint32_t)(r & 0x807FFFFFu) | (uint32_t)(draw() % 255) << 23);
}

static void add(sample *s, int type, double x, double y, double z) {
    if (s->n == MAX_SAMPLE) return;
    s->arg[0][s->n] = as_type(type, x);
    s->arg[1][s->n] = as_type(type, y);
    s->arg[2][s->n++] = as_type(type, z);
}

/* Where functions have zeros, poles, ends of their domain, or results that overflow or vanish. */
/* clang-format off */
static const double places[] = {
    0.25, 0.5, 1, 2, 3, 4, 10, 0.34657359027997264, 0.6931471805599453, 1.4616321449683623, 1.5707963267948966,
    2.718281828459045, 3.141592653589793, 4.71238898038469, 6.283185307179586, 16777216, 8388608, 2147483648.0,
    0.5040830082644554, 1.5734984731623904, 2.4570247382208006, 2.7476826467274127, 3.1435808883499798,
    3.9552942848585979, 10.5, 100.25, 17.32868, 87.33655, 88.72284, 89.41599, 103.97208, 126, 127.5, 149, 150,
    709.782712893384, 708.3964, 710.4758600739439, 745.1332191019411, 1022, 1023.5, 1074, 1075, 9.0, 10.05, 9.19455,
    26.54, 27.2263, 3.8325068, 4.0, 5.93, 0.84375, 1.25, 2.857, 6.0, 28.0, 1e4, 1e5, 1e6, 1e22};
/* clang-format on */
static const double specials[] = {0.0, -0.0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 1.5, -2.5, 7, INFINITY, -INFINITY, NAN};
enum { NPLACES = sizeof places / sizeof *places, NSPECIALS = sizeof specials / sizeof *specials };

static double extreme(int type, int i) {
    static const double f32[] = {0x1p-149, 0x1p-126, 0x1.fffffep-127, 0x1.fffffep127, 0x1p-148, 0x1p127};
    static const double f64[] = {0x1p-1074, 0x1p-1022, 0x1.ffffffffffffep-1023, 0x1.fffffffffffffp1023,
                                 0x1p-1073, 0x1p1023};
    return type ? f64[i] : f32[i];
}

static double neighbour(int type, double v, int steps) {
    for (int i = 0; i < abs(steps); i++) {
        double to = steps < 0 ? -INFINITY : INFINITY;
        v = type ? nextafter(v, to) : (double)nextafterf((float)v, (float)to);
    }
    return v;
}

static void sample_unary(sample *s, int type) {
    int exponents = type ? 2047 : 255, each = type ? 10 : 80;
    for (int e = 0; e < exponents; e++)
        for (int k = 0; k < 2 * each; k++) {
            uint64_t m = k < 4 ? (uint64_t)0 - (uint64_t)(k / 2) : draw(), sign = k & 1;
            add(s, type,
                type ? bits_f64(sign << 63 | (uint64_t)e << 52 | m >> 12)
                     : bits_f32((uint32_t)(sign << 31 | (uint64_t)e << 23 | m >> 41)),
                0, 0);
        }
    for (int k = 0; k < 20000; k++) add(s, type, 32.0 * (double)(draw() >> 11) * 0x1p-53 - 16.0, 0, 0);
    for (int i = 0; i < NPLACES; i++)
        for (int k = -NEAR; k <= NEAR; k++) {
            double v = neighbour(type, as_type(type, places[i]), k);
            add(s, type, v, 0, 0);
            add(s, type, -v, 0, 0);
        }
    for (int i = 0; i < NSPECIALS; i++) add(s, type, specials[i], 0, 0);
    for (int i = 0; i < 6; i++) add(s, type, extreme(type, i), 0, 0), add(s, type, -extreme(type, i), 0, 0);
}

static double one_special(int type, int i) {
    return i < NSPECIALS         ? specials[i]
           : (i - NSPECIALS) % 2 ? -extreme(type, (i - NSPECIALS) / 2)
                                 : extreme(type, (i - NSPECIALS) / 2);
}

static void sample_several(sample *s, int type) {
    enum { ALL = NSPECIALS + 12 };
    for (int i = 0; i < ALL; i++)
        for (int k = 0; k < ALL; k++)
            for (int l = 0; l < ALL; l++)
                add(s, type, one_special(type, i), one_special(type, k), one_special(type, l));
    for (int k = 0; k < 20000; k++) {
        double x = any_number(type), y = any_number(type), z = any_number(type),
               r = (double)(draw() >> 11) * 0x1p-53 - 0.5;
        add(s, type, x, y, z);
        add(s, type, x, neighbour(type, as_type(type, x), (int)(draw() % 7) - 3) * (draw() % 2 ? -1 : 1), z);
        add(s, type, x, x * (1 + r), -x * x * (1 + r)); /* nearly cancels */
        double base = ldexp(1 + fabs(r), (int)(draw() % 41) - 20), top = type ? 1080 : 152;
        add(s, type, base, 2 * r * top / log2(base), -base); /* powers over the whole range */
        add(s, type, -base, (double)((int)(draw() % 61) - 30), z);
        add(s, type, 1 + r * 1e-3, r * 1e5, r);
    }
}

/* ---- judging ---- */

typedef struct {
    double ulp, at[3], got;
    long double want;
    int wrong; /* special values that differ */
} worst;

static long double error_in_ulp(int type, int unit, long double want, double got, int *wrong) {
    int digits = type ? 53 : 24, top = type ? 1024 : 128, least = type ? -1022 : -126, e;
    if (isnan(want) || isnan(got)) {
        *wrong = !(isnan(want) && isnan(got));
        return 0;
    }
    if (want == 0 && got == 0) *wrong = !signbit(want) != !signbit(got);
    long double limit = ldexpl(1, top), g = got;
    if (fabsl(want) > limit) want = copysignl(limit, want);
    if (fabsl(g) > limit) g = copysignl(limit, g);
    if (want == g) return 0;
    e = want == 0 ? least : ilogbl(want);
    if (unit == UNIT_ONE && type && e < 0) e = 0;
    if (e < least) e = least;
    if (e >= top) e = top - 1;
    return fabsl(g - want) / ldexpl(1, e - digits + 1);
}

static int bound_of(int op) {
    for (int i = 0; i < NBOUNDS; i++)
        if (!strcmp(bounds[i].name, ops[op].name)) return i;
    return -1;
}

static const char *device_error(cudaError_t e) { return e == cudaSuccess ? NULL : cudaGetErrorString(e); }

static void *to_device(int type, const double *v, int n) {
    static float narrow[MAX_SAMPLE];
    void *p = NULL;
    if (cudaMalloc(&p, (size_t)n * 8) != cudaSuccess) return NULL;
    for (int i = 0; i < n && v && !type; i++) narrow[i] = (float)v[i];
    if (v) cudaMemcpy(p, type ? (const void *)v : narrow, (size_t)n * (type ? 8 : 4), cudaMemcpyHostToDevice);
    return p;
}

static void judge(reference of, int unit, int type, const sample *s, const void *device, worst *w) {
    static double result[MAX_SAMPLE];
    cudaMemcpy(result, device, (size_t)s->n * (type ? 8 : 4), cudaMemcpyDeviceToHost);
    for (int i = 0; i < s->n; i++) {
        double got = type ? result[i] : ((float *)result)[i], x = s->arg[0][i], y = s->arg[1][i], z = s->arg[2][i];
        long double want = of(x, y, z);
        int wrong = 0;
        double u = (double)error_in_ulp(type, unit, want, got, &wrong);
        if (wrong < w->wrong || (wrong == w->wrong && u <= w->ulp)) continue;
        *w = (worst){u, {x, y, z}, got, want, wrong};
    }
}

/* Whether the worst is within the bound; says so where it is not, or all is to be said. */
static int said(const worst *w, int bound, const char *name, const char *type, int arity, int verbose) {
    int within = !w->wrong && w->ulp <= bound;
    if (within && !verbose) return 1;
    printf("%s%-8s %s: %s%.3g of %d ulp at %.9g", within ? "" : "FAILED ", name, type,
           w->wrong ? "wrong special value, " : "", w->ulp, bound, w->at[0]);
    for (int i = 1; i < arity; i++) printf(", %.9g", w->at[i]);
    printf(": %.17g, expected %.20Lg\n", w->got, w->want);
    return within;
}

int main(int argc, char **argv) {
    static sample samples[2][2]; /* by type; of one argument, of several */
    static char message[512];
    void *tensors[8 + 2 * NOPS + NPLACES_OF];
    int n = 0, passed = 0, failed = 0, verbose = argc > 1 && !strcmp(argv[1], "-v");
    int64_t dims[4];
    for (int t = 0; t < 2; t++) {
        sample_unary(&samples[t][0], t);
        sample_several(&samples[t][1], t);
        for (int i = 0; i < 4; i++)
            tensors[n++] = to_device(t, samples[t][i > 0].arg[i ? i - 1 : 0], samples[t][i > 0].n);
        dims[2 * t] = samples[t][0].n, dims[2 * t + 1] = samples[t][1].n;
    }
    for (int op = 0; op < NOPS; op++)
        for (int t = 0; wanted(op) && t < 2; t++) tensors[n++] = to_device(t, NULL, samples[t][ops[op].arity > 1].n);
    for (int i = 0; i < NPLACES_OF; i++) { /* room for the largest shape */
        int of = samples[0][places_of[i].arity > 1].n;
        cudaMalloc(&tensors[n], (size_t)of * 4 * sizeof(float));
        n++;
    }
    int status = ulp_entries[0].call(tensors, dims, NULL, NULL, 0, NULL, message, sizeof message);
    const char *error = status ? message : device_error(cudaDeviceSynchronize());
    if (error) return printf("%s\n0 passed, 1 failed\n", error), 1;
    n = 8;
    for (int op = 0; op < NOPS; op++)
        for (int t = 0; wanted(op) && t < 2; t++) {
            worst w = {0};
            int row = bound_of(op);
            judge(bounds[row].of, bounds[row].unit, t, &samples[t][ops[op].arity > 1], tensors[n++], &w);
            said(&w, bounds[row].bound[t], ops[op].text, types[t], ops[op].arity, verbose) ? passed++ : failed++;
        }
    for (int i = 0; i < NPLACES_OF; i++) {
        worst w = {0};
        judge(places_of[i].of, UNIT_RESULT, 0, &samples[0][places_of[i].arity > 1], tensors[n++], &w);
        said(&w, places_of[i].bound, places_of[i].name, "f32", places_of[i].arity, verbose) ? passed++ : failed++;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
#endif
