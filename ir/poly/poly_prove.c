/* Bounds and proofs over polynomials: the language's mixed-radix ranges. Everything known is a polynomial f >= 0:
 * ranges of variables, dimensions and quotients (0 <= a - b*(a/b) <= b - 1), and the facts of the environment. A goal p
 * >= 0 is proved by subtracting multiples k*m*f, k > 0 and m a product of non-negative atoms, each chosen to cancel a
 * term of p, until the intervals of the rest prove it. Minima, maxima and selections that block this are proved case by
 * case.
 */
#include "poly_prove.h"
#include "ir/expr_map.h"

enum { MAX_KNOWN = 96, MAX_ATOMS = 48, SEARCH_DEPTH = 10, MAX_WORK = 20000, QUESTION = 8 /* what asking costs */ };

typedef struct Prover {
    const PolyEnv *env; /* whose memory goes when the proof is done */
    PolyEnv bare;       /* without facts: what facts and ranges themselves are read under */
    Graph *g;
    Ctx *ctx;
    int level, fuel;
    bool cut;              /* the search ended for its depth somewhere */
    bool refuting;         /* inside contradicts */
    bool in_scope;         /* the atoms being learned of are those of the goal */
    Poly known[MAX_KNOWN]; /* each >= 0 */
    int nknown;
    const Expr *atom[MAX_ATOMS]; /* whose ranges are in known */
    int natoms;
} Prover;

/* ---- what is known ---- */

/* p >= 0 where c divides all of p but its constant: the constant rounds down to a multiple of c. Changes p in place. */
static Poly tightened(Poly p) {
    if (p.failed || p.n < 2 || p.term[p.n - 1].degree) return p;
    int64_t c = poly_divisor((Poly){.n = p.n - 1, .term = p.term}), *k = &p.term[p.n - 1].coef;
    if (c > 1) *k -= floor_mod(*k, c);
    if (!*k) p.n--;
    return p;
}

/* a - b + k >= 0 */
static void know_diff(Prover *x, Poly a, Poly b, int64_t k) {
    PolyTerm room[2 * POLY_MAX_TERMS + 1];
    if (a.failed || b.failed || x->nknown == MAX_KNOWN) return;
    for (int i = 0; i < a.n; i++) room[i] = a.term[i];
    for (int i = 0; i < b.n; i++) {
        room[a.n + i] = b.term[i];
        room[a.n + i].coef = -b.term[i].coef;
    }
    room[a.n + b.n] = (PolyTerm){.coef = k};
    Poly f = tightened(poly_make(x->ctx, room, a.n + b.n + 1));
    if (f.failed || !f.n || !f.term[0].degree) return;
    for (int i = 0; i < x->nknown; i++)
        if (poly_eq(x->known[i], f)) return;
    PolyTerm *t = NEW_RAW(x->ctx, PolyTerm, f.n);
    for (int i = 0; i < f.n; i++) t[i] = f.term[i];
    x->known[x->nknown++] = (Poly){.n = f.n, .term = t};
}

static Poly read_poly(Prover *x, const Expr *e) {
    return poly_of_at(&x->bare, expr_cast(x->g, TY_I64, e), x->level + 1);
}

static void know_atoms_of(Prover *x, Poly p);

/* Variables inside of an atom are in scope too. */
static void know_inside(Prover *x, const Expr *e, int depth) {
    if (e->op == OP_VAR) know_atoms_of(x, poly_atom(x->ctx, e));
    if (e->op == OP_REDUCE || depth <= 0) return;
    for (int i = 0; i < e->nargs; i++) know_inside(x, e->arg[i], depth - 1);
}

static bool same_or_less(Prover *x, Poly a, Poly b, int64_t k) { /* a + k <= b, asked apart */
    Poly room = poly_sub(x->ctx, poly_sub(x->ctx, b, a), poly_const(x->ctx, k));
    return poly_nonneg_at(x->env, room, x->level + 1);
}

