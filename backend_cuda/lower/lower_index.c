/* Lowering, how wide an index is: bounds of index arithmetic as expressions of dimensions, and the condition under
 * which 32 bits hold it all. */
#include "lower_internal.h"

#include "sched/kernel/settled.h"

#include <string.h>

enum { MAX_BOUND_DEPTH = 64 };

static bool upper(Lower *l, Poly p, int depth, Poly *up);

/* Room beyond an axis's end: its tiles' overhang, a step of its loop, a vector, elements before its beginning, blocks
 * that stand for none. */
static bool axis_room(Lower *l, const Axis *a, Poly *room) {
    int64_t most = 1;
    *room = poly_const(l->ctx, 0);
    for (int k = 0; k < l->part->layouts.n; k++) {
        int64_t unit = 1;
        const Layout *layout = l->part->layouts.at[k];
        for (int i = 0; i < layout->factors.n; i++) {
            const Factor *f = layout->factors.at[i];
            if (f->axis != a) continue;
            if (f->size && (unit > INT32_MAX || !mul_ok(unit, f->size, &unit))) return false;
            if (f->bind == BIND_SERIAL && !k)
                *room = poly_add(l->ctx, *room, poly_scale(l->ctx, poly_of(&l->env, f->stride), 2));
        }
        if (unit > most) most = unit;
    }
    const Factor *open = l->lanes ? kernel_settled_open(l->k) : NULL;
    const int64_t blocks = open && open->axis == a ? SETTLED_BEYOND : 0;
    *room = poly_add(l->ctx, *room, poly_const(l->ctx, (2 + blocks) * most + 64));
    return !room->failed;
}

static bool upper_sum(Lower *l, const Expr *const *e, int n, int depth, Poly *up) {
    *up = poly_const(l->ctx, 0);
    for (int i = 0; i < n; i++) {
        Poly one;
        if (!upper(l, poly_of(&l->env, e[i]), depth + 1, &one)) return false;
        *up = poly_add(l->ctx, *up, one);
    }
    return true;
}

static bool upper_axis(Lower *l, const Var *v, int depth, Poly *up) {
    for (int i = 0; i < l->part->axes.n; i++) {
        const Axis *a = l->part->axes.at[i];
        if (a->var != v) continue;
        const Expr *const ends[] = {a->lo, a->hi};
        Poly room;
        if (!axis_room(l, a, &room) || !upper_sum(l, ends, 2, depth, up)) return false;
        *up = poly_add(l->ctx, *up, room);
        return true;
    }
    return false;
}

static bool new_upper_atom(Lower *l, const Expr *e, int depth, Poly *up) {
    enum { OF_32_BITS = INT32_MAX - (1 << 20) }; /* loops up to a loaded bound end before the very last integers */
    switch (e->op) {
    case OP_DIM: *up = poly_of(&l->env, e); return true;
    case OP_VAR: return upper_axis(l, e->u.var, depth, up);
    case OP_FACTOR: *up = poly_of(&l->env, e->u.factor->count); return true;
    case OP_DIV: return upper_sum(l, e->arg, 1, depth, up);
    case OP_MOD: return upper_sum(l, e->arg + 1, 1, depth, up);
    case OP_MIN:
    case OP_MAX: return upper_sum(l, e->arg, 2, depth, up);
    case OP_IF: return upper_sum(l, e->arg + 1, 2, depth, up);
    default: break;
    }
    Type t = e->type;
    if (e->op == OP_CAST && !type_is_float(e->arg[0]->type) && type_bits(e->arg[0]->type) < type_bits(t))
        t = e->arg[0]->type;
    if (type_is_float(t) || type_bits(t) > 32) return false;
    *up = poly_const(l->ctx, type_bits(t) < 32 ? (int64_t)1 << type_bits(t) : OF_32_BITS);
    return true;
}

/* A bound of |e|, e being no sum and no product. */
static bool upper_atom(Lower *l, const Expr *e, int depth, Poly *up) {
    const Poly *known = expr_map_get(&l->uppers, e);
    if (!known) {
        Poly *made = NEW(l->ctx, Poly);
        if (!new_upper_atom(l, e, depth, made)) *made = (Poly){.failed = true};
        expr_map_put(l->ctx, &l->uppers, e, made);
        known = made;
    }
    *up = *known;
    return !up->failed;
}

/* The constant above 1 that e is a quotient by; else 0. */
static int64_t divisor(Lower *l, const Expr *e) {
    int64_t by;
    return e->op == OP_DIV && poly_is_const(poly_of(&l->env, e->arg[1]), &by) && by > 1 ? by : 0;
}

/* A bound of p |x / by|, where up is one of |x|: p up / by, and p more, since a quotient is rounded down. */
static Poly times_quotient(Lower *l, Poly p, Poly up, int64_t by) {
    Poly part = p;
    part.term = NEW_N(l->ctx, PolyTerm, p.n + 1);
    for (int i = 0; i < p.n; i++) {
        part.term[i] = p.term[i];
        part.term[i].coef = (p.term[i].coef - 1) / by + 1;
    }
    return poly_add(l->ctx, poly_mul(l->ctx, part, up), p);
}

/* A bound of |p| and of all that is computed on the way, in dimensions alone. Quotients come last: a share of an axis
 * is the axis's length by the number of shares, times which share it is, and no more than the axis has. */
