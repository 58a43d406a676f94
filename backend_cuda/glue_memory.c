/* Planned memory: which pieces of the workspace are in use at the same time (sched/memory.h), as the tables that
 * td_place reads (glue.c). */
#include "glue_entry.h"

#include "sched/memory.h"

bool glue_places(Text *out, const Program *p) {
    Ctx *temp = ctx_temp(out->ctx);
    Regions pieces = program_pieces(temp, p);
    Meetings m;
    bool few = pieces_meetings(temp, &pieces, &m);
    if (!few) return ctx_temp_end(temp), false;
    text_fmt(out, "static const int td_%s_starts[] = {", p->graph->name);
    for (int i = 0; i < m.starts.n; i++) text_fmt(out, "%s%d", i ? ", " : "", m.starts.at[i]);
    text_fmt(out, "}, td_%s_meets[] = {%s", p->graph->name, m.meets.n ? "" : "0");
    for (int i = 0; i < m.meets.n; i++) text_fmt(out, "%s%d", i ? ", " : "", m.meets.at[i]);
    text_put(out, "};\n");
    ctx_temp_end(temp);
    return true;
}
