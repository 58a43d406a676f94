/* What is said of a token that does not fit: what could stand there, what people write who come from other languages,
 * brackets that are open. Decides also how much is skipped then. */
#include "grammar/grammar.h"

#include "grammar/parser.h"

#include <string.h>

/* ---- what could stand here, in words ---- */

static const struct {
    int token;
    const char *text;
} grammar_words[] = {
    {TK_IDENT, "a name"},
    {TK_TYPE, "a type"},
    {TK_STRING, "a string"},
    {TK_INT, "a number"},
    {TK_LP, "`(`"},
    {TK_RP, "`)`"},
    {TK_LB, "`[`"},
    {TK_RB, "`]`"},
    {TK_LC, "`{`"},
    {TK_RC, "`}`"},
    {TK_COMMA, "`,`"},
    {TK_SEMI, "`;`"},
    {TK_COLON, "`:`"},
    {TK_ASSIGN, "`=`"},
    {TK_PLUSEQ, "`+=`"},
    {TK_STAREQ, "`*=`"},
    {TK_ARROW, "`->`"},
    {TK_DOTDOT, "`..`"},
    {TK_DOTDOTEQ, "`..=`"},
    {TK_ELLIPSIS, "`...`"},
    {TK_TILDE, "`~`"},
    {TK_LT, "`<`"},
    {TK_GT, "`>`"},
    {TK_IN, "`in`"},
    {TK_THEN, "`then`"},
    {TK_ELSE, "`else`"},
    {TK_WHERE, "`where`"},
    {TK_FN, "`fn`"},
    {TK_TRUE, "`true`"},
    {TK_W_HINT, "`hint`"},
    {TK_W_DIVISIBLE, "`divisible`"},
    {TK_W_WITH, "`with`"},
    {TK_W_TOL, "`tol`"},
    {TK_W_ERROR, "`error`"},
};

enum { GRAMMAR_WORDS = sizeof grammar_words / sizeof *grammar_words };

/* A token that the phrase "an expression", "a statement" or "a declaration" already covers. */
static bool grammar_begins(int token) {
    switch (token) {
    case TK_IDENT:
    case TK_TYPE:
    case TK_INT:
    case TK_LP:
    case TK_LB:
    case TK_TRUE:
    case TK_FN: return true;
    default: return false;
    }
}

static void grammar_expected(const yyParser *y, Text *out) {
    const char *list[GRAMMAR_WORDS + 6];
    int n = 0;
    bool operator_next = grammar_accepts(y, TK_STAR), assigns = grammar_accepts(y, TK_PLUSEQ);
    if (grammar_accepts(y, TK_NOT)) list[n++] = "an expression";
    if (grammar_accepts(y, TK_LET)) list[n++] = "a statement";
    if (grammar_accepts(y, TK_IMPORT)) list[n++] = "a declaration";
    bool whole = n > 0;
    if (operator_next) list[n++] = "an operator";
    for (int i = 0; i < GRAMMAR_WORDS; i++) {
        int t = grammar_words[i].token;
        if (whole && grammar_begins(t)) continue;
        if (assigns && grammar_begins(t) && t != TK_LB) continue; /* the name of max= and min= */
        if (operator_next && (t == TK_LT || t == TK_GT)) continue;
        if (grammar_wants(y, t)) list[n++] = grammar_words[i].text;
    }
    if (assigns) list[n++] = "`max=`";
    if (assigns) list[n++] = "`min=`";
    for (int i = 0; i < n; i++) {
        if (i) text_put(out, i + 1 < n ? ", " : n == 2 ? " or " : ", or ");
        text_put(out, list[i]);
    }
}

static bool grammar_is_keyword(int token) {
    switch (token) {
    case TK_IMPORT:
    case TK_DIM:
    case TK_FN:
    case TK_EXPORT:
    case TK_LET:
    case TK_INOUT:
    case TK_OPTION:
    case TK_CHECK:
    case TK_BENCH:
    case TK_REQUIRE:
    case TK_ASSUME:
    case TK_REDUCE:
    case TK_RETURN:
    case TK_IF:
    case TK_THEN:
    case TK_ELSE:
    case TK_WHERE:
    case TK_IN:
    case TK_PAD:
    case TK_TRUE:
    case TK_FALSE:
    case TK_VJP:
    case TK_FOLD:
    case TK_SCAN:
    case TK_FOREACH:
    case TK_STRUCT:
    case TK_EXTERN:
    case TK_RAGGED:
    case TK_SHARD: return true;
    default: return false;
    }
}

static bool grammar_is_compare(int t) {
    return t == TK_LT || t == TK_GT || t == TK_LE || t == TK_GE || t == TK_EQEQ || t == TK_NE;
}

/* What those who come from other languages write. `word` is the token found or the one before it, `found` and `before`
 * only that one. */
