/* Functions and composite reductions that programs call: of elements, and of tensors with types, packs, constants and
 * functions as parameters. Each is written above the entry when it is first called. */
#include "gen.h"

#include <string.h>

Val call_scalar_fn(Gen *g, Val x) {
    static const char *const bodies[] = {"= a * 0.5 + 1.0;",
                                         "= max(a, 0.1 * a);",
                                         "= a * sigmoid(a);",
                                         "= if a > 0.0 then a else tanh(a);",
                                         "{ let b = a * 0.5; let c = tanh(b); return b * c + c; }",
                                         "{ let b: bf16 = a; return b + 0.25; }"};
    if (!g->nscalar_fns || (g->nscalar_fns < 3 && chance(g, 40)))
        text_fmt(&g->functions, "fn f%d(a) %s\n", g->nscalar_fns++, bodies[pick(g, 6)]);
    feature(g, FEAT_SCALAR_FN);
    return atom(sym_fmt(g->ctx, "f%d(%s)", pick(g, g->nscalar_fns), x.s), x.mag + 1);
}

static const char *const fn_texts[] = {
    "reduce lse[k](e) { let m = max[k](e); return m + log(sum[k](exp(e - m))); }\n",
    "reduce moments[k](e) { let m = mean[k](e); return (m, mean[k]((e - m) ** 2)); }\n",
    "fn soft<T>(x: T[Z..., S]) -> (y: acc(T)[Z..., S]) {\n    let m[z...] = max[s](x[z..., s]);\n"
    "    let e[z..., s] = exp(x[z..., s] - m[z...]);\n    y[z..., s] = e[z..., s] / sum[t](e[z..., t]);\n}\n",
    "fn turn(x: f32[Q, S]) -> (a: f32[S, Q], c: f32[Q]) {\n    a[s, q] = x[q, s] * 0.5;\n    c[q] = sum[s](x[q, "
    "s]);\n}\n",
    "fn pool<T, L: int = 2, act: fn = identity>(x: T[Z..., L*S]) -> (y: acc(T)[Z..., S]) {\n"
    "    y[z..., s] = act(max[r in 0..L](x[z..., L*s + r]));\n}\n",
    "fn scaled(x: f32[Z...], by: f32 = 0.5) -> (y: f32[Z...]) { y[z...] = x[z...] * by; }\n",
};
enum { FN_LSE, FN_MOMENTS, FN_SOFT, FN_TURN, FN_POOL, FN_SCALED };

static void need_fn(Gen *g, int f) {
    if (!g->has_fn[f]) text_put(&g->functions, fn_texts[f]);
    g->has_fn[f] = true;
}

/* name[k](e) of a variable of its own. */
static Sym composite(Gen *g, const char *name, int depth) {
    int ext = ext_any(g);
    Sym k = scope_push(g, ext)->name;
    g->reducing++;
    Val v = depth > 0 ? tame(g, C_FLOAT, expr(g, C_FLOAT, depth - 1)) : load_any(g, C_FLOAT);
    g->reducing--;
    const GenVar u = g->scope.at[g->scope.n - 1];
    scope_pop(g, 1);
    feature(g, FEAT_COMPOSITE);
    if (u.plain && !u.mixed) return sym_fmt(g->ctx, "%s[%s](%s)", name, k, v.s);
    return sym_fmt(g->ctx, "%s[%s in 0..%s](%s)", name, k, g->exts.at[ext].text, v.s);
}

Val call_composite(Gen *g, int depth) {
    if (g->reducing > 2 || g->scope.n > 7) return load_any(g, C_FLOAT);
    need_fn(g, FN_LSE);
    return atom(composite(g, "lse", depth), 10);
}

static void let_moments(Gen *g) {
    int ext[1] = {ext_any(g)};
    Sym i = scope_push(g, ext[0])->name;
    need_fn(g, FN_MOMENTS);
    Sym value = composite(g, "moments", 1);
    scope_pop(g, 1);
    Sym a = new_tensor(g, TENSOR_LET, TY_F32, 1, ext)->name, b = new_tensor(g, TENSOR_LET, TY_F32, 1, ext)->name;
    feature(g, FEAT_SEVERAL_RESULTS);
    text_fmt(&g->body, "    let (%s[%s in %s], %s[%s in %s]) = %s;\n", a, i, g->exts.at[ext[0]].text, b, i,
             g->exts.at[ext[0]].text, value);
}

