/* What is known where an expression stands: the conditions around it, the facts that apply to the data it loads, and
 * the questions asked of them (is e >= 0, is c true). Where a proof fails, small values that refute it. */
#include "sema_int.h"

#include <string.h>

enum { MAX_FACTS_IN_USE = 256, SAMPLES = 400, WALK_NODES = 100000, EVAL_NODES = 2000, SMALL_NODES = 2000 };

/* ---- conditions ---- */

static const Expr *as_i64(Graph *g, const Expr *e) {
    int64_t v;
    if (e->type == TY_I64) return e;
    if (expr_is_int(e, &v)) return expr_int(g, TY_I64, v);
    return expr_cast(g, TY_I64, e);
}

static bool is_compare(Op op) { return op_rule(op) == RULE_COMPARE; }

/* What one load of a tensor of integers, or of conditions, is by the tensor's only definition, of all of it. */
static const Expr *defined_as(Sema *s, const Expr *load) {
    const Tensor *t = load->u.tensor;
    if (t->kind == TENSOR_INOUT || t->pieces.n != 1 || type_is_float(t->type) || t->pieces.at[0].guard) return NULL;
    const Piece *p = &t->pieces.at[0];
    const Expr **var = NEW_N(s->ctx, const Expr *, p->nvars + 1);
    if (p->nvars != t->rank || !p->value || !sema_is_small(p->value)) return NULL;
    for (int i = 0; i < t->rank; i++) {
        if (p->subs[i]->op != OP_VAR) return NULL;
        var[i] = p->subs[i];
    }
    const Expr *value = expr_replace(s->g, p->value, var, load->arg, t->rank);
    if (type_is_float(value->type) || (value->type == TY_BOOL) != (t->type == TY_BOOL)) return NULL;
    return expr_cast(s->g, t->type, value);
}

/* Pushes the conjuncts of c (of !c where `holds` is false); integer comparisons are widened to i64. A let that is
 * loaded says what its definition says. */
void sema_conjuncts(Sema *s, const Expr *c, bool holds, ExprVec *out, int depth) {
    if (depth > MAX_DEPTH || (depth == 0 && !sema_is_small(c))) return;
    if (c->op == OP_NOT) {
        sema_conjuncts(s, c->arg[0], !holds, out, depth + 1);
    } else if ((c->op == OP_AND && holds) || (c->op == OP_OR && !holds)) {
        sema_conjuncts(s, c->arg[0], holds, out, depth + 1);
        sema_conjuncts(s, c->arg[1], holds, out, depth + 1);
    } else if (is_compare(c->op) && type_class(c->arg[0]->type) != CLASS_FLOAT && c->arg[0]->type != TY_BOOL) {
        const Expr *a = as_i64(s->g, c->arg[0]), *b = as_i64(s->g, c->arg[1]);
        vec_push(s->ctx, out, expr2(s->g, holds ? c->op : op_negated(c->op), a, b));
    } else if (c->op != OP_CONST) {
        const Expr *is = c->op == OP_LOAD ? defined_as(s, c) : NULL;
        vec_push(s->ctx, out, holds ? c : expr1(s->g, OP_NOT, c));
        if (is) sema_conjuncts(s, is, holds, out, depth + 1);
    }
}

int sema_path_push(Sema *s, const Expr *cond, bool holds) {
    int mark = s->path.n;
    if (cond) sema_conjuncts(s, cond, holds, &s->path, 0);
    return mark;
}

void sema_path_pop(Sema *s, int mark) { s->path.n = mark; }

/* ---- facts about loaded values ---- */

static bool seen(const ExprVec *v, const Expr *e) {
    for (int i = 0; i < v->n; i++)
        if (v->at[i] == e) return true;
    return false;
}

