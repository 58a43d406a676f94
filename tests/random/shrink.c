/* Shrinking. Candidates leave out, flatten or lift the parts that the generator marked as spans, then lower single
 * choices; those whose text is no shorter are dropped unseen, the others are tried many at a time. */
#include "shrink.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TOGETHER = 12 };

static void sample_finish(Gen *g, Sample *s) {
    s->c.text = gen_program(g);
    s->choices = g->taken;
    s->spans = g->spans;
    memcpy(s->has, g->has, sizeof s->has);
    s->c.nschedules = 0;
    s->c.only = ALL;
    s->c.nsizes = MAX_SIZES;
    for (int z = 0; z < MAX_SIZES; z++)
        for (int d = 0; d < g->ndims; d++) s->c.size[z][d] = g->dim[d].size[z];
}

void sample_draw(Ctx *ctx, Sample *s, uint64_t seed, int k) {
    Gen *g = NEW(ctx, Gen);
    g->ctx = ctx;
    g->state = (seed << 24) + (uint64_t)k;
    *s = (Sample){0};
    sample_finish(g, s);
    s->c.seed = g->state;
}

void sample_repeat(Ctx *ctx, Sample *s, const int *choices, int n, uint64_t schedule_seed) {
    Gen *g = NEW(ctx, Gen);
    g->ctx = ctx;
    g->given = choices;
    g->ngiven = n;
    g->repeat = true;
    *s = (Sample){0};
    sample_finish(g, s);
    s->c.seed = schedule_seed;
}

/* ---- candidates ---- */

typedef struct Shrink {
    Ctx *ctx;
    Sample *s; /* the smallest so far */
    Verdict *v;
    time_t end;
    int nwaiting;
    Sample waiting[TOGETHER];
    Verdict verdicts[TOGETHER];
} Shrink;

static int64_t sum(const Ints *v) {
    int64_t n = 0;
    for (int i = 0; i < v->n; i++) n += v->at[i];
    return n;
}

static bool smaller(const Sample *a, const Sample *b) {
    size_t n = strlen(a->c.text), m = strlen(b->c.text);
    if (n != m) return n < m;
    if (a->choices.n != b->choices.n) return a->choices.n < b->choices.n;
    return sum(&a->choices) < sum(&b->choices);
}

/* The failing schedule alone; as other programs have other random ones, a few of those. */
static void same_trial(const Verdict *v, Case *c) {
    c->library = false;
    if (v->schedule == ALL && !strstr(v->kind, "schedul") && !strstr(v->kind, "building")) return;
    bool one = v->schedule == 0 || v->schedule == FALLBACK || v->schedule == LIBRARY;
    c->first = one ? v->schedule : v->schedule < 0 ? 0 : 1;
    c->nschedules = one ? 1 : 6;
    c->only = v->size;
}

/* Tries what waits; true where one of them fails in the same way and is the smallest now. */
static bool flush(Shrink *x) {
    Case cases[TOGETHER];
    Tally ignored = {0};
    int n = x->nwaiting;
    x->nwaiting = 0;
    if (!n || time(NULL) > x->end) return false;
    for (int i = 0; i < n; i++) cases[i] = x->waiting[i].c;
    trial(x->ctx, cases, n, x->verdicts, &ignored);
    int best = -1;
    for (int i = 0; i < n; i++)
        if (x->verdicts[i].kind && !strcmp(x->verdicts[i].kind, x->v->kind) &&
            (best < 0 || smaller(&x->waiting[i], &x->waiting[best])))
            best = i;
    if (best < 0) return false;
    *x->s = x->waiting[best];
    *x->v = x->verdicts[best];
    return true;
}

static bool offer(Shrink *x, const int *choices, int n) {
    Sample *s = &x->waiting[x->nwaiting];
    if (time(NULL) > x->end) return false;
    sample_repeat(x->ctx, s, choices, n, x->s->c.seed);
    if (!smaller(s, x->s)) return false;
    for (int i = 0; i < x->nwaiting; i++)
        if (!strcmp(x->waiting[i].c.text, s->c.text)) return false;
    same_trial(x->v, &s->c);
    return ++x->nwaiting == TOGETHER && flush(x);
}

/* choices[from, to) replaced by n others. */
static bool offer_cut(Shrink *x, int from, int to, const int *by, int n) {
    const Ints *v = &x->s->choices;
    int *c = NEW_N(x->ctx, int, v->n + n + 1), k = 0;
    for (int i = 0; i < from; i++) c[k++] = v->at[i];
    for (int i = 0; i < n; i++) c[k++] = by[i];
    for (int i = to; i < v->n; i++) c[k++] = v->at[i];
    return offer(x, c, k);
}

