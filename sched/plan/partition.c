/* The partition: which equations get a kernel of their own, and which kernels store several tensors. A reduction is
 * taken into the kernel of the tensor that reads it where its rows are the kernel's (a row that is read again) or where
 * it is as large as the tensor itself; any other becomes a temporary. */
#include "partition.h"
#include "share.h"

enum { MAX_ROUNDS = 200 };

/* ---- taking reductions out ---- */

typedef struct TakingOut {
    Partition *x;
    const Equation *root;
    const ExprMap *bad; /* OP_REDUCE nodes that must leave */
    ExprMap varies;     /* memo of bad_in */
    ExprMap kept;       /* memo of keeps_one */
    ExprMap outside[2]; /* memo of bad_outside */
    ExprMap done[4];    /* by what is around */
    const char *why;    /* they must leave */
} TakingOut;

/* What bad_in says beside a set. */
static const char none[] = "none", mixed[] = "mixed";

/* How the reductions in e that must leave vary: NULL where there are none, else the set of free variables that all of
 * them have, or `mixed`. */
static Sym bad_in(TakingOut *t, const Expr *e) {
    if (!e->reduces) return NULL;
    Sym known = expr_map_get(&t->varies, e);
    if (known) return known == none ? NULL : known;
    Sym r = e->op == OP_REDUCE && expr_map_get(t->bad, e) ? free_set(t->x, free_of(t->x, e)) : NULL;
    for (int i = 0; i < e->nargs; i++) {
        Sym s = bad_in(t, e->arg[i]);
        if (s) r = !r || r == s ? s : mixed;
    }
    expr_map_put(t->x->temp, &t->varies, e, r ? r : none);
    return r;
}

/* A reduction in e, outside of those that must leave, may stay. */
static bool keeps_one(TakingOut *t, const Expr *e) {
    if (!e->reduces || expr_map_get(t->bad, e)) return false;
    if (e->op == OP_REDUCE) return true;
    Sym known = expr_map_get(&t->kept, e);
    if (known) return known == mixed;
    bool r = false;
    for (int i = 0; i < e->nargs && !r; i++) r = keeps_one(t, e->arg[i]);
    expr_map_put(t->x->temp, &t->kept, e, r ? mixed : none);
    return r;
}

/* The let of a mark has a kernel already, in which it did with what is inside it as it pleased. */
static bool is_placed(Partition *x, const Expr *e) {
    if (!expr_is_mark(e)) return false;
    const Def *let = expr_map_get(&x->defs.of, e->u.tensor);
    return let->stored && level_of(x, let->tensor) >= 0;
}

/* What bad_in says, without what stands inside reductions that must leave of lets that are placed: nothing of that is
 * needed any more. */
static Sym bad_outside(TakingOut *t, const Expr *e, bool placed) {
    Sym all = bad_in(t, e);
    if (all != mixed) return all;
    placed |= is_placed(t->x, e);
    if (e->op == OP_REDUCE && expr_map_get(t->bad, e)) return placed ? free_set(t->x, free_of(t->x, e)) : mixed;
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
    bool whole = e != t->root->value && f->n <= MAX_RANK, itself = e->op == OP_REDUCE && expr_map_get(t->bad, e);
    bool alone = expr_is_mark(e) || !(around & AROUND_GUARD) || itself;
    int inside = around;
    if (whole && bad == own) {
        if (alone && expr_is_mark(e)) r = as_let(t->x, e);
        /* With one that stays it would be no better off. */
        else if (alone && !keeps_one(t, e))
            r = as_temp(t->x, e, t->root);
    } else if (whole && alone && !(around & AROUND_LATER) && bad_outside(t, e, false) == own) {
        if (is_placed(t->x, e)) r = as_let(t->x, e);
        around |= AROUND_LATER;
    }
    if (r) reason_add(t->x->plan->reasons, r->u.tensor, t->root->tensor, t->why);
    if (!r) {
        const Expr *few[4], **a = e->nargs <= 4 ? few : NEW_N(t->x->temp, const Expr *, e->nargs);
        for (int i = 0; i < e->nargs; i++) a[i] = take_out(t, e->arg[i], around | (is_lazy(e, i) ? AROUND_GUARD : 0));
        r = expr_with(g, e, a);
    }
    expr_map_put(t->x->temp, &t->done[inside], e, r);
    return r;
}

