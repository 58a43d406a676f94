/* Folds over ranges that are data, of chunks. See chunked.h; the README says what becomes of what. */
#include "chunked.h"
#include "early.h"

#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "ir/poly/poly.h"

#include <float.h>

/* What is folded over the positions of a level: those of the fold itself, its chunks, chunks of these. */
typedef struct Level {
    const ChunkedFold *f;
    const Monoid *monoid;
    int level;
    Var *x;     /* the position */
    Var **vars; /* all that are folded; x is one of them, the one at `at` */
    int nvars, at;
    const Expr *source; /* of the fold itself, what it was */
    const Expr *guard;  /* NULL: none */
    const Expr *operand[MAX_PARTS];
    const Expr *index;  /* of an indexed monoid, the position in the fold itself of what x has */
    struct Level *fold; /* the fold itself */
    struct Level *up;   /* the chunks of this level; NULL: not made */
    /* Of a sum of exponentials under their maximum: the maximum as the operand has it, the level whose maxima chunks
     * are relative to, and what that one's variables are here. NULL: it is none. */
    const Expr *most;
    struct Level *maxima;
    const Expr *own; /* of a maximum: what it is of its positions, where these are few; a let's element */
    int nvars_there;
    const Expr *there[MAX_RANK], *here[MAX_RANK];
} Level;

/* A maximum that has been written, and where it is read: it is all of a let, or stands in an expression. */
typedef struct Maximum {
    Level *level;
    const Tensor *tensor; /* NULL: none */
    const Expr *value;
} Maximum;

/* One definition's folds, as they are written. */
typedef struct Writing {
    ChunkedPlan *p;
    EarlyPlace place;
    VEC(Level *) folds;    /* the parts of one have its chunks in common */
    struct Maxima *maxima; /* NULL: none are looked for */
} Writing;

typedef struct Maxima {
    VEC(Maximum) at; /* of all definitions */
} Maxima;

static const Expr *number(Graph *g, int64_t v) { return expr_int(g, TY_I64, v); }
static const Expr *times(Graph *g, const Expr *e, int64_t n) { return expr2(g, OP_MUL, e, number(g, n)); }

/* ---- ranges ---- */

/* Chunks begin at multiples of their length. Those that begin in a range are its own, where it is longer than one. */
static const Expr *at_level(Graph *g, const ChunkedFold *f, const Expr *position, int level) {
    if (!level) return position;
    const Expr *last = expr2(g, OP_ADD, position, number(g, chunk_positions(f, level) - 1));
    return expr2(g, OP_SHR, last, number(g, level * f->bits));
}

/* Chunks of a level. */
static const Expr *count(Graph *g, const ChunkedFold *f, int level) {
    const int64_t unit = chunk_positions(f, level);
    return expr2(g, OP_DIV, expr2(g, OP_ADD, f->n, number(g, unit - 1)), number(g, unit));
}

typedef struct Range {
    const Expr *first, *end;
    const Expr *is_long; /* it is folded in chunks */
} Range;

/* That of an element, starts[v]..starts[next], at a level. */
static Range range_at(Graph *g, const ChunkedFold *f, const Expr *v, const Expr *next, int level) {
    Range r = {.first = at_level(g, f, expr_cast(g, TY_I64, expr_load(g, f->starts, &v)), level),
               .end = at_level(g, f, expr_cast(g, TY_I64, expr_load(g, f->starts, &next)), level)};
    r.is_long = expr2(g, OP_GT, expr2(g, OP_SUB, r.end, r.first), number(g, chunk_positions(f, 1)));
    return r;
}

/* Of ranges that begin at `at` and every `apart` behind it, how many but the first begin at a position or before it: a
 * number below `ways`. */
