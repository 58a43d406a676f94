/* Reads expressions in td's syntax into strict nodes. The grammar, loose to tight, is that of LEVEL_* (expr_infix.h),
 * with
 * `-` and `!` before an operand and `**` (right associative) after it. */
#include "expr_text.h"
#include "expr_infix.h"

#include <math.h>
#include <string.h>

static const Expr *read_level(ExprReader *r, int level);

/* A node to go on with after a failure. */
static const Expr *nothing(ExprReader *r) { return expr_int(r->g, TY_I64, 0); }

static const Expr *fail(ExprReader *r, Span at, const char *why) {
    lex_fail(r->lex, at, "%s", why);
    return nothing(r);
}

static const Expr *apply(ExprReader *r, Op op, const Expr *const *args, int nargs, Span at) {
    if (r->lex->failed) return nothing(r);
    const Expr *e;
    if (op == OP_IF && args[0]->type == TY_BOOL && args[1]->type == args[2]->type && !args[1]->untyped &&
        !args[2]->untyped)
        e = expr_op(r->g, op, args, nargs); /* also of types that arithmetic would widen */
    else
        e = expr_apply(r->g, op, args, nargs);
    if (!e) {
        lex_fail(r->lex, at, "operands of '%s' do not fit: %s%s%s", op_text(op), type_name(args[0]->type),
                 nargs > 1 ? ", " : "", nargs > 1 ? type_name(args[nargs - 1]->type) : "");
        return nothing(r);
    }
    if (e->depth > MAX_DEPTH) return fail(r, at, "the expression is too deep");
    return e;
}

static const Expr *read_expr(ExprReader *r) { return read_level(r, LEVEL_IF); }

/* Expressions separated by commas up to `close`; their number, at most max. */
static int read_list(ExprReader *r, const char *close, const Expr **out, int max) {
    int n = 0;
    if (lex_accept(r->lex, close)) return 0;
    do {
        if (n == max) {
            lex_fail(r->lex, r->lex->tok.span, "expected '%s'", close);
            return n;
        }
        out[n++] = read_expr(r);
    } while (lex_accept(r->lex, ","));
    lex_expect(r->lex, close);
    return n;
}

static const Expr *read_cast(ExprReader *r, Type t) {
    Lex *x = r->lex;
    lex_next(x);
    lex_expect(x, "(");
    const Expr *e = read_expr(r);
    lex_expect(x, ")");
    return x->failed ? nothing(r) : expr_cast(r->g, t, e);
}

Var *expr_read_range(ExprReader *r) {
    Lex *x = r->lex;
    Sym name = lex_name(x);
    lex_expect(x, "in");
    const Expr *lo = expr_settle(r->g, read_level(r, LEVEL_OR));
    lex_expect(x, "..");
    const Expr *hi = expr_settle(r->g, read_level(r, LEVEL_OR));
    if (x->failed) return NULL;
    Var *v = graph_var(r->g, name, lo, hi);
    vec_push(r->g->ctx, &r->vars, v);
    return v;
}

/* (a, b).z: the operands, and which part of the state is meant where there are several. */
static const Expr *read_parts(ExprReader *r, Reduce *red, const Expr *guard) {
    Lex *x = r->lex;
    const Monoid *m = red->monoid;
    const Expr *operands[MAX_PARTS];
    lex_expect(x, "(");
    for (int i = 0; i < m->n; i++) {
        if (i) lex_expect(x, ",");
        Span at = x->tok.span;
        operands[i] = expr_read_as(r, m->type[i]);
        if (!x->failed && operands[i]->type != m->type[i])
            lex_fail(x, at, "operand %d is %s, where monoid %s has %s", i + 1, type_name(operands[i]->type), m->name,
                     type_name(m->type[i]));
        if (x->failed) return nothing(r);
    }
    lex_expect(x, ")");
    if (m->n > 1) {
        lex_expect(x, ".");
        Span at = x->tok.span;
        Sym part = lex_name(x);
        while (red->part < m->n && m->part[red->part] != part) red->part++;
        if (red->part == m->n) lex_fail(x, at, "monoid %s has no part '%s'", m->name, part);
    }
    return x->failed ? nothing(r) : expr_reduce_parts(r->g, red, guard, operands);
}