const Expr *take_out_bad(Partition *x, const Equation *root, const ExprMap *bad, bool guarded, const char *why) {
    TakingOut t = {.x = x, .root = root, .bad = bad, .why = why};
    return take_out(&t, root->value, guarded ? AROUND_GUARD : 0);
}

/* Marks the root's reductions whose canonical steps must leave by a rule. */
static bool mark_bad(Partition *x, ExprMap *bad, ExprMap *seen, Group *gr, const ExprMap *canon, const Expr *e,
                     int rule) {
    if (!e->reduces || expr_map_get(seen, e)) return false;
    Ctx *ctx = x->temp;
    expr_map_put(ctx, seen, e, e);
    bool any = false;
    if (e->op == OP_REDUCE) {
        const GStep *p = group_step(gr, expr_map_get(canon, e));
        if (p && group_step_leaves(gr, (int)(p - gr->steps.at), rule)) {
            any = true;
            expr_map_put(ctx, bad, e, e);
        }
    }
    for (int i = 0; i < e->nargs; i++) any |= mark_bad(x, bad, seen, gr, canon, e->arg[i], rule);
    return any;
}
/* ---- placing ---- */

void place(Partition *x, Equation root) {
    Ctx *outer = x->temp;
    x->temp = ctx_temp(outer);
    if (++x->depth > MAX_NEST) {
        text_fmt(x->why, "`%s` nests too many reductions", root.tensor->name);
        x->defs.failed = true;
    }
    root.value = reuse_stored(x, root_level(x, &root), root.value);
    Group *gr = NULL;
    Sym rounding = rounding_between(x, &root);
    const struct Product *product = take_products(x, &root);
    for (int round = 0; round < MAX_ROUNDS && !product && !x->defs.failed; round++) {
        if (face_forward(x, &root)) continue;
        ExprMap canon = {0};
        gr = group_new(x->g, &root, 1, &canon, x->temp, x->why);
        x->defs.failed |= !gr;
        if (!gr) break;
        ExprMap bad = {0};
        bool any = false;
        int rule = -1;
        while (!any && ++rule < GROUP_RULES) {
            ExprMap seen = {0};
            any = mark_bad(x, &bad, &seen, gr, &canon, root.value, rule);
        }
        const Expr *value = any ? take_out_bad(x, &root, &bad, root.guard, group_rule_text(rule)) : root.value;
        if (value == root.value) break;
        root.value = value;
        root.value = reuse_stored(x, root_level(x, &root), value); /* it comes after what has been taken out now */
        gr = NULL;
    }
    if (!gr && !x->defs.failed) gr = group_new(x->g, &root, 1, NULL, NULL, x->why);
    x->defs.failed |= !gr;
    if (gr) gr->product = product;
    if (gr && !product) gr->rounding = rounding;
    if (gr && !product) gr->no_product = why_no_product(x, &root);
    x->depth--;
    int level = root_level(x, &root), before = level_of(x, root.tensor);
    ctx_temp_end(x->temp);
    x->temp = outer;
    expr_map_put(x->g->ctx, &x->levels, root.tensor, (const void *)(intptr_t)((level > before ? level : before) + 1));
    vec_push(x->g->ctx, &x->roots, root);
    vec_push(x->g->ctx, &x->alone, gr);
}

/* What the next equations walk is mostly of their own. */
static void forget_free(Partition *x) {
    ctx_temp_end(x->own);
    x->own = ctx_temp(x->g->ctx);
    x->free = (ExprMap){0};
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
        for (int p = 0; p < def->tensor->pieces.n; p++) place(x, defs_root(def, p));
        forget_free(x);
    }
    place_updates(x, updates, nupdates);
}

Plan *plan_new(Graph *g, bool library, Reasons *reasons, Text *why) {
    Partition *x = NEW(g->ctx, Partition);
    x->g = g;
    x->why = why;
    x->library = library;
    x->own = ctx_temp(g->ctx);
    x->temp = ctx_temp(g->ctx);
    x->plan = NEW(g->ctx, Plan);
    x->plan->graph = g;
    x->plan->reasons = reasons;
    x->closed = NEW(g->ctx, FreeVars);
    for (int i = 0; i < g->tensors.n; i++) expr_map_put(g->ctx, &x->plan->names, g->tensors.at[i]->name, g);
    if (defs_make(&x->defs, g, why)) place_all(x);
    if (!x->defs.failed) share_roots(x->plan, x->roots.at, x->alone.at, x->roots.n);
    ctx_temp_end(x->temp);
    ctx_temp_end(x->own);
    return x->defs.failed ? NULL : x->plan;
}
