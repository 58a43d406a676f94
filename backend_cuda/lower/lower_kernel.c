/* Lowering, the walk: one pass over a kernel's stages that prints its body (the head and the launcher are
 * lower_file.c's). Keeps the shared memory of the kernel and knows where a block barrier is needed. */
#include "lower_internal.h"

#include <ctype.h>
#include <string.h>

/* Bindings are told apart by scope, but grid, cluster and serial by name as well: see declare_digits and lower_for. */
_Static_assert(BIND_COUNT == 9, "lower the new binding, then count it here");

/* ---- shared memory and barriers ---- */

int region_new(Lower *l, const Stage *s, int which, int64_t bytes) {
    for (int i = 0; i < l->stage_regions.n; i++)
        if (l->stage_regions.at[i].stage == s && l->stage_regions.at[i].which == which)
            return l->stage_regions.at[i].region;
    int64_t align = bytes >= 1024 ? MAX_SHARED_ALIGN : 16;
    int64_t offset = (l->shared_bytes + align - 1) / align * align;
    if (offset + bytes > MAX_SHARED) {
        fail(l, "needs more than 227 KB of shared memory");
        bytes = 0;
        offset = 0;
    }
    Region r = {.offset = (int)offset, .bytes = (int)bytes};
    l->shared_bytes = (int)(offset + bytes);
    vec_push(l->ctx, &l->regions, r);
    StageRegion row = {s, which, l->regions.n - 1};
    vec_push(l->ctx, &l->stage_regions, row);
    return l->regions.n - 1;
}

void block_sync(Lower *l) {
    if (l->k->threads > 32)
        put(l, "td_sync();");
    else
        put(l, "td_syncwarp();");
    for (int i = 0; i < l->regions.n; i++) l->regions.at[i].written = l->regions.at[i].read = false;
}

void region_write(Lower *l, int region) {
    if (l->regions.at[region].read || l->regions.at[region].written) block_sync(l);
    l->regions.at[region].written = true;
}

void region_read(Lower *l, int region) {
    if (l->regions.at[region].written) block_sync(l);
    l->regions.at[region].read = true;
}

bool in_loop(const Lower *l) { return l->nloops > 0; }

void need_turn(Lower *l, Sym name) {
    for (int i = 0; i < l->turns.n; i++)
        if (l->turns.at[i] == name || !strcmp(l->turns.at[i], name)) return;
    vec_push(l->ctx, &l->turns, name);
}

static int count_word(const char *text, const char *word, size_t n) {
    int r = 0;
    for (const char *p = text; (p = strstr(p, word)); p += n) {
        bool left = p == text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_' || p[-1] == '.'); /* no member */
        r += left && !(isalnum((unsigned char)p[n]) || p[n] == '_');
    }
    return r;
}

void prune_unused(Lower *l, size_t mark) {
    static const char *const heads[] = {"const int ", "const I "};
    if (l->dry || !l->body.s) return;
    char *body = l->body.s + mark;
    for (bool more = true; more;) {
        more = false;
        for (char *line = body; *line;) {
            char *end = strchr(line, '\n') + 1, *at = line + strspn(line, " ");
            size_t n = 0;
            for (int k = 0; k < 2 && !n; k++) {
                size_t head = strlen(heads[k]);
                if (strncmp(at, heads[k], head)) continue;
                at += head;
                n = strcspn(at, " ");
            }
            if (n && count_word(body, sym_n(l->ctx, at, n), n) == 1) {
                memmove(line, end, strlen(end) + 1);
                more = true;
            } else {
                line = end;
            }
        }
    }
    l->body.n = strlen(l->body.s);
}

/* ---- axes ---- */

Factor *serial_factor(const Lower *l, const Axis *a) {
    const Layout *layout = l->part->layouts.at[0];
    for (int i = 0; i < layout->factors.n; i++)
        if (layout->factors.at[i]->axis == a && layout->factors.at[i]->bind == BIND_SERIAL)
            return layout->factors.at[i];
    return NULL;
}

