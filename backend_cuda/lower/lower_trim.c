/* Lowering, loops cut short: where all that a loop does is to fold under conditions on its index (`off[b] <= n && n <
 * off[b + 1]`, `j <= i`), a thread runs only the iterations in which the conditions can hold for an element of its own.
 * Where it may, the loop begins with the first such index, and no element but those of its last tile is tested. (An
 * embedding's gradient, whose ranges have one or two elements, took 1.90 times a copy on an H200 with loops that began
 * at multiples of their tile and tested each element; 1.78 since.) */
#include "lower_internal.h"

#include <math.h>
#include <string.h>

enum { MAX_BOUNDS = 4 };

/* What the conditions say of an axis's index: at least each of lo, below each of hi, and that there are such indices
 * only where each of `when` holds. (Where it does not, lo and hi may be anything: they may be loaded under it.) */
typedef struct Bounds {
    int nlo, nhi, nwhen;
    const Expr *lo[MAX_BOUNDS], *hi[MAX_BOUNDS], *when[MAX_BOUNDS];
} Bounds;

typedef struct Trim {
    Lower *l;
    const Stage *loop;
    const Layout *layout;
} Trim;

static bool made_inside(const Trim *t, const Value *v) {
    for (int i = 0; i < t->loop->body.n; i++)
        for (int k = 0; k < t->loop->body.at[i]->nout; k++)
            if (t->loop->body.at[i]->out[k] == v) return true;
    return false;
}

/* What is not known before the loop: values that are made in it or are no registers, and data. */
static Found known_later(const Expr *e, const void *trim) {
    const Trim *t = trim;
    bool inside = e->op == OP_VALUE && (e->u.value->kind != VALUE_REG || made_inside(t, e->u.value));
    return inside || e->op == OP_LOAD || e->op == OP_RANDOM ? FOUND : FOUND_INSIDE;
}

static bool is_ambient(const Trim *t, const Expr *e) {
    FactorSet inside = reg_factors(t->l, ~(FactorSet)0) | thread_factors(t->l, ~(FactorSet)0);
    return !(expr_domain(t->l->part, t->layout, e) & ~(axis_ambient(t->l, t->layout) | inside));
}

static void note(const Expr **list, int *n, const Expr *e) {
    for (int i = 0; i < *n; i++)
        if (list[i] == e) return;
    if (*n < MAX_BOUNDS) list[(*n)++] = e;
}

/* Of a map that is made in the loop, what it says: that may be known before. */
static const Expr *spelled_out(ExprRewrite *r, const Expr *e) {
    const Trim *t = r->user;
    const Stage *def = e->op == OP_VALUE && made_inside(t, e->u.value) ? e->u.value->def : NULL;
    return def && def->kind == STAGE_MAP ? expr_rewrite(r, def->expr[0]) : NULL;
}

/* What an expression is before the loop; NULL: it is not known there. */
static const Expr *known_before(const Trim *t, const Expr *e) {
    Lower *l = t->l;
    ExprRewrite spell = {.g = l->g, .temp = l->ctx, .before = spelled_out, .user = (void *)t};
    e = expr_rewrite(&spell, e);
    return expr_has(e, known_later, t) || !is_ambient(t, e) ? NULL : e;
}

/* 0 <= p, linear in the index. */
static void note_room(const Trim *t, Poly p, Bounds *b) {
    Lower *l = t->l;
    Poly coef, rest;
    int64_t k;
    if (p.failed || !poly_linear(l->ctx, p, expr_var(l->g, t->loop->axis->var), &coef, &rest)) return;
    if (!poly_is_const(coef, &k) || (k != 1 && k != -1)) return;
    Poly end = k == 1 ? poly_scale(l->ctx, rest, -1) : poly_add(l->ctx, rest, poly_const(l->ctx, 1));
    if (end.failed) return;
    const Expr *e = known_before(t, poly_expr(l->g, end));
    if (!e) return;
    if (k == 1)
        note(b->lo, &b->nlo, e);
    else
        note(b->hi, &b->nhi, e);
}