static bool holds_apart(Prover *x, const Expr *c) {
    if (op_rule(c->op) != RULE_COMPARE || type_is_float(c->arg[0]->type)) return false;
    Poly a = read_poly(x, c->arg[0]), b = read_poly(x, c->arg[1]);
    switch (c->op) {
    case OP_LT: return same_or_less(x, a, b, 1);
    case OP_LE: return same_or_less(x, a, b, 0);
    case OP_GT: return same_or_less(x, b, a, 1);
    case OP_GE: return same_or_less(x, b, a, 0);
    case OP_EQ: return same_or_less(x, a, b, 0) && same_or_less(x, b, a, 0);
    default: return same_or_less(x, a, b, 1) || same_or_less(x, b, a, 1);
    }
}

enum { GUARD_PARTS = 4 };

/* The conditions that `c` joins by &&; false where there are more, or one that divides. */
static bool guard_parts(const Expr *c, const Expr **part, int *n) {
    if (c->op == OP_AND) return guard_parts(c->arg[0], part, n) && guard_parts(c->arg[1], part, n);
    if (*n == GUARD_PARTS) return false;
    part[(*n)++] = c;
    for (int i = 0; i < c->nargs; i++)
        if (c->arg[i]->op == OP_DIV || c->arg[i]->op == OP_MOD) return false;
    return true;
}

/* Whether the guard leaves one value of v at least, which has room + 1 of them: it excludes single ones, fewer than
 * there are, or holds where v is the least, the last, or what the guard compares v with. */
static bool some_left(Prover *x, const Expr *guard, const Expr *v, Poly room) {
    const Expr *part[GUARD_PARTS], *at[GUARD_PARTS + 2] = {v->u.var->lo};
    int n = 0, nat = 2, unequal = 0;
    at[1] = expr2(x->g, OP_SUB, v->u.var->hi, expr_int(x->g, TY_I64, 1));
    if (!guard_parts(guard, part, &n)) return false;
    for (int i = 0; i < n; i++) {
        if (op_rule(part[i]->op) != RULE_COMPARE || (part[i]->arg[0] != v && part[i]->arg[1] != v)) continue;
        at[nat++] = part[i]->arg[part[i]->arg[0] == v];
        unequal += part[i]->op == OP_NE;
    }
    if (unequal == n && same_or_less(x, poly_const(x->ctx, n), room, 0)) return true;
    for (int k = 0; k < nat; k++) {
        const Expr *w = at[k];
        bool holds = w != v && !poly_uses(read_poly(x, w), v) && holds_apart(x, expr2(x->g, OP_LE, at[0], w)) &&
                     holds_apart(x, expr2(x->g, OP_LE, w, at[1]));
        for (int i = 0; i < n && holds; i++) holds = holds_apart(x, expr_replace(x->g, part[i], &v, &w, 1));
        if (holds) return true;
    }
    return false;
}

/* argmax and argmin: an index of the range, or -1 where nothing is selected. */
static void know_arg(Prover *x, const Expr *e) {
    const Reduce *r = e->u.reduce;
    if (!r->monoid->indexed) return;
    Poly p = poly_atom(x->ctx, e), lo = read_poly(x, r->vars[0]->lo), hi = read_poly(x, r->vars[0]->hi);
    if (interval_of_poly(x->env, lo).lo < 0 || interval_of_poly(x->env, hi).lo < 0) return;
    know_diff(x, hi, p, -1);
    int64_t always;
    Poly room = poly_sub(x->ctx, poly_sub(x->ctx, hi, lo), poly_const(x->ctx, 1));
    bool some = poly_nonneg_at(x->env, room, x->level + 1) &&
                (expr_is_int(e->arg[0], &always)
                     ? always != 0
                     : x->level < PROVE_LEVELS && some_left(x, e->arg[0], expr_var(x->g, r->vars[0]), room));
    know_diff(x, p, some ? lo : poly_const(x->ctx, -1), 0);
}

/* What a sort says of its order: numbers of keys, of a rank places in a row. */
static void know_order(Prover *x, const Expr *load, const Expr *e) {
    const Sort *s = load->op == OP_LOAD ? load->u.tensor->sort : NULL;
    if (!s || s->order != load->u.tensor) return;
    Poly p = poly_atom(x->ctx, e);
    const Expr *n = sort_ranks(s) ? s->keys->shape[s->keys->rank - 1] : tensor_size(x->g, s->keys);
    know_diff(x, read_poly(x, n), p, -1);
    know_diff(x, p, poly_const(x->ctx, 0), 0);
}

