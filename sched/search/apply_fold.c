/* What the steps of a group become: stages that fold or scan. A step whose loops are open adds to variables what the
 * threads' registers have in each iteration, and its threads exchange once the loop has ended; one without a loop folds
 * all at once. Steps that need not wait for one another exchange together: a barrier takes longer than what it guards.
 */
#include "apply_form.h"

#include "ir/monoid.h"

static int axis_of(AxisSet set) {
    int a = 0;
    while (!(set >> a & 1)) a++;
    return a;
}

void apply_push(Apply *x, Stage *s) { vec_push(x->temp, &x->body->stages, s); }

static void result(Apply *x, const GStep *p, Value *const *out) {
    for (int i = 0; i < p->monoid->n; i++)
        if (p->part[i]) apply_know(x, x->body, p->part[i], NULL, expr_value(x->p, out[i]));
}

/* The domain of a stage's operands. One that does not vary along a folded axis is made to, so that the axis's end is
 * seen. */
static FactorSet vary(Apply *x, const GStep *p, const Monoid *m, Stage *s) {
    FactorSet domain = 0;
    for (int i = 0; i < MAX_PARTS && s->expr[i]; i++) domain |= expr_domain(x->part, x->l, s->expr[i]);
    for (int a = 0; a < x->gr->axes.n; a++) {
        if (!(p->over >> a & 1) || !(layout_axis_factors(x->l, x->axis[a]) & ~domain)) continue;
        const Expr *in = expr2(x->g, OP_LT, expr_var(x->g, x->axis[a]->var), x->axis[a]->hi);
        for (int i = 0; i < monoid_operands(m); i++) s->expr[i] = expr3(x->g, OP_IF, in, s->expr[i], m->identity[i]);
    }
    for (int i = 0; i < m->n; i++) domain |= expr_domain(x->part, x->l, s->expr[i]);
    return domain | (s->cond ? expr_domain(x->part, x->l, s->cond) : 0);
}

static FactorSet operands(Apply *x, const GStep *p, const Monoid *m, Stage *s) {
    Cond c = apply_cond(x, p->guard);
    s->cond = c.is;
    for (int i = 0; i < monoid_operands(m); i++) s->expr[i] = apply_expr(x, p->node->arg[1 + i], c);
    if (m->indexed) s->expr[m->n - 1] = expr_var(x->g, x->axis[axis_of(p->over)]->var);
    return vary(x, p, m, s);
}

static void outputs(Apply *x, const Monoid *m, Stage *s, const char *base, FactorSet domain) {
    s->nout = m->n;
    for (int i = 0; i < m->n; i++) s->out[i] = apply_value(x, VALUE_REG, base, m->type[i], domain);
}

const Expr *apply_fold(Apply *x, const GStep *p, const Monoid *m, const Expr *operand, const Expr *cond,
                       FactorSet over) {
    Stage *s = stage_new(x->p, STAGE_REDUCE);
    s->cond = cond;
    s->expr[0] = !over && cond ? expr3(x->g, OP_IF, cond, operand, m->identity[0]) : operand;
    const FactorSet domain = vary(x, p, m, s);
    if (!over) return apply_named(x, "p", s->expr[0]); /* one element: the stage is never one of the kernel */
    s->monoid = m;
    s->over = over;
    outputs(x, m, s, "p", domain & ~over);
    apply_push(x, s);
    return expr_value(x->p, s->out[0]);
}

bool apply_is_made(const Apply *x, int step) {
    const GStep *p = &x->gr->steps.at[step];
    return p->into ? x->state[step].made : apply_known(x, p->node, NULL) != NULL;
}

void apply_bins(Apply *x, int step) {
    const GStep *p = &x->gr->steps.at[step];
    const Monoid *m = monoid_of(x->g, p->monoid, p->body->type);
    const FactorSet rows = apply_tile(x, step_around(p), true, true);
    Stage *s = stage_new(x->p, STAGE_BINS);
    s->layout = x->l;
    s->axis = x->axis[axis_of(p->into)];
    s->expr[0] = m->identity[0];
    s->nout = 1;
    s->out[0] = x->state[step].bins = apply_value(x, VALUE_SHARED, "bins", m->type[0], rows);
    s->out[0]->layout = x->l;
    s->out[0]->def = s;
    x->state[step].made = false;
    apply_push(x, s);
}