/* A tensor of floats of at least the rank, at hand or new; f32 where `exact`. */
static const GenTensor *argument(Gen *g, int rank, bool whole, bool exact) {
    for (int i = g->tensors.n - 1; i >= 0; i--) {
        const GenTensor *t = &g->tensors.at[i];
        bool fits = type_class_of(t->type) == C_FLOAT && (whole ? t->rank == rank : t->rank >= rank);
        if (fits && t->kind != TENSOR_INOUT && (!exact || t->type == TY_F32) && !chance(g, 30)) return t;
    }
    static const Type types[] = {TY_F32, TY_BF16, TY_F16};
    int ext[MAX_GEN_RANK], n = rank + (whole ? 0 : pick(g, 2));
    for (int d = 0; d < n; d++) ext[d] = ext_any(g);
    GenTensor *t = new_tensor(g, TENSOR_INPUT, exact ? TY_F32 : types[pick(g, 3)], n, ext);
    declare(g, t);
    return t;
}

static GenTensor *result(Gen *g, int rank, const int *ext) {
    feature(g, FEAT_TENSOR_FN);
    return new_tensor(g, TENSOR_LET, TY_F32, rank, ext);
}

static void call_turn(Gen *g) {
    const GenTensor x = *argument(g, 2, true, true);
    int turned[2] = {x.ext[1], x.ext[0]};
    need_fn(g, FN_TURN);
    Sym a = result(g, 2, turned)->name, c = pick(g, 4) ? result(g, 1, x.ext)->name : "_";
    feature(g, FEAT_SEVERAL_RESULTS);
    text_fmt(&g->body, "    let (%s, %s) = turn(%s);\n", a, c, x.name);
}

static void call_pool(Gen *g) {
    GenTensor x = {0};
    for (int i = 0; i < g->tensors.n; i++) {
        const GenTensor *t = &g->tensors.at[i];
        if (type_class_of(t->type) == C_FLOAT && t->rank && g->exts.at[t->ext[t->rank - 1]].kind == EXT_TIMES) x = *t;
    }
    need_fn(g, FN_SCALED);
    if (!x.name) {
        x = *argument(g, 0, false, true);
        Sym name = result(g, x.rank, x.ext)->name;
        text_fmt(&g->body, "    let %s = scaled(%s%s);\n", name, x.name, pick(g, 2) ? ", by = 2.0" : "");
        return;
    }
    const Ext e = g->exts.at[x.ext[x.rank - 1]];
    for (int k = 0; k < g->exts.n; k++)
        if (g->exts.at[k].kind == EXT_DIM && g->exts.at[k].a == e.a) {
            x.ext[x.rank - 1] = k;
            need_fn(g, FN_POOL);
            feature(g, FEAT_GENERIC_FN);
            Sym name = result(g, x.rank, x.ext)->name;
            text_fmt(&g->body, "    let %s = pool(%s, L = %d);\n", name, x.name, e.b);
            return;
        }
}

static void call_soft(Gen *g) {
    const GenTensor x = *argument(g, 1, false, false);
    need_fn(g, FN_SOFT);
    bool nested = pick(g, 3) == 2;
    Sym name = result(g, x.rank, x.ext)->name;
    feature(g, FEAT_GENERIC_FN);
    if (nested) feature(g, FEAT_NESTED_CALL);
    text_fmt(&g->body, nested ? "    let %s = soft(soft(%s));\n" : "    let %s = soft(%s);\n", name, x.name);
}

bool statement_call(Gen *g) {
    int n = g->tensors.n;
    switch (pick(g, 4)) {
    case 0: call_soft(g); break;
    case 1: call_turn(g); break;
    case 2: call_pool(g); break;
    default: let_moments(g); break;
    }
    return g->tensors.n > n;
}
