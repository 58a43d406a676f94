/* Which exponentials of a kernel may have few digits (clause 9.11): of sums in one pass, and where one thing about such
 * a sum is otherwise. */
#include "ir/diag.h"
#include "sched/kernel/under.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const RUNNING =
    "program p\n  in x: bf16[64, 50304]\n  out m: f32[64]\n  out y: f32[64]\n"
    "\nkernel k\npart main\n  axis i = 64\n  axis j = 50304\n  layout main\n    i = grid\n"
    "    j = serial reg(4) warp(4) lane(32) vec(8)\n{\n"
    "  var most[j.warp, j.lane]: f32 = -3.4028235e+38\n"
    "  var z[j.warp, j.lane]: f32 = 0.0\n"
    "  for j {\n"
    "    x2 = load x[i, j]\n"
    "    p = reduce max(f32(x2)) over j.reg j.vec\n"
    "    n = map max(most, p)\n"
    "    s = reduce sum(exp(f32(x2) - n)) over j.reg j.vec\n"
    "    e = map z * exp(most - n) + s\n"
    "    set most = n\n"
    "    set z = e\n"
    "  }\n"
    "  a = reduce max(most) over j\n"
    "  b = reduce sum(z) over j\n"
    "  store m[i] = a\n"
    "  store y[i] = b\n"
    "}\n";

static const char *const ROUNDED =
    "program p\n  in x: f32[64, 1024]\n  out y: f16[64, 1024]\n"
    "\nkernel k\npart main\n  axis i = 64\n  axis j = 1024\n  layout main\n    i = grid\n"
    "    j = warp(8) lane(32) vec(4)\n{\n"
    "  x2 = load x[i, j]\n"
    "  e = map sigmoid(x2)\n"
    "  store y[i, j] = x2 * e\n"
    "}\n";

/* A text with one line, or a part of it, otherwise; how many exponentials and sigmoids of it may have few digits. */
typedef struct Case {
    const char *what, *from, *to;
    int found;
} Case;

static const Case ROUNDED_CASES[] = {
    {"a factor of what is rounded to 16 bits", "", "", 1},
    {"not rounded", "out y: f16", "out y: f32", 0},
    {"its logarithm asks for all digits", "x2 * e", "log(e)", 0},
    {"in a sum of many", "store y[i, j] = x2 * e", "s = reduce sum(e) over j\n  store y[i, j] = s", 0},
    {"beside 1 in a divisor", "map sigmoid(x2)", "map 1.0 / (1.0 + exp(-x2))", 1},
    {"beside what may be less than it", "map sigmoid(x2)", "map 1.0 / (exp(-x2) - 1.0)", 0},
    {"what was made of it, which may be negative", "map sigmoid(x2)", "map -exp(-x2)\n  q = map 1.0 / (1.0 + e)", 0},
    {"a divisor by itself", "map sigmoid(x2)", "map 1.0 / exp(-x2)", 0},
};

static const Case RUNNING_CASES[] = {
    {"a sum in one pass, but not what corrects it", "", "", 1},
    {"the other way round", "z * exp(most - n) + s", "s + exp(most - n) * z", 1},
    {"from -inf", "-3.4028235e+38", "-inf", 1},
    {"the maximum begins with 0: no element need be as large", "f32 = -3.4028235e+38", "f32 = 0.0", 0},
    {"the sum begins with 1", "z[j.warp, j.lane]: f32 = 0.0", "z[j.warp, j.lane]: f32 = 1.0", 0},
    {"the sum is not corrected", "z * exp(most - n) + s", "z + s", 0},
    {"it is corrected by something else", "exp(most - n) + s", "exp(most - p) + s", 0},
    {"the maximum becomes another", "set most = n", "set most = n + 1.0", 0},
    {"the part is added to what the loop before left alone", "set z = e", "set z = max(e, z)", 0},
    {"the part is used otherwise, too", "set most = n", "set most = max(n, s)", 0},
    {"squares of exponentials are summed", "reduce sum(exp(f32(x2) - n))", "reduce sum(exp(f32(x2) - n) ** 2.0)", 0},
    {"relative to the part's own maximum", "exp(f32(x2) - n)", "exp(f32(x2) - p)", 1},
};

static int found_in(Ctx *ctx, const char *name, const char *text) {
    const size_t n = strlen(text);
    Text why = {.ctx = ctx};
    text_put(&why, "");
    Program *p = program_read(ctx, text, n, diag_add_file(ctx, name, text, n));
    if (!p) diag_render(ctx, &why, false);
    const bool ok = p && program_verify(p, &why);
    expect(ok, name, why.s);
    if (!ok) return -1;
    ExprMap under;
    int found = 0;
    under_find(p, p->kernels.at[0], p->kernels.at[0]->parts.at[0], ctx, &under);
    for (size_t i = 0; i < under.cap; i++) found += under.slot[i].key != NULL;
    return found;
}

static void try_cases(Ctx *ctx, const char *text, const Case *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const char *at = strstr(text, cases[i].from);
        expect(at != NULL, cases[i].what, "its line is not in the text");
        if (!at) continue;
        const Sym changed = sym_fmt(ctx, "%.*s%s%s", (int)(at - text), text, cases[i].to, at + strlen(cases[i].from));
        const int found = found_in(ctx, cases[i].what, changed);
        expect(found == cases[i].found, cases[i].what, sym_fmt(ctx, "%d, not %d", found, cases[i].found));
    }
}

int main(void) {
    Ctx *ctx = ctx_new();
    try_cases(ctx, RUNNING, RUNNING_CASES, sizeof RUNNING_CASES / sizeof *RUNNING_CASES);
    try_cases(ctx, ROUNDED, ROUNDED_CASES, sizeof ROUNDED_CASES / sizeof *ROUNDED_CASES);
    ctx_free(ctx);
    return test_end();
}
