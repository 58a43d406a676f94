/* Which elements of values are undefined: those outside an axis, where the extent is no multiple of the factors. What a
 * fold leaves out is not undefined any more; everything else passes it on. A variable keeps what any assignment brings,
 * so the walk is repeated until nothing changes. Errors are the caller's business. */
#include "kernel_verify.h"

static FactorSet ambient(const Verify *v, const Layout *l) {
    return layout_scope_factors(l, SCOPE_BLOCK) | verify_loops(v);
}

FactorSet verify_loops(const Verify *v) {
    FactorSet set = 0;
    const Layout *l = v->part->layouts.at[0];
    for (int i = 0; i < v->around.n; i++)
        if (v->around.at[i]->kind == STAGE_FOR)
            set |= layout_axis_factors(l, v->around.at[i]->axis) & layout_scope_factors(l, SCOPE_LOOP);
    return set;
}

uint64_t verify_guarded(Verify *v, const Layout *l, FactorSet domain) {
    const FactorSet around = domain | ambient(v, l);
    uint64_t set = 0;
    for (int i = 0; i < v->part->axes.n; i++) {
        const Axis *a = v->part->axes.at[i];
        FactorSet own = layout_axis_factors(l, a);
        if ((own & domain) && !(own & ~around) && verify_has_tail(v, l, a)) set |= (uint64_t)1 << a->id;
    }
    return set;
}

/* Axes that a condition holds inside: it says index < hi, and nothing lies below lo. */
static uint64_t inside(Verify *v, const Expr *c) {
    if (c->op == OP_AND) return inside(v, c->arg[0]) | inside(v, c->arg[1]);
    if (c->op != OP_LT || c->arg[0]->op != OP_VAR) return 0;
    for (int i = 0; i < v->part->axes.n; i++) {
        const Axis *a = v->part->axes.at[i];
        if (a->var == c->arg[0]->u.var && a->hi == c->arg[1] && !a->peel) return (uint64_t)1 << a->id;
    }
    return 0;
}

uint64_t verify_outside(Verify *v, const Expr *e) {
    if (!e) return 0;
    if (e->op == OP_VALUE) return v->outside[e->u.value->id];
    if (e->op == OP_AND) return verify_outside(v, e->arg[0]) | (verify_outside(v, e->arg[1]) & ~inside(v, e->arg[0]));
    if (e->op == OP_IF)
        return verify_outside(v, e->arg[0]) | (verify_outside(v, e->arg[1]) & ~inside(v, e->arg[0])) |
               verify_outside(v, e->arg[2]);
    uint64_t set = 0;
    for (int i = 0; i < e->nargs; i++) set |= verify_outside(v, e->arg[i]);
    return set;
}

static uint64_t operands_outside(Verify *v, const Stage *s) {
    uint64_t set = verify_outside(v, s->cond);
    for (int i = 0; i < MAX_PARTS; i++) set |= verify_outside(v, s->expr[i]);
    return set;
}

static uint64_t result_outside(Verify *v, const Stage *s) {
    const Layout *l = s->layout;
    uint64_t set = operands_outside(v, s);
    switch (s->kind) {
    case STAGE_LOAD:
    case STAGE_COPY: return verify_guarded(v, l, stage_operands(v->part, l, s));
    case STAGE_READ: return v->outside[s->source->id];
    case STAGE_REDUCE:
        for (int i = 0; i < v->part->axes.n; i++)
            if (layout_axis_factors(l, v->part->axes.at[i]) & s->over) set &= ~((uint64_t)1 << i);
        return set;
    case STAGE_SCAN:
        if (verify_has_tail(v, l, s->axis)) set |= (uint64_t)1 << s->axis->id;
        return set;
    default: return set;
    }
}

static bool find_in_body(Verify *v, Stage *const *at, int n) {
    bool changed = false;
    for (int i = 0; i < n; i++) {
        const Stage *s = at[i];
        if (s->nout) {
            uint64_t set = result_outside(v, s);
            for (int o = 0; o < s->nout; o++) {
                uint64_t *have = &v->outside[s->out[o]->id];
                changed |= (set & ~*have) != 0;
                *have |= set;
            }
            for (int c = 0; c < MAX_PARTS; c++)
                if (s->carry[c]) v->outside[s->carry[c]->id] |= operands_outside(v, s) & ~((uint64_t)1 << s->axis->id);
        }
        vec_push(v->ctx, &v->around, s);
        changed |= find_in_body(v, s->body.at, s->body.n);
        v->around.n--;
    }
    return changed;
}

void verify_find_outside(Verify *v) {
    while (find_in_body(v, v->part->body.at, v->part->body.n)) {
    }
}
