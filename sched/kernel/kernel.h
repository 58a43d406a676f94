/* Kernel: the one form of every kernel, elementwise to attention (README.md).
 *
 * A kernel has axes. A layout writes every axis as a product of factors, outer to inner, each bound to the machine.
 * The index of an axis is lo + sum of factor index * factor stride, a factor's stride being the product of the sizes of
 * the factors inside it. A value is a tile: a function of the factors in its domain, replicated over all others.
 * Stages run in order, inside a tree of serial loops. No stage knows which operator it came from. */
#ifndef TDC_KERNEL_H
#define TDC_KERNEL_H

#include "ir/assumed.h"
#include "ir/expr_map.h"
#include "ir/graph.h"
#include "ir/monoid.h"
#include "ir/poly/poly.h"
#include "sched/machine/target.h"
#include "step.h"

typedef enum Bind {
#define BIND(e, text, scope) BIND_##e,
#include "binds.def"
#undef BIND
    BIND_COUNT
} Bind;
typedef enum BindScope { SCOPE_BLOCK, SCOPE_LOOP, SCOPE_THREAD, SCOPE_REG } BindScope;

typedef enum StageKind {
#define STAGE(e, text) STAGE_##e,
#include "stages.def"
#undef STAGE
    STAGE_COUNT
} StageKind;

enum { MAX_FACTORS = 64, MAX_SHARED = TARGET_MOST_SHARED /* bytes of a block */ };
typedef uint64_t FactorSet; /* bit f is the factor with id f of the part */

typedef struct Axis Axis;
typedef struct Layout Layout;
typedef struct Value Value;
typedef struct Stage Stage;

typedef struct Factor {
    int id; /* its bit in a FactorSet */
    Axis *axis;
    Bind bind;
    /* 0: as many as the extent needs, ceil(extent / the other factors); grid and serial only, one an axis. */
    int64_t size;
    /* Filled in by kernel_finish: */
    const Expr *count;  /* the size as an expression of dimensions (a constant where size != 0) */
    const Expr *stride; /* in elements of the axis */
    const Expr *node;   /* expr_factor's */
    int tid_stride;     /* thread factors: the weight of this digit in the thread's number in the block */
} Factor;

/* lo <= index < hi. hi may read outer axes and block-uniform values; then the axis has a serial factor outermost. */
struct Axis {
    Sym name;
    Var *var; /* what expressions use */
    const Expr *lo, *hi;
    /* Not NULL: the axis starts some elements early, so that accesses along it are aligned as this tensor's rows are;
     * elements below lo are masked as those past hi are. */
    Tensor *peel;
    /* Not 0: the share of it that a block has, by its grid factor, is a multiple of so many elements, whatever the
     * factors inside: kernels that agree in this and in the number of shares agree in the shares. */
    int64_t shares;
    /* Filled in: the factors that decide where the axis starts and ends: those of its bounds and, with a peel, of the
     * tensor's other subscripts. */
    FactorSet row;
    int id;
};

/* The factors of every axis, axis after axis in the order of Part.axes, outer to inner. Block and loop factors are the
 * same objects in every layout of a part. The first layout is the default. */
struct Layout {
    Sym name;
    VEC(Factor *) factors;
    FactorSet all;
    int id;
};

typedef enum ValueKind { VALUE_REG, VALUE_VAR, VALUE_SHARED } ValueKind;

struct Value {
    Sym name;
    ValueKind kind;
    Type type;      /* storage: 16- and 8-bit types are packed in registers */
    Layout *layout; /* registers; NULL where the domain has only block and loop factors */
    FactorSet domain;
    Stage *def;
    const Expr *node; /* expr_value's: the type is settled before it is asked for */
    int id;
};

typedef enum Path { PATH_DIRECT, PATH_ASYNC, PATH_BULK } Path;
typedef enum CacheHint { CACHE_DEFAULT, CACHE_STREAM, CACHE_KEEP } CacheHint;

