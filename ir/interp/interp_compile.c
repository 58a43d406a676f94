/* The interpreter: expressions to blocks of instructions. An operator without effect goes into the outermost block
 * where its operands are known, so that what a loop repeats is computed once; loads, reductions and branches stay where
 * the equation has them, because laziness is part of its meaning. */
#include "interp_code.h"

#include <math.h>
#include <string.h>

enum { MAX_BLOCKS = MAX_DEPTH };

/* A node's register, valid while the block that computes it is open. */
typedef struct Known {
    const void *key;
    int reg, level, serial;
} Known;

typedef struct Open {
    Block *block;
    int serial;
} Open;

/* In exact algebra an expression of constants is a constant, of floats, as simplification and compilers have it. */
typedef struct Literal {
    int reg;
    double v;
} Literal;

typedef struct Compiler {
    Interp *m;
    PieceCode *code;
    Cell *cell;
    Open open[MAX_BLOCKS];
    int nopen, next_serial;
    VEC(int) level;        /* of each register */
    VEC(Literal) literals; /* exact algebra: registers that hold constants, or what comparing constants decided */
    Known *known;
    size_t nknown, known_cap;
    const LoopVar *loops;
    int depth;
    int operand[2 * MAX_PARTS]; /* registers of OP_ARG, while what a monoid combines to is compiled */
} Compiler;

static bool fail(Compiler *c, const char *what) {
    text_fmt(c->m->why, "interpreter: %s", what);
    return false;
}

static int new_reg(Compiler *c, int level) {
    vec_push(c->m->ctx, &c->code->regs, (Reg){.i = 0});
    vec_push(c->m->ctx, &c->level, level);
    return c->level.n - 1;
}

static Known *known_slot(Known *at, size_t cap, const void *key) {
    size_t i = (size_t)(((uint64_t)(uintptr_t)key >> 4) * 0x9E3779B97F4A7C15u >> 20) & (cap - 1);
    while (at[i].key && at[i].key != key) i = (i + 1) & (cap - 1);
    return &at[i];
}

static void know(Compiler *c, const void *key, int reg) {
    if (2 * (c->nknown + 1) > c->known_cap) {
        size_t cap = c->known_cap ? c->known_cap * 2 : 256;
        Known *at = NEW_N(c->m->ctx, Known, cap);
        for (size_t i = 0; i < c->known_cap; i++)
            if (c->known[i].key) *known_slot(at, cap, c->known[i].key) = c->known[i];
        c->known = at;
        c->known_cap = cap;
    }
    Known *k = known_slot(c->known, c->known_cap, key);
    if (!k->key) c->nknown++;
    int level = c->level.at[reg];
    *k = (Known){key, reg, level, c->open[level].serial};
}

static int lookup(const Compiler *c, const void *key) {
    if (!c->known_cap) return -1;
    const Known *k = known_slot(c->known, c->known_cap, key);
    if (!k->key || k->level >= c->nopen || c->open[k->level].serial != k->serial) return -1;
    return k->reg;
}

static bool open_block(Compiler *c) {
    if (c->nopen == MAX_BLOCKS) return fail(c, "blocks are nested too deep");
    c->open[c->nopen++] = (Open){NEW(c->m->ctx, Block), c->next_serial++};
    return true;
}

static const Block *close_block(Compiler *c) { return c->open[--c->nopen].block; }

static void emit_at(Compiler *c, int level, Ins ins) {
    ins.loops = c->loops;
    vec_push(c->m->ctx, &c->open[level].block->ins, ins);
}

static void emit(Compiler *c, Ins ins) { emit_at(c, c->nopen - 1, ins); }

/* Whether an operator rounds its result. */
static bool inexact_op(int kind) {
    switch (kind) {
    case OP_NEG:
    case OP_MIN:
    case OP_MAX:
    case OP_ABS:
    case OP_SIGN:
    case OP_FLOOR:
    case OP_CEIL:
    case OP_ROUND:
    case OP_TRUNC: return false;
    default: return kind < OP_COUNT;
    }
}

static Ins noise(Type t, int reg) { return (Ins){.kind = INS_NOISE, .type = t, .dst = reg, .a = reg}; }

