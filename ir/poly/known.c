/* What is known where an expression stands: the conditions around it, the facts that apply to the data it loads, and
 * the questions asked of them (is e >= 0, is c true). Where a proof fails, small values that refute it. */
#include "known.h"
#include "ir/expr_walk.h"
#include "ir/int_value.h"

#include <string.h>

enum { MAX_FACTS_IN_USE = 256, SAMPLES = 400, EVAL_NODES = 2000, SMALL_NODES = 2000 };

Known *known_new(Graph *g) {
    Known *k = NEW(g->ctx, Known);
    k->g = g;
    return k;
}

/* ---- conditions ---- */

static const Expr *as_i64(Graph *g, const Expr *e) {
    int64_t v;
    if (e->type == TY_I64) return e;
    if (expr_is_int(e, &v)) return expr_int(g, TY_I64, v);
    return expr_cast(g, TY_I64, e);
}

static bool is_compare(Op op) { return op_rule(op) == RULE_COMPARE; }

/* What one load of a tensor of integers, or of conditions, is by the tensor's only definition, of all of it. */
static const Expr *defined_as(Known *k, const Expr *load) {
    const Tensor *t = load->u.tensor;
    if (t->kind == TENSOR_INOUT || t->pieces.n != 1 || type_is_float(t->type) || t->pieces.at[0].guard) return NULL;
    const Piece *p = &t->pieces.at[0];
    const Expr **var = NEW_N(k->g->ctx, const Expr *, p->nvars + 1);
    if (p->nvars != t->rank || !p->value || !known_is_small(p->value)) return NULL;
    for (int i = 0; i < t->rank; i++) {
        if (p->subs[i]->op != OP_VAR) return NULL;
        var[i] = p->subs[i];
    }
    const Expr *value = expr_replace(k->g, p->value, var, load->arg, t->rank);
    if (type_is_float(value->type) || (value->type == TY_BOOL) != (t->type == TY_BOOL)) return NULL;
    return expr_cast(k->g, t->type, value);
}

/* Pushes the conjuncts of c (of !c where `holds` is false); integer comparisons are widened to i64. A let that is
 * loaded says what its definition says. */
void known_conjuncts(Known *k, const Expr *c, bool holds, ExprVec *out, int depth) {
    if (depth > MAX_DEPTH || (depth == 0 && !known_is_small(c))) return;
    if (c->op == OP_NOT) {
        known_conjuncts(k, c->arg[0], !holds, out, depth + 1);
    } else if ((c->op == OP_AND && holds) || (c->op == OP_OR && !holds)) {
        known_conjuncts(k, c->arg[0], holds, out, depth + 1);
        known_conjuncts(k, c->arg[1], holds, out, depth + 1);
    } else if (is_compare(c->op) && type_class(c->arg[0]->type) != CLASS_FLOAT && c->arg[0]->type != TY_BOOL) {
        const Expr *a = as_i64(k->g, c->arg[0]), *b = as_i64(k->g, c->arg[1]);
        vec_push(k->g->ctx, out, expr2(k->g, holds ? c->op : op_negated(c->op), a, b));
    } else if (c->op != OP_CONST) {
        const Expr *is = c->op == OP_LOAD ? defined_as(k, c) : NULL;
        vec_push(k->g->ctx, out, holds ? c : expr1(k->g, OP_NOT, c));
        if (is) known_conjuncts(k, is, holds, out, depth + 1);
    }
}

int known_push(Known *k, const Expr *cond, bool holds) {
    int mark = k->path.n;
    if (cond) known_conjuncts(k, cond, holds, &k->path, 0);
    return mark;
}

void known_pop(Known *k, int mark) { k->path.n = mark; }

/* ---- facts about loaded values ---- */

static bool seen(const ExprVec *v, const Expr *e) {
    for (int i = 0; i < v->n; i++)
        if (v->at[i] == e) return true;
    return false;
}

typedef struct Atoms {
    Ctx *ctx;
    ExprVec *out;
} Atoms;

static void note_atom(const Expr *e, void *atoms) {
    const Atoms *x = atoms;
    if (e->op == OP_VAR || e->op == OP_DIM || e->op == OP_SCALAR || e->op == OP_LOAD) vec_push(x->ctx, x->out, e);
}

/* The leaves and loads that e depends on, through the ranges of its variables too, but for what was met before. */
static void collect(Known *k, const Expr *e, ExprSet *met, ExprVec *out) {
    Atoms x = {k->g->ctx, out};
    ExprWalk w = {.temp = k->g->ctx, .after = note_atom, .user = &x, .depends = true, .seen = *met};
    expr_walk(&w, e);
    *met = w.seen;
}

