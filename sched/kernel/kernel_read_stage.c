/* Reads the stages of a part: the second half of the reader of kernel text (kernel_read.c). */
#include "kernel_text.h"

#include <string.h>

enum { MAX_COUNT = 1 << 20 }; /* of depths, pads and iterations ahead */

/* ---- where a stage ends ---- */

/* Sets r->layout to the one that the stage states, and ends the text where a tuple of results follows: after an
 * expression its parenthesis would read as a call. The scan begins after the stage's keyword and ends at the next
 * stage's '=' or at a brace; `own` is the number of '=' that belong to the stage itself. */
static void scan_stage(KernelReader *r, int own) {
    Lex y = r->lex;
    size_t tuple = 0;
    int depth = 0;
    bool closed = false;
    r->layout = NULL;
    for (; y.tok.kind != LEX_END; lex_next(&y)) {
        bool open = lex_is(&y, "(") || lex_is(&y, "[");
        if (depth == 0 && (lex_is(&y, "{") || lex_is(&y, "}"))) return;
        if (depth == 0 && lex_is(&y, "(")) tuple = y.tok.span.start;
        if (depth == 0 && lex_is(&y, "=") && own-- == 0) {
            if (closed && tuple > r->lex.tok.span.start) r->lex.n = tuple;
            return;
        }
        if (depth == 0 && lex_is(&y, "in")) {
            lex_next(&y);
            for (int i = 0; i < r->part->layouts.n; i++)
                if (r->part->layouts.at[i]->name == y.tok.text) r->layout = r->part->layouts.at[i];
        }
        closed = lex_is(&y, ")");
        depth += open;
        depth -= depth > 0 && (closed || lex_is(&y, "]"));
    }
}

/* ---- pieces of stages ---- */

static void read_access(KernelReader *r, Stage *s) {
    Lex *x = &r->lex;
    const Expr *subs[MAX_RANK];
    int n = 0;
    Span at = x->tok.span;
    s->tensor = kernel_read_tensor(r);
    lex_expect(x, "[");
    while (!x->failed && !lex_is(x, "]") && n < MAX_RANK) {
        subs[n++] = expr_read_as(&r->expr, TY_I64);
        if (!lex_accept(x, ",")) break;
    }
    lex_expect(x, "]");
    if (x->failed) return;
    if (n != s->tensor->rank) {
        lex_fail(x, at, "'%s' has %d subscripts", s->tensor->name, s->tensor->rank);
        return;
    }
    s->subs = NEW_N(r->p->ctx, const Expr *, n + 1);
    for (int i = 0; i < n; i++) s->subs[i] = subs[i];
}

static void read_fold(KernelReader *r, Stage *s) {
    Lex *x = &r->lex;
    Span at = x->tok.span;
    Sym name = lex_name(x);
    const Monoid *m = monoid_named(r->p->graph, name);
    lex_expect(x, "(");
    int n = 0;
    do {
        if (n == MAX_PARTS)
            lex_fail(x, at, "a monoid has at most %d operands", MAX_PARTS);
        else if (m && monoid_declared(m) && n < m->n)
            s->expr[n] = expr_read_as(&r->expr, m->type[n]), n++;
        else
            s->expr[n++] = expr_read(&r->expr);
    } while (lex_accept(x, ","));
    lex_expect(x, ")");
    if (x->failed) return;
    if (!m)
        lex_fail(x, at, "no monoid '%s'", name);
    else if (m->n != n)
        lex_fail(x, at, "monoid '%s' has %d operands", name, m->n);
    if (m) s->monoid = monoid_of(r->p->graph, m, s->expr[0]->type);
}

