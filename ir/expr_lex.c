/* The tokenizer of Graph text, kernel text and rules. Any bytes are tokens or a failure. */
#include "expr_text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool name_start(int c) { return isalpha(c) || c == '_'; }
static bool name_part(int c) { return isalnum(c) || c == '_'; }

static int byte_at(const Lex *x, size_t i) { return i < x->n ? (unsigned char)x->text[i] : 0; }

static Span span_from(const Lex *x, size_t start) {
    return (Span){x->file, (uint32_t)start, (uint32_t)(x->at > start ? x->at : start)};
}

void lex_fail(Lex *x, Span at, const char *fmt, ...) {
    if (x->failed) return;
    Text t = {.ctx = x->ctx};
    va_list ap;
    va_start(ap, fmt);
    text_vfmt(&t, fmt, ap);
    va_end(ap);
    x->failed = true;
    x->where = at;
    x->why = t.s ? t.s : "";
    x->at = x->n;
    x->tok = (LexToken){.kind = LEX_END, .text = sym(x->ctx, ""), .span = at};
}

bool lex_report(const Lex *x, DiagCode code) {
    if (x->failed) diag_report(x->ctx, code, x->where, "%s", x->why);
    return !x->failed;
}

static void skip_space(Lex *x) {
    for (;;) {
        int c = byte_at(x, x->at);
        if (x->at < x->n && isspace(c)) {
            x->at++;
        } else if (c == '/' && byte_at(x, x->at + 1) == '/') {
            while (x->at < x->n && x->text[x->at] != '\n') x->at++;
        } else {
            return;
        }
    }
}

static void lex_digits(Lex *x, size_t start) {
    if (byte_at(x, start) == '0' && (byte_at(x, start + 1) | 32) == 'x') {
        x->at = start + 2;
        while (isxdigit(byte_at(x, x->at))) x->at++;
    } else {
        while (isdigit(byte_at(x, x->at))) x->at++;
        if (byte_at(x, x->at) == '.' && isdigit(byte_at(x, x->at + 1))) {
            x->tok.kind = LEX_FLOAT;
            x->at++;
            while (isdigit(byte_at(x, x->at))) x->at++;
        }
        size_t e = x->at + 1;
        if ((byte_at(x, x->at) | 32) == 'e') {
            if (byte_at(x, e) == '+' || byte_at(x, e) == '-') e++;
            if (isdigit(byte_at(x, e))) {
                x->tok.kind = LEX_FLOAT;
                x->at = e;
                while (isdigit(byte_at(x, x->at))) x->at++;
            }
        }
    }
    x->tok.span = span_from(x, start);
    if (name_part(byte_at(x, x->at)) || x->at - start > 400 || x->at == start) {
        lex_fail(x, x->tok.span, "malformed number");
        return;
    }
    char b[512];
    memcpy(b, x->text + start, x->at - start);
    b[x->at - start] = 0;
    errno = 0;
    if (x->tok.kind == LEX_FLOAT) {
        x->tok.f = strtod(b, NULL);
    } else {
        x->tok.i = strtoull(b, NULL, 0);
        if (b[0] == '0' && isdigit((unsigned char)b[1])) x->tok.i = strtoull(b, NULL, 10);
        if (errno == ERANGE) lex_fail(x, x->tok.span, "the integer is too large");
    }
}

static void lex_quoted(Lex *x, size_t start) {
    Text t = {.ctx = x->ctx};
    x->at = start + 1;
    while (x->at < x->n && x->text[x->at] != '"' && x->text[x->at] != '\n') {
        char c = x->text[x->at++];
        if (c == '\\' && x->at < x->n) {
            c = x->text[x->at++];
            if (c == 'n') c = '\n';
        }
        text_char(&t, c);
    }
    if (byte_at(x, x->at) != '"') {
        lex_fail(x, span_from(x, start), "the string does not end on its line");
        return;
    }
    x->at++;
    x->tok.kind = LEX_STRING;
    x->tok.text = sym_n(x->ctx, t.s ? t.s : "", t.n);
    x->tok.span = span_from(x, start);
}

static void lex_punct(Lex *x, size_t start) {
    static const char *const marks[] = {"..=", "..", "->", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "**"};
    size_t len = 1;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t n = strlen(marks[i]);
        if (n <= x->n - start && !memcmp(x->text + start, marks[i], n)) {
            len = n;
            break;
        }
    }
    x->at = start + len;
    x->tok.kind = LEX_PUNCT;
    x->tok.span = span_from(x, start);
    int c = byte_at(x, start);
    if (len == 1 && !(c && strchr("+-*/%<>=!&|^()[]{},:;.'#~?@", c))) {
        lex_fail(x, x->tok.span, "unexpected character");
        return;
    }
    x->tok.text = sym_n(x->ctx, x->text + start, len);
}

