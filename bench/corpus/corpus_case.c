/* A case: a program of td with its lengths fixed, up to the groups that schedules are for; and what is emitted for a
 * choice of them. */
#include "corpus.h"

#include "frontend/sema/sema.h"
#include "grammar/parse.h"
#include "ir/diag.h"
#include "ir/expr_walk.h"
#include "ir/fix.h"
#include "ir/interp/interp.h"
#include "ir/rewrite.h"

#include <stdio.h>
#include <string.h>

typedef struct Home {
    Ctx *ctx;
    const char *path;
} Home;

char *corpus_file(Ctx *ctx, const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    if (f && !fseek(f, 0, SEEK_END)) {
        long size = ftell(f);
        rewind(f);
        text = NEW_N(ctx, char, size + 1);
        *n = fread(text, 1, (size_t)size, f);
    }
    if (f) fclose(f);
    return text;
}

static AstFile *import(void *user, Ctx *ctx, Sym path, int from, Span where) {
    const Home *home = user;
    Sym file = sym_fmt(ctx, "%s/stdlib/%s.td", home->path, path);
    size_t n;
    char *text = corpus_file(home->ctx, file, &n);
    (void)from, (void)where;
    return text ? grammar_parse(home->ctx, diag_add_file(home->ctx, file, text, n)) : NULL;
}

static const Check *nth_bench(const Module *m, int nth) {
    for (int i = 0; i < m->checks.n; i++)
        if (m->checks.at[i].bench && !nth--) return &m->checks.at[i];
    return NULL;
}

static Graph *graph_named(const Module *m, Sym name) {
    for (int i = 0; i < m->graphs.n; i++)
        if (m->graphs.at[i]->name == name) return m->graphs.at[i];
    return NULL;
}

static Sym sizes_of(Ctx *ctx, const Check *bench) {
    Text sizes = {.ctx = ctx};
    text_put(&sizes, "");
    for (int i = 0; i < bench->bindings.n; i++)
        text_fmt(&sizes, "%s%s=%lld", i ? "," : "", bench->bindings.at[i].name,
                 (long long)bench->bindings.at[i].ivalue);
    return sym(ctx, sizes.s);
}

static bool set_dims(Case *c, Text *why) {
    c->dims = NEW_N(c->ctx, int64_t, c->graph->dims.n + 1);
    for (int i = 0; i < c->bench->bindings.n; i++) {
        const Binding *b = &c->bench->bindings.at[i];
        Dim *d = NULL;
        for (int k = 0; k < c->graph->dims.n; k++)
            if (c->graph->dims.at[k]->name == b->name) d = c->graph->dims.at[k];
        if (!d) return text_fail(why, "%s is no dimension", b->name);
        c->dims[d->id] = b->ivalue;
        if (c->unsaid && d->benched) d->hint = 0; /* these lines say nothing of it here */
        if (!c->unsaid && !graph_fix_dim(c->graph, d, b->ivalue, why)) return false;
    }
    return true;
}

/* From a file to the statements that it has. */
static const Module *load(Ctx *ctx, const char *home, const char *path, Text *why) {
    size_t n;
    char *text = corpus_file(ctx, path, &n);
    if (!text) return text_fail(why, "%s cannot be read", path), NULL;
    Home h = {ctx, home};
    AstFile *ast = grammar_parse(ctx, diag_add_file(ctx, path, text, n));
    const Module *m = sema_module(ctx, ast, &(SemaOptions){import, &h});
    if (diag_errors(ctx)) return diag_render(ctx, why, false), NULL;
    return m;
}

bool corpus_legal(const Case *c, int i, const Schedule *s) {
    const Group *gr = c->groups.at[i];
    int64_t most[MAX_GROUP_AXES];
    if (!schedule_legal_within(gr, s, most, NULL)) return false;
    for (int a = 0; a < gr->axes.n; a++)
        if (points_length(&gr->axes.at[a], c->dims) > most[a]) return false;
    return true;
}

