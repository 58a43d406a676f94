/* What a group says of its axes and steps to schedules: which steps stand under which folds, which axes accesses move
 * along, which steps join two values of fewer axes. */
#include "group.h"
#include "ir/expr_walk.h"
#include "ir/poly/poly.h"

/* Marks the steps inside an expression as standing under the axes that the enclosing steps fold. */
static void mark_under(Group *gr, Ctx *temp, ExprMap *seen, const Expr *e, AxisSet under) {
    if (!e->nargs) return;
    intptr_t known = expr_map_number(seen, e, -1);
    if (known >= 0 && ((AxisSet)known | under) == (AxisSet)known) return;
    if (known >= 0) under |= (AxisSet)known;
    expr_map_put_number(temp, seen, e, under);
    if (e->op == OP_REDUCE) {
        GStep *s = group_step(gr, e);
        s->under |= under;
        if (!s->scan) under |= s->over;
    }
    for (int i = 0; i < e->nargs; i++) mark_under(gr, temp, seen, e->arg[i], under);
}

/* By how many elements an access moves along an axis whose variable is a term of its last subscript; 0: another way. */
static int64_t moves_by(const Expr *e, const Var *v) {
    int64_t k, by;
    if (e->op == OP_VAR) return e->u.var == v;
    if (e->op == OP_ADD && (by = moves_by(e->arg[0], v)) == 0) return moves_by(e->arg[1], v);
    if (e->op == OP_ADD || e->op == OP_SUB) return moves_by(e->arg[0], v);
    if (e->op != OP_MUL) return 0;
    for (int i = 0; i < 2; i++)
        if (expr_is_int(e->arg[i], &k) && k > 0 && mul_ok(k, moves_by(e->arg[1 - i], v), &by)) return by;
    return 0;
}

/* The remainder of an axis's variable by lengths, of which the quotient stands elsewhere (partition_folds.c). */
static bool is_remainder(const Expr *e, const Var *v) {
    int64_t fixed;
    bool any = false;
    for (; e->op == OP_MOD && expr_over_dims(e->arg[1]) && !expr_is_int(e->arg[1], &fixed); any = true) e = e->arg[0];
    return any && e->op == OP_VAR && e->u.var == v;
}

/* What an access says for vectors along an axis: more where it has more axes, less where it leaves elements out. */
static int along(int64_t by, AxisSet axes) {
    enum { NEAR = 4 };
    int n = __builtin_popcountll(axes);
    return by == 1 ? 2 * n : by > 1 && by <= NEAR ? n : 0;
}

static Found count_contiguous(const Expr *e, void *group) {
    Group *gr = group;
    if (e->op != OP_LOAD || !e->nargs) return FOUND_INSIDE;
    for (int a = 0; a < gr->axes.n; a++) {
        GAxis *x = &gr->axes.at[a];
        const bool remainder = is_remainder(e->arg[e->nargs - 1], x->var);
        x->contiguous += along(remainder ? 1 : moves_by(e->arg[e->nargs - 1], x->var), group_free(gr, e));
        x->merged |= remainder;
    }
    return FOUND_INSIDE;
}

bool group_data(ExprSet *seen, Ctx *temp, const Expr *e) {
    return expr_find(temp, seen, e, expr_test_data, NULL) != NULL;
}

/* A load that exists only under the guard, and so varies as it does. */
static Found needs_guard(const Expr *e, const void *unused) {
    (void)unused;
    return e->op == OP_LOAD && !load_exists(e) ? FOUND : FOUND_INSIDE;
}

static void describe_joined(Group *gr, Ctx *temp, GStep *p) {
    if (p->scan || p->node->nargs != 2 || p->body->nargs != 2 || op_rule(p->body->op) != RULE_ARITH) return;
    AxisSet all = group_free(gr, p->body), a = group_free(gr, p->body->arg[0]), b = group_free(gr, p->body->arg[1]);
    ExprSet seen = {0}, again = {0};
    if (p->guard && (expr_find(temp, &seen, p->body, needs_guard, NULL) || group_data(&again, temp, p->guard))) {
        a |= group_free(gr, p->guard);
        b |= group_free(gr, p->guard);
    }
    if (!(a & ~b) || !(b & ~a) || (group_free(gr, p->guard) & ~all)) return;
    p->joined[0] = a;
    p->joined[1] = b;
}

/* ---- rows ---- */

/* A tensor and the ways in which it is accessed. */
typedef struct Accessed {
    Tensor *tensor;
    VEC(const Expr *const *) subs;
} Accessed;

typedef struct FindRows {
    VEC(Accessed *) at;
    ExprMap of; /* Tensor -> Accessed */
    Ctx *temp;
} FindRows;

