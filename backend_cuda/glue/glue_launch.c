/* The launches of an entry in model.c, and what they need first. A kernel that one place runs reads the entry's own
 * arrays of tensors, dimensions and scalars; one that several places run reads arrays in the order of its form, which
 * each place fills in (sched/kernel/same.h). */
#include "glue_launch.h"
#include "glue_memory.h"
#include "sched/kernel/same.h"
#include "sched/kernel/sort.h"

/* The names of a kernel's arguments where it is run. */
typedef struct Arguments {
    const char *tensors, *dims, *scalars;
} Arguments;

static int place(const void *const *at, int n, const void *what) {
    for (int i = 0; i < n; i++)
        if (at[i] == what) return i;
    return -1;
}

/* The elements, as C text, of an array that a kernel gets. */
typedef struct Array {
    const char *from; /* the entry's array that has most of them */
    Sym *at;
    int n;
    bool other; /* they are not what `from` begins with */
} Array;

static Array array(Ctx *ctx, const char *from, int most) {
    return (Array){.from = from, .at = NEW_N(ctx, Sym, most + 1)};
}

/* One more: from[index]. */
static void add_element(Ctx *ctx, Array *a, int index) {
    a->other |= index != a->n;
    a->at[a->n++] = sym_fmt(ctx, "%s[%d]", a->from, index);
}

/* Declares `name` with these elements; what it is called: `from` where they are what that begins with. */
static const char *gather(Text *out, const char *type, const char *name, const Array *a, const char *indent) {
    if (!a->other) return a->from;
    text_fmt(out, "%s%s %s[] = {", indent, type, name);
    for (int i = 0; i < a->n; i++) text_fmt(out, "%s%s", i ? ", " : "", a->at[i]);
    text_put(out, "};\n");
    return name;
}

static const char *gather_dims(Text *out, const HostEntry *h, const Kernel *k, const char *from, const char *indent) {
    const Graph *g = h->p->graph;
    const KernelForm *f = k->form;
    Array a = array(h->ctx, from, f->ndims);
    for (int i = 0; i < f->ndims; i++)
        add_element(h->ctx, &a, place((const void *const *)g->dims.at, g->dims.n, f->dims[i]));
    return gather(out, "const int64_t", "td_n", &a, indent);
}

/* Those of the entry, then the constants that this place passes. */
static const char *gather_scalars(Text *out, const HostEntry *h, const Kernel *k, const char *from,
                                  const char *indent) {
    const Graph *g = h->p->graph;
    const KernelForm *f = k->form, *first = k->same ? k->same->form : f;
    Array a = array(h->ctx, from, f->nscalars + first->npassed);
    for (int i = 0; i < f->nscalars; i++)
        add_element(h->ctx, &a, place((const void *const *)g->scalars.at, g->scalars.n, f->scalars[i]));
    for (int i = 0; first->npassed && i < first->nconstants; i++) {
        Text literal = {.ctx = h->ctx};
        if (!first->differs[i]) continue;
        text_double(&literal, f->constants[i]->u.f);
        a.at[a.n++] = literal.s;
        a.other = true;
    }
    return gather(out, "const double", "td_x", &a, indent);
}

static Arguments arguments(Text *out, const HostEntry *h, const Kernel *k, Arguments entry, const char *indent) {
    const KernelForm *f = k->shared ? k->form : NULL;
    if (!f) return entry;
    Array a = array(h->ctx, entry.tensors, f->ntensors);
    Arguments own;
    for (int i = 0; i < f->ntensors; i++) add_element(h->ctx, &a, host_tensor_at(h, f->tensors[i]));
    own.tensors = gather(out, "void *const", "td_a", &a, indent);
    own.dims = gather_dims(out, h, k, entry.dims, indent);
    own.scalars = gather_scalars(out, h, k, entry.scalars, indent);
    return own;
}

static bool gathers(const HostEntry *h, const Kernel *k) {
    Text none = {.ctx = h->ctx};
    if (!k->shared) return false;
    arguments(&none, h, k, (Arguments){"", "", ""}, "");
    return none.n > 0;
}

const Kernel *glue_asked(Ctx *ctx, ExprMap *asked, const Kernel *k) {
    const Kernel *text = k->same ? k->same : k;
    const Kernel *before = expr_map_get(asked, text);
    if (!before) expr_map_put(ctx, asked, text, k);
    return before && form_same_dims(k->form, before->form) ? before : NULL;
}

