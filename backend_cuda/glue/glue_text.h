/* The texts of emitted files. They stand in the .in files of this folder, in parts: a line `//@ NAME` begins a part,
 * which goes on, with its empty lines, to the next such line or to a line `//@`; what stands before the first is for
 * readers of the .in file. Internal to backend_cuda/glue. */
#ifndef TDC_GLUE_TEXT_H
#define TDC_GLUE_TEXT_H

#include "glue.h"

#define GLUE_FILES                                                                                                     \
    GLUE_FILE(ASSUMED, assumed)                                                                                        \
    GLUE_FILE(CHECKS, checks)                                                                                          \
    GLUE_FILE(DEVICE, device)                                                                                          \
    GLUE_FILE(DRIVER, driver)                                                                                          \
    GLUE_FILE(ENTRY, entry)                                                                                            \
    GLUE_FILE(FUNCTION, function)                                                                                      \
    GLUE_FILE(HEAD, head)                                                                                              \
    GLUE_FILE(HEADER, header)                                                                                          \
    GLUE_FILE(HOST, host)                                                                                              \
    GLUE_FILE(INVOKE, invoke)                                                                                          \
    GLUE_FILE(LIBRARY, library)                                                                                        \
    GLUE_FILE(MAKE, make)                                                                                              \
    GLUE_FILE(TUNED, tuned)                                                                                            \
    GLUE_FILE(TUNER, tuner)

typedef enum GlueFile {
#define GLUE_FILE(e, name) GLUE_IN_##e,
    GLUE_FILES
#undef GLUE_FILE
        GLUE_FILE_COUNT
} GlueFile;

enum { GLUE_MOST_WORDS = 10 };

/* What the places of a part become. A line that is a word of `at` alone becomes its text, which is whole lines or
 * nothing; anywhere else the text stands for the word. Of lines after `//+` and `//-` the former are printed where
 * `with`, the latter where not. */
typedef struct GlueWords {
    const char *prefix; /* for "$"; NULL: a "$" is itself */
    bool with;
    struct {
        const char *word, *text; /* the text NULL: as "" */
    } at[GLUE_MOST_WORDS];       /* up to the first without a word */
} GlueWords;

/* Prints a part. One that the file has not makes the emitted file an error. */
void glue_part(Text *out, GlueFile file, const char *part, const GlueWords *words);
/* A part in which nothing but the prefix is to be filled in. */
void glue_text(Text *out, GlueFile file, const char *part, const char *prefix);

/* The comment at an emitted file's beginning. */
void glue_banner(Text *out, const GlueOptions *o, const char *what);
/* `#include "MODEL.h"` */
void glue_include(Text *out, const GlueOptions *o);
/* Text inside a C string literal; text inside a C comment. */
void glue_quoted(Text *out, const char *s);
void glue_comment(Text *out, const char *s);

#endif
