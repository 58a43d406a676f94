/* Choices, and the ways through a program: see step.h. Decides nothing about kernels. */
#include "ir/interp/interp.h"
#include "kernel.h"

#include <string.h>

Choice *choice_new(Program *p, StepList *at) {
    Choice *c = NEW(p->ctx, Choice);
    c->span = SPAN_NONE;
    vec_push(p->ctx, at ? at : &p->steps, ((Step){.kind = STEP_CHOICE, .choice = c}));
    return c;
}

ChoiceCase *choice_case(Program *p, Choice *c, const Expr *when) {
    ChoiceCase *k = NEW(p->ctx, ChoiceCase);
    k->when = when;
    vec_push(p->ctx, &c->cases, k);
    return k;
}

SortStep *step_sort(Program *p, StepList *at, Sym name) {
    SortStep *s = NEW(p->ctx, SortStep);
    *s = (SortStep){.name = name, .span = SPAN_NONE};
    vec_push(p->ctx, at ? at : &p->steps, ((Step){.kind = STEP_SORT, .sort = s}));
    vec_push(p->ctx, &p->sorts, s);
    return s;
}

/* ---- finding the ways ---- */

/* The next step of a list, and where to go on after its last. */
typedef struct Position {
    const StepList *list;
    int next;
    const struct Position *outer;
} Position;

/* What proofs may do that sizes take no way, one and all together: steps of a search, a tenth of a second in all. A way
 * that no sizes take does no harm. */
enum { A_PROOF = 2000, ALL_PROOFS = 20000 };

typedef struct Finding {
    Program *p;
    Ctx *ctx;  /* for as long as ways are looked for */
    int work;  /* what proofs may still do */
    int most;  /* ways */
    bool step; /* a choice that selects a kernel is a step */
    /* Of the way that is being followed: */
    StepList steps;
    VEC(const Expr *) when;
    VEC(const Expr *) known; /* what holds on it: `when`, and the negations of the cases passed over */
} Finding;

/* A kernel is step number i of a way of n. */
static void note_place(Kernel *k, int i, int n) {
    k->follows |= i > 0;
    k->leads |= i + 1 < n;
}

static bool keep_way(Finding *x) {
    Program *p = x->p;
    Way w;
    if (p->ways.n == x->most) return false;
    memset(&w, 0, sizeof w);
    for (int i = 0; i < x->steps.n; i++) {
        const Step *s = &x->steps.at[i];
        vec_push(p->ctx, &w.steps, *s);
        if (s->kind == STEP_KERNEL) {
            s->kernel->reached = true;
            note_place(s->kernel, i, x->steps.n);
        }
        for (int k = 0; s->kind == STEP_CHOICE && k < s->choice->cases.n; k++)
            note_place(s->choice->cases.at[k]->steps.at[0].kernel, i, x->steps.n);
    }
    for (int i = 0; i < x->when.n; i++) vec_push(p->ctx, &w.when, x->when.at[i]);
    vec_push(p->ctx, &p->ways, w);
    return true;
}

/* 1 where the condition holds for all sizes that come here, 0 where for none, -1 otherwise. */
static int truth_here(Finding *x, const Expr *cond) {
    int work = x->work < A_PROOF ? x->work : A_PROOF;
    const int before = work;
    const PolyEnv env = {.g = x->p->graph, .facts = x->known.at, .nfacts = x->known.n, .ctx = x->ctx, .work = &work};
    if (work <= 0) return -1;
    const int truth = cond_truth(&env, cond);
    x->work -= before - work;
    return truth;
}

static bool follow(Finding *x, Position at);

/* Which kernels of a choice that is a step some sizes that come here run. */
static void note_selected(Finding *x, const Choice *c) {
    const int nknown = x->known.n;
    int truth = 0;
    for (int i = 0; i < c->cases.n && truth != 1; i++) {
        const ChoiceCase *k = c->cases.at[i];
        truth = k->when ? truth_here(x, k->when) : 1;
        if (truth) k->steps.at[0].kernel->reached = true;
        if (truth < 0) vec_push(x->ctx, &x->known, expr1(x->p->graph, OP_NOT, k->when));
    }
    x->known.n = nknown;
}

/* A case is taken under its condition; those after it under its negation. */
static bool follow_choice(Finding *x, const Choice *c, const Position *after) {
    const int nwhen = x->when.n, nknown = x->known.n;
    bool ok = true, all = false;
    for (int i = 0; i < c->cases.n && ok && !all; i++) {
        const ChoiceCase *k = c->cases.at[i];
        int truth = k->when ? truth_here(x, k->when) : 1;
        if (truth == 0) continue;
        all = truth == 1;
        if (!all) {
            vec_push(x->ctx, &x->when, k->when);
            vec_push(x->ctx, &x->known, k->when);
        }
        ok = follow(x, (Position){&k->steps, 0, after});
        if (all) break;
        x->when.n = nwhen;
        x->known.at[x->known.n - 1] = expr1(x->p->graph, OP_NOT, k->when);
    }
    x->when.n = nwhen;
    x->known.n = nknown;
    return ok;
}

