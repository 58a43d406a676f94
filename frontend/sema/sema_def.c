/* Definitions: index equations as pieces of a Graph's tensor. The left-hand side binds the index variables
 * (sema_left.c); pieces of one tensor must be disjoint and an output covered. */
#include "sema_left.h"

#include <string.h>

static Sym local_name(Sema *s, const Definition *d) {
    if (!d->inst->prefix) return d->name;
    if (d->kind == TENSOR_OUTPUT && d->inst->fn->results->v.n == 1) return d->inst->prefix;
    return sema_free_name(s, sym_fmt(s->ctx, "%s_%s", d->inst->prefix, d->name));
}

/* ---- the right-hand side ---- */

static const Expr *right(Sema *s, Building *b) {
    const AstStmt *st = b->p->stmt;
    if (sema_is_ranking(b->env, st->value)) return sema_rank(s, b->env, st->value, b->p->part, true);
    if (b->p->part < 0) return sema_expr(s, b->env, st->value);
    if (sema_is_reduction(b->env, st->value)) return sema_reduce(s, b->env, st->value, b->p->part);
    if (st->value->kind == AST_TUPLE) {
        const AstItems *items = st->value->items;
        if (b->p->part < items->v.n && items->v.at[b->p->part].value)
            return sema_expr(s, b->env, items->v.at[b->p->part].value);
        SEMA_REPORT(s, RESULT_COUNT, st->value->span, "there are %d values for %d names", items->v.n, st->targets.n);
        return NULL;
    }
    if (st->value->kind != AST_ERROR)
        SEMA_REPORT(s, RESULT_COUNT, st->value->span, "this is one value for %d names", st->targets.n);
    return NULL;
}

static bool let_shape(Sema *s, const Building *b, Left *t) {
    for (int i = 0; i < b->subs.n; i++) vec_push(s->ctx, &t->shape, b->subs.at[i]->u.var->hi);
    t->has_shape = true;
    return true;
}

/* The variables in the order of the subscripts that use them. */
static Var **ordered(Sema *s, const Building *b) {
    Var **vars = NEW_N(s->ctx, Var *, b->vars.n + 1);
    bool *done = NEW_N(s->ctx, bool, b->vars.n + 1);
    int n = 0;
    for (int axis = 0; axis <= b->subs.n; axis++)
        for (int i = 0; i < b->vars.n; i++) {
            if (done[i] || (axis < b->subs.n && !known_uses(b->subs.at[axis], expr_var(s->g, b->vars.at[i])))) continue;
            done[i] = true;
            vars[n++] = b->vars.at[i];
        }
    return vars;
}

static void no_guard(Sema *s, const Definition *d, const Equation *p) {
    Diag *g = SEMA_REPORT(s, LET_PIECE, p->stmt->guard->span, "a let defines all its elements: it has no where");
    diag_help(s->ctx, g, "choose by the condition: let %s[i in N] = if c then ... else ...;", d->name);
}

/* What an update joins with the element: a literal has the type that arithmetic on the element has, and an integer is
 * of the element's type or fits in it. */
static const Expr *operand(Sema *s, const Left *t, Span span, const Expr *v) {
    const Type acc = type_acc(t->type);
    if (v->untyped) return expr_convert(s->g, acc, v);
    if (v->type == TY_BOOL) return v;
    if (!type_is_int(t->type) || !type_is_int(v->type)) return expr_cast(s->g, type_acc(v->type), v);
    v = sema_to(s, span, t->type, v);
    return v ? expr_cast(s->g, acc, v) : NULL;
}

