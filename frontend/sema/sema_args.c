/* What a call gives a function, before it is worked out: an instance for it, which argument is for which parameter. */
#include "sema_int.h"

#include <string.h>

Inst *sema_inst_new(Sema *s, FnRef f, Inst *caller, Span span) {
    int depth = caller ? caller->depth + 1 : 0;
    if (s->recursive && s->recursive == f.decl) return NULL;
    if (depth > MAX_CALL_DEPTH) {
        s->recursive = f.decl;
        diag_report(s->ctx, DIAG_RECURSION, span, "%s calls itself, directly or through others, more than %d deep",
                    f.decl->name, MAX_CALL_DEPTH);
        return NULL;
    }
    if (++s->instances > MAX_INSTANCES) {
        /* Once, at the entry: the place where the number is reached says little. */
        SEMA_REPORT(s, LIMIT, s->g->span, "more than %d calls once functions are inlined", MAX_INSTANCES);
        return NULL;
    }
    Inst *inst = NEW(s->ctx, Inst);
    inst->file = f.file;
    inst->fn = f.decl;
    inst->caller = caller;
    inst->call = span;
    inst->depth = depth;
    return inst;
}

void sema_given(Sema *s, Inst *inst, Span at, Type type, int rank) {
    vec_push(s->ctx, &inst->given, ((Given){at, type, rank}));
}

/* ---- arguments ---- */

const AstExpr *sema_named_arg(const AstItems *args, Sym name) {
    for (int i = 0; args && i < args->v.n; i++)
        if (args->v.at[i].kind == ITEM_NAMED && args->v.at[i].name == name) return args->v.at[i].value;
    return NULL;
}

int sema_param_index(const AstDecl *fn, Sym name) {
    for (int i = 0; fn->params && i < fn->params->v.n; i++)
        if (fn->params->v.at[i].name == name) return i;
    return -1;
}

bool sema_is_generic(const AstDecl *fn, Sym name) {
    for (int i = 0; fn->generics && i < fn->generics->v.n; i++)
        if (fn->generics->v.at[i].name == name) return true;
    return false;
}

/* How the function is called. */
static void help_signature(Sema *s, Diag *d, const AstDecl *fn) {
    Text t = {.ctx = s->ctx}, named = {.ctx = s->ctx};
    for (int i = 0; fn->params && i < fn->params->v.n; i++) {
        const AstParam *p = &fn->params->v.at[i];
        text_fmt(&t, "%s%s%s%s", i ? ", " : "", p->name, p->def ? " = " : "",
                 p->def ? sema_quote(s, p->def->span) : "");
    }
    for (int i = 0; fn->generics && i < fn->generics->v.n; i++)
        if (fn->generics->v.at[i].kind != GENERIC_TYPE)
            text_fmt(&named, "%s%s", named.n ? ", " : "", fn->generics->v.at[i].name);
    diag_help(s->ctx, d, "call it as %s(%s)%s%s", fn->name, t.n ? t.s : "", named.n ? "; by name alone: " : "",
              named.n ? named.s : "");
}

void sema_bad_argument(Sema *s, const AstDecl *fn, const AstItem *it) {
    VEC(const char *) c = {0};
    for (int i = 0; fn->params && i < fn->params->v.n; i++) vec_push(s->ctx, &c, fn->params->v.at[i].name);
    for (int i = 0; fn->generics && i < fn->generics->v.n; i++) vec_push(s->ctx, &c, fn->generics->v.at[i].name);
    const char *near = diag_near(it->name, c.at, c.n);
    Diag *d = SEMA_REPORT(s, UNKNOWN_PARAMETER, it->span, "%s has no parameter or dimension %s", fn->name, it->name);
    static const char *const axes[] = {"dim", "axis", "axes", "dims"};
    bool axis = false;
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) axis = axis || !strcmp(axes[i], it->name);
    bool last = axis && it->value->kind == AST_UNARY;
    if (last)
        diag_help(s->ctx, d, "%s works along the last dimension: leave %s out", fn->name, sema_quote(s, it->span));
    else if (axis)
        diag_help(s->ctx, d,
                  "%s works along the last dimension: make it the last, let t[j, i] = x[i, j]; y[i, j] = %s(t)[j, i];",
                  fn->name, fn->name);
    else if (near)
        diag_suggest(s->ctx, d, it->name_span, near);
    else
        help_signature(s, d, fn);
}

bool sema_match_args(Sema *s, const AstDecl *fn, const AstItems *args, Span span, const AstExpr **arg) {
    int at = 0, n = fn->params ? fn->params->v.n : 0;
    for (int i = 0; args && i < args->v.n; i++) {
        const AstItem *it = &args->v.at[i];
        int k = at;
        if (it->kind == ITEM_NAMED) {
            k = sema_param_index(fn, it->name);
            if (k < 0 && !sema_is_generic(fn, it->name) && !sema_names_dim(fn, it->name)) {
                sema_bad_argument(s, fn, it);
                return false;
            }
            if (k < 0) continue;
        } else if (it->kind != ITEM_EXPR) {
            SEMA_REPORT(s, ARGUMENTS, it->span, "this cannot be an argument");
            return false;
        } else {
            at++;
        }
        if (k >= n) {
            Diag *d =
                SEMA_REPORT(s, TOO_MANY_ARGUMENTS, it->span, "%s takes %d argument%s", fn->name, n, n == 1 ? "" : "s");
            help_signature(s, d, fn);
            return false;
        }
        if (arg[k]) {
            SEMA_REPORT(s, DUPLICATE_ARGUMENT, it->span, "%s is given twice", fn->params->v.at[k].name);
            return false;
        }
        arg[k] = it->value;
    }
    if (args && args->guard) {
        SEMA_REPORT(s, MISPLACED_WHERE, args->guard->span, "a call has no where");
        return false;
    }
    for (int k = 0; k < n; k++)
        if (!arg[k] && !fn->params->v.at[k].def) {
            Diag *d = SEMA_REPORT(s, MISSING_ARGUMENT, span, "%s needs an argument for %s", fn->name,
                                  fn->params->v.at[k].name);
            diag_note(s->ctx, d, fn->params->v.at[k].span, "this parameter");
            help_signature(s, d, fn);
            return false;
        }
    return true;
}

Definition *sema_inout_argument(Sema *s, Inst *inst, const AstParam *p, const AstExpr *e, const AstExpr *call) {
    for (int i = 0; e && e->kind == AST_NAME && i < inst->defs.n; i++)
        if (inst->defs.at[i]->kind == TENSOR_INOUT && inst->defs.at[i]->name == e->name) return inst->defs.at[i];
    Diag *d = SEMA_REPORT(s, INOUT_ARGUMENT, e ? e->span : call->span,
                          "%s of %s is inout: it takes a whole inout parameter of the caller", p->name, call->a->name);
    diag_note(s->ctx, d, p->span, "declared here");
    if (e && e->kind == AST_NAME) diag_help(s->ctx, d, "declare it in the caller's header: inout %s: ...", e->name);
    return NULL;
}
