/* Programs with choices: their text round trips; which ways there are and which one sizes take; what each way is held
 * to by itself: temporaries, addresses, bytes moved, equal kernels, chains; and what is written of it. */
#include "backend_cuda/glue/glue.h"
#include "backend_cuda/lower/lower.h"
#include "ir/diag.h"
#include "sched/kernel/memory.h"
#include "sched/kernel/same.h"
#include "sched/kernel/traffic.h"
#include "test.h"

#include <string.h>

/* A kernel of a line a thread: TO = FROM + WHAT. */
#define ROW(in, name, from, to, what)                                                                                  \
    in "kernel " name "\n" in "  axis r = M\n" in "  layout main\n" in "    r = grid thread(32)\n" in "{\n" in         \
       "  a = load " from "\n" in "  store " to " = a" what "\n" in "}\n"

/* Without temporaries; by w; by a cleared one, u, of another size, and v. */
#define PROGRAM                                                                                                        \
    "program t\n  dim M\n  dim N\n  in x: i32[M]\n  out y: i32[M]\n  temp w: i32[M]\n  temp u: i32[2 * M] zero\n"      \
    "  temp v: i32[M]\n\n"                                                                                             \
    "when M <= 8 {\n"                                                                                                  \
    "  // y = x + 3\n"                                                                                                 \
    "  // at once\n" ROW("  ", "small", "x[r]", "y[r]", " + 3") "} else when M * N <= 100 {\n" ROW(                    \
        "  ", "one", "x[r]", "w[M - 1 - r]",                                                                           \
        " + 3") "\n" ROW("  ", "two", "w[M - 1 - r]", "y[r]",                                                          \
                         " + 0") "} else {\n" ROW("  ", "wide", "x[r]", "u[2 * r]",                                    \
                                                  " + 1") "\n" ROW("  ", "mid", "u[2 * r]", "v[M - 1 - r]",            \
                                                                   " + 1") "\n"                                        \
                                                                           "  when N <= 3 {\n" ROW(                    \
                                                                               "    ", "near", "v[M - 1 - r]", "y[r]", \
                                                                               " + 1") "  } else {\n" ROW("    ",      \
                                                                                                          "far",       \
                                                                                                          "v[M - 1 - " \
                                                                                                          "r]",        \
                                                                                                          "y[r]",      \
                                                                                                          " + 1") "  " \
                                                                                                                  "}"  \
                                                                                                                  "\n" \
                                                                                                                  "}"  \
                                                                                                                  "\n"

static Program *read(Ctx *ctx, const char *text) {
    Text why = {.ctx = ctx};
    Program *p = program_read(ctx, text, strlen(text), diag_add_file(ctx, "t.kernel", text, strlen(text)));
    const char *said = p ? NULL : diag_count(ctx) ? diag_message(diag_at(ctx, 0)) : "no message";
    if (p && !program_verify(p, &why)) said = why.s, p = NULL;
    expect(p != NULL, "a program with choices is read and legal", said);
    return p;
}

static void test_text(Ctx *ctx) {
    Program *p = read(ctx, PROGRAM);
    if (!p) return;
    Text out = {.ctx = ctx};
    program_print(&out, p);
    size_t same = 0;
    while (out.s[same] && out.s[same] == PROGRAM[same]) same++;
    expect(!strcmp(out.s, PROGRAM), "it is printed as it was read", out.s + same);
    expect(!strcmp(p->kernels.at[0]->comment, "y = x + 3\nat once"), "a kernel's comment, further in",
           p->kernels.at[0]->comment);
    expect(p->steps.n == 1 && p->kernels.n == 7 && p->steps.at[0].choice->cases.n == 3, "steps", "");
}

/* One byte of the text is another: there is a program or a message. */
static bool survives(size_t at) {
    char text[] = PROGRAM;
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return false;
    text[at] = "={(.#0}"[at % 7];
    Text why = {.ctx = ctx};
    Program *p = program_read(ctx, text, strlen(text), diag_add_file(ctx, "t.kernel", text, strlen(text)));
    bool ok = p ? program_verify(p, &why) || why.n : diag_count(ctx) > 0;
    ctx_free(ctx);
    return ok;
}

