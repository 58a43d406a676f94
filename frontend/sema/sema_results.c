/* The types in which an export stores the results of its function: export g = f(T = bf16) -> bf16; What the function
 * computes stays as it is, also where its equations read a result: each element is rounded once, when it is stored. */
#include "sema_int.h"

#include <string.h>

static bool wrong_count(Sema *s, const AstDecl *fn, const AstTypes *types) {
    int n = fn->results->v.n;
    Span span = ast_span_join(types->v.at[0]->span, types->v.at[types->v.n - 1]->span);
    Diag *d = SEMA_REPORT(s, EXPORT_TYPES, span, "%s has %d result%s, and there %s %d type%s", fn->name, n,
                          n == 1 ? "" : "s", types->v.n == 1 ? "is" : "are", types->v.n, types->v.n == 1 ? "" : "s");
    Text list = {.ctx = s->ctx};
    for (int i = 0; i < n; i++) text_fmt(&list, "%s%s", i ? ", " : "", i < types->v.n ? types->v.at[i]->name : "_");
    if (n) diag_help(s->ctx, d, "write -> (%s); _ leaves the type of the header", list.s);
    return false;
}

static bool store_as(Sema *s, Inst *inst, Definition *d, const AstType *as) {
    const AstType *header = d->param->type;
    Type from, to;
    if (!strcmp(as->name, "_")) return true;
    if (!sema_type(s, inst, as->name, as->args, as->span, &to)) return false;
    if (!header || !sema_type(s, inst, header->name, header->args, header->span, &from)) return false;
    if (from == to) return true;
    if (type_is_float(from) && type_is_float(to)) {
        d->retyped = true;
        d->stored = to;
        return true;
    }
    Diag *g = SEMA_REPORT(s, EXPORT_TYPES, as->span, "the result %s is %s, and is not stored as %s", d->name,
                          type_name(from), type_name(to));
    diag_note(s->ctx, g, d->param->span, "declared here");
    diag_help(s->ctx, g, "only a float is rounded to another type of float; _ leaves %s", type_name(from));
    return false;
}

bool sema_result_types(Sema *s, Inst *inst, const AstDecl *exported) {
    const AstTypes *types = exported->types;
    const AstDecl *fn = inst->fn;
    bool ok = true;
    if (!types) return true;
    if (!fn->results) {
        Diag *d = SEMA_REPORT(s, EXPORT_TYPES, types->v.at[0]->span, "%s has no results in memory", fn->name);
        diag_help(s->ctx, d, "a function of the host gives what its header or its expression says");
        return false;
    }
    if (types->v.n != fn->results->v.n) return wrong_count(s, fn, types);
    for (int i = 0, at = 0; i < inst->defs.n && at < types->v.n; i++)
        if (inst->defs.at[i]->kind == TENSOR_OUTPUT) ok &= store_as(s, inst, inst->defs.at[i], types->v.at[at++]);
    return ok;
}
