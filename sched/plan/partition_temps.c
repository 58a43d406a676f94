/* Temporaries: which variables one has, which equation, and what is in memory already. See partition.h. */
#include "partition.h"

#include <stdlib.h>

static bool has_var(const FreeVars *f, const Var *v) {
    for (int i = 0; i < f->n; i++)
        if (f->vars[i] == v) return true;
    return false;
}

static FreeVars *join_vars(Partition *x, FreeVars *a, const FreeVars *b) {
    int more = 0;
    for (int i = 0; i < b->n; i++) more += !has_var(a, b->vars[i]);
    if (!more) return a;
    if (!a->n) return (FreeVars *)b;
    FreeVars *r = NEW(x->own, FreeVars);
    r->vars = NEW_N(x->own, Var *, a->n + more);
    for (int i = 0; i < a->n; i++) r->vars[r->n++] = a->vars[i];
    for (int i = 0; i < b->n; i++)
        if (!has_var(a, b->vars[i])) r->vars[r->n++] = b->vars[i];
    return r;
}

static FreeVars *without_bound(Partition *x, FreeVars *f, const Reduce *reduce) {
    FreeVars *r = NEW(x->own, FreeVars);
    r->vars = NEW_N(x->own, Var *, f->n);
    for (int i = 0; i < f->n; i++) {
        bool bound = false;
        for (int k = 0; k < reduce->nvars; k++) bound |= reduce->vars[k] == f->vars[i];
        if (!bound) r->vars[r->n++] = f->vars[i];
    }
    return r->n < f->n ? r : f;
}

FreeVars *free_of(Partition *x, const Expr *e) {
    FreeVars *f = (FreeVars *)expr_map_get(&x->free, e);
    if (f) return f;
    if (e->op == OP_VAR) {
        f = NEW(x->own, FreeVars);
        f->vars = NEW(x->own, Var *);
        f->vars[f->n++] = e->u.var;
    } else if (!e->nargs) {
        return x->closed;
    } else {
        f = x->closed;
        for (int i = 0; i < e->nargs; i++) f = join_vars(x, f, free_of(x, e->arg[i]));
        if (e->op == OP_REDUCE) f = without_bound(x, f, e->u.reduce);
    }
    expr_map_put(x->own, &x->free, e, f);
    return f;
}