/* An instruction without effect, as far out as its operands allow. */
static int emit_pure(Compiler *c, Ins ins, int nargs) {
    int level = 0, r[3] = {ins.a, ins.b, ins.c};
    for (int k = 0; k < nargs; k++)
        if (c->level.at[r[k]] > level) level = c->level.at[r[k]];
    ins.dst = new_reg(c, level);
    emit_at(c, level, ins);
    if (c->m->nudge >= NUDGE_NOISE && type_is_float(ins.type) && inexact_op(ins.kind))
        emit_at(c, level, noise(ins.type, ins.dst));
    return ins.dst;
}

static int constant(Compiler *c, Reg v) {
    int r = new_reg(c, 0);
    c->code->regs.at[r] = v;
    return r;
}

/* In exact algebra the constant v; whether a register holds one. */
static int literal(Compiler *c, double v) {
    int r = constant(c, (Reg){.i = exact_from_float(c->m->exact, v)});
    vec_push(c->m->ctx, &c->literals, ((Literal){r, v}));
    return r;
}
static bool is_literal(const Compiler *c, int reg, double *v) {
    for (int i = 0; i < c->literals.n; i++)
        if (c->literals.at[i].reg == reg) return *v = c->literals.at[i].v, true;
    return false;
}

static bool to_whole(Op op) { return op == OP_FLOOR || op == OP_CEIL || op == OP_ROUND || op == OP_TRUNC; }

/* Whether a kernel has exactly this float too: nothing was computed in f32 on the way, or what was decided already
 * which whole number it is. */
static bool exact(const Expr *e, int depth) {
    if (to_whole(e->op)) return true;
    if (!type_is_float(e->type) || e->op == OP_CONST || e->op == OP_SCALAR || e->op == OP_RANDOM) return true;
    if (depth > 8) return false;
    switch (e->op) {
    case OP_LOAD: return e->u.tensor->kind == TENSOR_INPUT || e->u.tensor->kind == TENSOR_INOUT;
    case OP_CAST:
    case OP_NEG:
    case OP_ABS: return exact(e->arg[0], depth + 1);
    case OP_MIN:
    case OP_MAX: return exact(e->arg[0], depth + 1) && exact(e->arg[1], depth + 1);
    case OP_IF: return exact(e->arg[1], depth + 1) && exact(e->arg[2], depth + 1);
    default: return false;
    }
}

static int compile(Compiler *c, const Expr *e);

/* A variable's loop: opens its body. The caller closes as many blocks as it opened loops. */
static bool open_loop(Compiler *c, const Var *v, Ins *loop) {
    int lo = compile(c, v->lo), hi = lo < 0 ? -1 : compile(c, v->hi);
    if (hi < 0 || !open_block(c)) return false;
    int r = new_reg(c, c->nopen - 1);
    know(c, v, r);
    LoopVar *s = NEW(c->m->ctx, LoopVar);
    *s = (LoopVar){v, r, c->loops};
    *loop = (Ins){.kind = INS_LOOP, .dst = r, .a = lo, .b = hi, .loops = c->loops};
    c->loops = s;
    return true;
}

static void close_loop(Compiler *c, Ins loop) {
    loop.body = close_block(c);
    c->loops = loop.loops;
    emit(c, loop);
}

/* Opens the block that runs where the guard holds; *opened says whether there is one. */
static bool open_guard(Compiler *c, const Expr *guard, Ins *branch, bool *opened) {
    int64_t always;
    *opened = false;
    if (!guard || (expr_is_int(guard, &always) && always)) return true;
    int r = compile(c, guard);
    if (r < 0 || !open_block(c)) return false;
    *branch = (Ins){.kind = INS_IF, .a = r};
    return *opened = true;
}

static void close_guard(Compiler *c, Ins branch, bool opened) {
    if (!opened) return;
    branch.body = close_block(c);
    emit(c, branch);
}

/* A register of the innermost block with the same value. */
static int moved(Compiler *c, int reg) {
    int r = new_reg(c, c->nopen - 1);
    emit(c, (Ins){.kind = INS_MOVE, .dst = r, .a = reg});
    return r;
}

/* One element into the state of a declared monoid, which stands in registers: combined parts go through others, since
 * each may read all of the state. */
