/* Whole tensors as values: names, slices, and calls of tensor functions, which are inlined: each call binds the
 * function's parameters to its arguments and defines the function's tensors anew, once for each place it stands in. */
#include "frontend/ast/builtins.h"
#include "sema_int.h"

#include <string.h>

static bool sema_widens(Type from, Type to) {
    if (from == to) return true;
    if (type_is_float(from) != type_is_float(to) || from == TY_BOOL || to == TY_BOOL) return false;
    if (type_bits(to) <= type_bits(from)) return false;
    return type_is_float(from) || type_class(from) == CLASS_UINT || type_class(to) == CLASS_SINT;
}

/* ---- arguments ---- */

typedef struct Args {
    Inst *inst;
    Env env; /* the caller's, without index variables */
    const AstDecl *fn;
    const AstExpr **arg;
    const AstExpr *call;
    Sym hint;
    TensorVal **val; /* arguments by parameter: tensors, constants for tensors, scalars */
    const Expr **fill, **scalar;
    bool inlined; /* a function on elements: the arguments stay in the caller's terms */
} Args;

static bool is_literal(const AstExpr *e) {
    if (e->kind == AST_UNARY && e->u.op == OP_NEG) return is_literal(e->a);
    return e->kind == AST_INT || e->kind == AST_FLOAT || e->kind == AST_BOOL;
}

static bool bind_names_given(Sema *s, const Args *a) {
    const AstItems *items = a->call->items;
    bool ok = true;
    for (int i = 0; items && i < items->v.n; i++) {
        const AstItem *it = &items->v.at[i];
        bool known = it->kind != ITEM_NAMED || sema_name(a->inst, it->name);
        for (int k = 0; !known && a->fn->params && k < a->fn->params->v.n; k++)
            known = a->fn->params->v.at[k].name == it->name;
        for (int k = 0; !known && a->fn->generics && k < a->fn->generics->v.n; k++)
            known = a->fn->generics->v.at[k].name == it->name;
        if (known) continue;
        if (it->value->kind == AST_LIST) {
            ExprVec shape = {0};
            Name *n;
            if (!sema_shape(s, a->env.inst, it->value->items, &shape) ||
                !(n = sema_bind(s, a->inst, it->name, NAME_PACK, it->span))) {
                ok = false;
                continue;
            }
            n->pack = shape;
            continue;
        }
        const Expr *e = sema_int(s, (Env){a->env.inst, NULL}, it->value);
        Name *n = e ? sema_bind(s, a->inst, it->name, NAME_VALUE, it->span) : NULL;
        if (n) n->value = e;
        ok &= n != NULL;
    }
    return ok;
}

static bool is_int(const AstParam *p) { return p->type && !strcmp(p->type->name, "int"); }

static bool eval_args(Sema *s, Args *a) {
    bool ok = true;
    for (int i = 0; a->fn->params && i < a->fn->params->v.n; i++) {
        const AstParam *p = &a->fn->params->v.at[i];
        const AstExpr *e = a->arg[i] ? a->arg[i] : p->def;
        if (!p->type || !p->type->dims) {
            if (a->arg[i]) ok &= (a->scalar[i] = is_int(p) ? sema_int(s, a->env, e) : sema_expr(s, a->env, e)) != NULL;
            continue;
        }
        if (p->is_inout && !sema_inout_argument(s, a->env.inst, p, e, a->call)) return false;
        if (is_literal(e)) {
            if (!(a->fill[i] = sema_expr(s, a->env, e))) ok = false;
            continue;
        }
        if (!(a->val[i] = sema_tensor(s, a->env, e, sema_free_name(s, sym_fmt(s->ctx, "%s_%s", a->hint, p->name)))))
            ok = false;
    }
    return ok;
}