static bool loop_open(const Lower *l, const Axis *a) {
    for (int i = 0; i < l->nloops; i++)
        if (l->loops[i]->axis == a) return true;
    return false;
}

FactorSet ambient(const Lower *l, const Layout *layout) {
    FactorSet r = layout_scope_factors(layout, SCOPE_BLOCK);
    for (int i = 0; i < l->nloops; i++) {
        Factor *f = serial_factor(l, l->loops[i]->axis);
        if (f) r |= (FactorSet)1 << f->id;
    }
    return r;
}

/* lo plus the digits of the given scopes. */
static Poly digits_of(Lower *l, const Layout *layout, const Axis *a, bool blocks, bool threads) {
    Poly p = poly_of(&l->env, a->lo);
    for (int i = 0; i < layout->factors.n; i++) {
        Factor *f = layout->factors.at[i];
        BindScope scope = bind_scope(f->bind);
        if (f->axis != a || f->size == 1 || !((scope == SCOPE_BLOCK && blocks) || (scope == SCOPE_THREAD && threads)))
            continue;
        p = poly_add(l->ctx, p, poly_mul(l->ctx, poly_of(&l->env, expr_factor(l->p, f)), poly_of(&l->env, f->stride)));
    }
    return p;
}

static bool has_thread_digits(const Layout *layout, const Axis *a) {
    for (int i = 0; i < layout->factors.n; i++) {
        Factor *f = layout->factors.at[i];
        if (f->axis == a && f->size != 1 && bind_scope(f->bind) == SCOPE_THREAD) return true;
    }
    return false;
}

static bool any_thread_digits(Lower *l, const Axis *a) {
    for (int i = 0; i < l->part->layouts.n; i++)
        if (has_thread_digits(l->part->layouts.at[i], a)) return true;
    return false;
}

static Sym loop_var(Lower *l, const Axis *a) {
    return any_thread_digits(l, a) ? name_of(l, &a->id, fmt(l, "%s_from", a->name)) : axis_name(l, a, NULL);
}

static Sym peel_name(Lower *l, const Axis *a) { return name_of(l, &a->peel, fmt(l, "%s_early", a->name)); }

Sym axis_base(Lower *l, const Axis *a) {
    Sym base = serial_factor(l, a) ? loop_var(l, a)
                                   : poly_text(l, digits_of(l, l->part->layouts.at[0], a, true, false), false);
    return a->peel ? fmt(l, "(%s - %s)", base, peel_name(l, a)) : base;
}

static bool declared(const Lower *l, const Axis *a, const Layout *layout) {
    for (int i = 0; i < l->declared.n; i++)
        if (l->declared.at[i].axis == a && l->declared.at[i].layout == layout) return true;
    return false;
}

/* A peeled axis starts early by the misalignment of its tensor's row, in elements. */
static bool declare_peel(Lower *l, const Axis *a, const Layout *layout) {
    Stage *lead = find_access(l, l->part->body.at, l->part->body.n, a->peel, a);
    if (!lead) {
        fail(l, "the peeled axis %s: no access to %s", a->name, a->peel->name);
        return false;
    }
    for (int i = 0; i < l->part->axes.n; i++) {
        const Axis *x = l->part->axes.at[i];
        if (x == a || declared(l, x, layout)) continue;
        for (int d = 0; d < lead->tensor->rank; d++)
            if (expr_domain(l->part, layout, lead->subs[d]) & layout_axis_factors(layout, x)) return false;
    }
    const Expr *subs[MAX_RANK], *from = expr_var(l->g, a->var), *to = a->lo;
    for (int d = 0; d < lead->tensor->rank; d++) subs[d] = expr_replace(l->g, lead->subs[d], &from, &to, 1);
    Poly row = regroup(l, layout, flat_offset(l, layout, a->peel, subs));
    int es = type_bits(a->peel->type) / 8;
    put(l, "const int %s = (int)(((uintptr_t)%s / %d + (uint64_t)%s) %% %d);", peel_name(l, a), tensor_text(l, a->peel),
        es, poly_text(l, row, true), 16 / es);
    return true;
}

