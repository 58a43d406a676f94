/* What could not be fast, and why: reports of -Wperf. Every one follows from the stages of a kernel and the layout in
 * which they are evaluated. */
#include "perf.h"

#include "ir/diag.h"
#include "ir/expr_is.h"
#include "ir/expr_walk.h"

typedef struct Look {
    const Program *p;
    const Target *target;
    const Kernel *k;
    const Part *part;
    Span span;
} Look;

/* ---- places ---- */

static const Tensor *first_stored(const Stage *const *body, int n) {
    for (int i = 0; i < n; i++) {
        const Stage *s = body[i];
        if (s->kind == STAGE_STORE || s->kind == STAGE_ATOMIC) return s->tensor;
        const Tensor *t = first_stored((const Stage *const *)s->body.at, s->body.n);
        if (t) return t;
    }
    return NULL;
}

Span perf_place(const Program *p, const Kernel *k) {
    for (int i = 0; i < k->parts.n; i++) {
        const Tensor *t = first_stored((const Stage *const *)k->parts.at[i]->body.at, k->parts.at[i]->body.n);
        if (t && t->pieces.n && t->pieces.at[0].span.file >= 0 && t->pieces.at[0].span.end > 0)
            return t->pieces.at[0].span;
        if (t && t->span.file >= 0 && t->span.end > 0) return t->span;
    }
    return p->graph->span;
}

/* A loaded value as the load, any other by its name. */
static void show_leaf(void *user, Text *out, const Expr *leaf) {
    const LeafNames names = {show_leaf, user};
    const Stage *def = leaf->op == OP_VALUE ? leaf->u.value->def : NULL;
    if (leaf->op != OP_VALUE || !def || def->kind != STAGE_LOAD) {
        text_put(out, leaf->op == OP_VALUE ? leaf->u.value->name : "...");
        return;
    }
    text_fmt(out, "%s[", def->tensor->name);
    for (int i = 0; i < def->tensor->rank; i++) {
        if (i) text_put(out, ", ");
        expr_print(out, def->subs[i]->op == OP_CAST ? def->subs[i]->arg[0] : def->subs[i], &names);
    }
    text_char(out, ']');
}

static Sym show(const Look *l, const Expr *e) {
    Text t = {.ctx = l->p->ctx};
    const LeafNames names = {show_leaf, NULL};
    text_put(&t, "");
    expr_print(&t, e->op == OP_CAST ? e->arg[0] : e, &names);
    return sym_n(l->p->ctx, t.s, t.n);
}

/* ---- what expressions use ---- */

static const Expr *uncast(const Expr *e) {
    while (e->op == OP_CAST) e = e->arg[0];
    return e;
}

/* The axes of a set of factors, as bits by id. */
static uint64_t axes_of(const Look *l, FactorSet set) {
    uint64_t axes = 0;
    for (int i = 0; i < l->part->factors.n; i++)
        if (set >> i & 1) axes |= (uint64_t)1 << (l->part->factors.at[i]->axis->id & 63);
    return axes;
}

static bool on_matrix_units(const Layout *layout) {
    for (int i = 0; layout && i < layout->factors.n; i++)
        if (layout->factors.at[i]->bind == BIND_MMA) return true;
    return false;
}

/* ---- products ---- */

/* What a value that a map computes is made of, else NULL. */
static const Expr *mapped(const Expr *e) {
    const Stage *def = e->op == OP_VALUE ? e->u.value->def : NULL;
    for (int i = 0; def && def->kind == STAGE_MAP && i < def->nout; i++)
        if (def->out[i] == e->u.value) return def->expr[i];
    return NULL;
}

/* What the factor is rounded to on its way, or what it is stored as. */
static Type factor_type(const Expr *e) {
    Type t = e->type;
    while (e && (e->op == OP_CAST || e->op == OP_VALUE)) {
        e = e->op == OP_CAST ? e->arg[0] : mapped(e);
        if (e && type_bits(e->type) < type_bits(t)) t = e->type;
    }
    return t;
}

