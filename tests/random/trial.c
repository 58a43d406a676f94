/* The child process: each program through the passes, then all of them through one C++ compiler, then every call. */
#include "trial.h"

#include "backend_cuda/glue/glue.h"
#include "backend_cuda/lower/lower.h"
#include "frontend/sema/sema.h"
#include "grammar/parse.h"
#include "ir/diag.h"
#include "ir/rewrite.h"
#include "sched/library/product.h"
#include "sched/search/fusing.h"
#include "sched/search/sched.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FRONT_SECONDS = 30, BUILD_SECONDS = 300, CALL_SECONDS = 60 };

/* A program with one schedule, emitted. */
typedef struct Entry {
    int number, schedule;
    Program *program;
    Text kernels;
    Sym schedules;
} Entry;

typedef struct Child {
    const Case *cases;
    int n;
    FILE *out;
    Ctx *ctx; /* of the compilation that all share */
    Setting (*settings)[MAX_SIZES];
    bool *failed;
    const Verdict *done; /* programs with a verdict are left out */
    VEC(Entry) entries;
    CheckOptions co;
    Tally tally;
} Child;

static void say_start(const Child *c, int k, const char *stage) {
    fprintf(c->out, "start %d %s\n", k, stage);
    fflush(c->out);
}

static bool fail(Child *c, int k, const Entry *e, int size, const char *kind, const Text *why) {
    const char *message = why && why->s ? why->s : "", *schedules = e && e->schedules ? e->schedules : "";
    c->failed[k] = true;
    fprintf(c->out, "fail %d %d %d %zu %zu %s\n%s%s\n", k, e ? e->schedule : ALL, size, strlen(message),
            strlen(schedules), kind, message, schedules);
    fflush(c->out);
    return false;
}

/* ---- one program ---- */

static Graph *front_end(Ctx *ctx, const Case *c, Sym *code, Text *why) {
    AstFile *ast = grammar_parse(ctx, diag_add_file(ctx, "prog.td", c->text, strlen(c->text)));
    Module *m = sema_module(ctx, ast, &(SemaOptions){0});
    if (!diag_errors(ctx) && m->graphs.n == 1) return m->graphs.at[0];
    diag_render(ctx, why, false);
    *code = "nothing exported";
    for (int i = 0; i < diag_count(ctx); i++)
        if (diag_severity(diag_code(diag_at(ctx, i))) == SEV_ERROR) {
            *code = diag_code_text(ctx, diag_code(diag_at(ctx, i)));
            break;
        }
    return NULL;
}

static bool text_holds(Ctx *ctx, const Graph *g, Text *why) {
    Text a = {.ctx = ctx}, b = {.ctx = ctx};
    graph_print(&a, g);
    Graph *again = graph_read(ctx, a.s, a.n, diag_add_file(ctx, "graph", a.s, a.n));
    if (!again) {
        diag_render(ctx, why, false);
        return false;
    }
    graph_print(&b, again);
    if (!strcmp(a.s, b.s)) return true;
    text_fmt(why, "%s\nreads back as\n%s", a.s, b.s);
    return false;
}

/* A value of the interpreter as its tensor stores it. */
static bool as_stored(Ctx *ctx, const Setting *s, int k, const InterpValue *v, HostTensor *h) {
    const HostTensor *like = &s->tensors[k].host;
    if (!host_tensor(ctx, h, like->type, like->rank, like->shape)) return false;
    for (int64_t i = 0; i < v->n; i++)
        if (v->f)
            host_put_float(h, i, v->f[i]);
        else
            host_put_int(h, i, v->i[i]);
    return true;
}