static bool peel_open(const Lower *l) {
    for (int i = 0; i < l->part->axes.n; i++)
        if (l->part->axes.at[i]->peel && !declared(l, l->part->axes.at[i], l->part->layouts.at[0])) return true;
    return false;
}

void axis_declare(Lower *l, bool fill) {
    bool more = true;
    while (more) {
        more = false;
        for (int k = 0; k < l->part->layouts.n; k++) {
            const Layout *layout = l->part->layouts.at[k];
            for (int i = 0; i < l->part->axes.n; i++) {
                const Axis *a = l->part->axes.at[i];
                if (declared(l, a, layout) || !layout_axis_factors(layout, a)) continue;
                Factor *serial = serial_factor(l, a);
                if (serial && !loop_open(l, a)) continue;
                Sym name = axis_name(l, a, layout);
                bool again = false; /* the same variable as another layout's */
                for (int j = 0; j < l->declared.n; j++)
                    again = again || (l->declared.at[j].axis == a && axis_name(l, a, l->declared.at[j].layout) == name);
                l->layout = layout;
                if (a->peel && !again &&
                    !(k == 0 ? declare_peel(l, a, layout) : declared(l, a, l->part->layouts.at[0])))
                    continue;
                index_fits(l, poly_of(&l->env, expr_var(l->g, a->var)));
                DeclaredAxis d = {a, layout};
                vec_push(l->ctx, &l->declared, d);
                more = true;
                if (again || (fill && (a->peel || !peel_open(l)))) continue;
                Poly threads = digits_of(l, layout, a, !serial, true);
                if (serial) {
                    Sym var = loop_var(l, a);
                    if (var == name || !strcmp(var, name)) continue;
                    threads = poly_sub(l->ctx, threads, poly_of(&l->env, a->lo));
                    if (threads.n)
                        put(l, "const I %s = %s + %s%s%s;", name, var, poly_text(l, threads, false),
                            a->peel ? " - " : "", a->peel ? peel_name(l, a) : "");
                    else
                        put(l, "const I %s = %s%s%s;", name, var, a->peel ? " - " : "", a->peel ? peel_name(l, a) : "");
                } else {
                    put(l, "const I %s = %s%s%s;", name, poly_text(l, threads, false), a->peel ? " - " : "",
                        a->peel ? peel_name(l, a) : "");
                }
            }
        }
    }
}

static void declare_digits(Lower *l) {
    const Part *part = l->part;
    /* blocks: cluster digits are lowest, then grid digits, the last axis lowest */
    Factor *order[MAX_FACTORS];
    int n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = part->layouts.at[0]->factors.n - 1; i >= 0; i--) {
            Factor *f = part->layouts.at[0]->factors.at[i];
            if (f->bind == (pass ? BIND_GRID : BIND_CLUSTER) && f->size != 1) order[n++] = f;
        }
    Sym rest = "block";
    bool cluster = false;
    for (int i = 0; i < n; i++) cluster = cluster || order[i]->bind == BIND_CLUSTER;
    if (n)
        put(l, "const unsigned block = (unsigned)td_block()%s;",
            l->k->parts.n > 1 && l->part != l->k->parts.at[0] ? " - blocks_before" : "");
    (void)cluster;
    for (int i = 0; i < n; i++) {
        Sym v = factor_text(l, order[i]);
        Sym count = order[i]->size ? fmt(l, "%lld", (long long)order[i]->size) : dim_text(l, order[i]->count, false);
        if (i == n - 1)
            put(l, "const int %s = %s;", v, rest);
        else {
            bool open = order[i]->size == 0;
            put(l, open ? "const int %s = %s %% (unsigned)%s;" : "const int %s = %s %% %su;", v, rest, count);
            rest = fmt(l, open ? "%s / (unsigned)%s" : "%s / %su", rest, count);
        }
    }
    /* threads */
    bool done[MAX_FACTORS] = {false};
    for (int k = 0; k < part->layouts.n; k++) {
        const Layout *layout = part->layouts.at[k];
        for (int i = 0; i < layout->factors.n; i++) {
            Factor *f = layout->factors.at[i];
            if (bind_scope(f->bind) != SCOPE_THREAD || f->size == 1 || done[f->id]) continue;
            done[f->id] = true;
            Sym t = f->tid_stride == 1 ? "td_tid()" : fmt(l, "td_tid() / %du", f->tid_stride);
            if ((int64_t)f->tid_stride * f->size == l->k->threads)
                put(l, "const int %s = %s;", factor_text(l, f), t);
            else
                put(l, "const int %s = %s %% %lldu;", factor_text(l, f), t, (long long)f->size);
        }
    }
}

