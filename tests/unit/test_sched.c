/* Schedules: their text, what is legal, and whether legal ones are right. With arguments it draws random schedules:
 *   test_sched N FILE.td|FILE.graph...
 * N schedules for every kernel of each file are drawn, printed, read back, applied, the program verified, printed, read
 * back and lowered, and every check statement of the file runs with each on the stand-in. TDC_SEED moves the draw,
 * TDC_ONLY=K runs one of them and prints it.
 * TDC_GPU=1 uses the GPU of this machine. */
#include "backend_cuda/glue/glue.h"
#include "backend_cuda/lower/lower.h"
#include "frontend/check/check.h"
#include "frontend/sema/sema.h"
#include "grammar/parse.h"
#include "ir/diag.h"
#include "ir/graph.h"
#include "sched/search/moves.h"
#include "sched/search/fusing.h"
#include "sched/search/sched.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one draw ---- */

enum { BATCH = 64 };

typedef struct Draw {
    int number;
    Graph *graph; /* its own, renamed */
    Module *module;
    Program *program;
    Sym schedules; /* the text of all of its kernels' schedules */
} Draw;

/* What serves all sizes, by one kernel. */
static Schedule chosen(Group *gr) {
    Schedule s = {0};
    Versions v;
    const int divisions = gr->divisions.n;
    gr->divisions.n = 0;
    versions_choose(&(SchedMemo){0}, gr, (Targets){0}, &machine_h200, 1, &v);
    gr->divisions.n = divisions;
    schedule_copy(&s, v.at[0].schedule[0]);
    return s;
}

/* Of the schedules a move away from the chosen one, one of those that are legal. */
typedef struct Moved {
    Group *gr;
    uint64_t *state, legal;
    Schedule s;
} Moved;

static bool take_move(void *user, const Schedule *s) {
    Moved *m = user;
    int64_t most[MAX_GROUP_AXES];
    if (!schedule_legal(m->gr, s, NULL) || !sched_legal(m->gr, s, NULL, most, NULL)) return true;
    if (random_next(m->state) % ++m->legal == 0) m->s = *s;
    return true;
}

static Schedule moved(Group *gr, uint64_t *state) {
    Moved m = {.gr = gr, .state = state, .s = chosen(gr)};
    const Schedule from = m.s;
    moves_from(gr, &machine_h200, &from, NULL, true, take_move, &m);
    return m.s;
}

/* What folds by keys scatters, but in every fourth draw. */
static void scatter_some(Plan *plan, int number) {
    for (int i = 0; i < plan->groups.n && number % 4 != 3; i++) {
        const Group *gr = plan->groups.at[i];
        for (int k = 0; k < gr->divisions.n; k++)
            if (gr->divisions.at[k].n == 1 && group_into(gr->divisions.at[k].group[0]))
                plan->groups.at[i] = gr->divisions.at[k].group[0];
    }
}

static bool apply_draw(Ctx *ctx, Draw *d, uint64_t seed, Text *why) {
    Plan *plan = plan_new(d->graph, &machine_h200, false, NULL, why);
    if (!plan) return false;
    scatter_some(plan, d->number);
    Program *p = sched_empty(d->graph, plan);
    Text all = {.ctx = ctx};
    Versions *versions = NEW_N(ctx, Versions, plan->groups.n + 1);
    for (int i = 0; i < plan->fusions.n && d->number; i++) fusing_random(plan->fusions.at[i], &seed);
    for (int i = 0; i < plan->groups.n; i++) {
        Schedule s, again;
        int64_t most[MAX_GROUP_AXES];
        Text text = {.ctx = ctx};
        if (d->number == 0)
            schedule_fallback(plan->groups.at[i], &s);
        else if (d->number == 1)
            s = chosen(plan->groups.at[i]);
        else if (d->number % 3 == 0)
            s = moved(plan->groups.at[i], &seed);
        else
            schedule_random(plan->groups.at[i], &seed, &s);
        if (d->number > 1) sched_random_steps(plan->groups.at[i], &seed, &s);
        schedule_print(&text, plan->groups.at[i], &s);
        text_fmt(&all, "%s%s: %s", i ? " | " : "", plan->groups.at[i]->name, text.s);
        d->schedules = sym(ctx, all.s);
        if (!sched_legal(plan->groups.at[i], &s, NULL, most, why) ||
            !schedule_read(text.s, plan->groups.at[i], &again, why))
            return false;
        if (!schedule_equal(&s, &again) || schedule_hash(&s) != schedule_hash(&again)) {
            text_put(why, "the schedule read back differs");
            return false;
        }
        versions_one(plan->groups.at[i], &s, &versions[i]);
    }
    if (sched_apply_plan(p, plan, versions, false, why) < plan->groups.n) return false;
    sched_keep_used(p);
    if (!program_find_ways(p)) return text_fail(why, "too many ways");
    d->program = p;
    return true;
}