/* Of a count with v < w in its guard: no more than there is from the range's start to w. */
static void know_counted_below(Prover *x, const Expr *e, int64_t k, Poly count) {
    const Expr *part[GUARD_PARTS], *v = expr_var(x->g, e->u.reduce->vars[0]);
    int n = 0;
    if (x->level >= PROVE_LEVELS || !guard_parts(e->arg[0], part, &n)) return;
    for (int i = 0; i < n; i++) {
        bool up = part[i]->op == OP_LT || part[i]->op == OP_LE, down = part[i]->op == OP_GT || part[i]->op == OP_GE;
        if ((!up && !down) || part[i]->arg[down] != v) continue;
        Poly end = read_poly(x, part[i]->arg[up]), room = poly_sub(x->ctx, end, read_poly(x, v->u.var->lo));
        if (poly_uses(end, v)) continue;
        if (part[i]->op == OP_LE || part[i]->op == OP_GE) room = poly_add(x->ctx, room, poly_const(x->ctx, 1));
        if (poly_nonneg_at(x->env, room, x->level + 1)) know_diff(x, poly_scale(x->ctx, room, k), count, 0);
    }
}

/* A count, a sum of constants or conditions, is not negative, nor more than there is to count: in 64 bits, or where the
 * largest one fits. */
static void know_count(Prover *x, const Expr *e, const Expr *atom) {
    const Reduce *r = e->u.reduce;
    const Expr *each = e->arg[1];
    int64_t k = 1, least, most;
    if (r->monoid->kind != MONOID_SUM || !type_int_range(e->type, &least, &most)) return;
    if (each->op == OP_IF) k = 0; /* the larger of two constants */
    for (int i = each->op == OP_IF; i < (each->op == OP_IF ? 3 : 1); i++) {
        const Expr *c = each->op == OP_IF ? each->arg[i] : each;
        int64_t v = 1;
        if (!expr_is_int(c, &v) && !(c->op == OP_CAST && c->arg[0]->type == TY_BOOL)) return;
        if (v < 0) return;
        k = each->op != OP_IF || v > k ? v : k;
    }
    Poly p = poly_atom(x->ctx, atom), all = (Poly){0};
    bool one = r->nvars == 1 && k <= 1 << 20;
    if (one) all = poly_sub(x->ctx, read_poly(x, r->vars[0]->hi), read_poly(x, r->vars[0]->lo));
    Interval s = interval_of_poly(x->env, all);
    if (e->type != TY_I64 && (!one || s.hi > most / (k ? k : 1))) return;
    know_diff(x, p, (Poly){0}, 0);
    if (!one) return;
    if (poly_nonneg_at(x->env, all, x->level + 1)) know_diff(x, poly_scale(x->ctx, all, k), p, 0);
    know_counted_below(x, e, k, p);
}

/* The variable of p of the highest rank in which p grows (falls) as its coefficient says. */
static const Expr *monotonic(Prover *x, Poly p, Poly *coef, Poly *rest, bool *grows) {
    const Expr *best = NULL;
    for (int i = 0; i < p.n; i++)
        for (int k = 0; k < p.term[i].degree; k++) {
            const Expr *e = p.term[i].atom[k];
            Poly c, r;
            if (e->op != OP_VAR || (best && e->id <= best->id) || !poly_linear(x->ctx, p, e, &c, &r)) continue;
            Interval s = interval_of_poly(x->env, c);
            if (s.lo < 0 && s.hi > 0) continue;
            best = e;
            *coef = c;
            *rest = r;
            *grows = s.lo >= 0;
        }
    return best;
}

/* p with its variables at the ends of their ranges where it is largest (smallest); false where it has none. */
static bool at_extreme(Prover *x, Poly p, bool largest, Poly *r) {
    Poly coef, rest;
    const Expr *v, *lo, *hi;
    bool grows, exclusive, any = false;
    for (int round = 0; round < 8 && (v = monotonic(x, p, &coef, &rest, &grows)) != NULL; round++) {
        if (!poly_atom_range(x->env, v, &lo, &hi, &exclusive) || !(grows == largest ? hi : lo)) return false;
        Poly end = read_poly(x, grows == largest ? hi : lo);
        if (grows == largest && exclusive) end = poly_sub(x->ctx, end, poly_const(x->ctx, 1));
        p = poly_add(x->ctx, rest, poly_mul(x->ctx, coef, end));
        if (p.failed) return false;
        any = true;
    }
    *r = p;
    return any;
}

