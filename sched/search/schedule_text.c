/* Schedules as text: see schedule.h. */
#include "schedule.h"

#include <limits.h>
#include <string.h>

/* ---- printing ---- */

/* The places from which on the axes must be named: those before them are in the group's order. False: they all are. */
static bool print_order(Text *out, const Group *gr, const Schedule *s, const char *sep) {
    int from = s->naxes;
    bool moved = false, rises = true;
    for (int i = 0; i < s->naxes; i++) moved |= s->shift[i] != 0;
    if (!moved) return false;
    while (rises) { /* whether the order is what moving those from there on to the end makes */
        Schedule t = {.naxes = s->naxes};
        for (int i = from; i < s->naxes; i++) schedule_put_last(&t, schedule_axis(s, i));
        rises = memcmp(t.shift, s->shift, sizeof t.shift) != 0;
        from -= rises;
    }
    text_fmt(out, "%sorder", sep);
    for (int i = from; i < s->naxes; i++) text_fmt(out, " %s", gr->axes.at[schedule_axis(s, i)].name);
    return true;
}

static void print_axis(Text *out, const char *name, const SAxis *a, const char *sep) {
    text_fmt(out, "%s%s =", sep, name);
    for (int i = 0; i < a->n; i++)
        text_fmt(out, a->f[i].size ? " %s(%lld)" : " %s", bind_text(a->f[i].bind), (long long)a->f[i].size);
}

/* `other` comes once, before the second layout. */
static void print_steps(Text *out, const Group *gr, const Schedule *s, const char *sep) {
    for (int i = 0; i < s->nsteps; i++, sep = "; ") {
        const ScheduleStepRow *row = &schedule_step_rows[s->step[i].kind];
        const bool again = s->step[i].kind == SCHEDULE_OTHER && i && s->step[i - 1].kind == SCHEDULE_OTHER;
        if (!again) text_fmt(out, "%s%s", sep, row->word);
        text_fmt(out, " %s", gr->tensors.at[s->step[i].tensor].tensor->name);
        if (*row->manner) text_fmt(out, " %s", row->manner);
        if (s->step[i].number) text_fmt(out, " %d", s->step[i].number);
    }
    for (int i = 0; i < s->nother; i++)
        print_axis(out, gr->axes.at[(int)s->other[i]].name, &s->axis[s->naxes + i], sep);
}

void schedule_print(Text *out, const Group *gr, const Schedule *s) {
    const char *sep = "";
    for (int a = 0; a < s->naxes; a++, sep = "; ") {
        print_axis(out, gr->axes.at[a].name, &s->axis[a], sep);
        if (s->axis[a].peel) text_fmt(out, " peel %s", gr->rows.at[s->axis[a].peel - 1].tensor->name);
    }
    if (s->ahead) {
        text_fmt(out, "%sahead %d", sep, s->ahead);
        sep = "; ";
    }
    if (s->occupancy) {
        text_fmt(out, "%soccupancy %d", sep, s->occupancy);
        sep = "; ";
    }
    if (s->again) {
        text_fmt(out, "%sagain", sep);
        sep = "; ";
    }
    if (group_is_online(gr)) {
        text_fmt(out, "%sonline", sep);
        sep = "; ";
    }
    if (group_into(gr)) {
        text_fmt(out, "%sscatter", sep);
        sep = "; ";
    }
    if (print_order(out, gr, s, sep)) sep = "; ";
    print_steps(out, gr, s, sep);
    if (!out->s) text_put(out, "");
}

/* ---- reading ---- */

typedef struct Cursor {
    const char *p;
} Cursor;

/* The next word; its length is 0 where there is none. */
static size_t word_at(Cursor *c, const char **at) {
    while (*c->p == ' ') c->p++;
    *at = c->p;
    while (text_is_word(*c->p)) c->p++;
    return (size_t)(c->p - *at);
}

static bool take(Cursor *c, char ch) {
    while (*c->p == ' ') c->p++;
    if (*c->p != ch) return false;
    c->p++;
    return true;
}

static bool is(const char *at, size_t n, const char *text) { return n == strlen(text) && !memcmp(at, text, n); }

static bool number(Cursor *c, int64_t *v) {
    const char *at;
    size_t n = word_at(c, &at);
    if (n == 0 || n > 10) return false;
    *v = 0;
    for (size_t i = 0; i < n; i++) {
        if (at[i] < '0' || at[i] > '9') return false;
        *v = *v * 10 + (at[i] - '0');
    }
    return true;
}