static int by_length(const void *a, const void *b) {
    const ChoiceSpan *x = a, *y = b;
    return (y->end - y->start) - (x->end - x->start);
}

/* Spans left out (with the choice before them, which asked for them), made zero, or replaced by one inside them. */
static bool round_spans(Shrink *x) {
    Spans spans = {0};
    for (int i = 0; i < x->s->spans.n; i++) vec_push(x->ctx, &spans, x->s->spans.at[i]);
    qsort(spans.at, (size_t)spans.n, sizeof *spans.at, by_length);
    int *zeros = NEW_N(x->ctx, int, x->s->choices.n + 1);
    for (int i = 0; i < spans.n; i++) {
        const ChoiceSpan p = spans.at[i];
        if (offer_cut(x, p.start, p.end, NULL, 0)) return true;
        if (p.start && offer_cut(x, p.start - 1, p.end, NULL, 0)) return true;
        if (offer_cut(x, p.start, p.end, zeros, p.end - p.start)) return true;
        for (int k = i + 1; k < spans.n; k++) {
            const ChoiceSpan q = spans.at[k];
            if (q.start < p.start || q.end > p.end || q.end - q.start == p.end - p.start) continue;
            if (offer_cut(x, p.start, p.end, x->s->choices.at + q.start, q.end - q.start)) return true;
        }
    }
    return flush(x);
}

static bool round_values(Shrink *x) {
    for (int i = 0; i < x->s->choices.n; i++) {
        int v = x->s->choices.at[i], lower[3] = {0, v / 2, v - 1};
        if (offer_cut(x, i, i + 1, NULL, 0)) return true;
        for (int k = 0; k < 3 && v; k++)
            if (offer_cut(x, i, i + 1, &lower[k], 1)) return true;
    }
    return flush(x);
}

/* ---- text ---- */

enum { CUTS = 40 };
typedef struct Cuts {
    Shrink *x;
    int n;
    Case cases[CUTS];
    Verdict verdicts[CUTS];
} Cuts;

/* Tries the cuts that wait; the first that fails in the same way is taken. What makes no program costs little. */
static bool flush_cuts(Cuts *c) {
    Shrink *x = c->x;
    Tally ignored = {0};
    int n = c->n;
    c->n = 0;
    if (!n || time(NULL) > x->end) return false;
    trial(x->ctx, c->cases, n, c->verdicts, &ignored);
    for (int i = 0; i < n; i++)
        if (c->verdicts[i].kind && !strcmp(c->verdicts[i].kind, x->v->kind)) {
            x->s->c = c->cases[i];
            *x->v = c->verdicts[i];
            return true;
        }
    return false;
}

/* text[from, to) replaced. */
static bool cut(Cuts *c, size_t from, size_t to, const char *by) {
    const char *s = c->x->s->c.text;
    Text t = {.ctx = c->x->ctx};
    if (strlen(by) >= to - from) return false;
    text_put_n(&t, s, from);
    text_put(&t, by);
    text_put(&t, s + to);
    Case *x = &c->cases[c->n];
    *x = c->x->s->c;
    x->text = t.s;
    same_trial(c->x->v, x);
    return ++c->n == CUTS && flush_cuts(c);
}

static size_t group_end(const char *s, size_t at) {
    int depth = 0;
    for (; s[at]; at++) {
        if (strchr("([{", s[at])) depth++;
        if (strchr(")]}", s[at]) && --depth == 0) return at + 1;
    }
    return at;
}

