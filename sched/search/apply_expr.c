/* Expressions of a group in a kernel: loads, and maps of what several places read. Conditions are evaluated lazily: a
 * load in a branch happens only where the branch is taken. */
#include "apply_form.h"
#include "sched/kernel/kernel_text.h"
#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "ir/poly/poly.h"

#include <math.h>
#include <string.h>

enum {
    MAP_SIZE = 4,     /* a shared expression of that many operators is evaluated once */
    MAP_DEPTH = 48,   /* a deeper one is evaluated by itself: compilers nest parentheses so deep only */
    AGAIN_SIZE = 24,  /* a larger one is kept, even where a schedule says that such are computed again */
    INDEX_SIZE = 2000 /* a larger one of indices alone is no longer written out wherever it is read */
};

static bool apply_fail(Apply *x, const char *what) {
    if (!x->failed) text_put(x->why, what);
    x->failed = true;
    return false;
}

/* Where uses are counted. */
typedef struct Uses {
    Ctx *temp;
    ExprMap *of;
} Uses;

static void add_use(const Uses *u, const Expr *e) {
    expr_map_put_number(u->temp, u->of, e, expr_map_number(u->of, e, 0) + 1);
}

static Found add_uses(const Expr *e, void *uses) {
    for (int i = 0; i < e->nargs; i++) add_use(uses, e->arg[i]);
    return FOUND_INSIDE;
}

/* Counts the use of a whole expression, and those of its parts in it that were not counted before. */
static void count_uses(ExprWalk *parts, const Expr *e) {
    if (!e) return;
    add_use(parts->user, e);
    expr_walk(parts, e);
}

void apply_count_uses(Apply *x) {
    Uses u = {x->temp, &x->uses};
    ExprWalk parts = {.temp = x->temp, .before = add_uses, .user = &u};
    for (int i = 0; i < x->gr->stores.n; i++) {
        const GStore *s = &x->gr->stores.at[i];
        count_uses(&parts, s->value);
        count_uses(&parts, s->guard);
        for (int d = 0; d < s->tensor->rank; d++) count_uses(&parts, s->subs[d]);
    }
}

void apply_read_together(Apply *x, const Expr *const *e, int n) {
    Uses u = {x->temp, &x->together};
    ExprWalk parts = {.temp = x->temp, .before = add_uses, .user = &u};
    x->together = (ExprMap){0};
    for (int i = 0; i < n; i++) count_uses(&parts, e[i]);
}

/* Whether nothing reads it but one stage, which reads it for one element after the other. */
static bool reads_one_stage(const Apply *x, const Expr *e) {
    const int64_t n = expr_map_number(&x->together, e, 0);
    return n && n == expr_map_number(&x->uses, e, 0);
}

/* Operators as a tree, with calls and quotients counted as several; loads and steps are leaves. *traps says whether an
 * integer division is among them: that must not be evaluated where the program does not ask for it. */
static int tree_size(Apply *x, const Expr *e, bool *traps) {
    enum { TRAPS = 1, MOST = 1 << 20 };
    if (!e->nargs || e->op == OP_LOAD || e->op == OP_REDUCE) return 0;
    int known = (int)expr_map_number(&x->sizes, e, -1); /* twice the size, and TRAPS */
    if (known < 0) {
        bool divides = e->op == OP_DIV || e->op == OP_MOD, mine = divides && !type_is_float(e->type);
        int n = op_rule(e->op) == RULE_FLOAT || divides ? MAP_SIZE : 1;
        for (int i = 0; i < e->nargs; i++) n += tree_size(x, e->arg[i], &mine);
        known = (n < MOST ? n : MOST) * 2 + (mine ? TRAPS : 0);
        expr_map_put_number(x->temp, &x->sizes, e, known);
    }
    *traps |= known & TRAPS;
    return known / 2;
}

static Found is_no_index(const Expr *e, const void *unused) {
    (void)unused;
    return e->op == OP_LOAD || e->op == OP_REDUCE || e->op == OP_SCALAR ? FOUND : FOUND_INSIDE;
}

static bool is_index(Apply *x, const Expr *e) { return !expr_find(x->temp, &x->indices, e, is_no_index, NULL); }

/* ---- names ---- */

static bool taken(Apply *x, Sym name) {
    if (expr_map_get(&x->names, name) || kernel_name_reserved(name) || graph_name_taken(x->g, name)) return true;
    for (int i = 0; i < x->gr->axes.n; i++)
        if (x->gr->axes.at[i].name == name) return true;
    return false;
}

