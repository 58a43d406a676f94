/* Tensors in NumPy's .npy files: little-endian, C order. bf16 and f8 stand as their bits (u2, u1) or, when read, as f4.
 */
#ifndef TDC_NPY_H
#define TDC_NPY_H

#include "ir/interp/interp.h"

/* Reads a file into storage from ctx as a tensor of type t, converting where no value changes its meaning: the same
 * type; the bits of bf16 and f8; f4 and f8 for any float type (rounded); integers that fit for any integer type; 0 and
 * 1 for bool. False after saying why not. */
bool npy_read(Ctx *ctx, const char *path, Type t, HostTensor *out, Text *why);
bool npy_write(Ctx *ctx, const char *path, const HostTensor *h, Text *why);

#endif
