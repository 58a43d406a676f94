/* Exponentials of which few digits are used: which exp(a) may be a power of two of one product, and which sigmoid(a)
 * the reciprocal of 1 and such a one.
 *
 * What that gives has 16 bits, all that is left of it where it is rounded to as many, also as a factor or beside a
 * constant. Of exp(a - m) it is off by few units in the last place of 1 where m is the maximum of a over some axes, so
 * it serves where the exponential is only summed along these, with the 1 that the maximum itself gives
 * (docs/language.md, 9.11). Both are read off the stages. That m covers a: m is a fold by max of a, directly, or of a
 * variable that a loop over the same axis raises to such folds. That its uses are harmless: each is followed to a
 * store or a fold by +, through values, variables that a loop adds to, products, and quotients of which it is the
 * numerator. Whatever is not understood is taken for a use of all digits. */
#include "under.h"

#include "ir/expr_is.h"
#include "ir/expr_walk.h"

#include <float.h>
#include <math.h>

enum { BUDGET = 400 }; /* nodes compared for one exponential */

/* A stage with what stands around it. */
typedef struct Place {
    Stage *stage;
    const Stage *guard; /* the innermost IF or LAST */
    FactorSet loops;    /* serial factors of the loops */
} Place;

typedef struct Under {
    Program *p;
    const Kernel *k;
    const Part *part;
    Ctx *ctx;
    bool rounds;       /* a stage rounds to 16 bits or fewer: without one all digits of most exponentials are used */
    VEC(Place) places; /* in the order of the text */
    VEC(const Expr *) found; /* exponentials, perhaps more than once */
} Under;

/* How a fold by max covers what is compared with it. */
typedef struct Cover {
    FactorSet apart;      /* the factors for each of which it is another maximum */
    const Stage *guard;   /* under which it is taken */
    bool attained;        /* by an element that these factors tell, rather than only a bound */
    const Value *running; /* the variable that it raises: of all that came before, too; NULL: none */
} Cover;

typedef struct Question {
    Under *u;
    Cover cover;
    int budget;
} Question;

/* ---- places ---- */

static FactorSet loop_factor(const Part *part, const Axis *a) {
    const Layout *layout = part->layouts.at[0];
    for (int i = 0; i < layout->factors.n; i++)
        if (layout->factors.at[i]->axis == a && layout->factors.at[i]->bind == BIND_SERIAL)
            return (FactorSet)1 << layout->factors.at[i]->id;
    return 0;
}

static void add_places(Under *u, Stage *const *s, int n, Place around) {
    for (int i = 0; i < n; i++) {
        Place at = around;
        at.stage = s[i];
        vec_push(u->ctx, &u->places, at);
        if (s[i]->kind == STAGE_FOR) at.loops |= loop_factor(u->part, s[i]->axis);
        if (s[i]->kind == STAGE_IF || s[i]->kind == STAGE_LAST) at.guard = s[i];
        add_places(u, s[i]->body.at, s[i]->body.n, at);
    }
}

static int place_of(const Question *q, const Stage *s) {
    for (int i = 0; i < q->u->places.n; i++)
        if (q->u->places.at[i].stage == s) return i;
    return -1;
}

static bool written(const Stage *const *s, int n, const Tensor *t) {
    for (int i = 0; i < n; i++) {
        bool here = (s[i]->kind == STAGE_STORE || s[i]->kind == STAGE_ATOMIC) && s[i]->tensor == t;
        if (here || written((const Stage *const *)s[i]->body.at, s[i]->body.n, t)) return true;
    }
    return false;
}

static bool kernel_writes(const Kernel *k, const Tensor *t) {
    for (int i = 0; i < k->parts.n; i++)
        if (written((const Stage *const *)k->parts.at[i]->body.at, k->parts.at[i]->body.n, t)) return true;
    return false;
}

/* ---- the same element ---- */

static bool same(Question *q, const Expr *a, const Expr *b);

static bool same_or_none(Question *q, const Expr *a, const Expr *b) { return a && b ? same(q, a, b) : a == b; }

/* The load or copy that a value comes from; NULL: it is no element of a tensor. */
static const Stage *loaded(const Value *v) {
    const Stage *s = v->def;
    if (s && s->kind == STAGE_READ && s->source->def) s = s->source->def;
    return s && (s->kind == STAGE_LOAD || s->kind == STAGE_COPY) ? s : NULL;
}

