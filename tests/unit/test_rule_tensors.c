/* Rewrite rules on tensors, by the reference interpreter: for every row of rules.def and every type that it is for,
 * Graphs whose equations are the left side, element by element, under a reduction and as its guard, give the same
 * before and after simplification, and the same as the right side, for elements that are random, special or equal. The
 * programs come from the table: a row without one does not exist. */
#include "ir/expr_text.h"
#include "ir/interp/interp.h"
#include "ir/rewrite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ELEMENTS = 400, OPERANDS = 5, OUTPUTS = 3 };
static const char *const operands[OPERANDS] = {"a", "b", "c", "p", "q"};

static const struct Row {
    const char *name;
    RuleTypes types;
    const char *left, *right;
    int ulp;
} rows[] = {
#define RULE(name, types, left, right, ulp) {#name, RULES_##types, left, right, ulp},
#include "ir/rules.def"
#undef RULE
};

static int passed, failed;
static void check(bool ok, const struct Row *row, Type t, const char *what) {
    passed += ok;
    failed += !ok;
    if (!ok) printf("FAILED %s of %s: %s\n", row->name, type_name(t), what);
}

/* ---- the Graph of one side ---- */

typedef struct Side {
    Graph *g;
    const Expr *load[OPERANDS];
    Var *i;
} Side;

static const Expr *leaf(void *user, const LeafText *l) {
    const Side *s = user;
    for (int k = 0; k < OPERANDS; k++)
        if (!strcmp(l->name, operands[k])) return s->load[k];
    return NULL;
}

static void define(Side *s, const char *name, Type t, bool row, const Expr *value) {
    const Expr *n = expr_dim(s->g, s->g->dims.at[0]), *at = expr_var(s->g, s->i);
    Tensor *y = graph_tensor(s->g, sym(s->g->ctx, name), TENSOR_OUTPUT, t, row ? 1 : 0, &n);
    Piece p = {.nvars = row,
               .vars = NEW_N(s->g->ctx, Var *, 1),
               .subs = NEW_N(s->g->ctx, const Expr *, 1),
               .value = value,
               .span = SPAN_NONE};
    p.vars[0] = s->i, p.subs[0] = at;
    y->rounds = true;
    vec_push(s->g->ctx, &y->pieces, p);
}

static const Expr *fold_over(Side *s, MonoidKind m, const Expr *guard, const Expr *body) {
    Graph *g = s->g;
    Var *j = graph_var(g, sym(g->ctx, "j"), expr_int(g, TY_I64, 0), expr_dim(g, g->dims.at[0]));
    const Expr *from = expr_var(g, s->i), *to = expr_var(g, j);
    Reduce *r = NEW(g->ctx, Reduce);
    r->monoid = monoid_row(m);
    r->nvars = 1;
    r->vars = NEW_N(g->ctx, Var *, 1);
    r->vars[0] = j;
    return expr_reduce(g, r, expr_replace(g, guard, &from, &to, 1), expr_replace(g, body, &from, &to, 1));
}

/* y[i] = e, r = fold of e where q[i], and, of conditions, how often they hold. */
static bool side_graph(Ctx *ctx, Side *s, const char *text, Type t, Type *root) {
    s->g = graph_new(ctx, sym(ctx, "side"));
    const Expr *n = expr_dim(s->g, graph_dim(s->g, sym(ctx, "N"))), *zero = expr_int(s->g, TY_I64, 0);
    s->i = graph_var(s->g, sym(ctx, "i"), zero, n);
    const Expr *at = expr_var(s->g, s->i);
    for (int k = 0; k < OPERANDS; k++)
        s->load[k] =
            expr_load(s->g, graph_tensor(s->g, sym(ctx, operands[k]), TENSOR_INPUT, k < 3 ? t : TY_BOOL, 1, &n), &at);
    Lex x;
    lex_init(&x, ctx, text, strlen(text), -1);
    ExprReader r = {.g = s->g, .lex = &x, .leaf = leaf, .user = s};
    const Expr *e = expr_read_as(&r, *root);
    if (!e || x.tok.kind != LEX_END) return false;
    *root = e->type;
    define(s, "y", e->type, true, e);
    if (e->type == TY_BOOL) {
        define(s, "r", TY_BOOL, false, fold_over(s, MONOID_ANY, s->load[4], e));
        define(s, "n", TY_I64, false, fold_over(s, MONOID_SUM, e, expr_int(s->g, TY_I64, 1)));
    } else {
        define(s, "r", e->type, false, fold_over(s, MONOID_MAX, s->load[4], expr_cast(s->g, type_acc(e->type), e)));
        define(s, "n", TY_I64, false, fold_over(s, MONOID_ARGMAX, s->load[4], expr_cast(s->g, type_acc(e->type), e)));
    }
    return true;
}

