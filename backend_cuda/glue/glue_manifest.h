/* What the manifest and model.c both say. Internal to backend_cuda/glue. */
#ifndef TDC_GLUE_MANIFEST_H
#define TDC_GLUE_MANIFEST_H

#include "glue.h"

/* A number that two models share only where their interfaces are the same. */
uint64_t glue_fingerprint(const Program *const *programs, int n, const GlueOptions *o);

#endif