/* Printed, read back, printed again; odd draws go on with what was read. */
static bool reread(Ctx *ctx, Draw *d, Text *why) {
    Text a = {.ctx = ctx}, b = {.ctx = ctx};
    program_print(&a, d->program);
    if (!program_verify(d->program, why)) {
        text_fmt(why, "\n%s", a.s);
        return false;
    }
    Program *p = program_read(ctx, a.s, a.n, diag_add_file(ctx, "program", a.s, a.n));
    if (!p) {
        diag_render(ctx, why, false);
        return false;
    }
    program_print(&b, p);
    if (strcmp(a.s, b.s)) {
        text_fmt(why, "the program read back differs\n%s\n%s", a.s, b.s);
        return false;
    }
    if (d->number % 2) d->program = p;
    return true;
}

static bool emit(Ctx *ctx, Draw *d, Text *kernels, Text *why) {
    Text own = {.ctx = ctx};
    if (!lower_program(&own, d->program, &(LowerOptions){.prefix = "t"}, why)) {
        program_print(why, d->program);
        return false;
    }
    text_put(kernels, own.s ? own.s : "");
    return true;
}

/* ---- a file ---- */

static char *read_all(Ctx *ctx, const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *s = ctx_alloc(ctx, 1 << 20);
    *n = fread(s, 1, (1 << 20) - 1, f);
    fclose(f);
    return s;
}

static void put_file(Ctx *ctx, Sym dir, const char *name, const Text *t) {
    FILE *f = fopen(sym_fmt(ctx, "%s/%s", dir, name), "wb");
    if (!f) return;
    fwrite(t->s, 1, t->n, f);
    fclose(f);
}

static bool build(Ctx *ctx, Draw *draws, int n, const Text *kernels, CheckModel *m, const CheckOptions *co, Text *why) {
    const Program **programs = NEW_N(ctx, const Program *, n);
    for (int i = 0; i < n; i++) programs[i] = draws[i].program;
    GlueOptions go = {.prefix = "t", .header = "m.h"};
    Text cu = {.ctx = ctx}, c = {.ctx = ctx}, h = {.ctx = ctx};
    lower_head(&cu, &(LowerOptions){.prefix = "t"});
    text_put_n(&cu, kernels->s, kernels->n);
    const Graph *at;
    if (!glue_verify(programs, n, &go, &at, why)) return false;
    glue_emit_c(&c, NULL, programs, n, &go);
    glue_emit_h(&h, programs, n, &go);
    if (!check_dir(ctx, &m->dir, why)) return false;
    const CheckDir dir = m->dir;
    put_file(ctx, dir.path, "m.cu", &cu);
    put_file(ctx, dir.path, "m.c", &c);
    put_file(ctx, dir.path, "m.h", &h);
    return check_build(ctx, co, &dir, "m", "t", m, why);
}

static void run_draw(Ctx *ctx, const char *path, Draw *d, const CheckModel *m, const CheckOptions *co) {
    for (int i = 0; i < d->module->checks.n; i++) {
        Check c = d->module->checks.at[i];
        CheckResult r;
        if (c.bench) continue;
        c.entry = d->graph->name;
        bool decided = check_run(ctx, d->module, &c, m, co, &r), ok = decided && r.passed;
        Text what = {.ctx = ctx};
        text_fmt(&what, "%s, schedule %d, check %d: %s", path, d->number, i + 1, d->schedules);
        expect(ok, what.s, r.message);
    }
}

static bool draw_one(Ctx *ctx, const char *text, size_t n, const char *path, Draw *d, uint64_t seed, Text *kernels) {
    Text why = {.ctx = ctx};
    int file = diag_add_file(ctx, path, text, n);
    const char *dot = strrchr(path, '.');
    if (dot && !strcmp(dot, ".graph"))
        d->module = graph_read_module(ctx, text, n, file);
    else
        d->module = sema_module(ctx, grammar_parse(ctx, file), &(SemaOptions){0});
    if (diag_errors(ctx) || d->module->graphs.n != 1) {
        diag_render(ctx, &why, false);
        expect(false, path, why.s);
        return false;
    }
    d->graph = d->module->graphs.at[0];
    d->graph->name = sym_fmt(ctx, "%s_%d", d->graph->name, d->number);
    text_put(&why, "");
    if (apply_draw(ctx, d, seed, &why) && reread(ctx, d, &why) && emit(ctx, d, kernels, &why)) return true;
    expect(false, d->schedules ? d->schedules : path, why.s);
    return false;
}

