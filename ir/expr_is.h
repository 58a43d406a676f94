/* Questions about one expression, tensor or variable that many passes ask, and the small expressions made of the
 * answers. */
#ifndef TDC_EXPR_IS_H
#define TDC_EXPR_IS_H

#include "graph.h"

/* e is made of constants and dimensions alone. */
bool expr_over_dims(const Expr *e);
/* e is made of constants, dimensions and scalars alone: the host can compute it before anything is launched, and it is
 * the same for all threads and elements. */
bool expr_is_uniform(const Expr *e);
/* A node of this operator stands in e. */
bool expr_has_op(const Expr *e, Op op);
/* e without the casts around it that keep every value of what they cast. */
const Expr *expr_uncast(const Expr *e);
/* Every element that a load's variables reach exists: it needs no condition. */
bool load_exists(const Expr *load);
/* One piece without a guard defines all elements: tensor[vars] = value. */
bool tensor_is_plain(const Tensor *t);
bool var_same_range(const Var *a, const Var *b);
/* An integer expression of dimensions, with hints for dimensions; INT64_MAX where it does not fit. */
int64_t expr_guess(const Expr *e);
/* Whether each of the dimensions in it is fixed or has a hint. */
bool expr_guess_is_told(const Expr *e);
/* How many values a variable takes, by such guesses of its range. */
int64_t var_guess(const Var *v);
/* expr_guess where the sizes of dimensions are dims[id]. */
int64_t expr_guess_at(const Expr *e, const int64_t *dims);
/* a && b; either may be NULL, which is true. */
const Expr *expr_and(Graph *g, const Expr *a, const Expr *b);
/* e - lo, which is e where lo is 0. */
const Expr *expr_minus(Graph *g, const Expr *e, const Expr *lo);

#endif
