/* From a Graph to a Program: see sched.h. */
#include "sched.h"

#include "chunking.h"
#include "fusing.h"
#include "ir/diag.h"
#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "sched/kernel/sort.h"
#include "sched/library/product.h"
#include "sorting.h"

#include <string.h>

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

static const Machine *sched_machine(const SchedOptions *o) { return o->machine ? o->machine : machine_of(o->targets); }

/* A schedule that is not chosen by what it costs. False: it is. */
static bool is_fixed(const SchedOptions *o, Group *gr, uint64_t *state, Schedule *s) {
    if (o->fallback || sched_in_place(gr))
        schedule_fallback(gr, s);
    else if (o->random)
        schedule_random(gr, state, s), sched_random_steps(gr, state, s);
    else
        return false;
    return true;
}

/* Where the kernels of groups go that are one of two ways: a choice for each such pair. */
typedef struct Places {
    Program *p;
    ExprMap fused, apart; /* Fusion -> the case of its choice */
} Places;

static bool always(const Expr *when) {
    int64_t v;
    return when && expr_is_int(when, &v) && v;
}

/* Whether some sizes come to a group. */
static bool is_used(const Group *gr) {
    const Fusion *f = gr->fusion;
    return !f || (gr->fused ? f->when != NULL : !always(f->when));
}

/* NULL: no sizes come to it. */
static StepList *place_of(Places *x, const Group *gr) {
    const Fusion *f = gr->fusion;
    if (!is_used(gr)) return NULL;
    if (!f || !f->when || always(f->when)) return &x->p->steps;
    ExprMap *of = gr->fused ? &x->fused : &x->apart;
    if (!expr_map_get(of, f)) {
        Choice *c = choice_new(x->p, NULL);
        expr_map_put_object(x->p->ctx, &x->fused, f, choice_case(x->p, c, f->when));
        expr_map_put_object(x->p->ctx, &x->apart, f, choice_case(x->p, c, NULL));
    }
    return &((ChoiceCase *)expr_map_object(of, f))->steps;
}

/* Leaves out the cases whose kernel no way has. */
static void keep_reached(Versions *v, Kernel *const *of) {
    int kept = 0;
    for (int i = 0; i < v->n; i++)
        if (of[i]->reached) v->at[kept++] = v->at[i];
    if (!kept) return;
    v->n = kept;
    v->at[kept - 1].when = NULL;
}

bool sched_few_ways(const Plan *plan, Versions *versions) {
    enum { MOST_LAUNCHES = 1024, MOST_CONDITIONS = 24 /* whose combinations there is time to look at */ };
    Ctx *temp = ctx_temp(plan->graph->ctx);
    Program *p = program_new(temp, plan->graph); /* of kernels that are names alone */
    Places places = {.p = p};
    const int n = plan->groups.n;
    Kernel **of = NEW_N(temp, Kernel *, n * MAX_VERSIONS + 1);
    int conditions = plan->fusions.n;
    for (int i = 0; i < n; i++) {
        const Versions *v = &versions[i];
        StepList *at = place_of(&places, plan->groups.at[i]);
        Choice *c = at && v->n > 1 ? choice_new(p, at) : NULL;
        conditions += c ? v->n - 1 : 0;
        for (int k = 0; c && k < v->n; k++) {
            ChoiceCase *in = choice_case(p, c, v->at[k].when);
            of[i * MAX_VERSIONS + k] = kernel_new_at(p, &in->steps, sym_fmt(temp, "%d_%d", i, k));
        }
    }
    const bool few =
        conditions <= MOST_CONDITIONS && program_find_ways(p) && (p->ways.n == 1 || p->ways.n * n <= MOST_LAUNCHES);
    for (int i = 0; i < n && few; i++)
        if (of[i * MAX_VERSIONS]) keep_reached(&versions[i], &of[i * MAX_VERSIONS]);
    ctx_temp_end(temp);
    return few;
}

/* ---- the steps ---- */

