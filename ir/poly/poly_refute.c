/* Examples that refute: values of dimensions, variables and data, inside all that is known of them, for which a
 * polynomial is less than a bound. No search for a proof is made where there is such an example: most goals that cannot
 * be proved are simply false, and a search finds that out last. */
#include "poly_prove.h"

#include "ir/expr_is.h"
#include "ir/int_value.h"

enum { MAX_SYMBOLS = 12, MIXED = 6 /* symbols of which all combinations of ends are tried */, MAX_WORK = 400 };

typedef struct Example {
    const PolyEnv *env;
    /* Dimensions, variables, factors and data, each at one end of its range; whether addresses are aligned. */
    const Expr *symbol[MAX_SYMBOLS];
    int64_t value[MAX_SYMBOLS];
    int n, known; /* symbols met; those of which this example has the value */
    int ends;     /* bit i: the upper end of symbol i */
    const Poly
        *few; /* the goal, whose dimensions are the least that leave an index, all else at the upper end; or NULL */
    int64_t large;
    IntValue of; /* what values of expressions are taken by */
} Example;

static bool value_of(Example *x, const Expr *e, int64_t *v) { return int_value(&x->of, e, v); }

static bool end_of_dim(const Example *x, const Dim *d, bool upper, int64_t *v) {
    Interval r = interval_of_dim(d);
    int64_t more;
    *v = x->few && !r.lo ? (d->divisor > 1 ? d->divisor : 1) : r.lo;
    if (*v > r.hi || !mul_ok(x->large, d->divisor, &more)) return false;
    if (upper) *v = r.hi - r.lo < more ? r.hi : r.lo + more;
    return true;
}

static bool end_of_range(Example *x, const Expr *e, bool upper, int64_t *v) {
    const Expr *lo, *hi;
    bool exclusive;
    int64_t least, most;
    if (!poly_atom_range(x->env, e, &lo, &hi, &exclusive) || !lo || !hi) return false;
    if (!value_of(x, lo, &least) || !value_of(x, hi, &most) || !add_ok(most, -(int64_t)exclusive, &most)) return false;
    *v = upper ? most : least;
    return least <= most;
}

/* The integer that e is, casts that keep it left out, where the proofs know nothing of it but its type: a scalar, an
 * element or a value that a kernel computed. NULL: it is none. */
static const Expr *data_of(const Example *x, const Expr *e) {
    const Expr *of = expr_uncast(e), *lo, *hi;
    if ((of->op != OP_LOAD && of->op != OP_VALUE && of->op != OP_SCALAR) || !type_is_int(of->type)) return NULL;
    const Sort *sort = of->op == OP_LOAD ? of->u.tensor->sort : NULL;
    if (sort && sort->order == of->u.tensor) return NULL; /* poly_prove.c knows that its elements are places */
    return x->env->range && x->env->range(x->env->user, e, &lo, &hi) ? NULL : of;
}

/* One of a type's smaller or larger values. */
static int64_t end_of_data(const Example *x, const Expr *e, bool upper) {
    Interval r = interval_of(x->env, e);
    if (upper) return r.hi < x->large ? r.hi : x->large;
    return r.lo > -x->large ? r.lo : -x->large;
}

static bool end_of(Example *x, const Expr *e, bool upper, int64_t *v) {
    const Expr *lo, *hi;
    switch (e->op) {
    case OP_ALIGNED: return *v = upper, true;
    case OP_DIM:
        if (!x->env->range || !x->env->range(x->env->user, e, &lo, &hi)) return end_of_dim(x, e->u.dim, upper, v);
        return end_of_range(x, e, upper, v);
    case OP_VAR:
    case OP_FACTOR: return end_of_range(x, e, upper, v);
    default: return *v = end_of_data(x, e, upper), true;
    }
}

static bool value_of_symbol(Example *x, const Expr *e, int64_t *v) {
    int i = 0;
    while (i < x->n && x->symbol[i] != e) i++;
    if (i == MAX_SYMBOLS) return false;
    if (i == x->n) x->symbol[x->n++] = e;
    if (x->known >> i & 1) {
        *v = x->value[i];
        return true;
    }
    const bool upper = x->few ? e->op != OP_DIM || !poly_uses(*x->few, e) : x->ends >> i & 1;
    if (!end_of(x, e, upper, v)) return false;
    x->value[i] = *v;
    x->known |= 1 << i;
    return true;
}

/* Of i64 and conditions alone. */
static IntLeaf example_leaf(void *example, const Expr *e, int64_t *v) {
    const bool place = e->op == OP_DIM || e->op == OP_VAR || e->op == OP_FACTOR || e->op == OP_ALIGNED;
    const Expr *symbol = place ? e : data_of(example, e);
    if (symbol) return value_of_symbol(example, symbol, v) ? INT_LEAF_KNOWN : INT_LEAF_UNKNOWN;
    return e->type == TY_I64 || e->type == TY_BOOL ? INT_LEAF_INSIDE : INT_LEAF_UNKNOWN;
}

static bool value_of_poly(Example *x, Poly p, int64_t *v) {
    *v = 0;
    for (int i = 0; i < p.n; i++) {
        int64_t t = p.term[i].coef, one;
        for (int k = 0; k < p.term[i].degree; k++)
            if (!value_of(x, p.term[i].atom[k], &one) || !mul_ok(t, one, &t)) return false;
        if (!add_ok(*v, t, v)) return false;
    }
    return true;
}

static bool refutes(Example *x, Poly p, int64_t target) {
    int64_t v;
    x->known = 0;
    x->of.left = MAX_WORK;
    if (!value_of_poly(x, p, &v) || v >= target) return false;
    for (int i = 0; i < x->env->nfacts; i++)
        if (!value_of(x, x->env->facts[i], &v) || !v) return false;
    return true;
}

bool poly_refuted(const PolyEnv *env, Poly p, int64_t target) {
    static const int64_t LARGE[] = {1 << 17, (int64_t)1 << 33};
    Example x = {.env = env, .of = {.leaf = example_leaf, .user = &x, .positive = true}};
    if (p.failed || target == INT64_MAX) return false;
    const int nlarge = target < 0 ? 2 : 1;
    for (int k = 0; k < nlarge; k++) { /* all at one end: most that is false is so there */
        x.large = LARGE[k];
        for (x.ends = -1; x.ends <= 0; x.ends++)
            if (refutes(&x, p, target)) return true;
    }
    /* Few elements of a dimension, and many indices: digits that are too large. */
    x.large = LARGE[0];
    x.few = &p;
    if (refutes(&x, p, target)) return true;
    x.few = NULL;
    for (int k = 0; k < nlarge && x.n <= MIXED; k++) {
        x.large = LARGE[k];
        for (x.ends = 1; x.ends < (1 << x.n) - 1; x.ends++)
            if (refutes(&x, p, target)) return true;
    }
    return false;
}
