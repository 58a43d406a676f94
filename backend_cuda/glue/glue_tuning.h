/* Tuned products. Internal to backend_cuda/glue. */
#ifndef TDC_GLUE_TUNING_H
#define TDC_GLUE_TUNING_H

#include "glue.h"

/* The part of a tuning file that products of the programs can meet, as a table, between the two parts of the text that
 * reads it; nothing where there is no such part. */
void glue_tuned(Text *out, const Program *const *programs, int n, const GlueOptions *o);

#endif
