/* Lowering, indices: axes' bounds and predicates, offsets as polynomials of digits, and which register factors make one
 * wide access. */
#include "lower_internal.h"

#include <string.h>

const Expr *axis_index(Lower *l, const Layout *layout, const Axis *a) {
    const Expr *e = a->lo;
    for (int i = 0; i < layout->factors.n; i++) {
        Factor *f = layout->factors.at[i];
        if (f->axis != a || f->size == 1) continue;
        const Expr *term = expr2(l->g, OP_MUL, expr_factor(l->p, f), expr_cast(l->g, TY_I64, f->stride));
        e = expr2(l->g, OP_ADD, e, term);
    }
    return e;
}

static const Expr *expand(Lower *l, const Layout *layout, const Expr *e) {
    const Expr *from[MAX_FACTORS], *to[MAX_FACTORS];
    int n = l->part->axes.n;
    if (n > MAX_FACTORS) n = MAX_FACTORS;
    for (int i = 0; i < n; i++) {
        from[i] = expr_var(l->g, l->part->axes.at[i]->var);
        to[i] = axis_index(l, layout, l->part->axes.at[i]);
    }
    return expr_replace(l->g, e, from, to, n);
}

static Poly axis_extent(Lower *l, const Axis *a) {
    return poly_sub(l->ctx, poly_of(&l->env, a->hi), poly_of(&l->env, a->lo));
}

static bool dims_only(const Expr *e) {
    if (e->op == OP_DIM || e->op == OP_CONST) return true;
    if (e->op == OP_VAR || e->op == OP_FACTOR || e->op == OP_VALUE || e->op == OP_LOAD || e->op == OP_SCALAR ||
        e->nargs == 0)
        return false;
    for (int i = 0; i < e->nargs; i++)
        if (!dims_only(e->arg[i])) return false;
    return true;
}

bool poly_dims_only(Poly p) {
    for (int i = 0; i < p.n; i++)
        for (int d = 0; d < p.term[i].degree; d++)
            if (!dims_only(p.term[i].atom[d])) return false;
    return true;
}

bool axis_exact(Lower *l, const Layout *layout, const Axis *a) {
    if (a->peel) return false;
    int64_t unit = 1;
    bool serial = false;
    for (int i = 0; i < layout->factors.n; i++)
        if (layout->factors.at[i]->axis == a && layout->factors.at[i]->bind == BIND_SERIAL) serial = true;
    for (int i = 0; i < layout->factors.n; i++) {
        const Factor *f = layout->factors.at[i];
        if (f->axis != a || f->size == 0 || f->bind == BIND_SERIAL) continue;
        if (f->bind == BIND_GRID && serial) continue; /* the loop ends at the bound */
        unit *= f->size;
    }
    if (unit == 1) return true;
    Poly extent = axis_extent(l, a);
    return !extent.failed && poly_dims_only(extent) && poly_divisor(extent) % unit == 0;
}

static bool implies(const AlignCond *a, const AlignCond *b) {
    return a->dims == b->dims && a->tensor == b->tensor && a->other == b->other && a->mod % b->mod == 0 &&
           a->whole <= b->whole;
}

void add_cond(Lower *l, AlignCond c) {
    int kept = 0;
    if (c.mod == 1) return;
    for (int i = 0; i < l->conds.n; i++)
        if (implies(&l->conds.at[i], &c)) return;
    for (int i = 0; i < l->conds.n; i++)
        if (!implies(&c, &l->conds.at[i])) l->conds.at[kept++] = l->conds.at[i];
    l->conds.n = kept;
    vec_push(l->ctx, &l->conds, c);
}

static bool has_cond(const Lower *l, const Expr *dims, int64_t mod) {
    for (int i = 0; i < l->conds.n; i++)
        if (l->conds.at[i].dims == dims && l->conds.at[i].mod % mod == 0) return true;
    return false;
}

static bool is_plain_map(Stage *const *s, int n) {
    for (int i = 0; i < n; i++)
        if (s[i]->kind != STAGE_LOAD && s[i]->kind != STAGE_MAP && s[i]->kind != STAGE_STORE) return false;
    return true;
}

/* Whether the wide variants need whole vectors of an axis for no other reason than its end: then one of them does
 * without. Kernels that fold have them whole, for the sake of no test an element. */
static bool may_be_cut(Lower *l) { return is_plain_map(l->part->body.at, l->part->body.n); }

/* The innermost factor of the axis where it is a vector whose elements lie on one side of the bound in the wide
 * variant. */
