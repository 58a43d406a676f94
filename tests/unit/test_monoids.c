/* Monoids: every row of monoids.def, for every type that it folds, is held to what its columns say on special and
 * random states: its identity, associativity (compared where no rounding occurs), commutativity, idempotence.
 * Declarations that are not what they say are found by the same check. */
#include "ir/diag.h"
#include "ir/interp/interp.h"
#include "ir/monoid.h"
#include "ir/rewrite.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- states ---- */

typedef const Expr *State[MAX_PARTS];

static uint64_t rnd = 88172645463325252u;

static uint64_t draw(uint64_t n) {
    rnd ^= rnd << 13;
    rnd ^= rnd >> 7;
    rnd ^= rnd << 17;
    return (rnd >> 11) % n;
}

/* Floats are whole and small, so that sums and products of three are exact, or special. */
static const Expr *draw_part(Graph *g, Type t) {
    static const double special[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN};
    if (type_is_float(t))
        return expr_float(g, t, draw(3) ? (double)draw(200) - 100 : special[draw(sizeof special / sizeof *special)]);
    if (t == TY_BOOL) return expr_int(g, t, (int64_t)draw(2));
    int64_t v = draw(3) ? (int64_t)draw(200) - 100 : draw(2) ? num_int_min(t) : num_int_max(t);
    return expr_int(g, t, num_wrap(t, v));
}

/* One that a fold may have: an index is -1 in the empty state alone. */
static void draw_state(Graph *g, const Monoid *m, State s) {
    bool empty = m->indexed && !draw(5);
    for (int i = 0; i < m->n; i++) s[i] = empty ? m->identity[i] : draw_part(g, m->type[i]);
    if (m->indexed && !empty) s[m->n - 1] = expr_int(g, TY_I64, (int64_t)draw(1000));
}

/* ---- evaluation ---- */

/* NULL: not a constant, as where the value depends on a library of mathematics. */
static const Expr *eval(Graph *g, const Expr *e, const Expr *const *args) {
    if (e->op == OP_ARG) return args[e->u.i];
    if (!e->nargs) return e;
    const Expr *a[3] = {eval(g, e->arg[0], args)};
    if (!a[0]) return NULL;
    if (e->op == OP_IF) return eval(g, e->arg[a[0]->u.i ? 1 : 2], args);
    if ((e->op == OP_AND && !a[0]->u.i) || (e->op == OP_OR && a[0]->u.i)) return a[0];
    for (int i = 1; i < e->nargs; i++)
        if (!(a[i] = eval(g, e->arg[i], args))) return NULL;
    return expr_fold(g, expr_with(g, e, a));
}

static bool combine(Graph *g, const Monoid *m, State x, State y, State r) {
    const Expr *args[2 * MAX_PARTS];
    for (int i = 0; i < m->n; i++) {
        args[i] = x[i];
        args[m->n + i] = y[i];
    }
    for (int i = 0; i < m->n; i++)
        if (!(r[i] = eval(g, m->combine[i], args))) return false;
    return true;
}

/* Zeros are equal: which one a fold of zeros leaves depends on where it starts. */
static bool same_state(const Monoid *m, State x, State y) {
    for (int i = 0; i < m->n; i++) {
        double a = x[i]->u.f, b = y[i]->u.f;
        bool eq = type_is_float(m->type[i]) ? a == b || (isnan(a) && isnan(b)) : x[i]->u.i == y[i]->u.i;
        if (!eq) return false;
    }
    return true;
}

/* The first law that some states break; NULL: none is broken. *used counts the states that had values. */
static const char *broken_law(Graph *g, const Monoid *m, bool idempotent, int *used) {
    State id;
    for (int i = 0; i < m->n; i++) id[i] = m->identity[i];
    for (int n = 0; n < 1500; n++) {
        State a, b, c, r, s, t;
        draw_state(g, m, a);
        draw_state(g, m, b);
        draw_state(g, m, c);
        if (combine(g, m, id, a, r) && !same_state(m, r, a)) return "identity from the left";
        if (combine(g, m, a, id, r) && !same_state(m, r, a)) return "identity from the right";
        if (idempotent && combine(g, m, a, a, r) && !same_state(m, r, a)) return "idempotence";
        if (!combine(g, m, a, b, r) || !combine(g, m, b, c, s)) continue;
        if (!m->ordered && combine(g, m, b, a, t) && !same_state(m, r, t)) return "commutativity";
        if (!combine(g, m, r, c, t) || !combine(g, m, a, s, r)) continue;
        if (!same_state(m, t, r)) return "associativity";
        ++*used;
    }
    return NULL;
}

