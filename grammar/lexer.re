/* Tokens of td, for re2c. Whatever is no token is reported here and skipped, so that the parser sees tokens only. */
#include "frontend/ast/ast_build.h"
#include "frontend/ast/foreign.h"
#include "grammar/parser.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static Span span_of(const Parse *p, const unsigned char *from, const unsigned char *to) {
    return (Span){p->file, (uint32_t)(from - p->text), (uint32_t)(to - p->text)};
}

/* Bytes of the UTF-8 character at s; 0 where the bytes are none. */
static int utf8_len(const unsigned char *s, const unsigned char *end) {
    unsigned c = *s;
    if (c < 0x80) return 1;
    int n = c >= 0xf0 && c <= 0xf4 ? 4 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xc2 && c < 0xe0 ? 2 : 0;
    if (n == 0 || end - s < n) return 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    /* overlong forms, surrogates, beyond U+10FFFF */
    if ((c == 0xe0 && s[1] < 0xa0) || (c == 0xed && s[1] > 0x9f)) return 0;
    if ((c == 0xf0 && s[1] < 0x90) || (c == 0xf4 && s[1] > 0x8f)) return 0;
    return n;
}

/* Comments and strings hold any characters, but they are characters. One report each. */
static void check_text(Parse *p, const unsigned char *from, const unsigned char *to) {
    for (const unsigned char *s = from; s < to;) {
        int n = utf8_len(s, to);
        if (n == 0) {
            diag_report(p->ctx, DIAG_BAD_UTF8, span_of(p, s, s + 1), "byte 0x%02X is not UTF-8", *s);
            return;
        }
        if (*s == 0) {
            diag_report(p->ctx, DIAG_NUL_BYTE, span_of(p, s, s + 1), "NUL byte");
            return;
        }
        s += n;
    }
}