/* a/b grows with a: it is between the quotients of the least and the largest a. */
static void know_quotient_ends(Prover *x, const Expr *e, Poly a, Poly b) {
    Poly end;
    for (int largest = 0; largest < 2 && x->in_scope && x->level < PROVE_LEVELS; largest++) {
        if (!at_extreme(x, a, largest, &end)) continue;
        end = read_poly(x, expr2(x->g, OP_DIV, poly_expr(x->g, end), poly_expr(x->g, b)));
        if (largest)
            know_diff(x, end, poly_atom(x->ctx, e), 0);
        else
            know_diff(x, poly_atom(x->ctx, e), end, 0);
    }
}

/* Whether b, by which something is divided and which is thus not 0, is known not to be negative. */
static bool positive_divisor(Prover *x, Poly b) {
    if (b.failed || interval_of_poly(x->env, b).lo >= 0) return !b.failed;
    Poly room = tightened(poly_sub(x->ctx, b, poly_const(x->ctx, 1)));
    for (int i = 0; i < x->nknown; i++)
        if (poly_eq(x->known[i], room)) return true;
    return false;
}

/* a/(b*c) is (a/b)/c: where both stand, 0 <= a/b - c*(a/(b*c)) <= c - 1. */
static void know_nested(Prover *x, const Expr *inner, const Expr *outer) {
    if (inner->arg[0] != outer->arg[0] || inner == outer || x->level >= PROVE_LEVELS) return;
    Poly b = poly_flat(x->g, x->ctx, inner->arg[1]), bc = poly_flat(x->g, x->ctx, outer->arg[1]);
    if (b.failed || bc.failed || !b.n || !bc.n || bc.term[0].degree < b.term[0].degree) return;
    Poly c = read_poly(x, expr2(x->g, OP_DIV, outer->arg[1], inner->arg[1]));
    if (c.failed || !poly_eq(poly_mul(x->ctx, b, c), bc)) return;
    if (!positive_divisor(x, b) && !poly_nonneg_at(x->env, b, x->level + 1)) return;
    if (!positive_divisor(x, c) && !poly_nonneg_at(x->env, c, x->level + 1)) return;
    Poly p = poly_atom(x->ctx, inner), q = poly_mul(x->ctx, c, poly_atom(x->ctx, outer));
    know_diff(x, p, q, 0);
    know_diff(x, poly_add(x->ctx, q, c), p, -1);
}

static void know_atom(Prover *x, const Expr *e) {
    Poly p = poly_atom(x->ctx, e), a, b;
    const Expr *lo, *hi;
    bool exclusive;
    const PolyResidue *residue = poly_residue_by(x->env, e), *own = poly_residue_of(x->env, e);
    if (residue) { /* what is known of it is what is known of the symbol */
        p = poly_by_residue(x->ctx, residue);
        e = residue->symbol;
    } else if (own) {
        know_diff(x, p, a = poly_by_residue(x->ctx, own), 0);
        know_diff(x, a, p, 0);
    }
    if (poly_atom_range(x->env, e, &lo, &hi, &exclusive)) {
        if (lo) know_diff(x, p, a = read_poly(x, lo), 0);
        if (hi) know_diff(x, b = read_poly(x, hi), p, exclusive ? -1 : 0);
        /* Where there is an index, its range is not empty. */
        if (lo && hi && x->in_scope) know_diff(x, b, a, exclusive ? -1 : 0);
        return;
    }
    switch (e->op) {
    case OP_DIM: {
        Interval d = interval_of_dim(e->u.dim);
        know_diff(x, p, poly_const(x->ctx, d.lo), 0);
        if (d.hi != INT64_MAX) know_diff(x, poly_const(x->ctx, d.hi), p, 0);
        break;
    }
    case OP_DIV: /* b is not 0 */
        a = poly_flat(x->g, x->ctx, e->arg[0]);
        b = poly_flat(x->g, x->ctx, e->arg[1]);
        if (!positive_divisor(x, b) && !poly_nonneg_at(x->env, b, x->level + 1)) break;
        know_quotient_ends(x, e, a, b);
        p = poly_mul(x->ctx, b, p);
        know_diff(x, a, p, 0);
        know_diff(x, poly_add(x->ctx, p, b), a, -1);
        know_diff(x, b, poly_const(x->ctx, 1), 0);
        for (int i = 0; i < x->natoms; i++) {
            if (x->atom[i]->op != OP_DIV) continue;
            know_nested(x, e, x->atom[i]);
            know_nested(x, x->atom[i], e);
        }
        break;
    case OP_MIN:
    case OP_MAX:
        for (int i = 0; i < 2; i++) {
            a = poly_flat(x->g, x->ctx, e->arg[i]);
            if (e->op == OP_MIN)
                know_diff(x, a, p, 0);
            else
                know_diff(x, p, a, 0);
        }
        break;
    case OP_ABS:
        a = read_poly(x, e->arg[0]);
        know_diff(x, p, a, 0);
        know_diff(x, p, poly_scale(x->ctx, a, -1), 0);
        break;
    case OP_REDUCE:
        know_arg(x, e);
        know_count(x, e, e);
        break;
    case OP_CAST:
        if (e->arg[0]->op == OP_REDUCE) know_count(x, e->arg[0], e);
        know_order(x, e->arg[0], e);
        know_inside(x, e, 6);
        break;
    default: know_inside(x, e, 6); break;
    }
}

