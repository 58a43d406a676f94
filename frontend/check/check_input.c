/* Inputs of checks: a counter-based generator and a normal distribution from integer arithmetic and + - * / sqrt alone,
 * so that one seed gives the same inputs on every machine; ranges from an InputSpec or from what a graph assumes. */
#include "check.h"

#include "ir/poly/bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

/* A bijection of 64 bits whose outputs for consecutive counters pass for random (the finaliser of splitmix64). */
static uint64_t scramble(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static uint64_t word(uint64_t key, uint64_t i) { return scramble(scramble(key) + (i + 1) * 0x9E3779B97F4A7C15u); }

double check_uniform(uint64_t key, uint64_t i) { return (double)(word(key, i) >> 11) * 0x1p-53; }

/* log x for x in (0, 1]: the exponent, and atanh's series for a significand near 1. */
static double log_series(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int e = (int)(bits >> 52) - 1023;
    bits = (bits & 0xFFFFFFFFFFFFFu) | ((uint64_t)1023 << 52);
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m /= 2;
        e++;
    }
    double s = (m - 1) / (m + 1), z = s * s, sum = 0;
    for (int k = 25; k >= 1; k -= 2) sum = sum * z + 1.0 / k;
    return (double)e * 0.6931471805599453 + 2 * s * sum;
}

/* cos(2 pi t) for |t| <= 1/2, as the sine of an angle in the first quadrant or its negative. */
static double cos_turn(double t) {
    double x = 6.283185307179586 * (0.25 - (t < 0 ? -t : t)), z = x * x, sum = 0;
    for (int k = 23; k >= 3; k -= 2) sum = (1 + sum) * (-z / (double)(k * (k - 1)));
    return x * (1 + sum);
}

double check_normal(uint64_t key, uint64_t i) {
    double u = ((double)(word(key, 2 * i) >> 11) + 0.5) * 0x1p-53, t = check_uniform(key, 2 * i + 1) - 0.5;
    return (double)(float)(sqrt(-2 * log_series(u)) * cos_turn(t));
}

/* ---- ranges ---- */

typedef struct Range {
    bool has_lo, has_hi;
    double lo, hi; /* of floats */
    int64_t ilo, ihi;
} Range;

typedef struct Bounds {
    const Graph *g;
    const Tensor *t;
    const int64_t *dims;
    const double *scalars;
    Range r;
} Bounds;

static bool bound_value(const Bounds *b, const Expr *e, double *f, int64_t *i) {
    if (type_is_float(b->t->type)) {
        while (e->op == OP_CAST && type_is_float(e->arg[0]->type)) e = e->arg[0];
        if (e->op == OP_CONST && type_is_float(e->type)) return *f = e->u.f, true;
        if (e->op == OP_CAST) e = e->arg[0];
    }
    if (!interp_int(b->g, e, b->dims, b->scalars, i)) return false;
    *f = (double)*i;
    return true;
}

static void at_least(Range *r, double f, int64_t i) {
    if (!r->has_lo || f > r->lo) r->lo = f, r->ilo = i;
    r->has_lo = true;
}

static void at_most(Range *r, double f, int64_t i) {
    if (!r->has_hi || f < r->hi) r->hi = f, r->ihi = i;
    r->has_hi = true;
}

static void bound(void *user, Op op, const Expr *other) {
    Bounds *b = user;
    double f;
    int64_t i;
    if (!bound_value(b, other, &f, &i)) return;
    bool whole = !type_is_float(b->t->type);
    if (op == OP_LT && whole && i > INT64_MIN) i--, f -= 1;
    if (op == OP_GT && whole && i < INT64_MAX) i++, f += 1;
    if (op != OP_GE && op != OP_GT) at_most(&b->r, f, i);
    if (op != OP_LE && op != OP_LT) at_least(&b->r, f, i);
}

static Range bounds(const Graph *g, const Tensor *t, const int64_t *dims, const double *scalars) {
    Bounds b = {.g = g, .t = t, .dims = dims, .scalars = scalars};
    bound_each(g, t, bound, &b);
    return b.r;
}

bool check_bounded(const Graph *g, const Tensor *t, const int64_t *dims, const double *scalars) {
    Range r = bounds(g, t, dims, scalars);
    return r.has_lo || r.has_hi;
}

/* ---- filling ---- */

static uint64_t tensor_key(const Tensor *t, uint64_t seed) {
    uint64_t h = scramble(seed + 0x7464);
    for (const char *p = t->name; *p; p++) h = (h ^ (unsigned char)*p) * 1099511628211u;
    return h;
}

