/* The interpreter: sizes, memory and the order of definitions. */
#include "interp_code.h"

#include "ir/int_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_NODES = 1 << 24 };
static const int64_t MAX_ELEMENTS = (int64_t)1 << 30; /* of one tensor */

/* ---- integer expressions on the host ---- */

typedef struct HostEnv {
    const Graph *g;
    const int64_t *dims;
    const double *scalars; /* NULL: none is known */
} HostEnv;

static IntLeaf host_leaf(void *env, const Expr *e, int64_t *v) {
    const HostEnv *h = env;
    for (int i = 0; e->op == OP_DIM && i < h->g->dims.n; i++)
        if (h->g->dims.at[i] == e->u.dim) return *v = h->dims[i], INT_LEAF_KNOWN;
    for (int i = 0; e->op == OP_SCALAR && h->scalars && i < h->g->scalars.n; i++)
        if (h->g->scalars.at[i] == e->u.scalar) return *v = num_to_int(e->type, h->scalars[i]), INT_LEAF_KNOWN;
    if (e->op == OP_ALIGNED) return *v = true, INT_LEAF_KNOWN; /* as tensors are unless somebody begins inside of one */
    return INT_LEAF_INSIDE;
}

bool interp_int(const Graph *g, const Expr *e, const int64_t *dims, const double *scalars, int64_t *v) {
    HostEnv h = {g, dims, scalars};
    return int_value(&(IntValue){.leaf = host_leaf, .user = &h, .fit = INT_FIT_TYPE, .left = HOST_NODES}, e, v);
}

bool interp_shape(const Graph *g, const Tensor *t, const int64_t *dims, int64_t *shape, int64_t *n, Text *why) {
    *n = 1;
    for (int d = 0; d < t->rank; d++) {
        if (!interp_int(g, t->shape[d], dims, NULL, &shape[d])) {
            text_fmt(why, "dimension %d of %s cannot be computed", d + 1, t->name);
            return false;
        }
        if (shape[d] < 0) {
            text_fmt(why, "dimension %d of %s is negative: %lld", d + 1, t->name, (long long)shape[d]);
            return false;
        }
        if (!mul_ok(*n, shape[d], n) || *n > INT64_MAX / 16) {
            text_fmt(why, "the tensor %s is too large", t->name);
            return false;
        }
    }
    return true;
}

/* ---- cells ---- */

static bool cell_init(Interp *m, Cell *c, const Tensor *t) {
    c->tensor = t;
    c->is_float = type_is_float(t->type);
    c->rounds = t->rounds || t->kind != TENSOR_LET;
    if (!interp_shape(m->g, t, m->dims, c->shape, &c->n, m->why)) return false;
    if (c->n > MAX_ELEMENTS) {
        text_fmt(m->why, "interpreter: the tensor %s is too large", t->name);
        return false;
    }
    return true;
}

static bool cell_read_param(Interp *m, Cell *c, const HostTensor *h) {
    if (h->n != c->n || h->type != c->tensor->type) {
        text_fmt(m->why, "interpreter: the parameter %s has another size or type", c->tensor->name);
        return false;
    }
    c->read = NEW_N(m->ctx, Reg, c->n + 1);
    for (int64_t i = 0; i < c->n; i++)
        if (c->is_float && m->exact)
            c->read[i].i = exact_get(m->exact, h, i);
        else if (c->is_float)
            c->read[i].f = host_float(h, i);
        else
            c->read[i].i = host_int(h, i);
    c->done = true;
    return true;
}

/* Whether one equation writes every element once by its form alone. */
static bool plain(const Interp *m, const Cell *c) {
    const Tensor *t = c->tensor;
    if (t->pieces.n != 1) return false;
    const Piece *p = &t->pieces.at[0];
    if (p->guard || p->nvars != t->rank) return false;
    for (int d = 0; d < t->rank; d++) {
        int64_t lo, hi;
        if (p->subs[d]->op != OP_VAR || p->subs[d]->u.var != p->vars[d]) return false;
        if (!interp_int(m->g, p->vars[d]->lo, m->dims, NULL, &lo) || lo != 0) return false;
        if (!interp_int(m->g, p->vars[d]->hi, m->dims, NULL, &hi) || hi != c->shape[d]) return false;
    }
    return true;
}

static void cell_storage(Interp *m, Cell *c) {
    c->data = NEW_N(m->ctx, Reg, c->n + 1);
    if (c->tensor->kind == TENSOR_INOUT) {
        for (int64_t i = 0; i < c->n; i++) c->data[i] = c->read[i];
    } else {
        c->read = c->data;
        if (c->is_float && !m->exact)
            for (int64_t i = 0; i < c->n; i++) c->data[i].f = (double)NAN;
    }
    if (!plain(m, c)) c->written = NEW_N(m->ctx, unsigned char, c->n + 1);
}