static void run_batch(const char *path, int first, int n, uint64_t seed) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) {
        expect(false, path, "out of memory");
        return;
    }
    size_t size = 0;
    const char *text = read_all(ctx, path, &size);
    if (!text) {
        expect(false, path, "cannot be read");
        return;
    }
    Text kernels = {.ctx = ctx}, why = {.ctx = ctx};
    Draw *draws = NEW_N(ctx, Draw, n);
    int have = 0;
    for (int i = 0; i < n; i++) {
        Draw d = {.number = first + i};
        if (draw_one(ctx, text, size, path, &d, seed + (uint64_t)(first + i) * 1000003, &kernels)) draws[have++] = d;
    }
    const char *home = getenv("TDC_HOME");
    CheckOptions co = {.home = home ? home : check_home(ctx),
                       .cache = check_cache(ctx),
                       .repeats = 2,
                       .gpu = getenv("TDC_GPU") != NULL};
    CheckModel m = {0};
    text_put(&why, "");
    if (have) {
        if (n == 1) program_print(&why, draws[0].program);
        if (n == 1) puts(why.s);
        why.n = 0;
        bool ok = build(ctx, draws, have, &kernels, &m, &co, &why);
        expect(ok, path, why.s);
        for (int i = 0; ok && i < have; i++) run_draw(ctx, path, &draws[i], &m, &co);
        if (m.dir.path) check_remove(ctx, &m.dir);
    }
    ctx_free(ctx);
}

static void run_file(const char *path, int n) {
    const char *seed = getenv("TDC_SEED"), *only = getenv("TDC_ONLY");
    uint64_t s = seed ? strtoull(seed, NULL, 10) : 1;
    if (only) {
        run_batch(path, atoi(only), 1, s);
        return;
    }
    for (int i = 0; i < n; i += BATCH) run_batch(path, i, n - i < BATCH ? n - i : BATCH, s);
}

/* ---- groups, text, legality ---- */

typedef struct PlanCase {
    const char *text; /* of a Graph */
    int groups, temps;
    const char *steps;     /* of the first group: r reduction, i inclusive scan, e exclusive scan */
    const char *schedules; /* texts for the first group, one a line: `! reason:` before illegal ones */
} PlanCase;