/* Factors named n.reg, or n for those of `whole` that n has, up to something else. */
static FactorSet read_factors(KernelReader *r, Layout *l, FactorSet whole, bool commas) {
    Lex *x = &r->lex;
    FactorSet set = 0;
    r->layout = l;
    while (x->tok.kind == LEX_NAME && !lex_peek_is(x, "=")) {
        Axis *a = kernel_find_axis(r, x->tok.text);
        if (!a) break;
        Span at = x->tok.span;
        lex_next(x);
        if (lex_accept(x, ".")) {
            Sym bind = lex_name(x);
            int64_t nth = lex_accept(x, "#") ? lex_int(x) : 1;
            Factor *f = nth >= 1 && nth <= MAX_FACTORS ? kernel_find_factor(r, a, bind, (int)nth) : NULL;
            if (!f)
                lex_fail(x, at, "axis '%s' has no such factor in layout '%s'", a->name, l->name);
            else
                set |= (FactorSet)1 << f->id;
        } else {
            set |= layout_axis_factors(l, a) & whole;
        }
        if (commas && !lex_accept(x, ",")) break;
    }
    return set;
}

static int read_count(KernelReader *r, int least) {
    Span at = r->lex.tok.span;
    int64_t n = lex_int(&r->lex);
    if (r->lex.failed) return least;
    if (n < least || n > MAX_COUNT) {
        lex_fail(&r->lex, at, "a number from %d on", least);
        return least;
    }
    return (int)n;
}

/* `if c` after a stage; not `if c {`, which is a stage of its own. */
static bool read_cond(KernelReader *r, Stage *s) {
    Lex *x = &r->lex;
    bool takes = s->kind == STAGE_LOAD || s->kind == STAGE_STORE || s->kind == STAGE_ATOMIC ||
                 s->kind == STAGE_SCATTER || s->kind == STAGE_REDUCE || s->kind == STAGE_SCAN;
    if (!takes || s->cond || !lex_is(x, "if")) return false;
    Lex saved = *x;
    lex_next(x);
    const Expr *c = expr_read(&r->expr);
    if (x->failed) return false;
    if (lex_is(x, "{")) {
        *x = saved;
        return false;
    }
    s->cond = c;
    if (s->kind == STAGE_LOAD && lex_accept(x, "else")) s->other = expr_read_as(&r->expr, s->tensor->type);
    return true;
}

static void read_carry(KernelReader *r, Stage *s) {
    Lex *x = &r->lex;
    bool tuple = lex_accept(x, "(");
    Value *state[MAX_PARTS] = {NULL};
    for (int i = 0; i < s->monoid->n; i++) {
        if (i) lex_expect(x, ",");
        Span at = x->tok.span;
        Sym name = lex_name(x);
        state[i] = kernel_find_value(r, name);
        if (!x->failed && !state[i]) lex_fail(x, at, "unknown name '%s'", name);
    }
    stage_carry(r->p, s, state);
    if (tuple) lex_expect(x, ")");
}

static bool read_modifier(KernelReader *r, Stage *s) {
    Lex *x = &r->lex;
    StageKind k = s->kind;
    bool moves = k == STAGE_LOAD || k == STAGE_STORE;
    if (read_cond(r, s)) return true;
    if (k == STAGE_LOAD && lex_accept(x, "ahead"))
        s->depth = read_count(r, 1);
    else if ((k == STAGE_LOAD || k == STAGE_READ) && lex_accept(x, "packed"))
        s->packed = true;
    else if (moves && lex_accept(x, "stream"))
        s->cache = CACHE_STREAM;
    else if (moves && lex_accept(x, "keep"))
        s->cache = CACHE_KEEP;
    else if ((k == STAGE_STORE || k == STAGE_COPY) && lex_accept(x, "bulk"))
        s->path = PATH_BULK;
    else if (k == STAGE_STORE && lex_accept(x, "meet"))
        s->meet = true;
    else if (k == STAGE_COPY && lex_accept(x, "async"))
        s->path = PATH_ASYNC;
    else if (k == STAGE_COPY && lex_accept(x, "depth"))
        s->depth = read_count(r, 1);
    else if (k == STAGE_COPY && lex_accept(x, "hold"))
        s->held = true;
    else if (k == STAGE_SHARE && lex_accept(x, "pad"))
        s->pad = read_count(r, 1);
    else if (k == STAGE_SHARE && lex_accept(x, "swizzle"))
        s->swizzle = true;
    else if (k == STAGE_SCAN && lex_accept(x, "exclusive"))
        s->exclusive = true;
    else if (k == STAGE_SCAN && lex_accept(x, "reverse"))
        s->reverse = true;
    else if (k == STAGE_SCAN && !s->carry[0] && lex_accept(x, "carry"))
        read_carry(r, s);
    else if (lex_is(x, "in")) {
        lex_next(x);
        Span at = x->tok.span;
        Sym name = lex_name(x);
        if (!x->failed && (!s->layout || s->layout->name != name)) lex_fail(x, at, "no layout '%s'", name);
    } else {
        return false;
    }
    return true;
}

