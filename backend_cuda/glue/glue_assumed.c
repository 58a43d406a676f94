/* In model.c, the tests of an entry's assumptions on data: td_ENTRY_tests runs the program p->assumed in the entry's
 * workspace, waits for it, and refuses where one does not hold. Its run is printed as any entry's is. */
#include "glue_assumed.h"
#include "glue_run.h"
#include "glue_signature.h"
#include "glue_text.h"

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
    glue_quoted(out, a->text);
    text_put(out, "\", \"");
    glue_quoted(out, a->place);
    text_fmt(out, "\", %d, td_names, td_extents, td_found[%d]);\n    }\n", a->nvars, k);
}

/* td_ENTRY_tests_need: the entry's need of workspace becomes at least that of its tests; td_ENTRY_tests. */
static void tests(Text *out, const HostEntry *h, const Program *p, const char *prefix) {
    const Program *a = p->assumed;
    int n = p->assumptions.n, inputs = a->params.n - n;
    Text broken_ones = {.ctx = h->ctx}, dims = {.ctx = h->ctx}, tensors = {.ctx = h->ctx};
    for (int i = 0; i < n; i++) broken(&broken_ones, h, &p->assumptions.at[i], i);
    for (int i = 0; i < a->graph->dims.n; i++)
        text_fmt(&dims, "    const int64_t %s = td_c->dims[%d];\n", h->dims[i], i);
    for (int i = 0; i < a->graph->dims.n; i++) text_fmt(&dims, "    (void)%s;\n", h->dims[i]);
    for (int i = 0; i < inputs; i++)
        text_fmt(&tensors, "    td_t[%d] = td_c->tensors[%d];\n", i, param_named(p, a->params.at[i]->name));
    const GlueWords words = {.prefix = prefix,
                             .at = {{"@ENTRY@", p->graph->name},
                                    {"@TESTS@", a->graph->name},
                                    {"@BYTES@", sym_fmt(h->ctx, "%d", results_bytes(p))},
                                    {"@COUNT@", sym_fmt(h->ctx, "%d", n)},
                                    {"@TENSORS@", sym_fmt(h->ctx, "%d", a->params.n)},
                                    {"@RESULT@", sym_fmt(h->ctx, "%d", inputs)},
                                    {"@DIMS@", dims.s},
                                    {"@INPUTS@", tensors.s},
                                    {"@BROKEN@", broken_ones.s}}};
    glue_part(out, GLUE_IN_ASSUMED, "tests_need", &words);
    glue_part(out, GLUE_IN_ASSUMED, "tests", &words);
}

void glue_assumed(Text *out, const HostEntry *entry, const char *prefix) {
    const Program *p = entry->p;
    if (!p->assumed) return;
    HostEntry h = host_entry(entry->ctx, p->assumed, entry->used, entry->needs_math);
    h.checks = entry->checks;
    h.known = entry->known;
    h.always_early = entry->always_early;
    glue_signature_tables(out, &h, prefix, false);
    glue_run(out, &h, prefix);
    tests(out, &h, p, prefix);
}
