/* Lines of tuning files for schedules: what they say, in text and in order. What a form is, and whether a schedule is
 * legal for it, nobody knows here (sched/search/tuned.c). A line is
 *   schedule machine=NAME form=HEX at=LENGTH,... [when CONDITION] : SCHEDULE [| SCHEDULE] [# comment]
 * where axes are called by their numbers, i0, i1, ..., and stand for their lengths in the condition, a list of
 * comparisons joined by &&. */
#include "tuning.h"

#include "ir/diag.h"
#include "ir/expr_text.h"

#include <stdlib.h>
#include <string.h>

enum { FORM_DIGITS = 16 };

/* ---- printing ---- */

const char *tuning_machine_name(int machine) {
    return machine == TUNE_EMU ? TUNE_EMU_NAME : target_table[machine].device;
}

bool tuning_is_any(const TuneLength *l) { return l->lo <= 0 && l->hi == INT64_MAX && l->divisor <= 1; }

static void print_length(Text *out, int axis, const TuneLength *l, bool *first) {
    const struct {
        bool is;
        const char *op;
        int64_t v;
    } bounds[] = {{l->lo == l->hi, "==", l->lo},
                  {l->lo > 0 && l->lo < l->hi, ">=", l->lo},
                  {l->hi < INT64_MAX && l->lo < l->hi, "<=", l->hi}};
    for (int i = 0; i < 3; i++)
        if (bounds[i].is) {
            text_fmt(out, "%s i%d %s %lld", *first ? " when" : " &&", axis, bounds[i].op, (long long)bounds[i].v);
            *first = false;
        }
    if (l->divisor <= 1 || l->lo == l->hi) return;
    text_fmt(out, "%s i%d %% %lld %s 0", *first ? " when" : " &&", axis, (long long)l->divisor,
             l->multiple ? "==" : "!=");
    *first = false;
}

void tuning_print_schedule(Text *out, const TuneSchedule *e) {
    bool first = true;
    text_fmt(out, "schedule machine=%s form=%0*llx at=", tuning_machine_name(e->machine), FORM_DIGITS,
             (unsigned long long)e->form);
    for (int a = 0; a < e->naxes; a++) text_fmt(out, "%s%lld", a ? "," : "", (long long)e->at[a]);
    for (int a = 0; a < e->naxes; a++) print_length(out, a, &e->length[a], &first);
    for (int i = 0; i < e->n; i++) text_fmt(out, " %s %s", i ? "|" : ":", e->text[i]);
}

/* ---- order ---- */

int tuning_compare_schedules(const TuneSchedule *a, const TuneSchedule *b) {
    if (a->machine != b->machine) return a->machine < b->machine ? -1 : 1;
    if (a->form != b->form) return a->form < b->form ? -1 : 1;
    if (a->naxes != b->naxes) return a->naxes < b->naxes ? -1 : 1;
    for (int i = 0; i < a->naxes; i++)
        if (a->at[i] != b->at[i]) return a->at[i] < b->at[i] ? -1 : 1;
    return 0;
}

static int by_place(const void *a, const void *b) {
    const TuneSchedule *x = a, *y = b;
    const int c = tuning_compare_schedules(x, y);
    return c ? c : x->span.start < y->span.start ? -1 : x->span.start > y->span.start;
}

bool tuning_sort_schedules(Tuning *t) {
    bool ok = true;
    if (t->schedules.n) qsort(t->schedules.at, (size_t)t->schedules.n, sizeof *t->schedules.at, by_place);
    for (int i = 1; i < t->schedules.n; i++) {
        const TuneSchedule *a = &t->schedules.at[i - 1], *b = &t->schedules.at[i];
        if (tuning_compare_schedules(a, b) != 0) continue;
        Diag *d = diag_report(t->ctx, DIAG_TUNING_TWICE, b->span, "a second line for the same form at these lengths");
        diag_note(t->ctx, d, a->span, "the first one");
        ok = false;
    }
    return ok;
}

TuneSchedule *tuning_find_schedule(const Tuning *t, const TuneSchedule *like) {
    for (int i = 0; i < t->schedules.n; i++)
        if (!tuning_compare_schedules(&t->schedules.at[i], like)) return &t->schedules.at[i];
    return NULL;
}

void tuning_set_schedule(Tuning *t, const TuneSchedule *e) {
    TuneSchedule *old = tuning_find_schedule(t, e);
    if (old) {
        const Sym before = old->before;
        *old = *e;
        old->before = before;
        return;
    }
    int at = t->schedules.n;
    vec_push(t->ctx, &t->schedules, *e);
    for (; at > 0 && tuning_compare_schedules(&t->schedules.at[at - 1], e) > 0; at--)
        t->schedules.at[at] = t->schedules.at[at - 1];
    t->schedules.at[at] = *e;
}