/* The leaves and loads that e depends on, through the ranges of its variables too. */
static void collect(Sema *s, const Expr *e, ExprVec *done, ExprVec *out, int depth) {
    if (depth > MAX_DEPTH || seen(done, e)) return;
    vec_push(s->ctx, done, e);
    if (e->op == OP_VAR) {
        if (e->u.var->lo) collect(s, e->u.var->lo, done, out, depth + 1);
        if (e->u.var->hi) collect(s, e->u.var->hi, done, out, depth + 1);
    }
    for (int i = 0; i < e->nargs; i++) collect(s, e->arg[i], done, out, depth + 1);
    if (e->op == OP_VAR || e->op == OP_DIM || e->op == OP_SCALAR || e->op == OP_LOAD) vec_push(s->ctx, out, e);
}

/* By ranges and by what is known of indices: 1, 0 or -1. */
static int index_truth(Sema *s, const Expr *cond) {
    ExprVec known = {0};
    for (int i = 0; i < s->path.n; i++)
        if (!sema_uses_data(s->path.at[i])) vec_push(s->ctx, &known, s->path.at[i]);
    PolyEnv env = {.g = s->g, .facts = known.at, .nfacts = known.n};
    return cond_truth(&env, cond);
}

/* The value of the fact's variable v for which its subscript v + c is `sub`; NULL: it is no such sum, or the value may
 * be outside of the variable's range. */
static const Expr *value_for(Sema *s, const Expr *pattern, const Expr *v, const Expr *sub) {
    const Expr *lo = v->u.var->lo, *hi = v->u.var->hi;
    PolyEnv env = {.g = s->g};
    Poly beside = poly_sub(s->ctx, poly_of(&env, pattern), poly_of(&env, v)), p;
    int64_t c;
    if (!poly_is_const(beside, &c) || sema_uses_data(sub) || !sema_is_small(sub)) return NULL;
    p = poly_sub(s->ctx, poly_of(&env, sub), beside);
    const Expr *value = p.failed ? NULL : poly_expr(s->g, p);
    bool inside = value && index_truth(s, expr2(s->g, OP_LE, lo, value)) == 1 &&
                  index_truth(s, expr2(s->g, OP_LT, value, hi)) == 1;
    return inside ? value : NULL;
}

/* Matches the load of a fact, whose subscripts are variables of it, or one and a number, with a load of the query. */
static bool match_load(Sema *s, const Fact *f, const Expr *pattern, const Expr *load, const Expr **value) {
    if (pattern->u.tensor != load->u.tensor) return false;
    for (int i = 0; i < pattern->nargs; i++) {
        const Expr *p = pattern->arg[i], *is = load->arg[i];
        if (p == is) continue;
        int k = -1;
        for (int j = 0; j < f->nvars; j++)
            if (p->op == OP_VAR ? p->u.var == f->vars[j] : k < 0 && sema_uses(p, expr_var(s->g, f->vars[j]))) k = j;
        if (k < 0) return false;
        if (p->op != OP_VAR) is = value_for(s, p, expr_var(s->g, f->vars[k]), is);
        if (!is || (value[k] && value[k] != is)) return false;
        value[k] = is;
    }
    return true;
}

/* What c = `a || b` says where a, which is of indices alone, is false by ranges and by what is known of indices. */
static const Expr *without_alternative(Sema *s, const Expr *c) {
    while (c->op == OP_OR && !sema_uses_data(c->arg[0])) {
        if (index_truth(s, c->arg[0]) != 0) break;
        c = c->arg[1];
    }
    return c;
}

static void instantiate(Sema *s, const Fact *f, const Expr *pattern, const Expr *load, ExprVec *out) {
    const Expr **value = NEW_N(s->ctx, const Expr *, f->nvars + 1), **var = NEW_N(s->ctx, const Expr *, f->nvars + 1);
    if (!match_load(s, f, pattern, load, value)) return;
    for (int j = 0; j < f->nvars; j++) {
        if (!value[j]) return; /* a variable that this load does not fix */
        var[j] = expr_var(s->g, f->vars[j]);
    }
    ExprVec parts = {0};
    sema_conjuncts(s, f->cond, true, &parts, 0);
    for (int i = 0; i < parts.n && out->n < MAX_FACTS_IN_USE; i++) {
        const Expr *whole = expr_replace(s->g, parts.at[i], var, value, f->nvars), *c = without_alternative(s, whole);
        if (c != whole)
            sema_conjuncts(s, c, true, out, 0);
        else if (!seen(out, c))
            vec_push(s->ctx, out, c);
    }
}