static Sym new_name(Apply *x, const char *base) {
    Ctx *ctx = x->g->ctx;
    if (x->unnamed) return sym(ctx, base);
    Sym name;
    size_t n = strlen(base);
    bool digit = n && base[n - 1] >= '0' && base[n - 1] <= '9';
    do name = sym_fmt(ctx, "%s%s%d", base, digit ? "_" : "", x->next_name++);
    while (taken(x, name));
    expr_map_put(x->temp, &x->names, name, name);
    return name;
}

Value *apply_value(Apply *x, ValueKind kind, const char *base, Type t, FactorSet domain) {
    Value *v = part_value(x->p, x->part, new_name(x, base), kind, t, x->l, domain);
    if (!(domain & (layout_scope_factors(x->l, SCOPE_THREAD) | layout_scope_factors(x->l, SCOPE_REG))))
        v->layout = NULL;
    return v;
}

static FactorSet cluster_factors(const Layout *l) {
    FactorSet set = 0;
    for (int i = 0; i < l->factors.n; i++)
        if (l->factors.at[i]->bind == BIND_CLUSTER) set |= (FactorSet)1 << l->factors.at[i]->id;
    return set;
}

FactorSet apply_tile(Apply *x, AxisSet axes, bool regs, bool threads) {
    FactorSet set = 0, scope = (regs ? layout_scope_factors(x->l, SCOPE_REG) : 0) |
                               (threads ? layout_scope_factors(x->l, SCOPE_THREAD) | cluster_factors(x->l) : 0);
    for (int a = 0; a < x->gr->axes.n; a++)
        if (axes >> a & 1) set |= layout_axis_factors(x->l, x->axis[a]);
    return set & scope;
}

/* ---- what is known ---- */

/* Conditions in each other make many, of which each knows what was evaluated under it. */
static ExprMap *memo(Apply *x, ApplyBody *s, const Expr *cond) {
    ExprMap *m = cond ? expr_map_object(&s->under, cond) : &s->plain;
    if (m) return m;
    m = NEW(x->temp, ExprMap);
    expr_map_put_object(x->temp, &s->under, cond, m);
    return m;
}

const Expr *apply_known(const Apply *x, const Expr *e, const Expr *cond) {
    for (const ApplyBody *s = x->body; s; s = s->up) {
        const ExprMap *under = cond ? expr_map_object(&s->under, cond) : NULL;
        const Expr *r = expr_map_get(&s->plain, e);
        if (!r && under) r = expr_map_get(under, e);
        if (r) return r;
    }
    return NULL;
}

void apply_know(Apply *x, ApplyBody *body, const Expr *e, const Expr *cond, const Expr *value) {
    expr_map_put(x->temp, memo(x, body, cond), e, value);
}

/* Where a peeled axis starts differs from row to row, and so does what varies along it. */
static AxisSet with_rows(const Apply *x, AxisSet axes) {
    for (int a = 0; a < x->gr->axes.n; a++)
        if (axes >> a & 1 && x->s->axis[a].peel) axes |= x->gr->rows.at[x->s->axis[a].peel - 1].rows;
    return axes;
}

/* The outermost open body in which an expression under a condition can be evaluated. */
static ApplyBody *home(Apply *x, const Expr *e, Cond c) {
    AxisSet need = with_rows(x, group_free(x->gr, e) | group_free(x->gr, c.key));
    ApplyBody *s = x->body;
    while (s->up && !(need >> s->axis & 1)) s = s->up;
    return s;
}

/* ---- expressions ---- */

static Cond both(Apply *x, Cond c, const Expr *key, const Expr *is) {
    return (Cond){expr_and(x->g, c.key, key), expr_and(x->g, c.is, is)};
}

static Cond contrary(Apply *x, Cond c, const Expr *key, const Expr *is) {
    return both(x, c, expr1(x->g, OP_NOT, key), expr1(x->g, OP_NOT, is));
}

Cond apply_cond(Apply *x, const Expr *guard) {
    Cond none = {0};
    int64_t v;
    if (!guard || (expr_is_int(guard, &v) && v)) return none;
    return (Cond){guard, apply_expr(x, guard, none)};
}

