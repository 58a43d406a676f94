/* Loads at places that are data as folds: see gathered.h. */
#include "gathered.h"

#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "ir/poly/known.h"

typedef struct Gathered {
    Graph *g;
    Ctx *temp;
    const Equation *update;
    Known *known; /* the conditions around what is looked at */
    ExprFree free;
    ExprSet none;  /* nodes without loads of the tensor */
    ExprMap *done; /* Expr -> what becomes of it under these conditions */
} Gathered;

static Found may_be_missing(const Expr *e, const void *unused) {
    (void)unused;
    return e->op == OP_LOAD && !load_exists(e) ? FOUND : FOUND_INSIDE;
}

/* A subscript that is an index as the equation's own is: of a row's number, not of a place in it. */
static bool is_row(const Expr *sub, const Expr *own) {
    return sub->op == OP_VAR && own->op == OP_VAR && var_same_range(sub->u.var, own->u.var);
}

/* Whether the fold over the variable, which has the elements that are changed, has the one at this place, too. */
static bool is_inside(const Gathered *x, const Expr *place, const Var *v, const Expr *size) {
    Graph *g = x->g;
    int64_t first;
    if (expr_is_int(v->lo, &first) && !first && v->hi == size) return true; /* all there are */
    const Expr *last = expr_minus(g, v->hi, expr_int(g, TY_I64, 1));
    return known_nonneg(x->known, expr2(g, OP_SUB, place, v->lo)) &&
           known_nonneg(x->known, expr2(g, OP_SUB, last, place));
}

/* Whether the load is at a place that is the same for all of a row. */
static bool is_gathered(Gathered *x, const Expr *load) {
    const Equation *u = x->update;
    ExprVars rows = {.vars = NEW_N(x->temp, Var *, load->nargs + 1)};
    for (int d = 0; d < load->nargs; d++)
        if (is_row(load->arg[d], u->subs[d])) rows.vars[rows.n++] = load->arg[d]->u.var;
    for (int d = 0; d < load->nargs; d++) {
        const Expr *place = load->arg[d];
        if (is_row(place, u->subs[d])) continue;
        const ExprVars *vars = expr_free(&x->free, place);
        for (int i = 0; i < vars->n; i++)
            if (!expr_vars_have(&rows, vars->vars[i])) return false;
        if (u->subs[d]->op != OP_VAR || expr_has(place, may_be_missing, NULL)) return false;
        if (!is_inside(x, place, u->subs[d]->u.var, load->u.tensor->shape[d])) return false;
    }
    return rows.n < load->nargs;
}

static const Expr *fold_of(Gathered *x, const Expr *load) {
    Graph *g = x->g;
    const Type t = load->type, wide = type_acc(t);
    const Expr *subs[MAX_RANK], *guard = NULL;
    Reduce *r = NEW(g->ctx, Reduce);
    *r = (Reduce){.monoid = monoid_row(t == TY_BOOL ? MONOID_ANY : MONOID_MAX)};
    r->vars = NEW_N(g->ctx, Var *, load->nargs);
    for (int d = 0; d < load->nargs; d++) {
        subs[d] = load->arg[d];
        if (is_row(subs[d], x->update->subs[d])) continue;
        const Var *like = x->update->subs[d]->u.var;
        Var *v = r->vars[r->nvars++] = graph_var(g, like->name, like->lo, like->hi);
        subs[d] = expr_var(g, v);
        guard = expr_and(g, guard, expr2(g, OP_EQ, subs[d], load->arg[d]));
    }
    return expr_cast(g, t, expr_reduce(g, r, guard, expr_cast(g, wide, expr_load(g, load->u.tensor, subs))));
}

static const Expr *folded(Gathered *x, const Expr *e);

/* An operand under what its operator says of the places where it is evaluated. */
static const Expr *folded_operand(void *user, const Expr *e, int i, const Expr *const *made) {
    (void)made;
    Gathered *x = user;
    const bool lazy = i && (e->op == OP_IF || e->op == OP_AND || e->op == OP_OR || e->op == OP_REDUCE);
    if (!lazy) return folded(x, e->arg[i]);
    const int mark = known_push(x->known, e->arg[0], e->op == OP_IF ? i == 1 : e->op != OP_OR);
    ExprMap inside = {0}, *around = x->done;
    x->done = &inside;
    const Expr *r = folded(x, e->arg[i]);
    x->done = around;
    known_pop(x->known, mark);
    return r;
}

static const Expr *folded(Gathered *x, const Expr *e) {
    if (!expr_find(x->temp, &x->none, e, expr_test_load, x->update->tensor)) return e;
    const Expr *r = expr_map_get(x->done, e);
    if (r) return r;
    const bool it = e->op == OP_LOAD && e->u.tensor == x->update->tensor && is_gathered(x, e);
    r = it ? fold_of(x, e) : expr_rebuild(x->g, x->temp, e, folded_operand, x);
    expr_map_put(x->temp, x->done, e, r);
    return r;
}

bool gathered_always(Graph *g, const Expr *load) {
    Known *known = known_new(g);
    const Expr *one = expr_int(g, TY_I64, 1);
    for (int d = 0; d < load->nargs; d++) {
        const Expr *at = load->arg[d], *last = expr2(g, OP_SUB, load->u.tensor->shape[d], one);
        if (expr_has(at, may_be_missing, NULL) || !known_nonneg(known, at)) return false;
        if (!known_nonneg(known, expr2(g, OP_SUB, last, at))) return false;
    }
    return true;
}

const Expr *gathered_folds(Graph *g, const Equation *update, const Expr *e) {
    Ctx *temp = ctx_temp(g->ctx);
    ExprMap done = {0};
    Gathered x = {.g = g, .temp = temp, .update = update, .known = known_new(g), .free = {.ctx = temp}, .done = &done};
    const Expr *r = folded(&x, e);
    ctx_temp_end(temp);
    return r;
}