static const Expr *definition(Sema *s, const Expr *load) {
    const Expr *value = load->type == TY_BOOL ? NULL : defined_as(s, load);
    return value ? expr2(s->g, OP_EQ, as_i64(s->g, load), as_i64(s->g, value)) : NULL;
}

const Expr *sema_written_in(Sema *s, const Expr *e) {
    enum { NESTED = 4 };
    for (int round = 0; round < NESTED; round++) {
        ExprVec done = {0}, atoms = {0}, from = {0}, to = {0};
        collect(s, e, &done, &atoms, 0);
        for (int i = 0; i < atoms.n; i++) {
            const Expr *v = atoms.at[i]->op == OP_LOAD ? defined_as(s, atoms.at[i]) : NULL;
            if (!v) continue;
            vec_push(s->ctx, &from, atoms.at[i]);
            vec_push(s->ctx, &to, v);
        }
        if (!from.n) break;
        e = expr_replace(s->g, e, from.at, to.at, from.n);
        if (!sema_is_small(e)) break;
    }
    return e;
}

/* Of each `a || b`, the part that remains where the other is known not to hold. */
static void split_cases(Sema *s, ExprVec *out) {
    for (int i = 0; i < out->n && out->n < MAX_FACTS_IN_USE; i++) {
        const Expr *c = out->at[i];
        for (int side = 0; c->op == OP_OR && side < 2; side++) {
            ExprVec no = {0};
            sema_conjuncts(s, c->arg[side], false, &no, 0);
            bool excluded = no.n > 0;
            for (int k = 0; k < no.n; k++) excluded &= seen(out, no.at[k]);
            if (excluded) sema_conjuncts(s, c->arg[1 - side], true, out, 0);
        }
    }
}

/* What is known where e stands; without the conditions around the place that are of data, and what follows from them
 * alone, if `data` is false. */
static void facts_with(Sema *s, const Expr *e, bool data, ExprVec *out) {
    ExprVec done = {0}, atoms = {0};
    collect(s, e, &done, &atoms, 0);
    for (int i = 0; i < s->path.n; i++) {
        if (!data && sema_uses_data(s->path.at[i])) continue;
        vec_push(s->ctx, out, s->path.at[i]);
        collect(s, s->path.at[i], &done, &atoms, 0);
    }
    for (int i = 0; i < atoms.n && out->n < MAX_FACTS_IN_USE; i++) {
        const Expr *fact = atoms.at[i]->op == OP_LOAD ? definition(s, atoms.at[i]) : NULL;
        if (!fact) continue;
        vec_push(s->ctx, out, fact);
        collect(s, fact, &done, &atoms, 0); /* definitions of what it loads follow */
    }
    for (int i = 0; i < s->shapes.n; i++) vec_push(s->ctx, out, s->shapes.at[i]);
    for (int i = 0; i < s->g->facts.n; i++) {
        const Fact *f = &s->g->facts.at[i];
        if (f->nvars == 0) {
            sema_conjuncts(s, f->cond, true, out, 0);
            continue;
        }
        ExprVec fdone = {0}, fatoms = {0};
        collect(s, f->cond, &fdone, &fatoms, 0);
        for (int a = 0; a < fatoms.n; a++)
            for (int b = 0; b < atoms.n; b++)
                if (fatoms.at[a]->op == OP_LOAD && atoms.at[b]->op == OP_LOAD)
                    instantiate(s, f, fatoms.at[a], atoms.at[b], out);
    }
    split_cases(s, out);
}

