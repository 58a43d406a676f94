/* Where the steps of a Program go: kernels of groups that are one of two ways, and those of versions, stand in choices,
 * sorts before the first group that reads what they make. */
#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "sched.h"
#include "sched/kernel/sort.h"

/* Where the kernels of groups go that are one of two ways: a choice for each such pair, and one for a branch. */
typedef struct Places {
    Program *p;
    const Plan *plan;
    Choice *branch;       /* NULL: there is none, or it has not been met */
    ExprMap fused, apart; /* Fusion -> the case of its choice */
} Places;

bool sched_always(const Expr *when) {
    int64_t v;
    return when && expr_is_int(when, &v) && v;
}

bool sched_used(const Group *gr) {
    const Fusion *f = gr->fusion;
    return !f || (gr->fused ? f->when != NULL : !sched_always(f->when));
}

/* All steps, or those of the branch or of what is beside it. */
static StepList *steps_of(Places *x, const Group *gr) {
    enum { BRANCH, BESIDE };
    if (!x->plan->branch) return &x->p->steps;
    if (!x->branch) {
        x->branch = choice_new(x->p, NULL);
        choice_case(x->p, x->branch, x->plan->branch);
        choice_case(x->p, x->branch, NULL);
    }
    return &x->branch->cases.at[gr->branch ? BRANCH : BESIDE]->steps;
}

/* NULL: no sizes come to it. */
static StepList *place_of(Places *x, const Group *gr) {
    const Fusion *f = gr->fusion;
    if (!sched_used(gr)) return NULL;
    if (!f || !f->when || sched_always(f->when)) return steps_of(x, gr);
    ExprMap *of = gr->fused ? &x->fused : &x->apart;
    if (!expr_map_get(of, f)) {
        Choice *c = choice_new(x->p, steps_of(x, gr));
        expr_map_put_object(x->p->ctx, &x->fused, f, choice_case(x->p, c, f->when));
        expr_map_put_object(x->p->ctx, &x->apart, f, choice_case(x->p, c, NULL));
    }
    return &((ChoiceCase *)expr_map_object(of, f))->steps;
}

/* ---- versions ---- */

static const Expr *negated(Graph *g, const Expr *e) { return expr1(g, OP_NOT, e); }

/* None of some versions of one kernel is taken: of those that stand before the k-th. */
static const Expr *none_before(Graph *g, const Versions *v, int k) {
    const Expr *none = NULL;
    for (int i = 0; i < k; i++)
        if (v->at[i].n == 1) none = expr_and(g, none, negated(g, v->at[i].when));
    return none;
}

/* Where the steps of each version go: to its case of a choice. A choice of single kernels is one step of a way
 * (step.h), however many there are. So where ways are too many, versions of several kernels, each of which makes
 * one, are cases before a choice of the others. They are taken where their own conditions hold, and those of no
 * version that stood before them. */