struct Stage {
    StageKind kind;
    int nout;
    /* In which it is evaluated. NULL: filled in, that of its results, else the first that has its operands. */
    Layout *layout;
    Value *out[MAX_PARTS];       /* LOAD COPY SHARE READ BINS MAP VAR REDUCE SCAN define these; SET assigns to out[0] */
    Tensor *tensor;              /* LOAD COPY STORE ATOMIC */
    const Expr **subs;           /* rank of them: axes' variables, dims, values, factors */
    const Expr *expr[MAX_PARTS]; /* MAP VAR SET SHARE BINS STORE ATOMIC: [0]; REDUCE SCAN: the monoid's operands;
                                  * SCATTER: the value, and the index along the axis of the bins */
    const Expr *cond;            /* LOAD SCATTER STORE ATOMIC IF REDUCE SCAN: only where true (NULL: everywhere) */
    const Expr *other;           /* LOAD: the value where cond is false (NULL: 0) */
    Value *source;               /* READ: a shared value; SCATTER: bins */
    Path path;                   /* COPY: async or bulk. STORE: direct or bulk (through shared memory) */
    CacheHint cache;             /* LOAD STORE */
    bool meet;                   /* STORE: all threads of the block come before one of them stores */
    int depth;                   /* COPY: stages in flight (>= 1). LOAD: iterations ahead, fetched into registers */
    bool held;                   /* COPY: each iteration has a slot for good, which loops behind this one read */
    int pad;                     /* SHARE: elements added to each row of the tile against bank conflicts */
    bool swizzle;                /* SHARE: 16-byte columns exchanged by row instead of padding */
    bool packed;                 /* LOAD READ: 16- and 8-bit elements stay so between uses, for fewer registers */
    bool exclusive, reverse;     /* SCAN: element i sees those before (after) it; inclusive unless exclusive */
    const Monoid *monoid;        /* REDUCE SCAN ATOMIC SCATTER */
    FactorSet over;              /* REDUCE: factors folded. LAST: grid factors over which the last arrival is found */
    Axis *axis;                  /* SCAN FOR BINS */
    Value *const *carry;         /* SCAN: state of earlier iterations, folded in and updated: MAX_PARTS, NULL: none */
    Tensor *counter;             /* LAST: i32 temporary, zeroed before the run; left zero */
    VEC(Stage *) body;           /* FOR IF LAST */
    Span span;
};

/* A range of a kernel's blocks with a tile program of its own. Most kernels have one. */
typedef struct Part {
    Sym name;
    VEC(Axis *) axes;
    VEC(Layout *) layouts;
    VEC(Factor *) factors; /* by id */
    VEC(Value *) values;
    VEC(Stage *) body;
    const Expr *blocks; /* filled in: product of the grid and cluster factors */
    /* Of what was scheduled here, where somebody asks for it (SchedOptions.keep); else NULL: */
    const struct Group *group;
    const struct Schedule *schedule;
} Part;

typedef struct Kernel {
    Sym name;
    VEC(Part *) parts;
    int threads;                   /* filled in: the same for all parts and layouts */
    int cluster;                   /* filled in: blocks of a cluster, 1 without */
    int blocks_per_sm;             /* launch bound; 0: none stated */
    int argument_bytes;            /* of several parts: at most, of a launch, without constants; 0: not known */
    int64_t shared_bytes;          /* filled in by program_verify: of shared memory, about, that a block takes */
    VEC(const Expr *) where;       /* conditions on dimensions under which the kernel is legal */
    const struct Product *product; /* a library runs this, the kernel only what it refuses; NULL: nothing (product.h) */
    Sym no_product;                /* why a library does not run the sum of products that is there; or NULL */
    Sym rounding;                  /* the let whose rounding keeps this out of the product that it reads; or NULL */
    Sym comment;                   /* the equation, printed above the kernel */
    Span span;
    /* Filled in by program_find_ways (step.h): */
    bool reached;        /* some way runs it */
    bool follows, leads; /* at one of the places that run its text a kernel comes before, or after, in the entry */
    /* Filled in by program_same (same.h): */
    struct KernelForm *form; /* its tensors, dimensions and scalars in the order of its form; NULL: not known */
    struct Kernel *same;     /* an earlier one of the compilation whose text runs here too; NULL: its own does */
    struct Kernel *here;     /* the first of its form in its program; NULL: it is that itself */
    bool shared;             /* several places run its text, which takes arguments in the order of the form */
    int places;              /* how many run its own text */
    Sym symbol;              /* kernel_symbol */
} Kernel;

