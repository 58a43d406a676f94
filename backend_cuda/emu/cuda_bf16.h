/* The CPU stand-in for CUDA: bfloat16. As CUDA's, it has types in C++ alone and brings half precision. */
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__
#include "cuda_fp16.h"
#ifdef __cplusplus
#define __CUDA_BF16_TYPES_EXIST__
#endif
#endif
