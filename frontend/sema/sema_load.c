/* Loads: subscripts, pad. */
#include "sema_int.h"

static void rank_error(Sema *s, Env env, const AstItems *items, const TensorVal *v, int n) {
    Text shape = {.ctx = s->ctx};
    text_put(&shape, "");
    for (int i = 0; i < v->rank; i++) text_fmt(&shape, "%s%s", i ? ", " : "", sema_show(s, v->shape[i]));
    Diag *d = SEMA_REPORT(s, RANK, items->span, "the tensor has %d dimensions, [%s], these are %d subscripts", v->rank,
                          shape.s, n);
    if (v->t) diag_note(s->ctx, d, v->t->span, "declared here");
    Text all = {.ctx = s->ctx};
    for (int i = 0, at = 0; n == v->rank - 1 && i < v->rank; i++) {
        Sym missing = at == i ? sema_var_over(s, env.scope, v->shape[i], items) : NULL;
        if (!missing && at == items->v.n) {
            all.n = 0;
            break;
        }
        text_fmt(&all, "%s%s", i ? ", " : "", missing ? missing : sema_quote(s, items->v.at[at++].span));
    }
    if (n == v->rank - 1 && all.n)
        diag_help(s->ctx, d, "did you mean [%s]?", all.s);
    else if (n < v->rank)
        diag_help(s->ctx, d, "each dimension has a subscript: to reduce one away write sum[k](...[..., k])");
}

/* The subscripts of items in order, packs expanded, all i64; a trailing `...` leaves the rest of the rank. */
bool sema_subs(Sema *s, Env env, const AstItems *items, const TensorVal *v, ExprVec *subs, bool *rest) {
    bool ok = true;
    int rank = v->rank;
    if (items->guard) {
        SEMA_REPORT(s, MISPLACED_WHERE, items->guard->span,
                    "subscripts have no where; it belongs to a reduction or a definition");
        return false;
    }
    for (int i = 0; i < items->v.n; i++) {
        const AstItem *it = &items->v.at[i];
        if (it->kind == ITEM_PACK) {
            const Scope *sc = sema_scope_find(env.scope, it->name);
            if (!sc || sc->kind != SCOPE_VARS) {
                sema_unknown(s, env, it->name, it->span);
                ok = false;
                continue;
            }
            for (int k = 0; k < sc->n; k++) vec_push(s->ctx, subs, expr_var(s->g, sc->vars[k]));
        } else if (it->kind == ITEM_REST) {
            if (i != items->v.n - 1) {
                SEMA_REPORT(s, MISPLACED, it->span, "... stands last: a slice is of leading axes");
                return false;
            }
            *rest = true;
        } else if (it->kind == ITEM_EXPR) {
            s->in_subscript++;
            const Expr *e = sema_int(s, env, it->value);
            s->in_subscript--;
            if (e)
                vec_push(s->ctx, subs, e);
            else
                ok = false;
        } else {
            SEMA_REPORT(s, MISPLACED, it->span, "a subscript is an integer expression");
            ok = false;
        }
    }
    if (!ok) return false;
    if (*rest ? subs->n > rank : subs->n != rank) {
        rank_error(s, env, items, v, subs->n);
        return false;
    }
    return true;
}

/* ---- loads ---- */

static const Expr *both(Sema *s, const Expr *a, const Expr *b) { return a ? expr2(s->g, OP_AND, a, b) : b; }

/* The element where all of `when` hold. */
static const Expr *element_under(Sema *s, const TensorVal *v, const ExprVec *subs, const ExprVec *when) {
    const Expr *e = sema_element(s, v, subs), *cond = NULL;
    for (int i = 0; i < when->n; i++) cond = both(s, cond, when->at[i]);
    if (!cond) return e;
    const Expr *zero = type_is_float(e->type) ? expr_float(s->g, e->type, 0) : expr_int(s->g, e->type, 0);
    return expr_cast(s->g, e->type, expr_apply(s->g, OP_IF, (const Expr *[]){cond, e, zero}, 3));
}

/* Which item of the subscripts gave the subscript number k. */
static Span sub_span(const AstItems *items, Env env, int k) {
    for (int i = 0; i < items->v.n; i++) {
        const AstItem *it = &items->v.at[i];
        const Scope *sc = it->kind == ITEM_PACK ? sema_scope_find(env.scope, it->name) : NULL;
        int n = sc && sc->kind == SCOPE_VARS ? sc->n : 1;
        if (k < n) return it->span;
        k -= n;
    }
    return items->span;
}

