/* The launches of an entry. Internal to backend_cuda/glue. */
#ifndef TDC_GLUE_LAUNCH_H
#define TDC_GLUE_LAUNCH_H

#include "glue_host.h"

void glue_launches(Text *out, const HostEntry *h, const char *prefix);
typedef void GlueKernel(Text *out, const HostEntry *h, const Kernel *k, const char *prefix);
/* What is put for the kernel of each case of a choice on a way, behind the case's condition; nothing where nothing is
 * put for any. */
void glue_choice(Text *out, const HostEntry *h, const Choice *c, GlueKernel *put, const char *prefix);
/* The kernel of the way before k whose answers about dimensions are k's too, if there is one: it runs the same text
 * with the same dimensions. `asked` holds the kernels asked about so far, {0} to begin with. */
const Kernel *glue_asked(Ctx *ctx, ExprMap *asked, const Kernel *k);
/* What the library is asked for its products, from this place of td_bytes on. */
void glue_scratch(Text *out, const HostEntry *h, int index);
/* Declarations of the launchers of a program (and its tests) that no program before it has declared. */
void glue_launcher(Text *out, const Program *p, const char *prefix);
/* What launches need first, for the current device: of the kernels of this program, or of those alone that no program
 * before it has. `sink` is C text: where refusals are explained. */
void glue_prepare_kernels(Text *out, const Program *p, const char *prefix, const char *sink, bool all);

#endif
