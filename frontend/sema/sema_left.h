/* The left-hand side of an equation: which index variables it binds. Between sema_def.c and sema_left.c. */
#ifndef TDC_SEMA_LEFT_H
#define TDC_SEMA_LEFT_H

#include "sema_int.h"

/* The tensor that a definition makes: its shape and type where they are declared. */
typedef struct Left {
    Definition *d;
    bool has_shape, has_type;
    ExprVec shape;
    Type type;
} Left;

/* One piece while it is made. */
typedef struct Building {
    const Equation *p;
    Env env;
    VEC(Var *) vars;
    ExprVec subs;
    bool plain; /* subs are the variables in order, over the whole shape */
} Building;

/* Binds the index variables of the piece in b->env, and makes b->subs. Where t has no shape yet, ranges come from `in`
 * or from the uses on the right. */
bool sema_left(Sema *s, Building *b, Left *t);

#endif
