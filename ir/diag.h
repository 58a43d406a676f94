/* Diagnostics: what a compilation has to say about its sources. Everything reports here, with a place;
 * only the driver prints what diag_render makes of it. Codes are the rows of diags.def. */
#ifndef TDC_DIAG_H
#define TDC_DIAG_H

#include "base.h"

typedef enum Severity { SEV_ERROR, SEV_WARNING, SEV_PERF } Severity;

typedef enum DiagCode {
#define DIAG(number, e, severity, title, explanation) DIAG_##e,
#include "diags.def"
#undef DIAG
    DIAG_COUNT
} DiagCode;

/* One report; notes and help are attached to it. */
typedef struct Diag Diag;

/* ---- source files ---- */

/* Registers a source file; name and text are copied. The number is what Span.file holds. */
int diag_add_file(Ctx *ctx, const char *name, const char *text, size_t n);
const char *diag_file_name(const Ctx *ctx, int file);            /* "" for an unknown number */
const char *diag_file_text(const Ctx *ctx, int file, size_t *n); /* text[*n] is 0 */
/* Line and column of a byte, from 1; a column is one UTF-8 character, a tab is one column. (0, 0) for an unknown file.
 */
void diag_place(Ctx *ctx, int file, uint32_t at, int *line, int *col);

/* ---- reporting ---- */

/* Never NULL, also past the limit, so that notes can follow. A report equal to an earlier one is dropped. */
Diag *diag_report(Ctx *ctx, DiagCode code, Span span, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Of what is said already: notes and help that follow go nowhere. */
Diag *diag_nothing(Ctx *ctx);
/* The report stands elsewhere than the text that it is about, which its reader did not write: help that says how to
 * change that text is dropped from now on, diag_advise is kept. */
void diag_moved(Diag *d);
void diag_note(Ctx *ctx, Diag *d, Span span, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void diag_help(Ctx *ctx, Diag *d, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A help that does not speak of the text at the report's place. */
void diag_advise(Ctx *ctx, Diag *d, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A help that an editor can apply: text instead of what stands at span. */
void diag_fix(Ctx *ctx, Diag *d, Span span, const char *text, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
void diag_suggest(Ctx *ctx, Diag *d, Span span, const char *name); /* the fix "did you mean NAME?" */
/* At most n errors and n warnings are kept (the default is 50); the rest are counted. */
void diag_limit(Ctx *ctx, int n);
/* Reports of severity SEV_PERF are dropped unless this is on. */
void diag_perf(Ctx *ctx, bool on);
/* Whether something of this code was reported at the place. */
bool diag_said(Ctx *ctx, DiagCode code, Span span);
bool diag_wants_perf(const Ctx *ctx);
bool diag_full(Ctx *ctx);        /* no further error will be kept: nothing need be looked up for it */
int diag_errors(const Ctx *ctx); /* reported so far, shown or not */
int diag_warnings(const Ctx *ctx);

/* The candidate nearest to name, or NULL where none is near enough to be meant. */
const char *diag_near(const char *name, const char *const *candidates, int n);

/* ---- reading what was reported, in order of place ---- */
int diag_count(const Ctx *ctx);       /* reports kept */
const Diag *diag_at(Ctx *ctx, int i); /* sorted by file, then place, then order of report */
DiagCode diag_code(const Diag *d);
Span diag_span(const Diag *d);
const char *diag_message(const Diag *d);
Severity diag_severity(DiagCode code);
/* What a code is about, by the hundred of its number. */
typedef enum DiagClass { DIAG_CLASS_NAMES = 3, DIAG_CLASS_TYPES = 4 } DiagClass;
int diag_code_class(DiagCode code);
const char *diag_title(DiagCode code);
/* "E0123"; warnings have a W. */
const char *diag_code_text(Ctx *ctx, DiagCode code);

/* ---- rendering ---- */
/* After the last error one line names the command that explains their codes. */
void diag_render(Ctx *ctx, Text *out, bool colour);
void diag_render_json(Ctx *ctx, Text *out);
void diag_json_string(Text *out, const char *s); /* with its quotes */
/* The explanation of a code given as text ("E0123", "W0123", "123"); false where there is none. */
bool diag_explain(Text *out, const char *code);
/* The table of codes, one a line. */
void diag_list(Text *out);

#endif
