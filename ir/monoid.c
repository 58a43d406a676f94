/* Monoids: the table of the builtin ones, their declarations read as those of a text are. See monoid.h. */
#include "monoid.h"
#include "ir/expr_walk.h"
#include "ir/interp/interp.h"

#include <math.h>
#include <string.h>

/* ---- reading ---- */

/* A declaration being read. */
typedef struct MonoidReader {
    Graph *g;
    Monoid *m;
    Type t; /* that `T` is; TY_COUNT: no type */
} MonoidReader;

static const Expr *part_leaf(void *user, const LeafText *leaf) {
    const MonoidReader *r = user;
    const Monoid *m = r->m;
    for (int i = 0; i < m->n && !leaf->part; i++)
        if (!strcmp(m->part[i], leaf->name))
            return expr_node(r->g, OP_ARG, m->type[i], false, leaf->primed ? i + m->n : i, NULL, 0);
    return NULL;
}

static const Expr *read_identity(const MonoidReader *r, Lex *x, Type t) {
    bool lowest = r->t != TY_COUNT && lex_is(x, "lowest"), highest = r->t != TY_COUNT && lex_is(x, "highest");
    if (lowest || highest) {
        lex_next(x);
        if (type_is_float(t)) return expr_float(r->g, t, lowest ? -INFINITY : INFINITY);
        return expr_int(r->g, t, lowest ? num_int_min(t) : num_int_max(t));
    }
    if (type_is_float(t)) return expr_float(r->g, t, lex_number(x));
    if (t != TY_BOOL) return expr_int(r->g, t, lex_int(x));
    bool v = lex_is(x, "true");
    if (!lex_accept(x, "true")) lex_expect(x, "false");
    return expr_int(r->g, t, v);
}

/* (a: T = 1, b: f32 = 0.0) */
static void read_parts(const MonoidReader *r, Lex *x) {
    Monoid *m = r->m;
    lex_expect(x, "(");
    do {
        Span at = x->tok.span;
        if (m->n == MAX_PARTS) {
            lex_fail(x, at, "a monoid's state has at most %d parts", MAX_PARTS);
            return;
        }
        Sym part = lex_name(x);
        for (int i = 0; i < m->n; i++)
            if (m->part[i] == part) lex_fail(x, at, "part '%s' is declared twice", part);
        lex_expect(x, ":");
        m->part[m->n] = part;
        m->type[m->n] = r->t != TY_COUNT && lex_accept(x, "T") ? r->t : lex_type(x);
        lex_expect(x, "=");
        m->identity[m->n] = read_identity(r, x, m->type[m->n]);
        m->n++;
    } while (lex_accept(x, ","));
    lex_expect(x, ")");
}

static void read_combine(MonoidReader *r, Lex *x, Span at) {
    Monoid *m = r->m;
    ExprReader exprs = {.g = r->g, .lex = x, .leaf = part_leaf, .user = r};
    lex_expect(x, "combine");
    lex_expect(x, "(");
    for (int i = 0; i < m->n && !x->failed; i++) {
        if (i) lex_expect(x, ",");
        m->combine[i] = expr_read_as(&exprs, m->type[i]);
        if (!x->failed && m->combine[i]->type != m->type[i])
            lex_fail(x, at, "part '%s' is %s, but combines to %s", m->part[i], type_name(m->type[i]),
                     type_name(m->combine[i]->type));
    }
    lex_expect(x, ")");
}

const Monoid *monoid_read(ExprReader *e) {
    Lex *x = e->lex;
    Span at = x->tok.span;
    Monoid *m = NEW(e->g->ctx, Monoid);
    MonoidReader r = {.g = e->g, .m = m, .t = TY_COUNT};
    *m = (Monoid){.name = lex_name(x), .kind = MONOID_DECLARED};
    const Monoid *known = monoid_named(e->g, m->name);
    if (known)
        lex_fail(x, at, monoid_declared(known) ? "monoid '%s' is declared twice" : "monoid '%s' is there already",
                 m->name);
    read_parts(&r, x);
    m->ordered = lex_accept(x, "ordered");
    read_combine(&r, x, at);
    if (x->failed) return NULL;
    vec_push(e->g->ctx, &e->g->monoids, m);
    return m;
}

const Monoid *monoid_declare(Graph *g, const char *name, const char *text) {
    Monoid *m = NEW(g->ctx, Monoid);
    MonoidReader r = {.g = g, .m = m, .t = TY_COUNT};
    Lex x;
    *m = (Monoid){.name = sym(g->ctx, name), .kind = MONOID_DECLARED};
    lex_init(&x, g->ctx, text, strlen(text), -1);
    read_parts(&r, &x);
    read_combine(&r, &x, x.tok.span);
    return x.failed ? NULL : m;
}

static Monoid *read_row(Graph *g, const Monoid *row, Type t) {
    Monoid *m = NEW(g->ctx, Monoid);
    MonoidReader r = {.g = g, .m = m, .t = t};
    const char *text = monoid_text(row->kind, t);
    Lex x;
    *m = (Monoid){.name = sym(g->ctx, row->name), .kind = row->kind, .ordered = row->ordered, .indexed = row->indexed};
    lex_init(&x, g->ctx, text, strlen(text), -1);
    if (monoid_folds(row->kind, t)) {
        read_parts(&r, &x);
        read_combine(&r, &x, x.tok.span);
    }
    for (m->n = 0; m->n < row->n; m->n++)
        if (!m->identity[m->n]) m->type[m->n] = m->n && row->indexed ? TY_I64 : t;
    return m;
}

struct MonoidRows {
    const Monoid *of[MONOID_COUNT][TY_COUNT]; /* NULL: not read yet */
    ExprMap beside;                           /* a name -> the declared one */
    const Monoid *states[MONOID_COUNT][TY_COUNT];
};

