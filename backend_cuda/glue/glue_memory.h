/* The memory of an entry's temporaries and of the library's scratch on one way, its pieces. Internal to
 * backend_cuda/glue. */
#ifndef TDC_GLUE_MEMORY_H
#define TDC_GLUE_MEMORY_H

#include "glue_host.h"

/* How many pieces there are. */
int glue_pieces(const HostEntry *h);
/* What names of the way that is printed end with: "_1" and so on, "" where there is one way alone. */
Sym glue_way_suffix(const HostEntry *h);
/* The tables that td_place reads, and its call. */
void glue_memory_tables(Text *out, const HostEntry *h);
void glue_place(Text *out, const HostEntry *h);
/* td_t, the pointers of parameters and pieces. */
void glue_pointers(Text *out, const HostEntry *h);

#endif
