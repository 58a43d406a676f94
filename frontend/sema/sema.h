/* From the syntax tree of a file to a Module: one Graph for each export, and the file's check and bench statements.
 * Names, types, shapes, instances and ranges get their meaning here; what is wrong with them goes to the diagnostics.
 */
#ifndef TDC_SEMA_H
#define TDC_SEMA_H

#include "frontend/ast/ast.h"

typedef struct SemaOptions {
    /* The file that `import "path"` in file number `from` means ("nn" is of the standard library, "./x.td" stands
     * beside it), read and parsed; the same file gives the same tree. NULL where there is none. A NULL callback finds
     * none. */
    AstFile *(*import)(void *user, Ctx *ctx, Sym path, int from, Span where);
    void *user;
} SemaOptions;

/* Never NULL. Exports with errors are left out; whether there were any is what diag_errors says. */
Module *sema_module(Ctx *ctx, AstFile *file, const SemaOptions *opt);

#endif
