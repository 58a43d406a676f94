/* Diagnostics: source files, places, collecting and ordering, near names. Text is made in diag_render.c. */
#include "diag_private.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    Severity severity;
    int number;
    const char *title, *explanation;
} codes[] = {
#define DIAG(number, e, severity, title, explanation) {severity, number, title, explanation},
#include "diags.def"
#undef DIAG
};

Severity diag_severity(DiagCode code) { return codes[code].severity; }
const char *diag_title(DiagCode code) { return codes[code].title; }
const char *diag_explanation(DiagCode code) { return codes[code].explanation; }
int diag_number(DiagCode code) { return codes[code].number; }
int diag_code_class(DiagCode code) { return codes[code].number / 100; }
const char *diag_code_text(Ctx *ctx, DiagCode code) {
    return sym_fmt(ctx, "%c%04d", codes[code].severity == SEV_ERROR ? 'E' : 'W', codes[code].number);
}

/* Reports outlive temporary memory: all of them are the root's. */
static struct Diags *sink(Ctx *ctx) {
    ctx = ctx->root;
    if (!ctx->diags) {
        ctx->diags = NEW(ctx, struct Diags);
        ctx->diags->limit = 50;
    }
    return ctx->diags;
}

/* ---- source files ---- */

int diag_add_file(Ctx *ctx, const char *name, const char *text, size_t n) {
    struct Diags *ds = sink(ctx);
    ctx = ctx->root;
    if (n > UINT32_MAX - 1) n = UINT32_MAX - 1; /* a place is 32 bits; the parser refuses long before */
    char *copy = ctx_alloc(ctx, n + 1);
    if (n) memcpy(copy, text, n);
    SourceFile f = {.name = sym(ctx, name), .text = copy, .n = n};
    vec_push(ctx, &ds->files, f);
    return ds->files.n - 1;
}

static int diag_file_count(const Ctx *ctx) { return ctx->root->diags ? ctx->root->diags->files.n : 0; }

SourceFile *diag_source(const Ctx *ctx, int file) {
    return file >= 0 && file < diag_file_count(ctx) ? &ctx->root->diags->files.at[file] : NULL;
}

const char *diag_file_name(const Ctx *ctx, int file) {
    const SourceFile *f = diag_source(ctx, file);
    return f ? f->name : "";
}

const char *diag_file_text(const Ctx *ctx, int file, size_t *n) {
    const SourceFile *f = diag_source(ctx, file);
    *n = f ? f->n : 0;
    return f ? f->text : "";
}

static void find_lines(Ctx *ctx, SourceFile *f) {
    vec_push(ctx, &f->lines, 0);
    for (size_t i = 0; i < f->n; i++)
        if (f->text[i] == '\n') vec_push(ctx, &f->lines, (uint32_t)(i + 1));
}