/* A generic type that is not given is the widest of the arguments whose parameters have it. */
static bool infer_types(Sema *s, Args *a) {
    for (int g = 0; a->fn->generics && g < a->fn->generics->v.n; g++) {
        const AstGeneric *gen = &a->fn->generics->v.at[g];
        if (gen->kind != GENERIC_TYPE || sema_name(a->inst, gen->name)) continue;
        bool found = false;
        Type t = TY_F32;
        for (int i = 0; a->fn->params && i < a->fn->params->v.n; i++) {
            const AstType *type = a->fn->params->v.at[i].type;
            if (!type || type->name != gen->name || type->args || !a->val[i]) continue;
            if (!found || sema_widens(t, a->val[i]->type)) t = a->val[i]->type;
            found = true;
        }
        for (int i = 0; !found && a->fn->params && i < a->fn->params->v.n; i++) {
            const AstType *type = a->fn->params->v.at[i].type;
            if (!type || type->name != gen->name || type->args || !a->scalar[i] || a->scalar[i]->untyped) continue;
            t = a->scalar[i]->type;
            found = true;
        }
        if (!found && gen->def) {
            Sym name = gen->def->kind == AST_NAME ? gen->def->name : sym(s->ctx, "f32");
            if (!sema_type(s, a->inst, name, NULL, gen->def->span, &t)) return false;
        } else if (!found) {
            SEMA_REPORT(s, UNKNOWN_GENERIC, a->call->span, "the type %s of %s cannot be found from the arguments",
                        gen->name, a->fn->name);
            return false;
        }
        Name *n = sema_bind(s, a->inst, gen->name, NAME_TYPE, gen->span);
        if (!n) return false;
        n->type = t;
    }
    return true;
}

static bool bind_scalar(Sema *s, Args *a, int i) {
    const AstParam *p = &a->fn->params->v.at[i];
    const AstExpr *e = a->arg[i] ? a->arg[i] : p->def;
    Env own = {a->inst, NULL};
    Type t;
    const Expr *v = a->arg[i]   ? over_inside(s->g, &a->inst->over, a->scalar[i])
                    : is_int(p) ? sema_int(s, own, e)
                                : sema_expr(s, own, e);
    if (v && p->type && !is_int(p))
        v = sema_type(s, a->inst, p->type->name, p->type->args, p->type->span, &t) ? sema_to(s, e->span, t, v) : NULL;
    if (!v) return false;
    if (is_int(p) && sema_name(a->inst, p->name)) return true;
    Name *n = sema_bind(s, a->inst, p->name, NAME_VALUE, p->name_span);
    if (n) n->value = v;
    return n != NULL;
}

/* The leading subscripts of an argument, in the instance's terms; they must be in range for all values of its
 * variables, not only under the conditions around the call. */
static bool lead_inside(Sema *s, const Args *a, TensorVal *v, const AstExpr *e) {
    if (a->inst->over.vars.n == 0 || v->nlead == 0) return true;
    const Expr **lead = NEW_N(s->ctx, const Expr *, v->nlead + 1);
    for (int i = 0; i < v->nlead; i++) {
        lead[i] = over_inside(s->g, &a->inst->over, v->lead[i]);
        const SubPlace at = {.span = e->span,
                             .load = e,
                             .name = v->t->name,
                             .type = v->type,
                             .extent = v->t->shape[i],
                             .axis = i,
                             .declared = v->t->span};
        if (!sema_check_sub(s, &lead[i], &at)) return false;
    }
    v->lead = lead;
    return true;
}

static bool bind_tensor(Sema *s, Args *a, int i) {
    const AstParam *p = &a->fn->params->v.at[i];
    const AstExpr *e = a->arg[i] ? a->arg[i] : p->def;
    Type t;
    if (!sema_type(s, a->inst, p->type->name, p->type->args, p->type->span, &t)) return false;
    TensorVal *v = NEW(s->ctx, TensorVal);
    if (a->val[i]) {
        *v = *a->val[i];
        if (!lead_inside(s, a, v, e)) return false;
        if (p->is_inout ? v->type != t : !sema_widens(v->type, t)) {
            Diag *d = SEMA_REPORT(s, NARROWING, e->span, "%s is %s[...], the argument is %s[...]", p->name,
                                  type_name(t), type_name(v->type));
            diag_note(s->ctx, d, p->span, "declared here");
            if (!p->is_inout)
                diag_help(s->ctx, d, "convert it first, let t[%s] = %s(%s[...]); and pass t",
                          v->rank == 1 ? "i" : "i, ...", type_name(t), sema_quote(s, e->span));
            return false;
        }
    } else {
        ExprVec shape = {0};
        const Expr *fill = sema_store(s, e->span, t, a->fill[i]);
        if (!fill || !sema_shape(s, a->inst, p->type->dims, &shape)) return false;
        *v = (TensorVal){.fill = expr_cast(s->g, t, fill), .rank = shape.n, .shape = shape.at};
    }
    v->type = t;
    Name *n = sema_bind(s, a->inst, p->name, NAME_TENSOR, p->name_span);
    if (n) n->tensor = v;
    return n != NULL;
}