/* What the library is asked for each product; a second one of the same sizes needs as much. */
void glue_scratch(Text *out, const HostEntry *h, int index) {
    const Program *p = h->p;
    Ctx *temp = ctx_temp(h->ctx);
    ExprMap asked = {0}, known = {0}; /* Kernel -> its place in td_bytes */
    for (int i = 0; i < h->way->steps.n; i++) {
        const Kernel *k = step_kernel(&h->way->steps.at[i]);
        if (!k || !k->product) continue;
        const Kernel *before = glue_asked(temp, &asked, k);
        expr_map_put_number(temp, &known, k, index);
        if (before) {
            text_fmt(out, "    td_bytes[%d] = td_bytes[%d];\n", index++, (int)expr_map_number(&known, before, -1));
            continue;
        }
        const char *indent = k->shared ? "        " : "    ", *dims = "td_c->dims";
        if (k->shared) text_put(out, "    {\n");
        if (k->shared) dims = gather_dims(out, h, k, dims, indent);
        text_fmt(out, "%std_%s_product(%s, NULL, &td_p);\n", indent, kernel_symbol(p, k), dims);
        text_fmt(out, "%sTD_TRY(td_scratch(td_s, td_c->context, &td_p, &td_bytes[%d]));\n", indent, index++);
        if (k->shared) text_put(out, "    }\n");
    }
    ctx_temp_end(temp);
}

static void launch(Text *out, const HostEntry *h, const Kernel *k, Arguments entry, const char *prefix, int *product) {
    const Program *p = h->p;
    bool block = gathers(h, k);
    const char *indent = block ? "        " : "    ", *symbol = kernel_symbol(p, k);
    if (block) text_put(out, "    {\n");
    Arguments a = arguments(out, h, k, entry, indent);
    if (k->product) {
        text_fmt(out, "%std_%s_product(%s, %s, &td_p);\n", indent, symbol, a.dims, a.scalars);
        text_fmt(out,
                 "%sTD_TRY(td_multiply(td_s, td_c, \"product %s\", &td_p, %s, td_t[%d], td_bytes[%d], &td_done, "
                 "&td_launched));\n"
                 "%sif (!td_done)\n    ",
                 indent, k->name, a.tensors, *product, *product, indent);
        ++*product;
    }
    text_fmt(out, "%sTD_TRY(td_cuda(td_s, \"kernel %s\", %s_%s_launch(td_c->stream, %s, %s, %s, %s)));\n", indent,
             k->name, prefix, symbol, a.tensors, a.dims, a.scalars, h->always_early ? "&td_launched" : "td_chain");
    if (block) text_put(out, "    }\n");
}

static void launch_rank(Text *out, const HostEntry *h, const SortStep *s, Arguments entry, const char *prefix) {
    Graph *g = h->p->graph;
    const Expr *const sizes[] = {rank_rows(g, &s->sort), rank_length(&s->sort), rank_kept(&s->sort)};
    text_fmt(out, "    TD_TRY(td_cuda(td_s, \"sort %s\", %s_%s_launch(td_c->stream, %s[%d], ", s->name, prefix,
             sort_symbol(h->p, s), entry.tensors, host_tensor_at(h, s->sort.keys));
    for (int i = 0; i < 3; i++) {
        host_expr(out, h, sizes[i]);
        text_put(out, ", ");
    }
    text_fmt(out, "%s[%d], %s[%d], %s)));\n", entry.tensors, host_tensor_at(h, s->sort.order), entry.tensors,
             host_tensor_at(h, s->scratch), h->always_early ? "&td_launched" : "td_chain");
}

