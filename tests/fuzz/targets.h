/* What a fuzzer runs: each takes any bytes and returns NULL, or says what does not hold. The same functions are run on
 * tests/fuzz/corpus by the unit test test_fuzz. */
#ifndef TDC_FUZZ_TARGETS_H
#define TDC_FUZZ_TARGETS_H

#include <stddef.h>

typedef const char *FuzzTarget(const char *text, size_t n);

FuzzTarget fuzz_front;  /* td to Graphs, their text, and their simplified form */
FuzzTarget fuzz_graph;  /* Graph text */
FuzzTarget fuzz_tuning; /* tuning files */
FuzzTarget fuzz_kernel; /* kernel text, and what the lowering makes of it */

#endif
