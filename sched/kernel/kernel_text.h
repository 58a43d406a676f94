/* What the two halves of the reader of kernel text share: kernel_read.c (header, axes, layouts) and
 * kernel_read_stage.c. */
#ifndef TDC_KERNEL_TEXT_H
#define TDC_KERNEL_TEXT_H

#include "ir/expr_text.h"
#include "kernel.h"

/* An axis whose bounds read values: its text is read again where its loop begins. */
typedef struct PendingBounds {
    Axis *axis;
    Lex at;
} PendingBounds;

typedef struct KernelReader {
    Program *p;
    Lex lex;
    ExprReader expr;
    Kernel *kernel;
    Part *part;
    Layout *layout;     /* stated for the stage that is read, or NULL */
    VEC(Value *) scope; /* values that the stages to come may use */
    VEC(PendingBounds) pendings;
    bool bounds;  /* reading an axis's bounds at its declaration */
    bool pending; /* and a name was not known */
    int nest, nchoices;
} KernelReader;

bool kernel_name_reserved(const char *name);
Sym kernel_read_new_name(KernelReader *r); /* a name that is no word of the form */
Tensor *kernel_read_tensor(KernelReader *r);
Axis *kernel_find_axis(KernelReader *r, Sym name);
Value *kernel_find_value(KernelReader *r, Sym name);
/* The nth factor of an axis with this binding: in r->layout, or in the first layout that has it. */
Factor *kernel_find_factor(KernelReader *r, const Axis *a, Sym bind, int nth);
void kernel_read_pending(KernelReader *r, Axis *a);
/* Stages up to the closing brace, which it accepts, into parent (NULL: the part). */
void kernel_read_body(KernelReader *r, Stage *parent);

#endif