static void know_atoms_of(Prover *x, Poly p) {
    for (int i = 0; i < p.n; i++)
        for (int k = 0; k < p.term[i].degree; k++) {
            const Expr *e = p.term[i].atom[k];
            bool seen = false;
            for (int n = 0; n < x->natoms && !seen; n++) seen = x->atom[n] == e;
            if (seen || x->natoms == MAX_ATOMS) continue;
            x->atom[x->natoms++] = e;
            know_atom(x, e);
        }
}

/* Everything about the atoms that the goal, and what is known of it, mention. */
static void know_all(Prover *x) {
    for (int i = 0; i < x->nknown; i++) know_atoms_of(x, x->known[i]);
}

/* What ends a range and is not equal to its end lies further in. */
static void know_unequal(Prover *x, Poly a, Poly b) {
    if (x->level > 0) return;
    if (poly_nonneg_at(&x->bare, poly_sub(x->ctx, a, b), 1))
        know_diff(x, a, b, -1);
    else if (poly_nonneg_at(&x->bare, poly_sub(x->ctx, b, a), 1))
        know_diff(x, b, a, -1);
}

static void know_fact(Prover *x, const Expr *c, bool truth, int depth) {
    if (depth > MAX_NEST) return;
    if (c->op == OP_NOT) {
        know_fact(x, c->arg[0], !truth, depth + 1);
        return;
    }
    if (c->op == (truth ? OP_AND : OP_OR)) {
        know_fact(x, c->arg[0], truth, depth + 1);
        know_fact(x, c->arg[1], truth, depth + 1);
        return;
    }
    if (op_rule(c->op) != RULE_COMPARE || type_is_float(c->arg[0]->type)) return;
    Poly a = read_poly(x, c->arg[0]), b = read_poly(x, c->arg[1]);
    switch (truth ? c->op : op_negated(c->op)) {
    case OP_LT: know_diff(x, b, a, -1); break;
    case OP_LE: know_diff(x, b, a, 0); break;
    case OP_GT: know_diff(x, a, b, -1); break;
    case OP_GE: know_diff(x, a, b, 0); break;
    case OP_EQ:
        know_diff(x, a, b, 0);
        know_diff(x, b, a, 0);
        break;
    default: know_unequal(x, a, b); break;
    }
}

/* Whether the product of two sums may be in p: it is not linear, and something is subtracted in it. */
static bool has_products(Poly p) {
    bool below = false;
    for (int i = 0; i < p.n; i++) below |= p.term[i].coef < 0 && p.term[i].degree > 1;
    return below;
}

/* The products of the facts that are known from number `from` on: (W - S) * (H - R) >= 0. */
static void know_products(Prover *x, Poly p, int from) {
    enum { MOST = 6 };
    int n = x->nknown, sum[MOST], sums = 0;
    if (p.failed || !has_products(p)) return;
    for (int i = from; i < n && sums < MOST; i++)
        if (x->known[i].n > 1 && x->known[i].term[0].degree == 1 && x->known[i].term[1].degree == 1) sum[sums++] = i;
    for (int i = 0; i < sums; i++)
        for (int k = 0; k < i; k++) know_diff(x, poly_mul(x->ctx, x->known[sum[i]], x->known[sum[k]]), (Poly){0}, 0);
}

