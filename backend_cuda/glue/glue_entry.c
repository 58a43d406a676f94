/* One entry's functions in model.c: tables of what it takes, its run (glue_run.c), and the public functions on top of
 * it. What they share with those of other entries is the text of entry.in. */
#include "glue_entry.h"
#include "glue_arguments.h"
#include "glue_assumed.h"
#include "glue_run.h"
#include "glue_signature.h"
#include "glue_text.h"

static int most(int a, int b) { return a > b ? a : b; }

/* How many of anything an entry has; at least 1, as C has no empty arrays. */
static void counts(Text *out, const Program *const *programs, int n) {
    int dims = 1, tensors = 1, scalars = 1, rank = 1;
    for (int i = 0; i < n; i++) {
        const Program *p = programs[i];
        dims = most(dims, p->graph->dims.n), tensors = most(tensors, p->params.n);
        scalars = most(scalars, p->graph->scalars.n);
        for (int k = 0; k < p->params.n; k++) rank = most(rank, p->params.at[k]->rank);
        for (int k = 0; p->assumed && k < p->assumed->params.n; k++) rank = most(rank, p->assumed->params.at[k]->rank);
    }
    text_fmt(out, "enum { TD_MOST_DIMS = %d, TD_MOST_TENSORS = %d, TD_MOST_SCALARS = %d, TD_MOST_RANK = %d };\n\n",
             dims, tensors, scalars, rank);
}

void glue_entries_head(Text *out, const Program *const *programs, int n, const char *prefix) {
    bool any_kernels = false;
    for (int i = 0; i < n; i++) any_kernels |= !programs[i]->graph->host;
    counts(out, programs, n);
    glue_text(out, GLUE_IN_ENTRY, "types", prefix);
    if (any_kernels) glue_text(out, GLUE_IN_ENTRY, "functions", prefix);
}

/* `const int64_t td_dims[] = {M, N};`; what it is called by, NULL for nothing. */
static const char *array(Text *out, const char *type, const char *name, const Sym *at, int n, const char *cast) {
    if (!n) return "NULL";
    text_fmt(out, "    %s %s[] = {", type, name);
    for (int i = 0; i < n; i++) text_fmt(out, "%s%s%s", i ? ", " : "", cast, at[i]);
    text_put(out, "};\n");
    return name;
}

static void public_dims(Text *out, const HostEntry *h, const char *prefix, bool prepares) {
    const char *e = h->p->graph->name;
    int ndims = h->p->graph->dims.n;
    text_fmt(out, "%s_status %s_%s_%s(%s_context *ctx%s", prefix, prefix, e, prepares ? "prepare" : "workspace", prefix,
             ndims ? ", " : "");
    glue_params(out, h, GLUE_DIMS);
    text_put(out, prepares ? ") {\n" : ", size_t *bytes) {\n");
    const char *dims = array(out, "const int64_t", "td_dims", h->dims, ndims, "");
    if (prepares)
        text_fmt(out, "    return td_prepare_of(\"%s\", td_%s_run, td_%s_ready, ctx, %s);\n}\n\n", e, e, h->of, dims);
    else
        text_fmt(out, "    return td_workspace_of(\"%s\", td_%s_run, ctx, %s, bytes);\n}\n\n", e, e, dims);
}

static void public_run(Text *out, const HostEntry *h, const char *prefix) {
    const Program *p = h->p;
    const Graph *g = p->graph;
    const char *e = g->name;
    text_fmt(out, "%s_status %s_%s(%s_context *ctx, const %s_run *run, ", prefix, prefix, e, prefix, prefix);
    glue_params(out, h, GLUE_CALL);
    text_put(out, ") {\n");
    const char *tensors = array(out, "void *const", "td_t", h->params, p->params.n, "(void *)");
    const char *dims = array(out, "const int64_t", "td_dims", h->dims, g->dims.n, "");
    const char *scalars = array(out, "const double", "td_scalars", h->scalars, g->scalars.n, "(double)");
    for (int i = 0; i < g->scalars.n; i++)
        if (g->scalars.at[i]->type == TY_I64) {
            h->checks[CHECK_EXACT] = true;
            text_fmt(out, "    TD_TRY(td_exact(\"%s\", run, \"%s\", %s));\n", e, g->scalars.at[i]->name, h->scalars[i]);
        }
    text_fmt(out, "    return td_run_of(\"%s\", td_%s_run, ctx, run, %s, %s, %s);\n}\n\n", e, e, tensors, dims,
             scalars);
}

void glue_entry(Text *out, HostEntry *h, const char *prefix) {
    Text signature = {.ctx = h->ctx};
    glue_signature(&signature, h->p);
    text_put(out, "/* ---- ");
    glue_comment(out, signature.s);
    text_put(out, " ---- */\n\n");
    glue_assumed(out, h, prefix);
    glue_signature_tables(out, h, prefix, true);
    glue_run(out, h, prefix);
    public_dims(out, h, prefix, false);
    public_dims(out, h, prefix, true);
    public_run(out, h, prefix);
    text_fmt(out, "TD_BY_NAME(%s, %s)\n\n", h->p->graph->name, h->of);
}