static bool compile_combine(Compiler *c, const Expr *e, const int *state) {
    const Monoid *m = e->u.reduce->monoid;
    int right[MAX_PARTS], next[MAX_PARTS];
    for (int i = 0; i < m->n; i++)
        if ((right[i] = compile(c, e->arg[1 + i])) < 0) return false;
    for (int i = 0; i < m->n; i++) { /* what is computed of operands is known in this block alone */
        c->operand[i] = state[i];
        c->operand[m->n + i] = moved(c, right[i]);
    }
    for (int i = 0; i < m->n; i++) {
        int v = compile(c, m->combine[i]);
        if (v < 0) return false;
        next[i] = moved(c, v);
    }
    for (int i = 0; i < m->n; i++) emit(c, (Ins){.kind = INS_MOVE, .dst = state[i], .a = next[i]});
    return true;
}

/* By a declared monoid: folded in the order of the index, whatever it says of itself. */
static int compile_declared(Compiler *c, const Expr *e) {
    const Reduce *r = e->u.reduce;
    const Monoid *m = r->monoid;
    Ins *loops = NEW_N(c->m->ctx, Ins, r->nvars), branch;
    int state[MAX_PARTS], outside = c->nopen - 1;
    bool opened;
    for (int k = 0; k < r->nvars; k++)
        if (!open_loop(c, r->vars[k], &loops[k])) return -1;
    if (!open_guard(c, e->arg[0], &branch, &opened)) return -1;
    for (int i = 0; i < m->n; i++) {
        int v = compile(c, m->identity[i]);
        if (v < 0) return -1;
        state[i] = new_reg(c, c->nopen - 1); /* what reads it stays in the loop */
        emit_at(c, outside, (Ins){.kind = INS_MOVE, .dst = state[i], .a = v});
    }
    if (!compile_combine(c, e, state)) return -1;
    close_guard(c, branch, opened);
    for (int k = r->nvars - 1; k >= 0; k--) close_loop(c, loops[k]);
    return moved(c, state[r->part]);
}

static int compile_reduce(Compiler *c, const Expr *e) {
    const Reduce *r = e->u.reduce;
    const Expr *body = e->arg[1];
    if (r->nvars < 1 || e->nargs != 1 + monoid_operands(r->monoid))
        return fail(c, "a reduction with wrong operands"), -1;
    if (monoid_declared(r->monoid)) return compile_declared(c, e);
    const MonoidKind kind = r->monoid->kind;
    bool arg = r->monoid->indexed, is_float = type_is_float(body->type), opened;
    if (arg && r->nvars != 1) return fail(c, "a reduction over a wrong number of variables"), -1;
    Ins *loops = NEW_N(c->m->ctx, Ins, r->nvars), branch;
    Ins ins = {.is_float = is_float, .monoid = kind, .type = body->type, .inexact = !exact(body, 0)};
    int acc = c->code->naccs++;
    ins.kind = INS_CLEAR, ins.dst = acc;
    emit(c, ins);
    for (int k = 0; k < r->nvars; k++)
        if (!open_loop(c, r->vars[k], &loops[k])) return -1;
    if (!open_guard(c, e->arg[0], &branch, &opened)) return -1;
    int v = compile(c, body);
    if (v < 0) return -1;
    if (c->m->nudge >= NUDGE_NOISE && is_float && (kind == MONOID_SUM || kind == MONOID_PROD)) {
        int off = new_reg(c, c->nopen - 1);
        emit(c, (Ins){.kind = INS_NOISE, .type = body->type, .dst = off, .a = v});
        v = off;
    }
    ins.kind = INS_FOLD, ins.a = v, ins.b = arg ? loops[0].dst : 0;
    emit(c, ins);
    close_guard(c, branch, opened);
    for (int k = r->nvars - 1; k >= 0; k--) close_loop(c, loops[k]);
    ins.kind = INS_FINISH, ins.dst = new_reg(c, c->nopen - 1), ins.a = acc, ins.type = e->type;
    emit(c, ins);
    return ins.dst;
}

/* a && b, a || b, if a then b else d: dst is written in the blocks. In exact algebra, where constants decide, the side
 * alone, which may be a constant. */