/* Of a group's versions the one that is taken at the case's sizes. */
static const Version *taken(const Case *c, Group *gr, Versions *v) {
    SchedMemo memo = {0};
    versions_choose(&memo, gr, (Targets){0}, &machine_h200, c->unsaid ? MAX_VERSIONS : 1, v);
    int i = 0;
    for (int64_t holds; i < v->n - 1; i++)
        if (interp_int(gr->graph, v->at[i].when, c->dims, NULL, &holds) && holds) break;
    return &v->at[i];
}

/* The groups of a case by what each of the plan's is to be: -1 itself, else a division. */
static void take_groups(Case *c, const int *division) {
    c->groups.at = NULL, c->groups.n = c->groups.cap = 0;
    c->forms.at = NULL, c->forms.n = c->forms.cap = 0;
    for (int i = 0; i < c->plan->groups.n; i++) {
        Group *gr = c->plan->groups.at[i];
        const Division *d = division[i] < 0 ? NULL : &gr->divisions.at[division[i]];
        for (int k = 0; k < (d ? d->n : 1); k++) vec_push(c->ctx, &c->groups, d ? d->group[k] : gr);
    }
    Points *here = NEW(c->ctx, Points);
    here->n = 1;
    here->dims = NEW_N(c->ctx, int64_t *, 1);
    here->dims[0] = c->dims;
    here->weight = NEW_N(c->ctx, double, 1);
    here->weight[0] = 1;
    for (int i = 0; i < c->groups.n; i++) vec_push(c->ctx, &c->forms, cost_form(c->groups.at[i], here, c->ctx));
}

Schedule *corpus_chosen(const Case *c) {
    Schedule *s = NEW_N(c->ctx, Schedule, c->groups.n + 1);
    for (int i = 0; i < c->groups.n; i++) {
        Group whole = *c->groups.at[i]; /* as if it could not be divided */
        Versions v;
        whole.divisions.n = 0;
        if (sched_in_place(&whole))
            schedule_fallback(&whole, &s[i]);
        else
            schedule_copy(&s[i], taken(c, &whole, &v)->schedule[0]);
    }
    return s;
}

/* Which division is chosen for a group of the plan. */
static int division_of(const Case *c, Group *gr) {
    Versions v;
    if (!gr->divisions.n || sched_in_place(gr)) return -1;
    const Version *t = taken(c, gr, &v);
    for (int i = 0; i < gr->divisions.n; i++)
        if (gr->divisions.at[i].group[0] == t->group[0]) return i;
    return -1;
}

static void find_others(Case *c) {
    int *division = NEW_N(c->ctx, int, c->plan->groups.n + 1);
    for (int i = 0; i < c->plan->groups.n; i++) division[i] = division_of(c, c->plan->groups.at[i]);
    take_groups(c, division);
    for (int i = 0; i < c->plan->groups.n; i++)
        for (int d = -1, was = division[i]; d < c->plan->groups.at[i]->divisions.n; d++) {
            if (d == was) continue;
            Case *other = NEW_RAW(c->ctx, Case, 1);
            *other = *c;
            division[i] = d;
            take_groups(other, division);
            division[i] = was;
            c->other = other;
        }
}

static bool open_bench(Case *c, const Check *bench, Text *why) {
    static const SchedOptions options = {0};
    c->bench = bench;
    c->sizes = sizes_of(c->ctx, bench);
    c->graph = graph_named(c->module, bench->entry);
    if (!set_dims(c, why)) return false;
    graph_simplify(c->graph);
    SchedWork *w = sched_begin(c->ctx, c->graph, &options);
    for (int step = 0; step < SCHED_CHOOSE; step++)
        if (!sched_step(w, (SchedStep)step)) return diag_render(c->ctx, why, false), false;
    c->plan = w->plan;
    find_others(c);
    return true;
}

static void begin(Ctx *ctx, Case *c, const char *home, const char *family, const char *path, Text *why) {
    *c = (Case){.ctx = ctx, .file = path, .unsaid = !strcmp(family, CORPUS_UNSAID)};
    c->module = load(ctx, home, path, why);
}

