/* Graph text: what is printed reads back and prints the same; expressions read back to the same nodes; the language's
 * typing; malformed text is reported and never crashes. */
#include "ir/expr_text.h"
#include "ir/diag.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const graphs[] = {
    "graph softmax\n"
    "  dim M\n"
    "  dim N in 1..=65536 hint 4096 divisible 8\n"
    "  dim K in 3..\n"
    "  scalar eps: f32 = 1e-05\n"
    "  in x: bf16[M, N]\n"
    "  let m: f32[M]\n"
    "  let e: f32[M, N]\n"
    "  let s: bf16[M] rounds\n"
    "  out y: bf16[M, N]\n"
    "m[i] = max[n in 0..N](f32(x[i, n]))\n"
    "e[i, n] = exp(f32(x[i, n]) - m[i]) + eps\n"
    "s[i] = sum[n in 0..N where n <= i && n % 2 == 0](e[i, n])\n"
    "y[i, n] = e[i, n] / f32(s[i])\n"
    "assume for i in 0..M: 0.0 <= m[i]\n"
    "require N % 8 == 0 && M > 3, \"N is \\\"wide\\\"\"\n",

    "graph pieces\n"
    "  dim N\n"
    "  in ids: i32[N]\n"
    "  in z: f64[]\n"
    "  inout p: f32[2 * N + 1, 3]\n"
    "  out t: bool[N]\n"
    "for i in 0..N: p[2 * i, 0] = 0.5\n"
    "for i in 0..N, j in i..i + 2: p[2 * i + 1, j - i] = p[i, 2] * 2.0 where ids[i] != 0\n"
    "t[i] = any[k in i64(ids[i])..N](ids[k] == 0) || 1.0 < z[]\n",

    "graph order\n"
    "  dim N\n"
    "  in x: f32[N]\n"
    "  out b: f32[N]\n"
    "  let t: f32[N]\n"
    "  out a: f32[N]\n"
    "  params x, a, b\n"
    "b[n] = x[n] * 2.0\n"
    "t[n] = b[n] + 1.0\n"
    "a[n] = t[n]\n",

    "graph names\n"
    "  dim i\n"
    "  in x: f32[i]\n"
    "  out y: f32[i]\n"
    "y[i_2] = sum[k in 0..i](x[k]) + sum[k in 0..i](x[k] * sum[k_2 in k..i](x[k_2])) + x[i_2]\n",
};

static void test_round_trip(Ctx *ctx) {
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        Graph *g = graph_read(ctx, graphs[i], strlen(graphs[i]), -1);
        Text a = {.ctx = ctx};
        if (!g) {
            diag_render(ctx, &a, false);
            expect(false, "read", a.s);
            continue;
        }
        graph_print(&a, g);
        expect(!strcmp(a.s, graphs[i]), "round trip", a.s);
        Text why = {.ctx = ctx};
        expect(graph_verify(g, &why), "verify", why.s ? why.s : "");
    }
}

