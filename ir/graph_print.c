/* Graphs as text (ir/README.md). graph_read reads it back exactly. */
#include "monoid.h"

#include <string.h>

static const char *const kind_words[] = {
    [TENSOR_INPUT] = "in", [TENSOR_INOUT] = "inout", [TENSOR_OUTPUT] = "out", [TENSOR_LET] = "let"};

/* Whether the parameters are declared in another order than that of the C interface. */
static bool is_reordered(const Graph *g) {
    for (int i = 0, k = 0; i < g->tensors.n; i++)
        if (g->tensors.at[i]->kind != TENSOR_LET && g->tensors.at[i] != g->params.at[k++]) return true;
    return false;
}

static void print_header(ExprPrinter *p, const Graph *g) {
    Text *out = p->out;
    text_fmt(out, "graph %s%s\n", g->name, g->host ? " host" : "");
    for (int i = 0; i < g->dims.n; i++) {
        const Dim *d = g->dims.at[i];
        text_fmt(out, "  dim %s", d->name);
        if (d->hi != INT64_MAX)
            text_fmt(out, " in %lld..=%lld", (long long)d->lo, (long long)d->hi);
        else if (d->lo != 0)
            text_fmt(out, " in %lld..", (long long)d->lo);
        if (d->has_default) text_fmt(out, " = %lld", (long long)d->def);
        if (d->hint) text_fmt(out, " hint %lld", (long long)d->hint);
        if (d->divisor != 1) text_fmt(out, " divisible %lld", (long long)d->divisor);
        text_char(out, '\n');
    }
    for (int i = 0; i < g->scalars.n; i++) {
        const Scalar *s = g->scalars.at[i];
        text_fmt(out, "  scalar %s: %s", s->name, type_name(s->type));
        if (s->has_default) {
            text_put(out, " = ");
            text_double(out, s->def);
        }
        text_char(out, '\n');
    }
    options_print(out, &g->options);
    for (int i = 0; i < g->monoids.n; i++) {
        text_put(out, "  ");
        monoid_print(out, g->monoids.at[i]);
        text_char(out, '\n');
    }
    for (int i = 0; i < g->tensors.n; i++) {
        const Tensor *t = g->tensors.at[i];
        text_fmt(out, "  %s %s: %s[", kind_words[t->kind], t->name, type_name(t->type));
        for (int d = 0; d < t->rank; d++) {
            if (d) text_put(out, ", ");
            expr_print_with(p, t->shape[d]);
        }
        text_fmt(out, "]%s\n", t->rounds ? " rounds" : "");
    }
    if (!is_reordered(g)) return;
    for (int i = 0; i < g->params.n; i++) text_fmt(out, "%s%s", i ? ", " : "  params ", g->params.at[i]->name);
    text_char(out, '\n');
}

static void print_vars(ExprPrinter *p, Var *const *vars, int n) {
    text_put(p->out, "for");
    for (int i = 0; i < n; i++) {
        text_put(p->out, i ? ", " : " ");
        const Var *v = vars[i];
        /* The range is read before the variable is known: print it under the names so far. */
        Text range = {.ctx = p->out->ctx};
        Text *out = p->out;
        p->out = &range;
        expr_print_with(p, v->lo);
        text_put(&range, "..");
        expr_print_with(p, v->hi);
        p->out = out;
        text_fmt(out, "%s in %s", expr_print_bind(p, v), range.s);
    }
    text_put(p->out, ": ");
}

static bool is_plain(const Tensor *t, const Piece *x) {
    if (x->nvars != t->rank) return false;
    for (int d = 0; d < t->rank; d++) {
        int64_t lo;
        if (x->subs[d]->op != OP_VAR || x->subs[d]->u.var != x->vars[d]) return false;
        if (!expr_is_int(x->vars[d]->lo, &lo) || lo != 0 || x->vars[d]->hi != t->shape[d]) return false;
    }
    return true;
}

static void print_piece(ExprPrinter *p, const Tensor *t, const Piece *x) {
    ExprPrinter inner = {.out = p->out};
    for (int i = 0; i < p->used.n; i++) vec_push(p->out->ctx, &inner.used, p->used.at[i]);
    bool plain = is_plain(t, x);
    if (!plain) print_vars(&inner, x->vars, x->nvars);
    text_fmt(p->out, "%s[", t->name);
    for (int d = 0; d < t->rank; d++) {
        if (d) text_put(p->out, ", ");
        if (plain)
            text_put(p->out, expr_print_bind(&inner, x->vars[d]));
        else
            expr_print_with(&inner, x->subs[d]);
    }
    text_fmt(p->out, "] %s= ", x->update ? x->update->name : "");
    expr_print_as(&inner, x->value, t->type);
    if (x->guard) {
        text_put(p->out, " where ");
        expr_print_with(&inner, x->guard);
    }
    text_char(p->out, '\n');
}

/* At the first of the tensors that it defines. */
static void print_sort(ExprPrinter *p, const Sort *s) {
    if (sort_ranks(s)) {
        text_fmt(p->out, "rank %s = %s %s\n", s->order->name, s->keys->name, sort_direction(s));
        return;
    }
    text_fmt(p->out, "sort %s, %s = %s%s below ", s->order->name, s->starts->name, s->keys->name,
             s->ascends ? " ascending" : "");
    expr_print_with(p, s->below);
    text_char(p->out, '\n');
}

static void print_fact(ExprPrinter *p, const Fact *f) {
    ExprPrinter inner = {.out = p->out};
    for (int i = 0; i < p->used.n; i++) vec_push(p->out->ctx, &inner.used, p->used.at[i]);
    text_put(p->out, f->require ? "require " : "assume ");
    if (f->nvars) print_vars(&inner, f->vars, f->nvars);
    expr_print_with(&inner, f->cond);
    if (f->text) {
        text_put(p->out, ", \"");
        for (const char *s = f->text; *s; s++) {
            if (*s == '"' || *s == '\\') text_char(p->out, '\\');
            if (*s == '\n')
                text_put(p->out, "\\n");
            else
                text_char(p->out, *s);
        }
        text_char(p->out, '"');
    }
    text_char(p->out, '\n');
}

void graph_print(Text *out, const Graph *g) {
    ExprPrinter p = {.out = out};
    for (int i = 0; i < g->dims.n; i++) vec_push(out->ctx, &p.used, g->dims.at[i]->name);
    for (int i = 0; i < g->scalars.n; i++) vec_push(out->ctx, &p.used, g->scalars.at[i]->name);
    print_header(&p, g);
    for (int i = 0; i < g->tensors.n; i++) {
        const Tensor *t = g->tensors.at[i];
        for (int k = 0; k < t->pieces.n; k++) print_piece(&p, t, &t->pieces.at[k]);
        if (t->sort && t->sort->order == t) print_sort(&p, t->sort);
    }
    for (int i = 0; i < g->facts.n; i++) print_fact(&p, &g->facts.at[i]);
}
