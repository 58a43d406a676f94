/* The uniform call by name with DLPack's tensors, PREFIX_invoke: a row an entry of what it takes; the functions that
 * read the tables are the text of invoke.in. */
#include "glue_invoke.h"
#include "glue_text.h"

void glue_invoke(Text *out, const Program *const *programs, const Sym *of, int n, const char *prefix) {
    Text rows = {.ctx = out->ctx};
    for (int i = 0; i < n; i++) {
        const Graph *g = programs[i]->graph;
        if (g->host)
            text_fmt(&rows, "    {&td_%s_signature, NULL},\n", of[i]);
        else
            text_fmt(&rows, "    {&td_%s_signature, td_%s_run},\n", of[i], g->name);
    }
    glue_part(out, GLUE_IN_INVOKE, "functions", &(GlueWords){.prefix = prefix, .at = {{"@ROWS@", rows.s}}});
    glue_text(out, GLUE_IN_INVOKE, "invoke", prefix);
}
