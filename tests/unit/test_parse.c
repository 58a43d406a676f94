/* Lexer, parser, tree and diagnostics. Each tests/syntax/X.td is parsed: every `// expect error[E0123]: text` of it is
 * reported on its line and nothing else is; where they exist, X.ast is its printed tree and X.err what is rendered.
 * With UPDATE=1 in the environment these two are rewritten. Run from the project's root. */
#include "frontend/ast/ast.h"
#include "grammar/parse.h"
#include "ir/diag.h"
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    size_t cap = 1 << 20;
    char *s = malloc(cap);
    *n = s ? fread(s, 1, cap - 1, f) : 0;
    if (s) s[*n] = 0;
    fclose(f);
    return s;
}

/* ---- files ---- */

/* The first expectation at or after *at: its line, "error[E0123]" and text. */
static bool next_expectation(const char *s, const char **at, int *line, Text *code, Text *text) {
    const char *mark = "// expect ", *e = strstr(*at, mark);
    if (!e) return false;
    for (const char *c = *at; c < e; c++) *line += *c == '\n';
    const char *end = e + strcspn(e, "\n"), *again = strstr(e + 1, mark), *from = e + strlen(mark);
    if (again && again < end) end = again;
    const char *colon = strchr(from, ':');
    if (!colon || colon > end) colon = end;
    code->n = text->n = 0;
    text_put_n(code, from, (size_t)(colon - from));
    from = colon + (colon < end);
    while (from < end && *from == ' ') from++;
    while (end > from && end[-1] == ' ') end--;
    text_put_n(text, from, (size_t)(end - from));
    *at = from > *at ? from : *at + 1;
    (void)s;
    return true;
}

static bool reported(Ctx *ctx, bool *used, int line, const char *code, const char *text) {
    for (int i = 0; i < diag_count(ctx); i++) {
        const Diag *d = diag_at(ctx, i);
        int l, c;
        diag_place(ctx, diag_span(d).file, diag_span(d).start, &l, &c);
        Text have = {.ctx = ctx};
        text_fmt(&have, "%s[%s]", diag_severity(diag_code(d)) == SEV_ERROR ? "error" : "warning",
                 diag_code_text(ctx, diag_code(d)));
        if (used[i] || l != line || strcmp(have.s, code) || !strstr(diag_message(d), text)) continue;
        used[i] = true;
        return true;
    }
    return false;
}

/* Returns whether the file expects anything. */
static bool test_expectations(Ctx *ctx, const char *path, const char *source) {
    bool *used = NEW_N(ctx, bool, diag_count(ctx) + 1);
    const char *at = source;
    int line = 1;
    bool any = false;
    Text code = {.ctx = ctx}, text = {.ctx = ctx}, what = {.ctx = ctx};
    while (next_expectation(source, &at, &line, &code, &text)) {
        any = true;
        what.n = 0;
        text_fmt(&what, "%s:%d: not reported: %s: %s", path, line, code.s, text.s);
        expect(reported(ctx, used, line, code.s, text.s), what.s, NULL);
    }
    for (int i = 0; i < diag_count(ctx); i++) {
        if (used[i]) continue;
        const Diag *d = diag_at(ctx, i);
        int l, c;
        diag_place(ctx, diag_span(d).file, diag_span(d).start, &l, &c);
        what.n = 0;
        text_fmt(&what, "%s:%d: not expected: %s: %s", path, l, diag_code_text(ctx, diag_code(d)), diag_message(d));
        expect(false, what.s, NULL);
    }
    return any;
}

/* Compares with the sibling file, or writes it. Returns whether there is one. */
static bool test_golden(bool update, Ctx *ctx, const char *path, const char *ending, const char *have) {
    Text name = {.ctx = ctx};
    text_fmt(&name, "%.*s%s", (int)strlen(path) - 3, path, ending);
    size_t n;
    char *want = read_file(name.s, &n);
    if (!want) return false;
    if (update) {
        FILE *f = fopen(name.s, "wb");
        expect(f && fputs(have, f) >= 0, "cannot write", name.s);
        if (f) fclose(f);
    } else {
        expect(!strcmp(want, have), "differs from the golden", name.s);
        if (strcmp(want, have)) printf("---- now ----\n%s", have);
    }
    free(want);
    return true;
}