static void note_tensors(ExprMap *used, Ctx *temp, Stage *const *at, int n) {
    for (int i = 0; i < n; i++) {
        if (at[i]->tensor) expr_map_put(temp, used, at[i]->tensor, at[i]->tensor);
        note_tensors(used, temp, at[i]->body.at, at[i]->body.n);
    }
}

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
    w->plan = partition_graph(w->prep, sched_machine(w->o), w->o->library, reasons, why);
    return w->plan || refuse(w, DIAG_NOT_YET, NULL, NULL, why);
}

/* Notes which groups have versions that were given. False after reporting. */
static bool take_given(SchedWork *w, bool *given) {
    const Plan *plan = w->plan;
    for (int i = 0; i < plan->groups.n; i++) {
        GivenAnswer a = given_versions(w->o->given, w->graph->name, plan->groups.at[i], &w->versions[i]);
        if (a == GIVEN_WRONG) return false;
        given[i] = a == GIVEN_TAKEN;
    }
    return true;
}

/* How long a search may take is of the whole program: many groups have less of it each. */
static int considered_of(const Plan *plan) {
    enum { ALL = 240000, MOST = 90000, LEAST = 8000 };
    const int each = ALL / (plan->groups.n - 2 * plan->fusions.n + 1); /* what is fused has few candidates */
    return each > MOST ? MOST : each < LEAST ? LEAST : each;
}

/* Those of tuned lines, at most so many, then those chosen. */
static void choose_versions(SchedWork *w, SchedMemo *memo, Group *gr, int lines, int most, Versions *v) {
    Versions tuned = {0};
    if (w->o->tuned) tuned_versions(w->o->tuned, gr, w->o->targets, lines, &tuned);
    *v = tuned;
    if (tuned.n && !tuned.at[tuned.n - 1].when) return;
    const int room = MAX_VERSIONS - tuned.n;
    versions_choose(memo, gr, w->o->targets, sched_machine(w->o), most < room ? most : room, v);
    memmove(&v->at[tuned.n], v->at, sizeof *v->at * (size_t)v->n);
    memcpy(v->at, tuned.at, sizeof *v->at * (size_t)tuned.n);
    v->n += tuned.n;
}

static int number_of(const Plan *plan, const Group *gr) {
    int i = 0;
    while (plan->groups.at[i] != gr) i++;
    return i;
}

/* Which of two ways: that for which schedules are given, else by the versions of the one. False after reporting. */
static bool choose_ways(SchedWork *w, const bool *given, uint64_t *state) {
    const Plan *plan = w->plan;
    for (int i = 0; i < plan->fusions.n; i++) {
        Fusion *f = plan->fusions.at[i];
        const int apart = number_of(plan, f->apart[0]), fused = number_of(plan, f->fused[0]);
        if (given[fused] || given[fused + 1])
            f->when = given_way(w->o->given, w->graph->name, f->fused[0], fusing_bounds(f));
        else if (w->o->fallback || given[apart] || given[apart + 1])
            f->when = NULL;
        else if (w->o->random)
            fusing_random(f, state);
        else
            f->when = fusing_when(f, &w->versions[fused], sched_machine(w->o));
        if ((given[fused] || given[fused + 1]) && !f->when) return false;
        for (int k = 0; k < 2; k++) f->apart[k]->elsewhere = f->when;
    }
    return true;
}

/* How many versions a group may have, of so many: fewer where another way is for most sizes, and of what folds shares,
 * which takes little of the time. */
static int versions_of(const Group *gr, int most) {
    enum { FEW = 7 };
    return (gr->elsewhere || (gr->fused && gr->split < 0)) && most > FEW ? FEW : most;
}

/* With at most so many versions of each group, but of those that were given. Of two ways that of one group comes first:
 * it leaves fewer sizes to the other. */
static bool choose(SchedWork *w, const bool *given, int lines, int most, Text *why) {
    const Plan *plan = w->plan;
    uint64_t state = w->o->seed;
    SchedMemo *memo = w->o->memo ? w->o->memo : &w->memo;
    memo->considered = considered_of(plan);
    for (int pass = 0; pass < 2; pass++) {
        if (pass != w->o->random && !choose_ways(w, given, &state))
            return false; /* one drawn comes before its schedules */
        for (int i = 0; i < plan->groups.n; i++) {
            Group *gr = plan->groups.at[i];
            Schedule s;
            if (given[i] || gr->fused != !pass || (pass && !is_used(gr))) continue;
            if (!is_fixed(w->o, gr, &state, &s))
                choose_versions(w, memo, gr, lines, versions_of(gr, most), &w->versions[i]);
            else if (!schedule_legal(gr, &s, why))
                return refuse(w, DIAG_INTERNAL, gr, "is not legal", why);
            else
                versions_one(gr, &s, &w->versions[i]);
        }
    }
    return true;
}

