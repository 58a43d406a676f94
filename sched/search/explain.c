/* What `tdc explain` says of one entry: its kernels with what they store, read and write, how long they should take and
 * what that waits for, the schedule or the library's call of each, why tensors are not in a kernel together, and the
 * workspace over time. Everything is for given sizes; the kernels themselves are those that a compilation makes. */
#include "explain_int.h"

#include "ir/diag.h"
#include "ir/interp/interp.h"
#include "sched/kernel/sort.h"
#include "sched/library/product.h"

#include <string.h>

enum { WIDTH = 80, INDENT = 3, SAID_AGAIN = 20 /* of what a kernel moves, the least part that is worth a line */ };
static const double MOST_OVER = 1.05; /* times the floor that is as fast as it for words */

/* ---- lines ---- */

/* Words of one line or, where they are too many, of several: the later ones stand further in. */
static void put_wrapped(Text *out, const char *s) {
    size_t column = INDENT;
    text_put(out, "   ");
    while (*s) {
        size_t n = strcspn(s, " ");
        if (column + n > WIDTH && column > INDENT + 2) {
            while (out->n && out->s[out->n - 1] == ' ') out->s[--out->n] = 0;
            text_put(out, "\n     ");
            column = INDENT + 2;
        }
        text_put_n(out, s, n);
        column += n;
        s += n;
        for (; *s == ' '; s++, column++) text_char(out, ' ');
    }
    text_char(out, '\n');
}

/* ---- kernels ---- */

static void find_stores(Text *out, Stage *const *at, int n, const Tensor **seen, int *nseen) {
    for (int i = 0; i < n; i++) {
        const Stage *s = at[i];
        bool known = s->kind != STAGE_STORE && s->kind != STAGE_ATOMIC;
        for (int k = 0; k < *nseen; k++) known |= seen[k] == s->tensor;
        if (!known) text_fmt(out, "%s%s", *nseen ? ", " : "", s->tensor->name);
        if (!known && *nseen < 16) seen[(*nseen)++] = s->tensor;
        find_stores(out, s->body.at, s->body.n, seen, nseen);
    }
}

int explain_stores(const Kernel *k, const Tensor **seen, Text *out) {
    int n = 0;
    for (int i = 0; i < k->parts.n; i++) find_stores(out, k->parts.at[i]->body.at, k->parts.at[i]->body.n, seen, &n);
    return n;
}

static Sym place_of(const Explaining *x, Span span) {
    int at, column;
    diag_place(x->p->ctx, span.file, span.start, &at, &column);
    return sym_fmt(x->p->ctx, "%s:%d", x->tuning->name, at);
}

Sym explain_tuned(const Explaining *x, const Kernel *k) {
    return x->tuning && x->tuning->file >= 0 && k->span.file == x->tuning->file ? place_of(x, k->span) : NULL;
}

/* The line of the tuning file that the product meets, as its place. */
static void put_tuned(const Explaining *x, const Product *m, Text *line) {
    TuneProduct p;
    if (!x->tuning || !tuning_describe(x->p->graph, m, tuning_target(x->t), x->at->dims, x->at->scalars, &p)) return;
    const TuneEntry *e = tuning_serves(x->tuning, &p);
    if (e) text_fmt(line, ", tuned by %s", place_of(x, e->span));
}

void explain_call(const Explaining *x, const Product *m, Text *line) {
    static const char *const activations[] = {
        "",
#define EPILOGUE(e, text, types) #e,
#include "sched/library/epilogues.def"
#undef EPILOGUE
    };
    ProductSizes c;
    if (!predict_product(x->p, m, x->at, &c)) return;
    text_fmt(line, "cuBLASLt: %s x %s, m %lld n %lld k %lld", m->a.tensor->name, m->b.tensor->name, (long long)c.m,
             (long long)c.n, (long long)c.k);
    if (m->nbatch) text_fmt(line, " batch %lld", (long long)c.batch);
    if (m->c.tensor) text_fmt(line, ", + %s", m->c.tensor->name);
    if (m->bias.tensor) text_fmt(line, ", bias %s", m->bias.tensor->name);
    if (m->act) text_put(line, ", ");
    for (const char *s = activations[m->act]; *s; s++) text_char(line, (char)(*s | 32));
    put_tuned(x, m, line);
}

