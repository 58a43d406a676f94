/* The names that the language calls: the rows of builtins.def, and what it calls by a row of ir/ops.def or
 * ir/monoids.def. */
#ifndef TDC_BUILTINS_H
#define TDC_BUILTINS_H

#include <stdbool.h>

typedef enum Builtin {
    BUILTIN_NONE,
#define BUILTIN(NAME, name, kind, arity) BUILTIN_##NAME,
#define RANKING(NAME, name, way, operands, results) BUILTIN_##NAME,
#define LATER(NAME, name, kind, instead) BUILTIN_##NAME,
#include "builtins.def"
#undef BUILTIN
#undef RANKING
#undef LATER
    BUILTIN_COUNT
} Builtin;

typedef enum BuiltinKind {
    BUILTIN_IS_NOTHING,
    BUILTIN_IS_ELEMENT,
    BUILTIN_IS_TENSOR,
    BUILTIN_IS_FUNCTION,
    BUILTIN_IS_REDUCTION,
    BUILTIN_IS_WORD
} BuiltinKind;

/* A row of RANKING. */
typedef struct Ranking {
    enum { RANKING_ASCENDING, RANKING_DESCENDING } way;
    int operands, results;
} Ranking;

Builtin builtin_by_name(const char *name); /* BUILTIN_NONE: no row has it */
BuiltinKind builtin_kind(Builtin b);       /* BUILTIN_IS_NOTHING of BUILTIN_NONE */
int builtin_arity(Builtin b);              /* -1: any number of arguments */
const Ranking *builtin_ranking(Builtin b); /* NULL: it is none */
bool builtin_is_later(Builtin b);          /* it has no meaning yet */
const char *builtin_instead(Builtin b);    /* what to write instead of what comes later, else NULL */

/* The functions on elements that have a meaning, operators that are calls last, each once; NULL behind the last. */
const char *builtin_function(int i);
bool builtin_is_function(const char *name);  /* one of these */
bool builtin_is_reduction(const char *name); /* sum, mean, sort: has a meaning as name[k](e) */

#endif
