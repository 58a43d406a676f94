/* Types of operators and conversions, over ir/typing.c: constants in expressions, and what is said where types do not
 * fit. */
#include "sema_int.h"
#include "ir/int_value.h"
#include "ir/interp/interp.h"

enum { FOLD_NODES = 1000 }; /* parts are shared: a walk is bounded by what it meets */

/* ---- constants ---- */

bool sema_const_int(const Expr *e, int64_t *v) {
    IntValue x = {.fit = INT_FIT_WRAPS, .left = FOLD_NODES};
    return int_value(&x, e, v);
}

static bool fold_double(const Expr *e, double *v, int *left) {
    int64_t i;
    double a, b;
    if (--*left < 0) return false;
    if (sema_const_int(e, &i)) return *v = (double)i, true;
    if (e->op == OP_CONST) return *v = e->u.f, true;
    if (e->op == OP_NEG) return fold_double(e->arg[0], &a, left) && (*v = -a, true);
    if (e->op == OP_CAST)
        return type_is_float(e->type) && fold_double(e->arg[0], &a, left) && (*v = num_round(e->type, a), true);
    if (e->nargs != 2 || e->op == OP_LOAD || e->op == OP_REDUCE) return false;
    if (!fold_double(e->arg[0], &a, left) || !fold_double(e->arg[1], &b, left)) return false;
    switch (e->op) {
    case OP_ADD: return *v = a + b, true;
    case OP_SUB: return *v = a - b, true;
    case OP_MUL: return *v = a * b, true;
    case OP_DIV: return *v = a / b, type_is_float(e->type);
    default: return false;
    }
}

bool sema_const_double(const Expr *e, double *v) {
    int left = FOLD_NODES;
    return fold_double(e, v, &left);
}

/* ---- typing ---- */

const char *sema_describe(const Expr *e) {
    if (e->untyped) return type_is_float(e->type) ? "a float literal" : "an integer literal";
    return type_name(e->type);
}

static Found is_quotient(const Expr *e, const void *unused) {
    (void)unused;
    if (type_is_float(e->type) || e->type == TY_BOOL) return FOUND_NOT;
    if (e->op == OP_DIV) return FOUND;
    bool inside = e->op == OP_ADD || e->op == OP_SUB || e->op == OP_MUL || e->op == OP_NEG || e->op == OP_IF;
    return inside || e->op == OP_CAST ? FOUND_INSIDE : FOUND_NOT;
}

/* The first quotient in an integer sum, difference or product; NULL: none. */
static const Expr *find_quotient(const Expr *e) { return expr_has(e, is_quotient, NULL); }

/* At the quotient itself where the source has it. */
static void quotient_error(Sema *s, Span span, const Expr *in) {
    const Expr *q = find_quotient(in);
    const AstExpr *at = NULL;
    for (int i = s->quotients.n - 1; i >= 0 && !at; i--)
        if (s->quotients.at[i].value == q) at = s->quotients.at[i].ast;
    Diag *d = SEMA_REPORT(s, INT_AS_FLOAT, at ? at->span : span, "an integer quotient is used as a float");
    Sym a = at ? sema_quote(s, at->a->span) : sym(s->ctx, "a"), b = at ? sema_quote(s, at->b->span) : sym(s->ctx, "b");
    if (at && at->a->kind == AST_INT)
        diag_help(s->ctx, d, "for the float quotient write %s.0 / %s", a, b);
    else
        diag_help(s->ctx, d, "for the float quotient write f32(%s) / %s; to mean the rounded one, f32(%s / %s)", a, b,
                  a, b);
}

static void operand_error(Sema *s, Span span, Op op, const Expr *const *args, int n) {
    OpRule rule = op_rule(op);
    const Expr *whole = NULL, *flt = NULL;
    int first = rule == RULE_SELECT;
    for (int i = first; i < n; i++) {
        if (type_is_float(args[i]->type))
            flt = args[i];
        else
            whole = args[i];
    }
    bool wants_float = flt || rule == RULE_FLOAT || rule == RULE_TEST;
    for (int i = first; i < n; i++)
        if (wants_float && find_quotient(args[i])) {
            quotient_error(s, span, args[i]);
            return;
        }
    if (rule == RULE_LOGIC || (first && args[0]->type != TY_BOOL)) {
        Diag *g = SEMA_REPORT(s, NOT_BOOL, span, "%s needs bool, this is %s", op_text(op),
                              sema_describe(args[0]->type != TY_BOOL ? args[0] : args[n - 1]));
        diag_help(s->ctx, g, "compare it: e != 0");
        return;
    }
    if (rule == RULE_INT && flt) {
        Diag *g =
            SEMA_REPORT(s, INTEGER_OPERATOR, span, "%s is for integers, this is %s", op_text(op), sema_describe(flt));
        if (op == OP_BITXOR) diag_help(s->ctx, g, "a power is written **");
        return;
    }
    Diag *d;
    if (rule != RULE_TEST && (args[first]->type == TY_BOOL || args[n - 1]->type == TY_BOOL)) {
        d = SEMA_REPORT(s, BOOL_OPERAND, span, "%s does not take bool", op_text(op));
        if (op == OP_BITAND || op == OP_BITOR)
            diag_help(s->ctx, d, "for truth values write %s", op == OP_BITAND ? "&&" : "||");
        else if (op == OP_MUL)
            diag_help(s->ctx, d, "to choose by it write if c then x else 0.0");
        else
            diag_help(s->ctx, d, "to count the true ones write the number: if c then 1 else 0");
        return;
    }
    if (n - first == 1)
        d = SEMA_REPORT(s, TYPE_MISMATCH, span, "%s does not take %s", op_text(op), sema_describe(args[first]));
    else
        d = SEMA_REPORT(s, TYPE_MISMATCH, span, "%s and %s do not go together with %s", sema_describe(args[first]),
                        sema_describe(args[n - 1]), op_text(op));
    if (wants_float && whole && whole->type != TY_BOOL)
        diag_help(s->ctx, d, "convert the integer: %s(%s)", flt && !flt->untyped && flt->type == TY_F64 ? "f64" : "f32",
                  sema_show(s, whole));
    if (wants_float && whole && whole->type == TY_BOOL)
        diag_help(s->ctx, d, "choose the number: if c then 1.0 else 0.0");
}