static int compile_branch(Compiler *c, const Expr *e) {
    const Expr *side[2] = {e->op == OP_OR ? NULL : e->arg[1], e->op == OP_OR   ? e->arg[1]
                                                              : e->op == OP_IF ? e->arg[2]
                                                                               : NULL};
    int cond = compile(c, e->arg[0]);
    if (cond < 0) return -1;
    double decided;
    if (is_literal(c, cond, &decided)) {
        const Expr *taken = side[decided ? 0 : 1];
        return taken ? compile(c, taken) : cond;
    }
    Ins ins = {.kind = INS_IF, .a = cond, .dst = new_reg(c, c->nopen - 1)};
    for (int k = 0; k < 2; k++) {
        if (!open_block(c)) return -1;
        int v = side[k] ? compile(c, side[k]) : cond;
        if (v < 0) return -1;
        emit(c, (Ins){.kind = INS_MOVE, .dst = ins.dst, .a = v});
        *(k ? &ins.other : &ins.body) = close_block(c);
    }
    emit(c, ins);
    return ins.dst;
}

static int cell_number(const Compiler *c, const Tensor *t) {
    for (int i = 0; i < c->m->g->tensors.n; i++)
        if (c->m->g->tensors.at[i] == t) return i;
    return -1;
}

static const int *compile_subs(Compiler *c, const Expr *const *subs, int rank) {
    int *r = NEW_N(c->m->ctx, int, rank + 1);
    for (int d = 0; d < rank; d++)
        if ((r[d] = compile(c, subs[d])) < 0) return NULL;
    return r;
}

static int compile_load(Compiler *c, const Expr *e) {
    int at = cell_number(c, e->u.tensor);
    if (at < 0 || e->nargs != e->u.tensor->rank) return fail(c, "a load of a tensor that the graph does not have"), -1;
    Cell *cell = &c->m->cells[at];
    if (cell->tensor->kind != TENSOR_INPUT && cell->tensor->kind != TENSOR_INOUT) {
        if (c->cell)
            vec_push(c->m->ctx, &c->cell->needs, at);
        else
            vec_push(c->m->ctx, &c->m->asked, at);
    }
    const int *subs = compile_subs(c, e->arg, e->nargs);
    if (!subs) return -1;
    int dst = new_reg(c, c->nopen - 1);
    emit(c, (Ins){.kind = INS_LOAD, .dst = dst, .cell = cell, .subs = subs});
    return dst;
}

/* Roundings change nothing in exact algebra. */
static int exact_cast(Compiler *c, const Expr *e, int a) {
    bool to_float = type_is_float(e->type), from_float = type_is_float(e->arg[0]->type);
    double v;
    if (to_float && from_float) return is_literal(c, a, &v) ? literal(c, num_round(e->type, v)) : a;
    if (to_float && e->arg[0]->op == OP_CONST) return literal(c, num_from_int(e->type, e->arg[0]->u.i));
    if (from_float && is_literal(c, a, &v)) return constant(c, (Reg){.i = num_to_int(e->type, v)});
    return emit_pure(c, (Ins){.kind = to_float ? INS_EXACT_FROM : INS_EXACT_INT, .type = e->type, .a = a}, 1);
}

/* What expr_fold does to constants (ir/fold.c). */
static bool exact_fold(Op op, double a, double b, double *v) {
    switch (op) {
    case OP_ADD: return *v = a + b, true;
    case OP_SUB: return *v = a - b, true;
    case OP_MUL: return *v = a * b, true;
    case OP_DIV: return *v = a / b, true;
    case OP_NEG: return *v = -a, true;
    case OP_ABS: return *v = fabs(a), true;
    case OP_FLOOR: return *v = floor(a), true;
    case OP_CEIL: return *v = ceil(a), true;
    case OP_TRUNC: return *v = trunc(a), true;
    case OP_SQRT: return *v = sqrt(a), true;
    case OP_MIN: return *v = a < b ? a : b, true;
    case OP_MAX: return *v = a > b ? a : b, true;
    default: return false;
    }
}

static bool exact_decide(Op op, double a, double b, int64_t *v) {
    switch (op) {
    case OP_EQ: return *v = a == b, true;
    case OP_NE: return *v = a != b, true;
    case OP_LT: return *v = a < b, true;
    case OP_LE: return *v = a <= b, true;
    case OP_GT: return *v = a > b, true;
    case OP_GE: return *v = a >= b, true;
    case OP_ISNAN: return *v = isnan(a) != 0, true;
    case OP_ISINF: return *v = isinf(a) != 0, true;
    case OP_ISFINITE: return *v = isfinite(a) != 0, true;
    default: return false;
    }
}

