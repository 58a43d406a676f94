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

/* What the stores of an inout read of it. */
typedef struct OwnReads {
    const Group *gr; /* that has the stores, into what is moved afterwards */
    const Tensor *inout;
    uint32_t differ; /* bit d: elements that are read, or stored, differ in subscript d from what the first store has */
} OwnReads;

static void note_subs(OwnReads *x, int rank, const Expr *const *subs) {
    for (int d = 0; d < rank; d++)
        if (subs[d] != x->gr->stores.at[0].subs[d]) x->differ |= 1u << d;
}

static Found note_read(const Expr *e, void *user) {
    OwnReads *x = user;
    if (e->op == OP_LOAD && e->u.tensor == x->inout) note_subs(x, e->nargs, (const Expr *const *)e->arg);
    return FOUND_INSIDE;
}

static OwnReads reads_of(const Group *gr, const Tensor *inout, Ctx *temp) {
    OwnReads x = {.gr = gr, .inout = inout};
    ExprWalk w = {.temp = temp, .before = note_read, .user = &x, .ranges = true, .loads = true};
    for (int i = 0; i < gr->stores.n; i++) {
        note_subs(&x, inout->rank, gr->stores.at[i].subs);
        expr_walk(&w, gr->stores.at[i].value);
    }
    return x;
}

/* The temporary whose elements a group moves to the same places of an inout, and nothing else; NULL: it is no such
 * group. */
static const Tensor *moved(const Group *gr) {
    const Tensor *t = group_moved(gr), *to = gr->stores.at[0].tensor;
    if (!t || t->kind != TENSOR_LET || to->kind != TENSOR_INOUT || t->type != to->type) return NULL;
    for (int i = 1; i < gr->stores.n; i++)
        if (gr->stores.at[i].tensor != to) return NULL;
    return t;
}

bool in_place_may(const Group *gr) { return moved(gr) != NULL; }

/* Whether a group has all that is moved, and nothing else, at places that no data name. In a group's expressions a scan
 * is a reduction like others: made again of them it would be none. */
static bool makes_all(const Group *makes, const Group *moves, const Tensor *t) {
    if (makes->product || makes->stores.n != moves->stores.n) return false;
    for (int i = 0; i < makes->steps.n; i++)
        if (makes->steps.at[i].scan || makes->steps.at[i].into) return false;
    for (int i = 0; i < makes->stores.n; i++) {
        const GStore *s = &makes->stores.at[i];
        if (s->tensor != t || s->guard || s->update || s->axes != makes->stores.at[0].axes) return false;
        for (int d = 0; d < t->rank; d++)
            if (expr_has(s->subs[d], expr_test_data, NULL)) return false;
    }
    return true;
}

/* Whether others than these two groups touch a temporary. */
static bool is_used(const Plan *plan, const Group *makes, const Group *moves, const Tensor *t) {
    for (int i = 0; i < plan->groups.n; i++) {
        const Group *gr = plan->groups.at[i];
        for (int k = 0; k < gr->tensors.n && gr != makes && gr != moves; k++)
            if (gr->tensors.at[k].tensor == t) return true;
    }
    return false;
}

/* A store of another tensor instead. */
static Equation stored_in(const Group *gr, const GStore *s, Tensor *t) {
    Equation q = {.tensor = t, .subs = s->subs, .value = s->value};
    q.vars = NEW_N(gr->graph->ctx, Var *, MAX_GROUP_AXES);
    for (int a = 0; a < gr->axes.n; a++)
        if (s->axes >> a & 1) q.vars[q.nvars++] = gr->axes.at[a].var;
    return q;
}

/* The axes of a row: of the subscripts in which elements that are read differ, and of no other subscript; 0: they are
 * of both. */
static AxisSet row_of(Group *gr, const OwnReads *x) {
    AxisSet row = 0, others = 0;
    for (int i = 0; i < gr->stores.n; i++)
        for (int d = 0; d < x->inout->rank; d++)
            *(x->differ >> d & 1 ? &row : &others) |= group_free(gr, gr->stores.at[i].subs[d]);
    return row & others ? 0 : row;
}

/* What is folded is folded along the rows, so that all of it is loaded before anything is stored. */
static bool folds_rows(const Group *gr, AxisSet row) {
    for (int i = 0; i < gr->steps.n; i++)
        if (gr->steps.at[i].over & ~row) return false;
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
        if (x->ordered) return false;
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
    enum { PIECES = 8 };
    Graph *g = plan->graph;
    Tensor *const inout = moves->stores.at[0].tensor;
    const Tensor *t = moved(moves);
    Equation q[PIECES];
    if (!t || moves->stores.n > PIECES || !makes_all(makes, moves, t) || is_used(plan, makes, moves, t)) return NULL;
    for (int i = 0; i < makes->stores.n; i++) q[i] = stored_in(makes, &makes->stores.at[i], inout);
    Ctx *temp = ctx_temp(g->ctx);
    const OwnReads reads = reads_of(makes, inout, temp);
    ctx_temp_end(temp);
    Group *gr = reads.differ ? group_new(g, q, makes->stores.n, NULL, NULL, NULL) : NULL;
    const AxisSet row = gr ? row_of(gr, &reads) : 0;
    if (!row || row == ((AxisSet)1 << gr->axes.n) - 1 || !folds_rows(gr, row) || !hold(gr, row)) return NULL;
    gr->name = sym_fmt(g->ctx, "%s_in_place", moves->name);
    gr->no_product = makes->no_product;
    gr->rounding = makes->rounding;
    return gr;
}
