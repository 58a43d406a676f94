/* Any bytes as input give a tree or diagnostics: random bytes, token soup and mutations of the syntax tests, samples
 * and standard library are parsed, and what comes back is checked for places and depths in bounds, text that renders,
 * and being the same twice. Arguments: rounds (default 6000), seed (default 1). Run from the project's root. */
#include "frontend/ast/ast.h"
#include "grammar/parse.h"
#include "ir/diag.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE_MAX = 6000, CORPUS_MAX = 200 };

typedef struct Source {
    char s[SOURCE_MAX + 64];
    size_t n;
} Source;

typedef struct Fuzz {
    uint64_t state;
    Source *corpus;
    int ncorpus;
    long clean, broken; /* sources without and with errors */
} Fuzz;

static uint64_t next(Fuzz *f) { /* splitmix64 */
    uint64_t z = f->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t below(Fuzz *f, size_t n) { return n ? (size_t)(next(f) % n) : 0; }

/* ---- sources ---- */

static const char *const words[] = {"import",  "dim",      "fn",
                                    "export",  "let",      "inout",
                                    "option",  "check",    "bench",
                                    "require", "assume",   "reduce",
                                    "return",  "if",       "then",
                                    "else",    "where",    "in",
                                    "pad",     "true",     "false",
                                    "vjp",     "fold",     "scan",
                                    "foreach", "struct",   "extern",
                                    "ragged",  "shard",    "f32",
                                    "bf16",    "hint",     "divisible",
                                    "with",    "tol",      "error",
                                    "x",       "N",        "sum",
                                    "max",     "(",        ")",
                                    "[",       "]",        "{",
                                    "}",       ",",        ";",
                                    ":",       "=",        "+=",
                                    "*=",      "->",       "..",
                                    "..=",     "...",      "+",
                                    "-",       "*",        "/",
                                    "%",       "**",       "==",
                                    "<",       ">",        "<<",
                                    "&&",      "||",       "!",
                                    "&",       "|",        "^",
                                    "~",       "1",        "0x1F",
                                    "1e-5",    "1.5",      "inf",
                                    "nan",     "\"text\"", "\"",
                                    "///",     "/*",       "*/",
                                    "//",      "\n",       "\t",
                                    "é",       "@",        "1e999",
                                    "12ab",    "\\",       "99999999999999999999"};
enum { WORDS = sizeof words / sizeof *words };

static void replace(Source *src, size_t from, size_t to, const char *with, size_t n) {
    if (src->n - (to - from) + n > SOURCE_MAX) return;
    memmove(src->s + from + n, src->s + to, src->n - to);
    memcpy(src->s + from, with, n);
    src->n = src->n - (to - from) + n;
}

static void mutate(Fuzz *f, Source *src) {
    size_t at = below(f, src->n + 1), end = at + below(f, below(f, 40) + 1);
    if (end > src->n) end = src->n;
    const char *word = words[below(f, WORDS)];
    const Source *other = &f->corpus[below(f, (size_t)f->ncorpus)];
    size_t from = below(f, other->n + 1), n = below(f, 200);
    char piece[200], byte = (char)next(f);
    if (n > other->n - from) n = other->n - from;
    memcpy(piece, other->s + from, n);
    switch (next(f) % 7) {
    case 0: replace(src, at, end, "", 0); break;
    case 1: replace(src, at, at, word, strlen(word)); break;
    case 2: replace(src, at, end, word, strlen(word)); break;
    case 3: replace(src, at, at, &byte, 1); break;
    case 4: replace(src, at, end, &byte, 1); break;
    case 5: replace(src, at, end, piece, n); break;
    case 6: /* text of its own, again */
        n = end - at;
        memcpy(piece, src->s + at, n);
        replace(src, at, at, piece, n);
        break;
    }
}

static void make_source(Fuzz *f, Source *src) {
    src->n = 0;
    uint64_t kind = next(f) % 16;
    if (kind == 0) {
        size_t n = below(f, 400);
        for (size_t i = 0; i < n; i++) src->s[src->n++] = (char)next(f);
    } else if (kind < 4) {
        size_t n = below(f, 200);
        for (size_t i = 0; i < n; i++) {
            const char *w = words[below(f, WORDS)];
            replace(src, src->n, src->n, w, strlen(w));
            replace(src, src->n, src->n, " ", 1);
        }
    } else {
        *src = f->corpus[below(f, (size_t)f->ncorpus)];
        for (size_t i = below(f, below(f, 12) + 1) + 1; i > 0; i--) mutate(f, src);
        if (next(f) % 8 == 0) src->n = below(f, src->n + 1);
    }
}

static void read_corpus(Fuzz *f, const char *dir) {
    char path[512];
    DIR *d = opendir(dir);
    for (struct dirent *e; d && f->ncorpus < CORPUS_MAX && (e = readdir(d));) {
        size_t len = strlen(e->d_name);
        if (len < 4 || len > 255 || strcmp(e->d_name + len - 3, ".td") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        FILE *in = fopen(path, "rb");
        if (!in) continue;
        Source *src = &f->corpus[f->ncorpus++];
        src->n = fread(src->s, 1, SOURCE_MAX, in);
        fclose(in);
    }
    if (d) closedir(d);
}

static int by_text(const void *pa, const void *pb) { /* folders list in any order */
    const Source *a = pa, *b = pb;
    return a->n != b->n ? (a->n < b->n ? -1 : 1) : memcmp(a->s, b->s, a->n);
}

/* ---- what must hold ---- */

static bool span_ok(Span s, size_t n) { return s.file == 0 && s.start <= s.end && s.end <= n; }

static bool expr_ok(const AstExpr *e, size_t n, int depth);

static bool items_ok(const AstItems *items, size_t n, int depth) {
    for (int i = 0; items && i < items->v.n; i++) {
        const AstItem *it = &items->v.at[i];
        bool valued = it->kind == ITEM_EXPR || it->kind == ITEM_NAMED || it->kind == ITEM_IN;
        if ((valued && !it->value) || (it->kind == ITEM_REST && it->value) || !span_ok(it->span, n)) return false;
        if (it->hi && (it->kind != ITEM_EXPR || !it->name)) return false;
        if (!expr_ok(it->lo, n, depth) || !expr_ok(it->value, n, depth) || !expr_ok(it->hi, n, depth)) return false;
    }
    return !items || expr_ok(items->guard, n, depth);
}

static bool expr_ok(const AstExpr *e, size_t n, int depth) {
    if (!e) return true;
    if (!span_ok(e->span, n) || e->depth > depth) return false;
    int d = e->depth - 1;
    return expr_ok(e->a, n, d) && expr_ok(e->b, n, d) && expr_ok(e->c, n, d) && items_ok(e->items, n, d);
}

static bool stmt_ok(const AstStmt *s, size_t n) {
    bool ok = span_ok(s->span, n) && expr_ok(s->value, n, AST_DEPTH) && expr_ok(s->guard, n, AST_DEPTH);
    for (int i = 0; i < s->targets.n; i++)
        ok = ok && span_ok(s->targets.at[i].span, n) && items_ok(s->targets.at[i].index, n, AST_DEPTH);
    return ok && (s->kind == STMT_OPTION || s->value);
}

static bool decl_ok(const AstDecl *d, size_t n) {
    bool ok = span_ok(d->span, n) && expr_ok(d->value, n, AST_DEPTH) && items_ok(d->args, n, AST_DEPTH);
    for (int i = 0; d->params && i < d->params->v.n; i++) ok = ok && span_ok(d->params->v.at[i].span, n);
    for (int i = 0; d->body && i < d->body->v.n; i++) ok = ok && stmt_ok(d->body->v.at[i], n);
    return ok && (!d->stmt || stmt_ok(d->stmt, n));
}

static bool utf8_ok(const char *s) {
    for (const unsigned char *c = (const unsigned char *)s; *c;) {
        int n = *c < 0x80 ? 1 : *c >= 0xf0 ? 4 : *c >= 0xe0 ? 3 : *c >= 0xc2 ? 2 : 0;
        for (int i = 1; i < n; i++)
            if ((c[i] & 0xc0) != 0x80) return false;
        if (n == 0 || (*c < 0x20 && *c != '\n')) return false;
        c += n;
    }
    return true;
}

/* Parses; the tree and the diagnostics as text in *out. NULL, or what does not hold. */
static const char *parse(Ctx *ctx, const Source *src, Text *out, bool *clean) {
    AstFile *f = grammar_parse(ctx, diag_add_file(ctx, "fuzz.td", src->s, src->n));
    *clean = diag_errors(ctx) == 0;
    for (int i = 0; i < f->decls.n; i++)
        if (!decl_ok(f->decls.at[i], src->n)) return "a place or a depth is out of bounds";
    for (int i = 0; i < diag_count(ctx); i++)
        if (!span_ok(diag_span(diag_at(ctx, i)), src->n)) return "a report's place is out of bounds";
    if (*clean && f->decls.n == 0 && memchr(src->s, ';', src->n) && !memchr(src->s, '/', src->n))
        return "neither a declaration nor an error";
    diag_render(ctx, out, false);
    diag_render_json(ctx, out);
    if (!utf8_ok(out->s)) return "the diagnostics are not clean text";
    ast_print(out, f);
    return NULL;
}

static const char *run(Fuzz *f, const Source *src) {
    Ctx *a = ctx_new(), *b = ctx_new();
    const char *why = NULL;
    if (!a || !b || CTX_GUARD(a) || CTX_GUARD(b)) {
        why = "out of memory";
    } else {
        Text ta = {.ctx = a}, tb = {.ctx = b};
        bool clean;
        why = parse(a, src, &ta, &clean);
        if (!why) why = parse(b, src, &tb, &clean);
        if (!why && strcmp(ta.s, tb.s) != 0) why = "two runs differ";
        ++*(clean ? &f->clean : &f->broken);
    }
    ctx_free(a);
    ctx_free(b);
    return why;
}

int main(int argc, char **argv) {
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 6000, failed = 0;
    Fuzz f = {.state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
    f.corpus = calloc(CORPUS_MAX, sizeof *f.corpus);
    Source *src = calloc(1, sizeof *src);
    if (!f.corpus || !src) return 1;
    const char *dirs[] = {"tests/syntax", "tests/errors", "tests/golden", "tests/numeric", "samples", "stdlib"};
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) read_corpus(&f, dirs[i]);
    if (f.ncorpus == 0) return printf("no sources found: run from the project's root\n"), 1;
    qsort(f.corpus, (size_t)f.ncorpus, sizeof *f.corpus, by_text);
    for (long i = 0; i < rounds; i++) {
        make_source(&f, src);
        const char *why = run(&f, src);
        if (!why) continue;
        failed++;
        printf("round %ld: %s\n", i, why);
        if (failed == 1) printf("---- source ----\n%.*s\n----\n", (int)src->n, src->s);
    }
    if (rounds > 100 && (f.clean == 0 || f.broken == 0)) failed += printf("the sources are all alike\n") > 0;
    free(f.corpus);
    free(src);
    printf("%ld passed, %ld failed\n", rounds - failed, failed);
    return failed != 0;
}