/* Versions that were given are not given up again. */
static bool refuse_ways(SchedWork *w, const bool *given) {
    Span at = w->graph->span;
    for (int i = w->plan->groups.n - 1; i >= 0; i--)
        if (given[i] && w->versions[i].n > 1) at = w->versions[i].at[0].span;
    Diag *d =
        diag_report(w->ctx, DIAG_SCHEDULE_ILLEGAL, at,
                    "the versions of %s's groups are too many: each combination of them is a way through the program",
                    w->graph->name);
    diag_advise(w->ctx, d, "give fewer versions, or to several groups the same conditions");
    return false;
}

static void warn_of_lines(SchedWork *w, int lines) {
    Diag *d =
        diag_report(w->ctx, DIAG_TUNING_STALE, w->graph->span,
                    "of each group of %s no more than %d tuned schedules are used: with all of them there would be "
                    "too many ways through the program",
                    w->graph->name, lines);
    diag_help(w->ctx, d, "fix lengths with -D, or tune fewer sizes");
}

static bool step_choose(SchedWork *w, Text *why) {
    bool *given = NEW_N(w->ctx, bool, w->plan->groups.n + 1);
    w->versions = NEW_N(w->ctx, Versions, w->plan->groups.n + 1);
    if (!take_given(w, given)) return false;
    const int all = w->o->tuned ? MAX_VERSIONS - 1 : 0;
    for (int lines = all;; lines /= 2) {
        for (int most = MAX_VERSIONS; most; most--) {
            if (!choose(w, given, lines, most, why)) return false;
            if (!sched_few_ways(w->plan, w->versions)) continue;
            if (lines < all) warn_of_lines(w, lines);
            return true;
        }
        if (!lines) return refuse_ways(w, given);
    }
}

/* Monoids that the scheduler declared stand in the program's text where a kernel has them. */
static void declare_monoids(Graph *g, Stage *const *at, int n) {
    for (int i = 0; i < n; i++) {
        const Monoid *m = at[i]->monoid;
        if (m && monoid_declared(m) && !monoid_named(g, m->name)) vec_push(g->ctx, &g->monoids, (Monoid *)m);
        declare_monoids(g, at[i]->body.at, at[i]->body.n);
    }
}

static bool apply_version(Program *p, const Version *v, StepList *at, bool keep, Text *why) {
    for (int i = 0; i < v->n; i++) {
        Kernel *k = sched_apply(p, at, v->group[i], v->schedule[i], why);
        if (!k) return false;
        k->span = v->span;
        for (int j = 0; j < k->parts.n; j++) declare_monoids(p->graph, k->parts.at[j]->body.at, k->parts.at[j]->body.n);
        if (!keep) continue;
        k->group = v->group[i];
        k->schedule = v->schedule[i];
    }
    return true;
}

static bool apply_versions(Program *p, StepList *at, const Versions *v, bool keep, Text *why) {
    Choice *c = v->n > 1 ? choice_new(p, at) : NULL;
    for (int i = 0; i < v->n; i++) {
        ChoiceCase *k = c ? choice_case(p, c, v->at[i].when) : NULL;
        if (!apply_version(p, &v->at[i], k ? &k->steps : at, keep, why)) return false;
    }
    return true;
}

/* Of an order that no kernel reads the sort need not make one, and needs other scratch. */
static void drop_unread_orders(Program *p, const ExprMap *used) {
    for (int i = 0; i < p->sorts.n; i++) {
        SortStep *s = p->sorts.at[i];
        if (sort_ranks(&s->sort) || !s->sort.order || expr_map_get(used, s->sort.order)) continue;
        s->sort.order = NULL;
        s->scratch->shape[0] = sort_scratch(p->graph, &s->sort);
    }
}

