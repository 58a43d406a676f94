/* The interpreter's own form, private to ir/interp*.c: one definition as straight code over numbered registers, with
 * loops and branches as nested blocks. interp_compile.c makes it, interp_exec.c runs it, interp.c decides what to run
 * when. */
#ifndef TDC_INTERP_CODE_H
#define TDC_INTERP_CODE_H

#include "exact.h"

typedef union Reg {
    double f;
    int64_t i;
} Reg;

/* Kinds below OP_COUNT are that operator on floats, below 2 * OP_COUNT on integers and bool. */
typedef enum InsKind {
    INS_INT = OP_COUNT,
    INS_MOVE = 2 * OP_COUNT,
    INS_LOAD,
    INS_STORE,
    INS_HELD,   /* r[dst] = what the cell's element is so far */
    INS_UPDATE, /* a store to an element that has been stored */
    INS_LOOP,   /* r[dst] from r[a] to r[b]: body */
    INS_IF,     /* r[a] ? body : other */
    INS_CLEAR,  /* accumulator dst becomes empty */
    INS_FOLD,   /* r[a] (and index r[b]) into accumulator dst */
    INS_FINISH, /* r[dst] = accumulator a */
    INS_ROUND,  /* float to float */
    INS_NOISE,  /* r[dst] = r[a], off by a few units in the last place of `type` */
    INS_TO_INT,
    INS_TO_FLOAT,
    INS_WRAP,       /* integer to integer */
    INS_EXPECT,     /* fails unless r[a] */
    INS_EXACT_INT,  /* r[dst] = the number of exact algebra r[a], as an integer */
    INS_EXACT_FROM, /* r[dst] = the integer r[a], as a number of exact algebra */
    INS_EXACT       /* and beyond: operator kind - INS_EXACT on numbers of exact algebra */
} InsKind;

/* A variable of a loop that is open, and those of the loops around it: for messages. */
typedef struct LoopVar {
    const Var *var;
    int reg;
    const struct LoopVar *up;
} LoopVar;

/* A tensor while a graph runs. */
typedef struct Cell {
    const Tensor *tensor;
    int64_t shape[MAX_RANK], n;
    bool is_float, rounds;
    Reg *read; /* what loads see: an inout's old value */
    Reg *data;
    unsigned char *written; /* one byte an element, where pieces could leave some out or overlap; else NULL */
    bool done;
    VEC(struct PieceCode *) code;
    VEC(int) needs; /* tensors by number */
} Cell;

typedef struct Block {
    VEC(struct Ins) ins;
} Block;

typedef struct Ins {
    short kind;
    bool is_float; /* LOAD STORE FOLD FINISH: of the value */
    /* Float comparisons, roundings to whole numbers, TO_INT, FOLD: bit 0 for operand a, bit 1 for b: a kernel's f32 may
     * differ. */
    unsigned char inexact;
    Type type; /* of the result */
    MonoidKind monoid;
    int dst, a, b, c;
    const Block *body, *other;
    Cell *cell;
    const int *subs;
    const LoopVar *loops;
} Ins;

typedef struct PieceCode {
    const Block *body;
    VEC(Reg) regs; /* initial values: constants, dimensions and scalars stand in registers of their own */
    int naccs;
} PieceCode;

typedef struct Interp {
    Ctx *ctx;
    const Graph *g;
    const int64_t *dims;
    const double *scalars;
    InterpNudge nudge;
    const Exact *exact; /* instead of floats, which then are codes in Reg.i; NULL: floats */
    uint64_t noise;     /* the generator's state */
    Cell *cells;        /* one a tensor of g, in its order */
    VEC(int) asked;     /* what a fact loads of definitions, by number */
    Text *why;
} Interp;

/* Compiles one equation into cell->code, or a fact (cell NULL); NULL after saying why. */
PieceCode *interp_compile_piece(Interp *m, Cell *cell, const Piece *p);
PieceCode *interp_compile_fact(Interp *m, const Fact *f);
bool interp_exec(Interp *m, PieceCode *code);

#endif
