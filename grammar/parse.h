/* From text to the syntax tree. */
#ifndef TDC_PARSE_H
#define TDC_PARSE_H

#include "frontend/ast/ast.h"

/* Reads file number `file` (diag_add_file). Never NULL; what could not be read was reported and is left out. */
AstFile *grammar_parse(Ctx *ctx, int file);

#endif
