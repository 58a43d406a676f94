/* Kernels written by hand and the targets of a compilation. */
#ifndef TDC_KERNEL_TARGET_H
#define TDC_KERNEL_TARGET_H

#include "kernel.h"
#include "sched/machine/target.h"

/* Whether a program that program_verify took uses only what all targets have; reports the first thing that one lacks,
 * where it stands in the text. */
bool program_fits(const Program *p, Targets targets);

#endif