static const Factor *whole_vector(Lower *l, const Layout *layout, const Axis *a) {
    const Factor *last = NULL;
    for (int i = 0; i < layout->factors.n; i++)
        if (layout->factors.at[i]->axis == a && layout->factors.at[i]->size != 1) last = layout->factors.at[i];
    if (!last || last->bind != BIND_VEC || a->peel) return NULL;
    Poly extent = axis_extent(l, a);
    if (extent.failed) return NULL;
    if (poly_divisor(extent) % last->size == 0) return last;
    return has_cond(l, poly_expr(l->g, extent), last->size) ? last : NULL;
}

static Sym bound_test(Lower *l, const Layout *layout, const Axis *a) {
    const Layout *saved = l->layout;
    l->layout = layout;
    Sym hi = expr_text(l, a->hi, layout), i = expr_text(l, expr_var(l->g, a->var), layout), r;
    const Factor *vec = whole_vector(l, layout, a);
    if (vec && l->wide) {
        Sym digit = factor_text(l, vec);
        char *at = strstr(i, digit);
        if (at && at[strlen(digit)] == ')') i = fmt(l, "%.*s(A == 1 ? 0 : %s))", (int)(at - i), i, digit);
    }
    if (a->peel) {
        int64_t lo;
        r = expr_is_int(a->lo, &lo) && lo == 0 ? fmt(l, "td_below(%s, %s)", i, hi)
                                               : fmt(l, "%s >= %s && %s < %s", i, expr_text(l, a->lo, layout), i, hi);
    } else {
        r = fmt(l, "%s < %s", i, hi);
    }
    l->layout = saved;
    return r;
}

bool axis_whole_vectors(Lower *l, const Layout *layout, const Axis *a) { return l->wide && whole_vector(l, layout, a); }

Sym axis_vector_inside(Lower *l, const Layout *layout, const Axis *a, Factor *vec) {
    const Layout *saved = l->layout;
    l->layout = layout;
    VecPlan plan = {.nv = 1, .f = {vec}};
    Poly first = regroup(l, layout, drop_vector(l, poly_of(&l->env, axis_index(l, layout, a)), &plan));
    Sym i = poly_text(l, first, false),
        r = fmt(l, "%s + %lld <= %s", i, (long long)vec->size, expr_text(l, a->hi, layout));
    if (a->peel) r = fmt(l, "%s >= %s && %s", i, expr_text(l, a->lo, layout), r);
    l->layout = saved;
    return r;
}

Sym axis_predicate(Lower *l, const Layout *layout, FactorSet have) {
    Sym r = NULL;
    for (int i = 0; layout && i < l->part->axes.n; i++) {
        const Axis *a = l->part->axes.at[i];
        FactorSet all = layout_axis_factors(layout, a);
        if (!all || (all & ~(have | ambient(l, layout))) || !(all & have) || axis_exact(l, layout, a)) continue;
        Sym t = bound_test(l, layout, a);
        r = r ? fmt(l, "%s && %s", r, t) : t;
    }
    return r;
}

/* The coefficient of a factor in p where it is a constant and nothing else of p depends on the factor: a subscript that
 * was loaded may differ from element to element. */
static bool const_coef(Lower *l, const Layout *layout, Poly p, Factor *f, int64_t *c) {
    Poly coef, rest;
    if (!poly_linear(l->ctx, p, expr_factor(l->p, f), &coef, &rest) || !poly_is_const(coef, c)) return false;
    for (int i = 0; i < rest.n; i++)
        for (int k = 0; k < rest.term[i].degree; k++) {
            const Expr *a = rest.term[i].atom[k];
            if (a->op != OP_VAR && a->op != OP_FACTOR && expr_domain(l->part, layout, a) >> f->id & 1) return false;
        }
    return true;
}

/* Finds the wide access: register factors whose coefficients continue each other from 1. `free` may take part. */
void plan_vectors(Lower *l, Poly offset, const Layout *layout, FactorSet domain, FactorSet may, int64_t vmax,
                  bool tails, VecPlan *plan) {
    const Axis *owner = NULL;
    Factor *f[MAX_FACTORS];
    int n = list_reg_factors(l, layout, domain, f);
    int64_t part[MAX_FACTORS];
    for (int i = 0; i < n; i++) part[i] = 1;
    plan->V = 1;
    plan->nv = 0;
    for (bool more = true; more && plan->V < vmax && plan->nv < 8;) {
        more = false;
        for (int i = 0; i < n; i++) {
            int64_t c;
            if (part[i] != 1 || !(may >> f[i]->id & 1) || !const_coef(l, layout, offset, f[i], &c) || c != plan->V)
                continue;
            int64_t p = gcd64(f[i]->size, vmax / plan->V);
            if (p == 1) continue;
            /* one inexact axis at most: one count says how much of a vector is inside */
            if (tails && !axis_exact(l, layout, f[i]->axis)) {
                int64_t step;
                if (owner && owner != f[i]->axis) continue;
                if (!owner && !(expr_is_int(f[i]->stride, &step) && step == 1))
                    continue; /* an element must be a step of its axis */
                owner = f[i]->axis;
            }
            part[i] = p;
            plan->f[plan->nv] = f[i];
            plan->part[plan->nv++] = p;
            plan->V *= p;
            more = p == f[i]->size;
            break;
        }
    }
    plan->nouter = 0;
    for (int i = 0; i < n; i++) {
        if (part[i] == f[i]->size) continue;
        plan->outer[plan->nouter] = f[i];
        plan->step[plan->nouter++] = part[i];
    }
}

