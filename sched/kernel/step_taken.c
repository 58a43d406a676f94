/* Programs that run at a few sizes alone, as those of tdc check: the cases that these sizes take. See step.h. */
#include "ir/interp/interp.h"
#include "kernel.h"

typedef struct Taking {
    Program *p;
    const int64_t *const *dims;
    int n;
} Taking;

/* Of a condition, bit 1 where it may hold for these sizes and bit 0 where it may not: tensors may begin anywhere. */
static unsigned may_be(const Taking *x, const Expr *when, const int64_t *dims) {
    enum { EITHER = 3 };
    unsigned set = 0;
    for (int aligned = 0; aligned < 2; aligned++) {
        Graph *g = x->p->graph;
        const Expr *asked = expr_aligned(g), *is = expr_int(g, TY_BOOL, aligned);
        int64_t holds;
        if (!interp_int(g, expr_replace(g, when, &asked, &is, 1), dims, NULL, &holds)) return EITHER;
        set |= 1u << (holds != 0);
    }
    return set;
}

/* Marks the cases that some of the sizes take. */
static void note_taken(const Taking *x, const Choice *c, bool *taken) {
    for (int i = 0; i < x->n; i++)
        for (int k = 0; k < c->cases.n; k++) {
            const ChoiceCase *of = c->cases.at[k];
            const unsigned may = of->when ? may_be(x, of->when, x->dims[i]) : 2;
            taken[k] |= may >> 1;
            if (!(may & 1)) break;
        }
}

static void keep_steps(const Taking *x, StepList *steps, Ctx *temp);

/* What is left of a choice: one case alone is steps like others. */
static void keep_choice(const Taking *x, const Step *s, StepList *to, Ctx *temp) {
    Choice *c = s->choice;
    bool *taken = NEW_N(temp, bool, c->cases.n + 1);
    int n = 0;
    note_taken(x, c, taken);
    for (int k = 0; k < c->cases.n; k++)
        if (taken[k]) c->cases.at[n++] = c->cases.at[k];
    if (!n) c->cases.at[n++] = c->cases.at[c->cases.n - 1];
    c->cases.n = n;
    c->cases.at[n - 1]->when = NULL; /* no sizes come behind it */
    for (int k = 0; k < n; k++) keep_steps(x, &c->cases.at[k]->steps, temp);
    if (n > 1) vec_push(x->p->ctx, to, *s);
    for (int i = 0; n == 1 && i < c->cases.at[0]->steps.n; i++) vec_push(x->p->ctx, to, c->cases.at[0]->steps.at[i]);
}

static void keep_steps(const Taking *x, StepList *steps, Ctx *temp) {
    StepList left = {0};
    for (int i = 0; i < steps->n; i++) {
        if (steps->at[i].kind == STEP_CHOICE)
            keep_choice(x, &steps->at[i], &left, temp);
        else
            vec_push(x->p->ctx, &left, steps->at[i]);
    }
    *steps = left;
}

static void note_steps(ExprMap *met, Ctx *temp, const StepList *steps) {
    for (int i = 0; i < steps->n; i++) {
        const Step *s = &steps->at[i];
        const void *key = s->kind == STEP_KERNEL ? (const void *)s->kernel : s->kind == STEP_SORT ? s->sort : NULL;
        if (key) expr_map_put(temp, met, key, key);
        for (int k = 0; s->kind == STEP_CHOICE && k < s->choice->cases.n; k++)
            note_steps(met, temp, &s->choice->cases.at[k]->steps);
    }
}

void program_keep_taken(Program *p, const int64_t *const *dims, int n) {
    Ctx *temp = ctx_temp(p->ctx);
    const Taking x = {p, dims, n};
    ExprMap met = {0};
    int kernels = 0, sorts = 0;
    keep_steps(&x, &p->steps, temp);
    note_steps(&met, temp, &p->steps);
    for (int i = 0; i < p->kernels.n; i++)
        if (expr_map_get(&met, p->kernels.at[i])) p->kernels.at[kernels++] = p->kernels.at[i];
    for (int i = 0; i < p->sorts.n; i++)
        if (expr_map_get(&met, p->sorts.at[i])) p->sorts.at[sorts++] = p->sorts.at[i];
    p->kernels.n = kernels;
    p->sorts.n = sorts;
    ctx_temp_end(temp);
}
