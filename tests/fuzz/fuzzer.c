/* The entry of libFuzzer for the target that FUZZ_TARGET names. */
#include "targets.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    const char *wrong = FUZZ_TARGET((const char *)data, n);
    if (!wrong) return 0;
    fprintf(stderr, "%s\n", wrong);
    abort();
}