/* The tensor by whose rows an axis is peeled. */
static bool read_peel(Cursor *c, const Group *gr, int axis, SAxis *a) {
    const char *at;
    size_t n = word_at(c, &at);
    for (int i = 0; i < gr->rows.n && !a->peel; i++)
        if (gr->rows.at[i].axis == axis && is(at, n, gr->rows.at[i].tensor->name)) a->peel = i + 1;
    return a->peel;
}

static bool read_factors(Cursor *c, const Group *gr, int axis, SAxis *a) {
    for (;;) {
        const char *at;
        size_t n = word_at(c, &at);
        if (!n) return true;
        if (is(at, n, "peel")) return read_peel(c, gr, axis, a);
        int b = 0;
        while (b < BIND_COUNT && !is(at, n, bind_text((Bind)b))) b++;
        if (b == BIND_COUNT || a->n == MAX_AXIS_FACTORS) return false;
        SFactor f = {(Bind)b, 0};
        int64_t size = 0;
        if (take(c, '(') && (!number(c, &size) || size == 0 || size > INT32_MAX || !take(c, ')'))) return false;
        f.size = (int)size;
        a->f[a->n++] = f;
    }
}

static int axis_named(const Group *gr, const char *at, size_t n) {
    int a = gr->axes.n - 1;
    while (a >= 0 && !is(at, n, gr->axes.at[a].name)) a--;
    return a;
}

static bool read_order(Cursor *c, const Group *gr, Schedule *s) {
    AxisSet named = 0;
    for (;;) {
        const char *at;
        size_t n = word_at(c, &at);
        if (!n) return named != 0;
        const int a = axis_named(gr, at, n);
        if (a < 0 || named >> a & 1) return false;
        named |= (AxisSet)1 << a;
        schedule_put_last(s, a);
    }
}

static int tensor_named(const Group *gr, const char *at, size_t n) {
    int t = gr->tensors.n - 1;
    while (t >= 0 && !is(at, n, gr->tensors.at[t].tensor->name)) t--;
    return t > UCHAR_MAX ? -1 : t;
}

/* Of the rows with the word the one with the manner. */
static bool read_manner(Cursor *c, int first, const char *word, ScheduleStep *step) {
    const char *at;
    size_t n = word_at(c, &at);
    for (int k = first; k < SCHEDULE_STEP_COUNT; k++) {
        const ScheduleStepRow *row = &schedule_step_rows[k];
        int64_t v = 0;
        if (strcmp(row->word, word) != 0 || !is(at, n, row->manner)) continue;
        if (row->most && (!number(c, &v) || v > row->most)) return false;
        step->kind = (unsigned char)k;
        step->number = (short)v;
        return true;
    }
    return false;
}

/* What keeps a step from being added. */
static bool refuse_step(const Group *gr, const Schedule *s, ScheduleStep step, Text *why) {
    const ScheduleStepRow *row = &schedule_step_rows[step.kind];
    const GTensor *t = &gr->tensors.at[step.tensor];
    const bool fits = (t->loaded && row->loaded) || (t->stored && row->stored);
    if (s->nsteps == MAX_SCHEDULE_STEPS) return text_fail(why, "more than %d steps", MAX_SCHEDULE_STEPS);
    return text_fail(why, "%s %s: %s", row->word, t->tensor->name,
                     fits          ? "another step says the same of it"
                     : row->stored ? "it is not stored here"
                                   : "it is not loaded here");
}

static bool read_step(Cursor *c, const Group *gr, Schedule *s, int first, Text *why) {
    const char *at, *word = schedule_step_rows[first].word;
    bool more = true;
    for (int i = 0; more; i++) {
        ScheduleStep step = {.kind = (unsigned char)first};
        size_t n = word_at(c, &at);
        const int t = tensor_named(gr, at, n);
        more = first == SCHEDULE_OTHER && n;
        if (i && !n) break;
        if (t < 0) return n && text_fail(why, "%s %.*s: no tensor of the group has this name", word, (int)n, at);
        step.tensor = (unsigned char)t;
        if (!more && !read_manner(c, first, word, &step)) return false;
        if (!schedule_add_step(s, gr, step)) return refuse_step(gr, s, step, why);
    }
    return true;
}

