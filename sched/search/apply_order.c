/* When what a kernel loads is asked for. A load is emitted where it is first read, which for the target of a
 * cross-entropy and the logit at it is behind the folds: a block would end by waiting for memory twice, with nothing
 * else under way. So loads of single elements come before the first stage that waits for anything. */
#include "apply_form.h"
#include "ir/expr_walk.h"

/* Each takes a register until it is read. */
enum { MOST_EARLY = 8 };

static bool stores(Stage *const *at, int n, const Tensor *t) {
    bool any = false;
    for (int i = 0; i < n && !any; i++) {
        const bool brings = at[i]->kind == STAGE_LOAD || at[i]->kind == STAGE_COPY;
        any = (at[i]->tensor == t && !brings) || stores(at[i]->body.at, at[i]->body.n, t);
    }
    return any;
}

/* A stage that asks for memory and does not wait, or that says what others start from. */
static bool only_asks(const Stage *s) {
    if (s->kind == STAGE_FOR) return s->body.n && s->body.at[0]->held;
    return s->kind == STAGE_LOAD || s->kind == STAGE_VAR;
}

typedef struct Between {
    Stage *const *at;
    int from, to;
} Between;

/* A value that stages between make, or may set. */
static Found is_later(const Expr *e, const void *between) {
    const Between *b = between;
    if (e->op != OP_VALUE) return FOUND_INSIDE;
    if (e->u.value->kind == VALUE_VAR) return FOUND;
    for (int i = b->from; i < b->to; i++)
        for (int k = 0; k < b->at[i]->nout; k++)
            if (b->at[i]->out[k] == e->u.value) return FOUND;
    return FOUND_NOT;
}

static bool reads_later(const Stage *s, const Between *b) {
    bool later = (s->cond && expr_has(s->cond, is_later, b)) || (s->other && expr_has(s->other, is_later, b));
    for (int d = 0; d < s->tensor->rank && !later; d++) later = expr_has(s->subs[d], is_later, b) != NULL;
    return later;
}

static void order_body(const Apply *x, Stage **at, int n) {
    int place = 0, moved = 0;
    const FactorSet tile = layout_scope_factors(x->l, SCOPE_REG);
    while (place < n && only_asks(at[place])) place++;
    for (int i = place; i < n && moved < MOST_EARLY; i++) {
        Stage *s = at[i];
        if (s->kind != STAGE_LOAD || s->depth || (s->out[0]->domain & tile)) continue;
        if (reads_later(s, &(Between){at, place, i}) || stores(x->part->body.at, x->part->body.n, s->tensor)) continue;
        for (int k = i; k > place; k--) at[k] = at[k - 1];
        at[place++] = s;
        moved++;
    }
    for (int i = 0; i < n; i++) order_body(x, at[i]->body.at, at[i]->body.n);
}

void apply_order(Apply *x) { order_body(x, x->part->body.at, x->part->body.n); }
