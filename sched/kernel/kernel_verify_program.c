/* Whether a program is legal: the form of its choices and, on each way through it by itself, that nothing is read
 * before it is written and that every output is written. It also finds what each way allows: outputs at the addresses
 * of inputs, tensors that take over from others. Kernels by themselves are kernel_verify.c's. */
#include "kernel_verify.h"

#include "ir/expr_is.h"
#include "sched/library/product.h"
#include "sort.h"

#include <string.h>

/* A way while its steps are verified. */
typedef struct WaySoFar {
    Way *way;
    int next;              /* of its steps */
    ExprMap written;       /* tensors that those before have written */
    VEC(InPlace) in_place; /* what those before leave of it */
    int selected;          /* kernels of the choice that is next which were looked at, and what each of them writes */
    VEC(const Tensor *) writes;
} WaySoFar;

/* Where there are several ways, which one this is, for the end of a message. */
static Sym on_way(const Verify *v, const WaySoFar *w) {
    Text t = {.ctx = v->p->ctx};
    if (v->p->ways.n == 1) return "";
    text_fmt(&t, " on way %d (", (int)(w->way - v->p->ways.at) + 1);
    way_print(&t, w->way);
    text_char(&t, ')');
    return t.s;
}

/* ---- choices ---- */

static bool verify_steps(Verify *v, const StepList *steps);

static bool verify_choice(Verify *v, const Choice *c) {
    for (int i = 0; i < c->cases.n; i++) {
        const ChoiceCase *k = c->cases.at[i];
        if (k->when && i + 1 == c->cases.n) return verify_fail(v, "the last case of a choice has a condition");
        if (!k->when && i + 1 < c->cases.n) return verify_fail(v, "a case without a condition is not the last");
        if (k->when && !verify_is_choice(v, k->when))
            return verify_fail(v, "the condition of a case is not a bool expression of dimensions");
        if (!verify_steps(v, &k->steps)) return false;
    }
    return c->cases.n > 0 || verify_fail(v, "a choice has no cases");
}

static bool verify_steps(Verify *v, const StepList *steps) {
    for (int i = 0; i < steps->n; i++) {
        switch (steps->at[i].kind) {
        case STEP_KERNEL:
        case STEP_SORT: break; /* what is illegal in one is said of all, in the order of the text */
        case STEP_CHOICE:
            if (!verify_choice(v, steps->at[i].choice)) return false;
            break;
        }
    }
    return true;
}

static bool find_ways(Verify *v) {
    Program *p = v->p;
    if (!verify_steps(v, &p->steps)) return false;
    if (!program_find_ways(p)) return verify_fail(v, "more than %d ways through its choices", MAX_WAYS);
    for (int i = 0; i < p->kernels.n; i++)
        if (!p->kernels.at[i]->reached)
            return verify_fail(v, "no sizes run kernel %s: the conditions around it exclude each other",
                               p->kernels.at[i]->name);
    return true;
}

/* ---- what a way's kernels write and read ---- */

static bool is_one_of(Tensor *const *at, int n, const Tensor *t) {
    for (int i = 0; i < n; i++)
        if (at[i] == t) return true;
    return false;
}

/* Temporaries and outputs are read, and atomics on them done, only after something on the same way wrote them. */
static bool verify_order(Verify *v, const WaySoFar *way) {
    const Program *p = v->p;
    for (int i = 0; i < v->reads.n; i++) {
        const Tensor *t = v->reads.at[i].stage->tensor;
        bool ready = t->kind == TENSOR_INPUT || t->kind == TENSOR_INOUT || is_one_of(p->zeroed.at, p->zeroed.n, t);
        for (int w = 0; w < v->writes.n; w++)
            ready |= v->writes.at[w].stage->tensor == t; /* verify_conflicts has seen to these */
        if (!ready && !expr_map_get(&way->written, t))
            return verify_fail(v, "%s is read before anything writes it%s", t->name, on_way(v, way));
    }
    for (int i = 0; i < v->writes.n; i++) {
        const Stage *s = v->writes.at[i].stage;
        bool ready = s->tensor->kind == TENSOR_INOUT || is_one_of(p->zeroed.at, p->zeroed.n, s->tensor);
        if (s->kind == STAGE_ATOMIC && !ready && !expr_map_get(&way->written, s->tensor))
            return verify_fail(v,
                               "the atomic on %s has nothing to start from: it is neither zeroed nor written before%s",
                               s->tensor->name, on_way(v, way));
    }
    return true;
}

