/* The steps of a schedule: each makes another kernel of one that is whole. What is asked for here is only what a step
 * needs to be made; whether the kernel is legal then, the verifier says. */
#include "apply_form.h"
#include "ir/expr_walk.h"

/* A stage, and the one in whose body it stands; NULL: the part's. */
typedef struct Standing {
    Stage *stage, *in;
} Standing;

typedef struct Stages {
    VEC(Standing) at;
} Stages;

static void list_body(Apply *x, Stages *all, Stage *in, Stage *const *at, int n) {
    for (int i = 0; i < n; i++) {
        vec_push(x->temp, &all->at, ((Standing){at[i], in}));
        list_body(x, all, at[i], at[i]->body.at, at[i]->body.n);
    }
}

/* All stages of the part, in the order of its text. */
static Stages stages_of(Apply *x) {
    Stages all = {0};
    list_body(x, &all, NULL, x->part->body.at, x->part->body.n);
    return all;
}

/* Puts a stage at a place of a body. */
static void insert(Apply *x, Stage *in, int place, Stage *s) {
    if (in)
        vec_push(x->g->ctx, &in->body, s);
    else
        vec_push(x->g->ctx, &x->part->body, s);
    Stage **at = in ? in->body.at : x->part->body.at;
    for (int i = (in ? in->body.n : x->part->body.n) - 1; i > place; i--) at[i] = at[i - 1];
    at[place] = s;
}

static bool stands_in(const Stage *s, const Stage *around) {
    bool in = s == around;
    for (int i = 0; i < around->body.n && !in; i++) in = stands_in(s, around->body.at[i]);
    return in;
}

/* The place in a body of the stage that is s, or around it. */
static int place_of(const Apply *x, const Stage *in, const Stage *s) {
    Stage *const *at = in ? in->body.at : x->part->body.at;
    int i = 0;
    while (!stands_in(s, at[i])) i++;
    return i;
}

static const Standing *defines(const Stages *all, const Value *v) {
    for (int i = 0; i < all->at.n; i++)
        for (int k = 0; k < all->at.at[i].stage->nout; k++)
            if (all->at.at[i].stage->out[k] == v && all->at.at[i].stage->kind != STAGE_SET) return &all->at.at[i];
    return NULL;
}

/* The tensor whose elements a stage brings into registers, or NULL. */
static const Tensor *brings(const Stages *all, const Stage *s) {
    if (s->kind == STAGE_LOAD) return s->tensor;
    if (s->kind != STAGE_READ) return NULL;
    const Stage *from = defines(all, s->source)->stage;
    return from->kind == STAGE_COPY ? from->tensor : NULL;
}

/* The stage around one, or NULL. */
static const Stage *around(const Stages *all, const Stage *s) {
    for (int i = 0; i < all->at.n; i++)
        if (all->at.at[i].stage == s) return all->at.at[i].in;
    return NULL;
}

static Tensor *tensor_of(const Apply *x, const ScheduleStep *p) { return x->gr->tensors.at[p->tensor].tensor; }

static bool refuse(Apply *x, const ScheduleStep *p, const char *what) {
    return text_fail(x->why, "%s %s: %s", schedule_step_rows[p->kind].word, tensor_of(x, p)->name, what);
}

/* ---- where elements come from and go to ---- */

static Found is_value(const Expr *e, const void *unused) {
    (void)unused;
    return e->op == OP_VALUE ? FOUND : FOUND_INSIDE;
}

/* At places that are data: what runs ahead of the loop does not know them. */
static bool is_gathered(const Stage *s) {
    bool any = false;
    for (int d = 0; d < s->tensor->rank; d++) any |= expr_has(s->subs[d], is_value, NULL) != NULL;
    return any;
}

static Stage *copy_of(Apply *x, const Stage *load, bool bulk) {
    const Tensor *t = load->tensor;
    Stage *c = stage_new(x->p, STAGE_COPY);
    c->tensor = load->tensor;
    c->subs = load->subs;
    c->path = bulk ? PATH_BULK : PATH_ASYNC;
    c->layout = x->l;
    c->nout = 1;
    c->out[0] = apply_value(x, VALUE_SHARED, t->name, t->type, load->out[0]->domain);
    return c;
}

