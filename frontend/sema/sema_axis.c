/* What is said of operations on whole tensors, as other languages have them: the equation of elements that is meant. */
#include "frontend/ast/builtins.h"
#include "sema_int.h"

#include <string.h>

/* The number of dimensions of the tensor that the name is; -1: it is none, or that is not known yet. */
static int rank_of(const Name *n) {
    if (!n) return -1;
    if (n->kind == NAME_TENSOR) return n->tensor->rank;
    if (n->kind != NAME_DEF || n->def->is_scalar) return -1;
    const AstItems *dims = NULL;
    if (n->def->param && n->def->param->type)
        dims = n->def->param->type->dims;
    else if (n->def->pieces.n)
        dims = n->def->pieces.at[0].target->index;
    return dims ? dims->v.n : -1;
}

/* The dimension of `rank` that axis = 1, dim = -1 means. */
static int axis_of(const AstExpr *e, int rank) {
    bool minus = e && e->kind == AST_UNARY && e->u.op == OP_NEG;
    const AstExpr *v = minus ? e->a : e;
    if (!v || v->kind != AST_INT || v->u.i < minus || v->u.i >= rank + minus) return rank - 1;
    return minus ? rank - (int)v->u.i : (int)v->u.i;
}

/* How a ranking of name's rows is written, of a tensor x of so many dimensions along one of them. */
static Sym ranked(Sema *s, Sym name, const AstExpr *x, int rank, int axis) {
    const Ranking *r = builtin_ranking(builtin_by_name(name));
    Text subs = {.ctx = s->ctx}, left = {.ctx = s->ctx};
    for (int i = 0; i < rank; i++) {
        text_fmt(&subs, "%s%c", i ? ", " : "", "ijklmn"[i]);
        text_fmt(&left, "%s%c", i ? ", " : "", i == axis ? 'r' : "ijklmn"[i]);
    }
    Sym of = sym_fmt(s->ctx, "%s[%c](%s[%s]%s)", name, "ijklmn"[axis], x -> name, subs.s, r->operands > 1 ? ", K" : "");
    return r->results > 1 ? sym_fmt(s->ctx, "let (v[%s], at[%s]) = %s;", left.s, left.s, of)
                          : sym_fmt(s->ctx, "let at[%s] = %s;", left.s, of);
}

/* max(x, axis = 1) and the like: how it is written with an index. */
const Expr *sema_no_axis(Sema *s, Env env, const AstExpr *e, Sym name, Sym whole) {
    const AstItem *it = e->items->v.n ? &e->items->v.at[0] : NULL, *last = it ? &e->items->v.at[e->items->v.n - 1] : it;
    const AstExpr *x = it && it->kind == ITEM_EXPR ? it->value : NULL;
    int rank = x && x->kind == AST_NAME ? rank_of(sema_name(env.inst, x->name)) : -1;
    Diag *d = SEMA_REPORT(s, NO_AXIS, e->span, "%s %s an index, which is named in brackets", name,
                          builtin_ranking(builtin_by_name(name)) ? "ranks along" : "reduces over");
    FreeNames free = {0};
    if (rank > 0 && rank <= 6) {
        int axis = axis_of(last != it ? last->value : NULL, rank);
        if (builtin_ranking(builtin_by_name(name))) {
            diag_help(s->ctx, d, "write %s", ranked(s, name, x, rank, axis));
            return NULL;
        }
        Text subs = {.ctx = s->ctx}, left = {.ctx = s->ctx};
        for (int i = 0; i < rank; i++) text_fmt(&subs, "%s%c", i ? ", " : "", "ijklmn"[i]);
        for (int i = 0; i < rank; i++)
            if (i != axis) text_fmt(&left, "%s%c", left.n ? ", " : "", "ijklmn"[i]);
        Sym text = sym_fmt(s->ctx, "%s[%c](%s[%s])", name, "ijklmn"[axis], x -> name, subs.s);
        if (whole)
            diag_help(s->ctx, d, "write %s[%s] = %s;", whole, left.n ? left.s : "", text);
        else
            diag_help(s->ctx, d, "write %s", text);
        return NULL;
    }
    if (x) sema_free_names(s, env, x, false, &free);
    diag_help(s->ctx, d, "write %s[%s](%s)", name, free.n ? free.at[0].name : "k",
              free.n ? sema_quote(s, x->span) : "...");
    return NULL;
}

/* The source of e with subscripts behind the names of whole tensors; *most: the largest number of them. */
static Sym with_subscripts(Sema *s, Env env, const AstExpr *e, int *most) {
    Sym text = sema_quote(s, e->span);
    Text out = {.ctx = s->ctx};
    for (const char *at = text; *at;) {
        const char *from = at;
        while (text_is_word(*at)) at++;
        if (at == from) {
            text_char(&out, *at++);
            continue;
        }
        Sym word = sym_n(s->ctx, from, (size_t)(at - from));
        int rank = *at == '[' || *at == '(' ? -1 : rank_of(sema_name(env.inst, word));
        text_put(&out, word);
        if (rank > 0) text_fmt(&out, "[%s]", sema_index_names(s, rank));
        if (rank == 0) text_put(&out, "[]");
        if (rank > *most) *most = rank;
    }
    return out.n ? sym_n(s->ctx, out.s, out.n) : text;
}

void sema_no_whole(Sema *s, Env env, const AstExpr *e) {
    int most = 0;
    Diag *d = SEMA_REPORT(s, ELEMENT_FOR_TENSOR, e->span, "one element stands where a whole tensor is needed");
    Sym name = s->defining ? s->defining : sym(s->ctx, "y"), right = with_subscripts(s, env, e, &most);
    if (sema_mentions(e, name)) {
        diag_help(s->ctx, d,
                  "operators work on elements, and %s has no value before this: read an input, %s[%s] = x[%s] ...;, "
                  "or, to update it in place, declare inout %s: ... and write its elements",
                  name, name, sema_index_names(s, most), sema_index_names(s, most), name);
        return;
    }
    diag_help(s->ctx, d, "operators work on elements: write %s[%s] = %s;", name, sema_index_names(s, most), right);
}
