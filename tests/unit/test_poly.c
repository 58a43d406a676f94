/* Polynomials: normal forms, divisors, linear parts, bounds and proofs, each also checked by evaluating it on small
 * values of the dimensions and on all values of the variables. */
#include "ir/expr_text.h"
#include "ir/poly/poly.h"
#include "ir/poly/poly_prove.h"
#include "ir/rewrite.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a world: dimensions, variables and facts given as text ---- */

enum { MAX_NAMES = 16, SAMPLES = 3000 };

typedef struct World {
    Ctx *ctx;
    Graph *g;
    Lex lex;
    ExprReader r;
    const Expr *facts[8];
    int nfacts;
    PolyEnv env;
    int64_t dim[MAX_NAMES], var[MAX_NAMES];
    uint32_t rnd;
    bool by_zero; /* a quotient or remainder by 0 is 0; otherwise undefined */
} World;

static const Expr *read_in(World *w, const char *text) {
    lex_init(&w->lex, w->ctx, text, strlen(text), -1);
    const Expr *e = expr_read(&w->r);
    if (!e || w->lex.tok.kind != LEX_END) {
        printf("cannot read '%s': %s\n", text, w->lex.why ? w->lex.why : "");
        exit(1);
    }
    return e;
}

static const struct {
    const char *name;
    int64_t lo, hi, divisor;
} dims[] = {{"N", 0, INT64_MAX, 1}, {"K", 0, INT64_MAX, 1}, {"G", 0, INT64_MAX, 1}, {"H", 0, INT64_MAX, 1},
            {"R", 1, INT64_MAX, 1}, {"S", 1, 3, 1},         {"V", 0, INT64_MAX, 8}, {"W", 1, 20, 4}};

/* vars: "i in 0..N, k in 0..i"; facts: separated by ';'. */
static World *world(Ctx *ctx, const char *vars, const char *facts) {
    World *w = NEW(ctx, World);
    w->ctx = ctx;
    w->rnd = 7;
    w->g = graph_new(ctx, sym(ctx, "w"));
    w->r = (ExprReader){.g = w->g, .lex = &w->lex};
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        Dim *d = graph_dim(w->g, sym(ctx, dims[i].name));
        d->lo = dims[i].lo;
        d->hi = dims[i].hi;
        d->divisor = dims[i].divisor;
    }
    lex_init(&w->lex, ctx, vars, strlen(vars), -1);
    while (*vars && expr_read_range(&w->r) && lex_accept(&w->lex, ",")) {
    }
    if (w->lex.failed) printf("cannot read '%s': %s\n", vars, w->lex.why);
    for (char *f = strtok(strcpy(NEW_N(ctx, char, strlen(facts) + 1), facts), ";"); f; f = strtok(NULL, ";"))
        w->facts[w->nfacts++] = read_in(w, f);
    w->env = (PolyEnv){.g = w->g, .facts = w->facts, .nfacts = w->nfacts};
    return w;
}

/* False where the value is undefined. */
static bool eval(World *w, const Expr *e, int64_t *v) {
    int64_t a[3] = {0};
    if (expr_is_int(e, v)) return true;
    if (e->op == OP_DIM) {
        *v = w->dim[e->u.dim->id];
        return true;
    }
    if (e->op == OP_VAR) {
        for (int i = 0; i < w->r.vars.n; i++)
            if (w->r.vars.at[i] == e->u.var) *v = w->var[i];
        return true;
    }
    if (e->op == OP_IF) return eval(w, e->arg[0], &a[0]) && eval(w, e->arg[a[0] ? 1 : 2], v);
    for (int i = 0; i < e->nargs; i++)
        if (!eval(w, e->arg[i], &a[i])) return false;
    switch (e->op) {
    case OP_ADD: *v = a[0] + a[1]; return true;
    case OP_SUB: *v = a[0] - a[1]; return true;
    case OP_MUL: *v = a[0] * a[1]; return true;
    case OP_NEG: *v = -a[0]; return true;
    case OP_ABS: *v = a[0] < 0 ? -a[0] : a[0]; return true;
    case OP_DIV: *v = a[1] ? floor_div(a[0], a[1]) : 0; return a[1] || w->by_zero;
    case OP_MOD: *v = a[1] ? floor_mod(a[0], a[1]) : 0; return a[1] || w->by_zero;
    case OP_MIN: *v = a[0] < a[1] ? a[0] : a[1]; return true;
    case OP_MAX: *v = a[0] > a[1] ? a[0] : a[1]; return true;
    case OP_EQ: *v = a[0] == a[1]; return true;
    case OP_NE: *v = a[0] != a[1]; return true;
    case OP_LT: *v = a[0] < a[1]; return true;
    case OP_LE: *v = a[0] <= a[1]; return true;
    case OP_GT: *v = a[0] > a[1]; return true;
    case OP_GE: *v = a[0] >= a[1]; return true;
    case OP_AND: *v = a[0] && a[1]; return true;
    case OP_OR: *v = a[0] || a[1]; return true;
    case OP_NOT: *v = !a[0]; return true;
    default: printf("cannot evaluate %s\n", op_text(e->op)); exit(1);
    }
}

