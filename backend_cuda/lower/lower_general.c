/* Lowering, versions: which kernel runs in the place of a version where its indices are too large for an int or its
 * addresses are not aligned. A choice has a version that is one kernel and legal for all sizes; its last instance can
 * serve for the other cases', and they need none of their own. */
#include "lower_internal.h"

#include "ir/expr_is.h"
#include "sched/kernel/same.h"

static const Kernel *only_kernel(const StepList *steps) { return steps->n == 1 ? step_kernel(&steps->at[0]) : NULL; }

static const Kernel *text_of(const Kernel *k) { return k->same ? k->same : k; }

/* The choice of which k is a case by itself, and that case. */
static const Choice *find_choice(const StepList *steps, const Kernel *k, const ChoiceCase **own) {
    for (int i = 0; i < steps->n; i++) {
        if (steps->at[i].kind != STEP_CHOICE) continue;
        const Choice *c = steps->at[i].choice;
        for (int j = 0; j < c->cases.n; j++) {
            *own = c->cases.at[j];
            if (only_kernel(&(*own)->steps) == k) return c;
            const Choice *inner = find_choice(&c->cases.at[j]->steps, k, own);
            if (inner) return inner;
        }
    }
    return NULL;
}

/* Whether a text gets the same arguments in two places, but for the constants that places pass. */
static bool same_arguments(const KernelForm *a, const KernelForm *b) {
    bool same = !a->npassed && !b->npassed && form_same_dims(a, b);
    for (int i = 0; i < a->ntensors; i++) same &= a->tensors[i] == b->tensors[i];
    for (int i = 0; i < a->nscalars; i++) same &= a->scalars[i] == b->scalars[i];
    return same;
}

/* Whether a case is for sizes alone of which an AlignCond holds: it says that what dims is a multiple of is one. */
static bool says(Lower *l, const Expr *when, const AlignCond *c) {
    int64_t by, zero;
    if (!when) return false;
    if (when->op == OP_AND) return says(l, when->arg[0], c) || says(l, when->arg[1], c);
    const Expr *mod = when->op == OP_EQ ? when->arg[0] : NULL;
    if (!mod || mod->op != OP_MOD || !expr_is_int(mod->arg[1], &by) || !expr_is_int(when->arg[1], &zero) || zero)
        return false;
    const Poly dims = poly_of(&l->env, c->dims), of = poly_of(&l->env, mod->arg[0]);
    if (of.n != 1 || dims.failed) return false;
    for (int i = 0; i < dims.n; i++) { /* each of its terms has that factor, or is a multiple anyway */
        const PolyTerm *t = &dims.term[i];
        int64_t n = t->coef;
        int found = 0;
        for (int d = 0; d < of.term[0].degree; d++)
            for (int k = 0; k < t->degree; k++)
                if (t->atom[k] == of.term[0].atom[d]) {
                    found++;
                    break;
                }
        if (found == of.term[0].degree && t->coef % of.term[0].coef == 0) n = t->coef / of.term[0].coef * by;
        if (n % c->mod) return false;
    }
    return true;
}

static bool asks_for_addresses(const Expr *when) {
    if (!when || when->op != OP_AND) return when && when->op == OP_ALIGNED;
    return asks_for_addresses(when->arg[0]) || asks_for_addresses(when->arg[1]);
}

/* The one choice of which all places of a text are cases, with the same arguments. *multiples: all are for lengths that
 * are multiples, as wide accesses want them; *aligned: and for addresses that are. NULL: there is none. */
static const Choice *choice_of(Lower *l, bool *multiples, bool *aligned) {
    const Choice *all = NULL;
    int places = 0;
    *multiples = *aligned = true;
    for (int i = 0; i < l->p->kernels.n; i++) {
        const Kernel *k = l->p->kernels.at[i];
        const ChoiceCase *own;
        if (text_of(k) != l->k) continue;
        const Choice *c = find_choice(&l->p->steps, k, &own);
        if (!c || (all && c != all) || (l->k->shared && !same_arguments(k->form, l->k->form))) return NULL;
        all = c;
        places += 1;
        *aligned &= asks_for_addresses(own->when);
        for (int n = 0; n < l->needs.conds.n; n++)
            *multiples &= !l->needs.conds.at[n].dims || says(l, own->when, &l->needs.conds.at[n]);
    }
    return l->k->shared && places != l->k->places ? NULL : all;
}

/* The last version of a choice that is one kernel and legal for all sizes. */
static const Kernel *general_of(const Choice *c) {
    for (int j = c->cases.n - 1; j >= 0; j--) {
        const Kernel *e = only_kernel(&c->cases.at[j]->steps);
        if (e && !e->where.n && !e->product && e->form && !text_of(e)->form->npassed) return e;
    }
    return NULL;
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

/* Whether an int holds all indices unless an axis alone is very long. Products of lengths are large more often, and
 * then the version's own schedule is the better one. */
static bool seldom_large(Lower *l) {
    enum { AXES = 16 }; /* as often as an axis counts in a bound: from 2^27 on it is too long */
    int n = 0;
    const Poly *bound = index_dispatched(l) ? index_bounds(l, &n) : NULL;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < bound[i].n; k++) {
            const PolyTerm *t = &bound[i].term[k];
            if (t->degree > 1 || (t->degree && t->coef > AXES)) return false;
        }
    return true;
}

