/* Lengths of axes, variables, and subscripts that are in range by the rules of the language. */
#include "gen.h"

Sym fresh(Gen *g, const char *stem) { return sym_fmt(g->ctx, "%s%d", stem, g->names++); }

static int ext_add(Gen *g, Ext e) {
    const char *a = g->dim[e.a].name;
    switch (e.kind) {
    case EXT_DIM: e.text = a; break;
    case EXT_LIT: e.text = sym_fmt(g->ctx, "%d", e.b); break;
    case EXT_TIMES: e.text = sym_fmt(g->ctx, "%d*%s", e.b, a); break;
    case EXT_PLUS: e.text = sym_fmt(g->ctx, "%s + %d", a, e.b); break;
    case EXT_PRODUCT: e.text = sym_fmt(g->ctx, "%s*%s", a, g->dim[e.b].name); break;
    case EXT_SUM: e.text = sym_fmt(g->ctx, "%s + %s", a, g->dim[e.b].name); break;
    }
    bool a1 = g->dim[e.a].lo > 0, b1 = e.kind >= EXT_PRODUCT && g->dim[e.b].lo > 0;
    e.filled = e.kind == EXT_LIT || e.kind == EXT_PLUS || (e.kind == EXT_PRODUCT ? a1 && b1 : a1 || b1);
    for (int i = 0; i < g->exts.n; i++)
        if (g->exts.at[i].text == e.text) return i;
    vec_push(g->ctx, &g->exts, e);
    if (e.kind != EXT_DIM) feature(g, e.kind == EXT_LIT ? FEAT_DIM_LITERAL : FEAT_DIM_EXPR);
    return g->exts.n - 1;
}

static int pick_dim(Gen *g) {
    int d = pick(g, g->ndims);
    g->dim[d].used = true;
    return d;
}

int ext_dim(Gen *g) { return ext_add(g, (Ext){.kind = EXT_DIM, .a = pick_dim(g)}); }

int ext_any(Gen *g) {
    static const int weights[] = {60, 8, 10, 6, 5, 5}, literals[] = {3, 1, 2, 4, 5, 8, 7, 16, 33};
    /* Axes of one program should meet: mostly one that is there. */
    if (g->exts.n && !chance(g, 35)) return pick(g, g->exts.n);
    Ext e = {.kind = (ExtKind)weighted(g, weights, 6)};
    if (e.kind == EXT_PRODUCT || e.kind == EXT_SUM) {
        e.a = pick_dim(g), e.b = pick_dim(g);
        if (e.a == e.b) e.kind = EXT_DIM;
        if (e.a > e.b) e.a ^= e.b, e.b ^= e.a, e.a ^= e.b;
        return ext_add(g, e);
    }
    if (e.kind != EXT_LIT) e.a = pick_dim(g);
    if (e.kind == EXT_LIT) e.b = literals[pick(g, 9)];
    if (e.kind == EXT_TIMES) e.b = literals[2 + pick(g, 4)];
    if (e.kind == EXT_PLUS) e.b = 1 + pick(g, 3);
    return ext_add(g, e);
}

int ext_filled(Gen *g) {
    for (int i = 0; i < 4; i++) {
        int e = ext_any(g);
        if (g->exts.at[e].filled) return e;
    }
    return ext_add(g, (Ext){.kind = EXT_LIT, .b = 3});
}

GenVar *scope_push(Gen *g, int ext) {
    static const char letters[] = "ijklmnpqrstuvw";
    int n = g->scope.n;
    Sym name = n < 14 ? sym_n(g->ctx, letters + n, 1) : sym_fmt(g->ctx, "i%d", n);
    vec_push(g->ctx, &g->scope, ((GenVar){.name = name, .ext = ext}));
    return &g->scope.at[n];
}

void scope_pop(Gen *g, int n) { g->scope.n -= n; }

GenTensor *new_tensor(Gen *g, TensorKind kind, Type t, int rank, const int *ext) {
    static const char *const stems[] = {"x", "p", "y", "t"};
    GenTensor n = {.name = fresh(g, stems[kind]), .kind = kind, .type = t, .rank = rank, .mag = 6, .index = -1};
    for (int d = 0; d < rank; d++) n.ext[d] = ext[d];
    if (!rank) feature(g, FEAT_RANK0);
    vec_push(g->ctx, &g->tensors, n);
    return &g->tensors.at[g->tensors.n - 1];
}

