/* Where a report stands. What goes wrong in a function may be the fault of its call: the calls that led there are notes
 * of the report, and one about a file other than the one that is compiled stands at the call that entered it. */
#include "frontend/ast/builtins.h"
#include "sema_int.h"

#include <string.h>

enum { SHOWN_CALLS = 4 };

static bool contains(Span whole, Span part) {
    return whole.file == part.file && whole.start <= part.start && part.end <= whole.end;
}

/* The instance around the work whose text the place is of: arguments are the caller's text. Else the one in work. */
static const Inst *instance_at(const Sema *s, Span span) {
    for (const Inst *i = s->inst; i; i = i->caller)
        if (contains(i->fn->span, span)) return i;
    return s->inst;
}

/* The call in the file that is compiled through which `in` was entered; NULL: there is none. */
static const Inst *entered_by(const Sema *s, const Inst *in) {
    while (in && in->call.file != s->root->ast->file) in = in->caller;
    return in;
}

/* Names belong to the text alone, whoever calls the function. */
static bool depends_on_call(DiagCode code) {
    return diag_severity(code) == SEV_ERROR && diag_code_class(code) != DIAG_CLASS_NAMES;
}

/* One note for each call from `in` out, and for the instance that is exported. */
static void note_calls(Sema *s, Diag *d, const Inst *in) {
    int n = 0;
    for (const Inst *i = in; i && i->call.file >= 0; i = i->caller)
        if (n++ < SHOWN_CALLS)
            diag_note(s->ctx, d, i->call, i->caller ? "in %s, called here" : "in %s, of which this is an instance",
                      i->fn->name);
    if (n > SHOWN_CALLS) diag_note(s->ctx, d, SPAN_NONE, "and %d calls around these", n - SHOWN_CALLS);
}

const char *sema_index_names(Sema *s, int rank) {
    Text t = {.ctx = s->ctx};
    for (int i = 0; i < rank; i++) text_fmt(&t, "%s%c", i ? ", " : "", "ijklmnpq"[i % 8]);
    return t.s ? t.s : "";
}

/* Where types do not fit inside: the argument that is no float, to be converted before the call. */
static void advise_floats(Sema *s, Diag *d, const Inst *call) {
    for (int i = 0; i < call->given.n; i++) {
        const Given *a = &call->given.at[i];
        const char *type = type_name(a->type), *text = sema_quote(s, a->at);
        if (type_is_float(a->type)) continue;
        if (a->rank < 0) {
            diag_advise(s->ctx, d, "%s is %s: convert it, f32(%s)", text, type, text);
        } else {
            const char *subs = sema_index_names(s, a->rank);
            diag_advise(s->ctx, d, "%s is %s[...]: convert it first, let t[%s] = f32(%s[%s]); and call %s(t)", text,
                        type, subs, text, subs, call->fn->name);
        }
        return;
    }
    if (call->fn->kind == DECL_REDUCE)
        diag_advise(s->ctx, d, "%s reduces floats: convert its operand, f32(...)", call->fn->name);
    for (int i = 0; call->caller == NULL && i < call->names.n; i++) {
        const Name *n = &call->names.at[i];
        if (n->kind == NAME_TYPE && !type_is_float(n->type))
            diag_advise(s->ctx, d, "%s is %s here: give it a float type, %s = f32", n->name, type_name(n->type),
                        n->name);
    }
}

Diag *sema_report(Sema *s, DiagCode code, Span span, const char *fmt, ...) {
    Text text = {.ctx = s->ctx};
    va_list ap;
    va_start(ap, fmt);
    text_vfmt(&text, fmt, ap);
    va_end(ap);
    const Inst *in = span.file >= 0 && depends_on_call(code) ? instance_at(s, span) : NULL;
    const Inst *call = in && span.file != s->root->ast->file ? entered_by(s, in) : NULL;
    if (!call) {
        Diag *d = diag_report(s->ctx, code, span, "%s", text.s ? text.s : "");
        if (in && contains(in->fn->span, span)) note_calls(s, d, in);
        return d;
    }
    for (int i = 0; i < s->refused.n; i++) /* once: the rest follows from it */
        if (contains(s->refused.at[i], call->call) && contains(call->call, s->refused.at[i]))
            return diag_nothing(s->ctx);
    vec_push(s->ctx, &s->refused, call->call);
    Diag *d = diag_report(s->ctx, code, call->call, "%s: %s", call->fn->name, text.s ? text.s : "");
    if (in->file->library) diag_moved(d);
    diag_note(s->ctx, d, span, "in %s, here", in->fn->name);
    for (const Inst *i = in; i != call; i = i->caller)
        diag_note(s->ctx, d, i->call, "which %s calls here", i->caller->fn->name);
    note_calls(s, d, call->caller);
    if (diag_code_class(code) == DIAG_CLASS_TYPES) advise_floats(s, d, call);
    return d;
}

/* ---- what a report quotes ---- */

Sym sema_show(Sema *s, const Expr *e) {
    Text t = {.ctx = s->ctx};
    PolyEnv env = {.g = s->g};
    if (e->type == TY_I64 && known_is_small(e) && !known_uses_data(e)) {
        Poly p = poly_of(&env, e);
        if (!p.failed) e = poly_expr(s->g, p);
    }
    expr_print(&t, e, NULL);
    return sym_n(s->ctx, t.s ? t.s : "", t.n);
}

Sym sema_show_ast(Sema *s, const AstExpr *e) {
    size_t n;
    const char *text = diag_file_text(s->ctx, e->span.file, &n);
    if (!text || e->span.end > n || e->span.start > e->span.end) return sym(s->ctx, "");
    return sym_n(s->ctx, text + e->span.start, e->span.end - e->span.start);
}

Sym sema_quote(Sema *s, Span span) {
    AstExpr e = {.span = span};
    Sym text = sema_show_ast(s, &e);
    return *text && strlen(text) <= 40 && !strchr(text, '\n') ? text : sym(s->ctx, "...");
}

/* ---- what is not there yet ---- */

/* The parser has said it already of words of the second stage. */
void *sema_not_yet(Sema *s, Span span, const char *what) {
    for (int i = 0; i < diag_count(s->ctx); i++) {
        const Diag *d = diag_at(s->ctx, i);
        if (diag_code(d) == DIAG_NOT_YET && diag_span(d).file == span.file && diag_span(d).start == span.start)
            return NULL;
    }
    Diag *d = SEMA_REPORT(s, NOT_YET, span, "%s: not yet", what);
    const char *instead = builtin_instead(builtin_by_name(what));
    if (instead) diag_help(s->ctx, d, "%s", instead);
    return NULL;
}

void *sema_not_called(Sema *s, const AstExpr *call) {
    const AstExpr *inner = call->a;
    while (inner->kind == AST_CALL || inner->kind == AST_INDEX) inner = inner->a;
    if (inner->kind == AST_NAME && builtin_kind(builtin_by_name(inner->name)) == BUILTIN_IS_FUNCTION)
        return sema_not_yet(s, inner->span, inner->name);
    if (call->a->kind != AST_ERROR)
        SEMA_REPORT(s, NOT_A_FUNCTION, call->a->span, "this is no function: functions are called by their names");
    return NULL;
}
