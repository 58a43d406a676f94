/* What the files of the lowering share. Nothing outside backend_cuda/lower*.c includes this. */
#ifndef TDC_LOWER_INTERNAL_H
#define TDC_LOWER_INTERNAL_H

#include "lower.h"
#include "ir/expr_map.h"

/* A piece of shared memory with one purpose, and what has happened to it since the block's last barrier. */
typedef struct Region {
    int offset, bytes;
    bool written, read;
} Region;

/* A run-time condition of the variants that make wide accesses: `dims` (an integer expression over dimensions) is a
 * multiple of `mod`, or the tensor's address is (dims NULL), or two tensors' addresses agree modulo it. The variants
 * are numbers, A in the emitted text: 0 has no wide accesses; 1 has, and all conditions hold; 2 has, but an axis or a
 * row may end inside of a vector. */
typedef struct AlignCond {
    const Expr *dims;
    Tensor *tensor, *other;
    int64_t mod;
    bool whole; /* of variant 1 alone */
} AlignCond;

/* A shared tile: its coordinates are those of `axes` inside the block, the last one contiguous. */
typedef struct SharedTile {
    Value *value;
    int region;
    int naxes;
    Axis *axes[MAX_RANK];
    int64_t extent[MAX_RANK], stride[MAX_RANK]; /* elements */
    int64_t elements;
    int64_t swizzle; /* elements of a 16-byte column that rows exchange; 0: none */
    /* copies */
    Stage *copy, *last_read;
    int barriers; /* region of the mbarriers */
    bool waited;
    bool barrier; /* one of the block comes between the last read of a slot and the next fill of it */
} SharedTile;

/* How the register factors of a tile are walked: V neighbouring elements at a time, made of `part[i]` steps of factor
 * f[i] (the first is the fastest), inside loops over the rest. */
typedef struct VecPlan {
    int64_t V;
    int nv;
    Factor *f[8];
    int64_t part[8];
    int nouter;
    Factor *outer[MAX_FACTORS];
    int64_t step[MAX_FACTORS];
} VecPlan;

typedef enum Tail { TAIL_NONE, TAIL_WHOLE, TAIL_PART } Tail;

typedef struct Access {
    Tensor *tensor;
    const Layout *layout;
    Poly offset; /* elements, every digit spelled out */
    VecPlan plan;
    bool narrow; /* no condition needed: accesses are of single elements */
    Tail tail;
    Axis *vaxis;     /* the axis whose tail cuts vectors */
    int64_t vscale;  /* elements of the access a step of that axis */
    Sym guard;       /* scalar predicate, or NULL */
    const Expr *row; /* not NULL: `offset` is rest + first, and what is accessed is rest + first % row (lower_rows.c) */
    Poly first, step;    /* step not 0: what is accessed is rest + step * (first / row) */
    const char *variant; /* the text that says which: A, or a number */
} Access;

typedef struct NameRow {
    const void *object;
    Sym name;
} NameRow;

typedef struct DeclaredAxis {
    const Axis *axis;
    const Layout *layout;
} DeclaredAxis;

enum { MAX_LOOPS = 16 };

typedef struct Lower {
    Ctx *ctx;
    Program *p;
    Graph *g;
    Kernel *k;
    Part *part;
    const LowerOptions *o;
    const ExprMap *tensor_at; /* Tensor -> its place in the entry's array, plus 1 */
    Text body;
    int indent;
    bool failed;
    Text *why;

    PolyEnv env;
    ExprMap polys;        /* env.made */
    ExprMap uppers;       /* Expr -> the bound of an atom of the part (lower_index.c) */
    ExprMap lasts;        /* Factor -> its count less 1 */
    ExprMap dim_texts[2]; /* Expr -> what dim_text has answered, for the device and for the host */
    VEC(AlignCond) conds;
    bool wide; /* some access is wide under conds: there are two variants */
    VEC(Region) regions;
    VEC(SharedTile) tiles;
    int shared_bytes;
    bool follows, leads; /* in some place that runs it a kernel comes before it, or after it */
    bool uses_cluster, bulk_stores;
    bool dry; /* walking a loop only for its barriers: nothing is printed, nothing allocated twice */
    int dry_regions;

    Stage *loops[MAX_LOOPS];
    int nloops;
    const Layout *layout; /* of the stage being lowered */
    int unique;

    VEC(NameRow) names;
    VEC(Tensor *) tensors; /* used, in order of first use */
    VEC(Dim *) dims;       /* that the launcher needs, and those that the kernel's own text has */
    VEC(Dim *) own_dims;
    VEC(Poly) fits; /* of dimensions: while each is below 2^31 no index overflows 32 bits */
    bool always64;  /* no such expression tells */
    VEC(Scalar *) scalars;
    VEC(struct StageRegion) stage_regions;
    VEC(Stage *) fetches; /* pairs: a load that runs ahead, and as it fills its registers of the next iteration */
    VEC(Sym) randoms;     /* variables that keep the last words of a seed and stream */
    VEC(Sym) turns;       /* double-buffer switches that the outermost loop declares */
    VEC(DeclaredAxis) declared;
    const char *args[2 * MAX_PARTS]; /* texts of OP_ARG while a combine is printed */
} Lower;