void declare(Gen *g, const GenTensor *t) {
    Text *out = &g->params;
    if (out->n) text_put(out, ", ");
    text_fmt(out, "%s%s: %s[", t->kind == TENSOR_INOUT ? "inout " : "", t->name, type_name(t->type));
    for (int d = 0; d < t->rank; d++) text_fmt(out, "%s%s", d ? ", " : "", g->exts.at[t->ext[d]].text);
    text_put(out, "]");
}

/* ---- subscripts ---- */

enum { MAX_WAYS = 160 };
typedef struct Ways {
    Gen *g;
    int n;
    Sym way[MAX_WAYS];
    int var[MAX_WAYS]; /* plain uses: the variable; else -1 */
    Feature f[MAX_WAYS];
} Ways;

static void way(Ways *w, int var, Feature f, Sym s) {
    if (w->n == MAX_WAYS) return;
    w->way[w->n] = s;
    w->f[w->n] = f;
    w->var[w->n++] = var;
}

/* Within its own length: plainly, turned round, or shifted. */
static void ways_same(Ways *w, int v) {
    Gen *g = w->g;
    const char *s = g->scope.at[v].name, *n = g->exts.at[g->scope.at[v].ext].text;
    for (int k = 0; k < 24; k++) way(w, v, FEAT_COUNT, s);
    way(w, -1, FEAT_WINDOW, sym_fmt(g->ctx, "%s - 1 - %s", n, s));
    way(w, -1, FEAT_WINDOW, sym_fmt(g->ctx, "max(%s - 1, 0)", s));
    way(w, -1, FEAT_WINDOW, sym_fmt(g->ctx, "(%s + 1) %% (%s)", s, n));
    way(w, -1, FEAT_DIGITS, sym_fmt(g->ctx, "%s / 2", s));
    way(w, -1, FEAT_DIGITS, sym_fmt(g->ctx, "%s - %s %% 4", s, s));
}

/* A digit of a longer variable, or an offset into a longer axis. */
static void ways_part(Ways *w, const Ext *e, int v) {
    Gen *g = w->g;
    const Ext *from = &g->exts.at[g->scope.at[v].ext];
    const char *s = g->scope.at[v].name;
    if (e->kind == EXT_DIM && from->kind == EXT_TIMES && from->a == e->a)
        way(w, -1, FEAT_DIGITS, sym_fmt(g->ctx, "%s / %d", s, from->b));
    if (e->kind == EXT_DIM && from->kind == EXT_PRODUCT && from->a == e->a)
        way(w, -1, FEAT_DIGITS, sym_fmt(g->ctx, "%s / %s", s, g->dim[from->b].name));
    if (e->kind == EXT_DIM && from->kind == EXT_PRODUCT && from->b == e->a)
        way(w, -1, FEAT_DIGITS, sym_fmt(g->ctx, "%s %% %s", s, g->dim[from->b].name));
    if (e->kind == EXT_LIT) way(w, -1, FEAT_DIGITS, sym_fmt(g->ctx, "%s %% %d", s, e->b));
    if (from->kind != EXT_DIM) return;
    if (e->kind == EXT_PLUS && e->a == from->a)
        way(w, v, FEAT_WINDOW, pick(g, 2) ? sym_fmt(g->ctx, "%s + %d", s, 1 + pick(g, e->b)) : s);
    if (e->kind == EXT_TIMES && e->a == from->a)
        way(w, -1, FEAT_DIGITS, sym_fmt(g->ctx, "%d*%s + %d", e->b, s, pick(g, e->b)));
    if (e->kind == EXT_SUM && e->a == from->a) way(w, v, FEAT_WINDOW, s);
    if (e->kind == EXT_SUM && e->b == from->a)
        way(w, -1, FEAT_WINDOW, sym_fmt(g->ctx, "%s + %s", g->dim[e->a].name, s));
}