static bool same_load(Question *q, const Stage *a, const Stage *b) {
    if (a->tensor != b->tensor || kernel_writes(q->u->k, a->tensor)) return false;
    for (int i = 0; i < a->tensor->rank; i++)
        if (!same(q, a->subs[i], b->subs[i])) return false;
    return same_or_none(q, a->cond, b->cond) && same_or_none(q, a->other, b->other);
}

/* What a value was computed as, without rounding; NULL: nothing that could be compared. */
static const Expr *computed(const Expr *e) {
    const Stage *s = e->op == OP_VALUE ? e->u.value->def : NULL;
    return s && s->kind == STAGE_MAP && s->expr[0]->type == e->type ? s->expr[0] : NULL;
}

static bool mutable(const Expr *e) {
    return e->op == OP_VALUE && (!e->u.value->def || e->u.value->def->kind == STAGE_VAR);
}

/* Whether a and b, at the same digits and indices, are the same number. */
static bool same(Question *q, const Expr *a, const Expr *b) {
    if (q->budget-- <= 0 || a->type != b->type || mutable(a) || mutable(b)) return false;
    if (a == b && a->nargs == 0) return true;
    if (a->op == OP_VALUE && b->op == OP_VALUE) {
        const Stage *x = loaded(a->u.value), *y = loaded(b->u.value);
        if (x && y) return same_load(q, x, y);
    }
    if (computed(a)) return same(q, computed(a), b);
    if (computed(b)) return same(q, a, computed(b));
    if (a->op != b->op || a->nargs != b->nargs || a->u.i != b->u.i) return false;
    for (int i = 0; i < a->nargs; i++)
        if (!same(q, a->arg[i], b->arg[i])) return false;
    return a->nargs > 0;
}

/* ---- what is a maximum of a ---- */

static bool folds_by(const Stage *s, Op op) {
    if (s->kind != STAGE_REDUCE || s->nout != 1 || s->monoid->n != 1 || s->cond) return false;
    const Expr *c = s->monoid->combine[0];
    return c->op == op && c->arg[0]->op == OP_ARG && c->arg[1]->op == OP_ARG && c->arg[0] != c->arg[1];
}

static bool covers(Question *q, const Expr *m, const Expr *a, Cover *c);

/* The other operand where e is op of the variable and it; NULL: it is not. */
static const Expr *beside(const Expr *e, Op op, const Value *var) {
    if (e->op != op) return NULL;
    for (int i = 0; i < 2; i++)
        if (e->arg[i]->op == OP_VALUE && e->arg[i]->u.value == var) return e->arg[!i];
    return NULL;
}

static bool below_all(const Expr *e) { return e->op == OP_CONST && e->u.f <= -(double)FLT_MAX; }

/* A variable that is raised to maxima of a, all before the stage `by`. */
static bool variable_covers(Question *q, const Value *var, const Stage *by, const Expr *a, Cover *c) {
    int at = place_of(q, var->def), end = place_of(q, by), sets = 0;
    if (at < 0 || end < 0) return false;
    const Place *start = &q->u->places.at[at], *there = &q->u->places.at[end];
    for (int i = 0; i < q->u->places.n; i++) {
        const Place *p = &q->u->places.at[i];
        if (p->stage->kind != STAGE_SET || p->stage->out[0] != var) continue;
        const Expr *raised = beside(p->stage->expr[0], OP_MAX, var);
        Cover one;
        if (i > end || p->guard != start->guard || !raised) return false;
        if (!same(q, raised, a) && !covers(q, raised, a, &one)) return false;
        sets++;
    }
    const Expr *none = var->def->expr[0];
    const bool attained = there->loops == start->loops && none->op == OP_CONST && none->u.f < 0 && isinf(none->u.f);
    *c = (Cover){.apart = var->domain | start->loops, .guard = start->guard, .attained = attained};
    return sets > 0 && there->guard == start->guard;
}

/* `if isinf(m) then 0 else m` for m; else e. Where m is infinite, so is the sum, or all that is summed is 0. */
static const Expr *without_infinity(Question *q, const Expr *e) {
    const Expr *is = computed(e) ? computed(e) : e;
    const bool kept = is->op == OP_IF && is->arg[0]->op == OP_ISINF && is->arg[1]->op == OP_CONST;
    return kept && is->arg[1]->u.f == 0 && same(q, is->arg[0]->arg[0], is->arg[2]) ? is->arg[2] : e;
}