/* A sum of products of which each factor has an axis of the result that the other lacks. */
static void look_product(const Look *l, const Stage *s) {
    if (s->monoid->kind != MONOID_SUM || s->nout != 1) return;
    const Expr *e = uncast(s->expr[0]);
    if (e->op != OP_MUL || on_matrix_units(s->layout) || !s->layout) return;
    uint64_t over = axes_of(l, s->over);
    uint64_t a = axes_of(l, expr_domain(l->part, s->layout, e->arg[0])) & ~over;
    uint64_t b = axes_of(l, expr_domain(l->part, s->layout, e->arg[1])) & ~over;
    if (!(a & ~b) || !(b & ~a)) return;
    Type ta = factor_type(e->arg[0]), tb = factor_type(e->arg[1]);
    bool library = l->k->product, exact = ta == TY_F32 && !option_is(&l->p->graph->options, MATMUL_TF32);
    if (library && !exact) return; /* by the library, on the matrix units */
    Diag *d = diag_report(l->p->ctx, DIAG_PERF_PRODUCT, l->span,
                          "a matrix product of %s and %s factors, %s, is done without matrix instructions",
                          type_name(ta), type_name(tb), show(l, e));
    bool narrow_a = type_bits(ta) <= 16, narrow_b = type_bits(tb) <= 16;
    if (narrow_a != narrow_b)
        diag_help(l->p->ctx, d, "a product of %s and %s is done in the wider type: cast the other factor too, %s(...)",
                  type_name(ta), type_name(tb), type_name(narrow_a ? ta : tb));
    else if (!narrow_a && e->type == TY_F32)
        diag_help(l->p->ctx, d, "f32 factors keep all their bits; fewer are enough with option matmul = tf32; or bf16");
    if (!library)
        diag_note(l->p->ctx, d, SPAN_NONE, "cuBLASLt is not called: %s",
                  l->k->no_product ? l->k->no_product : "--library=none");
}

/* ---- accesses ---- */

static const Axis *axis_by_var(const Look *l, const Var *v) {
    for (int i = 0; i < l->part->axes.n; i++)
        if (l->part->axes.at[i]->var == v) return l->part->axes.at[i];
    return NULL;
}

/* What p grows by along the axis; 0: nothing, or no constant. */
static int64_t growth(const Look *l, Poly p, const Axis *a) {
    Poly coef, rest;
    int64_t c;
    if (p.failed || !poly_linear(l->p->ctx, p, expr_var(l->p->graph, a->var), &coef, &rest)) return 0;
    return poly_is_const(coef, &c) ? c : 0;
}

/* By how many elements the last subscript moves along the axis; 0: not at all, or not by a constant. An axis made of
 * several (sched/plan/flat.c) moves all subscripts, and together they may move by one element. */
static int64_t step_of(const Look *l, const Stage *s, const Axis *a) {
    PolyEnv env = {.g = l->p->graph};
    int64_t whole = growth(l, poly_offset(&env, s->tensor, s->subs), a);
    if (whole == 1 || whole == -1) return whole;
    return growth(l, poly_of(&env, s->subs[s->tensor->rank - 1]), a);
}

static bool uses_axis(const Expr *e, const Axis *a) { return expr_has(e, expr_test_var, a->var); }

/* The threads' fastest factor in the domain of the load; and how many bytes of a row the block reads in one piece. */
static const Factor *fastest(const Look *l, const Stage *s, int64_t *piece) {
    const Factor *fast = NULL;
    FactorSet domain = s->out[0]->domain;
    *piece = type_bits(s->tensor->type) / 8;
    for (int i = 0; s->layout && i < s->layout->factors.n; i++) {
        const Factor *f = s->layout->factors.at[i];
        BindScope scope = bind_scope(f->bind);
        if (!(domain >> f->id & 1) || f->size <= 1 || (scope != SCOPE_THREAD && scope != SCOPE_REG)) continue;
        if (scope == SCOPE_THREAD && (!fast || f->tid_stride < fast->tid_stride)) fast = f;
        if (step_of(l, s, f->axis) == 1) *piece *= f->size;
    }
    return fast;
}

static Found is_jump(const Expr *e, const void *axis) {
    bool jumps = e->op == OP_MOD && uses_axis(e->arg[0], axis) && e->arg[0]->op != OP_VAR && e->arg[0]->op != OP_ADD;
    return jumps ? FOUND : FOUND_INSIDE;
}

/* A remainder of something that moves by more than 1 along the axis. */
static bool jumps(const Expr *e, const Axis *a) { return expr_has(e, is_jump, a); }