/* What one entry point does: its steps, in order. Tensors and scalars are those of `graph`: its inputs, outputs, and
 * TENSOR_LET ones for temporaries in the workspace. */
typedef struct Program {
    Ctx *ctx;
    Graph *graph;
    VEC(Tensor *) params; /* inputs, inouts and outputs, in the order of the C interface */
    VEC(Tensor *) temps;
    VEC(Tensor *) zeroed; /* temporaries that are cleared before the first kernel */
    StepList steps;
    VEC(Kernel *) kernels; /* of all steps, whichever case they stand in, in the order of the text */
    VEC(SortStep *) sorts; /* the same of sorts */
    VEC(Way) ways;         /* filled in by program_find_ways: at least one */
    ExprMap kernel_names;  /* of those that were scheduled here: Sym -> the last number after it, plus 1 */
    int next_id;
    const struct Reasons *reasons; /* why tensors have kernels of their own; NULL: nobody asked (explain.h) */
    VEC(InPlace) in_place;         /* filled in by program_verify: what holds on every way */
    /* Of a compilation that tests assumptions: the program that tests this entry's, or NULL, and what each of its
     * outputs tells. */
    struct Program *assumed;
    Assumptions assumptions;
} Program;

/* Whether it stores for special data alone: where what is usually 0 is more (Tensor.usually_zero). */
bool kernel_is_rare(const Kernel *k);

/* ---- tables (kernel.c) ---- */
const char *bind_text(Bind b);
static inline BindScope bind_scope(Bind b) { /* asked for every factor of every candidate */
    static const unsigned char SCOPES[] = {
#define BIND(e, text, scope) SCOPE_##scope,
#include "binds.def"
#undef BIND
    };
    return (BindScope)SCOPES[b];
}
const char *stage_text(StageKind k);

/* ---- exchanges through shared memory (kernel.c) ---- */
enum {
    MAX_FOLDED_BY_ALL = 8, /* partial results that every thread folds; of more, a second exchange tells the result */
    MAX_SHARED_ALIGN = 128 /* bytes */
};
int cell_bytes(Type t); /* what a part of a state travels as between threads: a word or two */
/* A thread factor's digits are lanes of one warp, a power of two of them. */
bool digit_in_warp(int64_t stride, int64_t size);

/* ---- building, and sets of factors (kernel.c) ---- */
Program *program_new(Ctx *ctx, Graph *g);
Kernel *kernel_new(Program *p, Sym name);                  /* the program's next step */
Kernel *kernel_new_at(Program *p, StepList *at, Sym name); /* the next one of a case's steps */
Part *part_new(Program *p, Kernel *k, Sym name);
Axis *part_axis(Program *p, Part *part, Sym name, const Expr *lo, const Expr *hi);
Layout *part_layout(Program *p, Part *part, Sym name);
/* Appends a factor (outer to inner, axes in order). Block and loop factors that an earlier layout already has are
 * shared. */