/* Text that stays as it is; where two are given, the second is what the first prints as. */
static const char *const exprs[][2] = {
    {"a - (b - 1.0)", NULL},
    {"(a - b) - 1.0", "a - b - 1.0"},
    {"a * (b + 2)", "a * (b + 2.0)"},
    {"-a * b", NULL},
    {"-(a * b)", NULL},
    {"-1 * i", NULL},
    {"- - a", "--a"},
    {"-i64(1) + i", NULL},
    {"a ** 2", "pow(a, 2.0)"},
    {"-a ** 2", "-pow(a, 2.0)"},
    {"-2.0 ** a", "-pow(2.0, a)"},
    {"f32(1.0) + 2.0", NULL},
    {"1.0 + 2.0", "f32(1.0) + 2.0"},
    {"f64(0.1) * 3.0", NULL},
    {"h * 2", "f32(h) * 2.0"},
    {"if a < b then h else bf16(1.0)", NULL},
    {"if a < b then a else if i == j then b else 0.0", NULL},
    {"(if a < b then a else b) * 2.0", NULL},
    {"if i < 4 then 1 else i", NULL},
    {"a < b && !(i == j || q) && true", NULL},
    {"a < b || b < a && q", NULL},
    {"(a < b || b < a) && q", NULL},
    {"i & j << 2 | i ^ 3", NULL},
    {"(i | j) & 3", NULL},
    {"(i + j) % 4 / 3", NULL},
    {"i / (j * 2) * 3", NULL},
    {"max(a, -inf)", NULL},
    {"min(nan, a)", NULL},
    {"a + 0.1", NULL},
    {"d + 0.1", NULL},
    {"a * i", "a * f32(i)"},
    {"d * (i + 0.5)", "d * (f64(i) + 0.5)"},
    {"a / sqrt(j)", "a / sqrt(f32(j))"},
    {"c8 + 1", "i32(c8) + 1"},
    {"q + 1", "i32(q) + 1"},
    {"c32 + i", "i64(c32) + i"},
    {"sum[k in 0..4](a * f32(k))", NULL},
    {"sum[k in 0..i, l in k..4 where k < l](a) * 2.0", NULL},
    {"argmax[k in 0..4](a) + 1", NULL},
    {"all[k in 0..4](k < i)", NULL},
    {"i32(2.5)", "i32(f32(2.5))"},
    {"f32(i64(3))", NULL},
    {"bf16(a) == bf16(b)", "f32(bf16(a)) == f32(bf16(b))"},
    {"0xff + i", "255 + i"},
    {"3", NULL},
    {"0.25", NULL},
    {"-0.0", NULL},
    {"1e+30", NULL},
    {"f64(0.25)", NULL},
    {"isnan(a) || isinf(d)", NULL},
    {"fma(a, 2.0, f32(3.0))", "fma(a, 2.0, 3.0)"},
    {"-9223372036854775808 + i", NULL},
    {"f8e4m3(448.0)", NULL},
};

static const char *const refused[] = {
    "a + q",
    "a + c8",
    "!a",
    "a && q",
    "1 / 2 * a",
    "i / 2 * a",
    "i / j + 0.5",
    "a & 1",
    "i < j < 3",
    "u + c32",
    "sqrt(c32)",
    "x(1)",
    "nix",
    "a +",
    "(a",
    "sum[k in 0..4 where a](a)",
    "max(a)",
    "c32 + 4294967296",
    "if a then b else b",
    "a[1]",
    "1.5e",
    "9999999999999999999999",
    "\"",
    "\x80",
    "a @ b",
    "i.x",
    "f32()",
    "isnan(c8)",
};

static ExprReader reader(Ctx *ctx, Lex *x, const char *text) {
    Graph *g = graph_new(ctx, sym(ctx, "e"));
    static const struct {
        const char *name;
        Type type;
    } scalars[] = {{"a", TY_F32}, {"b", TY_F32},   {"d", TY_F64}, {"h", TY_BF16},
                   {"c8", TY_I8}, {"c32", TY_I32}, {"u", TY_U32}, {"q", TY_BOOL}};
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        graph_scalar(g, sym(ctx, scalars[i].name), scalars[i].type);
    graph_dim(g, sym(ctx, "i"));
    graph_dim(g, sym(ctx, "j"));
    lex_init(x, ctx, text, strlen(text), -1);
    return (ExprReader){.g = g, .lex = x};
}

static const Expr *read_again(ExprReader *r, const char *text) {
    lex_init(r->lex, r->g->ctx, text, strlen(text), -1);
    const Expr *e = expr_read(r);
    return e && r->lex->tok.kind == LEX_END ? e : NULL;
}