/* What the simplified Graph says against what was written. Rules keep values to a few units in the last place. */
static bool simplified_holds(Child *c, Ctx *ctx, int k, Graph *g, Text *why) {
    for (int z = 0; z < MAX_SIZES; z++) {
        Setting *s = &c->settings[k][z];
        InterpValue *now = NEW_N(ctx, InterpValue, s->n + 1);
        Tally ignored = {0};
        if (!s->g) continue;
        if (!interp_run(ctx, g, &(InterpArgs){s->dims, s->scalars, s->old}, NUDGE_NONE, now, why)) return false;
        for (int t = 0; t < s->n; t++) {
            HostTensor h;
            double tol = check_tolerance(ctx, s->g, s->g->params.at[t]);
            if (s->g->params.at[t]->kind == TENSOR_INPUT || !as_stored(ctx, s, t, &now[t], &h)) continue;
            if (!setting_near(s, t, &h, tol > 1e-4 ? tol : tol * 1e-2, &ignored, why)) return false;
        }
    }
    return true;
}

static bool try_graph(Child *c, int k) {
    const Case *x = &c->cases[k];
    Ctx *ctx = ctx_new();
    Text why = {.ctx = ctx};
    Sym code = NULL;
    if (!ctx || CTX_GUARD(ctx)) return fail(c, k, NULL, ALL, "out of memory", NULL);
    Graph *g = front_end(ctx, x, &code, &why);
    if (!g) return fail(c, k, NULL, ALL, sym_fmt(ctx, "front end %s", code), &why);
    if (!graph_verify(g, &why)) return fail(c, k, NULL, ALL, "graph verifier", &why);
    if (!text_holds(ctx, g, &why)) return fail(c, k, NULL, ALL, "graph text", &why);
    for (int z = 0; z < x->nsizes; z++)
        if ((x->only == ALL || x->only == z) && !setting_make(&c->settings[k][z], ctx, g, x, z, &why))
            return fail(c, k, NULL, z, "interpreter", &why);
    Ctx *own = ctx_new();
    if (!own || CTX_GUARD(own)) return fail(c, k, NULL, ALL, "out of memory", NULL);
    Graph *simple = front_end(own, x, &code, &why);
    graph_simplify(simple);
    if (!graph_verify(simple, &why)) return fail(c, k, NULL, ALL, "simplified graph verifier", &why);
    if (!x->exact && !simplified_holds(c, own, k, simple, &why)) return fail(c, k, NULL, ALL, "simplification", &why);
    ctx_free(own);
    return true;
}

/* ---- schedules ---- */

static Sym next_fixed(Ctx *ctx, const char **at) {
    const char *bar = strstr(*at, " | ");
    size_t n = bar ? (size_t)(bar - *at) : strlen(*at);
    Sym s = sym_n(ctx, *at, n);
    *at += n + (bar ? 3 : 0);
    return s;
}

/* Appends the version's schedules, and tries their text. */
static bool take_version(Ctx *ctx, Entry *e, const Version *v, bool several, const char *sep, Text *all, Text *why) {
    text_put(all, sep);
    if (several) text_put(all, v->when ? "when " : "else");
    if (v->when) expr_print(all, v->when, NULL);
    for (int k = 0; k < v->n; k++) {
        Schedule again;
        Text text = {.ctx = ctx};
        int64_t most[MAX_GROUP_AXES];
        text_put(&text, ""); /* a group without axes has an empty schedule */
        schedule_print(&text, v->group[k], v->schedule[k]);
        text_fmt(all, "%s%s", several || k ? ": " : "", text.s);
        e->schedules = sym(ctx, all->s);
        if (!sched_legal(v->group[k], v->schedule[k], NULL, most, why)) return false;
        if (!schedule_read(text.s, v->group[k], &again, why)) return false;
        if (!schedule_equal(v->schedule[k], &again)) return text_put(why, "the schedule read back differs"), false;
    }
    return true;
}

enum { FEW_GROUPS = 3 /* of which each may have versions, so that the ways are not too many */ };

