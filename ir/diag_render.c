/* Diagnostics as text with the source line and a caret, as JSON, and the explanations of codes. Source bytes are shown
 * so that no file can upset a terminal: tabs as spaces, control characters and broken UTF-8 as `?`. */
#include "diag_private.h"

#include <stdlib.h>
#include <string.h>

extern const char *const diag_examples_lines[];
extern const int diag_examples_nlines;

enum { TAB_COLUMNS = 4, SHOWN_COLUMNS = 160, SHOWN_BEFORE = 100 };

static const char *severity_word(Severity s) {
    return s == SEV_ERROR ? "error" : s == SEV_WARNING ? "warning" : "perf";
}

/* Bytes of the character at s, 1 where they are broken; *ok says which. */
static int char_len(const char *s, const char *end, bool *ok) {
    unsigned char c = (unsigned char)*s;
    *ok = c >= 0x20 && c != 0x7f;
    if (c < 0x80) return 1;
    int n = c >= 0xf0 && c <= 0xf4 ? 4 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xc2 && c < 0xe0 ? 2 : 0;
    *ok = n > 0 && end - s >= n;
    for (int i = 1; *ok && i < n; i++) *ok = ((unsigned char)s[i] & 0xc0) == 0x80;
    if (*ok && n == 3) *ok = !(c == 0xe0 && (unsigned char)s[1] < 0xa0) && !(c == 0xed && (unsigned char)s[1] > 0x9f);
    if (*ok && n == 4) *ok = !(c == 0xf0 && (unsigned char)s[1] < 0x90) && !(c == 0xf4 && (unsigned char)s[1] > 0x8f);
    if (*ok && n == 2 && c == 0xc2 && (unsigned char)s[1] < 0xa0) *ok = false; /* C1 controls */
    return *ok ? n : 1;
}

