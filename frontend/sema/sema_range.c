/* The range of an index variable from its uses: every subscript that is the variable alone, outside pad and outside an
 * `if` that tests the variable, must agree. */
#include "frontend/ast/builtins.h"
#include "sema_int.h"

#include <string.h>

typedef struct Use {
    ExprVec extent; /* one, or those of a pack */
    Span span;
    const AstExpr *load;
    const TensorVal *tensor;
    int at; /* which of its subscripts */
} Use;

typedef struct Walk {
    Sema *s;
    const RangeQuery *q;
    VEC(Use) uses;
    VEC(Use) tested;        /* uses that do not count, inside an if that tests the variable: for help */
    VEC(Use) padded;        /* and those inside pad */
    const AstExpr *shifted; /* a subscript with the variable inside arithmetic */
    const Expr *shifted_in; /* the extent that it subscripts */
    const AstExpr *running; /* a reduction whose guard compares the variable with its own, `follows` */
    Sym follows;
    bool failed, arithmetic; /* it appears inside arithmetic */
} Walk;

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

static void add_use(Walk *w, const AstExpr *load, const TensorVal *v, int at, int n, Span span, bool count) {
    Use u = {.span = span, .load = load, .tensor = v, .at = at};
    if (at + n > v->rank || n < 0) return; /* the load itself says what is wrong */
    for (int i = 0; i < n; i++) vec_push(w->s->ctx, &u.extent, v->shape[at + i]);
    if (count)
        vec_push(w->s->ctx, &w->uses, u);
    else
        vec_push(w->s->ctx, &w->tested, u);
}

/* A tensor of the header or made already, for help only: nothing is elaborated for it. */
static const TensorVal *known_tensor(const Walk *w, const AstExpr *e) {
    const Name *n =
        e->kind == AST_NAME && !sema_scope_find(w->q->env.scope, e->name) ? sema_name(w->q->env.inst, e->name) : NULL;
    if (n && n->kind == NAME_TENSOR) return n->tensor;
    return n && n->kind == NAME_DEF && n->def->state == DEF_DONE ? n->def->val : NULL;
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
    const TensorVal *known = known_tensor(w, e->a);
    if (e->a->kind != AST_NAME) walk(w, e->a, count);
    for (int i = 0; i < e->items->v.n; i++) {
        const AstItem *it = &e->items->v.at[i];
        if (it->kind == ITEM_PACK ? q->pack && it->name == q->name
                                  : !q->pack && it->value && it->value->kind == AST_NAME && it->value->name == q->name)
            here = true;
        else if (it->value && it->value->kind != AST_NAME && sema_mentions(it->value, q->name)) {
            w->arithmetic = true;
            if (!w->shifted && known && i < known->rank && e->items->v.n == known->rank) {
                w->shifted = it->value;
                w->shifted_in = known->shape[i];
            }
        }
    }
    const TensorVal *v = !here || !count ? NULL
                         : q->quiet      ? known
                                         : sema_tensor(w->s, (Env){q->env.inst, q->env.scope}, e->a, NULL);
    if (here && count && !v && !q->quiet) w->failed = true;
    for (int i = 0, at = 0; i < e->items->v.n; i++) {
        const AstItem *it = &e->items->v.at[i];
        if (it->kind == ITEM_PACK) {
            int n = v || known ? pack_length(w, e->items, v ? v : known, it->name) : 0;
            if (v && q->pack && it->name == q->name) add_use(w, e, v, at, n, it->span, true);
            at += n;
        } else if (it->kind == ITEM_EXPR) {
            bool plain = it->value->kind == AST_NAME && it->value->name == q->name && !q->pack;
            if (plain && (v || known)) add_use(w, e, v ? v : known, at, 1, it->span, v != NULL);
            if (!plain) walk(w, it->value, count);
            at++;
        }
    }
}

static void add_padded(Walk *w, const AstExpr *load, int at) {
    const TensorVal *v = load->kind == AST_INDEX ? known_tensor(w, load->a) : NULL;
    Use u = {.span = load->items->v.at[at].span, .load = load, .tensor = v, .at = at};
    if (!v || load->items->v.n != v->rank) return;
    vec_push(w->s->ctx, &u.extent, v->shape[at]);
    vec_push(w->s->ctx, &w->padded, u);
}

static bool names_pad(const AstExpr *e) {
    return e->kind == AST_CALL && e->a->kind == AST_NAME && builtin_by_name(e->a->name) == BUILTIN_PAD;
}