/* ---- stages ---- */

static void lower_map(Lower *l, Stage *s) {
    Value *v = s->out[0];
    l->layout = v->layout ? v->layout : l->part->layouts.at[0];
    Factor *f[MAX_FACTORS];
    int n = list_reg_factors(l, l->layout, v->domain, f);
    int64_t count = reg_count(l, v->domain);
    Sym name = value_name(l, v), e = expr_text(l, s->expr[0], l->layout);
    if (value_packed(v)) {
        declare_tile(l, v);
        put(l, "{");
        l->indent++;
        put(l, "%s some[%lld];", c_type(v->type), (long long)count);
        int loops = open_reg_loops(l, f, n);
        put(l, "some[%s] = %s;", value_index(l, v), e);
        close_reg_loops(l, loops);
        put(l, "td_pack<%s, %lld>(%s, some);", lower_storage_type(v->type), (long long)count, name);
        l->indent--;
        put(l, "}");
    } else if (count == 1) {
        put(l, "%s%s %s = %s;", s->kind == STAGE_MAP ? "const " : "", c_type(v->type), name, e);
    } else {
        put(l, "%s %s[%lld];", c_type(v->type), name, (long long)count);
        int loops = open_reg_loops(l, f, n);
        put(l, "%s[%s] = %s;", name, value_index(l, v), e);
        close_reg_loops(l, loops);
    }
}

static void lower_set(Lower *l, Stage *s) {
    Value *v = s->out[0];
    l->layout = v->layout ? v->layout : l->part->layouts.at[0];
    Factor *f[MAX_FACTORS];
    int n = list_reg_factors(l, l->layout, v->domain, f);
    int loops = open_reg_loops(l, f, n);
    Sym e = expr_text(l, s->expr[0], l->layout);
    if (value_packed(v))
        put(l, "td_put<%s>(%s, %s, %s);", lower_storage_type(v->type), value_name(l, v), value_index(l, v), e);
    else
        put(l, reg_count(l, v->domain) > 1 ? "%s[%s] = %s;" : "%s%.0s = %s;", value_name(l, v), value_index(l, v), e);
    close_reg_loops(l, loops);
}

/* What the loop's body leaves open at its end also stands at its beginning: the body is walked once without printing.
 */
static void walk_dry(Lower *l, Stage *s) {
    bool saved = l->dry;
    l->dry = true;
    int before = l->regions.n, declared_before = l->declared.n;
    Region *entry = NEW_N(l->ctx, Region, before + 1);
    if (before) memcpy(entry, l->regions.at, sizeof *entry * (size_t)before);
    axis_declare(l, false);
    lower_stages(l, s->body.at, s->body.n);
    l->declared.n = declared_before;
    for (int i = 0; i < before; i++) {
        l->regions.at[i].written |= entry[i].written;
        l->regions.at[i].read |= entry[i].read;
    }
    l->dry = saved;
}

static void prefetch_declare(Lower *l, Stage *loop, Sym var, Sym start, Sym step);
static void prefetch_take(Lower *l, Stage *s);

