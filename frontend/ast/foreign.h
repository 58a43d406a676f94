/* What people write who come from other languages: their names for types and functions, and what td has instead. */
#ifndef TDC_FOREIGN_H
#define TDC_FOREIGN_H

#include "ir/base.h"

const char *foreign_type(const char *name);     /* the type of td, f32 for float; NULL: no such name */
const char *foreign_name(const char *name);     /* the function of td that does the same, abs for fabs; NULL */
const char *foreign_function(const char *name); /* what to write instead of a call of it; NULL: nothing is known */
const char *foreign_value(const char *name);    /* what to write instead of the name, true for True; NULL */
bool foreign_module(const char *name);          /* np, torch, tl: what stands before a dot */
/* What to write for what stands around a dot, `before`.`after`; each may be "". */
const char *foreign_member(Ctx *ctx, const char *before, const char *after);

#endif
