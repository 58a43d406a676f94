/* The names that the language calls (builtins.h). */
#include "builtins.h"
#include "ir/graph.h"

#include <string.h>

typedef struct Row {
    const char *name;
    BuiltinKind kind;
    int arity;
    const char *instead; /* NULL: it has a meaning */
    Ranking ranking;     /* of no operands: it is none */
} Row;

static const Row rows[BUILTIN_COUNT] = {
#define BUILTIN(NAME, name, kind, arity) [BUILTIN_##NAME] = {#name, BUILTIN_IS_##kind, arity, NULL, {0}},
#define RANKING(NAME, name, way, operands, results)                                                                    \
    [BUILTIN_##NAME] = {#name, BUILTIN_IS_REDUCTION, operands, NULL, {RANKING_##way, operands, results}},
#define LATER(NAME, name, kind, instead) [BUILTIN_##NAME] = {#name, BUILTIN_IS_##kind, -1, instead, {0}},
#include "builtins.def"
#undef BUILTIN
#undef RANKING
#undef LATER
};

Builtin builtin_by_name(const char *name) {
    for (int b = BUILTIN_NONE + 1; b < BUILTIN_COUNT; b++)
        if (!strcmp(rows[b].name, name)) return (Builtin)b;
    return BUILTIN_NONE;
}

BuiltinKind builtin_kind(Builtin b) { return rows[b].kind; }
int builtin_arity(Builtin b) { return rows[b].arity; }
const Ranking *builtin_ranking(Builtin b) { return rows[b].ranking.operands ? &rows[b].ranking : NULL; }
bool builtin_is_later(Builtin b) { return rows[b].instead != NULL; }
const char *builtin_instead(Builtin b) { return rows[b].instead; }

const char *builtin_function(int i) {
    for (int b = BUILTIN_NONE + 1; b < BUILTIN_COUNT; b++)
        if (rows[b].kind == BUILTIN_IS_ELEMENT && !rows[b].instead && i-- == 0) return rows[b].name;
    for (int op = 0; op < OP_COUNT; op++)
        if (op_form((Op)op) == FORM_CALL && i-- == 0) return op_text((Op)op);
    return NULL;
}

bool builtin_is_function(const char *name) {
    const char *f;
    for (int i = 0; (f = builtin_function(i)); i++)
        if (!strcmp(f, name)) return true;
    return false;
}

bool builtin_is_reduction(const char *name) {
    Builtin b = builtin_by_name(name);
    if (monoid_named(NULL, name)) return true;
    return rows[b].kind == BUILTIN_IS_REDUCTION && !rows[b].instead;
}