/* One piece; its guard and value are elaborated with the left-hand side's variables. */
static bool build_piece(Sema *s, Left *t, const Equation *p, Piece *out, bool *plain) {
    Building b = {.p = p, .env = {t->d->inst, NULL}, .plain = true};
    const Expr *guard = NULL;
    if (!sema_left(s, &b, t)) return false;
    if (p->stmt->guard) {
        if (t->d->kind == TENSOR_LET) {
            no_guard(s, t->d, p);
            return false;
        }
        if (!(guard = sema_cond(s, b.env, p->stmt->guard))) return false;
        if (known_truth(s->known, guard) == 1) guard = NULL; /* it says what the ranges say */
        b.plain = false;
    }
    int mark = known_push(s->known, guard, true);
    bool ok = true;
    for (int i = 0; !b.plain && i < b.subs.n; i++)
        ok &= sema_check_sub(s, &b.subs.at[i],
                             &(SubPlace){.span = p->target->span,
                                         .extent = t->shape.at[i],
                                         .name = t->d->name,
                                         .type = t->type,
                                         .axis = i,
                                         .declared = t->d->param ? t->d->param->span : t->d->span});
    const Expr *v = ok ? right(s, &b) : NULL;
    known_pop(s->known, mark);
    if (!v) return false;
    if (!t->has_shape && !let_shape(s, &b, t)) return false;
    if (p->stmt->op != ASSIGN_SET) {
        v = operand(s, t, p->stmt->value->span, v);
    } else if (t->has_type) {
        v = sema_store(s, p->stmt->value->span, t->type, v);
    } else {
        v = expr_settle(s->g, v);
        t->type = v->type == TY_BOOL ? TY_BOOL : type_acc(v->type);
        v = expr_cast(s->g, t->type, v);
        t->has_type = true;
    }
    if (!v) return false;
    const Expr **subs = b.subs.n ? b.subs.at : NEW(s->ctx, const Expr *); /* never NULL */
    *out = (Piece){
        .nvars = b.vars.n, .vars = ordered(s, &b), .subs = subs, .guard = guard, .value = v, .span = p->stmt->span};
    *plain = b.plain;
    return true;
}

/* ---- whole tensors ---- */

static TensorVal *whole_value(Sema *s, Definition *d, const Equation *p) {
    Env env = {d->inst, NULL};
    if (p->stmt->guard) {
        Diag *g =
            SEMA_REPORT(s, MISPLACED_WHERE, p->stmt->guard->span, "where belongs to a definition with subscripts");
        diag_help(s->ctx, g, "write %s[i] = ... where ...;", d->name);
        return NULL;
    }
    bool alias = d->kind == TENSOR_LET && !p->target->type; /* the value itself has the name */
    if (p->part < 0) return sema_tensor(s, env, p->stmt->value, alias ? local_name(s, d) : NULL);
    const AstExpr *call = p->stmt->value;
    if (call->kind == AST_TUPLE && p->part < call->items->v.n && call->items->v.at[p->part].value)
        return sema_tensor(s, env, call->items->v.at[p->part].value, NULL);
    FnRef f;
    bool later = call->kind == AST_CALL && (call->a->kind != AST_NAME || !sema_find_fn(d->inst, call->a->name, &f));
    if (later) return sema_tensor(s, env, call, NULL), NULL; /* says what it is that cannot be called */
    if (call->kind != AST_CALL || call->a->kind != AST_NAME || !sema_find_fn(d->inst, call->a->name, &f) || !f.decl ||
        !sema_is_tensor_fn(f.decl)) {
        if (call->kind != AST_ERROR)
            SEMA_REPORT(s, RESULT_COUNT, call->span, "several names take a call of a function with several results");
        return NULL;
    }
    if (f.decl->results->v.n != p->stmt->targets.n) {
        SEMA_REPORT(s, RESULT_COUNT, call->span, "%s has %d results for %d names", f.decl->name, f.decl->results->v.n,
                    p->stmt->targets.n);
        return NULL;
    }
    Over over = {0};
    Inst *inst = sema_call_inst(s, env, call, NULL, &over);
    return inst ? sema_result(s, inst, &over, p->part, call->span) : NULL;
}

