/* What is asked of a Graph without an instance in work: what is known at a place (ir/poly/known.h), whether pieces
 * define each element once (pieces.h), scatters as gathers (gather.h), computations under index variables (ir/over.h).
 */
#include "ir/diag.h"
#include "ir/expr_text.h"
#include "ir/int_value.h"
#include "ir/over.h"
#include "ir/poly/gather.h"
#include "ir/poly/pieces.h"
#include "test.h"

#include <string.h>

static Graph *graph_of(Ctx *ctx, const char *text) {
    Graph *g = graph_read(ctx, text, strlen(text), -1);
    Text why = {.ctx = ctx};
    if (!g) diag_render(ctx, &why, false);
    expect(g != NULL, "reads", why.s);
    return g;
}

/* An expression over the Graph's dimensions and tensors and over these variables. */
static const Expr *read_in(Graph *g, const VarVec *vars, const char *text) {
    Lex lex;
    lex_init(&lex, g->ctx, text, strlen(text), -1);
    ExprReader r = {.g = g, .lex = &lex};
    for (int i = 0; vars && i < vars->n; i++) vec_push(g->ctx, &r.vars, vars->at[i]);
    const Expr *e = expr_read(&r);
    expect(e != NULL, "reads", text);
    return e;
}

static const char *shown(Ctx *ctx, const Expr *e) {
    Text t = {.ctx = ctx};
    expr_print(&t, e, NULL);
    return t.s;
}

/* ---- what is known ---- */

static void test_known(Ctx *ctx) {
    Graph *g = graph_of(ctx, "graph t\n  dim N\n  in ids: i32[N]\n  out y: f32[N]\n"
                             "y[i] = f32(ids[i])\n"
                             "assume for i in 0..N: i64(ids[i]) >= 0 && i64(ids[i]) < N\n");
    Known *k = known_new(g);
    VarVec vars = {0};
    vec_push(ctx, &vars, graph_var(g, sym(ctx, "j"), expr_int(g, TY_I64, 0), read_in(g, NULL, "N")));
    const Expr *most = read_in(g, NULL, "N - 4");
    expect(!known_nonneg(k, most), "nothing bounds N", NULL);
    int mark = known_push(k, read_in(g, NULL, "N < 4"), false);
    expect(known_nonneg(k, most), "where N < 4 does not hold", NULL);
    expect(known_truth(k, read_in(g, NULL, "N > 2")) == 1, "N > 2 follows", NULL);
    expect(known_truth(k, read_in(g, NULL, "N == 2")) == 0, "N == 2 is excluded", NULL);
    expect(known_truth(k, read_in(g, NULL, "N == 5")) == -1, "N == 5 is open", NULL);
    Text why = {.ctx = ctx};
    expect(known_refute(k, read_in(g, NULL, "N - 5"), &why) && !strcmp(why.s, "N = 4"), "N - 5 is negative", why.s);
    expect(!known_unreachable(k), "there is such an N", NULL);
    known_push(k, read_in(g, NULL, "N < 2"), true);
    expect(known_unreachable(k), "there is none", NULL);
    known_pop(k, mark);
    expect(!known_nonneg(k, most), "it is known no more", NULL);
    expect(known_nonneg(k, read_in(g, &vars, "i64(ids[j])")), "an assumption of data", NULL);
    expect(known_nonneg(k, read_in(g, &vars, "N - 1 - i64(ids[j])")), "its other half", NULL);
    expect(!known_nonneg(k, read_in(g, &vars, "N - 2 - i64(ids[j])")), "not more than that", NULL);
    expect(known_equal(k, read_in(g, &vars, "(j + N) * 2"), read_in(g, &vars, "j + N + N + j")), "equal", NULL);
    expect(!known_equal(k, read_in(g, &vars, "j"), read_in(g, &vars, "N")), "not equal", NULL);
    expect(known_uses_data(read_in(g, &vars, "j + i64(ids[j])")) && !known_uses_data(read_in(g, &vars, "j + N")),
           "data", NULL);
}

