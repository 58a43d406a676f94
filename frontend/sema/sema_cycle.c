/* What is said of definitions that need themselves: a value that was there before, a recurrence, a circle. */
#include "frontend/ast/ast_walk.h"
#include "sema_int.h"

#include <string.h>

/* A name and where it is read. */
typedef struct Search {
    Sym name;
    const AstExpr *found;
} Search;

static AstStep reads(void *user, const AstExpr *e) {
    Search *x = user;
    bool here = e->kind == AST_NAME ? e->name == x->name
                                    : e->kind == AST_INDEX && e->a->kind == AST_NAME && e->a->name == x->name;
    if (here) x->found = e;
    return here ? AST_END : AST_INTO;
}

/* The first load of the name in e; NULL: none. */
static const AstExpr *load_of(const AstExpr *e, Sym name) {
    Search x = {.name = name};
    ast_walk(e, reads, &x);
    return x.found;
}

/* Whether what is read has the subscripts of what is defined. */
static bool same_element(Sema *s, const AstTarget *to, const AstExpr *read) {
    if (read->kind != AST_INDEX || !to->index) return read->kind != AST_INDEX && !to->index;
    return !strcmp(sema_quote(s, to->index->span), sema_quote(s, read->items->span));
}

static void report_self(Sema *s, const Definition *d) {
    const AstExpr *read = NULL;
    const Equation *p = NULL;
    for (int i = 0; i < d->pieces.n && !read; i++) {
        p = &d->pieces.at[i];
        read = load_of(p->stmt->value, d->name);
    }
    Diag *g = SEMA_REPORT(s, SELF_REFERENCE, read ? read->span : d->span, "the definition of %s reads %s itself",
                          d->name, d->name);
    diag_note(s->ctx, g, d->span, "%s is computed all at once, for all its elements", d->name);
    if (d->pieces.n > 1) {
        diag_help(s->ctx, g,
                  "a tensor is defined as a whole: give the part that is read a name of its own, let t[...] = ...; and "
                  "write t in both pieces");
    } else if (read && same_element(s, p->target, read)) {
        diag_help(s->ctx, g,
                  "it has no value before: read an input instead, or, to update a tensor in place, declare it "
                  "among the parameters: inout %s: ...",
                  d->name);
    } else {
        diag_help(s->ctx, g,
                  "a recurrence is written out: y[t] = y[t - 1] + e[t] is sum[k where k <= t](e[k]), and so for max, "
                  "min and prod");
        diag_help(s->ctx, g, "y[t] = a * y[t - 1] + e[t] is sum[k where k <= t](a ** (t - k) * e[k])");
    }
}

void sema_report_cycle(Sema *s, const Definition *d, bool self) {
    if (self) {
        report_self(s, d);
        return;
    }
    Diag *g = SEMA_REPORT(s, CYCLE, d->span, "%s is needed for its own definition", d->name);
    const Definition *other = NULL;
    for (int i = 0; i < d->inst->defs.n; i++) {
        const Definition *x = d->inst->defs.at[i];
        if (x == d || x->state != DEF_BUSY || x->inst != d->inst) continue;
        diag_note(s->ctx, g, x->span, "through %s", x->name);
        other = x;
    }
    if (other)
        diag_help(s->ctx, g,
                  "one of %s and %s must follow from inputs alone: write its equation without the other; a value that "
                  "goes from call to call is an inout parameter",
                  d->name, other->name);
}
