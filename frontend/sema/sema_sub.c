/* Subscripts: proofs that they are in range. */
#include "sema_int.h"

bool sema_sub_is_plain(const Expr *sub, const Expr *extent) {
    int64_t lo;
    if (sub->op != OP_VAR || !sub->u.var->lo || sub->u.var->hi != extent) return false;
    return expr_is_int(sub->u.var->lo, &lo) && lo >= 0;
}

/* Pushes that the variables of all subscripts of the load have values: their ranges are not empty. */
static int push_beside(Sema *s, const SubPlace *at) {
    int mark = s->known->path.n;
    for (const Scope *sc = at->subs ? at->scope : NULL; sc; sc = sc->up)
        for (int i = 0; sc->kind == SCOPE_VARS && i < sc->n; i++) {
            const Var *v = sc->vars[i];
            bool used = false;
            for (int k = 0; k < at->subs->n && !used; k++)
                used = known_is_small(at->subs->at[k]) && known_uses(at->subs->at[k], expr_var(s->g, sc->vars[i]));
            if (used && v->lo && v->hi && known_is_small(v->lo) && known_is_small(v->hi))
                known_push(s->known, expr2(s->g, OP_LT, v->lo, v->hi), true);
        }
    return mark;
}

static bool in_range_beside(Sema *s, const Expr *sub, const SubPlace *at) {
    int mark = push_beside(s, at);
    bool ok = s->known->path.n > mark && sema_in_range(s, sub, at->extent);
    known_pop(s->known, mark);
    return ok;
}

/* Proves what holds as an index variable around has a value: its range is not empty. The load must say so itself then,
 * as it may be done once for all values. One range serves, or all do. */
static bool in_range_inside(Sema *s, const Expr *sub, const SubPlace *at) {
    ExprVec ranges = {0};
    for (const Scope *sc = at->scope; sc; sc = sc->up)
        for (int i = 0; sc->kind == SCOPE_VARS && i < sc->n; i++) {
            const Var *v = sc->vars[i];
            if (!v->lo || !v->hi || !known_is_small(v->lo) || !known_is_small(v->hi)) continue;
            const Expr *some = expr2(s->g, OP_LT, v->lo, v->hi);
            if (known_truth(s->known, some) >= 0) continue;
            int mark = known_push(s->known, some, true);
            bool ok = sema_in_range(s, sub, at->extent);
            known_pop(s->known, mark);
            if (ok) {
                vec_push(s->ctx, at->nonempty, some);
                return true;
            }
            vec_push(s->ctx, &ranges, some);
        }
    if (ranges.n < 2) return false;
    int mark = s->known->path.n;
    for (int i = 0; i < ranges.n; i++) known_push(s->known, ranges.at[i], true);
    bool ok = sema_in_range(s, sub, at->extent);
    known_pop(s->known, mark);
    for (int i = 0; ok && i < ranges.n; i++) vec_push(s->ctx, at->nonempty, ranges.at[i]);
    return ok;
}

static bool check_sub(Sema *s, const Expr **sub, const SubPlace *at) {
    const Expr *extent = at->extent;
    bool low = known_nonneg(s->known, *sub);
    if (low && known_nonneg(s->known, sema_room_above(s, *sub, extent))) return true;
    const Expr *wide = sema_wide(s, *sub);
    if (wide != *sub && sema_in_range(s, wide, extent)) {
        *sub = wide;
        return true;
    }
    if (known_unreachable(s->known) || in_range_beside(s, *sub, at)) return true;
    if (at->nonempty && in_range_inside(s, *sub, at)) return true;
    if (s->speaks_where && !known_uses_data(*sub)) { /* an assumption says nothing of what is not there */
        vec_push(s->ctx, s->speaks_where, expr2(s->g, OP_LE, expr_int(s->g, TY_I64, 0), *sub));
        vec_push(s->ctx, s->speaks_where, expr2(s->g, OP_LT, *sub, extent));
        return true;
    }
    sema_refuse_sub(s, *sub, !low, at);
    return false;
}

bool sema_check_sub(Sema *s, const Expr **sub, const SubPlace *at) {
    if (sema_sub_is_plain(*sub, at->extent)) return true;
    if (!check_sub(s, sub, at)) return false;
    if (!expr_divides(&(PolyEnv){.g = s->g}, *sub)) return true;
    int mark = push_beside(s, at);
    for (int i = 0; at->nonempty && i < at->nonempty->n; i++) known_push(s->known, at->nonempty->at[i], true);
    *sub = known_guard_divisions(s->known, *sub);
    known_pop(s->known, mark);
    return true;
}
