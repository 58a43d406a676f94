/* Calls by name with DLPack's tensors. Internal to backend_cuda/glue. */
#ifndef TDC_GLUE_INVOKE_H
#define TDC_GLUE_INVOKE_H

#include "sched/kernel/kernel.h"

/* The table of the programs' functions and what reads it; of[i] is the entry whose signature programs[i] has
 * (HostEntry). */
void glue_invoke(Text *out, const Program *const *programs, const Sym *of, int n, const char *prefix);

#endif
