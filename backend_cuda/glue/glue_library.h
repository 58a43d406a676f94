/* Matrix products by cuBLASLt. Internal to backend_cuda/glue. */
#ifndef TDC_GLUE_LIBRARY_H
#define TDC_GLUE_LIBRARY_H

#include "glue_host.h"
#include "sched/library/tuning.h"

/* How many an entry has. */
int glue_products(const Program *p);
bool glue_has_products(const Program *const *programs, int n);
/* What model.c has before and after the functions that every one has; `tuned` is what glue_tuned prints. */
void glue_library_types(Text *out, const char *prefix, const Text *tuned);
void glue_library_functions(Text *out, const char *prefix, const Text *tuned);
/* The function that describes one product. */
void glue_product(Text *out, const HostEntry *h, const Kernel *k);
/* Names of the library for what a product is. */
const char *glue_cuda_type(Type t);
const char *glue_compute(TuneSum s);
const char *glue_epilogue(Activation act, bool bias);

#endif
