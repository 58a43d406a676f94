/* Values of dimensions and scalars: from a check statement's bindings, or from the shapes of tensors that a caller has.
 */
#include "check.h"
#include "ir/expr_walk.h"

#include <string.h>

const Graph *check_graph(const Module *m, Sym entry) {
    for (int i = 0; i < m->graphs.n; i++)
        if (!strcmp(m->graphs.at[i]->name, entry)) return m->graphs.at[i];
    return NULL;
}

static const Binding *binding(const Check *c, Sym name) {
    for (int i = 0; i < c->bindings.n; i++)
        if (!strcmp(c->bindings.at[i].name, name)) return &c->bindings.at[i];
    return NULL;
}

bool check_bind(const Graph *g, const Check *c, int64_t *dims, double *scalars, Text *why) {
    for (int i = 0; i < g->dims.n; i++) {
        const Dim *d = g->dims.at[i];
        const Binding *b = binding(c, d->name);
        if (!b && d->lo != d->hi && !d->has_default) {
            text_fmt(why, "the dimension %s has no value", d->name);
            return false;
        }
        dims[i] = b ? b->ivalue : d->has_default ? d->def : d->lo;
    }
    for (int i = 0; i < g->scalars.n; i++) {
        const Scalar *s = g->scalars.at[i];
        const Binding *b = binding(c, s->name);
        if (!b && !s->has_default) {
            text_fmt(why, "the scalar %s has no value", s->name);
            return false;
        }
        scalars[i] = b ? b->value : s->def;
    }
    return true;
}

/* ---- from shapes ---- */

typedef struct Match {
    const Graph *g;
    int64_t *dims;
    bool *known;
} Match;

typedef struct Unknown {
    const Match *m;
    int dim; /* -1: none, -2: several, or one of another Graph */
} Unknown;

static Found add_unknown(const Expr *e, void *unknown) {
    Unknown *x = unknown;
    const Graph *g = x->m->g;
    int i = 0;
    if (e->op != OP_DIM) return FOUND_INSIDE;
    while (i < g->dims.n && g->dims.at[i] != e->u.dim) i++;
    if (i < g->dims.n && (x->m->known[i] || x->dim == i)) return FOUND_NOT;
    x->dim = i == g->dims.n || x->dim >= 0 ? -2 : i;
    return x->dim == -2 ? FOUND : FOUND_NOT;
}

/* The one dimension without a value on which e depends; -1: none, -2: several. */
static int unknown(const Match *m, const Expr *e) {
    Unknown x = {m, -1};
    expr_visit(e, add_unknown, &x);
    return x.dim;
}

/* Solves e = want for dimension d where e is affine in it; the caller verifies. */
static bool solve(Match *m, const Expr *e, int d, int64_t want) {
    int64_t at0, at1;
    m->dims[d] = 0;
    if (!interp_int(m->g, e, m->dims, NULL, &at0)) return false;
    m->dims[d] = 1;
    if (!interp_int(m->g, e, m->dims, NULL, &at1)) return false;
    if (at1 == at0 || floor_mod(want - at0, at1 - at0)) return false;
    m->dims[d] = floor_div(want - at0, at1 - at0);
    return m->known[d] = true;
}

static bool match_shape(const Match *m, const Tensor *t, const HostTensor *h, Text *why) {
    for (int d = 0; d < t->rank; d++) {
        int64_t v;
        if (unknown(m, t->shape[d]) != -1) continue;
        if (interp_int(m->g, t->shape[d], m->dims, NULL, &v) && v == h->shape[d]) continue;
        text_fmt(why, "dimension %d of %s is %lld, and its type says ", d, t->name, (long long)h->shape[d]);
        expr_print(why, t->shape[d], NULL);
        if (t->shape[d]->op != OP_CONST && interp_int(m->g, t->shape[d], m->dims, NULL, &v))
            text_fmt(why, ", which is %lld", (long long)v);
        return false;
    }
    return true;
}

bool check_match(const Graph *g, const HostTensor *const *given, int64_t *dims, bool *known, Text *why) {
    Match m = {g, dims, known};
    int n = g->params.n;
    for (int k = 0; k < n; k++)
        if (given[k] && given[k]->rank != g->params.at[k]->rank) {
            text_fmt(why, "%s has %d dimensions, not %d", g->params.at[k]->name, g->params.at[k]->rank, given[k]->rank);
            return false;
        }
    for (bool progress = true; progress;) {
        progress = false;
        for (int k = 0; k < n; k++) {
            const Tensor *t = g->params.at[k];
            for (int d = 0; given[k] && d < t->rank; d++) {
                int u = unknown(&m, t->shape[d]);
                if (u >= 0) progress |= solve(&m, t->shape[d], u, given[k]->shape[d]);
            }
        }
    }
    for (int k = 0; k < n; k++)
        if (given[k] && !match_shape(&m, g->params.at[k], given[k], why)) return false;
    for (int i = 0; i < g->dims.n; i++)
        if (!known[i]) {
            text_fmt(why, "no shape tells the dimension %s: give it a value", g->dims.at[i]->name);
            return false;
        }
    return true;
}
