/* Group + schedule -> Kernel. Steps are emitted where they are first read, each in the loops of the axes on which it
 * depends. A step that folds an axis with a loop accumulates in a variable and is finished after the loop; what varies
 * along a loop that has ended is loaded and computed again in the next one. */
#include "apply_form.h"
#include "ir/expr_walk.h"

/* A step or a store that is to be emitted. Steps are numbered as in the group, stores after them. */
typedef struct Items {
    VEC(int) at;
} Items;

static int nsteps(const Apply *x) { return x->gr->steps.n; }

/* ---- loops around an item ---- */

static AxisSet loops_of(Apply *x, int item) {
    if (item < nsteps(x)) return (step_around(&x->gr->steps.at[item]) | x->gr->steps.at[item].over) & x->serial;
    const GStore *s = &x->gr->stores.at[item - nsteps(x)];
    return (s->axes | group_free(x->gr, s->value) | group_free(x->gr, s->guard)) & x->serial;
}

typedef struct ReadSteps {
    Group *gr;
    bool *read; /* by step: an item reads it, directly or through others */
} ReadSteps;

static Found note_step(const Expr *e, void *steps) {
    const ReadSteps *x = steps;
    if (e->op == OP_REDUCE) x->read[group_step(x->gr, e) - x->gr->steps.at] = true;
    return FOUND_INSIDE;
}

static const bool *reads(Apply *x, int item) {
    if (x->reads[item]) return x->reads[item];
    bool *read = x->reads[item] = NEW_N(x->temp, bool, nsteps(x) + 1);
    Ctx *temp = ctx_temp(x->g->ctx);
    ReadSteps steps = {x->gr, read};
    ExprWalk w = {.temp = temp, .before = note_step, .user = &steps, .reduces = true};
    if (item < nsteps(x)) {
        const GStep *p = &x->gr->steps.at[item];
        expr_walk(&w, p->guard);
        for (int i = 1; i < p->node->nargs; i++) expr_walk(&w, p->node->arg[i]);
    } else {
        const GStore *s = &x->gr->stores.at[item - nsteps(x)];
        expr_walk(&w, s->value);
        expr_walk(&w, s->guard);
        for (int d = 0; d < s->tensor->rank; d++) expr_walk(&w, s->subs[d]);
    }
    ctx_temp_end(temp);
    return read;
}

/* The outermost loop of an item that is not open yet, or -1. */
static int next_loop(Apply *x, int item, AxisSet open) {
    AxisSet need = loops_of(x, item) & ~open;
    int best = -1;
    for (int a = 0; a < x->gr->axes.n; a++)
        if (need >> a & 1 && (best < 0 || x->rank[a] < x->rank[best])) best = a;
    return best;
}

static bool has(const Items *list, int item) {
    for (int i = 0; i < list->at.n; i++)
        if (list->at.at[i] == item) return true;
    return false;
}

/* The items, with the steps that they read and that can be made here, in order. */
static Items with_steps(Apply *x, const Items *list, AxisSet open) {
    bool *want = NEW_N(x->temp, bool, nsteps(x) + x->gr->stores.n + 1);
    for (int i = 0; i < list->at.n; i++) {
        want[list->at.at[i]] = true;
        const bool *read = reads(x, list->at.at[i]);
        for (int s = 0; s < nsteps(x); s++) {
            const GStep *p = &x->gr->steps.at[s];
            if (read[s] && !(step_around(p) & x->serial & ~open) && !apply_is_made(x, s)) want[s] = true;
        }
    }
    Items r = {0};
    for (int i = 0; i < nsteps(x) + x->gr->stores.n; i++)
        if (want[i]) vec_push(x->temp, &r.at, i);
    return r;
}

static Stage *store_of(Apply *x, const GStore *g) {
    Stage *s = stage_new(x->p, g->update ? STAGE_ATOMIC : STAGE_STORE);
    Cond c = apply_cond(x, g->guard);
    s->tensor = g->tensor;
    s->monoid = g->update ? monoid_of(x->g, g->update, g->tensor->type) : NULL;
    s->subs = NEW_N(x->g->ctx, const Expr *, g->tensor->rank);
    for (int d = 0; d < g->tensor->rank; d++) s->subs[d] = apply_expr(x, g->subs[d], c);
    s->cond = c.is;
    s->expr[0] = apply_expr(x, g->value, c);
    return s;
}