/* The conditions of c on indices alone; false where one on data is the same for neighbouring elements. */
static bool index_conditions(Apply *x, const Expr *c, AxisSet neighbours, const Expr **kept) {
    if (!c) return true;
    if (c->op == OP_AND)
        return index_conditions(x, c->arg[0], neighbours, kept) && index_conditions(x, c->arg[1], neighbours, kept);
    if (!expr_has(c, expr_test_data, NULL)) {
        *kept = expr_and(x->g, *kept, c);
        return true;
    }
    return (group_free(x->gr, c) & neighbours) != 0;
}

static Found is_unknown(const Expr *e, const void *apply) {
    if (e->op != OP_LOAD && e->op != OP_REDUCE) return FOUND_INSIDE;
    return apply_known(apply, e, NULL) ? FOUND_NOT : FOUND;
}

/* Whether all data in an expression are there already, whatever conditions hold. */
static bool is_there(Apply *x, const Expr *e) {
    ExprSet seen = {0};
    return !expr_find(x->temp, &seen, e, is_unknown, x);
}

/* The condition varies along a loop along which the expression does not: without it, that is known before the loop. */
static bool waits_for_loop(Apply *x, const Expr *e, Cond c) {
    return c.key && (group_free(x->gr, c.key) & ~group_free(x->gr, e) & x->serial) != 0;
}

static bool needs_no_loop(Apply *x, const Expr *e, Cond c) {
    if (!waits_for_loop(x, e, c) || e->u.tensor->kind == TENSOR_INOUT || !group_load_exists(x->gr, e)) return false;
    for (int i = 0; i < e->nargs; i++)
        if (!is_there(x, e->arg[i])) return false;
    return true;
}

/* Of c, conditions on indices alone, what is the same along all axes that the load does not have. */
static const Expr *own_conditions(Apply *x, const Expr *c, AxisSet axes) {
    if (!c) return NULL;
    if (c->op == OP_AND) {
        const Expr *a = own_conditions(x, c->arg[0], axes), *b = own_conditions(x, c->arg[1], axes);
        return a == c->arg[0] && b == c->arg[1] ? c : expr_and(x->g, a, b);
    }
    return group_free(x->gr, c) & ~axes ? NULL : c;
}

/* A load that may fail where its condition does not hold, or a step that is not there. */
static Found is_uncertain(const Expr *e, const void *apply) {
    const Apply *x = apply;
    if (e->op == OP_REDUCE) return apply_known(x, e, NULL) ? FOUND_NOT : FOUND;
    return e->op != OP_LOAD || group_load_exists(x->gr, e) ? FOUND_INSIDE : FOUND;
}

/* Axes along which a thread has several elements in registers. */
static AxisSet held_axes(const Apply *x) {
    AxisSet held = 0;
    for (int a = 0; a < x->gr->axes.n; a++)
        for (int i = 0; i < x->s->axis[a].n; i++) {
            const SFactor *f = &x->s->axis[a].f[i];
            if (bind_scope(f->bind) == SCOPE_REG && f->size > 1) held |= (AxisSet)1 << a;
        }
    return held;
}

/* Of a condition c the parts that are the same along those axes. What stands behind one that is left out may have been
 * protected by it: such a part stays only where its data are there already. */
static const Expr *same_along(Apply *x, const Expr *c, AxisSet axes, bool *all) {
    if (c->op == OP_AND) {
        const Expr *a = same_along(x, c->arg[0], axes, all), *b = same_along(x, c->arg[1], axes, all);
        return a == c->arg[0] && b == c->arg[1] ? c : !b ? a : expr_and(x->g, a, b);
    }
    if (!(group_free(x->gr, c) & axes) && (*all || is_there(x, c))) return c;
    *all = false;
    return NULL;
}

/* Axes along which the parts of a condition vary that vary along a loop, too: as ranges of rows do. */
static AxisSet ranges_vary(Apply *x, const Expr *c) {
    if (c->op == OP_AND) return ranges_vary(x, c->arg[0]) | ranges_vary(x, c->arg[1]);
    const AxisSet axes = group_free(x->gr, c);
    return axes & x->serial ? axes : 0;
}

/* The condition without what differs between a thread's registers alone, where those would load one element each under
 * a condition of its own, and compute what is made of it as often. Ranges stay: they are different elements. */
