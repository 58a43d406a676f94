/* The tables of the Kernel form and the functions that build programs. What can be derived from what is built here is
 * kernel_finish.c's. Nothing here decides whether a kernel is legal (kernel_verify.c). */
#include "kernel.h"
#include "ir/expr_walk.h"

#include <math.h>

static const struct {
    const char *text;
    BindScope scope;
} BINDS[] = {
#define BIND(e, text, scope) {#text, SCOPE_##scope},
#include "binds.def"
#undef BIND
};

static const char *const STAGES[] = {
#define STAGE(e, text) #text,
#include "stages.def"
#undef STAGE
};

const char *bind_text(Bind b) { return BINDS[b].text; }
BindScope bind_scope(Bind b) { return BINDS[b].scope; }
const char *stage_text(StageKind k) { return STAGES[k]; }

int cell_bytes(Type t) { return t == TY_BOOL || type_bits(t) < 32 ? 4 : type_bits(t) / 8; }

bool digit_in_warp(int64_t stride, int64_t size) {
    return !(stride & (stride - 1)) && !(size & (size - 1)) && stride * size <= 32;
}

Program *program_new(Ctx *ctx, Graph *g) {
    Program *p = NEW(ctx, Program);
    p->ctx = ctx;
    p->graph = g;
    return p;
}

Kernel *kernel_new(Program *p, Sym name) { return kernel_new_at(p, &p->steps, name); }

Kernel *kernel_new_at(Program *p, StepList *at, Sym name) {
    Kernel *k = NEW(p->ctx, Kernel);
    k->name = name;
    k->cluster = 1;
    k->span = SPAN_NONE;
    vec_push(p->ctx, &p->kernels, k);
    vec_push(p->ctx, at, ((Step){.kind = STEP_KERNEL, .kernel = k}));
    return k;
}

Part *part_new(Program *p, Kernel *k, Sym name) {
    Part *part = NEW(p->ctx, Part);
    part->name = name;
    vec_push(p->ctx, &k->parts, part);
    return part;
}

Axis *part_axis(Program *p, Part *part, Sym name, const Expr *lo, const Expr *hi) {
    Axis *a = NEW(p->ctx, Axis);
    a->name = name;
    a->lo = lo;
    a->hi = hi;
    a->var = graph_var(p->graph, name, lo, hi);
    a->id = part->axes.n;
    vec_push(p->ctx, &part->axes, a);
    return a;
}

Layout *part_layout(Program *p, Part *part, Sym name) {
    Layout *l = NEW(p->ctx, Layout);
    l->name = name;
    l->id = part->layouts.n;
    vec_push(p->ctx, &part->layouts, l);
    return l;
}

static int count_bind(const Layout *l, const Axis *a, Bind bind) {
    int n = 0;
    for (int i = 0; i < l->factors.n; i++) n += l->factors.at[i]->axis == a && l->factors.at[i]->bind == bind;
    return n;
}

/* The n-th factor of an axis with a binding in a layout, or NULL. */
static Factor *nth_bind(const Layout *l, const Axis *a, Bind bind, int n) {
    for (int i = 0; i < l->factors.n; i++) {
        Factor *f = l->factors.at[i];
        if (f->axis == a && f->bind == bind && n-- == 0) return f;
    }
    return NULL;
}

Factor *layout_factor(Program *p, Part *part, Layout *l, Axis *a, Bind bind, int64_t size) {
    Factor *f = NULL;
    if (l->id > 0 && (bind_scope(bind) == SCOPE_BLOCK || bind_scope(bind) == SCOPE_LOOP)) {
        f = nth_bind(part->layouts.at[0], a, bind, count_bind(l, a, bind));
        if (f && f->size != size) f = NULL; /* the verifier says so */
    }
    if (!f) {
        f = NEW(p->ctx, Factor);
        *f = (Factor){.id = part->factors.n, .axis = a, .bind = bind, .size = size};
        vec_push(p->ctx, &part->factors, f);
    }
    vec_push(p->ctx, &l->factors, f);
    if (f->id < MAX_FACTORS) l->all |= (FactorSet)1 << f->id;
    return f;
}

Value *part_value(Program *p, Part *part, Sym name, ValueKind kind, Type t, Layout *l, FactorSet domain) {
    Value *v = NEW(p->ctx, Value);
    *v = (Value){.name = name, .kind = kind, .type = t, .layout = l, .domain = domain, .id = part->values.n};
    vec_push(p->ctx, &part->values, v);
    return v;
}

Stage *stage_new(Program *p, StageKind kind) {
    Stage *s = NEW(p->ctx, Stage);
    s->kind = kind;
    s->depth = kind == STAGE_COPY ? 1 : 0;
    s->span = SPAN_NONE;
    return s;
}

const Expr *expr_value(Program *p, Value *v) {
    if (!v->node) v->node = expr_leaf(p->graph, OP_VALUE, v->type, v);
    return v->node;
}

const Expr *expr_factor(Program *p, Factor *f) {
    if (!f->node) f->node = expr_leaf(p->graph, OP_FACTOR, TY_I64, f);
    return f->node;
}

/* ---- monoids ---- */

static int64_t int_lowest(Type t) {
    if (type_class(t) == CLASS_UINT) return 0;
    return type_bits(t) == 64 ? INT64_MIN : -((int64_t)1 << (type_bits(t) - 1));
}

static int64_t int_highest(Type t) {
    if (type_bits(t) == 64) return INT64_MAX;
    return ((int64_t)1 << (type_bits(t) - (type_class(t) == CLASS_UINT ? 0 : 1))) - 1;
}

