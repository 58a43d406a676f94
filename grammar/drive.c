/* Drives the tokens of one file through the parser: doc comments go to the declarations that follow them, and after a
 * syntax error parsing goes on behind the statement or declaration that holds it. */
#include "grammar/grammar.h"
#include "grammar/parse.h"

#include "grammar/parser.h"

#include <string.h>

typedef struct Drive {
    Parse *p;
    yyParser *y;
    int kind, braces;
    bool at_start; /* the next token begins a declaration */
} Drive;

static void drive_next(Drive *d) {
    Parse *p = d->p;
    p->doc.n = 0;
    p->last_end = p->token.end;
    p->before = p->token;
    bool first = d->kind == 0 || d->kind == TK_SEMI || d->kind == TK_LC || d->kind == TK_RC;
    d->kind = lexer_next(p, &p->token);
    if (first) p->first = p->token;
    if (p->doc.n == 0) return;
    if (d->at_start && d->kind != 0) {
        DocAt doc = {p->token.start, sym_n(p->ctx, p->doc.s, p->doc.n)};
        vec_push(p->ctx, &p->docs, doc);
    } else if (d->at_start) {
        diag_report(p->ctx, DIAG_DANGLING_DOC, p->doc_span, "this documents nothing: no declaration follows");
    }
}

/* dim = 0 in a call is an argument of that name: no function has it, which is said of the call. */
static bool drive_is_argument(const Drive *d) {
    const unsigned char *after = d->p->at;
    while (after < d->p->end && *after == ' ') after++;
    return d->kind == TK_DIM && after < d->p->end && *after == '=' && !grammar_accepts(d->y, TK_DIM);
}

static void drive_feed(Drive *d, int kind) { grammar_feed(d->y, d->p, kind); }

/* Keywords that only declarations begin with, first on their line: there a broken declaration has surely ended. */
static bool drive_at_decl(const Drive *d) {
    switch (d->kind) {
    case TK_IMPORT:
    case TK_DIM:
    case TK_FN:
    case TK_EXPORT:
    case TK_CHECK:
    case TK_BENCH:
    case TK_STRUCT:
    case TK_EXTERN:
    case TK_REDUCE: break;
    default: return false;
    }
    const unsigned char *s = d->p->text + d->p->token.start;
    while (d->braces == 0 && s > d->p->text && (s[-1] == ' ' || s[-1] == '\t')) s--;
    return s == d->p->text || s[-1] == '\n';
}

/* Up to the end of a loop's head: the semicolons inside its parentheses end nothing. */
static void drive_skip_block(Drive *d) {
    int parens = 0;
    for (int i = 0; i < d->p->open.n; i++) parens += d->p->open.at[i].closer == TK_RP;
    for (; d->kind != 0 && !drive_at_decl(d); drive_next(d)) {
        if (d->kind == TK_LP) parens++;
        if (d->kind == TK_RP) parens--;
        if (parens <= 0 && (d->kind == TK_LC || d->kind == TK_SEMI || d->kind == TK_RC)) return;
    }
}

/* Keeps the brackets open that the parser will see closed. */
static void drive_track(Drive *d) {
    Parse *p = d->p;
    int closer = d->kind == TK_LP ? TK_RP : d->kind == TK_LB ? TK_RB : d->kind == TK_LC ? TK_RC : 0;
    if (closer) {
        size_t n = p->before.end - p->before.start;
        const char *word = (const char *)p->text + p->before.start;
        bool loop = (n == 3 && !memcmp(word, "for", 3)) || (n == 5 && !memcmp(word, "while", 5));
        OpenBracket b = {closer, ast_token_span(p, p->token), p->before, loop};
        vec_push(p->ctx, &p->open, b);
    } else if (p->open.n && p->open.at[p->open.n - 1].closer == d->kind) {
        p->open.n--;
    }
}

/* After an error only braces are open, as many as are counted. */
static void drive_unwind(Drive *d) {
    int n = 0;
    for (int i = 0; i < d->p->open.n && n < d->braces; i++)
        if (d->p->open.at[i].closer == TK_RC) d->p->open.at[n++] = d->p->open.at[i];
    d->p->open.n = n;
}

