/* Conditions that are the same for all elements of a vector (sched/kernel/uniform.h): which are, and what they need of
 * lengths; that they are so, element by element, at sizes that meet the needs; and that the judge of kernels and the
 * lowering make of each what the answer says. */
#include "backend_cuda/lower/lower.h"
#include "ir/diag.h"
#include "ir/int_value.h"
#include "sched/kernel/uniform.h"
#include "sched/search/features.h"
#include "test.h"

#include <limits.h>
#include <string.h>

enum { VECTOR = 4 };
static const char *const TEXT = "program p\n  dim M\n  dim D\n  dim N\n  in x: f32[M, 2 * D]\n  in q: f32[N + 1]\n"
                                "  in r: f32[M, N]\n  out y: f32[M, 2 * D]\n\nkernel k\n"
                                "  axis i = M\n  axis d = 2 * D\n  layout main\n    i = grid\n"
                                "    d = grid reg(2) thread(32) vec(4)\n{\n"
                                "  q0 = load q[0]\n"
                                "  r0 = load r[i, 0] if 0 < N\n"
                                "  x0 = load x[i, d] if %s else 3.0\n"
                                "  store y[i, d] = x0 + q0 + r0\n}\n";

/* `needs` of a condition that is the same: products that must be multiples, as "D 4"; NULL: it differs. Where it does
 * in a vector of four, but not in one of two, accesses are of two elements. */
static const struct {
    const char *cond, *needs;
    bool of_two;
} CASES[] = {
    {"d < D", "D 4", false},
    {"D > d", "D 4", false},
    {"d >= D", "D 4", false},
    {"!(d < D)", "D 4", false},
    {"d < D + 4", "D 4", false},
    {"d + 1 <= D", "D 4", false},
    {"d <= D - 1", "D 4", false},
    {"d < 3 * D", "3 * D 4", false},
    {"2 * d < D", "D 8", false},
    {"d <= D", NULL, false},
    {"d > D", NULL, false},
    {"d == D", NULL, false},
    {"d != D", NULL, false},
    {"d < D + 1", NULL, false},
    {"d + 2 < D", NULL, true},
    {"d < 8", "", false},
    {"d <= 7", "", false},
    {"7 >= d", "", false},
    {"d < 6", NULL, true},
    {"d <= 8", NULL, false},
    {"8 - d > 0", "", false},
    {"7 - d >= 0", "", false},
    {"8 - d >= 0", NULL, false},
    {"i < 3", "", false},
    {"i < D", "", false},
    {"d < i", NULL, false},
    {"d < 4 * i", "", false},
    {"d < 8 * i + 5", NULL, false},
    {"d / 4 == i", "", false},
    {"d / 8 % 3 == 1", "", false},
    {"d % 8 < 4", "", false},
    {"d % 8 < 3", NULL, false},
    {"d / 2 % 2 == 0", NULL, true},
    {"d / 6 % 2 == 0", NULL, true},
    {"d % 4 == 0", NULL, false},
    {"4 <= d && d < D", "D 4", false},
    {"d < D || 2 * D - 8 <= d", "D 4, 2 * D 4", false},
    {"d < D || d == 5", NULL, false},
    {"d / D == i", NULL, false}, /* D may be 0 */
    {"d < M", NULL, false},      /* of no row's length */
    {"d < M * D", NULL, false},
    {"d < N", NULL, false}, /* where N + 1 is another length */
};

typedef struct Place {
    int64_t digit[MAX_FACTORS], dims[3];
} Place;

static IntLeaf leaf(void *user, const Expr *e, int64_t *v) {
    const Place *at = user;
    if (e->op != OP_FACTOR && e->op != OP_DIM) return INT_LEAF_INSIDE;
    *v = e->op == OP_DIM ? at->dims[e->u.dim->id] : at->digit[e->u.factor->id];
    return INT_LEAF_KNOWN;
}

static int64_t value(const Expr *e, Place *at) {
    int64_t v = -1;
    IntValue x = {.leaf = leaf, .user = at, .left = INT_MAX};
    expect(int_value(&x, e, &v), "a value", NULL);
    return v;
}

/* The condition with axes as sums of their factors' digits; the factors of i and of d, the latter outer to inner. */
static const Expr *expand(Program *p, const Part *part, const Expr *cond, Factor **f) {
    const Expr *from[2], *to[2];
    int n = 0;
    for (int i = 0; i < 2; i++) {
        const Axis *a = part->axes.at[i];
        from[i] = expr_var(p->graph, a->var);
        to[i] = expr_int(p->graph, TY_I64, 0);
        for (int k = 0; k < part->factors.n; k++) {
            if (part->factors.at[k]->axis != a) continue;
            f[n++] = part->factors.at[k];
            to[i] =
                expr2(p->graph, OP_ADD, to[i],
                      expr2(p->graph, OP_MUL, expr_factor(p, f[n - 1]), expr_cast(p->graph, TY_I64, f[n - 1]->stride)));
        }
    }
    return expr_replace(p->graph, cond, from, to, 2);
}