static void note_access(FindRows *x, Tensor *t, const Expr *const *subs) {
    Accessed *a = expr_map_object(&x->of, t);
    if (!a) {
        a = NEW(x->temp, Accessed);
        a->tensor = t;
        expr_map_put_object(x->temp, &x->of, t, a);
        vec_push(x->temp, &x->at, a);
    }
    for (int i = 0; i < a->subs.n; i++) {
        bool same = true;
        for (int d = 0; d < t->rank; d++) same &= a->subs.at[i][d] == subs[d];
        if (same) return;
    }
    vec_push(x->temp, &a->subs, subs);
}

static Found note_load(const Expr *e, void *user) {
    if (e->op == OP_LOAD) note_access(user, e->u.tensor, (const Expr *const *)e->arg);
    return FOUND_INSIDE;
}

/* Whether accesses lie along an axis alone: it is their last subscript as it stands, and in none else. */
static bool is_plain_axis(Group *gr, const FindRows *x, int axis) {
    for (int i = 0; i < x->at.n; i++)
        for (int k = 0; k < x->at.at[i]->subs.n; k++) {
            const Expr *const *subs = x->at.at[i]->subs.at[k];
            const int last = x->at.at[i]->tensor->rank - 1;
            for (int d = 0; d <= last; d++)
                if (group_free(gr, subs[d]) >> axis & 1 && (d < last || subs[d]->op != OP_VAR)) return false;
        }
    return true;
}

/* Whether each element along the axis is of one row: where a step folds rows, or a store has one element for several, a
 * peel would make threads of different rows begin at different elements of the same result. */
static bool is_one_row(const Group *gr, const GRow *r) {
    for (int i = 0; i < gr->steps.n; i++) {
        const GStep *p = &gr->steps.at[i];
        if (p->free >> r->axis & 1 && r->rows & ~p->free) return false;
        if (p->over >> r->axis & 1 && r->rows & ~(p->free | p->over)) return false;
    }
    for (int i = 0; i < gr->stores.n; i++)
        if (gr->stores.at[i].axes >> r->axis & 1 && r->rows & ~gr->stores.at[i].axes) return false;
    return true;
}

static void add_row(Group *gr, const Accessed *x, int axis) {
    const int last = x->tensor->rank - 1;
    const Expr *const *of = NULL; /* the one access along the axis */
    for (int i = 0; i < x->subs.n; i++) {
        bool along = false;
        for (int d = 0; d <= last; d++) along |= group_free(gr, x->subs.at[i][d]) >> axis & 1;
        if (along && of) return;
        if (along) of = x->subs.at[i];
    }
    if (!of) return;
    GRow r = {.tensor = x->tensor, .axis = axis};
    for (int d = 0; d < last; d++) {
        if (expr_has(of[d], expr_test_data, NULL)) return;
        if (gr->split >= 0 && expr_has(of[d], expr_test_var, gr->part)) return;
        r.rows |= group_free(gr, of[d]);
    }
    r.peels = is_one_row(gr, &r);
    if (!(r.rows >> axis & 1) && (r.peels || gr->across >> axis & 1)) vec_push(gr->graph->ctx, &gr->rows, r);
}

void group_find_rows(Group *gr, Ctx *temp) {
    gr->rows.at = NULL;
    gr->rows.n = gr->rows.cap = 0;
    FindRows x = {.temp = temp};
    ExprWalk walk = {.temp = temp, .before = note_load, .user = &x};
    for (int i = 0; i < gr->stores.n; i++) {
        const GStore *s = &gr->stores.at[i];
        expr_walk(&walk, s->value);
        expr_walk(&walk, s->guard);
        for (int d = 0; d < s->tensor->rank; d++) expr_walk(&walk, s->subs[d]);
        note_access(&x, s->tensor, s->subs);
    }
    for (int a = 0; a < gr->axes.n; a++)
        for (int i = 0; i < x.at.n && is_plain_axis(gr, &x, a); i++) add_row(gr, x.at.at[i], a);
}

/* ---- tensors ---- */

static GTensor *tensor_of(Group *gr, Tensor *t) {
    for (int i = 0; i < gr->tensors.n; i++)
        if (gr->tensors.at[i].tensor == t) return &gr->tensors.at[i];
    vec_push(gr->graph->ctx, &gr->tensors, (GTensor){.tensor = t});
    return &gr->tensors.at[gr->tensors.n - 1];
}

static Found note_loaded(const Expr *e, void *group) {
    if (e->op == OP_LOAD) tensor_of(group, e->u.tensor)->loaded = true;
    return FOUND_INSIDE;
}

