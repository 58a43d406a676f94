/* Lowering, what folds and scans share: the operation of a monoid, its identity, and a state on its way between
 * threads. */
#include "lower_internal.h"

/* Whether what combines is one of the two states, chosen by one condition. */
static bool one_choice(const Monoid *m) {
    for (int i = 0; i < m->n; i++) {
        const Expr *e = m->combine[i];
        if (e->op != OP_IF || e->arg[0] != m->combine[0]->arg[0]) return false;
        if (e->arg[1]->op != OP_ARG || e->arg[1]->u.i != m->n + i || e->arg[2]->op != OP_ARG || e->arg[2]->u.i != i)
            return false;
    }
    return true;
}

void put_combine(Lower *l, const Monoid *m, const Code *const *left, const Code *const *right, const Code *const *into,
                 const Code *guard) {
    for (int i = 0; i < m->n; i++) {
        l->args[i] = left[i];
        l->args[m->n + i] = right[i];
    }
    if (m->n == 1) {
        const Code *e = expr_code(l, m->combine[0], l->open.layout);
        if (guard) put_if(l, guard)->braces = INLINE;
        put_do(l, "%c = %c", into[0], e);
        if (guard) put_end(l);
        return;
    }
    if (guard) put_if(l, guard)->braces = BARE;
    put_block(l);
    if (one_choice(m)) {
        Sym take = sym(l->ctx, "take");
        put_declare(l, "const bool", take, " = %c", expr_code(l, m->combine[0]->arg[0], l->open.layout));
        for (int i = 0; i < m->n; i++) put_do(l, "%c = %n ? %c : %c", into[i], take, right[i], left[i]);
    } else {
        for (int i = 0; i < m->n; i++)
            put_declare(l, sym_fmt(l->ctx, "const %s", lower_value_type(m->type[i])), sym_fmt(l->ctx, "c%d_", i),
                        " = %c", expr_code(l, m->combine[i], l->open.layout));
        for (int i = 0; i < m->n; i++) put_do(l, "%c = c%d_", into[i], i);
    }
    put_end(l);
    if (guard) put_end(l);
}

const Code *fold_identity(Lower *l, const Monoid *m, int i) { return expr_code(l, m->identity[i], l->open.layout); }

void put_identity(Lower *l, const Monoid *m, const Code *const *into) {
    for (int i = 0; i < m->n; i++) put_do(l, "%c = %c", into[i], fold_identity(l, m, i));
}

void put_state(Lower *l, const Value *v) {
    int64_t n = reg_count(l, v->domain);
    if (n > 1)
        put_declare(l, lower_value_type(v->type), value_name(l, v), "[%l]", n);
    else
        put_declare(l, lower_value_type(v->type), value_name(l, v), "");
}

const char *fold_cell(Type t) { return t == TY_BOOL ? "int32_t" : lower_value_type(t); }

const Code *fold_shuffle(Lower *l, const char *kind, Type t, const Code *v, const Code *where) {
    Sym name = sym_fmt(l->ctx, "td_shfl_%s", kind);
    return t == TY_BOOL ? code(l->ctx, "(%s((int32_t)%c, %c) != 0)", name, v, where)
                        : code(l->ctx, "%s(%c, %c)", name, v, where);
}

void fold_turn(Lower *l, Sym name) {
    for (int i = 0; i < l->open.turns.n; i++)
        if (l->open.turns.at[i] == name) return;
    vec_push(l->ctx, &l->open.turns, name);
}
