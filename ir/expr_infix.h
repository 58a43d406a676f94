/* The precedence of infix operators in text, loose to tight: what printing and reading of expressions share. */
#ifndef TDC_EXPR_INFIX_H
#define TDC_EXPR_INFIX_H

#include "graph.h"

enum {
    LEVEL_IF,
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_COMPARE, /* does not associate; the other levels associate to the left */
    LEVEL_BITOR,
    LEVEL_BITXOR,
    LEVEL_BITAND,
    LEVEL_SHIFT,
    LEVEL_ADD,
    LEVEL_MUL,
    LEVEL_UNARY,
    LEVEL_PRIMARY
};

typedef struct Infix {
    Op op;
    int level;
} Infix;

static const Infix infix_rows[] = {
    {OP_OR, LEVEL_OR},       {OP_AND, LEVEL_AND},       {OP_EQ, LEVEL_COMPARE},    {OP_NE, LEVEL_COMPARE},
    {OP_LT, LEVEL_COMPARE},  {OP_LE, LEVEL_COMPARE},    {OP_GT, LEVEL_COMPARE},    {OP_GE, LEVEL_COMPARE},
    {OP_BITOR, LEVEL_BITOR}, {OP_BITXOR, LEVEL_BITXOR}, {OP_BITAND, LEVEL_BITAND}, {OP_SHL, LEVEL_SHIFT},
    {OP_SHR, LEVEL_SHIFT},   {OP_ADD, LEVEL_ADD},       {OP_SUB, LEVEL_ADD},       {OP_MUL, LEVEL_MUL},
    {OP_DIV, LEVEL_MUL},     {OP_MOD, LEVEL_MUL},
};

enum {
    INFIX_ROWS = sizeof infix_rows / sizeof *infix_rows,
    INFIX_OPS = 0
#define OP(e, text, arity, form, ...) +(FORM_##form == FORM_INFIX)
#include "ops.def"
#undef OP
};
_Static_assert((int)INFIX_ROWS == (int)INFIX_OPS, "a precedence for each infix operator");

static inline int infix_level(Op op) {
    for (int i = 0; i < INFIX_ROWS; i++)
        if (infix_rows[i].op == op) return infix_rows[i].level;
    return LEVEL_PRIMARY;
}

#endif