/* *instead: it runs where accesses are not wide, too. Memory is planned for each way: what a version reads must be
 * nobody's to overwrite, and what it writes is what the other kernel writes. Lengths that are no multiples come often,
 * unless the version is for multiples alone; and a version that is for addresses of any kind is chosen for such ones,
 * by what its own kernel takes there. */
static const Kernel *general_for(Lower *l, bool *instead) {
    bool multiples, aligned, lengths = false;
    if (l->k->product) return NULL;
    const Choice *c = choice_of(l, &multiples, &aligned);
    const Kernel *e = c ? general_of(c) : NULL;
    if (!e || text_of(e) == l->k) return NULL;
    for (int i = 0; i < e->parts.n; i++)
        if (!within_needs(l, e->parts.at[i]->body.at, e->parts.at[i]->body.n)) return NULL;
    for (int i = 0; i < l->needs.tensors.n; i++)
        if (l->needs.tensors.at[i]->kind != TENSOR_INPUT && !lower_writes(l->k, l->needs.tensors.at[i])) return NULL;
    if (!seldom_large(l)) return NULL;
    for (int i = 0; i < l->needs.conds.n; i++) lengths |= l->needs.conds.at[i].dims != NULL;
    *instead = !l->needs.wide || (aligned && (!lengths || multiples));
    return *instead || (index_dispatched(l) && (l->needs.divmods.n || !lengths)) ? e : NULL;
}

/* ---- the call ---- */

typedef enum Kind { TENSORS, DIMS, SCALARS, KINDS } Kind;

static int count_of(const KernelForm *f, Kind kind) {
    switch (kind) {
    case TENSORS: return f->ntensors;
    case DIMS: return f->ndims;
    case SCALARS: return f->nscalars;
    case KINDS: break;
    }
    return 0;
}

/* Where the launcher of `of` finds the i-th argument of that kind of a form. */
static int place_of(const Lower *l, const Kernel *of, const KernelForm *f, Kind kind, int i) {
    switch (kind) {
    case TENSORS: return lower_tensor_at(l, of, f->tensors[i]);
    case DIMS: return lower_dim_at(l, of, f->dims[i]);
    case SCALARS: return lower_scalar_at(l, of, f->scalars[i]);
    case KINDS: break;
    }
    return -1;
}

/* The array that e's launcher gets of one kind, declared in *out unless it is the launcher's own; its name. NULL: an
 * argument is not there. */
static const char *pass(const Lower *l, const Kernel *e, Kind kind, Text *out) {
    static const struct {
        const char *type, *own, *name;
    } NAMES[KINDS] = {
        {"void *const", "tensors", "td_a"}, {"const int64_t", "dims", "td_n"}, {"const double", "scalars", "td_x"}};
    const KernelForm *f = e->form;
    const int n = count_of(f, kind);
    int length = 0;
    bool own = true;
    for (int i = 0; i < n; i++) {
        const int to = place_of(l, e, f, kind, i), from = place_of(l, l->k, f, kind, i);
        if (to < 0 || from < 0) return NULL;
        if (to >= length) length = to + 1;
        own &= to == from;
    }
    if (own) return NAMES[kind].own;
    int *from = NEW_N(l->ctx, int, length);
    for (int i = 0; i < n; i++) from[place_of(l, e, f, kind, i)] = 1 + place_of(l, l->k, f, kind, i);
    text_fmt(out, "        %s %s[] = {", NAMES[kind].type, NAMES[kind].name);
    for (int i = 0; i < length; i++) {
        if (i) text_put(out, ", ");
        if (from[i])
            text_fmt(out, "%s[%d]", NAMES[kind].own, from[i] - 1);
        else
            text_char(out, '0'); /* that e does not read */
    }
    text_put(out, "};\n");
    return NAMES[kind].name;
}

void lower_general(Lower *l, Dispatch *d) {
    const Kernel *e = general_for(l, &d->instead);
    if (!e) return;
    Text before = {.ctx = l->ctx};
    const char *name[KINDS];
    for (Kind kind = TENSORS; kind < KINDS; kind++)
        if (!(name[kind] = pass(l, e, kind, &before))) return;
    d->general = sym_fmt(l->ctx, "%s_%s", l->o->prefix, kernel_symbol(l->p, e));
    const char *call = sym_fmt(l->ctx, "return %s_launch(stream, %s, %s, %s, launched);", d->general, name[TENSORS],
                               name[DIMS], name[SCALARS]);
    d->general_call = before.n ? sym_fmt(l->ctx, "{\n%s        %s\n    }", before.s, call) : call;
}