static const Expr *fewer_conditions(Apply *x, const Expr *e, Cond c, bool *fewer) {
    AxisSet again = c.key ? group_free(x->gr, c.key) & ~group_free(x->gr, e) & held_axes(x) : 0;
    if (again) again &= ~ranges_vary(x, c.key);
    ExprSet seen = {0};
    bool all = true;
    *fewer = again && !expr_find(x->temp, &seen, e, is_uncertain, x);
    const Expr *kept = *fewer ? same_along(x, c.key, again, &all) : NULL;
    *fewer &= !all;
    return kept;
}

/* How e moves with an index: 1 and -1 by steps of one, 0 otherwise or not at all. */
static int moves_by_one(const Expr *e, const Var *v) {
    if (e->op == OP_VAR) return e->u.var == v;
    if (e->op == OP_CAST && e->type == TY_I64) return moves_by_one(e->arg[0], v);
    if (e->op != OP_ADD && e->op != OP_SUB) return 0;
    const bool first = expr_has(e->arg[0], expr_test_var, v), second = expr_has(e->arg[1], expr_test_var, v);
    if (first == second) return 0;
    return first ? moves_by_one(e->arg[0], v) : (e->op == OP_SUB ? -1 : 1) * moves_by_one(e->arg[1], v);
}

/* A condition of indices made one of whole vectors along an axis: it holds for all elements of one of which it holds
 * for any. What is no comparison of the axis's index stays as it is. */
static const Expr *of_vectors(Apply *x, const Expr *c, int axis, int64_t vector) {
    Graph *g = x->g;
    const Var *v = x->gr->axes.at[axis].var;
    if (c->op == OP_AND)
        return expr_and(g, of_vectors(x, c->arg[0], axis, vector), of_vectors(x, c->arg[1], axis, vector));
    const bool less = c->op == OP_LT || c->op == OP_LE, more = c->op == OP_GT || c->op == OP_GE;
    if ((!less && !more) || type_is_float(c->arg[0]->type)) return c;
    const bool left = expr_has(c->arg[0], expr_test_var, v), right = expr_has(c->arg[1], expr_test_var, v);
    const int by = left == right ? 0 : left ? moves_by_one(c->arg[0], v) : -moves_by_one(c->arg[1], v);
    if (!by) return c;
    const Expr *const width = expr_int(g, TY_I64, vector), *index = expr_var(g, (Var *)v);
    const Expr *at = expr2(g, OP_MUL, expr2(g, OP_DIV, index, width), width);
    if ((by > 0) != less) at = expr2(g, OP_ADD, at, expr_int(g, TY_I64, vector - 1));
    return expr_replace(g, c, &index, &at, 1);
}

/* Of a load of what exists, conditions that differ between the elements of a vector: they would part it into single
 * elements (a softmax under a diagonal). */
static const Expr *vector_conditions(Apply *x, const Expr *e, const Expr *c) {
    const Expr *last = e->arg[e->nargs - 1];
    for (int a = 0; c && last->op == OP_VAR && a < x->gr->axes.n; a++) {
        const SAxis *axis = &x->s->axis[a];
        const SFactor *f = axis->n ? &axis->f[axis->n - 1] : NULL;
        if (x->gr->axes.at[a].var != last->u.var || axis->peel || !f || f->bind != BIND_VEC || f->size < 2) continue;
        return of_vectors(x, c, a, f->size);
    }
    return c;
}

/* The condition under which to load. What exists is loaded without one where neighbouring elements have conditions of
 * their own, made of data, or where the condition varies along axes that the load lacks: each element would be loaded
 * by itself, or again for each of those. */
static Cond load_cond(Apply *x, const Expr *e, Cond c) {
    const Expr *kept = NULL;
    bool fewer;
    if (needs_no_loop(x, e, c)) return (Cond){0};
    const Expr *less = fewer_conditions(x, e, c, &fewer);
    if (fewer) return apply_cond(x, less);
    if (!c.key || !e->nargs || !(load_exists(e) || expr_map_get(&x->gr->whole, e))) return c;
    if (!index_conditions(x, c.key, group_free(x->gr, e->arg[e->nargs - 1]), &kept)) kept = c.key;
    /* conditions of data are protected by those before them */
    if (kept && !expr_has(kept, expr_test_data, NULL))
        kept = vector_conditions(x, e, own_conditions(x, kept, group_free(x->gr, e)));
    return kept == c.key ? c : apply_cond(x, kept);
}

/* Of what is computed again: it varies along an axis that is folded, so that a thread would keep a tile of it until the
 * fold has ended. */