static void fill_float(HostTensor *h, int64_t n, uint64_t key, const InputSpec *spec, const Range *r) {
    bool uniform = (spec && spec->uniform) || (!spec && r->has_lo && r->has_hi);
    double lo = spec ? spec->lo : r->lo, width = (spec ? spec->hi : r->hi) - lo,
           scale = spec && !uniform ? spec->scale : 1;
    for (int64_t i = 0; i < n; i++) {
        double v = uniform ? lo + width * check_uniform(key, (uint64_t)i) : scale * check_normal(key, (uint64_t)i);
        /* One bound alone mirrors what is beyond it. */
        if (!uniform && r->has_lo && v < r->lo) v = 2 * r->lo - v;
        if (!uniform && r->has_hi && v > r->hi) v = 2 * r->hi - v;
        host_put_float(h, i, num_round(h->type, (double)(h->type == TY_F64 ? v : (double)(float)v)));
    }
}

static bool int_range(Type t, const InputSpec *spec, const Range *r, int64_t *lo, int64_t *hi) {
    bool is_signed = type_class(t) == CLASS_SINT;
    *lo = is_signed ? -16 : 0;
    *hi = 15;
    if (r->has_lo) {
        *lo = r->ilo;
        *hi = r->ilo > INT64_MAX - 15 ? INT64_MAX : r->ilo + 15;
    }
    if (r->has_hi) {
        *hi = r->ihi;
        if (!r->has_lo && *lo > *hi) *lo = *hi < INT64_MIN + 15 ? INT64_MIN : *hi - 15;
    }
    if (spec && spec->uniform) {
        *lo = num_to_int(TY_I64, ceil(spec->lo));
        *hi = num_to_int(TY_I64, ceil(spec->hi) - 1);
    }
    if (*lo < num_int_min(t)) *lo = num_int_min(t);
    if (*hi > num_int_max(t)) *hi = num_int_max(t);
    return *lo <= *hi;
}

/* The part of the values in which the draw w falls: a part of one value is drawn a third as often as a wide one. */
static int part_of(const ValueSet *v, uint64_t w) {
    uint64_t weight[VALUE_PARTS], all = 0;
    for (int i = 0; i < v->n; i++) {
        uint64_t more = (uint64_t)v->at[i].hi - (uint64_t)v->at[i].lo;
        all += weight[i] = more < 2 ? more + 1 : 3;
    }
    int i = 0;
    for (w %= all; w >= weight[i]; i++) w -= weight[i];
    return i;
}

static bool fill_int(HostTensor *h, int64_t n, uint64_t key, const InputSpec *spec, const ValueSet *values) {
    ValueSet v = {0};
    for (int i = 0; i < values->n; i++) { /* what is open is as long as where nothing is known */
        Range r = {.ilo = values->at[i].lo, .ihi = values->at[i].hi};
        r.has_lo = r.ilo != INT64_MIN;
        r.has_hi = r.ihi != INT64_MAX;
        if (int_range(h->type, spec, &r, &v.at[v.n].lo, &v.at[v.n].hi)) v.n++;
        if (spec && spec->uniform) break;
    }
    if (!v.n) return n == 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t w = word(key, (uint64_t)i);
        int p = v.n > 1 ? part_of(&v, scramble(w)) : 0;
        uint64_t width = (uint64_t)v.at[p].hi - (uint64_t)v.at[p].lo + 1;
        host_put_int(h, i, (int64_t)((uint64_t)v.at[p].lo + (width ? (w >> 11) % width : w)));
    }
    return true;
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void sort(Ctx *ctx, HostTensor *h, int64_t n) {
    int64_t *all = NEW_N(ctx, int64_t, n + 1);
    for (int64_t i = 0; i < n; i++) all[i] = host_int(h, i);
    qsort(all, (size_t)n, sizeof *all, by_value);
    for (int64_t i = 0; i < n; i++) host_put_int(h, i, all[i]);
}

bool check_input(const Graph *g, const Tensor *t, InputDraw draw, const int64_t *dims, const double *scalars,
                 HostTensor *h, Text *why) {
    Range r = bounds(g, t, dims, scalars);
    const InputSpec *spec = draw.spec;
    uint64_t key = tensor_key(t, draw.seed);
    const int64_t n = h->n;
    if (type_is_float(t->type)) {
        fill_float(h, n, key, spec, &r);
        return true;
    }
    if (t->type == TY_BOOL) {
        for (int64_t i = 0; i < n; i++) host_put_int(h, i, (int64_t)(word(key, (uint64_t)i) >> 63));
        return true;
    }
    ValueSet values = check_values(g, t, dims, scalars);
    if (spec && spec->uniform && !values.n) values = (ValueSet){1, {{INT64_MIN, INT64_MAX}}};
    bool drawn = fill_int(h, n, key, spec, &values);
    if (drawn && check_ordered(g, t)) sort(why->ctx, h, n);
    if (drawn) return true;
    text_fmt(why, "no value of %s satisfies what is assumed of it", t->name);
    return false;
}