/* A condition that is the same for all indices. */
static void note_when(const Trim *t, const Expr *c, Bounds *b) {
    const Expr *e = known_before(t, c), *index = expr_var(t->l->g, t->loop->axis->var);
    if (e && !expr_has(e, expr_test_node, index)) note(b->when, &b->nwhen, e);
}

static void bounds_of(const Trim *t, const Expr *c, Bounds *b, int depth) {
    Lower *l = t->l;
    if (depth > 16) return;
    if (c->op == OP_VALUE && c->u.value->def && c->u.value->def->kind == STAGE_MAP && made_inside(t, c->u.value)) {
        bounds_of(t, c->u.value->def->expr[0], b, depth + 1);
        return;
    }
    if (c->op == OP_AND) {
        bounds_of(t, c->arg[0], b, depth + 1);
        bounds_of(t, c->arg[1], b, depth + 1);
        return;
    }
    note_when(t, c, b);
    if ((c->op != OP_LT && c->op != OP_LE && c->op != OP_GT && c->op != OP_GE && c->op != OP_EQ) ||
        c->arg[0]->type != TY_I64)
        return;
    bool less = c->op == OP_LT || c->op == OP_LE;
    Poly x = poly_of(&l->env, c->arg[less ? 0 : 1]), y = poly_of(&l->env, c->arg[less ? 1 : 0]);
    Poly room = poly_sub(l->ctx, y, x);
    if (c->op == OP_LT || c->op == OP_GT) room = poly_sub(l->ctx, room, poly_const(l->ctx, 1));
    note_room(t, room, b);
    if (c->op == OP_EQ) note_room(t, poly_scale(l->ctx, room, -1), b);
}

/* A value, or what a map says it is. */
static const Expr *said(const Expr *e) {
    const Stage *def = e->op == OP_VALUE ? e->u.value->def : NULL;
    return def && def->kind == STAGE_MAP ? def->expr[0] : e;
}

/* The parts of a state are set one behind the other, each to the fold of what the parts were and of the results of
 * reduction r; that at `set` is one of them. */
static bool accumulates(Lower *l, const Stage *loop, int set, const Stage *r) {
    const Monoid *m = r->monoid;
    const Expr *from[2 * MAX_PARTS], *to[2 * MAX_PARTS], *e = said(loop->body.at[set]->expr[0]);
    for (int i = 0; i < 2 * m->n; i++) from[i] = expr_node(l->g, OP_ARG, m->type[i % m->n], false, i, NULL, 0);
    for (int part = 0; part < m->n && part <= set && r->nout == m->n; part++) {
        bool all = set - part + m->n <= loop->body.n;
        for (int i = 0; i < m->n && all; i++) {
            const Stage *s = loop->body.at[set - part + i];
            all = s->kind == STAGE_SET;
            to[i] = all ? expr_value(l->p, s->out[0]) : NULL;
            to[m->n + i] = expr_value(l->p, r->out[i]);
        }
        if (all && e == expr_replace(l->g, m->combine[part], from, to, 2 * m->n)) return true;
    }
    return false;
}

static bool is_float(const Expr *e, double v) { return e->op == OP_CONST && type_is_float(e->type) && e->u.f == v; }

/* Whether an expression is made of what the loop sets, and of nothing else that it may meet. */
static Found is_no_state(const Expr *e, const void *trim) {
    const Stage *loop = ((const Trim *)trim)->loop;
    if (e->op == OP_LOAD || e->op == OP_RANDOM) return FOUND;
    for (int i = 0; i < loop->body.n; i++) {
        const Stage *s = loop->body.at[i];
        if (e->op == OP_VALUE && s->kind == STAGE_SET && s->out[0] == e->u.value) return FOUND_NOT;
    }
    return e->op == OP_VALUE ? FOUND : FOUND_INSIDE;
}

static bool of_state(const Trim *t, const Expr *e) { return !expr_has(e, is_no_state, t); }