/* ---- loops ---- */

static void emit(Apply *x, const Items *list, AxisSet open);

/* The variables of the steps whose outermost loop this is. A scan has one in the loop of its axis alone. */
static void open_steps(Apply *x, const Items *run, int a) {
    for (int i = 0; i < run->at.n; i++) {
        int item = run->at.at[i];
        if (item >= nsteps(x)) continue;
        const GStep *p = &x->gr->steps.at[item];
        StepState *st = &x->state[item];
        if (!(p->over >> a & 1) || st->opened >= 0) continue;
        const Monoid *m = monoid_of(x->g, p->monoid, p->body->type);
        FactorSet domain = apply_tile(x, step_around(p) & ~p->over, true, true);
        if (p->into) {
            st->opened = a;
            apply_bins(x, item);
            continue;
        }
        if (!p->scan) domain |= apply_tile(x, p->over, false, true);
        st->opened = a;
        for (int k = 0; k < m->n; k++) {
            Stage *s = stage_new(x->p, STAGE_VAR);
            s->expr[0] = m->identity[k];
            s->nout = 1;
            s->out[0] = st->acc[k] = apply_value(x, VALUE_VAR, p->scan ? "carry" : "acc", m->type[k], domain);
            apply_push(x, s);
        }
    }
}

/* Of steps whose outermost loop has ended. */
static void close_steps(Apply *x, const Items *all, int a) {
    for (int i = 0; i < all->at.n; i++) {
        const int item = all->at.at[i];
        int these[MAX_PARTS] = {item}, n = 1;
        if (item >= nsteps(x) || x->state[item].opened != a) continue;
        if (x->gr->steps.at[item].scan) {
            x->state[item].opened = -1;
            continue;
        }
        for (int k = i + 1; k < all->at.n && n < MAX_PARTS; k++) {
            const int other = all->at.at[k];
            if (other >= nsteps(x) || x->state[other].opened != a) continue;
            if (apply_meet_once(x, &x->gr->steps.at[item], &x->gr->steps.at[other])) these[n++] = other;
        }
        apply_finish(x, these, n);
    }
}

static void emit_loop(Apply *x, int a, const Items *run, AxisSet open) {
    Ctx *ctx = x->g->ctx;
    Items all = with_steps(x, run, open | (AxisSet)1 << a);
    open_steps(x, &all, a);
    ApplyBody *inner = NEW(x->temp, ApplyBody);
    inner->up = x->body;
    inner->axis = a;
    x->body = inner;
    emit(x, &all, open | (AxisSet)1 << a);
    x->body = inner->up;
    Stage *s = stage_new(x->p, STAGE_FOR);
    s->axis = x->axis[a];
    for (int i = 0; i < inner->stages.n; i++) vec_push(ctx, &s->body, inner->stages.at[i]);
    apply_push(x, s);
    close_steps(x, &all, a);
}

/* What a step loads in an item's expressions is not the item's. */
static Found is_loaded(const Expr *e, const void *tensor) {
    if (e->op == OP_REDUCE) return FOUND_NOT;
    return e->op == OP_LOAD && e->u.tensor == tensor ? FOUND : FOUND_INSIDE;
}

static bool item_loads(Apply *x, int item, const Tensor *t) {
    ExprSet seen = {0};
    bool loads = false;
    if (item < nsteps(x)) {
        const GStep *p = &x->gr->steps.at[item];
        for (int i = 0; i < p->node->nargs && !loads; i++)
            loads = expr_find(x->temp, &seen, p->node->arg[i], is_loaded, t) != NULL;
        return loads;
    }
    const GStore *s = &x->gr->stores.at[item - nsteps(x)];
    for (int d = 0; d < s->tensor->rank && !loads; d++)
        loads = expr_find(x->temp, &seen, s->subs[d], is_loaded, t) != NULL;
    return loads || expr_find(x->temp, &seen, s->value, is_loaded, t) ||
           expr_find(x->temp, &seen, s->guard, is_loaded, t);
}

/* Whether an item changes what another one loads. */
static bool changes(Apply *x, int item, int other) {
    const Tensor *t = item < nsteps(x) ? NULL : x->gr->stores.at[item - nsteps(x)].tensor;
    return t && t->kind == TENSOR_INOUT && item_loads(x, other, t);
}

