/* Whether the pieces of a tensor define each element once, and all of them (pieces.h). */
#include "pieces.h"

#include "ir/expr_walk.h"

static int count_vars(Known *known, const Piece *p, Poly x, int *one) {
    int n = 0;
    for (int i = 0; i < p->nvars; i++)
        if (poly_uses(x, expr_var(known->g, p->vars[i]))) n++, *one = i;
    return n;
}

/* The terms of x that vary with a variable of the piece. */
static Poly varying(Known *known, const Piece *p, Poly x) {
    Poly r = {0};
    int one;
    for (int i = 0; i < x.n; i++) {
        Poly t = {.n = 1, .term = &x.term[i]};
        if (count_vars(known, p, t, &one) > 0) r = poly_add(known->g->ctx, r, t);
    }
    return r;
}

/* Whether values of rest that differ are `extent` apart at least: then a digit of so many values can be added to it.
 * What is left to tell of rest goes to *high. */
static bool leaves_room(Known *known, const Piece *p, Poly rest, const Expr *extent, Poly *high) {
    PolyEnv env = {.g = known->g};
    Poly q = poly_of(&env, expr2(known->g, OP_DIV, poly_expr(known->g, rest), extent)), coef, other;
    if (!q.failed && poly_eq(poly_mul(known->g->ctx, q, poly_of(&env, extent)), rest)) return *high = q, true;
    int64_t step = poly_divisor(rest);
    if (step > 1 && known_nonneg(known, expr2(known->g, OP_SUB, expr_int(known->g, TY_I64, step), extent))) {
        *high = poly_of(&env, expr2(known->g, OP_DIV, poly_expr(known->g, rest), expr_int(known->g, TY_I64, step)));
        return !high->failed;
    }
    int one;
    if (count_vars(known, p, rest, &one) != 1) return false;
    *high = poly_of(&env, expr_var(known->g, p->vars[one]));
    return poly_linear(known->g->ctx, rest, high->term[0].atom[0], &coef, &other) && !other.n && !coef.failed &&
           known_nonneg(known, expr2(known->g, OP_SUB, poly_expr(known->g, coef), extent));
}

/* A variable of the piece that stands in *x with coefficient 1 or -1 and takes no more values than those of the rest
 * are apart: a digit. What is left to tell of the rest becomes *x. */
static bool strip_digit(Known *known, const Piece *p, Poly *x, bool *used) {
    for (int i = 0; i < p->nvars; i++) {
        const Var *v = p->vars[i];
        Poly coef, rest;
        int64_t k;
        if (!poly_linear(known->g->ctx, *x, expr_var(known->g, p->vars[i]), &coef, &rest)) continue;
        if (!poly_is_const(coef, &k) || (k != 1 && k != -1)) continue;
        if (!leaves_room(known, p, varying(known, p, rest), expr2(known->g, OP_SUB, v->hi, v->lo), x)) continue;
        used[i] = true;
        return true;
    }
    return false;
}

/* The variables that a subscript's value tells: the digits of a mixed-radix number, and what is left where that is one
 * variable with a coefficient that is not 0. */
static void tell_apart(Known *known, const Piece *p, const Expr *sub, bool *used) {
    PolyEnv env = {.g = known->g};
    Poly x = poly_of(&env, sub), coef, rest;
    int one = -1;
    int64_t k;
    if (x.failed) return;
    while (count_vars(known, p, x, &one) > 1)
        if (!strip_digit(known, p, &x, used)) return;
    if (count_vars(known, p, x, &one) == 0) return;
    if (!poly_linear(known->g->ctx, x, expr_var(known->g, p->vars[one]), &coef, &rest)) return;
    bool constant = poly_is_const(coef, &k);
    const Expr *less = constant || coef.failed
                           ? NULL
                           : poly_expr(known->g, poly_sub(known->g->ctx, coef, poly_const(known->g->ctx, 1)));
    used[one] |= constant ? k != 0 : less && known_nonneg(known, less);
}

/* Different values of the variables give different elements: the subscripts tell each of them. */
bool pieces_injective(Known *known, const Piece *p, int rank) {
    bool *used = NEW_N(known->g->ctx, bool, p->nvars + 1);
    for (int i = 0; i < rank; i++) tell_apart(known, p, p->subs[i], used);
    for (int i = 0; i < p->nvars; i++)
        if (!used[i]) return false;
    return true;
}

