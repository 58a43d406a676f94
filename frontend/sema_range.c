/* The range of an index variable from its uses: every subscript that is the variable alone, outside pad and outside an
 * `if` that tests the variable, must agree. */
#include "sema_int.h"

#include <string.h>

typedef struct Use {
    ExprVec extent; /* one, or those of a pack */
    Span span;
} Use;

typedef struct Walk {
    Sema *s;
    const RangeQuery *q;
    VEC(Use) uses;
    bool failed, arithmetic; /* it appears inside arithmetic */
} Walk;

bool sema_mentions(const AstExpr *e, Sym name) {
    if (!e) return false;
    if (e->kind == AST_NAME && e->name == name) return true;
    if (sema_mentions(e->a, name) || sema_mentions(e->b, name) || sema_mentions(e->c, name)) return true;
    for (int i = 0; e->items && i < e->items->v.n; i++) {
        const AstItem *it = &e->items->v.at[i];
        if (it->kind == ITEM_PACK && it->name == name) return true;
        if (sema_mentions(it->lo, name) || sema_mentions(it->value, name)) return true;
    }
    return e->items && sema_mentions(e->items->guard, name);
}

static void walk(Walk *w, const AstExpr *e, bool count);

static void walk_items(Walk *w, const AstItems *items, bool count) {
    for (int i = 0; items && i < items->v.n; i++) {
        if (items->v.at[i].lo) walk(w, items->v.at[i].lo, count);
        if (items->v.at[i].value) walk(w, items->v.at[i].value, count);
    }
    if (items && items->guard) walk(w, items->guard, count);
}

/* Whether the variables of a reduction hide the one asked for. */
static bool rebinds(const AstItems *vars, Sym name) {
    for (int i = 0; i < vars->v.n; i++) {
        const AstItem *it = &vars->v.at[i];
        if (it->kind == ITEM_EXPR ? it->value->kind == AST_NAME && it->value->name == name : it->name == name)
            return true;
    }
    return false;
}

static void add_use(Walk *w, const TensorVal *v, int at, int n, Span span) {
    Use u = {.span = span};
    if (at + n > v->rank || n < 0) return; /* the load itself says what is wrong */
    for (int i = 0; i < n; i++) vec_push(w->s->ctx, &u.extent, v->shape[at + i]);
    vec_push(w->s->ctx, &w->uses, u);
}

static int pack_length(Walk *w, const AstItems *items, const TensorVal *v, Sym name) {
    const Scope *sc = name == w->q->name ? NULL : sema_scope_find(w->q->env.scope, name);
    if (sc && sc->kind == SCOPE_VARS) return sc->n;
    int others = 0, packs = 0;
    for (int i = 0; i < items->v.n; i++) {
        const AstItem *it = &items->v.at[i];
        const Scope *o = it->kind == ITEM_PACK ? sema_scope_find(w->q->env.scope, it->name) : NULL;
        if (it->kind == ITEM_PACK && it->name != name && o)
            others += o->n;
        else if (it->kind == ITEM_EXPR)
            others++;
        else
            packs += it->kind == ITEM_PACK;
    }
    return packs == 1 ? v->rank - others : -1;
}

static void walk_load(Walk *w, const AstExpr *e, bool count) {
    const RangeQuery *q = w->q;
    bool here = false;
    for (int i = 0; i < e->items->v.n; i++) {
        const AstItem *it = &e->items->v.at[i];
        if (it->kind == ITEM_PACK ? q->pack && it->name == q->name
                                  : !q->pack && it->value && it->value->kind == AST_NAME && it->value->name == q->name)
            here = true;
        else if (it->value && it->value->kind != AST_NAME && sema_mentions(it->value, q->name))
            w->arithmetic = true;
    }
    TensorVal *v = here && count ? sema_tensor(w->s, (Env){q->env.inst, q->env.scope}, e->a, NULL) : NULL;
    if (here && count && !v) w->failed = true;
    for (int i = 0, at = 0; i < e->items->v.n; i++) {
        const AstItem *it = &e->items->v.at[i];
        if (it->kind == ITEM_PACK) {
            int n = v ? pack_length(w, e->items, v, it->name) : 0;
            if (v && q->pack && it->name == q->name) add_use(w, v, at, n, it->span);
            at += n;
        } else if (it->kind == ITEM_EXPR) {
            bool plain = it->value->kind == AST_NAME && it->value->name == q->name && !q->pack;
            if (plain && v) add_use(w, v, at, 1, it->span);
            if (!plain) walk(w, it->value, count);
            at++;
        }
    }
}

