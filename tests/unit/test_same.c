/* Which kernels are the same (same.h): a kernel and one that differs from it in a single thing, whether their
 * forms are equal; stacks of equal layers, how many different kernels they need; and where a text waits that runs in
 * several places. */
#include "backend_cuda/lower/lower.h"
#include "ir/diag.h"
#include "sched/kernel/same.h"
#include "sched/search/sched.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* ---- near misses ---- */

static const char BASE[] = "program p\n"
                           "  dim M in 1..=4096\n"
                           "  dim N divisible 8\n"
                           "  scalar s: f32 = 1.0\n"
                           "  in x: f32[M, N]\n"
                           "  in b: f32[N]\n"
                           "  out y: f32[M, N]\n"
                           "  temp u: f32[M]\n"
                           "\n"
                           "kernel k\n"
                           "  axis r = M\n"
                           "  axis n = N\n"
                           "  layout main\n"
                           "    r = grid\n"
                           "    n = serial lane(32) vec(8)\n"
                           "{\n"
                           "  var z[n.lane]: f32 = 0.0\n"
                           "  for n {\n"
                           "    x0 = load x[r, n] stream\n"
                           "    p0 = reduce sum(x0 * f32(s)) over n.vec if n < 1000\n"
                           "    set z = z + p0\n"
                           "  }\n"
                           "  m = reduce sum(z) over n.lane\n"
                           "  store u[r] = m\n"
                           "  for n {\n"
                           "    b0 = load b[n]\n"
                           "    store y[r, n] = f32(b0) + m + 2.0\n"
                           "  }\n"
                           "}\n";

static const struct {
    const char *what, *from, *to;
    bool same;
} VARIANTS[] = {
    {"nothing", "", "", true},
    {"the program's name", "program p", "program other", true},
    {"the kernel's name", "kernel k", "kernel elsewhere", true},
    {"a value's name", "x0", "loaded", true},
    {"a default", "scalar s: f32 = 1.0", "scalar s: f32 = 2.0", true},
    {"a hint", "dim M in 1..=4096", "dim M in 1..=4096 hint 7", true},
    {"another dimension first", "  dim M in", "  dim Q\n  dim M in", true},
    {"another tensor first", "  in x: f32", "  in w: f32[M]\n  in x: f32", true},
    {"a temporary that is an output", "  temp u: f32[M]\n", "  out u: f32[M]\n", true},
    {"an element's type", "in b: f32[N]", "in b: i32[N]", false},
    {"an element's width", "in b: f32[N]", "in b: bf16[N]", false},
    {"an extent", "in b: f32[N]", "in b: f32[N + 8]", false},
    {"a stride", "in x: f32[M, N]", "in x: f32[M, N + 8]", false},
    {"a dimension in a stride", "in x: f32[M, N]", "in x: f32[M, 4096]", false},
    {"a range's end", "1..=4096", "1..=4097", false},
    {"a range's beginning", "1..=4096", "2..=4096", false},
    {"no range", " in 1..=4096", "", false},
    {"a divisor", "divisible 8", "divisible 16", false},
    {"no divisor", " divisible 8", "", false},
    {"a scalar's type", "scalar s: f32 = 1.0", "scalar s: f64 = 1.0", false},
    {"an option", "  scalar", "  option math = fast\n  scalar", false},
    {"a constant", "+ 2.0", "+ 3.0", true},
    {"an operator", "x0 * f32(s)", "x0 - f32(s)", false},
    {"an operand", "f32(b0) + m", "m + f32(b0)", false},
    {"a condition", "n < 1000", "n < 1001", false},
    {"no condition", " if n < 1000", "", false},
    {"a fold", "reduce sum(z)", "reduce max(z)", false},
    {"a monoid", "p0 = reduce sum", "p0 = reduce max", false},
    {"a factor's size", "vec(8)", "vec(4)", false},
    {"a factor's binding", "vec", "reg", false},
    {"a cache's hint", " stream", "", false},
    {"an occupancy", "kernel k", "kernel k occupancy 2", false},
    {"a condition of the kernel", "kernel k\n", "kernel k\n  where M < 4000\n", false},
    {"an axis's extent", "axis n = N", "axis n = N / 2", false},
    {"the same tensor twice", "load b[n]", "load x[r, n]", false},
    {"another subscript", "load b[n]", "load b[n / 2]", false},
    {"no store", "  store u[r] = m\n", "", false},
};

