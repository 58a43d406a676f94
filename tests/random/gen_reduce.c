/* Reductions: over one or several axes, guarded, bounded by data, running. */
#include "gen.h"

#include <string.h>

/* The variables' part of a reduction, once the body is known: their ranges where they must be written. */
static void put_vars(Gen *g, Text *out, int n) {
    for (int k = 0; k < n; k++) {
        const GenVar *v = &g->scope.at[g->scope.n - n + k];
        text_fmt(out, "%s%s", k ? ", " : "", v->name);
        if (!v->plain || v->mixed) text_fmt(out, " in 0..%s", g->exts.at[v->ext].text);
    }
}

static const char *pick_monoid(Gen *g, Class c, double *grow) {
    static const char *const reals[] = {"sum", "max", "min", "mean", "sum", "sum", "max", "prod"}, *const ints[] = {
                                                                                                       "sum", "max",
                                                                                                       "min", "sum"};
    *grow = 1;
    if (c == C_BOOL) {
        feature(g, FEAT_ANY_ALL);
        return pick(g, 2) ? "any" : "all";
    }
    bool real = c == C_FLOAT || c == C_DOUBLE;
    int k = pick(g, real ? 8 : 4);
    const char *s = real ? reals[k] : ints[k];
    feature(g, *s == 's' || *s == 'p' || s[1] == 'e' ? FEAT_SUM : FEAT_EXTREME);
    if (*s == 's') *grow = 64;
    return s;
}

/* The axes folded: mostly those of a tensor at hand, so that they are loaded plainly. */
static int pick_axes(Gen *g, int *ext) {
    int n = 1 + (chance(g, 25) ? 1 : 0);
    for (int k = 0; k < n; k++) {
        ext[k] = -1;
        if (g->tensors.n && !chance(g, 30)) {
            const GenTensor *t = &g->tensors.at[pick(g, g->tensors.n)];
            if (t->rank) ext[k] = t->ext[pick(g, t->rank)];
        }
        if (ext[k] < 0) ext[k] = ext_any(g);
    }
    if (n > 1) feature(g, FEAT_SEVERAL_AXES);
    return n;
}

/* A product of two loads, as contractions have. */
static Val contraction(Gen *g, Class c) {
    Val a = load_any(g, c), b = load_any(g, c);
    feature(g, FEAT_CONTRACT);
    return (Val){sym_fmt(g->ctx, "%s * %s", operand(g, a), operand(g, b)), false, a.mag * b.mag};
}

static Val shrunk_factor(Gen *g, const char *monoid, Val v) {
    if (strcmp(monoid, "prod") != 0) return v;
    return (Val){sym_fmt(g->ctx, "1.0 + 0.05 * tanh(%s)", v.s), false, 1.1};
}

static Val plain_reduction(Gen *g, Class c, int depth) {
    int ext[2], n = pick_axes(g, ext);
    double grow;
    const char *m = pick_monoid(g, c, &grow);
    Text s = {.ctx = g->ctx};
    for (int k = 0; k < n; k++) scope_push(g, ext[k]);
    if (g->reducing++) feature(g, FEAT_NESTED);
    Sym guard = NULL;
    if (chance(g, 20)) {
        feature(g, FEAT_WHERE);
        guard = expr(g, C_BOOL, depth - 2).s;
        for (int k = 0; k < n; k++) g->scope.at[g->scope.n - 1 - k].plain = false;
    }
    g->unsure += guard != NULL;
    Val v = c != C_BOOL && grow > 1 && chance(g, 35) ? contraction(g, c) : expr(g, c, depth - 1);
    g->unsure -= guard != NULL;
    g->reducing--;
    v = tame(g, c, v);
    v = shrunk_factor(g, m, v);
    text_fmt(&s, "%s[", m);
    put_vars(g, &s, n);
    if (guard) text_fmt(&s, " where %s", guard);
    text_fmt(&s, "](%s)", v.s);
    scope_pop(g, n);
    return atom(sym(g->ctx, s.s), v.mag * grow);
}

/* Over what stands before (or after) a variable in scope. In the body that variable goes by the running one's name, so
 * that the body does not know where it ends; now and then it does. */
static Val scan(Gen *g, Class c, int depth) {
    static const char *const tests[] = {"<=", "<", ">=", ">"};
    double grow;
    int outer = pick(g, g->scope.n);
    const GenVar old = g->scope.at[outer];
    const char *m = pick_monoid(g, c, &grow), *test = tests[pick(g, 4)];
    Sym name = scope_push(g, old.ext)->name;
    bool free = chance(g, 15);
    feature(g, FEAT_SCAN);
    if (!free) g->scope.at[outer].name = name;
    g->reducing++;
    g->unsure++;
    Val v = shrunk_factor(g, m, tame(g, c, expr(g, c, depth - 1)));
    g->unsure--;
    g->reducing--;
    g->scope.at[outer] = old;
    scope_pop(g, 1);
    return atom(sym_fmt(g->ctx, "%s[%s in 0..%s where %s %s %s](%s)", m, name, g->exts.at[old.ext].text, name, test,
                        old.name, v.s),
                v.mag * grow);
}

