/* Running reductions: the forms of a reduction whose guard compares its variable with another one, such as
 * sum[k where k <= j](x[k]). */
#ifndef TDC_SCAN_H
#define TDC_SCAN_H

#include "ir/graph.h"

/* The guard compares the reduction's variable v with u, all else in it being *rest. */
typedef struct ScanForm {
    Var *along;       /* u */
    bool exclusive;   /* v < u or v > u: the element itself is not in its result */
    bool reverse;     /* v > u or v >= u */
    const Expr *rest; /* NULL: nothing */
} ScanForm;

/* Whether a reduction (OP_REDUCE) is one that may be computed as a scan. */
bool scan_form(Graph *g, const Expr *reduce, ScanForm *out);

/* The guard of an exclusive scan, of which `rest` is what ScanForm says (NULL: nothing). The last element along it is
 * in no result: the equation never evaluates it, and so what it loads may be out of range. Where the body loads beside
 * the scan's own elements, the guard leaves the last one out. Memos go to temp. */
const Expr *scan_without_last(Graph *g, Ctx *temp, const Expr *reduce, const Expr *rest);

#endif
