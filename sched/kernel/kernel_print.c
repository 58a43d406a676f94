/* Programs as the text that program_read reads (README.md). What kernel_finish derives is not
 * printed. */
#include "kernel.h"
#include "ir/expr_is.h"
#include "sched/library/product.h"

#include <string.h>

typedef struct Printer {
    Text *out;
    const Program *p;
    const Part *part;
    const Layout *layout; /* in which factors are named */
} Printer;

static void put_factor(const Printer *x, const Factor *f) {
    const Layout *l = x->layout;
    for (int i = 0; i < x->part->layouts.n && !(l && l->all >> f->id & 1); i++) l = x->part->layouts.at[i];
    int nth = 1;
    for (int i = 0; l && i < l->factors.n && l->factors.at[i] != f; i++)
        nth += l->factors.at[i]->axis == f->axis && l->factors.at[i]->bind == f->bind;
    text_fmt(x->out, "%s.%s", f->axis->name, bind_text(f->bind));
    if (nth > 1) text_fmt(x->out, "#%d", nth);
}

static void put_leaf(void *user, Text *out, const Expr *e) {
    Printer x = *(const Printer *)user;
    x.out = out;
    if (e->op == OP_VALUE)
        text_put(out, e->u.value->name);
    else if (e->op == OP_FACTOR)
        put_factor(&x, e->u.factor);
}

static void put_expr(Printer *x, const Expr *e) {
    LeafNames names = {put_leaf, x};
    expr_print(x->out, e, &names);
}

/* ---- header ---- */

static void put_dim(Printer *x, const Dim *d) {
    text_fmt(x->out, "  dim %s", d->name);
    if (d->lo != 0 || d->hi != INT64_MAX) text_fmt(x->out, " in %lld..=%lld", (long long)d->lo, (long long)d->hi);
    if (d->hint) text_fmt(x->out, " hint %lld", (long long)d->hint);
    if (d->divisor != 1) text_fmt(x->out, " divisible %lld", (long long)d->divisor);
    text_char(x->out, '\n');
}

static void put_tensor(Printer *x, const char *kind, const Tensor *t, bool zero) {
    text_fmt(x->out, "  %s %s: %s[", kind, t->name, type_name(t->type));
    for (int i = 0; i < t->rank; i++) {
        if (i) text_put(x->out, ", ");
        put_expr(x, t->shape[i]);
    }
    text_fmt(x->out, "]%s\n", zero ? " zero" : "");
}

static const char *tensor_word(TensorKind k) {
    switch (k) {
    case TENSOR_INPUT: return "in";
    case TENSOR_INOUT: return "inout";
    case TENSOR_OUTPUT: return "out";
    case TENSOR_LET: break;
    }
    return "temp";
}

static void put_header(Printer *x) {
    const Program *p = x->p;
    text_fmt(x->out, "program %s\n", p->graph->name);
    for (int i = 0; i < p->graph->dims.n; i++) put_dim(x, p->graph->dims.at[i]);
    for (int i = 0; i < p->graph->scalars.n; i++) {
        const Scalar *s = p->graph->scalars.at[i];
        text_fmt(x->out, "  scalar %s: %s", s->name, type_name(s->type));
        if (s->has_default) {
            text_put(x->out, " = ");
            text_double(x->out, s->def);
        }
        text_char(x->out, '\n');
    }
    options_print(x->out, &p->graph->options);
    for (int i = 0; i < p->params.n; i++) put_tensor(x, tensor_word(p->params.at[i]->kind), p->params.at[i], false);
    for (int i = 0; i < p->temps.n; i++) {
        bool zero = false;
        for (int j = 0; j < p->zeroed.n; j++) zero |= p->zeroed.at[j] == p->temps.at[i];
        put_tensor(x, "temp", p->temps.at[i], zero);
    }
    for (int i = 0; i < p->graph->monoids.n; i++) {
        text_put(x->out, "  ");
        monoid_print(x->out, p->graph->monoids.at[i]);
        text_char(x->out, '\n');
    }
}

/* ---- axes and layouts ---- */