void sched_keep_used(Program *p) {
    ExprMap used = {0};
    Ctx *temp = ctx_temp(p->ctx);
    int n = 0;
    for (int k = 0; k < p->kernels.n; k++)
        for (int j = 0; j < p->kernels.at[k]->parts.n; j++) {
            const Part *part = p->kernels.at[k]->parts.at[j];
            note_tensors(&used, temp, part->body.at, part->body.n);
        }
    drop_unread_orders(p, &used);
    for (int i = 0; i < p->sorts.n; i++) {
        const SortStep *s = p->sorts.at[i];
        expr_map_put(temp, &used, s->sort.keys, s);
        expr_map_put(temp, &used, sort_ranks(&s->sort) ? s->sort.order : s->sort.starts, s);
        expr_map_put(temp, &used, s->scratch, s);
    }
    for (int i = 0; i < p->temps.n; i++)
        if (expr_map_get(&used, p->temps.at[i])) p->temps.at[n++] = p->temps.at[i];
    p->temps.n = n;
    ctx_temp_end(temp);
}

/* ---- sorts ---- */

/* A group's loads are looked at for what sorts make. */
typedef struct Sorts {
    Program *p;
    Plan *plan;
} Sorts;

static bool is_placed(const Program *p, const Sort *s) {
    for (int i = 0; i < p->sorts.n; i++)
        if (p->sorts.at[i]->sort.order == s->order) return true;
    return false;
}

static void place_sort(Program *p, Plan *plan, const Sort *s) {
    Graph *g = p->graph;
    Sym of = (sort_ranks(s) ? s->order : s->starts)->name;
    SortStep *step = step_sort(p, NULL, sym_fmt(g->ctx, "%s_%s", sort_ranks(s) ? "rank" : "sort", of));
    const Expr *n = sort_scratch(g, s);
    Tensor *t = NEW(g->ctx, Tensor);
    *t = (Tensor){.name = plan_name(plan, sym_fmt(g->ctx, "%s_scratch", of)),
                  .kind = TENSOR_LET,
                  .type = TY_I32,
                  .rank = 1,
                  .shape = NEW(g->ctx, const Expr *),
                  .id = g->tensors.n + p->temps.n,
                  .span = s->span};
    t->shape[0] = n;
    step->sort = *s;
    step->scratch = t;
    step->span = s->span;
    graph_take_name(g, t->name);
    vec_push(p->ctx, &p->temps, s->order);
    if (s->starts) vec_push(p->ctx, &p->temps, s->starts);
    vec_push(p->ctx, &p->temps, t);
}

static Found note_sort(const Expr *e, void *user) {
    const Sorts *x = user;
    const Sort *s = e->op == OP_LOAD ? e->u.tensor->sort : NULL;
    if (s && !is_placed(x->p, s)) place_sort(x->p, x->plan, s);
    return FOUND_INSIDE;
}

static void place_sorts(Program *p, Plan *plan, const Group *gr) {
    Ctx *temp = ctx_temp(p->ctx);
    Sorts x = {p, plan};
    ExprWalk w = {.temp = temp, .before = note_sort, .user = &x, .ranges = true, .loads = true};
    for (int i = 0; i < gr->stores.n && p->graph->sorts.n; i++) {
        const GStore *s = &gr->stores.at[i];
        expr_walk(&w, s->value);
        expr_walk(&w, s->guard);
        for (int d = 0; d < s->tensor->rank; d++) expr_walk(&w, s->subs[d]);
    }
    ctx_temp_end(temp);
}

/* What the groups of one choice read is there before it. */
static void place_sorts_for(Program *p, Plan *plan, int i) {
    const Group *gr = plan->groups.at[i];
    if (!is_used(gr)) return;
    place_sorts(p, plan, gr);
    for (int k = i + 1; gr->fusion && k < plan->groups.n; k++)
        if (plan->groups.at[k]->fusion == gr->fusion && is_used(plan->groups.at[k]))
            place_sorts(p, plan, plan->groups.at[k]);
}

