/* Reads the text of programs (README.md) into the Kernel form and derives what it implies.
 * Checks the form of the text and its names; whether a kernel is legal is kernel_verify.c's. A statement has no end
 * mark, so before its expressions are read its extent is found by looking ahead (scan_stage). */
#include "kernel_text.h"
#include "sched/library/product.h"

#include "ir/diag.h"

#include <string.h>

static const char *const RESERVED[] = {
    "kernel",  "part",   "axis",    "layout", "where", "program", "dim",       "in",      "inout",  "out",
    "temp",    "scalar", "option",  "monoid", "peel",  "over",    "along",     "ahead",   "stream", "keep",
    "depth",   "pad",    "swizzle", "bulk",   "async", "carry",   "exclusive", "reverse", "else",   "then",
    "counter", "zero",   "true",    "false",  "inf",   "nan",     "occupancy", "shares"};

/* Most differ in their first letter. */
static bool same_word(const char *a, const char *b) { return *a == *b && !strcmp(a, b); }

bool kernel_name_reserved(const char *name) {
    for (size_t i = 0; i < sizeof RESERVED / sizeof *RESERVED; i++)
        if (same_word(RESERVED[i], name)) return true;
    for (int i = 0; i < STAGE_COUNT; i++)
        if (same_word(stage_text((StageKind)i), name)) return true;
    for (int i = 0; i < BIND_COUNT; i++)
        if (same_word(bind_text((Bind)i), name)) return true;
    return false;
}

/* A name that may stand where a word of the form may: of values, axes, layouts and parts. What the program's user
 * named (tensors, dimensions, scalars, monoids, and kernels after them) always follows a keyword. */
Sym kernel_read_new_name(KernelReader *r) {
    Span at = r->lex.tok.span;
    Sym s = lex_name(&r->lex);
    if (!r->lex.failed && kernel_name_reserved(s))
        lex_fail(&r->lex, at, "'%s' is a word of the form and cannot be a name", s);
    return s;
}

Tensor *kernel_read_tensor(KernelReader *r) {
    Span at = r->lex.tok.span;
    Sym name = lex_name(&r->lex);
    Tensor *t = graph_find_tensor(r->p->graph, name);
    if (!t) lex_fail(&r->lex, at, "no tensor '%s'", name);
    return t;
}

/* ---- header ---- */

static void read_dim(KernelReader *r) {
    Lex *x = &r->lex;
    Span at = x->tok.span;
    int known = r->p->graph->dims.n;
    Dim *d = graph_dim(r->p->graph, lex_name(x));
    if (!x->failed && r->p->graph->dims.n == known) lex_fail(x, at, "dimension '%s' is declared twice", d->name);
    Lex ahead = *x;
    lex_next(&ahead);
    if (lex_is(x, "in") && ahead.tok.kind == LEX_INT) { /* otherwise it declares an input */
        lex_next(x);
        d->lo = lex_int(x);
        lex_expect(x, "..=");
        d->hi = lex_int(x);
    }
    if (lex_accept(x, "hint")) d->hint = lex_int(x);
    if (lex_accept(x, "divisible")) d->divisor = lex_int(x);
    if (!x->failed && (d->lo < 0 || d->lo > d->hi || d->divisor < 1))
        lex_fail(x, at, "dimension '%s' has no legal value", d->name);
}

static void read_scalar(KernelReader *r) {
    Lex *x = &r->lex;
    Span at = x->tok.span;
    Graph *g = r->p->graph;
    Sym name = lex_name(x);
    lex_expect(x, ":");
    Type t = lex_type(x);
    int known = g->scalars.n;
    Scalar *s = graph_scalar(g, name, t);
    if (!x->failed && g->scalars.n == known) lex_fail(x, at, "scalar '%s' is declared twice", name);
    if (lex_accept(x, "=")) {
        s->has_default = true;
        s->def = lex_number(x);
    }
}

