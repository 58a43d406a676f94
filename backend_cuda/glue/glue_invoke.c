/* The uniform call by name with DLPack's tensors, PREFIX_invoke: a table an entry of what it takes; the functions that
 * read the tables are the text of invoke.in. */
#include "glue_entry.h"
#include "glue_shape.h"
#include "ir/interp/interp.h"

#include <string.h>

extern const char *const invoke_text_lines[];
extern const int invoke_text_nlines;

void glue_invoke_declare(Text *out, const char *x) {
    text_fmt(
        out,
        "\n/* The same with the tensors of DLPack: pointers to DLTensor, dense, on the context's device, in the order\n"
        " * of the entry's own function. A dimension is what the shapes say; those that no shape determines are "
        "given:\n"
        " * `dims` holds all dimensions in order, a negative one is to be found, and may be NULL for all to be. "
        "Scalars\n"
        " * are in order. invoke_query finds the dimensions from the tensors there are (others are NULL), and the "
        "bytes\n"
        " * of workspace. */\n"
        "%s_status %s_invoke(%s_context *ctx, const %s_run *run, const char *entry, const void *const *tensors, int "
        "ntensors,\n    const int64_t *dims, int ndims, const double *scalars, int nscalars);\n",
        x, x, x, x);
    text_fmt(
        out,
        "%s_status %s_invoke_query(%s_context *ctx, const %s_run *run, const char *entry, const void *const *tensors, "
        "int ntensors,\n    int64_t *dims, int ndims, size_t *workspace_bytes);\n",
        x, x, x, x);
    text_fmt(out, "/* That of the manifest which belongs to this model. */\nextern const uint64_t %s_fingerprint;\n",
             x);
}

void glue_invoke(Text *out, const Program *const *programs, const Sym *of, int n, const char *prefix) {
    text_put(out, "static const struct {\n    const td_signature *of;\n"
                  "    td_run_fn *run; /* NULL: a function of the host */\n} td_functions[] = {\n");
    for (int i = 0; i < n; i++) {
        const Graph *g = programs[i]->graph;
        if (g->host)
            text_fmt(out, "    {&td_%s_signature, NULL},\n", of[i]);
        else
            text_fmt(out, "    {&td_%s_signature, td_%s_run},\n", of[i], g->name);
    }
    text_put(out, "};\n\n");
    glue_lines(out, invoke_text_lines, invoke_text_nlines, prefix, true);
}