/* Whether what combines is what `best` gives of the first parts, and of equal ones the state of the lower index. */
static bool selects(Graph *g, const Monoid *m, Op best, int *used) {
    for (int n = 0; n < 1500; n++) {
        State a, b, r;
        draw_state(g, m, a);
        draw_state(g, m, b);
        if (draw(4) == 0) b[0] = a[0];
        if (a[m->n - 1]->u.i < 0 || b[m->n - 1]->u.i < 0 || !combine(g, m, a, b, r)) continue;
        const Expr *pair[] = {a[0], b[0]};
        State v = {expr_fold(g, expr_node(g, best, m->type[0], false, 0, pair, 2))};
        const Monoid value = {.n = 1, .type = {m->type[0]}};
        bool first = same_state(&value, a, b) ? a[m->n - 1]->u.i <= b[m->n - 1]->u.i : same_state(&value, v, a);
        if (!same_state(m, r, first ? a : b)) return false;
        ++*used;
    }
    return true;
}

/* ---- rows ---- */

static void test_row(Ctx *ctx, MonoidKind kind, Type t) {
    const Monoid *row = monoid_row(kind);
    Graph *g = graph_new(ctx, sym(ctx, row->name));
    const Monoid *m = monoid_of(g, row, t);
    Text what = {.ctx = ctx}, why = {.ctx = ctx};
    text_fmt(&what, "%s of %s", row->name, type_name(t));
    for (int i = 0; i < row->n; i++)
        if (!m->combine[i]) {
            expect(false, what.s, "its declaration is not read");
            return;
        }
    expect(m->n == row->n && m->kind == kind && m->type[0] == t && !m->part[m->n], what.s, "its parts");
    expect(!m->indexed || m->type[m->n - 1] == TY_I64, what.s, "its index");
    expect(monoid_verify(m, &why), what.s, why.s);
    int used = 0;
    const char *law = broken_law(g, m, monoid_idempotent(kind), &used);
    expect(!law, what.s, law);
    expect(used > 500, what.s, "too few states for which it has a value");
    Op best;
    used = 0;
    if (!monoid_selects(kind, &best)) return;
    expect(m->indexed && selects(g, m, best, &used) && used > 500, what.s, "it takes another state than the best");
}

static void test_rows(Ctx *ctx) {
    for (int k = 0; k < MONOID_COUNT; k++) {
        int types = 0;
        for (int t = 0; t < TY_COUNT; t++) {
            if (!monoid_folds((MonoidKind)k, (Type)t)) continue;
            types++;
            test_row(ctx, (MonoidKind)k, (Type)t);
            expect(type_is_compute((Type)t) || t == TY_BOOL, monoid_row((MonoidKind)k)->name,
                   "folds what has no arithmetic");
        }
        expect(types > 0, monoid_row((MonoidKind)k)->name, "folds no type");
        expect(monoid_named(NULL, monoid_row((MonoidKind)k)->name) == monoid_row((MonoidKind)k), "by name", NULL);
    }
    expect(!monoid_idempotent(MONOID_DECLARED) && !monoid_atomic(MONOID_DECLARED), "declared ones are not known", NULL);
}

/* ---- declarations ---- */

static const struct {
    const char *text, *law; /* NULL: it is what it says */
} declared[] = {
    {"add(a: f32 = 0.0) combine (a + a')", NULL},
    {"affine(a: f32 = 1.0, b: f32 = 0.0) ordered combine (a * a', b * a' + b')", "identity from the left"},
    {"affine(a: i32 = 1, b: i32 = 0) ordered combine (a * a', b * a' + b')", NULL},
    {"first(i: i64 = -1, b: bool = false) ordered combine (if b then i else i', b || b')", "identity from the right"},
    {"xor(a: u32 = 0) combine (a ^ a')", NULL},
    {"affine(a: i32 = 1, b: i32 = 0) combine (a * a', b * a' + b')", "commutativity"},
    {"less(a: i64 = 0) ordered combine (a - a')", "identity from the left"},
    {"one(a: i64 = 1) combine (a + a')", "identity from the left"},
    {"left(a: i64 = 0) ordered combine (a)", "identity from the left"},
    {"odd(a: i32 = 0) combine (a + a' + a * a' * (a + a'))", "associativity"},
};

static const Monoid *read_declared(Graph *g, const char *text, Text *why) {
    Lex x;
    lex_init(&x, g->ctx, text, strlen(text), -1);
    ExprReader r = {.g = g, .lex = &x};
    const Monoid *m = monoid_read(&r);
    if (!m) text_put(why, x.why);
    return m;
}

