/* The CPU stand-in for CUDA: floats of 8 bits. As CUDA's, it has types in C++ alone and brings those of 16 bits. */
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__
#include "cuda_bf16.h"
#ifdef __cplusplus
#define __CUDA_FP8_TYPES_EXIST__
#include "td_small.h"
typedef td_f8e4m3 __nv_fp8_e4m3;
typedef td_f8e5m2 __nv_fp8_e5m2;
#endif
#endif
