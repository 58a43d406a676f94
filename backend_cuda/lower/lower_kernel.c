/* Lowering, the walk: makes the statements of a part from its stages. Each kind of stage has a file of its own; here
 * are the small ones, loops, and what stands around them. */
#include "lower_internal.h"
#include "sched/kernel/under.h"

/* Bindings are told apart by scope, but grid, cluster and serial by name as well: see lower_axis.c. */
_Static_assert(BIND_COUNT == 9, "lower the new binding, then count it here");

/* ---- maps and variables ---- */

static void lower_map(Lower *l, Stage *s) {
    Value *v = s->out[0];
    l->open.layout = value_layout(l, v);
    Factor *f[MAX_FACTORS];
    int n = list_reg_factors(l->open.layout, v->domain, f);
    int64_t count = reg_count(l, v->domain);
    Sym name = value_name(l, v), some = sym(l->ctx, "some");
    const Code *e = expr_code(l, s->expr[0], l->open.layout);
    if (value_packed(v)) {
        put_tile(l, v);
        put_block(l);
        put_declare(l, lower_value_type(v->type), some, "[%l]", count);
        int loops = put_reg_loops(l, f, n);
        put_do(l, "%n[%c] = %c", some, value_index(l, v), e);
        put_ends(l, loops);
        put_do(l, "td_pack<%s, %l>(%n, %n)", lower_storage_type(v->type), count, name, some);
        put_end(l);
    } else if (count == 1) {
        put_declare(l, sym_fmt(l->ctx, "%s%s", s->kind == STAGE_MAP ? "const " : "", lower_value_type(v->type)), name,
                    " = %c", e);
    } else {
        put_declare(l, lower_value_type(v->type), name, "[%l]", count);
        int loops = put_reg_loops(l, f, n);
        put_do(l, "%n[%c] = %c", name, value_index(l, v), e);
        put_ends(l, loops);
    }
}

static void lower_set(Lower *l, Stage *s) {
    Value *v = s->out[0];
    l->open.layout = value_layout(l, v);
    Factor *f[MAX_FACTORS];
    int n = list_reg_factors(l->open.layout, v->domain, f), loops = put_reg_loops(l, f, n);
    const Code *e = expr_code(l, s->expr[0], l->open.layout);
    Sym name = value_name(l, v);
    if (value_packed(v))
        put_do(l, "td_put<%s>(%n, %c, %c)", lower_storage_type(v->type), name, value_index(l, v), e);
    else
        put_do(l, "%c = %c", value_element(l, v), e);
    put_ends(l, loops);
}

static void lower_stages(Lower *l, Stage *const *s, int n);

/* Twice where tiles that meet no end need fewer tests, and tiles that end early less work. fetch: the stage is a load
 * that runs ahead, into its registers; NULL: they are done as they are. */
static void lower_tiles(Lower *l, Stage *const *s, int n, Stage *fetch) {
    const bool twice = inside_begin(l, s, n);
    for (int pass = 0; pass <= twice; pass++) {
        if (pass) inside_else(l);
        if (fetch)
            lower_load_into(l, fetch, *s);
        else
            lower_stages(l, s, n);
    }
    if (twice) inside_end(l);
}

/* ---- loads that run one iteration ahead ----
 * They fill registers of their own, which the next iteration takes over. */

/* The same load into those registers. */
static Stage *fetch_stage(Lower *l, Stage *s) {
    for (int i = 0; i < l->fetches.n; i += 2)
        if (l->fetches.at[i] == s) return l->fetches.at[i + 1];
    Stage *fetch = lower_load_elsewhere(l, s, "next");
    fetch->depth = 0;
    vec_push(l->ctx, &l->fetches, s);
    vec_push(l->ctx, &l->fetches, fetch);
    return fetch;
}

static bool runs_ahead(const Stage *s) { return s->kind == STAGE_LOAD && s->depth; }

static Sym fetch_name(Lower *l, const Stage *s) { return value_name_with(l, s->out[0], "_fetch"); }

static void fetch_take(Lower *l, const Stage *s, const Value *next) {
    const Value *v = s->out[0];
    if (value_apart(l, next)) {
        put_together(l, s, next);
        return;
    }
    put_loop(l, true, "int i = 0; i < td_words<%s>(%l); i++", lower_storage_type(v->type), reg_count(l, v->domain))
        ->braces = BARE;
    put_do(l, "%n[i] = %n[i]", value_name(l, v), value_name(l, next));
    put_end(l);
}

