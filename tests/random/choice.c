/* Choices: drawn from a seed or repeated from a list, written down as they are made, with the spans of the parts of the
 * program that they made. */
#include "gen.h"

static uint64_t draw(uint64_t *state) {
    uint64_t x = (*state += 0x9E3779B97F4A7C15u);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

int pick(Gen *g, int n) {
    int v = 0, at = g->taken.n;
    if (n <= 1) return 0;
    if (!g->repeat)
        v = (int)(draw(&g->state) % (uint64_t)n);
    else if (at < g->ngiven)
        v = g->given[at] % n;
    vec_push(g->ctx, &g->taken, v);
    return v;
}

bool chance(Gen *g, int percent) { return pick(g, 100) >= 100 - percent; }

int weighted(Gen *g, const int *weights, int n) {
    int sum = 0, k = 0;
    for (int i = 0; i < n; i++) sum += weights[i];
    int v = pick(g, sum);
    while (k < n - 1 && v >= weights[k]) v -= weights[k++];
    return k;
}

int span_open(Gen *g) {
    vec_push(g->ctx, &g->spans, ((ChoiceSpan){g->taken.n, g->taken.n}));
    return g->spans.n - 1;
}

void span_close(Gen *g, int span) { g->spans.at[span].end = g->taken.n; }

void feature(Gen *g, Feature f) { g->has[f] = true; }

const char *feature_text(Feature f) {
    static const char *const texts[] = {
#define X(e, text) text,
        FEATURES(X)
#undef X
    };
    return texts[f];
}
