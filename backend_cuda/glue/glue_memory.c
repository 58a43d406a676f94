/* Planned memory (sched/kernel/memory.h): the tables that td_place (checks.in) reads, and the pointers of kernels. */
#include "glue_memory.h"

#include "sched/kernel/memory.h"

static void table(Text *out, const HostEntry *h, const char *name, const int *at, int n) {
    text_fmt(out, "static const int td_%s_%s%s[] = {%s", h->p->graph->name, name, glue_way_suffix(h), n ? "" : "0");
    for (int i = 0; i < n; i++) text_fmt(out, "%s%d", i ? ", " : "", at[i]);
    text_put(out, "};\n");
}

int glue_pieces(const HostEntry *h) { return h->memory->pieces.n; }

Sym glue_way_suffix(const HostEntry *h) {
    const Program *p = h->p;
    return p->ways.n > 1 ? sym_fmt(h->ctx, "_%d", (int)(h->way - p->ways.at) + 1) : "";
}

void glue_memory_tables(Text *out, const HostEntry *h) {
    const Memory *m = h->memory;
    if (!m->shared || !m->pieces.n) return;
    table(out, h, "starts", m->starts.at, m->starts.n);
    table(out, h, "meets", m->meets.at, m->meets.n);
    if (!m->homes.n) return;
    table(out, h, "room", m->home_starts.at, m->home_starts.n);
    table(out, h, "homes", m->homes.at, m->homes.n);
}

void glue_place(Text *out, const HostEntry *h) {
    const Memory *m = h->memory;
    const char *e = h->p->graph->name, *w = glue_way_suffix(h);
    h->checks[CHECK_PLACE] = true;
    text_fmt(out, "    TD_TRY(td_place(td_s, %d, ", m->pieces.n);
    if (m->shared)
        text_fmt(out, "td_%s_starts%s, td_%s_meets%s, ", e, w, e, w);
    else
        text_put(out, "NULL, NULL, ");
    if (m->shared && m->homes.n)
        text_fmt(out, "td_%s_room%s, td_%s_homes%s, ", e, w, e, w);
    else
        text_put(out, "NULL, NULL, ");
    text_fmt(out, "td_bytes, %d, td_order, td_spots, &td_need));\n", h->p->params.n);
}

void glue_pointers(Text *out, const HostEntry *h) {
    const Memory *m = h->memory;
    int n = h->p->params.n;
    if (!m->pieces.n) return;
    h->checks[CHECK_POINTERS] = true;
    text_fmt(out, "    td_pointers(td_c, %d, td_spots, %d, td_t);\n", n, m->pieces.n);
    for (int i = 0; i < m->pieces.n; i++) {
        const MemoryPiece *piece = &m->pieces.at[i];
        if (piece->with)
            text_fmt(out, "    td_t[%d] = td_t[%d]; /* %s in place of %s */\n", n + i, host_tensor_at(h, piece->with),
                     piece->with->name, piece->temp->name);
    }
}