/* One of the two is a maximum of a. It remains one that is attained beside what is below all numbers: only a -inf is
 * less, of which the exponential is 0 exactly. */
static bool either_covers(Question *q, const Expr *most, const Expr *a, Cover *c) {
    const Expr *other = most->arg[0];
    if (!covers(q, most->arg[1], a, c)) {
        if (!covers(q, most->arg[0], a, c)) return false;
        other = most->arg[1];
    }
    c->attained &= below_all(other);
    if (mutable(other)) c->running = other->u.value;
    return true;
}

static bool covers(Question *q, const Expr *m, const Expr *a, Cover *c) {
    m = without_infinity(q, m);
    if (q->budget-- <= 0 || m->op != OP_VALUE || m->type != TY_F32) return false;
    const Value *v = m->u.value;
    int at = v->def ? place_of(q, v->def) : -1;
    if (at < 0) return false;
    const Place *p = &q->u->places.at[at];
    if (p->stage->kind == STAGE_MAP && p->stage->expr[0]->op == OP_MAX)
        return either_covers(q, p->stage->expr[0], a, c);
    if (!folds_by(p->stage, OP_MAX)) return false;
    const Expr *folded = p->stage->expr[0];
    *c = (Cover){.attained = true, .guard = p->guard, .apart = v->domain | p->loops};
    if (same(q, folded, a)) return true;
    Cover inner;
    if (folded->op != OP_VALUE) return false;
    bool var = folded->u.value->def && folded->u.value->def->kind == STAGE_VAR;
    if (!(var ? variable_covers(q, folded->u.value, p->stage, a, &inner) : covers(q, folded, a, &inner))) return false;
    c->attained = inner.attained && inner.guard == c->guard;
    c->apart = v->domain | (var ? inner.apart & p->loops : p->loops);
    return true;
}

/* ---- uses ---- */

static bool holds(const Expr *e, const Expr *x) { return e && expr_has(e, expr_test_node, x); }

/* Whether e is x or, of two cases, one of them. */
static bool is_case(const Expr *e, const Expr *x) {
    if (e == x || !holds(e, x)) return true;
    return e->op == OP_IF && !holds(e->arg[0], x) && is_case(e->arg[1], x) && is_case(e->arg[2], x);
}

/* A constant, or one of two, by a condition in which is no x. */
static bool is_constant(const Expr *e, const Expr *x) {
    if (e->op != OP_IF) return e->op == OP_CONST;
    return !holds(e->arg[0], x) && is_constant(e->arg[1], x) && is_constant(e->arg[2], x);
}

/* `c + x` of a constant above 0 and a result of these functions: that is not negative, so the two are as large as c. Of
 * what was made of one, as its negative, that is not known. */
static bool is_beside_more(const Expr *e, const Expr *x) {
    for (int i = 0; e->op == OP_ADD && op_under(x->op) && i < 2; i++)
        if (e->arg[i] == x && e->arg[!i]->op == OP_CONST) return e->arg[!i]->u.f > 0;
    return false;
}

/* Whether the relative error of e is that of x, or a small multiple; or beside a constant, of which x may be what is
 * subtracted: where they cancel, the exponent is near the constant's logarithm, and x has nearly all digits if that is
 * small. What is divided by may not be x itself: a tiny x is 0. */
static bool is_factor(const Expr *e, const Expr *x) {
    if (e == x || !holds(e, x)) return true;
    switch (e->op) {
    case OP_IF: return !holds(e->arg[0], x) && is_factor(e->arg[1], x) && is_factor(e->arg[2], x);
    case OP_MUL: return is_factor(e->arg[0], x) && is_factor(e->arg[1], x);
    case OP_DIV: return (!holds(e->arg[1], x) || is_beside_more(e->arg[1], x)) && is_factor(e->arg[0], x);
    case OP_NEG: return is_factor(e->arg[0], x);
    case OP_CAST: return type_is_float(e->type) && is_factor(e->arg[0], x);
    case OP_ADD:
    case OP_SUB:
        return (is_factor(e->arg[0], x) && is_constant(e->arg[1], x)) ||
               (is_constant(e->arg[0], x) && is_factor(e->arg[1], x));
    default: return false;
    }
}

