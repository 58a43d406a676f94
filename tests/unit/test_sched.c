/* Schedules: their text, what is legal, and whether legal ones are right. With arguments it draws random schedules:
 *   test_sched N FILE.td...
 * N schedules for every kernel of each file are drawn, printed, read back, applied, the program verified, printed, read back
 * and lowered, and every check statement of the file runs with each on the stand-in. TDC_SEED moves the draw, TDC_ONLY=K
 * runs one of them and prints it. */
#include "backend_cuda/glue.h"
#include "backend_cuda/lower.h"
#include "frontend/check.h"
#include "frontend/sema.h"
#include "ir/diag.h"
#include "sched/sched.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;

static void expect(bool ok, const char *what, const char *detail) {
    if (ok) {
        passed++;
        return;
    }
    failed++;
    printf("FAILED %s: %s\n", what, detail ? detail : "");
}

/* ---- one draw ---- */

enum { BATCH = 64 };

typedef struct Draw {
    int number;
    Graph *graph; /* its own, renamed */
    Module *module;
    Program *program;
    Sym schedules; /* the text of all of its kernels' schedules */
} Draw;

static bool apply_draw(Ctx *ctx, Draw *d, uint64_t seed, Text *why) {
    Plan *plan = plan_new(d->graph, why);
    if (!plan) return false;
    Program *p = sched_empty(d->graph, plan);
    Text all = {.ctx = ctx};
    for (int i = 0; i < plan->groups.n; i++) {
        Schedule s, again;
        Text text = {.ctx = ctx};
        if (d->number == 0) schedule_fallback(plan->groups.at[i], &s);
        else if (d->number == 1) sched_choose(plan->groups.at[i], &target_default, &s);
        else schedule_random(plan->groups.at[i], &seed, &s);
        schedule_print(&text, plan->groups.at[i], &s);
        text_fmt(&all, "%s%s: %s", i ? " | " : "", plan->groups.at[i]->name, text.s);
        d->schedules = sym(ctx, all.s);
        if (!schedule_legal(plan->groups.at[i], &s, why) || !schedule_read(text.s, plan->groups.at[i], &again, why)) return false;
        if (!schedule_equal(&s, &again) || schedule_hash(&s) != schedule_hash(&again)) {
            text_put(why, "the schedule read back differs");
            return false;
        }
        if (!sched_apply(p, plan->groups.at[i], &s, why)) return false;
    }
    d->program = p;
    return true;
}

/* Printed, read back, printed again; odd draws go on with what was read. */
static bool reread(Ctx *ctx, Draw *d, Text *why) {
    Text a = {.ctx = ctx}, b = {.ctx = ctx};
    program_print(&a, d->program);
#ifndef NO_VERIFY
    if (!program_verify(d->program, why)) {
        text_fmt(why, "\n%s", a.s);
        return false;
    }
#endif
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
    lower_file(&cu, ctx, kernels, &(LowerOptions){.prefix = "t"});
    if (!glue_verify(programs, n, &go, why)) return false;
    glue_emit_c(&c, programs, n, &go);
    glue_emit_h(&h, programs, n, &go);
    Sym dir = check_dir(ctx, why);
    if (!dir) return false;
    m->dir = dir;
    put_file(ctx, dir, "m.cu", &cu);
    put_file(ctx, dir, "m.c", &c);
    put_file(ctx, dir, "m.h", &h);
    return check_build(ctx, co, dir, "m", "t", m, why);
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
    AstFile *ast = parse_file(ctx, diag_add_file(ctx, path, text, n));
    d->module = sema_module(ctx, ast, &(SemaOptions){0});
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
    CheckOptions co = {.home = home ? home : check_home(ctx), .repeats = 2};
    CheckModel m = {0};
    text_put(&why, "");
    if (have) {
        if (n == 1) program_print(&why, draws[0].program);
        if (n == 1) puts(why.s);
        why.n = 0;
        bool ok = build(ctx, draws, have, &kernels, &m, &co, &why);
        expect(ok, path, why.s);
        for (int i = 0; ok && i < have; i++) run_draw(ctx, path, &draws[i], &m, &co);
        if (m.dir && !getenv("TDC_KEEP")) check_remove(ctx, m.dir);
        else if (m.dir) puts(m.dir);
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

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 2; i < argc; i++) run_file(argv[i], n);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