void lex_next(Lex *x) {
    if (x->failed) return;
    skip_space(x);
    size_t start = x->at;
    x->tok = (LexToken){.kind = LEX_END, .text = sym(x->ctx, ""), .span = span_from(x, start)};
    if (start >= x->n) return;
    int c = byte_at(x, start);
    if (name_start(c)) {
        while (name_part(byte_at(x, x->at))) x->at++;
        x->tok.kind = LEX_NAME;
        x->tok.text = sym_n(x->ctx, x->text + start, x->at - start);
        x->tok.span = span_from(x, start);
    } else if (isdigit(c)) {
        x->tok.kind = LEX_INT;
        lex_digits(x, start);
    } else if (c == '"') {
        lex_quoted(x, start);
    } else {
        lex_punct(x, start);
    }
}

void lex_init(Lex *x, Ctx *ctx, const char *text, size_t n, int file) {
    *x = (Lex){.ctx = ctx, .text = text, .n = n, .file = file, .where = SPAN_NONE};
    x->tok.text = sym(ctx, "");
    x->tok.span = SPAN_NONE;
    if (n > INT32_MAX)
        lex_fail(x, SPAN_NONE, "the text is too long");
    else
        lex_next(x);
}

bool lex_is(const Lex *x, const char *text) {
    return (x->tok.kind == LEX_NAME || x->tok.kind == LEX_PUNCT) && !strcmp(x->tok.text, text);
}

bool lex_peek_is(const Lex *x, const char *text) {
    Lex y = *x;
    lex_next(&y);
    return lex_is(&y, text);
}

LexKind lex_peek_kind(const Lex *x) {
    Lex y = *x;
    lex_next(&y);
    return y.tok.kind;
}

bool lex_accept(Lex *x, const char *text) {
    if (!lex_is(x, text)) return false;
    lex_next(x);
    return true;
}

bool lex_expect(Lex *x, const char *text) {
    if (lex_accept(x, text)) return true;
    lex_fail(x, x->tok.span, "expected '%s'", text);
    return false;
}

Sym lex_name(Lex *x) {
    Sym s = x->tok.text;
    if (x->tok.kind == LEX_NAME) {
        lex_next(x);
        return s;
    }
    lex_fail(x, x->tok.span, "expected a name");
    return sym(x->ctx, "");
}

int64_t lex_int(Lex *x) {
    bool negative = lex_accept(x, "-");
    uint64_t v = x->tok.i;
    if (x->tok.kind != LEX_INT) {
        lex_fail(x, x->tok.span, "expected an integer");
        return 0;
    }
    if (v > (uint64_t)INT64_MAX + negative) {
        lex_fail(x, x->tok.span, "the integer is too large");
        return 0;
    }
    lex_next(x);
    return (int64_t)(negative ? 0 - v : v);
}

double lex_number(Lex *x) {
    bool negative = lex_accept(x, "-");
    double v = 0;
    if (x->tok.kind == LEX_FLOAT)
        v = x->tok.f;
    else if (x->tok.kind == LEX_INT)
        v = (double)x->tok.i;
    else if (lex_is(x, "inf"))
        v = (double)INFINITY;
    else if (lex_is(x, "nan"))
        v = (double)NAN;
    else
        lex_fail(x, x->tok.span, "expected a number");
    lex_next(x);
    return negative ? -v : v;
}

Sym lex_string(Lex *x) {
    Sym s = x->tok.text;
    if (x->tok.kind == LEX_STRING) {
        lex_next(x);
        return s;
    }
    lex_fail(x, x->tok.span, "expected a string");
    return sym(x->ctx, "");
}

Type lex_type(Lex *x) {
    Type t = TY_F32;
    if (x->tok.kind == LEX_NAME && type_by_name(x->tok.text, &t))
        lex_next(x);
    else
        lex_fail(x, x->tok.span, "expected a type");
    return t;
}

/* ---- options ---- */

void options_read(Lex *x, Options *s) {
    Span at = x->tok.span;
    Option o;
    Sym name = lex_name(x);
    if (!option_find(name, &o)) {
        lex_fail(x, at, "there is no option '%s'", name);
        return;
    }
    lex_expect(x, "=");
    at = x->tok.span;
    Sym value = lex_name(x);
    if (!x->failed && (!option_choose(s, o, value) || option_later(s, o)))
        lex_fail(x, at, "option %s is %s", name, option_values(x->ctx, o));
}
