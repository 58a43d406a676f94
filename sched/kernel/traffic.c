/* The bytes that a kernel reads and writes: of every access, the elements that its subscripts can name; accesses with
 * the same subscripts name the same ones, once more. A product for the library has the same equation, so it moves the
 * same. */
#include "traffic.h"
#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "ir/interp/interp.h"

typedef struct Access {
    const Stage *stage;
    const Part *part;
    bool written;
    bool new;         /* no earlier one names the same elements */
    FactorSet around; /* of blocks and loops: the access is made anew for each combination of them */
} Access;

typedef struct Counting {
    const Program *p;
    const int64_t *dims;
    bool rare; /* only what says that there is nothing to do is read */
    VEC(Access) list;
} Counting;

static bool same_elements(const Access *a, const Access *b) {
    if (a->part != b->part || a->stage->tensor != b->stage->tensor || a->written != b->written) return false;
    for (int d = 0; d < a->stage->tensor->rank; d++)
        if (a->stage->subs[d] != b->stage->subs[d]) return false;
    return true;
}

static void note(Counting *x, const Part *part, const Stage *s, bool written, FactorSet around) {
    if (x->rare && !s->tensor->usually_zero) return;
    Access a = {s, part, written, true, around};
    for (int i = 0; i < x->list.n; i++) a.new &= !same_elements(&x->list.at[i], &a);
    vec_push(x->p->ctx, &x->list, a);
}

static FactorSet factors_in(const Part *part, BindScope scope) {
    FactorSet all = 0;
    for (int i = 0; i < part->layouts.n; i++) all |= layout_scope_factors(part->layouts.at[i], scope);
    return all;
}

/* The loop of an axis. */
static FactorSet loop_of(const Part *part, const Axis *axis) {
    FactorSet all = factors_in(part, SCOPE_LOOP), own = 0;
    for (int i = 0; i < part->factors.n; i++)
        if (part->factors.at[i]->axis == axis) own |= (FactorSet)1 << i;
    return all & own;
}