static uint32_t draw(World *w, uint32_t n) {
    w->rnd = w->rnd * 1664525 + 1013904223;
    return (w->rnd >> 10) % n;
}

/* Draws dimensions and variables; false where a range is empty or a fact does not hold. */
static bool sample(World *w) {
    for (int i = 0; i < w->g->dims.n; i++) {
        const Dim *d = w->g->dims.at[i];
        w->dim[i] = d->lo + draw(w, 13);
        if (draw(w, 8) == 0) w->dim[i] += 20;
        w->dim[i] = (w->dim[i] + d->divisor - 1) / d->divisor * d->divisor;
        if (w->dim[i] > d->hi) w->dim[i] = d->lo % d->divisor ? d->divisor : d->lo;
    }
    for (int i = 0; i < w->r.vars.n; i++) {
        int64_t lo, hi;
        if (!eval(w, w->r.vars.at[i]->lo, &lo) || !eval(w, w->r.vars.at[i]->hi, &hi) || lo >= hi) return false;
        w->var[i] = lo + draw(w, (uint32_t)(hi - lo));
    }
    for (int i = 0; i < w->nfacts; i++) {
        int64_t v;
        if (!eval(w, w->facts[i], &v) || !v) return false;
    }
    return true;
}

static const char *text_of(Ctx *ctx, const Expr *e) {
    Text t = {.ctx = ctx};
    expr_print(&t, e, NULL);
    return t.s;
}

/* ---- normal forms: expression, what it becomes ---- */

static const char *const forms[][4] = {
    /* variables, facts, expression, normal form */
    {"", "", "N + K + N", "2 * N + K"},
    {"", "", "(N + 1) * (N - 1)", "N * N - 1"},
    {"", "", "(N - K) * (N + K) + K * K", "N * N"},
    {"", "", "3 - N", "3 - N"},
    {"", "", "N - N", "0"},
    {"g in 0..G, k in 0..K", "", "(g * K + k) / K", "g"},
    {"g in 0..G, k in 0..K", "", "(g * K + k) % K", "k"},
    {"g in 0..G, k in 0..K, h in 0..H", "", "((g * K + k) * H + h) / H / K", "g"},
    {"g in 0..G, k in 0..K, h in 0..H", "", "((g * K + k) * H + h) / (K * H)", "g"},
    {"g in 0..G, k in 0..K, h in 0..H", "", "((g * K + k) * H + h) / H % K", "k"},
    {"g in 0..G, k in 0..K, h in 0..H", "", "((g * K + k) * H + h) % (K * H)", "H * k + h"},
    {"q in 0..N, r in 0..8", "", "(8 * q + r) / 8", "q"},
    {"q in 0..N, r in 0..8", "", "(8 * q + r) % 8", "r"},
    {"q in 0..N, r in 0..8", "", "(8 * q + r) / 16", "q / 2"},
    {"q in 0..N, r in 0..8", "", "(8 * q + r + 8) / 16", "(q + 1) / 2"},
    {"q in 0..N, r in 0..8", "", "(8 * q + r) / 4", "2 * q + r / 4"},
    {"q in 0..N, r in 0..4", "", "(32 * q + 4 * r + 3) % 16", "4 * r + 3"},
    {"q in 0..N, r in 0..8", "", "(8 * q + r) / (8 * K)", "q / K"},
    {"", "", "N / 4 / 2", "N / 8"},
    {"", "", "(N / 4 + 1) / 2", "(N + 4) / 8"},
    {"", "", "N / K / G", "N / (K * G)"},
    {"", "", "2 * (N / 2) + N % 2", "N"},
    {"", "", "N - N % 4", "4 * (N / 4)"},
    {"", "", "N % 8 % 4", "N % 4"},
    {"", "", "N % 8 / 4", "N / 4 - 2 * (N / 8)"},
    {"", "", "(6 * N + 4) / 4", "(3 * N + 2) / 2"},
    {"", "", "(N * K + 5) / K - N", "5 / K"},
    {"", "", "V % 8", "0"},
    {"", "", "V / 8 * 8", "V"},
    {"", "", "V / 4 * 4", "V"},
    {"", "", "V / 8 + V / 8", "V / 4"},
    {"", "", "V / 2 + V / 2", "V"},
    {"", "", "V - V / 2", "V / 2"},
    {"", "", "(3 * V + 16) % 8", "0"},
    {"i in 0..V / 8, l in 0..8", "", "(i * 8 + l) / 8", "i"},
    {"i in 0..N", "", "i % N", "i"},
    {"i in 0..N", "", "(i + N) % N", "i"},
    {"i in 0..N", "", "min(i, N)", "i"},
    {"i in 0..N", "", "max(i, N - 1)", "N - 1"},
    {"i in 0..N", "N <= 32", "i / 32", "0"},
    {"i in 0..N", "N <= 32", "i % 32", "i"},
    {"i in 0..32", "", "(i + 64) / 32", "2"},
    {"", "", "-7 / 2", "-4"},
    {"", "", "-7 % 2", "1"},
    {"", "", "N / -2 + N", "(-N) / 2 + N"},
    {"i in 0..N, j in 0..K", "", "3 * K * ((i * K + j) % 5)", "3 * K * ((K * i + j) % 5)"},
};