/* `text` with each `from` replaced. */
static char *replaced(Ctx *ctx, const char *text, const char *from, const char *to) {
    Text t = {.ctx = ctx};
    size_t n = strlen(from);
    for (; *text; text++) {
        if (n && !strncmp(text, from, n)) {
            text_put(&t, to);
            text += n - 1;
        } else {
            text_char(&t, *text);
        }
    }
    return t.s;
}

static Program *read(Ctx *ctx, const char *text) {
    Program *p = program_read(ctx, text, strlen(text), diag_add_file(ctx, "test", text, strlen(text)));
    Text why = {.ctx = ctx};
    return p && program_verify(p, &why) ? p : NULL;
}

static void test_variants(Ctx *ctx) {
    for (size_t i = 0; i < sizeof VARIANTS / sizeof *VARIANTS; i++) {
        KernelForm f, g;
        char *text = replaced(ctx, BASE, VARIANTS[i].from, VARIANTS[i].to);
        Program *p = read(ctx, BASE), *q = read(ctx, text);
        expect(p && q, VARIANTS[i].what, "cannot be read");
        if (p && q) {
            Sym a = kernel_form(ctx, p, p->kernels.at[0], &f), b = kernel_form(ctx, q, q->kernels.at[0], &g);
            expect(a && (a == b) == VARIANTS[i].same, VARIANTS[i].what, VARIANTS[i].same ? "differs" : "is the same");
        }
    }
}

/* ---- dimensions and tensors that coincide ---- */

static int different(const Program *p) {
    int n = 0;
    for (int i = 0; i < p->kernels.n; i++) n += !p->kernels.at[i]->same;
    return n;
}

static Program *scheduled(Ctx *ctx, SameMemo *memo, const char *text, bool library) {
    const SchedOptions opt = {.library = library, .without = 1u << SCHED_CHOOSE}; /* one kernel for all sizes */
    Graph *g = graph_read(ctx, text, strlen(text), diag_add_file(ctx, "test", text, strlen(text)));
    Program *p = g ? sched_program(ctx, g, &opt) : NULL;
    if (p) program_same(memo, p);
    return p;
}

static const char SCALED[] = "graph scaled dim M dim N in x: f32[M, N] in w: f32[N] out y: f32[M, N]\n"
                             "y[i, j] = x[i, j] * w[j]";

static const struct {
    const char *what, *text;
    bool same; /* as the kernel of SCALED */
} PROGRAMS[] = {
    {"other names", "graph other dim A dim B in p: f32[A, B] in q: f32[B] out r: f32[A, B]\nr[s, t] = p[s, t] * q[t]",
     true},
    {"dimensions in another order",
     "graph other dim N dim Q dim M in w: f32[N] in x: f32[M, N] out y: f32[M, N]\ny[i, j] = x[i, j] * w[j]", true},
    {"one dimension for two",
     "graph other dim N in x: f32[N, N] in w: f32[N] out y: f32[N, N]\ny[i, j] = x[i, j] * w[j]", false},
    {"a number for a dimension",
     "graph other dim M in x: f32[M, 64] in w: f32[64] out y: f32[M, 64]\ny[i, j] = x[i, j] * w[j]", false},
    {"in place", "graph other dim M dim N in w: f32[N] inout x: f32[M, N]\nx[i, j] = x[i, j] * w[j]", false},
    {"a scalar for an element",
     "graph other dim M dim N scalar s: f32 in x: f32[M, N] out y: f32[M, N]\ny[i, j] = x[i, j] * s", false},
};

static void test_programs(Ctx *ctx) {
    for (size_t i = 0; i < sizeof PROGRAMS / sizeof *PROGRAMS; i++) {
        SameMemo memo = {0};
        Program *first = scheduled(ctx, &memo, SCALED, false), *p = scheduled(ctx, &memo, PROGRAMS[i].text, false);
        bool ok = first && p && first->kernels.n == 1 && p->kernels.n == 1;
        expect(ok, PROGRAMS[i].what, "has not one kernel");
        if (!ok) continue;
        const Kernel *k = p->kernels.at[0];
        expect((k->same == first->kernels.at[0]) == PROGRAMS[i].same, PROGRAMS[i].what,
               k->same ? "is the same" : "differs");
        expect(k->shared == PROGRAMS[i].same && first->kernels.at[0]->shared == k->shared, PROGRAMS[i].what, "shared");
        expect(!strcmp(kernel_symbol(p, k), k->same ? "scaled_y" : "other_y") ||
                   (!k->same && !strcmp(kernel_symbol(p, k), "other_x")),
               PROGRAMS[i].what, kernel_symbol(p, k));
    }
}

/* ---- constants ---- */