/* t = another tensor, element by element. */
static bool copy_piece(Sema *s, Left *t, const Equation *p, Piece *out) {
    TensorVal *v = whole_value(s, t->d, p);
    if (!v) return false;
    Span span = p->stmt->value->span;
    if (t->has_shape && t->shape.n != v->rank) {
        SEMA_REPORT(s, ARGUMENT_RANK, span, "%s has %d dimensions, the value has %d", t->d->name, t->shape.n, v->rank);
        return false;
    }
    Var **vars = NEW_N(s->ctx, Var *, v->rank + 1);
    const Expr **subs = NEW_N(s->ctx, const Expr *, v->rank + 1);
    for (int i = 0; i < v->rank; i++) {
        const Expr *hi = t->has_shape ? t->shape.at[i] : v->shape[i];
        if (t->has_shape && !known_equal(s->known, hi, v->shape[i])) {
            Diag *d = SEMA_REPORT(s, SHAPE_MISMATCH, span, "dimension %d of %s is %s, the value has %s", i, t->d->name,
                                  sema_show(s, hi), sema_show(s, v->shape[i]));
            if (t->d->param) diag_note(s->ctx, d, t->d->param->span, "declared here");
            return false;
        }
        vars[i] = graph_var(s->g, sym_fmt(s->ctx, "i%d", i), expr_int(s->g, TY_I64, 0), hi);
        subs[i] = expr_var(s->g, vars[i]);
        if (!t->has_shape) vec_push(s->ctx, &t->shape, hi);
    }
    t->has_shape = true;
    const Expr *e = sema_load_vars(s, v, vars);
    e = p->stmt->op == ASSIGN_SET ? sema_store(s, span, t->type, e) : operand(s, t, span, e);
    *out = (Piece){.nvars = v->rank, .vars = vars, .subs = subs, .value = e, .span = p->stmt->span};
    return e != NULL;
}

/* ---- definitions ---- */

static bool scalar_let(Sema *s, Definition *d) {
    const Equation *p = &d->pieces.at[0];
    const Expr *v = sema_expr(s, (Env){d->inst, NULL}, p->stmt->value);
    Type t;
    if (v && p->stmt->guard) return no_guard(s, d, p), false;
    if (v && p->target->type) {
        if (!sema_type(s, d->inst, p->target->type, p->target->type_args, p->target->span, &t)) return false;
        v = type_is_float(t) && type_is_float(v->type) && !v->untyped ? expr_cast(s->g, t, v)
                                                                      : sema_to(s, p->stmt->value->span, t, v);
    }
    d->scalar = v;
    return v != NULL;
}

static bool declared(Sema *s, Left *t) {
    Definition *d = t->d;
    if (d->kind == TENSOR_INOUT) {
        const TensorVal *v = sema_name(d->inst, d->name)->tensor;
        for (int i = 0; i < v->rank; i++) vec_push(s->ctx, &t->shape, v->shape[i]);
        t->type = v->type;
        t->has_shape = t->has_type = true;
        return true;
    }
    if (d->kind == TENSOR_OUTPUT) {
        const AstType *type = d->param->type;
        if (!type || !type->dims) {
            SEMA_REPORT(s, SCALAR_RESULT, d->span, "a result is a tensor: write %s: f32[]", d->name);
            return false;
        }
        t->has_shape = t->has_type = true;
        return sema_type(s, d->inst, type->name, type->args, type->span, &t->type) &&
               sema_shape(s, d->inst, type->dims, &t->shape);
    }
    const AstTarget *a = d->pieces.at[0].target;
    t->has_type = a->type != NULL;
    return !a->type || sema_type(s, d->inst, a->type, a->type_args, a->span, &t->type);
}

static bool is_entry_output(const Definition *d) { return d->kind == TENSOR_OUTPUT && !d->inst->prefix; }

static Tensor *graph_target(Sema *s, const Left *t, const Over *over, bool rounds) {
    Definition *d = t->d;
    if (d->kind == TENSOR_INOUT && !d->fresh) return sema_name(d->inst, d->name)->tensor->t;
    TensorKind kind = is_entry_output(d) && !d->retyped ? TENSOR_OUTPUT : TENSOR_LET;
    Sym name = local_name(s, d);
    if (d->fresh || d->retyped) name = sema_free_name(s, sym_fmt(s->ctx, "%s_%s", name, d->fresh ? "new" : "value"));
    ExprVec shape = {0};
    if (!sema_over_shape(s, over, &t->shape, d->span, &shape)) return NULL;
    Tensor *x = graph_tensor(s->g, name, kind, t->type, shape.n, shape.at);
    x->rounds = rounds;
    x->span = d->span;
    return x;
}