static void test_forms(Ctx *ctx) {
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        World *w = world(ctx, forms[i][0], forms[i][1]);
        const Expr *e = read_in(w, forms[i][2]);
        Poly p = poly_of(&w->env, e);
        const Expr *n = poly_expr(w->g, p);
        expect(!strcmp(text_of(ctx, n), forms[i][3]) || poly_eq(p, poly_of(&w->env, read_in(w, forms[i][3]))),
               forms[i][2], text_of(ctx, n));
        expect(poly_eq(poly_of(&w->env, n), p), "the normal form is its own", forms[i][2]);
        int used = 0;
        for (int k = 0; k < SAMPLES; k++) {
            int64_t a, b = 0;
            if (!sample(w) || !eval(w, e, &a)) continue;
            used++;
            if (!eval(w, n, &b) || a != b) {
                expect(false, "value", forms[i][2]);
                break;
            }
        }
        expect(used > 20, "enough samples", forms[i][2]);
    }
}

/* ---- truths ---- */

typedef struct Claim {
    const char *vars, *facts, *cond;
    int want;
} Claim;

static const Claim claims[] = {
    {"g in 0..G, k in 0..K", "", "g * K + k < G * K", 1},
    {"g in 0..G, k in 0..K", "", "g * K + k >= 0", 1},
    {"g in 0..G, k in 0..K, h in 0..H", "", "(g * K + k) * H + h < G * K * H", 1},
    {"k in 0..K, h in 0..H, g in 0..G", "", "(g * K + k) * H + h < G * K * H", 1},
    {"p in 0..N / 2, r in 0..2", "", "2 * p + r < N", 1},
    {"p in 0..(N + 1) / 2, r in 0..2", "", "2 * p + r < N", -1},
    {"p in 0..H - 2, r in 0..3", "", "p + r < H", 1},
    {"p in 0..H - 2, r in 0..4", "", "p + r < H", -1},
    {"p in 0..(H - R) / S + 1, r in 0..R", "", "S * p + r < H", 1},
    {"p in 0..(H - R) / K + 1, r in 0..R", "K > 0", "K * p + r < H", 1},
    {"p in 0..(H - R) / K + 1, r in 0..R", "", "K * p + r < H", -1},
    {"p in 0..(H - 3) / 2 + 1, r in 0..3", "", "2 * p + r < H", 1},
    {"p in 0..(H + 2 - 3) / 1 + 1, r in 0..3", "", "p + r - 1 < H", -1},
    {"p in 0..(H + 2 - 3) / 1 + 1, r in 0..3", "p + r - 1 >= 0 && p + r - 1 < H", "p + r - 1 < H", 1},
    {"p in 0..H, r in 0..3", "p + r - 1 >= 0; p + r - 1 < H", "p + r >= 1", 1},
    {"i in 0..N", "", "N - 1 - i >= 0 && N - 1 - i < N", 1},
    {"i in 0..N", "", "i < N", 1},
    {"i in 0..N", "", "i >= N", 0},
    {"i in 0..N", "", "i == N", 0},
    {"i in 0..N", "", "i != -1", 1},
    {"i in 0..N", "", "i < N - 1", -1},
    {"i in 0..N - 1", "", "i + 1 < N", 1},
    {"i in 0..N", "i < N - 1", "i + 1 < N", 1},
    {"i in 0..N", "!(i >= N - 1)", "i + 1 < N", 1},
    {"i in 0..N", "", "i + 1 < N && i + 1 >= N", 0},
    {"i in 0..N", "", "i < 5 || i >= 5", 1},
    {"i in 0..N, j in 0..i + 1", "", "i - j >= 0 && i - j < N", 1},
    {"i in 0..N, j in i..N", "", "j - i < N", 1},
    {"i in 0..N, j in 0..K", "N == K", "i < K", 1},
    {"i in 0..N", "N <= K", "i < K", 1},
    {"i in 0..N", "N < K; K < G", "i + 2 < G", 1},
    {"q in 0..N", "G > 0", "q / G <= q", 1},
    {"h in 0..K * G", "", "h / G < K", 1},
    {"h in 0..K * G", "", "h % G < G", 1},
    {"h in 0..8 * G", "", "h / G < 8", 1},
    {"h in 0..H", "H == 4 * G", "h / 4 < G", 1},
    {"c in 0..N", "K > 0; N % K == 0", "c / K < N / K", 1},
    {"c in 0..N", "N % K == 0", "c / K < N / K", -1},
    {"c in 0..N / K, k in 0..K", "", "c * K + k < N", 1},
    /* where a divisor is 0, so is the quotient */
    {"i in 0..N", "", "i % K < K", -1},
    {"i in 0..N", "K > 0", "i % K < K", 1},
    {"i in 0..N", "K != 0", "i % K < K", 1},
    {"i in 0..N * K", "", "i % K < K", 1},
    {"i in 0..N, j in 0..K", "j < 5", "i % K < K", 1},
    {"i in 0..N", "", "i % K < K + 1", 1},
    {"i in 0..N", "", "i % K <= i", 1},
    {"i in 0..N", "", "i / K * K + i % K == i", -1},
    {"i in 0..N * K", "", "i / K * K + i % K == i", 1},
    {"i in 0..N", "", "i / K <= i", 1},
    {"i in 0..N", "G >= 1; N % G == 0", "i / (N / G) < G", 1},
    {"i in 0..N", "N % G == 0", "i / (N / G) < G", -1},
    {"i in 0..N", "N % G == 0; G != 0 || N == 0", "i / (N / G) < G", 1},
    {"i in 0..N", "G >= 1; N % G == 0", "i % (N / G) < N / G", 1},
    {"i in 0..N, k in 0..K", "", "i % k < K", 1},
    {"i in 0..N, k in 0..K", "", "i % k < k", -1},
    {"i in 0..N", "", "i % (K - R) < K", -1},
    {"i in 0..N", "K > R", "i % (K - R) < K", 1},
    {"i in 0..N", "i % K >= K", "i < K", 0},
    {"i in 0..N / K + 1", "", "i * K <= N", 1},
    {"n in 0..N", "", "n / 2 * 2 <= n", 1},
    {"n in 0..N", "", "n % 2 < 2 && n % 2 >= 0", 1},
    {"n in 0..N", "", "2 * (n / 2) + n % 2 == n", 1},
    {"n in 0..N", "", "n % 4 == 5", 0},
    {"n in 0..N", "", "4 * n == 2 * K + 1", 0},
    {"n in 0..N", "", "n * n >= 0", 1},
    {"v in 0..V / 8", "", "8 * v + 7 < V", 1},
    {"v in 0..V", "", "V % 8 == 0", 1},
    {"v in 0..V", "V > 0", "V >= 8", 1},
    {"", "", "W >= 4", 1},
    {"", "", "W <= 20", 1},
    {"", "", "W == 6", 0},
    {"i in 0..N", "", "min(i, 5) < N", 1},
    {"i in 0..N", "", "min(i, 5) >= 0", 1},
    {"i in 0..N", "", "max(i - 1, 0) < N", 1},
    {"i in 0..N", "", "max(min(i + 1, N - 1), 0) < N", 1},
    {"i in 0..N", "", "(if i > 0 then i - 1 else 0) >= 0", 1},
    {"i in 0..N", "", "(if i > 0 then i - 1 else 0) < N", 1},
    {"", "", "N + K >= 0", 1},
    {"", "", "N - K >= 0", -1},
    {"", "", "N * K - N >= 0", -1},
    {"", "K > 0", "N * K - N >= 0", 1},
    {"", "", "(N + 7) / 8 * 8 >= N", 1},
    {"", "", "(N + 7) / 8 * 8 < N + 8", 1},
    {"t in 0..(N + 7) / 8, l in 0..8", "8 * t + l < N", "8 * t + l < N", 1},
    {"t in 0..(N + K - 1) / K", "", "t * K < N", 1},
    {"i in 0..G * K * H", "", "i / (K * H) < G", 1},
    {"i in 0..G * K * H", "", "i / H % K < K", 1},
    {"a in 0..2, b in 0..3, c in 0..N", "", "(a * 3 + b) * N + c < 6 * N", 1},
    /* the channel of a group of a convolution: o/K is below the number of groups */
    {"o in 0..G * K, c in 0..H", "", "o / K * H + c < G * H", 1},
    {"o in 0..4 * K, c in 0..H", "", "o / K * H + c < 4 * H", 1},
    {"o in 0..4 * K, c in 0..H", "", "o / K * H + c < 3 * H", -1},
    {"o in 0..G * K, c in 0..H", "", "o / K * H + c >= 0", 1},
    {"o in K..4 * K, c in 0..H", "", "o / K * H + c >= H", 1},
    {"o in 0..4 * K + 1, c in 0..H", "", "o / K * H + c < 4 * H", -1},
    {"i in 0..4 * K, j in 0..2 * K", "", "(i + j) / K < 6", 1},
    /* diagonals, reflection about both ends: the cases of a minimum exclude what is known */
    {"i in 0..max(min(N - 2, K), 0)", "", "i + 2 < N", 1},
    {"i in 0..max(min(N - 2, K), 0)", "", "i < K", 1},
    {"i in 0..max(min(N - 2, K), 0)", "", "i + 1 < K", -1},
    {"i in 0..max(N - 3, 0) / 2", "", "2 * i + 4 < N", 1},
    {"i in 0..max(N - 3, 0) / 2", "", "2 * i + 5 < N", -1},
    {"i in 0..3 * H", "H >= 1", "(H * i - i) / max(1, 3 * H - 1) >= 0", 1},
    {"i in 0..3 * H", "H >= 1; W >= 1", "(H * i - i) / max(1, 3 * H - 1) >= 0", 1},
    {"i in 0..N", "", "abs(i - 3) >= 0", 1},
    {"i in 0..N", "N > 3", "abs(i - 3) < N", 1},
    {"i in 0..N", "N > 2", "abs(i - 3) < N", -1},
    {"i in 0..N + K + G", "K < N; G < N", "abs(N - 1 - abs(i - K)) < N", 1},
    {"i in 0..N + K + G", "K <= N; G < N", "abs(N - 1 - abs(i - K)) < N", -1},
    {"i in 0..N + K + G", "K < N; G <= N", "abs(N - 1 - abs(i - K)) < N", -1},
    {"i in 0..N", "", "abs(i) == i", 1},
    /* a sum of multiples of 4 (of 5) that is more than -4 (-5) is not negative */
    {"i in K..N", "", "i - i % 4 >= 0", 1},
    {"i in K..N", "", "i - i % 4 >= K - 3", 1},
    {"i in K..N", "", "i - i % 4 >= K - 2", -1},
    {"i in 0..K", "K <= 5 * N", "max(i - 1, 0) < 5 * N", 1},
    {"i in 0..K", "K <= 5 * N", "max(i + 1, 0) < 5 * N", -1},
    {"i in 0..2 * N", "i < 2", "i / 2 < 2 * N", 1},
    {"i in 0..2 * N", "i < 3", "i / 2 < 2 * N - 1", 1},
    {"i in 0..2 * N", "i < 2", "i / 2 < 2 * N - 2", -1},
    {"i in 0..4 * N", "i >= 4 * K - 3", "4 * (i / 4) >= 4 * K - 4", 1},
    {"i in 0..4 * N", "i >= 4 * K - 3", "4 * (i / 4) >= 4 * K - 3", -1},
};