int diag_line_of(Ctx *ctx, SourceFile *f, uint32_t at) {
    if (f->lines.n == 0) find_lines(ctx, f);
    int lo = 0, hi = f->lines.n;
    while (hi - lo > 1) {
        int mid = lo + (hi - lo) / 2;
        if (f->lines.at[mid] <= at) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    return lo;
}

void diag_place(Ctx *ctx, int file, uint32_t at, int *line, int *col) {
    SourceFile *f = diag_source(ctx, file);
    *line = *col = 0;
    if (!f) return;
    if (at > f->n) at = (uint32_t)f->n;
    int l = diag_line_of(ctx, f, at);
    *line = l + 1;
    *col = 1;
    for (uint32_t i = f->lines.at[l]; i < at; i++)
        *col += (f->text[i] & 0xc0) != 0x80; /* not the inside of a character */
}

/* ---- reporting ---- */

static bool same_span(Span a, Span b) { return a.file == b.file && a.start == b.start && a.end == b.end; }

static bool reported(const struct Diags *ds, const Diag *d) {
    for (int i = 0; i < ds->list.n; i++) {
        const Diag *o = ds->list.at[i];
        if (o->code == d->code && same_span(o->span, d->span) && !strcmp(o->message, d->message)) return true;
    }
    return false;
}

static const char *format(Ctx *ctx, const char *fmt, va_list ap) {
    Text t = {.ctx = ctx};
    text_put(&t, "");
    text_vfmt(&t, fmt, ap);
    return t.s;
}

Diag *diag_report(Ctx *ctx, DiagCode code, Span span, const char *fmt, ...) {
    struct Diags *ds = sink(ctx);
    ctx = ctx->root;
    Severity s = diag_severity(code);
    if (s == SEV_PERF && !ds->perf) return &ds->dropped;
    int *count = s == SEV_ERROR ? &ds->errors : &ds->warnings;
    int *kept = s == SEV_ERROR ? &ds->kept_errors : &ds->kept_warnings;
    if (*kept >= ds->limit) {
        ++*count;
        return &ds->dropped;
    }
    Diag *d = NEW(ctx, Diag);
    va_list ap;
    va_start(ap, fmt);
    d->message = format(ctx, fmt, ap);
    va_end(ap);
    d->code = code;
    d->span = span;
    if (reported(ds, d)) return &ds->dropped;
    ++*count;
    ++*kept;
    d->order = ds->list.n;
    vec_push(ctx, &ds->list, d);
    ds->sorted = false;
    return d;
}

Diag *diag_nothing(Ctx *ctx) { return &sink(ctx)->dropped; }
void diag_moved(Diag *d) { d->moved = true; }

void diag_note(Ctx *ctx, Diag *d, Span span, const char *fmt, ...) {
    if (d == &sink(ctx)->dropped) return;
    ctx = ctx->root;
    va_list ap;
    va_start(ap, fmt);
    DiagNote n = {span, format(ctx, fmt, ap)};
    va_end(ap);
    vec_push(ctx, &d->notes, n);
}

static void add_help(Ctx *ctx, Diag *d, Span span, const char *text, const char *fmt, va_list ap) {
    if (d == &sink(ctx)->dropped) return;
    ctx = ctx->root;
    DiagHelp h = {.message = format(ctx, fmt, ap), .span = span, .text = text ? sym(ctx, text) : NULL};
    vec_push(ctx, &d->helps, h);
}

void diag_help(Ctx *ctx, Diag *d, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    if (!d->moved) add_help(ctx, d, SPAN_NONE, NULL, fmt, ap);
    va_end(ap);
}

void diag_advise(Ctx *ctx, Diag *d, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    add_help(ctx, d, SPAN_NONE, NULL, fmt, ap);
    va_end(ap);
}

void diag_fix(Ctx *ctx, Diag *d, Span span, const char *text, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    if (!d->moved) add_help(ctx, d, span, text, fmt, ap);
    va_end(ap);
}

void diag_suggest(Ctx *ctx, Diag *d, Span span, const char *name) {
    diag_fix(ctx, d, span, name, "did you mean %s?", name);
}

void diag_limit(Ctx *ctx, int n) { sink(ctx)->limit = n; }
void diag_perf(Ctx *ctx, bool on) { sink(ctx)->perf = on; }
bool diag_said(Ctx *ctx, DiagCode code, Span span) {
    const struct Diags *ds = sink(ctx);
    for (int i = 0; i < ds->list.n; i++)
        if (ds->list.at[i]->code == code && same_span(ds->list.at[i]->span, span)) return true;
    return false;
}

bool diag_wants_perf(const Ctx *ctx) { return ctx->root->diags && ctx->root->diags->perf; }
bool diag_full(Ctx *ctx) { return sink(ctx)->kept_errors >= sink(ctx)->limit; }
int diag_errors(const Ctx *ctx) { return ctx->root->diags ? ctx->root->diags->errors : 0; }
int diag_warnings(const Ctx *ctx) { return ctx->root->diags ? ctx->root->diags->warnings : 0; }

/* ---- reading ---- */

/* Places first to last; what has no place comes last. Total, because orders differ. */
static int compare(const void *pa, const void *pb) {
    const Diag *a = *(Diag *const *)pa, *b = *(Diag *const *)pb;
    if ((a->span.file < 0) != (b->span.file < 0)) return a->span.file < 0 ? 1 : -1;
    if (a->span.file != b->span.file) return a->span.file < b->span.file ? -1 : 1;
    if (a->span.start != b->span.start) return a->span.start < b->span.start ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

int diag_count(const Ctx *ctx) { return ctx->root->diags ? ctx->root->diags->list.n : 0; }

const Diag *diag_at(Ctx *ctx, int i) {
    struct Diags *ds = sink(ctx);
    if (!ds->sorted && ds->list.n > 1) qsort(ds->list.at, (size_t)ds->list.n, sizeof *ds->list.at, compare);
    ds->sorted = true;
    return ds->list.at[i];
}

DiagCode diag_code(const Diag *d) { return d->code; }
Span diag_span(const Diag *d) { return d->span; }
const char *diag_message(const Diag *d) { return d->message; }

/* ---- near names ---- */

enum { NEAR_MAX = 48 };

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

/* Edits (insert, delete, change, swap of neighbours) between a and b; a letter's case is no edit. */
static int distance(const char *a, int na, const char *b, int nb) {
    int rows[3][NEAR_MAX + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (int j = 0; j <= nb; j++) last[j] = j;
    for (int i = 1; i <= na; i++) {
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            bool eq = lower(a[i - 1]) == lower(b[j - 1]);
            int d = last[j - 1] + !eq;
            if (last[j] + 1 < d) d = last[j] + 1;
            if (row[j - 1] + 1 < d) d = row[j - 1] + 1;
            bool swap = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
            if (swap && before[j - 2] + 1 < d) d = before[j - 2] + 1;
            row[j] = d;
        }
        int *t = before;
        before = last;
        last = row;
        row = t;
    }
    return last[nb];
}

/* Whether one has the letters of the other, in another order: none is missing. */
static bool same_letters(const char *a, const char *b) {
    int n[UCHAR_MAX + 1] = {0}, others = 0;
    for (; *a; a++) n[(unsigned char)*a]++;
    for (; *b; b++) n[(unsigned char)*b]--;
    for (int i = 0; i <= UCHAR_MAX; i++) others += n[i] != 0;
    return !others;
}

const char *diag_near(const char *name, const char *const *candidates, int n) {
    size_t len = strlen(name);
    if (len == 0 || len > NEAR_MAX) return NULL;
    int best = (int)len / 3 + (len > 1) + 1; /* fewer edits than this */
    if (best > 4) best = 4;
    const char *found = NULL;
    for (int i = 0; i < n; i++) {
        size_t m = candidates[i] ? strlen(candidates[i]) : 0;
        if (m == 0 || m > NEAR_MAX || !strcmp(candidates[i], name)) continue;
        int d = distance(name, (int)len, candidates[i], (int)m);
        const bool closer = found && d == best && same_letters(name, candidates[i]) && !same_letters(name, found);
        if ((d >= best && !closer) || d >= (int)len) continue;
        best = d;
        found = candidates[i];
    }
    return found;
}
