/* Running reductions that go backward: scans run forward. See partition.h. */
#include "partition.h"
#include "scan.h"

/* What is looked for: a scan along one of these variables, backward or forward. */
typedef struct ScanTest {
    Graph *g;
    Var *const *vars;
    int n;
    bool reverse;
} ScanTest;

static Found is_scan(const Expr *e, const void *user) {
    const ScanTest *t = user;
    ScanForm f;
    if (!e->reduces) return FOUND_NOT;
    if (e->op != OP_REDUCE || !scan_form(t->g, e, &f) || f.reverse != t->reverse) return FOUND_INSIDE;
    for (int i = 0; i < t->n; i++)
        if (t->vars[i] == f.along) return FOUND;
    return FOUND_INSIDE;
}

static const Expr *find_scan(Partition *x, const Expr *e, Var *const *vars, int n, bool reverse) {
    const ScanTest test = {.g = x->g, .vars = vars, .n = n, .reverse = reverse};
    ExprSet seen = {0};
    return expr_find(x->temp, &seen, e, is_scan, &test);
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

typedef struct Mirroring {
    const Var *along;
    const Expr *u; /* that runs the other way */
} Mirroring;

static const Expr *mirror_scan(ExprRewrite *w, const Expr *e, const Expr *r) {
    const Mirroring *m = w->user;
    Graph *g = w->g;
    ScanForm f;
    if (e->op != OP_REDUCE || !scan_form(g, r, &f) || !f.reverse || f.along != m->along) return r;
    Var *k = e->u.reduce->vars[0], *k2 = graph_var(g, k->name, k->lo, k->hi);
    Reduce *fresh = NEW(g->ctx, Reduce);
    *fresh = *e->u.reduce;
    fresh->vars = NEW(g->ctx, Var *);
    fresh->vars[0] = k2;
    const Expr *from = expr_var(g, k), *to = mirror(g, k, expr_var(g, k2));
    const Expr *guard = expr2(g, f.exclusive ? OP_LT : OP_LE, expr_var(g, k2), m->u);
    if (f.rest) guard = expr_and(g, guard, expr_replace(g, f.rest, &from, &to, 1));
    const Expr *operands[MAX_PARTS];
    for (int i = 1; i < r->nargs; i++) operands[i - 1] = expr_replace(g, r->arg[i], &from, &to, 1);
    return expr_reduce_parts(g, fresh, guard, operands);
}

/* Runs an axis backward, so that the scans along it go forward. */
static void flip(Partition *x, Equation *root, Var *along) {
    Graph *g = x->g;
    Var *v = graph_var(g, along->name, along->lo, along->hi);
    Mirroring m = {.along = along, .u = expr_var(g, v)};
    ExprRewrite w = {.g = g, .temp = x->temp, .after = mirror_scan, .user = &m, .reduces = true};
    const Expr *from = expr_var(g, along), *to = mirror(g, along, expr_var(g, v)),
               **subs = NEW_N(g->ctx, const Expr *, root->tensor->rank);
    root->value = expr_replace(g, expr_rewrite(&w, root->value), &from, &to, 1);
    if (root->guard) root->guard = expr_replace(g, root->guard, &from, &to, 1);
    for (int d = 0; d < root->tensor->rank; d++) subs[d] = expr_replace(g, root->subs[d], &from, &to, 1);
    root->subs = subs;
    Var **vars = NEW_N(g->ctx, Var *, root->nvars);
    for (int i = 0; i < root->nvars; i++) vars[i] = root->vars[i] == along ? v : root->vars[i];
    root->vars = vars;
}

Turn partition_turn(Partition *x, Equation *root, const Expr **scan) {
    ScanForm form;
    *scan = find_scan(x, root->value, root->vars, root->nvars, true);
    if (!*scan) return TURN_NONE;
    scan_form(x->g, *scan, &form);
    if (find_scan(x, root->value, &form.along, 1, false)) return TURN_BLOCKED;
    flip(x, root, form.along);
    return TURN_DONE;
}