static int exact_operator(Compiler *c, const Expr *e, Ins ins) {
    double a, b, v;
    int64_t i;
    ins.kind = (short)(INS_EXACT + (int)e->op);
    if (e->nargs <= 2 && is_literal(c, ins.a, &a) && is_literal(c, e->nargs > 1 ? ins.b : ins.a, &b)) {
        if (exact_decide(e->op, a, b, &i)) {
            int r = constant(c, (Reg){.i = i});
            vec_push(c->m->ctx, &c->literals, ((Literal){r, (double)i}));
            return r;
        }
        if (exact_fold(e->op, a, b, &v)) return literal(c, num_round(e->type, v));
    }
    return emit_pure(c, ins, e->nargs);
}

static int compile_cast(Compiler *c, const Expr *e) {
    const Expr *from = e->arg[0];
    bool to_float = type_is_float(e->type), from_float = type_is_float(from->type);
    int a = compile(c, from);
    if (a < 0) return -1;
    if (c->m->exact && (to_float || from_float)) return exact_cast(c, e, a);
    /* A float that widens keeps its value: what it is rounded to was declared where it came from. */
    if (to_float && from_float && type_bits(e->type) > type_bits(from->type)) return a;
    if (!to_float && from->type == TY_BOOL) return a;
    Ins ins = {.type = e->type, .a = a, .inexact = !exact(from, 0)};
    ins.kind = to_float ? (from_float ? INS_ROUND : INS_TO_FLOAT) : (from_float ? INS_TO_INT : INS_WRAP);
    return emit_pure(c, ins, 1);
}

static int compile_operator(Compiler *c, const Expr *e) {
    int r[3] = {0, 0, 0};
    if (op_rule(e->op) == RULE_NONE || e->nargs < 1 || e->nargs > 3)
        return fail(c, "a node that a graph cannot hold"), -1;
    for (int k = 0; k < e->nargs; k++)
        if ((r[k] = compile(c, e->arg[k])) < 0) return -1;
    bool is_float = type_is_float(e->arg[0]->type);
    Ins ins = {.type = e->type, .a = r[0], .b = r[1], .c = r[2]};
    if (c->m->exact && (is_float || e->op == OP_RANDOM)) return exact_operator(c, e, ins);
    ins.kind = (short)(is_float ? (int)e->op : INS_INT + (int)e->op);
    if (op_rule(e->op) == RULE_COMPARE && is_float)
        ins.inexact = (unsigned char)((exact(e->arg[0], 0) ? 0 : 1) | (exact(e->arg[1], 0) ? 0 : 2));
    if (is_float && to_whole(e->op)) ins.inexact = !exact(e->arg[0], 0);
    return emit_pure(c, ins, e->nargs);
}

static int leaf_number(const Compiler *c, const Expr *e) {
    const Graph *g = c->m->g;
    if (e->op == OP_DIM) {
        for (int i = 0; i < g->dims.n; i++)
            if (g->dims.at[i] == e->u.dim) return i;
    } else {
        for (int i = 0; i < g->scalars.n; i++)
            if (g->scalars.at[i] == e->u.scalar) return i;
    }
    return -1;
}

static int compile_leaf(Compiler *c, const Expr *e) {
    int at;
    switch (e->op) {
    case OP_CONST:
        if (type_is_float(e->type) && c->m->exact) return literal(c, e->u.f);
        if (type_is_float(e->type)) return constant(c, (Reg){.f = e->u.f});
        return constant(c, (Reg){.i = e->u.i});
    case OP_DIM:
        if ((at = leaf_number(c, e)) < 0) break;
        return constant(c, (Reg){.i = c->m->dims[at]});
    case OP_SCALAR:
        if ((at = leaf_number(c, e)) < 0 || !c->m->scalars) break;
        if (type_is_float(e->type) && c->m->exact)
            return constant(c, (Reg){.i = exact_from_float(c->m->exact, c->m->scalars[at])});
        if (type_is_float(e->type)) return constant(c, (Reg){.f = num_round(e->type, c->m->scalars[at])});
        return constant(c, (Reg){.i = num_to_int(e->type, c->m->scalars[at])});
    default: break;
    }
    return fail(c, "a dimension or scalar that the graph does not have"), -1;
}