static void facts_for(Sema *s, const Expr *e, ExprVec *out) { facts_with(s, e, true, out); }

/* Expressions share their parts, so a walk may meet a node again and again: it ends after WALK_NODES, with the answer
 * that promises less. */
static bool count_down(const Expr *e, int *left) {
    if (--*left < 0) return false;
    for (int i = 0; i < e->nargs; i++)
        if (!count_down(e->arg[i], left)) return false;
    return true;
}

/* Written out it has no more than SMALL_NODES nodes: what proofs are tried on. */
bool sema_is_small(const Expr *e) {
    int left = SMALL_NODES;
    return count_down(e, &left);
}

static bool uses_data(const Expr *e, int *left) {
    if (--*left < 0 || e->op == OP_LOAD || e->op == OP_REDUCE) return true;
    for (int i = 0; i < e->nargs; i++)
        if (uses_data(e->arg[i], left)) return true;
    return false;
}

bool sema_uses_data(const Expr *e) {
    int left = WALK_NODES;
    return uses_data(e, &left);
}

static bool uses(const Expr *e, const Expr *what, int *left) {
    if (--*left < 0 || e == what) return true;
    for (int i = 0; i < e->nargs; i++)
        if (uses(e->arg[i], what, left)) return true;
    return false;
}

bool sema_uses(const Expr *e, const Expr *what) {
    int left = WALK_NODES;
    return uses(e, what, &left);
}

/* ---- small values ---- */

typedef struct Sample {
    ExprVec atoms; /* dimensions and scalars first, then variables after what their ranges use */
    int64_t *value;
    int64_t dims_from; /* dimensions are at least this where they may be: sizes that people think of */
} Sample;

static bool eval(const Sample *m, const Expr *e, int64_t *r, int *left);

static bool eval_infix(Op op, int64_t a, int64_t b, int64_t *r) {
    switch (op) {
    case OP_ADD: return add_ok(a, b, r);
    case OP_SUB: return b != INT64_MIN && add_ok(a, -b, r);
    case OP_MUL: return mul_ok(a, b, r);
    case OP_DIV: *r = b ? floor_div(a, b) : 0; return true;
    case OP_MOD: *r = b ? floor_mod(a, b) : 0; return true;
    case OP_MIN: *r = a < b ? a : b; return true;
    case OP_MAX: *r = a > b ? a : b; return true;
    case OP_EQ: *r = a == b; return true;
    case OP_NE: *r = a != b; return true;
    case OP_LT: *r = a < b; return true;
    case OP_LE: *r = a <= b; return true;
    case OP_GT: *r = a > b; return true;
    case OP_GE: *r = a >= b; return true;
    case OP_BITAND: *r = a & b; return true;
    case OP_BITOR: *r = a | b; return true;
    case OP_BITXOR: *r = a ^ b; return true;
    default: return false;
    }
}

static bool eval_leaf(const Sample *m, const Expr *e, int64_t *r) {
    for (int i = 0; i < m->atoms.n; i++)
        if (m->atoms.at[i] == e) return *r = m->value[i], true;
    return false;
}

static bool eval(const Sample *m, const Expr *e, int64_t *r, int *left) {
    int64_t a, b;
    if (--*left < 0 || type_class(e->type) == CLASS_FLOAT) return false;
    switch (e->op) {
    case OP_CONST: *r = e->u.i; return true;
    case OP_VAR:
    case OP_DIM:
    case OP_SCALAR: return eval_leaf(m, e, r);
    case OP_CAST: return eval(m, e->arg[0], r, left);
    case OP_NEG: return eval(m, e->arg[0], &a, left) && a != INT64_MIN && (*r = -a, true);
    case OP_NOT: return eval(m, e->arg[0], &a, left) && (*r = !a, true);
    case OP_ABS: return eval(m, e->arg[0], &a, left) && a != INT64_MIN && (*r = a < 0 ? -a : a, true);
    case OP_AND: return eval(m, e->arg[0], &a, left) && (a ? eval(m, e->arg[1], r, left) : (*r = 0, true));
    case OP_OR: return eval(m, e->arg[0], &a, left) && (a ? (*r = 1, true) : eval(m, e->arg[1], r, left));
    case OP_IF: return eval(m, e->arg[0], &a, left) && eval(m, e->arg[a ? 1 : 2], r, left);
    default: break;
    }
    if (e->nargs != 2 || e->op == OP_LOAD || e->op == OP_REDUCE) return false;
    return eval(m, e->arg[0], &a, left) && eval(m, e->arg[1], &b, left) && eval_infix(e->op, a, b, r);
}

