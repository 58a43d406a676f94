/* What `tdc explain` says of a program: see explain.c. */
#ifndef TDC_EXPLAIN_H
#define TDC_EXPLAIN_H

#include "sched/kernel/kernel.h"
#include "sched/kernel/traffic.h"
#include "sched/library/tuning.h"
#include "sched/machine/machine.h"

/* Where the size of a dimension comes from: SIZE_FROM(enum, words that say it of dimensions). */
#define SIZE_FROM_ROWS                                                                                                 \
    SIZE_FROM(FIXED, "fixed")                                                                                          \
    SIZE_FROM(AT, "by --at")                                                                                           \
    SIZE_FROM(HINT, "by hint")                                                                                         \
    SIZE_FROM(BENCH, "by bench")                                                                                       \
    SIZE_FROM(CHECK, "by check")                                                                                       \
    SIZE_FROM(DEFAULT, "by default")                                                                                   \
    SIZE_FROM(GUESS, "guessed")
typedef enum SizeFrom {
#define SIZE_FROM(e, words) SIZE_##e,
    SIZE_FROM_ROWS
#undef SIZE_FROM
        SIZE_FROM_COUNT
} SizeFrom;

/* Values of dimensions and scalars, in the order of the graph. */
typedef struct ExplainAt {
    const int64_t *dims;
    const double *scalars;
    const SizeFrom *from; /* of dims */
} ExplainAt;

/* What a program is compiled for. */
typedef struct ExplainFor {
    const Target *target;
    const Machine *machine;
    const Tuning *tuning; /* NULL: none */
} ExplainFor;

/* For a program of sched_program with SchedOptions.reasons, or one read from a text, at these values. False after
 * saying in *why which size cannot be. */
typedef enum ExplainForm { EXPLAIN_TEXT, EXPLAIN_JSON } ExplainForm;
bool sched_explain(Text *out, ExplainForm form, const Program *p, const ExplainFor *what, const ExplainAt *at,
                   Text *why);

#endif