Factor *layout_factor(Program *p, Part *part, Layout *l, Axis *a, Bind bind, int64_t size);
Value *part_value(Program *p, Part *part, Sym name, ValueKind kind, Type t, Layout *l, FactorSet domain);
Stage *stage_new(Program *p, StageKind kind);
void stage_carry(Program *p, Stage *s, Value *const *state); /* one for each part of the scan's monoid */
/* Numbers values in the order in which stages define them, as those of a text are; what no stage defines goes. Factors
 * stay. */
void part_order_values(Program *p, Part *part);
const Expr *expr_value(Program *p, Value *v);   /* its type is the value's; arithmetic casts from 16 and 8 bits */
const Expr *expr_factor(Program *p, Factor *f); /* i64 */
/* The factors of an axis that form a tile inside a block: threads and registers. */
FactorSet layout_tile_factors(const Layout *l, const Axis *a);
/* Factors of the kernel on which an expression of values, axes and factors depends, under a layout. */
FactorSet expr_domain(const Part *part, const Layout *l, const Expr *e);
/* The factor sets of an axis in a layout; of a scope. */
FactorSet layout_axis_factors(const Layout *l, const Axis *a);
FactorSet layout_scope_factors(const Layout *l, BindScope scope);
/* The axis whose end e asks for, `n < hi`: true of each of its elements; NULL: e asks for something else. */
const Axis *part_asks_end(const Part *part, const Expr *e);
/* What a block has of bins: elements along their axis (the product of its factors inside the block, which are stated: 0
 * where one is not), and rows of so many, one for each of the threads and registers in the domain. */
int64_t stage_bins_length(const Stage *bins);
int64_t stage_bins_rows(const Stage *bins);
/* Whether threads do not meet at a stage, so that some may take another way than others. */
bool stage_is_apart(const Layout *l, const Stage *s);
/* Tiles of shared memory that a copy has: those in flight, or one for each iteration of its loop where it is held (1
 * where that loop's factor has no size, which the verifier refuses). */
int stage_slots(const Part *part, const Stage *copy);
/* Whether so many threads lie along an axis beside registers that each, where they do not meet, tests for itself
 * whether what it has lies inside: of a row of 96 elements all of 24 threads do, but not the 32 of a warp. A few
 * threads test that of all of them, which the compiler knows to be the same for a block. */
bool layout_by_threads(const Layout *l);

/* ---- what follows from what is stated (kernel_finish.c) ---- */
/* Call once all layouts of a part are there and before its values: a factor of a later layout that equals one of an
 * earlier (axis, binding, size, stride, digit) becomes the same object, so that values on such factors serve in both
 * layouts. */
bool part_share_factors(Program *p, Kernel *k, Part *part, Text *why);
/* Elements by which an axis with a peel may start early (one less than those in 16 bytes); 0 without. */
int64_t axis_slack(const Axis *a);
/* The first access among stages, and in these, by whose rows a peeled axis is aligned; NULL: none. */
const Stage *axis_peel_access(const Axis *a, Stage *const *at, int n);
/* The factors on which any operand of a stage depends under a layout; the layout that a stage has where none is
 * stated. */
FactorSet stage_operands(const Part *part, const Layout *l, const Stage *s);
Layout *stage_default_layout(const Part *part, const Stage *s);
/* Derives the layout of one stage and the domains of its results from its operands, as kernel_finish does for all. */
void stage_finish(const Part *part, Stage *s);
/* Derives strides, counts, thread digits, block counts and domains. Called by the reader and after building. False
 * after reporting in *why. */
bool kernel_finish(Program *p, Kernel *k, Text *why);

/* ---- text (kernel_print.c, kernel_read.c), verifier (kernel_verify_program.c) ---- */
void program_print(Text *out, const Program *p);
Program *program_read(Ctx *ctx, const char *text, size_t n, int file);
/* Decides on the text alone whether every schedule rule holds; *why says the first one broken. */
bool program_verify(Program *p, Text *why);
/* The same of one of its kernels by itself, whose shared_bytes become known. */
bool kernel_verify(Program *p, Kernel *k, Text *why);

#endif
