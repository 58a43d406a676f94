/* Tuned schedules: see tuned.h. */
#include "tuned.h"

#include "apply.h"
#include "given.h"
#include "ir/diag.h"
#include "ir/expr_walk.h"
#include "ir/monoid.h"
#include "ir/poly/poly.h"

#include <string.h>

_Static_assert((int)TUNE_AXES >= (int)MAX_GROUP_AXES && (int)TUNE_TOGETHER == (int)MAX_TOGETHER,
               "a line holds any group's schedules");

Tuned *tuned_new(Ctx *ctx, const Tuning *t, int machine) {
    Tuned *x = NEW(ctx, Tuned);
    *x = (Tuned){.ctx = ctx, .tuning = t, .machine = machine, .said = NEW_N(ctx, bool, t->schedules.n + 1)};
    return x;
}

/* ---- the form ---- */

/* Integers up to this are what they are: the steps of windows and the fields of a box, which decide how memory is read.
 * Larger ones may be lengths. */
enum { SMALL = 16 };

typedef struct Forming {
    Group *gr;
    Ctx *ctx; /* for as long as it takes */
    Text *out;
    ExprMap node, tensor; /* -> the number that it has in the text */
    int nodes, tensors;
} Forming;

/* Whether e is a number that is the same everywhere: lengths, parameters, constants, and what is made of them. */
static bool is_number(Group *gr, const Expr *e) {
    return !e->loads && !e->reduces && e->op != OP_VAR && e->op != OP_ARG && !group_free(gr, e);
}

static void put_operand(Forming *x, const Expr *e) {
    const GStep *step = e->op == OP_REDUCE ? group_step(x->gr, e) : NULL;
    int64_t v;
    if (step)
        text_fmt(x->out, " s%d.%d", (int)(step - x->gr->steps.at), e->u.reduce->part);
    else if (!is_number(x->gr, e))
        text_fmt(x->out, " #%d", (int)expr_map_number(&x->node, e, -1));
    else if (expr_is_int(e, &v) && v >= -SMALL && v <= SMALL)
        text_fmt(x->out, " %d", (int)v);
    else
        text_fmt(x->out, " %s", type_name(e->type));
}

static bool same_length(const Expr *a, const Expr *b) {
    int64_t m, n;
    return a == b || (expr_is_int(a, &m) && expr_is_int(b, &n) && m == n);
}

static int axis_of(const Group *gr, const Expr *e) {
    for (int a = 0; a < gr->axes.n && e->op == OP_VAR; a++)
        if (gr->axes.at[a].var == e->u.var) return a;
    return -1;
}

/* A tensor, and of each of its dimensions that an axis walks by itself whether that is all of it. */
static void put_tensor(Forming *x, const Tensor *t, const Expr *const *subs) {
    int n = (int)expr_map_number(&x->tensor, t, -1);
    if (n < 0) expr_map_put_number(x->ctx, &x->tensor, t, n = x->tensors++);
    text_fmt(x->out, " t%d:%s", n, type_name(t->type));
    for (int d = 0; d < t->rank; d++) {
        const int a = axis_of(x->gr, subs[d]);
        const Var *v = a < 0 ? NULL : x->gr->axes.at[a].var;
        int64_t lo;
        text_char(x->out, !v ? '?' : expr_is_int(v->lo, &lo) && !lo && same_length(v->hi, t->shape[d]) ? '=' : '<');
    }
}

static Found enter(const Expr *e, void *user) {
    Forming *x = user;
    return e->op == OP_REDUCE || is_number(x->gr, e) ? FOUND_NOT : FOUND_INSIDE;
}

static void put_node(const Expr *e, void *user) {
    Forming *x = user;
    expr_map_put_number(x->ctx, &x->node, e, x->nodes++);
    text_fmt(x->out, "%s %s", op_text(e->op), type_name(e->type));
    if (e->op == OP_VAR) text_fmt(x->out, " i%d", axis_of(x->gr, e));
    if (e->op == OP_ARG) text_fmt(x->out, " %lld", (long long)e->u.i);
    if (e->op == OP_LOAD) put_tensor(x, e->u.tensor, (const Expr *const *)e->arg);
    for (int i = 0; i < e->nargs; i++) put_operand(x, e->arg[i]);
    text_char(x->out, '\n');
}

static void put_expr(Forming *x, ExprWalk *w, const Expr *e) {
    if (e) expr_walk(w, e);
    text_put(x->out, e ? ":" : "-");
    if (e) put_operand(x, e);
    text_char(x->out, '\n');
}

static void put_step(Forming *x, ExprWalk *w, const GStep *s) {
    const bool declared = monoid_declared(s->monoid);
    for (int i = 0; declared && i < s->monoid->n; i++) put_expr(x, w, s->monoid->combine[i]);
    for (int i = 1; i < s->node->nargs; i++) put_expr(x, w, s->node->arg[i]);
    put_expr(x, w, s->guard);
    text_fmt(x->out, "%s %x %x %x%s%s\n", declared ? "declared" : s->monoid->name, (unsigned)s->over, (unsigned)s->free,
             (unsigned)s->under, s->scan ? " scan" : "", s->exclusive ? " exclusive" : "");
}

static void put_store(Forming *x, ExprWalk *w, const GStore *s) {
    for (int d = 0; d < s->tensor->rank; d++) put_expr(x, w, s->subs[d]);
    put_expr(x, w, s->guard);
    put_expr(x, w, s->value);
    put_tensor(x, s->tensor, s->subs);
    text_fmt(x->out, "%s\n", s->update ? s->update->name : "");
}

