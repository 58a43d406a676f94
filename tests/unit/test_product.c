/* Matrix products for a library: which equations are one, as what (sizes, strides, factors, epilogue), and why others
 * are not. Each case is the declarations and one equation of a Graph; what is expected is the product in one line, or
 * the words of the refusal. */
#include "ir/diag.h"
#include "sched/library/product.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define DIMS "dim M dim N dim K dim B dim H\n"
#define HALF DIMS "in x: f16[M, K] in w: f16[K, N] in b: f16[N] in r: f16[M, N] out y: f16[M, N]\n"
#define S "sum[k in 0..K](f32(x[i, k]) * f32(w[k, j]))"
#define V "(" S " + f32(b[j]))"

static const struct {
    const char *text, *expected;
} cases[] = {
    /* epilogues, however they are written */
    {HALF "y[i, j] = " S, "M N K | x K 1 | w N 1 | alpha 1.0"},
    {HALF "y[i, j] = f32(b[j]) + " S, "M N K | x K 1 | w N 1 | alpha 1.0 | bias b"},
    {HALF "y[i, j] = max(" V ", 0.0)", "M N K | x K 1 | w N 1 | alpha 1.0 | bias b | act 1"},
    {HALF "y[i, j] = max(0.0, " V ")", "M N K | x K 1 | w N 1 | alpha 1.0 | bias b | act 1"},
    {HALF "y[i, j] = 0.5 * " V " * (1.0 + tanh(0.79788456 * (" V " + 0.044715 * pow(" V ", 3.0))))",
     "M N K | x K 1 | w N 1 | alpha 1.0 | bias b | act 2"},
    {HALF "y[i, j] = " V " * sigmoid(1.5957691216 * (" V " + 0.044715 * " V " * " V " * " V "))",
     "M N K | x K 1 | w N 1 | alpha 1.0 | bias b | act 2"},
    {HALF "y[i, j] = " S " / 2.0 * (tanh(0.7978845608 * (" S " * (1.0 + 0.044715 * " S " * " S "))) + 1.0)",
     "M N K | x K 1 | w N 1 | alpha 1.0 | act 2"},
    /* near misses */
    {HALF "y[i, j] = 0.5 * " S " * (1.0 + tanh(0.7978 * (" S " + 0.044715 * pow(" S ", 3.0))))", "epilogue"},
    {HALF "y[i, j] = 0.5 * " S " * (1.0 + erf(0.70710678 * " S "))", "epilogue"},
    {HALF "y[i, j] = if " S " > 0.0 then " S " else 0.0", "epilogue"},
    {HALF "y[i, j] = max(" S ", 0.1)", "epilogue"},
    {HALF "y[i, j] = " S " + 1.0", "epilogue"},
    {HALF "y[i, j] = " S " + 0.0 * f32(r[i, j])", "epilogue"}, /* NaN where r has one */
    {HALF "y[i, j] = " S " + f32(r[i, j]) - f32(r[i, j])", "epilogue"},
    {HALF "y[i, j] = " S " * f32(b[j])", "epilogue"},
    {HALF "y[i, j] = " S " + f32(r[i, j]) + f32(b[j]) + f32(r[i, 0])", "epilogue"},
    {HALF "y[i, j] = max(" S ", 0.0) + f32(r[i, j])", "epilogue"},
    {HALF "y[i, j] = " S " + max[k in 0..K](f32(x[i, k]))", "several reductions"},
    /* factors */
    {HALF "y[i, j] = 0.25 * " S " - 2.0 * f32(r[i, j])", "M N K | x K 1 | w N 1 | alpha 0.25 | beta -2.0 c r N 1"},
    {HALF "y[i, j] = 3.0 * (" S " + f32(r[i, j])) + f32(b[j])",
     "M N K | x K 1 | w N 1 | alpha 3.0 | beta 3.0 c r N 1 | bias b"},
    {HALF "y[i, j] = " S " / sqrt(f32(K))", "M N K | x K 1 | w N 1 | alpha 1.0 / sqrt(f32(K))"},
    {HALF "scalar s: f32\ny[i, j] = s * " S " + s * f32(r[i, j])", "M N K | x K 1 | w N 1 | alpha s | beta s c r N 1"},
    {HALF "y[i, j] = " S " + 2.0 * f32(b[j])", "M N K | x K 1 | w N 1 | alpha 1.0 | beta 2.0 c b 0 1"},
    /* how the tensors lie */
    {DIMS "in x: f32[K, M] in w: f32[N, K] out y: f32[M, N]\ny[i, j] = sum[k in 0..K](x[k, i] * w[j, k])",
     "M N K | x 1 M | w 1 K | alpha 1.0"},
    {DIMS "in x: f32[M, K] in w: f32[K, N] out y: f32[N, M]\ny[j, i] = sum[k in 0..K](x[i, k] * w[k, j])",
     "N M K | w 1 N | x 1 K | alpha 1.0"},
    {DIMS "in x: f32[B, M, K] in w: f32[K, N] out y: f32[B, M, N]\ny[b, i, j] = sum[k in 0..K](x[b, i, k] * w[k, j])",
     "B * M N K | x K 1 | w N 1 | alpha 1.0"},
    {DIMS "in x: f32[B, M, K] in w: f32[B, K, N] out y: f32[B, M, N]\n"
          "y[b, i, j] = sum[k in 0..K](x[b, i, k] * w[b, k, j])",
     "M N K | x K 1 | w N 1 | alpha 1.0 | batch B: M * K, K * N, M * N"},
    {DIMS "in x: f32[B, M, H, K] in w: f32[B, N, H, K] out y: f32[B, H, M, N]\n"
          "y[b, h, i, j] = sum[k in 0..K](x[b, i, h, k] * w[b, j, h, k])",
     "M N K | x H * K 1 | w 1 H * K | alpha 1.0 | batch B: M * H * K, H * K * N, M * H * N | batch H: K, K, M * N"},
    {DIMS "in x: f32[M, 3, K] in w: f32[3, K, N] out y: f32[M, N]\n"
          "y[i, j] = sum[a in 0..3, k in 0..K](x[i, a, k] * w[a, k, j])",
     "M N 3 * K | x 3 * K 1 | w N 1 | alpha 1.0"},
    {DIMS "in x: f32[2 * M, K + 3] in w: f32[K, 3 * N] out y: f32[M, N]\n"
          "y[i, j] = sum[k in 0..K](x[i + M, k + 2] * w[k, j + N])",
     "M N K | x K + 3 1 | w 3 * N 1 | alpha 1.0"},
    {DIMS "in x: f32[M, K] in w: f32[K, N] out y: f32[2 * M, N]\n"
          "for i in M..2 * M, j in 0..N: y[i, j] = sum[k in 0..K](x[i - M, k] * w[k, j])",
     "M N K | x K 1 | w N 1 | alpha 1.0"},
    {DIMS "in x: f32[M + 8] in w: f32[9, N] out y: f32[M, N]\ny[i, j] = sum[k in 0..9](x[i + k] * w[k, j])",
     "does not lie by rows or by columns"}, /* windows overlap */
    {DIMS "in x: f32[M, K, 2] in w: f32[K, N] out y: f32[M, N]\ny[i, j] = sum[k in 0..K](x[i, k, 1] * w[k, j])",
     "does not lie by rows or by columns"},
    {DIMS "in x: f32[M, K] in w: f32[K, N] out y: f32[M, N, 2]\n"
          "for i in 0..M, j in 0..N: y[i, j, 0] = sum[k in 0..K](x[i, k] * w[k, j])",
     "elements lie together"},
    {DIMS "in x: f32[M, K] in w: f32[K, N] out y: f32[B, M, N]\ny[b, i, j] = sum[k in 0..K](x[i, k] * w[k, j])",
     "repeats"},
    /* types */
    {DIMS "in x: i8[M, K] in w: i8[K, N] out y: i32[M, N]\ny[i, j] = sum[k in 0..K](i32(x[i, k]) * i32(w[k, j]))",
     "M N K | x K 1 | w N 1 | alpha i32(1)"},
    {DIMS "in x: i16[M, K] in w: i16[K, N] out y: i32[M, N]\ny[i, j] = sum[k in 0..K](i32(x[i, k]) * i32(w[k, j]))",
     "does not multiply these types"},
    {DIMS "in x: f16[M, K] in w: bf16[K, N] out y: f32[M, N]\ny[i, j] = sum[k in 0..K](f32(x[i, k]) * f32(w[k, j]))",
     "a factor is computed"},
    {DIMS "in x: f32[M, K] in w: f32[K, N] out y: bf16[M, N]\ny[i, j] = sum[k in 0..K](x[i, k] * w[k, j])",
     "does not store this type"},
    {DIMS "in x: f32[M, K] in w: f32[K, N] in b: f32[N] out y: f32[M, N]\n"
          "y[i, j] = sum[k in 0..K](x[i, k] * w[k, j]) * sigmoid(2.0 * sum[k in 0..K](x[i, k] * w[k, j])) + b[j]",
     "epilogue"},
    {DIMS "in x: bf16[M, K] in w: bf16[K, N] in b: f32[N] out y: bf16[M, N]\n"
          "y[i, j] = sum[k in 0..K](f32(x[i, k]) * f32(w[k, j])) + b[j]",
     "another type than the result"},
    /* sums that are none */
    {HALF "y[i, j] = sum[k in 0..K where k <= i](f32(x[i, k]) * f32(w[k, j]))", "has a condition"},
    {DIMS "in x: f32[M, 4] in w: f32[4, N] out y: f32[M, N]\ny[i, j] = sum[k in 0..4](x[i, k] * w[k, j])", "short"},
    {DIMS "in x: f32[M, K] in w: f32[N] out y: f32[M, N]\ny[i, j] = sum[k in 0..K](x[i, k] * w[j])",
     "in one factor alone"},
};

