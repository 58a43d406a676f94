/* What the statements of a function on tensors define, found before anything is elaborated. */
#include "frontend/ast/ast_walk.h"
#include "frontend/ast/builtins.h"
#include "sema_int.h"

#include <string.h>

static Definition *new_def(Sema *s, Inst *inst, Sym name, TensorKind kind, Span span) {
    Definition *d = NEW(s->ctx, Definition);
    d->name = name;
    d->inst = inst;
    d->kind = kind;
    d->span = span;
    d->at = inst->defs.n;
    vec_push(s->ctx, &inst->defs, d);
    if (!expr_map_object(&inst->def_of, name)) expr_map_put_object(s->ctx, &inst->def_of, name, d);
    return d;
}

static bool has_rest(const AstItems *items) { return items->v.n > 0 && items->v.at[items->v.n - 1].kind == ITEM_REST; }

/* Whether e is a whole tensor, by its form. */
static bool is_tensor_expr(Sema *s, Inst *inst, const AstExpr *e) {
    FnRef f;
    Name *n;
    switch (e->kind) {
    case AST_NAME:
        n = sema_name(inst, e->name);
        return n && (n->kind == NAME_TENSOR || (n->kind == NAME_DEF && !n->def->is_scalar));
    case AST_IF: return is_tensor_expr(s, inst, e->b);
    case AST_INDEX: return has_rest(e->items);
    case AST_CALL:
        if (e->a->kind != AST_NAME)
            return e->a->kind == AST_CALL && e->a->a->kind == AST_NAME && builtin_by_name(e->a->a->name) == BUILTIN_VJP;
        if (sema_find_fn(inst, e->a->name, &f)) return f.decl && sema_is_tensor_fn(f.decl);
        return builtin_kind(builtin_by_name(e->a->name)) == BUILTIN_IS_TENSOR;
    default: return false;
    }
}

/* A second definition of a name that a let, an input or a dimension has: what it may be meant for. */
static void report_again(Sema *s, Inst *inst, Sym name, Span span, const AstStmt *st) {
    const Name *old = sema_name(inst, name);
    const AstItems *index = st->targets.n == 1 ? st->targets.at[0].index : NULL;
    Diag *d = SEMA_REPORT(s, DUPLICATE_NAME, span, "%s is defined twice", name);
    diag_note(s->ctx, d, old->span, "first here");
    if (old->kind == NAME_DEF && old->def->kind == TENSOR_LET)
        old->def->state = DEF_FAILED; /* its uses are no mistakes */
    bool pieces = false;
    for (int i = 0; index && i < index->v.n; i++)
        pieces = pieces || index->v.at[i].kind == ITEM_IN ||
                 (index->v.at[i].value && index->v.at[i].value->kind != AST_NAME);
    if (st->op != ASSIGN_SET && !index)
        diag_help(s->ctx, d, "nothing is assigned again: write the sum at once, let %s = sum[i](%s);", name,
                  sema_quote(s, st->value->span));
    else if (pieces && old->kind == NAME_DEF)
        diag_help(s->ctx, d,
                  "a let is one equation: let %s[i in ...] = if i < ... then ... else ...; an output may be "
                  "defined in pieces",
                  name);
    else
        diag_help(s->ctx, d, "nothing is assigned again: give the second value a name of its own, let %s2 ...", name);
}

static bool collect_let(Sema *s, Inst *inst, AstStmt *st) {
    bool ok = true;
    for (int i = 0; i < st->targets.n; i++) {
        AstTarget *t = &st->targets.at[i];
        if (!strcmp(t->name, "_")) continue;
        if (sema_name(inst, t->name)) {
            report_again(s, inst, t->name, t->name_span, st);
            ok = false;
            continue;
        }
        Name *n = sema_bind(s, inst, t->name, NAME_DEF, t->name_span);
        n->def = new_def(s, inst, t->name, TENSOR_LET, t->name_span);
        vec_push(s->ctx, &n->def->pieces, ((Equation){st, t, st->tuple ? i : -1}));
    }
    return ok;
}

static Definition *find_def(Inst *inst, Sym name) { return expr_map_object(&inst->def_of, name); }

static Sym source(Sema *s, Span span) {
    AstExpr e = {.span = span};
    return sema_show_ast(s, &e);
}

/* The output that no statement defines, if there is one only: what an unknown name on the left may stand for. */
static Sym undefined_output(const Inst *inst) {
    Sym found = NULL;
    for (int i = 0; i < inst->fn->results->v.n; i++) {
        Sym name = inst->fn->results->v.at[i].name;
        bool defined = false;
        for (int k = 0; k < inst->fn->body->v.n; k++) {
            const AstStmt *st = inst->fn->body->v.at[k];
            for (int j = 0; j < st->targets.n; j++) defined = defined || st->targets.at[j].name == name;
        }
        if (defined) continue;
        if (found) return NULL;
        found = name;
    }
    return found;
}

