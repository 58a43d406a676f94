/* Elements of an inout that are defined as what they were: they need no store, and mostly no load. See rewrite.h. */
#include "rewrite.h"

#include "expr_is.h"
#include "expr_walk.h"

/* Whether e is the value before of the element that the piece defines. */
static bool is_kept(const Tensor *t, const Piece *p, const Expr *e) {
    e = expr_uncast(e);
    while (e->op == OP_CAST && e->type == t->type) e = expr_uncast(e->arg[0]);
    bool same = e->op == OP_LOAD && e->u.tensor == t;
    for (int d = 0; d < t->rank && same; d++) same = e->arg[d] == p->subs[d];
    return same;
}

/* What a condition says of the range of a variable of the piece: one of its ends. */
typedef struct NewEnd {
    Var *var;
    const Expr *lo, *hi; /* one is NULL */
} NewEnd;

/* Only where that is provably no more than there is. */
static bool says_end(const PolyEnv *env, const Expr *c, const Piece *p, NewEnd *r) {
    Graph *g = env->g;
    const Expr *one = expr_int(g, TY_I64, 1);
    for (int i = 0; i < 2 && op_swapped(c->op) != c->op; i++) {
        const Op op = i ? op_swapped(c->op) : c->op;
        const Expr *v = c->arg[i], *end = c->arg[!i];
        if (v->op != OP_VAR || v->type != end->type || !expr_over_dims(end)) continue;
        *r = (NewEnd){.var = v->u.var};
        if (op == OP_LT) r->hi = end;
        if (op == OP_LE) r->hi = expr2(g, OP_ADD, end, one);
        if (op == OP_GE) r->lo = end;
        if (op == OP_GT) r->lo = expr2(g, OP_ADD, end, one);
        for (int k = 0; k < p->nvars; k++) {
            if (p->vars[k] != r->var) continue;
            if (r->hi && expr_nonneg(env, expr2(g, OP_SUB, r->var->hi, r->hi))) return true;
            if (r->lo && expr_nonneg(env, expr2(g, OP_SUB, r->lo, r->var->lo))) return true;
        }
    }
    return false;
}

/* Whether each part of a condition is an end of a range, or the same along rows: elements beside each other are
 * accessed at once where all or none of them is stored. */
static bool leaves_rows(const PolyEnv *env, const Expr *c, const Tensor *t, const Piece *p) {
    NewEnd end;
    if (c->op == OP_AND) return leaves_rows(env, c->arg[0], t, p) && leaves_rows(env, c->arg[1], t, p);
    if (says_end(env, c, p, &end)) return true;
    for (int i = 0; i < p->nvars && t->rank; i++)
        if (expr_has(p->subs[t->rank - 1], expr_test_var, p->vars[i]) && expr_has(c, expr_test_var, p->vars[i]))
            return false;
    return true;
}

/* A choice between the value before and another one, under what the value is cast to, becomes a condition. */
static bool take_choice(const PolyEnv *env, const Tensor *t, Piece *p) {
    Graph *g = env->g;
    const bool cast = p->value->op == OP_CAST && p->value->type == t->type;
    const Expr *e = cast ? p->value->arg[0] : p->value;
    if (e->op != OP_IF) return false;
    const bool first = is_kept(t, p, e->arg[1]);
    if (!first && !is_kept(t, p, e->arg[2])) return false;
    const Expr *c = first ? expr_simplify(g, env, expr1(g, OP_NOT, e->arg[0])) : e->arg[0];
    if (!leaves_rows(env, c, t, p)) return false;
    p->guard = expr_and(g, p->guard, c);
    p->value = first ? e->arg[2] : e->arg[1];
    if (cast) p->value = expr_cast(g, t->type, p->value);
    return true;
}

/* The condition without its parts that are ends of ranges, which the variables take. */
static const Expr *take_ends(const PolyEnv *env, const Expr *c, Piece *p) {
    NewEnd end;
    if (c->op == OP_AND) {
        const Expr *a = take_ends(env, c->arg[0], p), *b = take_ends(env, c->arg[1], p);
        return a == c->arg[0] && b == c->arg[1] ? c : !a ? b : !b ? a : expr_and(env->g, a, b);
    }
    if (!says_end(env, c, p, &end)) return c;
    *(end.lo ? &end.var->lo : &end.var->hi) = expr_simplify(env->g, env, end.lo ? end.lo : end.hi);
    return NULL;
}

bool kept_leave_out(const PolyEnv *env, const Tensor *t, Piece *p) {
    bool changed = false;
    if (t->kind != TENSOR_INOUT || p->update) return false;
    while (take_choice(env, t, p)) changed = true;
    const Expr *guard = p->guard ? take_ends(env, p->guard, p) : NULL;
    changed |= guard != p->guard;
    p->guard = guard;
    return changed;
}
