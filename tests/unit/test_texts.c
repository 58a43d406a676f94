/* Schedules say what kernels by hand do: for each text of tests/kernels, X.schedule is of the groups of X.td and makes
 * kernels of the same form as X.kernel has. Texts for which nothing can say that yet are the rows of LATER, with the
 * reason; where one of them can be made, its row has to go. */
#include "frontend/sema/sema.h"
#include "grammar/parse.h"
#include "ir/diag.h"
#include "ir/rewrite.h"
#include "sched/kernel/same.h"
#include "sched/search/sched.h"
#include "test.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXTS = 256, LONGEST = 1 << 16 };

static const struct {
    const char *name, *why;
} LATER[] = {
    {"column_sum", "finish"},
    {"last_block", "finish"},
    {"atomic_rows", "no schedule has atomics: where they add is data's places"},
    {"atomic_sums", "what is added in memory is chosen before schedules are"},
    {"atomic_types", "no schedule has atomics"},
    {"causal_sum", "axes are as long as dimensions say: a fold over fewer elements has a condition"},
    {"choose_product", "all ways of a program store the same tensors"},
    {"choose_sums", "all ways of a program store the same tensors, and none has atomics"},
    {"concat_kv", "a group has one range of blocks"},
    {"concat_three", "a group has one range of blocks"},
    {"counted", "what is sorted is chosen before schedules are"},
    {"cross_entropy_fwd_bwd", "a fold of pairs that the program does not have"},
    {"deinterleave", "a load under two conditions is two loads"},
    {"if_rows", "a condition of whole rows is one of each element"},
    {"layernorm_bwd", "rows and columns are folded by two groups"},
    {"parts_alike", "a group has one range of blocks"},
    {"prefix_scaled", "running sums are scans, of one thread too"},
    {"ranked", "what is ranked the program says"},
    {"scan_shares", "shares are as many as the machine runs blocks"},
    {"scan_both", "scans of both directions are two groups"},
    {"scan_warps", "scans of both directions are two groups"},
    {"segment_sums", "axes are as long as dimensions say: a range that is data is a condition"},
    {"softmax_128k", "a fold of pairs that the program does not have"},
    {"softmax_stream", "a fold of pairs that the program does not have"},
    {"sorted_sums", "what is sorted is chosen before schedules are"},
    {"split_digits", "axes are those of equations: digits of one are not made two"},
};

static bool alone; /* one text is asked for: all is printed */

static const char *later(const char *name) {
    for (size_t i = 0; i < sizeof LATER / sizeof *LATER; i++)
        if (!strcmp(LATER[i].name, name)) return LATER[i].why;
    return NULL;
}

typedef struct Source {
    Sym path;
    const char *text; /* NULL: there is no such file */
    size_t n;
} Source;

static Source source(Ctx *ctx, const char *name, const char *suffix) {
    Source s = {.path = sym_fmt(ctx, "tests/kernels/%s.%s", name, suffix)};
    FILE *f = fopen(s.path, "rb");
    if (!f) return s;
    char *text = NEW_N(ctx, char, LONGEST);
    s.n = fread(text, 1, LONGEST - 1, f);
    s.text = text;
    fclose(f);
    return s;
}

static int add(Ctx *ctx, const Source *s) { return diag_add_file(ctx, s->path, s->text, s->n); }

/* The program that the schedule makes of the td file; NULL after saying in *why what is wrong. */
static Program *scheduled(Ctx *ctx, const char *name, const Source *schedule, Text *why) {
    const Source td = source(ctx, name, "td");
    Program *p = NULL;
    Module *m = sema_module(ctx, grammar_parse(ctx, add(ctx, &td)), &(SemaOptions){0});
    Given *given = given_read(ctx, add(ctx, schedule));
    if (given && !diag_errors(ctx) && m->graphs.n == 1) {
        graph_simplify(m->graphs.at[0]);
        p = sched_program(
            ctx, m->graphs.at[0],
            &(SchedOptions){.library = true, .given = given, .without = 1u << SCHED_FLATTEN | 1u << SCHED_SORT});
        if (p && (!given_done(given) || !program_verify(p, why))) p = NULL;
    }
    if (diag_errors(ctx)) diag_render(ctx, why, false);
    return p;
}

static bool equal(Ctx *ctx, const Program *a, const Program *b) {
    bool same = a->kernels.n == b->kernels.n && a->ways.n == b->ways.n;
    for (int i = 0; i < a->kernels.n && same; i++) {
        KernelForm f, g;
        same = kernel_form(ctx, a, a->kernels.at[i], &f) == kernel_form(ctx, b, b->kernels.at[i], &g);
    }
    return same;
}

static void one_text(Ctx *ctx, const char *name) {
    const Source kernel = source(ctx, name, "kernel"), schedule = source(ctx, name, "schedule");
    const char *reason = later(name);
    Text why = {.ctx = ctx};
    text_put(&why, "");
    if (!schedule.text) {
        expect(reason != NULL, name, "there is no schedule beside it");
        return;
    }
    Program *text = program_read(ctx, kernel.text, kernel.n, add(ctx, &kernel));
    Program *made = scheduled(ctx, name, &schedule, &why);
    const bool ok = text && program_verify(text, &why) && made && equal(ctx, text, made);
    if (!ok && made && (!reason || alone)) {
        program_print(&why, made);
        text_put(&why, "\nis not\n");
        program_print(&why, text);
    }
    if (alone) puts(why.s);
    if (reason)
        expect(!ok, name, "its schedule makes an equal kernel: take it from the list");
    else
        expect(ok, name, why.s);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The names of the texts, in order. */
static int texts(Ctx *ctx, const char **names) {
    DIR *d = opendir("tests/kernels");
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d)) && n < MOST_TEXTS;) {
        const char *dot = strrchr(e->d_name, '.');
        if (dot && !strcmp(dot, ".kernel")) names[n++] = sym_n(ctx, e->d_name, (size_t)(dot - e->d_name));
    }
    if (d) closedir(d);
    qsort(names, (size_t)n, sizeof *names, by_name);
    return n;
}

static void in_memory_of_its_own(const char *name) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) {
        expect(false, name, "out of memory");
        return;
    }
    one_text(ctx, name);
    ctx_free(ctx);
}

int main(int argc, char **argv) {
    const char *names[MOST_TEXTS];
    Ctx *ctx = ctx_new();
    alone = argc > 1;
    if (!ctx || CTX_GUARD(ctx)) return 1;
    const int n = texts(ctx, names);
    expect(n > 0, "tests/kernels has texts", NULL);
    for (int i = 0; i < n; i++)
        if (argc == 1 || !strcmp(argv[1], names[i])) in_memory_of_its_own(names[i]);
    ctx_free(ctx);
    return test_end();
}
