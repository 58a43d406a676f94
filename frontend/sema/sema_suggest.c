/* What would put a subscript in range if it were stated: each proposal is tried, by the proof that failed without
 * it. */
#include "sema_int.h"

const Expr *sema_room_above(Sema *s, const Expr *sub, const Expr *extent) {
    const Expr *last = expr2(s->g, OP_SUB, extent, expr_int(s->g, TY_I64, 1));
    return expr2(s->g, OP_SUB, last, sub);
}

static const Expr *widened(Sema *s, const Expr *e, int depth) {
    bool whole = e->type == TY_I32 && (op_rule(e->op) == RULE_ARITH || e->op == OP_IF) && depth < MAX_DEPTH;
    if (!whole) return expr_cast(s->g, TY_I64, e);
    const Expr *arg[3] = {e->arg[0]};
    for (int i = e->op == OP_IF; i < e->nargs; i++) arg[i] = widened(s, e->arg[i], depth + 1);
    return expr_op(s->g, e->op, arg, e->nargs);
}

const Expr *sema_wide(Sema *s, const Expr *sub) {
    return sub->op == OP_CAST && known_is_small(sub) ? widened(s, sub->arg[0], 0) : sub;
}

bool sema_in_range(Sema *s, const Expr *sub, const Expr *extent) {
    return known_nonneg(s->known, sub) && known_nonneg(s->known, sema_room_above(s, sub, extent));
}

typedef struct Constants {
    int n;
    int64_t at[8];
} Constants;

/* A constant by which e divides. */
static Found note_divisor(const Expr *e, void *constants) {
    Constants *out = constants;
    int64_t c;
    bool divides = (e->op == OP_DIV || e->op == OP_MOD) && !type_is_float(e->type) && expr_is_int(e->arg[1], &c);
    bool known = !divides || c < 2 || out->n == 8;
    for (int i = 0; i < out->n && !known; i++) known = out->at[i] == c;
    if (!known) out->at[out->n++] = c;
    return FOUND_INSIDE;
}

const Expr *sema_suggest_multiple(Sema *s, const Expr *sub, const Expr *extent) {
    Constants by = {0};
    ExprWalk w = {.temp = s->ctx, .before = note_divisor, .user = &by};
    expr_walk(&w, sub);
    for (int i = 0; i < s->known->path.n; i++) expr_walk(&w, s->known->path.at[i]);
    if (extent->op != OP_DIM) return NULL;
    for (int i = 0; i < by.n; i++) {
        const Expr *rest = expr2(s->g, OP_MOD, extent, expr_int(s->g, TY_I64, by.at[i]));
        const Expr *whole = expr2(s->g, OP_EQ, rest, expr_int(s->g, TY_I64, 0));
        int mark = known_push(s->known, whole, true);
        bool in = sema_in_range(s, sub, extent);
        known_pop(s->known, mark);
        if (in) return whole;
    }
    return NULL;
}

/* ---- of data ---- */

enum { MOST_LOADS = 8 };

/* The loads of integers that the caller gives, by tensor: what could be stated of them. */
typedef struct InputLoads {
    int n;
    const Expr *load[MOST_LOADS];
} InputLoads;

static Found note_given(const Expr *e, void *loads) {
    InputLoads *out = loads;
    if (e->op == OP_LOAD && type_class(e->type) != CLASS_FLOAT && e->type != TY_BOOL) {
        TensorKind kind = e->u.tensor->kind;
        bool given = kind == TENSOR_INPUT || kind == TENSOR_INOUT;
        if (given && out->n < MOST_LOADS) out->load[out->n++] = e;
    }
    return FOUND_INSIDE;
}

/* What is said of each element of a tensor, or of those with a number in a subscript: least <= element <= most, each
 * where it is wanted. */
typedef struct Claim {
    const Tensor *t;
    const Expr *shown; /* a load whose subscripts are variables and numbers, or NULL */
    bool numbered;     /* shown has a number: nothing is said of other loads */
    bool low, high;
} Claim;

typedef struct Form {
    Op below; /* element < end, or element <= end */
    const Expr *least, *end;
} Form;

/* Its subscripts are variables, each another one, and numbers. */
static bool is_plain(const Expr *load, bool *numbered) {
    int64_t v;
    *numbered = false;
    for (int i = 0; i < load->nargs; i++) {
        bool number = expr_is_int(load->arg[i], &v);
        *numbered |= number;
        if (!number && load->arg[i]->op != OP_VAR) return false;
        for (int k = 0; k < i && !number; k++)
            if (load->arg[k] == load->arg[i]) return false;
    }
    return true;
}

static bool is_of(const Claim *c, const Expr *load) { return c->numbered ? c->shown == load : c->t == load->u.tensor; }

static bool proves(Sema *s, const InputLoads *g, const Claim *claim, int n, const Form *f, const Expr *sub,
                   const Expr *extent) {
    int mark = s->known->path.n;
    for (int i = 0; i < g->n; i++)
        for (int k = 0; k < n; k++) {
            if (!is_of(&claim[k], g->load[i])) continue;
            const Expr *v = expr_cast(s->g, TY_I64, g->load[i]);
            if (claim[k].low) known_push(s->known, expr2(s->g, OP_LE, f->least, v), true);
            if (claim[k].high) known_push(s->known, expr2(s->g, f->below, v, f->end), true);
        }
    bool in = sema_in_range(s, sub, extent);
    s->known->path.n = mark;
    return in;
}