static void report_opaque(const Look *l, const Stage *s, const char *why) {
    Diag *d = diag_report(l->p->ctx, DIAG_PERF_OPAQUE, l->span,
                          "each element of %s is loaded on its own: its last subscript, %s, %s", s->tensor->name,
                          show(l, s->subs[s->tensor->rank - 1]), why);
    diag_help(l->p->ctx, d,
              "let a leading subscript be the computed one, so that rows are read whole: %s[t[n], d], and read along d",
              s->tensor->name);
}

static void report_apart(const Look *l, const Stage *s, const Axis *a, int64_t step) {
    Diag *d = diag_report(l->p->ctx, DIAG_PERF_STRIDED, l->span,
                          "neighbouring threads read %s %lld elements apart: its last subscript is %s", s->tensor->name,
                          (long long)step, show(l, s->subs[s->tensor->rank - 1]));
    diag_help(l->p->ctx, d, "keep what is read together, the same %s for all others, in a dimension of its own",
              a->name);
}

/* A loop goes on along the row: what a piece leaves of a sector is in a cache when the next iteration reads it. */
static bool goes_on(const Look *l, const Stage *s) {
    FactorSet domain = expr_domain(l->part, s->layout, s->subs[s->tensor->rank - 1]);
    for (int i = 0; i < s->layout->factors.n; i++) {
        const Factor *f = s->layout->factors.at[i];
        if (domain >> f->id & 1 && f->bind == BIND_SERIAL && step_of(l, s, f->axis) == 1) return true;
    }
    return false;
}

/* Whether e is a place that a rank has found: there is no other way to what stands there. */
static bool is_ranked(const Look *l, const Expr *e) {
    while (e->op == OP_CAST) e = e->arg[0];
    const Stage *def = e->op == OP_VALUE ? e->u.value->def : NULL;
    for (int i = 0; def && def->kind == STAGE_LOAD && i < l->p->sorts.n; i++) {
        const Sort *s = &l->p->sorts.at[i]->sort;
        if (sort_ranks(s) && s->order == def->tensor) return true;
    }
    return false;
}

static void look_load(const Look *l, const Stage *s) {
    int rank = s->tensor->rank;
    if (rank == 0) return;
    int64_t piece;
    const Factor *fast = fastest(l, s, &piece);
    const Expr *last = s->subs[rank - 1];
    const Axis *a = fast ? axis_by_var(l, fast->axis->var) : NULL;
    int64_t step = a ? step_of(l, s, a) : 0, extent;
    if (!a || (step >= -1 && step <= 1 && step)) return;
    if (expr_has_op(last, OP_VALUE) && expr_domain(l->part, s->layout, last) >> fast->id & 1) {
        if (!is_ranked(l, last)) report_opaque(l, s, "is data");
        return;
    }
    if (piece >= l->target->sector || (piece >= l->target->sector / 2 && goes_on(l, s))) return;
    if (uses_axis(last, a)) {
        if (jumps(last, a)) report_opaque(l, s, "jumps");
        if (step * type_bits(s->tensor->type) / 8 >= l->target->sector) report_apart(l, s, a, step);
        return;
    }
    bool elsewhere = false;
    for (int i = 0; i < rank - 1; i++) elsewhere = elsewhere || uses_axis(s->subs[i], a);
    if (!elsewhere || (expr_is_int(s->tensor->shape[rank - 1], &extent) && extent <= 4)) return;
    Diag *d =
        diag_report(l->p->ctx, DIAG_PERF_STRIDED, l->span,
                    "neighbouring threads read %s a row apart: they differ in %s, which is not its last subscript",
                    s->tensor->name, a->name);
    diag_help(l->p->ctx, d, "keep %s with its dimensions in the other order, or store a transposed copy once",
              s->tensor->name);
}

/* ---- scatters ---- */