static bool cell_covered(const Interp *m, const Cell *c) {
    if (!c->written || c->tensor->kind != TENSOR_OUTPUT) return true;
    for (int64_t i = 0; i < c->n; i++)
        if (!c->written[i]) {
            text_fmt(m->why, "interpreter: nothing defines element %lld of the output %s", (long long)i,
                     c->tensor->name);
            return false;
        }
    return true;
}

/* ---- sorts ---- */

/* A key and its number. */
typedef struct NumberedKey {
    int64_t key, number;
} NumberedKey;

static int by_key(const void *a, const void *b) {
    const NumberedKey *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* An element of a row, and where it stands there. */
typedef struct RankedKey {
    double f;
    int64_t i, at;
    bool is_float, descending;
} RankedKey;

/* Which of two comes first: by the language's comparisons, NaN behind all else, the earlier one of equals. */
static int by_rank(const void *a, const void *b) {
    const RankedKey *x = a, *y = b;
    const bool last = x->is_float && isnan(x->f), other = y->is_float && isnan(y->f);
    int order = x->is_float ? (x->f > y->f) - (x->f < y->f) : (x->i > y->i) - (x->i < y->i);
    if (last != other) return last ? 1 : -1;
    if (x->descending) order = -order;
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* A key that was computed, as comparisons see it: neighbours in a row are moved towards each other or apart. */
static double nudged_key(const Interp *m, const Sort *s, double v, int64_t at) {
    if (m->nudge == NUDGE_NONE || m->nudge >= NUDGE_NOISE || !s->keys->pieces.n || s->keys->type == TY_F64) return v;
    const float f = (float)v;
    if (m->nudge == NUDGE_ROUND || !isfinite(f)) return (double)f;
    return (double)nextafterf(f, (m->nudge == NUDGE_UP) == (at % 2 == 0) ? INFINITY : -INFINITY);
}

static bool cell_rank(Interp *m, Cell *c) {
    const Sort *s = c->tensor->sort;
    const Cell *keys = &m->cells[s->keys->id];
    const int last = s->keys->rank - 1;
    const int64_t n = keys->shape[last], ranks = c->shape[last], rows = ranks ? c->n / ranks : 0;
    if (ranks > n || n > INT32_MAX)
        return text_fmt(m->why, "interpreter: %s has more ranks than elements", c->tensor->name), false;
    RankedKey *at = NEW_N(m->ctx, RankedKey, n + 1);
    for (int64_t b = 0; b < rows; b++) {
        for (int64_t i = 0; i < n; i++) {
            const Reg v = keys->read[b * n + i];
            at[i] = (RankedKey){.at = i, .is_float = keys->is_float, .descending = s->descending};
            if (keys->is_float)
                at[i].f = nudged_key(m, s, v.f, i);
            else
                at[i].i = v.i;
        }
        qsort(at, (size_t)n, sizeof *at, by_rank);
        for (int64_t r = 0; r < ranks; r++) c->data[b * ranks + r].i = at[r].at;
    }
    return true;
}

/* The keys with their numbers, in order; those outside of 0..below are `below`. */
static bool cell_sort(Interp *m, Cell *c) {
    const Sort *s = c->tensor->sort;
    const Cell *keys = &m->cells[s->keys->id];
    int64_t below;
    if (sort_ranks(s)) return cell_rank(m, c);
    if (!interp_int(m->g, s->below, m->dims, NULL, &below) || below < 0 || keys->n > INT32_MAX || below >= INT32_MAX)
        return text_fmt(m->why, "interpreter: the keys of %s are too many", c->tensor->name), false;
    NumberedKey *at = NEW_N(m->ctx, NumberedKey, keys->n + 1);
    for (int64_t i = 0; i < keys->n; i++) {
        const int64_t key = keys->read[i].i;
        at[i] = (NumberedKey){key < 0 || key >= below ? below : key, i};
    }
    qsort(at, (size_t)keys->n, sizeof *at, by_key);
    for (int64_t i = 0, v = 0; c->tensor == s->starts && v <= below; v++) {
        while (i < keys->n && at[i].key < v) i++;
        c->data[v].i = i;
    }
    for (int64_t i = 0; c->tensor == s->order && i < keys->n; i++) c->data[i].i = at[i].number;
    return true;
}

static bool cell_compile(Interp *m, Cell *c) {
    if (c->tensor->sort) vec_push(m->ctx, &c->needs, c->tensor->sort->keys->id);
    for (int k = 0; k < c->tensor->pieces.n; k++) {
        PieceCode *code = interp_compile_piece(m, c, &c->tensor->pieces.at[k]);
        if (!code) return false;
        vec_push(m->ctx, &c->code, code);
    }
    return true;
}

static bool cell_run(Interp *m, Cell *c) {
    cell_storage(m, c);
    if (c->tensor->sort && !cell_sort(m, c)) return false;
    for (int k = 0; k < c->code.n; k++)
        if (!interp_exec(m, c->code.at[k])) return false;
    c->done = true;
    return cell_covered(m, c);
}

static bool cell_ready(const Interp *m, const Cell *c) {
    for (int k = 0; k < c->needs.n; k++)
        if (!m->cells[c->needs.at[k]].done) return false;
    return true;
}

/* Every definition that is `wanted` (NULL: all) once, each after those that it loads. */
static bool run_all(Interp *m, const bool *wanted) {
    int n = m->g->tensors.n, left = 0, before;
    bool *ran = NEW_N(m->ctx, bool, n + 1);
    for (int i = 0; i < n; i++) {
        ran[i] = m->cells[i].tensor->kind == TENSOR_INPUT || (wanted && !wanted[i]);
        left += !ran[i];
    }
    do {
        before = left;
        for (int i = 0; i < n; i++) {
            if (ran[i] || !cell_ready(m, &m->cells[i])) continue;
            if (!cell_run(m, &m->cells[i])) return false;
            ran[i] = true;
            left--;
        }
    } while (left && left < before);
    if (left) text_put(m->why, "interpreter: definitions depend on each other in a cycle");
    return !left;
}

static bool start(Interp *m, const HostTensor *params) {
    int n = m->g->tensors.n;
    m->cells = NEW_N(m->ctx, Cell, n + 1);
    for (int i = 0; i < n; i++)
        if (!cell_init(m, &m->cells[i], m->g->tensors.at[i])) return false;
    for (int k = 0; k < m->g->params.n; k++) {
        const Tensor *t = m->g->params.at[k];
        if (t->kind != TENSOR_OUTPUT && !cell_read_param(m, &m->cells[t->id], &params[k])) return false;
    }
    return true;
}

static void result(Interp *m, const Cell *c, InterpValue *v) {
    *v = (InterpValue){.tensor = c->tensor, .n = c->n};
    if (c->tensor->kind == TENSOR_INPUT) return;
    if (c->is_float && !m->exact)
        v->f = NEW_N(m->ctx, double, c->n + 1);
    else
        v->i = NEW_N(m->ctx, int64_t, c->n + 1);
    for (int64_t i = 0; i < c->n; i++)
        if (v->f)
            v->f[i] = c->data[i].f;
        else
            v->i[i] = c->data[i].i;
}

static bool run_graph(Interp *m, const HostTensor *params, InterpValue *results) {
    const Graph *g = m->g;
    if (!start(m, params)) return false;
    for (int i = 0; i < g->tensors.n; i++)
        if (!cell_compile(m, &m->cells[i])) return false;
    if (!run_all(m, NULL)) return false;
    for (int k = 0; k < g->params.n; k++) result(m, &m->cells[g->params.at[k]->id], &results[k]);
    return true;
}

bool interp_run(Ctx *ctx, const Graph *g, const InterpArgs *args, InterpNudge nudge, InterpValue *results, Text *why) {
    Interp m = {.ctx = ctx,
                .g = g,
                .dims = args->dims,
                .scalars = args->scalars,
                .nudge = nudge,
                .noise = (uint64_t)nudge,
                .why = why};
    return run_graph(&m, args->params, results);
}

bool interp_exact(Ctx *ctx, const Graph *g, const InterpArgs *args, const Exact *exact, InterpValue *results,
                  Text *why) {
    Interp m = {.ctx = ctx, .g = g, .dims = args->dims, .scalars = args->scalars, .exact = exact, .why = why};
    return run_graph(&m, args->params, results);
}

/* The definitions that a fact asks for, and those that they need. */
static bool run_asked(Interp *m) {
    bool *wanted = NEW_N(m->ctx, bool, m->g->tensors.n + 1);
    for (int i = 0; i < m->asked.n; i++) {
        Cell *c = &m->cells[m->asked.at[i]];
        if (wanted[m->asked.at[i]]) continue;
        wanted[m->asked.at[i]] = true;
        if (!cell_compile(m, c)) return false;
        for (int k = 0; k < c->needs.n; k++) vec_push(m->ctx, &m->asked, c->needs.at[k]);
    }
    return !m->asked.n || run_all(m, wanted);
}

bool interp_fact(Ctx *ctx, const Graph *g, const Fact *fact, const int64_t *dims, const double *scalars,
                 const HostTensor *params, Text *why) {
    Interp m = {.ctx = ctx, .g = g, .dims = dims, .scalars = scalars, .why = why};
    if (!start(&m, params)) return false;
    PieceCode *code = interp_compile_fact(&m, fact);
    return code && run_asked(&m) && interp_exec(&m, code);
}
