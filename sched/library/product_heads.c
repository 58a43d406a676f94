/* Indices of which a factor reads the quotient (keys that several heads of queries share, k[b, h / R, j, d]). Such an
 * index is two for a library, h = R * g + r: a batch, and one that the factor lacks. */
#include "product_heads.h"

#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "ir/poly/poly.h"

enum { MOST_SPLIT = 4 /* indices of an equation */ };

typedef struct Splitting {
    Graph *g;
    Ctx *temp;
    PolyEnv env;
    const Equation *e;
    Var *var;          /* the index of a quotient that was found */
    const Expr *inner; /* what it is divided by */
    const Expr *outer; /* its length over that */
} Splitting;

/* How often `by` goes into n, where it does so evenly; NULL: it is not known to. */
static const Expr *quotient(Splitting *x, const Expr *n, const Expr *by) {
    Poly times, rest, length = poly_of(&x->env, n);
    int64_t c;
    if (by->op == OP_DIM) {
        const bool linear = poly_linear(x->temp, length, by, &times, &rest);
        return linear && !rest.n && !times.failed ? poly_expr(x->g, times) : NULL;
    }
    if (!expr_is_int(by, &c) || c < 2 || length.failed || poly_divisor(length) % c) return NULL;
    Poly over = {.n = length.n, .term = NEW_N(x->temp, PolyTerm, length.n + 1)};
    for (int i = 0; i < length.n; i++) {
        over.term[i] = length.term[i];
        over.term[i].coef /= c;
    }
    return poly_expr(x->g, over);
}

static Found find_quotient(const Expr *e, void *splitting) {
    Splitting *x = splitting;
    int64_t lo;
    if (e->op != OP_DIV || e->arg[0]->op != OP_VAR || !expr_over_dims(e->arg[1])) return FOUND_INSIDE;
    for (int i = 0; i < x->e->nvars; i++) {
        Var *v = x->e->vars[i];
        if (e->arg[0]->u.var != v || !expr_is_int(v->lo, &lo) || lo) continue;
        x->var = v;
        x->inner = e->arg[1];
        x->outer = quotient(x, v->hi, e->arg[1]);
        if (x->outer) return FOUND;
    }
    return FOUND_INSIDE;
}

static Var *part_of(Splitting *x, int place, const char *name, const Expr *length) {
    const Var like = {.lo = expr_int(x->g, TY_I64, 0), .hi = length};
    return graph_place_var(x->g, PLACE_FOLD, place, sym_fmt(x->g->ctx, "%s_%s", x->var->name, name), &like);
}

static void split(Splitting *x, Equation *e) {
    Graph *g = x->g;
    Var *outer = part_of(x, 1, "outer", x->outer), *inner = part_of(x, 2, "inner", x->inner);
    const Expr *v = expr_var(g, x->var), *o = expr_var(g, outer), *i = expr_var(g, inner);
    const Expr *from[] = {expr2(g, OP_DIV, v, x->inner), expr2(g, OP_MOD, v, x->inner), v};
    const Expr *to[] = {o, i, expr2(g, OP_ADD, expr2(g, OP_MUL, o, x->inner), i)};
    const Expr **subs = NEW_N(g->ctx, const Expr *, e->tensor->rank);
    Var **vars = NEW_N(g->ctx, Var *, e->nvars + 1);
    int n = 0;
    for (int k = 0; k < e->nvars; k++) {
        vars[n++] = e->vars[k] == x->var ? outer : e->vars[k];
        if (e->vars[k] == x->var) vars[n++] = inner;
    }
    for (int d = 0; d < e->tensor->rank; d++) subs[d] = expr_replace(g, e->subs[d], from, to, 3);
    e->value = expr_replace(g, e->value, from, to, 3);
    e->subs = subs;
    e->vars = vars;
    e->nvars = n;
}

Equation product_heads(Graph *g, Ctx *temp, const Equation *root) {
    Equation e = *root;
    for (int i = 0; i < MOST_SPLIT; i++) {
        Splitting x = {.g = g, .temp = temp, .env = {.g = g, .ctx = temp}, .e = &e};
        ExprWalk w = {.temp = temp, .before = find_quotient, .user = &x};
        if (!expr_walk(&w, e.value)) break;
        split(&x, &e);
    }
    return e;
}