static bool is_again(Apply *x, const Expr *e) {
    AxisSet folded = 0;
    for (int i = 0; x->s->again && i < x->gr->steps.n; i++) folded |= x->gr->steps.at[i].over;
    return (group_free(x->gr, e) & folded) != 0;
}

static const Expr *apply_load(Apply *x, const Expr *e, Cond c) {
    Tensor *t = e->u.tensor;
    Stage *s = stage_new(x->p, STAGE_LOAD);
    s->tensor = t;
    s->subs = NEW_N(x->g->ctx, const Expr *, t->rank);
    FactorSet domain = c.is ? expr_domain(x->part, x->l, c.is) : 0;
    bool plain = !c.is || !expr_has_op(c.is, OP_VALUE);
    for (int i = 0; i < t->rank; i++) {
        s->subs[i] = apply_expr(x, e->arg[i], c);
        domain |= expr_domain(x->part, x->l, s->subs[i]);
        plain &= !expr_has_op(s->subs[i], OP_VALUE);
    }
    s->cond = c.is;
    s->packed = is_again(x, e);
    ApplyBody *at = home(x, e, c);
    /* what the kernel may write itself is not read before its turn */
    if (plain && at->up && t->kind != TENSOR_INOUT) s->depth = x->s->ahead;
    s->nout = 1;
    s->out[0] = apply_value(x, VALUE_REG, t->name, t->type, domain);
    vec_push(x->temp, &at->stages, s);
    if (s->cond) expr_map_put_object(x->temp, &x->loads, s->out[0], s);
    const Expr *v = expr_value(x->p, s->out[0]);
    apply_know(x, at, e, c.key, v);
    return v;
}

/* What a load of that type leaves where its condition does not hold, so that a cast of it is e: zero, which it leaves
 * unless another value is stated, or an infinity. NULL: nothing does. */
static const Expr *absent_as(Apply *x, const Expr *e, Type t) {
    if (e->op != OP_CONST || e->type == TY_BOOL || t == TY_BOOL) return NULL;
    const bool real = type_is_float(e->type), zero = real ? e->u.f == 0 && !signbit(e->u.f) : e->u.i == 0;
    if (zero) return type_is_float(t) ? expr_float(x->g, t, 0) : expr_int(x->g, t, 0);
    const bool endless = t == TY_F16 || t == TY_BF16 || t == TY_F32 || t == TY_F64;
    return real && endless && isinf(e->u.f) ? expr_float(x->g, t, e->u.f) : NULL;
}

/* `if c then x[i] else 0` where x[i] is loaded under c: what the load leaves says it already. NULL: it is none such. */
static const Expr *loaded_or(Apply *x, const Expr *then, const Expr *is, const Expr *other) {
    const Expr *v = then;
    while (v->op == OP_CAST) v = v->arg[0];
    if (v->op != OP_VALUE) return NULL;
    Stage *s = expr_map_object(&x->loads, v->u.value);
    const Expr *as = s && s->cond == is ? absent_as(x, other, s->tensor->type) : NULL;
    const Expr *known = as ? expr_map_get(&x->absent, v->u.value) : NULL;
    if (!as || (known && known != as)) return NULL;
    expr_map_put(x->temp, &x->absent, v->u.value, as);
    if (type_is_float(as->type) && isinf(as->u.f)) s->other = as;
    return then;
}

static const Expr *expression(Apply *x, const Expr *e, Cond c, bool varies_less);

/* ---- what both branches read ---- */

/* What stands behind a condition of its own may not be evaluated at all. */
static Found is_always(const Expr *e, void *unused) {
    (void)unused;
    const bool perhaps = e->op == OP_IF || e->op == OP_AND || e->op == OP_OR;
    return perhaps || e->op == OP_LOAD || e->op == OP_REDUCE ? FOUND_NOT : FOUND_INSIDE;
}

typedef struct Branches {
    Apply *x;
    const ExprSet *other; /* what the other one evaluates */
} Branches;

static Found evaluate_shared(const Expr *e, void *user) {
    const Branches *b = user;
    if (!expr_set_has(b->other, e)) return is_always(e, NULL);
    if (!is_index(b->x, e)) expression(b->x, e, (Cond){0}, false);
    return FOUND_NOT;
}

/* What both branches evaluate in any case is evaluated before them, once and without a condition: of a rotation, where
 * `if d < D then n[d] * c[d] - ... else n[d] * c[d - D] + ...`, n[d] is one load, not two under contrary conditions. */
