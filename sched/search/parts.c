/* Kernels that stand beside each other in a list of steps, of which none touches what another writes, become parts of
 * one launch where that is predicted to be quicker (parts_fit.c). Each is a kernel, or a choice of kernels by size: two
 * choices with the same conditions become one, case by case; a kernel goes into every case of a choice, and of a choice
 * whose last case is for all sizes that one kernel does, where what its other cases are quicker by is less than what a
 * launch takes. So there are never more ways than before. */
#include "parts.h"

#include "ir/expr_is.h"

#include <string.h>

/* The tensors that a step touches. */
typedef struct Touched {
    VEC(const Tensor *) read, written;
} Touched;

typedef struct Entry {
    Step step;
    Touched touched;
    Item item;  /* without cases: it stays as it is */
    bool known; /* the item was found, or that there is none */
    bool gone;  /* what it does, an earlier one does, too */
} Entry;

typedef VEC(Entry) Entries;

/* ---- what steps touch ---- */

static bool has(const Tensor *const *at, int n, const Tensor *t) {
    for (int i = 0; i < n; i++)
        if (at[i] == t) return true;
    return false;
}

static void touch(Ctx *ctx, Touched *t, const Tensor *what, bool write) {
    if (!what) return;
    if (write && !has(t->written.at, t->written.n, what)) vec_push(ctx, &t->written, what);
    if (!write && !has(t->read.at, t->read.n, what)) vec_push(ctx, &t->read, what);
}

static void touch_stages(Ctx *ctx, Touched *t, Stage *const *at, int n) {
    for (int i = 0; i < n; i++) {
        const bool atomic = at[i]->kind == STAGE_ATOMIC, write = atomic || at[i]->kind == STAGE_STORE;
        touch(ctx, t, at[i]->tensor, write);
        if (atomic) touch(ctx, t, at[i]->tensor, false);
        touch(ctx, t, at[i]->counter, true);
        touch_stages(ctx, t, at[i]->body.at, at[i]->body.n);
    }
}

static void touch_steps(Ctx *ctx, Touched *t, const Step *at, int n) {
    for (int i = 0; i < n; i++) {
        switch (at[i].kind) {
        case STEP_KERNEL:
            for (int k = 0; k < at[i].kernel->parts.n; k++)
                touch_stages(ctx, t, at[i].kernel->parts.at[k]->body.at, at[i].kernel->parts.at[k]->body.n);
            break;
        case STEP_SORT:
            touch(ctx, t, at[i].sort->sort.keys, false);
            touch(ctx, t, at[i].sort->sort.order, true);
            touch(ctx, t, at[i].sort->sort.starts, true);
            touch(ctx, t, at[i].sort->scratch, true);
            break;
        case STEP_CHOICE:
            for (int k = 0; k < at[i].choice->cases.n; k++)
                touch_steps(ctx, t, at[i].choice->cases.at[k]->steps.at, at[i].choice->cases.at[k]->steps.n);
            break;
        }
    }
}

static bool meet(const Tensor *const *a, int na, const Tensor *const *b, int nb) {
    for (int i = 0; i < na; i++)
        if (has(b, nb, a[i])) return true;
    return false;
}

/* Whether one reads what the other writes. */
static bool depend(const Touched *a, const Touched *b) {
    return meet(a->written.at, a->written.n, b->read.at, b->read.n) ||
           meet(b->written.at, b->written.n, a->read.at, a->read.n);
}

static bool both_write(const Touched *a, const Touched *b) {
    return meet(a->written.at, a->written.n, b->written.at, b->written.n);
}

static void add_touched(Ctx *ctx, Touched *to, const Touched *t) {
    for (int i = 0; i < t->read.n; i++) touch(ctx, to, t->read.at[i], false);
    for (int i = 0; i < t->written.n; i++) touch(ctx, to, t->written.at[i], true);
}

/* ---- legality ---- */

/* A tensor that both write, pieces of it mostly: whether the verifier sees that these are apart is tried. */
static bool bundle_legal(const Uniting *x, const Bundle *b) {
    Text why = {.ctx = x->temp};
    Program *p = program_new(x->temp, x->p->graph);
    Kernel *all = NULL;
    for (int i = 0; i < b->works.n; i++) {
        Kernel *k = sched_apply_scratch(p, b->works.at[i].group, b->works.at[i].schedule, &why);
        if (!k) return false;
        if (!all) all = k;
        if (all == k) continue;
        vec_push(x->temp, &all->parts, k->parts.at[0]);
        for (int w = 0; w < k->where.n; w++) vec_push(x->temp, &all->where, k->where.at[w]);
    }
    for (int i = 0; i < all->parts.n; i++) all->parts.at[i]->name = sym_fmt(x->temp, "part%d", i);
    return kernel_verify(p, all, &why);
}