/* Whether item may share the loop over a with those of run: it reads no result that the loop must end for, and nothing
 * that waits outside, and changes nothing that is loaded there. */
static bool joins(Apply *x, int item, int a, const Items *run, const Items *list, const bool *done) {
    const bool *read = reads(x, item);
    for (int i = 0; i < list->at.n; i++) {
        int s = list->at.at[i];
        if (done[i] || s == item) continue;
        if (!has(run, s) && changes(x, item, s)) return false;
        if (s >= nsteps(x) || !read[s]) continue;
        if (!has(run, s)) return false;
        const GStep *p = &x->gr->steps.at[s];
        if (p->over >> a & 1 && !p->scan) return false;
    }
    return true;
}

/* Whether nothing that a step reads is still to be made. */
static bool is_ready(Apply *x, int item) {
    const bool *read = reads(x, item);
    bool ready = true;
    for (int s = 0; s < nsteps(x); s++) ready &= !read[s] || apply_is_made(x, s);
    return ready;
}

/* All stores of rows that change in place: everything is loaded before the first of them. */
static void emit_in_place(Apply *x, const Items *list, bool *done) {
    VEC(Stage *) stores = {0};
    for (int i = 0; i < list->at.n; i++) {
        if (list->at.at[i] < nsteps(x)) continue;
        vec_push(x->temp, &stores, store_of(x, &x->gr->stores.at[list->at.at[i] - nsteps(x)]));
        done[i] = true;
    }
    stores.at[0]->meet = true;
    for (int i = 0; i < stores.n; i++) apply_push(x, stores.at[i]);
}

/* Item number i of the list, which waits for no loop, and steps behind it that may be done at once. */
static void emit_item(Apply *x, const Items *list, int i, AxisSet open, bool *done) {
    const int item = list->at.at[i];
    int these[MAX_PARTS] = {item}, n = 1;
    done[i] = true;
    if (item >= nsteps(x)) {
        Layout *const l = x->l;
        if (group_into(x->gr)) x->l = x->other;
        if (group_in_place(x->gr))
            emit_in_place(x, list, done);
        else
            apply_push(x, store_of(x, &x->gr->stores.at[item - nsteps(x)]));
        x->l = l;
        return;
    }
    const GStep *p = &x->gr->steps.at[item];
    for (int k = i + 1; k < list->at.n && n < MAX_PARTS && x->state[item].opened < 0; k++) {
        const int other = list->at.at[k];
        if (done[k] || other >= nsteps(x) || x->state[other].opened >= 0 || next_loop(x, other, open) >= 0) continue;
        if (!apply_meet_once(x, p, &x->gr->steps.at[other]) || !is_ready(x, other)) continue;
        these[n++] = other;
        done[k] = true;
    }
    apply_emit_steps(x, these, n);
}

static void emit(Apply *x, const Items *list, AxisSet open) {
    bool *done = NEW_N(x->temp, bool, list->at.n + 1);
    for (int i = 0; i < list->at.n && !x->failed; i++) {
        if (done[i]) continue;
        int a = next_loop(x, list->at.at[i], open);
        if (a < 0) {
            emit_item(x, list, i, open, done);
            continue;
        }
        Items run = {0};
        for (int j = i; j < list->at.n; j++) {
            if (done[j] || next_loop(x, list->at.at[j], open) != a) continue;
            if (j == i || joins(x, list->at.at[j], a, &run, list, done)) vec_push(x->temp, &run.at, list->at.at[j]);
        }
        emit_loop(x, a, &run, open);
        for (int j = i; j < list->at.n; j++)
            if (has(&run, list->at.at[j])) done[j] = true;
    }
}

/* ---- the kernel ---- */

/* Loops of axes on which a step's value depends stand around those of the axes that it folds, or scatters into. */
static void nest_axes(Apply *x) {
    int n = x->gr->axes.n;
    bool placed[MAX_GROUP_AXES] = {false};
    for (int r = 0; r < n; r++) {
        int pick = -1;
        for (int a = 0; a < n && pick < 0; a++) {
            bool ready = !placed[a];
            for (int i = 0; i < nsteps(x) && ready; i++) {
                const GStep *p = &x->gr->steps.at[i];
                if (!((p->over | p->into) >> a & 1)) continue;
                for (int b = 0; b < n; b++) ready &= placed[b] || !((step_around(p) & ~p->over) >> b & 1);
            }
            if (ready) pick = a;
        }
        for (int a = 0; a < n && pick < 0; a++)
            if (!placed[a]) pick = a;
        placed[pick] = true;
        x->rank[pick] = r;
    }
}