static void test_claims(Ctx *ctx) {
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        World *w = world(ctx, claims[i].vars, claims[i].facts);
        const Expr *c = read_in(w, claims[i].cond);
        int t = cond_truth(&w->env, c);
        char detail[64];
        w->by_zero = true;
        snprintf(detail, sizeof detail, "%d, not %d (vars %.30s)", t, claims[i].want, claims[i].vars);
        expect(t == claims[i].want, claims[i].cond, detail);
        int seen[2] = {0, 0};
        for (int k = 0; k < SAMPLES; k++) {
            int64_t v;
            if (sample(w) && eval(w, c, &v)) seen[v != 0]++;
        }
        expect(seen[0] + seen[1] > 5, "enough samples", claims[i].cond);
        expect(t < 0 || !seen[!t], "true of all samples", claims[i].cond);
    }
}

/* Random conditions: whatever is claimed, and every bound, divisor and normal form, holds for all samples. */
static const Expr *random_expr(World *w, int depth) {
    const Expr *leaf[MAX_NAMES + 12];
    int n = 0;
    for (int i = 0; i < w->g->dims.n; i++) leaf[n++] = expr_dim(w->g, w->g->dims.at[i]);
    for (int i = 0; i < w->r.vars.n; i++) leaf[n++] = expr_var(w->g, w->r.vars.at[i]);
    for (int i = 0; i < 4; i++) leaf[n++] = expr_int(w->g, TY_I64, (int64_t)draw(w, 9) - 2);
    if (depth == 0 || draw(w, 6) == 0) return leaf[draw(w, (uint32_t)n)];
    static const Op ops[] = {OP_ADD, OP_ADD, OP_SUB, OP_MUL, OP_MUL, OP_DIV, OP_DIV, OP_MOD, OP_MIN, OP_MAX};
    Op op = ops[draw(w, sizeof ops / sizeof *ops)];
    const Expr *a = random_expr(w, depth - 1), *b = random_expr(w, depth - 1);
    if (op == OP_DIV || op == OP_MOD) {
        if (draw(w, 3)) b = expr_int(w->g, TY_I64, 1 + draw(w, 8));
        if (draw(w, 3) == 0) b = leaf[draw(w, (uint32_t)w->g->dims.n)];
    }
    return expr2(w->g, op, a, b);
}

