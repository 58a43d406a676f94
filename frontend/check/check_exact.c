/* Checks in exact algebra (ir/interp/exact.h): inputs, what is exempt, and the comparison of every bit. */
#include "check.h"
#include "ir/expr_map.h"

Exact check_algebra(const Module *m, ExactKind kind) {
    int bits = 32;
    for (int i = 0; i < m->graphs.n; i++) {
        int own = exact_bits(m->graphs.at[i]);
        if (own < bits) bits = own;
    }
    return exact_algebra(kind, bits);
}

void check_exact_input(const Exact *x, const Tensor *t, uint64_t seed, HostTensor *h) {
    uint64_t key = seed;
    for (const char *p = t->name; *p; p++) key = (key ^ (unsigned char)*p) * 1099511628211u;
    int64_t most = (int64_t)(x->modulus - 1) / 2, least = 1 - most; /* their negatives too are between the infinities */
    for (int64_t i = 0; i < h->n; i++)
        exact_put(h, i, exact_from_int(x, least + (int64_t)(check_uniform(key, (uint64_t)i) * (double)(2 * most - 1))));
}

/* ---- exemptions (backend_cuda/emu/README.md lists them) ---- */

typedef struct Walk {
    Ctx *ctx;
    ExprMap whole; /* of expressions and tensors: &yes where an integer in them was a float, &no */
    ExprMap seen;
    VEC(const Tensor *) todo;
    Sym why;
} Walk;
static const char yes, no;

static bool first_time(Walk *w, const void *p) {
    if (!p || expr_map_get(&w->seen, p)) return false;
    expr_map_put(w->ctx, &w->seen, p, p);
    return true;
}

static bool from_float(Walk *w, const Expr *e);

static bool tensor_from_float(Walk *w, const Tensor *t) {
    const void *known = expr_map_get(&w->whole, t);
    if (known) return known == &yes;
    expr_map_put(w->ctx, &w->whole, t, &no);
    bool is = false;
    for (int i = 0; i < t->pieces.n && !is; i++) is = from_float(w, t->pieces.at[i].value);
    expr_map_put(w->ctx, &w->whole, t, is ? &yes : &no);
    return is;
}

/* Whether a conversion from a float decides an integer. Expressions are nested MAX_DEPTH deep at most. */
static bool from_float(Walk *w, const Expr *e) {
    const void *known = expr_map_get(&w->whole, e);
    if (known) return known == &yes;
    bool is = e->op == OP_CAST && !type_is_float(e->type) && type_is_float(e->arg[0]->type);
    if (e->op == OP_LOAD && !type_is_float(e->type)) is = tensor_from_float(w, e->u.tensor);
    for (int i = 0; i < e->nargs && !is; i++) is = from_float(w, e->arg[i]);
    expr_map_put(w->ctx, &w->whole, e, is ? &yes : &no);
    return is;
}

static const char SUBSCRIPT[] = "a subscript from a float";

static void expression(Walk *w, const Expr *e) {
    if (!first_time(w, e)) return;
    if (type_is_float(e->type) && !exact_has(e->op)) w->why = op_text(e->op);
    if (e->op == OP_LOAD && first_time(w, e->u.tensor)) vec_push(w->ctx, &w->todo, e->u.tensor);
    for (int i = 0; e->op == OP_LOAD && i < e->nargs; i++)
        if (from_float(w, e->arg[i])) w->why = SUBSCRIPT;
    for (int i = 0; e->op == OP_REDUCE && i < e->u.reduce->nvars; i++)
        if (from_float(w, e->u.reduce->vars[i]->lo) || from_float(w, e->u.reduce->vars[i]->hi)) w->why = SUBSCRIPT;
    for (int i = 0; i < e->nargs; i++) expression(w, e->arg[i]);
}

Sym check_exemption(Ctx *ctx, const Graph *g, const Tensor *output) {
    Walk w = {.ctx = ctx, .why = g->host ? "the host computes it" : NULL};
    first_time(&w, output);
    vec_push(ctx, &w.todo, output);
    while (w.todo.n && !w.why) {
        const Tensor *t = w.todo.at[--w.todo.n];
        for (int i = 0; i < t->pieces.n; i++) {
            const Piece *p = &t->pieces.at[i];
            if (p->guard) expression(&w, p->guard);
            for (int d = 0; d < t->rank; d++)
                if (from_float(&w, p->subs[d])) w.why = SUBSCRIPT;
            expression(&w, p->value);
        }
    }
    return w.why;
}

Sym check_exempt_entry(Ctx *ctx, const Graph *g) {
    for (int k = 0; k < g->params.n; k++) {
        Sym why = g->params.at[k]->kind == TENSOR_INPUT ? NULL : check_exemption(ctx, g, g->params.at[k]);
        if (why == SUBSCRIPT) return why;
    }
    return NULL;
}

/* ---- comparing ---- */

CheckError check_compare_exact(const Exact *x, const HostTensor *out, const InterpValue *ref) {
    CheckError e = {.first = -1};
    for (int64_t i = 0; i < ref->n; i++) {
        int64_t got = type_is_float(out->type) ? exact_get(x, out, i) : host_int(out, i);
        if (got == ref->i[i]) continue;
        if (e.first < 0) e.first = i;
        e.bad++;
    }
    return e;
}