static void apply_shared(Apply *x, const Expr *e) {
    ExprWalk other = {.temp = x->temp, .before = is_always};
    Branches b = {x, &other.seen};
    ExprWalk walk = {.temp = x->temp, .before = evaluate_shared, .user = &b};
    expr_walk(&other, e->arg[2]);
    expr_walk(&walk, e->arg[1]);
}

/* ---- what the branches read a number of elements apart ---- */

typedef struct BranchLoads {
    Ctx *temp;
    VEC(const Expr *) at;
} BranchLoads;

static Found note_load(const Expr *e, void *user) {
    BranchLoads *b = user;
    if (e->op == OP_LOAD) vec_push(b->temp, &b->at, e);
    return is_always(e, NULL);
}

/* The loads that a branch makes in any case. */
static BranchLoads loads_of_branch(Apply *x, const Expr *branch) {
    BranchLoads b = {.temp = x->temp};
    ExprWalk walk = {.temp = x->temp, .before = note_load, .user = &b};
    expr_walk(&walk, branch);
    return b;
}

/* a - b where that is a number of dimensions alone; NULL: it differs between elements. */
static const Expr *number_between(Apply *x, const Expr *a, const Expr *b) {
    const PolyEnv env = {.g = x->g, .ctx = x->temp};
    const Poly far = poly_sub(x->temp, poly_of(&env, a), poly_of(&env, b));
    const Expr *e = far.failed ? NULL : poly_expr(x->g, far);
    return e && expr_over_dims(e) ? e : NULL;
}

/* A load that is `then` where the condition holds, and `other` where it does not; NULL: there is none. */
static const Expr *load_of_either(Apply *x, const Expr *cond, const Expr *then, const Expr *other) {
    const Expr *at[MAX_RANK], *far;
    if (then == other || then->u.tensor != other->u.tensor || then->u.tensor->kind == TENSOR_INOUT) return NULL;
    const Expr *one = expr3(x->g, OP_IF, cond, expr_int(x->g, TY_I64, 1), expr_int(x->g, TY_I64, 0));
    for (int d = 0; d < then->nargs; d++) {
        at[d] = other->arg[d];
        if (then->arg[d] == other->arg[d]) continue;
        if (!(far = number_between(x, then->arg[d], other->arg[d]))) return NULL;
        at[d] = expr2(x->g, OP_ADD, at[d], expr2(x->g, OP_MUL, far, one));
    }
    return expr_load(x->g, then->u.tensor, at);
}

static bool is_loaded_under(Apply *x, const Expr *load, Cond c) {
    return load_cond(x, load, c).key == c.key && !apply_known(x, load, c.key);
}

/* Where each branch loads an element of one tensor, and these are a number apart, as the halves of rows that are
 * rotated (c[d] and c[d - D]), one load serves both. Lanes of a warp differ in the branch that they take: of two loads
 * under contrary conditions all of them would wait for both. */
static void apply_either(Apply *x, const Expr *e, Cond c, Cond then, Cond other) {
    if (!is_index(x, e->arg[0])) return;
    const BranchLoads a = loads_of_branch(x, e->arg[1]);
    BranchLoads b = loads_of_branch(x, e->arg[2]);
    for (int i = 0; i < a.at.n; i++) {
        const Expr *load = NULL;
        if (!is_loaded_under(x, a.at.at[i], then)) continue;
        for (int k = 0; k < b.at.n && !load; k++) {
            if (!b.at.at[k] || !is_loaded_under(x, b.at.at[k], other)) continue;
            if (!(load = load_of_either(x, e->arg[0], a.at.at[i], b.at.at[k]))) continue;
            const Expr *value = expression(x, load, c, false);
            ApplyBody *at = home(x, load, c);
            apply_know(x, at, a.at.at[i], then.key, value);
            apply_know(x, at, b.at.at[k], other.key, value);
            b.at.at[k] = NULL; /* it is part of a pair */
        }
    }
}