/* Expressions are shared, so equal shapes are the same ones. */
static bool same_memory(const Tensor *a, const Tensor *b) {
    if (a->type != b->type || type_bits(a->type) < 8 || a->rank != b->rank) return false;
    for (int d = 0; d < a->rank; d++)
        if (a->shape[d] != b->shape[d]) return false;
    return true;
}

/* Outputs and inputs of one size, of which the kernels leave those that may be one. */
static void find_in_place(Ctx *ctx, const Program *p, WaySoFar *w) {
    for (int i = 0; i < p->params.n; i++)
        for (int j = 0; j < p->params.n && j < MAX_IN_PLACE && w->in_place.n < MAX_PAIRS; j++) {
            Tensor *out = p->params.at[i], *in = p->params.at[j];
            if (out->kind == TENSOR_OUTPUT && in->kind == TENSOR_INPUT && same_memory(out, in))
                vec_push(ctx, &w->in_place, ((InPlace){out, in}));
        }
}

/* Keeps the pairs that the kernel allows, after those before it on the way. */
static void check_in_place(Verify *v, WaySoFar *way) {
    ExprMap read = {0};
    int kept = 0;
    for (int r = 0; r < v->reads.n; r++)
        expr_map_put(v->ctx, &read, v->reads.at[r].stage->tensor, v->reads.at[r].stage->tensor);
    for (int i = 0; i < way->in_place.n; i++) {
        InPlace s = way->in_place.at[i];
        const Product *m = v->k->product;
        if (m && m->c.tensor == s.in && m->d.tensor == s.out && !product_in_place(m)) continue;
        if (!expr_map_get(&read, s.in) || (!expr_map_get(&way->written, s.out) && verify_in_place(v, s.out, s.in)))
            way->in_place.at[kept++] = s;
    }
    way->in_place.n = kept;
}

typedef VEC(Succession) Successions;

/* What the way's next step, a kernel, reads that may become what it writes, one of the two being a temporary. */
static void successions(Verify *v, const WaySoFar *way, int room, Ctx *ctx, Successions *all) {
    const Program *p = v->p;
    ExprMap seen = {0};
    VEC(const Tensor *) in = {0}, out = {0};
    for (int w = 0; w < v->writes.n; w++) {
        const Tensor *t = v->writes.at[w].stage->tensor;
        if (expr_map_get(&seen, t)) continue;
        expr_map_put(v->ctx, &seen, t, t);
        if (!expr_map_get(&way->written, t) && !is_one_of(p->zeroed.at, p->zeroed.n, t)) vec_push(v->ctx, &out, t);
    }
    for (int r = 0; r < v->reads.n && out.n; r++) {
        const Tensor *t = v->reads.at[r].stage->tensor;
        if (t->kind == TENSOR_OUTPUT || expr_map_get(&seen, t)) continue;
        expr_map_put(v->ctx, &seen, t, t);
        vec_push(v->ctx, &in, t);
    }
    for (int o = 0; o < out.n; o++)
        for (int k = 0; k < in.n && all->n < room; k++)
            if ((out.at[o]->kind == TENSOR_LET || in.at[k]->kind == TENSOR_LET) && same_memory(out.at[o], in.at[k]) &&
                verify_in_place(v, out.at[o], in.at[k]))
                vec_push(ctx, all, ((Succession){way->next, out.at[o], in.at[k]}));
}