static void read_tensor_decl(KernelReader *r, TensorKind kind) {
    Lex *x = &r->lex;
    Graph *g = r->p->graph;
    const Expr *shape[MAX_RANK];
    int rank = 0;
    Span at = x->tok.span;
    Sym name = lex_name(x);
    for (int i = 0; i < g->tensors.n; i++)
        if (g->tensors.at[i]->name == name) lex_fail(x, at, "tensor '%s' is declared twice", name);
    lex_expect(x, ":");
    Type t = lex_type(x);
    lex_expect(x, "[");
    while (!x->failed && !lex_is(x, "]")) {
        if (rank == MAX_RANK)
            lex_fail(x, x->tok.span, "more than %d dimensions", MAX_RANK);
        else
            shape[rank++] = expr_read_as(&r->expr, TY_I64);
        if (!lex_accept(x, ",")) break;
    }
    lex_expect(x, "]");
    if (x->failed) return;
    for (int i = 0; i < rank; i++)
        if (shape[i]->type != TY_I64) lex_fail(x, at, "a dimension of '%s' is no index integer", name);
    Tensor *tensor = graph_tensor(g, name, kind, t, rank, shape);
    tensor->span = at;
    if (kind != TENSOR_LET)
        vec_push(r->p->ctx, &r->p->params, tensor);
    else
        vec_push(r->p->ctx, &r->p->temps, tensor);
    if (kind == TENSOR_LET && lex_accept(x, "zero")) vec_push(r->p->ctx, &r->p->zeroed, tensor);
}

/* host EXPR: what the one output of a function of the host is. */
static void read_host(KernelReader *r) {
    Graph *g = r->p->graph;
    if (g->tensors.n != 1) {
        lex_fail(&r->lex, r->lex.tok.span, "a function of the host has one output");
        return;
    }
    Tensor *t = g->tensors.at[0];
    const Expr *v = expr_read_as(&r->expr, t->type);
    g->host = true;
    if (!r->lex.failed)
        vec_push(g->ctx, &t->pieces,
                 ((Piece){.vars = NEW(g->ctx, Var *), .subs = NEW(g->ctx, const Expr *), .value = v}));
}

static bool read_declaration(KernelReader *r) {
    static const struct {
        const char *word;
        TensorKind kind;
    } tensors[] = {{"in", TENSOR_INPUT}, {"inout", TENSOR_INOUT}, {"out", TENSOR_OUTPUT}, {"temp", TENSOR_LET}};
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++) {
        if (!lex_accept(&r->lex, tensors[i].word)) continue;
        read_tensor_decl(r, tensors[i].kind);
        return true;
    }
    if (lex_accept(&r->lex, "dim"))
        read_dim(r);
    else if (lex_accept(&r->lex, "scalar"))
        read_scalar(r);
    else if (lex_accept(&r->lex, "option"))
        options_read(&r->lex, &r->p->graph->options);
    else if (lex_accept(&r->lex, "monoid"))
        monoid_read(&r->expr);
    else if (lex_accept(&r->lex, "host"))
        read_host(r);
    else
        return false;
    return true;
}

/* ---- axes and layouts ---- */

/* What a name in an expression means inside a part: an axis, a value, or a factor. */
static const Expr *part_leaf(void *user, const LeafText *leaf) {
    KernelReader *r = user;
    if (!r->part || leaf->primed) return NULL;
    if (leaf->part) {
        Axis *a = kernel_find_axis(r, leaf->name);
        Factor *f = a ? kernel_find_factor(r, a, leaf->part, leaf->nth) : NULL;
        return f ? expr_factor(r->p, f) : NULL;
    }
    Axis *a = kernel_find_axis(r, leaf->name);
    if (a) return expr_var(r->p->graph, a->var);
    Value *v = kernel_find_value(r, leaf->name);
    if (v) return expr_value(r->p, v);
    for (int i = 0; i < r->p->graph->dims.n; i++)
        if (r->p->graph->dims.at[i]->name == leaf->name) return NULL;
    for (int i = 0; i < r->p->graph->scalars.n; i++)
        if (r->p->graph->scalars.at[i]->name == leaf->name) return NULL;
    if (!r->bounds) return NULL;
    r->pending = true; /* a value that is not there yet: the bound is read again at the loop */
    return expr_int(r->p->graph, TY_I64, 0);
}

