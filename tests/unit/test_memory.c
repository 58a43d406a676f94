/* Running out of memory at any chunk unwinds to the guard: each program is compiled once, and at each chunk that it
 * asks for a child process goes on in which that one is refused. What is written is that of a compilation without
 * children; and again with small chunks. TDC_STRIDE=k, which tests/run.sh sets: every k-th chunk. The last two
 * programs, whose searches take five times as long as those of all others together, are for TDC_EVERY=1.
 * Leaks are for the sanitizers to find. Run from the project's root. */
#include "backend_cuda/glue/glue.h"
#include "backend_cuda/lower/lower.h"
#include "frontend/sema/sema.h"
#include "grammar/parse.h"
#include "ir/diag.h"
#include "ir/rewrite.h"
#include "sched/search/sched.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHUNK = 2048, UNWOUND = 7 /* a child's status where memory ran out, and all was freed */ };

typedef struct Source {
    const char *path;
    char text[1 << 14];
    size_t n;
} Source;

/* Everything that a compilation says and writes. */
static void emit(Ctx *ctx, Program *const *programs, int n, Text *out) {
    const LowerOptions lower = {.prefix = "m", .prelude = prelude_new(ctx)};
    const GlueOptions glue = {.prefix = "m", .header = "m.h"};
    Text kernels = {.ctx = ctx}, why = {.ctx = ctx};
    const Program *const *p = (const Program *const *)programs;
    for (int i = 0; i < n; i++) lower_program(&kernels, programs[i], &lower, &why);
    lower_head(out, &lower);
    text_put_n(out, kernels.s ? kernels.s : "", kernels.n);
    const Graph *at;
    if (!glue_verify(p, n, &glue, &at, &why)) text_put(out, why.s);
    glue_emit_c(out, NULL, p, n, &glue);
    glue_emit_h(out, p, n, &glue);
}

static void compile(Ctx *ctx, const Source *s, Text *out) {
    VEC(Program *) programs = {0};
    Text why = {.ctx = ctx};
    int file = diag_add_file(ctx, s->path, s->text, s->n);
    if (strstr(s->path, ".kernel")) {
        Program *p = program_read(ctx, s->text, s->n, file);
        if (p && program_verify(p, &why)) vec_push(ctx, &programs, p);
    } else {
        Module *m = sema_module(ctx, grammar_parse(ctx, file), NULL);
        for (int i = 0; i < m->graphs.n; i++) {
            Graph *g = m->graphs.at[i];
            if (!graph_verify(g, &why)) text_put(out, why.s);
            graph_print(out, g);
            graph_simplify(g);
            Program *p = sched_program(ctx, g, NULL);
            if (!p || !program_verify(p, &why)) continue;
            program_print(out, p);
            vec_push(ctx, &programs, p);
        }
    }
    diag_render(ctx, out, true);
    diag_render_json(ctx, out);
    if (programs.n) emit(ctx, programs.at, programs.n, out);
}

/* Which chunks are refused: the first ones all, and ever fewer of those after. */
typedef struct Refusals {
    bool child;          /* this process goes on without a chunk */
    long stride, slower; /* after n chunks the next one is stride + n / slower later */
    long seen, next;
    long refused, failed;
} Refusals;

static bool refuse(void *user) {
    Refusals *r = user;
    if (r->child || ++r->seen < r->next) return false;
    r->next = r->seen + r->stride + r->seen / r->slower;
    fflush(NULL);
    const pid_t pid = fork();
    if (!pid) return r->child = true;
    int status = 0;
    r->refused++;
    r->failed += pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != UNWOUND;
    return false;
}

/* What is written. NULL where memory ran out. */
static char *attempt(const Source *s, size_t chunk, Refusals *r) {
    char *volatile copy = NULL;
    Ctx *volatile ctx = ctx_new();
    if (ctx && !CTX_GUARD(ctx)) {
        ctx_chunk_bytes(ctx, chunk);
        if (r) ctx_refuse_chunks(ctx, refuse, r);
        Text out = {.ctx = ctx};
        compile(ctx, s, &out);
        copy = malloc(out.n + 1);
        if (copy) memcpy(copy, out.s, out.n + 1);
    }
    ctx_free(ctx);
    if (r && r->child) exit(copy ? EXIT_FAILURE : UNWOUND); /* by exit: sanitizers look for leaks in it */
    return copy;
}

/* Of small chunks, which are many, fewer are refused. */
static bool every_chunk(const Source *s, long stride, long *refused) {
    Refusals large = {.stride = stride, .slower = 20, .next = 1}, many = {.stride = stride, .slower = 5, .next = 1};
    char *whole = attempt(s, 0, NULL), *last = attempt(s, 0, &large), *small = attempt(s, CHUNK, &many);
    *refused = large.refused + many.refused;
    bool ok = large.refused > 0 && many.refused > 0 && many.seen > 20 && !large.failed && !many.failed;
    ok = ok && whole && last && small && strlen(whole) > 100;
    ok = ok && !strcmp(whole, last) && !strcmp(whole, small);
    free(whole);
    free(last);
    free(small);
    return ok;
}

int main(void) {
    static const char *const paths[] = {
        "tests/golden/interface.td",       "tests/golden/row_softmax.td",     "tests/frontend/composite.td",
        "tests/frontend/err_names.td",     "tests/golden/chunked.td",         "tests/kernels/cluster_loop.kernel",
        "tests/kernels/bulk_tiles.kernel", "tests/kernels/cumsum_any.kernel", "tests/kernels/choose_sums.kernel",
        "tests/numeric/causal.td",         "tests/numeric/routed.td"};
    const char *given = getenv("TDC_STRIDE"), *every = getenv("TDC_EVERY");
    const size_t n = sizeof paths / sizeof *paths - (every && !strcmp(every, "1") ? 0 : 2);
    long stride = given ? strtol(given, NULL, 10) : 1;
    int passed = 0, failed = 0;
    if (stride < 1) stride = 1;
    for (size_t i = 0; i < n; i++) {
        Source *s = calloc(1, sizeof *s);
        FILE *f = fopen(paths[i], "rb");
        long refused = 0;
        if (s && f) {
            s->path = paths[i];
            s->n = fread(s->text, 1, sizeof s->text - 1, f);
        }
        bool ok = s && f && every_chunk(s, stride, &refused);
        if (!ok) printf("FAILED %s: %ld chunks were refused\n", paths[i], refused);
        ok ? passed++ : failed++;
        if (f) fclose(f);
        free(s);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