#define HEAD "graph t\n dim M\n dim N\n in x: f32[M, N]\n in z: f32[N, M]\n"
#define STEP " monoid step(a: f32 = 1.0, b: f32 = 0.0) ordered combine (a * a', b * a' + b')\n"
static const PlanCase plans[] = {
    {HEAD " out y: f32[M, N]\ny[i, j] = exp(x[i, j])\n", 1, 0, "",
     "i = grid; j = grid thread(64) vec(4)\n"
     "i = grid serial(2); j = serial(3) grid reg(2) lane(32); ahead 1; occupancy 2\n"
     "i = grid thread(16); j = grid thread(4); order i\n"
     "i = grid thread(16); j = grid thread(4); stream x; keep y\n"
     "i = serial grid(2); j = grid lane(32); copy x async 3; packed x; out y bulk\n"
     "i = serial grid(2); j = grid lane(32) vec(4); relay x pad 2; other y; j = reg(4) lane(32)\n"
     "! stored: i = grid; j = grid; out x bulk\n"
     "! cannot be read: i = serial grid(2); j = grid lane(32); copy x async 0\n"
     "! loops: i = grid; j = grid lane(32); copy x async 2\n"
     "! same of it: i = serial grid(2); j = grid lane(32); copy x async 2; copy x bulk 3\n"
     "! depth: i = serial grid(2); j = grid; copy x bulk 2\n"
     "! twice: i = grid thread(16); j = grid thread(4); order i i\n"
     "! none: i = grid thread(16); j = grid thread(4); order\n"
     "! covers: i = thread(4); j = grid\n"
     "! one block: i = grid; i = grid; j = grid\n"
     "! lanes: i = grid lane(8); j = grid\n"
     "! warp and lane: i = grid warp(2); j = grid thread(32)\n"
     "! open: i = grid; j = grid vec\n"
     "! innermost: i = grid; j = grid vec(2) reg(2)\n"
     "! two: i = grid serial; j = grid\n"
     "! threads: i = grid thread(1024); j = grid thread(2)\n"
     "! tile: i = grid reg(64); j = grid vec(4)\n"
     "! iteration: i = grid; j = grid; ahead 2\n"
     "! read: i = grid; k = grid\n"
     "! read: i = grid(0); j = grid\n"
     "! read: i = grid j = grid\n"
     "! read: i = mesh; j = grid\n"},
    {HEAD " out y: f32[M]\ny[i] = sum[k in 0..N](x[i, k])\n", 1, 0, "r",
     "i = grid; k = serial warp(2) lane(32) vec(2)\n"
     "i = serial grid(2); k = serial cluster(4) warp(2) lane(32) vec(2)\n"
     "i = grid; k = serial reg(2) cluster(16) lane(32)\n"
     "! folded in any order: i = grid cluster(2); k = serial reg(1)\n"
     "! power of two: i = grid; k = serial cluster(6) reg(1)\n"
     "! up to 16: i = grid; k = serial cluster(32) reg(1)\n"
     "! two cluster factors: i = grid; k = cluster(2) serial cluster(2) reg(1)\n"
     "! own: i = grid; k = grid\n"
     "! tile: i = grid reg(16); k = serial lane(32) vec(16)\n"
     "! register: i = grid; k = serial thread(32)\n"
     "! whole warps: i = grid thread(3); k = serial thread(2) reg(1)\n"},
    /* a product: its factors are held, not what they make together */
    {HEAD " out y: f32[M, M]\ny[i, j] = sum[k in 0..N](x[i, k] * z[k, j])\n", 1, 0, "r",
     "i = grid reg(8); j = grid lane(32) vec(8); k = serial vec(8)\n"
     "! tile: i = grid reg(32); j = grid lane(32) vec(8); k = serial vec(1)\n"
     "! tile: i = grid reg(8); j = grid lane(32) vec(2); k = serial reg(4) vec(8)\n"
     "! operations: i = grid reg(16); j = grid lane(32) vec(16); k = serial vec(8)\n"},
    {HEAD " out y: f32[M, M]\ny[i, j] = sum[k in 0..N](abs(x[i, k] - z[k, j]))\n", 1, 0, "r",
     "! tile: i = grid reg(8); j = grid lane(32) vec(8); k = serial vec(8)\n"},
    {HEAD " out y: f32[M, N]\ny[i, j] = sum[k in 0..j + 1](x[i, k])\n", 1, 0, "i",
     "i = grid; j = serial lane(32) vec(2)\n"
     "! folded in any order: i = grid; j = serial cluster(2) lane(32) vec(2)\n"
     "! outermost: i = grid; j = lane(32) serial vec(2)\n"
     "! innermost threads: i = grid; j = serial lane(32) warp(2) vec(2)\n"},
    /* every form of a running reduction */
    {HEAD " out y: f32[M, N]\ny[i, j] = sum[k in 0..N where k <= j](x[i, k])\n", 1, 0, "i", NULL},
    {HEAD " out y: f32[M, N]\ny[i, j] = sum[k in 0..N where j > k](x[i, k])\n", 1, 0, "e", NULL},
    {HEAD " out y: f32[M, N]\ny[i, j] = sum[k in 0..N where k < j + 1](x[i, k])\n", 1, 0, "i", NULL},
    {HEAD " out y: f32[M, N]\ny[i, j] = sum[k in 0..N where k >= j](x[i, k])\n", 1, 0, "i", NULL},
    {HEAD " out y: f32[M, N]\ny[i, j] = sum[k in 0..N where k > j && x[i, k] > 0.0](x[i, k])\n", 1, 0, "e", NULL},
    {HEAD " out y: f32[M, N]\ny[i, j] = max[k in 0..j](x[i, k])\n", 1, 0, "e", NULL},
    {HEAD " out y: f32[M, N]\ny[i, j] = max[k in j..N](x[i, k])\n", 1, 0, "i", NULL},
    {HEAD " out y: f32[M, N]\ny[i, j] = max[k in j + 1..N](x[i, k])\n", 1, 0, "e", NULL},
    /* none: the body depends on j, or the condition is no order */
    {HEAD " out y: f32[M, N]\ny[i, j] = sum[k in 0..N where k <= j](x[i, k] * x[i, j])\n", 1, 0, "r", NULL},
    {HEAD " out y: f32[M, N]\ny[i, j] = sum[k in 0..N where k != j](x[i, k])\n", 1, 0, "r", NULL},
    /* rows read again stay in one kernel; a statistic of the other axis, or of everything, does not: it is made by
     * many blocks, and their shares folded */
    {HEAD " let m: f32[M]\n out y: f32[M, N]\nm[i] = max[k in 0..N](x[i, k])\n"
          "y[i, j] = exp(x[i, j] - m[i]) / sum[k in 0..N](exp(x[i, k] - m[i]))\n",
     1, 0, "rr", NULL},
    {HEAD " out y: f32[M, N]\ny[i, j] = x[i, j] / sum[k in 0..N](x[i, k]) / sum[k in 0..M](x[k, j])\n", 2, 1, "r",
     NULL},
    {HEAD " out y: f32[M, N]\ny[i, j] = x[i, j] / sum[k in 0..M, l in 0..N](x[k, l])\n", 2, 1, "r", NULL},
    /* a product under a softmax is stored; statistics that a kernel makes anyway are stored by it */
    {HEAD " let s: f32[M, M]\n out y: f32[M, M]\ns[i, j] = sum[k in 0..N](x[i, k] * z[k, j])\n"
          "y[i, j] = exp(s[i, j]) / sum[k in 0..M](exp(s[i, k]))\n",
     2, 1, "r", NULL},
    {HEAD " out m: f32[M]\n out y: f32[M, N]\nm[i] = sum[k in 0..N](x[i, k]) / f32(N)\n"
          "y[i, j] = x[i, j] - sum[k in 0..N](x[i, k]) / f32(N)\n",
     1, 0, "r", NULL},
    {HEAD " out l: f32[]\nl[] = sum[i in 0..M](log(sum[k in 0..N](exp(x[i, k]))))\n", 2, 1, "r", NULL},
    /* parts of one fold are one step; what does not commute is folded by one thread, from its first element on */
    {HEAD STEP " out y: f32[M]\n out w: f32[M]\ny[i] = step[k in 0..N](x[i, k], 1.0).a\n"
               "w[i] = step[k in 0..N](x[i, k], 1.0).b\n",
     1, 0, "r",
     "i = grid thread(64); k = serial reg(2) vec(4)\n"
     "! one thread: i = grid; k = serial warp(2) lane(32) vec(2)\n"
     "! outermost: i = grid thread(64); k = reg(2) serial\n"
     "! its order: i = grid thread(64); k = serial reg(2) vec(4); order i\n"},
    {HEAD STEP " out y: f32[M, N]\ny[i, j] = step[k in 0..N where k <= j](x[i, k], 1.0).b\n", 1, 0, "i",
     "i = grid; j = serial lane(32) vec(2)\n"},
    {HEAD STEP " out y: f32[M, N]\ny[i, j] = step[k in 0..N where k >= j](x[i, k], 1.0).b\n", 1, 0, "r", NULL},
    {HEAD STEP " out y: f32[]\ny[] = step[i in 0..M, k in 0..N](x[i, k], 1.0).b\n", 2, 2, "r", NULL},
    /* a reduction over one element has an axis too, with a factor to fold */
    {HEAD " out y: f32[M]\ny[i] = sum[k in 0..1](x[i, k])\n", 1, 0, "r",
     "i = grid thread(128); k = reg(1)\n!no factor: i = grid thread(128); k = \n"},
    /* what an update folds is in its kernel, where that is of other tensors or of what each thread changes itself */
    {"graph t\n dim M\n dim N\n inout a: f32[N]\n in x: f32[M, N]\na[j] = a[j] + sum[i in 0..M](x[i, j])\n", 1, 0, "r",
     NULL},
    {"graph t\n dim M\n dim N\n inout a: f32[N]\n in x: f32[M, N]\na[j] = a[j] * max[i in 0..N](a[i])\n", 1, 0, "r",
     NULL},
    /* two large reductions over axes of their own */
    {HEAD " out y: f32[M]\ny[i] = sum[k in 0..N](x[i, k]) * sum[k in 0..2 * N](x[i, k / 2])\n", 2, 1, "r", NULL},
};