/* What an operation comes to on such operands, where these are finite. A difference of equal numbers counts as 0, and
 * so does a product with 0, of states alone: where one is infinite or NaN, what is kept relative to it is NaN already
 * (sched/plan/online.h). */
static const Expr *settled_node(ExprRewrite *r, const Expr *old, const Expr *e) {
    const Trim *t = r->user;
    Graph *g = t->l->g;
    (void)old;
    for (int i = 0; i < 2 && e->nargs == 2; i++) {
        const Expr *a = e->arg[i], *b = e->arg[!i];
        if (e->op == OP_MAX && is_float(a, -(double)INFINITY)) return b;
        if (e->op == OP_ADD && is_float(a, 0)) return b;
        if (e->op == OP_MUL && is_float(a, 1)) return b;
        if (e->op == OP_MUL && is_float(a, 0) && of_state(t, b)) return a;
    }
    if (e->op == OP_SUB && type_is_float(e->type) && e->arg[0] == e->arg[1] && of_state(t, e))
        return expr_float(g, e->type, 0);
    if (e->op == OP_EXP && is_float(e->arg[0], 0)) return expr_float(g, e->type, 1);
    return e->op == OP_IF && e->arg[1] == e->arg[2] ? e->arg[1] : e;
}

/* Of results of folds that have no element, what they are; of maps what they say. */
static const Expr *without_elements(ExprRewrite *r, const Expr *e) {
    const Trim *t = r->user;
    const Stage *def = e->op == OP_VALUE && made_inside(t, e->u.value) ? e->u.value->def : NULL;
    for (int i = 0; def && def->kind == STAGE_REDUCE && i < def->nout; i++)
        if (def->out[i] == e->u.value) return def->monoid->identity[i];
    return spelled_out(r, e);
}

/* Whether a set leaves its state as it is where the loop's folds have no element. */
static bool keeps_state(Lower *l, const Stage *loop, int set) {
    const Trim t = {.l = l, .loop = loop};
    ExprRewrite none = {
        .g = l->g, .temp = l->ctx, .before = without_elements, .after = settled_node, .user = (void *)&t};
    const Stage *s = loop->body.at[set];
    return expr_rewrite(&none, s->expr[0]) == expr_value(l->p, s->out[0]);
}

/* Nothing happens in an iteration whose folds have no element: there are folds in registers, what they add to, and what
 * leads to them. */
static bool only_folds(Lower *l, const Stage *loop) {
    for (int i = 0; i < loop->body.n; i++) {
        const Stage *s = loop->body.at[i];
        if (s->kind == STAGE_LOAD || s->kind == STAGE_MAP) continue;
        if (s->kind == STAGE_REDUCE && s->cond && !(s->over & ~reg_factors(l, s->over))) continue;
        bool ok = s->kind == STAGE_SET && keeps_state(l, loop, i);
        for (int k = 0; s->kind == STAGE_SET && k < i && !ok; k++)
            ok = loop->body.at[k]->kind == STAGE_REDUCE && accumulates(l, loop, i, loop->body.at[k]);
        if (!ok) return false;
    }
    return true;
}

static bool same(const Bounds *a, const Bounds *b) {
    if (a->nlo != b->nlo || a->nhi != b->nhi) return false;
    for (int i = 0; i < a->nlo; i++)
        if (a->lo[i] != b->lo[i]) return false;
    for (int i = 0; i < a->nhi; i++)
        if (a->hi[i] != b->hi[i]) return false;
    return true;
}

/* Of what holds, that which is among both's. */
static void keep_common(Bounds *b, const Bounds *other) {
    int kept = 0;
    for (int i = 0; i < b->nwhen; i++)
        for (int k = 0; k < other->nwhen; k++)
            if (b->when[i] == other->when[k]) b->when[kept++] = other->when[k];
    b->nwhen = kept;
}