/* ---- values ---- */

static uint64_t state = 88172645463325252u;
static uint64_t draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void fill(Ctx *ctx, HostTensor *h, Type t) {
    static const double special[] = {0.0, -0.0,  1,      -1,   2,      -2,      0.5,  -0.5,  INFINITY, -INFINITY,
                                     NAN, 1e-45, -1e-45, 6e-8, 1e-310, 65504.0, 3e38, -3e38, 1e300};
    static const int64_t whole[] = {0,          1,         -1,        2,  -2, 7,  INT32_MIN, INT32_MAX,
                                    UINT32_MAX, INT64_MIN, INT64_MAX, 31, 32, 63, 64};
    int64_t n = ELEMENTS;
    host_tensor(ctx, h, t, 1, &n);
    for (int64_t i = 0; i < n; i++) {
        if (type_is_float(t)) {
            double v = special[draw() % (sizeof special / sizeof *special)];
            if (draw() % 2) v = ldexp((double)(int64_t)draw(), (int)(draw() % 90) - 105);
            host_put_float(h, i, num_round(t, v));
        } else {
            int64_t v = draw() % 2 ? whole[draw() % (sizeof whole / sizeof *whole)] : (int64_t)draw() >> draw() % 63;
            host_put_int(h, i, num_wrap(t, v));
        }
    }
}

/* Within the row's bound, or of a fold of such values, or of the place that it found. */
static bool near(Type t, double x, double y, int ulp) {
    if (isnan(x) || isnan(y)) return isnan(x) && isnan(y);
    if (x == y) return signbit(x) == signbit(y);
    double unit = t == TY_F64 ? 0x1p-52 : 0x1p-23, least = t == TY_F64 ? 0x1p-1074 : 0x1p-149;
    return ulp && fabs(x - y) <= ulp * (unit * fabs(x) + least);
}

static bool equal(const InterpValue *x, const InterpValue *y, int ulp) {
    for (int64_t i = 0; i < x->n; i++)
        if (x->f ? !near(x->tensor->type, x->f[i], y->f[i], ulp) : x->i[i] != y->i[i]) return false;
    return x->n == y->n;
}

static bool run(Ctx *ctx, Graph *g, const HostTensor *in, InterpValue *out, Text *why) {
    int64_t n = ELEMENTS;
    return graph_verify(g, why) && interp_run(ctx, g, &(InterpArgs){&n, NULL, in}, NUDGE_NONE, out, why);
}

static void test_row(const struct Row *row, Type t) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) {
        failed++;
        return;
    }
    Side left, right;
    HostTensor in[OPERANDS + OUTPUTS];
    InterpValue before[OPERANDS + OUTPUTS], after[OPERANDS + OUTPUTS], other[OPERANDS + OUTPUTS];
    Text why = {.ctx = ctx}, text = {.ctx = ctx}, simple = {.ctx = ctx};
    Type root = t;
    bool ok = side_graph(ctx, &left, row->left, t, &root) && side_graph(ctx, &right, row->right, t, &root);
    for (int k = 0; k < OPERANDS; k++) fill(ctx, &in[k], k < 3 ? t : TY_BOOL);
    for (int64_t i = 0; i < ELEMENTS; i += 3) { /* equal operands */
        size_t size = in[0].bytes / ELEMENTS, at = (size_t)i * size;
        memcpy((char *)in[1].data + at, (char *)in[0].data + at, size);
    }
    ok = ok && run(ctx, left.g, in, before, &why) && run(ctx, right.g, in, other, &why);
    if (ok) graph_print(&text, left.g);
    if (ok) graph_simplify(left.g);
    if (ok) graph_print(&simple, left.g);
    ok = ok && run(ctx, left.g, in, after, &why);
    check(ok, row, t, why.s ? why.s : "not read");
    if (ok) check(strcmp(text.s, simple.s) != 0, row, t, "not applied");
    for (int k = OPERANDS; ok && k < OPERANDS + OUTPUTS; k++) {
        if (row->ulp && k == OPERANDS + 2) continue; /* the place of a maximum that moved */
        check(equal(&before[k], &other[k], row->ulp), row, t,
              sym_fmt(ctx, "the right side has another %s", before[k].tensor->name));
        check(equal(&before[k], &after[k], row->ulp), row, t,
              sym_fmt(ctx, "%s is another after simplification", before[k].tensor->name));
    }
    ctx_free(ctx);
}

int main(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int t = 0; t < TY_COUNT; t++)
            if (rule_has_type(rows[i].types, (Type)t)) test_row(&rows[i], (Type)t);
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed;
}