static void put(Text *out, const Expr *e) { expr_print(out, e, NULL); }

static void put_matrix(Text *out, const char *before, const Matrix *m) {
    text_fmt(out, "%s%s ", before, m->tensor->name);
    put(out, m->row);
    text_char(out, ' ');
    put(out, m->col);
}

static void describe(Text *out, const Product *p) {
    put(out, p->m);
    text_char(out, ' ');
    put(out, p->n);
    text_char(out, ' ');
    put(out, p->k);
    put_matrix(out, " | ", &p->a);
    put_matrix(out, " | ", &p->b);
    text_put(out, " | alpha ");
    put(out, p->alpha);
    if (p->c.tensor) {
        text_put(out, " | beta ");
        put(out, p->beta);
        put_matrix(out, " c ", &p->c);
    }
    if (p->bias.tensor) text_fmt(out, " | bias %s", p->bias.tensor->name);
    if (p->act) text_fmt(out, " | act %d", p->act);
    for (int b = 0; b < p->nbatch; b++) {
        text_put(out, " | batch ");
        put(out, p->batch[b]);
        text_put(out, ": ");
        put(out, p->a.batch[b]);
        text_put(out, ", ");
        put(out, p->b.batch[b]);
        text_put(out, ", ");
        put(out, p->d.batch[b]);
    }
}

static void one(const char *equation, const char *expected) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) {
        expect(false, "memory", NULL);
        return;
    }
    Text text = {.ctx = ctx}, why = {.ctx = ctx}, got = {.ctx = ctx};
    text_fmt(&text, "graph f\n%s\n", equation);
    text_put(&got, "");
    Graph *g = graph_read(ctx, text.s, text.n, diag_add_file(ctx, "graph", text.s, text.n));
    if (!g) {
        diag_render(ctx, &got, false);
    } else {
        const Tensor *y = g->tensors.at[g->tensors.n - 1];
        const Piece *p = &y->pieces.at[0];
        const Equation root = {.tensor = (Tensor *)y,
                               .nvars = p->nvars,
                               .vars = p->vars,
                               .subs = p->subs,
                               .guard = p->guard,
                               .value = p->value};
        Product product;
        if (product_match(g, &root, &product, &why))
            describe(&got, &product);
        else
            text_put(&got, why.n ? why.s : "nothing");
    }
    bool refusal = !strchr(expected, '|');
    expect(refusal ? strstr(got.s, expected) != NULL : !strcmp(got.s, expected), equation, got.s);
    ctx_free(ctx);
}

int main(void) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) one(cases[i].text, cases[i].expected);
    return test_end();
}
