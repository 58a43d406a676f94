/* How the shapes of an entry's tensors determine its dimensions, as glue_invoke.c and glue_manifest.c say it. Internal
 * to backend_cuda/glue*.c. */
#ifndef TDC_GLUE_SHAPE_H
#define TDC_GLUE_SHAPE_H

#include "sched/kernel/kernel.h"

/* Extent `extent` of params[tensor] is affine in dims[dim]: it determines that dimension where its others are known. */
typedef struct ShapeWay {
    int tensor, extent, dim;
    bool *needs; /* for each dimension of the entry */
} ShapeWay;

typedef struct ShapeWays {
    VEC(ShapeWay) v; /* extents that are a dimension alone come first */
} ShapeWays;

typedef enum ShapeSource { SHAPE_NONE, SHAPE_INPUTS, SHAPE_OUTPUTS } ShapeSource;

/* All extents of parameters that could give a dimension, in that memory. */
ShapeWays shape_ways(Ctx *ctx, const Program *p);
/* What determines each dimension: shapes of inputs and inouts, else those of outputs too, else nothing but the caller.
 */
ShapeSource *shape_sources(Ctx *ctx, const Program *p);

#endif