static void lower_for(Lower *l, Stage *s) {
    Axis *a = s->axis;
    Factor *f = serial_factor(l, a);
    const Layout *layout = l->part->layouts.at[0];
    if (!f || l->nloops == MAX_LOOPS) {
        fail(l, "a loop over %s, which has no serial factor", a->name);
        return;
    }
    l->layout = layout;
    Sym var = loop_var(l, a), hi = expr_text(l, a->hi, layout);
    if (a->peel) hi = fmt(l, "%s + %lld", hi, (long long)axis_slack(a)); /* it starts early by so much at most */
    Sym start = poly_text(l, digits_of(l, layout, a, true, false), false),
        step = poly_text(l, poly_of(&l->env, f->stride), false);
    bool outermost = true;
    for (int i = 0; i < layout->factors.n && layout->factors.at[i] != f; i++)
        if (layout->factors.at[i]->axis == a && layout->factors.at[i]->size != 1) outermost = false;
    Sym bound = hi;
    if (!outermost) {
        index_fits(l, poly_scale(l->ctx, poly_of(&l->env, expr_var(l->g, a->var)), 2));
        Sym end = fmt(l, "%s + %s", start,
                      poly_text(l, poly_mul(l->ctx, poly_of(&l->env, f->stride), poly_of(&l->env, f->count)), false));
        bound = name_of(l, &f->count, fmt(l, "%s_end", a->name));
        put(l, "const I %s = %s < %s ? %s : %s;", bound, end, hi, end, hi);
    }
    lower_copy_setup(l, s, var, start, bound, step);
    Sym first = start;
    bool trimmed = lower_trim(l, s, start, bound, step, &first, &bound);
    int turns = l->turns.n, declared_before = l->declared.n;
    bool digit_before = false;
    l->loops[l->nloops++] = s;
    walk_dry(l, s);
    l->nloops--;
    for (int i = 0; i < l->names.n; i++) digit_before = digit_before || l->names.at[i].object == f;
    if (l->nloops == 0 && !l->dry) {
        for (int i = turns; i < l->turns.n; i++) put(l, "int %s = 0;", l->turns.at[i]);
    }
    prefetch_declare(l, s, var, start, step);
    for (int i = 0; i < s->body.n; i++)
        if (s->body.at[i]->kind == STAGE_LOAD && s->body.at[i]->depth)
            put(l, "if (%s < %s) %s_fetch(%s);", first, bound, value_name(l, s->body.at[i]->out[0]), first);
    Sym digit = trimmed ? fmt(l, "(%s - (%s)) / (%s)", first, start, step) : "0";
    if (digit_before)
        put(l, "for (I %s = %s, %s = %s; %s < %s; %s += %s, %s++) {", var, first, factor_text(l, f), digit, var, bound,
            var, step, factor_text(l, f));
    else
        put(l, "for (I %s = %s; %s < %s; %s += %s) {", var, first, var, bound, var, step);
    l->indent++;
    l->loops[l->nloops++] = s;
    axis_declare(l, false);
    lower_copy_advance(l, s, var, bound, step);
    for (int i = 0; i < s->body.n; i++)
        if (s->body.at[i]->kind == STAGE_LOAD && s->body.at[i]->depth) prefetch_take(l, s->body.at[i]);
    bool any = false;
    for (int i = 0; i < s->body.n; i++) any = any || (s->body.at[i]->kind == STAGE_LOAD && s->body.at[i]->depth);
    if (any) {
        put(l, "if (%s + %s < %s) {", var, step, bound);
        for (int i = 0; i < s->body.n; i++)
            if (s->body.at[i]->kind == STAGE_LOAD && s->body.at[i]->depth)
                put(l, "    %s_fetch(%s + %s);", value_name(l, s->body.at[i]->out[0]), var, step);
        put(l, "}");
    }
    lower_stages(l, s->body.at, s->body.n);
    lower_copy_release(l, s);
    l->nloops--;
    l->declared.n = declared_before;
    l->indent--;
    put(l, "}");
    if (l->nloops == 0) l->turns.n = turns;
}

/* The number of a loop's iteration from its variable, for code that runs ahead of the loop. */
void loop_digit(Lower *l, const Stage *loop, Sym var, Sym start, Sym step) {
    const Factor *f = serial_factor(l, loop->axis);
    if (f && f->size != 1) put(l, "const I %s = (%s - (%s)) / (%s);", factor_text(l, f), var, start, step);
}