static int test_random(uint32_t seed) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return 0;
    World *w = world(ctx, "i in 0..N, k in 0..K, r in 0..R, p in 0..(H - R) / S + 1, q in 0..8", "");
    int decided = 0;
    w->rnd = seed;
    for (int round = 0; round < 75; round++) {
        const Expr *e = random_expr(w, 1 + round % 4), *f = random_expr(w, round % 3);
        const Expr *c = expr2(w->g, round % 2 ? OP_LT : OP_EQ, e, f);
        Poly p = poly_of(&w->env, e);
        const Expr *n = p.failed ? e : poly_expr(w->g, p);
        int64_t lo, hi, d = poly_divisor(p);
        poly_bounds(&w->env, p, &lo, &hi);
        int t = cond_truth(&w->env, c);
        const Expr *simple = expr_simplify(w->g, &w->env, e);
        decided += t >= 0;
        const char *bad = NULL;
        for (int k = 0; k < 60 && !bad; k++) {
            int64_t a, b, v;
            if (!sample(w)) continue;
            w->by_zero = true;
            if (t >= 0 && eval(w, c, &v) && v != t) bad = "truth";
            if (eval(w, e, &a) && eval(w, simple, &b) && a != b) bad = "simplified";
            w->by_zero = false; /* what holds of the polynomial alone takes divisors not to be 0 */
            if (!eval(w, e, &a)) continue;
            if (!eval(w, n, &b) || a != b) bad = "value";
            if (a < lo || a > hi) bad = "bounds";
            if (d ? a % d : a) bad = "divisor";
        }
        expect(!bad, bad ? bad : "", text_of(ctx, c));
    }
    ctx_free(ctx);
    return decided;
}