/* to = from, element by element. */
static bool copy_into(Sema *s, Tensor *to, const Tensor *from, Span span) {
    Var **vars = NEW_N(s->ctx, Var *, to->rank + 1);
    const Expr **subs = NEW_N(s->ctx, const Expr *, to->rank + 1);
    for (int i = 0; i < to->rank; i++) {
        vars[i] = graph_var(s->g, sym_fmt(s->ctx, "i%d", i), expr_int(s->g, TY_I64, 0), to->shape[i]);
        subs[i] = expr_var(s->g, vars[i]);
    }
    const Expr *value = sema_store(s, span, to->type, expr_load(s->g, (Tensor *)from, subs));
    Piece p = {.nvars = to->rank, .vars = vars, .subs = subs, .value = value, .span = span};
    vec_push(s->ctx, &to->pieces, p);
    return value != NULL;
}

/* What an export stores of a result in a type of its own is an output beside it. */
bool sema_store_as(Sema *s, Definition *d) {
    if (!d->retyped || !d->val) return true;
    Tensor *x = graph_tensor(s->g, d->name, TENSOR_OUTPUT, d->stored, d->val->rank, d->val->shape);
    x->rounds = true;
    x->span = d->span;
    const Tensor *from = d->val->t;
    d->val = sema_whole(s, x);
    return copy_into(s, x, from, d->span);
}

/* An output that is the result of a call, of the same type and shape, is the tensor that the call defines. */
static bool adopt(Sema *s, Left *t) {
    Definition *d = t->d;
    const Equation *p = &d->pieces.at[0];
    if (d->kind != TENSOR_OUTPUT || d->pieces.n != 1 || p->target->index || p->stmt->op != ASSIGN_SET || p->stmt->guard)
        return false;
    if (p->stmt->value->kind != AST_CALL || d->retyped) return false;
    TensorVal *v = whole_value(s, d, p);
    if (!v || !v->t || v->t->kind != TENSOR_LET || !v->t->rounds || v->type != t->type || v->t->type != t->type)
        return false;
    if (v->nlead && is_entry_output(d)) return false;
    if (v->rank != t->shape.n) return false;
    for (int i = 0; i < v->rank; i++)
        if (!known_equal(s->known, v->shape[i], t->shape.at[i])) return false;
    d->val = v;
    if (!is_entry_output(d)) return true;
    Tensor *x = v->t;
    x->kind = TENSOR_OUTPUT;
    vec_push(s->ctx, &s->g->params, x);
    x->name = d->name;
    x->span = d->span;
    for (int i = 0; i < x->rank; i++) {
        for (int k = 0; k < x->pieces.n; k++) { /* variables that run over the dimension run over its new name */
            Piece *piece = &x->pieces.at[k];
            for (int j = 0; j < piece->nvars; j++)
                if (piece->vars[j]->hi == x->shape[i] && piece->subs[i] == expr_var(s->g, piece->vars[j]))
                    piece->vars[j]->hi = t->shape.at[i];
        }
        x->shape[i] = t->shape.at[i];
    }
    d->val = sema_whole(s, x);
    return true;
}

typedef struct Pieces {
    VEC(Piece) v;
    bool plain; /* one, of the whole tensor */
} Pieces;