static void test_exprs(Ctx *ctx) {
    for (size_t i = 0; i < sizeof exprs / sizeof *exprs; i++) {
        Lex x;
        ExprReader r = reader(ctx, &x, "");
        const Expr *e = read_again(&r, exprs[i][0]);
        if (!e) {
            expect(false, exprs[i][0], x.why ? x.why : "not read to its end");
            continue;
        }
        Text t = {.ctx = ctx};
        expr_print(&t, e, NULL);
        expect(!strcmp(t.s, exprs[i][exprs[i][1] != NULL]), exprs[i][0], t.s);
        const Expr *again = read_again(&r, t.s);
        Text u = {.ctx = ctx};
        if (again) expr_print(&u, again, NULL);
        bool binds = strchr(t.s, '[') != NULL; /* each reading makes variables of its own */
        expect(again && !strcmp(t.s, u.s) && (binds || again == e), "reads back", t.s);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        Lex x;
        ExprReader r = reader(ctx, &x, "");
        expect(!read_again(&r, refused[i]), "refused", refused[i]);
    }
}

static const struct {
    const char *text, *why;
} wrong[] = {
    {"in x: f32[4] out y: f32[4] y[i] = x[j]", NULL}, /* refused by the reader */
    {"in x: f32[4] out y: f32[4] let t: f32[4] let s: f32[4] t[i] = s[i] s[i] = x[i] y[i] = t[i]", "stands later"},
    {"out y: f32[4] out z: f32[4] y[i] = z[i] z[i] = y[i]", "needs itself"},
    {"out y: f32[4]", "no definition"},
    {"in y: f32[4] y[i] = 1.0", "an input with a definition"},
    {"dim N out y: f32[N] for i in 0..N - 1: y[i] = 1.0", "does not cover"},
    {"dim N out y: f32[N] y[i] = 1.0 where i > 2", "a guard on the only definition"},
    {"in x: i32[4] out y: f32[4] y[i] = x[i]", "a value of another type"},
    {"in x: f32[4] out y: f32[4] for i in 0..4: y[x[i]] = 1.0", "subscripts are not integers"},
    {"in x: f32[4] out y: f32[4] y[i] = x[x[i]]", "a subscript that is not an integer"},
    {"in x: f32[4] out y: f32[4] y[i] = 1.0 where x[i]", "a guard that is not bool"},
    {"in x: f32[4] out y: f32[4] y[i] = x[i] assume for i in 0..4: x[i]", "a fact that is not bool"},
    {"in x: f32[4] out y: f32[4] y[i] = sum[k in 0..x[i]](x[i])", "a range that is not of integers"},
    {"in x: f32[4] in y: f32[x[0]]", "not of integers"},
    {"in x: f32[4] out y: f32[4] params y y[i] = x[i]", NULL},
    {"out y: f32[4] y[i] = 0.0 for i in 0..4: y[0] sum= 1.0", "whose order shows"},
    {"out y: i32[4] for i in 0..4: y[0] sum= 1", "nothing defines"},
    {"out y: i32[4] y[i] = 0 for i in 0..4: y[0] sum= i", "a value of another type"},
    {"inout y: i32[4] for i in 0..4: y[0] sum= 1 y[i] = 0", "behind an update"},
    {"out y: i8[4] y[i] = 0 for i in 0..4: y[0] max= i8(1)", "whose order shows"},
    {"out y: i32[4] y[i] = 0 for i in 0..4: y[0] prod= 1", NULL},
    {"in k: i32[4] let o: i32[4] let s: i32[8] out y: i32[4] sort o, s = k below 6 y[i] = o[i]",
     "one more than its bound"},
    {"in k: i32[4] let o: i32[5] let s: i32[7] out y: i32[4] sort o, s = k below 6 y[i] = o[i]", "as there are keys"},
    {"in k: i32[4] let o: i64[4] let s: i32[7] out y: i64[4] sort o, s = k below 6 y[i] = o[i]", "lets of i32"},
    {"in k: i32[4] out o: i32[4] let s: i32[7] sort o, s = k below 6", "lets of i32"},
    {"in k: f32[4] let o: i32[4] let s: i32[7] out y: i32[4] sort o, s = k below 6 y[i] = o[i]", "no integers"},
    {"in k: u4[4] let o: i32[4] let s: i32[7] out y: i32[4] sort o, s = k below 6 y[i] = o[i]", "no integers"},
    {"in k: i32[4] let o: i32[4] let s: i32[7] out y: i32[4] sort o, s = k below 6 o[i] = 1 y[i] = o[i]",
     "lets of i32"},
    {"let o: i32[4] let s: i32[7] let k: i32[4] out y: i32[4] k[i] = 1 sort o, s = k below 6 y[i] = o[i]",
     "stands later"},
    {"let o: i32[4] let s: i32[5] out y: i32[4] sort o, s = o below 4 y[i] = o[i]", "stands later"},
    {"in k: i32[4] let o: i32[4] out y: i32[4] sort o, o = k below 6 y[i] = o[i]", NULL},
    {"in k: i32[4] let o: i32[4] let s: i32[7] out y: i32[4] sort o, s = q below 6 y[i] = o[i]", NULL},
    {"in k: f8e5m2[3, 4] let o: i32[3, 2] out y: i32[3, 2] rank o = k descending y[i, r] = o[i, r]",
     "no rows of floats"},
    {"in k: f32[] let o: i32[] out y: i32[] rank o = k descending y[] = o[]", "no rows of floats"},
    {"in k: f32[3, 4] let o: i64[3, 2] out y: i64[3, 2] rank o = k ascending y[i, r] = o[i, r]", "a let of i32"},
    {"in k: f32[3, 4] let o: i32[4, 2] out y: i32[4, 2] rank o = k ascending y[i, r] = o[i, r]", "other rows"},
    {"in k: f32[4] let o: i32[4] out y: i32[4] rank o = k ascending rank o = k ascending y[i] = o[i]", NULL},
    {"in k: f32[4] let o: i32[4] out y: i32[4] rank o = k upward y[i] = o[i]", NULL},
    {"in x: f32[4] out y: f32[4] params y, y y[i] = x[i]", NULL},
    {"in x: f32[4] out y: f32[4] params y, x, z y[i] = x[i]", NULL},
};