static bool schedule_all(Ctx *ctx, const Case *x, Entry *e, Graph *g, Text *why) {
    Plan *plan = plan_new(g, &machine_h200, e->schedule == LIBRARY, NULL, why);
    if (!plan) return false;
    if (x->exact) split_drop_online(plan);
    Program *p = sched_empty(g, plan);
    Text all = {.ctx = ctx};
    SchedMemo memo = {0};
    text_put(&all, "");
    const char *fixed = x->fixed;
    uint64_t state = x->seed + (uint64_t)e->schedule * 1000003;
    Versions *versions = NEW_N(ctx, Versions, plan->groups.n + 1);
    int most = MAX_VERSIONS; /* of each group: their product is at most MAX_WAYS */
    while (most > 1 && pow(most, plan->groups.n) > MAX_WAYS) most--;
    for (int i = 0; i < plan->fusions.n && !fixed && e->schedule != FALLBACK; i++)
        fusing_random(plan->fusions.at[i], &state);
    for (int i = 0; i < plan->groups.n; i++) {
        Group *gr = plan->groups.at[i];
        Schedule s;
        Versions v;
        if (fixed && !schedule_read(next_fixed(ctx, &fixed), gr, &s, why)) return false;
        if (fixed) {
            versions_one(gr, &s, &v);
        } else if (e->schedule == FALLBACK || sched_in_place(gr)) {
            schedule_fallback(gr, &s);
            versions_one(gr, &s, &v);
        } else if (e->schedule == 0 || e->schedule == LIBRARY) {
            versions_choose(&memo, gr, (Targets){0}, &machine_h200, most, &v);
        } else if (e->schedule % 2 && plan->groups.n <= FEW_GROUPS) {
            versions_random(gr, &state, &v);
        } else {
            schedule_random(gr, &state, &s);
            sched_random_steps(gr, &state, &s);
            versions_one(gr, &s, &v);
        }
        for (int k = 0; k < v.n; k++)
            if (!take_version(ctx, e, &v.at[k], v.n > 1, k || i ? " | " : "", &all, why)) return false;
        versions[i] = v;
    }
    if (!sched_few_ways(plan, versions)) return text_put(why, "too many ways"), false;
    if (sched_apply_plan(p, plan, versions, false, why) < plan->groups.n) return false;
    sched_keep_used(p);
    if (!program_find_ways(p)) return text_put(why, "too many ways"), false;
    e->program = p;
    return true;
}

static bool reread(Ctx *ctx, Entry *e, Text *why) {
    Text a = {.ctx = ctx}, b = {.ctx = ctx};
    program_print(&a, e->program);
    Program *p = program_read(ctx, a.s, a.n, diag_add_file(ctx, "program", a.s, a.n));
    if (!p) {
        diag_render(ctx, why, false);
        return false;
    }
    program_print(&b, p);
    if (strcmp(a.s, b.s) != 0) {
        text_fmt(why, "%s\nreads back as\n%s", a.s, b.s);
        return false;
    }
    if (e->schedule % 2 == 0) return true;
    e->program = p;
    return program_verify(p, why); /* which finds the ways through it, too */
}

/* Whether a library has a product of the program, and gives what the equations say. */
static bool has_product(const Program *p, bool exact) {
    bool has = false;
    for (int i = 0; i < p->kernels.n; i++) {
        const Product *x = p->kernels.at[i]->product;
        if (x && exact && product_inexact(x)) return false;
        has |= x != NULL;
    }
    return has;
}

/* Random schedules take the Graph as it was written every third time; but in exact algebra, where an expression of
 * constants is a constant before anything else. */
static bool try_schedule(Child *c, int k, int number) {
    const Case *x = &c->cases[k];
    Ctx *ctx = ctx_new();
    Text why = {.ctx = ctx};
    Sym code;
    if (!ctx || CTX_GUARD(ctx)) return fail(c, k, NULL, ALL, "out of memory", NULL);
    Graph *g = front_end(ctx, x, &code, &why);
    Entry e = {.number = k, .schedule = number, .kernels = {.ctx = ctx}};
    if (x->exact || (x->fixed ? !x->raw : number % 3 != 2)) graph_simplify(g);
    g->name = sym_fmt(ctx, "prog_%d_%d", k, number);
    if (!schedule_all(ctx, x, &e, g, &why)) return fail(c, k, &e, ALL, "scheduling", &why);
    if (!program_verify(e.program, &why)) return fail(c, k, &e, ALL, "kernel verifier", &why);
    if (!reread(ctx, &e, &why)) return fail(c, k, &e, ALL, "kernel text", &why);
    if (number == LIBRARY && !has_product(e.program, x->exact)) return true; /* nothing that others do not try */
    if (!lower_program(&e.kernels, e.program, &(LowerOptions){.prefix = "t"}, &why))
        return fail(c, k, &e, ALL, "lowering", &why);
    vec_push(c->ctx, &c->entries, e);
    return true;
}