/* The schedule's layout. Of the hidden axes, which nothing that is evaluated in it has, threads are registers: of what
 * scatters there is one for what is folded, and one for what is read after it, each with all threads of the block. */
static Layout *one_layout(Apply *x, const char *name, AxisSet hidden) {
    Layout *l = part_layout(x->p, x->part, sym(x->g->ctx, name));
    for (int place = 0; place < x->gr->axes.n; place++) {
        const int a = schedule_axis(x->s, place);
        int64_t held = 1;
        for (int i = 0; i < x->s->axis[a].n; i++) {
            const SFactor *f = &x->s->axis[a].f[i];
            if (hidden >> a & 1 && bind_scope(f->bind) >= SCOPE_THREAD)
                held *= f->size;
            else
                layout_factor(x->p, x->part, l, x->axis[a], f->bind, f->size);
        }
        if (hidden >> a & 1) layout_factor(x->p, x->part, l, x->axis[a], BIND_REG, held);
    }
    return l;
}

static void build_layout(Apply *x) {
    Group *gr = x->gr;
    for (int place = 0; place < gr->axes.n; place++) {
        const int a = schedule_axis(x->s, place);
        const GAxis *ga = &gr->axes.at[a];
        x->axis[a] = part_axis(x->p, x->part, ga->name, ga->var->lo, ga->var->hi);
        if (a == gr->split) x->axis[a]->shares = gr->shares;
        if (x->s->axis[a].peel) x->axis[a]->peel = gr->rows.at[x->s->axis[a].peel - 1].tensor;
    }
    for (int a = 0; a < gr->axes.n; a++)
        if (schedule_find(x->s, a, BIND_SERIAL)) x->serial |= (AxisSet)1 << a;
    x->l = one_layout(x, "main", group_into(gr));
    if (!group_into(gr)) return;
    x->other = one_layout(x, "other", group_scattered(gr));
    x->failed |= !part_share_factors(x->p, x->k, x->part, x->why);
    if (x->other->all != x->l->all) return;
    x->part->layouts.n--; /* no threads are along what is folded, nor where it goes: one layout is for both */
    x->other = x->l;
}

/* The second layout: blocks and loops of the first, and threads and registers of its own where it says so. */
static void build_other(Apply *x) {
    Sym name = sym(x->g->ctx, "other");
    x->other = part_layout(x->p, x->part, name);
    for (int place = 0; place < x->gr->axes.n; place++) {
        const int a = schedule_axis(x->s, place);
        const SAxis *own = NULL, *main = &x->s->axis[a];
        for (int i = 0; i < x->s->nother; i++)
            if (x->s->other[i] == a) own = &x->s->axis[x->s->naxes + i];
        for (int i = 0; i < main->n; i++)
            if (!own || bind_scope(main->f[i].bind) < SCOPE_THREAD)
                layout_factor(x->p, x->part, x->other, x->axis[a], main->f[i].bind, main->f[i].size);
        for (int i = 0; own && i < own->n; i++)
            layout_factor(x->p, x->part, x->other, x->axis[a], own->f[i].bind, own->f[i].size);
    }
    x->failed |= !part_share_factors(x->p, x->k, x->part, x->why);
}

static Sym kernel_name(Apply *x) {
    Ctx *ctx = x->g->ctx;
    ExprMap *taken = &x->p->kernel_names;
    Sym stem = x->gr->name, name = stem;
    intptr_t n = expr_map_number(taken, stem, 0);
    if (n) {
        do name = sym_fmt(ctx, "%s_%d", stem, (int)++n);
        while (expr_map_number(taken, name, 0));
        expr_map_put_number(ctx, taken, stem, n);
    }
    expr_map_put_number(ctx, taken, name, 1);
    return name;
}