static void put_axis(Printer *x, const Axis *a) {
    int64_t lo;
    text_fmt(x->out, "  axis %s = ", a->name);
    if (!expr_is_int(a->lo, &lo) || lo != 0) {
        put_expr(x, a->lo);
        text_put(x->out, "..");
    }
    put_expr(x, a->hi);
    if (a->peel) text_fmt(x->out, " peel %s", a->peel->name);
    if (a->shares) text_fmt(x->out, " shares %lld", (long long)a->shares);
    text_char(x->out, '\n');
}

/* Whether an axis has the same bindings and sizes in two layouts. */
static bool same_factors(const Layout *l, const Layout *m, const Axis *a) {
    int i = 0, j = 0;
    for (;; i++, j++) {
        while (i < l->factors.n && l->factors.at[i]->axis != a) i++;
        while (j < m->factors.n && m->factors.at[j]->axis != a) j++;
        if (i == l->factors.n || j == m->factors.n) return i == l->factors.n && j == m->factors.n;
        if (l->factors.at[i]->bind != m->factors.at[j]->bind || l->factors.at[i]->size != m->factors.at[j]->size)
            return false;
    }
}

static void put_layout(Printer *x, const Layout *l) {
    text_fmt(x->out, "  layout %s\n", l->name);
    for (int i = 0; i < x->part->axes.n; i++) {
        const Axis *a = x->part->axes.at[i];
        if (l->id > 0 && same_factors(x->part->layouts.at[0], l, a)) continue;
        if (l->id == 0 && !layout_axis_factors(l, a)) continue;
        text_fmt(x->out, "    %s =", a->name);
        for (int j = 0; j < l->factors.n; j++) {
            const Factor *f = l->factors.at[j];
            if (f->axis != a) continue;
            text_fmt(x->out, " %s", bind_text(f->bind));
            if (f->size) text_fmt(x->out, "(%lld)", (long long)f->size);
        }
        text_char(x->out, '\n');
    }
}

/* ---- stages ---- */

/* Factors of a set: an axis's name where it stands for all of `whole` that the axis has. */
static void put_factors(Printer *x, FactorSet set, FactorSet whole, const char *separator) {
    const Layout *l = x->layout;
    bool first = true;
    for (int i = 0; i < x->part->axes.n; i++) {
        const Axis *a = x->part->axes.at[i];
        FactorSet own = layout_axis_factors(l, a);
        if (!(set & own)) continue;
        bool all = (set & own) == (whole & own);
        for (int j = 0; j < l->factors.n; j++) {
            const Factor *f = l->factors.at[j];
            if (f->axis != a || !(set >> f->id & 1)) continue;
            text_put(x->out, first ? "" : separator);
            first = false;
            if (all) {
                text_put(x->out, a->name);
                break;
            }
            put_factor(x, f);
        }
    }
}

static void put_access(Printer *x, const Stage *s) {
    text_fmt(x->out, "%s[", s->tensor->name);
    for (int i = 0; i < s->tensor->rank; i++) {
        if (i) text_put(x->out, ", ");
        put_expr(x, s->subs[i]);
    }
    text_char(x->out, ']');
}

static void put_results(Printer *x, const Stage *s) {
    if (s->nout > 1) text_char(x->out, '(');
    for (int i = 0; i < s->nout; i++) text_fmt(x->out, "%s%s", i ? ", " : "", s->out[i]->name);
    text_put(x->out, s->nout > 1 ? ") = " : " = ");
}

static void put_fold(Printer *x, const Stage *s) {
    text_fmt(x->out, "%s(", s->monoid->name);
    for (int i = 0; i < s->monoid->n; i++) {
        if (i) text_put(x->out, ", ");
        put_expr(x, s->expr[i]);
    }
    text_char(x->out, ')');
}

static void put_cond(Printer *x, const Stage *s) {
    if (!s->cond) return;
    text_put(x->out, " if ");
    put_expr(x, s->cond);
}

static void put_cache(Printer *x, const Stage *s) {
    if (s->cache == CACHE_STREAM) text_put(x->out, " stream");
    if (s->cache == CACHE_KEEP) text_put(x->out, " keep");
}