static void test_syntax_file(bool update, const char *path) {
    size_t n;
    char *source = read_file(path, &n);
    Ctx *ctx = ctx_new();
    if (!source || !ctx || CTX_GUARD(ctx)) {
        expect(false, "cannot read", path);
    } else {
        const char *base = strrchr(path, '/');
        AstFile *f = grammar_parse(ctx, diag_add_file(ctx, base ? base + 1 : path, source, n));
        Text tree = {.ctx = ctx}, err = {.ctx = ctx};
        ast_print(&tree, f);
        diag_render(ctx, &err, false);
        bool golden = test_golden(update, ctx, path, ".ast", tree.s);
        bool rendered = test_golden(update, ctx, path, ".err", err.s);
        bool expects = !rendered && test_expectations(ctx, path, source);
        expect(golden || rendered || expects, "nothing says what is expected of", path);
    }
    ctx_free(ctx);
    free(source);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void test_syntax_files(bool update, const char *dir) {
    char *names[256], path[512];
    int n = 0;
    DIR *d = opendir(dir);
    for (struct dirent *e; d && n < 256 && (e = readdir(d));) {
        size_t len = strlen(e->d_name);
        if (len > 3 && !strcmp(e->d_name + len - 3, ".td")) names[n++] = strdup(e->d_name);
    }
    if (d) closedir(d);
    expect(n > 0, "no syntax tests found in", dir);
    qsort(names, (size_t)n, sizeof *names, by_name);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        test_syntax_file(update, path);
        free(names[i]);
    }
}

/* ---- limits and bytes ---- */

typedef struct Source {
    char *s;
    size_t n;
} Source;

static void add(Source *src, const char *text, size_t times) {
    size_t k = strlen(text);
    char *s = realloc(src->s, src->n + k * times + 1);
    if (!s) return;
    for (size_t i = 0; i < times; i++) memcpy(s + src->n + i * k, text, k);
    src->s = s;
    src->n += k * times;
}

static Source repeated(const char *before, const char *text, size_t times, const char *after) {
    Source s = {NULL, 0};
    add(&s, before, 1);
    add(&s, text, times);
    add(&s, after, 1);
    return s;
}

/* Parses; the first report has this code (or there is none, DIAG_COUNT). */
static void expect_code(const char *what, const char *s, size_t n, DiagCode code) {
    Ctx *ctx = ctx_new();
    if (ctx && !CTX_GUARD(ctx)) {
        AstFile *f = grammar_parse(ctx, diag_add_file(ctx, "x.td", s, n));
        DiagCode have = diag_count(ctx) ? diag_code(diag_at(ctx, 0)) : DIAG_COUNT;
        expect(f && have == code, what, have == DIAG_COUNT ? "nothing reported" : diag_message(diag_at(ctx, 0)));
        Text out = {.ctx = ctx};
        ast_print(&out, f);
        diag_render(ctx, &out, true);
        diag_render_json(ctx, &out);
        expect(out.n < (64 << 20), what, "the report is too long");
    }
    ctx_free(ctx);
}

static void expect_repeated(const char *what, Source s, DiagCode code) {
    expect_code(what, s.s, s.n, code);
    free(s.s);
}

