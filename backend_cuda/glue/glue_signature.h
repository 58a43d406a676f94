/* What an entry takes, as tables. Internal to backend_cuda/glue. */
#ifndef TDC_GLUE_SIGNATURE_H
#define TDC_GLUE_SIGNATURE_H

#include "glue_host.h"

typedef struct GlueKnown { /* tables that were printed */
    Ctx *ctx;
    ExprMap of; /* their text -> the entry */
} GlueKnown;

/* The tables of an entry and, where it prepares, td_ENTRY_ready. Those that differ in nothing but the entry's name
 * stand once: fills in h->of. */
void glue_signature_tables(Text *out, HostEntry *h, const char *prefix, bool prepares);

#endif