/* Elements outside of what is folded are left out, as axes' ends are where something varies along them. */
static void emit_scatter(Apply *x, const GStep *p, const StepState *st) {
    const Monoid *m = monoid_of(x->g, p->monoid, p->body->type);
    Stage *s = stage_new(x->p, STAGE_SCATTER);
    const Cond c = apply_cond(x, p->rest);
    s->layout = x->l;
    s->cond = c.is;
    s->expr[1] = apply_expr(x, p->key, c);
    s->expr[0] = apply_expr(x, p->node->arg[1], c);
    vary(x, p, m, s);
    s->monoid = m;
    s->source = st->bins;
    apply_push(x, s);
}

static void emit_scan(Apply *x, const GStep *p, StepState *st) {
    const Monoid *m = monoid_of(x->g, p->monoid, p->body->type);
    Stage *s = stage_new(x->p, STAGE_SCAN);
    FactorSet domain = operands(x, p, m, s);
    for (int i = 0; i < m->n && s->cond; i++) s->expr[i] = expr3(x->g, OP_IF, s->cond, s->expr[i], m->identity[i]);
    s->cond = NULL; /* what is left out adds nothing: the text of a scan has no condition */
    s->monoid = m;
    s->axis = x->axis[axis_of(p->over)];
    s->exclusive = p->exclusive;
    stage_carry(x->p, s, st->acc);
    outputs(x, m, s, "s", domain);
    apply_push(x, s);
    result(x, p, s->out);
}

const Expr *apply_named(Apply *x, const char *base, const Expr *e) {
    Stage *s = stage_new(x->p, STAGE_MAP);
    s->expr[0] = e;
    s->nout = 1;
    s->out[0] = apply_value(x, VALUE_REG, base, e->type, expr_domain(x->part, x->l, e));
    apply_push(x, s);
    return expr_value(x->p, s->out[0]);
}

/* All parts are computed before any is set. */
static void set_parts(Apply *x, const Monoid *m, StepState *st, const Expr **next) {
    for (int i = 0; i < m->n && m->n > 1; i++) next[i] = apply_named(x, "e", next[i]);
    for (int i = 0; i < m->n; i++) {
        Stage *set = stage_new(x->p, STAGE_SET);
        set->nout = 1;
        set->out[0] = st->acc[i];
        set->expr[0] = next[i];
        apply_push(x, set);
    }
}

/* In the innermost loop: the registers' part is folded, then combined with what was accumulated. */
static void accumulate(Apply *x, const GStep *p, StepState *st) {
    const Monoid *m = monoid_of(x->g, p->monoid, p->body->type);
    const Expr *from[2 * MAX_PARTS], *to[2 * MAX_PARTS], *next[MAX_PARTS];
    if (p->online) {
        const Expr *before[MAX_PARTS];
        for (int i = 0; i < m->n; i++) before[i] = expr_value(x->p, st->acc[i]);
        apply_online(x, p, m, before, next);
        set_parts(x, m, st, next);
        return;
    }
    Stage *s = stage_new(x->p, STAGE_REDUCE);
    FactorSet domain = operands(x, p, m, s);
    s->monoid = m;
    s->over = apply_tile(x, p->over, true, false);
    outputs(x, m, s, "p", domain & ~s->over);
    apply_push(x, s);
    for (int i = 0; i < m->n; i++) {
        from[i] = expr_node(x->g, OP_ARG, m->type[i], false, i, NULL, 0);
        from[m->n + i] = expr_node(x->g, OP_ARG, m->type[i], false, m->n + i, NULL, 0);
        to[i] = expr_value(x->p, st->acc[i]);
        to[m->n + i] = expr_value(x->p, s->out[i]);
    }
    for (int i = 0; i < m->n; i++) next[i] = expr_replace(x->g, m->combine[i], from, to, 2 * m->n);
    set_parts(x, m, st, next);
}