static const char *CONSTANT = "graph g dim M dim N in x: f32[M, N] out y: f32[M]\n"
                              "y[i] = sum[k in 0..N](if x[i, k] < %s then x[i, k] * %s + %s else (x[i, k] + %s) / %s)";

/* Five numbers for those of CONSTANT; whether the text is that of 0.5 2.5 1.5 2.5 3.0, and how many are passed. */
static const struct {
    const char *what, *of[5];
    bool same;
    int passed;
} CONSTANTS[] = {
    {"equal ones", {"0.5", "2.5", "1.5", "2.5", "3.0"}, true, 0},
    {"one is another", {"0.5", "2.5", "1.25", "2.5", "3.0"}, true, 1},
    {"all are others", {"-0.5", "7.5", "0.25", "7.5", "3.0"}, true, 3},
    {"two are no longer one", {"0.5", "2.5", "1.5", "4.5", "3.0"}, false, 0},
    {"two become one", {"1.5", "2.5", "1.5", "2.5", "3.0"}, false, 0},
    {"one becomes the sum's identity", {"0.0", "2.5", "1.5", "2.5", "3.0"}, false, 0},
    {"another divisor", {"0.5", "2.5", "1.5", "2.5", "5.0"}, false, 0},
};

static Program *with_constants(Ctx *ctx, SameMemo *memo, const char *const *of) {
    Text t = {.ctx = ctx};
    for (const char *s = CONSTANT; *s; s++) {
        if (s[0] == '%')
            text_put(&t, *of++), s++;
        else
            text_char(&t, *s);
    }
    return scheduled(ctx, memo, t.s, false);
}

static void test_constants(Ctx *ctx) {
    static const char *const of[] = {"0.5", "2.5", "1.5", "2.5", "3.0"};
    for (size_t i = 0; i < sizeof CONSTANTS / sizeof *CONSTANTS; i++) {
        SameMemo memo = {0};
        Program *first = with_constants(ctx, &memo, of), *p = with_constants(ctx, &memo, CONSTANTS[i].of);
        Text text = {.ctx = ctx}, why = {.ctx = ctx};
        bool ok = first && p && first->kernels.n == 1 && p->kernels.n == 1;
        expect(ok, CONSTANTS[i].what, "has not one kernel");
        if (!ok) continue;
        expect((p->kernels.at[0]->same != NULL) == CONSTANTS[i].same, CONSTANTS[i].what,
               CONSTANTS[i].same ? "differs" : "is the same");
        expect(first->kernels.at[0]->form->npassed == CONSTANTS[i].passed, CONSTANTS[i].what, "are passed");
        expect(lower_program(&text, first, &(LowerOptions){.prefix = "t"}, &why), CONSTANTS[i].what, why.s);
        expect(program_verify(first, &why), CONSTANTS[i].what, why.s);
        for (int k = 0; k < 4; k++) {
            Sym name = sym_fmt(ctx, "arg.c%d", k);
            expect((strstr(text.s, name) != NULL) == (k < CONSTANTS[i].passed), CONSTANTS[i].what, name);
        }
        for (int k = 0; k < 5; k++) {
            bool other = strcmp(of[k], CONSTANTS[i].of[k]) != 0;
            if (CONSTANTS[i].same && other)
                expect(!strstr(text.s, sym_fmt(ctx, "%sf", of[k])), CONSTANTS[i].what, of[k]);
        }
    }
}

/* ---- stacks of equal layers ---- */

/* Layer k reads h(k-1), or x, and writes hk; the last one's is y. */
static Program *stack(Ctx *ctx, const char *layer, int n, bool library) {
    Text t = {.ctx = ctx};
    SameMemo *memo = NEW(ctx, SameMemo);
    text_put(&t, "graph stack dim M dim N in x: f32[M, N] in w: f32[N, N]\n");
    for (int i = 1; i < n; i++) text_fmt(&t, "let h%d: f32[M, N] rounds let g%d: f32[M, N] rounds\n", i, i);
    text_fmt(&t, "let g%d: f32[M, N] rounds out y: f32[M, N]\n", n);
    for (int i = 1; i <= n; i++) {
        Sym from = i == 1 ? "x" : sym_fmt(ctx, "h%d", i - 1), to = i == n ? "y" : sym_fmt(ctx, "h%d", i);
        for (const char *s = layer; *s; s++) {
            if (*s == '<')
                text_put(&t, from);
            else if (*s == '>')
                text_put(&t, to);
            else if (*s == '#')
                text_fmt(&t, "g%d", i);
            else
                text_char(&t, *s);
        }
    }
    return scheduled(ctx, memo, t.s, library);
}