static bool stage_holds(const Stage *s, const Expr *x) {
    bool any = holds(s->cond, x) || holds(s->other, x);
    for (int i = 0; i < MAX_PARTS; i++) any = any || holds(s->expr[i], x);
    for (int i = 0; s->subs && s->tensor && i < s->tensor->rank; i++) any = any || holds(s->subs[i], x);
    return any;
}

/* The one expression of a stage that has x is its operand. */
static bool only_operand(const Stage *s, const Expr *x) {
    for (int i = 0; s->subs && s->tensor && i < s->tensor->rank; i++)
        if (holds(s->subs[i], x)) return false;
    return !holds(s->cond, x) && !holds(s->other, x) && s->nout < 2;
}

static bool rounded(Type t) { return type_is_float(t) && type_bits(t) <= 16; }

static bool summed(Question *q, const Value *v);

/* What a loop adds up is only used behind the loop. */
static bool summed_variable(Question *q, const Value *var) {
    const Place *start = &q->u->places.at[place_of(q, var->def)];
    FactorSet apart = var->domain | start->loops;
    const Expr *x = expr_value(q->u->p, (Value *)var);
    bool whole = !(apart & ~q->cover.apart);
    for (int i = 0; i < q->u->places.n; i++) {
        const Place *p = &q->u->places.at[i];
        bool set = p->stage->kind == STAGE_SET && p->stage->out[0] == var;
        if (set && (p->guard != start->guard || !beside(p->stage->expr[0], OP_ADD, var))) return false;
        if (set || !stage_holds(p->stage, x)) continue;
        if (p->loops != start->loops || p->guard != start->guard) return false;
        if (whole) continue;
        if (!folds_by(p->stage, OP_ADD) || p->stage->expr[0] != x || !summed(q, p->stage->out[0])) return false;
    }
    return true;
}

/* A sum of exponentials, or a part of one, comes to a sum that has the maximum's own. */
static bool summed(Question *q, const Value *v) {
    int at = place_of(q, v->def);
    if (q->budget-- <= 0 || at < 0 || q->u->places.at[at].guard != q->cover.guard) return false;
    if (!((v->domain | q->u->places.at[at].loops) & ~q->cover.apart)) return true;
    const Expr *x = expr_value(q->u->p, (Value *)v);
    for (int i = 0; i < q->u->places.n; i++) {
        const Stage *s = q->u->places.at[i].stage;
        if (!stage_holds(s, x)) continue;
        bool added = s->kind == STAGE_SET && beside(s->expr[0], OP_ADD, s->out[0]) == x && s->out[0]->def &&
                     s->out[0]->def->kind == STAGE_VAR;
        if (!(added ? summed_variable(q, s->out[0]) : folds_by(s, OP_ADD) && s->expr[0] == x && summed(q, s->out[0])))
            return false;
    }
    return true;
}

/* The one stage that sets a variable, where its loop is and nothing else guards it; NULL: there is none, or another. */
static const Stage *only_set(const Question *q, const Value *var) {
    const Place *start = &q->u->places.at[place_of(q, var->def)];
    const Stage *set = NULL;
    for (int i = 0; i < q->u->places.n; i++) {
        const Place *p = &q->u->places.at[i];
        if (p->stage->kind != STAGE_SET || p->stage->out[0] != var) continue;
        if (set || p->guard != start->guard) return NULL;
        set = p->stage;
    }
    return set;
}

/* Whether e is `z * exp(M - m)`, where the variable M becomes m: what z was relative to M, relative to m. */
static const Value *rescaled(Question *q, const Expr *e, const Value *running, const Expr *m) {
    for (int i = 0; e->op == OP_MUL && i < 2; i++) {
        const Expr *z = e->arg[i], *by = e->arg[!i];
        if (!mutable(z) || by->op != OP_EXP || by->arg[0]->op != OP_SUB) continue;
        const Expr *from = by->arg[0]->arg[0];
        if (from->op == OP_VALUE && from->u.value == running && same(q, by->arg[0]->arg[1], m)) return z->u.value;
    }
    return NULL;
}

/* The stage other than the sum's own that has a value, where it is one; NULL: there are several, or none. */
static const Stage *only_use(const Question *q, const Value *v) {
    const Expr *x = expr_value(q->u->p, (Value *)v);
    const Stage *use = NULL;
    for (int i = 0; i < q->u->places.n; i++) {
        const Stage *s = q->u->places.at[i].stage;
        if (!stage_holds(s, x)) continue;
        if (use || !only_operand(s, x)) return NULL;
        use = s;
    }
    return use;
}

