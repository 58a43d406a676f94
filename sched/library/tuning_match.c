/* Which line of a tuning file a product meets: at given sizes, and at any. */
#include "ir/interp/interp.h"
#include "tuning.h"

#include <string.h>

int tuning_target(const Target *t) {
    if (!strcmp(t->arch, TUNE_EMU_NAME)) return TUNE_EMU;
    for (int i = 0; i < TARGET_COUNT; i++)
        if (!strcmp(target_table[i].arch, t->arch)) return i;
    return -1;
}

Span tuning_emulated(const Tuning *t) {
    for (int i = 0; i < t->entries.n; i++)
        if (t->entries.at[i].product.v[TUNE_TARGET] == TUNE_EMU) return t->entries.at[i].span;
    for (int i = 0; i < t->schedules.n; i++)
        if (t->schedules.at[i].machine == TUNE_EMU) return t->schedules.at[i].span;
    return SPAN_NONE;
}

TuneSum tuning_sum(const Graph *g, Type factor) {
    if (factor == TY_F64) return TUNE_F64;
    if (factor == TY_I8) return TUNE_I32;
    return factor == TY_F32 && option_is(&g->options, MATMUL_TF32) ? TUNE_TF32 : TUNE_F32;
}

/* ---- at given sizes ---- */

typedef struct Sizes {
    const Graph *g;
    const int64_t *dims;
    const double *scalars;
    int order[MAX_BATCH]; /* of batches: the one that is the library's first */
    int64_t batch[MAX_BATCH];
    bool ok;
} Sizes;

static int64_t at(Sizes *x, const Expr *e) {
    int64_t v = 0;
    if (e && !interp_int(x->g, e, x->dims, x->scalars, &v)) x->ok = false;
    return v;
}

/* The largest power of two up to 256 that divides the matrix's offset and the steps of its batches, in bytes. */
static int64_t aligned(Sizes *x, const Product *m, const Matrix *f, int64_t most) {
    const int64_t bytes = f->tensor ? type_bits(f->tensor->type) / 8 : 1;
    if (!f->tensor) return most;
    uint64_t all = (uint64_t)at(x, f->offset) * (uint64_t)bytes;
    for (int b = 0; b < m->nbatch; b++)
        if (at(x, m->batch[b]) > 1) all |= (uint64_t)at(x, f->batch[b]) * (uint64_t)bytes;
    while (all % (uint64_t)most) most /= 2;
    return most;
}

/* lie, leading dimension, step. */
static void describe_matrix(Sizes *x, const Product *m, const Matrix *f, TuneLie lie, int64_t *v) {
    v[0] = f->tensor ? lie : TUNE_NONE;
    v[1] = v[2] = 0;
    if (!f->tensor) return;
    v[1] = at(x, lie == TUNE_COL ? f->col : f->row);
    if (x->batch[0] > 1 && x->order[0] < m->nbatch) v[2] = at(x, f->batch[x->order[0]]);
}

static TuneLie factor_lies(Sizes *x, const Matrix *f) { return at(x, f->col) == 1 ? TUNE_ROW : TUNE_COL; }

/* The longest batch is the library's, the first of several (td_sort_batches in library.in). */
static void find_batches(Sizes *x, const Product *m) {
    int longest = 0;
    for (int b = 0; b < MAX_BATCH; b++) {
        x->batch[b] = b < m->nbatch ? at(x, m->batch[b]) : 1;
        x->order[b] = b;
        if (x->batch[b] > x->batch[longest]) longest = b;
    }
    int64_t n = x->batch[0];
    x->order[0] = longest, x->order[longest] = 0;
    x->batch[0] = x->batch[longest], x->batch[longest] = n;
}

