/* The built-in machines: see machine.h. */
#include "machine.h"

#include <string.h>

/* A machine that is like another one has that one's values first and then its own, which override them. */
#pragma GCC diagnostic ignored "-Woverride-init"
#define VALUE(figure, value, text) .figure = (value), .source[FIGURE_##figure] = (text),

const Machine machine_h200 = {
    .name = "h200",
    .measured = true,
    .target = &target_table[TARGET_sm_90a],
#include "h200.def"
};

const Machine machine_h100 = {
    .name = "h100",
    .like = &machine_h200,
    .target = &target_table[TARGET_sm_90a],
#include "h200.def"
#include "h100.def"
};
#undef VALUE

const Machine *const machine_table[MACHINE_BUILT_IN] = {&machine_h200, &machine_h100};

/* A row that the file lacks would be 0. */
enum {
#define VALUE(figure, value, text) +1
    H200_VALUES = 0
#include "h200.def"
#undef VALUE
};
_Static_assert((int)H200_VALUES == (int)MACHINE_FIGURES, "h200.def has the rows of machine.def");

static const struct {
    FigureRow row;
    size_t at; /* in a Machine */
} ROWS[MACHINE_FIGURES] = {
#define FIGURE(name, unit, least, most, what) {{#name, unit, what, least, most}, offsetof(Machine, name)},
#include "machine.def"
#undef FIGURE
};

const FigureRow *machine_row(Figure f) { return &ROWS[f].row; }

double machine_value(const Machine *m, Figure f) {
    double v;
    memcpy(&v, (const char *)m + ROWS[f].at, sizeof v);
    return v;
}

bool machine_set(Machine *m, Figure f, double value, const char *source) {
    if (!(value >= ROWS[f].row.least && value <= ROWS[f].row.most)) return false;
    memcpy((char *)m + ROWS[f].at, &value, sizeof value);
    m->source[f] = source;
    return true;
}

const Machine *machine_find(const char *name) {
    for (int i = 0; i < MACHINE_BUILT_IN; i++)
        if (!strcmp(machine_table[i]->name, name)) return machine_table[i];
    return NULL;
}

const Machine *machine_of(Targets t) { return targets_get(t, 0)->machine; }

bool machine_verified(const Machine *m, const Target *t) {
    return m->measured && m->target->major == t->major && m->target->minor == t->minor;
}