static void test_verify(Ctx *ctx) {
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *text = sym_fmt(ctx, "graph wrong %s", wrong[i].text);
        Graph *g = graph_read(ctx, text, strlen(text), -1);
        expect((g != NULL) == (wrong[i].why != NULL), "read", text);
        if (!g) continue;
        Text why = {.ctx = ctx};
        bool ok = graph_verify(g, &why);
        expect(!ok && strstr(why.s, wrong[i].why), text, ok ? "accepted" : why.s);
    }
}

/* Graphs that only a pass could build. */
static void test_verify_built(Ctx *ctx) {
    Graph *g = graph_new(ctx, sym(ctx, "built"));
    const Expr *n = expr_int(g, TY_I64, 4), *zero = expr_int(g, TY_I64, 0), *one = expr_float(g, TY_F32, 1);
    Tensor *y = graph_tensor(g, sym(ctx, "y"), TENSOR_OUTPUT, TY_F32, 1, &n);
    Var *v = graph_var(g, sym(ctx, "i"), zero, n), *w = graph_var(g, sym(ctx, "k"), zero, n);
    const Expr *i = expr_var(g, v), *k = expr_var(g, w);
    Reduce r = {.monoid = monoid_row(MONOID_SUM), .nvars = 1, .vars = &w};
    const Expr *inside = expr_cast(g, TY_F32, k);
    const struct {
        const Expr *value;
        const char *why;
    } rows[] = {
        {expr2(g, OP_ADD, one, one), NULL},
        {expr_reduce(g, &r, NULL, inside), NULL},
        {expr2(g, OP_ADD, expr_reduce(g, &r, NULL, inside), inside), "nothing binds"},
        {expr2(g, OP_ADD, one, expr_float(g, TY_F64, 1)), "rule"},
        {expr2(g, OP_ADD, expr_float(g, TY_BF16, 1), expr_float(g, TY_BF16, 1)), "rule"},
        {expr_literal(g, true, 0, 1), "untyped"},
        {expr_cast(g, TY_F32, expr1(g, OP_NOT, i)), "rule"},
        {expr_node(g, OP_ADD, TY_F32, false, 0, &one, 1), "wrong number of operands"},
        {expr_node(g, OP_ARG, TY_F32, false, 0, NULL, 0), "leaf"},
        {expr_cast(g, TY_F32, expr_node(g, OP_CONST, TY_I32, false, INT64_MAX, NULL, 0)), "beyond its type"},
        {expr3(g, OP_IF, expr_int(g, TY_BOOL, 1), one, inside), "nothing binds"},
        {expr3(g, OP_IF, i, one, one), "rule"},
    };
    Piece p = {.nvars = 1, .vars = &v, .subs = &i, .span = SPAN_NONE};
    vec_push(ctx, &y->pieces, p);
    for (size_t x = 0; x < sizeof rows / sizeof *rows; x++) {
        y->pieces.at[0].value = rows[x].value;
        Text why = {.ctx = ctx};
        bool ok = graph_verify(g, &why);
        expect(ok == !rows[x].why && (ok || strstr(why.s, rows[x].why)), rows[x].why ? rows[x].why : "fine",
               ok ? "accepted" : why.s);
    }
    y->pieces.at[0].value = one;
    Tensor *twice[] = {y, y};
    for (int n_params = 0; n_params <= 2; n_params++) {
        Text why = {.ctx = ctx};
        g->params.n = 0;
        for (int x = 0; x < n_params; x++) vec_push(ctx, &g->params, twice[x]);
        const char *says = n_params ? "named twice" : "is no parameter";
        expect(graph_verify(g, &why) == (n_params == 1), "parameters", why.s ? why.s : "accepted");
        expect(n_params == 1 || strstr(why.s, says), says, why.s);
    }
}

