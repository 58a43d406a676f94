/* Whether a program is legal: the form of its choices and, on each way through it by itself, that nothing is read
 * before it is written and that every output is written. It also finds what each way allows: outputs at the addresses
 * of inputs, tensors that take over from others. Kernels by themselves are kernel_verify.c's. */
#include "kernel_verify.h"

#include "sched/library/product.h"

#include <string.h>

/* A way while its steps are verified. */
typedef struct WaySoFar {
    Way *way;
    int next;              /* of its steps */
    ExprMap written;       /* tensors that those before have written */
    VEC(InPlace) in_place; /* what those before leave of it */
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
        if (k->when && !verify_is_condition(v, k->when))
            return verify_fail(v, "the condition of a case is not a bool expression of dimensions");
        if (!verify_steps(v, &k->steps)) return false;
    }
    return c->cases.n > 0 || verify_fail(v, "a choice has no cases");
}

static bool verify_steps(Verify *v, const StepList *steps) {
    for (int i = 0; i < steps->n; i++) {
        switch (steps->at[i].kind) {
        case STEP_KERNEL: break; /* what is illegal in one is said of all kernels, in the order of the text */
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

/* What the way's next step, a kernel, reads that may become what it writes, one of the two being a temporary. */
static void find_successions(Verify *v, WaySoFar *way) {
    Program *p = v->p;
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
        for (int k = 0; k < in.n && way->way->successions.n < MAX_PAIRS; k++)
            if ((out.at[o]->kind == TENSOR_LET || in.at[k]->kind == TENSOR_LET) && same_memory(out.at[o], in.at[k]) &&
                verify_in_place(v, out.at[o], in.at[k]))
                vec_push(p->ctx, &way->way->successions, ((Succession){way->next, out.at[o], in.at[k]}));
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

/* Of the kernel just verified; what was found remains in `whole`. */
static bool verify_on_ways(Verify *v, Ctx *whole, WaySoFar *ways) {
    for (int i = 0; i < v->p->ways.n; i++) {
        WaySoFar *w = &ways[i];
        if (w->next == w->way->steps.n || step_kernel(&w->way->steps.at[w->next]) != v->k) continue;
        if (!verify_order(v, w)) return false;
        check_in_place(v, w);
        find_successions(v, w);
        for (int k = 0; k < v->writes.n; k++) {
            const Tensor *t = v->writes.at[k].stage->tensor;
            expr_map_put(whole, &w->written, t, t);
        }
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

static bool verify_kernel_step(Verify *v, Ctx *whole, WaySoFar *ways, Kernel *k) {
    *v = (Verify){.p = v->p, .g = v->g, .k = k, .ctx = ctx_temp(whole), .why = v->why};
    bool ok = verify_kernel(v) && verify_on_ways(v, whole, ways);
    ctx_temp_end(v->ctx);
    v->ctx = whole;
    if (ok) v->k = NULL;
    return ok;
}

/* Each step by itself and on the ways that it is on, in the order of the text, which is that of every way. */
static bool verify_in_order(Verify *v, Ctx *whole, WaySoFar *ways, const StepList *steps) {
    bool ok = true;
    for (int i = 0; i < steps->n && ok; i++) {
        const Step *s = &steps->at[i];
        switch (s->kind) {
        case STEP_KERNEL: ok = verify_kernel_step(v, whole, ways, s->kernel); break;
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