static bool is_word(char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Lines with the blocks that they open, and parameters. */
static bool cut_items(Cuts *c) {
    const char *s = c->x->s->c.text;
    for (size_t i = 0; s[i];) {
        size_t end = i + strcspn(s + i, "\n");
        if (end > i && s[end - 1] == '{' && strncmp(s + i, "export", 6) != 0) end = group_end(s, end - 1);
        if (s[i] != '}' && strncmp(s + i, "export", 6) != 0 && strncmp(s + i, "    assume", 10) != 0 &&
            cut(c, i, end + (s[end] != 0), ""))
            return true;
        i += strcspn(s + i, "\n") + 1;
    }
    const char *head = strstr(s, "prog(");
    for (size_t i = (size_t)(head - s) + 5, from = i; head && s[i] && s[i] != '{'; i++) {
        if (s[i] == '[') i = group_end(s, i);
        bool last = s[i] == ')';
        if (s[i] == ',' && cut(c, from, i + 2, "")) return true;
        if (last && from < i && cut(c, from > (size_t)(head - s) + 5 && s[from - 2] == ',' ? from - 2 : from, i, ""))
            return true;
        if (s[i] == ',') from = i + 2;
        if (last && !strncmp(s + i, ") -> (", 6)) from = i + 6, i += 5;
    }
    return flush_cuts(c);
}

/* Calls, loads and parentheses become constants or what they hold. */
static bool cut_groups(Cuts *c) {
    static const char *const constants[] = {"1.0", "1", "true", "i32(1)"};
    const char *s = c->x->s->c.text, *body = strstr(s, "prog(");
    for (size_t i = body ? strcspn(body, "{") + (size_t)(body - s) + 1 : 0; body && s[i]; i++) {
        if (s[i] != '(' && s[i] != '[') continue;
        size_t from = i, end = group_end(s, i);
        while (from && is_word(s[from - 1])) from--;
        if (s[i] == '[' && s[end] == '(') end = group_end(s, end);
        for (int k = 0; k < 4; k++)
            if (cut(c, from, end, constants[k])) return true;
        if (s[i] == '(' && cut(c, from, end, sym_n(c->x->ctx, s + i, end - i))) return true;
        if (s[i] == '(' && from == i && cut(c, from, end, sym_n(c->x->ctx, s + i + 1, end - i - 2))) return true;
        size_t arm = end + strspn(s + end, " +-*/%&|^<>=!");
        if (arm > end && s[arm] && cut(c, from, arm, "")) return true;
    }
    return flush_cuts(c);
}

/* ---- schedules ---- */

static int split(Ctx *ctx, const char *text, const char *by, Sym *parts, int most) {
    int n = 0;
    for (const char *end; n < most; text = end + strlen(by)) {
        end = strstr(text, by);
        parts[n] = end ? sym_n(ctx, text, (size_t)(end - text)) : sym(ctx, text);
        n++;
        if (!end) break;
    }
    return n;
}

static Sym join(Ctx *ctx, const char *by, const Sym *parts, int n, int at, Sym other) {
    Text t = {.ctx = ctx};
    text_put(&t, "");
    for (int i = 0; i < n; i++) {
        Sym s = i == at ? other : parts[i];
        if (s) text_fmt(&t, "%s%s", t.n ? by : "", s);
    }
    return sym(ctx, t.s);
}

static bool try_fixed(Shrink *x, Sym text) {
    Case c = x->s->c;
    Verdict v;
    Tally ignored = {0};
    c.fixed = text;
    if (time(NULL) > x->end) return false;
    trial(x->ctx, &c, 1, &v, &ignored);
    if (!v.kind || strcmp(v.kind, x->v->kind) != 0) return false;
    *x->v = v;
    x->s->c.fixed = x->v->schedules = text;
    return true;
}

enum { MOST_PARTS = 64 };

/* Kernel by kernel, then axis by axis, what the fallback has instead. */
static void shrink_schedule(Shrink *x) {
    Sym now[MOST_PARTS], plain[MOST_PARTS], axes[MOST_PARTS], simple[MOST_PARTS];
    Sym fallback = trial_schedules(x->ctx, &x->s->c, FALLBACK);
    if (!fallback || !x->v->schedules || x->v->schedule == LIBRARY) return;
    x->s->c.raw = x->v->schedule % 3 == 2;
    x->s->c.nschedules = 1;
    x->s->c.first = x->v->schedule;
    if (!try_fixed(x, x->v->schedules) || try_fixed(x, fallback)) return;
    int m = split(x->ctx, fallback, " | ", plain, MOST_PARTS);
    for (int k = 0; k < m; k++) {
        int n = split(x->ctx, x->v->schedules, " | ", now, MOST_PARTS);
        if (n != m || try_fixed(x, join(x->ctx, " | ", now, n, k, plain[k]))) continue;
        int na = split(x->ctx, now[k], "; ", axes, MOST_PARTS), ns = split(x->ctx, plain[k], "; ", simple, MOST_PARTS);
        for (int i = 0; i < na; i++) {
            Sym other = join(x->ctx, "; ", axes, na, i, i < ns ? simple[i] : NULL);
            if (!try_fixed(x, join(x->ctx, " | ", now, n, k, other))) continue;
            axes[i] = i < ns ? simple[i] : NULL;
            now[k] = other;
        }
    }
}

void shrink(Ctx *ctx, Sample *s, Verdict *v, int seconds) {
    Shrink *x = NEW(ctx, Shrink);
    *x = (Shrink){.ctx = ctx, .s = s, .v = v, .end = time(NULL) + seconds};
    while (time(NULL) <= x->end && (round_spans(x) || round_values(x))) {
    }
    Cuts *c = NEW(ctx, Cuts);
    c->x = x;
    x->end += seconds / 2;
    while (time(NULL) <= x->end && (cut_items(c) || cut_groups(c))) {
    }
    x->end += seconds / 2;
    if (v->schedules) shrink_schedule(x);
}
