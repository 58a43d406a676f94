/* The statements of a function on tensors: what they define, what they state, and in which order that is elaborated. */
#include "sema_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- collecting ---- */

static Def *new_def(Sema *s, Inst *inst, Sym name, TensorKind kind, Span span) {
    Def *d = NEW(s->ctx, Def);
    d->name = name;
    d->inst = inst;
    d->kind = kind;
    d->span = span;
    d->at = inst->defs.n;
    vec_push(s->ctx, &inst->defs, d);
    if (!expr_map_get(&inst->def_of, name)) expr_map_put(s->ctx, &inst->def_of, name, d);
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
            return e->a->kind == AST_CALL && e->a->a->kind == AST_NAME && !strcmp(e->a->a->name, "vjp");
        if (sema_find_fn(s, inst, e->a->name, &f)) return f.decl && sema_is_tensor_fn(f.decl);
        return !strcmp(e->a->name, "new") || !strcmp(e->a->name, "sort") || !strcmp(e->a->name, "topk");
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

static Def *find_def(Inst *inst, Sym name) { return (Def *)expr_map_get(&inst->def_of, name); }

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
        Def *d = find_def(inst, t->name);
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
        Def *d = inst->defs.at[i];
        if (d->kind != TENSOR_LET) continue;
        const Equation *p = &d->pieces.at[0];
        d->is_scalar = !p->target->index && p->part < 0 && !is_tensor_expr(s, inst, p->stmt->value);
    }
}