/* The variable of `vars` with which the guard compares `name`, or NULL. */
static Sym compared(const AstItems *vars, const AstExpr *e, Sym name) {
    if (!e || e->kind != AST_BINARY) return NULL;
    if (e->u.op == OP_AND) {
        Sym a = compared(vars, e->a, name);
        return a ? a : compared(vars, e->b, name);
    }
    if (op_rule(e->u.op) != RULE_COMPARE || e->a->kind != AST_NAME || e->b->kind != AST_NAME) return NULL;
    Sym other = e->a->name == name ? e->b->name : e->b->name == name ? e->a->name : NULL;
    return other && rebinds(vars, other) ? other : NULL;
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
        if (sema_is_reduction(w->q->env, e)) {
            const AstItems *vars = e->a->items;
            if (!rebinds(vars, w->q->name)) {
                Sym with = compared(vars, vars->guard, w->q->name);
                if (with) w->running = e, w->follows = with;
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
            for (int i = 0; load->items && i < load->items->v.n; i++) {
                const AstExpr *sub = load->items->v.at[i].value; /* its own loads count, the padded one does not */
                if (sub && sub->kind != AST_NAME)
                    walk(w, sub, count);
                else if (sub && sub->name == w->q->name)
                    add_padded(w, load, i);
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
        if (!known_equal(s->known, a->extent.at[i], b->extent.at[i])) return false;
    return true;
}

static Sym show_use(Sema *s, const Use *u) {
    Text t = {.ctx = s->ctx};
    for (int i = 0; i < u->extent.n; i++) text_fmt(&t, "%s0..%s", i ? ", " : "", sema_show(s, u->extent.at[i]));
    return t.n ? sym_n(s->ctx, t.s, t.n) : sym(s->ctx, "no dimensions");
}

/* How far the variable may run for a subscript like i - a, i + a or k*i to stay inside extent, as text; else NULL. */
static Sym range_for(Sema *s, const RangeQuery *q, const AstExpr *e, const Expr *extent) {
    Sym name = q->name;
    if (e->kind != AST_BINARY) return NULL;
    bool left = e->a->kind == AST_NAME && e->a->name == name, right = e->b->kind == AST_NAME && e->b->name == name;
    const AstExpr *other = left ? e->b : e->a;
    Sym size = sema_show(s, extent), text = sema_show_ast(s, other);
    bool simple = other->kind == AST_NAME || other->kind == AST_INT;
    if (!left && !right) { /* k*i + r and the like: by the part that has it */
        if (e->u.op != OP_ADD) return NULL;
        const AstExpr *part = sema_mentions(e->a, name) ? e->a : e->b;
        return part->kind == AST_BINARY && part->u.op == OP_MUL ? range_for(s, q, part, extent) : NULL;
    }
    if (!simple) text = sym_fmt(s->ctx, "(%s)", text);
    if (e->u.op == OP_SUB && left) return sym_fmt(s->ctx, "%s + %s", text, size);
    if (e->u.op == OP_SUB && right && extent->nargs == 0) { /* K - 1 - k over K */
        Sym last = sym_fmt(s->ctx, "%s - 1", size);
        return !strcmp(sema_show_ast(s, other), last) ? size : NULL;
    }
    if (e->u.op == OP_ADD && other->kind == AST_INT) return sym_fmt(s->ctx, "%s - %s", size, text);
    const Scope *sc = e->u.op == OP_ADD && other->kind == AST_NAME ? sema_scope_find(q->env.scope, other->name) : NULL;
    if (sc && sc->kind == SCOPE_VARS && !sc->pack && sc->vars[0]->hi && !known_uses_data(sc->vars[0]->hi)) {
        const Expr *last = expr2(s->g, OP_SUB, sc->vars[0]->hi, expr_int(s->g, TY_I64, 1));
        return sema_show(s, expr2(s->g, OP_SUB, extent, last));
    }
    if (e->u.op == OP_MUL && other->kind == AST_INT && other->u.i > 0) {
        PolyEnv env = {.g = s->g};
        Poly p = poly_of(&env, expr2(s->g, OP_DIV, extent, expr_int(s->g, TY_I64, other->u.i)));
        if (!p.failed) return sema_show(s, poly_expr(s->g, p));
    }
    if (e->u.op == OP_MUL) return sym_fmt(s->ctx, extent->nargs ? "(%s) / %s" : "%s / %s", size, text);
    return NULL;
}

/* How far the variable runs that is compared with the one asked for, as text; NULL: not known either. */
static Sym range_followed(Sema *s, const Walk *w) {
    RangeQuery q = *w->q;
    q.name = w->follows;
    Walk other = {.s = s, .q = &q};
    if (!w->running) return NULL;
    walk_items(&other, w->running->items, false);
    return other.tested.n ? sema_show(s, other.tested.at[0].extent.at[0]) : NULL;
}

static void report_unknown(Sema *s, const RangeQuery *q, const Walk *w) {
    Diag *d = SEMA_REPORT(s, UNKNOWN_RANGE, q->span, "nothing says how far %s%s runs", q->name, q->pack ? "..." : "");
    if (q->pack) return;
    Sym hi = w->shifted ? range_for(s, q, w->shifted, w->shifted_in) : NULL;
    if (w->shifted)
        diag_note(s->ctx, d, w->shifted->span, "here it stands inside arithmetic, which gives it no range");
    else if (w->arithmetic)
        diag_note(s->ctx, d, q->span, "uses inside arithmetic, pad or an if that tests it do not count");
    for (int i = 0; i < w->tested.n && i < 3; i++)
        diag_note(s->ctx, d, w->tested.at[i].span, "here it runs over %s, but only where the if around it allows",
                  show_use(s, &w->tested.at[i]));
    if (!hi && !w->tested.n) hi = range_followed(s, w);
    if (!hi && !w->tested.n && w->padded.n) {
        diag_note(s->ctx, d, w->padded.at[0].span, "here it stands inside pad, which may be for any subscript");
        hi = sema_show(s, w->padded.at[0].extent.at[0]);
    }
    if (!hi && w->tested.n) hi = sema_show(s, w->tested.at[w->tested.n - 1].extent.at[0]);
    if (hi)
        diag_fix(s->ctx, d, q->span, sym_fmt(s->ctx, "%s in 0..%s", q->name, hi), "give its range: %s in 0..%s",
                 q->name, hi);
    else
        diag_help(s->ctx, d, "say how many values it takes, by a dimension or a number: %s in 0..N", q->name);
}

/* Whether another axis of the load's tensor has the extent that is wanted: the subscripts may be in the wrong order. */
static bool other_axis(Sema *s, const RangeQuery *q, const Use *u, const Use *want) {
    if (u->extent.n != 1 || want->extent.n != 1) return false;
    for (int k = 0; k < u->tensor->rank && k < u->load->items->v.n; k++) {
        if (k == u->at || !known_equal(s->known, u->tensor->shape[k], want->extent.at[0])) continue;
        const AstExpr *there = u->load->items->v.at[k].value;
        const Scope *sc = there && there->kind == AST_NAME ? sema_scope_find(q->env.scope, there->name) : NULL;
        bool fits = sc && sc->kind == SCOPE_VARS && !sc->pack && sc->vars[0]->hi == want->extent.at[0];
        if (!fits) return true;
    }
    return false;
}

/* An index variable around that has the range of the use: it may be meant. */
static bool help_other_variable(Sema *s, const RangeQuery *q, Diag *d, const Use *u) {
    Sym near = u->extent.n == 1 ? sema_var_over(s, q->env.scope, u->extent.at[0], u->load->items) : NULL;
    if (!near) return false;
    diag_help(s->ctx, d, "%s runs over %s: did you mean %s in %s?", near, show_use(s, u), near,
              sema_quote(s, u->load->span));
    return true;
}

/* One of the ranges lies in the other for all sizes: the variable may be meant to run over that one. */
static bool help_shorter(Sema *s, const RangeQuery *q, Diag *d, const Use *a, const Use *b) {
    if (a->extent.n != 1 || b->extent.n != 1) return false;
    const Expr *x = a->extent.at[0], *y = b->extent.at[0];
    bool a_first = known_nonneg(s->known, expr2(s->g, OP_SUB, y, x)),
         b_first = known_nonneg(s->known, expr2(s->g, OP_SUB, x, y));
    if (!a_first && !b_first) return false;
    Sym end = sema_show(s, a_first ? x : y);
    diag_help(
        s->ctx, d,
        "to run over 0..%s alone, fix the range where %s is bound: %s in %s; where it stands inside arithmetic on "
        "the left, name the values with a let before: let t[%s in %s] = ...;",
        end, q->name, q->name, end, q->name, end);
    return true;
}

static void help_conflict(Sema *s, const RangeQuery *q, Diag *d, const Use *a, const Use *b) {
    const Use *wrong = other_axis(s, q, b, a) ? b : other_axis(s, q, a, b) ? a : NULL;
    const Use *right = wrong == a ? b : a;
    if (!wrong && (help_other_variable(s, q, d, b) || help_other_variable(s, q, d, a))) return;
    if (wrong) {
        Text shape = {.ctx = s->ctx};
        for (int k = 0; k < wrong->tensor->rank; k++)
            text_fmt(&shape, "%s%s", k ? ", " : "", sema_show(s, wrong->tensor->shape[k]));
        diag_help(s->ctx, d,
                  "%s has the dimensions [%s]: are the subscripts of %s in the wrong order? the one over %s "
                  "belongs where %s stands",
                  sema_show_ast(s, wrong->load->a), shape.s, sema_show_ast(s, wrong->load), show_use(s, right),
                  q->name);
    }
    if (!wrong && help_shorter(s, q, d, a, b)) return;
    if (a->extent.n == 1 && b->extent.n == 1) {
        if (a->extent.at[0]->op != OP_CONST || b->extent.at[0]->op != OP_CONST)
            diag_help(s->ctx, d,
                      "if both are always the same, use one name for both dimensions, or state it: require "
                      "%s == %s;",
                      sema_show(s, a->extent.at[0]), sema_show(s, b->extent.at[0]));
        else if (!wrong)
            diag_help(s->ctx, d, "fix the range: %s in %s", q->name, show_use(s, a));
    }
}

/* What the equations that read the let say. */
static bool query_readers(Sema *s, RangeQuery *q, ExprVec *extent, const Walk *w) {
    AheadUse conflict[2] = {0};
    const Expr *hi = sema_ahead(s, q->let, q->name, conflict);
    q->from = q->span;
    if (hi) {
        vec_push(s->ctx, extent, hi);
        return true;
    }
    if (!conflict[0].hi) {
        report_unknown(s, q, w);
        return false;
    }
    Diag *d = SEMA_REPORT(s, RANGE_CONFLICT, q->span, "the equations that read %s disagree about %s: 0..%s and 0..%s",
                          q->let->name, q->name, sema_show(s, conflict[0].hi), sema_show(s, conflict[1].hi));
    for (int i = 0; i < 2; i++) diag_note(s->ctx, d, conflict[i].span, "0..%s here", sema_show(s, conflict[i].hi));
    const Expr *a = conflict[0].hi, *b = conflict[1].hi;
    const Expr *both = known_nonneg(s->known, expr2(s->g, OP_SUB, a, b))   ? a
                       : known_nonneg(s->known, expr2(s->g, OP_SUB, b, a)) ? b
                                                                           : expr2(s->g, OP_MAX, a, b);
    Sym fix = sym_fmt(s->ctx, "%s in 0..%s", q->name, sema_show(s, both));
    diag_fix(s->ctx, d, q->span, fix, "give it the range that holds both: %s", fix);
    return false;
}

static bool query(Sema *s, RangeQuery *q, ExprVec *extent) {
    Walk w = {.s = s, .q = q};
    for (int i = 0; i < q->roots.n; i++) walk(&w, q->roots.at[i], true);
    if (w.failed) return false;
    if (w.uses.n == 0 && q->quiet) return false;
    if (w.uses.n == 0 && q->let && !q->pack) return query_readers(s, q, extent, &w);

    if (w.uses.n == 0 && q->shifted && !q->otherwise) q->otherwise = w.shifted_in;
    if (w.uses.n == 0 && q->otherwise) {
        vec_push(s->ctx, extent, q->otherwise);
        q->from = q->span;
        return true;
    }
    if (w.uses.n == 0) {
        report_unknown(s, q, &w);
        return false;
    }
    for (int i = 1; i < w.uses.n; i++) {
        if (agree(s, &w.uses.at[0], &w.uses.at[i])) continue;
        if (q->quiet) return false;
        Diag *d = SEMA_REPORT(s, RANGE_CONFLICT, q->span, "the uses of %s disagree: %s and %s", q->name,
                              show_use(s, &w.uses.at[0]), show_use(s, &w.uses.at[i]));
        diag_note(s->ctx, d, w.uses.at[0].span, "%s here", show_use(s, &w.uses.at[0]));
        diag_note(s->ctx, d, w.uses.at[i].span, "%s here", show_use(s, &w.uses.at[i]));
        help_conflict(s, q, d, &w.uses.at[0], &w.uses.at[i]);
        return false;
    }
    *extent = w.uses.at[0].extent;
    q->from = w.uses.at[0].span;
    return true;
}

bool sema_infer_var(Sema *s, RangeQuery *q, const Expr **hi) {
    ExprVec e = {0};
    if (!query(s, q, &e)) return false;
    *hi = e.at[0];
    return true;
}

bool sema_infer_pack(Sema *s, RangeQuery *q, ExprVec *his) { return query(s, q, his); }