/* The bounds that all folds of the loop share, where all have the same ends. */
static bool shared_bounds(const Trim *t, Bounds *b) {
    bool first = true;
    for (int i = 0; i < t->loop->body.n; i++) {
        const Stage *s = t->loop->body.at[i];
        Bounds own = {0};
        if (s->kind != STAGE_REDUCE) continue;
        bounds_of(t, s->cond, &own, 0);
        if (!first && !same(&own, b)) return false;
        if (first)
            *b = own;
        else
            keep_common(b, &own);
        first = false;
    }
    return b->nlo || b->nhi;
}

/* Declares the furthest of the ends, in a variable of one line. */
static void put_furthest(Lower *l, const Layout *layout, const Expr *const *end, int n, const char *name,
                         const char *further) {
    for (int i = 0; i < n; i++) {
        const Code *e = expr_code(l, end[i], layout);
        if (i == 0) {
            put_declare(l, "int64_t", sym(l->ctx, name), " = %c", e);
            continue;
        }
        put_if(l, code(l->ctx, "%c %s %s", e, further, name));
        put_do(l, "%s = %c", name, e);
        put_end(l);
    }
}

/* `all` becomes what this thread's registers have, where that reaches further. */
static void put_reach(Lower *l, const char *name, const char *further, Sym all) {
    put_if(l, code(l->ctx, "%s %s %n", name, further, all));
    put_do(l, "%n = %s", all, name);
    put_end(l);
}

/* ---- loops that end inside of a tile ---- */

static Found found_digits(const Expr *e, const void *index) {
    const bool digits = (e->op == OP_DIV || e->op == OP_MOD) && expr_has(e, expr_test_node, index);
    return digits ? FOUND : FOUND_INSIDE;
}

/* A place is a sum of digits, and so is what bounds or the like in it are of. */
static Found found_bounds(const Expr *e, const void *index) {
    const bool sums = e->op == OP_ADD || e->op == OP_SUB || e->op == OP_MUL || e->op == OP_CAST || !e->nargs;
    return !sums && expr_has(e, expr_test_node, index) ? FOUND : FOUND_INSIDE;
}

/* Whether an access in the loop has vectors along its axis. */
static bool has_vectors(const Trim *t, const Stage *s) {
    const Access *x = access_of(t->l, s);
    for (int i = 0; x && i < x->plan.nv; i++)
        if (x->plan.f[i]->axis == t->loop->axis) return true;
    return false;
}

/* Whether one of a stage's expressions holds what is asked for. */
static bool stage_has(const Stage *s, ExprTest *test, const void *of) {
    bool has = s->cond && expr_has(s->cond, test, of);
    for (int k = 0; k < MAX_PARTS; k++) has |= s->expr[k] && expr_has(s->expr[k], test, of);
    for (int d = 0; s->tensor && d < s->tensor->rank; d++) has |= expr_has(s->subs[d], test, of) != NULL;
    return has;
}

/* Whether the loop may end inside of a tile, and begin anywhere, not at multiples of its tile: an iteration has
 * registers and threads of the axis and no vector, and nobody asks for a digit of the index if it begins so. A block's
 * share of the axis ends elsewhere. */
static bool may_be_cut(const Trim *t, bool begins) {
    const Axis *a = t->loop->axis;
    const Expr *index = expr_var(t->l->g, a->var);
    if (t->l->part->layouts.n > 1) return false;
    for (int i = 0; i < t->layout->factors.n; i++) {
        const Factor *f = t->layout->factors.at[i];
        if (f->axis != a || f->size == 1) continue;
        const bool inside = f->bind == BIND_REG || (bind_scope(f->bind) == SCOPE_THREAD && f->size);
        if (!inside && (f->bind != BIND_SERIAL || f->size)) return false;
    }
    for (int i = 0; i < t->loop->body.n; i++)
        if (t->loop->body.at[i]->depth || has_vectors(t, t->loop->body.at[i])) return false;
    for (int i = 0; i < t->loop->body.n && begins; i++) {
        const Stage *s = t->loop->body.at[i];
        if (stage_has(s, found_digits, index)) return false;
        for (int d = 0; s->tensor && d < s->tensor->rank; d++)
            if (expr_has(s->subs[d], found_bounds, index)) return false;
    }
    return true;
}

