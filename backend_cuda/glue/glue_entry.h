/* The functions of an entry with kernels in model.c. Internal to backend_cuda/glue. */
#ifndef TDC_GLUE_ENTRY_H
#define TDC_GLUE_ENTRY_H

#include "glue_host.h"

/* What the functions of all entries share, before them. */
void glue_entries_head(Text *out, const Program *const *programs, int n, const char *prefix);
/* All functions of the entry; h->checks says which checks of checks.def they call. */
void glue_entry(Text *out, HostEntry *h, const char *prefix);

#endif
