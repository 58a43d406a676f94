/* Two ways to write a Graph, each for some sizes, until they have one plan: both go through the same steps, one after
 * the other. Up to the partition a way is what the Graph's tensors are; from then on a plan of its own has all that
 * there is, and when both are flat they become one plan, whose groups are this way's or the branch's (Group.branch). */
#include "sched.h"

static Definitions *put_other(SchedWork *w) {
    Definitions *own = definitions_take(w->graph);
    definitions_put(w->graph, w->other->definitions);
    return own;
}

static void put_own(SchedWork *w, const Definitions *own) {
    w->other->definitions = definitions_take(w->graph);
    definitions_put(w->graph, own);
}

static void join_sorts(Graph *g, const Definitions *d) {
    for (int i = 0; i < d->sorts.n; i++) {
        bool known = false;
        for (int k = 0; k < g->sorts.n; k++) known |= g->sorts.at[k] == d->sorts.at[i];
        if (!known) vec_push(g->ctx, &g->sorts, d->sorts.at[i]);
    }
}

/* Temporaries of both; those of the branch that have got a name only now. */
static void join(SchedWork *w) {
    Program *p = w->program;
    const int before = w->plan->temps.n;
    join_sorts(w->graph, w->other->definitions);
    plan_branch(w->plan, w->other->plan, w->other->when);
    for (int i = before; i < w->plan->temps.n; i++) {
        Tensor *t = w->plan->temps.at[i].tensor;
        graph_take_name(w->graph, t->name);
        vec_push(w->ctx, &p->temps, t);
    }
    w->other = NULL;
}

static bool branch_step(SchedWork *w, SchedStep step, bool (*one)(SchedWork *w, SchedStep step)) {
    if (step > SCHED_PARTITION) {
        const bool ok = one(w->other, step);
        if (ok && step == SCHED_FLATTEN) join(w);
        return ok;
    }
    Definitions *own = put_other(w);
    const bool ok = one(w->other, step);
    put_own(w, own);
    if (ok && step == SCHED_PARTITION) definitions_keep_both(w->graph, w->other->definitions);
    return ok;
}

bool sched_again(SchedWork *w, const Definitions *before, bool (*one)(SchedWork *w, SchedStep step)) {
    definitions_put(w->graph, before);
    return one(w, SCHED_PREPARE);
}

bool sched_branch_few(SchedWork *w, FewRows few, Definitions *before, bool (*one)(SchedWork *w, SchedStep step)) {
    Graph *g = w->graph;
    const Expr *when = expr2(g, OP_LE, expr_dim(g, few.dim), expr_int(g, TY_I64, few.most));
    few.longest = few.dim->hi;
    w->few = few;
    w->other = NEW(w->ctx, SchedWork);
    *w->other = (SchedWork){.ctx = w->ctx, .graph = g, .o = w->o, .when = when, .definitions = before, .few = few};
    return sched_again(w, before, one) && branch_step(w, SCHED_PREPARE, one);
}

void sched_branch_begin(const FewRows *few, bool is_few) {
    enum { USUAL_FEW = 1, UNSAID = 0 };
    if (!few->dim) return;
    const bool mine = few->told > 0 && (few->told <= few->most) == is_few;
    few->dim->hint = mine ? few->told : is_few ? USUAL_FEW : UNSAID;
}

void sched_branch_choose(const FewRows *few, bool is_few) {
    if (!few->dim) return;
    sched_branch_begin(few, is_few);
    if (!is_few) return;
    few->dim->hi = few->most;
    if (few->told <= 0 || few->told > few->most) few->dim->hint = 0;
}

void sched_branch_end(const FewRows *few) {
    if (!few->dim) return;
    few->dim->hint = few->told;
    few->dim->hi = few->longest;
}

bool sched_branch_step(SchedWork *w, SchedStep step, bool (*one)(SchedWork *w, SchedStep step)) {
    return !w->other || step <= SCHED_SORT || branch_step(w, step, one);
}

bool sched_branch_graph(SchedWork *w, bool (*ask)(void *user), void *user) {
    if (!w->other) return true;
    Definitions *own = put_other(w);
    const bool ok = ask(user);
    put_own(w, own);
    return ok;
}
