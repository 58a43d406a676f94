/* What must hold for any bytes that are read as td, Graph text, kernel text or a tuning file: no fault, an answer that
 * renders as text, and a form that verifies, prints, reads back and prints the same. What memory or work the input may
 * cost is for the caller to bound. */
#include "targets.h"

#include "backend_cuda/lower/lower.h"
#include "frontend/sema/sema.h"
#include "grammar/parse.h"
#include "ir/diag.h"
#include "ir/rewrite.h"
#include "sched/library/tuning.h"

#include <stdio.h>
#include <string.h>

/* What a target says lives here, since its context does not outlive it. */
static _Thread_local char said[4000];

static const char *say(const char *what, const char *detail) {
    snprintf(said, sizeof said, "%s: %s", what, detail ? detail : "");
    return said;
}

static void render_all(Ctx *ctx) {
    Text t = {.ctx = ctx};
    diag_render(ctx, &t, true);
    diag_render_json(ctx, &t);
}

/* ---- Graphs ---- */

/* A Graph that the verifier accepts prints so that it reads back as the same text. */
static const char *graph_round_trip(Ctx *ctx, Graph *g) {
    Text a = {.ctx = ctx}, b = {.ctx = ctx}, why = {.ctx = ctx};
    graph_print(&a, g);
    Graph *again = graph_read(ctx, a.s, a.n, diag_add_file(ctx, "printed.graph", a.s, a.n));
    if (!again) {
        diag_render(ctx, &why, false);
        /* conversions are written out and nest like operators: a Graph at the limit may print beyond it */
        if (strstr(why.s, "nests too deep")) return NULL;
        text_put(&why, a.s);
        return say("the printed Graph does not read back", why.s);
    }
    if (!graph_verify(again, &why)) return say("the Graph read back does not verify", why.s);
    graph_print(&b, again);
    if (strcmp(a.s, b.s) != 0) return say("the Graph read back prints differently", b.s);
    return NULL;
}

static const char *graph_simplified(Ctx *ctx, Graph *g) {
    Text why = {.ctx = ctx};
    graph_simplify(g);
    if (!graph_verify(g, &why)) return say("the simplified Graph does not verify", why.s);
    return graph_round_trip(ctx, g);
}

static const char *graph_checked(Ctx *ctx, Graph *g) {
    const char *wrong = graph_round_trip(ctx, g);
    return wrong ? wrong : graph_simplified(ctx, g);
}

static const char *graph_target(Ctx *ctx, const char *text, size_t n) {
    Graph *g = graph_read(ctx, text, n, diag_add_file(ctx, "fuzz.graph", text, n));
    Text why = {.ctx = ctx};
    render_all(ctx);
    if (!g) return diag_errors(ctx) ? NULL : say("refused without a report", NULL);
    return graph_verify(g, &why) ? graph_checked(ctx, g) : NULL;
}

/* ---- td ---- */

typedef struct Front {
    AstFile *self, *lib;
} Front;

static const char LIB[] = "fn sq(a) = a * a;\n"
                          "fn rows<T>(x: T[B..., N]) -> (y: acc(T)[B...]) { y[b...] = sum[j](x[b..., j]); }\n"
                          "reduce lse[j](v) { let m = max[j](v); return m + log(sum[j](exp(v - m))); }\n";

/* `import "lib"` and an import of the file by itself. */
static AstFile *import(void *user, Ctx *ctx, Sym path, int from, Span where) {
    Front *f = user;
    (void)from;
    (void)where;
    if (!strcmp(path, "./self.td")) return f->self;
    if (strcmp(path, "lib") != 0) return NULL;
    if (!f->lib) f->lib = grammar_parse(ctx, diag_add_file(ctx, "lib.td", LIB, sizeof LIB - 1));
    return f->lib;
}

static const char *front_target(Ctx *ctx, const char *text, size_t n) {
    Front f = {.self = grammar_parse(ctx, diag_add_file(ctx, "fuzz.td", text, n))};
    const SemaOptions opt = {.import = import, .user = &f};
    Text tree = {.ctx = ctx};
    ast_print(&tree, f.self);
    Module *m = diag_errors(ctx) ? NULL : sema_module(ctx, f.self, &opt);
    render_all(ctx);
    if (!m || diag_errors(ctx)) return NULL;
    for (int i = 0; i < m->graphs.n; i++) {
        Text why = {.ctx = ctx};
        if (!graph_verify(m->graphs.at[i], &why)) return say("the Graph does not verify", why.s);
        const char *wrong = graph_checked(ctx, m->graphs.at[i]);
        if (wrong) return wrong;
    }
    return NULL;
}