static void test_stacks(Ctx *ctx) {
    static const struct {
        const char *text;
        int kernels; /* of a layer; 0: layers have kernels in common */
    } layers[] = {
        {"#[i, j] = exp(<[i, j] - max[k in 0..N](<[i, k]))\n>[i, j] = #[i, j] / sum[k in 0..N](#[i, k])\n", 0},
        {"#[i, j] = sum[k in 0..N](<[i, k] * w[k, j])\n>[i, j] = <[i, j] + max(#[i, j], 0.0)\n", 2},
        {"#[i, j] = <[i, j] / sqrt(sum[k in 0..N](<[i, k] * <[i, k]) + 1.0)\n"
         ">[i, j] = <[i, j] + sum[k in 0..N](#[i, k] * w[k, j])\n",
         2},
    };
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        const char *text = layers[i].text;
        int n = layers[i].kernels;
        const Program *one = stack(ctx, text, 1, true), *few = stack(ctx, text, 3, true),
                      *many = stack(ctx, text, 40, true);
        expect(one && few && many, text, "is not scheduled");
        if (!one || !few || !many) continue;
        if (n)
            expect(one->kernels.n == n && many->kernels.n == 40 * n, text, "forty layers have other kernels than one");
        /* the first layer reads what is read later too */
        expect(different(few) <= different(one) + 1, text, "three layers have more texts than one and its edge");
        if (n) expect(different(many) == different(few), text, "forty layers have more texts than three");
        few = stack(ctx, text, 3, false), many = stack(ctx, text, 12, false);
        expect(few && many && different(many) == different(few), text, "without a library, more texts");
    }
}

/* ---- kernels that come before and after ---- */

/* The marks in a program's text, in order: - where a kernel begins, w where it waits for the one before it, n where it
 * lets the next one start. Only kernels with a text of their own. */
static const char *marks(Ctx *ctx, Program *p) {
    static const struct {
        const char *text, mark;
    } MARKS[] = {{"__global__", '-'}, {"td_pdl_wait()", 'w'}, {"td_pdl_launch()", 'n'}};
    Text out = {.ctx = ctx}, kernels = {.ctx = ctx}, why = {.ctx = ctx};
    if (!p || !lower_program(&kernels, p, &(LowerOptions){.prefix = "t"}, &why)) return "not lowered";
    for (const char *at = kernels.s; at && *at; at++)
        for (size_t i = 0; i < sizeof MARKS / sizeof *MARKS; i++)
            if (!strncmp(at, MARKS[i].text, strlen(MARKS[i].text))) text_char(&out, MARKS[i].mark);
    return out.s ? out.s : "";
}

/* A text waits, and lets the next one start, where one of its places needs it, be that in an entry that comes later. */
static void test_chains(Ctx *ctx) {
    static const char before[] =
        "graph before dim M dim N in x: f32[M, N] in w: f32[N] out y: f32[M, N] out v: f32[N]\n"
        "y[i, j] = x[i, j] * w[j]\nv[j] = w[j] + 1.0",
                      after[] = "graph after dim M dim N in x: f32[M, N] in w: f32[N] out u: f32[N] out y: f32[M, N]\n"
                                "u[j] = w[j] * 2.0\ny[i, j] = x[i, j] * w[j]";
    static const struct {
        const char *what, *more[2]; /* entries beside SCALED */
        const char *marks[3];
    } CASES[] = {{"alone", {NULL}, {"-"}},
                 {"also the first of two", {before}, {"-n", "-w"}},
                 {"also the second of two", {after}, {"-w", "-n"}},
                 {"also the first and the second", {before, after}, {"-wn", "-w", "-n"}}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        SameMemo memo = {0};
        Program *p[3] = {scheduled(ctx, &memo, SCALED, false)};
        for (int k = 0; k < 2 && CASES[i].more[k]; k++) p[k + 1] = scheduled(ctx, &memo, CASES[i].more[k], false);
        for (int k = 0; k < 3 && CASES[i].marks[k]; k++) {
            const char *got = marks(ctx, p[k]);
            expect(!strcmp(got, CASES[i].marks[k]), CASES[i].what, got);
        }
    }
}

int main(void) {
    Ctx *ctx = ctx_new();
    if (!ctx) return 1;
    if (CTX_GUARD(ctx)) return puts("out of memory"), 1;
    test_variants(ctx);
    test_programs(ctx);
    test_constants(ctx);
    test_chains(ctx);
    test_stacks(ctx);
    ctx_free(ctx);
    return test_end();
}
