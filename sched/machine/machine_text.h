/* Machines as text: the files of --machine, which tdc calibrate writes. */
#ifndef TDC_MACHINE_TEXT_H
#define TDC_MACHINE_TEXT_H

#include "machine.h"

enum { MACHINE_FORMAT = 1 /* of the text */ };

/* NULL after reporting to the diagnostics of ctx. The text stays that of the diagnostics' file. */
Machine *machine_read(Ctx *ctx, int file);

/* The figures that are the machine's own, each a line behind one that says what it is, and its times of products. */
void machine_print(Text *out, const Machine *m);

/* The names of the built-in machines, as a list. */
void machine_names(Text *out);

#endif