/* Two variables that make one subscript. */
static void ways_pair(Ways *w, const Ext *e, int v, int u) {
    Gen *g = w->g;
    const Ext *a = &g->exts.at[g->scope.at[v].ext], *b = &g->exts.at[g->scope.at[u].ext];
    const char *s = g->scope.at[v].name, *r = g->scope.at[u].name;
    if (e->kind == EXT_PLUS && a->kind == EXT_DIM && a->a == e->a && b->kind == EXT_LIT && b->b <= e->b + 1)
        way(w, -1, FEAT_WINDOW, sym_fmt(g->ctx, "%s + %s", s, r));
    if (e->kind == EXT_TIMES && a->kind == EXT_DIM && a->a == e->a && b->kind == EXT_LIT && b->b <= e->b)
        way(w, -1, FEAT_DIGITS, sym_fmt(g->ctx, "%d*%s + %s", e->b, s, r));
    if (e->kind == EXT_PRODUCT && a->kind == EXT_DIM && b->kind == EXT_DIM && a->a == e->a && b->a == e->b)
        way(w, -1, FEAT_DIGITS, sym_fmt(g->ctx, "%s*%s + %s", s, g->dim[e->b].name, r));
}

/* The integers of an input that are assumed to lie in this length. */
static void ways_data(Ways *w, int ext) {
    Gen *g = w->g;
    for (int t = 0; t < g->tensors.n; t++) {
        const GenTensor *x = &g->tensors.at[t];
        if (x->index != ext || x->rank > 1) continue;
        if (!x->rank) way(w, -1, FEAT_GATHER, sym_fmt(g->ctx, "%s[]", x->name));
        for (int v = 0; x->rank && v < g->scope.n; v++)
            if (g->scope.at[v].ext == x->ext[0])
                way(w, -1, FEAT_GATHER, sym_fmt(g->ctx, "%s[%s]", x->name, g->scope.at[v].name));
    }
}

/* An input of integers in 0 .. ext, one for each value of a variable in scope. */
static void new_index(Gen *g, int ext) {
    int over = g->scope.n ? g->scope.at[pick(g, g->scope.n)].ext : 0;
    bool wide = pick(g, 2);
    GenTensor *t = new_tensor(g, TENSOR_INPUT, wide ? TY_I64 : TY_I32, g->scope.n > 0, &over);
    t->index = ext;
    declare(g, t);
    const char *sub = t->rank ? "a" : "";
    text_fmt(&g->facts, "    assume 0 <= %s[%s] && %s[%s] < %s;\n", t->name, sub, t->name, sub, g->exts.at[ext].text);
}

Sym ext_sub(Gen *g, int ext, bool *plain) {
    Ways *w = NEW(g->ctx, Ways);
    w->g = g;
    const Ext e = g->exts.at[ext];
    if (e.filled && chance(g, 4)) new_index(g, ext);
    for (int v = g->scope.n - 1; v >= 0; v--) {
        if (g->scope.at[v].ext == ext)
            ways_same(w, v);
        else
            ways_part(w, &e, v);
        for (int u = 0; u < g->scope.n; u++)
            if (u != v) ways_pair(w, &e, v, u);
    }
    ways_data(w, ext);
    if (!w->n && e.kind == EXT_LIT) way(w, -1, FEAT_WINDOW, sym_fmt(g->ctx, "%d", pick(g, e.b)));
    if (!w->n && e.filled) way(w, -1, FEAT_WINDOW, pick(g, 2) ? sym_fmt(g->ctx, "%s - 1", e.text) : "0");
    *plain = false;
    if (!w->n) return NULL;
    int k = pick(g, w->n), v = w->var[k];
    if (w->f[k] != FEAT_COUNT) feature(g, w->f[k]);
    if (v < 0) return w->way[k];
    *plain = g->scope.at[v].ext == ext;
    if (*plain && !g->unsure) g->scope.at[v].plain = true;
    if (!*plain) g->scope.at[v].mixed = true;
    return w->way[k];
}

Sym index_int(Gen *g) {
    if (!g->scope.n) return sym_fmt(g->ctx, "%d", pick(g, 4));
    const char *s = g->scope.at[g->scope.n - 1 - pick(g, g->scope.n)].name;
    switch (pick(g, 7)) {
    case 1: return sym_fmt(g->ctx, "%s - 1", s);
    case 2: return sym_fmt(g->ctx, "%s + %d", s, 1 + pick(g, 3));
    case 3: return sym_fmt(g->ctx, "2*%s - 1", s);
    case 4: return sym_fmt(g->ctx, "%s / 2", s);
    case 5: return sym_fmt(g->ctx, "%s + %s - 1", s, g->scope.at[pick(g, g->scope.n)].name);
    case 6: return sym_fmt(g->ctx, "%d - %s", 4 + pick(g, 9), s);
    default: return s;
    }
}
