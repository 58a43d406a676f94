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

bool sched_branch_step(SchedWork *w, SchedStep step, bool (*one)(SchedWork *w, SchedStep step)) {
    if (!w->other || step <= SCHED_SORT) return true;
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

bool sched_branch_graph(SchedWork *w, bool (*ask)(void *user), void *user) {
    if (!w->other) return true;
    Definitions *own = put_other(w);
    const bool ok = ask(user);
    put_own(w, own);
    return ok;
}