/* The value that a maximum (minimum) of nothing has. */
static const Expr *extreme(Graph *g, Type t, bool lowest) {
    if (type_is_float(t)) return expr_float(g, t, lowest ? -INFINITY : INFINITY);
    return expr_int(g, t, lowest ? int_lowest(t) : int_highest(t));
}

static const Expr *number(Graph *g, Type t, int v) {
    return type_is_float(t) ? expr_float(g, t, v) : expr_int(g, t, v);
}

static const Expr *monoid_arg(Graph *g, Type t, int i) { return expr_node(g, OP_ARG, t, false, i, NULL, 0); }

/* (v, i) against (v', i'): the right one wins when it is not empty and is better, or equal and earlier. A NaN is better
 * than every number; an index of -1 marks the empty state. */
static void build_arg(Program *p, Monoid *m, bool largest) {
    Graph *g = p->graph;
    Type t = m->type[0];
    const Expr *v = monoid_arg(g, t, 0), *i = monoid_arg(g, TY_I64, 1), *v2 = monoid_arg(g, t, 2),
               *i2 = monoid_arg(g, TY_I64, 3);
    const Expr *zero = expr_int(g, TY_I64, 0);
    const Expr *better = expr2(g, largest ? OP_GT : OP_LT, v2, v), *equal = expr2(g, OP_EQ, v2, v);
    if (type_is_float(t)) {
        const Expr *n = expr1(g, OP_ISNAN, v), *n2 = expr1(g, OP_ISNAN, v2);
        better = expr2(g, OP_AND, expr1(g, OP_NOT, n), expr2(g, OP_OR, n2, better));
        equal = expr2(g, OP_OR, equal, expr2(g, OP_AND, n, n2));
    }
    const Expr *wins = expr2(g, OP_OR, better, expr2(g, OP_AND, equal, expr2(g, OP_LT, i2, i)));
    const Expr *take = expr2(g, OP_AND, expr2(g, OP_GE, i2, zero), expr2(g, OP_OR, expr2(g, OP_LT, i, zero), wins));
    m->n = 2;
    m->type[1] = TY_I64;
    m->identity[0] = extreme(g, t, largest);
    m->identity[1] = expr_int(g, TY_I64, -1);
    m->combine[0] = expr3(g, OP_IF, take, v2, v);
    m->combine[1] = expr3(g, OP_IF, take, i2, i);
}

Monoid *monoid_builtin(Program *p, MonoidKind kind, Type t) {
    Graph *g = p->graph;
    Monoid *m = NEW(p->ctx, Monoid);
    m->name = sym(p->ctx, monoid_name(kind));
    m->n = 1;
    m->type[0] = t;
    const Expr *a = monoid_arg(g, t, 0), *b = monoid_arg(g, t, 1);
    switch (kind) {
    case MONOID_SUM:
        m->identity[0] = number(g, t, 0);
        m->combine[0] = expr2(g, OP_ADD, a, b);
        break;
    case MONOID_PROD:
        m->identity[0] = number(g, t, 1);
        m->combine[0] = expr2(g, OP_MUL, a, b);
        break;
    case MONOID_MAX:
    case MONOID_MIN:
        m->identity[0] = extreme(g, t, kind == MONOID_MAX);
        m->combine[0] = expr2(g, kind == MONOID_MAX ? OP_MAX : OP_MIN, a, b);
        break;
    case MONOID_ANY:
    case MONOID_ALL:
        m->identity[0] = expr_int(g, TY_BOOL, kind == MONOID_ALL);
        m->combine[0] = expr2(g, kind == MONOID_ANY ? OP_OR : OP_AND, a, b);
        break;
    case MONOID_ARGMAX:
    case MONOID_ARGMIN: build_arg(p, m, kind == MONOID_ARGMAX); break;
    case MONOID_COUNT: break;
    }
    return m;
}

/* ---- factor sets ---- */

FactorSet layout_axis_factors(const Layout *l, const Axis *a) {
    FactorSet set = 0;
    for (int i = 0; i < l->factors.n; i++)
        if (l->factors.at[i]->axis == a) set |= (FactorSet)1 << l->factors.at[i]->id;
    return set;
}

FactorSet layout_scope_factors(const Layout *l, BindScope scope) {
    FactorSet set = 0;
    for (int i = 0; i < l->factors.n; i++)
        if (bind_scope(l->factors.at[i]->bind) == scope) set |= (FactorSet)1 << l->factors.at[i]->id;
    return set;
}

FactorSet layout_tile_factors(const Layout *l, const Axis *a) {
    FactorSet tile = layout_scope_factors(l, SCOPE_THREAD) | layout_scope_factors(l, SCOPE_REG);
    return layout_axis_factors(l, a) & tile;
}

typedef struct Domain {
    const Part *part;
    const Layout *l;
    FactorSet set;
} Domain;

static Found add_domain(const Expr *e, void *domain) {
    Domain *x = domain;
    for (int i = 0; e->op == OP_VAR && i < x->part->axes.n; i++) {
        const Axis *a = x->part->axes.at[i];
        if (a->var == e->u.var) x->set |= layout_axis_factors(x->l, a) | a->row;
    }
    if (e->op == OP_VALUE) x->set |= e->u.value->domain;
    if (e->op == OP_FACTOR) x->set |= (FactorSet)1 << e->u.factor->id;
    return FOUND_INSIDE;
}

FactorSet expr_domain(const Part *part, const Layout *l, const Expr *e) {
    Domain x = {part, l, 0};
    expr_visit(e, add_domain, &x);
    return x.set;
}
