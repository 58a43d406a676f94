/* Expressions with places to fill in, written in the tables as td: the sides of a rewrite rule (rules.def) and the
 * derivatives of operators (ops.def). */
#ifndef TDC_PATTERN_H
#define TDC_PATTERN_H

#include "graph.h"

/* The text as an expression of type `root` in which the i-th letter of `names` is OP_ARG i, of type types[i]. NULL
 * where it is none. */
const Expr *pattern_read(Graph *g, const char *text, const char *names, const Type *types, Type root);
/* The pattern with OP_ARG i replaced by args[i], each of its type. */
const Expr *pattern_fill(Graph *g, const Expr *pattern, const Expr *const *args);

/* How fast e grows with its operand arg: an expression over e and its operands, of e's type, which is a float's. NULL
 * where ops.def does not say it. */
const Expr *pattern_derivative(Graph *g, const Expr *e, int arg);

#endif
