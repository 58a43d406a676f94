/* A whole program: dimensions, lets and calls, outputs; then its text. */
#include "gen.h"

#include <string.h>

static void gen_dims(Gen *g) {
    static const char *const names[] = {"A", "B", "C", "D", "E"};
    static const int64_t sizes[] = {3, 1, 5, 2, 0, 4, 8, 7, 16, 13, 33, 9, 6, 32, 17, 24, 40, 12};
    g->ndims = 2 + pick(g, 3);
    g->fast = chance(g, 25); /* with lengths that updates are quick for */
    for (int d = 0; d < g->ndims; d++) {
        GenDim *x = &g->dim[d];
        *x = (GenDim){.name = sym(g->ctx, names[d]), .divisor = 1};
        if (chance(g, g->fast ? 95 : 40)) {
            static const int divisors[] = {1, 2, 1, 4, 8};
            x->stated = true;
            x->lo = 1;
            x->hi = 64 << (4 * pick(g, 3));
            x->divisor = divisors[pick(g, 5)];
            x->hint = g->fast ? 256 << pick(g, 4) : pick(g, 2) ? 16 << pick(g, 9) : 0;
        }
        for (int k = 0; k < MAX_SIZES; k++) {
            x->size[k] = sizes[pick(g, 18)];
            if (x->size[k] < x->lo) x->size[k] = 1;
            x->size[k] += x->divisor - 1;
            x->size[k] -= x->size[k] % x->divisor;
        }
    }
}

/* A dimension that no shape of a parameter or result names is passed by value. */
static void bind_dims(Gen *g) {
    for (int d = 0; d < g->ndims; d++) {
        const char *name = g->dim[d].name;
        if (strstr(g->params.s, name) || (g->results.n && strstr(g->results.s, name))) continue;
        if (strstr(g->body.s, name) || (g->facts.n && strstr(g->facts.s, name)))
            text_fmt(&g->params, "%s%s: int", g->params.n ? ", " : "", name);
    }
}

static void put_dim(Text *out, const GenDim *d) {
    text_fmt(out, "dim %s in %d..=%d", d->name, d->lo, d->hi);
    if (d->hint) text_fmt(out, " hint %d", d->hint);
    if (d->divisor > 1) text_fmt(out, " divisible %d", d->divisor);
    text_put(out, ";\n");
}

int64_t gen_size(const Gen *g, const char *dim, int k) {
    for (int d = 0; d < g->ndims; d++)
        if (!strcmp(g->dim[d].name, dim)) return g->dim[d].size[k];
    return 0;
}

double gen_scalar(const char *name) { return name[strlen(name) - 1] % 2 ? 0.75 : -1.5; }

static Sym gen_text(Gen *g) {
    Text t = {.ctx = g->ctx};
    bind_dims(g);
    for (int d = 0; d < g->ndims; d++)
        if (g->dim[d].stated &&
            (strstr(g->params.s, g->dim[d].name) || (g->results.n && strstr(g->results.s, g->dim[d].name)))) {
            put_dim(&t, &g->dim[d]);
            feature(g, FEAT_DIM_FACT);
        }
    if (g->fast) text_put(&t, "option atomics = fast;\n");
    if (g->functions.n) text_put(&t, g->functions.s);
    text_fmt(&t, "export fn prog(%s)", g->params.s);
    if (g->results.n) text_fmt(&t, " -> (%s)", g->results.s);
    text_fmt(&t, " {\n%s%s}\n", g->facts.n ? g->facts.s : "", g->body.s);
    return sym(g->ctx, t.s);
}

Sym gen_program(Gen *g) {
    g->functions = g->params = g->results = g->facts = g->body = (Text){.ctx = g->ctx};
    text_put(&g->params, "");
    text_put(&g->body, "");
    gen_dims(g);
    for (int n = 0; n < 5 && chance(g, 60); n++) {
        int span = span_open(g);
        g->size /= 2;
        if (chance(g, 20))
            statement_call(g);
        else if (chance(g, 20))
            statement_ranking(g);
        else
            statement_let(g);
        span_close(g, span);
    }
    int n = 0;
    do {
        int span = span_open(g);
        g->size /= 2;
        statement_output(g);
        span_close(g, span);
    } while (++n < 4 && chance(g, 45));
    return gen_text(g);
}