static const Expr *begun(Graph *g, const ChunkedFold *f, const Expr *position, const Expr *at, int64_t apart,
                         int ways) {
    const Expr *sum = NULL;
    for (int k = 1; k < ways; k++) {
        const Expr *next = number(g, k * apart);
        if (at->op != OP_CONST) next = expr2(g, OP_ADD, at, next);
        const Expr *begins = expr_cast(g, TY_I64, expr_load(g, f->starts, &next));
        const Expr *there = expr2(g, OP_AND, expr2(g, OP_LT, next, f->below), expr2(g, OP_LE, begins, position));
        const Expr *one = expr_cast(g, TY_I64, there);
        sum = sum ? expr2(g, OP_ADD, sum, one) : one;
    }
    return sum;
}

/* The last of the ranges that do not begin behind a position: a search that leaves a quarter of them at each step,
 * since loads of one step do not wait for each other. (10^6 ranges, 66407 chunks, on an H200: by halves 37 us where
 * lengths are fixed and 41 where they are not, by eighths 20 and 110, as a search of 31 bits has many loads then.) It
 * has as many steps as the most ranges that there may be have digits; each is a let, as the next one reads it several
 * times in its text. */
static const Expr *search(Writing *w, const ChunkedFold *f, const Expr *position) {
    enum { MOST_BITS = 30, DIGIT = 2 };
    Graph *g = w->p->g;
    const PolyEnv env = {.g = g};
    int64_t least, most;
    poly_bounds(&env, poly_of(&env, f->below), &least, &most);
    const Expr *at = number(g, 0);
    for (int bit = MOST_BITS; bit >= 0; bit -= DIGIT) {
        if (most >> bit == 0) continue;
        const int64_t apart = (int64_t)1 << bit, left = most >> bit;
        const int ways = left < 1 << DIGIT ? (int)left + 1 : 1 << DIGIT;
        const Expr *more = expr2(g, OP_MUL, begun(g, f, position, at, apart, ways), number(g, apart));
        at = early_let(&w->place, at->op == OP_CONST ? more : expr2(g, OP_ADD, at, more), "owners");
    }
    return at;
}

static Tensor *owners(Writing *w, const ChunkedFold *f) {
    ChunkedPlan *p = w->p;
    Graph *g = p->g;
    for (int i = 0; i < p->owners.n; i++)
        if (p->owners.at[i].starts == f->starts && p->owners.at[i].n == f->n && p->owners.at[i].bits == f->bits)
            return p->owners.at[i].owner;
    Var *c = graph_var(g, sym(g->ctx, "c"), number(g, 0), count(g, f, 1));
    const Expr *own = search(w, f, times(g, expr_var(g, c), chunk_positions(f, 1)));
    if (own->op != OP_LOAD) return NULL; /* there is one range at most */
    ChunkOwners o = {f->starts, f->n, f->bits, own->u.tensor};
    vec_push(p->temp, &p->owners, o);
    return o.owner;
}

/* The element in whose range the first position of a chunk of a level is. Positions behind all ranges get one that ends
 * before them. */
static const Expr *owner(Writing *w, const ChunkedFold *f, const Expr *chunk, int level) {
    Graph *g = w->p->g;
    const Sort *s = f->starts->sort;
    const Expr *position = times(g, chunk, chunk_positions(f, level)), *subs[MAX_RANK];
    if (!s) {
        const Expr *first = level > 1 ? times(g, chunk, chunk_positions(f, level - 1)) : chunk;
        Tensor *t = owners(w, f);
        return t ? expr_load(g, t, &first) : number(g, 0);
    }
    const Expr *left = s->ascends ? position : expr_cast(g, TY_I64, expr_load(g, s->order, &position));
    for (int d = s->keys->rank - 1; d >= 0; d--) {
        subs[d] = d ? expr2(g, OP_MOD, left, s->keys->shape[d]) : left;
        if (d) left = expr2(g, OP_DIV, left, s->keys->shape[d]);
    }
    const Expr *key = expr_cast(g, TY_I64, expr_load(g, s->keys, subs));
    return expr2(g, OP_MAX, number(g, 0), expr2(g, OP_MIN, key, f->below));
}