static bool upper(Lower *l, Poly p, int depth, Poly *up) {
    *up = poly_const(l->ctx, 0);
    if (p.failed || depth > MAX_BOUND_DEPTH) return false;
    for (int i = 0; i < p.n; i++) {
        const PolyTerm *t = &p.term[i];
        Poly product = poly_const(l->ctx, t->coef < 0 ? -t->coef : t->coef), one;
        for (int pass = 0; pass < 2; pass++)
            for (int d = 0; d < t->degree; d++) {
                const int64_t by = divisor(l, t->atom[d]);
                if ((by != 0) != pass) continue;
                if (!upper_atom(l, t->atom[d], depth, &one)) return false;
                product = by ? times_quotient(l, product, one, by) : poly_mul(l->ctx, product, one);
                if (product.failed) return false;
            }
        *up = poly_add(l->ctx, *up, product);
    }
    return !up->failed;
}

/* Whether some dimension alone takes p past every bound and leaves q (NULL: there is none) as it is. Said of sums of
 * products of dimensions only. */
static bool unbounded(Poly p, const Poly *q) {
    bool any = false;
    for (int i = 0; i < p.n; i++) {
        const PolyTerm *t = &p.term[i];
        bool free = false, vanishes = false;
        for (int k = 0; k < t->degree; k++) {
            const Expr *e = t->atom[k];
            if (e->op != OP_DIM) return false;
            free |= e->u.dim->hi == INT64_MAX && !(q && poly_uses(*q, e));
            vanishes |= e->u.dim->hi < 1;
        }
        if (t->coef < 0) return false;
        any |= free && !vanishes;
    }
    return any;
}

static bool below(Lower *l, Poly up) { return !unbounded(up, NULL) && poly_at_most(&l->env, up, INT32_MAX); }

bool index_small(Lower *l, Poly p) {
    Poly up;
    return upper(l, p, 0, &up) && below(l, up);
}

/* Its bound; false: 32 bits never hold it. */
static bool may_fit(Lower *l, Poly p, Poly *up) {
    int64_t c;
    return upper(l, p, 0, up) && !(poly_is_const(*up, &c) && c > INT32_MAX);
}

bool index_bounded(Lower *l, Poly p) {
    Poly up;
    return may_fit(l, p, &up);
}

void index_fits(Lower *l, Poly p) {
    Poly up;
    if (l->needs.always64) return;
    if (!may_fit(l, p, &up)) {
        l->needs.always64 = true;
        return;
    }
    if (below(l, up)) return;
    for (int i = 0; i < l->needs.fits.n; i++)
        if (poly_eq(l->needs.fits.at[i], up)) return;
    vec_push(l->ctx, &l->needs.fits, up);
}

bool index_dispatched(const Lower *l) { return l->needs.fits.n && !l->needs.always64; }

/* As a double: dimensions' products may overflow 64 bits, and then their sum is large enough in any case. */
static const Code *bound_code(Lower *l, Poly p) {
    const Code *sum = NULL;
    for (int i = 0; i < p.n; i++) {
        const PolyTerm *t = &p.term[i];
        const Code *product = NULL;
        for (int d = 0; d < t->degree; d++)
            product = code_join(l->ctx, product, " * ", code(l->ctx, "(double)%c", dim_code(l, t->atom[d], true)));
        if (!t->degree || t->coef != 1) product = code_join(l->ctx, product, " * ", code(l->ctx, "%l", t->coef));
        sum = code_join(l->ctx, sum, " + ", product);
    }
    return sum ? sum : code(l->ctx, "0");
}

/* Whether q is p with more of some products of dimensions, and so as large. */
static bool within(Poly p, Poly q) {
    int at = 0;
    for (int k = 0; k < q.n; k++) {
        const PolyTerm *b = &q.term[k], *a = at < p.n ? &p.term[at] : NULL;
        bool both = a && a->degree == b->degree && !memcmp(a->atom, b->atom, sizeof *a->atom * (size_t)a->degree);
        int64_t more = both ? b->coef - a->coef : b->coef;
        at += both;
        for (int d = 0; more && d < b->degree; d++)
            if (b->atom[d]->op != OP_DIM) return false;
        if (more < 0) return false;
    }
    return at == p.n;
}

/* Bounds that another one implies are left out; nearly all of them need no proof. */
Poly *index_bounds(Lower *l, int *count) {
    Poly *p = NEW_N(l->ctx, Poly, l->needs.fits.n + 1);
    int n = 0, kept;
    for (int i = 0; i < l->needs.fits.n; i++) {
        Poly new = l->needs.fits.at[i];
        bool implied = false;
        for (int k = 0; k < n && !implied; k++) implied = within(new, p[k]);
        if (implied) continue;
        kept = 0;
        for (int k = 0; k < n; k++)
            if (!within(p[k], new)) p[kept++] = p[k];
        n = kept;
        p[n++] = new;
    }
    bool *needed = NEW_N(l->ctx, bool, n + 1);
    for (int i = 0; i < n; i++) {
        bool implied = false;
        for (int k = 0; k < n && !implied; k++) {
            if (k == i || unbounded(p[i], &p[k]) || !poly_nonneg(&l->env, poly_sub(l->ctx, p[k], p[i]))) continue;
            implied = k < i || !poly_nonneg(&l->env, poly_sub(l->ctx, p[i], p[k]));
        }
        needed[i] = !implied;
    }
    kept = 0;
    for (int i = 0; i < n; i++)
        if (needed[i]) p[kept++] = p[i];
    *count = kept;
    return p;
}

const Code *index_condition(Lower *l) {
    const Code *r = NULL;
    int n;
    const Poly *p = index_bounds(l, &n);
    for (int i = 0; i < n; i++) r = code_join(l->ctx, r, " && ", code(l->ctx, "%c <= INT32_MAX", bound_code(l, p[i])));
    return r ? r : code(l->ctx, "true");
}

const char *index_type(const Lower *l) { return index_dispatched(l) ? "I" : l->needs.always64 ? "int64_t" : "int"; }
