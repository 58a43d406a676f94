/* The CPU stand-in for CUDA: nothing of the driver API is needed beyond what the runtime's header says. */
#ifndef TD_EMU_CUDA_H
#define TD_EMU_CUDA_H
#define CUDA_VERSION 13000
#include "cuda_runtime.h"
#endif