static bool is_letter(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

/* What stands around the dot: a.b. */
static const char *member_help(const Parse *p, const unsigned char *dot) {
    const unsigned char *from = dot, *to = dot + 1;
    while (from > p->text && is_letter(from[-1])) from--;
    while (to < p->end && is_letter(*to)) to++;
    if (to == dot + 1 && to < p->end) to++;
    return foreign_member(p->ctx, sym_n(p->ctx, (const char *)from, (size_t)(dot - from)),
                          sym_n(p->ctx, (const char *)dot + 1, (size_t)(to - dot - 1)));
}

static void bad_bytes(Parse *p, const unsigned char *from, const unsigned char *to) {
    Span span = span_of(p, from, to);
    if (p->quiet && *from) return; /* one mistake may hold several */
    p->quiet = true;
    if (*from == 0) {
        diag_report(p->ctx, DIAG_NUL_BYTE, span, "NUL byte");
    } else if (*from < 0x80 && *from > ' ' && *from < 0x7f) {
        Diag *d = diag_report(p->ctx, DIAG_BAD_BYTE, span, "`%c` is not part of the language", *from);
        if (*from == '?') diag_help(p->ctx, d, "write `if c then a else b`");
        if (*from == '#') diag_help(p->ctx, d, "comments begin with `//`; a module is read with import \"nn\";");
        if (*from == '@') diag_help(p->ctx, d, "a matrix product is y[i, j] = sum[k](x[i, k] * w[k, j])");
        if (*from == '.') diag_help(p->ctx, d, "%s", member_help(p, from));
        if (*from == '\'') diag_help(p->ctx, d, "strings stand in double quotes; a transposed tensor is x[j, i]");
        if (*from == '\\') diag_help(p->ctx, d, "there are no lambdas: an equation holds for all elements, y[i] = x[i] + 1.0;");
    } else if (utf8_len(from, to)) {
        diag_report(p->ctx, DIAG_BAD_BYTE, span, "`%.*s`: only comments and strings hold characters beyond ASCII",
                    utf8_len(from, to), (const char *)from);
    } else {
        diag_report(p->ctx, DIAG_BAD_BYTE, span, "byte 0x%02X is not part of the language", *from);
    }
}

/* Three slashes, not four. */
static bool is_doc(const unsigned char *from, const unsigned char *to) {
    return to - from >= 3 && from[2] == '/' && (to - from == 3 || from[3] != '/');
}

static void add_doc(Parse *p, const unsigned char *from, const unsigned char *to) {
    if (p->doc.n) {
        text_char(&p->doc, '\n');
        p->doc_span.end = (uint32_t)(to - p->text);
    } else {
        p->doc_span = span_of(p, from, to);
    }
    from += 3;
    if (from < to && *from == ' ') from++;
    while (to > from && (to[-1] == '\r' || to[-1] == ' ')) to--;
    text_put_n(&p->doc, (const char *)from, (size_t)(to - from));
}

static int name(Parse *p, Token *t, const unsigned char *from) {
    t->text = sym_n(p->ctx, (const char *)from, (size_t)(p->at - from));
    for (int i = 0; i < TY_COUNT; i++)
        if (p->types[i] == t->text) return TK_TYPE;
    return TK_IDENT;
}

static int word(Parse *p, Token *t, const unsigned char *from, int token) {
    t->text = sym_n(p->ctx, (const char *)from, (size_t)(p->at - from));
    return token;
}

/* Digits of a number without its underscores; NULL where it is too long to be meant. */
static char *digits(const unsigned char *from, const unsigned char *to, char *buf, size_t size) {
    size_t n = 0;
    for (; from < to; from++) {
        if (*from == '_') continue;
        if (n + 1 >= size) return NULL;
        buf[n++] = (char)*from;
    }
    buf[n] = 0;
    return buf;
}

static void number_range(Parse *p, const unsigned char *from, const char *what) {
    diag_report(p->ctx, DIAG_NUMBER_RANGE, span_of(p, from, p->at), "%s", what);
}

static int integer(Parse *p, Token *t, const unsigned char *from, int base) {
    char buf[512];
    t->u.i = 0;
    char *s = digits(base == 16 ? from + 2 : from, p->at, buf, sizeof buf);
    errno = 0;
    long long v = s ? strtoll(s, NULL, base) : 0;
    if (!s || errno == ERANGE) {
        number_range(p, from, "the integer is larger than 9223372036854775807");
    } else {
        t->u.i = v;
    }
    return TK_INT;
}

static int real(Parse *p, Token *t, const unsigned char *from) {
    char buf[512];
    t->u.f = 0;
    char *s = digits(from, p->at, buf, sizeof buf);
    double v = s ? strtod(s, NULL) : HUGE_VAL;
    if (isinf(v)) {
        number_range(p, from, "the number is not finite in f64");
    } else {
        t->u.f = v;
    }
    return TK_FLOAT;
}

static int bad_number(Parse *p, Token *t, const unsigned char *from) {
    int n = p->at - from > 40 ? 40 : (int)(p->at - from);
    t->u.i = 0;
    if (p->quiet) return TK_INT;
    Diag *d = diag_report(p->ctx, DIAG_BAD_NUMBER, span_of(p, from, p->at), "`%.*s` is not a number", n,
                          (const char *)from);
    bool suffix = n > 1 && (p->at[-1] == 'f' || p->at[-1] == 'F') && from[1] != 'x' && from[1] != 'X';
    if (suffix)
        diag_fix(p->ctx, d, span_of(p, p->at - 1, p->at), "", "numbers have no suffix: write %.*s", n - 1,
                 (const char *)from);
    if (from[0] == '.' || p->at[-1] == '.') diag_help(p->ctx, d, "a float has digits on both sides of the point");
    t->u.i = 0;
    return TK_INT;
}

static int string(Parse *p, Token *t, const unsigned char *from) {
    Text s = {.ctx = p->ctx};
    check_text(p, from, p->at);
    for (const unsigned char *c = from + 1; c < p->at - 1; c++) {
        if (*c != '\\') {
            text_char(&s, (char)*c);
            continue;
        }
        const char *known = "n\nt\t\"\"\\\\";
        const char *k = known;
        c++;
        while (*k && *k != (char)*c) k += 2;
        if (*k && *c) {
            text_char(&s, k[1]);
        } else {
            diag_report(p->ctx, DIAG_BAD_ESCAPE, span_of(p, c - 1, c + 1), "unknown escape in a string");
        }
    }
    t->text = sym_n(p->ctx, s.s ? s.s : "", s.n);
    return TK_STRING;
}

static int open_string(Parse *p, Token *t, const unsigned char *from) {
    const unsigned char *line = memchr(from, '\n', (size_t)(p->end - from));
    p->at = line ? line : p->end;
    diag_report(p->ctx, DIAG_OPEN_STRING, span_of(p, from, p->at), "the string does not end on its line");
    p->quiet = true;
    t->text = sym(p->ctx, "");
    return TK_STRING;
}

/*!re2c
    re2c:api = default;
    re2c:eof = 0;
    re2c:yyfill:enable = 0;
    re2c:define:YYCTYPE = "unsigned char";
    re2c:define:YYCURSOR = "p->at";
    re2c:define:YYLIMIT = "p->end";
    re2c:define:YYMARKER = "marker";

    dec = [0-9] ("_"? [0-9])*;
    hex = "0" [xX] [0-9a-fA-F] ("_"? [0-9a-fA-F])*;
    exp = [eE] [+-]? [0-9]+;
    float = dec "." dec exp? | dec exp;
    word = [a-zA-Z0-9_];
*/

int lexer_next(Parse *p, Token *t) {
    const unsigned char *marker, *from;
    for (;;) {
        if (diag_errors(p->ctx) - p->errors_before >= PARSE_ERRORS_MAX) {
            p->stop = true;
            p->at = p->end;
        }
        from = p->at;
        t->start = (uint32_t)(from - p->text);
        int token = -1;
        /*!re2c
            $ { token = 0; goto done; }
            * { bad_bytes(p, from, p->at); continue; }
            "'" [a-zA-Z0-9_ ]* "'" { bad_bytes(p, from, p->at); continue; }
            [\x80-\xff]+ { bad_bytes(p, from, p->at); continue; }
            [\x00]+ { bad_bytes(p, from, p->at); continue; }
            [ \t\r\n]+ { continue; }
            "//" [^\n]* {
                check_text(p, from, p->at);
                if (is_doc(from, p->at)) add_doc(p, from, p->at);
                continue;
            }
            "/*" ([^*] | "*"+ [^*/])* "*"+ "/" { check_text(p, from, p->at); continue; }
            "/*" {
                diag_report(p->ctx, DIAG_OPEN_COMMENT, span_of(p, from, p->at), "the comment does not end");
                p->at = p->end;
                p->quiet = true;
                continue;
            }
            ["] ([^"\\\n] | "\\" [^\n])* ["] { token = string(p, t, from); goto done; }
            ["] { token = open_string(p, t, from); goto done; }

            dec { token = integer(p, t, from, 10); goto done; }
            hex { token = integer(p, t, from, 16); goto done; }
            float { token = real(p, t, from); goto done; }
            [0-9] word* | float word+ | "." dec word* { token = bad_number(p, t, from); goto done; }
            dec "." / [^.0-9] { token = bad_number(p, t, from); goto done; }
            "inf" { token = word(p, t, from, TK_FLOAT); t->u.f = HUGE_VAL; goto done; }
            "nan" { token = word(p, t, from, TK_FLOAT); t->u.f = (double)NAN; goto done; }

            "import"  { token = word(p, t, from, TK_IMPORT); goto done; }
            "dim"     { token = word(p, t, from, TK_DIM); goto done; }
            "fn"      { token = word(p, t, from, TK_FN); goto done; }
            "export"  { token = word(p, t, from, TK_EXPORT); goto done; }
            "let"     { token = word(p, t, from, TK_LET); goto done; }
            "inout"   { token = word(p, t, from, TK_INOUT); goto done; }
            "option"  { token = word(p, t, from, TK_OPTION); goto done; }
            "check"   { token = word(p, t, from, TK_CHECK); goto done; }
            "bench"   { token = word(p, t, from, TK_BENCH); goto done; }
            "require" { token = word(p, t, from, TK_REQUIRE); goto done; }
            "assume"  { token = word(p, t, from, TK_ASSUME); goto done; }
            "reduce"  { token = word(p, t, from, TK_REDUCE); goto done; }
            "return"  { token = word(p, t, from, TK_RETURN); goto done; }
            "if"      { token = word(p, t, from, TK_IF); goto done; }
            "then"    { token = word(p, t, from, TK_THEN); goto done; }
            "else"    { token = word(p, t, from, TK_ELSE); goto done; }
            "where"   { token = word(p, t, from, TK_WHERE); goto done; }
            "in"      { token = word(p, t, from, TK_IN); goto done; }
            "pad"     { token = word(p, t, from, TK_PAD); goto done; }
            "true"    { token = word(p, t, from, TK_TRUE); goto done; }
            "false"   { token = word(p, t, from, TK_FALSE); goto done; }
            "vjp"     { token = word(p, t, from, TK_VJP); goto done; }
            "fold"    { token = word(p, t, from, TK_FOLD); goto done; }
            "scan"    { token = word(p, t, from, TK_SCAN); goto done; }
            "foreach" { token = word(p, t, from, TK_FOREACH); goto done; }
            "struct"  { token = word(p, t, from, TK_STRUCT); goto done; }
            "extern"  { token = word(p, t, from, TK_EXTERN); goto done; }
            "ragged"  { token = word(p, t, from, TK_RAGGED); goto done; }
            "shard"   { token = word(p, t, from, TK_SHARD); goto done; }
            "hint"      { token = word(p, t, from, TK_W_HINT); goto done; }
            "divisible" { token = word(p, t, from, TK_W_DIVISIBLE); goto done; }
            "with"      { token = word(p, t, from, TK_W_WITH); goto done; }
            "tol"       { token = word(p, t, from, TK_W_TOL); goto done; }
            "error"     { token = word(p, t, from, TK_W_ERROR); goto done; }
            [a-zA-Z_] word* { token = name(p, t, from); goto done; }

            "("  { token = TK_LP; goto done; }
            ")"  { token = TK_RP; goto done; }
            "["  { token = TK_LB; goto done; }
            "]"  { token = TK_RB; goto done; }
            "{"  { token = TK_LC; goto done; }
            "}"  { token = TK_RC; goto done; }
            ","  { token = TK_COMMA; goto done; }
            ";"  { token = TK_SEMI; goto done; }
            ":"  { token = TK_COLON; goto done; }
            "="  { token = TK_ASSIGN; goto done; }
            "+=" { token = TK_PLUSEQ; goto done; }
            "*=" { token = TK_STAREQ; goto done; }
            "~"  { token = TK_TILDE; goto done; }
            "->" { token = TK_ARROW; goto done; }
            ".." { token = TK_DOTDOT; goto done; }
            "..=" { token = TK_DOTDOTEQ; goto done; }
            "..." { token = TK_ELLIPSIS; goto done; }
            "+"  { token = TK_PLUS; goto done; }
            "-"  { token = TK_MINUS; goto done; }
            "*"  { token = TK_STAR; goto done; }
            "/"  { token = TK_SLASH; goto done; }
            "%"  { token = TK_PERCENT; goto done; }
            "**" { token = TK_POW; goto done; }
            "==" { token = TK_EQEQ; goto done; }
            "!=" { token = TK_NE; goto done; }
            "<"  { token = TK_LT; goto done; }
            "<=" { token = TK_LE; goto done; }
            ">"  { token = TK_GT; goto done; }
            ">=" { token = TK_GE; goto done; }
            "<<" { token = TK_SHL; goto done; }
            ">>" { token = TK_SHR; goto done; }
            "&&" { token = TK_ANDAND; goto done; }
            "||" { token = TK_OROR; goto done; }
            "!"  { token = TK_NOT; goto done; }
            "&"  { token = TK_AMP; goto done; }
            "|"  { token = TK_BAR; goto done; }
            "^"  { token = TK_CARET; goto done; }
        */
    done:
        t->end = (uint32_t)(p->at - p->text);
        return token;
    }
}