/* ---- linear parts, divisors, bounds ---- */

static void test_linear(Ctx *ctx) {
    World *w = world(ctx, "i in 0..N, k in 0..K", "");
    static const char *const rows[][4] = {
        /* expression, atom, coefficient (NULL: not linear), rest */
        {"(i * K + k) * 4 + 3", "i", "4 * K", "4 * k + 3"},
        {"(i * K + k) * 4 + 3", "k", "4", "4 * K * i + 3"},
        {"i * i", "i", NULL, NULL},
        {"i * k + i / 2", "i", NULL, NULL},
        {"i * k + i / 2", "k", "i", "i / 2"},
        {"N + 1", "i", "0", "N + 1"},
    };
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        Poly c, r;
        bool ok = poly_linear(ctx, poly_of(&w->env, read_in(w, rows[n][0])), read_in(w, rows[n][1]), &c, &r);
        expect(ok == (rows[n][2] != NULL), "linear", rows[n][0]);
        if (!ok || !rows[n][2]) continue;
        expect(!strcmp(text_of(ctx, poly_expr(w->g, c)), rows[n][2]), "coefficient", text_of(ctx, poly_expr(w->g, c)));
        expect(!strcmp(text_of(ctx, poly_expr(w->g, r)), rows[n][3]), "rest", text_of(ctx, poly_expr(w->g, r)));
    }
    static const struct {
        const char *e;
        int64_t d;
    } divisors[] = {{"6 * N + 9", 3}, {"V", 8},     {"V * i + 16", 8}, {"V / 2 + 4 * i", 4},
                    {"W * V", 32},    {"0 * N", 0}, {"N", 1},          {"W + V", 4}};
    for (size_t n = 0; n < sizeof divisors / sizeof *divisors; n++)
        expect(poly_divisor(poly_of(&w->env, read_in(w, divisors[n].e))) == divisors[n].d, "divisor", divisors[n].e);
    static const struct {
        const char *e;
        int64_t lo, hi;
    } bounds[] = {{"i", 0, INT64_MAX},      {"S", 1, 3},           {"W", 4, 20},    {"S - 5", -4, -2},
                  {"-S * W", -60, -4},      {"W % 3", 0, 2},       {"N % 8", 0, 7}, {"N / 4 * 4 - N", -3, 0},
                  {"i - N", INT64_MIN, -1}, {"8 * S + 3", 11, 27}, {"W / S", 1, 20}};
    for (size_t n = 0; n < sizeof bounds / sizeof *bounds; n++) {
        int64_t lo, hi;
        poly_bounds(&w->env, poly_of(&w->env, read_in(w, bounds[n].e)), &lo, &hi);
        char detail[80];
        snprintf(detail, sizeof detail, "%lld..%lld", (long long)lo, (long long)hi);
        expect(lo == bounds[n].lo && hi == bounds[n].hi, bounds[n].e, detail);
    }
}