/* At some sizes and vectors: whether the condition differs between elements of a vector where the needs hold. */
static bool differs_somewhere(Program *p, const Expr *cond, Factor *const *f, const UniformNeeds *needs) {
    Place at = {.dims = {5, 0, 7}};
    for (at.dims[1] = 0; at.dims[1] <= 24; at.dims[1]++) {
        bool met = true;
        for (int i = 0; i < needs->n; i++)
            met &= value(poly_expr(p->graph, needs->at[i].dims), &at) % needs->at[i].of == 0;
        for (int k = 0; met && k < 5 * 12; k++) { /* the first threads of both registers, and five rows */
            at.digit[f[0]->id] = k % 5;
            at.digit[f[2]->id] = 0;
            at.digit[f[3]->id] = k / 5;
            at.digit[f[4]->id] = 0;
            const int64_t first = value(cond, &at);
            for (int e = 1; e < VECTOR; e++) {
                at.digit[f[4]->id] = e;
                if (value(cond, &at) != first) return true;
            }
        }
    }
    return false;
}

static const char *said(Ctx *ctx, Program *p, const UniformNeeds *needs) {
    Text t = {.ctx = ctx};
    text_put(&t, "");
    for (int i = 0; i < needs->n; i++) {
        Place at = {.dims = {100, 10, 1}}; /* 3 * D is 30 */
        const int64_t times = value(poly_expr(p->graph, needs->at[i].dims), &at) / 10;
        text_fmt(&t, times == 1 ? "%s" : "%s%d * ", i ? ", " : "", (int)times);
        text_fmt(&t, "D %d", (int)needs->at[i].of);
    }
    return t.s;
}

static Program *read_case(Ctx *ctx, const char *cond) {
    const Sym text = sym_fmt(ctx, TEXT, cond);
    Text why = {.ctx = ctx};
    text_put(&why, "");
    Program *p = program_read(ctx, text, strlen(text), diag_add_file(ctx, cond, text, strlen(text)));
    if (!p) diag_render(ctx, &why, false);
    const bool ok = p && program_verify(p, &why);
    expect(ok, cond, why.s);
    return ok ? p : NULL;
}

/* What the judge counts, and what is emitted: vectors, in all instances or where needs are met; or elements. */
static void test_uses(Ctx *ctx, Program *p, const char *cond, int vector) {
    const Features *f = features_of(p, p->kernels.at[0], ctx);
    const struct Access *a = &f->accesses.at[2];
    const bool single = vector == 1, tests = single && strpbrk(cond, "DMN"); /* of lengths that are not known */
    expect(a->vector == (tests ? VECTOR : vector) && a->single == tests, cond, "the judge counts otherwise");
    Text out = {.ctx = ctx}, why = {.ctx = ctx};
    const bool lowered = lower_program(&out, p, &(LowerOptions){.prefix = "m"}, &why);
    expect(lowered, cond, why.s);
    if (!lowered) return;
    const bool each = strstr(out.s, "<1, float, 1, 0>(x0"), two = strstr(out.s, "<A, float, 2, 0>(x0");
    const bool four = strstr(out.s, "<A, float, 4, 0>(x0");
    expect(four == (vector == 4) && two == (vector == 2) && each == (single || a->together), cond, "lowered otherwise");
}

int main(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return 1;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const char *cond = CASES[i].cond;
        Program *p = read_case(ctx, cond);
        if (!p) continue;
        Part *part = p->kernels.at[0]->parts.at[0];
        Factor *f[MAX_FACTORS];
        const int64_t steps[] = {VECTOR};
        UniformNeeds needs;
        const PolyEnv env = {.g = p->graph, .ctx = ctx};
        const Expr *digits = expand(p, part, part->body.at[2]->cond, f);
        const bool same =
            uniform_condition(&env, part, part->layouts.at[0], digits, (UniformVector){1, &f[4], steps}, &needs);
        expect(same == (CASES[i].needs != NULL), cond, same ? "the same" : "not the same");
        if (!same) needs.n = 0;
        const char *got = said(ctx, p, &needs);
        expect(!same || !CASES[i].needs || !strcmp(got, CASES[i].needs), cond, got);
        expect(!same || !differs_somewhere(p, digits, f, &needs), cond, "differs between elements");
        test_uses(ctx, p, cond, same ? VECTOR : CASES[i].of_two ? VECTOR / 2 : 1);
    }
    ctx_free(ctx);
    return test_end();
}
