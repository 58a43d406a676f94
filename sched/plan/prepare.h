/* The definitions of a graph's tensors as the partition wants them: every reduction is self-contained (its guard holds
 * what the conditions around it protect, its variables' ranges are over dimensions alone) and plain lets are written
 * into those that use them. */
#ifndef TDC_PREPARE_H
#define TDC_PREPARE_H

#include "ir/equation.h"
#include "ir/expr_map.h"
#include "ir/graph.h"

/* A tensor's definition, prepared. */
typedef struct Prepared {
    Tensor *tensor;
    bool marked;               /* has reductions and depends on all of its variables: see below */
    bool apart;                /* not written into what reads it, which was too large with it */
    bool plain;                /* one piece, tensor[vars] = value */
    bool stored;               /* has a kernel of its own: outputs, and lets that others cannot take in */
    const char *why;           /* a let is stored; NULL: it is not, or an output */
    int depth, nodes, reduces; /* of the values with the lets that they use written in; nodes and reductions at most */
    int uses;                  /* of a marked one: places where it was written in */
    int generation;     /* cuts on the way here: of the lets that its value was made of, one after another, at most */
    int cuts;           /* Preparation.cuts when its value was written */
    Var **vars;         /* of a plain one: those of its value, shared by all tensors with this range in this place */
    const Expr **subs;  /* of a plain one: its element, in these variables */
    const Expr **value; /* of each piece, with the lets that it uses written in */
    const Expr **guard;
    const Expr ***places; /* of each piece, where its elements are, in the same way; not of a plain one */
} Prepared;

/* A let with reductions that was written in stands under a mark (expr_mark), whose further operands are the
 * variables that it was read at, in its order. group_new drops marks. */

typedef struct Preparation {
    Graph *graph;
    ExprMap of;          /* Tensor -> Prepared */
    VEC(Tensor *) order; /* tensors with definitions, each after those that it loads */
    const bool *stored;  /* by Tensor.id: lets that stay out in any case; NULL: none */
    int cuts;            /* lets that were stored after they had been written into others */
    Ctx *temp;           /* of the work at hand */
    Text *why;
    bool failed;
} Preparation;

/* stored: see Preparation. NULL after saying in *why what it cannot do. */
Preparation *prepare_graph(Graph *g, const bool *stored, Text *why);
/* The definition of a tensor; NULL: it has none, as inputs. */
Prepared *prepare_of(const Preparation *p, const Tensor *t);
/* The let that stands under a mark, and the subscripts at which it was read there. */
Prepared *prepare_let(const Preparation *p, const Expr *mark);
const Expr *const *prepare_subs(const Expr *mark);
/* The equation of piece i of a stored tensor: a plain one in the variables that all plain definitions share, until
 * prepare_own_vars gives it its own. */
Equation prepare_root(const Prepared *def, int i);
void prepare_own_vars(Graph *g, Equation *r);

/* The stored tensors with their prepared definitions, as Graph text: marks print as casts. */
void prepare_print(Text *out, const Preparation *p);

#endif
