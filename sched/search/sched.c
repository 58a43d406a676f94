/* From a Graph to a Program: see sched.h. */
#include "sched.h"

#include "chunking.h"
#include "fusing.h"
#include "ir/diag.h"
#include "ir/expr_is.h"
#include "points.h"
#include "sched/kernel/sort.h"
#include "sched/library/product.h"
#include "sorting.h"
#include "storing.h"

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

static bool one_step(SchedWork *w, SchedStep step);

/* Where it depends on a length who does products, there are two partitions, whatever is said of it. One as if nothing
 * was said tells of such a length. */
static bool step_partition_sides(SchedWork *w, Text *why) {
    Graph *g = w->graph;
    if (w->other || w->when) return step_partition(w, why);
    Definitions *const before = definitions_take(g);
    int64_t *told = NEW_N(w->ctx, int64_t, g->dims.n + 1);
    bool any = false;
    for (int i = 0; i < g->dims.n; i++) {
        any |= g->dims.at[i]->hint > 0;
        told[i] = g->dims.at[i]->hint;
        g->dims.at[i]->hint = 0;
    }
    bool ok = step_partition(w, why);
    for (int i = 0; i < g->dims.n; i++) g->dims.at[i]->hint = told[i];
    if (!ok) return false;
    FewRows few = w->plan->few;
    if (few.dim) few.told = few.dim->hint;
    if (few.dim ? !sched_branch_few(w, few, before, one_step) : any && !sched_again(w, before, one_step)) return false;
    if (!few.dim && !any) return true;
    sched_branch_begin(&w->few, false);
    ok = step_partition(w, why);
    sched_branch_end(&w->few);
    return ok;
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
    Versions tuned = {0}, chosen;
    if (w->o->tuned) tuned_versions(w->o->tuned, gr, w->o->targets, lines, &tuned);
    *v = tuned;
    if (tuned.n && !tuned.at[tuned.n - 1].when) return;
    const int room = MAX_VERSIONS - tuned.n;
    sched_branch_choose(&w->few, gr->branch);
    versions_choose(memo, gr, w->o->targets, sched_machine(w->o), most < room ? most : room, &chosen);
    sched_branch_end(&w->few);
    *v = chosen;
    if (!tuned.n) return;
    *v = versions_room(w->ctx, tuned.n + chosen.n);
    for (int i = 0; i < tuned.n; i++) v->at[v->n++] = tuned.at[i];
    for (int i = 0; i < chosen.n; i++) v->at[v->n++] = chosen.at[i];
}

static int number_of(const Plan *plan, const Group *gr) {
    int i = 0;
    while (plan->groups.at[i] != gr) i++;
    return i;
}

/* Sizes for which a branch, or what is beside it, is not taken; NULL: none. */
static const Expr *branch_elsewhere(const Plan *plan, const Fusion *f) {
    if (!plan->branch || !f->apart[0]->branch) return plan->branch;
    return expr1(plan->graph, OP_NOT, plan->branch);
}

static const Expr *either(Graph *g, const Expr *a, const Expr *b) { return a && b ? expr2(g, OP_OR, a, b) : a ? a : b; }

/* Which of two ways: that for which schedules are given, else by the versions of the one. False after reporting. */
static bool choose_ways(SchedWork *w, const bool *given, uint64_t *state) {
    const Plan *plan = w->plan;
    for (int i = 0; i < plan->fusions.n; i++) {
        Fusion *f = plan->fusions.at[i];
        const int apart = number_of(plan, f->apart[0]), fused = number_of(plan, f->fused[0]);
        bool one = false;
        for (int k = 0; k < f->nfused; k++) one |= given[fused + k];
        if (one)
            f->when = given_way(w->o->given, w->graph->name, f->fused[0], fusing_bounds(f));
        else if (w->o->fallback || given[apart] || given[apart + 1])
            f->when = NULL;
        else if (w->o->random)
            fusing_random(f, state);
        else
            f->when = fusing_when(f, &w->versions[fused], sched_machine(w->o));
        if (one && !f->when) return false;
        for (int k = 0; k < 2; k++) f->apart[k]->elsewhere = either(w->graph, branch_elsewhere(plan, f), f->when);
    }
    return true;
}