static bool collect_def(Sema *s, Inst *inst, AstStmt *st) {
    bool ok = true;
    for (int i = 0; i < st->targets.n; i++) {
        AstTarget *t = &st->targets.at[i];
        if (!strcmp(t->name, "_")) continue;
        Definition *d = find_def(inst, t->name);
        if (d && d->kind != TENSOR_LET) {
            vec_push(s->ctx, &d->pieces, ((Equation){st, t, st->tuple ? i : -1}));
            continue;
        }
        if (d && d->state == DEF_FAILED) continue; /* said already */
        Name *n = sema_name(inst, t->name);
        VEC(const char *) c = {0};
        for (int k = 0; k < inst->defs.n && !diag_full(s->ctx); k++)
            if (inst->defs.at[k]->kind != TENSOR_LET) vec_push(s->ctx, &c, inst->defs.at[k]->name);
        const char *near = n ? NULL : diag_near(t->name, c.at, c.n);
        if (!n && !near) near = undefined_output(inst);
        Diag *g;
        if (d) {
            report_again(s, inst, t->name, t->name_span, st);
            ok = false;
            continue;
        }
        if (n && (n->kind == NAME_TENSOR || n->kind == NAME_VALUE))
            g = SEMA_REPORT(s, INPUT_ASSIGNED, t->name_span, "%s is %s: it is only read", t->name,
                            n->kind == NAME_TENSOR ? "an input" : "a dimension or scalar");
        else if (n)
            g = SEMA_REPORT(s, NOT_ASSIGNABLE, t->name_span, "%s is no tensor: it cannot be defined here", t->name);
        else {
            g = SEMA_REPORT(s, NOT_AN_OUTPUT, t->name_span, "%s is no output or inout parameter", t->name);
            Name *silent = sema_bind(s, inst, t->name, NAME_DEF, t->name_span); /* its uses are no mistakes */
            silent->def = new_def(s, inst, t->name, TENSOR_LET, t->name_span);
            silent->def->state = DEF_FAILED;
            vec_push(s->ctx, &silent->def->pieces, ((Equation){st, t, st->tuple ? i : -1}));
        }
        if (near)
            diag_suggest(s->ctx, g, t->name_span, near);
        else if (!n)
            diag_help(s->ctx, g, "an intermediate is defined with let: let %s%s = ...;", t->name,
                      t->index ? source(s, t->index->span) : "");
        else if (n->kind == NAME_TENSOR)
            diag_help(s->ctx, g, "to write it in place declare it inout %s in the header; else give the result a name",
                      source(s, n->span));
        ok = false;
    }
    return ok;
}

static void classify_scalars(Sema *s, Inst *inst) {
    for (int i = 0; i < inst->defs.n; i++) {
        Definition *d = inst->defs.at[i];
        if (d->kind != TENSOR_LET) continue;
        const Equation *p = &d->pieces.at[0];
        d->is_scalar = !p->target->index && p->part < 0 && !is_tensor_expr(s, inst, p->stmt->value);
    }
}

/* Marks the inouts whose new values are read. */
static AstStep mark_fresh(void *user, const AstExpr *e) {
    Inst *inst = user;
    bool is_new = e->kind == AST_CALL && e->a->kind == AST_NAME && builtin_by_name(e->a->name) == BUILTIN_NEW &&
                  e->items->v.n == 1;
    const AstExpr *arg = is_new ? e->items->v.at[0].value : NULL;
    for (int i = 0; arg && arg->kind == AST_NAME && i < inst->defs.n; i++)
        if (inst->defs.at[i]->kind == TENSOR_INOUT && inst->defs.at[i]->name == arg->name)
            inst->defs.at[i]->fresh = true;
    return AST_INTO;
}

/* ---- calls that update the caller's inout parameters ---- */

static const AstExpr *argument(const AstDecl *fn, const AstExpr *call, int param) {
    int at = 0;
    for (int i = 0; i < call->items->v.n; i++) {
        const AstItem *it = &call->items->v.at[i];
        if (it->kind == ITEM_NAMED ? it->name == fn->params->v.at[param].name : it->kind == ITEM_EXPR && at++ == param)
            return it->value;
    }
    return NULL;
}

typedef struct Calls {
    Sema *s;
    Inst *inst;
    int updates; /* of inout parameters */
} Calls;