/* Factors of threads and registers of the second layout. */
static bool read_other(Cursor *c, const Group *gr, int axis, Schedule *s) {
    SAxis a = {0};
    int at = s->nother;
    if (at == MAX_OTHER_AXES || !read_factors(c, gr, axis, &a) || a.peel) return false;
    for (int i = 0; i < a.n; i++)
        if (bind_scope(a.f[i].bind) < SCOPE_THREAD || !a.f[i].size) return false;
    for (; at > 0 && s->other[at - 1] >= axis; at--) {
        if (s->other[at - 1] == axis) return false;
        s->other[at] = s->other[at - 1];
        s->axis[s->naxes + at] = s->axis[s->naxes + at - 1];
    }
    s->other[at] = (signed char)axis;
    s->axis[s->naxes + at] = a;
    s->nother++;
    return true;
}

/* What is said of the group that a schedule is for. */
typedef struct Said {
    bool online, scatter;
} Said;

/* *why says more than that it cannot be read, or nothing. */
static bool read_item(Cursor *c, const Group *gr, Schedule *s, Said *said, Text *why) {
    const char *at;
    size_t n = word_at(c, &at);
    int64_t v;
    if (!take(c, '=')) {
        if (is(at, n, "again") && !s->again) return s->again = true;
        if (is(at, n, "online") && !said->online) return said->online = true;
        if (is(at, n, "scatter") && !said->scatter) return said->scatter = true;
        if (is(at, n, "order")) return read_order(c, gr, s);
        for (int k = 0; k < SCHEDULE_STEP_COUNT; k++)
            if (is(at, n, schedule_step_rows[k].word)) return read_step(c, gr, s, k, why);
        int *knob = is(at, n, "ahead") ? &s->ahead : is(at, n, "occupancy") ? &s->occupancy : NULL;
        if (!knob || *knob || !number(c, &v) || v < 1 || v > 64) return false;
        *knob = (int)v;
        return true;
    }
    const int a = axis_named(gr, at, n);
    if (a >= 0 && schedule_has_step(s, SCHEDULE_OTHER)) return read_other(c, gr, a, s);
    return a >= 0 && s->axis[a].n == 0 && read_factors(c, gr, a, &s->axis[a]);
}

bool schedule_read(const char *text, const Group *gr, Schedule *s, Text *why) {
    *s = (Schedule){.naxes = gr->axes.n};
    Cursor c = {text};
    Said said = {false, false};
    while (*c.p == ' ') c.p++;
    while (*c.p) {
        const char *from = c.p;
        const size_t had = why ? why->n : 0;
        if (!read_item(&c, gr, s, &said, why) || (!take(&c, ';') && *c.p)) {
            if (why && why->n == had) text_fmt(why, "a schedule cannot be read at `%s`", from);
            return false;
        }
        while (*c.p == ' ') c.p++;
    }
    if (said.scatter != (group_into(gr) != 0))
        return text_fail(why, said.scatter ? "scatter: not all reductions are by keys along one axis"
                                           : "it does not scatter");
    if (said.online == group_is_online(gr)) return true;
    return text_fail(why, said.online ? "online: no reduction reads what another one of the same elements folds to"
                                      : "it is not online");
}

/* ---- without names ---- */

static Tensor *renamed(Ctx *ctx, const Tensor *t, Sym name) {
    Tensor *r = NEW(ctx, Tensor);
    *r = *t;
    r->name = name;
    return r;
}

const Group *schedule_numbered(const Group *gr) {
    Ctx *ctx = gr->graph->ctx;
    Group *r = NEW(ctx, Group);
    *r = *gr;
    r->axes.at = NEW_N(ctx, GAxis, gr->axes.n + 1);
    r->rows.at = NEW_N(ctx, GRow, gr->rows.n + 1);
    r->tensors.at = NEW_N(ctx, GTensor, gr->tensors.n + 1);
    for (int a = 0; a < gr->axes.n; a++) {
        r->axes.at[a] = gr->axes.at[a];
        r->axes.at[a].name = sym_fmt(ctx, "i%d", a);
    }
    for (int i = 0; i < gr->rows.n; i++) {
        r->rows.at[i] = gr->rows.at[i];
        r->rows.at[i].tensor = renamed(ctx, gr->rows.at[i].tensor, sym_fmt(ctx, "r%d", i));
    }
    for (int i = 0; i < gr->tensors.n; i++) {
        r->tensors.at[i] = gr->tensors.at[i];
        r->tensors.at[i].tensor = renamed(ctx, gr->tensors.at[i].tensor, sym_fmt(ctx, "t%d", i));
    }
    return r;
}
