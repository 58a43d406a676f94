/* The host's API alone, as glue and C programs include it. */
#include "cuda_runtime.h"
