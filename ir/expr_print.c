/* Expressions as text that reads back to the same nodes (expr_read.c): the fewest parentheses, and a cast around a
 * constant exactly where the operand beside it would not give it its type. */
#include "expr_text.h"
#include "expr_infix.h"
#include "expr_walk.h"
#include "ir/interp/interp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 1 << 24 }; /* of all the text printed */

static void print(ExprPrinter *p, const Expr *e, int level);

/* The shortest text that is read as v; v itself where that is short. */
static void print_float(Text *out, Type t, double v) {
    char b[40];
    if (v == rint(v) && fabs(v) < 1e7) {
        text_fmt(out, "%.1f", v);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(b, sizeof b, "%.*g", digits, v);
        double r = strtod(b, NULL);
        if (num_round(t, r) != v) continue;
        text_double(out, r);
        return;
    }
    text_double(out, v); /* inf, nan */
}

static void print_number(ExprPrinter *p, const Expr *e) {
    if (type_is_float(e->type))
        print_float(p->out, e->type, e->u.f);
    else if (e->type == TY_BOOL)
        text_put(p->out, e->u.i ? "true" : "false");
    else
        text_fmt(p->out, "%lld", (long long)e->u.i);
}

/* A constant that is read with its type whatever stands around it. */
static void print_const(ExprPrinter *p, const Expr *e) {
    bool plain = e->type == TY_BOOL || e->untyped;
    if (!plain) text_fmt(p->out, "%s(", type_name(e->type));
    print_number(p, e);
    if (!plain) text_char(p->out, ')');
}

/* What stands alone between delimiters: there a bare literal is i64 or f32. */
static void print_alone(ExprPrinter *p, const Expr *e, int level) {
    if (e->op == OP_CONST && (e->type == TY_F32 || e->type == TY_I64))
        print_number(p, e);
    else
        print(p, e, level);
}

/* What stands where text is read as a value of type t. */
static void print_as(ExprPrinter *p, const Expr *e, Type t) {
    if (e->op == OP_CONST && e->type == type_acc(t) && t != TY_BOOL)
        print_number(p, e);
    else
        print(p, e, LEVEL_IF);
}

/* Operands from `first` on have one type. A constant among them is a bare literal if another one shows the type. */
static void print_operand(ExprPrinter *p, const Expr *e, int i, int first, int level) {
    const Expr *x = e->arg[i];
    bool shown = i > first;
    for (int k = first; k < e->nargs; k++) shown |= e->arg[k]->op != OP_CONST;
    if (x->op == OP_CONST && shown && type_acc(x->type) == x->type)
        print_number(p, x);
    else
        print(p, x, level);
}

static Sym free_name(ExprPrinter *p, Sym name) {
    Sym s = name;
    for (int n = 2;; n++) {
        bool taken = false;
        for (int i = 0; i < p->used.n; i++) taken |= p->used.at[i] == s;
        for (int i = 0; i < p->names.n; i++) taken |= p->names.at[i] == s;
        if (!taken) return s;
        s = sym_fmt(p->out->ctx, "%s_%d", name, n);
    }
}

Sym expr_print_bind(ExprPrinter *p, const Var *v) {
    Sym name = free_name(p, v->name);
    vec_push(p->out->ctx, &p->vars, v);
    vec_push(p->out->ctx, &p->names, name);
    return name;
}

static void print_reduce(ExprPrinter *p, const Expr *e) {
    const Reduce *r = e->u.reduce;
    int mark = p->vars.n;
    text_fmt(p->out, "%s[", r->monoid->name);
    for (int i = 0; i < r->nvars; i++) {
        Var *v = r->vars[i];
        text_fmt(p->out, "%s%s in ", i ? ", " : "", free_name(p, v->name));
        print_alone(p, v->lo, LEVEL_OR);
        text_put(p->out, "..");
        print_alone(p, v->hi, LEVEL_OR);
        expr_print_bind(p, v);
    }
    int64_t guard;
    if (!expr_is_int(e->arg[0], &guard) || !guard) {
        text_put(p->out, " where ");
        print(p, e->arg[0], LEVEL_IF);
    }
    text_put(p->out, "](");
    for (int i = 1; i < e->nargs; i++) {
        if (i > 1) text_put(p->out, ", ");
        if (monoid_declared(r->monoid))
            print_as(p, e->arg[i], r->monoid->type[i - 1]);
        else
            print_alone(p, e->arg[i], LEVEL_IF);
    }
    text_char(p->out, ')');
    if (monoid_declared(r->monoid) && r->monoid->n > 1) text_fmt(p->out, ".%s", r->monoid->part[r->part]);
    p->vars.n = p->names.n = mark;
}

static void print_var(ExprPrinter *p, const Var *v) {
    Sym name = v->name;
    for (int i = 0; i < p->vars.n; i++)
        if (p->vars.at[i] == v) name = p->names.at[i];
    text_put(p->out, name);
}

static void print_leaf(ExprPrinter *p, const Expr *e) {
    switch (e->op) {
    case OP_CONST: print_const(p, e); break;
    case OP_VAR: print_var(p, e->u.var); break;
    case OP_DIM: text_put(p->out, e->u.dim->name); break;
    case OP_SCALAR: text_put(p->out, e->u.scalar->name); break;
    case OP_ALIGNED: text_fmt(p->out, "%s()", op_text(e->op)); break;
    default:
        if (p->leaves)
            p->leaves->print(p->leaves->user, p->out, e);
        else
            text_fmt(p->out, "?%s", e->op == OP_ARG ? "arg" : "leaf");
    }
}

