/* Reads the text of a Graph (ir/README.md): declarations, then definitions and facts;
 * and files of Graphs with checks. */
#include "monoid.h"

#include <math.h>
#include <string.h>

typedef struct GraphReader {
    Graph *g;
    Lex lex;
    ExprReader exprs;
} GraphReader;

static void read_dim(GraphReader *r) {
    Lex *x = &r->lex;
    Span at = x->tok.span;
    Sym name = lex_name(x);
    int before = r->g->dims.n;
    Dim *d = graph_dim(r->g, name);
    if (r->g->dims.n == before) lex_fail(x, at, "dimension '%s' is declared twice", name);
    if (lex_is(x, "in") && lex_peek_kind(x) == LEX_INT) { /* otherwise it declares an input */
        lex_next(x);
        d->lo = lex_int(x);
        if (lex_accept(x, "..="))
            d->hi = lex_int(x);
        else
            lex_expect(x, "..");
    }
    if (lex_accept(x, "=")) {
        d->has_default = true;
        d->def = lex_int(x);
    }
    if (lex_accept(x, "hint")) d->hint = lex_int(x);
    if (lex_accept(x, "divisible")) d->divisor = lex_int(x);
    if (d->lo < 0 || d->hi < d->lo || d->hint < 0 || d->divisor < 1)
        lex_fail(x, at, "a dimension '%s' cannot be so", name);
}

static void read_scalar(GraphReader *r) {
    Lex *x = &r->lex;
    Span at = x->tok.span;
    Sym name = lex_name(x);
    lex_expect(x, ":");
    Type t = lex_type(x);
    int before = r->g->scalars.n;
    Scalar *s = graph_scalar(r->g, name, t);
    if (r->g->scalars.n == before) lex_fail(x, at, "scalar '%s' is declared twice", name);
    s->span = at;
    if (!lex_accept(x, "=")) return;
    s->has_default = true;
    s->def = lex_number(x);
}

static void read_tensor(GraphReader *r, TensorKind kind) {
    Lex *x = &r->lex;
    Span at = x->tok.span;
    Sym name = lex_name(x);
    lex_expect(x, ":");
    Type t = lex_type(x);
    const Expr *shape[MAX_RANK];
    int rank = 0;
    lex_expect(x, "[");
    if (!lex_accept(x, "]")) {
        do {
            if (rank == MAX_RANK) {
                lex_fail(x, at, "a tensor has at most %d dimensions", MAX_RANK);
                return;
            }
            shape[rank++] = expr_read(&r->exprs);
        } while (lex_accept(x, ","));
        lex_expect(x, "]");
    }
    if (graph_find_tensor(r->g, name)) lex_fail(x, at, "tensor '%s' is declared twice", name);
    if (x->failed) return;
    Tensor *tensor = graph_tensor(r->g, name, kind, t, rank, shape);
    if (tensor->name != name) lex_fail(x, at, "the name '%s' is taken", name);
    tensor->span = at;
    tensor->rounds = lex_accept(x, "rounds");
}

/* params b, a: the parameters declared so far, in the order of the C interface. */
static void read_params(GraphReader *r) {
    Lex *x = &r->lex;
    Graph *g = r->g;
    Span at = x->tok.span;
    int n = 0;
    do {
        Sym name = lex_name(x);
        int k = n;
        while (k < g->params.n && g->params.at[k]->name != name) k++;
        if (k >= g->params.n) {
            lex_fail(x, at, "the parameters are named once each: not so '%s'", name);
            return;
        }
        Tensor *t = g->params.at[k];
        g->params.at[k] = g->params.at[n];
        g->params.at[n++] = t;
    } while (lex_accept(x, ","));
    if (n < g->params.n) lex_fail(x, at, "the parameter '%s' is left out", g->params.at[n]->name);
}

