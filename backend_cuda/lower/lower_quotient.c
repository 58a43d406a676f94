/* Lowering, quotients of indices that several accesses have in their places, as where one axis is several: they are
 * made once, before the accesses. */
#include "ir/expr_is.h"
#include "lower_internal.h"

static bool has_atom(Poly p, const Expr *e) {
    for (int i = 0; i < p.n; i++)
        for (int k = 0; k < p.term[i].degree; k++)
            if (p.term[i].atom[k] == e) return true;
    return false;
}

/* Whether accesses of several stages have the quotient in their places. */
static bool is_shared(const Lower *l, const Expr *e, const Layout *layout) {
    int n = 0;
    for (int i = 0; i < l->accesses.n; i++) {
        const Access *x = l->accesses.at[i].access;
        n += x->layout == layout && has_atom(x->offset, e);
    }
    return n > 1;
}

static bool is_in_vector(const Lower *l, FactorSet domain) {
    for (int i = 0; i < l->part->factors.n; i++)
        if (domain >> i & 1 && l->part->factors.at[i]->bind == BIND_VEC) return true;
    return false;
}

/* By a length, of what does not differ within a vector: behind the tests of each access the compiler makes it anew. */
static void put_shared_quotient(Lower *l, const Expr *e, const Layout *layout) {
    const FactorSet domain = expr_domain(l->part, layout, e);
    if (e->op != OP_DIV || e->arg[1]->op == OP_CONST || !expr_over_dims(e->arg[1])) return;
    if (is_in_vector(l, domain) || !is_shared(l, e, layout) || expr_made(l, e, layout)) return;
    put_made(l, e, layout, reg_factors(l, domain), "I", expr_quotient_code(l, e));
}

void put_quotients(Lower *l, const Stage *s) {
    const Access *x = access_of(l, s);
    if (!x || x->offset.failed) return;
    const Layout *saved = l->open.layout;
    l->open.layout = x->layout;
    for (int i = 0; i < x->offset.n; i++)
        for (int k = 0; k < x->offset.term[i].degree; k++) put_shared_quotient(l, x->offset.term[i].atom[k], x->layout);
    l->open.layout = saved;
}