static const Kernel *kernel_at(const Explaining *x, int step) { return step_kernel(&x->way->steps.at[step]); }

/* Which kernels were tried with each, and why they are apart. */
static void find_reasons(Explaining *x) {
    const Program *p = x->p;
    ExprMap kernel = {0}; /* Tensor -> the kernel that stores it */
    if (!p->reasons) return;
    x->apart = NEW_N(p->ctx, ApartList, x->way->steps.n + 1);
    for (int k = 0; k < x->way->steps.n; k++) {
        for (int j = 0; kernel_at(x, k) && j < kernel_at(x, k)->parts.n; j++) {
            const Group *gr = kernel_at(x, k)->parts.at[j]->group;
            for (int i = 0; gr && i < gr->stores.n; i++)
                expr_map_put_number(p->ctx, &kernel, gr->stores.at[i].tensor, k);
        }
    }
    for (int i = 0; i < p->reasons->list.n; i++) {
        const Reason *r = &p->reasons->list.at[i];
        int a = (int)expr_map_number(&kernel, r->one, -1), b = (int)expr_map_number(&kernel, r->other, -1);
        if (a < 0 || b < 0 || a == b || kernel_at(x, a)->product || kernel_at(x, b)->product) continue;
        ApartList *l = &x->apart[a > b ? a : b];
        bool known = false;
        for (int j = 0; j < l->n; j++) known |= l->at[j].step == (a > b ? b : a);
        if (!known) vec_push(p->ctx, l, ((Apart){a > b ? b : a, r->why}));
    }
}

/* Why kernel k is not one with earlier ones: those of the same reason together. */
static void put_reasons(const Explaining *x, int k) {
    const ApartList *l = x->apart ? &x->apart[k] : NULL;
    Text line = {.ctx = x->p->ctx};
    for (int i = 0; l && i < l->n; i++) {
        bool said = false;
        for (int j = 0; j < i; j++) said |= !strcmp(l->at[j].why, l->at[i].why);
        if (said) continue;
        text_put(&line, line.n ? "; not with" : "not with");
        for (int j = i, n = 0; j < l->n; j++)
            if (!strcmp(l->at[j].why, l->at[i].why))
                text_fmt(&line, "%s %s", n++ ? "," : "", step_name(&x->way->steps.at[l->at[j].step]));
        text_fmt(&line, ": %s", l->at[i].why);
    }
    if (line.n) put_wrapped(x->out, line.s);
}

/* Bytes to three digits: 268 MB. */
static Sym amount(Ctx *ctx, int64_t bytes) {
    static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB"};
    double v = (double)bytes;
    int unit = 0;
    while (v >= 999.5 && unit < 4) v /= 1000, unit++;
    return sym_fmt(ctx, "%.3g %s", v, units[unit]);
}

void explain_schedule(const Kernel *k, int part, Text *out) {
    const Part *p = k->parts.at[part];
    if (!p->schedule) return;
    if (out->n) text_put(out, "; ");
    if (k->parts.n > 1) text_fmt(out, "part %s: ", p->name);
    schedule_print(out, p->group, p->schedule);
}

static void put_schedules(const Explaining *x, const Kernel *k) {
    for (int i = 0; i < k->parts.n; i++) {
        Text line = {.ctx = x->p->ctx};
        explain_schedule(k, i, &line);
        if (line.n) put_wrapped(x->out, line.s);
    }
}

void explain_selected(Text *line, const Explaining *x, int step) {
    const Choice *c = x->p->ways.at[x->number].steps.at[step].choice;
    for (int i = 0; c && i < c->cases.n; i++) {
        const ChoiceCase *k = c->cases.at[i];
        if (step_kernel(&k->steps.at[0]) != step_kernel(&x->way->steps.at[step])) continue;
        text_fmt(line, "version %d of %d, taken here, ", i + 1, c->cases.n);
        text_put(line, k->when ? "when " : "else");
        if (k->when) expr_print(line, k->when, NULL);
    }
}