static void put_fetches(Lower *l, const LoopHead *h) {
    for (int i = 0; i < h->stage->body.n && !l->failed; i++) {
        Stage *s = h->stage->body.at[i];
        if (!runs_ahead(s)) continue;
        if (s->depth > 1) lower_fail(l, "a load may run one iteration ahead, not %d", s->depth);
        if (l->failed) return;
        Stage *fetch = fetch_stage(l, s);
        if (lower_load_apart(l, s))
            put_tile_apart(l, fetch->out[0], s, lower_load_apart(l, s));
        else
            put_tile(l, fetch->out[0]);
        Stmt *load = put_lambda(l, fetch_name(l, s), h->var);
        int before = l->open.declared.n;
        l->open.loops[l->open.nloops++] = h->stage;
        axis_loop_digit(l, h->stage, h->var, h->start, h->step);
        axis_declare(l, false);
        lower_tiles(l, &s, 1, fetch);
        stmt_prune(l->ctx, &load->body);
        l->open.nloops--;
        l->open.declared.n = before;
        put_end(l);
    }
}

/* Takes over what was fetched, and fetches the next. */
static void put_takes(Lower *l, const LoopHead *h) {
    bool any = false;
    for (int i = 0; i < h->stage->body.n; i++) {
        Stage *s = h->stage->body.at[i];
        if (!runs_ahead(s)) continue;
        any = true;
        put_tile(l, s->out[0]);
        fetch_take(l, s, fetch_stage(l, s)->out[0]);
    }
    if (!any) return;
    put_if(l, code(l->ctx, "%n + %c < %c", h->var, h->step, h->bound));
    for (int i = 0; i < h->stage->body.n; i++)
        if (runs_ahead(h->stage->body.at[i]))
            put_do(l, "%n(%n + %c)", fetch_name(l, h->stage->body.at[i]), h->var, h->step);
    put_end(l);
}

/* ---- loops ---- */

/* Where an axis's serial factor is not outermost, a block's loop ends before the axis does. */
static const Code *loop_end(Lower *l, const LoopHead *h, const Factor *f, const Code *hi) {
    const Layout *layout = l->part->layouts.at[0];
    const Axis *a = h->stage->axis;
    bool outermost = true;
    for (int i = 0; i < layout->factors.n && layout->factors.at[i] != f; i++)
        if (layout->factors.at[i]->axis == a && layout->factors.at[i]->size != 1) outermost = false;
    if (outermost) return hi;
    index_fits(l, poly_scale(l->ctx, poly_of(&l->env, expr_var(l->g, a->var)), 2));
    Poly length = poly_mul(l->ctx, poly_of(&l->env, f->stride), poly_of(&l->env, f->count));
    const Code *end = code(l->ctx, "%c + %c", h->start, poly_code(l, length, false));
    Sym name = name_of(l, h->stage, sym_fmt(l->ctx, "%s_end", a->name));
    put_number(l, "I", name, code(l->ctx, "%c < %c ? %c : %c", end, hi, end, hi));
    return code_name(l->ctx, name);
}

/* What an iteration does, in the order in which it is made: the stages before what runs ahead of them, since they say
 * what that needs. */
typedef struct LoopBody {
    StmtList indices, stages, fetches, ahead, release;
} LoopBody;

static void lower_body(Lower *l, const LoopHead *h, LoopBody *b) {
    Stage *s = h->stage;
    int before = l->open.declared.n;
    l->open.loops[l->open.nloops++] = s;
    put_into(l, &b->indices);
    axis_declare(l, false);
    put_back(l);
    put_into(l, &b->stages);
    lower_tiles(l, s->body.at, s->body.n, NULL);
    put_back(l);
    l->open.nloops--;
    l->open.declared.n = before;
    put_into(l, &b->fetches);
    put_fetches(l, h);
    put_back(l);
    put_into(l, &b->ahead);
    copy_advance(l, h);
    put_takes(l, h);
    put_back(l);
    put_into(l, &b->release);
    copy_release(l, s);
    put_back(l);
}