static bool value_of(const Sample *m, const Expr *e, int64_t *r) {
    int left = EVAL_NODES;
    return eval(m, e, r, &left);
}

/* Draws atom i from a range of about `size` values that starts at its least one. */
static bool draw(Sample *m, int i, uint64_t *state, int64_t size) {
    const Expr *a = m->atoms.at[i];
    int64_t lo = 0, hi = size, step = 1;
    if (a->op == OP_DIM) {
        lo = a->u.dim->lo;
        hi = a->u.dim->hi;
        step = a->u.dim->divisor > 0 ? a->u.dim->divisor : 1;
        lo = floor_div(lo + step - 1, step) * step;
        if (lo < m->dims_from && m->dims_from <= hi) lo = floor_div(m->dims_from + step - 1, step) * step;
    } else if (a->op == OP_VAR) {
        if (!a->u.var->lo || !a->u.var->hi || !value_of(m, a->u.var->lo, &lo) || !value_of(m, a->u.var->hi, &hi))
            return false;
        hi--;
    } else if (type_class(a->type) == CLASS_SINT) {
        lo = -size;
    }
    if (hi < lo) return false;
    uint64_t n = (uint64_t)(hi - lo) / (uint64_t)step + 1;
    if (n > (uint64_t)size + 1 || n == 0) n = (uint64_t)size + 1;
    uint64_t k = random_next(state) % n;
    /* The far end of a variable's range is where most mistakes show. */
    if (a->op == OP_VAR && random_next(state) % 3 == 0)
        m->value[i] = hi;
    else
        m->value[i] = lo + (int64_t)k * step;
    return true;
}

static bool refutes(Sema *s, const Sample *m, const ExprVec *known, const Expr *e) {
    int64_t v;
    for (int i = 0; i < known->n; i++) {
        if (sema_uses_data(known->at[i])) continue;
        if (!value_of(m, known->at[i], &v) || !v) return false;
    }
    (void)s;
    return value_of(m, e, &v) && v < 0;
}

static void print_sample(Sema *s, const Sample *m, const Expr *e, Text *why) {
    ExprVec done = {0}, used = {0};
    collect(s, e, &done, &used, 0);
    bool first = true;
    for (int i = 0; i < m->atoms.n; i++) {
        if (!seen(&used, m->atoms.at[i])) continue;
        text_put(why, first ? "" : ", ");
        expr_print(why, m->atoms.at[i], NULL);
        text_fmt(why, " = %lld", (long long)m->value[i]);
        first = false;
    }
}

/* Looks for values under which e < 0 though everything known holds; writes them as "N = 1, i = 0" and what each of
 * value[0..n-1] is for them. */