static void put_kernel(Explaining *x, int i) {
    const ExplainedKernel *e = &x->kernels[i];
    const Kernel *k = e->kernel;
    const Tensor *seen[16];
    Text stores = {.ctx = x->p->ctx}, line = {.ctx = x->p->ctx};
    bool several = explain_stores(k, seen, &stores) > 1;
    enum { NAME = 19, NUMBER = 11 }; /* columns; a longer name takes those that the number beside it leaves */
    const int over = (int)strlen(k->name) > NAME ? (int)strlen(k->name) - NAME : 0;
    text_fmt(x->out, "%2d %-*s %*lld %11lld %s%7.1f us %-10s %10lld\n", i + 1, NAME, k->name,
             over < NUMBER ? NUMBER - over : 1, (long long)e->moved.read, (long long)e->moved.written,
             e->exact ? " " : ">", e->seconds * 1e6, e->by, (long long)x->live[i]);
    if (several) put_wrapped(x->out, sym_fmt(x->p->ctx, "stores %s", stores.s));
    if (e->again > (e->moved.read + e->moved.written) / SAID_AGAIN)
        put_wrapped(x->out, sym_fmt(x->p->ctx, "reads %s again, from the cache where that holds them",
                                    amount(x->p->ctx, e->again)));
    if (k->same) put_wrapped(x->out, sym_fmt(x->p->ctx, "same kernel as %s", k->symbol));
    if (kernel_is_rare(k))
        put_wrapped(x->out, "stores where what the product excludes is not finite; else has nothing to do");
    Text selected = {.ctx = x->p->ctx};
    explain_selected(&selected, x, i);
    if (selected.n) put_wrapped(x->out, selected.s);
    if (k->product) {
        explain_call(x, k->product, &line);
        put_wrapped(x->out, line.s);
        return;
    }
    put_schedules(x, k);
    if (explain_tuned(x, k)) put_wrapped(x->out, sym_fmt(x->p->ctx, "tuned by %s", explain_tuned(x, k)));
    if (k->no_product) put_wrapped(x->out, sym_fmt(x->p->ctx, "no library: %s", k->no_product));
    put_reasons(x, i);
}

/* A sort as a line beside those of kernels: its keys, how it goes about it. */
static void put_sort(Explaining *x, int i) {
    const ExplainedKernel *e = &x->kernels[i];
    const SortStep *s = x->way->steps.at[i].sort;
    text_fmt(x->out, "%2d %-19s %11lld %11lld  %7.1f us %-10s %10lld\n", i + 1, s->name, (long long)e->moved.read,
             (long long)e->moved.written, e->seconds * 1e6, e->by, (long long)x->live[i]);
    put_wrapped(x->out, explain_sort(x, i));
}

static Sym explain_rank(const Explaining *x, const SortStep *s, const ExplainedKernel *e, const char *launches) {
    const RankSizes *at = &e->sort.rank;
    const RankWay w = rank_way(at, s->sort.keys->type);
    Text how = {.ctx = x->p->ctx};
    if (w.passes)
        text_fmt(&how, "%d passes of 8 bits", w.passes);
    else if (w.lanes)
        text_fmt(&how, "%d lane%s a row", w.lanes, w.lanes > 1 ? "s" : "");
    else
        text_fmt(&how, "%lld block%s a row", (long long)w.parts, w.parts > 1 ? "s" : "");
    return sym_fmt(x->p->ctx, "ranks %s, %s: %lld of %lld in %lld row%s, %s, %d launch%s", s->sort.keys->name,
                   sort_direction(&s->sort), (long long)at->kept, (long long)at->n, (long long)at->rows,
                   at->rows == 1 ? "" : "s", how.s, w.launches, launches);
}

Sym explain_sort(const Explaining *x, int i) {
    const SortStep *s = x->way->steps.at[i].sort;
    const ExplainedKernel *e = &x->kernels[i];
    const char *launches = e->launches > 1 ? "es" : "";
    if (sort_ranks(&s->sort)) return explain_rank(x, s, e, launches);
    const SortWay w = sort_way(x->t, e->sort.keys, e->sort.below, sort_want(&s->sort, s->sort.order));
    if (s->sort.ascends) return sym_fmt(x->p->ctx, "finds where each number begins in %s", s->sort.keys->name);
    if (!s->sort.order) return sym_fmt(x->p->ctx, "counts %s: %d launch%s", s->sort.keys->name, w.launches, launches);
    return sym_fmt(x->p->ctx, "sorts %s%s: %d pass%s of %d bits, %d launch%s", s->sort.keys->name,
                   !w.few         ? ""
                   : w.blocks > 1 ? " in one cluster"
                                  : " in one block",
                   w.passes, w.passes > 1 ? "es" : "", w.digit, w.launches, launches);
}

