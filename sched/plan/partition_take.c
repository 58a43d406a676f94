/* Taking reductions out of a root whose kernel cannot have them: see partition_take_out. */
#include "partition.h"

struct TakeOut {
    Partition *x;
    const Equation *root;
    const ExprMap *bad; /* OP_REDUCE nodes that must leave */
    ExprMap varies;     /* memo of bad_in */
    ExprSet kept;       /* of keeps_one: nodes with none */
    ExprMap outside[2]; /* memo of bad_outside */
    ExprMap fate[4];    /* memo of fate_of, by what is around */
    ExprMap done[4];    /* Expr -> what becomes of it, by what is around */
    bool guarded;
    const char *why; /* they must leave */
};

/* The free variables of e: equal sets are equal pointers. */
static Sym set_of(Partition *x, const Expr *e) { return expr_vars_set(x->g->ctx, expr_free(&x->free, e)); }

/* What bad_in says beside a set. */
static const char none[] = "none", mixed[] = "mixed";

/* How the reductions in e that must leave vary: NULL where there are none, else the set of free variables that all of
 * them have, or `mixed`. */
static Sym bad_in(TakeOut *t, const Expr *e) {
    if (!e->reduces) return NULL;
    Sym known = expr_map_get(&t->varies, e);
    if (known) return known == none ? NULL : known;
    Sym r = e->op == OP_REDUCE && expr_map_get(t->bad, e) ? set_of(t->x, e) : NULL;
    for (int i = 0; i < e->nargs; i++) {
        Sym s = bad_in(t, e->arg[i]);
        if (s) r = !r || r == s ? s : mixed;
    }
    expr_map_put(t->x->temp, &t->varies, e, r ? r : none);
    return r;
}

static Found stays(const Expr *e, const void *bad) {
    if (!e->reduces || expr_map_get(bad, e)) return FOUND_NOT;
    return e->op == OP_REDUCE ? FOUND : FOUND_INSIDE;
}

/* A reduction in e, outside of those that must leave, may stay. */
static bool keeps_one(TakeOut *t, const Expr *e) { return expr_find(t->x->temp, &t->kept, e, stays, t->bad) != NULL; }

/* The let of a mark has a kernel already, in which it did with what is inside it as it pleased. */
static bool is_placed(Partition *x, const Expr *e) {
    if (!expr_is_mark(e)) return false;
    const Prepared *let = prepare_let(x->prep, e);
    return let->stored && partition_level(x, let->tensor) >= 0;
}

/* What bad_in says, without what stands inside reductions that must leave of lets that are placed: nothing of that is
 * needed any more. */
static Sym bad_outside(TakeOut *t, const Expr *e, bool placed) {
    Sym all = bad_in(t, e);
    if (all != mixed) return all;
    placed |= is_placed(t->x, e);
    if (e->op == OP_REDUCE && expr_map_get(t->bad, e)) return placed ? set_of(t->x, e) : mixed;
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

typedef enum Fate {
    FATE_UNKNOWN,
    FATE_STORED,
    FATE_INSIDE,      /* what is in it is looked at */
    FATE_INSIDE_LATER /* and it goes itself when that is stored */
} Fate;

static Fate decide(TakeOut *t, const Expr *e, int around, Sym bad) {
    Partition *x = t->x;
    const ExprVars *f = expr_free(&x->free, e);
    Sym own = expr_vars_set(x->g->ctx, f);
    bool itself = e->op == OP_REDUCE && expr_map_get(t->bad, e);
    bool alone = expr_is_mark(e) || !(around & AROUND_GUARD) || itself;
    if (e == t->root->value || f->n > MAX_RANK || !alone) return FATE_INSIDE;
    /* With a reduction that stays it would be no better off. */
    if (bad == own) return expr_is_mark(e) || !keeps_one(t, e) ? FATE_STORED : FATE_INSIDE;
    if (around & AROUND_LATER || bad_outside(t, e, false) != own) return FATE_INSIDE;
    return is_placed(x, e) ? FATE_STORED : FATE_INSIDE_LATER;
}

static Fate fate_of(TakeOut *t, const Expr *e, int around, Sym bad) {
    Fate f = (Fate)expr_map_number(&t->fate[around], e, FATE_UNKNOWN);
    if (f != FATE_UNKNOWN) return f;
    f = decide(t, e, around, bad);
    expr_map_put_number(t->x->temp, &t->fate[around], e, f);
    return f;
}

static const Expr *take_out(TakeOut *t, const Expr *e, int around);

typedef struct TakeInside {
    TakeOut *t;
    int around;
} TakeInside;

static const Expr *take_operand(void *user, const Expr *e, int i, const Expr *const *made) {
    (void)made;
    const TakeInside *x = user;
    return take_out(x->t, e->arg[i], x->around | (is_lazy(e, i) ? AROUND_GUARD : 0));
}

/* e with what must leave replaced by loads of temporaries; the largest expressions that vary as a reduction that must
 * leave go with it, unless a condition around them protects their loads. What others that must leave contain goes
 * first, but for what stands in lets that have kernels already. NULL: waits. */
static const Expr *take_out(TakeOut *t, const Expr *e, int around) {
    Sym bad = bad_in(t, e);
    if (!bad) return e;
    const Expr *r = expr_map_get(&t->done[around], e);
    if (r) return r;
    Fate f = fate_of(t, e, around, bad);
    if (f == FATE_STORED) {
        r = partition_stored(t->x, e, t->root, t->why);
        if (r) plan_reason(t->x->plan, r->u.tensor, t->root->tensor, t->why);
    } else {
        TakeInside x = {t, f == FATE_INSIDE_LATER ? around | AROUND_LATER : around};
        r = expr_rebuild(t->x->g, t->x->temp, e, take_operand, &x);
    }
    if (r) expr_map_put(t->x->temp, &t->done[around], e, r);
    return r;
}

TakeOut *partition_take_out(Partition *x, const Equation *root, const ExprMap *bad, bool guarded, const char *why) {
    TakeOut *t = NEW(x->temp, TakeOut);
    *t = (TakeOut){.x = x, .root = root, .bad = bad, .guarded = guarded, .why = why};
    return t;
}

const Expr *partition_taken_out_of_guard(TakeOut *t) { return take_out(t, t->root->guard, 0); }

const Expr *partition_taken_out(TakeOut *t) { return take_out(t, t->root->value, t->guarded ? AROUND_GUARD : 0); }