static const struct {
    const char *word, *found, *before, *say;
} HINTS[] = {
    {"and", 0, 0, "write &&"},
    {"or", 0, 0, "write ||"},
    {"not", 0, 0, "write !"},
    {"is", 0, 0, "write =="},
    {"def", 0, 0, "a function is fn f(x: f32[N]) -> (y: f32[N]) { y[i] = ...; }"},
    {"func", 0, 0, "a function is fn f(x: f32[N]) -> (y: f32[N]) { y[i] = ...; }"},
    {"void", 0, 0, "a function is fn f(x: f32[N]) -> (y: f32[N]) { y[i] = ...; }"},
    {"__global__", 0, 0,
     "a kernel is export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = ...; }: threads and blocks belong "
     "to the compiler"},
    {"template", 0, 0, "a generic function is fn f<T>(x: T[N]) -> (y: T[N]) { ... }"},
    {"lambda", 0, 0, "a function on elements is fn f(x) = e; at the top of the file"},
    {"for", 0, 0,
     "there are no loops: an equation holds for all values of its index variables, y[i] = ...; to add up "
     "over k write sum[k](...)"},
    {0, "in", 0, "a range stands right after an index variable in brackets, y[i in N]; there are no loops"},
    {"while", 0, 0, "there are no loops: an equation holds for all values of its index variables"},
    {"var", 0, 0, "an intermediate is let t[i] = ...;"},
    {"const", 0, 0, "an intermediate is let t[i] = ...;"},
    {"auto", 0, 0, "an intermediate is let t[i] = ...;"},
    {"float", 0, 0, "an intermediate is let t[i] = ...; types are f32, f64"},
    {"double", 0, 0, "an intermediate is let t[i] = ...; types are f32, f64"},
    {0, 0, "int", "an intermediate is let t[i] = ...; types are i32, i64"},
    {0, 0, "from", "a module is imported with import \"nn\";"},
    {0, ":", 0, "there are no slices with a colon: name the index, y[i] = x[i + 1]; a range is i in lo..hi"},
    {0, "fn", 0, "functions stand at the top of the file, not inside another"},
    {0, "export", 0, "exports stand at the top of the file, not inside a function"},
    {0, "=", "=", "compare with =="},
    {0, "+", "+", "there is no ++: an inout parameter is updated with +=, all else is defined once"},
    {0, "let", 0, "let stands inside a function: fn f(x: f32[N]) -> (y: f32[N]) { let t[i] = ...; y[i] = ...; }"},
    {0, "if", 0, "if is an expression: y[i] = if c then a else b;"},
    {0, "else", 0, "if is an expression: if c then a else b"},
    {0, "{", "=", "a body follows the header without =: fn f(x: f32) -> f32 { let a = 2 * x; return a * a; }"},
    {0, "{", 0, "if is an expression without braces: if c then a else b"},
};

static const char *grammar_hint(const Parse *p, const yyParser *y, Token t) {
    const char *text = (const char *)p->text;
    if (p->open.n && p->open.at[p->open.n - 1].loop) t = p->open.at[p->open.n - 1].before;
    for (size_t i = 0; i < sizeof HINTS / sizeof *HINTS; i++) {
        bool ok = true, word = !HINTS[i].word;
        for (int k = 0; k < 2; k++) {
            Token at = k && !(p->open.n && p->open.at[p->open.n - 1].loop) ? p->before : t;
            const char *want = k ? HINTS[i].before : HINTS[i].found;
            size_t n = at.end - at.start;
            ok = ok && (!want || (strlen(want) == n && !memcmp(want, text + at.start, n)));
            word = word || (strlen(HINTS[i].word) == n && !memcmp(HINTS[i].word, text + at.start, n));
        }
        bool about_if = strstr(HINTS[i].say, "if is") != NULL, top = grammar_accepts(y, TK_IMPORT);
        if (ok && word && !(about_if && top)) return HINTS[i].say;
    }
    return NULL;
}

/* The same, told by the place. */
static const char *grammar_hint_at(const Parse *p, const yyParser *y, int found) {
    if (found == TK_LP && p->before.text && grammar_accepts(y, TK_ASSIGN) && p->open.n == 0)
        return "a function begins with fn: export fn f(x: f32[N]) -> (y: f32[N]) { ... }";
    if (found == TK_ASSIGN && grammar_accepts(y, TK_W_HINT) && !grammar_accepts(y, TK_IDENT))
        return "a dimension that is one number is dim N in 128..=128;";
    if (found == TK_COLON && grammar_accepts(y, TK_LC)) return "results stand in parentheses: -> (y: f32[N])";
    if (found == TK_LB && !grammar_accepts(y, TK_NOT) && (grammar_accepts(y, TK_TYPE) || grammar_accepts(y, TK_RP)))
        return "a tensor's type is f32[M, N]: the element's type, then all dimensions in one pair of brackets";
    return NULL;
}

