/* The CPU stand-in for CUDA: IEEE half precision. As CUDA's, it has types in C++ alone. */
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__
#ifdef __cplusplus
#define __CUDA_FP16_TYPES_EXIST__
#include "td_half.h"
#endif
#endif