Axis *kernel_find_axis(KernelReader *r, Sym name) {
    for (int i = 0; i < r->part->axes.n; i++)
        if (r->part->axes.at[i]->name == name) return r->part->axes.at[i];
    return NULL;
}

Value *kernel_find_value(KernelReader *r, Sym name) {
    for (int i = r->scope.n; i-- > 0;)
        if (r->scope.at[i]->name == name) return r->scope.at[i];
    return NULL;
}

Factor *kernel_find_factor(KernelReader *r, const Axis *a, Sym bind, int nth) {
    for (int i = 0; i < r->part->layouts.n; i++) {
        const Layout *l = r->layout ? r->layout : r->part->layouts.at[i];
        int n = nth;
        for (int j = 0; j < l->factors.n; j++) {
            Factor *f = l->factors.at[j];
            if (f->axis == a && !strcmp(bind_text(f->bind), bind) && --n == 0) return f;
        }
    }
    return NULL;
}

/* hi, or lo..hi; both as i64. False where a bound needs values that are not there yet. */
static bool read_bounds(KernelReader *r, const Expr **lo, const Expr **hi) {
    Lex *x = &r->lex;
    r->pending = false;
    *lo = expr_int(r->p->graph, TY_I64, 0);
    *hi = expr_read_as(&r->expr, TY_I64);
    if (lex_accept(x, "..")) {
        *lo = *hi;
        *hi = expr_read_as(&r->expr, TY_I64);
    }
    if (x->failed) return true;
    if ((*lo)->type != TY_I64 || (*hi)->type != TY_I64)
        lex_fail(x, x->tok.span, "a bound of an axis is no index integer (i64)");
    return !r->pending;
}

static void read_axis(KernelReader *r) {
    Lex *x = &r->lex;
    Span at = x->tok.span;
    Sym name = kernel_read_new_name(r);
    if (x->failed) return;
    if (kernel_find_axis(r, name)) lex_fail(x, at, "axis '%s' is declared twice", name);
    lex_expect(x, "=");
    PendingBounds pending = {.at = *x};
    const Expr *lo, *hi;
    r->bounds = true;
    bool ready = read_bounds(r, &lo, &hi);
    r->bounds = false;
    if (x->failed) return;
    Axis *a = part_axis(r->p, r->part, name, lo, hi);
    if (!ready) {
        a->lo = a->hi = NULL;
        pending.axis = a;
        vec_push(r->p->ctx, &r->pendings, pending);
    }
    if (lex_accept(x, "peel")) a->peel = kernel_read_tensor(r);
    if (!lex_accept(x, "shares")) return;
    at = x->tok.span;
    a->shares = lex_int(x);
    if (!x->failed && (a->shares < 1 || a->shares > INT32_MAX)) lex_fail(x, at, "shares of 1 to 2^31 - 1 elements");
}

void kernel_read_pending(KernelReader *r, Axis *a) {
    for (int i = 0; i < r->pendings.n && !r->lex.failed; i++) {
        if (r->pendings.at[i].axis != a || a->lo) continue;
        Lex saved = r->lex;
        const Expr *lo, *hi;
        r->lex = r->pendings.at[i].at;
        read_bounds(r, &lo, &hi);
        if (r->lex.failed) return;
        r->lex = saved;
        a->lo = a->var->lo = lo;
        a->hi = a->var->hi = hi;
    }
}

static bool bind_by_name(const char *name, Bind *b) {
    for (int i = 0; i < BIND_COUNT; i++)
        if (same_word(bind_text((Bind)i), name)) {
            *b = (Bind)i;
            return true;
        }
    return false;
}

typedef struct FactorText {
    Axis *axis;
    Bind bind;
    int64_t size;
} FactorText;
typedef VEC(FactorText) FactorTexts;

static void read_axis_factors(KernelReader *r, Axis *a, FactorTexts *list) {
    Lex *x = &r->lex;
    Bind bind;
    while (!x->failed && x->tok.kind == LEX_NAME && bind_by_name(x->tok.text, &bind)) {
        int64_t size = 0;
        lex_next(x);
        if (lex_accept(x, "(")) {
            Span at = x->tok.span;
            size = lex_int(x);
            if (!x->failed && size < 1) lex_fail(x, at, "the size of a factor is at least 1");
            lex_expect(x, ")");
        }
        if (list->n >= MAX_FACTORS) {
            lex_fail(x, x->tok.span, "more than %d factors", MAX_FACTORS);
            return;
        }
        vec_push(r->p->ctx, list, ((FactorText){a, bind, size}));
    }
}