const Expr *sema_apply(Sema *s, Span span, Op op, const Expr *const *args, int n) {
    for (int i = 0; i < n; i++)
        if (!args[i]) return NULL;
    const Expr *e = expr_apply(s->g, op, args, n);
    if (!e) {
        operand_error(s, span, op, args, n);
        return NULL;
    }
    if (e->depth > MAX_DEPTH - 8) {
        SEMA_REPORT(s, TOO_DEEP, span, "the expression is too deep once functions are inlined");
        return NULL;
    }
    if (s->g->next_id > MAX_EXPRS) {
        SEMA_REPORT(s, LIMIT, s->g->span, "the entry point has too many expressions once functions are inlined");
        return NULL;
    }
    return e;
}

const Expr *sema_to(Sema *s, Span span, Type t, const Expr *e) {
    if (!e) return NULL;
    const Expr *r = expr_convert(s->g, t, e);
    if (r) return r;
    if (type_is_float(t) && find_quotient(e)) {
        quotient_error(s, span, e);
    } else {
        bool narrow = !e->untyped && e->type != TY_BOOL && t != TY_BOOL && type_is_float(t) == type_is_float(e->type);
        bool to_int = type_is_float(e->type) && !type_is_float(t) && t != TY_BOOL;
        if (to_int) {
            Diag *g =
                SEMA_REPORT(s, FLOAT_AS_INT, span, "%s stands where %s is needed", sema_describe(e), type_name(t));
            Sym text = sema_quote(s, span);
            diag_help(s->ctx, g, "to truncate write %s(%s); to round, %s(round(%s))", type_name(t), text, type_name(t),
                      text);
            return NULL;
        }
        Diag *d =
            narrow
                ? SEMA_REPORT(s, NARROWING, span, "%s does not become %s by itself", sema_describe(e), type_name(t))
                : SEMA_REPORT(s, TYPE_MISMATCH, span, "%s stands where %s is needed", sema_describe(e), type_name(t));
        if (t != TY_BOOL)
            diag_help(s->ctx, d, "write the cast: %s(%s)", type_name(t), sema_quote(s, span));
        else if (e->type != TY_BOOL)
            diag_help(s->ctx, d, "compare: e != 0");
    }
    return NULL;
}

typedef struct Among {
    Graph *g;
    Type type;
} Among;

/* What is chosen that is neither an element of an integer type nor a literal that it has. (As operands they are i32:
 * 9.1.) Conditions choose. */
static Found is_other(const Expr *e, const void *among) {
    const Among *x = among;
    if (e->type == TY_BOOL) return FOUND_NOT;
    if (e->op == OP_CONST) return !type_is_float(e->type) && num_wrap(x->type, e->u.i) == e->u.i ? FOUND_NOT : FOUND;
    if (e->op == OP_CAST) return expr_convert(x->g, x->type, e->arg[0]) ? FOUND_NOT : FOUND;
    return e->op == OP_IF || e->op == OP_MIN || e->op == OP_MAX ? FOUND_INSIDE : FOUND;
}

const Expr *sema_store(Sema *s, Span span, Type t, const Expr *e) {
    if (!e) return NULL;
    const bool chosen = e->op == OP_IF || e->op == OP_MIN || e->op == OP_MAX;
    if (chosen && !e->untyped && e->type == TY_I32 && type_is_int(t) && type_acc(t) == TY_I32 &&
        !expr_has(e, is_other, &(Among){s->g, t}))
        return expr_cast(s->g, t, e);
    if (e->untyped || !type_is_float(e->type) || !type_is_float(t)) return sema_to(s, span, t, e);
    return e->type == type_acc(t) ? e : expr_cast(s->g, t, e);
}