static void place_versions(Program *p, StepList *at, const Versions *v, bool product, StepList **to) {
    Graph *g = p->graph;
    int single = 0, last = -1;
    for (int k = 0; k < v->n; k++)
        if (v->at[k].n == 1) single++, last = k;
    to[0] = at;
    if (v->n == 1) return;
    Choice *c = choice_new(p, at);
    const bool apart = v->together && single > 1 && single < v->n && !product;
    for (int k = 0; k < v->n; k++) {
        if (apart && v->at[k].n == 1) continue;
        const Expr *none = apart ? none_before(g, v, k) : NULL, *when = v->at[k].when;
        to[k] = &choice_case(p, c, when ? expr_and(g, none, when) : none)->steps;
    }
    if (!apart) return;
    Choice *of_one = choice_new(p, &choice_case(p, c, NULL)->steps);
    for (int k = 0; k < v->n; k++)
        if (v->at[k].n == 1) to[k] = &choice_case(p, of_one, k == last ? NULL : v->at[k].when)->steps;
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

/* reduced: versions whose kernels no way has are left out; whether there are such. */
static bool are_few(const Plan *plan, Versions *versions, bool *reduced) {
    enum { MOST_LAUNCHES = 1024 };
    Ctx *temp = ctx_temp(plan->graph->ctx);
    Program *p = program_new(temp, plan->graph); /* of kernels that are names alone */
    Places places = {.p = p, .plan = plan};
    const int n = plan->groups.n;
    Kernel **of = NEW_N(temp, Kernel *, n * MAX_PLACED + 1);
    StepList *to[MAX_PLACED];
    for (int i = 0; i < n; i++) {
        const Versions *v = &versions[i];
        StepList *at = place_of(&places, plan->groups.at[i]);
        if (!at || v->n < 2) continue;
        place_versions(p, at, v, plan->groups.at[i]->product, to);
        for (int k = 0; k < v->n; k++) {
            of[i * MAX_PLACED + k] = kernel_new_at(p, to[k], sym_fmt(temp, "%d_%d", i, k));
            of[i * MAX_PLACED + k]->product = plan->groups.at[i]->product;
            for (int j = 1; j < v->at[k].n; j++) kernel_new_at(p, to[k], sym_fmt(temp, "%d_%d_%d", i, k, j));
        }
    }
    const bool few =
        program_find_ways(p) && p->ways.n <= MAX_COMBINED && (p->ways.n == 1 || p->ways.n * n <= MOST_LAUNCHES);
    *reduced = false;
    for (int i = 0; i < n && few; i++) {
        const int had = versions[i].n;
        if (of[i * MAX_PLACED]) keep_reached(&versions[i], &of[i * MAX_PLACED]);
        *reduced |= versions[i].n < had;
    }
    ctx_temp_end(temp);
    return few;
}

/* The last case that is left of a group has no condition any more, which may have excluded ways: they are counted
 * again. */
static bool few_ways(const Plan *plan, Versions *versions, bool together) {
    bool reduced = false;
    for (int i = 0; i < plan->groups.n; i++) versions[i].together = together;
    return are_few(plan, versions, &reduced) && (!reduced || are_few(plan, versions, &reduced));
}

bool sched_few_ways(const Plan *plan, Versions *versions) {
    return few_ways(plan, versions, false) || few_ways(plan, versions, true);
}

/* ---- kernels ---- */

/* Monoids that the scheduler declared stand in the program's text where a kernel has them. */
static void declare_monoids(Graph *g, Stage *const *at, int n) {
    for (int i = 0; i < n; i++) {
        const Monoid *m = at[i]->monoid;
        if (m && monoid_declared(m) && !monoid_named(g, m->name)) vec_push(g->ctx, &g->monoids, (Monoid *)m);
        declare_monoids(g, at[i]->body.at, at[i]->body.n);
    }
}

Kernel *sched_apply_one(Program *p, StepList *at, Group *gr, const Schedule *s, bool keep, Text *why) {
    group_find_within(gr);
    Kernel *k = sched_apply(p, at, gr, s, why);
    for (int i = 0; k && i < k->parts.n; i++) {
        Part *part = k->parts.at[i];
        declare_monoids(p->graph, part->body.at, part->body.n);
        part->group = keep ? gr : NULL;
        part->schedule = keep ? s : NULL;
    }
    return k;
}

static bool apply_version(Program *p, const Version *v, StepList *at, bool keep, Text *why) {
    for (int i = 0; i < v->n; i++) {
        Kernel *k = sched_apply_one(p, at, v->group[i], v->schedule[i], keep, why);
        if (!k) return false;
        k->span = v->span;
    }
    return true;
}

static bool apply_versions(Program *p, StepList *at, const Versions *v, bool product, bool keep, Text *why) {
    StepList *to[MAX_PLACED];
    place_versions(p, at, v, product, to);
    for (int i = 0; i < v->n; i++)
        if (!apply_version(p, &v->at[i], to[i], keep, why)) return false;
    return true;
}

/* ---- sorts ---- */

/* A group's loads are looked at for what sorts make. */
typedef struct Sorts {
    Program *p;
    Plan *plan;
    StepList *at;
} Sorts;

/* In these steps, outside of what they choose from. */
static bool is_placed(const StepList *at, const Sort *s) {
    for (int i = 0; i < at->n; i++)
        if (at->at[i].kind == STEP_SORT && at->at[i].sort->sort.order == s->order) return true;
    return false;
}

static void add_temp(Program *p, Tensor *t) {
    for (int i = 0; i < p->temps.n; i++)
        if (p->temps.at[i] == t) return;
    vec_push(p->ctx, &p->temps, t);
}

static Sym sort_name(const Program *p, const Sort *s) {
    const char *what = sort_ranks(s) ? "rank" : "sort";
    Sym of = (sort_ranks(s) ? s->order : s->starts)->name, name = sym_fmt(p->ctx, "%s_%s", what, of);
    for (int i = 0, n = 2; i < p->sorts.n; i++) /* in order of their numbers */
        if (p->sorts.at[i]->name == name) name = sym_fmt(p->ctx, "%s_%s_%d", what, of, n++);
    return name;
}

static void place_sort(Program *p, Plan *plan, StepList *at, const Sort *s) {
    Graph *g = p->graph;
    Sym of = (sort_ranks(s) ? s->order : s->starts)->name;
    SortStep *step = step_sort(p, at, sort_name(p, s));
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
    add_temp(p, s->order);
    if (s->starts) add_temp(p, s->starts);
    add_temp(p, t);
}

static Found note_sort(const Expr *e, void *user) {
    const Sorts *x = user;
    const Sort *s = e->op == OP_LOAD ? e->u.tensor->sort : NULL;
    if (s && !is_placed(x->at, s)) place_sort(x->p, x->plan, x->at, s);
    return FOUND_INSIDE;
}

static void place_sorts(Program *p, Plan *plan, StepList *at, const Group *gr) {
    Ctx *temp = ctx_temp(p->ctx);
    Sorts x = {p, plan, at};
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
static void place_sorts_for(Places *x, Plan *plan, int i) {
    const Group *gr = plan->groups.at[i];
    if (!sched_used(gr)) return;
    StepList *at = steps_of(x, gr);
    place_sorts(x->p, plan, at, gr);
    for (int k = i + 1; gr->fusion && k < plan->groups.n; k++)
        if (plan->groups.at[k]->fusion == gr->fusion && sched_used(plan->groups.at[k]))
            place_sorts(x->p, plan, at, plan->groups.at[k]);
}

int sched_apply_plan(Program *p, Plan *plan, const Versions *v, bool keep, Text *why) {
    Places places = {.p = p, .plan = plan};
    for (int i = 0; i < plan->groups.n; i++) {
        place_sorts_for(&places, plan, i);
        StepList *at = place_of(&places, plan->groups.at[i]);
        if (at && !apply_versions(p, at, &v[i], plan->groups.at[i]->product, keep, why)) return i;
    }
    return plan->groups.n;
}