/* The same load into registers of its own. */
static Stage *prefetch_stage(Lower *l, Stage *s) {
    for (int i = 0; i < l->fetches.n; i += 2)
        if (l->fetches.at[i] == s) return l->fetches.at[i + 1];
    Value *next = NEW(l->ctx, Value);
    Stage *fetch = NEW(l->ctx, Stage);
    *next = *s->out[0];
    next->name = sym_fmt(l->ctx, "%s_next", s->out[0]->name);
    *fetch = *s;
    fetch->depth = 0;
    fetch->out[0] = next;
    next->def = fetch;
    vec_push(l->ctx, &l->fetches, s);
    vec_push(l->ctx, &l->fetches, fetch);
    return fetch;
}

/* A load that runs one iteration ahead fills registers of its own, which the next iteration takes over. */
static void prefetch_declare(Lower *l, Stage *loop, Sym var, Sym start, Sym step) {
    for (int i = 0; i < loop->body.n && !l->failed; i++) {
        Stage *s = loop->body.at[i];
        if (s->kind != STAGE_LOAD || !s->depth) continue;
        if (s->depth > 1) fail(l, "a load may run one iteration ahead, not %d", s->depth);
        if (l->failed) return;
        Stage *fetch = prefetch_stage(l, s);
        declare_tile(l, fetch->out[0]);
        put(l, "const auto %s_fetch = [&](I %s) {", value_name(l, s->out[0]), var);
        l->indent++;
        int before = l->declared.n;
        size_t mark = l->body.n;
        l->loops[l->nloops++] = loop;
        loop_digit(l, loop, var, start, step);
        axis_declare(l, false);
        lower_load_into(l, fetch);
        prune_unused(l, mark);
        l->nloops--;
        l->declared.n = before;
        l->indent--;
        put(l, "};");
    }
}

static void prefetch_take(Lower *l, Stage *s) {
    Value *v = s->out[0];
    const char *T = lower_storage_type(v->type);
    Sym name = value_name(l, v);
    declare_tile(l, v);
    put(l, "#pragma unroll");
    put(l, "for (int i = 0; i < td_words<%s>(%lld); i++) %s[i] = %s[i];", T, (long long)reg_count(l, v->domain), name,
        value_name(l, prefetch_stage(l, s)->out[0]));
}

static void lower_last(Lower *l, Stage *s) {
    const Layout *layout = l->part->layouts.at[0];
    l->layout = layout;
    Text total = {.ctx = l->ctx}, slot = {.ctx = l->ctx};
    text_put(&total, "1");
    text_put(&slot, "0");
    for (int i = 0; i < layout->factors.n; i++) {
        Factor *f = layout->factors.at[i];
        if (bind_scope(f->bind) != SCOPE_BLOCK || f->size == 1) continue;
        Sym count = f->size ? fmt(l, "%lld", (long long)f->size) : dim_text(l, f->count, false);
        if (s->over >> f->id & 1)
            text_fmt(&total, " * (%s)", count);
        else {
            Sym old = fmt(l, "%s", slot.s);
            slot.n = 0;
            text_fmt(&slot, "(%s) * (%s) + %s", old, count, factor_text(l, f));
        }
    }
    put(l, "if (td_last_block(%s + %s, (int)(%s))) {", tensor_text(l, s->counter), slot.s, total.s);
    l->indent++;
    for (int i = 0; i < l->regions.n; i++) l->regions.at[i].written = l->regions.at[i].read = false; /* its barriers */
    lower_stages(l, s->body.at, s->body.n);
    l->indent--;
    put(l, "}");
}

static void lower_if(Lower *l, Stage *s) {
    l->layout = l->part->layouts.at[0];
    put(l, "if (%s) {", expr_text(l, s->cond, l->layout));
    l->indent++;
    Region *entry = NEW_N(l->ctx, Region, l->regions.n + 1);
    int before = l->regions.n;
    if (before) memcpy(entry, l->regions.at, sizeof *entry * (size_t)before);
    lower_stages(l, s->body.at, s->body.n);
    for (int i = 0; i < before; i++) {
        l->regions.at[i].written |= entry[i].written;
        l->regions.at[i].read |= entry[i].read;
    }
    l->indent--;
    put(l, "}");
}