/* The kernel is legal where its factors cover axes of lengths that are not known. */
static bool say_where(Apply *x) {
    Graph *g = x->g;
    int64_t most[MAX_GROUP_AXES];
    if (!schedule_legal_within(x->gr, x->s, most, x->why)) return false;
    for (int a = 0; a < x->gr->axes.n; a++) {
        if (x->gr->bounded >> a & 1 && most[a] > x->gr->axes.at[a].most) most[a] = x->gr->axes.at[a].most;
        if (most[a] == INT64_MAX) continue;
        const Expr *length = expr_minus(g, x->gr->axes.at[a].var->hi, x->gr->axes.at[a].var->lo);
        vec_push(g->ctx, &x->k->where, expr2(g, OP_LE, length, expr_int(g, TY_I64, most[a])));
    }
    return true;
}

static Kernel *apply(Program *p, StepList *at, Group *gr, const Schedule *s, bool unnamed, Text *why) {
    Ctx *ctx = p->ctx;
    Ctx *temp = ctx_temp(ctx);
    Apply *x = NEW(temp, Apply);
    *x = (Apply){.p = p, .g = p->graph, .gr = gr, .s = s, .unnamed = unnamed, .why = why, .temp = temp};
    x->k = kernel_new_at(p, at, kernel_name(x));
    x->k->blocks_per_sm = s->occupancy;
    x->k->product = gr->product;
    x->k->no_product = gr->no_product;
    x->k->rounding = gr->rounding;
    x->part = part_new(p, x->k, sym(ctx, "main"));
    x->body = NEW(temp, ApplyBody);
    x->body->axis = -1;
    x->state = NEW_N(temp, StepState, nsteps(x) + 1);
    x->reads = NEW_N(temp, bool *, nsteps(x) + gr->stores.n);
    for (int i = 0; i < nsteps(x); i++) x->state[i].opened = -1;
    build_layout(x);
    if (schedule_has_step(s, SCHEDULE_OTHER)) build_other(x);
    nest_axes(x);
    apply_count_uses(x);
    Items stores = {0};
    for (int i = 0; i < gr->stores.n; i++) vec_push(temp, &stores.at, nsteps(x) + i);
    Items all = with_steps(x, &stores, 0);
    if (!x->failed) emit(x, &all, 0);
    for (int i = 0; i < x->body->stages.n; i++) vec_push(ctx, &x->part->body, x->body->stages.at[i]);
    if (!x->failed) x->failed = !apply_steps(x);
    if (!x->failed) apply_order(x);
    part_order_values(p, x->part);
    Kernel *k = x->failed || !say_where(x) || !kernel_finish(p, x->k, why) ? NULL : x->k;
    ctx_temp_end(temp);
    return k;
}

Kernel *sched_apply(Program *p, StepList *at, Group *gr, const Schedule *s, Text *why) {
    return apply(p, at, gr, s, false, why);
}

Kernel *sched_apply_scratch(Program *p, Group *gr, const Schedule *s, Text *why) {
    const ExprMap memo = gr->free; /* what is found out meanwhile goes, too */
    gr->free = (ExprMap){0};
    Kernel *k = apply(p, &p->steps, gr, s, !s->nsteps, why);
    if (k && !s->nsteps)
        k->shared_bytes = schedule_shared(gr, s);
    else if (k && !kernel_verify(p, k, why))
        k = NULL;
    gr->free = memo;
    return k;
}

static bool steps_legal(Group *gr, const Schedule *s, const SchedLimits *limits, Text *why) {
    Graph *g = gr->graph;
    group_find_within(gr); /* as for the kernel itself: what exists always is loaded elsewhere */
    Ctx *temp = ctx_temp(g->ctx);
    const GraphScratch before = graph_scratch(g, temp);
    Text said = {.ctx = temp};
    const Kernel *k = sched_apply_scratch(program_new(temp, g), gr, s, &said);
    const int64_t shared = k ? k->shared_bytes : 0;
    graph_scratch_end(g, before);
    if (!k) text_fail(why, "%s", said.s ? said.s : "");
    ctx_temp_end(temp);
    if (!k || !limits || shared <= limits->shared) return k;
    return text_fail(why, "about %lld bytes of shared memory", (long long)shared);
}

bool sched_legal(Group *gr, const Schedule *s, const SchedLimits *limits, int64_t *most, Text *why) {
    if (!schedule_legal_within(gr, s, most, why)) return false;
    if (limits && !schedule_fits(gr, s, limits)) return text_fail(why, "it asks for more than a target has");
    return !s->nsteps || steps_legal(gr, s, limits, why);
}