static void test_damage(void) {
    int silent = 0;
    for (size_t at = 0; at + 1 < sizeof PROGRAM; at++) silent += !survives(at);
    expect(silent == 0, "what is damaged is refused with a message", "");
}

/* ---- ways ---- */

static const struct {
    int64_t dims[2]; /* M, N */
    int way;
    const char *kernels;
} SIZES[] = {
    {{0, 0}, 0, "small"},         {{1, 1}, 0, "small"},           {{8, 1000}, 0, "small"},
    {{9, 0}, 1, "one two"},       {{9, 11}, 1, "one two"},        {{10, 10}, 1, "one two"},
    {{100, 1}, 1, "one two"},     {{101, 1}, 2, "wide mid near"}, {{34, 3}, 2, "wide mid near"},
    {{9, 12}, 3, "wide mid far"}, {{26, 4}, 3, "wide mid far"},   {{1 << 20, 1 << 20}, 3, "wide mid far"},
};

static const char *names(Ctx *ctx, const Way *w) {
    Text t = {.ctx = ctx};
    for (int i = 0; i < w->steps.n; i++) text_fmt(&t, "%s%s", i ? " " : "", step_name(&w->steps.at[i]));
    return t.n ? t.s : "";
}

static const char *when(Ctx *ctx, const Program *p) {
    Text t = {.ctx = ctx};
    for (int i = 0; i < p->ways.n; i++) {
        if (i) text_put(&t, "; ");
        way_print(&t, &p->ways.at[i]);
    }
    return t.s;
}

static void test_sizes(Ctx *ctx) {
    Program *p = read(ctx, PROGRAM);
    if (!p) return;
    expect(!strcmp(when(ctx, p), "when M <= 8; when M * N <= 100; when N <= 3; else"), "four ways", when(ctx, p));
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        int way = program_way_at(p, SIZES[i].dims);
        expect(way == SIZES[i].way, SIZES[i].kernels, "another way is taken");
        if (way >= 0) expect(!strcmp(names(ctx, &p->ways.at[way]), SIZES[i].kernels), SIZES[i].kernels, "are not run");
    }
    const int64_t huge[] = {(int64_t)1 << 40, (int64_t)1 << 40};
    expect(program_way_at(p, huge) == -1, "a condition that overflows has no value", "");
}

#define HEAD "program t\n  dim M\n  dim N\n  in x: i32[M]\n  out y: i32[M]\n  out z: i32[M]\n  temp w: i32[M]\n"
#define FIRST(when, one, two)                                                                                          \
    "when " when " {\n" ROW("", one, "x[r]", "y[r]", " + 1") "} else {\n" ROW("", two, "x[r]", "y[r]", " + 2") "}\n"
#define SECOND(when, one, two)                                                                                         \
    "when " when " {\n" ROW("", one, "x[r]", "z[r]", " + 1") "} else {\n" ROW("", two, "x[r]", "z[r]", " + 2") "}\n"

