/* Which integers the assumptions of a graph leave to a tensor's elements: a union of intervals, from comparisons with
 * what the host knows, joined by &&, || and !; and whether its neighbours are in order. What else is assumed is passed
 * over. */
#include "check.h"

#include "ir/expr_is.h"
#include "ir/poly/bound.h"

typedef struct Reader {
    const Graph *g;
    const Tensor *t;
    const int64_t *dims;
    const double *scalars;
} Reader;

static ValueSet interval(int64_t lo, int64_t hi) { return (ValueSet){lo <= hi, {{lo, hi}}}; }

static ValueSet intersection(const ValueSet *a, const ValueSet *b) {
    ValueSet r = {0};
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < b->n; k++) {
            int64_t lo = a->at[i].lo > b->at[k].lo ? a->at[i].lo : b->at[k].lo;
            int64_t hi = a->at[i].hi < b->at[k].hi ? a->at[i].hi : b->at[k].hi;
            if (lo > hi) continue;
            if (r.n == VALUE_PARTS) { /* more than are told apart: those between count as well */
                r.at[r.n - 1].hi = hi;
                continue;
            }
            r.at[r.n].lo = lo;
            r.at[r.n++].hi = hi;
        }
    return r;
}

static ValueSet both(const ValueSet *a, const ValueSet *b) {
    ValueSet r = {0};
    for (int i = 0, k = 0; i < a->n || k < b->n;) {
        bool first = k == b->n || (i < a->n && a->at[i].lo <= b->at[k].lo);
        int64_t lo = first ? a->at[i].lo : b->at[k].lo, hi = first ? a->at[i].hi : b->at[k].hi;
        i += first;
        k += !first;
        bool joins = r.n && (r.at[r.n - 1].hi == INT64_MAX || lo <= r.at[r.n - 1].hi + 1);
        if (joins || r.n == VALUE_PARTS) {
            if (hi > r.at[r.n - 1].hi) r.at[r.n - 1].hi = hi;
            continue;
        }
        r.at[r.n].lo = lo;
        r.at[r.n++].hi = hi;
    }
    return r;
}

static ValueSet compared(Op op, int64_t v) {
    ValueSet below = v > INT64_MIN ? interval(INT64_MIN, v - 1) : (ValueSet){0};
    ValueSet above = v < INT64_MAX ? interval(v + 1, INT64_MAX) : (ValueSet){0};
    switch (op) {
    case OP_EQ: return interval(v, v);
    case OP_NE: return both(&below, &above);
    case OP_LT: return below;
    case OP_LE: return interval(INT64_MIN, v);
    case OP_GT: return above;
    default: return interval(v, INT64_MAX);
    }
}

static ValueSet values(const Reader *r, const Expr *e, bool holds, int depth) {
    const Expr *other;
    int64_t v;
    Op op;
    if (depth > MAX_NEST) return interval(INT64_MIN, INT64_MAX);
    if (e->op == OP_NOT) return values(r, e->arg[0], !holds, depth + 1);
    if (e->op == OP_AND || e->op == OP_OR) {
        ValueSet a = values(r, e->arg[0], holds, depth + 1), b = values(r, e->arg[1], holds, depth + 1);
        return (e->op == OP_AND) == holds ? intersection(&a, &b) : both(&a, &b);
    }
    if (!bound_compare(e, r->t, &op, &other) || !interp_int(r->g, other, r->dims, r->scalars, &v))
        return interval(INT64_MIN, INT64_MAX);
    return compared(holds ? op : op_negated(op), v);
}

ValueSet check_values(const Graph *g, const Tensor *t, const int64_t *dims, const double *scalars) {
    Reader r = {g, t, dims, scalars};
    ValueSet all = interval(INT64_MIN, INT64_MAX);
    for (int i = 0; i < g->facts.n; i++) {
        if (g->facts.at[i].require) continue;
        ValueSet one = values(&r, g->facts.at[i].cond, true, 0);
        all = intersection(&all, &one);
    }
    return all;
}

/* y is the subscript x + 1. */
static bool follows(const Expr *x, const Expr *y) {
    int64_t one;
    if (y->op == OP_ADD && y->arg[0] == x) return expr_is_int(y->arg[1], &one) && one == 1;
    return x->op == OP_SUB && x->arg[0] == y && expr_is_int(x->arg[1], &one) && one == 1;
}

static bool orders(const Expr *e, const Tensor *t) {
    if (e->op == OP_AND || e->op == OP_OR) return orders(e->arg[0], t) || orders(e->arg[1], t);
    if (e->op != OP_LE && e->op != OP_GE) return false;
    const Expr *a = expr_uncast(e->arg[e->op == OP_GE]), *b = expr_uncast(e->arg[e->op == OP_LE]);
    return a->op == OP_LOAD && b->op == OP_LOAD && a->u.tensor == t && b->u.tensor == t &&
           follows(a->arg[0], b->arg[0]);
}

bool check_ordered(const Graph *g, const Tensor *t) {
    for (int i = 0; i < g->facts.n; i++)
        if (t->rank == 1 && !g->facts.at[i].require && orders(g->facts.at[i].cond, t)) return true;
    return false;
}