static Sym element(Sema *s, const Claim *c) {
    static const char *const names[] = {"i", "j", "k", "l", "m", "n", "o", "p"};
    if (c->shown) return sema_show(s, c->shown);
    Text t = {.ctx = s->ctx};
    text_fmt(&t, "%s[", c->t->name);
    for (int i = 0; i < c->t->rank; i++) text_fmt(&t, "%s%s", i ? ", " : "", names[i % 8]);
    text_put(&t, "]");
    return sym_n(s->ctx, t.s, t.n);
}

static Sym claims(Sema *s, const Claim *claim, int n, const Form *f) {
    Text t = {.ctx = s->ctx};
    for (int i = 0; i < n; i++) {
        Sym e = element(s, &claim[i]);
        if (claim[i].low) text_fmt(&t, "%s%s <= %s", t.n ? " && " : "", sema_show(s, f->least), e);
        if (claim[i].high)
            text_fmt(&t, "%s%s %s %s", t.n ? " && " : "", e, f->below == OP_LT ? "<" : "<=", sema_show(s, f->end));
    }
    return t.n ? sym_n(s->ctx, t.s, t.n) : NULL;
}

/* e at the largest (least) values of the index variables in it; NULL: not known, or of data. */
static const Expr *at_end(Sema *s, const Expr *e, bool largest) {
    PolyEnv env = {.g = s->g};
    const Expr *one = expr_int(s->g, TY_I64, 1);
    VarVec vars = {0};
    sema_free_vars(s, e, &vars);
    for (int i = 0; i < vars.n; i++) {
        const Expr *v = expr_var(s->g, vars.at[i]), *last = expr2(s->g, OP_SUB, vars.at[i]->hi, one);
        Poly coef, rest;
        int64_t k;
        if (!poly_linear(s->ctx, poly_of(&env, e), v, &coef, &rest) || !poly_is_const(coef, &k)) return NULL;
        e = expr_replace(s->g, e, &v, (k > 0) == largest ? &last : (const Expr *const *)&vars.at[i]->lo, 1);
    }
    return known_uses_data(e) ? NULL : e;
}

/* How small and large an element may be in a sum with index variables; false: sub is no such sum. */
static bool beside(Sema *s, const Expr *load, const Expr *sub, const Expr *extent, Form *f) {
    PolyEnv env = {.g = s->g};
    Poly p = poly_of(&env, expr_cast(s->g, TY_I64, sub)), coef, rest;
    int64_t k;
    if (!poly_linear(s->ctx, p, expr_cast(s->g, TY_I64, load), &coef, &rest) || !poly_is_const(coef, &k) || k != 1)
        return false;
    const Expr *other = poly_expr(s->g, rest), *most = at_end(s, other, true), *least = at_end(s, other, false);
    if (!most || !least) return false;
    Poly lo = poly_of(&env, expr1(s->g, OP_NEG, least)), hi = poly_of(&env, sema_room_above(s, most, extent));
    if (lo.failed || hi.failed) return false;
    *f = (Form){OP_LE, poly_expr(s->g, lo), poly_expr(s->g, hi)};
    return true;
}

Sym sema_suggest_assume(Sema *s, const Expr *sub, const Expr *extent) {
    InputLoads g = {0};
    Claim claim[MOST_LOADS];
    ExprWalk w = {.temp = s->ctx, .before = note_given, .user = &g, .depends = true};
    int n = 0;
    if (!known_is_small(sub)) return NULL;
    sub = sema_wide(s, sub);
    expr_walk(&w, known_written_in(s->known, sub));
    for (int i = 0; i < s->known->path.n; i++) expr_walk(&w, s->known->path.at[i]);
    if (!g.n) return NULL;
    for (int i = 0; i < g.n; i++) {
        Claim c = {.t = g.load[i]->u.tensor, .low = true, .high = true};
        if (is_plain(g.load[i], &c.numbered)) c.shown = g.load[i];
        int k = 0;
        while (k < n && (c.numbered || claim[k].numbered || claim[k].t != c.t)) k++;
        if (k == n) claim[n++] = c;
        if (!claim[k].shown) claim[k].shown = c.shown;
    }
    const Expr *zero = expr_int(s->g, TY_I64, 0);
    Form form[3] = {{OP_LE, zero, extent}, {OP_LT, zero, extent}}; /* the weakest first: an offset may be the end */
    int forms = g.n == 1 && beside(s, g.load[0], sub, extent, &form[2]) ? 3 : 2;
    for (const Form *f = form; f < form + forms; f++) {
        if (!proves(s, &g, claim, n, f, sub, extent)) continue;
        for (int i = 0; i < 2 * n; i++) { /* without what is not needed */
            bool *part = i % 2 ? &claim[i / 2].high : &claim[i / 2].low;
            *part = false;
            *part = !proves(s, &g, claim, n, f, sub, extent);
        }
        return claims(s, claim, n, f);
    }
    return NULL;
}