/* ---- kinds of stages ---- */

static void read_reduce(KernelReader *r, Stage *s) {
    read_fold(r, s);
    lex_expect(&r->lex, "over");
    if (r->lex.failed) return;
    Layout *l = s->layout ? s->layout : stage_default_layout(r->part, s);
    FactorSet whole = l->all & ~layout_scope_factors(l, SCOPE_LOOP);
    for (int i = 0; i < l->factors.n; i++)
        if (l->factors.at[i]->bind == BIND_GRID) whole &= ~((FactorSet)1 << l->factors.at[i]->id);
    s->over = read_factors(r, l, whole & stage_operands(r->part, l, s), false);
    if (!r->lex.failed && !s->over)
        lex_fail(&r->lex, r->lex.tok.span, "the operand has no factor of these axes to fold over");
}

static Axis *read_axis(KernelReader *r) {
    Span at = r->lex.tok.span;
    Sym name = lex_name(&r->lex);
    Axis *a = kernel_find_axis(r, name);
    if (!r->lex.failed && !a) lex_fail(&r->lex, at, "no axis '%s'", name);
    return a;
}

static void read_scan(KernelReader *r, Stage *s) {
    read_fold(r, s);
    lex_expect(&r->lex, "along");
    s->axis = read_axis(r);
}

static void read_var(KernelReader *r, Stage *s, Sym *name, Type *t, FactorSet *domain) {
    Lex *x = &r->lex;
    *name = kernel_read_new_name(r);
    if (!s->layout) s->layout = r->part->layouts.at[0];
    lex_expect(x, "[");
    *domain = read_factors(
        r, s->layout, layout_scope_factors(s->layout, SCOPE_THREAD) | layout_scope_factors(s->layout, SCOPE_REG), true);
    lex_expect(x, "]");
    lex_expect(x, ":");
    *t = lex_type(x);
    if (s->kind == STAGE_BINS) {
        lex_expect(x, "along");
        s->axis = read_axis(r);
    }
    lex_expect(x, "=");
    s->expr[0] = expr_read_as(&r->expr, *t);
}

/* `sum z[key] = value`. */
static void read_scatter(KernelReader *r, Stage *s) {
    Lex *x = &r->lex;
    Span at = x->tok.span;
    const Monoid *m = monoid_named(r->p->graph, lex_name(x));
    s->source = kernel_find_value(r, lex_name(x));
    if (!x->failed && (!s->source || s->source->def->kind != STAGE_BINS)) lex_fail(x, at, "scatter wants bins");
    if (!x->failed && !m) lex_fail(x, at, "no monoid of that name");
    lex_expect(x, "[");
    s->expr[1] = expr_read_as(&r->expr, TY_I64);
    lex_expect(x, "]");
    lex_expect(x, "=");
    if (x->failed) return;
    s->expr[0] = expr_read_as(&r->expr, s->source->type);
    s->monoid = monoid_of(r->p->graph, m, s->source->type);
}

static void read_set(KernelReader *r, Stage *s) {
    Lex *x = &r->lex;
    Span at = x->tok.span;
    Sym name = lex_name(x);
    Value *v = kernel_find_value(r, name);
    lex_expect(x, "=");
    if (!x->failed && (!v || v->kind != VALUE_VAR)) lex_fail(x, at, "'%s' is not a var", name);
    if (x->failed) return;
    s->nout = 1;
    s->out[0] = v;
    s->expr[0] = expr_read_as(&r->expr, v->type);
}

