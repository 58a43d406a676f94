/* Rows that are changed in place by other elements of their own: see in_place.h.
 *
 *   x[t, h, d] = x[t, h, d] * c[t, d] - x[t, h, 63 - d] * s[t, d]
 *
 * Whoever stores an element must not come before somebody else has read it. Where the elements that are read are those
 * of one row, here along d, and a block has all of a row, its threads load what they need, meet, and only then store:
 * no row is another block's, or another iteration's. So x is read and written once, and not twice. */
#include "in_place.h"

#include "ir/expr_walk.h"

enum { MOST_IN_PLACE = 1 << 14 /* elements of a row, of which a block of 1024 threads has 16 a thread */ };

/* What the store of x[subs] reads of x. */
typedef struct OwnReads {
    const Equation *q;
    uint32_t differ; /* bit d: some element that is read has another subscript d */
} OwnReads;

static Found note_read(const Expr *e, void *user) {
    OwnReads *x = user;
    for (int d = 0; e->op == OP_LOAD && e->u.tensor == x->q->tensor && d < e->nargs; d++)
        if (e->arg[d] != x->q->subs[d]) x->differ |= 1u << d;
    return FOUND_INSIDE;
}

static OwnReads reads_of(const Equation *q, Ctx *temp) {
    OwnReads x = {.q = q};
    ExprWalk w = {.temp = temp, .before = note_read, .user = &x, .ranges = true, .loads = true};
    expr_walk(&w, q->value);
    return x;
}

static bool same_subs(const Expr *load, const Expr *const *subs) {
    for (int d = 0; d < load->nargs; d++)
        if (load->arg[d] != subs[d]) return false;
    return true;
}

/* The temporary whose elements a group does nothing with but move them to the same places of an inout; NULL: it does
 * something else. */
static const Tensor *moved(const Group *gr) {
    const GStore *s = &gr->stores.at[0];
    if (gr->stores.n != 1 || gr->steps.n || gr->product || s->update || s->guard) return NULL;
    if (s->tensor->kind != TENSOR_INOUT || s->value->op != OP_LOAD) return NULL;
    const Tensor *t = s->value->u.tensor;
    return t->kind == TENSOR_LET && t->type == s->tensor->type && same_subs(s->value, s->subs) ? t : NULL;
}

bool in_place_may(const Group *gr) { return moved(gr) != NULL; }

/* Whether others than these two groups touch a temporary. */
static bool is_used(const Plan *plan, const Group *makes, const Group *moves, const Tensor *t) {
    for (int i = 0; i < plan->groups.n; i++) {
        const Group *gr = plan->groups.at[i];
        for (int k = 0; k < gr->tensors.n && gr != makes && gr != moves; k++)
            if (gr->tensors.at[k].tensor == t) return true;
    }
    return false;
}

/* What is stored, in another tensor. */
static Equation stored_in(const Group *gr, Tensor *t) {
    const GStore *s = &gr->stores.at[0];
    Equation q = {.tensor = t, .subs = s->subs, .value = s->value};
    q.vars = NEW_N(gr->graph->ctx, Var *, MAX_GROUP_AXES);
    for (int a = 0; a < gr->axes.n; a++)
        if (s->axes >> a & 1) q.vars[q.nvars++] = gr->axes.at[a].var;
    return q;
}

/* The axes of a row: of the subscripts in which elements that are read differ, and of no other subscript; 0: they are
 * of both. */
static AxisSet row_of(Group *gr, const OwnReads *x) {
    const GStore *s = &gr->stores.at[0];
    AxisSet row = 0, others = 0;
    for (int d = 0; d < s->tensor->rank; d++) *(x->differ >> d & 1 ? &row : &others) |= group_free(gr, s->subs[d]);
    return row & others ? 0 : row;
}

/* What is folded is folded along the rows, so that all of it is loaded before anything is stored. */
static bool folds_rows(const Group *gr, AxisSet row) {
    for (int i = 0; i < gr->steps.n; i++)
        if (gr->steps.at[i].scan || gr->steps.at[i].into || gr->steps.at[i].over & ~row) return false;
    return true;
}

/* A row may have one axis whose length is not known, or that is long. */
static bool hold(Group *gr, AxisSet row) {
    enum { SHORT = 16 };
    int64_t others = 1;
    int longest = -1;
    for (int a = 0; a < gr->axes.n; a++) {
        GAxis *x = &gr->axes.at[a];
        if (!(row >> a & 1)) continue;
        if (x->scanned || x->ordered) return false;
        x->whole = true;
        if (x->extent >= 0 && x->extent <= SHORT && others * x->extent <= SHORT)
            others *= x->extent;
        else if (longest >= 0)
            return false;
        else
            longest = a;
    }
    gr->across = row;
    if (others < 1) return false;
    if (longest >= 0) {
        GAxis *x = &gr->axes.at[longest];
        const int64_t most = MOST_IN_PLACE / others;
        if (x->guess > most) return false;
        if (x->extent < 0 && (x->most < 0 || x->most > most)) {
            x->most = most;
            gr->bounded = (AxisSet)1 << longest;
        }
    }
    group_find_rows(gr, gr->graph->ctx);
    return true;
}

Group *in_place_group(const Plan *plan, const Group *makes, const Group *moves) {
    Graph *g = plan->graph;
    const Tensor *t = moved(moves);
    if (!t || makes->stores.n != 1 || makes->stores.at[0].tensor != t || makes->product) return NULL;
    if (makes->stores.at[0].guard || makes->stores.at[0].update || is_used(plan, makes, moves, t)) return NULL;
    const Equation q = stored_in(makes, moves->stores.at[0].tensor);
    Ctx *temp = ctx_temp(g->ctx);
    const OwnReads reads = reads_of(&q, temp);
    ctx_temp_end(temp);
    Group *gr = reads.differ ? group_new(g, &q, 1, NULL, NULL, NULL) : NULL;
    const AxisSet row = gr ? row_of(gr, &reads) : 0;
    if (!row || row == ((AxisSet)1 << gr->axes.n) - 1 || !folds_rows(gr, row) || !hold(gr, row)) return NULL;
    gr->name = sym_fmt(g->ctx, "%s_in_place", moves->name);
    return gr;
}
