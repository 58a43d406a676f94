/* What is said of a token that does not fit: what could stand there, brackets that are open; what to write instead is
 * in hints.c. Decides also how much is skipped then. */
#include "grammar/grammar.h"

#include "grammar/parser.h"

#include <ctype.h>
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

/* The word that a statement or declaration may be meant to begin with, where it begins with one that nothing does: two
 * names stand beside each other. NULL: none. */
static const char *grammar_meant(const Parse *p) {
    static const char *const DECLARATIONS[] = {"import", "dim",   "fn",      "export", "option",
                                               "check",  "bench", "require", "assume", "struct"};
    static const char *const STATEMENTS[] = {"let", "option", "require", "assume", "return"};
    const bool inside = p->open.n > 0;
    const char *const *words = inside ? STATEMENTS : DECLARATIONS;
    const int n = (int)(inside ? sizeof STATEMENTS / sizeof *STATEMENTS : sizeof DECLARATIONS / sizeof *DECLARATIONS);
    const unsigned char *next = p->text + p->first.end;
    if (!p->first.text || *next != ' ') return NULL;
    while (*next == ' ') next++;
    if (!isalpha(*next) && *next != '_') return NULL;
    for (int i = 0; i < n; i++)
        if (!strcmp(words[i], p->first.text)) return NULL;
    return diag_near(p->first.text, words, n);
}

void grammar_error(Parse *p, const yyParser *y, int found, Token t) {
    p->failed = true;
    if (p->quiet) return;
    Text want = {.ctx = p->ctx}, have = {.ctx = p->ctx};
    Span at = ast_token_span(p, t);
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
    const OpenBracket *open = grammar_unclosed(p, found);
    const unsigned char *next = p->text + t.end;
    while (found && *next == ' ') next++;
    bool name = (found && *next == ':') ||
                (grammar_accepts(y, TK_IDENT) && !grammar_accepts(y, TK_LET) && !grammar_accepts(y, TK_NOT));
    bool reserved = name && (grammar_is_keyword(found) || found == TK_TYPE), loop = grammar_is_loop(p);
    const char *hint = grammar_hint(p, y, found, t, !reserved && !(semicolon && later));
    if (hint) {
        Diag *d = loop ? diag_report(p->ctx, DIAG_FOREIGN_SYNTAX, ast_token_span(p, grammar_loop(p)),
                                     "a loop is no statement")
                       : diag_report(p->ctx, DIAG_FOREIGN_SYNTAX, ast_token_span(p, t), form, wanted, have.s);
        diag_help(p->ctx, d, "%s", hint);
        p->skip = loop ? SKIP_BLOCK : grammar_accepts(y, TK_IMPORT) ? SKIP_DECL : SKIP_STATEMENT;
    } else if (found == TK_ASSIGN && grammar_accepts(y, TK_EQEQ)) {
        Diag *d = diag_report(p->ctx, DIAG_FOREIGN_SYNTAX, at, form, wanted, have.s);
        diag_fix(p->ctx, d, at, "==", "compare with ==");
    } else if (found == TK_MINUS && grammar_accepts(y, TK_PLUSEQ)) {
        Diag *d = diag_report(p->ctx, DIAG_BAD_ASSIGN, at, "`-=` is no assignment");
        diag_help(p->ctx, d, "add the negative: += -(e)");
    } else if (open) {
        Diag *d = diag_report(p->ctx, DIAG_UNCLOSED, at, form, wanted, have.s);
        diag_note(p->ctx, d, open->span, "this is not closed");
        diag_fix(p->ctx, d, (Span){p->file, p->last_end, p->last_end},
                 open->closer == TK_RP   ? ")"
                 : open->closer == TK_RB ? "]"
                                         : "}",
                 "close it here, or where it should end");
    } else if (reserved) {
        Diag *d = diag_report(p->ctx, DIAG_RESERVED_WORD, at, form, wanted, have.s);
        const char *what = found == TK_TYPE ? "type" : "reserved word", *word = sym_fmt(p->ctx, "%s_", t.text);
        diag_fix(p->ctx, d, ast_token_span(p, t), word, "%s is a %s: choose another name, %s for one", have.s, what,
                 word);
    } else if (semicolon && (later || found == TK_RC)) {
        Span end = {p->file, p->last_end, p->last_end};
        Diag *d = diag_report(p->ctx, DIAG_MISSING_SEMICOLON, end, form, wanted, have.s);
        diag_fix(p->ctx, d, end, ";", "end the statement with `;`");
    } else {
        Diag *d = diag_report(p->ctx, DIAG_SYNTAX, at, form, wanted, have.s);
        const char *meant = grammar_meant(p);
        if (meant) diag_suggest(p->ctx, d, ast_token_span(p, p->first), meant);
    }
}

void grammar_overflow(Parse *p) {
    p->stop = true;
    diag_report(p->ctx, DIAG_TOO_DEEP, ast_token_span(p, p->token), "this nests too deep (the limit is %d symbols)",
                PARSE_STACK);
}