static void test_declared(Ctx *ctx) {
    for (size_t i = 0; i < sizeof declared / sizeof *declared; i++) {
        Graph *g = graph_new(ctx, sym(ctx, "g"));
        Text out = {.ctx = ctx}, why = {.ctx = ctx};
        const Monoid *m = read_declared(g, declared[i].text, &why);
        expect(m && monoid_verify(m, &why) && monoid_named(g, m->name) == m, declared[i].text, why.s);
        if (!m) continue;
        monoid_print(&out, m);
        expect(!strncmp(out.s, "monoid ", 7) && !strcmp(out.s + 7, declared[i].text), declared[i].text, out.s);
        int used = 0;
        const char *law = broken_law(g, m, false, &used);
        expect(law == declared[i].law || (law && declared[i].law && !strcmp(law, declared[i].law)), declared[i].text,
               law ? law : "no law is broken");
    }
}

static void test_refused(Ctx *ctx) {
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"sum(a: f32 = 0.0) combine (a + a')", "monoid 'sum' is there already"},
        {"m(a: f32 = 0.0, a: f32 = 0.0) combine (a, a')", "part 'a' is declared twice"},
        {"m(a: f32 = 0.0) combine (a > a')", "part 'a' is f32, but combines to bool"},
        {"m(a: f32 = 0.0) combine (b)", "unknown name 'b'"},
        {"m(a: f32 = lowest) combine (a)", "expected a number"},
        {"m(a: f32 = 0.0)", "expected 'combine'"},
        {"m(a: i32 = 0, b: i32 = 0, c: i32 = 0, d: i32 = 0, e: i32 = 0, f: i32 = 0, h: i32 = 0, i: i32 = 0, "
         "j: i32 = 0) combine (a)",
         "a monoid's state has at most 8 parts"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Text why = {.ctx = ctx};
        const Monoid *m = read_declared(graph_new(ctx, sym(ctx, "g")), rows[i].text, &why);
        expect(!m && why.s && !strcmp(why.s, rows[i].why), rows[i].text, why.s);
    }
}

/* What can be read and may not be. */
static void test_verified(Ctx *ctx) {
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"m(a: f16 = 0.0) combine (a)", "monoid m: part 0 is of type f16, which has no arithmetic"},
        {"m(a: i64 = 0) combine (a + n)", "monoid m: part 0 combines more than operands and constants"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Graph *g = graph_new(ctx, sym(ctx, "g"));
        Text why = {.ctx = ctx};
        graph_dim(g, sym(ctx, "n"));
        const Monoid *m = read_declared(g, rows[i].text, &why);
        expect(m && !monoid_verify(m, &why) && !strcmp(why.s, rows[i].why), rows[i].text, why.s);
    }
}

/* ---- in Graphs ---- */

/* Folds by every way of writing one: parts, guards, several indices, folds in folds, operands that are the same for all
 * elements beside others of the same monoid. */
static const char FOLDS[] =
    "graph folds\n"
    "  dim M\n"
    "  dim N\n"
    "  monoid soft(m: f64 = -inf, z: f64 = 0.0) combine (max(m, m'), z * exp(m - max(m, m')) + z' * exp(m' - max(m, "
    "m')))\n"
    "  monoid step(a: f64 = 1.0, b: f64 = 0.0, last: i64 = -1) ordered combine (a * a', b * a' + b', if last' >= 0 "
    "then last' else last)\n"
    "  monoid swap(p: f64 = 0.0, q: f64 = 0.0) ordered combine (q + p', p + q')\n"
    "  in x: f64[M, N]\n"
    "  out m: f64[M]\n"
    "  out z: f64[M]\n"
    "  out b: f64[M]\n"
    "  out last: i64[M]\n"
    "  out all: f64[M]\n"
    "  out in: f64[M]\n"
    "  out same: f64[M]\n"
    "  out swapped: f64[M]\n"
    "m[i] = soft[n in 0..N](x[i, n], 1.0).m\n"
    "z[i] = soft[m in 0..N](x[i, m], 1.0).z\n"
    "b[i] = step[n in 0..N where n != i](x[i, n], x[i, n] + 1.0, n).b\n"
    "last[i] = step[n in 0..N](x[i, n], x[i, n], if x[i, n] > 0.5 then n else -1).last\n"
    "all[i] = step[l in 0..M, n in l..N](x[l, n], f64(i), n).b\n"
    "in[i] = step[l in 0..M](0.5, step[n in 0..N](x[l, n], x[i, n], n).b, l).b\n"
    "same[i] = step[n in 0..N](f64(i), 2.0, n).b + step[n in 0..N](f64(i + 1), 3.0, n).b\n"
    "swapped[i] = swap[n in 0..N](x[i, n], 0.0).p\n";

typedef struct Plain {
    double m, z, b, all, in, same, swapped;
    int64_t last;
} Plain;

static double step_row(const double *x, const double *y, int64_t n) {
    double b = 0;
    for (int64_t k = 0; k < n; k++) b = b * x[k] + y[k];
    return b;
}