static TensorVal *load_parts(Sema *s, Env env, const AstExpr *e, ExprVec *subs) {
    TensorVal *v = sema_tensor(s, env, e->a, NULL);
    bool rest = false;
    if (!v || !sema_subs(s, env, e->items, v, subs, &rest)) return NULL;
    if (!rest) return v;
    Diag *d = SEMA_REPORT(s, SLICE_AS_ELEMENT, e->span, "a slice stands where one element is needed");
    diag_help(s->ctx, d, "write all %d subscripts instead of ...", v->rank);
    return NULL;
}

const Expr *sema_load(Sema *s, Env env, const AstExpr *e) {
    ExprVec subs = {0};
    if (e->a->kind == AST_NAME && !sema_scope_find(env.scope, e->a->name) && !sema_name(env.inst, e->a->name)) {
        FnRef f;
        AstExpr call = *e;
        call.kind = AST_CALL;
        call.a = (AstExpr *)e;
        if (sema_is_reduction(env, &call)) {
            SEMA_REPORT(s, NO_OPERAND, e->span, "a reduction has an operand: %s(...)", sema_show_ast(s, e));
            return NULL;
        }
        if (sema_find_fn(env.inst, e->a->name, &f)) {
            SEMA_REPORT(s, NOT_CALLED, e->a->span, "%s is a function: call it before taking an element, %s(x)[i]",
                        e->a->name, e->a->name);
            return NULL;
        }
    }
    TensorVal *v = load_parts(s, env, e, &subs);
    if (!v) return NULL;
    ExprVec when = {0};
    bool ok = true;
    for (int i = 0; i < subs.n && ok; i++)
        ok = sema_check_sub(s, &subs.at[i],
                            &(SubPlace){.span = sub_span(e->items, env, i),
                                        .extent = v->shape[i],
                                        .load = e,
                                        .name = e->a->kind == AST_NAME ? e->a->name : NULL,
                                        .type = v->type,
                                        .axis = i,
                                        .declared = v->t ? v->t->span : SPAN_NONE,
                                        .scope = env.scope,
                                        .subs = &subs,
                                        .nonempty = &when});
    return ok ? element_under(s, v, &subs, &when) : NULL;
}

/* pad(load, v): the load under those of its range conditions that do not hold anyway. */
const Expr *sema_pad(Sema *s, Env env, const AstExpr *call) {
    const AstItems *items = call->items;
    if (items->v.n != 2 || items->v.at[0].kind != ITEM_EXPR || items->v.at[1].kind != ITEM_EXPR || items->guard) {
        SEMA_REPORT(s, ARGUMENTS, call->span, "pad takes a load and the value for outside: pad(x[i - 1], 0.0)");
        return NULL;
    }
    const AstExpr *load = items->v.at[0].value;
    const Expr *outside = sema_expr(s, env, items->v.at[1].value);
    if (load->kind != AST_INDEX) {
        if (load->kind != AST_ERROR) SEMA_REPORT(s, ARGUMENTS, load->span, "pad takes a load x[...], this is none");
        return NULL;
    }
    ExprVec subs = {0};
    TensorVal *v = load_parts(s, env, load, &subs);
    if (!v || !outside) return NULL;
    const Expr *cond = NULL, *zero = expr_int(s->g, TY_I64, 0);
    for (int i = 0; i < subs.n; i++) {
        if (sema_sub_is_plain(subs.at[i], v->shape[i])) continue;
        const Expr *sub = subs.at[i] = known_guard_divisions(s->known, subs.at[i]);
        if (!known_nonneg(s->known, sub)) cond = both(s, cond, expr2(s->g, OP_LE, zero, sub));
        if (!known_nonneg(s->known, sema_room_above(s, sub, v->shape[i])))
            cond = both(s, cond, expr2(s->g, OP_LT, sub, v->shape[i]));
    }
    const Expr *inside = sema_element(s, v, &subs);
    if (cond) return sema_apply(s, call->span, OP_IF, (const Expr *[]){cond, inside, outside}, 3);
    /* The type is that of both all the same. */
    return sema_apply(s, call->span, OP_IF, (const Expr *[]){expr_int(s->g, TY_BOOL, 1), inside, outside}, 3) ? inside
                                                                                                              : NULL;
}
