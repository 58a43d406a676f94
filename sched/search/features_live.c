/* Features, registers: how many a thread's tiles take, from the stages that make and read them. */
#include "features_form.h"

#include "ir/expr_walk.h"

static const double LOADED_AHEAD = 0.75; /* fitted on -Xptxas -v of the suite's kernels */

static bool has_vectors(const Layout *l) {
    for (int i = 0; i < l->factors.n; i++)
        if (l->factors.at[i]->bind == BIND_VEC) return true;
    return false;
}

/* Of a load that runs ahead, the next iteration's, too: of single elements each has a word until then. */
static double words_of(const Reading *x, const Value *v) {
    const double n = feature_registers(x->part, v->domain), bits = type_bits(v->type);
    const bool loaded = v->def && (v->def->kind == STAGE_LOAD || v->def->kind == STAGE_READ);
    const bool packed = bits < 32 && (loaded || v->type != TY_BOOL);
    const double words = packed ? (n * bits + 31) / 32 : n * (bits > 32 ? 2 : 1);
    if (!loaded || v->def->depth == 0) return words;
    return words + (packed && v->layout && !has_vectors(v->layout) ? n : words);
}

static void live(Reading *x, const Stage *s) {
    for (int i = 0; i < s->nout; i++)
        if (s->kind != STAGE_SET && s->out[i]->kind != VALUE_SHARED)
            vec_push(x->ctx, &x->living, ((Living){s->out[i], x->place, x->place, words_of(x, s->out[i])}));
}

/* Beside the results of a scan, of each segment what it comes to, what stands before it, and what the lane before has,
 * since the compiler exchanges all of them side by side (by -Xptxas -v: 5 registers an element of `drawdown` whose
 * elements are segments, with what is loaded and the results). */
static void live_segments(Reading *x, const Stage *s) {
    enum { OF_SEGMENT = 3 };
    const Layout *l = feature_layout(x, s);
    const double parts = feature_registers(x->part, s->out[0]->domain & ~layout_axis_factors(l, s->axis)) *
                         feature_segments(l, s->axis, false);
    Value *segments = NEW(x->ctx, Value);
    segments->def = (Stage *)s;
    vec_push(x->ctx, &x->living, ((Living){segments, x->place, x->place + 1, OF_SEGMENT * s->monoid->n * parts}));
}

/* A value is made once, mostly not long before it is read. */
static Found keep_alive(const Expr *e, void *user) {
    Reading *x = user;
    if (e->op != OP_VALUE) return FOUND_INSIDE;
    int i = x->living.n - 1;
    while (i >= 0 && x->living.at[i].value != e->u.value) i--;
    if (i >= 0) x->living.at[i].to = x->place;
    return FOUND_INSIDE;
}

static void keep_operands(Reading *x, const Stage *s) {
    if (s->cond) expr_visit(s->cond, keep_alive, x);
    for (int d = 0; s->tensor && d < s->tensor->rank; d++) expr_visit(s->subs[d], keep_alive, x);
    for (int i = 0; i < MAX_PARTS; i++)
        if (s->expr[i]) expr_visit(s->expr[i], keep_alive, x);
}

void feature_live_around(Reading *x, int begin) {
    for (int i = 0; i < x->living.n; i++)
        if (x->living.at[i].from < begin && x->living.at[i].to >= begin) x->living.at[i].to = x->place;
}

/* How much of a tile is there at a time. All of it where something is waited for between it and its use, or an operator
 * jumps to a rare path: the compiler moves nothing across that, so that all elements of a thread come to it before one
 * goes on (boxes of `ciou`: 13 registers an element). Else it goes on with each element of a map, and loads most of a
 * tile before it uses the first; all of it where the part has nothing but loads, maps and stores. */
static double held(const Reading *x, const Living *v) {
    enum { MANY = 64 /* words that are not made again behind a fold */ };
    const StageKind kind = v->value->def ? v->value->def->kind : STAGE_VAR;
    if (kind != STAGE_MAP && kind != STAGE_LOAD) return 1;
    for (int i = 0; i < x->barriers.n; i++)
        if (x->barriers.at[i] > v->from && x->barriers.at[i] < v->to) return 1;
    for (int i = 0; i < x->jumps.n; i++)
        if (x->jumps.at[i] > v->from && x->jumps.at[i] < v->to) return 1;
    for (int i = 0; i < x->folded.n && kind == STAGE_MAP && v->words > MANY; i++)
        if (x->folded.at[i] > v->from && x->folded.at[i] < v->to) return 1;
    return kind == STAGE_MAP ? 0 : x->folds ? LOADED_AHEAD : 1;
}

static Found is_exponential(const Expr *e, const void *unused) {
    (void)unused;
    return e->op == OP_EXP || e->op == OP_EXP2 ? FOUND : FOUND_INSIDE;
}

/* Exponentials that a fold and what comes after it read are not made again, also where a launch bound leaves the
 * compiler too few registers: then it spills (softmaxes of f16, three blocks of 512 threads: with 40 elements a thread,
 * not with 32). */
double feature_most_kept(const Reading *x) {
    double most = 0;
    for (int i = 0; i < x->living.n; i++) {
        const Living *v = &x->living.at[i];
        const Stage *def = v->value->def;
        if (!def || def->kind != STAGE_MAP || !expr_has(def->expr[0], is_exponential, NULL)) continue;
        for (int k = 0; k < x->folded.n; k++)
            if (x->folded.at[k] > v->from && x->folded.at[k] < v->to && v->words > most) most = v->words;
    }
    return most;
}

/* One walk over the places, at each of which the sum changes by what begins and what ends there. */
double feature_most_live(const Reading *x) {
    double *change = NEW_N(x->ctx, double, x->place + 2), most = 0, sum = 0;
    for (int i = 0; i < x->living.n; i++) {
        const Living *v = &x->living.at[i];
        const int end = v->to <= x->place ? v->to : x->place + 1;
        if (v->from >= end) continue;
        const double words = v->words * held(x, v);
        change[v->from] += words;
        change[end] -= words;
    }
    for (int at = 0; at <= x->place; at++) {
        sum += change[at];
        if (sum > most) most = sum;
    }
    return most;
}

void feature_live(Reading *x, const Stage *s) {
    keep_operands(x, s);
    if ((s->kind == STAGE_MAP || s->kind == STAGE_STORE) && feature_branches(s->expr[0]))
        vec_push(x->ctx, &x->jumps, x->place);
    if (s->kind == STAGE_REDUCE) vec_push(x->ctx, &x->folded, x->place);
    live(x, s);
    if (s->kind == STAGE_SCAN) live_segments(x, s);
}