static int compile_node(Compiler *c, const Expr *e) {
    switch (e->op) {
    case OP_CONST:
    case OP_DIM:
    case OP_SCALAR: return compile_leaf(c, e);
    case OP_LOAD: return compile_load(c, e);
    case OP_CAST: return compile_cast(c, e);
    case OP_REDUCE: return compile_reduce(c, e);
    case OP_ARG: return e->u.i >= 0 && e->u.i < 2 * MAX_PARTS ? c->operand[e->u.i] : -1;
    case OP_IF:
    case OP_AND:
    case OP_OR: return compile_branch(c, e);
    default: return compile_operator(c, e);
    }
}

/* The register that holds e, or -1 after saying why not. */
static int compile(Compiler *c, const Expr *e) {
    if (e->op == OP_VAR) {
        int r = lookup(c, e->u.var);
        if (r < 0) text_fmt(c->m->why, "interpreter: the variable %s is not bound here", e->u.var->name);
        return r;
    }
    int r = lookup(c, e);
    if (r >= 0) return r;
    if (c->depth == MAX_DEPTH) return fail(c, "an expression is nested too deep"), -1;
    c->depth++;
    r = compile_node(c, e);
    c->depth--;
    if (r >= 0) know(c, e, r);
    return r;
}

static Compiler *compiler_new(Interp *m, Cell *cell) {
    Compiler *c = NEW(m->ctx, Compiler);
    c->m = m;
    c->cell = cell;
    c->code = NEW(m->ctx, PieceCode);
    c->next_serial = 1;
    open_block(c);
    return c;
}

/* A register with what the element is so far, folded with the value in register v. */
static int compile_update(Compiler *c, const Piece *p, const int *subs, int v) {
    const Type t = p->value->type;
    const int acc = c->code->naccs++, held = new_reg(c, c->nopen - 1), r = new_reg(c, c->nopen - 1);
    Ins ins = {.is_float = type_is_float(t), .monoid = p->update->kind, .type = t};
    emit(c, (Ins){.kind = INS_HELD, .dst = held, .cell = c->cell, .subs = subs, .type = t});
    ins.kind = INS_CLEAR, ins.dst = acc;
    emit(c, ins);
    ins.kind = INS_FOLD, ins.a = held;
    emit(c, ins);
    ins.a = v;
    emit(c, ins);
    ins.kind = INS_FINISH, ins.dst = r, ins.a = acc;
    emit(c, ins);
    return r;
}

static bool compile_store(Compiler *c, const Piece *p) {
    const Tensor *t = c->cell->tensor;
    if (type_is_float(p->value->type) != type_is_float(t->type))
        return fail(c, "a value of another class than its tensor");
    const int *subs = compile_subs(c, p->subs, t->rank);
    int v = subs ? compile(c, p->value) : -1;
    if (v < 0) return false;
    if (p->update) v = compile_update(c, p, subs, v);
    const short kind = p->update ? INS_UPDATE : INS_STORE;
    emit(c, (Ins){.kind = kind, .a = v, .cell = c->cell, .subs = subs, .type = t->type});
    return true;
}

PieceCode *interp_compile_piece(Interp *m, Cell *cell, const Piece *p) {
    Compiler *c = compiler_new(m, cell);
    Ins *loops = NEW_N(m->ctx, Ins, p->nvars + 1), branch;
    bool opened;
    for (int k = 0; k < p->nvars; k++)
        if (!open_loop(c, p->vars[k], &loops[k])) return NULL;
    if (!open_guard(c, p->guard, &branch, &opened) || !compile_store(c, p)) return NULL;
    close_guard(c, branch, opened);
    for (int k = p->nvars - 1; k >= 0; k--) close_loop(c, loops[k]);
    c->code->body = close_block(c);
    return c->code;
}

PieceCode *interp_compile_fact(Interp *m, const Fact *f) {
    Compiler *c = compiler_new(m, NULL);
    Ins *loops = NEW_N(m->ctx, Ins, f->nvars + 1);
    for (int k = 0; k < f->nvars; k++)
        if (!open_loop(c, f->vars[k], &loops[k])) return NULL;
    int r = compile(c, f->cond);
    if (r < 0) return NULL;
    emit(c, (Ins){.kind = INS_EXPECT, .a = r});
    for (int k = f->nvars - 1; k >= 0; k--) close_loop(c, loops[k]);
    c->code->body = close_block(c);
    return c->code;
}