/* ---- search ---- */

/* Variables before quotients before dimensions; among equals the youngest, whose range may mention the others. */
static int64_t rank(const Expr *e) {
    int64_t kind = e->op == OP_VAR || e->op == OP_FACTOR ? 2 : e->op == OP_DIM ? 0 : 1;
    return kind << 40 | e->id;
}

static int64_t term_rank(const PolyTerm *t) {
    int64_t r = -1;
    for (int i = 0; i < t->degree; i++)
        if (rank(t->atom[i]) > r) r = rank(t->atom[i]);
    return r;
}

static bool nonneg_monomial(Prover *x, const PolyTerm *t) {
    for (int i = 0; i < t->degree; i++)
        if (interval_of(x->env, t->atom[i]).lo < 0) return false;
    return true;
}

/* s*p - m*f in place of the caller. */
static Poly combine(Prover *x, PolyTerm *room, Poly p, int64_t s, Poly f, const PolyTerm *m) {
    for (int i = 0; i < p.n; i++) {
        room[i] = p.term[i];
        if (!mul_ok(p.term[i].coef, s, &room[i].coef)) return poly_failed();
    }
    for (int i = 0; i < f.n; i++) {
        PolyTerm *t = &room[p.n + i];
        if (!term_multiply(&f.term[i], m, t) || !mul_ok(t->coef, -1, &t->coef)) return poly_failed();
    }
    return poly_make(x->ctx, room, p.n + f.n);
}

/* s*p - m*f without the term t of p, m >= 0 and s > 0; false where f is of no use for that. */
static bool cancel(Prover *x, Poly p, const PolyTerm *t, Poly f, PolyTerm *room, int64_t *scale, Poly *r) {
    for (int i = 0; i < f.n; i++) {
        const PolyTerm *u = &f.term[i];
        PolyTerm m;
        if (!u->degree || (u->coef < 0) != (t->coef < 0) || !term_divide(t, u, &m) || !nonneg_monomial(x, &m)) continue;
        int64_t common = gcd64(t->coef, u->coef);
        *scale = u->coef / common;
        m.coef = t->coef / common;
        if (*scale < 0) {
            *scale = -*scale;
            m.coef = -m.coef;
        }
        *r = combine(x, room, p, *scale, f, &m);
        return !r->failed;
    }
    return false;
}

/* What divides p without its constant, of which the values of p are multiples but for that. */
static int64_t step_of(Poly p, int64_t *constant) {
    *constant = poly_constant(p);
    return poly_divisor((Poly){.n = p.n - (*constant != 0), .term = p.term});
}

/* The least value of p that is not below b. */
static int64_t rounded_up(Poly p, int64_t b) {
    int64_t c, step = step_of(p, &c), r;
    if (step < 2 || b == INT64_MIN || b == INT64_MAX) return b;
    return add_ok(b, floor_mod(floor_mod(c, step) - floor_mod(b, step), step), &r) ? r : b;
}

/* The least bound of s*p that rounded_up makes `need` or more. */
static int64_t needed(Poly p, int64_t need, int64_t s) {
    int64_t c, step = step_of(p, &c), r;
    if (need == INT64_MAX || need == INT64_MIN) return need;
    if (step > 1 && !add_ok(need, -floor_mod(floor_mod(need - 1, step) - floor_mod(c, step), step), &need)) return need;
    return mul_ok(s, need - 1, &r) && r < INT64_MAX - 1 ? r + 1 : need;
}

/* A lower bound of p: `need` or more where that is found. */
static int64_t search(Prover *x, Poly p, int64_t need, int depth);

/* Case number k of a minimum, a maximum, an absolute value or a selection: its value there, and what holds there. */
static Poly case_value(Prover *x, const Expr *e, int k) {
    Poly a, b;
    switch (e->op) {
    case OP_IF: know_fact(x, e->arg[0], k == 0, 0); return read_poly(x, e->arg[1 + k]);
    case OP_ABS:
        a = poly_scale(x->ctx, read_poly(x, e->arg[0]), k ? -1 : 1);
        know_diff(x, a, (Poly){0}, 0);
        return a;
    default:
        a = poly_flat(x->g, x->ctx, e->arg[k]);
        b = poly_flat(x->g, x->ctx, e->arg[1 - k]);
        if (e->op == OP_MIN)
            know_diff(x, b, a, 0);
        else
            know_diff(x, a, b, 0);
        return a;
    }
}

