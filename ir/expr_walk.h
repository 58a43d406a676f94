/* Walks over expressions, in which nodes are shared: a walk comes to each node once, however many operands it is.
 *
 *   question                                                   what answers it
 *   does something stand in e?                                 expr_has of small ones, expr_find of any
 *   do something at each node, before or after its operands    expr_visit of small ones, expr_walk of any
 *   e with nodes replaced by others                            expr_rewrite; expr_replace for nodes that are known
 *   which variables of e are bound outside of it?              expr_free
 *
 * All recurse once a level: Expr.depth bounds how deep (MAX_DEPTH). What carries something from a node to its operands
 * that differs from use to use (the conditions around them, say) takes a walk, or a rewriter, for each such case.
 * tests/checks/walks.sh lists the functions that walk by themselves, with their reasons. */
#ifndef TDC_EXPR_WALK_H
#define TDC_EXPR_WALK_H

#include "expr_map.h"
#include "expr_set.h"

/* ---- questions ---- */

typedef enum Found { FOUND, FOUND_INSIDE /* perhaps: look there */, FOUND_NOT /* nor inside */ } Found;
/* Asked of a node before its operands; of a leaf perhaps more than once. */
typedef Found ExprTest(const Expr *e, const void *user);

/* The first node of e that is FOUND, or NULL: e itself, or what stands in its operands (ranges of reductions are none).
 * It takes no memory, and so knows again only what it met lately: for what is as small as an index or a condition. */
const Expr *expr_has(const Expr *e, ExprTest *test, const void *user);
/* The first node that is FOUND; NULL: none, or e is NULL. *seen, in the memory of temp, knows what holds none; it
 * serves again for the same question. */
const Expr *expr_find(Ctx *temp, ExprSet *seen, const Expr *e, ExprTest *test, const void *user);
/* What is looked for by several, as tests: `user` is ... */
ExprTest expr_test_node; /* an Expr: the node itself */
ExprTest expr_test_var;  /* a Var: a use of it, in ranges of reductions too; of a mark its further operands say so */
ExprTest expr_test_load; /* a Tensor: a load of it */
ExprTest expr_test_data; /* NULL: a load, a reduction, a number that is drawn */
/* Whether e loads elements of the tensor. */
bool expr_loads(Ctx *temp, ExprSet *seen, const Expr *e, const Tensor *t);

/* ---- visits ---- */

/* FOUND ends the walk, FOUND_INSIDE goes on with the operands, FOUND_NOT goes on behind the node. */
typedef Found ExprVisit(const Expr *e, void *user);
/* As expr_has walks: without memory, and so to a node perhaps more than once. For what is noted, not counted. */
void expr_visit(const Expr *e, ExprVisit *visit, void *user);

typedef struct ExprWalk {
    Ctx *temp;                                /* of `seen` */
    ExprVisit *before;                        /* at each node, before its operands; NULL: all are gone into */
    void (*after)(const Expr *e, void *user); /* after the operands of what was gone into; NULL: nothing */
    void *user;
    bool ranges;  /* of a reduction also the ranges of its variables, after its operands */
    bool depends; /* of a variable also its range, after `before`: what an expression depends on */
    bool reduces; /* only nodes in which something is reduced; all others are passed over */
    bool loads;   /* only nodes in which, but for ranges, something is loaded; all others are passed over */
    int deep;     /* the walk's own: the depth of the ranges of variables around, together MAX_DEPTH at most */
    ExprSet seen; /* nodes that were visited: one walk serves for several expressions */
} ExprWalk;

/* The node that ended the walk; NULL: it came to its end, or e is NULL. A walk that was ended does not serve again. */
const Expr *expr_walk(ExprWalk *w, const Expr *e);
/* All that stands in one defining equation of t: the ranges of its variables, subscripts, guard, value. */
const Expr *expr_walk_piece(ExprWalk *w, const Tensor *t, const Piece *p);

/* The load in e that is largest by `size`, of equal ones the first; NULL: none is larger than 0. */
typedef int LoadSize(const Expr *load, void *user);
const Expr *expr_largest_load(Ctx *temp, const Expr *e, LoadSize *size, void *user);

/* ---- rewriting ---- */

typedef struct ExprRewrite ExprRewrite;
struct ExprRewrite {
    Graph *g;  /* of what is made */
    Ctx *temp; /* of `done` */
    /* What becomes of e, whose operands are as they were; NULL: e with its operands rewritten. It may rewrite parts of
     * e by x. Asked of each node once, of a leaf perhaps again. NULL: none is replaced before its operands are. */
    const Expr *(*before)(ExprRewrite *x, const Expr *e);
    /* What becomes of e, which has been rebuilt as `made`: e itself where no operand changed. NULL: made. */
    const Expr *(*after)(ExprRewrite *x, const Expr *e, const Expr *made);
    void *user;
    bool reduces; /* nodes in which nothing is reduced stay as they are, unasked */
    bool stopped; /* a hook sets it to end the rewriting; with it false again, that goes on where it was, by `done` */
    ExprMap done; /* what nodes have become; what is known beforehand may be put there */
};

/* NULL: stopped. Reductions keep their variables: where their ranges are to change, `before` makes the reduction. */
const Expr *expr_rewrite(ExprRewrite *x, const Expr *e);
/* e with the operands that `operand` makes, one after the other: for number i, which may hold only where those before
 * it say so, made[0] up to made[i - 1] are there. NULL: an operand is NULL, which ends it. */
typedef const Expr *ExprOperand(void *user, const Expr *e, int i, const Expr *const *made);
const Expr *expr_rebuild(Graph *g, Ctx *temp, const Expr *e, ExprOperand *operand, void *user);

/* ---- free variables ---- */

typedef struct ExprVars {
    int n;
    Var **vars; /* in the order in which a walk that begins with the first operand meets them */
} ExprVars;

/* What is known of the free variables of expressions, in the memory of ctx. All zero but ctx at first. */
typedef struct ExprFree {
    Ctx *ctx;
    bool ranges;   /* a reduction depends on what its ranges depend on; else these are over dimensions */
    bool by_marks; /* a mark's variables are those of its further operands: its value is not looked at */
    ExprMap of;
    ExprVars none;
} ExprFree;

const ExprVars *expr_free(ExprFree *x, const Expr *e);
bool expr_vars_have(const ExprVars *vars, const Var *v);
/* The variables as a set, a name in the memory of ctx: equal sets are equal pointers. */
Sym expr_vars_set(Ctx *ctx, const ExprVars *vars);

#endif
