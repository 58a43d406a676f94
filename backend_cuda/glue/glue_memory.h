/* The memory of an entry's temporaries and of the library's scratch, its pieces. Internal to backend_cuda/glue. */
#ifndef TDC_GLUE_MEMORY_H
#define TDC_GLUE_MEMORY_H

#include "glue_host.h"

/* How many pieces there are. */
int glue_pieces(const Program *p);
/* The tables that td_place reads, and its call. */
void glue_memory_tables(Text *out, const HostEntry *h);
void glue_place(Text *out, const HostEntry *h);
/* Whether a piece has no place of its own. */
bool glue_stands_with(const HostEntry *h, int piece);
/* td_t, the pointers of parameters and pieces. */
void glue_pointers(Text *out, const HostEntry *h);

#endif