/* Whether something known cannot be where e is v. */
static bool contradicts(Prover *x, const Expr *e, Poly v) {
    enum { DEPTH = 2, FUEL = 8 };
    int fuel = x->fuel;
    bool found = false, cut = x->cut;
    if (x->refuting) return false;
    x->refuting = true;
    for (int i = 0; i < x->nknown && !found; i++) {
        if (!poly_uses(x->known[i], e)) continue;
        Poly f = poly_subst(x->ctx, x->known[i], e, v);
        Poly below = poly_sub(x->ctx, poly_const(x->ctx, -1), f);
        x->fuel = FUEL;
        found = !below.failed && search(x, below, 0, DEPTH) >= 0;
    }
    x->refuting = false;
    x->fuel = fuel;
    x->cut = cut;
    return found;
}

/* The least value in case number k of e, INT64_MAX where that case cannot be. */
static int64_t bound_of_case(Prover *x, Poly p, const Expr *e, int k, int64_t need, int depth) {
    int known = x->nknown, atoms = x->natoms;
    int64_t b = INT64_MAX;
    Poly v = case_value(x, e, k), q = poly_subst(x->ctx, p, e, v);
    if (!contradicts(x, e, v)) {
        know_atoms_of(x, q);
        know_all(x);
        b = search(x, q, need, depth - 1);
    }
    x->nknown = known;
    x->natoms = atoms;
    return b;
}

/* Minima, maxima, absolute values and selections in p: the worse of two cases. */
static bool cases(Prover *x, Poly p, int64_t need, int depth, int64_t *bound) {
    for (int i = 0; i < p.n; i++)
        for (int k = 0; k < p.term[i].degree; k++) {
            const Expr *e = p.term[i].atom[k];
            if (e->op != OP_MIN && e->op != OP_MAX && e->op != OP_IF && e->op != OP_ABS) continue;
            if (e->type != TY_I64) continue;
            *bound = bound_of_case(x, p, e, 0, need, depth);
            if (*bound == INT64_MIN) return true;
            int64_t other = bound_of_case(x, p, e, 1, need, depth);
            if (other < *bound) *bound = other;
            return true;
        }
    return false;
}

/* D = a/b in p = r - D >= 0 or r + D >= 0, multiplied out: b*r + b - a - 1 >= 0, a + b*r >= 0. */
static bool multiply_out(Prover *x, Poly p, const PolyTerm *t, Poly *goal) {
    if (t->degree != 1 || t->atom[0]->op != OP_DIV || (t->coef != 1 && t->coef != -1)) return false;
    const Expr *d = t->atom[0];
    Poly coef, r, a = poly_flat(x->g, x->ctx, d->arg[0]), b = poly_flat(x->g, x->ctx, d->arg[1]);
    if (!positive_divisor(x, b) || !poly_linear(x->ctx, p, d, &coef, &r)) return false;
    int64_t k;
    if (!poly_is_const(coef, &k)) return false;
    Poly br = poly_mul(x->ctx, b, r);
    if (k == 1)
        *goal = poly_add(x->ctx, a, br);
    else
        *goal = poly_sub(x->ctx, poly_sub(x->ctx, poly_add(x->ctx, br, b), a), poly_const(x->ctx, 1));
    return !goal->failed;
}