/* The same of a sort. */
static bool find_sort(Explaining *x, int i) {
    ExplainedKernel *e = &x->kernels[i];
    const Step *s = &x->way->steps.at[i];
    if (!sort_traffic(x->p, s->sort, x->at->dims, &e->moved) ||
        !sort_sizes(x->p, s->sort, x->at->dims, x->at->scalars, &e->sort))
        return text_fmt(x->why, "sort %s has no size", s->sort->name), false;
    e->seconds = predict_sort(x->p, s->sort, x->machine, x->at);
    e->launches = predict_launches(x->p, s, x->t, x->at);
    e->exact = true;
    e->by = "sort";
    return true;
}

/* What every kernel moves and takes. */
static bool find_kernels(Explaining *x) {
    const int n = x->way->steps.n;
    x->kernels = NEW_N(x->p->ctx, ExplainedKernel, n + 1);
    for (int i = 0; i < n; i++) {
        ExplainedKernel *e = &x->kernels[i];
        ProductSizes c;
        *e = (ExplainedKernel){.kernel = kernel_at(x, i), .launches = 1};
        if (!e->kernel) {
            if (!find_sort(x, i)) return false;
            x->seconds += e->seconds + (e->launches - !x->launches) * x->machine->chained;
            x->launches += e->launches;
            continue;
        }
        if (!kernel_traffic(x->p, e->kernel, x->at->dims, &e->moved) ||
            (e->kernel->product && !predict_product(x->p, e->kernel->product, x->at, &c)))
            return text_fmt(x->why, "kernel %s has no size", e->kernel->name), false;
        if (!e->kernel->product) e->again = kernel_read_again(x->p, e->kernel, x->at->dims);
        e->seconds = predict_kernel(x->p, e->kernel, x->machine, x->at, &e->moved, &e->by);
        e->exact = !e->kernel->product || predict_product_seconds(x->p, e->kernel->product, x->machine, &c) > 0;
        x->seconds += e->seconds + (x->launches++ ? x->machine->chained : 0);
    }
    if (!predict_floor(x->p, x->way, x->machine, x->at, &x->floor))
        return text_put(x->why, "a tensor has too many elements"), false;
    return true;
}

/* How far the prediction is from the least that the machine needs, in words. */
static void put_gap(Text *out, const Explaining *x) {
    const Floor *f = &x->floor;
    const bool multiplies = f->products > f->copy;
    const double least = predict_least(f), times = least > 0 ? x->seconds / least : 0;
    if (!(least > 0)) return;
    if (times <= MOST_OVER)
        text_put(out, "as fast as ");
    else
        text_fmt(out, "%.*f times ", times < 9.95 ? 1 : 0, times);
    if (multiplies)
        text_fmt(out, "what its products take (%.1f us)", least * 1e6);
    else
        text_fmt(out, "a copy of its %s (%.1f us)", amount(x->p->ctx, f->bytes), least * 1e6);
    text_fmt(out, ": %.*f %% of the peak of %s", times <= 20 ? 0 : 1, times <= 1 ? 100.0 : 100 / times,
             x->machine->name);
}

/* ---- memory ---- */

static bool tensor_bytes(const Explaining *x, const Tensor *t, int64_t *bytes) {
    int64_t shape[MAX_RANK], n;
    if (!interp_shape(x->p->graph, t, x->at->dims, shape, &n, x->why)) return false;
    *bytes = (int64_t)host_bytes(t->type, n);
    return true;
}

static bool find_sizes(Explaining *x, int64_t *params) {
    for (int i = 0; i < x->p->params.n; i++)
        if (!tensor_bytes(x, x->p->params.at[i], &params[i])) return false;
    for (int i = 0; i < x->memory.pieces.n; i++) {
        const MemoryPiece *piece = &x->memory.pieces.at[i];
        if (piece->temp && !piece->with && !piece->away && !tensor_bytes(x, piece->temp, &x->bytes[i])) return false;
    }
    return true;
}

