/* The partition: which equations get a kernel of their own, and which kernels store several tensors. A reduction is
 * taken into the kernel of the tensor that reads it where its rows are the kernel's (a row that is read again) or where
 * it is as large as the tensor itself; any other becomes a temporary. */
#include "prepare.h"
#include "share.h"

#include <stdlib.h>

enum { MAX_ROUNDS = 200 };

typedef VEC(Root) Roots;

typedef struct Partition {
    Graph *g;
    Defs defs;
    Plan *plan;
    VEC(Root) roots;         /* in order of their kernels */
    ExprMap temps;           /* an expression over position variables -> the temporary that holds it */
    ExprMap levels;          /* Tensor -> level_of + 1, of tensors whose roots are placed */
    ExprMap positions;       /* a place and a range -> the variable of temporaries there */
    ExprMap names;           /* of tensors: taken */
    ExprMap numbers;         /* a name -> the number of its last temporary */
    ExprMap free;            /* Expr -> FreeVars */
    struct FreeVars *closed; /* no variables */
    VEC(Group *) alone;      /* of each root */
    Text *why;
    int depth;
    Ctx *temp; /* of the root being placed */
} Partition;

/* ---- temporaries ---- */

/* Free variables in order of appearance, and as a set: equal sets are equal pointers. */
typedef struct FreeVars {
    int n;
    Var **vars;
    Sym set; /* NULL before anybody asked */
} FreeVars;

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
    FreeVars *r = NEW(x->g->ctx, FreeVars);
    r->vars = NEW_N(x->g->ctx, Var *, a->n + more);
    for (int i = 0; i < a->n; i++) r->vars[r->n++] = a->vars[i];
    for (int i = 0; i < b->n; i++)
        if (!has_var(a, b->vars[i])) r->vars[r->n++] = b->vars[i];
    return r;
}

static FreeVars *without_bound(Partition *x, FreeVars *f, const Reduce *reduce) {
    FreeVars *r = NEW(x->g->ctx, FreeVars);
    r->vars = NEW_N(x->g->ctx, Var *, f->n);
    for (int i = 0; i < f->n; i++) {
        bool bound = false;
        for (int k = 0; k < reduce->nvars; k++) bound |= reduce->vars[k] == f->vars[i];
        if (!bound) r->vars[r->n++] = f->vars[i];
    }
    return r->n < f->n ? r : f;
}

static FreeVars *free_of(Partition *x, const Expr *e) {
    FreeVars *f = (FreeVars *)expr_map_get(&x->free, e);
    if (f) return f;
    if (e->op == OP_VAR) {
        f = NEW(x->g->ctx, FreeVars);
        f->vars = NEW(x->g->ctx, Var *);
        f->vars[f->n++] = e->u.var;
    } else if (!e->nargs) {
        return x->closed;
    } else {
        f = x->closed;
        for (int i = 0; i < e->nargs; i++) f = join_vars(x, f, free_of(x, e->arg[i]));
        if (e->op == OP_REDUCE) f = without_bound(x, f, e->u.reduce);
    }
    expr_map_put(x->g->ctx, &x->free, e, f);
    return f;
}