static bool among(const Expr *e, const Expr *const *list, int n) {
    for (int i = 0; i < n; i++)
        if (list[i] == e) return true;
    return false;
}

/* Whether one condition says nothing that the bounds do not. */
static bool is_said(const Trim *t, const Expr *c, const Bounds *b) {
    Bounds own = {0};
    bounds_of(t, c, &own, 0);
    if (own.nwhen) return among(own.when[0], b->when, b->nwhen);
    bool all = own.nlo + own.nhi == (c->op == OP_EQ ? 2 : 1);
    for (int i = 0; i < own.nlo; i++) all &= among(own.lo[i], b->lo, b->nlo);
    for (int i = 0; i < own.nhi; i++) all &= among(own.hi[i], b->hi, b->nhi);
    return all;
}

/* A condition without what the bounds say; NULL: nothing else. */
static const Expr *unsaid(const Trim *t, const Expr *c, const Bounds *b) {
    const Stage *def = c->op == OP_VALUE && made_inside(t, c->u.value) ? c->u.value->def : NULL;
    if (def) return def->kind == STAGE_MAP && !unsaid(t, def->expr[0], b) ? NULL : c;
    if (c->op != OP_AND) return is_said(t, c, b) ? NULL : c;
    const Expr *x = unsaid(t, c->arg[0], b), *y = unsaid(t, c->arg[1], b);
    if (x == c->arg[0] && y == c->arg[1]) return c;
    return x && y ? expr2(t->l->g, OP_AND, x, y) : x ? x : y;
}

static const Expr **spare_conditions(const Trim *t, const Bounds *b) {
    const int n = t->loop->body.n;
    const Expr **conds = NEW_N(t->l->ctx, const Expr *, n);
    for (int i = 0; i < n; i++) {
        Stage *s = t->loop->body.at[i];
        conds[i] = s->cond;
        if (s->cond) s->cond = unsaid(t, s->cond, b);
    }
    return conds;
}

/* Maps that only spared conditions read are left out of the loop. Its stages, as they were. */
static Stage **spare_maps(const Trim *t, Stage *loop) {
    const int n = loop->body.n;
    Stage **all = NEW_N(t->l->ctx, Stage *, n), **kept = loop->body.at + n;
    memcpy(all, loop->body.at, sizeof *all * (size_t)n);
    for (int i = n - 1; i >= 0; i--) { /* what reads a value stands behind it */
        const Expr *made = all[i]->kind == STAGE_MAP ? expr_value(t->l->p, all[i]->out[0]) : NULL;
        bool read = !made;
        for (Stage **s = kept; s < loop->body.at + n && !read; s++) read = stage_has(*s, expr_test_node, made);
        if (read) *--kept = all[i];
    }
    loop->body.n = (int)(loop->body.at + n - kept);
    memmove(loop->body.at, kept, sizeof *kept * (size_t)loop->body.n);
    return all;
}

/* All that there has to be for a range to have elements; NULL: nothing is asked for. */
static const Code *all_of(const Trim *t, const Bounds *b) {
    const Code *all = NULL;
    for (int i = 0; i < b->nwhen; i++) all = code_join(t->l->ctx, all, " && ", expr_code(t->l, b->when[i], t->layout));
    return all;
}

/* An end of the loop: a new number, or what is declared already where there are elements only if something is given. */
static void put_bound(Lower *l, Sym end, const Code *given, const Code *value) {
    if (given)
        put_do(l, "%n = %c", end, value);
    else
        put_number(l, "I", end, value);
}

