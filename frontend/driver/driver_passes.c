/* The passes, one function a row of passes.def, the verifiers between them, and what --dump prints. */
#include "driver.h"

#include "backend_cuda/lower/lower.h"
#include "ir/diag.h"
#include "ir/rewrite.h"
#include "frontend/sema/sema.h"
#include "grammar/parse.h"

#include <errno.h>
#include <string.h>
#include <time.h>

Exit driver_wrong_unless(const Job *job, Exit otherwise) { return diag_errors(job->ctx) ? EXIT_WRONG : otherwise; }

Exit driver_internal(Job *job, const char *where, const Text *why) {
    diag_report(job->ctx, DIAG_INTERNAL, (Span){job->file, 0, 0}, "%s: %s", where, why->s ? why->s : "no reason given");
    return EXIT_INTERNAL;
}

static bool has_suffix(const char *s, const char *suffix) {
    size_t n = strlen(s), m = strlen(suffix);
    return n > m && !strcmp(s + n - m, suffix);
}

bool driver_is_kernel_text(const Job *job) { return has_suffix(job->o->file, ".kernel"); }
static bool is_graph_text(const Job *job) { return has_suffix(job->o->file, ".graph"); }

/* ---- imports ---- */

static AstFile *import_at(Job *job, Sym path) {
    SourceFile f = {0};
    size_t n = 0;
    if (!driver_source_identity(path, &f.device, &f.inode)) return NULL;
    for (int i = 0; i < job->sources.n; i++)
        if (job->sources.at[i].device == f.device && job->sources.at[i].inode == f.inode) {
            depend_read(job, path);
            return job->sources.at[i].tree;
        }
    char *text = driver_source_read(job->ctx, path, &n);
    if (!text) return NULL;
    depend_read(job, path);
    f.tree = grammar_parse(job->trees, diag_add_file(job->ctx, path, text, n));
    vec_push(job->ctx, &job->sources, f);
    return f.tree;
}

/* "./x.td" stands beside the importing file; "nn" is nn.td in a folder of -I or in the standard library. */
static AstFile *import(void *user, Ctx *ctx, Sym path, int from, Span where) {
    Job *job = user;
    (void)where;
    if (path[0] == '/') return import_at(job, path);
    if (path[0] == '.') {
        while (!strncmp(path, "./", 2)) path += 2;
        const char *base = diag_file_name(ctx, from), *slash = strrchr(base, '/');
        return import_at(job, slash ? sym_fmt(ctx, "%.*s/%s", (int)(slash - base), base, path) : path);
    }
    const char *suffix = has_suffix(path, ".td") ? "" : ".td";
    AstFile *tree = NULL;
    for (int i = 0; !tree && i < job->o->includes.n; i++)
        tree = import_at(job, sym_fmt(ctx, "%s/%s%s", job->o->includes.at[i], path, suffix));
    return tree || !job->o->home ? tree : import_at(job, sym_fmt(ctx, "%s/stdlib/%s%s", job->o->home, path, suffix));
}

/* ---- the passes ---- */

static Exit pass_PARSE(Job *job) {
    if (driver_is_kernel_text(job) || is_graph_text(job)) return EXIT_OK;
    SourceFile f = {0};
    job->trees = ctx_temp(job->ctx);
    f.tree = job->ast = grammar_parse(job->trees, job->file);
    if (driver_source_identity(job->o->file, &f.device, &f.inode)) vec_push(job->ctx, &job->sources, f);
    return driver_wrong_unless(job, EXIT_OK);
}

