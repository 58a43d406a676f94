/* The tables of operators and types hold together: derivatives as text (ops.def) against differences of what the
 * interpreter computes, at special and random operands in f64 and f32; opposites and mirror images of comparisons;
 * float formats. */
#include "ir/int_value.h"
#include "ir/interp/interp.h"
#include "ir/pattern.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { SPECIAL = 9, RANDOM = 400, STEPS = 7, OPERANDS = 3 };

/* The operand is moved by these many half steps. */
static const int moved[STEPS] = {0, -1, 1, -2, 2, -4, 4};
static const double special[SPECIAL] = {0, 1, -1, 0.5, -0.5, 2, -2, 0.25, 16};

static uint64_t state = 88172645463325252u;

static uint64_t draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Of 16 bits, so that every step from it is exact in f32 too: in -4..4, or of any size. */
static double draw_operand(void) {
    double v = ldexp((double)(draw() % 65536), -14) - 2;
    return draw() % 2 ? 2 * v : ldexp(v, (int)(draw() % 13) - 7);
}

static double half_step(double x) {
    int e = 0;
    if (x != 0) frexp(x, &e);
    return ldexp(1, e - 12);
}

typedef struct Rows {
    const char *op;
    int points;           /* of operands; each has STEPS elements */
    double *at[OPERANDS]; /* by element */
    double *y, *d;
} Rows;

/* Runs y[i] = f64(op(a[i], ...)) and d[i], its derivative by operand arg, on the rows. */
static bool run(Ctx *ctx, Op op, Type t, int arg, Rows *rows) {
    static const char *const names[OPERANDS] = {"a", "b", "c"};
    Graph *g = graph_new(ctx, sym(ctx, "derivative"));
    const Expr *n = expr_dim(g, graph_dim(g, sym(ctx, "N"))), *x[OPERANDS], *shape[1] = {n};
    const int64_t count = (int64_t)rows->points * STEPS;
    Var *i = graph_var(g, sym(ctx, "i"), expr_int(g, TY_I64, 0), n);
    const Expr *at[1] = {expr_var(g, i)};
    HostTensor params[OPERANDS + 2] = {0};
    for (int k = 0; k < op_arity(op); k++) {
        Type own = op_rule(op) == RULE_SELECT && k == 0 ? TY_BOOL : t;
        Tensor *in = graph_tensor(g, sym(ctx, names[k]), TENSOR_INPUT, own, 1, shape);
        x[k] = expr_load(g, in, at);
        if (!host_tensor(ctx, &params[k], own, 1, &count)) return false;
        for (int64_t e = 0; e < count; e++)
            if (own == TY_BOOL)
                host_put_int(&params[k], e, rows->at[k][e] > 0);
            else
                host_put_float(&params[k], e, rows->at[k][e]);
    }
    const Expr *value = expr_op(g, op, x, op_arity(op)), *both[2] = {value, pattern_derivative(g, value, arg)};
    if (!both[1] || both[1]->type != t) return false;
    for (int k = 0; k < 2; k++) {
        Tensor *out = graph_tensor(g, sym(ctx, k ? "d" : "y"), TENSOR_OUTPUT, TY_F64, 1, shape);
        Piece p = {.nvars = 1, .vars = NEW(ctx, Var *), .span = SPAN_NONE};
        p.vars[0] = i;
        p.subs = NEW(ctx, const Expr *);
        p.subs[0] = at[0];
        p.value = expr_cast(g, TY_F64, both[k]);
        vec_push(ctx, &out->pieces, p);
    }
    InterpValue values[OPERANDS + 2] = {{0}};
    const InterpArgs args = {.dims = &count, .params = params};
    Text why = {.ctx = ctx};
    if (!graph_verify(g, &why) || !interp_run(ctx, g, &args, NUDGE_NONE, values, &why)) {
        printf("%s: %s\n", rows->op, why.s ? why.s : "");
        return false;
    }
    rows->y = values[op_arity(op)].f;
    rows->d = values[op_arity(op) + 1].f;
    return true;
}

typedef enum Verdict { NOWHERE, SMOOTH, KINK, WRONG } Verdict;

/* Whether d may be the slope at y[0], of values at steps of h. Where differences do not settle there is none; between
 * what they are on either side lies that of a kink. */
static Verdict judge(const double *y, double d, double h, double unit) {
    for (int k = 0; k < STEPS; k++)
        if (!isfinite(y[k])) return NOWHERE;
    double left = (y[0] - y[1]) / h, right = (y[2] - y[0]) / h;
    double fine = (8 * (y[2] - y[1]) - (y[4] - y[3])) / (12 * h);
    double coarse = (8 * (y[4] - y[3]) - (y[6] - y[5])) / (24 * h);
    double wide[2] = {(y[0] - y[3]) / (2 * h), (y[4] - y[0]) / (2 * h)}, size = fabs(left) + fabs(right);
    double error = fabs(fine - coarse), noise = 1e-15 * fabs(y[0]) / h + (isfinite(d) ? unit * fabs(d) : 0);
    if (fabs(left - wide[0]) > 0.1 * size + noise || fabs(right - wide[1]) > 0.1 * size + noise) return NOWHERE;
    if (fabs(left - right) < 0.1 * size + noise && error < 1e-4 * size + noise)
        return fabs(d - fine) <= 2 * error + 1e-7 * size + 4 * noise ? SMOOTH : WRONG;
    double slack = 0.01 * size + 4 * noise;
    return d >= fmin(left, right) - slack && d <= fmax(left, right) + slack ? KINK : WRONG;
}

