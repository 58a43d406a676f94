/* Which reductions are scans. See scan.h. */
#include "scan.h"
#include "ir/expr_is.h"
#include "ir/expr_walk.h"

static bool uses_var(Graph *g, const Expr *e, const Var *v) {
    ExprSet seen = {0};
    Ctx *temp = ctx_temp(g->ctx);
    bool r = expr_find(temp, &seen, e, expr_test_var, v) != NULL;
    ctx_temp_end(temp);
    return r;
}

/* The comparison v op u with v on the left: one that says which lies further along. */
static bool is_bound_of(const Expr *c, const Var *v, Op *op, const Expr **other) {
    if (op_swapped(c->op) == c->op) return false;
    for (int i = 0; i < 2; i++) {
        if (c->arg[i]->op != OP_VAR || c->arg[i]->u.var != v) continue;
        *op = i ? op_swapped(c->op) : c->op;
        *other = c->arg[!i];
        return true;
    }
    return false;
}

/* u, or u + 1, where the bound is one variable's of the same range. */
static Var *bound_var(const Expr *e, int64_t *plus) {
    *plus = 0;
    if (e->op == OP_ADD && expr_is_int(e->arg[1], plus) && *plus == 1) e = e->arg[0];
    return e->op == OP_VAR ? e->u.var : NULL;
}

static bool operands_use(Graph *g, const Expr *reduce, const Var *v) {
    for (int i = 1; i < reduce->nargs; i++)
        if (uses_var(g, reduce->arg[i], v)) return true;
    return false;
}

static bool find_scan(Graph *g, const Expr *c, const Var *v, const Expr *reduce, ScanForm *out) {
    if (c->op == OP_AND) {
        for (int i = 0; i < 2; i++) {
            ScanForm f;
            if (!find_scan(g, c->arg[i], v, reduce, &f)) continue;
            const Expr *rest = expr_and(g, i ? c->arg[0] : f.rest, i ? f.rest : c->arg[1]);
            if (rest && uses_var(g, rest, f.along)) return false;
            *out = f;
            out->rest = rest;
            return true;
        }
        return false;
    }
    Op op;
    const Expr *other;
    int64_t plus;
    if (!is_bound_of(c, v, &op, &other)) return false;
    Var *u = bound_var(other, &plus);
    if (!u || u == v || !var_same_range(u, v) || operands_use(g, reduce, u)) return false;
    if (plus && op != OP_LT && op != OP_GE) return false; /* k < j + 1 is k <= j, k >= j + 1 is k > j */
    bool strict = (op == OP_LT || op == OP_GT) != (plus == 1);
    *out = (ScanForm){.along = u, .exclusive = strict, .reverse = op == OP_GT || op == OP_GE};
    return true;
}

bool scan_form(Graph *g, const Expr *r, ScanForm *out) {
    if (r->u.reduce->nvars != 1 || !find_scan(g, r->arg[0], r->u.reduce->vars[0], r, out)) return false;
    /* a backward scan is run along the mirrored axis, where the first index would be the last */
    const Monoid *m = r->u.reduce->monoid;
    return !(out->reverse && (m->indexed || m->ordered));
}

/* Loads at another place than the variable itself, such as v + 1. */
static Found loads_beside(const Expr *e, const void *var) {
    for (int i = 0; e->op == OP_LOAD && i < e->nargs; i++)
        if (e->arg[i]->op != OP_VAR && expr_has(e->arg[i], expr_test_var, var)) return FOUND;
    return FOUND_INSIDE;
}

const Expr *scan_without_last(Graph *g, Ctx *temp, const Expr *reduce, const Expr *rest) {
    const Var *v = reduce->u.reduce->vars[0];
    ExprSet seen = {0};
    bool beside = false;
    for (int i = 1; i < reduce->nargs && !beside; i++)
        beside = expr_find(temp, &seen, reduce->arg[i], loads_beside, v) != NULL;
    if (!beside) return rest;
    const Expr *last = expr2(g, OP_SUB, v->hi, expr_int(g, TY_I64, 1));
    return expr_and(g, expr2(g, OP_LT, expr_var(g, (Var *)v), last), rest);
}
