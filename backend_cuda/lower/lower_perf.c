/* Lowering, -Wperf: what of a kernel is slower than it might be because the source says too little of its
 * dimensions. */
#include "ir/diag.h"
#include "lower_internal.h"
#include "sched/kernel/perf.h"

/* Of `dims` % mod == 0 what is left to ask of it without its constant factors: their product, and in *mod what the rest
 * must be a multiple of. */
static const Expr *without_constants(const Expr *dims, int64_t *mod) {
    int64_t c;
    while (dims->op == OP_MUL && (expr_is_int(dims->arg[0], &c) || expr_is_int(dims->arg[1], &c))) {
        dims = dims->arg[expr_is_int(dims->arg[0], &c)];
        *mod /= gcd64(*mod, c);
    }
    return dims;
}

static bool has_factor(const Expr *product, const Expr *e) {
    if (product == e) return true;
    return product->op == OP_MUL && (has_factor(product->arg[0], e) || has_factor(product->arg[1], e));
}

/* Whether another condition of the kernel that is reported says this one too. */
static bool is_implied(const Lower *l, int at, const Expr *dims, int64_t mod) {
    for (int i = 0; i < l->needs.conds.n; i++) {
        const AlignCond *c = &l->needs.conds.at[i];
        if (i == at || !c->dims || c->whole) continue;
        int64_t other = c->mod;
        const Expr *e = without_constants(c->dims, &other);
        if (other % mod || !has_factor(dims, e)) continue;
        if (i < at || other != mod || e != dims) return true;
    }
    return false;
}

/* Whether the condition, part of a require, says that mod divides the product: K % 128 == 0. */
static bool says_divisible(const Expr *c, const Expr *dims, int64_t mod) {
    int64_t by, rest;
    if (c->op == OP_AND) return says_divisible(c->arg[0], dims, mod) || says_divisible(c->arg[1], dims, mod);
    if (c->op != OP_EQ || c->arg[0]->op != OP_MOD || !expr_is_int(c->arg[1], &rest) || rest != 0) return false;
    return expr_is_int(c->arg[0]->arg[1], &by) && by % mod == 0 && has_factor(dims, c->arg[0]->arg[0]);
}

static bool is_required(const Lower *l, const Expr *dims, int64_t mod) {
    const Graph *g = l->p->graph;
    for (int i = 0; i < g->facts.n; i++)
        if (g->facts.at[i].require && says_divisible(g->facts.at[i].cond, dims, mod)) return true;
    return false;
}

/* Whether the kernel stores or folds the shares of a division: that tensor is nobody's to write otherwise. */
static bool has_shares(const Lower *l) {
    for (int i = 0; i < l->needs.tensors.n; i++)
        if (perf_made(l->p, l->needs.tensors.at[i])) return true;
    return false;
}

/* Whether a dimension is the length of rows, of which there are several: a tensor that is one row has one end. */
static bool are_rows(const Lower *l, const Expr *dims) {
    if (dims->op != OP_DIM) return true;
    for (int i = 0; i < l->needs.tensors.n; i++) {
        const Tensor *t = l->needs.tensors.at[i];
        if (t->rank > 1 && has_factor(t->shape[t->rank - 1], dims)) return true;
    }
    return false;
}

/* -Wperf: what the kernel could be spared if the source said more of its dimensions. */
void lower_report_perf(Lower *l) {
    Ctx *ctx = l->p->ctx;
    if (!diag_wants_perf(ctx) || !perf_matters(l->p, l->whole)) return;
    if (l->k->product) return; /* of a library: it runs as a kernel now and then only */
    Span span = perf_place(l->p, l->k);
    const bool said = diag_said(ctx, DIAG_PERF_UNALIGNED, span); /* of another version */
    for (int i = 0; i < l->needs.conds.n && l->needs.wide && !has_shares(l) && !said; i++) {
        const AlignCond *c = &l->needs.conds.at[i];
        if (!c->dims || c->whole) continue; /* addresses are as the caller allocates them */
        int64_t mod = c->mod;
        const Expr *dims = without_constants(c->dims, &mod);
        if (mod < 2 || !are_rows(l, dims) || is_implied(l, i, dims, mod) || is_required(l, dims, mod)) continue;
        const char *size = code_said(l->ctx, dim_code(l, dims, true));
        Diag *d =
            diag_report(ctx, DIAG_PERF_UNALIGNED, span,
                        "a slower variant runs where %s is no multiple of %lld: its rows do not all begin where a "
                        "wide access may",
                        size, (long long)mod);
        if (dims->op == OP_DIM)
            diag_help(ctx, d, "if it always is, say so: dim %s divisible %lld;", dims->u.dim->name, (long long)mod);
        else
            diag_help(ctx, d, "if it always is, say so: require %s %% %lld == 0;", size, (long long)mod);
    }
    if (!l->needs.always64) return;
    Diag *d = diag_report(ctx, DIAG_PERF_WIDE_INDEX, span, "the indices of this kernel take 64 bits");
    diag_help(ctx, d,
              "an index passes 2147483647: with the dimension divided in two, x: f32[M, N], 32 bits are enough");
}
