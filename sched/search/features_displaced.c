/* Features, displaced indices: what an address mostly moves with that is computed in floats, or read as data and added
 * to an index. */
#include "features_form.h"

#include "ir/expr_walk.h"

static Found is_loaded(const Expr *e, const void *unused) {
    (void)unused;
    return e->op == OP_VALUE ? FOUND : FOUND_INSIDE;
}

const Expr *feature_displaced(const Part *part, const Layout *l, const Expr *e, double *times) {
    enum { MOST = 20 /* operators on the way */ };
    const Expr *const whole = e;
    *times = 1;
    for (int i = 0; i < MOST && (type_is_float(e->type) || expr_has(e, is_loaded, NULL)); i++) {
        if (e->op == OP_VALUE) {
            const Stage *def = e->u.value->def;
            if (!def || def->kind != STAGE_MAP) return NULL;
            e = def->expr[0];
            continue;
        }
        const bool sum = e->op == OP_ADD || e->op == OP_SUB, product = e->op == OP_MUL || e->op == OP_DIV;
        if (e->nargs != 1 && !sum && !product && e->op != OP_MIN && e->op != OP_MAX) return NULL;
        const bool second = e->nargs > 1 && !expr_domain(part, l, e->arg[0]);
        const bool both = e->nargs > 1 && !second && expr_domain(part, l, e->arg[1]);
        const bool data = both && expr_has(e->arg[0], is_loaded, NULL);
        if (both && (!sum || data == (expr_has(e->arg[1], is_loaded, NULL) != NULL))) return NULL;
        const Expr *by = product ? e->arg[!second] : NULL;
        if (by && by->op == OP_CONST && type_is_float(by->type) && by->u.f != 0)
            *times = e->op == OP_MUL ? *times * by->u.f : *times / by->u.f;
        e = e->arg[second || data];
    }
    return e == whole || type_is_float(e->type) || expr_has(e, is_loaded, NULL) ? NULL : e;
}