static bool names_pad(const AstExpr *e) {
    return e->kind == AST_CALL && e->a->kind == AST_NAME && !strcmp(e->a->name, "pad");
}

static void walk(Walk *w, const AstExpr *e, bool count) {
    if (!e || w->failed) return;
    switch (e->kind) {
    case AST_IF:
        walk(w, e->a, count);
        count &= !sema_mentions(e->a, w->q->name);
        walk(w, e->b, count);
        walk(w, e->c, count);
        return;
    case AST_INDEX: walk_load(w, e, count); return;
    case AST_CALL:
        if (sema_is_reduction(w->s, w->q->env, e)) {
            const AstItems *vars = e->a->items;
            if (!rebinds(vars, w->q->name)) {
                walk_items(w, vars, count);
                walk_items(w, e->items, count);
                return;
            }
            for (int i = 0; i < vars->v.n; i++)
                if (vars->v.at[i].kind == ITEM_IN) {
                    walk(w, vars->v.at[i].lo, count);
                    walk(w, vars->v.at[i].value, count);
                }
            return;
        }
        if (names_pad(e) && e->items->v.n == 2 && e->items->v.at[0].value) {
            const AstExpr *load = e->items->v.at[0].value;
            if (load->items) { /* the subscripts' own loads count, the padded one does not */
                for (int i = 0; i < load->items->v.n; i++)
                    if (load->items->v.at[i].value && load->items->v.at[i].value->kind != AST_NAME)
                        walk(w, load->items->v.at[i].value, count);
            }
            walk(w, e->items->v.at[1].value, count);
            return;
        }
        walk_items(w, e->items, count);
        return;
    default:
        walk(w, e->a, count);
        walk(w, e->b, count);
        walk(w, e->c, count);
        walk_items(w, e->items, count);
    }
}

static bool agree(Sema *s, const Use *a, const Use *b) {
    if (a->extent.n != b->extent.n) return false;
    for (int i = 0; i < a->extent.n; i++)
        if (!sema_equal(s, a->extent.at[i], b->extent.at[i])) return false;
    return true;
}

static Sym show_use(Sema *s, const Use *u) {
    Text t = {.ctx = s->ctx};
    for (int i = 0; i < u->extent.n; i++) text_fmt(&t, "%s0..%s", i ? ", " : "", sema_show(s, u->extent.at[i]));
    return t.n ? sym_n(s->ctx, t.s, t.n) : sym(s->ctx, "no dimensions");
}

static bool query(Sema *s, const RangeQuery *q, ExprVec *extent) {
    Walk w = {.s = s, .q = q};
    for (int i = 0; i < q->roots.n; i++) walk(&w, q->roots.at[i], true);
    if (w.failed) return false;
    if (w.uses.n == 0) {
        Diag *d =
            SEMA_REPORT(s, UNKNOWN_RANGE, q->span, "nothing says how far %s%s runs", q->name, q->pack ? "..." : "");
        if (q->pack) return false;
        if (w.arithmetic)
            diag_note(s->ctx, d, q->span, "uses inside arithmetic, pad or an if that tests it do not count");
        diag_help(s->ctx, d, "give its range: %s in 0..N", q->name);
        return false;
    }
    for (int i = 1; i < w.uses.n; i++) {
        if (agree(s, &w.uses.at[0], &w.uses.at[i])) continue;
        Diag *d = SEMA_REPORT(s, RANGE_CONFLICT, q->span, "the uses of %s disagree: %s and %s", q->name,
                              show_use(s, &w.uses.at[0]), show_use(s, &w.uses.at[i]));
        diag_note(s->ctx, d, w.uses.at[0].span, "%s here", show_use(s, &w.uses.at[0]));
        diag_note(s->ctx, d, w.uses.at[i].span, "%s here", show_use(s, &w.uses.at[i]));
        return false;
    }
    *extent = w.uses.at[0].extent;
    return true;
}

bool sema_infer_var(Sema *s, const RangeQuery *q, const Expr **hi) {
    ExprVec e = {0};
    if (!query(s, q, &e)) return false;
    *hi = e.at[0];
    return true;
}

bool sema_infer_pack(Sema *s, const RangeQuery *q, ExprVec *his) { return query(s, q, his); }
