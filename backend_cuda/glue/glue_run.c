/* The run of a program, an entry's or that of its tests: td_ENTRY_run in model.c, which begins with every check that
 * needs no pointer. */
#include "glue_run.h"
#include "glue_launch.h"
#include "glue_library.h"
#include "glue_memory.h"
#include "glue_text.h"
#include "ir/expr_is.h"
#include "sched/kernel/rank.h"
#include "sched/kernel/memory.h"

static void quoted_expr(Text *out, Ctx *ctx, const Expr *e) {
    Text s = {.ctx = ctx};
    expr_print(&s, e, NULL);
    glue_quoted(out, s.s);
}

/* "    if (!COND)": operators in between have their parentheses already. */
static void if_not(Text *out, const HostEntry *h, const Expr *cond) {
    bool bare = op_form(cond->op) != FORM_INFIX;
    text_put(out, bare ? "    if (!(" : "    if (!");
    host_expr(out, h, cond);
    text_put(out, bare ? "))\n" : ")\n");
}

/* Conditions over dimensions, or over scalars too. An `assume` that the host can decide is held to as well: it costs
 * nothing. */
static void facts(Text *out, const HostEntry *h, const char *prefix, bool scalars) {
    const Graph *g = h->p->graph;
    for (int i = 0; i < g->facts.n; i++) {
        const Fact *f = &g->facts.at[i];
        if (f->nvars || !host_can(f->cond) || host_uses_scalars(f->cond) != scalars) continue;
        if_not(out, h, f->cond);
        text_fmt(out, "        return td_refuse(td_s, %s_error_require, \"%%s\", \"", prefix);
        if (f->text) glue_quoted(out, f->text), text_put(out, " (");
        text_put(out, "expected ");
        quoted_expr(out, h->ctx, f->cond);
        if (f->text) text_char(out, ')');
        text_put(out, "\");\n");
    }
}

static void size_of(Text *out, const HostEntry *h, const Tensor *t, int index) {
    if (t->rank) {
        text_put(out, "    {\n        const int64_t td_shape[] = {");
        for (int d = 0; d < t->rank; d++) {
            if (d) text_put(out, ", ");
            host_expr(out, h, t->shape[d]);
        }
        text_fmt(out, "};\n        TD_TRY(td_size(td_s, \"%s\", %d, td_shape, %d, &td_bytes[%d]));\n    }\n", t->name,
                 t->rank, type_bits(t->type), index);
    } else {
        text_fmt(out, "    td_bytes[%d] = %d; /* %s */\n", index, (type_bits(t->type) + 7) / 8, t->name);
    }
}

static bool is_const(const Expr *e) {
    int64_t v;
    return expr_is_int(e, &v);
}

static bool on_host(const Expr *e) { return e && host_can(e) && !host_uses_scalars(e); }

static void check_kernel(Text *out, const HostEntry *h, const Kernel *k, const char *prefix) {
    for (int i = 0; i < k->where.n; i++) {
        if_not(out, h, k->where.at[i]);
        text_fmt(out, "        return td_refuse(td_s, %s_error_kernel, \"kernel %s: %%s\", \"expected ", prefix,
                 k->name);
        quoted_expr(out, h->ctx, k->where.at[i]);
        text_put(out, "\");\n");
    }
    bool blocks = k->parts.n > 0, many = false;
    for (int p = 0; p < k->parts.n; p++) {
        const Part *part = k->parts.at[p];
        for (int a = 0; a < part->axes.n; a++) {
            const Axis *axis = part->axes.at[a];
            /* td_dim holds every dimension to less already */
            if (!on_host(axis->hi) || is_const(axis->hi) || axis->hi->op == OP_DIM) continue;
            h->checks[CHECK_EXTENT] = true;
            text_fmt(out, "    TD_TRY(td_extent(td_s, \"%s\", \"axis %s\", ", k->name, axis->name);
            host_expr(out, h, axis->hi);
            text_put(out, ", (int64_t)1 << 57));\n");
        }
        blocks &= on_host(part->blocks);
        many |= part->blocks && !is_const(part->blocks);
    }
    if (!blocks || !(many || k->parts.n > 1)) return;
    h->checks[CHECK_EXTENT] = true;
    text_fmt(out, "    TD_TRY(td_extent(td_s, \"%s\", \"blocks\", ", k->name);
    for (int p = 1; p < k->parts.n; p++) text_put(out, "td_add(");
    for (int p = 0; p < k->parts.n; p++) {
        if (p) text_put(out, ", "), h->used[HOST_ADD] = true;
        host_expr(out, h, k->parts.at[p]->blocks);
        if (p) text_char(out, ')');
    }
    text_put(out, ", INT32_MAX));\n");
}

