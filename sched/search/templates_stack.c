/* Candidates whose threads go on along several axes, each of which is too short for the widest accesses of a warp (a
 * stack): the innermost by vectors, then one after the other, by how far the largest access moves along each. What is
 * left of an axis are blocks, elements of a thread, iterations, or the blocks of a cluster. */
#include "templates_form.h"

#include <stdlib.h>

enum {
    MOST_HELD = 16, /* elements or vectors of a thread */
    HELD_STEP = 4   /* from one number of them to the next; moves try those between */
};

static double bytes_of(CostForm *f, int access) {
    const int64_t *stride = cost_form_strides(f)[access];
    double bytes = f->accesses.at[access].bytes;
    for (int a = 0; a < f->gr->axes.n; a++)
        if (stride[a]) bytes *= (double)f->lengths[f->at][a];
    return bytes;
}

Chain templates_chain(CostForm *f) {
    const int64_t *const *strides = cost_form_strides(f);
    const int naxes = f->gr->axes.n;
    Chain c = {0};
    int best = -1;
    for (int i = 0; i < f->accesses.n; i++)
        if (best < 0 || bytes_of(f, i) > bytes_of(f, best)) best = i;
    for (int a = 0; best >= 0 && a < naxes; a++) {
        const int64_t by = llabs(strides[best][a]);
        if (!by) continue;
        int at = c.n++;
        for (; at > 0 && llabs(strides[best][c.axis[at - 1]]) > by; at--) c.axis[at] = c.axis[at - 1];
        c.axis[at] = a;
    }
    if (c.n < 2) return (Chain){0};
    const int64_t *stride = strides[best];
    bool runs = stride[c.axis[0]] == 1 && stride[c.axis[1]] <= f->lengths[f->at][c.axis[0]];
    for (int i = 0; i < f->accesses.n && runs; i++)
        for (int a = 0; a < naxes && 2 * bytes_of(f, i) > bytes_of(f, best); a++)
            runs &= !strides[i][a] || a == c.axis[0] || llabs(strides[i][a]) >= llabs(strides[i][c.axis[0]]);
    c.bytes = f->accesses.at[best].bytes;
    return runs ? c : (Chain){0};
}

/* Threads of one axis after the other, from the innermost on. */
typedef struct Stack {
    int64_t vec;
    int64_t second;  /* threads of the second axis at most: another block has the rest of it */
    int64_t threads; /* of a block */
    int64_t regs;    /* elements or vectors of a thread */
    bool loops;      /* along folded axes whose length is not known: for all sizes */
    bool exact;      /* what holds a length that is not known holds no more */
    bool cluster;    /* what is left of a folded axis is shared by the blocks of a cluster */
} Stack;

/* What a block has of an axis of which each takes a share. */
static int64_t share_of(const Search *x, int axis) {
    return axis == x->gr->split ? ceil_div(x->length[axis], x->gr->parts) : x->length[axis];
}

/* As many as hold a length; of one that is not known, up to a power of 2. */
static int64_t holds_all(const GAxis *a, const Stack *p, int64_t length) {
    if (length < 1) length = 1;
    return a->extent < 0 && !p->exact ? pow2_up(length) : length;
}

static int64_t pow2_down(int64_t n) {
    int64_t p = 1;
    while (2 * p <= n) p *= 2;
    return p;
}

/* Of each axis the threads and the elements of a thread. */
typedef struct Shares {
    int64_t threads[MAX_GROUP_AXES], held[MAX_GROUP_AXES];
} Shares;

/* Threads are whole warps where they can be. */
static void share_out(const Search *x, const Chain *c, const Stack *p, Shares *s) {
    int64_t left = p->threads, regs = p->regs;
    for (int a = 0; a < x->gr->axes.n; a++) s->threads[a] = s->held[a] = 1;
    for (int i = 0; i < c->n; i++) {
        const int a = c->axis[i];
        const int64_t vec = i ? 1 : p->vec, all = holds_all(&x->gr->axes.at[a], p, ceil_div(share_of(x, a), vec));
        int64_t n = i == 1 && all > p->second ? p->second : all;
        if (n > left) n = pow2_down(left);
        s->threads[a] = n;
        left /= n;
        const int64_t rest = ceil_div(all, n);
        if (!i || regs == 1 || (i == 1 && n == p->second)) continue;
        s->held[a] = rest < regs ? rest : regs;
        regs = pow2_down(regs / s->held[a]);
    }
}