/* The states of all threads become one. */
static void fold_threads(Apply *x, const GStep *p, const Monoid *m, const Expr *const *parts, FactorSet threads) {
    Stage *s = stage_new(x->p, STAGE_REDUCE);
    FactorSet domain = 0;
    for (int i = 0; i < m->n; i++) s->expr[i] = parts[i], domain |= expr_domain(x->part, x->l, parts[i]);
    s->monoid = m;
    s->over = threads;
    outputs(x, m, s, p->monoid->name, domain & ~threads);
    apply_push(x, s);
    result(x, p, s->out);
}

/* Of elements that the threads have all at once. */
static void emit_online(Apply *x, const GStep *p, const Monoid *m) {
    const FactorSet threads = apply_tile(x, p->over, false, true);
    const Expr *parts[MAX_PARTS];
    apply_online(x, p, m, NULL, parts);
    if (threads) {
        fold_threads(x, p, m, parts, threads);
        return;
    }
    for (int i = 0; i < m->n; i++)
        if (p->part[i]) apply_know(x, x->body, p->part[i], NULL, apply_named(x, "p", parts[i]));
}

/* ---- one step, or several together ---- */

/* Several threads fold it: lanes exchange, warps meet at a barrier. */
static bool meets(const Apply *x, const GStep *p) {
    bool several = false;
    for (int a = 0; a < x->gr->axes.n; a++)
        for (int i = 0; p->over >> a & 1 && i < x->s->axis[a].n; i++) {
            const SFactor *f = &x->s->axis[a].f[i];
            several |= (bind_scope(f->bind) == SCOPE_THREAD || f->bind == BIND_CLUSTER) && f->size > 1;
        }
    return several;
}

static bool is_plain(const GStep *p) {
    const Monoid *m = p->monoid;
    if (m->kind == MONOID_DECLARED || m->n != 1 || p->node->type != TY_F32) return false;
    return !p->scan && !p->online && !p->joined[0] && !p->into;
}

/* Sums of any elements; others of the same ones, so that no thread has more of them at a time. */
bool apply_meet_once(const Apply *x, const GStep *p, const GStep *q) {
    const bool sums = p->monoid->kind == MONOID_SUM && q->monoid->kind == MONOID_SUM;
    if (p->over != q->over || p->free != q->free || !(sums || p->body == q->body)) return false;
    return is_plain(p) && is_plain(q) && meets(x, p);
}

/* What n steps fold by, beside each other. */
static const Monoid *beside(Apply *x, const int *items, int n) {
    MonoidKind of[MAX_PARTS] = {MONOID_SUM};
    for (int i = 0; i < n; i++) of[i] = x->gr->steps.at[items[i]].monoid->kind;
    return monoid_beside(x->g, of, n);
}

/* The states of all threads become one; parts: of a step, or of n steps of one part each. */
static void exchange(Apply *x, const int *items, int n, const Expr *const *parts, FactorSet threads) {
    const GStep *p = &x->gr->steps.at[items[0]];
    if (n == 1) {
        fold_threads(x, p, monoid_of(x->g, p->monoid, p->body->type), parts, threads);
        return;
    }
    const Monoid *m = beside(x, items, n);
    Stage *s = stage_new(x->p, STAGE_REDUCE);
    FactorSet domain = 0;
    for (int i = 0; i < n; i++) s->expr[i] = parts[i], domain |= expr_domain(x->part, x->l, parts[i]);
    s->monoid = m;
    s->over = threads;
    outputs(x, m, s, p->monoid->name, domain & ~threads);
    apply_push(x, s);
    for (int i = 0; i < n; i++)
        apply_know(x, x->body, x->gr->steps.at[items[i]].node, NULL, expr_value(x->p, s->out[i]));
}

