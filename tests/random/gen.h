/* Random well-typed td programs. A program is a function of a sequence of choices, small numbers of which 0 is always
 * the simplest; the text is written as the choices are made. So a program is repeated from its choices, and made
 * smaller by making the sequence smaller (shrink.h): whatever the numbers are, what they give is well typed. */
#ifndef TDC_RANDOM_GEN_H
#define TDC_RANDOM_GEN_H

#include "ir/graph.h"

/* The constructs that are counted; a program says which it has. */
#define FEATURES(X)                                                                                                    \
    X(SCALAR_FN, "function of elements")                                                                               \
    X(TENSOR_FN, "function of tensors")                                                                                \
    X(GENERIC_FN, "generic function, packs")                                                                           \
    X(SEVERAL_RESULTS, "call with several results")                                                                    \
    X(NESTED_CALL, "nested or indexed call")                                                                           \
    X(COMPOSITE, "composite reduction")                                                                                \
    X(MATH, "function of mathematics")                                                                                 \
    X(ARITH, "float arithmetic")                                                                                       \
    X(INT_ARITH, "integer arithmetic")                                                                                 \
    X(INT_DIV, "integer quotient, remainder")                                                                          \
    X(BITS, "bits and shifts")                                                                                         \
    X(CAST, "cast")                                                                                                    \
    X(MIXED, "mixed types")                                                                                            \
    X(NARROW, "rounding cast or let")                                                                                  \
    X(COMPARE, "comparison, logic")                                                                                    \
    X(IF, "if")                                                                                                        \
    X(BROADCAST, "broadcast")                                                                                          \
    X(PERMUTE, "transposed load")                                                                                      \
    X(WINDOW, "window, slice, shift")                                                                                  \
    X(DIGITS, "quotients of indices")                                                                                  \
    X(PAD, "pad")                                                                                                      \
    X(GATHER, "gather")                                                                                                \
    X(KEYS, "folds by keys")                                                                                           \
    X(SCATTER, "scatter")                                                                                              \
    X(UPDATE, "inout")                                                                                                 \
    X(NEW, "new of an inout")                                                                                          \
    X(PIECES, "definition in pieces")                                                                                  \
    X(SUM, "sum, prod, mean")                                                                                          \
    X(EXTREME, "max, min")                                                                                             \
    X(ANY_ALL, "any, all")                                                                                             \
    X(RANKING, "sort, argsort, topk")                                                                                  \
    X(ARG, "argmax, argmin")                                                                                           \
    X(SEVERAL_AXES, "reduction over several axes")                                                                     \
    X(NESTED, "nested reduction")                                                                                      \
    X(CONTRACT, "contraction")                                                                                         \
    X(PRODUCT, "matrix product")                                                                                       \
    X(SCAN, "scan")                                                                                                    \
    X(WHERE, "where in a reduction")                                                                                   \
    X(DATA_BOUND, "bounds that are data")                                                                              \
    X(LET, "let")                                                                                                      \
    X(DIM_EXPR, "dimension that is an expression")                                                                     \
    X(DIM_LITERAL, "literal dimension")                                                                                \
    X(DIM_FACT, "dim statement")                                                                                       \
    X(SCALAR, "scalar parameter")                                                                                      \
    X(RANDOM, "random numbers")                                                                                        \
    X(RANK0, "tensor of rank 0")                                                                                       \
    X(EMPTY, "dimension of size 0")                                                                                    \
    X(F64, "f64")                                                                                                      \
    X(F16, "f16, bf16")                                                                                                \
    X(F8, "f8")                                                                                                        \
    X(SMALL_INT, "8- and 16-bit integers")                                                                             \
    X(INT4, "4-bit integers")                                                                                          \
    X(SPECIAL, "infinity or NaN")
typedef enum Feature {
#define X(e, text) FEAT_##e,
    FEATURES(X)
#undef X
        FEAT_COUNT
} Feature;
const char *feature_text(Feature f);

/* What a value is in arithmetic. */
typedef enum Class { C_FLOAT, C_DOUBLE, C_INT, C_LONG, C_UINT, C_BOOL } Class;

typedef enum ExtKind { EXT_DIM, EXT_LIT, EXT_TIMES, EXT_PLUS, EXT_PRODUCT, EXT_SUM } ExtKind;
/* The length of an axis. TIMES: b * dim a; PLUS: dim a + b; PRODUCT, SUM: of dims a and b; LIT: b. */
typedef struct Ext {
    ExtKind kind;
    int a, b;
    Sym text;
    bool filled; /* never 0 */
} Ext;