/* The variables of which an element's number is made, of the element v. */
static void digits(Graph *g, const ChunkedFold *f, const Expr *v, const Expr **to) {
    for (int i = 0; i < f->ndigits; i++) {
        int64_t is;
        to[i] = expr_is_int(f->stride[i], &is) && is == 1 ? v : expr2(g, OP_DIV, v, f->stride[i]);
        if (i) to[i] = expr2(g, OP_MOD, to[i], early_length(g, f->digit[i]));
        if (!expr_is_int(f->digit[i]->lo, &is) || is) to[i] = expr2(g, OP_ADD, f->digit[i]->lo, to[i]);
    }
}

/* ---- folds ---- */

static const Expr *fold_over(Graph *g, const Level *l, Var *x, const Expr *guard, const Expr *const *operands,
                             int part) {
    Reduce *r = NEW(g->ctx, Reduce);
    *r = (Reduce){.monoid = l->monoid, .part = part, .nvars = l->nvars, .vars = NEW_N(g->ctx, Var *, l->nvars)};
    for (int i = 0; i < l->nvars; i++) r->vars[i] = i == l->at ? x : l->vars[i];
    return expr_reduce_parts(g, r, guard, operands);
}

static const Expr *in_range(Graph *g, const Expr *x, const Expr *first, const Expr *end) {
    return expr2(g, OP_AND, expr2(g, OP_LE, first, x), expr2(g, OP_LT, x, end));
}

/* Chunk c of the level's positions, with what its range has before that: of fewer positions than a chunk has, since the
 * range begins behind the chunk before, or there. */
typedef struct Chunk {
    Var *c, *k;
    const Expr *first, *position; /* of k: first + k */
    const Expr *guard;
    int nfrom;
    const Expr *from[MAX_RANK + 1], *to[MAX_RANK + 1];
} Chunk;

static Chunk chunk_of(Writing *w, const Level *l) {
    Graph *g = w->p->g;
    const ChunkedFold *f = l->f;
    const Expr *n = count(g, f, l->level + 1), *zero = number(g, 0);
    const int64_t each = chunk_positions(f, 1);
    Chunk x = {.c = graph_var(g, sym(g->ctx, "c"), zero, n),
               .k = graph_var(g, sym(g->ctx, "k"), zero, number(g, 2 * each))};
    const Expr *c = expr_var(g, x.c), *begin = times(g, c, each), *one = number(g, 1);
    const Expr *v = owner(w, f, c, l->level + 1);
    const Range r = range_at(g, f, v, expr2(g, OP_MIN, expr2(g, OP_ADD, v, one), f->below), l->level);
    x.first = times(g, expr2(g, OP_SUB, c, one), each);
    x.position = expr2(g, OP_ADD, x.first, expr_var(g, x.k));
    const Expr *from = expr3(g, OP_IF, expr2(g, OP_GT, r.first, x.first), r.first, begin);
    const Expr *end = expr2(g, OP_MIN, r.end, times(g, expr2(g, OP_ADD, c, one), each));
    end = expr3(g, OP_IF, r.is_long, end, number(g, 0));
    x.nfrom = f->ndigits + 1;
    digits(g, f, v, x.to);
    for (int i = 0; i < f->ndigits; i++) x.from[i] = expr_var(g, f->digit[i]);
    x.from[f->ndigits] = expr_var(g, l->x);
    x.to[f->ndigits] = x.position;
    /* The end first: nothing is known of a range that is searched for, so what says where it ends is loaded under the
     * conditions before it. One on k would keep these loads, and with them the end, inside of the loop over k. */
    x.guard = expr2(g, OP_AND, expr2(g, OP_LT, x.position, end), expr2(g, OP_LE, from, x.position));
    if (l->guard) x.guard = expr_and(g, x.guard, expr_replace(g, l->guard, x.from, x.to, x.nfrom));
    return x;
}

/* The position in the fold itself of what is best of a level's, of which `best` says which it is; -1: none. A let, so
 * that what is asked of it does not make it a second one. */
static const Expr *index_of(Writing *w, const Expr *best, const Expr *x, const Expr *index) {
    Graph *g = w->p->g;
    if (index == x) return best;
    const Expr *is = early_let(&w->place, best, "best");
    return expr3(g, OP_IF, expr2(g, OP_LT, is, number(g, 0)), is, expr_replace(g, index, &x, &is, 1));
}