static bool digit_range(void *user, const Expr *atom, const Expr **lo, const Expr **hi) {
    World *w = user;
    if (atom->op != OP_ARG) return false;
    *lo = expr_int(w->g, TY_I64, 0);
    *hi = expr_int(w->g, TY_I64, 31);
    return true;
}

static void test_range_callback(Ctx *ctx) {
    World *w = world(ctx, "i in 0..N", "");
    w->env.range = digit_range;
    w->env.user = w;
    const Expr *lane = expr_node(w->g, OP_ARG, TY_I64, false, 0, NULL, 0);
    const Expr *e = expr2(w->g, OP_ADD, expr2(w->g, OP_MUL, expr_int(w->g, TY_I64, 32), read_in(w, "i")), lane);
    const Expr *q = expr2(w->g, OP_DIV, e, expr_int(w->g, TY_I64, 32));
    expect(poly_expr(w->g, poly_of(&w->env, q)) == read_in(w, "i"), "range of an atom", "32 * i + lane");
}

/* Overflow and high degrees fail quietly. */
static void test_limits(Ctx *ctx) {
    World *w = world(ctx, "", "");
    expect(poly_of(&w->env, read_in(w, "N * 9223372036854775807 * 2")).failed, "overflow", "");
    expect(poly_of(&w->env, read_in(w, "N * N * N * N * N * N * N * N * N * N * N * N * N * N * N * N * N")).failed,
           "degree", "");
    expect(cond_truth(&w->env, read_in(w, "N * 9223372036854775807 * 2 >= 0")) == -1, "unknown after overflow", "");
    Text t = {.ctx = ctx};
    for (int i = 0; i < 120; i++) text_put(&t, "(");
    text_put(&t, "N");
    for (int i = 0; i < 120; i++) text_fmt(&t, " / %d + K) ", 2 + i % 3);
    Poly p = poly_of(&w->env, read_in(w, t.s));
    expect(p.failed || p.n > 0, "deep quotients end", "");
    const Expr *e = read_in(w, "N"), *f = read_in(w, "N / 3");
    for (int i = 0; i < 60; i++) {
        e = expr2(w->g, OP_ADD, e, e);
        f = expr2(w->g, i % 2 ? OP_MOD : OP_MIN, expr2(w->g, OP_ADD, f, read_in(w, "K")),
                  expr2(w->g, OP_ADD, f, read_in(w, "1")));
    }
    p = poly_of(&w->env, e);
    expect(p.n == 1 && p.term[0].coef == (int64_t)1 << 60, "shared sums", "");
    p = poly_of(&w->env, f);
    expect(p.failed || p.n > 0, "shared quotients end", "");
}