/* Places in a row are of 31 bits, and so are blocks, a tile or a row each. */
static void check_rank(Text *out, const HostEntry *h, const SortStep *s) {
    Graph *g = h->p->graph;
    const Expr *tile = expr_int(g, TY_I64, RANK_TILE), *one = expr_int(g, TY_I64, 1);
    const Expr *blocks = expr2(g, OP_ADD, expr2(g, OP_DIV, rank_length(&s->sort), tile), one);
    text_fmt(out, "    TD_TRY(td_extent(td_s, \"%s\", \"elements of a row\", ", s->name);
    host_expr(out, h, rank_length(&s->sort));
    text_fmt(out, ", INT32_MAX));\n    TD_TRY(td_extent(td_s, \"%s\", \"blocks\", ", s->name);
    host_expr(out, h, expr2(g, OP_MUL, rank_rows(g, &s->sort), blocks));
    text_put(out, ", INT32_MAX));\n");
}

/* Numbers of keys, and places of their starts, are of 31 bits. */
static void check_sort(Text *out, const HostEntry *h, const SortStep *s) {
    Graph *g = h->p->graph;
    h->checks[CHECK_EXTENT] = true;
    if (sort_ranks(&s->sort)) {
        check_rank(out, h, s);
        return;
    }
    text_fmt(out, "    TD_TRY(td_extent(td_s, \"%s\", \"keys\", ", s->name);
    host_expr(out, h, tensor_size(g, s->sort.keys));
    text_fmt(out, ", INT32_MAX));\n    TD_TRY(td_extent(td_s, \"%s\", \"the bound of keys\", ", s->name);
    host_expr(out, h, s->sort.below);
    text_put(out, ", INT32_MAX - 1));\n");
}

bool glue_has_workspace(const Program *p) { return p->temps.n > 0 || p->assumed || glue_products(p); }

/* What needs no pointer. */
static void checks(Text *out, const HostEntry *h, const char *prefix) {
    const Program *p = h->p;
    int n = p->params.n, temps = p->temps.n;
    text_fmt(out, "    TD_TRY(td_dims(td_s, td_c, &td_%s_signature));\n", h->of);
    facts(out, h, prefix, false);
    text_fmt(out, "    TD_TRY(td_sizes(td_s, td_c, &td_%s_signature, td_bytes));\n", h->of);
    for (int i = 0; i < temps; i++) {
        const MemoryPiece *piece = &h->memory->pieces.at[i];
        if (piece->away || piece->with)
            text_fmt(out, "    td_bytes[%d] = 0; /* %s %s */\n", n + i, p->temps.at[i]->name,
                     piece->away ? "is not used here" : "has no place of its own");
        else
            size_of(out, h, p->temps.at[i], n + i);
    }
    ExprMap asked = {0};
    for (int i = 0; i < h->way->steps.n; i++) {
        const Step *s = &h->way->steps.at[i];
        switch (s->kind) {
        case STEP_KERNEL:
            if (!glue_asked(h->ctx, &asked, s->kernel)) check_kernel(out, h, s->kernel, prefix);
            break;
        case STEP_SORT: check_sort(out, h, s->sort); break;
        case STEP_CHOICE: glue_choice(out, h, s->choice, check_kernel, prefix); break;
        }
    }
    glue_scratch(out, h, n + temps);
    if (glue_pieces(h)) glue_place(out, h);
    if (p->assumed) text_fmt(out, "    TD_TRY(td_%s_tests_need(td_s, td_c, &td_need));\n", p->graph->name);
}

/* An odd number of 4-bit elements leaves half of the last byte over: it is 0, so that a result's bytes are the same
 * each time. */
static void clear_last_halves(Text *out, const HostEntry *h) {
    const Program *p = h->p;
    for (int i = 0; i < p->params.n; i++) {
        const Tensor *t = p->params.at[i];
        if (type_bits(t->type) >= 8 || t->kind != TENSOR_OUTPUT) continue;
        text_put(out, "    if (1");
        for (int d = 0; d < t->rank; d++) {
            text_put(out, " && ");
            host_expr(out, h, t->shape[d]);
            text_put(out, " % 2");
        }
        text_fmt(out,
                 ")\n        TD_TRY(td_cuda(td_s, \"clearing the last byte of %s\",\n"
                 "                       (int)cudaMemsetAsync((char *)td_c->tensors[%d] + td_bytes[%d] - 1, 0, 1, "
                 "(cudaStream_t)td_c->stream)));\n",
                 t->name, i, i);
    }
}

