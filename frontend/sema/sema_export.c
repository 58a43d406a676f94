/* An export: a function with its parameters bound as the entry point of a Graph. Calls are in sema_tensor.c. */
#include "sema_int.h"

#include <string.h>

/* ---- the parameters of an export ---- */

static bool bind_list(Sema *s, Inst *inst, Inst *outer, const AstItem *it) {
    Name *n = sema_bind(s, inst, it->name, NAME_PACK, it->span);
    if (!n) return false;
    int at = (int)(n - inst->names.at);
    bool ok = true;
    for (int i = 0; i < it->value->items->v.n && ok; i++) {
        AstItems one = {0};
        vec_push(s->ctx, &one.v, it->value->items->v.at[i]);
        ExprVec shape = {0};
        ok = sema_declare_dims(s, outer, &one) && sema_shape(s, outer, &one, &shape);
        for (int k = 0; ok && k < shape.n; k++) vec_push(s->ctx, &inst->names.at[at].pack, shape.at[k]);
    }
    return ok;
}

static bool is_int(const AstParam *p) { return p->type && !p->type->dims && !strcmp(p->type->name, "int"); }

/* N = 2*K in an instance: of outer, where new names become dimensions of the entry, a length or an `int` parameter. */
static const Expr *given_dim(Sema *s, Inst *outer, const AstItem *it, bool is_length) {
    AstItems one = {0};
    vec_push(s->ctx, &one.v, ((AstItem){.kind = ITEM_EXPR, .value = it->value, .span = it->span}));
    ExprVec shape = {0};
    if (!sema_declare_dims(s, outer, &one)) return NULL;
    if (!is_length) return sema_int(s, (Env){outer, NULL}, it->value); /* it may be negative */
    return sema_shape(s, outer, &one, &shape) ? shape.at[0] : NULL;
}

/* In g = f(N = 2*K), K would be the entry's dimension and not the one of that name in f's header. */
static bool check_outer_names(Sema *s, Inst *inst, const Inst *outer) {
    bool ok = true;
    for (int i = 0; i < outer->names.n; i++) {
        const Name *n = &outer->names.at[i];
        int k = sema_param_index(inst->fn, n->name);
        bool names_dim = sema_names_dim(inst->fn, n->name) || (k >= 0 && is_int(&inst->fn->params->v.at[k]));
        if (!names_dim || sema_name(inst, n->name)) continue;
        Diag *d = SEMA_REPORT(s, DUPLICATE_NAME, n->span, "%s is also a dimension of %s: choose another name", n->name,
                              inst->fn->name);
        diag_help(s->ctx, d, "or say that it is the same: %s = %s", n->name, n->name);
        ok = false;
    }
    return ok;
}

/* B = [M, 4], N = 4096 and, for an `int` parameter, T = 8 in an instance; new names become dimensions of the entry.
 * Before the parameters are bound, since their shapes may use any of them. */
static bool bind_dims_by_name(Sema *s, Inst *inst, const AstItems *args) {
    Inst *outer = sema_inst_new(s, (FnRef){.file = s->root, .decl = inst->fn}, NULL, inst->fn->span);
    bool ok = true;
    for (int i = 0; args && i < args->v.n; i++) {
        const AstItem *it = &args->v.at[i];
        int k = it->kind == ITEM_NAMED ? sema_param_index(inst->fn, it->name) : -1;
        if (it->kind != ITEM_NAMED || sema_is_generic(inst->fn, it->name)) continue;
        if (k >= 0 && !is_int(&inst->fn->params->v.at[k])) continue;
        if (it->value->kind == AST_LIST && k < 0) {
            ok &= bind_list(s, inst, outer, it);
            continue;
        }
        const Expr *e = given_dim(s, outer, it, k < 0);
        Name *n = e ? sema_bind(s, inst, it->name, NAME_VALUE, it->span) : NULL;
        if (n) n->value = e;
        ok &= n && sema_constrain_dim(s, inst, it->name, e);
    }
    return ok && check_outer_names(s, inst, outer);
}

