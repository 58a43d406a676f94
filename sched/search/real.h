/* Of numbers with a fraction, what the library does by calls. */
#ifndef TDC_REAL_H
#define TDC_REAL_H

#include <stdbool.h>
#include <stdint.h>

/* As fmin and fmax. */
static inline double least_of(double a, double b) { return a < b || b != b ? a : b; }
static inline double most_of(double a, double b) { return a > b || b != b ? a : b; }
/* As !fmod, of numbers below 2^63. */
static inline bool is_multiple(double of, double by) { return of / by == (double)(int64_t)(of / by); }

#endif
