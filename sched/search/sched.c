/* From a Graph to a Program: see sched.h. */
#include "sched.h"

#include "ir/diag.h"
#include "sched/library/product.h"

Program *sched_empty(Graph *g, const Plan *plan) {
    Program *p = program_new(g->ctx, g);
    for (int i = 0; i < g->params.n; i++) vec_push(g->ctx, &p->params, g->params.at[i]);
    for (int i = 0; i < plan->temps.n; i++) {
        graph_take_name(g, plan->temps.at[i].tensor->name);
        vec_push(g->ctx, &p->temps, plan->temps.at[i].tensor);
    }
    return p;
}

bool sched_in_place(const Group *gr) { return gr->product && gr->product->c.tensor == gr->product->d.tensor; }

static bool choose(const SchedOptions *o, SchedMemo *memo, Group *gr, uint64_t *state, Schedule *s, Text *why) {
    if (o->fallback || sched_in_place(gr)) {
        schedule_fallback(gr, s);
    } else if (o->random) {
        schedule_random(gr, state, s);
    } else {
        sched_choose(memo, gr, o->targets, s);
    }
    return schedule_legal(gr, s, why);
}

/* ---- the steps ---- */

static bool refuse(SchedWork *w, DiagCode code, const Group *gr, const char *what, const Text *why) {
    if (gr)
        diag_report(w->ctx, code, w->graph->span, "`%s`: a schedule %s: %s", gr->name, what, why->s);
    else
        diag_report(w->ctx, code, w->graph->span, "%s", why->s);
    return false;
}

static bool step_partition(SchedWork *w, Text *why) {
    Reasons *reasons = w->o->reasons ? NEW(w->ctx, Reasons) : NULL;
    if (reasons) reasons->ctx = w->ctx;
    w->plan = partition_graph(w->prep, w->o->library, reasons, why);
    return w->plan || refuse(w, DIAG_NOT_YET, NULL, NULL, why);
}

static bool step_choose(SchedWork *w, Text *why) {
    const Plan *plan = w->plan;
    uint64_t state = w->o->seed;
    w->schedules = NEW_N(w->ctx, Schedule, plan->groups.n ? plan->groups.n : 1);
    for (int i = 0; i < plan->groups.n; i++) {
        group_guess_line(plan->groups.at[i]);
        GivenAnswer given = given_schedule(w->o->given, w->graph->name, plan->groups.at[i], &w->schedules[i]);
        if (given == GIVEN_WRONG) return false;
        if (given == GIVEN_TAKEN) continue;
        if (!choose(w->o, w->o->memo ? w->o->memo : &w->memo, plan->groups.at[i], &state, &w->schedules[i], why))
            return refuse(w, DIAG_INTERNAL, plan->groups.at[i], "is not legal", why);
    }
    return true;
}

static bool step_apply(SchedWork *w, Text *why) {
    const Plan *plan = w->plan;
    Program *p = w->program;
    p->reasons = plan->reasons;
    for (int i = 0; i < plan->groups.n; i++) {
        Group *gr = plan->groups.at[i];
        Schedule *s = w->schedules ? &w->schedules[i] : NEW(w->ctx, Schedule);
        if (!w->schedules) schedule_fallback(gr, s);
        if (!sched_apply(p, gr, s, why)) return refuse(w, DIAG_INTERNAL, gr, "cannot be applied", why);
        if (!plan->reasons && !w->o->keep) continue;
        Kernel *k = p->kernels.at[p->kernels.n - 1];
        k->group = gr;
        k->schedule = s;
    }
    program_find_ways(p);
    return true;
}

SchedWork *sched_begin(Ctx *ctx, Graph *g, const SchedOptions *o) {
    static const SchedOptions none = {0};
    SchedWork *w = NEW(ctx, SchedWork);
    *w = (SchedWork){.ctx = ctx, .graph = g, .o = o ? o : &none};
    if (g->host) w->program = sched_empty(g, &(Plan){0});
    return w;
}

bool sched_step(SchedWork *w, SchedStep step) {
    Text why = {.ctx = w->ctx};
    text_put(&why, "");
    if (w->graph->host) return true;
    /* From here on the names of temporaries are taken. */
    if (step >= SCHED_FLATTEN && !w->program) w->program = sched_empty(w->graph, w->plan);
    if (w->o->without >> step & 1) return true;
    switch (step) {
    case SCHED_PREPARE:
        w->prep = prepare_graph(w->graph, &why);
        return w->prep || refuse(w, DIAG_NOT_YET, NULL, NULL, &why);
    case SCHED_PARTITION: return step_partition(w, &why);
    case SCHED_SHARE: share_groups(w->plan); return true;
    case SCHED_SPLIT: split_groups(w->plan); return true;
    case SCHED_FLATTEN: flat_groups(w->plan); return true;
    case SCHED_CHOOSE: return step_choose(w, &why);
    case SCHED_APPLY: return step_apply(w, &why);
    case SCHED_STREAM: sched_stream(w->program); return true;
    case SCHED_STEPS: break;
    }
    return true;
}

void sched_print(Text *out, const SchedWork *w) {
    text_fmt(out, "program %s\n", w->graph->name);
    for (int i = 0; w->plan && i < w->plan->groups.n; i++) {
        const Group *gr = w->plan->groups.at[i];
        Schedule s;
        if (w->schedules)
            s = w->schedules[i];
        else
            schedule_fallback(gr, &s);
        text_fmt(out, "  %s:%s", gr->name, gr->axes.n ? " " : "");
        schedule_print(out, gr, &s);
        text_char(out, '\n');
    }
}

Program *sched_program(Ctx *ctx, Graph *g, const SchedOptions *o) {
    SchedWork *w = sched_begin(ctx, g, o);
    for (int step = 0; step < SCHED_STEPS; step++)
        if (!sched_step(w, (SchedStep)step)) return NULL;
    return w->program;
}