static bool never_zero(Known *known, const Expr *diff) {
    const Expr *one = expr_int(known->g, TY_I64, 1);
    if (known_nonneg(known, expr2(known->g, OP_SUB, diff, one))) return true;
    if (known_nonneg(known, expr2(known->g, OP_SUB, expr1(known->g, OP_NEG, diff), one))) return true;
    return known_truth(known, expr2(known->g, OP_NE, diff, expr_int(known->g, TY_I64, 0))) == 1;
}

/* ---- conditions on data ---- */

/* What a condition says of its operands: which of a < b, a == b, a > b and, for floats, none of them it allows. Any
 * other condition compares itself with nothing. */
typedef struct Outcome {
    const Expr *a, *b;
    unsigned allowed, all;
} Outcome;

enum { ORDERED = OUTCOME_LESS | OUTCOME_EQUAL | OUTCOME_GREATER }; /* what integers have */

static Outcome outcome(const Expr *c) {
    bool no = c->op == OP_NOT;
    if (no) c = c->arg[0];
    Outcome o = {.a = c, .allowed = OUTCOME_EQUAL, .all = OUTCOME_LESS | OUTCOME_EQUAL};
    if (op_rule(c->op) == RULE_COMPARE) {
        unsigned all = ORDERED | (type_is_float(c->arg[0]->type) ? OUTCOME_UNORDERED : 0);
        o = (Outcome){c->arg[0], c->arg[1], op_outcomes(c->op) & all, all};
    }
    if (no) o.allowed = o.all & ~o.allowed;
    return o;
}

static Outcome swapped(Outcome o) {
    unsigned ends = o.allowed & (OUTCOME_LESS | OUTCOME_GREATER);
    o.allowed &= ~(unsigned)(OUTCOME_LESS | OUTCOME_GREATER);
    if (ends & OUTCOME_LESS) o.allowed |= OUTCOME_GREATER;
    if (ends & OUTCOME_GREATER) o.allowed |= OUTCOME_LESS;
    return (Outcome){o.b, o.a, o.allowed, o.all};
}

/* Comparisons of one value with two constants that no integer meets both of. */
static bool constants_exclude(Outcome x, Outcome y) {
    int64_t c, d;
    if (x.a != y.a || !x.b || !y.b || x.all != ORDERED || y.all != ORDERED || !expr_is_int(x.b, &c) ||
        !expr_is_int(y.b, &d))
        return false;
    if (c > d) return constants_exclude(y, x);
    /* c <= d: x must allow nothing from d on, or y nothing up to c; between them there may be nothing at all. */
    bool up = x.allowed & OUTCOME_GREATER, down = y.allowed & OUTCOME_LESS;
    if (c == d) return (x.allowed & y.allowed) == 0;
    if (!up && !(y.allowed & OUTCOME_LESS)) return true;
    return up && down && c + 1 == d && !(x.allowed & OUTCOME_EQUAL) && !(y.allowed & OUTCOME_EQUAL) &&
           !(x.allowed & OUTCOME_LESS) && !(y.allowed & OUTCOME_GREATER);
}

/* A comparison under the conditions of the path. */
static int compare_truth(Known *known, const Expr *e) {
    Outcome c = outcome(e);
    unsigned possible = c.all;
    for (int k = 0; k < known->path.n; k++) {
        Outcome p = outcome(known->path.at[k]);
        if (p.a != c.a && p.b == c.a) p = swapped(p);
        if (p.a == c.a && p.b == c.b && p.all == c.all) possible &= p.allowed;
        if (constants_exclude(p, c)) return 0;
    }
    return !(possible & c.allowed) ? 0 : !(possible & ~c.allowed) ? 1 : -1;
}

/* 1: the path implies the condition (or its opposite, where `holds` is false), 0: it contradicts it, -1: neither is
 * seen. */
static int truth(Known *known, const Expr *cond, bool holds) {
    int sure = known_truth(known, cond);
    if (sure >= 0) return holds ? sure : !sure;
    if (cond->op == OP_NOT) return truth(known, cond->arg[0], !holds);
    if (cond->op == OP_AND || cond->op == OP_OR) {
        int decides = (cond->op == OP_AND) != holds; /* what one operand makes of the whole */
        int whole = compare_truth(known, holds ? cond : expr1(known->g, OP_NOT, cond));
        int a = truth(known, cond->arg[0], holds), b = truth(known, cond->arg[1], holds);
        return whole >= 0 ? whole : a == decides || b == decides ? decides : a == b ? a : -1;
    }
    ExprVec part = {0};
    known_conjuncts(known, cond, holds, &part, 0);
    return part.n == 1 ? compare_truth(known, part.at[0]) : -1;
}