static void read_instead(Apply *x, Stage *load, const Stage *copy) {
    load->kind = STAGE_READ;
    load->layout = x->l;
    load->source = copy->out[0];
    load->tensor = NULL;
    load->subs = NULL;
    load->depth = 0;
}

/* A load becomes a copy, and what reads it. */
static bool step_copy(Apply *x, const ScheduleStep *p) {
    const Tensor *t = tensor_of(x, p);
    const Stages all = stages_of(x);
    bool any = false;
    for (int i = 0; i < all.at.n; i++) {
        Stage *s = all.at.at[i].stage, *in = all.at.at[i].in;
        if (s->kind != STAGE_LOAD || s->tensor != t || is_gathered(s)) continue;
        any = true;
        if (!in || in->kind != STAGE_FOR) return refuse(x, p, "it is loaded outside of loops");
        if (s->cond) return refuse(x, p, "it is loaded under a condition");
        Stage *c = copy_of(x, s, p->kind == SCHEDULE_COPY_BULK);
        c->depth = p->number;
        read_instead(x, s, c);
        insert(x, in, place_of(x, in, s), c);
    }
    return any || refuse(x, p, "it is loaded at places that are data");
}

static bool same_elements(const Stage *a, const Stage *b) {
    for (int d = 0; d < a->tensor->rank; d++)
        if (a->subs[d] != b->subs[d]) return false;
    return a->out[0]->domain == b->out[0]->domain;
}

/* The loop of an axis, before a stage, that asks for what is held; NULL: there is none yet. */
static Stage *holding_loop(const Stages *all, const Axis *axis, const Stage *before) {
    for (int i = 0; i < all->at.n && all->at.at[i].stage != before; i++) {
        Stage *s = all->at.at[i].stage;
        if (s->kind == STAGE_FOR && s->axis == axis && s->body.at[0]->held) return s;
    }
    return NULL;
}

/* What loops over one axis load is loaded before the first of them, once. */
static bool step_hold(Apply *x, const ScheduleStep *p) {
    const Tensor *t = tensor_of(x, p);
    const Stages all = stages_of(x);
    Stage *first = NULL, *copy = NULL;
    for (int i = 0; i < all.at.n; i++) {
        Stage *s = all.at.at[i].stage, *in = all.at.at[i].in;
        if (s->kind != STAGE_LOAD || s->tensor != t || is_gathered(s) || !in) continue;
        if (in->kind != STAGE_FOR || around(&all, in)) return refuse(x, p, "a loop that loads it is not outermost");
        if (s->cond) return refuse(x, p, "it is loaded under a condition");
        if (first && (in->axis != first->axis || !same_elements(copy, s)))
            return refuse(x, p, "loops load different elements of it");
        if (!first) {
            first = in;
            copy = copy_of(x, s, p->kind == SCHEDULE_HOLD_BULK);
            copy->held = true;
        }
        read_instead(x, s, copy);
    }
    if (!first) return refuse(x, p, "no loop loads it at places that are no data");
    Stage *loop = holding_loop(&all, first->axis, first);
    if (!loop) {
        loop = stage_new(x->p, STAGE_FOR);
        loop->axis = first->axis;
        insert(x, NULL, place_of(x, NULL, first), loop);
    }
    vec_push(x->g->ctx, &loop->body, copy);
    return true;
}

static bool step_pack(Apply *x, const ScheduleStep *p) {
    const Stages all = stages_of(x);
    for (int i = 0; i < all.at.n; i++)
        all.at.at[i].stage->packed |= brings(&all, all.at.at[i].stage) == tensor_of(x, p);
    return true;
}

static bool step_cache(Apply *x, const ScheduleStep *p) {
    const Stages all = stages_of(x);
    bool any = false;
    for (int i = 0; i < all.at.n; i++) {
        Stage *s = all.at.at[i].stage;
        if (s->tensor != tensor_of(x, p) || (s->kind != STAGE_LOAD && s->kind != STAGE_STORE)) continue;
        s->cache = p->kind == SCHEDULE_STREAM ? CACHE_STREAM : CACHE_KEEP;
        any = true;
    }
    return any || refuse(x, p, "it is copied, and not loaded");
}

