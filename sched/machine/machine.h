/* What is known of the machine that a compilation is for: its figures, each a row of machine.def with where its value
 * comes from. Built-in machines have them in files of their own (h200.def, h100.def), others come from files of
 * --machine (machine_text.h). One Machine is handed to all that choose schedules and predict times. */
#ifndef TDC_MACHINE_H
#define TDC_MACHINE_H

#include "ir/graph.h"
#include "target.h"

typedef enum Figure {
#define FIGURE(name, unit, least, most, what) FIGURE_##name,
#include "machine.def"
#undef FIGURE
    MACHINE_FIGURES
} Figure;

/* How long the library takes for a matrix product of m by n results, each a sum of k products. */
typedef struct ProductTime {
    Type type; /* of the factors */
    int64_t m, n, k;
    double seconds; /* without the launch */
    const char *source;
} ProductTime;

typedef struct Machine {
    const char *name;
    const struct Machine *like; /* whose value a figure has that is not this machine's own; NULL: all are its own */
    const Target *target;       /* what its multiprocessors have, and what its code may use */
    bool measured;              /* what is predicted by its figures was compared with what kernels take on it */
#define FIGURE(name, unit, least, most, what) double name;
#include "machine.def"
#undef FIGURE
    const char *source[MACHINE_FIGURES]; /* where each value comes from; of one that is not its own, that of `like` */
    const ProductTime *times;            /* of products that were measured, in any order; built-in machines have none */
    int ntimes;
} Machine;

extern const Machine machine_h200, machine_h100;
enum { MACHINE_BUILT_IN = 2 };
extern const Machine *const machine_table[MACHINE_BUILT_IN];

const Machine *machine_find(const char *name); /* a built-in machine; NULL: there is none */
const Machine *machine_of(Targets t);          /* the one for which schedules are chosen where nobody names another */
/* Whether what is predicted was compared with what kernels take where the target's code runs. */
bool machine_verified(const Machine *m, const Target *t);

/* A row of machine.def. */
typedef struct FigureRow {
    const char *name, *unit, *what;
    double least, most;
} FigureRow;
const FigureRow *machine_row(Figure f);
double machine_value(const Machine *m, Figure f);
/* Changes a figure, and says where the value comes from. False, changing nothing, where it cannot be so much. */
bool machine_set(Machine *m, Figure f, double value, const char *source);

/* Times of products. The types that rows are of; of others nothing is known. */
enum { MACHINE_PRODUCT_TYPES = 2 };
extern const Type machine_product_types[MACHINE_PRODUCT_TYPES];
/* Operations a second at which the library multiplies factors of a type at most; those of f32 in tf32 or not. */
double machine_product_peak(const Machine *on, Type t, bool tf32);
/* The seconds that the machine's rows say of a product, at such a peak of operations a second: between rows how many
 * times as long as its peak and its bytes it takes is interpolated. 0: there is no row of that type. */
double machine_product_seconds(const Machine *on, Type t, double peak, double m, double n, double k);

#endif