static void read_layout(KernelReader *r) {
    Lex *x = &r->lex;
    Part *part = r->part;
    FactorTexts list = {0};
    uint64_t given = 0;
    Span at = x->tok.span;
    Sym name = kernel_read_new_name(r);
    for (int i = 0; i < part->layouts.n; i++)
        if (part->layouts.at[i]->name == name) lex_fail(x, at, "layout '%s' is declared twice", name);
    while (x->tok.kind == LEX_NAME && lex_peek_is(x, "=")) {
        Axis *a = kernel_find_axis(r, x->tok.text);
        if (!a)
            lex_fail(x, x->tok.span, "no axis '%s'", x->tok.text);
        else if (given >> a->id & 1)
            lex_fail(x, x->tok.span, "axis '%s' is listed twice", a->name);
        if (x->failed) return;
        given |= (uint64_t)1 << a->id;
        lex_next(x);
        lex_next(x);
        read_axis_factors(r, a, &list);
    }
    if (x->failed) return;
    Layout *l = part_layout(r->p, part, name);
    for (int i = 0; i < part->axes.n; i++) {
        Axis *a = part->axes.at[i];
        const Layout *first = part->layouts.at[0];
        for (int j = 0; j < list.n; j++)
            if (list.at[j].axis == a) layout_factor(r->p, part, l, a, list.at[j].bind, list.at[j].size);
        if (given >> a->id & 1) continue;
        for (int j = 0; l != first && j < first->factors.n; j++)
            if (first->factors.at[j]->axis == a)
                layout_factor(r->p, part, l, a, first->factors.at[j]->bind, first->factors.at[j]->size);
    }
    if (part->factors.n > 4 * MAX_FACTORS) lex_fail(x, at, "more than %d factors", MAX_FACTORS);
}

/* ---- kernels ---- */

static void read_part(KernelReader *r, Sym name) {
    Lex *x = &r->lex;
    Text why = {.ctx = r->p->ctx};
    Span at = x->tok.span;
    r->part = part_new(r->p, r->kernel, name);
    r->scope.n = r->pendings.n = 0;
    while (lex_accept(x, "axis")) {
        read_axis(r);
        if (r->part->axes.n > MAX_FACTORS) lex_fail(x, at, "more than %d axes", MAX_FACTORS);
    }
    while (lex_accept(x, "layout")) read_layout(r);
    if (x->failed) return;
    if (r->part->layouts.n == 0)
        lex_fail(x, x->tok.span, "expected 'layout'");
    else if (!part_share_factors(r->p, r->kernel, r->part, &why))
        lex_fail(x, at, "%s", why.s);
    lex_expect(x, "{");
    kernel_read_body(r, NULL);
    for (int i = 0; i < r->part->axes.n; i++) kernel_read_pending(r, r->part->axes.at[i]);
    r->part = NULL;
}

/* The comment lines that stand directly above byte `at`. */
static Sym comment_above(KernelReader *r, uint32_t at) {
    const char *text = r->lex.text;
    size_t end = at, start = at;
    while (start > 0 && text[start - 1] != '\n') start--;
    end = start;
    while (start > 0) {
        size_t line = start - 1;
        while (line > 0 && text[line - 1] != '\n') line--;
        size_t first = line;
        while (text[first] == ' ') first++;
        if (strncmp(text + first, "//", 2) != 0) break;
        start = line;
    }
    Text t = {.ctx = r->p->ctx};
    while (start < end) {
        size_t n = 0;
        while (text[start] != '/') start++; /* kernels of a choice stand further in */
        start += 2;
        if (text[start] == ' ') start++;
        while (text[start + n] != '\n') n++;
        text_put_n(&t, text + start, n);
        start += n + 1;
        if (start < end) text_char(&t, '\n');
    }
    return t.n ? sym_n(r->p->ctx, t.s, t.n) : NULL;
}