bool tuning_describe(const Graph *g, const Product *m, int target, const int64_t *dims, const double *scalars,
                     TuneProduct *p) {
    Sizes x = {.g = g, .dims = dims, .scalars = scalars, .ok = true};
    const Type factor = m->a.tensor->type;
    int64_t *v = p->v;
    *p = (TuneProduct){0};
    find_batches(&x, m);
    v[TUNE_TARGET] = target;
    v[TUNE_FACTORS] = factor, v[TUNE_RESULT] = m->d.tensor->type, v[TUNE_SUM] = tuning_sum(g, factor);
    v[TUNE_M] = at(&x, m->m), v[TUNE_N] = at(&x, m->n), v[TUNE_K] = at(&x, m->k), v[TUNE_BATCH] = x.batch[0];
    describe_matrix(&x, m, &m->a, factor_lies(&x, &m->a), &v[TUNE_A]);
    describe_matrix(&x, m, &m->b, factor_lies(&x, &m->b), &v[TUNE_B]);
    describe_matrix(&x, m, &m->c, m->c.tensor == m->d.tensor ? TUNE_SELF : TUNE_ROW, &v[TUNE_C]);
    describe_matrix(&x, m, &m->d, TUNE_ROW, &v[TUNE_D]);
    v[TUNE_BIAS] = m->bias.tensor ? TUNE_ROW : TUNE_NONE;
    if (m->bias.tensor && x.batch[0] > 1) v[TUNE_BIAS + 1] = at(&x, m->bias.batch[x.order[0]]);
    v[TUNE_ACT] = m->act;
    v[TUNE_ALIGN] = 256;
    const Matrix *all[] = {&m->a, &m->b, &m->c, &m->d};
    for (int i = 0; i < 4; i++) v[TUNE_ALIGN] = aligned(&x, m, all[i], v[TUNE_ALIGN]);
    for (int b = 0; b < MAX_BATCH; b++) x.ok &= x.batch[b] > 0;
    return x.ok && v[TUNE_M] > 0 && v[TUNE_N] > 0 && v[TUNE_K] > 0;
}

const TuneEntry *tuning_serves(const Tuning *t, const TuneProduct *p) {
    /* more than one may: the one that asks for most */
    TuneProduct lower = *p;
    const TuneEntry *e = NULL;
    for (; !e && lower.v[TUNE_ALIGN] > 0; lower.v[TUNE_ALIGN] /= 2) e = tuning_find(t, &lower);
    return e;
}

/* ---- at any sizes ---- */

/* Whether a size can be v: by its constant, or by what is known of the one dimension that it is. */
static bool can_be(const Expr *e, int64_t v) {
    int64_t fixed;
    if (!e) return true;
    if (expr_is_int(e, &fixed)) return fixed == v;
    if (e->op != OP_DIM) return true;
    const Dim *d = e->u.dim;
    return v >= d->lo && v <= d->hi && v % (d->divisor > 1 ? d->divisor : 1) == 0;
}

static bool can_lie(const Matrix *f, const int64_t *v) {
    int64_t fixed;
    if (!f->tensor || v[0] == TUNE_NONE) return !f->tensor == (v[0] == TUNE_NONE);
    bool by_row = expr_is_int(f->col, &fixed) && fixed == 1;
    if (by_row && v[0] == TUNE_COL) return false;
    if (!by_row && v[0] != TUNE_COL && !can_be(f->col, 1)) return false;
    return can_be(v[0] == TUNE_COL ? f->col : f->row, v[1]);
}

bool tuning_may_serve(const TuneEntry *e, const Graph *g, const Product *m) {
    const int64_t *v = e->product.v;
    const Type factor = m->a.tensor->type;
    if (v[TUNE_FACTORS] != factor || v[TUNE_RESULT] != m->d.tensor->type || v[TUNE_SUM] != tuning_sum(g, factor))
        return false;
    if (v[TUNE_ACT] != m->act || (v[TUNE_BIAS] != TUNE_NONE) != (m->bias.tensor != NULL)) return false;
    if (m->c.tensor && (v[TUNE_C] == TUNE_SELF) != (m->c.tensor == m->d.tensor)) return false;
    bool batch = !m->nbatch && v[TUNE_BATCH] == 1;
    for (int b = 0; b < m->nbatch; b++) batch |= can_be(m->batch[b], v[TUNE_BATCH]);
    return batch && can_be(m->m, v[TUNE_M]) && can_be(m->n, v[TUNE_N]) && can_be(m->k, v[TUNE_K]) &&
           can_lie(&m->a, &v[TUNE_A]) && can_lie(&m->b, &v[TUNE_B]) && can_lie(&m->c, &v[TUNE_C]) &&
           can_lie(&m->d, &v[TUNE_D]);
}