/* Marks the inouts whose new values are read. */
static void mark_fresh(Inst *inst, const AstExpr *e) {
    if (!e) return;
    bool is_new = e->kind == AST_CALL && e->a->kind == AST_NAME && !strcmp(e->a->name, "new") && e->items->v.n == 1;
    const AstExpr *arg = is_new ? e->items->v.at[0].value : NULL;
    for (int i = 0; arg && arg->kind == AST_NAME && i < inst->defs.n; i++)
        if (inst->defs.at[i]->kind == TENSOR_INOUT && inst->defs.at[i]->name == arg->name)
            inst->defs.at[i]->fresh = true;
    mark_fresh(inst, e->a);
    mark_fresh(inst, e->b);
    mark_fresh(inst, e->c);
    for (int i = 0; e->items && i < e->items->v.n; i++) mark_fresh(inst, e->items->v.at[i].value);
    if (e->items) mark_fresh(inst, e->items->guard);
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

static bool collect_call(Sema *s, Inst *inst, const AstExpr *call, int *updates) {
    FnRef f;
    if (!sema_find_fn(s, inst, call->a->name, &f) || !f.decl || !sema_is_tensor_fn(f.decl)) return true;
    for (int i = 0; f.decl->params && i < f.decl->params->v.n; i++) {
        if (!f.decl->params->v.at[i].is_inout) continue;
        const AstExpr *e = argument(f.decl, call, i);
        Def *d = sema_inout_argument(s, inst, &f.decl->params->v.at[i], e, call);
        ++*updates;
        if (!d) return false;
        if (d->by_call) {
            Diag *g = SEMA_REPORT(s, DEFINED_TWICE, e->span, "%s is updated by two calls", d->name);
            diag_note(s->ctx, g, d->by_call->span, "the other call");
            return false;
        }
        d->by_call = call;
        d->by_param = f.decl->params->v.at[i].name;
    }
    return true;
}

static bool collect_calls(Sema *s, Inst *inst, const AstExpr *e, int *updates) {
    if (!e) return true;
    bool ok = e->kind != AST_CALL || e->a->kind != AST_NAME || collect_call(s, inst, e, updates);
    ok = ok && collect_calls(s, inst, e->a, updates) && collect_calls(s, inst, e->b, updates) &&
         collect_calls(s, inst, e->c, updates);
    for (int i = 0; ok && e->items && i < e->items->v.n; i++)
        ok = collect_calls(s, inst, e->items->v.at[i].value, updates);
    return ok && (!e->items || collect_calls(s, inst, e->items->guard, updates));
}

static bool collect_call_stmt(Sema *s, Inst *inst, const AstStmt *st, int updates) {
    FnRef f;
    if (updates > 0) return true;
    if (!sema_find_fn(s, inst, st->value->a->name, &f) && !sema_is_builtin(st->value->a->name)) {
        sema_unknown_function(s, (Env){inst, NULL}, st->value->a->name, st->value->a->span);
        return false;
    }
    Diag *d = SEMA_REPORT(s, NO_EFFECT, st->span, "this call defines nothing");
    diag_help(s->ctx, d, "name its result: let t = %s(...); a call alone is for functions with inout parameters",
              st->value->a->name);
    return false;
}

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
    int updates = 0;
    mark_fresh(inst, st->value);
    return collect_calls(s, inst, st->value, &updates) && collect_def(s, inst, st);
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
        int updates = 0;
        mark_fresh(inst, st->value);
        ok &= collect_calls(s, inst, st->value, &updates);
        switch (st->kind) {
        case STMT_LET: ok &= collect_let(s, inst, st); break;
        case STMT_DEF: ok &= collect_def(s, inst, st); break;
        case STMT_CALL: ok &= collect_call_stmt(s, inst, st, updates); break;
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

/* ---- facts ---- */

/* A tensor that is no subscript without subscripts of its own. */
static bool is_whole(const Name *n) {
    return (n->kind == NAME_TENSOR && n->tensor->rank > 0) || (n->kind == NAME_DEF && !n->def->is_scalar);
}

static void add_free(Sema *s, Env env, Sym name, bool pack, Span span, FreeNames *out) {
    const Name *bound = sema_name(env.inst, name);
    if (sema_scope_find(env.scope, name) || (bound && !(out->hides && is_whole(bound)))) return;
    for (int i = 0; i < out->n; i++)
        if (out->at[i].name == name) return;
    vec_push(s->ctx, out, ((FreeName){name, pack, span}));
}

void sema_free_names(Sema *s, Env env, const AstExpr *e, bool subscript, FreeNames *out) {
    if (!e) return;
    if (e->kind == AST_NAME && subscript) add_free(s, env, e->name, false, e->span, out);
    if (e->kind == AST_CALL && sema_is_reduction(s, env, e)) {
        const AstItems *vars = e->a->items;
        for (int i = 0; i < vars->v.n; i++) { /* its own variables are bound */
            const AstItem *it = &vars->v.at[i];
            Sym name = it->kind == ITEM_EXPR && it->value->kind == AST_NAME ? it->value->name : it->name;
            if (name) env.scope = sema_scope_value(s, env.scope, name, NULL);
        }
        for (int i = 0; i < e->items->v.n; i++) sema_free_names(s, env, e->items->v.at[i].value, subscript, out);
        if (vars->guard) sema_free_names(s, env, vars->guard, subscript, out);
        return;
    }
    bool call = e->kind == AST_CALL || e->kind == AST_INDEX;
    if (!(call && e->a->kind == AST_NAME)) sema_free_names(s, env, e->a, subscript, out);
    sema_free_names(s, env, e->b, subscript, out);
    sema_free_names(s, env, e->c, subscript, out);
    for (int i = 0; e->items && i < e->items->v.n; i++) {
        const AstItem *it = &e->items->v.at[i];
        if (it->kind == ITEM_PACK)
            add_free(s, env, it->name, true, it->span, out);
        else
            sema_free_names(s, env, it->value, subscript || e->kind == AST_INDEX, out);
    }
}

static bool bind_free(Sema *s, Env *env, const AstExpr *e, Fact *f) {
    FreeNames free = {.hides = true};
    VEC(Var *) vars = {0};
    sema_free_names(s, *env, e, false, &free);
    for (int i = 0; i < free.n; i++) {
        sema_warn_hidden(s, env->inst, free.at[i].name, free.at[i].span);
        RangeQuery q = {.env = *env, .name = free.at[i].name, .pack = free.at[i].pack, .span = free.at[i].span};
        q.shifted = !q.pack;
        ExprVec his = {0};
        const Expr *zero = expr_int(s->g, TY_I64, 0), *hi = NULL;
        vec_push(s->ctx, &q.roots, e);
        if (q.pack ? !sema_infer_pack(s, &q, &his) : !sema_infer_var(s, &q, &hi)) return false;
        if (!q.pack) vec_push(s->ctx, &his, hi);
        int from = vars.n;
        for (int k = 0; k < his.n; k++) {
            Sym name = q.pack ? sym_fmt(s->ctx, "%s%d", q.name, k) : q.name;
            vec_push(s->ctx, &vars, graph_var(s->g, name, zero, his.at[k]));
        }
        env->scope = q.pack ? sema_scope_pack(s, env->scope, q.name, vars.at + from, his.n)
                            : sema_scope_var(s, env->scope, q.name, vars.at[from]);
    }
    f->nvars = vars.n;
    f->vars = vars.at;
    return true;
}

/* A require with index variables is meant for data. Reports it. */
static bool is_about_data(Sema *s, Env env, const AstExpr *e) {
    FreeNames free = {0};
    sema_free_names(s, env, e, false, &free);
    if (!free.n) return false;
    Diag *d =
        SEMA_REPORT(s, NOT_CONSTANT, e->span, "require is checked on the host at entry: it cannot depend on data");
    diag_help(s->ctx, d, "state it of the data: assume %s;", sema_quote(s, e->span));
    return true;
}

/* An assumption: each of the conditions that && joins holds where its loads are in range. */
static const Expr *assumed(Sema *s, Env env, const AstExpr *e) {
    if (e->kind == AST_BINARY && e->u.op == OP_AND) {
        const Expr *a = assumed(s, env, e->a);
        int mark = sema_path_push(s, a, true);
        const Expr *b = assumed(s, env, e->b);
        sema_path_pop(s, mark);
        return a && b ? expr2(s->g, OP_AND, a, b) : NULL;
    }
    ExprVec where = {0}, parts = {0};
    s->speaks_where = &where;
    const Expr *c = sema_cond(s, env, e);
    s->speaks_where = NULL;
    for (int i = 0; i < where.n; i++)
        if (sema_truth(s, where.at[i]) != 1) sema_conjuncts(s, where.at[i], false, &parts, 0);
    for (int i = parts.n - 1; i >= 0 && c; i--) c = expr2(s->g, OP_OR, parts.at[i], c);
    return c;
}

/* One fact, of the condition e of the statement. */
static bool state(Sema *s, Inst *inst, const AstStmt *st, const AstExpr *e) {
    Env env = {inst, NULL};
    Fact f = {.require = st->kind == STMT_REQUIRE, .text = st->text, .span = st->span};
    if (!f.require && !bind_free(s, &env, e, &f)) return false;
    if (f.require && is_about_data(s, env, e)) return false;
    f.cond = f.require ? sema_cond(s, env, e) : assumed(s, env, e);
    if (!f.cond) return false;
    int64_t v;
    Over over = sema_over_used(s, inst, &(Piece){.value = f.cond}, 1, 0);
    if (f.require && (sema_uses_data(f.cond) || over.vars.n)) {
        Diag *d =
            SEMA_REPORT(s, NOT_CONSTANT, e->span, "require is checked on the host at entry: it cannot depend on %s",
                        over.vars.n ? over.vars.at[0]->name : "data");
        diag_help(s->ctx, d, "state it of the data with assume");
        return false;
    }
    if (sema_const_int(f.cond, &v)) {
        if (v) return true;
        SEMA_REPORT(s, REQUIRE_FALSE, st->span, "this does not hold%s%s", st->text ? ": " : "",
                    st->text ? st->text : "");
        return false;
    }
    bool again = expr_map_get(&s->required, f.cond) != NULL;
    if (f.require) expr_map_put(s->ctx, &s->required, f.cond, f.cond);
    for (int i = 0; again && i < s->g->facts.n && f.require; i++) { /* a callee's, stated by each of its calls */
        const Fact *known = &s->g->facts.at[i];
        if (known->require && known->cond == f.cond && known->text == f.text) return true;
    }
    Piece bound = sema_over_piece(s, &over, (Piece){.vars = f.vars, .nvars = f.nvars, .value = f.cond}, 0);
    f.vars = bound.vars;
    f.nvars = bound.nvars;
    f.cond = bound.value;
    if (f.require) sema_no_zero_divisor(s, e, f.cond, st->span);
    vec_push(s->ctx, &s->g->facts, f);
    return true;
}

enum { MAX_PIECES = 16 };

/* The conditions that e joins by &&, and the index variables of each; false where there are too many. */
static bool parts_of(Sema *s, Env env, const AstExpr *e, const AstExpr **part, FreeNames *names, int *n) {
    if (e->kind == AST_BINARY && e->u.op == OP_AND)
        return parts_of(s, env, e->a, part, names, n) && parts_of(s, env, e->b, part, names, n);
    if (*n == MAX_PIECES) return false;
    part[*n] = e;
    names[*n] = (FreeNames){.hides = true};
    sema_free_names(s, env, e, false, &names[(*n)++]);
    return true;
}

static bool share(const FreeNames *a, const FreeNames *b) {
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < b->n; k++)
            if (a->at[i].name == b->at[k].name) return true;
    return false;
}

/* An assumption of several conditions says each of them whatever the others' variables are: one fact for those that
 * have variables in common, over these alone. */
static bool state_all(Sema *s, Inst *inst, const AstStmt *st) {
    const AstExpr *part[MAX_PIECES];
    FreeNames names[MAX_PIECES];
    int n = 0, with[MAX_PIECES];
    bool ok = true;
    if (st->kind != STMT_ASSUME || !parts_of(s, (Env){inst, NULL}, st->value, part, names, &n)) n = 0;
    for (int i = 0; i < n; i++) {
        with[i] = i;
        for (int k = 0; k < i; k++) {
            if (with[k] == with[i] || !share(&names[i], &names[k])) continue;
            int old = with[i], to = with[k];
            for (int m = 0; m <= i; m++)
                if (with[m] == old) with[m] = to;
        }
    }
    bool one = true;
    for (int i = 1; i < n; i++) one &= with[i] == with[0];
    if (one) return state(s, inst, st, st->value);
    for (int i = 0; i < n; i++) {
        const AstExpr *e = NULL;
        for (int k = 0; k < n; k++) {
            if (with[k] != i) continue;
            AstExpr *both = NEW(s->ctx, AstExpr);
            *both = *st->value;
            both->a = (AstExpr *)e;
            both->b = (AstExpr *)part[k];
            e = e ? both : part[k];
        }
        if (e) ok &= state(s, inst, st, e);
    }
    return ok;
}

/* A require at the top holds for the functions that have all its names. */
static bool names_known(Inst *inst, const AstExpr *e) {
    if (!e) return true;
    if (e->kind == AST_NAME && !sema_name(inst, e->name)) return false;
    bool ok = names_known(inst, e->b) && names_known(inst, e->c);
    if (e->kind != AST_CALL) ok = ok && names_known(inst, e->a);
    for (int i = 0; e->items && i < e->items->v.n; i++) ok = ok && names_known(inst, e->items->v.at[i].value);
    return ok;
}

bool sema_facts(Sema *s, Inst *inst) {
    bool ok = true;
    for (int i = 0; i < inst->file->facts.n; i++) {
        AstDecl *d = inst->file->facts.at[i];
        if (names_known(inst, d->stmt->value)) ok &= state_all(s, inst, d->stmt);
    }
    for (int i = 0; inst->fn->body && i < inst->fn->body->v.n; i++) {
        AstStmt *st = inst->fn->body->v.at[i];
        if (st->kind == STMT_REQUIRE || st->kind == STMT_ASSUME) ok &= state_all(s, inst, st);
    }
    return ok;
}

/* ---- the order of work ---- */

/* The definitions that names stand for. */
typedef struct Needs {
    Ctx *ctx;
    Inst *inst;
    VEC(Def *) found; /* each once, in any order */
    bool all;         /* also those that were found before */
} Needs;

static void find_needs(Needs *n, const AstExpr *e);

static void find_item_needs(Needs *n, const AstItems *items) {
    for (int i = 0; items && i < items->v.n; i++) {
        find_needs(n, items->v.at[i].lo);
        find_needs(n, items->v.at[i].value);
    }
    if (items) find_needs(n, items->guard);
}

static void find_needs(Needs *n, const AstExpr *e) {
    if (!e) return;
    if (e->kind == AST_NAME) {
        Name *x = sema_name(n->inst, e->name);
        bool open = x && x->kind == NAME_DEF && x->def->state == DEF_NEW;
        if (open && (n->all || x->def->need == NEED_NONE)) {
            if (x->def->need == NEED_NONE) x->def->need = NEED_FOUND;
            vec_push(n->ctx, &n->found, x->def);
        }
    }
    find_needs(n, e->a);
    find_needs(n, e->b);
    find_needs(n, e->c);
    find_item_needs(n, e->items);
}

static void find_def_needs(Needs *n, const Def *d) {
    find_needs(n, d->by_call);
    for (int k = 0; k < d->pieces.n; k++) {
        find_needs(n, d->pieces.at[k].stmt->value);
        find_needs(n, d->pieces.at[k].stmt->guard);
        find_item_needs(n, d->pieces.at[k].target->index);
    }
}

static int by_place(const void *a, const void *b) { return (*(Def *const *)a)->at - (*(Def *const *)b)->at; }

/* Defines lets that d needs and that stand after it before it, without nesting. */
static void define_in_turn(Sema *s, Def *d) {
    Needs n = {.ctx = s->ctx, .inst = d->inst, .all = true};
    vec_push(s->ctx, &n.found, d);
    while (n.found.n > 0) {
        Def *x = n.found.at[n.found.n - 1];
        if (x->state == DEF_NEW && x->need != NEED_OPEN && x->kind == TENSOR_LET) {
            x->need = NEED_OPEN;
            find_def_needs(&n, x);
            continue;
        }
        n.found.n--;
        if (x->need == NEED_OPEN && x->state == DEF_NEW) sema_define(s, x);
    }
}

bool sema_define_needed(Sema *s, Def *d) {
    Needs n = {.ctx = s->ctx, .inst = d->inst};
    if (d->state != DEF_NEW) return sema_define(s, d);
    d->need = NEED_FOUND;
    vec_push(s->ctx, &n.found, d);
    for (int i = 0; i < n.found.n; i++) find_def_needs(&n, n.found.at[i]);
    qsort(n.found.at, (size_t)n.found.n, sizeof *n.found.at, by_place);
    for (int i = 0; i < n.found.n; i++)
        if (n.found.at[i] != d && n.found.at[i]->kind == TENSOR_LET) define_in_turn(s, n.found.at[i]);
    for (int i = 0; i < n.found.n; i++) n.found.at[i]->need = NEED_NONE;
    return sema_define(s, d);
}

static Sym full_name(Sema *s, const Def *d) {
    return d->inst->prefix ? sym_fmt(s->ctx, "%s_%s", d->inst->prefix, d->name) : d->name;
}

bool sema_define(Sema *s, Def *d) {
    if (d->state == DEF_DONE) return true;
    if (d->state == DEF_FAILED) return false;
    if (d->state == DEF_BUSY) {
        sema_report_cycle(s, d, s->defining == full_name(s, d));
        return false;
    }
    d->state = DEF_BUSY;
    ExprVec path = s->path;
    Sym defining = s->defining;
    const Inst *inst = s->inst;
    s->path = (ExprVec){0};
    s->defining = full_name(s, d);
    s->inst = d->inst;
    bool ok = sema_equations(s, d);
    s->path = path;
    s->defining = defining;
    s->inst = inst;
    d->state = ok ? DEF_DONE : DEF_FAILED;
    return ok;
}