/* ---- pieces ---- */

static void test_pieces(Ctx *ctx) {
    static const struct {
        const char *name, *pieces;
        bool apart, cover;
    } rows[] = {
        {"even and odd", "for i in 0..N: y[2 * i] = 1.0\nfor i in 0..N: y[2 * i + 1] = 2.0\n", true, true},
        {"even twice", "for i in 0..N: y[2 * i] = 1.0\nfor i in 0..N: y[2 * i] = 2.0\n", false, false},
        {"halves", "for i in 0..N: y[i] = 1.0\nfor i in 0..N: y[i + N] = 2.0\n", true, true},
        {"halves that meet", "for i in 0..N + 1: y[i] = 1.0\nfor i in 0..N: y[i + N] = 2.0\n", false, false},
        {"the first half", "for i in 0..N: y[i] = 1.0\n", true, false},
        {"several values for one element", "for i in 0..4 * N: y[i / 2] = 1.0\n", false, false},
        {"two digits", "for i in 0..N, j in 0..2: y[2 * i + j] = 1.0\n", true, true},
        {"digits that overlap", "for i in 0..N, j in 0..3: y[2 * i + j] = 1.0\n", false, false},
        {"guards", "for i in 0..2 * N: y[i] = 1.0 where i < 3\nfor i in 0..2 * N: y[i] = 2.0 where i >= 3\n", true,
         true},
        {"guards that leave 3 out",
         "for i in 0..2 * N: y[i] = 1.0 where i < 3\nfor i in 0..2 * N: y[i] = 2.0 where i > 3\n", true, false},
        {"guards that meet", "for i in 0..2 * N: y[i] = 1.0 where i < 4\nfor i in 0..2 * N: y[i] = 2.0 where i >= 3\n",
         false, true},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        Graph *g = graph_of(ctx, sym_fmt(ctx, "graph t\n  dim N\n  out y: f32[2 * N]\n%s", rows[r].pieces));
        if (!g) continue;
        Known *k = known_new(g);
        const Tensor *y = g->tensors.at[g->tensors.n - 1];
        bool apart = pieces_apart(k, y->pieces.at, y->pieces.n, 1);
        expect(apart == rows[r].apart, rows[r].name, "apart");
        if (apart) expect(pieces_cover(k, y) == rows[r].cover, rows[r].name, "cover");
        expect(k->path.n == 0, rows[r].name, "leaves conditions behind");
    }
}

/* ---- scatters as gathers ---- */

typedef struct Sizes {
    const Dim *n;
    const Var *element;
    int64_t size, at;
} Sizes;

static IntLeaf leaf(void *user, const Expr *e, int64_t *v) {
    const Sizes *p = user;
    if (e->op == OP_DIM && e->u.dim == p->n) return *v = p->size, INT_LEAF_KNOWN;
    if (e->op == OP_VAR && e->u.var == p->element) return *v = p->at, INT_LEAF_KNOWN;
    return INT_LEAF_INSIDE;
}

static void test_gather(Ctx *ctx) {
    Graph *g = graph_of(ctx, "graph t\n  dim N\n  out y: i64[3 * N]\n"
                             "for i in 1..N: y[3 * i - 1] = i where i != 2\n");
    const Tensor *y = g->tensors.at[0];
    const Piece *p = &y->pieces.at[0];
    Known *k = known_new(g);
    GatherElements el = gather_elements(k, y->rank, y->shape, p);
    const Expr *e = gather_choose(k, p, &el, expr_int(g, TY_I64, -1));
    int wrong = 0, defined = 0;
    for (int64_t n = 0; n < 6; n++)
        for (int64_t at = 0; at < 3 * n; at++) {
            Sizes place = {g->dims.at[0], el.vars[0], n, at};
            IntValue x = {.leaf = leaf, .user = &place, .left = 1000};
            int64_t i = (at + 1) / 3, v = 0;
            bool meets = (at + 1) % 3 == 0 && i >= 1 && i < n && i != 2;
            if (!int_value(&x, e, &v) || v != (meets ? i : -1)) wrong++;
            defined += meets;
        }
    expect(wrong == 0 && defined > 5, "each element by the piece that defines it", shown(ctx, e));
    Piece sum = *p;
    const Expr *to[] = {read_in(g, &(VarVec){.at = p->vars, .n = p->nvars}, "i / 2")};
    sum.subs = to;
    sum.guard = NULL;
    const char *text = shown(ctx, gather_fold(k, &sum, &el, MONOID_SUM));
    expect(strstr(text, "sum[i in 1..N where i / 2 == i0](i)") != NULL, "all values that meet an element", text);
}

