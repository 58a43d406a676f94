/* What the files of the lowering share. Nothing outside of backend_cuda/lower includes this. README.md says how a
 * kernel goes through them. */
#ifndef TDC_LOWER_INTERNAL_H
#define TDC_LOWER_INTERNAL_H

#include "ir/expr_walk.h"
#include "lower.h"
#include "lower_form.h"
#include "sched/kernel/uniform.h"

/* A run-time condition of the instance that makes wide accesses alone: `dims` (an integer expression over dimensions)
 * is a multiple of `mod`, or the tensor's address is (dims NULL), or two tensors' addresses agree modulo it. In the
 * emitted text the instance is a number, A: 1, all conditions hold; 0, some may not, and each access looks at its
 * address and at its vector's end. */
typedef struct AlignCond {
    const Expr *dims;
    Tensor *tensor, *other;
    int64_t mod;
    bool whole; /* that no vector is cut: no reason for narrow accesses */
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
    int loops;       /* of bins: how many are open around them */
    /* copies */
    Stage *copy, *last_read;
    int barriers; /* region of the mbarriers */
    bool waited;
    const Stage *waits; /* of what is held: the loop whose iterations wait for it; those behind it need not */
    bool barrier;       /* one of the block comes between the last read of a slot and the next fill of it */
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

/* How a stage reaches global memory. Made of all stages of a part (access_plan) before the first statement is. */
typedef struct Access {
    Tensor *tensor;
    const Layout *layout;
    Poly offset; /* elements, every digit spelled out */
    Poly chosen; /* and beside these numbers that conditions choose (lower_same.c) */
    VecPlan plan;
    FactorSet domain; /* factors of the elements and of the stage's condition */
    FactorSet twins;  /* factors in which threads and blocks repeat the access: those at 0 make it */
    Tail tail;
    Axis *vaxis;      /* the axis whose tail cuts vectors */
    AlignCond whole;  /* of its length: where the wide instance is for that anyway, none is cut; dims NULL: not known */
    int64_t vscale;   /* elements of the access a step of that axis */
    const Expr *row;  /* not NULL: `offset` is rest + first, and what is accessed is rest + first % row, and a jump from
                      * each row to the next (lower_rows.c) */
    Poly first, jump; /* rest + first % row + jump * (first / row) */
    Poly step;        /* not 0: what is accessed is rest + step * (first / row) */
    bool cut;         /* rows end inside of vectors: an access for each element, whatever is compiled */
    bool untested;    /* what makes it does not test addresses */
    bool apart;       /* its rows need not lie as those by which its axis is peeled: it tests its own address */
    bool across;      /* along a peeled axis, and not aligned with it: by the aligned pieces that it lies across */
    const Expr *cond; /* by which it is made, and chooses where, of digits; NULL: everywhere, and by none */
    struct Access *each; /* not NULL: in the instance of wide accesses alone the condition is the same for all elements
                          * of a vector; the others make this access of single elements */
} Access;

typedef struct NameRow {
    const void *object;
    Sym name;
} NameRow;

typedef struct DeclaredAxis {
    const Axis *axis;
    const Layout *layout;
} DeclaredAxis;

/* A piece of shared memory, by the stage that needs it and what for. */
typedef struct Region {
    const Stage *stage;
    int purpose, offset, bytes;
} Region;

typedef struct StageAccess {
    const Stage *stage;
    Access *access;
} StageAccess;

/* A variable that keeps the last words of a random stream, whose seed and number are the same for all threads. */
typedef struct RandomWords {
    const Expr *seed, *stream;
    Sym name;
} RandomWords;

/* What is made once for several uses: the td_divisor of a number that elements are divided by, or a quotient of indices
 * that accesses share. */
typedef struct Made {
    const Expr *of;
    const Layout *layout;
    FactorSet regs; /* for each of whose digits there is one */
    Sym name;
} Made;

/* A divisor of dimensions, which the launcher prepares: arg.td_by_1 is of the first one. */
typedef struct DivMod {
    const Expr *by;
    const Code *host;
} DivMod;

/* What the kernel turns out to need of its launcher, its head and its block. */
typedef struct Needs {
    VEC(AlignCond) conds;
    bool wide;             /* some access is wide under conds: there are two instances */
    VEC(Poly) fits;        /* of dimensions: while each is below 2^31 no index overflows 32 bits */
    bool always64;         /* no such expression tells */
    VEC(Tensor *) tensors; /* used, in order of first use */
    VEC(Dim *) dims;       /* that the launcher needs, and those that the kernel's own text has */
    VEC(Dim *) own_dims;
    VEC(Scalar *) scalars;
    VEC(DivMod) divmods;
    VEC(RandomWords) randoms;
    VEC(Region) regions;
    int shared_bytes;
    bool bulk_stores; /* the part has some */
    const Code
        *filled; /* host code: lengths reach into the last registers; an instance of its own. NULL: there is none */
} Needs;

enum { MAX_LOOPS = 16 };

/* A factor of registers of which an axis reaches some; that it reaches the one at hand, for the whole block alike. */
typedef struct Reached {
    const Factor *factor;
    const Code *test;
} Reached;

/* Whether registers that an axis does not reach are left out by a test of the whole block's. Loads behind such tests
 * wait for one another: a load that is one access behind a test of its own, as all are or those of the wide instance,
 * has no other. */
typedef enum Reach { REACH_TESTED, REACH_NARROW, REACH_NEVER } Reach;

/* Of a loop that is cut short, where what it does ends, inside of its last tile. */
typedef struct LoopEnd {
    const Axis *axis;
    const Code *end;
} LoopEnd;

/* A tile has an element for each sum of these two digits, of results along an axis and of their taps. */
typedef struct Window {
    Factor *along, *tap;
} Window;

enum { MAX_WINDOWS = 3 };

/* Of a tile; `of` NULL: it has none. */
typedef struct Windows {
    const Value *of;
    int n;
    Window at[MAX_WINDOWS];
} Windows;

/* Where the walk over a part's stages stands. */
typedef struct Open {
    Stage *loops[MAX_LOOPS];
    int nloops;
    VEC(LoopEnd) ends;
    const Layout *layout;     /* of the stage being lowered */
    VEC(const Axis *) inside; /* axes of which the tile does not meet the ends here (lower_inside.c) */
    const Code *begins;       /* that a thread begins before their ends: the others are left out; NULL: none are */
    VEC(const Axis *) filled; /* those that reach into the last of their registers */
    VEC(Reached) reached;     /* where they need not */
    Reach reach;              /* of the access at hand */
    const VecPlan *first;     /* of whose vectors the first elements are meant; or NULL */
    bool moved;               /* addresses are made by instructions of their own at each digit */
    FactorSet batch;          /* over which a load is made in batches: loops over them are open */
    Windows windows;          /* of the tile that is loaded */
    bool row_inside;          /* vectors of a peeled row are whole in the tensor, those at the row's ends, too */
    const Axis *row_peel;     /* in a loop over rows of a tile: the axis that each of them peels for itself */
    VEC(DeclaredAxis) declared;
    VEC(Made) made;     /* declared in the lists that are open */
    VEC(Sym) turns;     /* double-buffer switches that the outermost loop declares */
    StmtList slots;     /* what it declares of the slots of copies in loops inside it */
    StmtList *list;     /* where statements go */
    VEC(StmtList *) up; /* the lists around it */
} Open;

/* How a tile that is loaded waits for being put together. */
typedef enum Apart {
    APART_NOT,
    APART_ELEMENTS, /* each has a word, in its low bits, although it is smaller */
    APART_VECTORS,  /* those of a vector lie together, as it was loaded */
    APART_PIECES    /* of each vector the two aligned pieces that it lies across */
} Apart;

typedef struct ApartValue {
    const Value *value;
    Apart how;
} ApartValue;

typedef struct Lower {
    Ctx *ctx;
    Program *p;
    Graph *g;
    Kernel *k;     /* it has one part: a body of its own, */
    Kernel *whole; /* in the text of this, which has others too; or k itself */
    Part *part;
    const LowerOptions *o;
    const ExprMap *tensor_at; /* Tensor -> its place in the entry's array */
    const Factor *settled;    /* of the kernel's threads, as many as its axis needs (settled.h); NULL: all */
    const Factor *lanes;      /* of its warps, of which a row has as many as it needs; NULL: all */
    bool follows, leads;      /* in some place that runs it a kernel comes before it, or after it */
    bool failed;
    Text *why;
    PolyEnv env;
    ExprMap polys;   /* env.made */
    ExprMap uppers;  /* Expr -> the bound of an atom of the part (lower_index.c) */
    ExprMap lasts;   /* Factor -> its count less 1 */
    ExprMap dims[2]; /* Expr -> what dim_code has answered, for the device and for the host */
    VEC(NameRow) names;
    VEC(SharedTile) tiles;
    VEC(StageAccess) accesses;
    VEC(ApartValue) apart;
    VEC(Stage *) fetches; /* pairs: a load that runs ahead, and as it fills its registers of the next iteration */
    const Code *args[2 * MAX_PARTS]; /* of OP_ARG while a combine is lowered */
    ExprMap under;                   /* Expr -> 1: an exponential that may be less exact (under.h) */
    Needs needs;
    Open open;
} Lower;

void lower_fail(Lower *l, const char *f, ...) __attribute__((format(printf, 2, 3)));

/* ---- lower_put.c: statements are appended to the list that is open. Patterns are code()'s. ---- */
void put_do(Lower *l, const char *pattern, ...);
void put_note(Lower *l, const char *note, const char *pattern, ...);
/* TYPE NAME PATTERN; where the pattern is " = %c", "[%l]" or the like. */
void put_declare(Lower *l, const char *type, Sym name, const char *pattern, ...);
/* const int or const I NAME = CODE; which goes where nothing reads it. */
void put_number(Lower *l, const char *type, Sym name, const Code *value);
/* These open a list of their own for what follows, until put_end. */
Stmt *put_if(Lower *l, const Code *cond); /* a block where cond is NULL */
void put_else(Lower *l);
Stmt *put_block(Lower *l);
Stmt *put_loop(Lower *l, bool unroll, const char *pattern, ...);
/* One digit from 0 up, or from its size down, by step. */
Stmt *put_digit_loop(Lower *l, Sym digit, int64_t size, int64_t step, bool reverse);
Stmt *put_lambda(Lower *l, Sym name, Sym parameter);
void put_end(Lower *l);
void put_ends(Lower *l, int n);
/* What follows goes to `list`, which is put somewhere later; and what it goes to again. */
void put_into(Lower *l, StmtList *list);
void put_back(Lower *l);
void put_all(Lower *l, const StmtList *list);
Stmt *put_barrier(Lower *l);
void put_clear(Lower *l); /* what comes next holds a barrier of the block itself */
void put_touch(Lower *l, int region, int needs, int adds, int removes);
void put_write(Lower *l, int region); /* after a barrier where one is needed */
void put_read(Lower *l, int region);
BarrierScope lower_barrier_scope(const Lower *l);

/* ---- lower_names.c ---- */
const char *lower_value_type(Type t); /* of values in expressions: float, double, int32_t, int64_t, uint32_t, bool */
Sym name_of(Lower *l, const void *object, const char *wanted); /* a C name that nothing else in the kernel has */
bool name_made(const Lower *l, const void *object);
/* The C variable that holds the axis's index with all registers at 0. */
Sym lower_lane_bits(Lower *l); /* the variable that says how many bits number a row's lanes (Lower.lanes) */
Sym axis_name(Lower *l, const Axis *a, const Layout *layout);
Sym factor_name(Lower *l, const Factor *f); /* of a digit; "0" for a factor of size 1 */
/* Whether the first element of a vector along the factor is meant, whose digit is 0 (Open.first). */
bool factor_is_first(const Lower *l, const Factor *f);
const Code *factor_code(Lower *l, const Factor *f);
Sym value_name(Lower *l, const Value *v);
/* Another variable that belongs to a value: its name with an ending. */
Sym value_name_with(Lower *l, const Value *v, const char *ending);
/* The name of a tensor, dimension or scalar as a C identifier. */
Sym param_name(Lower *l, Sym name);
const Code *tensor_code(Lower *l, Tensor *t);

/* ---- lower_tile.c: the register tiles behind values ---- */
bool value_packed(const Value *v); /* lives in an array of words: td_get and td_put */
FactorSet reg_factors(const Lower *l, FactorSet s);
FactorSet thread_factors(const Lower *l, FactorSet s);
int64_t reg_count(const Lower *l, FactorSet s); /* elements that a thread has */
const Layout *stage_layout(const Lower *l, const Stage *s);
const Layout *value_layout(const Lower *l, const Value *v);
/* Register factors of a layout among `s`, outer to inner; how many. `f` holds MAX_FACTORS. */
int list_reg_factors(const Layout *layout, FactorSet s, Factor **f);
/* Register factors of a value in the order of its array, outer to inner; their strides in it. */
int value_order(const Value *v, Factor **f, int64_t *stride);
/* The same of a tile that is loaded: the two digits of an open window have one stride. */
int tile_order(const Lower *l, const Value *v, Factor **f, int64_t *stride);
/* Of so many elements of a tile with windows, those that differ. */
int64_t tile_count(const Windows *w, int64_t elements);
/* At digits of open loops: opens what is done for each element of the open windows once; how many put_ends closes. */
int put_once_each(Lower *l);
const Code *value_index(Lower *l, const Value *v); /* the index at the current digits of the enclosing register loops */
/* An element at the current digits: the name, with its array index where it has registers. */
const Code *value_element(Lower *l, const Value *v);
void put_tile(Lower *l, const Value *v); /* declares an array of words */
/* Unrolled loops over register factors, outer to inner, without registers that lie beyond their axis's end
 * (Reached). What they give is how many put_ends closes. The last of several has braces. */
int put_reg_loops(Lower *l, Factor *const *f, int n);
int put_reg_loop(Lower *l, const Factor *f, int64_t step, bool last);
/* Over all registers, with braces each; they may run against the order. Gives n. */
int put_ordered_loops(Lower *l, Factor *const *f, int n, bool reverse);
/* The linear number of the digits of `set`, and how many there are; NULL: there is one. */
const Code *digits_code(Lower *l, const Layout *layout, FactorSet set, int64_t *count);
/* That all digits of `set` are 0; NULL: it has none. */
const Code *digits_zero(Lower *l, const Layout *layout, FactorSet set);

/* ---- lower_expr.c ---- */
const Code *dim_code(Lower *l, const Expr *e, bool host); /* an integer expression over dimensions */
/* What divides by such a number of the range of I: the td_divmod that the launcher makes of it. */
const Code *dim_divmod(Lower *l, const Expr *e);
const Code *expr_code(Lower *l, const Expr *e, const Layout *layout);
/* What the registers, but for the factor `without`, add to an axis's index, with the digit of `first` at 0 in the
 * instance of whole vectors; NULL: there are none. Either factor may be NULL. */
const Code *expr_registers(Lower *l, const Axis *a, const Layout *layout, const Factor *first, const Factor *without);
/* What was made of e, at the current digits; NULL: nothing was. */
const Code *expr_made(Lower *l, const Expr *e, const Layout *layout);
/* A quotient or remainder of index arithmetic. */
const Code *expr_quotient_code(Lower *l, const Expr *e);
const Code *poly_code(Lower *l, Poly p,
                      bool wide); /* of type I, or 64-bit where `wide` and not proved to fit 32 bits */
/* The same in unsigned words of the index's type, in which sums may pass its range on the way. */
const Code *poly_wrapped_code(Lower *l, Poly p);

/* A number as a literal of a float type. */
const Code *expr_number_code(Lower *l, Type t, double f);

/* ---- lower_quotient.c ---- */
/* Declares the quotients of indices in the stage's place that other accesses have, too, before its loops. */
void put_quotients(Lower *l, const Stage *s);

/* ---- lower_divide.c ---- */
/* Declares the divisors of the stage's quotients, before its loops. */
void put_divisors(Lower *l, const Stage *s);
/* Declares what is made of e, one for each digits of the registers: `value`, at the current ones. */
void put_made(Lower *l, const Expr *e, const Layout *layout, FactorSet regs, const char *type, const Code *value);
/* a / b of e, a quotient in f32. */
const Code *divide_code(Lower *l, const Expr *e, const Code *a, const Code *b, const Layout *layout);

/* ---- lower_index.c ----
 * Indices have type I in emitted text: int, or int64_t in a second instance of the kernel, which the launcher takes
 * where some index might not fit 32 bits, or not all accesses are wide. */
/* |p| and the products in it have to fit I: notes what that asks of the dimensions. */
void index_fits(Lower *l, Poly p);
/* Whether some lengths let 32 bits hold it. */
bool index_bounded(Lower *l, Poly p);
/* Whether |p| is below 2^31 whatever the dimensions are. */
bool index_small(Lower *l, Poly p);
bool index_dispatched(const Lower *l); /* both instances are there */
/* What must not be larger than an int holds: bounds of indices, without those that others imply. */
Poly *index_bounds(Lower *l, int *count);
const Code *index_condition(Lower *l);  /* host code: indices fit int */
const char *index_type(const Lower *l); /* what I is where there is one instance only; else I */

/* ---- lower_axis.c ---- */
/* The index of an axis, all digits spelled out. */
const Expr *axis_index(Lower *l, const Layout *layout, const Axis *a);
Poly axis_extent(Lower *l, const Axis *a);
/* Is every index that the axis's factors make inside its bounds? Otherwise accesses and folds along it need a
 * predicate. */
bool axis_exact(Lower *l, const Layout *layout, const Axis *a);
/* What is known where statements are made twice: the tile meets no end of the axis; all its registers but the last are
 * inside. */
bool axis_lies_inside(const Lower *l, const Axis *a);
bool axis_is_filled(const Lower *l, const Axis *a);
Factor *axis_serial(const Lower *l, const Axis *a);
const Axis *axis_of(const Lower *l, const Var *v);            /* whose variable it is; NULL: none's */
FactorSet axis_ambient(const Lower *l, const Layout *layout); /* block factors, and those of the enclosing loops */
bool axis_in_loop(const Lower *l);
/* The variable of an axis's loop. */
Sym axis_loop_name(Lower *l, const Axis *a);
/* lo and the digits of the blocks: where an axis's loop starts. */
Poly axis_start(Lower *l, const Axis *a);
/* The axis's index at register and thread digits 0: what the whole block shares. For an axis with a serial factor,
 * inside its loop. */
const Code *axis_base(Lower *l, const Axis *a);
/* Declares where a peeled axis begins for the one row of a tile that begins at the element `at` of the peel's tensor:
 * axis_base says so until l->open.row_peel is NULL again. */
void axis_peel_row(Lower *l, const Axis *a, const Code *at);
/* In a loop along an axis, whose variable is var: that the row, which ends there, has nothing for any thread of the
 * block from here on. NULL: it starts where the loop does, or threads have several rows. */
const Code *axis_peel_past(Lower *l, const Axis *a, Sym var, const Code *end);
/* Before the stages: that the row has nothing for any thread of this block. NULL: blocks do not share the axis, or
 * threads have several rows. */
const Code *axis_block_past(Lower *l, const Axis *a);
/* Declares the C variables of axes whose parts are all known here; of those a fill needs only what tells where rows
 * begin. */
void axis_declare(Lower *l, bool fill);
/* Declares the digits of blocks and threads. */
void axis_declare_digits(Lower *l);
/* Declares the number of a loop's iteration from its variable, for code that runs ahead of the loop. */
void axis_loop_digit(Lower *l, const Stage *loop, Sym var, const Code *start, const Code *step);
/* The predicate of the axes for which `have` holds every factor, at the current digits; NULL: none needed. */
const Code *axis_predicate(Lower *l, const Layout *layout, FactorSet have);
const Code *axis_bound_test(Lower *l, const Layout *layout, const Axis *a);
/* The axis's upper end. One of dimensions has type I, which holds all indices of the axis, those beyond its end too. */
const Code *axis_end(Lower *l, const Layout *layout, const Axis *a);
/* The same where the digit of a register factor, `without`, is 0. */
const Code *axis_begins_test(Lower *l, const Layout *layout, const Axis *a, const Factor *without);
/* The axis's innermost factor if it is a vector that lies on one side of its bound in the wide instance. */
Factor *axis_whole_vector(Lower *l, const Layout *layout, const Axis *a);
/* The digits of a peeled axis's outermost register factor at which no other digit reaches the low, or the high, end: a
 * test that is known when loops are unrolled. NULL: there are none. */
const Code *axis_off_end(Lower *l, const Layout *layout, const Axis *a, bool low);
/* The test that a whole vector, the axis's innermost factor, is inside. */
const Code *axis_vector_inside(Lower *l, const Layout *layout, const Axis *a, Factor *vec);
/* The first access to t along axis a. */
Stage *axis_find_access(Lower *l, Stage *const *s, int n, const Tensor *t, const Axis *a);

/* ---- lower_inside.c ---- */
/* Begins a list for tiles that meet no end of their axes: what is put there tests no element of them. False where no
 * tests would be spared: nothing is put. */
bool inside_begin(Lower *l, Stage *const *s, int n);
void inside_else(Lower *l); /* the list for all others, which inside_end closes */
void inside_end(Lower *l);

/* ---- lower_offset.c: offsets as polynomials of digits ---- */
bool offset_over_dims(Poly p);
/* An expression with each axis as the sum of its factors' digits. */
const Expr *offset_expand(Lower *l, const Layout *layout, const Expr *e);
Poly offset_flat(Lower *l, const Layout *layout, Tensor *t, const Expr *const *subs);
/* Sums of an axis's digits become the variable that holds its index at register digits 0. */
Poly offset_regroup(Lower *l, const Layout *layout, Poly p);
/* What is the same for all registers of a thread, and what is not. */
void offset_split(Lower *l, const Layout *layout, Poly p, Poly *fixed, Poly *varying);
/* Whether a place in the tensor, of which p is a part, is made in words that wrap (poly_wrapped_code): its terms are
 * products of lengths with quotients of indices. Then a kernel of 32-bit indices is for tensors whose elements 32 bits
 * number: a place is right there if its last 32 bits are, whatever the terms are on the way. */
bool offset_wraps(Lower *l, const Tensor *t, Poly p);
Poly offset_without_axis(Lower *l, const Layout *layout, Poly p, const Axis *a);
/* Is every term a multiple of V? Conditions on dimensions are collected when `commit`. */
bool offset_aligned(Lower *l, Poly p, int64_t V, bool commit);
/* Asks for a condition of the wide instance, unless another implies it. */
/* Whether the wide instance is for multiples of that alone. */
bool offset_asked(const Lower *l, const Expr *dims, int64_t mod);
void offset_ask(Lower *l, AlignCond c);

/* ---- lower_vector.c ---- */
/* What takes part in a vector: register factors `may` of a layout, up to `most` elements; with tails, at most one of
 * their axes has a tail. */
typedef struct VecLimits {
    FactorSet domain, may;
    int64_t most;
    bool tails;
} VecLimits;
/* Register factors whose coefficients in an offset continue each other from 1. */
void vector_plan(Lower *l, Poly offset, const Layout *layout, VecLimits limits, VecPlan *plan);
void vector_halve(VecPlan *plan);
/* Loops over the vectors, but for the one over the factor `without` (NULL: all); how many there are. */
int put_vector_loops(Lower *l, const VecPlan *plan, const Factor *without);
/* p with the digits that the plan's loops do not have at 0: they are the elements of the vector. */
Poly vector_drop(Lower *l, Poly p, const VecPlan *plan);
/* Where the plan's vectors start: their digits are 0, and one of which a vector has a part counts such parts. */
Poly vector_starts(Lower *l, Poly p, const VecPlan *plan);
/* Elements in a word of an array of words. */
int64_t vector_per_word(Type t);
/* Does the vector land in neighbouring elements of the value's array, in whole words? */
bool vector_in_order(const Value *v, const VecPlan *plan);
/* The words of the value that such a vector is, from its first on. */
const Code *vector_words(Lower *l, const Value *v, const VecPlan *plan);
void put_scatter(Lower *l, const Value *v, const VecPlan *plan, const Code *words);
/* Every element of a vector of the value becomes this. */
void put_fill(Lower *l, const Value *v, const VecPlan *plan, const Code *element);
/* How many of the plan's vectors lie in the value's array before this one. */
const Code *vector_number(Lower *l, const Value *v, const VecPlan *plan);
/* Where the words of that vector are, of a tile of APART_VECTORS. */
const Code *apart_vector(Lower *l, const Value *v, const VecPlan *plan);
/* The number of the vector at the digits of put_vector_loops, in the order of these loops. */
const Code *vector_turn(Lower *l, const VecPlan *plan);
/* Puts what makes the words of a vector of an expression, as elements of type t; where they are. */
const Code *put_words(Lower *l, const VecPlan *plan, const Expr *e, Type t, const Layout *layout);

/* ---- lower_window.c ---- */
/* Which digits of a load's tile are windows, where each element may be loaded once; `of` is the caller's. */
Windows window_find(Lower *l, const Stage *s);
FactorSet window_factors(const Windows *w);

/* ---- lower_access.c ---- */
/* Plans the accesses of stages, and of those inside: vectors, tails, and the conditions of the wide instance. */
void access_plan(Lower *l, Stage *const *s, int n);
/* When all of a part are planned: vectors that no instance would cut are whole. */
void access_settle_tails(Lower *l);
const Access *access_of(const Lower *l, const Stage *s);
/* Chooses the vectors of a global access among `may`, as far as its condition is the same for all elements of each;
 * collects the conditions of the wide instance. */
void access_vectors(Lower *l, Access *x, FactorSet domain, FactorSet may, bool load);
/* Then which axis cuts them. */
void access_tails(Lower *l, Access *x);
/* Makes a load along an axis that is several axes of tensors made one, of a tensor that lacks the outer ones, one of
 * vectors in its rows. Does nothing where it is no such load, or nothing is gained. */
void access_rows(Lower *l, Access *x, FactorSet domain, FactorSet may);
/* Threads and blocks that differ only in these digits make the same access. */
FactorSet access_repeated(Lower *l, const Layout *layout, FactorSet domain);
/* Where the access is made: what is the same for all registers of a thread; then, at the current digits, what is not.
 * NULL: everywhere. */
const Code *access_guard_once(Lower *l, const Access *x);
const Code *access_guard(Lower *l, const Access *x, const Expr *cond);
/* The tail that it has in this tile. */
Tail access_tail(const Lower *l, const Access *x);
/* The innermost factor of an axis that ends behind whole vectors of it in the wide instance, where the access is of
 * elements; NULL: there is none. Then one test stands before all of them. */
Factor *access_guarded_vector(Lower *l, const Access *x);
/* Where the access is made at the digit 0 of that factor, whatever its condition is, as far as registers differ. */
const Code *access_guard_before(Lower *l, const Access *x, const Factor *vec);
/* Puts the pointer that all registers share; the address at the current digits. */
const Code *put_pointer(Lower *l, const Access *x, const Stage *s, bool is_const, Sym *first);
/* Elements of the vector before its axis's upper (lower) bound. */
bool access_has_end(Lower *l, const Access *x, const Axis *a); /* the axis ends inside of the access's tiles */
const Code *access_remaining(Lower *l, const Access *x, bool low);
const Code *access_remaining_first(Lower *l, const Access *x, bool low); /* at register digits 0 */
FactorSet access_domain(Lower *l, const Layout *layout, const Stage *s); /* of its subscripts */

/* ---- lower_same.c ---- */
/* Notes the place of a stage's access: its offset and what conditions choose. */
void access_place(Lower *l, Access *x, const Stage *s);
/* What conditions choose for the vector at hand, to be added to the address; NULL: nothing. */
const Code *access_chosen_code(Lower *l, const Access *x, const Stage *s);
/* Whether that is the same for all registers of a thread. */
bool access_chosen_once(Lower *l, const Access *x);
/* Notes the condition of a stage's access; the factors along which vectors under it may lie. */
FactorSet access_under(Lower *l, Access *x, const Stage *s);
/* Whether the condition is the same for all elements of the access's vectors, where *needs holds; asks for that. */
bool access_same(Lower *l, const Access *x, UniformNeeds *needs);
void access_ask_same(Lower *l, Access *x, const UniformNeeds *needs);
/* Where something was asked for: plans the same access of single elements, for instances in which the condition may
 * differ between those of a vector. */
void access_each(Lower *l, Access *x, const Stage *s, FactorSet domain);
/* The condition's code: that of a vector's first element. */
const Code *access_cond_code(Lower *l, const Access *x, const Expr *cond);

/* ---- lower_apart.c ---- */
/* How such a load is taken apart; its words are put together where that is not done. */
Apart lower_load_apart(Lower *l, const Stage *s);  /* lower_global.c */
Apart value_apart(const Lower *l, const Value *v); /* lower_vector.c */
/* The same load into a value of its own, `ending` behind the name. */
Stage *lower_load_elsewhere(Lower *l, const Stage *s, const char *ending);
/* Declares such a value, which is loaded as planned; moves it to where it was planned. */
void put_tile_apart(Lower *l, const Value *v, const Stage *planned, Apart how);
void put_together(Lower *l, const Stage *planned, const Value *apart);
/* Of a vector at the digits of the open loops: loads its pieces; or nothing, or pieces of this element (or NULL). */
void put_pieces(Lower *l, const Value *v, const Access *x, const Code *arguments, const Stage *s);
void put_no_pieces(Lower *l, const Value *v, const Access *x, const Code *element);

/* ---- lower_global.c ---- */
void lower_load(Lower *l, Stage *s);
/* As `planned` loads, into the registers of s, which are declared already. */
void lower_load_into(Lower *l, Stage *s, const Stage *planned);

void lower_store(Lower *l, Stage *s);
void lower_atomic(Lower *l, Stage *s);

/* ---- lower_relay.c: registers to shared memory and back ---- */
void lower_share(Lower *l, Stage *s);
void lower_read(Lower *l, Stage *s);

/* ---- lower_bins.c ---- */
void lower_bins(Lower *l, Stage *s);
void lower_scatter(Lower *l, Stage *s);
/* Of an element that a layout reads of bins, from where they begin. */
Poly bins_offset(Lower *l, const Stage *bins, const Layout *layout);
/* Whether stages fold into bins that the open loops have declared: all threads meet behind the loop that has them. */
bool bins_filled_in(Lower *l, Stage *const *at, int n);

/* ---- lower_shared.c ---- */
/* The same one again for the same stage and purpose. */
int region_new(Lower *l, const Stage *s, int purpose, int64_t bytes);
/* The tile that holds a value; NULL: none yet. */
SharedTile *tile_of(Lower *l, const Value *v);
/* The shape of the block's part of the domain, rows longer by `pad` elements. */
SharedTile tile_shape(Lower *l, Value *v, const Layout *layout, FactorSet domain, int64_t pad);
/* Such a tile, `copies` times. */
SharedTile *tile_new(Lower *l, const SharedTile *shape, int copies);
/* td_shared<T>(its first byte) */
const Code *tile_base(Lower *l, const SharedTile *t);
/* Where a thread's element lies, in elements from the tile's beginning. */
Poly tile_offset(Lower *l, const SharedTile *t, const Layout *layout);
/* The widest accesses of at most so many elements that are aligned for every thread. */
void tile_vectors(Lower *l, Poly offset, const Layout *layout, FactorSet domain, int64_t most, VecPlan *plan);
/* The address of such a vector, swizzled where the tile is; base: the tile's name. */
const Code *tile_at(Lower *l, const SharedTile *t, const Layout *layout, const VecPlan *plan, Sym base);

/* ---- lower_copy.c, lower_bulk.c ---- */
/* A loop as its head says it. */
typedef struct LoopHead {
    Stage *stage;
    Sym var;
    const Code *start, *bound, *step;
} LoopHead;
/* Before a loop: barriers and the first copies. At the top of an iteration: the copy that runs ahead. */
void copy_setup(Lower *l, const LoopHead *h);
void copy_advance(Lower *l, const LoopHead *h);
void copy_release(Lower *l, Stage *loop); /* at its end */
/* In a loop that asks for what is held: the slot of an iteration; behind it, what has to be waited for here. */
void copy_hold(Lower *l, Stage *s);
void copy_held(Lower *l, const Stage *loop);
bool copy_holds(const Stage *loop); /* whether it is such a loop */
/* One warp fills a slot of the tile. */
/* Where a block is inside along all axes of the stage's access that the tile lacks: a grid of a fixed length may have
 * blocks that are not, for which nothing is copied or stored. NULL: each block is. */
const Code *bulk_block_inside(Lower *l, const SharedTile *t, const Stage *s);
void bulk_fill(Lower *l, SharedTile *t, const Stage *s, const Code *slot);
void bulk_store(Lower *l, Stage *s);

/* ---- lower_combine.c: what folds and scans share ---- */
/* into = combine(left, right), where `guard` holds (NULL: always). Every part is computed before any is assigned. */
void put_combine(Lower *l, const Monoid *m, const Code *const *left, const Code *const *right, const Code *const *into,
                 const Code *guard);
const Code *fold_identity(Lower *l, const Monoid *m, int i);
void put_identity(Lower *l, const Monoid *m, const Code *const *into);
void put_state(Lower *l, const Value *v); /* declares it */
const char *fold_cell(Type t);            /* the type of cell_bytes bytes */
/* A value of another lane: kind xor, up, down or idx. */
const Code *fold_shuffle(Lower *l, const char *kind, Type t, const Code *v, const Code *where);
/* A switch between two copies, which the outermost loop declares. */
void fold_turn(Lower *l, Sym name);

/* ---- lower_reduce.c, lower_exchange.c, lower_scan.c ---- */
void lower_reduce(Lower *l, Stage *s);
bool reduce_has_barrier(Lower *l, const Stage *s); /* of the block, each time */
void lower_scan(Lower *l, Stage *s);
/* The mbarriers of folds across the cluster; before the cluster's blocks meet for the first time. */
void fold_cluster_setup(Lower *l, Stage *const *s, int n);

/* ---- lower_kernel.c ---- */
void lower_part(Lower *l, Part *part);

/* ---- lower_trim.c ---- */
/* Declares, before a loop, the ends between which its iterations do anything; false where they are not known to be
 * fewer. Until lower_trim_end its stages have no conditions that hold between these ends anyway, and there are no
 * maps that only those read. */
typedef struct LoopTrim {
    const Code *first, *end;
    int nstages; /* of it, as they were, with their conditions; 0: as they are */
    Stage **stages;
    const Expr **conds;
    bool cut; /* one of Open.ends; where it has a `first`, it begins there, inside of a tile */
} LoopTrim;
bool lower_trim(Lower *l, const LoopHead *h, LoopTrim *trim);
void lower_trim_end(Lower *l, const LoopHead *h, const LoopTrim *trim);

/* ---- lower_perf.c ---- */
/* -Wperf: what the kernel could be spared if the source said more of its dimensions. */
void lower_report_perf(Lower *l);
/* ---- lower_file.c, lower_together.c: texts ---- */
bool lower_writes(const Kernel *k, const Tensor *t);
/* What a file's kernels have in common. */
typedef struct Lowering {
    Text *out;
    Program *p;
    const ExprMap *tensor_at; /* Tensor -> its place in the entry's array */
    const LowerOptions *o;
    Text *why;
} Lowering;
/* What the launcher decides at run time: made before anything is printed, since it needs dimensions too. */
typedef struct Dispatch {
    const Code *fits, *wide; /* conditions of the first instance; NULL: it has none of that kind */
    const Code *filled;      /* of one before it; NULL: there is none */
    bool only_last;          /* of a product that a library runs but for what is rare: the last instance does that */
    Sym general;             /* the kernel that runs where indices are too large for an int; NULL: an instance does */
    bool instead;            /* and where accesses are not wide */
    bool often_narrow;       /* lengths may be odd, or indices divided: ints where accesses are not wide, too */
    Sym general_call;        /* the statement that launches it */
    const Code *blocks;
    const Code *threads; /* NULL: the kernel's */
} Dispatch;
Lower *lower_new(const Lowering *x, Ctx *ctx, Kernel *k, Kernel *whole);
/* The body of a kernel with what its own needs put before it; then what the launcher decides. */
void lower_statements(Lower *l, StmtList *body);
Dispatch lower_dispatch(Lower *l);
/* Where the launcher of a kernel of the program finds its arguments; -1: it does not get that one. */
int lower_dim_at(const Lower *l, const Kernel *k, const Dim *d);
int lower_scalar_at(const Lower *l, const Kernel *k, const Scalar *s);
int lower_tensor_at(const Lower *l, const Kernel *k, const Tensor *t);
/* A kernel of several parts. False after saying why not. */
bool lower_together(const Lowering *x, Ctx *ctx, Kernel *k);
/* Pieces of the text, in its order. parts: those whose bodies it has. */
void print_comment(Ctx *ctx, Text *out, const Kernel *k, const Part *const *parts, int n, Sym full);
void print_struct(const Printing *p, Lower *l, Sym full);
void print_head(const Printing *p, Ctx *ctx, const Kernel *k, Sym full, const Dispatch *d);
void print_launcher_head(const Printing *p, Ctx *ctx, Sym full, const Dispatch *d);
void print_arguments(const Printing *p, Lower *l, const char *at);
void print_launch(const Printing *p, Ctx *ctx, const Kernel *k, Sym full, const Dispatch *d, int shared);
/* What holds where the first instances run. */
const char *lower_common_case(const Dispatch *d);
/* lower_general.c: sets d->general and its call, where another kernel runs where the first instances do not */
void lower_general(Lower *l, Dispatch *d);

/* ---- lower_prelude.c ---- */
void prelude_uses(struct Prelude *x, const char *name, size_t n);
/* What a file uses, and what that uses; all of it where x is NULL. */
void prelude_print(Text *out, const struct Prelude *x);

#endif
