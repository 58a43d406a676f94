/* Lowering, versions: which kernel runs in the place of a version where its indices are too large for an int or its
 * addresses are not aligned. The last case of a choice is for all sizes, so that its kernel's last instance can serve
 * for the other cases', and they need none of their own. */
#include "lower_internal.h"

#include "ir/expr_is.h"

/* A case that has one kernel and nothing else, and the last case of its choice. */
typedef struct Version {
    const ChoiceCase *own, *last;
} Version;

static const Kernel *only_kernel(const StepList *steps) { return steps->n == 1 ? step_kernel(&steps->at[0]) : NULL; }

static bool find_version(const StepList *steps, const Kernel *k, Version *v) {
    for (int i = 0; i < steps->n; i++) {
        if (steps->at[i].kind != STEP_CHOICE) continue;
        const Choice *c = steps->at[i].choice;
        for (int j = 0; j < c->cases.n; j++) {
            const ChoiceCase *own = c->cases.at[j];
            if (only_kernel(&own->steps) == k) return *v = (Version){own, c->cases.at[c->cases.n - 1]}, true;
            if (find_version(&own->steps, k, v)) return true;
        }
    }
    return false;
}

/* Whether these stages reach no tensor but those of the kernel that is lowered. */
static bool within_needs(const Lower *l, Stage *const *at, int n) {
    for (int i = 0; i < n; i++) {
        bool tensor = !at[i]->tensor, counter = !at[i]->counter;
        for (int k = 0; k < l->needs.tensors.n; k++) {
            tensor |= l->needs.tensors.at[k] == at[i]->tensor;
            counter |= l->needs.tensors.at[k] == at[i]->counter;
        }
        if (!tensor || !counter || !within_needs(l, at[i]->body.at, at[i]->body.n)) return false;
    }
    return true;
}

/* Whether one text is one place's, and any sizes are right for it. */
static bool stands_alone(const Kernel *k) { return !k->same && !k->shared && k->places <= 1 && !k->product; }

/* Whether an int holds all indices unless an axis alone is very long. Products of lengths are large more often, and
 * then the version's own schedule is the better one. */
static bool seldom_large(const Lower *l) {
    enum { AXES = 16 }; /* as often as an axis counts in a bound: from 2^27 on it is too long */
    for (int i = 0; i < l->needs.fits.n && index_dispatched(l); i++)
        for (int k = 0; k < l->needs.fits.at[i].n; k++) {
            const PolyTerm *t = &l->needs.fits.at[i].term[k];
            if (t->degree > 1 || (t->degree && t->coef > AXES)) return false;
        }
    return true;
}

/* Memory is planned for each way: what a version reads must be nobody's to overwrite, and what it writes is what the
 * other kernel writes. Lengths that are no multiples come often, unless the version is for multiples alone. */
const Kernel *lower_general(const Lower *l) {
    Version v;
    if (!stands_alone(l->k) || !find_version(&l->p->steps, l->k, &v) || v.own == v.last) return NULL;
    const Kernel *e = only_kernel(&v.last->steps);
    if (v.last->when || !e || !stands_alone(e) || e->where.n) return NULL;
    for (int i = 0; i < e->parts.n; i++)
        if (!within_needs(l, e->parts.at[i]->body.at, e->parts.at[i]->body.n)) return NULL;
    for (int i = 0; i < l->needs.tensors.n; i++)
        if (l->needs.tensors.at[i]->kind != TENSOR_INPUT && !lower_writes(l->k, l->needs.tensors.at[i])) return NULL;
    if (!seldom_large(l)) return NULL;
    const bool multiples = expr_has_op(v.own->when, OP_MOD);
    for (int i = 0; i < l->needs.conds.n && l->needs.wide; i++)
        if (l->needs.conds.at[i].dims && !multiples) return NULL;
    return e;
}