static void find_successions(Verify *v, WaySoFar *way) {
    Successions all = {0};
    successions(v, way, MAX_PAIRS - way->way->successions.n, v->ctx, &all);
    for (int i = 0; i < all.n; i++) vec_push(v->p->ctx, &way->way->successions, all.at[i]);
}

/* Those of the choice that is the way's next step which this kernel of it allows, too. */
static void keep_successions(Verify *v, WaySoFar *way) {
    Way *w = way->way;
    Successions all = {0};
    int kept = 0;
    successions(v, way, MAX_PAIRS, v->ctx, &all);
    for (int i = 0; i < w->successions.n; i++) {
        const Succession *s = &w->successions.at[i];
        bool allowed = s->step != way->next;
        for (int k = 0; k < all.n && !allowed; k++) allowed = all.at[k].out == s->out && all.at[k].in == s->in;
        if (allowed) w->successions.at[kept++] = *s;
    }
    w->successions.n = kept;
}

/* ---- all ways ---- */

static WaySoFar *begin_ways(Verify *v) {
    if (!find_ways(v)) return NULL;
    WaySoFar *ways = NEW_N(v->ctx, WaySoFar, v->p->ways.n);
    for (int i = 0; i < v->p->ways.n; i++) {
        ways[i] = (WaySoFar){.way = &v->p->ways.at[i]};
        find_in_place(v->ctx, v->p, &ways[i]);
    }
    return ways;
}

/* Whether it is a way's next step, or one of those of the choice that this is. */
static bool is_next(const WaySoFar *w, const Step *s) {
    const Step *next = w->next < w->way->steps.n ? &w->way->steps.at[w->next] : NULL;
    return next && (step_is(next, s) || (s->kind == STEP_KERNEL && step_runs(next, s->kernel)));
}

static bool is_written(const WaySoFar *w, const Tensor *t) {
    for (int i = 0; i < w->writes.n; i++)
        if (w->writes.at[i] == t) return true;
    return false;
}

/* The tensors that the kernel just verified writes. */
static void list_writes(Verify *v, WaySoFar *w, Ctx *whole) {
    w->writes.n = 0;
    for (int k = 0; k < v->writes.n; k++)
        if (!is_written(w, v->writes.at[k].stage->tensor)) vec_push(whole, &w->writes, v->writes.at[k].stage->tensor);
}

/* Whether another kernel of the choice wrote the same tensors. */
static bool same_writes(const Verify *v, const WaySoFar *w) {
    bool same = true;
    for (int i = 0; i < w->writes.n && same; i++) {
        bool also = false;
        for (int k = 0; k < v->writes.n; k++) also |= v->writes.at[k].stage->tensor == w->writes.at[i];
        same = also;
    }
    for (int k = 0; k < v->writes.n && same; k++) same = is_written(w, v->writes.at[k].stage->tensor);
    return same;
}

/* Of the kernel just verified; what was found remains in `whole`. The kernels of a choice that is a step come one after
 * the other: what may stand where is what all of them allow. */
static bool verify_on_ways(Verify *v, Ctx *whole, WaySoFar *ways, const Step *step) {
    for (int i = 0; i < v->p->ways.n; i++) {
        WaySoFar *w = &ways[i];
        if (!is_next(w, step)) continue;
        const Step *next = &w->way->steps.at[w->next];
        const int of = next->kind == STEP_CHOICE ? next->choice->cases.n : 1;
        if (!verify_order(v, w)) return false;
        if (w->selected && !same_writes(v, w))
            return verify_fail(v, "%s writes other tensors than %s, which stands in the same choice", v->k->name,
                               next->choice->cases.at[0]->steps.at[0].kernel->name);
        check_in_place(v, w);
        if (w->selected)
            keep_successions(v, w);
        else
            list_writes(v, w, whole), find_successions(v, w);
        if (++w->selected < of) continue;
        for (int k = 0; k < w->writes.n; k++) expr_map_put(whole, &w->written, w->writes.at[k], w->writes.at[k]);
        w->selected = 0;
        w->next++;
    }
    return true;
}