/* for i in lo..hi, j in lo..hi: y[i, j] = value */
static const Product *read_product(KernelReader *r) {
    Lex *x = &r->lex;
    Graph *g = r->p->graph;
    Equation root = {0};
    Span at = x->tok.span;
    Text why = {.ctx = g->ctx};
    r->expr.vars.n = 0;
    lex_expect(x, "for");
    do {
        if (!expr_read_range(&r->expr)) break;
    } while (lex_accept(x, ","));
    root.nvars = r->expr.vars.n;
    root.vars = NEW_N(g->ctx, Var *, root.nvars);
    for (int i = 0; i < root.nvars; i++) root.vars[i] = r->expr.vars.at[i];
    lex_expect(x, ":");
    root.tensor = kernel_read_tensor(r);
    if (x->failed) return NULL;
    root.subs = NEW_N(g->ctx, const Expr *, root.tensor->rank);
    lex_expect(x, "[");
    for (int d = 0; d < root.tensor->rank && !x->failed; d++) {
        if (d) lex_expect(x, ",");
        root.subs[d] = expr_read(&r->expr);
    }
    lex_expect(x, "]");
    lex_expect(x, "=");
    root.value = expr_read(&r->expr);
    r->expr.vars.n = 0;
    if (x->failed) return NULL;
    Product *p = NEW(g->ctx, Product);
    if (product_match(g, &root, p, &why)) return p;
    lex_fail(x, at, "no library runs this: %s", why.n ? why.s : "it is not a sum of products");
    return NULL;
}

static void read_kernel(KernelReader *r, StepList *into) {
    Lex *x = &r->lex;
    Sym comment = comment_above(r, x->tok.span.start);
    lex_next(x);
    Span at = x->tok.span;
    Kernel *k = r->kernel = kernel_new_at(r->p, into, lex_name(x));
    k->span = at;
    k->comment = comment;
    for (int i = 0; i + 1 < r->p->kernels.n; i++)
        if (r->p->kernels.at[i]->name == k->name) lex_fail(x, at, "kernel '%s' is declared twice", k->name);
    if (lex_accept(x, "occupancy")) {
        int64_t n = lex_int(x);
        if (!x->failed && (n < 1 || n > TARGET_MOST_SM_BLOCKS))
            lex_fail(x, at, "occupancy is 1 to %d blocks", TARGET_MOST_SM_BLOCKS);
        k->blocks_per_sm = (int)n;
    }
    if (lex_accept(x, "library")) k->product = read_product(r);
    while (lex_accept(x, "where")) {
        const Expr *c = expr_read(&r->expr);
        if (!x->failed && c->type != TY_BOOL) lex_fail(x, at, "a condition is not bool");
        vec_push(r->p->ctx, &k->where, c);
    }
    if (!lex_is(x, "part")) {
        read_part(r, NULL);
        return;
    }
    while (lex_accept(x, "part")) {
        Sym name = kernel_read_new_name(r);
        for (int i = 0; i < k->parts.n; i++)
            if (k->parts.at[i]->name == name) lex_fail(x, x->tok.span, "part '%s' is declared twice", name);
        read_part(r, name);
    }
}

/* ---- steps ---- */

static void read_steps(KernelReader *r, StepList *into, int depth);

static void read_case(KernelReader *r, Choice *c, bool last, int depth) {
    Lex *x = &r->lex;
    Span at = x->tok.span;
    const Expr *when = last ? NULL : expr_read(&r->expr);
    if (!x->failed && when && when->type != TY_BOOL) lex_fail(x, at, "a condition is not bool");
    lex_expect(x, "{");
    ChoiceCase *k = choice_case(r->p, c, when);
    read_steps(r, &k->steps, depth + 1);
    lex_expect(x, "}");
}