typedef struct StageRegion {
    const Stage *stage;
    int which, region;
} StageRegion;

/* ---- lower_names.c ---- */
const char *c_type(Type t); /* of values in expressions: float, double, int, int64_t, uint32_t, bool */
void put(Lower *l, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* an indented line */
Sym fmt(Lower *l, const char *f, ...) __attribute__((format(printf, 2, 3)));
void fail(Lower *l, const char *f, ...) __attribute__((format(printf, 2, 3)));
Sym name_of(Lower *l, const void *object, const char *wanted); /* a C name that nothing else in the kernel has */
/* The C variable that holds the axis's index with all registers at 0. */
Sym axis_name(Lower *l, const Axis *a, const Layout *layout);
Sym factor_text(Lower *l, const Factor *f); /* the digit */
Sym value_name(Lower *l, const Value *v);
/* The name of a tensor, dimension or scalar as a C identifier. */
Sym param_name(Lower *l, Sym name);
Sym tensor_text(Lower *l, Tensor *t);
bool value_packed(const Value *v); /* lives in an array of words: td_get and td_put */
FactorSet reg_factors(const Lower *l, FactorSet s);
FactorSet thread_factors(const Lower *l, FactorSet s);
int64_t reg_count(const Lower *l, FactorSet s); /* elements that a thread has */
/* Register factors of a layout among `s`, outer to inner; how many. `f` holds MAX_FACTORS. */
int list_reg_factors(const Lower *l, const Layout *layout, FactorSet s, Factor **f);
/* Register factors of a value in the order of its array, outer to inner; their strides in it. */
int value_order(const Lower *l, const Value *v, Factor **f, int64_t *stride);
Sym value_index(Lower *l, const Value *v); /* the array index at the current digits of the enclosing register loops */
/* Opens unrolled loops over register factors (outer to inner); the next line is their body. Returns how many. */
int open_reg_loops(Lower *l, Factor *const *f, int n);
void close_reg_loops(Lower *l, int n);

/* ---- lower_expr.c ---- */
Sym dim_text(Lower *l, const Expr *e, bool host); /* an integer expression over dimensions */
Sym expr_text(Lower *l, const Expr *e, const Layout *layout);
Sym poly_text(Lower *l, Poly p, bool wide); /* of type I, or 64-bit where `wide` and not proved to fit 32 bits */

/* ---- lower_index.c ----
 * Indices have type I in emitted text: int, or int64_t in a second instance of the kernel, which the launcher takes
 * where some index might not fit 32 bits. */
/* |p| and the products in it have to fit I: notes what that asks of the dimensions. */
void index_fits(Lower *l, Poly p);
/* Whether |p| is below 2^31 whatever the dimensions are. */
bool index_small(Lower *l, Poly p);
bool index_dispatched(const Lower *l); /* both instances are there */
Sym index_condition(Lower *l);         /* host text: indices fit int */
/* The kernel's body with I as what it is where there is one instance only. */
Sym index_settle(Lower *l, const char *body);

/* ---- lower_vector.c, lower_access.c ---- */
/* The index of an axis, all digits spelled out. */
const Expr *axis_index(Lower *l, const Layout *layout, const Axis *a);
/* Is every index that the axis's factors make inside its bounds? Otherwise accesses and folds along it need a
 * predicate. */
bool axis_exact(Lower *l, const Layout *layout, const Axis *a);
/* The predicate of the axes for which `have` holds every factor, at the current digits; NULL: none needed. */
Sym axis_predicate(Lower *l, const Layout *layout, FactorSet have);
/* Register factors of `may` whose coefficients in an offset continue each other from 1, up to vmax elements. With
 * tails, at most one of their axes has a tail. */
void plan_vectors(Lower *l, Poly offset, const Layout *layout, FactorSet domain, FactorSet may, int64_t vmax,
                  bool tails, VecPlan *plan);
void plan_halve(VecPlan *plan);
void open_plan_loops(Lower *l, const VecPlan *plan);
void close_plan_loops(Lower *l, const VecPlan *plan);
/* p with the digits that the plan's loops do not have at 0: they are the elements of the vector. */
Poly drop_vector(Lower *l, Poly p, const VecPlan *plan);
/* Where the plan's vectors start: their digits are 0, and one of which a vector has a part counts such parts. */
Poly vector_starts(Lower *l, Poly p, const VecPlan *plan);
bool poly_dims_only(Poly p);
/* Is every term a multiple of V? Conditions on dimensions are collected when `commit`. */
bool aligned_terms(Lower *l, Poly p, int64_t V, bool commit);
/* Does the vector land in neighbouring elements of the value's array, in whole words? */
bool vector_in_order(Lower *l, const Value *v, const VecPlan *plan);
Sym index_outside(Lower *l, const Value *v, const VecPlan *plan, int64_t divide);
void scatter_elements(Lower *l, const Value *v, const VecPlan *plan, const char *words);
Sym vector_words(Lower *l, const VecPlan *plan, const Expr *e, Type t, const Layout *layout);
void declare_tile(Lower *l, const Value *v);
const Layout *stage_layout(const Lower *l, const Stage *s);
/* Sums of an axis's digits become the variable that holds its index at register digits 0. */
Poly regroup(Lower *l, const Layout *layout, Poly p);
/* What is the same for all registers of a thread, and what is not. */
void split_regs(Lower *l, const Layout *layout, Poly p, Poly *fixed, Poly *varying);
Poly flat_offset(Lower *l, const Layout *layout, Tensor *t, const Expr *const *subs);
/* The first access to t along axis a. */
Stage *find_access(Lower *l, Stage *const *s, int n, const Tensor *t, const Axis *a);
/* The axis's innermost vectors lie on one side of its bound in the wide variant. */
bool axis_whole_vectors(Lower *l, const Layout *layout, const Axis *a);
/* The test that a whole vector, the axis's innermost factor, is inside. */
Sym axis_vector_inside(Lower *l, const Layout *layout, const Axis *a, Factor *vec);
/* Chooses the vectors of a global access to `domain`, of which `may` take part; collects the conditions of the wide
 * variant. */
void access_vectors(Lower *l, Access *x, FactorSet domain, FactorSet may);
/* Makes a load along an axis that is several axes of tensors made one, of a tensor that lacks the outer ones, one of
 * vectors in its rows. Does nothing where it is no such load, or nothing is gained. */
void access_rows(Lower *l, Access *x, FactorSet domain, FactorSet may);
/* Asks for a condition of the wide variants, unless another implies it. */
void add_cond(Lower *l, AlignCond c);
/* Then its predicates; replicated factors act where they are 0. */
void access_tails(Lower *l, Access *x, FactorSet domain, const Expr *cond, FactorSet replicated);
/* Declares the pointer that all registers share; the address at the current digits. */
Sym pointer_text(Lower *l, Access *x, const Stage *s, bool is_const, bool declare);
/* Elements of the vector before its axis's upper (lower) bound. */
Sym remaining_text(Lower *l, const Access *x, bool low);
void lower_load(Lower *l, Stage *s);
void lower_load_into(Lower *l, Stage *s); /* the tile is declared already */
void lower_store(Lower *l, Stage *s);
void lower_atomic(Lower *l, Stage *s);

/* ---- lower_shared.c ---- */
void lower_share(Lower *l, Stage *s);
void lower_read(Lower *l, Stage *s);

/* The tile that holds a value; NULL: none yet. */
SharedTile *tile_of(Lower *l, const Value *v);
/* A tile for the block's part of the domain, `copies` times, rows longer by `pad` elements. */
SharedTile *tile_new(Lower *l, Value *v, const Layout *layout, FactorSet domain, int64_t pad, int copies);
/* Where a thread's element lies, in elements from the tile's beginning. */
Poly tile_offset(Lower *l, const SharedTile *t, const Layout *layout);
/* The widest accesses, up to 16 bytes, that are aligned for every thread. */
void shared_vectors(Lower *l, Poly offset, const Layout *layout, FactorSet domain, Type type, VecPlan *plan);
/* The address of such a vector as text, swizzled where the tile is; base: the tile's name. */
Sym shared_at(Lower *l, const SharedTile *t, const Layout *layout, const VecPlan *plan, Poly offset, Sym base);

/* ---- lower_copy.c ---- */
/* Before a loop: barriers and the first copies. At the top of an iteration: the copy that runs ahead. The texts are the
 * loop's variable, first value, bound and step. */
void lower_copy_setup(Lower *l, Stage *loop, Sym var, Sym start, Sym bound, Sym step);
void lower_copy_advance(Lower *l, Stage *loop, Sym var, Sym bound, Sym step);
void lower_copy_release(Lower *l, Stage *loop); /* at its end */
void lower_bulk_store(Lower *l, Stage *s);

/* ---- lower_reduce.c ---- */
void lower_reduce(Lower *l, Stage *s);
bool reduce_has_barrier(Lower *l, const Stage *s); /* of the block, each time */
/* into = combine(left, right), where `guard` holds (NULL: always). Every part is computed before any is assigned. */
void put_combine(Lower *l, const Monoid *m, const Sym *left, const Sym *right, const Sym *into, Sym guard);
Sym identity(Lower *l, const Monoid *m, int i);
/* An element of a value that a fold makes: its name, with its array index where it has registers. */
Sym element(Lower *l, const Value *v);
void declare_state(Lower *l, const Value *v);
/* The linear number of the digits of `set`, and how many there are. */
Sym digits_text(Lower *l, const Layout *layout, FactorSet set, int64_t *count);
const char *cell_type(Type t); /* of cell_bytes bytes */
/* A value of another lane: kind xor, up, down or idx. */
Sym shuffle_text(Lower *l, const char *kind, Type t, Sym v, Sym where);
/* for-loops over register factors in index order, or against it. */
int open_ordered(Lower *l, Factor *const *f, int n, bool reverse);
void close_ordered(Lower *l, int n);

/* ---- lower_scan.c ---- */
void lower_scan(Lower *l, Stage *s);

/* ---- lower_exchange.c ---- */
/* The mbarriers of folds across the cluster; before the cluster's blocks meet for the first time. */
void lower_cluster_setup(Lower *l, Stage *const *s, int n);

/* ---- lower_kernel.c ---- */
/* The same one again for the same stage and purpose. */
int region_new(Lower *l, const Stage *s, int which, int64_t bytes);
void region_write(Lower *l, int region); /* prints a barrier first where one is needed */
void region_read(Lower *l, int region);
void block_sync(Lower *l);
bool in_loop(const Lower *l);
FactorSet ambient(const Lower *l, const Layout *layout); /* block factors, and those of the enclosing loops */
void lower_stages(Lower *l, Stage *const *s, int n);
void lower_part(Lower *l, Part *part);
void need_turn(Lower *l, Sym name);
/* Takes away the digits and indices declared since `mark` that nothing after it reads. */
void prune_unused(Lower *l, size_t mark);
/* The axis's index at register and thread digits 0: what the whole block shares. For an axis with a serial factor,
 * inside its loop. */
Sym axis_base(Lower *l, const Axis *a);
void loop_digit(Lower *l, const Stage *loop, Sym var, Sym start, Sym step);
Factor *serial_factor(const Lower *l, const Axis *a);
/* Declares the C variables of axes whose parts are all known here; of those a fill needs only what tells where rows
 * begin. */
void axis_declare(Lower *l, bool fill);

/* ---- lower_trim.c ---- */
/* Declares, before a loop from `start` to `bound` by `step`, the ends between which its iterations do anything; false
 * where they are not known to be fewer. */
bool lower_trim(Lower *l, const Stage *loop, Sym start, Sym bound, Sym step, Sym *first, Sym *end);

/* ---- lower_prelude.c ---- */
void prelude_print(Text *out, const Prelude *x);

#endif