bool sema_refute_with(Sema *s, const Expr *e, Text *why, const Expr *const *value, int64_t *is, int n) {
    if (sema_uses_data(e)) return false;
    ExprVec known = {0}, done = {0}, all = {0};
    facts_for(s, e, &known);
    collect(s, e, &done, &all, 0);
    for (int i = 0; i < known.n; i++)
        if (!sema_uses_data(known.at[i])) collect(s, known.at[i], &done, &all, 0);
    Sample m = {0};
    for (int i = 0; i < all.n; i++)
        if (all.at[i]->op != OP_VAR && all.at[i]->op != OP_LOAD) vec_push(s->ctx, &m.atoms, all.at[i]);
    for (int i = 0; i < all.n; i++)
        if (all.at[i]->op == OP_VAR) vec_push(s->ctx, &m.atoms, all.at[i]);
    m.value = NEW_N(s->ctx, int64_t, m.atoms.n + 1);
    uint64_t state = 1;
    for (int64_t size = 1, round = 0; round < 14; size = ++round % 7 ? 2 * size : 1)
        for (int k = 0; k < SAMPLES / 2; k++) {
            bool ok = true;
            m.dims_from = round < 7 ? 2 : 0;
            for (int i = 0; i < m.atoms.n && ok; i++) ok = draw(&m, i, &state, size);
            if (!ok || !refutes(s, &m, &known, e)) continue;
            for (int i = 0; i < n; i++) {
                ok = ok && value_of(&m, value[i], &is[i]);
                e = expr2(s->g, OP_ADD, e, value[i]); /* its names are shown too */
            }
            if (!ok) return false;
            print_sample(s, &m, e, why);
            return true;
        }
    return false;
}

bool sema_refute(Sema *s, const Expr *e, Text *why) { return sema_refute_with(s, e, why, NULL, NULL, 0); }

/* ---- questions ---- */

bool sema_nonneg(Sema *s, const Expr *e) {
    ExprVec known = {0}, few = {0};
    if (!sema_is_small(e)) return false;
    facts_for(s, e, &known);
    facts_with(s, e, false, &few); /* conditions of data cost much and seldom say what is asked */
    if (few.n < known.n) {
        PolyEnv first = {.g = s->g, .facts = few.at, .nfacts = few.n};
        if (expr_nonneg(&first, e)) return true;
    }
    PolyEnv env = {.g = s->g, .facts = known.at, .nfacts = known.n};
    if (expr_nonneg(&env, e)) return true;
    const Expr *in = sema_uses_data(e) ? sema_written_in(s, e) : e;
    return in != e && sema_nonneg(s, in);
}

int sema_truth(Sema *s, const Expr *cond) {
    if (cond->op == OP_CONST) return cond->u.i != 0;
    if (!sema_is_small(cond) || sema_uses_data(cond)) return -1;
    ExprVec known = {0};
    facts_for(s, cond, &known);
    PolyEnv env = {.g = s->g, .facts = known.at, .nfacts = known.n};
    return cond_truth(&env, cond);
}

/* Whether a condition around the place contradicts the ranges and those around it: nothing is computed there. */
bool sema_unreachable(Sema *s) {
    int n = s->path.n;
    bool never = false;
    for (int k = 0; k < n && !never; k++) {
        s->path.n = k;
        never = sema_truth(s, s->path.at[k]) == 0;
    }
    s->path.n = n;
    return never;
}

const Expr *sema_guard_divisions(Sema *s, const Expr *e) {
    PolyEnv env = {.g = s->g};
    if (!sema_is_small(e) || !expr_divides(&env, e)) return e;
    ExprVec known = {0};
    facts_for(s, e, &known);
    env.facts = known.at;
    env.nfacts = known.n;
    return expr_guard_divisions(&env, e);
}

/* Equal for all values of what they use. */
bool sema_equal(Sema *s, const Expr *a, const Expr *b) {
    if (a == b) return true;
    if (!sema_is_small(a) || !sema_is_small(b)) return false;
    PolyEnv env = {.g = s->g};
    Poly p = poly_of(&env, a), q = poly_of(&env, b);
    if (p.failed || q.failed) return false;
    if (poly_eq(p, q) &&
        ((!expr_divides(&env, a) && !expr_divides(&env, b)) || sema_truth(s, expr2(s->g, OP_EQ, a, b)) == 1))
        return true;
    return sema_nonneg(s, expr2(s->g, OP_SUB, a, b)) && sema_nonneg(s, expr2(s->g, OP_SUB, b, a));
}
