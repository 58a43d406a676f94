/* Host glue: prints model.h (the C interface) and model.c (C99: checks, workspace, launches) from Programs.
 *
 * A refused call launches nothing. Kernels are reached through two functions a kernel in model.cu:
 *   int PREFIX_ENTRY_KERNEL_prepare(void);
 *   int PREFIX_ENTRY_KERNEL_launch(void *stream, void *const *tensors, const int64_t *dims, const double *scalars,
 *                                  int *launched);
 * with the tensors in the order params, temps of the Program, dims and scalars in the order of its graph, and a
 * cudaError_t as the result. *launched says whether this call of the entry has launched something before; NULL: no
 * kernel may start before what came before it has ended. */
#ifndef TDC_GLUE_H
#define TDC_GLUE_H

#include "sched/kernel/kernel.h"
#include "sched/machine/target.h"
#include "sched/library/tuning.h"

/* Dimensions and scalars that suit an entry. */
typedef struct GlueSizes {
    Sym entry;
    const Binding *at;
    int n;
} GlueSizes;

typedef struct GlueOptions {
    const char *prefix;  /* every symbol begins with it: a C identifier */
    const char *header;  /* the name under which model.c includes model.h */
    const char *comment; /* stands at the top of both files: the command that made them; may be NULL */
    const char *version; /* of tdc, for the manifest */
    Targets targets;     /* what the kernels are compiled for */
    bool emu; /* for the CPU stand-in alone, as the default target: model.c refuses to be compiled for a GPU */
    const GlueSizes *sizes; /* what the example takes by default; may be missing for an entry */
    int nsizes;
    const Tuning *tuning; /* algorithms of the library for products; NULL: its own choice for all */
} GlueOptions;

/* False, with the reason in *why, where the programs cannot have the interface: two symbols collide, a `require` or a
 * kernel's condition cannot be decided on the host. *at is the entry that cannot; NULL: it is none of them. */
bool glue_verify(const Program *const *programs, int n, const GlueOptions *o, const Graph **at, Text *why);
void glue_emit_h(Text *out, const Program *const *programs, int n, const GlueOptions *o);
/* The functions of the entries, which are nearly all of it, go to `entries`; NULL: into the text. */
void glue_emit_c(Text *out, TextSink *entries, const Program *const *programs, int n, const GlueOptions *o);
/* MODEL.json: the interface for programs in other languages (docs/interface.md). */
void glue_emit_manifest(Text *out, const Program *const *programs, int n, const GlueOptions *o);
/* An example program that calls the entries, and rules for make that build it from files of this stem. */
void glue_emit_main(Text *out, const Program *const *programs, int n, const GlueOptions *o);
void glue_emit_make(Text *out, const char *stem, const GlueOptions *o);
/* A file's name in a rule for make: as a target, or as a prerequisite. */
void glue_make_name(Text *out, const char *path, bool target);
/* A program that times the library's algorithms for these products, whose interface is the header of no programs
 * (tuner.in says what it prints); known[i] is an algorithm to try, or NULL. */
void glue_emit_tuner(Text *out, const TuneProduct *at, const int64_t *const *known, int n, const GlueOptions *o);

#endif