/* Takes the last factor (or half of it) out of the plan's vectors. */
void plan_halve(VecPlan *plan) {
    int i = plan->nv - 1;
    Factor *f = plan->f[i];
    plan->V /= 2;
    plan->part[i] /= 2;
    bool found = false;
    for (int k = 0; k < plan->nouter; k++)
        if (plan->outer[k] == f) {
            plan->step[k] = plan->part[i];
            found = true;
        }
    if (!found) {
        plan->outer[plan->nouter] = f;
        plan->step[plan->nouter++] = plan->part[i];
    }
    if (plan->part[i] == 1) plan->nv--;
}

void open_plan_loops(Lower *l, const VecPlan *plan) {
    for (int i = 0; i < plan->nouter; i++) {
        Sym v = factor_text(l, plan->outer[i]);
        put(l, "#pragma unroll");
        if (plan->step[i] == 1)
            put(l, "for (int %s = 0; %s < %lld; %s++) {", v, v, (long long)plan->outer[i]->size, v);
        else
            put(l, "for (int %s = 0; %s < %lld; %s += %lld) {", v, v, (long long)plan->outer[i]->size, v,
                (long long)plan->step[i]);
        l->indent++;
    }
}

void close_plan_loops(Lower *l, const VecPlan *plan) {
    for (int i = 0; i < plan->nouter; i++) {
        l->indent--;
        put(l, "}");
    }
}

/* A polynomial with the digits that the plan's loops do not have set to 0 (they are the elements of the vector). */
Poly drop_vector(Lower *l, Poly p, const VecPlan *plan) {
    for (int i = 0; i < plan->nv; i++) {
        bool looped = false;
        for (int k = 0; k < plan->nouter; k++) looped = looped || plan->outer[k] == plan->f[i];
        Poly coef, rest;
        if (!looped && poly_linear(l->ctx, p, expr_factor(l->p, plan->f[i]), &coef, &rest)) p = rest;
    }
    return p;
}

/* Sums of an axis's digits become the variable that holds its index at register digits 0. */
Poly regroup(Lower *l, const Layout *layout, Poly p) {
    for (int i = 0; i < l->part->axes.n; i++) {
        Axis *a = l->part->axes.at[i];
        Poly coef = {0}, rest = p, c, r;
        bool any = false, ok = true;
        for (int k = layout->factors.n - 1; k >= 0 && ok; k--) {
            Factor *f = layout->factors.at[k];
            if (f->axis != a || f->size == 1 || bind_scope(f->bind) == SCOPE_REG) continue;
            if (!poly_linear(l->ctx, rest, expr_factor(l->p, f), &c, &r)) {
                ok = false;
                break;
            }
            Poly stride = poly_of(&l->env, f->stride);
            if (!any) {
                int64_t s;
                /* the innermost digit tells the axis's coefficient */
                if (poly_is_const(stride, &s)) {
                    bool divides = true;
                    for (int t = 0; t < c.n; t++) divides = divides && c.term[t].coef % s == 0;
                    if (!divides || !c.n) {
                        ok = false;
                        break;
                    }
                    coef = (Poly){c.n, NEW_N(l->ctx, PolyTerm, c.n + 1), false};
                    if (c.n) memcpy(coef.term, c.term, sizeof *c.term * (size_t)c.n);
                    for (int t = 0; t < coef.n; t++) coef.term[t].coef /= s;
                } else {
                    ok = false;
                    break;
                }
                any = true;
            } else if (!poly_eq(c, poly_mul(l->ctx, coef, stride))) {
                ok = false;
                break;
            }
            rest = r;
        }
        if (!any || !ok) {
            if (a->peel && any) fail(l, "the peeled axis %s is used other than linearly", a->name);
            continue;
        }
        Poly var = poly_of(&l->env, expr_var(l->g, a->var));
        p = poly_add(l->ctx, rest, poly_mul(l->ctx, coef, poly_sub(l->ctx, var, poly_of(&l->env, a->lo))));
    }
    return p;
}