/* Columns that a terminal gives the character: two for East Asian and pictures, none for combining marks. */
static int char_width(const char *s, int len) {
    uint32_t c = (unsigned char)*s;
    if (len == 1) return 1;
    c &= 0x7fu >> len;
    for (int i = 1; i < len; i++) c = c << 6 | ((unsigned char)s[i] & 0x3f);
    static const uint32_t wide[][2] = {{0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},
                                       {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (c >= wide[i][0] && c <= wide[i][1]) return 2;
    return c >= 0x300 && c <= 0x36f ? 0 : 1;
}

static void put_clean(Text *out, const char *s, size_t n) {
    const char *end = s + n;
    bool ok;
    for (int k; s < end; s += k) {
        k = char_len(s, end, &ok);
        if (ok) {
            text_put_n(out, s, (size_t)k);
        } else {
            text_char(out, *s == '\n' ? '\n' : *s == '\t' ? ' ' : '?');
        }
    }
}

/* One source line with the caret line below it; long lines are cut around the caret. */
static void put_source(Ctx *ctx, Text *out, SourceFile *f, Span span, const char *on, const char *off) {
    int l = diag_line_of(ctx, f, span.start < f->n ? span.start : (uint32_t)f->n);
    const char *text = f->text + f->lines.at[l], *file_end = f->text + f->n;
    const char *at = f->text + (span.start < f->n ? span.start : f->n),
               *to = f->text + (span.end < f->n ? span.end : f->n);
    const char *end = memchr(text, '\n', (size_t)(file_end - text));
    if (!end) end = file_end;
    if (end > text && end[-1] == '\r') end--;
    bool cut = at - text > SHOWN_COLUMNS - 20;
    if (cut) text = at - SHOWN_BEFORE;
    while (cut && text < at && ((unsigned char)*text & 0xc0) == 0x80) text++;

    Text line = {.ctx = ctx}, caret = {.ctx = ctx};
    text_put(&caret, "");
    text_put(&line, cut ? "…" : "");
    if (cut) text_char(&caret, ' ');
    int columns = 0;
    bool more = false, ok;
    for (const char *s = text; s < end; columns++) {
        if (columns >= SHOWN_COLUMNS) {
            more = true;
            break;
        }
        int k = char_len(s, end, &ok), width = *s == '\t' ? TAB_COLUMNS : ok ? char_width(s, k) : 1;
        char mark = s >= at && (s < to || s == at) ? '^' : ' ';
        if (*s == '\t') {
            text_put(&line, "    ");
        } else if (ok) {
            text_put_n(&line, s, (size_t)k);
        } else {
            text_char(&line, '?');
        }
        for (int i = 0; i < width; i++) text_char(&caret, mark);
        s += k;
    }
    if (at >= end && !more) text_char(&caret, '^');
    while (caret.n && caret.s[caret.n - 1] == ' ') caret.s[--caret.n] = 0;
    text_fmt(out, "%5d | %s%s\n      | %s%s%s\n", l + 1, line.s, more ? "…" : "", on, caret.s, off);
}

static void put_place(Ctx *ctx, Text *out, Span span) {
    int line, col;
    if (span.file < 0) return;
    diag_place(ctx, span.file, span.start, &line, &col);
    put_clean(out, diag_file_name(ctx, span.file), strlen(diag_file_name(ctx, span.file)));
    if (line) text_fmt(out, ":%d:%d: ", line, col);
}

static void put_diag(Ctx *ctx, Text *out, const Diag *d, bool colour) {
    Severity s = diag_severity(d->code);
    const char *bold = colour ? "\x1b[1m" : "", *off = colour ? "\x1b[0m" : "";
    const char *hue = !colour ? "" : s == SEV_ERROR ? "\x1b[1;31m" : s == SEV_WARNING ? "\x1b[1;35m" : "\x1b[1;36m";
    text_put(out, bold);
    put_place(ctx, out, d->span);
    text_fmt(out, "%s%s%s[%s]:%s%s ", off, hue, severity_word(s), diag_code_text(ctx, d->code), off, bold);
    put_clean(out, d->message, strlen(d->message));
    text_fmt(out, "%s\n", off);
    SourceFile *f = diag_source(ctx, d->span.file);
    if (f) put_source(ctx, out, f, d->span, hue, off);
    for (int i = 0; i < d->notes.n; i++) {
        const DiagNote *n = &d->notes.at[i];
        put_place(ctx, out, n->span);
        text_fmt(out, "%snote:%s ", bold, off);
        put_clean(out, n->message, strlen(n->message));
        text_char(out, '\n');
        f = diag_source(ctx, n->span.file);
        if (f) put_source(ctx, out, f, n->span, bold, off);
    }
    for (int i = 0; i < d->helps.n; i++) {
        text_fmt(out, "      = %shelp:%s ", bold, off);
        put_clean(out, d->helps.at[i].message, strlen(d->helps.at[i].message));
        text_char(out, '\n');
    }
}

/* One line that names each code of an error once. */
static void put_explain(Ctx *ctx, Text *out) {
    bool said[DIAG_COUNT] = {false};
    int n = 0;
    Text codes = {.ctx = ctx};
    for (int i = 0; i < diag_count(ctx); i++) {
        DiagCode code = diag_code(diag_at(ctx, i));
        if (diag_severity(code) != SEV_ERROR || said[code]) continue;
        said[code] = true;
        text_fmt(&codes, "%s%s", n++ ? "," : "", diag_code_text(ctx, code));
    }
    if (n) text_fmt(out, "more about %s: tdc --explain %s\n", n > 1 ? "these errors" : "this error", codes.s);
}

void diag_render(Ctx *ctx, Text *out, bool colour) {
    text_put(out, "");
    for (int i = 0; i < diag_count(ctx); i++) put_diag(ctx, out, diag_at(ctx, i), colour);
    if (!ctx->diags) return;
    int errors = ctx->diags->errors - ctx->diags->kept_errors,
        warnings = ctx->diags->warnings - ctx->diags->kept_warnings;
    if (errors > 0) text_fmt(out, "and %d more error%s\n", errors, errors > 1 ? "s" : "");
    if (warnings > 0) text_fmt(out, "and %d more warning%s\n", warnings, warnings > 1 ? "s" : "");
    put_explain(ctx, out);
}

/* ---- JSON ---- */

void diag_json_string(Text *out, const char *s) {
    const char *end = s + strlen(s);
    bool ok;
    text_char(out, '"');
    for (int k; s < end; s += k) {
        k = 0;
        while (s[k] >= ' ' && s[k] < 127 && s[k] != '"' && s[k] != '\\') k++;
        text_put_n(out, s, (size_t)k);
        s += k;
        if (s == end) break;
        k = char_len(s, end, &ok);
        if (*s == '"' || *s == '\\') {
            text_char(out, '\\');
            text_char(out, *s);
        } else if (*s == '\n') {
            text_put(out, "\\n");
        } else if (*s == '\t') {
            text_put(out, "\\t");
        } else if (ok) {
            text_put_n(out, s, (size_t)k);
        } else {
            text_put(out, "\\ufffd");
        }
    }
    text_char(out, '"');
}

static void json_span(Ctx *ctx, Text *out, Span span) {
    if (!diag_source(ctx, span.file)) {
        text_put(out, "\"file\": null");
        return;
    }
    int line, col, end_line, end_col;
    diag_place(ctx, span.file, span.start, &line, &col);
    diag_place(ctx, span.file, span.end, &end_line, &end_col);
    text_put(out, "\"file\": ");
    diag_json_string(out, diag_file_name(ctx, span.file));
    text_fmt(out, ", \"line\": %d, \"column\": %d, \"end_line\": %d, \"end_column\": %d", line, col, end_line, end_col);
}

void diag_render_json(Ctx *ctx, Text *out) {
    text_put(out, "[");
    for (int i = 0; i < diag_count(ctx); i++) {
        const Diag *d = diag_at(ctx, i);
        text_fmt(out, "%s\n  {", i ? "," : "");
        json_span(ctx, out, d->span);
        text_fmt(out, ", \"severity\": \"%s\", \"code\": \"%s\", \"message\": ", severity_word(diag_severity(d->code)),
                 diag_code_text(ctx, d->code));
        diag_json_string(out, d->message);
        text_put(out, ", \"notes\": [");
        for (int k = 0; k < d->notes.n; k++) {
            text_put(out, k ? ", {" : "{");
            json_span(ctx, out, d->notes.at[k].span);
            text_put(out, ", \"message\": ");
            diag_json_string(out, d->notes.at[k].message);
            text_char(out, '}');
        }
        text_put(out, "], \"help\": [");
        for (int k = 0; k < d->helps.n; k++) {
            const DiagHelp *h = &d->helps.at[k];
            text_put(out, k ? ", {\"message\": " : "{\"message\": ");
            diag_json_string(out, h->message);
            if (h->text) {
                text_put(out, ", \"fix\": {");
                json_span(ctx, out, h->span);
                text_put(out, ", \"text\": ");
                diag_json_string(out, h->text);
                text_char(out, '}');
            }
            text_char(out, '}');
        }
        text_put(out, "]}");
    }
    text_put(out, diag_count(ctx) ? "\n]\n" : "]\n");
}

/* ---- explanations ---- */

/* The examples of a code in ir/diag_examples.txt, which travels in tdc: what stands under `== CODE ...` and `== right`.
 */
static void put_examples(Text *out, const char *code) {
    bool in = false;
    for (int i = 0; i < diag_examples_nlines; i++) {
        const char *line = diag_examples_lines[i];
        bool head = !strncmp(line, "== ", 3), right = head && !strcmp(line + 3, "right");
        if (head && !right) in = !strncmp(line + 3, code, strlen(code));
        if (!in) continue;
        if (head)
            text_put(out, right ? "\nright:\n" : "\nwrong:\n");
        else if (*line)
            text_fmt(out, "    %s\n", line);
    }
}

bool diag_explain(Text *out, const char *code) {
    if (strchr("EeWw", *code) && *code) code++;
    char *end;
    long number = strtol(code, &end, 10);
    if (end == code || *end) return false;
    for (int i = 0; i < DIAG_COUNT; i++) {
        DiagCode c = (DiagCode)i;
        if (diag_number(c) != number) continue;
        text_fmt(out, "%s: %s\n\n%s\n", diag_code_text(out->ctx, c), diag_title(c), diag_explanation(c));
        put_examples(out, diag_code_text(out->ctx, c));
        return true;
    }
    return false;
}

void diag_list(Text *out) {
    for (int i = 0; i < DIAG_COUNT; i++)
        text_fmt(out, "%s %s\n", diag_code_text(out->ctx, (DiagCode)i), diag_title((DiagCode)i));
}