static int by_id(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

Sym free_set(Partition *x, FreeVars *f) {
    if (f->set) return f->set;
    int *ids = NEW_N(x->own, int, f->n);
    for (int i = 0; i < f->n; i++) ids[i] = f->vars[i]->id;
    if (f->n) qsort(ids, (size_t)f->n, sizeof *ids, by_id);
    f->set = sym_n(x->g->ctx, (const char *)ids, sizeof *ids * (size_t)f->n);
    return f->set;
}

/* A mark inside e with the same variables: their order in a let. */
static const Expr *order_of(Partition *x, ExprMap *seen, const Expr *e, Var *const *vars, int n) {
    if (!e->reduces || expr_map_get(seen, e)) return NULL;
    expr_map_put(x->temp, seen, e, e);
    int same = 0;
    for (int i = 0; expr_is_mark(e) && i < n; i++)
        for (int j = 1; j < e->nargs; j++) same += e->arg[j]->op == OP_VAR && e->arg[j]->u.var == vars[i];
    if (expr_is_mark(e) && same == n && e->nargs == n + 1) return e;
    for (int i = 0; i < e->nargs; i++) {
        const Expr *mark = order_of(x, seen, e->arg[i], vars, n);
        if (mark) return mark;
    }
    return NULL;
}

/* The free variables of e, in the order of a let in it, else of the reader's where they are all its own, else of
 * appearance; -1: more than a tensor may have. */
static int ordered_vars(Partition *x, const Expr *e, const Equation *reader, Var **vars) {
    const FreeVars *f = free_of(x, e);
    int n = f->n;
    ExprMap seen = {0};
    if (n > MAX_RANK) return -1;
    for (int i = 0; i < n; i++) vars[i] = f->vars[i];
    const Expr *mark = order_of(x, &seen, e, vars, n);
    for (int i = 0; mark && i < n; i++) vars[i] = mark->arg[i + 1]->u.var;
    Var *own[MAX_RANK];
    int nown = 0;
    for (int i = 0; !mark && i < reader->nvars; i++)
        for (int j = 0; j < n; j++)
            if (vars[j] == reader->vars[i] && nown < MAX_RANK) own[nown++] = vars[j];
    for (int i = 0; nown == n && i < n; i++) vars[i] = own[i];
    return n;
}

Sym plan_name(Plan *plan, Sym stem) {
    Ctx *ctx = plan->graph->ctx;
    for (intptr_t i = (intptr_t)expr_map_get(&plan->numbers, stem) + 1;; i++) {
        Sym name = sym_fmt(ctx, "%s%d", stem, (int)i);
        if (expr_map_get(&plan->names, name)) continue;
        expr_map_put(ctx, &plan->names, name, name);
        expr_map_put(ctx, &plan->numbers, stem, (const void *)i);
        return name;
    }
}

Sym temp_name(Partition *x, Sym base) { return plan_name(x->plan, sym_fmt(x->g->ctx, "%s_t", base)); }

bool temp_element(Partition *x, const Expr *e, const Equation *reader, Var **vars, Equation *r, const Expr ***subs) {
    Graph *g = x->g;
    int n = ordered_vars(x, e, reader, vars);
    if (n < 0) return false;
    const Expr **mine = NEW_N(g->ctx, const Expr *, n);
    *subs = NEW_N(g->ctx, const Expr *, n);
    *r = (Equation){.nvars = n, .vars = NEW_N(g->ctx, Var *, n), .subs = mine};
    for (int i = 0; i < n; i++) {
        r->vars[i] = graph_place_var(g, PLACE_TEMP, i, sym_fmt(g->ctx, "t%d", i), vars[i]);
        (*subs)[i] = expr_minus(g, expr_var(g, vars[i]), vars[i]->lo);
        mine[i] = expr_minus(g, expr_var(g, r->vars[i]), vars[i]->lo);
    }
    return true;
}

bool temp_root(Partition *x, const Expr *e, const Equation *reader, Equation *r, const Expr ***subs) {
    Var *vars[MAX_RANK];
    const Expr *from[MAX_RANK], *to[MAX_RANK];
    if (!temp_element(x, e, reader, vars, r, subs)) return false;
    for (int i = 0; i < r->nvars; i++) {
        from[i] = expr_var(x->g, vars[i]);
        to[i] = expr_var(x->g, r->vars[i]);
    }
    r->value = r->nvars ? expr_replace(x->g, e, from, to, r->nvars) : e;
    return true;
}

static Tensor *temp_tensor(Partition *x, const Equation *r, const Equation *reader) {
    Tensor *t = NEW(x->g->ctx, Tensor);
    *t = (Tensor){.name = temp_name(x, reader->tensor->name),
                  .kind = TENSOR_LET,
                  .type = r->value->type,
                  .rank = r->nvars,
                  .id = x->g->tensors.n + x->plan->temps.n,
                  .span = reader->tensor->span};
    t->shape = NEW_N(x->g->ctx, const Expr *, r->nvars);
    for (int i = 0; i < r->nvars; i++) t->shape[i] = expr_minus(x->g, r->vars[i]->hi, r->vars[i]->lo);
    return t;
}

const Expr *as_temp(Partition *x, const Expr *e, const Equation *reader) {
    Equation r;
    const Expr **subs;
    if (!temp_root(x, e, reader, &r, &subs)) return NULL;
    Tensor *t = (Tensor *)expr_map_get(&x->temps, r.value);
    if (!t) {
        r.tensor = t = temp_tensor(x, &r, reader);
        expr_map_put(x->g->ctx, &x->temps, r.value, t);
        vec_push(x->g->ctx, &x->plan->temps, t);
        place(x, r);
    }
    return expr_load(x->g, t, subs);
}

const Expr *as_let(Partition *x, const Expr *mark) {
    Def *let = (Def *)expr_map_get(&x->defs.of, mark->u.tensor);
    if (!let->stored) {
        let->stored = true;
        vec_push(x->g->ctx, &x->plan->temps, let->tensor);
        place(x, defs_root(let, 0));
    }
    return expr_load(x->g, let->tensor, mark->arg + 1);
}
/* ---- what is stored already ---- */

int level_of(const Partition *x, const Tensor *t) { return (int)(intptr_t)expr_map_get(&x->levels, t) - 1; }

static void find_level(Partition *x, ExprMap *seen, const Expr *e, int *level) {
    if (!e || (!e->nargs && e->op != OP_LOAD) || expr_map_get(seen, e)) return;
    expr_map_put(x->temp, seen, e, e);
    int l = e->op == OP_LOAD ? level_of(x, e->u.tensor) + 1 : 0;
    if (l > *level) *level = l;
    for (int i = 0; i < e->nargs; i++) find_level(x, seen, e->arg[i], level);
}

int root_level(Partition *x, const Equation *r) {
    ExprMap seen = {0};
    int level = 0;
    find_level(x, &seen, r->value, &level);
    find_level(x, &seen, r->guard, &level);
    return level;
}

typedef struct Reuse {
    Partition *x;
    int level; /* of the reader */
    ExprMap done;
} Reuse;

/* The element of a mark's let where a kernel before the reader's has stored it; else NULL. */
static const Expr *stored_mark(const Reuse *u, const Expr *e) {
    const Def *let = expr_map_get(&u->x->defs.of, e->u.tensor);
    int level = let->stored ? level_of(u->x, let->tensor) : -1;
    return level >= 0 && u->level > level ? expr_load(u->x->g, let->tensor, e->arg + 1) : NULL;
}

/* e with the lets that kernels before its own have stored loaded instead of computed again. */
static const Expr *reuse(Reuse *u, const Expr *e) {
    Partition *x = u->x;
    if (!e->reduces) return e;
    const Expr *known = expr_map_get(&u->done, e);
    if (known) return known;
    const Expr *r = expr_is_mark(e) ? stored_mark(u, e) : NULL;
    if (!r) {
        const Expr *few[4], **a = e->nargs <= 4 ? few : NEW_N(x->temp, const Expr *, e->nargs);
        for (int i = 0; i < e->nargs; i++) a[i] = reuse(u, e->arg[i]);
        r = expr_with(x->g, e, a);
    }
    expr_map_put(x->temp, &u->done, e, r);
    return r;
}

const Expr *reuse_stored(Partition *x, int level, const Expr *e) {
    Reuse u = {.x = x, .level = level};
    return reuse(&u, e);
}
