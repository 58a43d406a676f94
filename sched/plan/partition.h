/* What the files of the partition share. partition.c: the order of work, and what leaves a kernel; partition_temps.c:
 * temporaries, and what is stored already; partition_scans.c: running reductions that go backward; partition_update.c:
 * updates in place; partition_product.c: matrix products for a library. */
#ifndef TDC_PARTITION_H
#define TDC_PARTITION_H

#include "prepare.h"

typedef struct Partition {
    Graph *g;
    bool library; /* products go to a library */
    Defs defs;
    Plan *plan;
    VEC(Equation) roots;     /* in order of their kernels */
    ExprMap temps;           /* an expression over position variables -> the temporary that holds it */
    ExprMap levels;          /* Tensor -> level_of + 1, of tensors whose roots are placed */
    ExprMap free;            /* Expr -> FreeVars */
    struct FreeVars *closed; /* no variables */
    VEC(Group *) alone;      /* of each root */
    Text *why;
    int depth;
    Ctx *own;  /* of the partition's own work */
    Ctx *temp; /* of the root being placed */
} Partition;

/* Free variables in order of appearance, and as a set: equal sets are equal pointers. */
typedef struct FreeVars {
    int n;
    Var **vars;
    Sym set; /* NULL before anybody asked */
} FreeVars;

FreeVars *free_of(Partition *x, const Expr *e);
Sym free_set(Partition *x, FreeVars *f);
Sym temp_name(Partition *x, Sym base);

/* The equation that a temporary for e would have, without a tensor, and the subscripts at which e reads it; false where
 * e has more variables than a tensor may have. */
bool temp_root(Partition *x, const Expr *e, const Equation *reader, Equation *r, const Expr ***subs);
/* The same without its value; the variables of e are put into vars, which has room for MAX_RANK. */
bool temp_element(Partition *x, const Expr *e, const Equation *reader, Var **vars, Equation *r, const Expr ***subs);
/* A temporary that holds e for all values of its free variables, made (and placed) unless there is one; the load of
 * it. */
const Expr *as_temp(Partition *x, const Expr *e, const Equation *reader);
/* The element of the let of a mark, which gets a kernel of its own unless it has one. */
const Expr *as_let(Partition *x, const Expr *mark);

/* How many kernels come before the one that stores t; -1: not placed, or what the caller gave. */
int level_of(const Partition *x, const Tensor *t);
int root_level(Partition *x, const Equation *r); /* by what it loads */
/* e with the lets that kernels before a reader of this level have stored loaded instead of computed again. */
const Expr *reuse_stored(Partition *x, int level, const Expr *e);

/* Turns backward scans along the root's variables forward; one beside a forward scan becomes a temporary. */
bool face_forward(Partition *x, Equation *root);
/* e with the reductions of *bad (OP_REDUCE nodes) replaced by loads of temporaries; why is the reason for it. */
const Expr *take_out_bad(Partition *x, const Equation *root, const ExprMap *bad, bool guarded, const char *why);

/* The product that the root is, after its factors and the products inside of it have become temporaries; else NULL. The
 * root has its own variables then. */
const struct Product *take_products(Partition *x, Equation *root);

/* Whether the root is a product as it stands: *out. Else its products are not for a library; why may be NULL. */
bool would_be_product(Partition *x, const Equation *root, struct Product *out, Text *why);
/* Why a sum of products in the root is a kernel's; NULL where there is none. */
Sym why_no_product(Partition *x, const Equation *root);

/* The let whose rounding alone keeps the root from being one product with its epilogue; NULL: none. */
Sym rounding_between(Partition *x, const Equation *root);

void place(Partition *x, Equation root); /* appends a root after those of the temporaries that it needs */
/* Updates of what no other update still reads come first; one of those that read one another is staged. */
void place_updates(Partition *x, const Def **defs, int n);

#endif
