/* What the glue's files share with its printer of expressions: C names of an entry's arguments, and integer, boolean
 * and float expressions over dimensions and scalars as C. Internal to backend_cuda/glue*.c. */
#ifndef TDC_GLUE_HOST_H
#define TDC_GLUE_HOST_H

#include "sched/kernel/kernel.h"
#include "ir/expr_map.h"

/* Checks that model.c has where an entry calls them. */
typedef enum HostCheck {
#define CHECK(name, function) CHECK_##name,
#include "checks.def"
#undef CHECK
    CHECK_COUNT
} HostCheck;

/* The helpers that C texts of expressions call. */
typedef enum HostFn {
#define HOST_FN(name, function) HOST_##name,
#include "host_fns.def"
#undef HOST_FN
    HOST_COUNT
} HostFn;

/* One entry as the glue sees it. The names are valid in C and C++ and differ from each other. */
typedef struct HostEntry {
    const Program *p;
    Ctx *ctx;
    Sym *params, *dims, *scalars;
    bool *used;     /* HOST_COUNT: helpers that expressions printed so far call */
    bool *checks;   /* CHECK_COUNT: those called so far; NULL: nobody asks */
    bool *dim_used; /* by expressions printed so far */
    bool *scalar_used;
    bool *needs_math;            /* <math.h> */
    ExprMap named;               /* nodes that are C variables: their Syms */
    ExprMap tensor_at;           /* Tensor -> its place in the array that kernels get: parameters, then temporaries */
    const Way *way;              /* while a run is printed: what it does */
    const struct Memory *memory; /* of that way */
    struct GlueKnown *known;     /* the signatures printed so far */
    bool always_early;           /* every target's kernels may start while those before them end */
    Sym of;                      /* the entry whose signature it has: itself, or one before it with an equal one */
} HostEntry;

/* Names for all that the entry's C functions have; `used` and `needs_math` are the file's. In that memory, as all that
 * is printed with it. */
HostEntry host_entry(Ctx *ctx, const Program *p, bool *used, bool *needs_math);
int host_tensor_at(const HostEntry *h, const Tensor *t); /* -1: none */
/* Whether the host can compute e: only dimensions, scalars, constants and operators that C has. */
bool host_can(const Expr *e);
bool host_uses_scalars(const Expr *e);
void host_expr(Text *out, const HostEntry *h, const Expr *e);
/* The helpers that were used. */
void host_functions(Text *out, const bool *used);
/* The C type of a scalar in the interface: float for floats below 32 bits. */
const char *host_ctype(Type t);
/* The C type of a tensor's element in the interface: void for 4 bits, of which two share a byte; for floats of 16 and 8
 * bits a name that model.h defines. */
const char *host_element(Type t);
/* (expression) rounded to a float of fewer digits than f32. */
void host_round(Text *out, const HostEntry *h, Type t, const char *open);

#endif