/* Whether the command line's ENTRY is an export; says so where it is not, with those that there are. */
static Exit entry_exists(Job *job, const Module *m) {
    const char *entry = job->o->entry, **names = NEW_N(job->ctx, const char *, m->graphs.n + 1);
    Text all = {.ctx = job->ctx};
    if (!entry || check_graph(m, sym(job->ctx, entry))) return EXIT_OK;
    for (int i = 0; i < m->graphs.n; i++) {
        names[i] = m->graphs.at[i]->name;
        text_fmt(&all, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = diag_near(entry, names, m->graphs.n);
    Span where = SPAN_NONE;
    for (int i = 0; near && i < m->graphs.n; i++)
        if (names[i] == near) where = m->graphs.at[i]->span;
    Diag *d = diag_report(job->ctx, DIAG_UNKNOWN_NAME, where, "%s has no entry '%s'", job->o->file, entry);
    if (near) diag_help(job->ctx, d, "did you mean %s?", near);
    if (all.n) diag_help(job->ctx, d, "its entries are %s", all.s);
    return EXIT_WRONG;
}

/* A file of Graph text. What the frontend would have refused in td is reported here; without Graphs then. */
static Module *graph_text(Job *job) {
    size_t n = 0;
    const char *text = diag_file_text(job->ctx, job->file, &n);
    Module *m = graph_read_module(job->ctx, text, n, job->file);
    for (int i = 0; m && i < m->graphs.n; i++) {
        Text why = {.ctx = job->ctx};
        if (!graph_verify(m->graphs.at[i], &why))
            diag_report(job->ctx, DIAG_GRAPH_TEXT, m->graphs.at[i]->span, "%s", why.s);
    }
    if (m && !diag_errors(job->ctx)) return m;
    m = NEW(job->ctx, Module);
    m->ctx = job->ctx;
    return m;
}

/* The entry that a command is about alone. What `tune` measures names its own. */
static const char *only_entry(const Job *job) {
    const Command c = job->o->command;
    if (job->copy_of) return job->copy_of;
    return driver_command_builds(c) || c == COMMAND_EXPLAIN ? job->o->entry : NULL;
}

/* The program as Graphs. Where a command is about one entry the others are neither scheduled nor compiled. */
static Module *one_module(Job *job, const SemaOptions *opt) {
    Module *m = is_graph_text(job) ? graph_text(job) : sema_module(job->ctx, job->ast, opt);
    const char *entry = only_entry(job);
    Graph *g = entry ? (Graph *)check_graph(m, sym(job->ctx, entry)) : NULL;
    if (g) m->graphs.at[0] = g, m->graphs.n = 1;
    return m;
}

/* That, and of copies each made anew: passes change Graphs. */
static Module *module_of(Job *job, const SemaOptions *opt) {
    Module *m = one_module(job, opt);
    for (int i = 0; i < job->copies.n && m->graphs.n; i++) {
        Graph *g = i ? one_module(job, opt)->graphs.at[0] : m->graphs.at[0];
        g->name = job->copies.at[i];
        if (i) vec_push(job->ctx, &m->graphs, g);
    }
    return m;
}

/* A pass has made the Graph, or changed it. NULL: there is none. */
static Exit verify_one(Job *job, Graph *g, const char *pass) {
    Text why = {.ctx = job->ctx};
    return !g || graph_verify(g, &why) ? EXIT_OK : driver_internal(job, pass, &why);
}

static Exit verify_module(Job *job, const Module *m, const char *pass) {
    Exit e = EXIT_OK;
    for (int i = 0; m && i < m->graphs.n && e == EXIT_OK; i++) e = verify_one(job, m->graphs.at[i], pass);
    return e;
}

/* After every pass that makes Graphs. */
static Exit verify_graphs(Job *job, const char *pass) {
    Exit e = verify_module(job, job->module, pass);
    return e == EXIT_OK ? verify_module(job, job->assumed, pass) : e;
}

/* --debug-checks: the same entries once more, of which their assumptions remain. */
static Exit assume(Job *job, const SemaOptions *opt) {
    Module *m = job->assumed = module_of(job, opt);
    Exit e = driver_fix(job, m);
    for (int i = 0; e == EXIT_OK && i < m->graphs.n; i++) {
        Assumptions all = {0};
        Graph *g = m->graphs.at[i];
        g->name = sym_fmt(job->ctx, "%s_assumptions", g->name);
        if (!graph_assumed(g, &all)) m->graphs.at[i] = NULL;
        vec_push(job->ctx, &job->assumptions, all);
    }
    return e;
}

/* The module, and with --debug-checks that of its assumptions. */
static Exit elaborate(Job *job, const SemaOptions *opt) {
    job->module = module_of(job, opt);
    if (diag_errors(job->ctx) || entry_exists(job, job->module) != EXIT_OK) return EXIT_WRONG;
    Exit e = verify_graphs(job, "sema");
    if (e == EXIT_OK && job->o->defines.n) {
        e = driver_fix(job, job->module);
        if (e == EXIT_OK) e = verify_graphs(job, "-D");
    }
    if (e == EXIT_OK) e = driver_check_at(job);
    if (e != EXIT_OK || !job->o->debug_checks) return e;
    e = assume(job, opt);
    return e == EXIT_OK ? verify_graphs(job, "--debug-checks") : e;
}

static void end_trees(Job *job) {
    for (int i = 0; i < job->sources.n; i++) job->sources.at[i].tree = NULL;
    job->ast = NULL;
    if (job->trees) ctx_temp_end(job->trees);
    job->trees = NULL;
}

/* The reference interpreter reads the equations as they were written: a check keeps Graphs that no pass has touched. */
static Exit make_reference(Job *job, const SemaOptions *opt) {
    if (!driver_command_builds(job->o->command) || job->o->place == PLACE_INTERP) return EXIT_OK;
    job->reference = module_of(job, opt);
    return driver_fix(job, job->reference);
}

static Exit pass_SEMA(Job *job) {
    if (driver_is_kernel_text(job)) return EXIT_OK;
    const SemaOptions opt = {.import = import, .user = job};
    Exit e = elaborate(job, &opt);
    if (e == EXIT_OK) e = make_reference(job, &opt);
    end_trees(job);
    return e;
}

static Exit simplify_module(Job *job, const Module *m) {
    Exit e = EXIT_OK;
    for (int i = 0; m && i < m->graphs.n && e == EXIT_OK; i++) {
        Graph *g = m->graphs.at[i];
        if (g && graph_simplify(g)) e = verify_one(job, g, "simplify");
    }
    return e;
}

static Exit pass_SIMPLIFY(Job *job) {
    if (driver_is_kernel_text(job)) return EXIT_OK;
    Exit e = simplify_module(job, job->module);
    return e == EXIT_OK ? simplify_module(job, job->assumed) : e;
}

/* A Graph that a step has rewritten: in its other way, too, where there is one. */
typedef struct Touched {
    Job *job;
    Graph *g;
    const char *pass;
} Touched;

static bool verify_other(void *touched) {
    const Touched *t = touched;
    return verify_one(t->job, t->g, t->pass) == EXIT_OK;
}

static Exit verify_touched(Job *job, SchedWork *w, const char *pass) {
    if (!w || !w->touched) return EXIT_OK;
    Touched t = {job, w->graph, pass};
    const Exit e = verify_one(job, w->graph, pass);
    return e != EXIT_OK || sched_branch_graph(w, verify_other, &t) ? e : EXIT_INTERNAL;
}

/* After a step that rewrites Graphs, or not. */
static Exit verify_works(Job *job, Exit e, const char *pass) {
    for (int i = 0; i < job->entries.n && e == EXIT_OK; i++) {
        e = verify_touched(job, job->entries.at[i].work, pass);
        if (e == EXIT_OK) e = verify_touched(job, job->entries.at[i].assumed, pass);
    }
    return e;
}

static Exit pass_SORT(Job *job) { return verify_works(job, driver_sched_sort(job), "sort"); }
static Exit pass_CHUNK(Job *job) { return verify_works(job, driver_sched_chunk(job), "chunk"); }
static Exit pass_PREPARE(Job *job) { return driver_sched_prepare(job); }
static Exit pass_PARTITION(Job *job) { return driver_sched_step(job, SCHED_PARTITION); }
static Exit pass_SHARE(Job *job) { return driver_sched_step(job, SCHED_SHARE); }
static Exit pass_FUSE(Job *job) { return driver_sched_step(job, SCHED_FUSE); }
static Exit pass_SPLIT(Job *job) { return driver_sched_step(job, SCHED_SPLIT); }
static Exit pass_FLATTEN(Job *job) { return driver_sched_step(job, SCHED_FLATTEN); }
static Exit pass_CHOOSE(Job *job) { return driver_sched_step(job, SCHED_CHOOSE); }
static Exit pass_APPLY(Job *job) { return driver_sched_apply(job); }
static Exit pass_PARTS(Job *job) { return driver_sched_step(job, SCHED_PARTS); }
static Exit pass_STREAM(Job *job) { return driver_sched_step(job, SCHED_STREAM); }
static Exit pass_ADVISE(Job *job) { return driver_sched_advise(job); }
static Exit pass_SAME(Job *job) { return driver_sched_same(job); }

/* Its kernels are gone from memory before the next one's are there. */
static bool lower(Job *job, Program *p, const LowerOptions *opt) {
    if (!p) return true;
    Ctx *temp = ctx_temp(job->ctx);
    Text why = {.ctx = job->ctx}, kernels = {.ctx = temp};
    TextSink *sink = &job->middle[EMIT_CU].sink;
    bool ok = lower_program(&kernels, p, opt, &why);
    if (ok && kernels.n) sink->take(sink, kernels.s, kernels.n);
    ctx_temp_end(temp);
    if (ok) return true;
    diag_report(job->ctx, DIAG_NOT_YET, (Span){job->file, 0, 0}, "%s: %s", p->graph->name,
                why.s ? why.s : "cannot be lowered");
    return false;
}

/* The command, for files that stay. Those of check, run and bench are compiled and go: the same ones have the same
 * bytes, by which the cache knows them, whatever the command was. */
static const char *made_by(const Job *job) {
    return driver_command_builds(job->o->command) ? NULL : job->o->command_line;
}

static Exit pass_LOWER(Job *job) {
    const LowerOptions opt = {.prefix = job->prefix,
                              .command = made_by(job),
                              .prelude = prelude_new(job->ctx),
                              .targets = driver_targets(job->o)};
    for (int i = 0; i < job->programs.n; i++)
        if (!lower(job, job->programs.at[i], &opt) || !lower(job, job->programs.at[i]->assumed, &opt))
            return EXIT_WRONG;
    lower_head(&job->out[EMIT_CU], &opt);
    job->middle[EMIT_CU].sink.at = job->out[EMIT_CU].n;
    return EXIT_OK;
}

static GlueOptions glue_options(Job *job) {
    return (GlueOptions){.version = TDC_VERSION,
                         .prefix = job->prefix,
                         .header = sym_fmt(job->ctx, "%s.h", job->stem),
                         .comment = made_by(job),
                         .targets = driver_targets(job->o),
                         .emu = job->o->target_emu,
                         .tuning = job->tuning};
}

static const Program *const *programs(const Job *job) { return (const Program *const *)job->programs.at; }

static Exit pass_HOST(Job *job) {
    const GlueOptions opt = glue_options(job);
    Text why = {.ctx = job->ctx};
    const Graph *at;
    if (!glue_verify(programs(job), job->programs.n, &opt, &at, &why)) {
        diag_report(job->ctx, DIAG_INTERFACE, at ? at->span : (Span){job->file, 0, 0}, "%s", why.s);
        return EXIT_WRONG;
    }
    glue_emit_c(&job->out[EMIT_C], &job->middle[EMIT_C].sink, programs(job), job->programs.n, &opt);
    return EXIT_OK;
}

static Exit pass_HEADER(Job *job) {
    const GlueOptions opt = glue_options(job);
    glue_emit_h(&job->out[EMIT_H], programs(job), job->programs.n, &opt);
    return EXIT_OK;
}

/* Nobody asks for the file: neither written nor printed. */
static bool unwanted(const Job *job, EmitId e, PassId pass) { return !(job->o->emit >> e & 1) && !job->o->dump[pass]; }

static Exit pass_MANIFEST(Job *job) {
    if (unwanted(job, EMIT_MANIFEST, PASS_MANIFEST)) return EXIT_OK;
    const GlueOptions opt = glue_options(job);
    glue_emit_manifest(&job->out[EMIT_MANIFEST], programs(job), job->programs.n, &opt);
    return EXIT_OK;
}

/* The example takes by default what an entry's first check without an error does. */
static Exit pass_DRIVER(Job *job) {
    if (unwanted(job, EMIT_MAIN, PASS_DRIVER)) return EXIT_OK;
    GlueOptions opt = glue_options(job);
    int n = job->module ? job->module->checks.n : 0;
    GlueSizes *sizes = NEW_N(job->ctx, GlueSizes, n + 1);
    for (int i = 0; i < n; i++) {
        const Check *c = &job->module->checks.at[i];
        if (!c->error && !c->bench)
            sizes[opt.nsizes++] = (GlueSizes){.entry = c->entry, .at = c->bindings.at, .n = c->bindings.n};
    }
    opt.sizes = sizes;
    glue_emit_main(&job->out[EMIT_MAIN], programs(job), job->programs.n, &opt);
    glue_emit_make(&job->out[EMIT_MK], job->stem, &opt);
    return EXIT_OK;
}

/* ---- the forms ---- */

static void print_AST(Job *job, Text *out) {
    if (job->ast) ast_print(out, job->ast);
}
static void print_GRAPH(Job *job, Text *out) {
    for (int i = 0; job->module && i < job->module->graphs.n; i++) graph_print(out, job->module->graphs.at[i]);
    for (int i = 0; job->assumed && i < job->assumed->graphs.n; i++)
        if (job->assumed->graphs.at[i]) graph_print(out, job->assumed->graphs.at[i]);
}
static void print_PREPARED(Job *job, Text *out) { driver_sched_print(job, SCHED_FORM_PREPARED, out); }
static void print_PLAN(Job *job, Text *out) { driver_sched_print(job, SCHED_FORM_PLAN, out); }
static void print_SCHEDULES(Job *job, Text *out) { driver_sched_print(job, SCHED_FORM_SCHEDULES, out); }
static void print_KERNELS(Job *job, Text *out) {
    for (int i = 0; i < job->programs.n; i++) {
        program_print(out, job->programs.at[i]);
        if (job->programs.at[i]->assumed) program_print(out, job->programs.at[i]->assumed);
    }
}
static bool append(void *user, const char *bytes, size_t n) {
    text_put_n(user, bytes, n);
    return true;
}
static void print_file(Job *job, Text *out, EmitId e) {
    const char *s = job->out[e].s ? job->out[e].s : "";
    Spool *middle = &job->middle[e];
    text_put_n(out, s, middle->sink.at);
    spool_each(middle, false, append, out);
    text_put_n(out, s + middle->sink.at, job->out[e].n - middle->sink.at);
}
static void print_CU(Job *job, Text *out) { print_file(job, out, EMIT_CU); }
static void print_C(Job *job, Text *out) { print_file(job, out, EMIT_C); }
static void print_H(Job *job, Text *out) { print_file(job, out, EMIT_H); }
static void print_DRIVER(Job *job, Text *out) {
    print_file(job, out, EMIT_MAIN);
    print_file(job, out, EMIT_MK);
}
static void print_JSON(Job *job, Text *out) { print_file(job, out, EMIT_MANIFEST); }

static const struct {
    Exit (*run)(Job *job);
    void (*print)(Job *job, Text *out);
} PASSES[] = {
#define PASS(e, name, text, form, may) {pass_##e, print_##form},
#include "passes.def"
#undef PASS
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

Exit driver_passes(Job *job, PassId last) {
    for (int i = 0; i <= (int)last; i++) {
        double start = now();
        progress_say(job->progress, "%s: %s", job->o->file, driver_pass_name((PassId)i));
        Exit e = job->o->without[i] ? EXIT_OK : PASSES[i].run(job);
        job->seconds[i] = now() - start;
        if (job->o->dump[i] && (e == EXIT_OK || i == PASS_PARSE)) {
            Text t = {.ctx = job->ctx};
            PASSES[i].print(job, &t);
            progress_hide(job->progress);
            fputs(t.s ? t.s : "", stdout);
        }
        if (job->o->time_passes) progress_hide(job->progress);
        if (job->o->time_passes)
            fprintf(stderr, "%-10s %9.3f ms\n", driver_pass_name((PassId)i), job->seconds[i] * 1e3);
        if (e != EXIT_OK) return e;
    }
    return EXIT_OK;
}