/* What chunks are folded to, in lets, as the operands of the level above. */
static void fill_indexed(Writing *w, const Level *l, const Chunk *x, const Expr *const *operands, Level *up) {
    Graph *g = w->p->g;
    const Expr *c = expr_var(g, x->c), *at = expr_var(g, up->x), *k = expr_var(g, x->k);
    const Expr *best = fold_over(g, l, x->k, x->guard, operands, l->monoid->n - 1);
    const Expr *index = expr_replace(g, l->index, x->from, x->to, x->nfrom);
    best = index_of(w, best, k, index);
    up->index = expr_replace(g, early_let(&w->place, best, "chunks"), &c, &at, 1);
    up->guard = expr2(g, OP_LE, number(g, 0), up->index);
    const Expr *own = expr_var(g, l->fold->x);
    for (int i = 0; i < monoid_operands(l->monoid); i++)
        up->operand[i] = expr_replace(g, l->fold->operand[i], &own, &up->index, 1);
}

/* The maximum of the chunk that an index says; where that is -inf the least finite number, since what is folded under
 * it is 0 then, and not exp(-inf - -inf). */
static const Expr *maximum_at(Writing *w, const Level *l, const Expr *chunk) {
    Graph *g = w->p->g;
    const Level *chunks = l->maxima->up;
    const Expr *index = expr_var(g, chunks->x), *e = expr_replace(g, chunks->operand[0], &index, &chunk, 1);
    e = expr_replace(g, e, l->there, l->here, l->nvars_there);
    return expr2(g, OP_MAX, e, expr_float(g, TY_F32, -(double)FLT_MAX));
}

static void fill(Writing *w, const Level *l, const Chunk *x, const Expr *const *operands, Level *up) {
    Graph *g = w->p->g;
    const Expr *c = expr_var(g, x->c), *at = expr_var(g, up->x);
    for (int i = 0; i < l->monoid->n; i++) {
        const Expr *e = fold_over(g, l, x->k, x->guard, operands, i);
        up->operand[i] = expr_replace(g, early_let(&w->place, e, "chunks"), &c, &at, 1);
    }
    if (!l->most) return;
    up->most = l->most;
    up->maxima = l->maxima->up;
    up->nvars_there = l->nvars_there;
    for (int i = 0; i < l->nvars_there; i++) up->there[i] = l->there[i], up->here[i] = l->here[i];
    const Expr *by = expr1(g, OP_EXP, expr2(g, OP_SUB, maximum_at(w, l, at), l->most));
    up->operand[0] = expr2(g, OP_MUL, up->operand[0], by);
}

static Level *level_above(Writing *w, const Level *l) {
    Graph *g = w->p->g;
    const Chunk x = chunk_of(w, l);
    const Expr *operands[MAX_PARTS];
    Level *up = NEW(w->p->temp, Level);
    *up = (Level){.f = l->f, .monoid = l->monoid, .level = l->level + 1, .nvars = 1, .fold = l->fold};
    up->vars = NEW(w->p->temp, Var *);
    up->x = up->vars[0] = graph_var(g, x.c->name, x.c->lo, x.c->hi);
    for (int i = 0; i < monoid_operands(l->monoid); i++) operands[i] = l->operand[i];
    if (l->most) {
        const Expr *own = maximum_at(w, l, expr_var(g, x.c));
        operands[0] = expr_replace(g, operands[0], &l->most, &own, 1);
    }
    for (int i = 0; i < monoid_operands(l->monoid); i++)
        operands[i] = expr_replace(g, operands[i], x.from, x.to, x.nfrom);
    (l->monoid->indexed ? fill_indexed : fill)(w, l, &x, operands, up);
    return up;
}

/* The operand of the positions of a range that is not folded in chunks. Its maximum is that of the positions, too, so
 * that both may be one pass; of other ranges nothing is folded here. */
static const Expr *short_operand(Writing *w, const Level *l) {
    if (!l->most || l->level || !l->maxima->own) return l->operand[0];
    const Expr *own = expr_replace(w->p->g, l->maxima->own, l->there, l->here, l->nvars_there);
    return expr_replace(w->p->g, l->operand[0], &l->most, &own, 1);
}

