/* What an entry takes, as text. Internal to backend_cuda/glue. */
#ifndef TDC_GLUE_ARGUMENTS_H
#define TDC_GLUE_ARGUMENTS_H

#include "glue_host.h"

/* Its arguments as C parameters: tensors, dimensions, scalars, or the dimensions alone. */
typedef enum GlueParams { GLUE_CALL, GLUE_DIMS } GlueParams;
void glue_params(Text *out, const HostEntry *h, GlueParams which);
/* The entry as td has it: f(x: bf16[M, N], steps: int, eps: f32 = 1e-05) -> (y: bf16[M, N]). Parameters stand in the
 * order of C; an int that is the extent of a tensor stands in its shape alone. */
void glue_signature(Text *out, const Program *p);
/* The comment above the entry's declarations in model.h: its signature, and a line for each argument. */
void glue_argument_comment(Text *out, const HostEntry *h);
/* The types of elements in model.h that C has not. */
void glue_element_types(Text *out, const Program *const *programs, int n);

#endif