static const Expr *read_reduce(ExprReader *r, const Monoid *monoid) {
    Lex *x = r->lex;
    Span at = x->tok.span;
    int mark = r->vars.n;
    lex_next(x);
    lex_expect(x, "[");
    Reduce *red = NEW(r->g->ctx, Reduce);
    red->monoid = monoid;
    do {
        if (!expr_read_range(r)) break;
    } while (lex_accept(x, ","));
    red->nvars = r->vars.n - mark;
    red->vars = NEW_N(r->g->ctx, Var *, red->nvars);
    for (int i = 0; i < red->nvars; i++) red->vars[i] = r->vars.at[mark + i];
    const Expr *guard = lex_accept(x, "where") ? read_expr(r) : NULL;
    lex_expect(x, "]");
    if (guard && guard->type != TY_BOOL) fail(r, at, "the guard is not bool");
    const Expr *e = nothing(r);
    if (monoid_declared(monoid)) {
        e = read_parts(r, red, guard);
    } else {
        lex_expect(x, "(");
        const Expr *body = read_expr(r);
        lex_expect(x, ")");
        if (!x->failed) e = expr_reduce(r->g, red, guard, body);
    }
    r->vars.n = mark;
    return e;
}

static const Expr *read_load(ExprReader *r, Sym name, Span at) {
    Lex *x = r->lex;
    Tensor *t = r->tensor ? r->tensor(r->user, name) : graph_find_tensor(r->g, name);
    if (!t) {
        lex_fail(x, at, "no tensor '%s'", name);
        return nothing(r);
    }
    const Expr *subs[MAX_RANK];
    lex_expect(x, "[");
    int n = read_list(r, "]", subs, MAX_RANK);
    if (n != t->rank) lex_fail(x, at, "'%s' has %d subscripts", name, t->rank);
    if (x->failed) return nothing(r);
    for (int i = 0; i < n; i++) subs[i] = expr_settle(r->g, subs[i]);
    return expr_load(r->g, t, subs);
}

static const Expr *read_call(ExprReader *r, Sym name, Span at) {
    const Expr *args[3];
    lex_expect(r->lex, "(");
    int n = read_list(r, ")", args, 3);
    if (r->lex->failed) return nothing(r);
    if (!strcmp(name, op_text(OP_ALIGNED))) {
        if (n) lex_fail(r->lex, at, "'%s' has no operands", name);
        return expr_aligned(r->g);
    }
    for (int op = 0; op < OP_COUNT; op++) {
        if (op_form((Op)op) != FORM_CALL || strcmp(op_text((Op)op), name) != 0) continue;
        if (n != op_arity((Op)op)) lex_fail(r->lex, at, "'%s' has %d operands", name, op_arity((Op)op));
        return apply(r, (Op)op, args, n, at);
    }
    lex_fail(r->lex, at, "no function '%s'", name);
    return nothing(r);
}

static const Expr *read_leaf(ExprReader *r, LeafText leaf) {
    Lex *x = r->lex;
    leaf.primed = lex_accept(x, "'");
    leaf.nth = 1;
    if (lex_accept(x, ".")) {
        leaf.part = lex_name(x);
        if (lex_accept(x, "#")) {
            int64_t nth = lex_int(x);
            leaf.nth = nth >= 1 && nth <= 1000 ? (int)nth : 0;
        }
    }
    if (x->failed) return nothing(r);
    bool bare = !leaf.primed && !leaf.part;
    for (int i = r->vars.n; bare && i-- > 0;)
        if (r->vars.at[i]->name == leaf.name) return expr_var(r->g, r->vars.at[i]);
    const Expr *e = r->leaf ? r->leaf(r->user, &leaf) : NULL;
    if (e) return e;
    for (int i = 0; bare && i < r->g->dims.n; i++)
        if (r->g->dims.at[i]->name == leaf.name) return expr_dim(r->g, r->g->dims.at[i]);
    for (int i = 0; bare && i < r->g->scalars.n; i++)
        if (r->g->scalars.at[i]->name == leaf.name) return expr_scalar(r->g, r->g->scalars.at[i]);
    lex_fail(x, leaf.span, "unknown name '%s'", leaf.name);
    return nothing(r);
}

/* NAME [ NAME in: a reduction, as no load has. */
static bool at_reduction(const Lex *x) {
    Lex y = *x;
    lex_next(&y);
    if (!lex_is(&y, "[")) return false;
    lex_next(&y);
    if (y.tok.kind != LEX_NAME) return false;
    lex_next(&y);
    return lex_is(&y, "in");
}

static const Expr *read_name(ExprReader *r) {
    static const char *const reserved[] = {"if", "then", "else", "in", "where"};
    Lex *x = r->lex;
    LeafText leaf = {.name = x->tok.text, .span = x->tok.span};
    Type t;
    const Monoid *m = monoid_named(r->g, leaf.name);
    if (lex_is(x, "true") || lex_is(x, "false")) {
        bool v = lex_is(x, "true");
        lex_next(x);
        return expr_int(r->g, TY_BOOL, v);
    }
    if (lex_is(x, "inf") || lex_is(x, "nan")) return expr_literal(r->g, true, 0, lex_number(x));
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (lex_is(x, reserved[i])) return fail(r, leaf.span, "expected an operand");
    if (type_by_name(leaf.name, &t)) return read_cast(r, t);
    if (m && at_reduction(x)) return read_reduce(r, m);
    lex_next(x);
    if (lex_is(x, "[")) return read_load(r, leaf.name, leaf.span);
    if (lex_is(x, "(")) return read_call(r, leaf.name, leaf.span);
    return read_leaf(r, leaf);
}