const Monoid *monoid_of(Graph *g, const Monoid *row, Type t) {
    if (monoid_declared(row)) return row;
    if (!g->rows) g->rows = NEW(g->ctx, struct MonoidRows);
    const Monoid **known = &g->rows->of[row->kind][t];
    if (!*known) *known = read_row(g, row, t);
    return *known;
}

static Sym name_beside(Ctx *ctx, const MonoidKind *of, int n) {
    Text name = {.ctx = ctx};
    bool sums = true;
    for (int i = 0; i < n; i++) {
        text_fmt(&name, "%s%s", i ? "_" : "", monoid_row(of[i])->name);
        sums &= of[i] == MONOID_SUM;
    }
    return sums ? sym_fmt(ctx, "sums%d", n) : sym(ctx, name.s);
}

const Monoid *monoid_beside(Graph *g, const MonoidKind *of, int n) {
    if (!g->rows) g->rows = NEW(g->ctx, struct MonoidRows);
    const Sym name = name_beside(g->ctx, of, n);
    Monoid *m = expr_map_object(&g->rows->beside, name);
    if (m) return m;
    m = NEW(g->ctx, Monoid);
    *m = (Monoid){.name = name, .kind = MONOID_DECLARED, .n = n};
    expr_map_put_object(g->ctx, &g->rows->beside, name, m);
    for (int i = 0; i < n; i++) {
        const Monoid *row = monoid_of(g, monoid_row(of[i]), TY_F32);
        const Expr *from[2], *to[2];
        for (int k = 0; k < 2; k++) {
            from[k] = expr_node(g, OP_ARG, TY_F32, false, k, NULL, 0);
            to[k] = expr_node(g, OP_ARG, TY_F32, false, i + k * n, NULL, 0);
        }
        m->part[i] = sym_fmt(g->ctx, "x%d", i);
        m->type[i] = TY_F32;
        m->identity[i] = row->identity[0];
        m->combine[i] = expr_replace(g, row->combine[0], from, to, 2);
    }
    return m;
}

const Monoid *monoid_of_states(Graph *g, const Monoid *m, Type t) {
    if (!m->indexed) return m;
    const Monoid *row = monoid_of(g, m, t), **known = &g->rows->states[m->kind][t];
    if (*known) return *known;
    Monoid *made = NEW(g->ctx, Monoid);
    *made = *row;
    made->name = sym_fmt(g->ctx, "%s_%s", row->name, type_name(t));
    made->kind = MONOID_DECLARED;
    made->indexed = false;
    return *known = made;
}

const Expr *monoid_identity(Graph *g, MonoidKind kind, Type t) {
    Monoid m = {.kind = kind};
    const MonoidReader r = {.g = g, .m = &m, .t = t};
    const char *text = monoid_text(kind, t);
    Lex x;
    lex_init(&x, g->ctx, text, strlen(text), -1);
    read_parts(&r, &x);
    return m.identity[0];
}

/* ---- printing ---- */

static void put_leaf(void *user, Text *out, const Expr *e) {
    const Monoid *m = user;
    if (e->op == OP_ARG) text_fmt(out, "%s%s", m->part[e->u.i % m->n], e->u.i >= m->n ? "'" : "");
}

static void put_identity(Text *out, const Expr *e) {
    if (type_is_float(e->type))
        text_double(out, e->u.f);
    else if (e->type == TY_BOOL)
        text_put(out, e->u.i ? "true" : "false");
    else
        text_fmt(out, "%lld", (long long)e->u.i);
}

void monoid_print(Text *out, const Monoid *m) {
    LeafNames names = {put_leaf, (void *)m};
    text_fmt(out, "monoid %s(", m->name);
    for (int i = 0; i < m->n; i++) {
        text_fmt(out, "%s%s: %s = ", i ? ", " : "", m->part[i], type_name(m->type[i]));
        put_identity(out, m->identity[i]);
    }
    text_put(out, m->ordered ? ") ordered combine (" : ") combine (");
    for (int i = 0; i < m->n; i++) {
        if (i) text_put(out, ", ");
        expr_print(out, m->combine[i], &names);
    }
    text_char(out, ')');
}

/* ---- verifier ---- */

/* What a monoid's states and constants do not make. */
static Found is_foreign(const Expr *e, const void *monoid) {
    const Monoid *m = monoid;
    bool operand = e->op == OP_ARG && e->u.i >= 0 && e->u.i < 2 * m->n && e->type == m->type[e->u.i % m->n];
    if (operand || e->op == OP_CONST) return FOUND_NOT;
    return !e->nargs || e->op == OP_MARK ? FOUND : expr_test_data(e, NULL);
}

bool monoid_verify(const Monoid *m, Text *why) {
    if (m->n < 1 || m->n > MAX_PARTS) return text_fail(why, "monoid %s: %d parts", m->name, m->n);
    Ctx *temp = ctx_temp(why->ctx);
    ExprSet seen = {0};
    bool ok = true;
    for (int i = 0; i < m->n && ok; i++) {
        ok = m->identity[i]->type == m->type[i] && m->combine[i]->type == m->type[i];
        if (!ok)
            text_fmt(why, "monoid %s: part %d is not of type %s", m->name, i, type_name(m->type[i]));
        else if (!(ok = type_acc(m->type[i]) == m->type[i] || m->type[i] == TY_BOOL))
            text_fmt(why, "monoid %s: part %d is of type %s, which has no arithmetic", m->name, i,
                     type_name(m->type[i]));
        else if (!(ok = !expr_find(temp, &seen, m->combine[i], is_foreign, m)))
            text_fmt(why, "monoid %s: part %d combines more than operands and constants", m->name, i);
    }
    ctx_temp_end(temp);
    return ok;
}