/* Operands, each under the condition that its operator evaluates it under. */
static const Expr *apply_args(Apply *x, const Expr *e, Cond c) {
    const Expr *a[3], *is = NULL; /* of an operator: loads, steps and marks do not come here */
    for (int i = 0; i < e->nargs; i++) {
        Cond ci = c;
        if (i == 1 && e->op == OP_IF && !c.key) apply_shared(x, e);
        if (i && (e->op == OP_AND || (e->op == OP_IF && i == 1))) {
            ci = both(x, c, e->arg[0], a[0]);
            is = ci.is;
        } else if (i && (e->op == OP_OR || e->op == OP_IF)) {
            ci = contrary(x, c, e->arg[0], a[0]);
        }
        if (i == 1 && e->op == OP_IF) apply_either(x, e, c, ci, contrary(x, c, e->arg[0], a[0]));
        a[i] = expression(x, e->arg[i], ci, group_free(x->gr, e->arg[i]) != group_free(x->gr, e));
    }
    const Expr *loaded = e->op == OP_IF ? loaded_or(x, a[1], is, a[2]) : NULL;
    return loaded ? loaded : expr_with(x->g, e, a);
}

/* What several places read, or what varies less than the one place that reads it, is evaluated once. r is what e has
 * become. */
static bool wants_map(Apply *x, const Expr *e, const Expr *r, Cond c, bool varies_less) {
    bool traps = false;
    if (expr_map_number(&x->uses, e, 0) < 2 && !varies_less && r->depth <= MAP_DEPTH) return false;
    int size = tree_size(x, e, &traps);
    if (size < MAP_SIZE || (size < INDEX_SIZE && is_index(x, e))) return false;
    if ((is_again(x, e) || reads_one_stage(x, e)) && !varies_less && size <= AGAIN_SIZE && r->depth <= MAP_DEPTH)
        return false;
    return !traps || !c.key;
}

static const Expr *apply_map(Apply *x, const Expr *e, const Expr *r, Cond c) {
    Stage *s = stage_new(x->p, STAGE_MAP);
    ApplyBody *at = home(x, e, c);
    s->expr[0] = r;
    s->nout = 1;
    s->out[0] = apply_value(x, VALUE_REG, "e", r->type, expr_domain(x->part, x->l, r));
    vec_push(x->temp, &at->stages, s);
    r = expr_value(x->p, s->out[0]);
    apply_know(x, at, e, c.key, r);
    return r;
}

/* Of a step that has scattered the elements at hand. */
static const Expr *read_bins(Apply *x, const Expr *e) {
    const GStep *p = group_step(x->gr, e);
    const StepState *st = &x->state[p - x->gr->steps.at];
    if (!st->made) {
        apply_fail(x, "a step is read before it is made");
        return e;
    }
    Stage *s = stage_new(x->p, STAGE_READ);
    ApplyBody *at = home(x, e, (Cond){0});
    s->source = st->bins;
    s->layout = x->l;
    s->nout = 1;
    int into = 0;
    while (!(p->into >> into & 1)) into++;
    s->out[0] =
        apply_value(x, VALUE_REG, "r", st->bins->type, st->bins->domain | layout_axis_factors(x->l, x->axis[into]));
    vec_push(x->temp, &at->stages, s);
    const Expr *v = expr_value(x->p, s->out[0]);
    apply_know(x, at, e, NULL, v);
    return v;
}

static const Expr *expression(Apply *x, const Expr *e, Cond c, bool varies_less) {
    if (e->op == OP_VAR) {
        for (int a = 0; a < x->gr->axes.n; a++)
            if (x->gr->axes.at[a].var == e->u.var) return expr_var(x->g, x->axis[a]->var);
        if (x->gr->part == e->u.var)
            for (int i = 0; i < x->l->factors.n; i++)
                if (x->l->factors.at[i]->axis == x->axis[x->gr->split] && x->l->factors.at[i]->bind == BIND_GRID)
                    return expr_factor(x->p, x->l->factors.at[i]);
        apply_fail(x, "an index variable without an axis");
        return e;
    }
    if (!e->nargs && e->op != OP_LOAD) return e;
    if (e->op == OP_LOAD) c = load_cond(x, e, c);
    const Expr *r = apply_known(x, e, c.key);
    if (r) return r;
    if (e->op == OP_LOAD) return apply_load(x, e, c);
    if (e->op == OP_REDUCE) return read_bins(x, e);
    r = apply_args(x, e, c);
    if (wants_map(x, e, r, c, varies_less))
        return apply_map(x, e, r, waits_for_loop(x, e, c) && is_there(x, e) ? (Cond){0} : c);
    apply_know(x, x->body, e, c.key, r);
    return r;
}

const Expr *apply_expr(Apply *x, const Expr *e, Cond c) { return expression(x, e, c, false); }
