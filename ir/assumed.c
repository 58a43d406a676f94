/* Makes the Graph of an entry's assumptions. See assumed.h. Decides nothing: what the host can test is left to it. */
#include "assumed.h"

#include "diag.h"
#include "expr_is.h"
#include "expr_walk.h"

#include <string.h>

typedef struct Assume {
    Graph *g;
    ExprRewrite safe; /* loads beyond a tensor are 0 */
    ExprMap kept;     /* tensors */
    ExprMap stated;   /* the texts of assumptions */
    VEC(Tensor *) order;
} Assume;

/* ---- loads that stay in range ---- */

static const Expr *in_range(Graph *g, const Expr *load) {
    const Expr *cond = NULL, *zero = expr_int(g, TY_I64, 0);
    for (int d = 0; d < load->nargs; d++) {
        if (!expr_has_op(load->arg[d], OP_LOAD)) continue;
        const Expr *sub = expr_cast(g, TY_I64, load->arg[d]);
        const Expr *inside = expr2(g, OP_AND, expr2(g, OP_LE, zero, sub),
                                   expr2(g, OP_LT, sub, expr_cast(g, TY_I64, load->u.tensor->shape[d])));
        cond = cond ? expr2(g, OP_AND, cond, inside) : inside;
    }
    return cond;
}

/* A load, whose subscripts are safe already, of what is in range, and 0 beyond. */
static const Expr *safe_load(ExprRewrite *x, const Expr *e, const Expr *r) {
    const Expr *cond = e->op == OP_LOAD ? in_range(x->g, r) : NULL;
    if (!cond) return r;
    Type t = type_acc(r->type);
    const Expr *none = type_is_float(t) ? expr_float(x->g, t, 0) : expr_int(x->g, t, 0);
    return expr_cast(x->g, r->type, expr3(x->g, OP_IF, cond, expr_cast(x->g, t, r), none));
}

static const Expr *safe(Assume *a, const Expr *e) { return expr_rewrite(&a->safe, e); }

/* ---- the assumptions ---- */

/* Its words in the source, with single spaces. */
static Sym words(Ctx *ctx, const Fact *f) {
    size_t n = 0;
    const char *text = f->span.file >= 0 ? diag_file_text(ctx, f->span.file, &n) : NULL;
    Text t = {.ctx = ctx};
    if (!text || f->span.end > n || f->span.start >= f->span.end) {
        text_put(&t, "assume ");
        expr_print(&t, f->cond, NULL);
        return sym(ctx, t.s);
    }
    bool space = false;
    for (uint32_t i = f->span.start; i < f->span.end && text[i] != ';'; i++) {
        bool blank = text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r';
        if (!blank && space && t.s) text_char(&t, ' ');
        if (!blank) text_char(&t, text[i]);
        space = blank;
    }
    return sym(ctx, t.s ? t.s : "");
}

static Sym place(Ctx *ctx, Span s) {
    int line = 0, col = 0;
    diag_place(ctx, s.file, s.start, &line, &col);
    if (!line) return sym(ctx, "");
    const char *name = diag_file_name(ctx, s.file), *slash = strrchr(name, '/');
    return sym_fmt(ctx, "%s:%d", slash ? slash + 1 : name, line);
}

/* Of data, over ranges that the host knows. */
static bool is_testable(const Fact *f) {
    if (f->require || !expr_has_op(f->cond, OP_LOAD)) return false;
    for (int i = 0; i < f->nvars; i++) {
        int64_t lo;
        if (!expr_is_int(f->vars[i]->lo, &lo) || lo || !expr_over_dims(f->vars[i]->hi)) return false;
    }
    return true;
}

static Assumed describe(Ctx *ctx, const Fact *f) {
    Assumed a = {words(ctx, f), place(ctx, f->span), f->nvars, NEW_N(ctx, Sym, f->nvars + 1),
                 NEW_N(ctx, const Expr *, f->nvars + 1)};
    for (int i = 0; i < f->nvars; i++) {
        a.names[i] = f->vars[i]->name;
        a.extents[i] = f->vars[i]->hi;
    }
    return a;
}

/* min over the variables of the number of this choice of them where the condition does not hold. */
static void add_output(Assume *a, const Fact *f, int number) {
    Graph *g = a->g;
    Sym name = sym_fmt(g->ctx, "assumption_%d", number);
    while (graph_name_taken(g, name)) name = sym_fmt(g->ctx, "%s_", name);
    Tensor *t = graph_tensor(g, name, TENSOR_OUTPUT, TY_I64, 0, NULL);
    const Expr *at = f->nvars ? expr_var(g, f->vars[0]) : expr_int(g, TY_I64, 0), *value;
    for (int i = 1; i < f->nvars; i++)
        at = expr2(g, OP_ADD, expr2(g, OP_MUL, at, expr_cast(g, TY_I64, f->vars[i]->hi)), expr_var(g, f->vars[i]));
    value = expr3(g, OP_IF, safe(a, f->cond), expr_int(g, TY_I64, INT64_MAX), at);
    if (f->nvars) {
        Reduce *r = NEW(g->ctx, Reduce);
        *r = (Reduce){.monoid = monoid_row(MONOID_MIN), .nvars = f->nvars, .vars = f->vars};
        value = expr_reduce(g, r, NULL, value);
    }
    t->rounds = true;
    t->span = f->span;
    vec_push(g->ctx, &t->pieces, ((Piece){.subs = NEW_N(g->ctx, const Expr *, 1), .value = value, .span = f->span}));
}

