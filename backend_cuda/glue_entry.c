/* One entry's functions in model.c: the plan (dimensions to bytes, with every check that needs no pointer), the run,
 * and the public functions on top of them. */
#include "glue_entry.h"
#include "sched/memory.h"
#include "sched/same.h"

/* What the functions of an entry have in common. `need` and `ready` are the entry's. */
static const char C_ENTRIES[] =
    "typedef $_status td_need_fn(const td_sink *s, $_context *ctx, const int64_t *dims, size_t *bytes);\n"
    "typedef $_status td_ready_fn(const td_sink *s);\n"
    "typedef $_status td_run_fn(const td_sink *s, const td_call *c);\n\n"
    "static $_status td_workspace_of(const char *entry, td_need_fn *need, $_context *ctx, const int64_t *dims, size_t "
    "*bytes) {\n"
    "    const td_sink s = {entry, NULL, 0};\n"
    "    return ctx && bytes ? need(&s, ctx, dims, bytes) : $_error_argument;\n}\n\n"
    "static $_status td_prepare_of(const char *entry, td_need_fn *need, td_ready_fn *ready, $_context *ctx,\n"
    "                             const int64_t *dims) {\n"
    "    const td_sink s = {entry, NULL, 0};\n"
    "    size_t bytes;\n"
    "    if (!ctx) return $_error_argument;\n"
    "    TD_TRY(td_current(&s, ctx));\n"
    "    TD_TRY(need(&s, ctx, dims, &bytes));\n"
    "    return ready(&s);\n}\n\n"
    "static $_status td_enter(td_sink *s, td_call *c, const char *entry, $_context *ctx, const $_run *run,\n"
    "                        void *const *tensors, const int64_t *dims, const double *scalars) {\n"
    "    if (!run) return $_error_argument;\n"
    "    s->entry = entry;\n"
    "    s->text = run->message;\n"
    "    s->bytes = run->message_bytes;\n"
    "    if (!ctx) return td_refuse(s, $_error_argument, \"context: expected an open one, got NULL\");\n"
    "    c->context = ctx;\n"
    "    c->tensors = tensors;\n"
    "    c->dims = dims;\n"
    "    c->scalars = scalars;\n"
    "    c->workspace = run->workspace;\n"
    "    c->workspace_bytes = run->workspace_bytes;\n"
    "    c->stream = run->stream;\n"
    "    return td_current(s, ctx);\n}\n\n"
    "/* Calls by name alone have no context: one is made for each. */\n"
    "static int td_bytes_of(const char *entry, td_need_fn *need, const int64_t *dims, size_t *bytes) {\n"
    "    const td_sink s = {entry, NULL, 0};\n"
    "    $_context ctx;\n"
    "    $_status status;\n"
    "    if (!bytes) return (int)$_error_argument;\n"
    "    TD_TRY_INT(td_begin(&s, &ctx, 0));\n"
    "    status = need(&s, &ctx, dims, bytes);\n"
    "    td_end(&ctx);\n"
    "    return (int)status;\n}\n\n"
    "static int td_call_of(const char *entry, td_ready_fn *ready, td_run_fn *run, td_call *c, char *message,\n"
    "                      size_t message_bytes) {\n"
    "    const td_sink s = {entry, message, message_bytes};\n"
    "    $_context ctx;\n"
    "    $_status status;\n"
    "    int device = 0;\n"
    "    TD_TRY_INT(td_cuda(&s, \"device\", (int)cudaGetDevice(&device)));\n"
    "    TD_TRY_INT(td_device(&s, device));\n"
    "    TD_TRY_INT(ready(&s));\n"
    "    TD_TRY_INT(td_begin(&s, &ctx, device));\n"
    "    c->context = &ctx;\n"
    "    status = run(&s, c);\n"
    "    td_end(&ctx);\n"
    "    return (int)status;\n}\n\n";

