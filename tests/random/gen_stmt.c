/* Statements: lets, outputs whole and in pieces, scatters, updates. */
#include "gen.h"

static int push_axes(Gen *g, int rank, int *ext) {
    for (int d = 0; d < rank; d++) {
        ext[d] = ext_any(g);
        scope_push(g, ext[d]);
    }
    return rank;
}

static int pick_rank(Gen *g) {
    static const int weights[] = {8, 30, 42, 20};
    return weighted(g, weights, 4);
}

static Class pick_class(Gen *g) {
    static const int weights[] = {70, 6, 12, 5, 3, 4};
    return (Class)weighted(g, weights, 6);
}

static const char *pick_subs(Gen *g, int rank, bool ranges) {
    Text s = {.ctx = g->ctx};
    text_put(&s, "");
    for (int d = 0; d < rank; d++) {
        const GenVar *v = &g->scope.at[g->scope.n - rank + d];
        text_fmt(&s, "%s%s", d ? ", " : "", v->name);
        if (ranges && (!v->plain || v->mixed)) text_fmt(&s, " in %s", g->exts.at[v->ext].text);
    }
    return s.s;
}

static const Type natural[] = {TY_F32, TY_F64, TY_I32, TY_I64, TY_U32, TY_BOOL};

void statement_let(Gen *g) {
    int ext[MAX_GEN_RANK], rank = push_axes(g, pick_rank(g), ext), type = pick(g, 8);
    Class c = pick_class(g);
    Val v = tame(g, c, expr(g, c, 4));
    const char *subs = pick_subs(g, rank, true);
    scope_pop(g, rank);
    Type t = c == C_FLOAT && type > 4 ? type == 5 ? TY_F32 : type == 6 ? TY_BF16 : TY_F16 : natural[c];
    GenTensor *n = new_tensor(g, TENSOR_LET, t, rank, ext);
    n->mag = v.mag;
    feature(g, FEAT_LET);
    if (c == C_FLOAT && type > 5) feature(g, FEAT_NARROW);
    if (c == C_FLOAT && type > 4)
        text_fmt(&g->body, "    let %s: %s[%s] = %s;\n", n->name, type_name(t), subs, v.s);
    else
        text_fmt(&g->body, "    let %s[%s] = %s;\n", n->name, subs, v.s);
}

/* Rows in an order. The key names each index of theirs, for nothing: the rank is the one that it does not name. */
void statement_ranking(Gen *g) {
    static const char *const names[] = {"sort", "topk", "argsort"};
    int ext[MAX_GEN_RANK], rows = push_axes(g, pick(g, 3), ext), kind = pick(g, 3);
    Class c = pick(g, 2) ? C_INT : C_FLOAT;
    ext[rows] = ext_any(g);
    const GenVar i = *scope_push(g, ext[rows]);
    Val v = c == C_INT ? tame(g, c, expr(g, c, 3)) : load_any(g, c);
    Text key = {.ctx = g->ctx}, left = {.ctx = g->ctx};
    text_fmt(&key, "%s", operand(g, v));
    text_put(&left, "");
    for (int d = 0; d < rows; d++) {
        const GenVar *row = &g->scope.at[g->scope.n - 1 - rows + d];
        text_fmt(&key, " + %s(0 * %s)", c == C_INT ? "i32" : "f32", row->name);
        text_fmt(&left, "%s in %s, ", row->name, g->exts.at[row->ext].text);
    }
    scope_pop(g, rows + 1);
    Sym n = g->exts.at[ext[rows]].text, rank = fresh(g, "r"), value = "";
    if (kind < 2) {
        GenTensor *t = new_tensor(g, TENSOR_LET, natural[c], rows + 1, ext);
        t->mag = v.mag;
        value = sym_fmt(g->ctx, "(%s[%s%s], ", t->name, left.s, rank);
    }
    GenTensor *at = new_tensor(g, TENSOR_LET, TY_I64, rows + 1, ext);
    at->mag = 64;
    feature(g, FEAT_RANKING);
    text_fmt(&g->body, "    let %s%s[%s%s]%s = %s[%s in 0..%s](%s%s%s);\n", value, at->name, left.s, rank,
             kind < 2 ? ")" : "", names[kind], i.name, n, key.s, kind == 1 ? ", " : "", kind == 1 ? n : "");
}

