/* Lowering, quotients of what is computed in f32. What the hardware's own division compiles to jumps out of line where
 * a number is zero, or the quotient nearly is, for all of a warp: a map of data with zeros takes twice as long. A
 * quotient by a td_divisor never jumps and costs as much. A number that several elements of a thread are divided by is
 * made one once, before the loops over the thread's registers; a constant is one as it stands. A quotient then takes
 * three operations, by a constant or a whole number two. */
#include "lower_internal.h"

#include <math.h>

/* A variable is another number at the next stage. */
static Found is_variable(const Expr *e, const void *user) {
    (void)user;
    return e->op == OP_VALUE && e->u.value->kind == VALUE_VAR ? FOUND : FOUND_INSIDE;
}

/* Whether a thread divides several elements by one `by`: the rest of the stage varies along more of its registers. */
static bool divides_several(Lower *l, const Expr *e, const Layout *layout, FactorSet *regs) {
    *regs = reg_factors(l, expr_domain(l->part, layout, e->arg[1]));
    FactorSet all = reg_factors(l, expr_domain(l->part, layout, e->arg[0])) | *regs;
    enum { SEVERAL = 4 }; /* from which on it is no more work */
    return reg_count(l, all) >= SEVERAL * reg_count(l, *regs);
}

/* What is made of a number of any kind, or of a whole one. */
static const Code *made_of(Lower *l, const Expr *by, const Code *z) {
    const bool whole = by->op == OP_CAST && !type_is_float(by->arg[0]->type);
    return code(l->ctx, whole ? "td_divisor_whole(%c)" : "td_divisor_of(%c)", z);
}

void put_made(Lower *l, const Expr *e, const Layout *layout, FactorSet regs, const char *type, const Code *value) {
    Made *m = NEW(l->ctx, Made);
    Factor *f[MAX_FACTORS];
    const bool quotient = !type_is_float(e->type);
    const int64_t count = reg_count(l, regs);
    *m = (Made){e, layout, regs, name_of(l, m, quotient ? "quotient" : "divisor")};
    vec_push(l->ctx, &l->open.made, *m);
    if (count == 1) {
        put_declare(l, sym_fmt(l->ctx, "const %s", type), m->name, " = %c", value);
    } else {
        put_declare(l, type, m->name, "[%l]", count);
        int loops = put_reg_loops(l, f, list_reg_factors(layout, regs, f));
        put_do(l, "%c = %c", expr_made(l, e, layout), value);
        put_ends(l, loops);
    }
}

typedef struct Quotients {
    Lower *l;
    const Layout *layout;
} Quotients;

static Found visit_quotient(const Expr *e, void *user) {
    const Quotients *q = user;
    FactorSet regs;
    if (e->op != OP_DIV || e->type != TY_F32 || e->arg[1]->op == OP_CONST) return FOUND_INSIDE;
    if (expr_has(e->arg[1], is_variable, NULL)) return FOUND_INSIDE;
    const Expr *by = e->arg[1];
    if (expr_made(q->l, by, q->layout) || !divides_several(q->l, e, q->layout, &regs)) return FOUND_INSIDE;
    put_made(q->l, by, q->layout, regs, "td_divisor", made_of(q->l, by, expr_code(q->l, by, q->layout)));
    return FOUND_INSIDE;
}

void put_divisors(Lower *l, const Stage *s) {
    if (option_is(&l->g->options, MATH_FAST)) return;
    bool elements = s->kind == STAGE_MAP || s->kind == STAGE_STORE || s->kind == STAGE_REDUCE || s->kind == STAGE_SHARE;
    if (!elements) return;
    Quotients q = {l, s->kind == STAGE_MAP ? value_layout(l, s->out[0]) : stage_layout(l, s)};
    const Layout *saved = l->open.layout;
    l->open.layout = q.layout;
    for (int i = 0; i < MAX_PARTS; i++)
        if (s->expr[i]) expr_visit(s->expr[i], visit_quotient, &q);
    l->open.layout = saved;
}

/* z in the parts that td_divisor_of makes of it; NULL: it is so small or large that it has to be scaled, or no
 * number. */
static const Code *constant_divisor(Lower *l, double z) {
    if (!(fabs(z) > 0x1p-100 && fabs(z) < 0x1p100)) return NULL;
    const float high = (float)((1 - 0x1p-21) / z), low = (float)((1 - high * z) / z);
    const Code *parts = code(l->ctx, "%c, %c", expr_number_code(l, TY_F32, high), expr_number_code(l, TY_F32, low));
    return code(l->ctx, "td_divisor_by(%c, %c)", expr_number_code(l, TY_F32, z), parts);
}

/* By a power of two it is a product, which nvcc knows. */
static bool is_power_of_two(double z) {
    int exponent;
    return fabs(frexp(z, &exponent)) == 0.5;
}

const Code *divide_code(Lower *l, const Expr *e, const Code *a, const Code *b, const Layout *layout) {
    const Expr *by = e->arg[1];
    const Code *divisor = expr_made(l, by, layout);
    if (!divisor && by->op == OP_CONST) {
        const double z = (float)by->u.f;
        if (is_power_of_two(z)) return code(l->ctx, "(%c / %c)", a, b);
        divisor = constant_divisor(l, z);
    }
    if (!divisor) divisor = made_of(l, by, b);
    return code(l->ctx, "td_divide(%c, %c)", a, divisor);
}
