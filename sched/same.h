/* Kernels that do the same: equal up to the names of tensors, dimensions, scalars, axes and values. Their text is
 * lowered, printed and compiled once; every place that runs it passes its own tensors, dimensions and scalars. */
#ifndef TDC_SAME_H
#define TDC_SAME_H

#include "ir/expr_map.h"
#include "kernel.h"

/* The form of a kernel is all that its text depends on, as a text, with each tensor, dimension and scalar as a number:
 * its place in the order of first use. Here is what stands behind these numbers in one kernel. */
typedef struct KernelForm {
    Tensor **tensors;
    Dim **dims;
    Scalar **scalars;
    int ntensors, ndims, nscalars;
} KernelForm;

/* The kernels of a compilation by their forms; {0} to begin with. */
typedef struct SameMemo {
    ExprMap first; /* form -> the first kernel that has it */
} SameMemo;

/* Finds, for each kernel of p, an earlier one of the same form: fills in Kernel.form, same, here, shared and symbol.
 * Programs are asked about in the order in which their texts are printed. */
void program_same(SameMemo *memo, Program *p);

/* The form as a text: equal for two kernels of a compilation where one text serves both. NULL: it has none. */
Sym kernel_form(Ctx *ctx, const Program *p, const Kernel *k, KernelForm *f);

/* What the names of the kernel's functions have between the prefix and the function's: that of the first place. */
Sym kernel_symbol(const Program *p, const Kernel *k);
/* Whether both run with the same dimensions, where both are of one form. */
bool form_same_dims(const KernelForm *a, const KernelForm *b);

#endif