bool corpus_open(Ctx *ctx, Case *c, const char *home, const char *family, const char *path, int nth, Text *why) {
    begin(ctx, c, home, family, path, why);
    const Check *bench = c->module ? nth_bench(c->module, nth) : NULL;
    return bench && open_bench(c, bench, why);
}

bool corpus_open_named(Ctx *ctx, Case *c, const char *home, const char *family, const char *path, const char *name,
                       const char *sizes, Text *why) {
    begin(ctx, c, home, family, path, why);
    if (!c->module) return false;
    for (int i = 0; i < c->module->checks.n; i++) {
        const Check *x = &c->module->checks.at[i];
        if (x->bench && !strcmp(x->entry, name) && !strcmp(sizes_of(ctx, x), sizes)) return open_bench(c, x, why);
    }
    return text_fail(why, "%s has no bench %s(%s)", path, name, sizes);
}

/* All temporaries stay, so that tensors have the same numbers whichever groups are divided. */
Program *corpus_program(const Case *c, const Schedule *s, Text *why) {
    Program *p = sched_empty(c->graph, c->plan);
    for (int i = 0; i < c->groups.n; i++)
        if (!sched_apply(p, &p->steps, c->groups.at[i], &s[i], why)) return NULL;
    program_find_ways(p);
    sched_stream(p);
    return program_verify(p, why) ? p : NULL;
}

Program *corpus_hand(const Case *c, const char *home, Text *why) {
    Sym path = sym_fmt(c->ctx, "%s/tests/kernels/%s.kernel", home, c->graph->name);
    size_t n;
    char *text = corpus_file(c->ctx, path, &n);
    Program *p = text ? program_read(c->ctx, text, n, diag_add_file(c->ctx, path, text, n)) : NULL;
    return p && p->graph->name == c->graph->name && program_verify(p, why) ? p : NULL;
}

int64_t *corpus_dims(const Case *c, const Program *p) {
    int64_t *dims = NEW_N(c->ctx, int64_t, p->graph->dims.n + 1);
    for (int i = 0; i < p->graph->dims.n; i++) {
        int k = 0;
        while (k < c->bench->bindings.n && c->bench->bindings.at[k].name != p->graph->dims.at[i]->name) k++;
        if (k == c->bench->bindings.n) return NULL;
        dims[i] = c->bench->bindings.at[k].ivalue;
    }
    return dims;
}

typedef struct Offsets {
    const Tensor *tensor;
} Offsets;

static Found find_offsets(const Expr *e, void *user) {
    const Offsets *x = user;
    for (int i = 0; e->op == OP_REDUCE && i < e->u.reduce->nvars; i++)
        if (expr_has(e->u.reduce->vars[i]->lo, expr_test_load, x->tensor)) return FOUND;
    return FOUND_INSIDE;
}

bool corpus_is_offsets(const Case *c, const Tensor *t) {
    Ctx *temp = ctx_temp(c->ctx);
    Offsets x = {t};
    ExprWalk walk = {.temp = temp, .before = find_offsets, .user = &x};
    bool found = false;
    for (int i = 0; i < c->graph->tensors.n && !found; i++) {
        const Tensor *of = c->graph->tensors.at[i];
        for (int k = 0; k < of->pieces.n && !found; k++) found = expr_walk_piece(&walk, of, &of->pieces.at[k]) != NULL;
    }
    ctx_temp_end(temp);
    return found;
}

bool corpus_emit(Text *out, Program *p, Prelude *prelude, Text *why) {
    return lower_program(out, p, &(LowerOptions){.prefix = "k", .prelude = prelude}, why);
}

uint64_t corpus_hash(const Text *emitted) {
    uint64_t h = 1469598103934665603u; /* FNV-1a */
    for (size_t i = 0; i < emitted->n; i++) h = (h ^ (unsigned char)emitted->s[i]) * 1099511628211u;
    return h;
}
