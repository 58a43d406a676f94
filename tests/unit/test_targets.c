/* Targets: what several have in common, which a device takes, nvcc's options; kernels by hand that use what one lacks;
 * and that the stand-in's devices have what the targets promise. */
#include "ir/diag.h"
#include "sched/kernel/kernel_target.h"
#include "test.h"

#include <string.h>

enum { MOST = 8 };

/* A list as --target has it. */
static Targets list(const char *names) {
    static const Target *at[MOST];
    Targets t = {at, 0};
    for (const char *s = names; *s;) {
        size_t n = strcspn(s, ",");
        at[t.n] = target_find(s, n);
        expect(at[t.n] != NULL, "a target is known by its name", names);
        t.n++;
        s += n + (s[n] == ',');
    }
    return t;
}

/* Of each row: a list, the least shared memory and where that is, whether all start kernels early, which is first. */
static void together(void) {
    static const struct {
        const char *names;
        int kilobytes;
        const char *where;
        bool early;
        const char *ranked;
    } ROWS[] = {
        {"", 227, "sm_90a", true, "sm_90a"},
        {"sm_90a", 227, "sm_90a", true, "sm_90a"},
        {"sm_100a,sm_90a", 227, "sm_100a", true, "sm_90a sm_100a"},
        {"sm_90a,sm_120a", 99, "sm_120a", true, "sm_90a sm_120a"},
        {"sm_80", 99, "sm_86", false, "sm_80"},
        {"sm_80,sm_90a,sm_89", 99, "sm_86", false, "sm_90a sm_89 sm_80"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const Targets t = list(ROWS[i].names);
        const Target *where, *ranked[MOST];
        char order[64] = "";
        expect(targets_shared(t, &where) == ROWS[i].kilobytes * 1024, "shared memory", ROWS[i].names);
        expect(!strcmp(where->arch, ROWS[i].where), "where it is least", where->arch);
        expect(targets_early(t) == ROWS[i].early, "kernels start early", ROWS[i].names);
        targets_ranked(t, ranked);
        for (int k = 0; k < targets_count(t); k++) {
            if (k) strcat(order, " ");
            strcat(order, ranked[k]->arch);
        }
        expect(!strcmp(order, ROWS[i].ranked), "order", order);
    }
}

static void options(Ctx *ctx) {
    Text all = {.ctx = ctx}, ptx = {.ctx = ctx};
    targets_gencode(&all, list("sm_80,sm_90a"), false);
    targets_gencode(&ptx, list("sm_80,sm_90a"), true);
    expect(!strcmp(all.s, " -gencode arch=compute_80,code=sm_80 -gencode arch=compute_80,code=compute_80"
                          " -gencode arch=compute_90a,code=sm_90a"),
           "nvcc's options", all.s);
    expect(!strcmp(ptx.s, " -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90a,code=sm_90a"),
           "nvcc's options for PTX", ptx.s);
}

#define HEAD "program t\n  dim M\n  in x: f32[M, 65536]\n  out y: f32[M, 65536]\nkernel k"
#define AXES "\n  axis r = M\n  axis n = 65536\n  layout main\n    r = serial grid(8)\n"
#define PLAIN "    n = grid warp(8) lane(32) vec(4)\n"
#define LOOP(body) "{\n  for r {\n" body "  }\n}\n"
#define COPY(path, depth) "    xs = copy x[r, n] " path " depth " depth "\n    x0 = read xs\n"
#define STORE "    store y[r, n] = x0\n"

/* A program, the targets for which it is refused with these words, and those for which it is not. */
static void kernels(Ctx *ctx) {
    static const struct {
        const char *text, *refused, *why, *taken;
    } ROWS[] = {
        {HEAD AXES PLAIN LOOP(COPY("bulk", "2") STORE), "sm_100a,sm_86", "a bulk copy, which sm_86", "sm_100a"},
        {HEAD AXES PLAIN LOOP(COPY("async", "2") STORE), NULL, NULL, "sm_80"},
        {HEAD AXES PLAIN LOOP("    x0 = load x[r, n]\n    store y[r, n] = x0 bulk\n"), "sm_80", "a bulk store",
         "sm_120a"},
        {HEAD AXES "    n = grid cluster(2) warp(8) lane(32) vec(4)\n" LOOP("    x0 = load x[r, n]\n" STORE), "sm_80",
         "clusters of 2 blocks, which sm_80", "sm_90a"},
        {HEAD AXES "    n = grid cluster(16) warp(8) lane(32) vec(4)\n" LOOP("    x0 = load x[r, n]\n" STORE),
         "sm_90a,sm_120a", "clusters of 16 blocks, which sm_120a", "sm_90a,sm_100a"},
        {HEAD AXES "    n = grid reg(8) warp(8) lane(32) vec(4)\n" LOOP(COPY("async", "4") STORE), "sm_80",
         "where a block has 101376 on compute capability 8.6", "sm_90a"},
        {HEAD " occupancy 8" AXES PLAIN LOOP("    x0 = load x[r, n]\n" STORE), "sm_90a,sm_89",
         "8 blocks of 256 threads do not fit a multiprocessor of sm_89, which has 1536 threads", "sm_90a,sm_80"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const char *text = ROWS[i].text;
        Text why = {.ctx = ctx};
        Program *p = program_read(ctx, text, strlen(text), diag_add_file(ctx, "test.kernel", text, strlen(text)));
        expect(p && program_verify(p, &why), "the kernel is legal", p ? why.s : diag_message(diag_at(ctx, 0)));
        if (!p) continue;
        expect(program_fits(p, list(ROWS[i].taken)), "it fits", ROWS[i].taken);
        if (!ROWS[i].refused) continue;
        const int before = diag_count(ctx);
        expect(!program_fits(p, list(ROWS[i].refused)) && diag_count(ctx) == before + 1, "it is refused once",
               ROWS[i].why);
        const char *said = diag_message(diag_at(ctx, before));
        expect(strstr(said, ROWS[i].why) != NULL, ROWS[i].why, said);
    }
}

static const struct Device {
    int capability, shared, shared_per_sm, threads, cluster;
} DEVICES[] = {
#define DEVICE(...) {__VA_ARGS__},
#include "backend_cuda/emu/devices.def"
#undef DEVICE
};

static void devices(void) {
    enum { N = sizeof DEVICES / sizeof *DEVICES };
    for (int i = 0; i < TARGET_COUNT; i++) {
        const Target *t = &target_table[i];
        const struct Device *d = DEVICES;
        while (d < DEVICES + N && d->capability != 10 * t->major + t->minor) d++;
        expect(d < DEVICES + N, "the stand-in has such a device", t->arch);
        if (d == DEVICES + N) continue;
        expect(d->shared == t->shared && d->shared_per_sm == t->shared_per_sm && d->threads == t->threads_per_sm &&
                   d->cluster == t->cluster,
               "it has what the target says", t->arch);
    }
}

int main(void) {
    Ctx *ctx = ctx_new();
    together();
    options(ctx);
    kernels(ctx);
    devices();
    ctx_free(ctx);
    return test_end();
}
