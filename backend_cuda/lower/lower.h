/* Lowering: a Program of tile programs to CUDA C++ (README.md). No stage knows which operator it came from. The
 * emitted text runs on a GPU and, unchanged, on the CPU stand-in (backend_cuda/emu). */
#ifndef TDC_LOWER_H
#define TDC_LOWER_H

#include "sched/kernel/kernel.h"

/* The device functions that a file may use, and which of them it does (lower_prelude.c). */
typedef struct Prelude Prelude;
Prelude *prelude_new(Ctx *ctx);

typedef struct LowerOptions {
    const char *prefix;  /* every symbol begins with it and an underscore */
    const char *command; /* the command that made the file, for its first line; NULL: none */
    Prelude *prelude;    /* notes what the kernels use of it; NULL: all of it is printed */
    Targets targets;     /* on which the sorts run */
} LowerOptions;

/* The kernels and launchers of one program, appended to *out. False after saying in *why what could not be lowered;
 * *out is then unusable. A launcher is
 *   int PREFIX_SYMBOL_launch(void *stream, void *const *tensors, const int64_t *dims, const double *scalars,
 *                            int *launched)
 * and there is `int PREFIX_SYMBOL_prepare(void)`; both return a cudaError_t. Of a kernel that is run in one place
 * SYMBOL is ENTRY_KERNEL, and tensors are the entry's params, then temps. One that several places run (same.h)
 * has the name of the first, and all three arrays in the order of its form. *launched is 0 until something has been
 * launched in this run of the entry, which the launcher sets to 1: what comes later may start before that has ended;
 * with launched NULL nothing does. */
bool lower_program(Text *out, Program *p, const LowerOptions *o, Text *why);

/* What stands before the kernels in model.cu: includes, and the prelude functions that lower_program has noted in
 * o->prelude. */
void lower_head(Text *out, const LowerOptions *o);

/* The C type that holds elements of type t in memory. */
const char *lower_storage_type(Type t);

#endif
