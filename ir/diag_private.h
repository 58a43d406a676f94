/* What diag.c and diag_render.c share. */
#ifndef TDC_DIAG_PRIVATE_H
#define TDC_DIAG_PRIVATE_H

#include "diag.h"

typedef struct SourceFile {
    Sym name;
    const char *text;
    size_t n;
    VEC(uint32_t) lines; /* where each begins; empty until a place is asked for */
} SourceFile;

typedef struct DiagNote {
    Span span;
    const char *message;
} DiagNote;

typedef struct DiagHelp {
    const char *message;
    Span span;        /* of the fix */
    const char *text; /* what to write there; NULL: no fix */
} DiagHelp;

struct Diag {
    DiagCode code;
    Span span;
    const char *message;
    VEC(DiagNote) notes;
    VEC(DiagHelp) helps;
    int order;
    bool moved; /* away from the text that it is about */
};

struct Diags {
    VEC(SourceFile) files;
    VEC(Diag *) list;
    int errors, warnings; /* reported */
    int kept_errors, kept_warnings, limit;
    bool sorted, perf;
    Diag dropped; /* what a report that is not kept returns */
};

SourceFile *diag_source(const Ctx *ctx, int file);      /* NULL for an unknown number */
int diag_line_of(Ctx *ctx, SourceFile *f, uint32_t at); /* from 0 */
int diag_number(DiagCode code);
const char *diag_explanation(DiagCode code);

#endif