/* The same by loops. */
static Plain plain_row(const double *x, int64_t M, int64_t N, int64_t i) {
    Plain r = {.m = -INFINITY, .last = -1};
    const double *row = x + i * N;
    double q = 0, one = 0, two = 0;
    for (int64_t n = 0; n < N; n++) r.m = fmax(r.m, row[n]);
    for (int64_t n = 0; n < N; n++) r.z += exp(row[n] - r.m);
    for (int64_t n = 0; n < N; n++) {
        if (n != i) r.b = r.b * row[n] + row[n] + 1;
        if (row[n] > 0.5) r.last = n;
        double p = q + row[n];
        q = r.swapped;
        r.swapped = p;
        one = one * (double)i + 2;
        two = two * (double)(i + 1) + 3;
    }
    r.same = one + two;
    for (int64_t l = 0; l < M; l++) {
        for (int64_t n = l; n < N; n++) r.all = r.all * x[l * N + n] + (double)i;
        r.in = r.in * 0.5 + step_row(x + l * N, row, N);
    }
    return r;
}

static bool near(double a, double b) { return a == b || fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)); }

static void test_folds(Ctx *ctx, int64_t M, int64_t N) {
    Graph *g = graph_read(ctx, FOLDS, sizeof FOLDS - 1, -1);
    Text why = {.ctx = ctx}, text = {.ctx = ctx}, size = {.ctx = ctx};
    text_fmt(&size, "folds of %lld x %lld", (long long)M, (long long)N);
    if (!g) diag_render(ctx, &why, false);
    expect(g && graph_verify(g, &why), size.s, why.s);
    if (!g) return;
    graph_print(&text, g);
    expect(!strcmp(text.s, FOLDS), "prints as it is written", text.s);
    HostTensor params[9];
    InterpValue v[9];
    double *x = NEW_N(ctx, double, M *N + 1);
    for (int k = 0; k < 9; k++) host_tensor(ctx, &params[k], k == 4 ? TY_I64 : TY_F64, k ? 1 : 2, (int64_t[]){M, N});
    for (int64_t k = 0; k < M * N; k++) host_put_float(&params[0], k, x[k] = (double)draw(2000) / 1000 - 1);
    bool ran = interp_run(ctx, g, &(InterpArgs){(int64_t[]){M, N}, NULL, params}, NUDGE_NONE, v, &why);
    expect(ran, size.s, why.s);
    for (int64_t i = 0; ran && i < M; i++) {
        Plain p = plain_row(x, M, N, i);
        expect(near(v[1].f[i], p.m) && near(v[2].f[i], p.z), "parts of one fold", size.s);
        expect(near(v[3].f[i], p.b), "a guard", size.s);
        expect(v[4].i[i] == p.last, "an integer part", size.s);
        expect(near(v[5].f[i], p.all), "two indices", size.s);
        expect(near(v[6].f[i], p.in), "a fold in a fold", size.s);
        expect(near(v[7].f[i], p.same), "two folds of what is the same for all elements", size.s);
        expect(near(v[8].f[i], p.swapped), "parts that change places", size.s);
    }
}

/* Reductions that no text can hold. */
static void test_wrong_reductions(Ctx *ctx) {
    Graph *g = graph_read(ctx, FOLDS, sizeof FOLDS - 1, -1);
    Piece *p = &g->params.at[1]->pieces.at[0];
    const Expr *right = p->value, *few[] = {right->arg[0], right->arg[1]},
               *turned[] = {right->arg[0], right->arg[1], right->arg[0]};
    Reduce beyond = *right->u.reduce;
    beyond.part = 2;
    Text why = {.ctx = ctx};
    for (int i = 0; i < 3; i++) {
        p->value = i == 0   ? expr_node(g, OP_REDUCE, TY_F64, false, right->u.i, few, 2)
                   : i == 1 ? expr_node(g, OP_REDUCE, TY_F64, false, right->u.i, turned, 3)
                            : expr_node(g, OP_REDUCE, TY_F64, false, (int64_t)(intptr_t)&beyond,
                                        (const Expr *const *)right->arg, 3);
        why.n = 0;
        expect(!graph_verify(g, &why) && strstr(why.s, "a reduction of wrong types"), "a wrong reduction", why.s);
    }
    p->value = right;
    expect(graph_verify(g, &why), "the right one", why.s);
    g->monoids.at[1]->name = g->monoids.at[0]->name;
    why.n = 0;
    expect(!graph_verify(g, &why) && strstr(why.s, "two monoids of one name"), "two of one name", why.s);
}

int main(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return 1;
    test_rows(ctx);
    test_declared(ctx);
    test_refused(ctx);
    test_verified(ctx);
    test_folds(ctx, 0, 3);
    test_folds(ctx, 2, 0);
    test_folds(ctx, 1, 1);
    test_folds(ctx, 3, 7);
    test_folds(ctx, 5, 501);
    test_wrong_reductions(ctx);
    ctx_free(ctx);
    return test_end();
}
