/* Updates in place: a kernel loads the values that it will change. A value that does not vary along an axis is the same
 * in all threads that differ in that axis alone, and the first of them stores it. If all of them loaded what is there
 * before, one could come after the first has stored. So the first is the only one that loads, too, which is right as
 * long as nothing but its own stores is made of the value. Where the value decides whether something else is loaded, or
 * which element of it, the first is the only one that loads that, too: the others have no value to go by. */
#include "own.h"

#include "ir/expr_walk.h"

static bool same_element(const Stage *load, const Stage *store) {
    if (store->kind != STAGE_STORE || store->tensor != load->tensor || store->layout != load->layout) return false;
    for (int i = 0; i < load->tensor->rank; i++)
        if (store->subs[i] != load->subs[i]) return false;
    return true;
}

/* Whether such a store comes after the load, which is *met on the way. */
static bool stored_after(Stage *const *at, int n, const Stage *load, bool *met) {
    for (int i = 0; i < n; i++) {
        *met |= at[i] == load;
        if (*met && same_element(load, at[i])) return true;
        if (stored_after(at[i]->body.at, at[i]->body.n, load, met)) return true;
    }
    return false;
}

static bool loads_own(const Part *part, const Stage *load) {
    bool met = false;
    return load->kind == STAGE_LOAD && stored_after(part->body.at, part->body.n, load, &met);
}

/* ---- what becomes of a value ---- */

enum { MAX_MADE = 32 };

typedef struct Following {
    const Part *part;
    FactorSet first;
    const Value *made[MAX_MADE]; /* the load's value, and those that maps and loads make of it */
    int n;
} Following;

static Found is_made(const Expr *e, const void *following) {
    const Following *f = following;
    for (int i = 0; e->op == OP_VALUE && i < f->n; i++)
        if (f->made[i] == e->u.value) return FOUND;
    return FOUND_INSIDE;
}

static bool uses(const Following *f, const Expr *e) { return e && expr_has(e, is_made, f); }

static bool names_element(const Following *f, const Stage *s) {
    bool found = false;
    for (int i = 0; s->tensor && i < s->tensor->rank; i++) found |= uses(f, s->subs[i]);
    return found;
}

/* In what it is done for, and where, rather than in what is stored or computed. */
static bool decides(const Following *f, const Stage *s) {
    bool found = uses(f, s->cond) || uses(f, s->other) || names_element(f, s);
    for (int i = 0; i < f->n; i++) found |= s->source == f->made[i];
    return found;
}

static bool computes(const Following *f, const Stage *s) {
    bool found = false;
    for (int k = 0; k < MAX_PARTS; k++) found |= uses(f, s->expr[k]);
    return found;
}

/* A load that the value decides, by each thread for itself. */
static bool may_follow(const Following *f, const Stage *s) {
    return s->kind == STAGE_LOAD && s->nout == 1 && !s->source && !s->depth && !(s->out[0]->domain & f->first);
}

/* Notes what is made of the load's value up to a stage (NULL: all); false where that is not for its stores alone. */
static bool stored_alone(Following *f, Stage *const *at, int n, const Stage *end, bool *ended) {
    for (int i = 0; i < n && !*ended; i++) {
        const Stage *s = at[i];
        if ((*ended = s == end)) return true;
        FactorSet domain = 0;
        for (int k = 0; s->tensor && k < s->tensor->rank; k++) domain |= expr_domain(f->part, s->layout, s->subs[k]);
        /* Who stores knows the value, and so whether to. */
        if (s->kind == STAGE_STORE && !(domain & f->first) && !names_element(f, s)) continue;
        const bool follows = decides(f, s);
        if (follows && !may_follow(f, s)) return false;
        if (f->n < MAX_MADE && (follows || (computes(f, s) && s->kind == STAGE_MAP)))
            f->made[f->n++] = s->out[0];
        else if (follows || computes(f, s))
            return false;
        if (!stored_alone(f, s->body.at, s->body.n, end, ended)) return false;
    }
    return true;
}

bool stage_only_stored(const Part *part, const Stage *load, FactorSet first) {
    Following f = {.part = part, .first = first, .made = {load->out[0]}, .n = 1};
    bool ended = false;
    return stored_alone(&f, part->body.at, part->body.n, NULL, &ended);
}

/* Whether what one of these loads brings, which is stored, decides the load. */
static bool follows_one_of(const Part *part, Stage *const *at, int n, const Stage *load) {
    for (int i = 0; i < n; i++) {
        Following f = {.part = part, .made = {at[i]->nout ? at[i]->out[0] : NULL}, .n = 1};
        bool ended = false;
        if (loads_own(part, at[i]) && stored_alone(&f, part->body.at, part->body.n, load, &ended) && decides(&f, load))
            return true;
        if (follows_one_of(part, at[i]->body.at, at[i]->body.n, load)) return true;
    }
    return false;
}

static Found is_value(const Expr *e, const void *none) {
    (void)none;
    return e->op == OP_VALUE ? FOUND : FOUND_INSIDE;
}

bool stage_loads_own(const Part *part, const Stage *load) {
    if (loads_own(part, load)) return true;
    bool decided = load->cond && expr_has(load->cond, is_value, NULL) != NULL;
    for (int i = 0; i < load->tensor->rank; i++) decided |= expr_has(load->subs[i], is_value, NULL) != NULL;
    return load->kind == STAGE_LOAD && decided && follows_one_of(part, part->body.at, part->body.n, load);
}