/* What an axis's name after `over` means: the condition, which is read after it, does not count. */
static FactorSet foldable(const Stage *s, const Part *part) {
    Stage bare = *s;
    bare.cond = NULL;
    FactorSet loops = layout_scope_factors(s->layout, SCOPE_LOOP), cluster = 0;
    FactorSet tile = s->layout->all & ~loops & ~layout_scope_factors(s->layout, SCOPE_BLOCK);
    for (int i = 0; i < s->layout->factors.n; i++)
        if (s->layout->factors.at[i]->bind == BIND_CLUSTER) cluster |= (FactorSet)1 << s->layout->factors.at[i]->id;
    return (tile | cluster) & stage_operands(part, s->layout, &bare);
}

static void put_scan(Printer *x, const Stage *s) {
    put_fold(x, s);
    text_fmt(x->out, " along %s", s->axis->name);
    if (s->exclusive) text_put(x->out, " exclusive");
    if (s->reverse) text_put(x->out, " reverse");
    if (s->carry[0]) text_put(x->out, s->monoid->n > 1 ? " carry (" : " carry ");
    for (int i = 0; s->carry[0] && i < s->monoid->n; i++) text_fmt(x->out, "%s%s", i ? ", " : "", s->carry[i]->name);
    if (s->carry[0] && s->monoid->n > 1) text_char(x->out, ')');
    put_cond(x, s);
}

static void put_var(Printer *x, const Stage *s) {
    const Layout *l = s->layout;
    FactorSet tile = layout_scope_factors(l, SCOPE_THREAD) | layout_scope_factors(l, SCOPE_REG);
    text_fmt(x->out, "%s[", s->out[0]->name);
    put_factors(x, s->out[0]->domain & tile, tile, ", ");
    text_fmt(x->out, "]: %s = ", type_name(s->out[0]->type));
    put_expr(x, s->expr[0]);
}

/* The axis of bins stands behind their type. */
static void put_bins(Printer *x, const Stage *s) {
    const FactorSet tile = layout_scope_factors(s->layout, SCOPE_THREAD) | layout_scope_factors(s->layout, SCOPE_REG);
    text_fmt(x->out, "%s[", s->out[0]->name);
    put_factors(x, s->out[0]->domain & tile, tile, ", ");
    text_fmt(x->out, "]: %s along %s = ", type_name(s->out[0]->type), s->axis->name);
    put_expr(x, s->expr[0]);
}

static void put_scatter(Printer *x, const Stage *s) {
    text_fmt(x->out, "%s[", s->source->name);
    put_expr(x, s->expr[1]);
    text_put(x->out, "] = ");
    put_expr(x, s->expr[0]);
    put_cond(x, s);
}

static void put_operation(Printer *x, const Stage *s) {
    Text *out = x->out;
    switch (s->kind) {
    case STAGE_LOAD:
        put_access(x, s);
        put_cond(x, s);
        if (s->other) {
            text_put(out, " else ");
            put_expr(x, s->other);
        }
        if (s->depth > 0) text_fmt(out, " ahead %d", s->depth);
        if (s->packed) text_put(out, " packed");
        put_cache(x, s);
        break;
    case STAGE_COPY:
        put_access(x, s);
        text_put(out, s->path == PATH_BULK ? " bulk" : " async");
        if (s->held)
            text_put(out, " hold");
        else
            text_fmt(out, " depth %d", s->depth);
        break;
    case STAGE_SHARE:
        put_expr(x, s->expr[0]);
        if (s->pad) text_fmt(out, " pad %d", s->pad);
        if (s->swizzle) text_put(out, " swizzle");
        break;
    case STAGE_READ:
        text_put(out, s->source->name);
        if (s->packed) text_put(out, " packed");
        break;
    case STAGE_BINS: put_bins(x, s); break;
    case STAGE_SCATTER: put_scatter(x, s); break;
    case STAGE_MAP: put_expr(x, s->expr[0]); break;
    case STAGE_VAR: put_var(x, s); break;
    case STAGE_SET:
        text_fmt(out, "%s = ", s->out[0]->name);
        put_expr(x, s->expr[0]);
        break;
    case STAGE_REDUCE:
        put_fold(x, s);
        text_put(out, " over ");
        put_factors(x, s->over, foldable(s, x->part), " ");
        put_cond(x, s);
        break;
    case STAGE_SCAN: put_scan(x, s); break;
    case STAGE_STORE:
    case STAGE_ATOMIC:
        put_access(x, s);
        text_put(out, " = ");
        put_expr(x, s->expr[0]);
        put_cond(x, s);
        if (s->path == PATH_BULK) text_put(out, " bulk");
        if (s->meet) text_put(out, " meet");
        put_cache(x, s);
        break;
    case STAGE_FOR: text_put(out, s->axis->name); break;
    case STAGE_IF: put_expr(x, s->cond); break;
    case STAGE_LAST:
        put_factors(x, s->over, 0, " ");
        text_fmt(out, " counter %s", s->counter->name);
        break;
    case STAGE_COUNT: break;
    }
}

