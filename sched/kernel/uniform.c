/* Conditions that are the same for all elements of a vector, so that one access of all of them stands behind one test:
 * `d < D` where vectors of four begin at multiples of 4 and D is one.
 *
 * All of it is one observation. Let the elements of a vector add e to a sum, from least to most, in multiples of a
 * step, and let all else be a multiple of M = most - least + step, but for a constant k, 0 <= k < M. Where
 * k + least >= 0 and k + most < M, the sum lies between the same two multiples of M for every element. So whether it is
 * negative is the same, and so is its quotient by any positive multiple of M. A comparison x < y asks whether x - y is
 * negative, and x <= y whether y - x is not; x <= D and x == D differ between elements where D is a multiple, and are
 * refused.
 *
 * What is not known to be a multiple may be a need of the access. The kernel's instance of wide accesses is then only
 * for lengths that meet it, so that a need which seldom holds would cost more than it gains. So it is asked of plain
 * lengths alone: of sums of dimensions, each of which is, times a number, the innermost length of some tensor of the
 * part. Rows of these tensors are asked for multiples anyway. And not where another innermost length has the dimension
 * and a rest that is no multiple (N + 1): both together never hold. */
#include "uniform.h"

#include "ir/expr_is.h"
#include "ir/expr_walk.h"

#include <string.h>

typedef struct Asked {
    const PolyEnv *env;
    const Part *part;
    const Layout *layout;
    UniformVector v;
    FactorSet factors; /* of the vector */
    UniformNeeds *needs;
} Asked;

/* What the elements of a vector add to a sum; step 0: nothing. */
typedef struct Elements {
    int64_t least, most, step;
} Elements;

static bool varies(const Asked *a, const Expr *e) { return expr_domain(a->part, a->layout, e) & a->factors; }

/* ---- needs ---- */

/* How an innermost length has a dimension. */
typedef struct Lengths {
    bool plain; /* some length is a multiple of it */
    bool odd;   /* another one is a sum with it that is no multiple where it is one */
} Lengths;

static void note_length(const Asked *a, const Tensor *t, const Expr *dim, int64_t of, Lengths *found) {
    if (!t->rank) return;
    const Poly length = poly_of(a->env, t->shape[t->rank - 1]);
    if (length.failed || !poly_uses(length, dim)) return;
    const PolyTerm *last = &length.term[length.n - 1];
    found->plain |= length.n == 1 && last->degree == 1;
    found->odd |= !last->degree && last->coef % of != 0;
}

static void note_lengths(const Asked *a, Stage *const *s, int n, const Expr *dim, int64_t of, Lengths *found) {
    for (int i = 0; i < n; i++) {
        if (s[i]->tensor) note_length(a, s[i]->tensor, dim, of, found);
        note_lengths(a, s[i]->body.at, s[i]->body.n, dim, of, found);
    }
}

static bool is_length(const Asked *a, const Expr *dim, int64_t of) {
    Lengths found = {0};
    note_lengths(a, a->part->body.at, a->part->body.n, dim, of, &found);
    return found.plain && !found.odd;
}

static bool need(const Asked *a, Poly dims, int64_t of) {
    for (int i = 0; i < dims.n; i++)
        if (dims.term[i].degree != 1 || !is_length(a, dims.term[i].atom[0], of)) return false;
    if (dims.n && dims.term[0].coef < 0) dims = poly_scale(poly_ctx(a->env), dims, -1);
    for (int i = 0; i < a->needs->n; i++)
        if (a->needs->at[i].of == of && poly_eq(a->needs->at[i].dims, dims)) return true;
    if (a->needs->n == UNIFORM_NEEDS) return false;
    a->needs->at[a->needs->n++] = (UniformNeed){dims, of};
    return true;
}

/* ---- sums ---- */

/* A term without dimensions, and those by themselves. */
static int atoms_beside_dims(const PolyTerm *t, const Expr **beside, PolyTerm *dims) {
    int n = 0;
    *dims = (PolyTerm){.coef = t->coef};
    for (int d = 0; d < t->degree; d++)
        if (expr_over_dims(t->atom[d]))
            dims->atom[dims->degree++] = t->atom[d];
        else
            beside[n++] = t->atom[d];
    return n;
}

/* Whether a sum is a multiple, but for its constant: terms that differ in dimensions alone have one coefficient. */
static bool is_multiple(const Asked *a, Poly p, int64_t of) {
    enum { TERMS = 64 };
    Ctx *ctx = poly_ctx(a->env);
    bool done[TERMS] = {false};
    if (p.n > TERMS) return false;
    for (int i = 0; i < p.n; i++) {
        const Expr *key[POLY_MAX_DEGREE], *other[POLY_MAX_DEGREE];
        PolyTerm t;
        Poly sum = poly_const(ctx, 0);
        if (done[i] || !p.term[i].degree) continue;
        const int nkey = atoms_beside_dims(&p.term[i], key, &t);
        for (int k = i; k < p.n; k++) {
            if (!p.term[k].degree || atoms_beside_dims(&p.term[k], other, &t) != nkey) continue;
            if (nkey && memcmp(key, other, sizeof *key * (size_t)nkey)) continue;
            done[k] = true;
            sum = poly_add(ctx, sum, (Poly){1, &t, false});
        }
        if (sum.failed) return false;
        if (sum.n && poly_divisor(sum) % of && !need(a, sum, of)) return false;
    }
    return true;
}

static bool is_same_quotient(const Asked *a, const Expr *e);

static bool is_same_atom(const Asked *a, const Expr *e) {
    return !varies(a, e) || (e->op == OP_DIV && !type_is_float(e->type) && is_same_quotient(a, e));
}