/* By ranges and by what is known of indices: 1, 0 or -1. */
static int index_truth(Known *k, const Expr *cond) {
    ExprVec known = {0};
    for (int i = 0; i < k->path.n; i++)
        if (!known_uses_data(k->path.at[i])) vec_push(k->g->ctx, &known, k->path.at[i]);
    PolyEnv env = {.g = k->g, .facts = known.at, .nfacts = known.n};
    return cond_truth(&env, cond);
}

/* The value of the fact's variable v for which its subscript v + c is `sub`; NULL: it is no such sum, or the value may
 * be outside of the variable's range. */
static const Expr *value_for(Known *k, const Expr *pattern, const Expr *v, const Expr *sub) {
    const Expr *lo = v->u.var->lo, *hi = v->u.var->hi;
    PolyEnv env = {.g = k->g};
    Poly beside = poly_sub(k->g->ctx, poly_of(&env, pattern), poly_of(&env, v)), p;
    int64_t c;
    if (!poly_is_const(beside, &c) || known_uses_data(sub) || !known_is_small(sub)) return NULL;
    p = poly_sub(k->g->ctx, poly_of(&env, sub), beside);
    const Expr *value = p.failed ? NULL : poly_expr(k->g, p);
    bool inside = value && index_truth(k, expr2(k->g, OP_LE, lo, value)) == 1 &&
                  index_truth(k, expr2(k->g, OP_LT, value, hi)) == 1;
    return inside ? value : NULL;
}

/* Matches the load of a fact, whose subscripts are variables of it, or one and a number, with a load of the query. */
static bool match_load(Known *k, const Fact *f, const Expr *pattern, const Expr *load, const Expr **value) {
    if (pattern->u.tensor != load->u.tensor) return false;
    for (int i = 0; i < pattern->nargs; i++) {
        const Expr *p = pattern->arg[i], *is = load->arg[i];
        if (p == is) continue;
        int of = -1;
        for (int j = 0; j < f->nvars; j++)
            if (p->op == OP_VAR ? p->u.var == f->vars[j] : of < 0 && known_uses(p, expr_var(k->g, f->vars[j]))) of = j;
        if (of < 0) return false;
        if (p->op != OP_VAR) is = value_for(k, p, expr_var(k->g, f->vars[of]), is);
        if (!is || (value[of] && value[of] != is)) return false;
        value[of] = is;
    }
    return true;
}

/* What c = `a || b` says where a, which is of indices alone, is false by ranges and by what is known of indices. */
static const Expr *without_alternative(Known *k, const Expr *c) {
    while (c->op == OP_OR && !known_uses_data(c->arg[0])) {
        if (index_truth(k, c->arg[0]) != 0) break;
        c = c->arg[1];
    }
    return c;
}

static void instantiate(Known *k, const Fact *f, const Expr *pattern, const Expr *load, ExprVec *out) {
    const Expr **value = NEW_N(k->g->ctx, const Expr *, f->nvars + 1),
               **var = NEW_N(k->g->ctx, const Expr *, f->nvars + 1);
    if (!match_load(k, f, pattern, load, value)) return;
    for (int j = 0; j < f->nvars; j++) {
        if (!value[j]) return; /* a variable that this load does not fix */
        var[j] = expr_var(k->g, f->vars[j]);
    }
    ExprVec parts = {0};
    known_conjuncts(k, f->cond, true, &parts, 0);
    for (int i = 0; i < parts.n && out->n < MAX_FACTS_IN_USE; i++) {
        const Expr *whole = expr_replace(k->g, parts.at[i], var, value, f->nvars), *c = without_alternative(k, whole);
        if (c != whole)
            known_conjuncts(k, c, true, out, 0);
        else if (!seen(out, c))
            vec_push(k->g->ctx, out, c);
    }
}

static const Expr *definition(Known *k, const Expr *load) {
    const Expr *value = load->type == TY_BOOL ? NULL : defined_as(k, load);
    return value ? expr2(k->g, OP_EQ, as_i64(k->g, load), as_i64(k->g, value)) : NULL;
}

const Expr *known_written_in(Known *k, const Expr *e) {
    enum { NESTED = 4 };
    for (int round = 0; round < NESTED; round++) {
        ExprSet met = {0};
        ExprVec atoms = {0}, from = {0}, to = {0};
        collect(k, e, &met, &atoms);
        for (int i = 0; i < atoms.n; i++) {
            const Expr *v = atoms.at[i]->op == OP_LOAD ? defined_as(k, atoms.at[i]) : NULL;
            if (!v) continue;
            vec_push(k->g->ctx, &from, atoms.at[i]);
            vec_push(k->g->ctx, &to, v);
        }
        if (!from.n) break;
        e = expr_replace(k->g, e, from.at, to.at, from.n);
        if (!known_is_small(e)) break;
    }
    return e;
}