static void one_schedule(Ctx *ctx, Group *gr, const char *line, size_t n) {
    Sym text = sym_n(ctx, line, n);
    const char *colon = line[0] == '!' ? strstr(text, ": ") : NULL;
    Schedule s;
    int64_t most[MAX_GROUP_AXES];
    Text why = {.ctx = ctx}, again = {.ctx = ctx};
    text_put(&why, "");
    bool ok = schedule_read(colon ? colon + 2 : text, gr, &s, &why) && schedule_legal(gr, &s, &why) &&
              sched_legal(gr, &s, NULL, most, &why);
    if (colon) {
        expect(!ok, "an illegal schedule is refused", text);
        return;
    }
    expect(ok, text, why.s);
    if (!ok) return;
    schedule_print(&again, gr, &s);
    expect(!strcmp(again.s, text), "a schedule's text is kept", again.s);
    Text numbered = {.ctx = ctx};
    Schedule kept, same;
    schedule_print(&numbered, schedule_numbered(gr), &s);
    schedule_copy(&kept, schedule_keep(ctx, &s));
    ok = schedule_read(numbered.s, schedule_numbered(gr), &same, &why);
    expect(ok && schedule_equal(&s, &same) && schedule_equal(&s, &kept) && schedule_hash(&s) == schedule_hash(&kept),
           "a schedule is itself without names, and as it is kept", numbered.s);
}