/* Reads in a context of its own: equal reports are dropped. */
static bool reads_or_reports(const char *text, size_t n) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return false;
    Graph *g = graph_read(ctx, text, n, -1);
    bool ok = (g == NULL) == (diag_errors(ctx) > 0);
    ctx_free(ctx);
    return ok;
}

/* Graph text cut short and with bytes changed gives a diagnostic or a Graph, never a crash. */
static void test_mangled(void) {
    uint32_t rnd = 1;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        size_t n = strlen(graphs[i]);
        char *b = malloc(n + 1);
        for (int round = 0; round < 400; round++) {
            memcpy(b, graphs[i], n + 1);
            size_t len = n;
            for (int k = 0; k < 1 + round % 3; k++) {
                rnd = rnd * 1664525 + 1013904223;
                b[(rnd >> 8) % n] = (char)(rnd >> 3 & 0x7f);
            }
            if (round % 4 == 0) len = (rnd >> 9) % n;
            expect(reads_or_reports(b, len), "a failure is reported", b);
        }
        free(b);
    }
}

static void test_deep(Ctx *ctx) {
    Lex x;
    char *b = malloc(100001);
    static const char *const units[] = {"(", "-", "!", "if q then ", "f32(", "sum[k in ", "a ** ", "a + "};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i]), at = 0;
        while (at + n < 100000) {
            memcpy(b + at, units[i], n);
            at += n;
        }
        b[at] = 0;
        ExprReader r = reader(ctx, &x, "");
        expect(!read_again(&r, b), "deep text is refused", units[i]);
    }
    free(b);
}

static void test_replace(Ctx *ctx) {
    Lex x;
    ExprReader r = reader(ctx, &x, "");
    const Expr *e = read_again(&r, "sum[k in i..j](f32(k + i) * a) + f32(i)");
    const Expr *from = expr_dim(r.g, graph_dim(r.g, sym(ctx, "i"))), *to = expr_int(r.g, TY_I64, 7);
    const Expr *f = expr_replace(r.g, e, &from, &to, 1);
    Text t = {.ctx = ctx};
    expr_print(&t, f, NULL);
    expect(!strcmp(t.s, "sum[k in 7..j](f32(k + 7) * a) + f32(i64(7))"), "replace", t.s);
    expect(expr_replace(r.g, e, &to, &from, 1) == e, "nothing to replace", "");
    Text u = {.ctx = ctx};
    expr_print(&u, e, NULL);
    expect(!strcmp(u.s, "sum[k in i..j](f32(k + i) * a) + f32(i)"), "the original stays", u.s);
}