/* The element type of an output of a class, and its value as that type takes it. */
static Type stored(Gen *g, Class c, Val *v) {
    static const Type floats[] = {TY_F32, TY_F32, TY_BF16, TY_F16, TY_F64, TY_F32, TY_F8E4M3, TY_F8E5M2},
                      ints[] = {TY_I32, TY_I32, TY_I8, TY_U8, TY_I16, TY_U16, TY_U4, TY_I4};
    if (c == C_FLOAT) {
        Type t = floats[pick(g, 8)];
        return type_bits(t) == 8 && v->mag > 200 ? TY_F32 : t;
    }
    if (c != C_INT) return natural[c];
    Type t = ints[pick(g, 8)];
    if (t != TY_I32) *v = atom(sym_fmt(g->ctx, "%s(%s)", type_name(t), v->s), 100), feature(g, FEAT_SMALL_INT);
    return t;
}

GenTensor *new_output(Gen *g, Type t, int rank, const int *ext) {
    GenTensor *y = new_tensor(g, TENSOR_OUTPUT, t, rank, ext);
    text_fmt(&g->results, "%s%s: %s[", g->results.n ? ", " : "", y->name, type_name(t));
    for (int d = 0; d < rank; d++) text_fmt(&g->results, "%s%s", d ? ", " : "", g->exts.at[ext[d]].text);
    text_put(&g->results, "]");
    return y;
}

static void output_whole(Gen *g) {
    int ext[MAX_GEN_RANK], rank = push_axes(g, pick_rank(g), ext);
    Class c = pick_class(g);
    Val v = tame(g, c, expr(g, c, 5));
    const char *subs = pick_subs(g, rank, false);
    scope_pop(g, rank);
    Type t = stored(g, c, &v);
    text_fmt(&g->body, "    %s[%s] = %s;\n", new_output(g, t, rank, ext)->name, subs, v.s);
}

/* Two parts by a condition on indices, interleaved, or one behind the other. */
static void output_pieces(Gen *g) {
    int ext[MAX_GEN_RANK], rank = 1 + pick(g, 2), kind = pick(g, 3);
    for (int d = 0; d < rank; d++) ext[d] = ext_any(g);
    const Ext *e = NULL;
    int whole = -1, part = -1;
    for (int k = 0; kind == 2 && k < g->exts.n; k++)
        if (g->exts.at[k].kind == EXT_TIMES && g->exts.at[k].b == 2) whole = k, e = &g->exts.at[k];
    for (int k = 0; e && k < g->exts.n; k++)
        if (g->exts.at[k].kind == EXT_DIM && g->exts.at[k].a == e->a) part = k;
    if (part >= 0) ext[0] = whole;
    int saved = ext[0];
    if (part >= 0) ext[0] = part;
    for (int d = 0; d < rank; d++) scope_push(g, ext[d]);
    if (part >= 0) ext[0] = saved;
    Val a = tame(g, C_FLOAT, expr(g, C_FLOAT, 4));
    GenVar *first = &g->scope.at[g->scope.n - rank];
    bool ranged = first->plain && !first->mixed;
    first->plain = first->mixed = false;
    Val b = tame(g, C_FLOAT, expr(g, C_FLOAT, 4));
    first = &g->scope.at[g->scope.n - rank];
    const char *subs = pick_subs(g, rank, false);
    Sym i = first->name;
    if (part >= 0 && (!ranged || !first->plain || first->mixed))
        ext[0] = part, part = -1; /* nothing would say how far the halves run */
    Sym rest = rank > 1 ? sym_fmt(g->ctx, ", %s", g->scope.at[g->scope.n - 1].name) : "";
    scope_pop(g, rank);
    Val f = {.mag = 300};
    Sym y = new_output(g, stored(g, C_FLOAT, &f), rank, ext)->name;
    feature(g, FEAT_PIECES);
    if (part >= 0)
        text_fmt(&g->body, "    %s[2*%s%s] = %s;\n    %s[2*%s + 1%s] = %s;\n", y, i, rest, a.s, y, i, rest, b.s);
    else if (rank > 1 && kind == 1)
        text_fmt(&g->body, "    %s[%s] = %s where j <= i;\n    %s[%s] = %s where j > i;\n", y, subs, a.s, y, subs, b.s);
    else
        text_fmt(&g->body, "    %s[%s] = %s where %s < 2;\n    %s[%s] = %s where %s >= 2;\n", y, subs, a.s, i, y, subs,
                 b.s, i);
}