void glue_entries_head(Text *out, const char *prefix) { glue_template(out, C_ENTRIES, prefix); }

static void quoted_expr(Text *out, Ctx *ctx, const Expr *e) {
    Text s = {.ctx = ctx};
    expr_print(&s, e, NULL);
    host_quoted(out, s.s);
}

/* "    if (!COND)": operators in between have their parentheses already. */
static void if_not(Text *out, const HostEntry *h, const Expr *cond) {
    bool bare = op_form(cond->op) != FORM_INFIX;
    text_put(out, bare ? "    if (!(" : "    if (!");
    host_expr(out, h, cond);
    text_put(out, bare ? "))\n" : ")\n");
}

static void plan_dims(Text *out, const HostEntry *h) {
    const Graph *g = h->p->graph;
    for (int i = 0; i < g->dims.n; i++) {
        const Dim *d = g->dims.at[i];
        int64_t lo = d->lo > 0 ? d->lo : 0;
        text_fmt(out, "    TD_TRY(td_dim(td_s, \"%s\", %s, %lld, ", d->name, h->dims[i], (long long)lo);
        if (d->hi == INT64_MAX)
            text_put(out, "INT64_MAX");
        else
            text_fmt(out, "%lld", (long long)d->hi);
        text_fmt(out, ", %lld));\n", (long long)(d->divisor > 1 ? d->divisor : 1));
        h->dim_used[i] = h->checks[CHECK_DIM] = true;
    }
}

/* Conditions over dimensions, or over scalars too. An `assume` that the host can decide is held to as well: it costs
 * nothing. */
static void facts(Text *out, const HostEntry *h, const char *x, bool scalars) {
    const Graph *g = h->p->graph;
    for (int i = 0; i < g->facts.n; i++) {
        const Fact *f = &g->facts.at[i];
        if (f->nvars || !host_can(f->cond) || host_uses_scalars(f->cond) != scalars) continue;
        if_not(out, h, f->cond);
        text_fmt(out, "        return td_refuse(td_s, %s_error_require, \"%%s\", \"", x);
        if (f->text) host_quoted(out, f->text), text_put(out, " (");
        text_put(out, "expected ");
        quoted_expr(out, h->ctx, f->cond);
        if (f->text) text_char(out, ')');
        text_put(out, "\");\n");
    }
}