/* What depends on a variable through a mark is found there; equal operands give the node itself. */
static void test_marks(Ctx *ctx) {
    Lex x;
    ExprReader r = reader(ctx, &x, "");
    Graph *g = r.g;
    const Expr *zero = expr_int(g, TY_I64, 0), *ten = expr_int(g, TY_I64, 10);
    Var *v = graph_var(g, sym(ctx, "v"), zero, ten), *w = graph_var(g, sym(ctx, "w"), zero, ten);
    const Expr *from = expr_var(g, v), *to = expr_var(g, w), *other = expr_dim(g, graph_dim(g, sym(ctx, "i")));
    expect(from != to && from == expr_var(g, v), "one node a variable", "");
    const Expr *in = expr_cast(g, TY_F32, expr2(g, OP_ADD, from, other)), *args[] = {in, from};
    Tensor *let = graph_tensor(g, sym(ctx, "marked"), TENSOR_LET, TY_F32, 1, &ten);
    const Expr *mark = expr_mark(g, let, in, &from);
    const Expr *sum = expr2(g, OP_ADD, mark, mark), *want_in = expr_cast(g, TY_F32, expr2(g, OP_ADD, to, other));
    const Expr *want = expr_mark(g, let, want_in, &to);
    expect(expr_is_mark(mark) && !expr_is_mark(in) && mark->u.tensor == let, "a mark", "");
    expect(expr_replace(g, sum, &from, &to, 1) == expr2(g, OP_ADD, want, want), "a mark's variable", "");
    expect(expr_replace(g, want, &from, &to, 1) == want, "a mark without it", "");
    const Expr *inner = expr_replace(g, sum, &other, &ten, 1); /* no variable: looked for everywhere */
    const Expr *seen = expr_cast(g, TY_F32, expr2(g, OP_ADD, from, ten));
    expect(inner->arg[0]->arg[0] == seen && inner->arg[0]->arg[1] == from, "a node inside of a mark", "");
    expect(expr_with(g, mark, args) == mark, "its own operands", "");
    args[0] = seen;
    expect(expr_with(g, mark, args) == inner->arg[0], "other operands", "");
}

/* A node of depth n that as a tree has 2^n leaves. */
static void test_shared(Ctx *ctx) {
    Lex x;
    ExprReader r = reader(ctx, &x, "");
    const Expr *e = read_again(&r, "a + b"), *i = read_again(&r, "i + j");
    for (int n = 0; n < 70; n++) {
        e = expr_apply(r.g, OP_MUL, (const Expr *[]){e, e}, 2);
        i = expr_apply(r.g, OP_ADD, (const Expr *[]){i, i}, 2);
    }
    e = expr_apply(r.g, OP_MUL, (const Expr *[]){e, i}, 2);
    expect(e && e->type == TY_F32, "shared nodes are typed", "");
    const Expr *from = read_again(&r, "a"), *to = read_again(&r, "b");
    expect(expr_replace(r.g, e, &from, &to, 1) != e, "shared nodes are replaced", "");
    Text t = {.ctx = ctx};
    expr_print(&t, e, NULL);
    expect(t.n > 1000000 && t.n < 40000000, "the text of shared nodes ends", "");
}

int main(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return 1;
    diag_limit(ctx, 1000000);
    test_exprs(ctx);
    test_replace(ctx);
    test_marks(ctx);
    test_round_trip(ctx);
    test_verify(ctx);
    test_verify_built(ctx);
    test_mangled();
    test_deep(ctx);
    test_shared(ctx);
    ctx_free(ctx);
    return test_end();
}