/* Sums in one pass: the sum v, relative to m, is added to a variable z that is brought to m each time, while another,
 * M, becomes m. Both begin with nothing; so an element that M comes from has added its 1 to z, as exact as corrections
 * are, and what is done with the two behind the loop is done with a sum that has its own maximum. */
static bool carried(Question *q, const Value *v, const Expr *m) {
    const Value *running = q->cover.running;
    const Stage *add = running ? only_use(q, v) : NULL, *last = add;
    if (!add || (add->kind != STAGE_MAP && add->kind != STAGE_SET) || add->expr[0]->op != OP_ADD) return false;
    const Expr *x = expr_value(q->u->p, (Value *)v), *const *arg = add->expr[0]->arg;
    const Value *z = arg[0] == x || arg[1] == x ? rescaled(q, arg[arg[0] == x], running, m) : NULL;
    if (add->kind == STAGE_MAP) last = only_use(q, add->out[0]);
    if (!z || !last || last != only_set(q, z)) return false;
    if (last != add && last->expr[0] != expr_value(q->u->p, add->out[0])) return false;
    const Expr *nothing = z->def->expr[0];
    const Stage *raise = only_set(q, running);
    const FactorSet apart = v->domain & ~q->u->places.at[place_of(q, v->def)].loops;
    return raise && same(q, raise->expr[0], m) && below_all(running->def->expr[0]) && nothing->op == OP_CONST &&
           nothing->u.f == 0 && apart == z->domain && apart == running->domain;
}

/* Whether all uses of x, an exponential relative to m or a value that is one, are harmless; `sums`: also in sums. */
static bool harmless(Question *q, const Expr *x, const Expr *m, bool sums) {
    for (int i = 0; i < q->u->places.n; i++) {
        const Stage *s = q->u->places.at[i].stage;
        if (!stage_holds(s, x)) continue;
        if (q->budget-- <= 0 || !only_operand(s, x)) return false;
        bool one = is_case(s->expr[0], x), ok = false;
        if (s->kind == STAGE_STORE)
            ok = rounded(s->tensor->type) && is_factor(s->expr[0], x);
        else if (s->kind == STAGE_MAP && is_factor(s->expr[0], x))
            ok = rounded(s->out[0]->type) || harmless(q, expr_value(q->u->p, s->out[0]), m, sums && one);
        else if (folds_by(s, OP_ADD))
            ok = sums && one && (q->cover.attained ? summed(q, s->out[0]) : carried(q, s->out[0], m));
        if (!ok) return false;
    }
    return true;
}

static bool rounds(const Stage *s) {
    return (s->kind == STAGE_STORE && rounded(s->tensor->type)) || (s->kind == STAGE_MAP && rounded(s->out[0]->type));
}

static bool is_under(Under *u, const Expr *e) {
    const Expr *below = computed(e->arg[0]) ? computed(e->arg[0]) : e->arg[0];
    Question q = {.u = u, .budget = BUDGET};
    if (u->rounds && harmless(&q, e, NULL, false)) return true;
    q.budget = BUDGET;
    if (e->op == OP_SIGMOID || below->op != OP_SUB || !covers(&q, below->arg[1], below->arg[0], &q.cover)) return false;
    return harmless(&q, e, below->arg[1], true);
}

static Found visit_exponential(const Expr *e, void *user) {
    Under *u = user;
    if (op_under(e->op) && e->type == TY_F32) vec_push(u->ctx, &u->found, e);
    return FOUND_INSIDE;
}

void under_find(Program *p, const Kernel *k, const Part *part, Ctx *ctx, ExprMap *under) {
    Under u = {.p = p, .k = k, .part = part, .ctx = ctx};
    *under = (ExprMap){0};
    add_places(&u, part->body.at, part->body.n, (Place){0});
    for (int i = 0; i < u.places.n; i++)
        for (int e = 0; e < MAX_PARTS; e++)
            if (u.places.at[i].stage->expr[e]) expr_visit(u.places.at[i].stage->expr[e], visit_exponential, &u);
    for (int i = 0; i < u.places.n && u.found.n; i++) u.rounds |= rounds(u.places.at[i].stage);
    for (int i = 0; i < u.found.n; i++)
        if (is_under(&u, u.found.at[i])) expr_map_put_number(ctx, under, u.found.at[i], 1);
}