/* ---- building and calling ---- */

static bool put_file(Ctx *ctx, Sym dir, const char *name, const Text *t) {
    FILE *f = fopen(sym_fmt(ctx, "%s/%s", dir, name), "wb");
    bool ok = f && fwrite(t->s, 1, t->n, f) == t->n;
    return f && fclose(f) == 0 && ok;
}

static bool build(Child *c, const Entry *entries, int n, CheckModel *m, Text *why) {
    Ctx *ctx = c->ctx;
    const Program **programs = NEW_N(ctx, const Program *, n);
    Text cu = {.ctx = ctx}, h = {.ctx = ctx}, g = {.ctx = ctx}, kernels = {.ctx = ctx};
    for (int i = 0; i < n; i++) {
        programs[i] = entries[i].program;
        if (entries[i].kernels.s) text_put(&kernels, entries[i].kernels.s);
    }
    GlueOptions go = {.prefix = "t", .header = "m.h"};
    lower_head(&cu, &(LowerOptions){.prefix = "t"});
    text_put_n(&cu, kernels.s, kernels.n);
    const Graph *at;
    if (!glue_verify(programs, n, &go, &at, why)) return false;
    glue_emit_c(&g, NULL, programs, n, &go);
    glue_emit_h(&h, programs, n, &go);
    if (!check_dir(ctx, &m->dir, why)) return false;
    const CheckDir dir = m->dir;
    if (!put_file(ctx, dir.path, "m.cu", &cu) || !put_file(ctx, dir.path, "m.c", &g) ||
        !put_file(ctx, dir.path, "m.h", &h))
        return false;
    return check_build(ctx, &c->co, &dir, "m", "t", m, why);
}

/* A fault's name: what stands before its particulars. */
static Sym fault_kind(Ctx *ctx, const char *message) {
    const char *s = strstr(message, "td_emu: error: ");
    if (!s) return sym_fmt(ctx, "run: %.*s", (int)strcspn(message, ":\n0123456789"), message);
    s += strlen("td_emu: error: ");
    return sym_fmt(ctx, "run: %.*s", (int)strcspn(s, ":\n"), s);
}

static bool call(Child *c, const CheckModel *m, const Entry *e, int z) {
    Setting *s = &c->settings[e->number][z];
    Ctx *ctx = s->ctx;
    Text why = {.ctx = ctx};
    CheckReply reply;
    CheckCall x = {.entry = e->program->graph->name,
                   .ndims = s->g->dims.n,
                   .nscalars = s->g->scalars.n,
                   .ntensors = s->n,
                   .dims = s->dims,
                   .scalars = s->scalars,
                   .tensors = s->tensors,
                   .loose = option_is(&s->g->options, ATOMICS_FAST),
                   .repeats = e->schedule ? 2 : 4};
    for (int k = 0; k < s->n; k++) {
        CheckTensor *t = &s->tensors[k];
        memcpy(t->host.data, s->old[k].data, t->host.bytes);
        memset(t->again, 0, sizeof t->again);
    }
    c->tally.calls++;
    c->tally.products += e->schedule == LIBRARY;
    if (!check_call(ctx, &c->co, m, &x, &reply, &why)) return fail(c, e->number, e, z, fault_kind(ctx, why.s), &why);
    if (reply.status) {
        text_put(&why, reply.message ? reply.message : "");
        return fail(c, e->number, e, z, "refused", &why);
    }
    for (int k = 0; k < s->n; k++) {
        const CheckTensor *t = &s->tensors[k];
        if (t->kind == TENSOR_INPUT) continue;
        double tol = check_tolerance(ctx, s->g, s->g->params.at[k]);
        for (int run = 0; run < CHECK_RUNS; run++) {
            HostTensor got = t->host;
            if (run) got.data = t->again[run];
            if ((!run || got.data) && !setting_near(s, k, &got, tol, &c->tally, &why))
                return fail(c, e->number, e, z, "wrong value", &why);
        }
    }
    return true;
}