/* ---- under index variables ---- */

static void test_over(Ctx *ctx) {
    Graph *g = graph_of(ctx, "graph t\n  dim N\n  in off: i32[N]\n  in x: f32[N, N]\n  out y: f32[N]\n"
                             "y[i] = x[i, i]\n");
    const Expr *n = read_in(g, NULL, "N");
    VarVec vars = {0};
    vec_push(ctx, &vars, graph_var(g, sym(ctx, "b"), expr_int(g, TY_I64, 2), n));
    vec_push(ctx, &vars, graph_var(g, sym(ctx, "c"), expr_int(g, TY_I64, 0), n));
    vec_push(ctx, &vars, graph_var(g, sym(ctx, "d"), expr_int(g, TY_I64, 0), read_in(g, &vars, "i64(off[c])")));
    Over o = {0};
    expect(over_add(g, &o, vars.at[0]) && over_add(g, &o, vars.at[1]) && over_add(g, &o, vars.at[0]) && o.vars.n == 2,
           "each variable once", NULL);
    expect(!over_add(g, &o, vars.at[2]) && o.vars.n == 2, "a range of data is no axis", NULL);
    Known *k = known_new(g);
    const Expr *e = read_in(g, &vars, "b * N + c"), *in = over_inside(g, &o, e);
    expect(in != e && known_equal(k, in, expr_replace(g, e, o.outer.at, o.inside.at, 2)), "inside", shown(ctx, in));
    expect(known_equal(k, over_outside(g, &o, in), e), "and out again", shown(ctx, over_outside(g, &o, in)));
    /* y[j] = x[b, j] inside the call: it depends on b alone, and gets its axis in front. */
    Var *j = graph_var(g, sym(ctx, "j"), expr_int(g, TY_I64, 0), n);
    vec_push(ctx, &vars, j);
    const Expr *subs[] = {expr_var(g, j)};
    Piece p = {.nvars = 1, .vars = &j, .subs = subs, .value = over_inside(g, &o, read_in(g, &vars, "x[b, j]"))};
    Over used = over_used(g, &o, &p, 1, 1);
    expect(used.vars.n == 1 && used.vars.at[0] == o.vars.at[0], "what it depends on", NULL);
    Piece q = over_piece(g, &used, p, 1);
    expect(q.nvars == 2 && q.vars[0] != used.vars.at[0] && q.subs[0] == expr_var(g, q.vars[0]) && q.subs[1] == subs[0],
           "an axis in front", NULL);
    expect(!strcmp(shown(ctx, q.value), "x[b + 2, j]"), "which its value follows", shown(ctx, q.value));
    Over other = {0};
    over_add(g, &other, graph_var(g, sym(ctx, "e"), expr_int(g, TY_I64, 2), n));
    over_add(g, &other, graph_var(g, sym(ctx, "f"), expr_int(g, TY_I64, 0), n));
    expect(over_same(&o, &other) && !over_same(&used, &o), "the same ranges", NULL);
}

int main(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return 1;
    test_known(ctx);
    test_pieces(ctx);
    test_gather(ctx);
    test_over(ctx);
    ctx_free(ctx);
    return test_end();
}