static void lower_for(Lower *l, Stage *s) {
    Axis *a = s->axis;
    Factor *f = axis_serial(l, a);
    const Layout *layout = l->part->layouts.at[0];
    if (!f || l->open.nloops == MAX_LOOPS) {
        lower_fail(l, "a loop over %s, which has no serial factor", a->name);
        return;
    }
    l->open.layout = layout;
    LoopHead h = {.stage = s, .var = axis_loop_name(l, a)};
    const Code *hi = expr_code(l, a->hi, layout);
    const Code *past = axis_peel_past(l, a, h.var, hi);
    if (a->peel) hi = code(l->ctx, "%c + %l", hi, axis_slack(a)); /* it starts early by so much at most */
    h.start = poly_code(l, axis_start(l, a), false);
    h.step = poly_code(l, poly_of(&l->env, f->stride), false);
    h.bound = loop_end(l, &h, f, hi);
    copy_setup(l, &h);
    LoopTrim trim = {.first = h.start, .end = h.bound};
    const bool trimmed = lower_trim(l, &h, &trim);
    const Code *first = trim.first;
    h.bound = trim.end;
    int turns = l->open.turns.n;
    LoopBody b = {0};
    lower_body(l, &h, &b);
    lower_trim_end(l, &h, &trim);
    for (int i = turns; i < l->open.turns.n && !axis_in_loop(l); i++)
        put_declare(l, "int", l->open.turns.at[i], " = 0");
    if (!axis_in_loop(l)) put_all(l, &l->open.slots), l->open.slots.n = 0;
    put_all(l, &b.fetches);
    for (int i = 0; i < s->body.n; i++) {
        if (!runs_ahead(s->body.at[i])) continue;
        put_if(l, code(l->ctx, "%c < %c", first, h.bound))->braces = INLINE;
        put_do(l, "%n(%c)", fetch_name(l, s->body.at[i]), first);
        put_end(l);
    }
    Sym digit = factor_name(l, f);
    const Code *from = trimmed ? code(l->ctx, "(%c - (%c)) / (%c)", first, h.start, h.step) : code(l->ctx, "0");
    const bool counted = stmt_mentions(&b.indices, digit) || stmt_mentions(&b.stages, digit);
    if (counted && trim.cut && first != h.start)
        lower_fail(l, "iterations over %s are counted, and begin anywhere", a->name);
    if (counted)
        put_loop(l, false, "I %n = %c, %n = %c; %n < %c; %n += %c, %n++", h.var, first, digit, from, h.var, h.bound,
                 h.var, h.step, digit);
    else
        put_loop(l, false, "I %n = %c; %n < %c; %n += %c", h.var, first, h.var, h.bound, h.var, h.step);
    put_all(l, &b.indices);
    if (past && !b.fetches.n && !b.ahead.n && !copy_holds(s)) { /* this row has no more */
        put_if(l, past)->braces = INLINE;
        put_do(l, "break");
        put_end(l);
    }
    put_all(l, &b.ahead);
    put_all(l, &b.stages);
    put_all(l, &b.release);
    put_end(l);
    copy_held(l, s);
    if (bins_filled_in(l, s->body.at, s->body.n)) put_barrier(l);
    if (!axis_in_loop(l)) l->open.turns.n = turns;
}

/* ---- conditions, and the last block ---- */

static void lower_if(Lower *l, Stage *s) {
    l->open.layout = l->part->layouts.at[0];
    put_if(l, expr_code(l, s->cond, l->open.layout));
    lower_stages(l, s->body.at, s->body.n);
    put_end(l);
}

static void lower_last(Lower *l, Stage *s) {
    const Layout *layout = l->part->layouts.at[0];
    l->open.layout = layout;
    const Code *total = code(l->ctx, "1"), *slot = code(l->ctx, "0");
    for (int i = 0; i < layout->factors.n; i++) {
        Factor *f = layout->factors.at[i];
        if (bind_scope(f->bind) != SCOPE_BLOCK || f->size == 1) continue;
        const Code *count = f->size ? code(l->ctx, "%l", f->size) : dim_code(l, f->count, false);
        if (s->over >> f->id & 1)
            total = code(l->ctx, "%c * (%c)", total, count);
        else
            slot = code(l->ctx, "(%c) * (%c) + %c", slot, count, factor_code(l, f));
    }
    put_clear(l); /* its barriers */
    put_if(l, code(l->ctx, "td_last_block(%c + %c, (int)(%c))", tensor_code(l, s->counter), slot, total));
    lower_stages(l, s->body.at, s->body.n);
    put_end(l);
}

/* ---- stages ---- */

static Found is_value(const Expr *e, const void *v) {
    return e->op == OP_VALUE && e->u.value == v ? FOUND : FOUND_INSIDE;
}

static bool reads_value(const Expr *e, const Value *v) { return e && expr_has(e, is_value, v); }

/* Values that stay packed between their uses. */
static void keep_packed(Lower *l, const Stage *s) {
    for (int i = 0; i < l->part->values.n; i++) {
        Value *v = l->part->values.at[i];
        if (!v->def || !v->def->packed || type_bits(v->type) >= 32) continue;
        bool used = reads_value(s->cond, v);
        for (int k = 0; k < MAX_PARTS; k++) used = used || reads_value(s->expr[k], v);
        if (used)
            put_do(l, "td_keep<%s, %l>(%n)", lower_storage_type(v->type), reg_count(l, v->domain), value_name(l, v));
    }
}

