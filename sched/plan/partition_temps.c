/* Temporaries: which variables one has, which equation, and what is in memory already. See partition.h. */
#include "partition.h"

#include "ir/expr_walk.h"

/* Whether e is a mark that was read at these variables, in any order. */
static Found is_mark_of(const Expr *e, const void *user) {
    const ExprVars *vars = user;
    int same = 0;
    if (!e->reduces) return FOUND_NOT;
    if (!expr_is_mark(e) || e->nargs != vars->n + 1) return FOUND_INSIDE;
    for (int j = 1; j < e->nargs; j++) same += e->arg[j]->op == OP_VAR && expr_vars_have(vars, e->arg[j]->u.var);
    return same == vars->n ? FOUND : FOUND_INSIDE;
}

/* The free variables of e, in the order of a let in it, else of the reader's where they are all its own, else of
 * appearance; -1: more than a tensor may have. */
static int ordered_vars(Partition *x, const Expr *e, const Equation *reader, Var **vars) {
    const ExprVars *f = expr_free(&x->free, e);
    int n = f->n;
    ExprSet seen = {0};
    if (n > MAX_RANK) return -1;
    for (int i = 0; i < n; i++) vars[i] = f->vars[i];
    const Expr *mark = expr_find(x->temp, &seen, e, is_mark_of, f);
    for (int i = 0; mark && i < n; i++) vars[i] = mark->arg[i + 1]->u.var;
    Var *own[MAX_RANK];
    int nown = 0;
    for (int i = 0; !mark && i < reader->nvars; i++)
        for (int j = 0; j < n; j++)
            if (vars[j] == reader->vars[i] && nown < MAX_RANK) own[nown++] = vars[j];
    for (int i = 0; nown == n && i < n; i++) vars[i] = own[i];
    return n;
}

Sym partition_temp_name(Partition *x, Sym base) { return plan_name(x->plan, sym_fmt(x->g->ctx, "%s_t", base)); }

bool partition_temp_element(Partition *x, const Expr *e, const Equation *reader, Var **vars, Equation *r,
                            const Expr ***subs) {
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

bool partition_temp_root(Partition *x, const Expr *e, const Equation *reader, Equation *r, const Expr ***subs) {
    Var *vars[MAX_RANK];
    const Expr *from[MAX_RANK], *to[MAX_RANK];
    if (!partition_temp_element(x, e, reader, vars, r, subs)) return false;
    for (int i = 0; i < r->nvars; i++) {
        from[i] = expr_var(x->g, vars[i]);
        to[i] = expr_var(x->g, r->vars[i]);
    }
    r->value = r->nvars ? expr_replace(x->g, e, from, to, r->nvars) : e;
    return true;
}

static Tensor *temp_tensor(Partition *x, const Equation *r, const Equation *reader) {
    Tensor *t = NEW(x->g->ctx, Tensor);
    *t = (Tensor){.name = partition_temp_name(x, reader->tensor->name),
                  .kind = TENSOR_LET,
                  .type = r->value->type,
                  .rank = r->nvars,
                  .id = x->g->tensors.n + x->plan->temps.n,
                  .span = reader->tensor->span};
    t->shape = NEW_N(x->g->ctx, const Expr *, r->nvars);
    for (int i = 0; i < r->nvars; i++) t->shape[i] = expr_minus(x->g, r->vars[i]->hi, r->vars[i]->lo);
    return t;
}

/* The tensor is declared; what follows waits until it is placed. */
static const Expr *want(Partition *x, Equation r, const char *why, const Equation *reader) {
    plan_store(x->plan, r.tensor, why, reader->tensor);
    x->wanted = r;
    return NULL;
}

static const Expr *stored_let(Partition *x, const Expr *mark, const Equation *reader, const char *why) {
    Prepared *let = prepare_let(x->prep, mark);
    if (let->stored) return expr_load(x->g, let->tensor, prepare_subs(mark));
    let->stored = true;
    return want(x, prepare_root(let, 0), why, reader);
}

const Expr *partition_stored(Partition *x, const Expr *e, const Equation *reader, const char *why) {
    Equation r;
    const Expr **subs;
    while (x->plan->dims && expr_is_mark(e)) e = e->arg[0]; /* a let is in memory always, or never */
    if (expr_is_mark(e)) return stored_let(x, e, reader, why);
    if (!partition_temp_root(x, e, reader, &r, &subs)) { /* callers know that it has not too many variables */
        text_fmt(x->why, "`%s` has too many variables", reader->tensor->name);
        x->failed = true;
        return NULL;
    }
    Tensor *t = expr_map_object(&x->temps, r.value);
    if (t) return expr_load(x->g, t, subs);
    r.tensor = temp_tensor(x, &r, reader);
    expr_map_put_object(x->g->ctx, &x->temps, r.value, r.tensor);
    return want(x, r, why, reader);
}

/* ---- what is stored already ---- */

/* What a sort makes comes behind its keys. */
int partition_level(const Partition *x, const Tensor *t) {
    if (t->sort) t = t->sort->keys;
    return (int)expr_map_number(&x->levels, t, -1);
}

typedef struct Leveling {
    const Partition *x;
    int level;
} Leveling;

static Found raise_level(const Expr *e, void *user) {
    Leveling *l = user;
    int level = e->op == OP_LOAD ? partition_level(l->x, e->u.tensor) + 1 : 0;
    if (level > l->level) l->level = level;
    return FOUND_INSIDE;
}

int partition_root_level(Partition *x, const Equation *r) {
    Leveling l = {.x = x};
    ExprWalk w = {.temp = x->temp, .before = raise_level, .user = &l, .loads = true};
    expr_walk(&w, r->value);
    expr_walk(&w, r->guard);
    return l.level;
}

typedef struct Reuse {
    Partition *x;
    int level; /* of the reader */
} Reuse;

/* The element of a mark's let where a kernel before the reader's has stored it. */
static const Expr *stored_mark(ExprRewrite *r, const Expr *e) {
    const Reuse *u = r->user;
    if (!expr_is_mark(e)) return NULL;
    const Prepared *let = prepare_let(u->x->prep, e);
    int level = let->stored ? partition_level(u->x, let->tensor) : -1;
    return level >= 0 && u->level > level ? expr_load(r->g, let->tensor, prepare_subs(e)) : NULL;
}

const Expr *partition_reuse(Partition *x, int level, const Expr *e) {
    Reuse u = {.x = x, .level = level};
    ExprRewrite r = {.g = x->g, .temp = x->temp, .before = stored_mark, .user = &u, .reduces = true};
    return expr_rewrite(&r, e);
}