static bool bind_args(Sema *s, Args *a) {
    int n = a->fn->params ? a->fn->params->v.n : 0;
    Unify u = {.inst = a->inst, .call = a->call->span};
    bool ok = true;
    for (int i = 0; i < n; i++)
        if (is_int(&a->fn->params->v.at[i])) ok &= bind_scalar(s, a, i);
    for (int i = 0; i < n && ok; i++) {
        const AstParam *p = &a->fn->params->v.at[i];
        if (a->val[i]) ok &= sema_unify_add(s, &u, p->type, a->val[i], a->arg[i]->span, p->name);
    }
    if (!ok || !sema_unify(s, &u) || !infer_types(s, a)) return false;
    for (int i = 0; i < n; i++) {
        const AstParam *p = &a->fn->params->v.at[i];
        if (p->type && p->type->dims)
            ok &= bind_tensor(s, a, i);
        else if (!is_int(p))
            ok &= bind_scalar(s, a, i);
    }
    return ok;
}

/* ---- calls ---- */

static bool results_known(Sema *s, Inst *inst, Span call) {
    for (int i = 0; i < inst->fn->results->v.n; i++) {
        const AstType *t = inst->fn->results->v.at[i].type;
        const AstExpr *one = t && t->dims ? sema_unknown_dim(inst, t->dims) : NULL;
        if (!one) continue;
        Diag *d =
            SEMA_REPORT(s, UNBOUND_DIM, call, "%s of %s does not follow from the arguments", one->name, inst->fn->name);
        diag_note(s->ctx, d, one->span, "it is used here");
        diag_help(s->ctx, d, "give it by name: %s = ...", one->name);
        return false;
    }
    return true;
}

static bool args_of(Sema *s, Args *a, Env env, const AstExpr *call, FnRef f) {
    int n = f.decl->params ? f.decl->params->v.n : 0;
    *a = (Args){.env = env, .fn = f.decl, .call = call, .hint = a->hint, .inlined = a->inlined};
    a->arg = NEW_N(s->ctx, const AstExpr *, n + 1);
    a->val = NEW_N(s->ctx, TensorVal *, n + 1);
    a->fill = NEW_N(s->ctx, const Expr *, n + 1);
    a->scalar = NEW_N(s->ctx, const Expr *, n + 1);
    return sema_match_args(s, f.decl, call->items, call->span, a->arg) && eval_args(s, a);
}

/* The expressions of the arguments, in the caller's terms. */
static void given_exprs(Sema *s, const Args *a, ExprVec *out) {
    int n = a->fn->params ? a->fn->params->v.n : 0;
    for (int i = 0; i < n; i++) {
        if (a->scalar[i]) vec_push(s->ctx, out, a->scalar[i]);
        if (a->fill[i]) vec_push(s->ctx, out, a->fill[i]);
        for (int k = 0; a->val[i] && k < a->val[i]->nlead; k++) vec_push(s->ctx, out, a->val[i]->lead[k]);
        if (a->val[i] && a->val[i]->fill) vec_push(s->ctx, out, a->val[i]->fill);
    }
}

