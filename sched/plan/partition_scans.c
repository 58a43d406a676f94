/* Running reductions that go backward: scans run forward. See partition.h. */
#include "partition.h"

/* A reverse scan along one of the root's variables, outside other reductions' bodies. */
static const Expr *reverse_scan(Partition *x, ExprMap *seen, const Equation *root, const Expr *e, ScanForm *form) {
    if (!e->reduces || expr_map_get(seen, e)) return NULL;
    expr_map_put(x->temp, seen, e, e);
    if (e->op == OP_REDUCE && scan_form(x->g, e, form) && form->reverse)
        for (int i = 0; i < root->nvars; i++)
            if (root->vars[i] == form->along) return e;
    for (int i = 0; i < e->nargs; i++) {
        const Expr *r = reverse_scan(x, seen, root, e->arg[i], form);
        if (r) return r;
    }
    return NULL;
}

static bool forward_scan(Partition *x, ExprMap *seen, const Var *along, const Expr *e) {
    ScanForm f;
    if (!e->reduces || expr_map_get(seen, e)) return false;
    expr_map_put(x->temp, seen, e, e);
    if (e->op == OP_REDUCE && scan_form(x->g, e, &f) && !f.reverse && f.along == along) return true;
    for (int i = 0; i < e->nargs; i++)
        if (forward_scan(x, seen, along, e->arg[i])) return true;
    return false;
}

/* lo + hi - 1 - v */
static const Expr *mirror(Graph *g, const Var *range, const Expr *v) {
    const Expr *top = expr2(g, OP_SUB, expr_minus(g, range->hi, range->lo), expr_int(g, TY_I64, 1));
    int64_t lo;
    if (!expr_is_int(range->lo, &lo) || lo != 0) {
        top = expr2(g, OP_ADD, range->lo, expr2(g, OP_SUB, range->hi, expr_int(g, TY_I64, 1)));
    }
    return expr2(g, OP_SUB, top, v);
}

static const Expr *mirror_scans(Partition *x, ExprMap *done, const Expr *e, const Var *along, const Expr *u) {
    if (!e->reduces) return e;
    const Expr *known = expr_map_get(done, e);
    if (known) return known;
    Graph *g = x->g;
    const Expr *few[4], **a = e->nargs <= 4 ? few : NEW_N(x->temp, const Expr *, e->nargs);
    ScanForm f;
    for (int i = 0; i < e->nargs; i++) a[i] = mirror_scans(x, done, e->arg[i], along, u);
    const Expr *r = expr_with(g, e, a);
    if (e->op == OP_REDUCE && scan_form(g, r, &f) && f.reverse && f.along == along) {
        Var *k = e->u.reduce->vars[0], *k2 = graph_var(g, k->name, k->lo, k->hi);
        Reduce *fresh = NEW(g->ctx, Reduce);
        *fresh = *e->u.reduce;
        fresh->vars = NEW(g->ctx, Var *);
        fresh->vars[0] = k2;
        const Expr *from = expr_var(g, k), *to = mirror(g, k, expr_var(g, k2));
        const Expr *guard = expr2(g, f.exclusive ? OP_LT : OP_LE, expr_var(g, k2), u);
        if (f.rest) guard = expr_and(g, guard, expr_replace(g, f.rest, &from, &to, 1));
        const Expr *operands[MAX_PARTS];
        for (int i = 1; i < r->nargs; i++) operands[i - 1] = expr_replace(g, r->arg[i], &from, &to, 1);
        r = expr_reduce_parts(g, fresh, guard, operands);
    }
    expr_map_put(x->temp, done, e, r);
    return r;
}

/* Runs an axis backward, so that the scans along it go forward. */
static void flip(Partition *x, Equation *root, Var *along) {
    Graph *g = x->g;
    Var *v = graph_var(g, along->name, along->lo, along->hi);
    ExprMap done = {0};
    const Expr *from = expr_var(g, along), *to = mirror(g, along, expr_var(g, v)),
               **subs = NEW_N(g->ctx, const Expr *, root->tensor->rank);
    root->value = expr_replace(g, mirror_scans(x, &done, root->value, along, expr_var(g, v)), &from, &to, 1);
    if (root->guard) root->guard = expr_replace(g, root->guard, &from, &to, 1);
    for (int d = 0; d < root->tensor->rank; d++) subs[d] = expr_replace(g, root->subs[d], &from, &to, 1);
    root->subs = subs;
    Var **vars = NEW_N(g->ctx, Var *, root->nvars);
    for (int i = 0; i < root->nvars; i++) vars[i] = root->vars[i] == along ? v : root->vars[i];
    root->vars = vars;
}

bool face_forward(Partition *x, Equation *root) {
    ExprMap seen = {0}, again = {0};
    ScanForm form;
    const Expr *e = reverse_scan(x, &seen, root, root->value, &form);
    if (!e) return false;
    if (!forward_scan(x, &again, form.along, root->value)) {
        flip(x, root, form.along);
        return true;
    }
    ExprMap bad = {0};
    expr_map_put(x->temp, &bad, e, e);
    const Expr *value = take_out_bad(x, root, &bad, true, "its scan goes the other way");
    bool changed = value != root->value;
    root->value = value;
    return changed;
}