static void run_launches(Text *out, const HostEntry *h, const char *prefix) {
    const Program *p = h->p;
    const char *tensors = glue_pieces(h) ? "td_t" : "td_c->tensors";
    for (int i = 0; i < p->zeroed.n; i++) {
        int at = host_tensor_at(h, p->zeroed.at[i]);
        if (h->memory->pieces.at[at - p->params.n].away) continue;
        text_fmt(out,
                 "    if (td_bytes[%d])\n        TD_TRY(td_cuda(td_s, \"clearing %s\",\n"
                 "                       (int)cudaMemsetAsync(%s[%d], 0, (size_t)td_bytes[%d], "
                 "(cudaStream_t)td_c->stream)));\n",
                 at, p->zeroed.at[i]->name, tensors, at, at);
    }
    glue_launches(out, h, prefix);
}

static void launches(Text *out, const HostEntry *h, const char *prefix) {
    const Program *p = h->p;
    Text conditions = {.ctx = h->ctx};
    facts(&conditions, h, prefix, true);
    for (int i = 0; i < p->graph->scalars.n; i++)
        if (h->scalar_used[i]) text_fmt(out, "    const double %s = td_c->scalars[%d];\n", h->scalars[i], i);
    text_put(out, conditions.s ? conditions.s : "");
    text_fmt(out, "    TD_TRY(td_memory(td_s, td_c, &td_%s_signature, td_bytes, %s));\n", h->of,
             glue_has_workspace(p) ? "td_need" : "0");
    if (p->assumed) text_fmt(out, "    TD_TRY(td_%s_tests(td_s, td_c));\n", p->graph->name);
    glue_pointers(out, h);
    clear_last_halves(out, h);
    run_launches(out, h, prefix);
}

static void locals(Text *out, const HostEntry *h) {
    const Program *p = h->p;
    int n = p->params.n, pieces = glue_pieces(h), products = 0;
    for (int i = 0; i < p->graph->dims.n; i++)
        if (h->dim_used[i]) text_fmt(out, "    const int64_t %s = td_c->dims[%d];\n", h->dims[i], i);
    text_fmt(out, "    int64_t td_bytes[%d];\n", n + pieces);
    if (pieces)
        text_fmt(out, "    td_spot td_spots[%d];\n    int td_order[%d];\n    void *td_t[%d];\n", pieces, pieces,
                 n + pieces);
    if (glue_has_workspace(p)) text_put(out, "    size_t td_need = 0;\n");
    for (int i = 0; i < h->way->steps.n; i++) {
        const Kernel *k = step_kernel(&h->way->steps.at[i]);
        if (k) products += k->product != NULL;
    }
    if (h->way->steps.n)
        text_put(out, h->always_early
                          ? "    int td_launched = 0;\n"
                          : "    int td_launched = 0, *const td_chain = td_c->context->early ? &td_launched : NULL;\n");
    if (products) text_put(out, "    td_product td_p;\n    int td_done;\n");
}

/* Whether a choice on a way depends on how tensors lie; and whether anything that decides about ways does. */
static bool selects_by_address(const Program *p) {
    bool any = false;
    for (int i = 0; i < p->ways.n; i++)
        for (int s = 0; s < p->ways.at[i].steps.n; s++) {
            const Choice *c = p->ways.at[i].steps.at[s].choice;
            for (int k = 0; c && k < c->cases.n; k++)
                any |= c->cases.at[k]->when && expr_has_op(c->cases.at[k]->when, OP_ALIGNED);
        }
    return any;
}

static bool goes_by_address(const Program *p) {
    bool any = selects_by_address(p);
    for (int i = 0; i < p->ways.n; i++)
        for (int k = 0; k < p->ways.at[i].when.n; k++) any |= expr_has_op(p->ways.at[i].when.at[k], OP_ALIGNED);
    return any;
}