/* ---- pieces ---- */

/* Provably no element in both: somewhere the subscripts differ for all values, under both guards. */
bool pieces_disjoint(Known *known, const Piece *a, const Piece *b, int rank) {
    int mark = known_push(known, a->guard, true);
    known_push(known, b->guard, true);
    bool ok = false;
    for (int i = 0; i < rank && !ok; i++) ok = never_zero(known, expr2(known->g, OP_SUB, a->subs[i], b->subs[i]));
    known_pop(known, mark);
    if (ok || (!a->guard && !b->guard)) return ok;
    /* The same subscripts under guards that exclude each other. */
    VEC(const Expr *) from = {0}, to = {0};
    for (int i = 0; i < rank; i++) {
        if (b->subs[i]->op != OP_VAR) return false;
        vec_push(known->g->ctx, &from, b->subs[i]);
        vec_push(known->g->ctx, &to, a->subs[i]);
    }
    const Expr *gb = b->guard ? expr_replace(known->g, b->guard, from.at, to.at, from.n) : NULL;
    const Expr *pair[] = {a->guard, gb};
    for (int i = 0; i < 2 && gb && known_is_small(gb) && !ok; i++) {
        mark = known_push(known, pair[i], true);
        ok = pair[1 - i] && known_is_small(pair[1 - i]) && truth(known, pair[1 - i], true) == 0;
        known_pop(known, mark);
    }
    return ok;
}

/* The piece's subscript there is a variable of its own over the whole axis. */
static bool spans(Known *known, const Tensor *t, const Piece *p, int axis) {
    if (p->subs[axis]->op != OP_VAR) return false;
    const Var *v = p->subs[axis]->u.var;
    for (int i = 0; i < t->rank; i++)
        if (i != axis && known_uses(p->subs[i], p->subs[axis])) return false;
    return v->lo == expr_int(known->g, TY_I64, 0) && v->hi == t->shape[axis];
}

/* How many values the variables of the piece have together, but for those that span an axis in `left_out`. */
static const Expr *count_of(Known *known, const Tensor *t, const Piece *p, const bool *left_out) {
    const Expr *n = expr_int(known->g, TY_I64, 1);
    for (int k = 0; k < p->nvars; k++) {
        bool out = false;
        for (int i = 0; i < t->rank; i++) out |= left_out[i] && p->subs[i] == expr_var(known->g, p->vars[k]);
        if (!out) n = expr2(known->g, OP_MUL, n, expr2(known->g, OP_SUB, p->vars[k]->hi, p->vars[k]->lo));
    }
    return n;
}

/* Of D/c and (D + k)/c, for constants c > 1 and k: D. NULL: e is no such quotient. */
static const Expr *divided_dim(const Expr *e, int64_t *by) {
    if (e->op != OP_DIV || !expr_is_int(e->arg[1], by) || *by <= 1) return NULL;
    const Expr *n = e->arg[0];
    if (n->op == OP_ADD && n->arg[1]->op == OP_CONST) n = n->arg[0];
    return n->op == OP_DIM ? n : NULL;
}

static Found divides_dim(const Expr *e, const void *unused) {
    (void)unused;
    int64_t by;
    return divided_dim(e, &by) ? FOUND : FOUND_INSIDE;
}

/* a == b for every remainder of a dimension that they divide by a constant: D/3 + (D + 1)/3 + (D + 2)/3 is D. */
static bool equal_by_remainder(Known *known, const Expr *a, const Expr *b) {
    enum { MOST = 16 };
    int64_t by = 0;
    const Expr *quotient = expr_has(a, divides_dim, NULL), *d = quotient ? divided_dim(quotient, &by) : NULL;
    if (!d || by > MOST) return false;
    PolyEnv env = {.g = known->g};
    const Expr *q = expr_var(known->g, graph_var(known->g, sym(known->g->ctx, "q"), expr_int(known->g, TY_I64, 0), d));
    for (int64_t r = 0; r < by; r++) {
        const Expr *n = expr2(known->g, OP_ADD, expr2(known->g, OP_MUL, q, expr_int(known->g, TY_I64, by)),
                              expr_int(known->g, TY_I64, r));
        Poly x = poly_of(&env, expr_replace(known->g, a, &d, &n, 1)),
             y = poly_of(&env, expr_replace(known->g, b, &d, &n, 1));
        if (x.failed || y.failed || !poly_eq(x, y)) return false;
    }
    return true;
}