/* Whether sums may be under it. */
static bool is_maximum(const Writing *w, const Level *l) {
    return w->maxima && l->monoid->kind == MONOID_MAX && l->nvars == 1 && !l->guard && l->operand[0]->type == TY_F32;
}

/* An element's fold: of its positions where these are few, else of its chunks. Where it is the other one, the range of
 * this one is empty. `only`: where it is asked for; NULL: always. */
static const Expr *fold_of(Writing *w, Level *l, const Expr *only, int part) {
    Graph *g = w->p->g;
    const ChunkedFold *f = l->f;
    const Range r = range_at(g, f, f->element, expr2(g, OP_ADD, f->element, number(g, 1)), l->level);
    const bool last = l->level == f->levels;
    const Expr *end = last ? r.end : expr3(g, OP_IF, r.is_long, number(g, 0), r.end), *x = expr_var(g, l->x);
    if (only) end = expr3(g, OP_IF, only, end, number(g, 0));
    const Expr *operands[MAX_PARTS] = {0};
    for (int i = 0; i < monoid_operands(l->monoid); i++) operands[i] = i || last ? l->operand[i] : short_operand(w, l);
    const Expr *e = fold_over(g, l, l->x, expr_and(g, in_range(g, x, r.first, end), l->guard), operands, part);
    /* Both lets, so that both fold under the same conditions: a group may fold them in one pass then (online.h). */
    if ((is_maximum(w, l) || l->most) && !last && !l->level && f->bits == CHUNK_FLAT)
        l->own = e = early_let(&w->place, e, "own");
    if (l->monoid->indexed) e = index_of(w, e, x, l->index);
    if (last) return e;
    if (!l->up) l->up = level_above(w, l);
    return expr3(g, OP_IF, r.is_long, fold_of(w, l->up, r.is_long, part), e);
}

/* Whether two are parts of one fold. */
static bool same_fold(const Expr *a, const Expr *b) {
    const Reduce *r = a->u.reduce, *o = b->u.reduce;
    bool same = r->monoid == o->monoid && r->nvars == o->nvars;
    for (int i = 0; i < r->nvars && same; i++) same = r->vars[i] == o->vars[i];
    for (int i = 0; i < a->nargs && same; i++) same = a->arg[i] == b->arg[i];
    return same;
}

/* Whether m, under which e is summed up, is that maximum: of the same, over the same range. */
static bool is_under(Writing *w, Level *l, const Maximum *x, const Expr *e, const Expr *m) {
    Graph *g = w->p->g;
    const Level *y = x->level;
    const Piece *piece = x->tensor ? &x->tensor->pieces.at[0] : NULL;
    if (piece ? m->op != OP_LOAD || m->u.tensor != x->tensor : m != x->value) return false;
    if (y->f->starts != l->f->starts || y->f->n != l->f->n || y->f->levels != l->f->levels || y->f->bits != l->f->bits)
        return false;
    l->nvars_there = 0;
    for (int d = 0; piece && d < x->tensor->rank; d++) {
        l->there[l->nvars_there] = piece->subs[d];
        l->here[l->nvars_there++] = m->arg[d];
    }
    const Expr *j = expr_var(g, y->x), *k = expr_var(g, l->x);
    const Expr *of = expr_replace(g, expr_replace(g, y->operand[0], &j, &k, 1), l->there, l->here, l->nvars_there);
    return of == e && expr_replace(g, y->f->element, l->there, l->here, l->nvars_there) == l->f->element;
}

/* A sum of exponentials under their maximum would wait for that maximum of all chunks. Each chunk of it is relative to
 * the maximum of its own, and what chunks come to is carried over: sum exp(e - m) = sum of z * exp(M - m), z of each
 * chunk the sum of exp(e - M), M its maximum. So chunks of both are one kernel's, and so are the folds of these. */
