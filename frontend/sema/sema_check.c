/* check, bench and option statements. */
#include "frontend/ast/foreign.h"
#include "sema_int.h"

#include <string.h>

/* False after saying that nothing does what the statement asks for. */
static bool later(Sema *s, const AstStmt *st, Option o) {
    const char *of = sym_fmt(s->ctx, st->text ? "option %s = %s" : "option %s", st->name, st->text);
    Diag *d = SEMA_REPORT(s, NOT_YET, st->span, "%s: not yet", of);
    diag_help(s->ctx, d, "leave it out; option %s is %s so far", st->name, option_values(s->ctx, o));
    return false;
}

bool sema_option(Sema *s, const AstStmt *st, Options *out) {
    Option o;
    if (option_find(st->name, &o)) {
        if (option_choose(out, o, st->text)) return !option_later(out, o) || later(s, st, o);
        const char *type = st->text ? foreign_type(st->text) : NULL;
        Diag *d = SEMA_REPORT(s, OPTION_VALUE, st->span, "option %s is %s", st->name, option_values(s->ctx, o));
        if (type && option_choose(out, o, sym(s->ctx, type))) diag_help(s->ctx, d, "did you mean %s?", type);
        return false;
    }
    const char *names[OPTION_COUNT];
    for (int i = 0; i < OPTION_COUNT; i++) names[i] = option_name((Option)i);
    const char *near = diag_near(st->name, names, OPTION_COUNT);
    Diag *d = SEMA_REPORT(s, UNKNOWN_OPTION, st->name_span.file >= 0 ? st->name_span : st->span, "unknown option %s",
                          st->name);
    if (near)
        diag_suggest(s->ctx, d, st->name_span, near);
    else
        diag_help(s->ctx, d, "the options are option matmul = tf32; math = fast; atomics = fast;");
    return false;
}

bool sema_options(Sema *s, const FileScope *file, const AstDecl *fn, Options *out) {
    Options unused = {0}; /* errors of the file's are reported once, where the file is read */
    bool ok = true;
    for (int i = 0; i < file->options.n; i++) {
        const AstStmt *st = file->options.at[i]->stmt;
        Option o;
        if (!option_find(st->name, &o)) continue;
        if (option_choose(&unused, o, st->text)) option_choose(out, o, st->text);
    }
    for (int i = 0; fn->body && i < fn->body->v.n; i++)
        if (fn->body->v.at[i]->kind == STMT_OPTION) ok &= sema_option(s, fn->body->v.at[i], out);
    return ok;
}

static Graph *find_graph(Sema *s, Sym name) {
    for (int i = 0; i < s->module->graphs.n; i++)
        if (s->module->graphs.at[i]->name == name) return s->module->graphs.at[i];
    return NULL;
}

/* False after a report, or silently where the entry exists and has errors of its own. */
static bool entry_of(Sema *s, AstDecl *d) {
    if ((s->g = find_graph(s, d->name))) return true;
    VEC(const char *) c = {0};
    for (int i = 0; i < s->root->ast->decls.n; i++) {
        const AstDecl *o = s->root->ast->decls.at[i];
        if (o->kind != DECL_EXPORT && !(o->kind == DECL_FN && o->is_export)) continue;
        if (o->name == d->name) return false;
        vec_push(s->ctx, &c, o->name);
    }
    const char *near = diag_near(d->name, c.at, c.n);
    Diag *g = SEMA_REPORT(s, UNKNOWN_ENTRY, d->name_span, "no export is called %s", d->name);
    FnRef f;
    if (sema_find_decl(s->root, DECL_FN, d->name, &f))
        diag_help(s->ctx, g, "only exports are checked: write export fn %s(...)", d->name);
    else if (near)
        diag_suggest(s->ctx, g, d->name_span, near);
    return false;
}

static bool constant(Sema *s, Inst *inst, const AstExpr *e, double *v, int64_t *iv) {
    const Expr *x = sema_expr(s, (Env){inst, NULL}, e);
    if (!x) return false;
    if (!sema_const_double(x, v)) {
        SEMA_REPORT(s, NOT_CONSTANT, e->span, "a constant is needed here");
        return false;
    }
    if (!sema_const_int(x, iv)) *iv = *v > -9e18 && *v < 9e18 ? (int64_t)*v : 0;
    return true;
}

static Dim *dim_named(const Graph *g, Sym name) {
    for (int i = 0; i < g->dims.n; i++)
        if (g->dims.at[i]->name == name) return g->dims.at[i];
    return NULL;
}

static Scalar *scalar_named(const Graph *g, Sym name) {
    for (int i = 0; i < g->scalars.n; i++)
        if (g->scalars.at[i]->name == name) return g->scalars.at[i];
    return NULL;
}

static Tensor *input_named(const Graph *g, Sym name) {
    for (int i = 0; i < g->tensors.n; i++) {
        Tensor *t = g->tensors.at[i];
        if (t->name == name && (t->kind == TENSOR_INPUT || t->kind == TENSOR_INOUT)) return t;
    }
    return NULL;
}

static bool unknown_binding(Sema *s, const AstItem *it) {
    VEC(const char *) c = {0};
    for (int i = 0; i < s->g->dims.n; i++) vec_push(s->ctx, &c, s->g->dims.at[i]->name);
    for (int i = 0; i < s->g->scalars.n; i++) vec_push(s->ctx, &c, s->g->scalars.at[i]->name);
    const char *near = diag_near(it->name, c.at, c.n);
    Diag *d = SEMA_REPORT(s, UNKNOWN_PARAMETER, it->span, "%s has no dimension or scalar %s", s->g->name, it->name);
    if (input_named(s->g, it->name))
        diag_help(
            s->ctx, d,
            "%s is a tensor, whose elements are drawn: behind the parentheses write with %s in 0..1, or with %s ~ 0.1",
            it->name, it->name, it->name);
    else if (near)
        diag_suggest(s->ctx, d, it->name_span, near);
    return false;
}