static bool step_out(Apply *x, const ScheduleStep *p) {
    const Stages all = stages_of(x);
    for (int i = 0; i < all.at.n; i++)
        if (all.at.at[i].stage->kind == STAGE_STORE && all.at.at[i].stage->tensor == tensor_of(x, p))
            all.at.at[i].stage->path = PATH_BULK;
    return true;
}

/* ---- the second layout ---- */

/* What was brought is shared; `other` reads it. */
static bool step_relay(Apply *x, const ScheduleStep *p) {
    const Stages all = stages_of(x);
    if (!x->other) return refuse(x, p, "there is no second layout");
    for (int i = 0; i < all.at.n; i++) {
        const Stage *s = all.at.at[i].stage;
        if (brings(&all, s) != tensor_of(x, p)) continue;
        Stage *share = stage_new(x->p, STAGE_SHARE);
        share->expr[0] = expr_value(x->p, s->out[0]);
        share->layout = x->l;
        share->swizzle = p->kind == SCHEDULE_RELAY_SWIZZLE;
        share->pad = p->kind == SCHEDULE_RELAY_PAD ? p->number : 0;
        share->nout = 1;
        share->out[0] = apply_value(x, VALUE_SHARED, tensor_of(x, p)->name, s->out[0]->type, s->out[0]->domain);
        insert(x, all.at.at[i].in, place_of(x, all.at.at[i].in, s) + 1, share);
    }
    return true;
}

static const Expr *turned(Apply *x, const Expr *e, const Stage *user);

/* Where a value is shared. */
static const Standing *shares(const Stages *all, const Value *v) {
    for (int i = 0; i < all->at.n; i++) {
        const Stage *s = all->at.at[i].stage;
        if (s->kind == STAGE_SHARE && s->expr[0]->op == OP_VALUE && s->expr[0]->u.value == v) return &all->at.at[i];
    }
    return NULL;
}

static bool serves_both(const Apply *x, const Value *v) { return !(v->domain & ~x->other->all); }

/* A stage of the second layout that has the elements which s has in the first. */
static Stage *in_other(Apply *x, const Stage *s, const Stage *share, const Stage *user) {
    Stage *r = stage_new(x->p, share ? STAGE_READ : s->kind);
    r->layout = x->other;
    r->source = share ? share->out[0] : s->source;
    r->packed = s->packed;
    r->nout = 1;
    r->out[0] = apply_value(x, VALUE_REG, s->out[0]->name, s->out[0]->type, 0);
    if (share || s->kind == STAGE_READ) return r;
    r->tensor = s->tensor;
    r->cache = s->cache;
    r->depth = s->depth;
    r->subs = s->tensor ? NEW_N(x->g->ctx, const Expr *, s->tensor->rank) : NULL;
    for (int d = 0; s->tensor && d < s->tensor->rank; d++) r->subs[d] = turned(x, s->subs[d], user);
    r->cond = turned(x, s->cond, user);
    r->other = turned(x, s->other, user);
    r->expr[0] = turned(x, s->expr[0], user);
    return r;
}

/* The value in the second layout, made before the stage that reads it there: what is shared is read; what is copied is
 * read; what is loaded or computed is so again. Results of folds serve as they are, or not at all. */
static Value *turned_value(Apply *x, Value *v, const Stage *user) {
    Value *known = expr_map_object(&x->turned, v);
    if (known) return known;
    const Stages all = stages_of(x);
    const Standing *def = defines(&all, v), *share = shares(&all, v);
    const StageKind kind = def->stage->kind;
    if (!share && (serves_both(x, v) || (kind != STAGE_LOAD && kind != STAGE_READ && kind != STAGE_MAP))) return v;
    Stage *s = in_other(x, def->stage, share ? share->stage : NULL, user), *in = share ? share->in : def->in;
    insert(x, in, place_of(x, in, user), s);
    expr_map_put_object(x->temp, &x->turned, v, s->out[0]);
    return s->out[0];
}

typedef struct Reading {
    Ctx *ctx;
    ExprMap met;
    VEC(const Expr *) values;
} Reading;