static AstStep collect_call(void *user, const AstExpr *call) {
    Calls *c = user;
    Sema *s = c->s;
    Inst *inst = c->inst;
    FnRef f;
    if (call->kind != AST_CALL || call->a->kind != AST_NAME) return AST_INTO;
    if (!sema_find_fn(inst, call->a->name, &f) || !f.decl || !sema_is_tensor_fn(f.decl)) return AST_INTO;
    for (int i = 0; f.decl->params && i < f.decl->params->v.n; i++) {
        if (!f.decl->params->v.at[i].is_inout) continue;
        const AstExpr *e = argument(f.decl, call, i);
        Definition *d = sema_inout_argument(s, inst, &f.decl->params->v.at[i], e, call);
        c->updates++;
        if (!d) return AST_END;
        if (d->by_call) {
            Diag *g = SEMA_REPORT(s, DEFINED_TWICE, e->span, "%s is updated by two calls", d->name);
            diag_note(s->ctx, g, d->by_call->span, "the other call");
            return AST_END;
        }
        d->by_call = call;
        d->by_param = f.decl->params->v.at[i].name;
    }
    return AST_INTO;
}

static bool collect_call_stmt(Sema *s, Inst *inst, const AstStmt *st, int updates) {
    FnRef f;
    if (updates > 0) return true;
    if (!sema_find_fn(inst, st->value->a->name, &f) && !builtin_is_function(st->value->a->name)) {
        sema_unknown_function(s, (Env){inst, NULL}, st->value->a->name, st->value->a->span);
        return false;
    }
    Diag *d = SEMA_REPORT(s, NO_EFFECT, st->span, "this call defines nothing");
    diag_help(s->ctx, d, "name its result: let t = %s(...); a call alone is for functions with inout parameters",
              st->value->a->name);
    return false;
}

/* ---- all statements ---- */

/* fn f(x: f32[N]) -> (y: f32[N]) = e; is y = e; or, where y is one element, y[] = e; */
static bool collect_value(Sema *s, Inst *inst) {
    const AstDecl *fn = inst->fn;
    AstStmt *st = NEW(s->ctx, AstStmt);
    *st = (AstStmt){.kind = STMT_DEF, .span = fn->value->span, .value = fn->value, .tuple = fn->results->v.n > 1};
    for (int i = 0; i < fn->results->v.n; i++) {
        const AstParam *p = &fn->results->v.at[i];
        bool element = p->type && p->type->dims && !p->type->dims->v.n && !is_tensor_expr(s, inst, fn->value);
        vec_push(s->ctx, &st->targets,
                 ((AstTarget){.name = p->name,
                              .span = fn->value->span,
                              .name_span = p->name_span,
                              .index = element ? p->type->dims : NULL}));
    }
    ast_walk(st->value, mark_fresh, inst);
    return !ast_walk(st->value, collect_call, &(Calls){s, inst, 0}) && collect_def(s, inst, st);
}

bool sema_collect(Sema *s, Inst *inst) {
    const AstDecl *fn = inst->fn;
    bool ok = true;
    for (int i = 0; i < fn->results->v.n; i++) {
        AstParam *p = &fn->results->v.at[i];
        Name *n = sema_bind(s, inst, p->name, NAME_DEF, p->name_span);
        if (!n) return false;
        n->def = new_def(s, inst, p->name, TENSOR_OUTPUT, p->span);
        n->def->param = p;
    }
    for (int i = 0; fn->params && i < fn->params->v.n; i++)
        if (fn->params->v.at[i].is_inout)
            new_def(s, inst, fn->params->v.at[i].name, TENSOR_INOUT, fn->params->v.at[i].span);
    if (!fn->body) return collect_value(s, inst);
    for (int i = 0; i < fn->body->v.n; i++) {
        AstStmt *st = fn->body->v.at[i];
        Calls calls = {s, inst, 0};
        ast_walk(st->value, mark_fresh, inst);
        ok &= !ast_walk(st->value, collect_call, &calls);
        switch (st->kind) {
        case STMT_LET: ok &= collect_let(s, inst, st); break;
        case STMT_DEF: ok &= collect_def(s, inst, st); break;
        case STMT_CALL: ok &= collect_call_stmt(s, inst, st, calls.updates); break;
        case STMT_OPTION: break; /* an entry's: sema_options */
        case STMT_RETURN:
            SEMA_REPORT(s, TENSOR_RETURN, st->span, "a function on tensors defines its outputs by name: y[i] = ...;");
            ok = false;
            break;
        case STMT_REQUIRE:
        case STMT_ASSUME: break;
        }
    }
    /* Twice: whether a let is a scalar may depend on one after it. */
    classify_scalars(s, inst);
    classify_scalars(s, inst);
    return ok;
}
