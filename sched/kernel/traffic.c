/* The bytes that a kernel reads and writes: of every access, the elements that its subscripts can name; accesses with
 * the same subscripts name the same ones. A product for the library has the same equation, so it moves the same. */
#include "traffic.h"
#include "ir/expr_walk.h"
#include "ir/interp/interp.h"

typedef struct Access {
    const Stage *stage;
    const Part *part;
    bool written;
} Access;

typedef struct Counting {
    const Program *p;
    const int64_t *dims;
    VEC(Access) list;
} Counting;

static bool same_elements(const Access *a, const Access *b) {
    if (a->part != b->part || a->stage->tensor != b->stage->tensor || a->written != b->written) return false;
    for (int d = 0; d < a->stage->tensor->rank; d++)
        if (a->stage->subs[d] != b->stage->subs[d]) return false;
    return true;
}

static void note(Counting *x, const Part *part, const Stage *s, bool written) {
    Access a = {s, part, written};
    for (int i = 0; i < x->list.n; i++)
        if (same_elements(&x->list.at[i], &a)) return;
    vec_push(x->p->ctx, &x->list, a);
}

static void find(Counting *x, const Part *part, Stage *const *at, int n) {
    for (int i = 0; i < n; i++) {
        const Stage *s = at[i];
        if (s->kind == STAGE_LOAD || s->kind == STAGE_COPY) note(x, part, s, false);
        if (s->kind == STAGE_STORE || s->kind == STAGE_ATOMIC) note(x, part, s, true);
        if (s->kind == STAGE_ATOMIC) note(x, part, s, false);
        find(x, part, s->body.at, s->body.n);
    }
}

/* Axes whose variables stand in an expression, by their places in the part, and factors that stand there by
 * themselves. */
typedef struct Used {
    const Part *part;
    uint64_t axes;
    FactorSet factors;
} Used;

static Found add_used(const Expr *e, void *used) {
    Used *x = used;
    const Part *part = x->part;
    for (int i = 0; e->op == OP_VAR && i < part->axes.n; i++)
        if (part->axes.at[i]->var == e->u.var) x->axes |= (uint64_t)1 << (i & 63);
    if (e->op == OP_FACTOR) x->factors |= (FactorSet)1 << e->u.factor->id;
    for (int i = 0; e->op == OP_VALUE && i < part->axes.n; i++) /* data: of all elements of its axes */
        for (int k = 0; k < part->factors.n; k++)
            if (e->u.value->domain >> k & 1 && part->factors.at[k]->axis == part->axes.at[i])
                x->axes |= (uint64_t)1 << (i & 63);
    return FOUND_INSIDE;
}

/* At most how many elements the subscripts name; false where that is not known. */
static bool elements(const Counting *x, const Access *a, int64_t *n) {
    Used used = {.part = a->part};
    *n = 1;
    for (int d = 0; d < a->stage->tensor->rank; d++) expr_visit(a->stage->subs[d], add_used, &used);
    for (int i = 0; i < a->part->axes.n; i++) {
        const Axis *axis = a->part->axes.at[i];
        int64_t lo, hi;
        if (!(used.axes >> (i & 63) & 1)) continue;
        if (!interp_int(x->p->graph, axis->lo, x->dims, NULL, &lo)) return false;
        if (!interp_int(x->p->graph, axis->hi, x->dims, NULL, &hi)) return false;
        if (!mul_ok(*n, hi > lo ? hi - lo : 0, n)) return false;
    }
    for (int i = 0; i < a->part->factors.n; i++) {
        const Factor *f = a->part->factors.at[i];
        int64_t count;
        bool axis = false;
        for (int k = 0; k < a->part->axes.n; k++) axis |= a->part->axes.at[k] == f->axis && used.axes >> (k & 63) & 1;
        if (!(used.factors >> i & 1) || axis) continue;
        if (!interp_int(x->p->graph, f->count, x->dims, NULL, &count) || !mul_ok(*n, count, n)) return false;
    }
    return true;
}

/* What all accesses of one kind to the tensor of access `first` move, at most the tensor. */
static bool add_tensor(const Counting *x, int first, int64_t *bytes) {
    const Access *a = &x->list.at[first];
    int64_t shape[MAX_RANK], all, n = 0, one;
    Text why = {.ctx = x->p->ctx};
    if (!interp_shape(x->p->graph, a->stage->tensor, x->dims, shape, &all, &why)) return false;
    for (int i = first; i < x->list.n && n < all; i++) {
        const Access *b = &x->list.at[i];
        if (b->stage->tensor != a->stage->tensor || b->written != a->written) continue;
        if (!elements(x, b, &one) || !add_ok(n, one, &n)) n = all;
    }
    return add_ok(*bytes, (int64_t)host_bytes(a->stage->tensor->type, n < all ? n : all), bytes);
}

bool kernel_traffic(const Program *p, const Kernel *k, const int64_t *dims, Traffic *sum) {
    Counting x = {.p = p, .dims = dims};
    *sum = (Traffic){0};
    for (int i = 0; i < k->parts.n; i++) find(&x, k->parts.at[i], k->parts.at[i]->body.at, k->parts.at[i]->body.n);
    for (int i = 0; i < x.list.n; i++) {
        const Access *a = &x.list.at[i];
        bool seen = false;
        for (int j = 0; j < i; j++)
            seen |= x.list.at[j].stage->tensor == a->stage->tensor && x.list.at[j].written == a->written;
        if (!seen && !add_tensor(&x, i, a->written ? &sum->written : &sum->read)) return false;
    }
    return true;
}