static int64_t search(Prover *x, Poly p, int64_t need, int depth) {
    Interval all = interval_of_poly(x->env, p);
    int64_t best = rounded_up(p, all.lo);
    if (all.hi < need && need < INT64_MAX) return best; /* hopeless */
    if (depth <= 0) x->cut = true;
    if (best >= need || p.failed || depth <= 0 || x->fuel-- <= 0 || --*x->env->work < 0) return best;
    const PolyTerm *t = NULL;
    for (int i = 0; i < p.n; i++)
        if (p.term[i].degree && (!t || term_rank(&p.term[i]) > term_rank(t))) t = &p.term[i];
    if (!t) return best;
    PolyTerm room[2 * POLY_MAX_TERMS];
    for (int i = 0; i < x->nknown && x->fuel > 0; i++) {
        int64_t scale;
        Poly r;
        if (!cancel(x, p, t, x->known[i], room, &scale, &r)) continue;
        int64_t b = search(x, r, needed(p, need, scale), depth - 1);
        if (b > INT64_MIN && b < INT64_MAX && scale > 1) b = -floor_div(-b, scale);
        b = rounded_up(p, b);
        if (b > best) best = b;
        if (best >= need) return best;
    }
    Poly goal;
    for (int i = 0; i < p.n && need <= 0 && best < 0; i++)
        if (multiply_out(x, p, &p.term[i], &goal) && search(x, goal, 0, depth - 1) >= 0) return 0;
    int64_t by_case;
    if (cases(x, p, need, depth, &by_case) && by_case > best) best = by_case;
    return best;
}

/* A lower bound of p under x->env, as poly_lower. */
static int64_t lower(Prover *x, Poly p, int64_t target, int fuel, int level) {
    const PolyEnv *env = x->env;
    int64_t best = interval_of_poly(env, p).lo;
    x->g = env->g;
    x->ctx = env->ctx;
    x->level = level;
    x->fuel = fuel;
    x->nknown = x->natoms = 0;
    x->bare = *env;
    x->bare.nfacts = 0;
    x->in_scope = true;
    x->cut = x->refuting = false;
    know_atoms_of(x, p);
    know_all(x);
    x->in_scope = false;
    int from = x->nknown;
    for (int i = 0; i < env->nfacts; i++) know_fact(x, env->facts[i], true, 0);
    know_products(x, p, from);
    know_all(x);
    for (int depth = 2; depth <= SEARCH_DEPTH && best < target; depth += 2) { /* short proofs first */
        x->fuel = fuel;
        int64_t b = search(x, p, target, depth);
        if (b > best) best = b;
        if (x->fuel > 0 && depth > 2 && !x->cut) break; /* nothing was left out */
        x->cut = false;
    }
    return best;
}

int64_t poly_lower(const PolyEnv *env, Poly p, int64_t target, int fuel, int level) {
    Interval all = interval_of_poly(env, p);
    int64_t best = all.lo;
    if (p.failed || best >= target || level > PROVE_LEVELS || (target < INT64_MAX && all.hi < target)) return best;
    if (poly_refuted(env, p, target)) return best;
    int work = MAX_WORK;
    if ((*(env->work ? env->work : &work) -= QUESTION) < 0) return best;
    PolyEnv own = poly_scratch(env);
    if (!own.work) own.work = &work;
    ExprMap intervals = {0};
    own.intervals = &intervals;
    Prover x;
    x.env = &own;
    best = lower(&x, p, target, fuel, level);
    /* Again with the remainders that are known, where there are any. */
    if (best < target && target < INT64_MAX && !level && own.nfacts && poly_residues(&own, 1)) {
        work = MAX_WORK;
        Poly q = poly_of_at(&own, poly_expr(own.g, p), 1);
        int64_t b = q.failed ? INT64_MIN : lower(&x, q, target, fuel, level);
        if (b > best) best = b;
    }
    ctx_temp_end(own.ctx);
    return best;
}

bool poly_nonneg_at(const PolyEnv *env, Poly p, int level) {
    return !p.failed && poly_lower(env, p, 0, level ? 40 : 250, level) >= 0;
}

bool poly_nonneg(const PolyEnv *env, Poly p) { return poly_nonneg_at(env, p, 0); }

void poly_bounds(const PolyEnv *env, Poly p, int64_t *lo, int64_t *hi) {
    *lo = poly_lower(env, p, INT64_MAX, 40, 1);
    *hi = bound_negated(poly_lower(env, poly_scale(poly_ctx(env), p, -1), INT64_MAX, 40, 1));
}

bool poly_at_most(const PolyEnv *env, Poly p, int64_t most) {
    Ctx *temp = ctx_temp(poly_ctx(env));
    Poly minus = poly_scale(temp, p, -1);
    bool r = interval_of_poly(env, minus).lo >= -most;
    if (!r && !poly_refuted(env, minus, -most)) r = bound_negated(poly_lower(env, minus, INT64_MAX, 40, 1)) <= most;
    ctx_temp_end(temp);
    return r;
}