static void plan_size(Text *out, const HostEntry *h, const Tensor *t, int index) {
    if (t->rank) {
        h->checks[CHECK_SIZE] = true;
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

static void plan_kernel(Text *out, const HostEntry *h, const Kernel *k, const char *x) {
    for (int i = 0; i < k->where.n; i++) {
        if_not(out, h, k->where.at[i]);
        text_fmt(out, "        return td_refuse(td_s, %s_error_kernel, \"kernel %s: %%s\", \"expected ", x, k->name);
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

bool glue_has_workspace(const Program *p) { return p->temps.n > 0 || p->assumed || glue_products(p); }

static void plan(Text *out, const HostEntry *h, const char *x) {
    const Program *p = h->p;
    const char *e = p->graph->name;
    Text body = {.ctx = h->ctx};
    plan_dims(&body, h);
    facts(&body, h, x, false);
    int n = p->params.n, temps = p->temps.n;
    bool workspace = glue_has_workspace(p);
    for (int i = 0; i < n; i++) plan_size(&body, h, p->params.at[i], i);
    for (int i = 0; i < temps; i++) {
        if (glue_stands_with(h, i))
            text_fmt(&body, "    td_bytes[%d] = 0; /* %s has no place of its own */\n", n + i, p->temps.at[i]->name);
        else
            plan_size(&body, h, p->temps.at[i], n + i);
    }
    for (int i = 0; i < p->kernels.n; i++) {
        const Kernel *k = p->kernels.at[i];
        bool checked = k->here && form_same_dims(k->form, k->here->form);
        if (!checked) plan_kernel(&body, h, k, x);
    }
    int places = glue_pieces(p);
    glue_memory_tables(out, h);
    for (int k = 0; k < p->kernels.n; k++)
        if (p->kernels.at[k]->product && !p->kernels.at[k]->same) glue_product(out, h, p->kernels.at[k]);
    text_fmt(out,
             "/* Bytes of each tensor%s. */\nstatic %s_status td_%s_plan(const td_sink *td_s, %s_context *td_x, const "
             "int64_t *td_dims, int64_t *td_bytes",
             workspace ? ", where temporaries lie and the bytes of the workspace" : "", x, e, x);
    text_fmt(out, "%s) {\n", workspace ? ",\n    td_spot *td_spots, size_t *td_need" : "");
    for (int i = 0; i < p->graph->dims.n; i++)
        if (h->dim_used[i]) text_fmt(out, "    const int64_t %s = td_dims[%d];\n", h->dims[i], i);
    if (!p->graph->dims.n) text_put(out, "    (void)td_dims;\n    (void)td_s;\n");
    text_put(out, "    (void)td_x;\n");
    if (places) text_fmt(out, "    int td_order[%d];\n", places);
    text_put(out, body.s ? body.s : "");
    glue_scratch(out, h, n + temps);
    if (places) glue_place(out, h, p->assumed ? "TD_TRY(" : "return ");
    if (places) text_put(out, p->assumed ? ");\n" : ";\n}\n\n");
    if (!places && p->assumed) text_put(out, "    (void)td_spots;\n    *td_need = 0;\n");
    if (p->assumed)
        text_fmt(out, "    return td_%s_tests_need(td_s, td_x, td_dims, td_need);\n}\n\n", e);
    else if (!places)
        text_fmt(out, "    return %s_ok;\n}\n\n", x);
}

/* The arguments of the plan, after the sink and the dimensions. */
static const char *plan_args(const Program *p) {
    return glue_has_workspace(p) ? "td_bytes, td_spots, &td_need" : "td_bytes";
}

static void plan_locals(Text *out, const Program *p) {
    int places = glue_pieces(p);
    text_fmt(out, "    int64_t td_bytes[%d];\n", p->params.n + places);
    if (glue_has_workspace(p))
        text_fmt(out, "    td_spot td_spots[%d];\n    size_t td_need = 0;\n", places ? places : 1);
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

static void run_launches(Text *out, const HostEntry *h, const char *x) {
    const Program *p = h->p;
    const char *tensors = glue_pieces(p) ? "td_t" : "td_c->tensors";
    for (int i = 0; i < p->zeroed.n; i++) {
        int at = host_tensor_at(h, p->zeroed.at[i]);
        text_fmt(out,
                 "    if (td_bytes[%d])\n        TD_TRY(td_cuda(td_s, \"clearing %s\",\n"
                 "                       (int)cudaMemsetAsync(%s[%d], 0, (size_t)td_bytes[%d], "
                 "(cudaStream_t)td_c->stream)));\n",
                 at, p->zeroed.at[i]->name, tensors, at, at);
    }
    glue_launches(out, h, x);
}

/* The inputs at whose address the output may stand, as bits. */
static uint64_t in_place(const HostEntry *h, const Tensor *t) {
    const Program *p = h->p;
    uint64_t set = 0;
    for (int i = 0; i < p->in_place.n; i++) {
        int at = host_tensor_at(h, p->in_place.at[i].in);
        if (p->in_place.at[i].out == t && at < 64) set |= (uint64_t)1 << at;
    }
    return set;
}

static void run(Text *out, const HostEntry *h, const char *x) {
    const Program *p = h->p;
    const char *e = p->graph->name;
    int n = p->params.n;
    Text body = {.ctx = h->ctx}, clear = {.ctx = h->ctx};
    facts(&body, h, x, true);
    clear_last_halves(&clear, h);
    bool dims = body.s || clear.s;
    text_fmt(out,
             "static %s_status td_%s_run(const td_sink *td_s, const td_call *td_c) {\n    static const td_tensor "
             "td_params[] = {",
             x, e);
    for (int i = 0; i < n; i++) {
        const Tensor *t = p->params.at[i];
        int bits = type_bits(t->type);
        text_fmt(out, "%s{\"%s\", %d, %d, ", i ? ", " : "", t->name, bits < 8 ? 1 : bits / 8, t->kind != TENSOR_INPUT);
        text_fmt(out, in_place(h, t) ? "0x%llx}" : "%llu}", (unsigned long long)in_place(h, t));
    }
    text_put(out, "};\n");
    plan_locals(out, p);
    if (glue_pieces(p)) text_fmt(out, "    void *td_t[%d];\n", n + glue_pieces(p));
    if (p->kernels.n) text_put(out, "    int td_launched = 0;\n");
    if (glue_products(p)) text_put(out, "    td_product td_p;\n    int td_done;\n");
    for (int i = 0; i < p->graph->scalars.n; i++)
        if (h->scalar_used[i]) text_fmt(out, "    const double %s = td_c->scalars[%d];\n", h->scalars[i], i);
    for (int i = 0; dims && i < p->graph->dims.n; i++)
        text_fmt(out, "    const int64_t %s = td_c->dims[%d];\n", h->dims[i], i);
    for (int i = 0; dims && i < p->graph->dims.n; i++) text_fmt(out, "    (void)%s;\n", h->dims[i]);
    text_fmt(out, "    TD_TRY(td_%s_plan(td_s, td_c->context, td_c->dims, %s));\n", e, plan_args(p));
    text_put(out, body.s ? body.s : "");
    text_fmt(out, "    TD_TRY(td_tensors(td_s, td_c, td_params, %d, td_bytes));\n", n);
    text_fmt(out, "    TD_TRY(td_workspace(td_s, td_c, %s, td_params, %d, td_bytes));\n",
             glue_has_workspace(p) ? "td_need" : "0", n);
    if (p->assumed) text_fmt(out, "    TD_TRY(td_%s_tests(td_s, td_c));\n", e);
    glue_pointers(out, h);
    text_put(out, clear.s ? clear.s : "");
    run_launches(out, h, x);
    text_fmt(out, "    return %s_ok;\n}\n\n", x);
}

void glue_plan_and_run(Text *out, const HostEntry *h, const char *x) {
    Ctx *temp = ctx_temp(h->ctx);
    Memory m;
    HostEntry mine = *h;
    memory_plan(temp, h->p, &m);
    mine.memory = &m;
    plan(out, &mine, x);
    run(out, &mine, x);
    ctx_temp_end(temp);
}

/* `const int64_t td_dims[] = {M, N};`, or one 0 where there are none: C has no empty arrays. */
static void array(Text *out, const char *type, const char *name, const Sym *at, int n, const char *cast) {
    text_fmt(out, "    %s %s[] = {", type, name);
    for (int i = 0; i < n; i++) text_fmt(out, "%s%s%s", i ? ", " : "", cast, at[i]);
    text_put(out, n ? "};\n" : "0};\n");
}

/* td_ENTRY_need: the bytes of workspace, after every check that needs no pointer; td_ENTRY_ready: what launches need
 * first. */
static void need_and_ready(Text *out, const HostEntry *h, const char *x) {
    const Program *p = h->p;
    const char *e = p->graph->name;
    text_fmt(out,
             "static %s_status td_%s_need(const td_sink *td_s, %s_context *ctx, const int64_t *dims, size_t *bytes) "
             "{\n",
             x, e, x);
    plan_locals(out, p);
    text_fmt(out, "    TD_TRY(td_%s_plan(td_s, ctx, dims, %s));\n    *bytes = %s;\n    return %s_ok;\n}\n\n", e,
             plan_args(p), glue_has_workspace(p) ? "td_need" : "0", x);
    text_fmt(out, "static %s_status td_%s_ready(const td_sink *td_s) {\n    (void)td_s;\n", x, e);
    glue_prepare_kernels(out, p, x, "td_s", false);
    text_fmt(out, "    return %s_ok;\n}\n\n", x);
}

static void public_dims(Text *out, const HostEntry *h, const char *x, bool prepares) {
    const char *e = h->p->graph->name;
    int ndims = h->p->graph->dims.n;
    text_fmt(out, "%s_status %s_%s_%s(%s_context *ctx%s", x, x, e, prepares ? "prepare" : "workspace", x,
             ndims ? ", " : "");
    glue_params(out, h, GLUE_DIMS);
    text_put(out, prepares ? ") {\n" : ", size_t *bytes) {\n");
    array(out, "const int64_t", "td_dims", h->dims, ndims, "");
    if (prepares)
        text_fmt(out, "    return td_prepare_of(\"%s\", td_%s_need, td_%s_ready, ctx, td_dims);\n}\n\n", e, e, e);
    else
        text_fmt(out, "    return td_workspace_of(\"%s\", td_%s_need, ctx, td_dims, bytes);\n}\n\n", e, e);
}

static void public_run(Text *out, const HostEntry *h, const char *x) {
    const Program *p = h->p;
    const Graph *g = p->graph;
    const char *e = g->name;
    text_fmt(out, "%s_status %s_%s(%s_context *ctx, const %s_run *run, ", x, x, e, x, x);
    glue_params(out, h, GLUE_CALL);
    text_put(out, ") {\n");
    array(out, "void *const", "td_t", h->params, p->params.n, "(void *)");
    array(out, "const int64_t", "td_dims", h->dims, g->dims.n, "");
    array(out, "const double", "td_scalars", h->scalars, g->scalars.n, "(double)");
    text_fmt(out,
             "    td_sink td_s;\n    td_call td_c;\n"
             "    TD_TRY(td_enter(&td_s, &td_c, \"%s\", ctx, run, td_t, td_dims, td_scalars));\n",
             e);
    for (int i = 0; i < g->scalars.n; i++)
        if (g->scalars.at[i]->type == TY_I64) {
            h->checks[CHECK_EXACT] = true;
            text_fmt(out, "    TD_TRY(td_exact(&td_s, \"%s\", %s));\n", g->scalars.at[i]->name, h->scalars[i]);
        }
    text_fmt(out, "    return td_%s_run(&td_s, &td_c);\n}\n\n", e);
}

static void uniform(Text *out, const HostEntry *h) {
    const char *e = h->p->graph->name;
    text_fmt(out,
             "static int td_%s_bytes(const int64_t *dims, size_t *bytes) {\n"
             "    return td_bytes_of(\"%s\", td_%s_need, dims, bytes);\n}\n\n",
             e, e, e);
    text_fmt(
        out,
        "static int td_%s_call(void *const *tensors, const int64_t *dims, const double *scalars, void *workspace,\n"
        "    size_t workspace_bytes, void *stream, char *message, size_t message_bytes) {\n"
        "    td_call td_c = {NULL, tensors, dims, scalars, workspace, workspace_bytes, stream};\n"
        "    return td_call_of(\"%s\", td_%s_ready, td_%s_run, &td_c, message, message_bytes);\n}\n\n",
        e, e, e, e);
}

void glue_entry(Text *out, const HostEntry *h, const char *prefix) {
    Text signature = {.ctx = h->ctx};
    glue_signature(&signature, h->p);
    text_put(out, "/* ---- ");
    host_comment(out, signature.s);
    text_put(out, " ---- */\n\n");
    glue_assumed(out, h, prefix);
    glue_plan_and_run(out, h, prefix);
    need_and_ready(out, h, prefix);
    public_dims(out, h, prefix, false);
    public_dims(out, h, prefix, true);
    public_run(out, h, prefix);
    uniform(out, h);
}