static void find(Counting *x, const Part *part, Stage *const *at, int n, FactorSet around) {
    for (int i = 0; i < n; i++) {
        const Stage *s = at[i];
        FactorSet inside = around;
        if (s->kind == STAGE_LOAD || s->kind == STAGE_COPY) note(x, part, s, false, around);
        if (s->kind == STAGE_STORE || s->kind == STAGE_ATOMIC) note(x, part, s, true, around);
        if (s->kind == STAGE_ATOMIC) note(x, part, s, false, around);
        if (s->kind == STAGE_FOR) inside |= loop_of(part, s->axis);
        if (s->kind == STAGE_LAST) inside &= ~s->over; /* one block of them goes on */
        find(x, part, s->body.at, s->body.n, inside);
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

static Used used_by(const Access *a) {
    Used used = {.part = a->part};
    for (int d = 0; d < a->stage->tensor->rank; d++) expr_visit(a->stage->subs[d], add_used, &used);
    return used;
}

/* Whether an expression varies along a factor's axis. */
static bool axis_used(const Used *used, const Factor *f) {
    for (int k = 0; k < used->part->axes.n; k++)
        if (used->part->axes.at[k] == f->axis && used->axes >> (k & 63) & 1) return true;
    return false;
}

/* At most how many elements the subscripts name; false where that is not known. */
static bool elements(const Counting *x, const Access *a, int64_t *n) {
    const Used used = used_by(a);
    *n = 1;
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
        if (!(used.factors >> i & 1) || axis_used(&used, f)) continue;
        if (!interp_int(x->p->graph, f->count, x->dims, NULL, &count) || !mul_ok(*n, count, n)) return false;
    }
    return true;
}

/* What all accesses of one kind to a tensor move, at most the tensor. */
static bool tensor_bytes(const Counting *x, const Tensor *t, bool written, int64_t *bytes) {
    int64_t shape[MAX_RANK], all, n = 0, one;
    Text why = {.ctx = x->p->ctx};
    if (!interp_shape(x->p->graph, t, x->dims, shape, &all, &why)) return false;
    for (int i = 0; i < x->list.n && n < all; i++) {
        const Access *a = &x->list.at[i];
        if (a->stage->tensor != t || a->written != written || !a->new) continue;
        if (!elements(x, a, &one) || !add_ok(n, one, &n)) n = all;
    }
    *bytes = (int64_t)host_bytes(t->type, n < all ? n : all);
    return true;
}

static Counting accesses(const Program *p, const Kernel *k, const int64_t *dims) {
    Counting x = {.p = p, .dims = dims, .rare = kernel_is_rare(k)};
    for (int i = 0; i < k->parts.n; i++) {
        const Part *part = k->parts.at[i];
        find(&x, part, part->body.at, part->body.n, factors_in(part, SCOPE_BLOCK));
    }
    return x;
}

/* How often an access is made for the same elements: by blocks and in loops along which its subscripts do not vary.
 * False where that is not known. */
static bool repeats(const Counting *x, const Access *a, int64_t *n) {
    const Used used = used_by(a);
    *n = 1;
    for (int i = 0; i < a->part->factors.n; i++) {
        const Factor *f = a->part->factors.at[i];
        int64_t count;
        if (!(a->around >> i & 1) || used.factors >> i & 1 || axis_used(&used, f)) continue;
        if (!interp_int(x->p->graph, f->count, x->dims, NULL, &count) || !mul_ok(*n, count, n)) return false;
    }
    return true;
}

static Found is_bound(const Expr *e, const void *user) {
    (void)user;
    bool bound = false;
    for (int i = 0; op_swapped(e->op) != e->op && i < 2; i++)
        bound |= e->arg[i]->op == OP_VAR && expr_has_op(e->arg[!i], OP_VALUE);
    return bound ? FOUND : FOUND_INSIDE;
}

/* Whether data say which places of an axis an access is made for, as in ranges between offsets: how often that is the
 * same elements, in loops over all of the axis, nobody knows. */
static bool is_ranged(const Access *a) { return a->stage->cond && expr_has(a->stage->cond, is_bound, NULL); }

/* Bytes of a tensor that are asked for, as often as that is. What is not known counts once; a sum beyond 2^63 as that.
 */
static int64_t asked_bytes(const Counting *x, const Tensor *t) {
    int64_t shape[MAX_RANK], all, sum = 0;
    Text why = {.ctx = x->p->ctx};
    if (!interp_shape(x->p->graph, t, x->dims, shape, &all, &why)) return 0;
    for (int i = 0; i < x->list.n; i++) {
        const Access *a = &x->list.at[i];
        int64_t n, times;
        if (a->stage->tensor != t || a->written || a->stage->kind == STAGE_ATOMIC) continue;
        if (!elements(x, a, &n) || n > all) n = all;
        if (is_ranged(a) || !repeats(x, a, &times)) times = 1;
        if (!mul_ok((int64_t)host_bytes(t->type, n), times, &n) || !add_ok(sum, n, &sum)) return INT64_MAX;
    }
    return sum;
}

/* The most that one kernel of the way moves of a parameter: what several read of it is taken to be the same. */
static bool most_bytes(const Counting *kernels, int n, const Tensor *t, bool written, int64_t *sum) {
    int64_t most = 0, bytes;
    for (int k = 0; k < n; k++) {
        if (!tensor_bytes(&kernels[k], t, written, &bytes)) return false;
        if (bytes > most) most = bytes;
    }
    return add_ok(*sum, most, sum);
}

/* Whether the tensor is the keys of a sort, which reads all of them. */
static bool way_sorts(const Way *w, const Tensor *t) {
    for (int i = 0; i < w->steps.n; i++)
        if (w->steps.at[i].kind == STEP_SORT && w->steps.at[i].sort->sort.keys == t) return true;
    return false;
}

static bool all_bytes(const Program *p, const Tensor *t, const int64_t *dims, int64_t *sum) {
    int64_t shape[MAX_RANK], n;
    Text why = {.ctx = p->ctx};
    return interp_shape(p->graph, t, dims, shape, &n, &why) && add_ok(*sum, (int64_t)host_bytes(t->type, n), sum);
}

bool way_traffic(const Program *p, const Way *w, const int64_t *dims, Traffic *sum) {
    Counting *kernels = NEW_N(p->ctx, Counting, w->steps.n + 1);
    int n = 0;
    *sum = (Traffic){0};
    for (int i = 0; i < w->steps.n; i++) {
        const Kernel *k = step_kernel(&w->steps.at[i]);
        if (k) kernels[n++] = accesses(p, k, dims);
    }
    for (int i = 0; i < p->params.n; i++) {
        const Tensor *t = p->params.at[i];
        if (way_sorts(w, t)) {
            if (!all_bytes(p, t, dims, &sum->read)) return false;
        } else if (t->kind != TENSOR_OUTPUT && !most_bytes(kernels, n, t, false, &sum->read)) {
            return false;
        }
        if (t->kind != TENSOR_INPUT && !most_bytes(kernels, n, t, true, &sum->written)) return false;
    }
    return true;
}

bool kernel_traffic(const Program *p, const Kernel *k, const int64_t *dims, Traffic *sum) {
    Counting x = accesses(p, k, dims);
    int64_t bytes;
    *sum = (Traffic){0};
    for (int i = 0; i < x.list.n; i++) {
        const Access *a = &x.list.at[i];
        bool seen = false;
        for (int j = 0; j < i; j++)
            seen |= x.list.at[j].stage->tensor == a->stage->tensor && x.list.at[j].written == a->written;
        if (seen) continue;
        if (!tensor_bytes(&x, a->stage->tensor, a->written, &bytes)) return false;
        int64_t *to = a->written ? &sum->written : &sum->read;
        if (!add_ok(*to, bytes, to)) return false;
    }
    return true;
}

int64_t kernel_read_again(const Program *p, const Kernel *k, const int64_t *dims) {
    Counting x = accesses(p, k, dims);
    int64_t once, sum = 0;
    for (int i = 0; i < x.list.n; i++) {
        const Tensor *t = x.list.at[i].stage->tensor;
        bool seen = x.list.at[i].written;
        for (int j = 0; j < i; j++) seen |= x.list.at[j].stage->tensor == t && !x.list.at[j].written;
        if (seen || !tensor_bytes(&x, t, false, &once)) continue;
        int64_t asked = asked_bytes(&x, t);
        if (asked > once && !add_ok(sum, asked - once, &sum)) return INT64_MAX;
    }
    return sum;
}