static void find_maximum(Writing *w, Level *l) {
    const Expr *b = l->operand[0];
    if (l->monoid->kind != MONOID_SUM || l->nvars != 1 || l->guard || b->type != TY_F32 || b->op != OP_EXP) return;
    if (b->arg[0]->op != OP_SUB) return;
    const Expr *e = b->arg[0]->arg[0], *m = b->arg[0]->arg[1];
    for (int i = 0; w->maxima && i < w->maxima->at.n && !l->maxima; i++)
        if (is_under(w, l, &w->maxima->at.at[i], e, m)) l->most = m, l->maxima = w->maxima->at.at[i].level;
}

static Level *level_of(Writing *w, const ChunkedFold *f, const Expr *made) {
    Graph *g = w->p->g;
    const Reduce *r = made->u.reduce;
    const Expr *j = expr_var(g, r->vars[f->at]), *x = expr_var(g, f->x);
    ExprVec conds = {0};
    for (int i = 0; i < w->folds.n; i++)
        if (same_fold(w->folds.at[i]->source, made)) return w->folds.at[i];
    Level *l = NEW(w->p->temp, Level);
    *l = (Level){.f = f, .monoid = r->monoid, .source = made, .x = f->x, .nvars = r->nvars, .at = f->at};
    l->vars = NEW_N(w->p->temp, Var *, r->nvars);
    for (int i = 0; i < r->nvars; i++) l->vars[i] = i == f->at ? f->x : r->vars[i];
    early_conditions(w->p->temp, made->arg[0], &conds);
    for (int i = 0; i < conds.n; i++)
        if (conds.at[i] != f->says[0] && conds.at[i] != f->says[1]) l->guard = expr_and(g, l->guard, conds.at[i]);
    if (l->guard) l->guard = expr_replace(g, l->guard, &j, &x, 1);
    l->index = r->monoid->indexed ? x : NULL;
    for (int i = 1; i < made->nargs; i++) l->operand[i - 1] = expr_replace(g, made->arg[i], &j, &x, 1);
    find_maximum(w, l);
    vec_push(w->p->temp, &w->folds, l);
    return l->fold = l;
}

static const Expr *write_fold(ExprRewrite *x, const Expr *e, const Expr *made) {
    Writing *w = x->user;
    const ChunkedFold *f = e->op == OP_REDUCE ? expr_map_get(&w->p->of, e) : NULL;
    if (!f || !f->levels) return made;
    Level *l = level_of(w, f, made);
    const Expr *fold = fold_of(w, l, NULL, e->u.reduce->part);
    if (is_maximum(w, l)) vec_push(w->p->temp, &w->maxima->at, ((Maximum){l, NULL, fold}));
    return fold;
}

/* A let that is a maximum, of each index once. */
static void note_maximum(Writing *w, const Tensor *t) {
    const Piece *p = &t->pieces.at[0];
    if (t->pieces.n != 1 || p->guard || p->nvars != t->rank) return;
    for (int d = 0; d < t->rank; d++)
        for (int k = 0; k < d + 1; k++)
            if (p->subs[d]->op != OP_VAR || (k < d && p->subs[k] == p->subs[d])) return;
    for (int i = 0; i < w->maxima->at.n; i++)
        if (w->maxima->at.at[i].value == p->value) {
            const Maximum m = {w->maxima->at.at[i].level, t, NULL};
            vec_push(w->p->temp, &w->maxima->at, m);
            return;
        }
}

void chunked_write(ChunkedPlan *p, bool exact) {
    Graph *g = p->g;
    EarlyPlace place = {.g = g, .temp = p->temp};
    Maxima maxima = {0};
    for (; place.at < g->tensors.n; place.at++) {
        Tensor *t = place.reader = g->tensors.at[place.at];
        Writing w = {.p = p, .place = place, .maxima = exact ? NULL : &maxima};
        ExprRewrite x = {.g = g, .temp = p->temp, .after = write_fold, .user = &w, .reduces = true};
        for (int k = 0; k < t->pieces.n; k++) t->pieces.at[k].value = expr_rewrite(&x, t->pieces.at[k].value);
        if (!exact) note_maximum(&w, t);
        place = w.place;
    }
}
