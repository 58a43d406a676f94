/* Which memory temporaries and the library's scratch have: places in the workspace, shared where they are not in use at
 * the same time; places in parameters whose contents are not needed meanwhile; or the place of the tensor that takes
 * over from them. Sizes are functions of dimensions, so a compiled model finds offsets at run time. */
#ifndef TDC_MEMORY_H
#define TDC_MEMORY_H

#include "kernel.h"

/* In use from kernel `first` to kernel `last`, by their places on the way. */
typedef struct MemoryPiece {
    const Tensor *temp; /* NULL: the scratch of kernel `first`, a product */
    int first, last;
    bool away; /* no kernel of the way touches it: it takes no memory there */
    /* What takes over from it, or from what does: a temporary or a parameter, at whose address it stands; NULL: it has
     * a place of its own. The uses of what has one are those of all that stand there. */
    const Tensor *with;
} MemoryPiece;

enum { PLACE_ALIGN = 256, MAX_HOMES = 4 /* of a piece */ };

/* Of one way through a program. Pieces are temporaries in the order of the program, all of them, then the scratch of
 * the way's products in theirs. Lists are of several pieces: those of piece i are at[starts[i]] up to
 * at[starts[i + 1]]. Of pieces that stand with others they are empty. */
typedef struct Memory {
    VEC(MemoryPiece) pieces;
    /* False: there are too many pieces to say which share memory; then none do, and all lists are empty. */
    bool shared;
    VEC(int) starts, meets; /* pieces in use at the same time */
    /* Parameters that have room for it if they are large enough: twice their numbers, + 1 where the piece must be
     * aligned and the parameter need not be. */
    VEC(int) home_starts, homes;
} Memory;

void memory_plan(Ctx *ctx, const Program *p, const Way *way, Memory *m);

typedef struct MemoryPlace {
    int home;       /* as in Memory.homes, or -1: the workspace */
    int64_t offset; /* in a parameter, of what must be aligned: of the first address from which it may begin */
} MemoryPlace;

/* Where each piece lies for given sizes, and how large the workspace is: what td_place in the compiled model finds, by
 * the same steps. False where it is larger than 2^60. */
bool memory_place(Ctx *ctx, const Memory *m, const int64_t *params, const int64_t *bytes, MemoryPlace *place,
                  int64_t *total);

#endif
