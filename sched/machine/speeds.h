/* How fast a machine is, as judge.h reads it: a file a machine (h200.def, h100.def), each figure a row
 * SPEED(name, value, unit, source). What a machine has (multiprocessors, clock, registers) is in targets.def. */
#ifndef TDC_SPEEDS_H
#define TDC_SPEEDS_H

#include "target.h"

typedef struct Speeds {
    const char *name;
    bool measured;          /* false: derived from the figures of another machine */
    const Machine *machine; /* what it has */
#define SPEED(name, value, unit, source) double name;
#include "h200.def"
} Speeds;

/* Other targets take those of the H200, which are unverified there (target_measured). */
extern const Speeds speeds_h200, speeds_h100;

#endif
