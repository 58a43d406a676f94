/* Tests of what an entry assumes of its data. Internal to backend_cuda/glue. */
#ifndef TDC_GLUE_ASSUMED_H
#define TDC_GLUE_ASSUMED_H

#include "glue_host.h"

/* The functions that test p->assumed, which td_ENTRY_run calls; nothing where there is none. */
void glue_assumed(Text *out, const HostEntry *h, const char *prefix);

#endif