static bool build_pieces(Sema *s, Left *t, Pieces *out) {
    const Definition *d = t->d;
    AstAssign *op = NEW_N(s->ctx, AstAssign, d->pieces.n);
    bool ok = true, updates = false;
    for (int i = 0; i < d->pieces.n; i++) {
        const Equation *p = &d->pieces.at[i];
        Piece piece;
        bool plain = true;
        if (p->target->index ? build_piece(s, t, p, &piece, &plain) : copy_piece(s, t, p, &piece))
            vec_push(s->ctx, &out->v, piece);
        else
            ok = false;
        out->plain &= plain && i == 0;
        op[i] = p->stmt->op;
        updates |= op[i] != ASSIGN_SET;
    }
    if (!ok) return false;
    const TensorVal whole = {.type = t->type, .rank = t->shape.n, .shape = t->shape.at};
    if (!updates) return sema_scatter(s, d, &whole, out->v.at, &out->v.n, &out->plain);
    return sema_update(s, d, &whole, out->v.at, op, &out->v.n, &out->plain);
}

/* An inout that is written in part and whose new value is read. */
static bool define_new(Sema *s, Definition *d, Pieces *pieces) {
    Tensor *x = sema_name(d->inst, d->name)->tensor->t;
    for (int i = 0; i < pieces->v.n; i++) vec_push(s->ctx, &x->pieces, pieces->v.at[i]);
    if (!sema_check_pieces(s, d, x)) return false;
    d->val = sema_new_value(s, d, x, x->pieces.at, x->pieces.n);
    return true;
}

/* An inout whose new value is that of the parameter of a call. */
static bool updated_by_call(Sema *s, Definition *d) {
    if (d->pieces.n) {
        Diag *g =
            SEMA_REPORT(s, DEFINED_TWICE, d->pieces.at[0].stmt->span, "%s is defined here and by a call", d->name);
        diag_note(s->ctx, g, d->by_call->span, "the call");
        return false;
    }
    Over over = {0};
    Inst *inst = sema_call_inst(s, (Env){d->inst, NULL}, d->by_call, NULL, &over);
    for (int i = 0; inst && i < inst->defs.n; i++) {
        Definition *x = inst->defs.at[i];
        if (x->kind != TENSOR_INOUT || x->name != d->by_param) continue;
        x->fresh |= d->fresh;
        if (!sema_define_needed(s, x)) return false;
        d->val = x->val ? x->val : sema_name(d->inst, d->name)->tensor;
        return true;
    }
    return false;
}

bool sema_equations(Sema *s, Definition *d) {
    if (d->is_scalar) return scalar_let(s, d);
    if (d->by_call) return updated_by_call(s, d);
    if (d->pieces.n == 0 && d->kind == TENSOR_INOUT) return true; /* it keeps its value */
    if (d->pieces.n == 0) {
        if (d->inst->broken) return false;
        Diag *g = SEMA_REPORT(s, NOT_DEFINED, d->span, "the output %s is not defined", d->name);
        int rank = d->param && d->param->type && d->param->type->dims ? d->param->type->dims->v.n : 0;
        diag_help(s->ctx, g, "give each of its elements a value: %s[%s] = ...;", d->name, sema_index_names(s, rank));
        return false;
    }
    Left t = {.d = d};
    if (!declared(s, &t)) return false;
    if (adopt(s, &t)) return true;
    const Equation *first = &d->pieces.at[0];
    bool rounds = t.has_type;
    if (d->kind == TENSOR_LET && !first->target->index && !t.has_type) { /* another name for the tensor */
        d->val = whole_value(s, d, first);
        return d->val != NULL;
    }
    Pieces pieces = {.plain = true};
    if (!build_pieces(s, &t, &pieces)) return false;
    if (d->kind == TENSOR_INOUT && d->fresh && !pieces.plain) return define_new(s, d, &pieces);
    Over over = over_used(s->g, &d->inst->over, pieces.v.at, pieces.v.n, t.shape.n);
    Tensor *x = graph_target(s, &t, &over, rounds);
    if (!x) return false;
    for (int i = 0; i < pieces.v.n; i++)
        vec_push(s->ctx, &x->pieces, over_piece(s->g, &over, pieces.v.at[i], t.shape.n));
    d->val = sema_over_whole(s, &over, x);
    if (d->kind == TENSOR_INOUT && d->fresh && !copy_into(s, sema_name(d->inst, d->name)->tensor->t, x, d->span))
        return false;
    return pieces.plain || sema_check_pieces(s, d, x);
}
