/* Exact algebra (README.md) in the products of the stand-in's library: one more translation unit beside runtime.cpp where
 * the model is compiled with TD_EXACT_BITS, which this is compiled with, too. */
#define TD_EXACT_TYPES_ONLY
#include "cuda_runtime.h"

#include "cublasLt.h"

#include <cmath>

#define TD_EMU_NUMBERS
#include "rt_numbers.h"