static bool export_scalar(Sema *s, Inst *inst, const AstParam *p, const AstExpr *given) {
    Type t;
    if (!sema_type(s, inst, p->type->name, p->type->args, p->type->span, &t)) return false;
    const Expr *def = NULL;
    double v = 0;
    const AstExpr *from = given ? given : p->def;
    if (from) {
        const Expr *e = sema_expr(s, (Env){inst, NULL}, from);
        if (!e || !(def = sema_store(s, from->span, t, e))) return false;
        if (!sema_const_double(e, &v)) {
            SEMA_REPORT(s, NOT_CONSTANT, from->span, "a default is a constant");
            return false;
        }
    }
    Name *n = sema_bind(s, inst, p->name, NAME_VALUE, p->name_span);
    if (!n) return false;
    if (given) {
        n->value = def;
        return true;
    }
    Scalar *x = graph_scalar(s->g, p->name, t);
    x->span = p->span;
    x->has_default = from != NULL;
    x->def = v;
    n->value = expr_scalar(s->g, x);
    return true;
}

static bool export_tensor(Sema *s, Inst *inst, const AstParam *p, const AstExpr *given) {
    Type t;
    ExprVec shape = {0};
    if (!sema_type(s, inst, p->type->name, p->type->args, p->type->span, &t)) return false;
    if (!sema_declare_dims(s, inst, p->type->dims) || !sema_shape(s, inst, p->type->dims, &shape)) return false;
    Name *n = sema_bind(s, inst, p->name, NAME_TENSOR, p->name_span);
    if (!n) return false;
    if (given) {
        const Expr *fill = sema_expr(s, (Env){inst, NULL}, given);
        if (fill) fill = sema_store(s, given->span, t, fill);
        if (!fill) return false;
        n->tensor = NEW(s->ctx, TensorVal);
        *n->tensor = (TensorVal){.fill = expr_cast(s->g, t, fill), .type = t, .rank = shape.n, .shape = shape.at};
        return true;
    }
    if (p->def && !sema_expr(s, (Env){inst, NULL}, p->def)) return false;
    Tensor *x = graph_tensor(s->g, p->name, p->is_inout ? TENSOR_INOUT : TENSOR_INPUT, t, shape.n, shape.at);
    x->span = p->span;
    n->tensor = sema_whole(s, x);
    return true;
}

static bool export_dim_default(Sema *s, Inst *inst, const AstParam *p) {
    const Expr *e = p->def ? sema_int(s, (Env){inst, NULL}, p->def) : NULL;
    Dim *d = graph_dim(s->g, p->name);
    if (!p->def) return true;
    if (!e) return false;
    d->has_default = sema_const_int(e, &d->def);
    if (d->has_default && d->def >= d->lo && d->def <= d->hi && d->def % d->divisor == 0) return true;
    SEMA_REPORT(s, NOT_CONSTANT, p->def->span, "a dimension's default is one of its values");
    return false;
}

static bool export_param(Sema *s, Inst *inst, const AstParam *p, const AstExpr *given) {
    if (!p->type) {
        Diag *d = SEMA_REPORT(s, UNTYPED_PARAMETER, p->span, "a parameter of an export needs a type");
        diag_help(s->ctx, d, "%s: f32[N]", p->name);
        return false;
    }
    if (p->type->dims) return export_tensor(s, inst, p, given);
    if (p->is_inout) {
        SEMA_REPORT(s, SCALAR_INOUT, p->span, "a scalar is passed by value: an inout is a tensor, %s[] at least",
                    p->type->name);
        return false;
    }
    if (!is_int(p)) return export_scalar(s, inst, p, given);
    if (sema_name(inst, p->name)) return given || export_dim_default(s, inst, p); /* given, or a shape before used it */
    return sema_new_dim(s, inst, p->name, p->name_span) && export_dim_default(s, inst, p);
}

/* f(T = f32, B = [M]) of the function's own names. */
static void help_instance(Sema *s, Diag *d, const AstDecl *fn) {
    Text t = {.ctx = s->ctx};
    for (int i = 0; fn->generics && i < fn->generics->v.n; i++) {
        const AstGeneric *g = &fn->generics->v.at[i];
        if (!g->def) text_fmt(&t, "%s%s = %s", t.n ? ", " : "", g->name, g->kind == GENERIC_TYPE ? "f32" : "1");
    }
    for (int i = 0; fn->params && i < fn->params->v.n && !strstr(t.s ? t.s : "", "["); i++) {
        const AstType *type = fn->params->v.at[i].type;
        for (int k = 0; type && type->dims && k < type->dims->v.n; k++)
            if (type->dims->v.at[k].kind == ITEM_PACK)
                text_fmt(&t, "%s%s = [M]", t.n ? ", " : "", type->dims->v.at[k].name);
    }
    diag_help(s->ctx, d, "write %s(%s)", fn->name, t.n ? t.s : "...");
}

