/* What the files of the verifier of kernels share: kernel_verify_program.c (choices, and what holds across kernels),
 * kernel_verify.c (names, axes, layouts), kernel_verify_stage.c (stages one by one), kernel_verify_shared.c (those of
 * what a block shares) and kernel_verify_store.c (that no element is written twice, and no thread reads what another
 * writes); kernel_verify_ask.c has what their rules ask. */
#ifndef TDC_KERNEL_VERIFY_H
#define TDC_KERNEL_VERIFY_H

#include "kernel.h"

enum {
    MAX_THREADS = TARGET_MOST_THREADS,
    MAX_CLUSTER = TARGET_MOST_CLUSTER,
    MAX_REGISTERS = 512, /* elements of a value in one thread */
    MAX_COPY_DEPTH = 16,
    MAX_IN_PLACE = 64, /* parameters at whose addresses outputs may stand: the first */
    MAX_PAIRS = 4096   /* of those with outputs */
};

typedef struct ScopeRow {
    const Value *value;
    int depth;       /* stages around its definition */
    FactorSet loops; /* serial factors of those */
} ScopeRow;

/* A store or atomic, and the conditions that hold around it. */
typedef struct WriteRow {
    const Part *part;
    const Stage *stage;
    int order, last; /* position in the part's text; of the last-block stage around it, or -1 */
    const Stage *in; /* the innermost stage around it; NULL: there is none */
} WriteRow;

typedef struct Verify {
    Program *p;
    Graph *g;
    Ctx *ctx;
    Kernel *k;
    Part *part;
    Text *why;
    PolyEnv env;
    VEC(const Expr *) facts;   /* the kernel's conditions on dimensions */
    VEC(ScopeRow) scope;       /* values defined before, in the stages around */
    VEC(const Stage *) around; /* for, if and last stages, outermost first */
    uint64_t *outside;         /* by Value.id, bits by Axis.id: the axes outside which its elements are undefined */
    VEC(WriteRow) writes;      /* of the kernel so far */
    VEC(WriteRow) reads;
    VEC(WriteRow) meetings; /* stores before which the threads of a block meet */
    VEC(const Tensor *) counters;
    struct {
        const Layout *of;
        uint64_t known, is; /* bits by Axis.id */
    } tail;                 /* what verify_has_tail has said of the layout that was asked of last */
    int order;
    int64_t shared; /* bytes of shared memory so far */
} Verify;

/* Appends to *why; always false. */
bool verify_fail(Verify *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* ... with the stage's keyword and first name in front. */
bool verify_fail_at(Verify *v, const Stage *s, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

Poly verify_extent(Verify *v, const Axis *a);
/* May elements of the axis's factors lie outside the axis? */
bool verify_has_tail(Verify *v, const Layout *l, const Axis *a);
/* Product of the sizes of a layout's factors in a set; open ones count 1. */
int64_t verify_product(const Layout *l, FactorSet set);
FactorSet verify_bind_factors(const Layout *l, Bind bind);
/* Serial factors of the loops around. */
FactorSet verify_loops(const Verify *v);
FactorSet verify_tile(const Layout *l); /* thread and register factors */

/* The axes whose predicate an access or fold has that depends on `domain` (and stands where it does): bits by Axis.id.
 */
uint64_t verify_guarded(Verify *v, const Layout *l, FactorSet domain);
/* The axes outside which an expression is undefined. */
uint64_t verify_outside(Verify *v, const Expr *e);
/* Fills v->outside for the part. */
void verify_find_outside(Verify *v);

bool verify_body(Verify *v, Stage *const *at, int n);

/* What all stages are asked (kernel_verify_ask.c). Is e of that type? */
bool verify_type(Verify *v, const Stage *s, const Expr *e, Type t);
/* Do all threads of the block, or of the cluster, come to the stage together? */
bool verify_collective(Verify *v, const Stage *s, bool cluster);
/* Is e defined wherever it shows, but outside of the axes in `guarded` (bits by Axis.id)? */
bool verify_defined(Verify *v, const Stage *s, const Expr *e, uint64_t guarded);
/* The same of all that an access of these factors has. */
bool verify_access(Verify *v, const Stage *s, FactorSet domain);
/* May a load or copy run ahead of its loop? */
bool verify_ahead(Verify *v, const Stage *s);
/* Among Verify.reads or writes from now on. */
void verify_note(Verify *v, const Stage *s, bool write);
const ScopeRow *verify_in_scope(const Verify *v, const Value *x); /* NULL: it is not */
const Factor *verify_first(const Verify *v, FactorSet set);
/* Those of the thread factors that lie in several warps. */
FactorSet verify_across_warps(const Layout *l, FactorSet set);

/* kernel_verify_shared.c. */
bool verify_copy(Verify *v, const Stage *s);
bool verify_share(Verify *v, const Stage *s);
bool verify_read(Verify *v, const Stage *s);
bool verify_bins(Verify *v, const Stage *s);
bool verify_scatter(Verify *v, const Stage *s);
/* Is the tile of each axis a range? Nothing of the block or a loop stands inside its threads and registers. */
bool verify_tile_axes(Verify *v, const Stage *s, const Layout *l, FactorSet domain);
/* Are there whole warps, which bulk copies are sent for, and off, by? */
bool verify_by_warps(Verify *v, const Stage *s);
void verify_add_shared(Verify *v, int64_t bytes);
/* So many tiles, each of whole 16-byte pieces, where the first may begin (lower_shared.c). */
void verify_add_tiles(Verify *v, Type t, int64_t elements, int64_t n);

/* Whether e is a bool expression of dimensions. */
bool verify_is_condition(const Verify *v, const Expr *e);
/* Of a case: it may depend on how the tensors of a call lie, too. */
bool verify_is_choice(const Verify *v, const Expr *e);
/* Names and declarations of a program. One kernel by itself: v->k, whose accesses are then in v->reads and writes. */
bool verify_header(Verify *v);
bool verify_kernel(Verify *v);

/* Is every element that the stage writes written once? */
bool verify_store_once(Verify *v, const Stage *s);
/* Do the writes of a kernel touch different elements, and its reads none that another thread writes? */
bool verify_conflicts(Verify *v);
/* If the tensors `out` and `in` were one, would each thread of the kernel read only its own elements, before it writes
 * them? */
bool verify_in_place(const Verify *v, const Tensor *out, const Tensor *in);
/* Copies and bulk stores: the rows of the tile are contiguous. */
bool verify_rows(Verify *v, const Stage *s);

#endif