enum { SMALL_VERSIONS = 3 /* of a group for small problems alone: beside what others may have */ };

/* How many versions a group may have, of so many: fewer where another way is for most sizes, but of products of few
 * rows, for which each number of rows wants its own; and of what folds shares, which takes little of the time. */
static int versions_of(const SchedWork *w, const Group *gr, int most) {
    enum { FEW = 7 };
    const bool rows = gr->branch && w->few.dim, rest = w->small && !gr->branch; /* most sizes are large */
    if (w->small && gr->branch && most > SMALL_VERSIONS) return SMALL_VERSIONS;
    const bool shares = gr->fused && gr->split < 0 && !group_in_place(gr);
    return ((gr->elsewhere && !rows && !rest) || shares) && most > FEW ? FEW : most;
}

/* With at most so many versions of each group, most[i] of the i-th, but of those that were given. Of two ways that of
 * one group comes first: it leaves fewer sizes to the other. */
static bool choose(SchedWork *w, const bool *given, int lines, const int *most, Text *why) {
    const Plan *plan = w->plan;
    uint64_t state = w->o->seed;
    SchedMemo *memo = w->o->memo ? w->o->memo : &w->memo;
    memo->considered = considered_of(plan);
    for (int pass = 0; pass < 2; pass++) {
        const bool decides = pass != w->o->random; /* one drawn comes before its schedules */
        if (decides && (w->o->random || !w->decided) && !choose_ways(w, given, &state)) return false;
        w->decided |= decides; /* fewer versions leave no other sizes to the others: those would be searched again */
        for (int i = 0; i < plan->groups.n; i++) {
            Group *gr = plan->groups.at[i];
            Schedule s;
            if (given[i] || gr->fused != !pass || (pass && !sched_used(gr))) continue;
            if (!is_fixed(w->o, gr, &state, &s))
                choose_versions(w, memo, gr, lines, versions_of(w, gr, most[i]), &w->versions[i]);
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

/* ---- how many versions each group has ---- */

/* What a version more of a group spares; of several where one alone spares little. *more: of how many. */
static double spared(const Versions *v, int most, int *more) {
    enum { AHEAD = MAX_TOGETHER + 2 /* as many as a case of several kernels takes, and what serves the rest */ };
    double best = 0;
    for (int n = 1; n <= AHEAD && most + n <= MAX_VERSIONS; n++) {
        const double each = (v->lost[most - 1] - v->lost[most + n - 1]) / n;
        if (each > best) best = each, *more = n;
    }
    return best;
}

/* Seconds that are lost with at most so many of each; *all: of them. */
static double lost_with(const SchedWork *w, const int *most, int *all) {
    double sum = 0;
    *all = 0;
    for (int i = 0; i < w->plan->groups.n; i++) {
        const Versions *v = &w->versions[i];
        if (!v->counts) continue;
        sum += v->lost[most[i] - 1];
        *all += v->counts[most[i] - 1];
    }
    return sum;
}

/* Whether no group has fewer versions where it may have one less. */
static bool are_as_many(const SchedWork *w, int most) {
    for (int i = 0; i < w->plan->groups.n; i++) {
        const Versions *v = &w->versions[i];
        const int now = versions_of(w, w->plan->groups.at[i], most),
                  before = versions_of(w, w->plan->groups.at[i], most + 1);
        if (!v->counts || v->counts[now - 1] != v->counts[before - 1]) return false; /* of tuned ones nobody knows */
    }
    return true;
}

/* Whether there are few ways where each combination is one, of the groups of which one version may be two kernels. */
static bool are_few_at_most(const SchedWork *w, const int *most) {
    int ways = 1;
    for (int i = 0; i < w->plan->groups.n; i++) {
        const Versions *v = &w->versions[i];
        const int n = !w->plan->groups.at[i]->divisions.n ? 1 : v->ways ? v->ways[most[i] - 1] : v->n;
        if (n > 1 && (ways *= n) > MAX_COMBINED) return false;
    }
    return true;
}

/* How much the seconds of groups beside the branch, and of its own, count. Sizes of one side may take a thousand times
 * as long as those of the other: a part of what a side takes is worth as much as one of the other, of as many sizes. */
static void weigh_sides(const SchedWork *w, double weight[2]) {
    const double share = !w->plan->branch ? 0 : w->few.dim ? 0.5 : points_share(w->graph, w->plan->branch, w->ctx);
    double seconds[2] = {0};
    for (int i = 0; i < w->plan->groups.n; i++) seconds[w->plan->groups.at[i]->branch] += w->versions[i].usual;
    for (int side = 0; side < 2; side++) {
        const double part = side ? share : 1 - share;
        weight[side] = seconds[side] > 0 ? part / seconds[side] : 0;
    }
}

/* Each version is a kernel to compile, so that a program of several groups has so many in all: those for which a
 * version more spares most have it first. */
static void spread_versions(const SchedWork *w, int versions, int *most) {
    const int n = w->plan->groups.n;
    double weight[2];
    weigh_sides(w, weight);
    bool *full = NEW_N(w->ctx, bool, n + 1);
    int all;
    for (int i = 0; i < n; i++) most[i] = 1;
    for (;;) {
        int at = -1, more = 0;
        double best = 0;
        for (int i = 0; i < n; i++) {
            int by = 0;
            const Group *gr = w->plan->groups.at[i];
            full[i] |= versions_of(w, gr, most[i] + 1) <= most[i];
            const bool may = !full[i] && w->versions[i].counts;
            const double each = may ? weight[gr->branch] * spared(&w->versions[i], most[i], &by) : 0;
            if (each > best) best = each, at = i, more = by;
        }
        if (at < 0) break;
        most[at] += more;
        lost_with(w, most, &all);
        if (all <= versions && are_few_at_most(w, most)) continue;
        most[at] -= more;
        full[at] = true;
    }
}

/* With at most so many versions of each group, and no more than a program has in all. *few: whether that leaves few
 * ways. False after reporting. */
static bool choose_at_most(SchedWork *w, const bool *given, int lines, int most, bool *few, Text *why) {
    enum { LEAST_ROOM = 20, MOST_ROOM = 28 /* kernels of all groups: two of each, between these */ };
    const int n = w->plan->groups.n;
    int *each = NEW_N(w->ctx, int, n + 1), *spread = NEW_N(w->ctx, int, n + 1), all, now;
    for (int i = 0; i < n; i++) each[i] = most;
    if (!choose(w, given, lines, each, why)) return false;
    *few = sched_few_ways(w->plan, w->versions);
    if (!*few || n < 2) return true;
    const double lost = lost_with(w, each, &all);
    int room = 2 * n < LEAST_ROOM ? LEAST_ROOM : 2 * n > MOST_ROOM ? MOST_ROOM : 2 * n;
    for (int i = 0; i < n && w->small; i++) room += w->plan->groups.at[i]->branch ? SMALL_VERSIONS : 0;
    const int versions = most < MAX_VERSIONS && all < room ? all : room;
    if (most == MAX_VERSIONS && all <= versions) return true;
    spread_versions(w, versions, spread);
    if (lost_with(w, spread, &now) >= lost && all <= versions) return true;
    if (!choose(w, given, lines, spread, why)) return false;
    if (sched_few_ways(w->plan, w->versions)) return true;
    return choose(w, given, lines, each, why) && sched_few_ways(w->plan, w->versions);
}

static bool step_choose(SchedWork *w, Text *why) {
    const int n = w->plan->groups.n, all = w->o->tuned ? MAX_VERSIONS - 1 : 0;
    bool *given = NEW_N(w->ctx, bool, n + 1), few = false;
    w->versions = NEW_N(w->ctx, Versions, n + 1);
    if (!take_given(w, given)) return false;
    for (int lines = all;; lines /= 2) {
        for (int most = MAX_VERSIONS; most; most--) {
            if (most < MAX_VERSIONS && are_as_many(w, most)) continue; /* too many, again */
            if (!choose_at_most(w, given, lines, most, &few, why)) return false;
            if (few && lines < all) warn_of_lines(w, lines);
            if (few) return true;
        }
        if (!lines) return refuse_ways(w, given);
    }
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

/* Which ways there are of what goes by keys. */
static bool step_sort_keys(SchedWork *w) {
    SortingBranch b;
    w->touched = sorting_choose(w->graph, w->o->targets, sched_machine(w->o), &b);
    if (!b.when) return true;
    w->small = b.small;
    w->other = NEW(w->ctx, SchedWork);
    *w->other = (SchedWork){.ctx = w->ctx, .graph = w->graph, .o = w->o, .when = b.when, .definitions = b.other};
    return true;
}

static bool step_alone(SchedWork *w, SchedStep step) {
    Text why = {.ctx = w->ctx};
    text_put(&why, "");
    /* From here on the names of temporaries are taken. */
    if (step >= SCHED_FLATTEN && !w->program && !w->when) w->program = sched_empty(w->graph, w->plan);
    if (w->o->without >> step & 1) return true;
    switch (step) {
    case SCHED_SORT: return step_sort_keys(w);
    case SCHED_CHUNK:
        w->touched = chunking_choose(w->graph, w->o->targets, sched_machine(w->o), w->o->exact);
        return true;
    case SCHED_PREPARE:
        w->prep = prepare_graph(w->graph, storing_choose(w->graph, w->o->targets, sched_machine(w->o), w->ctx), &why);
        return w->prep || refuse(w, DIAG_NOT_YET, NULL, NULL, &why);
    case SCHED_PARTITION: return step_partition_sides(w, &why);
    case SCHED_SHARE: share_groups(w->plan); return true;
    case SCHED_FUSE: fuse_groups(w->plan, sched_machine(w->o)); return true;
    case SCHED_SPLIT:
        split_groups(w->plan, sched_machine(w->o));
        apart_groups(w->plan, w->prep, sched_machine(w->o));
        if (w->o->exact) split_drop_online(w->plan);
        return true;
    case SCHED_FLATTEN: flat_groups(w->plan); return true;
    case SCHED_CHOOSE: return step_choose(w, &why);
    case SCHED_APPLY: return step_apply(w, &why);
    case SCHED_PARTS: return sched_parts(w, sched_machine(w->o), &why) || refuse(w, DIAG_INTERNAL, NULL, NULL, &why);
    case SCHED_STREAM: sched_stream(w->program); return true;
    case SCHED_STEPS: break;
    }
    return true;
}

/* Until two ways have one plan, each step is one way's. */
static bool one_step(SchedWork *w, SchedStep step) {
    if (step > SCHED_FLATTEN) return step_alone(w, step);
    sched_branch_begin(&w->few, w->when != NULL);
    const bool ok = step_alone(w, step);
    sched_branch_end(&w->few);
    return ok;
}

bool sched_step(SchedWork *w, SchedStep step) {
    return w->graph->host || (one_step(w, step) && sched_branch_step(w, step, one_step));
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
    text_put(out, sched_always(f->when) ? "  one pass" : "  one pass when ");
    if (!sched_always(f->when)) expr_print(out, f->when, NULL);
    text_char(out, '\n');
}

/* Before the first group of a branch, and before the first beside it: for which sizes. */
static void print_branch(Text *out, const Plan *plan, int i) {
    if (!plan->branch || (i && plan->groups.at[i - 1]->branch == plan->groups.at[i]->branch)) return;
    text_fmt(out, "  # %s ", i ? "when" : "but when");
    expr_print(out, plan->branch, NULL);
    text_char(out, '\n');
}

void sched_print(Text *out, const SchedWork *w) {
    text_fmt(out, "program %s\n", w->graph->name);
    const Versions *v = w->versions ? w->versions : w->plan ? fallbacks(w->plan) : NULL;
    for (int i = 0; w->plan && i < w->plan->groups.n; i++) {
        const Group *gr = w->plan->groups.at[i];
        print_branch(out, w->plan, i);
        if (!sched_used(gr)) continue;
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