/* After a syntax error: skips to the end of the statement or declaration that holds it, and goes on behind it. */
static void drive_recover(Drive *d) {
    int level = d->braces, depth = level;
    int skip = d->p->skip;
    d->p->skip = SKIP_STATEMENT;
    d->p->quiet = d->p->quiet || skip != SKIP_STATEMENT;
    if (skip == SKIP_BLOCK) drive_skip_block(d);
    if (skip == SKIP_DECL)
        while (d->kind != 0 && !drive_at_decl(d)) drive_next(d);
    for (;; drive_next(d)) {
        bool closes = d->kind == TK_RC;
        if (d->kind == 0 || drive_at_decl(d) || (closes && depth == level && level > 0)) break;
        if (d->kind == TK_LC) depth++;
        if (closes && depth > level) depth--;
        if (depth != level || (d->kind != TK_SEMI && !(closes && level == 0))) continue;
        d->at_start = level == 0;
        drive_next(d);
        if (d->kind == TK_ELSE) continue; /* of the statement that ended */
        break;
    }
    drive_feed(d, TK_RESYNC);
    d->p->quiet = false;
    drive_unwind(d);
    if (d->kind != TK_RC && (d->kind == 0 || drive_at_decl(d)))
        for (; d->braces > 0; d->braces--) drive_feed(d, TK_RC); /* a brace was forgotten */
    d->p->failed = false;
    grammar_forgive(d->y);
}

static void drive(Parse *p) {
    static const char *const types[TY_COUNT] = {
#define TYPE(e, name, ...) #name,
#include "ir/types.def"
#undef TYPE
    };
    for (int i = 0; i < TY_COUNT; i++) p->types[i] = sym(p->ctx, types[i]);
    Drive d = {.p = p, .y = grammar_new(p->ctx), .at_start = true};
    drive_next(&d);
    while (!p->stop) {
        if (drive_is_argument(&d)) d.kind = TK_IDENT;
        drive_feed(&d, d.kind);
        if (p->stop) break;
        if (p->failed) {
            if (d.kind == 0) break;
            drive_recover(&d);
            continue;
        }
        if (d.kind == 0) break;
        drive_track(&d);
        if (d.kind == TK_LC) d.braces++;
        if (d.kind == TK_RC && d.braces > 0) d.braces--;
        d.at_start = d.braces == 0 && (d.kind == TK_SEMI || d.kind == TK_RC);
        if (d.kind == TK_SEMI || d.kind == TK_RC || d.kind == TK_LC) p->quiet = false;
        drive_next(&d);
    }
}

/* Declarations and the comments before them, both in order of place. */
static void attach_docs(Parse *p) {
    int k = 0;
    for (int i = 0; i < p->out->decls.n; i++) {
        AstDecl *d = p->out->decls.at[i];
        while (k < p->docs.n && p->docs.at[k].start < d->span.start) k++;
        if (k < p->docs.n && p->docs.at[k].start == d->span.start) d->doc = p->docs.at[k].text;
    }
}

AstFile *grammar_parse(Ctx *ctx, int file) {
    size_t n = 0;
    const char *text = diag_file_text(ctx, file, &n);
    AstFile *out = NEW(ctx, AstFile);
    out->file = file;
    if (n > AST_SOURCE_BYTES) {
        diag_report(ctx, DIAG_FILE_TOO_LARGE, (Span){file, 0, 0}, "the file has %zu bytes; at most %d are read", n,
                    AST_SOURCE_BYTES);
        return out;
    }
    const unsigned char *bytes = (const unsigned char *)text;
    bool bom = n >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3);
    Parse *p = NEW(ctx, Parse);
    *p = (Parse){.ctx = ctx, .file = file, .out = out, .text = bytes, .at = bytes + (bom ? 3 : 0), .end = bytes + n};
    p->doc.ctx = ctx;
    p->errors_before = diag_errors(ctx);
    drive(p);
    attach_docs(p);
    return out;
}