/* Two choices one after the other: as many ways as there are sizes that tell them apart. */
static void test_sequences(Ctx *ctx) {
    static const struct {
        const char *text, *when;
    } ROWS[] = {
        {HEAD FIRST("M <= 8", "a", "b") SECOND("N <= 8", "c", "d"),
         "when M <= 8 and N <= 8; when M <= 8; when N <= 8; else"},
        {HEAD FIRST("M <= 8", "a", "b") SECOND("M <= 8", "c", "d"), "when M <= 8; else"},
        {HEAD FIRST("M <= 8", "a", "b") SECOND("M <= 9", "c", "d"), "when M <= 8; when M <= 9; else"},
        {HEAD FIRST("M <= 8", "a", "b") SECOND("M > 8", "c", "d"), "when M <= 8; else"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        Program *p = read(ctx, ROWS[i].text);
        if (p) expect(!strcmp(when(ctx, p), ROWS[i].when), ROWS[i].when, when(ctx, p));
    }
}

/* ---- what each way is held to ---- */

/* name:first-last of what is in use, name=home where it stands with another, for each way. */
static const char *uses(Ctx *ctx, const Program *p) {
    Text t = {.ctx = ctx};
    for (int w = 0; w < p->ways.n; w++) {
        Memory m;
        memory_plan(ctx, p, &p->ways.at[w], &m);
        if (w) text_put(&t, ";");
        for (int i = 0; i < m.pieces.n; i++) {
            const MemoryPiece *piece = &m.pieces.at[i];
            if (piece->away) continue;
            text_fmt(&t, " %s", piece->temp->name);
            if (piece->with)
                text_fmt(&t, "=%s", piece->with->name);
            else
                text_fmt(&t, ":%d-%d", piece->first, piece->last);
        }
    }
    return t.n ? t.s : "";
}

static void test_memory(Ctx *ctx) {
    static const int64_t want[][3] = {{8, 5, 0}, {10, 10, 256}, {40, 3, 768}, {100, 9, 1536}};
    Program *p = read(ctx, PROGRAM);
    if (!p) return;
    expect(!strcmp(uses(ctx, p), "; w:0-1; u:0-1 v:1-2; u:0-1 v:1-2"), "each way's temporaries", uses(ctx, p));
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const int64_t bytes[] = {4 * want[i][0], 8 * want[i][0], 4 * want[i][0]}, params[] = {0, 0};
        int64_t total = -1, own[3];
        Memory m;
        MemoryPlace place[3];
        memory_plan(ctx, p, &p->ways.at[program_way_at(p, want[i])], &m);
        for (int k = 0; k < 3; k++) own[k] = m.pieces.at[k].away ? 0 : bytes[k];
        bool ok = memory_place(ctx, &m, params, own, place, &total);
        expect(ok && total == want[i][2], "the workspace", sym_fmt(ctx, "way %d: %lld", (int)i + 1, (long long)total));
    }
}

static const char *may_alias(Ctx *ctx, const Program *p) {
    Text t = {.ctx = ctx};
    for (int i = 0; i < p->in_place.n; i++)
        text_fmt(&t, "%s%s@%s", i ? " " : "", p->in_place.at[i].out->name, p->in_place.at[i].in->name);
    return t.n ? t.s : "";
}

/* An output may stand where an input does if it may on each way; a temporary may become an output on one. */
static void test_addresses(Ctx *ctx) {
    static const char same[] = HEAD FIRST("M <= 8", "a", "b") ROW("", "c", "y[r]", "z[r]", " + 1"),
                      one[] = HEAD "when M <= 8 {\n" ROW("", "a", "x[r]", "y[r]", " + 1") "} else {\n" ROW(
                          "", "b", "x[M - 1 - r]", "y[r]", " + 1") "}\n" ROW("", "c", "y[r]", "z[r]", " + 1"),
                      takes[] = HEAD "when M <= 8 {\n" ROW("", "a", "x[r]", "w[r]", " + 1")
                          ROW("", "b", "w[r]", "y[r]", " + 1") "} else {\n" ROW("", "d", "x[r]", "w[r]", " + 1")
                              ROW("", "e", "w[M - 1 - r]", "y[r]", " + 1") "}\n" ROW("", "c", "y[r]", "z[r]", " + 1");
    Program *p = read(ctx, same), *q = read(ctx, one), *r = read(ctx, takes);
    if (!p || !q || !r) return;
    expect(!strcmp(may_alias(ctx, p), "y@x z@x"), "in place on both ways", may_alias(ctx, p));
    expect(!strcmp(may_alias(ctx, q), "z@x"), "in place on one way alone is not said", may_alias(ctx, q));
    expect(r->ways.at[0].successions.n == 2 && r->ways.at[1].successions.n == 1, "what takes over, of each way", "");
    expect(!strcmp(uses(ctx, r), " w=y; w:0-1"), "a temporary becomes an output on one way", uses(ctx, r));
}

