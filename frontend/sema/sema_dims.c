/* What the dim lines of a file do beside constraining dimensions (sema_shape.c): the order of an export's dimensions,
 * sizes of bench lines in the place of hints, and what is said of lines that are about nothing. */
#include "frontend/ast/ast_walk.h"
#include "sema_int.h"

/* ---- order ---- */

/* The place of the name in the list, or `none`. */
static int place_in(const AstDecl *order, Sym name, int none) {
    for (int i = 0; i < order->names.n; i++)
        if (order->names.at[i].name == name) return i;
    return none;
}

void sema_order_dims(Sema *s) {
    const AstDecl *order = s->root->order;
    Graph *g = s->g;
    if (!order) return;
    /* By insertion, which leaves those of equal places as the header has them. */
    for (int i = 1; i < g->dims.n; i++) {
        Dim *d = g->dims.at[i];
        int at = place_in(order, d->name, order->names.n), k = i;
        for (; k > 0 && place_in(order, g->dims.at[k - 1]->name, order->names.n) > at; k--)
            g->dims.at[k] = g->dims.at[k - 1];
        g->dims.at[k] = d;
    }
    for (int i = 0; i < g->dims.n; i++) g->dims.at[i]->id = i;
}

/* ---- hints ---- */

void sema_bench_hints(Sema *s) {
    for (int i = 0; i < s->module->checks.n; i++) {
        const Check *c = &s->module->checks.at[i];
        const Graph *g = NULL;
        for (int k = 0; c->bench && !c->error && !g && k < s->module->graphs.n; k++)
            if (s->module->graphs.at[k]->name == c->entry) g = s->module->graphs.at[k];
        for (int k = 0; g && k < c->bindings.n; k++)
            for (int j = 0; j < g->dims.n; j++) {
                Dim *d = g->dims.at[j];
                if (d->name != c->bindings.at[k].name || (d->hint > 0 && !d->benched)) continue;
                if (c->bindings.at[k].ivalue > d->hint) d->hint = c->bindings.at[k].ivalue;
                d->benched = true;
            }
    }
}

/* ---- lines about nothing ---- */

typedef VEC(const char *) Names;

typedef struct DimNames {
    Ctx *ctx;
    Names *out;
} DimNames;

static AstStep add_dim_name(void *user, const AstExpr *e) {
    const DimNames *x = user;
    if (e->kind == AST_CALL) return ast_walk_items(e->items, add_dim_name, user), AST_PAST;
    if (e->kind == AST_NAME) vec_push(x->ctx, x->out, e->name);
    return AST_INTO;
}

/* Of the shapes and `int` parameters in a header. */
static void add_header_dims(Ctx *ctx, const AstDecl *fn, Names *out) {
    const AstParams *lists[] = {fn->params, fn->results};
    for (int k = 0; k < 2; k++)
        for (int i = 0; lists[k] && i < lists[k]->v.n; i++) {
            const AstParam *p = &lists[k]->v.at[i];
            const AstItems *dims = p->type ? p->type->dims : NULL;
            if (p->type && !dims && p->type->name == sym(ctx, "int")) vec_push(ctx, out, p->name);
            for (int n = 0; dims && n < dims->v.n; n++)
                ast_walk(dims->v.at[n].value, add_dim_name, &(DimNames){ctx, out});
        }
}

static bool among(const Names *names, Sym name) {
    for (int i = 0; i < names->n; i++)
        if (names->at[i] == name) return true;
    return false;
}

static void report_idle(Sema *s, Sym name, Span span, const Names *known, const char *who) {
    const char *near = diag_near(name, known->at, known->n);
    Diag *d = SEMA_REPORT(s, IDLE_DIM, span, "no %s has a dimension %s: this does nothing", who, name);
    if (near) {
        diag_suggest(s->ctx, d, span, near);
        return;
    }
    Text list = {.ctx = s->ctx};
    for (int i = 0; i < known->n && i < 8; i++) text_fmt(&list, "%s%s", i ? ", " : "", known->at[i]);
    if (known->n)
        diag_help(s->ctx, d, "there %s %s%s", known->n > 1 ? "are" : "is", list.s, known->n > 8 ? ", ..." : "");
}

static void add_once(Ctx *ctx, Names *names, Sym name) {
    if (!among(names, name)) vec_push(ctx, names, name);
}

void sema_report_idle_dims(Sema *s) {
    const AstFile *file = s->root->ast;
    Names header = {0}, exported = {0}, known = {0};
    bool any = false;
    for (int i = 0; i < file->decls.n; i++) any |= file->decls.at[i]->kind == DECL_DIM;
    if ((!any && !s->root->order) || diag_errors(s->ctx)) return; /* what an export would have had is not known */
    for (int i = 0; i < s->module->graphs.n; i++)
        for (int k = 0; k < s->module->graphs.at[i]->dims.n; k++)
            add_once(s->ctx, &exported, s->module->graphs.at[i]->dims.at[k]->name);
    for (int i = 0; i < exported.n; i++) vec_push(s->ctx, &known, exported.at[i]);
    for (int i = 0; i < file->decls.n; i++)
        if (file->decls.at[i]->kind == DECL_FN) add_header_dims(s->ctx, file->decls.at[i], &header);
    for (int i = 0; i < header.n; i++) add_once(s->ctx, &known, header.at[i]);
    for (int i = 0; i < file->decls.n; i++) {
        const AstDecl *d = file->decls.at[i];
        if (d->kind == DECL_DIM && !expr_map_get(&s->dims_used, d) && !among(&header, d->name))
            report_idle(s, d->name, d->name_span, &known, "function of this file");
        if (d->kind != DECL_ORDER) continue;
        if (d != s->root->order) {
            Diag *g = SEMA_REPORT(s, DUPLICATE_CLAUSE, d->span, "the order of dimensions is given twice");
            diag_note(s->ctx, g, s->root->order->span, "first here");
        }
        for (int k = 0; d == s->root->order && k < d->names.n; k++)
            if (!among(&exported, d->names.at[k].name))
                report_idle(s, d->names.at[k].name, d->names.at[k].span, &exported, "export");
    }
}