static bool export_params(Sema *s, Inst *inst, const AstItems *args) {
    const AstDecl *fn = inst->fn;
    bool ok = true;
    for (int i = 0; args && i < args->v.n; i++) {
        const AstItem *it = &args->v.at[i];
        if (it->kind != ITEM_NAMED) {
            Diag *d = SEMA_REPORT(s, POSITIONAL_INSTANCE, it->span, "an instance gives its parameters by name");
            help_instance(s, d, fn);
            return false;
        }
        if (sema_param_index(fn, it->name) < 0 && !sema_is_generic(fn, it->name) && !sema_names_dim(fn, it->name)) {
            sema_bad_argument(s, fn, it);
            return false;
        }
    }
    Inst *outer = sema_inst_new(s, (FnRef){.file = s->root, .decl = fn}, NULL, fn->span);
    ok &= sema_bind_generics(s, inst, args, (Env){outer, NULL}, true);
    ok = ok && bind_dims_by_name(s, inst, args);
    for (int i = 0; ok && fn->params && i < fn->params->v.n; i++) {
        const AstParam *p = &fn->params->v.at[i];
        ok &= export_param(s, inst, p, sema_named_arg(args, p->name));
    }
    for (int i = 0; ok && fn->results && i < fn->results->v.n; i++) {
        const AstParam *p = &fn->results->v.at[i];
        if (!p->type || !p->type->dims) {
            SEMA_REPORT(s, SCALAR_RESULT, p->span, "a result is a tensor: write %s: f32[]", p->name);
            ok = false;
        } else {
            ok &= sema_declare_dims(s, inst, p->type->dims);
        }
    }
    return ok;
}

/* ---- an export ---- */

/* Definitions that nothing needed are elaborated for their errors alone. */
static void check_unused(Sema *s, Inst *inst) {
    for (int i = 0; i < inst->defs.n; i++) {
        Definition *d = inst->defs.at[i];
        if (d->state != DEF_NEW) continue;
        int tensors = s->g->tensors.n, facts = s->g->facts.n;
        sema_define(s, d);
        s->g->tensors.n = tensors;
        s->g->facts.n = facts;
        s->lifted.n = 0;
        if (d->name[0] != '_') SEMA_REPORT(s, UNUSED_LET, d->span, "%s is never used", d->name);
    }
}

/* Of constant dimensions; symbolic ones are checked when the entry is called. */
static void check_sizes(Sema *s, const Graph *g) {
    const int64_t most = (int64_t)1 << 57;
    for (int i = 0; i < g->tensors.n; i++) {
        const Tensor *t = g->tensors.at[i];
        int64_t size = 1, n;
        bool large = false, empty = false;
        for (int d = 0; d < t->rank; d++) {
            if (!sema_const_int(t->shape[d], &n)) continue;
            empty |= n == 0;
            large |= !mul_ok(size, n ? n : 1, &size) || size > most;
        }
        if (large && !empty)
            SEMA_REPORT(s, LIMIT, t->span.file < 0 ? g->span : t->span, "%s has more than 2^57 elements", t->name);
    }
}

/* A function on elements becomes a function of the host: one value of its scalars. */
static bool export_host(Sema *s, Inst *inst) {
    const AstDecl *fn = inst->fn;
    for (int i = 0; fn->params && i < fn->params->v.n; i++) {
        const AstParam *p = &fn->params->v.at[i];
        if (!p->type || !p->type->dims) continue;
        Diag *d = SEMA_REPORT(s, EXPORT_NOT_CONCRETE, p->span, "a function of the host takes no tensors");
        Sym result = sym(s->ctx, "y");
        for (int k = 0; fn->body && k < fn->body->v.n; k++)
            if (fn->body->v.at[k]->kind == STMT_DEF) result = fn->body->v.at[k]->targets.at[0].name;
        diag_help(s->ctx, d, "a function on tensors names its results: -> (%s: %s)", result,
                  sema_quote(s, p->type->span));
        return false;
    }
    const Expr *v = sema_fn_value(s, (Env){inst, NULL});
    if (!v) return false;
    v = expr_settle(s->g, v);
    if (v->reduces || s->g->tensors.n) {
        Diag *d = SEMA_REPORT(s, MISPLACED, fn->name_span, "a function of the host has no reductions");
        diag_help(s->ctx, d, "to compute on the device name the result: -> (y: f32[])");
        return false;
    }
    Tensor *t = graph_tensor(s->g, sym(s->ctx, "value"), TENSOR_OUTPUT, v->type, 0, NULL);
    t->span = fn->span;
    Piece p = {.vars = NEW(s->ctx, Var *),
               .subs = NEW(s->ctx, const Expr *),
               .value = expr_cast(s->g, type_acc(v->type), v),
               .span = fn->span};
    vec_push(s->ctx, &t->pieces, p);
    s->g->host = true;
    return true;
}