static int by_id(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static Sym free_set(Partition *x, FreeVars *f) {
    if (f->set) return f->set;
    int *ids = NEW_N(x->g->ctx, int, f->n);
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
    for (int i = 0; is_mark(e) && i < n; i++)
        for (int j = 1; j < e->nargs; j++) same += e->arg[j]->op == OP_VAR && e->arg[j]->u.var == vars[i];
    if (is_mark(e) && same == n && e->nargs == n + 1) return e;
    for (int i = 0; i < e->nargs; i++) {
        const Expr *mark = order_of(x, seen, e->arg[i], vars, n);
        if (mark) return mark;
    }
    return NULL;
}

/* The free variables of e, in the order of a let in it, else of the reader's where they are all its own, else of
 * appearance; -1: more than a tensor may have. */
static int ordered_vars(Partition *x, const Expr *e, const Root *reader, Var **vars) {
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

/* The i-th variable of all temporaries that have this range there. */
static Var *position_var(Partition *x, int i, const Var *like) {
    Graph *g = x->g;
    Sym key = sym_fmt(g->ctx, "%d %d %d", i, like->lo->id, like->hi->id);
    Var *v = (Var *)expr_map_get(&x->positions, key);
    if (v) return v;
    v = graph_var(g, sym_fmt(g->ctx, "t%d", i), like->lo, like->hi);
    expr_map_put(g->ctx, &x->positions, key, v);
    return v;
}

static Sym temp_name(Partition *x, Sym base) {
    Ctx *ctx = x->g->ctx;
    for (intptr_t i = (intptr_t)expr_map_get(&x->numbers, base) + 1;; i++) {
        Sym name = sym_fmt(ctx, "%s_t%d", base, (int)i);
        if (expr_map_get(&x->names, name)) continue;
        expr_map_put(ctx, &x->names, name, name);
        expr_map_put(ctx, &x->numbers, base, (const void *)i);
        return name;
    }
}

static void place(Partition *x, Root root);

/* A temporary that holds e for all values of its free variables, made (and placed) unless there is one; the load of it.
 */
static const Expr *as_temp(Partition *x, const Expr *e, const Root *reader) {
    Graph *g = x->g;
    Var *vars[MAX_RANK + 1];
    int n = ordered_vars(x, e, reader, vars);
    if (n < 0) return NULL;
    const Expr *from[MAX_RANK], *to[MAX_RANK], **subs = NEW_N(g->ctx, const Expr *, n),
                                               **mine = NEW_N(g->ctx, const Expr *, n);
    Root r = {.nvars = n, .vars = NEW_N(g->ctx, Var *, n), .subs = mine};
    const Expr *shape[MAX_RANK];
    for (int i = 0; i < n; i++) {
        r.vars[i] = position_var(x, i, vars[i]);
        from[i] = expr_var(g, vars[i]);
        to[i] = expr_var(g, r.vars[i]);
        shape[i] = from_zero(g, vars[i]->hi, vars[i]->lo);
        subs[i] = from_zero(g, from[i], vars[i]->lo);
        mine[i] = from_zero(g, to[i], vars[i]->lo);
    }
    r.value = n ? expr_replace(g, e, from, to, n) : e;
    Tensor *t = (Tensor *)expr_map_get(&x->temps, r.value);
    if (!t) {
        t = NEW(g->ctx, Tensor);
        *t = (Tensor){.name = temp_name(x, reader->tensor->name),
                      .kind = TENSOR_LET,
                      .type = e->type,
                      .rank = n,
                      .span = reader->tensor->span};
        t->shape = NEW_N(g->ctx, const Expr *, n);
        for (int i = 0; i < n; i++) t->shape[i] = shape[i];
        t->id = g->tensors.n + x->plan->temps.n;
        r.tensor = t;
        expr_map_put(g->ctx, &x->temps, r.value, t);
        vec_push(g->ctx, &x->plan->temps, t);
        place(x, r);
    }
    return expr_load(g, t, subs);
}

/* The element of the let of a mark, which gets a kernel of its own unless it has one. */
static const Expr *as_let(Partition *x, const Expr *mark) {
    Def *let = (Def *)expr_map_get(&x->defs.of, (const void *)(intptr_t)mark->u.i);
    if (!let->stored) {
        let->stored = true;
        vec_push(x->g->ctx, &x->plan->temps, let->tensor);
        place(x, defs_root(&x->defs, let, 0));
    }
    return expr_load(x->g, let->tensor, mark->arg + 1);
}

/* ---- what is stored already ---- */

/* How many kernels come before the one that stores t; -1: not placed, or what the caller gave. */
static int level_of(const Partition *x, const Tensor *t) { return (int)(intptr_t)expr_map_get(&x->levels, t) - 1; }

static void find_level(Partition *x, ExprMap *seen, const Expr *e, int *level) {
    if (!e || (!e->nargs && e->op != OP_LOAD) || expr_map_get(seen, e)) return;
    expr_map_put(x->temp, seen, e, e);
    int l = e->op == OP_LOAD ? level_of(x, e->u.tensor) + 1 : 0;
    if (l > *level) *level = l;
    for (int i = 0; i < e->nargs; i++) find_level(x, seen, e->arg[i], level);
}

/* The level of a root by what it loads. */
static int root_level(Partition *x, const Root *r) {
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
    const Def *let = expr_map_get(&u->x->defs.of, (const void *)(intptr_t)e->u.i);
    int level = let->stored ? level_of(u->x, let->tensor) : -1;
    return level >= 0 && u->level > level ? expr_load(u->x->g, let->tensor, e->arg + 1) : NULL;
}

/* e with the lets that kernels before its own have stored loaded instead of computed again. */
static const Expr *reuse(Reuse *u, const Expr *e) {
    Partition *x = u->x;
    if (!e->reduces) return e;
    const Expr *known = expr_map_get(&u->done, e);
    if (known) return known;
    const Expr *r = is_mark(e) ? stored_mark(u, e) : NULL;
    if (!r) {
        const Expr *few[4], **a = e->nargs <= 4 ? few : NEW_N(x->temp, const Expr *, e->nargs);
        for (int i = 0; i < e->nargs; i++) a[i] = reuse(u, e->arg[i]);
        r = expr_node(x->g, e->op, e->type, e->untyped, e->u.i, a, e->nargs);
    }
    expr_map_put(x->temp, &u->done, e, r);
    return r;
}

/* ---- taking reductions out ---- */

typedef struct TakingOut {
    Partition *x;
    const Root *root;
    ExprMap bad;    /* OP_REDUCE nodes that must leave */
    ExprMap varies; /* memo of bad_in */
    ExprMap outside[2]; /* memo of bad_outside */
    ExprMap done[4]; /* by what is around */
} TakingOut;

/* What bad_in says beside a set. */
static const char none[] = "none", mixed[] = "mixed";

static TakingOut *taking_out(Partition *x, const Root *root) {
    TakingOut *t = NEW(x->temp, TakingOut);
    *t = (TakingOut){.x = x, .root = root};
    return t;
}

/* How the reductions in e that must leave vary: NULL where there are none, else the set of free variables that all of
 * them have, or `mixed`. */
static Sym bad_in(TakingOut *t, const Expr *e) {
    if (!e->reduces) return NULL;
    Sym known = expr_map_get(&t->varies, e);
    if (known) return known == none ? NULL : known;
    Sym r = e->op == OP_REDUCE && expr_map_get(&t->bad, e) ? free_set(t->x, free_of(t->x, e)) : NULL;
    for (int i = 0; i < e->nargs; i++) {
        Sym s = bad_in(t, e->arg[i]);
        if (s) r = !r || r == s ? s : mixed;
    }
    expr_map_put(t->x->temp, &t->varies, e, r ? r : none);
    return r;
}

/* The let of a mark has a kernel already, in which it did with what is inside it as it pleased. */
static bool is_placed(Partition *x, const Expr *e) {
    if (!is_mark(e)) return false;
    const Def *let = expr_map_get(&x->defs.of, (const void *)(intptr_t)e->u.i);
    return let->stored && level_of(x, let->tensor) >= 0;
}

/* What bad_in says, without what stands inside reductions that must leave of lets that are placed: nothing of that is
 * needed any more. */
static Sym bad_outside(TakingOut *t, const Expr *e, bool placed) {
    Sym all = bad_in(t, e);
    if (all != mixed) return all;
    placed |= is_placed(t->x, e);
    if (e->op == OP_REDUCE && expr_map_get(&t->bad, e)) return placed ? free_set(t->x, free_of(t->x, e)) : mixed;
    Sym known = expr_map_get(&t->outside[placed], e), r = NULL;
    if (known) return known == none ? NULL : known;
    for (int i = 0; i < e->nargs; i++) {
        Sym s = bad_outside(t, e->arg[i], placed);
        if (s) r = !r || r == s ? s : mixed;
    }
    expr_map_put(t->x->temp, &t->outside[placed], e, r ? r : none);
    return r;
}

/* Around what is taken out: a condition protects its loads; something larger goes later. */
enum { AROUND_GUARD = 1, AROUND_LATER = 2 };

/* Whether something that is evaluated as its operand number i is evaluated only where a condition holds. */
static bool is_lazy(const Expr *e, int i) {
    int64_t v;
    if (e->op == OP_REDUCE) return i && !(expr_is_int(e->arg[0], &v) && v);
    return i && (e->op == OP_IF || e->op == OP_AND || e->op == OP_OR);
}

/* e with what must leave replaced by loads of temporaries; the largest expressions that vary as a reduction that must
 * leave go with it, unless a condition around them protects their loads. What others that must leave contain goes
 * first, but for what stands in lets that have kernels already. */
static const Expr *take_out(TakingOut *t, const Expr *e, int around) {
    Sym bad = bad_in(t, e);
    if (!bad) return e;
    const Expr *known = expr_map_get(&t->done[around], e), *r = NULL;
    if (known) return known;
    Graph *g = t->x->g;
    FreeVars *f = free_of(t->x, e);
    Sym own = free_set(t->x, f);
    bool whole = e != t->root->value && f->n <= MAX_RANK, itself = e->op == OP_REDUCE && expr_map_get(&t->bad, e);
    bool alone = is_mark(e) || !(around & AROUND_GUARD) || itself;
    int inside = around;
    if (whole && bad == own) {
        if (alone) r = is_mark(e) ? as_let(t->x, e) : as_temp(t->x, e, t->root);
    } else if (whole && alone && !(around & AROUND_LATER) && bad_outside(t, e, false) == own) {
        if (is_placed(t->x, e)) r = as_let(t->x, e);
        around |= AROUND_LATER;
    }
    if (!r) {
        const Expr *few[4], **a = e->nargs <= 4 ? few : NEW_N(t->x->temp, const Expr *, e->nargs);
        for (int i = 0; i < e->nargs; i++)
            a[i] = take_out(t, e->arg[i], around | (is_lazy(e, i) ? AROUND_GUARD : 0));
        r = expr_node(g, e->op, e->type, e->untyped, e->u.i, a, e->nargs);
    }
    expr_map_put(t->x->temp, &t->done[inside], e, r);
    return r;
}

/* Marks the root's reductions whose canonical steps must leave by a rule. */
static bool mark_bad(TakingOut *t, ExprMap *seen, Group *gr, const ExprMap *canon, const Expr *e, int rule) {
    if (!e->reduces || expr_map_get(seen, e)) return false;
    Ctx *ctx = t->x->temp;
    expr_map_put(ctx, seen, e, e);
    bool any = false;
    if (e->op == OP_REDUCE) {
        const GStep *p = group_step(gr, expr_map_get(canon, e));
        if (p && group_step_leaves(gr, (int)(p - gr->steps.at), rule)) {
            any = true;
            expr_map_put(ctx, &t->bad, e, e);
        }
    }
    for (int i = 0; i < e->nargs; i++) any |= mark_bad(t, seen, gr, canon, e->arg[i], rule);
    return any;
}

/* ---- running reductions that go backward ---- */

/* A reverse scan along one of the root's variables, outside other reductions' bodies. */
static const Expr *reverse_scan(Partition *x, ExprMap *seen, const Root *root, const Expr *e, ScanForm *form) {
    if (!e->reduces || expr_map_get(seen, e)) return NULL;
    expr_map_put(x->temp, seen, e, e);
    if (e->op == OP_REDUCE && scan_form(x->g, e, form) && form->reverse)
        for (int i = 0; i < root->nvars; i++)
            if (root->vars[i] == form->along) return e;
    for (int i = 0; i < e->nargs; i++) {
        const Expr *r = reverse_scan(x, seen, root, e->arg[i], form);
        if (r) return r;
    }
    return NULL;
}

static bool forward_scan(Partition *x, ExprMap *seen, const Var *along, const Expr *e) {
    ScanForm f;
    if (!e->reduces || expr_map_get(seen, e)) return false;
    expr_map_put(x->temp, seen, e, e);
    if (e->op == OP_REDUCE && scan_form(x->g, e, &f) && !f.reverse && f.along == along) return true;
    for (int i = 0; i < e->nargs; i++)
        if (forward_scan(x, seen, along, e->arg[i])) return true;
    return false;
}

/* lo + hi - 1 - v */
static const Expr *mirror(Graph *g, const Var *range, const Expr *v) {
    const Expr *top = expr2(g, OP_SUB, from_zero(g, range->hi, range->lo), expr_int(g, TY_I64, 1));
    int64_t lo;
    if (!expr_is_int(range->lo, &lo) || lo != 0) {
        top = expr2(g, OP_ADD, range->lo, expr2(g, OP_SUB, range->hi, expr_int(g, TY_I64, 1)));
    }
    return expr2(g, OP_SUB, top, v);
}

static const Expr *mirror_scans(Partition *x, ExprMap *done, const Expr *e, const Var *along, const Expr *u) {
    if (!e->reduces) return e;
    const Expr *known = expr_map_get(done, e);
    if (known) return known;
    Graph *g = x->g;
    const Expr *few[4], **a = e->nargs <= 4 ? few : NEW_N(x->temp, const Expr *, e->nargs);
    ScanForm f;
    for (int i = 0; i < e->nargs; i++) a[i] = mirror_scans(x, done, e->arg[i], along, u);
    const Expr *r = expr_node(g, e->op, e->type, e->untyped, e->u.i, a, e->nargs);
    if (e->op == OP_REDUCE && scan_form(g, r, &f) && f.reverse && f.along == along) {
        Var *k = e->u.reduce->vars[0], *k2 = graph_var(g, k->name, k->lo, k->hi);
        Reduce *fresh = NEW(g->ctx, Reduce);
        *fresh = *e->u.reduce;
        fresh->vars = NEW(g->ctx, Var *);
        fresh->vars[0] = k2;
        const Expr *from = expr_var(g, k), *to = mirror(g, k, expr_var(g, k2));
        const Expr *guard = expr2(g, f.exclusive ? OP_LT : OP_LE, expr_var(g, k2), u);
        if (f.rest) guard = cond_and(g, guard, expr_replace(g, f.rest, &from, &to, 1));
        r = expr_reduce(g, fresh, guard, expr_replace(g, r->arg[1], &from, &to, 1));
    }
    expr_map_put(x->temp, done, e, r);
    return r;
}

/* Runs an axis backward, so that the scans along it go forward. */
static void flip(Partition *x, Root *root, Var *along) {
    Graph *g = x->g;
    Var *v = graph_var(g, along->name, along->lo, along->hi);
    ExprMap done = {0};
    const Expr *from = expr_var(g, along), *to = mirror(g, along, expr_var(g, v)),
               **subs = NEW_N(g->ctx, const Expr *, root->tensor->rank);
    root->value = expr_replace(g, mirror_scans(x, &done, root->value, along, expr_var(g, v)), &from, &to, 1);
    if (root->guard) root->guard = expr_replace(g, root->guard, &from, &to, 1);
    for (int d = 0; d < root->tensor->rank; d++) subs[d] = expr_replace(g, root->subs[d], &from, &to, 1);
    root->subs = subs;
    Var **vars = NEW_N(g->ctx, Var *, root->nvars);
    for (int i = 0; i < root->nvars; i++) vars[i] = root->vars[i] == along ? v : root->vars[i];
    root->vars = vars;
}

/* Turns backward scans along the root's variables forward; one beside a forward scan becomes a temporary. */
static bool face_forward(Partition *x, Root *root) {
    ExprMap seen = {0}, again = {0};
    ScanForm form;
    const Expr *e = reverse_scan(x, &seen, root, root->value, &form);
    if (!e) return false;
    if (!forward_scan(x, &again, form.along, root->value)) {
        flip(x, root, form.along);
        return true;
    }
    TakingOut *t = taking_out(x, root);
    expr_map_put(x->temp, &t->bad, e, e);
    const Expr *value = take_out(t, root->value, AROUND_GUARD);
    bool changed = value != root->value;
    root->value = value;
    return changed;
}

/* ---- placing ---- */

/* Appends a root after those of the temporaries that it needs. */
static void place(Partition *x, Root root) {
    Ctx *outer = x->temp;
    x->temp = ctx_temp(outer);
    if (++x->depth > MAX_NEST) {
        text_fmt(x->why, "`%s` nests too many reductions", root.tensor->name);
        x->defs.failed = true;
    }
    Reuse u = {.x = x, .level = root_level(x, &root)};
    root.value = reuse(&u, root.value);
    Group *gr = NULL;
    for (int round = 0; round < MAX_ROUNDS && !x->defs.failed; round++) {
        if (face_forward(x, &root)) continue;
        ExprMap canon = {0};
        gr = group_new(x->g, &root, 1, &canon, x->temp, x->why);
        x->defs.failed |= !gr;
        if (!gr) break;
        TakingOut *t = taking_out(x, &root);
        bool any = false;
        for (int rule = 0; rule < GROUP_RULES && !any; rule++) {
            ExprMap seen = {0};
            any = mark_bad(t, &seen, gr, &canon, root.value, rule);
        }
        const Expr *value = any ? take_out(t, root.value, root.guard ? AROUND_GUARD : 0) : root.value;
        if (value == root.value) break;
        root.value = value;
        gr = NULL;
    }
    if (!gr && !x->defs.failed) gr = group_new(x->g, &root, 1, NULL, NULL, x->why);
    x->defs.failed |= !gr;
    x->depth--;
    int level = root_level(x, &root), before = level_of(x, root.tensor);
    ctx_temp_end(x->temp);
    x->temp = outer;
    expr_map_put(x->g->ctx, &x->levels, root.tensor, (const void *)(intptr_t)((level > before ? level : before) + 1));
    vec_push(x->g->ctx, &x->roots, root);
    vec_push(x->g->ctx, &x->alone, gr);
}

/* ---- updates in place ---- */

static bool reads_tensor(ExprMap *seen, Ctx *ctx, const Expr *e, const Tensor *t) {
    if (!e || expr_map_get(seen, e)) return false;
    expr_map_put(ctx, seen, e, e);
    if (e->op == OP_LOAD && e->u.tensor == t) return true;
    for (int i = 0; i < e->nargs; i++)
        if (reads_tensor(seen, ctx, e->arg[i], t)) return true;
    return false;
}

static bool root_reads(Ctx *ctx, const Root *r, const Tensor *t) {
    ExprMap seen = {0};
    if (reads_tensor(&seen, ctx, r->value, t) || reads_tensor(&seen, ctx, r->guard, t)) return true;
    for (int d = 0; d < r->tensor->rank; d++)
        if (reads_tensor(&seen, ctx, r->subs[d], t)) return true;
    return false;
}

static bool def_reads(Partition *x, const Def *def, const Tensor *t) {
    for (int p = 0; p < def->tensor->pieces.n; p++) {
        const Root r = defs_root(&x->defs, def, p);
        if (root_reads(x->temp, &r, t)) return true;
    }
    return false;
}

static bool reads_elsewhere(ExprMap *seen, Ctx *ctx, const Expr *e, const Root *r) {
    if (!e || expr_map_get(seen, e)) return false;
    expr_map_put(ctx, seen, e, e);
    if (e->op == OP_LOAD && e->u.tensor == r->tensor)
        for (int d = 0; d < e->nargs; d++)
            if (e->arg[d] != r->subs[d]) return true;
    for (int i = 0; i < e->nargs; i++)
        if (reads_elsewhere(seen, ctx, e->arg[i], r)) return true;
    return false;
}

/* Every thread that stores an element is the only one that reads it: one equation, without reductions, of the element
 * itself. */
static bool updates_locally(Partition *x, const Def *def) {
    const Root r = defs_root(&x->defs, def, 0);
    ExprMap seen = {0};
    if (!def_reads(x, def, def->tensor)) return true;
    if (def->tensor->pieces.n > 1 || r.value->reduces || (r.guard && r.guard->reduces))
        return false;
    for (int d = 0; d < def->tensor->rank; d++)
        if (reads_elsewhere(&seen, x->temp, r.subs[d], &r)) return false;
    return !reads_elsewhere(&seen, x->temp, r.value, &r) && !reads_elsewhere(&seen, x->temp, r.guard, &r);
}

static bool reads_inout(ExprMap *seen, Ctx *ctx, const Expr *e) {
    if (expr_map_get(seen, e)) return false;
    expr_map_put(ctx, seen, e, e);
    if (e->op == OP_LOAD && e->u.tensor->kind == TENSOR_INOUT) return true;
    for (int i = 0; i < e->nargs; i++)
        if (reads_inout(seen, ctx, e->arg[i])) return true;
    return false;
}

/* New values go to a temporary; *copies receives the equations that move them when all old values have been read. */
static void stage_update(Partition *x, const Def *def, Roots *copies) {
    Graph *g = x->g;
    Tensor *t = NEW(g->ctx, Tensor);
    *t = *def->tensor;
    t->name = temp_name(x, def->tensor->name);
    t->kind = TENSOR_LET;
    t->partial = true;
    t->id = g->tensors.n + x->plan->temps.n;
    vec_push(g->ctx, &x->plan->temps, t);
    for (int p = 0; p < def->tensor->pieces.n; p++) {
        Root r = defs_root(&x->defs, def, p), copy = r;
        ExprMap seen = {0};
        r.tensor = t;
        place(x, r);
        /* what a guard reads may have changed by then: its truth is kept */
        if (r.guard && reads_inout(&seen, x->temp, r.guard)) copy.guard = as_temp(x, r.guard, &r);
        if (r.guard && !copy.guard) {
            text_fmt(x->why, "`%s` has too many variables", def->tensor->name);
            x->defs.failed = true;
        }
        copy.value = expr_load(g, t, copy.subs);
        vec_push(g->ctx, copies, copy);
    }
}

/* Updates of what no other update still reads come first; one of those that read one another is staged. */
static void place_updates(Partition *x, const Def **defs, int n) {
    Roots copies = {0};
    bool *done = NEW_N(x->g->ctx, bool, n + 1);
    for (int i = 0; i < n; i++) {
        done[i] = !updates_locally(x, defs[i]);
        if (done[i]) stage_update(x, defs[i], &copies);
    }
    for (int placed = 0; placed < n && !x->defs.failed; placed++) {
        int pick = -1, any = -1;
        for (int i = 0; i < n; i++) {
            if (done[i]) continue;
            bool wanted = false;
            for (int j = 0; j < n; j++) wanted |= j != i && !done[j] && def_reads(x, defs[j], defs[i]->tensor);
            if (any < 0) any = i;
            if (!wanted && pick < 0) pick = i;
        }
        if (any < 0) break;
        if (pick < 0)
            stage_update(x, defs[pick = any], &copies);
        else
            for (int p = 0; p < defs[pick]->tensor->pieces.n; p++) place(x, defs_root(&x->defs, defs[pick], p));
        done[pick] = true;
    }
    for (int i = 0; i < copies.n; i++) place(x, copies.at[i]);
}

static void place_all(Partition *x) {
    Ctx *ctx = x->g->ctx;
    const Def **updates = NEW_N(x->temp, const Def *, x->defs.order.n + 1);
    int nupdates = 0;
    for (int i = 0; i < x->defs.order.n && !x->defs.failed; i++) {
        const Def *def = expr_map_get(&x->defs.of, x->defs.order.at[i]);
        if (def->tensor->kind == TENSOR_INOUT) updates[nupdates++] = def;
        if (!def->stored || def->tensor->kind == TENSOR_INOUT) continue;
        if (def->tensor->kind == TENSOR_LET) vec_push(ctx, &x->plan->temps, def->tensor);
        for (int p = 0; p < def->tensor->pieces.n; p++) place(x, defs_root(&x->defs, def, p));
    }
    place_updates(x, updates, nupdates);
}

Plan *plan_new(Graph *g, Text *why) {
    Partition *x = NEW(g->ctx, Partition);
    x->g = g;
    x->why = why;
    x->temp = ctx_temp(g->ctx);
    x->plan = NEW(g->ctx, Plan);
    x->plan->graph = g;
    x->closed = NEW(g->ctx, FreeVars);
    for (int i = 0; i < g->tensors.n; i++) expr_map_put(g->ctx, &x->names, g->tensors.at[i]->name, g);
    if (defs_make(&x->defs, g, why)) place_all(x);
    if (!x->defs.failed) share_roots(x->plan, x->roots.at, x->alone.at, x->roots.n);
    ctx_temp_end(x->temp);
    return x->defs.failed ? NULL : x->plan;
}