/* Each piece is compared with all others, each time that one is added. */
static bool item_legal(const Uniting *x, const Item *a) {
    enum { MOST_PIECES = 16 };
    for (int i = 0; i < a->cases.n; i++)
        if (a->cases.at[i].works.n > MOST_PIECES || !bundle_legal(x, &a->cases.at[i])) return false;
    return true;
}

/* ---- memory ---- */

/* What of the temporaries that `by` reads nobody needs from there on: the steps behind entry `last` do not. */
static double last_read(Uniting *x, const Entries *all, const Touched *by, int last, const Item *of) {
    double bytes = 0;
    for (int i = 0; i < by->read.n; i++) {
        const Tensor *t = by->read.at[i];
        bool needed = t->kind != TENSOR_LET;
        for (int k = last + 1; k < all->n && !needed; k++)
            needed = has(all->at[k].touched.read.at, all->at[k].touched.read.n, t);
        if (!needed) bytes += parts_tensor_bytes(x, of, t);
    }
    return bytes;
}

static double written_bytes(Uniting *x, const Touched *by, const Item *of) {
    double bytes = 0;
    for (int i = 0; i < by->written.n; i++) bytes += parts_tensor_bytes(x, of, by->written.at[i]);
    return bytes;
}

/* Memory in which one item reads temporaries for the last time is where another one may write. Whether so little of it
 * would be taken twice that it is not worth a launch: what entries from `to` on read for the last time, or what entry
 * `from` writes, which would be there at the same time. */
static bool memory_stays(Uniting *x, const Entries *all, int to, int from) {
    static const double LITTLE = 1.0 / 16; /* of what both move */
    const Item *item = &all->at[to].item;
    double dying = 0;
    for (int i = to; i < from; i++)
        if (!all->at[i].gone) dying += last_read(x, all, &all->at[i].touched, from - 1, item);
    const double written = written_bytes(x, &all->at[from].touched, item);
    const double moved = parts_moved(x, item) + parts_moved(x, &all->at[from].item);
    return dying <= LITTLE * moved || written <= LITTLE * moved;
}

/* ---- lists of steps ---- */

/* The kernel of a case that has nothing else. */
static Kernel *only_kernel(const StepList *steps) { return steps->n == 1 ? step_kernel(&steps->at[0]) : NULL; }

static Entry entry_of(Uniting *x, const Step *s) {
    Entry e = {.step = *s};
    touch_steps(x->temp, &e.touched, s, 1);
    return e;
}

/* What of the entry may be put beside others: found where there is one that it may be beside, as in a long chain of
 * kernels that read one another there is none. */
static void find_item(Uniting *x, Entry *e) {
    const Step *s = &e->step;
    Item item = {.changed = false};
    if (e->known) return;
    e->known = true;
    const int n = s->kind == STEP_CHOICE ? s->choice->cases.n : 1;
    for (int i = 0; i < n && s->kind != STEP_SORT; i++) {
        Kernel *k = s->kind == STEP_CHOICE ? only_kernel(&s->choice->cases.at[i]->steps) : s->kernel;
        Bundle b = {.when = s->kind == STEP_CHOICE ? s->choice->cases.at[i]->when : NULL};
        Work w;
        if (!k || !parts_work(x, k, &w)) return;
        vec_push(x->temp, &b.works, w);
        vec_push(x->temp, &item.cases, b);
    }
    e->item = item;
}

/* Two entries become the first one, if they may. */
static bool join(Uniting *x, Entries *all, int to, int from) {
    Entry *before = &all->at[to], *e = &all->at[from];
    Item both;
    if (before->gone) return false;
    find_item(x, before);
    if (!before->item.cases.n || !memory_stays(x, all, to, from)) return false;
    if (!parts_unite(x, &before->item, &e->item, &both)) return false;
    if (both_write(&before->touched, &e->touched) && !item_legal(x, &both)) return false;
    before->item = both;
    add_touched(x->temp, &before->touched, &e->touched);
    return e->gone = true;
}

/* Entry `from` joins an earlier one, the first of those that nothing between keeps it from: so chains of steps that do
 * not depend on one another go side by side. */
static void join_earlier(Uniting *x, Entries *all, int from) {
    Entry *e = &all->at[from];
    int first = from;
    for (bool on = true; on && first > 0;) {
        const Entry *before = &all->at[first - 1];
        if (!before->gone && depend(&before->touched, &e->touched)) break;
        on = before->gone || !both_write(&before->touched, &e->touched);
        first--;
    }
    if (first < from) find_item(x, e);
    for (int to = first; to < from && e->item.cases.n; to++)
        if (join(x, all, to, from)) return;
}

/* ---- what was decided becomes steps ---- */

static void add_part(Program *p, Kernel *to, Kernel *k) {
    Part *part = k->parts.at[0];
    part->name = k->name;
    if (k == to) return;
    vec_push(p->ctx, &to->parts, part);
    for (int i = 0; i < k->where.n; i++) {
        bool known = false;
        for (int j = 0; j < to->where.n; j++) known |= to->where.at[j] == k->where.at[i];
        if (!known) vec_push(p->ctx, &to->where, k->where.at[i]);
    }
    if (!to->no_product) to->no_product = k->no_product;
    if (!to->rounding) to->rounding = k->rounding;
}

