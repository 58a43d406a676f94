/* Whether elements that windows read many times are stored: see storing.h. What reads them, with the let written in,
 * and with it loaded and the kernel that stores it, is asked of the schedules that each would have by itself (alone.h),
 * at one point: how often an element is read depends on windows, which are mostly known, and not on how many there
 * are. */
#include "storing.h"

#include "alone.h"
#include "features.h"
#include "ir/expr_is.h"
#include "ir/expr_walk.h"

/* Of what computing again takes: what is predicted to spare less is not worth the memory. A choice. */
static const double AT_MOST = 0.9;

/* A reduction that reads a let in windows. */
typedef struct Window {
    Tensor *let;
    const Expr *reduce;
    const Piece *piece; /* in which it stands */
} Window;

typedef struct Storing {
    Graph *g;
    Alone alone;
    Ctx *temp;
    ExprRewrite written; /* lets without reductions are written into what reads them */
    int depth;           /* how many of them, one in the other */
    VEC(Window) windows;
} Storing;

static bool is_pointwise(const Tensor *t) {
    return t->kind == TENSOR_LET && !t->sort && tensor_is_plain(t) && !t->pieces.at[0].value->reduces;
}

static const Expr *write_let(ExprRewrite *w, const Expr *e) {
    enum { DEEPEST = 8 }; /* what is made of more is likely cut */
    Storing *x = w->user;
    if (e->op != OP_LOAD || !is_pointwise(e->u.tensor) || x->depth == DEEPEST) return NULL;
    const Piece *p = &e->u.tensor->pieces.at[0];
    const Expr **from = NEW_N(x->temp, const Expr *, p->nvars + 1);
    for (int i = 0; i < p->nvars; i++) from[i] = expr_var(x->g, p->vars[i]);
    x->depth++;
    const Expr *value = expr_rewrite(w, p->value);
    x->depth--;
    return expr_replace(x->g, value, from, e->arg, p->nvars);
}

static const Expr *written(Storing *x, const Expr *e) { return expr_rewrite(&x->written, e); }

/* ---- what is read in windows ---- */

typedef struct Reads {
    Storing *x;
    const Piece *piece;
    const Expr *reduce; /* at hand */
} Reads;

/* A variable that the reduction keeps. */
static Found is_kept(const Expr *e, const void *reduce) {
    const Reduce *r = reduce;
    bool kept = e->op == OP_VAR;
    for (int i = 0; i < r->nvars && kept; i++) kept = r->vars[i] != e->u.var;
    return kept ? FOUND : FOUND_INSIDE;
}

/* A subscript moves by what is folded and by what is not: elements beside each other have most of it together. And all
 * that is folded is in such subscripts: what is folded over channels, too, is a product of matrices, whose factors are
 * stored where a library wants them (partition_factors.c). */
static bool in_window(const Expr *load, const Reduce *r) {
    int met = 0;
    for (int k = 0; k < r->nvars; k++) {
        bool any = false;
        for (int i = 0; i < load->nargs && !any; i++)
            any = expr_has(load->arg[i], expr_test_var, r->vars[k]) && expr_has(load->arg[i], is_kept, r);
        met += any;
    }
    return met == r->nvars;
}

static Found note_load(const Expr *e, void *reads) {
    const Reads *r = reads;
    Storing *x = r->x;
    if (e->op == OP_REDUCE) return FOUND_NOT; /* it has its own turn */
    if (e->op != OP_LOAD || !is_pointwise(e->u.tensor) || !in_window(e, r->reduce->u.reduce)) return FOUND_INSIDE;
    const Window *last = x->windows.n ? &x->windows.at[x->windows.n - 1] : NULL;
    if (!last || last->let != e->u.tensor || last->reduce != r->reduce)
        vec_push(x->temp, &x->windows, ((Window){e->u.tensor, r->reduce, r->piece}));
    return FOUND_INSIDE;
}

static Found note_reduce(const Expr *e, void *reads) {
    Reads *r = reads;
    if (e->op != OP_REDUCE) return FOUND_INSIDE;
    ExprWalk w = {.temp = r->x->temp, .before = note_load, .user = r, .loads = true};
    r->reduce = e;
    for (int i = 0; i < e->nargs; i++) expr_walk(&w, e->arg[i]);
    return FOUND_INSIDE;
}

static void find_windows(Storing *x) {
    for (int i = 0; i < x->g->tensors.n; i++)
        for (int k = 0; k < x->g->tensors.at[i]->pieces.n; k++) {
            Reads r = {.x = x, .piece = &x->g->tensors.at[i]->pieces.at[k]};
            ExprWalk w = {.temp = x->temp, .before = note_reduce, .user = &r, .reduces = true};
            expr_walk(&w, r.piece->value);
        }
}

/* ---- what is quicker ---- */

static bool pays(Storing *x, Tensor *t) {
    Piece p = t->pieces.at[0];
    double again = 0, loaded = 0;
    p.value = written(x, p.value);
    if (!features_special(p.value)) return false;
    for (int i = 0; i < x->windows.n; i++) {
        const Window *w = &x->windows.at[i];
        if (w->let != t) continue;
        again += alone_seconds(&x->alone, written(x, w->reduce), w->piece);
        loaded += alone_seconds(&x->alone, w->reduce, w->piece);
    }
    if (!(loaded < AT_MOST * again)) return false;
    return loaded + alone_piece_seconds(&x->alone, t->type, t->rank, t->shape, &p) < AT_MOST * again;
}

const bool *storing_choose(Graph *g, Targets t, const Machine *m, Ctx *ctx) {
    Ctx *temp = ctx_temp(g->ctx);
    Storing x = {.g = g, .alone = alone_new(g, t, m, temp), .temp = temp};
    bool *stored = NEW_N(ctx, bool, g->tensors.n + 1), any = false;
    x.written = (ExprRewrite){.g = g, .temp = temp, .before = write_let, .user = &x};
    alone_usual(&x.alone);
    alone_legal(&x.alone);
    find_windows(&x);
    for (int i = 0; i < x.windows.n; i++) {
        Tensor *let = x.windows.at[i].let;
        bool asked = false;
        for (int k = 0; k < i; k++) asked |= x.windows.at[k].let == let;
        if (!asked) any |= stored[let->id] = pays(&x, let);
    }
    ctx_temp_end(temp);
    return any ? stored : NULL;
}
