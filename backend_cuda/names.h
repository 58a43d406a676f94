/* Names of the source in emitted C, C++ and CUDA. */
#ifndef TDC_NAMES_H
#define TDC_NAMES_H

#include "ir/base.h"

/* Whether a name of the source means something else in the emitted files. */
bool name_reserved(const char *name);

#endif