static Found note_value(const Expr *e, void *reading) {
    Reading *r = reading;
    if (e->op != OP_VALUE || expr_map_get(&r->met, e)) return FOUND_INSIDE;
    expr_map_put(r->ctx, &r->met, e, e);
    vec_push(r->ctx, &r->values, e);
    return FOUND_INSIDE;
}

/* An expression of the first layout in the second one; user: the stage that reads it. */
static const Expr *turned(Apply *x, const Expr *e, const Stage *user) {
    Reading r = {.ctx = x->temp};
    ExprWalk w = {.temp = x->temp, .before = note_value, .user = &r};
    if (!e) return NULL;
    expr_walk(&w, e);
    const Expr **to = NEW_N(x->temp, const Expr *, r.values.n + 1);
    for (int i = 0; i < r.values.n; i++) to[i] = expr_value(x->p, turned_value(x, r.values.at[i]->u.value, user));
    return r.values.n ? expr_replace(x->g, e, r.values.at, to, r.values.n) : e;
}

static bool step_other(Apply *x, const ScheduleStep *p) {
    const Stages all = stages_of(x);
    for (int i = 0; i < all.at.n; i++) {
        Stage *s = all.at.at[i].stage;
        if (s->kind != STAGE_STORE || s->tensor != tensor_of(x, p)) continue;
        s->layout = x->other;
        for (int d = 0; d < s->tensor->rank; d++) s->subs[d] = turned(x, s->subs[d], s);
        s->cond = turned(x, s->cond, s);
        s->expr[0] = turned(x, s->expr[0], s);
    }
    return true;
}

/* ---- what nobody reads any more ---- */

static void note_read(Apply *x, Reading *r, const Stage *s) {
    ExprWalk w = {.temp = x->temp, .before = note_value, .user = r};
    for (int d = 0; s->tensor && d < s->tensor->rank; d++) expr_walk(&w, s->subs[d]);
    for (int k = 0; k < MAX_PARTS; k++) expr_walk(&w, s->expr[k]);
    expr_walk(&w, s->cond);
    expr_walk(&w, s->other);
    if (s->source) note_value(expr_value(x->p, s->source), r);
    for (int k = 0; k < MAX_PARTS; k++)
        if (s->carry[k]) note_value(expr_value(x->p, s->carry[k]), r);
}

static bool may_go(const Stage *s) {
    return s->kind == STAGE_LOAD || s->kind == STAGE_COPY || s->kind == STAGE_READ || s->kind == STAGE_MAP;
}

/* Leaves out stages of a body whose results nobody reads; whether there were some. */
static bool drop_body(const Reading *r, Stage **at, int *n) {
    int kept = 0, had = *n;
    bool any = false;
    for (int i = 0; i < had; i++) {
        any |= drop_body(r, at[i]->body.at, &at[i]->body.n);
        const Expr *node = at[i]->nout ? at[i]->out[0]->node : NULL;
        if (!may_go(at[i]) || (node && expr_map_get(&r->met, node))) at[kept++] = at[i];
    }
    *n = kept;
    return any || kept < had;
}

static bool drop_unread(Apply *x) {
    for (bool more = true; more;) {
        const Stages all = stages_of(x);
        Reading r = {.ctx = x->temp};
        for (int i = 0; i < all.at.n; i++) note_read(x, &r, all.at.at[i].stage);
        for (int i = 0; i < all.at.n; i++) {
            const Stage *s = all.at.at[i].stage;
            if (s->kind == STAGE_SHARE && !expr_map_get(&r.met, expr_value(x->p, s->out[0])))
                return text_fail(x->why, "%s is relayed, and nothing reads it in the second layout", s->out[0]->name);
        }
        more = drop_body(&r, x->part->body.at, &x->part->body.n);
    }
    return true;
}

bool apply_steps(Apply *x) {
    static bool (*const apply[SCHEDULE_STEP_COUNT])(Apply *, const ScheduleStep *) = {
#define SCHEDULE_STEP(e, word, manner, on, least, most, targets, function) step_##function,
#include "schedule_steps.def"
    };
    for (int i = 0; i < x->s->nsteps; i++)
        if (!apply[x->s->step[i].kind](x, &x->s->step[i])) return false;
    return !x->other || drop_unread(x);
}