/* Disjoint pieces that write each of their elements once cover a shape when their numbers of elements add up to it;
 * axes that each of them spans do not count. */
static bool counts_up(Known *known, const Tensor *t) {
    PolyEnv env = {.g = known->g};
    Poly sum = poly_const(known->g->ctx, 0);
    const Expr *want = expr_int(known->g, TY_I64, 1);
    bool *spanned = NEW_N(known->g->ctx, bool, t->rank + 1);
    for (int i = 0; i < t->rank; i++) {
        spanned[i] = true;
        for (int k = 0; k < t->pieces.n && spanned[i]; k++) spanned[i] = spans(known, t, &t->pieces.at[k], i);
        if (!spanned[i]) want = expr2(known->g, OP_MUL, want, t->shape[i]);
    }
    for (int i = 0; i < t->pieces.n; i++) {
        if (t->pieces.at[i].guard) return false;
        sum = poly_add(known->g->ctx, sum, poly_of(&env, count_of(known, t, &t->pieces.at[i], spanned)));
    }
    if (sum.failed) return false;
    const Expr *total = poly_expr(known->g, sum);
    return known_equal(known, total, want) || equal_by_remainder(known, total, want);
}

/* Whether one of the conditions from number `at` on holds, whatever else; each part of one that is joined by && may be
 * what fails. */
static bool some_holds(Known *known, const ExprVec *guards, int at, int *tries) {
    const Expr *g = guards->at[at];
    if (--*tries < 0 || !known_is_small(g)) return false;
    int sure = truth(known, g, true);
    if (sure == 1 || at == guards->n - 1) return sure == 1;
    ExprVec parts = {0};
    known_conjuncts(known, g, true, &parts, 0);
    int mark = known->path.n;
    bool ok = true;
    for (int i = 0; i < parts.n && ok; i++) {
        if (truth(known, parts.at[i], true) == 1) continue; /* what holds does not fail */
        int before = known_push(known, parts.at[i], false);
        ok = some_holds(known, guards, at + 1, tries);
        known_pop(known, before);
        known_push(known, parts.at[i], true);
    }
    known_pop(known, mark);
    return ok;
}

/* Over the whole shape: one without a guard, or where all guards but the last fail the last holds. */
static bool guards_cover(Known *known, const Tensor *t) {
    enum { TRIES = 100 };
    const Piece *last = &t->pieces.at[t->pieces.n - 1];
    ExprVec vars = {0}, guards = {0};
    int tries = TRIES;
    for (int i = 0; i < last->nvars; i++) vec_push(known->g->ctx, &vars, expr_var(known->g, last->vars[i]));
    for (int i = 0; i < t->pieces.n; i++) {
        const Piece *p = &t->pieces.at[i];
        ExprVec own = {0};
        if (p->nvars != t->rank) return false;
        for (int k = 0; k < t->rank; k++) {
            if (p->subs[k] != expr_var(known->g, p->vars[k]) || p->vars[k]->lo != expr_int(known->g, TY_I64, 0) ||
                p->vars[k]->hi != t->shape[k])
                return false;
            vec_push(known->g->ctx, &own, p->subs[k]);
        }
        if (!p->guard) return true;
        vec_push(known->g->ctx, &guards, expr_replace(known->g, p->guard, own.at, vars.at, own.n));
    }
    return some_holds(known, &guards, 0, &tries);
}

bool pieces_cover(Known *known, const Tensor *t) { return counts_up(known, t) || guards_cover(known, t); }

bool pieces_apart(Known *known, const Piece *pieces, int n, int rank) {
    for (int i = 0; i < n; i++) {
        if (!pieces_injective(known, &pieces[i], rank)) return false;
        for (int k = 0; k < i; k++)
            if (!pieces_disjoint(known, &pieces[k], &pieces[i], rank)) return false;
    }
    return true;
}