static void read_store(KernelReader *r, Stage *s) {
    Lex *x = &r->lex;
    Sym fold = s->kind == STAGE_ATOMIC ? lex_name(x) : NULL;
    Span at = x->tok.span;
    read_access(r, s);
    lex_expect(x, "=");
    if (x->failed) return;
    s->expr[0] = expr_read_as(&r->expr, s->tensor->type);
    const Monoid *m = fold && !x->failed ? monoid_named(r->p->graph, fold) : NULL;
    if (m && !monoid_declared(m)) s->monoid = monoid_of(r->p->graph, m, s->tensor->type);
    if (!x->failed && fold && !s->monoid) lex_fail(x, at, "no monoid '%s'", fold);
}

static void read_nested(KernelReader *r, Stage *s) {
    Lex *x = &r->lex;
    if (s->kind == STAGE_IF) {
        s->cond = expr_read(&r->expr);
    } else if (s->kind == STAGE_FOR) {
        s->axis = read_axis(r);
        if (!x->failed) kernel_read_pending(r, s->axis);
    } else {
        s->over = read_factors(r, r->part->layouts.at[0], 0, false);
        lex_expect(x, "counter");
        s->counter = kernel_read_tensor(r);
    }
    lex_expect(x, "{");
    if (x->failed) return;
    stage_finish(r->part, s);
    if (++r->nest > MAX_NEST) {
        lex_fail(x, s->span, "nesting is too deep");
        return;
    }
    int mark = r->scope.n;
    kernel_read_body(r, s);
    r->scope.n = mark;
    for (int i = 0; i < s->body.n; i++)
        if (s->body.at[i]->held) vec_push(r->p->ctx, &r->scope, s->body.at[i]->out[0]);
    r->nest--;
}

/* ---- results ---- */

typedef struct Results {
    Sym name[MAX_PARTS];
    int n;
} Results;

static void read_results(KernelReader *r, Results *out) {
    Lex *x = &r->lex;
    bool tuple = lex_accept(x, "(");
    do {
        if (out->n == MAX_PARTS)
            lex_fail(x, x->tok.span, "at most %d results", MAX_PARTS);
        else
            out->name[out->n++] = kernel_read_new_name(r);
    } while (tuple && lex_accept(x, ","));
    if (tuple) lex_expect(x, ")");
    lex_expect(x, "=");
}

static bool name_taken(KernelReader *r, Sym name) {
    const Graph *g = r->p->graph;
    bool taken = kernel_find_axis(r, name) != NULL;
    for (int i = 0; i < r->part->values.n; i++) taken |= r->part->values.at[i]->name == name;
    for (int i = 0; i < g->dims.n; i++) taken |= g->dims.at[i]->name == name;
    for (int i = 0; i < g->scalars.n; i++) taken |= g->scalars.at[i]->name == name;
    return taken;
}

static void add_value(KernelReader *r, Stage *s, Sym name, ValueKind kind, Type t, FactorSet domain) {
    if (name_taken(r, name)) lex_fail(&r->lex, s->span, "name '%s' is taken", name);
    Value *v = part_value(r->p, r->part, name, kind, t, s->layout, domain);
    v->def = s;
    s->out[s->nout++] = v;
}

static void add_results(KernelReader *r, Stage *s, const Results *names) {
    bool folds = s->kind == STAGE_REDUCE || s->kind == STAGE_SCAN;
    if (names->n != (folds ? s->monoid->n : 1)) {
        lex_fail(&r->lex, s->span, "the stage has %d result%s", folds ? s->monoid->n : 1,
                 folds && s->monoid->n > 1 ? "s" : "");
        return;
    }
    for (int i = 0; i < names->n; i++) {
        Type t = folds       ? s->monoid->type[i]
                 : s->tensor ? s->tensor->type
                 : s->source ? s->source->type
                             : s->expr[0]->type;
        add_value(r, s, names->name[i], s->kind == STAGE_COPY || s->kind == STAGE_SHARE ? VALUE_SHARED : VALUE_REG, t,
                  0);
    }
}