void group_find_tensors(Group *gr, Ctx *temp) {
    ExprWalk walk = {.temp = temp, .before = note_loaded, .user = gr, .loads = true};
    gr->tensors.at = NULL;
    gr->tensors.n = gr->tensors.cap = 0;
    for (int i = 0; i < gr->stores.n; i++) {
        const GStore *s = &gr->stores.at[i];
        expr_walk(&walk, s->value);
        expr_walk(&walk, s->guard);
        for (int d = 0; d < s->tensor->rank; d++) expr_walk(&walk, s->subs[d]);
    }
    for (int i = 0; i < gr->stores.n; i++) tensor_of(gr, gr->stores.at[i].tensor)->stored = true;
}

bool group_load_exists(const Group *gr, const Expr *load) {
    return load_exists(load) || expr_map_get(&gr->whole, load) || expr_map_get(&gr->within, load);
}

/* Whether an expression, written out, has few nodes: what its values are in is found out in time. (A search among
 * offsets is a load in a subscript for each bit of their number.) */
static bool is_short(const Expr *e, int *left) {
    if (--*left < 0) return false;
    for (int i = 0; i < e->nargs; i++)
        if (!is_short(e->arg[i], left)) return false;
    return true;
}

static Found note_within(const Expr *e, void *group) {
    enum { FEW_NODES = 64 };
    Group *gr = group;
    const PolyEnv env = {.g = gr->graph};
    int left = FEW_NODES;
    if (e->op != OP_LOAD || e->u.tensor->kind == TENSOR_INOUT || group_load_exists(gr, e)) return FOUND_INSIDE;
    if (is_short(e, &left) && expr_load_within(&env, e)) expr_map_put(gr->graph->ctx, &gr->within, e, e);
    return FOUND_INSIDE;
}

void group_find_within(Group *gr) {
    Ctx *temp = ctx_temp(gr->graph->ctx);
    ExprWalk walk = {.temp = temp, .before = note_within, .user = gr, .loads = true};
    for (int i = 0; i < gr->stores.n && !gr->within_known; i++) {
        expr_walk(&walk, gr->stores.at[i].value);
        expr_walk(&walk, gr->stores.at[i].guard);
    }
    for (int i = 0; i < gr->steps.n && !gr->within_known; i++) expr_walk(&walk, gr->steps.at[i].node);
    gr->within_known = true;
    ctx_temp_end(temp);
}

int group_row_wide(const GRow *r) {
    enum { ACCESS_BITS = 128 };
    const int bits = type_bits(r->tensor->type);
    return bits < ACCESS_BITS ? ACCESS_BITS / bits : 1;
}

/* ---- the whole ---- */

static Found is_rare(const Expr *e, const void *unused) {
    (void)unused;
    return e->op == OP_LOAD && e->u.tensor->usually_zero ? FOUND : FOUND_INSIDE;
}

void group_describe(Group *gr, Ctx *temp) {
    ExprMap under = {0};
    ExprWalk walk = {.temp = temp, .before = count_contiguous, .user = gr, .loads = true};
    AxisSet all = ~(AxisSet)0;
    for (int i = 0; i < gr->steps.n; i++) describe_joined(gr, temp, &gr->steps.at[i]);
    gr->rare = gr->stores.n > 0;
    for (int i = 0; i < gr->stores.n; i++) {
        const GStore *s = &gr->stores.at[i];
        all &= s->axes;
        gr->rare &= s->guard && expr_has(s->guard, is_rare, NULL);
        expr_walk(&walk, s->value);
        expr_walk(&walk, s->guard);
        mark_under(gr, temp, &under, s->value, 0);
        if (s->guard) mark_under(gr, temp, &under, s->guard, 0);
        for (int d = 0; d < s->tensor->rank; d++) mark_under(gr, temp, &under, s->subs[d], 0);
        for (int a = 0; s->tensor->rank && a < gr->axes.n; a++)
            gr->axes.at[a].contiguous += along(moves_by(s->subs[s->tensor->rank - 1], gr->axes.at[a].var), s->axes);
    }
    for (int a = 0; a < gr->axes.n; a++) {
        gr->axes.at[a].indexed = all >> a & 1;
        for (int i = 0; i < gr->steps.n; i++) {
            if (!(gr->steps.at[i].over >> a & 1)) continue;
            gr->axes.at[a].ordered |= !gr->steps.at[i].scan && gr->steps.at[i].monoid->ordered;
            if (gr->steps.at[i].scan)
                gr->axes.at[a].scanned = true;
            else
                gr->axes.at[a].folded = true;
        }
    }
    group_find_rows(gr, temp);
    group_find_tensors(gr, temp);
}