/* The kernel of a bundle. What stands in several cases, or has another schedule than before, is made anew; it has the
 * name of one that is there no more. */
static Kernel *make_kernel(Program *p, const Bundle *b, ExprMap *used, Ctx *temp, Text *why) {
    StepList aside = {0};
    Kernel *to = NULL;
    for (int i = 0; i < b->works.n; i++) {
        const Work *w = &b->works.at[i];
        Kernel *k = w->from;
        const bool again = expr_map_get(used, k) != NULL;
        if (w->made || again) k = sched_apply_one(p, &aside, w->group, w->schedule, true, why);
        if (!k) return NULL;
        if (!again) k->name = w->from->name;
        expr_map_put(temp, used, w->from, k);
        if (!to) to = k;
        add_part(p, to, k);
    }
    to->argument_bytes = parts_arguments(b);
    return to;
}

static bool put_item(Program *p, StepList *at, const Item *a, ExprMap *used, Ctx *temp, Text *why) {
    Choice *c = a->cases.n > 1 ? choice_new(p, at) : NULL;
    for (int i = 0; i < a->cases.n; i++) {
        const Bundle *b = &a->cases.at[i];
        StepList *to = c ? &choice_case(p, c, b->when)->steps : at;
        Kernel *k = make_kernel(p, b, used, temp, why);
        if (!k) return false;
        vec_push(p->ctx, to, ((Step){.kind = STEP_KERNEL, .kernel = k}));
    }
    return true;
}

static bool unite_list(Uniting *x, StepList *list, Text *why);

static bool unite_inside(Uniting *x, const StepList *list, Text *why) {
    bool ok = true;
    for (int i = 0; i < list->n && ok; i++) {
        const Choice *c = list->at[i].kind == STEP_CHOICE ? list->at[i].choice : NULL;
        const int before = x->around.n;
        for (int k = 0; c && k < c->cases.n && ok; k++) {
            const Expr *when = c->cases.at[k]->when;
            if (when) vec_push(x->temp, &x->around, ((Around){when, true}));
            ok = unite_list(x, &c->cases.at[k]->steps, why);
            if (when) x->around.at[x->around.n - 1].holds = false;
        }
        x->around.n = before;
    }
    return ok;
}

/* Whether a list has two steps that may become one. */
static bool has_several(const StepList *list) {
    int n = 0;
    for (int i = 0; i < list->n; i++) n += list->at[i].kind != STEP_SORT;
    return n > 1;
}

static bool unite_list(Uniting *x, StepList *list, Text *why) {
    if (!unite_inside(x, list, why)) return false;
    if (!has_several(list)) return true;
    Entries all = {0};
    Graph *g = x->p->graph;
    bool changed = false;
    const GraphScratch before = graph_scratch(g, x->temp);
    for (int i = 0; i < list->n; i++) vec_push(x->temp, &all, entry_of(x, &list->at[i]));
    for (int i = 1; i < all.n; i++) join_earlier(x, &all, i);
    graph_scratch_end(g, before);
    for (int i = 0; i < all.n; i++) changed |= all.at[i].gone;
    if (!changed) return true;
    StepList united = {0};
    ExprMap used = {0};
    for (int i = 0; i < all.n; i++) {
        if (all.at[i].gone) continue;
        if (!all.at[i].item.changed)
            vec_push(x->p->ctx, &united, all.at[i].step);
        else if (!put_item(x->p, &united, &all.at[i].item, &used, x->temp, why))
            return false;
    }
    *list = united;
    return true;
}

/* Program.kernels anew, and what they know of the ways. */
static void list_kernels(Program *p, const StepList *list) {
    for (int i = 0; i < list->n; i++) {
        switch (list->at[i].kind) {
        case STEP_KERNEL:
            list->at[i].kernel->follows = list->at[i].kernel->leads = false;
            vec_push(p->ctx, &p->kernels, list->at[i].kernel);
            break;
        case STEP_CHOICE:
            for (int k = 0; k < list->at[i].choice->cases.n; k++)
                list_kernels(p, &list->at[i].choice->cases.at[k]->steps);
            break;
        case STEP_SORT: break;
        }
    }
}

bool sched_parts(SchedWork *w, const Machine *m, Text *why) {
    Program *p = w->program;
    Uniting x = {.temp = ctx_temp(p->ctx), .p = p, .machine = m, .targets = w->o->targets, .random = w->o->random};
    const bool ok = unite_list(&x, &p->steps, why);
    ctx_temp_end(x.temp);
    if (!ok) return false;
    memset(&p->kernels, 0, sizeof p->kernels);
    list_kernels(p, &p->steps);
    program_find_ways(p);
    return true;
}