static bool find_memory(Explaining *x) {
    Ctx *ctx = x->p->ctx;
    int64_t *params = NEW_N(ctx, int64_t, x->p->params.n + 1);
    memory_plan(ctx, x->p, x->way, &x->memory);
    x->bytes = NEW_N(ctx, int64_t, x->memory.pieces.n + 1);
    x->place = NEW_N(ctx, MemoryPlace, x->memory.pieces.n + 1);
    x->live = NEW_N(ctx, int64_t, x->way->steps.n + 1);
    if (!find_sizes(x, params)) return false;
    if (!memory_place(ctx, &x->memory, params, x->bytes, x->place, &x->peak))
        return text_put(x->why, "the workspace is larger than 2^60 bytes"), false;
    for (int i = 0; i < x->memory.pieces.n; i++) {
        const MemoryPiece *piece = &x->memory.pieces.at[i];
        for (int k = piece->first < 0 ? 0 : piece->first; k <= piece->last && x->place[i].home < 0; k++)
            x->live[k] += (x->bytes[i] + PLACE_ALIGN - 1) / PLACE_ALIGN * PLACE_ALIGN;
    }
    for (int k = 0; k < x->way->steps.n; k++)
        if (x->live[k] > x->least) x->least = x->live[k];
    return true;
}

static void put_piece(const Explaining *x, int i, Text *line) {
    const MemoryPiece *piece = &x->memory.pieces.at[i];
    const MemoryPlace *place = &x->place[i];
    if (piece->with) {
        text_fmt(line, "%s:in %s", piece->temp->name, piece->with->name);
        return;
    }
    text_fmt(line, "%s:%lld@", piece->temp->name, (long long)x->bytes[i]);
    if (place->home >= 0) text_fmt(line, "%s+", x->p->params.at[place->home / 2]->name);
    text_fmt(line, "%lld", (long long)place->offset);
    text_fmt(line, piece->last > piece->first ? "(%d-%d)" : "(%d)", piece->first + 1, piece->last + 1);
}

static void put_memory(const Explaining *x) {
    Text line = {.ctx = x->p->ctx};
    bool scratch = false;
    text_fmt(x->out, "workspace %lld bytes; most in use at once %lld", (long long)x->peak, (long long)x->least);
    for (int i = 0; i < x->memory.pieces.n; i++) {
        bool temp = x->memory.pieces.at[i].temp;
        scratch |= !temp;
        if (x->memory.pieces.at[i].away) continue;
        if (temp && line.n) text_put(&line, "  ");
        if (temp) put_piece(x, i, &line);
    }
    text_put(x->out, scratch ? "\nwithout the library's scratch" : "");
    if (line.n) text_fmt(x->out, "%s name:bytes@offset(kernels)", ";");
    text_char(x->out, '\n');
    if (line.n) put_wrapped(x->out, line.s);
}

/* ---- the whole ---- */

const char *explain_size_from(SizeFrom from) {
    static const char *const words[] = {
#define SIZE_FROM(e, words) words,
        SIZE_FROM_ROWS
#undef SIZE_FROM
    };
    return words[from];
}

/* Which sizes come from where. */
static void put_sources(const Explaining *x) {
    const Graph *g = x->p->graph;
    Text line = {.ctx = x->p->ctx};
    for (int from = 0; from < SIZE_FROM_COUNT; from++) {
        int n = 0;
        const char *gap = line.n ? "; " : "";
        for (int i = 0; from == SIZE_FIXED && i < g->fixed.n; i++)
            text_fmt(&line, "%s%s", n++ ? ", " : gap, g->fixed.at[i].name);
        for (int i = 0; i < g->dims.n; i++)
            if ((int)x->at->from[i] == from) text_fmt(&line, "%s%s", n++ ? ", " : gap, g->dims.at[i]->name);
        if (n) text_fmt(&line, " %s", explain_size_from((SizeFrom)from));
    }
    if (line.n) put_wrapped(x->out, line.s);
}