/* Of each `a || b`, the part that remains where the other is known not to hold. */
static void split_cases(Known *k, ExprVec *out) {
    for (int i = 0; i < out->n && out->n < MAX_FACTS_IN_USE; i++) {
        const Expr *c = out->at[i];
        for (int side = 0; c->op == OP_OR && side < 2; side++) {
            ExprVec no = {0};
            known_conjuncts(k, c->arg[side], false, &no, 0);
            bool excluded = no.n > 0;
            for (int j = 0; j < no.n; j++) excluded &= seen(out, no.at[j]);
            if (excluded) known_conjuncts(k, c->arg[1 - side], true, out, 0);
        }
    }
}

/* What is known where e stands; without the conditions around the place that are of data, and what follows from them
 * alone, if `data` is false. */
static void facts_with(Known *k, const Expr *e, bool data, ExprVec *out) {
    ExprSet met = {0};
    ExprVec atoms = {0};
    collect(k, e, &met, &atoms);
    for (int i = 0; i < k->path.n; i++) {
        if (!data && known_uses_data(k->path.at[i])) continue;
        vec_push(k->g->ctx, out, k->path.at[i]);
        collect(k, k->path.at[i], &met, &atoms);
    }
    for (int i = 0; i < atoms.n && out->n < MAX_FACTS_IN_USE; i++) {
        const Expr *fact = atoms.at[i]->op == OP_LOAD ? definition(k, atoms.at[i]) : NULL;
        if (!fact) continue;
        vec_push(k->g->ctx, out, fact);
        collect(k, fact, &met, &atoms); /* definitions of what it loads follow */
    }
    for (int i = 0; i < k->shapes.n; i++) vec_push(k->g->ctx, out, k->shapes.at[i]);
    for (int i = 0; i < k->g->facts.n; i++) {
        const Fact *f = &k->g->facts.at[i];
        if (f->nvars == 0) {
            known_conjuncts(k, f->cond, true, out, 0);
            continue;
        }
        ExprSet fmet = {0};
        ExprVec fatoms = {0};
        collect(k, f->cond, &fmet, &fatoms);
        for (int a = 0; a < fatoms.n; a++)
            for (int b = 0; b < atoms.n; b++)
                if (fatoms.at[a]->op == OP_LOAD && atoms.at[b]->op == OP_LOAD)
                    instantiate(k, f, fatoms.at[a], atoms.at[b], out);
    }
    split_cases(k, out);
}

static void facts_for(Known *k, const Expr *e, ExprVec *out) { facts_with(k, e, true, out); }

/* Counted as it is written out, where shared parts count as often as they stand. */
static bool count_down(const Expr *e, int *left) {
    if (--*left < 0) return false;
    for (int i = 0; i < e->nargs; i++)
        if (!count_down(e->arg[i], left)) return false;
    return true;
}

/* Written out it has no more than SMALL_NODES nodes: what proofs are tried on. */
bool known_is_small(const Expr *e) {
    int left = SMALL_NODES;
    return count_down(e, &left);
}

bool known_uses_data(const Expr *e) { return expr_has(e, expr_test_data, NULL); }

bool known_uses(const Expr *e, const Expr *what) { return expr_has(e, expr_test_node, what); }

/* ---- small values ---- */

typedef struct Sample {
    ExprVec atoms; /* dimensions and scalars first, then variables after what their ranges use */
    int64_t *value;
    int64_t dims_from; /* dimensions are at least this where they may be: sizes that people think of */
} Sample;

static IntLeaf sample_leaf(void *user, const Expr *e, int64_t *v) {
    const Sample *m = user;
    if (e->op != OP_VAR && e->op != OP_DIM && e->op != OP_SCALAR) return INT_LEAF_INSIDE;
    for (int i = 0; i < m->atoms.n; i++)
        if (m->atoms.at[i] == e) return *v = m->value[i], INT_LEAF_KNOWN;
    return INT_LEAF_UNKNOWN;
}

static bool value_of(const Sample *m, const Expr *e, int64_t *r) {
    IntValue x = {.leaf = sample_leaf, .user = (void *)m, .fit = INT_FIT_64, .left = EVAL_NODES};
    return int_value(&x, e, r);
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
    uint64_t step_at = random_next(state) % n;
    /* The far end of a variable's range is where most mistakes show. */
    if (a->op == OP_VAR && random_next(state) % 3 == 0)
        m->value[i] = hi;
    else
        m->value[i] = lo + (int64_t)step_at * step;
    return true;
}

static bool refutes(const Sample *m, const ExprVec *known, const Expr *e) {
    int64_t v;
    for (int i = 0; i < known->n; i++) {
        if (known_uses_data(known->at[i])) continue;
        if (!value_of(m, known->at[i], &v) || !v) return false;
    }
    return value_of(m, e, &v) && v < 0;
}