/* Splits p into what is the same for all registers of a thread, and what is not. */
void split_regs(Lower *l, const Layout *layout, Poly p, Poly *fixed, Poly *varying) {
    *fixed = (Poly){0, NEW_N(l->ctx, PolyTerm, p.n + 1), p.failed};
    *varying = (Poly){0, NEW_N(l->ctx, PolyTerm, p.n + 1), p.failed};
    for (int i = 0; i < p.n; i++) {
        FactorSet s = 0;
        for (int d = 0; d < p.term[i].degree; d++) {
            const Expr *a = p.term[i].atom[d];
            /* an axis's variable stands for its index at register digits 0 (regroup) */
            if (a->op != OP_VAR) s |= expr_domain(l->part, layout, a);
        }
        Poly *to = reg_factors(l, s) ? varying : fixed;
        to->term[to->n++] = p.term[i];
    }
}

/* Divisibility of everything but the vector itself; false where some part can never be a multiple of V. Conditions on
 * dimensions are collected when `commit`. */
bool aligned_terms(Lower *l, Poly p, int64_t V, bool commit) {
    bool done[256] = {false};
    if (p.n > 256) return false;
    for (int i = 0; i < p.n; i++) {
        if (done[i]) continue;
        /* terms that differ only in dimensions are one coefficient */
        Poly sum = {0, NEW_N(l->ctx, PolyTerm, p.n), false};
        const Expr *key[POLY_MAX_DEGREE];
        int nkey = 0;
        for (int d = 0; d < p.term[i].degree; d++)
            if (!dims_only(p.term[i].atom[d])) key[nkey++] = p.term[i].atom[d];
        for (int k = i; k < p.n; k++) {
            const Expr *other[POLY_MAX_DEGREE];
            int nother = 0;
            PolyTerm t = {.coef = p.term[k].coef};
            for (int d = 0; d < p.term[k].degree; d++) {
                if (dims_only(p.term[k].atom[d]))
                    t.atom[t.degree++] = p.term[k].atom[d];
                else
                    other[nother++] = p.term[k].atom[d];
            }
            if (nother != nkey || memcmp(key, other, sizeof *key * (size_t)nkey)) continue;
            done[k] = true;
            Poly one = {1, &t, false};
            sum = poly_add(l->ctx, sum, one);
        }
        int64_t c;
        if (sum.n == 0 || poly_divisor(sum) % V == 0) continue;
        if (poly_is_const(sum, &c)) return false;
        if (commit) add_cond(l, (AlignCond){.dims = poly_expr(l->g, sum), .mod = V});
    }
    return true;
}

Poly flat_offset(Lower *l, const Layout *layout, Tensor *t, const Expr *const *subs) {
    const Expr *at[MAX_RANK];
    for (int d = 0; d < t->rank; d++) at[d] = expand(l, layout, subs[d]);
    return poly_offset(&l->env, t, at);
}

static Poly without_axis(Lower *l, const Layout *layout, Poly p, const Axis *a) {
    for (int i = 0; i < layout->factors.n; i++) {
        Poly coef, rest;
        if (layout->factors.at[i]->axis == a &&
            poly_linear(l->ctx, p, expr_factor(l->p, layout->factors.at[i]), &coef, &rest))
            p = rest;
    }
    return p;
}

static bool uses_node(const Expr *e, const Expr *what) {
    if (e == what) return true;
    for (int i = 0; i < e->nargs; i++)
        if (uses_node(e->arg[i], what)) return true;
    return false;
}

Stage *find_access(Lower *l, Stage *const *s, int n, const Tensor *t, const Axis *a) {
    for (int i = 0; i < n; i++) {
        if ((s[i]->kind == STAGE_LOAD || s[i]->kind == STAGE_COPY || s[i]->kind == STAGE_STORE) && s[i]->tensor == t)
            for (int d = 0; d < t->rank; d++)
                if (uses_node(s[i]->subs[d], expr_var(l->g, a->var))) return s[i];
        Stage *in = find_access(l, s[i]->body.at, s[i]->body.n, t, a);
        if (in) return in;
    }
    return NULL;
}

Poly vector_starts(Lower *l, Poly p, const VecPlan *plan) {
    for (int i = 0; i < plan->nv; i++) {
        const Expr *digit = expr_factor(l->p, plan->f[i]);
        Poly coef, rest;
        if (!poly_linear(l->ctx, p, digit, &coef, &rest)) continue;
        if (plan->part[i] == plan->f[i]->size) {
            p = rest;
        } else {
            Poly step = poly_scale(l->ctx, poly_mul(l->ctx, coef, poly_of(&l->env, digit)), plan->part[i]);
            p = poly_add(l->ctx, rest, step);
        }
    }
    return p;
}