static bool allows(const WaySoFar *w, const InPlace *s) {
    for (int i = 0; i < w->in_place.n; i++)
        if (w->in_place.at[i].out == s->out && w->in_place.at[i].in == s->in) return true;
    return false;
}

/* A caller does not know which way is taken, so outputs may stand where they may on all. */
static void keep_common(Program *p, const WaySoFar *ways) {
    memset(&p->in_place, 0, sizeof p->in_place); /* what an earlier call left may be gone */
    for (int i = 0; i < ways[0].in_place.n; i++) {
        const InPlace *s = &ways[0].in_place.at[i];
        bool all = true;
        for (int w = 1; w < p->ways.n && all; w++) all = allows(&ways[w], s);
        if (all) vec_push(p->ctx, &p->in_place, *s);
    }
}

static bool end_ways(Verify *v, const WaySoFar *ways) {
    const Program *p = v->p;
    for (int w = 0; w < p->ways.n; w++)
        for (int i = 0; i < p->params.n; i++)
            if (p->params.at[i]->kind == TENSOR_OUTPUT && !expr_map_get(&ways[w].written, p->params.at[i]))
                return verify_fail(v, "nothing writes the output %s%s", p->params.at[i]->name, on_way(v, &ways[w]));
    keep_common(v->p, ways);
    return true;
}

static bool verify_kernel_step(Verify *v, Ctx *whole, WaySoFar *ways, const Step *step) {
    *v = (Verify){.p = v->p, .g = v->g, .k = step->kernel, .ctx = ctx_temp(whole), .why = v->why};
    bool ok = verify_kernel(v) && verify_on_ways(v, whole, ways, step);
    ctx_temp_end(v->ctx);
    v->ctx = whole;
    if (ok) v->k = NULL;
    return ok;
}

static bool same_size(Verify *v, const Expr *a, const Expr *b) {
    PolyEnv env = {.g = v->g, .ctx = v->ctx};
    return a == b || poly_eq(poly_of(&env, a), poly_of(&env, b));
}

/* What the sort writes: a temporary of i32 in one dimension of that size. */
static bool verify_sorted(Verify *v, const SortStep *s, const Tensor *t, const Expr *size, const char *what) {
    if (t->kind != TENSOR_LET || t->type != TY_I32 || t->rank != 1)
        return verify_fail(v, "sort %s: %s is no temporary of i32 with one dimension", s->name, t->name);
    if (same_size(v, t->shape[0], size)) return true;
    Text said = {.ctx = v->ctx};
    expr_print(&said, size, NULL);
    return verify_fail(v, "sort %s: %s, its %s, has not %s elements", s->name, t->name, what, said.s);
}

/* A rank's order has its keys' rows, and is a temporary of i32. */
static bool verify_rank(Verify *v, const SortStep *s) {
    const Tensor *t = s->sort.order, *keys = s->sort.keys;
    if (t == keys || t == s->scratch || keys == s->scratch)
        return verify_fail(v, "sort %s: %s stands there twice", s->name, keys == s->scratch ? keys->name : t->name);
    if (!type_ranks(keys->type) || !keys->rank)
        return verify_fail(v, "sort %s: %s has no rows of floats of 16 bits or integers of 8 bits or more", s->name,
                           keys->name);
    bool fits = t->kind == TENSOR_LET && t->type == TY_I32 && t->rank == keys->rank;
    for (int d = 0; fits && d + 1 < t->rank; d++) fits = same_size(v, t->shape[d], keys->shape[d]);
    if (!fits)
        return verify_fail(v, "sort %s: %s is no temporary of i32 with the rows of %s", s->name, t->name, keys->name);
    return verify_sorted(v, s, s->scratch, sort_scratch(v->g, &s->sort), "scratch");
}

