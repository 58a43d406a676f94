/* Semantic analysis against expectations. Each tests/frontend/X.td with a sibling X.graph must give that text, the
 * Graphs of its exports one after another; with comments `// expect error[E0123]: text` (or warning[W...]) each must be
 * reported on its line and nothing else may be. test_front --update rewrites the .graph files; names choose files. */
#include "frontend/sema/sema.h"
#include "grammar/parse.h"
#include "ir/diag.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const DIR_NAME = "tests/frontend";

static char *read_all(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    size_t cap = 1 << 16;
    char *text = malloc(cap + 1);
    *n = 0;
    for (size_t k; text && (k = fread(text + *n, 1, cap - *n, f)) > 0;) {
        *n += k;
        if (*n == cap) {
            char *more = realloc(text, (cap *= 2) + 1);
            if (!more) free(text);
            text = more;
        }
    }
    fclose(f);
    if (text) text[*n] = 0;
    return text;
}

/* "./x.td" stands in the same folder; each file is parsed once a compilation. */
typedef struct Import {
    AstFile *file;
    char name[200];
    struct Import *next;
} Import;

static AstFile *import(void *user, Ctx *ctx, Sym path, int from, Span where) {
    Import **all = user;
    (void)from;
    (void)where;
    if (strncmp(path, "./", 2) != 0 || strlen(path) > 100) return NULL;
    for (Import *i = *all; i; i = i->next)
        if (!strcmp(i->name, path)) return i->file;
    char full[400];
    snprintf(full, sizeof full, "%s/%s", DIR_NAME, path + 2);
    size_t n;
    char *text = read_all(full, &n);
    if (!text) return NULL;
    Import *i = NEW(ctx, Import);
    snprintf(i->name, sizeof i->name, "%s", path);
    i->file = grammar_parse(ctx, diag_add_file(ctx, path, text, n));
    i->next = *all;
    *all = i;
    free(text);
    return i->file;
}

/* ---- expectations in comments ---- */

static bool expect_at(const char *line, char *code, size_t cap, const char **text) {
    const char *p = strstr(line, "// expect ");
    if (!p) return false;
    const char *open = strchr(p, '['), *close = open ? strstr(open, "]:") : NULL;
    if (!close || (size_t)(close - open) > cap) return false;
    snprintf(code, cap, "%.*s", (int)(close - open - 1), open + 1);
    *text = close + 2;
    while (**text == ' ') (*text)++;
    return true;
}

static bool check_reports(Ctx *ctx, int file, const char *text) {
    bool ok = true;
    int n = diag_count(ctx);
    bool *matched = NEW_N(ctx, bool, n + 1);
    int number = 1;
    for (const char *line = text; *line; number++) {
        const char *end = strchr(line, '\n');
        size_t len = end ? (size_t)(end - line) : strlen(line);
        char buf[1000], code[20];
        const char *want;
        snprintf(buf, sizeof buf, "%.*s", (int)len, line);
        line += len + (end != NULL);
        if (!expect_at(buf, code, sizeof code, &want)) continue;
        bool found = false;
        for (int i = 0; i < n; i++) {
            const Diag *d = diag_at(ctx, i);
            int l, c;
            diag_place(ctx, diag_span(d).file, diag_span(d).start, &l, &c);
            if (matched[i] || diag_span(d).file != file || l != number ||
                strcmp(diag_code_text(ctx, diag_code(d)), code) != 0)
                continue;
            if (!strstr(diag_message(d), want)) continue;
            matched[i] = found = true;
            break;
        }
        if (!found) printf("  line %d: not reported: %s: %s\n", number, code, want);
        ok &= found;
    }
    for (int i = 0; i < n; i++) ok &= matched[i];
    if (!ok) {
        Text out = {.ctx = ctx};
        diag_render(ctx, &out, false);
        printf("%s", out.s ? out.s : "");
    }
    return ok;
}

/* ---- graphs ---- */

static bool compare(const char *path, const Text *got, bool update) {
    size_t n;
    if (update) {
        FILE *f = fopen(path, "wb");
        if (!f) return false;
        fwrite(got->s ? got->s : "", 1, got->n, f);
        return fclose(f) == 0;
    }
    char *want = read_all(path, &n);
    bool ok = want && n == got->n && !memcmp(want, got->s ? got->s : "", n);
    if (!ok) printf("  %s differs; now it is:\n%s", path, got->s ? got->s : "");
    free(want);
    return ok;
}

/* A Graph is well formed, and its text reads back to the same text. */
static bool sound(Ctx *ctx, Graph *g, const Text *text) {
    Text why = {.ctx = ctx}, again = {.ctx = ctx};
    if (!graph_verify(g, &why)) {
        printf("  %s is refused: %s\n", g->name, why.s ? why.s : "");
        return false;
    }
    Graph *r = graph_read(ctx, text->s, text->n, -1);
    if (r) graph_print(&again, r);
    if (r && again.n == text->n && !memcmp(again.s, text->s, text->n)) return true;
    printf("  %s does not read back to the same text:\n%s--- but\n%s", g->name, text->s,
           again.s ? again.s : "(refused)\n");
    return false;
}

static bool run_file(const char *name, const char *path, bool show, bool update) {
    size_t n;
    char *text = read_all(path, &n);
    Ctx *ctx = ctx_new();
    if (!text || !ctx || CTX_GUARD(ctx)) {
        printf("  cannot read %s\n", path);
        free(text);
        ctx_free(ctx);
        return false;
    }
    int file = diag_add_file(ctx, name, text, n);
    AstFile *ast = grammar_parse(ctx, file);
    Import *imports = NULL;
    SemaOptions opt = {.import = import, .user = &imports};
    Module *m = sema_module(ctx, ast, &opt);
    bool ok = check_reports(ctx, file, text);
    Text all = {.ctx = ctx};
    for (int i = 0; i < m->graphs.n; i++) {
        Text one = {.ctx = ctx};
        graph_print(&one, m->graphs.at[i]);
        ok &= sound(ctx, m->graphs.at[i], &one);
        text_fmt(&all, "%s%s", i ? "\n" : "", one.s ? one.s : "");
    }
    bool errors = strstr(text, "// expect error") != NULL;
    char golden[500];
    snprintf(golden, sizeof golden, "%.*s.graph", (int)(strlen(path) - 3), path);
    if (show)
        printf("%s", all.s ? all.s : "");
    else if (!errors)
        ok &= compare(golden, &all, update);
    if (!errors && m->graphs.n == 0 && !strstr(name, "lib_")) ok = false;
    ctx_free(ctx);
    free(text);
    return ok;
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

int main(int argc, char **argv) {
    bool update = false;
    int passed = 0, failed = 0, count = 0, chosen = 0;
    char *names[512];
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        size_t n = strlen(a);
        if (!strcmp(a, "--update")) {
            update = true;
        } else if (n > 3 && strchr(a, '/') && !strcmp(a + n - 3, ".td")) { /* any file, printed */
            bool ok = run_file(a, a, true, false);
            ok ? passed++ : failed++;
            chosen = 1;
        }
    }
    DIR *dir = chosen ? NULL : opendir(DIR_NAME);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 3, ".td") != 0 || count == 512) continue;
        if ((names[count] = malloc(n + 1))) memcpy(names[count++], e->d_name, n + 1);
    }
    if (dir) closedir(dir);
    qsort(names, (size_t)count, sizeof *names, by_name);
    for (int i = 0; i < count; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", DIR_NAME, names[i]);
        bool ok = run_file(names[i], path, false, update);
        if (!ok) printf("FAILED %s\n", names[i]);
        ok ? passed++ : failed++;
        free(names[i]);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