/* Where the compiler refuses a file, each half of it by itself. */
static void run_entries(Child *c, const Entry *entries, int n) {
    CheckModel m = {0};
    Text why = {.ctx = c->ctx};
    text_put(&why, "");
    say_start(c, entries[0].number, "building");
    alarm(BUILD_SECONDS);
    bool ok = build(c, entries, n, &m, &why);
    for (int i = 0; ok && i < n; i++) {
        if (c->failed[entries[i].number]) continue;
        say_start(c, entries[i].number, "running");
        for (int z = 0; z < MAX_SIZES; z++) {
            alarm(4 * CALL_SECONDS);
            if (c->settings[entries[i].number][z].g && !call(c, &m, &entries[i], z)) break;
        }
    }
    if (m.dir.path) check_remove(c->ctx, &m.dir);
    if (ok) return;
    if (n == 1) {
        fail(c, entries[0].number, &entries[0], ALL, "C++ compiler", &why);
        return;
    }
    run_entries(c, entries, n / 2);
    run_entries(c, entries + n / 2, n - n / 2);
}

/* In exact algebra: the entries whose programs have a narrowest float of so many bits, built and run. */
static void run_width(Child *c, int bits) {
    VEC(Entry) some = {0};
    for (int i = 0; i < c->entries.n; i++) {
        const Setting *s = c->settings[c->entries.at[i].number];
        if (s->g && s->exact.bits == bits) vec_push(c->ctx, &some, c->entries.at[i]);
    }
    c->co.exact = exact_algebra(c->cases[0].exact, bits);
    if (some.n) run_entries(c, some.at, some.n);
}

static void child(Child *c) {
    c->ctx = ctx_new();
    if (!c->ctx || CTX_GUARD(c->ctx)) return;
    c->settings = ctx_alloc(c->ctx, sizeof *c->settings * (size_t)(c->n + 1));
    c->failed = NEW_N(c->ctx, bool, c->n + 1);
    c->co = (CheckOptions){.home = check_home(c->ctx), .cache = check_cache(c->ctx), .timeout_s = CALL_SECONDS};
    for (int k = 0; k < c->n; k++) {
        if (c->done[k].kind) continue;
        say_start(c, k, "compiling");
        alarm(FRONT_SECONDS);
        if (!try_graph(c, k)) continue;
        const Case *x = &c->cases[k];
        for (int s = x->first; s < x->first + x->nschedules; s++) {
            say_start(c, k, "scheduling");
            if (!try_schedule(c, k, s)) break;
        }
        if (x->library && !c->failed[k]) try_schedule(c, k, LIBRARY);
    }
    for (int bits = 8; bits <= 32 && c->cases[0].exact; bits *= 2) run_width(c, bits);
    if (c->entries.n && !c->cases[0].exact) run_entries(c, c->entries.at, c->entries.n);
    fprintf(c->out, "tally %lld %lld %lld %lld\n", (long long)c->tally.calls, (long long)c->tally.products,
            (long long)c->tally.elements, (long long)c->tally.loose);
    fprintf(c->out, "end\n");
}

/* ---- the parent ---- */

static void read_fail(Ctx *ctx, FILE *f, int n, Verdict *verdicts) {
    int k, schedule, size;
    size_t bytes, more;
    char kind[200] = "";
    if (fscanf(f, "%d %d %d %zu %zu ", &k, &schedule, &size, &bytes, &more) != 5 || !fgets(kind, sizeof kind, f))
        return;
    kind[strcspn(kind, "\n")] = 0;
    char *text = ctx_alloc(ctx, bytes + 1), *schedules = ctx_alloc(ctx, more + 1);
    if (fread(text, 1, bytes, f) != bytes || fread(schedules, 1, more, f) != more || k < 0 || k >= n) return;
    if (!verdicts[k].kind) verdicts[k] = (Verdict){sym(ctx, kind), text, more ? schedules : NULL, schedule, size};
}