/* FNV-1a. */
static uint64_t hash_of(const Text *t) {
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < t->n; i++) h = (h ^ (unsigned char)t->s[i]) * 1099511628211u;
    return h;
}

uint64_t tuned_form(Group *gr) {
    Ctx *temp = ctx_temp(gr->graph->ctx);
    Text out = {.ctx = temp};
    Forming x = {.gr = gr, .ctx = temp, .out = &out};
    ExprWalk w = {.temp = temp, .before = enter, .after = put_node, .user = &x};
    for (int a = 0; a < gr->axes.n; a++) {
        const GAxis *v = &gr->axes.at[a];
        text_fmt(&out, "axis %d%d%d%d%d\n", v->indexed, v->folded, v->scanned, v->ordered, v->merged);
    }
    for (int i = 0; i < gr->steps.n; i++) put_step(&x, &w, &gr->steps.at[i]);
    for (int i = 0; i < gr->stores.n; i++) put_store(&x, &w, &gr->stores.at[i]);
    const uint64_t h = hash_of(&out);
    ctx_temp_end(temp);
    return h;
}

/* ---- versions ---- */

typedef struct Taking {
    Group *gr;
    const TuneSchedule *line;
    Version v;
    int64_t most[MAX_TOGETHER][MAX_GROUP_AXES];
    bool never; /* no sizes are so */
} Taking;

static void test(Taking *x, Op op, const Expr *e, int64_t than) {
    Graph *g = x->gr->graph;
    const Expr *is = expr2(g, op, e, expr_int(g, TY_I64, than));
    Ctx *temp = ctx_temp(g->ctx);
    const PolyEnv env = {.g = g, .ctx = temp};
    const int truth = cond_truth(&env, is);
    ctx_temp_end(temp);
    x->never |= truth == 0;
    if (truth < 0) x->v.when = expr_and(g, x->v.when, is);
}

static bool is_so(const TuneLength *l, int64_t n) {
    return n >= l->lo && n <= l->hi && (l->divisor <= 1 || (n % l->divisor == 0) == l->multiple);
}

/* The lengths of an axis for which the line is, and the schedule legal. False where there are none. */
static bool test_axis(Taking *x, int a) {
    TuneLength l = x->line->length[a];
    if (l.hi > x->most[0][a]) l.hi = x->most[0][a];
    if (l.lo > l.hi) return false;
    if (x->gr->axes.at[a].extent >= 0) x->never |= !is_so(&l, x->gr->axes.at[a].extent);
    if (!(versions_testable(x->gr) >> a & 1)) return true;
    Graph *g = x->gr->graph;
    const Expr *length = versions_length(x->gr, (AxisSet)1 << a);
    if (l.lo == l.hi) {
        test(x, OP_EQ, length, l.lo);
        return true;
    }
    if (l.lo > 0) test(x, OP_GE, length, l.lo);
    if (l.hi < INT64_MAX) test(x, OP_LE, length, l.hi);
    if (l.divisor > 1) test(x, l.multiple ? OP_EQ : OP_NE, expr2(g, OP_MOD, length, expr_int(g, TY_I64, l.divisor)), 0);
    return true;
}

/* Whether a line is a version for a group, which becomes x->v; false after saying in *why what it lacks. */
static bool take(Taking *x, Targets t, Text *why) {
    const TuneSchedule *line = x->line;
    const SchedLimits limits = versions_limits(t);
    GivenTexts texts = {.n = line->n, .numbered = true};
    GivenFault fault;
    for (int k = 0; k < line->n; k++) texts.text[k] = line->text[k];
    if (!given_version(x->gr, &texts, &x->v, x->most, &fault)) return text_put(why, fault.why.s), false;
    x->v.span = line->span;
    for (int k = 0; k < x->v.n; k++) {
        Group *gr = x->v.group[k];
        int64_t most[MAX_GROUP_AXES];
        if (!sched_legal(gr, x->v.schedule[k], &limits, most, why)) return false;
        for (int a = 0; k > 0 && a < gr->axes.n; a++)
            if (x->most[k][a] < INT64_MAX) return text_fail(why, "what folds the shares does not hold all of them");
    }
    for (int a = 0; a < line->naxes; a++)
        if (!test_axis(x, a)) return text_fail(why, "its factors do not hold these lengths");
    return true;
}

static void warn(Tuned *x, int i, const Group *gr, const Text *why) {
    if (x->said[i]) return;
    x->said[i] = true;
    Diag *d = diag_report(x->ctx, DIAG_TUNING_STALE, x->tuning->schedules.at[i].span,
                          "the schedule is not legal for %s and is not used: %s", gr->name, why->s);
    diag_help(x->ctx, d, "tune again, or delete the line");
}

void tuned_versions(Tuned *x, Group *gr, Targets t, int most, Versions *v) {
    *v = versions_room(gr->graph->ctx, most);
    const uint64_t form = tuned_form(gr);
    for (int i = 0; i < x->tuning->schedules.n && v->n < most; i++) {
        const TuneSchedule *line = &x->tuning->schedules.at[i];
        if (line->machine != x->machine || line->form != form || line->naxes != gr->axes.n) continue;
        Taking one = {.gr = gr, .line = line};
        Text why = {.ctx = x->ctx};
        if (!take(&one, t, &why)) {
            warn(x, i, gr, &why);
            continue;
        }
        if (one.never) continue;
        v->at[v->n++] = one.v;
        if (!one.v.when) break;
    }
}
