/* Kernels that do the same: equal up to the names of tensors, dimensions, scalars, axes and values, and up to what
 * constants are. Their text is lowered, printed and compiled once; every place that runs it passes its own tensors,
 * dimensions, scalars, and constants where those differ. */
#ifndef TDC_SAME_H
#define TDC_SAME_H

#include "ir/expr_map.h"
#include "kernel.h"

/* The form of a kernel is all that its text depends on, as a text, with each tensor, dimension, scalar and constant as
 * a number: its place in the order of first use. Here is what stands behind these numbers in one kernel.
 *
 * A constant is a finite one of f32 or f64 from which a compiler gains nothing by knowing it: the divisor of a quotient
 * and the exponent of a power are of the form itself, as are integers. */
typedef struct KernelForm {
    Tensor **tensors;
    Dim **dims;
    Scalar **scalars; /* in the form of the kernel whose text it is, then npassed ones for the constants passed */
    const Expr **constants;
    int ntensors, ndims, nscalars, nconstants;
    bool *differs; /* of the kernel whose text it is: a constant is not the same in all places */
    int npassed;   /* how many do */
} KernelForm;

/* The kernels of a compilation by their forms; {0} to begin with. */
typedef struct SameMemo {
    ExprMap first; /* form -> the first kernel that has it */
} SameMemo;

/* Finds, for each kernel of p, an earlier one of the same form: fills in Kernel.form, same, here, shared and symbol.
 * Programs are asked about in the order in which their texts are printed. */
void program_same(SameMemo *memo, Program *p);

/* Once all programs were asked about: each constant that is not the same in all places that run a text of p becomes a
 * scalar of that text. */
void program_pass_constants(Program *p);

/* The form as a text: equal for two kernels of a compilation where one text serves both. NULL: it has none. Constants
 * of several parts are of it where a launch has no room for them. */
Sym kernel_form(Ctx *ctx, const Program *p, const Kernel *k, KernelForm *f);

/* One of several parts as a kernel of its own: with those conditions under which all of it is legal that are on the
 * part's dimensions. Parts of equal forms (of constants, too) have one body, whose tensors, dimensions and scalars
 * differ. *form: NULL where it has none. */
Kernel *kernel_of_part(Ctx *ctx, const Program *p, const Kernel *k, int part, KernelForm *f, Sym *form);

/* What the names of the kernel's functions have between the prefix and the function's: that of the first place. */
Sym kernel_symbol(const Program *p, const Kernel *k);
/* Whether both run with the same dimensions, where both are of one form. */
bool form_same_dims(const KernelForm *a, const KernelForm *b);

#endif