static const Expr *read_literal(ExprReader *r, bool negative) {
    Lex *x = r->lex;
    uint64_t i = x->tok.i;
    if (x->tok.kind != LEX_INT) {
        double f = lex_number(x);
        return expr_literal(r->g, true, 0, negative ? -f : f);
    }
    if (i > (uint64_t)INT64_MAX + negative) return fail(r, x->tok.span, "the integer is too large");
    lex_next(x);
    return expr_literal(r->g, false, (int64_t)(negative ? 0 - i : i), 0);
}

static const Expr *read_primary(ExprReader *r) {
    Lex *x = r->lex;
    switch (x->tok.kind) {
    case LEX_INT:
    case LEX_FLOAT: return read_literal(r, false);
    case LEX_NAME: return read_name(r);
    case LEX_PUNCT:
        if (lex_accept(x, "(")) {
            const Expr *e = read_expr(r);
            lex_expect(x, ")");
            return e;
        }
        break;
    case LEX_END:
    case LEX_STRING: break;
    }
    return fail(r, x->tok.span, "expected an operand");
}

static bool at_literal(const Lex *x) {
    return x->tok.kind == LEX_INT || x->tok.kind == LEX_FLOAT || lex_is(x, "inf") || lex_is(x, "nan");
}

static const Expr *read_unary(ExprReader *r) {
    Lex *x = r->lex;
    Span at = x->tok.span;
    if (++r->nest > MAX_NEST) fail(r, at, "the expression nests too deep");
    const Expr *e;
    if (lex_accept(x, "-")) {
        if (at_literal(x) && !lex_peek_is(x, "**"))
            e = read_literal(r, true);
        else
            e = apply(r, OP_NEG, (const Expr *[]){read_unary(r)}, 1, at);
    } else if (lex_accept(x, "!")) {
        e = apply(r, OP_NOT, (const Expr *[]){read_unary(r)}, 1, at);
    } else {
        e = read_primary(r);
        at = x->tok.span;
        if (lex_accept(x, "**")) e = apply(r, OP_POW, (const Expr *[]){e, read_unary(r)}, 2, at);
    }
    r->nest--;
    return e;
}

static bool infix_at(const Lex *x, int level, Op *op) {
    if (x->tok.kind != LEX_PUNCT) return false;
    for (int i = 0; i < INFIX_ROWS; i++)
        if (infix_rows[i].level == level && lex_is(x, op_text(infix_rows[i].op))) {
            *op = infix_rows[i].op;
            return true;
        }
    return false;
}

static const Expr *read_if(ExprReader *r) {
    Lex *x = r->lex;
    Span at = x->tok.span;
    const Expr *a[3];
    lex_expect(x, "if");
    a[0] = read_level(r, LEVEL_OR);
    lex_expect(x, "then");
    a[1] = read_level(r, LEVEL_OR);
    lex_expect(x, "else");
    a[2] = read_expr(r);
    return apply(r, OP_IF, a, 3, at);
}

static const Expr *read_level(ExprReader *r, int level) {
    Lex *x = r->lex;
    if (level == LEVEL_UNARY) return read_unary(r);
    if (level == LEVEL_IF) {
        if (!lex_is(x, "if")) return read_level(r, LEVEL_OR);
        if (++r->nest > MAX_NEST) fail(r, x->tok.span, "the expression nests too deep");
        const Expr *e = read_if(r);
        r->nest--;
        return e;
    }
    const Expr *e = read_level(r, level + 1);
    Op op;
    while (infix_at(x, level, &op)) {
        Span at = x->tok.span;
        lex_next(x);
        e = apply(r, op, (const Expr *[]){e, read_level(r, level + 1)}, 2, at);
        if (level == LEVEL_COMPARE && infix_at(x, level, &op)) return fail(r, x->tok.span, "comparisons do not chain");
    }
    return e;
}

const Expr *expr_read(ExprReader *r) {
    const Expr *e = read_expr(r);
    return r->lex->failed ? NULL : expr_settle(r->g, e);
}

const Expr *expr_read_as(ExprReader *r, Type t) {
    const Expr *e = read_expr(r);
    if (r->lex->failed) return NULL;
    if (!e->untyped) return e;
    const Expr *c = expr_convert(r->g, type_acc(t) == t || t == TY_BOOL ? t : type_acc(t), e);
    if (!c) lex_fail(r->lex, r->lex->tok.span, "the literal does not fit type %s", type_name(t));
    return c;
}