/* Goes on from there to the next choice, or to the program's end, which makes it a way. */
static bool follow(Finding *x, Position at) {
    const int before = x->steps.n;
    bool ok = false;
    for (;;) {
        while (at.next == at.list->n && at.outer) at = *at.outer;
        if (at.next == at.list->n) {
            ok = keep_way(x);
            break;
        }
        const Step *s = &at.list->at[at.next++];
        switch (s->kind) {
        case STEP_KERNEL:
        case STEP_SORT: vec_push(x->ctx, &x->steps, *s); continue;
        case STEP_CHOICE:
            if (x->step && choice_selects(s->choice)) {
                note_selected(x, s->choice);
                vec_push(x->ctx, &x->steps, *s);
                continue;
            }
            ok = follow_choice(x, s->choice, &at);
            break;
        }
        break;
    }
    x->steps.n = before;
    return ok;
}

static bool find_ways(Program *p, bool step) {
    Finding x = {.p = p, .ctx = ctx_temp(p->ctx), .work = ALL_PROOFS, .most = step ? MAX_WAYS : MAX_COMBINED};
    x.step = step;
    memset(&p->ways, 0, sizeof p->ways); /* what an earlier call left may be gone */
    for (int i = 0; i < p->kernels.n; i++) p->kernels.at[i]->reached = false;
    bool ok = follow(&x, (Position){&p->steps, 0, NULL});
    ctx_temp_end(x.ctx);
    return ok;
}

static int conditions(const StepList *steps) {
    int n = 0;
    for (int i = 0; i < steps->n; i++) {
        const Choice *c = steps->at[i].kind == STEP_CHOICE ? steps->at[i].choice : NULL;
        for (int k = 0; c && k < c->cases.n; k++)
            n += (c->cases.at[k]->when != NULL) + conditions(&c->cases.at[k]->steps);
    }
    return n;
}

bool program_find_ways(Program *p) {
    enum { MOST_CONDITIONS = 24 /* whose combinations there is time to look at */ };
    return (conditions(&p->steps) <= MOST_CONDITIONS && find_ways(p, false)) || find_ways(p, true);
}

bool choice_selects(const Choice *c) {
    bool all = c->cases.n > 1;
    for (int i = 0; i < c->cases.n && all; i++) {
        const StepList *steps = &c->cases.at[i]->steps;
        all = steps->n == 1 && steps->at[0].kind == STEP_KERNEL && !steps->at[0].kernel->product;
    }
    return all;
}

/* ---- asking for one ---- */

int program_way_at(const Program *p, const int64_t *dims) {
    for (int i = 0; i < p->ways.n; i++) {
        const Way *w = &p->ways.at[i];
        int64_t holds = 1;
        for (int k = 0; k < w->when.n && holds; k++)
            if (!interp_int(p->graph, w->when.at[k], dims, NULL, &holds)) return -1;
        if (holds) return i;
    }
    return -1;
}

/* The kernel of the first case whose condition holds; NULL: one has no value. */
static const ChoiceCase *selected(const Program *p, const Choice *c, const int64_t *dims) {
    for (int i = 0; i < c->cases.n; i++) {
        const ChoiceCase *k = c->cases.at[i];
        int64_t holds = 1;
        if (k->when && !interp_int(p->graph, k->when, dims, NULL, &holds)) return NULL;
        if (holds) return k;
    }
    return NULL;
}

const Way *program_taken(const Program *p, const int64_t *dims) {
    const int number = program_way_at(p, dims);
    const Way *w = number < 0 ? NULL : &p->ways.at[number];
    bool selects = false;
    for (int i = 0; w && i < w->steps.n; i++) selects |= w->steps.at[i].kind == STEP_CHOICE;
    if (!selects) return w;
    Way *r = NEW(p->ctx, Way);
    *r = *w;
    memset(&r->steps, 0, sizeof r->steps);
    for (int i = 0; i < w->steps.n; i++) {
        const Step *s = &w->steps.at[i];
        const ChoiceCase *k = s->kind == STEP_CHOICE ? selected(p, s->choice, dims) : NULL;
        if (s->kind == STEP_CHOICE && !k) return NULL;
        vec_push(p->ctx, &r->steps, k ? k->steps.at[0] : *s);
    }
    return r;
}

bool step_runs(const Step *s, const Kernel *k) {
    bool runs = step_kernel(s) == k;
    for (int i = 0; s->kind == STEP_CHOICE && i < s->choice->cases.n; i++)
        runs |= step_kernel(&s->choice->cases.at[i]->steps.at[0]) == k;
    return runs;
}

bool step_is(const Step *a, const Step *b) {
    return a->kind == b->kind && a->kernel == b->kernel && a->choice == b->choice && a->sort == b->sort;
}

Sym step_name(const Step *s) {
    switch (s->kind) {
    case STEP_KERNEL: return s->kernel->name;
    case STEP_SORT: return s->sort->name;
    case STEP_CHOICE: break;
    }
    return NULL;
}

void way_print(Text *out, const Way *w) {
    if (!w->when.n) text_put(out, "else");
    for (int i = 0; i < w->when.n; i++) {
        text_put(out, i ? " and " : "when ");
        expr_print(out, w->when.at[i], NULL);
    }
}