static bool verify_sort(Verify *v, const SortStep *s) {
    Graph *g = v->g;
    if (sort_ranks(&s->sort)) return verify_rank(v, s);
    const Tensor *const t[] = {s->sort.keys, s->sort.starts, s->scratch, s->sort.order};
    const Expr *ends = expr2(g, OP_ADD, s->sort.below, expr_int(g, TY_I64, 1));
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            if (t[i] == t[k]) return verify_fail(v, "sort %s: %s stands there twice", s->name, t[i]->name);
    if (!type_is_int(t[0]->type) || type_bits(t[0]->type) < 8)
        return verify_fail(v, "sort %s: the keys %s are no integers of 8 bits or more", s->name, t[0]->name);
    if (s->sort.ascends && s->sort.order)
        return verify_fail(v, "sort %s: the order of ascending keys is that of their numbers, and not written",
                           s->name);
    if (s->sort.below->type != TY_I64 || !expr_over_dims(s->sort.below))
        return verify_fail(v, "sort %s: the bound of its keys is no expression of dimensions", s->name);
    return verify_sorted(v, s, s->sort.starts, ends, "starts") &&
           verify_sorted(v, s, s->scratch, sort_scratch(g, &s->sort), "scratch") &&
           (!s->sort.order || verify_sorted(v, s, s->sort.order, tensor_size(g, s->sort.keys), "order"));
}

static bool verify_sort_step(Verify *v, Ctx *whole, WaySoFar *ways, const Step *step) {
    const SortStep *s = step->sort;
    const Tensor *const written[] = {s->sort.starts, s->scratch, s->sort.order}, *keys = s->sort.keys;
    if (!verify_sort(v, s)) return false;
    for (int i = 0; i < v->p->ways.n; i++) {
        WaySoFar *w = &ways[i];
        int kept = 0;
        if (!is_next(w, step)) continue;
        if (keys->kind != TENSOR_INPUT && keys->kind != TENSOR_INOUT && !expr_map_get(&w->written, keys))
            return verify_fail(v, "sort %s: %s is read before anything writes it%s", s->name, keys->name, on_way(v, w));
        for (int k = 0; k < w->in_place.n; k++) {
            const InPlace *pair = &w->in_place.at[k];
            if (pair->in != keys || !expr_map_get(&w->written, pair->out)) w->in_place.at[kept++] = *pair;
        }
        w->in_place.n = kept;
        for (int k = 0; k < 3; k++)
            if (written[k]) expr_map_put(whole, &w->written, written[k], written[k]);
        w->next++;
    }
    return true;
}

/* Each step by itself and on the ways that it is on, in the order of the text, which is that of every way. */
static bool verify_in_order(Verify *v, Ctx *whole, WaySoFar *ways, const StepList *steps) {
    bool ok = true;
    for (int i = 0; i < steps->n && ok; i++) {
        const Step *s = &steps->at[i];
        switch (s->kind) {
        case STEP_KERNEL: ok = verify_kernel_step(v, whole, ways, s); break;
        case STEP_SORT: ok = verify_sort_step(v, whole, ways, s); break;
        case STEP_CHOICE:
            for (int k = 0; k < s->choice->cases.n && ok; k++)
                ok = verify_in_order(v, whole, ways, &s->choice->cases.at[k]->steps);
            break;
        }
    }
    return ok;
}

static bool verify_program_steps(Verify *v) {
    WaySoFar *ways = begin_ways(v);
    return ways && verify_in_order(v, v->ctx, ways, &v->p->steps) && end_ways(v, ways);
}

bool program_verify(Program *p, Text *why) {
    Ctx *temp = ctx_temp(p->ctx);
    Verify *v = NEW(temp, Verify);
    *v = (Verify){.p = p, .g = p->graph, .ctx = temp, .why = why};
    bool ok = verify_header(v);
    if (ok && p->graph->host)
        ok = (p->steps.n == 0 && program_find_ways(p) && graph_verify(p->graph, why)) ||
             verify_fail(v, "a function of the host is one value and no kernels");
    else if (ok)
        ok = verify_program_steps(v);
    ctx_temp_end(temp);
    return ok;
}
