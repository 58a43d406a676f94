/* Equations whose left side names elements by data, y[ids[t], d] = e: of the values that reach an element the last
 * counts. They are turned inside out: the number of each element's last value is a maximum, exact in any order, and the
 * element is the value of that number, or what the tensor's other equations say where there is none. */
#include "ir/poly/gather.h"
#include "ir/poly/pieces.h"
#include "sema_int.h"

#include "ir/expr_is.h"

static bool is_scatter(Sema *s, const Piece *p, int rank) {
    bool data = false;
    for (int i = 0; i < rank; i++) data |= known_uses_data(p->subs[i]);
    return data && !pieces_injective(s->known, p, rank);
}

/* Which of them is one; -1: none, -2 after saying that there are several. */
static int find_scatter(Sema *s, const Definition *d, const Piece *pieces, int n, int rank) {
    int at = -1;
    for (int i = 0; i < n; i++) {
        if (!is_scatter(s, &pieces[i], rank)) continue;
        if (at >= 0) {
            Diag *g =
                SEMA_REPORT(s, DEFINED_TWICE, pieces[i].span, "two equations of %s name its elements by data", d->name);
            diag_note(s->ctx, g, pieces[at].span, "the other one");
            diag_help(s->ctx, g, "equations have no order: name what the first one gives with let, and read it");
            return -2;
        }
        at = i;
    }
    return at;
}

/* ---- the number of the last value ---- */

/* It as a let, over those of the elements' variables on which it depends, read at the element. */
static const Expr *last_value(Sema *s, const Definition *d, const Piece *p, const GatherElements *el) {
    Graph *g = s->g;
    const Expr *last = gather_last(s->known, p, el);
    Piece q = {.vars = NEW_N(s->ctx, Var *, el->rank + 1), .subs = NEW_N(s->ctx, const Expr *, el->rank + 1)};
    ExprVec shape = {0}, whole = {0}, read = {0};
    for (int i = 0; i < el->rank; i++) {
        if (!known_uses(last, el->subs[i])) continue;
        q.vars[q.nvars] = graph_var(g, el->vars[i]->name, el->vars[i]->lo, el->vars[i]->hi);
        q.subs[q.nvars] = expr_var(g, q.vars[q.nvars]);
        last = expr_replace(g, last, &el->subs[i], &q.subs[q.nvars++], 1);
        vec_push(s->ctx, &shape, el->vars[i]->hi);
        vec_push(s->ctx, &read, el->subs[i]);
    }
    q.value = last;
    q.span = p->span;
    Over over = over_used(g, &d->inst->over, &q, 1, q.nvars);
    if (!sema_over_shape(s, &over, &shape, p->span, &whole)) return NULL;
    Tensor *t =
        graph_tensor(g, sema_free_name(s, sym_fmt(s->ctx, "%s_last", d->name)), TENSOR_LET, TY_I64, whole.n, whole.at);
    t->span = p->span;
    vec_push(s->ctx, &t->pieces, over_piece(g, &over, q, q.nvars));
    ExprVec subs = {0};
    for (int i = 0; i < over.vars.n; i++) vec_push(s->ctx, &subs, over.own.at[i]);
    for (int i = 0; i < read.n; i++) vec_push(s->ctx, &subs, read.at[i]);
    return expr_load(g, t, subs.at);
}

/* ---- what the others say ---- */

static bool check_others(Sema *s, const Definition *d, const TensorVal *t, const Piece *pieces, int n, int at) {
    Tensor others = {.name = d->name, .kind = d->kind, .type = t->type, .rank = t->rank, .span = d->span};
    others.shape = NEW_N(s->ctx, const Expr *, t->rank + 1);
    for (int i = 0; i < t->rank; i++) others.shape[i] = t->shape[i];
    for (int i = 0; i < n; i++)
        if (i != at) vec_push(s->ctx, &others.pieces, pieces[i]);
    if (others.pieces.n) return sema_check_pieces(s, d, &others);
    if (d->kind == TENSOR_INOUT) return true;
    Sym left = sema_index_names(s, t->rank);
    Diag *g = SEMA_REPORT(s, NOT_COVERED, pieces[at].span, "nothing defines the elements of %s that data do not name",
                          d->name);
    diag_help(s->ctx, g,
              "say what they are, %s[%s] = 0;, or say how values that meet combine: +=, max=, min=, *=", d->name, left);
    return false;
}

/* The element's value where no value of the scatter reaches it. */
static const Expr *other_value(Sema *s, const Definition *d, const TensorVal *t, const Piece *pieces, int n, int at,
                               const GatherElements *el) {
    const Type type = t->type == TY_BOOL ? TY_BOOL : type_acc(t->type);
    Name *name = d->kind == TENSOR_INOUT ? sema_name(d->inst, d->name) : NULL;
    const Expr *v = type_is_float(type) ? expr_float(s->g, type, 0) : expr_int(s->g, type, 0);
    if (name && name->kind == NAME_TENSOR && name->tensor->t)
        v = expr_cast(s->g, type, expr_load(s->g, name->tensor->t, el->subs));
    for (int i = n - 1; i >= 0; i--)
        if (i != at) v = gather_choose(s->known, &pieces[i], el, v);
    return v;
}

bool sema_scatter(Sema *s, const Definition *d, const TensorVal *t, Piece *pieces, int *n, bool *plain) {
    const int at = find_scatter(s, d, pieces, *n, t->rank);
    if (at == -1) return true;
    if (at < 0 || !check_others(s, d, t, pieces, *n, at)) return false;
    Graph *g = s->g;
    const bool old = d->kind == TENSOR_INOUT && *n == 1; /* it keeps the value before */
    const Span span = pieces[at].span;
    const GatherElements el = gather_elements(s->known, t->rank, t->shape, &pieces[at]);
    const Expr *other = other_value(s, d, t, pieces, *n, at, &el);
    const Expr *last = last_value(s, d, &pieces[at], &el);
    if (!last) return false;
    const Expr *reached = expr2(g, OP_LE, expr_int(g, TY_I64, 0), last);
    const Expr *v = expr_cast(g, other->type, gather_numbered(s->known, &pieces[at], &el, last));
    pieces[0] = (Piece){.nvars = t->rank, .vars = el.vars, .subs = el.subs, .value = v, .span = span};
    if (old)
        pieces[0].guard = reached;
    else
        pieces[0].value = expr3(g, OP_IF, reached, v, other);
    *plain = !old;
    *n = 1;
    return true;
}