void tuning_remove_schedule(Tuning *t, const TuneSchedule *like) {
    const TuneSchedule *e = tuning_find_schedule(t, like);
    if (!e) return;
    const int at = (int)(e - t->schedules.at);
    Sym *next = at + 1 < t->schedules.n ? &t->schedules.at[at + 1].before : &t->tail;
    if (e->before) *next = *next ? sym_fmt(t->ctx, "%s%s", e->before, *next) : e->before;
    for (int i = at; i + 1 < t->schedules.n; i++) t->schedules.at[i] = t->schedules.at[i + 1];
    t->schedules.n--;
}

/* ---- reading ---- */

typedef struct LineReader {
    Ctx *ctx;
    Span line;
    const char *text; /* where the line begins */
    TuneSchedule *e;
} LineReader;

static Span span_at(const LineReader *r, const char *s, size_t n) {
    const uint32_t at = r->line.start + (uint32_t)(s - r->text);
    return (Span){r->line.file, at, at + (uint32_t)n};
}

static bool bad(const LineReader *r, DiagCode code, const char *s, size_t n, const char *why) {
    Diag *d = diag_report(r->ctx, code, span_at(r, s, n), "%s", why);
    diag_help(r->ctx, d,
              "lines are schedule machine=NAME form=HEX at=LENGTHS when CONDITION : SCHEDULE, as tdc tune "
              "writes them");
    return false;
}

static bool blank(char c) { return c == ' ' || c == '\t'; }

static bool read_machine(LineReader *r, const char *s, size_t n) {
    for (int i = 0; i <= TUNE_EMU; i++) {
        const char *name = tuning_machine_name(i);
        if (strlen(name) != n || memcmp(name, s, n) != 0) continue;
        r->e->machine = i;
        return true;
    }
    Text all = {.ctx = r->ctx};
    for (int i = 0; i <= TUNE_EMU; i++) text_fmt(&all, "%s%s", i ? ", " : "", tuning_machine_name(i));
    return bad(r, DIAG_TUNING_VALUE, s, n, sym_fmt(r->ctx, "machine is one of %s, not '%.*s'", all.s, (int)n, s));
}

static bool read_form(LineReader *r, const char *s, size_t n) {
    bool ok = n == FORM_DIGITS;
    r->e->form = 0;
    for (size_t i = 0; i < n && ok; i++) {
        const char *digits = "0123456789abcdef", *at = s[i] ? strchr(digits, s[i]) : NULL;
        ok = at != NULL;
        if (ok) r->e->form = r->e->form << 4 | (uint64_t)(at - digits);
    }
    return ok || bad(r, DIAG_TUNING_VALUE, s, n,
                     sym_fmt(r->ctx, "form is %d digits 0 to 9 and a to f, not '%.*s'", FORM_DIGITS, (int)n, s));
}

static bool read_lengths(LineReader *r, const char *s, size_t n) {
    const char *why = "at is a list of lengths, one an axis: at=4096,1024";
    for (size_t i = 0; i < n; i++) {
        int64_t v = 0;
        const size_t from = i;
        for (; i < n && s[i] >= '0' && s[i] <= '9'; i++)
            if (!mul_ok(v, 10, &v) || !add_ok(v, s[i] - '0', &v)) return bad(r, DIAG_TUNING_VALUE, s, n, why);
        if (i == from || (i < n && s[i] != ',') || i + 1 == n || r->e->naxes == TUNE_AXES)
            return bad(r, DIAG_TUNING_VALUE, s, n, why);
        r->e->length[r->e->naxes] = (TuneLength){.hi = INT64_MAX, .divisor = 1};
        r->e->at[r->e->naxes++] = v;
    }
    return r->e->naxes > 0 || bad(r, DIAG_TUNING_VALUE, s, n, why);
}

