/* In model.c, the tests of an entry's assumptions on data: td_ENTRY_tests runs the program p->assumed in the entry's
 * workspace, waits for it, and refuses where one does not hold. Its run is printed as any entry's is. */
#include "glue_entry.h"

enum { WORKSPACE_ALIGNMENT = 256 };

/* The results stand at the workspace's beginning, temporaries of the tests after them. */
static int results_bytes(const Program *p) {
    int n = p->assumptions.n * 8;
    return (n + WORKSPACE_ALIGNMENT - 1) / WORKSPACE_ALIGNMENT * WORKSPACE_ALIGNMENT;
}

static int param_named(const Program *p, Sym name) {
    for (int i = 0; i < p->params.n; i++)
        if (p->params.at[i]->name == name) return i;
    return -1;
}

/* td_ENTRY_tests_need: the entry's need of workspace becomes at least that of its tests. */
static void need(Text *out, const Program *p, const char *x) {
    int results = results_bytes(p);
    text_fmt(out,
             "static %s_status td_%s_tests_need(const td_sink *td_s, const td_call *td_c, size_t *td_need) {\n"
             "    size_t td_more = 0;\n"
             "    TD_TRY(td_ask_need(td_s, td_%s_run, td_c->context, td_c->dims, &td_more));\n"
             "    if (*td_need < %d + td_more) *td_need = %d + td_more;\n    return %s_ok;\n}\n\n",
             x, p->graph->name, p->assumed->graph->name, results, results, x);
}

/* Where assumption k does not hold for some values of its variables. */
static void broken(Text *out, const HostEntry *h, const Assumed *a, int k) {
    text_fmt(out, "    if (td_found[%d] != INT64_MAX) {\n        static const char *const td_names[] = {", k);
    for (int i = 0; i < a->nvars; i++) text_fmt(out, "%s\"%s\"", i ? ", " : "", a->names[i]);
    text_put(out, a->nvars ? "};\n        const int64_t td_extents[] = {"
                           : "NULL};\n        const int64_t td_extents[] = {0");
    for (int i = 0; i < a->nvars; i++) {
        if (i) text_put(out, ", ");
        host_expr(out, h, a->extents[i]);
    }
    h->checks[CHECK_BROKEN] = true;
    text_put(out, "};\n        return td_broken(td_s, \"");
    host_quoted(out, a->text);
    text_put(out, "\", \"");
    host_quoted(out, a->place);
    text_fmt(out, "\", %d, td_names, td_extents, td_found[%d]);\n    }\n", a->nvars, k);
}

static void tests(Text *out, const HostEntry *h, const Program *p, const char *x) {
    const Program *a = p->assumed;
    int n = p->assumptions.n, inputs = a->params.n - n;
    Text body = {.ctx = h->ctx};
    for (int i = 0; i < n; i++) broken(&body, h, &p->assumptions.at[i], i);
    text_fmt(out,
             "/* In a capture nothing can be waited for, and nothing is tested. */\n"
             "static %s_status td_%s_tests(const td_sink *td_s, const td_call *td_c) {\n"
             "    enum cudaStreamCaptureStatus td_capture = cudaStreamCaptureStatusNone;\n"
             "    cudaStream_t td_stream = (cudaStream_t)td_c->stream;\n"
             "    int64_t td_found[%d];\n    void *td_t[%d];\n    td_call td_a = *td_c;\n    int td_i;\n",
             x, p->graph->name, n, a->params.n);
    for (int i = 0; i < a->graph->dims.n; i++) text_fmt(out, "    const int64_t %s = td_c->dims[%d];\n", h->dims[i], i);
    for (int i = 0; i < a->graph->dims.n; i++) text_fmt(out, "    (void)%s;\n", h->dims[i]);
    text_fmt(out,
             "    TD_TRY(td_cuda(td_s, \"stream\", (int)cudaStreamIsCapturing(td_stream, &td_capture)));\n"
             "    if (td_capture != cudaStreamCaptureStatusNone) return %s_ok;\n",
             x);
    for (int i = 0; i < inputs; i++)
        text_fmt(out, "    td_t[%d] = td_c->tensors[%d];\n", i, param_named(p, a->params.at[i]->name));
    text_fmt(out,
             "    for (td_i = 0; td_i < %d; td_i++) td_t[%d + td_i] = (int64_t *)td_c->workspace + td_i;\n"
             "    td_a.tensors = td_t;\n    td_a.workspace = (char *)td_c->workspace + %d;\n"
             "    td_a.workspace_bytes = td_c->workspace_bytes - %d;\n",
             n, inputs, results_bytes(p), results_bytes(p));
    text_fmt(
        out,
        "    TD_TRY(td_%s_run(td_s, &td_a));\n"
        "    TD_TRY(td_cuda(td_s, \"assumptions\", (int)cudaMemcpyAsync(td_found, td_c->workspace, sizeof td_found,\n"
        "                                                             cudaMemcpyDeviceToHost, td_stream)));\n"
        "    TD_TRY(td_cuda(td_s, \"assumptions\", (int)cudaStreamSynchronize(td_stream)));\n",
        a->graph->name);
    text_fmt(out, "%s    return %s_ok;\n}\n\n", body.s, x);
}

void glue_assumed(Text *out, const HostEntry *entry, const char *x) {
    const Program *p = entry->p;
    if (!p->assumed) return;
    HostEntry h = host_entry(entry->ctx, p->assumed, entry->used, entry->needs_math);
    h.checks = entry->checks;
    h.known = entry->known;
    h.always_early = entry->always_early;
    glue_signature_tables(out, &h, x, false);
    glue_run(out, &h, x);
    need(out, p, x);
    tests(out, &h, p, x);
}