/* when COND { STEPS } else when COND { STEPS } else { STEPS } */
static void read_choice(KernelReader *r, StepList *into, int depth) {
    Lex *x = &r->lex;
    Choice *c = choice_new(r->p, into);
    bool more = true, last = false;
    c->span = x->tok.span;
    if (depth >= MAX_NESTED) lex_fail(x, c->span, "more than %d choices in each other", MAX_NESTED);
    if (++r->nchoices > MAX_CHOICES) lex_fail(x, c->span, "more than %d choices", MAX_CHOICES);
    lex_expect(x, "when");
    while (more && !x->failed) {
        read_case(r, c, last, depth);
        more = !last && lex_accept(x, "else");
        if (more) last = !lex_accept(x, "when");
    }
    if (!last) lex_fail(x, c->span, "a choice ends with 'else', for the sizes that no case takes");
}

/* sort NAME order, starts = keys below N with scratch; `_` for an order that nobody reads, as it is of keys that are
 * `ascending`. A rank has one tensor before =, and `ascending` or `descending` behind its keys. */
static void read_sort(KernelReader *r, StepList *into) {
    Lex *x = &r->lex;
    lex_expect(x, "sort");
    Span at = x->tok.span;
    SortStep *s = step_sort(r->p, into, lex_name(x));
    s->span = at;
    if (!lex_accept(x, "_")) s->sort.order = kernel_read_tensor(r);
    if (!s->sort.order || !lex_is(x, "=")) {
        lex_expect(x, ",");
        s->sort.starts = kernel_read_tensor(r);
    }
    lex_expect(x, "=");
    s->sort.keys = kernel_read_tensor(r);
    if (s->sort.starts) {
        s->sort.ascends = lex_accept(x, "ascending");
        lex_expect(x, "below");
        s->sort.below = expr_read_as(&r->expr, TY_I64);
    } else if (!(s->sort.descending = lex_accept(x, "descending"))) {
        lex_expect(x, "ascending");
    }
    lex_expect(x, "with");
    s->scratch = kernel_read_tensor(r);
}

/* What steps begin with. */
static const char *const step_words[] = {
#define STEP(e, word) [STEP_##e] = #word,
#include "steps.def"
};

static void read_step(KernelReader *r, StepKind kind, StepList *into, int depth) {
    switch (kind) {
    case STEP_KERNEL: read_kernel(r, into); break;
    case STEP_CHOICE: read_choice(r, into, depth); break;
    case STEP_SORT: read_sort(r, into); break;
    }
}

/* Up to what begins no step. */
static void read_steps(KernelReader *r, StepList *into, int depth) {
    int kind = 0;
    while (!r->lex.failed && kind < STEP_KINDS) {
        for (kind = 0; kind < STEP_KINDS && !lex_is(&r->lex, step_words[kind]);) kind++;
        if (kind < STEP_KINDS) read_step(r, (StepKind)kind, into, depth);
    }
}

/* Says which words may stand where no step begins. */
static void fail_step(Lex *x, Ctx *ctx) {
    Text words = {.ctx = ctx};
    for (int i = 0; i < STEP_KINDS; i++)
        text_fmt(&words, "%s'%s'", !i ? "" : i + 1 < STEP_KINDS ? ", " : " or ", step_words[i]);
    lex_fail(x, x->tok.span, "expected %s", words.s);
}

Program *program_read(Ctx *ctx, const char *text, size_t n, int file) {
    KernelReader *r = NEW(ctx, KernelReader);
    Lex *x = &r->lex;
    lex_init(x, ctx, text, n, file);
    lex_expect(x, "program");
    Graph *g = graph_new(ctx, lex_name(x));
    r->p = program_new(ctx, g);
    r->expr = (ExprReader){.g = g, .lex = x, .leaf = part_leaf, .user = r};
    while (read_declaration(r)) {
    }
    read_steps(r, &r->p->steps, 0);
    if (!x->failed && x->tok.kind != LEX_END) fail_step(x, ctx);
    if (!lex_report(x, DIAG_KERNEL_TEXT)) return NULL;
    for (int i = 0; i < r->p->kernels.n; i++) {
        Text why = {.ctx = ctx};
        if (kernel_finish(r->p, r->p->kernels.at[i], &why)) continue;
        diag_report(ctx, DIAG_KERNEL_ILLEGAL, r->p->kernels.at[i]->span, "kernel %s: %s", r->p->kernels.at[i]->name,
                    why.s);
        return NULL;
    }
    program_find_ways(r->p); /* too many are for program_verify to refuse */
    return r->p;
}