static void test_traffic(Ctx *ctx) {
    static const int64_t want[][4] = {{8, 5, 32, 32}, {10, 10, 80, 80}, {40, 3, 480, 480}, {100, 9, 1200, 1200}};
    Program *p = read(ctx, PROGRAM);
    for (size_t i = 0; p && i < sizeof want / sizeof *want; i++) {
        const Way *w = &p->ways.at[program_way_at(p, want[i])];
        Traffic one, sum = {0};
        bool ok = true;
        for (int k = 0; k < w->steps.n; k++) {
            ok &= kernel_traffic(p, step_kernel(&w->steps.at[k]), want[i], &one);
            sum.read += one.read, sum.written += one.written;
        }
        expect(ok && sum.read == want[i][2] && sum.written == want[i][3], "bytes moved",
               sym_fmt(ctx, "way %d: %lld %lld", (int)i + 1, (long long)sum.read, (long long)sum.written));
    }
}

/* ---- versions of many kernels ---- */

enum { MANY = 7 };

/* Choices of two kernels each, too many to combine: each writes a tensor of its own. The last one's second kernel is
 * `last`. */
static const char *many(Ctx *ctx, const char *last) {
    static const int PRIMES[MANY] = {2, 3, 5, 7, 11, 13, 17};
    Text t = {.ctx = ctx};
    text_put(&t, "program t\n  dim M\n  dim N\n  in x: i32[M]\n");
    for (int i = 0; i < MANY; i++) text_fmt(&t, "  out y%d: i32[M]\n", i);
    text_put(&t, "  temp w: i32[M]\n\n" ROW("", "first", "x[r]", "w[r]", " + 5"));
    for (int i = 0; i < MANY; i++) {
        const char *read = i ? "x[r]" : "w[r]";
        text_fmt(&t, "when M %% %d == 0 {\n", PRIMES[i]);
        text_fmt(&t, ROW("  ", "a%d", "%s", "y%d[r]", " + 1"), i, read, i);
        text_put(&t, "} else {\n");
        text_fmt(&t, ROW("  ", "b%d", "%s", "%s", " + 2"), i, read, i + 1 < MANY ? sym_fmt(ctx, "y%d[r]", i) : last);
        text_put(&t, "}\n");
    }
    return t.s;
}

/* What is the same for all kernels of a choice needs no ways that tell them apart. */
static void test_many(Ctx *ctx) {
    static const int64_t dims[] = {30, 1};
    Program *p = read(ctx, many(ctx, "y6[r]")), *q = read(ctx, many(ctx, "y6[M - 1 - r]"));
    if (!p || !q) return;
    expect(p->ways.n == 1 && p->ways.at[0].steps.n == 1 + MANY, "choices are steps", "");
    const Way *w = program_taken(p, dims);
    expect(w && !strcmp(names(ctx, w), "first a0 a1 a2 b3 b4 b5 b6"), "the kernels that sizes take",
           w ? names(ctx, w) : "none");
    expect(!strcmp(may_alias(ctx, p), "y6@x"), "in place where all kernels may", may_alias(ctx, p));
    expect(!strcmp(may_alias(ctx, q), ""), "not in place where one may not", may_alias(ctx, q));
    expect(!strcmp(uses(ctx, p), " w=y0"), "a temporary becomes what each kernel writes", uses(ctx, p));
    Text why = {.ctx = ctx};
    const char *text = many(ctx, "y5[r]");
    Program *r = program_read(ctx, text, strlen(text), diag_add_file(ctx, "t.kernel", text, strlen(text)));
    const bool legal = r && program_verify(r, &why);
    const char *said = why.s ? why.s : "no message";
    expect(r && !legal && strstr(said, "b6 writes other tensors than a6, which stands in the same choice"),
           "kernels of a choice that write different tensors", said);
}

/* ---- equal kernels and chains ---- */

static int times(const char *text, const char *what) {
    int n = 0;
    for (; (text = strstr(text, what)); text++) n++;
    return n;
}