static bool reads_value(const Expr *e, const Value *v) {
    if (!e) return false;
    if (e->op == OP_VALUE) return e->u.value == v;
    for (int i = 0; i < e->nargs; i++)
        if (reads_value(e->arg[i], v)) return true;
    return false;
}

/* Values that stay packed between their uses. */
static void keep_packed(Lower *l, const Stage *s) {
    for (int i = 0; i < l->part->values.n; i++) {
        Value *v = l->part->values.at[i];
        if (!v->def || !v->def->packed || type_bits(v->type) >= 32) continue;
        bool used = reads_value(s->cond, v);
        for (int k = 0; k < MAX_PARTS; k++) used = used || reads_value(s->expr[k], v);
        if (used)
            put(l, "td_keep<%s, %lld>(%s);", lower_storage_type(v->type), (long long)reg_count(l, v->domain),
                value_name(l, v));
    }
}

void lower_stages(Lower *l, Stage *const *s, int n) {
    for (int i = 0; i < n && !l->failed; i++) {
        keep_packed(l, s[i]);
        switch (s[i]->kind) {
        case STAGE_LOAD:
            if (!s[i]->depth) lower_load(l, s[i]);
            break;
        case STAGE_COPY: break; /* around the loop */
        case STAGE_SHARE: lower_share(l, s[i]); break;
        case STAGE_READ: lower_read(l, s[i]); break;
        case STAGE_MAP:
        case STAGE_VAR: lower_map(l, s[i]); break;
        case STAGE_SET: lower_set(l, s[i]); break;
        case STAGE_REDUCE: lower_reduce(l, s[i]); break;
        case STAGE_SCAN: lower_scan(l, s[i]); break;
        case STAGE_STORE: lower_store(l, s[i]); break;
        case STAGE_ATOMIC: lower_atomic(l, s[i]); break;
        case STAGE_FOR: lower_for(l, s[i]); break;
        case STAGE_IF: lower_if(l, s[i]); break;
        case STAGE_LAST: lower_last(l, s[i]); break;
        case STAGE_COUNT: break;
        }
    }
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

/* Programmatic dependent launch: a kernel of an entry starts while the one before it ends. Nothing is read or written
 * before the wait, which returns when the grid before has ended and what it wrote is there; that grid's blocks have all
 * waited for the one before it; so memory is in order as it is without. A kernel lets the next one start after its own
 * wait: no third grid takes place meanwhile. The next one starts when all blocks have come there: after the last loop,
 * which is most of the work, so that its blocks, which do nothing yet, take no place on some multiprocessors that is
 * free on others a little later; a kernel without a loop is short, and all of its blocks have begun then. */
void lower_part(Lower *l, Part *part) {
    l->part = part;
    l->declared.n = 0;
    l->turns.n = 0;
    l->uppers = (ExprMap){0};
    declare_digits(l);
    l->uses_cluster = crosses_cluster(part, part->body.at, part->body.n);
    if (l->uses_cluster) {
        lower_cluster_setup(l, part->body.at, part->body.n);
        put(l, "td_cluster_sync(); // every block of the cluster has started");
    }
    if (l->follows) put(l, "td_pdl_wait();");
    axis_declare(l, false);
    l->bulk_stores = false;
    int loop = part->body.n; /* the last loop ends here */
    while (loop > 0 && part->body.at[loop - 1]->kind != STAGE_FOR) loop--;
    lower_stages(l, part->body.at, loop);
    if (l->leads) put(l, "td_pdl_launch();");
    lower_stages(l, part->body.at + loop, part->body.n - loop);
    if (l->bulk_stores) put(l, "if (td_tid() == 0) td_bulk_wait_read<0>(); // shared memory outlives what reads it");
}
