/* Checks in exact algebra (ir/interp/exact.h): inputs, what is exempt, and the comparison of every bit. */
#include "check.h"
#include "ir/expr_walk.h"

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
    ExprMap *tensors; /* Tensor -> 1 where an integer in its definition was a float, else 0 */
    ExprSet *whole;   /* nodes in which no integer was a float */
    ExprMap seen;     /* tensors that are, or were, to do */
    VEC(const Tensor *) todo;
    Sym why;
} Walk;

static void note_tensor(Walk *w, const Tensor *t) {
    if (expr_map_get(&w->seen, t)) return;
    expr_map_put(w->ctx, &w->seen, t, t);
    vec_push(w->ctx, &w->todo, t);
}

static Found is_from_float(const Expr *e, const void *walk);

static bool from_float(const Walk *w, const Expr *e) {
    return expr_find(w->ctx, w->whole, e, is_from_float, w) != NULL;
}

static bool tensor_from_float(const Walk *w, const Tensor *t) {
    intptr_t is = expr_map_number(w->tensors, t, -1);
    if (is >= 0) return is;
    expr_map_put_number(w->ctx, w->tensors, t, 0);
    for (int i = 0; i < t->pieces.n && is <= 0; i++) is = from_float(w, t->pieces.at[i].value);
    if (t->sort) is = type_is_float(t->sort->keys->type) || tensor_from_float(w, t->sort->keys);
    expr_map_put_number(w->ctx, w->tensors, t, is > 0);
    return is > 0;
}

/* Whether a conversion from a float decides an integer, in e itself or in what it loads. */
static Found is_from_float(const Expr *e, const void *walk) {
    const Walk *w = walk;
    bool is = e->op == OP_CAST && !type_is_float(e->type) && type_is_float(e->arg[0]->type);
    if (e->op == OP_LOAD && !type_is_float(e->type)) is = tensor_from_float(w, e->u.tensor);
    return is ? FOUND : FOUND_INSIDE;
}

static const char SUBSCRIPT[] = "a subscript from a float";

static Found note_exempt(const Expr *e, void *walk) {
    Walk *w = walk;
    if (type_is_float(e->type) && !exact_has(e->op)) w->why = op_text(e->op);
    if (e->op == OP_LOAD) note_tensor(w, e->u.tensor);
    for (int i = 0; e->op == OP_LOAD && i < e->nargs; i++)
        if (from_float(w, e->arg[i])) w->why = SUBSCRIPT;
    for (int i = 0; e->op == OP_REDUCE && i < e->u.reduce->nvars; i++)
        if (from_float(w, e->u.reduce->vars[i]->lo) || from_float(w, e->u.reduce->vars[i]->hi)) w->why = SUBSCRIPT;
    return FOUND_INSIDE;
}

Sym check_exemption(Ctx *ctx, const Graph *g, const Tensor *output) {
    ExprMap tensors = {0};
    ExprSet whole = {0};
    Walk w = {.ctx = ctx, .tensors = &tensors, .whole = &whole, .why = g->host ? "the host computes it" : NULL};
    ExprWalk nodes = {.temp = ctx, .before = note_exempt, .user = &w};
    note_tensor(&w, output);
    while (w.todo.n && !w.why) {
        const Tensor *t = w.todo.at[--w.todo.n];
        if (t->sort) note_tensor(&w, t->sort->keys);
        for (int i = 0; i < t->pieces.n; i++) {
            const Piece *p = &t->pieces.at[i];
            expr_walk(&nodes, p->guard);
            for (int d = 0; d < t->rank; d++)
                if (from_float(&w, p->subs[d])) w.why = SUBSCRIPT;
            expr_walk(&nodes, p->value);
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