static void print_form(ExprPrinter *p, const Expr *e) {
    if (e->op == OP_REDUCE) {
        print_reduce(p, e);
        return;
    }
    bool cast = e->op != OP_LOAD; /* a mark is printed as one */
    text_fmt(p->out, "%s%c", cast ? type_name(e->type) : e->u.tensor->name, cast ? '(' : '[');
    for (int i = 0; i < e->nargs; i++) {
        if (i) text_put(p->out, ", ");
        if (cast)
            print(p, e->arg[i], LEVEL_IF);
        else
            print_alone(p, e->arg[i], LEVEL_IF);
    }
    text_char(p->out, cast ? ')' : ']');
}

static void print_if(ExprPrinter *p, const Expr *e) {
    text_put(p->out, "if ");
    print(p, e->arg[0], LEVEL_OR);
    text_put(p->out, " then ");
    print_operand(p, e, 1, 1, LEVEL_OR);
    text_put(p->out, " else ");
    print_operand(p, e, 2, 1, LEVEL_IF);
}

static int expr_level(const Expr *e) {
    switch (op_form(e->op)) {
    case FORM_INFIX: return infix_level(e->op);
    case FORM_PREFIX: return LEVEL_UNARY;
    case FORM_FORM: return e->op == OP_IF ? LEVEL_IF : LEVEL_PRIMARY;
    case FORM_LEAF:
    case FORM_CALL: break;
    }
    return LEVEL_PRIMARY;
}

/* Prints e where the grammar wants an operand at least as tight as `level`. */
static void print(ExprPrinter *p, const Expr *e, int level) {
    if (p->out->n > MAX_TEXT) { /* shared nodes are written out each time */
        if (p->out->s[p->out->n - 1] != '~') text_put(p->out, " ...~");
        return;
    }
    int own = expr_level(e);
    if (own < level) text_char(p->out, '(');
    switch (op_form(e->op)) {
    case FORM_LEAF: print_leaf(p, e); break;
    case FORM_INFIX:
        print_operand(p, e, 0, 0, own == LEVEL_COMPARE ? own + 1 : own);
        text_fmt(p->out, " %s ", op_text(e->op));
        print_operand(p, e, 1, 0, own + 1);
        break;
    case FORM_PREFIX:
        text_put(p->out, op_text(e->op));
        print_operand(p, e, 0, 0, LEVEL_UNARY);
        break;
    case FORM_CALL:
        text_fmt(p->out, "%s(", op_text(e->op));
        for (int i = 0; i < e->nargs; i++) {
            if (i) text_put(p->out, ", ");
            print_operand(p, e, i, 0, LEVEL_IF);
        }
        text_char(p->out, ')');
        break;
    case FORM_FORM:
        if (e->op == OP_IF)
            print_if(p, e);
        else
            print_form(p, e);
    }
    if (own < level) text_char(p->out, ')');
}

/* ---- names in use ---- */

static void add_used(ExprPrinter *p, Sym name) {
    for (int i = 0; i < p->used.n; i++)
        if (p->used.at[i] == name) return;
    vec_push(p->out->ctx, &p->used, name);
}

typedef struct Uses {
    ExprPrinter *p;
    ExprMap bound;
} Uses;

static Found add_uses(const Expr *e, void *uses) {
    Uses *u = uses;
    ExprPrinter *p = u->p;
    Ctx *ctx = p->out->ctx;
    for (int i = 0; e->op == OP_REDUCE && i < e->u.reduce->nvars; i++)
        expr_map_put(ctx, &u->bound, e->u.reduce->vars[i], e);
    if (e->op == OP_VAR && !expr_map_get(&u->bound, e->u.var)) {
        bool known = false;
        for (int i = 0; i < p->vars.n; i++) known |= p->vars.at[i] == e->u.var;
        if (!known) add_used(p, e->u.var->name);
    } else if (e->op == OP_DIM) {
        add_used(p, e->u.dim->name);
    } else if (e->op == OP_SCALAR) {
        add_used(p, e->u.scalar->name);
    } else if ((e->op == OP_VALUE || e->op == OP_FACTOR || e->op == OP_ARG) && p->leaves) {
        Text t = {.ctx = ctx};
        p->leaves->print(p->leaves->user, &t, e);
        if (t.n) add_used(p, sym_n(ctx, t.s, strcspn(t.s, ".'#")));
    }
    return FOUND_INSIDE;
}

/* Adds the names of the leaves of e to p->used. */
static void expr_print_uses(ExprPrinter *p, const Expr *e) {
    Uses u = {.p = p};
    expr_walk(&(ExprWalk){.temp = p->out->ctx, .before = add_uses, .user = &u, .ranges = true}, e);
}

void expr_print_with(ExprPrinter *p, const Expr *e) { print_alone(p, e, LEVEL_IF); }

void expr_print_as(ExprPrinter *p, const Expr *e, Type t) { print_as(p, e, t); }

void expr_print(Text *out, const Expr *e, const LeafNames *leaves) {
    ExprPrinter p = {.out = out, .leaves = leaves};
    if (e->reduces) expr_print_uses(&p, e); /* a reduction's variables get names that nothing else has */
    expr_print_with(&p, e);
}