static bool may_depend(Sema *s, const Args *a) {
    for (int i = 0; a->fn->params && i < a->fn->params->v.n; i++)
        if (a->fn->params->v.at[i].is_inout) {
            SEMA_REPORT(s, NOT_ASSIGNABLE, a->call->span, "a call that updates %s cannot depend on index variables",
                        a->fn->params->v.at[i].name);
            return false;
        }
    return true;
}

static Inst *new_call(Sema *s, Args *a, FnRef f, const Over *over) {
    Env env = {a->env.inst, NULL};
    Inst *inst = a->inst = sema_inst_new(s, f, env.inst, a->call->span);
    if (!inst) return NULL;
    inst->prefix = a->hint;
    inst->over = *over;
    for (int i = 0; a->fn->params && i < a->fn->params->v.n; i++) {
        if (a->val[i])
            sema_given(s, inst, a->arg[i] ? a->arg[i]->span : a->call->span, a->val[i]->type, a->val[i]->rank);
        if (a->scalar[i] && !a->scalar[i]->untyped && !is_int(&a->fn->params->v.at[i]))
            sema_given(s, inst, a->arg[i]->span, a->scalar[i]->type, -1);
    }
    const Inst *outer = s->inst;
    s->inst = inst;
    bool ok = sema_bind_generics(s, inst, a->call->items, env, false) && bind_names_given(s, a) && bind_args(s, a);
    if (!a->inlined) ok = ok && results_known(s, inst, a->call->span) && sema_collect(s, inst) && sema_facts(s, inst);
    s->inst = outer;
    return ok ? inst : NULL;
}

static void hint_names(Sema *s, Env env, Sym *hint, Sym callee) {
    if (!*hint)
        *hint = sema_free_name(s, env.inst->prefix ? sym_fmt(s->ctx, "%s_%s", env.inst->prefix, callee) : callee);
}

static void remember(Sema *s, Inst *caller, const AstExpr *call, Inst *inst, ExprVec given) {
    CallMemo *m = NEW(s->ctx, CallMemo);
    *m = (CallMemo){inst, given, expr_map_get(&caller->calls, call)};
    expr_map_put(s->ctx, &caller->calls, call, m);
}

/* The instance of the same call whose arguments were the same but for the names of index variables. */
static Inst *same_call(Sema *s, const Inst *caller, const AstExpr *call, const ExprVec *given, Over *over) {
    for (const CallMemo *m = expr_map_get(&caller->calls, call); m; m = m->other) {
        if (!m->inst || m->given.n != given->n || !over_same(&m->inst->over, over)) continue;
        const ExprVec *outer = &m->inst->over.outer;
        bool same = true;
        for (int k = 0; same && k < given->n; k++)
            same = m->given.at[k] == expr_replace(s->g, given->at[k], over->outer.at, outer->at, outer->n);
        if (!same) continue;
        Over back = m->inst->over;
        back.outer = over->outer;
        back.back = over->back;
        *over = back;
        return m->inst;
    }
    return NULL;
}

static Inst *find_call(Sema *s, Env env, const AstExpr *call, Sym hint, Over *over) {
    FnRef f;
    Args a = {.hint = hint};
    ExprVec given = {0};
    if (!sema_find_fn(env.inst, call->a->name, &f) || !f.decl) {
        SEMA_REPORT(s, UNKNOWN_FUNCTION, call->a->span, "%s is no function on tensors", call->a->name);
        return NULL;
    }
    if (f.decl->is_extern) return sema_not_yet(s, call->span, "an extern function");
    if (!args_of(s, &a, env, call, f)) return NULL;
    given_exprs(s, &a, &given);
    for (int i = 0; i < given.n; i++)
        if (!sema_over_add(s, over, given.at[i], call->span)) return NULL;
    if (over->vars.n == 0) given = (ExprVec){0};
    if (over->vars.n && !may_depend(s, &a)) return NULL;
    Inst *inst = over->vars.n ? same_call(s, env.inst, call, &given, over) : NULL;
    if (inst) return inst;
    inst = new_call(s, &a, f, over);
    if (inst) remember(s, env.inst, call, inst, given);
    return inst;
}