static void read_operation(KernelReader *r, Stage *s) {
    Lex *x = &r->lex;
    Span at = x->tok.span;
    switch (s->kind) {
    case STAGE_LOAD:
    case STAGE_COPY: read_access(r, s); break;
    case STAGE_SHARE:
    case STAGE_MAP: s->expr[0] = expr_read(&r->expr); break;
    case STAGE_READ:
        s->source = kernel_find_value(r, lex_name(x));
        if (!x->failed && (!s->source || s->source->kind != VALUE_SHARED)) lex_fail(x, at, "read wants a shared value");
        break;
    case STAGE_REDUCE: read_reduce(r, s); break;
    case STAGE_SCAN: read_scan(r, s); break;
    case STAGE_SET: read_set(r, s); break;
    case STAGE_STORE:
    case STAGE_ATOMIC: read_store(r, s); break;
    case STAGE_SCATTER: read_scatter(r, s); break;
    case STAGE_BINS:
    case STAGE_VAR:
    case STAGE_FOR:
    case STAGE_IF:
    case STAGE_LAST:
    case STAGE_COUNT: break;
    }
}

/* A stage with its modifiers. */
static void read_plain(KernelReader *r, Stage *s, const Results *names) {
    Lex *x = &r->lex;
    size_t end = x->n;
    Sym name = NULL;
    Type t = TY_F32;
    FactorSet domain = 0;
    const bool declares = s->kind == STAGE_VAR || s->kind == STAGE_BINS, changes = s->kind == STAGE_SCATTER;
    scan_stage(r, declares || changes || s->kind == STAGE_SET || s->kind == STAGE_STORE || s->kind == STAGE_ATOMIC);
    s->layout = r->layout;
    if (declares)
        read_var(r, s, &name, &t, &domain);
    else
        read_operation(r, s);
    r->layout = s->layout;
    while (!x->failed && read_modifier(r, s)) {
    }
    r->layout = NULL;
    if (x->failed) return;
    x->n = end;
    if (x->tok.kind == LEX_END) lex_next(x);
    if (declares)
        add_value(r, s, name, s->kind == STAGE_VAR ? VALUE_VAR : VALUE_SHARED, t, domain);
    else if (names->n)
        add_results(r, s, names);
    if (x->failed) return;
    stage_finish(r->part, s);
    for (int i = 0; i < s->nout && s->kind != STAGE_SET; i++) vec_push(r->p->ctx, &r->scope, s->out[i]);
}

static bool stage_by_name(const char *name, StageKind *k) {
    for (int i = 0; i < STAGE_COUNT; i++)
        if (!strcmp(stage_text((StageKind)i), name)) {
            *k = (StageKind)i;
            return true;
        }
    return false;
}

static bool makes_values(StageKind k) {
    return k == STAGE_LOAD || k == STAGE_COPY || k == STAGE_SHARE || k == STAGE_READ || k == STAGE_MAP ||
           k == STAGE_REDUCE || k == STAGE_SCAN;
}

void kernel_read_body(KernelReader *r, Stage *parent) {
    Lex *x = &r->lex;
    while (!x->failed && !lex_accept(x, "}")) {
        Results names = {0};
        StageKind kind = STAGE_COUNT;
        Span at = x->tok.span;
        bool statement = x->tok.kind == LEX_NAME && stage_by_name(x->tok.text, &kind) && !makes_values(kind);
        if (!statement) read_results(r, &names);
        if (!x->failed &&
            (x->tok.kind != LEX_NAME || !stage_by_name(x->tok.text, &kind) || makes_values(kind) == statement))
            lex_fail(x, x->tok.span, "expected a stage");
        if (x->failed) return;
        lex_next(x);
        Stage *s = stage_new(r->p, kind);
        s->span = at;
        if (kind == STAGE_COPY) s->path = PATH_ASYNC;
        if (parent)
            vec_push(r->p->ctx, &parent->body, s);
        else
            vec_push(r->p->ctx, &r->part->body, s);
        if (kind == STAGE_FOR || kind == STAGE_IF || kind == STAGE_LAST)
            read_nested(r, s);
        else
            read_plain(r, s, &names);
    }
}
