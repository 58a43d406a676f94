/* Online steps (sched/plan/online.h): the elements of a thread's registers, which it has at once, are folded first to
 * their maximum or mean together with all before them, then relative to that. */
#include "apply_form.h"

/* An online step, and its operand at the elements that are folded. */
typedef struct Elements {
    Apply *x;
    const GStep *step;
    const Monoid *m;
    const Expr *e, *cond;
    FactorSet regs;
} Elements;

static const Expr *fold(const Elements *s, const char *monoid, const Expr *operand) {
    Graph *g = s->x->g;
    const Monoid *m = monoid_of(g, monoid_named(g, sym(g->ctx, monoid)), operand->type);
    return apply_fold(s->x, s->step, m, operand, s->cond, s->regs);
}

static void exponentials(const Elements *s, const Expr *const *before, const Expr **next) {
    Graph *g = s->x->g;
    const Expr *most = expr2(g, OP_MAX, before ? before[0] : s->m->identity[0], fold(s, "max", s->e));
    next[0] = apply_named(s->x, "m", most);
    next[1] = fold(s, "sum", expr1(g, OP_EXP, expr2(g, OP_SUB, s->e, next[0])));
    if (!before) return;
    const Expr *kept = expr2(g, OP_MUL, before[1], expr1(g, OP_EXP, expr2(g, OP_SUB, before[0], next[0])));
    next[1] = expr2(g, OP_ADD, kept, next[1]);
}

/* Of n elements that sum to s; of none: of one more. */
static const Expr *mean(Graph *g, const Expr *s, const Expr *n) {
    return expr2(g, OP_DIV, s, expr2(g, OP_MAX, n, expr_float(g, n->type, 1)));
}

static void squares(const Elements *s, const Expr *const *before, const Expr **next) {
    Graph *g = s->x->g;
    const Expr *zero = expr_float(g, s->e->type, 0);
    next[0] = fold(s, "sum", s->e);
    next[2] = fold(s, "sum", expr_float(g, s->e->type, 1));
    if (before) next[0] = apply_named(s->x, "s", expr2(g, OP_ADD, before[0], next[0]));
    if (before) next[2] = apply_named(s->x, "n", expr2(g, OP_ADD, before[2], next[2]));
    const Expr *centre = apply_named(s->x, "c", mean(g, next[0], next[2])), *d = expr2(g, OP_SUB, s->e, centre);
    next[1] = fold(s, "sum", expr2(g, OP_MUL, d, d));
    if (!before) return;
    const Expr *off = expr2(g, OP_SUB, mean(g, before[0], before[2]), centre);
    const Expr *moved = expr2(g, OP_MUL, before[2], expr2(g, OP_MUL, off, off));
    moved = expr3(g, OP_IF, expr2(g, OP_EQ, before[2], zero), zero, moved);
    next[1] = expr2(g, OP_ADD, expr2(g, OP_ADD, before[1], moved), next[1]);
}

void apply_online(Apply *x, const GStep *p, const Monoid *m, const Expr *const *before, const Expr **next) {
    const Cond c = apply_cond(x, p->guard);
    const Elements s = {x, p, m, apply_expr(x, p->node->arg[1], c), c.is, apply_tile(x, p->over, true, false)};
    if (p->online == ONLINE_EXP)
        exponentials(&s, before, next);
    else
        squares(&s, before, next);
}