/* Chooses the vectors of a global access. */
void access_vectors(Lower *l, Access *x, FactorSet domain, FactorSet may) {
    int64_t bits = type_bits(x->tensor->type), vmax = 128 / bits;
    plan_vectors(l, x->offset, x->layout, domain, may, vmax, true, &x->plan);
    Axis *peeled = NULL;
    for (int i = 0; i < x->plan.nv; i++)
        if (x->plan.f[i]->axis->peel) peeled = x->plan.f[i]->axis;
    while (x->plan.V > 1) {
        Poly rest = vector_starts(l, x->offset, &x->plan);
        if (peeled) {
            /* the axis starts where its tensor's row is aligned: rows must lie alike */
            Stage *lead = find_access(l, l->part->body.at, l->part->body.n, peeled->peel, peeled);
            Poly row = lead ? flat_offset(l, x->layout, peeled->peel, lead->subs) : x->offset;
            Poly diff = poly_sub(l->ctx, without_axis(l, x->layout, x->offset, peeled),
                                 without_axis(l, x->layout, row, peeled));
            Poly inner = poly_sub(l->ctx, rest, without_axis(l, x->layout, x->offset, peeled));
            bool same = type_bits(peeled->peel->type) == type_bits(x->tensor->type);
            if (same && aligned_terms(l, diff, x->plan.V, false) && aligned_terms(l, inner, x->plan.V, false)) {
                aligned_terms(l, diff, x->plan.V, true);
                if (x->tensor != peeled->peel)
                    add_cond(l, (AlignCond){.tensor = peeled->peel, .other = x->tensor, .mod = x->plan.V * bits / 8});
                l->wide = true;
                return;
            }
        } else if (aligned_terms(l, rest, x->plan.V, false)) {
            aligned_terms(l, rest, x->plan.V, true);
            add_cond(l, (AlignCond){.tensor = x->tensor, .mod = x->plan.V * bits / 8});
            l->wide = true;
            return;
        }
        if (x->plan.part[x->plan.nv - 1] % 2) break;
        plan_halve(&x->plan);
    }
    if (x->plan.V > 1) plan_vectors(l, x->offset, x->layout, domain, 0, vmax, true, &x->plan);
}

/* Predicates: the axis that owns the vector cuts it, the others allow or forbid the whole access. */
void access_tails(Lower *l, Access *x, FactorSet domain, const Expr *cond, FactorSet replicated) {
    x->tail = TAIL_NONE;
    x->guard = cond ? expr_text(l, cond, x->layout) : NULL;
    for (int i = 0; i < l->part->axes.n; i++) {
        Axis *a = l->part->axes.at[i];
        FactorSet all = layout_axis_factors(x->layout, a);
        if (!(all & domain) || (all & ~(domain | ambient(l, x->layout))) || axis_exact(l, x->layout, a)) continue;
        int64_t scale = 1;
        bool owns = false;
        for (int k = 0; k < x->plan.nv; k++) {
            if (x->plan.f[k]->axis == a) {
                owns = true;
                break;
            }
            scale *= x->plan.part[k];
        }
        if (!owns) {
            Sym t = bound_test(l, x->layout, a);
            x->guard = x->guard ? fmt(l, "%s && %s", x->guard, t) : t;
            continue;
        }
        x->vaxis = a;
        x->vscale = scale;
        Poly bound = poly_scale(l->ctx, axis_extent(l, a), scale);
        int64_t c;
        int64_t size = x->plan.V / gcd64(scale, x->plan.V);
        if (a->peel || poly_is_const(bound, &c) ? a->peel || c % x->plan.V : !poly_dims_only(bound))
            x->tail = TAIL_PART;
        else {
            x->tail = TAIL_WHOLE;
            if (poly_divisor(bound) % x->plan.V)
                add_cond(l,
                         (AlignCond){.dims = poly_expr(l->g, axis_extent(l, a)), .mod = size, .whole = may_be_cut(l)});
        }
    }
    for (int i = 0; i < x->layout->factors.n; i++) {
        Factor *f = x->layout->factors.at[i];
        if (!(replicated >> f->id & 1) || f->size == 1) continue;
        x->guard =
            x->guard ? fmt(l, "%s && %s == 0", x->guard, factor_text(l, f)) : fmt(l, "%s == 0", factor_text(l, f));
    }
}
