/* The functions of one entry in model.c, and what its declaration in model.h shares with them. Internal to
 * backend_cuda/glue*.c. */
#ifndef TDC_GLUE_ENTRY_H
#define TDC_GLUE_ENTRY_H

#include "glue_host.h"

/* glue_arguments.c: what an entry takes, as text. Its arguments as C parameters: tensors, dimensions, scalars, or the
 * dimensions alone. */
typedef enum GlueParams { GLUE_CALL, GLUE_DIMS } GlueParams;
void glue_params(Text *out, const HostEntry *h, GlueParams which);
/* The entry as td has it: f(x: bf16[M, N], steps: int, eps: f32 = 1e-05) -> (y: bf16[M, N]). Parameters stand in the
 * order of C; an int that is the extent of a tensor stands in its shape alone. */
void glue_signature(Text *out, const Program *p);
/* The comment above the entry's declarations in model.h: its signature, and a line for each argument. */
void glue_argument_comment(Text *out, const HostEntry *h);
/* The types of elements in model.h that C has not. */
void glue_element_types(Text *out, const Program *const *programs, int n);
/* A function of the host (glue_function.c): its head in C, and its definition with the uniform entry. */
void glue_function_declare(Text *out, const HostEntry *h, const char *prefix);
void glue_function(Text *out, HostEntry *h, const char *prefix);
/* The entry's static function td_ENTRY_run: the checks that need no pointer, which tell the bytes of workspace; those
 * of pointers; the launches. Of a program with several ways it calls one such function a way, td_ENTRY_run_1 and so on,
 * each as if the way were all of the program. */
void glue_run(Text *out, const HostEntry *h, const char *prefix);
/* What names of the way that is printed end with: "_1" and so on, "" where there is one way alone. */
Sym glue_way_suffix(const HostEntry *h);
/* Whether runs of p need a workspace. */
bool glue_has_workspace(const Program *p);
/* glue_assumed.c: the functions that test p->assumed, which td_ENTRY_run calls; nothing where there is none. */
void glue_assumed(Text *out, const HostEntry *h, const char *prefix);
/* What the functions of all entries share, before them. */
void glue_entries_head(Text *out, const Program *const *programs, int n, const char *prefix);
/* All functions of the entry; calls the checks that glue.c prints before. */
void glue_entry(Text *out, HostEntry *h, const char *prefix);
/* Text with the prefix for each "$". */
void glue_template(Text *out, const char *text, const char *prefix);

/* The comment at a file's beginning. */
void glue_banner(Text *out, const GlueOptions *o, const char *what);

/* glue_signature.c: what an entry takes, as tables, and, where it prepares, td_ENTRY_ready. Those that differ in
 * nothing but the entry's name stand once: fills in h->of. */
typedef struct GlueKnown { /* tables that were printed */
    Ctx *ctx;
    ExprMap of; /* their text -> the entry */
} GlueKnown;
void glue_signature_tables(Text *out, HostEntry *h, const char *prefix, bool prepares);
/* glue_invoke.c: calls by name with DLPack's tensors; `of` is of each entry (HostEntry). */
void glue_invoke(Text *out, const Program *const *programs, const Sym *of, int n, const char *prefix);
void glue_invoke_declare(Text *out, const char *prefix); /* model.h */

/* Lines of an embedded text up to its mark, //@, or after it. */
void glue_lines(Text *out, const char *const *lines, int n, const char *prefix, bool head);
/* glue_launch.c: the launches of an entry; what the library is asked for its products, from this place of td_bytes on;
 * declarations of the launchers of a program (and its tests) that no program before it has declared; what launches need
 * first, for the current device: of the kernels of this program, or of those alone that no program before it has. */
void glue_launches(Text *out, const HostEntry *h, const char *prefix);
/* The kernel of the way before k whose answers about dimensions are k's too, if there is one: it runs the same text
 * with the same dimensions. `asked` holds the kernels asked about so far, {0} to begin with. */
const Kernel *glue_asked(Ctx *ctx, ExprMap *asked, const Kernel *k);
void glue_scratch(Text *out, const HostEntry *h, int index);
void glue_launcher(Text *out, const Program *p, const char *prefix);
void glue_prepare_kernels(Text *out, const Program *p, const char *prefix, const char *sink, bool all);

/* glue_library.c: matrix products by cuBLASLt. How many an entry has; what model.c has before and after the functions
 * that every one has; the function that describes one. */
int glue_products(const Program *p);
bool glue_has_products(const Program *const *programs, int n);
void glue_library_types(Text *out, const char *prefix, const Text *tuned); /* what glue_tuned prints */
void glue_library_functions(Text *out, const char *prefix, const Text *tuned);
/* glue_tuning.c: the part of a tuning file that products of the programs can meet, as a table, between the two parts of
 * the text that reads it; nothing where there is no such part. */
void glue_tuned(Text *out, const Program *const *programs, int n, const GlueOptions *o);
/* Names of the library for what a product is. */
const char *glue_cuda_type(Type t);
const char *glue_compute(TuneSum s);
const char *glue_epilogue(Activation act, bool bias);
/* What all parts of model.c begin with (glue.c). */
void glue_head(Text *out, const char *prefix);
void glue_product(Text *out, const HostEntry *h, const Kernel *k);

/* glue_device.c: the table of targets, and the function that finds a device in it. */
void glue_device(Text *out, const GlueOptions *o);

/* glue_memory.c: the memory of an entry's temporaries and of the library's scratch on one way, its pieces. How many
 * there are; the tables that td_place reads; its call; td_t, the pointers of parameters and pieces. */
int glue_pieces(const HostEntry *h);
void glue_memory_tables(Text *out, const HostEntry *h);
void glue_place(Text *out, const HostEntry *h);
void glue_pointers(Text *out, const HostEntry *h);

/* glue_manifest.c: a number that two models share only where their interfaces are the same. */
uint64_t glue_fingerprint(const Program *const *programs, int n, const GlueOptions *o);

#endif