static int element_factor(const Asked *a, const Expr *atom) {
    for (int i = 0; i < a->v.n; i++)
        if (atom->op == OP_FACTOR && atom->u.factor == a->v.f[i]) return i;
    return -1;
}

/* Takes the elements out of a sum: of a factor of which a vector has a part, such parts are left. False where elements
 * do not add a number each. */
static bool take_elements(const Asked *a, Poly p, Poly *rest, Elements *x) {
    enum { LARGE = 1 << 20 };
    Ctx *ctx = poly_ctx(a->env);
    *rest = poly_const(ctx, 0);
    *x = (Elements){0};
    for (int i = 0; i < p.n; i++) {
        PolyTerm t = p.term[i];
        const int k = t.degree == 1 ? element_factor(a, t.atom[0]) : -1;
        for (int d = 0; d < t.degree && k < 0; d++)
            if (!is_same_atom(a, t.atom[d])) return false;
        if (k >= 0) {
            if (t.coef > LARGE || t.coef < -LARGE) return false;
            const int64_t far = t.coef * (a->v.part[k] - 1);
            *(far < 0 ? &x->least : &x->most) += far;
            x->step = gcd64(x->step, t.coef < 0 ? -t.coef : t.coef);
            t.coef *= a->v.part[k];
            if (a->v.part[k] == a->v.f[k]->size) continue;
        }
        *rest = poly_add(ctx, *rest, (Poly){1, &t, false});
    }
    return !rest->failed;
}

/* Whether the sum lies between the same two multiples of some number for every element; *of is that number, 0 where the
 * sum itself is the same. */
static bool is_between_multiples(const Asked *a, Poly p, int64_t *of) {
    Poly rest;
    Elements x;
    *of = 0;
    if (p.failed || !take_elements(a, p, &rest, &x)) return false;
    if (!x.step) return true;
    const int64_t m = *of = x.most - x.least + x.step;
    const PolyTerm *last = rest.n ? &rest.term[rest.n - 1] : NULL;
    const int64_t constant = last && !last->degree ? last->coef % m : 0, k = constant < 0 ? constant + m : constant;
    return k + x.least >= 0 && k + x.most < m && is_multiple(a, rest, m);
}

static bool is_same_quotient(const Asked *a, const Expr *e) {
    int64_t of;
    if (varies(a, e->arg[1])) return false;
    const Poly by = poly_of(a->env, e->arg[1]);
    if (by.failed || !is_between_multiples(a, poly_of(a->env, e->arg[0]), &of)) return false;
    if (!of) return true;
    int64_t constant;
    if (poly_is_const(by, &constant)) return constant > 0 && constant % of == 0;
    const PolyTerm *last = &by.term[by.n - 1];
    return poly_nonneg(a->env, by) && (last->degree || last->coef % of == 0) && is_multiple(a, by, of);
}

/* ---- conditions ---- */

/* A quotient of varying elements by what may be 0: it is 0 then, which normal forms do not know. */
static Found is_doubtful(const Expr *e, const void *user) {
    const Asked *a = user;
    if (e->op == OP_LOAD || !varies(a, e)) return FOUND_NOT;
    if ((e->op != OP_DIV && e->op != OP_MOD) || type_is_float(e->type)) return FOUND_INSIDE;
    Ctx *ctx = poly_ctx(a->env);
    return poly_nonneg(a->env, poly_sub(ctx, poly_of(a->env, e->arg[1]), poly_const(ctx, 1))) ? FOUND_INSIDE : FOUND;
}

static bool is_same_comparison(const Asked *a, const Expr *e) {
    const bool turned = e->op == OP_GT || e->op == OP_LE; /* x > y is y < x, and x <= y its contrary */
    if (e->arg[0]->type != TY_I64 || expr_has(e, is_doubtful, a)) return false;
    const Poly x = poly_of(a->env, e->arg[turned]), y = poly_of(a->env, e->arg[!turned]);
    int64_t of;
    if (x.failed || y.failed || !is_between_multiples(a, poly_sub(poly_ctx(a->env), x, y), &of)) return false;
    return !of || (e->op != OP_EQ && e->op != OP_NE);
}

/* A node that may differ between elements, and no part of which says otherwise. */
static Found differs(const Expr *e, const void *user) {
    const Asked *a = user;
    if (!varies(a, e)) return FOUND_NOT;
    const bool compares = op_rule(e->op) == RULE_COMPARE;
    if (compares && e->arg[0]->type != TY_BOOL) return is_same_comparison(a, e) ? FOUND_NOT : FOUND;
    return compares || op_rule(e->op) == RULE_LOGIC ? FOUND_INSIDE : FOUND;
}

bool uniform_condition(const PolyEnv *env, const Part *part, const Layout *l, const Expr *cond, UniformVector v,
                       UniformNeeds *needs) {
    Asked a = {.env = env, .part = part, .layout = l, .v = v, .needs = needs};
    for (int i = 0; i < v.n; i++) a.factors |= (FactorSet)1 << v.f[i]->id;
    needs->n = 0;
    return !expr_has(cond, differs, &a);
}

/* ---- choices ---- */

bool uniform_choice(const Expr *atom) {
    return atom->op == OP_IF && expr_over_dims(atom->arg[1]) && expr_over_dims(atom->arg[2]);
}

const Expr *uniform_choosing(Graph *g, Poly offset) {
    const Expr *all = NULL;
    for (int i = 0; i < offset.n; i++)
        for (int k = 0; k < offset.term[i].degree; k++) {
            const Expr *atom = offset.term[i].atom[k];
            if (uniform_choice(atom)) all = expr_and(g, all, atom->arg[0]);
        }
    return all;
}