/* check f(8, 16): with the names of the dimensions, in their order. */
static void report_positional(Sema *s, const AstDecl *d) {
    Text t = {.ctx = s->ctx};
    for (int i = 0; i < s->g->dims.n; i++)
        text_fmt(&t, "%s%s = %s", i ? ", " : "", s->g->dims.at[i]->name,
                 i < d->args->v.n ? sema_quote(s, d->args->v.at[i].span) : "37");
    Diag *g = SEMA_REPORT(s, BAD_CHECK, d->args->v.at[0].span, "values are given by name");
    diag_help(s->ctx, g, "write %s(%s)", d->name, t.n ? t.s : "");
}

static bool add_binding(Sema *s, Inst *inst, const AstDecl *at, const AstItem *it, Check *c) {
    Binding b = {.name = it->name};
    if (it->kind != ITEM_NAMED) {
        report_positional(s, at);
        return false;
    }
    Dim *dim = dim_named(s->g, it->name);
    if (!dim && !scalar_named(s->g, it->name)) return unknown_binding(s, it);
    if (!constant(s, inst, it->value, &b.value, &b.ivalue)) return false;
    if (dim && b.value != (double)b.ivalue) {
        SEMA_REPORT(s, BAD_CHECK, it->span, "%s is a dimension: an integer is needed", it->name);
        return false;
    }
    if (dim && !c->error && (b.ivalue < dim->lo || b.ivalue > dim->hi || b.ivalue % dim->divisor != 0)) {
        if (b.ivalue >= 0) {
            SEMA_REPORT(s, BAD_CHECK, it->span, "%s = %lld is outside what `dim %s` allows", it->name,
                        (long long)b.ivalue, it->name);
            return false;
        }
        Diag *d = SEMA_REPORT(s, BAD_CHECK, it->span, "%s = %lld: a dimension is not negative", it->name,
                              (long long)b.ivalue);
        diag_help(s->ctx, d, "for a number of any sign write %s: i64 in the header", it->name);
        return false;
    }
    Name *n = sema_bind(s, inst, it->name, NAME_VALUE, it->span);
    if (!n) return false;
    n->value = dim ? expr_int(s->g, TY_I64, b.ivalue) : expr_literal(s->g, true, 0, b.value);
    vec_push(s->ctx, &c->bindings, b);
    return true;
}

static bool all_bound(Sema *s, const AstDecl *d, Inst *inst) {
    bool ok = true;
    for (int i = 0; i < s->g->dims.n; i++) {
        const Dim *dim = s->g->dims.at[i];
        if (sema_name(inst, dim->name)) continue;
        if (dim->has_default) {
            sema_bind(s, inst, dim->name, NAME_VALUE, d->span)->value = expr_int(s->g, TY_I64, dim->def);
            continue;
        }
        Diag *g = SEMA_REPORT(s, CHECK_VALUE, d->name_span, "%s needs a value for %s", d->name, dim->name);
        diag_help(s->ctx, g, "give it by name: %s(..., %s = 37)", d->name, dim->name);
        ok = false;
    }
    for (int i = 0; i < s->g->scalars.n; i++) {
        const Scalar *x = s->g->scalars.at[i];
        if (x->has_default || sema_name(inst, x->name)) continue;
        SEMA_REPORT(s, CHECK_VALUE, d->name_span, "%s needs a value for %s", d->name, x->name);
        ok = false;
    }
    return ok;
}

static bool add_draw(Sema *s, Inst *inst, const AstDraw *w, Check *c) {
    InputSpec in = {.name = w->name, .uniform = w->scale == NULL, .scale = 1};
    int64_t iv;
    if (!input_named(s->g, w->name)) {
        VEC(const char *) names = {0};
        for (int i = 0; i < s->g->tensors.n; i++)
            if (input_named(s->g, s->g->tensors.at[i]->name)) vec_push(s->ctx, &names, s->g->tensors.at[i]->name);
        const char *near = diag_near(w->name, names.at, names.n);
        Diag *d = SEMA_REPORT(s, UNKNOWN_PARAMETER, w->span, "%s has no input %s", s->g->name, w->name);
        if (near) diag_help(s->ctx, d, "did you mean %s?", near);
        return false;
    }
    if (w->scale && !constant(s, inst, w->scale, &in.scale, &iv)) return false;
    if (w->lo && !constant(s, inst, w->lo, &in.lo, &iv)) return false;
    if (w->hi && !constant(s, inst, w->hi, &in.hi, &iv)) return false;
    vec_push(s->ctx, &c->inputs, in);
    return true;
}

void sema_check_stmt(Sema *s, AstDecl *d) {
    Check c = {.entry = d->name, .bench = d->kind == DECL_BENCH, .tol = -1, .error = d->error, .span = d->span};
    if (!entry_of(s, d)) return;
    Inst *inst = NEW(s->ctx, Inst);
    inst->file = s->root;
    bool ok = true;
    int64_t iv;
    s->known = known_new(s->g);
    for (int i = 0; d->args && i < d->args->v.n; i++) ok = ok && add_binding(s, inst, d, &d->args->v.at[i], &c);
    ok = ok && (all_bound(s, d, inst) || c.error);
    for (int i = 0; ok && i < d->draws.n; i++) ok &= add_draw(s, inst, &d->draws.at[i], &c);
    if (ok && d->tol) ok = constant(s, inst, d->tol, &c.tol, &iv);
    if (ok) vec_push(s->ctx, &s->module->checks, c);
}