static void lower_stage(Lower *l, Stage *s) {
    switch (s->kind) {
    case STAGE_LOAD:
        if (!s->depth) lower_load(l, s);
        break;
    case STAGE_COPY: /* others are made around the loop */
        if (s->held) copy_hold(l, s);
        break;
    case STAGE_SHARE: lower_share(l, s); break;
    case STAGE_READ: lower_read(l, s); break;
    case STAGE_BINS: lower_bins(l, s); break;
    case STAGE_SCATTER: lower_scatter(l, s); break;
    case STAGE_MAP:
    case STAGE_VAR: lower_map(l, s); break;
    case STAGE_SET: lower_set(l, s); break;
    case STAGE_REDUCE: lower_reduce(l, s); break;
    case STAGE_SCAN: lower_scan(l, s); break;
    case STAGE_STORE:
        if (s->meet) put_barrier(l)->note = "the block has read what it changes";
        if (s->path == PATH_BULK)
            bulk_store(l, s);
        else
            lower_store(l, s);
        break;
    case STAGE_ATOMIC: lower_atomic(l, s); break;
    case STAGE_FOR: lower_for(l, s); break;
    case STAGE_IF: lower_if(l, s); break;
    case STAGE_LAST: lower_last(l, s); break;
    case STAGE_COUNT: break;
    }
}

static void lower_stages(Lower *l, Stage *const *s, int n) {
    const int made = l->open.made.n;
    for (int i = 0; i < n && !l->failed; i++) {
        keep_packed(l, s[i]);
        put_divisors(l, s[i]);
        put_quotients(l, s[i]);
        lower_stage(l, s[i]);
    }
    l->open.made.n = made;
}

/* ---- parts ---- */

static bool crosses_cluster(const Part *part, Stage *const *s, int n) {
    for (int i = 0; i < n; i++) {
        if (s[i]->kind == STAGE_REDUCE)
            for (int k = 0; k < part->factors.n; k++)
                if ((s[i]->over >> k & 1) && part->factors.at[k]->bind == BIND_CLUSTER) return true;
        if (crosses_cluster(part, s[i]->body.at, s[i]->body.n)) return true;
    }
    return false;
}

/* Whether blocks wait for each other, or are counted. */
static bool blocks_meet(const Part *part) {
    for (int i = 0; i < part->factors.n; i++)
        if (part->factors.at[i]->bind == BIND_CLUSTER && part->factors.at[i]->size > 1) return true;
    for (int i = 0; i < part->body.n; i++)
        if (part->body.at[i]->kind == STAGE_LAST) return true;
    return false;
}

/* As a row may start early there is a block more along it than most rows need. */
static void put_returns(Lower *l) {
    for (int i = 0; i < l->part->axes.n && !blocks_meet(l->part); i++) {
        const Code *past = axis_block_past(l, l->part->axes.at[i]);
        if (!past) continue;
        put_if(l, past)->braces = INLINE;
        put_do(l, "return");
        put_end(l);
    }
}

/* Programmatic dependent launch: a kernel of an entry starts while the one before it ends. Nothing is read or written
 * before the wait, which returns when the grid before has ended and what it wrote is there; that grid's blocks have all
 * waited for the one before it; so memory is in order as it is without. A kernel lets the next one start after its own
 * wait: no third grid takes place meanwhile. The next one starts when all blocks have come there: after the last loop,
 * which is most of the work, so that its blocks, which do nothing yet, take no place on some multiprocessors that is
 * free on others a little later; a kernel without a loop is short, and all of its blocks have begun then. */
void lower_part(Lower *l, Part *part) {
    l->part = part;
    l->open.declared.n = 0;
    l->open.turns.n = 0;
    l->uppers = (ExprMap){0};
    axis_declare_digits(l);
    if (crosses_cluster(part, part->body.at, part->body.n)) {
        fold_cluster_setup(l, part->body.at, part->body.n);
        put_note(l, "every block of the cluster has started", "td_cluster_sync()");
    }
    if (l->follows) put_do(l, "td_pdl_wait()");
    axis_declare(l, false);
    put_returns(l);
    access_plan(l, part->body.at, part->body.n);
    access_settle_tails(l);
    under_find(l->p, l->k, l->part, l->ctx, &l->under);
    l->needs.bulk_stores = false;
    int loop = part->body.n; /* the last loop ends here */
    while (loop > 0 && part->body.at[loop - 1]->kind != STAGE_FOR) loop--;
    lower_stages(l, part->body.at, loop);
    if (l->leads) put_do(l, "td_pdl_launch()");
    if (loop)
        lower_stages(l, part->body.at + loop, part->body.n - loop);
    else
        lower_tiles(l, part->body.at, part->body.n, NULL);
    if (!l->needs.bulk_stores) return;
    Stmt *wait = put_if(l, code(l->ctx, "td_tid() == 0"));
    wait->braces = INLINE;
    wait->note = "shared memory outlives what reads it";
    put_do(l, "td_bulk_wait_read<0>()");
    put_end(l);
}