/* The bracket that should have been closed before the token found, or NULL. */
static const OpenBracket *grammar_unclosed(const Parse *p, int found) {
    if (p->open.n == 0) return NULL;
    const OpenBracket *b = &p->open.at[p->open.n - 1];
    bool closer = found == TK_RP || found == TK_RB || found == TK_RC || found == 0;
    return closer && found != b->closer ? b : found == TK_SEMI && b->closer != TK_RC ? b : NULL;
}

static void grammar_found(Parse *p, int found, Token t, Text *out) {
    int n = (int)(t.end - t.start);
    if (found == 0) {
        text_put(out, "the end of the file");
    } else if (found == TK_STRING) {
        text_put(out, "a string");
    } else {
        text_fmt(out, "`%.*s%s`", n > 40 ? 40 : n, (const char *)p->text + t.start, n > 40 ? "…" : "");
    }
}

void grammar_error(Parse *p, const yyParser *y, int found, Token t) {
    p->failed = true;
    if (p->quiet) return;
    Text want = {.ctx = p->ctx}, have = {.ctx = p->ctx};
    Span at = parse_token_span(p, t);
    bool later = grammar_accepts(y, TK_SEMI) && memchr(p->text + p->last_end, '\n', t.start - p->last_end);
    if ((later || found == 0) && p->last_end > 0) at = (Span){p->file, p->last_end, p->last_end};
    if (grammar_is_compare(found) && grammar_accepts(y, TK_ANDAND)) {
        Diag *d = diag_report(p->ctx, DIAG_CHAINED_COMPARE, at, "comparisons do not chain");
        diag_help(p->ctx, d, "write `a < b && b < c`; types are given by name, f(T = f32), not in <>");
        return;
    }
    grammar_expected(y, &want);
    grammar_found(p, found, t, &have);
    bool semicolon = grammar_accepts(y, TK_SEMI);
    const char *form = "expected %s, found %s", *wanted = want.n ? want.s : "something else";
    const char *hint = grammar_hint_at(p, y, found);
    if (!hint && !(semicolon && later)) hint = grammar_hint(p, y, t);
    const OpenBracket *open = grammar_unclosed(p, found);
    const unsigned char *next = p->text + t.end;
    while (found && *next == ' ') next++;
    bool name = (found && *next == ':') ||
                (grammar_accepts(y, TK_IDENT) && !grammar_accepts(y, TK_LET) && !grammar_accepts(y, TK_NOT));
    if (hint) {
        Diag *d = diag_report(p->ctx, DIAG_FOREIGN_SYNTAX, parse_token_span(p, t), form, wanted, have.s);
        diag_help(p->ctx, d, "%s", hint);
        p->skip = strstr(hint, "no loops") ? SKIP_BLOCK : grammar_accepts(y, TK_IMPORT) ? SKIP_DECL : SKIP_STATEMENT;
    } else if (found == TK_ASSIGN && grammar_accepts(y, TK_EQEQ)) {
        Diag *d = diag_report(p->ctx, DIAG_FOREIGN_SYNTAX, at, form, wanted, have.s);
        diag_fix(p->ctx, d, at, "==", "compare with ==");
    } else if (found == TK_MINUS && grammar_accepts(y, TK_PLUSEQ)) {
        Diag *d = diag_report(p->ctx, DIAG_BAD_ASSIGN, at, "`-=` is no assignment");
        diag_help(p->ctx, d, "add the negative: += -(e)");
    } else if (open) {
        Diag *d = diag_report(p->ctx, DIAG_UNCLOSED, at, form, wanted, have.s);
        diag_note(p->ctx, d, open->span, "this is not closed");
    } else if (name && (grammar_is_keyword(found) || found == TK_TYPE)) {
        Diag *d = diag_report(p->ctx, DIAG_RESERVED_WORD, at, form, wanted, have.s);
        diag_help(p->ctx, d, "%s is a %s: choose another name", have.s, found == TK_TYPE ? "type" : "reserved word");
    } else if (semicolon && (later || found == TK_RC)) {
        Span end = {p->file, p->last_end, p->last_end};
        Diag *d = diag_report(p->ctx, DIAG_MISSING_SEMICOLON, end, form, wanted, have.s);
        diag_fix(p->ctx, d, end, ";", "end the statement with `;`");
    } else {
        diag_report(p->ctx, DIAG_SYNTAX, at, form, wanted, have.s);
    }
}

void grammar_overflow(Parse *p) {
    p->stop = true;
    diag_report(p->ctx, DIAG_TOO_DEEP, parse_token_span(p, p->token), "this nests too deep (the limit is %d symbols)",
                PARSE_STACK);
}