Inst *sema_call_inst(Sema *s, Env env, const AstExpr *call, Sym hint, Over *over) {
    const CallMemo *known = expr_map_get(&env.inst->calls, call);
    if (known && !known->inst) return NULL; /* it was refused before */
    if (known && !known->given.n) {
        *over = known->inst->over;
        return known->inst;
    }
    hint_names(s, env, &hint, call->a->name);
    ExprVec path = s->known->path;
    s->known->path = (ExprVec){0};
    Inst *inst = find_call(s, env, call, hint, over);
    s->known->path = path;
    if (!inst) remember(s, env.inst, call, NULL, (ExprVec){0});
    return inst;
}

Inst *sema_bind_call(Sema *s, Env env, const AstExpr *call, FnRef f) {
    Args a = {.hint = NULL, .inlined = true};
    hint_names(s, env, &a.hint, call->a->name);
    return args_of(s, &a, env, call, f) ? new_call(s, &a, f, &(Over){0}) : NULL;
}

TensorVal *sema_result(Sema *s, Inst *inst, const Over *over, int k, Span span) {
    int at = 0, results = inst->fn->results->v.n;
    for (int i = 0; i < inst->defs.n; i++) {
        Definition *d = inst->defs.at[i];
        if (d->kind != TENSOR_OUTPUT || at++ != k) continue;
        return sema_define_needed(s, d) ? sema_over_value(s, over, d->val) : NULL;
    }
    SEMA_REPORT(s, RESULT_COUNT, span, "%s has %d results", inst->fn->name, results);
    return NULL;
}

/* ---- values ---- */

static TensorVal *named_tensor(Sema *s, Env env, const AstExpr *e) {
    const Scope *sc = sema_scope_find(env.scope, e->name);
    if (sc) {
        if (sc->kind == SCOPE_CLOSURE && sc->ast->kind == AST_NAME) return sema_tensor(s, sc->env, sc->ast, NULL);
        SEMA_REPORT(s, NOT_A_VALUE, e->span, "%s is %s here, not a tensor", e->name,
                    sc->kind == SCOPE_VARS ? "an index variable" : "one element");
        return NULL;
    }
    Name *n = sema_name(env.inst, e->name);
    if (!n) {
        sema_unknown(s, env, e->name, e->span);
        return NULL;
    }
    if (n->kind == NAME_TENSOR) return n->tensor;
    if (n->kind == NAME_DEF) {
        if (!n->def->is_scalar) return sema_define(s, n->def) ? n->def->val : NULL;
        if (n->def->state == DEF_FAILED) return NULL;
        SEMA_REPORT(s, ELEMENT_FOR_TENSOR, e->span, "%s is one element, not a tensor", e->name);
        return NULL;
    }
    SEMA_REPORT(s, NOT_A_VALUE, e->span, "%s is not a tensor", e->name);
    return NULL;
}

static TensorVal *new_value(Sema *s, Env env, const AstExpr *e) {
    const AstItems *it = e->items;
    if (it->v.n != 1 || it->v.at[0].kind != ITEM_EXPR || it->v.at[0].value->kind != AST_NAME) {
        SEMA_REPORT(s, ARGUMENTS, e->span, "new takes the name of an inout parameter");
        return NULL;
    }
    Sym name = it->v.at[0].value->name;
    for (int i = 0; i < env.inst->defs.n; i++) {
        Definition *d = env.inst->defs.at[i];
        if (d->kind != TENSOR_INOUT || d->name != name) continue;
        if (d->pieces.n == 0 && !d->by_call) return sema_name(env.inst, name)->tensor;
        return sema_define(s, d) ? d->val : NULL;
    }
    SEMA_REPORT(s, NOT_ASSIGNABLE, e->span, "%s is no inout parameter that is defined here", name);
    return NULL;
}