int sched_apply_plan(Program *p, Plan *plan, const Versions *v, bool keep, Text *why) {
    Places places = {.p = p};
    for (int i = 0; i < plan->groups.n; i++) {
        place_sorts_for(p, plan, i);
        StepList *at = place_of(&places, plan->groups.at[i]);
        if (at && !apply_versions(p, at, &v[i], keep, why)) return i;
    }
    return plan->groups.n;
}

/* The fallback for each group. */
static const Versions *fallbacks(const Plan *plan) {
    Versions *v = NEW_N(plan->graph->ctx, Versions, plan->groups.n + 1);
    for (int i = 0; i < plan->groups.n; i++) {
        Schedule s;
        schedule_fallback(plan->groups.at[i], &s);
        versions_one(plan->groups.at[i], &s, &v[i]);
    }
    return v;
}

static bool step_apply(SchedWork *w, Text *why) {
    Plan *plan = w->plan;
    w->program->reasons = plan->reasons;
    const Versions *v = w->versions ? w->versions : fallbacks(plan);
    const int done = sched_apply_plan(w->program, plan, v, plan->reasons || w->o->keep, why);
    if (done < plan->groups.n) return refuse(w, DIAG_INTERNAL, plan->groups.at[done], "cannot be applied", why);
    sched_keep_used(w->program);
    program_find_ways(w->program);
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
    case SCHED_SORT: w->touched = sorting_choose(w->graph, w->o->targets, sched_machine(w->o)); return true;
    case SCHED_CHUNK: w->touched = chunking_choose(w->graph, w->o->targets, sched_machine(w->o)); return true;
    case SCHED_PREPARE:
        w->prep = prepare_graph(w->graph, &why);
        return w->prep || refuse(w, DIAG_NOT_YET, NULL, NULL, &why);
    case SCHED_PARTITION: return step_partition(w, &why);
    case SCHED_SHARE: share_groups(w->plan); return true;
    case SCHED_FUSE: fuse_groups(w->plan, sched_machine(w->o)); return true;
    case SCHED_SPLIT:
        split_groups(w->plan, sched_machine(w->o));
        apart_groups(w->plan, w->prep, sched_machine(w->o));
        return true;
    case SCHED_FLATTEN: flat_groups(w->plan); return true;
    case SCHED_CHOOSE: return step_choose(w, &why);
    case SCHED_APPLY: return step_apply(w, &why);
    case SCHED_STREAM: sched_stream(w->program); return true;
    case SCHED_STEPS: break;
    }
    return true;
}

static void print_version(Text *out, const Version *v, bool several) {
    if (several) text_put(out, v->when ? "  when " : "  else");
    if (v->when) expr_print(out, v->when, NULL);
    if (several) text_char(out, '\n');
    for (int i = 0; i < v->n; i++) {
        text_fmt(out, "%s  %s:%s", several ? "  " : "", v->group[i]->name, v->group[i]->axes.n ? " " : "");
        schedule_print(out, v->group[i], v->schedule[i]);
        text_char(out, '\n');
    }
}

/* Before a group that is one of two ways: for which sizes. */
static void print_fusion(Text *out, const Group *gr) {
    const Fusion *f = gr->fusion;
    if (!f || !f->when || gr != f->fused[0]) return;
    text_put(out, always(f->when) ? "  one pass" : "  one pass when ");
    if (!always(f->when)) expr_print(out, f->when, NULL);
    text_char(out, '\n');
}

void sched_print(Text *out, const SchedWork *w) {
    text_fmt(out, "program %s\n", w->graph->name);
    const Versions *v = w->versions ? w->versions : w->plan ? fallbacks(w->plan) : NULL;
    for (int i = 0; w->plan && i < w->plan->groups.n; i++) {
        const Group *gr = w->plan->groups.at[i];
        if (!is_used(gr)) continue;
        print_fusion(out, gr);
        for (int k = 0; k < v[i].n; k++) print_version(out, &v[i].at[k], v[i].n > 1);
    }
}

Program *sched_program(Ctx *ctx, Graph *g, const SchedOptions *o) {
    SchedWork *w = sched_begin(ctx, g, o);
    for (int step = 0; step < SCHED_STEPS; step++)
        if (!sched_step(w, (SchedStep)step)) return NULL;
    return w->program;
}