static void test_limits(void) {
    const size_t many = 1000000;
    expect_repeated("parentheses", repeated("fn f(x) = ", "(", many, "x;"), DIAG_TOO_DEEP);
    expect_repeated("calls", repeated("fn f(x) = ", "g(", many, "x;"), DIAG_TOO_DEEP);
    expect_repeated("loads", repeated("fn f(x) = ", "x[", many, "x;"), DIAG_TOO_DEEP);
    expect_repeated("types", repeated("fn f(x: ", "T(", many, "x;"), DIAG_TOO_DEEP);
    expect_repeated("signs", repeated("fn f(x) = ", "-", many, "x;"), DIAG_TOO_DEEP);
    expect_repeated("powers", repeated("fn f(x) = ", "x**", many, "x;"), DIAG_TOO_DEEP);
    expect_repeated("ifs", repeated("fn f(x) = ", "if x then ", many, "x;"), DIAG_TOO_DEEP);
    expect_repeated("else ifs", repeated("fn f(x) = ", "if x then x else ", many / 2, "x;"), DIAG_TOO_DEEP);
    expect_repeated("terms", repeated("fn f(x) = x", " + x", many, ";"), DIAG_LIMIT);
    expect_repeated("postfixes", repeated("fn f(x) = x", "(1)", many, ";"), DIAG_TOO_DEEP);
    expect_repeated("60000 terms", repeated("fn f(x) = x", " + x", 60000, ";"), DIAG_COUNT);
    expect_repeated("257 conditions", repeated("fn f(x) = x", " && x", 256, ";"), DIAG_TOO_DEEP);
    expect_repeated("4096 elements", repeated("fn f(x) = g(x", ",x", 4095, ");"), DIAG_COUNT);
    expect_repeated("many elements", repeated("fn f(x) = g(x", ",x", many, ");"), DIAG_LIMIT);
    expect_repeated("parameters", repeated("fn f(x", ",x", many, ") = x;"), DIAG_LIMIT);
    expect_repeated("targets", repeated("fn f(x) { let (x", ",x", many, ") = x; }"), DIAG_LIMIT);
    expect_repeated("generics", repeated("fn f<T", ",T", many, ">(x) = x;"), DIAG_LIMIT);
    expect_repeated("draws", repeated("check f() with x ~ 1", ",x ~ 1", many, ";"), DIAG_DUPLICATE_CLAUSE);
    expect_repeated("semicolons", repeated("", ";", many, ""), DIAG_SYNTAX);
    expect_repeated("braces", repeated("", "{", many, ""), DIAG_SYNTAX);
    expect_repeated("closing braces", repeated("", "}", many, ""), DIAG_SYNTAX);
    expect_repeated("characters", repeated("", "@ ", many, ""), DIAG_BAD_BYTE);
    expect_repeated("quotes", repeated("", "\"", many, ""), DIAG_SYNTAX);
    expect_repeated("comments", repeated("", "/*", many, ""), DIAG_SYNTAX);
    expect_repeated("digits", repeated("fn f(x) = ", "1", many, ";"), DIAG_NUMBER_RANGE);
    expect_repeated("many declarations", repeated("", "fn f(x) = x;\n", 20000, ""), DIAG_COUNT);
    expect_repeated("many statements", repeated("fn f(x) {", "let a[i] = x[i];\n", 20000, "}"), DIAG_COUNT);
    expect_repeated("16 MiB", repeated("", "                ", AST_SOURCE_BYTES / 16, ""), DIAG_COUNT);
    expect_repeated("beyond 16 MiB", repeated(" ", "                ", AST_SOURCE_BYTES / 16, ""), DIAG_FILE_TOO_LARGE);
}

static void test_bytes(void) {
#define CODE(text, code) expect_code(#text, text, sizeof text - 1, code)
    CODE("", DIAG_COUNT);
    CODE("\xef\xbb\xbf"
         "fn f(x) = x;",
         DIAG_COUNT);
    CODE("fn f(x) = x;\r\n", DIAG_COUNT);
    CODE("// no line end", DIAG_COUNT);
    CODE("fn f(x) = \0x;", DIAG_NUL_BYTE);
    CODE("// a \0 comment", DIAG_NUL_BYTE);
    CODE("import \"a\0b\";", DIAG_NUL_BYTE);
    CODE("\0", DIAG_NUL_BYTE);
    CODE("f\0n\0", DIAG_SYNTAX);
    CODE("// \xff", DIAG_BAD_UTF8);
    CODE("/* \xc0\x80 */", DIAG_BAD_UTF8);
    CODE("import \"\xed\xa0\x80\";", DIAG_BAD_UTF8);
    CODE("import \"\xf0\x9f\x90\xa2\";", DIAG_COUNT);
    CODE("\xff\xfe", DIAG_BAD_BYTE);
    CODE("\x01", DIAG_BAD_BYTE);
    CODE("/*", DIAG_OPEN_COMMENT);
    CODE("/* *", DIAG_OPEN_COMMENT);
    CODE("/*/", DIAG_OPEN_COMMENT);
    CODE("\"", DIAG_OPEN_STRING);
    CODE("import \"a\\", DIAG_OPEN_STRING);
    CODE("import \"a\\\"", DIAG_OPEN_STRING);
    CODE("1.", DIAG_SYNTAX);
    CODE("fn f(x) = 1.", DIAG_BAD_BYTE);
    CODE("dim N in 0..", DIAG_SYNTAX);
#undef CODE
}

/* ---- places in the tree ---- */

static bool span_is(const char *text, Span s, const char *want) {
    return s.end - s.start == strlen(want) && !strncmp(text + s.start, want, strlen(want));
}