/* A condition of a fold that compares data with the index of the element: every element looks through all of them. */
static bool compares_data(const Look *l, const Stage *s, const Expr *c) {
    if (c->op == OP_AND) return compares_data(l, s, c->arg[0]) || compares_data(l, s, c->arg[1]);
    if (c->op != OP_EQ) return false;
    for (int k = 0; k < 2; k++) {
        const Expr *data = uncast(c->arg[k]), *index = uncast(c->arg[1 - k]);
        const Axis *a = index->op == OP_VAR ? axis_by_var(l, index->u.var) : NULL;
        bool own = a && !(axes_of(l, s->over) >> (a->id & 63) & 1);
        if (own && expr_has_op(data, OP_VALUE) && !type_is_float(data->type)) return true;
    }
    return false;
}

static bool scatters(Stage *const *body, int n) {
    bool any = false;
    for (int i = 0; i < n && !any; i++)
        any = body[i]->kind == STAGE_SCATTER || scatters(body[i]->body.at, body[i]->body.n);
    return any;
}

/* Whether another kernel does the same without a search, for other sizes: then searches are for those at which they are
 * quicker. */
static bool has_other_way(const Look *l) {
    bool other = false;
    for (int i = 0; i < l->p->kernels.n && !other; i++) {
        const Kernel *k = l->p->kernels.at[i];
        const Span at = perf_place(l->p, k);
        if (at.file != l->span.file || at.start != l->span.start || at.end != l->span.end) continue;
        for (int n = 0; n < k->parts.n; n++) other |= scatters(k->parts.at[n]->body.at, k->parts.at[n]->body.n);
    }
    return other;
}

static void look_scatter(const Look *l, const Stage *s) {
    if (!s->cond || !compares_data(l, s, s->cond) || has_other_way(l)) return;
    Diag *d = diag_report(l->p->ctx, DIAG_PERF_SCATTER, l->span,
                          "each element looks through all updates for its own: where %s", show(l, s->cond));
    diag_help(l->p->ctx, d,
              "with the updates sorted by element, and start[s] the first one of s, write sum[n in start[s]..start[s + "
              "1]](...)");
}

/* ---- all stages ---- */

/* A temporary that is none of the Graph's lets. */
bool perf_made(const Program *p, const Tensor *t) { return t->kind == TENSOR_LET && t->id >= p->graph->tensors.n; }

static void look(const Look *l, const Stage *const *body, int n) {
    for (int i = 0; i < n; i++) {
        const Stage *s = body[i];
        if (s->kind == STAGE_REDUCE) {
            look_product(l, s);
            look_scatter(l, s);
        }
        /* the library reads as it likes; of tensors that nobody wrote there is nothing to write differently */
        if (s->kind == STAGE_LOAD && !l->k->product && !perf_made(l->p, s->tensor)) look_load(l, s);
        look(l, (const Stage *const *)s->body.at, s->body.n);
    }
}

/* What follows a product could be stored with it but for a rounding in between. */
static void look_rounding(const Program *p, const Kernel *k) {
    Diag *d = diag_report(
        p->ctx, DIAG_PERF_ROUNDING, perf_place(p, k),
        "%s is rounded before this reads it: the product stores it, and another kernel reads it again", k->rounding);
    diag_help(p->ctx, d, "without a type for %s the product stores the result at once", k->rounding);
}

static bool is_for_few(const Expr *when) {
    enum { FEW = 64 }; /* elements: what is apart by less comes with one access or two */
    int64_t most;
    if (when->op == OP_AND) return is_for_few(when->arg[0]) || is_for_few(when->arg[1]);
    return when->op == OP_LE && expr_is_int(when->arg[1], &most) && most <= FEW;
}

bool perf_matters(const Program *p, const Kernel *k) {
    bool met = false;
    for (int i = 0; i < p->ways.n; i++) {
        const Way *w = &p->ways.at[i];
        bool has = false, few = false;
        for (int s = 0; s < w->steps.n; s++) has |= step_runs(&w->steps.at[s], k);
        for (int c = 0; c < w->when.n; c++) few |= is_for_few(w->when.at[c]);
        if (has && !few) return true;
        met |= has;
    }
    return !met;
}

void perf_kernel(const Program *p, const Kernel *k, const Target *t) {
    if (!diag_wants_perf(p->ctx)) return;
    if (k->rounding) look_rounding(p, k);
    for (int i = 0; i < k->parts.n && perf_matters(p, k); i++) {
        Look l = {p, t, k, k->parts.at[i], perf_place(p, k)};
        look(&l, (const Stage *const *)l.part->body.at, l.part->body.n);
    }
}