static void launch_sort(Text *out, const HostEntry *h, const SortStep *s, Arguments entry, const char *prefix) {
    const Graph *g = h->p->graph;
    const Tensor *const t[] = {s->sort.order, s->sort.starts, s->scratch};
    if (sort_ranks(&s->sort)) {
        launch_rank(out, h, s, entry, prefix);
        return;
    }
    text_fmt(out, "    TD_TRY(td_cuda(td_s, \"sort %s\", %s_%s_launch(td_c->stream, %s[%d], ", s->name, prefix,
             sort_symbol(h->p, s), entry.tensors, host_tensor_at(h, s->sort.keys));
    host_expr(out, h, tensor_size((Graph *)g, s->sort.keys));
    text_put(out, ", ");
    host_expr(out, h, s->sort.below);
    for (int i = 0; i < 3; i++)
        if (t[i])
            text_fmt(out, ", %s[%d]", entry.tensors, host_tensor_at(h, t[i]));
        else
            text_put(out, ", NULL");
    text_fmt(out, ", %s)));\n", h->always_early ? "&td_launched" : "td_chain");
}

void glue_choice(Text *out, const HostEntry *h, const Choice *c, GlueKernel *put, const char *prefix) {
    Text *of = NEW_N(h->ctx, Text, c->cases.n);
    bool any = false;
    for (int i = 0; i < c->cases.n; i++) {
        of[i].ctx = h->ctx;
        put(&of[i], h, c->cases.at[i]->steps.at[0].kernel, prefix);
        any |= of[i].n > 0;
    }
    for (int i = 0; i < c->cases.n && any; i++) {
        const Expr *when = c->cases.at[i]->when;
        const bool bare = when && op_form(when->op) != FORM_INFIX; /* those have parentheses */
        text_put(out, i ? " else " : "    ");
        if (when) {
            text_put(out, bare ? "if (" : "if ");
            host_expr(out, h, when);
            text_put(out, bare ? ") " : " ");
        }
        text_put(out, "{\n");
        for (const char *at = of[i].n ? of[i].s : ""; *at;) { /* line by line, further in */
            const char *end = strchr(at, '\n');
            text_fmt(out, "    %.*s\n", (int)(end - at), at);
            at = end + 1;
        }
        text_put(out, "    }");
    }
    if (any) text_char(out, '\n');
}

static Arguments entry_arguments(const HostEntry *h) {
    return (Arguments){glue_pieces(h) ? "td_t" : "td_c->tensors", "td_c->dims", "td_c->scalars"};
}

/* A kernel without a product. */
static void launch_selected(Text *out, const HostEntry *h, const Kernel *k, const char *prefix) {
    launch(out, h, k, entry_arguments(h), prefix, NULL);
}

void glue_launches(Text *out, const HostEntry *h, const char *prefix) {
    const Arguments entry = entry_arguments(h);
    int product = h->p->params.n + h->p->temps.n;
    for (int i = 0; i < h->way->steps.n; i++) {
        const Step *s = &h->way->steps.at[i];
        switch (s->kind) {
        case STEP_KERNEL: launch(out, h, s->kernel, entry, prefix, &product); break;
        case STEP_SORT: launch_sort(out, h, s->sort, entry, prefix); break;
        case STEP_CHOICE: glue_choice(out, h, s->choice, launch_selected, prefix); break;
        }
    }
}

void glue_launcher(Text *out, const Program *p, const char *prefix) {
    for (int k = 0; k < p->kernels.n; k++) {
        if (p->kernels.at[k]->same) continue;
        const char *symbol = kernel_symbol(p, p->kernels.at[k]);
        text_fmt(out, "td_preparer %s_%s_prepare;\ntd_launcher %s_%s_launch;\n", prefix, symbol, prefix, symbol);
    }
    for (int k = 0; k < p->sorts.n; k++)
        text_fmt(out, "%s %s_%s_launch;\n", sort_ranks(&p->sorts.at[k]->sort) ? "td_ranker" : "td_sorter", prefix,
                 sort_symbol(p, p->sorts.at[k]));
    if (p->assumed) glue_launcher(out, p->assumed, prefix);
}

void glue_prepare_kernels(Text *out, const Program *p, const char *prefix, const char *sink, bool all) {
    for (int i = 0; i < p->kernels.n; i++) {
        const Kernel *k = p->kernels.at[i];
        if (all ? k->same != NULL : k->here != NULL) continue;
        text_fmt(out, "    TD_TRY(td_cuda(%s, \"kernel %s: cudaFuncSetAttribute\", %s_%s_prepare()));\n", sink, k->name,
                 prefix, kernel_symbol(p, k));
    }
    if (p->assumed) glue_prepare_kernels(out, p->assumed, prefix, sink, all);
}