/* Outputs are parameters in the order of the header, whatever the order in which they were worked out. */
static void order_outputs(Sema *s, const Inst *inst) {
    Graph *g = s->g;
    int kept = 0;
    for (int i = 0; i < g->params.n; i++)
        if (g->params.at[i]->kind != TENSOR_OUTPUT) g->params.at[kept++] = g->params.at[i];
    g->params.n = kept;
    for (int i = 0; i < inst->defs.n; i++) /* results first, as sema_collect found them in the header */
        if (inst->defs.at[i]->kind == TENSOR_OUTPUT && inst->defs.at[i]->val)
            vec_push(s->ctx, &g->params, inst->defs.at[i]->val->t);
}

static void export_defs(Sema *s, Inst *inst) {
    for (int i = 0; i < inst->defs.n; i++)
        if (inst->defs.at[i]->kind != TENSOR_LET) sema_define_needed(s, inst->defs.at[i]);
    for (int i = 0; i < inst->defs.n; i++) sema_store_as(s, inst->defs.at[i]);
    order_outputs(s, inst);
    check_unused(s, inst);
}

typedef struct DimOrder {
    Ctx *ctx;
    VEC(Dim *) found;
} DimOrder;

static Found note_dim(const Expr *e, void *order) {
    DimOrder *o = order;
    if (e->op == OP_DIM) vec_push(o->ctx, &o->found, e->u.dim);
    return FOUND_INSIDE;
}

/* Dimensions are arguments in the order in which the header first names them, with what an instance gives written
 * in. */
static void order_dims(Sema *s, Inst *inst) {
    Graph *g = s->g;
    const AstDecl *fn = inst->fn;
    DimOrder o = {.ctx = s->ctx};
    ExprWalk w = {.temp = s->ctx, .before = note_dim, .user = &o};
    for (int i = 0; fn->params && i < fn->params->v.n; i++) {
        const Name *n = sema_name(inst, fn->params->v.at[i].name);
        const TensorVal *t = n && n->kind == NAME_TENSOR ? n->tensor : NULL;
        for (int d = 0; t && d < t->rank; d++) expr_walk(&w, t->shape[d]);
        if (n && n->kind == NAME_VALUE && n->value) expr_walk(&w, n->value);
    }
    for (int i = 0; i < g->params.n; i++)
        for (int d = 0; d < g->params.at[i]->rank; d++) expr_walk(&w, g->params.at[i]->shape[d]);
    for (int i = 0; i < g->dims.n; i++) expr_walk(&w, expr_dim(g, g->dims.at[i])); /* given, and in no shape */
    for (int i = 0; i < o.found.n; i++) {
        g->dims.at[i] = o.found.at[i];
        g->dims.at[i]->id = i;
    }
}

Graph *sema_export(Sema *s, FileScope *file, const AstDecl *fn, const AstDecl *export_decl) {
    int errors = diag_errors(s->ctx);
    const AstItems *args = export_decl != fn && export_decl->value->kind == AST_CALL ? export_decl->value->items : NULL;
    Graph *g = graph_new(s->ctx, export_decl->name);
    g->span = export_decl->name_span;
    g->doc = export_decl->doc ? export_decl->doc : fn->doc;
    s->g = g;
    s->known = known_new(g);
    s->required = (ExprMap){0};
    s->refused_subs = (ExprMap){0};
    s->lifted.n = 0;
    s->defining = NULL;
    s->instances = 0;
    Span call = export_decl != fn ? export_decl->span : SPAN_NONE;
    Inst *inst = sema_inst_new(s, (FnRef){.file = file, .decl = fn}, NULL, call);
    s->inst = s->entry = inst;
    if (!sema_options(s, s->root, fn, &g->options) || !export_params(s, inst, args)) return NULL;
    if (!sema_is_tensor_fn(fn)) {
        if (!sema_result_types(s, inst, export_decl) || !export_host(s, inst)) return NULL;
    } else {
        inst->broken = !sema_collect(s, inst);
        if (!sema_facts(s, inst) || !sema_result_types(s, inst, export_decl)) return NULL;
        export_defs(s, inst);
    }
    order_dims(s, inst);
    check_sizes(s, g);
    sema_order_dims(s);
    for (int i = 0; i < g->tensors.n; i++) g->tensors.at[i]->id = i;
    return diag_errors(s->ctx) == errors ? g : NULL;
}