static bool names_factor(const Expr *e) { return e && expr_has_op(e, OP_FACTOR); }

/* Whether the layout must be written: it is not the one that the operands give, or factors are named in it. */
static bool states_layout(const Part *part, const Stage *s) {
    if (s->kind == STAGE_FOR || s->kind == STAGE_LAST || s->kind == STAGE_IF || part->layouts.n == 1) return false;
    if (s->kind == STAGE_SET && s->out[0]->layout) return false;
    Stage bare = *s;
    bare.over = 0;
    if (stage_default_layout(part, &bare) != s->layout) return true;
    if (s->layout == part->layouts.at[0]) return false;
    bool named = names_factor(s->cond) || names_factor(s->other) || s->over;
    for (int i = 0; i < MAX_PARTS; i++) named |= names_factor(s->expr[i]);
    for (int i = 0; s->tensor && i < s->tensor->rank; i++) named |= names_factor(s->subs[i]);
    return named;
}

static void put_body(Printer *x, Stage *const *at, int n, int indent) {
    for (int i = 0; i < n; i++) {
        const Stage *s = at[i];
        x->layout = s->layout;
        text_fmt(x->out, "%*s", indent, "");
        bool named = s->nout > 0 && s->kind != STAGE_SET && s->kind != STAGE_VAR && s->kind != STAGE_BINS;
        if (named) put_results(x, s);
        text_fmt(x->out, "%s ", stage_text(s->kind));
        if (s->kind == STAGE_ATOMIC || s->kind == STAGE_SCATTER) text_fmt(x->out, "%s ", s->monoid->name);
        put_operation(x, s);
        if (states_layout(x->part, s)) text_fmt(x->out, " in %s", s->layout->name);
        if (s->kind == STAGE_FOR || s->kind == STAGE_IF || s->kind == STAGE_LAST) {
            text_put(x->out, " {\n");
            put_body(x, s->body.at, s->body.n, indent + 2);
            text_fmt(x->out, "%*s}", indent, "");
        }
        text_char(x->out, '\n');
    }
}

/* ---- */

static void put_comment(Text *out, const char *s) {
    while (s && *s) {
        size_t n = strcspn(s, "\n");
        text_put(out, "// ");
        text_put_n(out, s, n);
        text_char(out, '\n');
        s += n + (s[n] == '\n');
    }
}

/* The equation: all else follows from it. */
static void put_product(Printer *x, const Product *p) {
    const Equation *r = &p->root;
    text_put(x->out, "  library for ");
    for (int i = 0; i < r->nvars; i++) {
        text_fmt(x->out, "%s%s in ", i ? ", " : "", r->vars[i]->name);
        put_expr(x, r->vars[i]->lo);
        text_put(x->out, "..");
        put_expr(x, r->vars[i]->hi);
    }
    text_fmt(x->out, ": %s[", r->tensor->name);
    for (int d = 0; d < r->tensor->rank; d++) {
        if (d) text_put(x->out, ", ");
        put_expr(x, r->subs[d]);
    }
    text_put(x->out, "] = ");
    put_expr(x, r->value);
    text_char(x->out, '\n');
}