enum { MAX_GEN_DIMS = 5, MAX_GEN_RANK = 4, MAX_SIZES = 3 };

typedef struct GenDim {
    Sym name;
    int lo, hi, divisor, hint; /* 1, 64 ... where the file has a dim statement; else lo is 0 */
    bool stated, used;
    int64_t size[MAX_SIZES];
} GenDim;

typedef struct GenTensor {
    Sym name;
    TensorKind kind;
    Type type;
    int rank, ext[MAX_GEN_RANK];
    double mag; /* |value| is likely below */
    int index;  /* an input of integers that are assumed to index this length; -1 */
} GenTensor;

/* A variable in scope. Where every load that is evaluated for sure uses it plainly on an axis of its length, its range
 * need not be written. */
typedef struct GenVar {
    Sym name;
    int ext;
    bool plain, mixed;
} GenVar;

/* An expression. Operands of operators that are no atoms stand in parentheses. */
typedef struct Val {
    Sym s;
    bool atom;
    double mag;
} Val;

typedef struct ChoiceSpan {
    int start, end;
} ChoiceSpan;
typedef VEC(int) Ints;
typedef VEC(ChoiceSpan) Spans;

typedef struct Gen {
    Ctx *ctx;
    uint64_t state;
    const int *given; /* choices to repeat; beyond them all are 0 */
    int ngiven;
    bool repeat;
    Ints taken;
    Spans spans;
    bool has[FEAT_COUNT];

    GenDim dim[MAX_GEN_DIMS];
    int ndims;
    VEC(Ext) exts;
    VEC(GenTensor) tensors;
    VEC(GenVar) scope;
    VEC(Sym) scalars; /* f32 parameters */
    int unsure;       /* inside pad, if: loads may not be evaluated */
    int reducing;     /* depth of reductions */
    int size;         /* nodes so far: expressions end when there are too many */
    int names;
    Text functions, params, results, facts, body;
    bool fast; /* option atomics */
    int nscalar_fns;
    bool has_fn[8];
} Gen;

/* Fills g->functions .. g->checks; returns the whole text. Choices: of the seed, or `given`. */
Sym gen_program(Gen *g);
/* The sizes of the k-th check of a program, and the value of a scalar parameter, by name. */
int64_t gen_size(const Gen *g, const char *dim, int k);
double gen_scalar(const char *name);

/* ---- choices (choice.c) ---- */
int pick(Gen *g, int n);          /* 0 .. n - 1 */
bool chance(Gen *g, int percent); /* false is the simpler */
int weighted(Gen *g, const int *weights, int n);
int span_open(Gen *g);
void span_close(Gen *g, int span);
void feature(Gen *g, Feature f);

/* ---- indices (gen_index.c) ---- */
int ext_any(Gen *g);                       /* a length, perhaps a new one */
int ext_dim(Gen *g);                       /* a dimension alone */
int ext_filled(Gen *g);                    /* one that is never 0 */
Sym ext_sub(Gen *g, int ext, bool *plain); /* a subscript in range of variables in scope, or NULL */
Sym index_int(Gen *g);                     /* any i64 expression of indices */
GenVar *scope_push(Gen *g, int ext);
void scope_pop(Gen *g, int n);
Sym fresh(Gen *g, const char *stem);
GenTensor *new_tensor(Gen *g, TensorKind kind, Type t, int rank, const int *ext);
void declare(Gen *g, const GenTensor *t); /* a parameter */

/* ---- expressions (gen_expr.c, gen_reduce.c) ---- */
Class type_class_of(Type t);
Val expr(Gen *g, Class c, int depth);
Val load_any(Gen *g, Class c);
Val reduction(Gen *g, Class c, int depth);
Sym operand(Gen *g, Val v);
Val atom(Sym s, double mag);
Val tame(Gen *g, Class c, Val v); /* the value, brought down where it may be large */
Val convert(Gen *g, Class to, int depth);

/* ---- functions (gen_fn.c) ---- */
Val call_scalar_fn(Gen *g, Val x);
/* Statements that define lets by calls. */
bool statement_call(Gen *g);
Val call_composite(Gen *g, int depth);

/* ---- statements (gen_stmt.c, gen_product.c) ---- */
void statement_let(Gen *g);
void statement_ranking(Gen *g);
void statement_output(Gen *g);
void output_product(Gen *g);
GenTensor *new_output(Gen *g, Type t, int rank, const int *ext);

#endif