/* The run of one way. */
static void run_way(Text *out, const HostEntry *h, const char *prefix) {
    const Program *p = h->p;
    const bool told = selects_by_address(p);
    Text before = {.ctx = h->ctx}, after = {.ctx = h->ctx};
    checks(&before, h, prefix);
    launches(&after, h, prefix);
    text_fmt(out, "static %s_status td_%s_run%s(const td_sink *td_s, const td_call *td_c%s) {\n", prefix,
             p->graph->name, told && p->ways.n == 1 ? "_by_address" : glue_way_suffix(h),
             told ? ", int td_aligned" : "");
    locals(out, h);
    if (told) text_put(out, "    (void)td_aligned;\n");
    text_put(out, before.s);
    text_fmt(out, "    if (td_c->need) {\n        *td_c->need = %s;\n        return %s_ok;\n    }\n",
             glue_has_workspace(p) ? "td_need" : "0", prefix);
    text_put(out, after.s);
    text_fmt(out, "    return %s_ok;\n}\n\n", prefix);
}

/* Goes to the run of the way that the dimensions take, and how tensors lie. Each checks the dimensions by itself, so
 * they may be anything here. */
static void dispatch(Text *out, const HostEntry *h, const char *prefix) {
    const Program *p = h->p;
    const char *e = p->graph->name;
    Text ways = {.ctx = h->ctx};
    const char *told = selects_by_address(p) ? ", td_aligned" : "";
    for (int i = 0; i < p->ways.n; i++) {
        const Way *w = &p->ways.at[i];
        const bool bare = w->when.n != 1 || op_form(w->when.at[0]->op) != FORM_INFIX; /* those have parentheses */
        if (w->when.n) text_put(&ways, bare ? "    if (" : "    if ");
        for (int k = 0; k < w->when.n; k++) {
            if (k) text_put(&ways, " && ");
            host_expr(&ways, h, w->when.at[k]);
        }
        if (w->when.n) text_put(&ways, bare ? ")\n    " : "\n    ");
        text_fmt(&ways, "    return td_%s_run_%d(td_s, td_c%s);\n", e, i + 1, told);
    }
    const char *open = goes_by_address(p) ? "_by_address(const td_sink *td_s, const td_call *td_c, int td_aligned) {\n"
                                          : "(const td_sink *td_s, const td_call *td_c) {\n";
    text_fmt(out, "static %s_status td_%s_run%s", prefix, e, open);
    for (int i = 0; i < p->graph->dims.n; i++)
        if (h->dim_used[i]) text_fmt(out, "    const int64_t %s = td_c->dims[%d];\n", h->dims[i], i);
    text_put(out, ways.s);
    text_put(out, "}\n\n");
}

/* The run, by functions that are told whether tensors are aligned. */
static void by_address(Text *out, const HostEntry *h, const char *prefix) {
    const Program *p = h->p;
    const char *e = p->graph->name;
    h->checks[CHECK_ADDRESS] = true;
    text_fmt(out, "static %s_status td_%s_run(const td_sink *td_s, const td_call *td_c) {\n", prefix, e);
    text_fmt(out, "    return td_run_by_address(td_s, td_c, %d, td_%s_run_by_address);\n}\n\n", p->params.n, e);
}

void glue_run(Text *out, const HostEntry *h, const char *prefix) {
    const Program *p = h->p;
    Ctx *temp = ctx_temp(h->ctx);
    HostEntry *own = NEW_N(temp, HostEntry, p->ways.n + 1); /* of each way, and of the function that chooses */
    Memory *memory = NEW_N(temp, Memory, p->ways.n);
    for (int i = 0; i <= p->ways.n; i++) {
        own[i] = *h;
        own[i].dim_used = NEW_N(temp, bool, p->graph->dims.n + 1);
        own[i].scalar_used = NEW_N(temp, bool, p->graph->scalars.n + 1);
    }
    for (int i = 0; i < p->ways.n; i++) {
        own[i].way = &p->ways.at[i];
        own[i].memory = &memory[i];
        memory_plan(temp, p, own[i].way, &memory[i]);
        glue_memory_tables(out, &own[i]);
    }
    for (int k = 0; k < p->kernels.n; k++)
        if (p->kernels.at[k]->product && !p->kernels.at[k]->same) glue_product(out, h, p->kernels.at[k]);
    for (int i = 0; i < p->ways.n; i++) run_way(out, &own[i], prefix);
    if (p->ways.n > 1) dispatch(out, &own[p->ways.n], prefix);
    if (goes_by_address(p)) by_address(out, &own[p->ways.n], prefix);
    ctx_temp_end(temp);
}