static void test_same(Ctx *ctx) {
    static const char other[] =
        "program s\n  dim Q\n  in b: i32[Q]\n  out c: i32[Q]\nkernel k\n  axis i = Q\n  layout main\n    i = grid "
        "thread(32)\n{\n  a = load b[i]\n  store c[i] = a + 3\n}\n";
    SameMemo memo = {0};
    Text cu = {.ctx = ctx}, why = {.ctx = ctx};
    Program *s = read(ctx, other), *p = read(ctx, PROGRAM);
    if (!p || !s) return;
    program_same(&memo, s);
    program_same(&memo, p);
    Kernel *const *k = p->kernels.at;
    expect(k[0]->same == s->kernels.at[0], "a case's kernel is another entry's", "differs");
    expect(k[6]->same == k[5] && k[6]->here == k[5] && !k[5]->same, "kernels of two cases are one", "differ");
    expect(!k[0]->follows && !k[0]->leads && s->kernels.at[0]->places == 2, "the kernel of a way alone", "");
    expect(!k[1]->follows && k[1]->leads && k[2]->follows && !k[2]->leads, "the first and last of a way", "");
    expect(k[4]->follows && k[4]->leads && k[5]->follows && !k[5]->leads, "before and after a choice", "");
    bool ok = lower_program(&cu, p, &(LowerOptions){.prefix = "t"}, &why);
    expect(ok && times(cu.s, "__global__") == 5, "what two ways run is lowered once", cu.s);
    expect(ok && times(cu.s, "td_pdl_wait()") == 3 && times(cu.s, "td_pdl_launch()") == 3, "chains", cu.s);
}

/* ---- what is written ---- */

static void test_glue(Ctx *ctx) {
    const GlueOptions o = {.prefix = "m", .header = "m.h", .version = "0"};
    Text c = {.ctx = ctx}, json = {.ctx = ctx}, why = {.ctx = ctx};
    Program *p = read(ctx, PROGRAM);
    if (!p) return;
    SameMemo memo = {0};
    program_same(&memo, p);
    const Program *const at[] = {p};
    const Graph *refused;
    expect(glue_verify(at, 1, &o, &refused, &why), "it has the C interface", why.s);
    glue_emit_c(&c, NULL, at, 1, &o);
    glue_emit_manifest(&json, at, 1, &o);
    expect(strstr(c.s,
                  "    if (M <= 8)\n        return td_t_run_1(td_s, td_c);\n    if (td_mul(M, N) <= 100)\n"
                  "        return td_t_run_2(td_s, td_c);\n    if (N <= 3)\n        return td_t_run_3(td_s, td_c);\n"
                  "    return td_t_run_4(td_s, td_c);\n"),
           "the run of the way that the sizes take", strstr(c.s, "td_t_run(const"));
    expect(times(c.s, "\"clearing u\"") == 2, "what is cleared is cleared where it is used", "");
    expect(times(c.s, "_prepare()") - times(c.s, "_prepare();") == 2 * 6, "each kernel is prepared once", "");
    expect(strstr(json.s, "{\"when\": [{\"text\": \"M * N <= 100\", \"form\": [\"<=\", [\"*\", \"M\", \"N\"], 100]}], "
                          "\"launches\": [\"one\", \"two\"]}"),
           "the manifest has the ways", json.s);
    expect(strstr(json.s, "{\"when\": [], \"launches\": [\"wide\", \"mid\", \"far\"]}"), "... and the last", json.s);
}

int main(void) {
    test_damage();
    Ctx *ctx = ctx_new();
    if (!ctx) return 1;
    if (CTX_GUARD(ctx)) return puts("out of memory"), 1;
    test_text(ctx);
    test_sizes(ctx);
    test_sequences(ctx);
    test_memory(ctx);
    test_addresses(ctx);
    test_many(ctx);
    test_traffic(ctx);
    test_same(ctx);
    test_glue(ctx);
    ctx_free(ctx);
    return test_end();
}