/* What is false of flattened indices is found out by an example, not by a search: they are longer than each of the
 * dimensions by whose products they are divided. */
static void test_refuted(Ctx *ctx) {
    static const struct {
        const char *text;
        bool refuted;
    } goals[] = {{"H - 2048 * b - 512 * r - 8 * t - v - 1", true},
                 {"G * H - 2048 * b - 512 * r - 8 * t - v - 1", true},
                 {"K * G * H - 2048 * b - 512 * r - 8 * t - v - 1", true},
                 {"H - (2048 * b + 512 * r + 8 * t + v) / (K * G) - 1", true},
                 {"2048 * b + 512 * r + 8 * t + v", false},
                 {"2047 - 512 * r - 8 * t - v", false}};
    World *w = world(ctx, "b in 0..(N * K * G * H + 2047) / 2048, r in 0..4, t in 0..64, v in 0..8", "");
    for (size_t i = 0; i < sizeof goals / sizeof *goals; i++)
        expect(poly_refuted(&w->env, poly_of(&w->env, read_in(w, goals[i].text)), 0) == goals[i].refuted,
               "refuted by an example", goals[i].text);
}

/* An element of a tensor may be anything that its type holds, and that the facts allow: but one of a sort's order is a
 * place among its keys. */
static void test_refuted_data(Ctx *ctx) {
    static const struct {
        const char *text;
        bool refuted;
    } goals[] = {{"min(N, i64(ids[r]))", true},
                 {"N - max(0, min(N, i64(ids[r]))) - 1", true},
                 {"N - max(0, min(N, i64(ids[r])))", false},
                 {"i64(small[r])", false},
                 {"255 - i64(small[r])", false},
                 {"254 - i64(small[r])", true},
                 {"i64(ids[0])", false}, /* by the facts, one of them of the element as it is stored */
                 {"i64(ids[1])", false},
                 {"i64(order[r])", false}};
    World *w = world(ctx, "r in 0..4", "");
    const Expr *n = read_in(w, "N");
    Tensor *keys = graph_tensor(w->g, sym(ctx, "ids"), TENSOR_INPUT, TY_I32, 1, &n);
    graph_tensor(w->g, sym(ctx, "small"), TENSOR_INPUT, TY_U8, 1, &n);
    Tensor *order = graph_tensor(w->g, sym(ctx, "order"), TENSOR_LET, TY_I32, 1, &n);
    order->sort = &(const Sort){.keys = keys, .order = order};
    const Expr *facts[] = {read_in(w, "i64(ids[0]) >= 0"), read_in(w, "ids[1] >= i32(0)")};
    w->env.facts = facts;
    w->env.nfacts = 2;
    for (size_t i = 0; i < sizeof goals / sizeof *goals; i++)
        expect(poly_refuted(&w->env, poly_of(&w->env, read_in(w, goals[i].text)), 0) == goals[i].refuted,
               "refuted by an element", goals[i].text);
}

int main(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return 1;
    test_forms(ctx);
    test_claims(ctx);
    test_linear(ctx);
    test_range_callback(ctx);
    test_limits(ctx);
    test_refuted(ctx);
    test_refuted_data(ctx);
    ctx_free(ctx);
    int decided = 0;
    for (uint32_t seed = 1; seed <= 20; seed++) decided += test_random(seed);
    expect(decided > 150, "conditions decided", "too few");
    return test_end();
}
