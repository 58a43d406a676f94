/* Matrix products that a library runs instead of a kernel: d = act(alpha * a b + beta * c + bias), over batches. */
#ifndef TDC_PRODUCT_H
#define TDC_PRODUCT_H

#include "ir/equation.h"

enum { MAX_BATCH = 3 };

typedef enum Activation {
    ACT_NONE,
#define EPILOGUE(e, text, types) ACT_##e,
#include "epilogues.def"
#undef EPILOGUE
    ACT_COUNT
} Activation;

/* Where the element of a row, a column and batch indices lies: offset + row * i + col * j + sum of batch[b] * index b,
 * in elements of the tensor. All are integer expressions over dimensions. */
typedef struct Matrix {
    Tensor *tensor; /* NULL: there is none */
    const Expr *offset, *row, *col, *batch[MAX_BATCH];
} Matrix;

/* a is m x k, b is k x n, c and d are m x n, bias has n elements, the same for all rows. In a and b one of row and col
 * is the constant 1, in the others col is. The other one is at least as long as what lies along the 1, or 0 in c. */
typedef struct Product {
    Equation root; /* the equation */
    const Expr *m, *n, *k;
    int nbatch;
    const Expr *batch[MAX_BATCH]; /* how many of each */
    Matrix a, b, c, d, bias;
    const Expr *alpha, *beta; /* over dimensions and scalars; of the type of the sum */
    Activation act;
} Product;

/* A sum of products of two factors that read different indices: what a matrix library is for, if their elements lie as
 * it wants. */
typedef struct ProductSum {
    const Expr *sum;       /* the OP_REDUCE */
    const Expr *factor[2]; /* without a cast that widens */
    Type type;             /* of the factors in the library; where a factor has another one, it must be cast first */
    bool ready[2];         /* the factor is a load of that type */
} ProductSum;

/* Whether e is one, large enough (by hints) that a library is worth a call. Otherwise *why, where not NULL, says why
 * not of a sum of products at all. */
bool product_sum(Graph *g, const Expr *e, ProductSum *out, Text *why);
/* e with reductions that differ in nothing but their variables made one. */
const Expr *product_unite(Graph *g, const Expr *e);
/* Why the library's value differs from the equation's in exact algebra (ir/interp/exact.h); NULL: it does not. */
Sym product_inexact(const Product *p);
/* Whether the library gives the same where c and d, two tensors, have one address. Below 32 bits it rounds the sum
 * there before it adds c. */
bool product_in_place(const Product *p);
/* Whether an equation is a product, its factors being loads: *out. Else the reason is in *why where not NULL. */
bool product_match(Graph *g, const Equation *root, Product *out, Text *why);

#endif