/* What prepare_graph leaves is Graph text that reads back, is legal, and is divided into as many kernels. */
static void one_prepared(Ctx *ctx, const PlanCase *c, Graph *g, int groups) {
    Text why = {.ctx = ctx}, text = {.ctx = ctx}, again = {.ctx = ctx};
    text_put(&why, "");
    Preparation *prep = prepare_graph(g, NULL, &why);
    expect(prep != NULL, c->text, why.s);
    if (!prep) return;
    prepare_print(&text, prep);
    Graph *r = graph_read(ctx, text.s, text.n, diag_add_file(ctx, "prepared", text.s, text.n));
    if (!r) diag_render(ctx, &why, false);
    expect(r && graph_verify(r, &why), text.s, why.s);
    Plan *plan = r ? plan_new(r, &machine_h200, false, NULL, &why) : NULL;
    expect(plan && plan->groups.n == groups, "a prepared graph has the same groups", text.s);
    if (plan) plan_print(&again, plan);
    expect(again.n > 0, "a plan has a text", NULL);
}

/* Those that a group stores, rather than a division that nobody may choose. */
static int temporaries(const Plan *plan) {
    int n = 0;
    for (int t = 0; t < plan->temps.n; t++) {
        bool stored = false;
        for (int i = 0; i < plan->groups.n; i++)
            for (int k = 0; k < plan->groups.at[i]->stores.n; k++)
                stored |= plan->groups.at[i]->stores.at[k].tensor == plan->temps.at[t].tensor;
        n += stored;
    }
    return n;
}

static void one_plan(const PlanCase *c) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) {
        expect(false, "memory", NULL);
        return;
    }
    Text why = {.ctx = ctx}, steps = {.ctx = ctx};
    text_put(&why, "");
    text_put(&steps, "");
    Graph *g = graph_read(ctx, c->text, strlen(c->text), diag_add_file(ctx, "graph", c->text, strlen(c->text)));
    if (!g) diag_render(ctx, &why, false);
    Plan *plan = g ? plan_new(g, &machine_h200, false, NULL, &why) : NULL;
    expect(plan != NULL, c->text, why.s);
    if (plan) {
        expect(plan->groups.n == c->groups && temporaries(plan) == c->temps, "groups and temporaries", c->text);
        Group *gr = plan->groups.at[0];
        for (int i = 0; i < gr->steps.n; i++)
            text_char(&steps, gr->steps.at[i].scan ? gr->steps.at[i].exclusive ? 'e' : 'i' : 'r');
        expect(!strcmp(steps.s, c->steps), c->text, steps.s);
        for (int i = 0; i < plan->groups.n; i++) {
            Schedule s;
            schedule_fallback(plan->groups.at[i], &s);
            expect(schedule_legal(plan->groups.at[i], &s, &why), "the fallback is legal", why.s);
            s = chosen(plan->groups.at[i]);
            expect(schedule_legal(plan->groups.at[i], &s, &why), "the chosen one is legal", why.s);
        }
        for (const char *p = c->schedules; p && *p; p = strchr(p, '\n') + 1)
            one_schedule(ctx, gr, p, (size_t)(strchr(p, '\n') - p));
        one_prepared(ctx, c, g, plan->groups.n);
    }
    ctx_free(ctx);
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0;
    for (size_t i = 0; argc == 1 && i < sizeof plans / sizeof *plans; i++) one_plan(&plans[i]);
    for (int i = 2; i < argc; i++) run_file(argv[i], n);
    return test_end();
}