static void print_sample(Known *k, const Sample *m, const Expr *e, Text *why) {
    ExprSet met = {0};
    ExprVec used = {0};
    collect(k, e, &met, &used);
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
bool known_refute_with(Known *k, const Expr *e, Text *why, const Expr *const *value, int64_t *is, int n) {
    if (known_uses_data(e)) return false;
    ExprSet met = {0};
    ExprVec known = {0}, all = {0};
    facts_for(k, e, &known);
    collect(k, e, &met, &all);
    for (int i = 0; i < known.n; i++)
        if (!known_uses_data(known.at[i])) collect(k, known.at[i], &met, &all);
    Sample m = {0};
    for (int i = 0; i < all.n; i++)
        if (all.at[i]->op != OP_VAR && all.at[i]->op != OP_LOAD) vec_push(k->g->ctx, &m.atoms, all.at[i]);
    for (int i = 0; i < all.n; i++)
        if (all.at[i]->op == OP_VAR) vec_push(k->g->ctx, &m.atoms, all.at[i]);
    m.value = NEW_N(k->g->ctx, int64_t, m.atoms.n + 1);
    uint64_t state = 1;
    for (int64_t size = 1, round = 0; round < 14; size = ++round % 7 ? 2 * size : 1)
        for (int t = 0; t < SAMPLES / 2; t++) {
            bool ok = true;
            m.dims_from = round < 7 ? 2 : 0;
            for (int i = 0; i < m.atoms.n && ok; i++) ok = draw(&m, i, &state, size);
            if (!ok || !refutes(&m, &known, e)) continue;
            for (int i = 0; i < n; i++) {
                ok = ok && value_of(&m, value[i], &is[i]);
                e = expr2(k->g, OP_ADD, e, value[i]); /* its names are shown too */
            }
            if (!ok) return false;
            print_sample(k, &m, e, why);
            return true;
        }
    return false;
}

bool known_refute(Known *k, const Expr *e, Text *why) { return known_refute_with(k, e, why, NULL, NULL, 0); }

/* ---- questions ---- */

bool known_nonneg(Known *k, const Expr *e) {
    ExprVec known = {0}, few = {0};
    if (!known_is_small(e)) return false;
    facts_for(k, e, &known);
    facts_with(k, e, false, &few); /* conditions of data cost much and seldom say what is asked */
    if (few.n < known.n) {
        PolyEnv first = {.g = k->g, .facts = few.at, .nfacts = few.n};
        if (expr_nonneg(&first, e)) return true;
    }
    PolyEnv env = {.g = k->g, .facts = known.at, .nfacts = known.n};
    if (expr_nonneg(&env, e)) return true;
    const Expr *in = known_uses_data(e) ? known_written_in(k, e) : e;
    return in != e && known_nonneg(k, in);
}

int known_truth(Known *k, const Expr *cond) {
    if (cond->op == OP_CONST) return cond->u.i != 0;
    if (!known_is_small(cond) || known_uses_data(cond)) return -1;
    ExprVec known = {0};
    facts_for(k, cond, &known);
    PolyEnv env = {.g = k->g, .facts = known.at, .nfacts = known.n};
    return cond_truth(&env, cond);
}

/* Whether a condition around the place contradicts the ranges and those around it: nothing is computed there. */
bool known_unreachable(Known *k) {
    int n = k->path.n;
    bool never = false;
    for (int i = 0; i < n && !never; i++) {
        k->path.n = i;
        never = known_truth(k, k->path.at[i]) == 0;
    }
    k->path.n = n;
    return never;
}

const Expr *known_guard_divisions(Known *k, const Expr *e) {
    PolyEnv env = {.g = k->g};
    if (!known_is_small(e) || !expr_divides(&env, e)) return e;
    ExprVec known = {0};
    facts_for(k, e, &known);
    env.facts = known.at;
    env.nfacts = known.n;
    return expr_guard_divisions(&env, e);
}

/* Equal for all values of what they use. */
bool known_equal(Known *k, const Expr *a, const Expr *b) {
    if (a == b) return true;
    if (!known_is_small(a) || !known_is_small(b)) return false;
    PolyEnv env = {.g = k->g};
    Poly p = poly_of(&env, a), q = poly_of(&env, b);
    if (p.failed || q.failed) return false;
    if (poly_eq(p, q) &&
        ((!expr_divides(&env, a) && !expr_divides(&env, b)) || known_truth(k, expr2(k->g, OP_EQ, a, b)) == 1))
        return true;
    return known_nonneg(k, expr2(k->g, OP_SUB, a, b)) && known_nonneg(k, expr2(k->g, OP_SUB, b, a));
}