static TensorVal *slice(Sema *s, Env env, const AstExpr *e) {
    TensorVal *base = sema_tensor(s, env, e->a, NULL);
    if (!base) return NULL;
    ExprVec subs = {0};
    bool rest = false;
    if (!sema_subs(s, env, e->items, base, &subs, &rest)) return NULL;
    if (!rest) {
        Diag *d = SEMA_REPORT(s, ELEMENT_FOR_TENSOR, e->span, "one element stands where a tensor is needed");
        if (e->a->kind == AST_NAME)
            diag_help(s->ctx, d, "name the whole tensor, %s, or a slice of it, %s[%s...]", e->a->name, e->a->name,
                      base->rank > 1 ? "i, " : "");
        return NULL;
    }
    for (int i = 0; i < subs.n; i++)
        if (!sema_check_sub(s, &subs.at[i],
                            &(SubPlace){.span = e->items->v.at[i].span,
                                        .extent = base->shape[i],
                                        .load = e,
                                        .name = e->a->kind == AST_NAME ? e->a->name : NULL,
                                        .type = base->type,
                                        .axis = i,
                                        .declared = base->t ? base->t->span : SPAN_NONE}))
            return NULL;
    TensorVal *v = NEW(s->ctx, TensorVal);
    *v = *base;
    v->nlead = base->nlead + subs.n;
    v->lead = NEW_N(s->ctx, const Expr *, v->nlead + 1);
    if (base->nlead) memcpy(v->lead, base->lead, sizeof(Expr *) * (size_t)base->nlead);
    if (subs.n) memcpy(v->lead + base->nlead, subs.at, sizeof(Expr *) * (size_t)subs.n);
    v->rank = base->rank - subs.n;
    v->shape = base->shape + subs.n;
    return v;
}

static bool is_new(Env env, const AstExpr *e) {
    return e->kind == AST_CALL && e->a->kind == AST_NAME && builtin_by_name(e->a->name) == BUILTIN_NEW &&
           !sema_name(env.inst, e->a->name);
}

TensorVal *sema_tensor(Sema *s, Env env, const AstExpr *e, Sym hint) {
    switch (e->kind) {
    case AST_ERROR: return NULL;
    case AST_NAME: return named_tensor(s, env, e);
    case AST_INDEX: return slice(s, env, e);
    case AST_CALL: break;
    case AST_IF: {
        const Expr *c = sema_cond(s, (Env){env.inst, NULL}, e->a);
        int64_t v;
        if (!c) return NULL;
        if (sema_const_int(c, &v)) return sema_tensor(s, env, v ? e->b : e->c, hint);
        SEMA_REPORT(s, NOT_CONSTANT, e->a->span, "which of two whole tensors is meant must be known when compiling");
        return NULL;
    }
    default: sema_no_whole(s, env, e); return NULL;
    }
    if (is_new(env, e)) return new_value(s, env, e);
    FnRef f;
    if (e->a->kind != AST_NAME) return sema_not_called(s, e);
    if (!sema_find_fn(env.inst, e->a->name, &f)) {
        Sym name = e->a->name;
        if (builtin_is_later(builtin_by_name(name))) return sema_not_yet(s, e->span, name);
        if (builtin_is_reduction(name)) return sema_no_axis(s, env, e, name, s->defining), NULL;
        f = (FnRef){.builtin = e->a->name};
        if (!builtin_is_function(e->a->name)) {
            sema_unknown_function(s, env, e->a->name, e->a->span);
            return NULL;
        }
    }
    if (!f.decl || !sema_is_tensor_fn(f.decl)) {
        Diag *d = SEMA_REPORT(s, ELEMENT_FOR_TENSOR, e->span, "%s gives one element, not a tensor", e->a->name);
        diag_help(s->ctx, d, "apply it to elements: %s[i] = %s(x[i]);", s->defining ? s->defining : "t", e->a->name);
        return NULL;
    }
    Over over = {0};
    Inst *inst = sema_call_inst(s, env, e, hint, &over);
    if (!inst) return NULL;
    if (inst->fn->results->v.n != 1) {
        Diag *d = SEMA_REPORT(s, RESULT_COUNT, e->span, "%s has %d results", inst->fn->name, inst->fn->results->v.n);
        diag_help(s->ctx, d, "take them apart: let (a, _) = %s(...);", inst->fn->name);
        return NULL;
    }
    return sema_result(s, inst, &over, 0, e->span);
}