/* Where there are several ways: each with its kernels, and which one these sizes take; of many that one alone. */
static void put_ways(const Explaining *x) {
    enum { SHOWN = 6 };
    const Program *p = x->p;
    for (int i = 0; i < p->ways.n && p->ways.n > 1; i++) {
        const bool taken = i == x->number;
        const Way *w = taken ? x->way : &p->ways.at[i];
        Text line = {.ctx = p->ctx};
        if (p->ways.n > SHOWN && !taken) continue;
        text_fmt(&line, "way %d of %d%s, ", i + 1, p->ways.n, taken ? ", taken here" : "");
        way_print(&line, w);
        for (int k = 0; k < w->steps.n; k++) {
            const Sym name = step_name(&w->steps.at[k]);
            if (name)
                text_fmt(&line, "%s %s", k ? "," : ":", name);
            else
                text_fmt(&line, "%s one of %d kernels", k ? "," : ":", w->steps.at[k].choice->cases.n);
        }
        put_wrapped(x->out, line.s);
    }
}

static void put_head(const Explaining *x) {
    const Graph *g = x->p->graph;
    int products = 0, n = x->launches;
    for (int i = 0; i < x->way->steps.n; i++) {
        const Kernel *k = kernel_at(x, i);
        products += k && k->product;
    }
    int fixed = g->fixed.n;
    text_fmt(x->out, "%s", g->name);
    for (int i = 0; i < fixed; i++)
        text_fmt(x->out, "%s%s = %lld", i ? ", " : "(", g->fixed.at[i].name, (long long)g->fixed.at[i].ivalue);
    for (int i = 0; i < g->dims.n; i++)
        text_fmt(x->out, "%s%s = %lld", i + fixed ? ", " : "(", g->dims.at[i]->name, (long long)x->at->dims[i]);
    text_fmt(x->out, "%s: %d launch%s", g->dims.n + fixed ? ")" : "", n, n == 1 ? "" : "es");
    if (products) text_fmt(x->out, ", %d of the library", products);
    text_put(x->out, g->host ? ", computed by the host\n" : "\n");
    if (x->p->kernels.n) put_sources(x);
    put_ways(x);
    if (!x->way->steps.n) return;
    text_fmt(x->out, "%2s %-19s %11s %11s %11s %-10s %10s\n", "", "kernel", "reads", "writes", "predicted", "bound by",
             "workspace");
}

/* The line of a step of the way, with those below it. */
static void put_step(Explaining *x, int i) {
    switch (x->way->steps.at[i].kind) {
    case STEP_KERNEL: put_kernel(x, i); break;
    case STEP_SORT: put_sort(x, i); break;
    case STEP_CHOICE: break; /* the way has the kernel that the sizes take */
    }
}

static void put_text(Explaining *x) {
    Text gap = {.ctx = x->p->ctx};
    put_head(x);
    for (int i = 0; i < x->way->steps.n; i++) put_step(x, i);
    if (!x->way->steps.n) return;
    double launches = x->launches ? (x->launches - 1) * x->machine->chained : 0;
    text_fmt(x->out, "%.1f us, and %.1f us between two launches", (x->seconds - launches) * 1e6,
             x->machine->chained * 1e6);
    if (!machine_verified(x->machine, x->t))
        text_fmt(x->out, ", by the figures of %s: unverified for %s", x->machine->name, x->t->arch);
    text_char(x->out, '\n');
    put_gap(&gap, x);
    if (gap.n) text_fmt(x->out, "%s\n", gap.s);
    put_memory(x);
}

bool sched_explain(Text *out, ExplainForm form, const Program *p, const ExplainFor *what, const ExplainAt *at,
                   Text *why) {
    Explaining x = {.out = out, .p = p, .at = at, .why = why};
    x.t = what->target;
    x.machine = what->machine;
    x.tuning = what->tuning;
    x.way = program_taken(p, at->dims);
    if (!x.way) return text_put(why, "a condition of a choice has no value"), false;
    x.number = program_way_at(p, at->dims);
    if (!find_memory(&x) || !find_kernels(&x)) return false;
    find_reasons(&x);
    if (form == EXPLAIN_JSON)
        explain_json(&x);
    else
        put_text(&x);
    return true;
}