static void test_spans(void) {
    static const char text[] = "/// d\nexport fn f<T>(x: T[N], k: int = 3) -> (y: T[N]) {\n"
                               "    let a: f32[i in N] = (x[i] + 1) * sum[j in 0..3 where j < i](-x[j]);\n}\n";
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return;
    AstFile *f = grammar_parse(ctx, diag_add_file(ctx, "x.td", text, sizeof text - 1));
    expect(f->decls.n == 1 && diag_errors(ctx) == 0, "spans: parses", NULL);
    const AstDecl *d = f->decls.at[0];
    const AstStmt *s = d->body->v.at[0];
    const AstExpr *e = s->value;
    expect(d->doc && !strcmp(d->doc, "d"), "the comment belongs to the declaration", NULL);
    expect(d->span.start == 6 && d->span.end == sizeof text - 2, "declaration", NULL);
    expect(span_is(text, d->name_span, "f"), "its name", NULL);
    expect(span_is(text, d->params->v.at[0].span, "x: T[N]"), "parameter", NULL);
    expect(span_is(text, d->params->v.at[1].span, "k: int = 3"), "parameter with default", NULL);
    expect(span_is(text, d->params->v.at[0].type->dims->span, "[N]"), "dimensions", NULL);
    expect(span_is(text, s->targets.at[0].span, "a: f32[i in N]"), "target", NULL);
    expect(span_is(text, s->targets.at[0].index->v.at[0].span, "i in N"), "index", NULL);
    expect(span_is(text, e->span, "(x[i] + 1) * sum[j in 0..3 where j < i](-x[j])"), "product", NULL);
    expect(span_is(text, e->a->span, "(x[i] + 1)"), "parentheses", NULL);
    expect(e->b->kind == AST_CALL && e->b->a->kind == AST_INDEX, "a reduction is a call of an index", NULL);
    expect(span_is(text, e->b->a->span, "sum[j in 0..3 where j < i]"), "reduction's variables", NULL);
    expect(span_is(text, e->b->a->items->guard->span, "j < i"), "guard", NULL);
    expect(span_is(text, e->b->items->v.at[0].value->span, "-x[j]"), "body", NULL);
    expect(s->span.end == e->span.end + 1, "statement with its semicolon", NULL);
    ctx_free(ctx);
}

/* ---- diagnostics ---- */

