/* Figures of machines: see speeds.h. */
#include "speeds.h"

const Speeds speeds_h200 = {
    .name = "h200",
    .measured = true,
    .machine = &target_table[0].machine,
#define SPEED(name, value, unit, source) .name = value,
#include "h200.def"
};

const Speeds speeds_h100 = {
    .name = "h100",
    .measured = false,
    .machine = &target_table[0].machine,
#define SPEED(name, value, unit, source) .name = value,
#include "h100.def"
};

/* A row that one file lacks would be 0 there. */
enum {
#define SPEED(name, value, unit, source) +1
    H200_ROWS = 0
#include "h200.def"
    ,
#define SPEED(name, value, unit, source) +1
    H100_ROWS = 0
#include "h100.def"
};
_Static_assert((int)H200_ROWS == (int)H100_ROWS, "h100.def has the rows of h200.def");