bool lower_trim(Lower *l, const LoopHead *h, LoopTrim *trim) {
    Stage *loop = h->stage;
    Trim t = {l, loop, l->part->layouts.at[0]};
    Bounds b = {0};
    if (loop->axis->peel || !only_folds(l, loop) || !shared_bounds(&t, &b)) return false;
    FactorSet domain = 0;
    for (int i = 0; i < b.nlo; i++) domain |= expr_domain(l->part, t.layout, b.lo[i]);
    for (int i = 0; i < b.nhi; i++) domain |= expr_domain(l->part, t.layout, b.hi[i]);
    for (int i = 0; i < b.nwhen; i++) domain |= expr_domain(l->part, t.layout, b.when[i]);
    const Code *start = h->start, *bound = h->bound, *step = h->step;
    Sym from = b.nlo ? name_of(l, &loop->axis, sym_fmt(l->ctx, "%s_first", loop->axis->name)) : NULL;
    Sym to = b.nhi ? name_of(l, &loop->body, sym_fmt(l->ctx, "%s_stop", loop->axis->name)) : NULL;
    Sym lo = b.nlo ? sym_fmt(l->ctx, "%s_least", from) : NULL, hi = b.nhi ? sym_fmt(l->ctx, "%s_most", to) : NULL;
    Factor *f[MAX_FACTORS];
    const int n = list_reg_factors(t.layout, domain, f);
    /* Where a range has elements only under a condition, as the chunks of long segments alone, its ends are computed
     * under it: few segments are long. */
    const Code *const when = all_of(&t, &b), *const given = n ? NULL : when;
    if (given) {
        if (lo) put_declare(l, "I", from, " = %c", bound);
        if (hi) put_declare(l, "I", to, " = %c", start);
        put_if(l, given);
    }
    if (lo) put_declare(l, "int64_t", lo, " = %c", bound);
    if (hi) put_declare(l, "int64_t", hi, " = %c", start);
    const int loops = put_reg_loops(l, f, n);
    Stmt *line = put_block(l);
    line->braces = INLINE;
    put_furthest(l, t.layout, b.lo, b.nlo, "lo", ">");
    put_furthest(l, t.layout, b.hi, b.nhi, "hi", "<");
    /* Beyond the ends of axes nothing is known of a range, and an empty one reaches nowhere. */
    const Code *some = lo && hi ? code(l->ctx, "lo < hi") : NULL, *inside = axis_predicate(l, t.layout, domain);
    if (inside) some = code_join(l->ctx, some, " && ", inside);
    if (when && !given) some = code_join(l->ctx, some, " && ", when);
    if (some) put_if(l, some)->braces = INLINE;
    if (lo) put_reach(l, "lo", "<", lo);
    if (hi) put_reach(l, "hi", ">", hi);
    if (some) put_end(l);
    put_end(l);
    put_ends(l, loops);
    const bool cut = may_be_cut(&t, lo != NULL);
    if (lo) {
        const Code *at = cut ? code(l->ctx, "(I)%n", lo)
                             : code(l->ctx, "%c + (I)((%n - (%c)) / (%c) * (%c))", start, lo, start, step, step);
        put_bound(l, from, given,
                  code(l->ctx, "%n <= %c ? %c : %n >= %c ? %c : %c", lo, start, start, lo, bound, bound, at));
    }
    if (hi)
        put_bound(l, to, given,
                  code(l->ctx, "%n >= %c ? %c : %n > %c ? (I)%n : %c", hi, bound, bound, hi, start, hi, start));
    if (given) put_end(l);
    *trim = (LoopTrim){from ? code_name(l->ctx, from) : start, to ? code_name(l->ctx, to) : bound, .cut = cut};
    if (!cut) return true;
    vec_push(l->ctx, &l->open.ends, ((LoopEnd){loop->axis, trim->end}));
    /* Of a thread with several rows the ends are the furthest ones. */
    if (n) return true;
    trim->nstages = loop->body.n;
    trim->conds = spare_conditions(&t, &b);
    trim->stages = spare_maps(&t, loop);
    return true;
}

void lower_trim_end(Lower *l, const LoopHead *h, const LoopTrim *trim) {
    if (trim->cut) l->open.ends.n--;
    for (int i = 0; i < trim->nstages; i++) {
        h->stage->body.at[i] = trim->stages[i];
        h->stage->body.at[i]->cond = trim->conds[i];
    }
    if (trim->nstages) h->stage->body.n = trim->nstages;
}
