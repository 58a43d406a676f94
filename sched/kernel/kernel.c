/* The tables of the Kernel form and the functions that build programs. What can be derived from what is built here is
 * kernel_finish.c's. Nothing here decides whether a kernel is legal (kernel_verify.c). */
#include "kernel.h"
#include "ir/expr_is.h"
#include "ir/expr_walk.h"

static const char *const BINDS[] = {
#define BIND(e, text, scope) #text,
#include "binds.def"
#undef BIND
};

static const char *const STAGES[] = {
#define STAGE(e, text) #text,
#include "stages.def"
#undef STAGE
};

const char *bind_text(Bind b) { return BINDS[b]; }
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

static void order_values(Program *p, Part *part, Stage *const *at, int n) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < at[i]->nout && at[i]->kind != STAGE_SET; k++) {
            at[i]->out[k]->id = part->values.n;
            vec_push(p->ctx, &part->values, at[i]->out[k]);
        }
        order_values(p, part, at[i]->body.at, at[i]->body.n);
    }
}

void part_order_values(Program *p, Part *part) {
    part->values.n = 0; /* no more of them than there were */
    order_values(p, part, part->body.at, part->body.n);
}

Stage *stage_new(Program *p, StageKind kind) {
    static Value *const nothing[MAX_PARTS] = {NULL};
    Stage *s = NEW(p->ctx, Stage);
    s->kind = kind;
    s->carry = nothing;
    s->depth = kind == STAGE_COPY ? 1 : 0;
    s->span = SPAN_NONE;
    return s;
}

void stage_carry(Program *p, Stage *s, Value *const *state) {
    Value **own = NEW_N(p->ctx, Value *, MAX_PARTS);
    memcpy(own, state, sizeof *own * (size_t)s->monoid->n);
    s->carry = own;
}

const Expr *expr_value(Program *p, Value *v) {
    if (!v->node) v->node = expr_leaf(p->graph, OP_VALUE, v->type, v);
    return v->node;
}

const Expr *expr_factor(Program *p, Factor *f) {
    if (!f->node) f->node = expr_leaf(p->graph, OP_FACTOR, TY_I64, f);
    return f->node;
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

const Axis *part_asks_end(const Part *part, const Expr *e) {
    for (int i = 0; e->op == OP_LT && e->arg[0]->op == OP_VAR && i < part->axes.n; i++) {
        const Axis *a = part->axes.at[i];
        if (a->var == e->arg[0]->u.var && a->hi == e->arg[1]) return a;
    }
    return NULL;
}

bool layout_by_threads(const Layout *l) {
    enum { MANY = 16 };
    bool by_threads = false;
    for (int i = 0; i < l->factors.n && !by_threads; i++) {
        int64_t threads = 1, registers = 1;
        for (int k = 0; k < l->factors.n; k++) {
            const Factor *f = l->factors.at[k];
            if (f->axis != l->factors.at[i]->axis) continue;
            if (bind_scope(f->bind) == SCOPE_THREAD) threads *= f->size;
            if (bind_scope(f->bind) == SCOPE_REG) registers *= f->size;
        }
        by_threads = threads >= MANY && registers > 1;
    }
    return by_threads;
}

int stage_slots(const Part *part, const Stage *copy) {
    if (!copy->held) return copy->depth;
    for (int i = 0; i < part->factors.n; i++) {
        const Factor *f = part->factors.at[i];
        if (f->bind == BIND_SERIAL && f->size && copy->out[0]->domain >> f->id & 1) return (int)f->size;
    }
    return 1;
}

int64_t stage_bins_length(const Stage *bins) {
    int64_t n = 1;
    const FactorSet own = layout_axis_factors(bins->layout, bins->axis);
    for (int i = 0; i < bins->layout->factors.n; i++) {
        const Factor *f = bins->layout->factors.at[i];
        if (own >> f->id & 1 && bind_scope(f->bind) != SCOPE_BLOCK && !mul_ok(n, f->size, &n)) return INT64_MAX;
    }
    return n;
}

int64_t stage_bins_rows(const Stage *bins) {
    const Layout *l = bins->layout;
    const FactorSet tile = layout_scope_factors(l, SCOPE_THREAD) | layout_scope_factors(l, SCOPE_REG);
    int64_t n = 1;
    for (int i = 0; i < l->factors.n; i++)
        if (bins->out[0]->domain & tile & ((FactorSet)1 << l->factors.at[i]->id) &&
            !mul_ok(n, l->factors.at[i]->size, &n))
            return INT64_MAX;
    return n;
}

bool stage_is_apart(const Layout *l, const Stage *s) {
    switch (s->kind) {
    case STAGE_READ: return s->source->def->held;
    case STAGE_STORE: return s->path != PATH_BULK && !s->meet;
    case STAGE_REDUCE: return !(s->over & ~layout_scope_factors(l, SCOPE_REG));
    case STAGE_LOAD:
    case STAGE_MAP:
    case STAGE_VAR:
    case STAGE_SET:
    case STAGE_ATOMIC: return true;
    default: return false;
    }
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

static Found loads_rare(const Expr *e, const void *unused) {
    (void)unused;
    const Stage *def = e->op == OP_VALUE ? e->u.value->def : NULL;
    return def && def->kind == STAGE_LOAD && def->tensor->usually_zero ? FOUND : FOUND_INSIDE;
}

static bool stores_rarely(Stage *const *at, int n, bool *any) {
    bool all = true;
    for (int i = 0; i < n && all; i++) {
        const bool stores = at[i]->kind == STAGE_STORE || at[i]->kind == STAGE_ATOMIC;
        *any |= stores;
        if (stores) all = at[i]->cond && expr_has(at[i]->cond, loads_rare, NULL);
        all = all && stores_rarely(at[i]->body.at, at[i]->body.n, any);
    }
    return all;
}

bool kernel_is_rare(const Kernel *k) {
    bool any = false, all = true;
    for (int i = 0; i < k->parts.n && all; i++)
        all = stores_rarely(k->parts.at[i]->body.at, k->parts.at[i]->body.n, &any);
    return any && all;
}
