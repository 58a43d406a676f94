/* A function of the host in model.c, which is an entry without kernels. Internal to backend_cuda/glue. */
#ifndef TDC_GLUE_FUNCTION_H
#define TDC_GLUE_FUNCTION_H

#include "glue_host.h"

/* Its head in C, and its definition with the uniform entry. */
void glue_function_declare(Text *out, const HostEntry *h, const char *prefix);
void glue_function(Text *out, HostEntry *h, const char *prefix);

#endif