void apply_finish(Apply *x, const int *items, int n) {
    const GStep *p = &x->gr->steps.at[items[0]];
    if (p->into) {
        x->state[items[0]].opened = -1;
        x->state[items[0]].made = true;
        return;
    }
    const FactorSet threads = apply_tile(x, p->over, false, true);
    const Expr *parts[MAX_PARTS];
    int nparts = 0;
    for (int i = 0; i < n; i++) {
        StepState *st = &x->state[items[i]];
        const GStep *q = &x->gr->steps.at[items[i]];
        st->opened = -1;
        if (!threads) result(x, q, st->acc);
        for (int k = 0; threads && k < q->monoid->n; k++) parts[nparts++] = expr_value(x->p, st->acc[k]);
    }
    if (threads) exchange(x, items, n, parts, threads);
}

/* What a thread's registers have of a step. */
static const Expr *own_part(Apply *x, const GStep *p, FactorSet regs) {
    const Monoid *m = monoid_of(x->g, p->monoid, p->body->type);
    const Cond c = apply_cond(x, p->guard);
    return apply_fold(x, p, m, apply_expr(x, p->node->arg[1], c), c.is, regs);
}

/* What a thread's registers have of several steps, all of which one walk over them folds: what they read alike is
 * computed once. */
static void own_parts(Apply *x, const int *items, int n, FactorSet regs, const Expr **parts) {
    const GStep *p = &x->gr->steps.at[items[0]];
    const Cond c = apply_cond(x, p->guard);
    const Expr *operand[MAX_PARTS];
    for (int i = 0; i < n; i++) operand[i] = x->gr->steps.at[items[i]].node->arg[1];
    apply_read_together(x, operand, n);
    for (int i = 0; i < n; i++) operand[i] = apply_expr(x, operand[i], c);
    apply_read_together(x, NULL, 0);
    Stage *s = stage_new(x->p, STAGE_REDUCE);
    s->cond = c.is;
    s->monoid = beside(x, items, n);
    s->over = regs;
    for (int i = 0; i < n; i++) s->expr[i] = operand[i];
    const FactorSet domain = vary(x, p, s->monoid, s);
    outputs(x, s->monoid, s, "p", domain & ~regs);
    apply_push(x, s);
    for (int i = 0; i < n; i++) parts[i] = expr_value(x->p, s->out[i]);
}

static void emit_together(Apply *x, const int *items, int n) {
    const GStep *p = &x->gr->steps.at[items[0]];
    const FactorSet regs = apply_tile(x, p->over, true, false);
    const Expr *parts[MAX_PARTS];
    bool alike = regs != 0;
    for (int i = 1; i < n; i++) alike &= x->gr->steps.at[items[i]].guard == p->guard;
    if (alike) own_parts(x, items, n, regs, parts);
    for (int i = 0; i < n && !alike; i++) parts[i] = own_part(x, &x->gr->steps.at[items[i]], regs);
    exchange(x, items, n, parts, apply_tile(x, p->over, false, true));
}

static void emit_step(Apply *x, int item) {
    const GStep *p = &x->gr->steps.at[item];
    StepState *st = &x->state[item];
    const Monoid *m = monoid_of(x->g, p->monoid, p->body->type);
    if (p->scan) {
        emit_scan(x, p, st);
    } else if (p->into) {
        if (st->opened < 0) apply_bins(x, item);
        emit_scatter(x, p, st);
        st->made |= st->opened < 0;
    } else if (st->opened >= 0) {
        accumulate(x, p, st);
    } else if (p->online) {
        emit_online(x, p, m);
    } else {
        Stage *s = stage_new(x->p, STAGE_REDUCE);
        FactorSet domain = operands(x, p, m, s);
        s->monoid = m;
        s->over = apply_tile(x, p->over, true, true);
        outputs(x, m, s, p->monoid->name, domain & ~s->over);
        apply_push(x, s);
        result(x, p, s->out);
    }
}

void apply_emit_steps(Apply *x, const int *items, int n) {
    if (n > 1)
        emit_together(x, items, n);
    else
        emit_step(x, items[0]);
}