static void put_kernel(Printer *x, const Kernel *k) {
    put_comment(x->out, k->comment);
    if (k->same) text_fmt(x->out, "// the same kernel as %s\n", k->symbol);
    text_fmt(x->out, "kernel %s", k->name);
    if (k->blocks_per_sm) text_fmt(x->out, " occupancy %d", k->blocks_per_sm);
    text_char(x->out, '\n');
    if (k->product) put_product(x, k->product);
    for (int i = 0; i < k->where.n; i++) {
        text_put(x->out, "  where ");
        put_expr(x, k->where.at[i]);
        text_char(x->out, '\n');
    }
    for (int i = 0; i < k->parts.n; i++) {
        const Part *part = x->part = k->parts.at[i];
        x->layout = NULL;
        if (part->name) text_fmt(x->out, "part %s\n", part->name);
        for (int j = 0; j < part->axes.n; j++) put_axis(x, part->axes.at[j]);
        for (int j = 0; j < part->layouts.n; j++) put_layout(x, part->layouts.at[j]);
        text_put(x->out, "{\n");
        put_body(x, part->body.at, part->body.n, 2);
        text_put(x->out, "}\n");
    }
}

/* ---- steps ---- */

/* A text's lines, further in. */
static void put_lines(Text *out, const Text *t, int indent) {
    for (size_t at = 0; at < t->n;) {
        size_t n = strcspn(t->s + at, "\n");
        if (n) text_fmt(out, "%*s", indent, "");
        text_put_n(out, t->s + at, n + 1);
        at += n + 1;
    }
}

static void put_steps(Printer *x, const StepList *steps, int depth);

static void put_choice(Printer *x, const Choice *c, int depth) {
    for (int i = 0; i < c->cases.n; i++) {
        const ChoiceCase *k = c->cases.at[i];
        text_fmt(x->out, i ? "%*s} else" : "%*s", 2 * depth, "");
        if (k->when) {
            text_put(x->out, i ? " when " : "when ");
            put_expr(x, k->when);
        }
        text_put(x->out, " {\n");
        put_steps(x, &k->steps, depth + 1);
    }
    text_fmt(x->out, "%*s}\n", 2 * depth, "");
}

static void put_kernel_step(Printer *x, const Kernel *k, int depth) {
    Text kernel = {.ctx = x->out->ctx}, *out = x->out;
    if (!depth) {
        put_kernel(x, k);
        return;
    }
    x->out = &kernel;
    put_kernel(x, k);
    x->out = out;
    put_lines(out, &kernel, 2 * depth);
}

static void put_sort(Printer *x, const SortStep *s, int depth) {
    Text *out = x->out;
    if (sort_ranks(&s->sort)) {
        text_fmt(out, "%*ssort %s\n%*s  %s = %s %s with %s\n", 2 * depth, "", s->name, 2 * depth, "",
                 s->sort.order->name, s->sort.keys->name, sort_direction(&s->sort), s->scratch->name);
        return;
    }
    text_fmt(out, "%*ssort %s\n%*s  %s, %s = %s%s below ", 2 * depth, "", s->name, 2 * depth, "",
             s->sort.order ? s->sort.order->name : "_", s->sort.starts->name, s->sort.keys->name,
             s->sort.ascends ? " ascending" : "");
    put_expr(x, s->sort.below);
    text_fmt(out, " with %s\n", s->scratch->name);
}

/* A blank line stands before each step but the first of a case. */
static void put_steps(Printer *x, const StepList *steps, int depth) {
    for (int i = 0; i < steps->n; i++) {
        const Step *s = &steps->at[i];
        if (i || !depth) text_char(x->out, '\n');
        switch (s->kind) {
        case STEP_KERNEL: put_kernel_step(x, s->kernel, depth); break;
        case STEP_CHOICE: put_choice(x, s->choice, depth); break;
        case STEP_SORT: put_sort(x, s->sort, depth); break;
        }
    }
}

void program_print(Text *out, const Program *p) {
    Printer x = {.out = out, .p = p};
    put_header(&x);
    if (p->graph->host) {
        text_put(out, "  host ");
        put_expr(&x, p->params.at[0]->pieces.at[0].value);
        text_char(out, '\n');
    }
    put_steps(&x, &p->steps, 0);
}
