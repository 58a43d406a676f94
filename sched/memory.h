/* Which pieces of memory share the workspace: temporaries and the library's scratch, where they are not in use at the
 * same time. Sizes are functions of dimensions, so a compiled model finds offsets at run time. */
#ifndef TDC_MEMORY_H
#define TDC_MEMORY_H

#include "kernel.h"

/* In use from kernel `first` to kernel `last`, by their places in the program. */
typedef struct Region {
    const Tensor *temp; /* NULL: the scratch of kernel `first`, a product */
    int first, last;
} Region;

/* Temporaries in the order of the program, then the scratch of products in theirs. */
typedef VEC(Region) Regions;
Regions program_pieces(Ctx *ctx, const Program *p);

/* meets[starts[i]] and on, up to meets[starts[i + 1]], are the pieces in use at the same time as piece i. */
typedef struct Meetings {
    VEC(int) starts, meets;
} Meetings;
/* False where there are too many to list: then nothing is shared. */
bool pieces_meetings(Ctx *ctx, const Regions *pieces, Meetings *m);

enum { PLACE_ALIGN = 256 };
/* Where each piece lies for given sizes, and how large the workspace is: what td_place in the compiled model finds, by
 * the same steps. m NULL: nothing is shared. False where it is larger than 2^60. */
bool pieces_place(Ctx *ctx, int n, const Meetings *m, const int64_t *bytes, int64_t *offset, int64_t *total);

#endif