/* The program that the child worked on last; n where it ended by itself. */
static int read_replies(Ctx *ctx, FILE *f, int n, Verdict *verdicts, Tally *tally, char *stage) {
    char word[32];
    int last = 0;
    long long a, p, b, d;
    while (fscanf(f, "%31s", word) == 1) {
        if (!strcmp(word, "start") && fscanf(f, "%d %31s", &last, stage) != 2) break;
        if (!strcmp(word, "fail")) read_fail(ctx, f, n, verdicts);
        if (!strcmp(word, "tally") && fscanf(f, "%lld %lld %lld %lld", &a, &p, &b, &d) == 4)
            tally->calls += a, tally->products += p, tally->elements += b, tally->loose += d;
        if (!strcmp(word, "end")) return n;
    }
    return last;
}

static Sym how_it_ended(Ctx *ctx, int status, const char *stage) {
    const char *how = !WIFSIGNALED(status)          ? "exit"
                      : WTERMSIG(status) == SIGALRM ? "no end"
                                                    : strsignal(WTERMSIG(status));
    return sym_fmt(ctx, "%s while %s", how, stage);
}

/* Tries the programs without a verdict; false where one ended the child, which has a verdict now. */
static bool trial_part(Ctx *ctx, const Case *cases, int n, Verdict *verdicts, Tally *tally) {
    int ends[2], status = 0;
    char stage[32] = "";
    fflush(stdout);
    if (pipe(ends) != 0) return true;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        Child c = {.cases = cases, .n = n, .out = fdopen(ends[1], "w"), .done = verdicts};
        if (c.out) child(&c);
        if (c.out) fclose(c.out);
        _exit(0);
    }
    close(ends[1]);
    FILE *f = fdopen(ends[0], "r");
    int last = f && pid > 0 ? read_replies(ctx, f, n, verdicts, tally, stage) : n;
    if (f) fclose(f);
    if (pid > 0) waitpid(pid, &status, 0);
    if (last == n) return true;
    if (!verdicts[last].kind) verdicts[last] = (Verdict){how_it_ended(ctx, status, stage), "", NULL, ALL, ALL};
    return false;
}

void trial(Ctx *ctx, const Case *cases, int n, Verdict *verdicts, Tally *tally) {
    for (int i = 0; i < n; i++) verdicts[i] = (Verdict){0};
    for (int tries = 0; tries <= n && !trial_part(ctx, cases, n, verdicts, tally); tries++) {
    }
}

Sym trial_schedules(Ctx *ctx, const Case *c, int number) {
    Text why = {.ctx = ctx};
    Sym code;
    Graph *g = front_end(ctx, c, &code, &why);
    Entry e = {.schedule = number};
    if (!g) return NULL;
    if (number % 3 != 2) graph_simplify(g);
    return schedule_all(ctx, c, &e, g, &why) ? e.schedules : NULL;
}

Sym trial_check(Ctx *ctx, const Case *c, int size) {
    Text t = {.ctx = ctx};
    Sym code;
    Text why = {.ctx = ctx};
    Graph *graph = front_end(ctx, c, &code, &why);
    if (!graph) return "";
    Setting s;
    if (!setting_make(&s, ctx, graph, c, size, &why)) return "";
    text_put(&t, "check prog(");
    for (int i = 0; i < graph->dims.n; i++)
        text_fmt(&t, "%s%s = %lld", i ? ", " : "", graph->dims.at[i]->name, (long long)s.dims[i]);
    for (int i = 0; i < graph->scalars.n; i++)
        text_fmt(&t, "%s%s = %g", i || graph->dims.n ? ", " : "", graph->scalars.at[i]->name, s.scalars[i]);
    text_put(&t, ");\n");
    return sym(ctx, t.s);
}