/* ---- what they need ---- */

static void keep(Assume *a, Tensor *t);

static Found keep_loaded(const Expr *e, void *a) {
    if (e->op == OP_LOAD) keep(a, e->u.tensor);
    return FOUND_INSIDE;
}

/* Keeps the tensor, after all that its definition loads. */
static void keep(Assume *a, Tensor *t) {
    ExprWalk loads = {.temp = a->g->ctx, .before = keep_loaded, .user = a, .ranges = true};
    if (expr_map_get(&a->kept, t)) return;
    expr_map_put(a->g->ctx, &a->kept, t, t);
    for (int p = 0; p < t->pieces.n; p++) expr_walk_piece(&loads, t, &t->pieces.at[p]);
    vec_push(a->g->ctx, &a->order, t);
}

/* Keeps inputs, outputs and what these need. */
static void prune(Assume *a) {
    Graph *g = a->g;
    for (int i = 0; i < g->tensors.n; i++)
        if (g->tensors.at[i]->kind == TENSOR_INPUT) keep(a, g->tensors.at[i]);
    for (int i = 0; i < g->tensors.n; i++)
        if (g->tensors.at[i]->kind == TENSOR_OUTPUT) keep(a, g->tensors.at[i]);
    g->tensors.n = g->params.n = 0;
    for (int i = 0; i < a->order.n; i++) {
        a->order.at[i]->id = i;
        vec_push(g->ctx, &g->tensors, a->order.at[i]);
        if (a->order.at[i]->kind != TENSOR_LET) vec_push(g->ctx, &g->params, a->order.at[i]);
    }
}

/* The parameters as the assumptions see them: an inout has the value that it had, an output is a definition. */
static void demote(Assume *a) {
    Graph *g = a->g;
    for (int i = 0; i < g->tensors.n; i++) {
        Tensor *t = g->tensors.at[i];
        if (t->kind == TENSOR_INOUT) t->kind = TENSOR_INPUT, t->pieces.n = 0;
        if (t->kind == TENSOR_OUTPUT) t->kind = TENSOR_LET, t->rounds = true;
        for (int p = 0; p < t->pieces.n; p++) {
            Piece *piece = &t->pieces.at[p];
            if (piece->guard) piece->guard = safe(a, piece->guard);
            piece->value = safe(a, piece->value);
        }
    }
}

/* As a bound for ranges that are data, with variables of its own. */
static void rename_vars(Graph *g, Fact *f) {
    const Expr **from = NEW_N(g->ctx, const Expr *, f->nvars + 1), **to = NEW_N(g->ctx, const Expr *, f->nvars + 1);
    Var **vars = NEW_N(g->ctx, Var *, f->nvars + 1);
    for (int i = 0; i < f->nvars; i++) {
        vars[i] = graph_var(g, f->vars[i]->name, f->vars[i]->lo, f->vars[i]->hi);
        from[i] = expr_var(g, f->vars[i]);
        to[i] = expr_var(g, vars[i]);
    }
    f->cond = expr_replace(g, f->cond, from, to, f->nvars);
    f->vars = vars;
}

/* Functions that are called with one tensor may state one thing twice. */
static bool is_stated(Assume *a, const Fact *f) {
    Ctx *ctx = a->g->ctx;
    Text text = {.ctx = ctx};
    for (int i = 0; i < f->nvars; i++) {
        text_fmt(&text, "%s in ", f->vars[i]->name);
        expr_print(&text, f->vars[i]->hi, NULL);
        text_put(&text, ": ");
    }
    expr_print(&text, f->cond, NULL);
    Sym whole = sym(ctx, text.s);
    bool known = expr_map_get(&a->stated, whole) != NULL;
    expr_map_put(ctx, &a->stated, whole, whole);
    return known;
}

bool graph_assumed(Graph *g, Assumptions *all) {
    Assume a = {.g = g, .safe = {.g = g, .temp = g->ctx, .after = safe_load}};
    if (g->host) return false;
    demote(&a);
    for (int i = 0; i < g->facts.n; i++) {
        Fact *f = &g->facts.at[i];
        if (!is_testable(f) || is_stated(&a, f)) continue;
        vec_push(g->ctx, all, describe(g->ctx, f));
        add_output(&a, f, all->n);
        rename_vars(g, f);
    }
    prune(&a);
    return all->n > 0;
}
