/* Remainders that are known: where `N % 8 == 0` holds, N is 8 * (N / 8), and a proof that knows nothing else of N than
 * this form knows that d < N, for d a multiple of 8, leaves room for 7 more. Facts that say so are equations, or of two
 * the one that is left, between a symbol and a quotient of it by a constant, in whatever way they are written. */
#include "poly_prove.h"

#include "ir/expr_walk.h"

enum { MAX_RESIDUES = 8, MAX_MODULUS = 1 << 20, DEPTH = 8 };

static bool is_symbol(const Expr *e) {
    if (e->op == OP_CAST) return e->type == TY_I64 && (e->arg[0]->op == OP_LOAD || e->arg[0]->op == OP_SCALAR);
    return e->op == OP_VAR || e->op == OP_DIM || e->op == OP_SCALAR || e->op == OP_LOAD || e->op == OP_FACTOR;
}

static Found is_quotient(const Expr *e, const void *unused) {
    (void)unused;
    if (e->op == OP_LOAD || e->op == OP_REDUCE) return FOUND_NOT;
    return (e->op == OP_DIV || e->op == OP_MOD) && !type_is_float(e->type) ? FOUND : FOUND_INSIDE;
}

/* p is +-(s + k - c*q) + d for q = (s + k) / c: how much s + k leaves when divided by c, from p = 0. */
static bool read_remainder(const PolyEnv *env, Poly p, PolyResidue *r) {
    Ctx *ctx = env->ctx;
    for (int i = 0; i < p.n; i++) {
        const PolyTerm *t = &p.term[i];
        int64_t c, d, k;
        if (t->degree != 1 || t->atom[0]->op != OP_DIV || !expr_is_int(t->atom[0]->arg[1], &c)) continue;
        if (c < 2 || c > MAX_MODULUS || (t->coef != c && t->coef != -c)) continue;
        Poly above = poly_flat(env->g, ctx, t->atom[0]->arg[0]), q = poly_scale(ctx, poly_atom(ctx, t->atom[0]), c);
        Poly left = poly_sub(ctx, above, q); /* the remainder of above */
        Poly other = t->coef < 0 ? poly_sub(ctx, p, left) : poly_add(ctx, p, left);
        if (!poly_is_const(other, &d)) continue;
        k = poly_constant(above);
        Poly s = poly_sub(ctx, above, poly_const(ctx, k));
        if (s.failed || s.n != 1 || s.term[0].degree != 1 || s.term[0].coef != 1 || !is_symbol(s.term[0].atom[0]))
            continue;
        int64_t rest = t->coef < 0 ? -d : d; /* of above */
        if (rest < 0 || rest >= c) return false;
        *r = (PolyResidue){
            .symbol = s.term[0].atom[0], .modulus = c, .rest = floor_mod(floor_mod(rest, c) - floor_mod(k, c), c)};
        return true;
    }
    return false;
}

/* Joins what two facts say of one symbol; false where they contradict each other or the numbers grow. */
static bool join(PolyResidue *a, const PolyResidue *b) {
    int64_t common = gcd64(a->modulus, b->modulus), both = a->modulus / common * b->modulus, rest = a->rest;
    if (both > MAX_MODULUS || (a->rest - b->rest) % common) return false;
    while (rest % b->modulus != b->rest) rest += a->modulus;
    a->modulus = both;
    a->rest = rest;
    return true;
}

typedef struct Residues {
    const PolyEnv *bare; /* without facts */
    PolyResidue at[MAX_RESIDUES];
    int n, level;
} Residues;

static void add(Residues *f, PolyResidue r) {
    for (int i = 0; i < f->n; i++)
        if (f->at[i].symbol == r.symbol) {
            join(&f->at[i], &r);
            return;
        }
    if (f->n == MAX_RESIDUES) return;
    PolyResidue *at = &f->at[f->n++];
    *at = r;
    int64_t by = r.symbol->op == OP_DIM ? r.symbol->u.dim->divisor : 1;
    if (by > 1) join(at, &(PolyResidue){.modulus = by});
}

static void read_fact(Residues *f, const Expr *c, bool holds, int depth) {
    if (depth > DEPTH) return;
    if (c->op == OP_NOT) {
        read_fact(f, c->arg[0], !holds, depth + 1);
    } else if (c->op == (holds ? OP_AND : OP_OR)) {
        read_fact(f, c->arg[0], holds, depth + 1);
        read_fact(f, c->arg[1], holds, depth + 1);
    } else if ((c->op == OP_EQ || c->op == OP_NE) && type_class(c->arg[0]->type) != CLASS_FLOAT &&
               expr_has(c, is_quotient, NULL)) {
        const PolyEnv *env = f->bare;
        Poly a = poly_of_at(env, expr_cast(env->g, TY_I64, c->arg[0]), f->level);
        Poly b = poly_of_at(env, expr_cast(env->g, TY_I64, c->arg[1]), f->level);
        PolyResidue r;
        if (!read_remainder(env, poly_sub(env->ctx, a, b), &r)) return;
        bool equal = (c->op == OP_EQ) == holds;
        if (!equal && r.modulus != 2) return;
        if (!equal) r.rest = 1 - r.rest;
        add(f, r);
    }
}

bool poly_residues(PolyEnv *env, int level) {
    PolyEnv bare = *env;
    bare.nfacts = bare.nresidues = 0;
    bare.made = NULL;
    Residues f = {.bare = &bare, .level = level};
    for (int i = 0; i < env->nfacts; i++) read_fact(&f, env->facts[i], true, 0);
    int n = 0;
    for (int i = 0; i < f.n; i++) { /* normal forms know the divisor of a dimension */
        const Expr *s = f.at[i].symbol;
        if (s->op == OP_DIM && s->u.dim->divisor % f.at[i].modulus == 0) continue;
        f.at[n] = f.at[i];
        f.at[n++].quotient = expr2(env->g, OP_DIV, s, expr_int(env->g, TY_I64, f.at[i].modulus));
    }
    if (!n) return false;
    PolyResidue *kept = NEW_N(env->ctx, PolyResidue, n);
    for (int i = 0; i < n; i++) kept[i] = f.at[i];
    env->residue = kept;
    env->nresidues = n;
    return true;
}

const PolyResidue *poly_residue_of(const PolyEnv *env, const Expr *symbol) {
    for (int i = 0; i < env->nresidues; i++)
        if (env->residue[i].symbol == symbol) return &env->residue[i];
    return NULL;
}

const PolyResidue *poly_residue_by(const PolyEnv *env, const Expr *quotient) {
    for (int i = 0; i < env->nresidues; i++)
        if (env->residue[i].quotient == quotient) return &env->residue[i];
    return NULL;
}

Poly poly_by_residue(Ctx *ctx, const PolyResidue *r) {
    return poly_add(ctx, poly_scale(ctx, poly_atom(ctx, r->quotient), r->modulus), poly_const(ctx, r->rest));
}