/* One declaration; false where the header ends. */
static bool read_declaration(GraphReader *r) {
    static const struct {
        const char *word;
        TensorKind kind;
    } kinds[] = {{"in", TENSOR_INPUT}, {"inout", TENSOR_INOUT}, {"out", TENSOR_OUTPUT}, {"let", TENSOR_LET}};
    Lex *x = &r->lex;
    if (x->tok.kind != LEX_NAME || lex_peek_is(x, "[")) return false;
    if (lex_accept(x, "dim")) {
        read_dim(r);
        return true;
    }
    if (lex_accept(x, "scalar")) {
        read_scalar(r);
        return true;
    }
    if (lex_accept(x, "params")) {
        read_params(r);
        return true;
    }
    if (lex_accept(x, "monoid")) {
        monoid_read(&r->exprs);
        return true;
    }
    if (lex_accept(x, "option")) {
        options_read(x, &r->g->options);
        return true;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (lex_accept(x, kinds[i].word)) {
            read_tensor(r, kinds[i].kind);
            return true;
        }
    return false;
}

/* for a in lo..hi, b in lo..hi: */
static int read_vars(GraphReader *r, Var ***vars) {
    Lex *x = &r->lex;
    bool none = lex_is(x, ":"); /* one element */
    while (!none && expr_read_range(&r->exprs) && lex_accept(x, ",")) {
    }
    lex_expect(x, ":");
    int n = r->exprs.vars.n;
    *vars = NEW_N(r->g->ctx, Var *, n);
    for (int i = 0; i < n; i++) (*vars)[i] = r->exprs.vars.at[i];
    return n;
}

/* The variables of name[i, j] = ...: each runs over the whole of its dimension. */
static void read_plain(GraphReader *r, Tensor *t, Piece *p) {
    Lex *x = &r->lex;
    p->nvars = t->rank;
    p->vars = NEW_N(r->g->ctx, Var *, t->rank);
    for (int d = 0; d < t->rank; d++) {
        if (d) lex_expect(x, ",");
        p->vars[d] = graph_var(r->g, lex_name(x), expr_int(r->g, TY_I64, 0), t->shape[d]);
        p->subs[d] = expr_var(r->g, p->vars[d]);
        vec_push(r->g->ctx, &r->exprs.vars, p->vars[d]);
    }
}

/* The monoid before the = of an update; NULL: it is a definition. */
static const Monoid *read_update(GraphReader *r) {
    Lex *x = &r->lex;
    if (lex_is(x, "=")) return NULL;
    Span at = x->tok.span;
    Sym name = lex_name(x);
    const Monoid *m = monoid_named(r->g, name);
    if (!m || !monoid_atomic(m->kind)) lex_fail(x, at, "expected =, sum=, max= or min=");
    return m;
}

static void read_piece(GraphReader *r) {
    Lex *x = &r->lex;
    Piece p = {.span = x->tok.span};
    bool general = lex_is(x, "for") && !lex_peek_is(x, "[");
    r->exprs.vars.n = 0;
    if (general) {
        lex_next(x);
        p.nvars = read_vars(r, &p.vars);
    }
    Span at = x->tok.span;
    Sym name = lex_name(x);
    Tensor *t = graph_find_tensor(r->g, name);
    if (!t) lex_fail(x, at, "expected a declaration, a definition or a fact");
    lex_expect(x, "[");
    if (x->failed) return;
    p.subs = NEW_N(r->g->ctx, const Expr *, t->rank);
    if (general)
        for (int d = 0; d < t->rank; d++) {
            if (d) lex_expect(x, ",");
            p.subs[d] = expr_read(&r->exprs);
        }
    else
        read_plain(r, t, &p);
    lex_expect(x, "]");
    p.update = read_update(r);
    lex_expect(x, "=");
    p.value = expr_read_as(&r->exprs, t->type);
    if (lex_accept(x, "where")) p.guard = expr_read(&r->exprs);
    p.span.end = x->tok.span.start;
    if (!x->failed) vec_push(r->g->ctx, &t->pieces, p);
}

static Tensor *read_defined(GraphReader *r) {
    Lex *x = &r->lex;
    Span at = x->tok.span;
    Sym name = lex_name(x);
    Tensor *t = graph_find_tensor(r->g, name);
    if (!t) lex_fail(x, at, "no tensor '%s' is declared", name);
    return t;
}

/* rank order = keys ascending, or descending */
static void read_rank(GraphReader *r) {
    Lex *x = &r->lex;
    Span at = x->tok.span;
    lex_next(x);
    Tensor *order = read_defined(r);
    lex_expect(x, "=");
    Tensor *keys = read_defined(r);
    bool descending = lex_accept(x, "descending");
    if (!descending) lex_expect(x, "ascending");
    if (x->failed) return;
    if (order->sort) {
        lex_fail(x, at, "a rank defines a tensor that nothing else defines");
        return;
    }
    graph_rank(r->g, keys, descending, order)->span = (Span){at.file, at.start, x->tok.span.start};
}

/* sort order, starts = keys below N; of keys that are known to ascend that word stands behind them */
static void read_sort(GraphReader *r) {
    Lex *x = &r->lex;
    Span at = x->tok.span;
    lex_next(x);
    Tensor *order = read_defined(r);
    lex_expect(x, ",");
    Tensor *starts = read_defined(r);
    lex_expect(x, "=");
    Tensor *keys = read_defined(r);
    const bool ascends = lex_accept(x, "ascending");
    lex_expect(x, "below");
    r->exprs.vars.n = 0;
    const Expr *below = expr_read(&r->exprs);
    if (x->failed) return;
    if (order == starts || order->sort || starts->sort) {
        lex_fail(x, at, "a sort defines two tensors that nothing else defines");
        return;
    }
    Sort *s = graph_sort(r->g, keys, below, order, starts);
    s->ascends = ascends;
    s->span = (Span){at.file, at.start, x->tok.span.start};
}

static void read_fact(GraphReader *r) {
    Lex *x = &r->lex;
    Fact f = {.span = x->tok.span, .require = lex_is(x, "require")};
    lex_next(x);
    r->exprs.vars.n = 0;
    if (lex_accept(x, "for")) f.nvars = read_vars(r, &f.vars);
    f.cond = expr_read(&r->exprs);
    if (lex_accept(x, ",")) f.text = lex_string(x);
    f.span.end = x->tok.span.start;
    if (!x->failed) vec_push(r->g->ctx, &r->g->facts, f);
}

/* Where the next graph of a file begins, or a check: no definition has a name there. */
static bool at_next(const Lex *x) { return (lex_is(x, "graph") || lex_is(x, "check")) && lex_peek_kind(x) == LEX_NAME; }

/* One graph, up to the next one or a check. */
static Graph *read_graph(GraphReader *r) {
    Lex *x = &r->lex;
    lex_expect(x, "graph");
    Span at = x->tok.span;
    r->g = graph_new(x->ctx, lex_name(x));
    r->g->span = at;
    r->g->host = lex_accept(x, "host");
    r->exprs = (ExprReader){.g = r->g, .lex = x};
    while (!x->failed && !at_next(x) && read_declaration(r)) {
    }
    while (!x->failed && x->tok.kind != LEX_END && !at_next(x)) {
        bool fact = (lex_is(x, "assume") || lex_is(x, "require")) && !lex_peek_is(x, "[");
        if (fact)
            read_fact(r);
        else if (lex_is(x, "sort") && !lex_peek_is(x, "["))
            read_sort(r);
        else if (lex_is(x, "rank") && !lex_peek_is(x, "["))
            read_rank(r);
        else
            read_piece(r);
    }
    return r->g;
}

Graph *graph_read(Ctx *ctx, const char *text, size_t n, int file) {
    GraphReader *r = NEW(ctx, GraphReader);
    lex_init(&r->lex, ctx, text, n, file);
    Graph *g = read_graph(r);
    if (r->lex.tok.kind != LEX_END) lex_fail(&r->lex, r->lex.tok.span, "one graph stands here alone");
    return lex_report(&r->lex, DIAG_GRAPH_TEXT) ? g : NULL;
}

/* ---- files ---- */

static Graph *graph_named(const Module *m, Sym name) {
    for (int i = 0; i < m->graphs.n; i++)
        if (m->graphs.at[i]->name == name) return m->graphs.at[i];
    return NULL;
}

static bool has_size(const Graph *g, Sym name) {
    for (int i = 0; i < g->dims.n; i++)
        if (g->dims.at[i]->name == name) return true;
    for (int i = 0; i < g->scalars.n; i++)
        if (g->scalars.at[i]->name == name) return true;
    return false;
}

/* check NAME(M = 5, eps = 1e-5) tol 1e-3, of a graph before it. */
static void read_check(Lex *x, Module *m) {
    Check c = {.tol = -1, .span = x->tok.span};
    lex_expect(x, "check");
    Span at = x->tok.span;
    c.entry = lex_name(x);
    const Graph *g = graph_named(m, c.entry);
    if (!g) lex_fail(x, at, "no graph '%s' before its check", c.entry);
    lex_expect(x, "(");
    while (!x->failed && !lex_is(x, ")")) {
        Binding b = {0};
        at = x->tok.span;
        b.name = lex_name(x);
        if (!x->failed && !has_size(g, b.name))
            lex_fail(x, at, "'%s' is no dimension or scalar of %s", b.name, c.entry);
        lex_expect(x, "=");
        if (x->tok.kind == LEX_INT) {
            b.ivalue = lex_int(x);
            b.value = (double)b.ivalue;
        } else {
            b.value = lex_number(x);
            b.ivalue = fabs(b.value) < 0x1p62 ? (int64_t)b.value : 0;
        }
        vec_push(x->ctx, &c.bindings, b);
        if (!lex_accept(x, ",")) break;
    }
    lex_expect(x, ")");
    if (lex_accept(x, "tol")) c.tol = lex_number(x);
    c.span.end = x->tok.span.start;
    if (!x->failed) vec_push(x->ctx, &m->checks, c);
}

Module *graph_read_module(Ctx *ctx, const char *text, size_t n, int file) {
    GraphReader *r = NEW(ctx, GraphReader);
    Module *m = NEW(ctx, Module);
    Lex *x = &r->lex;
    m->ctx = ctx;
    lex_init(x, ctx, text, n, file);
    do {
        Span at = x->tok.span;
        if (lex_is(x, "check")) {
            read_check(x, m);
            continue;
        }
        Graph *g = read_graph(r);
        if (graph_named(m, g->name)) lex_fail(x, at, "graph '%s' is there already", g->name);
        if (!x->failed) vec_push(ctx, &m->graphs, g);
    } while (!x->failed && x->tok.kind != LEX_END);
    return lex_report(x, DIAG_GRAPH_TEXT) ? m : NULL;
}