static void test_derivative(Ctx *ctx, Op op, Type t, int arg) {
    int arity = op_arity(op), specials = 1, smooth = 0;
    for (int k = 0; k < arity; k++) specials *= SPECIAL;
    Rows r = {.op = op_text(op), .points = specials + RANDOM};
    for (int k = 0; k < arity; k++) r.at[k] = NEW_N(ctx, double, r.points *STEPS);
    double *h = NEW_N(ctx, double, r.points);
    for (int p = 0; p < r.points; p++) {
        int which = p;
        for (int k = 0; k < arity; k++, which /= SPECIAL) {
            double v = p < specials ? special[which % SPECIAL] : draw_operand();
            if (k == arg) h[p] = half_step(v);
            for (int s = 0; s < STEPS; s++) r.at[k][p * STEPS + s] = v + (k == arg ? moved[s] * half_step(v) : 0);
        }
    }
    const char *what = sym_fmt(ctx, "%s of %s by operand %d", r.op, type_name(t), arg);
    if (!run(ctx, op, t, arg, &r)) {
        expect(false, what, "its derivative does not evaluate");
        return;
    }
    for (int p = 0; p < r.points; p++) {
        double least = INFINITY, most = 0;
        for (int k = 0; k < arity; k++) {
            double size = fabs(r.at[k][p * STEPS]);
            if (size > 0) least = fmin(least, size);
            most = fmax(most, size);
        }
        /* No step may be a period of %, by whichever operand. */
        bool small = 16 * h[p] * most < least * least || most == 0;
        Verdict v = !small ? NOWHERE : judge(&r.y[p * STEPS], r.d[p * STEPS], h[p], t == TY_F32 ? 1e-6 : 1e-13);
        smooth += v == SMOOTH;
        if (v != WRONG) continue;
        expect(false, what,
               sym_fmt(ctx, "at %g, %g: %g, where differences are %g", r.at[0][p * STEPS],
                       arity > 1 ? r.at[1][p * STEPS] : 0, r.d[p * STEPS],
                       (r.y[p * STEPS + 2] - r.y[p * STEPS + 1]) / (2 * h[p])));
        return;
    }
    expect(smooth >= 80, what, "too few operands near which it is smooth");
}

static void test_derivatives(Ctx *ctx) {
    for (int op = 0; op < OP_COUNT; op++) {
        OpRule rule = op_rule((Op)op);
        bool floats = rule == RULE_ARITH || rule == RULE_FLOAT || rule == RULE_SELECT;
        OpSlope slope = op_slope((Op)op);
        expect((slope == SLOPE_OWN) == (rule == RULE_NONE), op_text((Op)op),
               "OWN is of leaves, loads, casts, reductions");
        if (!floats) expect(slope == SLOPE_FLAT || slope == SLOPE_OWN, op_text((Op)op), "a derivative of no floats");
        if (!floats || slope == SLOPE_UNSAID) continue;
        for (int arg = rule == RULE_SELECT; arg < op_arity((Op)op); arg++) {
            test_derivative(ctx, (Op)op, TY_F64, arg);
            test_derivative(ctx, (Op)op, TY_F32, arg);
        }
    }
}

/* ---- comparisons ---- */

static bool holds(Op op, int64_t a, int64_t b) {
    int64_t v = -1;
    expect(int_value_op(op, a, b, &v) && (v == 0 || v == 1), op_text(op), "is not evaluated");
    return v == 1;
}

static void test_comparisons(void) {
    int n = 0;
    for (int op = 0; op < OP_COUNT; op++) {
        Op no = op_negated((Op)op), turned = op_swapped((Op)op);
        if (op_rule((Op)op) != RULE_COMPARE) {
            expect((int)no == op && (int)turned == op && !op_outcomes((Op)op), op_text((Op)op), "is no comparison");
            continue;
        }
        n++;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                unsigned outcome = a < b ? OUTCOME_LESS : a > b ? OUTCOME_GREATER : OUTCOME_EQUAL;
                expect(holds((Op)op, a, b) == ((op_outcomes((Op)op) & outcome) != 0), op_text((Op)op), "its outcomes");
                expect(holds(no, a, b) == !holds((Op)op, a, b), op_text((Op)op), "its opposite");
                expect(holds(turned, b, a) == holds((Op)op, a, b), op_text((Op)op), "its mirror image");
            }
    }
    expect(n == 6, "comparisons", "six");
}

/* ---- types ---- */

static void test_types(void) {
    for (int t = 0; t < TY_COUNT; t++) {
        const TypeRow *r = type_row((Type)t);
        if (type_is_float((Type)t)) {
            int top = (1 << (r->exponent - 1)) - 1;
            expect(r->bits == r->digits + r->exponent, r->name, "bits are a sign, exponent and digits");
            expect(num_round((Type)t, r->largest) == r->largest, r->name, "the largest is one of its values");
            expect(r->largest >= ldexp(1, top) && r->largest < ldexp(1, top + 2), r->name, "the largest");
            expect(!r->saturates == isinf(num_round((Type)t, 2 * r->largest)) || t == TY_F64, r->name, "saturates");
            expect(num_round((Type)t, 1 + ldexp(1, 1 - r->digits)) > 1, r->name, "digits");
            expect(t == TY_F64 || num_round((Type)t, 1 + ldexp(1, -r->digits)) == 1, r->name, "digits");
        } else {
            int64_t least, most;
            expect(type_int_range((Type)t, &least, &most), r->name, "has a range");
            expect(r->digits == 64 || most == (int64_t)(((uint64_t)1 << r->digits) - 1), r->name, "digits");
            expect(!r->exponent && r->largest == 0 && !r->saturates, r->name, "no float format");
        }
        expect(r->npy[2] - '0' == (r->bits < 8 ? 1 : r->bits / 8) && !r->npy[3], r->name, "size in .npy files");
    }
}

int main(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return 1;
    test_derivatives(ctx);
    test_comparisons();
    test_types();
    ctx_free(ctx);
    return test_end();
}