/* 0 .. n[i] or n[i] .. N with n an input that is assumed to be at most N. */
static Val data_bounds(Gen *g, Class c, int depth) {
    double grow;
    int ext = ext_any(g), over = g->scope.n ? g->scope.at[pick(g, g->scope.n)].ext : 0;
    const char *m = pick_monoid(g, c, &grow);
    GenTensor *t = new_tensor(g, TENSOR_INPUT, pick(g, 2) ? TY_I64 : TY_I32, g->scope.n > 0, &over);
    Sym name = t->name, size = g->exts.at[ext].text;
    bool rank1 = t->rank > 0;
    declare(g, t);
    const char *sub = rank1 ? "a" : "", *at = "";
    text_fmt(&g->facts, "    assume 0 <= %s[%s] && %s[%s] <= %s;\n", name, sub, name, sub, size);
    for (int v = 0; rank1 && v < g->scope.n; v++)
        if (g->scope.at[v].ext == over) at = g->scope.at[v].name;
    Sym k = scope_push(g, ext)->name;
    bool before = pick(g, 2) == 0;
    feature(g, FEAT_DATA_BOUND);
    g->reducing++;
    g->unsure++;
    Val v = tame(g, c, expr(g, c, depth - 1));
    g->unsure--;
    g->reducing--;
    scope_pop(g, 1);
    v = shrunk_factor(g, m, v);
    Sym range = before ? sym_fmt(g->ctx, "0..%s[%s]", name, at) : sym_fmt(g->ctx, "%s[%s]..%s", name, at, size);
    return atom(sym_fmt(g->ctx, "%s[%s in %s](%s)", m, k, range, v.s), v.mag * grow);
}

/* Over what keys say belongs to a variable in scope; they may lie outside of its range. `m` NULL: any monoid. */
static Val keyed(Gen *g, Class c, const char *m, int depth) {
    static const Type types[] = {TY_I64, TY_I32, TY_I16};
    double grow = 1;
    const GenVar owner = g->scope.at[pick(g, g->scope.n)];
    int over = ext_any(g);
    Class of = m ? C_FLOAT : c;
    if (!m) m = pick_monoid(g, c, &grow);
    GenTensor *t = new_tensor(g, TENSOR_INPUT, types[pick(g, 3)], 1, &over);
    Sym name = t->name, bound = g->exts.at[owner.ext].text;
    declare(g, t);
    text_fmt(&g->facts, "    assume -2 <= %s[a] && %s[a] <= %s;\n", name, name, bound);
    Sym k = scope_push(g, over)->name;
    feature(g, FEAT_KEYS);
    g->reducing++;
    g->unsure++;
    Sym guard = chance(g, 25) ? expr(g, C_BOOL, 2).s : NULL;
    Val v = shrunk_factor(g, m, tame(g, of, chance(g, 20) ? load_any(g, of) : expr(g, of, depth - 1)));
    g->unsure--;
    g->reducing--;
    scope_pop(g, 1);
    return atom(sym_fmt(g->ctx, "%s[%s in 0..%s where %s[%s] == %s%s%s](%s)", m, k, g->exts.at[over].text, name, k,
                        owner.name, guard ? " && " : "", guard ? guard : "", v.s),
                v.mag * grow);
}

static Val arg_reduction(Gen *g, int depth) {
    Class of = pick(g, 3) ? C_FLOAT : C_INT;
    int ext[2];
    pick_axes(g, ext);
    scope_push(g, ext[0]);
    Text s = {.ctx = g->ctx};
    feature(g, FEAT_ARG);
    g->reducing++;
    Val v = pick(g, 2) ? expr(g, of, depth - 1) : load_any(g, of);
    g->reducing--;
    text_put(&s, pick(g, 2) ? "argmin[" : "argmax[");
    put_vars(g, &s, 1);
    text_fmt(&s, "](%s)", v.s);
    scope_pop(g, 1);
    return atom(sym(g->ctx, s.s), 64);
}

Val reduction(Gen *g, Class c, int depth) {
    if (g->reducing > 2 || g->scope.n > 7) return load_any(g, c);
    int kind = pick(g, 10);
    if (c == C_LONG && kind >= 8 && g->scope.n) return keyed(g, c, pick(g, 2) ? "argmin" : "argmax", depth);
    if (c == C_LONG && kind >= 6) return arg_reduction(g, depth);
    if (kind >= 8 && g->scope.n) return scan(g, c, depth);
    if (kind == 7) return data_bounds(g, c, depth);
    if (kind == 6 && g->scope.n) return keyed(g, c, NULL, depth);
    return plain_reduction(g, c, depth);
}