static void output_scatter(Gen *g) {
    static const char *const ops[] = {"+=", "max=", "min=", "+=", "="};
    int into = ext_filled(g), over = ext_any(g), other = -1, ext[2] = {into, 0};
    bool is_int = pick(g, 4) == 3;
    Class c = is_int ? C_INT : C_FLOAT;
    GenTensor *ids = new_tensor(g, TENSOR_INPUT, pick(g, 2) ? TY_I64 : TY_I32, 1, &over);
    Sym name = ids->name;
    ids->index = into;
    declare(g, ids);
    text_fmt(&g->facts, "    assume 0 <= %s[a] && %s[a] < %s;\n", name, name, g->exts.at[into].text);
    Sym n = scope_push(g, over)->name;
    if (pick(g, 2)) ext[1] = other = ext_any(g), scope_push(g, other);
    Val v = tame(g, c, expr(g, c, 3));
    Sym guard = chance(g, 25) ? expr(g, C_BOOL, 2).s : NULL, sub = "";
    if (other >= 0) sub = sym_fmt(g->ctx, ", %s", g->scope.at[g->scope.n - 1].name);
    for (int k = 0; k < 1 + (other >= 0); k++) /* nothing here can say how far a variable runs */
        if (g->scope.at[g->scope.n - 1 - k].mixed) v = atom(is_int ? "i32(1)" : "0.5", 1), guard = NULL;
    scope_pop(g, 1 + (other >= 0));
    Type t = is_int ? TY_I32 : pick(g, 3) == 2 ? TY_BF16 : TY_F32;
    Sym y = new_output(g, t, 1 + (other >= 0), ext)->name;
    feature(g, FEAT_SCATTER);
    const int op = pick(g, 5);
    if (op == 4) text_fmt(&g->body, "    %s[i%s] = 1;\n", y, other >= 0 ? ", j" : "");
    text_fmt(&g->body, "    %s[%s[%s]%s] %s %s", y, name, n, sub, ops[op], v.s);
    text_fmt(&g->body, guard ? " where %s;\n" : ";\n", guard ? guard : "");
}

static void output_update(Gen *g) {
    static const char *const ops[] = {"=", "+=", "=", "max=", "*="};
    static const Type types[] = {TY_F32, TY_F32, TY_BF16, TY_I32};
    int ext[MAX_GEN_RANK], rank = 1 + pick(g, 2), op = pick(g, 5);
    for (int d = 0; d < rank; d++) ext[d] = ext_any(g);
    GenTensor p = *new_tensor(g, TENSOR_INOUT, types[pick(g, 4)], rank, ext);
    declare(g, &p);
    Class c = type_class_of(p.type);
    for (int d = 0; d < rank; d++) scope_push(g, ext[d]);
    Val v = tame(g, c, expr(g, c, 4));
    Sym guard = chance(g, 25) ? expr(g, C_BOOL, 2).s : NULL;
    const char *subs = pick_subs(g, rank, false);
    scope_pop(g, rank);
    feature(g, FEAT_UPDATE);
    text_fmt(&g->body, "    %s[%s] %s %s", p.name, subs, ops[op], v.s);
    text_fmt(&g->body, guard ? " where %s;\n" : ";\n", guard ? guard : "");
    if (!pick(g, 2)) return;
    GenTensor *n = new_tensor(g, TENSOR_LET, p.type, rank, ext);
    n->name = sym_fmt(g->ctx, "new(%s)", p.name);
    feature(g, FEAT_NEW);
}

void statement_output(Gen *g) {
    static const int weights[] = {54, 12, 12, 14, 8};
    switch (weighted(g, weights, 5)) {
    case 1: output_pieces(g); break;
    case 2: output_scatter(g); break;
    case 3: output_update(g); break;
    case 4: output_product(g); break;
    default: output_whole(g); break;
    }
}