/* ---- kernels ---- */

static const char *kernel_target(Ctx *ctx, const char *text, size_t n) {
    Program *p = program_read(ctx, text, n, diag_add_file(ctx, "fuzz.kernel", text, n));
    Text why = {.ctx = ctx}, a = {.ctx = ctx}, b = {.ctx = ctx}, out = {.ctx = ctx};
    render_all(ctx);
    if (!p) return diag_errors(ctx) ? NULL : say("refused without a report", NULL);
    if (!program_verify(p, &why)) return why.s ? NULL : say("refused without a reason", NULL);
    program_print(&a, p);
    Program *again = program_read(ctx, a.s, a.n, diag_add_file(ctx, "printed.kernel", a.s, a.n));
    if (!again) {
        diag_render(ctx, &why, false);
        /* conversions are written out and nest like operators: a Graph at the limit may print beyond it */
        if (strstr(why.s, "nests too deep")) return NULL;
        text_put(&why, a.s);
        return say("the printed program does not read back", why.s);
    }
    if (!program_verify(again, &why)) return say("the program read back does not verify", why.s);
    program_print(&b, again);
    if (strcmp(a.s, b.s) != 0) return say("the program read back prints differently", b.s);
    const LowerOptions opt = {.prefix = "fuzz"};
    if (!lower_program(&out, p, &opt, &why) && !why.s) return say("not lowered without a reason", NULL);
    return NULL;
}

/* ---- tuning files ---- */

static const char *tuning_file_target(Ctx *ctx, const char *text, size_t n) {
    Tuning *t = tuning_read(ctx, diag_add_file(ctx, "fuzz.tuning", text, n));
    Text a = {.ctx = ctx}, b = {.ctx = ctx}, c = {.ctx = ctx};
    render_all(ctx);
    if (!t) return diag_errors(ctx) ? NULL : say("refused without a report", NULL);
    tuning_print(&a, t);
    Tuning *again = tuning_read(ctx, diag_add_file(ctx, "printed.tuning", a.s, a.n));
    if (!again) return say("the printed tuning file does not read back", a.s);
    tuning_print(&b, again);
    if (strcmp(a.s, b.s) != 0) return say("the tuning file read back prints differently", b.s);
    while (again->entries.n) {
        TuneProduct p = again->entries.at[again->entries.n / 2].product;
        if (!tuning_find(t, &p)) return say("a product of the file is not found", a.s);
        tuning_remove(again, &p);
    }
    while (again->schedules.n) {
        const TuneSchedule e = again->schedules.at[again->schedules.n / 2];
        if (!tuning_find_schedule(t, &e)) return say("a schedule of the file is not found", a.s);
        tuning_remove_schedule(again, &e);
    }
    for (int i = 0; i < t->entries.n; i++) tuning_set(again, &t->entries.at[i]);
    for (int i = 0; i < t->entries.n; i++) again->entries.at[i].before = t->entries.at[i].before;
    for (int i = 0; i < t->schedules.n; i++) tuning_set_schedule(again, &t->schedules.at[i]);
    again->tail = t->tail;
    tuning_print(&c, again);
    return strcmp(a.s, c.s) != 0 ? say("entries taken out and put back print differently", c.s) : NULL;
}

/* ---- entries ---- */

static const char *run(const char *target(Ctx *ctx, const char *text, size_t n), const char *text, size_t n) {
    Ctx *ctx = ctx_new();
    const char *volatile wrong = "out of memory";
    if (ctx && !CTX_GUARD(ctx)) wrong = target(ctx, text, n);
    ctx_free(ctx);
    return wrong;
}

const char *fuzz_front(const char *text, size_t n) { return run(front_target, text, n); }
const char *fuzz_graph(const char *text, size_t n) { return run(graph_target, text, n); }
const char *fuzz_tuning(const char *text, size_t n) { return run(tuning_file_target, text, n); }
const char *fuzz_kernel(const char *text, size_t n) { return run(kernel_target, text, n); }
