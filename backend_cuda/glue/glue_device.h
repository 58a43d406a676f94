/* The devices that a model runs on. Internal to backend_cuda/glue. */
#ifndef TDC_GLUE_DEVICE_H
#define TDC_GLUE_DEVICE_H

#include "glue.h"

/* The table of targets, and the function that finds a device in it. */
void glue_device(Text *out, const GlueOptions *o);

#endif