static void test_diags(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return;
    int a = diag_add_file(ctx, "a.td", "one\ntwo é three\n", 17), b = diag_add_file(ctx, "b.td", "x", 1);
    int line, col;
    diag_place(ctx, a, 4, &line, &col);
    expect(line == 2 && col == 1, "place: line start", NULL);
    diag_place(ctx, a, 11, &line, &col);
    expect(line == 2 && col == 7, "place: after a wide character", NULL);
    diag_place(ctx, a, 999, &line, &col);
    expect(line == 3 && col == 1, "place: beyond the end", NULL);
    diag_place(ctx, 7, 0, &line, &col);
    expect(line == 0 && col == 0, "place: no file", NULL);
    diag_report(ctx, DIAG_INTERNAL, SPAN_NONE, "nowhere");
    diag_report(ctx, DIAG_UNKNOWN_NAME, (Span){b, 0, 1}, "in b");
    Diag *d = diag_report(ctx, DIAG_HIDES, (Span){a, 4, 7}, "late \"%s\"", "q");
    diag_note(ctx, d, (Span){a, 0, 3}, "a note");
    diag_help(ctx, d, "some help");
    diag_report(ctx, DIAG_UNKNOWN_NAME, (Span){a, 0, 3}, "early");
    diag_report(ctx, DIAG_UNKNOWN_NAME, (Span){a, 0, 3}, "early");
    diag_report(ctx, DIAG_PERF_OPAQUE, (Span){a, 0, 3}, "slow");
    expect(diag_errors(ctx) == 3 && diag_warnings(ctx) == 1 && diag_count(ctx) == 4, "counts", NULL);
    Text out = {.ctx = ctx}, json = {.ctx = ctx}, why = {.ctx = ctx};
    diag_render(ctx, &out, false);
    expect(!strcmp(out.s, "a.td:1:1: error[E0300]: early\n    1 | one\n      | ^^^\n"
                          "a.td:2:1: warning[W0302]: late \"q\"\n    2 | two é three\n      | ^^^\n"
                          "a.td:1:1: note: a note\n    1 | one\n      | ^^^\n      = help: some help\n"
                          "b.td:1:1: error[E0300]: in b\n    1 | x\n      | ^\n"
                          "error[E0001]: nowhere\n"
                          "more about these errors: tdc --explain E0300,E0001\n"),
           "rendering", out.s);
    diag_render_json(ctx, &json);
    expect(strstr(json.s, "{\"file\": \"a.td\", \"line\": 2, \"column\": 1, \"end_line\": 2, \"end_column\": 4, "
                          "\"severity\": \"warning\", \"code\": \"W0302\", \"message\": \"late \\\"q\\\"\", \"notes\": "
                          "[{\"file\": \"a.td\", \"line\": 1, "),
           "JSON", json.s);
    expect(strstr(json.s, "{\"file\": null, \"severity\": \"error\""), "JSON without a place", json.s);
    expect(diag_explain(&why, "E0300") && strstr(why.s, "E0300: unknown name\n\n"), "explain", why.s);
    expect(diag_explain(&why, "302") && !diag_explain(&why, "E9999") && !diag_explain(&why, "x") &&
               !diag_explain(&why, ""),
           "explain: by number, unknown codes", NULL);
    d = diag_report(ctx, DIAG_UNKNOWN_NAME, (Span){b, 1, 1}, "elsewhere");
    diag_moved(d);
    diag_help(ctx, d, "change the text there");
    diag_fix(ctx, d, (Span){b, 0, 1}, "y", "or there");
    diag_advise(ctx, d, "call it otherwise");
    diag_help(ctx, diag_nothing(ctx), "of nothing");
    out.n = 0;
    diag_render(ctx, &out, false);
    expect(strstr(out.s, "call it otherwise") && !strstr(out.s, "there") && !strstr(out.s, "of nothing"), "moved",
           out.s);
    for (int i = 0; i < 99; i++) diag_report(ctx, DIAG_UNKNOWN_NAME, (Span){a, (uint32_t)i % 16, 16}, "flood %d", i);
    out.n = 0;
    diag_render(ctx, &out, true);
    expect(diag_errors(ctx) == 103 && diag_count(ctx) == 51 && strstr(out.s, "and 53 more errors\n"), "limit", NULL);
    ctx_free(ctx);
}

static void test_near(void) {
    static const char *const names[] = {"sigmoid", "softmax", "sqrt", "rsqrt", "x", "log1p", "mean"};
    static const struct {
        const char *name, *near;
    } cases[] = {{"sigmiod", "sigmoid"}, {"sofmax", "softmax"}, {"Sqrt", "sqrt"}, {"sqr", "sqrt"},
                 {"maen", "mean"},       {"convolution", NULL}, {"y", NULL},      {"", NULL},
                 {"sqrt", "rsqrt"},      {"lgo1p", "log1p"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *n = diag_near(cases[i].name, names, 7);
        expect(n == cases[i].near || (n && cases[i].near && !strcmp(n, cases[i].near)), "near", cases[i].name);
    }
}

static bool nth_chunk(void *left) { return !--*(long *)left; }

/* Running out of memory anywhere unwinds to the guard. */
static void test_oom(void) {
    Source s = repeated("", "fn f(x: f32[N]) { let a[i] = x[i] + 1; y[i = 3; }\n", 400, "");
    int failures = 0;
    for (long n = 1; n < 200; n++) {
        Ctx *volatile ctx = ctx_new();
        if (!ctx) break;
        volatile bool done = false;
        long left = n;
        if (!CTX_GUARD(ctx)) {
            ctx_refuse_chunks(ctx, nth_chunk, &left);
            grammar_parse(ctx, diag_add_file(ctx, "x.td", s.s, s.n));
            done = true;
        }
        ctx_free(ctx);
        if (done) break;
        failures++;
    }
    free(s.s);
    expect(failures > 3 && failures < 199, "out of memory", NULL);
}

int main(int argc, char **argv) {
    const char *updates = getenv("UPDATE");
    bool update = updates && !strcmp(updates, "1");
    test_syntax_files(update, argc > 1 ? argv[1] : "tests/syntax");
    test_limits();
    test_bytes();
    test_spans();
    test_diags();
    test_near();
    test_oom();
    return test_end();
}