/* What is left of each axis are iterations, or blocks of a cluster. */
static void build_stack(const Search *x, const Chain *c, const Stack *p, Schedule *s) {
    Shares has;
    share_out(x, c, p, &has);
    schedule_clear(s, x->gr->axes.n);
    for (int a = 0; a < s->naxes; a++) {
        const GAxis *g = &x->gr->axes.at[a];
        const bool grid = axis_has_grid(g), split = a == x->gr->split;
        const int64_t vec = a == c->axis[0] ? p->vec : 1, holds = has.threads[a] * has.held[a] * vec;
        const bool loop = share_of(x, a) > holds || (p->loops && g->extent < 0);
        const int64_t blocks = p->cluster && loop && !grid ? pow2_up(ceil_div(x->length[a], holds)) : 1;
        if (split) schedule_factor(s, a, BIND_GRID, x->gr->parts);
        if (grid)
            schedule_factor(s, a, BIND_GRID, 0);
        else if ((loop && blocks == 1) || split)
            schedule_factor(s, a, BIND_SERIAL, 0);
        if (has.held[a] > 1 || (!grid && vec == 1)) schedule_factor(s, a, BIND_REG, has.held[a]);
        if (blocks > 1) schedule_factor(s, a, BIND_CLUSTER, blocks);
        if (has.threads[a] > 1) schedule_factor(s, a, BIND_THREAD, has.threads[a]);
        if (vec > 1) schedule_factor(s, a, BIND_VEC, vec);
    }
    for (int i = c->n - 1; i >= 0; i--)
        if (has.threads[c->axis[i]] > 1) schedule_put_last(s, c->axis[i]);
}

static void try_stack(Search *x, const Chain *c, Stack p) {
    Schedule s;
    int clusters = 0;
    build_stack(x, c, &p, &s);
    for (int a = 0; a < s.naxes; a++) clusters += schedule_find(&s, a, BIND_CLUSTER) != NULL;
    if (p.cluster && clusters != 1) return;
    templates_consider(x, &s, BEST_STACK | (p.cluster ? BEST_CLUSTER : 0));
}

/* Where the innermost axis is too short for a warp's widest accesses, threads go on along the next one. */
void templates_stacks(Search *x) {
    const Chain c = templates_chain(x->form);
    if (!c.n || x->length[c.axis[0]] * c.bytes >= WARP * TARGET_ACCESS) return;
    const int64_t inner = x->length[c.axis[0]], next = x->length[c.axis[1]];
    bool open = false, likely = x->form->at == 0; /* the most likely lengths have some of their own */
    for (int i = 0; i < c.n; i++) open |= x->gr->axes.at[c.axis[i]].extent < 0 && x->gr->axes.at[c.axis[i]].folded;
    int64_t folded = c.bytes;
    for (int i = 0; i < c.n; i++) folded *= axis_has_grid(&x->gr->axes.at[c.axis[i]]) ? 1 : x->length[c.axis[i]];
    const bool large = folded > LONG_ROW && x->limits->cluster > 1;
    for (int64_t vec = 1; vec <= WIDEST && inner % vec == 0; vec *= 2)
        for (int64_t second = 1; second / 2 < next && second <= WARP * 2; second *= 2)
            for (int64_t threads = LEAST_THREADS; threads <= 2 * target_default.threads; threads *= 2) {
                if (second / 2 * ceil_div(inner, vec) >= threads) continue; /* half as many leave no threads either */
                for (int64_t regs = 1; regs <= MOST_HELD; regs *= HELD_STEP) {
                    Stack p = {.vec = vec, .second = second, .threads = threads, .regs = regs};
                    try_stack(x, &c, p);
                    p.loops = true;
                    if (open) try_stack(x, &c, p);
                    p.loops = false;
                    p.exact = true;
                    if (open && likely) try_stack(x, &c, p);
                    p.cluster = true;
                    p.exact = likely;
                    if (large) try_stack(x, &c, p);
                }
            }
}
