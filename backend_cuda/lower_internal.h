/* What the files of the lowering share. Nothing outside backend_cuda/lower*.c includes this. */
#ifndef TDC_LOWER_INTERNAL_H
#define TDC_LOWER_INTERNAL_H

#include "lower.h"

/* A piece of shared memory with one purpose, and what has happened to it since the block's last barrier. */
typedef struct Region {
    int offset, bytes;
    bool written, read;
} Region;

/* A run-time condition of the variant that makes wide accesses: `dims` (an integer expression over dimensions) is a multiple of
 * `mod`, or the tensor's address is (dims NULL), or two tensors' addresses agree modulo it. */
typedef struct AlignCond {
    const Expr *dims;
    Tensor *tensor, *other;
    int64_t mod;
} AlignCond;

/* A shared tile: its coordinates are those of `axes` inside the block, the last one contiguous. */
typedef struct SharedTile {
    Value *value;
    int region;
    int naxes;
    Axis *axes[MAX_RANK];
    int64_t extent[MAX_RANK], stride[MAX_RANK]; /* elements */
    int64_t elements;
    /* copies */
    Stage *copy, *last_read;
    int barriers; /* region of the mbarriers */
    bool waited;
} SharedTile;

typedef struct NameRow {
    const void *object;
    Sym name;
} NameRow;

enum { MAX_LOOPS = 16 };

typedef struct Lower {
    Ctx *ctx;
    Program *p;
    Graph *g;
    Kernel *k;
    Part *part;
    const LowerOptions *o;
    Text body;
    int indent;
    bool failed;
    Text *why;

    PolyEnv env;
    VEC(AlignCond) conds;
    bool wide; /* some access is wide under conds: there are two variants */
    VEC(Region) regions;
    VEC(SharedTile) tiles;
    int shared_bytes;
    bool uses_cluster;
    bool dry; /* walking a loop only for its barriers: nothing is printed, nothing allocated twice */
    int dry_regions;

    Stage *loops[MAX_LOOPS];
    int nloops;
    const Layout *layout; /* of the stage being lowered */
    int unique;

    VEC(NameRow) names;
    VEC(Tensor *) tensors; /* used, in order of first use */
    VEC(Dim *) dims;
    VEC(Scalar *) scalars;
    VEC(struct StageRegion) stage_regions;
    const char *args[2 * MAX_PARTS]; /* texts of OP_ARG while a combine is printed */
} Lower;

typedef struct StageRegion {
    const Stage *stage;
    int which, region;
} StageRegion;

/* ---- lower_expr.c ---- */
const char *c_type(Type t);       /* of values in expressions: float, double, int, int64_t, uint32_t, bool */
void put(Lower *l, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* an indented line */
Sym fmt(Lower *l, const char *f, ...) __attribute__((format(printf, 2, 3)));
void fail(Lower *l, const char *f, ...) __attribute__((format(printf, 2, 3)));
Sym name_of(Lower *l, const void *object, const char *wanted); /* a C name that nothing else in the kernel has */
Sym axis_name(Lower *l, const Axis *a, const Layout *layout);  /* the C variable that holds the axis's index with all registers at 0 */
Sym factor_text(Lower *l, const Factor *f);                    /* the digit */
Sym value_name(Lower *l, const Value *v);
bool value_packed(const Value *v);        /* lives in words: td_get and td_put */
bool value_is_array(const Value *v);
FactorSet reg_factors(const Lower *l, FactorSet s);
FactorSet thread_factors(const Lower *l, FactorSet s);
int64_t reg_count(const Lower *l, FactorSet s);
/* Register factors of a value in the order of its array, outer to inner; their strides in it. */
int value_order(const Lower *l, const Value *v, Factor **f, int64_t *stride);
Sym value_index(Lower *l, const Value *v); /* the array index at the current digits of the enclosing register loops */
Sym expr_text(Lower *l, const Expr *e, const Layout *layout);
Sym poly_text(Lower *l, Poly p, bool wide); /* wide: 64-bit */
Sym const_text(Lower *l, Type t, int64_t i, double f);
Sym dim_text(Lower *l, const Expr *e, bool host); /* an integer expression over dimensions */
Sym tensor_text(Lower *l, Tensor *t);
/* Opens unrolled loops over register factors (outer to inner); the next line is their body. Returns how many. */
int open_reg_loops(Lower *l, Factor *const *f, int n);
void close_reg_loops(Lower *l, int n);
int list_reg_factors(const Lower *l, const Layout *layout, FactorSet s, Factor **f);

/* ---- lower_access.c ---- */
/* The index of an axis, all digits spelled out. */
const Expr *axis_index(Lower *l, const Layout *layout, const Axis *a);
/* Is every index that the axis's factors make inside its bounds? Otherwise accesses and folds along it need a predicate. */
bool axis_exact(Lower *l, const Layout *layout, const Axis *a);
/* The predicate of the axes for which `have` holds every factor, at the current digits; NULL: none needed. */
Sym axis_predicate(Lower *l, const Layout *layout, FactorSet have);
void lower_load(Lower *l, Stage *s);
void lower_store(Lower *l, Stage *s);
void lower_share(Lower *l, Stage *s);
void lower_read(Lower *l, Stage *s);
void lower_copy_setup(Lower *l, Stage *loop);   /* before a loop: barriers and the first copies */
void lower_copy_advance(Lower *l, Stage *loop); /* at the top of an iteration */
void lower_copy_release(Lower *l, Stage *loop); /* at its end */
void lower_atomic(Lower *l, Stage *s);

/* ---- lower_reduce.c ---- */
void lower_reduce(Lower *l, Stage *s);
void lower_scan(Lower *l, Stage *s);

/* ---- lower_kernel.c ---- */
int region_new(Lower *l, const Stage *s, int which, int64_t bytes); /* the same one again for the same stage and purpose */
void region_write(Lower *l, int region); /* prints a barrier first where one is needed */
void region_read(Lower *l, int region);
void block_sync(Lower *l);
bool in_loop(const Lower *l);
FactorSet ambient(const Lower *l, const Layout *layout); /* block factors, and those of the enclosing loops */
void lower_stages(Lower *l, Stage *const *s, int n);

/* ---- lower_prelude.c ---- */
void prelude_print(Text *out, Ctx *ctx, const char *code);

#endif