/* i0 >= 96, i0 % 8 == 0: one comparison; false after failing. */
static bool read_comparison(LineReader *r, Lex *x) {
    const LexToken name = x->tok;
    const Sym axis = lex_name(x);
    char *end = NULL;
    const long a = axis[0] == 'i' && axis[1] ? strtol(axis + 1, &end, 10) : -1;
    if (!end || *end || a < 0 || a >= r->e->naxes) {
        lex_fail(x, name.span, "no axis %s: those of at=... are i0 to i%d", axis, r->e->naxes - 1);
        return false;
    }
    TuneLength *l = &r->e->length[a];
    const LexToken op = x->tok;
    lex_next(x);
    const int64_t v = lex_int(x);
    if (op.kind == LEX_PUNCT && !strcmp(op.text, "%")) {
        const bool multiple = lex_is(x, "==");
        if (v < 2 || l->divisor > 1) lex_fail(x, op.span, "one divisor, above 1");
        if (!multiple && !lex_is(x, "!=")) lex_fail(x, x->tok.span, "expected == 0 or != 0");
        lex_next(x);
        if (lex_int(x) != 0) lex_fail(x, op.span, "expected == 0 or != 0");
        l->divisor = v;
        l->multiple = multiple;
    } else if (op.kind != LEX_PUNCT || (strcmp(op.text, "==") && strcmp(op.text, ">=") && strcmp(op.text, "<="))) {
        lex_fail(x, op.span, "expected ==, >=, <= or %%");
    } else {
        if (op.text[0] != '<' && v > l->lo) l->lo = v;
        if (op.text[0] != '>' && v < l->hi) l->hi = v;
    }
    if (l->lo > l->hi) lex_fail(x, name.span, "no length of %s is so", axis);
    return !x->failed;
}

static bool read_condition(LineReader *r, const char *s, size_t n) {
    Lex x;
    lex_init(&x, r->ctx, s, n, -1);
    while (read_comparison(r, &x) && lex_accept(&x, "&&")) {
    }
    if (!x.failed && x.tok.kind != LEX_END) lex_fail(&x, x.tok.span, "expected && or :");
    if (!x.failed) return true;
    const bool all = x.where.end <= x.where.start;
    return bad(r, DIAG_TUNING_VALUE, s + (all ? 0 : x.where.start), all ? n : x.where.end - x.where.start, x.why);
}

/* What stands before the colon, behind the first word. */
static bool read_words(LineReader *r, const char *s, size_t n) {
    static const char *const NAMES[] = {"machine=", "form=", "at="};
    bool (*const readers[])(LineReader *, const char *, size_t) = {read_machine, read_form, read_lengths};
    bool given[3] = {false};
    size_t at = 0;
    for (;;) {
        while (at < n && blank(s[at])) at++;
        size_t end = at;
        while (end < n && !blank(s[end])) end++;
        const char *w = s + at;
        const size_t len = end - at;
        if (!len || (len == 4 && !memcmp(w, "when", 4))) break;
        int k = 0;
        while (k < 3 && (len < strlen(NAMES[k]) || memcmp(w, NAMES[k], strlen(NAMES[k])) != 0)) k++;
        if (k == 3 || given[k])
            return bad(r, DIAG_TUNING_TEXT, w, len,
                       sym_fmt(r->ctx, k == 3 ? "no word of a line for a schedule is '%.*s'" : "'%.*s' is given twice",
                               (int)len, w));
        given[k] = true;
        if (!readers[k](r, w + strlen(NAMES[k]), len - strlen(NAMES[k]))) return false;
        at = end;
    }
    for (int k = 0; k < 3; k++)
        if (!given[k])
            return bad(r, DIAG_TUNING_TEXT, r->text, r->line.end - r->line.start,
                       sym_fmt(r->ctx, "the line lacks %s...", NAMES[k]));
    return at == n || read_condition(r, s + at + 4, n - at - 4);
}

/* What stands behind the colon. Whether it is a schedule is known where the group is. */
static bool read_texts(LineReader *r, const char *s, size_t n) {
    for (size_t at = 0; at <= n; at++) {
        size_t from = at, to;
        while (at < n && s[at] != '|') at++;
        for (to = at; to > from && blank(s[to - 1]); to--) {
        }
        while (from < to && blank(s[from])) from++;
        if (from == to || r->e->n == TUNE_TOGETHER)
            return bad(r, DIAG_TUNING_TEXT, s, n, "behind the colon stands a schedule, or two with a | between them");
        r->e->text[r->e->n++] = sym_n(r->ctx, s + from, to - from);
    }
    return true;
}

bool tuning_read_schedule(Ctx *ctx, Span line, const char *s, size_t n, TuneSchedule *e) {
    LineReader r = {.ctx = ctx, .line = line, .text = s, .e = e};
    const char *colon = memchr(s, ':', n);
    const size_t word = strlen("schedule");
    e->span = line;
    if (!colon) return bad(&r, DIAG_TUNING_TEXT, s, n, "the line lacks a colon with a schedule behind it");
    return read_words(&r, s + word, (size_t)(colon - s) - word) &&
           read_texts(&r, colon + 1, n - (size_t)(colon + 1 - s));
}
