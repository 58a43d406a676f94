/* Whether elements that windows read many times are stored: see storing.h. What reads them, with the let written in,
 * and with it loaded and the kernel that stores it, is asked of the schedules that each would have by itself (alone.h),
 * at one point: how often an element is read depends on windows, which are mostly known, and not on how many there
 * are. */
#include "storing.h"

#include "alone.h"
#include "features.h"
#include "ir/expr_is.h"
#include "ir/expr_walk.h"

#include <math.h>

/* Of what computing again takes: what is predicted to spare less is not worth the memory. A choice. */
static const double AT_MOST = 0.9;

typedef struct Storing {
    Graph *g;
    Alone alone;
    Ctx *temp;
    ExprRewrite written; /* lets without reductions are written into what reads them */
    const Tensor *let;   /* that is asked about; NULL: all are */
} Storing;

static bool is_pointwise(const Tensor *t) {
    return t->kind == TENSOR_LET && !t->sort && tensor_is_plain(t) && !t->pieces.at[0].value->reduces;
}

static const Expr *write_let(ExprRewrite *w, const Expr *e) {
    const Storing *x = w->user;
    if (e->op != OP_LOAD || !is_pointwise(e->u.tensor)) return NULL;
    const Piece *p = &e->u.tensor->pieces.at[0];
    const Expr **from = NEW_N(x->temp, const Expr *, p->nvars + 1);
    for (int i = 0; i < p->nvars; i++) from[i] = expr_var(x->g, p->vars[i]);
    return expr_replace(x->g, expr_rewrite(w, p->value), from, e->arg, p->nvars);
}

static const Expr *written(Storing *x, const Expr *e) { return expr_rewrite(&x->written, e); }

/* ---- who reads it in windows ---- */

typedef struct Reads {
    Storing *x;
    const Piece *piece;
    const Expr *reduce; /* at hand; NULL: the walk is outside of one */
    ExprVec *windows;   /* reductions that read the let so */
} Reads;

static Found is_folded(const Expr *e, const void *reduce) {
    const Reduce *r = ((const Expr *)reduce)->u.reduce;
    for (int i = 0; e->op == OP_VAR && i < r->nvars; i++)
        if (r->vars[i] == e->u.var) return FOUND;
    return FOUND_INSIDE;
}

static Found is_kept(const Expr *e, const void *reduce) {
    return e->op == OP_VAR && is_folded(e, reduce) != FOUND ? FOUND : FOUND_INSIDE;
}

/* A subscript moves by what is folded and by what is not: elements beside each other have most of it together. */
static bool in_window(const Expr *load, const Expr *reduce) {
    bool any = false;
    for (int i = 0; i < load->nargs && !any; i++)
        any = expr_has(load->arg[i], is_folded, reduce) && expr_has(load->arg[i], is_kept, reduce);
    return any;
}

static Found note_load(const Expr *e, void *reads) {
    Reads *r = reads;
    if (e->op == OP_LOAD && e->u.tensor == r->x->let && in_window(e, r->reduce)) {
        vec_push(r->x->temp, r->windows, r->reduce);
        return FOUND;
    }
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

/* What the reductions of a piece that read the let in windows take more with it written in than with it loaded. */
static double spared(Storing *x, const Piece *p, double *all) {
    ExprVec windows = {0};
    Reads r = {x, p, NULL, &windows};
    ExprWalk w = {.temp = x->temp, .before = note_reduce, .user = &r, .reduces = true};
    expr_walk(&w, p->value);
    double s = 0;
    for (int i = 0; i < windows.n; i++) {
        const double again = alone_seconds(&x->alone, written(x, windows.at[i]), p);
        *all += again;
        s += again - alone_seconds(&x->alone, windows.at[i], p);
    }
    return s;
}

static bool pays(Storing *x, Tensor *t) {
    double all = 0, s = 0;
    x->let = t;
    for (int i = t->id + 1; i < x->g->tensors.n; i++)
        for (int k = 0; k < x->g->tensors.at[i]->pieces.n; k++)
            s += spared(x, &x->g->tensors.at[i]->pieces.at[k], &all);
    if (!(s > 0)) return false;
    Piece p = t->pieces.at[0];
    p.value = written(x, p.value);
    return all - s + alone_piece_seconds(&x->alone, t->type, t->rank, t->shape, &p) < AT_MOST * all;
}

const bool *storing_choose(Graph *g, Targets t, const Machine *m, Ctx *ctx) {
    Ctx *temp = ctx_temp(g->ctx);
    Storing x = {.g = g, .alone = alone_new(g, t, m, temp), .temp = temp};
    bool *stored = NEW_N(ctx, bool, g->tensors.n + 1), any = false;
    x.written = (ExprRewrite){.g = g, .temp = temp, .before = write_let, .user = &x};
    alone_usual(&x.alone);
    alone_legal(&x.alone);
    for (int i = 0; i < g->tensors.n; i++) {
        Tensor *let = g->tensors.at[i];
        if (!is_pointwise(let) || !features_special(written(&x, let->pieces.at[0].value))) continue;
        any |= stored[i] = pays(&x, let);
    }
    ctx_temp_end(temp);
    return any ? stored : NULL;
}
