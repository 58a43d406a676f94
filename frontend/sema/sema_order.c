/* The order of elaboration: a definition is worked out when something needs it, chains of lets without nesting. */
#include "frontend/ast/ast_walk.h"
#include "sema_int.h"

#include <stdlib.h>

/* The definitions that names stand for. */
typedef struct Needs {
    Ctx *ctx;
    Inst *inst;
    VEC(Definition *) found; /* each once, in any order */
    bool all;                /* also those that were found before */
} Needs;

static AstStep find_need(void *user, const AstExpr *e) {
    Needs *n = user;
    Name *x = e->kind == AST_NAME ? sema_name(n->inst, e->name) : NULL;
    bool open = x && x->kind == NAME_DEF && x->def->state == DEF_NEW;
    if (open && (n->all || x->def->need == NEED_NONE)) {
        if (x->def->need == NEED_NONE) x->def->need = NEED_FOUND;
        vec_push(n->ctx, &n->found, x->def);
    }
    return AST_INTO;
}

static void find_def_needs(Needs *n, const Definition *d) {
    ast_walk(d->by_call, find_need, n);
    for (int k = 0; k < d->pieces.n; k++) {
        ast_walk(d->pieces.at[k].stmt->value, find_need, n);
        ast_walk(d->pieces.at[k].stmt->guard, find_need, n);
        ast_walk_items(d->pieces.at[k].target->index, find_need, n);
    }
}

static int by_place(const void *a, const void *b) {
    return (*(Definition *const *)a)->at - (*(Definition *const *)b)->at;
}

/* Defines lets that d needs and that stand after it before it, without nesting. */
static void define_in_turn(Sema *s, Definition *d) {
    Needs n = {.ctx = s->ctx, .inst = d->inst, .all = true};
    vec_push(s->ctx, &n.found, d);
    while (n.found.n > 0) {
        Definition *x = n.found.at[n.found.n - 1];
        if (x->state == DEF_NEW && x->need != NEED_OPEN && x->kind == TENSOR_LET) {
            x->need = NEED_OPEN;
            find_def_needs(&n, x);
            continue;
        }
        n.found.n--;
        if (x->need == NEED_OPEN && x->state == DEF_NEW) sema_define(s, x);
    }
}

bool sema_define_needed(Sema *s, Definition *d) {
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

static Sym full_name(Sema *s, const Definition *d) {
    return d->inst->prefix ? sym_fmt(s->ctx, "%s_%s", d->inst->prefix, d->name) : d->name;
}

bool sema_define(Sema *s, Definition *d) {
    if (d->state == DEF_DONE) return true;
    if (d->state == DEF_FAILED) return false;
    if (d->state == DEF_BUSY) {
        sema_report_cycle(s, d, s->defining == full_name(s, d));
        return false;
    }
    d->state = DEF_BUSY;
    ExprVec path = s->known->path;
    Sym defining = s->defining;
    const Inst *inst = s->inst;
    s->known->path = (ExprVec){0};
    s->defining = full_name(s, d);
    s->inst = d->inst;
    bool ok = sema_equations(s, d);
    s->known->path = path;
    s->defining = defining;
    s->inst = inst;
    d->state = ok ? DEF_DONE : DEF_FAILED;
    return ok;
}
