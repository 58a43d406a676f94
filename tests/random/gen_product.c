/* Matrix products as a library has them, and some that are nearly so: of all types, transposed, over batches, scaled,
 * with a bias, a matrix and a function around them, in place. */
#include "gen.h"

enum { BATCH, ROW, COL, FOLD, VARS };

typedef struct Equation {
    Gen *g;
    int ext[VARS];
    bool batch;
    Type factor, result;
} Equation;

static const char *const names[VARS] = {"b", "i", "j", "k"};

/* A tensor with these axes in some order, and its load. */
static Sym access(const Equation *x, TensorKind kind, Type t, int n, const int *axes, Sym *name) {
    Gen *g = x->g;
    int order[MAX_GEN_RANK], ext[MAX_GEN_RANK];
    Text s = {.ctx = g->ctx};
    for (int d = 0; d < n; d++) order[d] = axes[d];
    if (n > 1 && pick(g, 2)) { /* two of them change places */
        int a = pick(g, n), b = n - 1 - pick(g, n - 1), was = order[a];
        order[a] = order[b], order[b] = was;
    }
    for (int d = 0; d < n; d++) ext[d] = x->ext[order[d]];
    GenTensor tensor;
    if (kind == TENSOR_OUTPUT) {
        tensor = *new_output(g, t, n, ext);
    } else {
        tensor = *new_tensor(g, kind, t, n, ext);
        declare(g, &tensor);
    }
    if (name) *name = tensor.name;
    text_fmt(&s, "%s[", tensor.name);
    for (int d = 0; d < n; d++) text_fmt(&s, "%s%s", d ? ", " : "", names[order[d]]);
    text_put(&s, "]");
    return sym(g->ctx, s.s);
}

/* Axes for a tensor of a row or column (or both) with the batch before them or without it. */
static int axes_of(const Equation *x, int a, int b, bool batch, int *out) {
    int n = 0;
    if (x->batch && batch) out[n++] = BATCH;
    if (a) out[n++] = a;
    if (b) out[n++] = b;
    return n;
}

static Sym around(const Equation *x, Sym v) {
    static const char *const functions[] = {"%s", "max(%s, 0.0)", "%s", "0.5 * (%s)", "tanh(%s)", "(%s) * sigmoid(%s)"};
    Gen *g = x->g;
    if (!type_is_float(x->result)) return v;
    int k = pick(g, 6);
    return k == 5 ? sym_fmt(g->ctx, "(%s) * sigmoid(%s)", v, v) : sym_fmt(g->ctx, functions[k], v);
}

void output_product(Gen *g) {
    static const Type types[][2] = {{TY_F32, TY_F32},     {TY_BF16, TY_BF16}, {TY_F16, TY_F32},
                                    {TY_F64, TY_F64},     {TY_I8, TY_I32},    {TY_F16, TY_F16},
                                    {TY_F8E4M3, TY_BF16}, {TY_BF16, TY_F32},  {TY_F8E5M2, TY_F32}};
    static const char *const scales[] = {"", "0.5 * ", "-", "2 * "};
    int kind = pick(g, 9), axes[3], n;
    Equation e = {.g = g, .factor = types[kind][0], .result = types[kind][1], .batch = chance(g, 30)};
    for (int k = 0; k < VARS; k++) e.ext[k] = ext_dim(g);
    n = axes_of(&e, ROW, FOLD, true, axes);
    Sym a = access(&e, TENSOR_INPUT, e.factor, n, axes, NULL);
    n = axes_of(&e, FOLD, COL, !chance(g, 30), axes);
    Sym b = access(&e, TENSOR_INPUT, e.factor, n, axes, NULL);
    bool real = type_is_float(e.factor), guarded = chance(g, 8);
    Sym v =
        sym_fmt(g->ctx, "%ssum[k%s](%s * %s)", real ? scales[pick(g, 4)] : "", guarded ? " where k != 1" : "", a, b);
    for (int k = 0; k < 2 && chance(g, 35); k++) {
        n = axes_of(&e, pick(g, 2) ? ROW : 0, COL, pick(g, 2), axes);
        Type t = real && chance(g, 15) ? TY_F32 : e.result;
        v = sym_fmt(g->ctx, "%s %s %s", v, real && chance(g, 25) ? "- 2 *" : "+",
                    access(&e, TENSOR_INPUT, t, n, axes, NULL));
    }
    n = axes_of(&e, ROW, COL, true, axes);
    feature(g, FEAT_PRODUCT);
    if (chance(g, 15)) {
        Sym y = access(&e, TENSOR_INOUT, e.result, n, axes, NULL);
        text_fmt(&g->body, "    %s += %s;\n", y, v);
        return;
    }
    Sym value = around(&e, v);
    text_fmt(&g->body, "    %s = %s;\n", access(&e, TENSOR_OUTPUT, e.result, n, axes, NULL), value);
}
